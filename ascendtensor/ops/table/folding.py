"""Rows that gather windows into columns and add columns up again, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...codes import Format
from ...errors import ShapeError
from ...promotion import Kind
from ..rules import geometry
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE

Ints = tuple[int, ...]


def columns(operands: Sequence[Meta], kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Outcome:
    """The windows of (batch, channels, height, width) as (batch, channels * window, windows)."""
    shape = operands[0].shape
    found = geometry.counts(shape[2:], kernel, stride, geometry.both_sides(padding), dilation)
    result = (shape[0], shape[1] * kernel[0] * kernel[1])
    attrs = {"ksizes": kernel, "strides": stride, "dilations": dilation, "pads": geometry.both_sides(padding)}
    return Outcome(((*result, found[0] * found[1]),), attrs=attrs, outputs=((*result, *found),))


def summed(operands: Sequence[Meta], size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Outcome:
    """Columns (batch, channels * window, windows) added up to (batch, channels, height, width)."""
    shape = operands[0].shape
    places = kernel[0] * kernel[1]
    found = geometry.counts(size, kernel, stride, geometry.both_sides(padding), dilation)
    if places == 0 or shape[1] % places:
        raise ShapeError(f"dimension 1 of shape {list(shape)} can't be divided by the {places} places of a kernel {list(kernel)}")
    if shape[2] != found[0] * found[1]:
        raise ShapeError(
            f"shape {list(shape)} has {shape[2]} windows; output_size {list(size)}, kernel {list(kernel)}, stride {list(stride)}, padding "
            f"{list(padding)}, dilation {list(dilation)} have {list(found)}, {found[0] * found[1]}"
        )
    channels = shape[1] // places
    return Outcome(
        ((shape[0], channels, *size),),
        constants={"output_size": size},
        attrs={"kernel_size": kernel, "dilation": dilation, "padding": padding, "stride": stride},
        inputs=((shape[0], channels, places, shape[2]),),
    )


IM2COL: Final = Row(
    "unfold",
    "Im2col",
    (Input("x", format=Format.NCHW),),
    (Output("y", format=Format.NCHW),),  # its kernels write NHWC or NCHW: the graph engine has to know which is wanted
    columns,
    (
        Attr("ksizes", "list_int"),
        Attr("strides", "list_int", (1,)),
        Attr("dilations", "list_int", (1,)),
        Attr("padding_mode", "string", "CALCULATED"),
        Attr("pads", "list_int", (0,)),
    ),
    Kind.SAME,
    (d.float32, d.float16),
    {d.bfloat16: d.float32},  # the kernel of static shapes takes none (CANN 8.1.RC1, `impl/im2col.py`)
    numbers=False,
)
COL2IM: Final = Row(
    "fold",
    "Col2im",
    (Input("x", format=Format.NCHW), Input("output_size", "const", d.int32)),
    (Output("y", format=Format.NCHW),),
    summed,
    (
        Attr("kernel_size", "list_int"),
        Attr("dilation", "list_int"),
        Attr("padding", "list_int"),
        Attr("stride", "list_int"),
    ),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
