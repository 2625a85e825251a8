"""Operators called by name: values, constants, outputs, the caches that they share with functions."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor import facts, simulator
from ascendtensor.compiler import Description
from ascendtensor.launch.registry import handle_cache
from ascendtensor.simulator.kernels import registry

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def x() -> at.Tensor:
    return at.tensor(X)


def call(*args: Any, **attrs: Any) -> Any:
    result = at.ir.call(*args, **attrs)
    return tuple(each.numpy() for each in result) if isinstance(result, tuple) else result.numpy()


def launched(function: Any) -> list[Description]:
    """What new plans launch while a function runs."""
    found: list[Description] = []
    handle_cache.forget_plans()
    handle_cache.recorders.append(found.append)
    try:
        function()
    finally:
        handle_cache.recorders.remove(found.append)
    return list(dict.fromkeys(found))


CALLS: list[tuple[str, Any, Any, Any]] = [
    ("Abs", lambda: (x(),), {}, np.abs(X)),
    ("Add", lambda: (x(), at.ones(3)), {}, X + 1),
    ("Add", lambda: (x(), 2), {}, X + 2),
    ("Maximum", lambda: (at.tensor(X.astype(np.int32)), 1), {}, np.maximum(X.astype(np.int32), 1)),
    ("ReduceSum", lambda: (x(), 1), {}, X.sum(1)),
    ("ReduceSum", lambda: (x(), [0, 1]), {"keep_dims": True}, X.sum(keepdims=True)),
    ("ReduceMax", lambda: (x(), np.array([0])), {}, X.max(0)),
    ("Transpose", lambda: (x(), (1, 0)), {}, X.T),
    ("Reshape", lambda: (x(), [3, 2]), {}, X.reshape(3, 2)),
    ("RFFT", lambda: (at.ones(8), [8]), {}, np.fft.rfft(np.ones(8, np.float32)).astype(np.complex64)),
    ("Add", lambda: (1.0, 2), {}, np.float32(3)),
    ("LogicalAnd", lambda: (x() > 0, True), {}, X > 0),
    ("Tile", lambda: (x(), [2, 1]), {}, np.tile(X, (2, 1))),
    ("Cast", lambda: (x(),), {"dst_type": at.int32}, X.astype(np.int32)),
    ("Cast", lambda: (x(),), {"dst_type": 3}, X.astype(np.int32)),
    ("SplitV", lambda: (x(), [1, 2], 1), {"num_split": 2}, (X[:, :1], X[:, 1:])),
    ("SplitD", lambda: (x(),), {"split_dim": 1, "num_split": 3}, tuple(np.split(X, 3, 1))),
    ("Unpack", lambda: (x(),), {"num": 2, "outputs": 2}, (X[0], X[1])),
    ("Unpack", lambda: (x(),), {"num": 1, "axis": 0, "outputs": [((3,), at.float32)] * 2}, None),
    ("Pack", lambda: ([x(), x()],), {"axis": 0}, np.stack([X, X])),
    ("Pack", lambda: ([x(), x()],), {"axis": 0, "N": 2}, np.stack([X, X])),
    ("ConcatV2", lambda: ([x(), x(), x()], 0), {}, np.concatenate([X, X, X])),
    ("Range", lambda: (0, 10, 2.5), {}, np.arange(0, 10, 2.5, np.float32)),
    ("Range", lambda: (0, 5, 2), {}, np.arange(0, 5, 2)),
    ("Fill", lambda: ([2, 2], 7.0), {}, np.full((2, 2), 7, np.float32)),
    ("Fill", lambda: ([2], x().sum()), {}, np.full(2, X.sum())),
    ("Eye", lambda: (), {"num_rows": 2, "dtype": at.int32}, np.eye(2, dtype=np.int32)),
    ("ClipByValueV2", lambda: (x(), -1, 2.5), {}, X.clip(-1, 2.5)),
    ("GatherV2", lambda: (x(), at.tensor([2, 0]), 1), {}, X[:, [2, 0]]),
    ("SelectV2", lambda: (x() > 0, x(), 0.0), {}, np.where(X > 0, X, 0)),
    ("TopKV2", lambda: (x(), 2), {}, (X[:, :0:-1], np.array([[2, 1]] * 2, np.int32))),
    ("StridedSliceV3", lambda: (x(), [0, 1], [2, 3]), {}, X[:, 1:]),
    ("OneHot", lambda: (at.tensor([0, 2]), 3, 1.0, 0.0), {}, np.eye(3, dtype=np.float32)[[0, 2]]),
    ("LayerNormV3", lambda: (x(), at.ones(3), at.zeros(3)), {"begin_norm_axis": 1, "begin_params_axis": 1}, None),
    ("BatchMatMulV2", lambda: (x(), x()), {"adj_x2": True}, X @ X.T),
    ("BatchMatMulV2", lambda: (x(), x(), None, None), {"adj_x2": np.bool_(True)}, X @ X.T),
    ("LeakyRelu", lambda: (x(),), {"negative_slope": 1}, X),
    ("LeakyRelu", lambda: (x(),), {"negative_slope": np.float64(0.5)}, np.where(X > 0, X, X / 2)),
    (
        "Conv2D",
        lambda: (at.ones(1, 1, 3, 3), at.ones(1, 1, 3, 3), at.ones(1)),
        {"strides": (1, 1, 1, 1), "pads": [0] * 4, "data_format": "NCHW"},
        np.full((1, 1, 1, 1), 10, np.float32),
    ),
    ("ResizeBilinearV2", lambda: (at.ones(1, 1, 2, 2), [4, 4]), {"desc_format": "NCHW"}, np.ones((1, 1, 4, 4), np.float32)),
]


@pytest.mark.parametrize(("op_type", "inputs", "attrs", "expected"), [each for each in CALLS if each[3] is not None])
def test_results_are_numpys(op_type: str, inputs: Any, attrs: dict[str, Any], expected: Any) -> None:
    result = call(op_type, *inputs(), **attrs)
    assert isinstance(result, tuple) == isinstance(expected, tuple)
    for one, other in zip(result, expected, strict=True) if isinstance(expected, tuple) else [(result, expected)]:
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_views_are_taken_as_any_function_takes_them() -> None:
    np.testing.assert_array_equal(call("Add", x().T, at.ones(3, 4)[:, ::2]), X.T + 1)


def test_a_repeated_call_is_one_look_up() -> None:
    tensor = x()
    at.ir.call("ReduceSum", tensor, [1], keep_dims=True)
    before = at.handle_cache.info()
    for _ in range(10):
        at.ir.call("ReduceSum", tensor, [1], keep_dims=True)
        at.ir.ops.ReduceSum(x(), [1], keep_dims=True)
    after = at.handle_cache.info()
    assert (after.hits - before.hits, after.misses, after.loaded_models) == (20, before.misses, before.loaded_models)
    at.ir.call("ReduceSum", tensor, np.array([1]), keep_dims=True)  # nothing that is kept in short, and still the same plan
    assert at.handle_cache.info().misses == before.misses


def test_a_call_and_a_function_share_models() -> None:
    tensor = at.ones(5, 7)
    tensor.sum(1), at.cat([tensor, tensor], 1), tensor * tensor, tensor.tril(), at.nn.functional.gelu(tensor)
    before = at.handle_cache.info().loaded_models
    at.ir.call("ReduceSum", tensor, [1])
    at.ir.call("Mul", tensor, tensor)
    at.ir.call("Tril", tensor)
    assert at.handle_cache.info().loaded_models == before


def test_shapes_and_constants_that_keep_changing_share_a_dynamic_model() -> None:
    for size in range(1, 14):
        values = np.arange(2.0 * size, dtype=np.float32).reshape(2, size)
        np.testing.assert_array_equal(call("Tile", at.tensor(values), [size, 1]), np.tile(values, (size, 1)))
        np.testing.assert_array_equal(call("Tanh", at.tensor(values * 0)), values * 0)
    before = at.handle_cache.info().loaded_models
    for size in range(20, 30):
        at.ir.call("Tanh", at.tensor(np.ones((2, size), np.float32)))
    assert at.handle_cache.info().loaded_models == before


def test_attributes_of_other_values_are_other_plans() -> None:
    assert [call("LeakyRelu", x(), negative_slope=slope)[0, 0] for slope in (0.0, -0.0, 0.5, 0.0)] == [-0.0, 0.0, -1.0, -0.0]
    signs = [np.signbit(call("Fills", at.ones(1), value=value)[0]) for value in (0.0, -0.0, 0.0)]
    assert signs == [False, True, False]


def test_any_operator_is_kept_off_the_ai_core_by_the_graph_engines_attribute() -> None:
    """The AI Core divides int32 as float32 (CANN 8.1.RC1, tbe, `dynamic/mod.py`)."""
    large, three = at.tensor([(1 << 30) + 1, -7], dtype=at.int32), at.tensor([3, 2], dtype=at.int32)
    assert at.ir.ops.Mod(large, three, _exclude_engines="AiCore").tolist() == [((1 << 30) + 1) % 3, -1]
    assert at.ir.ops.Mod(large, three).tolist() != [((1 << 30) + 1) % 3, -1]
    with pytest.raises(at.DTypeError, match="_exclude_engines is string"):
        at.ir.ops.Mod(large, three, _exclude_engines=1)


def test_constants_and_device_tensors() -> None:
    tensor = x()
    (made,) = launched(lambda: at.ir.call("ReduceSum", tensor, [1]))
    assert made.inputs[1].const == np.int64(1).tobytes() and made.inputs[1].shape == (1,)
    (made,) = launched(lambda: at.ir.call("ReduceSum", x(), np.array(1, np.int32)))
    assert made.inputs[1].const == np.int32(1).tobytes() and made.inputs[1].shape == ()
    axes = at.tensor([1])
    found = launched(lambda: np.testing.assert_array_equal(call("ReduceSum", x(), axes, outputs=((2,), at.float32)), X.sum(1)))
    assert found[0].inputs[1].const is None
    with pytest.raises(at.ValueRangeError, match="not downloaded") as caught:
        at.ir.call("ReduceSum", x(), axes)
    assert "Give axes as a number or a list, or describe the outputs" in caught.value.advice


def test_python_numbers_are_no_part_of_the_model() -> None:
    tensor = x()
    at.ir.call("Mul", tensor, 2.0)
    before = at.handle_cache.info()
    for factor in (3.0, -0.0, 1e30):
        np.testing.assert_array_equal(call("Mul", tensor, factor), X * np.float32(factor))
    after = at.handle_cache.info()
    assert (after.misses, after.loaded_models) == (before.misses, before.loaded_models)
    half = at.ir.call("Mul", tensor.to(at.float16), 2.5)
    assert half.dtype is at.float16


def test_outputs_that_are_described() -> None:
    assert call("NonZero", x() > 1, outputs=((6, 2), at.int64)).tolist() == [[1, 1], [1, 2]]
    assert at.ir.call("NonZero", x() > 1, dtype=at.int32, outputs=[((6, 2), at.int32)]).dtype is at.int32
    with pytest.raises(at.ValueRangeError, match="depends on the data"):
        at.ir.call("NonZero", x())
    with pytest.raises(at.ShapeError, match="can't go straight into a tensor"):
        at.ir.call("NonZero", x(), outputs=at.empty(6, 2, dtype=at.int64))
    first, second = at.ir.call("SplitV", x(), [1, 2], 1, num_split=2, outputs=[((2, 1), at.float32), ((2, 2), at.float32)])
    assert first.shape == (2, 1) and second.shape == (2, 2)


def test_outputs_that_are_written_into() -> None:
    target = at.empty(2, 3)
    assert at.ir.call("Mul", x(), 10.0, outputs=target) is target
    np.testing.assert_array_equal(target.numpy(), X * 10)
    turned = at.zeros(3, 2)
    at.ir.call("Mul", x(), 2.0, outputs=turned.T)  # no plain memory
    np.testing.assert_array_equal(turned.numpy(), X.T * 2)
    shared = x()
    at.ir.call("Transpose", shared.reshape(3, 2), [1, 0], outputs=shared)  # overlaps its input
    np.testing.assert_array_equal(shared.numpy(), X.reshape(3, 2).T)
    values, places = at.empty(2, 2), at.empty(2, 2, dtype=at.int32)
    assert at.ir.call("TopKV2", x(), 2, outputs=[values, places]) is not None
    np.testing.assert_array_equal(values.numpy(), X[:, :0:-1])
    with pytest.raises(at.ValueRangeError, match="share one place"):
        at.ir.call("Mul", x(), 2.0, outputs=at.zeros(3).expand(2, 3))


def test_what_is_updated_in_place_is_the_input() -> None:
    var = at.zeros(4)
    assert at.ir.call("ScatterNdUpdate", var, at.tensor([[1], [3]]), at.tensor([5.0, 7.0])) is var
    assert var.tolist() == [0, 5, 0, 7]
    whole = at.zeros(3, 2)
    at.ir.call("ScatterNdUpdate", whole[:, 1], at.tensor([[0]]), at.ones(1))  # through a view
    assert whole.tolist() == [[0, 1], [0, 0], [0, 0]]
    both = at.arange(4, dtype=at.float32)
    at.ir.call("ScatterNdAdd", both, at.tensor([[0], [1], [2], [3]]), both)  # its own updates
    assert both.tolist() == [0, 2, 4, 6]
    with pytest.raises(at.ValueRangeError, match="updated in place"):
        at.ir.call("ScatterNdUpdate", var, at.tensor([[0]]), at.ones(1), outputs=at.empty(4))


def test_empty_operands() -> None:
    assert at.ir.call("Abs", at.ones(0, 3)).shape == (0, 3)
    with pytest.raises(at.ShapeError, match="no elements"):
        at.ir.call("ReduceSum", at.ones(0, 3), [0])


def test_each_run_mode() -> None:
    with at.op_models.mode("each-run"):
        np.testing.assert_array_equal(call("ReduceSum", x(), [1]), X.sum(1))
        np.testing.assert_array_equal(call("ConcatV2", [x(), x()], 1), np.concatenate([X, X], 1))


def test_threads_and_a_shutdown_between() -> None:
    results: list[float] = []

    def work() -> None:
        results.extend(at.ir.call("Mul", at.ones(2), float(number))[0].item() for number in range(20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted([float(number) for number in range(20)] * 3)
    at.shutdown()
    assert at.ir.call("Mul", at.ones(2), 3.0).tolist() == [3.0, 3.0]


def test_errors_of_the_device_show_at_the_next_wait() -> None:
    at.ir.call("NonZero", x(), outputs=((2, 6), at.int64))
    with pytest.raises(at.AclError, match="NonZero"):
        at.synchronize()


@pytest.fixture
def two_lists() -> Iterator[str]:
    """An operator with two repeated inputs, which is forgotten again."""

    @simulator.kernel("TestPairs", ["xs*", "bias?", "ys*"], ["z"], {"from": 0.0})
    def pairs(inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
        *given, last = inputs
        outputs[0][...] = sum(each for each in given if each is not None) - last + attrs["from"]

    yield "TestPairs"
    registry._KERNELS.pop("TestPairs")
    facts._declared.pop("TestPairs")


def test_several_repeated_inputs_and_operators_of_the_users_own(two_lists: str) -> None:
    ones = at.ones(3)
    (made,) = launched(
        lambda: np.testing.assert_array_equal(
            call(two_lists, [ones, ones, ones], None, [ones], from_=2.0, outputs=((3,), at.float32)), np.full(3, 4.0)
        )
    )
    names = [(each.name, each.dynamic_input) for each in made.inputs]
    assert names == [("xs0", "xs"), ("xs1", "xs"), ("xs2", "xs"), ("", ""), ("ys0", "ys")]
    assert at.ir.ops[two_lists](([ones]), ones, [ones], outputs=((3,), at.float32)).tolist() == [1.0, 1.0, 1.0]


@settings(max_examples=15, deadline=None)
@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    dtype=st.sampled_from([np.float32, np.float16, np.int32, np.int64]),
    data=st.data(),
)
def test_reductions_transposes_and_tiles_of_any_shape(shape: list[int], dtype: Any, data: st.DataObject) -> None:
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=3))
    axes = list({axis % len(shape): axis for axis in axes}.values())
    tensor = at.tensor(values)
    result = at.ir.call("ReduceMax", tensor, axes)
    np.testing.assert_array_equal(result.numpy(), values.max(tuple(axes)))
    order = data.draw(st.permutations(range(len(shape))))
    np.testing.assert_array_equal(call("Transpose", tensor, order), values.transpose(order))
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(shape), max_size=len(shape)))
    np.testing.assert_array_equal(call("Tile", tensor, times), np.tile(values, times))


def test_the_dtype_of_a_number_is_one_that_has_a_kernel_with_the_others() -> None:
    kinds = {at.float32: 2, at.float16: 2, at.bfloat16: 2, at.int32: 2, at.int64: 2}
    for (dtype, number), op_type in itertools.product(kinds.items(), ("Add", "Minimum", "Less")):
        tensor = at.ones(2, dtype=dtype)
        (made,) = launched(lambda: at.ir.call(op_type, tensor, number))  # noqa: B023
        assert made.inputs[1].dtype == made.inputs[0].dtype == int(dtype.acl)


def test_an_input_by_name_is_told_from_an_attribute() -> None:
    x = at.ones(2)
    with pytest.raises(at.ValueRangeError, match=r"no attribute 'x1'\n.*x1 is an input: inputs are given by position\. The prototype: Add"):
        at.ir.call("Add", x1=x, x2=x)
    with pytest.raises(at.ValueRangeError, match="y is an output: outputs= describes them"):
        at.ir.call("Add", x, x, y=x)
