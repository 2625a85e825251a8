"""Functions defined by integrals: BesselI0e, BesselI1e, Expint, Spence, Ndtri. Everything is worked out in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import registry, rules, special
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.fits import Fit, pick
from ascendtensor.simulator.kernels.registry import Array, Attrs, Task, infer

_FLOAT64 = np.dtype(np.float64)
_ANGLES = (np.arange(4096) + 0.5) * (np.pi / 4096)


def _bessel(order: int) -> Callable[[Array], Array]:
    """exp(-x) I(x) as the mean of exp(x cos t - x) cos(n t), which the trapezoid rule gives to the last digit."""

    def values(x: Array) -> Array:
        weights = np.cos(order * _ANGLES)
        return np.array([np.mean(np.exp(-2 * value * np.sin(_ANGLES / 2) ** 2) * weights) for value in x])

    return values


def _bessel_fits(order: int) -> tuple[Fit, Fit]:
    """One for 0 to 8, divided by x where it is odd; of sqrt(x) times the function, in 1 / x, from there."""
    values = _bessel(order)
    return Fit(lambda x: values(x) / x**order, 0.0, 8.0, 34), Fit(lambda u: np.sqrt(1 / u) * values(1 / u), 0.0, 0.125, 30)


_I0E, _I1E = _bessel_fits(0), _bessel_fits(1)


def _scaled_bessel(out: Array, x: Array, fits: tuple[Fit, Fit], odd: bool) -> None:
    near, far = fits
    size = np.abs(x)
    pick(out, ~(size > 8), near, size)
    pick(out, size > 8, lambda v: far(1 / v) / np.sqrt(v), size)
    if odd:
        np.multiply(out, size, out, where=~(size > 8))
        np.copysign(out, x, out)
    np.copyto(out, x, where=x != x)


def bessel_i0e(out: Array, x: Array) -> None:
    """Writes exp(-|x|) I0(x)."""
    _scaled_bessel(out, x, _I0E, False)


def bessel_i1e(out: Array, x: Array) -> None:
    """Writes exp(-|x|) I1(x)."""
    _scaled_bessel(out, x, _I1E, True)


_EULER = 0.5772156649015329


def _entire(x: Array) -> Array:
    """Ei(x) - euler - log |x|: the sum of x ** k / (k k!)."""
    total = np.zeros_like(x)
    term = np.ones_like(x)
    for k in range(1, 400):
        term = term * x / k
        total += term / k
        if not (np.abs(term) > 1e-18 * np.abs(total)).any():
            break
    return total


def _asymptotic(u: Array) -> Array:
    """x exp(-x) Ei(x) in u = 1 / x, for x > 40: the sum of k! u ** k up to its smallest term."""
    total = np.ones_like(u)
    term = np.ones_like(u)
    for k in range(1, 40):
        term = term * (k * u)
        total += term
    return total


def _tail(x: Array) -> Array:
    """x exp(x) E1(x) by its continued fraction, for x >= 1."""
    value = np.zeros_like(x)
    for k in range(1000, 0, -1):
        value = k / (1 + k / (x + value))
    return np.asarray(x / (x + value))


_series = Fit(_entire, -2.0, 2.0, 27)
_rise = Fit(lambda x: x * np.exp(-x) * (_entire(x) + np.log(x) + _EULER), 2.0, 12.0, 44)
_climb = Fit(lambda x: x * np.exp(-x) * (_entire(x) + np.log(x) + _EULER), 12.0, 44.0, 44)
_decay = Fit(lambda u: _tail(2 * (1 + u) / np.maximum(1 - u, 1e-9)), 0.0, 1.0, 40)


def expint(out: Array, x: Array) -> None:
    """Writes the exponential integral Ei(x), -inf at 0."""
    size = np.abs(x)
    pick(out, ~(size > 2), lambda v: _series(v) + np.log(np.abs(v)) + _EULER, x)
    pick(out, (x > 2) & (x <= 12), lambda v: _rise(v) * np.exp(v) / v, x)
    pick(out, (x > 12) & (x <= 44), lambda v: _climb(v) * np.exp(v) / v, x)
    pick(out, x > 44, lambda v: _asymptotic(1 / v) * np.exp(v / 2) / v * np.exp(v / 2), x)
    pick(out, x < -2, lambda v: _decay((-v - 2) / (2 - v)) * np.exp(v) / v, x)
    np.copyto(out, np.inf, where=x == np.inf)
    np.copyto(out, -0.0, where=x == -np.inf)


# B(2k) / (2k + 1)! of the Bernoulli numbers B
_DILOGARITHM = (
    1 / 36, -1 / 3600, 1 / 211680, -1 / 10886400, 1 / 526901760, -691 / 16999766784000, 1 / 1120863744000,
    -3617 / 181400588328960000, 43867 / 97072790126247936000, -174611 / 16860010916664115200000,
)  # fmt: skip


def _dilogarithm(x: Array) -> Array:
    """Li2(1 - x) for x between 1/2 and 2, in log(x)."""
    level = -np.log(x)
    square = level * level
    total = np.full_like(x, _DILOGARITHM[-1])
    for coefficient in _DILOGARITHM[-2::-1]:
        total *= square
        total += coefficient
    return np.asarray(level * (1 - level * 0.25 + square * total))


def spence(out: Array, x: Array) -> None:
    """Writes the integral of log(t) / (1 - t) from x to 1; NaN below 0."""
    large = x > 2
    small = np.where(large, 1 / x, x)
    fold = small < 0.5
    mirrored = np.where(fold, 1 - small, small)
    value = _dilogarithm(mirrored)
    product = np.where(small == 0, 0.0, np.log(np.where(small == 0, 1.0, small)) * np.log1p(-small))
    value = np.where(fold, np.pi**2 / 6 - product - value, value)
    value = np.where(large, -0.5 * np.log(x) ** 2 - value, value)
    np.copyto(out, np.where(x < 0, np.nan, value))


def ndtri(out: Array, p: Array) -> None:
    """Writes the argument at which the normal distribution function is p: a rough start and three of Halley's steps."""
    upper = p > 0.5
    tail = np.where(upper, 1 - p, p)
    inside = (tail > 0) & (tail <= 0.5)
    tail = np.where(inside, tail, 0.25)
    t = np.sqrt(-2 * np.log(tail))
    x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    chance = np.empty_like(x)
    for _ in range(3):
        special.erfc(chance, x * np.sqrt(0.5))
        step = (0.5 * chance - tail) * np.sqrt(2 * np.pi) * np.exp(0.5 * x * x)
        x += step / (1 + 0.5 * x * step)
    x = np.where(upper, x, -x)
    x = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.where(inside, x, np.nan)))
    np.copyto(out, x)


def _bind(steps: Callable[[Array, Array], None], *dtypes: int) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        if registry.ACL_OF[inputs[0].dtype] not in dtypes:
            raise TypeError(f"no kernel for {inputs[0].dtype}")
        return bind_steps(steps, inputs, outputs[0], work=_FLOAT64)

    return bind


_SINGLE = DataType.FLOAT
_HALVES_AND_SINGLE = (_SINGLE, DataType.FLOAT16, DataType.BF16)
registry.add("BesselI0e", _bind(bessel_i0e, *_HALVES_AND_SINGLE, DataType.DOUBLE))
registry.add("BesselI1e", _bind(bessel_i1e, *_HALVES_AND_SINGLE, DataType.DOUBLE))
registry.add("Expint", _bind(expint, _SINGLE))
registry.add("Spence", _bind(spence, *_HALVES_AND_SINGLE))
registry.add("Ndtri", _bind(ndtri, *_HALVES_AND_SINGLE))
infer("BesselI0e", "BesselI1e", "Expint", "Spence", "Ndtri")(rules.unary)
