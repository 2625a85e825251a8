"""ComplexAbs, NanToNum and TensorEqual."""

from __future__ import annotations

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Task, binder, infer


@infer("ComplexAbs")
def complex_abs_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The input's shape in the type ``Tout``."""
    return rules.of(rules.type_code(attrs["Tout"]), inputs[0].shape)


@binder("ComplexAbs")
def complex_abs(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = |x|."""
    if outputs[0].dtype != inputs[0].real.dtype:
        raise TypeError(f"ComplexAbs has no kernel from {inputs[0].dtype} to {outputs[0].dtype}")
    return np.absolute, (inputs[0], outputs[0])


infer("NanToNum")(rules.unary)


@binder("NanToNum")
def nan_to_num(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The three float attributes in place of NaN and the infinities."""
    values = tuple(float(attrs[name]) for name in ("nan", "posinf", "neginf"))

    def steps(out: Array, x: Array) -> None:
        nan, high, low = map(out.dtype.type, values)
        np.copyto(out, x)
        if np.isfinite(x).all():
            return
        np.copyto(out, nan, where=x != x)
        np.copyto(out, high, where=x == np.inf)
        np.copyto(out, low, where=x == -np.inf)

    return bind_steps(steps, inputs, outputs[0])


@infer("TensorEqual")
def tensor_equal_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """One boolean."""
    rules.same_dtype(inputs)
    return rules.of(DataType.BOOL, ())


@binder("TensorEqual")
def tensor_equal(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """output_z = whether the shapes are the same and all elements equal."""
    return _tensor_equal, (inputs[0], inputs[1], outputs[0])


def _tensor_equal(left: Array, right: Array, out: Array) -> None:
    out[...] = left.shape == right.shape and bool(np.equal(left, right).all())
