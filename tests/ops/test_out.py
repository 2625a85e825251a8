"""`out=`: results in memory that exists, which may be that of an operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import host, tensor

import ascendtensor as at

GENERATOR = np.random.default_rng(5)
A, B = GENERATOR.normal(size=(2, 3, 3)).astype(np.float32)
PLACES = np.array([[2, 0, 1], [1, 1, 0], [0, 2, 2]])
NOT_POINTWISE: dict[str, Callable[..., Any]] = {
    "cross": at.linalg.cross,
    "matmul": at.matmul,
    "inv": lambda a, b, out: at.linalg.inv(a, out=out),
    "cumsum": lambda a, b, out: at.cumsum(a, 0, out=out),
    "cumprod": lambda a, b, out: at.cumprod(a, -1, out=out),
    "gather": lambda a, b, out: at.gather(a, 0, at.tensor(PLACES), out=out),
    "index_select": lambda a, b, out: at.index_select(a, 0, at.tensor([2, 2, 0]), out=out),
}


@pytest.mark.parametrize("name", NOT_POINTWISE)
@pytest.mark.parametrize("shared", [0, 1])
def test_the_result_may_have_the_memory_of_an_operand(name: str, shared: int) -> None:
    expected = host(NOT_POINTWISE[name](tensor(A), tensor(B), out=None))
    operands = tensor(A), tensor(B)
    assert NOT_POINTWISE[name](*operands, out=operands[shared]) is operands[shared]
    np.testing.assert_array_equal(host(operands[shared]), expected)


@pytest.mark.parametrize("name", NOT_POINTWISE)
def test_an_operator_that_looks_around_never_writes_where_it_reads(name: str) -> None:
    """No kernel of a board says that it reads an operand of this kind before it writes: the result is copied."""
    operands = tensor(A), tensor(B)
    with at.trace() as shared:
        NOT_POINTWISE[name](*operands, out=operands[0])
    with at.trace() as apart:
        NOT_POINTWISE[name](*operands, out=at.empty_like(operands[0]))
    assert len(shared.launches) == len(apart.launches) + 1


@pytest.mark.parametrize("function", [lambda x, out: at.max(x, 1, out=out), lambda x, out: at.sort(x, out=out), at.frexp])
def test_two_results_are_written_or_none(function: Callable[..., Any]) -> None:
    x = tensor(A)
    first, second = function(x, out=None)
    kept = at.full_like(first, 7)
    for wrong, error in ((at.zeros(second.shape, dtype=at.bool), TypeError), (at.zeros(5, dtype=at.int64), ValueError), (None, TypeError)):
        with pytest.raises(error):
            function(x, out=(kept, wrong))
    for number in ((kept,), (kept, at.empty_like(second), kept), kept):
        with pytest.raises(TypeError, match="out must hold 2 tensors"):
            function(x, out=number)
    assert at.equal(kept, at.full_like(first, 7))
    assert at.equal(function(x, out=(kept, at.empty_like(second)))[0], first) and at.equal(kept, first)


def test_coordinates_in_a_tuple_have_no_out() -> None:
    with pytest.raises(TypeError, match="no out with as_tuple"):
        at.nonzero(at.tensor([0, 3]), as_tuple=True, out=at.empty(1, 1, dtype=at.int64))  # type: ignore[call-overload]
