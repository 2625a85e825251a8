"""Normalisation, in blocks of rows that stay in the cache. Half types are computed in float32 and rounded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from math import prod
from typing import Any, Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.blocks import BLOCK
from ascendtensor.simulator.kernels.halves import HALVES, lend, narrow, store, widen
from ascendtensor.simulator.kernels.operands import apart, dims_of, needs, same, unknown, wide
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
    layout,
)
from ascendtensor.simulator.kernels.threads import SMALL_VECTOR, shared

layout("NCHW", "BatchNormV3", "BNInfer")

SHARED: Final = 1 << 18
"""From so many elements on, threads pay where a piece takes long: conversions, exponentials."""
_SHARED_PLAIN: Final = 1 << 21
"""The same where every step is one quick pass: threads then wait for each other between the passes."""
_PLAIN_BLOCK: Final = 1 << 19
"""Elements of a piece that nothing is converted in: a few long passes over a cache that cores share cost less than many short ones."""

# Rows: what is normalised is one row of a matrix


class _Rows:
    """Pieces of some rows of x and y, as wide arrays: a half piece is converted on the way in and out."""

    def __init__(self, x: Array, y: Array, first: int, last: int) -> None:
        self.x, self.y = x, y
        self.first, self.last = first, last
        self.work = np.dtype(np.float32) if x.dtype in HALVES else x.dtype
        converts, writes = x.dtype != self.work, y.dtype != self.work or np.may_share_memory(x, y)
        self.step = max(1, (BLOCK if converts or writes else _PLAIN_BLOCK) // max(1, x.shape[1]))
        shape = (min(self.step, last - first), x.shape[1])
        self.room = lend(prod(shape), converts + writes, self.work)
        self.scratch = self.room.arrays[0].reshape(shape) if converts else None
        self.written = self.room.arrays[converts].reshape(shape) if writes else None

    def __iter__(self) -> Iterator[tuple[slice, Array, Array]]:
        """The rows, their operand, and where their result goes; after the body has written that, it is stored."""
        for start in range(self.first, self.last, self.step):
            rows = slice(start, min(start + self.step, self.last))
            piece, count = self.x[rows], rows.stop - start
            if self.scratch is not None:
                widen(piece, self.scratch[:count])
                piece = self.scratch[:count]
            if self.written is None:
                yield rows, piece, self.y[rows]
                continue
            target = self.written[:count]
            yield rows, piece, target
            if self.y.dtype in HALVES:
                narrow(target, self.y[rows])
            else:
                np.copyto(self.y[rows], target)
        self.room.give_back()


class _Params:
    """Scale and shift of the elements of rows: the same for each row, or those of the row's group."""

    def __init__(self, gamma: Array | None, beta: Array | None, groups: int = 1) -> None:
        self.gamma, self.beta = _table(gamma, 1, groups), _table(beta, 0, groups)
        self.groups = groups

    def apply(self, y: Array, rows: slice) -> None:
        """Scales and shifts rows of y in place."""
        for ufunc, table in ((np.multiply, self.gamma), (np.add, self.beta)):
            if table is None:
                continue
            if self.groups == 1:
                values, target = table, y.reshape(len(y), table.shape[1], -1) if table.shape[1] != y.shape[1] else y
                values = values[:, :, None] if target.ndim == 3 else values
            else:
                values = table[np.arange(rows.start, rows.stop) % self.groups][:, :, None]
                target = y.reshape(len(y), table.shape[1], -1)
            ufunc(target, values.astype(y.dtype, copy=False), target)


def _table(array: Array | None, neutral: int, groups: int) -> Array | None:
    """Parameters by group; None for those that change nothing, which the frontend fills in where there are none."""
    return None if array is None or _changes_nothing(array, neutral) else wide(array).reshape(groups, -1)


def _changes_nothing(array: Array, neutral: int) -> bool:
    return not array.size or (array.item(0) == neutral and bool((array == neutral).all()))


LONG: Final = 2048
"""Rows up to here are summed up by the matrix library, twice as fast as NumPy; longer ones pairwise, so that the error does not grow."""


@lru_cache(maxsize=16)
def column_of_ones(count: int, dtype: np.dtype[Any]) -> Array:
    """What a row is multiplied by to be summed up."""
    ones = np.ones((count, 1), dtype)
    ones.flags.writeable = False
    return ones


def row_sums(x: Array, out: Array) -> Callable[[], Any]:
    """What writes the sum of each row of a matrix into a column."""
    if x.shape[1] > LONG or x.dtype.kind != "f":
        return partial(np.add.reduce, x, 1, None, out, True)
    return partial(np.matmul, x[:, None, :], column_of_ones(x.shape[1], x.dtype), out[:, None])


