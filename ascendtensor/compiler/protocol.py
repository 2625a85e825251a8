"""What every operator compiler that gives model files looks like."""

from collections.abc import Sequence
from typing import Protocol

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
