"""Convolutions, transposed convolutions and their gradients.

Roads, by dtype and geometry:

* float32, float16, bfloat16: one operator of the cube unit, which takes strides up to 63 and kernels, paddings and dilations up to 255;
* a transposed convolution of float32, which Conv2DTranspose does not take, is the gradient of a convolution, and its bias added;
* all else (float64, integers, complex, larger windows, float32 in three dimensions): the windows are gathered by AsStrided and multiplied
  as matrices; a transposed convolution is one of the operand with zeros between its elements.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any, Final, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import reduction, shape, views
from ..arguments import ONE_DTYPE, checked
from ..call import call, planner
from ..linalg import matmul
from ..operands import filled, in_dtype
from ..pointwise import elementwise
from ..rules import geometry
from ..schema import Row
from ..table import convolution as table
from ..writing import copy_into
from .folding import padded, unbatched, windows

T = TypeVar("T", bound=TensorBase)
Ints = tuple[int, ...]

_FORWARD: Final = {2: (table.CONV2D, table.CONV2D_BFLOAT16), 3: (table.CONV3D, table.CONV3D_BFLOAT16)}
_TRANSPOSED: Final = {
    2: (table.CONV2D_TRANSPOSE, table.CONV2D_TRANSPOSE_BFLOAT16),
    3: (table.CONV3D_TRANSPOSE, table.CONV3D_TRANSPOSE_BFLOAT16),
}
_TO_INPUT: Final = {2: table.CONV2D_INPUT, 3: table.CONV3D_INPUT}
_TO_WEIGHT: Final = {2: table.CONV2D_WEIGHT, 3: table.CONV3D_WEIGHT}

_MOST_STRIDE: Final = 63
_MOST: Final = 255
"""Limits of the operators, from the comments of their prototypes (nn_calculation_ops.h, CANN 8.1.RC1)."""
_BOUND: Final = 1 << 22
"""Elements of windows that are laid out in memory together, unless those of one plane are more."""


def _road(rows: tuple[Row, ...], kernel: Ints, stride: Ints, pads: Ints, dilation: Ints, dtype: d.dtype) -> Row | None:
    """The row that takes a dtype and a geometry, or None."""
    if max(stride) > _MOST_STRIDE or max((*kernel, *dilation, *pads)) > _MOST:
        return None
    return next((row for row in rows if dtype in row.dtypes), None)


def _shape(row: Row, operands: tuple[TensorBase | None, ...], arguments: tuple[Any, ...]) -> Ints:
    """What a row's rule says of operands of any dtype: the shape of what is composed instead, or its error."""
    (lengths,) = planner.decide(replace(row, dtypes=()), operands, arguments).outcome.shapes
    return lengths


def _no_bool(input: TensorBase, name: str) -> None:
    if input.desc.dtype is d.bool_:
        raise DTypeError("bool tensors have no convolution", advice="Cast with .to(float32) first.").with_context(name, (input,))


def _one_dtype(name: str, *operands: TensorBase | None) -> None:
    """Refuse operands of several dtypes, as PyTorch does."""
    given = [operand for operand in operands if operand is not None]
    kinds = list(dict.fromkeys(operand.desc.dtype for operand in given))
    if len(kinds) > 1:
        names = " and ".join(kind.name for kind in kinds)
        raise DTypeError(f"input, weight and bias must have one dtype, not {names}", advice=ONE_DTYPE).with_context(name, given)


