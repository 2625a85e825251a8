"""The gamma function's relatives: Lgamma, Digamma, Zeta, Igamma, Igammac. Everything is worked out in float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import lgamma as log_gamma_of
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import heavy, registry, rules
from ascendtensor.simulator.kernels.fits import Fit, pick
from ascendtensor.simulator.kernels.registry import Array, Attrs, Task, infer
from ascendtensor.simulator.kernels.special import erfc

_FLOAT64 = np.dtype(np.float64)
_HALF_LOG_TWO_PI = 0.9189385332046727
# B(2k) / (2k (2k - 1)), B(2k) / 2k and B(2k) / (2k)! of the Bernoulli numbers B
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)
_ZETA = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600, -3617 / 10670622842880000)
_NEAR = 2.0**-53
_LARGE = 1e5
# Temme's uniform expansion (DLMF 8.12), the powers of eta of its first three terms
_TEMME = (
    (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600),
    (-1 / 540, -1 / 288, 1 / 378, -77 / 77760),
    (25 / 6048, -139 / 51840),
)


def _series(x: Array, coefficients: tuple[float, ...]) -> Array:
    """A polynomial, lowest coefficient first."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total


def _stirling_tail(x: Array) -> Array:
    """What Stirling's formula leaves of lgamma, for x >= 10."""
    inverse = 1 / x
    return np.asarray(_series(inverse * inverse, _STIRLING) * inverse)


def _stirling(x: Array) -> Array:
    return np.asarray((x - 0.5) * np.log(x) - x + _HALF_LOG_TWO_PI + _stirling_tail(x))


def _middle_values(x: Array) -> Array:
    """lgamma(x) / ((x - 1) (x - 2)), which has no pole and no zero between 0.8 and 3."""
    return np.array([log_gamma_of(value) / ((value - 1) * (value - 2)) for value in x])


_middle = Fit(_middle_values, 0.8, 3.0, 33)
_middle_of_single = Fit(_middle_values, 0.8, 3.0, 16)
"""With relative errors below 6e-10, for results that are rounded to float32."""


def _positive_lgamma(x: Array, middle: Fit = _middle) -> Array:
    out = np.empty_like(x)
    pick(out, x >= 10, _stirling, x)
    pick(out, (x >= 3) & (x < 10), _raised, x)
    pick(out, (x >= 0.8) & (x < 3), lambda v: middle(v) * (v - 1) * (v - 2) + 0.0, x)
    pick(out, x < 0.8, lambda v: middle(v + 1) * v * (v - 1) - np.log(v), x)
    out[x != x] = np.nan
    out[x == np.inf] = np.inf
    return out


def _raised(x: Array) -> Array:
    """lgamma between 3 and 10, by that of a number that is larger by 7."""
    product = x.copy()
    for step in range(1, 7):
        product *= x + step
    return np.asarray(_stirling(x + 7) - np.log(product))


def lgamma(out: Array, x: Array, middle: Fit = _middle) -> None:
    """Writes log |gamma(x)|, infinite at 0, -1, -2..."""
    pick(out, ~(x <= 0), partial(_positive_lgamma, middle=middle), x)
    pick(out, x <= 0, partial(_reflected_lgamma, middle=middle), x)


def _reflected_lgamma(x: Array, middle: Fit) -> Array:
    sine = np.abs(np.sin(np.pi * (x - np.rint(x))))
    value = np.log(np.pi / sine) - _positive_lgamma(1 - x, middle)
    value[sine == 0] = np.inf
    value[x == -np.inf] = np.inf
    return np.asarray(value)


def _positive_digamma(x: Array) -> Array:
    small = x < 10
    lower = np.zeros_like(x)
    if small.any():
        step = x.copy()
        term = np.empty_like(x)
        for _ in range(10):
            np.divide(1, step, term)
            np.add(lower, term, lower)
            np.add(step, 1, step)
        np.multiply(lower, small, lower)
        x = np.where(small, step, x)
    inverse = np.divide(1, x)
    square = np.multiply(inverse, inverse)
    tail = _series(square, _DIGAMMA)
    np.multiply(tail, square, tail)
    np.add(lower, tail, lower)
    np.multiply(inverse, 0.5, inverse)
    np.add(lower, inverse, lower)
    found = np.log(x)
    return np.subtract(found, lower, found)


