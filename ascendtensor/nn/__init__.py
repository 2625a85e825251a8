"""Neural networks: `ascendtensor.nn.functional`, `ascendtensor.nn.grad` and `ascendtensor.nn.init`."""

from __future__ import annotations

from . import functional, grad, init

__all__ = ["functional", "grad", "init"]
