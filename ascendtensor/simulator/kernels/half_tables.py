"""Functions of one float16 or bfloat16: there are 65,536 operands, so that results are looked up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import EVERY, FLOAT32, HALVES, PIECE, narrow
from ascendtensor.simulator.kernels.registry import Array, Task

WORTH: Final = 2048
"""Elements from which on looking up costs less than the quickest loop for halves, and the table, a millisecond to make, is made."""

_MOST = 64
_Key = tuple[Hashable, np.dtype[Any], np.dtype[Any]]
"""What a function is told by, the types of its operand and of its result."""
_TABLES: Final[dict[_Key, Array]] = {}
_SEEN: Final[set[_Key]] = set()
"""Functions with a number that were asked for once."""


def key_of(steps: Callable[..., Any]) -> Hashable | None:
    """What tells a function from others, though it may be defined anew at each binding; None where it depends on more than its operand."""
    if not isinstance(steps, FunctionType) or steps.__defaults__ is not None or steps.__kwdefaults__ is not None:
        return None
    held = tuple(_told(cell.cell_contents) for cell in steps.__closure__ or ())
    return None if None in held else (steps.__code__, steps.__module__, held)


def _told(value: Any) -> Hashable | None:
    """What tells a number or a function that a function holds from others, 0.0 from -0.0 too; None for what may change."""
    if isinstance(value, float):
        return float, value.hex()
    if value is None or isinstance(value, (bool, int, str, np.ufunc)):
        return type(value), value
    if isinstance(value, tuple):
        parts = tuple(map(_told, value))
        return None if None in parts else parts
    return key_of(value)


def bind(key: Hashable, steps: Callable[..., Any], temps: int, x: Array, out: Array) -> Task:
    """Prepares `steps(out, x, *temps)`, which works in float32, for an operand of a half type.

    Args:
        key: Of the table.
        steps: Elementwise; asked once for all halves, while there is no table.
        temps: Number of temporaries that it takes.
        x: The operand.
        out: The result, of the operand's shape; float32 results are rounded where it is of a half type, else they are of its own.
    """
    told = key, x.dtype, out.dtype
    table = _TABLES.get(told)
    if table is None:
        table = _results(steps, temps, x.dtype, out.dtype)
        if len(_TABLES) >= _MOST:
            _TABLES.clear()
        _TABLES[told] = table
    return _looked_up(table, x, out)


def _looked_up(table: Array, x: Array, out: Array) -> Task:
    places, results = x.view(np.uint16), _movable(out)
    if out.size > PIECE and x.flags.c_contiguous and out.flags.c_contiguous:
        return _in_pieces, (table, places.reshape(-1), results.reshape(-1))
    return table.take, (places, None, results, "clip")


def bind_with_numbers(steps: Callable[..., Any], operands: Sequence[Array], out: Array, otherwise: Task, worth: int = EVERY.size) -> Task:
    """Prepares `steps(out, *operands)` for halves of which all but one are single numbers, known when the task runs.

    Args:
        steps: Elementwise, in float32; with a key.
        operands: Of the result's half type.
        out: The result.
        otherwise: The same without a table, for all other operands, and for fewer elements with numbers that are met for the first time.
        worth: Elements for which a table that may never be used again is made.
    """
    key = key_of(steps)
    large = [x for x in operands if x.size != 1]
    if out.size < WORTH or key is None or len(large) != 1 or large[0].shape != out.shape:
        return otherwise
    numbers = [None if x is large[0] else x.reshape(()) for x in operands]
    bits = [x.view(np.uint16) for x in numbers if x is not None]
    place = next(at for at, x in enumerate(numbers) if x is None)
    return _with_numbers, ((key, place), bits, steps, large[0], numbers, out, otherwise, worth)


def _with_numbers(
    key: Hashable,
    bits: list[Array],
    steps: Callable[..., Any],
    x: Array,
    numbers: list[Array | None],
    out: Array,
    otherwise: Task,
    worth: int,
) -> None:
    told: _Key = (key, *[each.item() for each in bits]), x.dtype, out.dtype
    table = _TABLES.get(told)
    if table is not None:
        fn, args = _looked_up(table, x, out)
    elif told in _SEEN or out.size >= worth:
        every = [None if each is None else np.broadcast_to(each.astype(FLOAT32), EVERY.shape) for each in numbers]
        fn, args = bind(told[0], lambda wide, floats: steps(wide, *(floats if each is None else each for each in every)), 0, x, out)
    else:
        if len(_SEEN) >= _MOST:
            _SEEN.clear()
        _SEEN.add(told)
        fn, args = otherwise
    fn(*args)


def _movable(results: Array) -> Array:
    """Halves as their bits, which are moved faster."""
    return results.view(np.uint16) if results.dtype in HALVES else results


def _results(steps: Callable[..., Any], temps: int, dtype: np.dtype[Any], result: np.dtype[Any]) -> Array:
    """The results for all halves, computed in float32 and rounded once."""
    results = np.empty(EVERY.size, result)
    wide = np.empty(EVERY.size, FLOAT32) if result in HALVES else results
    with np.errstate(all="ignore"):
        steps(wide, EVERY.view(dtype).astype(FLOAT32), *(np.empty(EVERY.size, FLOAT32) for _ in range(temps)))
        if wide is not results:
            narrow(wide, results)
    return _movable(results)


def _in_pieces(table: Array, places: Array, out: Array) -> None:
    """NumPy makes a place eight bytes long before it looks it up."""
    for start in range(0, places.size, PIECE):
        table.take(places[start : start + PIECE], None, out[start : start + PIECE], "clip")
