"""Pools: the largest element or the mean of each window.

A window's maximum or sum is taken one axis after the other, rows before columns, in blocks of channels that stay in the cache. Half types
are pooled as float32, or by their bits where nothing but the maximum is asked for. Sources: operator prototypes of nn_pooling_ops.h, CANN
8.1.RC1, and what their comments say of limits; operators without a public prototype (MaxPool3DWithArgmaxV2, AdaptiveMaxPool3d) by their
kernel information. A last window may hang over the end with ceil_mode, if it starts inside the image or in the padding before it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import half_bits
from ascendtensor.simulator.kernels.halves import HALVES, float32_of, store
from ascendtensor.simulator.kernels.masks import choose
from ascendtensor.simulator.kernels.operands import needs, unknown
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Shape,
    Task,
    binder,
    infer,
    kernel,
    layout,
)
from ascendtensor.simulator.kernels.threads import product, shared
from ascendtensor.simulator.kernels.windows import Pairs, Windows, along, count, in_range, pairs, spatial

layout("NCHW", "MaxPoolV3")
layout("NCDHW", "MaxPool3DWithArgmaxV2")

_BLOCK: Final = 1 << 17
"""Elements of the channels that are pooled at once."""
_LARGE: Final = 1 << 21
"""Elements of an image from which both cores are worth it."""
_FEW: Final = 1 << 14
"""Up to so many elements of images everything is made ready when the task is bound."""
_FLOAT32: Final = np.dtype(np.float32)
_Step = tuple[np.ufunc, Array, Array, Array]
"""A function, its operands and where the result goes."""


def _sliding(size: Shape, kernel: Shape, stride: Shape, pads: Pairs, dilation: Shape, ceil: bool) -> Windows:
    axes = zip(size, pads, kernel, stride, dilation, strict=True)
    return Windows(size, kernel, stride, dilation, pads, tuple(count(*axis, ceil) for axis in axes))


def _max_windows(size: Shape, attrs: Attrs) -> Windows:
    """The windows of MaxPoolV3.

    Raises:
        ValueError: A layout, mode or number that has no kernel.
    """
    if attrs["data_format"] != "NCHW" or attrs["padding_mode"] != "CALCULATED" or attrs["global_pooling"]:
        raise ValueError("the simulator knows data_format NCHW, padding_mode CALCULATED and no global_pooling")
    kernel, stride = spatial(attrs["ksize"], 2, "ksize"), spatial(attrs["strides"], 2, "strides")
    in_range(stride, 1, 63, "strides")
    in_range([math.prod(kernel)], 1, 255, "the places of a window")
    return _sliding(size, kernel, stride, pairs(attrs["pads"], 2), (1, 1), bool(attrs["ceil_mode"]))


def _three(values: Sequence[int], what: str) -> Shape:
    """One value for all three axes, one each, or one for every axis of the image."""
    given = list(values)
    if len(given) == 5:
        return spatial(given, 3, what)
    if len(given) not in (1, 3):
        raise ValueError(f"{what} {given} must be 1, 3 or 5 values")
    return tuple(int(value) for value in given * (3 // len(given)))


def _mean_windows(size: Shape, attrs: Attrs) -> Windows:
    """The windows of AvgPool3D."""
    if attrs["data_format"] != "NCDHW":
        raise ValueError(f"data_format {attrs['data_format']}: the simulator knows NCDHW")
    kernel, stride = _three(attrs["ksize"], "ksize"), _three(attrs["strides"], "strides")
    in_range(kernel, 1, 255, "ksize")
    in_range(stride, 1, 63, "strides")
    return _sliding(size, kernel, stride, pairs(attrs["pads"], 3), (1, 1, 1), bool(attrs["ceil_mode"]))


def _found_windows(size: Shape, attrs: Attrs) -> Windows:
    """The windows of MaxPool3DWithArgmaxV2; paddings are the same on both sides."""
    if attrs["data_format"] != "NCDHW":
        raise ValueError(f"data_format {attrs['data_format']}: the simulator knows NCDHW")
    kernel, stride, dilation, padding = (_three(attrs[name], name) for name in ("ksize", "strides", "dilation", "pads"))
    if any(2 * side > size for side, size in zip(padding, kernel, strict=True)):
        raise ValueError(f"pads {list(padding)} must be at most half of ksize {list(kernel)}")
    return _sliding(size, kernel, stride, tuple((side, side) for side in padding), dilation, bool(attrs["ceil_mode"]))


class _Blocks:
    """Channels of images in blocks, padded where windows reach beyond the image."""

    def __init__(self, images: Array, windows: Windows, fill: float) -> None:
        self.flat = images.reshape(-1, *windows.size)
        self.step = max(1, _BLOCK // max(math.prod(windows.padded), 1))
        self.number = -(-self.flat.shape[0] // self.step)
        self.windows = windows
        self.fill = fill

    def room(self) -> Array | None:
        """Where a thread pads its blocks, None where nothing is padded."""
        if self.windows.padded == self.windows.size:
            return None
        work = _FLOAT32 if self.flat.dtype in HALVES else self.flat.dtype
        return np.full((self.step, *self.windows.padded), self.fill, work)

    def of(self, number: int, room: Array | None) -> tuple[slice, Array]:
        part = self.part(number)
        return part, self.padded(self.flat[part], room)

    def part(self, number: int) -> slice:
        return slice(number * self.step, min((number + 1) * self.step, self.flat.shape[0]))

    def padded(self, block: Array, room: Array | None) -> Array:
        """A block, padded where there is room for that, in the dtype in which it is pooled."""
        if room is None:
            return float32_of(block)
        padded = room[: block.shape[0]]
        padded[along(slice(None), *self.windows.interior)] = block
        return padded


def _steps(ufunc: np.ufunc, block: Array, windows: Windows, out: Array | None) -> tuple[list[_Step], Array]:
    """How the windows' maxima or sums are found, one axis after the other, and where: in `out` where it is given and anything is to do."""
    steps: list[_Step] = []
    for last, cuts in _cuts(windows):
        first, *others = [block[cut] for cut in cuts]
        if others:
            target = out if last and out is not None and first.shape == out.shape else np.empty(first.shape, first.dtype)
            for other in others:
                steps.append((ufunc, first, other, target))
                first = target
        block = first
    return steps, block


