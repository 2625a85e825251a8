"""NumPy's scalars are taken wherever Python's numbers are, and mean the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import host

import ascendtensor as at

INTEGERS = (np.int64(2), np.uint8(2))
Call = Callable[[Any, Any], Any]
COUNTS: dict[str, Call] = {
    "topk": lambda x, k: at.topk(x, k)[0],
    "all": lambda x, k: x[None].all(k),
    "any": lambda x, k: x[None].any(k),
    "var": lambda x, k: x.var(correction=k),
}
REAL: dict[str, Call] = {
    "maximum": at.maximum,
    "fmin": at.fmin,
    "clamp": at.clamp,
    "floor_divide": at.floor_divide,
    "remainder": at.remainder,
    "fmod": at.fmod,
    "pow": at.pow,
    "sub alpha": lambda x, n: at.sub(x, x, alpha=n),
}


def same(found: Any, expected: Any) -> None:
    assert found.dtype is expected.dtype
    np.testing.assert_array_equal(host(found), host(expected))


@pytest.mark.parametrize("name", COUNTS)
def test_integers_count(name: str) -> None:
    for rows, number in enumerate(INTEGERS):  # in shapes that nobody else has, so that no plan of before is found
        x = at.arange(8.0 * (rows + 41)).reshape(-1, 8)
        found = COUNTS[name](x, number)
        same(found, COUNTS[name](x, 2))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", [at.uint8, at.int64, at.uint64, at.float32], ids=str)
def test_numbers_of_two_operands(name: str, dtype: at.dtype) -> None:
    x = at.tensor([1, 2, 7], dtype=dtype)
    for number in (*INTEGERS, np.int8(2), np.True_):
        same(REAL[name](x, number), REAL[name](x, number.item()))


@pytest.mark.parametrize("function", [at.eq, at.ne, at.isclose, at.isin, at.ldexp])
def test_complex_numbers_meet_real_tensors(function: Call) -> None:
    x = at.tensor([1.0, 2.0])
    for number in (np.complex64(2), np.complex128(1j)):
        same(function(x, number), function(x, complex(number)))


@pytest.mark.parametrize("function", [at.bitwise_and, at.bitwise_or, at.bitwise_xor])
def test_truth_values_meet_bools(function: Call) -> None:
    x = at.tensor([True, False])
    same(function(x, np.True_), function(x, True))


def test_negative_powers_of_integers_are_refused() -> None:
    with pytest.raises(ValueError, match="negative integer power"):
        at.tensor([2, 3]) ** np.int64(-1)
    same(at.tensor([True, False]) ** np.int64(2), at.tensor([True, False]) ** 2)


def test_factors_are_no_higher_than_what_they_scale() -> None:
    x, truth = at.tensor([1, 2, 3]), at.tensor([True, False])
    for function in (at.addcmul, at.addcdiv):
        for value in (2.5, np.float32(2.5), 1j, at.tensor(2.5)):
            with pytest.raises(TypeError, match="value is"):
                function(x, x, x, value=value)
        with pytest.raises(TypeError, match="value must be a number"):
            function(x, x, x, value="2")
    assert at.addcmul(x, x, x, value=np.uint8(2)).tolist() == [3, 10, 21]
    assert at.add(truth, truth, alpha=2).tolist() == [True, False] and at.add(~truth, truth, alpha=0).tolist() == [False, True]
    assert at.sub(x, x, alpha=np.int8(-128)).tolist() == [129, 258, 387]
