"""Convolutions and their gradients: windows gathered into columns in blocks that stay in the cache, one matrix product for each block.

Half types are multiplied as float32 and rounded once. Layout is NCHW or NCDHW, the filter's OIHW or OIDHW.
Sources: operator prototypes of nn_calculation_ops.h, CANN 8.1.RC1, with the limits that its comments state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import depthwise
from ascendtensor.simulator.kernels.blocks import divisor
from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.operands import known_ints, needs, same, unknown
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
    layout,
)
from ascendtensor.simulator.kernels.threads import SMALL, shared
from ascendtensor.simulator.kernels.windows import Pairs, Windows, along, count, in_range, padded_image, pairs, spatial

_COLUMNS = 1 << 19
"""Elements of a block of columns."""
_FEWEST = 64
"""Windows of a block, at least: products with fewer columns are slow."""
_BETWEEN = 100
"""Up to so many products of what lies between two rows of windows with outputs, gathering long runs gains more than they cost."""
_SHORT = 96
"""Windows of a row up to which runs of whole rows are worth it."""
_LARGE = 1 << 24
"""Multiplications from which both cores are worth it. Few outputs are mostly gathering, which two cores do hardly faster than one."""

_FORWARD = ("Conv2D", "Conv3D")
_TURNED = ("Conv2DTranspose", "Conv3DTranspose")
_TO_INPUT = ("Conv2DBackpropInput", "Conv3DBackpropInput")
_TO_FILTER = ("Conv2DBackpropFilter", "Conv3DBackpropFilter")
_LAYOUTS = {4: "NCHW", 5: "NCDHW"}

layout("NCHW", *(name for name in (*_FORWARD, *_TURNED, *_TO_INPUT, *_TO_FILTER) if name.startswith("Conv2D")))
layout("NCDHW", *(name for name in (*_FORWARD, *_TURNED, *_TO_INPUT, *_TO_FILTER) if name.startswith("Conv3D")))


class _Settings(NamedTuple):
    """The attributes of every operator here, for the spatial axes only."""

    stride: Shape
    dilation: Shape
    pads: Pairs
    groups: int


def _settings(attrs: Attrs, ndim: int) -> _Settings:
    """The attributes, checked against the limits of the chip.

    Raises:
        ValueError: One does not fit.
    """
    if attrs["data_format"] != _LAYOUTS[ndim]:
        raise ValueError(f"data_format {attrs['data_format']}: binaries exist for {_LAYOUTS[ndim]}")
    if attrs.get("offset_x", 0):
        raise ValueError("offset_x is for quantised operands")
    rank = ndim - 2
    found = _Settings(
        spatial(attrs["strides"], rank, "strides"),
        spatial(attrs["dilations"], rank, "dilations"),
        pairs(attrs["pads"], rank),
        int(attrs["groups"]),
    )
    in_range(found.stride, 1, 63, "strides")
    in_range(found.dilation, 1, 255, "dilations")
    in_range([each for pair in found.pads for each in pair], 0, 255, "pads")
    if found.groups < 1:
        raise ValueError(f"groups is {found.groups}")
    return found


def _windows(image: Shape, weight: Shape, out: Shape, attrs: Attrs) -> tuple[Windows, int]:
    """The windows over an image (N, C, ...) that a filter makes an output of, and the number of groups."""
    settings = _settings(attrs, len(image))
    return Windows(image[2:], weight[2:], settings.stride, settings.dilation, settings.pads, out[2:]), settings.groups


class _Grouped(NamedTuple):
    """Filter and sizes of a grouped convolution in the form that products take.

    Attributes:
        weight: (groups, outputs of a group, inputs of a group * window).
        groups, inputs, outputs: Numbers; the last two of one group.
    """

    weight: Array
    groups: int
    inputs: int
    outputs: int


def _grouped(weight: Array, groups: int) -> _Grouped:
    outputs, inputs = weight.shape[0] // groups, weight.shape[1]
    return _Grouped(float32_of(weight).reshape(groups, outputs, -1), groups, inputs, outputs)


_Blocks = tuple[tuple[tuple[Any, ...], int, int], ...]
"""Index, first window and number of windows of each block."""


class _Columns:
    """Columns of one image at a time: (groups, inputs of a group * window, windows of a block); `rows` are the windows that blocks cut."""

    def __init__(self, images: Array, windows: Windows, rows: Windows, groups: int, inputs: int, blocks: _Blocks) -> None:
        self.images = images
        self.interior = along(slice(-1), *windows.interior)
        self.shape = (groups, inputs * math.prod(windows.kernel))
        self.current = -1
        # Wide rows reach into what lies behind an image: another one, or a channel more than it has.
        self.padded = padded_image(windows, (groups * inputs + 1,), np.dtype(np.float32))
        self.view = rows.view(self.padded, (groups, inputs))
        bare = len(images) - 1 if windows.padded == windows.size and images.dtype == np.float32 else 0
        self.bare = rows.view(images.reshape(-1, *windows.size), (bare, groups, inputs))
        self.blocks = blocks
        self.room = np.empty(math.prod(self.shape) * _longest(blocks), np.float32)
        self.parts: dict[int, tuple[Any, Array, Array]] = {}

    def of(self, image: int, block: int) -> Array:
        view = self.bare[image] if image < len(self.bare) else self._padded(image)
        index, target, columns = self.parts.get(block) or self._part(block)
        np.copyto(target, view[index])
        return columns

    def _part(self, block: int) -> tuple[Any, Array, Array]:
        """What a block is of the view, and the room for it, in that shape and as columns."""
        index, _, number = self.blocks[block]
        columns = self.room[: math.prod(self.shape) * number].reshape(*self.shape, number)
        whole = along(..., *index)
        found = self.parts[block] = whole, columns.reshape(self.view[whole].shape), columns
        return found

    def _padded(self, image: int) -> Array:
        if image != self.current:
            self.current = image
            self.padded[self.interior] = float32_of(self.images[image])
        return self.view


def _longest(blocks: _Blocks) -> int:
    return max((number for _, _, number in blocks), default=0)


class _Products:
    """Where products are made and go: into the output (image, groups, outputs of a group, *windows) at once, or by way of a room."""

    def __init__(self, out: Array, rows: Windows, blocks: _Blocks) -> None:
        self.rows = rows
        self.blocks = blocks
        self.wide = out.shape[3:] != rows.out
        self.out = out if self.wide else out.reshape(*out.shape[:3], -1)
        self.lead = out.shape[1:3]
        self.direct = out.dtype == np.float32 and not self.wide
        self.room = np.empty(0 if self.direct else math.prod(self.lead) * _longest(blocks), np.float32)
        self.parts: dict[int, tuple[Any, Array, Array]] = {}

    def of(self, image: int, block: int) -> Array:
        if self.direct:
            _, first, number = self.blocks[block]
            target: Array = self.out[image, ..., first : first + number]
            return target
        return (self.parts.get(block) or self._part(block))[2]

    def keep(self, image: int, block: int) -> None:
        """Moves a product from the room to where it belongs."""
        if not self.direct:
            index, kept, _ = self.parts[block]
            target = self.out[image][index]
            store(kept if target.dtype == np.float32 else np.ascontiguousarray(kept), target)

    def _part(self, block: int) -> tuple[Any, Array, Array]:
        """What a block is of an image's output, and the room for it, without what lies between windows and with it."""
        index, first, number = self.blocks[block]
        product = kept = self.room[: math.prod(self.lead) * number].reshape(*self.lead, number)
        place = along(..., slice(first, first + number))
        if self.wide:
            place = along(slice(None), slice(None), index[0])
            sizes = self.out[0][place].shape
            kept = product.reshape(*sizes[:3], *self.rows.out[1:])[along(..., *map(slice, sizes[3:]))]
        found = self.parts[block] = place, kept, product
        return found