def _pads(padding: Any, kernel: Ints, stride: Ints, dilation: Ints) -> Ints:
    """(before, after) for each dimension, of ints or of "same" and "valid".

    Raises:
        ValueRangeError: Another word, "same" with strides, or a negative number.
    """
    rank = len(kernel)
    if isinstance(padding, str):
        if padding == "valid":
            return (0,) * 2 * rank
        if padding != "same":
            raise ValueRangeError(f"padding is {padding!r}; it is 'same', 'valid' or ints")
        if max(stride) > 1:
            raise ValueRangeError(f"padding='same' is not possible with stride {list(stride)}; it needs steps of 1")
        totals = [span - 1 for span in geometry.reach(kernel, dilation)]
        return tuple(each for total in totals for each in (total // 2, total - total // 2))
    sides = geometry.ints(padding, rank, "padding")
    if min(sides) < 0:
        raise ValueRangeError(f"padding {list(sides)} must not be negative")
    return geometry.both_sides(sides)


def _convolved(input: T, weight: T, bias: T | None, rank: int, stride: Any, padding: Any, dilation: Any, groups: int) -> T:
    """Any convolution of a batch."""
    name = f"conv{rank}d"
    if len(weight.desc.shape) != rank + 2:
        raise ShapeError(f"weight must have {rank + 2} dimensions, not shape {list(weight.desc.shape)}")
    _no_bool(input, name)
    _one_dtype(name, input, weight, bias)
    kernel = weight.desc.shape[2:]
    steps, spacing = geometry.ints(stride, rank, "stride"), geometry.ints(dilation, rank, "dilation")
    pads = _pads(padding, kernel, steps, spacing)
    return _forward(input, weight, bias, steps, pads, spacing, geometry.one(groups, "groups"))


def _forward(input: T, weight: T, bias: T | None, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> T:
    rows = _FORWARD[max(len(stride), 2)]
    row = _road(rows, weight.desc.shape[2:], stride, pads, dilation, input.desc.dtype)
    if row is not None and (input.desc.numel or bias is None):
        return call(row, (input, weight, bias), (stride, pads, dilation, groups))
    lengths = _shape(rows[0], (input, weight, bias), (stride, pads, dilation, groups))
    if not prod(lengths):
        return filled(input, lengths, 0)
    return _with_bias(_gathered(input, weight, lengths, stride, pads, dilation, groups), bias)


def _with_bias(result: T, bias: T | None) -> T:
    if bias is None:
        return result
    return elementwise.add(result, views.reshape(bias, (bias.desc.shape[0], *(1,) * (len(result.desc.shape) - 2))))


def _columns(input: T, kernel: Ints, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> T:
    """(batch, groups, channels of a group * window, number of windows)."""
    found = windows(padded(input, pads), kernel, stride, dilation)
    rank = len(kernel)
    batch, channels = found.desc.shape[:2]
    places = found.desc.shape[2 : 2 + rank]
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    return views.reshape(views.permute(found, order), (batch, groups, channels // groups * prod(kernel), prod(places)))


def _gathered(input: T, weight: T, lengths: Ints, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> T:
    """A convolution as a product of matrices."""
    if not input.desc.numel:
        return filled(input, lengths, 0)
    kernel = weight.desc.shape[2:]
    parts = -(-prod(lengths[2:]) * input.desc.shape[0] * input.desc.shape[1] * prod(kernel) // _BOUND)
    planes = -(-lengths[2] // min(parts, lengths[2]))
    if planes < lengths[2]:
        image, reach, none = padded(input, pads), geometry.reach(kernel, dilation)[0], (0,) * len(pads)
        found = []
        for start in range(0, lengths[2], planes):
            number = min(planes, lengths[2] - start)
            part = views.narrow(image, 2, start * stride[0], (number - 1) * stride[0] + reach)
            found.append(_gathered(part, weight, (*lengths[:2], number, *lengths[3:]), stride, none, dilation, groups))
        return shape.cat(found, 2)
    columns = _columns(input, weight.desc.shape[2:], stride, pads, dilation, groups)
    matrix = views.reshape(weight, (groups, weight.desc.shape[0] // groups, columns.desc.shape[2]))
    return views.reshape(matmul.matmul(matrix, columns), lengths)


def _spread(
    input: T, weight: T, bias: T | None, rank: int, stride: Any, padding: Any, output_padding: Any, groups: int, dilation: Any
) -> T:
    """Any transposed convolution of a batch."""
    name = f"conv_transpose{rank}d"
    if len(weight.desc.shape) != rank + 2:
        raise ShapeError(f"weight must have {rank + 2} dimensions, not shape {list(weight.desc.shape)}")
    _no_bool(input, name)
    _one_dtype(name, input, weight, bias)
    steps, spacing = geometry.ints(stride, rank, "stride"), geometry.ints(dilation, rank, "dilation")
    sides, extra = geometry.ints(padding, rank, "padding"), geometry.ints(output_padding, rank, "output_padding")
    if min(sides) < 0:
        raise ValueRangeError(f"padding {list(sides)} must not be negative")
    groups = geometry.one(groups, "groups")
    rows = _TRANSPOSED[max(rank, 2)]
    arguments = (steps, sides, spacing, groups, extra)
    pads = geometry.both_sides(sides)
    # More places at the end than a step: the operator would count another window there.
    fits = all(map(int.__lt__, extra, steps))
    row = _road((*rows, _TO_INPUT[max(rank, 2)]), weight.desc.shape[2:], steps, pads, spacing, input.desc.dtype) if fits else None
    if row in rows and (input.desc.numel or bias is None):
        return call(row, (input, weight, bias), arguments)
    lengths = _shape(rows[0], (input, weight, bias), arguments)
    if row is not None and input.desc.numel:
        return _with_bias(call(row, (weight, input), (lengths, steps, pads, spacing, groups)), bias)
    if not (prod(lengths) and input.desc.numel):
        return _with_bias(filled(input, lengths, 0), bias)
    return _with_bias(_stretched(input, weight, steps, sides, extra, groups, spacing), bias)


def _stretched(input: T, weight: T, stride: Ints, padding: Ints, output_padding: Ints, groups: int, dilation: Ints) -> T:
    """A transposed convolution as one of the operand with zeros between its elements, with the filter turned round."""
    batch, channels, *size = input.desc.shape
    if max(stride) > 1:
        apart = tuple((length - 1) * step + 1 for length, step in zip(size, stride, strict=True))
        whole = filled(input, (batch, channels, *apart), 0)
        target = views.select(windows(whole, (1,) * len(size), stride, (1,) * len(size)), -1, 0)
        for _ in size[1:]:
            target = views.select(target, -1, 0)
        copy_into(target, input)
        input = whole
    spans = [span - 1 for span in geometry.reach(weight.desc.shape[2:], dilation)]
    pads = tuple(
        each for span, side, extra in zip(spans, padding, output_padding, strict=True) for each in (span - side, span - side + extra)
    )
    ends = shape.flip(weight, tuple(range(2, len(weight.desc.shape))))
    kernel = weight.desc.shape[2:]
    outputs = weight.desc.shape[1]
    swapped = views.transpose(views.reshape(ends, (groups, channels // groups, outputs, *kernel)), 1, 2)
    filters = views.reshape(swapped, (groups * outputs, channels // groups, *kernel))
    ones = (1,) * len(size)
    return _forward(padded(input, pads), filters, None, ones, (0,) * 2 * len(size), dilation, groups)


@checked
def conv1d(input: T, weight: T, bias: T | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """Sums of products of a filter with windows of a signal; arguments as `conv2d`, with one spatial dimension.

    Args:
        input: (batch, channels, length), or without the batch.
        weight: (outputs, channels / groups, kernel) of the same dtype.
        bias: (outputs), or None.
        stride, padding, dilation, groups: As `conv2d`.

    Returns:
        (batch, outputs, length), or without the batch.

    Raises:
        ShapeError: No window fits, or the shapes do not fit each other.
        DTypeError: The dtypes differ, or are bool.
        ValueRangeError: A negative padding, a stride or dilation below 1.

    Ascend operator: Conv2D with a height of 1; other dtypes and large windows: AsStrided and the operators of matmul. Like: torch.conv1d.

    Examples:
        >>> at.nn.functional.conv1d(at.tensor([[[1.0, 2.0, 3.0, 4.0]]]), at.tensor([[[1.0, 1.0]]]))
        tensor([[[3., 5., 7.]]], device='npu:0')
    """
    return unbatched(1, _convolved, input, "conv1d", weight, bias, 1, stride, padding, dilation, groups)


@checked
def conv2d(input: T, weight: T, bias: T | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """Sums of products of a filter with windows of an image.

    Args:
        input: (batch, channels, height, width), or without the batch.
        weight: (outputs, channels / groups, kernel height, kernel width) of the same dtype.
        bias: (outputs), or None.
        stride: Step of the windows, an int or one for each spatial dimension.
        padding: Zeros on both sides of each spatial dimension; "valid" for none, "same" for as many as keep the size (steps of 1 only).
        dilation: Distance of a window's places.
        groups: Into how many parts channels and outputs are divided, each part seeing its own; as many as channels for a depthwise one.

    Returns:
        (batch, outputs, height, width), or without the batch.

    Raises:
        ShapeError: No window fits, or the shapes do not fit each other.
        DTypeError: The dtypes differ, or are bool.
        ValueRangeError: A negative padding, a stride or dilation below 1.

    Ascend operator: Conv2D for float32, float16 and bfloat16 with strides up to 63 and kernels, paddings and dilations up to 255, else
        AsStrided and the operators of matmul. Like: torch.conv2d.

    Examples:
        >>> x, weight = at.ones(1, 1, 3, 3), at.ones(1, 1, 3, 3)
        >>> at.nn.functional.conv2d(x, weight, padding=1)
        tensor([[[[4., 6., 4.],
                  [6., 9., 6.],
                  [4., 6., 4.]]]], device='npu:0')
    """
    return unbatched(2, _convolved, input, "conv2d", weight, bias, 2, stride, padding, dilation, groups)


@checked
def conv3d(input: T, weight: T, bias: T | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """Sums of products of a filter with windows of a volume; arguments as `conv2d`, with three spatial dimensions.

    Args:
        input: (batch, channels, depth, height, width), or without the batch.
        weight: (outputs, channels / groups, kernel depth, height, width) of the same dtype.
        bias: (outputs), or None.
        stride, padding, dilation, groups: As `conv2d`.

    Returns:
        (batch, outputs, depth, height, width), or without the batch.

    Raises:
        ShapeError: No window fits, or the shapes do not fit each other.
        DTypeError: The dtypes differ, or are bool.
        ValueRangeError: A negative padding, a stride or dilation below 1.

    Ascend operator: Conv3D for float16 and bfloat16; other dtypes and large windows: AsStrided and the operators of matmul.
        Like: torch.conv3d.

    Examples:
        >>> at.nn.functional.conv3d(at.ones(1, 1, 2, 2, 2), at.ones(1, 1, 2, 2, 2))
        tensor([[[[[8.]]]]], device='npu:0')
    """
    return unbatched(3, _convolved, input, "conv3d", weight, bias, 3, stride, padding, dilation, groups)


@checked
def conv_transpose1d(
    input: T,
    weight: T,
    bias: T | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> T:
    """Each element adds its multiple of the filter to its window of the result; arguments as `conv_transpose2d`.

    Ascend operator: Conv2DTranspose or Conv2DBackpropInput with a height of 1; else composed as `conv_transpose2d`.
        Like: torch.conv_transpose1d.

    Examples:
        >>> at.nn.functional.conv_transpose1d(at.tensor([[[1.0, 2.0]]]), at.tensor([[[1.0, 1.0]]]))
        tensor([[[1., 3., 2.]]], device='npu:0')
    """
    return unbatched(1, _spread, input, "conv_transpose1d", weight, bias, 1, stride, padding, output_padding, groups, dilation)


@checked
def conv_transpose2d(
    input: T,
    weight: T,
    bias: T | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> T:
    """Each element adds its multiple of the filter to its window of the result: the adjoint of `conv2d`.

    Args:
        input: (batch, channels, height, width), or without the batch.
        weight: (channels, outputs / groups, kernel height, kernel width) of the same dtype.
        bias: (outputs), or None.
        stride: Step of the windows, an int or one for each spatial dimension.
        padding: Places cut off on both sides of each spatial dimension.
        output_padding: Places added at the end, fewer than stride or dilation.
        groups: Into how many parts channels and outputs are divided.
        dilation: Distance of a window's places.

    Returns:
        (batch, outputs, height, width), or without the batch.

    Raises:
        ShapeError: Nothing is left, or the shapes do not fit each other.
        DTypeError: The dtypes differ, or are bool.
        ValueRangeError: `output_padding` is too large, a negative padding, a stride or dilation below 1.

    Ascend operator: Conv2DTranspose for float16 and bfloat16, Conv2DBackpropInput and Add for float32, else zeros between the elements
        (Fill, ViewCopy, PadV3, ReverseV2) and what `conv2d` launches. Like: torch.conv_transpose2d.

    Examples:
        >>> at.nn.functional.conv_transpose2d(at.tensor([[[[1.0, 2.0]]]]), at.ones(1, 1, 2, 2))
        tensor([[[[1., 3., 2.],
                  [1., 3., 2.]]]], device='npu:0')
    """
    return unbatched(2, _spread, input, "conv_transpose2d", weight, bias, 2, stride, padding, output_padding, groups, dilation)


@checked
def conv_transpose3d(
    input: T,
    weight: T,
    bias: T | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> T:
    """Each element adds its multiple of the filter to its window of the result; arguments as `conv_transpose2d`.

    Ascend operator: Conv3DTranspose for float16 and bfloat16; composed for float32, which it has no kernel for.
        Like: torch.conv_transpose3d.

    Examples:
        >>> at.nn.functional.conv_transpose3d(at.ones(1, 1, 1, 1, 1), at.ones(1, 1, 1, 2, 2))
        tensor([[[[[1., 1.],
                   [1., 1.]]]]], device='npu:0')
    """
    return unbatched(3, _spread, input, "conv_transpose3d", weight, bias, 3, stride, padding, output_padding, groups, dilation)


@checked
def convolution(
    input: T,
    weight: T,
    bias: T | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> T:
    """`conv1d` to `conv3d`, or their transposed forms: the number of dimensions is that of the filter.

    Ascend operator: as of those. Like: torch.convolution.

    Examples:
        >>> at.convolution(at.ones(1, 1, 4), at.ones(1, 1, 2), None, [2], [0], [1], False, [0], 1)
        tensor([[[2., 2.]]], device='npu:0')
    """
    rank = len(weight.desc.shape) - 2
    if rank not in _RANKS:
        raise ShapeError(f"weight must have 3 to 5 dimensions, not shape {list(weight.desc.shape)}")
    if transposed:
        return unbatched(rank, _spread, input, "convolution", weight, bias, rank, stride, padding, output_padding, groups, dilation)
    return unbatched(rank, _convolved, input, "convolution", weight, bias, rank, stride, padding, dilation, groups)


_RANKS: Final = (1, 2, 3)


@checked
def conv_tbc(input: T, weight: T, bias: T, pad: int = 0) -> T:
    """`conv1d` with the length in front.

    Args:
        input: (length, batch, channels).
        weight: (kernel, channels, outputs).
        bias: (outputs).
        pad: Zeros on both sides.

    Returns:
        (length, batch, outputs).

    Raises:
        ShapeError: No window fits, or the shapes do not fit each other.

    Ascend operator: AsStrided and what `conv1d` launches. Like: torch.conv_tbc.

    Examples:
        >>> at.conv_tbc(at.ones(3, 1, 1), at.ones(2, 1, 1), at.zeros(1)).flatten()
        tensor([2., 2.], device='npu:0')
    """
    if len(input.desc.shape) != 3 or len(weight.desc.shape) != 3:
        raise ShapeError(f"input and weight must have 3 dimensions, not shapes {list(input.desc.shape)} and {list(weight.desc.shape)}")
    result = conv1d(views.permute(input, 1, 2, 0), views.permute(weight, 2, 1, 0), bias, 1, pad)
    return views.permute(result, 2, 0, 1)


# Gradients


def _options(rank: int, stride: Any, padding: Any, dilation: Any) -> tuple[Ints, Ints, Ints]:
    steps, sides, spacing = (
        geometry.ints(value, rank, name) for value, name in ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))
    )
    return steps, sides, spacing


def _size(given: Any, rank: int, name: str) -> Ints:
    size = geometry.ints(given, rank + 2, name) if not hasattr(given, "__index__") else ()
    if len(size) != rank + 2 or min(size) < 0:
        raise ShapeError(f"{name} {given!r} must be {rank + 2} lengths")
    return size


def _grad_input(rank: int, input_size: Any, weight: T, grad: T, stride: Any, padding: Any, dilation: Any, groups: int) -> T:
    size = _size(input_size, rank, "input_size")
    _one_dtype(f"conv{rank}d_input", weight, grad)
    steps, sides, spacing = _options(rank, stride, padding, dilation)
    pads = geometry.both_sides(sides)
    arguments = (size, steps, pads, spacing, groups)
    row = _TO_INPUT[max(rank, 2)]
    if _road((row,), weight.desc.shape[2:], steps, pads, spacing, grad.desc.dtype) is not None:
        return call(row, (weight, grad), arguments)
    _shape(row, (weight, grad), arguments)
    if not grad.desc.numel:
        return filled(grad, size, 0)
    axes = zip(size[2:], grad.desc.shape[2:], steps, sides, geometry.reach(weight.desc.shape[2:], spacing), strict=True)
    extra = tuple(length - (number - 1) * step + 2 * side - span for length, number, step, side, span in axes)
    return _stretched(grad, weight, steps, sides, extra, groups, spacing)


def _grad_weight(rank: int, input: T, weight_size: Any, grad: T, stride: Any, padding: Any, dilation: Any, groups: int) -> T:
    size = _size(weight_size, rank, "weight_size")
    _one_dtype(f"conv{rank}d_weight", input, grad)
    steps, sides, spacing = _options(rank, stride, padding, dilation)
    pads = geometry.both_sides(sides)
    arguments = (size, steps, pads, spacing, groups)
    row = _TO_WEIGHT[max(rank, 2)]
    if _road((row,), size[2:], steps, pads, spacing, grad.desc.dtype) is not None:
        result = call(row, (input, grad), arguments)  # float32, whatever the operands are
        return in_dtype(result, grad.desc.dtype)
    _shape(row, (input, grad), arguments)
    if not grad.desc.numel:
        return filled(grad, size, 0)
    columns = _columns(input, size[2:], steps, pads, spacing, groups)
    batch = grad.desc.shape[0]
    rows = views.reshape(grad, (batch, groups, grad.desc.shape[1] // groups, columns.desc.shape[3]))
    products = matmul.matmul(rows, views.transpose(columns, 2, 3))
    return views.reshape(reduction.sum(products, 0, dtype=products.desc.dtype), size)


@checked
def conv1d_input(input_size: Any, weight: T, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv1d` for its input; arguments as `conv2d_input`.

    Ascend operator: Conv2DBackpropInput with a height of 1; else composed. Like: torch.nn.grad.conv1d_input.

    Examples:
        >>> at.nn.grad.conv1d_input([1, 1, 4], at.tensor([[[1.0, 2.0]]]), at.ones(1, 1, 3))
        tensor([[[1., 3., 3., 2.]]], device='npu:0')
    """
    return _grad_input(1, input_size, weight, grad_output, stride, padding, dilation, groups)


@checked
def conv2d_input(input_size: Any, weight: T, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv2d` for its input.

    Args:
        input_size: Shape of the input, (batch, channels, height, width).
        weight: The filter.
        grad_output: Gradient of the result, of the same dtype.
        stride, padding, dilation, groups: As given to `conv2d`.

    Returns:
        Tensor of shape `input_size`.

    Raises:
        ShapeError: The shapes do not fit each other.
        DTypeError: The dtypes differ.

    Ascend operator: Conv2DBackpropInput for float32, float16 and bfloat16; else composed as `conv_transpose2d`.
        Like: torch.nn.grad.conv2d_input.

    Examples:
        >>> at.nn.grad.conv2d_input([1, 1, 2, 2], at.ones(1, 1, 2, 2), at.ones(1, 1, 1, 1))
        tensor([[[[1., 1.],
                  [1., 1.]]]], device='npu:0')
    """
    return _grad_input(2, input_size, weight, grad_output, stride, padding, dilation, groups)


@checked
def conv3d_input(input_size: Any, weight: T, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv3d` for its input; arguments as `conv2d_input`.

    Ascend operator: Conv3DBackpropInput for float16 and bfloat16; else composed. Like: torch.nn.grad.conv3d_input.

    Examples:
        >>> at.nn.grad.conv3d_input([1, 1, 1, 2, 2], at.ones(1, 1, 1, 2, 2), at.ones(1, 1, 1, 1, 1)).shape
        (1, 1, 1, 2, 2)
    """
    return _grad_input(3, input_size, weight, grad_output, stride, padding, dilation, groups)


@checked
def conv1d_weight(input: T, weight_size: Any, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv1d` for its filter; arguments as `conv2d_weight`.

    Ascend operator: Conv2DBackpropFilter with a height of 1; else composed. Like: torch.nn.grad.conv1d_weight.

    Examples:
        >>> at.nn.grad.conv1d_weight(at.tensor([[[1.0, 2.0, 3.0, 4.0]]]), [1, 1, 2], at.ones(1, 1, 3))
        tensor([[[6., 9.]]], device='npu:0')
    """
    return _grad_weight(1, input, weight_size, grad_output, stride, padding, dilation, groups)


@checked
def conv2d_weight(input: T, weight_size: Any, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv2d` for its filter.

    Args:
        input: The input, (batch, channels, height, width).
        weight_size: Shape of the filter, (outputs, channels / groups, kernel height, kernel width).
        grad_output: Gradient of the result, of the same dtype.
        stride, padding, dilation, groups: As given to `conv2d`.

    Returns:
        Tensor of shape `weight_size`.

    Raises:
        ShapeError: The shapes do not fit each other.
        DTypeError: The dtypes differ.

    Ascend operator: Conv2DBackpropFilter for float32, float16 and bfloat16; else AsStrided and the operators of matmul.
        Like: torch.nn.grad.conv2d_weight.

    Examples:
        >>> at.nn.grad.conv2d_weight(at.ones(1, 1, 3, 3), [1, 1, 2, 2], at.ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]], device='npu:0')
    """
    return _grad_weight(2, input, weight_size, grad_output, stride, padding, dilation, groups)


@checked
def conv3d_weight(input: T, weight_size: Any, grad_output: T, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> T:
    """The gradient of `conv3d` for its filter; arguments as `conv2d_weight`.

    Ascend operator: Conv3DBackpropFilter for float16 and bfloat16; else composed. Like: torch.nn.grad.conv3d_weight.

    Examples:
        >>> at.nn.grad.conv3d_weight(at.ones(1, 1, 2, 2, 2), [1, 1, 1, 1, 1], at.ones(1, 1, 2, 2, 2))
        tensor([[[[[8.]]]]], device='npu:0')
    """
    return _grad_weight(3, input, weight_size, grad_output, stride, padding, dilation, groups)
