"""Special functions: the gamma function's relatives, the normal distribution's, the exponential integral, entropy."""

# mypy: disable-error-code="no-any-return"
# (`unary`, `binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index as as_int
from typing import Any, Final, TypeVar

from ... import dtypes as d
from ... import promotion
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import DTypeError, UnsupportedError, ValueRangeError
from ...promotion import Kind
from .. import chips, views
from ..arguments import checked
from ..call import binary, call, unary
from ..operands import filled, in_dtype
from ..table import elementwise as arithmetic
from ..table import special as table
from ..writing import into, write
from . import comparison, elementwise
from . import unary as functions

T = TypeVar("T", bound=TensorBase)

_HALVES: Final = (d.float16, d.bfloat16)
_ROOT_HALF: Final = math.sqrt(0.5)


# What functions of several operators share


def promoted(kind: Kind, *operands: Any) -> DType:
    """The dtype that operands of a composite have together."""
    return promotion.resolve(
        kind,
        [
            (operand.desc.dtype, len(operand.desc.shape)) if isinstance(operand, TensorBase) else (operand.__class__, -1)
            for operand in operands
        ],
    )[0]


MOST_STEPS: Final = 10_000
"""Launches of one composite, about, that a number may ask for."""


def few_steps(count: int, parameter: str) -> int:
    """A number that is as many steps of a composite.

    Raises:
        UnsupportedError: So many that the call would not end in reasonable time.
    """
    if count > MOST_STEPS:
        raise UnsupportedError(f"{parameter} is {count}: operators are launched for each step up to it, for at most {MOST_STEPS:,} steps")
    return count


def real(dtype: DType) -> DType:
    """A real dtype; complex ones are refused.

    Raises:
        DTypeError: It is complex.
    """
    if dtype.is_complex:
        raise DTypeError(f"{dtype.name} is not supported", advice="Take the real part, or the absolute value, first.")
    return dtype


def working(operand: Any, dtype: DType) -> Any:
    """An operand in the dtype that a composite works in: float32 for halves; numbers stay as they are."""
    wide = d.float32 if dtype in _HALVES else dtype
    if not isinstance(operand, TensorBase) or operand.desc.dtype is wide:
        return operand
    return comparison.cast(operand, wide)


def finished(result: T, dtype: DType, out: T | None) -> T:
    """The result of a composite in its dtype, in `out` where that is given."""
    return into(in_dtype(result, dtype), out)


def one(input: T) -> tuple[T, DType]:
    """The operand of a composite of one, and the dtype of the result: integers become floating."""
    dtype = real(promoted(Kind.INT_TO_FLOAT, input))
    return working(input, dtype), dtype


def polynomial(x: T, coefficients: Sequence[float]) -> T:
    """A polynomial, lowest coefficient first; each step is one Addcmul, whose numbers are operands."""
    *rest, total = coefficients
    result: Any = total
    for coefficient in reversed(rest):
        result = call(arithmetic.ADDCMUL, (coefficient, result, x, 1.0))
    return result


# Gamma and its relatives


@checked
def lgamma(input: T, *, out: T | None = None) -> T:
    """Logarithm of the absolute value of the gamma function; infinite at 0, -1, -2... AI CPU operator.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Lgamma. Like: torch.lgamma, torch.special.gammaln, scipy.special.gammaln.

    Examples:
        >>> at.lgamma(at.tensor([1.0, 5.0]))
        tensor([0.0000, 3.1781], device='npu:0')
    """
    return unary(table.LGAMMA, input) if out is None else write(table.LGAMMA, out, (input,))


@checked
def digamma(input: T, *, out: T | None = None) -> T:
    """Derivative of `lgamma`: NaN at -1, -2..., an infinity of the opposite sign at 0 on the simulator. AI CPU operator.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Digamma. Like: torch.digamma, torch.special.psi, scipy.special.digamma.

    Examples:
        >>> at.digamma(at.tensor([1.0, 0.5]))
        tensor([-0.5772, -1.9635], device='npu:0')
    """
    return unary(table.DIGAMMA, input) if out is None else write(table.DIGAMMA, out, (input,))


