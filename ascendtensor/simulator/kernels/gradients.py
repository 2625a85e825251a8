"""Gradients of elementwise functions, of the incoming gradient and of the function's operand or result, as each prototype says.

Most prototypes call the operand ``x`` or ``features`` and the result ``y``; those of the inverse trigonometric functions say ``y`` for
either: acos, asin and atan take the operand, acosh and asinh the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.operands import needs
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, Task, add, add_rule, binder, infer

Formula = Callable[..., Array]

_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805
_GELU_LINEAR = 0.7978845608028654  # sqrt(2 / pi)
_GELU_CUBIC = 0.044715


def _sigmoid(x: Array) -> Array:
    out: Array = 1 / (1 + np.exp(-x))
    return out


def _gelu(dy: Array, x: Array, y: Array) -> Array:
    """Of the form with tanh."""
    tanh = np.tanh(_GELU_LINEAR * (x + _GELU_CUBIC * x * x * x))
    slope = _GELU_LINEAR * (1 + 3 * _GELU_CUBIC * x * x)
    out: Array = dy * (0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * slope)
    return out


def _hard_swish(dy: Array, x: Array) -> Array:
    return np.where(x < -3, 0, np.where(x <= 3, dy * (x / 3 + 0.5), dy))


def _selu(dy: Array, y: Array) -> Array:
    return np.where(y < 0, dy * (y + _SELU_SCALE * _SELU_ALPHA), dy * _SELU_SCALE)


def _silu(dy: Array, x: Array) -> Array:
    share = _sigmoid(x)
    out: Array = dy * share * (1 + x * (1 - share))
    return out


_PLAIN: dict[str, Formula] = {
    "AbsGrad": lambda x, dy: dy * np.sign(x),
    "AcosGrad": lambda x, dy: -dy / np.sqrt(1 - x * x),
    "AcoshGrad": lambda y, dy: dy / np.sinh(y),
    "AsinGrad": lambda x, dy: dy / np.sqrt(1 - x * x),
    "AsinhGrad": lambda y, dy: dy / np.cosh(y),
    "AtanGrad": lambda x, dy: dy / (1 + x * x),
    "EluGrad": lambda dy, y: np.where(y > 0, dy, dy * (y + 1)),
    "GeluGrad": _gelu,
    "HardSwishGrad": _hard_swish,
    "InvGrad": lambda y, dy: -dy * y * y,
    "LogSigmoidGrad": lambda dy, x: dy * _sigmoid(-x),
    "ReciprocalGrad": lambda y, dy: -dy * y * y,
    "Relu6Grad": lambda dy, x: np.where((x > 0) & (x < 6), dy, 0),
    "RsqrtGrad": lambda y, dy: -0.5 * dy * y * y * y,
    "SeluGrad": _selu,
    "SiluGrad": _silu,
    "SoftplusGrad": lambda dy, x: dy * _sigmoid(x),
    "SoftsignGrad": lambda dy, x: dy / np.square(1 + np.abs(x)),
    "SqrtGrad": lambda y, dy: 0.5 * dy / y,
}
"""Each takes the operator's inputs in order."""


def _hardtanh(y: Array, dy: Array, min_val: float, max_val: float) -> Array:
    return np.where((y <= min_val) | (y >= max_val), 0, dy)


def _hard_sigmoid(dy: Array, x: Array, alpha: float, beta: float) -> Array:
    line = alpha * x + beta
    return np.where((line > 0) & (line < 1), dy * alpha, 0)


def _logit(x: Array, dy: Array, eps: float) -> Array:
    """A negative limit is none: there is no logarithm beyond 0 and 1."""
    inner = dy / (x * (1 - x))
    low, high = (0.0, 1.0) if eps < 0 else (eps, 1 - eps)
    return np.where((x < low) | (x > high), np.nan if eps < 0 else 0, inner)


def _softplus(dy: Array, x: Array, beta: float, threshold: float) -> Array:
    return np.where(x * beta > threshold, dy, dy * _sigmoid(beta * x))