def _run(steps: list[_Step]) -> None:
    for ufunc, one, other, target in steps:
        ufunc(one, other, out=target)


@lru_cache(maxsize=256)
def _cuts(windows: Windows) -> list[tuple[bool, list[Any]]]:
    """For each axis, whether no later one has windows of several places, and what picks each of a window's places."""
    found: list[tuple[bool, list[Any]]] = []
    rows = list(zip(windows.kernel, windows.stride, windows.dilation, windows.out, strict=True))
    for axis, (places, stride, dilation, number) in enumerate(rows):
        lead = (slice(None),) * (axis + 1)
        starts = [at * dilation for at in range(places)]
        cuts = [along(*lead, slice(start, start + (number - 1) * stride + 1, stride)) for start in starts]
        found.append((max(windows.kernel[axis + 1 :], default=1) == 1, cuts))
    return found


def _pooled(images: Array, out: Array, windows: Windows, ufunc: np.ufunc, fill: float, factors: Array | None) -> None:
    blocks = _Blocks(images, windows, fill)
    flat = out.reshape(-1, *windows.out)
    direct = out.dtype == (_FLOAT32 if images.dtype in HALVES else images.dtype)

    def work(start: int, stop: int) -> None:
        room = blocks.room()
        for number in range(start, stop):
            part, block = blocks.of(number, room)
            target = flat[part]
            steps, result = _steps(ufunc, block, windows, target if direct else None)
            _run(steps)
            if factors is not None:
                result = np.divide(result, factors, out=target if direct else None)
            if result is not target:
                store(result, target)

    shared(blocks.number, work, images.size >= _LARGE)


class _HalfMaxima:
    """The largest element of each window of halves, found among integers in their order; of two zeros the positive one.

    The bits of a block in which no sign is set are such integers as they stand. A NaN whose sign is set would be the least of them: its
    block goes through float32.
    """

    __slots__ = ("bits", "blocks", "images", "out", "ready", "target", "windows")

    def __init__(self, images: Array, out: Array, windows: Windows) -> None:
        self.images = images.reshape(-1, *windows.size)
        self.out = out.reshape(-1, *windows.out)
        self.bits, self.target = half_bits.bits(self.images), half_bits.bits(self.out)
        self.windows = windows
        self.blocks = _Blocks(self.bits, windows, half_bits.lowest(images.dtype))
        few = images.size <= _FEW and self.blocks.number == 1 and windows.padded == windows.size
        self.ready = _steps(np.maximum, self.bits, windows, self.target) if few else None

    def run(self) -> None:
        shared(self.blocks.number, self._some, self.images.size >= _LARGE)

    def _some(self, start: int, stop: int) -> None:
        room = self.blocks.room()
        for number in range(start, stop):
            part = self.blocks.part(number)
            bits, target = self.bits[part], self.target[part]
            signed, odd = half_bits.signs(bits, self.images.dtype)
            if odd:
                _pooled(self.images[part], self.out[part], self.windows, np.maximum, -np.inf, None)
                continue
            if signed:
                block = np.empty_like(bits)
                half_bits.turned(bits, block)
                bits = block
            if self.ready is not None and not signed:
                steps, result = self.ready
            else:
                steps, result = _steps(np.maximum, self.blocks.padded(bits, room), self.windows, target)
            _run(steps)
            if signed or room is not None:  # a window may have nothing but padding
                half_bits.turned(result, target)
            elif result is not target:
                np.copyto(target, result)


