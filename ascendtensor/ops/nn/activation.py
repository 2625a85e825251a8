"""Activation functions, element by element."""

# mypy: disable-error-code="no-any-return"
# (`unary` and `call` give Any: only the operand knows the tensor class.)

from __future__ import annotations

import math
from typing import Any, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ValueRangeError
from .. import chips, views
from ..arguments import checked
from ..call import call, structured
from ..call import unary as launch
from ..operands import attribute, number_in
from ..pointwise import comparison, elementwise, unary
from ..reduction import floating, narrowed, widened
from ..schema import Meta, Row
from ..table import activation as table
from ..writing import copy_into, into, write

T = TypeVar("T", bound=TensorBase)


def _run(row: Row, input: T, arguments: tuple[float, ...], inplace: bool) -> T:
    return write(row, input, (input,), arguments) if inplace else structured(row, input, *arguments)


def _given(result: T, input: T, inplace: bool) -> T:
    return copy_into(input, result) if inplace else result


def relu(input: T, inplace: bool = False) -> T:
    """`max(input, 0)`; NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype but bool.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.

    Ascend operator: Relu. Like: torch.relu.

    Examples:
        >>> at.relu(at.tensor([-1.0, 0.0, 2.0]))
        tensor([0., 0., 2.], device='npu:0')
    """
    if inplace:
        return write(table.RELU, input, (input,))
    result: T = launch(table.RELU, input)
    return result


@checked
def relu_(input: T) -> T:
    """`relu`, written into the tensor. Ascend operator: Relu. Like: torch.relu_.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.relu_(x) is x
        True
        >>> x
        tensor([0., 2.], device='npu:0')
    """
    return write(table.RELU, input, (input,))


@checked
def relu6(input: T, inplace: bool = False) -> T:
    """`min(max(input, 0), 6)`.

    Args:
        input: Tensor of any shape and real dtype but bool.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.

    Ascend operator: Relu6. Like: torch.nn.functional.relu6.

    Examples:
        >>> at.nn.functional.relu6(at.tensor([-1.0, 3.0, 9.0]))
        tensor([0., 3., 6.], device='npu:0')
    """
    return _run(table.RELU6, input, (), inplace)