def _row_squares(x: Array, out: Array) -> Callable[[], Any]:
    """What writes the sum of the squares of each row into a vector."""
    if x.shape[1] > SMALL_VECTOR:
        return partial(np.einsum, "ij,ij->i", x, x, out=out)
    # a dot product for each row, too short for the matrix library to spread
    return partial(np.matmul, x[:, None, :], x[:, :, None], out[:, None, None])


def _centred(x: Array, y: Array, mean: Array, variance: Array, scale: Array, epsilon: float) -> Callable[[], None]:
    """What makes y of the rows of x less their mean over their deviation, all views made.

    Args:
        x, y: Matrices.
        mean, variance, scale: Vectors for the means, the variances and one over the deviations; the last two may be one.
        epsilon: Added to the variance.
    """
    length, least = np.array(x.shape[1], x.dtype), np.array(epsilon, x.dtype)
    column, factor = mean[:, None], scale[:, None]
    sums, squares = row_sums(x, column), _row_squares(y, variance)

    def run() -> None:
        sums()
        np.divide(mean, length, mean)
        np.subtract(x, column, y)
        squares()
        np.divide(variance, length, variance)
        np.add(variance, least, scale)
        np.sqrt(scale, scale)
        np.reciprocal(scale, scale)
        np.multiply(y, factor, y)

    return run


def _over_root(x: Array, y: Array, scale: Array, epsilon: float) -> Callable[[], None]:
    """What makes y of the rows of x over the root of their mean square, all views made; one over the root goes into a vector."""
    length, least = np.array(x.shape[1], x.dtype), np.array(epsilon, x.dtype)
    factor, squares = scale[:, None], _row_squares(x, scale)

    def run() -> None:
        squares()
        np.divide(scale, length, scale)
        np.add(scale, least, scale)
        np.sqrt(scale, scale)
        np.reciprocal(scale, scale)
        np.multiply(x, factor, y)

    return run


def _normalise(x: Array, y: Array, params: _Params, epsilon: float, statistics: Outputs, inverse: bool) -> None:
    """Rows less their mean over their deviation; writes the mean, and the variance or (``inverse``) one over the deviation."""
    center, spread = (array.reshape(-1) for array in statistics)

    def some(rows: slice, piece: Array, out: Array) -> None:
        mean, scale = np.empty(len(out), out.dtype), np.empty(len(out), out.dtype)
        variance = scale if inverse else np.empty(len(out), out.dtype)
        _centred(piece, out, mean, variance, scale, epsilon)()
        params.apply(out, rows)
        store(mean, center[rows])
        store(variance, spread[rows])

    _run(x, y, some)


def _run_rms_norm(x: Array, gamma: Array, y: Array, inverse: Array, epsilon: float) -> None:
    params = _Params(gamma, None)

    def some(rows: slice, piece: Array, out: Array) -> None:
        scale = np.empty(len(out), out.dtype)
        _over_root(piece, out, scale, epsilon)()
        params.apply(out, rows)
        store(scale, inverse[rows])

    _run(x, y, some)


def _at_once(x: Array, y: Array, *others: Array) -> bool:
    """True if rows are worked on where they are, in one piece in the cache, with everything of one dtype."""
    one = x.dtype not in HALVES and all(array.dtype == x.dtype for array in (y, *others))
    return one and 0 < x.size <= BLOCK and not np.may_share_memory(x, y)


def _then_scaled(run: Callable[[], None], y: Array, gamma: Array, beta: Array | None) -> None:
    """The parameters are looked at only now: they are written before this runs, not before it is bound."""
    run()
    if not _changes_nothing(gamma, 1):
        np.multiply(y, gamma, y)
    if beta is not None and not _changes_nothing(beta, 0):
        np.add(y, beta, y)


def _run(x: Array, y: Array, some: Callable[[slice, Array, Array], None]) -> None:
    """Rows piece by piece; worth several threads where there are many elements."""

    def work(first: int, last: int) -> None:
        for rows, piece, out in _Rows(x, y, first, last):
            some(rows, piece, out)

    if x.size >= (SHARED if x.dtype in HALVES else _SHARED_PLAIN):
        shared(x.shape[0], work, True)
    elif x.size <= BLOCK and x.dtype == y.dtype and x.dtype not in HALVES and not np.may_share_memory(x, y):
        some(slice(0, x.shape[0]), x, y)
    else:
        work(0, x.shape[0])


