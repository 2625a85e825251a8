"""Activation functions."""

from __future__ import annotations

from functools import partial

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import heavy, registry, rules, special
from ascendtensor.simulator.kernels.blocks import BLOCK, Steps, bind_steps
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.masks import choose, clear
from ascendtensor.simulator.kernels.operands import axis_of, needs
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Meta, Out, Task, binder, infer

_LONG = 2048
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805
_GELU_LINEAR = 1.5957691216057308  # 2 sqrt(2 / pi)
_GELU_CUBIC = 0.044715 * _GELU_LINEAR

infer("Sigmoid", "Relu", "Relu6", "GeluV2", "Gelu", "Swish", "SoftplusV2", "Softplus", "LeakyRelu", "Elu", "Selu")(rules.unary)
infer("HardSwish", "Mish", "LogSigmoid", "Softsign")(rules.unary)


@binder("Relu")
def relu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = max(x, 0), NaN stays NaN."""
    x, out = inputs[0], outputs[0]
    if x.dtype in HALVES:
        infinity = 0x7C00 if x.dtype == np.float16 else 0x7F80
        return bind_steps(partial(_relu_half, infinity), [x.view(np.uint16)], out.view(np.uint16))
    if x.size > BLOCK and x.dtype.kind == "f":
        # NumPy has a vector loop for clip with scalar bounds, none for maximum with a scalar
        return partial(np.clip, out=out), (x, x.dtype.type(0), x.dtype.type(np.inf))
    return partial(np.maximum, out=out), (x, np.zeros((), x.dtype))


def _relu_half(infinity: int, out: Array, bits: Array) -> None:
    """On the bits of a half: -0 to -infinity become 0, negative NaNs stay."""
    np.subtract(bits, np.uint16(0x8000), out)
    kept = np.greater(out, np.uint16(infinity))
    np.multiply(bits, kept, out)


def _step_binder(steps: Steps) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        return bind_steps(steps, inputs, outputs[0]) if steps in _LIGHT else heavy.bind(steps, inputs[0], outputs[0])

    return bind


def _clip(out: Array, x: Array, low: float, high: float) -> None:
    """Between scalar bounds, for which NumPy has a vector loop, as it has none for maximum and minimum with a scalar."""
    kind = out.dtype.type
    if out.size > _LONG:
        x.clip(kind(low), kind(high), out)
    else:
        np.maximum(x, kind(low), out=out)
        np.minimum(out, kind(high), out=out)


def _sigmoid(out: Array, x: Array) -> None:
    np.negative(x, out)
    np.exp(out, out)
    one = out.dtype.type(1)
    np.add(out, one, out)
    np.divide(one, out, out)


def _relu6(out: Array, x: Array) -> None:
    _clip(out, x, 0, 6)


def _tanh_gelu(out: Array, x: Array) -> None:
    """x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x³)), the tanh form written with one exponential."""
    kind = out.dtype.type
    np.multiply(x, x, out)
    np.multiply(out, kind(-_GELU_CUBIC), out)
    np.add(out, kind(-_GELU_LINEAR), out)
    np.multiply(out, x, out)
    np.exp(out, out)
    np.add(out, kind(1), out)
    np.divide(x, out, out)


def _bend(out: Array, x: Array) -> None:
    """log(1 + exp(-|x|))"""
    np.absolute(x, out)
    np.negative(out, out)
    np.exp(out, out)
    heavy.log1p_of_share(out)


def _softplus(out: Array, x: Array) -> None:
    """max(x, 0) + log(1 + exp(-|x|))"""
    _bend(out, x)
    positive = np.empty_like(out)
    _clip(positive, x, 0, np.inf)
    np.add(out, positive, out)


def _log_sigmoid(out: Array, x: Array) -> None:
    """min(x, 0) - log(1 + exp(-|x|))"""
    _bend(out, x)
    negative = np.empty_like(out)
    _clip(negative, x, -np.inf, 0)
    np.subtract(negative, out, out)


def _softsign(out: Array, x: Array) -> None:
    np.absolute(x, out)
    np.add(out, out.dtype.type(1), out)
    np.divide(x, out, out)


def _hard_swish(out: Array, x: Array) -> None:
    kind = out.dtype.type
    np.add(x, kind(3), out)
    _clip(out, out, 0, 6)
    np.multiply(out, x, out)
    np.divide(out, kind(6), out)


def _mish(out: Array, x: Array) -> None:
    """x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2); beyond 20 it is x to the last bit."""
    kind = out.dtype.type
    _clip(out, x, -np.inf, 20)
    np.exp(out, out)
    np.multiply(out, np.add(out, kind(2)), out)
    np.divide(out, np.add(out, kind(2)), out)
    np.multiply(out, x, out)


def _selu(out: Array, x: Array) -> None:
    _exponential_unit(out, x, _SELU_SCALE, _SELU_SCALE * _SELU_ALPHA, 1.0)


def _exponential_unit(out: Array, x: Array, positive: float, negative: float, inner: float) -> None:
    """positive * x above 0, negative * (exp(inner * x) - 1) below."""
    kind = out.dtype.type
    np.multiply(x, kind(inner), out)
    _clip(out, out, -np.inf, 0)
    heavy.expm1_below(out)
    np.multiply(out, kind(negative), out)
    choose(out, x >= 0, x if positive == 1.0 else np.multiply(x, kind(positive)), out)


_LIGHT = (_relu6, _hard_swish, _softsign)
for _name, _steps in {
    "Sigmoid": _sigmoid,
    "Relu6": _relu6,
    "Gelu": _tanh_gelu,
    "Softplus": _softplus,
    "LogSigmoid": _log_sigmoid,
    "Softsign": _softsign,
    "HardSwish": _hard_swish,
    "Mish": _mish,
}.items():
    registry.add(_name, _step_binder(_steps))


@binder("Selu")
def selu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = scale * (x above 0, alpha * (exp(x) - 1) below); integers truncate."""
    if inputs[0].dtype.kind == "i":
        return bind_steps(_selu, inputs, outputs[0], work=np.dtype(np.float64))
    return heavy.bind(_selu, inputs[0], outputs[0])


