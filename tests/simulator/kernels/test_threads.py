"""How many threads the matrix library works on."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from ascendtensor.simulator.kernels import threads


def numbers() -> list[int]:
    return [library.get_num_threads() for library in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.mark.parametrize(
    ("shape", "inner", "size"),
    [
        ((8, 8), 8, "small"),
        ((64, 64), 64, "small"),
        ((100, 100), 100, "middling"),
        ((1000, 1000), 1000, "large"),
        ((7, 100, 100), 100, "middling"),
        ((1, 90), 90, "small"),
        ((1, 200), 200, "middling"),
        ((3000,), 3000, "large"),
        ((), 10, "small"),
    ],
)
def test_only_products_worth_it_get_more_than_one_thread(shape: tuple[int, ...], inner: int, size: str) -> None:
    assert threads._size(np.empty((2, inner)), np.empty(shape)) == size


def test_the_setting_comes_back_after_a_product_and_after_an_error() -> None:
    before = numbers()
    a = np.random.default_rng(0).random((100, 100))
    out = np.empty_like(a)
    threads.product(a, a, out)
    assert numbers() == before
    np.testing.assert_allclose(out, a @ a)
    with pytest.raises(ValueError, match="mismatch"), threads.one_thread:
        np.matmul(a, a[:50])
    assert numbers() == before


def test_nested_use_holds_one_thread_until_the_last_leaves() -> None:
    before = numbers()
    with threads.one_thread:
        with threads.one_thread:
            assert set(numbers()) <= {1}
        assert set(numbers()) <= {1}
    assert numbers() == before


def test_every_thread_can_hold_it() -> None:
    before, seen = numbers(), []

    def hold() -> None:
        with threads.one_thread:
            seen.append(numbers())

    hold()
    other = threading.Thread(target=hold)
    other.start()
    other.join()
    assert seen == [[1] * len(before)] * 2
    assert numbers() == before
