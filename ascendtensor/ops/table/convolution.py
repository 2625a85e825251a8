"""Rows of convolutions and their gradients, and their rules.

Images say their layout: NCHW or NCDHW is part of every description. One spatial dimension is described as two, the first of length 1.
A bias has the operands' dtype, and float32 for bfloat16, which takes a row of its own. The prototypes of Conv2DTranspose and Conv3D do not
take float32, nor do those in three dimensions have a prebuilt kernel for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ... import dtypes as d
from ...codes import Format
from ...dtypes import dtype as DType
from ...errors import ShapeError
from ...promotion import Kind
from ..rules import geometry
from ..schema import Attr, Input, Meta, Outcome, Output, Row, Rule

Ints = tuple[int, ...]

_LAYOUTS: Final = {2: Format.NCHW, 3: Format.NCDHW}
_CUBE: Final = (d.float32, d.float16)


def image(shape: Ints) -> Ints:
    """The shape that an image is described with: (batch, channels, length) gets a height of 1."""
    return shape if len(shape) > 3 else (*shape[:2], 1, *shape[2:])


def _attrs(stride: Ints, pads: Ints, dilation: Ints, groups: int) -> dict[str, Any]:
    """Attributes for every dimension of the described image."""
    if len(stride) == 1:
        stride, pads, dilation = (1, *stride), (0, 0, *pads), (1, *dilation)
    layout = _LAYOUTS[len(stride)].name
    return {"strides": (1, 1, *stride), "pads": pads, "dilations": (1, 1, *dilation), "groups": groups, "data_format": layout}


def _check(channels: int, weight: Ints, bias: Meta | None, inputs: int, outputs: int, groups: int) -> None:
    """Channels, filter, groups and bias that fit each other.

    Raises:
        ShapeError: They do not.
    """
    if groups < 1:
        raise ShapeError(f"groups must be positive, not {groups}")
    if inputs * groups != channels:
        raise ShapeError(f"weight of shape {list(weight)} with groups={groups} takes {inputs * groups} channels, the input has {channels}")
    if outputs % groups or not outputs:
        raise ShapeError(f"weight of shape {list(weight)} gives {outputs} channels, which can't be divided into {groups} groups")
    if bias is not None and isinstance(bias.dtype, DType) and bias.shape != (outputs,):
        raise ShapeError(f"bias of shape {list(bias.shape)} does not fit weight of shape {list(weight)}: [{outputs}] is needed")


def forward(operands: Sequence[Meta], stride: Ints, pads: Ints, dilation: Ints, groups: int) -> Outcome:
    """A convolution of (batch, channels, ...) with (outputs, channels of a group, ...)."""
    input, weight, bias = operands
    _check(input.shape[1], weight.shape, bias, weight.shape[1], weight.shape[0], groups)
    found = geometry.counts(input.shape[2:], weight.shape[2:], stride, pads, dilation)
    shape = (input.shape[0], weight.shape[0], *found)
    return Outcome(
        (shape,),
        attrs=_attrs(stride, pads, dilation, groups),
        inputs=(image(input.shape), image(weight.shape), bias.shape),
        outputs=(image(shape),),
    )


def transposed(operands: Sequence[Meta], stride: Ints, padding: Ints, dilation: Ints, groups: int, output_padding: Ints) -> Outcome:
    """A transposed convolution of (batch, channels, ...) with (channels, outputs of a group, ...)."""
    input, weight, bias = operands
    if weight.shape[0] != input.shape[1]:
        raise ShapeError(f"weight of shape {list(weight.shape)} takes {weight.shape[0]} channels, the input has {input.shape[1]}")
    _check(weight.shape[1] * groups, weight.shape, bias, weight.shape[1], weight.shape[1] * groups, groups)
    if weight.shape[0] % groups:
        raise ShapeError(f"weight of shape {list(weight.shape)} takes {weight.shape[0]} channels, which don't make {groups} groups")
    found = geometry.spread_sizes(input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
    shape = (input.shape[0], weight.shape[1] * groups, *found)
    extra = output_padding if len(output_padding) > 1 else (0, *output_padding)
    return Outcome(
        (shape,),
        constants={"input_size": image(shape)},
        attrs=_attrs(stride, geometry.both_sides(padding), dilation, groups) | {"output_padding": (0, 0, *extra)},
        inputs=(image(input.shape), image(weight.shape), bias.shape),
        outputs=(image(shape),),
    )


def _fits(size: Ints, weight: Ints, grad: Ints, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> None:
    """An image, a filter and a gradient of its convolution that fit each other.

    Raises:
        ShapeError: They do not.
    """
    if not len(size) == len(weight) == len(grad) == len(stride) + 2:
        raise ShapeError(f"input {list(size)}, weight {list(weight)} and grad_output {list(grad)} must have {len(stride) + 2} dimensions")
    _check(size[1], weight, None, weight[1], weight[0], groups)
    wanted = (size[0], weight[0], *geometry.counts(size[2:], weight[2:], stride, pads, dilation))
    if grad != wanted:
        raise ShapeError(f"grad_output has shape {list(grad)}; input {list(size)} and weight {list(weight)} give {list(wanted)}")


def to_input(operands: Sequence[Meta], size: Ints, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> Outcome:
    """The gradient of a convolution's input, of a given size."""
    weight, grad = operands
    _fits(size, weight.shape, grad.shape, stride, pads, dilation, groups)
    return Outcome(
        (size,),
        constants={"input_size": image(size)},
        attrs=_attrs(stride, pads, dilation, groups),
        inputs=(image(weight.shape), image(grad.shape)),
        outputs=(image(size),),
    )


