"""Bessel functions, made of polynomials, sines and exponentials: only the exponentially scaled I0 and I1 have operators of their own.

The polynomials are Chebyshev expansions of values with 40 digits. Where a function changes its form (at 8, for K at 2), both forms are
computed and SelectV2 chooses.
"""

# mypy: disable-error-code="no-any-return"
# (`unary` and `call` give Any: only the operand knows the tensor class.)

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from ...base import TensorBase
from ...errors import UnsupportedError
from ..arguments import checked
from ..call import binary, unary
from ..table import elementwise as arithmetic
from ..table import special as table
from . import comparison, elementwise
from . import unary as functions
from .special import finished, monomials, one, polynomial

T = TypeVar("T", bound=TensorBase)

# J0, J1 / x and what the logarithm leaves of Y0 and Y1 / x, of x² / 32 - 1, for x up to 8; P and Q x / 8 of Hankel's form, of
# 128 / x² - 1, from there
_J0: Final = (
    0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977, 0.15806710233209725,
    -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504, 3.246032882100508e-05,
    -1.7619469077621507e-06, 7.608163592418782e-08, -2.679253530557673e-09, 7.848696314479465e-11,
    -1.9438346867370164e-12, 4.125320595634374e-14, -7.588508125447546e-16,
)  # fmt: skip
_J1: Final = (
    0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791, 0.022213639654966037,
    -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05, 1.9858774049915165e-06,
    -9.521984756750436e-08, 3.687133759097148e-09, -1.178026622695885e-10, 3.160154580348003e-12,
    -7.221755239651773e-14, 1.4232144003513942e-15, -2.4441972916190464e-17,
)  # fmt: skip
_Y0: Final = (
    -0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663, -0.17730201278114358,
    0.04719668959576339, -0.007287962479552079, 0.0007531135932577742, -5.632079141056987e-05, 3.206532537654801e-06,
    -1.44072332740187e-07, 5.248794787330516e-09, -1.5837552541812015e-10, 4.02633081830612e-12, -8.747341203310769e-14,
    1.6434898714919468e-15,
)  # fmt: skip
_Y1: Final = (
    0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346, -0.028328123944594365,
    0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05, -3.53808001868935e-06, 1.7707804556154404e-07,
    -7.11055004989928e-09, 2.344337905911516e-10, -6.4651518414115946e-12, 1.51429151205002e-13,
    -3.0511859694473254e-15, 5.34668038572867e-17,
)  # fmt: skip
_P0: Final = (
    0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08, 1.6306464635151382e-09,
    -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13, 4.3265957431549404e-14,
    -5.069034095935236e-15, 6.748072215733873e-16, -1.0011513723467786e-16,
)  # fmt: skip
_Q0: Final = (
    -0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08, -7.27191593686632e-10,
    4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13, -3.336328185322427e-14,
    4.255225040245461e-15, -6.09993013164005e-16, 9.662128970303257e-17, -1.6686065214378146e-17,
    3.1082440486738143e-18,
)  # fmt: skip
_P1: Final = (
    1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08, -1.8718907491063067e-09,
    8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13, -4.6842237839904895e-14,
    5.452674896044717e-15, -7.221180842274018e-16, 1.0667689114335412e-16,
)  # fmt: skip
_Q1: Final = (
    0.04677778706953532, -9.62772354915708e-05, 9.138615257955454e-07, -2.0959781384083424e-08, 8.229193327650554e-10,
    -4.686363688176945e-11, 3.5152187949686082e-12, -3.2643156743279e-13, 3.5967765829165294e-14,
    -4.5612523950772974e-15, 6.508282957783384e-16, -1.0269147531823243e-16, 1.767635548776479e-17,
)  # fmt: skip
# What the logarithm leaves of K0 and K1 / x, of x² / 2 - 1, for x up to 2; sqrt(x) exp(x) K, of 4 / x - 1, from there
_K0: Final = (
    -0.2676636966169514, 0.3442898999246285, 0.0359799365153615, 0.001264615411446926, 2.286212103119452e-05,
    2.5347910790261494e-07, 1.904516377220209e-09, 1.0349695257633625e-11, 4.2598161427910826e-14,
    1.3744654358807508e-16,
)  # fmt: skip
_K1: Final = (
    -0.06409034516866254, -0.10916919599320105, -0.006636878452817714, -0.00016822792382067343, -2.389559180803608e-06,
    -2.1853569024549695e-08, -1.3982271326113327e-10, -6.618562752976041e-13, -2.4134516242987822e-15,
)  # fmt: skip
_K0_FAR: Final = (
    1.2201515410329777, -0.0314481013119645, 0.0015698838857300533, -0.00012849549581627802, 1.39498137188765e-05,
    -1.8317555227191195e-06, 2.766813639445015e-07, -4.660489897687948e-08, 8.574034017414225e-09,
    -1.6975345093890614e-09, 3.5773972814003283e-10, -7.957489244477396e-11, 1.8559491149549264e-11,
    -4.514597883374519e-12, 1.1403405882073441e-12, -2.9800969231481784e-13, 8.032890775068375e-14,
    -2.2275133267462965e-14, 6.340076476276646e-15, -1.848593377920907e-15, 5.5120559994043335e-16,
    -1.6782311257549006e-16,
)  # fmt: skip
_K1_FAR: Final = (
    1.3603130952422213, 0.10392373657681724, -0.002857816859622779, 0.00019521551847135162, -1.936197974166083e-05,
    2.406484947837217e-06, -3.5019606030878126e-07, 5.7410841254500495e-08, -1.0345762465678097e-08,
    2.0150497551970347e-09, -4.1903547593419254e-10, 9.218315187605315e-11, -2.129967838427791e-11,
    5.139639673482343e-12, -1.2891739609498229e-12, 3.348419666052243e-13, -8.976705182010146e-14,
    2.4771544242195988e-14, -7.0198370892147685e-15, 2.038703166239861e-15, -6.057047270643018e-16,
    1.8380935752430455e-16,
)  # fmt: skip


