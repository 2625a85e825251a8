"""Which pyACL module is used: CANN's `acl` or the simulator.

`ASCENDTENSOR_BACKEND` decides: `npu` takes CANN's and never anything else, `simulator` the simulator, `auto` (default) CANN's if it
imports and sees a device, else the simulator, which is said once to the logger `ascendtensor`.
"""

import importlib
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from ascendtensor import deferred, errors
from ascendtensor.acl import toolkit
from ascendtensor.acl.module import Acl, AclBlas, AclMdl, AclOp, AclProf, AclRt, AclUtil
from ascendtensor.codes import error_name

if TYPE_CHECKING:
    from ascendtensor import simulator

    _SIMULATOR: Acl = simulator  # the type checker compares every signature

logger = logging.getLogger("ascendtensor")

VARIABLE: Final = "ASCENDTENSOR_BACKEND"
_UNINITIALIZE = 100001
_DEVICE_DIRECTORY = Path("/dev")
_SIMULATOR_NAME: Final = "ascendtensor.simulator"
_said: set[str] = set()


@dataclass(frozen=True)
class Backend:
    """A chosen module.

    Attributes:
        name: "npu" for CANN's `acl`, "simulator".
        module: The module, ready for `binding.use`; neither initialised nor called beyond its device count.
        reason: Why it was chosen, for people.
    """

    name: Literal["npu", "simulator"]
    module: Acl
    reason: str

    def __str__(self) -> str:
        return f"{self.name} ({self.reason})"

    def memory_view(self, address: int, nbytes: int) -> Any:
        """Simulated device memory as an array of bytes; None for a chip's, which the host can't look into."""
        return deferred.load(_SIMULATOR_NAME).memory_view(address, nbytes) if self.name == "simulator" else None


@dataclass(frozen=True)
class Missing:
    """Why CANN's module can't be used, and what to do."""

    message: str
    advice: str
    expected: bool
    """Nothing of CANN is there, so that taking the simulator is no surprise."""


def choose() -> Backend:
    """Finds the module that `ASCENDTENSOR_BACKEND` asks for, anew at each call. It initialises nothing.

    Raises:
        BackendError: `npu` is asked for and something of it is missing; the variable holds something else; or those of the simulator do.
    """
    wanted = os.environ.get(VARIABLE, "").strip().lower() or "auto"
    if wanted not in ("auto", "npu", "simulator"):
        raise errors.BackendError(f"{VARIABLE}={wanted!r} is unknown", advice="It may be auto, npu or simulator.")
    if wanted == "simulator":
        return Backend("simulator", _simulator(), f"{VARIABLE}=simulator")
    found = find_cann()
    if not isinstance(found, Missing):
        return found
    if wanted == "npu":
        raise errors.BackendError(f"{VARIABLE}=npu, but {found.message}", advice=found.advice)
    backend = Backend("simulator", _simulator(), found.message)
    text = f"using the simulator: {found.message}"
    if text not in _said:
        _said.add(text)
        # A half-working CANN is a fault of the machine, none at all is a laptop.
        logger.log(logging.INFO if found.expected else logging.WARNING, "%s%s", text, "" if found.expected else f". {found.advice}")
    return backend


def _simulator() -> Any:
    try:
        return deferred.load(_SIMULATOR_NAME)
    except ValueError as error:  # at its import it reads the machine to simulate
        raise errors.BackendError(
            f"there is no such machine to simulate: {error}",
            advice="A variable ASCENDTENSOR_SIM_... says so; docs/environment.md lists them.",
        ) from None


