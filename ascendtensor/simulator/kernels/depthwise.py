"""Depthwise convolutions of images: every channel has filters of its own, so few products stand behind each element gathered.

Rows are gathered once for each column of the filter. A band matrix, which holds the filter once for each of several rows of outputs, then
makes those rows in one product: so the rows that their windows share are gathered once too. The zeros around the band meet elements of
other windows, so what is not finite is left to the convolution that knows no such zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ascendtensor.simulator.kernels.blocks import divisor
from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.registry import Array
from ascendtensor.simulator.kernels.threads import shared
from ascendtensor.simulator.kernels.windows import Windows, along

_ROOM = 1 << 18
"""Elements gathered at a time, which stay in the cache."""
_TOGETHER = 4
"""Rows of outputs that one band makes: more of them share more rows, and multiply more zeros."""
_HIGH, _LEAST = 5, 72
"""Rows of a window, and rows times columns of the output, from which on it is quicker than products over whole windows."""
_LARGE = 1 << 25
"""Multiplications from which both cores are worth it."""


def pays(weight: Array, windows: Windows) -> bool:
    """Whether these are windows over images, of one channel and several rows each, which rows of outputs share."""
    if len(windows.size) != 2 or weight.shape[1] != 1:
        return False
    (rows, columns), (height, _) = windows.out, windows.kernel
    return rows > 1 and height >= _HIGH and height * columns >= _LEAST and _span(windows, 2) < 2 * height


def _span(windows: Windows, rows: int) -> int:
    """Rows of the image, padding included, below the windows of so many rows of outputs."""
    return (rows - 1) * windows.stride[0] + (windows.kernel[0] - 1) * windows.dilation[0] + 1


class Depthwise:
    """`out` = depthwise convolution of `image`, made ready for given arrays.

    Args:
        image: (N, channels, height, width).
        weight: (channels * filters of a channel, 1, height, width).
        bias: A number for each filter, or None.
        out: (N, channels * filters of a channel, rows, columns).
        windows: Those that `pays` has found.
        otherwise: Makes the output where an element is not finite.
    """

    def __init__(
        self, image: Array, weight: Array, bias: Array | None, out: Array, windows: Windows, otherwise: Callable[[], None]
    ) -> None:
        self.image, self.weight, self.bias, self.out = image, weight, bias, out
        self.windows, self.otherwise = windows, otherwise
        rows, columns = windows.out
        self.rows = min(rows, _TOGETHER)
        channels = image.shape[1]
        plane = _span(windows, rows) * windows.kernel[1] * columns
        self.together = divisor(channels, max(_ROOM // plane, 1))
        self.images = max(_ROOM // (plane * channels), 1) if self.together == channels else 1
        self.filters = weight.shape[0] // channels
        self.apart = channels // self.together

    def run(self) -> None:
        run = _Run(self)
        shared(-(-len(run.images) // self.images), run.work, self.out.size * run.bands.shape[-1] >= _LARGE, products=True)
        if run.infinite:
            self.otherwise()

    def bands(self) -> Array:
        """The filters, once for each of several rows of outputs, at its windows: (parts, channels, filters, 1, rows, -1)."""
        windows = self.windows
        (height, width), step, gap = windows.kernel, windows.stride[0], windows.dilation[0]
        bands = np.zeros((self.apart, self.together, self.filters, 1, self.rows, _span(windows, self.rows), width), np.float32)
        filters = float32_of(self.weight).reshape(self.apart, self.together, self.filters, 1, height, width)
        for row in range(self.rows):
            first = row * step
            bands[..., row, first : first + (height - 1) * gap + 1 : gap, :] = filters
        return bands.reshape(*bands.shape[:5], -1)


class _Run:
    """One run, with what its threads share.

    Attributes:
        images: (images * parts, channels of a part, height, width).
        bands: See `Depthwise.bands`.
        infinite: Pieces that are not finite everywhere.
    """

    def __init__(self, made: Depthwise) -> None:
        self.windows, self.rows, self.at_once, self.apart = made.windows, made.rows, made.images, made.apart
        self.images = made.image.reshape(-1, made.together, *self.windows.size)
        self.bands = made.bands()
        self.bias = None if made.bias is None else float32_of(made.bias).reshape(made.apart, made.together, made.filters, 1, 1)
        self.out = made.out.reshape(len(self.images), made.together, made.filters, *self.windows.out)
        self.infinite: list[int] = []
        self._free: list[_Gathered] = []

    def work(self, start: int, stop: int) -> None:
        try:
            gathered = self._free.pop()  # what another part has left
        except IndexError:
            gathered = _Gathered(self.windows, self.at_once, self.images.shape[1])
        for piece in range(start, stop):
            first = piece * self.at_once
            part = slice(first, min(first + self.at_once, len(self.images)))
            rows, target, at = gathered.fill(self.images[part]), self.out[part], first % self.apart
            made = target if target.dtype == np.float32 else np.empty(target.shape, np.float32)
            self._multiply(self.bands[at], rows, made)
            if not math.isfinite(np.vdot(made, made)):
                self.infinite.append(piece)
                return
            if self.bias is not None:
                np.add(made, self.bias[at], made)
            if made is not target:
                store(made, target)
        self._free.append(gathered)

    def _multiply(self, bands: Array, rows: Array, out: Array) -> None:
        """Products of the bands with gathered rows, as many times as they fit, and of their beginnings with what is left."""
        windows = self.windows
        number, rest = divmod(windows.out[0], self.rows)
        step, columns = windows.stride[0] * self.rows, windows.out[1]
        flat = rows.reshape(*rows.shape[:2], 1, -1, columns)
        cut: Array = np.ndarray(
            (*flat.shape[:3], number, bands.shape[-1], columns),
            np.float32,
            rows,
            0,
            (*flat.strides[:3], step * rows.strides[2], *flat.strides[3:]),
        )
        target: Array = np.ndarray(
            (*out.shape[:3], number, self.rows, columns),
            np.float32,
            out,
            0,
            (*out.strides[:3], self.rows * out.strides[3], *out.strides[3:]),
        )
        np.matmul(bands, cut, target)
        if rest:
            height = _span(windows, rest) * windows.kernel[1]
            last = flat[..., number * step * windows.kernel[1] :, :]
            np.matmul(bands[..., 0, :rest, :height], last, out[..., number * self.rows :, :])


class _Gathered:
    """Room for rows of some images: (images, channels, rows, width of the filter, columns), zero where padding lies."""

    def __init__(self, windows: Windows, images: int, channels: int) -> None:
        rows, columns = windows.out
        self.room = np.zeros((images, channels, _span(windows, rows), windows.kernel[1], columns), np.float32)
        (above, _), (left, _) = windows.pads
        height, width = windows.size
        step = windows.stride[1]
        below = min(self.room.shape[2], above + height)
        self.parts = []
        for place in range(windows.kernel[1]):
            begin = place * windows.dilation[1] - left  # column of the image below the first window
            first, last = max(-(begin // step), 0), min((width - 1 - begin) // step, columns - 1)
            if first <= last and above < below:
                source = slice(None, below - above), slice(begin + first * step, begin + last * step + 1, step)
                self.parts.append(((slice(above, below), place, slice(first, last + 1)), source))

    def fill(self, images: Array) -> Array:
        rows = self.room[: len(images)]
        images = float32_of(images)
        for target, source in self.parts:
            rows[along(..., *target)] = images[along(..., *source)]
        return rows
