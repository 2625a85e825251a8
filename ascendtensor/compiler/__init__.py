"""From the description of an operator to the bytes of its model.

`ASCENDTENSOR_COMPILER` names the compiler: `atc` (CANN's program; default on an NPU), `simulated` (the simulator's own, in this process;
default on the simulator) or `simulated-program` (the same as a program with ATC's options).
"""

import os
from typing import Final

from ascendtensor.compiler import simulated, store
from ascendtensor.compiler.atc import AtcCompiler
from ascendtensor.compiler.description import ABSENT, Attribute, AttributeKind, Description, TensorDescription
from ascendtensor.compiler.protocol import Compiler
from ascendtensor.compiler.store import ModelStore, StoreInfo
from ascendtensor.errors import BackendError

__all__ = [
    "ABSENT",
    "Attribute",
    "AttributeKind",
    "Compiler",
    "Description",
    "ModelStore",
    "StoreInfo",
    "TensorDescription",
    "choose",
    "choose_compiler",
]

VARIABLE: Final = "ASCENDTENSOR_COMPILER"


def choose_compiler(backend: str, soc: str) -> Compiler:
    """The compiler for a backend ("npu" or "simulator") and a chip; nothing is run or looked for yet.

    Raises:
        BackendError: `ASCENDTENSOR_COMPILER` is unknown, or its models are of no use to the backend.
    """
    name = os.environ.get(VARIABLE, "").strip().lower() or ("atc" if backend == "npu" else "simulated")
    if name not in ("atc", "simulated", "simulated-program"):
        raise BackendError(f"{VARIABLE}={name!r} is unknown", advice="It may be atc, simulated or simulated-program.")
    if backend == "npu" and name != "atc":
        raise BackendError(f"{VARIABLE}={name} makes models that an NPU can't load", advice=f"Unset {VARIABLE}, or set it to atc.")
    if name == "atc":
        return AtcCompiler(soc)
    return simulated.SimulatedCompiler(soc) if name == "simulated" else simulated.program(soc)


def choose(backend: str, soc: str) -> ModelStore:
    """A new store over `choose_compiler` and `store.cache_directory`.

    Raises:
        BackendError: See `choose_compiler`.
    """
    return ModelStore(choose_compiler(backend, soc), store.cache_directory())
