"""Images in other sizes, and images sampled at given places.

One operator does the work where there is one for the dtype and the source places follow from the sizes. A `scale_factor` that is not the
ratio of the sizes, and dtypes without a kernel on the chip, go dimension by dimension: elements gathered by a table of places, times one of
weights. Both tables follow from the shapes alone.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, UnsupportedError, ValueRangeError
from .. import chips, gather, host, reduction, views
from ..arguments import checked, require_tensor
from ..call import call
from ..operands import filled
from ..pointwise import elementwise
from ..rules import geometry
from ..schema import Meta
from ..table import resampling as table
from . import pooling

T = TypeVar("T", bound=TensorBase)
Ints = tuple[int, ...]
Numbers = np.ndarray[Any, np.dtype[Any]]

_RANKS: Final = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "area": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
}
"""Modes and the numbers of spatial dimensions that they are for."""
_CORNERS: Final = ("linear", "bilinear", "bicubic", "trilinear")
_CUBIC: Final = -0.75


@checked
def interpolate(
    input: T,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> T:
    """Images in another size.

    Args:
        input: (batch, channels, ...) with one to three spatial dimensions, of floating dtype; for "nearest" also of integers.
        size: Spatial lengths of the result, or one int for all.
        scale_factor: By how much they grow, a number for all or one for each; this or `size`.
        mode: "nearest", "nearest-exact", "area", "linear" (one spatial dimension), "bilinear", "bicubic" (two) or "trilinear" (three).
        align_corners: Whether the corner elements of image and result lie on each other; for the last four modes.
        recompute_scale_factor: Whether the ratio of the sizes, which are whole numbers, counts instead of `scale_factor`.
        antialias: Not there: True is refused.

    Returns:
        Tensor of the input's dtype.

    Raises:
        ShapeError: Another number of lengths than spatial dimensions, or an empty image.
        DTypeError: The dtype is not floating.
        ValueRangeError: Both or none of `size` and `scale_factor`, or arguments that the mode does not take.
        UnsupportedError: Another mode, a mode for another number of dimensions, or `antialias`.

    Ascend operator: ResizeNearestNeighborV2, UpsampleNearest3d, UpsampleNearestExact3d, AdaptiveAvgPool3d, ResizeD, ResizeBilinearV2,
        UpsampleTrilinear3d; else GatherV2, Mul and Add. Like: torch.nn.functional.interpolate.

    Examples:
        >>> at.nn.functional.interpolate(at.tensor([[[[1.0, 3.0]]]]), size=(1, 3), mode="bilinear", align_corners=True)
        tensor([[[[1., 2., 3.]]]], device='npu:0')
    """
    sizes = input.desc.shape[2:]
    _check_mode(input, mode, align_corners, antialias)
    wanted, factors = _wanted(sizes, size, scale_factor, recompute_scale_factor)
    if min((*wanted, *input.desc.shape[1:])) < 1:
        raise ShapeError(f"an image of shape {list(input.desc.shape)} can't be given the size {list(wanted)}: both need elements")
    if mode == "area":
        return (pooling.adaptive_avg_pool1d, pooling.adaptive_avg_pool2d, pooling.adaptive_avg_pool3d)[len(sizes) - 1](input, wanted)
    if not input.desc.numel:
        return filled(input, (*input.desc.shape[:2], *wanted), 0)
    corners = bool(align_corners)
    exact = corners or factors is None or all(1 / by == old / new for by, old, new in zip(factors, sizes, wanted, strict=True))
    if exact:
        row, arguments = _operator(mode, wanted, corners)
        dtype = row.via.get(input.desc.dtype, input.desc.dtype)
        if dtype in row.dtypes and not chips.lacks(row, dtype):
            return call(row, (input,), arguments)
    return _by_tables(input, wanted, mode, corners, None if exact else factors)


@checked
def upsample(input: T, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None) -> T:
    """`interpolate` by its old name. Ascend operator: as of it. Like: torch.nn.functional.upsample.

    Examples:
        >>> at.nn.functional.upsample(at.tensor([[[[1.0, 3.0]]]]), scale_factor=2)
        tensor([[[[1., 1., 3., 3.],
                  [1., 1., 3., 3.]]]], device='npu:0')
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@checked
def upsample_nearest(input: T, size: Any = None, scale_factor: Any = None) -> T:
    """`interpolate` with the mode "nearest". Ascend operator: as of it. Like: torch.nn.functional.upsample_nearest.

    Examples:
        >>> at.nn.functional.upsample_nearest(at.tensor([[[[1.0, 3.0]]]]), scale_factor=2)
        tensor([[[[1., 1., 3., 3.],
                  [1., 1., 3., 3.]]]], device='npu:0')
    """
    return interpolate(input, size, scale_factor, "nearest")


