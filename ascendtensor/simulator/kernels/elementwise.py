"""Arithmetic of two and three operands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import division, half_tables, heavy, registry, rules
from ascendtensor.simulator.kernels.blocks import Steps, bind_steps, bind_ufunc, one_dtype
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.masks import choose, clear
from ascendtensor.simulator.kernels.registry import BFLOAT16, Array, Attrs, Meta, Out, Task, binder, infer

_BOOL = np.dtype(np.bool_)
_FLOAT64 = np.dtype(np.float64)

# (ufunc, the one for bool, whether the half loops of NumPy and ml_dtypes are exact enough and fast enough on short arrays)
_UFUNCS: dict[str, tuple[np.ufunc, np.ufunc | None, bool]] = {
    "Sub": (np.subtract, np.logical_xor, True),
    "Maximum": (np.maximum, np.logical_or, True),
    "Minimum": (np.minimum, np.logical_and, True),
    "FloorMod": (np.remainder, None, False),
    "TruncateMod": (np.fmod, None, True),
    "Atan2": (np.arctan2, None, False),
    "Gcd": (np.gcd, None, False),
}


def _binary_binder(op_type: str, ufunc: np.ufunc, on_bool: np.ufunc | None, half_loop: bool) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        a, b = inputs
        out = outputs[0]
        if a.dtype == _BOOL:
            if on_bool is None:
                raise TypeError(f"{op_type} has no kernel for bool")
            return on_bool, (a, b, out)
        if ufunc in division.UFUNCS:
            return division.bind(ufunc, (a, b), out, half_loop)
        return bind_ufunc(ufunc, (a, b), out, half_loop=half_loop)

    return bind


for _name, (_ufunc, _on_bool, _half) in _UFUNCS.items():
    registry.add(_name, _binary_binder(_name, _ufunc, _on_bool, _half))
    registry.add_rule(_name, rules.elementwise)

for _name in ("FloorDiv", "Mod"):
    registry.add_rule(_name, rules.elementwise)

infer("Add", "Mul")(rules.mixed)
infer("Div", "DivNoNan", "TruncateDiv", "Pow", "Xlogy", "Xdivy", "SquaredDifference", "AxpyV2", "Axpy")(rules.elementwise)
infer("Xlog1py", "LogAddExp", "NextAfter", "FusedMulAdd")(rules.elementwise)
infer("SigmoidGrad", "TanhGrad", "ReluGrad", "Lerp", "Addcmul", "ClipByValueV2", "ClipByValue")(rules.elementwise)
infer("Adds", "Muls")(rules.unary)


@binder("Add")
def add(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 + x2; bool is logical or."""
    return bind_ufunc(np.add, inputs, outputs[0])


