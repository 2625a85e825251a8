"""From the description of an operator to its model.

`ASCENDTENSOR_COMPILER` names the compiler: `online` (CANN's, inside this process; default on an NPU where its library is found), `atc`
(CANN's program; default on an NPU where it is not), `simulated` (the simulator's own, in this process; default on the simulator) or
`simulated-program` (the same as a program with ATC's options). On the simulator `online` is the simulator's counterpart of CANN's.
`ASCENDTENSOR_OP_MODELS` takes the place of all of them: models then come from directories of finished ones only.
"""

import os
import sys
from typing import TYPE_CHECKING, Final

from ascendtensor import deferred
from ascendtensor.compiler import archive, needs, store
from ascendtensor.compiler.archive import Archive
from ascendtensor.compiler.atc import AtcCompiler
from ascendtensor.compiler.description import ABSENT, Attribute, AttributeKind, Description, TensorDescription
from ascendtensor.compiler.online import OnlineCompiler, begun, find_library
from ascendtensor.compiler.protocol import Compiler, Registrar
from ascendtensor.compiler.store import ModelStore, StoreInfo
from ascendtensor.errors import BackendError, CompilerNotFoundError

if TYPE_CHECKING:
    from ascendtensor.compiler.simulated import SimulatedCompiler, SimulatedOnline

__all__ = [
    "ABSENT",
    "Archive",
    "Attribute",
    "AttributeKind",
    "Compiler",
    "Description",
    "ModelStore",
    "Registrar",
    "StoreInfo",
    "TensorDescription",
    "builder",
    "choose",
    "choose_compiler",
    "needs",
    "process_number",
    "registrar",
    "works_inside",
]

VARIABLE: Final = "ASCENDTENSOR_COMPILER"
_SIMULATED: Final = "ascendtensor.compiler.simulated"
NAMES: Final = ("online", "atc", "simulated", "simulated-program")
BUILDERS: Final = ("atc", "simulated", "simulated-program")
"""Those that give files."""


def choose_compiler(backend: str, soc: str) -> Compiler | Registrar:
    """The compiler for a backend ("npu" or "simulator") and a chip; nothing is run yet.

    Raises:
        BackendError: `ASCENDTENSOR_COMPILER` is unknown, or its models are of no use to the backend.
    """
    name = os.environ.get(VARIABLE, "").strip().lower() or _default(backend)
    if name not in NAMES:
        raise BackendError(f"{VARIABLE}={name!r} is unknown", advice=f"It may be {', '.join(NAMES[:-1])} or {NAMES[-1]}.")
    if backend == "npu" and name not in ("online", "atc"):
        raise BackendError(f"{VARIABLE}={name} makes models that an NPU can't load", advice=f"Unset {VARIABLE}, or set it to atc.")
    return registrar(backend, soc) if name == "online" else builder(name, soc)


def _default(backend: str) -> str:
    if backend != "npu":
        return "simulated"
    try:
        find_library()
    except CompilerNotFoundError:
        return "atc"
    return "online"


def works_inside() -> bool:
    """Whether a compiler works inside this process: it starts once, and `acl.finalize` would end it for good."""
    simulated = sys.modules.get(_SIMULATED)
    return begun() or (simulated is not None and simulated.begun())


def process_number() -> int:
    """Another number where the simulator began a new process: what was loaded into the one before is gone."""
    simulated = sys.modules.get(_SIMULATED)
    return 0 if simulated is None else simulated.process_number()


def builder(name: str, soc: str) -> Compiler:
    """One of the compilers that give files (`BUILDERS`)."""
    if name == "atc":
        return AtcCompiler(soc)
    simulated = deferred.load(_SIMULATED)
    made: SimulatedCompiler | AtcCompiler = simulated.SimulatedCompiler(soc) if name == "simulated" else simulated.program(soc)
    return made


def registrar(backend: str, soc: str) -> Registrar:
    """The compiler inside the process for a backend; its library is looked for at its first use."""
    if backend == "npu":
        return OnlineCompiler(soc)
    made: SimulatedOnline = deferred.load(_SIMULATED).SimulatedOnline(soc)
    return made


def choose(backend: str, soc: str) -> ModelStore | Archive | Registrar:
    """Where models come from: finished ones (`ASCENDTENSOR_OP_MODELS`), else `choose_compiler`, with the disk cache if it gives files.

    Raises:
        BackendError: See `choose_compiler`.
        CompileError: `ASCENDTENSOR_OP_MODELS` names a directory without models.
    """
    if places := archive.directories():
        return Archive(places, backend, soc)
    chosen = choose_compiler(backend, soc)
    return chosen if isinstance(chosen, Registrar) else ModelStore(chosen, store.cache_directory())
