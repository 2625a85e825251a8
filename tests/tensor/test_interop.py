"""Host data to tensors and back, NumPy's protocols, arrays as operands."""

from __future__ import annotations

import array
import operator
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor import dtypes as d

fast = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NATIVE = [dtype.numpy for dtype in d.ALL]


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """Arrays of any dtype, byte order, order, stride (negative and zero too), read-only, 0-d, empty."""
    kind = draw(st.sampled_from(NATIVE))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    values = np.random.default_rng(draw(st.integers(0, 100))).integers(0, 100, shape).astype(kind)
    if kind.itemsize > 1 and kind.kind in "iufc" and draw(st.booleans()):
        values = values.astype(kind.newbyteorder())
    values = np.asarray(values, order=draw(st.sampled_from("CF")))
    if draw(st.booleans()):
        values = np.transpose(values)
    if values.ndim:
        values = values[tuple(slice(None, None, draw(st.sampled_from([1, -1, 2, -2]))) for _ in values.shape)]
        if values.shape[0] == 1 and draw(st.booleans()):
            values = np.broadcast_to(values[0], (3, *values.shape[1:]))
    if draw(st.booleans()):
        values.flags.writeable = False
    return values


@fast
@given(arrays(), st.sampled_from([at.tensor, at.asarray, at.from_numpy]))
def test_any_array_goes_over_and_back(values: Any, make: Any) -> None:
    tensor = make(values)
    back = tensor.numpy()
    assert back.dtype == values.dtype.newbyteorder("=") and back.shape == values.shape
    np.testing.assert_array_equal(back, values)
    assert tensor.dtype is d.from_numpy(back.dtype)


