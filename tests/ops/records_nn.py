"""Records of softmax and losses, of classes and distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import FLOATS, INT64, INTS, SAME, Array, Record, Refused, With, array, d, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import losses, nn
from ascendtensor.ops.table import nn as table

STEPS = {d.float32: (1e-5, 1e-5), d.float64: (1e-10, 1e-10), d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2)}
"""For what takes several steps."""


def shifted(x: Array, dim: int) -> tuple[Array, Array]:
    low = x - x.max(dim, keepdims=True, initial=-np.inf)
    return low, np.exp(low).sum(dim, keepdims=True)


def softmax(x: Array, dim: int = -1) -> Array:
    work = x.reshape(x.shape or (1,))
    low, total = shifted(work, dim)
    return (np.exp(low) / total).reshape(x.shape)


def log_softmax(x: Array, dim: int = -1) -> Array:
    work = x.reshape(x.shape or (1,))
    low, total = shifted(work, dim)
    return (low - np.log(total)).reshape(x.shape)


def along(dtype: DType) -> Iterator[Any]:
    for dim in (0, 1, -1):
        yield With((array(dtype, (3, 4, 5)),), {"dim": dim})
    for view in views(dtype):
        yield With((view,), {"dim": 0})
    yield With((array(dtype, ()),), {"dim": 0})
    yield With((array(dtype, (0, 3)),), {"dim": 1})
    yield With((np.array([[1000, 1000, -1000], [-1000, 0, -np.inf]], dtype.numpy),), {"dim": 1})


def cosine(a: Array, b: Array, dim: int = 1) -> Array:
    return np.sum(a * b, dim) / np.sqrt(np.sum(a * a, dim) * np.sum(b * b, dim))


def distance(a: Array, b: Array, p: float = 2.0) -> Array:
    return np.sum(np.abs(a - b + 1e-6) ** p, -1) ** (1 / p)


# Losses


def reduced(values: Array, reduction: str) -> Any:
    return {"none": lambda: values, "mean": values.mean, "sum": values.sum}[reduction]()


def loss(function: Callable[..., Array]) -> Callable[..., Any]:
    def reference(*operands: Any, reduction: str = "mean", **others: Any) -> Any:
        return reduced(np.asarray(function(*operands, **others)), reduction)

    return reference


def losses_of(
    low: float = -4, high: float = 4, target: tuple[float, float] = (-4, 4), broadcast: bool = True, **others: Any
) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for reduction in ("mean", "sum", "none"):
            yield With((array(dtype, (3, 5), low, high), array(dtype, (3, 5), *target, "t")), {"reduction": reduction, **others})
        yield With((array(dtype, (4, 6), low, high).T, array(dtype, (6, 4), *target, "t")), others)
        yield With((array(dtype, (), low, high), array(dtype, (), *target, "t")), others)
        yield With((array(dtype, (0, 3)), array(dtype, (0, 3))), {"reduction": "sum", **others})
        if broadcast:
            yield With((array(dtype, (3, 5), low, high), array(dtype, (5,), *target, "t")), others)

    return samples


def huber(a: Array, b: Array, delta: float = 1.0) -> Array:
    far = np.abs(a - b)
    return np.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))


def binary(p: Array, y: Array, weight: Any = 1.0) -> Array:
    return -weight * (y * np.log(p) + (1 - y) * np.log1p(-p))


def logits(x: Array, y: Array, weight: Any = 1.0, pos_weight: Any = 1.0) -> Array:
    return weight * (pos_weight * y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x))


def weighted(base: Callable[[DType], Iterator[Any]], low: float, high: float, positive: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        yield from base(dtype)
        operands = (array(dtype, (3, 5), low, high), array(dtype, (3, 5), 0, 1, "t"), array(dtype, (5,), 1, 2))
        yield With(operands)
        if positive:
            yield With(operands, {"pos_weight": array(dtype, (5,), 1, 3, "p")})

    return samples


def divergence(x: Array, target: Array, reduction: str = "mean", log_target: bool = False) -> Any:
    terms = np.exp(target) * (target - x) if log_target else np.where(target > 0, target * (np.log(np.where(target > 0, target, 1)) - x), 0)
    return terms.sum() / x.shape[0] if reduction == "batchmean" else reduced(terms, reduction)


def divergences(dtype: DType) -> Iterator[Any]:
    yield from losses_of(-4, 0, (0, 1), broadcast=False)(dtype)
    yield With((array(dtype, (3, 5), -4, 0), array(dtype, (3, 5), -4, 0, "t")), {"reduction": "batchmean", "log_target": True})
    yield With((array(dtype, (3, 5), -4, 0), array(dtype, (3, 5), 0, 1)), {"reduction": "batchmean"})


def class_terms(logs: Array, target: Array, weight: Any, ignore: int) -> tuple[Array, Array]:
    kept = target != ignore
    safe = np.where(kept, target, 0)
    axis = min(logs.ndim, 2) - 1
    picked = np.take_along_axis(logs, np.expand_dims(safe, axis), axis).squeeze(axis)
    factors = np.where(kept, 1.0 if weight is None else weight[safe], 0.0)
    return np.where(kept, -picked * factors, 0.0), factors


def nll(logs: Array, target: Array, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Any:
    terms, factors = class_terms(logs, target, weight, ignore_index)
    return terms.sum() / factors.sum() if reduction == "mean" else reduced(terms, reduction)


def entropy(
    x: Array, target: Array, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Any:
    axis = min(x.ndim, 2) - 1
    logs = log_softmax(x, axis)
    shape = (-1, *(1,) * (x.ndim - axis - 1))
    spread = logs * (1 if weight is None else weight.reshape(shape))
    if target.dtype.kind == "f":
        goal = target * (1 - label_smoothing) + label_smoothing / x.shape[axis]
        terms = -(goal * spread).sum(axis)
        return terms.sum() / (x.size // x.shape[axis]) if reduction == "mean" else reduced(terms, reduction)
    terms, factors = class_terms(logs, target, weight, ignore_index)
    smooth = np.where(target != ignore_index, -spread.sum(axis), 0)
    terms = terms * (1 - label_smoothing) + smooth * label_smoothing / x.shape[axis]
    return terms.sum() / factors.sum() if reduction == "mean" else reduced(terms, reduction)


def class_samples(dtype: DType) -> Iterator[Any]:
    x, target = array(dtype, (6, 4)), array(d.int64, (6,), 0, 3)
    for reduction in ("mean", "sum", "none"):
        yield With((x, target, array(dtype, (4,), 0.5, 2)), {"reduction": reduction})
    yield With((x, target))
    yield With((x, target), {"ignore_index": int(target[0])})
    yield With((x, np.where(target == target[0], -100, target).astype(np.int32)))
    yield With((array(dtype, (5, 4, 3)), array(d.int64, (5, 3), 0, 3)), {"reduction": "none"})
    yield With((array(dtype, (2, 4, 3, 2)), array(d.int64, (2, 3, 2), 0, 3)))
    yield With((array(dtype, (4,)), np.array(2)))


def entropies(dtype: DType) -> Iterator[Any]:
    yield from class_samples(dtype)
    x, target = array(dtype, (6, 4)), array(d.int64, (6,), 0, 3)
    yield With((x, target, array(dtype, (4,), 0.5, 2)), {"label_smoothing": 0.1, "ignore_index": int(target[0])})
    yield With((x, target), {"label_smoothing": 0.25, "reduction": "none"})
    yield With((x, array(dtype, (6, 4), 0, 1)))
    yield With((x, array(dtype, (6, 4), 0, 1), array(dtype, (4,), 0.5, 2)), {"label_smoothing": 0.1, "reduction": "sum"})


def one_hot(x: Array, classes: int) -> Array:
    return (x[..., None] == np.arange(classes)).astype(np.int64)


def hot_samples(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4), 0, 5), 6
    yield array(dtype, (), 0, 5), 6
    yield array(dtype, (0,)), 3


def rows(x: Array, weight: Array) -> Array:
    return weight[x]


def row_samples(dtype: DType) -> Iterator[Any]:
    yield array(d.int64, (3, 4), 0, 5), array(dtype, (6, 3))
    yield array(d.int32, (), 0, 5), array(dtype, (6, 3))


def integers_refused(*more: Any) -> Callable[[], list[Refused]]:
    x = np.zeros((2, 3), np.int64)
    return lambda: [Refused((x, *(x if each is None else each for each in more)), TypeError, "int64")]


def class_refused() -> list[Refused]:
    x, target = np.zeros((2, 3), np.float32), np.zeros(2, np.int64)
    return [
        Refused((x, target[:1]), ValueError, r"\[2, 3\].*\[1\]"),
        Refused((x, target), ValueError, "reduction", {"reduction": "max"}),
        Refused((x, target, x[0, :2]), ValueError, "3 classes"),
    ]


def shape_refused(*arrays: Any) -> Callable[[], list[Refused]]:
    return lambda: [Refused(arrays, ValueError, r"\[2, 3\]")]


X = np.zeros((2, 3), np.float32)
PAIR = lambda dtype: [(array(dtype, (3, 5)), array(dtype, (3, 5), key=1))]  # noqa: E731


def of(name: str, function: Any, reference: Any, samples: Any, *rows: Any, **more: Any) -> Record:
    return Record(name, function, reference, samples, rows, FLOATS, SAME, STEPS, **more)


RECORDS = [
    of("softmax", nn.softmax, softmax, along, table.SOFTMAX, refused=integers_refused(0)),
    of("log_softmax", nn.log_softmax, log_softmax, along, table.LOG_SOFTMAX, refused=integers_refused(0)),
    of("softmin", nn.softmin, lambda x, dim: softmax(-x, dim), lambda dtype: [With((array(dtype, (3, 4)),), {"dim": 1})]),
    of("cosine_similarity", nn.cosine_similarity, cosine, PAIR),
    of("pairwise_distance", nn.pairwise_distance, distance, PAIR),
    of("mse_loss", losses.mse_loss, loss(lambda a, b: (a - b) ** 2), losses_of(), table.MSE_LOSS, refused=integers_refused(None)),
    of("l1_loss", losses.l1_loss, loss(lambda a, b: np.abs(a - b)), losses_of(), refused=integers_refused(None)),
    of(
        "smooth_l1_loss",
        losses.smooth_l1_loss,
        loss(lambda a, b, beta=1.0: huber(a, b, beta) / beta),
        losses_of(beta=0.5),
        table.SMOOTH_L1_LOSS,
    ),
    of("huber_loss", losses.huber_loss, loss(huber), losses_of(delta=2.0)),
    of(
        "binary_cross_entropy",
        losses.binary_cross_entropy,
        loss(binary),
        weighted(losses_of(0.1, 0.9, (0, 1), broadcast=False), 0.1, 0.9, False),
        table.BCE,
        refused=shape_refused(X, X[0]),
    ),
    of(
        "binary_cross_entropy_with_logits",
        losses.binary_cross_entropy_with_logits,
        loss(logits),
        weighted(losses_of(-4, 4, (0, 1), broadcast=False), -4, 4, True),
        table.BCE_WITH_LOGITS,
        refused=shape_refused(X, X[0]),
    ),
    of("kl_div", losses.kl_div, divergence, divergences, table.KL_DIV),
    of("nll_loss", losses.nll_loss, nll, class_samples, table.NLL_LOSS, refused=class_refused),
    of("cross_entropy", losses.cross_entropy, entropy, entropies, refused=class_refused),
    Record("one_hot", nn.one_hot, one_hot, hot_samples, (table.ONE_HOT,), INTS, INT64),
    of("embedding", nn.embedding, rows, row_samples),
]
