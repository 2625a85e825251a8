"""Records of losses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import Array, Refused, With, array, d
from records_nn import X, integers_refused, log_softmax, of, shape_refused

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import class_losses, losses, margin_losses
from ascendtensor.ops.table import losses as table


def reduced(values: Array, reduction: str) -> Any:
    return {"none": lambda: values, "mean": values.mean, "sum": values.sum}[reduction]()


def loss(function: Callable[..., Array]) -> Callable[..., Any]:
    def reference(*operands: Any, reduction: str = "mean", **others: Any) -> Any:
        return reduced(np.asarray(function(*operands, **others)), reduction)

    return reference


def losses_of(
    low: float = -4, high: float = 4, target: tuple[float, float] = (-4, 4), broadcast: bool = True, zero: bool = True, **others: Any
) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for reduction in ("mean", "sum", "none"):
            yield With((array(dtype, (3, 5), low, high), array(dtype, (3, 5), *target, "t")), {"reduction": reduction, **others})
        yield With((array(dtype, (4, 6), low, high).T, array(dtype, (6, 4), *target, "t")), others)
        if zero:
            yield With((array(dtype, (), low, high), array(dtype, (), *target, "t")), others)
        yield With((array(dtype, (0, 3)), array(dtype, (0, 3))), {"reduction": "sum", **others})
        if broadcast:
            yield With((array(dtype, (3, 5), low, high), array(dtype, (5,), *target, "t")), others)

    return samples


def huber(a: Array, b: Array, delta: float = 1.0) -> Array:
    far = np.abs(a - b)
    return np.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))


def binary(p: Array, y: Array, weight: Any = 1.0) -> Array:
    """PyTorch's: no logarithm is less than -100."""
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("no probability")
    return -weight * (y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100))


def logits(x: Array, y: Array, weight: Any = 1.0, pos_weight: Any = None) -> Array:
    """In PyTorch's order, which says what becomes of infinities."""
    negative = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)
    return weight * ((1 - y) * x + (1 if pos_weight is None else 1 + (pos_weight - 1) * y) * negative)