def to_weight(operands: Sequence[Meta], size: Ints, stride: Ints, pads: Ints, dilation: Ints, groups: int) -> Outcome:
    """The gradient of a convolution's filter, of a given size."""
    input, grad = operands
    _fits(input.shape, size, grad.shape, stride, pads, dilation, groups)
    return Outcome(
        (size,),
        constants={"filter_size": image(size)},
        attrs=_attrs(stride, pads, dilation, groups),
        inputs=(image(input.shape), image(grad.shape)),
        outputs=(image(size),),
    )


def _options(rank: int) -> tuple[Attr, ...]:
    ones = (1,) * (rank + 2)
    return (
        Attr("strides", "list_int"),
        Attr("pads", "list_int"),
        Attr("dilations", "list_int", ones),
        Attr("groups", "int", 1),
        Attr("data_format", "string", "NHWC" if rank == 2 else "NDHWC"),
    )


def _row(name: str, op_type: str, rank: int, inputs: tuple[Input, ...], rule: Rule, dtypes: tuple[DType, ...], **more: Any) -> Row:
    """A row whose device operands but the bias are images."""
    layout = _LAYOUTS[rank]
    output = Output("y", more.pop("result", "result"), format=layout)
    attrs = (*_options(rank), *more.pop("attrs", ()))
    return Row(name, op_type, inputs, (output,), rule, attrs, Kind.SAME, dtypes, numbers=False, **more)


def _bias(wide: bool) -> Input:
    return Input("bias", "optional", d.float32, (d.bfloat16,)) if wide else Input("bias", "optional")


def _convolution(rank: int, dtypes: tuple[DType, ...], wide: bool) -> Row:
    layout = _LAYOUTS[rank]
    inputs = (Input("x", format=layout), Input("filter", format=layout), _bias(wide))
    return _row(f"conv{rank}d", f"Conv{rank}D", rank, inputs, forward, dtypes, identity=0)


def _transposed(rank: int, dtypes: tuple[DType, ...], wide: bool) -> Row:
    layout = _LAYOUTS[rank]
    inputs = (Input("input_size", "const", d.int32), Input("x", format=layout), Input("filter", format=layout), _bias(wide))
    extra = (Attr("output_padding", "list_int", (0,) * (rank + 2)),)
    return _row(f"conv_transpose{rank}d", f"Conv{rank}DTranspose", rank, inputs, transposed, dtypes, attrs=extra, identity=0)


def _to_input(rank: int, dtypes: tuple[DType, ...]) -> Row:
    layout = _LAYOUTS[rank]
    inputs = (Input("input_size", "const", d.int32), Input("filter", format=layout), Input("out_backprop", format=layout))
    return _row(f"conv{rank}d_input", f"Conv{rank}DBackpropInput", rank, inputs, to_input, dtypes, identity=0)


def _to_weight(rank: int, dtypes: tuple[DType, ...]) -> Row:
    layout = _LAYOUTS[rank]
    inputs = (Input("x", format=layout), Input("filter_size", "const", d.int32), Input("out_backprop", format=layout))
    return _row(f"conv{rank}d_weight", f"Conv{rank}DBackpropFilter", rank, inputs, to_weight, dtypes, result=d.float32, identity=0)


CONV2D: Final = _convolution(2, _CUBE, False)
CONV2D_BFLOAT16: Final = _convolution(2, (d.bfloat16,), True)
CONV3D: Final = _convolution(3, (d.float16,), False)
CONV3D_BFLOAT16: Final = _convolution(3, (d.bfloat16,), True)
CONV2D_TRANSPOSE: Final = _transposed(2, (d.float16,), False)
CONV2D_TRANSPOSE_BFLOAT16: Final = _transposed(2, (d.bfloat16,), True)
CONV3D_TRANSPOSE: Final = _transposed(3, (d.float16,), False)
CONV3D_TRANSPOSE_BFLOAT16: Final = _transposed(3, (d.bfloat16,), True)
CONV2D_INPUT: Final = _to_input(2, (*_CUBE, d.bfloat16))
CONV3D_INPUT: Final = _to_input(3, (d.float16, d.bfloat16))
CONV2D_WEIGHT: Final = _to_weight(2, (*_CUBE, d.bfloat16))
CONV3D_WEIGHT: Final = _to_weight(3, (d.float16, d.bfloat16))