def _series(name: Sequence[float], x: T) -> T:
    return polynomial(x, monomials(name, x.desc.dtype))


def _computed(input: T, out: T | None, function: Callable[[T], T]) -> T:
    x, dtype = one(input)
    return finished(function(x), dtype, out)


# Modified functions of the first kind


@checked
def i0(input: T, *, out: T | None = None) -> T:
    """Modified Bessel function of the first kind of order 0.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: BesselI0e, Abs, Exp and Mul. Like: torch.i0, torch.special.modified_bessel_i0, numpy.i0.

    Examples:
        >>> at.i0(at.tensor([0.0, 1.0]))
        tensor([1.0000, 1.2661], device='npu:0')
    """
    return _computed(input, out, _i0)


@checked
def i1(input: T, *, out: T | None = None) -> T:
    """Modified Bessel function of the first kind of order 1.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: BesselI1e, Abs, Exp and Mul. Like: torch.special.i1, torch.special.modified_bessel_i1, scipy.special.i1.

    Examples:
        >>> at.special.i1(at.tensor([0.0, 1.0]))
        tensor([0.0000, 0.5652], device='npu:0')
    """
    return _computed(input, out, _i1)


def _i0(x: T) -> T:
    return _unscaled(x, unary(table.BESSEL_I0E, x), math.inf)


def _i1(x: T) -> T:
    return _unscaled(x, unary(table.BESSEL_I1E, x), x)


def _unscaled(x: T, scaled: T, at_infinity: Any) -> T:
    """Times `exp(|x|)` in two halves, so that nothing overflows before the result does."""
    half = functions.exp(elementwise.mul(functions.abs(x), 0.5))
    result = elementwise.mul(elementwise.mul(scaled, half), half)
    return comparison.where(comparison.isinf(x), at_infinity, result)


# Modified functions of the second kind


@checked
def modified_bessel_k0(input: T, *, out: T | None = None) -> T:
    """Modified Bessel function of the second kind of order 0; infinite at 0, NaN below.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, BesselI0e, Exp, Log and SelectV2. Like: torch.special.modified_bessel_k0, scipy.special.k0.

    Examples:
        >>> at.special.modified_bessel_k0(at.tensor([0.0, 1.0]))
        tensor([   inf, 0.4210], device='npu:0')
    """
    return _computed(input, out, lambda x: _second(x, _k0_near(x), _K0_FAR, False))


