"""Mathematical functions of one tensor, element by element."""

# mypy: disable-error-code="no-any-return"
# (`unary`, `binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

from operator import index as as_int
from typing import TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..dtypes import finfo
from ..errors import DTypeError
from . import comparison, views
from .arguments import checked
from .call import binary, call, unary
from .schema import Row
from .table import elementwise as table
from .table.complex_numbers import COMPLEX_OF_DOUBLES, COMPLEX_OF_SINGLES
from .table.movement import CLONE
from .writing import into, write

T = TypeVar("T", bound=TensorBase)


@checked
def abs(input: T, *, out: T | None = None) -> T:
    """Absolute value; of a complex number, its length. The smallest integer of a signed dtype stays itself.

    Args:
        input: Tensor of any shape and any dtype but bool.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; floating for complex input.

    Raises:
        DTypeError: `input` is bool.

    Ascend operator: Abs, ComplexAbs; TensorMove for uint64. Like: torch.abs, numpy.abs.
    """
    if input.desc.dtype is d.uint64:
        return call(CLONE, (input,)) if out is None else write(CLONE, out, (input,))
    row = table.COMPLEX_ABS if input.desc.dtype.is_complex else table.ABS
    return unary(row, input) if out is None else write(row, out, (input,))


def neg(input: T, *, out: T | None = None) -> T:
    """`-input`; integers wrap, so the smallest integer stays itself.

    Args:
        input: Tensor of any shape and any dtype but bool.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is bool; use logical_not.

    Ascend operator: Neg. Like: torch.neg, numpy.negative.
    """
    return unary(table.NEG, input) if out is None else write(table.NEG, out, (input,))


@checked
def positive(input: T) -> T:
    """The tensor itself.

    Raises:
        DTypeError: `input` is bool.

    Ascend operator: none. Like: torch.positive, numpy.positive.
    """
    if input.desc.dtype is d.bool_:
        raise DTypeError("bool has no sign", where="positive", advice="Cast with .to(int64) first.")
    return input


@checked
def sign(input: T, *, out: T | None = None) -> T:
    """-1, 0 or 1 by the sign of each element; NaN stays NaN, a complex number is divided by its length.

    Args:
        input: Tensor of any shape and dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: Sign. Like: torch.sign (torch.sgn for complex), numpy.sign.
    """
    if input.desc.dtype is d.uint64:
        return into(comparison.cast(comparison.ne(input, 0), d.uint64), out)
    return unary(table.SIGN, input) if out is None else write(table.SIGN, out, (input,))


@checked
def exp2(input: T, *, out: T | None = None) -> T:
    """2 to the power of each element.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Ascend operator: Pow. Like: torch.exp2, numpy.exp2.
    """
    return binary(table.POW, 2.0, input) if out is None else write(table.POW, out, (2.0, input))


def exp(input: T, *, out: T | None = None) -> T:
    """e to the power of each element.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Exp. Like: torch.exp, numpy.exp.
    """
    return unary(table.EXP, input) if out is None else write(table.EXP, out, (input,))


@checked
def expm1(input: T, *, out: T | None = None) -> T:
    """`exp(input) - 1`, exact near 0 too.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Expm1. Like: torch.expm1, numpy.expm1.
    """
    return unary(table.EXPM1, input) if out is None else write(table.EXPM1, out, (input,))


def log(input: T, *, out: T | None = None) -> T:
    """Natural logarithm; -inf for 0, NaN below.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Log. Like: torch.log, numpy.log.
    """
    return unary(table.LOG, input) if out is None else write(table.LOG, out, (input,))


@checked
def log2(input: T, *, out: T | None = None) -> T:
    """Logarithm to base 2.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Log (base 2). Like: torch.log2, numpy.log2.
    """
    return unary(table.LOG2, input) if out is None else write(table.LOG2, out, (input,))


@checked
def log10(input: T, *, out: T | None = None) -> T:
    """Logarithm to base 10.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Log (base 10). Like: torch.log10, numpy.log10.
    """
    return unary(table.LOG10, input) if out is None else write(table.LOG10, out, (input,))


@checked
def log1p(input: T, *, out: T | None = None) -> T:
    """`log(1 + input)`, exact near 0 too.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Log1p. Like: torch.log1p, numpy.log1p.
    """
    return unary(table.LOG1P, input) if out is None else write(table.LOG1P, out, (input,))


def sqrt(input: T, *, out: T | None = None) -> T:
    """Square root; NaN for negative numbers.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Sqrt. Like: torch.sqrt, numpy.sqrt.
    """
    return unary(table.SQRT, input) if out is None else write(table.SQRT, out, (input,))


