"""Records of tables of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Array, Refused, With, array, d
from records_nn import X, of

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import embedding as functions
from ascendtensor.ops.table import embedding as table


def limited(table: Array, used: Array, max_norm: Any, order: float = 2.0) -> Array:
    norms = (np.abs(table) ** order).sum(1, keepdims=True) ** (1 / order)
    small = np.where(norms > max_norm, table * max_norm / (norms + 1e-7), table)
    return np.where(np.isin(np.arange(len(table)), used)[:, None], small, table)


def embedding(x: Array, weight: Array, padding_idx: Any = None, max_norm: Any = None) -> Array:
    return (weight if max_norm is None else limited(weight, x, max_norm))[x]


def rows(dtype: DType) -> Iterator[Any]:
    yield array(d.int64, (3, 4), 0, 5), array(dtype, (6, 3))
    yield array(d.int32, (), 0, 5), array(dtype, (6, 3))
    yield array(d.uint8, (5,), 0, 5), array(dtype, (8, 6))[:6, ::2], -1
    yield array(d.int64, (0, 2), 0, 5), array(dtype, (6, 3))
    yield With((array(d.int64, (7,), 0, 3), array(dtype, (6, 3))), {"max_norm": 1.5})


def bag(
    x: Array,
    weight: Array,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
    max_norm: Any = None,
) -> Array:
    if max_norm is not None:
        weight = limited(weight, x, max_norm)
    factors = np.ones(x.shape) if per_sample_weights is None else per_sample_weights
    starts = np.arange(0, x.size, x.shape[1]) if offsets is None else offsets[: len(offsets) - include_last_offset]
    if offsets is not None and x.size and (offsets[:1].any() or offsets.max(initial=0) > len(x)):
        raise ValueError(f"bags at {offsets} of {len(x)} elements")
    found = []
    for one, chosen in zip(np.split(x.reshape(-1), starts[1:]), np.split(factors.reshape(-1), starts[1:]), strict=True):
        kept = one != (None if padding_idx is None else padding_idx % len(weight))
        picked = weight[one[kept]] * chosen[kept][:, None]
        found.append({"sum": picked.sum, "mean": picked.mean, "max": picked.max}[mode](0) if len(picked) else np.zeros(weight.shape[1]))
    return np.array(found).reshape(-1, weight.shape[1])


def bags(dtype: DType) -> Iterator[Any]:
    weight, x, offsets = array(dtype, (6, 3)), array(d.int64, (7,), 0, 5), np.array([0, 2, 2, 5])
    for mode in ("mean", "sum", "max"):
        yield With((x, weight, offsets), {"mode": mode})
        yield With((x.astype(np.int32), weight, offsets), {"mode": mode, "padding_idx": int(x[0])})
        yield With((x[:6].reshape(3, 2), weight), {"mode": mode})
    yield With((x, weight, np.array([0, 3, 7])), {"mode": "sum", "include_last_offset": True, "padding_idx": -2})
    yield With((x, weight, offsets), {"mode": "sum", "per_sample_weights": array(dtype, (7,))})
    yield With((x[:6].reshape(2, 3), weight), {"mode": "sum", "per_sample_weights": array(dtype, (2, 3))})
    yield With((x[:0], weight, offsets[:1]))
    yield With((x, weight, offsets), {"max_norm": 1.5})


def bag_refused() -> list[Refused]:
    x, offsets = np.zeros(4, np.int64), np.zeros(1, np.int64)
    return [
        Refused((x, X), ValueError, "offsets are needed"),
        Refused((x.reshape(2, 2), X, offsets), ValueError, "offsets are not wanted"),
        Refused((x, X, offsets), ValueError, "mode", {"mode": "min"}),
        Refused((x, X, offsets), ValueError, "for mode 'sum'", {"per_sample_weights": np.ones(4, np.float32)}),
        Refused((x, X, offsets), ValueError, "do not have the shape", {"mode": "sum", "per_sample_weights": X[0]}),
        Refused((x, X[0], offsets), ValueError, "matrix"),
        Refused((x.astype(np.float32), X, offsets), TypeError, "integers"),
        Refused((x, X, offsets), ValueError, "padding_idx 2", {"padding_idx": 2}),
    ]


def gradient(grad: Array, x: Array, count: int, padding: int, by_frequency: bool) -> Array:
    total = np.zeros((count, grad.shape[-1]))
    flat = x.reshape(-1)
    np.add.at(total, flat, np.where((flat == padding)[:, None], 0, grad.reshape(len(flat), grad.shape[-1])))
    return total / np.maximum(np.bincount(flat, minlength=count), 1)[:, None] if by_frequency else total


def gradients(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4, 5)), array(d.int64, (3, 4), 0, 5), 6, -1, False
    yield array(dtype, (7, 5)), array(d.int32, (7,), 0, 3), 6, 2, True
    yield array(dtype, (0, 5)), array(d.int64, (0,)), 6, -1, False


def bilinears(dtype: DType) -> Iterator[Any]:
    weight = array(dtype, (2, 3, 5), -1, 1, "w")
    yield array(dtype, (4, 3), -1, 1), array(dtype, (4, 5), -1, 1), weight, array(dtype, (2,))
    yield array(dtype, (2, 4, 3), -1, 1), array(dtype, (2, 4, 5), -1, 1), weight
    yield array(dtype, (3,), -1, 1), array(dtype, (5,), -1, 1), weight


def bilinear(a: Array, b: Array, weight: Array, bias: Any = 0.0) -> Array:
    if (a.shape[-1], b.shape[-1]) != weight.shape[1:]:
        raise ValueError(f"{a.shape} and {b.shape} do not fit {weight.shape}")
    return np.einsum("...i,oij,...j->...o", a, weight, b) + bias


RECORDS = [
    of(
        "embedding",
        functions.embedding,
        embedding,
        rows,
        refused=lambda: [
            Refused((np.zeros(2, np.int64), X[0]), ValueError, "matrix"),
            Refused((X, X), TypeError, "integers"),
            Refused((np.zeros(2, np.int64), X, -3), ValueError, "padding_idx -3"),
        ],
    ),
    of("embedding_bag", functions.embedding_bag, bag, bags, table.EMBEDDING_BAG, refused=bag_refused),
    of(
        "embedding_dense_backward",
        functions.embedding_dense_backward,
        gradient,
        gradients,
        table.EMBEDDING_GRADIENT,
        refused=lambda: [Refused((X, np.zeros(3, np.int64), 4, -1, False), ValueError, r"\[2, 3\]")],
    ),
    of(
        "bilinear",
        functions.bilinear,
        bilinear,
        bilinears,
        refused=lambda: [Refused((X, X, np.zeros((2, 3, 4), np.float32)), ValueError, r"\[2, 3, 4\]")],
    ),
]
