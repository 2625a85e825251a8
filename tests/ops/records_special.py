"""Records of special functions, Bessel functions, and functions of floating-point numbers by their parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
import references as known
from harness import (
    COMPLEX,
    FLOAT,
    FLOATS,
    HALVES,
    INTS,
    SAME,
    SIGNED,
    Array,
    Record,
    Refused,
    With,
    array,
    binary_samples,
    d,
    edges,
    unary_samples,
)
from records_elementwise import shapes_differ
from records_unary import STEEP, each, floating

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.pointwise import bessel, floats, polynomials, special
from ascendtensor.ops.table import elementwise as arithmetic
from ascendtensor.ops.table import special as table

MATHEMATICAL = (*FLOATS, d.int32, d.bool_)
SINGLE = (d.float32, d.float16, d.bfloat16, d.int32)
WIDE = (d.float32, d.float64)
# Polynomials, sums and quotients of several steps, and zeros in between, near which only the absolute error is small.
COMPOSED = {d.float32: (4e-6, 3e-6), d.float64: (1e-11, 1e-11), d.float16: (4e-3, 2e-3), d.bfloat16: (3e-2, 2e-2)}


def pairwise(function: Callable[[float, float], float]) -> Callable[..., Any]:
    """A function of two numbers as a function of arrays."""
    return floating(np.vectorize(function, otypes=[np.float64]))


def record(
    name: str, function: Any, reference: Any, rows: Any = (), low: float = -4, high: float = 4, dtypes: Any = WIDE, **more: Any
) -> Record:
    return Record(
        name,
        function,
        each(reference),
        (unary_samples if rows and rows[0] is not arithmetic.ADDCMUL else short_samples)(low, high),
        rows,
        dtypes,
        FLOAT,
        COMPOSED,
        out=True,
        refuses=COMPLEX[:1],
        **more,
    )


def short_samples(low: float, high: float) -> Callable[[DType], Iterator[Any]]:
    """Fewer samples of one operand, for functions of many launches, each of which is planned for each shape."""

    def samples(dtype: DType) -> Iterator[Any]:
        yield (array(dtype, (), low, high),)
        yield (array(dtype, (0, 2), low, high),)
        yield (array(dtype, (14,), low, high)[::2],)
        yield (np.resize(edges(dtype), 14),)

    return samples


def few(low: float, high: float, edge: bool = False) -> Callable[[DType], Iterator[Any]]:
    """Two operands of four shapes, and numbers on either side: the references are slow."""

    def samples(dtype: DType) -> Iterator[Any]:
        for left, right in (((), ()), ((3, 1), (1, 4)), ((0,), (1,)), ((2, 3, 2), (3, 1))):
            yield array(dtype, left, low, high, "left"), array(dtype, right, low, high, "right")
        yield array(dtype, (4,), low, high), high / 2
        yield low + 1.5, array(dtype, (4,), low, high)
        if edge and dtype.is_floating_point:
            values = np.array([0.0, 1.0, 2.5, np.inf, np.nan, -1.0], dtype.numpy)
            yield values[:, None], values[None, :]

    return samples


def inverse_normal(chance: float) -> float:
    if not 0 < chance < 1:
        return {0: -math.inf, 1: math.inf}.get(chance, math.nan)
    return NormalDist().inv_cdf(chance)


def entropy(x: float) -> float:
    return math.nan if math.isnan(x) else -math.inf if x < 0 else 0.0 if x == 0 else -math.inf if x == math.inf else -x * math.log(x)


def log_odds(values: Array, eps: float | None = None) -> Array:
    values = values.astype(np.float64) if eps is None else np.clip(values.astype(np.float64), eps, 1 - eps)
    return np.asarray(np.log(values / (1 - values)))


def log_odds_samples(dtype: DType) -> Iterator[Any]:
    yield from unary_samples(0.01, 0.99)(dtype)
    yield With((array(dtype, (4, 5), 0, 1),), {"eps": 0.125})


def several(function: Callable[..., float]) -> Callable[..., Any]:
    """A reference whose first operand is one order for all."""
    return lambda order, values: each(partial(function, order))(values)


def orders(dtype: DType) -> Iterator[Any]:
    for order in (0, 1, 2, 5):
        yield order, array(dtype, (3, 5), 1 if dtype.category == 1 else 0.5, 6)
    yield 1, edges(dtype)
    yield 3, array(dtype, ())
    yield 2, array(dtype, (0, 3))


def multivariate(values: Array, p: int) -> Array:
    values = values.astype(np.float64)
    return np.asarray(
        sum((each(known.lgamma)(values - step / 2) for step in range(p)), p * (p - 1) / 4 * math.log(math.pi) * np.ones(values.shape))
    )


def dimensions(dtype: DType) -> Iterator[Any]:
    for p in (1, 2, 4):
        yield array(dtype, (3, 5), 2, 8), p
    yield array(dtype, (), 2, 8), 3


def scaled_down(order: int) -> Callable[[float], float]:
    return lambda x: known.bessel_i(order, x)


def grown(function: Callable[[int, float], float], order: int, sign: int) -> Callable[[float], float]:
    """A scaled function times its exponential."""

    def reference(x: float) -> float:
        if math.isinf(x):
            return (math.copysign(x, 1) if not order else x) if sign > 0 else (0.0 if x > 0 else math.nan)
        if sign > 0 and abs(x) > 700:
            return math.copysign(math.inf, x) if order else math.inf
        return function(order, x) * math.exp(sign * abs(x))

    return reference


RECORDS = [
    record("lgamma", special.lgamma, known.lgamma, (table.LGAMMA,), -4.9, 9, MATHEMATICAL),
    record("digamma", special.digamma, known.digamma, (table.DIGAMMA,), 0.5, 9, MATHEMATICAL),
    Record(
        "polygamma",
        special.polygamma,
        several(known.polygamma),
        orders,
        (table.ZETA,),
        (*WIDE, d.bfloat16, d.int32),
        FLOAT,
        COMPOSED,
        refused=lambda: [
            Refused((-1, np.ones(2, np.float32)), ValueError, "polygamma: n is -1"),
            Refused((1.5, np.ones(2, np.float32)), TypeError, "n must be an int"),
        ],
    ),
    Record(
        "mvlgamma",
        special.mvlgamma,
        multivariate,
        dimensions,
        (table.LGAMMA,),
        (*WIDE, d.float16, d.int32),
        FLOAT,
        COMPOSED,
        refused=lambda: [Refused((np.ones(2, np.float32), 0), ValueError, "mvlgamma: p is 0")],
    ),
    *(
        Record(
            name,
            function,
            pairwise(reference),
            few(0, 8, edge=True),
            (row,),
            FLOATS,
            SAME,
            COMPOSED,
            out=True,
            refused=shapes_differ,
            refuses=(d.complex64,),
        )
        for name, function, reference, row in (
            ("gammainc", special.gammainc, known.gammainc, table.IGAMMA),
            ("gammaincc", special.gammaincc, known.gammaincc, table.IGAMMAC),
        )
    ),
    Record(
        "zeta",
        special.zeta,
        pairwise(known.zeta),
        few(1.0, 8, edge=True),
        (table.ZETA,),
        (*FLOATS, d.int32),
        FLOAT,
        COMPOSED,
        out=True,
        refused=shapes_differ,
        refuses=COMPLEX,
    ),
    record("ndtr", special.ndtr, lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)), (), dtypes=MATHEMATICAL),
    record("ndtri", special.ndtri, inverse_normal, (table.NDTRI,), 0.001, 0.999, FLOATS),
    record("log_ndtr", special.log_ndtr, known.log_ndtr, (arithmetic.ADDCMUL,), -9, 6, MATHEMATICAL),
    record("erfcx", special.erfcx, known.erfcx, (arithmetic.ADDCMUL,), -2, 30, MATHEMATICAL),
    record("expi", special.expi, known.expi, (table.EXPINT,), -6, 9, SINGLE),
    record("spence", special.spence, known.spence, (table.SPENCE,), 0, 9, SINGLE),
    record("entr", special.entr, entropy, (arithmetic.XLOGY,), dtypes=MATHEMATICAL),
    Record(
        "xlog1py",
        special.xlog1py,
        floating(lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log1p(y))),
        binary_samples(-4, 4, (-0.5, 4)),
        (table.XLOG1PY,),
        (*FLOATS, d.int32),
        FLOAT,
        STEEP,
        out=True,
        refused=shapes_differ,
        refuses=COMPLEX,
    ),
    Record(
        "sinc",
        special.sinc,
        floating(lambda x: np.where(x == 0, 1, np.sin(np.pi * x) / np.where(x == 0, 1, np.pi * x))),
        unary_samples(-3, 3, edge=False),
        (arithmetic.SIN,),
        (*MATHEMATICAL, d.complex64),
        FLOAT,
        {**COMPOSED, d.complex64: (2e-5, 2e-5)},
        out=True,
    ),
    Record("logit", special.logit, log_odds, log_odds_samples, (table.LOGIT,), FLOATS, FLOAT, COMPOSED, out=True, refuses=COMPLEX),
    # Bessel functions
    record("i0e", special.i0e, scaled_down(0), (table.BESSEL_I0E,), -20, 20, MATHEMATICAL),
    record("i1e", special.i1e, scaled_down(1), (table.BESSEL_I1E,), -20, 20, MATHEMATICAL),
    record("i0", bessel.i0, grown(known.bessel_i, 0, 1), dtypes=MATHEMATICAL),
    record("i1", bessel.i1, grown(known.bessel_i, 1, 1), dtypes=MATHEMATICAL),
    record("k0", bessel.modified_bessel_k0, grown(known.bessel_k, 0, -1), low=0.1, high=9),
    record("k1", bessel.modified_bessel_k1, grown(known.bessel_k, 1, -1), low=0.1, high=9),
    record("k0e", bessel.scaled_modified_bessel_k0, partial(known.bessel_k, 0), low=0.1, high=9),
    record("k1e", bessel.scaled_modified_bessel_k1, partial(known.bessel_k, 1), low=0.1, high=9),
    record("j0", bessel.bessel_j0, partial(known.bessel_j, 0), low=-30, high=30),
    record("j1", bessel.bessel_j1, partial(known.bessel_j, 1), low=-30, high=30),
    record("y0", bessel.bessel_y0, partial(known.bessel_y, 0), low=0.1, high=30),
    record("y1", bessel.bessel_y1, partial(known.bessel_y, 1), low=0.1, high=30),
    record(
        "spherical_j0", bessel.spherical_bessel_j0, lambda x: 1.0 if x == 0 else 0.0 if math.isinf(x) else math.sin(x) / x, low=-9, high=9
    ),
]


# Orthogonal polynomials


def degrees(dtype: DType) -> Iterator[Any]:
    for n in (0, 1, 2, 7, -1):
        yield array(dtype, (3, 5), -1, 1), n
    yield array(dtype, ()), 3
    yield array(dtype, (0, 2)), 3


def family(basis: type[Any], shifted: bool = False) -> Callable[[Array, int], Array]:
    """A polynomial of NumPy's of one degree."""

    def reference(x: Array, n: int) -> Array:
        x = 2 * x.astype(np.float64) - 1 if shifted else x.astype(np.float64)
        return np.asarray(basis.basis(n)(x)) if n > 0 else np.full(x.shape, float(n == 0))  # 1 even of NaN

    return reference