def _rows(windows: Windows, outputs: int, elements: int) -> Windows:
    """The windows as they are worked on: wide ones are gathered in long runs, but what lies between them is multiplied for nothing."""
    wide = windows.wide
    between = math.prod(wide.out[1:]) / math.prod(windows.out[1:-1]) - windows.out[-1]
    pays = windows.out[-1] <= _SHORT and 0 < between * outputs <= _BETWEEN and math.prod(wide.out[1:]) <= elements
    return wide if pays and math.prod(windows.out[:-1]) > 1 and max(windows.stride) == 1 else windows


def _share(number: int, work: Callable[[int, int], None], multiplications: int) -> None:
    if number:
        shared(number, work, multiplications >= _LARGE, multiplications > SMALL)


_Tools = tuple[Callable[[int, int], Array], _Products]


class _Convolution:
    """`out` = convolution of `image`, made ready for given arrays.

    Many groups (a depthwise convolution) are worked on in parts, as if they were more images.
    """

    def __init__(self, image: Array, weight: Array, bias: Array | None, out: Array, windows: Windows, groups: int) -> None:
        self.image, self.weight, self.bias = image, weight, bias
        self.windows = windows
        self.inputs, self.outputs = weight.shape[1], weight.shape[0] // groups
        self.height = self.inputs * math.prod(windows.kernel)
        self.together = divisor(groups, _COLUMNS // (self.height * _FEWEST))
        elements = max(_COLUMNS // (self.height * self.together), _FEWEST)
        self.pointwise = windows.pointwise
        self.rows = windows if self.pointwise else _rows(windows, self.outputs, elements)
        self.out = out.reshape(-1, self.together, self.outputs, *windows.out)
        self.blocks = self.rows.blocks(elements)

    def run(self) -> None:
        image = float32_of(self.image) if self.pointwise else self.image
        images = image.reshape(-1, self.together * self.inputs, *self.windows.size)
        filters = float32_of(self.weight).reshape(-1, self.together, self.outputs, self.height)
        added = None if self.bias is None else float32_of(self.bias).reshape(-1, self.together, self.outputs, 1)
        multiplications = self.height * self.out.size
        _share(len(images) * len(self.blocks), partial(self._work, images, filters, added, []), multiplications)

    def _work(self, images: Array, filters: Array, added: Array | None, free: list[_Tools], start: int, stop: int) -> None:
        try:
            gather, products = free.pop()  # what another part has left
        except IndexError:
            gather, products = self._tools(images)
        for piece in range(start, stop):
            image, block = divmod(piece, len(self.blocks))
            result = products.of(image, block)
            np.matmul(filters[image % len(filters)], gather(image, block), result)
            if added is not None:
                np.add(result, added[image % len(filters)], result)
            products.keep(image, block)
        free.append((gather, products))

    def _tools(self, images: Array) -> _Tools:
        """What gives the columns of a block, and where products go."""
        products = _Products(self.out, self.rows, self.blocks)
        if self.pointwise:
            return partial(_uncut, images.reshape(len(images), self.together, self.inputs, -1), self.blocks), products
        return _Columns(images, self.windows, self.rows, self.together, self.inputs, self.blocks).of, products


def _uncut(images: Array, blocks: _Blocks, image: int, block: int) -> Array:
    """The columns of windows of one element each, which are there already."""
    _, first, number = blocks[block]
    columns: Array = images[image, ..., first : first + number]
    return columns


def spread(values: Array, weight: Array, bias: Array | None, out: Array, windows: Windows, groups: int) -> None:
    """`out` = the transposed convolution of `values`: every element adds its multiple of the filter to its window of `out`."""
    if all(step == 1 for step in windows.stride) and all(max(pair) <= gap * (size - 1) for pair, gap, size in _sides(windows)):
        _turned_round(values, weight, bias, out, windows, groups)
        return
    by = _grouped(weight, groups)
    turned = np.ascontiguousarray(by.weight.transpose(0, 2, 1))
    length = math.prod(windows.out)
    wide = float32_of(values).reshape(values.shape[0], groups, by.outputs, length)
    blocks = windows.blocks(max(_COLUMNS // (turned.shape[1] * groups), _FEWEST))
    added = None if bias is None else float32_of(bias).reshape(-1, *(1,) * len(windows.size))

    def work(start: int, stop: int) -> None:
        padded = padded_image(windows, (groups, by.inputs), np.dtype(np.float32))
        for at in range(start, stop):
            padded[...] = 0
            for index, first, number in blocks:
                columns = np.matmul(turned, wide[at, ..., first : first + number])
                _add_columns(padded, columns.reshape(groups, by.inputs, *windows.kernel, -1), windows, index)
            image = padded.reshape(-1, *windows.padded)[along(slice(None), *windows.interior)]
            if added is not None:
                image = np.add(image, added)
            np.copyto(out[at], image, casting="unsafe")

    _share(out.shape[0], work, out.shape[0] * weight.size * length)


def _sides(windows: Windows) -> Iterator[tuple[tuple[int, int], int, int]]:
    return zip(windows.pads, windows.dilation, windows.kernel, strict=True)


def _turned_round(values: Array, weight: Array, bias: Array | None, out: Array, windows: Windows, groups: int) -> None:
    """For steps of 1: a convolution with the filter turned round and its channels exchanged, which has nothing to add up in memory."""
    apart = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:]).swapaxes(1, 2)
    turned = np.flip(apart, tuple(range(3, apart.ndim))).reshape(groups * weight.shape[1], -1, *windows.kernel)
    pads = tuple((gap * (size - 1) - before, gap * (size - 1) - after) for (before, after), gap, size in _sides(windows))
    _Convolution(values, turned, bias, out, windows._replace(size=windows.out, pads=pads, out=windows.size), groups).run()


def _add_columns(padded: Array, columns: Array, windows: Windows, index: tuple[Any, ...]) -> None:
    """Add the columns of a block of windows to where they lie."""
    for place, elements in windows.offsets():
        target = padded[along(..., *elements)][along(..., *index)]
        values = columns[along(slice(None), slice(None), *place)]
        np.add(target, values.reshape(target.shape), out=target)


def correlate(image: Array, values: Array, out: Array, windows: Windows, groups: int) -> None:
    """`out` = the gradient of the filter: each place of the window by each output, summed over images and windows."""
    outputs, inputs = out.shape[0] // groups, out.shape[1]
    length = math.prod(windows.out)
    wide = float32_of(values).reshape(values.shape[0], groups, outputs, length)
    blocks = windows.blocks(max(_COLUMNS // (inputs * math.prod(windows.kernel) * groups), _FEWEST))
    sums = np.zeros((groups, outputs, inputs * math.prod(windows.kernel)), np.float32)
    free: list[tuple[_Columns, Array]] = []

    def work(start: int, stop: int) -> None:
        try:
            columns, total = free.pop()
        except IndexError:
            columns, total = _Columns(image, windows, windows, groups, inputs, blocks), np.zeros_like(sums)
        for piece in range(start, stop):
            at, block = divmod(piece, len(blocks))
            _, first, number = blocks[block]
            total += np.matmul(wide[at, ..., first : first + number], columns.of(at, block).swapaxes(-1, -2))
        free.append((columns, total))

    _share(image.shape[0] * len(blocks), work, image.shape[0] * out.size * length)
    for _, total in free:
        sums += total
    np.copyto(out, sums.reshape(out.shape), casting="unsafe")


@binder(*_FORWARD)
def _conv(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, weight = needs(inputs[0], "x"), needs(inputs[1], "filter")
    bias, out = _optional(inputs, 2), outputs[0]
    windows, groups = _windows(x.shape, weight.shape, out.shape, attrs)
    run = _Convolution(x, weight, bias, out, windows, groups).run
    if groups == x.shape[1] and depthwise.pays(weight, windows):
        run = depthwise.Depthwise(x, weight, bias, out, windows, run).run
    return run, ()


@binder(*_TURNED)
def _transposed(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """An image whose windows are the operand's elements."""
    x, weight, out = needs(inputs[1], "x"), needs(inputs[2], "filter"), outputs[0]
    return spread, (x, weight, _optional(inputs, 3), out, *_windows(out.shape, weight.shape, x.shape, attrs))


@binder(*_TO_INPUT)
def _to_input(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    weight, values, out = needs(inputs[1], "filter"), needs(inputs[2], "out_backprop"), outputs[0]
    return spread, (values, weight, None, out, *_windows(out.shape, weight.shape, values.shape, attrs))


@binder(*_TO_FILTER)
def _to_filter(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, values, out = needs(inputs[0], "x"), needs(inputs[2], "out_backprop"), outputs[0]
    return correlate, (x, values, out, *_windows(x.shape, out.shape, values.shape, attrs))


def _optional(inputs: Inputs, position: int) -> Array | None:
    return inputs[position] if len(inputs) > position else None


# Shape rules


def _image(meta: Meta, what: str) -> None:
    if len(meta.shape) not in _LAYOUTS:
        raise ValueError(f"{what} of shape {list(meta.shape)} is not an image of 4 or 5 dims")


def _same_dtypes(*metas: Meta) -> int:
    if len({meta.dtype for meta in metas}) != 1:
        raise ValueError(f"operands of data types {[meta.dtype for meta in metas]} differ")
    return metas[0].dtype


def _check_bias(inputs: list[Meta], position: int, outputs: int) -> None:
    """A bias for each output, of the operands' type, of float32 for bfloat16; the input behind it is reserved."""
    if len(inputs) > position + 1 and not inputs[position + 1].absent:
        raise ValueError("offset_w is reserved")
    if len(inputs) <= position or inputs[position].absent:
        return
    bias = inputs[position]
    wanted = int(DataType.FLOAT) if inputs[position - 1].dtype == DataType.BF16 else inputs[position - 1].dtype
    if bias.dtype != wanted:
        raise ValueError(f"a bias of data type {bias.dtype} does not fit operands of {inputs[position - 1].dtype}")
    if not unknown(bias) and (len(bias.shape) != 1 or (min(bias.shape[0], outputs) >= 0 and bias.shape[0] != outputs)):
        raise ValueError(f"a bias of shape {list(bias.shape)} does not fit {outputs} outputs")


def _check_channels(channels: int, outputs: int, inputs: int, groups: int) -> None:
    if min(channels, inputs) >= 0 and channels != inputs * groups:
        raise ValueError(f"{channels} channels are not {groups} groups of {inputs}")
    if outputs >= 0 and outputs % groups:
        raise ValueError(f"{outputs} outputs can't be divided into {groups} groups")


def _counts(image: Shape, weight: Shape, settings: _Settings) -> Shape:
    in_range([size for size in weight[2:] if size >= 0], 1, 255, "the filter's sizes")
    return tuple(
        -1 if kernel < 0 else count(size, pads, kernel, stride, dilation)
        for size, kernel, stride, dilation, pads in zip(
            image[2:], weight[2:], settings.stride, settings.dilation, settings.pads, strict=True
        )
    )


@infer(*_FORWARD)
def _conv_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, weight = inputs[:2]
    dtype = _same_dtypes(x, weight)
    if unknown(x) or unknown(weight):
        return [Out(dtype, UNKNOWN_RANK)]
    _image(x, "x")
    settings = _settings(attrs, len(x.shape))
    if len(weight.shape) != len(x.shape):
        raise ValueError(f"a filter of shape {list(weight.shape)} does not fit x of shape {list(x.shape)}")
    _check_channels(x.shape[1], weight.shape[0], weight.shape[1], settings.groups)
    _check_bias(inputs, 2, weight.shape[0])
    return [Out(dtype, (x.shape[0], weight.shape[0], *_counts(x.shape, weight.shape, settings)))]


def _from_size(size: Meta, weight: Meta, values: Meta, attrs: Attrs) -> list[Out]:
    """The image of a given size whose windows `values` are."""
    dtype = _same_dtypes(weight, values)
    given = known_ints(size)
    if unknown(weight) or unknown(values) or given is None:
        return [Out(dtype, UNKNOWN_RANK if unknown(values) else (-1,) * len(values.shape))]
    _image(values, "the operand")
    shape = tuple(given)
    settings = _settings(attrs, len(values.shape))
    if len(shape) != len(values.shape) or len(weight.shape) != len(shape):
        raise ValueError(f"input_size {given}, a filter of {list(weight.shape)} and an operand of {list(values.shape)} differ in rank")
    _check_channels(shape[1], weight.shape[0], weight.shape[1], settings.groups)
    wanted = (shape[0], weight.shape[0], *_counts(shape, weight.shape, settings))
    for have, want in zip(values.shape, wanted, strict=True):
        same(have, want, f"an image of size {given} has windows {list(wanted)}, the operand {list(values.shape)}")
    return [Out(dtype, shape)]


@infer(*_TURNED)
def _transposed_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    size, x, weight = inputs[:3]
    found = _from_size(size, weight, x, attrs)
    if not unknown(weight):
        _check_bias(inputs, 3, weight.shape[1] * int(attrs["groups"]) if weight.shape[1] >= 0 else -1)
    rank = len(x.shape) - 2
    if not unknown(x) and tuple(attrs["output_padding"][:2]) != (0, 0):
        raise ValueError(f"output_padding {attrs['output_padding']} must be 0, 0 and {rank} values")
    return found


@infer(*_TO_INPUT)
def _to_input_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    size, weight, values = inputs
    return _from_size(size, weight, values, attrs)


@infer(*_TO_FILTER)
def _to_filter_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, size, values = inputs
    _same_dtypes(x, values)
    given = known_ints(size)
    if unknown(x) or unknown(values) or given is None:
        return [Out(int(DataType.FLOAT), UNKNOWN_RANK if unknown(x) else (-1,) * len(x.shape))]
    _image(x, "x")
    shape = tuple(given)
    settings = _settings(attrs, len(x.shape))
    if len(shape) != len(x.shape) or len(values.shape) != len(shape):
        raise ValueError(f"filter_size {given}, x of {list(x.shape)} and out_backprop of {list(values.shape)} differ in rank")
    _check_channels(x.shape[1], shape[0], shape[1], settings.groups)
    wanted = (x.shape[0], shape[0], *_counts(x.shape, shape, settings))
    for have, want in zip(values.shape, wanted, strict=True):
        same(have, want, f"a filter of size {given} has windows {list(wanted)}, out_backprop {list(values.shape)}")
    return [Out(int(DataType.FLOAT), shape)]
