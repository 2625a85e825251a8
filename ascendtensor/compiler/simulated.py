"""The simulator's own operator compiler, in this process or as the program that takes ATC's options."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendtensor.compiler.atc import AtcCompiler
from ascendtensor.compiler.description import Description
from ascendtensor.errors import CompileError
from ascendtensor.simulator.engine import compile as engine
from ascendtensor.simulator.engine import container


def version() -> str:
    """Models of the simulator are bound to the version of its container."""
    return f"container{container.VERSION}"


@dataclass(frozen=True)
class SimulatedCompiler:
    """Compiles for the simulator without leaving the process."""

    soc: str
    name: str = "simulated"
    precision: str = "origin"
    in_process: bool = True

    @property
    def version(self) -> str:
        return version()

    def build(self, descriptions: Sequence[Description]) -> list[bytes]:
        """See `Compiler.build`."""
        return [self._build(description) for description in descriptions]

    def _build(self, description: Description) -> bytes:
        try:
            return engine.build(description.to_json(), self.soc)
        except engine.CompileFailure as failure:
            raise CompileError(
                f"the simulated compiler does not build {description.op_type}",
                op_type=description.op_type,
                log=str(failure),
                operands=str(description),
            ) from failure


def program(soc: str) -> AtcCompiler:
    """The simulator's compiler as a program of its own, driven in the way ATC is."""
    # The program runs elsewhere, so a package imported from the current directory must still be found.
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    command = (sys.executable, "-m", "ascendtensor.simulator.atc")
    return AtcCompiler(soc, command=command, name="simulated-program", version=version(), environment={"PYTHONPATH": path})
