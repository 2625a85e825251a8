"""Element-wise functions as methods, one alphabetical block for each family; each calls the function of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .base import TensorBase
from .interop import numpy as protocols
from .ops.nn import activation
from .ops.pointwise import comparison, elementwise, special, unary

if TYPE_CHECKING:
    from typing_extensions import Self

_Int: TypeAlias = int  # the tensor class has methods of these names
_Float: TypeAlias = float
_Bool: TypeAlias = bool


def as_operand(self: TensorBase, value: Any) -> Any:
    """Another operand as functions take it; NumPy scalars and arrays are brought into that form. What is none the function refuses."""
    found = protocols.operand(value, self)
    return value if found is NotImplemented else found


class ElementwiseMethods(TensorBase):
    """Functions that work element by element."""

    __slots__ = ()

    # Arithmetic

    def abs(self) -> Self:
        """See `abs`."""
        return unary.abs(self)

    def abs_(self) -> Self:
        """`abs`, written into this tensor."""
        return unary.abs(self, out=self)

    def absolute(self) -> Self:
        """See `abs`."""
        return unary.abs(self)

    def absolute_(self) -> Self:
        """`abs`, written into this tensor."""
        return unary.abs(self, out=self)

    def acos(self) -> Self:
        """See `acos`."""
        return unary.acos(self)

    def acos_(self) -> Self:
        """`acos`, written into this tensor."""
        return unary.acos(self, out=self)

    def acosh(self) -> Self:
        """See `acosh`."""
        return unary.acosh(self)

    def acosh_(self) -> Self:
        """`acosh`, written into this tensor."""
        return unary.acosh(self, out=self)

    def add(self, other: Any, *, alpha: Any = 1) -> Self:
        """See `add`."""
        return elementwise.add(self, as_operand(self, other), alpha=alpha)

    def add_(self, other: Any, *, alpha: Any = 1) -> Self:
        """`add`, written into this tensor."""
        return elementwise.add(self, as_operand(self, other), alpha=alpha, out=self)

    def addcdiv(self, tensor1: Self, tensor2: Self, *, value: Any = 1) -> Self:
        """See `addcdiv`."""
        return elementwise.addcdiv(self, tensor1, tensor2, value=value)

    def addcdiv_(self, tensor1: Self, tensor2: Self, *, value: Any = 1) -> Self:
        """`addcdiv`, written into this tensor."""
        return elementwise.addcdiv(self, tensor1, tensor2, value=value, out=self)

    def addcmul(self, tensor1: Self, tensor2: Self, *, value: Any = 1) -> Self:
        """See `addcmul`."""
        return elementwise.addcmul(self, tensor1, tensor2, value=value)

    def addcmul_(self, tensor1: Self, tensor2: Self, *, value: Any = 1) -> Self:
        """`addcmul`, written into this tensor."""
        return elementwise.addcmul(self, tensor1, tensor2, value=value, out=self)

    def arccos(self) -> Self:
        """See `acos`."""
        return unary.acos(self)

    def arcsin(self) -> Self:
        """See `asin`."""
        return unary.asin(self)

    def arctan(self) -> Self:
        """See `atan`."""
        return unary.atan(self)

    def arctan2(self, other: Any) -> Self:
        """See `atan2`."""
        return elementwise.atan2(self, as_operand(self, other))

    def asin(self) -> Self:
        """See `asin`."""
        return unary.asin(self)

    def asin_(self) -> Self:
        """`asin`, written into this tensor."""
        return unary.asin(self, out=self)

    def asinh(self) -> Self:
        """See `asinh`."""
        return unary.asinh(self)

    def asinh_(self) -> Self:
        """`asinh`, written into this tensor."""
        return unary.asinh(self, out=self)

    def atan(self) -> Self:
        """See `atan`."""
        return unary.atan(self)

    def atan_(self) -> Self:
        """`atan`, written into this tensor."""
        return unary.atan(self, out=self)

    def atan2(self, other: Any) -> Self:
        """See `atan2`."""
        return elementwise.atan2(self, as_operand(self, other))

    def atan2_(self, other: Any) -> Self:
        """`atan2`, written into this tensor."""
        return elementwise.atan2(self, as_operand(self, other), out=self)

    def atanh(self) -> Self:
        """See `atanh`."""
        return unary.atanh(self)

    def atanh_(self) -> Self:
        """`atanh`, written into this tensor."""
        return unary.atanh(self, out=self)

    def ceil(self) -> Self:
        """See `ceil`."""
        return unary.ceil(self)

    def ceil_(self) -> Self:
        """`ceil`, written into this tensor."""
        return unary.ceil(self, out=self)

    def clamp(self, min: Any = None, max: Any = None) -> Self:
        """See `clamp`."""
        return elementwise.clamp(self, min, max)

    def clamp_(self, min: Any = None, max: Any = None) -> Self:
        """`clamp`, written into this tensor."""
        return elementwise.clamp(self, min, max, out=self)

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """See `clamp`."""
        return elementwise.clamp(self, min, max)

    def clip_(self, min: Any = None, max: Any = None) -> Self:
        """`clamp`, written into this tensor."""
        return elementwise.clamp(self, min, max, out=self)

    def cos(self) -> Self:
        """See `cos`."""
        return unary.cos(self)

    def cos_(self) -> Self:
        """`cos`, written into this tensor."""
        return unary.cos(self, out=self)

    def cosh(self) -> Self:
        """See `cosh`."""
        return unary.cosh(self)

    def cosh_(self) -> Self:
        """`cosh`, written into this tensor."""
        return unary.cosh(self, out=self)

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """See `div`."""
        return elementwise.div(self, as_operand(self, other), rounding_mode=rounding_mode)

    def div_(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """`div`, written into this tensor."""
        return elementwise.div(self, as_operand(self, other), rounding_mode=rounding_mode, out=self)

    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """See `div`."""
        return elementwise.div(self, as_operand(self, other), rounding_mode=rounding_mode)

    def erf(self) -> Self:
        """See `erf`."""
        return unary.erf(self)

    def erf_(self) -> Self:
        """`erf`, written into this tensor."""
        return unary.erf(self, out=self)

    def erfc(self) -> Self:
        """See `erfc`."""
        return unary.erfc(self)

    def erfc_(self) -> Self:
        """`erfc`, written into this tensor."""
        return unary.erfc(self, out=self)

    def erfinv(self) -> Self:
        """See `erfinv`."""
        return special.erfinv(self)

    def erfinv_(self) -> Self:
        """`erfinv`, written into this tensor."""
        return special.erfinv(self, out=self)

    def exp(self) -> Self:
        """See `exp`."""
        return unary.exp(self)

    def exp_(self) -> Self:
        """`exp`, written into this tensor."""
        return unary.exp(self, out=self)

    def exp2(self) -> Self:
        """See `exp2`."""
        return unary.exp2(self)

    def exp2_(self) -> Self:
        """`exp2`, written into this tensor."""
        return unary.exp2(self, out=self)

    def expm1(self) -> Self:
        """See `expm1`."""
        return unary.expm1(self)

    def expm1_(self) -> Self:
        """`expm1`, written into this tensor."""
        return unary.expm1(self, out=self)

    def floor(self) -> Self:
        """See `floor`."""
        return unary.floor(self)

    def floor_(self) -> Self:
        """`floor`, written into this tensor."""
        return unary.floor(self, out=self)

    def floor_divide(self, other: Any) -> Self:
        """See `floor_divide`."""
        return elementwise.floor_divide(self, as_operand(self, other))

    def floor_divide_(self, other: Any) -> Self:
        """`floor_divide`, written into this tensor."""
        return elementwise.floor_divide(self, as_operand(self, other), out=self)

    def fmod(self, other: Any) -> Self:
        """See `fmod`."""
        return elementwise.fmod(self, as_operand(self, other))

    def fmod_(self, other: Any) -> Self:
        """`fmod`, written into this tensor."""
        return elementwise.fmod(self, as_operand(self, other), out=self)

    def frac(self) -> Self:
        """See `frac`."""
        return elementwise.frac(self)

    def frac_(self) -> Self:
        """`frac`, written into this tensor."""
        return elementwise.frac(self, out=self)

    def hypot(self, other: Any) -> Self:
        """See `hypot`."""
        return elementwise.hypot(self, as_operand(self, other))

    def hypot_(self, other: Any) -> Self:
        """`hypot`, written into this tensor."""
        return elementwise.hypot(self, as_operand(self, other), out=self)

    def lerp(self, end: Self, weight: Any) -> Self:
        """See `lerp`."""
        return elementwise.lerp(self, end, weight)

    def lerp_(self, end: Self, weight: Any) -> Self:
        """`lerp`, written into this tensor."""
        return elementwise.lerp(self, end, weight, out=self)

    def log(self) -> Self:
        """See `log`."""
        return unary.log(self)

    def log_(self) -> Self:
        """`log`, written into this tensor."""
        return unary.log(self, out=self)

    def log10(self) -> Self:
        """See `log10`."""
        return unary.log10(self)

    def log10_(self) -> Self:
        """`log10`, written into this tensor."""
        return unary.log10(self, out=self)

    def log1p(self) -> Self:
        """See `log1p`."""
        return unary.log1p(self)

    def log1p_(self) -> Self:
        """`log1p`, written into this tensor."""
        return unary.log1p(self, out=self)

    def log2(self) -> Self:
        """See `log2`."""
        return unary.log2(self)

    def log2_(self) -> Self:
        """`log2`, written into this tensor."""
        return unary.log2(self, out=self)

    def maximum(self, other: Any) -> Self:
        """See `maximum`."""
        return elementwise.maximum(self, as_operand(self, other))

    def minimum(self, other: Any) -> Self:
        """See `minimum`."""
        return elementwise.minimum(self, as_operand(self, other))

    def mul(self, other: Any) -> Self:
        """See `mul`."""
        return elementwise.mul(self, as_operand(self, other))

    def mul_(self, other: Any) -> Self:
        """`mul`, written into this tensor."""
        return elementwise.mul(self, as_operand(self, other), out=self)

    def multiply(self, other: Any) -> Self:
        """See `mul`."""
        return elementwise.mul(self, as_operand(self, other))

    def nan_to_num(self, nan: _Float | None = 0.0, posinf: _Float | None = None, neginf: _Float | None = None) -> Self:
        """See `nan_to_num`."""
        return unary.nan_to_num(self, nan, posinf, neginf)

    def nan_to_num_(self, nan: _Float | None = 0.0, posinf: _Float | None = None, neginf: _Float | None = None) -> Self:
        """`nan_to_num`, written into this tensor."""
        return unary.nan_to_num(self, nan, posinf, neginf, out=self)

    def neg(self) -> Self:
        """See `neg`."""
        return unary.neg(self)

    def neg_(self) -> Self:
        """`neg`, written into this tensor."""
        return unary.neg(self, out=self)

    def negative(self) -> Self:
        """See `neg`."""
        return unary.neg(self)

    def positive(self) -> Self:
        """See `positive`."""
        return unary.positive(self)

    def pow(self, exponent: Any) -> Self:
        """See `pow`."""
        return elementwise.pow(self, as_operand(self, exponent))

    def pow_(self, exponent: Any) -> Self:
        """`pow`, written into this tensor."""
        return elementwise.pow(self, as_operand(self, exponent), out=self)

    def reciprocal(self) -> Self:
        """See `reciprocal`."""
        return unary.reciprocal(self)

    def reciprocal_(self) -> Self:
        """`reciprocal`, written into this tensor."""
        return unary.reciprocal(self, out=self)

    def remainder(self, other: Any) -> Self:
        """See `remainder`."""
        return elementwise.remainder(self, as_operand(self, other))

    def remainder_(self, other: Any) -> Self:
        """`remainder`, written into this tensor."""
        return elementwise.remainder(self, as_operand(self, other), out=self)

    def round(self, decimals: _Int = 0) -> Self:
        """See `round`."""
        return unary.round(self, decimals=decimals)

    def round_(self, *, decimals: _Int = 0) -> Self:
        """`round`, written into this tensor."""
        return unary.round(self, decimals=decimals, out=self)

    def rsqrt(self) -> Self:
        """See `rsqrt`."""
        return unary.rsqrt(self)

    def rsqrt_(self) -> Self:
        """`rsqrt`, written into this tensor."""
        return unary.rsqrt(self, out=self)

    def sign(self) -> Self:
        """See `sign`."""
        return unary.sign(self)

    def sign_(self) -> Self:
        """`sign`, written into this tensor."""
        return unary.sign(self, out=self)

    def sin(self) -> Self:
        """See `sin`."""
        return unary.sin(self)

    def sin_(self) -> Self:
        """`sin`, written into this tensor."""
        return unary.sin(self, out=self)

    def sinh(self) -> Self:
        """See `sinh`."""
        return unary.sinh(self)

    def sinh_(self) -> Self:
        """`sinh`, written into this tensor."""
        return unary.sinh(self, out=self)

    def sqrt(self) -> Self:
        """See `sqrt`."""
        return unary.sqrt(self)

    def sqrt_(self) -> Self:
        """`sqrt`, written into this tensor."""
        return unary.sqrt(self, out=self)

    def square(self) -> Self:
        """See `square`."""
        return elementwise.square(self)

    def square_(self) -> Self:
        """`square`, written into this tensor."""
        return elementwise.square(self, out=self)

    def sub(self, other: Any, *, alpha: Any = 1) -> Self:
        """See `sub`."""
        return elementwise.sub(self, as_operand(self, other), alpha=alpha)

    def sub_(self, other: Any, *, alpha: Any = 1) -> Self:
        """`sub`, written into this tensor."""
        return elementwise.sub(self, as_operand(self, other), alpha=alpha, out=self)

    def subtract(self, other: Any, *, alpha: Any = 1) -> Self:
        """See `sub`."""
        return elementwise.sub(self, as_operand(self, other), alpha=alpha)

    def tan(self) -> Self:
        """See `tan`."""
        return unary.tan(self)

    def tan_(self) -> Self:
        """`tan`, written into this tensor."""
        return unary.tan(self, out=self)

    def tanh(self) -> Self:
        """See `tanh`."""
        return unary.tanh(self)

    def tanh_(self) -> Self:
        """`tanh`, written into this tensor."""
        return unary.tanh(self, out=self)

    def true_divide(self, other: Any) -> Self:
        """See `true_divide`."""
        return elementwise.true_divide(self, as_operand(self, other))

    def trunc(self) -> Self:
        """See `trunc`."""
        return unary.trunc(self)

    def trunc_(self) -> Self:
        """`trunc`, written into this tensor."""
        return unary.trunc(self, out=self)

    def xlogy(self, other: Any) -> Self:
        """See `xlogy`."""
        return elementwise.xlogy(self, as_operand(self, other))

    def xlogy_(self, other: Any) -> Self:
        """`xlogy`, written into this tensor."""
        return elementwise.xlogy(self, as_operand(self, other), out=self)

    # Comparison, logic, bits, selection

    def allclose(self, other: Any, rtol: _Float = 1e-05, atol: _Float = 1e-08, equal_nan: _Bool = False) -> _Bool:
        """See `allclose`."""
        return comparison.allclose(self, as_operand(self, other), rtol, atol, equal_nan)

    def bitwise_and(self, other: Any) -> Self:
        """See `bitwise_and`."""
        return comparison.bitwise_and(self, as_operand(self, other))

    def bitwise_and_(self, other: Any) -> Self:
        """`bitwise_and`, written into this tensor."""
        return comparison.bitwise_and(self, as_operand(self, other), out=self)

    def bitwise_left_shift(self, other: Any) -> Self:
        """See `bitwise_left_shift`."""
        return comparison.bitwise_left_shift(self, as_operand(self, other))

    def bitwise_left_shift_(self, other: Any) -> Self:
        """`bitwise_left_shift`, written into this tensor."""
        return comparison.bitwise_left_shift(self, as_operand(self, other), out=self)

    def bitwise_not(self) -> Self:
        """See `bitwise_not`."""
        return comparison.bitwise_not(self)

    def bitwise_not_(self) -> Self:
        """`bitwise_not`, written into this tensor."""
        return comparison.bitwise_not(self, out=self)

    def bitwise_or(self, other: Any) -> Self:
        """See `bitwise_or`."""
        return comparison.bitwise_or(self, as_operand(self, other))

    def bitwise_or_(self, other: Any) -> Self:
        """`bitwise_or`, written into this tensor."""
        return comparison.bitwise_or(self, as_operand(self, other), out=self)

    def bitwise_right_shift(self, other: Any) -> Self:
        """See `bitwise_right_shift`."""
        return comparison.bitwise_right_shift(self, as_operand(self, other))

    def bitwise_right_shift_(self, other: Any) -> Self:
        """`bitwise_right_shift`, written into this tensor."""
        return comparison.bitwise_right_shift(self, as_operand(self, other), out=self)

    def bitwise_xor(self, other: Any) -> Self:
        """See `bitwise_xor`."""
        return comparison.bitwise_xor(self, as_operand(self, other))

    def bitwise_xor_(self, other: Any) -> Self:
        """`bitwise_xor`, written into this tensor."""
        return comparison.bitwise_xor(self, as_operand(self, other), out=self)

    def eq(self, other: Any) -> Self:
        """See `eq`."""
        return comparison.eq(self, as_operand(self, other))

    def eq_(self, other: Any) -> Self:
        """`eq`, written into this tensor."""
        return comparison.eq(self, as_operand(self, other), out=self)

    def equal(self, other: TensorBase) -> _Bool:
        """See `equal`."""
        return comparison.equal(self, other)

    def ge(self, other: Any) -> Self:
        """See `ge`."""
        return comparison.ge(self, as_operand(self, other))

    def ge_(self, other: Any) -> Self:
        """`ge`, written into this tensor."""
        return comparison.ge(self, as_operand(self, other), out=self)

    def gt(self, other: Any) -> Self:
        """See `gt`."""
        return comparison.gt(self, as_operand(self, other))

    def gt_(self, other: Any) -> Self:
        """`gt`, written into this tensor."""
        return comparison.gt(self, as_operand(self, other), out=self)

    def isclose(self, other: Any, rtol: _Float = 1e-05, atol: _Float = 1e-08, equal_nan: _Bool = False) -> Self:
        """See `isclose`."""
        return comparison.isclose(self, as_operand(self, other), rtol, atol, equal_nan)

    def isfinite(self) -> Self:
        """See `isfinite`."""
        return comparison.isfinite(self)

    def isinf(self) -> Self:
        """See `isinf`."""
        return comparison.isinf(self)

    def isnan(self) -> Self:
        """See `isnan`."""
        return comparison.isnan(self)

    def isneginf(self) -> Self:
        """See `isneginf`."""
        return comparison.isneginf(self)

    def isposinf(self) -> Self:
        """See `isposinf`."""
        return comparison.isposinf(self)

    def le(self, other: Any) -> Self:
        """See `le`."""
        return comparison.le(self, as_operand(self, other))

    def le_(self, other: Any) -> Self:
        """`le`, written into this tensor."""
        return comparison.le(self, as_operand(self, other), out=self)

    def logical_and(self, other: Any) -> Self:
        """See `logical_and`."""
        return comparison.logical_and(self, as_operand(self, other))

    def logical_and_(self, other: Any) -> Self:
        """`logical_and`, written into this tensor."""
        return comparison.logical_and(self, as_operand(self, other), out=self)

    def logical_not(self) -> Self:
        """See `logical_not`."""
        return comparison.logical_not(self)

    def logical_not_(self) -> Self:
        """`logical_not`, written into this tensor."""
        return comparison.logical_not(self, out=self)

    def logical_or(self, other: Any) -> Self:
        """See `logical_or`."""
        return comparison.logical_or(self, as_operand(self, other))

    def logical_or_(self, other: Any) -> Self:
        """`logical_or`, written into this tensor."""
        return comparison.logical_or(self, as_operand(self, other), out=self)

    def logical_xor(self, other: Any) -> Self:
        """See `logical_xor`."""
        return comparison.logical_xor(self, as_operand(self, other))

    def logical_xor_(self, other: Any) -> Self:
        """`logical_xor`, written into this tensor."""
        return comparison.logical_xor(self, as_operand(self, other), out=self)

    def lt(self, other: Any) -> Self:
        """See `lt`."""
        return comparison.lt(self, as_operand(self, other))

    def lt_(self, other: Any) -> Self:
        """`lt`, written into this tensor."""
        return comparison.lt(self, as_operand(self, other), out=self)

    def masked_fill(self, mask: TensorBase, value: Any) -> Self:
        """See `masked_fill`."""
        return comparison.masked_fill(self, mask, value)

    def masked_fill_(self, mask: TensorBase, value: Any) -> Self:
        """`masked_fill`, written into this tensor."""
        return comparison.masked_fill(self, mask, value, out=self)

    def ne(self, other: Any) -> Self:
        """See `ne`."""
        return comparison.ne(self, as_operand(self, other))

    def ne_(self, other: Any) -> Self:
        """`ne`, written into this tensor."""
        return comparison.ne(self, as_operand(self, other), out=self)

    def signbit(self) -> Self:
        """See `signbit`."""
        return comparison.signbit(self)

    def where(self, condition: TensorBase, other: Any) -> Self:
        """See `where`: this tensor's elements where `condition` holds."""
        result: Self = comparison.where(condition, self, as_operand(self, other))
        return result

    # Activation

    def relu(self) -> Self:
        """See `relu`."""
        return activation.relu(self)

    def relu_(self) -> Self:
        """`relu`, written into this tensor."""
        return activation.relu_(self)

    def prelu(self, weight: TensorBase) -> Self:
        """See `prelu`."""
        return activation.prelu(self, weight)

    def hardshrink(self, lambd: float = 0.5) -> Self:
        """See `hardshrink`."""
        return activation.hardshrink(self, lambd)

    def sigmoid(self) -> Self:
        """See `sigmoid`."""
        return activation.sigmoid(self)

    def sigmoid_(self) -> Self:
        """`sigmoid`, written into this tensor."""
        return activation.sigmoid(self, out=self)