@checked
def upsample_bilinear(input: T, size: Any = None, scale_factor: Any = None) -> T:
    """`interpolate` with the mode "bilinear" and `align_corners=True`. Ascend operator: as of it.

    Like: torch.nn.functional.upsample_bilinear.

    Examples:
        >>> at.nn.functional.upsample_bilinear(at.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
        tensor([[[[1., 2., 3.]]]], device='npu:0')
    """
    return interpolate(input, size, scale_factor, "bilinear", True)


def _check_mode(input: TensorBase, mode: str, align_corners: bool | None, antialias: bool) -> None:
    rank = len(input.desc.shape) - 2
    if antialias:
        raise UnsupportedError("antialias=True has no operator", advice="Use avg_pool2d before, or mode='area', to make images smaller.")
    if rank not in (1, 2, 3):
        text = f"an input of 3 to 5 dimensions (images, channels, lengths) is needed, not of shape {list(input.desc.shape)}"
        raise UnsupportedError(text, advice="unsqueeze() adds dimensions of length 1.")
    if rank not in _RANKS.get(mode, ()):
        known = ", ".join(name for name, ranks in _RANKS.items() if rank in ranks) or "none"
        raise UnsupportedError(f"mode {mode!r} is not for an input of shape {list(input.desc.shape)}; modes for it: {known}")
    if align_corners is not None and mode not in _CORNERS:
        raise ValueRangeError(f"align_corners is for the modes {', '.join(_CORNERS)}, not for {mode!r}")
    if mode not in ("nearest", "nearest-exact"):
        reduction.floating(input, "interpolate")
    if input.desc.dtype.is_complex or input.desc.dtype is d.bool_:
        raise DTypeError(f"images are of real numbers, not {input.desc.dtype.name}").with_context("interpolate", (input,))


def _wanted(sizes: Ints, size: Any, scale_factor: Any, recompute: bool | None) -> tuple[Ints, tuple[float, ...] | None]:
    """Lengths of the result, and the factors that its source places follow from, None for the ratio of the sizes."""
    if (size is None) == (scale_factor is None):
        raise ValueRangeError(f"{'one' if size is None else 'only one'} of size and scale_factor must be given")
    if size is not None:
        if recompute:
            raise ValueRangeError("recompute_scale_factor is for scale_factor, not for size")
        if not hasattr(size, "__index__") and len(size) != len(sizes):
            raise ShapeError(f"size {list(size)} must have {len(sizes)} lengths, as many as {list(sizes)}")
        return geometry.ints(size, len(sizes), "size"), None
    if isinstance(scale_factor, str):
        raise DTypeError(f"scale_factor must be a number or {len(sizes)}, not {scale_factor!r}")
    given = (scale_factor,) * len(sizes) if hasattr(scale_factor, "__float__") else tuple(scale_factor)
    if len(given) != len(sizes):
        raise ShapeError(f"scale_factor {list(given)} must have {len(sizes)} numbers, as many as {list(sizes)}")
    factors = tuple(map(float, given))
    wanted = tuple(math.floor(length * factor) for length, factor in zip(sizes, factors, strict=True))
    return wanted, None if recompute else factors


def _operator(mode: str, size: Ints, corners: bool) -> tuple[Any, tuple[Any, ...]]:
    """The row of a mode, and the arguments of its rule."""
    if mode == "nearest":
        return (table.UPSAMPLE_NEAREST if len(size) == 3 else table.RESIZE_NEAREST), (size,)
    if mode == "nearest-exact":
        return table.UPSAMPLE_NEAREST_EXACT, (size,)
    if mode == "bilinear":
        return table.RESIZE_BILINEAR, (size, corners)
    if mode == "trilinear":
        return table.UPSAMPLE_TRILINEAR, (size, corners)
    return table.RESIZE, (size, "cubic" if mode == "bicubic" else "linear", corners)


