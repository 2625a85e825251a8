"""Reductions over dims, and running sums, products and extremes.

float16 and bfloat16 are added up in float32: by the kernels where one operator does the work, by a cast around them where it takes
several.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final, TypeVar, overload

from .. import dtypes as d
from .. import shapes
from ..base import TensorBase
from ..dtypes import DTypeLike
from ..errors import DTypeError, ShapeError
from ..promotion import promote_types
from . import chips, views
from .arguments import checked
from .call import call, plain, structured
from .copying import contiguous
from .pointwise import comparison, elementwise, unary, unsigned
from .results import MinMax, ValuesIndices
from .schema import Row
from .table import reduction as table
from .writing import into, into_all, write

T = TypeVar("T", bound=TensorBase)

Dims = Any
"""One dim, several of them in a tuple or list, or None for all."""

HALVES: Final = (d.float16, d.bfloat16)


def _dims(dim: Dims) -> Any:
    """Dims in hashable form."""
    return tuple(dim) if dim.__class__ is list else dim


def widened(input: T) -> T:
    """The operand of a computation in several steps: float16 and bfloat16 as float32."""
    return comparison.cast(input, d.float32) if input.desc.dtype in HALVES else input


def narrowed(result: T, like: TensorBase) -> T:
    """The result of such a computation in the operand's dtype."""
    return comparison.cast(result, like.desc.dtype) if like.desc.dtype in HALVES else result


def floating(input: T, function: str) -> None:
    """Refuse bool and integers.

    Raises:
        DTypeError: The operand is not floating or complex.
    """
    dtype = input.desc.dtype
    if dtype.category < d.FLOATING:
        error = DTypeError(f"a floating or complex dtype is needed, not {dtype.name}", advice="Cast with .to(float32) first.")
        raise error.with_context(function, (input,))


def count(shape: tuple[int, ...], dim: Dims) -> int:
    """Number of elements that are reduced to one."""
    return math.prod(shape[each] for each in shapes.normalize_dims(None if dim.__class__ is tuple and not dim else dim, len(shape)))


# Sums and products


