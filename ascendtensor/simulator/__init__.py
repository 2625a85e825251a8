"""The module ``acl``, simulated: the same functions, return shapes and codes, without hardware.

Use it as ``acl`` itself::

    from ascendtensor import simulator as acl
    acl.init()
    acl.rt.set_device(0)

or call :func:`install`, after which ``import acl`` finds it. Beside the functions of pyACL there are
:func:`configure`, :func:`new_process`, :func:`tables`, :func:`report` and the module ``faults``, for tests.
"""

from __future__ import annotations

import logging
import os
from typing import Any, Final, NoReturn

import numpy as np

from ascendtensor.codes import data_type_size as _type_size

from . import blas, faults, mdl, media, op, prof, rt, util
from .desc import (
    create_data_buffer,
    create_tensor_desc,
    destroy_data_buffer,
    destroy_tensor_desc,
    get_data_buffer_addr,
    get_data_buffer_size,
    get_data_buffer_size_v2,
    get_tensor_desc_address,
    get_tensor_desc_by_index,
    get_tensor_desc_dim,
    get_tensor_desc_dim_range,
    get_tensor_desc_dim_v2,
    get_tensor_desc_element_count,
    get_tensor_desc_format,
    get_tensor_desc_name,
    get_tensor_desc_num_dims,
    get_tensor_desc_size,
    get_tensor_desc_type,
    set_tensor_const,
    set_tensor_desc_name,
    set_tensor_dynamic_input,
    set_tensor_format,
    set_tensor_origin_format,
    set_tensor_origin_shape,
    set_tensor_place_ment,
    set_tensor_shape,
    set_tensor_shape_range,
    set_tensor_storage_format,
    set_tensor_storage_shape,
    set_tensor_value_range,
    trans_tensor_desc_format,
    update_data_buffer,
)
from .engine import AclFault, errors_log, memory, process
from .engine.arguments import function
from .engine.custom import KernelLaunch, kernel_binary, register_kernel
from .engine.diagnostics import Finding, Misuse, findings, leaks, report
from .engine.model_file import pack_bundle as model_bundle
from .installed import install
from .operators import kernel
from .tracing import strict, trace
from .versions import get_cann_attribute, get_cann_attribute_list, get_cann_version, get_device_capability, get_version_str

__all__ = [
    "Finding",
    "KernelLaunch",
    "Misuse",
    "app_log",
    "blas",
    "configure",
    "create_data_buffer",
    "create_tensor_desc",
    "data_type_size",
    "destroy_data_buffer",
    "destroy_tensor_desc",
    "faults",
    "finalize",
    "finalize_reference",
    "findings",
    "float16_to_float",
    "float_to_float16",
    "get_cann_attribute",
    "get_cann_attribute_list",
    "get_cann_version",
    "get_data_buffer_addr",
    "get_data_buffer_size",
    "get_data_buffer_size_v2",
    "get_device_capability",
    "get_recent_err_msg",
    "get_soc_name",
    "get_tensor_desc_address",
    "get_tensor_desc_by_index",
    "get_tensor_desc_dim",
    "get_tensor_desc_dim_range",
    "get_tensor_desc_dim_v2",
    "get_tensor_desc_element_count",
    "get_tensor_desc_format",
    "get_tensor_desc_name",
    "get_tensor_desc_num_dims",
    "get_tensor_desc_size",
    "get_tensor_desc_type",
    "get_version",
    "get_version_str",
    "init",
    "install",
    "kernel",
    "kernel_binary",
    "leaks",
    "mdl",
    "media",
    "memory_view",
    "model_bundle",
    "new_process",
    "op",
    "prof",
    "register_kernel",
    "report",
    "rt",
    "set_tensor_const",
    "set_tensor_desc_name",
    "set_tensor_dynamic_input",
    "set_tensor_format",
    "set_tensor_origin_format",
    "set_tensor_origin_shape",
    "set_tensor_place_ment",
    "set_tensor_shape",
    "set_tensor_shape_range",
    "set_tensor_storage_format",
    "set_tensor_storage_shape",
    "set_tensor_value_range",
    "strict",
    "tables",
    "trace",
    "trans_tensor_desc_format",
    "update_data_buffer",
    "util",
]

_log: Final = logging.getLogger("ascendtensor.simulator.app")
_LEVELS: Final = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
_MAX_LOG_LINE: Final = 1024
_VERSION: Final = (1, 13, 0)
"""Interface version in the acl headers of CANN 8.1.RC1."""


@function("acl.init", "|s")
def init(config_path: str = "") -> int:
    """Start; the path of an acl.json is optional (RT-1 .. RT-5)."""
    return process.init(config_path)


@function("acl.finalize")
def finalize() -> int:
    """Tear down whatever the count (RT-6)."""
    return process.finalize()