@binder("Mul")
def mul(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 * x2; bool is logical and."""
    return bind_ufunc(np.multiply, inputs, outputs[0])


def _truncated_quotient(out: Array, a: Array, b: Array) -> None:
    """Integer quotient towards zero; x / 0 is 0."""
    np.floor_divide(a, b, out)
    if out.dtype.kind == "i":
        # floor and truncation differ by one where the quotient is negative and not exact
        off = np.multiply(out, b) != a
        off &= out < 0
        off &= b != 0
        np.add(out, off, out)


@infer("RealDiv")
def real_div_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Operands of one dtype, broadcast; bool / bool is float32 (910B kernel list)."""
    dtype = rules.same_dtype(inputs)
    return rules.of(DataType.FLOAT if dtype == DataType.BOOL else dtype, rules.broadcast(inputs[0].shape, inputs[1].shape))


@binder("RealDiv", "Div")
def real_div(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 / x2; integers truncate, as in C."""
    if inputs[0].dtype.kind in "iu":
        return bind_steps(_truncated_quotient, inputs, outputs[0])
    return bind_ufunc(np.divide, inputs, outputs[0])


@binder("DivNoNan")
def div_no_nan(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 / x2, 0 where x2 is 0."""
    if inputs[0].dtype.kind in "iu":
        return bind_steps(_truncated_quotient, inputs, outputs[0])

    def steps(out: Array, a: Array, b: Array) -> None:
        np.divide(a, b, out)
        clear(out, b == 0)

    return bind_steps(steps, inputs, outputs[0])


def _on_core(attrs: Attrs) -> bool:
    """Whether the AI Core may run it: the description does not keep it off."""
    return attrs.get("_exclude_engines") != "AiCore"


def _by_floats(rounded: np.ufunc, remains: bool) -> Steps:
    """Integers of 32 bits are divided as float32, of 24."""

    def steps(out: Array, a: Array, b: Array) -> None:
        x, y = a.astype(np.float32), b.astype(np.float32)
        quotient = rounded(np.divide(x, y))
        result = np.subtract(x, np.multiply(quotient, y)) if remains else quotient
        np.copyto(out, np.where(b == 0, 0, result).clip(-(1 << 31), (1 << 31) - 128), casting="unsafe")

    return steps


@binder("FloorDiv")
def floor_div(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The quotient of floats, rounded, and then rounded down (CANN 8.1.RC1, tbe, ``dynamic/floor_div.py``)."""
    dtype = inputs[0].dtype
    if dtype == _BOOL:
        raise TypeError("FloorDiv has no kernel for bool")
    if dtype == np.int32 and _on_core(attrs):
        return bind_steps(_by_floats(np.floor, False), inputs, outputs[0])
    if dtype.kind in "iu":
        return bind_ufunc(np.floor_divide, inputs, outputs[0])

    def steps(out: Array, a: Array, b: Array) -> None:
        np.divide(a, b, out)
        np.floor(out, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("Mod")
def mod(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The AI Core takes the divisor times the quotient's whole part away, in float32 (tbe, ``dynamic/mod.py``); the AI CPU is exact."""
    dtype = inputs[0].dtype
    if dtype == _BOOL:
        raise TypeError("Mod has no kernel for bool")
    if dtype == np.int32 and _on_core(attrs):
        return bind_steps(_by_floats(np.trunc, True), inputs, outputs[0])
    if dtype.kind in "iu" or dtype == _FLOAT64 or not _on_core(attrs):
        return division.bind(np.fmod, inputs, outputs[0], half_loop=True)

    def steps(out: Array, a: Array, b: Array) -> None:
        whole = np.trunc(np.divide(a, b))
        np.subtract(a, np.multiply(whole, b, whole), out)

    return bind_steps(steps, inputs, outputs[0])


@binder("TruncateDiv")
def truncate_div(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 / x2 rounded towards zero. Only of integers: the AI Core leaves floats as they are (tbe, ``dynamic/truncate_div.py``)."""
    dtype = inputs[0].dtype
    if dtype == np.int32 and _on_core(attrs):
        return bind_steps(_by_floats(np.trunc, False), inputs, outputs[0])
    if dtype.kind in "iu":
        return bind_steps(_truncated_quotient, inputs, outputs[0])
    if dtype != _FLOAT64:
        return bind_ufunc(np.divide, inputs, outputs[0])

    def steps(out: Array, a: Array, b: Array) -> None:
        np.divide(a, b, out)
        np.trunc(out, out)

    return bind_steps(steps, inputs, outputs[0])


def _integer_power(out: Array, base: Array, exponent: Array) -> None:
    """Wrapping power; a negative exponent gives 0, except for the bases 1 and -1."""
    if out.dtype.kind == "u" or not np.any(exponent < 0):
        np.power(base, exponent, out)
        return
    np.power(base, np.maximum(exponent, 0), out)
    odd = np.bitwise_and(exponent, 1)
    unit = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * odd, 0)).astype(out.dtype)
    np.copyto(out, unit, where=exponent < 0)


def _float_power(out: Array, base: Array, exponent: Array) -> None:
    """Power; common exponents of 2 and 3 are multiplications, those of -1 and 1/2 a division and a root; 2 as base has a function
    of its own."""
    common = exponent.flat[0] if exponent.size and exponent.strides == (0,) * exponent.ndim else 0
    if common == 2:
        np.square(base, out)
    elif common == 3:
        np.multiply(base, np.square(base, out), out)
    elif common == -1:
        np.divide(out.dtype.type(1), base, out)
    elif common == 0.5:
        infinite = np.equal(base, -math.inf)
        np.sqrt(base, out)
        np.add(out, out.dtype.type(0), out)  # the power of -0.0 is 0.0
        np.copyto(out, math.inf, where=infinite)
    elif base.size and base.strides == (0,) * base.ndim and base.flat[0] == 2:
        np.exp2(exponent, out)
    else:
        np.power(base, exponent, out)


@binder("Pow")
def pow_(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 ** x2."""
    base, exponent = inputs
    if base.dtype.kind in "iu":
        return bind_steps(_integer_power, inputs, outputs[0])
    if base.dtype.kind == "c":
        return bind_ufunc(np.power, inputs, outputs[0])
    out = outputs[0]
    shape = out.shape
    if exponent.size == 1 and shape:
        exponent = np.broadcast_to(exponent.reshape((1,) * len(shape)), shape)
    elif base.size == 1 and shape and out.dtype not in HALVES:
        base = np.broadcast_to(base.reshape((1,) * len(shape)), shape)
    task = bind_steps(_float_power, (base, exponent), out)
    return half_tables.bind_with_numbers(_float_power, inputs, out, task) if out.dtype in HALVES else task


@binder("Xlogy")
def xlogy(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 * log(x2), 0 where x1 is 0 unless x2 is NaN."""

    def steps(out: Array, x: Array, y: Array) -> None:
        np.log(y, out)
        np.multiply(x, out, out)
        clear(out, np.logical_and(x == 0, y == y))

    return bind_steps(steps, inputs, outputs[0])


@binder("Xlog1py")
def xlog1py(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """z = x * log(1 + y), 0 where x is 0 unless y is NaN."""

    def steps(out: Array, x: Array, y: Array) -> None:
        np.log1p(y, out)
        np.multiply(x, out, out)
        clear(out, np.logical_and(x == 0, y == y))

    return bind_steps(steps, inputs, outputs[0])


@binder("LogAddExp")
def log_add_exp(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log(b ** x1 + b ** x2) to the base b, -1 standing for e."""
    base, scale, shift = rules.base_scale_shift("LogAddExp", attrs)
    if scale != 1.0 or shift != 0.0:
        raise ValueError(f"LogAddExp: the simulator knows scale 1 and shift 0 only, not {scale} and {shift}")
    level = 1.0 if base == -1.0 else math.log(base)

    def steps(out: Array, a: Array, b: Array, low: Array) -> None:
        np.maximum(a, b, out=out)
        np.minimum(a, b, out=low)
        np.subtract(low, out, low)
        np.copyto(low, 0, where=np.logical_and(low != low, out == out))  # equal infinities
        if level != 1.0:
            np.multiply(low, low.dtype.type(level), low)
        np.exp(low, low)
        heavy.log1p_of_share(low)
        if level != 1.0:
            np.divide(low, low.dtype.type(level), low)
        np.add(out, low, out)

    return bind_steps(steps, inputs, outputs[0], temps=1)


@binder("NextAfter")
def next_after(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """The number next to x1 in the direction of x2."""
    if inputs[0].dtype.kind != "f" or inputs[0].dtype in HALVES:
        raise TypeError(f"NextAfter has no kernel for {inputs[0].dtype}")
    return bind_ufunc(np.nextafter, inputs, outputs[0])


@binder("Xdivy")
def xdivy(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 / x2, 0 where x1 is 0."""

    def steps(out: Array, x: Array, y: Array) -> None:
        np.divide(x, y, out)
        clear(out, x == 0)

    return bind_steps(steps, inputs, outputs[0])


@binder("SquaredDifference")
def squared_difference(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = (x1 - x2)², for complex (x1 - x2) * conj(x1 - x2)."""

    def steps(out: Array, a: Array, b: Array) -> None:
        np.subtract(a, b, out)
        if out.dtype.kind == "c":
            np.multiply(out, np.conjugate(out), out)
        else:
            np.multiply(out, out, out)

    return bind_steps(steps, inputs, outputs[0])


def _attr_scalar(value: float, dtype: np.dtype[Any]) -> Any:
    """A float attribute in an operand's dtype; integers take its integral part."""
    return dtype.type(int(value)) if dtype.kind in "iu" else dtype.type(value)


def _scalar_steps(ufunc: np.ufunc, value: float) -> Steps:
    def steps(out: Array, x: Array) -> None:
        ufunc(x, _attr_scalar(value, out.dtype), out)

    return steps


@binder("Adds")
def adds(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x + value."""
    return bind_steps(_scalar_steps(np.add, float(attrs["value"])), inputs, outputs[0])


@binder("Muls")
def muls(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x * value."""
    return bind_steps(_scalar_steps(np.multiply, float(attrs["value"])), inputs, outputs[0])


@binder("FusedMulAdd")
def fused_mul_add(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 * x2 + x3."""

    def steps(out: Array, a: Array, b: Array, c: Array) -> None:
        np.multiply(a, b, out)
        np.add(out, c, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("AxpyV2")
def axpy_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 + alpha * x2."""

    def steps(out: Array, a: Array, b: Array, alpha: Array) -> None:
        np.multiply(b, alpha, out)
        np.add(a, out, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("Axpy")
def axpy(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x1 + alpha * x2."""
    alpha = float(attrs["alpha"])

    def steps(out: Array, a: Array, b: Array) -> None:
        np.multiply(b, _attr_scalar(alpha, out.dtype), out)
        np.add(a, out, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("SigmoidGrad")
def sigmoid_grad(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """z = dy * y * (1 - y); ``complex_conj`` takes the conjugate of y."""
    conjugate = bool(attrs.get("complex_conj", False))

    def steps(out: Array, y: Array, dy: Array) -> None:
        y = np.conjugate(y) if conjugate else y
        np.subtract(out.dtype.type(1), y, out)
        np.multiply(out, y, out)
        np.multiply(out, dy, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("TanhGrad")
def tanh_grad(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """z = dy * (1 - y²); ``complex_conj`` takes the conjugate of y."""
    conjugate = bool(attrs.get("complex_conj", False))

    def steps(out: Array, y: Array, dy: Array) -> None:
        y = np.conjugate(y) if conjugate else y
        np.multiply(y, y, out)
        np.subtract(out.dtype.type(1), out, out)
        np.multiply(out, dy, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("ReluGrad")
def relu_grad(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """backprops = gradients where features > 0, else 0."""

    def steps(out: Array, gradients: Array, features: Array) -> None:
        # a NaN or infinite gradient of a dead unit must give 0, so no multiplication by the mask
        np.copyto(out, gradients)
        clear(out, np.logical_not(features > 0))

    return bind_steps(steps, inputs, outputs[0])


@infer("PRelu")
def prelu_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like x."""
    rules.same_dtype(inputs)
    return rules.of(inputs[0].dtype, inputs[0].shape)


@binder("PRelu")
def prelu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x if x > 0 else weight * x; weight is one element or one for each channel (axis 1, the last of a vector)."""
    x, weight = inputs
    channels = x.shape[1] if x.ndim > 1 else x.size
    if weight.size == 1:
        weight = weight.reshape(())
    elif x.ndim > 1 and weight.size == channels:
        weight = weight.reshape((channels,) + (1,) * (x.ndim - 2))
    elif weight.shape != x.shape:
        raise ValueError(f"PRelu: {weight.size} weights for {channels} channels")

    def steps(out: Array, value: Array, slope: Array) -> None:
        np.multiply(value, slope, out)
        choose(out, value > 0, value, out)

    return bind_steps(steps, (x, weight), outputs[0])


@binder("Addcmul")
def addcmul(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = input_data + value * x1 * x2."""

    def steps(out: Array, base: Array, a: Array, b: Array, value: Array) -> None:
        np.multiply(a, value, out)
        np.multiply(out, b, out)
        np.add(base, out, out)

    return bind_steps(steps, inputs, outputs[0])


@infer("Addcdiv")
def addcdiv_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Operands of one dtype, broadcast; value may also be int32."""
    dtype = rules.same_dtype(inputs[:3])
    if inputs[3].dtype not in (dtype, int(DataType.INT32)):
        raise ValueError("Addcdiv: value has neither the dtype of the operands nor int32")
    return rules.of(dtype, rules.broadcast(*(meta.shape for meta in inputs)))


@binder("Addcdiv")
def addcdiv(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = input_data + value * x1 / x2; integers truncate."""
    work = None if one_dtype(inputs) or inputs[0].dtype in HALVES else inputs[0].dtype

    def steps(out: Array, base: Array, a: Array, b: Array, value: Array) -> None:
        if out.dtype.kind == "i":
            _truncated_quotient(out, np.multiply(a, value), b)
        else:
            np.multiply(a, value, out)
            np.divide(out, b, out)
        np.add(base, out, out)

    if inputs[0].dtype in HALVES:
        work = np.dtype(np.float32)
    return bind_steps(steps, inputs, outputs[0], work=work)


@binder("Lerp")
def lerp(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = start + weight * (end - start), from the nearer end, so that weights 0 and 1 give the ends exactly."""

    def steps(out: Array, start: Array, end: Array, weight: Array, difference: Array) -> None:
        np.subtract(end, start, difference)
        np.multiply(weight, difference, out)
        np.add(start, out, out)
        far = np.broadcast_to(np.absolute(weight) >= 0.5, out.shape)
        if far.any():
            np.multiply(difference, 1 - weight, difference)
            np.subtract(end, difference, difference)
            choose(out, far, difference, out)

    def one_weight(out: Array, start: Array, end: Array, weight: Array) -> None:
        share = weight.flat[0]
        near = -0.5 < share < 0.5
        np.subtract(end, start, out)
        np.multiply(out, share if near else share - 1, out)
        np.add(start if near else end, out, out)

    if inputs[2].size == 1:
        return bind_steps(one_weight, inputs, outputs[0])
    return bind_steps(steps, inputs, outputs[0], temps=1)


@binder("ClipByValueV2", "ClipByValue")
def clip(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = min(max(x, clip_value_min), clip_value_max); NaN anywhere is NaN."""
    if inputs[0].dtype.kind == "c":
        raise TypeError(f"ClipByValue has no kernel for {inputs[0].dtype}")
    x, low, high = inputs
    if x.dtype not in _CLIPPED_BY_CORE and (low.size, high.size) != (1, 1) and not x.shape == low.shape == high.shape:
        # the AI CPU's kernel (hicann/ops-math, clip_by_value_v2_aicpu.cpp, GetInputAndCheck)
        raise ValueError(f"ClipByValueV2: min {list(low.shape)} and max {list(high.shape)} are to be scalars or like x, {list(x.shape)}")
    if x.dtype == BFLOAT16 or (x.dtype not in HALVES and outputs[0].size > _LONG):
        return _clip_whole, (outputs[0], x, low, high)
    task = bind_steps(_clip, inputs, outputs[0])
    return half_tables.bind_with_numbers(_clip, inputs, outputs[0], task) if x.dtype in HALVES else task


_LONG = 2048
_CLIPPED_BY_CORE = frozenset((np.dtype(np.float32), np.dtype(np.float16), BFLOAT16, np.dtype(np.int32), np.dtype(np.int64)))


def _clip_whole(out: Array, x: Array, low: Array, high: Array) -> None:
    x.clip(low, high, out)  # Python round a ufunc, less of it than the function; as a task by itself, an interrupt inside would end it


def _clip(out: Array, x: Array, low: Array, high: Array) -> None:
    if out.size > _LONG:  # it has a vector loop for scalar bounds
        x.clip(low, high, out)
    else:
        np.maximum(x, low, out=out)
        np.minimum(out, high, out=out)
