"""Losses. Half types are computed in float32 and rounded once."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.blocks import BLOCK, pieces
from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.heavy import log1p_of_share
from ascendtensor.simulator.kernels.operands import as_is, broadcast, needs, same, unknown, wide
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

Loss = Callable[[list[Array], Attrs], Array]

_PLAIN: Final = frozenset((np.dtype(np.float32), np.dtype(np.float64)))
_SHARED: Final = 1 << 20
"""From so many elements on, threads pay."""


def _given(inputs: Inputs, index: int) -> Array | None:
    array = inputs[index] if index < len(inputs) else None
    return None if array is None else wide(array)


def _put(out: Array, value: Any) -> None:
    array = np.asarray(value)
    store(array if array.shape == out.shape else np.broadcast_to(array, out.shape), out)


# Losses over classes


def _log_softmax(features: Array) -> Array:
    shifted: Array = features - features.max(axis=-1, keepdims=True, initial=-np.inf)
    shifted -= np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return shifted


@kernel("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    features, labels = np.broadcast_arrays(wide(needs(inputs[0], "features")), wide(needs(inputs[1], "labels")))
    logs = _log_softmax(features)
    # A label of 0 takes no part, even of a logarithm that is not finite.
    _put(outputs[0], -np.where(labels == 0, 0, labels * logs).sum(axis=-1))
    _put(outputs[1], np.exp(logs) - labels)


@infer("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    features, labels = inputs
    if features.dtype != labels.dtype:
        raise ValueError("features and labels differ in dtype")
    shape = broadcast(features.shape, labels.shape)
    if shape == UNKNOWN_RANK:
        return [Out(features.dtype, UNKNOWN_RANK)] * 2
    if len(shape) < 2:
        raise ValueError(f"shape {list(shape)} has no batch and classes")
    return [Out(features.dtype, shape[:-1]), Out(features.dtype, shape)]


@kernel("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    features, labels = wide(needs(inputs[0], "features")), needs(inputs[1], "labels")
    _check_classes(labels, features.shape[-1])
    logs = _log_softmax(features)
    places = labels.astype(np.intp)[..., None]
    _put(outputs[0], -np.take_along_axis(logs, places, -1)[..., 0])
    gradient = np.exp(logs)
    np.put_along_axis(gradient, places, np.take_along_axis(gradient, places, -1) - 1, -1)
    _put(outputs[1], gradient)


@infer("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    features, labels = inputs
    if not unknown(features) and not unknown(labels) and len(features.shape) != len(labels.shape) + 1:
        raise ValueError(f"labels of shape {list(labels.shape)} do not fit features of shape {list(features.shape)}")
    return [Out(features.dtype, labels.shape), Out(features.dtype, features.shape)]


def _check_classes(labels: Array, classes: int) -> None:
    # A negative label is a huge unsigned one.
    if labels.size and np.maximum.reduce(labels.view(f"u{labels.itemsize}"), None) >= classes:
        raise IndexError(f"a label is out of range for {classes} classes")


def _class_weights(x: Array, target: Array, weight: Array | None, ignored: int) -> tuple[Array, Array]:
    """Rows of classes to look at, and their weights: 0 where the target is the ignored one."""
    kept = target != ignored
    classes = np.where(kept, target, 0).astype(np.intp, copy=False)
    _check_classes(classes, x.shape[-1])
    factors = kept if weight is None else np.where(kept, weight[classes], 0)
    return classes, factors.astype(x.dtype)


_FEW: Final = 2048
"""Rows up to here are summed up by the matrix library, and have the place of their beginning kept."""


@binder("NLLLoss")
def _nll_loss(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """The mean divides by the sum of weights, which may be 0 (PyTorch then gives NaN)."""
    x, target, weight = needs(inputs[0], "x"), needs(inputs[1], "target"), inputs[2] if len(inputs) > 2 else None
    rows, reduction, ignored = target.size, attrs["reduction"], attrs["ignore_index"]
    arrays = (x, outputs[0], outputs[1]) if weight is None else (x, outputs[0], outputs[1], weight)
    if not 0 < rows <= _FEW or any(array.dtype not in _PLAIN or array.dtype != x.dtype for array in arrays):
        return _any_nll_loss, (x, target, weight, outputs, reduction, ignored)
    each = outputs[0].reshape(-1) if reduction == "none" else None
    mean, classes = each is None and _reduces_to_mean(reduction), x.shape[-1]
    labels, starts = target.reshape(-1), np.arange(0, rows * classes, classes)
    flat, unsigned, ones = x.reshape(-1), labels.view(f"u{target.itemsize}"), np.ones(rows, x.dtype)

    def run() -> None:
        """What is picked is finite and no label out of range or ignored; else as slowly as it takes."""
        if unsigned.item(unsigned.argmax()) < classes:
            picked = flat[starts + labels]
            weights = ones if weight is None else weight[labels]
            if 0 <= ignored < classes:
                weights = weights * (labels != ignored)
            loss, total = -picked.dot(weights), weights.dot(ones)
            if math.isfinite(loss):
                if each is None:
                    outputs[0].fill(loss / total if mean else loss)
                else:
                    np.subtract(0, np.multiply(picked, weights, picked), each)
                outputs[1].fill(total)
                return
        _any_nll_loss(x, target, weight, outputs, reduction, ignored)

    return run, ()


def _any_nll_loss(x: Array, target: Array, weight: Array | None, outputs: Outputs, reduction: str, ignored: int) -> None:
    rows = x.reshape(-1, x.shape[-1])
    classes, factors = _class_weights(wide(rows[:0]), target, None if weight is None else wide(weight), ignored)
    picked = wide(rows[np.arange(rows.shape[0]), classes.reshape(-1)]).reshape(classes.shape)
    losses = np.where(factors == 0, 0, -picked * factors)
    total = factors.sum()
    if reduction == "none":
        _put(outputs[0], losses.reshape(outputs[0].shape))
    else:
        _put(outputs[0], losses.sum() / total if _reduces_to_mean(reduction) else losses.sum())
    _put(outputs[1], total)


def _reduces_to_mean(reduction: str) -> bool:
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction {reduction!r} is none of none, mean, sum")
    return reduction == "mean"


@infer("NLLLoss")
def _nll_loss_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, target = inputs[:2]
    if not unknown(x) and not unknown(target):
        if len(x.shape) not in (1, 2):
            raise ValueError(f"shape {list(x.shape)} is not (classes,) or (batch, classes)")
        if len(x.shape) == 2:
            same(x.shape[0], target.shape[0] if target.shape else 1, "the batch of x and target")
    return [Out(x.dtype, target.shape if attrs["reduction"] == "none" else ()), Out(x.dtype, ())]


@kernel("NLLLossGrad")
def _nll_loss_grad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, gradient, target = wide(needs(inputs[0], "x")), wide(needs(inputs[1], "y_grad")), needs(inputs[2], "target")
    classes, factors = _class_weights(x, target, _given(inputs, 3), attrs["ignore_index"])
    scale: Array = -gradient * factors
    if attrs["reduction"] == "mean":
        scale = scale / wide(needs(inputs[4], "total_weight"))
    result = np.zeros(x.shape, x.dtype)
    place = classes.reshape(*x.shape[:-1], 1)
    np.put_along_axis(result, place, np.where(factors == 0, 0, scale).reshape(place.shape), -1)
    _put(outputs[0], result)


@infer("NLLLossGrad")
def _nll_loss_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, inputs[0].shape)]


# Losses element by element


def _smooth_l1(arrays: list[Array], attrs: Attrs) -> Array:
    """``sigma`` is where the parabola ends (PyTorch's beta)."""
    far: Array = np.abs(arrays[0] - arrays[1])
    kind = far.dtype.type
    sigma = kind(attrs["sigma"])
    if sigma == 0:
        return far
    near = far.clip(kind(0), sigma)  # up to sigma the parabola near * near / 2 / sigma, beyond it far - sigma / 2
    np.subtract(far, near * kind(0.5), far)
    np.multiply(far, near, far)
    if sigma != 1:
        np.divide(far, sigma, far)
    return far


def _squared_error(arrays: list[Array], attrs: Attrs) -> Array:
    error: Array = arrays[0] - arrays[1]
    return np.square(error, error)


def _absolute_error(arrays: list[Array], attrs: Attrs) -> Array:
    if attrs["p"] != 1:
        raise ValueError(f"p {attrs['p']} has no kernel, 1 has")
    error: Array = arrays[0] - arrays[1]
    return np.absolute(error, error)


def _binary_cross_entropy(arrays: list[Array], attrs: Attrs) -> Array:
    """Logarithms are cut at -100, as PyTorch does."""
    x, y = arrays[:2]
    if x.size and not (float(x.min()) >= 0 and float(x.max()) <= 1):
        raise ValueError("x is not within [0, 1]")
    low = x.dtype.type(-100)
    loss: Array = (y - 1) * np.maximum(np.log1p(-x), low) - y * np.maximum(np.log(x), low)
    return loss * arrays[2] if len(arrays) > 2 else loss


def _softplus(x: Array) -> Array:
    """log(1 + exp(x)) without overflow."""
    bend: Array = np.negative(np.absolute(x))
    np.exp(bend, bend)
    log1p_of_share(bend)
    bend += x.clip(0, np.inf)
    return bend


def _logits_loss(x: Array, target: Array, weight: Array | None, positive: Array | None) -> Array:
    tail = _softplus(-x)
    loss: Array = (1 - target) * x + (tail if positive is None else (1 + (positive - 1) * target) * tail)
    return loss if weight is None else loss * weight


def _divergence(arrays: list[Array], attrs: Attrs) -> Array:
    x, target = arrays
    if attrs.get("log_target", False):
        grown: Array = np.exp(target) * (target - x)
        return grown
    loss: Array = np.log(target)
    np.subtract(loss, x, loss)
    np.multiply(loss, target, loss)
    none = target == 0
    if none.any():
        np.copyto(loss, 0, where=none)
    return loss


def _reduced(losses: Array, reduction: str, out: Array, batch: int) -> None:
    if reduction == "none":
        _put(out, as_is(out, losses))
    elif reduction in ("mean", "sum", "batchmean"):
        total = losses.sum()
        size = {"mean": losses.size, "sum": 1, "batchmean": batch}[reduction]
        _put(out, total / losses.dtype.type(size))
    else:
        raise ValueError(f"reduction {reduction!r} is none of none, mean, sum, batchmean")


class _Sums:
    """The sum of the sums of pieces, which NumPy adds up pairwise."""

    def __init__(self) -> None:
        self.total = 0.0
        self.lock = threading.Lock()

    def add(self, value: float) -> None:
        with self.lock:
            self.total += value


def _bind_loss(loss: Loss, arrays: list[Array], attrs: Attrs, out: Array) -> Task:
    """One loss of operands that stay in the cache, or their mean or sum, at once; else in pieces."""
    shape, dtype = np.broadcast_shapes(*(array.shape for array in arrays)), arrays[0].dtype
    size, reduction = math.prod(shape), attrs["reduction"]
    if reduction not in ("mean", "sum") or dtype not in _PLAIN or not 0 < size <= BLOCK or any(array.dtype != dtype for array in arrays):
        return _in_pieces, (loss, arrays, attrs, out)
    return _total_loss, (loss, [array.reshape(array.shape or (1,)) for array in arrays], attrs, size if reduction == "mean" else 1, out)


def _total_loss(loss: Loss, arrays: list[Array], attrs: Attrs, divisor: int, out: Array) -> None:
    out.fill(float(np.add.reduce(loss(arrays, attrs), axis=None)) / divisor)


def _in_pieces(loss: Loss, arrays: list[Array], attrs: Attrs, out: Array) -> None:
    """The losses of broadcast operands, or their sum, piece by piece in the cache; half types are widened in each."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    reduction = attrs["reduction"]
    if reduction == "none":
        as_is(out, np.broadcast_to(out.dtype.type(0), shape))
    if all(array.shape == shape and array.flags.c_contiguous for array in arrays) and out.flags.c_contiguous:
        arrays, flat = [array.reshape(-1) for array in arrays], out.reshape(-1)
    else:
        arrays, flat = [np.broadcast_to(array, shape) for array in arrays], out
    windows = list(pieces(arrays[0].shape))
    sums = _Sums()

    def some(first: int, last: int) -> None:
        for window in windows[first:last]:
            values = np.asarray(loss([wide(np.ascontiguousarray(array[window])) for array in arrays], attrs))
            if reduction == "none":
                store(values, flat[window])
            else:
                sums.add(float(values.sum()))

    if arrays[0].size < _SHARED:
        some(0, len(windows))
    else:
        shared(len(windows), some, True)
    if reduction != "none":
        sizes = {"mean": arrays[0].size, "sum": 1, "batchmean": shape[0] if shape else 1}
        if reduction not in sizes:
            raise ValueError(f"reduction {reduction!r} is none of none, mean, sum, batchmean")
        _put(out, np.float64(sums.total) / sizes[reduction])


def _loss(*op_types: str) -> Callable[[Loss], Loss]:
    """Registers a loss of broadcast operands with a ``reduction``."""

    def register(loss: Loss) -> Loss:
        @binder(*op_types)
        def _bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
            return _bind_loss(loss, [array for array in inputs if array is not None], attrs, outputs[0])

        return loss

    return register


_loss("SmoothL1LossV2")(_smooth_l1)
_loss("MseLoss")(_squared_error)
_loss("LpLoss")(_absolute_error)
_loss("BinaryCrossEntropy")(_binary_cross_entropy)
_loss("KLDiv", "KLDivV2")(_divergence)


def _loss_shape(inputs: list[Meta], reduction: str) -> Shape:
    shape = broadcast(*(meta.shape for meta in inputs if not meta.absent))
    return shape if reduction == "none" else ()


@infer("SmoothL1LossV2", "MseLoss", "LpLoss", "BinaryCrossEntropy", "KLDiv", "KLDivV2")
def _loss_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if any(meta.dtype != inputs[0].dtype for meta in inputs if not meta.absent):
        raise ValueError("the operands differ in dtype")
    return [Out(inputs[0].dtype, _loss_shape(inputs, attrs["reduction"]))]


@binder("SigmoidCrossEntropyWithLogitsV2")
def _logits_loss_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    factors = [array is not None for array in (*inputs[2:4], None, None)[:2]]

    def loss(arrays: list[Array], attrs: Attrs) -> Array:
        rest = iter(arrays[2:])
        return _logits_loss(arrays[0], arrays[1], *(next(rest) if given else None for given in factors))

    return _bind_loss(loss, [array for array in inputs if array is not None], attrs, outputs[0])


@infer("SigmoidCrossEntropyWithLogitsV2")
def _logits_loss_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The 910B gives float32 for every input, the prototype allows the input's dtype too."""
    return [Out(-1, _loss_shape(inputs, attrs["reduction"]))]


@kernel("SigmoidCrossEntropyWithLogits")
def _logits_loss_v1(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _put(outputs[0], _logits_loss(wide(needs(inputs[0], "predict")), wide(needs(inputs[1], "target")), None, None))


@infer("SigmoidCrossEntropyWithLogits")
def _logits_loss_v1_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, broadcast(inputs[0].shape, inputs[1].shape))]


