"""Special functions, functions of floating-point representation and further names as methods; each calls the function that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import TensorBase
from .elementwise_methods import as_operand
from .ops.pointwise import bessel, comparison, elementwise, floats, special, unary
from .ops.results import MantissaExponent

if TYPE_CHECKING:
    from typing_extensions import Self


class SpecialMethods(TensorBase):
    """Special functions and the names that PyTorch has beside its short ones."""

    __slots__ = ()

    def arccos_(self) -> Self:
        """`acos`, written into this tensor."""
        return unary.acos(self, out=self)

    def arccosh(self) -> Self:
        """See `acosh`."""
        return unary.acosh(self)

    def arccosh_(self) -> Self:
        """`acosh`, written into this tensor."""
        return unary.acosh(self, out=self)

    def arcsin_(self) -> Self:
        """`asin`, written into this tensor."""
        return unary.asin(self, out=self)

    def arcsinh(self) -> Self:
        """See `asinh`."""
        return unary.asinh(self)

    def arcsinh_(self) -> Self:
        """`asinh`, written into this tensor."""
        return unary.asinh(self, out=self)

    def arctan2_(self, other: Any) -> Self:
        """`atan2`, written into this tensor."""
        return elementwise.atan2(self, as_operand(self, other), out=self)

    def arctan_(self) -> Self:
        """`atan`, written into this tensor."""
        return unary.atan(self, out=self)

    def arctanh(self) -> Self:
        """See `atanh`."""
        return unary.atanh(self)

    def arctanh_(self) -> Self:
        """`atanh`, written into this tensor."""
        return unary.atanh(self, out=self)

    def clamp_max(self, max: Any) -> Self:
        """See `clamp_max`."""
        return elementwise.clamp_max(self, as_operand(self, max))

    def clamp_max_(self, max: Any) -> Self:
        """`clamp_max`, written into this tensor."""
        return elementwise.clamp_max(self, as_operand(self, max), out=self)

    def clamp_min(self, min: Any) -> Self:
        """See `clamp_min`."""
        return elementwise.clamp_min(self, as_operand(self, min))

    def clamp_min_(self, min: Any) -> Self:
        """`clamp_min`, written into this tensor."""
        return elementwise.clamp_min(self, as_operand(self, min), out=self)

    def copysign(self, other: Any) -> Self:
        """See `copysign`."""
        return floats.copysign(self, as_operand(self, other))

    def copysign_(self, other: Any) -> Self:
        """`copysign`, written into this tensor."""
        return floats.copysign(self, as_operand(self, other), out=self)

    def deg2rad(self) -> Self:
        """See `deg2rad`."""
        return floats.deg2rad(self)

    def deg2rad_(self) -> Self:
        """`deg2rad`, written into this tensor."""
        return floats.deg2rad(self, out=self)

    def digamma(self) -> Self:
        """See `digamma`."""
        return special.digamma(self)

    def digamma_(self) -> Self:
        """`digamma`, written into this tensor."""
        return special.digamma(self, out=self)

    def divide_(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """`div`, written into this tensor."""
        return elementwise.div(self, as_operand(self, other), rounding_mode=rounding_mode, out=self)

    def fix(self) -> Self:
        """See `trunc`."""
        return unary.trunc(self)

    def fix_(self) -> Self:
        """`trunc`, written into this tensor."""
        return unary.trunc(self, out=self)

    def float_power(self, exponent: Any) -> Self:
        """See `float_power`."""
        return floats.float_power(self, as_operand(self, exponent))

    def float_power_(self, exponent: Any) -> Self:
        """`float_power`, written into this tensor."""
        return floats.float_power(self, as_operand(self, exponent), out=self)

    def fmax(self, other: Any) -> Self:
        """See `fmax`."""
        return floats.fmax(self, as_operand(self, other))

    def fmin(self, other: Any) -> Self:
        """See `fmin`."""
        return floats.fmin(self, as_operand(self, other))

    def frexp(self) -> MantissaExponent[Self]:
        """See `frexp`."""
        return floats.frexp(self)

    def gcd(self, other: Any) -> Self:
        """See `gcd`."""
        return floats.gcd(self, as_operand(self, other))

    def gcd_(self, other: Any) -> Self:
        """`gcd`, written into this tensor."""
        return floats.gcd(self, as_operand(self, other), out=self)

    def greater(self, other: Any) -> Self:
        """See `gt`."""
        return comparison.gt(self, as_operand(self, other))

    def greater_(self, other: Any) -> Self:
        """`gt`, written into this tensor."""
        return comparison.gt(self, as_operand(self, other), out=self)

    def greater_equal(self, other: Any) -> Self:
        """See `ge`."""
        return comparison.ge(self, as_operand(self, other))

    def greater_equal_(self, other: Any) -> Self:
        """`ge`, written into this tensor."""
        return comparison.ge(self, as_operand(self, other), out=self)

    def heaviside(self, values: Self) -> Self:
        """See `heaviside`."""
        return floats.heaviside(self, values)

    def heaviside_(self, values: Self) -> Self:
        """`heaviside`, written into this tensor."""
        return floats.heaviside(self, values, out=self)

    def i0(self) -> Self:
        """See `i0`."""
        return bessel.i0(self)

    def i0_(self) -> Self:
        """`i0`, written into this tensor."""
        return bessel.i0(self, out=self)

    def igamma(self, other: Any) -> Self:
        """See `gammainc`."""
        return special.gammainc(self, as_operand(self, other))

    def igamma_(self, other: Any) -> Self:
        """`gammainc`, written into this tensor."""
        return special.gammainc(self, as_operand(self, other), out=self)

    def igammac(self, other: Any) -> Self:
        """See `gammaincc`."""
        return special.gammaincc(self, as_operand(self, other))

    def igammac_(self, other: Any) -> Self:
        """`gammaincc`, written into this tensor."""
        return special.gammaincc(self, as_operand(self, other), out=self)

    def lcm(self, other: Any) -> Self:
        """See `lcm`."""
        return floats.lcm(self, as_operand(self, other))

    def lcm_(self, other: Any) -> Self:
        """`lcm`, written into this tensor."""
        return floats.lcm(self, as_operand(self, other), out=self)

    def ldexp(self, other: Any) -> Self:
        """See `ldexp`."""
        return floats.ldexp(self, as_operand(self, other))

    def ldexp_(self, other: Any) -> Self:
        """`ldexp`, written into this tensor."""
        return floats.ldexp(self, as_operand(self, other), out=self)

    def less(self, other: Any) -> Self:
        """See `lt`."""
        return comparison.lt(self, as_operand(self, other))

    def less_(self, other: Any) -> Self:
        """`lt`, written into this tensor."""
        return comparison.lt(self, as_operand(self, other), out=self)

    def less_equal(self, other: Any) -> Self:
        """See `le`."""
        return comparison.le(self, as_operand(self, other))

    def less_equal_(self, other: Any) -> Self:
        """`le`, written into this tensor."""
        return comparison.le(self, as_operand(self, other), out=self)

    def lgamma(self) -> Self:
        """See `lgamma`."""
        return special.lgamma(self)

    def lgamma_(self) -> Self:
        """`lgamma`, written into this tensor."""
        return special.lgamma(self, out=self)

    def logaddexp(self, other: Any) -> Self:
        """See `logaddexp`."""
        return floats.logaddexp(self, as_operand(self, other))

    def logaddexp2(self, other: Any) -> Self:
        """See `logaddexp2`."""
        return floats.logaddexp2(self, as_operand(self, other))

    def logit(self, eps: float | None = None) -> Self:
        """See `logit`."""
        return special.logit(self, eps)

    def logit_(self, eps: float | None = None) -> Self:
        """`logit`, written into this tensor."""
        return special.logit(self, eps, out=self)

    def multiply_(self, other: Any) -> Self:
        """`mul`, written into this tensor."""
        return elementwise.mul(self, as_operand(self, other), out=self)

    def mvlgamma(self, p: int) -> Self:
        """See `mvlgamma`."""
        return special.mvlgamma(self, p)

    def mvlgamma_(self, p: int) -> Self:
        """`mvlgamma`, written into this tensor."""
        return special.mvlgamma(self, p, out=self)

    def negative_(self) -> Self:
        """`neg`, written into this tensor."""
        return unary.neg(self, out=self)

    def nextafter(self, other: Any) -> Self:
        """See `nextafter`."""
        return floats.nextafter(self, as_operand(self, other))

    def nextafter_(self, other: Any) -> Self:
        """`nextafter`, written into this tensor."""
        return floats.nextafter(self, as_operand(self, other), out=self)

    def not_equal(self, other: Any) -> Self:
        """See `ne`."""
        return comparison.ne(self, as_operand(self, other))

    def not_equal_(self, other: Any) -> Self:
        """`ne`, written into this tensor."""
        return comparison.ne(self, as_operand(self, other), out=self)

    def polygamma(self, n: int) -> Self:
        """See `polygamma`."""
        return special.polygamma(n, self)

    def polygamma_(self, n: int) -> Self:
        """`polygamma`, written into this tensor."""
        return special.polygamma(n, self, out=self)

    def rad2deg(self) -> Self:
        """See `rad2deg`."""
        return floats.rad2deg(self)

    def rad2deg_(self) -> Self:
        """`rad2deg`, written into this tensor."""
        return floats.rad2deg(self, out=self)

    def sinc(self) -> Self:
        """See `sinc`."""
        return special.sinc(self)

    def sinc_(self) -> Self:
        """`sinc`, written into this tensor."""
        return special.sinc(self, out=self)

    def subtract_(self, other: Any, *, alpha: Any = 1) -> Self:
        """`sub`, written into this tensor."""
        return elementwise.sub(self, as_operand(self, other), alpha=alpha, out=self)

    def true_divide_(self, other: Any) -> Self:
        """`true_divide`, written into this tensor."""
        return elementwise.true_divide(self, as_operand(self, other), out=self)
