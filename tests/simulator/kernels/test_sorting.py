"""Sorting, selection, unique elements and counts, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from running import BFLOAT16, UNTIMED, const, late, made, meta, ruled, run, same, sample, scalar

from ascendtensor.simulator.kernels.sorting import order_key, upper_argsort

SORTED = [np.dtype(kind) for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32)] + [BFLOAT16]
DTYPES = pytest.mark.parametrize("dtype", SORTED, ids=str)
EDGES = np.array([3, -0.0, np.nan, np.inf, 0.0, -np.inf, 1, np.nan, -2, 1, 6e-8, -6e-8], np.float64)


def stable(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """Stable order with NaN largest, by Python's sort."""
    rows = np.moveaxis(x.astype(np.float64), axis, -1)
    order = np.empty(rows.shape, np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        values = [(bool(np.isnan(item)), 0.0 if np.isnan(item) else float(item)) for item in rows[at]]
        order[at] = sorted(range(len(values)), key=values.__getitem__, reverse=False)
        if descending:
            order[at] = sorted(range(len(values)), key=lambda place: (not values[place][0], -values[place][1]))
    return np.moveaxis(order, -1, axis)


def sorted_by(op_type: str, inputs: list[Any], shape: Any, dtype: Any, **attrs: Any) -> tuple[np.ndarray, np.ndarray]:
    values, indices = np.empty(shape, dtype), np.empty(shape, np.int32)
    run(op_type, inputs, [values, indices], **attrs)
    return values, indices


@DTYPES
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("length,k", [(64, 16), (901, 200), (5003, 40)])
def test_top_k_of_a_line(dtype: Any, largest: bool, special: bool, length: int, k: int) -> None:
    """By all elements or by the best of columns, by the numbers or, with a NaN or where too many are equal, by keys."""
    x = np.random.default_rng(length).integers(-2000, 2000, length).astype(dtype)
    if special and (dtype.kind == "f" or dtype == BFLOAT16):
        x[10:22], x[-2:] = EDGES.astype(dtype), np.nan
    elif special:
        x[10:-5] = 7
    values, indices = sorted_by("TopKV2", [x, scalar(k, np.int32)], (k,), dtype, largest=largest)
    want = stable(x, 0, largest)[:k]
    same(indices, want)
    same(values, x[want])


@pytest.mark.parametrize("dtype", SORTED[-3:], ids=str)
@pytest.mark.parametrize("k", [1, 70])
def test_top_k_of_lines_one_after_the_other(dtype: Any, k: int) -> None:
    x = np.random.default_rng(k).standard_normal((2, 2, 4500)).astype(dtype)
    x[0, 1, 77:79], x[1, 0], x[1, 1, 5:] = np.nan, 2.0, -np.inf  # fits no line but the first
    order = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")
    order[0, 1] = np.concatenate([[77, 78], order[0, 1][:-2]])
    values, indices = sorted_by("TopKV2", [x, scalar(k, np.int32)], (2, 2, k), dtype)
    same(indices, order[..., :k])
    same(values, np.take_along_axis(x, order[..., :k], -1))


@DTYPES
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
def test_sort_is_stable(dtype: Any, descending: bool, axis: int) -> None:
    x = (sample((7, 40), np.int32) % 9 - 4).astype(dtype)
    values, indices = sorted_by("Sort", [x], x.shape, dtype, axis=axis, descending=descending, stable=True)
    want = stable(x, axis, descending)
    same(indices, want)
    same(values, np.take_along_axis(x, want, axis))


@pytest.mark.parametrize("dtype", SORTED[-3:], ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", [12, 200])
def test_nan_is_the_largest_and_zeros_are_equal(dtype: Any, descending: bool, length: int) -> None:
    x = np.resize(EDGES, length).astype(dtype)
    values, indices = sorted_by("Sort", [x], x.shape, dtype, descending=descending)
    same(indices, stable(x, 0, descending))
    same(values, x[indices])
    values, indices = sorted_by("TopKV2", [x, scalar(5, np.int32)], (5,), dtype, largest=descending)
    same(indices, stable(x, 0, descending)[:5])


@UNTIMED
@given(hnp.arrays(np.float32, hnp.array_shapes(max_dims=2, max_side=90), elements=st.floats(width=32)), st.booleans(), st.data())
def test_sort_and_top_k_of_anything(x: np.ndarray, largest: bool, data: Any) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    k = data.draw(st.integers(0, x.shape[axis]))
    order = stable(x, axis, largest)
    first = np.take(order, np.arange(k), axis)
    values, indices = sorted_by("TopKV2", [x, *late(const(k, dtype=np.int32))], first.shape, np.float32, dim=axis, largest=largest)
    same(indices, first)
    same(values, np.take_along_axis(x, first, axis))
    _, indices = sorted_by("TopKV2", [x, scalar(k, np.int32)], first.shape, np.float32, dim=axis, largest=largest, sorted=False)
    same(np.sort(indices, axis), np.sort(first, axis))


def test_order_keys_of_unsigned_and_bool() -> None:
    for x in (np.array([0, 2**32 - 1, 2**31, 5] * 9, np.uint32), np.array([0, 2**64 - 1, 2**63], np.uint64), np.array([True, False])):
        values, indices = np.empty_like(x), np.empty(x.shape, np.int32)
        run("TopK", [x, scalar(x.size, np.int32)], [values, indices])
        same(values, np.sort(x)[::-1])
    assert order_key(np.array([np.nan, -np.nan], np.float32)).tolist() == [2**31 - 1] * 2


def test_sorting_edges_and_refusals() -> None:
    values, indices = sorted_by("Sort", [np.array(3, np.float32)], (), np.float32)
    assert values == 3 and indices == 0
    sorted_by("Sort", [np.empty((0, 3), np.float32)], (0, 3), np.float32, axis=0)
    x = sample((4,), np.float32)
    for k in (5, -1):
        with pytest.raises(ValueError):
            sorted_by("TopKV2", [x, scalar(k, np.int32)], (4,), np.float32)
    with pytest.raises(ValueError):
        sorted_by("TopKV2", [x, *late(const(3, dtype=np.int32))], (2,), np.float32)
    with pytest.raises(ValueError):
        sorted_by("Sort", [x], (4,), np.float32, axis=1)
    assert ruled("TopKV2", [meta(np.float32, -1, 9), meta(np.int32)], 2) == [(-1, -1)] * 2
    assert ruled("TopKV2", [meta(np.float32, -1, 9), scalar(4, np.int32)], 2) == [(-1, 4)] * 2


# Unique elements


@pytest.mark.parametrize("dtype", [np.dtype(np.bool_), np.dtype(np.uint64), np.dtype(np.complex64), *SORTED], ids=str)
def test_unique_sorted_and_by_first_place(dtype: Any) -> None:
    x = (sample((5, 6), np.int32) % 7).astype(dtype)
    wide = x.astype(np.complex64) if dtype.kind == "c" else x.astype(np.int64)
    want, first, inverse, counts = np.unique(wide, return_index=True, return_inverse=True, return_counts=True)
    y, indices, number = np.zeros(30, dtype), np.zeros((5, 6), np.int64), np.zeros(30, np.int64)
    dims = run("UniqueWithCountsAndSorting", [x], [y, indices, number], return_inverse=True, return_counts=True)
    assert dims == [want.shape, x.shape, want.shape]
    same(y[: len(want)], want.astype(dtype))
    same(indices, inverse.reshape(5, 6))
    same(number[: len(want)], counts)
    if dtype.kind in "V" or dtype in (np.bool_, np.uint64, np.complex64):
        return
    order = np.argsort(first)
    flat = np.zeros(30, np.int32)
    assert run("UniqueExt2", [x.reshape(-1), const([], dtype=np.int64)], [y, flat], out_idx=3) == [want.shape, (30,)]
    same(y[: len(want)], want[order].astype(dtype))
    same(y[flat], x.reshape(-1))


def test_unique_rows_and_columns() -> None:
    x = np.array([[1, 2, 1], [0, 5, 0], [1, 2, 1], [0, 4, 0]], np.float32)
    for axis in (0, 1, -1):
        want, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=axis)
        y, idx, number, back = np.zeros(12, np.float32), np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
        length = x.shape[axis]
        outputs = [y.reshape(x.shape), idx[:length], number[:length], back[:length]]
        dims = run("UniqueWithCountsExt2", [x, const(axis)], outputs, sorted=True, return_inverse=True)
        assert dims == [want.shape, (length,), (want.shape[axis],), (length,)]
        same(y[: want.size].reshape(want.shape), want)
        same(back[:length], inverse.reshape(-1))
        same(number[: counts.size], counts)


def test_nans_are_all_different_and_zeros_the_same() -> None:
    x = np.array([np.nan, 0.0, -0.0, np.nan], np.float16)
    y, indices, counts = np.zeros(4, np.float16), np.zeros(4, np.int32), np.zeros(4, np.int32)
    assert run("UniqueWithCounts", [x], [y, indices, counts], out_idx=3) == [(3,), (4,), (3,)]
    same(y[:3], [np.nan, 0, np.nan])
    same(indices, [0, 1, 1, 2])
    same(counts[:3], [1, 2, 1])
    assert run("Unique", [x[:0]], [y, indices[:0]]) == [(0,), (0,)]


@pytest.mark.parametrize("dtype", [np.dtype(np.int64), BFLOAT16], ids=str)
def test_unique_consecutive(dtype: Any) -> None:
    x = np.array([[1, 1, 2], [2, 1, 1]]).astype(dtype)
    y, inverse, counts = np.zeros(6, dtype), np.zeros((2, 3), np.int64), np.zeros(6, np.int64)
    assert run("UniqueConsecutive", [x], [y, inverse, counts], return_idx=True, return_counts=True) == [(3,), (2, 3), (3,)]
    same(y[:3], [1, 2, 1])
    same(inverse, [[0, 0, 1], [1, 2, 2]])
    same(counts[:3], [2, 2, 2])
    rows = np.array([[1, 2], [1, 2], [3, 2]]).astype(dtype)
    assert run("UniqueConsecutive", [rows], [np.zeros((3, 2), dtype), inverse, counts], axis=0)[0] == (2, 2)


def test_unique_rules() -> None:
    x = meta(np.float32, 3, 4)
    assert ruled("UniqueWithCountsAndSorting", [x], 3, return_inverse=True, return_counts=True) == [(-1,), (3, 4), (-1,)]
    assert ruled("UniqueWithCountsExt2", [x, const(1)], 4, return_inverse=True) == [(3, -1), (4,), (-1,), (4,)]
    assert ruled("UniqueExt2", [x, const([], dtype=np.int32)], 2) == [(-1,), (12,)]


# Searching and counting


@pytest.mark.parametrize("dtype", SORTED[:-1], ids=str)
@pytest.mark.parametrize("right", [False, True])
def test_search_sorted(dtype: Any, right: bool) -> None:
    row = np.sort(sample((20,), np.int32) % 9).astype(dtype)
    values = (sample((2, 5), np.int32, 1) % 11).astype(dtype)
    side: Any = "right" if right else "left"
    same(made("SearchSorted", [row, values], (2, 5), np.int64, right=right), np.searchsorted(row, values, side))
    rows = np.stack([row, row[::-1]])
    sorter = np.stack([np.arange(20), np.arange(20)[::-1]])
    want = np.stack([np.searchsorted(row, value, side) for value in values])
    same(made("SearchSorted", [rows, values, sorter], (2, 5), np.int32, right=right, dtype=3), want)


def test_search_sorted_puts_nan_behind() -> None:
    row = np.array([1, 2, np.nan], np.float32)
    same(made("SearchSorted", [row, np.array([np.nan, np.inf], np.float32)], (2,), np.int64), [2, 2])
    with pytest.raises(ValueError):
        made("SearchSorted", [np.ones((2, 3), np.float32), np.ones((3, 3), np.float32)], (3, 3), np.int64)


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.int32)], ids=str)
def test_histograms(dtype: Any) -> None:
    x = (sample((500,), np.int32) - 20).astype(dtype)
    x[0] = 60
    want, _ = np.histogram(x, 8, (0, 60))
    same(made("Histogram", [x], (8,), dtype, bins=8, min=0.0, max=60.0), want)
    same(made("HistogramV2", [x, np.array([0], dtype), np.array([60], dtype)], (8,), np.int32, bins=8), want)
    same(made("Histogram", [x], (10,), dtype, bins=10), np.histogram(x, 10)[0])
    same(made("Histogram", [x[:0]], (3,), dtype, bins=3), [0, 0, 0])
    clipped = np.bincount(np.clip(np.floor((x.astype(float)) / 7.5), 0, 7).astype(int), minlength=8)
    same(made("HistogramFixedWidth", [x, np.array([0, 60], dtype), scalar(8, np.int32)], (8,), np.int32), clipped)
    with pytest.raises(ValueError):
        made("Histogram", [x], (3,), dtype, bins=3, min=2.0, max=1.0)


