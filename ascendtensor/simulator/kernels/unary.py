"""Elementwise operators of one operand, activations aside."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import heavy, registry, rules, special
from ascendtensor.simulator.kernels.blocks import bind_steps, bind_ufunc
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.registry import Array, Attrs, Task, binder, infer

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)
_BOOL = np.dtype(np.bool_)
_FEW = 4096
"""Elements up to which the steps of a function take longer than one loop of the C library."""

# IR type: (ufunc, whether integers have loops that give what the operator means)
_UFUNCS: dict[str, tuple[np.ufunc, bool]] = {
    "Abs": (np.absolute, True),
    "Neg": (np.negative, True),
    "Square": (np.square, True),
    "Expm1": (np.expm1, False),
    "Log1p": (np.log1p, False),
    "Sqrt": (np.sqrt, False),
    "Sin": (np.sin, False),
    "Cos": (np.cos, False),
    "Tan": (np.tan, False),
    "Asin": (np.arcsin, False),
    "Acos": (np.arccos, False),
    "Atan": (np.arctan, False),
    "Sinh": (np.sinh, False),
    "Cosh": (np.cosh, False),
    "Tanh": (np.tanh, False),
    "Asinh": (np.arcsinh, False),
    "Acosh": (np.arccosh, False),
    "Atanh": (np.arctanh, False),
}
_QUICKER: dict[str, Any] = {
    "Expm1": heavy.expm1,
    "Log1p": heavy.log1p,
    "Atan": heavy.atan,
    "Sinh": heavy.sinh,
    "Cosh": heavy.cosh,
    "Atanh": heavy.atanh,
}
"""Steps in float32 for what NumPy asks the C library for element by element."""
_ONE_BY_ONE = (*_QUICKER, "Tan", "Asin", "Acos", "Asinh", "Acosh")
_ROUNDING: dict[str, np.ufunc] = {"Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc, "Rint": np.rint}


def inexact(dtype: np.dtype[Any]) -> bool:
    """True for real and complex floating dtypes, bfloat16 included."""
    return dtype.kind in "fc" or dtype in HALVES


def _ufunc_binder(op_type: str, ufunc: np.ufunc, integers: bool) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        x, out = inputs[0], outputs[0]
        if x.dtype == _BOOL:
            raise TypeError(f"{op_type} has no kernel for bool")
        if x.dtype == _FLOAT32 and x.size > _FEW and op_type in _QUICKER:
            return heavy.bind(_QUICKER[op_type], x, out)
        if op_type in _ONE_BY_ONE and inexact(x.dtype):
            return heavy.bind_ufunc(ufunc, x, out)
        if integers or inexact(x.dtype):
            return bind_ufunc(ufunc, [x], out)
        # Tan, Asin and Acos list int32 and int64 in and out: the value, truncated.
        return bind_steps(lambda target, value: ufunc(value, out=target), [x], out, work=_FLOAT64)

    return bind


def _rounding_binder(ufunc: np.ufunc) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        if inexact(inputs[0].dtype):
            return bind_ufunc(ufunc, inputs, outputs[0])
        return np.copyto, (outputs[0], inputs[0])

    return bind


for _name, (_ufunc, _integers) in _UFUNCS.items():
    registry.add(_name, _ufunc_binder(_name, _ufunc, _integers))
    registry.add_rule(_name, rules.unary)
for _name, _ufunc in _ROUNDING.items():
    registry.add(_name, _rounding_binder(_ufunc))
    registry.add_rule(_name, rules.unary)

infer("Exp", "Inv", "Reciprocal", "Rsqrt", "Round", "Sign", "Erf", "Erfc", "Erfinv", "Invert", "Logit")(rules.unary)
infer("Identity", "TensorMove", "ZerosLike", "OnesLike")(rules.unary)


def _affine(scale: float, shift: float) -> bool:
    return scale != 1.0 or shift != 0.0


@binder("Exp")
def exp(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = base ** (scale * x + shift), base -1 standing for e."""
    base, scale, shift = rules.base_scale_shift("Exp", attrs)
    if base == -1.0 and not _affine(scale, shift):
        return bind_ufunc(np.exp, inputs, outputs[0])
    factor = 1.0 if base == -1.0 else math.log(base)

    def steps(out: Array, x: Array) -> None:
        np.multiply(x, out.dtype.type(scale * factor), out)
        np.add(out, out.dtype.type(shift * factor), out)
        np.exp(out, out)

    return bind_steps(steps, inputs, outputs[0])


@infer("Log")
def log_rule(inputs: list[registry.Meta], attrs: Attrs, num_outputs: int) -> list[registry.Out]:
    """Floating like the input; integers and bool (AI CPU) give float32."""
    kind = registry.NUMPY_OF.get(inputs[0].dtype)
    floating = kind is None or inexact(kind)
    return rules.of(inputs[0].dtype if floating else registry.ACL_OF[_FLOAT32], inputs[0].shape)


