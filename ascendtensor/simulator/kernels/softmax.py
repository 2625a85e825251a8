"""Softmax, its logarithm and their gradients, in windows that stay in the cache. Half types are computed in float32 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import rules
from ascendtensor.simulator.kernels.blocks import BLOCK, Steps
from ascendtensor.simulator.kernels.halves import HALVES, lend, narrow, widen
from ascendtensor.simulator.kernels.normalization import LONG, SHARED, column_of_ones, row_sums
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Shape, Task, binder, infer
from ascendtensor.simulator.kernels.threads import shared

_PLAIN_BLOCK: Final = 1 << 18
"""Elements of a window that nothing is converted in."""
_SHARED_PLAIN: Final = 1 << 19
"""From so many elements on, threads pay then: with fewer they wait for each other between the passes."""

infer("LogSoftmaxV2")(rules.unary)


@infer("SoftmaxV2")
def softmax_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like x; ``half_to_float`` makes float32 of float16."""
    wide = bool(attrs.get("half_to_float", False)) and inputs[0].dtype == DataType.FLOAT16
    return rules.of(DataType.FLOAT if wide else inputs[0].dtype, inputs[0].shape)


@infer("SoftmaxGrad")
def softmax_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like both inputs."""
    return rules.of(rules.same_dtype(inputs[:2]), rules.broadcast(inputs[0].shape, inputs[1].shape))


@infer("LogSoftmaxGrad")
def log_softmax_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like both inputs."""
    return rules.of(rules.same_dtype(inputs[:2]), rules.broadcast(inputs[0].shape, inputs[1].shape))


def _totals(y: Array) -> Array:
    """Sums over the second axis, which stays."""
    if y.ndim != 2:
        total: Array = np.add.reduce(y, axis=1, keepdims=True)
    else:
        total = np.empty((y.shape[0], 1), y.dtype)
        row_sums(y, total)()
    return total


def _softmax(out: Array, x: Array) -> None:
    np.subtract(x, np.maximum.reduce(x, axis=1, keepdims=True), out)
    np.exp(out, out)
    np.divide(out, _totals(out), out)


def _log_softmax(out: Array, x: Array) -> None:
    np.subtract(x, np.maximum.reduce(x, axis=1, keepdims=True), out)
    total = _totals(np.exp(out))
    np.subtract(out, np.log(total, total), out)


def _softmax_grad(out: Array, y: Array, dy: Array) -> None:
    np.multiply(y, dy, out)
    np.subtract(dy, np.add.reduce(out, axis=1, keepdims=True), out)
    np.multiply(out, y, out)


def _log_softmax_grad(out: Array, dy: Array, y: Array) -> None:
    total = np.add.reduce(dy, axis=1, keepdims=True)
    np.exp(y, out)
    np.multiply(out, total, out)
    np.subtract(dy, out, out)


def _bind_rows(steps: Steps, inputs: list[Array], out: Array, axes: tuple[int, ...]) -> Task:
    """Prepares steps over (outer, reduced, inner) pieces; other axes are brought into that form by a transposed view."""
    if out.size == 0:
        return _nothing, ()
    rank = out.ndim
    chosen = rules.normal_axes(axes, rank) or tuple(range(rank))
    if chosen != tuple(range(chosen[0], chosen[0] + len(chosen))) if chosen else False:
        others = tuple(axis for axis in range(rank) if axis not in chosen)
        order = others + chosen
        return _run_rows, (steps, [x.transpose(order) for x in inputs], out.transpose(order), len(others), len(chosen))
    first = chosen[0] if chosen else 0
    if _fits(inputs, out):
        # in the cache and of one dtype: the steps themselves, on (outer, reduced[, inner]) views
        form = _form(out.shape, first, len(chosen))
        form = form[:2] if form[2] == 1 else form
        if len(form) == 2 and max(form) <= LONG and steps in (_softmax, _log_softmax):
            return _few_rows(inputs[0].reshape(form), out.reshape(form), steps is _log_softmax), ()
        return steps, (out.reshape(form), *(x.reshape(form) for x in inputs))
    return _run_rows, (steps, inputs, out, first, len(chosen))