def sigmoid(input: T, *, out: T | None = None) -> T:
    """`1 / (1 + exp(-input))`.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Ascend operator: Sigmoid. Like: torch.sigmoid, scipy.special.expit.

    Examples:
        >>> at.sigmoid(at.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311], device='npu:0')
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

    Examples:
        >>> at.nn.functional.gelu(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.1587,  0.0000,  0.8413], device='npu:0')
        >>> at.nn.functional.gelu(at.tensor([-1.0, 0.0, 1.0]), approximate="tanh")
        tensor([-0.1588,  0.0000,  0.8412], device='npu:0')
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
    wide = widened(input)
    return narrowed(elementwise.mul(elementwise.mul(wide, 0.5), unary.erfc(elementwise.mul(wide, -math.sqrt(0.5)))), input)


@checked
def silu(input: T, inplace: bool = False) -> T:
    """`input * sigmoid(input)`.

    Args:
        input: Tensor of any shape and floating or complex dtype.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is of bool or integers.

    Ascend operator: Swish; Sigmoid and Mul for float64 and complex dtypes. Like: torch.nn.functional.silu.

    Examples:
        >>> at.nn.functional.silu(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2689,  0.0000,  0.7311], device='npu:0')
    """
    if input.desc.dtype is d.float64 or input.desc.dtype.is_complex:
        return _given(elementwise.mul(input, sigmoid(input)), input, inplace)
    return _run(table.SILU, input, (), inplace)


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

    Examples:
        >>> at.nn.functional.softplus(at.tensor([0.0, 50.0]))
        tensor([ 0.6931, 50.0000], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        scaled = elementwise.mul(input, float(beta))
        smooth = elementwise.div(elementwise.add(elementwise.maximum(scaled, 0.0), _tail(scaled)), float(beta))
        return comparison.where(comparison.gt(scaled, float(threshold)), input, smooth)
    return call(table.SOFTPLUS, (input,), (float(beta), float(threshold)))


@checked
def leaky_relu(input: T, negative_slope: float = 0.01, inplace: bool = False) -> T:
    """`input` above 0, `negative_slope * input` below.

    Args:
        input: Tensor of any shape and floating dtype.
        negative_slope: Slope below 0; an attribute, so that each value makes its own operator model.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: LeakyRelu; Mul and SelectV2 for float64. Like: torch.nn.functional.leaky_relu.

    Examples:
        >>> at.nn.functional.leaky_relu(at.tensor([-2.0, 2.0]), 0.1)
        tensor([-0.2000,  2.0000], device='npu:0')
    """
    if input.desc.dtype is d.float64:  # an attribute is a float32
        return _given(_above(input, elementwise.mul(input, float(negative_slope))), input, inplace)
    return _run(table.LEAKY_RELU, input, (attribute(negative_slope),), inplace)


def _above(input: T, below: T) -> T:
    """The operand above 0, something else where it is not."""
    return comparison.where(comparison.gt(input, 0), input, below)


@checked
def leaky_relu_(input: T, negative_slope: float = 0.01) -> T:
    """`leaky_relu`, written into the tensor. Like: torch.nn.functional.leaky_relu_.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.nn.functional.leaky_relu_(x, 0.1) is x
        True
        >>> x
        tensor([-0.1000,  2.0000], device='npu:0')
    """
    return leaky_relu(input, negative_slope, True)


@checked
def elu(input: T, alpha: float = 1.0, inplace: bool = False) -> T:
    """`input` above 0, `alpha * (exp(input) - 1)` below.

    Args:
        input: Tensor of any shape and floating dtype.
        alpha: Limit below, negated; an attribute, so that each value makes its own operator model.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Elu; composed for float64. Like: torch.nn.functional.elu.

    Examples:
        >>> at.nn.functional.elu(at.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.6321,  0.0000,  2.0000], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return _given(_above(input, elementwise.mul(unary.expm1(input), float(alpha))), input, inplace)
    return _run(table.ELU, input, (attribute(alpha),), inplace)


@checked
def elu_(input: T, alpha: float = 1.0) -> T:
    """`elu`, written into the tensor. Like: torch.nn.functional.elu_.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.nn.functional.elu_(x) is x
        True
        >>> x
        tensor([-0.6321,  2.0000], device='npu:0')
    """
    return elu(input, alpha, True)


@checked
def selu(input: T, inplace: bool = False) -> T:
    """1.0507 times `elu(input, 1.67326)`, which keeps mean and deviation of a network's layers.

    Args:
        input: Tensor of any shape and floating dtype.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Selu. Like: torch.selu.

    Examples:
        >>> at.nn.functional.selu(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-1.1113,  0.0000,  1.0507], device='npu:0')
    """
    return _run(table.SELU, input, (), inplace)


@checked
def selu_(input: T) -> T:
    """`selu`, written into the tensor. Like: torch.selu_.

    Examples:
        >>> x = at.tensor([-1.0, 1.0])
        >>> at.selu_(x) is x
        True
        >>> x
        tensor([-1.1113,  1.0507], device='npu:0')
    """
    return selu(input, True)


@checked
def celu(input: T, alpha: float = 1.0, inplace: bool = False) -> T:
    """`input` above 0, `alpha * (exp(input / alpha) - 1)` below.

    Args:
        input: Tensor of any shape and floating dtype.
        alpha: Limit below, negated, not 0; an attribute, so that each value makes its own operator model.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.
        ValueRangeError: `alpha` is 0.

    Ascend operator: CeluV2; composed for float64. Like: torch.celu.

    Examples:
        >>> at.nn.functional.celu(at.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.6321,  0.0000,  2.0000], device='npu:0')
    """
    if alpha == 0:
        raise ValueRangeError("alpha must not be 0", where="celu")
    if input.desc.dtype is d.float64:
        below = elementwise.mul(unary.expm1(elementwise.div(input, float(alpha))), float(alpha))
        return _given(_above(input, below), input, inplace)
    return _run(table.CELU, input, (float(alpha),), inplace)


