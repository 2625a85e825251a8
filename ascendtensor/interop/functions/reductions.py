"""NumPy's reductions, running sums, statistics."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ... import dtypes as d
from ...errors import ShapeError, ValueRangeError
from ...ops import reduction, shape, sorting, statistics, views
from ...ops.arguments import is_tensor
from ...ops.linalg import vectors
from ...ops.operands import common_dtype
from ...ops.pointwise import comparison, unary
from .. import numpy as border
from .. import reducing
from ..reducing import Reduction
from ..ufuncs import same_dtype


def _plain(how: Reduction) -> Callable[..., Any]:
    """Of the signature (a, axis, dtype, out, keepdims, initial, where)."""

    def function(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
    ) -> Any:
        return reducing.reduced(how, a, axis, dtype, out, keepdims, initial, where)

    return function


def _keeping(how: Reduction) -> Callable[..., Any]:
    """Of the signature (a, axis, out, keepdims, initial, where)."""

    def function(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
        return reducing.reduced(how, a, axis, None, out, keepdims, initial, where)

    return function


def _truth(how: Reduction) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
        return reducing.reduced(how, a, axis, None, out, keepdims, None, where)

    return function


def _position(function: Callable[..., Any]) -> Callable[..., Any]:
    def position(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        return border.put(function(a, axis, border.is_set(keepdims)), out)

    return position


def _deviation(function: Callable[..., Any]) -> Callable[..., Any]:
    def deviation(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **options: Any
    ) -> Any:
        return reducing.spread_of(function, a, axis, dtype, out, ddof, keepdims, **options)

    return deviation


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    truth = a if a.desc.dtype is d.bool_ else comparison.ne(a, 0)
    return reducing.reduced(reducing.SUM, truth, axis, keepdims=keepdims)


# NaN left out


def _without_nan(a: Any, value: Any) -> Any:
    return comparison.where(comparison.isnan(a), value, a) if a.desc.dtype.category > d.INTEGER else a


def _replacing(value: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a tensor with a value in the place of each NaN."""

    @functools.wraps(function)
    def replaced(a: Any, *args: Any, **options: Any) -> Any:
        return function(_without_nan(a, value), *args, **options)

    return replaced


def _nan_extreme(how: Reduction, worst: float) -> Callable[..., Any]:
    def extreme(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
        if a.desc.dtype.category <= d.INTEGER:
            return reducing.reduced(how, a, axis, None, out, keepdims, initial, where)
        found = reducing.reduced(how, _without_nan(a, worst), axis, None, None, keepdims, initial, where)
        if border.is_given(initial):
            return border.put(found, out)
        none = reducing.reduced(reducing.ALL, comparison.isnan(a), axis, None, None, keepdims, None, where)
        return border.put(comparison.where(none, math.nan, found), out)

    return extreme


def _mean_and_count(a: Any, axis: Any, keep: bool) -> tuple[Any, Any]:
    total, count = (reducing.reduced(reducing.SUM, x, axis, keepdims=keep) for x in (_without_nan(a, 0), ~comparison.isnan(a)))
    return total / border.cast(count, total.desc.dtype), count


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = None) -> Any:
    border.refuse("nanmean", where=None if where is True else where)
    a = border.floating(border.cast(a, dtype))
    return border.put(_mean_and_count(a, axis, border.is_set(keepdims))[0], out)


def _nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **options: Any) -> Any:
    if border.is_given(options.get("correction")):
        ddof = options.pop("correction")
    border.refuse("nanvar", **{name: None if value is True else value for name, value in options.items()})
    a = border.floating(border.cast(a, dtype))
    keep = border.is_set(keepdims)
    middle, _ = _mean_and_count(a, axis, True)
    squares = comparison.where(comparison.isnan(a), 0, unary.abs(a - middle) ** 2)
    total, count = (reducing.reduced(reducing.SUM, x, axis, keepdims=keep) for x in (squares, ~comparison.isnan(a)))
    count = count - ddof
    return border.put(comparison.where(count > 0, total / border.cast(count, total.desc.dtype), math.nan), out)


def _nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, **options: Any) -> Any:
    return border.put(unary.sqrt(_nanvar(a, axis, dtype, None, ddof, keepdims, **options)), out)


# Running