@checked
def modified_bessel_k1(input: T, *, out: T | None = None) -> T:
    """Modified Bessel function of the second kind of order 1; infinite at 0, NaN below.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, BesselI1e, Exp, Log and SelectV2. Like: torch.special.modified_bessel_k1, scipy.special.k1.

    Examples:
        >>> at.special.modified_bessel_k1(at.tensor([0.0, 1.0]))
        tensor([   inf, 0.6019], device='npu:0')
    """
    return _computed(input, out, lambda x: _second(x, _k1_near(x), _K1_FAR, False))


@checked
def scaled_modified_bessel_k0(input: T, *, out: T | None = None) -> T:
    """`exp(input) * modified_bessel_k0(input)`.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, BesselI0e, Exp, Log and SelectV2. Like: torch.special.scaled_modified_bessel_k0,
        scipy.special.k0e.

    Examples:
        >>> at.special.scaled_modified_bessel_k0(at.tensor([1.0, 100.0]))
        tensor([1.1445, 0.1252], device='npu:0')
    """
    return _computed(input, out, lambda x: _second(x, _k0_near(x), _K0_FAR, True))


@checked
def scaled_modified_bessel_k1(input: T, *, out: T | None = None) -> T:
    """`exp(input) * modified_bessel_k1(input)`.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, BesselI1e, Exp, Log and SelectV2. Like: torch.special.scaled_modified_bessel_k1,
        scipy.special.k1e.

    Examples:
        >>> at.special.scaled_modified_bessel_k1(at.tensor([1.0, 100.0]))
        tensor([1.6362, 0.1258], device='npu:0')
    """
    return _computed(input, out, lambda x: _second(x, _k1_near(x), _K1_FAR, True))


def _k0_near(x: T) -> T:
    rest = _series(_K0, polynomial(elementwise.mul(x, x), (-1.0, 0.5)))
    return elementwise.sub(rest, elementwise.mul(functions.log(elementwise.mul(x, 0.5)), _i0(x)))


def _k1_near(x: T) -> T:
    rest = elementwise.mul(_series(_K1, polynomial(elementwise.mul(x, x), (-1.0, 0.5))), x)
    with_pole = elementwise.add(rest, functions.reciprocal(x))
    result = elementwise.add(with_pole, elementwise.mul(functions.log(elementwise.mul(x, 0.5)), _i1(x)))
    return comparison.where(comparison.eq(x, 0), math.inf, result)


def _second(x: T, near: T, coefficients: Sequence[float], scaled: bool) -> T:
    """The two forms of K together."""
    far = elementwise.div(_series(coefficients, elementwise.add(binary(arithmetic.DIV, 4.0, x), -1.0)), functions.sqrt(x))
    if scaled:
        near = elementwise.mul(near, functions.exp(x))
    else:
        far = elementwise.mul(far, functions.exp(functions.neg(x)))
    return comparison.where(comparison.gt(x, 2.0), far, near)


# Functions of the first and the second kind


@checked
def bessel_j0(input: T, *, out: T | None = None) -> T:
    """Bessel function of the first kind of order 0.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, Sin, Cos, Rsqrt and SelectV2. Like: torch.special.bessel_j0, scipy.special.j0.

    Examples:
        >>> at.special.bessel_j0(at.tensor([0.0, 1.0]))
        tensor([1.0000, 0.7652], device='npu:0')
    """
    return _computed(input, out, lambda x: _first(functions.abs(x), 0))


@checked
def bessel_j1(input: T, *, out: T | None = None) -> T:
    """Bessel function of the first kind of order 1.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, Sin, Cos, Rsqrt and SelectV2. Like: torch.special.bessel_j1, scipy.special.j1.

    Examples:
        >>> at.special.bessel_j1(at.tensor([0.0, 1.0]))
        tensor([0.0000, 0.4401], device='npu:0')
    """

    def odd(x: T) -> T:
        result = _first(functions.abs(x), 1)
        return comparison.where(comparison.lt(x, 0), functions.neg(result), result)

    return _computed(input, out, odd)


@checked
def bessel_y0(input: T, *, out: T | None = None) -> T:
    """Bessel function of the second kind of order 0; -inf at 0, NaN below.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, Log, Sin, Cos, Rsqrt and SelectV2. Like: torch.special.bessel_y0, scipy.special.y0.

    Examples:
        >>> at.special.bessel_y0(at.tensor([0.0, 1.0]))
        tensor([  -inf, 0.0883], device='npu:0')
    """

    def second(x: T) -> T:
        level = elementwise.mul(functions.log(x), 2 / math.pi)
        near = elementwise.add(elementwise.mul(level, _small(_J0, x)), _small(_Y0, x))
        return comparison.where(comparison.gt(x, 8.0), _far(x, 0, True), near)

    return _computed(input, out, second)