def by_angle(function: Callable[[Array, int], Array], shifted: bool = False) -> Callable[[Array, int], Array]:
    """The kinds of Chebyshev polynomials that NumPy has not, as sums of the first kind."""

    def reference(x: Array, n: int) -> Array:
        x = 2 * x.astype(np.float64) - 1 if shifted else x.astype(np.float64)
        return np.asarray(function(x, n)) if n > 0 else np.full(x.shape, float(n == 0))

    return reference


def second_kind(x: Array, n: int) -> Array:
    """Twice the sum of the first kind's degrees n, n - 2... , less 1 where 0 is among them."""
    total = sum((2 * np.polynomial.Chebyshev.basis(k)(x) for k in range(n, -1, -2)), np.zeros(x.shape))
    return total - (n % 2 == 0)


POLYNOMIALS: list[tuple[Any, Any]] = [
    (polynomials.hermite_polynomial_h, family(np.polynomial.Hermite)),
    (polynomials.hermite_polynomial_he, family(np.polynomial.HermiteE)),
    (polynomials.laguerre_polynomial_l, family(np.polynomial.Laguerre)),
    (polynomials.legendre_polynomial_p, family(np.polynomial.Legendre)),
    (polynomials.chebyshev_polynomial_t, family(np.polynomial.Chebyshev)),
    (polynomials.chebyshev_polynomial_u, by_angle(second_kind)),
    (polynomials.chebyshev_polynomial_v, by_angle(lambda x, n: second_kind(x, n) - (second_kind(x, n - 1) if n else 0))),
    (polynomials.chebyshev_polynomial_w, by_angle(lambda x, n: second_kind(x, n) + (second_kind(x, n - 1) if n else 0))),
    (polynomials.shifted_chebyshev_polynomial_t, family(np.polynomial.Chebyshev, True)),
    (polynomials.shifted_chebyshev_polynomial_u, by_angle(second_kind, True)),
    (polynomials.shifted_chebyshev_polynomial_v, by_angle(lambda x, n: second_kind(x, n) - (second_kind(x, n - 1) if n else 0), True)),
    (polynomials.shifted_chebyshev_polynomial_w, by_angle(lambda x, n: second_kind(x, n) + (second_kind(x, n - 1) if n else 0), True)),
]