def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    def running(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return reducing.running(function, a, axis, dtype, out)

    return running


def _cumulative(function: Callable[..., Any], first: int) -> Callable[..., Any]:
    def running(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
        if axis is None and x.ndim != 1:
            raise ShapeError(f"an axis is needed for {x.ndim} dimensions").with_context(
                f"cumulative_{function.__name__.removeprefix('cum')}", (x,)
            )
        found = reducing.running(function, x, axis or 0, dtype)
        if include_initial:
            lengths = list(found.shape)
            lengths[axis or 0] = 1
            found = shape.cat([found.new_full(tuple(lengths), first), found], axis or 0)
        return border.put(found, out)

    return running


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    given = [value if border.is_given(value) else None for value in (prepend, append)]
    a, *edges = border.operands(a, *given)
    if n == 0:
        return a
    a = border.cast(a, common_dtype(a, *(value for value in edges if value is not None)))  # 0 beside truth values is a number

    def edge(value: Any) -> Any:
        if value is None:
            return None
        lengths = list(a.shape)
        lengths[axis] = 1
        return value if is_tensor(value) and value.ndim else a.new_full(tuple(lengths), value.item() if is_tensor(value) else value)

    return statistics.diff(a, n, axis, *map(edge, edges))


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary, *ends = border.tensors(ary, to_end, to_begin)
    flat = views.reshape(ary, -1)
    parts = [None if end is None else border.cast(views.reshape(end, -1), ary.desc.dtype) for end in ends]
    return shape.cat([part for part in (parts[1], flat[1:] - flat[:-1], parts[0]) if part is not None], 0)


# Order statistics


def _kept(result: Any, kept: tuple[int, ...], keepdims: Any, lead: tuple[int, ...] = ()) -> Any:
    return views.reshape(result, (*lead, *kept)) if border.is_set(keepdims) else result


def _median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    a = border.floating(a)
    a, dim, kept = reducing.one_axis(a, axis)
    if dim is None or not a.ndim:
        a, dim = views.reshape(a, -1), 0
    length = a.shape[dim]
    if not length:
        return border.put(_kept(reduction.mean(a, dim), kept, keepdims), out)
    ordered = sorting.sort(a, dim)[0]
    low, high = (views.select(ordered, dim, place) for place in ((length - 1) // 2, length // 2))
    middle = low if length % 2 else (low + high) / 2
    last = views.select(ordered, dim, length - 1)  # NaN, if there is one
    return border.put(_kept(comparison.where(comparison.isnan(last), last, middle), kept, keepdims), out)


def _nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    if not a.desc.numel:
        return _median(a, axis, out, keepdims=keepdims)
    return _nanquantile(a, 0.5, axis, out, keepdims=keepdims)


def _fractions(function: Callable[..., Any], scale: float) -> Callable[..., Any]:
    def quantile(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
        **options: Any,
    ) -> Any:
        border.refuse("quantile", weights=weights, **options)
        a, dim, kept = reducing.one_axis(border.floating(a), axis)
        fractions = np.asarray(border.host(q), np.float64)
        flat = [value / scale for value in fractions.reshape(-1).tolist()]
        if function is statistics.nanquantile and not a.desc.numel and not a.desc.dtype.is_complex:
            found = shape.stack([reduction.mean(a, dim)] * len(flat))  # NaN, of no elements
        else:
            found = function(a, flat, dim, interpolation=method)
        lead = fractions.shape
        return border.put(_kept(views.reshape(found, (*lead, *found.shape[1:])), kept, keepdims, lead), out)

    return quantile


_quantile: Final = _fractions(sorting.quantile, 1)
_nanquantile: Final = _fractions(statistics.nanquantile, 1)


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    high, low = (reducing.reduced(how, a, axis, keepdims=keepdims) for how in (reducing.MAX, reducing.MIN))
    return border.put(high - low, out)


# Moments


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    a, weights = border.tensors(a, weights)
    keep = border.is_set(keepdims)
    if reducing.of_no_axis(axis):  # each element by itself, as over one more axis of length 1
        a, weights = (x if x is None else views.unsqueeze(x, -1) for x in (a, weights))
        axis, keep = -1, False
    return statistics.average(border.floats(a, weights)[0], axis, weights, returned, keepdim=keep)


def _cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    m, y, fweights, aweights = border.tensors(m, y, fweights, aweights)
    rows = _rows(border.cast(m, dtype), y, rowvar)
    correction = (0 if bias else 1) if ddof is None else ddof
    return vectors.cov(rows, correction=correction, fweights=fweights, aweights=aweights)


def _rows(m: Any, y: Any, rowvar: bool) -> Any:
    def upright(x: Any) -> Any:
        return x.T if not rowvar and x.ndim == 2 else x

    m, y = border.floats(m, y)
    return upright(m) if y is None else shape.cat([views.atleast_2d(upright(m)), views.atleast_2d(upright(y))], 0)


def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    x, y = border.tensors(x, y)
    return vectors.corrcoef(_rows(border.cast(x, dtype), y, rowvar))


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    y, x = border.floats(*border.tensors(y, x))
    return statistics.trapezoid(y, dx=dx, dim=axis) if x is None else statistics.trapezoid(y, x, dim=axis)


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f, *steps = border.operands(f, *varargs)
    if axis is not None and not f.ndim:
        raise ShapeError("a tensor of no dimensions has no slope").with_context("gradient", (f,))
    spacing = None if not steps else steps[0] if len(steps) == 1 and not is_tensor(steps[0]) else steps
    found = statistics.gradient(border.floats(f, *steps)[0], spacing=spacing, dim=axis, edge_order=edge_order)
    return found[0] if len(found) == 1 else tuple(found)


def _bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    x, weights = border.tensors(x, weights)
    x = border.cast(x, d.uint8) if x.desc.dtype is d.bool_ else x
    return sorting.bincount(x, weights, minlength)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements lie between each two edges, and the edges. Like: numpy.histogram."""
    if isinstance(bins, str):
        raise ValueRangeError(f"bins={bins!r} is not there for tensors", where="histogram", advice="Give a number of bins, or their edges.")
    a, bins, weights = border.operands(a, bins, weights)
    a, edges = border.floats(a, bins)
    if is_tensor(bins):
        a, bins = same_dtype(a, edges)
    if a.desc.dtype in (d.float16, d.bfloat16):
        a, bins = (border.cast(x, d.float32) if is_tensor(x) else x for x in (a, bins))
    weights = None if weights is None else border.cast(weights, a.desc.dtype)
    counts, edges = statistics.histogram(a, bins, range=range, weight=weights, density=bool(density))
    whole = weights is None and not density
    return (border.cast(counts, d.int64) if whole else counts), edges


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "all": _truth(reducing.ALL),
    "any": _truth(reducing.ANY),
    "argmax": _position(reduction.argmax),
    "argmin": _position(reduction.argmin),
    "average": _average,
    "bincount": _bincount,
    "corrcoef": _corrcoef,
    "count_nonzero": _count_nonzero,
    "cov": _cov,
    "cumprod": _along(reduction.cumprod),
    "cumsum": _along(reduction.cumsum),
    "cumulative_prod": _cumulative(reduction.cumprod, 1),
    "cumulative_sum": _cumulative(reduction.cumsum, 0),
    "diff": _diff,
    "ediff1d": _ediff1d,
    "gradient": _gradient,
    "histogram": histogram,
    "max": _keeping(reducing.MAX),
    "mean": reducing.mean,
    "median": _median,
    "min": _keeping(reducing.MIN),
    "nanargmax": _replacing(-math.inf, _position(reduction.argmax)),
    "nanargmin": _replacing(math.inf, _position(reduction.argmin)),
    "nancumprod": _replacing(1, _along(reduction.cumprod)),
    "nancumsum": _replacing(0, _along(reduction.cumsum)),
    "nanmax": _nan_extreme(reducing.MAX, -math.inf),
    "nanmean": _nanmean,
    "nanmedian": _nanmedian,
    "nanmin": _nan_extreme(reducing.MIN, math.inf),
    "nanpercentile": _fractions(statistics.nanquantile, 100),
    "nanprod": _replacing(1, _plain(reducing.PROD)),
    "nanquantile": _nanquantile,
    "nanstd": _nanstd,
    "nansum": _replacing(0, _plain(reducing.SUM)),
    "nanvar": _nanvar,
    "percentile": _fractions(sorting.quantile, 100),
    "prod": _plain(reducing.PROD),
    "ptp": _ptp,
    "quantile": _quantile,
    "std": _deviation(reduction.std),
    "sum": _plain(reducing.SUM),
    "trapezoid": _trapezoid,
    "var": _deviation(reduction.var),
}
FUNCTIONS["amax"], FUNCTIONS["amin"] = FUNCTIONS["max"], FUNCTIONS["min"]
