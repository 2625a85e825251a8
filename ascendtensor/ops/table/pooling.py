"""Rows of pools, and their rules.

Images of one or two dimensions are described with as many of length 1 in front as the operator's layout has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...codes import Format
from ...errors import ShapeError, ValueRangeError
from ...promotion import Kind
from ..rules import geometry
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE

Ints = tuple[int, ...]


def _filled(values: Ints, rank: int, value: int) -> Ints:
    """Values for `rank` spatial dimensions, those in front that are missing being `value`."""
    return (value,) * (rank - len(values)) + values


def _image(shape: Ints, rank: int) -> Ints:
    return (*shape[:2], *_filled(shape[2:], rank, 1))


def check(shape: Ints, first: int = 1) -> None:
    """Refuse images without elements.

    Args:
        shape: That of (batch, channels, ...).
        first: From which dimension on lengths must not be 0.

    Raises:
        ShapeError: Channels or a spatial dimension have length 0.
    """
    if 0 in shape[first:]:
        spare = "the batch" if first == 1 else "batch and channels"
        raise ShapeError(f"an image of shape {list(shape)} has no elements; only {spare} may be empty")


def pooled(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil: bool) -> Ints:
    """The shape of a pool's result.

    Raises:
        ShapeError: No window fits.
        ValueRangeError: Padding of more than half a window.
    """
    check(shape)
    sides = geometry.both_sides(padding)
    found = geometry.counts(shape[2:], kernel, stride, sides, dilation, ceil)
    if min(padding) < 0 or any(2 * side > span for side, span in zip(padding, geometry.reach(kernel, dilation), strict=True)):
        raise ValueRangeError(
            f"padding {list(padding)} must be from 0 to half of the window: kernel {list(kernel)}, dilation {list(dilation)}"
        )
    return (*shape[:2], *found)


def largest(operands: Sequence[Meta], kernel: Ints, stride: Ints, padding: Ints, ceil: bool) -> Outcome:
    """The largest element of each window."""
    shape = operands[0].shape
    result = pooled(shape, kernel, stride, padding, (1,) * len(kernel), ceil)
    return Outcome(
        (result,),
        attrs={
            "ksize": (1, 1, *_filled(kernel, 2, 1)),
            "strides": (1, 1, *_filled(stride, 2, 1)),
            "pads": geometry.both_sides(_filled(padding, 2, 0)),
            "ceil_mode": ceil,
        },
        inputs=(_image(shape, 2),),
        outputs=(_image(result, 2),),
    )


def largest_found(operands: Sequence[Meta], kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil: bool) -> Outcome:
    """The largest element of each window, and its place in the flattened image."""
    shape = operands[0].shape
    result = pooled(shape, kernel, stride, padding, dilation, ceil)
    return Outcome(
        (result, result),
        attrs={
            "ksize": _filled(kernel, 3, 1),
            "strides": _filled(stride, 3, 1),
            "pads": _filled(padding, 3, 0),
            "dilation": _filled(dilation, 3, 1),
            "ceil_mode": ceil,
        },
        inputs=(_image(shape, 3),),
        outputs=(_image(result, 3), _image(result, 3)),
    )


def averaged(
    operands: Sequence[Meta], kernel: Ints, stride: Ints, padding: Ints, ceil: bool, count_include_pad: bool, divisor: int
) -> Outcome:
    """The mean of each window; `divisor` 0 for the number of its elements."""
    shape = operands[0].shape
    result = pooled(shape, kernel, stride, padding, (1,) * len(kernel), ceil)
    return Outcome(
        (result,),
        attrs={
            "ksize": _filled(kernel, 3, 1),
            "strides": _filled(stride, 3, 1),
            "pads": geometry.both_sides(_filled(padding, 3, 0)),
            "ceil_mode": ceil,
            "count_include_pad": count_include_pad,
            "divisor_override": divisor,
            "data_format": "NCDHW",
        },
        inputs=(_image(shape, 3),),
        outputs=(_image(result, 3),),
    )


def adapted(shape: Ints, size: Ints) -> Ints:
    """The shape of an adaptive pool's result.

    Raises:
        ShapeError: There is nothing to pool.
        ValueRangeError: A negative length.
    """
    check(shape, 2)
    if min(size) < 0:
        raise ValueRangeError(f"output_size {list(size)} must not be negative")
    return (*shape[:2], *size)


def adaptive_average(operands: Sequence[Meta], size: Ints) -> Outcome:
    """Means of as many windows as are asked for; the channels are last."""
    batch, *lengths, channels = operands[0].shape
    adapted((batch, channels, *lengths), size)
    seen, given = _filled(tuple(lengths), 3, 1), _filled(size, 3, 1)
    return Outcome(
        ((batch, *size, channels),),
        attrs={"output_size": given},
        inputs=((batch, *seen, channels),),
        outputs=((batch, *given, channels),),
    )


def adaptive_largest(operands: Sequence[Meta], size: Ints) -> Outcome:
    """Largest elements of as many windows as are asked for, and their places in the flattened image."""
    shape = operands[0].shape
    result = adapted(shape, size)
    seen = _image(result, 3)
    return Outcome((result, result), attrs={"output_size": _filled(size, 3, 1)}, inputs=(_image(shape, 3),), outputs=(seen, seen))


_CUBE: Final = Format.NCDHW

MAX_POOL: Final = Row(
    "max_pool",
    "MaxPoolV3",
    (Input("x", format=Format.NCHW),),
    (Output("y", format=Format.NCHW),),
    largest,
    (
        Attr("ksize", "list_int"),
        Attr("strides", "list_int"),
        Attr("padding_mode", "string", "CALCULATED"),
        Attr("pads", "list_int", (0, 0, 0, 0)),
        Attr("data_format", "string", "NCHW"),
        Attr("global_pooling", "bool", False),
        Attr("ceil_mode", "bool", False),
    ),
    Kind.SAME,
    (d.float32, d.float16),
    {d.bfloat16: d.float32},
    numbers=False,
)
MAX_POOL_FOUND: Final = Row(
    "max_pool",
    "MaxPool3DWithArgmaxV2",
    (Input("x", format=_CUBE),),
    (Output("y", format=_CUBE), Output("argmax", d.int32, format=_CUBE)),
    largest_found,
    (
        Attr("ksize", "list_int"),
        Attr("strides", "list_int"),
        Attr("pads", "list_int"),
        Attr("dilation", "list_int", (1, 1, 1)),
        Attr("ceil_mode", "bool", False),
        Attr("data_format", "string", "NCDHW"),
    ),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
AVG_POOL: Final = Row(
    "avg_pool",
    "AvgPool3D",
    (Input("x", format=_CUBE),),
    (Output("y", format=_CUBE),),
    averaged,
    (
        Attr("ksize", "list_int"),
        Attr("strides", "list_int"),
        Attr("pads", "list_int"),
        Attr("ceil_mode", "bool", False),
        Attr("count_include_pad", "bool", True),
        Attr("divisor_override", "int", 0),
        Attr("data_format", "string", "NDHWC"),
    ),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
ADAPTIVE_AVG_POOL: Final = Row(
    "adaptive_avg_pool",
    "AdaptiveAvgPool3d",
    (Input("x", format=Format.NDHWC),),
    (Output("y", format=Format.NDHWC),),
    adaptive_average,
    (Attr("output_size", "list_int"), Attr("data_format", "string", "NDHWC")),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
"""The kernel takes the channels to be last, whatever `data_format` says (hicann/ops-nn, `adaptive_avg_pool3d_tiling.cpp`)."""
ADAPTIVE_MAX_POOL: Final = Row(
    "adaptive_max_pool",
    "AdaptiveMaxPool3d",
    (Input("x", format=_CUBE),),
    (Output("y", format=_CUBE), Output("indices", d.int32, format=_CUBE)),
    adaptive_largest,
    (Attr("output_size", "list_int"),),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