def find_cann() -> Backend | Missing:
    """CANN's `acl` if it can be imported and sees a device."""
    try:
        module = importlib.import_module("acl")
        if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
            # A directory of that name on sys.path, which Python takes for a package; CANN's module is a file.
            raise ModuleNotFoundError("No module named 'acl'", name="acl")
    except ImportError as error:
        return _cannot_import(error)
    if _SIMULATOR_NAME in sys.modules and deferred.load(f"{_SIMULATOR_NAME}.installed").is_installed(module):
        return Missing("the module `acl` of this process is the simulator", "Do not call simulator.install() before.", True)
    absent = [name for name in ("rt", "op", "util", "init", "create_tensor_desc") if not hasattr(module, name)]
    if absent:
        where = getattr(module, "__file__", None) or "built in"
        return Missing(
            f"the module `acl` ({where}) is not pyACL: it has no {', '.join(absent)}",
            "Another package of that name hides CANN's; uninstall it or put CANN's directory first in PYTHONPATH.",
            False,
        )
    acl = cast(Acl, module)
    count, code = acl.rt.get_device_count()
    if code == _UNINITIALIZE:  # a version that wants acl.init first: the device files tell
        count, code = len(device_files()), 0
    if code or not count:
        return _no_device(code)
    version = toolkit.cann_version()
    return Backend("npu", acl, f"CANN{' ' + version if version else ''}, {count} device{'s' if count > 1 else ''}")


def lacking(module: Acl) -> list[str]:
    """Functions that the library may call and this pyACL has not, since it is older than they are."""
    parts = {"": Acl, "rt": AclRt, "op": AclOp, "blas": AclBlas, "mdl": AclMdl, "prof": AclProf, "util": AclUtil}
    found = []
    for part, protocol in parts.items():
        place = getattr(module, part, None) if part else module
        names = [name for name, value in vars(protocol).items() if callable(value) and not name.startswith("_")]
        found += [".".join(filter(None, ("acl", part, name))) for name in names if not hasattr(place, name)]
    return found


def device_files() -> list[Path]:
    """The device files of NPUs: /dev/davinci0 and so on."""
    return sorted(path for path in _DEVICE_DIRECTORY.glob("davinci*") if path.name[7:].isdigit())


def _cannot_import(error: ImportError) -> Missing:
    homes = toolkit.homes()
    if not isinstance(error, ModuleNotFoundError):
        return Missing(f"CANN's module `acl` does not load: {error}", _source_advice(homes), False)
    if error.name != "acl":
        return Missing(f"CANN's module `acl` does not load: {error}", f"Install what `acl` needs: {error.name}.", False)
    if not homes:
        return Missing("CANN is not installed: no module `acl`", "Install CANN's toolkit and source its set_env.sh.", not device_files())
    site = homes[0] / "python" / "site-packages"
    on_path = any(Path(entry) == site for entry in sys.path if entry)
    advice = "pyACL comes with CANN's toolkit; is it complete?" if on_path else f"{_source_advice(homes)} It adds {site} to PYTHONPATH."
    return Missing(f"CANN is installed in {homes[0]}, but Python finds no module `acl`", advice, False)


def _source_advice(homes: list[Path]) -> str:
    script = next((str(place / "set_env.sh") for home in homes for place in (home, home.parent) if (place / "set_env.sh").exists()), "")
    return f"Run `source {script or '/usr/local/Ascend/ascend-toolkit/set_env.sh'}` in this shell first."


def _no_device(code: int) -> Missing:
    said = f" (acl.rt.get_device_count: {error_name(code)}, {code})" if code else ""
    files = device_files()
    if not files:
        return Missing(
            f"there is no NPU: no /dev/davinci* here{said}",
            "Install the driver; in a container pass --device=/dev/davinci0 /dev/davinci_manager /dev/devmm_svm /dev/hisi_hdc.",
            True,
        )
    closed = [str(path) for path in files if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        return Missing(
            f"this user may not open {', '.join(closed)}{said}",
            "Add the user to the group that owns them (usually HwHiAiUser) and log in again.",
            False,
        )
    return Missing(
        f"CANN sees no device although {files[0]} exists{said}",
        "See `npu-smi info` and ASCEND_RT_VISIBLE_DEVICES; another container may hold the device.",
        False,
    )