RECORDS += [
    Record(
        function.__name__,
        function,
        reference,
        degrees,
        (arithmetic.ADDCMUL,),
        WIDE if count else (*FLOATS, d.int32),
        FLOAT,
        {**COMPOSED, d.float32: (2e-5, 2e-5), d.float16: (1e-2, 1e-2), d.bfloat16: (6e-2, 6e-2)},
        out=True,
        refused=lambda: [Refused((np.ones(2, np.float32), np.ones(2)), NotImplementedError, "n is a tensor")],
        refuses=COMPLEX[:1],
    )
    for count, (function, reference) in enumerate(POLYNOMIALS)
]


# Numbers by their parts, and functions of two operands


def exponents(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), array(d.int32, (4,), -5, 5)
    yield array(dtype, ()), array(d.int32, (3, 1), -5, 5)
    yield array(dtype, (2, 3)), 3
    yield 1.5, array(dtype, (2, 3), -3, 3)


def neighbours(dtype: DType) -> Iterator[Any]:
    """Two operands, and 0 and the least numbers."""
    yield from binary_samples()(dtype)
    least = np.array([0.0, -0.0, d.finfo(dtype).smallest_normal, d.finfo(dtype).max, d.finfo(dtype).min, 1.0], dtype.numpy)
    yield least[:, None], least[None, :]


