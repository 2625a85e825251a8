"""Neural networks: `ascendtensor.nn.functional` and `ascendtensor.nn.grad`."""

from __future__ import annotations

from . import functional, grad

__all__ = ["functional", "grad"]
