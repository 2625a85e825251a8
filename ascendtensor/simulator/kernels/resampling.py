"""Images in other sizes, and samples of images at given places.

Resizing takes a few elements of each axis times a weight, one axis after the other, the last one first: so the later passes run along whole
rows. Half types are computed as float32. Sources: operator prototypes of image_ops.h and transformation_ops.h, CANN 8.1.RC1; what they
leave open is PyTorch's, whose functions they are made for (`like` in the prototypes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.operands import known_ints, needs, raw, type_code, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel, layout
from ascendtensor.simulator.kernels.threads import shared

layout("NCHW", "ResizeNearestNeighborV2", "ResizeBilinearV2", "ResizeD")

_BLOCK: Final = 1 << 17
"""Elements that are worked on at once."""
_LARGE: Final = 1 << 21
"""Elements of a result from which both cores are worth it."""
_CUBIC: Final = -0.75

Taps = list[tuple[Array, Array | None]]
"""For one axis: which elements each place of the result takes, and their weights (None: as they are)."""


def _scale(size: int, number: int, corners: bool, given: float = 0.0) -> Any:
    """Elements of the image for one place of the result; `given` is a factor of enlargement, 0 for that of the sizes."""
    if corners:
        return np.float32((size - 1) / (number - 1) if number > 1 else 0)
    return np.float32(1.0 / given if given > 0 else size / number)


def _nearest(size: int, number: int, corners: bool, centers: bool, given: float = 0.0) -> Taps:
    at = np.arange(number, dtype=np.float32)
    scale = _scale(size, number, corners, given)
    found = np.rint(at * scale) if corners else np.floor((at + np.float32(0.5)) * scale) if centers else np.floor(at * scale)
    return [(np.minimum(found, size - 1).astype(np.intp), None)]


def _sources(size: int, number: int, corners: bool, centers: bool, work: Any) -> Array:
    at = np.arange(number, dtype=work)
    scale = work(_scale(size, number, corners)) if work is np.float32 or corners else work(size) / work(number)
    if corners and work is np.float64:
        scale = work((size - 1) / (number - 1)) if number > 1 else work(0)
    half = work(0.5)
    found: Array = (at + half) * scale - half if centers and not corners else at * scale
    return found


def _linear(size: int, number: int, corners: bool, centers: bool, work: Any = np.float32) -> Taps:
    source = np.maximum(_sources(size, number, corners, centers, work), work(0))
    low = np.minimum(source.astype(np.intp), size - 1)
    weight = (source - low).astype(work)
    return [(low, work(1) - weight), (np.minimum(low + 1, size - 1), weight)]


def _cubic_weights(part: Array, factor: float) -> list[Array]:
    """Weights of the elements at -1, 0, 1 and 2 from a place that is `part` behind 0."""

    def near(x: Array) -> Array:
        return ((factor + 2) * x - (factor + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((factor * x - 5 * factor) * x + 8 * factor) * x - 4 * factor

    return [each.astype(part.dtype) for each in (far(part + 1), near(part), near(1 - part), far(2 - part))]


def _cubic(size: int, number: int, corners: bool, factor: float) -> Taps:
    source = _sources(size, number, corners, True, np.float32)
    low = np.floor(source)
    weights = _cubic_weights(source - low, factor)
    return [(np.clip(low.astype(np.intp) + step - 1, 0, size - 1), weight) for step, weight in enumerate(weights)]


def _resized(block: Array, taps: Sequence[Taps]) -> Array:
    """A block with its last axes resampled."""
    for back, parts in enumerate(reversed(taps), 1):
        axis = block.ndim - back
        total: Array | None = None
        for places, weights in parts:
            taken = np.take(block, places, axis=axis)
            if weights is not None:
                np.multiply(taken, weights.reshape(-1, *(1,) * (back - 1)), out=taken)
            if total is None:
                total = taken
            else:
                np.add(total, taken, out=total)
        assert total is not None
        block = total
    return block


def _resample(x: Array, out: Array, taps: Sequence[Taps], moved: bool = False) -> None:
    """Resamples the last axes in blocks of channels; `moved` where elements are only copied."""
    rank = len(taps)
    source, target = ((raw(each) if moved else each).reshape(-1, *each.shape[each.ndim - rank :]) for each in (x, out))
    step = max(1, _BLOCK // max(math.prod(target.shape[1:]), 1))

    def work(start: int, stop: int) -> None:
        for number in range(start, stop):
            part = slice(number * step, (number + 1) * step)
            block = source[part] if moved else float32_of(source[part])
            result = _resized(block, taps)
            if moved:
                np.copyto(target[part], result)
            else:
                store(result, target[part])

    shared(-(-source.shape[0] // step), work, out.size >= _LARGE)


@kernel("ResizeNearestNeighborV2")
def _resize_nearest(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = needs(inputs[0], "x"), outputs[0]
    modes = (bool(attrs["align_corners"]), bool(attrs["half_pixel_centers"]))
    _resample(x, out, [_nearest(x.shape[axis], out.shape[axis], *modes) for axis in (2, 3)], moved=True)


@kernel("ResizeBilinearV2")
def _resize_bilinear(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = needs(inputs[0], "x"), outputs[0]
    modes = (bool(attrs["align_corners"]), bool(attrs["half_pixel_centers"]))
    _resample(x, out, [_linear(x.shape[axis], out.shape[axis], *modes) for axis in (2, 3)])


@kernel("ResizeD")
def _resize(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Linear (along the last axis, where the others keep their length) or cubic."""
    x, out = needs(inputs[0], "x"), outputs[0]
    corners = attrs["coordinate_transformation_mode"] == "align_corners"
    if attrs["mode"] == "cubic":
        factor = float(attrs["cubic_coeff_a"])
        _resample(x, out, [_cubic(x.shape[axis], out.shape[axis], corners, factor) for axis in (2, 3)])
    else:
        _resample(x, out, [_linear(x.shape[3], out.shape[3], corners, True)])


