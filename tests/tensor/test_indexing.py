"""`t[...]` against NumPy: reading, writing, aliasing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor import errors

fast = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

SHAPE = (4, 3, 5)
COUNT = int(np.prod(SHAPE))


def both(dtype: Any = np.float32) -> tuple[Any, Any]:
    host = np.arange(COUNT).reshape(SHAPE).astype(dtype)
    return host, at.tensor(host)


def test_two_masks_of_several_dimensions() -> None:
    host = np.arange(24).reshape(2, 3, 2, 2)
    first, second = np.array([[1, 0, 1], [0, 0, 1]], bool), np.array([[1, 1], [1, 0]], bool)
    made = at.tensor(host)
    assert made[at.tensor(first), at.tensor(second)].tolist() == host[first, second].tolist()
    made[at.tensor(first), at.tensor(second)] = -1
    host[first, second] = -1
    assert made.tolist() == host.tolist()


@pytest.mark.parametrize("index", [[[True, False, True]] * 4, [0, 2]], ids=["mask", "indices"])
@pytest.mark.parametrize("value", [1.0, [2.0]], ids=["number", "array"])
def test_elements_that_share_memory_are_not_written_by_tensors(index: Any, value: Any) -> None:
    made = at.zeros(1, 3).expand(4, 3)
    with pytest.raises(errors.ValueRangeError, match="share one place in memory"):
        made[at.tensor(index)] = value if isinstance(value, float) else at.tensor(value)


def test_no_index_is_in_bounds_of_a_dimension_without_places() -> None:
    for index in (at.tensor([0]), [0], (slice(None), at.tensor([1]))):
        with pytest.raises(errors.IndexRangeError, match="with size 0"):
            at.zeros(0, 0, 3)[index]
    assert at.zeros(0, 3)[at.zeros(0, dtype=at.int64)].shape == (0, 3)


def slices(length: int) -> st.SearchStrategy[slice]:
    ends = st.none() | st.integers(-length - 2, length + 2)
    return st.builds(slice, ends, ends, st.none() | st.integers(-3, 3).filter(bool))


@st.composite
def basic_indices(draw: st.DrawFn, shape: tuple[int, ...] = SHAPE) -> Any:
    parts: list[Any] = []
    for length in shape[: draw(st.integers(0, len(shape)))]:
        parts.append(draw(slices(length) | st.integers(-length, length - 1)))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))) if len(parts) == len(shape) else len(parts), Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


@fast
@given(basic_indices())
def test_basic_index_reads_as_numpy(index: Any) -> None:
    host, tensor = both()
    found = tensor[index]
    assert found.shape == host[index].shape
    np.testing.assert_array_equal(found.numpy(), host[index])


@fast
@given(basic_indices(), st.booleans())
def test_basic_index_writes_as_numpy(index: Any, number: bool) -> None:
    host, tensor = both()
    value = -7.0 if number else -np.arange(1, host[index].size + 1, dtype=np.float32).reshape(host[index].shape)
    host[index] = value
    tensor[index] = value
    np.testing.assert_array_equal(tensor.numpy(), host)


@fast
@given(basic_indices(), basic_indices((2, 2)))
def test_views_of_views_alias(first: Any, second: Any) -> None:
    host, tensor = both()
    try:
        part = host[first][second]
    except IndexError:
        with pytest.raises(IndexError):
            tensor[first][second]
        return
    view = tensor[first][second]
    view += 100
    part = host[first]
    part = part[second]
    if isinstance(part, np.ndarray):
        part += 100
        np.testing.assert_array_equal(tensor.numpy(), host)


@pytest.mark.parametrize(
    "index",
    [
        [0, 2],
        [-1],
        [],
        np.array([[0, 1], [2, 3]]),
        np.array([2, 0], np.int8),
        (slice(None), [0, 2, 1]),
        (slice(1, 3), [0, 2]),
        ([0, 1], [1, 2]),
        ([[0], [3]], [0, 1, 2]),
        (slice(None), [0, 1], [4, 4]),
        ([0, 1], slice(None), [1, 2]),
        (Ellipsis, [1, 1]),
        (None, [0, 3]),
        ([3, 0], [0, 0], [1, 2]),
        (np.array([1, 2]), np.array(1)),
        (slice(None, None, -1), slice(None), [0, 4]),
    ],
    ids=str,
)
class TestIntegerIndices:
    def test_reads_from_the_host(self, index: Any) -> None:
        host, tensor = both()
        np.testing.assert_array_equal(tensor[index].numpy(), host[index])

    def test_reads_from_the_device(self, index: Any) -> None:
        host, tensor = both()
        np.testing.assert_array_equal(tensor[to_device(index)].numpy(), host[index])

    @pytest.mark.parametrize("base", ["whole", "view"])
    def test_writes(self, index: Any, base: str) -> None:
        host, tensor = both()
        if base == "view":
            host, tensor = np.concatenate([host, host], 2), at.tensor(np.concatenate([host, host], 2))
        part, target = (host[:, :, 2:7], tensor[:, :, 2:7]) if base == "view" else (host, tensor)
        if base == "view" and part[index].size and np.max(np.abs(np.concatenate([np.ravel(i) for i in _numbers(index)]))) > 4:
            return
        value = -np.arange(1, part[index].size + 1, dtype=np.float32).reshape(part[index].shape)
        part[index] = value
        target[to_device(index)] = at.tensor(value)
        np.testing.assert_array_equal(tensor.numpy(), host)
        part[index] = 0.5
        target[index] = 0.5
        np.testing.assert_array_equal(tensor.numpy(), host)


def _numbers(index: Any) -> list[Any]:
    return [part for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, (list, np.ndarray))]


def to_device(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(to_device(part) for part in index)
    if isinstance(index, (list, np.ndarray)):
        return at.tensor(np.asarray(index, np.int64 if not len(np.shape(index)) or not np.size(index) else None))
    return index


def test_masks_read_and_write_as_numpy() -> None:
    host, tensor = both()
    generator = np.random.default_rng(0)
    for shape, lead in [((4, 3, 5), ()), ((4,), ()), ((4, 3), ()), ((3,), (slice(None),)), ((3, 5), (slice(None),)), ((5,), (Ellipsis,))]:
        mask = generator.random(shape) > 0.5
        for chosen in (mask, at.tensor(mask), mask.tolist()):
            index = (*lead, chosen)
            where = (*lead, mask)
            np.testing.assert_array_equal(tensor[index].numpy(), host[where])
            host[where] = -1.0
            tensor[index] = -1.0
            np.testing.assert_array_equal(tensor.numpy(), host)
            value = generator.random(host[where].shape).astype(np.float32)
            host[where] = value
            tensor[index] = value
            np.testing.assert_array_equal(tensor.numpy(), host)


def test_masks_beside_indices() -> None:
    host, tensor = both()
    rows, columns = np.array([True, False, True, True]), [0, 1, 4]
    np.testing.assert_array_equal(tensor[at.tensor(rows), :, columns].numpy(), host[rows, :, columns])
    pairs = host[:, :, 0] > 20
    np.testing.assert_array_equal(tensor[at.tensor(pairs), 1:].numpy(), host[pairs, 1:])


def test_a_mask_over_a_strided_view_is_written_through() -> None:
    host, tensor = both()
    mask = host.transpose(2, 0, 1) % 3 == 0
    value = np.arange(mask.sum(), dtype=np.float32)
    host.transpose(2, 0, 1)[mask] = value
    tensor.permute(2, 0, 1)[at.tensor(mask)] = at.tensor(value)
    np.testing.assert_array_equal(tensor.numpy(), host)


def test_truth_values_add_a_dimension() -> None:
    host, tensor = both()
    zero = np.array(False)
    for index in (True, False, (True, slice(1, 2)), np.True_, np.array(True), zero, (zero, [0]), (np.array(True), [0, 2])):
        np.testing.assert_array_equal(tensor[index].numpy(), host[index])
    tensor[zero] = 5
    assert tensor.tolist() == host.tolist()
    tensor[np.array(True)] = host + 1
    assert tensor.tolist() == (host + 1).tolist()


def test_a_step_beyond_every_length_takes_one_place() -> None:
    host, tensor = both()
    for step in (2**70, -(2**70), 2**40):
        host[::step, 1:, ::-step] = tensor[::step, 1:, ::-step] = -step.bit_length()
        np.testing.assert_array_equal(tensor.numpy(), host)
        assert tensor[::step].tolist() == host[::step].tolist()


def test_zero_dimensional_integer_tensors_are_numbers() -> None:
    host, tensor = both()
    np.testing.assert_array_equal(tensor[at.tensor(2)].numpy(), host[2])
    np.testing.assert_array_equal(tensor[at.tensor(1) :].numpy(), host[1:])
    assert tensor[at.tensor(-1), at.tensor(0, dtype=at.int32), np.int64(3)].item() == host[-1, 0, 3]


@pytest.mark.parametrize("dtype", d.ALL, ids=lambda dtype: dtype.name)
def test_every_dtype_is_indexed(dtype: Any) -> None:
    host = np.arange(12).reshape(3, 4).astype(dtype.numpy)
    tensor = at.tensor(host)
    mask = np.arange(12).reshape(3, 4) % 2 == 0
    steps: list[Any] = [(1,), (slice(None), 2), (slice(None, None, -1),), ([2, 0],), (slice(None), [1, 1]), ([0, 2], [1, 3]), (mask,)]
    for index in steps:
        np.testing.assert_array_equal(tensor[index].numpy(), host[index])
        np.testing.assert_array_equal(tensor[to_device(index)].numpy(), host[index])
        value = np.ones(host[index].shape).astype(dtype.numpy)
        for new in (value, 0):
            host[index] = new
            tensor[to_device(index)] = new
            np.testing.assert_array_equal(tensor.numpy(), host)


def test_repeated_indices_accumulate_only_when_asked() -> None:
    # pytorch/pytorch#39227
    a = at.zeros(3)
    a.index_put_((at.tensor([0, 0]),), at.tensor(1.0), accumulate=True)
    assert a.tolist() == [2.0, 0.0, 0.0]
    b = at.zeros(3)
    b[[0, 0]] += 1
    assert b.tolist() == [1.0, 0.0, 0.0]


def test_accumulates_in_every_real_dtype() -> None:
    for dtype in (at.int8, at.int16, at.int32, at.int64, at.uint8, at.float16, at.bfloat16, at.float32):
        a = at.index_put(at.ones(3, dtype=dtype), ([0, 2, 0],), at.tensor([1, 2, 3], dtype=dtype), True)
        assert a.tolist() == [5, 1, 3] and a.dtype is dtype


def test_a_mask_without_a_hit() -> None:
    # PaddlePaddle/PaddleCustomDevice#664
    x = at.tensor([[0, 1, 2], [3, 4, 5]], dtype=at.float32)
    m = x > 100
    assert x[m].shape == (0,)
    assert x[m].sum().item() == 0.0
    copy = x.clone()
    copy[m] = 9
    assert copy.tolist() == x.tolist()
    copy[m] = at.zeros(0)
    assert copy.tolist() == x.tolist()
    assert x[:, at.tensor([False, False, False])].shape == (2, 0)
    assert not m.any()
    assert m.sum().item() == 0


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (4, IndexError, "index 4 is out of bounds for dimension 0 with size 4"),
        ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        ([0, 4], IndexError, "index 4 is out of bounds for dimension 0 with size 4"),
        ((slice(None), np.array([-4])), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        (1.5, IndexError, "float"),
        ("a", IndexError, "str"),
        ([0.5], IndexError, "float64"),
        (np.ones((4, 4), bool), IndexError, r"mask of shape \[4, 4\]"),
        (([0, 1], [0, 1, 2]), IndexError, r"\[2\] and \[3\] do not broadcast"),
        ((Ellipsis, Ellipsis), IndexError, "single ellipsis"),
        (slice(None, None, 0), ValueError, "step cannot be zero"),
    ],
    ids=str,
)
def test_wrong_indices_are_named(index: Any, error: type[Exception], text: str) -> None:
    _, tensor = both()
    with pytest.raises(error, match=text) as caught:
        tensor[index]
    assert "index: " in str(caught.value) and "float32[4, 3, 5] on npu:0" in str(caught.value)
    with pytest.raises(error, match=text):
        tensor[index] = 0
    assert tensor[0, 0, 0].item() == 0


def test_a_device_index_out_of_range_shows_when_it_is_used() -> None:
    _, tensor = both()
    wrong = tensor[at.tensor([0, 7])]
    with pytest.raises(errors.AclError):
        wrong.numpy()
    assert tensor[0, 0, 1].item() == 1


def test_values_that_do_not_fit_are_refused() -> None:
    _, tensor = both()
    for index, value in [(0, at.ones(4)), ([0, 1], at.ones(2, 2)), (slice(0, 0), at.ones(2, 3, 5)), (tensor > 3, at.ones(2))]:
        with pytest.raises(ValueError, match="can't be broadcast"):
            tensor[index] = value
    with pytest.raises(TypeError, match="complex"):
        tensor[0] = 1j
    for mask in (at.zeros(4, dtype=at.bool), at.zeros(0, dtype=at.bool), at.ones(0, 3, dtype=at.bool)):
        for value in (1j, np.complex64(1), at.tensor(1j), at.tensor([1j])):
            with pytest.raises(TypeError, match="complex"):
                tensor[mask] = value
            with pytest.raises(TypeError, match="complex"):
                tensor[:0][at.zeros(0, dtype=at.bool)] = value
    for value in (np.datetime64("2020"), np.timedelta64(1, "s"), np.str_("1"), np.void(b"ab"), np.longdouble(1)):
        with pytest.raises(TypeError, match="no Ascend type"):
            tensor[0] = value
    assert tensor[0, 0, 1].item() == 1
    with pytest.raises(ValueError, match="300 does not fit int8"):
        at.zeros(2, dtype=at.int8)[0] = 300
    with pytest.raises(ValueError, match="share one place in memory"):
        at.zeros(1).expand(3)[0:2] = 1
    with pytest.raises(RuntimeError, match=r"npu:0.*npu:1"):
        tensor[0] = at.zeros(3, 5, device="npu:1")


def test_neighbours_of_a_written_view_stay() -> None:
    # RT-29: operators write the padding of their last 32 bytes too.
    x = at.zeros(100)
    v = x[:5]
    v += 1
    assert x[:10].tolist() == [1.0] * 5 + [0.0] * 5
    w = x[8:11]
    w += 2
    assert x[:16].tolist() == [1.0] * 5 + [0.0] * 3 + [2.0] * 3 + [0.0] * 5
    last = x[96:]
    last += 3
    assert x[90:].tolist() == [0.0] * 6 + [3.0] * 4


def test_iteration_and_in() -> None:
    host, tensor = both()
    assert [row.tolist() for row in tensor] == [row.tolist() for row in host]
    assert 7.0 in tensor and 700.0 not in tensor
    assert at.tensor(3) in tensor
    first, *_ = tensor
    first += 1
    assert tensor[0, 0, 0].item() == 1
    assert [row.tolist() for row in reversed(tensor)] == [row.tolist() for row in tensor.numpy()[::-1]]
    with pytest.raises(TypeError, match="0-d"):
        iter(at.tensor(1))


def test_changing_slices_make_no_new_models() -> None:
    x = at.arange(1000.0)
    for start in range(1, 40):
        x[start : start + 7].clone()
        x[start : start + 7] = at.ones(7)
    loaded = at.handle_cache.info().loaded_models
    for start in range(46, 200):
        assert x[start : start + 7].tolist()[0] == start
        x[start : start + 7] = -x[start : start + 7]
        x[start : start + 7] *= -1
    assert at.handle_cache.info().loaded_models <= loaded + 4


def test_changing_shifts_make_no_new_models() -> None:
    x = at.arange(12.0).reshape(3, 4)
    for shift in range(-3, 3):
        at.roll(x, (shift, shift + 1), (0, 1))
    loaded = at.handle_cache.info().loaded_models
    for shift in range(-40, 40):
        host = np.roll(np.arange(12.0, dtype=np.float32).reshape(3, 4), (shift, 2 * shift), (0, 1))
        assert at.roll(x, (shift, 2 * shift), (0, 1)).tolist() == host.tolist()
    assert at.handle_cache.info().loaded_models <= loaded + 1  # a plain copy, where nothing moves


def test_descriptions_of_short_lived_views_are_kept() -> None:
    x = at.arange(64.0).reshape(8, 8)
    assert x[:5].desc is x[:5].desc and x[None].desc is x[None].desc


@pytest.mark.slow
def test_more_than_two_to_the_31_elements() -> None:
    # pytorch/pytorch#190052
    count, position = 2**31 + 8, 2**31 + 5
    x = at.zeros(count, dtype=at.uint8)
    x[position] = 7
    assert x[position].item() == 7 and x[-3].item() == 7
    assert x[2**31 :].tolist() == [0, 0, 0, 0, 0, 7, 0, 0]
    for function, expected in [(at.sum, 7), (at.argmax, position), (at.nonzero, [[position]])]:
        try:
            found = function(x).tolist()
        except MemoryError:  # what they compute in is larger than the device; a clear refusal
            continue
        assert found == expected
    assert x[position].item() == 7 and x[::-1][2].item() == 7


@pytest.mark.parametrize("mask", [(0,), (2, 0), (0, 3)])
def test_an_empty_mask_picks_nothing_as_in_numpy(mask: tuple[int, ...]) -> None:
    values = np.ones((2, 3), np.float32)
    nothing = np.zeros(mask, np.bool_)
    for key in (nothing, at.tensor(nothing)):
        tensor = at.tensor(values)
        got = tensor[key]
        assert got.shape == ((0, 3) if len(mask) == 1 else (0,))
        tensor[key] = 7.0
        assert tensor.tolist() == values.tolist()
    with pytest.raises(IndexError, match="mask"):
        at.tensor(values)[at.tensor(np.zeros((0, 2), np.bool_))]


def test_what_counts_as_an_integer_is_an_index() -> None:
    class Place:
        def __index__(self) -> int:
            return 1

    x = at.arange(6).reshape(2, 3)
    assert x[Place()].tolist() == [3, 4, 5] and x[0, Place()].item() == 1 and x[Place() :, Place()].tolist() == [4]
    x[Place(), Place()] = 9
    assert x.tolist() == [[0, 1, 2], [3, 9, 5]]


class OtherArray:
    """An array of another library: it counts as an integer if it has one element, and its size is a method."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)

    def __index__(self) -> int:
        if self.values.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.values.item())

    def size(self) -> tuple[int, ...]:
        return self.values.shape


