"""Combinations (split_combination_ops.h): choices of several elements of a vector."""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement, islice

import numpy as np

from ascendtensor.simulator.kernels.operands import raw
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, Task, binder, infer

_BLOCK = 1 << 14
"""Choices put together at a time."""


@infer("Combinations")
def _rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """As many rows of r elements as there are choices."""
    r, (x,) = int(attrs["r"]), inputs
    if r < 0:
        raise ValueError(f"Combinations: r is {r}")
    if len(x.shape) != 1:
        raise ValueError(f"Combinations: a vector is needed, not {list(x.shape)}")
    (length,) = x.shape
    if length < 0:
        return [Out(x.dtype, (-1, r))]
    if attrs["with_replacement"]:
        return [Out(x.dtype, (math.comb(length + r - 1, r) if length else 0, r))]
    return [Out(x.dtype, (math.comb(length, r), r))]


def _combine(x: Array, out: Array, r: int, repeated: bool) -> None:
    choices = (combinations_with_replacement if repeated else combinations)(range(x.size), r)
    for first in range(0, out.shape[0], _BLOCK):
        places = np.array(list(islice(choices, _BLOCK)), np.intp).reshape(-1, r)
        np.take(x, places, out=out[first : first + places.shape[0]], mode="clip")


@binder("Combinations")
def _bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    (x,) = inputs
    assert x is not None
    return _combine, (raw(x), raw(outputs[0]), int(attrs["r"]), bool(attrs["with_replacement"]))
