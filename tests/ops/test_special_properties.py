"""What special functions and the parts of numbers have to do with each other, for any numbers and shapes."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest
from harness import host, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor.ops.pointwise import bessel, comparison, elementwise, floats, special, unary

FEW = settings(max_examples=15, deadline=None)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
KINDS = st.sampled_from([np.float16, np.float32, np.float64])


@st.composite
def numbers(draw: Any, low: float = -1e3, high: float = 1e3) -> Any:
    kind = draw(KINDS)
    bits = np.dtype(kind).itemsize * 8
    return draw(arrays.arrays(kind, SHAPES, elements=st.floats(float(kind(low)), float(kind(high)), width=bits)))


@given(numbers())
@FEW
def test_frexp_and_ldexp_undo_each_other(values: Any) -> None:
    mantissa, exponent = floats.frexp(tensor(values))
    size = np.abs(host(mantissa))
    assert (((size >= 0.5) & (size < 1)) | (values == 0)).all()
    np.testing.assert_array_equal(host(floats.ldexp(mantissa, exponent)), values)


@given(numbers())
@FEW
def test_the_neighbour_of_a_neighbour_is_the_number(values: Any) -> None:
    x = tensor(values)
    above = floats.nextafter(x, float("inf"))
    assert (host(above) > values).all()
    np.testing.assert_array_equal(host(floats.nextafter(above, x)), values)


@given(numbers(), st.sampled_from([1.0, -1.0, 0.0, -0.0]))
@FEW
def test_copysign_with_a_number_is_that_with_a_tensor_of_it(values: Any, sign: float) -> None:
    x = tensor(values)
    by_number = host(floats.copysign(x, sign))
    by_tensor = host(floats.copysign(x, tensor(np.full(values.shape, sign, values.dtype))))
    np.testing.assert_array_equal(np.signbit(by_number), np.signbit(by_tensor))
    np.testing.assert_array_equal(np.abs(by_number), np.abs(by_tensor))


@given(numbers(0.1, 30), st.floats(0.125, 20))
@FEW
def test_the_incomplete_gamma_functions_add_up_to_one(values: Any, other: float) -> None:
    x = tensor(values)
    total = host(elementwise.add(special.gammainc(x, other), special.gammaincc(x, other)))
    np.testing.assert_allclose(total, np.ones(values.shape), rtol=2e-3 if values.dtype == np.float16 else 1e-6)


def test_the_incomplete_gamma_functions_of_large_numbers_end_and_are_right() -> None:
    large = np.array([1e5 * (1 + 1e-12), 1e6, 1e8, 1e12, 1e18, 1e300])
    a = tensor(large)
    correction = 1 / (3 * np.sqrt(2 * np.pi * large)) * (1 + 1 / (180 * large))  # of 1/2 where x is a (DLMF 8.11.12)
    np.testing.assert_allclose(host(special.gammaincc(a, a)), 0.5 - correction, rtol=1e-12)
    np.testing.assert_allclose(host(special.gammainc(a, a)), 0.5 + correction, rtol=1e-12)
    deviations = np.array([-40.0, -5.0, -1.0, 1.0, 5.0, 40.0])[:, None]
    x = tensor(large[1:5] + deviations * np.sqrt(large[1:5]))
    below, above = host(special.gammainc(tensor(large[1:5]), x)), host(special.gammaincc(tensor(large[1:5]), x))
    np.testing.assert_allclose(below + above, np.ones_like(below), rtol=1e-14)
    assert (np.diff(below, axis=0) > 0).all()
    just = np.array([1e5, 1e5 * (1 + 1e-12)])  # both sides of where another form begins
    for offset in (-900.0, -100.0, 200.0, 900.0):
        low, high = host(special.gammaincc(tensor(just), tensor(just + offset)))
        np.testing.assert_allclose(high, low, rtol=1e-9)
    most = tensor(np.array([3.4e38, 1e6, 3.4e38], np.float32))
    assert host(special.gammaincc(most, tensor(np.array([3.4e38, 3.4e38, 1], np.float32)))).tolist() == [0.5, 0.0, 1.0]


@given(numbers(-3, 3))
@FEW
def test_the_normal_distribution_and_its_inverse(values: Any) -> None:
    wide = comparison.cast(tensor(values), d.float64)
    np.testing.assert_allclose(host(special.ndtri(special.ndtr(wide))), values.astype(np.float64), atol=1e-11)
    np.testing.assert_allclose(host(unary.exp(special.log_ndtr(wide))), host(special.ndtr(wide)), rtol=1e-12)


@given(numbers(0.25, 20))
@FEW
def test_the_wronskian_of_the_bessel_functions(values: Any) -> None:
    x = comparison.cast(tensor(values), d.float64)
    cross = elementwise.mul(bessel.i0(x), bessel.modified_bessel_k1(x))
    cross = elementwise.add(cross, elementwise.mul(bessel.i1(x), bessel.modified_bessel_k0(x)))
    np.testing.assert_allclose(host(cross), 1 / values.astype(np.float64), rtol=1e-11)
    cross = elementwise.mul(bessel.bessel_j1(x), bessel.bessel_y0(x))
    cross = elementwise.sub(cross, elementwise.mul(bessel.bessel_j0(x), bessel.bessel_y1(x)))
    np.testing.assert_allclose(host(cross), 2 / np.pi / values.astype(np.float64), rtol=1e-10)


@given(arrays.arrays(np.int64, SHAPES, elements=st.integers(-999, 999)), st.integers(-99, 99))
@FEW
def test_divisor_times_multiple_is_the_product(values: Any, other: int) -> None:
    x = tensor(values)
    product = host(elementwise.mul(floats.gcd(x, other), floats.lcm(x, other)))
    np.testing.assert_array_equal(product, np.abs(values * other))


def test_complex_acos_keeps_its_digits_near_one() -> None:
    numbers = [1 + 1e-8j, 1 - 1e-8j, 1 + 1e-5j, 1.0000001 + 1e-9j, complex(2, 0.0), complex(2, -0.0), complex(-2, -0.0), complex(0.5, -0.0)]
    found = host(unary.acos(tensor(np.array(numbers))))
    for value, number in zip(found, numbers, strict=True):
        expected = cmath.acos(number)
        np.testing.assert_allclose([value.real, value.imag], [expected.real, expected.imag], 1e-14)
        assert np.signbit(value.imag) == np.signbit(expected.imag)


def test_zeta_of_infinity_is_its_first_terms_limit() -> None:
    found = host(special.zeta(float("inf"), tensor(np.array([0.5, 1, 1.5, 2, -0.5, 0, -1, -1.5]))))
    np.testing.assert_array_equal(found, [np.inf, 1, 0, 0, np.inf, np.inf, np.inf, np.inf])


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_the_low_bits_of_a_multiple_that_does_not_fit(dtype: type) -> None:
    most = np.iinfo(dtype).max
    a, b = np.array([2, most, 7, -most, most], dtype), np.array([most, 3, most - 1, 2, most - 1], dtype)
    found = floats.lcm(tensor(a), tensor(b))
    assert found.dtype.numpy == a.dtype
    np.testing.assert_array_equal(host(found), np.lcm(a, b))
    np.testing.assert_array_equal(host(floats.lcm(tensor(a), tensor(b > 2))), np.lcm(a, (b > 2).astype(dtype)))
    np.testing.assert_array_equal(host(floats.lcm(6, tensor(b))), np.lcm(dtype(6), b))


def test_the_inverse_of_erf_is_a_line_at_the_smallest_numbers() -> None:
    x = np.array([0.0, -0.0, 1e-38, -1e-300, 5e-324, 9.9e-9, 1.01e-8])
    found = host(special.erfinv(tensor(x)))
    np.testing.assert_allclose(found, x * (np.sqrt(np.pi) / 2), 1e-14, 0)
    assert np.signbit(found).tolist() == np.signbit(x).tolist()


@pytest.mark.parametrize("order", [2.0, 3.0, 7.0, 16.0, 17.0])
def test_zeta_of_one_whole_order_is_that_of_many(order: float) -> None:
    """Powers by products where there is one small whole order, by NumPy's power where orders differ."""
    q = np.array([0.3, 1.0, 2.5, 9.999, 40.0, -0.5, -3.25, -2.0, 0.0, np.inf, np.nan])
    orders = np.append(np.full(q.size - 1, order), 2.5)
    one = host(special.zeta(order, tensor(q[:-1])))
    np.testing.assert_allclose(one, host(special.zeta(tensor(orders), tensor(q)))[:-1], 1e-13)