# Margins


def _soft_margin(arrays: list[Array], attrs: Attrs) -> Array:
    """log(1 + exp(-y x)) without overflow."""
    gain = arrays[0] * arrays[1]
    return _softplus(-gain)


_loss("SoftMarginLoss")(_soft_margin)
infer("SoftMarginLoss")(_loss_rule)


@kernel("MultilabelMarginLoss")
def _multilabel_margin(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """sum of max(0, 1 - x[label] + x[other]) over labels (up to the first -1) and classes that are none, over the number of classes."""
    x, target = wide(needs(inputs[0], "x")), needs(inputs[1], "target")
    rows, labels = x.reshape(-1, x.shape[-1]), target.reshape(-1, x.shape[-1])
    counted = np.logical_and.accumulate(labels >= 0, axis=1)
    known = np.where(counted, labels, 0)
    _check_classes(known, rows.shape[1])
    is_label = np.zeros(rows.shape, np.bool_)
    np.logical_or.at(is_label, (np.arange(len(rows))[:, None], known), counted)
    losses = np.empty(len(rows), rows.dtype)
    for index, (row, place, valid, label) in enumerate(zip(rows, known, counted, is_label, strict=True)):
        missing = np.maximum(1 - (row[place[valid]][:, None] - row[~label]), 0)
        losses[index] = missing.sum() / rows.dtype.type(rows.shape[1])
    _reduced(losses, attrs["reduction"], outputs[0], len(rows))
    np.copyto(outputs[1], is_label.reshape(outputs[1].shape))


@infer("MultilabelMarginLoss")
def _multilabel_margin_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, target = inputs
    if target.dtype != int(DataType.INT32):
        raise ValueError("the target is not int32")
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK), Out(int(DataType.INT32), target.shape)]
    if len(x.shape) not in (1, 2):
        raise ValueError(f"shape {list(x.shape)} is not (classes,) or (batch, classes)")
    shape = x.shape[:-1] if attrs["reduction"] == "none" else ()
    return [Out(x.dtype, shape), Out(int(DataType.INT32), x.shape)]


