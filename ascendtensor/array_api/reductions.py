"""Statistical, searching and utility functions of the standard that take one array apart along axes."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, TypeVar, overload

from .. import dtypes as d
from ..dtypes import dtype as DType
from ..errors import ShapeError
from ..interop.reducing import of_no_axis
from ..ops import gather, reduction, shape, sorting, statistics
from ..ops.arguments import checked
from ..ops.pointwise import comparison
from .array import NPUTensor, promoted

T = TypeVar("T", bound=NPUTensor)

Axis = int | tuple[int, ...] | None


@checked
def sum(x: T, /, *, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False) -> T:
    """Sums; of integers in int64 (uint64 of unsigned ones). Like: numpy.sum.

    Examples:
        >>> xp.sum(xp.asarray([1, 2, 3], dtype=xp.int8)).dtype
        ascendtensor.int64
    """
    return reduction.sum(x, axis, keepdims, dtype=_wide(x, dtype)) if not of_no_axis(axis) else _untouched(x, dtype)


@checked
def prod(x: T, /, *, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False) -> T:
    """Products; of integers in int64 (uint64 of unsigned ones). Like: numpy.prod.

    Examples:
        >>> xp.prod(xp.asarray([2, 3, 4]))
        tensor(24, device='npu:0')
    """
    return reduction.prod(x, axis, keepdims, dtype=_wide(x, dtype)) if not of_no_axis(axis) else _untouched(x, dtype)


def _wide(x: Any, dtype: DType | None) -> DType | None:
    """The dtype of a sum: the default integer, unsigned of unsigned integers."""
    if dtype is None and x.desc.dtype.category == d.INTEGER and not x.desc.dtype.is_signed:
        return d.uint64
    return dtype


def _untouched(x: Any, dtype: DType | None) -> Any:
    """A reduction over no axis: the elements in the dtype that a sum of them has."""
    wanted = _wide(x, dtype) or (d.int64 if x.desc.dtype.category <= d.INTEGER else x.desc.dtype)
    return x.to(wanted, copy=True)


@checked
def max(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The greatest elements. Like: numpy.max.

    Examples:
        >>> xp.max(xp.asarray([[1, 5], [7, 2]]), axis=1)
        tensor([5, 7], device='npu:0')
    """
    return reduction.amax(x, axis, keepdims) if not of_no_axis(axis) else shape.clone(x)


