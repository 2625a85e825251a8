"""Cross products, and distances of all pairs of rows."""

from __future__ import annotations

import math

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.operands import axis_of, broadcast, needs, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel

_FIRST_OF_THREE = -65530
"""``dim`` of a Cross that is to find the first axis of length 3."""


def _axis(shape: tuple[int, ...], dim: int) -> int:
    if dim != _FIRST_OF_THREE:
        return axis_of(dim, len(shape))
    if 3 not in shape:
        raise ValueError(f"shape {list(shape)} has no axis of length 3")
    return shape.index(3)


@infer("Cross")
def _cross_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x1, x2 = inputs
    if x1.dtype != x2.dtype:
        raise ValueError("x1 and x2 differ in dtype")
    if unknown(x1) or unknown(x2):
        return [Out(x1.dtype, UNKNOWN_RANK)]
    if len(x1.shape) != len(x2.shape) or any(min(one, other) >= 0 and one != other for one, other in zip(x1.shape, x2.shape, strict=True)):
        raise ValueError(f"x1 and x2 have shapes {list(x1.shape)} and {list(x2.shape)}")
    shape = broadcast(x1.shape, x2.shape)
    if -1 not in shape and shape[_axis(shape, int(attrs["dim"]))] != 3:
        raise ValueError(f"axis {attrs['dim']} of shape {list(shape)} has not length 3")
    return [Out(x1.dtype, shape)]


@kernel("Cross")
def _cross(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Integers wrap round in their own dtype; half types are computed in float32."""
    x1, x2 = float32_of(needs(inputs[0], "x1")), float32_of(needs(inputs[1], "x2"))
    axis = _axis(x1.shape, int(attrs["dim"]))
    a, b = np.moveaxis(x1, axis, 0), np.moveaxis(x2, axis, 0)
    out = outputs[0] if outputs[0].dtype == x1.dtype else np.empty(x1.shape, x1.dtype)
    parts = np.moveaxis(out, axis, 0)
    for place in range(3):
        after, last = (place + 1) % 3, (place + 2) % 3
        part = parts[place, ...]  # an array also where it has no dims
        np.multiply(a[after], b[last], out=part)
        part -= a[last] * b[after]
    if out is not outputs[0]:
        store(out, outputs[0])


@infer("Pdist")
def _pairs_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if unknown(x):
        return [Out(x.dtype, (-1,))]
    if len(x.shape) != 2 or x.dtype not in (int(DataType.FLOAT), int(DataType.FLOAT16)):
        raise ValueError(f"x is to be a matrix of float32 or float16, not of shape {list(x.shape)}")
    rows = x.shape[0]
    return [Out(x.dtype, (-1 if rows < 0 else rows * (rows - 1) // 2,))]


@kernel("Pdist")
def _pairs(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """The distance of each row from the later ones, row by row."""
    x, p = float32_of(needs(inputs[0], "x")), float(attrs["p"])
    if not p >= 0:
        raise ValueError(f"p is {p}, which is negative")
    result = np.empty(outputs[0].shape, np.float32)
    start = 0
    for row in range(len(x) - 1):
        count = len(x) - row - 1
        _norms(x[row + 1 :] - x[row], p, result[start : start + count])
        start += count
    store(result, outputs[0])


def _norms(difference: Array, p: float, out: Array) -> None:
    size = np.absolute(difference, out=difference)
    if p == 0:
        np.add.reduce(size != 0, axis=1, out=out)
    elif math.isinf(p):
        np.maximum.reduce(size, axis=1, out=out, initial=0)
    elif p == 1:
        np.add.reduce(size, axis=1, out=out)
    elif p == 2:
        np.matmul(size[:, None, :], size[:, :, None], out[:, None, None])
        np.sqrt(out, out)
    else:
        np.power(np.add.reduce(np.power(size, np.float32(p), out=size), axis=1), np.float32(1 / p), out=out)
