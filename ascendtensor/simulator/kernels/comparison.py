"""Comparisons, logic, bits, selection by masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import half_bits, registry, rules
from ascendtensor.simulator.kernels.blocks import bind_steps, bind_ufunc, ufunc_task
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.masks import choose, fill
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Task, binder, infer

_BOOL = np.dtype(np.bool_)
_FLOAT64 = np.dtype(np.float64)

_COMPARISONS: dict[str, np.ufunc] = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}
_BITS: dict[str, np.ufunc] = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}
_CLASSES: dict[str, np.ufunc] = {"IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite, "LogicalNot": np.logical_not}


def _ufunc_binder(ufunc: np.ufunc) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        return bind_ufunc(ufunc, inputs, outputs[0])

    return bind


def _plain_binder(ufunc: np.ufunc) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        if inputs[0].dtype.kind not in "iub":
            raise TypeError(f"{ufunc.__name__} has no kernel for {inputs[0].dtype}")
        return ufunc_task(ufunc, inputs, outputs[0])

    return bind


for _name, _ufunc in _COMPARISONS.items():
    registry.add(_name, _ufunc_binder(_ufunc))
    registry.add_rule(_name, rules.compare)
for _name, _ufunc in _BITS.items():
    registry.add(_name, _plain_binder(_ufunc))
    registry.add_rule(_name, rules.elementwise)
for _name in ("LeftShift", "RightShift"):
    registry.add_rule(_name, rules.elementwise)
for _name, _ufunc in _CLASSES.items():
    registry.add(_name, _ufunc_binder(_ufunc))
    registry.add_rule(_name, rules.unary_bool)


def _shifted(shift: np.ufunc, x: Array, amount: Array, out: Array, nearest: bool) -> None:
    bits = 8 * x.dtype.itemsize
    if amount.size and not 0 <= int(amount.min()) <= int(amount.max()) < bits:
        amount = np.clip(amount, 0, bits - 1) if nearest else amount & (max(bits, 32) - 1)
    shift(x, amount, out)


@binder("RightShift")
def right_shift(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """Amounts below 0 are taken as 0, those beyond the bits as the last one (hicann/ops-math, ``right_shift_aicpu.cpp``)."""
    return _shifted, (np.right_shift, inputs[0], inputs[1], outputs[0], True)


@binder("LeftShift")
def left_shift(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """What C makes of amounts out of range on a 64-bit ARM: their last 5 bits count, 6 where the element has 64 (MindSpore's
    ``ms_kernel/left_shift.cc``, of the same origin)."""
    return _shifted, (np.left_shift, inputs[0], inputs[1], outputs[0], False)


infer("IsPosInf", "IsNegInf")(rules.unary_bool)
infer("IsClose")(rules.compare)


def _equal_to(x: Array, value: float, out: Array) -> Task:
    """Equality with an infinity, which halves have in one form of bits only."""
    known = np.array(value, x.dtype)
    return np.equal, (half_bits.bits(x), half_bits.bits(known), out)


@binder("IsPosInf")
def is_pos_inf(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """True where x is +infinity."""
    return _equal_to(inputs[0], np.inf, outputs[0])


@binder("IsNegInf")
def is_neg_inf(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """True where x is -infinity."""
    return _equal_to(inputs[0], -np.inf, outputs[0])


@binder("IsClose")
def is_close(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """|x1 - x2| <= atol + rtol * |x2|, equal infinities are close, NaNs only with ``equal_nan``; integers in float64."""
    rtol, atol, equal_nan = float(attrs.get("rtol", 1e-5)), float(attrs.get("atol", 1e-8)), bool(attrs.get("equal_nan", False))
    kind = inputs[0].dtype.kind
    operands = [x.view(np.uint8) if x.dtype == _BOOL else x for x in inputs]

    def steps(out: Array, a: Array, b: Array) -> None:
        real: Any = a.real.dtype.type
        np.equal(a, b, out)
        difference = np.absolute(np.subtract(a, b))
        near = difference <= real(atol) + np.absolute(real(rtol) * b)
        near &= np.isfinite(difference)
        np.logical_or(out, near, out)
        if equal_nan:
            np.logical_or(out, np.logical_and(a != a, b != b), out)

    floating = kind in "fc" or inputs[0].dtype in HALVES
    return bind_steps(steps, operands, outputs[0], work=None if floating else _FLOAT64, result=_BOOL)


@infer("SelectV2")
def select_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """All three operands broadcast; then and else have one dtype."""
    return rules.of(rules.same_dtype(inputs[1:3]), rules.broadcast(*(meta.shape for meta in inputs)))


@infer("Select")
def select_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like x1."""
    return rules.of(rules.same_dtype(inputs[1:3]), inputs[1].shape)


def _bind_choice(condition: Array, chosen: Array, other: Array, out: Array) -> Task:
    """Where the condition holds the one, else the other; dtypes are equal, so halves need no conversion."""
    storage = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}.get(out.dtype.itemsize)
    if storage is not None:
        return bind_steps(choose, (condition, chosen.view(storage), other.view(storage)), out.view(storage))
    return bind_steps(choose, (condition, chosen, other), out)


@binder("SelectV2")
def select_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """result = then where condition, else ``else``."""
    condition, chosen, other = inputs
    return _bind_choice(condition, chosen, other, outputs[0])


@binder("Select")
def select(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """As SelectV2, x1 and x2 of one shape; a condition of rank 1 chooses whole slices along axis 0."""
    condition, chosen, other = inputs
    if chosen.shape != other.shape:
        raise ValueError(f"Select: x1 has shape {list(chosen.shape)}, x2 {list(other.shape)}")
    if condition.shape != chosen.shape and condition.ndim:
        if condition.ndim != 1 or not chosen.ndim or condition.shape[0] != chosen.shape[0]:
            raise ValueError(f"Select: a condition of shape {list(condition.shape)} for operands {list(chosen.shape)}")
        condition = condition.reshape(condition.shape + (1,) * (chosen.ndim - 1))
    return _bind_choice(condition, chosen, other, outputs[0])


@infer("MaskedFill")
def masked_fill_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """x and mask broadcast; value is one element."""
    if inputs[1].dtype != DataType.BOOL:
        raise ValueError("MaskedFill: the mask is not bool")
    value = inputs[2].shape
    if any(dim not in (1, -1, -2) for dim in value):
        raise ValueError(f"MaskedFill: value of shape {list(value)} is not one element")
    return rules.of(rules.same_dtype([inputs[0], inputs[2]]), rules.broadcast(inputs[0].shape, inputs[1].shape))


@binder("MaskedFill")
def masked_fill(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = value where mask, else x."""
    (x, mask, value), out = inputs, outputs[0]
    if x.__array_interface__ == out.__array_interface__ and mask.shape == out.shape and out.dtype.itemsize <= 8:
        return fill, (out, mask, value.reshape(()))
    rank = len(mask.shape)
    while rank and mask.shape[rank - 1] == 1:
        rank -= 1
    if x.shape == out.shape and mask.ndim == out.ndim and mask.shape[:rank] == out.shape[:rank] and out.size >= _LONG * max(mask.size, 1):
        return _fill_lines, (x, mask.reshape(-1), value.reshape(()), out)
    return _bind_choice(mask, value.reshape(()), x, out)


_LONG = 64
"""Elements of lines that are chosen as a whole."""


def _fill_lines(x: Array, chosen: Array, value: Array, out: Array) -> None:
    if x.__array_interface__ != out.__array_interface__:
        np.copyto(out, x)
    out.reshape(chosen.size, -1)[chosen] = value