def _few_rows(x: Array, out: Array, logarithm: bool) -> Callable[[], None]:
    """The same on matrices, all views made. Where the largest element is, is found in half the time that the element takes."""
    flat, starts, total = x.reshape(-1), np.arange(0, x.size, x.shape[1]), np.empty((x.shape[0], 1), x.dtype)
    rows, ones, sums = out[:, None, :], column_of_ones(x.shape[1], x.dtype), total[:, None]

    def softmax() -> None:
        np.subtract(x, flat[x.argmax(1) + starts][:, None], out)
        np.exp(out, out)
        np.matmul(rows, ones, sums)
        np.divide(out, total, out)

    def log_softmax() -> None:
        np.subtract(x, flat[x.argmax(1) + starts][:, None], out)
        np.matmul(np.exp(rows), ones, sums)
        np.log(total, total)
        np.subtract(out, total, out)

    return log_softmax if logarithm else softmax


def _fits(inputs: list[Array], out: Array) -> bool:
    arrays = [out, *inputs]
    one = all(x.dtype == out.dtype and x.shape == out.shape and x.flags.c_contiguous for x in arrays) and out.dtype not in HALVES
    return one and out.size <= BLOCK and not any(np.may_share_memory(x, out) for x in inputs)


def _form(shape: Shape, first: int, count: int) -> Shape:
    """(outer, reduced, inner) sizes."""
    return math.prod(shape[:first]), math.prod(shape[first : first + count]), math.prod(shape[first + count :])


def _nothing() -> None:
    """The work of an empty output."""


def _run_rows(steps: Steps, inputs: list[Array], out: Array, first: int, count: int) -> None:
    """Runs ``steps`` piece by piece on (outer, reduced, inner) arrays in the cache."""
    shape = out.shape
    form = _form(shape, first, count)
    outer, length = form[:2]
    target = out.reshape(form) if out.flags.c_contiguous else np.empty(form, out.dtype)
    sources = [x.reshape(form) for x in inputs]
    work = np.dtype(np.float32) if sources[0].dtype in HALVES else sources[0].dtype
    plain = target.dtype == work and sources[0].dtype == work
    block = _PLAIN_BLOCK if plain else BLOCK
    rows = max(1, block // (length * form[2]))
    columns = form[2] if rows > 1 or length * form[2] <= block else max(1024, block // length)
    windows = [
        (slice(row, row + rows), slice(None), slice(column, column + columns))
        for row in range(0, outer, rows)
        for column in range(0, form[2], columns)
    ]

    def some(first: int, last: int) -> None:
        for window in windows[first:last]:
            _one_window(steps, [x[window] for x in sources], target[window], work)

    if target.size < (_SHARED_PLAIN if plain else SHARED):
        some(0, len(windows))
    else:
        shared(len(windows), some, True)
    if target.base is not out and not np.may_share_memory(target, out):
        np.copyto(out, target.reshape(shape))


def _one_window(steps: Steps, pieces: list[Array], target: Array, work: np.dtype[np.float32]) -> None:
    direct = target.dtype == work and not any(np.may_share_memory(piece, target) for piece in pieces)
    room = lend(target.size, sum(piece.dtype != work for piece in pieces) + (not direct), work)
    free, operands = iter(room.arrays), []
    for piece in pieces:
        if piece.dtype != work:
            wide = next(free).reshape(piece.shape)
            widen(piece, wide)
            piece = wide
        operands.append(piece[..., 0] if piece.shape[2] == 1 else piece)
    if direct:
        steps(target[..., 0] if target.shape[2] == 1 else target, *operands)
    else:
        computed = next(free).reshape(target.shape)
        steps(computed[..., 0] if target.shape[2] == 1 else computed, *operands)
        narrow(computed, target)
    room.give_back()


@binder("SoftmaxV2")
def softmax_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = exp(x - max) / sum(exp(x - max)) over ``axes``."""
    return _bind_rows(_softmax, inputs, outputs[0], rules.integers(attrs.get("axes", [-1])))


@binder("LogSoftmaxV2")
def log_softmax_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """logsoftmax = x - max - log(sum(exp(x - max))) over ``axes``."""
    return _bind_rows(_log_softmax, inputs, outputs[0], rules.integers(attrs.get("axes", [-1])))


@binder("SoftmaxGrad")
def softmax_grad(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """grad_x = softmax * (grad - sum(grad * softmax)) over ``axes``."""
    return _bind_rows(_softmax_grad, inputs, outputs[0], rules.integers(attrs.get("axes", [-1])))


@binder("LogSoftmaxGrad")
def log_softmax_grad(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = grad - exp(x) * sum(grad) over ``axis``."""
    return _bind_rows(_log_softmax_grad, inputs, outputs[0], rules.integers(attrs.get("axis", [-1])))