def _swish(dy: Array, x: Array, y: Array, scale: float) -> Array:
    share = _sigmoid(scale * x)
    out: Array = dy * (share + scale * x * share * (1 - share))
    return out


_WITH_ATTRS: dict[str, Formula] = {
    "HardShrinkGrad": lambda dy, x, lambd: np.where((x < -lambd) | (x > lambd), dy, 0),
    "HardSigmoidGrad": _hard_sigmoid,
    "HardtanhGrad": _hardtanh,
    "LeakyReluGrad": lambda dy, x, negative_slope: np.where(x > 0, dy, dy * negative_slope),
    "LogitGrad": _logit,
    "SoftShrinkGrad": lambda dy, x, lambd: np.where((x < -lambd) | (x > lambd), dy, 0),
    "SoftplusV2Grad": _softplus,
    "SwishGrad": _swish,
    "ThresholdGradV2D": lambda dy, x, threshold: np.where(x > threshold, dy, 0),
}
"""The same with the operator's attributes by name."""


def _write(formula: Formula, attrs: Attrs, out: Array, *operands: Array) -> None:
    out[...] = formula(*operands, **attrs)


def _bind(formula: Formula, takes_attrs: bool, inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    operands = [needs(array, "every input") for array in inputs]
    if any(array.dtype.kind not in "fV" for array in operands):  # V: bfloat16
        raise TypeError(f"no kernel for {operands[0].dtype}")
    return bind_steps(partial(_write, formula, attrs if takes_attrs else {}), operands, outputs[0])


def _like_each_other(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """All inputs of one shape and dtype, the output too."""
    dtype = rules.same_dtype([meta for meta in inputs if not meta.absent])
    first = inputs[0].shape
    for meta in inputs[1:]:
        same = -2 in (*first, *meta.shape) or (
            len(first) == len(meta.shape) and all(-1 in pair or pair[0] == pair[1] for pair in zip(first, meta.shape, strict=True))
        )
        if not (same or meta.absent):
            raise ValueError(f"shapes {list(first)} and {list(meta.shape)} differ")
    return [Out(dtype, first, rules.broadcast_ranges(first))]


for _formulas, _takes_attrs in ((_PLAIN, False), (_WITH_ATTRS, True)):
    for _name, _formula in _formulas.items():
        add(_name, partial(_bind, _formula, _takes_attrs))
        add_rule(_name, _like_each_other)


def _mish(out: Array, dy: Array, x: Array, tanh: Array | None = None) -> None:
    if tanh is None:
        tanh = np.tanh(np.logaddexp(np.zeros((), x.dtype), x))
    out[...] = dy * (tanh + x * (1 - tanh * tanh) * _sigmoid(x))


@binder("MishGrad")
def mish_grad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """x_grad; ``tanhx`` is tanh(softplus(x)), worked out where it is not given."""
    return bind_steps(_mish, [array for array in inputs if array is not None], outputs[0])


infer("MishGrad")(_like_each_other)


@infer("MseLossGrad", "SmoothL1LossGradV2")
def loss_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """As the prediction; the incoming gradient may be one number."""
    rules.same_dtype(inputs)
    return _like_each_other(inputs[:2], attrs, num_outputs)


@binder("MseLossGrad", "SmoothL1LossGradV2")
def loss_grad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """y = 2 (predict - label) dout, or the slope of the smooth L1 loss with its bend at ``sigma``; over the count for the mean."""
    count = outputs[0].size if attrs["reduction"] == "mean" else 1
    return bind_steps(partial(_difference, attrs.get("sigma"), count), [needs(array, "every input") for array in inputs], outputs[0])


def _difference(sigma: float | None, count: int, out: Array, predict: Array, label: Array, dout: Array) -> None:
    difference: Any = predict - label
    slope = 2 * difference if sigma is None else np.sign(difference) if sigma == 0 else np.clip(difference / sigma, -1, 1)
    out[...] = slope * dout / count
