"""Reductions over axes, arguments of extremes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import half_bits, registry, rules
from ascendtensor.simulator.kernels.blocks import BLOCK
from ascendtensor.simulator.kernels.halves import HALVES, float32_of, lend, store, widen
from ascendtensor.simulator.kernels.masks import clear
from ascendtensor.simulator.kernels.operands import raw
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Meta, Out, Shape, Task, binder, infer

_FLOAT64 = np.dtype(np.float64)
_NEAR = 1024  # rows that are added one after the other before partial sums are added: keeps float32 sums accurate
_COLUMNS = 64  # up to so many columns, rows are reduced several side by side
_ITEMS = 16  # up to so many elements, lines are reduced column by column
_LINES = 4096  # so many such lines at a time
_PIECE = 8192  # squares that the matrix library adds up, on one thread
_WORTH = 16384  # elements of an array from which the order of work is looked at

Axes = tuple[int, ...]


# --- shape rules -----------------------------------------------------------------------------------------------------


def _reduce_out(meta: Meta, axes: Axes | None, keep: bool, dtype: int) -> Out:
    if axes is None:
        shape, ranges = rules.reduced_unknown(meta.shape, keep)
        return Out(dtype, shape, ranges)
    if meta.shape == UNKNOWN_RANK:
        return Out(dtype, UNKNOWN_RANK)
    shape = rules.reduced(meta.shape, rules.normal_axes(axes, len(meta.shape)), keep)
    return Out(dtype, shape, rules.broadcast_ranges(shape))


@infer("ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceAll", "ReduceAny", "ReduceLogSumExp", "ReduceLogSum", "ReduceNansum",
       "EuclideanNorm")  # fmt: skip
def reduce_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Axes from the second input; an empty list reduces nothing."""
    value = inputs[1].value
    axes = None if value is None else rules.integers(value)
    return [_reduce_out(inputs[0], axes, bool(attrs.get("keep_dims", False)), inputs[0].dtype)]


@infer("ReduceMean")
def reduce_mean_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """As ReduceSum; without ``noop_with_empty_axes`` an empty list reduces every axis."""
    value, shape = inputs[1].value, inputs[0].shape
    axes = None if value is None else _mean_axes(rules.integers(value), shape, attrs)
    return [_reduce_out(inputs[0], axes, bool(attrs.get("keep_dims", False)), inputs[0].dtype)]


def _mean_axes(axes: Axes, shape: Shape, attrs: Attrs) -> Axes:
    if not axes and not attrs.get("noop_with_empty_axes", True) and shape != UNKNOWN_RANK:
        return tuple(range(len(shape)))
    return axes


def _attr_axes(value: Any, rank: int) -> Axes:
    """Axes of a list attribute, all where it is empty."""
    return rules.normal_axes(rules.integers(value), rank) or tuple(range(rank))


@infer("LpNormV2", "LpNorm")
def norm_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Axes from an attribute, all where it is empty."""
    shape = inputs[0].shape
    axes = () if shape == UNKNOWN_RANK else _attr_axes(attrs.get("axes", []), len(shape))
    return [_reduce_out(inputs[0], axes, bool(attrs.get("keepdim", False)), inputs[0].dtype)]


@infer("ReduceStd", "ReduceStdWithMean")
def std_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Axes from ``dim``, all where it is empty; ReduceStd gives the deviation and the mean."""
    shape = inputs[0].shape
    axes = () if shape == UNKNOWN_RANK else _attr_axes(attrs.get("dim", []), len(shape))
    out = _reduce_out(inputs[0], axes, bool(attrs.get("keepdim", False)), inputs[0].dtype)
    return [out] * (1 if len(inputs) == 2 else 2)


@infer("ArgMaxV2", "ArgMin")
def arg_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The shape without ``dimension``, in the dtype of the attribute."""
    value = inputs[1].value
    axes = None if value is None else rules.integers(value)
    return [_reduce_out(inputs[0], axes, False, rules.type_code(attrs.get("dtype", "int64")))]


@infer("ArgMaxWithValue", "ArgMinWithValue")
def arg_value_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Indices (int32 or int64, as the output description says) and values."""
    out = _reduce_out(inputs[0], (int(attrs["dimension"]),), bool(attrs.get("keep_dims", False)), inputs[0].dtype)
    return [out._replace(dtype=-1), out]


# --- sums and products -----------------------------------------------------------------------------------------------


