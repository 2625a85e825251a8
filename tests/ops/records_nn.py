"""Records of softmax, distances and one-hot vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import FLOATS, INT64, INTS, SAME, Array, Record, Refused, With, array, d, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import softmax as nn
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
    return np.sum(a * b, dim) / np.maximum(np.sqrt(np.sum(a * a, dim) * np.sum(b * b, dim)), 1e-16)


def distance(a: Array, b: Array, p: float = 2.0) -> Array:
    return np.sum(np.abs(a - b + 1e-6) ** p, -1) ** (1 / p)


def one_hot(x: Array, classes: int) -> Array:
    return (x[..., None] == np.arange(classes)).astype(np.int64)


def hot_samples(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4), 0, 5), 6
    yield array(dtype, (), 0, 5), 6
    yield array(dtype, (0,)), 3


def integers_refused(*more: Any) -> Callable[[], list[Refused]]:
    x = np.zeros((2, 3), np.int64)
    return lambda: [Refused((x, *(x if each is None else each for each in more)), TypeError, "int64")]


def shape_refused(*arrays: Any) -> Callable[[], list[Refused]]:
    return lambda: [Refused(arrays, ValueError, r"\[2, 3\]")]


X = np.zeros((2, 3), np.float32)
PAIR = lambda dtype: [(array(dtype, (3, 5)), array(dtype, (3, 5), key=1))]  # noqa: E731


def of(name: str, function: Any, reference: Any, samples: Any, *rows: Any, **more: Any) -> Record:
    return Record(name, function, reference, samples, rows, FLOATS, SAME, STEPS, **more)


RECORDS = [
    of("softmax", nn.softmax, softmax, along, table.SOFTMAX, refused=integers_refused(0)),
    Record(
        "softmax_to_float32",
        lambda x, dim: nn.softmax(x, dim, d.float32),
        softmax,
        along,
        (table.SOFTMAX_TO_SINGLE,),
        (d.float16, d.bfloat16, d.float32),
        lambda dtype: d.float32,
        STEPS,
    ),
    of("log_softmax", nn.log_softmax, log_softmax, along, table.LOG_SOFTMAX, refused=integers_refused(0)),
    of("softmin", nn.softmin, lambda x, dim: softmax(-x, dim), lambda dtype: [With((array(dtype, (3, 4)),), {"dim": 1})]),
    of("cosine_similarity", nn.cosine_similarity, cosine, PAIR),
    of("pairwise_distance", nn.pairwise_distance, distance, PAIR),
    Record("one_hot", nn.one_hot, one_hot, hot_samples, (table.ONE_HOT,), INTS, INT64),
]
