"""Shapes against NumPy: broadcasting, views, basic indexing; and refusals that name the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ascendtensor import shapes
from ascendtensor.errors import IndexRangeError, ShapeError, ValueRangeError
from ascendtensor.shapes import basic_index, contiguous_strides, view_strides

SHAPES = hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
FULL_SHAPES = hnp.array_shapes(min_dims=0, max_dims=5, min_side=1, max_side=4)


def storage(size: int) -> np.ndarray[Any, Any]:
    return np.arange(max(size, 1), dtype=np.int64)


def look(base: np.ndarray[Any, Any], shape: Sequence[int], strides: Sequence[int], offset: int) -> np.ndarray[Any, Any]:
    """The view of a flat array that shape, strides and offset in elements describe, never outside of it."""
    first, last = shapes.storage_extent(shape, strides, offset)
    assert 0 <= first <= last <= base.size
    if first == last:
        return np.empty(shape, base.dtype)
    return np.lib.stride_tricks.as_strided(base[offset:], shape, [stride * base.itemsize for stride in strides])


@st.composite
def views(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A flat base and a view of it, made by slicing, permuting and expanding."""
    shape = draw(FULL_SHAPES)
    base = storage(int(np.prod(shape)))
    view = base.reshape(shape)
    view = view[(..., *(slice(None, None, draw(st.sampled_from([1, 1, 2, -1]))) for _ in shape))]
    view = view.transpose(draw(st.permutations(range(view.ndim))))
    if draw(st.booleans()):
        view = np.broadcast_to(view, (*draw(hnp.array_shapes(min_dims=0, max_dims=1, max_side=3)), *view.shape))
    return base, view


