"""Windows of images as columns, and columns added up to images."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import index as as_int
from typing import Any, TypeVar, cast

from ... import base
from ...base import TensorBase
from ...errors import ShapeError, ValueRangeError
from .. import chips, shape, views
from ..arguments import checked
from ..call import call, plain
from ..operands import filled
from ..pointwise import elementwise
from ..rules import geometry
from ..schema import Meta
from ..table import folding as table
from ..writing import copy_into

T = TypeVar("T", bound=TensorBase)
R = TypeVar("R")
Ints = tuple[int, ...]


def windows(input: T, kernel: Ints, stride: Ints, dilation: Ints) -> T:
    """A view of all windows that lie in the last dimensions of a tensor: (..., *number of windows, *kernel)."""
    rank = len(kernel)
    whole = plain(input)
    sizes = whole.desc.shape[len(whole.desc.shape) - rank :]
    found = geometry.counts(sizes, kernel, stride, (0,) * 2 * rank, dilation)
    steps = base.element_strides(whole)
    lead, last = steps[: len(steps) - rank], steps[len(steps) - rank :]
    moved = tuple(step * each for step, each in zip(last, stride, strict=True))
    inner = tuple(step * each for step, each in zip(last, dilation, strict=True))
    lengths = (*whole.desc.shape[: len(lead)], *found, *kernel)
    return base.view(whole, lengths, (*lead, *moved, *inner), base.element_offset(whole))


def padded(input: T, pads: Ints, value: Any = 0) -> T:
    """The tensor with places around its last dimensions: (before, after) of the first of them, of the second..., negative ones cut."""
    if not any(pads):
        return input
    rank = len(pads) // 2
    return shape.pad(input, tuple(each for at in reversed(range(rank)) for each in pads[2 * at : 2 * at + 2]), "constant", value)


def unbatched(rank: int, function: Callable[..., R], input: TensorBase, name: str, *arguments: Any) -> R:
    """Call a function of (batch, channels, ...) that gives one tensor, or a tuple of some, also for an input without a batch."""
    if geometry.batched(input.desc.shape, rank, name):
        return function(input, *arguments)
    given: Any = function(views.unsqueeze(input, 0), *arguments)
    result: Any = tuple(views.squeeze(each, 0) for each in given) if isinstance(given, tuple) else views.squeeze(given, 0)
    return cast("R", result)


def _image_of(input: TensorBase, name: str, dims: int) -> bool:
    """Whether there is a batch, of an operand of `dims` dimensions without one."""
    lengths = input.desc.shape
    if len(lengths) not in (dims, dims + 1):
        raise ShapeError(f"an input of {dims} or {dims + 1} dimensions is needed, not of shape {list(lengths)}").with_context(name)
    return len(lengths) == dims + 1


def _options(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Ints, Ints, Ints, Ints]:
    found = (
        geometry.ints(kernel_size, 2, "kernel_size"),
        geometry.ints(dilation, 2, "dilation"),
        geometry.ints(padding, 2, "padding"),
        geometry.ints(stride, 2, "stride"),
    )
    if min(found[2]) < 0:
        raise ValueRangeError(f"padding {list(found[2])} must not be negative")
    return found


@checked
def unfold(input: T, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> T:
    """The windows of images as columns.

    Args:
        input: (batch, channels, height, width) or (channels, height, width).
        kernel_size, dilation, padding, stride: An int, or two for height and width.

    Returns:
        (batch, channels * window, number of windows), or without the batch.

    Raises:
        ShapeError: No window fits.

    Ascend operator: Im2col; other dtypes than float32, float16 and bfloat16 are gathered by AsStrided. Like: torch.nn.functional.unfold.

    Examples:
        >>> at.nn.functional.unfold(at.arange(9.0).reshape(1, 1, 3, 3), kernel_size=2)
        tensor([[[0., 1., 3., 4.],
                 [1., 2., 4., 5.],
                 [3., 4., 6., 7.],
                 [4., 5., 7., 8.]]], device='npu:0')
    """
    kernel, spacing, sides, steps = _options(kernel_size, dilation, padding, stride)
    if not _image_of(input, "unfold", 3):
        return views.squeeze(unfold(views.unsqueeze(input, 0), kernel, spacing, sides, steps), 0)
    known = input.desc.dtype in table.IM2COL.dtypes or input.desc.dtype in table.IM2COL.via
    if known and not chips.lacks(table.IM2COL, input.desc.dtype):
        return call(table.IM2COL, (input,), (kernel, spacing, sides, steps))
    geometry.counts(input.desc.shape[2:], kernel, steps, geometry.both_sides(sides), spacing)
    found = windows(padded(input, geometry.both_sides(sides)), kernel, steps, spacing)
    batch, channels, *places = found.desc.shape
    turned = views.permute(found, 0, 1, 4, 5, 2, 3)
    return views.reshape(turned, (batch, channels * prod(kernel), places[0] * places[1]))


@checked
def fold(input: T, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> T:
    """Columns of windows added up to images, the adjoint of `unfold`.

    Args:
        input: (batch, channels * window, number of windows), or without the batch.
        output_size: Height and width of the images.
        kernel_size, dilation, padding, stride: An int, or two for height and width.

    Returns:
        (batch, channels, height, width), or without the batch.

    Raises:
        ShapeError: The columns do not fit the windows of such an image.

    Ascend operator: Col2im; other dtypes than float32, float16 and bfloat16 are added up by Add and ViewCopy.
        Like: torch.nn.functional.fold.

    Examples:
        >>> at.nn.functional.fold(at.ones(1, 4, 1), output_size=(2, 2), kernel_size=2)
        tensor([[[[1., 1.],
                  [1., 1.]]]], device='npu:0')
    """
    kernel, spacing, sides, steps = _options(kernel_size, dilation, padding, stride)
    size = geometry.ints(output_size, 2, "output_size")
    if not _image_of(input, "fold", 2):
        return views.squeeze(fold(views.unsqueeze(input, 0), size, kernel, spacing, sides, steps), 0)
    if input.desc.dtype in table.COL2IM.dtypes:
        return call(table.COL2IM, (input,), (size, kernel, spacing, sides, steps))
    table.summed((Meta(input.desc.shape, input.desc.dtype),), size, kernel, spacing, sides, steps)
    return _added_up(input, size, kernel, spacing, sides, steps)


def _added_up(input: T, size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> T:
    """`fold` by one addition for each place of the window."""
    pads = geometry.both_sides(padding)
    counts = geometry.counts(size, kernel, stride, pads, dilation)
    channels = input.desc.shape[1] // prod(kernel)
    parts = views.reshape(input, (input.desc.shape[0], channels, *kernel, *counts))
    whole = filled(input, (input.desc.shape[0], channels, *(length + 2 * side for length, side in zip(size, padding, strict=True))), 0)
    slots = windows(whole, kernel, stride, dilation)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            slot = views.select(views.select(slots, -1, column), -1, row)
            part = views.select(views.select(parts, 2, row), 2, column)
            copy_into(slot, elementwise.add(slot, part))
    return shape.contiguous(padded(whole, tuple(-each for each in pads)))


# Channels as places


def _channels(input: TensorBase, factor: int, name: str, parameter: str) -> Ints:
    lengths = input.desc.shape
    if len(lengths) < 3:
        raise ShapeError(f"an input of at least 3 dimensions is needed, not of shape {list(lengths)}").with_context(name)
    if factor < 1:
        raise ValueRangeError(f"{parameter} must be positive, not {factor}")
    return lengths


@checked
def pixel_shuffle(input: T, upscale_factor: int) -> T:
    """Channels spread over the image: (..., channels * r * r, height, width) becomes (..., channels, height * r, width * r).

    Args:
        input: Tensor of at least 3 dimensions and any dtype.
        upscale_factor: The factor r.

    Returns:
        Tensor of the same dtype.

    Raises:
        ShapeError: The channels can't be divided by `r * r`.
        ValueRangeError: A factor below 1.

    Ascend operator: AsStrided. Like: torch.pixel_shuffle.

    Examples:
        >>> at.nn.functional.pixel_shuffle(at.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)
        tensor([[[1., 2.],
                 [3., 4.]]], device='npu:0')
    """
    factor = as_int(upscale_factor)
    *lead, channels, height, width = _channels(input, factor, "pixel_shuffle", "upscale_factor")
    if channels % factor**2:
        raise ShapeError(f"{channels} channels of shape {list(input.desc.shape)} can't be divided by {factor} * {factor}")
    kept, outer = channels // factor**2, len(lead)
    apart = views.reshape(input, (*lead, kept, factor, factor, height, width))
    order = (*range(outer + 1), outer + 3, outer + 1, outer + 4, outer + 2)
    return views.reshape(shape.clone(views.permute(apart, order)), (*lead, kept, height * factor, width * factor))


@checked
def pixel_unshuffle(input: T, downscale_factor: int) -> T:
    """The way back of `pixel_shuffle`: (..., channels, height * r, width * r) becomes (..., channels * r * r, height, width).

    Args:
        input: Tensor of at least 3 dimensions and any dtype.
        downscale_factor: The factor r.

    Returns:
        Tensor of the same dtype.

    Raises:
        ShapeError: Height or width can't be divided by r.
        ValueRangeError: A factor below 1.

    Ascend operator: AsStrided. Like: torch.pixel_unshuffle.

    Examples:
        >>> at.nn.functional.pixel_unshuffle(at.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2).flatten()
        tensor([1., 2., 3., 4.], device='npu:0')
    """
    factor = as_int(downscale_factor)
    *lead, channels, height, width = _channels(input, factor, "pixel_unshuffle", "downscale_factor")
    if height % factor or width % factor:
        raise ShapeError(f"height and width of shape {list(input.desc.shape)} can't be divided by {factor}")
    outer = len(lead)
    apart = views.reshape(input, (*lead, channels, height // factor, factor, width // factor, factor))
    order = (*range(outer + 1), outer + 2, outer + 4, outer + 1, outer + 3)
    return views.reshape(shape.clone(views.permute(apart, order)), (*lead, channels * factor**2, height // factor, width // factor))


@checked
def channel_shuffle(input: T, groups: int) -> T:
    """Channels dealt out in turn: those of each of `groups` parts become every `groups`-th one.

    Args:
        input: (batch, channels, ...) of at least 3 dimensions and any dtype.
        groups: Number of parts.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ShapeError: The channels can't be divided.
        ValueRangeError: `groups` below 1.

    Ascend operator: AsStrided. Like: torch.channel_shuffle.

    Examples:
        >>> at.nn.functional.channel_shuffle(at.tensor([[[1], [2], [3], [4]]]), 2).flatten()
        tensor([1, 3, 2, 4], device='npu:0')
    """
    batch, channels, *sizes = _channels(input, groups, "channel_shuffle", "groups")
    if channels % groups:
        raise ShapeError(f"{channels} channels of shape {list(input.desc.shape)} can't be divided into {groups} groups")
    apart = views.reshape(input, (batch, groups, channels // groups, *sizes))
    return views.reshape(shape.clone(views.transpose(apart, 1, 2)), (batch, channels, *sizes))


@checked
def native_channel_shuffle(input: T, groups: int) -> T:
    """`channel_shuffle` by another name. Ascend operator: AsStrided. Like: torch.native_channel_shuffle.

    Examples:
        >>> at.native_channel_shuffle(at.tensor([[[1], [2], [3], [4]]]), 2).flatten()
        tensor([1, 3, 2, 4], device='npu:0')
    """
    return channel_shuffle(input, groups)


@checked
def constant_pad_nd(input: T, pad: Any, value: Any = 0) -> T:
    """`nn.functional.pad` with a number. Ascend operator: PadV3. Like: torch.constant_pad_nd.

    Examples:
        >>> at.constant_pad_nd(at.tensor([1, 2]), [1, 2], 0)
        tensor([0, 1, 2, 0, 0], device='npu:0')
    """
    return shape.pad(input, pad, "constant", value)
