"""Numbers that users of other libraries were surprised by, index tensors and masks: each case names the reports it is taken from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at


def values(tensor: Any) -> Any:
    return tensor.tolist()


def test_a_mask_without_a_hit() -> None:
    # PaddlePaddle/PaddleCustomDevice#664: an empty index gave a wrong result
    x = at.arange(6, dtype=at.float32).reshape(2, 3)
    m = x > 100
    assert x[m].shape == (0,) and x[m].dtype is at.float32
    assert x[m].sum().item() == 0.0
    assert at.masked_select(x, m).shape == (0,)
    assert at.nonzero(m).shape == (0, 2)
    assert [part.shape for part in at.nonzero(m, as_tuple=True)] == [(0,), (0,)]
    y = x.clone()
    y[m] = 9
    assert values(y) == values(x)
    y[m] = at.zeros(0)
    assert values(y) == values(x)
    assert values(x.masked_scatter(m, at.ones(1))) == values(x)
    assert x[:, at.tensor([False, False, False])].shape == (2, 0)
    assert not m.any().item() and m.sum().item() == 0


def test_repeated_indices_add_up_only_where_asked_for() -> None:
    # pytorch/pytorch#39227
    a = at.zeros(3)
    a.index_put_((at.tensor([0, 0]),), at.tensor(1.0), accumulate=True)
    assert values(a) == [2.0, 0.0, 0.0]
    b = at.zeros(3)
    b[[0, 0]] += 1
    assert values(b) == [1.0, 0.0, 0.0]
    index = at.tensor([0, 0, 2])
    assert values(at.zeros(3).index_add(0, index, at.ones(3))) == [2.0, 0.0, 1.0]
    assert values(at.zeros(3).scatter_add(0, index, at.ones(3))) == [2.0, 0.0, 1.0]
    assert values(at.zeros(3).put(index, at.ones(3), accumulate=True)) == [2.0, 0.0, 1.0]


def test_an_operand_may_be_the_tensor_written_to() -> None:
    index = at.tensor([1, 2, 0])
    x = at.tensor([1.0, 2.0, 3.0])
    assert values(x.scatter_(0, index, x)) == [3.0, 1.0, 2.0]
    x = at.tensor([1.0, 2.0, 3.0])
    assert values(x.index_add_(0, index, x)) == [4.0, 3.0, 5.0]
    x = at.tensor([1.0, 2.0, 3.0, 4.0])
    assert values(x[1:].index_copy_(0, index, x[:3])) == [3.0, 1.0, 2.0]
    i = at.tensor([2, 0, 1])
    assert values(i.scatter_(0, i, i)) == [0, 1, 2]


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_range_shows_when_the_work_is_waited_for(index: int) -> None:
    x = at.arange(3, dtype=at.float32)
    places = at.tensor([index])
    for call in (
        lambda: at.index_select(x, 0, places),
        lambda: at.gather(x, 0, places),
        lambda: at.take(x, places),
        lambda: x.scatter(0, places, 1.0),
        lambda: x.index_add(0, places, at.ones(1)),
    ):
        with pytest.raises(RuntimeError):
            call().tolist()
    assert values(x + 1) == [1.0, 2.0, 3.0]


def test_a_selection_keeps_no_memory_of_what_was_not_selected() -> None:
    x = at.zeros(1 << 20)
    x[5] = 1
    before = at.memory_allocated()
    found = at.masked_select(x, x > 0)
    assert values(found) == [1.0]
    assert at.memory_allocated() - before < 1 << 16


def test_counting_repeats_on_the_device() -> None:
    x = at.tensor([[1, 2], [3, 4]])
    assert values(at.repeat_interleave(x, at.tensor([1, 2]), dim=0)) == [[1, 2], [3, 4], [3, 4]]
    assert values(at.repeat_interleave(x, at.tensor([1, 2]), dim=0, output_size=3)) == [[1, 2], [3, 4], [3, 4]]
    assert at.repeat_interleave(x, at.tensor([0, 0]), dim=0).shape == (0, 2)


def test_many_tensors_are_joined() -> None:
    parts = [at.tensor(np.full(3, number, np.int32)) for number in range(200)]
    joined = at.cat(parts)
    assert joined.shape == (600,) and values(joined)[-4:] == [198, 199, 199, 199]
    assert at.cat([at.tensor([1], dtype=at.int8), at.tensor([2.5])]).dtype is at.float32
    assert at.cat([at.zeros(0), at.ones(2, 2)]).shape == (2, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int16"])
def test_indices_that_are_not_neighbours_accumulate(dtype: str) -> None:
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    x = at.tensor(host)
    rows, columns, new = np.array([0, -1, 0]), np.array([3, 1, 3]), np.arange(9).reshape(3, 3).astype(dtype)
    np.add.at(host, (rows, slice(None), columns), new)
    x.index_put_((at.tensor(rows), None, at.tensor(columns)), at.tensor(new), accumulate=True)
    np.testing.assert_array_equal(x.numpy(), host)
    np.add.at(host, (slice(None), slice(None), columns), 1)
    x.index_put_((None, None, at.tensor(columns)), 1, accumulate=True)
    np.testing.assert_array_equal(x.numpy(), host)


def test_a_tensor_is_assigned_to_itself() -> None:
    x = at.tensor([1.0, 2.0, 3.0])
    x[at.tensor([1, 2, 0])] = x
    assert values(x) == [3.0, 1.0, 2.0]
    y = at.arange(6).reshape(2, 3)
    y[at.tensor([1, 0])] = y
    assert values(y) == [[3, 4, 5], [0, 1, 2]]


def test_numbers_and_tensors_without_dimensions_are_indices() -> None:
    x = at.zeros(2, 3)
    x.index_put_((at.tensor(1),), at.ones(3), accumulate=True)
    x.index_put_((at.tensor([1, 1]), at.tensor(-1)), 2, accumulate=True)
    x.index_put_((0, at.tensor(1)), at.tensor(7.0))
    assert values(x) == [[0.0, 7.0, 0.0], [1.0, 1.0, 5.0]]


@pytest.mark.slow
def test_positions_past_two_to_the_31() -> None:
    # pytorch/pytorch#190052: an offset kept in 32 bits gives a wrong position or a crash
    position = 2**31 + 5
    x = at.zeros(2**31 + 8, dtype=at.uint8)
    x[position] = 7
    assert values(x[position]) == values(x[-3]) == 7 and values(x[position - 1]) == 0
    assert values(x.argmax()) == position
    assert values(x[2**31 :]) == [0, 0, 0, 0, 0, 7, 0, 0]
    # Their intermediate results have 8 bytes for each element: more than the device has, and nothing is lost by asking.
    for body in (lambda: at.sum(x).item(), lambda: at.nonzero(x).tolist()):
        with pytest.raises(at.OutOfDeviceMemoryError, match=r"16\.5 GiB"):
            body()
    assert values(x[-3]) == 7


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
EVERY_DTYPE = ["float32", "float16", "bfloat16", "float64", "complex64", *INTEGERS]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_repeated_indices_of_every_dtype(dtype: str) -> None:
    # pytorch/pytorch#39227
    index, ones, zeros = at.tensor([0, 0]), at.ones(2, dtype=dtype), at.zeros(3, dtype=dtype)
    assigned = zeros.clone()
    assigned[index] += 1
    columns = at.zeros(2, 3, dtype=dtype)
    columns[:, [0, 0]] += 1
    for found, expected in (
        (assigned, [1, 0, 0]),
        (columns, [[1, 0, 0], [1, 0, 0]]),
        (zeros.index_put((index,), ones, accumulate=True), [2, 0, 0]),
        (zeros.index_put((index,), ones), [1, 0, 0]),
        (zeros.index_add(0, index, ones), [2, 0, 0]),
        (zeros.scatter_add(0, index, ones), [2, 0, 0]),
        (zeros.clone().put_(index, ones, accumulate=True), [2, 0, 0]),
    ):
        assert found.dtype is zeros.dtype
        assert values(found) == expected


@pytest.mark.parametrize("dtype", [*EVERY_DTYPE, "bool"])
def test_a_mask_without_a_hit_of_every_dtype(dtype: str) -> None:
    # PaddlePaddle/PaddleCustomDevice#664
    x = at.arange(6).reshape(2, 3).to(dtype)
    m = at.zeros(2, 3, dtype=at.bool)
    for written in (x.clone(), x.clone().masked_fill_(m, 1)):
        written[m] = 1
        written[:, at.zeros(3, dtype=at.bool)] = 1
        assert values(written) == values(x)
    for empty in (x[m], x[m.numpy()], at.masked_select(x, m), at.cat([x[m], x[m]]), x[m].clone()):
        assert empty.shape == (0,) and empty.dtype is x.dtype
    assert x[[False, False]].shape == (0, 3)
    assert values(x[m].sum()) == 0 and values(x[m].prod()) == 1 and values(at.count_nonzero(m)) == 0
    assert at.argwhere(m).shape == (0, 2) and [part.shape for part in at.where(m)] == [(0,), (0,)]
