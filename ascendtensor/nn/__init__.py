"""Neural networks: `ascendtensor.nn.functional`, `ascendtensor.nn.grad` and `ascendtensor.nn.init`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..absent import in_module
from . import functional, grad, init

__all__ = ["functional", "grad", "init"]

if not TYPE_CHECKING:  # else every name would be one for type checkers
    __getattr__ = in_module("ascendtensor.nn", classes=True)