def described(base: np.ndarray[Any, Any], view: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
    return view.shape, tuple(stride // base.itemsize for stride in view.strides), offset


@given(SHAPES)
def test_contiguous_strides_are_numpys(shape: tuple[int, ...]) -> None:
    strides = contiguous_strides(shape)
    assert shapes.is_contiguous(shape, strides)
    assert shapes.numel(shape) == np.empty(shape).size
    if 0 not in shape:
        assert strides == tuple(stride // 8 for stride in np.empty(shape).strides)
        assert shapes.storage_extent(shape, strides, 3) == (3, 3 + shapes.numel(shape))
        assert not shapes.has_overlap(shape, strides)


@given(views())
def test_is_contiguous_and_extent_are_numpys(pair: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]) -> None:
    base, view = pair
    shape, strides, offset = described(base, view)
    assert shapes.is_contiguous(shape, strides) == view.flags.c_contiguous
    assert shapes.storage_extent(shape, strides, offset) == (int(view.min()), int(view.max()) + 1)  # a base holds its own positions
    assert shapes.has_overlap(shape, strides) == (np.unique(view).size != view.size)
    assert np.array_equal(look(base, shape, strides, offset), view)


@given(st.lists(SHAPES, min_size=0, max_size=4))
@example([(2, 1), (0,), (1, 1, 1)])
def test_broadcasting_is_numpys(given_shapes: list[tuple[int, ...]]) -> None:
    try:
        expected = np.broadcast_shapes(*given_shapes)
    except ValueError:
        with pytest.raises(ShapeError) as caught:
            shapes.broadcast_shapes(*given_shapes)
        assert all(str(list(shape)) in str(caught.value) for shape in given_shapes)
    else:
        assert shapes.broadcast_shapes(*given_shapes) == expected


@given(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=5))
def test_shapes_that_broadcast_do(made: hnp.BroadcastableShapes) -> None:
    assert shapes.broadcast_shapes(*made.input_shapes) == made.result_shape


def factorings(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of ``size`` elements, axes of length 1 among them."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> tuple[int, ...]:
        shape, left = [], size
        while left > 1:
            length = draw(st.sampled_from([n for n in range(1, left + 1) if left % n == 0]))
            shape.append(length)
            left //= length
            if len(shape) > 6:
                shape.append(left)
                break
        shape += [1] * draw(st.integers(0, 2))
        return tuple(shape)

    return draw_one()


@given(views(), st.data())
def test_views_exist_exactly_where_numpy_reshapes_without_a_copy(pair: tuple[Any, np.ndarray[Any, Any]], data: st.DataObject) -> None:
    base, view = pair
    new_shape = data.draw(factorings(view.size))
    shape, strides, offset = described(base, view)
    found = view_strides(shape, strides, new_shape)
    expected = view.reshape(new_shape)
    if np.shares_memory(expected, base):
        assert found is not None, "NumPy needs no copy"
        assert np.array_equal(look(base, new_shape, found, offset), expected)
    else:
        assert found is None, "NumPy needs a copy"


@given(views())
def test_a_view_of_the_same_shape_and_flat_contiguous_views_always_exist(pair: tuple[Any, np.ndarray[Any, Any]]) -> None:
    shape, strides, _ = described(*pair)
    assert view_strides(shape, strides, shape) is not None
    if shapes.is_contiguous(shape, strides) and shapes.numel(shape) > 1:
        assert view_strides(shape, strides, (shapes.numel(shape),)) == (1,)


def test_views_of_empty_and_0d_tensors() -> None:
    assert view_strides((0, 3), (3, 1), (0, 3)) == (3, 1)
    assert view_strides((0, 3), (7, 2), (5, 0)) == contiguous_strides((5, 0))
    assert view_strides((), (), (1, 1)) == (1, 1)
    assert view_strides((1, 1), (9, 9), ()) == ()


@given(FULL_SHAPES, st.data())
def test_minus_one_is_inferred_as_numpy_does(shape: tuple[int, ...], data: st.DataObject) -> None:
    size = int(np.prod(shape))
    full = data.draw(factorings(size))
    assert shapes.infer_size(full, size) == full
    if full:
        dim = data.draw(st.integers(0, len(full) - 1))
        wanted = (*full[:dim], -1, *full[dim + 1 :])
        assert shapes.infer_size(wanted, size) == np.empty(shape).reshape(wanted).shape


@pytest.mark.parametrize(
    ("shape", "elements", "words"),
    [
        ((2, 3), 7, r"\[2, 3\] is invalid for input of size 7"),
        ((-1, 4), 6, r"\[-1, 4\] is invalid for input of size 6"),
        ((-1, -1), 6, "one of them may be -1"),
        ((-2, 3), 6, "invalid shape"),
        ((-1, 0), 0, "ambiguous"),
        ((-1, 0), 6, "is invalid for input of size 6"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(shape: tuple[int, ...], elements: int, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        shapes.infer_size(shape, elements)


@given(hnp.mutually_broadcastable_shapes(num_shapes=1, max_dims=5, min_side=0))
def test_expanding_is_broadcast_to(made: hnp.BroadcastableShapes) -> None:
    (shape,), target = made.input_shapes, made.result_shape
    assume(np.broadcast_shapes(shape, target) == target)
    base = storage(int(np.prod(shape)))
    new_shape, new_strides = shapes.expand_strides(shape, contiguous_strides(shape), target)
    assert new_shape == target
    if 0 not in shape:
        assert np.array_equal(look(base, new_shape, new_strides, 0), np.broadcast_to(base.reshape(shape), target))


def test_expanding_keeps_minus_one_and_refuses_the_rest() -> None:
    assert shapes.expand_strides((3, 1), (1, 1), (2, -1, 4)) == ((2, 3, 4), (0, 1, 0))
    for wanted, words in [
        ((3,), "fewer dimensions"),
        ((3, 2, 2), "length 5"),
        ((3, 5), "length 2"),
        ((-1, 2, 5), "needs a length"),
        ((2, -3), "length 5"),
    ]:
        with pytest.raises(ShapeError, match=words):
            shapes.expand_strides((2, 5), (5, 1), wanted)


@given(views(), st.data())
def test_permute_is_transpose(pair: tuple[Any, np.ndarray[Any, Any]], data: st.DataObject) -> None:
    base, view = pair
    shape, strides, offset = described(base, view)
    order = data.draw(st.permutations(range(view.ndim)))
    signed = [dim - view.ndim if data.draw(st.booleans()) else dim for dim in order]
    assert np.array_equal(look(base, *shapes.permute(shape, strides, signed), offset), view.transpose(order))


@given(views(), st.data())
def test_squeeze_and_unsqueeze_are_numpys(pair: tuple[Any, np.ndarray[Any, Any]], data: st.DataObject) -> None:
    base, view = pair
    shape, strides, offset = described(base, view)
    assert np.array_equal(look(base, *shapes.squeeze(shape, strides), offset), view.squeeze())
    dim = data.draw(st.integers(-view.ndim - 1, view.ndim))
    longer = shapes.unsqueeze(shape, strides, dim)
    assert np.array_equal(look(base, *longer, offset), np.expand_dims(view, dim))
    assert shapes.squeeze(*longer, dim) == (shape, strides)
    assert shapes.is_contiguous(*longer) == shapes.is_contiguous(shape, strides)


def test_squeeze_leaves_longer_axes_alone() -> None:
    assert shapes.squeeze((1, 2, 1), (2, 1, 1), 1) == ((1, 2, 1), (2, 1, 1))
    assert shapes.squeeze((1, 2, 1), (2, 1, 1), (0, 1)) == ((2, 1), (1, 1))


@st.composite
def indexed(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    shape = draw(SHAPES)
    index = draw(hnp.basic_indices(shape, allow_ellipsis=True, allow_newaxis=True, max_dims=12))
    return shape, index


@given(indexed())
@example(((4,), slice(None, None, -1)))
@example(((4, 3), (slice(3, 0, -2), None, -1)))
@example(((4,), slice(10, 2, 1)))
def test_basic_indexing_is_numpys(case: tuple[tuple[int, ...], Any]) -> None:
    shape, index = case
    base = storage(int(np.prod(shape)))
    expected = base[: int(np.prod(shape))].reshape(shape)[index]
    view = basic_index(shape, contiguous_strides(shape), 0, index)
    assert view.shape == np.shape(expected) and view.advanced == ()
    assert np.array_equal(look(base, view.shape, view.strides, view.offset), expected)


@given(views(), st.data())
def test_basic_indexing_of_views_is_numpys(pair: tuple[Any, np.ndarray[Any, Any]], data: st.DataObject) -> None:
    base, view = pair
    index = data.draw(hnp.basic_indices(view.shape, allow_newaxis=True, max_dims=12))
    found = basic_index(*described(base, view), index)
    assert np.array_equal(look(base, found.shape, found.strides, found.offset), view[index])


@given(SHAPES, st.lists(st.one_of(st.integers(-6, 6), st.slices(5), st.none(), st.just(...)), max_size=6))
def test_what_numpy_refuses_is_refused(shape: tuple[int, ...], parts: list[Any]) -> None:
    index = tuple(parts)
    try:
        expected: Any = np.empty(shape)[index].shape
    except IndexError:
        with pytest.raises(IndexRangeError):
            basic_index(shape, contiguous_strides(shape), 0, index)
    else:
        assert basic_index(shape, contiguous_strides(shape), 0, index).shape == expected


def test_integers_of_any_host_kind_are_basic_and_everything_else_is_advanced() -> None:
    for one in (1, np.int8(1), np.uint64(1), np.array(1)):
        assert basic_index((3, 4), (4, 1), 0, one) == ((4,), (1,), 4, ())
    rows, mask = [0, 1], np.zeros((4, 2), bool)
    on_device = SimpleNamespace(shape=(), dtype=SimpleNamespace(name="int64"), device="npu:0")
    assert basic_index((3, 4, 2), (8, 2, 1), 0, (1, rows)) == ((4, 2), (2, 1), 8, ((0, rows),))
    assert basic_index((3, 4), (4, 1), 0, on_device).advanced == ((0, on_device),)
    found = basic_index((3, 4, 2), (8, 2, 1), 0, (slice(1, None), mask))
    assert (found.shape, found.offset, found.advanced[0][0]) == ((2, 4, 2), 8, 1)
    found = basic_index((3, 4, 2), (8, 2, 1), 0, (..., rows))
    assert (found.shape, found.advanced) == ((3, 4, 2), ((2, rows),))
    for truth in (True, np.bool_(False), np.array(True)):
        found = basic_index((3,), (1,), 0, (truth, 2))
        assert (found.shape, found.strides, found.offset, len(found.advanced)) == ((1,), (0,), 2, 1)
    assert basic_index((3,), (1,), 0, 1.5).advanced == ((0, 1.5),), "a float is for the caller to refuse"


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (3, IndexRangeError, "index 3 is out of bounds for dimension 0 with size 3"),
        ((0, -5), IndexRangeError, "index -5 is out of bounds for dimension 1 with size 4"),
        ((0, 0, 0), IndexRangeError, "too many indices for tensor of dimension 2: 3"),
        ((0, ..., 0, slice(1)), IndexRangeError, "too many indices for tensor of dimension 2: 3"),
        ((..., ...), IndexRangeError, "single ellipsis"),
        (np.zeros((1, 1, 1), bool), IndexRangeError, "too many indices"),
        (slice(None, None, 0), ValueRangeError, "step cannot be zero"),
    ],
)
def test_bad_indices_are_refused_with_words(index: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        basic_index((3, 4), (4, 1), 0, index)


def test_dimension_numbers() -> None:
    assert [shapes.normalize_dim(dim, 3) for dim in (0, 2, -1, -3, np.int64(1))] == [0, 2, 2, 0, 1]
    assert shapes.normalize_dim(-1, 0) == shapes.normalize_dim(0, 0) == 0
    with pytest.raises(IndexError, match=r"expected to be in range of \[-3, 2\], but got 3"):
        shapes.normalize_dim(3, 3)
    with pytest.raises(IndexRangeError, match=r"\[-1, 0\]"):
        shapes.normalize_dim(1, 0)
    assert shapes.normalize_dims(None, 3) == (0, 1, 2)
    assert shapes.normalize_dims(-1, 3) == (2,)
    assert shapes.normalize_dims([-1, 0], 3) == (0, 2)
    assert shapes.normalize_dims((), 3) == () and shapes.normalize_dims(0, 0) == () and shapes.normalize_dims((-1,), 0) == ()
    with pytest.raises(ShapeError, match="dim 1 appears more than once"):
        shapes.normalize_dims((1, -2), 3)
    with pytest.raises(IndexRangeError):
        shapes.normalize_dims((5,), 3)


@given(SHAPES, st.booleans(), st.data())
def test_reduced_shapes_are_numpys(shape: tuple[int, ...], keepdim: bool, data: st.DataObject) -> None:
    dims = tuple(data.draw(st.sets(st.integers(0, max(len(shape) - 1, 0)), max_size=len(shape))))
    assert shapes.reduce_shape(shape, dims, keepdim) == np.zeros(shape).sum(axis=dims, keepdims=keepdim).shape


@given(hnp.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=3, min_side=0))
def test_matmul_shapes_are_numpys(made: hnp.BroadcastableShapes) -> None:
    a, b = made.input_shapes
    assert shapes.matmul_shape(a, b) == np.matmul(np.zeros(a), np.zeros(b)).shape


@given(SHAPES, SHAPES)
def test_matmul_refuses_what_numpy_refuses(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        expected = np.matmul(np.zeros(a), np.zeros(b)).shape
    except ValueError:
        with pytest.raises(ShapeError) as caught:
            shapes.matmul_shape(a, b)
        assert str(list(a)) in str(caught.value) and str(list(b)) in str(caught.value)
    else:
        assert shapes.matmul_shape(a, b) == expected


@given(st.lists(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=2), max_size=3), st.integers(-4, 3))
def test_joined_shapes_are_numpys(parts: list[tuple[int, ...]], dim: int) -> None:
    for ours, theirs in ((shapes.concat_shape, np.concatenate), (shapes.stack_shape, np.stack)):
        try:
            expected: Any = theirs([np.empty(shape) for shape in parts], dim).shape
        except (ValueError, IndexError):
            with pytest.raises((ShapeError, IndexRangeError)):
                ours(parts, dim)
        else:
            assert ours(parts, dim) == expected


def test_joining_names_the_tensor_that_does_not_fit() -> None:
    with pytest.raises(ShapeError, match=r"tensor 1 of shape \[2, 4\] cannot be joined with \[2, 3\] along dimension 0"):
        shapes.concat_shape([(2, 3), (2, 4)], 0)
    with pytest.raises(ShapeError, match=r"tensor 1 of shape \[1\] cannot be stacked with \[2\]"):
        shapes.stack_shape([(2,), (1,)], 0)


def test_shapes_as_users_write_them() -> None:
    assert shapes.as_shape(2, 3) == shapes.as_shape((2, 3)) == shapes.as_shape([np.int64(2), 3]) == (2, 3)
    assert shapes.as_shape() == shapes.as_shape(()) == () and shapes.as_shape(5) == (5,)
    for bad, words in [((2, -1), "negative"), ((10**30, 2), "at most 2"), (([1] * 33,), "at most 32")]:
        with pytest.raises(ShapeError, match=words):
            shapes.as_shape(*bad)
    for wrong in ((2.5,), ("ab",), (None, 3), (2, 3.0)):
        with pytest.raises(TypeError, match="integers"):
            shapes.as_shape(*wrong)


@pytest.mark.parametrize(("nbytes", "padded"), [(0, 32), (1, 64), (32, 64), (33, 96), (64, 96)])
def test_padding_is_that_of_malloc(nbytes: int, padded: int) -> None:
    """RT-29: the next multiple of 32 and 32 bytes of slack."""
    assert shapes.padded_nbytes(nbytes) == padded


@given(views())
def test_a_view_walked_forwards_and_reversed_is_the_view(pair: tuple[Any, np.ndarray[Any, Any]]) -> None:
    base, view = pair
    shape, strides, offset = described(base, view)
    forwards, start, flipped = shapes.without_negative_strides(shape, strides, offset)
    assert min(forwards, default=0) >= 0
    assert shapes.storage_extent(shape, forwards, start) == shapes.storage_extent(shape, strides, offset)
    assert np.array_equal(np.flip(look(base, shape, forwards, start), flipped), view)


@given(st.lists(st.integers(1, 4), max_size=5).flatmap(lambda shape: st.tuples(st.just(tuple(shape)), st.permutations(range(len(shape))))))
def test_permutation_finds_the_order_of_a_permuted_tensor(case: tuple[tuple[int, ...], list[int]]) -> None:
    shape, dims = case
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    view = whole.transpose(dims)
    strides = tuple(stride // whole.itemsize for stride in view.strides)
    found = shapes.permutation(view.shape, strides)
    assert found is not None
    back = whole.reshape([view.shape[found.index(dim)] for dim in range(len(shape))])
    np.testing.assert_array_equal(back.transpose(found), view)


@pytest.mark.parametrize(("shape", "strides"), [((2, 3), (6, 2)), ((2, 3), (0, 1)), ((2, 3), (3, -1)), ((4,), (2,)), ((2, 2), (1, 1))])
def test_permutation_refuses_what_is_no_whole_tensor(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    assert shapes.permutation(shape, strides) is None


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4).flatmap(lambda shape: st.tuples(st.just(shape), st.permutations(range(len(shape)))))
)
def test_turned_operands_lie_contiguous_in_one_order(case: tuple[list[int], list[int]]) -> None:
    lengths, order = case
    view = np.zeros(lengths, np.int8).transpose(order)
    row = np.zeros(view.shape[-1], np.int8)
    found = shapes.turned(((view.shape, view.strides), (row.shape, row.strides), ((), ()), (view.shape, view.strides)))
    assert (found is None) == view.flags.c_contiguous
    if found is not None:
        memory, vector, number, again = found.shapes
        assert memory == again and number == () and (found.shape, len(vector)) == (view.shape, view.ndim)
        whole = np.arange(view.size, dtype=np.int64).reshape(memory)
        seen = np.lib.stride_tricks.as_strided(whole, found.shape, tuple(8 * step for step in found.strides))
        np.testing.assert_array_equal(seen.transpose(np.argsort(order)).ravel(), np.arange(view.size))


@pytest.mark.parametrize(
    "layouts",
    [
        (((3, 4), (1, 3)), ((3, 4), (4, 1))),
        (((3, 4), (1, 3)), ((2, 3, 4), (12, 4, 1))),
        (((3, 4), (8, 2)),),
        (((0, 4), (1, 0)),),
        (((1, 2, 3), (9, 1, 2)), ((4, 1, 1), (1, 1, 1))),
    ],
)
def test_what_lies_in_different_orders_is_not_turned(layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]) -> None:
    assert shapes.turned(layouts) is None
