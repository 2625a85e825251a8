"""Files of pictures, read and written by Pillow: the only module that knows it.

Raises whatever Pillow raises for files that are damaged.
"""

from __future__ import annotations

import io
import warnings
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from .colours import shrunk
from .formats import Samples

Array = npt.NDArray[Any]

BEST: Final = 100
SUBSAMPLINGS: Final = {(1, 1): 0, (2, 1): 1, (2, 2): 2}
"""Pillow's numbers."""


def _opened(data: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the units have limits of their own
        return Image.open(io.BytesIO(data))


def _yuv(data: bytes, width: int, height: int) -> Array:
    """Y, U, V side by side, chroma scaled to the luma; smaller where half the size is asked for."""
    image = _opened(data)
    image.draft("YCbCr", (width, height))
    image.load()
    return np.asarray(image)


def _turned(channel: Array, orientation: int) -> Array:
    """As the camera was held."""
    if orientation in (5, 6, 7, 8):
        channel = channel.T
    if orientation in (2, 3, 6, 7):
        channel = channel[:, ::-1]
    if orientation in (3, 4, 7, 8):
        channel = channel[::-1]
    return channel


def read_jpeg(data: bytes, across: int, down: int, orientation: int) -> Samples:
    """The picture of a file, upright.

    Args:
        data: The file.
        across, down: Pixels that share a chroma sample in it; 0 for a gray one.
        orientation: EXIF's number of how the camera was held.
    """
    image = _opened(data)
    width, height = image.size
    if not across:
        image.load()
        return Samples((_turned(np.asarray(image.convert("L")), orientation),))
    whole = _yuv(data, width, height)
    luma, u, v = (whole[:, :, place] for place in range(3))
    if orientation not in (0, 1):  # which pixels share chroma turns too: the units give the format that was asked for
        return Samples(tuple(_turned(each, orientation) for each in (luma, u, v)))
    if (across, down) == (1, 1):
        return Samples((luma, u, v))
    if (across, down) == (2, 2):
        half = _yuv(data, (width + 1) // 2, (height + 1) // 2)
        if half.shape[:2] == ((height + 1) // 2, (width + 1) // 2):  # of a half, the decoder leaves chroma as the file has it
            return Samples((luma, half[:, :, 1], half[:, :, 2]), False, 2, 2)
    return Samples((luma, *(shrunk(each, across, down) for each in (u, v))), False, across, down)


def write_jpeg(samples: tuple[Array, Array, Array], across: int, down: int, level: int) -> bytes:
    """A file of Y, U, V of one size, whose chroma is kept once for so many pixels."""
    image = Image.merge("YCbCr", [Image.fromarray(np.ascontiguousarray(each)) for each in samples])
    file = io.BytesIO()
    image.save(file, "JPEG", quality=level or BEST, subsampling=SUBSAMPLINGS[across, down])
    return file.getvalue()


def read_png(data: bytes) -> tuple[tuple[Array, ...], Array | None]:
    """R, G, B and alpha, or None, of a file."""
    image = _opened(data)
    image.load()
    bands = [np.asarray(band) for band in image.split()]
    alpha = bands.pop() if image.mode in ("LA", "RGBA") else None
    return tuple(bands * 3 if len(bands) == 1 else bands), alpha
