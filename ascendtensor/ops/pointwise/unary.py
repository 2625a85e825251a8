"""Mathematical functions of one tensor, element by element."""

# mypy: disable-error-code="no-any-return"
# (`unary`, `binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

from operator import index as as_int
from typing import TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import finfo
from ...errors import DTypeError
from .. import chips, views
from ..arguments import checked
from ..call import binary, call, unary
from ..operands import attribute
from ..schema import Row
from ..table import elementwise as table
from ..table.complex_numbers import COMPLEX_OF_DOUBLES, COMPLEX_OF_SINGLES
from ..table.movement import CLONE
from ..writing import into, write
from . import comparison

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

    Examples:
        >>> at.abs(at.tensor([-1.5, 0.0, 2.0]))
        tensor([1.5000, 0.0000, 2.0000], device='npu:0')
        >>> at.abs(at.tensor([3 + 4j]))
        tensor([5.], device='npu:0')
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

    Examples:
        >>> at.neg(at.tensor([1, -2, 0]))
        tensor([-1,  2,  0], device='npu:0')
    """
    return unary(table.NEG, input) if out is None else write(table.NEG, out, (input,))


@checked
def positive(input: T) -> T:
    """The tensor itself.

    Raises:
        DTypeError: `input` is bool.

    Ascend operator: none. Like: torch.positive, numpy.positive.

    Examples:
        >>> x = at.tensor([1.0, -2.0])
        >>> at.positive(x) is x
        True
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

    Examples:
        >>> at.sign(at.tensor([-2.5, 0.0, 7.0]))
        tensor([-1.,  0.,  1.], device='npu:0')
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

    Examples:
        >>> at.exp2(at.tensor([0, 1, 10]))
        tensor([1.0000e+00, 2.0000e+00, 1.0240e+03], device='npu:0')
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

    Examples:
        >>> at.exp(at.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183], device='npu:0')
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

    Examples:
        >>> at.expm1(at.tensor([1.0, 1e-10]))
        tensor([1.7183e+00, 1.0000e-10], device='npu:0')
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

    Examples:
        >>> at.log(at.tensor([1.0, 10.0, 0.0]))
        tensor([0.0000, 2.3026,   -inf], device='npu:0')
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

    Examples:
        >>> at.log2(at.tensor([1.0, 10.0]))
        tensor([0.0000, 3.3219], device='npu:0')
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

    Examples:
        >>> at.log10(at.tensor([1.0, 2.0]))
        tensor([0.0000, 0.3010], device='npu:0')
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

    Examples:
        >>> at.log1p(at.tensor([1.0, 1e-10]))
        tensor([6.9315e-01, 1.0000e-10], device='npu:0')
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

    Examples:
        >>> at.sqrt(at.tensor([4.0, 2.0, -1.0]))
        tensor([2.0000, 1.4142,    nan], device='npu:0')
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

    Examples:
        >>> at.rsqrt(at.tensor([4.0, 0.25]))
        tensor([0.5000, 2.0000], device='npu:0')
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

    Examples:
        >>> at.reciprocal(at.tensor([2.0, -4.0]))
        tensor([ 0.5000, -0.2500], device='npu:0')
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

    Examples:
        >>> at.sin(at.tensor([0.0, np.pi / 6, np.pi / 2]))
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
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

    Examples:
        >>> at.cos(at.tensor([0.0, np.pi / 3, np.pi]))
        tensor([ 1.0000,  0.5000, -1.0000], device='npu:0')
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

    Examples:
        >>> at.tan(at.tensor([0.0, 1.0]))
        tensor([0.0000, 1.5574], device='npu:0')
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

    Examples:
        >>> at.asin(at.tensor([0.0, 0.5, 1.0, 2.0]))
        tensor([0.0000, 0.5236, 1.5708,    nan], device='npu:0')
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

    Examples:
        >>> at.acos(at.tensor([1.0, 0.5, -1.0]))
        tensor([0.0000, 1.0472, 3.1416], device='npu:0')
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

    Examples:
        >>> at.atan(at.tensor([0.0, 1.0, float("inf")]))
        tensor([0.0000, 0.7854, 1.5708], device='npu:0')
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

    Examples:
        >>> at.sinh(at.tensor([0.0, 1.0]))
        tensor([0.0000, 1.1752], device='npu:0')
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

    Examples:
        >>> at.cosh(at.tensor([0.0, 1.0]))
        tensor([1.0000, 1.5431], device='npu:0')
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

    Examples:
        >>> at.tanh(at.tensor([-10.0, 0.0, 0.5]))
        tensor([-1.0000,  0.0000,  0.4621], device='npu:0')
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

    Examples:
        >>> at.asinh(at.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814], device='npu:0')
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

    Examples:
        >>> at.acosh(at.tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170], device='npu:0')
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

    Examples:
        >>> at.atanh(at.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.5493,    inf], device='npu:0')
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

    Examples:
        >>> at.erf(at.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.8427,  0.0000,  0.8427], device='npu:0')
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

    Examples:
        >>> at.erfc(at.tensor([0.0, 1.0, 5.0]))
        tensor([1.0000e+00, 1.5730e-01, 1.5375e-12], device='npu:0')
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

    Examples:
        >>> at.floor(at.tensor([-1.5, 1.5]))
        tensor([-2.,  1.], device='npu:0')
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

    Examples:
        >>> at.ceil(at.tensor([-1.5, 1.5]))
        tensor([-1.,  2.], device='npu:0')
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

    Ascend operator: Trunc; Ceil, Floor and SelectV2 for float64, which Trunc does not take. Like: torch.trunc, numpy.trunc.

    Examples:
        >>> at.trunc(at.tensor([-1.5, 1.5]))
        tensor([-1.,  1.], device='npu:0')
    """
    if input.desc.dtype is d.float64 or (input.desc.dtype.category == d.FLOATING and chips.lacks(table.TRUNC, input.desc.dtype)):
        return into(comparison.where(comparison.lt(input, 0), ceil(input), floor(input)), out)
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

    Examples:
        >>> at.round(at.tensor([0.5, 1.5, -2.7]))
        tensor([ 0.,  2., -3.], device='npu:0')
        >>> at.round(at.tensor([3.14159]), decimals=2)
        tensor([3.1400], device='npu:0')
    """
    if not decimals:
        return _whole(table.RINT, input, out)
    arguments = (as_int(decimals),)
    return call(table.ROUND, (input,), arguments) if out is None else write(table.ROUND, out, (input,), arguments)