@kernel("UpsampleTrilinear3d")
def _trilinear(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = needs(inputs[0], "x"), outputs[0]
    work = np.float64 if x.dtype == np.float64 else np.float32
    _resample(x, out, [_linear(x.shape[axis], out.shape[axis], bool(attrs["align_corners"]), True, work) for axis in (2, 3, 4)])


@kernel("UpsampleNearest3d")
def _nearest_volume(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _volume(inputs, outputs, attrs, False)


@kernel("UpsampleNearestExact3d")
def _nearest_exact_volume(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _volume(inputs, outputs, attrs, True)


def _volume(inputs: Inputs, outputs: Outputs, attrs: Attrs, centers: bool) -> None:
    x, out = needs(inputs[0], "x"), outputs[0]
    scales = [*attrs["scales"], 0.0, 0.0, 0.0][:3]
    taps = [_nearest(x.shape[2 + at], out.shape[2 + at], False, centers, scales[at]) for at in range(3)]
    _resample(x, out, taps, moved=True)


# Samples at given places


def _unnormal(grid: Array, size: int, corners: bool) -> Array:
    """Coordinates in [-1, 1] as positions in the image."""
    one = grid.dtype.type(1)
    found: Array = (grid + one) / 2 * (size - 1) if corners else ((grid + one) * size - one) / 2
    return found


def _reflected(place: Array, size: int, corners: bool) -> Array:
    low, high = (0, 2 * (size - 1)) if corners else (-1, 2 * size - 1)
    if low == high:
        return np.zeros_like(place)
    start, span = low / 2, (high - low) / 2
    away = np.abs(place - start)
    extra, flips = np.fmod(away, span), np.floor(away / span)
    found: Array = np.where(flips % 2 == 0, extra + start, span - extra + start).astype(place.dtype)
    return found


def _inside(place: Array, size: int, padding: str, corners: bool) -> Array:
    """Positions brought into the image, as the padding mode says."""
    if padding == "reflection":
        place = _reflected(place, size, corners)
    return place if padding == "zeros" else np.clip(place, 0, size - 1)


Axis = list[tuple[Array, Array]]
"""Elements of one axis with their weights; those outside the image have weight 0 with padding by zeros."""


def _on_axis(coordinates: Array, size: int, mode: str, padding: str, corners: bool) -> Axis:
    place = _unnormal(coordinates, size, corners)
    if mode == "bicubic":
        low = np.floor(place)
        weights = _cubic_weights(place - low, _CUBIC)
        found = [(_inside(low + (step - 1), size, padding, corners), each) for step, each in enumerate(weights)]
    else:
        place = _inside(place, size, padding, corners)
        if mode == "nearest":
            found = [(np.rint(place), np.ones_like(place))]
        else:
            low = np.floor(place)
            found = [(low, low + 1 - place), (low + 1, place - low)]
    axis = []
    for elements, factors in found:
        outside = ~((elements >= 0) & (elements <= size - 1))
        axis.append((np.where(outside, 0, elements).astype(np.intp), np.where(outside, 0, factors).astype(place.dtype)))
    return axis


def _sampled(pixels: Array, finite: bool, size: Sequence[int], axes: Sequence[Axis], out: Array) -> None:
    """Sums of elements times weights: `pixels` (places of the image, channels), `out` (channels, points)."""
    steps = [math.prod(size[at + 1 :]) for at in range(len(axes))]
    total = np.zeros((out.shape[1], out.shape[0]), pixels.dtype)
    taken = np.empty_like(total)
    for number in np.ndindex(*map(len, axes)):
        chosen = [axis[at] for axis, at in zip(axes, number, strict=True)]
        places = sum(elements * step for (elements, _), step in zip(chosen, steps, strict=True))
        weight = chosen[0][1]
        for _, other in chosen[1:]:
            weight = weight * other
        np.take(pixels, places, axis=0, out=taken, mode="clip")
        if not finite:  # an element that is not taken may be infinite
            taken[weight == 0] = 0
        np.multiply(taken, weight[:, None], out=taken)
        np.add(total, taken, out=total)
    np.copyto(out, total.T, casting="unsafe")


def _grid_sample(x: Array, grid: Array, out: Array, attrs: Attrs) -> None:
    mode, padding, corners = attrs["interpolation_mode"], attrs["padding_mode"], bool(attrs["align_corners"])
    rank = x.ndim - 2
    image, places = float32_of(x), float32_of(grid).reshape(x.shape[0], -1, rank)
    flat = out.reshape(*out.shape[:2], -1)
    step = max(1, _BLOCK // max(x.shape[1], 1))

    def work(start: int, stop: int) -> None:
        for at in range(start, stop):
            pixels = np.ascontiguousarray(image[at].reshape(x.shape[1], -1).T)
            finite = bool(np.isfinite(pixels).all())
            for first in range(0, places.shape[1], step):
                part = slice(first, first + step)
                # The last coordinate is that of the first axis.
                coordinates = [places[at, part, rank - 1 - axis] for axis in range(rank)]
                axes = [_on_axis(each, x.shape[2 + axis], mode, padding, corners) for axis, each in enumerate(coordinates)]
                _sampled(pixels, finite, x.shape[2:], axes, flat[at][:, part])

    shared(x.shape[0], work, out.size >= _LARGE // 4)


@kernel("GridSampler2D", "GridSampler3D")
def _grid_sampler(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _grid_sample(needs(inputs[0], "x"), needs(inputs[1], "grid"), outputs[0], attrs)


def _base(size: int, corners: bool) -> Array:
    """Coordinates of an axis in [-1, 1]."""
    if size == 1:
        return np.zeros(1, np.float32)
    ends = np.linspace(-1, 1, size, dtype=np.float32)
    return ends if corners else ends * np.float32((size - 1) / size)


@kernel("AffineGrid")
def _affine_grid(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """(batch, points, coordinates): the matrix times (x, y, ..., 1), the last axis of the image first."""
    theta, size = float32_of(needs(inputs[0], "theta")), needs(inputs[1], "output_size").tolist()
    lines = [_base(length, bool(attrs["align_corners"])) for length in size[2:]]
    mesh = np.meshgrid(*lines, indexing="ij")
    points = np.stack([*(each.reshape(-1) for each in reversed(mesh)), np.ones(mesh[0].size, np.float32)], -1)
    store(np.ascontiguousarray(np.matmul(points, theta.swapaxes(1, 2))), outputs[0])


# Shape rules


def _image(x: Meta, dims: int) -> None:
    if len(x.shape) != dims:
        raise ValueError(f"x of shape {list(x.shape)} is not an image of {dims} dims")


def _of_size(x: Meta, size: Meta, dtype: int) -> list[Out]:
    if unknown(x):
        return [Out(dtype, UNKNOWN_RANK)]
    _image(x, 4)
    given = known_ints(size)
    if given is None:
        return [Out(dtype, (*x.shape[:2], -1, -1))]
    if len(given) != 2 or min(given) < 1:
        raise ValueError(f"size {given} must be two positive values")
    return [Out(dtype, (*x.shape[:2], *given))]


@infer("ResizeNearestNeighborV2")
def _resize_nearest_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _of_size(inputs[0], inputs[1], inputs[0].dtype)


@infer("ResizeBilinearV2")
def _resize_bilinear_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _of_size(inputs[0], inputs[1], type_code(attrs["dtype"]))


@infer("ResizeD")
def _resize_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    (x,) = inputs
    if attrs["coordinate_transformation_mode"] not in ("align_corners", "half_pixel"):
        raise ValueError(f"coordinate_transformation_mode {attrs['coordinate_transformation_mode']} has no kernel")
    if attrs["mode"] not in ("cubic", "linear") or attrs["data_format"] != "NCHW" or abs(attrs["cubic_coeff_a"] - _CUBIC) > 1e-6:
        raise ValueError("kernels exist for mode cubic (cubic_coeff_a -0.75) and linear, data_format NCHW")
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    _image(x, 4)
    sizes = [int(value) for value in attrs["sizes"]]
    linear = attrs["mode"] == "linear"
    if len(sizes) != (1 if linear else 2) or min(sizes) < 1:  # (canndev, ops/built-in/op_proto/image_ops.cc, ResizeDInferShape)
        raise ValueError(f"sizes {sizes} must be {'one positive value' if linear else 'two positive values'} in mode {attrs['mode']}")
    if linear and x.shape[2] not in (1, -1):
        raise ValueError(f"mode linear works along the last axis, not on x of shape {list(x.shape)}")
    return [Out(x.dtype, (*x.shape[: 4 - len(sizes)], *sizes))]


@infer("UpsampleTrilinear3d", "UpsampleNearest3d", "UpsampleNearestExact3d")
def _volume_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    (x,) = inputs
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    _image(x, 5)
    sizes = [int(value) for value in attrs["output_size"]]
    if len(sizes) != 3 or min(sizes) < 1:
        raise ValueError(f"output_size {sizes} must be three positive values")
    return [Out(x.dtype, (*x.shape[:2], *sizes))]


@infer("GridSampler2D", "GridSampler3D")
def _grid_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, grid = inputs
    if x.dtype != grid.dtype:
        raise ValueError("x and grid differ in data type")
    mode, padding = attrs["interpolation_mode"], attrs["padding_mode"]
    if mode not in ("bilinear", "nearest", "bicubic") or padding not in ("zeros", "border", "reflection"):
        raise ValueError(f"interpolation_mode {mode} with padding_mode {padding} has no kernel")
    if unknown(x) or unknown(grid):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if len(x.shape) not in (4, 5) or len(grid.shape) != len(x.shape) or grid.shape[-1] not in (len(x.shape) - 2, -1):
        raise ValueError(f"a grid of shape {list(grid.shape)} does not fit x of shape {list(x.shape)}")
    if attrs["interpolation_mode"] == "bicubic" and len(x.shape) == 5:
        raise ValueError("bicubic is for images of 4 dims")
    if min(x.shape[0], grid.shape[0]) >= 0 and x.shape[0] != grid.shape[0]:
        raise ValueError(f"a grid of {grid.shape[0]} images for {x.shape[0]}")
    return [Out(x.dtype, (*x.shape[:2], *grid.shape[1:-1]))]


@infer("AffineGrid")
def _affine_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    theta, size = inputs
    given = known_ints(size)
    if given is None:
        return [Out(theta.dtype, (-1, -1, -1))]
    rank = len(given) - 2
    if rank not in (2, 3) or (not unknown(theta) and theta.shape not in ((given[0], rank, rank + 1), (-1, rank, rank + 1), (-1, -1, -1))):
        raise ValueError(f"theta of shape {list(theta.shape)} does not fit output_size {given}")
    return [Out(theta.dtype, (given[0], math.prod(given[2:]), rank))]