def _flat_form(shape: Shape, axes: Axes) -> tuple[int, int, int] | None:
    """(outer, reduced, inner) sizes where the reduced axes lie next to one another, else None."""
    moving = [axis for axis in axes if shape[axis] != 1]
    if not moving:
        return math.prod(shape), 1, 1
    first, last = moving[0], moving[-1]
    if any(shape[axis] != 1 and axis not in moving for axis in range(first, last)):
        return None
    return math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])


def _fold_halves(ufunc: np.ufunc, x: Array, axes: Axes, transform: Callable[[Array], Any] | None = None) -> Array:
    """Reduces a half array in float32, converting pieces that stay in the cache; result without the axes."""
    result_shape = rules.reduced(x.shape, axes, False)
    form = _flat_form(x.shape, axes)
    if form is None or x.size <= BLOCK or not x.flags.c_contiguous:
        wide = float32_of(x)
        if transform is not None:
            transform(wide)
        return np.asarray(ufunc.reduce(wide, axis=axes, dtype=np.float32))
    outer, length, inner = form
    cube = x.reshape(form)
    result = np.empty((outer, inner), np.float32)
    rows = max(1, BLOCK // (length * inner))
    columns = min(inner, BLOCK)
    steps = length if rows > 1 else max(1, BLOCK // columns)
    scratch = np.empty(max(rows * min(length, steps) * columns, 1), np.float32)
    for row in range(0, outer, rows):
        for column in range(0, inner, columns):
            partial: list[Array] = []
            for step in range(0, length, steps):
                piece = cube[row : row + rows, step : step + steps, column : column + columns]
                wide = scratch[: piece.size].reshape(piece.shape)
                widen(piece, wide)
                if transform is not None:
                    transform(wide)
                partial.append(ufunc.reduce(wide, axis=1))
            target = result[row : row + rows, column : column + columns]
            np.copyto(target, partial[0] if len(partial) == 1 else ufunc.reduce(np.stack(partial), axis=0))
    return result.reshape(result_shape)


def _half_reduction(ufunc: np.ufunc, x: Array, axes: Axes, count: int, out: Array) -> None:
    """Divided by the count where that is not 1."""
    total = _fold_halves(ufunc, x, axes)
    store((np.divide(total, np.float32(count)) if count != 1 else total).reshape(out.shape), out)


def _one_piece(ufunc: np.ufunc, x: Array, axes: Axes | int, count: int, out: Array) -> None:
    """The same for an array of one piece."""
    room = lend(x.size, 1)
    wide = room.arrays[0].reshape(x.shape)
    widen(x, wide)
    total = ufunc.reduce(wide, axes)
    if count != 1:
        total = np.divide(total, np.float32(count))
    room.give_back()
    store(np.asarray(total).reshape(out.shape), out)


def _bind_half_reduction(ufunc: np.ufunc, x: Array, axes: Axes, count: int, out: Array) -> Task:
    if x.flags.c_contiguous and 0 < x.size <= BLOCK:
        return _one_piece, (ufunc, x, axes[0] if len(axes) == 1 else axes, count, out)
    return _half_reduction, (ufunc, x, axes, count, out)


def _long_columns(ufunc: np.ufunc, x: Array, out: Array) -> None:
    """Sums a (outer, length, inner) array over a long middle axis through partial sums, for accuracy."""
    outer, length, inner = x.shape
    whole = length // _NEAR * _NEAR
    part = ufunc.reduce(x[:, :whole].reshape(outer, -1, _NEAR, inner), axis=2)
    total = ufunc.reduce(part, axis=1)
    if whole < length:
        ufunc(total, ufunc.reduce(x[:, whole:], axis=1), out=total)
    np.copyto(out, total.reshape(out.shape))


def _few_columns(ufunc: np.ufunc, x: Array, out: Array) -> None:
    """A long middle axis of (outer, length, inner) with few columns: rows of several, side by side, first."""
    outer, length, inner = x.shape
    together = _NEAR // inner
    whole = length // together * together
    part = np.empty((outer, together, inner), out.dtype)
    side = part.reshape(outer, 1, together * inner)
    wide = x[:, :whole].reshape(outer, whole // together, together * inner)
    if wide.shape[1] >= 4 * _NEAR and ufunc in (np.add, np.multiply):
        _long_columns(ufunc, wide, side)
    else:
        ufunc.reduce(wide, 1, out.dtype, side, keepdims=True)
    if whole < length:
        rest = ufunc.reduce(x[:, whole:], 1, out.dtype, keepdims=True)
        ufunc(part[:, :1], rest, out=part[:, :1])
    ufunc.reduce(part, 1, out.dtype, out.reshape(outer, inner))


def _short_lines(ufunc: np.ufunc, x: Array, out: Array) -> None:
    """Many short lines, (lines, length): one element of each after the other, since a call for each line costs more than its elements."""
    for start in range(0, x.shape[0], _LINES):
        lines, target = x[start : start + _LINES], out[start : start + _LINES]
        np.copyto(target, lines[:, 0])
        for column in range(1, x.shape[1]):
            ufunc(target, lines[:, column], out=target)


def _bind_reduction(ufunc: np.ufunc, x: Array, axes: Axes, keep: bool, out: Array) -> Task:
    """Prepares a reduction: one ``ufunc.reduce`` wherever that is exact enough and no other way is quicker."""
    if x.dtype in HALVES:
        return _bind_half_reduction(ufunc, x, axes, 1, out)
    if x.size > _WORTH and x.flags.c_contiguous and out.flags.c_contiguous and ufunc not in (np.logical_and, np.logical_or):
        form = _flat_form(x.shape, axes)
        if form is not None:
            outer, length, inner = form
            least = 1 if ufunc is np.multiply else 2  # NumPy adds a line up in several sums, but multiplies in one product
            if least <= inner <= _COLUMNS and length * inner >= 4 * _NEAR:
                return _few_columns, (ufunc, x.reshape(form), out)
            if inner == 1 and 1 < length <= _ITEMS:
                return _short_lines, (ufunc, x.reshape(outer, length), out.reshape(outer))
            if inner > 1 and length >= 4 * _NEAR and x.dtype.kind == "f" and ufunc in (np.add, np.multiply):
                return _long_columns, (ufunc, x.reshape(form), out)
    return ufunc.reduce, (x, axes if len(axes) != 1 else axes[0], out.dtype, out, keep)


def _arguments(inputs: list[Array], attrs: Attrs) -> tuple[Array, Axes, bool]:
    return inputs[0], rules.normal_axes(rules.integers(inputs[1]), inputs[0].ndim), bool(attrs.get("keep_dims", False))


def _reducer(op_type: str, ufunc: np.ufunc) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        x, axes, keep = _arguments(inputs, attrs)
        if ufunc.identity is None and x.size == 0 and outputs[0].size:
            raise ValueError(f"{op_type}: an empty axis has no extreme")
        return _bind_reduction(ufunc, x, axes, keep, outputs[0])

    return bind


_REDUCERS: dict[str, np.ufunc] = {
    "ReduceSum": np.add,
    "ReduceProd": np.multiply,
    "ReduceMax": np.maximum,
    "ReduceMin": np.minimum,
    "ReduceAll": np.logical_and,
    "ReduceAny": np.logical_or,
}
for _name, _ufunc in _REDUCERS.items():
    registry.add(_name, _reducer(_name, _ufunc), values=(1,))


def _count(x: Array, axes: Axes) -> int:
    return math.prod(x.shape[axis] for axis in axes)


@binder("ReduceMean", values=(1,))
def reduce_mean(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = sum(x) / count; integers divide towards zero."""
    x, out = inputs[0], outputs[0]
    axes = rules.normal_axes(_mean_axes(rules.integers(inputs[1]), x.shape, attrs), x.ndim)
    count = _count(x, axes)
    if x.dtype in HALVES:
        return _bind_half_reduction(np.add, x, axes, count, out)
    if x.dtype.kind in "iu":
        return _integer_mean, (x, axes, count, out)
    fn, args = _bind_reduction(np.add, x, axes, bool(attrs.get("keep_dims", False)), out)
    return _then_divide, (fn, args, out, out.real.dtype.type(count))


def _then_divide(fn: Callable[..., Any], args: tuple[Any, ...], out: Array, count: Any) -> None:
    fn(*args)
    np.divide(out, count, out)


def _integer_mean(x: Array, axes: Axes, count: int, out: Array) -> None:
    total = np.asarray(np.add.reduce(x, axis=axes, dtype=np.int64 if x.dtype.kind == "i" else np.uint64))
    size = np.absolute(total) // max(count, 1)
    np.copyto(out, (np.sign(total) * size).reshape(out.shape) if x.dtype.kind == "i" else size.reshape(out.shape), casting="unsafe")


# --- norms and deviations --------------------------------------------------------------------------------------------


def _work(x: Array) -> Array:
    """Floats of at least 32 bits and rank 1: halves as float32, integers as float64."""
    x = x.reshape(x.shape or (1,))
    if x.dtype.kind in "iu":
        return x.astype(_FLOAT64)
    return float32_of(x)


def _finish(value: Any, out: Array) -> None:
    """Writes a computed reduction, with or without the kept axes, into the output; integers truncate."""
    result = np.asarray(value)
    if result.dtype.kind == "c" and out.dtype.kind != "c":
        result = result.real
    store(result.reshape(out.shape), out)


@binder("ReduceLogSumExp", values=(1,))
def reduce_log_sum_exp(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log(sum(exp(x))), from the largest element."""
    x, axes, _ = _arguments(inputs, attrs)
    return _log_sum_exp, (x, axes, outputs[0])


def _log_sum_exp(x: Array, axes: Axes, out: Array) -> None:
    wide = _work(x)
    if x.size == 0:
        out.fill(-np.inf)
        return
    top = np.maximum.reduce(wide, axis=axes, keepdims=True)
    shift = np.where(np.isfinite(top), top, wide.dtype.type(0))
    total = np.subtract(wide, shift)
    np.exp(total, total)
    _finish(np.log(np.add.reduce(total, axis=axes, keepdims=True)) + shift, out)


@binder("ReduceLogSum", values=(1,))
def reduce_log_sum(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log(sum(x))."""
    x, axes, _ = _arguments(inputs, attrs)
    return _log_sum, (x, axes, outputs[0])


def _log_sum(x: Array, axes: Axes, out: Array) -> None:
    _finish(np.log(np.add.reduce(_work(x), axis=axes)), out)


@binder("ReduceNansum", values=(1,))
def reduce_nansum(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = sum(x) with NaN as 0."""
    x, axes, _ = _arguments(inputs, attrs)
    return _nansum, (x, axes, outputs[0])


def _nansum(x: Array, axes: Axes, out: Array) -> None:
    form = _flat_form(x.shape, axes)
    if form is None or x.dtype != out.dtype or x.dtype not in (np.float32, _FLOAT64) or not x.flags.c_contiguous or x.size <= _WORTH:
        wide = _work(x)
        _finish(np.add.reduce(np.where(wide == wide, wide, wide.dtype.type(0)), axis=axes), out)
        return
    outer, length, inner = form
    cube, rows, steps = x.reshape(form), max(1, BLOCK // (length * inner)), max(1, BLOCK // inner)
    for row in range(0, outer, rows):
        parts = []
        for step in range(0, length, steps):
            known = cube[row : row + rows, step : step + steps].copy()
            clear(known, known != known)
            parts.append(np.add.reduce(known, 1))
        target = out.reshape(outer, inner)[row : row + rows]
        np.copyto(target, parts[0] if len(parts) == 1 else np.add.reduce(np.stack(parts), 0))


@binder("EuclideanNorm", values=(1,))
def euclidean_norm(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = sqrt(sum(|x|²)); integers truncate."""
    x, axes, _ = _arguments(inputs, attrs)
    return _euclidean, (x, axes, outputs[0])


def _euclidean(x: Array, axes: Axes, out: Array) -> None:
    if x.dtype in HALVES:
        _finish(np.sqrt(_fold_halves(np.add, x, axes, _square)), out)
        return
    wide = _work(x)
    square = np.multiply(wide, np.conjugate(wide)).real if wide.dtype.kind == "c" else np.multiply(wide, wide)
    _finish(np.sqrt(np.add.reduce(square, axis=axes)), out)


@binder("LpNormV2", "LpNorm")
def lp_norm(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = sum(|x|^p)^(1/p), at least ``epsilon``; p 0 counts non-zeros, +-inf (or the int32 limits) takes extremes."""
    x = inputs[0]
    axes = _attr_axes(attrs.get("axes", []), x.ndim)
    p = float(attrs.get("p", 2.0))
    if abs(p) >= 2147483647:
        p = math.copysign(math.inf, p)
    if math.isinf(p) and x.size == 0 and outputs[0].size:
        raise ValueError("LpNorm: an empty axis has no extreme")
    epsilon, out = float(attrs.get("epsilon", 1e-12)), outputs[0]
    if p == 2 and x.dtype.kind == "f" and x.dtype not in HALVES and out.dtype == x.dtype and x.size <= BLOCK and out.flags.c_contiguous:
        return _root_of_squares, (x, axes, x.dtype.type(epsilon), out.reshape(rules.reduced(x.shape, axes, False)))
    if p == 2 and x.dtype in (np.float32, _FLOAT64) and out.dtype == x.dtype and x.flags.c_contiguous and out.flags.c_contiguous:
        form = _flat_form(x.shape, axes)
        if form is not None and (form[2] == 1 or form[1] * form[2] <= BLOCK):
            return _blocked_norms, (x.reshape(form), x.dtype.type(epsilon), out.reshape(form[0], form[2]))
    return _lp_norm, (x, axes, p, epsilon, out)


def _root_of_squares(x: Array, axes: Axes, least: Any, out: Array) -> None:
    np.add.reduce(np.multiply(x, x), axis=axes, out=out)
    np.sqrt(out, out)
    np.maximum(out, least, out=out)


def _blocked_norms(x: Array, least: Any, out: Array) -> None:
    """Euclidean norms of lines, (outer, length, inner): squares stay in the cache, those of long lines are never written."""
    outer, length, inner = x.shape
    rows = BLOCK // (length * inner)
    if inner == 1 and _NEAR // 16 <= length <= _PIECE:
        np.matmul(x.reshape(outer, 1, length), x, out.reshape(outer, 1, 1))
    elif rows:
        room = np.empty((min(rows, outer), length, inner), x.dtype)
        for row in range(0, outer, rows):
            lines = x[row : row + rows]
            squares = np.multiply(lines, lines, room[: lines.shape[0]])
            fn, args = _bind_reduction(np.add, squares, (1,), False, out[row : row + rows])
            fn(*args)
    else:
        for line, total in zip(x.reshape(outer, length), out, strict=True):
            pieces = (line[start : start + _PIECE] for start in range(0, length, _PIECE))
            total[0] = np.add.reduce(np.array([np.dot(piece, piece) for piece in pieces]))
    np.sqrt(out, out)
    np.maximum(out, least, out=out)


def _square(x: Array) -> None:
    np.multiply(x, x, x)


def _reduced(ufunc: np.ufunc, x: Array, axes: Axes) -> Array:
    result = np.empty(rules.reduced(x.shape, axes, False), x.dtype)
    fn, args = _bind_reduction(ufunc, x, axes, False, result)
    fn(*args)
    return result


def _lp_norm(x: Array, axes: Axes, p: float, epsilon: float, out: Array) -> None:
    if p == 2 and x.dtype in HALVES:
        squares = _fold_halves(np.add, x, axes, _square)
        _finish(np.maximum(np.sqrt(squares, squares), np.float32(epsilon)), out)
        return
    size = np.absolute(_work(x))
    kind = size.dtype.type
    value: Any
    if p == 0:
        value = _reduced(np.add, (size != 0).astype(size.dtype), axes)
    elif math.isinf(p):
        value = _reduced(np.maximum if p > 0 else np.minimum, size, axes)
    elif p == 1:
        value = _reduced(np.add, size, axes)
    elif p == 2:
        value = np.sqrt(np.add.reduce(np.multiply(size, size, size), axis=axes))
    else:
        value = np.power(_reduced(np.add, np.power(size, kind(p), size), axes), kind(1 / p))
    _finish(np.maximum(value, kind(epsilon)), out)


@binder("ReduceStd")
def reduce_std(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y1 = standard deviation, y2 = mean."""
    x = inputs[0]
    axes = _attr_axes(attrs.get("dim", []), x.ndim)
    return _std, (x, None, axes, 1 if attrs.get("unbiased", True) else 0, None, outputs)


@binder("ReduceStdWithMean")
def reduce_std_with_mean(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = standard deviation about a given mean; ``invert`` gives 1 / sqrt(variance + epsilon)."""
    x, mean = inputs
    axes = _attr_axes(attrs.get("dim", []), x.ndim)
    if mean.size == math.prod(rules.reduced(x.shape, axes, True)):
        mean = mean.reshape(rules.reduced(x.shape, axes, True))
    correction = int(attrs.get("correction", 1)) if attrs.get("unbiased", True) else 0
    epsilon = float(attrs.get("epsilon", 0.001)) if attrs.get("invert", False) else None
    return _std, (x, mean, axes, correction, epsilon, outputs)


def _std(x: Array, given: Array | None, axes: Axes, correction: int, epsilon: float | None, outputs: list[Array]) -> None:
    wide = _work(x)
    kind: Any = wide.dtype.type
    count = _count(x, axes)
    mean: Any = np.add.reduce(wide, axis=axes, keepdims=True) / kind(count) if given is None else _work(given)
    square = np.subtract(wide, mean)
    np.multiply(square, square, square)
    variance: Any = np.add.reduce(square, axis=axes, keepdims=True) / kind(max(count - correction, 0))
    _finish(np.sqrt(variance) if epsilon is None else kind(1) / np.sqrt(variance + kind(epsilon)), outputs[0])
    if len(outputs) > 1:
        _finish(mean, outputs[1])


# --- arguments of extremes -------------------------------------------------------------------------------------------


def _bind_arg(function: Callable[..., Any], x: Array, axes: Axes, out: Array) -> Task:
    if len(axes) > 1:
        raise ValueError("one dimension is looked along")
    if x.ndim == 0:
        return out.fill, (0,)
    if x.shape[axes[0]] == 0 and out.size:
        raise ValueError("an empty axis has no extreme")
    if out.size == 0:
        return out.fill, (0,)
    if x.dtype not in HALVES and out.dtype == np.intp and out.flags.c_contiguous:
        return (x.argmax if function is np.argmax else x.argmin), (axes[0], out)
    return _arg, (function, x, axes[0], out)


def _arg(function: Callable[..., Any], x: Array, axis: int, out: Array) -> None:
    if x.ndim == 1 and x.dtype in HALVES:
        place = half_bits.argument(function is np.argmax, x)
        if place is not None:
            out.fill(place)
            return
    if out.dtype == np.intp and out.flags.c_contiguous:
        function(_comparable(x), axis, out)
    else:
        np.copyto(out, function(_comparable(x), axis), casting="unsafe")


def _comparable(x: Array) -> Array:
    """What has its extremes where x has them."""
    places = half_bits.places(x) if x.dtype in HALVES else None
    return float32_of(x) if places is None else places


@binder("ArgMaxV2", values=(1,))
def arg_max(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The first index of the largest element, a NaN before all."""
    return _bind_arg(np.argmax, inputs[0], rules.normal_axes(rules.integers(inputs[1]), inputs[0].ndim), outputs[0])


@binder("ArgMin", values=(1,))
def arg_min(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The first index of the smallest element, a NaN before all."""
    return _bind_arg(np.argmin, inputs[0], rules.normal_axes(rules.integers(inputs[1]), inputs[0].ndim), outputs[0])


@binder("ArgMaxWithValue")
def arg_max_with_value(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The first index of the largest element, and the element."""
    return _with_value(np.argmax, inputs, outputs, attrs)


@binder("ArgMinWithValue")
def arg_min_with_value(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The first index of the smallest element, and the element."""
    return _with_value(np.argmin, inputs, outputs, attrs)


def _with_value(function: Callable[..., Any], inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    x = inputs[0]
    axes = rules.normal_axes((int(attrs["dimension"]),), x.ndim)
    if x.size == 0 and outputs[0].size:
        raise ValueError("an empty axis has no extreme")
    if x.size == 0:
        return outputs[1].fill, (0,)
    axis, shape = axes[0] if axes else 0, x.shape or (1,)
    form = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    places, values = (array.reshape(form[0], form[2]) for array in outputs)
    starts = _line_starts(*form) if values.size <= _KEPT else None
    return _arg_with_value, (function, x.reshape(form), starts, places, raw(values))


_KEPT = 4096  # places of lines that are found once, when the task is bound


def _line_starts(outer: int, length: int, inner: int) -> Array:
    starts: Array = np.arange(0, outer * length * inner, length * inner)[:, None] + np.arange(inner)
    return starts


def _arg_with_value(function: Callable[..., Any], x: Array, starts: Array | None, places: Array, values: Array) -> None:
    found = function(_comparable(x), 1)
    np.copyto(places, found, casting="unsafe")
    if x.shape[2] > 1:
        found *= x.shape[2]
    found += _line_starts(*x.shape) if starts is None else starts
    raw(x).reshape(-1).take(found, None, values, "clip")
