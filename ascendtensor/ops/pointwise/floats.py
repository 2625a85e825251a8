"""Floating-point numbers by their parts, logarithms of sums, and functions of two operands that are made of others."""

# mypy: disable-error-code="no-any-return"
# (`binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from typing import Any, Final, TypeVar

import numpy as np

from ... import base
from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import DTypeError
from ...promotion import Kind
from ..arguments import checked
from ..call import binary, call
from ..operands import filled, in_dtype
from ..results import MantissaExponent
from ..table import special as table
from ..writing import into, into_all, write
from . import comparison, elementwise
from . import unary as functions
from .special import finished, promoted, real, working

T = TypeVar("T", bound=TensorBase)

_INTEGER: Final[dict[DType, DType]] = {d.float16: d.int16, d.bfloat16: d.int16, d.float32: d.int32, d.float64: d.int64}
_FLOATING_ADVICE: Final = "Cast with .to(float32) first."


def _seen_as(input: T, dtype: DType) -> T:
    """The bits of the elements as numbers of another dtype of the same size; a view."""
    return base.view_as(input, dtype, input.desc.shape, base.element_strides(input), base.element_offset(input))


def _bits(input: T) -> T:
    return _seen_as(input, _INTEGER[input.desc.dtype])


def _sign_bit(dtype: DType) -> int:
    """The integer of a dtype's size of which only the sign bit is set."""
    return -(1 << (8 * dtype.itemsize - 1))


def _needs_floating(dtype: DType) -> None:
    if not dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {dtype.name}", advice=_FLOATING_ADVICE)


# Parts of a number


@checked
def copysign(input: T, other: Any, *, out: T | None = None) -> T:
    """The size of `input` with the sign of `other`, that of zeros and NaN included. Integers become floating.

    Args:
        input: Tensor of any shape and real dtype.
        other: Tensor of real dtype that broadcasts with it, or a Python number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is complex.

    Ascend operator: BitwiseAnd and BitwiseOr of the bits; Abs and Neg where `other` is a number. Like: torch.copysign, numpy.copysign.

    Examples:
        >>> at.copysign(at.tensor([1.0, 2.0]), at.tensor([-0.0, 3.0]))
        tensor([-1.,  2.], device='npu:0')
    """
    dtype = real(promoted(Kind.INT_TO_FLOAT, input, other))
    x = in_dtype(input, dtype)
    if not isinstance(other, TensorBase):
        size = functions.abs(x)
        return into(functions.neg(size) if math.copysign(1.0, other) < 0 else size, out)
    sign = comparison.bitwise_and(_bits(in_dtype(other, dtype)), _sign_bit(dtype))
    size = comparison.bitwise_and(_bits(x), ~_sign_bit(dtype))
    return into(_seen_as(comparison.bitwise_or(size, sign), dtype), out)


@checked
def nextafter(input: T, other: Any, *, out: T | None = None) -> T:
    """The number next to `input` in the direction of `other`. AI CPU operator.

    Args:
        input: Tensor of any shape and floating dtype.
        other: Tensor that broadcasts with it, or a Python number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: NextAfter; for float16 and bfloat16, which it does not take, Add to the bits, and SelectV2.
        Like: torch.nextafter, numpy.nextafter.

    Examples:
        >>> at.nextafter(at.tensor([0.0]), at.tensor([1.0])) > 0
        tensor([True], device='npu:0')
    """
    dtype = promoted(Kind.FLOAT_ONLY, input, other)
    if dtype not in (d.float16, d.bfloat16):
        return binary(table.NEXT_AFTER, input, other) if out is None else write(table.NEXT_AFTER, out, (input, other))
    return into(_next_half(input, other, dtype), out)


def _next_half(input: Any, other: Any, dtype: DType) -> Any:
    """One step in a count of the numbers, negative ones below zero."""
    x, goal = _tensor_of(input, other, dtype), _tensor_of(other, input, dtype)
    bits = comparison.cast(_bits(x), d.int32)
    place, end = _place(bits), _place(comparison.cast(_bits(goal), d.int32))
    place = elementwise.add(place, functions.sign(elementwise.sub(end, place)))
    negative = comparison.logical_or(comparison.lt(place, 0), comparison.logical_and(comparison.eq(place, 0), comparison.lt(bits, 0)))
    moved = comparison.where(negative, elementwise.rsub(place, -0x8000), place)
    result = comparison.where(comparison.eq(x, goal), goal, _seen_as(comparison.cast(moved, d.int16), dtype))
    known = comparison.logical_and(comparison.eq(x, x), comparison.eq(goal, goal))
    return comparison.where(known, result, math.nan)


