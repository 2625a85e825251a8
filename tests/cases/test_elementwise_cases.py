"""Numbers that users of other libraries were surprised by, element by element: each case names the reports it is taken from."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.ops.nn import activation


def values(tensor: Any) -> Any:
    return tensor.tolist()


def test_integer_remainder_and_floor_division_take_the_divisors_sign() -> None:
    # pytorch/pytorch#1164; NVIDIA/numba-cuda-mlir#184
    a = at.tensor([-6, 6, -7, 7, -8], dtype=at.int32)
    b = at.tensor([5, -5, 3, -3, -3], dtype=at.int32)
    assert values(a % b) == values(at.remainder(a, b)) == [4, -4, 2, -2, -2]
    assert values(a // b) == values(at.floor_divide(a, b)) == [-2, -2, -3, -3, 2]
    assert values(at.fmod(a, b)) == [-1, 1, -1, 1, -2]
    assert (a % b).dtype is (a // b).dtype is at.fmod(a, b).dtype is at.int32


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "float32", "float16", "bfloat16", "float64"])
def test_remainders_and_floor_divisions_of_other_dtypes_in_place_and_by_rounding_mode(dtype: str) -> None:
    # pytorch/pytorch#1164
    a, b = at.tensor([-6, 6, -7, 7, -8]).to(dtype), at.tensor([5, -5, 3, -3, -3]).to(dtype)
    floored = a.clone()
    floored //= b
    left = a.clone()
    left %= b
    written = at.empty_like(a)
    at.remainder(a, b, out=written)
    for result, expected in (
        (floored, [-2, -2, -3, -3, 2]),
        (at.div(a, b, rounding_mode="floor"), [-2, -2, -3, -3, 2]),
        (at.div(a, b, rounding_mode="trunc"), [-1, -1, -2, -2, 2]),
        (left, [4, -4, 2, -2, -2]),
        (written, [4, -4, 2, -2, -2]),
        (a.clone().fmod_(b), [-1, 1, -1, 1, -2]),
    ):
        assert values(result) == expected
        assert result.dtype is a.dtype
    assert values(-7 // b) == [-2, 1, -3, 2, 2] and values(7 % b) == [2, -3, 1, -2, -2]


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"])
def test_an_integer_divided_by_zero_gives_zero(name: str, dtype: str) -> None:
    # pytorch/pytorch#1170 (review thread); kulinseth/pytorch#314
    result = getattr(at, name)(at.tensor([1, 0], dtype=dtype), at.tensor([0, 0], dtype=dtype))
    assert values(result) == [0, 0]


def test_integers_to_a_negative_power() -> None:
    # pytorch/pytorch#133677; kulinseth/pytorch#288
    result = at.tensor([2, -1, 1, -2]) ** at.tensor([-1, -1, -3, -1])
    assert result.dtype is at.int64
    assert values(result) == [0, -1, 1, 0]
    with pytest.raises(ValueError, match="negative integer power -1"):
        at.tensor(2) ** -1
    assert values(at.tensor(2) ** -1.0) == 0.5


def test_eight_bit_arithmetic_wraps() -> None:
    # pytorch/pytorch#6042; tensorflow/tensorflow#97042
    u, v = at.tensor([200, 1, 16], dtype=at.uint8), at.tensor([100, 2, 17], dtype=at.uint8)
    s = at.tensor([127, -128, -128], dtype=at.int8)
    for result, expected, dtype in (
        (u + v, [44, 3, 33], at.uint8),
        (u - v, [100, 255, 255], at.uint8),
        (u * v, [32, 2, 16], at.uint8),
        (s + 1, [-128, -127, -127], at.int8),
        (-s, [-127, -128, -128], at.int8),
        (abs(s), [127, -128, -128], at.int8),
        (s * 2, [-2, 0, 0], at.int8),
        (5 - u, [61, 4, 245], at.uint8),
        (-u, [56, 255, 240], at.uint8),
        (u**2, [64, 1, 0], at.uint8),
        (u << 1, [144, 2, 32], at.uint8),
        (at.sub(u, v, alpha=2), [0, 253, 238], at.uint8),
        (u.clone().add_(v), [44, 3, 33], at.uint8),
        (at.mul(u, v, out=at.empty_like(u)), [32, 2, 16], at.uint8),
    ):
        assert result.dtype is dtype
        assert values(result) == expected


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "uint16", "uint32", "uint64"])
def test_arithmetic_of_wider_integers_wraps_too(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = at.tensor([limits.max, limits.min], dtype=dtype)
    host = np.array([limits.max, limits.min], dtype)
    one = np.array(1, dtype)
    for result, expected in (
        (x + 1, host + one),
        (x - 1, host - one),
        (x * 2, host + host),
        (-x, np.negative(host)),
        (abs(x), np.abs(host)),
    ):
        assert result.dtype is x.dtype
        assert values(result) == expected.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_the_sign_of_zero_survives(dtype: str) -> None:
    # IntelPython/dpctl#1271; pytorch/pytorch#193755; tenstorrent/tt-metal#55581
    z = at.tensor([-0.0, 0.0], dtype=dtype)
    for result, signs in (
        (z * 1, [True, False]),
        (at.floor(z), [True, False]),
        (at.sqrt(z), [True, False]),
        (abs(z), [False, False]),
        (-z, [False, True]),
        (at.ceil(at.tensor([-0.5], dtype=dtype)), [True]),
        (at.round(at.tensor([-0.4], dtype=dtype)), [True]),
        (at.trunc(at.tensor([-0.4], dtype=dtype)), [True]),
        (at.sign(z), [False, False]),
        (at.nn.functional.elu(z), [True, False]),
        (at.nn.functional.selu(z), [True, False]),
        (at.nn.functional.celu(z), [True, False]),
        (at.fmod(z, 1), [True, False]),
        (at.clamp(z, -1, 1), [True, False]),
        (z.to(at.float64), [True, False]),
        (z.clone().fill_(-0.0), [True, True]),
    ):
        assert values(at.signbit(result)) == signs
        assert np.signbit(result.numpy().astype(np.float64)).tolist() == signs
    assert values(1 / z) == [-math.inf, math.inf]
    assert bool(z[0] == z[1])
    # A number operand keeps its sign too, whichever zero was used before it.
    assert values(at.signbit(z * 0.0)) == [True, False]
    assert values(at.signbit(z * -0.0)) == [False, True]


def test_casting_floats_to_integers() -> None:
    # pytorch/pytorch#180159, #87556, #154726; apache/mxnet#15478
    finite = at.tensor([-1.7, 1.7, -0.5, 0.99, -2.0, 16777216.0])
    assert values(finite.to(at.int32)) == [-1, 1, 0, 0, -2, 16777216]
    limits = np.iinfo(np.int32)
    for special, expected in ((math.nan, 0), (math.inf, limits.max), (-math.inf, limits.min), (3e9, limits.max)):
        for _ in range(2):
            assert values(at.tensor([special]).to(at.int32)) == [expected]
            assert values(at.full((1000,), special).to(at.int32)) == [expected] * 1000


@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_casts_saturate_alike_at_every_length_and_position(source: str, dtype: str) -> None:
    # pytorch/pytorch#180159, #87556, #154726
    limits = np.iinfo(dtype)
    x = at.tensor([math.nan, math.inf, -math.inf, -1.7, 0.99]).to(source)
    expected = [0, limits.max, limits.min, max(limits.min, -1), 0]
    assert values(x.to(dtype)) == expected
    assert [values(x[place].to(dtype)) for place in range(5)] == expected
    assert values(at.cat([x] * 99).to(dtype)) == expected * 99
    assert values(at.zeros(5, dtype=dtype).copy_(x)) == expected
    doubled = at.zeros(10, dtype=dtype)
    doubled[::2] = x
    assert values(doubled[::2]) == expected


def test_float32_to_bfloat16_rounds_to_nearest_even() -> None:
    # ml-explore/mlx#3909; tenstorrent/tt-metal#55581
    x = at.tensor([1.0, 1.00390625, 1.01171875, 3.140625, 65280.0, 1e-40, 3.3895314e38, 3.4e38])
    back = x.to(at.bfloat16).to(at.float32)
    assert values(back) == [1.0, 1.0, 1.015625, 3.140625, 65280.0, 9.183549615799121e-41, 3.3895313892515355e38, math.inf]


def test_softplus_and_sigmoid_at_the_ends_of_the_range() -> None:
    # google-research/last#43; allenai/allennlp#890
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert values(activation.softplus(at.tensor([100.0, -100.0]))) == pytest.approx([100.0, 0.0], rel=1e-6, abs=1e-6)
        assert values(at.sigmoid(at.tensor([-200.0, 200.0]))) == pytest.approx([0.0, 1.0], rel=1e-6, abs=1e-6)


def test_python_numbers_as_operands() -> None:
    # pytorch/pytorch#82543; pyscf/pyscf#2495
    a = at.tensor([0.0, 0.49, 0.8, 0.9, 0.95])
    left = 1.0 - a
    assert left.dtype is at.float32
    assert values(left) == pytest.approx([1.0, 0.51, 0.2, 0.1, 0.05], abs=1e-6)
    for result, dtype in (
        (at.tensor([3]) / 2, at.float32),
        (at.tensor([3], dtype=at.int8) + 1, at.int8),
        (at.tensor([3], dtype=at.int8) + 1.5, at.float32),
        (at.tensor([3.0], dtype=at.float16) + 1e-3, at.float16),
        (at.tensor([True]) + 1, at.int64),
    ):
        assert result.dtype is dtype


def test_floating_functions_of_integers() -> None:
    # pytorch/pytorch#78019
    for result, expected in (
        (at.exp(at.tensor(5)), 148.4131591),
        (at.log(at.tensor(5, dtype=at.int32)), 1.6094379),
        (at.sqrt(at.tensor([4, 9], dtype=at.uint8)), [2.0, 3.0]),
    ):
        assert result.dtype is at.float32
        assert values(result) == pytest.approx(expected, rel=1e-6)


def test_numbers_that_do_not_fit_the_dtype_are_refused_also_where_the_operator_runs_in_a_wider_one() -> None:
    u = at.tensor([0, 5, 255], dtype=at.uint8)
    for function in (at.add, at.maximum, at.minimum, at.remainder):
        with pytest.raises(ValueError, match="-1 does not fit uint8"):
            function(u, -1)
    assert values(at.maximum(u, 7)) == [7, 7, 255]


def test_bool_becomes_an_integer_where_a_number_is_one() -> None:
    b = at.tensor([True, False])
    for result, expected in ((b**2, [1, 0]), (at.square(b), [1, 0]), (b << 2, [4, 0]), (b + 1, [2, 1]), (b * 3, [3, 0])):
        assert result.dtype is at.int64
        assert values(result) == expected


def test_functions_of_numbers_alone_are_refused() -> None:
    with pytest.raises(TypeError, match="at least one operand has to be a tensor"):
        at.add(1, 2)


def test_in_place_results_keep_dtype_and_shape() -> None:
    x = at.tensor([1, 2, 3])
    with pytest.raises(TypeError, match="can't be cast"):
        at.div(x, 2, out=x)
    with pytest.raises(ValueError, match="shape"):
        at.add(x, at.ones(2, 3), out=x)
    assert at.add(x, x, out=x) is x
    assert values(x) == [2, 4, 6]


FLOATING = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "erf", "erfc", "lgamma", "digamma"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"])
def test_floating_functions_of_every_integer_are_those_of_float32(dtype: str) -> None:
    # pytorch/pytorch#78019
    x = at.tensor([1, 0]).to(dtype)
    for name in FLOATING:
        function = getattr(at, name)
        result = function(x)
        assert result.dtype is at.float32, name
        np.testing.assert_array_equal(result.numpy(), function(x.to(at.float32)).numpy(), name)
    with pytest.raises(TypeError, match="sqrt_: the result has dtype float32, which can't be cast"):
        x.sqrt_()