def _by_tables(input: T, size: Ints, mode: str, corners: bool, factors: tuple[float, ...] | None) -> T:
    """Dimension by dimension, from the last one, which is cheapest while the others are still short."""
    wide = reduction.widened(input) if mode in _CORNERS else input
    work = np.float64 if wide.desc.dtype is d.float64 else np.float32
    for at in reversed(range(len(size))):
        dim, length = 2 + at, input.desc.shape[2 + at]
        scale = 1 / factors[at] if factors else length / size[at]
        total: Any = None
        for places, weights in _taps(mode, length, size[at], corners, scale, work):
            part = gather.index_select(wide, dim, host.upload(places, d.int64, input.desc.device))
            if weights is not None:
                column = weights.reshape(-1, *(1,) * (len(size) - at - 1)).astype(work)
                part = elementwise.mul(part, host.upload(column, wide.desc.dtype, input.desc.device))
            total = part if total is None else elementwise.add(total, part)
        wide = total
    return reduction.narrowed(wide, input) if mode in _CORNERS else wide


def _taps(mode: str, length: int, number: int, corners: bool, scale: float, work: Any) -> list[tuple[Numbers, Numbers | None]]:
    """Which elements each place of the result takes along one dimension, and their weights."""
    if mode in ("nearest", "nearest-exact"):
        half = np.float32(0.5 if mode == "nearest-exact" else 0)
        source = np.floor((np.arange(number, dtype=np.float32) + half) * np.float32(scale))
        return [(np.minimum(source, length - 1).astype(np.int64), None)]
    at = np.arange(number, dtype=work)
    apart = (length - 1) / max(number - 1, 1)
    source = at * work(apart) if corners else (at + work(0.5)) * work(scale) - work(0.5)
    if mode == "bicubic":
        low = np.floor(source)
        weights = _cubic(source - low)
        return [(np.clip(low + step - 1, 0, length - 1).astype(np.int64), weight) for step, weight in enumerate(weights)]
    source = np.maximum(source, 0)
    first = np.minimum(source.astype(np.int64), length - 1)
    part = source - first
    return [(first, 1 - part), (np.minimum(first + 1, length - 1), part)]


def _cubic(part: Numbers) -> list[Numbers]:
    """Weights of the elements at -1, 0, 1 and 2 from a place that is `part` behind 0: Keys' kernel with a slope of -0.75."""

    def near(x: Numbers) -> Numbers:
        return ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1

    def far(x: Numbers) -> Numbers:
        return ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC

    return [far(part + 1), near(part), near(1 - part), far(2 - part)]


# Sampling


