"""Pools: the largest element, the mean or a norm of each window, and the way back.

Roads, by dtype and geometry:

* float32, float16, bfloat16: one operator, which takes the windows that its prototype's comments allow;
* all else (float64, integers, larger windows): the windows are gathered by AsStrided and reduced; adaptive pools reduce slices.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from itertools import product
from math import isinf, prod
from typing import Any, Final, Literal, TypeVar, overload

import numpy as np

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import chips, gather, host, reduction, shape, views
from ..arguments import checked
from ..call import call
from ..operands import filled, in_dtype
from ..pointwise import comparison, elementwise, unary
from ..rules import geometry
from ..table import pooling as table
from .folding import padded, unbatched, windows

T = TypeVar("T", bound=TensorBase)
Ints = tuple[int, ...]

_MOST_PLACES: Final = 255
_MOST_STRIDE: Final = 63
"""Limits of MaxPoolV3 (places of a window) and AvgPool3D (each length), from the comments of nn_pooling_ops.h, CANN 8.1.RC1."""


def _options(rank: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any = 1) -> tuple[Ints, Ints, Ints, Ints]:
    kernel = geometry.ints(kernel_size, rank, "kernel_size")
    empty = stride is None or (not hasattr(stride, "__index__") and not len(stride))
    return (
        kernel,
        kernel if empty else geometry.ints(stride, rank, "stride"),
        geometry.ints(padding, rank, "padding"),
        geometry.ints(dilation, rank, "dilation"),
    )


def _real(input: TensorBase, name: str) -> None:
    if input.desc.dtype.is_complex or input.desc.dtype is d.bool_:
        raise DTypeError(f"{name} takes real numbers, not {input.desc.dtype.name}").with_context(name, (input,))


def _lowest(input: TensorBase) -> float:
    dtype = input.desc.dtype
    return -np.inf if dtype.is_floating_point else int(np.iinfo(dtype.numpy).min)


def _overhang(sizes: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, counts: Ints) -> Ints:
    """Padding (before, after) of each dimension that the windows reach; with ceil_mode the last one may hang over."""
    pads: list[int] = []
    for at, span in enumerate(geometry.reach(kernel, dilation)):
        reached = (counts[at] - 1) * stride[at] + span - padding[at] - sizes[at]
        pads += [padding[at], max(reached, 0)]
    return tuple(pads)


def _gathered(input: T, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil: bool, fill: Any) -> T:
    """The windows, flattened: (batch, channels, ..., places of a window)."""
    result = table.pooled(input.desc.shape, kernel, stride, padding, dilation, ceil)
    whole = padded(input, _overhang(input.desc.shape[2:], kernel, stride, padding, dilation, result[2:]), fill)
    found = windows(whole, kernel, stride, dilation)
    rank = len(kernel)
    for dim, number in enumerate(result[2:], 2):
        found = views.narrow(found, dim, 0, number)
    return views.reshape(found, (*found.desc.shape[: 2 + rank], prod(kernel)))


# The largest


def _max_pooled(input: T, rank: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, found: bool) -> Any:
    kernel, steps, sides, spacing = _options(rank, kernel_size, stride, padding, dilation)
    _real(input, f"max_pool{rank}d")
    ceil = bool(ceil)
    plain = not found and rank < 3 and max(spacing) == 1
    dtype = input.desc.dtype
    plain = plain and dtype in _TAKEN and not chips.lacks(table.MAX_POOL, table.MAX_POOL.via.get(dtype, dtype))
    if plain and prod(kernel) <= _MOST_PLACES and max(steps) <= _MOST_STRIDE:
        return call(table.MAX_POOL, (input,), (kernel, steps, sides, ceil))
    known = dtype in table.MAX_POOL_FOUND.dtypes and not chips.lacks(table.MAX_POOL_FOUND, dtype)
    if known and all(2 * side <= size for side, size in zip(sides, kernel, strict=True)):
        values, places = call(table.MAX_POOL_FOUND, (input,), (kernel, steps, sides, spacing, ceil))
        return (values, comparison.cast(places, d.int64)) if found else values
    gathered = _gathered(input, kernel, steps, sides, spacing, ceil, _lowest(input))
    if not found:
        return reduction.amax(gathered, -1)
    if not gathered.desc.numel:
        return reduction.amax(gathered, -1), _index(gathered, np.zeros(gathered.desc.shape[:-1], np.int64))
    best = reduction.max(gathered, -1)
    starts, firsts, offsets = _places(input.desc.shape[2:], gathered.desc.shape[2:-1], kernel, steps, sides, spacing)
    places = elementwise.add(gather.take(_index(input, offsets), best.indices), _index(input, starts))
    if any(sides):  # nothing but the lowest number: the first place that is no padding
        places = comparison.where(comparison.eq(best.values, _lowest(input)), _index(input, firsts), places)
    return best.values, places


_TAKEN: Final = (*table.MAX_POOL.dtypes, *table.MAX_POOL.via)


def _index(like: TensorBase, numbers: Any) -> Any:
    """A table of positions, which the shapes decide, on the operand's device."""
    return host.upload(numbers, d.int64, like.desc.device)


