"""Test records of images in other sizes, sampled images, and channels as places."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from harness import SAME, Array, Record, Refused, With, array

from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import folding, resampling
from ascendtensor.ops.table import resampling as table

FLOATS = (d.float32, d.float16, d.bfloat16, d.float64)
STEPS = {d.float32: (2e-5, 2e-5), d.float16: (4e-3, 6e-3), d.bfloat16: (2e-2, 5e-2), d.float64: (1e-6, 1e-6)}


def keys(part: Array) -> list[Array]:
    """The cubic kernel's weights, as its definition says."""

    def weight(distance: Array) -> Array:
        x = np.abs(distance)
        return np.where(x <= 1, 1.25 * x**3 - 2.25 * x**2 + 1, np.where(x < 2, -0.75 * (x**3 - 5 * x**2 + 8 * x - 4), 0))

    return [weight(part + 1), weight(part), weight(part - 1), weight(part - 2)]


def resampled(x: Array, axis: int, number: int, mode: str, corners: Any, factor: float | None) -> Array:
    size = x.shape[axis]
    at = np.arange(number)
    scale = 1 / factor if factor else size / number
    shape = [1] * x.ndim
    shape[axis] = number

    def taken(places: Array, weights: Any = 1.0) -> Array:
        found = np.take(x, np.clip(places, 0, size - 1).astype(int), axis)
        return found if np.ndim(weights) == 0 else found * np.reshape(weights, shape)

    if mode.startswith("nearest"):
        return taken(np.floor((at + (0.5 if mode == "nearest-exact" else 0)) * np.float32(scale)))
    source = at * ((size - 1) / (number - 1) if number > 1 else 0) if corners else (at + 0.5) * scale - 0.5
    if mode == "bicubic":
        low = np.floor(source)
        return sum(taken(low + step - 1, weight) for step, weight in enumerate(keys(source - low)))
    source = np.maximum(source, 0)
    low = np.floor(source)
    return taken(low, 1 - (source - low)) + taken(low + 1, source - low)


def interpolate(
    x: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
) -> Array:
    rank = x.ndim - 2
    if rank not in (1, 2, 3) or not all(x.shape[2:]):
        raise ValueError(f"{x.shape} is no image")
    factors = None if scale_factor is None else [scale_factor] * rank if isinstance(scale_factor, (int, float)) else list(scale_factor)
    if factors is None:
        sizes = [size] * rank if isinstance(size, int) else list(size)
    else:
        sizes = [int(np.floor(length * by)) for length, by in zip(x.shape[2:], factors, strict=True)]
    for axis in range(rank):
        factor = None if factors is None or recompute_scale_factor else factors[axis]
        if mode == "area":
            cuts = [(i * x.shape[2 + axis] // sizes[axis], -(-(i + 1) * x.shape[2 + axis] // sizes[axis])) for i in range(sizes[axis])]
            x = np.stack([np.take(x, range(*cut), 2 + axis).mean(2 + axis) for cut in cuts], 2 + axis)
        else:
            x = resampled(x, 2 + axis, sizes[axis], mode, align_corners, factor)
    return x


def resizes(mode: str, rank: int, corners: bool = False) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *(7, 6, 4)[:rank]))
        for kwargs in (
            {"size": (9, 4, 5)[:rank]},
            {"size": 3},
            {"scale_factor": 2},
            {"scale_factor": (1.7, 0.6, 2.3)[:rank]},
            {"scale_factor": 1.7, "recompute_scale_factor": True},
        ):
            yield With((x,), {"mode": mode, **kwargs})
            if corners:
                yield With((x,), {"mode": mode, "align_corners": True, **kwargs})
        yield With((x.swapaxes(0, -1),), {"mode": mode, "size": 5})
        yield With((x[:0],), {"mode": mode, "size": 5})

    return samples