@checked
def grid_sample(input: T, grid: T, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> T:
    """An image at given places.

    Args:
        input: (batch, channels, height, width), or (batch, channels, depth, height, width), of floating dtype.
        grid: (batch, ..., 2) or (batch, ..., 3) of the same dtype: for each place of the result its coordinates x, y (and z) in the image,
            -1 and 1 being its ends.
        mode: "bilinear" (trilinear for volumes), "nearest", or "bicubic" (for images only).
        padding_mode: What lies outside: "zeros", "border" (the nearest element), or "reflection".
        align_corners: Whether -1 and 1 are the centres of the corner elements, not their outer edges; False by default.

    Returns:
        (batch, channels, ...), the last lengths being those of the grid.

    Raises:
        ShapeError: The grid does not fit the image, or the image is empty.
        DTypeError: The dtypes differ or are not floating.
        ValueRangeError: Another mode or padding mode.
        UnsupportedError: "bicubic" for a volume.

    Ascend operator: GridSampler2D, GridSampler3D. Like: torch.nn.functional.grid_sample.

    Examples:
        >>> image = at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> at.nn.functional.grid_sample(image, at.zeros(1, 1, 1, 2), align_corners=True)
        tensor([[[[2.5000]]]], device='npu:0')
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueRangeError(f"mode is {mode!r}; it is 'bilinear', 'nearest' or 'bicubic'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueRangeError(f"padding_mode is {padding_mode!r}; it is 'zeros', 'border' or 'reflection'")
    rank = len(input.desc.shape) - 2
    if rank not in (2, 3):
        raise ShapeError(f"an input of 4 or 5 dimensions is needed, not of shape {list(input.desc.shape)}")
    if rank == 3 and mode == "bicubic":
        raise UnsupportedError("mode 'bicubic' is for inputs of 4 dimensions", advice="Use 'bilinear', which is trilinear for volumes.")
    reduction.floating(input, "grid_sample")
    require_tensor(grid, "grid", "grid_sample")
    row = table.GRID_SAMPLE if rank == 2 else table.GRID_SAMPLE_3D
    return call(row, (input, grid), (mode, padding_mode, bool(align_corners)))


@checked
def grid_sampler(input: T, grid: T, interpolation_mode: int, padding_mode: int, align_corners: bool) -> T:
    """`grid_sample` with numbers for the modes: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2 reflection.

    Ascend operator: GridSampler2D, GridSampler3D. Like: torch.grid_sampler.

    Examples:
        >>> image = at.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> at.grid_sampler(image, at.zeros(1, 1, 1, 2), 0, 0, True)
        tensor([[[[2.5000]]]], device='npu:0')
    """
    if interpolation_mode not in range(3) or padding_mode not in range(3):
        raise ValueRangeError(f"interpolation_mode {interpolation_mode} and padding_mode {padding_mode} must be 0, 1 or 2")
    mode, padding = ("bilinear", "nearest", "bicubic")[interpolation_mode], ("zeros", "border", "reflection")[padding_mode]
    return grid_sample(input, grid, mode, padding, align_corners)


@checked
def affine_grid(theta: T, size: Sequence[int], align_corners: bool | None = None) -> T:
    """The grid that `grid_sample` turns, scales and moves images with.

    Args:
        theta: (batch, 2, 3) or (batch, 3, 4) matrices of floating dtype.
        size: Shape of the images that are made, (batch, channels, height, width) or (batch, channels, depth, height, width).
        align_corners: As for `grid_sample`.

    Returns:
        (batch, height, width, 2) or (batch, depth, height, width, 3).

    Raises:
        ShapeError: `theta` does not fit `size`.
        DTypeError: The dtype is not floating.
        ValueRangeError: A length below 1.
        UnsupportedError: `size` of other than 4 or 5 lengths.

    Ascend operator: AffineGrid; Mul and Add for float64. Like: torch.nn.functional.affine_grid.

    Examples:
        >>> at.nn.functional.affine_grid(at.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 2, 2), align_corners=True)[0, 0]
        tensor([[-1., -1.],
                [ 1., -1.]], device='npu:0')
    """
    lengths = geometry.ints(size, len(size), "size")
    if len(lengths) not in (4, 5):
        raise UnsupportedError(f"size {list(lengths)} must have 4 or 5 lengths, for images or volumes")
    reduction.floating(theta, "affine_grid")
    geometry.positive(lengths, "size")
    corners = bool(align_corners)
    if theta.desc.dtype is not d.float64:
        return call(table.AFFINE_GRID, (theta,), (lengths, corners))
    table.affine((Meta(theta.desc.shape, theta.desc.dtype),), lengths, corners)
    return _moved(theta, lengths, corners)


@checked
def affine_grid_generator(theta: T, size: Sequence[int], align_corners: bool) -> T:
    """`affine_grid` by another name. Ascend operator: AffineGrid. Like: torch.affine_grid_generator.

    Examples:
        >>> at.affine_grid_generator(at.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 2, 2), True)[0, 0]
        tensor([[-1., -1.],
                [ 1., -1.]], device='npu:0')
    """
    return affine_grid(theta, size, align_corners)


def _moved(theta: T, size: Ints, corners: bool) -> T:
    """The matrix times coordinates, one column after the other: that of x runs along the last dimension."""
    rank = len(size) - 2
    columns = [views.reshape(views.select(theta, 2, at), (size[0], *(1,) * rank, rank)) for at in range(rank + 1)]
    total = columns[rank]
    for at in range(rank):
        length = size[-1 - at]
        ends = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        places = (ends if corners else ends * (length - 1) / length).reshape(-1, *(1,) * (at + 1))
        total = elementwise.add(elementwise.mul(host.upload(places, d.float64, theta.desc.device), columns[at]), total)
    return total
