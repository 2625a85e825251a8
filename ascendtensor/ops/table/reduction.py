"""Rows of reductions."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .forms import COMPLEX, FLOATS, reduction

SUM: Final = reduction("sum", "ReduceSum", (*FLOATS, d.int32, d.int64, *COMPLEX), Kind.SUM, identity=0)
