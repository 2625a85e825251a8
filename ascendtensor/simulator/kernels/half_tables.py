"""Functions of one float16 or bfloat16: there are 65,536 operands, so that results are looked up."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import EVERY, FLOAT32, PIECE, narrow
from ascendtensor.simulator.kernels.registry import Array, Task

WORTH: Final = 2048
"""Elements from which on looking up costs less than the quickest loop for halves, and the table, a millisecond to make, is made."""

_MOST = 64
_TABLES: Final[dict[tuple[Hashable, np.dtype[Any]], Array]] = {}


def key_of(steps: Callable[..., Any]) -> Hashable | None:
    """What tells a function from others, though it may be defined anew at each binding; None where it depends on more than its operand."""
    if isinstance(steps, FunctionType) and steps.__closure__ is None and steps.__defaults__ is None and steps.__kwdefaults__ is None:
        return steps.__code__, steps.__module__
    return None


def bind(key: Hashable, steps: Callable[..., Any], temps: int, x: Array, out: Array) -> Task:
    """Prepares `steps(out, x, *temps)`, which works in float32, for an operand and a result of one half type.

    Args:
        key: Of the table.
        steps: Elementwise; asked once for all halves, while there is no table.
        temps: Number of temporaries that it takes.
        x: The operand.
        out: The result, of the operand's shape.
    """
    table = _TABLES.get((key, x.dtype))
    if table is None:
        table = _results(steps, temps, x.dtype)
        if len(_TABLES) >= _MOST:
            _TABLES.clear()
        _TABLES[key, x.dtype] = table
    places, bits = x.view(np.uint16), out.view(np.uint16)
    if out.size > PIECE and x.flags.c_contiguous and out.flags.c_contiguous:
        return _in_pieces, (table, places.reshape(-1), bits.reshape(-1))
    return table.take, (places, None, bits, "clip")


def _results(steps: Callable[..., Any], temps: int, dtype: np.dtype[Any]) -> Array:
    """The bits of the results for all halves, computed in float32 and rounded once."""
    results = np.empty(EVERY.size, dtype)
    wide = np.empty(EVERY.size, FLOAT32)
    with np.errstate(all="ignore"):
        steps(wide, EVERY.view(dtype).astype(FLOAT32), *(np.empty(EVERY.size, FLOAT32) for _ in range(temps)))
        narrow(wide, results)
    return results.view(np.uint16)


def _in_pieces(table: Array, places: Array, out: Array) -> None:
    """NumPy makes a place eight bytes long before it looks it up."""
    for start in range(0, places.size, PIECE):
        table.take(places[start : start + PIECE], None, out[start : start + PIECE], "clip")
