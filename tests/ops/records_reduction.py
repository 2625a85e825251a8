"""Records of reductions and of running sums, products and extremes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INT64, INTS, SAME, Arguments, Array, Record, Refused, With, array, d, edges, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import reduction
from ascendtensor.ops.table import reduction as table

UNSIGNED = (d.uint16, d.uint32)
REAL = (*FLOATS, *INTS, *UNSIGNED)

DIMS: tuple[Any, ...] = (None, 0, 1, -1, (0, 2), [1, -1], ())
"""For operands of three dims."""


def over(function: Callable[..., Any], *, every: bool = True) -> Callable[..., Any]:
    """A NumPy reduction with PyTorch's words; `()` means all dims."""

    def reference(x: Array, dim: Any = None, keepdim: bool = False, **others: Any) -> Any:
        axis = tuple(dim) if isinstance(dim, list) else None if dim == () and every else dim
        if x.ndim == 0 and axis is not None:
            axis = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns of empty slices
            return function(x, axis=axis, keepdims=keepdim, **others)

    return reference


def spans(
    low: float = -4, high: float = 4, *, empty: bool = True, several: bool = True, edge: bool = True
) -> Callable[[DType], Iterator[With]]:
    """Operands of every rank with dims to go; views; edge values."""

    def samples(dtype: DType) -> Iterator[With]:
        cube = array(dtype, (3, 4, 5), low, high)
        for dim in DIMS if several else (None, 0, 1, -1):
            yield With((cube,), {"dim": dim})
        yield With((cube,), {"dim": 1, "keepdim": True})
        yield With((cube,), {"keepdim": True})
        yield With((array(dtype, (), low, high),))
        yield With((array(dtype, (), low, high),), {"dim": 0})
        yield With((array(dtype, (1, 1), low, high),), {"dim": 0})
        for view in views(dtype, low, high):
            yield With((view,), {"dim": -1})
        if empty:
            yield With((array(dtype, (0,)),))
            yield With((array(dtype, (2, 0, 3)),), {"dim": 1})
        yield With((array(dtype, (2, 0, 3)),), {"dim": 2})
        if edge:
            yield With((edges(dtype)[:, None],), {"dim": 1})

    return samples


def total(dtype: DType) -> DType:
    """Integers are added up in int64."""
    return dtype if dtype.category >= 2 else d.int64


def real(dtype: DType) -> DType:
    return dtype.to_real()


def int64_total(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, **others: Any) -> Any:
        return over(function)(x.astype(np.int64) if x.dtype.kind in "iub" else x, **others)

    return reference


def no_such_dim() -> list[Refused]:
    return [Refused((np.zeros((2, 3), np.float32), 2), IndexError, r"Dimension out of range")]


def no_elements() -> list[Refused]:
    return [
        *no_such_dim(),
        Refused((np.zeros((0, 3), np.float32),), ValueError, r"Expected reduction dim to be specified for input.numel\(\) == 0"),
        Refused((np.zeros((0, 3), np.float32), 0), IndexError, "Expected reduction dim 0 to have non-zero size"),
    ]


# Extremes with their indices