def test_lgamma_of_float32_is_that_of_float64_rounded() -> None:
    x = np.concatenate([np.linspace(-6.3, 12, 4001), np.array([1 + 1e-6, 1 - 1e-6, 2 + 1e-6, 2.9999, 3.0001])]).astype(np.float32)
    np.testing.assert_allclose(host(special.lgamma(tensor(x))), host(special.lgamma(tensor(x.astype(np.float64)))), 1.2e-7)


POLYNOMIALS = [getattr(at.special, name) for name in at.special.__all__ if "_polynomial_" in name]


@pytest.mark.parametrize("function", [*POLYNOMIALS, at.mvlgamma, at.special.multigammaln], ids=lambda function: function.__name__)
def test_numbers_that_ask_for_launches_without_end_are_refused(function: Any) -> None:
    x = at.full((2,), 0.5)
    before = at.handle_cache.info().hits
    for number in (special.MOST_STEPS + 1, 10**12):
        with pytest.raises(at.errors.UnsupportedError, match=rf" is {number}: .* at most 10,000 steps"):
            function(x, number)
    assert at.handle_cache.info().hits == before


def test_degrees_that_are_high_but_not_refused() -> None:
    found = at.special.legendre_polynomial_p(at.tensor([1.0, -1.0], dtype=at.float64), 301)
    assert np.allclose(found.numpy(), [1.0, -1.0])
