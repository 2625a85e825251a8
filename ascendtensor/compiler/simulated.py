"""The simulator's own operator compiler, in this process, as the program that takes ATC's options, or in the manner of `aclopCompile`."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendtensor.acl import binding
from ascendtensor.compiler.atc import AtcCompiler, advice_on
from ascendtensor.compiler.description import Description
from ascendtensor.errors import CompileError, from_acl
from ascendtensor.simulator import kernels, online
from ascendtensor.simulator.engine import compile as engine
from ascendtensor.simulator.engine import container, process, profiles


def version() -> str:
    """Models of the simulator are bound to the version of its container, and to what its compiler was told to refuse."""
    return f"container{container.VERSION}{profiles.tag()}"


def has_kernel(op_type: str) -> bool:
    """Whether the simulator can run an operator."""
    return kernels.lookup(op_type) is not None


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
                advice=advice_on(failure.text),
            ) from failure


@dataclass(frozen=True)
class SimulatedOnline:
    """Compiles into the simulator's table of models, as CANN's `aclopCompile` does: the models age, and no file comes of it."""

    soc: str
    name: str = "online"
    precision: str = "origin"

    @property
    def version(self) -> str:
        return version()

    def prepare(self) -> None:
        """See `Registrar.prepare`: there is nothing to do."""

    def register(self, op_type: str, inputs: Sequence[int], outputs: Sequence[int], attr: int) -> None:
        """See `Registrar.register`."""
        if code := online.compile_operator(op_type, len(inputs), inputs, len(outputs), outputs, attr, 0, online.SYS, None):
            log = binding.get_recent_err_msg()
            raise CompileError(
                f"the simulated compiler does not build {op_type}: code {code}", op_type=op_type, log=log, advice=advice_on(log)
            )

    def execute(
        self,
        op_type: str,
        inputs: tuple[Sequence[int], Sequence[int]],
        outputs: tuple[Sequence[int], Sequence[int]],
        attr: int,
        stream: int,
    ) -> None:
        """See `Registrar.execute`."""
        code = online.compile_and_execute_v2(op_type, len(inputs[1]), *inputs, len(outputs[1]), *outputs, attr, 0, online.SYS, None, stream)
        if code:
            raise from_acl("aclopCompileAndExecuteV2", code, binding.get_recent_err_msg())


def begun() -> bool:
    """Whether the simulator's counterpart of CANN's compiler was started in this process."""
    return online.Compiled.begun


def process_number() -> int:
    """How many simulated processes there were before this one."""
    return process.State.number


def program(soc: str) -> AtcCompiler:
    """The simulator's compiler as a program of its own, driven in the way ATC is."""
    # The program runs elsewhere, so a package imported from the current directory must still be found.
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    command = (sys.executable, "-m", "ascendtensor.simulator.atc", f"--profile={profiles.Settings.name}")
    return AtcCompiler(soc, command=command, name="simulated-program", version=version(), environment={"PYTHONPATH": path})
