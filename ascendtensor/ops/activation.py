"""Activation functions, element by element."""

# mypy: disable-error-code="no-any-return"
# (`unary` and `call` give Any: only the operand knows the tensor class.)

from __future__ import annotations

import math
from typing import Any, TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..errors import DTypeError, ValueRangeError
from . import comparison, elementwise, unary
from .arguments import checked
from .call import call
from .call import unary as launch
from .table import activation as table
from .writing import write

T = TypeVar("T", bound=TensorBase)


def relu(input: T) -> T:
    """`max(input, 0)`; NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype but bool.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.

    Ascend operator: Relu. Like: torch.relu.
    """
    result: T = launch(table.RELU, input)
    return result


@checked
def relu6(input: T) -> T:
    """`min(max(input, 0), 6)`.

    Args:
        input: Tensor of any shape and real dtype but bool.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.

    Ascend operator: Relu6. Like: torch.nn.functional.relu6.
    """
    return launch(table.RELU6, input)


def sigmoid(input: T, *, out: T | None = None) -> T:
    """`1 / (1 + exp(-input))`.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Ascend operator: Sigmoid. Like: torch.sigmoid, scipy.special.expit.
    """
    return launch(table.SIGMOID, input) if out is None else write(table.SIGMOID, out, (input,))


@checked
def gelu(input: T, approximate: str = "none") -> T:
    """`input` times the normal distribution function of it.

    Args:
        input: Tensor of any shape and floating dtype.
        approximate: "none", or "tanh" for the usual approximation.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.
        ValueRangeError: Another `approximate`.

    Ascend operator: Gelu for "tanh" (the operator is that approximation; composed for float64), else Mul and Erfc.
        Like: torch.nn.functional.gelu.
    """
    if approximate == "tanh":
        if input.desc.dtype is d.float64:
            cubic = elementwise.add(input, elementwise.mul(elementwise.pow(input, 3), 0.044715))
            return elementwise.mul(input, sigmoid(elementwise.mul(cubic, 2 * math.sqrt(2 / math.pi))))
        return launch(table.GELU_TANH, input)
    if approximate != "none":
        raise ValueRangeError(f"approximate is {approximate!r}; it is 'none' or 'tanh'", where="gelu")
    if not input.desc.dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {input.desc.dtype.name}", where="gelu", advice="Cast with .to(float32) first.")
    # erfc(-x) and not 1 + erf(x), which loses all digits of small results.
    return elementwise.mul(elementwise.mul(input, 0.5), unary.erfc(elementwise.mul(input, -math.sqrt(0.5))))


@checked
def silu(input: T) -> T:
    """`input * sigmoid(input)`.

    Args:
        input: Tensor of any shape and floating dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Swish; Sigmoid and Mul for float64. Like: torch.nn.functional.silu.
    """
    if input.desc.dtype is d.float64:
        return elementwise.mul(input, sigmoid(input))
    return launch(table.SILU, input)


@checked
def softplus(input: T, beta: float = 1.0, threshold: float = 20.0) -> T:
    """`log(1 + exp(beta * input)) / beta`, without overflow.

    Args:
        input: Tensor of any shape and floating dtype.
        beta: Sharpness.
        threshold: Where `beta * input` is above it, the result is `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: SoftplusV2; composed for float64. Like: torch.nn.functional.softplus.
    """
    if input.desc.dtype is d.float64:
        scaled = elementwise.mul(input, float(beta))
        smooth = elementwise.div(elementwise.add(elementwise.maximum(scaled, 0.0), _tail(scaled)), float(beta))
        return comparison.where(comparison.gt(scaled, float(threshold)), input, smooth)
    return call(table.SOFTPLUS, (input,), (float(beta), float(threshold)))


@checked
def leaky_relu(input: T, negative_slope: float = 0.01) -> T:
    """`input` above 0, `negative_slope * input` below.

    Args:
        input: Tensor of any shape and floating dtype.
        negative_slope: Slope below 0; an attribute, so that each value makes its own operator model.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: LeakyRelu. Like: torch.nn.functional.leaky_relu.
    """
    return call(table.LEAKY_RELU, (input,), (float(negative_slope),))


@checked
def elu(input: T, alpha: float = 1.0) -> T:
    """`input` above 0, `alpha * (exp(input) - 1)` below.

    Args:
        input: Tensor of any shape and floating dtype.
        alpha: Limit below, negated; an attribute, so that each value makes its own operator model.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Elu. Like: torch.nn.functional.elu.
    """
    return call(table.ELU, (input,), (float(alpha),))


@checked
def hardtanh(input: T, min_val: Any = -1.0, max_val: Any = 1.0) -> T:
    """`input` between two limits.

    Args:
        input: Tensor of any shape and real dtype but bool.
        min_val: Lower limit, a Python number.
        max_val: Upper limit, a Python number.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: ClipByValueV2. Like: torch.nn.functional.hardtanh.
    """
    if input.desc.dtype.category < d.FLOATING:  # the dtype stays
        min_val, max_val = int(min_val), int(max_val)
    return elementwise.clamp(input, min_val, max_val)


@checked
def hardswish(input: T) -> T:
    """`input * min(max(input + 3, 0), 6) / 6`.

    Args:
        input: Tensor of any shape and floating dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: HardSwish; composed for float64. Like: torch.nn.functional.hardswish.
    """
    if input.desc.dtype is d.float64:
        return elementwise.mul(input, hardsigmoid(input))
    return launch(table.HARD_SWISH, input)


@checked
def hardsigmoid(input: T) -> T:
    """`min(max(input / 6 + 1 / 2, 0), 1)`.

    Args:
        input: Tensor of any shape and floating dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: HardSigmoid; composed for float64. Like: torch.nn.functional.hardsigmoid.
    """
    if input.desc.dtype is d.float64:
        return elementwise.clamp(elementwise.add(elementwise.div(input, 6.0), 0.5), 0.0, 1.0)
    return launch(table.HARD_SIGMOID, input)


@checked
def mish(input: T) -> T:
    """`input * tanh(softplus(input))`.

    Args:
        input: Tensor of any shape and floating dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Mish; composed for float64. Like: torch.nn.functional.mish.
    """
    if input.desc.dtype is d.float64:
        return elementwise.mul(input, unary.tanh(softplus(input)))
    return launch(table.MISH, input)


@checked
def logsigmoid(input: T) -> T:
    """`log(sigmoid(input))`, without overflow.

    Args:
        input: Tensor of any shape and floating dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: LogSigmoid; composed for float64. Like: torch.nn.functional.logsigmoid.
    """
    if input.desc.dtype is d.float64:
        return elementwise.sub(elementwise.minimum(input, 0.0), _tail(input))
    return launch(table.LOG_SIGMOID, input)


def _tail(input: T) -> T:
    """`log(1 + exp(-|input|))`, which never overflows."""
    return unary.log1p(unary.exp(unary.neg(unary.abs(input))))