def _place(bits: T) -> T:
    """Number of a half by its bits: 0 for both zeros, 1 for the least positive one, -1 for the least negative one."""
    size = comparison.bitwise_and(bits, 0x7FFF)
    return comparison.where(comparison.lt(bits, 0), functions.neg(size), size)


def _tensor_of(operand: Any, like: Any, dtype: DType) -> Any:
    if isinstance(operand, TensorBase):
        return in_dtype(operand, dtype)
    return filled(like, (), operand, dtype)


@checked
def ldexp(input: T, other: Any, *, out: T | None = None) -> T:
    """`input * 2 ** other`, right also where the power alone has no room in the dtype. Integers become floating.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: Pow and Mul, in three steps; ClipByValueV2, Trunc and Sub. Like: torch.ldexp, numpy.ldexp.

    Examples:
        >>> at.ldexp(at.tensor([0.5, 3.0]), at.tensor([4, 1]))
        tensor([8., 6.], device='npu:0')
    """
    dtype = promoted(Kind.INT_TO_FLOAT, input, other)
    result = working(input, dtype)
    if isinstance(other, (complex, np.complexfloating)) or (isinstance(other, TensorBase) and other.desc.dtype.is_complex):
        power = working(other, dtype)
        power = functions.exp2(power) if isinstance(power, TensorBase) else 2.0**power
        return finished(elementwise.mul(result, power), dtype, out)
    for power in _powers(working(other, dtype.to_real()), dtype):
        result = elementwise.mul(result, power)
    return finished(result, dtype, out)


def _powers(exponent: Any, dtype: DType) -> tuple[Any, Any, Any]:
    """Three powers of 2 whose product is that of the exponent: from the smallest number to the largest one is too far for one of them."""
    reach = 6600.0 if dtype.to_real() is d.float64 else 900.0  # thrice what a dtype's power holds, and more than its range is wide
    if isinstance(exponent, TensorBase):
        exponent = elementwise.clamp(exponent, -reach / 3, reach / 3)
        third = functions.trunc(elementwise.div(exponent, 3.0))
        step = functions.exp2(third)
        return step, step, functions.exp2(elementwise.sub(exponent, elementwise.mul(third, 2.0)))
    if exponent != exponent:
        return exponent, exponent, exponent
    exponent = min(max(float(exponent), -reach / 3), reach / 3)
    third = math.trunc(exponent / 3)
    return 2.0**third, 2.0**third, 2.0 ** (exponent - 2 * third)


_MANTISSA: Final[dict[DType, tuple[int, int, float]]] = {d.float32: (23, 126, 2.0**24), d.float64: (52, 1022, 2.0**53)}
"""Bits of the fraction, exponent of the bits of 0.5, and what brings the smallest numbers into the range of normal ones."""


@checked
def frexp(input: T, *, out: tuple[T, T] | None = None) -> MantissaExponent[T]:
    """The parts of `mantissa * 2 ** exponent`, the mantissa between 0.5 and 1 in size.

    Args:
        input: Tensor of any shape and floating dtype.
        out: A floating tensor and an int32 tensor of the same shape to write into.

    Returns:
        mantissa of the same shape and dtype and exponent, int32; for 0, infinities and NaN the number itself and 0.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: composed of BitwiseAnd, BitwiseOr and FloorDiv of the bits, Mul and SelectV2. Like: torch.frexp, numpy.frexp.

    Examples:
        >>> mantissa, exponent = at.frexp(at.tensor([8.0, 0.75]))
        >>> mantissa
        tensor([0.5000, 0.7500], device='npu:0')
        >>> exponent
        tensor([4, 0], device='npu:0', dtype=ascendtensor.int32)
    """
    dtype = input.desc.dtype
    _needs_floating(dtype)
    x = working(input, dtype)
    wide = x.desc.dtype
    shift, bias, scale = _MANTISSA[wide]
    small = comparison.lt(functions.abs(x), d.finfo(wide).smallest_normal)
    bits = _bits(comparison.where(small, elementwise.mul(x, scale), x))
    power_mask = ((1 << (8 * wide.itemsize - 1 - shift)) - 1) << shift
    exponent = elementwise.sub(elementwise.floor_divide(comparison.bitwise_and(bits, power_mask), 1 << shift), bias)
    exponent = comparison.where(small, elementwise.sub(exponent, round(math.log2(scale))), exponent)
    fraction = comparison.bitwise_or(comparison.bitwise_and(bits, ~power_mask), bias << shift)
    plain = comparison.logical_and(comparison.isfinite(x), comparison.ne(x, 0))
    mantissa = comparison.where(plain, _seen_as(fraction, wide), x)
    exponent = comparison.where(plain, exponent, 0)
    parts = MantissaExponent(
        mantissa if wide is dtype else comparison.cast(mantissa, dtype),
        in_dtype(exponent, d.int32),
    )
    return into_all(parts, out)