def test_the_host_array_may_change_at_once() -> None:
    for size in (8, 3_000_000):
        first, second = np.ones(size, np.float32), np.full(size, 2, np.float32)
        a, b = at.tensor(first), at.from_numpy(second)
        first[:] = second[:] = -1
        del first, second
        assert (a + b == 3).all()


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, at.int64, ()),
        (True, at.bool, ()),
        (1.5, at.float32, ()),
        (1j, at.complex64, ()),
        ([], at.float32, (0,)),
        ([[], []], at.float32, (2, 0)),
        ([1, 2], at.int64, (2,)),
        ((1, 2.0), at.float32, (2,)),
        ([True, 2], at.int64, (2,)),
        ([1, 2j], at.complex64, (2,)),
        ([[1, 2], [3, 4]], at.int64, (2, 2)),
        (range(3), at.int64, (3,)),
        (np.float64(1), at.float64, ()),
        (np.int8(1), at.int8, ()),
        ([np.float64(1), np.float64(2)], at.float64, (2,)),
        ([np.float32(1), np.float32(2)], at.float32, (2,)),
        ([np.ones(2), np.ones(2)], at.float64, (2, 2)),
        (ml_dtypes.bfloat16(1), at.bfloat16, ()),
        (array.array("d", [1, 2]), at.float64, (2,)),
        (memoryview(b"abc"), at.uint8, (3,)),
        (np.array(7, ">i4"), at.int32, ()),
    ],
    ids=lambda value: "memoryview" if isinstance(value, memoryview) else repr(value),
)
def test_dtype_of_data(data: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    tensor = at.tensor(data)
    assert (tensor.dtype, tensor.shape) == (dtype, shape)
    np.testing.assert_array_equal(tensor.numpy(), np.asarray(data).astype(dtype.numpy))


def test_the_default_dtype_is_followed() -> None:
    before = at.get_default_dtype()
    x = at.tensor([1, 2])
    assert (x / 2).dtype is at.float32
    try:
        at.set_default_dtype(at.float64)
        assert at.tensor([1.0]).dtype is at.zeros(1).dtype is (x / 2).dtype is at.float64
        assert at.tensor([1j]).dtype is at.complex128
    finally:
        at.set_default_dtype(before)
    assert (x / 2).dtype is at.float32


@pytest.mark.parametrize(
    "data",
    [
        None,
        "text",
        [None],
        [object()],
        {"a": 1},
        {1, 2},
        ["a", "b"],
        np.array(["a"]),
        np.array([object()], object),
        np.zeros(2, [("a", "f4"), ("b", "i4")]),
        np.array(["2020-01-01"], "datetime64[D]"),
        np.array([1], "timedelta64[s]"),
        np.zeros(2, np.longdouble),
        np.ma.MaskedArray([1, 2], [True, False]),
        2**70,
    ],
    ids=lambda data: type(data).__name__ + str(getattr(data, "dtype", "")),
)
def test_other_data_are_refused(data: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^tensor: "):
        at.tensor(data)
    assert at.tensor(1).item() == 1


def test_numbers_that_do_not_fit_are_refused() -> None:
    for data, dtype in [(300, at.int8), ([-1], at.uint8), (2**63, None), ([2**63, -1], None), (2**64, at.uint64)]:
        with pytest.raises(ValueError, match="does not hold all of the integers"):
            at.tensor(data, dtype=dtype)
    assert at.tensor(2**64 - 1, dtype=at.uint64).item() == 2**64 - 1
    assert at.tensor([2**64 - 1, 0], dtype=at.uint64).tolist() == [2**64 - 1, 0]
    assert at.tensor(-(2**63)).item() == -(2**63)
    assert at.tensor(2**70, dtype=at.float32).item() == 2.0**70
    with pytest.raises(TypeError, match="imaginary"):
        at.tensor(1j, dtype=at.float32)
    with pytest.raises(ValueError, match="same length"):
        at.tensor([[1], [1, 2]])


def test_rounded_once_to_the_dtype_wanted() -> None:
    # 1 + 2**-11 + 2**-30 lies above the middle of two float16 numbers; by way of float32 it would be cut to the middle and go down.
    value = 1 + 2**-11 + 2**-30
    assert at.tensor(value, dtype=at.float16).item() == 1 + 2**-10
    assert at.tensor([value], dtype=at.float16).item() == 1 + 2**-10


def test_lists_of_tensors() -> None:
    assert at.tensor([at.tensor(1.5), 2.0]).tolist() == [1.5, 2.0]
    with pytest.raises(ValueError, match=r"stack\(\)"):
        at.tensor([at.ones(2), at.ones(2)])


def test_asarray_copies_only_where_needed() -> None:
    x = at.ones(3)
    assert at.asarray(x) is x and at.as_tensor(x, at.float32, "npu:0") is x
    assert at.tensor(x) is not x and at.asarray(x, copy=True) is not x
    assert at.asarray(x, at.int32).dtype is at.int32
    assert at.asarray(x, device="npu:1").device == "npu:1"
    with pytest.raises(ValueError, match="needs a copy"):
        at.asarray(x, at.int32, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        at.asarray([1], copy=False)
    with pytest.raises(TypeError, match="from_numpy: "):
        at.from_numpy([1])


def test_requires_grad_is_not_there_yet() -> None:
    for call in (
        lambda: at.tensor([1.0], requires_grad=True),
        lambda: at.zeros(2, requires_grad=True),
        lambda: at.ones(2).requires_grad_(),
        lambda: at.ones(2).backward(),
        lambda: setattr(at.ones(2), "requires_grad", True),
    ):
        with pytest.raises(NotImplementedError, match="autograd is not there yet"):
            call()
    x = at.ones(2).requires_grad_(False)
    assert not x.requires_grad and x.grad is None


def test_cpu_gives_an_array_with_pytorchs_words() -> None:
    x = at.tensor([[1.0, 2.0]])
    found = x.detach().cpu().numpy()
    assert type(found) is np.ndarray and found.tolist() == [[1.0, 2.0]]
    array = x.cpu()
    assert isinstance(array, np.ndarray) and isinstance(array, at.HostArray)
    assert array.cpu() is array and array.detach() is array
    assert array.npu("npu:1").device == "npu:1"
    assert isinstance(x.to("cpu"), at.HostArray)
    assert type(x.numpy()) is np.ndarray
    assert at.tensor(array).tolist() == x.tolist()


def test_programs_for_tables_of_data_find_the_values() -> None:
    """Matplotlib's box plots and histograms take the rows of a matrix for data sets, where an object has neither this nor is an array."""
    found = at.ones(2, 3, dtype=at.float16).to_numpy()
    assert type(found) is np.ndarray and found.dtype == np.float16 and found.shape == (2, 3)


def test_an_array_on_the_host_says_which_word_is_numpys() -> None:
    array = at.ones(2, 3).cpu()
    assert array.sum(axis=1, keepdims=True).shape == (2, 1) and array.max() == 1
    with pytest.raises(TypeError, match=r"takes axis, not dim\n  Write sum\(axis=...\)"):
        array.sum(dim=0)


def test_array_protocol() -> None:
    x = at.tensor([1.5, 2.5])
    assert np.asarray(x).dtype == np.float32
    assert np.asarray(x, np.float64).tolist() == [1.5, 2.5]
    assert np.array(at.tensor([1.5], dtype=at.bfloat16)).dtype == ml_dtypes.bfloat16
    assert x.__array__(copy=True).tolist() == [1.5, 2.5]
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__(copy=False)
    np.testing.assert_allclose(x, [1.5, 2.5])


def test_arrays_as_operands_in_both_orders() -> None:
    host = np.array([1.0, 2.0, 3.0], np.float32)
    x = at.tensor([4.0, 5.0, 6.0])
    for left, right in ((x, host), (host, x), (x.cpu(), x)):
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne"):
            found = getattr(operator, name)(left, right)
            assert isinstance(found, at.Tensor), name
            np.testing.assert_allclose(found.numpy(), getattr(operator, name)(np.asarray(left), np.asarray(right)), rtol=1e-5)
    assert (x + host.astype(np.float64)).dtype is at.float64
    assert (x + np.array(1.0)).dtype is at.float32  # a 0-d tensor does not raise the dtype
    assert (host @ x).item() == 32.0
    for other in (np.arange(3), np.ones(3), np.ones(3, np.float16)):
        assert (x @ other).dtype is (other @ x).dtype and (x @ other).item() == (other @ x).item()
    x += host
    assert x.tolist() == [5.0, 7.0, 9.0]
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        operator.add(x, [1, 2, 3])


@pytest.mark.parametrize(
    "value", [np.float32(2), np.float64(2), np.float16(2), np.int8(2), np.int64(2), np.uint8(2), np.bool_(True), ml_dtypes.bfloat16(2)]
)
def test_numpy_scalars_act_as_numbers(value: Any) -> None:
    x = at.tensor([1.0, 2.0], dtype=at.float16)
    for found in (x * value, value * x, x.mul(value)):
        assert isinstance(found, at.Tensor) and found.dtype is at.float16
        assert found.tolist() == [float(value), 2 * float(value)]


def test_results_lie_where_the_tensor_lies() -> None:
    x = at.ones(2, device="npu:1")
    assert (np.ones(2, np.float32) + x).device == "npu:1"


@pytest.mark.parametrize("dtype", d.ALL, ids=lambda dtype: dtype.name)
def test_pickle_and_copies(dtype: Any) -> None:
    x = at.tensor([[0, 1], [1, 0]], dtype=dtype).T
    again = pickle.loads(pickle.dumps(x))
    assert again.dtype is dtype and again.tolist() == x.tolist()
    assert x.clone().tolist() == x.tolist() and x.clone().data_ptr() != x.data_ptr()


def test_views_of_every_dtype_come_home() -> None:
    for dtype in d.ALL:
        host = np.arange(24).reshape(4, 6).astype(dtype.numpy)
        x = at.tensor(host)
        for view, expected in [
            (x.T, host.T),
            (x[::-1, ::2], host[::-1, ::2]),
            (x[1:, 1], host[1:, 1]),
            (x[:, None, 3:], host[:, None, 3:]),
        ]:
            np.testing.assert_array_equal(view.numpy(), expected)
            np.testing.assert_array_equal(view.clone().numpy(), expected)
            np.testing.assert_array_equal(view.contiguous().numpy(), expected)


def test_a_device_number_out_of_range() -> None:
    # Its text holds the number asked for and how many devices there are; device 0 stays usable and current.
    for number in (at.device_count(), 4096):
        with pytest.raises(ValueError, match=rf"{number} is out of range: there are {at.device_count()} devices"):
            at.tensor([1.0], device=f"npu:{number}")
        with pytest.raises(ValueError, match=str(number)):
            at.zeros(2, device=number)
    with pytest.raises(ValueError, match="-1 is out of range"):
        at.ones(1, device=-1)
    assert at.ones(2).device == "npu:0" == at.current_device()


def test_operands_on_two_devices() -> None:
    # pytorch/pytorch#13717
    a, b = at.ones(3, device=0), at.ones(3, device=1)
    with pytest.raises(RuntimeError, match=r"npu:0.*npu:1"):
        a + b
    assert (a + np.array(2.0, np.float32)).tolist() == [3.0, 3.0, 3.0]
    assert (a + b.to("npu:0")).tolist() == [2.0] * 3
    assert a.copy_(b * 5).tolist() == [5.0] * 3