def digamma(out: Array, x: Array) -> None:
    """Writes the logarithmic derivative of gamma: NaN at -1, -2..., an infinity of the opposite sign at 0."""
    pick(out, ~(x <= 0), _positive_digamma, x)
    pick(out, x <= 0, _reflected_digamma, x)


def _reflected_digamma(x: Array) -> Array:
    fraction = x - np.rint(x)
    value = _positive_digamma(1 - x) - np.pi / np.tan(np.pi * fraction)
    value[fraction == 0] = np.nan
    value[x == -np.inf] = np.nan
    zero = x == 0
    value[zero] = np.copysign(np.inf, -x[zero])
    return np.asarray(value)


def _inverse_power(s: Array) -> Callable[[Array, Array], Array]:
    """Writes x ** -s; by products where s is a small whole number, as the orders of polygamma are."""
    first = float(s.flat[0]) if s.size else 0.0
    if not (2 <= first <= 16 and first == int(first) and (s == first).all()):
        return lambda x, out: np.power(x, -s, out)

    def products(x: Array, out: Array) -> Array:
        inverse = np.divide(1, x)
        np.copyto(out, inverse)
        for digit in bin(int(first))[3:]:
            np.multiply(out, out, out)
            if digit == "1":
                np.multiply(out, inverse, out)
        return out

    return products


def zeta(out: Array, s: Array, q: Array) -> None:
    """Writes Hurwitz' sum of (k + q) ** -s over k = 0, 1, 2...: the first terms, and Euler and Maclaurin's formula for the others."""
    total, term = np.zeros_like(out), np.empty_like(out)
    at = np.array(np.broadcast_to(q, out.shape))
    enough = np.clip(s, 10, 100)  # the formula converges where q is not much smaller than s
    pole = (at <= 0) & (at == np.floor(at))
    at[pole] = 200  # the answer is known
    inverse_power = _inverse_power(s)
    for _ in range(100_000):
        near = at < enough
        if not near.any():
            break
        inverse_power(at, term)
        if not near.all():
            np.multiply(term, near, term)
        np.add(total, term, total)
        np.add(at, near, at)
    power = inverse_power(at, np.empty_like(out))
    total += power * at / (s - 1) + 0.5 * power
    factor = s * power / at
    square = 1 / (at * at)
    for index, coefficient in enumerate(_ZETA):
        total += coefficient * factor
        factor = factor * ((s + 2 * index + 1) * (s + 2 * index + 2)) * square
    total = np.where(at == np.inf, 0.0, total)
    total = np.where((q <= 0) & (s != np.floor(s)), np.nan, total)
    total = np.where(pole, np.inf, total)
    total = np.where(s == np.inf, np.where(q > 1, 0.0, np.where(q == 1, 1.0, np.inf)), total)
    total = np.where(s == 1, np.inf, np.where(s < 1, np.nan, total))
    np.copyto(out, np.where((s != s) | (q != q), np.nan, total))


# The incomplete gamma functions


def _log1p_less(x: Array) -> Array:
    """log(1 + x) - x without cancellation near 0."""
    far = np.log1p(x) - x
    small = np.abs(x) < 0.3
    near = np.where(small, x, 0)
    # log(1 + x) = 2 artanh(x / (2 + x))
    ratio = near / (2 + near)
    square = ratio * ratio
    tail = _series(square, tuple(1 / k for k in range(3, 37, 2)))
    return np.asarray(np.where(small, 2 * ratio * square * tail - near * ratio, far))


def _density(a: Array, x: Array) -> Array:
    """x ** a * exp(-x) / gamma(a + 1)."""
    large = a > 10
    safe = np.where(large, a, 20.0)
    near = np.exp(safe * _log1p_less((x - safe) / safe) - _stirling_tail(safe)) / np.sqrt(2 * np.pi * safe)
    other = np.where(large, 1.0, a)
    far = np.exp(other * np.log(x) - x - _positive_lgamma(other + 1))
    return np.asarray(np.where(large, near, far))


