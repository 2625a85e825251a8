"""Sorting, selecting, counting and finding unique elements.

NaN counts as the largest number and equal elements keep their order, which is what PyTorch's stable sort says; one integer
key per element brings both about in every dtype.
"""

from __future__ import annotations

import math
from math import prod
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import half_bits
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.operands import (
    as_is,
    axis_of,
    bounded,
    count,
    front,
    ints,
    known_ints,
    needs,
    one_int,
    raw,
    same,
    type_code,
    unknown,
    wide,
)
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
from ascendtensor.simulator.kernels.shape import FLATTENED
from ascendtensor.simulator.kernels.threads import shared

_INT32 = int(DataType.INT32)

_SHORT = 64
"""Elements of a line up to which sorting all of them is as quick as selecting."""
_LONG = 4096
"""Elements of lines of a matrix from which one after the other is quicker than all at once."""
_SHARED = 1 << 17
"""Elements that are looked for on several threads."""
_TOGETHER = 1 << 16
"""Elements that are put in order before they are looked for."""
_FEW = 256
"""Columns of a line at least; also up to how many elements are sorted without their places packed in."""


def order_key(x: Array, descending: bool = False) -> Array:
    """Integers that are ordered like the elements, -0.0 equal to 0.0 and NaN last (first if descending)."""
    key: Array
    if x.dtype.kind in "iub":
        key = x.view(np.uint8) if x.dtype.kind == "b" else x
    elif x.dtype in HALVES:
        key = half_bits.order(x)
    else:
        clean = x + x.dtype.type(0)
        clean[x != x] = np.nan
        signed = np.dtype(f"i{x.dtype.itemsize}")
        bits = clean.view(signed)
        lowest = np.iinfo(signed)
        # The bits of a negative float grow with its size: all but the sign are turned.
        key = np.bitwise_xor(bits, np.bitwise_and(np.right_shift(bits, 8 * x.dtype.itemsize - 1), lowest.max))
        key[x != x] = lowest.max
    return np.invert(key) if descending else key


def _packed(key: Array) -> Array:
    """32-bit keys with their places as 64-bit integers: all different, so that NumPy's fast unstable sort serves."""
    kind = np.dtype(np.uint64 if key.dtype.kind == "u" else np.int64)
    packed: Array = key.astype(kind)
    packed <<= kind.type(32)
    packed |= np.arange(key.shape[-1], dtype=kind)
    return packed


def _places(packed: Array) -> Array:
    packed &= packed.dtype.type(0xFFFFFFFF)
    return packed.view(np.intp)  # one of 64 bits, as on every machine with an NPU


def _argsort(key: Array) -> Array:
    """Stable order of the last axis."""
    if key.dtype.itemsize == 4 and key.shape[-1] > 16:
        packed = _packed(key)
        packed.sort(axis=-1)
        return _places(packed)
    if key.dtype.itemsize == 8 and key.shape[-1] > _SHORT:
        return _wide_argsort(key)
    return np.argsort(key, axis=-1, kind="stable")


def _wide_argsort(key: Array) -> Array:
    """Of 64-bit keys: with their places where the range leaves room, else by their upper bits first."""
    length = key.shape[-1]
    bits = (length - 1).bit_length()
    lowest = int(key.min()) if key.size else 0
    if key.size == 0 or (int(key.max()) - lowest) >> (63 - bits) == 0:
        packed = np.subtract(key, key.dtype.type(lowest)).view(np.int64)
        packed <<= bits
        packed |= np.arange(length)
        packed.sort(axis=-1)
        packed &= (1 << bits) - 1
        places: Array = packed.view(np.intp)
        return places
    if key.ndim == 1:
        return upper_argsort(key)
    if length < _LONG:
        return np.argsort(key, axis=-1, kind="stable")
    return np.stack([upper_argsort(row) for row in key.reshape(-1, length)]).reshape(key.shape)


