"""What operator compilers look like: those that give model files, and those that put models into the process."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ascendtensor.compiler.description import Description


class Compiler(Protocol):
    """Builds operator models.

    Attributes:
        name: "atc", "simulated" or "simulated-program".
        version: Version of the compiler and of its container, as far as models of another one must not be used.
        precision: How it treats the given dtypes; part of the cache's key.
        soc: Chip the models are for, "Ascend910B1".
        in_process: It runs in this process and takes milliseconds, so that no progress is shown.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def soc(self) -> str: ...
    @property
    def in_process(self) -> bool: ...

    def build(self, descriptions: Sequence[Description]) -> list[bytes]:
        """The models in the order of the descriptions.

        Raises:
            CompileError: One of them can't be compiled.
        """
        ...


@runtime_checkable
class Registrar(Protocol):
    """Compiles operators into this process (`aclopCompile`): no file comes of it, and models age (OM-10).

    Descriptions, attributes, buffers and streams are pyACL's integers, which are the C pointers (PY-1).

    Attributes:
        name: "online".
        version: Version of what compiles.
        precision: How it treats the given dtypes.
        soc: Chip the models are for.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def soc(self) -> str: ...

    def prepare(self) -> None:
        """Make ready now what the first use would.

        Raises:
            CompilerNotFoundError: The library is not there.
            CompileError: It does not take the precision mode.
        """
        ...

    def register(self, op_type: str, inputs: Sequence[int], outputs: Sequence[int], attr: int) -> None:
        """Make the operator's model matchable; nothing is compiled if a model matches already (OM-14).

        Raises:
            CompileError: It can't be compiled.
        """
        ...

    def execute(
        self,
        op_type: str,
        inputs: tuple[Sequence[int], Sequence[int]],
        outputs: tuple[Sequence[int], Sequence[int]],
        attr: int,
        stream: int,
    ) -> None:
        """Compile if need be and launch (`aclopCompileAndExecuteV2`).

        Inputs and outputs are descriptions and data buffers; exact dims are written into output descriptions where only the run knows
        them (OP-13).

        Raises:
            AclError: It can't be compiled or launched.
        """
        ...
