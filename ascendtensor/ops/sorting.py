"""Sorting, selecting by rank, finding and counting.

NaN is larger than every number. Operators look along the last dim: around another one the operand is turned, which leaves the results as
turned views. Indices are int64; the operators give int32, so that a dim of 2**31 elements or more can't be sorted.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from operator import index as as_int
from typing import Any, Final, Literal, NamedTuple, TypeVar, overload

import numpy as np

from .. import dtypes as d
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..errors import DTypeError, IndexRangeError, ShapeError, ValueRangeError
from . import gather, host, reduction, shape, views
from .arguments import checked
from .call import call, structured
from .operands import dim_of, filled
from .pointwise import comparison, complex_numbers, elementwise, unsigned
from .reduction import narrowed, widened
from .results import ValuesIndices
from .table import reduction as counting
from .table import sorting as table
from .writing import into, into_all

T = TypeVar("T", bound=TensorBase)

_FEW: Final = 16
"""Numbers up to which comparing with each of them is quicker than a search."""
_BY_TOPK: Final = (d.float64, d.uint64)
"""Dtypes that Sort does not take; the AI CPU kernel of TopK orders them, equal elements by their index."""


def _to_last(input: T, axis: int) -> T:
    """The operand with a dim at the end."""
    rank = len(input.desc.shape)
    return input if axis >= rank - 1 else views.transpose(input, axis, rank - 1)


def _from_last(result: T, axis: int) -> T:
    return _to_last(result, axis)


def _long(indices: T) -> T:
    return comparison.cast(indices, d.int64)


def _ordered(input: T, descending: bool, stable: bool) -> tuple[T, T]:
    """Values and int32 indices of the last dim in order."""
    if input.desc.dtype is d.bfloat16 and input.desc.shape[-1:] in ((), (1,)):  # the AI Core leaves it to the AI CPU, which has none
        return shape.clone(input), filled(input, input.desc.shape, 0, d.int32)
    if input.desc.dtype in _BY_TOPK:
        return call(table.TOPK_EXACT, (input,), ((input.desc.shape or (1,))[-1], descending, True))
    return structured(table.SORT, input, descending, stable)


def _first(input: T, k: int, largest: bool, in_order: bool) -> tuple[T, T]:
    """The k first of the last dim, and int32 indices."""
    row = table.TOPK if input.desc.dtype in table.TOPK.dtypes else table.TOPK_EXACT
    return structured(row, input, k, largest, in_order)


# Sorting


@checked
def sort(input: T, dim: int = -1, descending: bool = False, stable: bool | None = False, *, out: Any = None) -> ValuesIndices[T]:
    """The elements in order along a dim, and where they were.

    Args:
        input: Tensor of any shape and real dtype.
        dim: The dim to sort along.
        descending: From the largest on; NaN first.
        stable: Whether equal elements keep their order, also in descending order.
        out: Two tensors to write into, (values, indices).

    Returns:
        Named tuple of `values` and int64 `indices`.

    Raises:
        IndexRangeError: There is no such dim.
        DTypeError: The dtype is complex.

    Ascend operator: Sort; TopK for float64 and uint64. Like: torch.sort, numpy.sort.

    Examples:
        >>> values, places = at.sort(at.tensor([3, 1, 2]))
        >>> values
        tensor([1, 2, 3], device='npu:0')
        >>> places
        tensor([1, 2, 0], device='npu:0')
    """
    axis = dim_of(input, dim, "sort")
    values, places = _ordered(_to_last(input, axis), descending, bool(stable))
    return into_all(ValuesIndices(_from_last(values, axis), _from_last(_long(places), axis)), out)


@checked
def argsort(input: T, dim: int = -1, descending: bool = False, stable: bool | None = False, *, out: T | None = None) -> T:
    """The indices that put the elements in order along a dim. Arguments as for `sort`, but `out` is one int64 tensor.

    Ascend operator: Sort. Like: torch.argsort, numpy.argsort.

    Examples:
        >>> at.argsort(at.tensor([3, 1, 2]))
        tensor([1, 2, 0], device='npu:0')
        >>> at.argsort(at.tensor([3, 1, 2]), descending=True)
        tensor([0, 2, 1], device='npu:0')
    """
    return into(sort(input, dim, descending, stable).indices, out)


@checked
def msort(input: T, *, out: T | None = None) -> T:
    """The elements in order along the first dim. Like: torch.msort.

    Examples:
        >>> at.msort(at.tensor([[3, 1], [2, 4]]))
        tensor([[2, 1],
                [3, 4]], device='npu:0')
    """
    return into(sort(input, 0).values, out)


@checked
def topk(input: T, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: Any = None) -> ValuesIndices[T]:
    """The k largest (or smallest) elements of a dim, and where they are. Which of equal elements is not defined, but each counts once.

    Args:
        input: Tensor of any shape and real dtype.
        k: How many; 0 to the dim's length.
        dim: The dim to look along.
        largest: False for the smallest.
        sorted: Whether they have to be in order.
        out: Two tensors to write into, (values, indices).

    Returns:
        Named tuple of `values` and int64 `indices`, with k places in the dim.

    Raises:
        ValueRangeError: k is out of range.
        IndexRangeError: There is no such dim.

    Ascend operator: TopKV2; TopK for float64 and integers. Like: torch.topk, numpy.partition.

    Examples:
        >>> values, places = at.topk(at.tensor([1, 5, 3]), 2)
        >>> values
        tensor([5, 3], device='npu:0')
        >>> places
        tensor([1, 2], device='npu:0')
    """
    axis = dim_of(input, dim, "topk")
    values, places = _first(_to_last(input, axis), k, largest, sorted)
    return into_all(ValuesIndices(_from_last(values, axis), _from_last(_long(places), axis)), out)


@checked
def kthvalue(input: T, k: int, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]:
    """The k-th smallest element of a dim, counted from 1, and where it is.

    Args:
        input: Tensor of any shape and real dtype.
        k: Rank, from 1 to the dim's length.
        dim: The dim to look along.
        keepdim: Whether the dim stays with length 1.
        out: Two tensors to write into, (values, indices).

    Returns:
        Named tuple of `values` and int64 `indices`.

    Raises:
        ValueRangeError: k is out of range.
        IndexRangeError: There is no such dim.

    Ascend operator: TopKV2 or TopK, as for `topk`. Like: torch.kthvalue.

    Examples:
        >>> value, place = at.kthvalue(at.tensor([3, 1, 2]), 2)
        >>> value
        tensor(2, device='npu:0')
        >>> place
        tensor(2, device='npu:0')
    """
    axis = dim_of(input, dim, "kthvalue")
    length = length_to_choose_from(input, axis, "kthvalue")
    if not 1 <= k <= length:
        raise ValueRangeError(f"selected number k out of range: {k} for a dimension of size {length}").with_context("kthvalue", (input,))
    values, places = _first(_to_last(input, axis), k, False, True)
    return into_all(ValuesIndices(_taken(values, k - 1, axis, keepdim), _long(_taken(places, k - 1, axis, keepdim))), out)


def length_to_choose_from(input: TensorBase, axis: int, function: str) -> int:
    """The length of a dim that an element is chosen from.

    Raises:
        IndexRangeError: It is 0.
    """
    length = (input.desc.shape or (1,))[axis]
    if not length:
        raise IndexRangeError(f"Expected reduction dim {axis} to have non-zero size").with_context(function, (input,))
    return length


def _taken(ordered: T, place: int, axis: int, keepdim: bool) -> T:
    """One place of the last dim, which stood at `axis`."""
    if not ordered.desc.shape:
        return ordered
    if keepdim:
        return _from_last(views.narrow(ordered, -1, place, 1), axis)
    rank = len(ordered.desc.shape)
    one = views.narrow(ordered, -1, place, 1)
    return views.squeeze(_from_last(one, axis), axis) if axis < rank - 1 else views.squeeze(one, -1)


# Middles


@overload
def median(input: T, dim: None = None, keepdim: bool = False, *, out: Any = None) -> T: ...
@overload
def median(input: T, dim: int, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]: ...
@checked
def median(input: T, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The lower of the middle elements; NaN where there is one.

    Args:
        input: Tensor of any shape and real dtype.
        dim: A dim, or None for all elements.
        keepdim: Whether the dim stays with length 1.
        out: Tensor to write into; with `dim` two of them, (values, indices).

    Returns:
        A 0-d tensor; with `dim` a named tuple of `values` and int64 `indices`.

    Raises:
        IndexRangeError: There is no such dim.
        ShapeError: There are no elements to choose from.

    Ascend operator: Sort, and IsNan and SelectV2 for floating dtypes. Like: torch.median (numpy.median gives the mean of both).

    Examples:
        >>> at.median(at.tensor([4, 1, 3, 2]))
        tensor(2, device='npu:0')
        >>> value, place = at.median(at.tensor([[5, 1, 3]]), dim=1)
        >>> value
        tensor([3], device='npu:0')
        >>> place
        tensor([2], device='npu:0')
    """
    if dim is None:
        if input.desc.numel == 0 and input.desc.dtype.is_floating_point:
            return into(filled(input, (), math.nan), out)
        return into(_median(views.ravel(input), 0, False, "median").values, out)
    return into_all(_median(input, dim_of(input, dim, "median"), keepdim, "median"), out)