def _lower(a: Array, x: Array) -> Array:
    """The regularized lower function by its power series, for x that is not much larger than a."""
    term = np.ones_like(x)
    total = np.ones_like(x)
    below = a.copy()
    while True:
        below += 1
        term *= x / below
        total += term
        if not (term > _NEAR * total).any():
            return np.asarray(total * _density(a, x))


def _upper(a: Array, x: Array) -> Array:
    """The regularized upper function by its continued fraction (Lentz), for x > a + 1."""
    tiny = 1e-300
    b = x + 1 - a
    c = np.full_like(x, 1 / tiny)
    d = 1 / b
    fraction = d.copy()
    for step in range(1, 100_000):
        factor = step * (a - step)
        b = b + 2
        d = factor * d + b
        d = 1 / np.where(np.abs(d) < tiny, tiny, d)
        c = b + factor / c
        c = np.where(np.abs(c) < tiny, tiny, c)
        change = c * d
        fraction *= change
        if not (np.abs(change - 1) > 2 * _NEAR).any():
            break
    return np.asarray(fraction * _density(a, x) * a)


def _of_large(a: Array, x: Array, upper: bool) -> Array:
    """Either function where `a` is so large that series would take the root of it in terms, or never end."""
    ratio = (x - a) / a
    half = -_log1p_less(np.minimum(ratio, 1e300))
    eta = np.copysign(np.sqrt(2 * half), ratio)
    bound = np.clip(eta, -1.0, 1.0)  # further out both parts are 0 or 1
    rest = sum(_series(bound, terms) / a**power for power, terms in enumerate(_TEMME))
    rest = rest * np.exp(-np.minimum(a * half, 1e4)) / np.sqrt(2 * np.pi * a)
    part = np.empty_like(a)
    erfc(part, np.clip((eta if upper else -eta) * np.sqrt(a / 2), -1e4, 1e4))
    return np.asarray(0.5 * part + (rest if upper else -rest))


def _incomplete(out: Array, a: Array, x: Array, upper: bool) -> None:
    a, x = np.broadcast_to(a, out.shape), np.broadcast_to(x, out.shape)
    plain = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    large = plain & (a > _LARGE)
    by_series = plain & (x <= a + 1) & ~large
    by_fraction = plain & ~by_series & ~large
    out[...] = np.nan
    if large.any():
        out[large] = _of_large(a[large], x[large], upper)
    if by_series.any():
        value = _lower(a[by_series], x[by_series])
        out[by_series] = 1 - value if upper else value
    if by_fraction.any():
        value = _upper(a[by_fraction], x[by_fraction])
        out[by_fraction] = value if upper else 1 - value
    none = ((a > 0) & (x == 0)) | ((a == np.inf) & (x >= 0) & (x < np.inf))
    whole = ((a == 0) & (x > 0)) | ((a > 0) & (a < np.inf) & (x == np.inf))
    out[none] = 1.0 if upper else 0.0
    out[whole] = 0.0 if upper else 1.0


def _bind(steps: Callable[..., None], dtypes: str) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        if inputs[0].dtype.char not in dtypes:
            raise TypeError(f"no kernel for {inputs[0].dtype}")
        if steps is zeta and inputs[0].size != inputs[1].size:  # hicann/ops-math, zeta_aicpu.cpp, ExtraCheckZeta
            raise ValueError(f"Zeta: the data size of x, {inputs[0].nbytes}, needs to be that of q, {inputs[1].nbytes}")
        rounded = steps is lgamma and inputs[0].dtype != _FLOAT64
        return heavy.bind_wide(_single_lgamma if rounded else steps, inputs, outputs[0], _FLOAT64)

    return bind


_single_lgamma = partial(lgamma, middle=_middle_of_single)


_STEPS: dict[str, tuple[Callable[..., Any], str]] = {
    "Lgamma": (lgamma, "efd"),
    "Digamma": (digamma, "efd"),
    "Zeta": (zeta, "fd"),
    "Igamma": (partial(_incomplete, upper=False), "fd"),
    "Igammac": (partial(_incomplete, upper=True), "fd"),
}
for _name, (_steps, _dtypes) in _STEPS.items():
    registry.add(_name, _bind(_steps, _dtypes))
infer("Lgamma", "Digamma")(rules.unary)
infer("Zeta", "Igamma", "Igammac")(rules.elementwise)