def extreme_and_index(pick: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
        work = x.reshape(x.shape or (1,))
        indices = np.expand_dims(pick(work, axis=dim), dim)
        values = np.take_along_axis(work, indices, dim)
        if keepdim and x.shape:
            return values, indices
        shape = np.squeeze(indices, dim).shape
        return values.reshape(shape), indices.reshape(shape)

    return reference


def one_dim(dtype: DType) -> Iterator[With]:
    for sample in spans(several=False, empty=False, edge=False)(dtype):
        if sample.kwargs.get("dim") is not None and sample.args[0].size:
            yield sample
    if dtype.is_floating_point:
        yield With((np.array([[1, np.nan, 2], [-np.inf, 0, np.inf]], dtype.numpy),), {"dim": 1})
    yield With((array(dtype, (4, 1)),), {"dim": 1})


def index_reference(pick: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, dim: int | None = None, keepdim: bool = False) -> Any:
        return np.asarray(pick(x.reshape(x.shape or (1,)), axis=dim, keepdims=keepdim)).reshape(
            () if not x.shape else pick(x, axis=dim, keepdims=keepdim).shape
        )

    return reference


# Deviations


def deviation(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, dim: Any = None, keepdim: bool = False, correction: float = 1) -> Any:
        return over(function)(x, dim, keepdim, ddof=correction)

    return reference


def deviations(dtype: DType) -> Iterator[With]:
    for sample in spans(edge=False, empty=False)(dtype):
        if sample.args[0].size:
            yield sample
    yield With((array(dtype, (3, 5)),), {"dim": 1, "correction": 0})
    yield With((array(dtype, (3, 5)),), {"dim": 0, "correction": 2, "keepdim": True})
    yield With((array(dtype, (7,), 100, 104),))


def moments(root: bool) -> Callable[..., Any]:
    def reference(x: Array, **others: Any) -> tuple[Any, Any]:
        found = deviation(np.std if root else np.var)(x, **others)
        return found, over(np.mean)(x, others.get("dim"), others.get("keepdim", False))

    return reference


def log_sum(x: Array, dim: Any, keepdim: bool = False) -> Any:
    axis = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    return np.logaddexp.reduce(x.astype(np.float64), axis=axis if x.shape else None, keepdims=keepdim)


def log_sums(dtype: DType) -> Iterator[With]:
    for sample in spans(edge=False)(dtype):
        dim = sample.kwargs.get("dim")
        if isinstance(dim, int):
            yield sample
    if dtype.is_floating_point:
        yield With((np.array([[1000, 1000], [-1000, -1000], [-np.inf, -np.inf], [np.inf, 1], [np.nan, 1]], dtype.numpy),), {"dim": 1})


def norm_reference(x: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    axis = tuple(dim) if isinstance(dim, list) else None if dim == () else dim
    size, axis = np.abs(x), axis if x.shape else None
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdim)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdim)
    if ord == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdim).astype(size.dtype)
    return np.sum(size**ord, axis=axis, keepdims=keepdim) ** (1 / ord)


def norms(dtype: DType) -> Iterator[With]:
    for order in (2, 1, 0, 3, 2.5, -1.5, float("inf"), float("-inf")):
        for dim in (None, 1, (0, 2)):
            yield With((array(dtype, (3, 4, 5), 0.5, 4), order), {"dim": dim, "keepdim": dim == 1})
    for sample in spans()(dtype):
        yield With((sample.args[0], 2), sample.kwargs)
    yield With((np.zeros(4, dtype.numpy),))


# Scans


def scanned(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, dim: int, dtype: DType | None = None) -> Any:
        kind = dtype.numpy if dtype else np.int64 if x.dtype.kind in "iub" else x.dtype
        return function(x.reshape(x.shape or (1,)), axis=dim, dtype=kind).reshape(x.shape)

    return reference


def scans(low: float = -4, high: float = 4) -> Callable[[DType], Iterator[With]]:
    def samples(dtype: DType) -> Iterator[With]:
        for dim in (0, 1, -1):
            yield With((array(dtype, (3, 4, 5), low, high), dim))
        for view in views(dtype, low, high):
            yield With((view, 0))
        yield With((array(dtype, (), low, high), 0))
        yield With((array(dtype, (2, 0)), 1))

    return samples


def scans_as(low: float = -4, high: float = 4) -> Callable[[DType], Iterator[With]]:
    def samples(dtype: DType) -> Iterator[With]:
        yield from scans(low, high)(dtype)
        if not dtype.is_complex:
            yield With((array(dtype, (5,), low, high), 0), {"dtype": d.float64})

    return samples