@checked
def rsqrt(input: T, *, out: T | None = None) -> T:
    """`1 / sqrt(input)`.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Rsqrt. Like: torch.rsqrt.
    """
    return unary(table.RSQRT, input) if out is None else write(table.RSQRT, out, (input,))


@checked
def reciprocal(input: T, *, out: T | None = None) -> T:
    """`1 / input`.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Reciprocal. Like: torch.reciprocal, numpy.reciprocal.
    """
    return unary(table.RECIPROCAL, input) if out is None else write(table.RECIPROCAL, out, (input,))


@checked
def sin(input: T, *, out: T | None = None) -> T:
    """Sine of an angle in radians.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Sin. Like: torch.sin, numpy.sin.
    """
    return unary(table.SIN, input) if out is None else write(table.SIN, out, (input,))


@checked
def cos(input: T, *, out: T | None = None) -> T:
    """Cosine of an angle in radians.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Cos. Like: torch.cos, numpy.cos.
    """
    return unary(table.COS, input) if out is None else write(table.COS, out, (input,))


@checked
def tan(input: T, *, out: T | None = None) -> T:
    """Tangent of an angle in radians.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Tan. Like: torch.tan, numpy.tan.
    """
    return unary(table.TAN, input) if out is None else write(table.TAN, out, (input,))


@checked
def asin(input: T, *, out: T | None = None) -> T:
    """Angle in radians whose sine this is; NaN outside [-1, 1].

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Asin; Asinh of the number turned by i for complex dtypes. Like: torch.asin, numpy.arcsin.
    """
    if input.desc.dtype.is_complex:
        return into(_of_turned(table.ASINH, input), out)
    return unary(table.ASIN, input) if out is None else write(table.ASIN, out, (input,))


@checked
def acos(input: T, *, out: T | None = None) -> T:
    """Angle in radians whose cosine this is; NaN outside [-1, 1].

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Acos; Acosh for complex dtypes. Like: torch.acos, numpy.arccos.
    """
    if input.desc.dtype.is_complex:
        return into(_complex_acos(input), out)
    return unary(table.ACOS, input) if out is None else write(table.ACOS, out, (input,))


@checked
def atan(input: T, *, out: T | None = None) -> T:
    """Angle in radians whose tangent this is.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Atan; Atanh of the number turned by i for complex dtypes. Like: torch.atan, numpy.arctan.
    """
    if input.desc.dtype.is_complex:
        return into(_of_turned(table.ATANH, input), out)
    return unary(table.ATAN, input) if out is None else write(table.ATAN, out, (input,))


def _join(input: TensorBase) -> Row:
    """What makes numbers of the tensor's complex dtype of their parts."""
    return COMPLEX_OF_SINGLES if input.desc.dtype is d.complex64 else COMPLEX_OF_DOUBLES


def _of_turned(row: Row, input: T) -> T:
    """A function of i times the number, times -i. Turning exchanges the parts, so that zeros keep their signs, which choose the branch."""
    join = _join(input)
    result = unary(row, call(join, (unary(table.NEG, views.imag(input)), views.real(input))))
    return call(join, (views.imag(result), unary(table.NEG, views.real(result))))


def _complex_acos(input: T) -> T:
    """A quarter turn of acosh, which loses no digits near 1, as pi / 2 - asin would."""
    result = unary(table.ACOSH, input)
    part = views.real(result)
    turned = comparison.where(comparison.signbit(views.imag(input)), part, unary(table.NEG, part))
    return call(_join(input), (unary(table.ABS, views.imag(result)), turned))


@checked
def sinh(input: T, *, out: T | None = None) -> T:
    """Hyperbolic sine.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Sinh. Like: torch.sinh, numpy.sinh.
    """
    return unary(table.SINH, input) if out is None else write(table.SINH, out, (input,))


@checked
def cosh(input: T, *, out: T | None = None) -> T:
    """Hyperbolic cosine.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Cosh. Like: torch.cosh, numpy.cosh.
    """
    return unary(table.COSH, input) if out is None else write(table.COSH, out, (input,))


def tanh(input: T, *, out: T | None = None) -> T:
    """Hyperbolic tangent.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Tanh. Like: torch.tanh, numpy.tanh.
    """
    return unary(table.TANH, input) if out is None else write(table.TANH, out, (input,))


@checked
def asinh(input: T, *, out: T | None = None) -> T:
    """Inverse of the hyperbolic sine.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Asinh. Like: torch.asinh, numpy.arcsinh.
    """
    return unary(table.ASINH, input) if out is None else write(table.ASINH, out, (input,))