def inside(place: Array, size: int, padding: str, corners: bool) -> Array:
    if padding == "reflection":
        low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
        span = high - low
        if span:
            away = np.abs(place - low) % (2 * span)
            place = np.where(away > span, 2 * span - away, away) + low
        else:
            place = np.zeros_like(place)
    return place if padding == "zeros" else np.clip(place, 0, size - 1)


def grid_sample(x: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False) -> Array:
    rank = x.ndim - 2
    if not x[0:1].size and x.shape[0]:
        raise ValueError(f"{x.shape} has nothing to sample")
    axes = []
    for axis, size in enumerate(x.shape[2:]):
        place = grid[..., rank - 1 - axis]
        place = (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2
        if mode == "bicubic":
            low = np.floor(place)
            taps = [(inside(low + step - 1, size, padding_mode, align_corners), weight) for step, weight in enumerate(keys(place - low))]
        else:
            place = inside(place, size, padding_mode, align_corners)
            low = np.floor(place)
            taps = [(np.rint(place), np.ones_like(place))] if mode == "nearest" else [(low, low + 1 - place), (low + 1, place - low)]
        axes.append(taps)
    result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for chosen in product(*axes):
        weight = np.prod([factor * ((at >= 0) & (at < size)) for (at, factor), size in zip(chosen, x.shape[2:], strict=True)], 0)
        index = tuple(np.nan_to_num(np.clip(at, 0, size - 1)).astype(int) for (at, _), size in zip(chosen, x.shape[2:], strict=True))
        for image in range(x.shape[0]):
            result[image] += x[image][(slice(None), *(each[image] for each in index))] * weight[image]
    return result


def grids(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *(5, 6, 4)[:rank]))
        # Eighths, so that half types have the same places.
        grid = (np.round(array(d.float64, (2, *(4, 5, 3)[:rank], rank), -1.5, 1.5) * 8) / 8 + 0.03125).astype(x.dtype)
        for mode in ("bilinear", "nearest", "bicubic")[: 4 - rank + 1]:
            for padding in ("zeros", "border", "reflection"):
                for corners in (False, True):
                    yield With((x, grid), {"mode": mode, "padding_mode": padding, "align_corners": corners})
        yield x[:0], grid[:0]
        yield x[:, :, :1], grid

    return samples


def base(size: int, corners: bool) -> Array:
    if size == 1:
        return np.zeros(1)
    return np.linspace(-1, 1, size) * (1 if corners else (size - 1) / size)


def affine_grid(theta: Array, size: Any, align_corners: bool = False) -> Array:
    if theta.shape != (size[0], len(size) - 2, len(size) - 1):
        raise ValueError(f"{theta.shape} does not fit {size}")
    lines = np.meshgrid(*(base(length, align_corners) for length in size[2:]), indexing="ij")
    points = np.stack([*lines[::-1], np.ones_like(lines[0])], -1)
    return np.einsum("...k,njk->n...j", points, theta)


def thetas(dtype: DType) -> Iterator[Any]:
    for corners in (False, True):
        yield With((array(dtype, (2, 2, 3)), (2, 3, 4, 5)), {"align_corners": corners})
        yield With((array(dtype, (2, 3, 4)), (2, 3, 4, 1, 2)), {"align_corners": corners})