def _median(input: T, axis: int, keepdim: bool, function: str) -> ValuesIndices[T]:
    length = length_to_choose_from(input, axis, function)
    ordered, places = _ordered(_to_last(input, axis), False, True)
    middle = (length - 1) // 2
    values, indices = (_taken(each, middle, axis, keepdim) for each in (ordered, places))
    if not input.desc.dtype.is_floating_point:
        return ValuesIndices(values, _long(indices))
    # NaN stands last; PyTorch gives the index of the first one, which is where ArgMax finds it.
    last = _taken(ordered, length - 1, axis, keepdim)
    lost = comparison.isnan(last)
    first = reduction.argmax(input, axis, keepdim)
    return ValuesIndices(comparison.where(lost, last, values), comparison.where(lost, first, _long(indices)))


_INTERPOLATIONS: Final = ("linear", "lower", "higher", "nearest", "midpoint")


def _neighbours(place: float, interpolation: str) -> tuple[int, int, float]:
    """The two places to look at, and how far from the first one the value lies."""
    low, high = math.floor(place), math.ceil(place)
    if interpolation == "linear":
        return low, high, place - low
    if interpolation == "midpoint":
        return low, high, 0.5 if low < high else 0.0
    only = {"lower": low, "higher": high, "nearest": round(place)}[interpolation]
    return only, only, 0.0