@pytest.mark.parametrize("index", [[1, 2], [1], 1, [[0], [2]], [True, False, True], np.zeros((1, 3), np.bool_)])
def test_arrays_of_other_libraries_are_indices_of_their_shape(index: Any) -> None:
    values = np.arange(9).reshape(3, 3)
    if np.ndim(index) == 2 and np.asarray(index).dtype == np.bool_:
        values = values[:1]
    x = at.tensor(values)
    np.testing.assert_array_equal(x[OtherArray(index)].numpy(), values[np.asarray(index)])
    x[OtherArray(index)] = 7
    values[np.asarray(index)] = 7
    np.testing.assert_array_equal(x.numpy(), values)


def test_arrays_of_other_libraries_go_where_a_mask_holds() -> None:
    x = at.zeros(3)
    x[x == 0] = OtherArray(np.arange(3.0))
    assert x.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, np.complex128, np.int8, np.uint16, np.bool_])
@pytest.mark.parametrize("share", [0.7, 0.95, 1.0])
def test_a_vector_goes_where_a_mask_holds_nearly_everywhere(dtype: Any, share: float) -> None:
    random = np.random.default_rng(0)
    expected = (random.random((200, 150)) * 9).astype(dtype)
    mask = random.random(expected.shape) < share
    values = (random.random(int(mask.sum())) * 9).astype(dtype)
    tensor, chosen = at.tensor(expected), at.tensor(mask)
    alias = tensor[3:]
    tensor[chosen] = at.tensor(values)
    expected[mask] = values
    np.testing.assert_array_equal(tensor.numpy(), expected)
    tensor.T[chosen.T] = values  # by columns, from the host
    expected.T[mask.T] = values
    np.testing.assert_array_equal(alias.numpy(), expected[3:])


