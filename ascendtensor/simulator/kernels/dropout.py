"""Dropout by a mask that another operator made."""

from __future__ import annotations

import numpy as np

from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.operands import needs, wide
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel


def _drop(x: Array, kept: Array, chance: float, out: Array) -> None:
    """Keeps what the mask says, scaled by one over the chance to be kept."""
    if not 0 <= chance <= 1:
        raise ValueError(f"keep_prob {chance} is not within [0, 1]")
    work = wide(x)
    scale = work.dtype.type(1 / chance) if chance else work.dtype.type(0)
    store(np.where(kept.reshape(x.shape), work * scale, work.dtype.type(0)), out)


@kernel("DropOutDoMask")
def _drop_by_bits(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """The mask is what StatelessDropOutGenMask makes: a bit per element, from the low end of each byte."""
    x, mask = needs(inputs[0], "x"), needs(inputs[1], "mask").reshape(-1)
    if mask.size * 8 < x.size:
        raise ValueError(f"a mask of {mask.size} bytes is too short for {x.size} elements")
    kept = np.unpackbits(mask, count=x.size, bitorder="little") if x.size else np.empty(0, np.uint8)
    _drop(x, kept, float(needs(inputs[2], "keep_prob").reshape(-1)[0]), outputs[0])


@kernel("DropOutDoMaskV3")
def _drop_by_bytes(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _drop(needs(inputs[0], "x"), needs(inputs[1], "mask"), float(needs(inputs[2], "keep_prob").reshape(-1)[0]), outputs[0])


@kernel("DropOutDoMaskV3D")
def _drop_by_bytes_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _drop(needs(inputs[0], "x"), needs(inputs[1], "mask"), attrs["keep_prob"], outputs[0])


@infer("DropOutDoMask", "DropOutDoMaskV3", "DropOutDoMaskV3D")
def _drop_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, inputs[0].shape)]