# Sequences


@kernel("CTCLossV2")
def _ctc_loss(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """-log of the sum over alignments, for each of the batch; ``reduction`` has no effect (the outputs have no room for it)."""
    probs, targets, read, written = (needs(array, "an input") for array in inputs[:4])
    time, batch, classes = probs.shape
    blank = int(attrs["blank"])
    if not 0 <= blank < classes:
        raise ValueError(f"blank {blank} is none of {classes} classes")
    losses, alphas = outputs
    alphas.fill(-np.inf)
    starts = np.cumsum(written) - written if targets.ndim == 1 else None
    for index in range(batch):
        steps, length = int(read.reshape(-1)[index]), int(written.reshape(-1)[index])
        if not (0 <= steps <= time and 0 <= 2 * length < alphas.shape[2]):
            raise ValueError(f"lengths {steps} and {length} do not fit {time} steps and {alphas.shape[2]} alphas")
        labels = targets[index, :length] if starts is None else targets[starts[index] : starts[index] + length]
        _check_classes(labels, classes)
        extended = np.full(2 * length + 1, blank)
        extended[1::2] = labels
        losses[index] = _alignments(probs[:steps, index][:, extended], extended, alphas[index])
    if attrs["zero_infinity"]:
        losses[np.isinf(losses)] = 0


def _alignments(logs: Array, extended: Array, alphas: Array) -> float:
    """Minus the logarithm of all ways through (steps, places); alphas are written."""
    steps, places = logs.shape
    if not steps:
        return 0.0 if places == 1 else np.inf
    skip = np.zeros(places, np.bool_)  # a label that is not the one before may follow it without a blank
    skip[2:] = (extended[2:] != extended[:-2]) & (np.arange(2, places) % 2 == 1)
    before = np.full(places + 2, -np.inf)
    before[2:4] = logs[0, :2]
    alphas[0, :places] = before[2:]
    for step in range(1, steps):
        now = np.logaddexp(before[2:], before[1:-1])
        np.logaddexp(now, before[:-2], out=now, where=skip)
        before[2:] = now + logs[step]
        alphas[step, :places] = before[2:]
    ends = before[-2:] if places > 1 else before[-1:]
    return -float(np.logaddexp.reduce(ends))


@infer("CTCLossV2")
def _ctc_loss_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Two places for each label and one more, made up to 32 bytes, where targets are (batch, longest)."""
    probs, targets = inputs[:2]
    if any(meta.dtype != targets.dtype for meta in inputs[2:4]):
        raise ValueError("targets and lengths differ in dtype")
    if unknown(probs):
        return [Out(probs.dtype, (-1,)), Out(probs.dtype, (-1, -1, -1))]
    if len(probs.shape) != 3:
        raise ValueError(f"shape {list(probs.shape)} is not (time, batch, classes)")
    time, batch, _ = probs.shape
    for meta in inputs[2:4]:
        if not unknown(meta):
            same(meta.shape[0] if meta.shape else 1, batch, "the batch of log_probs and lengths")
    return [Out(probs.dtype, (batch,)), Out(probs.dtype, (batch, time, -1))]