def _matrix(array: Array, axis: int) -> Array:
    """The dims from an axis on as rows."""
    return array.reshape(prod(array.shape[:axis]), prod(array.shape[axis:]))


# Layer normalisation


def _norm_axis(axis: int, rank: int) -> int:
    if not -rank <= axis <= rank or (axis == rank and rank):
        raise ValueError(f"begin_norm_axis {axis} is out of range for {rank} dims")
    return axis % rank if rank else 0


def _bind_layer_norm(op_type: str, inverse: bool) -> None:
    @binder(op_type)
    def _bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
        x = needs(inputs[0], "x")
        axis = _norm_axis(attrs["begin_norm_axis"], x.ndim)
        if _norm_axis(attrs["begin_params_axis"], x.ndim) != axis:
            raise ValueError("begin_params_axis is not begin_norm_axis, which no kernel is for")
        gamma, beta = needs(inputs[1], "gamma"), needs(inputs[2], "beta")
        for array in (gamma, beta):
            if array.size != prod(x.shape[axis:]):
                raise ValueError(f"gamma or beta of shape {list(array.shape)} is not {list(x.shape[axis:])}")
        return _layer_norm(x, gamma, beta, outputs, axis, attrs["epsilon"], inverse)

    @infer(op_type)
    def _rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
        """The statistics have the dtype of gamma (legal rows of the 910B)."""
        x, gamma = inputs[:2]
        if unknown(x):
            return [Out(x.dtype, UNKNOWN_RANK), *[Out(gamma.dtype, UNKNOWN_RANK)] * 2]
        axis = _norm_axis(attrs["begin_norm_axis"], len(x.shape))
        return [Out(x.dtype, x.shape), *[Out(gamma.dtype, x.shape[:axis] + (1,) * (len(x.shape) - axis))] * 2]


def _layer_norm(x: Array, gamma: Array | None, beta: Array | None, outputs: Outputs, axis: int, epsilon: float, inverse: bool) -> Task:
    rows, y = _matrix(x, axis), _matrix(outputs[0], axis)
    center, spread = (array.reshape(-1) for array in outputs[1:3])
    if gamma is None or beta is None or not _at_once(rows, y, gamma, beta, center, spread):
        return _run_layer_norm, (rows, gamma, beta, y, outputs[1:3], epsilon, inverse)
    run = _centred(rows, y, center, spread, spread if inverse else np.empty_like(spread), epsilon)
    return _then_scaled, (run, y, gamma.reshape(-1), beta.reshape(-1))


def _run_layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, y: Array, statistics: Outputs, epsilon: float, inverse: bool
) -> None:
    if x.size:
        _normalise(x, y, _Params(gamma, beta), epsilon, statistics, inverse)


_bind_layer_norm("LayerNorm", inverse=False)
_bind_layer_norm("LayerNormV3", inverse=True)


