"""Rows that give images other sizes or sample them at given places, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from ... import dtypes as d
from ...codes import Format
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE

Ints = tuple[int, ...]


def _image(shape: Ints, rank: int) -> Ints:
    """The shape that an image is described with: as many spatial dimensions as the layout has, those in front of length 1."""
    return (*shape[:2], *_filled(shape[2:], rank))


def _filled(sizes: Ints, rank: int) -> Ints:
    return (1,) * (rank - len(sizes)) + sizes


def _sized(operands: Sequence[Meta], size: Ints, rank: int, **more: object) -> Outcome:
    shape = operands[0].shape
    result = (*shape[:2], *size)
    return Outcome((result,), inputs=(_image(shape, rank),), outputs=(_image(result, rank),), **more)  # type: ignore[arg-type]


def nearest(operands: Sequence[Meta], size: Ints) -> Outcome:
    """The element nearest to each place; the size is a constant."""
    return _sized(operands, size, 2, constants={"size": _filled(size, 2)})


def bilinear(operands: Sequence[Meta], size: Ints, corners: bool) -> Outcome:
    """Between four elements."""
    kept = d.float16 if operands[0].dtype is d.float16 else d.float32
    attrs = {"align_corners": corners, "half_pixel_centers": not corners, "dtype": kept}
    return _sized(operands, size, 2, constants={"size": size}, attrs=attrs)


def resized(operands: Sequence[Meta], size: Ints, mode: str, corners: bool) -> Outcome:
    """Linear along the last dimension, or cubic along two."""
    transformation = "align_corners" if corners else "half_pixel"
    scales = (size[0] / operands[0].shape[-1],) if mode == "linear" else (0.0, 0.0)  # one for each size, 0 for their ratio (op-plugin)
    attrs = {"sizes": size, "scales": scales, "mode": mode, "coordinate_transformation_mode": transformation}
    return _sized(operands, size, 2, attrs=attrs)


def volume(operands: Sequence[Meta], size: Ints) -> Outcome:
    """The element nearest to each place; the size is an attribute."""
    return _sized(operands, size, 3, attrs={"output_size": _filled(size, 3)})


def trilinear(operands: Sequence[Meta], size: Ints, corners: bool) -> Outcome:
    """Between eight elements."""
    return _sized(operands, size, 3, attrs={"output_size": size, "align_corners": corners})


def sampled(operands: Sequence[Meta], mode: str, padding: str, corners: bool) -> Outcome:
    """An image of (batch, channels, ...) at the places of a grid (batch, ..., coordinates)."""
    input, grid = operands[0].shape, operands[1].shape
    if len(grid) != len(input) or grid[-1] != len(input) - 2:
        raise ShapeError(
            f"a grid of shape {list(grid)} does not fit an image of shape {list(input)}: it needs {len(input) - 2} coordinates"
        )
    if grid[0] != input[0]:
        raise ShapeError(f"a grid of shape {list(grid)} is for {grid[0]} images, the input has {input[0]}")
    if 0 in input[2:]:
        raise ShapeError(f"an image of shape {list(input)} has no elements to sample")
    attrs = {"interpolation_mode": mode, "padding_mode": padding, "align_corners": corners}
    return Outcome(((*input[:2], *grid[1:-1]),), attrs=attrs)


def affine(operands: Sequence[Meta], size: Ints, corners: bool) -> Outcome:
    """The places that a matrix for each image moves the places of a grid to."""
    theta, rank = operands[0].shape, len(size) - 2
    if theta != (size[0], rank, rank + 1):
        raise ShapeError(f"theta of shape {list(theta)} does not fit size {list(size)}: {[size[0], rank, rank + 1]} is needed")
    return Outcome(
        ((size[0], *size[2:], rank),),
        constants={"output_size": size},
        attrs={"align_corners": corners},
        outputs=((size[0], prod(size[2:]), rank),),
    )


_NCHW: Final = Input("x", format=Format.NCHW)
_NCHW_OUT: Final = Output("y", format=Format.NCHW)
_NCDHW: Final = Input("x", format=Format.NCDHW)
_NCDHW_OUT: Final = Output("y", format=Format.NCDHW)
_HALF: Final = {d.bfloat16: d.float32}

RESIZE_NEAREST: Final = Row(
    "interpolate",
    "ResizeNearestNeighborV2",
    (_NCHW, Input("size", "const", d.int32)),
    (_NCHW_OUT,),
    nearest,
    (Attr("align_corners", "bool", False), Attr("half_pixel_centers", "bool", False)),
    Kind.SAME,
    (*HALVES_AND_SINGLE, d.float64, d.uint8, d.int8, d.int16, d.int32, d.int64),
    numbers=False,
)
RESIZE_BILINEAR: Final = Row(
    "interpolate",
    "ResizeBilinearV2",
    (_NCHW, Input("size", "const", d.int32)),
    (_NCHW_OUT,),
    bilinear,
    (Attr("align_corners", "bool", False), Attr("half_pixel_centers", "bool", False), Attr("dtype", "data_type", 0)),
    Kind.SAME,
    (d.float32, d.float16),
    _HALF,
    numbers=False,
)
RESIZE: Final = Row(
    "interpolate",
    "ResizeD",
    (_NCHW,),
    (_NCHW_OUT,),
    resized,
    (
        Attr("sizes", "list_int"),
        Attr("scales", "list_float", ()),
        Attr("roi", "list_int", ()),
        Attr("coordinate_transformation_mode", "string", "half_pixel"),
        Attr("cubic_coeff_a", "float", -0.75),
        Attr("exclude_outside", "int", 0),
        Attr("extrapolation_value", "float", 0.0),
        Attr("mode", "string", "nearest"),
        Attr("nearest_mode", "string", "round_prefer_floor"),
        Attr("data_format", "string", "NCHW"),
    ),
    Kind.SAME,
    (d.float32, d.float16),
    _HALF,
    numbers=False,
)
UPSAMPLE_NEAREST: Final = Row(
    "interpolate",
    "UpsampleNearest3d",
    (_NCDHW,),
    (_NCDHW_OUT,),
    volume,
    (Attr("output_size", "list_int", ()), Attr("scales", "list_float", ())),
    Kind.SAME,
    (*HALVES_AND_SINGLE, d.float64, d.uint8),
    numbers=False,
)
UPSAMPLE_NEAREST_EXACT: Final = Row(
    "interpolate",
    "UpsampleNearestExact3d",
    (_NCDHW,),
    (_NCDHW_OUT,),
    volume,
    (Attr("output_size", "list_int"), Attr("scales", "list_float", (0.0, 0.0, 0.0))),
    Kind.SAME,
    HALVES_AND_SINGLE,
    numbers=False,
)
UPSAMPLE_TRILINEAR: Final = Row(
    "interpolate",
    "UpsampleTrilinear3d",
    (_NCDHW,),
    (_NCDHW_OUT,),
    trilinear,
    (Attr("output_size", "list_int", ()), Attr("scales", "list_float", ()), Attr("align_corners", "bool", False)),
    Kind.SAME,
    (d.float32, d.float16, d.float64),
    _HALF,
    numbers=False,
)
GRID_SAMPLE: Final = Row(
    "grid_sample",
    "GridSampler2D",
    (_NCHW, Input("grid")),
    (_NCHW_OUT,),
    sampled,
    (Attr("interpolation_mode", "string", "bilinear"), Attr("padding_mode", "string", "zeros"), Attr("align_corners", "bool", False)),
    Kind.SAME,
    (d.float32, d.float16, d.float64),
    _HALF,
    identity=0,
    numbers=False,
)
GRID_SAMPLE_3D: Final = Row(
    "grid_sample",
    "GridSampler3D",
    (_NCDHW, Input("grid")),
    (_NCDHW_OUT,),
    sampled,
    (
        Attr("interpolation_mode", "string", "bilinear"),
        Attr("padding_mode", "string", "zeros"),
        Attr("data_format", "string", "NCDHW"),
        Attr("align_corners", "bool", False),
    ),
    Kind.SAME,
    (d.float32, d.float16, d.float64),
    _HALF,
    identity=0,
    numbers=False,
)
AFFINE_GRID: Final = Row(
    "affine_grid",
    "AffineGrid",
    (Input("theta"), Input("output_size", "const", d.int32)),
    (Output("y"),),
    affine,
    (Attr("align_corners", "bool", False),),
    Kind.FLOAT_ONLY,
    HALVES_AND_SINGLE,
    numbers=False,
)