@checked
def acosh(input: T, *, out: T | None = None) -> T:
    """Inverse of the hyperbolic cosine; NaN below 1.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Acosh. Like: torch.acosh, numpy.arccosh.
    """
    return unary(table.ACOSH, input) if out is None else write(table.ACOSH, out, (input,))


@checked
def atanh(input: T, *, out: T | None = None) -> T:
    """Inverse of the hyperbolic tangent; NaN outside [-1, 1].

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Atanh. Like: torch.atanh, numpy.arctanh.
    """
    return unary(table.ATANH, input) if out is None else write(table.ATANH, out, (input,))


@checked
def erf(input: T, *, out: T | None = None) -> T:
    """Error function.

    Args:
        input: Tensor of any shape and floating dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Erf. Like: torch.erf, scipy.special.erf.
    """
    return unary(table.ERF, input) if out is None else write(table.ERF, out, (input,))


@checked
def erfc(input: T, *, out: T | None = None) -> T:
    """`1 - erf(input)`, exact where that is small too.

    Args:
        input: Tensor of any shape and floating dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Erfc. Like: torch.erfc, scipy.special.erfc.
    """
    return unary(table.ERFC, input) if out is None else write(table.ERFC, out, (input,))


def _whole(row: Row, input: T, out: T | None) -> T:
    """A rounding; integers and bool are whole already and copied."""
    row = row if input.desc.dtype.category >= d.FLOATING else CLONE
    return unary(row, input) if out is None else write(row, out, (input,))


@checked
def floor(input: T, *, out: T | None = None) -> T:
    """The largest whole number not above each element.

    Args:
        input: Tensor of any shape and real dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Floor. Like: torch.floor, numpy.floor.
    """
    return _whole(table.FLOOR, input, out)


@checked
def ceil(input: T, *, out: T | None = None) -> T:
    """The smallest whole number not below each element.

    Args:
        input: Tensor of any shape and real dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Ceil. Like: torch.ceil, numpy.ceil.
    """
    return _whole(table.CEIL, input, out)


@checked
def trunc(input: T, *, out: T | None = None) -> T:
    """Each element without its fraction.

    Args:
        input: Tensor of any shape and real dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Trunc; TruncateDiv for float64, which Trunc does not take. Like: torch.trunc, numpy.trunc.
    """
    if input.desc.dtype is d.float64:
        return binary(table.TRUNCATE_DIV, input, 1.0) if out is None else write(table.TRUNCATE_DIV, out, (input, 1.0))
    return _whole(table.TRUNC, input, out)


@checked
def round(input: T, *, decimals: int = 0, out: T | None = None) -> T:
    """The nearest number with `decimals` decimal places, halves to the even one.

    Args:
        input: Tensor of any shape and real dtype.
        decimals: Decimal places; negative ones round to tens, hundreds...
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Raises:
        DTypeError: `input` is complex, or an integer tensor with `decimals` other than 0.

    Ascend operator: Rint; Round for `decimals` other than 0. Like: torch.round, numpy.round.
    """
    if not decimals:
        return _whole(table.RINT, input, out)
    arguments = (as_int(decimals),)
    return call(table.ROUND, (input,), arguments) if out is None else write(table.ROUND, out, (input,), arguments)


@checked
def nan_to_num(input: T, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, *, out: T | None = None) -> T:
    """Numbers in place of NaN and infinities.

    Args:
        input: Tensor of any shape and dtype; of complex numbers each part is taken by itself.
        nan: For NaN.
        posinf: For positive infinity; default the largest number of the dtype.
        neginf: For negative infinity; default the lowest number of the dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Ascend operator: NanToNum; SelectV2 for float64, which NanToNum does not take. Like: torch.nan_to_num, numpy.nan_to_num.
    """
    dtype = input.desc.dtype
    if dtype.category < d.FLOATING:
        return _whole(table.NAN_TO_NUM, input, out)
    if dtype.is_complex:
        return into(views.view_as_complex(nan_to_num(views.view_as_real(input), nan, posinf, neginf)), out)
    limits = finfo(dtype)
    high = limits.max if posinf is None else float(posinf)
    low = limits.min if neginf is None else float(neginf)
    if dtype is d.float64:
        result = comparison.where(comparison.eq(input, float("inf")), high, input)
        result = comparison.where(comparison.eq(input, float("-inf")), low, result)
        return comparison.where(comparison.isnan(input), float(nan), result, out=out)
    arguments = (float(nan), high, low)
    return call(table.NAN_TO_NUM, (input,), arguments) if out is None else write(table.NAN_TO_NUM, out, (input,), arguments)
