"""Elementwise functions of the standard: PyTorch's, with the standard's promotion and its few other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from ..base import TensorBase
from ..ops import gather, shape
from ..ops.arguments import checked
from ..ops.pointwise import comparison, complex_numbers, elementwise, floats, unary
from ..ops.pointwise.aliases import negative
from ..ops.pointwise.comparison import bitwise_not as bitwise_invert
from ..ops.pointwise.comparison import isfinite, isinf, isnan, logical_not, signbit
from ..ops.pointwise.complex_numbers import conj
from ..ops.pointwise.elementwise import square
from ..ops.pointwise.unary import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    exp,
    expm1,
    floor,
    log,
    log1p,
    log2,
    log10,
    positive,
    reciprocal,
    sin,
    sinh,
    sqrt,
    tan,
    trunc,
)
from ..ops.views import imag, real
from .array import NPUTensor, promoted
from .creation import full
from .data_types import NUMBERS, result_type

T = TypeVar("T", bound=NPUTensor)

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


class _OfTwo(Protocol):
    @overload
    def __call__(self, x1: T, x2: Any, /) -> T: ...
    @overload
    def __call__(self, x1: complex, x2: T, /) -> T: ...


def _of_two(function: Callable[..., Any], like: str) -> _OfTwo:
    """A function of two operands, at least one of them an array, that promotes as the standard asks."""

    def standard(x1: Any, x2: Any, /) -> Any:
        if isinstance(x1, NUMBERS) and isinstance(x2, TensorBase):
            x1 = full((), x1, dtype=result_type(x1, x2), device=x2.desc.device)
        return function(*promoted(x1, x2))

    standard.__name__ = standard.__qualname__ = like
    standard.__doc__ = f"`ascendtensor.{function.__name__}` of two operands, with the standard's promotion. Like: numpy.{like}."
    return standard


add = _of_two(elementwise.add, "add")
atan2 = _of_two(elementwise.atan2, "atan2")
bitwise_and = _of_two(comparison.bitwise_and, "bitwise_and")
bitwise_left_shift = _of_two(comparison.bitwise_left_shift, "bitwise_left_shift")
bitwise_or = _of_two(comparison.bitwise_or, "bitwise_or")
bitwise_right_shift = _of_two(comparison.bitwise_right_shift, "bitwise_right_shift")
bitwise_xor = _of_two(comparison.bitwise_xor, "bitwise_xor")
copysign = _of_two(floats.copysign, "copysign")
divide = _of_two(elementwise.div, "divide")
equal = _of_two(comparison.eq, "equal")
floor_divide = _of_two(elementwise.floor_divide, "floor_divide")
greater = _of_two(comparison.gt, "greater")
greater_equal = _of_two(comparison.ge, "greater_equal")
hypot = _of_two(elementwise.hypot, "hypot")
less = _of_two(comparison.lt, "less")
less_equal = _of_two(comparison.le, "less_equal")
logaddexp = _of_two(floats.logaddexp, "logaddexp")
logical_and = _of_two(comparison.logical_and, "logical_and")
logical_or = _of_two(comparison.logical_or, "logical_or")
logical_xor = _of_two(comparison.logical_xor, "logical_xor")
maximum = _of_two(elementwise.maximum, "maximum")
minimum = _of_two(elementwise.minimum, "minimum")
multiply = _of_two(elementwise.mul, "multiply")
nextafter = _of_two(floats.nextafter, "nextafter")
not_equal = _of_two(comparison.ne, "not_equal")
pow = _of_two(elementwise.pow, "pow")
remainder = _of_two(elementwise.remainder, "remainder")
subtract = _of_two(elementwise.sub, "subtract")


@checked
def clip(x: T, /, min: Any = None, max: Any = None) -> T:
    """`x` with smaller elements replaced by `min`, then greater ones by `max`, in the dtype of `x`. Like: numpy.clip.

    Examples:
        >>> xp.clip(xp.asarray([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    if min is None and max is None:
        return shape.clone(x)
    bounds = [bound.to(x.desc.dtype) if hasattr(bound, "desc") else bound for bound in (min, max)]
    return elementwise.clamp(x, *bounds)


@checked
def round(x: T, /) -> T:
    """The nearest integers, the even one of two; of complex numbers for each part. Like: numpy.round.

    Examples:
        >>> xp.round(xp.asarray([0.5, 1.5, 2.4]))
        tensor([0., 2., 2.], device='npu:0')
    """
    if not x.desc.dtype.is_complex:
        return unary.round(x)
    return complex_numbers.complex(unary.round(shape.clone(real(x))), unary.round(shape.clone(imag(x))))


@checked
def sign(x: T, /) -> T:
    """-1, 0 or 1; of complex numbers the number over its absolute value. Like: numpy.sign.

    Examples:
        >>> xp.sign(xp.asarray([-2.0, 0.0, 3.0]))
        tensor([-1.,  0.,  1.], device='npu:0')
    """
    found = complex_numbers.sgn(x)
    return gather.where(comparison.ne(x, 0), found, 0) if x.desc.dtype.is_complex else found  # of a zero of any signs +0


@checked
def tanh(x: T, /) -> T:
    """Hyperbolic tangents; the zero at an infinite real part has the sign of the imaginary part. Like: numpy.tanh.

    Examples:
        >>> xp.tanh(xp.asarray([-10.0, 0.0, 0.5]))
        tensor([-1.0000,  0.0000,  0.4621], device='npu:0')
    """
    found = unary.tanh(x)
    if not x.desc.dtype.is_complex:
        return found
    height = shape.clone(imag(x))
    far = comparison.logical_and(comparison.isinf(shape.clone(real(x))), comparison.isfinite(height))
    zero = floats.copysign(elementwise.mul(height, 0), height)
    return gather.where(far, complex_numbers.complex(shape.clone(real(found)), zero), found)
