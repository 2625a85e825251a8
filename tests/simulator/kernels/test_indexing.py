"""Gathers, scatters, masks and one-hot places, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, FLOATS, MOVED, UNTIMED, close, const, late, made, meta, ruled, run, same, sample, scalar

from ascendtensor.simulator.kernels import infer_rule
from ascendtensor.simulator.kernels.registry import ACL_OF

DTYPES = pytest.mark.parametrize("dtype", MOVED, ids=str)
INDEX_TYPES = pytest.mark.parametrize("kind", [np.int32, np.int64])


def places(shape: Any, dim: int, kind: Any = np.int64, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, dim, shape).astype(kind)


# Gathering


def test_parts_of_a_very_long_mask_are_shared_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascendtensor.simulator.kernels.selection._SHARED", 1 << 19)
    for share in (0.05, 0.5, 1.0):
        test_long_masks(share, 600_001)


@DTYPES
@INDEX_TYPES
def test_gather_along_every_axis(dtype: Any, kind: Any) -> None:
    x = sample((3, 4, 5), dtype)
    for axis in (0, 1, -1):
        index = places((2, 3), x.shape[axis], kind)
        want = np.take(x, index, axis)
        same(made("GatherV2", [x, index, scalar(axis)], want.shape, dtype), want)
        same(made("GatherV2", [x, index, *late(const(axis, dtype=np.int32))], want.shape, dtype), want)
        same(made("GatherV2D", [x, index], want.shape, dtype, axis=axis), want)
    index = places((), 3, kind)
    same(made("Gather", [x, index], (4, 5), dtype), x[int(index)])


@UNTIMED
@given(st.integers(1, 2), st.integers(0, 1), st.integers(0, 3))
def test_gather_with_batch_dims(batch: int, further: int, number: int) -> None:
    x = sample((2, 3, 4, 5), np.float32)
    axis = batch + further
    index = places((*x.shape[:batch], number), x.shape[axis])
    want = np.stack([np.take(x[at], index[at], axis - batch) for at in np.ndindex(x.shape[:batch])])
    want = want.reshape(*x.shape[:batch], *want.shape[1:])
    same(made("GatherV2", [x, index, scalar(axis)], want.shape, np.float32, batch_dims=batch), want)


def test_gather_checks_its_indices() -> None:
    x = sample((3, 4), np.float32)
    for bad in (3, -1, 2**31):
        with pytest.raises(IndexError, match=str(bad)):
            made("GatherV2", [x, np.array([0, bad]), scalar(0)], (2, 4), np.float32)
    same(made("GatherV2", [x, np.array([-1, 0]), scalar(0)], (2, 4), np.float32, negative_index_support=True), x[[-1, 0]])
    with pytest.raises(IndexError):
        made("GatherV2", [x, np.array([-4]), scalar(0)], (1, 4), np.float32, negative_index_support=True)
    with pytest.raises(IndexError):
        made("GatherV2", [x[:0], np.array([0]), scalar(0)], (1, 4), np.float32)
    same(made("GatherV2", [x[:0], np.empty(0, np.int64), scalar(0)], (0, 4), np.float32), np.empty((0, 4)))
    with pytest.raises(ValueError):
        made("GatherV2", [x, np.array([0]), scalar(2)], (1, 4), np.float32)


@DTYPES
@INDEX_TYPES
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements(dtype: Any, kind: Any, axis: int) -> None:
    x = sample((3, 4, 5), dtype)
    index = places((2, 2, 5), x.shape[axis], kind) - np.array(x.shape[axis] // 2, kind)
    part = x[tuple(slice(None) if at == axis % 3 else slice(0, dim) for at, dim in enumerate(index.shape))]
    same(made("GatherElements", [x, index], index.shape, dtype, dim=axis), np.take_along_axis(part, index.astype(np.int64), axis))


def test_gather_elements_refuses() -> None:
    x = sample((3, 4), np.float32)
    with pytest.raises(IndexError):
        made("GatherElements", [x, np.array([[3]])], (1, 1), np.float32)
    with pytest.raises(ValueError):
        made("GatherElements", [x, np.zeros((1, 5), np.int64)], (1, 5), np.float32)
    with pytest.raises(ValueError):
        made("GatherElements", [x, np.zeros(2, np.int64)], (2,), np.float32)
    same(made("GatherElements", [x.reshape(-1)[0].reshape(()), np.zeros((), np.int64)], (), np.float32), x[0, 0])
    same(made("GatherElements", [x, np.zeros((0, 4), np.int64)], (0, 4), np.float32), np.empty((0, 4)))


@DTYPES
def test_gather_nd(dtype: Any) -> None:
    x = sample((3, 4, 5), dtype)
    for depth in (1, 2, 3):
        index = np.stack([places((2, 3), x.shape[at], seed=at) for at in range(depth)], -1)
        want = x[tuple(np.moveaxis(index, -1, 0))]
        same(made("GatherNd", [x, index], want.shape, dtype), want)
    with pytest.raises(IndexError):
        made("GatherNd", [x, np.array([[0, 4]])], (1, 5), dtype)
    same(made("GatherNd", [x, np.empty((2, 0), np.int64)], (2, 3, 4, 5), dtype), np.stack([x, x]))


# Scattering


@DTYPES
@pytest.mark.parametrize("axis", [0, -1])
def test_scatter_elements_writes(dtype: Any, axis: int) -> None:
    x, updates = sample((4, 5), dtype), sample((3, 4), dtype, 1)
    index = np.argsort(np.random.default_rng(0).random((4, 5)), axis)[:3, :4]
    want = x.copy()
    np.put_along_axis(want[:, :4] if axis == 0 else want[:3], index, updates, axis)
    same(made("ScatterElements", [x, index, updates], x.shape, dtype, axis=axis), want)
    same(made("ScatterElements", [x, index - x.shape[axis], updates], x.shape, dtype, axis=axis), want)
    var = x.copy()
    run("ScatterElementsV2", [var, index.astype(np.int32), updates], [var], axis=axis)
    same(var, want)


@pytest.mark.parametrize("dtype", [np.dtype(np.int64), *FLOATS], ids=str)
def test_scatter_elements_reduces_repeated_indices(dtype: Any) -> None:
    """Halves are added up in float32: 2048 ones and more do not get lost."""
    index = np.zeros((3000, 1), np.int64)
    ones = np.ones((3000, 1), dtype)
    out = made("ScatterElementsV2", [np.ones((2, 1), dtype), index, ones], (2, 1), dtype, reduction="add")
    same(out, np.array([[3001], [1]]).astype(dtype))
    twos = np.full((5, 1), 2, dtype)
    same(made("ScatterElements", [np.ones((2, 1), dtype), index[:5], twos], (2, 1), dtype, reduction="mul"), [[32], [1]])
    with pytest.raises(ValueError, match="reduction"):
        made("ScatterElements", [np.ones((2, 1), dtype), index[:5], twos], (2, 1), dtype, reduction="mean")
    with pytest.raises(IndexError):
        made("ScatterElements", [np.ones((2, 1), dtype), index[:1] + 2, twos[:1]], (2, 1), dtype)


@pytest.mark.parametrize("dtype", [np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.float16), np.dtype(np.float32)], ids=str)
@pytest.mark.parametrize(
    ("op_type", "function"),
    [
        ("ScatterAdd", np.add),
        ("ScatterSub", np.subtract),
        ("ScatterMul", np.multiply),
        ("ScatterMax", np.maximum),
        ("ScatterMin", np.minimum),
    ],
)
def test_rows_are_updated_in_place(op_type: str, function: np.ufunc, dtype: Any) -> None:
    var, index = (sample((4, 3), dtype) % 5).astype(dtype), np.array([[1, 3], [1, 0]])
    updates = (sample((2, 2, 3), dtype, 1) % 3).astype(dtype)
    want = var.astype(np.float64)
    function.at(want, index, updates.astype(np.float64))
    run(op_type, [var, index, updates], [var])
    if dtype.kind == "f":
        close(var, want, 2)
    else:
        same(var, want.astype(dtype))


@DTYPES
def test_scatter_update_and_nd_update(dtype: Any) -> None:
    x, rows = sample((4, 3), dtype), sample((2, 3), dtype, 1)
    want = x.copy()
    want[[2, 0]] = rows
    var = x.copy()
    run("ScatterUpdate", [var, np.array([2, 0], np.int32), rows], [var])
    same(var, want)
    var = x.copy()
    run("ScatterNdUpdate", [var, np.array([[2], [0]]), rows], [var])
    same(var, want)
    same(made("TensorScatterUpdate", [x, np.array([[2], [0]]), rows], x.shape, dtype), want)
    want = x.copy()
    want[[1, 3], [2, 0]] = rows[0, :2]
    same(made("ScatterNdUpdate", [x, np.array([[1, 2], [3, 0]]), rows[0, :2].copy()], x.shape, dtype), want)
    with pytest.raises(IndexError):
        run("ScatterNdUpdate", [var, np.array([[4]]), rows[:1]], [var])
    with pytest.raises(IndexError):
        run("ScatterUpdate", [var, np.array([-1]), rows[:1]], [var])
    with pytest.raises(ValueError):
        run("ScatterUpdate", [var, np.array([1]), rows], [var])
    with pytest.raises(ValueError):
        run("ScatterNdUpdate", [var, np.array([[1]]), rows], [var])


@pytest.mark.parametrize("dtype", [np.dtype(np.int64), np.dtype(np.float16), np.dtype(np.float32)], ids=str)
def test_scatter_nd_adds(dtype: Any) -> None:
    index, updates = np.array([[1, 2], [3, 0], [1, 2]]), np.array([3, 4, 5], dtype)
    want = np.zeros((4, 3), dtype)
    want[1, 2], want[3, 0] = 8, 4
    same(made("ScatterNd", [index, updates, const(4, 3)], (4, 3), dtype), want)
    same(made("ScatterNd", [index, updates, *late(const(4, 3))], (4, 3), dtype), want)
    same(made("ScatterNdAdd", [np.ones((4, 3), dtype), index, updates], (4, 3), dtype), want + 1)
    if dtype != np.int64:
        same(made("TensorScatterAdd", [np.ones((4, 3), dtype), index, updates], (4, 3), dtype), want + 1)
        same(made("ScatterNdSub", [np.ones((4, 3), dtype), index, updates], (4, 3), dtype), 1 - want)
    same(made("ScatterNd", [index[:0], updates[:0], const(4, 3)], (4, 3), dtype), np.zeros((4, 3)))


# PyTorch's index tensors


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64], ids=str)
def test_extremes_take_what_compares(dtype: Any) -> None:
    """hicann/ops-nn, scatter_nd_max_aicpu.cpp: `if (var < update)`, so that a NaN is never taken, and one that is there stays."""
    var, index = np.array([1, np.nan, 3], dtype), np.array([[0], [0], [1], [2]])
    updates = np.array([np.nan, 5, 9, np.nan], dtype)
    same(made("ScatterNdMax", [var, index, updates], (3,), dtype), np.array([5, np.nan, 3], dtype))
    same(made("ScatterNdMin", [var, index, updates], (3,), dtype), np.array([1, np.nan, 3], dtype))
    with pytest.raises(ValueError, match="none of none, add, mul"):
        made("ScatterElements", [var, index[:, 0], updates], (3,), dtype, reduction="max")


@pytest.mark.parametrize("mask", [(1,), (0, 1), (1, 1), (1, 0, 1), (0, 1, 1), (0, 0, 1), (1, 1, 1)])
def test_index_and_index_put(mask: tuple[int, ...]) -> None:
    x = sample((3, 4, 5), np.float32)
    tensors = [
        places((2, 3) if at else (3,), dim, seed=at) - dim // 2 for at, (dim, bit) in enumerate(zip(x.shape, mask, strict=False)) if bit
    ]
    queue = iter(tensors)
    key = tuple(next(queue) if bit else slice(None) for bit in mask)
    want = x[key]
    same(made("Index", [x, const(mask), const(mask), *tensors], want.shape, np.float32), want)
    assert ruled("Index", [x, const(mask), const(mask), *tensors]) == [want.shape]
    value = sample(want.shape[-1:], np.float32, 7)
    want = x.copy()
    np.add.at(want, key, value)
    # AI Core's kernel is chosen without a look at the mask (index_put_v2.py, CANN 8.1), and op-plugin gives these to the AI CPU.
    later = (0, 1) in itertools.pairwise(mask)
    engines = {"_exclude_engines": "AiCore"} if later else {}
    if later:
        with pytest.raises(ValueError, match="exclude the AI Core"):
            ruled("IndexPutV2", [x, value, const(mask), const(mask), *tensors], accumulate=True)
    close(made("IndexPutV2", [x, value, const(mask), const(mask), *tensors], x.shape, np.float32, accumulate=True, **engines), want, 4)
    value = np.float32(9).reshape(())
    want = x.copy()
    want[key] = value
    var = x.copy()
    run("IndexPutV2", [var, value, const(mask), const(mask), *tensors], [var], **engines)
    same(var, want)


def test_index_put_by_a_mask_and_out_of_range() -> None:
    x = sample((3, 4), BFLOAT16)
    mask = sample((3, 4), np.bool_)
    want = x.copy()
    want[mask] = 1
    same(made("IndexPutV2", [x, np.ones((1,), BFLOAT16), const(1), const(1), mask], x.shape, BFLOAT16), want)
    with pytest.raises(IndexError):
        made("Index", [x, const(1), const(1), np.array([3])], (1, 4), BFLOAT16)
    with pytest.raises(IndexError):
        made("IndexPutV2", [x, np.ones((1,), BFLOAT16), const(1), const(1), np.array([-5])], x.shape, BFLOAT16)
    with pytest.raises(ValueError):
        made("Index", [x, const(1, 1), const(1, 1), np.array([0])], (1, 4), BFLOAT16)


@pytest.mark.parametrize("dtype", [np.dtype(np.int32), np.dtype(np.bool_), *FLOATS], ids=str)
def test_inplace_index_add(dtype: Any) -> None:
    x, index = sample((3, 4, 2), dtype), np.array([1, 3, 1])
    for axis in (0, 1):
        index = np.array([1, 2, 1])
        updates = sample((*x.shape[:axis], 3, *x.shape[axis + 1 :]), dtype, 1)
        want = np.moveaxis(x.astype(np.float64), axis, 0).copy()
        np.add.at(want, index, np.moveaxis(updates, axis, 0).astype(np.float64))
        want = np.moveaxis(want, 0, axis)
        out = made("InplaceIndexAdd", [x, index, updates], x.shape, dtype, axis=axis)
        close(out, want, 2) if dtype.kind in "fV" else same(out, want.astype(dtype))
    alpha = np.array([2], np.float32)
    var = np.ones((3, 2), np.float32)
    run("InplaceIndexAdd", [var, np.array([0, 0]), np.ones((2, 2), np.float32), alpha], [var], axis=0)
    same(var, [[5, 5], [1, 1], [1, 1]])
    with pytest.raises(IndexError):
        run("InplaceIndexAdd", [var, np.array([0, 3]), np.ones((2, 2), np.float32), alpha], [var], axis=0)


def test_gradients_of_gathers() -> None:
    for dtype in FLOATS[:3]:
        grad, index = sample((2, 3, 4), dtype), np.array([[0, 2, 2], [1, 0, 2]])
        want = np.zeros((4, 4))
        np.add.at(want, index, grad.astype(np.float64))
        close(made("UnsortedSegmentSum", [grad, index, scalar(4)], (4, 4), dtype), want, 2)
        close(made("EmbeddingDenseGrad", [grad, index], (4, 4), dtype, num_weights=4), want, 2)
        counts = np.bincount(index.reshape(-1), minlength=4)[:, None]
        scaled = want / np.maximum(counts, 1)
        scaled[1] = 0
        close(made("EmbeddingDenseGrad", [grad, index], (4, 4), dtype, num_weights=4, padding_idx=1, scale_grad_by_freq=True), scaled, 2)
        same(made("UnsortedSegmentSum", [grad, index * 0 - 1, scalar(1)], (1, 4), dtype), np.zeros((1, 4)))


def test_index_fill() -> None:
    x = np.array([[1, np.nan], [3, 4]], np.float32)
    keep, fill = np.array([[1, 0], [1, 0]], np.float32), np.array([[0, 7], [0, 7]], np.float32)
    same(made("IndexFillD", [x, keep, fill], (2, 2), np.float32, dim=1), [[1, 7], [3, 7]])


# Masks


@pytest.mark.parametrize("length", [1 << 14, (1 << 14) + 1, 600_001])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 0.07, 0.5, 0.99, 1.0])
def test_long_masks(share: float, length: int) -> None:
    generator = np.random.default_rng(1)
    x, mask = generator.integers(0, 100, length, np.int32), generator.random(length) < share
    selected, places = np.empty_like(x), np.empty((x.size, 1), np.int64)
    number = np.count_nonzero(mask)
    assert run("MaskedSelect", [x, mask], [selected]) == [(number,)]
    same(selected[:number], x[mask])
    assert run("NonZero", [mask], [places]) == [(number, 1)]
    same(places[:number, 0], np.flatnonzero(mask))
    whole, wanted = np.empty_like(x), np.where(mask, 0, x)
    wanted[mask] = x[::-1][:number]
    run("MaskedScatter", [x, mask, x[::-1].copy()], [whole])
    same(whole, wanted)
    if number:
        with pytest.raises(ValueError, match=r"only room for|could not broadcast"):
            run("MaskedSelect", [x, mask], [selected[: number - 1]])
        with pytest.raises(ValueError, match=r"only room for|could not broadcast"):
            run("NonZero", [mask], [places[: number - 1]])


@pytest.mark.parametrize("length", [60_001, 600_001])
def test_dense_masks_written_in_place(length: int) -> None:
    generator = np.random.default_rng(2)
    x, values = generator.integers(0, 100, (2, length), np.int32)
    for share in (0.9, 0.99, 1.0):
        mask = generator.random(length) < share
        number = int(np.count_nonzero(mask))
        for handed in (number, min(number + 3, length), length):
            want, written = x.copy(), x.copy()
            want[mask] = values[:number]
            run("MaskedScatter", [written, mask, values[:handed]], [written])
            same(written, want)
        written = x.copy()
        with pytest.raises(ValueError, match=f"takes {number} elements, updates has {number - 1}"):
            run("MaskedScatter", [written, mask, values[: number - 1]], [written])
        same(written, x)


def test_masks_whose_beginning_says_little_about_them() -> None:
    x = np.arange(600_001, dtype=np.int32)
    mask = np.zeros(x.size, np.bool_)
    mask[1000:70_000] = mask[-1] = True
    out = np.empty((x.size, 1), np.int64)
    assert run("NonZero", [mask], [out]) == [(69_001, 1)]
    same(out[:69_001, 0], np.flatnonzero(mask))
    found = np.empty_like(x)
    for handed in (mask, ~mask):
        number = int(np.count_nonzero(handed))
        assert run("MaskedSelect", [x, handed], [found]) == [(number,)]
        same(found[:number], x[handed])


@DTYPES
def test_masked_select_and_scatter(dtype: Any) -> None:
    x, mask = sample((3, 4), dtype), sample((3, 4), np.bool_)
    out = np.zeros(12, dtype)
    for op_type in ("MaskedSelect", "MaskedSelectV3"):
        assert run(op_type, [x, mask], [out]) == [(mask.sum(),)]
        same(out[: mask.sum()], x[mask])
    row = np.array([True, False, True, False])
    assert run("MaskedSelect", [x, row], [out]) == [(6,)]
    same(out[:6], x[:, row].reshape(-1))
    updates = sample((20,), dtype, 2)
    want = x.copy()
    want[mask] = updates[: mask.sum()]
    same(made("MaskedScatter", [x, mask, updates], x.shape, dtype), want)
    with pytest.raises(ValueError):
        made("MaskedScatter", [x, np.ones((3, 4), np.bool_), updates[:11]], x.shape, dtype)


@pytest.mark.parametrize("dtype", [np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.float32), BFLOAT16], ids=str)
def test_nonzero(dtype: Any) -> None:
    x = (sample((3, 4, 2), np.int32) % 2).astype(dtype)
    want = np.argwhere(x.astype(np.float32))
    number = len(want)
    out = np.full((24, 3), 77, np.int64)
    assert run("NonZero", [x], [out]) == [(number, 3)]
    same(out[:number], want)
    assert (out[number:] == 77).all()
    assert run("Where", [x], [out]) == [(number, 3)]
    out = np.zeros((3, 24), np.int32)
    assert run("NonZero", [x], [out], transpose=True, dtype=3) == [(3, number)]
    same(out.reshape(-1)[: 3 * number].reshape(3, number), want.T)
    assert run("NonZero", [x[0, 0, 0].reshape(())], [np.zeros((1, 0), np.int64)]) == [(int(bool(x[0, 0, 0])), 0)]
    assert run("NonZero", [x[:0]], [np.zeros((0, 3), np.int64)]) == [(0, 3)]


def test_data_dependent_rules_give_ranges() -> None:
    x = meta(np.float32, 3, 4)
    rule = infer_rule("NonZero")
    assert rule is not None
    assert rule([x], {"transpose": False, "dtype": "int64"}, 1) == [(ACL_OF[np.dtype(np.int64)], (-1, 2), ((0, 12), (2, 2)))]
    assert rule([x], {"transpose": True, "dtype": 3}, 1) == [(ACL_OF[np.dtype(np.int32)], (2, -1), ((2, 2), (0, 12)))]
    select = infer_rule("MaskedSelect")
    assert select is not None
    assert select([x, meta(np.bool_, 4)], {}, 1) == [(ACL_OF[np.dtype(np.float32)], (-1,), ((0, 12),))]


# One-hot


@pytest.mark.parametrize("dtype", [np.dtype(np.int32), np.dtype(np.float32), BFLOAT16], ids=str)
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(dtype: Any, axis: int) -> None:
    x = np.array([[0, 2, -1], [1, 9, 2]])
    on, off = np.array(5, dtype), np.array(1, dtype)
    last = np.where(x[..., None] == np.arange(3), 5, 1)
    want = np.moveaxis(last, -1, axis)
    same(made("OneHot", [x, scalar(3), on, off], want.shape, dtype, axis=axis), want)
    same(made("OneHot", [x, *late(const(3)), on.reshape(1), off.reshape(1)], want.shape, dtype, axis=axis), want)
    same(made("OneHot", [x[0, 1].reshape(()), scalar(3), on, off], (3,), dtype), [1, 1, 5])
    same(made("OneHotD", [x.astype(np.int32), on, off], (2, 3, 3), dtype, depth=3), last)
    same(made("OneHot", [x[:0], scalar(3), on, off], (0, 3, 3), dtype), np.empty((0, 3, 3)))


def test_rules_pass_unknown_dims_on() -> None:
    x = meta(np.float32, -1, 3)
    assert ruled("GatherV2", [x, meta(np.int64, 2, 2), scalar(1)]) == [(-1, 2, 2)]
    assert ruled("GatherV2", [x, meta(np.int64, 2, 2), meta(np.int64, 1)]) == [(-1, -1, -1)]
    assert ruled("GatherNd", [x, meta(np.int64, 7, 1)]) == [(7, 3)]
    assert ruled("OneHot", [x, meta(np.int32), meta(np.float32), meta(np.float32)]) == [(-1, 3, -1)]
    assert ruled("ScatterNd", [meta(np.int64, 2, 1), meta(np.float32, 2, 3), meta(np.int64, 2)]) == [(-1, -1)]
    assert ruled("ScatterElements", [x, meta(np.int64, 2, 2), meta(np.float32, 2, 2)]) == [(-1, 3)]