@binder("Log")
def log(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log_base(scale * x + shift), base -1 standing for e."""
    base, scale, shift = rules.base_scale_shift("Log", attrs)
    x, out = inputs[0], outputs[0]
    known: dict[float, np.ufunc] = {2.0: np.log2, 10.0: np.log10}
    ufunc = known.get(base, np.log)
    if not inexact(x.dtype):
        x = _late_view(x)
    elif base in (-1.0, 2.0, 10.0) and not _affine(scale, shift) and x.dtype.kind != "c":
        return bind_ufunc(ufunc, [x], out) if ufunc is np.log else heavy.bind_ufunc(ufunc, x, out)

    plain = x.dtype.kind == "c" and not _affine(scale, shift)  # a complex 1 times an infinity has NaN in it

    def steps(target: Array, value: Array) -> None:
        if not plain:
            np.multiply(value, target.dtype.type(scale), target)
            value = np.add(target, target.dtype.type(shift), target)
        ufunc(value, target) if target.dtype.kind != "c" else np.log(value, target)
        if (target.dtype.kind == "c" and base != -1.0) or base not in (-1.0, 2.0, 10.0):
            # part by part: a complex divisor makes NaN beside an infinity
            for part in (target.real, target.imag) if target.dtype.kind == "c" else (target,):
                np.divide(part, part.dtype.type(math.log(base)), part)

    work = None if inexact(x.dtype) and x.dtype != _BOOL else _FLOAT64
    return bind_steps(steps, [x], out, work=work)


def _late_view(x: Array) -> Array:
    """Booleans as the uint8 they are stored as."""
    return x.view(np.uint8) if x.dtype == _BOOL else x


@binder("Rsqrt")
def rsqrt(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = 1 / sqrt(x)."""

    def steps(out: Array, x: Array) -> None:
        np.sqrt(x, out)
        np.divide(out.dtype.type(1), out, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("Reciprocal", "Inv")
def reciprocal(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = 1 / x; integers truncate, 1 / 0 is 0."""
    x, out = inputs[0], outputs[0]
    if inexact(x.dtype):
        return bind_ufunc(np.reciprocal, [x], out)

    def steps(target: Array, value: Array) -> None:
        np.copyto(target, value)
        np.multiply(target, np.abs(value) == 1, target)

    return bind_steps(steps, [x], out)


@binder("Round")
def round_(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """Half to even, at ``decimals`` decimal places; integers change only for negative ``decimals``."""
    x, out, decimals = inputs[0], outputs[0], int(attrs.get("decimals", 0))
    if not inexact(x.dtype) and decimals >= 0:
        return np.copyto, (out, x)
    if decimals == 0:
        return bind_ufunc(np.rint, [x], out)
    power = 10.0 ** abs(decimals)

    def steps(target: Array, value: Array) -> None:
        scale = target.dtype.type(power)
        (np.multiply if decimals > 0 else np.divide)(value, scale, target)
        np.rint(target, target)
        (np.divide if decimals > 0 else np.multiply)(target, scale, target)

    return bind_steps(steps, [x], out, work=None if inexact(x.dtype) else _FLOAT64)


@binder("Sign")
def sign(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """-1, 0 or 1; NaN stays NaN; complex gives x / |x|, 0 for 0."""
    x, out = inputs[0], outputs[0]
    if x.dtype in HALVES:  # the loop of bfloat16 keeps the sign of zero
        return bind_ufunc(np.sign, [x], out, half_loop=False)
    if x.dtype.kind != "c":
        return bind_ufunc(np.sign, [x], out)

    def steps(target: Array, value: Array) -> None:
        size = np.absolute(value)
        np.divide(value, np.where(size == 0, 1, size), target)

    return bind_steps(steps, [x], out)


def _special_binder(function: Any) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        x = inputs[0]
        if not inexact(x.dtype) or x.dtype.kind == "c":
            raise TypeError(f"no kernel for {x.dtype}")
        return heavy.bind(function, x, outputs[0])

    return bind


registry.add("Erf", _special_binder(special.erf))
registry.add("Erfc", _special_binder(special.erfc))
registry.add("Erfinv", _special_binder(special.erfinv))


@binder("Logit")
def logit(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log(x / (1 - x)); x is brought into [eps, 1 - eps] first unless eps is negative."""
    eps = float(attrs.get("eps", -1.0))

    def steps(out: Array, x: Array) -> None:
        one = out.dtype.type(1)
        if eps >= 0:
            x = np.clip(x, out.dtype.type(eps), out.dtype.type(1 - eps))
        np.subtract(one, x, out)
        np.divide(x, out, out)
        np.log(out, out)

    if inputs[0].dtype not in HALVES and inputs[0].dtype != _FLOAT32:
        raise TypeError(f"no kernel for {inputs[0].dtype}")
    return bind_steps(steps, inputs, outputs[0])


@binder("Invert")
def invert(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """Bitwise not."""
    return np.invert, (inputs[0], outputs[0])


@binder("Identity", "TensorMove")
def identity(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """A copy, by what takes less time than np.copyto on arrays of one dtype and shape."""
    return operator.setitem, (outputs[0], Ellipsis, inputs[0])


@binder("ZerosLike")
def zeros_like(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """All zeros."""
    return outputs[0].fill, (0,)


@binder("OnesLike")
def ones_like(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """All ones."""
    return outputs[0].fill, (1,)