@checked
def polygamma(n: int, input: T, *, out: T | None = None) -> T:
    """The n-th derivative of `digamma`. AI CPU operators.

    Args:
        n: Order, 0 or more.
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        ValueRangeError: `n` is negative.
        DTypeError: `n` is not an int, or `input` is complex.

    Ascend operator: Digamma for 0, else Zeta and Mul. Like: torch.polygamma, scipy.special.polygamma.

    Examples:
        >>> at.polygamma(1, at.tensor([1.0]))
        tensor([1.6449], device='npu:0')
    """
    order = as_int(n)
    if order < 0:
        raise ValueRangeError(f"n is {order}; it is 0 or more")
    if order == 0:
        return digamma(input, out=out)
    x, dtype = one(input)
    factor = (-1.0) ** (order + 1) * (math.factorial(order) if order < 171 else math.inf)
    return finished(elementwise.mul(_zeta(float(order + 1), x), factor), dtype, out)


@checked
def mvlgamma(input: T, p: int, *, out: T | None = None) -> T:
    """Logarithm of the multivariate gamma function of dimension `p`. AI CPU operators.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        p: Number of dimensions, 1 or more.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        ValueRangeError: `p` is less than 1.
        UnsupportedError: `p` is more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Lgamma and Add. Like: torch.mvlgamma, torch.special.multigammaln, scipy.special.multigammaln.

    Examples:
        >>> at.mvlgamma(at.tensor([2.0]), 2)
        tensor([0.4516], device='npu:0')
    """
    size = as_int(p)
    if size < 1:
        raise ValueRangeError(f"p is {size}; it has to be at least 1")
    few_steps(size, "p")
    x, dtype = one(input)
    total: Any = size * (size - 1) / 4 * math.log(math.pi)
    for step in range(size):
        total = elementwise.add(unary(table.LGAMMA, elementwise.sub(x, step / 2) if step else x), total)
    return finished(total, dtype, out)


@checked
def gammainc(input: T, other: Any, *, out: T | None = None) -> T:
    """Regularized lower incomplete gamma function: the share of gamma(`input`) that is integrated from 0 to `other`. AI CPU operator.

    Args:
        input: Tensor of any shape, not negative, or a Python number.
        other: Tensor or Python number that broadcasts with it, not negative; at least one of the two is a floating tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; NaN for negative numbers.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: Igamma. Like: torch.special.gammainc, torch.igamma, scipy.special.gammainc.

    Examples:
        >>> at.special.gammainc(at.tensor([1.0]), at.tensor([1.0]))
        tensor([0.6321], device='npu:0')
    """
    return binary(table.IGAMMA, input, other) if out is None else write(table.IGAMMA, out, (input, other))


@checked
def gammaincc(input: T, other: Any, *, out: T | None = None) -> T:
    """Regularized upper incomplete gamma function: `1 - gammainc(input, other)`, exact where that is small too. AI CPU operator.

    Args:
        input: Tensor of any shape, not negative, or a Python number.
        other: Tensor or Python number that broadcasts with it, not negative; at least one of the two is a floating tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; NaN for negative numbers.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: Igammac. Like: torch.special.gammaincc, torch.igammac, scipy.special.gammaincc.

    Examples:
        >>> at.special.gammaincc(at.tensor([1.0]), at.tensor([1.0]))
        tensor([0.3679], device='npu:0')
    """
    return binary(table.IGAMMAC, input, other) if out is None else write(table.IGAMMAC, out, (input, other))


