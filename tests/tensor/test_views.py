"""Views of any tensor against NumPy: the same elements, in the same memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ascendtensor as at

FEW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def strided(draw: st.DrawFn, least: int = 0) -> tuple[Any, Any]:
    """An array and a tensor as the same view of their storage: permuted, stepped, or as it is."""
    shape = draw(st.lists(st.integers(0, 4), min_size=least, max_size=4))
    array = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    tensor = at.tensor(array)
    if shape and draw(st.booleans()):
        order = draw(st.permutations(range(len(shape))))
        array, tensor = array.transpose(order), tensor.permute(*order)
    if shape and draw(st.booleans()):
        array, tensor = array[::2], tensor[::2]
    return array, tensor


def check(views: Any, arrays: Any) -> None:
    views, arrays = (list(each) if isinstance(each, (tuple, list)) else [each] for each in (views, arrays))
    assert [view.shape for view in views] == [array.shape for array in arrays]
    for view, array in zip(views, arrays, strict=True):
        np.testing.assert_array_equal(view.numpy(), array)


def aliases(tensor: Any, views: Any) -> None:
    """Ones written into the views are seen in the tensor."""
    for view in views if isinstance(views, tuple) else (views,):
        if view.numel() and tensor.numel():
            view.fill_(-1.0)
            assert (tensor == -1).any()
            tensor.fill_(5.0)
            np.testing.assert_array_equal(view.numpy(), np.full(view.shape, 5.0, np.float32))


@FEW
@given(st.data(), strided(1))
def test_parts(data: Any, both: tuple[Any, Any]) -> None:
    array, tensor = both
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    length = array.shape[dim]
    marks = data.draw(st.lists(st.integers(-length - 1, length + 1), max_size=3))
    check(at.tensor_split(tensor, marks, dim), np.array_split(array, marks, dim))
    number = data.draw(st.integers(1, 5))
    check(at.tensor_split(tensor, number, dim), np.array_split(array, number, dim))
    cuts = sorted(data.draw(st.lists(st.integers(0, length), max_size=3)))
    sizes = [stop - start for start, stop in zip([0, *cuts], [*cuts, length], strict=True)]
    check(at.split_with_sizes(tensor, sizes, dim), np.split(array, cuts, dim))
    check(at.unbind(tensor, dim), [array.take(place, dim) for place in range(length)])
    start = data.draw(st.integers(0, length))
    size = data.draw(st.integers(0, length - start))
    check(at.narrow(tensor, dim, start, size), array.take(range(start, start + size), dim))
    aliases(tensor, at.narrow(tensor, dim, start, size))


@FEW
@given(st.data(), strided(1))
def test_orders(data: Any, both: tuple[Any, Any]) -> None:
    array, tensor = both
    dims = st.integers(-array.ndim, array.ndim - 1)
    one, other = data.draw(dims), data.draw(dims)
    check(tensor.transpose(one, other), array.swapaxes(one, other))
    check(at.movedim(tensor, one, other), np.moveaxis(array, one, other))
    check(tensor.unsqueeze(one), np.expand_dims(array, one))
    check(tensor.squeeze(), array.squeeze())
    chosen = tuple(sorted({one % array.ndim, other % array.ndim}))
    check(tensor.squeeze(chosen), array.squeeze(tuple(dim for dim in chosen if array.shape[dim] == 1)))
    check(tensor.T, array.T)
    aliases(tensor, tensor.transpose(one, other))


@FEW
@given(st.data(), strided())
def test_shapes(data: Any, both: tuple[Any, Any]) -> None:
    array, tensor = both
    lengths = [length for length in array.shape if length != 1]
    wanted = tuple(data.draw(st.permutations([*lengths, 1])))
    check(tensor.reshape(wanted), array.reshape(wanted))
    check(tensor.flatten(), array.reshape(-1) if array.ndim else array.reshape(1))
    spread = (2, *(3 if length == 1 else length for length in array.shape))
    check(tensor.expand(spread), np.broadcast_to(array, spread))
    if tensor.is_contiguous():
        aliases(tensor, tensor.view(wanted))
    else:
        try:
            view = tensor.view(wanted)
        except ValueError:
            return
        check(view, array.reshape(wanted))


@pytest.mark.parametrize(
    ("split", "shape", "number", "reference"),
    [
        (at.hsplit, (6,), 3, np.hsplit),
        (at.hsplit, (2, 4), 2, np.hsplit),
        (at.hsplit, (2, 4), [1, 3], np.hsplit),
        (at.vsplit, (4, 2), 2, np.vsplit),
        (at.vsplit, (4, 2), [1], np.vsplit),
        (at.dsplit, (2, 2, 4), 4, np.dsplit),
    ],
)
def test_splits_along_named_dimensions(
    split: Callable[..., Any], shape: tuple[int, ...], number: Any, reference: Callable[..., Any]
) -> None:
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    check(split(at.tensor(array), number), reference(array, number))
    tensor = at.tensor(array)
    aliases(tensor, split(tensor, number))


def test_impossible_splits_are_refused() -> None:
    x = at.ones(3, 4)
    for action, error in [
        (lambda: at.hsplit(x, 3), ValueError),
        (lambda: at.vsplit(x, 2), ValueError),
        (lambda: at.vsplit(x[0], 1), ValueError),
        (lambda: at.dsplit(x, 1), ValueError),
        (lambda: at.tensor_split(x, 10**30), ValueError),
        (lambda: at.tensor_split(x, 0), ValueError),
        (lambda: at.split_with_sizes(x, [1, 1]), ValueError),
        (lambda: at.split_with_sizes(x, 2), TypeError),
        (lambda: at.unbind(at.tensor(1.0)), IndexError),
        (lambda: x.unflatten(1, 2), TypeError),
        (lambda: x.unflatten(1, ()), ValueError),
        (lambda: x.repeat(()), ValueError),
    ]:
        with pytest.raises(error):
            action()


def test_shapes_broadcast_without_tensors() -> None:
    assert at.broadcast_shapes() == () and at.broadcast_shapes((2, 1), (3,), 1) == (2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        at.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="negative"):
        at.broadcast_shapes((-1,))


def test_several_tensors_get_more_dimensions() -> None:
    one, two = at.tensor(1.0), at.ones(3)
    assert [x.shape for x in at.atleast_1d(one, two)] == [(1,), (3,)]
    assert [x.shape for x in at.atleast_2d([one, two])] == [(1, 1), (1, 3)]
    assert [x.shape for x in at.atleast_3d(one, at.ones(2, 3))] == [(1, 1, 1), (2, 3, 1)]
    assert at.atleast_2d(two).shape == (1, 3)


def test_conjugate_transposes() -> None:
    host = np.array([[1 + 2j, 3j], [4, 5 - 1j], [0, 1]], np.complex64)
    x = at.tensor(host)
    np.testing.assert_array_equal(x.H.numpy(), host.conj().T)
    np.testing.assert_array_equal(x[None].mH.numpy(), host.conj().T[None])
    with pytest.raises(ValueError, match="mH"):
        x[None].H  # noqa: B018


def operators(work: Callable[[], object]) -> dict[str, int]:
    """How often each operator is launched."""
    before = at.handle_cache.launches()
    work()
    return {op: number - before.get(op, 0) for op, number in at.handle_cache.launches().items() if number != before.get(op, 0)}


@pytest.mark.parametrize("dtype", [at.float32, at.int8, at.complex128, at.bool])
def test_stretches_of_memory_that_begin_anywhere_are_copied_without_operators(dtype: Any) -> None:
    x = at.tensor(np.arange(70).reshape(7, 10) % 2).to(dtype)
    before = x.numpy()
    assert operators(lambda: x[3].clone()) == {}
    check(x[3].clone(), before[3])
    other = at.tensor(np.arange(20).reshape(2, 10) % 3).to(dtype)
    expected = before.copy()

    def write() -> None:
        x[1] = other[1]
        x[5] = x[4]  # of the same memory, next to it
        x[0] = other[0]  # ends where another row begins

    assert operators(write) == {}
    expected[1], expected[5], expected[0] = other.numpy()[1], expected[4], other.numpy()[0]
    check(x, expected)


def test_stretches_that_overlap_are_copied_first() -> None:
    x, array = at.arange(40), np.arange(40)
    x[3:33] = x[1:31]
    array[3:33] = array[1:31].copy()
    check(x, array)


def test_memory_that_an_operator_can_write_is_filled_and_copied_into_at_once() -> None:
    x, y, whole = at.zeros(4, 8), at.ones(4, 8), at.ones((4, 8), dtype=at.int32)
    assert operators(lambda: x.fill_(2.5)) == {"Fill": 1}
    assert operators(lambda: x.copy_(y)) == {"TensorMove": 1}
    assert operators(lambda: x.copy_(whole)) == {"Cast": 1}
    assert operators(lambda: x[1].fill_(7)) == {"Fill": 1}
    assert operators(lambda: x[:, 1].fill_(3)) == {"ViewCopy": 1}
    expected = np.ones((4, 8), np.float32)
    expected[1], expected[:, 1] = 7, 3
    check(x, expected)


def test_what_is_kept_padded_is_not_filled_beyond_its_end() -> None:
    x = at.zeros(3, 5)
    x[1].fill_(4)
    x[2] = 5.0
    check(x, np.array([[0] * 5, [4] * 5, [5] * 5], np.float32))


@pytest.mark.parametrize("dtype", [at.float32, at.bool, at.float64, at.complex64, at.complex128, at.uint16, at.bfloat16])
def test_few_elements_are_gathered_and_many_strided(dtype: Any) -> None:
    array = np.arange(96 * 100).reshape(96, 100) % 7
    x = at.tensor(array).to(dtype)
    views: list[Callable[[Any], Any]] = [lambda x: x[:, 3], lambda x: x[5:1:-2, ::30], lambda x: x[1:3, None, 4:6], lambda x: x.T[2:5]]
    for view in views:
        result: list[Any] = []
        assert operators(lambda view=view, result=result: result.append(view(x).clone())) == {"GatherV2": 1}
        np.testing.assert_array_equal(result[0].to(at.complex128).numpy(), view(x.to(at.complex128).numpy()))
    assert "AsStrided" in operators(lambda: x[:, :99].clone())


def test_places_of_views_are_kept_for_the_last_few(new_process: None) -> None:
    # In a new process: a model that serves all shapes may take its constants from the host.
    x = at.arange(1000.0).reshape(10, 100)
    kept = x.desc.device.places
    before = at.memory_stats()["to_device"]
    for _ in range(3):
        check(x[:, 7].clone(), np.arange(7.0, 1000, 100, np.float32))
    assert at.memory_stats()["to_device"] - before == 80
    for column in range(100):
        x[:, column].clone()
    assert len(kept) == 32
    at.shutdown()
    assert not kept