def upper_argsort(key: Array) -> Array:
    """Stable order of a vector of 64-bit keys that differ in their upper bits but for few."""
    kind, length = key.dtype.type, key.shape[0]
    mask = kind((1 << (length - 1).bit_length()) - 1)
    packed = np.bitwise_and(key, np.invert(mask))
    packed |= np.arange(length, dtype=key.dtype)
    packed.sort()
    places: Array = np.bitwise_and(packed, mask).view(np.intp)
    packed &= np.invert(mask)
    again = packed[1:] == packed[:-1]
    if not again.any():
        return places
    tied = np.zeros(length, np.bool_)
    tied[1:] = again
    runs = np.add.accumulate(np.logical_not(tied), dtype=np.intp)
    tied[:-1] |= again
    at = tied.nonzero()[0]
    if at.size > length // 4:
        return np.argsort(key, kind="stable")
    alike = places[at]
    places[at] = alike[np.lexsort((key[alike], runs[at]))]
    return places


def _last(array: Array, axis: int) -> Array:
    return array if axis >= array.ndim - 1 else np.moveaxis(array, axis, -1)


def _take_last(x: Array, order: Array, out: Array) -> None:
    """``out[..., j] = x[..., order[..., j]]``."""
    if x.ndim == 1 and out.flags.c_contiguous:
        x.take(order, None, out, "clip")  # "raise" would gather into a buffer first
    else:
        np.copyto(out, np.take_along_axis(x, order, -1))


def _sort(x: Array, axis: int, descending: bool, values: Array, places: Array) -> None:
    if x.size == 0:
        return
    rows = _last(x, axis)
    order = _argsort(order_key(rows, descending))
    _take_last(raw(rows), order, _last(raw(values), axis))
    np.copyto(_last(places, axis), order, casting="unsafe")


