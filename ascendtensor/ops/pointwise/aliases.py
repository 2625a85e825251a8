"""Further names that PyTorch has for functions element by element: NumPy's, and the long ones of comparisons."""

from __future__ import annotations

from typing import Any, TypeVar

from ...base import TensorBase
from ..nn import activation
from . import bessel, comparison, elementwise, special, unary

T = TypeVar("T", bound=TensorBase)


def absolute(input: T, *, out: T | None = None) -> T:
    """The same as `abs`. Ascend operator: Abs, ComplexAbs. Like: torch.absolute, numpy.absolute."""
    return unary.abs(input, out=out)


def arccos(input: T, *, out: T | None = None) -> T:
    """The same as `acos`. Ascend operator: Acos. Like: torch.arccos, numpy.arccos."""
    return unary.acos(input, out=out)


def arccosh(input: T, *, out: T | None = None) -> T:
    """The same as `acosh`. Ascend operator: Acosh. Like: torch.arccosh, numpy.arccosh."""
    return unary.acosh(input, out=out)


def arcsin(input: T, *, out: T | None = None) -> T:
    """The same as `asin`. Ascend operator: Asin. Like: torch.arcsin, numpy.arcsin."""
    return unary.asin(input, out=out)


def arcsinh(input: T, *, out: T | None = None) -> T:
    """The same as `asinh`. Ascend operator: Asinh. Like: torch.arcsinh, numpy.arcsinh."""
    return unary.asinh(input, out=out)


def arctan(input: T, *, out: T | None = None) -> T:
    """The same as `atan`. Ascend operator: Atan. Like: torch.arctan, numpy.arctan."""
    return unary.atan(input, out=out)