class Fractions(NamedTuple):
    """Fractions that were asked for, and whether it was one number."""

    one: bool
    numbers: list[float]


def fractions(input: TensorBase, q: Any, interpolation: str, function: str) -> Fractions:
    """The fractions of a quantile, checked.

    Raises:
        DTypeError: The operand is not floating.
        ShapeError: They have more than one dim.
        ValueRangeError: A fraction or the interpolation is none.
    """
    if not input.desc.dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {input.desc.dtype.name}").with_context(function, (input,))
    if interpolation not in _INTERPOLATIONS:
        raise ValueRangeError(f"interpolation must be one of {', '.join(_INTERPOLATIONS)}, not {interpolation!r}", where=function)
    given: Any = q if isinstance(q, (int, float, np.integer, np.floating)) else _numbers(q)
    one = not isinstance(given, list)
    if np.ndim(given) > 1:
        raise ShapeError(f"q has to be a number or a vector, not of shape {list(np.shape(given))}").with_context(function, (input,))
    wanted: list[float] = [given] if one else given
    if not wanted or any(not 0 <= each <= 1 for each in wanted):
        raise ValueRangeError(f"q must be from 0 to 1, but is {given}").with_context(function, (input,))
    return Fractions(one, wanted)


@checked
def quantile(input: T, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear", out: T | None = None) -> T:
    """The values below which a fraction `q` of the elements lies; NaN where there is one.

    Args:
        input: Tensor of at least one element, of floating dtype.
        q: Fraction from 0 to 1, a list of them, or a 0-d or 1-d tensor (whose values are waited for).
        dim: A dim, or None for all elements.
        keepdim: Whether the dim stays with length 1.
        interpolation: Between neighbours: "linear", "lower", "higher", "nearest" or "midpoint".
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape; for several fractions with a dim for them in front.

    Raises:
        DTypeError: The operand is not floating.
        ValueRangeError: A fraction or the interpolation is none.
        ShapeError: There are no elements, or `q` has more than one dim.

    Ascend operator: Sort, Sub, Mul, Add, IsNan and SelectV2; Pack for several fractions. Like: torch.quantile, numpy.quantile.

    Examples:
        >>> at.quantile(at.tensor([0.0, 1.0, 2.0]), at.tensor([0.25, 0.5]))
        tensor([0.5000, 1.0000], device='npu:0')
    """
    one, wanted = fractions(input, q, interpolation, "quantile")
    axis = 0 if dim is None else dim_of(input, dim, "quantile")
    wide = widened(views.ravel(input) if dim is None else input)
    length = (wide.desc.shape or (1,))[axis]
    if length == 0:
        raise ShapeError("there are no elements to rank").with_context("quantile", (input,))
    ordered, _ = _ordered(_to_last(wide, axis), False, False)
    last = _taken(ordered, length - 1, axis, keepdim)
    lost = comparison.isnan(last)
    results = []
    for each in wanted:
        low, high, part = _neighbours(each * (length - 1), interpolation)
        value = _taken(ordered, low, axis, keepdim)
        if part:
            value = elementwise.lerp(value, _taken(ordered, high, axis, keepdim), part)
        results.append(narrowed(comparison.where(lost, last, value), input))
    if dim is None and keepdim:
        results = [views.reshape(each, (1,) * len(input.desc.shape)) for each in results]
    return into(results[0] if one else shape.stack(results), out)


def _numbers(q: Any) -> Any:
    if not isinstance(q, TensorBase):
        return [float(each) for each in q]
    return host.download(q).astype("float64").tolist()


# Unique elements


@overload
def unique(
    input: T, sorted: bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: int | None = None
) -> T: ...
@overload
def unique(input: T, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any: ...
@checked
def unique(input: T, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The different elements, in order. Waits for the result: its shape depends on the data.

    Args:
        input: Tensor of any shape and dtype; with `dim` of real dtype.
        sorted: Accepted for PyTorch's sake; the result is always in order.
        return_inverse: Whether to give, for each element, its index in the result.
        return_counts: Whether to give how often each occurs.
        dim: Compare slices along this dim instead of elements.

    Returns:
        A 1-d tensor (with `dim`, of the operand's rank); a tuple with int64 inverse and counts where asked for. NaNs are all different.

    Raises:
        DTypeError: The dtype is complex, and `dim` is given.
        IndexRangeError: There is no such dim.

    Ascend operator: UniqueWithCountsAndSorting; UniqueWithCountsExt2 with `dim`; Sort and others for complex numbers.
    Like: torch.unique, numpy.unique.

    Examples:
        >>> at.unique(at.tensor([3, 1, 3]))
        tensor([1, 3], device='npu:0')
        >>> values, counts = at.unique(at.tensor([3, 1, 3]), return_counts=True)
        >>> counts
        tensor([1, 2], device='npu:0')
    """
    if dim is None and input.desc.dtype.is_complex:
        values, inverse, counts = _unique_pairs(input)
    elif dim is None:
        values, inverse, counts = call(table.UNIQUE, (input,), (return_inverse, return_counts))
        if return_inverse and not input.desc.shape:
            inverse = views.reshape(inverse, ())
    else:
        values, _, counts, inverse = call(table.UNIQUE_DIM, (input,), (dim,))
    return _chosen(values, inverse if return_inverse else None, counts if return_counts else None)


@overload
def unique_consecutive(
    input: T, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: int | None = None
) -> T: ...
@overload
def unique_consecutive(input: T, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any: ...
@checked
def unique_consecutive(input: T, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The first element of each run of equal ones. Arguments and results as for `unique`; any dtype.

    Ascend operator: UniqueConsecutive. Like: torch.unique_consecutive.

    Examples:
        >>> at.unique_consecutive(at.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1], device='npu:0')
    """
    values, inverse, counts = call(table.UNIQUE_CONSECUTIVE, (input,), (return_inverse, return_counts, dim))
    if return_inverse and not input.desc.shape:
        inverse = views.reshape(inverse, ())
    return _chosen(values, inverse if return_inverse else None, counts if return_counts else None)


def _unique_pairs(input: T) -> tuple[Any, Any, Any]:
    """Unique complex numbers in NumPy's order, by real and then by imaginary part; inverse and counts."""
    flat = views.ravel(input)
    parts = [views.real(flat), views.imag(flat)]
    count = flat.desc.numel
    if not count:
        none = filled(input, (0,), 0, d.int64)
        return flat, views.reshape(none, input.desc.shape), none
    order = argsort(parts[1], stable=True)
    order = gather.gather(order, 0, argsort(gather.gather(parts[0], 0, order), stable=True))
    ordered = [gather.gather(part, 0, order) for part in parts]
    changes = [comparison.ne(views.narrow(part, 0, 1, count - 1), views.narrow(part, 0, 0, count - 1)) for part in ordered]
    fresh = shape.cat((filled(input, (1,), True, d.bool_), comparison.logical_or(*changes)))
    values = complex_numbers.complex(*(gather.masked_select(part, fresh) for part in ordered))
    group = elementwise.sub(reduction.cumsum(fresh, 0), 1)
    inverse = gather.scatter(elementwise.mul(group, 0), 0, order, group)
    starts = views.ravel(gather.nonzero(fresh))
    ends = shape.cat((views.narrow(starts, 0, 1, starts.desc.numel - 1), filled(input, (1,), count, d.int64)))
    return values, views.reshape(inverse, input.desc.shape), elementwise.sub(ends, starts)


def _chosen(values: Any, *others: Any) -> Any:
    given = [each for each in others if each is not None]
    return (values, *given) if given else values


@overload
def isin(elements: T, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: T | None = None) -> T: ...
@overload
def isin(elements: complex, test_elements: T, *, assume_unique: bool = False, invert: bool = False, out: T | None = None) -> T: ...
@checked
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: TensorBase | None = None) -> Any:
    """Whether each element is among others.

    Args:
        elements: Tensor of any shape, or a Python number.
        test_elements: The same; one of both is a tensor.
        assume_unique: Has no effect.
        invert: Whether to ask for the opposite.
        out: Tensor of the same shape to write into.

    Returns:
        bool tensor of the shape of `elements`.

    Ascend operator: Equal and ReduceAny over all pairs; Sort, SearchSorted, ClipByValueV2, GatherV2, Equal for more than 16 others.
    Like: torch.isin, numpy.isin.

    Examples:
        >>> at.isin(at.tensor([1, 2, 3]), at.tensor([2, 5]))
        tensor([False,  True, False], device='npu:0')
    """
    if not isinstance(test_elements, TensorBase):
        found = comparison.eq(elements, test_elements)
    elif not isinstance(elements, TensorBase):
        found = reduction.any(comparison.eq(test_elements, elements))
    else:
        found = _among(elements, views.ravel(test_elements))
    return into(comparison.logical_not(found) if invert else found, out)


def _among(elements: T, others: T) -> T:
    """Whether each element is among a vector's: a few by all pairs, else by where it would stand among them in order."""
    dtypes = (elements.desc.dtype, others.desc.dtype)
    if others.desc.numel <= _FEW or not elements.desc.numel or any(each.category in (d.BOOL, d.COMPLEX) for each in dtypes):
        return reduction.any(comparison.eq(views.unsqueeze(elements, -1), others), -1)
    kind = comparison.promoted(table.SEARCHSORTED, elements, others)
    flat = comparison.cast(views.ravel(elements), kind)
    ordered = _ordered(comparison.cast(others, kind), False, False)[0]
    places = elementwise.clamp(searchsorted(ordered, flat), max=ordered.desc.numel - 1)
    return views.reshape(comparison.eq(gather.index_select(ordered, 0, places), flat), elements.desc.shape)


# Searching


@checked
def searchsorted(
    sorted_sequence: T,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: TensorBase | None = None,
    out: T | None = None,
) -> T:
    """Where values would go in sorted rows so that these stay sorted.

    Args:
        sorted_sequence: 1-d tensor, or rows of the leading shape of `input`, in ascending order.
        input: Tensor, or a Python number for a 1-d sequence.
        out_int32: Whether the result is int32.
        right: Behind equal elements instead of before them.
        side: "left" or "right", the same in other words.
        sorter: Indices that put unsorted rows in order, as `argsort` gives them: int64 of the shape of the rows.
        out: Tensor of the result's shape to write into.

    Returns:
        int64 tensor of the shape of `input`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtype is complex.
        ValueRangeError: `side` is neither, or contradicts `right`.

    Ascend operator: SearchSorted. Like: torch.searchsorted, numpy.searchsorted.

    Examples:
        >>> at.searchsorted(at.tensor([1, 3, 5]), at.tensor([3, 6]))
        tensor([1, 3], device='npu:0')
        >>> at.searchsorted(at.tensor([1, 3, 5]), at.tensor([3, 6]), right=True)
        tensor([2, 3], device='npu:0')
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ValueRangeError(f"side can only be 'left' or 'right' and must agree with right={right}, not {side!r}", where="searchsorted")
    if sorter is not None:
        if sorter.desc.shape != sorted_sequence.desc.shape:
            raise ShapeError("the sorter needs the shape of the rows").with_context("searchsorted", (sorted_sequence, sorter))
        sorted_sequence = gather.gather(sorted_sequence, -1, sorter)
    rows, values = sorted_sequence, input
    kind = comparison.promoted(table.SEARCHSORTED, rows, values)
    if kind in _BY_TOPK:  # the operator does not take them
        rows, values = (_in_order(operand, kind, sorted_sequence) for operand in (rows, values))
    places: T = call(table.SEARCHSORTED, (rows, values), (right or side == "right",))
    return into(comparison.cast(places, d.int32) if out_int32 else places, out)


def _in_order(operand: Any, kind: DType, like: TensorBase) -> Any:
    """int64 numbers in the order of an operand of a dtype."""
    if not isinstance(operand, TensorBase):
        operand = filled(like, (), operand, kind)
    return unsigned.ordered(operand if operand.desc.dtype is kind else comparison.cast(operand, kind))


@checked
def bucketize(input: Any, boundaries: T, *, out_int32: bool = False, right: bool = False, out: T | None = None) -> T:
    """The index of the bucket between sorted boundaries that each value lies in. `searchsorted(boundaries, input)`.

    Ascend operator: SearchSorted. Like: torch.bucketize, numpy.digitize.

    Examples:
        >>> at.bucketize(at.tensor([0, 3, 9]), at.tensor([1, 3, 5]))
        tensor([0, 1, 3], device='npu:0')
        >>> at.bucketize(at.tensor([0, 3, 9]), at.tensor([1, 3, 5]), right=True)
        tensor([0, 2, 3], device='npu:0')
    """
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


# Counting


@checked
def bincount(input: T, weights: T | None = None, minlength: int = 0) -> T:
    """How often each number from 0 on occurs, or the sum of its weights. Waits for the largest number: the shape depends on it.

    Args:
        input: 1-d tensor of integers from 0 on.
        weights: Tensor of the same shape, or None.
        minlength: Least length of the result.

    Returns:
        1-d int64 tensor; with weights float32 for float32, else float64.

    Raises:
        ShapeError: The operand is not 1-d, or the weights have another shape.
        DTypeError: It is not of integers.
        ValueRangeError: It holds a negative number, or `minlength` is one.

    Ascend operator: ReduceMin, ReduceMax and Bincount. Like: torch.bincount, numpy.bincount.

    Examples:
        >>> at.bincount(at.tensor([0, 1, 1, 3]))
        tensor([1, 2, 0, 1], device='npu:0')
    """
    if len(input.desc.shape) != 1 or (weights is not None and weights.desc.shape != input.desc.shape):
        operands = (input,) if weights is None else (input, weights)
        raise ShapeError("a vector, and weights of its shape, are needed").with_context("bincount", operands)
    if input.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"integers are needed, not {input.desc.dtype.name}").with_context("bincount", (input,))
    minlength = as_int(minlength)
    if minlength < 0:
        raise ValueRangeError(f"minlength must not be negative, but is {minlength}", where="bincount")
    dtype: DType = d.int64 if weights is None else d.float32 if weights.desc.dtype is d.float32 else d.float64
    size = minlength
    if input.desc.numel:
        lowest, highest = (int(host.item(each)) for each in (reduction.amin(input), reduction.amax(input)))
        if lowest < 0:
            raise ValueRangeError(f"the numbers must not be negative, but there is {lowest}").with_context("bincount", (input,))
        if highest >= 2**31 - 1:
            raise ValueRangeError(f"the largest number is {highest}, but numbers are counted up to 2**31 - 1").with_context(
                "bincount", (input,)
            )
        size = max(size, highest + 1)
    if not input.desc.numel or not size:
        return filled(input, (size,), 0, dtype)
    if weights is None:
        weights = filled(input, input.desc.shape, 1, dtype)
    elif weights.desc.dtype is not dtype:
        weights = comparison.cast(weights, dtype)
    return call(counting.BINCOUNT, (input, weights), (size,))


@checked
def histc(input: T, bins: int = 100, min: float = 0, max: float = 0, *, out: T | None = None) -> T:
    """How many elements lie in each of equal bins; the last one holds its upper limit too.

    Args:
        input: Tensor of any shape, of floating dtype or of signed integers or uint8.
        bins: Number of bins.
        min, max: Limits; two equal ones for those of the data. Elements outside are not counted.
        out: Tensor of the result's shape to write into.

    Returns:
        1-d tensor of counts, of the operand's dtype.

    Raises:
        ValueRangeError: There are no bins, or `max` is below `min`.

    Ascend operator: HistogramV2; Bincount for float64. Like: torch.histc, numpy.histogram.

    Examples:
        >>> at.histc(at.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.], device='npu:0')
    """
    min, max = (host.item(each) if isinstance(each, TensorBase) else each for each in (min, max))
    if bins < 1 or max < min:
        raise ValueRangeError(f"bins must be positive and max not below min: {bins}, {min}, {max}", where="histc")
    limits: tuple[Any, Any] = (min, max)
    if min == max:
        if not input.desc.numel:
            return into(filled(input, (bins,), 0), out)
        limits = (reduction.amin(input), reduction.amax(input))
    if input.desc.dtype is d.float64:
        return into(_tally(views.ravel(input), *limits, bins), out)
    found: T = call(counting.HISTC, (input, *limits), (bins,))
    return into(comparison.cast(found, input.desc.dtype), out)


def _tally(flat: T, low: Any, high: Any, bins: int) -> T:
    """Counts of float64, which HistogramV2 does not take."""
    if isinstance(low, TensorBase):
        alone = comparison.cast(comparison.eq(low, high), d.float64)
        low, high = elementwise.sub(low, alone), elementwise.add(high, alone)
    inside = comparison.logical_and(comparison.ge(flat, low), comparison.le(flat, high))
    width = elementwise.sub(high, low) if isinstance(low, TensorBase) else high - low
    part = elementwise.mul(elementwise.div(elementwise.sub(flat, low), width), bins)
    place = elementwise.clamp(_long(comparison.where(inside, part, 0.0)), 0, bins - 1)
    if not flat.desc.numel:
        return filled(flat, (bins,), 0, d.float64)
    return call(counting.BINCOUNT, (place, comparison.cast(inside, d.float64)), (bins,))
