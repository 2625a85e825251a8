"""Constants, ranges and identity matrices, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, FLOATS, MOVED, UNTIMED, close, const, late, made, meta, ruled, same, sample, scalar

from ascendtensor.simulator.kernels import lookup
from ascendtensor.simulator.kernels.registry import ACL_OF


@pytest.mark.parametrize("dtype", MOVED, ids=str)
def test_fills(dtype: Any) -> None:
    value = sample((), dtype)
    want = np.full((2, 3), value)
    same(made("Fill", [const(2, 3), value], (2, 3), dtype), want)
    same(made("Fill", [*late(const(2, 3)), value.reshape(1)], (2, 3), dtype), want)
    same(made("Fill", [const([], dtype=np.int32), value], (), dtype), value)
    same(made("FillD", [value], (2, 0), dtype, dims=[2, 0]), np.empty((2, 0)))
    same(made("Fills", [want], (2, 3), dtype, value=1.0), np.ones((2, 3)))
    same(made("FillV2", [const(2, 3)], (2, 3), dtype, value=1.0), np.ones((2, 3)))
    with pytest.raises(ValueError):
        made("Fill", [const(2, -3), value], (2, 3), dtype)
    with pytest.raises(ValueError):
        made("Fill", [const(2, 3), want[0]], (2, 3), dtype)


def test_fill_is_one_call_and_reads_its_value_when_it_runs() -> None:
    value, out = np.zeros((), np.float32), np.empty((8, 8), np.float32)
    kernel = lookup("Fill")
    assert kernel is not None
    fn, args = kernel.bind([np.array([8, 8]), value], [out], {})
    value[...] = 7
    fn(*args)
    assert fn is np.ndarray.fill
    same(out, np.full((8, 8), 7))


@pytest.mark.parametrize("dtype", [np.dtype(np.bool_), np.dtype(np.int64), BFLOAT16], ids=str)
def test_eye(dtype: Any) -> None:
    code = ACL_OF[dtype]
    same(made("Eye", [], (3, 3), dtype, num_rows=3, dtype=code), np.eye(3))
    same(made("Eye", [], (2, 3), dtype, num_rows=2, num_columns=3, dtype=code), np.eye(2, 3))
    same(
        made("Eye", [], (2, 4, 2), dtype, num_rows=4, num_columns=2, batch_shape=[2], dtype=code), np.broadcast_to(np.eye(4, 2), (2, 4, 2))
    )
    same(made("Eye", [], (0, 0), dtype, num_rows=0, dtype=code), np.empty((0, 0)))


@UNTIMED
@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-7, 7))
def test_range_of_integers(start: int, limit: int, delta: int) -> None:
    for kind in (np.int32, np.int64):
        operands = [scalar(item, kind) for item in (start, limit, delta)]
        if delta == 0 or (limit - start) * delta < 0:
            with pytest.raises(ValueError):
                made("Range", operands, (0,), kind)
            continue
        want = np.arange(start, limit, delta)
        same(made("Range", operands, want.shape, kind), want)
        closed = np.arange(start, limit + (1 if delta > 0 else -1), delta)
        same(made("Range", late(*operands), closed.shape, kind, is_closed=True), closed)


def test_large_integers_of_a_range_are_exact() -> None:
    start = 2**60 + 1
    operands = [scalar(item) for item in (start, start + 30, 10)]
    same(made("Range", operands, (3,), np.int64), np.arange(start, start + 30, 10))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_range_of_floats(dtype: Any) -> None:
    operands = [scalar(item, dtype) for item in (0.25, 9.0, 0.5)]
    same(made("Range", operands, (18,), dtype), np.arange(0.25, 9.0, 0.5).astype(dtype))
    operands[2] = scalar(-0.5, dtype)
    with pytest.raises(ValueError):
        made("Range", operands, (18,), dtype)
    mixed = [scalar(0, np.int32), scalar(3, np.int32), scalar(0.5, np.float32)]
    same(made("Range", mixed, (6,), np.float32), np.arange(0, 3, 0.5, np.float32))


def test_a_long_range_does_not_drift() -> None:
    number = 100_000
    step = np.float32(0.1)
    out = made("Range", [scalar(item, np.float32) for item in (0, float(step) * number, step)], (number,), np.float32)
    same(out, (np.arange(number) * float(step)).astype(np.float32))


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int32)], ids=str)
@pytest.mark.parametrize("number", [0, 1, 2, 5, 101])
def test_lin_space(dtype: Any, number: int) -> None:
    operands = [scalar(-3, dtype), scalar(7, dtype), scalar(number, np.int32)]
    want = np.linspace(-3, 7, number)
    for given_operands in (operands, late(*operands)):
        out = made("LinSpace", given_operands, (number,), dtype)
        if dtype.kind == "i":
            assert np.abs(out - want).max(initial=0) < 1
        else:
            close(out, want, 2)
        if number > 1:
            assert out[0] == -3 and out[-1] == 7


def test_log_space_and_refusals() -> None:
    close(made("LogSpaceD", [np.empty(5, np.float32)], (5,), np.float32, start=0.0, end=2.0, steps=5), np.logspace(0, 2, 5))
    with pytest.raises(ValueError):
        made("LinSpace", [scalar(0, np.float32), scalar(1, np.float32), scalar(-1, np.int32)], (0,), np.float32)
    with pytest.raises(ValueError):
        made("Range", late(scalar(0), scalar(5), scalar(1)), (4,), np.int64)


def test_rules() -> None:
    assert ruled("Fill", [meta(np.int64, 2), meta(np.float32)]) == [(-1, -1)]
    assert ruled("Range", [meta(np.int64), scalar(4), scalar(1)]) == [(-1,)]
    assert ruled("LinSpace", [meta(np.float32), meta(np.float32), scalar(9, np.int32)]) == [(9,)]
