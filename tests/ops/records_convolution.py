"""Test records of convolutions, their transposed forms and their gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from harness import SAME, Array, Record, Refused, With, array

from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import convolution
from ascendtensor.ops.table import convolution as table

SIZES = (7, 6, 5)
DTYPES = (d.float32, d.float16, d.bfloat16, d.float64)
STEPS = {d.float32: (1e-4, 1e-4), d.float16: (1e-2, 2e-2), d.bfloat16: (4e-2, 1e-1), d.float64: (1e-10, 1e-10), d.complex64: (1e-4, 1e-4)}


def many(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def slots(place: tuple[int, ...], counts: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> tuple[slice, ...]:
    """Where a place of the window stands, for every window."""
    starts = map(int.__mul__, place, dilation)
    return tuple(slice(at, at + (count - 1) * step + 1, step) for at, count, step in zip(starts, counts, stride, strict=True))


class Geometry:
    """One convolution's numbers, for each spatial dimension."""

    def __init__(self, rank: int, stride: Any, padding: Any, dilation: Any, kernel: tuple[int, ...]) -> None:
        self.stride, self.dilation, self.kernel = many(stride, rank), many(dilation, rank), kernel
        spans = [(size - 1) * gap + 1 for size, gap in zip(kernel, self.dilation, strict=True)]
        if padding == "same":
            self.pads = [((span - 1) // 2, span - 1 - (span - 1) // 2) for span in spans]
        else:
            self.pads = [(side, side) for side in many(0 if padding == "valid" else padding, rank)]
        self.spans = spans

    def counts(self, size: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            (length + sum(pads) - span) // step + 1
            for length, pads, span, step in zip(size, self.pads, self.spans, self.stride, strict=True)
        )

    def places(self) -> Iterator[tuple[int, ...]]:
        return product(*map(range, self.kernel))


def conv(x: Array, weight: Array, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Array:
    rank = weight.ndim - 2
    if x.ndim == rank + 1:
        return conv(x[None], weight, bias, stride, padding, dilation, groups)[0]
    geometry = Geometry(rank, stride, padding, dilation, weight.shape[2:])
    counts = geometry.counts(x.shape[2:])
    if min(counts) < 1 or min(weight.shape[2:]) < 1 or x.shape[1] != weight.shape[1] * groups:
        raise ValueError("no window fits, or other channels")
    padded = np.pad(x, [(0, 0), (0, 0), *geometry.pads])
    parts = []
    for images, filters in zip(np.split(padded, groups, 1), np.split(weight, groups), strict=True):
        total = np.zeros((x.shape[0], filters.shape[0], *counts), x.dtype)
        for place in geometry.places():
            seen = images[(..., *slots(place, counts, geometry.stride, geometry.dilation))]
            total += np.einsum("nc...,oc->no...", seen, filters[(..., *place)])
        parts.append(total)
    result = np.concatenate(parts, 1)
    return result if bias is None else result + bias.reshape(-1, *(1,) * rank)


def transposed(
    x: Array,
    weight: Array,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Array:
    rank = weight.ndim - 2
    if x.ndim == rank + 1:
        return transposed(x[None], weight, bias, stride, padding, output_padding, groups, dilation)[0]
    geometry = Geometry(rank, stride, padding, dilation, weight.shape[2:])
    whole = [(length - 1) * step + span for length, step, span in zip(x.shape[2:], geometry.stride, geometry.spans, strict=True)]
    extra = many(output_padding, rank)
    parts = []
    for images, filters in zip(np.split(x, groups, 1), np.split(weight, groups), strict=True):
        total = np.zeros((x.shape[0], weight.shape[1], *map(int.__add__, whole, extra)), x.dtype)
        for place in geometry.places() if x[0:1, 0:1].size else ():
            total[(..., *slots(place, x.shape[2:], geometry.stride, geometry.dilation))] += np.einsum(
                "nc...,co->no...", images, filters[(..., *place)]
            )
        parts.append(total)
    cut = [slice(pads[0], total.shape[2 + at] - pads[1]) for at, pads in enumerate(geometry.pads)]
    result = np.concatenate(parts, 1)[(..., *cut)]
    return result if bias is None else result + bias.reshape(-1, *(1,) * rank)


def to_input(size: Any, weight: Array, grad: Array, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Array:
    rank = weight.ndim - 2
    if conv(np.zeros(size), weight, None, stride, padding, dilation, groups).shape != grad.shape:
        raise ValueError(f"{grad.shape} is not what {size} gives")
    least = transposed(grad, weight, None, stride, padding, 0, groups, dilation)
    extra = tuple(length - have for length, have in zip(size[2:], least.shape[2:], strict=True))
    return transposed(grad, weight, None, stride, padding, extra if rank else 0, groups, dilation)


def to_weight(x: Array, size: Any, grad: Array, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Array:
    if conv(x, np.zeros(size), None, stride, padding, dilation, groups).shape != grad.shape:
        raise ValueError(f"{grad.shape} is not what {size} gives")
    geometry = Geometry(len(size) - 2, stride, padding, dilation, tuple(size[2:]))
    padded = np.pad(x, [(0, 0), (0, 0), *geometry.pads])
    result = np.zeros(size, grad.dtype)
    for part in range(groups):
        images = np.split(padded, groups, 1)[part]
        grads = np.split(grad, groups, 1)[part]
        rows = slice(part * size[0] // groups, (part + 1) * size[0] // groups)
        for place in geometry.places():
            seen = images[(..., *slots(place, grad.shape[2:], geometry.stride, geometry.dilation))]
            flat = (values.reshape(*values.shape[:2], math.prod(values.shape[2:])) for values in (seen, grads))
            result[(rows, slice(None), *place)] = np.einsum("ncl,nol->oc", *flat)
    return result


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"stride": 2, "padding": 1},
    {"padding": 2, "dilation": 2, "groups": 2},
    {"padding": "same", "dilation": 2},
    {"stride": 2, "padding": 1, "groups": 4},
)


def samples(rank: int) -> Callable[[DType], Iterator[Any]]:
    def given(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 4, *SIZES[:rank]))
        for options in OPTIONS:
            weight = array(dtype, (4, 4 // options.get("groups", 1), *(3, 2, 2)[:rank]))
            yield With((x, weight, array(dtype, (4,))), options)
        yield x[0], array(dtype, (3, 4, *(1,) * rank))
        yield With((array(dtype, (2, *SIZES[:rank], 4)).swapaxes(1, -1), array(dtype, (8, 1, *(2,) * rank))), {"groups": 4})
        yield array(dtype, (0, 4, *SIZES[:rank])), array(dtype, (3, 4, *(2,) * rank)), array(dtype, (3,))
        yield array(dtype, (1, 0, *SIZES[:rank])), array(dtype, (3, 0, *(2,) * rank)), array(dtype, (3,))
        yield With((array(dtype, (1, 1, *(70, 1, 1)[:rank])), array(dtype, (1, 1, *(2, 1, 1)[:rank]))), {"stride": 65})

    return given


def transposed_samples(rank: int) -> Callable[[DType], Iterator[Any]]:
    def given(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 4, *SIZES[:rank]))
        kernel = (3, 2, 2)[:rank]
        yield x, array(dtype, (4, 3, *kernel)), array(dtype, (3,))
        yield With((x, array(dtype, (4, 3, *kernel)), array(dtype, (3,))), {"stride": 2, "padding": 1, "output_padding": 1})
        yield With((x, array(dtype, (4, 2, *kernel))), {"stride": 2, "groups": 2, "dilation": 2})
        yield With((x, array(dtype, (4, 1, *kernel))), {"dilation": 2, "output_padding": 1})
        yield x[0], array(dtype, (4, 2, *(1,) * rank))
        yield array(dtype, (0, 4, *SIZES[:rank])), array(dtype, (4, 2, *kernel)), array(dtype, (2,))

    return given


def gradients(rank: int, of_weight: bool) -> Callable[[DType], Iterator[Any]]:
    def given(dtype: DType) -> Iterator[Any]:
        for options in (OPTIONS[0], OPTIONS[1], OPTIONS[2]):
            weight = array(dtype, (4, 4 // options.get("groups", 1), *(3, 2, 2)[:rank]))
            x = array(dtype, (2, 4, *SIZES[:rank]))
            grad = array(dtype, conv(x.astype(np.float64), weight.astype(np.float64), **options).shape)
            yield With((x, weight.shape, grad) if of_weight else (x.shape, weight, grad), options)

    return given


X = np.zeros((1, 2, 4, 4), np.float32)
W = np.zeros((3, 2, 2, 2), np.float32)


def refused() -> list[Refused]:
    return [
        Refused((X, np.zeros((1, 2, 5, 5), np.float32)), ValueError, r"input \[4, 4\], kernel \[5, 5\], stride \[1, 1\].*size \[0, 0\]"),
        Refused((X, W), ValueError, r"dilation \[4, 1\]", {"dilation": (4, 1)}),
        Refused((X, W), ValueError, "padding='same'.*stride", {"padding": "same", "stride": 2}),
        Refused((X, W), ValueError, "'full'", {"padding": "full"}),
        Refused((X, W), ValueError, "padding.*negative", {"padding": -1}),
        Refused((X, W), ValueError, "stride.*positive", {"stride": 0}),
        Refused((X, W), ValueError, "groups", {"groups": 3}),
        Refused((X, W), ValueError, "stride.*one int or 2", {"stride": (1, 2, 3)}),
        Refused((X, W), TypeError, "stride", {"stride": 1.5}),
        Refused((X, W[:, :1]), ValueError, r"takes 1 channels, the input has 2"),
        Refused((X, W, np.zeros(2, np.float32)), ValueError, r"bias of shape \[2\]"),
        Refused((X, W.astype(np.float64)), TypeError, "float32 and float64"),
        Refused((X, W, np.zeros(3, np.float16)), TypeError, "float32 and float16"),
        Refused((X[0, 0], W), ValueError, r"3 \(unbatched\) or 4 \(batched\)"),
        Refused((X, W[0]), ValueError, "weight must have 4 dimensions"),
        Refused((X.astype(bool), W.astype(bool)), TypeError, "bool"),
    ]


def transposed_refused() -> list[Refused]:
    weight = np.zeros((2, 3, 2, 2), np.float32)
    return [
        Refused((X, weight), ValueError, "output_padding.*smaller", {"output_padding": 1}),
        Refused((X, weight), ValueError, r"size \[-1, -1\]", {"padding": 3}),
        Refused((X, weight[:1]), ValueError, "takes 1 channels"),
        Refused((X, weight, np.zeros(2, np.float32)), ValueError, r"\[3\] is needed"),
    ]


def gradient_refused() -> list[Refused]:
    return [
        Refused(((1, 2, 4, 4), W, np.zeros((1, 3, 4, 4), np.float32)), ValueError, r"give \[1, 3, 3, 3\]"),
        Refused(((1, 2, 4), W, X), ValueError, "input_size"),
    ]


FORWARD = (
    (convolution.conv1d, ()),
    (convolution.conv2d, (table.CONV2D, table.CONV2D_BFLOAT16)),
    (convolution.conv3d, (table.CONV3D, table.CONV3D_BFLOAT16)),
)
TURNED = (
    (convolution.conv_transpose1d, ()),
    (convolution.conv_transpose2d, (table.CONV2D_TRANSPOSE, table.CONV2D_TRANSPOSE_BFLOAT16)),
    (convolution.conv_transpose3d, (table.CONV3D_TRANSPOSE, table.CONV3D_TRANSPOSE_BFLOAT16)),
)
INPUTS = (
    (convolution.conv1d_input, ()),
    (convolution.conv2d_input, (table.CONV2D_INPUT,)),
    (convolution.conv3d_input, (table.CONV3D_INPUT,)),
)
WEIGHTS = (
    (convolution.conv1d_weight, ()),
    (convolution.conv2d_weight, (table.CONV2D_WEIGHT,)),
    (convolution.conv3d_weight, (table.CONV3D_WEIGHT,)),
)


def of(function: Any, reference: Any, given: Any, rows: Any, dtypes: Any = DTYPES, refuses: Any = tuple) -> Record:
    refuses = refuses if "2d" in function.__name__ else tuple
    return Record(function.__name__, function, reference, given, rows, dtypes, SAME, STEPS, refused=refuses)


def any_convolution(
    x: Array, weight: Array, bias: Any, stride: Any, padding: Any, dilation: Any, turned: bool, extra: Any, groups: int
) -> Array:
    if turned:
        return transposed(x, weight, bias, stride, padding, extra, groups, dilation)
    return conv(x, weight, bias, stride, padding, dilation, groups)


def any_samples(dtype: DType) -> Iterator[Any]:
    for rank in (1, 2, 3):
        x = array(dtype, (2, 4, *SIZES[:rank]))
        yield x, array(dtype, (4, 2, *(2,) * rank)), array(dtype, (4,)), 2, 1, 1, False, 0, 2
        yield x, array(dtype, (4, 2, *(2,) * rank)), None, (2,) * rank, 0, 1, True, 1, 2


def tbc(x: Array, weight: Array, bias: Array, pad: int = 0) -> Array:
    return conv(x.transpose(1, 2, 0), weight.transpose(2, 1, 0), bias, 1, pad).transpose(2, 0, 1)


EXACT = (*DTYPES, d.int32, d.complex64)
RECORDS = [
    *(of(f, conv, samples(rank), rows, EXACT, refused) for rank, (f, rows) in enumerate(FORWARD, 1)),
    *(of(f, transposed, transposed_samples(rank), rows, EXACT, transposed_refused) for rank, (f, rows) in enumerate(TURNED, 1)),
    *(of(f, to_input, gradients(rank, False), rows, DTYPES, gradient_refused) for rank, (f, rows) in enumerate(INPUTS, 1)),
    *(of(f, to_weight, gradients(rank, True), rows) for rank, (f, rows) in enumerate(WEIGHTS, 1)),
    of(convolution.convolution, any_convolution, any_samples, ()),
    of(convolution.conv_tbc, tbc, lambda dtype: [(array(dtype, (6, 2, 3)), array(dtype, (3, 3, 4)), array(dtype, (4,)), 1)], ()),
]
