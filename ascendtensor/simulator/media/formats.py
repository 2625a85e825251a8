"""Pixel formats of the image units: numbers, bytes, and where the samples of a picture lie in memory.

Sources: `acldvppPixelFormat` of the header acl_dvpp.h, and the reference's pages "Restrictions" (CANN 8.0) for widths, strides and sizes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

YUV_400: Final = 0
NV12, NV21 = 1, 2
YUV_422SP, YVU_422SP = 3, 4
YUV_444SP, YVU_444SP = 5, 6
YUYV, UYVY, YVYU, VYUY = 7, 8, 9, 10
YUV_PACKED: Final = 11
RGB, BGR = 12, 13
ARGB, ABGR, RGBA, BGRA = 14, 15, 16, 17
YUV_440SP, YVU_440SP = 1000, 1001
UNKNOWN: Final = 10000


class Format(NamedTuple):
    """How a format keeps a picture.

    Attributes:
        name: Of the format.
        kind: "gray", "planes" (luma, then pairs of chroma), "packed422" (two pixels in four bytes), "yuv" or "rgb" (pixel by pixel).
        across, down: Pixels that share a chroma sample, in each direction.
        order: Places of Y, U, V (of Y0, U, Y1, V for "packed422"; of U, V for "planes"; of R, G, B for "rgb").
        pixel: Bytes of a pixel in a row of luma; 2 for "packed422".
    """

    name: str
    kind: str
    across: int = 1
    down: int = 1
    order: tuple[int, ...] = ()
    pixel: int = 1

    def bytes(self, width_stride: int, height_stride: int) -> int:
        """Bytes of a picture with these strides."""
        luma = width_stride * height_stride
        return luma + 2 * luma // (self.across * self.down) if self.kind == "planes" else luma


FORMATS: Final[dict[int, Format]] = {
    YUV_400: Format("YUV400", "gray"),
    NV12: Format("YUV420SP NV12", "planes", 2, 2, (0, 1)),
    NV21: Format("YUV420SP NV21", "planes", 2, 2, (1, 0)),
    YUV_422SP: Format("YUV422SP", "planes", 2, 1, (0, 1)),
    YVU_422SP: Format("YVU422SP", "planes", 2, 1, (1, 0)),
    YUV_444SP: Format("YUV444SP", "planes", 1, 1, (0, 1)),
    YVU_444SP: Format("YVU444SP", "planes", 1, 1, (1, 0)),
    YUYV: Format("YUV422Packed YUYV", "packed422", 2, 1, (0, 1, 2, 3), 2),
    UYVY: Format("YUV422Packed UYVY", "packed422", 2, 1, (1, 0, 3, 2), 2),
    YVYU: Format("YUV422Packed YVYU", "packed422", 2, 1, (0, 3, 2, 1), 2),
    VYUY: Format("YUV422Packed VYUY", "packed422", 2, 1, (1, 2, 3, 0), 2),
    YUV_PACKED: Format("YUV444Packed", "yuv", 1, 1, (0, 1, 2), 3),
    RGB: Format("RGB888", "rgb", 1, 1, (0, 1, 2), 3),
    BGR: Format("BGR888", "rgb", 1, 1, (2, 1, 0), 3),
    ARGB: Format("ARGB8888", "rgb", 1, 1, (1, 2, 3), 4),
    ABGR: Format("ABGR8888", "rgb", 1, 1, (3, 2, 1), 4),
    RGBA: Format("RGBA8888", "rgb", 1, 1, (0, 1, 2), 4),
    BGRA: Format("BGRA8888", "rgb", 1, 1, (2, 1, 0), 4),
    YUV_440SP: Format("YUV440SP", "planes", 1, 2, (0, 1)),
    YVU_440SP: Format("YVU440SP", "planes", 1, 2, (1, 0)),
}
ALPHA: Final = {ARGB: 0, ABGR: 0, RGBA: 3, BGRA: 3}
"""Where the fourth byte of a pixel is."""
OPAQUE: Final = 255
NEUTRAL: Final = 128
"""Chroma of gray."""


class Samples(NamedTuple):
    """A picture taken apart.

    Attributes:
        channels: Y, U, V with their own sizes, Y alone, or R, G, B.
        rgb: Whether they are the latter.
        across, down: Of the chroma.
        alpha: The fourth channel, or None.
    """

    channels: tuple[Array, ...]
    rgb: bool = False
    across: int = 1
    down: int = 1
    alpha: Array | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self.channels[0].shape
        return height, width


def views(number: int, data: Array, strides: tuple[int, int]) -> tuple[Array, ...]:
    """Writable views of a picture's channels in its memory, as large as the strides allow: Y or Y, U, V or R, G, B (and alpha)."""
    found = FORMATS[number]
    width_stride, height_stride = strides
    rows = data[: width_stride * height_stride].reshape(height_stride, width_stride)
    if found.kind == "gray":
        return (rows,)
    if found.kind == "planes":
        line, down = 2 * width_stride // found.across, height_stride // found.down  # bytes of a row, of an odd stride too
        below = data[rows.size : rows.size + line * down].reshape(down, line)
        chroma = below[:, : line // 2 * 2].reshape(down, line // 2, 2)
        return rows, chroma[:, :, found.order[0]], chroma[:, :, found.order[1]]
    pixels = width_stride // found.pixel
    if found.kind == "packed422":
        pairs = rows[:, : pixels // 2 * 4].reshape(height_stride, pixels // 2, 4)
        first, u, second, v = found.order
        luma = pairs[:, :, first :: second - first][:, :, :2]
        return luma, pairs[:, :, u], pairs[:, :, v]
    whole = rows[:, : pixels * found.pixel].reshape(height_stride, pixels, found.pixel)
    alpha = ALPHA.get(number)
    return (*(whole[:, :, place] for place in found.order), *([] if alpha is None else [whole[:, :, alpha]]))


def read(number: int, data: Array, strides: tuple[int, int], area: tuple[int, int, int, int]) -> Samples:
    """An area (left, top, width, height) of a picture, copied out of its memory.

    Chroma samples count for the area when they belong to its first pixel.
    """
    found = FORMATS[number]
    left, top, width, height = area
    channels = views(number, data, strides)
    if found.kind == "packed422":
        luma = channels[0].reshape(strides[1], -1)
        channels = (luma, *channels[1:])
    first = channels[0][top : top + height, left : left + width].copy()
    if found.kind == "gray":
        return Samples((first,))
    if found.kind == "rgb":
        cut = [each[top : top + height, left : left + width].copy() for each in channels[1:]]
        return Samples((first, *cut[:2]), True, alpha=cut[2] if len(cut) > 2 else None)
    across, down = found.across, found.down
    rows = slice(top // down, (top + height - 1) // down + 1)
    columns = slice(left // across, (left + width - 1) // across + 1)
    return Samples((first, channels[1][rows, columns].copy(), channels[2][rows, columns].copy()), False, across, down)


def write(number: int, data: Array, strides: tuple[int, int], place: tuple[int, int], samples: Samples) -> None:
    """Puts a picture of this very format at (left, top) of another one in memory; what lies around it stays."""
    found = FORMATS[number]
    left, top = place
    height, width = samples.size
    channels = views(number, data, strides)
    if found.kind == "packed422":
        _write_luma_pairs(channels[0], samples.channels[0], left, top)
    else:
        channels[0][top : top + height, left : left + width] = samples.channels[0]
    if found.kind == "gray":
        return
    across, down = (1, 1) if found.kind == "rgb" else (found.across, found.down)
    for target, source in zip(channels[1:3], samples.channels[1:3], strict=True):
        part = target[top // down : top // down + source.shape[0], left // across : left // across + source.shape[1]]
        part[...] = source[: part.shape[0], : part.shape[1]]
    if len(channels) > 3:
        channels[3][top : top + height, left : left + width] = OPAQUE if samples.alpha is None else samples.alpha


def _write_luma_pairs(pairs: Array, luma: Array, left: int, top: int) -> None:
    """Luma of packed pairs, which no view shows row by row."""
    height = luma.shape[0]
    for parity in (0, 1):
        start = (parity - left) % 2  # the first column of the picture that falls on this half of a pair
        part = luma[:, start::2]
        begin = (left + start) // 2
        pairs[top : top + height, begin : begin + part.shape[1], parity] = part


def gray(height: int, width: int) -> Array:
    """Chroma of a picture without colours."""
    return np.full((height, width), NEUTRAL, np.uint8)