def next_numbers(dtype: DType) -> Callable[..., Array]:
    def reference(a: Array, b: Array) -> Array:
        return np.asarray(np.nextafter(a.astype(dtype.numpy), b.astype(dtype.numpy)), np.float64)

    return reference


def scales(dtype: DType) -> Iterator[Any]:
    yield from unary_samples()(dtype)
    yield (np.array([1e-39, 3e-45, -1e-41, 2.0**15, 2.0, 1023.5, -0.125]).astype(dtype.numpy),)


def parts(values: Array) -> tuple[Array, Array]:
    mantissa, exponent = np.frexp(values)
    return np.asarray(mantissa), np.where(np.isfinite(values), exponent, 0).astype(np.int32)


def step(x: Array, values: Array) -> Array:
    return np.asarray(np.where(x == 0, values, np.where(x > 0, np.ones((), x.dtype), np.zeros((), x.dtype))))


def multiply_add_samples(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), array(dtype, (4,), key=1), array(dtype, (3, 1), key=2)
    yield array(dtype, ()), 2, array(dtype, (5,), key=2)
    yield array(dtype, (0,)), 1, 3


def whole(low: int = -30, high: int = 30) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        yield from binary_samples(low, high, edge=False)(dtype)
        yield array(dtype, (7,), low, high), 6
        yield np.array([0, 0, 4], dtype.numpy), np.array([0, 5, 0], dtype.numpy)

    return samples


def whole_shapes_differ() -> list[Refused]:
    return [Refused((np.zeros((2, 3), np.int32), np.zeros((2, 4), np.int32)), ValueError, r"\[2, 3\]")]