@checked
def zeta(input: T, other: Any, *, out: T | None = None) -> T:
    """Hurwitz' zeta function: the sum of `(k + other) ** -input` over k = 0, 1, 2... AI CPU operator.

    Args:
        input: Tensor of any shape and real dtype, above 1, or a Python number. Integers become floating.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is complex.

    Ascend operator: Zeta. Like: torch.special.zeta, scipy.special.zeta.

    Examples:
        >>> at.special.zeta(at.tensor([2.0]), at.tensor([1.0]))
        tensor([1.6449], device='npu:0')
    """
    return _zeta(input, other, out)


def _zeta(first: Any, second: Any, out: Any = None) -> Any:
    """`zeta` of operands made equally large: the kernel does not broadcast (hicann/ops-math, `zeta_aicpu.cpp`, ExtraCheckZeta)."""
    operands: tuple[Any, ...] = first, second
    if isinstance(first, TensorBase) and isinstance(second, TensorBase):
        operands = tuple(views.broadcast_tensors(first, second))
    else:
        like, dtype = first if isinstance(first, TensorBase) else second, promoted(Kind.INT_TO_FLOAT, first, second)
        operands = tuple(each if isinstance(each, TensorBase) else filled(like, like.desc.shape, each, dtype) for each in operands)
    return call(table.ZETA, operands) if out is None else write(table.ZETA, out, operands)


# Exponentially scaled Bessel functions: the two that have operators; `bessel` has the others


@checked
def i0e(input: T, *, out: T | None = None) -> T:
    """Exponentially scaled modified Bessel function of order 0: `exp(-|input|) * i0(input)`.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: BesselI0e. Like: torch.special.i0e, scipy.special.i0e.

    Examples:
        >>> at.special.i0e(at.tensor([0.0, 100.0]))
        tensor([1.0000, 0.0399], device='npu:0')
    """
    return unary(table.BESSEL_I0E, input) if out is None else write(table.BESSEL_I0E, out, (input,))


@checked
def i1e(input: T, *, out: T | None = None) -> T:
    """Exponentially scaled modified Bessel function of order 1: `exp(-|input|) * i1(input)`.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: BesselI1e. Like: torch.special.i1e, scipy.special.i1e.

    Examples:
        >>> at.special.i1e(at.tensor([0.0, 100.0]))
        tensor([0.0000, 0.0397], device='npu:0')
    """
    return unary(table.BESSEL_I1E, input) if out is None else write(table.BESSEL_I1E, out, (input,))


# The normal distribution and the error function


@checked
def erfinv(input: T, *, out: T | None = None) -> T:
    """Inverse of the error function; NaN outside [-1, 1].

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Erfinv; for float64, which it does not take, steps with Erf and Erfc. Like: torch.erfinv, scipy.special.erfinv.

    Examples:
        >>> at.erfinv(at.tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.4769,    inf], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return into(_wide_erfinv(input), out)
    return unary(arithmetic.ERFINV, input) if out is None else write(arithmetic.ERFINV, out, (input,))


def _wide_erfinv(x: T) -> T:
    """`erfinv` in float64: the point of the tail, and a step of Newton's near 0, where the tail knows little of x."""
    tail = elementwise.mul(elementwise.rsub(functions.abs(x), 1.0), 0.5)
    size = elementwise.mul(upper_point(tail), _ROOT_HALF)
    value = comparison.where(comparison.lt(x, 0), functions.neg(size), size)
    slope = elementwise.mul(functions.exp(elementwise.mul(value, value)), math.sqrt(math.pi) / 2)
    nearer = elementwise.sub(value, elementwise.mul(elementwise.sub(unary(arithmetic.ERF, value), x), slope))
    value = comparison.where(comparison.lt(functions.abs(x), 0.5), nearer, value)
    return comparison.where(comparison.lt(functions.abs(x), 1e-8), elementwise.mul(x, math.sqrt(math.pi) / 2), value)