# Logarithms of sums


@checked
def logaddexp(input: T, other: Any, *, out: T | None = None) -> T:
    """`log(exp(input) + exp(other))` without overflow on the way.

    Args:
        input: Tensor of any shape and floating dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a floating tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: LogAddExp; for float64, which it does not take, Exp, Log1p and others. Like: torch.logaddexp, numpy.logaddexp.

    Examples:
        >>> at.logaddexp(at.tensor([0.0, 1.0]), at.tensor([0.0, 1.0]))
        tensor([0.6931, 1.6931], device='npu:0')
    """
    if promoted(Kind.FLOAT_ONLY, input, other) is d.float64:
        return into(_log_of_sum(input, other, 1.0), out)
    return binary(table.LOG_ADD_EXP, input, other) if out is None else write(table.LOG_ADD_EXP, out, (input, other))


@checked
def logaddexp2(input: T, other: Any, *, out: T | None = None) -> T:
    """`log2(2 ** input + 2 ** other)` without overflow on the way.

    Args:
        input: Tensor of any shape and floating dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a floating tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: LogAddExp (base 2); for float64, which it does not take, Exp, Log1p and others. Like: torch.logaddexp2,
        numpy.logaddexp2.

    Examples:
        >>> at.logaddexp2(at.tensor([0.0, 3.0]), at.tensor([0.0, 3.0]))
        tensor([1., 4.], device='npu:0')
    """
    if promoted(Kind.FLOAT_ONLY, input, other) is d.float64:
        return into(_log_of_sum(input, other, math.log(2)), out)
    return binary(table.LOG_ADD_EXP2, input, other) if out is None else write(table.LOG_ADD_EXP2, out, (input, other))


def _log_of_sum(input: Any, other: Any, level: float) -> Any:
    """The larger, and what the smaller adds to it."""
    large, small = elementwise.maximum(input, other), elementwise.minimum(input, other)
    below = comparison.where(comparison.eq(large, small), 0.0, elementwise.sub(small, large))  # equal infinities have no difference
    more = functions.log1p(functions.exp(elementwise.mul(below, level)))
    return elementwise.add(large, elementwise.mul(more, 1 / level))


# Functions of two operands


@checked
def fmax(input: T, other: Any, *, out: T | None = None) -> T:
    """The larger of two elements; where one is NaN, the other.

    Args:
        input: Tensor of any shape and real dtype but uint64, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Maximum, and NotEqual and SelectV2 for floating dtypes. Like: torch.fmax, numpy.fmax.

    Examples:
        >>> at.fmax(at.tensor([1.0, float("nan")]), at.tensor([2.0, 3.0]))
        tensor([2., 3.], device='npu:0')
    """
    return elementwise.maximum(*_without_nan(input, other), out=out)


@checked
def fmin(input: T, other: Any, *, out: T | None = None) -> T:
    """The smaller of two elements; where one is NaN, the other.

    Args:
        input: Tensor of any shape and real dtype but uint64, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Minimum, and NotEqual and SelectV2 for floating dtypes. Like: torch.fmin, numpy.fmin.

    Examples:
        >>> at.fmin(at.tensor([1.0, float("nan")]), at.tensor([2.0, 3.0]))
        tensor([1., 3.], device='npu:0')
    """
    return elementwise.minimum(*_without_nan(input, other), out=out)


def _without_nan(left: Any, right: Any) -> tuple[Any, Any]:
    """Two operands, each replaced by the other one where it is NaN."""
    return _or_else(left, right), _or_else(right, left)


def _or_else(operand: Any, other: Any) -> Any:
    if not isinstance(operand, TensorBase):
        return operand if operand == operand else other
    if not operand.desc.dtype.is_floating_point:
        return operand
    return comparison.where(comparison.ne(operand, operand), other, operand)