def test_elements_that_a_long_mask_takes_are_counted() -> None:
    x = at.arange(30000)
    mask = x != 5
    for length in (29998, 30000):
        with pytest.raises(ValueError, match=rf"shape \[{length}\] can't be broadcast to the indexed shape \[29999\]"):
            x[mask] = at.ones(length, dtype=at.int64)
    assert x.sum().item() == 30000 * 29999 // 2


def test_a_long_mask_writes_what_lies_in_the_memory_that_it_writes() -> None:
    expected = np.arange(30000)
    mask = expected % 100 != 7
    tensor = at.tensor(expected)
    count = int(mask.sum())
    tensor[at.tensor(mask)] = tensor[:count]
    expected[mask] = expected[:count].copy()
    np.testing.assert_array_equal(tensor.numpy(), expected)
    truth = mask.copy()
    flags, values = at.tensor(truth), mask[:count] ^ mask[1 : count + 1]
    flags[flags] = at.tensor(values)
    truth[mask] = values
    np.testing.assert_array_equal(flags.numpy(), truth)


def test_a_list_that_holds_itself_is_refused_at_once() -> None:
    x, loop = at.ones(3, 4), [0]
    loop[:] = [loop, loop]  # type: ignore[list-item]
    for index in (loop, [loop, loop], (0, loop)):
        with pytest.raises(ValueError, match="index: lists are nested in 32 others"):
            x[index]
        with pytest.raises(ValueError, match="lists are nested in 32 others"):
            x[index] = 1