@checked
def ndtr(input: T, *, out: T | None = None) -> T:
    """Distribution function of the normal distribution.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Mul and Erfc. Like: torch.special.ndtr, scipy.special.ndtr.

    Examples:
        >>> at.special.ndtr(at.tensor([0.0, 1.0]))
        tensor([0.5000, 0.8413], device='npu:0')
    """
    x, dtype = one(input)
    return finished(_below(x), dtype, out)


def _below(x: T) -> T:
    return elementwise.mul(unary(arithmetic.ERFC, elementwise.mul(x, -_ROOT_HALF)), 0.5)


@checked
def ndtri(input: T, *, out: T | None = None) -> T:
    """Inverse of `ndtr`; infinite at 0 and 1, NaN outside.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Ndtri; for float64, which it does not take, steps with Erfc. Like: torch.special.ndtri, scipy.special.ndtri.

    Examples:
        >>> at.special.ndtri(at.tensor([0.025, 0.975]))
        tensor([-1.9600,  1.9600], device='npu:0')
    """
    if input.desc.dtype is d.float64:
        return into(_wide_ndtri(input), out)
    return unary(table.NDTRI, input) if out is None else write(table.NDTRI, out, (input,))


def _wide_ndtri(p: T) -> T:
    """`ndtri` in float64: a start that is right to 4.5e-4 (Abramowitz and Stegun, 26.2.23), and three of Halley's steps."""
    upper = comparison.gt(p, 0.5)
    tail = comparison.where(upper, elementwise.rsub(p, 1.0), p)
    return comparison.where(upper, upper_point(tail), functions.neg(upper_point(tail)))


def upper_point(tail: T) -> T:
    """In float64, the number above which the normal distribution has this chance, for chances up to 1/2."""
    t = functions.sqrt(elementwise.mul(functions.log(tail), -2.0))
    above = polynomial(t, (2.515517, 0.802853, 0.010328))
    x = elementwise.sub(t, elementwise.div(above, polynomial(t, (1.0, 1.432788, 0.189269, 0.001308))))
    for _ in range(3):
        off = elementwise.sub(_below(functions.neg(x)), tail)
        # exp(x * x / 2) in two factors: above 37.6 it is infinite where the chance is not 0 yet.
        root = functions.exp(elementwise.mul(elementwise.mul(x, x), 0.25))
        step = elementwise.mul(elementwise.mul(elementwise.mul(off, math.sqrt(2 * math.pi)), root), root)
        x = elementwise.add(x, elementwise.div(step, polynomial(elementwise.mul(x, step), (1.0, 0.5))))
    return comparison.where(comparison.eq(tail, 0), math.inf, x)


@checked
def log_ndtr(input: T, *, out: T | None = None) -> T:
    """Logarithm of `ndtr`, exact where that is too small for a number.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, Erfc, Log, Log1p and SelectV2. Like: torch.special.log_ndtr, scipy.special.log_ndtr.

    Examples:
        >>> at.special.log_ndtr(at.tensor([0.0, -10.0]))
        tensor([ -0.6931, -53.2313], device='npu:0')
    """
    x, dtype = one(input)
    t = elementwise.mul(x, _ROOT_HALF)
    low = functions.log(elementwise.mul(_scaled_tail(functions.neg(t)), 0.5))
    low = elementwise.sub(low, elementwise.mul(t, t))
    high = functions.log1p(elementwise.mul(unary(arithmetic.ERFC, t), -0.5))
    return finished(comparison.where(comparison.lt(x, -1.0), low, high), dtype, out)


@checked
def erfcx(input: T, *, out: T | None = None) -> T:
    """`exp(input ** 2) * erfc(input)`, exact where the one overflows and the other vanishes.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, RealDiv, Exp and SelectV2. Like: torch.special.erfcx, scipy.special.erfcx.

    Examples:
        >>> at.special.erfcx(at.tensor([0.0, 100.0]))
        tensor([1.0000, 0.0056], device='npu:0')
    """
    x, dtype = one(input)
    tail = _scaled_tail(functions.abs(x))
    mirrored = elementwise.sub(elementwise.mul(functions.exp(elementwise.mul(x, x)), 2.0), tail)
    return finished(comparison.where(comparison.lt(x, 0), mirrored, tail), dtype, out)