@binder("LayerNormV4", values=(1,))
def _layer_norm_v4(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, shape = needs(inputs[0], "x"), tuple(needs(inputs[1], "normalized_shape").reshape(-1).tolist())
    if not shape or x.shape[-len(shape) :] != shape:
        raise ValueError(f"normalized_shape {list(shape)} does not end shape {list(x.shape)}")
    gamma, beta = (inputs[index] if index < len(inputs) else None for index in (2, 3))
    return _layer_norm(x, gamma, beta, outputs, x.ndim - len(shape), attrs["epsilon"], True)


@infer("LayerNormV4")
def _layer_norm_v4_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The statistics are float32 (legal rows of the 910B)."""
    x, shape = inputs[0], dims_of(inputs[1])
    gamma = next((meta.dtype for meta in inputs[2:] if not meta.absent), -1)
    if unknown(x) or shape == UNKNOWN_RANK:
        return [Out(x.dtype, x.shape), *[Out(gamma, UNKNOWN_RANK)] * 2]
    kept = max(len(x.shape) - len(shape), 0)
    return [Out(x.dtype, x.shape), *[Out(gamma, x.shape[:kept] + (1,) * (len(x.shape) - kept))] * 2]


# Root mean square


@binder("RmsNorm")
def _rms_norm(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, gamma = needs(inputs[0], "x"), needs(inputs[1], "gamma")
    axis = x.ndim - gamma.ndim
    rows, y, scale = _matrix(x, axis), _matrix(outputs[0], axis), outputs[1].reshape(-1)
    if not _at_once(rows, y, gamma, scale):
        return _run_rms_norm, (rows, gamma, y, scale, attrs["epsilon"])
    return _then_scaled, (_over_root(rows, y, scale, attrs["epsilon"]), y, gamma.reshape(-1), None)


@infer("RmsNorm")
def _rms_norm_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """gamma has the last dims of x; one over the root is float32."""
    x, gamma = inputs[:2]
    if gamma.dtype not in (x.dtype, int(DataType.FLOAT)):
        raise ValueError("gamma has neither the dtype of x nor float32")
    if unknown(x) or unknown(gamma):
        return [Out(x.dtype, x.shape), Out(int(DataType.FLOAT), UNKNOWN_RANK)]
    axis = len(x.shape) - len(gamma.shape)
    if axis < 0 or not gamma.shape:
        raise ValueError(f"gamma of shape {list(gamma.shape)} does not fit x of shape {list(x.shape)}")
    for left, right in zip(x.shape[axis:], gamma.shape, strict=True):
        same(left, right, "the last dims of x and gamma")
    return [Out(x.dtype, x.shape), Out(int(DataType.FLOAT), x.shape[:axis] + (1,) * len(gamma.shape))]


# Groups of channels


@kernel("GroupNormSilu")
def _group_norm_silu(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, groups = needs(inputs[0], "x"), int(attrs["num_groups"])
    gamma, beta = (inputs[index] if index < len(inputs) else None for index in (1, 2))
    if not x.size:
        return
    rows = x.shape[0] * groups
    y = outputs[0].reshape(rows, -1)
    _normalise(x.reshape(rows, -1), y, _Params(gamma, beta, groups), attrs["eps"], outputs[1:3], True)
    if attrs["activate_silu"]:
        values = wide(outputs[0])
        store(values / (1 + np.exp(-values)), outputs[0])


@infer("GroupNormSilu")
def _group_norm_silu_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Statistics of each group of each sample, of the dtype of x."""
    x, groups = inputs[0], int(attrs["num_groups"])
    for meta in inputs[1:]:
        if not meta.absent and meta.dtype not in (x.dtype, int(DataType.FLOAT)):
            raise ValueError("gamma or beta has neither the dtype of x nor float32")
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK), *[Out(x.dtype, (-1, groups))] * 2]
    if len(x.shape) < 2 or groups < 1 or (x.shape[1] >= 0 and x.shape[1] % groups):
        raise ValueError(f"shape {list(x.shape)} has no channels that make {groups} groups")
    for meta in inputs[1:]:
        if not meta.absent and not unknown(meta):
            same(prod(meta.shape), x.shape[1], "the parameters and channels") if -1 not in meta.shape else None
    return [Out(x.dtype, x.shape), *[Out(x.dtype, (x.shape[0], groups))] * 2]


# Channels over a batch