@checked
def celu_(input: T, alpha: float = 1.0) -> T:
    """`celu`, written into the tensor. Like: torch.celu_.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.nn.functional.celu_(x) is x
        True
        >>> x
        tensor([-0.6321,  2.0000], device='npu:0')
    """
    return celu(input, alpha, True)


@checked
def prelu(input: T, weight: TensorBase) -> T:
    """`input` above 0, `weight * input` below.

    Args:
        input: Tensor of any shape and floating dtype.
        weight: One slope, or one for each channel (dim 1), of the same dtype.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ShapeError: The number of weights fits neither.
        DTypeError: The dtype is not floating, or the dtypes differ.

    Ascend operator: PRelu; Mul and SelectV2 for float64. Like: torch.nn.functional.prelu.

    Examples:
        >>> at.nn.functional.prelu(at.tensor([-2.0, 2.0]), at.tensor([0.25]))
        tensor([-0.5000,  2.0000], device='npu:0')
    """
    floating(input, "prelu")
    if input.desc.dtype is d.float64 and weight.desc.dtype is d.float64:
        table.weighted((Meta(input.desc.shape, d.float64), Meta(weight.desc.shape, d.float64)))
        if weight.desc.numel != 1:
            weight = views.reshape(weight, (-1, *(1,) * (len(input.desc.shape) - 2)))
        elif len(weight.desc.shape) > len(input.desc.shape):
            weight = views.reshape(weight, ())
        return _above(input, elementwise.mul(input, weight))
    return call(table.PRELU, (input, weight))


# Cut-offs


@checked
def threshold(input: T, threshold: Any, value: Any, inplace: bool = False, *, out: T | None = None) -> T:
    """`input` above a limit, a value where it is not; NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype but bool.
        threshold: The limit, a number; cut to an integer for integers.
        value: What replaces the rest, a number; cut to an integer for integers.
        inplace: Whether the result is written into `input`.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.

    Ascend operator: ThresholdV2; LessEqual and SelectV2 for float64. Like: torch.threshold.

    Examples:
        >>> at.nn.functional.threshold(at.tensor([0.5, 1.0, 1.5]), 1.0, 20.0)
        tensor([20.0000, 20.0000,  1.5000], device='npu:0')
    """
    return into(_over(input, threshold, value, inplace), out)


def _over(input: T, threshold: Any, value: Any, inplace: bool) -> T:
    if input.desc.dtype.category < d.FLOATING:
        threshold, value = int(threshold), int(value)
    if input.desc.dtype is d.float64 or chips.lacks(table.THRESHOLD, table.THRESHOLD.via.get(input.desc.dtype, input.desc.dtype)):
        return _given(comparison.where(comparison.le(input, threshold), value, input), input, inplace)
    operands = (input, *(number_in(each, input.desc.dtype) for each in (threshold, value)))
    return write(table.THRESHOLD, input, operands) if inplace else call(table.THRESHOLD, operands)


@checked
def threshold_(input: T, threshold: Any, value: Any) -> T:
    """`threshold`, written into the tensor. Like: torch.threshold_.

    Examples:
        >>> x = at.tensor([0.5, 1.5])
        >>> at.nn.functional.threshold_(x, 1.0, 20.0) is x
        True
        >>> x
        tensor([20.0000,  1.5000], device='npu:0')
    """
    return _over(input, threshold, value, True)


