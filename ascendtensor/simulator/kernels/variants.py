"""Operators that are others in another form: constants as attributes (the types that end in D), sums of several, updates in place."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import registry, rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.operands import needs
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    InferRule,
    Inputs,
    Meta,
    Out,
    Outputs,
    Task,
    add,
    add_rule,
    binder,
    infer,
)

# Constants as attributes

_REDUCTIONS = ("ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceAll", "ReduceAny")


def _fixed(*values: int) -> Array:
    array = np.array(values, np.int64)
    array.flags.writeable = False
    return array


def _axes(shape: tuple[int, ...], attrs: Attrs) -> Array:
    """Those of the attribute; an empty list is all axes."""
    axes = tuple(attrs["axes"])
    if not axes and shape == UNKNOWN_RANK:
        raise ValueError("an empty list of axes needs a known rank")
    return _fixed(*(axes or range(len(shape))))


def _bind_reduction(op_type: str, inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    kernel = registry.lookup(op_type)
    assert kernel is not None
    x = needs(inputs[0], "x")
    return kernel.bind([x, _axes(x.shape, attrs)], outputs, attrs)


def _infer_reduction(op_type: str, inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axes = _axes(inputs[0].shape, attrs)
    return _rule(op_type)([inputs[0], Meta(registry.ACL_OF[axes.dtype], axes.shape, axes)], attrs, num_outputs)


def _rule(op_type: str) -> InferRule:
    rule = registry.infer_rule(op_type)
    assert rule is not None
    return rule


for _name in _REDUCTIONS:
    add(f"{_name}D", partial(_bind_reduction, _name))
    add_rule(f"{_name}D", partial(_infer_reduction, _name))


@binder("CumsumD")
def cumsum_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """As Cumsum, with the axis as an attribute."""
    kernel = registry.lookup("Cumsum")
    assert kernel is not None
    return kernel.bind([inputs[0], _fixed(attrs["axis"]).reshape(())], outputs, attrs)


infer("CumsumD")(rules.unary)


# Sums


@infer("AddN", "AccumulateNV2")
def add_n_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """All of one shape; N is their number."""
    if attrs["N"] != len(inputs):
        raise ValueError(f"N is {attrs['N']}, {len(inputs)} inputs are given")
    if any(UNKNOWN_RANK not in (meta.shape, inputs[0].shape) and not _fit(meta.shape, inputs[0].shape) for meta in inputs):
        raise ValueError(f"shapes {[list(meta.shape) for meta in inputs]} differ")
    return rules.of(rules.same_dtype(inputs), inputs[0].shape)


def _fit(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return len(one) == len(other) and all(-1 in pair or pair[0] == pair[1] for pair in zip(one, other, strict=True))


@binder("AddN", "AccumulateNV2")
def add_n(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = x0 + x1 + ...; halves are summed in float32 and rounded once."""
    return bind_steps(_sum, [needs(array, "every x") for array in inputs], outputs[0])


def _sum(out: Array, first: Array, *others: Array) -> None:
    np.copyto(out, first)
    for other in others:
        np.add(out, other, out)


@binder("AddV2")
def add_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """As Add."""
    return bind_steps(_add, [needs(array, "every input") for array in inputs], outputs[0])


def _add(out: Array, left: Array, right: Array) -> None:
    np.add(left, right, out)


infer("AddV2", "MulNoNan")(rules.elementwise)