@function("acl.finalize_reference", "", 0)
def finalize_reference() -> tuple[int, int]:
    """(count left, ret) (RT-7)."""
    return process.finalize_reference(), 0


@function("acl.get_version", "", 0, 0, 0)
def get_version() -> tuple[int, int, int, int]:
    """(major, minor, patch, ret) of the interface."""
    return (*_VERSION, 0)


@function("acl.get_soc_name")
def get_soc_name() -> str:
    """The simulated chip (RT-14)."""
    return process.State.soc


@function("acl.get_recent_err_msg")
def get_recent_err_msg() -> str | None:
    """Texts of the last failures, newest first, or None; reading clears them (RT-50)."""
    return errors_log.recent()


@function("acl.data_type_size", "i")
def data_type_size(data_type: int) -> int:
    """Bytes of one element (TD-7)."""
    return _type_size(data_type)


@function("acl.float16_to_float", "H")
def float16_to_float(value: int) -> float:
    """From the 16-bit pattern."""
    return float(np.uint16(value).view(np.float16))


@function("acl.float_to_float16", "f")
def float_to_float16(value: float) -> int:
    """To the 16-bit pattern."""
    with np.errstate(over="ignore"):
        return int(np.float16(np.float32(value)).view(np.uint16))


@function("acl.app_log", "is")
def app_log(level: int, message: str) -> None:
    """One line to the logger ``ascendtensor.simulator.app``, cut at 1024 bytes."""
    text = message.encode("utf-8", "replace")[:_MAX_LOG_LINE].decode("utf-8", "ignore")
    _log.log(_LEVELS[level] if 0 <= level < len(_LEVELS) else logging.ERROR, "%s", text)


# Not in pyACL


def configure(
    devices: int | None = None,
    memory: int | None = None,
    soc: str | None = None,
    run_mode: str | None = None,
    queue: int | None = None,
    binding_defects: bool | None = None,
    profile: str | None = None,
) -> None:
    """Choose the simulated machine before it is used.

    What is left out comes from ASCENDTENSOR_SIM_DEVICES, _MEMORY, _SOC, _RUN_MODE, _QUEUE, _BINDING_DEFECTS ("1") or _PROFILE, else from
    the default.

    Args:
        devices: Number of devices, 2.
        memory: Bytes of each, 4 GiB; taken from the host only as it is used.
        soc: Chip name, "Ascend910B1".
        run_mode: "host" (separate address spaces) or "device" (one, as on the small boards).
        queue: Tasks a stream holds before a launch runs them itself, 256.
        binding_defects: Copy the known mistakes of the binding too (PY-20), False.
        profile: What the compiler refuses beyond the operators' prototypes: "any" (nothing), "soc" (what the chip has no kernel for), the
            name of another chip, or the path of a profile that `python -m ascendtensor compile` wrote on a board, whose chip is then
            simulated. "soc" if `soc` is given, else "any".

    Raises:
        RuntimeError: While contexts or memory are alive.
        ValueError: For a value that makes no machine.

    Examples:
        >>> at.shutdown()
        >>> simulator.configure(soc="Ascend310P3", devices=1)
        >>> at.soc_name(), at.device_count()
        ('Ascend310P3', 1)
        >>> at.shutdown()
        >>> simulator.configure()
    """
    process.configure(devices, memory, soc, run_mode, queue, binding_defects, profile)


def new_process() -> None:
    """Forget everything, as a new process would: also loaded models, the model directory and the contents of acl.json.

    Examples:
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> at.shutdown()
        >>> simulator.new_process()
        >>> sum(simulator.tables().values())
        0
    """
    process.new_process()


def memory_view(address: int, nbytes: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes of simulated device memory themselves, for looking at them; a board has nothing like it. Nothing is waited for.

    Raises:
        ValueError: The range lies in no live allocation of device memory.

    Examples:
        >>> x = at.tensor([1, 2, 3], dtype=at.uint8)
        >>> at.synchronize()
        >>> simulator.memory_view(x.data_ptr(), 3).tolist()
        [1, 2, 3]
    """
    try:
        return memory.device_array(address, nbytes)
    except AclFault as fault:
        raise ValueError(fault.text) from None


def tables() -> dict[str, int]:
    """How many objects of each kind are alive; all 0 after an orderly end.

    Examples:
        >>> from ascendtensor import simulator
        >>> before = simulator.tables()["descs"]
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> simulator.tables()["descs"] - before
        1
        >>> simulator.destroy_tensor_desc(desc)
    """
    return process.counts()


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> NoReturn:
    """`acl.himpi` and `acl.fv` say what to do instead."""
    raise media.lacking(__name__, name)


configure()
if os.environ.get("ASCENDTENSOR_SIM_STRICT") == "1":
    strict()
elif os.environ.get("ASCENDTENSOR_SIM_TRACE") == "1":
    trace()
