"""Statistics of several operators: what NaN leaves out, modes, averages, differences, integrals of samples, segments, histograms."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeVar, overload

from .. import dtypes as d
from .. import shapes
from ..base import TensorBase, storage
from ..errors import DTypeError, IndexRangeError, ShapeError, ValueRangeError
from ..promotion import promote_types
from . import gather, reduction, shape, sorting, views
from .arguments import checked
from .call import call
from .operands import counted, dim_of, filled, in_dtype
from .pointwise import comparison, elementwise, floats, unary
from .reduction import narrowed, widened
from .results import HistogramEdges, ValuesIndices
from .table import reduction as counting
from .writing import into, into_all

T = TypeVar("T", bound=TensorBase)


def _vector(input: T) -> T:
    return input if input.desc.shape else views.reshape(input, (1,))


def _chosen(input: T, axis: int, place: TensorBase, like: TensorBase, keepdim: bool) -> T:
    """The element at a place, which has the dim with length 1; 0-d where the operand was."""
    found = gather.gather(input, axis, place)
    if not like.desc.shape:
        return views.reshape(found, ())
    return found if keepdim else views.squeeze(found, axis)


# Ranks


@overload
def nanmedian(input: T, dim: None = None, keepdim: bool = False, *, out: Any = None) -> T: ...
@overload
def nanmedian(input: T, dim: int, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]: ...
@checked
def nanmedian(input: T, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The lower of the middle elements among those that are not NaN; NaN where there are no others.

    Args:
        input: Tensor of any shape and real dtype.
        dim: A dim, or None for all elements.
        keepdim: Whether the dim stays with length 1.
        out: Tensor to write into; with `dim` two of them, (values, indices).

    Returns:
        A 0-d tensor; with `dim` a named tuple of `values` and int64 `indices`.

    Raises:
        IndexRangeError: There is no such dim, or it has length 0.

    Ascend operator: Sort, Equal, ReduceSum and GatherElements. Like: torch.nanmedian (numpy.nanmedian gives the mean of both).

    Examples:
        >>> at.nanmedian(at.tensor([1.0, float("nan"), 3.0]))
        tensor(1., device='npu:0')
    """
    if dim is None:
        if not input.desc.numel:
            return into(sorting.median(input), out)
        return into(nanmedian(views.ravel(input), 0).values, out)
    axis = dim_of(input, dim, "nanmedian")
    sorting.length_to_choose_from(input, axis, "nanmedian")
    row = _vector(input)
    ordered, places = sorting.sort(row, axis, stable=True)
    middle = filled(row, shapes.reduce_shape(row.desc.shape, (axis,), True), (row.desc.shape[axis] - 1) // 2, d.int64)
    if row.desc.dtype.is_floating_point:
        there = reduction.sum(comparison.eq(row, row), axis, True)
        middle = elementwise.clamp(elementwise.floor_divide(elementwise.sub(there, 1), 2), 0)
    found = (_chosen(each, axis, middle, input, keepdim) for each in (ordered, places))
    return into_all(ValuesIndices(*found), out)


@checked
def nanquantile(
    input: T, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear", out: T | None = None
) -> T:
    """`quantile` of the elements that are not NaN; NaN where there are no others. Arguments, result and errors as for `quantile`.

    Ascend operator: Sort, Equal, ReduceSum, GatherElements and what interpolates. Like: torch.nanquantile, numpy.nanquantile.

    Examples:
        >>> at.nanquantile(at.tensor([1.0, float("nan"), 3.0]), 0.5)
        tensor(2., device='npu:0')
    """
    fractions = sorting.fractions(input, q, interpolation, "nanquantile")
    axis = 0 if dim is None else dim_of(input, dim, "nanquantile")
    row = _vector(widened(views.ravel(input) if dim is None else input))
    if not row.desc.shape[axis]:
        raise ShapeError("there are no elements to rank").with_context("nanquantile", (input,))
    ordered, _ = sorting.sort(row, axis)
    # float32 counts exactly to 2**24.
    kind = d.float64 if row.desc.dtype is d.float64 or row.desc.shape[axis] > 1 << 20 else d.float32
    steps = comparison.cast(elementwise.sub(reduction.sum(comparison.eq(row, row), axis, True), 1), kind)
    results = [_ranked(ordered, axis, elementwise.clamp(elementwise.mul(steps, each), 0), interpolation) for each in fractions.numbers]
    flat = [views.reshape(each, ()) if not input.desc.shape or dim is None else each for each in results]
    if dim is None and keepdim:
        flat = [views.reshape(each, (1,) * len(input.desc.shape)) for each in flat]
    elif dim is not None and input.desc.shape and not keepdim:
        flat = [views.squeeze(each, axis) for each in flat]
    final = [narrowed(each, input) for each in flat]
    return into(final[0] if fractions.one else shape.stack(final), out)


def _ranked(ordered: T, axis: int, place: T, interpolation: str) -> T:
    """Elements at places between two of an ordered dim."""

    def at(rounded: T) -> T:
        return gather.gather(ordered, axis, comparison.cast(rounded, d.int64))

    if interpolation == "nearest":
        return at(unary.round(place))
    low, high = unary.floor(place), unary.ceil(place)
    if interpolation in ("lower", "higher"):
        return at(low if interpolation == "lower" else high)
    part = elementwise.sub(place, low)
    if interpolation == "midpoint":
        part = elementwise.mul(comparison.cast(comparison.gt(part, 0), place.desc.dtype), 0.5)
    first, second = at(low), at(high)
    # Equal neighbours, infinities too, need nothing in between.
    between = elementwise.lerp(first, second, comparison.cast(part, first.desc.dtype))
    return comparison.where(comparison.eq(first, second), first, between)


@checked
def mode(input: T, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]:
    """The most frequent element of a dim (the smallest of several), and where it is found last.

    Args:
        input: Tensor of any shape and real dtype.
        dim: The dim to look along.
        keepdim: Whether the dim stays with length 1.
        out: Two tensors to write into, (values, indices).

    Returns:
        Named tuple of `values` and int64 `indices`. NaNs are all different and larger than numbers.

    Raises:
        IndexRangeError: There is no such dim, or it has length 0.

    Ascend operator: Sort, NotEqual, Cummax, ArgMaxV2 and GatherElements. Like: torch.mode, scipy.stats.mode.

    Examples:
        >>> value, place = at.mode(at.tensor([1, 2, 2]))
        >>> value
        tensor(2, device='npu:0')
    """
    axis = dim_of(input, dim, "mode")
    length = sorting.length_to_choose_from(input, axis, "mode")
    row = _vector(input)
    ordered, places = sorting.sort(row, axis, stable=True)
    size = tuple(length if at == axis else 1 for at in range(len(row.desc.shape)))
    place = views.reshape(comparison.cast(counted(row, length), d.int32), size)
    # Where the run of equal elements began that each one belongs to.
    fresh = comparison.ne(views.narrow(ordered, axis, 1, length - 1), views.narrow(ordered, axis, 0, length - 1))
    later = comparison.where(fresh, views.narrow(place, axis, 1, length - 1), 0)
    first = filled(row, shapes.reduce_shape(row.desc.shape, (axis,), True), 0, d.int32)
    began = reduction.cummax(shape.cat((first, comparison.cast(later, d.int32)), axis), axis).values
    longest = reduction.argmax(elementwise.sub(place, began), axis, True)
    found = (_chosen(each, axis, longest, input, keepdim) for each in (ordered, places))
    return into_all(ValuesIndices(*found), out)


# Averages


@checked
def ptp(input: T, dim: Any = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """The largest element minus the smallest, over `dim`; NaN where there is one.

    Args:
        input: Tensor of any shape and real dtype but bool.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.

    Raises:
        IndexRangeError: There is no such dim, or it has length 0.
        ShapeError: The operand has no elements and `dim` is not given.

    Ascend operator: ReduceMax, ReduceMin and Sub. Like: numpy.ptp.

    Examples:
        >>> at.ptp(at.tensor([3, 1, 7]))
        tensor(6, device='npu:0')
    """
    return elementwise.sub(reduction.amax(input, dim, keepdim), reduction.amin(input, dim, keepdim), out=out)


@overload
def average(input: T, dim: Any = None, weights: T | None = None, returned: Literal[False] = False, *, keepdim: bool = False) -> T: ...
@overload
def average(input: T, dim: Any = None, weights: T | None = None, *, returned: Literal[True], keepdim: bool = False) -> tuple[T, T]: ...
@overload
def average(input: T, dim: Any = None, weights: T | None = None, returned: bool = False, *, keepdim: bool = False) -> Any: ...
@checked
def average(input: T, dim: Any = None, weights: T | None = None, returned: bool = False, *, keepdim: bool = False) -> Any:
    """The mean over `dim`, where each element may have a weight.

    Args:
        input: Tensor of any shape and dtype; bool and integers become the default dtype, or that of floating weights.
        dim: A dim, several, or None for all.
        weights: Tensor of the same shape, or a vector as long as the one dim.
        returned: Whether to give the sums of weights too.
        keepdim: Whether reduced dims stay with length 1.

    Returns:
        Tensor of the reduced shape; with `returned` a tuple of it and the sums. NaN or an infinity where weights add up to 0.

    Raises:
        ShapeError: The weights have another shape.
        IndexRangeError: There is no such dim.

    Ascend operator: Mul, ReduceSum and RealDiv; ReduceMean without weights. Like: numpy.average.

    Examples:
        >>> at.average(at.tensor([1.0, 2.0]), weights=at.tensor([3.0, 1.0]))
        tensor(1.2500, device='npu:0')
    """
    wide = _floating(input, weights)
    if weights is None:
        mean = reduction.mean(wide, dim, keepdim)
        if not returned:
            return mean
        return mean, filled(mean, mean.desc.shape, reduction.count(input.desc.shape, dim))
    if weights.desc.shape != input.desc.shape:
        axis = -1 if dim is None or shapes.several(dim) else dim_of(input, dim, "average")
        if axis < 0 or weights.desc.shape != input.desc.shape[axis : axis + 1]:
            what = "weights need the operand's shape, or are a vector as long as the dim"
            raise ShapeError(what).with_context("average", (input, weights))
        size = tuple(weights.desc.shape[0] if at == axis else 1 for at in range(len(input.desc.shape)))
        weights = views.expand(views.reshape(weights, size), input.desc.shape)
    product = elementwise.mul(wide, weights)
    whole = widened(product)
    divisor = reduction.sum(comparison.cast(weights, whole.desc.dtype), dim, keepdim)
    mean = narrowed(elementwise.div(reduction.sum(whole, dim, keepdim), divisor), product)
    return (mean, narrowed(divisor, product)) if returned else mean


def _floating(input: Any, *others: Any) -> Any:
    """bool and integers in the dtype that they have together with floating operands; the default dtype beside none."""
    if input.desc.dtype.category >= d.FLOATING:
        return input
    common = functools.reduce(promote_types, (x.desc.dtype for x in (input, *others) if isinstance(x, TensorBase)))
    return comparison.cast(input, common if common.category >= d.FLOATING else d.get_default_dtype())


# Running


@checked
def logcumsumexp(input: T, dim: int, *, out: T | None = None) -> T:
    """`log` of the running sums of `exp(input)`, without overflow or underflow on the way: sums of halving distance, log2(length) steps.

    Args:
        input: Tensor of any shape and floating dtype.
        dim: The dim to run along.
        out: Tensor of the same shape to write into.

    Raises:
        DTypeError: Not a floating dtype.
        IndexRangeError: There is no such dim.

    Ascend operator: those of `logaddexp`, and ConcatD. Like: torch.logcumsumexp.

    Examples:
        >>> at.logcumsumexp(at.tensor([0.0, 0.0]), 0)
        tensor([0.0000, 0.6931], device='npu:0')
    """
    if not input.desc.dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {input.desc.dtype.name}").with_context("logcumsumexp", (input,))
    axis = dim_of(input, dim, "logcumsumexp")
    row = _vector(widened(input))
    length, step = row.desc.shape[axis], 1
    while step < length and row.desc.numel:
        rest = length - step
        later = floats.logaddexp(views.narrow(row, axis, step, rest), views.narrow(row, axis, 0, rest))
        row = shape.cat((views.narrow(row, axis, 0, step), later), axis)
        step *= 2
    untouched = storage(row) is storage(input)
    found = narrowed(row, input) if row.desc.dtype is not input.desc.dtype else shape.clone(row) if untouched else row
    return into(found if input.desc.shape else views.reshape(found, ()), out)


# Differences and integrals of samples


@checked
def diff(input: T, n: int = 1, dim: int = -1, prepend: T | None = None, append: T | None = None, *, out: T | None = None) -> T:
    """Each element minus the one before it, `n` times.

    Args:
        input: Tensor of at least one dim and any dtype; for bool, whether the two differ.
        n: How often; 0 for a copy of `input` alone.
        dim: The dim to go along.
        prepend, append: Tensors to put before and after, of the same lengths in other dims.
        out: Tensor of the result's shape to write into.

    Raises:
        ShapeError: A 0-d tensor, or shapes that don't fit.
        ValueRangeError: A negative `n`.
        IndexRangeError: There is no such dim.

    Ascend operator: Sub, or NotEqual; ConcatD. Like: torch.diff, numpy.diff.

    Examples:
        >>> at.diff(at.tensor([1, 4, 9]))
        tensor([3, 5], device='npu:0')
    """
    if not input.desc.shape:
        raise ShapeError("diff expects input to be at least one-dimensional").with_context("diff", (input,))
    if n < 0:
        raise ValueRangeError(f"order must be non-negative but got {n}").with_context("diff", (input,))
    axis = dim_of(input, dim, "diff")
    if not n:
        return into(shape.clone(input), out)
    parts = [each for each in (prepend, input, append) if each is not None]
    row = shape.cat(parts, axis) if len(parts) > 1 else input
    for _ in range(min(n, row.desc.shape[axis])):
        rest = max(row.desc.shape[axis] - 1, 0)
        one, other = views.narrow(row, axis, row.desc.shape[axis] - rest, rest), views.narrow(row, axis, 0, rest)
        row = comparison.ne(one, other) if row.desc.dtype is d.bool_ else elementwise.sub(one, other)
    return into(row, out)


def _panels(y: T, x: T | None, dx: float | None, axis: int, function: str) -> tuple[T, Any]:
    """Sums of neighbours and distances between them."""
    if x is not None and dx is not None:
        raise ValueRangeError("x and dx can't both be given").with_context(function, (y, x))
    rest = y.desc.shape[axis] - 1
    y, x = _wide(y), None if x is None else _wide(x)
    pairs = elementwise.add(views.narrow(y, axis, 0, rest), views.narrow(y, axis, 1, rest))
    if x is None:
        return pairs, 1.0 if dx is None else dx
    own = len(x.desc.shape) == 1
    where = 0 if own else dim_of(x, axis - len(y.desc.shape), function)
    if x.desc.shape[where] != y.desc.shape[axis]:
        raise ShapeError("there must be one x for each sample").with_context(function, (y, x))
    steps = diff(x, dim=where)
    return pairs, views.reshape(steps, (rest, *(1,) * (len(y.desc.shape) - axis - 1))) if own else steps


def _wide(samples: T) -> T:
    """Small integers as int64, so that sums and differences of two of them don't wrap."""
    small = samples.desc.dtype.category == d.INTEGER and samples.desc.dtype is not d.uint64
    return in_dtype(samples, d.int64) if small else samples


def _samples(y: T, dim: int, function: str) -> int:
    if not y.desc.shape:
        raise IndexRangeError(f"{function} expects at least one dimension").with_context(function, (y,))
    if y.desc.dtype is d.bool_:
        raise DTypeError("numbers are needed, not bool").with_context(function, (y,))
    return dim_of(y, dim, function)


@checked
def trapezoid(y: T, x: T | None = None, *, dx: float | None = None, dim: int = -1) -> T:
    """The integral of samples by the trapezoidal rule.

    Args:
        y: Samples: tensor of at least one dim.
        x: Where they were taken: a vector, or a tensor that broadcasts; else evenly, `dx` apart.
        dx: Distance of samples, 1 by default.
        dim: The dim to integrate along.

    Returns:
        Tensor of the reduced shape; integers become the default dtype.

    Raises:
        ShapeError: Another number of `x`.
        DTypeError: bool.
        IndexRangeError: There is no such dim; a 0-d tensor has none.

    Ascend operator: Add, Sub, Mul and ReduceSum. Like: torch.trapezoid, numpy.trapezoid.

    Examples:
        >>> at.trapezoid(at.tensor([1.0, 2.0, 3.0]))
        tensor(4., device='npu:0')
    """
    axis = _samples(y, dim, "trapezoid")
    if not y.desc.shape[axis]:
        return filled(y, shapes.reduce_shape(y.desc.shape, (axis,), False), 0)
    pairs, steps = _panels(y, x, dx, axis, "trapezoid")
    if x is None:
        return elementwise.mul(reduction.sum(pairs, axis), steps / 2)
    return elementwise.div(reduction.sum(elementwise.mul(pairs, steps), axis - len(y.desc.shape)), 2.0)


@checked
def trapz(y: T, x: T | None = None, *, dx: float | None = None, dim: int = -1) -> T:
    """`trapezoid` by its older name. Like: torch.trapz.

    Examples:
        >>> at.trapz(at.tensor([1.0, 2.0, 3.0]))
        tensor(4., device='npu:0')
    """
    return trapezoid(y, x, dx=dx, dim=dim)


@checked
def cumulative_trapezoid(y: T, x: T | None = None, *, dx: float | None = None, dim: int = -1) -> T:
    """Running integrals of samples by the trapezoidal rule: one less than samples along `dim`. Arguments and errors as for `trapezoid`.

    Ascend operator: Add, Sub, Mul and Cumsum. Like: torch.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid.

    Examples:
        >>> at.cumulative_trapezoid(at.tensor([1.0, 2.0, 3.0]))
        tensor([1.5000, 4.0000], device='npu:0')
    """
    axis = _samples(y, dim, "cumulative_trapezoid")
    if not y.desc.shape[axis]:
        return shape.clone(y) if y.desc.dtype.category > d.INTEGER else in_dtype(y, d.get_default_dtype())
    pairs, steps = _panels(y, x, dx, axis, "cumulative_trapezoid")
    if x is None:
        return elementwise.mul(reduction.cumsum(pairs, axis), steps / 2)
    return elementwise.div(reduction.cumsum(elementwise.mul(pairs, steps), axis - len(y.desc.shape)), 2.0)


@checked
def gradient(input: T, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[T, ...]:
    """Derivatives of samples along dims: central differences inside, one-sided ones at both ends.

    Args:
        input: Tensor of floating or complex dtype or of integers, which become the default dtype, or that of floating coordinates.
        spacing: Distance of samples, 1 by default: a number for all dims, or for each dim a number or a vector of coordinates.
        dim: A dim, several, or None for all.
        edge_order: 1 or 2: of the estimates at the ends.

    Returns:
        One tensor of the operand's shape for each dim.

    Raises:
        ShapeError: A dim has not `edge_order + 1` elements, or coordinates don't fit.
        ValueRangeError: Another `edge_order`, or another number of spacings.
        IndexRangeError: There is no such dim.

    Ascend operator: Sub, Mul, RealDiv and ConcatD. Like: torch.gradient, numpy.gradient.

    Examples:
        >>> at.gradient(at.tensor([1.0, 4.0, 9.0]))
        (tensor([3., 4., 5.], device='npu:0'),)
    """
    if edge_order not in (1, 2):
        raise ValueRangeError(f"edge_order must be 1 or 2, not {edge_order}", where="gradient")
    rank = len(input.desc.shape)
    shapes.normalize_dims(dim, rank)  # which refuses one that comes twice
    axes = tuple(shapes.normalize_dim(one, rank) for one in (range(rank) if dim is None else shapes.each(dim))) if rank else ()
    spacings: Sequence[Any] = spacing if isinstance(spacing, (list, tuple)) else [1.0 if spacing is None else spacing] * len(axes)
    if len(spacings) != len(axes):
        raise ValueRangeError(f"{len(axes)} spacings are needed, not {len(spacings)}").with_context("gradient", (input,))
    wide = _floating(input, *spacings)
    return tuple([_slopes(wide, axis, each, edge_order) for axis, each in zip(axes, spacings, strict=True)])


def _slopes(input: T, axis: int, spacing: Any, edge_order: int) -> T:
    length = input.desc.shape[axis]
    if length <= edge_order:
        raise ShapeError("each dimension needs at least edge_order + 1 elements").with_context("gradient", (input,))
    if isinstance(spacing, TensorBase):
        if spacing.desc.shape != (length,):
            raise ShapeError("one coordinate for each element is needed").with_context("gradient", (input, spacing))
        steps = views.reshape(diff(spacing), (length - 1, *(1,) * (len(input.desc.shape) - axis - 1)))
        steps = views.reshape(steps, (*(1,) * axis, *steps.desc.shape))
    else:
        steps = filled(input, tuple(length - 1 if at == axis else 1 for at in range(len(input.desc.shape))), spacing)
    slopes = elementwise.div(diff(input, dim=axis), steps)
    inside = length - 2
    one, other = views.narrow(slopes, axis, 0, inside), views.narrow(slopes, axis, 1, inside)
    before, after = views.narrow(steps, axis, 0, inside), views.narrow(steps, axis, 1, inside)
    both = elementwise.add(before, after)
    if isinstance(spacing, TensorBase):  # the parabola through three points: each slope counts by the other's distance
        middle = elementwise.div(elementwise.add(elementwise.mul(one, after), elementwise.mul(other, before)), both)
    else:  # of equal distances the middle point has no part in it, not even if it is NaN
        middle = elementwise.div(elementwise.sub(views.narrow(input, axis, 2, inside), views.narrow(input, axis, 0, inside)), both)
    ends = [views.narrow(slopes, axis, 0, 1), views.narrow(slopes, axis, length - 2, 1)]
    if edge_order == 2:
        for place, (near, far, step) in enumerate(((0, 0, before), (-1, length - 3, after))):
            bend = elementwise.div(elementwise.sub(other, one), both)
            part = elementwise.mul(views.narrow(bend, axis, far, 1), views.narrow(step, axis, far, 1))
            ends[place] = elementwise.sub(ends[place], part) if near == 0 else elementwise.add(ends[place], part)
    return shape.cat((ends[0], middle, ends[1]), axis)


# Segments


_SEGMENTS: Final = {"sum": ("sum", 0.0), "mean": ("sum", 0.0), "max": ("amax", -math.inf), "min": ("amin", math.inf), "prod": ("prod", 1.0)}


@checked
def segment_reduce(
    data: T,
    reduce: str,
    *,
    lengths: TensorBase | None = None,
    indices: TensorBase | None = None,
    offsets: TensorBase | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> T:
    """A reduction of each of the segments that a dim is cut into.

    Args:
        data: Tensor of floating dtype.
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: Lengths of segments: integers of shape `data.shape[:axis] + (segments,)`.
        indices: Must be None, as in PyTorch.
        offsets: Where segments begin, and where the last one ends, in place of `lengths`.
        axis: The dim that is cut, the last one of `lengths`.
        unsafe: Has no effect: lengths that don't add up are an error of the queued work, or leave the rest out.
        initial: What each reduction starts from.

    Returns:
        Tensor of shape `data.shape[:axis] + (segments,) + data.shape[axis + 1:]`. Segments of nothing give `initial`, else the reduction's
        identity (NaN for "mean").

    Raises:
        ShapeError: The shapes don't fit.
        ValueRangeError: Another reduction, or not one of `lengths` and `offsets`.
        DTypeError: Not a floating dtype.

    Ascend operator: Cumsum, SearchSorted and the one of `scatter_reduce`. Like: torch.segment_reduce.

    Examples:
        >>> at.segment_reduce(at.tensor([1.0, 2.0, 3.0]), "sum", lengths=at.tensor([2, 1]))
        tensor([3., 3.], device='npu:0')
    """
    if reduce not in _SEGMENTS:
        raise ValueRangeError(f"reduce must be one of {', '.join(_SEGMENTS)}, not {reduce!r}", where="segment_reduce")
    if not data.desc.dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {data.desc.dtype.name}").with_context("segment_reduce", (data,))
    cut = offsets if lengths is None else lengths
    if indices is not None or cut is None or (lengths is not None and offsets is not None):
        raise ValueRangeError("one of lengths and offsets is needed, and indices are not taken", where="segment_reduce")
    at = dim_of(data, axis, "segment_reduce")
    if at != len(cut.desc.shape) - 1 or cut.desc.shape[:-1] != data.desc.shape[:at] or (lengths is None and not cut.desc.shape[-1]):
        raise ShapeError("the cuts need the shape of the leading dims, and one for segments").with_context("segment_reduce", (data, cut))
    cut = comparison.cast(cut, d.int64)
    sizes = diff(cut) if lengths is None else cut
    ends = views.narrow(cut, -1, 1, cut.desc.shape[-1] - 1) if lengths is None else reduction.cumsum(cut, -1)
    kind, identity = _SEGMENTS[reduce]
    size, whole = data.desc.shape, (*data.desc.shape[:at], sizes.desc.shape[-1], *data.desc.shape[at + 1 :])
    wide = widened(data)
    result = filled(wide, whole, identity if initial is None else initial)
    if data.desc.numel:
        places = views.expand(counted(data, size[at]), size[: at + 1])
        ids = sorting.searchsorted(shape.contiguous(ends), shape.contiguous(places), right=True)
        ids = views.expand(views.reshape(ids, (*size[: at + 1], *(1,) * (len(size) - at - 1))), size)
        result = gather.scatter_reduce(result, at, ids, wide, kind)
    if reduce == "mean" and result.desc.numel:
        count = views.reshape(sizes, (*sizes.desc.shape, *(1,) * (len(size) - at - 1)))
        mean = elementwise.div(result, count)
        result = mean if initial is None else comparison.where(comparison.gt(count, 0), mean, result)
    return narrowed(result, data)


# Histograms


@checked
def histogram(
    input: T, bins: Any = 100, *, range: Any = None, weight: T | None = None, density: bool = False, out: Any = None
) -> HistogramEdges[T]:
    """How many elements, or what weight, lies in each bin; the last one holds its upper edge too.

    Args:
        input: Tensor of any shape, of float32 or float64.
        bins: Number of equal bins, or a vector of edges that increase.
        range: Lowest and highest edge of equal bins; by default those of the data.
        weight: Tensor of the same shape: what each element counts.
        density: Whether the result is divided by bins' widths and the whole sum.
        out: Two tensors to write into, (hist, bin_edges).

    Returns:
        Named tuple of `hist` and `bin_edges`, of the operand's dtype. Elements outside and NaN are not counted.

    Raises:
        DTypeError: Another dtype.
        ShapeError: Weights of another shape, or edges that are no vector of two or more.
        ValueRangeError: No bins, or a range that is none.

    Ascend operator: SearchSorted and Bincount. Like: torch.histogram, numpy.histogram.

    Examples:
        >>> counts, edges = at.histogram(at.tensor([1.0, 2.0, 1.0]), bins=3, range=(0.0, 3.0))
        >>> counts
        tensor([0., 2., 1.], device='npu:0')
        >>> edges
        tensor([0., 1., 2., 3.], device='npu:0')
    """
    dtype = input.desc.dtype
    if dtype not in (d.float32, d.float64):
        raise DTypeError(f"float32 or float64 is needed, not {dtype.name}").with_context("histogram", (input,))
    if weight is not None and weight.desc.shape != input.desc.shape:
        raise ShapeError("one weight for each element is needed").with_context("histogram", (input, weight))
    flat = views.ravel(input)
    edges = _given_edges(flat, bins) if isinstance(bins, TensorBase) else _edges(flat, bins, range)
    count = edges.desc.shape[0] - 1
    hist: Any = filled(flat, (count,), 0)
    if flat.desc.numel:
        place = elementwise.sub(sorting.searchsorted(edges, flat, right=True), 1)
        first, last = views.narrow(edges, 0, 0, 1), views.narrow(edges, 0, count, 1)
        inside = comparison.logical_and(comparison.ge(flat, first), comparison.le(flat, last))
        counted = comparison.cast(inside, dtype)
        if weight is not None:
            counted = comparison.where(inside, comparison.cast(views.ravel(weight), dtype), 0.0)
        hist = call(counting.BINCOUNT, (elementwise.clamp(place, 0, count - 1), counted), (count,))
    if density:
        hist = elementwise.div(elementwise.div(hist, diff(edges)), reduction.sum(hist))
    return into_all(HistogramEdges(hist, edges), out)


def _given_edges(flat: T, bins: T) -> T:
    if len(bins.desc.shape) != 1 or bins.desc.shape[0] < 2:
        raise ShapeError("edges are a vector of at least two").with_context("histogram", (flat, bins))
    if bins.desc.dtype is not flat.desc.dtype:
        raise DTypeError("edges and elements need one dtype").with_context("histogram", (flat, bins))
    return shape.clone(bins)


def _edges(flat: T, bins: int, limits: Any) -> T:
    """Edges of equal bins: the same distance from both ends, so that neither is missed by rounding."""
    if bins < 1:
        raise ValueRangeError(f"bins must be positive, not {bins}", where="histogram")
    if limits is None and not flat.desc.numel:
        limits = (0.0, 1.0)
    low: Any
    high: Any
    if limits is None:
        low, high = reduction.amin(flat), reduction.amax(flat)
        alone = comparison.cast(comparison.eq(low, high), flat.desc.dtype)
        low, high = elementwise.sub(low, elementwise.mul(alone, 0.5)), elementwise.add(high, elementwise.mul(alone, 0.5))
    else:
        low, high = map(float, limits)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueRangeError(f"the range from {low} to {high} is none", where="histogram")
        if low == high:
            low, high = low - 0.5, high + 0.5
    part = comparison.cast(counted(flat, bins + 1), flat.desc.dtype)
    up = elementwise.add(elementwise.mul(part, elementwise.div(elementwise.sub(high, low), bins)), low) if limits is None else None
    if up is None:
        up = elementwise.add(elementwise.mul(part, (high - low) / bins), low)
    end = elementwise.add(filled(flat, (1,), 0), high)
    return shape.cat((views.narrow(up, 0, 0, bins), end), 0)
