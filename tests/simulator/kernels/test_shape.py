"""Kernels that move data, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, MOVED, UNTIMED, const, late, made, meta, ruled, run, same, sample, scalar

from ascendtensor.simulator.kernels import lookup

DTYPES = pytest.mark.parametrize("dtype", MOVED, ids=str)
SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=4).map(tuple)


@DTYPES
def test_transpose_moves_every_dtype_by_constant_and_by_device_perm(dtype: Any) -> None:
    x = sample((2, 3, 4), dtype)
    want = x.transpose(2, 0, 1)
    same(made("Transpose", [x, const(2, 0, 1)], want.shape, dtype), want)
    same(made("Transpose", [x, *late(const(-1, 0, 1))], want.shape, dtype), want)
    same(made("TransposeD", [x], want.shape, dtype, perm=[2, 0, 1]), want)


@UNTIMED
@given(SHAPES, st.randoms())
def test_transpose_of_any_shape(shape: tuple[int, ...], random: Any) -> None:
    x = sample(shape, np.float32)
    perm = list(range(x.ndim))
    random.shuffle(perm)
    want = x.transpose(perm)
    same(made("Transpose", [x, const(perm)], want.shape, np.float32), want)


def test_perm_is_read_when_the_task_runs() -> None:
    """A binder runs before the queued work that fills its inputs."""
    x, perm, out = sample((3, 3), np.float32), np.array([7, 7]), np.empty((3, 3), np.float32)
    kernel = lookup("Transpose")
    assert kernel is not None
    fn, args = kernel.bind([x, perm], [out], {})
    perm[:] = [1, 0]
    fn(*args)
    same(out, x.T)
    perm[:] = [0, 1]
    fn(*args)
    same(out, x)


def test_wrong_perms_and_outputs_are_refused() -> None:
    x = sample((2, 3), np.float32)
    for perm in ([0, 0], [0], [0, 2]):
        with pytest.raises(ValueError):
            made("Transpose", [x, const(perm)], (3, 2), np.float32)
    with pytest.raises(ValueError, match=r"shape \[3, 2\]"):
        made("Transpose", [x, const(1, 0)], (2, 3), np.float32)
    with pytest.raises(ValueError):
        made("Transpose", [x, *late(const(1, 0))], (2, 3), np.float32)
    with pytest.raises(ValueError, match="float16"):
        made("Transpose", [x, const(1, 0)], (3, 2), np.float16)


@DTYPES
def test_broadcast_to(dtype: Any) -> None:
    x = sample((3, 1), dtype)
    want = np.broadcast_to(x, (2, 3, 4))
    same(made("BroadcastTo", [x, const(2, 3, 4)], want.shape, dtype), want)
    same(made("BroadcastTo", [x, *late(const(2, -1, 4))], want.shape, dtype), want)
    same(made("BroadcastTo", [sample((), dtype), const(0, 2)], (0, 2), dtype), np.empty((0, 2), dtype))
    with pytest.raises(ValueError):
        made("BroadcastTo", [x, const(2, 4)], (2, 4), dtype)
    with pytest.raises(ValueError):
        made("BroadcastTo", [x, const(3)], (3,), dtype)


def test_reshaping_kernels_copy() -> None:
    x = sample((2, 1, 3), np.float32)
    same(made("Reshape", [x, const(3, -1)], (3, 2), np.float32), x.reshape(3, 2))
    same(made("Reshape", [x, const(0, 3)], (2, 3), np.float32), x.reshape(2, 3))
    same(made("Reshape", [x, *late(const(6))], (6,), np.float32), x.reshape(6))
    same(made("Squeeze", [x], (2, 3), np.float32, axis=[1]), x.reshape(2, 3))
    same(made("Squeeze", [x], (2, 3), np.float32), x.reshape(2, 3))
    same(made("SqueezeV3", [x, const(-2)], (2, 3), np.float32), x.reshape(2, 3))
    same(made("Unsqueeze", [x], (1, 2, 1, 3, 1), np.float32, axes=[0, -1]), x.reshape(1, 2, 1, 3, 1))
    same(made("ExpandDims", [x, const(1)], (2, 1, 1, 3), np.float32), x.reshape(2, 1, 1, 3))
    same(made("Flatten", [x], (2, 3), np.float32), x.reshape(2, 3))
    same(made("FlattenV2", [x], (2, 3), np.float32, axis=0, end_axis=1), x.reshape(2, 3))
    with pytest.raises(ValueError):
        made("Reshape", [x, const(4)], (4,), np.float32)
    with pytest.raises(ValueError):
        made("Squeeze", [x], (1, 3), np.float32, axis=[0])


INDICES = st.one_of(st.integers(-4, 3), st.builds(slice, st.integers(-6, 6), st.integers(-6, 6), st.sampled_from([-3, -2, -1, 1, 2])))


@UNTIMED
@given(st.lists(INDICES, min_size=1, max_size=3))
def test_strided_slice_is_numpys_indexing(items: list[Any]) -> None:
    x = sample((4, 4, 4), np.int32)
    want = x[tuple(items)]
    slices = [item if isinstance(item, slice) else slice(item, item + 1, 1) for item in items]
    shrink = sum(1 << i for i, item in enumerate(items) if not isinstance(item, slice))
    operands = [const([getattr(item, part) for item in slices]) for part in ("start", "stop", "step")]
    same(made("StridedSlice", [x, *operands], np.shape(want), np.int32, shrink_axis_mask=shrink), want)
    same(made("StridedSlice", [x, *late(*operands)], np.shape(want), np.int32, shrink_axis_mask=shrink), want)


def test_strided_slice_masks() -> None:
    x = sample((3, 4, 5), np.float32)
    out = made(
        "StridedSlice",
        [x, const(1, 0, 0, 2), const(9, 0, 0, 0), const(1, 1, 1, 2)],
        (2, 4, 1, 2),
        np.float32,
        ellipsis_mask=2,
        new_axis_mask=4,
        end_mask=8,
    )
    same(out, x[1:9, ..., None, 2::2])
    out = made("StridedSlice", [x, const(2), const(0), const(-1)], (3, 4, 5), np.float32, begin_mask=1, end_mask=1)
    same(out, x[::-1])
    with pytest.raises(IndexError):
        made("StridedSlice", [x, const(3), const(4), const(1)], (4, 5), np.float32, shrink_axis_mask=1)
    with pytest.raises(ValueError):
        made("StridedSlice", [x, const(0), const(4), const(0)], (3, 4, 5), np.float32)


def test_slices_that_name_their_axes() -> None:
    x = sample((3, 4, 5), np.float32)
    same(made("StridedSliceV3", [x, const(1), const(4), const(-1), const(2)], (3, 4, 2), np.float32), x[:, :, 1:4:2])
    same(made("StridedSliceV3", [x, *late(const(1), const(4))], (2, 4, 5), np.float32), x[1:4])
    same(made("Slice", [x, const(1, 0, 2), const(2, -1, 3)], (2, 4, 3), np.float32), x[1:3, :, 2:5])
    same(made("SliceD", [x], (2, 4, 3), np.float32, offsets=[1, 0, 2], size=[2, 4, 3]), x[1:3, :, 2:5])
    with pytest.raises(ValueError):
        made("Slice", [x, const(1, 0, 2), const(3, 4, 3)], (3, 4, 3), np.float32)


def test_strided_slice_assign_updates_its_input_in_place() -> None:
    var, value = sample((3, 4), np.float32), sample((2, 2), np.float32, 1)
    want = var.copy()
    want[1:, ::2] = value
    operands = [const(1, 0), const(3, 4), const(1, 2)]
    run("StridedSliceAssignV2", [var, value, *operands], [var])
    same(var, want)
    other = np.zeros_like(var)
    run("StridedSliceAssignV2", [var, np.float32(0).reshape(()), *operands], [other])
    want[1:, ::2] = 0
    same(other, want)


@DTYPES
def test_reverse_and_roll(dtype: Any) -> None:
    x = sample((3, 4), dtype)
    same(made("ReverseV2", [x, const(1, -2)], x.shape, dtype), x[::-1, ::-1])
    same(made("ReverseV2", [x, *late(const([], dtype=np.int32))], x.shape, dtype), x)
    same(made("Roll", [x], x.shape, dtype, shifts=[1, -1], dims=[0, 1]), np.roll(x, (1, -1), (0, 1)))
    same(made("Roll", [x], x.shape, dtype, shifts=[5], dims=[]), np.roll(x, 5))
    same(made("Roll", [x], x.shape, dtype, shifts=[1, 2], dims=[1, 1]), np.roll(x, 3, 1))
    same(made("RollV2", [x, const(7), const(-1)], x.shape, dtype), np.roll(x, 7, 1))


# Strided views


@DTYPES
def test_as_strided_reads_its_numbers_at_every_run(dtype: Any) -> None:
    x = sample((20,), dtype)
    size, stride, offset, out = np.array([2, 3]), np.array([5, 1]), np.array([2]), np.empty((2, 3), dtype)
    kernel = lookup("AsStrided")
    assert kernel is not None
    fn, args = kernel.bind([x, size, stride, offset], [out], {})
    for steps, start in (((5, 1), 2), ((1, 0), 4), ((-2, 1), 8)):
        stride[:], offset[:] = steps, start
        fn(*args)
        places = start + np.arange(2)[:, None] * steps[0] + np.arange(3) * steps[1]
        same(out, x[places])


def test_as_strided_stays_within_its_input() -> None:
    x = sample((4, 5), np.float32)
    for size, stride, offset in (((2, 3), (5, 5), 8), ((2, 3), (5, 1), -1), ((2, 3), (-5, 1), 4), ((2, -3), (5, 1), 4)):
        for operands in ([const(size), const(stride), const(offset)], late(const(size), const(stride), const(offset))):
            with pytest.raises(ValueError):
                made("AsStrided", [x, *operands], (2, 3), np.float32)
    same(made("AsStrided", [x, const(2, 0), const(9, 9), const(99)], (2, 0), np.float32), np.empty((2, 0)))
    same(made("AsStrided", [x, const([]), const([]), scalar(7)], (), np.float32), x.reshape(-1)[7])


@DTYPES
def test_view_copy_writes_through_a_view(dtype: Any) -> None:
    dst, src = sample((4, 5), dtype), sample((3, 2), dtype, 1)
    want = dst.copy()
    want.T[1:3, 1:4] = src.T
    numbers = [*late(const(3, 2), const(5, 1), const(6)), src, *late(const(3, 2), const(2, 1), const(0))]
    run("ViewCopy", [dst, *numbers], [dst])
    same(dst, want)
    other = np.empty_like(dst)
    numbers[4] = src[:1]
    run("ViewCopy", [dst, *numbers[:3], src, *late(const(1, 2), const(2, 1), const(0))], [other])
    want[1:4, 1:3] = src[:1]
    same(other, want)
    with pytest.raises(ValueError, match="reach out"):
        run("ViewCopy", [dst, *late(const(3, 2), const(5, 1), const(9)), src, *numbers[4:]], [dst])


# Splitting and joining


@DTYPES
def test_split_and_unpack(dtype: Any) -> None:
    x = sample((4, 6), dtype)
    parts = [np.empty((4, 2), dtype) for _ in range(3)]
    for op_type, inputs, attrs in (
        ("Split", [scalar(-1, np.int32), x], {}),
        ("SplitD", [x], {"split_dim": 1}),
        ("SplitV", [x, const(2, -1, 2), scalar(1)], {}),
        ("SplitV", [x, *late(const(2, 2, 2), const(1))], {}),
        ("SplitVD", [x], {"size_splits": [2, 2, 2], "split_dim": 1}),
    ):
        for part in parts:
            part.fill(0)
        run(op_type, inputs, parts, num_split=3, **attrs)
        for have, want in zip(parts, np.split(x, 3, 1), strict=True):
            same(have, want)
    rows = [np.empty(4, dtype) for _ in range(6)]
    run("Unpack", [x], rows, num=6, axis=1)
    for have, want in zip(rows, x.T, strict=True):
        same(have, want)


def test_splits_that_do_not_add_up_are_refused() -> None:
    x = sample((4, 6), np.float32)
    for sizes in ([2, 2], [5, 2], [7, -1]):
        with pytest.raises(ValueError):
            run("SplitV", [x, const(sizes), scalar(1)], [np.empty((4, size), np.float32) for size in (2, 2)], num_split=2)
    with pytest.raises(ValueError):
        run("SplitD", [x], [np.empty((1, 6), np.float32)] * 3, num_split=3, split_dim=0)
    with pytest.raises(ValueError):
        run("Unpack", [x], [np.empty(6, np.float32)] * 3, num=3)


@DTYPES
def test_joining(dtype: Any) -> None:
    parts = [sample((2, size, 3), dtype, size) for size in (1, 0, 4)]
    want = np.concatenate(parts, 1)
    same(made("ConcatD", parts, want.shape, dtype, concat_dim=1, N=3), want)
    same(made("ConcatV2", [*parts, scalar(-2)], want.shape, dtype, N=3), want)
    same(made("ConcatV2", [*parts, *late(const(1))], want.shape, dtype, N=3), want)
    same(made("Concat", [scalar(1), *parts], want.shape, dtype, N=3), want)
    rows = [sample((2, 3), dtype, seed) for seed in range(3)]
    for axis in (0, 1, -1):
        stacked = np.stack(rows, axis)
        same(made("Pack", rows, stacked.shape, dtype, axis=axis, N=3), stacked)
    same(made("Pack", [row[0, 0].reshape(()) for row in rows], (3,), dtype, N=3), np.stack([row[0, 0] for row in rows]))


def test_joining_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError):
        made("ConcatD", [sample((2, 3), np.float32), sample((3, 3), np.float32)], (2, 6), np.float32, concat_dim=1, N=2)
    with pytest.raises(ValueError):
        made("ConcatD", [sample((2, 3), np.float32), sample((2, 3), np.int32)], (4, 3), np.float32, concat_dim=0, N=2)
    with pytest.raises(ValueError):
        made("Pack", [sample((2,), np.float32), sample((3,), np.float32)], (2, 3), np.float32, N=2)


# Repeating


@UNTIMED
@given(SHAPES, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_tile_is_numpys(shape: tuple[int, ...], numbers: list[int]) -> None:
    x = sample(shape, np.int16)
    multiples = numbers[: max(x.ndim, 1)]
    want = np.tile(x, multiples)
    same(made("Tile", [x, const(multiples)], want.shape, np.int16), want)
    same(made("Tile", [x, *late(const(multiples))], want.shape, np.int16), want)


def test_repeat_interleave_by_one_number_and_by_one_per_place() -> None:
    x = sample((2, 3), BFLOAT16)
    for axis, repeats in itertools.product((0, 1, -1, 1000), ([2], [0])):
        want = np.repeat(x, repeats, None if axis == 1000 else axis)
        same(made("RepeatInterleave", [x, const(repeats)], want.shape, BFLOAT16, axis=axis), want)
    want = np.repeat(x, [3, 0, 1], 1)
    same(made("RepeatInterleave", [x, const(3, 0, 1)], want.shape, BFLOAT16, axis=1), want)
    out = np.zeros((2, 9), BFLOAT16)
    assert run("RepeatInterleave", [x, *late(const(3, 0, 1))], [out], axis=1) == [(2, 4)]
    same(out.reshape(-1)[:8].reshape(2, 4), want)
    with pytest.raises(ValueError):
        run("RepeatInterleave", [x, *late(const(3, 9, 1))], [out], axis=1)
    with pytest.raises(ValueError):
        run("RepeatInterleave", [x, *late(const(3, -1, 1))], [out], axis=1)


# Padding, triangles, diagonals


@pytest.mark.parametrize("dtype", [np.dtype(np.int8), np.dtype(np.float32), BFLOAT16], ids=str)
def test_padding(dtype: Any) -> None:
    x = sample((3, 4), dtype)
    pairs = [(1, 2), (0, 3)]
    flat = [1, 2, 0, 3]
    value = sample((1,), dtype, 5)
    want = np.pad(x, pairs, constant_values=value[0])
    shape = want.shape
    same(made("PadV3", [x, const(flat), value], shape, dtype), want)
    same(made("PadV3", [x, *late(const(1, 0, 2, 3)), value], shape, dtype, paddings_contiguous=False), want)
    same(made("PadV2", [x, const(pairs), value], shape, dtype), want)
    same(made("Pad", [x, const(pairs)], shape, dtype), np.pad(x, pairs))
    same(made("PadV3", [x, const(flat)], shape, dtype, mode="edge"), np.pad(x, pairs, "edge"))
    same(made("PadV3", [x, const(flat)], shape, dtype, mode="reflect"), np.pad(x, pairs, "reflect"))
    same(made("MirrorPad", [x, const(pairs)], shape, dtype, mode="REFLECT"), np.pad(x, pairs, "reflect"))
    same(made("MirrorPad", [x, const(pairs)], shape, dtype, mode="SYMMETRIC"), np.pad(x, pairs, "symmetric"))
    same(made("PadV3", [x[:0], const(1, 1, 0, 0), value], (2, 4), dtype), np.full((2, 4), value[0]))
    same(made("PadV3", [x, const(0, 0, 0, 0)], x.shape, dtype, mode="edge"), x)


def test_padding_refuses() -> None:
    x = sample((3, 4), np.float32)
    with pytest.raises(ValueError, match="too much"):
        made("PadV3", [x, const(3, 0, 0, 0)], (6, 4), np.float32, mode="reflect")
    with pytest.raises(ValueError, match="negative"):
        made("PadV3", [x, const(-1, 0, 0, 0)], (2, 4), np.float32)
    with pytest.raises(ValueError, match="4"):
        made("PadV3", [x, const(1, 0)], (4, 4), np.float32)
    with pytest.raises(ValueError, match="mode"):
        made("PadV3", [x, const(0, 0, 0, 0)], (3, 4), np.float32, mode="nearest")


@pytest.mark.parametrize("diagonal", [-5, -1, 0, 2, 9])
@pytest.mark.parametrize("dtype", [np.dtype(np.bool_), np.dtype(np.float64), BFLOAT16], ids=str)
def test_triangles_and_diagonals(dtype: Any, diagonal: int) -> None:
    x = sample((2, 3, 4), dtype)
    same(made("Tril", [x], x.shape, dtype, diagonal=diagonal), np.tril(x, diagonal))
    same(made("Triu", [x], x.shape, dtype, diagonal=diagonal), np.triu(x, diagonal))
    want = np.diagonal(x[0], diagonal)
    same(made("DiagV2", [x[0]], want.shape, dtype, diagonal=diagonal), want)
    vector = x[0, 0].copy()
    want = np.diag(vector, diagonal)
    same(made("DiagV2", [vector], want.shape, dtype, diagonal=diagonal), want)
    want = np.diagflat(x[0], diagonal)
    same(made("DiagFlat", [x[0]], want.shape, dtype, diagonal=diagonal), want)


def test_triangles_keep_what_is_not_a_number() -> None:
    x = np.full((2, 2), np.nan, np.float32)
    same(made("Tril", [x], (2, 2), np.float32), [[np.nan, 0], [np.nan, np.nan]])


def test_diagonals_of_tensorflow() -> None:
    x = sample((2, 3), np.float32)
    full = made("Diag", [x], (2, 3, 2, 3), np.float32)
    same(full, np.diag(x.reshape(-1)).reshape(2, 3, 2, 3))
    same(made("DiagPart", [full], (2, 3), np.float32), x)
    stack = made("MatrixDiag", [x], (2, 3, 3), np.float32)
    same(stack, np.stack([np.diag(row) for row in x]))
    same(made("MatrixDiagPart", [stack], (2, 3), np.float32), x)
    want = stack.copy()
    np.fill_diagonal(want[0], 7)
    same(made("FillDiagonal", [stack[0]], (3, 3), np.float32, fill_value=7.0), want[0])
    same(made("DiagFlat", [x[:0]], (0, 0), np.float32), np.empty((0, 0)))


def test_im2col_lays_windows_in_columns() -> None:
    x = sample((2, 3, 6, 5), np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)))
    columns = [padded[:, :, i : i + 4 : 2, j : j + 2][:, :, :, :2] for i in range(0, 5, 2) for j in range(0, 8)]
    want = np.stack([part.reshape(2, -1) for part in columns], -1).reshape(2, 12, 3, -1)
    out = made("Im2col", [x], want.shape, np.float32, ksizes=[2, 2], strides=[2, 1], dilations=[2, 1], pads=[1, 1, 2, 2])
    same(out, want)


# Shape rules where dims are not known


def test_rules_pass_unknown_dims_on() -> None:
    x = meta(np.float32, -1, 3)
    assert ruled("Transpose", [x, const(1, 0)]) == [(3, -1)]
    assert ruled("Transpose", [x, meta(np.int64, 2)]) == [(-1, -1)]
    assert ruled("Transpose", [meta(np.float32, -2), const(1, 0)]) == [(-2,)]
    assert ruled("BroadcastTo", [x, meta(np.int64, 3)]) == [(-1, -1, -1)]
    assert ruled("BroadcastTo", [x, const(5, -1, 3)]) == [(5, -1, 3)]
    assert ruled("Reshape", [x, const(-1)]) == [(-1,)]
    assert ruled("StridedSlice", [x, const(1), const(9), const(1)]) == [(-1, 3)]
    assert ruled("StridedSlice", [x, meta(np.int64, 1), meta(np.int64, 1), meta(np.int64, 1)], shrink_axis_mask=1) == [(3,)]
    assert ruled("Slice", [x, meta(np.int64, 2), const(2, 2)]) == [(2, 2)]
    assert ruled("SplitV", [x, const(1, 2), scalar(1)], 2, num_split=2) == [(-1, 1), (-1, 2)]
    assert ruled("ConcatD", [x, meta(np.float32, 4, 3)], concat_dim=0) == [(-1, 3)]
    assert ruled("ConcatD", [x, meta(np.float32, 4, 5)], concat_dim=1) == [(4, 8)]
    assert ruled("Pack", [x, meta(np.float32, 4, 3)], axis=-1) == [(4, 3, 2)]
    assert ruled("Tile", [x, const(2, 2)]) == [(-1, 6)]
    assert ruled("PadV3", [x, const(1, 1, 1, 1)]) == [(-1, 5)]
    assert ruled("AsStrided", [x, meta(np.int64, 2), meta(np.int64, 2), meta(np.int64, 1)]) == [(-1, -1)]
    assert ruled("RepeatInterleave", [x, meta(np.int64, 3)], axis=1) == [(-1, -1)]
    assert ruled("Squeeze", [x], axis=[0]) == [(3,)]
    assert ruled("ExpandDims", [x, scalar(-1)]) == [(-1, 3, 1)]


def test_the_forms_with_attributes_do_the_same() -> None:
    x = sample((2, 1, 3), np.float32)
    same(made("BroadcastToD", [x], (2, 4, 3), np.float32, shape=[2, 4, -1]), np.broadcast_to(x, (2, 4, 3)))
    same(made("SqueezeV2", [x], (2, 3), np.float32, axis=[1]), x[:, 0])
    same(made("UnsqueezeV2", [x], (2, 1, 3, 1), np.float32, axis=[-1]), x[..., None])
    same(made("UnsqueezeV3", [x, *late(const(0))], (1, 2, 1, 3), np.float32), x[None])
    same(made("TileD", [x], (2, 2, 6), np.float32, multiples=[1, 2, 2]), np.tile(x, (1, 2, 2)))
    same(made("ReverseV2D", [x], x.shape, np.float32, axis=[0, 2]), x[::-1, :, ::-1])
    same(made("StridedSliceD", [x], (1, 3), np.float32, begin=[1, 0], end=[2, 1], strides=[1, 1], shrink_axis_mask=1), x[1])
    same(made("ConcatV2D", [x, x], (4, 1, 3), np.float32, concat_dim=0, N=2), np.concatenate([x, x]))
    pairs = [[0, 1], [1, 0], [2, 2]]
    same(made("PadD", [x], (3, 2, 7), np.float32, paddings=pairs), np.pad(x, pairs))
    same(made("PadV3D", [x], (3, 2, 7), np.float32, paddings=pairs, constant_values=5), np.pad(x, pairs, constant_values=5))