@binder("MulNoNan")
def mul_no_nan(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = x1 x2, and 0 where x2 is, whatever x1 is."""
    return bind_steps(_mul_no_nan, [needs(array, "every input") for array in inputs], outputs[0])


def _mul_no_nan(out: Array, left: Array, right: Array) -> None:
    np.multiply(left, right, out)
    np.copyto(out, out.dtype.type(0), where=right == 0)


@infer("BiasAdd")
def bias_add_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """A vector as long as the axis of channels."""
    x, bias = inputs
    if UNKNOWN_RANK not in (x.shape, bias.shape):
        axis = _channels(len(x.shape), attrs)
        if len(bias.shape) != 1 or not _fit(bias.shape, (x.shape[axis],)):
            raise ValueError(f"a bias of shape {list(bias.shape)} does not fit axis {axis} of {list(x.shape)}")
    return rules.of(rules.same_dtype(inputs), x.shape)


def _channels(rank: int, attrs: Attrs) -> int:
    if rank < 2:
        raise ValueError(f"at least 2 axes are needed, not {rank}")
    return 1 if attrs["data_format"].startswith("NC") else rank - 1


@binder("BiasAdd")
def bias_add(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = x + bias along the axis of channels."""
    x, bias = needs(inputs[0], "x"), needs(inputs[1], "bias")
    shape = [1] * x.ndim
    shape[_channels(x.ndim, attrs)] = bias.size
    return bind_steps(_add, [x, bias.reshape(shape)], outputs[0])


@infer("BiasAddGrad")
def bias_add_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """One number a channel; the dtype is the output's own (float32 for halves too)."""
    shape = inputs[0].shape
    return [Out(-1, (-1,) if shape == UNKNOWN_RANK else (shape[_channels(len(shape), attrs)],))]


@binder("BiasAddGrad")
def bias_add_grad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = the sum of x over all axes but that of channels."""
    x = needs(inputs[0], "x")
    kept = _channels(x.ndim, attrs)
    return _sum_over, (x, tuple(axis for axis in range(x.ndim) if axis != kept), outputs[0])


def _sum_over(x: Array, axes: tuple[int, ...], out: Array) -> None:
    out[...] = x.sum(axes, dtype=np.float32 if x.dtype in HALVES else None)


@infer("L2Loss")
def l2_loss_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """One number; the dtype is the output's own."""
    return [Out(-1, ())]


@binder("L2Loss")
def l2_loss(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = sum(x^2) / 2."""
    return _half_square, (needs(inputs[0], "x").reshape(-1), outputs[0])


def _half_square(x: Array, out: Array) -> None:
    wide: Any = np.float32 if x.dtype in HALVES else x.dtype
    total = sum((np.square(x[start : start + 65536], dtype=wide).sum() for start in range(0, x.size, 65536)), start=np.zeros((), wide))
    out[...] = total / 2


# Updates in place


@infer("Assign", "AssignAdd", "AssignSub")
def assign_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Both of one shape; the first one's dtype."""
    ref, value = inputs
    if UNKNOWN_RANK not in (ref.shape, value.shape) and not _fit(ref.shape, value.shape):
        raise ValueError(f"shapes {list(ref.shape)} and {list(value.shape)} differ")
    return rules.of(ref.dtype, ref.shape)


@binder("Assign")
def assign(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """ref = value."""
    return np.copyto, (outputs[0], needs(inputs[1], "value"))


@binder("AssignAdd")
def assign_add(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """ref += value."""
    return bind_steps(_add, [needs(array, "every input") for array in inputs], outputs[0])


@binder("AssignSub")
def assign_sub(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """var -= value."""
    return bind_steps(_subtract, [needs(array, "every input") for array in inputs], outputs[0])


def _subtract(out: Array, left: Array, right: Array) -> None:
    np.subtract(left, right, out)


@infer("ApplyGradientDescent")
def descent_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The variable; the step is one number."""
    var, alpha, delta = inputs
    if alpha.shape not in ((), (1,)):
        raise ValueError(f"alpha is one number, not of shape {list(alpha.shape)}")
    rules.same_dtype(inputs)
    return assign_rule([var, delta], attrs, num_outputs)


@binder("ApplyGradientDescent")
def descend(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """var -= alpha delta."""
    var, alpha, delta = (needs(array, "every input") for array in inputs)
    return bind_steps(_descend, [var, alpha.reshape(()), delta], outputs[0])


def _descend(out: Array, var: Array, alpha: Array, delta: Array) -> None:
    np.multiply(alpha, delta, out)
    np.subtract(var, out, out)
