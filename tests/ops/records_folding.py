"""Test records of windows as columns and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from harness import SAME, Array, Record, Refused, With, array

from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import folding
from ascendtensor.ops.table import folding as table

DTYPES = (d.float32, d.float16, d.bfloat16, d.float64, d.complex64)
STEPS = {d.float16: (4e-3, 1e-2), d.bfloat16: (3e-2, 6e-2)}


def two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def slots(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Iterator[tuple[int, slice, slice]]:
    """For each place of the window: its number, and where it stands in the padded image."""
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = map(two, (kernel, dilation, padding, stride))
    rows, columns = (size[0] + 2 * ph - dh * (kh - 1) - 1) // sh + 1, (size[1] + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    if rows <= 0 or columns <= 0:
        raise ValueError("no window fits")
    for number, (i, j) in enumerate(product(range(kh), range(kw))):
        yield number, slice(i * dh, i * dh + (rows - 1) * sh + 1, sh), slice(j * dw, j * dw + (columns - 1) * sw + 1, sw)


def unfold(x: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    if x.ndim == 3:
        return unfold(x[None], kernel_size, dilation, padding, stride)[0]
    (ph, pw) = two(padding)
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    parts = [padded[:, :, rows, columns] for _, rows, columns in slots(x.shape[2:], kernel_size, dilation, padding, stride)]
    windows = parts[0].shape[2] * parts[0].shape[3]
    return np.stack(parts, 2).reshape(x.shape[0], x.shape[1] * len(parts), windows)


def fold(x: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    if x.ndim == 2:
        return fold(x[None], output_size, kernel_size, dilation, padding, stride)[0]
    (ph, pw), size = two(padding), two(output_size)
    places = int(np.prod(two(kernel_size)))
    parts = x.reshape(x.shape[0], x.shape[1] // places, places, x.shape[2])
    whole = np.zeros((*parts.shape[:2], size[0] + 2 * ph, size[1] + 2 * pw), x.dtype)
    for number, rows, columns in slots(size, kernel_size, dilation, padding, stride):
        target = whole[:, :, rows, columns]
        target += parts[:, :, number].reshape(target.shape)
    return whole[:, :, ph : ph + size[0], pw : pw + size[1]]


def columns(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (2, 3, 6, 5))
    yield x, 2
    yield With((x, (3, 2)), {"dilation": (1, 2), "padding": (1, 0), "stride": 2})
    yield x[0], (2, 1)
    yield x.transpose(0, 1, 3, 2), (2, 3)
    yield array(dtype, (0, 3, 4, 4)), 2


def images(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (2, 3 * 4, 20)), (6, 5), 2
    yield With((array(dtype, (2, 2 * 6, 9)), (6, 5), (3, 2)), {"dilation": (1, 2), "padding": (1, 1), "stride": (2, 2)})
    yield array(dtype, (4, 9)), 4, 2


X = np.zeros((1, 2, 4, 4), np.float32)
RECORDS = [
    Record(
        "unfold",
        folding.unfold,
        unfold,
        columns,
        (table.IM2COL,),
        DTYPES,
        SAME,
        refused=lambda: [
            Refused((X, 5), ValueError, r"input \[4, 4\], kernel \[5, 5\]"),
            Refused((X[0, 0], 2), ValueError, "3 or 4 dimensions"),
            Refused((X, 2), ValueError, "padding", {"padding": -1}),
        ],
    ),
    Record(
        "fold",
        folding.fold,
        fold,
        images,
        (table.COL2IM,),
        DTYPES,
        SAME,
        STEPS,
        refused=lambda: [
            Refused((np.zeros((1, 8, 8), np.float32), 4, 2), ValueError, r"8 windows.*\[3, 3\], 9"),
            Refused((np.zeros((1, 5, 9), np.float32), 4, 2), ValueError, "4 places"),
        ],
    ),
]