def test_bincount() -> None:
    x, weights = np.array([1, 3, 1, 9], np.int32), np.array([1, 2, 3, 4], np.float32)
    same(made("Bincount", [x, scalar(4, np.int32), weights], (4,), np.float32), [0, 4, 0, 2])
    same(made("Bincount", [x, scalar(4, np.int32), np.empty(0, np.int64)], (4,), np.int64), [0, 2, 0, 1])
    with pytest.raises(ValueError):
        made("Bincount", [x - 2, scalar(4, np.int32), weights], (4,), np.float32)


@pytest.mark.parametrize("spread", [1, 1 << 30, 1 << 50])
@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_wide_numbers_are_sorted_as_by_their_whole(kind: Any, spread: int) -> None:
    """Near ones by an offset, far ones by their upper bits, and those that agree in these by all."""
    generator = np.random.default_rng(4)
    x = (generator.integers(0, 4096, 900) * spread + generator.integers(0, 2, 900)).astype(kind)
    np.testing.assert_array_equal(upper_argsort(x), np.argsort(x, kind="stable"))
    lines = np.stack([x, x[::-1]]) - kind(1 << 61) if kind is np.int64 else np.stack([x, x[::-1]])
    values, indices = sorted_by("Sort", [lines], lines.shape, kind, axis=-1, descending=False)
    np.testing.assert_array_equal(indices, np.argsort(lines, axis=-1, kind="stable"))
    np.testing.assert_array_equal(values, np.sort(lines, axis=-1))


