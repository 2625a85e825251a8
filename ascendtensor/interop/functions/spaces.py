"""NumPy's functions that divide an interval: evenly spaced numbers, histograms of several dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ... import dtypes as d
from ...errors import DTypeError, ShapeError, UnsupportedError, ValueRangeError
from ...ops import reduction, shape, sorting, views
from ...ops.arguments import is_tensor
from ...ops.call import made
from ...ops.pointwise import comparison, elementwise, unary
from ...ops.table.creation import RANGE
from ...shapes import several
from .. import numpy as border
from ..ufuncs import same_dtype
from .reductions import histogram

# Evenly spaced numbers


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Numbers from `start` to `stop`, along a new axis, where these are tensors. Like: numpy.linspace."""
    count = _count(num, "linspace")
    first, last = same_dtype(*border.floats(*border.tensors(start, stop)))
    whole = dtype is not None and d.as_dtype(dtype).category <= d.INTEGER
    parts = count - 1 if endpoint else count
    width = last - first
    step = width / parts if parts > 0 else width * math.nan
    steps = border.cast(made(RANGE, (0, count, 1), (count, d.int64), first), first.desc.dtype)
    steps = views.reshape(steps, (-1, *(1,) * len(width.desc.shape)))
    found = steps * step + first if parts > 0 else steps * width + first
    if endpoint and count > 1:
        found = shape.cat([found[:-1], views.unsqueeze(border.spread(last, width.desc.shape), 0)], 0)
    found = views.movedim(unary.floor(found) if whole else found, 0, axis)
    found = border.cast(found, dtype) if device is None else border.cast(found, dtype).to(device)
    return (found, step) if retstep else found


def _logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0) -> Any:
    if np.shape(base):
        raise UnsupportedError("base= of several numbers is not there for tensors", where="logspace", advice="Give one number.")
    start, stop, base = border.floats(*border.tensors(start, stop, base))
    return border.cast(elementwise.pow(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def _geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    first, last = same_dtype(*border.floats(*border.tensors(start, stop)))
    if first.desc.dtype.is_complex:
        raise DTypeError("complex numbers are not there for tensors", where="geomspace", advice="Take .numpy() of them.")
    if not reduction.all(elementwise.mul(first, last) > 0).item():
        raise ValueRangeError("both ends must lie on one side of 0", where="geomspace")
    sign, first, last = comparison.where(first > 0, 1, -1), unary.abs(first), unary.abs(last)
    found = unary.exp(linspace(unary.log(first), unary.log(last), num, endpoint))
    count = found.shape[0]
    ends = [views.unsqueeze(border.spread(end, found.shape[1:]), 0) for end in (first, last)]
    if endpoint and count > 1:
        found = shape.cat([ends[0], found[1:-1], ends[1]], 0)
    elif count:
        found = shape.cat([ends[0], found[1:]], 0)
    return border.cast(views.movedim(found * border.cast(sign, found.desc.dtype), 0, axis), dtype)


def _count(num: Any, function: str) -> int:
    count = int(border.host(num))
    if count < 0:
        raise ValueRangeError(f"the number of samples must not be negative, it is {count}", where=function)
    return count


# Histograms


def _histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    return histogram(a, bins, range)[1]


def _histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Any, Any]:
    if isinstance(sample, (list, tuple)):
        columns = list(same_dtype(*border.floats(*border.tensors(*sample))))
    else:
        (sample,) = border.floats(*border.tensors(sample))
        columns = list(views.unbind(sample, 1)) if sample.ndim == 2 else [sample]
    if any(column.ndim != 1 for column in columns):
        raise ShapeError("a matrix, or vectors, are needed", where="histogramdd").with_context("histogramdd", columns)
    if not several(bins):
        bins = [bins] * len(columns)
    ranges = [None] * len(columns) if range is None else list(range)
    if len(bins) != len(columns) or len(ranges) != len(columns):
        raise ValueRangeError(f"bins and range must be given for each of the {len(columns)} dimensions", where="histogramdd")
    edges = [_edges(column, each, one) for column, each, one in zip(columns, bins, ranges, strict=True)]
    counts = _counted(columns, edges, weights)
    if density:
        total = reduction.sum(counts)
        for dim, edge in enumerate(edges):
            widths = border.cast(edge[1:] - edge[:-1], counts.desc.dtype)
            counts = counts / views.reshape(widths, (-1, *(1,) * (len(edges) - dim - 1)))
        counts = counts / total
    return counts, edges


def _edges(column: Any, bins: Any, range: Any) -> Any:
    if np.ndim(border.host(bins)):
        (edges,) = border.tensors(column, bins)[1:]
        return border.cast(edges, column.desc.dtype)
    if range is None:
        low, high = (column.min(), column.max()) if column.desc.numel else (0.0, 1.0)
        low, high = (float(end) for end in (low, high))
    else:
        low, high = map(float, range)
    if low == high:
        low, high = low - 0.5, high + 0.5
    if not low < high or not math.isfinite(high - low):
        raise ValueRangeError(f"the range [{low}, {high}] has no width that is finite", where="histogramdd")
    ends = border.tensors(column, low, high)[1:]
    low, high = (border.cast(end, column.desc.dtype) for end in ends)
    return linspace(low, high, int(bins) + 1)


def _counted(columns: Sequence[Any], edges: Sequence[Any], weights: Any) -> Any:
    """How many rows lie in each cell; the last bin of each dimension has both of its edges."""
    place: Any = None
    inside: Any = None
    sizes = tuple(edge.shape[0] - 1 for edge in edges)
    for column, edge, size in zip(columns, edges, sizes, strict=True):
        at = sorting.searchsorted(edge, column, right=True) - 1
        at = comparison.where(column == edge[-1], size - 1, at)
        fits = (at >= 0) & (at < size)
        at = elementwise.clamp(at, 0, size - 1)
        place = at if place is None else place * size + at
        inside = fits if inside is None else inside & fits
    cells = math.prod(sizes)
    place = comparison.where(inside, place, cells)
    weights = None if weights is None else border.cast(border.tensors(columns[0], weights)[1], columns[0].desc.dtype)
    found = sorting.bincount(place, weights, cells + 1)[:cells]
    return views.reshape(border.cast(found, columns[0].desc.dtype), sizes)


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Any, Any, Any]:
    if is_tensor(bins) or isinstance(bins, np.ndarray) or (isinstance(bins, (list, tuple)) and len(bins) not in (1, 2)):
        bins = [bins, bins]  # the edges of both
    counts, (first, second) = _histogramdd([x, y], bins, range, density, weights)
    return counts, first, second


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "geomspace": _geomspace,
    "histogram2d": _histogram2d,
    "histogram_bin_edges": _histogram_bin_edges,
    "histogramdd": _histogramdd,
    "linspace": linspace,
    "logspace": _logspace,
}