def weighted(base: Callable[[DType], Iterator[Any]], low: float, high: float, positive: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        yield from base(dtype)
        operands = (array(dtype, (3, 5), low, high), array(dtype, (3, 5), 0, 1, "t"), array(dtype, (5,), 1, 2))
        yield With(operands)
        if positive:
            yield With(operands, {"pos_weight": array(dtype, (5,), 1, 3, "p")})

    return samples


def divergence(x: Array, target: Array, reduction: str = "mean", log_target: bool = False) -> Any:
    terms = (
        np.exp(target) * (target - x)
        if log_target
        else np.where(target == 0, 0, target * np.log(np.where(target == 0, 1, target))) - target * x
    )
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


def class_refused() -> list[Refused]:
    x, target = np.zeros((2, 3), np.float32), np.zeros(2, np.int64)
    return [
        Refused((x, target[:1]), ValueError, r"\[2, 3\].*\[1\]"),
        Refused((x, target), ValueError, "reduction", {"reduction": "max"}),
        Refused((x, target, x[0, :2]), ValueError, "3 classes"),
    ]


def probabilities_refused() -> Refused:
    shares = np.full((2, 3), 1 / 3, np.float32)
    return Refused((shares, shares), ValueError, "probabilities", {"ignore_index": 1})


def reduction_refused(*operands: Array) -> Callable[[], list[Refused]]:
    return lambda: [Refused(operands, ValueError, "reduction", {"reduction": "max"})]


# Distributions


def poisson(x: Array, y: Array, log_input: bool = True, full: bool = False, eps: float = 1e-8) -> Array:
    terms = np.exp(x) - y * x if log_input else x - y * np.log(x + eps)
    if full:
        large = np.where(y > 1, y, 2)
        terms = terms + np.where(y > 1, large * np.log(large) - large + 0.5 * np.log(2 * np.pi * large), 0)
    return terms


def poissons(dtype: DType) -> Iterator[Any]:
    yield from losses_of(-2, 2, (0, 6))(dtype)
    yield With((array(dtype, (3, 5), 0.1, 4), array(dtype, (3, 5), 0, 6, "t")), {"log_input": False, "full": True, "reduction": "none"})


def gaussian(x: Array, y: Array, var: Any, full: bool = False, eps: float = 1e-6) -> Array:
    if isinstance(var, np.ndarray) and var.ndim == x.ndim - 1:
        var = var[..., None]
    spread = np.maximum(var, eps)
    return 0.5 * (np.log(spread) + (x - y) ** 2 / spread) + (0.5 * math.log(2 * math.pi) if full else 0)


def gaussians(dtype: DType) -> Iterator[Any]:
    x, y = array(dtype, (3, 5)), array(dtype, (3, 5), key="t")
    for reduction, var in (("mean", (3, 5)), ("none", (3, 1)), ("sum", (3,))):
        yield With((x, y, array(dtype, var, 0.5, 2)), {"reduction": reduction})
    yield With((x, y, 2.0), {"full": True})
    yield With((x, y, 0.0), {"eps": 0.5})


def gaussian_refused() -> list[Refused]:
    return [
        Refused((X, X, X[0]), ValueError, r"var of shape \[3\]"),
        Refused((X, X, -1.0), ValueError, "negative"),
        Refused((X, X, X), ValueError, "reduction", {"reduction": "max"}),
    ]


# Margins


def signs(dtype: DType, shape: tuple[int, ...]) -> Array:
    return np.where(array(d.int64, shape, 0, 1, "sign") > 0, 1, -1).astype(dtype.numpy)


def signed(shape: tuple[int, ...] = (4, 5), target: tuple[int, ...] | None = None, pair: bool = False, **options: Any) -> Any:
    def samples(dtype: DType) -> Iterator[Any]:
        operands = (array(dtype, shape), array(dtype, shape, key="other")) if pair else (array(dtype, shape),)
        goal = signs(dtype, shape if target is None else target)
        for reduction in ("mean", "sum", "none"):
            yield With((*operands, goal), {"reduction": reduction})
        yield With((*operands, goal.astype(np.int64)), options)

    return samples


def hinge(x: Array, y: Array, margin: float = 1.0) -> Array:
    return np.where(y != 1, np.maximum(margin - x, 0), 0) + np.where(y != -1, x, 0)


def cosine_embedding(a: Array, b: Array, y: Array, margin: float = 0) -> Array:
    if a.ndim != y.ndim + 1:
        raise ValueError("no vectors")
    angle = (a * b).sum(-1) / np.sqrt(((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12))
    return np.where(y == 1, 1 - angle, 0) + np.where(y == -1, np.maximum(angle - margin, 0), 0)


def cosine_embeddings(dtype: DType) -> Iterator[Any]:
    yield from signed((4, 5), (4,), True, margin=0.25)(dtype)
    yield array(dtype, (5,)), array(dtype, (5,), key=1), np.array(-1)


def away(a: Array, b: Array, p: float = 2.0) -> Array:
    return (np.abs(a - b + 1e-6) ** p).sum(-1) ** (1 / p)


def triplet(a: Array, p: Array, n: Array, margin: float = 1.0, order: float = 2, eps: float = 1e-6, swap: bool = False) -> Array:
    far = np.minimum(away(a, n, order), away(p, n, order)) if swap else away(a, n, order)
    return np.maximum(margin + away(a, p, order) - far, 0)


def triplets(dtype: DType) -> Iterator[Any]:
    operands = tuple(array(dtype, (4, 5), key=key) for key in "apn")
    for reduction in ("mean", "sum", "none"):
        yield With(operands, {"reduction": reduction})
    yield With((*operands, 0.5, 1, 1e-6, True))
    yield tuple(array(dtype, (5,), key=key) for key in "apn")


def triplet_refused() -> list[Refused]:
    return [Refused((X, X, X, 0), ValueError, "margin"), Refused((X, X[0], X), ValueError, "number of dims")]


def multi_margin(x: Array, y: Array, p: int = 1, margin: float = 1.0, weight: Any = None) -> Array:
    rows, chosen = x.reshape(-1, x.shape[-1]), y.reshape(-1)
    found = []
    for row, place in zip(rows, chosen, strict=True):
        terms = np.maximum(margin - row[place] + row, 0) ** p * (1 if weight is None else weight[place])
        found.append(np.delete(terms, place).sum() / len(row))
    return np.array(found).reshape(y.shape)


def multi_margins(dtype: DType) -> Iterator[Any]:
    x, y = array(dtype, (5, 4)), array(d.int64, (5,), 0, 3)
    for reduction in ("mean", "sum", "none"):
        yield With((x, y), {"reduction": reduction})
    yield With((x, y, 2, 0.5, array(dtype, (4,), 0.5, 2)))
    yield With((x[0], y[0:1]), {"reduction": "none"})
    yield x[0], np.array(3)


def margin_refused() -> list[Refused]:
    y = np.zeros(2, np.int64)
    return [
        Refused((X, y, 3), ValueError, "p must be 1 or 2"),
        Refused((X, y[:1]), ValueError, r"\[2, 3\]"),
        Refused((X, y, 1, 1.0, X[0, :2]), ValueError, "3 classes"),
        Refused((X, X[:, 0]), TypeError, "classes"),
    ]


def multilabel_margin(x: Array, y: Array) -> Array:
    rows, labels = x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1])
    found = []
    for row, each in zip(rows, labels, strict=True):
        known = list(itertools.takewhile(lambda place: place >= 0, each))
        others = [place for place in range(len(row)) if place not in known]
        found.append(sum(max(0, 1 - (row[one] - row[other])) for one in known for other in others) / len(row))
    return np.array(found).reshape(x.shape[:-1])


