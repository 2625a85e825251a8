"""Windows of images as columns (Im2col) and columns added up to images (Col2im), of NCHW images.

Sources: operator prototypes of transformation_ops.h, CANN 8.1.RC1; for an NCHW image the columns are ordered (channels, window) and lie
where the windows do (hicann/ops-math, ``im2col_infershape.cpp``), and x of Col2im is (batch, channels, window, windows), as PyTorch's
adapter gives them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.operands import known_ints, needs, raw, same, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Attrs, Inputs, Meta, Out, Outputs, Shape, infer, kernel, layout
from ascendtensor.simulator.kernels.windows import Windows, along, count, padded_image

layout("NCHW", "Im2col", "Col2im")


def _two(values: Sequence[int], what: str) -> Shape:
    if len(values) not in (1, 2):
        raise ValueError(f"{what} {list(values)} must be one or two values")
    return (int(values[0]), int(values[-1]))


def _gathering(size: Shape, attrs: Attrs) -> Windows:
    """The windows of Im2col; paddings are given for four sides."""
    if attrs["padding_mode"] != "CALCULATED":
        raise ValueError(f"padding_mode {attrs['padding_mode']}: the simulator knows CALCULATED")
    given = list(attrs["pads"])
    if len(given) not in (1, 2, 4):
        raise ValueError(f"pads {given} must be one, two or four values")
    pads = ((given[0], given[1]), (given[2], given[3])) if len(given) == 4 else ((given[0], given[0]), (given[-1], given[-1]))
    kernel, stride, dilation = (_two(attrs[name], name) for name in ("ksizes", "strides", "dilations"))
    out = tuple(count(size[at], pads[at], kernel[at], stride[at], dilation[at]) for at in range(2))
    return Windows(size, kernel, stride, dilation, pads, out)


def _adding(size: Shape, attrs: Attrs) -> Windows:
    """The windows of Col2im; paddings are the same on both sides."""
    kernel, stride, dilation, padding = (_two(attrs[name], name) for name in ("kernel_size", "stride", "dilation", "padding"))
    pads = tuple((side, side) for side in padding)
    out = tuple(count(size[at], pads[at], kernel[at], stride[at], dilation[at]) for at in range(2))
    return Windows(size, kernel, stride, dilation, pads, out)


@kernel("Im2col")
def _im2col(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
    windows = _gathering(x.shape[2:], attrs)
    channels = x.shape[1]
    padded = padded_image(windows, (channels,), x.dtype)
    view = windows.view(padded)
    for image, target in zip(x, out, strict=True):
        padded[along(slice(None), *windows.interior)] = image
        np.copyto(target.reshape(view.shape), view)


@kernel("Col2im")
def _col2im(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = needs(inputs[0], "x"), outputs[0]
    windows = _adding(out.shape[2:], attrs)
    work = np.dtype(np.float32) if x.dtype in HALVES else x.dtype
    padded = padded_image(windows, (out.shape[1],), work)
    for columns, image in zip(x, out, strict=True):
        padded[...] = 0
        parts = columns.reshape(out.shape[1], *windows.kernel, *windows.out)
        for place, elements in windows.offsets():
            target = padded[along(slice(None), *elements)]
            np.add(target, parts[along(slice(None), *place)], out=target, casting="unsafe", dtype=work)
        np.copyto(image, padded[along(slice(None), *windows.interior)], casting="unsafe")


@infer("Im2col")
def _im2col_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    (x,) = inputs
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if len(x.shape) != 4:
        raise ValueError(f"x of shape {list(x.shape)} is not an image of 4 dims")
    windows = _gathering(x.shape[2:], attrs)
    return [Out(x.dtype, (x.shape[0], -1 if x.shape[1] < 0 else x.shape[1] * math.prod(windows.kernel), *windows.out))]


@infer("Col2im")
def _col2im_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, size = inputs
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if len(x.shape) != 4:
        raise ValueError(f"x of shape {list(x.shape)} is not (batch, channels, window, windows)")
    given = known_ints(size)
    if given is None:
        return [Out(x.dtype, (*x.shape[:2], -1, -1))]
    if len(given) != 2:
        raise ValueError(f"output_size {given} must be two values")
    windows = _adding((given[0], given[1]), attrs)
    same(x.shape[2], math.prod(windows.kernel), "the places of a window")
    same(x.shape[3], math.prod(windows.out), "the number of windows")
    return [Out(x.dtype, (*x.shape[:2], *given))]
