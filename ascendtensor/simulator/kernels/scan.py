"""Running sums, products and extremes."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import registry, rules
from ascendtensor.simulator.kernels.blocks import BLOCK
from ascendtensor.simulator.kernels.halves import HALVES, float32_of, narrow, store, widen
from ascendtensor.simulator.kernels.operands import raw
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Task, binder, infer
from ascendtensor.simulator.kernels.sorting import order_key
from ascendtensor.simulator.kernels.threads import shared

_SHORT = 512  # float32 sums of more elements than this run in float64
_FEW = 4096  # up to here a sum is not worth more than two calls
_SEGMENT = 1 << 20  # elements of a row's segments, which threads share; of shorter ones they would wait for each other
_RUN = 1 << 15  # elements that are summed up at a time
_LINES = 12288  # the same of lines side by side: scratch of this length comes from the heap, not from fresh pages

_BROAD = 64  # lines side by side from which a call for all of them is quicker than NumPy's loop over each

infer("Cumsum", "Cumprod")(rules.unary)


@infer("Cummax", "Cummin")
def extreme_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Values like x, and indices of one shape with it (int32 or int64, as the output description says)."""
    values = rules.unary(inputs, attrs, num_outputs)[0]
    return [values, values._replace(dtype=-1)]


def _axis(value: Any, rank: int) -> int:
    axes = rules.normal_axes(rules.integers(value), rank)
    if rank and len(axes) != 1:
        raise ValueError(f"one axis is run along, not {len(axes)}")
    return axes[0] if axes else 0


def _bind_scan(ufunc: np.ufunc, inputs: list[Array], out: Array, attrs: Attrs) -> Task:
    x = inputs[0]
    axis = _axis(inputs[1], x.ndim)
    exclusive, reverse = bool(attrs.get("exclusive", False)), bool(attrs.get("reverse", False))
    plain = x.ndim > 0 and not exclusive and not reverse
    if plain and x.dtype not in HALVES and not (x.dtype == np.float32 and ufunc is np.add and x.shape[axis] > _SHORT):
        inner = math.prod(x.shape[axis + 1 :])
        if x.size and inner >= _BROAD and x.dtype == out.dtype:
            form = -1, x.shape[axis], inner
            return _run_over_lines, (ufunc, x.reshape(form), out.reshape(form))
        return ufunc.accumulate, (x, axis, out.dtype, out)
    row = x.ndim == 1 and ufunc is np.add and x.size > _SHORT
    if plain and row and x.flags.c_contiguous and out.flags.c_contiguous:
        return _accumulate_row, (x, out)
    return _scan, (ufunc, x, axis, exclusive, reverse, out)


def _run_over_lines(ufunc: np.ufunc, x: Array, out: Array) -> None:
    """Along the middle of three axes, all of the last at once."""
    for lines, results in zip(x, out, strict=True):
        np.copyto(results[0], lines[0])
        found = list(results)
        for before, line, result in zip(found, lines[1:], found[1:], strict=False):
            ufunc(before, line, result)


def _scan(ufunc: np.ufunc, x: Array, axis: int, exclusive: bool, reverse: bool, out: Array) -> None:
    """Any form of a running sum or product; halves in float32."""
    if x.size == 0:
        return
    shape = x.shape or (1,)
    wide = np.moveaxis(float32_of(x).reshape(shape), axis, -1)
    if reverse:
        wide = wide[..., ::-1]
    direct = out.dtype == wide.dtype
    result = out.reshape(shape) if direct else np.empty(shape, wide.dtype)
    target = np.moveaxis(result, axis, -1)
    if reverse:
        target = target[..., ::-1]
    if exclusive:
        first = wide.dtype.type(ufunc.identity)
        if np.may_share_memory(wide, target):
            wide = wide.copy()
        target[..., :1] = first
        wide, target = wide[..., :-1], target[..., 1:]
    _accumulate(ufunc, wide, target)
    if not direct:
        store(result.reshape(out.shape), out)