@checked
def hardshrink(input: T, lambd: float = 0.5, *, out: T | None = None) -> T:
    """0 from `-lambd` to `lambd`, `input` elsewhere.

    Args:
        input: Tensor of any shape and floating dtype.
        lambd: The limit; an attribute, so that each value makes its own operator model.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: HardShrink; Abs, LessEqual and SelectV2 for float64. Like: torch.hardshrink.

    Examples:
        >>> at.nn.functional.hardshrink(at.tensor([-1.0, 0.25, 0.75]))
        tensor([-1.0000,  0.0000,  0.7500], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return comparison.where(comparison.le(unary.abs(input), float(lambd)), 0.0, input, out=out)
    return into(structured(table.HARD_SHRINK, input, float(lambd)), out)


@checked
def softshrink(input: T, lambd: float = 0.5) -> T:
    """0 from `-lambd` to `lambd`, elsewhere `input` nearer to 0 by `lambd`.

    Args:
        input: Tensor of any shape and floating dtype.
        lambd: The limit, not negative; an attribute, so that each value makes its own operator model.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.
        ValueRangeError: `lambd` is negative.

    Ascend operator: SoftShrink; ClipByValueV2 and Sub for float64. Like: torch.nn.functional.softshrink.

    Examples:
        >>> at.nn.functional.softshrink(at.tensor([-1.0, 0.25, 0.75]))
        tensor([-0.5000,  0.0000,  0.2500], device='npu:0')
    """
    if not lambd >= 0:
        raise ValueRangeError(f"lambd must not be negative, but is {lambd}", where="softshrink")
    if input.desc.dtype is d.float64:
        return elementwise.sub(input, elementwise.clamp(input, -float(lambd), float(lambd)))
    return structured(table.SOFT_SHRINK, input, float(lambd))


# Soft steps


@checked
def softsign(input: T) -> T:
    """`input / (1 + |input|)`.

    Args:
        input: Tensor of any shape and dtype; integers and bool are computed in the default floating dtype.

    Returns:
        Tensor of the same shape.

    Ascend operator: Softsign; Abs, Add and RealDiv for complex dtypes. Like: torch.nn.functional.softsign.

    Examples:
        >>> at.nn.functional.softsign(at.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.5000,  0.0000,  0.7500], device='npu:0')
    """
    if input.desc.dtype.is_complex:
        return elementwise.div(input, elementwise.add(unary.abs(input), 1))
    return launch(table.SOFTSIGN, input)


@checked
def tanhshrink(input: T) -> T:
    """`input - tanh(input)`.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.

    Returns:
        Tensor of the same shape.

    Ascend operator: Tanh and Sub. Like: torch.nn.functional.tanhshrink.

    Examples:
        >>> at.nn.functional.tanhshrink(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2384,  0.0000,  0.2384], device='npu:0')
    """
    wide = widened(input)
    return narrowed(elementwise.sub(wide, unary.tanh(wide)), input)


# Gates


@checked
def glu(input: T, dim: int = -1) -> T:
    """The first half of a dim times `sigmoid` of the second.

    Args:
        input: Tensor of floating dtype.
        dim: The dim, of even length.

    Returns:
        Tensor with half the length along the dim.

    Raises:
        ShapeError: The length is odd, or there is no dim.
        DTypeError: `input` is not floating.

    Ascend operator: Sigmoid and Mul. Like: torch.nn.functional.glu.

    Examples:
        >>> at.nn.functional.glu(at.tensor([[1.0, 2.0, 0.0, 100.0]]))
        tensor([[0.5000, 2.0000]], device='npu:0')
    """
    floating(input, "glu")
    first, second = _halves(input, dim)
    return narrowed(elementwise.mul(widened(first), sigmoid(widened(second))), input)


def _halves(input: T, dim: int) -> tuple[T, T]:
    shape = input.desc.shape
    half = table.gated((Meta(shape, input.desc.dtype),), dim).shapes[0][dim]
    return views.narrow(input, dim, 0, half), views.narrow(input, dim, half, half)


@checked
def swiglu(input: T, dim: int = -1) -> T:
    """`silu` of the first half of a dim times the second.

    Args:
        input: Tensor of floating dtype.
        dim: The dim, of even length.

    Returns:
        Tensor with half the length along the dim.

    Raises:
        ShapeError: The length is odd, or there is no dim.
        DTypeError: `input` is not floating.

    Ascend operator: SwiGlu; composed for float64. Like: torch_npu.npu_swiglu.

    Examples:
        >>> at.nn.functional.swiglu(at.tensor([[0.0, 1.0, 3.0, 2.0]]))
        tensor([[0.0000, 1.4621]], device='npu:0')
    """
    if input.desc.dtype is d.float64 or chips.lacks(table.SWIGLU, input.desc.dtype):
        first, second = _halves(input, dim)
        return elementwise.mul(silu(first), second)
    return structured(table.SWIGLU, input, dim)


@checked
def hardtanh(input: T, min_val: Any = -1.0, max_val: Any = 1.0, inplace: bool = False) -> T:
    """`input` between two limits.

    Args:
        input: Tensor of any shape and real dtype but bool.
        min_val: Lower limit, a Python number.
        max_val: Upper limit, a Python number.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool or complex.
        ValueRangeError: The lower limit is above the upper one, or the dtype is unsigned and a limit negative.

    Ascend operator: ClipByValueV2. Like: torch.nn.functional.hardtanh.

    Examples:
        >>> at.nn.functional.hardtanh(at.tensor([-2.0, 0.5, 2.0]))
        tensor([-1.0000,  0.5000,  1.0000], device='npu:0')
    """
    dtype = input.desc.dtype
    if dtype is d.bool_ or dtype.is_complex:
        raise DTypeError(f"a floating or integer dtype is needed, not {dtype.name}", where="hardtanh")
    if min_val > max_val:
        raise ValueRangeError(f"min_val, {min_val}, must not be above max_val, {max_val}", where="hardtanh")
    if dtype.category < d.FLOATING:  # the dtype stays
        min_val, max_val = int(min_val), int(max_val)
        if not dtype.is_signed and min_val < 0:
            raise ValueRangeError(f"{dtype.name} has no negative limits", where="hardtanh")
    return elementwise.clamp(input, min_val, max_val, out=input if inplace else None)


@checked
def hardtanh_(input: T, min_val: Any = -1.0, max_val: Any = 1.0) -> T:
    """`hardtanh`, written into the tensor. Like: torch.nn.functional.hardtanh_.

    Examples:
        >>> x = at.tensor([-2.0, 0.5])
        >>> at.nn.functional.hardtanh_(x) is x
        True
        >>> x
        tensor([-1.0000,  0.5000], device='npu:0')
    """
    return hardtanh(input, min_val, max_val, True)


@checked
def hardswish(input: T, inplace: bool = False) -> T:
    """`input * min(max(input + 3, 0), 6) / 6`.

    Args:
        input: Tensor of any shape and floating dtype.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: HardSwish; composed for float64. Like: torch.nn.functional.hardswish.

    Examples:
        >>> at.nn.functional.hardswish(at.tensor([-4.0, 1.5, 4.0]))
        tensor([-0.0000, 1.1250, 4.0000], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return _given(elementwise.mul(input, hardsigmoid(input)), input, inplace)
    return _run(table.HARD_SWISH, input, (), inplace)


@checked
def hardsigmoid(input: T, inplace: bool = False) -> T:
    """`min(max(input / 6 + 1 / 2, 0), 1)`.

    Args:
        input: Tensor of any shape and floating dtype.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: HardSigmoid; composed for float64. Like: torch.nn.functional.hardsigmoid.

    Examples:
        >>> at.nn.functional.hardsigmoid(at.tensor([-4.0, 0.0, 4.0]))
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return _given(elementwise.clamp(elementwise.add(elementwise.div(input, 6.0), 0.5), 0.0, 1.0), input, inplace)
    return _run(table.HARD_SIGMOID, input, (), inplace)


@checked
def mish(input: T, inplace: bool = False) -> T:
    """`input * tanh(softplus(input))`.

    Args:
        input: Tensor of any shape and floating dtype.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Mish; composed for float64. Like: torch.nn.functional.mish.

    Examples:
        >>> at.nn.functional.mish(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.3034,  0.0000,  0.8651], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return _given(elementwise.mul(input, unary.tanh(softplus(input))), input, inplace)
    return _run(table.MISH, input, (), inplace)


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

    Examples:
        >>> at.nn.functional.logsigmoid(at.tensor([-100.0, 0.0]))
        tensor([-100.0000,   -0.6931], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return elementwise.sub(elementwise.minimum(input, 0.0), _tail(input))
    return launch(table.LOG_SIGMOID, input)


def _tail(input: T) -> T:
    """`log(1 + exp(-|input|))`, which never overflows."""
    return unary.log1p(unary.exp(unary.neg(unary.abs(input))))
