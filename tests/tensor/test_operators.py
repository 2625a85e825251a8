"""Python's operators on tensors, also reflected and in place, beside NumPy's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def named(function: Any) -> str:
    return str(function.__name__)


@pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS], ids=named)
def test_floats(function: Any) -> None:
    a, b = np.array([[1.5, 2.0], [4.0, 5.5]], np.float32), np.array([2.0, 0.5], np.float32)
    x, y = at.tensor(a), at.tensor(b)
    np.testing.assert_allclose(function(x, y).numpy(), function(a, b), rtol=1e-6)
    np.testing.assert_allclose(function(x.T, y).numpy(), function(a.T, b), rtol=1e-6)
    for number in (2, 2.5, True):
        np.testing.assert_allclose(function(x, number).numpy(), function(a, np.float32(number)), rtol=1e-6)
        np.testing.assert_allclose(function(number, x).numpy(), function(np.float32(number), a), rtol=1e-6)


@pytest.mark.parametrize("function", [*ARITHMETIC, *BITS, *COMPARISONS], ids=named)
def test_integers(function: Any) -> None:
    a, b = np.array([7, 8, 9], np.int64), np.array([1, 2, 3], np.int64)
    x, y = at.tensor(a), at.tensor(b)
    np.testing.assert_allclose(function(x, y).numpy(), function(a, b), rtol=1e-6)
    np.testing.assert_allclose(function(x, 2).numpy(), function(a, 2), rtol=1e-6)
    np.testing.assert_allclose(function(9, y).numpy(), function(9, b), rtol=1e-6)
    negative = at.tensor([-7, 7])
    if function in (operator.floordiv, operator.mod):
        assert function(negative, 3).tolist() == function(np.array([-7, 7]), 3).tolist()


def test_truth_values() -> None:
    a, b = at.tensor([True, False, True]), at.tensor([True, True, False])
    assert (a & b).tolist() == [True, False, False]
    assert (a | b).tolist() == [True, True, True]
    assert (a ^ b).tolist() == [False, True, True]
    assert (~a).tolist() == [False, True, False]


def test_unary() -> None:
    x = at.tensor([-1.5, 2.25])
    assert (-x).tolist() == [1.5, -2.25] and (+x).tolist() == x.tolist() and abs(x).tolist() == [1.5, 2.25]
    assert round(x).tolist() == [-2.0, 2.0] and (~at.tensor([0, 5])).tolist() == [-1, -6]
    assert [part.tolist() for part in divmod(at.tensor([7, -7]), 3)] == [[2, -3], [1, 2]]
    assert [part.tolist() for part in divmod(7, at.tensor([2, 3]))] == [[3, 2], [1, 1]]


def test_matrix_products() -> None:
    a, b = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.arange(12.0, dtype=np.float32).reshape(3, 4)
    np.testing.assert_allclose((at.tensor(a) @ at.tensor(b)).numpy(), a @ b)
    np.testing.assert_allclose((a @ at.tensor(b)).numpy(), a @ b)
    np.testing.assert_allclose((at.tensor(a) @ b).numpy(), a @ b)
    with pytest.raises(ValueError, match=r"\[2, 3\] and \[2, 3\]"):
        at.tensor(a) @ at.tensor(a)


@pytest.mark.parametrize(
    "function",
    [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow],
    ids=named,
)
def test_in_place_keeps_the_tensor_and_its_views(function: Any) -> None:
    host = np.array([[4.0, 5.0], [6.0, 7.0]], np.float32)
    x = at.tensor(host)
    view, before = x[:, 1], x
    x = function(x, 2)
    host = function(host, np.float32(2))
    assert x is before
    np.testing.assert_allclose(x.numpy(), host, rtol=1e-6)
    np.testing.assert_allclose(view.numpy(), host[:, 1], rtol=1e-6)
    view = function(view, at.tensor([2.0, 3.0]))
    host[:, 1] = function(host[:, 1].copy(), np.array([2.0, 3.0], np.float32))
    np.testing.assert_allclose(x.numpy(), host, rtol=1e-6)


def test_in_place_bits() -> None:
    x = at.tensor([12, 10])
    x &= 6
    x |= at.tensor([1, 1])
    x ^= 2
    x <<= 2
    x >>= 1
    expected = np.array([12, 10])
    expected &= 6
    expected |= 1
    expected ^= 2
    expected <<= 2
    expected >>= 1
    assert x.tolist() == expected.tolist()


def test_in_place_refuses_what_the_tensor_can_not_hold() -> None:
    x = at.tensor([1, 2])
    with pytest.raises(TypeError, match="can't be cast"):
        x += 0.5
    with pytest.raises(TypeError, match="can't be cast"):
        x /= 2
    with pytest.raises(ValueError, match=r"\[2, 2\]"):
        x += at.ones(2, 2, dtype=at.int64)
    with pytest.raises(ValueError, match="share one place"):
        expanded = at.ones(1).expand(4)
        expanded += 1
    assert x.tolist() == [1, 2]


def test_operands_that_overlap_in_place() -> None:
    host = np.arange(40, dtype=np.float32)
    x = at.tensor(host)
    part = x[1:33]
    part += x[:32]
    expected = host.copy()
    expected[1:33] = host[1:33] + host[:32]
    np.testing.assert_array_equal(x.numpy(), expected)
    y = at.tensor(host.reshape(5, 8)[:, :5].copy())
    y += y.T
    np.testing.assert_array_equal(y.numpy(), host.reshape(5, 8)[:, :5] + host.reshape(5, 8)[:, :5].T)


def test_foreign_operands_are_left_to_the_other_side() -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "mine"

    x = at.ones(2)
    assert x + Other() == "mine"
    for function in [*ARITHMETIC, operator.matmul, operator.lt]:
        with pytest.raises(TypeError):
            function(x, "text")
        with pytest.raises(TypeError):
            function("%s" if function is not operator.mod else None, x)
    assert (x == "text") is False and (x != None) is True  # noqa: E711


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(ValueError, match=r"add: .*\[2\] and \[3\]") as caught:
        at.ones(2) + at.ones(3)
    assert "float32[2] on npu:0, float32[3] on npu:0" in str(caught.value)


def test_hash_and_sets_go_by_identity() -> None:
    x, y = at.ones(2), at.ones(2)
    assert hash(x) != hash(y) and len({id(x): x, id(y): y}) == 2
    assert {x: 1}[x] == 1