# exp(z²) erfc(z) (z + 2) as Chebyshev polynomials of (z - 2) / (z + 2), for z >= 0
_SCALED_TAIL: Final = (
    1.1540674772329393, -0.710873842540997, 0.13019031765757305, -0.007342284791673278, -0.002225689486705265,
    0.0003215165983075616, 6.556063148346275e-05, -1.0884883291010032e-05, -3.0309331106342965e-06,
    2.859521636233973e-07, 1.6469217654838986e-07, 2.5925693704613126e-09, -8.309443262030397e-09,
    -1.2694116556725622e-09, 2.864164542451245e-10, 1.232078021040917e-10, 4.1224277109443396e-12,
    -7.1429862976954085e-12, -1.7172845686503592e-12, 1.229120042758126e-13, 1.4837451497193233e-13,
    2.579008551006465e-14, -4.717452771421264e-15, -3.1458698763371823e-15, -4.556593247909293e-16,
    1.262466090151286e-16,
)  # fmt: skip


def _scaled_tail(z: T) -> T:
    """`erfcx` for z >= 0; what it gives below is not used."""
    below = elementwise.add(z, 2.0)
    t = elementwise.add(binary(arithmetic.DIV, -4.0, below), 1.0)
    return elementwise.div(polynomial(t, monomials(_SCALED_TAIL, z.desc.dtype)), below)


def monomials(chebyshev: Sequence[float], dtype: DType) -> tuple[float, ...]:
    """Coefficients of powers for a sum of Chebyshev polynomials, cut where the dtype can't see the rest."""
    known = _monomials.get((chebyshev, dtype))
    if known is None:
        size = max(map(abs, chebyshev))
        limit = d.finfo(dtype).eps * size / 4
        count = max(place for place, coefficient in enumerate(chebyshev) if abs(coefficient) > limit) + 1
        known = _monomials[chebyshev, dtype] = _powers(chebyshev[:count])
    return known


_monomials: Final[dict[Any, tuple[float, ...]]] = {}


def _powers(chebyshev: Sequence[float]) -> tuple[float, ...]:
    """By the recurrence T(k+1) = 2 x T(k) - T(k-1)."""
    total = [0.0] * len(chebyshev)
    before, last = [1.0], [0.0, 1.0]
    for coefficient in chebyshev:
        for place, value in enumerate(before):
            total[place] += coefficient * value
        following = [0.0, *(2 * value for value in last)]
        for place, value in enumerate(before):
            following[place] -= value
        before, last = last, following
    return tuple(total)


# Integrals and entropies


@checked
def expi(input: T, *, out: T | None = None) -> T:
    """Exponential integral: the integral of `exp(t) / t` from -inf to `input`; -inf at 0.

    Args:
        input: Tensor of any shape and float16, bfloat16 or float32 dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Expint. Like: scipy.special.expi.

    Examples:
        >>> at.special.expi(at.tensor([1.0]))
        tensor([1.8951], device='npu:0')
    """
    return unary(table.EXPINT, input) if out is None else write(table.EXPINT, out, (input,))


@checked
def spence(input: T, *, out: T | None = None) -> T:
    """Dilogarithm in Spence's form: the integral of `log(t) / (1 - t)` from 1 to `input`; NaN below 0.

    Args:
        input: Tensor of any shape and float16, bfloat16 or float32 dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: The operator does not take the dtype.

    Ascend operator: Spence. Like: scipy.special.spence.

    Examples:
        >>> at.special.spence(at.tensor([0.0, 2.0]))
        tensor([ 1.6449, -0.8225], device='npu:0')
    """
    return unary(table.SPENCE, input) if out is None else write(table.SPENCE, out, (input,))


