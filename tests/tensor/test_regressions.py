"""What once went wrong in the hands of somebody who knows PyTorch and NumPy, one test each."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import errors

Call = Callable[[Any], Any]


def test_probabilities_broadcast_to_what_is_drawn() -> None:
    assert at.empty(2, 3).bernoulli_(at.tensor([0.0, 1.0, 0.0])).tolist() == [[0.0, 1.0, 0.0]] * 2
    assert at.empty(2, 3, dtype=at.int8).bernoulli_(at.tensor([[1.0], [0.0]])).tolist() == [[1, 1, 1], [0, 0, 0]]
    with pytest.raises(errors.ShapeError, match=r"bernoulli_: .*\[2\]"):
        at.empty(2, 3).bernoulli_(at.tensor([0.0, 1.0]))


def test_gradients_are_a_tuple_as_in_pytorch_and_numpy() -> None:
    assert isinstance(at.gradient(at.ones(2, 3)), tuple) and isinstance(np.gradient(at.ones(2, 3)), tuple)


# Wrong arguments

NO_TENSORS: list[Call] = [
    lambda x: at.asinh("a"),
    lambda x: at.sum([1.0, 2.0]),
    lambda x: at.sort(None),
    lambda x: at.reshape((1, 2), 2),
    lambda x: at.gather(x, 0, "a"),
    lambda x: at.cat("ab"),
    lambda x: at.cat([x, None]),
    lambda x: at.cat(None),
    lambda x: at.stack({1, 2}),
    lambda x: at.bmm(x, object()),
    lambda x: at.where(x > 0, x, "a"),
    lambda x: at.add(x, np.ones(2)),
    lambda x: at.add(x, 1, out=[x]),
    lambda x: at.exp(x, out=3),
    lambda x: at.max(x, 0, out=(at.zeros(2), 1)),
    lambda x: at.index_put(x, 0, 1),
    lambda x: at.zeros_like("a"),
    lambda x: at.nn.functional.cross_entropy(x, "a"),
    lambda x: x.masked_fill("a", 0),
    lambda x: x.isin("a"),
]


@pytest.mark.parametrize("call", NO_TENSORS)
def test_what_is_no_tensor_is_a_type_error_that_names_the_function(call: Call) -> None:
    x = at.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(errors.DTypeError) as caught:
        call(x)
    assert caught.value.where
    assert x.sum().item() == 10.0


WRONG_ARGUMENTS: list[Call] = [
    lambda x: x.sum("a"),
    lambda x: x.sum(1.5),
    lambda x: x.sum({0: 1}),
    lambda x: x.sum([[0]]),
    lambda x: x.amin(np.float32(1)),
    lambda x: x.mean(dim=(0, "a")),
    lambda x: x.sort("a"),
    lambda x: x.sort(dim=1.5),
    lambda x: x.topk("a"),
    lambda x: x.kthvalue(1.5),
    lambda x: x.permute("a", "b"),
    lambda x: x.transpose(0, None),
    lambda x: x.select(0, "a"),
    lambda x: x.flip("a"),
    lambda x: x.rot90(0, None),
    lambda x: x.roll("a"),
    lambda x: x.repeat("a"),
    lambda x: x.uniform_("a"),
    lambda x: x.isclose(x, "a"),
    lambda x: x.quantile("a"),
    lambda x: x.diag_embed("a"),
    lambda x: x.index_select("a", x),
    lambda x: x.softmax("a"),
    lambda x: at.zeros("a"),
    lambda x: at.zeros(2, dtype="a"),
    lambda x: at.arange("a"),
    lambda x: at.linspace(0, 1, "a"),
    lambda x: at.linspace(0, 1, 2.5),
    lambda x: at.randint("a"),
    lambda x: at.eye("a"),
    lambda x: at.full((2,), "a"),
]


@pytest.mark.parametrize("call", WRONG_ARGUMENTS)
def test_wrong_arguments_are_errors_of_the_library_that_name_the_function(call: Call) -> None:
    x = at.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(errors.AscendTensorError) as caught:
        call(x)
    assert isinstance(caught.value, (TypeError, ValueError, IndexError))
    assert caught.value.where
    assert x.sum().item() == 10.0


def test_an_error_of_an_argument_names_it_and_what_it_takes() -> None:
    x = at.ones(2, 3)
    with pytest.raises(TypeError, match=r"(?s)^sort: dim must be an int, not 'rows'.*operands: float32\[2, 3\] on npu:0"):
        x.sort("rows")
    with pytest.raises(TypeError, match=r"(?s)^cat: tensors must hold tensors, not None"):
        at.cat([x, None])
    with pytest.raises(TypeError, match=r"(?s)^quantile: input must be a tensor, not list.*tensor\(\)"):
        at.quantile([1.0], 0.5)


def test_a_wrong_keyword_or_count_stays_pythons_own_error() -> None:
    x = at.ones(2)
    with pytest.raises(TypeError, match=r"sort\(\) got an unexpected keyword argument 'wrong'"):
        x.sort(wrong=1)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument"):
        at.sort()


def test_a_number_that_does_not_fit_is_an_error_that_names_function_and_operands() -> None:
    x = at.tensor([1, 2], dtype=at.uint8)
    with pytest.raises(ValueError, match=r"(?s)^add: 300 does not fit uint8.*\n  operands: uint8\[2\] on npu:0, int 300"):
        x + 300
    with pytest.raises(ValueError, match=r"(?s)^mul: -1 does not fit uint8"):
        x *= -1


@pytest.mark.parametrize("length", [0, 3])
@pytest.mark.parametrize("value", [300, -1, float("nan"), 1e10])
def test_a_number_that_does_not_fit_is_written_nowhere(length: int, value: float) -> None:
    x = at.zeros(length, dtype=at.uint8)
    for write in (x.fill_, lambda value: x.__setitem__(..., value)):
        with pytest.raises(ValueError, match=r"(?s)(does not fit|no value of dtype) uint8.*operands: uint8"):
            write(value)
    assert x.tolist() == [0] * length


def test_nan_does_not_become_an_integer_by_full() -> None:
    with pytest.raises(errors.ValueRangeError, match="full: nan has no value of dtype int32"):
        at.full((2,), float("nan"), dtype=at.int32)
    with pytest.raises(errors.ValueRangeError, match="full: inf has no value of dtype int32"):
        at.full((2,), float("inf"), dtype=at.int32)


# Indices


def test_a_float_scalar_of_numpy_is_no_index() -> None:
    x = at.arange(4)
    with pytest.raises(IndexError, match="indices are integers"):
        x[np.float32(2)]


def test_ends_of_a_slice_that_are_no_integers_are_refused_by_name() -> None:
    x = at.arange(4)
    with pytest.raises(errors.DTypeError, match=r"(?s)^index: the parts of a slice are integers or None.*operands: int64\[4\]"):
        x["a":]
    with pytest.raises(errors.DTypeError, match=r"^index_put_: the parts of a slice"):
        x[0.5:] = 1


def test_nothing_can_be_taken_from_an_axis_of_length_zero() -> None:
    x = at.zeros(0, 3)
    index = at.tensor([0])
    with pytest.raises(IndexError, match="no index is in bounds for dimension 0 with size 0"):
        x[index]
    with pytest.raises(IndexError, match="no index is in bounds for dimension 0 with size 0"):
        x[index] = 9
    assert x[at.tensor([], dtype=at.int64)].shape == (0, 3)


def test_the_length_of_a_dimension_that_is_not_there() -> None:
    x = at.ones(2, 3)
    assert (x.size(-1), x.size(0), x.size()) == (3, 2, (2, 3))
    for call in (
        lambda: x.size(2),
        lambda: x.size(-3),
        lambda: at.tensor(1.0).size(0),
        lambda: x.stride(2),
        lambda: at.tensor(1).stride(0),
    ):
        with pytest.raises(errors.IndexRangeError, match="imension"):
            call()
    for wrong in (lambda: x.size("a"), lambda: x.stride(1.5)):
        with pytest.raises(errors.DTypeError, match="dim must be an int"):
            wrong()


FLOATS_FOR_INTEGERS: list[Call] = [
    lambda x: x.select(0, 1.0),
    lambda x: x.narrow(1, 1.0, 1),
    lambda x: x.narrow(1, 0, 1.5),
    lambda x: x.diagonal(1.5),
    lambda x: x.unfold(1, 1.0, 1),
    lambda x: x.as_strided((2,), (1,), 1.5),
    lambda x: x.rot90(1.5),
    lambda x: x.round(decimals=1.5),
    lambda x: x.type_as("a"),
]


@pytest.mark.parametrize("call", FLOATS_FOR_INTEGERS)
def test_a_float_is_no_place_and_no_length(call: Call) -> None:
    with pytest.raises(errors.DTypeError) as caught:
        call(at.ones(2, 3))
    assert caught.value.where


# Promotion


@pytest.mark.parametrize("name", ["remainder", "maximum", "minimum", "floor_divide", "fmod", "bitwise_left_shift", "bitwise_right_shift"])
def test_an_integer_without_dims_wraps_into_the_dtype_of_the_tensor_with_dims(name: str) -> None:
    # By hand as PyTorch 2.13 gives it: the 0-d operand is cast to the result's dtype first, whatever dtype the operator runs in.
    x = at.tensor([3, 1, 7, 100], dtype=at.uint8)
    for number, dtype in ((-3, at.int8), (300, at.int64), (-300, at.int16)):
        wide = at.tensor(number, dtype=dtype)
        result = getattr(at, name)(x, wide)
        wanted = getattr(at, name)(x, at.tensor([number % 256], dtype=at.uint8))
        assert result.dtype is at.uint8
        assert result.tolist() == wanted.tolist()
        back = getattr(at, name)(wide, x)
        assert back.dtype is at.uint8
        assert back.tolist() == getattr(at, name)(at.tensor([number % 256], dtype=at.uint8), x).tolist()


# Numbers


def test_a_tensor_compares_exactly_with_integers_that_its_dtype_does_not_hold() -> None:
    x = at.tensor([3, 0, 255], dtype=at.uint8)
    host = x.numpy()
    for number in (-1, 300, 1 << 40, 10**30):
        assert (x == number).tolist() == [False] * 3 == (number == x).tolist()
        assert (x != number).tolist() == [True] * 3
        assert (x < number).tolist() == (host < number).tolist()
        assert (x >= number).tolist() == (host >= number).tolist()
        assert (number > x).tolist() == (number > host).tolist()


@pytest.mark.parametrize("dtype", [at.complex64, at.complex128])
def test_complex_numbers_are_equal_by_both_parts(dtype: Any) -> None:
    x = at.tensor([1 + 1j, 0, -2j, 3], dtype=dtype)
    y = at.tensor([1 - 1j, 0, -2j, 4], dtype=dtype)
    assert (x == y).tolist() == [False, True, True, False]
    assert (x != y).tolist() == [True, False, False, True]
    assert (x == -2j).tolist() == [False, False, True, False]
    assert (x == at.tensor([1.0, 0, 0, 3])).tolist() == [False, True, False, True]
    assert (at.tensor([1.0, 3.0]) == 3j).tolist() == [False, False]
    assert -2j in x and 7 not in x
    assert x.equal(x) and not x.equal(y)
    assert x.isin(y).tolist() == [False, True, True, False]
    with pytest.raises(errors.DTypeError, match="lt: complex"):
        _ = x < y


def test_complex_numbers_are_nan_or_infinite_in_either_part_and_close_by_their_distance() -> None:
    nan, inf = float("nan"), float("inf")
    x = at.tensor([complex(nan, 1), complex(1, inf), complex(nan, inf), 1 + 1j])
    assert x.isnan().tolist() == [True, False, True, False]
    assert x.isinf().tolist() == [False, True, True, False]
    assert x.isfinite().tolist() == [False, False, False, True]
    y = at.tensor([complex(nan, 1), complex(1, inf), 2.0, 1.000001 + 1j])
    assert at.isclose(x, y).tolist() == [False, True, False, True]
    assert at.isclose(x, y, equal_nan=True).tolist() == [True, True, False, True]
    assert at.allclose(x[3:], y[3:])
    assert at.allclose(x[3:], 1 + 1j)


def test_hypot_takes_integers_and_truth_values_beside_floats() -> None:
    for dtype in (at.bool, at.uint8, at.int32):
        whole = at.tensor([1, 0], dtype=dtype)
        for floating in (at.float16, at.float32):
            result = at.hypot(whole, at.tensor([0.0, 2.0], dtype=floating))
            assert result.dtype is floating and result.tolist() == [1.0, 2.0]
            assert at.hypot(at.tensor([0.0, 2.0], dtype=floating), whole).tolist() == [1.0, 2.0]


def test_where_of_a_condition_alone_gives_coordinates() -> None:
    x = at.tensor([[0.0, 1.0], [2.0, 0.0]])
    rows, columns = at.where(x > 0)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
    with pytest.raises(TypeError, match="both input and other"):
        at.where(x > 0, x)


def test_isin_takes_a_number() -> None:
    x = at.tensor([3, 1, 2])
    assert at.isin(x, 1).tolist() == [False, True, False]
    assert at.isin(x, 1, invert=True).tolist() == [True, False, True]


# NumPy


SCALARS: list[Call] = [
    lambda x: at.add(x, np.float32(2)),
    lambda x: at.maximum(x, np.float32(2)),
    lambda x: at.where(x > 1, x, np.float32(0)),
    lambda x: x.clamp(np.float32(2), np.int64(3)),
    lambda x: at.add(x, x, alpha=np.float32(2)),
    lambda x: at.pow(np.int32(2), x),
    lambda x: at.masked_fill(x, x > 1, np.float16(2)),
    lambda x: at.hypot(x, np.float32(3)),
]


@pytest.mark.parametrize("call", SCALARS)
def test_scalars_of_numpy_are_operands_of_functions_too(call: Call) -> None:
    x = at.tensor([1.0, 2.0, 3.0], dtype=at.float16)
    with np.errstate(all="raise"):
        result = call(x)
    assert result.dtype is at.float16 and result.shape == (3,)


def test_arrays_and_scalars_that_are_no_numbers_are_refused_by_name() -> None:
    x = at.ones(2)
    for other in (np.array(["a", "b"]), np.array([None, 1])):
        with pytest.raises(errors.DTypeError, match=r"(?s)^add: numpy .* has no Ascend type.*operands: float32\[2\] on npu:0"):
            _ = x + other
        with pytest.raises(errors.DTypeError, match=r"(?s)^multiply: numpy .*operands: float32\[2\] on npu:0"):
            _ = other * x
    with pytest.raises(errors.DTypeError, match=r"^eq: an operand is a tensor or a number, not list"):
        x.eq([1, 2])
    with pytest.raises(errors.DTypeError, match=r"^add: an operand is a tensor or a number"):
        at.add(x, np.str_("a"))


@pytest.mark.parametrize("scalar", [np.timedelta64(5, "ns"), np.datetime64("2020-01-01", "ns")], ids=["duration", "date"])
def test_dates_and_durations_are_no_numbers(scalar: Any) -> None:
    x = at.ones(2)
    for call in (
        lambda: x + scalar,
        lambda: at.add(x, scalar),
        lambda: np.add(x, scalar),
        lambda: at.full((2,), scalar),
        lambda: x[scalar],
    ):
        with pytest.raises((TypeError, IndexError), match=r"is no number|has no Ascend type|indices are integers"):
            call()
    with pytest.raises(TypeError, match="can't be in a tensor"):
        _ = np.str_("a") in x


def test_integers_of_numpy_are_dims() -> None:
    x = at.arange(6.0).reshape(2, 3)
    for dim in (np.int64(1), np.uint8(1)):
        assert x.sum(dim).tolist() == [3.0, 12.0]
        assert x.mean(dim).tolist() == [1.0, 4.0]
        assert x.amax(dim).tolist() == [2.0, 5.0]
        assert x.argmax(dim).tolist() == [2, 2]
        assert x.std(dim).shape == (2,)
        assert x.softmax(dim).shape == (2, 3)
    assert x.sum((np.int64(0), np.int64(1))).item() == 15.0


# Results into given tensors, streams, closed tensors


def test_out_takes_no_dtype_that_the_result_can_not_be_cast_to() -> None:
    whole = at.zeros(2, dtype=at.int32)
    calls: list[Call] = [
        lambda out: at.randn(2, out=out),
        lambda out: at.cat([at.ones(1), at.ones(1)], out=out),
        lambda out: at.quantile(at.ones(2, 2), 0.5, dim=0, out=out),
        lambda out: at.index_select(at.tensor(1.5), 0, at.tensor([0]), out=out),
    ]
    for call in calls:
        with pytest.raises((errors.DTypeError, errors.ShapeError), match=r"which can't be (cast|written)|a floating dtype is needed"):
            call(whole)
        with pytest.raises(errors.DTypeError):
            call(whole.numpy())


def test_randint_takes_a_high_and_a_size_by_name() -> None:
    assert at.randint(10, size=(2, 3)).shape == (2, 3)
    assert at.randint(high=1, low=0, size=(4,)).tolist() == [0] * 4


def test_what_is_no_stream_or_event_is_refused() -> None:
    with pytest.raises(errors.DTypeError, match="stream: a Stream is needed, not str"):
        at.stream("npu:0")  # type: ignore[arg-type]
    mark = at.Event()
    mark.record()
    calls = {"Stream.wait_stream": at.current_stream().wait_stream, "Event.record": mark.record, "Event.wait": mark.wait}
    for where, call in calls.items():
        with pytest.raises(errors.DTypeError, match=f"^{where}: a Stream is needed, not int"):
            call(3)  # type: ignore[arg-type]
    with pytest.raises(errors.DTypeError, match="an Event is needed, not str"):
        at.Stream().wait_event("a")  # type: ignore[arg-type]


def test_writing_into_a_tensor_from_before_shutdown_says_so() -> None:
    x = at.zeros(3)
    at.shutdown()
    calls: list[Call] = [
        lambda x: at.add(at.ones(3), 1, out=x),
        lambda x: at.sort(at.ones(3), out=(x, x)),
        lambda x: x.uniform_(),
        lambda x: x.fill_(1),
        lambda x: x.add_(1),
        lambda x: x.copy_(at.ones(3)),
    ]
    for call in calls:
        with pytest.raises(errors.ClosedError, match="before shutdown"):
            call(x)
    with pytest.raises(errors.ClosedError, match=r"^index_put_: the tensor to write into is from before shutdown\(\) of npu:0"):
        x[...] = 1.0


# Text


def test_a_tensor_without_dims_is_formatted_like_its_number() -> None:
    assert f"{at.tensor(1.5)} {at.tensor(2)} {at.tensor(True)} {at.tensor(2.0):.2f} {at.tensor(7):03d}" == "1.5 2 True 2.00 007"
    assert f"{at.tensor([1.5])}" == "tensor([1.5000], device='npu:0')"
    with pytest.raises(errors.DTypeError, match=r"(?s)^format: .*'f'.*operands: float32\[1\]"):
        f"{at.tensor([1.5]):.2f}"


@pytest.mark.parametrize(
    ("called", "function"),
    [
        ("add_", lambda a, b: a.add_(b)),
        ("add", lambda a, b: a + b),
        ("hypot", lambda a, b: at.hypot(a, b)),
        ("hypot_", lambda a, b: a.hypot_(b)),
        ("multiply", lambda a, b: a.multiply(b)),
        ("max", lambda a, b: a[:0].max()),
        ("clamp_", lambda a, b: a.clamp_(b, b)),
        ("add_", lambda a, b: a.add_(None)),
    ],
)
def test_errors_name_the_function_that_was_called(called: str, function: Callable[[Any, Any], Any]) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        function(at.ones(3), at.ones(4))
    assert caught.value.where == called  # type: ignore[attr-defined]
    assert str(caught.value).startswith(f"{called}: ")
    assert pickle.loads(pickle.dumps(caught.value)).where == called


@pytest.mark.parametrize("dtype", [at.float16, at.bfloat16], ids=str)
def test_halves_are_compared_with_a_number(dtype: Any) -> None:
    x = at.tensor([-1.0, -0.0, 2.0, float("nan")], dtype=dtype)
    assert (x > 0).tolist() == (x > at.tensor(0.0, dtype=dtype)).tolist() == [False, False, True, False]
    assert (x <= 2).tolist() == [True, True, True, False] and (x == 0).tolist() == [False, True, False, False]
    assert (at.tensor(2.0, dtype=dtype) > 1).item()


def test_ravel_gives_a_view_only_where_there_are_no_gaps_as_in_pytorch_and_numpy() -> None:
    x = at.arange(12).reshape(3, 4)
    for view in (x[:, 1], x.T, x[::-1], x[:, ::2], x[0].expand(2, 4)):
        for row in (view.ravel(), at.ravel(view), np.ravel(view)):
            assert row.is_contiguous() and row.tolist() == view.numpy().ravel().tolist()
            row += 100
    assert x.tolist() == np.arange(12).reshape(3, 4).tolist()
    for row in (x.ravel(), np.ravel(x), x[1:].ravel(), x[2].ravel(), x[2:, None].ravel()):
        row[-1] += 1
    assert x[2, 3].item() == 16