@checked
def heaviside(input: T, values: T, *, out: T | None = None) -> T:
    """Heaviside's step: 0 below 0 and for NaN, 1 above, `values` at 0.

    Args:
        input: Tensor of any shape and real dtype.
        values: Tensor of the same dtype that broadcasts with it.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the same dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtypes differ, or are complex.

    Ascend operator: Greater, Equal, Cast and SelectV2. Like: torch.heaviside, numpy.heaviside.

    Examples:
        >>> at.heaviside(at.tensor([-1.0, 0.0, 2.0]), at.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    dtype = real(input.desc.dtype)
    if values.desc.dtype is not dtype:
        names = f"{dtype.name} and {values.desc.dtype.name}"
        raise DTypeError(f"the operands have to have one dtype, not {names}", advice=f"Cast with .to({dtype.name}) first.")
    step = comparison.cast(comparison.gt(input, 0), dtype)
    return comparison.where(comparison.eq(input, 0), values, step, out=out)


@checked
def float_power(input: Any, exponent: Any, *, out: T | None = None) -> T:
    """`input ** exponent` in float64, or complex128 where an operand is complex.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        exponent: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: float64 or complex128 tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: Cast and Pow (AI CPU). Like: torch.float_power, numpy.float_power.

    Examples:
        >>> at.float_power(at.tensor([2, 3]), 2)
        tensor([4., 9.], device='npu:0', dtype=ascendtensor.float64)
    """
    dtype = d.complex128 if promoted(Kind.DEFAULT, input, exponent).is_complex else d.float64
    base_, power = working(input, dtype), working(exponent, dtype)
    if out is not None and out.desc.dtype is not dtype:
        raise DTypeError(f"out has to be of dtype {dtype.name}, not {out.desc.dtype.name}")
    return elementwise.pow(base_, power, out=out)


# Integers


@checked
def gcd(input: T, other: Any, *, out: T | None = None) -> T:
    """Greatest common divisor, not negative; that of 0 and 0 is 0.

    Args:
        input: Tensor of any shape and an integer dtype but uint64, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex, or both are bool.

    Ascend operator: Gcd. Like: torch.gcd, numpy.gcd.

    Examples:
        >>> at.gcd(at.tensor([12, 18]), at.tensor([8, 27]))
        tensor([4, 9], device='npu:0')
    """
    return binary(table.GCD, input, other) if out is None else write(table.GCD, out, (input, other))


@checked
def lcm(input: T, other: Any, *, out: T | None = None) -> T:
    """Least common multiple, not negative; 0 where either is 0.

    Args:
        input: Tensor of any shape and an integer dtype but uint64, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex, or both are bool.

    Ascend operator: Gcd, FloorDiv, Mul, Abs and SelectV2. Like: torch.lcm, numpy.lcm.

    Examples:
        >>> at.lcm(at.tensor([4, 6]), at.tensor([6, 9]))
        tensor([12, 18], device='npu:0')
    """
    divisor = binary(table.GCD, input, other)
    dtype = divisor.desc.dtype
    divisor = comparison.where(comparison.eq(divisor, 0), 1, divisor)
    left: Any = comparison.cast(input, dtype) if isinstance(input, TensorBase) else input
    quotient = elementwise.floor_divide(left, divisor)
    if dtype in (d.int8, d.int16):  # the low bits of the multiple, as in PyTorch, whose C computes them in int
        right: Any = comparison.cast(other, dtype) if isinstance(other, TensorBase) else other
        return into(elementwise.mul(functions.abs(quotient), abs(right)), out)
    product = elementwise.mul(quotient, other)
    return into(functions.abs(product) if dtype.is_signed else product, out)


# Three operands


@checked
def fma(input: T, other: Any, addend: Any, *, out: T | None = None) -> T:
    """`input * other + addend`. PyTorch has no function of this name.

    Args:
        input: Tensor of any shape and dtype but bool, or a Python number.
        other: Tensor or Python number that broadcasts with it.
        addend: Tensor or Python number that broadcasts with both; at least one of the three is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: FusedMulAdd; Mul and Add for dtypes that it does not take. Like: math.fma of Python 3.13, element by element.

    Examples:
        >>> at.fma(at.tensor([2.0]), at.tensor([3.0]), at.tensor([1.0]))
        tensor([7.], device='npu:0')
    """
    row = table.FUSED_MUL_ADD
    dtype = promoted(row.promotion, input, other, addend)
    if dtype not in row.dtypes and dtype not in row.via:
        return elementwise.add(elementwise.mul(input, other), addend, out=out)
    operands = (input, other, addend)
    return call(row, operands) if out is None else write(row, out, operands)


# Angles


@checked
def deg2rad(input: T, *, out: T | None = None) -> T:
    """Degrees as radians.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Mul. Like: torch.deg2rad, numpy.deg2rad.

    Examples:
        >>> at.deg2rad(at.tensor([0.0, 180.0]))
        tensor([0.0000, 3.1416], device='npu:0')
    """
    real(input.desc.dtype)
    return elementwise.mul(input, math.pi / 180, out=out)


@checked
def rad2deg(input: T, *, out: T | None = None) -> T:
    """Radians as degrees.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Mul. Like: torch.rad2deg, numpy.rad2deg.

    Examples:
        >>> at.rad2deg(at.tensor([0.0, 3.14159265]))
        tensor([  0., 180.], device='npu:0')
    """
    real(input.desc.dtype)
    return elementwise.mul(input, 180 / math.pi, out=out)