@binder("GeluV2")
def gelu_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x Phi(x); ``approximate`` "tanh" takes the tanh form."""
    approximate = attrs.get("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise ValueError(f"GeluV2: approximate is {approximate!r}, not 'none' or 'tanh'")
    return heavy.bind(_tanh_gelu if approximate == "tanh" else special.gelu, inputs[0], outputs[0])


@binder("Swish")
def swish(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x sigmoid(scale * x)."""
    scale = float(attrs.get("scale", 1.0))

    def steps(out: Array, x: Array) -> None:
        np.multiply(x, out.dtype.type(-scale), out)
        np.exp(out, out)
        np.add(out, out.dtype.type(1), out)
        np.divide(x, out, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("SoftplusV2")
def softplus_v2(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = log(1 + exp(beta * x)) / beta, x itself where beta * x > threshold."""
    beta, threshold = float(attrs.get("beta", 1.0)), float(attrs.get("threshold", 20.0))

    def steps(out: Array, x: Array, scaled: Array) -> None:
        kind = out.dtype.type
        np.multiply(x, kind(beta), scaled)
        _softplus(out, scaled)
        np.divide(out, kind(beta), out)
        choose(out, scaled > kind(threshold), x, out)

    return bind_steps(steps, inputs, outputs[0], temps=1)


@binder("LeakyRelu")
def leaky_relu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x above 0, negative_slope * x below."""
    slope = float(attrs.get("negative_slope", 0.0))

    def steps(out: Array, x: Array) -> None:
        np.multiply(x, out.dtype.type(slope), out)
        if 0 < slope <= 1:  # the larger one, also of NaN and infinities
            np.maximum(x, out, out=out)
        else:
            choose(out, x > 0, x, out)

    return bind_steps(steps, inputs, outputs[0])


@binder("Elu")
def elu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    alpha, scale, inner = (float(attrs.get(name, 1.0)) for name in ("alpha", "scale", "input_scale"))

    def steps(out: Array, x: Array) -> None:
        _exponential_unit(out, x, scale, scale * alpha, inner)

    return heavy.bind(steps, inputs[0], outputs[0])


@infer("HardSigmoid")
def hard_sigmoid_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like the input; the prototype lists int32 for the input only, its output is float32."""
    dtype = inputs[0].dtype
    return rules.of(DataType.FLOAT if dtype == DataType.INT32 else dtype, inputs[0].shape)


@binder("HardSigmoid")
def hard_sigmoid(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = min(max(alpha * x + beta, 0), 1)."""
    alpha, beta = float(attrs.get("alpha", 0.16666666)), float(attrs.get("beta", 0.5))

    def steps(out: Array, x: Array) -> None:
        kind = out.dtype.type
        np.multiply(x, kind(alpha), out)
        np.add(out, kind(beta), out)
        _clip(out, out, 0, 1)

    return bind_steps(steps, inputs, outputs[0], work=np.dtype(np.float64) if inputs[0].dtype.kind == "i" else None)


infer("CeluV2", "HardShrink", "SoftShrink")(rules.unary)


@binder("CeluV2")
def celu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x above 0, alpha * (exp(x / alpha) - 1) below."""
    alpha = float(attrs.get("alpha", 1.0))
    if alpha == 0:
        raise ValueError("CeluV2: alpha is 0")

    def steps(out: Array, x: Array) -> None:
        kind = out.dtype.type
        _clip(out, x, -np.inf, 0)
        np.divide(out, kind(alpha), out)
        heavy.expm1_below(out)
        np.multiply(out, kind(alpha), out)
        choose(out, x >= 0, x, out)

    return heavy.bind(steps, inputs[0], outputs[0])


@binder("HardShrink")
def hard_shrink(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = 0 from -lambd to lambd, else x (NaN too, as in PyTorch, which the prototype names)."""
    lambd = float(attrs.get("lambd", 0.5))

    def steps(out: Array, x: Array) -> None:
        np.copyto(out, x)
        clear(out, np.absolute(x) <= out.dtype.type(lambd))

    return bind_steps(steps, inputs, outputs[0])


@binder("SoftShrink")
def soft_shrink(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x less what of it lies from -lambd to lambd."""
    lambd = float(attrs.get("lambd", 0.5))
    if lambd < 0:
        raise ValueError(f"SoftShrink: lambd {lambd} is negative")

    def steps(out: Array, x: Array) -> None:
        _clip(out, x, -lambd, lambd)
        np.subtract(x, out, out)

    return bind_steps(steps, inputs, outputs[0])


@infer("ThresholdV2")
def threshold_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Operands of one dtype; the limit and the value are one element each."""
    for meta in inputs[1:]:
        if not meta.absent and any(dim not in (1, -1) for dim in meta.shape):
            raise ValueError(f"threshold or value of shape {list(meta.shape)} is not one element")
    return rules.of(rules.same_dtype([meta for meta in inputs if not meta.absent]), inputs[0].shape)


@binder("ThresholdV2")
def threshold_v2(inputs: list[Array | None], outputs: list[Array], attrs: Attrs) -> Task:
    """y = value where x <= threshold, else x; no value is 0."""
    x, limit = needs(inputs[0], "x"), needs(inputs[1], "threshold")
    value = inputs[2] if len(inputs) > 2 else None
    if value is None:
        value = np.zeros((), x.dtype)

    def steps(out: Array, x: Array, limit: Array, value: Array) -> None:
        choose(out, x <= limit, value, x)

    scalars = [array.reshape(()) for array in (limit, value)]
    return bind_steps(steps, [x, *scalars], outputs[0])


@infer("SwiGlu")
def swiglu_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output with half the length along ``dim``."""
    x = inputs[0]
    if x.shape == UNKNOWN_RANK:
        return rules.of(x.dtype, UNKNOWN_RANK)
    axis = axis_of(int(attrs.get("dim", -1)), len(x.shape))
    if x.shape[axis] % 2 and x.shape[axis] != -1:
        raise ValueError(f"dim {axis} of length {x.shape[axis]} is odd")
    half = -1 if x.shape[axis] == -1 else x.shape[axis] // 2
    return rules.of(x.dtype, (*x.shape[:axis], half, *x.shape[axis + 1 :]))


@binder("SwiGlu")
def swiglu(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = swish(first half) * second half of ``dim``."""
    x = inputs[0]
    first, second = np.split(x, 2, axis_of(int(attrs.get("dim", -1)), x.ndim))

    def steps(out: Array, gate: Array, value: Array) -> None:
        np.negative(gate, out)
        np.exp(out, out)
        np.add(out, out.dtype.type(1), out)
        np.divide(gate, out, out)
        np.multiply(out, value, out)

    return bind_steps(steps, (first, second), outputs[0])
