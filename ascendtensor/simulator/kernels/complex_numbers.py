"""Complex numbers of two real ones, their angles and conjugates (math_ops.h)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.registry import NUMPY_OF, Array, Attrs, Meta, Out, Task, binder, infer

_FLOAT32 = np.dtype(np.float32)


@infer("Complex")
def complex_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Parts of one dtype, broadcast, in the type ``Tout``."""
    rules.same_dtype(inputs)
    return rules.of(rules.type_code(attrs["Tout"]), rules.broadcast(inputs[0].shape, inputs[1].shape))


@binder("Complex")
def complex_(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """out = real + imag * i."""
    real, imag = inputs
    out = outputs[0]
    if out.dtype.kind != "c" or out.real.dtype != real.dtype:
        raise TypeError(f"Complex has no kernel from {real.dtype} to {out.dtype}")
    return _join, (out, real, imag)


def _join(out: Array, real: Array, imag: Array) -> None:
    np.copyto(out.real, real)
    np.copyto(out.imag, imag)


infer("Conj")(rules.unary)


@binder("Conj")
def conj(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The conjugate."""
    if inputs[0].dtype.kind != "c":
        raise TypeError(f"Conj has no kernel for {inputs[0].dtype}")
    return np.conjugate, (inputs[0], outputs[0])


def _complex_angle(out: Array, x: Array) -> None:
    np.arctan2(x.imag, x.real, out)


@infer("Angle")
def angle_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The input's shape in the type ``Tout``."""
    return rules.of(rules.type_code(attrs["Tout"]), inputs[0].shape)


@binder("Angle")
def angle(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The angle in radians."""
    if outputs[0].dtype != inputs[0].real.dtype or inputs[0].dtype.kind != "c":
        raise TypeError(f"Angle has no kernel from {inputs[0].dtype} to {outputs[0].dtype}")
    return _complex_angle, (outputs[0], inputs[0])


@infer("AngleV2")
def angle_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """float16 for float16, float32 for all else."""
    half = inputs[0].dtype == int(DataType.FLOAT16)
    return rules.of(DataType.FLOAT16 if half else DataType.FLOAT, inputs[0].shape)


@binder("AngleV2")
def angle_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The angle in radians: 0 or pi for real numbers, NaN for NaN."""
    x, out = inputs[0], outputs[0]
    if x.dtype not in _TAKEN:
        raise TypeError(f"AngleV2 has no kernel for {x.dtype}")
    if x.dtype.kind == "c":
        return _complex_angle, (out, x)

    def steps(target: Array, value: Array) -> None:
        np.multiply(value < 0, target.dtype.type(math.pi), target)
        np.copyto(target, value, where=value != value, casting="unsafe")

    return bind_steps(steps, [x], out, work=x.dtype if x.dtype.kind in "iub" else None, result=_FLOAT32)


_TAKEN: frozenset[np.dtype[Any]] = frozenset(
    NUMPY_OF[int(code)]
    for code in (
        *(DataType.FLOAT16, DataType.FLOAT, DataType.COMPLEX64, DataType.BOOL, DataType.UINT8),
        *(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64),
    )
)
