"""What kernels of the AI CPU do at their edges, by CANN's public sources, and that functions give PyTorch's results all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at

NAN = float("nan")


@pytest.mark.parametrize("dtype", [at.float32, at.float16, at.bfloat16, at.float64], ids=lambda dtype: dtype.name)
def test_extremes_at_places_are_nan_where_an_update_is(dtype: Any) -> None:
    """ScatterNdMax and ScatterNdMin take what compares, so no NaN (hicann/ops-nn, scatter_nd_max_aicpu.cpp)."""
    x, index = at.tensor([1.0, NAN, 3.0, -np.inf], dtype=dtype), at.tensor([0, 0, 1, 2, 3])
    updates = at.tensor([NAN, 5.0, 9.0, -0.0, np.inf], dtype=dtype)
    found = at.scatter_reduce(x, 0, index, updates, "amax").float().numpy()
    assert np.array_equal(found, [NAN, NAN, 3.0, np.inf], equal_nan=True)
    found = at.scatter_reduce(x, 0, index, updates, "amin").float().numpy()
    assert np.array_equal(found, [NAN, NAN, -0.0, -np.inf], equal_nan=True) and np.signbit(found[2])
    found = at.scatter_reduce(x, 0, index, updates, "amax", include_self=False).float().numpy()
    assert np.array_equal(found, [NAN, 9.0, -0.0, np.inf], equal_nan=True) and np.signbit(found[2])


@pytest.mark.parametrize(
    "dtype", [at.uint8, at.int8, at.int16, at.uint16, at.int32, at.uint32, at.int64, at.uint64], ids=lambda dtype: dtype.name
)
def test_amounts_of_shifts_that_are_no_number_of_bits(dtype: Any) -> None:
    """RightShift takes the nearest amount (hicann/ops-math, right_shift_aicpu.cpp), LeftShift what C makes of it (MindSpore).

    PyTorch (`aten/src/ATen/native/cpu/BinaryOpsKernel.cpp`, lshift_kernel and rshift_kernel): 0, or the sign.
    """
    signed, bits = at.iinfo(dtype).min < 0, 8 * dtype.itemsize
    x = at.tensor([-56 if signed else 200 % at.iinfo(dtype).max, 5, 1, 100], dtype=dtype)
    sign = [-1, 0, 0, 0] if signed else [0] * 4
    for amount in (bits, 100, *((-1, -bits) if signed else ())):
        many = at.tensor([amount] * 4, dtype=dtype)
        for given in (amount, many):
            assert (x << given).tolist() == [0] * 4 and (x >> given).tolist() == sign
    mixed = at.tensor([0, bits - 1, bits, 2], dtype=dtype)
    assert (x >> mixed).tolist() == [x[0].item(), 0, 0, 25]
    assert (at.tensor([3] * 4, dtype=dtype) << mixed).tolist() == [3, at.iinfo(dtype).min if signed else 1 << (bits - 1), 0, 12]


@pytest.mark.parametrize("dtype", [at.float32, at.float16, at.bfloat16, at.float64], ids=lambda dtype: dtype.name)
def test_quotients_of_floats_are_rounded_once(dtype: Any) -> None:
    """The AI Core rounds before it rounds down, does not truncate, and takes rounded products away (CANN 8.1.RC1, tbe, floor_div.py,
    truncate_div.py, mod.py). Values: PyTorch."""
    x = at.tensor([7.0, -7.0, 7.0, -0.5, -0.0, np.inf, -1.0, 5.0, NAN], dtype=dtype)
    y = at.tensor([2.0, 2.0, -2.0, 1.0, 1.0, 2.0, np.inf, 0.0, 1.0], dtype=dtype)
    for found, wanted in (
        (at.floor_divide(x, y), [3.0, -4.0, -4.0, -1.0, -0.0, NAN, -1.0, np.inf, NAN]),
        (at.div(x, y, rounding_mode="floor"), [3.0, -4.0, -4.0, -1.0, -0.0, NAN, -1.0, np.inf, NAN]),
        (at.div(x, y, rounding_mode="trunc"), [3.0, -3.0, -3.0, -0.0, -0.0, np.inf, -0.0, np.inf, NAN]),
        (at.fmod(x, y), [1.0, -1.0, 1.0, -0.5, -0.0, NAN, -1.0, NAN, NAN]),
        (at.trunc(x), [7.0, -7.0, 7.0, -0.0, -0.0, np.inf, -1.0, 5.0, NAN]),
    ):
        assert found.dtype is dtype and np.array_equal(found.float().numpy(), wanted, equal_nan=True)
        assert np.array_equal(np.signbit(found.float().numpy())[:5], np.signbit(wanted)[:5])
    one, tenth = at.tensor(1.0, dtype=dtype), at.tensor(0.1, dtype=dtype)
    if dtype in (at.float32, at.float64):
        assert (one // tenth).item() == 9.0 and (1.0 // tenth).item() == 9.0 and at.fmod(one, tenth).item() > 0.09


def test_a_remainder_of_bfloat16_is_that_of_its_own_numbers() -> None:
    """`Mod` of the AI CPU takes no bfloat16; an int or a number is rounded to it before it is made float32. Values: PyTorch."""
    three, places = at.tensor([3.0, -7.0], dtype=at.bfloat16), at.tensor([32767, 257], dtype=at.int16)
    assert at.fmod(places, three).tolist() == [2.0, 4.0] and at.fmod(three, places).tolist() == [3.0, -7.0]
    one = at.tensor(1.0, dtype=at.bfloat16)
    assert at.fmod(one, 0.1).item() == at.fmod(one, at.tensor(0.1, dtype=at.bfloat16)).item() == 0.09912109375
    assert at.fmod(0.1, one).item() == at.tensor([0.1], dtype=at.bfloat16).fmod_(1.0).item() == 0.10009765625


def test_large_integers_are_divided_without_a_rounding() -> None:
    """The AI Core divides int32 as float32 (CANN 8.1.RC1, tbe, dynamic/floor_div.py, truncate_div.py, mod.py and floor_mod.py)."""
    a, b = np.array([2**24 + 1, 2**31 - 1, -(2**31) + 1, -(2**24) - 1], np.int32), np.array([1, 3, 7, 2], np.int32)
    for dtype in (at.int32, at.int64):
        x, y = at.tensor(a, dtype=dtype), at.tensor(b, dtype=dtype)
        assert (x // y).tolist() == (a // b).tolist() and (x % y).tolist() == (a % b).tolist()
        assert at.fmod(x, y).tolist() == np.fmod(a, b).tolist()
        assert at.div(x, y, rounding_mode="trunc").tolist() == [int(p / q) for p, q in zip(a.tolist(), b.tolist(), strict=True)]
