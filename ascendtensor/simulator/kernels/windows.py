"""Where windows lie on the spatial axes of an image: sizes, limits and strided views for convolutions and pools."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ascendtensor.simulator.kernels.blocks import pieces
from ascendtensor.simulator.kernels.registry import Array, Shape

Pairs = tuple[tuple[int, int], ...]


class Windows(NamedTuple):
    """Windows over the spatial axes.

    Attributes:
        size: Sizes of the image.
        kernel, stride, dilation: Of the window, an int for each axis.
        pads: Places (before, after) of each axis.
        out: Number of windows along each axis.
    """

    size: Shape
    kernel: Shape
    stride: Shape
    dilation: Shape
    pads: Pairs
    out: Shape

    @property
    def padded(self) -> Shape:
        """Sizes with the padding; a last window that hangs over (ceil_mode) counts too."""
        return _padded(self)

    @property
    def interior(self) -> tuple[slice, ...]:
        """Where the image lies in the padded one."""
        return tuple(slice(before, before + size) for size, (before, _) in zip(self.size, self.pads, strict=True))

    @property
    def pointwise(self) -> bool:
        """Every window is one element of the image, in order."""
        return all(each == 1 for each in (*self.kernel, *self.stride)) and not any(map(sum, self.pads))

    @property
    def wide(self) -> Windows:
        """With steps of 1 these windows and what begins between them, so that they follow each other in memory.

        On every axis but the first there are as many as the padded image is long; the last ones reach into what lies behind it.
        """
        return self._replace(out=(self.out[0], *self.padded[1:]))

    def view(self, padded: Array, lead: Shape | None = None) -> Array:
        """The windows of a contiguous array whose last axes are the padded image: (*lead, *kernel, *out).

        Args:
            padded: The array.
            lead: Sizes of what it has before the image, where it has more than is looked at.
        """
        rank = len(self.size)
        lead = padded.shape[: padded.ndim - rank] if lead is None else lead
        steps = padded.strides[padded.ndim - rank :]
        channel = steps[0] * padded.shape[-rank]
        strides = (
            *(channel * math.prod(lead[at + 1 :]) for at in range(len(lead))),
            *(step * dilation for step, dilation in zip(steps, self.dilation, strict=True)),
            *(step * stride for step, stride in zip(steps, self.stride, strict=True)),
        )
        found: Array = np.ndarray((*lead, *self.kernel, *self.out), padded.dtype, padded, 0, strides)
        return found

    def offsets(self) -> Iterator[tuple[Shape, tuple[slice, ...]]]:
        """Each place of the window, with the elements of the padded image that stand there."""
        for place in itertools.product(*map(range, self.kernel)):
            yield (
                place,
                tuple(
                    slice(at * dilation, at * dilation + (count - 1) * stride + 1, stride)
                    for at, dilation, count, stride in zip(place, self.dilation, self.out, self.stride, strict=True)
                ),
            )

    def blocks(self, elements: int) -> tuple[tuple[tuple[int | slice, ...], int, int], ...]:
        """Cuts of the windows in order, as (index, first, number)."""
        return _blocks(self.out, max(elements, 1))


@lru_cache(maxsize=256)
def _padded(windows: Windows) -> Shape:
    pads = map(sum, windows.pads)
    axes = zip(windows.size, pads, windows.out, windows.stride, windows.kernel, windows.dilation, strict=True)
    return tuple(max(size + pad, (number - 1) * step + (places - 1) * gap + 1) for size, pad, number, step, places, gap in axes)


@lru_cache(maxsize=256)
def _blocks(out: Shape, elements: int) -> tuple[tuple[tuple[int | slice, ...], int, int], ...]:
    found: list[tuple[tuple[int | slice, ...], int, int]] = []
    first = 0
    for index in pieces(out, elements):
        whole = (*index, *(slice(None) for _ in range(len(out) - len(index))))
        cut = [part.indices(size) for part, size in zip(whole, out, strict=True) if isinstance(part, slice)]
        number = math.prod(len(range(*limits)) for limits in cut)
        found.append((whole, first, number))
        first += number
    return tuple(found)


def along(*parts: Any) -> tuple[Any, ...]:
    """An index of several parts (unpacking one inside the brackets is the syntax of Python 3.11)."""
    return parts


def count(size: int, pads: tuple[int, int], kernel: int, stride: int, dilation: int, ceil: bool = False) -> int:
    """Number of windows along one axis, -1 where the size is not known; with `ceil` a last one may hang over, if it starts inside.

    Raises:
        ValueError: Not even one window fits.
    """
    if size < 0:
        return -1
    room = size + sum(pads) - (kernel - 1) * dilation - 1
    number = (-(-room // stride) if ceil else room // stride) + 1
    if ceil and (number - 1) * stride >= size + pads[0]:
        number -= 1
    if number < 1:
        raise ValueError(
            f"no window of {kernel} (dilation {dilation}, stride {stride}) fits into {size} places, {pads[0]} before and {pads[1]} after"
        )
    return number


def in_range(values: Sequence[int], low: int, high: int, what: str) -> None:
    """Refuse values that the chip's kernels are not made for.

    Raises:
        ValueError: One is outside.
    """
    if not all(low <= value <= high for value in values):
        raise ValueError(f"{what} {list(values)} must lie in [{low}, {high}]")


def spatial(values: Sequence[int], rank: int, what: str) -> Shape:
    """The spatial part of an attribute that speaks of every axis of (batch, channels, ...).

    Raises:
        ValueError: Another number of values, or windows over batch or channels.
    """
    if len(values) != rank + 2 or tuple(values[:2]) != (1, 1):
        raise ValueError(f"{what} {list(values)} must be 1, 1 and {rank} values")
    return tuple(int(value) for value in values[2:])


def pairs(values: Sequence[int], rank: int) -> Pairs:
    """Paddings [before, after, before, after...] of the spatial axes.

    Raises:
        ValueError: Another number of values.
    """
    if len(values) != 2 * rank:
        raise ValueError(f"pads {list(values)} must be {2 * rank} values")
    return tuple((int(values[2 * at]), int(values[2 * at + 1])) for at in range(rank))


def padded_image(windows: Windows, lead: Shape, dtype: np.dtype[np.generic]) -> Array:
    """An array for the padded image, zeros where padding lies."""
    return np.zeros((*lead, *windows.padded), dtype)