def running(function: np.ufunc) -> Callable[..., Any]:
    def reference(x: Array, dim: int) -> tuple[Any, Any]:
        work = x.reshape(x.shape or (1,))
        values = function.accumulate(work, axis=dim)
        steps = np.expand_dims(np.arange(work.shape[dim]), tuple(a for a in range(work.ndim) if a != dim % work.ndim))
        met = np.where((work == values) | (work != work), steps, 0)
        return values.reshape(x.shape), np.maximum.accumulate(met, axis=dim).reshape(x.shape)

    return reference


def run_extremes(dtype: DType) -> Iterator[With]:
    yield from scans()(dtype)
    yield With((np.array([2, 3, 3, 1, 3, 0], dtype.numpy), 0))
    if dtype.is_floating_point:
        yield With((np.array([2, np.nan, 3, np.nan, 1], dtype.numpy), 0))


def counted(x: Array, dim: Any = None) -> Any:
    return over(np.sum)((x != 0).astype(np.int64), dim)


def without_keepdim(samples: Callable[[DType], Iterator[With]]) -> Callable[[DType], Iterator[With]]:
    def fewer(dtype: DType) -> Iterator[With]:
        return (sample for sample in samples(dtype) if "keepdim" not in sample.kwargs)

    return fewer


def nan_samples(dtype: DType) -> Iterator[With]:
    yield from spans(edge=False)(dtype)
    if dtype.is_floating_point:
        holes = np.array([[1, np.nan, 2], [np.nan, np.nan, np.nan], [3, 4, 5]], dtype.numpy)
        yield With((holes,), {"dim": 1})
        yield With((holes,))


def norm_of_integers() -> list[Refused]:
    return [Refused((np.zeros(3, np.int64),), TypeError, "int64")]


def float_only() -> list[Refused]:
    return [Refused((np.zeros(3, np.int64),), TypeError, "int64"), *no_such_dim()]


# Products of halves and long float32 sums round differently
SUMS = {d.float32: (2e-6, 4e-6), d.float16: (2e-3, 4e-3), d.complex64: (4e-6, 8e-6)}
POWERS = {d.float32: (2e-5, 1e-5), d.float64: (1e-11, 1e-11), d.complex64: (2e-5, 1e-5)}


def correlate(name: str, function: Callable[..., Any], reference: Callable[..., Any], **more: Any) -> Record:
    return Record(name, function, deviation(reference), deviations, dtypes=(*FLOATS, *COMPLEX), result=real, tolerances=POWERS, **more)


def long_masks(dtype: DType) -> Iterator[Arguments]:
    """Whole words, some bytes more, all true, a view that starts inside a word, a transposed one."""
    for length in (1 << 18, (1 << 18) + 259):
        yield (array(dtype, (length,)),)
    yield (np.ones((2, 1 << 17), np.bool_),)
    yield (np.ones(127 * 4 * 600, np.bool_),)  # in 127 rows, the most that are added up in a byte
    whole = array(dtype, (521, 509))
    yield (whole.reshape(-1)[3:],)
    yield (whole.T,)


