"""Functions of one float16 or bfloat16: there are 65,536 operands, so that results are looked up."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import EVERY, FLOAT32, PIECE, narrow
from ascendtensor.simulator.kernels.registry import Array, Task

WORTH: Final = 2048
"""Elements from which on looking up costs less than the quickest loop for halves, and the table, a millisecond to make, is made."""


@lru_cache(maxsize=64)
def _results(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Array:
    """The bits of the results for all halves, computed in float32 and rounded once."""
    with np.errstate(all="ignore"):
        wide = ufunc(EVERY.view(dtype).astype(FLOAT32))
        table = np.empty(EVERY.size, dtype)
        narrow(wide, table)
    return table.view(np.uint16)


def bind(ufunc: np.ufunc, x: Array, out: Array) -> Task:
    """Prepares a ufunc of one operand, to a result of the same half type."""
    places, bits = x.view(np.uint16), out.view(np.uint16)
    if out.size > PIECE and x.flags.c_contiguous and out.flags.c_contiguous:
        return _in_pieces, (_results(ufunc, x.dtype), places.reshape(-1), bits.reshape(-1))
    return _results(ufunc, x.dtype).take, (places, None, bits, "clip")


def _in_pieces(table: Array, places: Array, out: Array) -> None:
    """NumPy makes a place eight bytes long before it looks it up."""
    for start in range(0, places.size, PIECE):
        table.take(places[start : start + PIECE], None, out[start : start + PIECE], "clip")