def test_of_equal_elements_the_first_are_the_top() -> None:
    x = np.random.default_rng(5).integers(0, 4, (30, 300)).astype(np.float32)
    for k in (1, 7, 60):
        _, indices = sorted_by("TopKV2", [x, scalar(k, np.int32)], (30, k), np.float32, dim=-1, largest=True)
        np.testing.assert_array_equal(indices, np.argsort(-x, axis=-1, kind="stable")[:, :k])


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("spread", [1, 1 << 40])
def test_many_integers_are_found_in_a_row(right: bool, spread: int) -> None:
    generator = np.random.default_rng(6)
    row, wanted = np.sort(generator.integers(-90, 90, 200)) * spread, generator.integers(-120, 120, 150_000) * spread
    found = np.empty(wanted.shape, np.int32)
    run("SearchSorted", [row, wanted], [found], dtype=3, right=right)
    np.testing.assert_array_equal(found, np.searchsorted(row, wanted, "right" if right else "left"))


@pytest.mark.parametrize("right", [False, True])
def test_many_floats_are_found_in_a_long_row(right: bool) -> None:
    generator = np.random.default_rng(7)
    row = np.sort(generator.normal(size=300).astype(np.float32))
    wanted = np.concatenate([generator.normal(size=150_000).astype(np.float32), row, [np.nan, -0.0, np.inf, -np.inf]]).astype(np.float32)
    found = np.empty(wanted.shape, np.int32)
    run("SearchSorted", [row, wanted], [found], dtype=3, right=right)
    np.testing.assert_array_equal(found, np.searchsorted(row, wanted, "right" if right else "left"))