def _places(sizes: Ints, counts: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> tuple[Any, Any, Any]:
    """Where each window starts in the flattened image, its first place inside, and how far its places are from the start."""
    steps = [prod(sizes[at + 1 :]) for at in range(len(sizes))]
    starts: Any = 0
    firsts: Any = 0
    for at, step in enumerate(steps):
        along = (np.arange(counts[at]) * stride[at] - padding[at]).reshape(-1, *(1,) * (len(sizes) - at - 1))
        starts = starts + along * step
        firsts = firsts + (along - np.minimum(along, 0) // dilation[at] * dilation[at]) * step
    offsets = [sum(map(int.__mul__, map(int.__mul__, place, dilation), steps)) for place in product(*map(range, kernel))]
    return starts, firsts, np.array(offsets)


@overload
def max_pool1d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> T: ...
@overload
def max_pool1d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[T, T]: ...
@overload
def max_pool1d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
@checked
def max_pool1d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of a signal; arguments as `max_pool2d`, with one spatial dimension.

    Ascend operator: MaxPoolV3, MaxPool3DWithArgmaxV2 for indices and dilation; else composed. Like: torch.nn.functional.max_pool1d.

    Examples:
        >>> at.nn.functional.max_pool1d(at.tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2)
        tensor([[[3., 5.]]], device='npu:0')
    """
    return unbatched(1, _max_pooled, input, "max_pool1d", 1, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool2d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> T: ...
@overload
def max_pool2d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[T, T]: ...
@overload
def max_pool2d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
@checked
def max_pool2d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of an image.

    Args:
        input: (batch, channels, height, width) of real numbers, or without the batch.
        kernel_size: Size of the windows, an int or one for each spatial dimension.
        stride: Their step; by default their size.
        padding: Places on both sides that are smaller than every number, at most half a window.
        dilation: Distance of a window's places.
        ceil_mode: Whether a last window may hang over the end, if it starts in the image or in the padding before it.
        return_indices: Whether to return also where the elements are.

    Returns:
        (batch, channels, height, width), or without the batch; with `return_indices` also an int64 tensor of positions in the flattened
        image.

    Raises:
        ShapeError: No window fits.
        DTypeError: Complex numbers or bool.
        ValueRangeError: Padding of more than half a window, a stride or dilation below 1.

    Ascend operator: MaxPoolV3 for float32, float16 and bfloat16, MaxPool3DWithArgmaxV2 for indices, dilation and windows of more than 255
        places; else AsStrided and ReduceMax. Like: torch.nn.functional.max_pool2d.

    Examples:
        >>> at.nn.functional.max_pool2d(at.tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2)
        tensor([[[[4.]]]], device='npu:0')
    """
    return unbatched(2, _max_pooled, input, "max_pool2d", 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool3d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> T: ...
@overload
def max_pool3d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[T, T]: ...
@overload
def max_pool3d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
@checked
def max_pool3d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of a volume; arguments as `max_pool2d`, with three spatial dimensions.

    Ascend operator: MaxPool3DWithArgmaxV2; else composed. Like: torch.nn.functional.max_pool3d.

    Examples:
        >>> at.nn.functional.max_pool3d(at.arange(8.0).reshape(1, 1, 2, 2, 2), 2).flatten()
        tensor([7.], device='npu:0')
    """
    return unbatched(3, _max_pooled, input, "max_pool3d", 3, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@checked
def max_pool1d_with_indices(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[T, T]:
    """`max_pool1d` with indices, whatever `return_indices` says.

    Ascend operator: MaxPool3DWithArgmaxV2; else composed. Like: torch.nn.functional.max_pool1d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.max_pool1d_with_indices(at.tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2)
        >>> places
        tensor([[[1, 2]]], device='npu:0')
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@checked
def max_pool2d_with_indices(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[T, T]:
    """`max_pool2d` with indices, whatever `return_indices` says.

    Ascend operator: MaxPool3DWithArgmaxV2; else composed. Like: torch.nn.functional.max_pool2d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.max_pool2d_with_indices(at.tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2)
        >>> places
        tensor([[[[2]]]], device='npu:0')
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@checked
def max_pool3d_with_indices(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[T, T]:
    """`max_pool3d` with indices, whatever `return_indices` says.

    Ascend operator: MaxPool3DWithArgmaxV2; else composed. Like: torch.nn.functional.max_pool3d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.max_pool3d_with_indices(at.arange(8.0).reshape(1, 1, 2, 2, 2), 2)
        >>> places.flatten()
        tensor([7], device='npu:0')
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# The way back


def _unpooled(input: T, indices: TensorBase, rank: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any) -> T:
    name = f"max_unpool{rank}d"
    kernel, steps, sides, _ = _options(rank, kernel_size, stride, padding)
    if indices.desc.dtype is not d.int64:
        raise DTypeError(f"indices must be int64, not {indices.desc.dtype.name}").with_context(name, (input, indices))
    if indices.desc.shape != input.desc.shape:
        raise ShapeError(f"input of shape {list(input.desc.shape)} and indices of {list(indices.desc.shape)} differ")
    given = geometry.batched(input.desc.shape, rank, name)
    lead = input.desc.shape[: 1 + given]
    least = tuple(
        (length - 1) * step + size - 2 * side
        for length, step, size, side in zip(input.desc.shape[1 + given :], steps, kernel, sides, strict=True)
    )
    sizes = least if output_size is None else _chosen(tuple(output_size)[-rank:], least, steps)
    flat = (*lead, prod(input.desc.shape[1 + given :]))
    whole = filled(input, (*lead, prod(sizes)), 0)
    if not input.desc.numel:
        return views.reshape(whole, (*lead, *sizes))
    found = gather.scatter(whole, -1, views.reshape(indices, flat), views.reshape(input, flat))
    return views.reshape(found, (*lead, *sizes))


def _chosen(sizes: Ints, least: Ints, steps: Ints) -> Ints:
    """Sizes that were asked for, less than a step from the usual ones."""
    wanted = geometry.ints(sizes, len(least), "output_size")
    for length, usual, step in zip(wanted, least, steps, strict=True):
        if not usual - step < length < usual + step:
            raise ValueRangeError(f"output_size {list(wanted)} must be less than a stride {list(steps)} from {list(least)}")
    return wanted


@checked
def max_unpool1d(input: T, indices: TensorBase, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> T:
    """The way back of `max_pool1d`; arguments as `max_unpool2d`.

    Ascend operator: ScatterElements. Like: torch.nn.functional.max_unpool1d.

    Examples:
        >>> at.nn.functional.max_unpool1d(at.tensor([[[3.0, 5.0]]]), at.tensor([[[1, 2]]]), 2)
        tensor([[[0., 3., 5., 0.]]], device='npu:0')
    """
    return _unpooled(input, indices, 1, kernel_size, stride, padding, output_size)


@checked
def max_unpool2d(input: T, indices: TensorBase, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> T:
    """Elements put back to where `max_pool2d` found them, 0 elsewhere.

    Args:
        input: Result of `max_pool2d`.
        indices: Its indices, int64.
        kernel_size, stride, padding: As given to it.
        output_size: Height and width of the image, or its whole shape, where it is not the smallest possible one.

    Returns:
        Tensor of the image's shape.

    Raises:
        ShapeError: `indices` has another shape.
        DTypeError: `indices` is not int64.
        ValueRangeError: `output_size` can't be that of the image.
        AclError: An index is out of range; shows at the next synchronising call.

    Ascend operator: ScatterElements. Like: torch.nn.functional.max_unpool2d.

    Examples:
        >>> at.nn.functional.max_unpool2d(at.tensor([[[[4.0]]]]), at.tensor([[[[2]]]]), 2)
        tensor([[[[0., 0.],
                  [4., 0.]]]], device='npu:0')
    """
    return _unpooled(input, indices, 2, kernel_size, stride, padding, output_size)


@checked
def max_unpool3d(input: T, indices: TensorBase, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> T:
    """The way back of `max_pool3d`; arguments as `max_unpool2d`.

    Ascend operator: ScatterElements. Like: torch.nn.functional.max_unpool3d.

    Examples:
        >>> at.nn.functional.max_unpool3d(at.tensor([[[[[7.0]]]]]), at.tensor([[[[[7]]]]]), 2).flatten()
        tensor([0., 0., 0., 0., 0., 0., 0., 7.], device='npu:0')
    """
    return _unpooled(input, indices, 3, kernel_size, stride, padding, output_size)


# The mean


def _averaged(input: T, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil: bool, inside: bool, divisor: int | None) -> T:
    kernel, steps, sides, _ = _options(rank, kernel_size, stride, padding)
    _real(input, f"avg_pool{rank}d")
    if divisor == 0:
        raise ValueRangeError("divisor_override must not be 0")
    ceil, inside, divisor = bool(ceil), bool(inside), divisor or 0
    known = input.desc.dtype in table.AVG_POOL.dtypes and not chips.lacks(table.AVG_POOL, input.desc.dtype)
    if known and max(kernel) <= _MOST_PLACES and max(steps) <= _MOST_STRIDE:
        return call(table.AVG_POOL, (input,), (kernel, steps, sides, ceil, inside, divisor))
    ones = (1,) * rank
    total = reduction.sum(_gathered(reduction.widened(input), kernel, steps, sides, ones, ceil, 0), -1)
    if not divisor and (any(sides) or ceil):
        count: Any = _members(input, kernel, steps, sides, total.desc.shape[2:], inside)
    else:
        count = divisor or prod(kernel)
    if input.desc.dtype.is_floating_point:
        return reduction.narrowed(elementwise.div(total, count), input)
    return comparison.cast(elementwise.div(total, count, rounding_mode="trunc"), input.desc.dtype)


def _members(input: T, kernel: Ints, stride: Ints, padding: Ints, counts: Ints, inside: bool) -> T:
    """The number of elements of each window, a table that the shapes decide."""
    found: Any = 1
    for at, size in enumerate(input.desc.shape[2:]):
        starts = np.arange(counts[at]) * stride[at] - padding[at]
        ends = np.minimum(starts + kernel[at], size + padding[at])
        number = ends - starts if inside else np.minimum(ends, size) - np.maximum(starts, 0)
        found = found * number.reshape(-1, *(1,) * (len(counts) - at - 1))
    dtype = input.desc.dtype if input.desc.dtype is d.float64 or not input.desc.dtype.is_floating_point else d.float32
    return host.upload(found.astype(dtype.numpy), dtype, input.desc.device)


@checked
def avg_pool1d(
    input: T, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True
) -> T:
    """The mean of each window of a signal; arguments as `avg_pool2d`, with one spatial dimension.

    Ascend operator: AvgPool3D; else composed. Like: torch.nn.functional.avg_pool1d.

    Examples:
        >>> at.nn.functional.avg_pool1d(at.tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2)
        tensor([[[2., 6.]]], device='npu:0')
    """
    return unbatched(1, _averaged, input, "avg_pool1d", 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@checked
def avg_pool2d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """The mean of each window of an image.

    Args:
        input: (batch, channels, height, width) of real numbers, or without the batch.
        kernel_size: Size of the windows, an int or one for each spatial dimension.
        stride: Their step; by default their size.
        padding: Zeros on both sides, at most half a window.
        ceil_mode: Whether a last window may hang over the end, if it starts in the image or in the padding before it.
        count_include_pad: Whether padding counts in the mean; what hangs over never does.
        divisor_override: What the sums are divided by instead.

    Returns:
        (batch, channels, height, width), or without the batch; of integers truncated means.

    Raises:
        ShapeError: No window fits.
        DTypeError: Complex numbers or bool.
        ValueRangeError: Padding of more than half a window, a stride below 1, a divisor of 0.

    Ascend operator: AvgPool3D for float32, float16 and bfloat16 with windows of up to 255 and strides of up to 63 places; else AsStrided,
        ReduceSum and RealDiv. Like: torch.nn.functional.avg_pool2d.

    Examples:
        >>> at.nn.functional.avg_pool2d(at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2)
        tensor([[[[2.5000]]]], device='npu:0')
    """
    return unbatched(2, _averaged, input, "avg_pool2d", 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@checked
def avg_pool3d(
    input: T,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """The mean of each window of a volume; arguments as `avg_pool2d`, with three spatial dimensions.

    Ascend operator: AvgPool3D; else composed. Like: torch.nn.functional.avg_pool3d.

    Examples:
        >>> at.nn.functional.avg_pool3d(at.arange(8.0).reshape(1, 1, 2, 2, 2), 2).flatten()
        tensor([3.5000], device='npu:0')
    """
    return unbatched(3, _averaged, input, "avg_pool3d", 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _normed(input: T, rank: int, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> T:
    if input.desc.dtype.category < d.FLOATING:
        input = in_dtype(input, d.get_default_dtype())
    reduction.floating(input, f"lp_pool{rank}d")
    power = float(norm_type)
    if not power:
        raise ValueRangeError("norm_type must not be 0", where=f"lp_pool{rank}d")
    if isinf(power):
        size = unary.abs(input)
        largest = _max_pooled(size if power > 0 else unary.neg(size), rank, kernel_size, stride, 0, 1, ceil_mode, False)
        return largest if power > 0 else unary.neg(largest)
    mean = _averaged(elementwise.pow(input, power), rank, kernel_size, stride, 0, ceil_mode, True, None)
    positive = elementwise.mul(unary.sign(mean), elementwise.maximum(unary.abs(mean), 0.0))
    places = prod(geometry.ints(kernel_size, rank, "kernel_size"))
    return elementwise.pow(elementwise.mul(positive, float(places)), 1.0 / power)


@checked
def lp_pool1d(input: T, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> T:
    """`(sum of x**p) ** (1/p)` of each window of a signal; arguments as `lp_pool2d`.

    Ascend operator: Pow, AvgPool3D, Mul. Like: torch.nn.functional.lp_pool1d.

    Examples:
        >>> at.nn.functional.lp_pool1d(at.tensor([[[3.0, 4.0]]]), 2.0, 2)
        tensor([[[5.]]], device='npu:0')
    """
    return unbatched(1, _normed, input, "lp_pool1d", 1, norm_type, kernel_size, stride, ceil_mode)


@checked
def lp_pool2d(input: T, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> T:
    """`(sum of x**p) ** (1/p)` of each window of an image.

    Args:
        input: (batch, channels, height, width), or without the batch; integers become the default dtype.
        norm_type: The power p, not 0; inf and -inf give the largest and smallest |x|.
        kernel_size, stride, ceil_mode: As `avg_pool2d`; a window that hangs over counts as if it were whole.

    Returns:
        (batch, channels, height, width), or without the batch.

    Raises:
        ShapeError: No window fits.
        ValueRangeError: `norm_type` is 0.
        DTypeError: The dtype is complex.

    Ascend operator: Pow, AvgPool3D, Mul; MaxPoolV3 for infinite p. Like: torch.nn.functional.lp_pool2d.

    Examples:
        >>> at.nn.functional.lp_pool2d(at.tensor([[[[3.0, 0.0], [0.0, 4.0]]]]), 2.0, 2)
        tensor([[[[5.]]]], device='npu:0')
    """
    return unbatched(2, _normed, input, "lp_pool2d", 2, norm_type, kernel_size, stride, ceil_mode)


@checked
def lp_pool3d(input: T, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> T:
    """`(sum of x**p) ** (1/p)` of each window of a volume; arguments as `lp_pool2d`.

    Ascend operator: Pow, AvgPool3D, Mul. Like: torch.nn.functional.lp_pool3d.

    Examples:
        >>> at.nn.functional.lp_pool3d(at.ones(1, 1, 1, 2, 2), 2.0, (1, 2, 2)).flatten()
        tensor([2.], device='npu:0')
    """
    return unbatched(3, _normed, input, "lp_pool3d", 3, norm_type, kernel_size, stride, ceil_mode)


# As many windows as are asked for


def _size(input: TensorBase, output_size: Any, rank: int) -> Ints:
    """Numbers of windows; None keeps a length."""
    sizes = input.desc.shape[len(input.desc.shape) - rank :]
    if output_size is None or hasattr(output_size, "__index__"):
        return sizes if output_size is None else geometry.ints(output_size, rank, "output_size")
    given = list(output_size) * (rank if len(output_size) == 1 else 1)
    if len(given) != rank:
        raise ShapeError(f"output_size {given} must be one int or {rank}")
    return geometry.ints([size if each is None else each for each, size in zip(given, sizes, strict=True)], rank, "output_size")


def _bounds(size: int, number: int) -> list[tuple[int, int]]:
    """Where each of so many windows starts and ends."""
    return [(at * size // number, -(-(at + 1) * size // number)) for at in range(number)]


def _adapted_mean(input: T, rank: int, output_size: Any) -> T:
    size = _size(input, output_size, rank)
    reduction.floating(input, f"adaptive_avg_pool{rank}d")
    lengths = table.adapted(input.desc.shape, size)
    if not prod(lengths):
        return filled(input, lengths, 0)
    if max(size) == 1:
        return reduction.mean(input, tuple(range(2, 2 + rank)), True)
    if input.desc.dtype in table.ADAPTIVE_AVG_POOL.dtypes and not chips.lacks(table.ADAPTIVE_AVG_POOL, input.desc.dtype):
        return shape.contiguous(views.movedim(call(table.ADAPTIVE_AVG_POOL, (views.movedim(input, 1, -1),), (size,)), -1, 1))
    for dim, number in enumerate(size, 2):
        parts = [views.narrow(input, dim, start, stop - start) for start, stop in _bounds(input.desc.shape[dim], number)]
        input = shape.cat([reduction.mean(part, dim, True) for part in parts], dim)
    return input


@checked
def adaptive_avg_pool1d(input: T, output_size: Any) -> T:
    """Means of as many windows as are asked for; arguments as `adaptive_avg_pool2d`.

    Ascend operator: AdaptiveAvgPool3d; else composed. Like: torch.nn.functional.adaptive_avg_pool1d.

    Examples:
        >>> at.nn.functional.adaptive_avg_pool1d(at.tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2)
        tensor([[[1.5000, 3.5000]]], device='npu:0')
    """
    return unbatched(1, _adapted_mean, input, "adaptive_avg_pool1d", 1, output_size)


@checked
def adaptive_avg_pool2d(input: T, output_size: Any) -> T:
    """Means of as many windows as are asked for, which cover the image and are as equal as can be.

    Args:
        input: (batch, channels, height, width) of floating dtype, or without the batch.
        output_size: Height and width of the result, or an int for both; None keeps a length.

    Returns:
        (batch, channels, *output_size), or without the batch.

    Raises:
        ShapeError: Another number of lengths, or an image without elements.
        DTypeError: The dtype is not floating.

    Ascend operator: AdaptiveAvgPool3d for float32, float16 and bfloat16, with the channels last (Transpose); one window, and else:
        ReduceMean of slices and ConcatD.
        Like: torch.nn.functional.adaptive_avg_pool2d.

    Examples:
        >>> at.nn.functional.adaptive_avg_pool2d(at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 1)
        tensor([[[[2.5000]]]], device='npu:0')
    """
    return unbatched(2, _adapted_mean, input, "adaptive_avg_pool2d", 2, output_size)


@checked
def adaptive_avg_pool3d(input: T, output_size: Any) -> T:
    """Means of as many windows as are asked for; arguments as `adaptive_avg_pool2d`.

    Ascend operator: AdaptiveAvgPool3d; else composed. Like: torch.nn.functional.adaptive_avg_pool3d.

    Examples:
        >>> at.nn.functional.adaptive_avg_pool3d(at.ones(1, 1, 2, 2, 2), 1).shape
        (1, 1, 1, 1, 1)
    """
    return unbatched(3, _adapted_mean, input, "adaptive_avg_pool3d", 3, output_size)


def _adapted_max(input: T, rank: int, output_size: Any, found: bool) -> Any:
    size = _size(input, output_size, rank)
    reduction.floating(input, f"adaptive_max_pool{rank}d")
    lengths = table.adapted(input.desc.shape, size)
    if input.desc.dtype in table.ADAPTIVE_MAX_POOL.dtypes and not chips.lacks(table.ADAPTIVE_MAX_POOL, input.desc.dtype):
        values, places = call(table.ADAPTIVE_MAX_POOL, (input,), (size,))
        return (values, comparison.cast(places, d.int64)) if found else values
    if not prod(lengths):
        values = filled(input, lengths, 0)
        return (values, comparison.cast(values, d.int64)) if found else values
    values, places = _largest_of_slices(input, size)
    return (values, places) if found else values


def _largest_of_slices(input: T, size: Ints) -> tuple[T, T]:
    """Dimension by dimension from the last: so of equal elements the first in the flattened image is found."""
    numbers = np.arange(prod(input.desc.shape[2:])).reshape(input.desc.shape[2:])
    places = views.expand(_index(input, numbers), input.desc.shape)
    for dim in range(len(size) + 1, 1, -1):
        best, where = [], []
        for start, stop in _bounds(input.desc.shape[dim], size[dim - 2]):
            largest = reduction.max(views.narrow(input, dim, start, stop - start), dim, True)
            best.append(largest.values)
            where.append(gather.gather(views.narrow(places, dim, start, stop - start), dim, largest.indices))
        input, places = shape.cat(best, dim), shape.cat(where, dim)
    return input, places


@overload
def adaptive_max_pool1d(input: T, output_size: Any, return_indices: Literal[False] = False) -> T: ...
@overload
def adaptive_max_pool1d(input: T, output_size: Any, return_indices: Literal[True]) -> tuple[T, T]: ...
@overload
def adaptive_max_pool1d(input: T, output_size: Any, return_indices: bool = False) -> Any: ...
@checked
def adaptive_max_pool1d(input: T, output_size: Any, return_indices: bool = False) -> Any:
    """Largest elements of as many windows as are asked for; arguments as `adaptive_max_pool2d`.

    Ascend operator: AdaptiveMaxPool3d; else composed. Like: torch.nn.functional.adaptive_max_pool1d.

    Examples:
        >>> at.nn.functional.adaptive_max_pool1d(at.tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2)
        tensor([[[2., 4.]]], device='npu:0')
    """
    return unbatched(1, _adapted_max, input, "adaptive_max_pool1d", 1, output_size, return_indices)


@overload
def adaptive_max_pool2d(input: T, output_size: Any, return_indices: Literal[False] = False) -> T: ...
@overload
def adaptive_max_pool2d(input: T, output_size: Any, return_indices: Literal[True]) -> tuple[T, T]: ...
@overload
def adaptive_max_pool2d(input: T, output_size: Any, return_indices: bool = False) -> Any: ...
@checked
def adaptive_max_pool2d(input: T, output_size: Any, return_indices: bool = False) -> Any:
    """Largest elements of as many windows as are asked for, which cover the image and are as equal as can be.

    Args:
        input: (batch, channels, height, width) of floating dtype, or without the batch.
        output_size: Height and width of the result, or an int for both; None keeps a length.
        return_indices: Whether to return also where the elements are.

    Returns:
        (batch, channels, *output_size), or without the batch; with `return_indices` also an int64 tensor of positions in the flattened
        image.

    Raises:
        ShapeError: Another number of lengths, or an image without elements.
        DTypeError: The dtype is not floating.

    Ascend operator: AdaptiveMaxPool3d for float32, float16 and bfloat16; else ArgMaxWithValue of slices and ConcatD.
        Like: torch.nn.functional.adaptive_max_pool2d.

    Examples:
        >>> at.nn.functional.adaptive_max_pool2d(at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 1)
        tensor([[[[4.]]]], device='npu:0')
    """
    return unbatched(2, _adapted_max, input, "adaptive_max_pool2d", 2, output_size, return_indices)


@overload
def adaptive_max_pool3d(input: T, output_size: Any, return_indices: Literal[False] = False) -> T: ...
@overload
def adaptive_max_pool3d(input: T, output_size: Any, return_indices: Literal[True]) -> tuple[T, T]: ...
@overload
def adaptive_max_pool3d(input: T, output_size: Any, return_indices: bool = False) -> Any: ...
@checked
def adaptive_max_pool3d(input: T, output_size: Any, return_indices: bool = False) -> Any:
    """Largest elements of as many windows as are asked for; arguments as `adaptive_max_pool2d`.

    Ascend operator: AdaptiveMaxPool3d; else composed. Like: torch.nn.functional.adaptive_max_pool3d.

    Examples:
        >>> at.nn.functional.adaptive_max_pool3d(at.arange(8.0).reshape(1, 1, 2, 2, 2), 1).flatten()
        tensor([7.], device='npu:0')
    """
    return unbatched(3, _adapted_max, input, "adaptive_max_pool3d", 3, output_size, return_indices)


@checked
def adaptive_max_pool1d_with_indices(input: T, output_size: Any, return_indices: bool = False) -> tuple[T, T]:
    """`adaptive_max_pool1d` with indices, whatever `return_indices` says.

    Ascend operator: AdaptiveMaxPool3d; else composed. Like: torch.nn.functional.adaptive_max_pool1d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.adaptive_max_pool1d_with_indices(at.tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2)
        >>> places
        tensor([[[1, 3]]], device='npu:0')
    """
    return adaptive_max_pool1d(input, output_size, True)


@checked
def adaptive_max_pool2d_with_indices(input: T, output_size: Any, return_indices: bool = False) -> tuple[T, T]:
    """`adaptive_max_pool2d` with indices, whatever `return_indices` says.

    Ascend operator: AdaptiveMaxPool3d; else composed. Like: torch.nn.functional.adaptive_max_pool2d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.adaptive_max_pool2d_with_indices(at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 1)
        >>> places
        tensor([[[[3]]]], device='npu:0')
    """
    return adaptive_max_pool2d(input, output_size, True)


@checked
def adaptive_max_pool3d_with_indices(input: T, output_size: Any, return_indices: bool = False) -> tuple[T, T]:
    """`adaptive_max_pool3d` with indices, whatever `return_indices` says.

    Ascend operator: AdaptiveMaxPool3d; else composed. Like: torch.nn.functional.adaptive_max_pool3d_with_indices.

    Examples:
        >>> values, places = at.nn.functional.adaptive_max_pool3d_with_indices(at.arange(8.0).reshape(1, 1, 2, 2, 2), 1)
        >>> places.flatten()
        tensor([7], device='npu:0')
    """
    return adaptive_max_pool3d(input, output_size, True)
