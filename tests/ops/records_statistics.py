"""Records of statistics: ranks among what is not NaN, modes, averages, differences, integrals, segments, histograms."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOAT, FLOATS, INT64, INTS, SAME, Array, Record, Refused, With, array, d, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import statistics

REAL = (*FLOATS, *INTS, d.uint16, d.uint32)
NAN = np.nan


def holed(dtype: DType, shape: tuple[int, ...]) -> Array:
    """Numbers with repetitions, and NaN among floating ones."""
    values = array(dtype, shape)
    if not dtype.is_floating_point or not values.size:
        return values
    values = np.round(values)
    values[values == 3] = NAN
    return values


def lines(dtype: DType) -> Iterator[Any]:
    for dim in (0, -1):
        for keepdim in (False, True):
            yield (holed(dtype, (4, 9)), dim, keepdim)
    yield (holed(dtype, (2, 3, 4)), 1)
    yield (array(dtype, ()), 0)
    yield (array(dtype, (0, 3)), 1)
    yield (np.full((2, 3), NAN if dtype.is_floating_point else 1).astype(dtype.numpy), 1)
    for view in views(dtype):
        yield (view, 0)


def along(find: Callable[[Array], tuple[Any, int]], x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    rows = np.moveaxis(x.reshape(x.shape or (1,)), dim, -1)
    found = [find(row) for row in rows.reshape(-1, rows.shape[-1])]
    made = [np.array([each[part] for each in found], x.dtype if not part else np.int64).reshape(rows.shape[:-1]) for part in (0, 1)]
    if not x.shape:
        return made[0].reshape(()), made[1].reshape(())
    return (np.expand_dims(made[0], dim), np.expand_dims(made[1], dim)) if keepdim else (made[0], made[1])


def middle(row: Array) -> tuple[Any, int]:
    order = np.argsort(row, kind="stable")
    place = order[max(0, (int((row == row).sum()) - 1) // 2)]
    return row[place], int(place)


def commonest(row: Array) -> tuple[Any, int]:
    values, counts = np.unique(row, return_counts=True, equal_nan=False)
    value = values[counts.argmax()]
    same = np.nonzero(row == value)[0]
    return value, int(same[-1]) if same.size else int(np.nonzero(row != row)[0][0])


def nanmedian(x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return along(middle, x, dim, keepdim)


def mode(x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return along(commonest, x, dim, keepdim)


def quantiles(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (4, 9))
    if not dtype.is_floating_point:
        yield (x, 0.5)
        return
    x[0, 2:] = NAN
    x[1] = NAN
    x[:, 5] = NAN
    for kind in ("linear", "lower", "higher", "nearest", "midpoint"):
        yield With((x, 0.3, 1), {"interpolation": kind})
        yield With((x, [0.0, 0.5, 1.0], 0, True), {"interpolation": kind})
    yield (x, 0.45)
    yield (x.T, 0.25, 1)
    yield With((array(dtype, ()), 0.5))


def nanquantile(x: Array, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear") -> Array:
    if not (x.size if dim is None else x.shape[dim]):
        raise ValueError("no elements")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a row of nothing but NaN
        return np.nanquantile(x, q, axis=dim, keepdims=keepdim, method=interpolation)


def reduced(dtype: DType) -> Iterator[Any]:
    for view in (array(dtype, (3, 4)), *views(dtype)):
        for dim in (None, 0, -1, (0, 1)) if view.ndim > 1 else (None, 0):
            for keepdim in (False, True):
                yield (view, dim, keepdim)
    yield (array(dtype, ()),)


def weighted(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (3, 4), 1, 4)
    yield (x,)
    yield (x, 0)
    yield (x, 1, array(dtype, (4,), 1, 3))
    yield (x, 0, array(dtype, (3,), 1, 3))
    yield (x, None, array(dtype, (3, 4), 1, 3))
    yield With((x.T, 1, array(dtype, (4, 3), 1, 3)), {"keepdim": True})
    yield With((x, 1, array(dtype, (4,), 1, 3), True))


def average(x: Array, dim: Any = None, weights: Any = None, returned: bool = False, keepdim: bool = False) -> Any:
    return np.average(x, dim, weights, returned, keepdims=keepdim)


def scans(dtype: DType) -> Iterator[Any]:
    for dim in (0, 1, -1):
        yield (array(dtype, (5, 9), -30, 30), dim)
    yield (array(dtype, ()), 0)
    yield (array(dtype, (3, 0)), 1)
    yield (np.array([-np.inf, -np.inf, 0, 1, np.inf, 2, NAN, 1], dtype.numpy), 0)
    yield (array(dtype, (1,)), 0)
    for view in views(dtype):
        yield (view, 0)


def logcumsumexp(x: Array, dim: int) -> Array:
    with np.errstate(invalid="ignore"):
        return np.logaddexp.accumulate(x, dim) if x.shape else x


def differences(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (3, 5), 0, 1) if dtype in (d.uint8, d.uint16, d.uint32) else array(dtype, (3, 5))
    if not dtype.is_signed and dtype is not d.bool_:
        x = np.sort(x)
    for order in (0, 1, 2 if dtype.is_signed or dtype.category > 1 else 1, 5, 9):
        yield (x, order)
    if dtype.is_signed or dtype.category > 1 or dtype is d.bool_:
        yield (x, 1, 0)
        yield (x, 1, 1, x[:, :2], x[:, 1:])
        yield (x.T, 2, 0)


def difference(x: Array, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Array:
    x = np.concatenate([each for each in (prepend, x, append) if each is not None], dim)
    for _ in range(n):
        one, other = x.take(range(1, x.shape[dim]), dim), x.take(range(max(x.shape[dim] - 1, 0)), dim)
        x = one != other if x.dtype == np.bool_ else one - other
    return x


def sampled(dtype: DType) -> Iterator[Any]:
    y = array(dtype, (3, 5))
    yield (y,)
    yield With((y,), {"dx": 0.5, "dim": 0})
    yield (y, np.array([0, 1, 3, 4, 7], dtype.numpy))
    yield With((y.T, np.array([0, 1, 3, 4, 7], dtype.numpy)), {"dim": 0})
    yield (y, np.cumsum(np.abs(array(dtype, (3, 5), key=1)).astype(np.float64), 1).astype(dtype.numpy))
    yield (array(dtype, (1,)),)


def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, dim: int = -1) -> Array:
    return np.sum(panels(y, x, dx, dim), dim)


def panels(y: Array, x: Array | None, dx: float, dim: int) -> Array:
    steps: Any = dx
    # Neighbours are added, and places subtracted, without wrapping.
    y, x = (each.astype(np.float64) if each is not None and each.dtype.kind in "iub" else each for each in (y, x))
    if x is not None:
        steps = np.diff(x, axis=dim if x.ndim > 1 else 0)
        steps = steps if x.ndim > 1 else np.moveaxis(steps.reshape(steps.shape + (1,) * (y.ndim - 1)), 0, dim)
    length = y.shape[dim]
    return (y.take(range(length - 1), dim) + y.take(range(1, length), dim)) * steps / 2


def sloping(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (4, 5))
    for order in (1, 2):
        yield With((x,), {"edge_order": order})
        yield With((x,), {"edge_order": order, "dim": 1, "spacing": 2.0})
        yield With((x,), {"edge_order": order, "spacing": (np.array([0, 1, 3, 7], dtype.numpy), np.array([0, 2, 3, 5, 9], dtype.numpy))})


def gradient(x: Array, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Array, ...]:
    given = () if spacing is None else spacing if isinstance(spacing, tuple) else (spacing,)
    found = np.gradient(x, *given, axis=dim, edge_order=edge_order)
    return tuple(found) if isinstance(found, (list, tuple)) else (found,)


def cut(dtype: DType) -> Iterator[Any]:
    x = np.abs(array(dtype, (5, 3)))
    for kind in ("sum", "mean", "max", "min", "prod"):
        for initial in (None, 2.0):
            yield With((x, kind), {"lengths": np.array([2, 0, 1, 2]), "initial": initial})
            yield With((x, kind), {"offsets": np.array([0, 3, 3, 5]), "initial": initial})
            yield With((x.T, kind), {"lengths": np.array([[5, 0], [1, 4], [2, 3]]), "axis": 1, "initial": initial})


def segments(x: Array, kind: str, lengths: Any = None, offsets: Any = None, axis: int = 0, initial: float | None = None) -> Array:
    if axis:
        return np.stack([segments(row, kind, each, initial=initial) for row, each in zip(x, lengths, strict=True)])
    ends = np.cumsum(lengths) if offsets is None else offsets[1:]
    starts = ends - lengths if offsets is None else offsets[:-1]
    starter = {"sum": 0.0, "mean": 0.0, "max": -np.inf, "min": np.inf, "prod": 1.0}[kind] if initial is None else initial
    ufunc = {"sum": np.add, "mean": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}[kind]
    made = [ufunc.reduce(x[start:end], axis=0, initial=starter) for start, end in zip(starts, ends, strict=True)]
    if kind == "mean":
        lost = NAN if initial is None else initial
        made = [total / (end - start) if end > start else total * 0 + lost for total, start, end in zip(made, starts, ends, strict=True)]
    return np.array(made)


def counted(dtype: DType) -> Iterator[Any]:
    x = (np.round(array(dtype, (4, 6)) * 4) / 4).astype(dtype.numpy)
    yield (x, 8)
    yield With((x, 5), {"range": (-2.0, 3.0)})
    yield With((x, 5), {"range": (-2.0, 3.0), "density": True})
    yield With((x, np.array([-3, -1, 0.5, 4], dtype.numpy)), {"weight": np.abs(x)})
    yield (x[:0], 3)
    yield (x[:1, :1], 2)
    yield (x.T, 4)


def histogram(x: Array, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    if weight is None or density:
        return np.histogram(x, bins, range, density, weight)
    # Each bin's own weights: NumPy takes differences of running sums, which one NaN spoils for all.
    edges = np.histogram_bin_edges(x, bins, range)
    inside = (x >= edges[0]) & (x <= edges[-1])
    found = np.zeros(len(edges) - 1, weight.dtype)
    np.add.at(found, np.minimum(np.searchsorted(edges, x[inside], "right") - 1, len(found) - 1), weight[inside])
    return found, edges


WIDE = {d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2), d.float32: (1e-5, 1e-5)}

RECORDS = [
    Record("nanmedian", statistics.nanmedian, nanmedian, lines, dtypes=REAL, result=(SAME, INT64), out=True),
    Record("mode", statistics.mode, mode, lines, dtypes=REAL, result=(SAME, INT64), out=True),
    Record(
        "nanquantile",
        statistics.nanquantile,
        nanquantile,
        quantiles,
        dtypes=FLOATS,
        result=SAME,
        tolerances=WIDE,
        out=True,
        refused=lambda: [
            Refused((np.ones(3), 2.0), ValueError, "q must be"),
            Refused((np.ones(3), 0.5), ValueError, "interpolation", {"interpolation": "cubic"}),
            Refused((np.ones((2, 0)), 0.5, 1), ValueError, "no elements"),
        ],
        refuses=(d.int32, d.complex64),
    ),
    Record(
        "ptp",
        statistics.ptp,
        lambda x, dim=None, keepdim=False: np.ptp(x, dim, keepdims=keepdim),
        reduced,
        dtypes=REAL,
        result=SAME,
        out=True,
        refuses=(d.bool_,),
    ),
    Record(
        "average",
        statistics.average,
        average,
        weighted,
        dtypes=(*FLOATS, d.int32, *COMPLEX),
        result=FLOAT,
        tolerances=WIDE,
        refused=lambda: [Refused((np.ones((2, 3)), 1, np.ones(2)), ValueError, "weights")],
    ),
    Record(
        "logcumsumexp",
        statistics.logcumsumexp,
        logcumsumexp,
        scans,
        dtypes=FLOATS,
        result=SAME,
        tolerances=WIDE,
        out=True,
        refuses=(d.int32, d.complex64),
    ),
    Record(
        "diff",
        statistics.diff,
        difference,
        differences,
        dtypes=(*FLOATS, *INTS, d.bool_, *COMPLEX),
        result=SAME,
        tolerances=WIDE,
        out=True,
        refused=lambda: [Refused((np.array(1.0),), ValueError, "one-dim"), Refused((np.ones(3), -1), ValueError, "non-negative")],
    ),
    Record(
        "trapezoid",
        statistics.trapezoid,
        trapezoid,
        sampled,
        dtypes=(*FLOATS, d.int32, *COMPLEX),
        result=FLOAT,
        tolerances=WIDE,
        refused=lambda: [
            Refused((np.ones((2, 3)), np.ones(2)), ValueError, "one x"),
            Refused((np.ones(3), np.ones(3)), ValueError, "both", {"dx": 1.0}),
            Refused((np.array(1.0),), IndexError),
        ],
        refuses=(d.bool_,),
    ),
    Record("trapz", statistics.trapz, trapezoid, sampled, dtypes=(d.float32,), result=FLOAT, tolerances=WIDE),
    Record(
        "cumulative_trapezoid",
        statistics.cumulative_trapezoid,
        lambda y, x=None, dx=1.0, dim=-1: np.cumsum(panels(y, x, dx, dim), dim),
        sampled,
        dtypes=(*FLOATS, d.int32, *COMPLEX),
        result=FLOAT,
        tolerances=WIDE,
    ),
    Record(
        "gradient",
        statistics.gradient,
        gradient,
        sloping,
        dtypes=(d.float32, d.float64, *COMPLEX),
        result=SAME,
        tolerances=WIDE,
        refused=lambda: [
            Refused((np.ones(1),), ValueError, "edge_order"),
            Refused((np.ones(3),), ValueError, "1 or 2", {"edge_order": 3}),
            Refused((np.ones(3),), ValueError, "spacings", {"spacing": [1.0, 2.0]}),
        ],
    ),
    Record(
        "segment_reduce",
        statistics.segment_reduce,
        segments,
        cut,
        dtypes=FLOATS,
        result=SAME,
        tolerances=WIDE,
        refused=lambda: [
            Refused((np.ones(3), "median"), ValueError, "reduce must be", {"lengths": np.array([3])}),
            Refused((np.ones(3), "sum"), ValueError, "one of lengths"),
            Refused((np.ones(3), "sum"), ValueError, "leading dims", {"lengths": np.array([[3]])}),
        ],
        refuses=(d.int32,),
    ),
    Record(
        "histogram",
        statistics.histogram,
        histogram,
        counted,
        dtypes=(d.float32, d.float64),
        result=(SAME, SAME),
        out=True,
        refused=lambda: [
            Refused((np.ones(3), 0), ValueError, "positive"),
            Refused((np.ones(3), 2), ValueError, "is none", {"range": (2.0, 1.0)}),
            Refused((np.ones(3), 2), ValueError, "one weight", {"weight": np.ones(2)}),
            Refused((np.ones(3), np.ones(1)), ValueError, "at least two"),
        ],
        refuses=(d.float16, d.int32),
    ),
]
