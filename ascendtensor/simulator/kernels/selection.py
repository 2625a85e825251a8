"""Elements that a mask selects: read, written, and their places.

Masks are worked through in parts that stay in the cache. NumPy has loops for few true elements, for many and for nearly all; how many there
are decides which one takes a part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.masks import share
from ascendtensor.simulator.kernels.operands import apart, bounded, broadcast, count, front, needs, raw, type_code, unknown
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Shape,
    Task,
    binder,
    infer,
    kernel,
)
from ascendtensor.simulator.kernels.threads import shared

_PART: Final = 1 << 17
"""Elements handled at a time where there are many."""
_SHARED = 1 << 22
"""Length of a mask from which on threads pay."""
_SHORT: Final = 1 << 14
"""Masks up to this length are taken in one go."""
_RARE, _FEW = 0.06, 0.1
"""Up to the greater share of true elements NumPy looks for each of them, which takes longer than its other loop unless there are very few.
Up to the smaller one words that hold one are looked for first."""
_WORDS: Final = 1 << 12
"""Elements from which on looking for words pays."""
_SPARSE: Final = 0.012
"""Up to this share the places of a whole mask are found in one go: what lies between stays in the cache."""
_NEARLY_ALL: Final = 0.96
_RUN: Final = 1 << 15
"""Elements handled at a time where runs are copied twice."""
_RUNS: Final = 0.88
"""From this share on NumPy writes runs in less time than single elements."""


def _part_by_part(mask: Array, take: Callable[[int, Array, int, int], None]) -> int:
    """Hands over each part of a flat mask: where it begins, itself, how many true elements lie before it and how many in it.

    Returns:
        How many elements are true.
    """
    begins = range(0, mask.size, _PART)
    if mask.size < _SHARED:  # a part is counted when its turn comes, so that it is in the cache when it is used
        start = 0
        for begin in begins:
            held = mask[begin : begin + _PART]
            number = int(np.count_nonzero(held))
            take(begin, held, start, number)
            start += number
        return start
    numbers = [int(np.count_nonzero(mask[begin : begin + _PART])) for begin in begins]
    starts = [*itertools.accumulate(numbers, initial=0)]

    def work(first: int, last: int) -> None:
        for index in range(first, last):
            begin = begins[index]
            take(begin, mask[begin : begin + _PART], starts[index], numbers[index])

    shared(len(numbers), work, True)
    return starts[-1]


def _places_in(mask: Array, number: int) -> Array:
    """The places where a part of a flat mask holds, a number of them."""
    if number <= mask.size * _RARE and mask.size >= _WORDS:
        return _places_by_words(mask)
    if mask.size * _RARE < number <= mask.size * _FEW:
        mask = np.concatenate([mask, np.ones(mask.size // 8, np.bool_)])
    places: Array = mask.nonzero()[0]
    return places[:number]


def _places_by_words(mask: Array) -> Array:
    """The places where a flat mask holds, of which few elements are true: only those of words of eight that hold one are looked at."""
    whole = mask.size & ~7
    words = mask[:whole].view(np.int64)
    held = words != 0
    at = _places_in(held, int(np.count_nonzero(held)))
    places: Array = words[at].view(np.bool_).nonzero()[0]
    at -= np.arange(at.size)  # how many elements were left out before each word
    at <<= 3
    places += at[places >> 3]
    if mask[whole:].any():
        places = np.concatenate([places, mask[whole:].nonzero()[0] + whole])
    return places


# Reading


@binder("MaskedSelect", "MaskedSelectV3")
def _bind_masked_select(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, mask, out = raw(needs(inputs[0], "x")), needs(inputs[1], "mask"), raw(outputs[0])
    if x.shape == mask.shape and mask.size <= _SHORT:
        return _masked_select_part, (x.reshape(-1), mask.reshape(-1), out.reshape(-1))
    return _masked_select, (x, mask, out)


def _masked_select_part(x: Array, mask: Array, out: Array) -> list[Shape]:
    """All of it as one part; all flat."""
    places = mask.nonzero()[0]
    number = places.size
    if number > out.size or number >= x.size * _NEARLY_ALL:
        return _masked_select(x, mask, out)
    x.take(places, None, out[:number], "clip")
    return [(number,)]


def _masked_select(x: Array, mask: Array, out: Array) -> list[Shape]:
    if x.shape != mask.shape:
        x, mask = np.broadcast_arrays(x, mask)
    values, chosen, found = x.reshape(-1), mask.reshape(-1), out.reshape(-1)
    about = share(chosen)
    if chosen.size < _SHARED and about >= _NEARLY_ALL:
        return [(_take_runs(values, chosen, found),)]
    if chosen.size < _SHARED and about <= _SPARSE:
        places = _places_by_words(chosen)
        values.take(places, None, front(found, places.shape), "clip")
        return [places.shape]

    def take(begin: int, held: Array, start: int, number: int) -> None:
        part, target = values[begin : begin + held.size], front(found[start:], (number,))
        if number == held.size:
            np.copyto(target, part)
        elif number >= held.size * _NEARLY_ALL:  # NumPy then copies runs
            np.copyto(target, part[held])
        else:
            part.take(_places_in(held, number), None, target, "clip")

    return [(_part_by_part(chosen, take),)]


def _take_runs(values: Array, mask: Array, out: Array) -> int:
    """Copies the elements where a mask holds that does so nearly everywhere, as runs; returns their number, which nobody counts before."""
    start = 0
    for begin in range(0, mask.size, _RUN):
        picked = values[begin : begin + _RUN][mask[begin : begin + _RUN]]
        np.copyto(front(out[start:], picked.shape), picked)
        start += picked.size
    return start


@infer("MaskedSelect", "MaskedSelectV3")
def _masked_select_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, mask = inputs
    shape = broadcast(x.shape, mask.shape)
    return [bounded(x.dtype, -1 if shape == UNKNOWN_RANK else count(shape))]


# Writing


@kernel("MaskedScatter")
def _masked_scatter(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, mask, updates, out = raw(needs(inputs[0], "x")), needs(inputs[1], "mask"), raw(needs(inputs[2], "updates")), raw(outputs[0])
    flat, source, chosen, values = out.reshape(-1), x.reshape(-1), np.broadcast_to(mask, x.shape).reshape(-1), updates.reshape(-1)
    other = apart(x, out)
    if not other and chosen.size * _RUNS <= values.size < chosen.size < _SHARED:
        try:
            flat[chosen] = values
        except ValueError:  # not exactly so many are true: NumPy counts them before it writes
            pass
        else:
            return
    total = int(np.count_nonzero(chosen))
    if total > updates.size:
        raise ValueError(f"the mask takes {total} elements, updates has {updates.size}")

    def put(begin: int, held: Array, start: int, number: int) -> None:
        part, given = flat[begin : begin + held.size], values[start : start + number]
        if number == held.size:
            np.copyto(part, given)
            return
        if other:
            np.copyto(part, source[begin : begin + held.size])
        part[held if number >= held.size * _RUNS else _places_in(held, number)] = given

    _part_by_part(chosen, put)


@infer("MaskedScatter")
def _masked_scatter_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, mask, updates = inputs
    if x.dtype != updates.dtype:
        raise ValueError("operands that must share a dtype differ")
    if not unknown(x) and broadcast(x.shape, mask.shape) not in (x.shape, UNKNOWN_RANK) and -1 not in x.shape:
        raise ValueError(f"a mask of shape {list(mask.shape)} does not fit {list(x.shape)}")
    return [Out(x.dtype, x.shape)]


# Places


def _places_of(x: Array) -> tuple[Array, ...]:
    """Indices of the elements that are not zero, an array per dim; a 0-d operand has no dims."""
    if x.ndim == 0:
        return ()
    if x.dtype.kind == "b":
        return np.nonzero(x)
    if x.dtype in HALVES:
        return np.nonzero(np.bitwise_and(x.view(np.uint16), np.uint16(0x7FFF)) != 0)
    return np.nonzero(x != 0)


def _all_places(mask: Array, out: Array) -> int:
    """Writes the places where a flat mask holds; returns their number."""
    if mask.size < _SHARED and share(mask) <= _SPARSE:
        places = _places_by_words(mask)
        np.copyto(front(out, places.shape), places)
        return places.size

    def take(begin: int, held: Array, start: int, number: int) -> None:
        np.add(_places_in(held, number), begin, front(out[start:], (number,)))

    return _part_by_part(mask, take)


@binder("NonZero", "Where")
def _bind_nonzero(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, out = needs(inputs[0], "x"), outputs[0]
    if x.ndim == 1 and x.dtype.kind == "b" and out.dtype == np.int64 and x.size <= _SHORT:
        return _nonzero_part, (x, out.reshape(-1), bool(attrs.get("transpose", False)))
    return _nonzero, (inputs, outputs, attrs)


def _nonzero_part(mask: Array, out: Array, turned: bool) -> list[Shape]:
    """The places in a short flat mask."""
    places = mask.nonzero()[0]
    number = places.size
    out[:number] = places
    return [(1, number) if turned else (number, 1)]


def _nonzero(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x, out = needs(inputs[0], "x"), outputs[0]
    if x.ndim == 1 and x.dtype.kind == "b" and out.dtype == np.int64:
        number = _all_places(x, out.reshape(-1))
        return [(1, number) if attrs.get("transpose", False) else (number, 1)]
    places = _places_of(x)
    number = places[0].size if places else int(bool(x))
    turned = bool(attrs.get("transpose", False))
    dims = (x.ndim, number) if turned else (number, x.ndim)
    result = front(out, dims)
    for axis, indices in enumerate(places):
        np.copyto(result[axis] if turned else result[:, axis], indices, casting="unsafe")
    return [dims]


@infer("NonZero")
def _nonzero_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, dtype = inputs[0], type_code(attrs["dtype"])
    if unknown(x):
        return [Out(dtype, (-1, -1))]
    rank, high = len(x.shape), count(x.shape)
    if attrs["transpose"]:
        return [Out(dtype, (rank, -1), ((rank, rank), (0, high)))]
    return [bounded(dtype, high, rank)]


@infer("Where")
def _where_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if unknown(x):
        return [Out(int(DataType.INT64), (-1, -1))]
    return [bounded(int(DataType.INT64), count(x.shape), len(x.shape))]
