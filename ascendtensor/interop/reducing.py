"""Reductions and running reductions in NumPy's words: `axis`, `keepdims`, `initial`, `where`, `out`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from .. import dtypes as d
from ..base import T, TensorBase
from ..errors import DTypeError, ValueRangeError
from ..ops import reduction, shape, views
from ..ops.pointwise import comparison, elementwise
from ..shapes import normalize_dims, several
from . import numpy as border


class Reduction(NamedTuple):
    """A function that takes axes away."""

    function: Callable[..., Any]
    combine: Callable[..., Any]
    """The same of two operands: what `initial` is joined by."""
    identity: Any
    """What elements left out by `where` count as; None where there is none."""
    has_dtype: bool = False
    name: str = ""


def _logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    if x.desc.dtype.is_complex:
        raise DTypeError("complex numbers are refused, as by NumPy", where="logaddexp.reduce")
    return reduction.logsumexp(x, tuple(range(x.ndim)) if axis is None else axis, keepdims)


SUM: Final = Reduction(reduction.sum, elementwise.add, 0, True)
PROD: Final = Reduction(reduction.prod, elementwise.mul, 1, True)
MAX: Final = Reduction(reduction.amax, elementwise.maximum, None, name="maximum")
MIN: Final = Reduction(reduction.amin, elementwise.minimum, None, name="minimum")
ALL: Final = Reduction(reduction.all, comparison.logical_and, True)
ANY: Final = Reduction(reduction.any, comparison.logical_or, False)
LOGSUMEXP: Final = Reduction(_logsumexp, elementwise.add, None, name="logaddexp")


def reduced(
    how: Reduction,
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """A reduction in NumPy's words.

    Raises:
        ValueRangeError: `where` is given for a reduction that has no identity, without `initial`.
    """
    (x,) = border.tensors(x)
    keep = border.is_set(keepdims)
    start = initial if border.is_given(initial) else None
    if border.is_given(where) and where is not True:
        neutral = start if how.identity is None else how.identity
        if neutral is None:
            raise ValueRangeError("where= needs initial= here, since the reduction has no identity", where=how.function.__name__)
        x = comparison.where(border.mask(where, x), x, neutral)
    if how.has_dtype:
        x = border.cast(x, dtype)
    result = _emptied(x, axis, keep, start, how.name) if how.identity is None else None
    if result is None:
        result = _over(how, x, axis, keep)
        if start is not None:
            result = how.combine(result, *border.operands(start))
    return border.put(result if how.has_dtype else border.cast(result, dtype), out)


def worded(how: Reduction, x: T, dim: Any, axis: Any, keep: bool, dtype: Any = None) -> T:
    """A reduction by a method that was given NumPy's `axis` or `keepdims`."""
    result: T = reduced(how, x, one_word(how.function.__name__, dim, axis), dtype, None, keep)
    return result


def one_word(function: str, dim: Any, axis: Any) -> Any:
    """`dim` or `axis`, of which one is given.

    Raises:
        DTypeError: Both are.
    """
    if dim is not None and axis is not None:
        raise DTypeError("dim and axis mean the same: give one of them", where=function)
    return axis if dim is None else dim


def of_no_axis(axis: Any) -> bool:
    """Whether each element is to be reduced by itself: an empty tuple, which for PyTorch's functions means all axes."""
    return isinstance(axis, tuple) and not axis


def _over(how: Reduction, x: Any, axis: Any, keep: bool) -> Any:
    if of_no_axis(axis):
        if how.identity is True or how.identity is False:
            return x.to(d.bool_, copy=True)
        whole = how.has_dtype and x.desc.dtype.category <= d.INTEGER
        return x.to(d.int64 if whole else x.desc.dtype, copy=True)
    return how.function(x, tuple(axis) if isinstance(axis, list) else axis, keep)


def _emptied(x: Any, axis: Any, keep: bool, start: Any, name: str) -> Any:
    """What a maximum over nothing is when `initial` says so; None where there is something to reduce.

    Raises:
        ValueRangeError: It does not say so.
    """
    if x.desc.numel:
        return None
    taken = normalize_dims(axis, x.ndim)
    if all(x.shape[dim] for dim in taken):
        return None
    if start is None:  # Dask knows this by NumPy's words
        raise ValueRangeError(f"zero-size array to reduction operation {name} which has no identity").with_context(name, (x,))
    lengths = [1 if dim in taken else length for dim, length in enumerate(x.shape) if keep or dim not in taken]
    return x.new_full(tuple(lengths), start)


def running(function: Callable[..., Any], x: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """A running reduction in NumPy's words; over the flattened elements if `axis` is None."""
    (x,) = border.tensors(x)
    x = border.cast(x, dtype)
    if axis is None:
        x, axis = views.reshape(x, -1), 0
    x = border.vector(x, axis)
    found = function(x, axis)
    return border.put(found if isinstance(found, TensorBase) else found[0], out)


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    """Means; of bool and integers in the default dtype. Like: numpy.mean."""
    (a,) = border.tensors(a)
    a = border.floating(border.cast(a, dtype))
    keep = border.is_set(keepdims)
    if not border.is_given(where) or where is True:
        return border.put(shape.clone(a) if of_no_axis(axis) else reduction.mean(a, axis, keep), out)
    chosen = border.spread(border.mask(where, a), a.shape)
    total = reduced(SUM, comparison.where(chosen, a, 0), axis, keepdims=keep)
    return border.put(total / border.cast(reduced(SUM, chosen, axis, keepdims=keep), total.desc.dtype), out)


def spread_of(
    function: Callable[..., Any],
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Variances and standard deviations: NumPy divides by the number of elements where PyTorch takes one off."""
    border.refuse(function.__name__, where=None if where is True else where, mean=mean)
    (x,) = border.tensors(x)
    x = border.floating(border.cast(x, dtype))
    if border.is_given(correction):
        ddof = correction
    if of_no_axis(axis):
        return border.put((x - x) / (1 - ddof), out)
    return border.put(function(x, axis, keepdim=border.is_set(keepdims), correction=ddof), out)


def one_axis(x: Any, axis: Any) -> tuple[Any, int | None, tuple[int, ...]]:
    """(tensor, axis, shape with lengths 1) for functions along one axis or all, where NumPy takes several axes."""
    taken = normalize_dims(axis, x.ndim)
    if axis is None or not several(axis):
        return x, axis, tuple(1 if dim in taken else length for dim, length in enumerate(x.shape))
    rest = [dim for dim in range(x.ndim) if dim not in taken]
    kept = tuple(1 if dim in taken else length for dim, length in enumerate(x.shape))
    count = 1
    for dim in taken:
        count *= x.shape[dim]
    moved = views.permute(x, (*rest, *taken))
    return views.reshape(moved, (*(x.shape[dim] for dim in rest), count)), -1, kept