def _bound(images: Array, out: Array, windows: Windows, ufunc: np.ufunc, fill: float, factors: Array | None) -> Task:
    """Few elements as steps whose views and memory are there before; the steps themselves take less time than to make those."""
    if images.size <= _FEW and windows.padded == windows.size and images.dtype == out.dtype == _FLOAT32:
        target = out.reshape(-1, *windows.out)
        steps, result = _steps(ufunc, images.reshape(-1, *windows.size), windows, target)
        if factors is not None:
            steps.append((np.divide, result, factors, target))
        if steps and steps[-1][-1] is target:
            return _run, (steps,)
    return _pooled, (images, out, windows, ufunc, fill, factors)


@binder("MaxPoolV3")
def _max_pool(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = needs(inputs[0], "x")
    windows = _max_windows(x.shape[2:], attrs)
    if x.dtype in HALVES and x.size:
        return _HalfMaxima(x, outputs[0], windows).run, ()
    return _bound(x, outputs[0], windows, np.maximum, -np.inf, None)


def _members(windows: Windows, padding: bool) -> Array:
    """How many elements each window's sum is divided by: those in the image, with padding those in the padding too."""
    counts: Array = np.ones((1,) * len(windows.size), np.float32)
    for axis, (size, (before, after), places, stride, number) in enumerate(
        zip(windows.size, windows.pads, windows.kernel, windows.stride, windows.out, strict=True)
    ):
        starts = np.arange(number) * stride - before
        ends = np.minimum(starts + places, size + after)
        found = ends - starts if padding else np.minimum(ends, size) - np.maximum(starts, 0)
        shape = [1] * len(windows.size)
        shape[axis] = number
        counts = counts * found.astype(np.float32).reshape(shape)
    return counts


@binder("AvgPool3D")
def _avg_pool(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = needs(inputs[0], "x")
    windows = _mean_windows(x.shape[2:], attrs)
    divisor = int(attrs["divisor_override"])
    factors = np.float32(divisor).reshape(1) if divisor else _members(windows, bool(attrs["count_include_pad"]))
    return _bound(x, outputs[0], windows, np.add, 0, np.asarray(factors))


@kernel("MaxPool3DWithArgmaxV2")
def _max_pool_found(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Maxima and where they are in the flattened volume; a NaN is the largest, the last one where there are several."""
    x = needs(inputs[0], "x")
    windows = _found_windows(x.shape[2:], attrs)
    blocks = _Blocks(x, windows, -np.inf)
    values, places = (out.reshape(-1, *windows.out) for out in outputs)
    steps = (windows.size[1] * windows.size[2], windows.size[2], 1)
    starts, firsts = _starts(windows, steps)

    def work(start: int, stop: int) -> None:
        room = blocks.room()
        for number in range(start, stop):
            part, block = blocks.of(number, room)
            best, where = _largest(block, windows, steps, firsts)
            store(best, values[part])
            np.add(where, starts, out=places[part])

    shared(blocks.number, work, x.size >= _LARGE)


def _starts(windows: Windows, steps: Shape) -> tuple[Array, Array]:
    """Flat number of each window's first place, which may lie before the image, and from there to its first place inside."""
    starts: Array = np.zeros((1,) * 3, np.int32)
    firsts: Array = np.zeros((1,) * 3, np.int32)
    for axis in range(3):
        begin = np.arange(windows.out[axis], dtype=np.int32) * windows.stride[axis] - windows.pads[axis][0]
        skipped = -(np.minimum(begin, 0) // windows.dilation[axis]) * windows.dilation[axis]
        shape = [1] * 3
        shape[axis] = -1
        starts = starts + (begin * steps[axis]).astype(np.int32).reshape(shape)
        firsts = firsts + (skipped * steps[axis]).astype(np.int32).reshape(shape)
    return starts, firsts


def _largest(block: Array, windows: Windows, steps: Shape, firsts: Array) -> tuple[Array, Array]:
    """Maxima and how far they are from their window's start.

    The number of the last place that exceeded all before it is where the maximum is: so it is kept as the largest of such numbers, from 1.
    """
    shape = (block.shape[0], *windows.out)
    small = np.uint8 if math.prod(windows.kernel) < 256 else np.uint16 if math.prod(windows.kernel) < 65536 else np.uint32
    best: Array = np.full(shape, -np.inf, block.dtype)
    numbers: Array = np.zeros(shape, small)
    found: Array = np.empty(shape, small)
    larger: Array = np.empty(shape, np.bool_)
    offsets = [0]
    odd = bool(np.isnan(np.maximum.reduce(block, axis=None)))
    for number, (place, elements) in enumerate(windows.offsets(), 1):
        seen = block[along(slice(None), *elements)]
        np.greater(seen, best, out=larger)
        if odd:
            np.logical_or(larger, np.isnan(seen), out=larger)
        np.maximum(best, seen, out=best)
        np.multiply(larger.view(np.uint8), small(number), out=found, dtype=small)
        np.maximum(numbers, found, out=numbers)
        offsets.append(sum(map(int.__mul__, map(int.__mul__, place, windows.dilation), steps)))
    where = np.take(np.array(offsets, np.int32), numbers)
    if not numbers.all():  # windows of nothing but -inf
        np.copyto(where, firsts, where=numbers == 0)
    return best, where


# Windows of nearly the same size, as many as are asked for


def _bounds(size: int, number: int) -> list[tuple[int, int]]:
    return [(at * size // number, -(-(at + 1) * size // number)) for at in range(number)]


_FEW_WINDOWS: Final = 32
"""Windows of an axis up to which a product with a matrix of their members is quicker than a sum for each."""


@lru_cache(maxsize=64)
def _belonging(size: int, number: int) -> tuple[Array, Array]:
    """What an axis is multiplied by to be summed up over windows, (size, number), and how many elements each has."""
    members = np.zeros((size, number), np.float32)
    for at, (start, stop) in enumerate(_bounds(size, number)):
        members[start:stop, at] = 1
    counts = members.sum(0)
    for array in (members, counts):
        array.flags.writeable = False
    return members, counts


@kernel("AdaptiveAvgPool3d")
def _adaptive_mean(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = float32_of(needs(inputs[0], "x")), outputs[0]
    first = _first_of_volume(attrs)
    axes = [axis for axis in range(first, first + 3) if x.shape[axis] != out.shape[axis]]
    if x.size and all(out.shape[axis] <= _FEW_WINDOWS for axis in axes):
        block = x
        for axis in reversed(axes):
            block = _averaged(block, axis, out.shape[axis])
        if np.isfinite(block).all():  # else a window may have met what is infinite in another one
            store(block, out)
            return
    for axis in axes:
        x = _averaged_one_by_one(x, axis, out.shape[axis])
    store(x, out)


def _averaged(block: Array, axis: int, number: int) -> Array:
    """An axis averaged over windows by the matrix library."""
    shape, size = block.shape, block.shape[axis]
    means = np.empty((*shape[:axis], number, *shape[axis + 1 :]), np.float32)
    lead, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    members, counts = _belonging(size, number)
    sums = means.reshape(lead, number, inner)
    if inner == 1:
        product(block.reshape(lead, size), members, sums[..., 0])
    else:
        product(members.T, block.reshape(lead, size, inner), sums)
    np.divide(sums, counts[:, None], sums)
    return means


def _averaged_one_by_one(block: Array, axis: int, number: int) -> Array:
    lead = (slice(None),) * axis
    means = np.empty((*block.shape[:axis], number, *block.shape[axis + 1 :]), np.float32)
    for at, (start, stop) in enumerate(_bounds(block.shape[axis], number)):
        target = means[along(*lead, at)]
        np.add.reduce(block[along(*lead, slice(start, stop))], axis=axis, out=target)
        np.divide(target, np.float32(stop - start), out=target)
    return means


@kernel("AdaptiveMaxPool3d")
def _adaptive_max(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Columns, rows, then planes: of equal maxima the first in the flattened volume wins."""
    values, (out, places) = float32_of(needs(inputs[0], "x")), outputs
    if values.size and all(size % number == 0 for size, number in zip(values.shape[2:], out.shape[2:], strict=True)):
        _equal_maxima(values, out, places)
        return
    found: Array = np.arange(math.prod(values.shape[2:]), dtype=np.int32).reshape(1, 1, *values.shape[2:])
    found = np.broadcast_to(found, values.shape)
    for axis in (4, 3, 2):
        if values.shape[axis] == out.shape[axis]:
            continue
        values, found = _largest_of_windows(values, found, axis, out.shape[axis])
    store(values, out)
    np.copyto(places, found)


def _largest_of_windows(values: Array, found: Array, axis: int, number: int) -> tuple[Array, Array]:
    """The largest of each window of an axis, and what stands at its place: a slice after the other, a later one where it is larger or
    the first NaN."""
    slices, places = np.ascontiguousarray(np.moveaxis(values, axis, 0)), np.moveaxis(found, axis, 0)
    shape = (number, *slices.shape[1:])
    best, where = np.empty(shape, values.dtype), np.empty(shape, found.dtype)
    for at, (start, stop) in enumerate(_bounds(slices.shape[0], number)):
        largest, place = best[at], where[at]
        np.copyto(largest, slices[start])
        np.copyto(place, places[start])
        for later in range(start + 1, stop):
            larger = np.less_equal(slices[later], largest)
            np.logical_not(larger, larger)
            np.logical_and(larger, largest == largest, larger)
            choose(largest, larger, slices[later], largest)
            choose(place, larger, places[later], place)
    return np.moveaxis(best, 0, axis), np.moveaxis(where, 0, axis)


def _equal_maxima(values: Array, out: Array, places: Array) -> None:
    """Windows of one size, each of them made a row."""
    numbers = out.shape[2:]
    sizes = [whole // number for whole, number in zip(values.shape[2:], numbers, strict=True)]
    apart = values.reshape(-1, *itertools.chain(*zip(numbers, sizes, strict=True)))
    rows = apart.transpose(0, 1, 3, 5, 2, 4, 6).reshape(-1, math.prod(sizes))
    largest = rows.argmax(1)
    store(rows[np.arange(len(rows)), largest].reshape(out.shape), out)
    within = np.unravel_index(np.arange(rows.shape[1]), sizes)
    starts = np.ogrid[tuple(slice(0, whole, size) for whole, size in zip(values.shape[2:], sizes, strict=True))]
    flat = (np.ravel_multi_index(tuple(axes), values.shape[2:]).astype(np.int32) for axes in (within, np.broadcast_arrays(*starts)))
    offsets, begins = flat
    np.add(offsets[largest].reshape(out.shape), begins, out=places)


# Shape rules


def _image(meta: Meta, dims: int) -> None:
    if len(meta.shape) != dims:
        raise ValueError(f"x of shape {list(meta.shape)} is not an image of {dims} dims")


def _rule(x: Meta, dims: int, windows: Any, attrs: Attrs) -> Shape:
    if unknown(x):
        return UNKNOWN_RANK
    _image(x, dims)
    found: Windows = windows(x.shape[2:], attrs)
    return (*x.shape[:2], *found.out)


@infer("MaxPoolV3")
def _max_pool_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, _rule(inputs[0], 4, _max_windows, attrs))]


@infer("AvgPool3D")
def _avg_pool_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, _rule(inputs[0], 5, _mean_windows, attrs))]


@infer("MaxPool3DWithArgmaxV2")
def _max_pool_found_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = _rule(inputs[0], 5, _found_windows, attrs)
    return [Out(inputs[0].dtype, shape), Out(int(DataType.INT32), shape)]


def _first_of_volume(attrs: Attrs) -> int:
    """The first spatial axis of a volume whose channels are second, or else last (NDHWC)."""
    return 2 if attrs["data_format"] == "NCDHW" else 1


def _adaptive_shape(x: Meta, attrs: Attrs, first: int = 2) -> Shape:
    if unknown(x):
        return UNKNOWN_RANK
    _image(x, 5)
    size = [int(value) for value in attrs["output_size"]]
    if len(size) != 3 or min(size) < 1:
        raise ValueError(f"output_size {size} must be three positive values")
    return (*x.shape[:first], *size, *x.shape[first + 3 :])


@infer("AdaptiveAvgPool3d")
def _adaptive_mean_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, _adaptive_shape(inputs[0], attrs, _first_of_volume(attrs)))]


@infer("AdaptiveMaxPool3d")
def _adaptive_max_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = _adaptive_shape(inputs[0], attrs)
    return [Out(inputs[0].dtype, shape), Out(int(DataType.INT32), shape)]
