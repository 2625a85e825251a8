"""Neural networks: `ascendtensor.nn.functional`."""

from __future__ import annotations

from . import functional

__all__ = ["functional"]