def arctan2(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `atan2`. Ascend operator: Atan2. Like: torch.arctan2, numpy.arctan2.

    Examples:
        >>> at.arctan2(at.tensor([1.0, -1.0]), at.tensor([0.0, 0.0]))
        tensor([ 1.5708, -1.5708], device='npu:0')
    """
    return elementwise.atan2(input, other, out=out)


def arctanh(input: T, *, out: T | None = None) -> T:
    """The same as `atanh`. Ascend operator: Atanh. Like: torch.arctanh, numpy.arctanh."""
    return unary.atanh(input, out=out)


def clip(input: T, min: Any = None, max: Any = None, *, out: T | None = None) -> T:
    """The same as `clamp`. Ascend operator: ClipByValueV2, Maximum, Minimum. Like: torch.clip, numpy.clip.

    Examples:
        >>> at.clip(at.tensor([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    return elementwise.clamp(input, min, max, out=out)


def divide(input: T, other: Any, *, rounding_mode: str | None = None, out: T | None = None) -> T:
    """The same as `div`. Ascend operator: RealDiv, TruncateDiv, FloorDiv. Like: torch.divide, numpy.divide.

    Examples:
        >>> at.divide(at.tensor([1, 2]), 2)
        tensor([0.5000, 1.0000], device='npu:0')
    """
    return elementwise.div(input, other, rounding_mode=rounding_mode, out=out)


def fix(input: T, *, out: T | None = None) -> T:
    """The same as `trunc`. Ascend operator: Trunc. Like: torch.fix, numpy.fix."""
    return unary.trunc(input, out=out)


def greater(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `gt`. Ascend operator: Greater. Like: torch.greater, numpy.greater.

    Examples:
        >>> at.greater(at.tensor([1, 2, 3]), 2)
        tensor([False, False,  True], device='npu:0')
    """
    return comparison.gt(input, other, out=out)


def greater_equal(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `ge`. Ascend operator: GreaterEqual. Like: torch.greater_equal, numpy.greater_equal.

    Examples:
        >>> at.greater_equal(at.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True], device='npu:0')
    """
    return comparison.ge(input, other, out=out)


def igamma(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `gammainc`. Ascend operator: Igamma. Like: torch.igamma, scipy.special.gammainc.

    Examples:
        >>> at.igamma(at.tensor([1.0]), at.tensor([1.0]))
        tensor([0.6321], device='npu:0')
    """
    return special.gammainc(input, other, out=out)


def igammac(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `gammaincc`. Ascend operator: Igammac. Like: torch.igammac, scipy.special.gammaincc.

    Examples:
        >>> at.igammac(at.tensor([1.0]), at.tensor([1.0]))
        tensor([0.3679], device='npu:0')
    """
    return special.gammaincc(input, other, out=out)


def less(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `lt`. Ascend operator: Less. Like: torch.less, numpy.less.

    Examples:
        >>> at.less(at.tensor([1, 2, 3]), 2)
        tensor([ True, False, False], device='npu:0')
    """
    return comparison.lt(input, other, out=out)


def less_equal(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `le`. Ascend operator: LessEqual. Like: torch.less_equal, numpy.less_equal.

    Examples:
        >>> at.less_equal(at.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False], device='npu:0')
    """
    return comparison.le(input, other, out=out)


def multiply(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `mul`. Ascend operator: Mul. Like: torch.multiply, numpy.multiply.

    Examples:
        >>> at.multiply(at.tensor([1, 2, 3]), 2)
        tensor([2, 4, 6], device='npu:0')
    """
    return elementwise.mul(input, other, out=out)


def negative(input: T, *, out: T | None = None) -> T:
    """The same as `neg`. Ascend operator: Neg. Like: torch.negative, numpy.negative."""
    return unary.neg(input, out=out)


def not_equal(input: T, other: Any, *, out: T | None = None) -> T:
    """The same as `ne`. Ascend operator: NotEqual. Like: torch.not_equal, numpy.not_equal.

    Examples:
        >>> at.not_equal(at.tensor([1, 2, 3]), 2)
        tensor([ True, False,  True], device='npu:0')
    """
    return comparison.ne(input, other, out=out)


def subtract(input: T, other: Any, *, alpha: Any = 1, out: T | None = None) -> T:
    """The same as `sub`. Ascend operator: Sub. Like: torch.subtract, numpy.subtract.

    Examples:
        >>> at.subtract(at.tensor([5, 6]), at.tensor([1, 2]), alpha=2)
        tensor([3, 2], device='npu:0')
    """
    return elementwise.sub(input, other, alpha=alpha, out=out)


# Of at.special


def expint_ei(input: T, *, out: T | None = None) -> T:
    """The same as `expi`. Ascend operator: Expint. Like: scipy.special.expi.

    Examples:
        >>> at.special.expi(at.tensor([1.0]))
        tensor([1.8951], device='npu:0')
    """
    return special.expi(input, out=out)


def expit(input: T, *, out: T | None = None) -> T:
    """The same as `sigmoid`. Ascend operator: Sigmoid. Like: torch.special.expit, scipy.special.expit.

    Examples:
        >>> at.special.expit(at.tensor([0.0]))
        tensor([0.5000], device='npu:0')
    """
    return activation.sigmoid(input, out=out)


def gammaln(input: T, *, out: T | None = None) -> T:
    """The same as `lgamma`. Ascend operator: Lgamma. Like: torch.special.gammaln, scipy.special.gammaln.

    Examples:
        >>> at.special.gammaln(at.tensor([1.0, 5.0]))
        tensor([0.0000, 3.1781], device='npu:0')
    """
    return special.lgamma(input, out=out)


def modified_bessel_i0(input: T, *, out: T | None = None) -> T:
    """The same as `i0`. Ascend operator: BesselI0e, Exp. Like: torch.special.modified_bessel_i0.

    Examples:
        >>> at.special.modified_bessel_i0(at.tensor([0.0, 1.0]))
        tensor([1.0000, 1.2661], device='npu:0')
    """
    return bessel.i0(input, out=out)


def modified_bessel_i1(input: T, *, out: T | None = None) -> T:
    """The same as `i1`. Ascend operator: BesselI1e, Exp. Like: torch.special.modified_bessel_i1.

    Examples:
        >>> at.special.modified_bessel_i1(at.tensor([0.0, 1.0]))
        tensor([0.0000, 0.5652], device='npu:0')
    """
    return bessel.i1(input, out=out)


def multigammaln(input: T, p: int, *, out: T | None = None) -> T:
    """The same as `mvlgamma`. Ascend operator: Lgamma. Like: torch.special.multigammaln, scipy.special.multigammaln.

    Examples:
        >>> at.special.multigammaln(at.tensor([2.0]), 2)
        tensor([0.4516], device='npu:0')
    """
    return special.mvlgamma(input, p, out=out)


def psi(input: T, *, out: T | None = None) -> T:
    """The same as `digamma`. Ascend operator: Digamma. Like: torch.special.psi, scipy.special.psi.

    Examples:
        >>> at.special.psi(at.tensor([1.0]))
        tensor([-0.5772], device='npu:0')
    """
    return special.digamma(input, out=out)