RECORDS += [
    Record(
        "copysign",
        floats.copysign,
        floating(np.copysign),
        lambda dtype: [*binary_samples()(dtype), (edges(dtype), -0.0), (edges(dtype), 2)],
        (arithmetic.ABS,),
        (*FLOATS, d.int32, d.bool_),
        FLOAT,
        out=True,
        refused=shapes_differ,
        refuses=COMPLEX,
    ),
    *(
        Record(
            f"nextafter-{dtype.name}",
            floats.nextafter,
            next_numbers(dtype),
            neighbours,
            (table.NEXT_AFTER,),
            (dtype,),
            SAME,
            {dtype: (0.0, 0.0)},
            out=True,
        )
        for dtype in FLOATS
    ),
    Record("ldexp", floats.ldexp, lambda a, b: a * np.exp2(np.float64(b)), exponents, (), (*FLOATS, d.int32), FLOAT, out=True),
    Record("frexp", floats.frexp, parts, scales, (), FLOATS, (SAME, d.int32), {dtype: (0.0, 0.0) for dtype in FLOATS}, refuses=(d.int32,)),
    *(
        Record(
            name,
            function,
            floating(reference),
            lambda dtype: [*binary_samples(-9, 9)(dtype), (array(dtype, (3,)), 2.5)],
            (row,),
            FLOATS,
            SAME,
            out=True,
            refused=shapes_differ,
            refuses=(d.complex64,),
        )
        for name, function, reference, row in (
            ("logaddexp", floats.logaddexp, np.logaddexp, table.LOG_ADD_EXP),
            ("logaddexp2", floats.logaddexp2, np.logaddexp2, table.LOG_ADD_EXP2),
        )
    ),
    *(
        Record(
            name,
            function,
            reference,
            lambda dtype: [*binary_samples()(dtype), (edges(dtype), 1)],
            (row,),
            (*FLOATS, *INTS),
            SAME,
            out=True,
            refused=shapes_differ,
        )
        for name, function, reference, row in (
            ("fmax", floats.fmax, np.fmax, arithmetic.MAXIMUM),
            ("fmin", floats.fmin, np.fmin, arithmetic.MINIMUM),
        )
    ),
    Record(
        "heaviside",
        floats.heaviside,
        step,
        binary_samples(),
        (),
        (*FLOATS, d.int32, d.uint8),
        SAME,
        out=True,
        refused=lambda: [*shapes_differ(), Refused((np.ones(2, np.float32), np.ones(2)), TypeError, "float32 and float64")],
        refuses=COMPLEX,
    ),
    Record(
        "float_power",
        floats.float_power,
        lambda a, b: np.power(*(each.astype(np.float64) for each in np.broadcast_arrays(a, b))),
        lambda dtype: [*binary_samples(0.1, 3)(dtype), (array(dtype, (3,), 1, 4), 0.5), (2, array(dtype, (3,)))],
        (arithmetic.POW,),
        (*FLOATS, d.int32),
        d.float64,
        {d.float64: (1e-12, 1e-12)},
        refused=shapes_differ,
    ),
    Record(
        "gcd",
        floats.gcd,
        np.gcd,
        whole(),
        (table.GCD,),
        (*SIGNED, d.uint8, d.uint16),
        SAME,
        out=True,
        refused=whole_shapes_differ,
        refuses=(*FLOATS, d.bool_),
    ),
    Record(
        "lcm",
        floats.lcm,
        np.lcm,
        whole(-9, 9),
        (table.GCD,),
        (*SIGNED, d.uint8),
        SAME,
        out=True,
        refused=whole_shapes_differ,
        refuses=FLOATS,
    ),
    Record(
        "fma",
        floats.fma,
        lambda a, b, c: a * np.asarray(b, getattr(a, "dtype", None)) + c,
        multiply_add_samples,
        (table.FUSED_MUL_ADD,),
        (*FLOATS, *INTS, d.complex64),
        SAME,
        STEEP,
        out=True,
    ),
    record("deg2rad", floats.deg2rad, math.radians, (arithmetic.MUL,), -180, 180, MATHEMATICAL),
    record("rad2deg", floats.rad2deg, math.degrees, (arithmetic.MUL,), dtypes=(*WIDE, *HALVES, d.int32)),
]
