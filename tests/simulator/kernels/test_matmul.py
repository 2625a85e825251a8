"""Matrix products, against NumPy in float64 and in exact integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, FLOATS, UNTIMED, close, made, meta, ruled, run, same, sample

from ascendtensor.simulator.kernels import lookup
from ascendtensor.simulator.kernels.registry import ACL_OF, infer_rule


@pytest.mark.parametrize("dtype", FLOATS[:3], ids=str)
@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
@pytest.mark.parametrize("op_type", ["MatMul", "MatMulV2", "MatMulV3"])
def test_product_of_two_matrices(op_type: str, dtype: Any, turn_a: bool, turn_b: bool) -> None:
    a, b = sample((5, 7), dtype), sample((7, 3), dtype, 1)
    want = a.astype(np.float64) @ b.astype(np.float64)
    x1 = np.ascontiguousarray(a.T) if turn_a else a
    x2 = np.ascontiguousarray(b.T) if turn_b else b
    close(made(op_type, [x1, x2], (5, 3), dtype, transpose_x1=turn_a, transpose_x2=turn_b), want, 4)


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
def test_halves_are_added_up_in_float32_and_rounded_once(dtype: Any) -> None:
    """A sum of 4096 ones would stop at 2048 (float16) or 256 (bfloat16)."""
    ones = np.ones((1, 4096), dtype)
    same(made("MatMulV2", [ones, ones.T.copy()], (1, 1), dtype), [[4096.0]])
    a, b = sample((9, 300), dtype), sample((300, 8), dtype, 1)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    same(made("MatMulV2", [a, b], (9, 8), dtype), exact.astype(dtype))
    same(made("MatMulV2", [a, b], (9, 8), np.float32), exact)


def test_bias_is_added_before_rounding() -> None:
    a, b = sample((4, 6), np.float16), sample((6, 5), np.float16, 1)
    bias = sample((5,), np.float32, 2)
    want = (a.astype(np.float32) @ b.astype(np.float32) + bias).astype(np.float16)
    same(made("MatMulV2", [a, b, bias], (4, 5), np.float16), want)
    close(
        made("MatMulV2", [a.astype(np.float32), b.astype(np.float32), bias], (4, 5), np.float32),
        a.astype(float) @ b.astype(float) + bias,
        4,
    )
    with pytest.raises(ValueError, match="broadcast"):
        made("MatMulV2", [a, b, bias[:3]], (4, 5), np.float16)


def test_integers_are_exact() -> None:
    """Past 2**24 and 2**53 a float would round."""
    a = np.full((2, 3), 46341, np.int32)
    b = np.array([[1, 3], [1, 5], [1, 7]], np.int32)
    same(made("MatMulV2", [a, b], (2, 2), np.int32), a @ b)
    rng = np.random.default_rng(0)
    a8, b8 = rng.integers(-128, 128, (7, 900)).astype(np.int8), rng.integers(-128, 128, (900, 6)).astype(np.int8)
    same(made("MatMulV2", [a8, b8], (7, 6), np.int32), a8.astype(np.int64) @ b8.astype(np.int64))
    same(made("BatchMatMulV2", [a8, b8], (7, 6), np.int32, offset_x=3), (a8.astype(np.int64) - 3) @ b8.astype(np.int64))


@UNTIMED
@given(st.lists(st.integers(0, 3), min_size=0, max_size=2), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.data())
def test_batches_broadcast(batch: list[int], rows: int, inner: int, cols: int, data: Any) -> None:
    drop = data.draw(st.integers(0, len(batch)))
    other = [1 if data.draw(st.booleans()) else dim for dim in batch[drop:]]
    turn_a, turn_b = data.draw(st.booleans()), data.draw(st.booleans())
    a, b = sample((*batch, rows, inner), np.float32), sample((*other, inner, cols), np.float32, 1)
    want = np.matmul(a.astype(np.float64), b.astype(np.float64))
    x1 = a.swapaxes(-1, -2).copy() if turn_a else a
    x2 = b.swapaxes(-1, -2).copy() if turn_b else b
    close(made("BatchMatMulV2", [x1, x2], want.shape, np.float32, adj_x1=turn_a, adj_x2=turn_b), want, 4)
    close(
        made("BatchMatMul", [x2, x1], (*want.shape[:-2], cols, rows), np.float32, adj_x1=not turn_b, adj_x2=not turn_a),
        want.swapaxes(-1, -2),
        4,
    )


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
def test_batches_of_halves(dtype: Any) -> None:
    a, b = sample((2, 3, 4), dtype), sample((2, 5, 4), dtype, 1)
    want = (a.astype(np.float32) @ b.astype(np.float32).swapaxes(1, 2)).astype(dtype)
    same(made("BatchMatMulV2", [a, b], (2, 3, 5), dtype, adj_x2=True), want)
    same(made("BatchMatMulV3", [a, b], (2, 3, 5), dtype, adj_x2=True), want)


def test_small_products_are_one_numpy_call() -> None:
    a, b, out = sample((8, 8), np.float32), sample((8, 8), np.float32, 1), np.empty((8, 8), np.float32)
    kernel = lookup("MatMulV2")
    assert kernel is not None
    fn, args = kernel.bind([a, b], [out], {"transpose_x1": False, "transpose_x2": True, "offset_x": 0})
    assert fn is np.matmul and args[2] is out and np.shares_memory(args[1], b)


def test_output_may_be_an_input() -> None:
    """OP-17: in-place use is allowed."""
    a = sample((4, 4), np.float32)
    want = a.astype(np.float64) @ a.astype(np.float64)
    run("MatMulV2", [a, a], [a])
    close(a, want, 4)


@pytest.mark.parametrize("dtype", [*FLOATS[:3], np.dtype(np.int32), np.dtype(np.int8)], ids=str)
def test_dot_and_outer(dtype: Any) -> None:
    a, b = sample((9,), dtype), sample((9,), dtype, 1)
    if dtype.kind == "i":
        same(made("Dot", [a, b], (), dtype), (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype))
        return
    close(made("Dot", [a, b], (), dtype), a.astype(np.float64) @ b.astype(np.float64), 4)
    same(made("Ger", [a, b[:4]], (9, 4), dtype), np.outer(a, b[:4]))


def test_infinities_and_nans_pass() -> None:
    a = np.array([[np.inf, 0.0], [1.0, np.nan]], np.float16)
    same(made("MatMulV2", [a, np.eye(2, dtype=np.float16)], (2, 2), np.float16), [[np.inf, np.nan], [np.nan, np.nan]])


def test_wrong_operands_are_refused() -> None:
    a, b = sample((2, 3), np.float32), sample((4, 5), np.float32)
    with pytest.raises(ValueError, match="inner"):
        made("MatMulV2", [a, b], (2, 5), np.float32)
    with pytest.raises(ValueError, match="matrices"):
        made("MatMulV2", [a, b[0]], (2, 5), np.float32)
    with pytest.raises(ValueError, match="dtype"):
        made("MatMulV2", [a, b[:3].astype(np.float16)], (2, 5), np.float32)
    with pytest.raises(ValueError):
        made("BatchMatMulV2", [sample((2, 2, 3), np.float32), sample((3, 3, 2), np.float32)], (2, 2, 2), np.float32)
    with pytest.raises(ValueError):
        made("Dot", [a[0], b[0]], (), np.float32)


def test_rules() -> None:
    assert ruled("MatMulV2", [meta(np.float32, -1, 3), meta(np.float32, 3, 4)]) == [(-1, 4)]
    assert ruled("BatchMatMulV2", [meta(np.float32, -1, 2, 3), meta(np.float32, 5, 3, -1)]) == [(5, 2, -1)]
    assert ruled("BatchMatMulV2", [meta(np.float32, -2), meta(np.float32, 3, 4)]) == [(-2,)]
    rule = infer_rule("MatMulV2")
    assert rule is not None
    attrs = {"transpose_x1": False, "transpose_x2": False, "offset_x": 0}
    assert rule([meta(np.int8, 2, 3), meta(np.int8, 3, 4)], attrs, 1)[0].dtype == ACL_OF[np.dtype(np.int32)]


@pytest.mark.parametrize("shapes", [((70, 80), (80, 90)), ((2, 64, 64), (2, 64, 5)), ((1, 5000), (5000, 1))])
def test_large_integer_products_wrap_like_small_ones(shapes: tuple[tuple[int, ...], ...]) -> None:
    """They are multiplied as halves of words in float64, which must not show."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-(2**31), 2**31, shape).astype(np.int32) for shape in shapes)
    a.flat[:9], b.flat[:9] = -(2**31), -(2**31)
    want = a @ b
    same(made("BatchMatMul", [a, b], want.shape, np.int32), want)
    same(made("BatchMatMul", [a.astype(np.int16).astype(np.int32), b], want.shape, np.int32), a.astype(np.int16).astype(np.int32) @ b)


@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.complex128, np.int32])
def test_the_ai_cpus_product_neither_broadcasts_nor_turns_without_conjugating(dtype: Any) -> None:
    a, b = sample((2, 3, 4), dtype), sample((2, 5, 4), dtype)
    turned = np.conjugate(b.swapaxes(-1, -2))
    np.testing.assert_allclose(made("BatchMatMul", [a, b], (2, 3, 5), dtype, adj_x2=True), np.matmul(a, turned), rtol=1e-5)
    with pytest.raises(ValueError, match="compatible batch dimensions"):
        made("BatchMatMul", [a, b[:1]], (2, 3, 5), dtype, adj_x2=True)
