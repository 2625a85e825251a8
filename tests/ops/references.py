"""Special functions of one number by slow and plain formulas: sums of positive terms, and integrals by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

_STEPS = np.arange(-64, 65) / 16
_INNER = np.pi / 2 * np.sinh(_STEPS)
_LOW = 1 / (1 + np.exp(-2 * _INNER))  # from 0
_HIGH = 1 / (1 + np.exp(2 * _INNER))  # from 1, so that nothing is lost there
_WEIGHTS = np.pi / 32 * np.cosh(_STEPS) * 2 * _LOW * _HIGH
_NODES, _GAUSS = np.polynomial.legendre.leggauss(160)


def integral(function: Callable[..., np.ndarray]) -> float:
    """From 0 to 1, of a function of the distances to both ends (tanh-sinh)."""
    with np.errstate(all="ignore"):
        values = function(_LOW, _HIGH) * _WEIGHTS
    return float(np.sum(values[np.isfinite(values)]))


def lgamma(x: float) -> float:
    if abs(x) > 1e300 or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def digamma(x: float) -> float:
    if x == 0:
        return -math.copysign(math.inf, x)
    if x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == math.inf:
        return x
    if x < 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    lower = 0.0
    while x < 20:
        lower += 1 / x
        x += 1
    square = 1 / (x * x)
    return math.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240))) - lower


def zeta(s: float, q: float) -> float:
    if math.isnan(s) or math.isnan(q) or s < 1:
        return math.nan
    if s == 1:
        return math.inf
    if q == -math.inf or (q <= 0 and q == math.floor(q)):
        return math.inf
    if q <= 0 and s != math.floor(s):
        return math.nan
    if 0 < q < 1e-300 ** (1 / s):
        return math.inf
    if math.isinf(q) or math.isinf(s):
        return 0.0 if q > 1 else 1.0 if q == 1 else math.inf
    total = 0.0
    while q < 40:
        total += q**-s
        q += 1
    tail = q ** (1 - s) / (s - 1) + 0.5 * q**-s
    tail += s * q ** (-s - 1) / 12 - s * (s + 1) * (s + 2) * q ** (-s - 3) / 720
    return total + tail + s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * q ** (-s - 5) / 30240


def polygamma(order: int, x: float) -> float:
    return digamma(x) if order == 0 else (-1) ** (order + 1) * math.factorial(order) * zeta(order + 1, x)


def gammainc(a: float, x: float) -> float:
    if math.isnan(a) or math.isnan(x) or a < 0 or x < 0 or (a == 0 and x == 0) or (math.isinf(a) and math.isinf(x)):
        return math.nan
    if x == 0 or math.isinf(a):
        return 0.0
    if a == 0 or math.isinf(x):
        return 1.0
    if max(a, x) > 1e4:  # Wilson and Hilferty: the cube root is nearly normal
        return 0.5 * math.erfc((1 - 1 / (9 * a) - (x / a) ** (1 / 3)) * 3 * math.sqrt(a / 2)) if a > 1 else 1.0
    return math.exp(a * math.log(x) - math.lgamma(a + 1)) * integral(lambda v, _: np.exp(-x * v ** (1 / a)))


def gammaincc(a: float, x: float) -> float:
    return 1 - gammainc(a, x)


def bessel_i(order: int, x: float) -> float:
    """exp(-|x|) times the modified function."""
    if math.isinf(x):
        return math.copysign(0.0, x) if order else 0.0
    if abs(x) > 300:
        size = 1 / math.sqrt(2 * math.pi * abs(x)) * (1 - (4 * order - 1) / (8 * abs(x)))
        return math.copysign(size, x) if order else size
    half = abs(x) / 2
    term = math.exp(-abs(x)) * (half if order else 1.0)
    total = 0.0
    for k in range(1, 400):
        total += term
        term *= half * half / (k * (k + order))
    return math.copysign(total, x) if order else total


def bessel_j(order: int, x: float) -> float:
    if abs(x) > 1e12:  # the envelope, which is below what is compared
        size = math.sqrt(2 / math.pi / abs(x))
        return math.copysign(size, x) if order else size
    angles = (np.arange(512) + 0.5) * (np.pi / 512)
    return float(np.mean(np.cos(order * angles - x * np.sin(angles))))


def bessel_y(order: int, x: float) -> float:
    if x == 0:
        return -math.inf
    if x < 0 or math.isnan(x):
        return math.nan
    if x > 1e12:
        return math.sqrt(2 / math.pi / x)
    if x < 1e-150:
        return -2 / math.pi / x if order else 2 / math.pi * (math.log(x) - math.log(2) + 0.5772156649015329)
    angles = (_NODES + 1) * (np.pi / 2)
    first = float(np.sum(_GAUSS * np.sin(x * np.sin(angles) - order * angles))) / 2
    end = math.asinh(745 / x)
    t = (_NODES + 1) * (end / 2)
    rest = (np.exp(order * t) + (-1) ** order * np.exp(-order * t)) * np.exp(-x * np.sinh(t))
    return first - float(np.sum(_GAUSS * rest)) * end / 2 / math.pi


def bessel_k(order: int, x: float) -> float:
    """exp(x) times the modified function of the second kind."""
    if x == 0:
        return math.inf
    if x < 0 or math.isnan(x):
        return math.nan
    if x > 1e12:
        return math.sqrt(math.pi / 2 / x)
    if x < 1e-150:
        return 1 / x if order and x > 1e-307 else math.inf if order else math.log(2) - math.log(x) - 0.5772156649015329
    end = math.acosh(1 + 745 / x)
    t = (np.arange(2000) + 0.5) * (end / 2000)
    return float(np.sum(np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t))) * end / 2000


def expi(x: float) -> float:
    if x == 0:
        return -math.inf
    if math.isinf(x):
        return math.inf if x > 0 else -0.0
    if x < -2:
        return -integral(lambda v, _: np.exp(x / v) / v)
    total, term = math.log(abs(x)) + 0.5772156649015329, 1.0
    for k in range(1, 500):
        term *= x / k
        total += term / k
    return total


def spence(x: float) -> float:
    if x < 0 or math.isnan(x):
        return math.nan
    if math.isinf(x):
        return -x
    if x > 2:
        return -spence(1 / x) - 0.5 * math.log(x) ** 2
    return -integral(lambda v, w: np.where((1 - x) * w == 0, -1.0, np.log1p(-(1 - x) * w) / np.where(w == 0, 1, (1 - x) * w))) * (1 - x)


def erfcx(x: float) -> float:
    if x < 5:
        return math.exp(x * x) * math.erfc(x) if x > -26 else math.inf
    if math.isinf(x):
        return 0.0
    value = x
    for k in range(60, 0, -1):
        value = x + k / 2 / value
    return 1 / (value * math.sqrt(math.pi))


def log_ndtr(x: float) -> float:
    if x > -5:
        return math.log1p(-0.5 * math.erfc(x * math.sqrt(0.5)))
    if math.isinf(x):
        return x
    return math.log(0.5 * erfcx(-x * math.sqrt(0.5))) - x * x / 2
