"""Records of sorting, selecting, finding and counting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INT64, INTS, SAME, Array, Record, Refused, With, array, d, edges, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import sorting
from ascendtensor.ops.table import reduction as counting
from ascendtensor.ops.table import sorting as table

REAL = (*FLOATS, *INTS, d.uint16, d.uint32, d.bool_)


def order(x: Array, dim: int, descending: bool) -> Array:
    """Stable order, NaN the largest."""
    if descending:
        turned = np.flip(x, dim)
        return x.shape[dim] - 1 - np.flip(np.argsort(turned, axis=dim, kind="stable"), dim)
    return np.argsort(x, axis=dim, kind="stable")


def ordered(x: Array, dim: int = -1, descending: bool = False, stable: bool = True) -> tuple[Array, Array]:
    work = x.reshape(x.shape or (1,))
    places = order(work, dim, descending)
    return np.take_along_axis(work, places, dim).reshape(x.shape), places.reshape(x.shape)


def first(x: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    values, places = ordered(x, dim, largest)
    return (values, places) if not x.shape else (values.take(range(k), dim), places.take(range(k), dim))


def sorts(dtype: DType) -> Iterator[Any]:
    for dim in (0, 1, -1):
        for descending in (False, True):
            yield With((array(dtype, (3, 4, 5)), dim, descending), {"stable": True})
    yield With((array(dtype, (100,)),), {"stable": True})
    yield With((array(dtype, ()),))
    yield With((array(dtype, (2, 0)),))
    yield With((np.unique(edges(dtype)),))
    for view in views(dtype):
        yield With((view, 0), {"stable": True})


def tops(dtype: DType) -> Iterator[Any]:
    distinct = np.stack([np.random.default_rng(row).permutation(12) for row in range(3)])
    if dtype is d.bool_:
        distinct = np.array([[True, False]])
    distinct = distinct.astype(dtype.numpy)
    for k in (1, 2):
        for largest in (True, False):
            yield With((distinct, k), {"largest": largest})
    yield With((distinct.T, 1, 0))
    yield With((distinct, 0))
    yield With((array(dtype, ()), 1))


def kth(x: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    if not x.ndim:
        if k != 1:
            raise ValueError("out of range")
        return x, np.array(0)
    values, places = ordered(x, dim)
    found = values.take(k - 1, dim), places.take(k - 1, dim)
    return (np.expand_dims(found[0], dim), np.expand_dims(found[1], dim)) if keepdim else found


def kths(dtype: DType) -> Iterator[Any]:
    distinct = np.stack([np.random.default_rng(row).permutation(6) for row in range(4)]).astype(dtype.numpy)
    yield With((distinct, 2))
    yield With((distinct, 6, 1), {"keepdim": True})
    yield With((distinct.T, 1, 0))
    yield With((distinct.T, 3, 0), {"keepdim": True})
    for keepdim in (False, True):
        yield With((array(dtype, ()), 1), {"keepdim": keepdim})


def middle(x: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        if not x.size:
            return np.nan
        flat = np.sort(x.reshape(-1))
        return flat[-1] if flat[-1] != flat[-1] else flat[(flat.size - 1) // 2]
    values, places = kth(x, (x.shape[dim] + 1) // 2 if x.ndim else 1, dim, keepdim)
    if not x.ndim:
        return values, places
    lost = np.isnan(x).any(dim, keepdims=keepdim) if x.dtype.kind == "f" else np.zeros(values.shape, bool)
    return np.where(lost, np.nan, values) if lost.any() else values, np.where(lost, np.argmax(x, dim, keepdims=keepdim), places)


def middles(dim: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        if not dim:
            for shape in ((), (1,), (4,), (3, 5)):
                yield With((array(dtype, shape),))
            if dtype.is_floating_point:
                yield With((np.array([1, np.nan, 2], dtype.numpy),))
            return
        for axis in (0, 1, -1):
            yield With((array(dtype, (3, 4, 6)), axis))
        yield With((array(dtype, (3, 4)), 0), {"keepdim": True})
        yield With((array(dtype, ()), -1))
        if dtype.is_floating_point:
            yield With((np.array([[1, np.nan, 2], [np.nan, np.nan, 0], [3, 1, 2]], dtype.numpy), 1))

    return samples


def quantile(x: Array, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear") -> Any:
    return np.quantile(x, q, axis=dim, keepdims=keepdim, method=interpolation)


def quantiles(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (4, 6))
    for interpolation in ("linear", "lower", "higher", "nearest", "midpoint"):
        yield With((x, 0.3, 1), {"interpolation": interpolation})
    yield With((x, [0.0, 0.5, 1.0], 0))
    yield With((x, 0.5))
    yield With((x, np.array([0.25, 0.75]), 1), {"keepdim": True})
    yield With((x, 0.5), {"keepdim": True})
    yield With((np.array([1, np.nan, 2], dtype.numpy), 0.5))


def unique(x: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    if dim is not None and 0 in x.shape[:dim] + x.shape[dim + 1 :]:
        raise ValueError("rows without elements")
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=dim)
    chosen = [values]
    if return_inverse:
        chosen.append(inverse.reshape(x.shape if dim is None else -1))
    if return_counts:
        chosen.append(counts)
    return tuple(chosen) if len(chosen) > 1 else chosen[0]


def uniques(*, dim: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        if dim:
            yield With((array(dtype, (6, 2), 0, 1),), {"dim": 0, "return_inverse": True, "return_counts": True})
            yield With((array(dtype, (3, 8), 0, 1),), {"dim": 1, "return_inverse": True, "return_counts": True})
            return
        for shape in ((20,), (3, 4), (), (1,)):
            yield With((array(dtype, shape),), {"return_inverse": True, "return_counts": True})
        yield With((array(dtype, (4, 6)).T,), {"return_inverse": True, "return_counts": True})

    return samples


def values_only(dtype: DType) -> Iterator[Any]:
    yield With((array(dtype, (3, 7)),))
    yield With((array(dtype, (0,)),))


def runs(x: Array, return_inverse: bool, return_counts: bool) -> Any:
    flat = x.reshape(-1)
    starts = np.flatnonzero(np.concatenate([np.ones(min(flat.size, 1), np.bool_), flat[1:] != flat[:-1]]))
    counts = np.diff(starts, append=flat.size)
    return flat[starts], np.repeat(np.arange(starts.size), counts).reshape(x.shape), counts


def run_samples(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (20,), 0, 1), True, True
    yield array(dtype, (3, 5), 0, 1), True, True


def searched(rows: Array, values: Any, right: bool = False) -> Any:
    side: Any = "right" if right else "left"
    if rows.ndim == 1:
        return np.searchsorted(rows, values, side)
    found = [np.searchsorted(row, value, side) for row, value in zip(rows, values, strict=True)]
    return np.array(found).reshape(values.shape)


def searches(dtype: DType) -> Iterator[Any]:
    rows = np.sort(array(dtype, (3, 8)), -1)
    for right in (False, True):
        yield With((rows[0], array(dtype, (4, 5), -6, 6)), {"right": right})
        yield With((rows, array(dtype, (3, 5), -6, 6)), {"right": right})
        yield With((rows[0], array(dtype, ())), {"right": right})
    yield With((rows[0], {1: 2, 2: 1.5}[dtype.category]))
    yield With((rows[0][:0], array(dtype, (4,))))


def counts(x: Array, weights: Any = None, minlength: int = 0) -> Any:
    return np.bincount(x.astype(np.int64), weights, minlength)


def count_samples(dtype: DType) -> Iterator[Any]:
    yield With((array(dtype, (20,), 0, 9),))
    yield With((array(dtype, (20,), 0, 9),), {"minlength": 15})
    yield With((array(dtype, (0,)),), {"minlength": 3})


def weighted_samples(dtype: DType) -> Iterator[Any]:
    yield With((array(d.int64, (20,), 0, 9), array(dtype, (20,))))


def histogram(x: Array, bins: int, low: float, high: float) -> Any:
    limits = (float(x.min()), float(x.max())) if low == high == 0 and x.size else (low, high)
    return np.histogram(x, bins, limits)[0]


def histograms(dtype: DType) -> Iterator[Any]:
    whole = np.arange(-8, 9).astype(dtype.numpy)
    yield whole, 4, -4, 4
    yield whole, 8, 0, 0
    yield whole.reshape(1, 17), 3, -3, 3
    yield whole, 1, -4, 4
    yield whole[:0], 3, 0, 0


def among(x: Array, others: Array, invert: bool = False) -> Any:
    return np.isin(x, others, invert=invert)


def isins(dtype: DType) -> Iterator[Any]:
    yield With((array(dtype, (3, 4)), array(dtype, (2, 2), key=1)))
    yield With((array(dtype, (3, 4)), array(dtype, (0,))))
    yield With((array(dtype, (5,)), array(dtype, (5,), key=1)), {"invert": True})
    for invert in (False, True):
        yield With((2, np.array([[1, 2], [3, 4]], dtype.numpy)), {"invert": invert})
        yield With((7, np.array([[1, 2], [3, 4]], dtype.numpy)), {"invert": invert})
    x, others = array(dtype, (6, 7)), array(dtype, (4, 8), key=1)
    others.reshape(-1)[:12:3] = x.reshape(-1)[:4]
    if dtype.is_floating_point:
        x[5], others[3, :4] = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0), (np.nan, np.inf, -0.0, 2.0)
    yield With((x, others))


def out_of_range() -> list[Refused]:
    x = np.zeros((2, 3), np.float32)
    return [Refused((x, 4), ValueError, "out of range"), Refused((x, 1, 2), IndexError, "Dimension out of range")]


def no_dim() -> list[Refused]:
    return [Refused((np.zeros(3, np.float32), 1), IndexError, "Dimension out of range")]


def bad_counts() -> list[Refused]:
    return [
        Refused((np.array([1, -1]),), ValueError, "negative"),
        Refused((np.array([1.0, 2.0]),), TypeError, "float64"),
        Refused((np.zeros((2, 2), np.int64),), ValueError, r"\[2, 2\]"),
    ]


def bad_quantiles() -> list[Refused]:
    x = np.zeros(3, np.float32)
    return [
        Refused((x, 1.5), ValueError, "from 0 to 1"),
        Refused((x.astype(np.int64), 0.5), TypeError, "int64"),
        Refused((x[:0], 0.5), ValueError, "no elements"),
        Refused((x, 0.5), ValueError, "interpolation", {"interpolation": "cubic"}),
    ]


TRIPLE = (SAME, INT64, INT64)
UNIQUES = tuple(dtype for dtype in (*table.UNIQUE.dtypes, *table.UNIQUE.via) if dtype is not d.uint64)

RECORDS = [
    Record("sort", sorting.sort, ordered, sorts, (table.SORT,), REAL, (SAME, INT64), refuses=COMPLEX, refused=no_dim),
    Record(
        "argsort", sorting.argsort, lambda *args, **others: ordered(*args, **others)[1], sorts, dtypes=(d.float32, d.int64), result=INT64
    ),
    Record("msort", sorting.msort, lambda x: ordered(x, 0)[0], lambda dtype: [(array(dtype, (4, 3)),)], dtypes=(d.float32,), result=SAME),
    Record("topk", sorting.topk, first, tops, (table.TOPK, table.TOPK_EXACT), (*REAL, d.uint64), (SAME, INT64), refused=out_of_range),
    Record("kthvalue", sorting.kthvalue, kth, kths, dtypes=(*FLOATS, *INTS), result=(SAME, INT64), refused=out_of_range),
    Record("median", sorting.median, middle, middles(False), dtypes=(*FLOATS, *INTS), result=SAME, refused=no_dim),
    Record("median.dim", sorting.median, middle, middles(True), dtypes=(*FLOATS, *INTS), result=(SAME, INT64)),
    Record("quantile", sorting.quantile, quantile, quantiles, dtypes=FLOATS, result=SAME, out=True, refused=bad_quantiles),
    Record("unique", sorting.unique, unique, uniques(dim=False), (table.UNIQUE,), UNIQUES, TRIPLE),
    Record("unique.values", sorting.unique, unique, values_only, dtypes=(d.float32, d.int64), result=SAME),
    Record("unique.dim", sorting.unique, unique, uniques(dim=True), (table.UNIQUE_DIM,), (d.float32, d.float64, d.int64, d.uint8), TRIPLE),
    Record("unique_consecutive", sorting.unique_consecutive, runs, run_samples, (table.UNIQUE_CONSECUTIVE,), REAL, TRIPLE),
    Record(
        "searchsorted", sorting.searchsorted, searched, searches, (table.SEARCHSORTED,), (d.float32, d.float16, d.bfloat16, *INTS), INT64
    ),
    Record("bincount", sorting.bincount, counts, count_samples, (counting.BINCOUNT,), INTS, INT64, refused=bad_counts),
    Record("bincount.weights", sorting.bincount, counts, weighted_samples, dtypes=(d.float32, d.float64), result=SAME),
    Record("histc", sorting.histc, histogram, histograms, (counting.HISTC,), (d.float32, d.float16, d.bfloat16, d.int32, d.int64), SAME),
    Record("isin", sorting.isin, among, isins, dtypes=(d.float32, d.float64, d.int64, d.uint64), result=d.bool_),
]
