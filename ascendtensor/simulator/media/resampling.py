"""Changing the size of a picture by the algorithms of `dvpp_set_resize_config_interpolation`.

`BILINEAR` and `NEAREST` are OpenCV's: the middle of a pixel is at a half, bilinear weights two by two neighbours whatever the scale,
nearest takes floor(place * scale). The TensorFlow forms count from the corner of the picture, as its older operators do. The chip maker's
own filter of higher order is not published; a bicubic filter that widens when it shrinks stands in for it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

OWN: Final = 0
BILINEAR, NEAREST, TF_BILINEAR, TF_NEAREST, HIGH_ORDER = 1, 2, 3, 4, 5


def resized(channel: Array, height: int, width: int, algorithm: int) -> Array:
    """One channel of bytes in another size.

    Args:
        channel: Of two dims, bytes.
        height, width: The new size.
        algorithm: 1 to 5; 0 was made one of them by the caller.
    """
    if channel.shape == (height, width):
        return channel
    if algorithm in (NEAREST, TF_NEAREST):
        return channel[_floors(channel.shape[0], height)][:, _floors(channel.shape[1], width)]
    if algorithm == HIGH_ORDER:
        return _bytes(_cubic(_cubic(channel.astype(np.float32), height).T, width).T)
    centre = 0.5 if algorithm == BILINEAR else 0.0
    rows = _linear(channel, height, centre)
    return _bytes(_linear(rows.T, width, centre).T)


def _bytes(values: Array) -> Array:
    rounded: Array = np.clip(np.floor(values + 0.5), 0, 255).astype(np.uint8)
    return rounded


def _floors(source: int, target: int) -> Array:
    return np.minimum(np.arange(target) * source // target, source - 1)


def _linear(values: Array, target: int, centre: float) -> Array:
    """The first dim in another size, as float32."""
    source = values.shape[0]
    places = np.clip((np.arange(target) + centre) * (source / target) - centre, 0, source - 1)
    low = np.minimum(np.floor(places).astype(np.intp), source - 1)
    high = np.minimum(low + 1, source - 1)
    share = (places - low).astype(np.float32)[:, None]
    below = values[low].astype(np.float32)
    mixed: Array = below + (values[high] - below) * share
    return mixed


def _cubic(values: Array, target: int) -> Array:
    """The first dim in another size, by Catmull-Rom's cubic over four pixels of the smaller of both sizes."""
    source = values.shape[0]
    scale = source / target
    wide = max(scale, 1.0)
    middles = (np.arange(target) + 0.5) * scale - 0.5
    first = np.floor(middles - 2 * wide).astype(np.intp)
    taps = first[:, None] + np.arange(int(4 * wide) + 3)
    distances = np.abs(taps - middles[:, None]) / wide
    weights = np.where(
        distances < 1,
        (1.5 * distances - 2.5) * distances**2 + 1,
        np.where(distances < 2, ((-0.5 * distances + 2.5) * distances - 4) * distances + 2, 0),
    )
    weights /= weights.sum(1, keepdims=True)
    matrix = np.zeros((target, source), np.float32)
    np.add.at(matrix, (np.arange(target)[:, None], np.clip(taps, 0, source - 1)), weights.astype(np.float32))
    mixed: Array = matrix @ values
    return mixed


def pyramid_down(channel: Array) -> Array:
    """Half the size: five taps (1, 4, 6, 4, 1) in each direction, of which every second one is kept, as OpenCV's pyrDown."""
    padded = np.pad(channel.astype(np.float32), 2, mode="reflect")
    weights = np.array([1, 4, 6, 4, 1], np.float32) / 16
    height, width = channel.shape
    rows = sum(weight * padded[place : place + height : 2] for place, weight in enumerate(weights))
    whole = sum(weight * rows[:, place : place + width : 2] for place, weight in enumerate(weights))
    return _bytes(np.asarray(whole))[: height // 2, : width // 2]