def _windows(shape: Shape, block: int = BLOCK) -> Iterator[tuple[slice, slice]]:
    """Pieces of (batch, channels, elements) that fit the cache: whole samples, or some channels of one."""
    batch, channels, length = shape
    samples = max(1, block // max(1, channels * length))
    width = channels if samples > 1 else max(1, min(channels, block // max(1, length)))
    for start in range(0, batch, samples):
        for first in range(0, channels, width):
            yield slice(start, start + samples), slice(first, first + width)


_FEW = 128
"""Samples whose float32 sums may be added up as they are."""
_SHORT = 8
"""Elements of a channel up to which a call for each channel costs more than its sum."""


def _sums(x: Array, center: Array | None) -> Array:
    """Sums of each channel in float64, or of the squared distances from a center."""
    total = np.zeros(x.shape[1])
    for samples, channels in _windows(x.shape):
        piece = wide(np.ascontiguousarray(x[samples, channels]))
        rows = np.empty((*piece.shape[:2], 1), piece.dtype)
        if center is not None:
            piece = np.subtract(piece, center[None, channels, None].astype(piece.dtype))
        if piece.shape[2] <= _SHORT:  # one element of each after the other
            if center is not None:
                np.square(piece, piece)
            rows = np.array(piece[..., :1])
            for place in range(1, piece.shape[2]):
                np.add(rows, piece[..., place : place + 1], rows)
        elif piece.shape[2] > LONG:
            rows = np.add.reduce(piece if center is None else np.square(piece, piece), axis=2)
        else:  # by the matrix library
            np.matmul(
                piece[:, :, None], column_of_ones(piece.shape[2], piece.dtype) if center is None else piece[..., None], rows[..., None]
            )
        total[channels] += np.add.reduce(rows.reshape(piece.shape[:2]), axis=0, dtype=np.float64 if len(rows) > _FEW else None)
    return total


_NEAR: Final = 8
"""Deviations of a channel's mean from 0 up to which the difference of products has the digits of the product of the difference."""


def _scaled(x: Array, y: Array, center: Array, inverse: Array, weight: Array, shift: Array) -> None:
    """y = (x - center) * inverse * weight + shift by channels; as one product and one sum for each element where that loses no digits.

    The inverse, one by the deviation, is of float64.
    """
    work = np.dtype(np.float32) if x.dtype in HALVES else x.dtype
    from_zero, scale = center * inverse, inverse * wide(weight)
    near = bool((np.absolute(from_zero) <= _NEAR).all())
    given = (scale, shift - center * scale) if near else (center, scale, shift)
    steps = (np.subtract, np.multiply, np.add)[-len(given) :]
    params = [array.astype(work, copy=False).reshape(1, -1, 1) for array in given]
    for samples, channels in _windows(x.shape, 2 * BLOCK):
        piece, target = wide(x[samples, channels]), y[samples, channels]
        out = np.empty(piece.shape, work) if target.dtype != work else target
        for ufunc, param in zip(steps, params, strict=True):
            ufunc(piece, param[:, channels], out)
            piece = out
        if out is not target:
            store(out, target)


def _by_channel(array: Array) -> Array:
    """(batch, channels, height, width) and the like as three dims."""
    return array.reshape(*array.shape[:2], -1) if array.size else array.reshape(*array.shape[:2], 0)


@kernel("BatchNormV3")
def _batch_norm_v3(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Training: the batch's statistics, which move the running ones (unbiased variance); else the running ones."""
    x, weight, bias, mean_before, variance_before = (needs(array, "an input") for array in inputs[:5])
    image = _by_channel(x)
    if attrs["is_training"]:
        count = image.shape[0] * image.shape[2]
        mean = _sums(image, None) / max(count, 1)
        variance = _sums(image, mean) / max(count, 1)
        momentum = attrs["momentum"]
        unbiased = variance * (count / (count - 1)) if count > 1 else np.full_like(variance, np.nan)
        moved = ((mean_before, mean), (variance_before, unbiased))
        for out, (before, value) in zip(outputs[1:3], moved, strict=True):
            np.copyto(out, before * (1 - momentum) + value * momentum, casting="unsafe")
    else:
        mean, variance = mean_before.astype(np.float64), variance_before.astype(np.float64)
        for out, before in zip(outputs[1:3], (mean_before, variance_before), strict=True):
            if apart(out, before):
                np.copyto(out, before)
    inverse = 1 / np.sqrt(variance + attrs["epsilon"])
    np.copyto(outputs[3], mean, casting="unsafe")
    np.copyto(outputs[4], inverse, casting="unsafe")
    _scaled(image, _by_channel(outputs[0]), mean, inverse, weight, wide(bias))


@infer("BatchNormV3")
def _batch_norm_v3_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if inputs[1].dtype != inputs[2].dtype or inputs[1].dtype not in (x.dtype, int(DataType.FLOAT)):
        raise ValueError("weight and bias have neither the dtype of x nor float32")
    channels = _channels(inputs)
    return [Out(x.dtype, x.shape), *[Out(int(DataType.FLOAT), (channels,))] * 4]


def _channels(inputs: list[Meta]) -> int:
    """The number of channels, the same for all inputs."""
    channels = -1
    if not unknown(inputs[0]):
        if len(inputs[0].shape) not in (4, 5):
            raise ValueError(f"shape {list(inputs[0].shape)} is no image of 4 or 5 dims")
        channels = inputs[0].shape[1]
    for meta in inputs[1:]:
        if not unknown(meta):
            if len(meta.shape) != 1:
                raise ValueError(f"a parameter of shape {list(meta.shape)} is no vector over channels")
            channels = same(meta.shape[0], channels, "channels")
    return channels


@kernel("BNInfer")
def _bn_infer(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """y = scale * (x - mean) / sqrt(variance + epsilon) + offset."""
    x, scale, offset, mean, variance = (needs(array, "an input") for array in inputs[:5])
    inverse = 1 / np.sqrt(variance.astype(np.float64) + attrs["epsilon"])
    _scaled(_by_channel(x), _by_channel(outputs[0]), mean, inverse, scale, offset)


@infer("BNInfer")
def _bn_infer_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if any(meta.dtype != int(DataType.FLOAT) for meta in inputs[1:]):
        raise ValueError("scale, offset, mean and variance are float32")
    _channels(inputs)
    return [Out(inputs[0].dtype, inputs[0].shape)]