@checked
def entr(input: T, *, out: T | None = None) -> T:
    """Elementwise entropy: `-input * log(input)`, 0 at 0, -inf below.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Xlogy, Sub and SelectV2. Like: torch.special.entr, scipy.special.entr.

    Examples:
        >>> at.special.entr(at.tensor([0.0, 0.5, -1.0]))
        tensor([0.0000, 0.3466,   -inf], device='npu:0')
    """
    x, dtype = one(input)
    inside = binary(arithmetic.SUB, 0.0, binary(arithmetic.XLOGY, x, x))
    return finished(comparison.where(comparison.lt(x, 0), -math.inf, inside), dtype, out)


@checked
def xlog1py(input: T, other: Any, *, out: T | None = None) -> T:
    """`input * log(1 + other)`, 0 where `input` is 0 unless `other` is NaN. Integers become floating.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is complex.

    Ascend operator: Xlog1py; for float64, which it does not take, Log1p, Mul and SelectV2. Like: torch.special.xlog1py,
        scipy.special.xlog1py.

    Examples:
        >>> at.special.xlog1py(at.tensor([0.0, 2.0]), at.tensor([-1.0, 1.0]))
        tensor([0.0000, 1.3863], device='npu:0')
    """
    if promoted(Kind.INT_TO_FLOAT, input, other) is not d.float64:
        return binary(table.XLOG1PY, input, other) if out is None else write(table.XLOG1PY, out, (input, other))
    left, right = working(input, d.float64), working(other, d.float64)
    level: Any = functions.log1p(right) if isinstance(right, TensorBase) else _host_log1p(float(right))
    zero: Any = comparison.eq(left, 0) if isinstance(left, TensorBase) else left == 0
    known: Any = comparison.eq(right, right) if isinstance(right, TensorBase) else right == right
    rule = comparison.logical_and(zero, known) if isinstance(zero, TensorBase) else comparison.logical_and(known, zero)
    return comparison.where(rule, 0.0, elementwise.mul(left, level), out=out)


def _host_log1p(value: float) -> float:
    return math.log1p(value) if value > -1 else -math.inf if value == -1 else math.nan


@checked
def sinc(input: T, *, out: T | None = None) -> T:
    """`sin(pi * input) / (pi * input)`, 1 at 0.

    Args:
        input: Tensor of any shape and floating or complex dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Ascend operator: Mul, Sin, RealDiv and SelectV2. Like: torch.sinc, numpy.sinc.

    Examples:
        >>> at.sinc(at.tensor([0.0, 0.5]))
        tensor([1.0000, 0.6366], device='npu:0')
    """
    dtype = promoted(Kind.INT_TO_FLOAT, input)
    x = working(input, dtype)
    angle = elementwise.mul(x, math.pi)
    return finished(comparison.where(comparison.eq(x, 0), 1.0, elementwise.div(functions.sin(angle), angle)), dtype, out)


@checked
def logit(input: T, eps: float | None = None, *, out: T | None = None) -> T:
    """`log(input / (1 - input))`, the inverse of sigmoid; NaN outside [0, 1].

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        eps: Where given, `input` is brought into [eps, 1 - eps] first.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Logit, after ClipByValueV2 where there is an eps; for float64, which it does not take, RealDiv and Log.
        Like: torch.logit, torch.special.logit, scipy.special.logit.

    Examples:
        >>> at.logit(at.tensor([0.5, 0.9]))
        tensor([0.0000, 2.1972], device='npu:0')
    """
    dtype = real(promoted(Kind.INT_TO_FLOAT, input))
    x = in_dtype(input, dtype)
    if eps is not None:
        x = elementwise.clamp(x, float(eps), 1.0 - float(eps))
    if dtype is d.float64 or chips.lacks(table.LOGIT, dtype):
        return functions.log(elementwise.div(x, elementwise.rsub(x, 1.0)), out=out)
    return unary(table.LOGIT, x) if out is None else write(table.LOGIT, out, (x,))
