"""Colours and chroma of pictures: RGB and YUV by the standards' formulas, chroma of one size from chroma of another.

`acldvppCscMatrix` names the standards: BT.601, BT.709 and BT.2020, each wide (luma and chroma fill 0 to 255, as in JPEG files) or narrow
(16 to 235 and 16 to 240, as in video). Wide BT.601 is the default.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .formats import FORMATS, NEUTRAL, Samples, gray

Array = npt.NDArray[Any]

BT601_WIDE: Final = 0
_WEIGHTS: Final = ((0.299, 0.114), (0.2126, 0.0722), (0.2627, 0.0593))
"""Shares of red and blue in the luma of the three standards."""
MATRICES: Final = range(6)
_NARROW: Final = (219 / 255, 224 / 255, 16.0)
_WIDE: Final = (1.0, 1.0, 0.0)


def _bytes(values: Array) -> Array:
    rounded: Array = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded


def _standard(matrix: int) -> tuple[float, float, tuple[float, float, float]]:
    red, blue = _WEIGHTS[matrix // 2]
    return red, blue, _NARROW if matrix % 2 else _WIDE


def rgb_to_yuv(channels: tuple[Array, ...], matrix: int = BT601_WIDE) -> tuple[Array, Array, Array]:
    """Y, U, V of every pixel, as float32 that were not rounded yet."""
    red, blue, (luma_range, chroma_range, black) = _standard(matrix)
    r, g, b = (each.astype(np.float32) for each in channels)
    luma = red * r + (1 - red - blue) * g + blue * b
    u, v = (b - luma) / (2 * (1 - blue)), (r - luma) / (2 * (1 - red))
    return luma * luma_range + black, u * chroma_range + NEUTRAL, v * chroma_range + NEUTRAL


def yuv_to_rgb(channels: tuple[Array, ...], matrix: int = BT601_WIDE) -> tuple[Array, ...]:
    """R, G, B of every pixel; the three channels have one size."""
    red, blue, (luma_range, chroma_range, black) = _standard(matrix)
    luma = (channels[0].astype(np.float32) - black) / luma_range
    u, v = ((each.astype(np.float32) - NEUTRAL) / chroma_range for each in channels[1:])
    r, b = luma + 2 * (1 - red) * v, luma + 2 * (1 - blue) * u
    g = (luma - red * r - blue * b) / (1 - red - blue)
    return _bytes(r), _bytes(g), _bytes(b)


def shrunk(chroma: Array, across: int, down: int) -> Array:
    """Means of blocks of so many samples; the last column and row stand in for what is missing of a block."""
    height, width = chroma.shape
    padded = np.pad(chroma.astype(np.float32), ((0, -height % down), (0, -width % across)), mode="edge")
    blocks = padded.reshape(padded.shape[0] // down, down, padded.shape[1] // across, across)
    return _bytes(blocks.mean((1, 3)))


def grown(chroma: Array, across: int, down: int, size: tuple[int, int]) -> Array:
    """Each sample repeated for the pixels that share it."""
    whole: Array = chroma.repeat(down, 0).repeat(across, 1)[: size[0], : size[1]]
    return whole


def full_yuv(samples: Samples) -> tuple[Array, Array, Array]:
    """Y, U, V of one size."""
    height, width = size = samples.size
    if len(samples.channels) == 1:
        return samples.channels[0], gray(height, width), gray(height, width)
    luma, u, v = samples.channels
    across, down = samples.across, samples.down
    return luma, grown(u, across, down, size), grown(v, across, down, size)


def converted(samples: Samples, number: int, matrix: int = BT601_WIDE) -> Samples:
    """The picture with the channels that a format has, chroma of its size included."""
    found = FORMATS[number]
    if found.kind == "rgb":
        return samples if samples.rgb else Samples(yuv_to_rgb(full_yuv(samples), matrix), True)
    if samples.rgb:
        y, u, v = rgb_to_yuv(samples.channels, matrix)
        samples = Samples((_bytes(y), _bytes(u), _bytes(v)) if found.across * found.down == 1 else (_bytes(y), u, v))
    if found.kind == "gray":
        return Samples(samples.channels[:1])
    if len(samples.channels) > 1 and (samples.across, samples.down) == (found.across, found.down):
        return samples
    luma, u, v = full_yuv(samples)
    return Samples((luma, *(shrunk(each, found.across, found.down) for each in (u, v))), False, found.across, found.down)