def multilabels(dtype: DType) -> Iterator[Any]:
    x, y = array(dtype, (3, 5)), np.array([[1, 3, -1, 0, 2], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
    for reduction in ("mean", "sum", "none"):
        yield With((x, y), {"reduction": reduction})
    yield With((x[0], y[0].astype(np.int32)), {"reduction": "none"})
    yield x[2], y[0]


def multilabel_soft(x: Array, y: Array, weight: Any = 1.0) -> Array:
    return (weight * (y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x))).mean(-1)


def multilabel_softs(dtype: DType) -> Iterator[Any]:
    yield from losses_of(-4, 4, (0, 1), broadcast=False, zero=False)(dtype)
    yield array(dtype, (3, 5)), array(d.int64, (3, 5), 0, 1), array(dtype, (5,), 0.5, 2)


# Sequences


def read(path: tuple[int, ...], blank: int) -> tuple[int, ...]:
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def ctc(logs: Array, targets: Array, steps: Any, lengths: Any, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Any:
    """Every path through the classes, read and compared."""
    batched = logs if logs.ndim == 3 else logs[:, None]
    batch, classes = batched.shape[1:]
    if not np.size(steps) == np.size(lengths) == batch or not 0 <= blank < classes or np.max(steps, initial=0) > len(logs):
        raise ValueError("the lengths do not fit the steps")
    found, start, counts = [], 0, np.atleast_1d(lengths)
    for index, (count, length) in enumerate(zip(np.atleast_1d(steps), counts, strict=True)):
        whole = targets[index] if targets.ndim == 2 else targets[start:]
        if not all(0 <= label < classes for label in whole[:length]):
            raise IndexError("no such class")
        start += int(length)
        logarithms = batched[:, index].astype(np.float64)
        chances = [-math.inf]
        for path in itertools.product(range(logarithms.shape[1]), repeat=int(count)):
            if read(path, blank) == tuple(whole[:length].tolist()):
                chances.append(sum(logarithms[step, label] for step, label in enumerate(path)))
        chance = np.logaddexp.reduce(chances)
        found.append(0.0 if zero_infinity and chance == -math.inf else -chance)
    terms = np.array(found)
    if reduction == "mean":
        return np.mean(terms / np.maximum(counts, 1))
    return reduced(terms if logs.ndim == 3 else terms.reshape(()), reduction)


def sequences(dtype: DType) -> Iterator[Any]:
    logs = log_softmax(array(dtype, (5, 3, 3)).astype(np.float64), 2).astype(dtype.numpy)
    targets = np.array([[1, 2, 1], [1, 1, 0], [2, 0, 0]])
    steps, lengths = np.array([5, 4, 3]), np.array([3, 2, 1])
    for reduction in ("mean", "sum", "none"):
        yield With((logs, targets, steps, lengths), {"reduction": reduction})
    yield With((logs, targets.astype(np.int32), (5, 4, 3), [3, 2, 1]), {"reduction": "none"})
    yield With((logs, np.array([1, 2, 1, 1, 1, 2]), (5, 4, 3), (3, 2, 1)), {"reduction": "none"})
    yield With((logs, targets, (2, 2, 3), (3, 2, 0)), {"reduction": "none"})
    yield With((logs, targets, (2, 0, 3), (3, 2, 0)), {"reduction": "sum", "zero_infinity": True})
    yield With((logs, targets - 1, steps, np.array([1, 1, 1])), {"blank": 2, "reduction": "sum"})
    yield With((logs[:, 0], targets[0], 5, 3), {"reduction": "none"})


def ctc_refused() -> list[Refused]:
    logs, targets = np.zeros((4, 2, 3), np.float32), np.ones((2, 3), np.int64)
    return [
        Refused((logs, targets, (5, 4), (3, 3)), ValueError, "input_lengths must be from 0 to 4, not 5"),
        Refused((logs, targets, (4, 4), (3, 4)), ValueError, "target_lengths"),
        Refused((logs, targets, (4,), (3, 3)), ValueError, "batch of 2"),
        Refused((logs, targets[:1], (4, 4), (3, 3)), ValueError, "batch of 2"),
        Refused((logs, targets, (4, 4), (3, 3), 3), ValueError, "blank"),
        Refused((logs, targets.astype(np.float32), (4, 4), (3, 3)), TypeError, "integers"),
    ]


RECORDS = [
    of("mse_loss", losses.mse_loss, loss(lambda a, b: (a - b) ** 2), losses_of(), table.MSE_LOSS, refused=integers_refused(None)),
    of("l1_loss", losses.l1_loss, loss(lambda a, b: np.abs(a - b)), losses_of(), table.L1_LOSS, refused=integers_refused(None)),
    of(
        "smooth_l1_loss",
        losses.smooth_l1_loss,
        loss(lambda a, b, beta=1.0: huber(a, b, beta) / beta),
        losses_of(beta=0.5),
        table.SMOOTH_L1_LOSS,
    ),
    of("huber_loss", losses.huber_loss, loss(huber), lambda dtype: itertools.chain(losses_of(delta=2.0)(dtype), losses_of()(dtype))),
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
    of("nll_loss", class_losses.nll_loss, nll, class_samples, table.NLL_LOSS, refused=class_refused),
    of("cross_entropy", class_losses.cross_entropy, entropy, entropies, refused=lambda: [*class_refused(), probabilities_refused()]),
    of("poisson_nll_loss", losses.poisson_nll_loss, loss(poisson), poissons, refused=reduction_refused(X, X)),
    of("gaussian_nll_loss", losses.gaussian_nll_loss, loss(gaussian), gaussians, refused=gaussian_refused),
    of(
        "linear_cross_entropy",
        class_losses.linear_cross_entropy,
        lambda x, w, y, linear_bias=0.0: entropy(x @ w.T + linear_bias, y),
        lambda dtype: [
            With((array(dtype, (4, 3)), array(dtype, (5, 3), key=1), array(d.int64, (4,), 0, 4)), {"linear_bias": array(dtype, (5,))})
        ],
        refused=lambda: [Refused((X, X[0], np.zeros(2, np.int64)), ValueError, "classes")],
    ),
    of("multi_margin_loss", class_losses.multi_margin_loss, loss(multi_margin), multi_margins, refused=margin_refused),
    of(
        "multilabel_margin_loss",
        class_losses.multilabel_margin_loss,
        loss(multilabel_margin),
        multilabels,
        table.MULTILABEL_MARGIN_LOSS,
        refused=lambda: [
            Refused((X, np.zeros((2, 2), np.int64)), ValueError, "one shape"),
            Refused((X, X), TypeError, "classes"),
        ],
    ),
    of(
        "multilabel_soft_margin_loss",
        class_losses.multilabel_soft_margin_loss,
        loss(multilabel_soft),
        multilabel_softs,
        refused=reduction_refused(X, X),
    ),
    of("ctc_loss", class_losses.ctc_loss, ctc, sequences, table.CTC_LOSS, refused=ctc_refused),
    of(
        "margin_ranking_loss",
        margin_losses.margin_ranking_loss,
        loss(lambda a, b, y, margin=0.0: np.maximum(margin - y * (a - b), 0)),
        signed(pair=True, margin=0.5),
        refused=lambda: [Refused((X, X, X[0]), ValueError, "number of dims")],
    ),
    of("hinge_embedding_loss", margin_losses.hinge_embedding_loss, loss(hinge), signed(margin=2.0), refused=reduction_refused(X, X)),
    of(
        "cosine_embedding_loss",
        margin_losses.cosine_embedding_loss,
        loss(cosine_embedding),
        cosine_embeddings,
        refused=lambda: [Refused((X, X, X), ValueError, "batch")],
    ),
    of(
        "soft_margin_loss",
        margin_losses.soft_margin_loss,
        loss(lambda x, y: np.logaddexp(0, -y * x)),
        signed(),
        table.SOFT_MARGIN_LOSS,
        refused=integers_refused(None),
    ),
    of("triplet_margin_loss", margin_losses.triplet_margin_loss, loss(triplet), triplets, refused=triplet_refused),
    of(
        "triplet_margin_with_distance_loss",
        margin_losses.triplet_margin_with_distance_loss,
        loss(lambda a, p, n, margin=1.0, swap=False: triplet(a, p, n, margin, 2, 1e-6, swap)),
        lambda dtype: [With(tuple(array(dtype, (4, 5), key=key) for key in "apn"), {"margin": 0.5, "swap": True})],
        refused=lambda: [Refused((X, X, X), ValueError, "margin", {"margin": -1})],
    ),
]