@binder("Sort")
def _bind_sort(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, values, places = needs(inputs[0], "x"), outputs[0], outputs[1]
    axis = axis_of(attrs["axis"], x.ndim)
    if x.ndim == 0:
        x, values, places = x.reshape(1), values.reshape(1), places.reshape(1)
    return _sort, (x, axis, attrs["descending"], values, places)


@infer("Sort")
def _sort_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if not unknown(x):
        axis_of(attrs["axis"], len(x.shape))
    return [Out(x.dtype, x.shape), Out(_INT32, x.shape)]


def _first(key: Array, k: int, in_order: bool) -> Array:
    """Places of the k smallest keys of each row, equal ones by their place."""
    length = key.shape[-1]
    if k * 4 > length or length < 64:
        return _argsort(key)[..., :k]
    rows = key.reshape(-1, length)
    if k == 1:
        first: Array = rows.argmin(axis=-1).reshape(*key.shape[:-1], 1)
        return first
    bound = np.partition(rows, k - 1, axis=-1)[:, k - 1 : k]
    chosen = rows <= bound
    surplus = np.count_nonzero(chosen, axis=-1) - k
    tied = surplus.nonzero()[0]
    if tied.size:  # of those equal to the bound the last ones are too many
        equal = rows[tied] == bound[tied]
        behind = np.cumsum(equal[:, ::-1], axis=-1)[:, ::-1]
        chosen[tied] &= ~(equal & (behind <= surplus[tied, None]))
    places = chosen.reshape(-1).nonzero()[0].reshape(-1, k)
    places -= np.arange(0, rows.size, length)[:, None]
    if in_order:
        places = np.take_along_axis(places, _argsort(np.take_along_axis(rows, places, -1)), -1)
    return places.reshape(*key.shape[:-1], k)


class _TopOfLine:
    """The k first of one line of numbers, by the numbers themselves, where there is no NaN and this is quicker.

    Few others reach a bound that at least k elements reach: the k-th of all, or in a long line, laid out in columns, the k-th of their
    best elements.
    """

    __slots__ = ("best", "cut", "half", "k", "largest", "number", "place", "places", "reaches", "rows", "values", "x")

    def __init__(self, x: Array, k: int, largest: bool, values: Array, places: Array) -> None:
        self.x, self.k, self.largest = raw(x), k, largest
        self.values, self.places = raw(values), places
        self.half = x.dtype if x.dtype in HALVES else None
        self.number = half_bits.bits(x) if self.half else x.view(np.uint8) if x.dtype.kind == "b" else x
        self.best = np.maximum.reduce if largest else np.minimum.reduce
        self.reaches: np.ufunc = np.greater_equal if largest else np.less_equal
        length, columns = x.size, max(4 * k, _FEW)
        columns = columns if length >= 16 * columns else 0
        self.cut = length // columns * columns if columns else 0
        self.rows = self.number[: self.cut].reshape(-1, columns) if columns else None
        self.place = (columns or length) - k if largest else k - 1

    def run(self) -> None:
        order = self._first()
        if order is None:
            order = _first(order_key(self.x if self.half is None else self.number.view(self.half), self.largest), self.k, True)
        _take_last(self.x, order, self.values)
        np.copyto(self.places, order, "unsafe")

    def _first(self) -> Array | None:
        """Their places; None where the numbers themselves don't tell."""
        number = self.number if self.half is None else half_bits.compared(self.number, self.half)
        if number is None:
            return None
        rows = self.rows if number is self.number or self.rows is None else number[: self.cut].reshape(self.rows.shape)
        heads = number.copy() if rows is None else self.best(rows, 0)
        if number.dtype.kind == "f" and (_has_nan(heads) or (rows is not None and _has_nan(number[self.cut :]))):
            return None
        heads.partition(self.place)
        places = self.reaches(number, heads[self.place]).nonzero()[0]
        if places.size > max(number.size // 8, 2 * self.k):  # so many are equal
            return None
        found = number[places]
        if places.size > _FEW:
            order = _argsort(order_key(found, self.largest))
        else:
            order = (np.negative(found) if found.dtype.kind == "f" else np.invert(found)) if self.largest else found
            order = order.argsort(kind="stable")
        chosen: Array = places[order[: self.k]]
        return chosen


def _top_of_lines(x: Array, values: Array, places: Array, k: int, largest: bool) -> None:
    for line, value, place in zip(x, values, places, strict=True):
        _TopOfLine(line, k, largest, value, place).run()


def _has_nan(floats: Array) -> bool:
    """Whether there is a NaN, which counts as the largest: its place is found in a sixth of the time of looking at each."""
    return floats.size > 0 and math.isnan(floats.item(floats.argmax()))


def _top_k(x: Array, k: int, axis: int, largest: bool, in_order: bool, values: Array, places: Array) -> None:
    rows = _last(x, axis)
    order = _first(order_key(rows, largest), k, in_order)
    _take_last(raw(rows), order, _last(raw(values), axis))
    np.copyto(_last(places, axis), order, casting="unsafe")


@binder("TopKV2", "TopK", values=(1,))
def _bind_top_k(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, k, values, places = needs(inputs[0], "x"), one_int(inputs[1], "k"), outputs[0], outputs[1]
    axis = axis_of(attrs["dim"], x.ndim)
    if x.ndim == 0:
        x, values, places = x.reshape(1), values.reshape(1), places.reshape(1)
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"k {k} is out of range for a dim of {x.shape[axis]}")
    if values.shape[axis] != k:
        raise ValueError(f"k is {k}, the output has room for {values.shape[axis]}")
    if values.size == 0:
        return values.fill, (0,)
    if axis == x.ndim - 1 and max(_SHORT if x.ndim == 1 else _LONG, 4 * k) <= x.shape[-1]:
        if x.ndim == 1:
            return _TopOfLine(x, k, attrs["largest"], values, places).run, ()
        return _top_of_lines, (*(array.reshape(-1, array.shape[-1]) for array in (x, values, places)), k, attrs["largest"])
    return _top_k, (x, k, axis, attrs["largest"], attrs["sorted"], values, places)


@infer("TopKV2", "TopK")
def _top_k_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, k = inputs[0], known_ints(inputs[1])
    shape = x.shape
    if not unknown(x) and shape:
        axis = axis_of(attrs["dim"], len(shape))
        if k and (k[0] < 0 or 0 <= shape[axis] < k[0]):
            raise ValueError(f"k {k[0]} is out of range for a dim of {shape[axis]}")
        shape = (*shape[:axis], k[0] if k else -1, *shape[axis + 1 :])
    return [Out(x.dtype, shape), Out(_INT32, shape)]


# Unique elements


def _groups(x: Array, in_order: bool) -> tuple[Array, Array, Array]:
    """First places, inverse and counts of the unique rows of the first axis; NaNs are all different.

    Args:
        x: At least one dim.
        in_order: Sorted by value, else by first place.
    """
    rows = wide(x)
    if rows.ndim > 1:
        rows = rows.reshape(rows.shape[0], prod(rows.shape[1:]))
        order = np.lexsort([order_key(rows[:, at]) for at in reversed(range(rows.shape[1]))]) if rows.shape[1] else np.arange(len(rows))
        sorted_rows = rows[order]
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    else:
        order = _argsort(order_key(rows)) if rows.dtype.kind != "c" else np.argsort(rows, kind="stable")
        sorted_rows = rows[order]
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = sorted_rows[1:] != sorted_rows[:-1]
    starts = np.nonzero(fresh)[0]
    inverse = np.empty(len(rows), np.intp)
    inverse[order] = np.cumsum(fresh) - 1
    counts = np.diff(starts, append=len(rows))
    places = order[starts]
    if not in_order:
        by_place = np.argsort(places)
        rank = np.empty_like(by_place)
        rank[by_place] = np.arange(by_place.size)
        return places[by_place], rank[inverse], counts[by_place]
    return places, inverse, counts


def _counted(x: Array, values: Array, inverse: bool) -> tuple[Shape, Array, Array] | None:
    """`_unique` of integers in order that lie in a range not much larger than their number: by a table of the range."""
    if x.dtype.kind not in "iu" or not x.size:
        return None
    lowest, highest = int(x.min()), int(x.max())
    if highest - lowest > max(2 * x.size, 1 << 16) or not -(1 << 62) < lowest <= highest < 1 << 62:
        return None
    offsets = x.reshape(-1).astype(np.int64)
    offsets -= lowest
    counts = np.bincount(offsets)
    present = counts.nonzero()[0]
    np.copyto(front(values, present.shape), present + lowest, casting="unsafe")
    rank = np.add.accumulate(counts != 0, dtype=np.intp) - 1 if inverse else counts[:0]
    return present.shape, rank.take(offsets) if inverse else rank, counts[present]


def _sorted_groups(x: Array, values: Array) -> tuple[Shape, Array, Array]:
    """`_unique` of numbers in order without the inverse: no place has to be kept."""
    ordered = np.sort(x.reshape(-1))
    fresh = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    starts = fresh.nonzero()[0]
    found = ordered[starts]
    if found.dtype.kind == "f":
        zero = (found == 0).nonzero()[0]
        found[zero] = x.reshape(-1)[(x.reshape(-1) == 0).argmax()] if zero.size else 0  # the first of 0.0 and -0.0
    np.copyto(front(values, found.shape), found)
    return found.shape, starts[:0], np.diff(starts, append=ordered.size)


def _unique(x: Array, axis: int | None, in_order: bool, outputs: Outputs, wants_inverse: bool = True) -> tuple[Shape, Array, Array]:
    """Writes the unique elements and returns their dims, the inverse (of no elements if it is not wanted) and the counts."""
    if axis is None and in_order:
        found = _counted(x, outputs[0], wants_inverse)
        if found is None and not wants_inverse and x.dtype.kind in "iuf" and x.dtype not in HALVES:
            found = _sorted_groups(x, outputs[0])
        if found is not None:
            return found
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    places, inverse, counts = _groups(rows, in_order)
    values = raw(rows)[places]
    values = values if axis is None else np.moveaxis(values, 0, axis)
    np.copyto(front(raw(outputs[0]), values.shape), values)
    return values.shape, inverse, counts


def _put(out: Array, value: Array) -> Shape:
    np.copyto(front(out, value.shape), value, casting="unsafe")
    return value.shape


def _unique_axis(inputs: Inputs, x: Array) -> int | None:
    axis = ints(inputs[1], "axis")
    return axis_of(axis[0], x.ndim) if axis else None


@kernel("Unique")
def _unique_first(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    dims, inverse, _ = _unique(needs(inputs[0], "x"), None, False, outputs)
    return [dims, _put(outputs[1], inverse)]


@kernel("UniqueExt2")
def _unique_ext2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x = needs(inputs[0], "x")
    dims, inverse, _ = _unique(x, _unique_axis(inputs, x), False, outputs)
    return [dims, _put(outputs[1], inverse)]


@kernel("UniqueWithCounts")
def _unique_with_counts(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    dims, inverse, counts = _unique(needs(inputs[0], "x"), None, False, outputs)
    return [dims, _put(outputs[1], inverse), _put(outputs[2], counts)]


@kernel("UniqueWithCountsExt2")
def _unique_with_counts_ext2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x = needs(inputs[0], "x")
    dims, inverse, counts = _unique(x, _unique_axis(inputs, x), attrs["sorted"], outputs, attrs["return_inverse"])
    wanted = inverse if attrs["return_inverse"] else inverse[:0]
    return [dims, _put(outputs[1], inverse), _put(outputs[2], counts), _put(outputs[3], wanted)]


@kernel("UniqueWithCountsAndSorting")
def _unique_and_sorting(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x = needs(inputs[0], "x")
    dims, inverse, counts = _unique(x, None, attrs["sorted"], outputs, attrs["return_inverse"])
    shape = _put(outputs[1], inverse.reshape(x.shape) if attrs["return_inverse"] else inverse[:0])
    return [dims, shape, _put(outputs[2], counts if attrs["return_counts"] else counts[:0])]


@kernel("UniqueConsecutive")
def _unique_consecutive(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x = needs(inputs[0], "x")
    axis = None if attrs["axis"] == FLATTENED else axis_of(attrs["axis"], x.ndim)
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    flat = wide(rows).reshape(rows.shape[0], prod(rows.shape[1:]))
    fresh = np.ones(len(flat), np.bool_)
    differ = flat[1:] != flat[:-1]
    fresh[1:] = differ[:, 0] if flat.shape[1] == 1 else differ.any(axis=1)
    starts = np.nonzero(fresh)[0]
    values = raw(rows)[starts]
    values = values if axis is None else np.moveaxis(values, 0, axis)
    inverse = np.cumsum(fresh) - 1 if attrs["return_idx"] else starts[:0]
    inverse = inverse.reshape(x.shape) if axis is None and attrs["return_idx"] else inverse
    return [
        _put(raw(outputs[0]), values),
        _put(outputs[1], inverse),
        _put(outputs[2], np.diff(starts, append=len(flat)) if attrs["return_counts"] else starts[:0]),
    ]


def _unique_shape(x: Meta, axis: list[int] | None) -> tuple[Out, int]:
    """The first output, and the length of the axis (-1 unknown)."""
    if axis is None or (unknown(x) and axis):
        return Out(x.dtype, UNKNOWN_RANK), -1
    if not axis:
        high = -1 if unknown(x) else count(x.shape)
        return bounded(x.dtype, high), high
    at = axis_of(axis[0], len(x.shape))
    if not x.shape:
        raise ValueError("a 0-d input has no axis")
    shape = (*x.shape[:at], -1, *x.shape[at + 1 :])
    ranges = tuple((0, x.shape[at]) if i == at else ((dim, dim) if dim >= 0 else (0, -1)) for i, dim in enumerate(shape))
    return Out(x.dtype, shape, ranges), x.shape[at]


@infer("Unique", "UniqueExt2", "UniqueWithCounts", "UniqueWithCountsExt2")
def _unique_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    first, length = _unique_shape(inputs[0], known_ints(inputs[1]) if len(inputs) > 1 else [])
    dtype = type_code(attrs["out_idx"])
    outs = [first, Out(dtype, (length,)), bounded(dtype, length)]
    if "return_inverse" in attrs:
        outs.append(Out(dtype, (length,) if attrs["return_inverse"] else (-1,)))
    return outs[:num_outputs]


@infer("UniqueWithCountsAndSorting")
def _unique_and_sorting_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The prototype leaves the dtype of the indices to the caller."""
    first, length = _unique_shape(inputs[0], [])
    inverse = Out(-1, inputs[0].shape) if attrs["return_inverse"] else Out(-1, UNKNOWN_RANK)
    return [first, inverse, bounded(-1, length) if attrs["return_counts"] else Out(-1, UNKNOWN_RANK)]


@infer("UniqueConsecutive")
def _unique_consecutive_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    flat = attrs["axis"] == FLATTENED
    first, length = _unique_shape(x, [] if flat else [attrs["axis"]])
    inverse = Out(-1, (x.shape if flat else (length,)) if attrs["return_idx"] else UNKNOWN_RANK)
    return [first, inverse, bounded(-1, length) if attrs["return_counts"] else Out(-1, UNKNOWN_RANK)]


# Searching and counting


def _search(sequence: Array, values: Array, sorter: Array | None, right: bool, out: Array) -> None:
    side: Any = "right" if right else "left"
    rows = order_key(sequence if sorter is None else np.take_along_axis(sequence, sorter, -1))
    wanted = order_key(values)
    if rows.ndim == 1:
        _search_row(rows, wanted, right, out)
        return
    target = out.reshape(-1, out.shape[-1])
    for at, (row, value) in enumerate(zip(rows.reshape(-1, rows.shape[-1]), wanted.reshape(-1, wanted.shape[-1]), strict=True)):
        np.copyto(target[at], np.searchsorted(row, value, side), casting="unsafe")


def _search_row(row: Array, wanted: Array, right: bool, out: Array) -> None:
    """Places in one row: integers of a small range by a table of it, else by halving, on several threads."""
    if row.dtype.kind in "iu" and row.size and wanted.size > _LONG:
        lowest, highest = int(row.min()), int(row.max())
        if highest - lowest <= wanted.size + row.size and -(1 << 62) < lowest <= highest < 1 << 62:
            below = np.zeros(highest - lowest + 2, np.intp)
            np.add.accumulate(np.bincount(row.astype(np.intp) - lowest), out=below[1:])
            offsets = np.clip(wanted, lowest, highest).astype(np.intp)
            offsets -= lowest
            if right:
                offsets += 1
            found = below.take(offsets)
            found[wanted < lowest] = 0
            found[wanted > highest] = row.size
            np.copyto(out, found, casting="unsafe")
            return
    flat, target = wanted.reshape(-1), out.reshape(-1)

    side: Any = "right" if right else "left"
    ordered = row.dtype.itemsize == 4 and row.size >= _FEW and flat.size > _SHARED

    def some(start: int, stop: int) -> None:
        for first in range(start, stop, _TOGETHER):
            sought, place = flat[first : min(first + _TOGETHER, stop)], target[first : min(first + _TOGETHER, stop)]
            if ordered:  # one after the other in order, each halving begins where the last one ended
                packed = _packed(sought)
                packed.sort()
                keys = (packed >> packed.dtype.type(32)).astype(row.dtype)
                place[_places(packed)] = np.searchsorted(row, keys, side)
            else:
                np.copyto(place, np.searchsorted(row, sought, side), casting="unsafe")

    shared(flat.size, some, flat.size > _SHARED)


@binder("SearchSorted")
def _bind_search(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    sequence, values = needs(inputs[0], "sorted_sequence"), needs(inputs[1], "values")
    return _search, (sequence, values, inputs[2] if len(inputs) > 2 else None, attrs["right"], outputs[0])


@infer("SearchSorted")
def _search_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    sequence, values = inputs[:2]
    if sequence.dtype != values.dtype:
        raise ValueError("sorted_sequence and values differ in dtype")
    if not unknown(sequence) and not unknown(values) and len(sequence.shape) != 1:
        if len(sequence.shape) != len(values.shape) or not sequence.shape:
            raise ValueError(f"a sorted_sequence of shape {list(sequence.shape)} does not fit values of shape {list(values.shape)}")
        for have, want in zip(sequence.shape[:-1], values.shape[:-1], strict=True):
            same(have, want, "the leading dims of sorted_sequence and values")
    return [Out(type_code(attrs["dtype"]), values.shape)]


def _tally(x: Array, low: float, high: float, bins: int) -> Array:
    """Counts in equal bins; the last one holds its upper bound too, what lies outside is not counted."""
    flat = x.reshape(-1).astype(np.float64)
    if low == high == 0 and flat.size:
        low, high = float(flat.min()), float(flat.max())
    if low == high:
        low, high = low - 1, high + 1
    if not low < high:
        raise ValueError(f"min {low} is not below max {high}")
    flat = flat[(flat >= low) & (flat <= high)]
    place = ((flat - low) * (bins / (high - low))).astype(np.intp)
    return np.bincount(np.minimum(place, bins - 1), minlength=bins)


@kernel("Histogram")
def _histogram(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    tally = _tally(needs(inputs[0], "x"), attrs["min"], attrs["max"], attrs["bins"])
    np.copyto(outputs[0], as_is(outputs[0], tally), casting="unsafe")


@infer("Histogram")
def _histogram_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Counts have the dtype of the input, float32 for float16 (no float16 output in the prototype)."""
    dtype = inputs[0].dtype
    return [Out(int(DataType.FLOAT) if dtype == DataType.FLOAT16 else dtype, (attrs["bins"],))]


@kernel("HistogramV2")
def _histogram_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    low, high = (float(needs(array, "min and max").reshape(-1)[0]) for array in inputs[1:3])
    tally = _tally(needs(inputs[0], "x"), low, high, attrs["bins"])
    np.copyto(outputs[0], as_is(outputs[0], tally), casting="unsafe")


@infer("HistogramV2")
def _histogram_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(_INT32, (attrs["bins"],))]


@kernel("HistogramFixedWidth")
def _histogram_fixed(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Values outside the range count in the first and the last bin (TensorFlow)."""
    low, high = (float(item) for item in needs(inputs[1], "range").reshape(-1))
    bins = one_int(inputs[2], "nbins")
    if not low < high or bins <= 0:
        raise ValueError(f"range [{low}, {high}] and {bins} bins make no histogram")
    scaled = np.floor((needs(inputs[0], "x").reshape(-1).astype(np.float64) - low) * (bins / (high - low)))
    tally = np.bincount(np.clip(scaled, 0, bins - 1).astype(np.intp), minlength=bins)
    np.copyto(outputs[0], as_is(outputs[0], tally), casting="unsafe")


@infer("HistogramFixedWidth")
def _histogram_fixed_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    bins = known_ints(inputs[2])
    return [Out(_INT32, (bins[0] if bins else -1,))]


@kernel("Bincount")
def _bincount(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Values at or above the size are not counted, negative ones are an error (TensorFlow)."""
    array, size, out = needs(inputs[0], "array").reshape(-1), one_int(inputs[1], "size"), outputs[0]
    weights = inputs[2] if len(inputs) > 2 else None
    if array.size and int(array.min()) < 0:
        raise ValueError("array has a negative element")
    weights = None if weights is None or weights.size == 0 else weights.reshape(-1)
    if array.size and int(array.max()) >= size:
        kept = array < size
        array, weights = array[kept], None if weights is None else weights[kept]
    if weights is not None and weights.dtype.kind in "iu" and weights.size:
        first = weights[0]
        if (weights != first).any():
            out.fill(0)
            np.add.at(out, array, weights)
            return
        np.multiply(np.bincount(array, minlength=size), first, out=out, casting="unsafe")
        return
    np.copyto(out, np.bincount(array, weights, size), casting="unsafe")


@infer("Bincount")
def _bincount_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    size = known_ints(inputs[1])
    return [Out(inputs[2].dtype if len(inputs) > 2 else -1, (size[0] if size else -1,))]