@checked
def min(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The least elements. Like: numpy.min.

    Examples:
        >>> xp.min(xp.asarray([[1, 5], [7, 2]]), axis=1)
        tensor([1, 2], device='npu:0')
    """
    return reduction.amin(x, axis, keepdims) if not of_no_axis(axis) else shape.clone(x)


@checked
def mean(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """Means. Like: numpy.mean.

    Examples:
        >>> xp.mean(xp.asarray([1.0, 2.0, 3.0]))
        tensor(2., device='npu:0')
    """
    x = _floating(x)
    return reduction.mean(x, axis, keepdims) if not of_no_axis(axis) else shape.clone(x)


def _floating(x: T) -> T:
    """Of bool and integers, the default dtype, as in NumPy; the standard leaves it open."""
    return x.to(d.get_default_dtype()) if x.desc.dtype.category <= d.INTEGER else x


@checked
def std(x: T, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> T:
    """Standard deviations; sums are divided by the number of elements less `correction`. Like: numpy.std.

    Examples:
        >>> xp.std(xp.asarray([1.0, 3.0]))
        tensor(1., device='npu:0')
    """
    x = _floating(x)
    if of_no_axis(axis):  # each element by itself: its distance from its mean is 0
        return (x - x) / (1 - correction)
    return reduction.std(x, axis, keepdim=keepdims, correction=correction)


@checked
def var(x: T, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> T:
    """Variances; sums are divided by the number of elements less `correction`. Like: numpy.var.

    Examples:
        >>> xp.var(xp.asarray([1.0, 2.0, 3.0]), correction=1)
        tensor(1., device='npu:0')
    """
    x = _floating(x)
    if of_no_axis(axis):  # each element by itself: its distance from its mean is 0
        return (x - x) / (1 - correction)
    return reduction.var(x, axis, keepdim=keepdims, correction=correction)


@checked
def all(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """Whether all elements are true. Like: numpy.all.

    Examples:
        >>> xp.all(xp.asarray([True, False]))
        tensor(False, device='npu:0')
    """
    return reduction.all(x, axis, keepdims) if not of_no_axis(axis) else x.to(d.bool_, copy=True)


@checked
def any(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """Whether some element is true. Like: numpy.any.

    Examples:
        >>> xp.any(xp.asarray([True, False]))
        tensor(True, device='npu:0')
    """
    return reduction.any(x, axis, keepdims) if not of_no_axis(axis) else x.to(d.bool_, copy=True)


@checked
def count_nonzero(x: T, /, *, axis: Axis = None, keepdims: bool = False) -> T:
    """Numbers of elements that are not zero, int64. Like: numpy.count_nonzero.

    Examples:
        >>> xp.count_nonzero(xp.asarray([0, 5, 3]))
        tensor(2, device='npu:0')
    """
    nonzero = x if x.desc.dtype is d.bool_ else comparison.ne(x, 0)
    return reduction.sum(nonzero, axis, keepdims) if not of_no_axis(axis) else nonzero.to(d.int64)


@checked
def argmax(x: T, /, *, axis: int | None = None, keepdims: bool = False) -> T:
    """Positions of the greatest elements, the first of several. Like: numpy.argmax.

    Examples:
        >>> xp.argmax(xp.asarray([1, 5, 3]))
        tensor(1, device='npu:0')
    """
    return reduction.argmax(x, axis, keepdims)


@checked
def argmin(x: T, /, *, axis: int | None = None, keepdims: bool = False) -> T:
    """Positions of the least elements, the first of several. Like: numpy.argmin.

    Examples:
        >>> xp.argmin(xp.asarray([4, 1, 3]))
        tensor(1, device='npu:0')
    """
    return reduction.argmin(x, axis, keepdims)


@checked
def cumulative_sum(x: T, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False) -> T:
    """Running sums, a zero before them if `include_initial`. Like: numpy.cumulative_sum.

    Examples:
        >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True)
        tensor([0, 1, 3, 6], device='npu:0')
    """
    return _running(reduction.cumsum, x, "cumulative_sum", axis, dtype, 0 if include_initial else None)


@checked
def cumulative_prod(x: T, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False) -> T:
    """Running products, a one before them if `include_initial`. Like: numpy.cumulative_prod.

    Examples:
        >>> xp.cumulative_prod(xp.asarray([1, 2, 3]))
        tensor([1, 2, 6], device='npu:0')
    """
    return _running(reduction.cumprod, x, "cumulative_prod", axis, dtype, 1 if include_initial else None)


def _running(function: Any, x: Any, name: str, axis: int | None, dtype: DType | None, initial: int | None) -> Any:
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"an axis is needed for {x.ndim} dimensions").with_context(name, (x,))
        axis = 0
    result = function(x, axis, dtype=_wide(x, dtype))
    if initial is None:
        return result
    edge = list(result.shape)
    edge[axis] = 1
    return shape.cat([result.new_full(tuple(edge), initial), result], axis)


def diff(x: T, /, n: int = 1, axis: int = -1, *, prepend: Any = None, append: Any = None) -> T:
    """`n`-th differences of neighbours; the standard has `n` and `axis` by name only. Like: numpy.diff.

    Examples:
        >>> xp.diff(xp.asarray([1, 4, 9]))
        tensor([3, 5], device='npu:0')
    """
    return statistics.diff(x, n, axis, prepend, append)


@checked
def nonzero(x: T, /) -> tuple[T, ...]:
    """Positions of the elements that are not zero, one array for each axis. Like: numpy.nonzero.

    Examples:
        >>> xp.nonzero(xp.asarray([0, 5, 3]))
        (tensor([1, 2], device='npu:0'),)
    """
    if not x.ndim:
        raise ShapeError("at least one dimension is needed").with_context("nonzero", (x,))
    return tuple(gather.nonzero(x, as_tuple=True))


@overload
def where(condition: NPUTensor, x1: T, x2: Any, /) -> T: ...
@overload
def where(condition: NPUTensor, x1: complex, x2: T, /) -> T: ...
@overload
def where(condition: T, /) -> tuple[T, ...]: ...
def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """`x1` where the condition holds, else `x2`; of the condition alone `nonzero`, which the standard does not ask for. Like: numpy.where.

    Examples:
        >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), xp.asarray([3, 4]))
        tensor([1, 4], device='npu:0')
    """
    return nonzero(condition) if x1 is None and x2 is None else gather.where(condition, *promoted(x1, x2))


def searchsorted(x1: T, x2: Any, /, *, side: str = "left", sorter: T | None = None) -> T:
    """Positions in the sorted vector `x1` before which the elements of `x2` belong. Like: numpy.searchsorted.

    Examples:
        >>> xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([3, 6]))
        tensor([1, 3], device='npu:0')
    """
    return sorting.searchsorted(x1 if sorter is None else gather.index_select(x1, 0, sorter), x2, side=side)


def sort(x: T, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> T:
    """The elements in order. Like: numpy.sort.

    Examples:
        >>> xp.sort(xp.asarray([3, 1, 2]), descending=True)
        tensor([3, 2, 1], device='npu:0')
    """
    return sorting.sort(x, axis, descending, stable)[0]


def argsort(x: T, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> T:
    """The positions that would put the elements in order. Like: numpy.argsort.

    Examples:
        >>> xp.argsort(xp.asarray([3, 1, 2]))
        tensor([1, 2, 0], device='npu:0')
    """
    return sorting.argsort(x, axis, descending, stable)