RECORDS = [
    Record("sum.long_mask", reduction.sum, int64_total(np.sum), long_masks, (table.SUM_OF_WORDS,), (d.bool_,), INT64),
    Record(
        "sum",
        reduction.sum,
        int64_total(np.sum),
        spans(),
        (table.SUM,),
        (*REAL, d.bool_, *COMPLEX),
        total,
        SUMS,
        out=True,
        refused=no_such_dim,
    ),
    Record(
        "prod", reduction.prod, int64_total(np.prod), spans(-1.5, 1.5), (table.PROD,), (*REAL, d.bool_, *COMPLEX), total, POWERS, out=True
    ),
    Record("mean", reduction.mean, over(np.mean), spans(), (table.MEAN,), (*FLOATS, *COMPLEX), SAME, SUMS, out=True, refused=float_only),
    Record("nansum", reduction.nansum, int64_total(np.nansum), nan_samples, (table.NANSUM,), (*FLOATS, d.int32), total, SUMS, out=True),
    Record(
        "nanmean",
        reduction.nanmean,
        over(np.nanmean),
        nan_samples,
        dtypes=FLOATS,
        result=SAME,
        tolerances=SUMS,
        out=True,
        refused=float_only,
    ),
    Record(
        "count_nonzero",
        reduction.count_nonzero,
        counted,
        without_keepdim(spans()),
        dtypes=(d.float32, d.int8, d.bool_, d.complex64),
        result=INT64,
    ),
    Record(
        "all", reduction.all, over(np.all, every=False), spans(0, 1), (table.ALL,), (*REAL, d.bool_), d.bool_, out=True, refused=no_such_dim
    ),
    Record(
        "any", reduction.any, over(np.any, every=False), spans(0, 1), (table.ANY,), (*REAL, d.bool_), d.bool_, out=True, refused=no_such_dim
    ),
    Record("amax", reduction.amax, over(np.max), spans(empty=False), (table.AMAX,), (*REAL, d.bool_), SAME, out=True, refused=no_elements),
    Record("amin", reduction.amin, over(np.min), spans(empty=False), (table.AMIN,), (*REAL, d.bool_), SAME, out=True, refused=no_elements),
    Record(
        "aminmax",
        lambda x, **others: reduction.aminmax(x, **others),
        lambda x, **others: (over(np.min)(x, **others), over(np.max)(x, **others)),
        spans(empty=False, several=False),
        dtypes=(d.float32, d.int64),
        result=SAME,
    ),
    Record(
        "max.dim",
        reduction.max,
        extreme_and_index(np.argmax),
        one_dim,
        (table.MAX_DIM,),
        (*REAL, d.bool_),
        (SAME, INT64),
        refused=no_elements,
    ),
    Record(
        "min.dim",
        reduction.min,
        extreme_and_index(np.argmin),
        one_dim,
        (table.MIN_DIM,),
        (*REAL, d.bool_),
        (SAME, INT64),
        refused=no_elements,
    ),
    Record(
        "argmax",
        reduction.argmax,
        index_reference(np.argmax),
        spans(empty=False, several=False),
        (table.ARGMAX, table.SHORT_ARGMAX),
        (*REAL, d.bool_),
        INT64,
        refused=no_elements,
    ),
    Record(
        "argmin",
        reduction.argmin,
        index_reference(np.argmin),
        spans(empty=False, several=False),
        (table.ARGMIN, table.SHORT_ARGMIN),
        (*REAL, d.bool_),
        INT64,
        refused=no_elements,
    ),
    correlate("var", reduction.var, np.var, out=True, refused=float_only),
    correlate("std", reduction.std, np.std, out=True),
    Record("var_mean", reduction.var_mean, moments(False), deviations, dtypes=FLOATS, result=(SAME, SAME), tolerances=POWERS),
    Record("std_mean", reduction.std_mean, moments(True), deviations, dtypes=FLOATS, result=(SAME, SAME), tolerances=POWERS),
    Record("logsumexp", reduction.logsumexp, log_sum, log_sums, dtypes=FLOATS, result=SAME, tolerances=SUMS, out=True),
    Record(
        "vector_norm",
        reduction.vector_norm,
        norm_reference,
        norms,
        (table.NORM,),
        (*FLOATS, *COMPLEX),
        real,
        POWERS,
        out=True,
        refused=norm_of_integers,
    ),
    Record("cumsum", reduction.cumsum, scanned(np.cumsum), scans_as(), (table.CUMSUM,), (*REAL, *COMPLEX), None, SUMS, refused=no_such_dim),
    Record(
        "cumprod", reduction.cumprod, scanned(np.cumprod), scans(-1.5, 1.5), (table.CUMPROD,), (*REAL, *COMPLEX), total, POWERS, out=True
    ),
    Record("cummax", reduction.cummax, running(np.maximum), run_extremes, (table.CUMMAX,), REAL, (SAME, INT64), refused=no_such_dim),
    Record("cummin", reduction.cummin, running(np.minimum), run_extremes, (table.CUMMIN,), REAL, (SAME, INT64), refused=no_such_dim),
]