@checked
def sum(input: T, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """The sum over `dim`; 0 over nothing.

    Args:
        input: Tensor of any shape and dtype.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        dtype: Dtype that the operand is cast to before; default its own, int64 for bool and integers.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape.

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: ReduceSum. Like: torch.sum, numpy.sum.

    Examples:
        >>> at.sum(at.tensor([[1, 2], [3, 4]]))
        tensor(10, device='npu:0')
        >>> at.sum(at.tensor([[1, 2], [3, 4]]), dim=1, keepdim=True)
        tensor([[3],
                [7]], device='npu:0')
    """
    if dim.__class__ is list:
        dim = tuple(dim)
    if dtype is None:
        if dim is None and out is None and not keepdim and input.desc.dtype is d.bool_ and input.desc.numel >= _LONG_MASK:
            return _trues(input)
        return structured(table.SUM, input, dim, keepdim) if out is None else write(table.SUM, out, (input,), (dim, keepdim))
    # Integers are added up in int64, and cut down at the end.
    return into(_cast(call(table.SUM, (_cast(input, dtype),), (dim, keepdim)), dtype), out)


_LONG_MASK: Final = 1 << 18
"""Masks from this length on are counted by words."""
_ROWS: Final = range(127, 31, -1)
"""As many rows of words are added up: the bytes of the sums stay below 128."""


@lru_cache(maxsize=1024)
def _rows_of(words: int) -> int:
    """How many rows leave no word over, or nearly none."""
    return sorted(_ROWS, key=lambda rows: words % rows)[0]


def _trues(mask: T) -> T:
    """How many elements of a mask are true, as a 0-d int64 tensor. Four are counted at once, as bytes of an int32: no chip adds bytes, and
    as int64 each would be read and written with eight times as many."""
    flat = views.ravel(mask)
    length = flat.desc.numel
    rows = _rows_of(length // 4)
    left = length % (4 * rows)
    whole = flat if not left else views.narrow(flat, 0, 0, length - left)
    words = views.view(plain(whole), d.int32)
    sums = call(table.SUM_OF_WORDS, (views.view(words, rows, words.desc.numel // rows),), (0, False))
    found = structured(table.SUM, views.view(sums, d.uint8), None, False)
    return elementwise.add(found, structured(table.SUM, views.narrow(flat, 0, length - left, left), None, False)) if left else found


def _cast(input: T, dtype: DTypeLike) -> T:
    """A tensor in the dtype that was asked for; itself where it has that already."""
    wanted = d.as_dtype(dtype)
    return input if input.desc.dtype is wanted else comparison.cast(input, wanted)


@checked
def nansum(input: T, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """The sum over `dim` with NaN taken as 0. Arguments and result as for `sum`.

    Ascend operator: ReduceNansum; SelectV2 and ReduceSum for float64. Like: torch.nansum, numpy.nansum.

    Examples:
        >>> at.nansum(at.tensor([1.0, float("nan"), 3.0]))
        tensor(4., device='npu:0')
    """
    if dtype is not None:
        input = _cast(input, dtype)
    kind = input.desc.dtype
    if kind.is_complex:
        raise DTypeError("complex numbers are not supported").with_context("nansum", (input,))
    if not kind.is_floating_point:
        return sum(input, dim, keepdim, dtype=dtype, out=out)
    if kind is d.float64 or chips.lacks(table.NANSUM, kind):
        return sum(comparison.where(comparison.isnan(input), 0.0, input), dim, keepdim, out=out)
    arguments = (_dims(dim), keepdim)
    return call(table.NANSUM, (input,), arguments) if out is None else write(table.NANSUM, out, (input,), arguments)


@checked
def prod(input: T, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """The product over `dim`; 1 over nothing.

    Args:
        input: Tensor of any shape and dtype.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        dtype: Dtype that the operand is cast to before; default its own, int64 for bool and integers.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape.

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: ReduceProd. Like: torch.prod, numpy.prod.

    Examples:
        >>> at.prod(at.tensor([2, 3, 4]))
        tensor(24, device='npu:0')
    """
    if dim.__class__ is list:
        dim = tuple(dim)
    if dtype is None:
        return structured(table.PROD, input, dim, keepdim) if out is None else write(table.PROD, out, (input,), (dim, keepdim))
    return into(_cast(call(table.PROD, (_cast(input, dtype),), (dim, keepdim)), dtype), out)


@checked
def mean(input: T, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """The arithmetic mean over `dim`; NaN over nothing.

    Args:
        input: Tensor of any shape, of floating or complex dtype.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        dtype: Dtype that the operand is cast to before.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape and the operand's dtype.

    Raises:
        DTypeError: The operand is of bool or integers and `dtype` is not given.
        IndexRangeError: There is no such dim.

    Ascend operator: ReduceMean. Like: torch.mean, numpy.mean.

    Examples:
        >>> at.mean(at.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
        tensor([2., 3.], device='npu:0')
    """
    if dtype is not None:
        input = _cast(input, dtype)
    arguments = (_dims(dim), keepdim)
    return structured(table.MEAN, input, *arguments) if out is None else write(table.MEAN, out, (input,), arguments)


@checked
def nanmean(input: T, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """The mean over `dim` of what is not NaN; NaN where there is nothing else. Arguments and result as for `mean`.

    Ascend operator: ReduceNansum, IsNan, ReduceSum and RealDiv. Like: torch.nanmean, numpy.nanmean.

    Examples:
        >>> at.nanmean(at.tensor([1.0, float("nan"), 3.0]))
        tensor(2., device='npu:0')
    """
    if dtype is not None:
        input = _cast(input, dtype)
    floating(input, "nanmean")
    wide = widened(input)
    there = sum(comparison.eq(wide, wide), dim, keepdim)
    return into(narrowed(elementwise.div(nansum(wide, dim, keepdim), there), input), out)


@checked
def count_nonzero(input: T, dim: Dims = None) -> T:
    """The number of elements over `dim` that are not 0; NaN is not.

    Args:
        input: Tensor of any shape and dtype.
        dim: A dim, several, or None for all.

    Returns:
        int64 tensor of the reduced shape.

    Ascend operator: NotEqual and ReduceSum. Like: torch.count_nonzero, numpy.count_nonzero.

    Examples:
        >>> at.count_nonzero(at.tensor([[0, 5], [7, 2]]))
        tensor(3, device='npu:0')
        >>> at.count_nonzero(at.tensor([[0, 5], [7, 2]]), dim=1)
        tensor([1, 2], device='npu:0')
    """
    return sum(_truth(input), dim)


# Truth


def _truth(input: T) -> T:
    """Each element as bool. Cast may drop a fraction on the way to bool, a comparison does not."""
    if input.desc.dtype.is_complex:
        input = unary.abs(input)
    return input if input.desc.dtype is d.bool_ else comparison.ne(input, 0)


@checked
def all(input: T, dim: Dims = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """Whether all elements over `dim` are true (not 0); True over nothing.

    Args:
        input: Tensor of any shape and dtype.
        dim: A dim, several, or None for all; () for none, which gives each element's truth.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.

    Returns:
        bool tensor of the reduced shape, also for uint8 (where PyTorch gives uint8).

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: ReduceAll, after NotEqual for other dtypes than bool. Like: torch.all, numpy.all.

    Examples:
        >>> at.all(at.tensor([[True, False], [True, True]]), dim=1)
        tensor([False,  True], device='npu:0')
    """
    arguments = (_dims(dim), keepdim)
    if arguments[0].__class__ is tuple and not arguments[0]:
        return into(comparison.logical_and(_truth(input), True), out)
    return call(table.ALL, (_truth(input),), arguments) if out is None else write(table.ALL, out, (_truth(input),), arguments)


@checked
def any(input: T, dim: Dims = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """Whether an element over `dim` is true (not 0); False over nothing. Arguments and result as for `all`.

    Ascend operator: ReduceAny, after NotEqual for other dtypes than bool. Like: torch.any, numpy.any.

    Examples:
        >>> at.any(at.tensor([[True, False], [False, False]]), dim=1)
        tensor([ True, False], device='npu:0')
    """
    arguments = (_dims(dim), keepdim)
    if arguments[0].__class__ is tuple and not arguments[0]:
        return into(comparison.logical_and(_truth(input), True), out)
    return call(table.ANY, (_truth(input),), arguments) if out is None else write(table.ANY, out, (_truth(input),), arguments)


# Extremes


@checked
def amax(input: T, dim: Dims = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """The largest element over `dim`; NaN where there is one.

    Args:
        input: Tensor of any shape and real dtype.
        dim: A dim, several, or None or () for all.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape and the operand's dtype.

    Raises:
        IndexRangeError: There is no such dim, or it has length 0.
        ShapeError: The operand has no elements and `dim` is not given.

    Ascend operator: ReduceMax. Like: torch.amax, numpy.amax.

    Examples:
        >>> at.amax(at.tensor([[1, 5], [7, 2]]), dim=(0, 1))
        tensor(7, device='npu:0')
    """
    if dim.__class__ is list:
        dim = tuple(dim)
    return structured(table.AMAX, input, dim, keepdim) if out is None else write(table.AMAX, out, (input,), (dim, keepdim))


@checked
def amin(input: T, dim: Dims = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """The smallest element over `dim`; NaN where there is one. Arguments and result as for `amax`.

    Ascend operator: ReduceMin. Like: torch.amin, numpy.amin.

    Examples:
        >>> at.amin(at.tensor([[1, 5], [7, 2]]), dim=1)
        tensor([1, 2], device='npu:0')
    """
    if dim.__class__ is list:
        dim = tuple(dim)
    return structured(table.AMIN, input, dim, keepdim) if out is None else write(table.AMIN, out, (input,), (dim, keepdim))


@checked
def aminmax(input: T, *, dim: int | None = None, keepdim: bool = False, out: Any = None) -> MinMax[T]:
    """Smallest and largest element, over one dim or all.

    Args:
        input: Tensor of any shape and real dtype.
        dim: A dim, or None for all.
        keepdim: Whether the reduced dim stays with length 1.
        out: Two tensors to write into, (min, max).

    Returns:
        Named tuple of `min` and `max`.

    Ascend operator: ReduceMin and ReduceMax. Like: torch.aminmax.

    Examples:
        >>> smallest, largest = at.aminmax(at.tensor([3, 1, 2]))
        >>> smallest
        tensor(1, device='npu:0')
        >>> largest
        tensor(3, device='npu:0')
    """
    return into_all(MinMax(amin(input, dim, keepdim), amax(input, dim, keepdim)), out)


@overload
def max(input: T, dim: int, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]: ...
@overload
def max(input: T, dim: TensorBase | None = None, keepdim: bool = False, *, other: TensorBase | None = None, out: Any = None) -> T: ...
@checked
def max(input: T, dim: Any = None, keepdim: bool = False, *, other: TensorBase | None = None, out: Any = None) -> Any:
    """The largest element; along a dim with its index; or the larger of two tensors' elements.

    Args:
        input: Tensor of any shape and real dtype.
        dim: None for the largest of all; one dim; or a second tensor, for `maximum(input, dim)`.
        keepdim: Whether the reduced dim stays with length 1.
        other: A second tensor, by name.
        out: Tensor to write into; with `dim` two of them, (values, indices).

    Returns:
        A 0-d tensor; with `dim` a named tuple of `values` and int64 `indices` (of the first of several); with a second tensor a tensor.

    Raises:
        DTypeError: A second tensor beside a dim or `keepdim`.
        IndexRangeError: There is no such dim, or it has length 0.
        ShapeError: The operand has no elements and `dim` is not given.

    Ascend operator: ReduceMax; ArgMaxWithValue with `dim`; Maximum. Like: torch.max, numpy.max.

    Examples:
        >>> at.max(at.tensor([3, 1, 7]))
        tensor(7, device='npu:0')
        >>> values, places = at.max(at.tensor([[1, 5], [7, 2]]), dim=1)
        >>> values
        tensor([5, 7], device='npu:0')
        >>> places
        tensor([1, 0], device='npu:0')
    """
    if dim is None and other is None:
        return structured(table.AMAX, input, None, False) if out is None else amax(input, out=out)
    if other is not None or isinstance(dim, TensorBase):
        return elementwise.maximum(input, _second(dim, keepdim, other), out=out)
    if input.desc.dtype in (d.float64, d.uint64) or chips.lacks(table.MAX_DIM, input.desc.dtype):
        found = ValuesIndices(amax(input, dim, keepdim), argmax(input, dim, keepdim))
    else:
        indices, values = structured(table.MAX_DIM, input, dim, keepdim)
        found = ValuesIndices(values, indices)
    return into_all(found, out)


@overload
def min(input: T, dim: int, keepdim: bool = False, *, out: Any = None) -> ValuesIndices[T]: ...
@overload
def min(input: T, dim: TensorBase | None = None, keepdim: bool = False, *, other: TensorBase | None = None, out: Any = None) -> T: ...
@checked
def min(input: T, dim: Any = None, keepdim: bool = False, *, other: TensorBase | None = None, out: Any = None) -> Any:
    """The smallest element; along a dim with its index; or the smaller of two tensors' elements. Arguments and results as for `max`.

    Ascend operator: ReduceMin; ArgMinWithValue with `dim`; Minimum. Like: torch.min, numpy.min.

    Examples:
        >>> at.min(at.tensor([3, 1, 7]))
        tensor(1, device='npu:0')
        >>> values, places = at.min(at.tensor([[1, 5], [7, 2]]), dim=1)
        >>> values
        tensor([1, 2], device='npu:0')
        >>> places
        tensor([0, 1], device='npu:0')
    """
    if dim is None and other is None:
        return structured(table.AMIN, input, None, False) if out is None else amin(input, out=out)
    if other is not None or isinstance(dim, TensorBase):
        return elementwise.minimum(input, _second(dim, keepdim, other), out=out)
    if input.desc.dtype in (d.float64, d.uint64) or chips.lacks(table.MIN_DIM, input.desc.dtype):
        found = ValuesIndices(amin(input, dim, keepdim), argmin(input, dim, keepdim))
    else:
        indices, values = structured(table.MIN_DIM, input, dim, keepdim)
        found = ValuesIndices(values, indices)
    return into_all(found, out)


def _second(dim: Any, keepdim: bool, other: TensorBase | None) -> TensorBase:
    """The second tensor of `max` and `min`, which stands in the place of a dim or is named.

    Raises:
        DTypeError: There is a dim, or `keepdim`, beside it.
    """
    found: TensorBase = dim if other is None else other
    if keepdim or (other is not None and dim is not None):
        raise DTypeError("beside a second tensor there is no dim to reduce, nor to keep", advice="Leave dim and keepdim away.")
    return found


def _comparable(input: T) -> T:
    return unsigned.ordered(input) if input.desc.dtype is d.uint64 else input


@checked
def argmax(input: T, dim: int | None = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """The index of the largest element (the first of several; of the first NaN, if there is one).

    Args:
        input: Tensor of any shape and real dtype.
        dim: A dim, or None for the index into the flattened tensor.
        keepdim: Whether the reduced dim (all of them for None) stays with length 1.
        out: int64 tensor of the result's shape to write into.

    Returns:
        int64 tensor of the reduced shape.

    Raises:
        IndexRangeError: There is no such dim, or it has length 0.
        ShapeError: The operand has no elements and `dim` is not given.

    Ascend operator: ArgMaxV2. Like: torch.argmax, numpy.argmax.

    Examples:
        >>> at.argmax(at.tensor([[1, 5], [7, 2]]))
        tensor(2, device='npu:0')
        >>> at.argmax(at.tensor([[1, 5], [7, 2]]), dim=1)
        tensor([1, 0], device='npu:0')
    """
    found = _place(table.ARGMAX, table.SHORT_ARGMAX, _comparable(input), dim, keepdim)
    return found if out is None else into(found, out)


@checked
def argmin(input: T, dim: int | None = None, keepdim: bool = False, *, out: T | None = None) -> T:
    """The index of the smallest element. Arguments and result as for `argmax`.

    Ascend operator: ArgMin. Like: torch.argmin, numpy.argmin.

    Examples:
        >>> at.argmin(at.tensor([[1, 5], [7, 0]]))
        tensor(3, device='npu:0')
        >>> at.argmin(at.tensor([[1, 5], [7, 0]]), dim=1)
        tensor([0, 1], device='npu:0')
    """
    found = _place(table.ARGMIN, table.SHORT_ARGMIN, _comparable(input), dim, keepdim)
    return found if out is None else into(found, out)


def _place(row: Row, short: Row, input: T, dim: int | None, keepdim: bool) -> T:
    """The index of an extreme, by the AI Core where it has a kernel for indices of either size."""
    dtype = input.desc.dtype
    if not chips.on_core(row, dtype) and chips.on_core(short, dtype):
        return comparison.cast(structured(short, input, dim, keepdim), d.int64)
    return structured(row, input, dim, keepdim)


# Deviations and norms


@checked
def var(
    input: T, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, out: T | None = None
) -> T:
    """The variance over `dim`, in two passes: the mean, then the centred squares.

    Args:
        input: Tensor of any shape, of floating or complex dtype.
        dim: A dim, several, or None for all.
        unbiased: Older name: True for a correction of 1, False for 0.
        keepdim: Whether reduced dims stay with length 1.
        correction: What is taken off the number of elements to divide by.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape and the operand's (real) dtype; NaN where the divisor is 0 or less.

    Raises:
        DTypeError: The operand is of bool or integers.
        IndexRangeError: There is no such dim.

    Ascend operator: composed of ReduceMean, Sub, Square, ReduceSum and RealDiv. Like: torch.var, numpy.var (ddof=correction).

    Examples:
        >>> at.var(at.tensor([1.0, 2.0, 3.0]))
        tensor(1., device='npu:0')
    """
    dim, correction = _correction(dim, unbiased, correction)
    return into(narrowed(_moments(input, dim, keepdim, correction, "var")[0], input), out)


def _correction(dim: Dims, unbiased: bool | None, correction: float | None) -> tuple[Dims, float]:
    """Dims and correction, None being 1; one truth value alone is `unbiased`, as in PyTorch."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is None else float(correction)


def _moments(input: T, dim: Dims, keepdim: bool, correction: float, function: str) -> tuple[T, T]:
    """Variance and mean, half operands in float32."""
    floating(input, function)
    dim = _dims(dim)
    wide = widened(input)
    center = mean(wide, dim, True)
    distance = elementwise.sub(wide, center)
    if wide.desc.dtype.is_complex:
        distance = unary.abs(distance)
    total = sum(elementwise.mul(distance, distance), dim, keepdim)
    divisor = count(input.desc.shape, dim) - correction
    variance = elementwise.div(total, float(divisor if divisor > 0 else 0))
    return variance, center if keepdim else views.reshape(center, variance.desc.shape)


@checked
def std(
    input: T, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, out: T | None = None
) -> T:
    """The standard deviation over `dim`: the square root of `var`, whose arguments and result it has.

    Ascend operator: those of `var`, and Sqrt. Like: torch.std, numpy.std (ddof=correction).

    Examples:
        >>> at.std(at.tensor([1.0, 3.0]), correction=0)
        tensor(1., device='npu:0')
    """
    dim, correction = _correction(dim, unbiased, correction)
    return into(narrowed(unary.sqrt(_moments(input, dim, keepdim, correction, "std")[0]), input), out)


@checked
def var_mean(
    input: T, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1
) -> tuple[T, T]:
    """`(var, mean)`. Arguments as for `var`. Like: torch.var_mean.

    Examples:
        >>> var, mean = at.var_mean(at.tensor([1.0, 2.0, 3.0]))
        >>> var
        tensor(1., device='npu:0')
        >>> mean
        tensor(2., device='npu:0')
    """
    dim, correction = _correction(dim, unbiased, correction)
    variance, center = _moments(input, dim, keepdim, correction, "var_mean")
    return narrowed(variance, input), narrowed(center, input)


@checked
def std_mean(
    input: T, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1
) -> tuple[T, T]:
    """`(std, mean)`. Arguments as for `var`. Like: torch.std_mean.

    Examples:
        >>> std, mean = at.std_mean(at.tensor([1.0, 3.0]), correction=0)
        >>> std
        tensor(1., device='npu:0')
        >>> mean
        tensor(2., device='npu:0')
    """
    dim, correction = _correction(dim, unbiased, correction)
    variance, center = _moments(input, dim, keepdim, correction, "std_mean")
    return narrowed(unary.sqrt(variance), input), narrowed(center, input)


@checked
def logsumexp(input: T, dim: Dims, keepdim: bool = False, *, out: T | None = None) -> T:
    """`log(sum(exp(input)))` over `dim` without overflow: the largest element is taken out first.

    Args:
        input: Tensor of any shape, of floating or complex dtype; bool and integers become the default dtype.
        dim: A dim, or several.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape; -inf over nothing and over nothing but -inf.

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: composed of ReduceMax, Sub, Exp, ReduceSum, Log and Add. Like: torch.logsumexp, scipy.special.logsumexp.

    Examples:
        >>> at.logsumexp(at.tensor([0.0, 0.0]), 0)
        tensor(0.6931, device='npu:0')
    """
    if input.desc.dtype.category < d.FLOATING:
        input = comparison.cast(input, d.get_default_dtype())
    dim = _dims(dim)
    wide = widened(input)
    if count(input.desc.shape, dim) == 0:
        return into(narrowed(unary.log(sum(wide, dim, keepdim)), input), out)
    # An infinite maximum is taken as the largest finite number, so that inf - inf never arises.
    limit = d.finfo(wide.desc.dtype.to_real()).max
    size = views.real(wide) if wide.desc.dtype.is_complex else wide
    top = elementwise.clamp(amax(size, dim, True), -limit, limit)
    total = unary.log(sum(unary.exp(elementwise.sub(wide, top)), dim, keepdim))
    return into(narrowed(elementwise.add(total, views.reshape(top, total.desc.shape)), input), out)


@checked
def vector_norm(
    input: T, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None
) -> T:
    """`sum(|x|**ord) ** (1 / ord)` over `dim`; the number of non-zeros for 0, the largest or smallest |x| for inf and -inf.

    Args:
        input: Tensor of any shape, of floating or complex dtype.
        ord: The order.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        dtype: Dtype that the operand is cast to before, complex for complex numbers and real for real ones.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the reduced shape and the operand's (real) dtype.

    Raises:
        DTypeError: The operand is of bool or integers, or `dtype` does not hold what it does.
        IndexRangeError: There is no such dim.
        ShapeError: A negative or infinite order of no elements.

    Ascend operator: LpNormV2 for orders 0 to 3 of float types up to 32 bits; else composed. Like: torch.linalg.vector_norm.

    Examples:
        >>> at.linalg.vector_norm(at.tensor([3.0, 4.0]))
        tensor(5., device='npu:0')
        >>> at.linalg.vector_norm(at.tensor([3.0, -4.0]), 1)
        tensor(7., device='npu:0')
    """
    input = norm_operand(input, dtype, "vector_norm")
    dim = _dims(dim)
    if (ord < 0 or ord == math.inf) and not count(input.desc.shape, dim):
        raise ShapeError(f"the {ord}-norm of no elements is not defined").with_context("vector_norm", (input,))
    if ord != 0 and count(input.desc.shape, dim) == 1:
        # The number itself, as in PyTorch: its power need not be one of the dtype's.
        shape = input.desc.shape
        gone = shapes.normalize_dims(dim or None if dim.__class__ is tuple else dim, len(shape))
        return into(views.reshape(unary.abs(input), shapes.reduce_shape(shape, gone, keepdim)), out)
    # LpNormV2 has kernels for 0, 1, 2, 3 only (and for the infinities, which JSON can't carry to a compiler).
    if ord in (0, 1, 2, 3) and input.desc.dtype in table.NORM.dtypes:
        arguments = (float(ord), dim, keepdim)
        return call(table.NORM, (input,), arguments) if out is None else write(table.NORM, out, (input,), arguments)
    return into(narrowed(_norm(widened(input), float(ord), dim, keepdim), input), out)


def norm_operand(input: T, dtype: DTypeLike | None, function: str) -> T:
    """The operand of a norm, in a dtype that was asked for.

    Raises:
        DTypeError: Not floating or complex, or the dtype does not hold the operand's numbers.
    """
    floating(input, function)
    if dtype is None:
        return input
    given, wanted = input.desc.dtype, d.as_dtype(dtype)
    if given.is_complex is not wanted.is_complex or promote_types(given, wanted) is not wanted:
        raise DTypeError(f"{wanted.name} does not hold what {given.name} does").with_context(function, (input,))
    return _cast(input, wanted)


def _norm(input: T, ord: float, dim: Any, keepdim: bool) -> T:
    if ord == 0:
        return comparison.cast(sum(_truth(input), dim, keepdim), input.desc.dtype.to_real())
    size = unary.abs(input)
    if math.isinf(ord):
        return amax(size, dim, keepdim) if ord > 0 else amin(size, dim, keepdim)
    if ord == 1:
        return sum(size, dim, keepdim)
    if ord == 2:
        return unary.sqrt(sum(elementwise.mul(size, size), dim, keepdim))
    return elementwise.pow(sum(elementwise.pow(size, ord), dim, keepdim), 1 / ord)


# Scans


@checked
def cumsum(input: T, dim: int, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """Running sums along `dim`.

    Args:
        input: Tensor of any shape and dtype.
        dim: The dim to run along.
        dtype: Dtype that the operand is cast to before; default its own, int64 for bool and integers.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape. Integers of a given narrower dtype wrap.

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: Cumsum. Like: torch.cumsum, numpy.cumsum.

    Examples:
        >>> at.cumsum(at.tensor([[1, 2, 3], [4, 5, 6]]), dim=1)
        tensor([[ 1,  3,  6],
                [ 4,  9, 15]], device='npu:0')
    """
    if dtype is None:
        return structured(table.CUMSUM, input, dim) if out is None else write(table.CUMSUM, out, (input,), (dim,))
    return into(_cast(call(table.CUMSUM, (_cast(input, dtype),), (dim,)), dtype), out)


@checked
def cumprod(input: T, dim: int, *, dtype: DTypeLike | None = None, out: T | None = None) -> T:
    """Running products along `dim`. Arguments and result as for `cumsum`.

    Ascend operator: Cumprod. Like: torch.cumprod, numpy.cumprod.

    Examples:
        >>> at.cumprod(at.tensor([1, 2, 3]), 0)
        tensor([1, 2, 6], device='npu:0')
    """
    if dtype is None:
        return structured(table.CUMPROD, input, dim) if out is None else write(table.CUMPROD, out, (input,), (dim,))
    return into(_cast(call(table.CUMPROD, (_cast(input, dtype),), (dim,)), dtype), out)


@checked
def cummax(input: T, dim: int, *, out: Any = None) -> ValuesIndices[T]:
    """Running maxima along `dim`, and where each was met last. A NaN stays.

    Args:
        input: Tensor of any shape and real dtype.
        dim: The dim to run along.
        out: Two tensors to write into, (values, indices).

    Returns:
        Named tuple of `values` and int64 `indices`, both of the same shape.

    Raises:
        IndexRangeError: There is no such dim.

    Ascend operator: Cummax. Like: torch.cummax, numpy.maximum.accumulate.

    Examples:
        >>> values, places = at.cummax(at.tensor([1, 3, 2, 5]), 0)
        >>> values
        tensor([1, 3, 3, 5], device='npu:0')
        >>> places
        tensor([0, 1, 1, 3], device='npu:0')
    """
    return into_all(ValuesIndices(*structured(table.CUMMAX, input, dim)), out)


@checked
def cummin(input: T, dim: int, *, out: Any = None) -> ValuesIndices[T]:
    """Running minima along `dim`, and where each was met last. Arguments and results as for `cummax`.

    Ascend operator: Cummin. Like: torch.cummin, numpy.minimum.accumulate.

    Examples:
        >>> values, places = at.cummin(at.tensor([4, 5, 2, 3]), 0)
        >>> values
        tensor([4, 4, 2, 2], device='npu:0')
        >>> places
        tensor([0, 0, 2, 2], device='npu:0')
    """
    turned = input.desc.dtype in table.FIRST_DIM_ONLY and len(input.desc.shape) > 1 and shapes.normalize_dim(dim, len(input.desc.shape))
    if turned:
        found = structured(table.CUMMIN, views.transpose(input, 0, turned), 0)
        values, indices = (contiguous(views.transpose(each, 0, turned)) for each in found)
    else:
        values, indices = structured(table.CUMMIN, input, dim)
    return into_all(ValuesIndices(values, comparison.cast(indices, d.int64)), out)