@checked
def nan_to_num(input: T, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None, *, out: T | None = None) -> T:
    """Numbers in place of NaN and infinities.

    Args:
        input: Tensor of any shape and dtype; of complex numbers each part is taken by itself.
        nan: For NaN; None means 0.
        posinf: For positive infinity; default the largest number of the dtype.
        neginf: For negative infinity; default the lowest number of the dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; a copy for integers.

    Ascend operator: NanToNum; SelectV2 for float64, which NanToNum does not take. Like: torch.nan_to_num, numpy.nan_to_num.

    Examples:
        >>> at.nan_to_num(at.tensor([float("nan"), 1.0, float("inf")]), posinf=9.0)
        tensor([0., 1., 9.], device='npu:0')
    """
    nan = 0.0 if nan is None else nan
    dtype = input.desc.dtype
    if dtype.category < d.FLOATING:
        return _whole(table.NAN_TO_NUM, input, out)
    if dtype.is_complex:
        return into(views.view_as_complex(nan_to_num(views.view_as_real(input), nan, posinf, neginf)), out)
    limits = finfo(dtype)
    high = limits.max if posinf is None else attribute(posinf)
    low = limits.min if neginf is None else attribute(neginf)
    if dtype is d.float64 or chips.lacks(table.NAN_TO_NUM, dtype):
        result = comparison.where(comparison.eq(input, float("inf")), high, input)
        result = comparison.where(comparison.eq(input, float("-inf")), low, result)
        return comparison.where(comparison.isnan(input), float(nan), result, out=out)
    arguments = (attribute(nan), high, low)
    return call(table.NAN_TO_NUM, (input,), arguments) if out is None else write(table.NAN_TO_NUM, out, (input,), arguments)
