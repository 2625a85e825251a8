"""Parts of the simulator that need packages of the extra "onnx", imported when they are first used."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from ascendtensor.simulator.kernels.importing import whole

EXTRA: Final = "pip install 'ascendtensor[onnx]'"


class ExtraMissing(ImportError):
    """A package of the extra "onnx" is not there."""


def part(name: str) -> ModuleType:
    """A module of the simulator that needs such a package.

    Args:
        name: Full name of the module.

    Raises:
        ExtraMissing: The package is not there; the text names the extra.
    """
    try:
        return whole(name)
    except ImportError as error:
        raise ExtraMissing(f"whole models need the packages onnx and onnxruntime ({error}): {EXTRA}") from error