@checked
def bessel_y1(input: T, *, out: T | None = None) -> T:
    """Bessel function of the second kind of order 1; -inf at 0, NaN below.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: composed of Addcmul, Log, Sin, Cos, Rsqrt and SelectV2. Like: torch.special.bessel_y1, scipy.special.y1.

    Examples:
        >>> at.special.bessel_y1(at.tensor([0.0, 1.0]))
        tensor([   -inf, -0.7812], device='npu:0')
    """

    def second(x: T) -> T:
        level = elementwise.mul(functions.log(x), 2 / math.pi)
        smooth = elementwise.mul(elementwise.add(elementwise.mul(level, _small(_J1, x)), _small(_Y1, x)), x)
        near = elementwise.sub(smooth, binary(arithmetic.DIV, 2 / math.pi, x))
        near = comparison.where(comparison.eq(x, 0), -math.inf, near)
        return comparison.where(comparison.gt(x, 8.0), _far(x, 1, True), near)

    return _computed(input, out, second)


def _small(coefficients: Sequence[float], x: T) -> T:
    """A series in x² for x up to 8."""
    return _series(coefficients, polynomial(elementwise.mul(x, x), (-1.0, 1 / 32)))


def _first(x: T, order: int) -> T:
    """J0 or J1 of numbers that are not negative."""
    near = elementwise.mul(_small(_J1, x), x) if order else _small(_J0, x)
    return comparison.where(comparison.gt(x, 8.0), _far(x, order, False), near)


def _far(x: T, order: int, second: bool) -> T:
    """Hankel's form: `sqrt(2 / (pi x))` times P cos - Q sin of x - (2 n + 1) pi / 4, or P sin + Q cos for the second kind.

    The shift of the angle is made of sin x + cos x and sin x - cos x, which loses nothing for large x.
    """
    inverse = binary(arithmetic.DIV, 8.0, x)
    v = polynomial(elementwise.mul(inverse, inverse), (-1.0, 2.0))
    p = _series(_P1 if order else _P0, v)
    q = elementwise.mul(_series(_Q1 if order else _Q0, v), inverse)
    sine, cosine = functions.sin(x), functions.cos(x)
    both, apart = elementwise.add(sine, cosine), elementwise.sub(sine, cosine)
    turned_cosine, turned_sine = (apart, functions.neg(both)) if order else (both, apart)
    if second:
        wave = elementwise.add(elementwise.mul(p, turned_sine), elementwise.mul(q, turned_cosine))
    else:
        wave = elementwise.sub(elementwise.mul(p, turned_cosine), elementwise.mul(q, turned_sine))
    value = elementwise.mul(wave, functions.rsqrt(elementwise.mul(x, math.pi)))
    return comparison.where(comparison.eq(x, math.inf), 0.0, value)


@checked
def spherical_bessel_j0(input: T, *, out: T | None = None) -> T:
    """Spherical Bessel function of the first kind of order 0: `sin(input) / input`, 1 at 0.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Sin, RealDiv and SelectV2. Like: torch.special.spherical_bessel_j0.

    Examples:
        >>> at.special.spherical_bessel_j0(at.tensor([0.0, 1.0]))
        tensor([1.0000, 0.8415], device='npu:0')
    """

    def quotient(x: T) -> T:
        value = elementwise.div(functions.sin(x), x)
        value = comparison.where(comparison.isinf(x), 0.0, value)
        return comparison.where(comparison.eq(x, 0), 1.0, value)

    return _computed(input, out, quotient)


@checked
def airy_ai(input: T, *, out: T | None = None) -> T:
    """Airy's function of the first kind, which is not there.

    Raises:
        UnsupportedError: Always.

    Ascend operator: none. Like: torch.special.airy_ai.

    Examples:
        >>> at.special.airy_ai(at.tensor([0.0, 1.0]))
        Traceback (most recent call last):
            ...
        ascendtensor.errors.UnsupportedError: airy_ai: no Ascend operator computes Airy's function
          operands: float32[2] on npu:0
          Compute it on the host, from input.numpy().
    """
    raise UnsupportedError("no Ascend operator computes Airy's function", advice="Compute it on the host, from input.numpy().")