def _accumulate(ufunc: np.ufunc, wide: Array, target: Array) -> None:
    """Along the last axis; long float32 sums are carried in float64, so that their error does not grow with the length."""
    length = wide.shape[-1]
    if ufunc is not np.add or wide.dtype != np.float32 or length <= _SHORT:
        if length:
            ufunc.accumulate(wide, -1, wide.dtype, target)
        return
    if wide.flags.c_contiguous and target.flags.c_contiguous:
        rows, sums = wide.reshape(-1, length), target.reshape(-1, length)
        paired = len(rows) // 2 * 2 if length <= _RUN else 0
        _accumulate_pairs(rows[:paired], sums[:paired])
        for row, result in zip(rows[paired:], sums[paired:], strict=True):
            _accumulate_row(row, result)
        return
    if wide.ndim > 1 and wide.shape[-2] >= _BROAD:
        for outer in np.ndindex(*wide.shape[:-2]):
            _accumulate_side_by_side(wide[outer].T, target[outer].T)
        return
    step = max(16, _LINES // length)
    for outer in np.ndindex(*wide.shape[:-2]):
        lines, results = (wide[outer], target[outer]) if wide.ndim > 1 else (wide[None], target[None])
        for start in range(0, lines.shape[0], step):
            piece = lines[start : start + step].T
            np.copyto(results[start : start + step].T, np.add.accumulate(piece, 0, np.float64), casting="unsafe")


def _accumulate_pairs(rows: Array, results: Array) -> None:
    """An even number of rows, two at a time, as the parts of complex numbers: see `_accumulate_halves`."""
    step = max(1, _RUN // rows.shape[1])
    pairs, sums = np.empty((2, step, rows.shape[1]), np.complex128)
    for start in range(0, len(rows), 2 * step):
        piece, target = rows[start : start + 2 * step], results[start : start + 2 * step]
        half = len(piece) // 2
        np.copyto(pairs.real[:half], piece[:half])
        np.copyto(pairs.imag[:half], piece[half:])
        np.add.accumulate(pairs[:half], 1, None, sums[:half])
        np.copyto(target[:half], sums.real[:half], casting="unsafe")
        np.copyto(target[half:], sums.imag[:half], casting="unsafe")


def _accumulate_side_by_side(lines: Array, results: Array) -> None:
    """Along the first of two axes, all of the second at once."""
    length, width = lines.shape
    step = max(1, BLOCK // width)
    work = np.empty((min(step, length) + 1, width))
    work[0] = -0.0
    sums = list(work)
    for start in range(0, length, step):
        piece = lines[start : start + step]
        count = len(piece)
        np.copyto(work[1 : count + 1], piece)
        for before, line in itertools.pairwise(sums[: count + 1]):
            np.add(before, line, line)
        np.copyto(results[start : start + count], work[1 : count + 1], casting="unsafe")
        np.copyto(work[0], work[count])


def _accumulate_row(row: Array, result: Array) -> None:
    """A long one in segments, whose sums come first: then they do not wait for one another."""
    if row.size <= _FEW:
        np.copyto(result, np.add.accumulate(float32_of(row), 0, np.float64), casting="unsafe")
        return
    segments = row.size // _SEGMENT
    if segments <= 1:
        _accumulate_segment(row, result, -0.0)
        return
    limits = [row.size * index // segments for index in range(segments + 1)]
    sums = [float(np.add.reduce(row[start:stop], None, np.float64)) for start, stop in itertools.pairwise(limits[:-1])]
    carries = list(itertools.accumulate(sums, initial=-0.0))

    def some(first: int, last: int) -> None:
        for index in range(first, last):
            _accumulate_segment(row[limits[index] : limits[index + 1]], result[limits[index] : limits[index + 1]], carries[index])

    shared(segments, some, True)


def _accumulate_segment(row: Array, result: Array, carry: float) -> None:
    length = -(-row.size // -(-row.size // _RUN))  # pieces of about one length
    pairs, sums = np.empty((length + 1) // 2, np.complex128), np.empty((length + 1) // 2, np.complex128)
    wide = np.empty(length, np.float32) if row.dtype in HALVES else None
    for start in range(0, row.size, length):
        piece, target = row[start : start + length], result[start : start + length]
        if wide is None:
            carry = _accumulate_halves(piece, target, pairs, sums, carry)
        else:
            floats = wide[: piece.size]
            widen(piece, floats)
            carry = _accumulate_halves(floats, floats, pairs, sums, carry)
            narrow(floats, target)


def _accumulate_halves(row: Array, result: Array, pairs: Array, sums: Array, carry: float) -> float:
    """Two halves of a row at a time, as the parts of complex numbers: each sum waits for the one before, but those of two halves do not.

    Returns:
        The sum of all.
    """
    half = (row.size + 1) // 2
    rest = row.size - half
    begun, found = pairs.view(np.float64), sums.view(np.float64)
    begun[: 2 * half : 2] = row[:half]
    begun[1 : 2 * rest : 2] = row[half:]
    begun[0] += carry
    np.add.accumulate(pairs[:half], 0, None, sums[:half])  # in place NumPy would copy first
    carry = found.item(2 * half - 2)
    result[:half] = found[: 2 * half : 2]
    if not rest:
        return carry
    np.add(found[1 : 2 * rest : 2], carry, result[half:], casting="unsafe")
    return carry + found.item(2 * rest - 1)


@binder("Cumsum", values=(1,))
def cumsum(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """Running sum along ``axis``; ``exclusive`` leaves the element itself out, ``reverse`` runs from the end."""
    return _bind_scan(np.add, inputs, outputs[0], attrs)


@binder("Cumprod", values=(1,))
def cumprod(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """Running product along ``axis``."""
    return _bind_scan(np.multiply, inputs, outputs[0], attrs)


def _extreme_binder(ufunc: np.ufunc, attr: str) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        x = inputs[0]
        return _running_extreme, (ufunc, x, _axis([int(attrs[attr])], x.ndim), outputs)

    return bind


registry.add("Cummax", _extreme_binder(np.maximum, "dim"))
registry.add("Cummin", _extreme_binder(np.minimum, "axis"))


def _running_extreme(ufunc: np.ufunc, x: Array, axis: int, outputs: list[Array]) -> None:
    """Values and the last index each was met at; a NaN stays until the next one."""
    if x.size == 0:
        return
    shape = x.shape or (1,)
    form = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    numbers, values, indices = (array.reshape(form) for array in (x, *outputs))
    rows = max(1, BLOCK // (form[1] * form[2]))

    def some(start: int, stop: int) -> None:
        for row in range(start, stop, rows):
            at = slice(row, min(row + rows, stop))
            _extremes_of_lines(ufunc, numbers[at], values[at], indices[at])

    shared(form[0], some, x.size > _SEGMENT // 4)


def _extremes_of_lines(ufunc: np.ufunc, x: Array, values: Array, indices: Array) -> None:
    """Along the middle of three axes; lines of one column in pieces that stay in the cache."""
    rows, length, inner = x.shape
    narrow_keys = x.dtype.itemsize < 8
    step = max(1, BLOCK // rows) if inner == 1 and narrow_keys else length
    carry: Array | None = None
    for start in range(0, length, step):
        piece = x[:, start : start + step]
        key, places = _extreme_keys(ufunc, piece), np.arange(start, start + piece.shape[1])[:, None]
        if narrow_keys:  # with their places in one number: of equal ones the later is larger
            key = np.left_shift(key, 32, dtype=np.int64)
            key |= places
            if carry is not None:
                np.maximum(key[:, :1], carry, out=key[:, :1])
            top = np.maximum.accumulate(key, 1)
            carry = top[:, -1:].copy()
            top &= 0xFFFFFFFF
        else:
            top = np.maximum.accumulate(np.multiply(places, np.maximum.accumulate(key, 1) == key), 1)
        np.copyto(indices[:, start : start + step], top, casting="unsafe")
        if inner > 1:
            top *= inner
            top += np.arange(inner)
        if rows > 1:
            top += np.arange(0, rows * length * inner, length * inner)[:, None, None]
        np.copyto(raw(values)[:, start : start + step], raw(x).reshape(-1).take(top, mode="clip"))


def _extreme_keys(ufunc: np.ufunc, x: Array) -> Array:
    """Integers whose largest one is the extreme: running ones of 64 bits take a third of the time of floats."""
    key = order_key(x, ufunc is np.minimum)
    if ufunc is np.minimum and x.dtype.kind not in "iub":
        nan = x != x
        if nan.any():
            key[nan] = np.iinfo(key.dtype).max
    return key.astype(np.int64) - (1 << 31) if key.dtype == np.uint32 else key