def pixel_shuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    apart = x.reshape(math.prod(lead), channels // r**2, r, r, height, width)
    return np.einsum("ncijhw->nchiwj", apart).reshape(*lead, channels // r**2, height * r, width * r)


def pixel_unshuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    apart = x.reshape(math.prod(lead), channels, height // r, r, width // r, r)
    return np.einsum("nchiwj->ncijhw", apart).reshape(*lead, channels * r**2, height // r, width // r)


def channel_shuffle(x: Array, groups: int) -> Array:
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]).swapaxes(1, 2).reshape(x.shape)


X = np.zeros((1, 2, 4, 4), np.float32)
GRID = np.zeros((1, 3, 3, 2), np.float32)


def resize_refused() -> list[Refused]:
    return [
        Refused((X,), ValueError, "one of size and scale_factor"),
        Refused((X, 2, 2), ValueError, "only one"),
        Refused((X, (2, 3, 4)), ValueError, "2 lengths"),
        Refused((X,), ValueError, "2 numbers", {"scale_factor": (1.5,)}),
        Refused((X, 0), ValueError, r"size \[0, 0\]"),
        Refused((X[:, :0], 2), ValueError, r"\[1, 0, 4, 4\]"),
        Refused((X, 2), NotImplementedError, "'linear'.*modes for it: nearest", {"mode": "linear"}),
        Refused((X, 2), NotImplementedError, "'lanczos'", {"mode": "lanczos"}),
        Refused((X, 2), NotImplementedError, "antialias", {"mode": "bilinear", "antialias": True}),
        Refused((X, 2), ValueError, "align_corners", {"align_corners": True}),
        Refused((X, 2), ValueError, "recompute_scale_factor", {"recompute_scale_factor": True}),
        Refused((X.astype(np.uint8), 2), TypeError, "uint8", {"mode": "bilinear"}),
        Refused((X.astype(bool), 2), TypeError, "bool"),
        Refused((X.astype(np.complex64), 2), TypeError, "real numbers, not complex64"),
    ]


def grid_refused() -> list[Refused]:
    volume = np.zeros((1, 2, 3, 3, 3), np.float32)
    return [
        Refused((X, GRID[..., :1]), ValueError, "2 coordinates"),
        Refused((X, np.concatenate([GRID, GRID])), ValueError, "2 images"),
        Refused((X, GRID.astype(np.float64)), TypeError, "float64"),
        Refused((X, GRID), ValueError, "mode", {"mode": "cubic"}),
        Refused((X, GRID), ValueError, "padding_mode", {"padding_mode": "wrap"}),
        Refused((volume, np.zeros((1, 2, 2, 2, 3), np.float32)), NotImplementedError, "bicubic", {"mode": "bicubic"}),
        Refused((X[:, :, :0], GRID), ValueError, "no elements"),
        Refused((X.astype(np.int64), GRID.astype(np.int64)), TypeError, "int64"),
    ]


def affine_refused() -> list[Refused]:
    theta = np.zeros((1, 2, 3), np.float32)
    return [
        Refused((theta, (1, 3, 4)), NotImplementedError, "4 or 5"),
        Refused((theta, (2, 3, 4, 5)), ValueError, r"\[2, 2, 3\] is needed"),
        Refused((theta, (1, 3, 0, 5)), ValueError, "positive"),
        Refused((theta.astype(np.int64), (1, 3, 4, 5)), TypeError, "int64"),
    ]


ROWS = {
    "nearest": (table.RESIZE_NEAREST, table.UPSAMPLE_NEAREST),
    "nearest-exact": (table.UPSAMPLE_NEAREST_EXACT,),
    "bilinear": (table.RESIZE_BILINEAR,),
    "bicubic": (table.RESIZE,),
    "trilinear": (table.UPSAMPLE_TRILINEAR,),
}
RANKS = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "area": (1, 2),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
}


def modes() -> Iterator[Record]:
    for mode, ranks in RANKS.items():
        for rank in ranks:
            dtypes = (
                (*FLOATS, d.uint8)
                if mode.startswith("nearest") and rank != 1
                else FLOATS
                if rank == len(ranks) or rank == 2
                else FLOATS[:1]
            )
            samples = resizes(mode, rank, mode.endswith(("linear", "cubic")))
            refused = resize_refused if mode == "bilinear" else tuple
            name = f"interpolate.{mode}{rank}d"
            yield Record(name, resampling.interpolate, interpolate, samples, ROWS.get(mode, ()), dtypes, SAME, STEPS, refused=refused)


MOVED = (d.float32, d.bfloat16, d.float64, d.uint8, d.bool_)
RECORDS = [
    *modes(),
    Record("grid_sample", resampling.grid_sample, grid_sample, grids(2), (table.GRID_SAMPLE,), FLOATS, SAME, STEPS, refused=grid_refused),
    Record("grid_sample.volume", resampling.grid_sample, grid_sample, grids(3), (table.GRID_SAMPLE_3D,), FLOATS, SAME, STEPS),
    Record("affine_grid", resampling.affine_grid, affine_grid, thetas, (table.AFFINE_GRID,), FLOATS, SAME, STEPS, refused=affine_refused),
    Record(
        "pixel_shuffle",
        folding.pixel_shuffle,
        pixel_shuffle,
        lambda dtype: [
            (array(dtype, (2, 8, 3, 4)), 2),
            (array(dtype, (9, 2, 1)), 3),
            (array(dtype, (3, 4, 4, 2)).T, 1),
            (array(dtype, (0, 4, 2, 2)), 2),
        ],
        (),
        MOVED,
        SAME,
        refused=lambda: [
            Refused((X, 2), ValueError, "2 channels"),
            Refused((X, 0), ValueError, "upscale_factor"),
            Refused((X[0, 0], 1), ValueError, "3 dimensions"),
        ],
    ),
    Record(
        "pixel_unshuffle",
        folding.pixel_unshuffle,
        pixel_unshuffle,
        lambda dtype: [(array(dtype, (2, 3, 4, 6)), 2), (array(dtype, (3, 6, 3)), 3), (array(dtype, (2, 3, 3)), 1)],
        (),
        MOVED,
        SAME,
        refused=lambda: [Refused((X, 3), ValueError, "divided by 3")],
    ),
    Record(
        "channel_shuffle",
        folding.channel_shuffle,
        channel_shuffle,
        lambda dtype: [(array(dtype, (2, 6, 3, 4)), 3), (array(dtype, (2, 4, 3)), 2), (array(dtype, (2, 4, 3)), 1)],
        (),
        MOVED,
        SAME,
        refused=lambda: [Refused((X, 3), ValueError, "3 groups"), Refused((X, 0), ValueError, "positive")],
    ),
    Record(
        "upsample",
        resampling.upsample,
        interpolate,
        lambda dtype: [With((array(dtype, (1, 2, 3, 4)),), {"scale_factor": 2, "mode": "bilinear"})],
        (),
        FLOATS,
        SAME,
        STEPS,
    ),
    Record("upsample_nearest", resampling.upsample_nearest, interpolate, lambda dtype: [(array(dtype, (1, 2, 3)), 5)], (), FLOATS, SAME),
    Record(
        "upsample_bilinear",
        resampling.upsample_bilinear,
        lambda x, size: interpolate(x, size, None, "bilinear", True),
        lambda dtype: [(array(dtype, (1, 2, 3, 4)), 5)],
        (),
        FLOATS,
        SAME,
        STEPS,
    ),
    Record(
        "grid_sampler",
        resampling.grid_sampler,
        lambda x, grid, mode, padding, corners: grid_sample(x, grid, "bilinear", "border", corners),
        lambda dtype: [(array(dtype, (1, 2, 3, 4)), array(dtype, (1, 2, 2, 2), -1, 1), 0, 1, True)],
        (),
        (d.float32, d.float64),
        SAME,
        STEPS,
        refused=lambda: [Refused((X, GRID, 3, 0, True), ValueError, "interpolation_mode 3")],
    ),
    Record("affine_grid_generator", resampling.affine_grid_generator, affine_grid, thetas, (), FLOATS, SAME, STEPS),
    Record(
        "native_channel_shuffle",
        folding.native_channel_shuffle,
        channel_shuffle,
        lambda dtype: [(array(dtype, (2, 6, 3, 4)), 3)],
        (),
        MOVED,
        SAME,
    ),
    Record(
        "constant_pad_nd",
        folding.constant_pad_nd,
        lambda x, pad, value=0: np.pad(x, ((0, 0), (1, 2)), constant_values=value),
        lambda dtype: [(array(dtype, (2, 3)), (1, 2), 3.0), (array(dtype, (2, 3)), (1, 2))],
        (),
        FLOATS,
        SAME,
    ),
]
