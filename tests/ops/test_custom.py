"""Operators of the user's own: register_op, the simulator's kernels for them, load_op_models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import facts, simulator
from ascendtensor.compiler import Attribute, Description, TensorDescription
from ascendtensor.simulator.engine import compile as compiling
from ascendtensor.simulator.kernels import registry


@pytest.fixture(autouse=True)
def kernels() -> Iterator[None]:
    """Kernels that forget themselves: other tests walk over all that there are."""

    @simulator.kernel("TestAxpy", ["x", "y", "bias?"], ["z"], {"alpha": 1.0, "mode": "plain"})
    def axpy(inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
        x, y, *rest = inputs
        outputs[0][...] = attrs["alpha"] * x + y.astype(x.dtype)
        if rest and rest[0] is not None:
            outputs[0] += rest[0]

    @simulator.kernel("TestJoin", ["xs*"], ["sum", "count"], {"axes": list[int], "flag": bool})
    def join(inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
        outputs[0][...] = sum(inputs) * (-1 if attrs["flag"] else 1) + sum(attrs["axes"])
        outputs[1][...] = len(inputs)

    yield
    for op_type in ("TestAxpy", "TestJoin"):
        registry._KERNELS.pop(op_type)
        facts._declared.pop(op_type)


def axpy() -> at.CustomOp:
    return at.register_op("TestAxpy", ["x", "y", "bias?"], ["z"], {"alpha": 1.0, "mode": "plain"})


def test_a_custom_operator_runs_like_any_other() -> None:
    op = axpy()
    x, y = at.tensor([1.0, 2.0, 3.0]), at.tensor([10, 20, 30])
    np.testing.assert_array_equal(op(x, y).numpy(), [11, 22, 33])  # y stays int64
    np.testing.assert_array_equal(op(x, y, alpha=2).numpy(), [12, 24, 36])
    np.testing.assert_array_equal(op(x, y, at.ones(3), alpha=2.0).numpy(), [13, 25, 37])
    np.testing.assert_array_equal(op(x, y, None).numpy(), [11, 22, 33])
    assert op(x.to(at.float16), y).dtype is at.float16
    view = at.arange(6, dtype=at.float32).reshape(2, 3).T
    np.testing.assert_array_equal(op(view, at.zeros(3, 2)).numpy(), view.numpy())
    assert repr(op) == "<operator TestAxpy(x, y, bias)>"


def test_shape_and_dtype_rules_repeated_inputs_and_several_outputs() -> None:
    def shape(*shapes: Any, axes: tuple[int, ...], flag: bool) -> Any:
        assert axes == (1, 2) and flag is True
        return [shapes[0], ()]

    op = at.register_op(
        "TestJoin",
        ["xs*"],
        ["sum", "count"],
        {"axes": list[int], "flag": bool},
        shape=shape,
        dtype=lambda *dtypes, **_: [dtypes[0], at.int32],
    )
    total, count = op(at.ones(2, 2), at.ones(2, 2), at.ones(2, 2), axes=[1, 2], flag=True)
    np.testing.assert_array_equal(total.numpy(), np.zeros((2, 2)))
    assert count.item() == 3 and count.dtype is at.int32 and count.shape == ()


def test_shapes_that_keep_changing() -> None:
    op = axpy()
    for size in range(1, 14):
        np.testing.assert_array_equal(op(at.ones(size), at.ones(size), alpha=3.0).numpy(), np.full(size, 4.0))


def test_a_kernel_that_is_written_again_runs_at_once() -> None:
    scaled = at.register_op("TestAgain", ["x"], ["y"])

    def cell(factor: int) -> None:  # of a notebook
        @simulator.kernel("TestAgain", ["x"], ["y"])
        def run(inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
            np.multiply(inputs[0], factor, outputs[0])

    x = at.ones(2)
    try:
        for factor in (2, 3):
            cell(factor)
            assert scaled(x).tolist() == scaled(x).tolist() == [factor, factor]
            for length in range(3, 12):  # a dynamic model
                assert scaled(at.ones(length)).tolist() == [factor] * length
        with at.op_models.mode("each-run"):
            assert scaled(x).tolist() == scaled(x).tolist() == [3, 3]
            cell(4)
            assert scaled(x).tolist() == [4, 4]
    finally:
        registry._KERNELS.pop("TestAgain", None)
        facts._declared.pop("TestAgain", None)


def test_wrong_calls() -> None:
    for nothing in ("", "My Axpy", None):
        with pytest.raises(at.ValueRangeError, match=r"register_op: .* is no operator's type"):
            at.register_op(nothing, ["x"], ["y"])  # type: ignore[arg-type]
    op = axpy()
    x = at.ones(3)
    with pytest.raises(at.ValueRangeError, match=r"TestAxpy.*inputs x, y, bias"):
        op(x)
    with pytest.raises(at.ValueRangeError, match="4 operands"):
        op(x, x, x, x)
    with pytest.raises(at.ValueRangeError, match="no attribute beta"):
        op(x, x, beta=1)
    with pytest.raises(at.DTypeError, match="alpha is float"):
        op(x, x, alpha="much")
    with pytest.raises(at.DTypeError, match="no tensor"):
        op(x, 2.0)
    with pytest.raises(at.ValueRangeError, match="flag must be given"):
        at.register_op("TestJoin", ["xs*"], ["a", "b"], {"axes": [1], "flag": bool})(x)
    with pytest.raises(at.ShapeError, match="2 outputs"):
        at.register_op("TestJoin", ["xs*"], ["a", "b"], {"axes": [1], "flag": True}, shape=lambda *_, **__: [(1,)])(x)
    for arguments in ((["xs*", "y"],), (["x?"],), ("x",), (["x"], []), (["x"], ["y"], {"a": None}), (["x"], ["y"], {"a": []})):
        with pytest.raises(at.ValueRangeError, match="register_op"):
            at.register_op("TestAxpy", *arguments)  # type: ignore[arg-type]


def test_the_simulator_compares_with_what_its_kernel_declares() -> None:
    x = at.ones(3)
    with pytest.raises(at.CompileError, match="apha"):
        at.register_op("TestAxpy", ["x", "y"], ["z"], {"apha": 1.0})(x, x)
    with pytest.raises(at.CompileError, match="TestNowhere"):
        at.register_op("TestNowhere")(x)
    with pytest.raises(ValueError, match="CANN has"):
        simulator.kernel("Add")(print)
    with pytest.raises(ValueError, match="default or a type"):
        simulator.kernel("TestOther", attrs={"a": None})


def test_models_that_were_compiled_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_process: None) -> None:
    vector = TensorDescription(dtype=at.float32.acl, shape=(3,))
    attrs = (Attribute("alpha", "float", 1.0), Attribute("mode", "string", "plain"))
    model = compiling.build(Description("TestAxpy", (vector, vector), (vector,), attrs).to_json(), "Ascend910B1")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "axpy.om").write_bytes(model)
    at.handle_cache.clear()
    monkeypatch.setattr(at.handle_cache, "given", [])
    monkeypatch.setattr(at.handle_cache, "_loaded", {})

    def no_compiler(*_: Any) -> Any:
        raise at.CompileError("there is no compiler")

    monkeypatch.setattr("ascendtensor.compiler.store.ModelStore.get", no_compiler)
    x = at.tensor(np.ones(3, np.float32))
    with pytest.raises(at.CompileError, match="no compiler"):
        axpy()(x, x)
    assert at.load_op_models(tmp_path) == 1
    np.testing.assert_array_equal(axpy()(x, x).numpy(), [2, 2, 2])
    with pytest.raises(at.CompileError, match="no compiler"):
        axpy()(x, x, alpha=2.0)
    assert at.load_op_models(model) == 1 and at.load_op_models(str(tmp_path / "deep" / "axpy.om")) == 1
    with pytest.raises(at.CompileError, match="read"):
        at.load_op_models(tmp_path / "missing.om")
    (tmp_path / "empty").mkdir()
    with pytest.raises(at.CompileError, match=r"no \.om file"):
        at.load_op_models(tmp_path / "empty")
    with pytest.raises(at.AclError):
        at.load_op_models(b"nonsense")
