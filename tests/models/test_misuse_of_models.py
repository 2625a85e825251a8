"""What users get wrong with whole models: each is a named error, and nothing is left behind."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_program import WEIGHTS, X, Y, convert, linear, save, value
from onnx import helper

import ascendtensor as at
from ascendtensor import errors, simulator
from ascendtensor.acl import models as calls


@pytest.fixture(scope="module")
def other(folder: Path) -> Path:
    """A model of the same shapes and other weights."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "mul"), helper.make_node("Relu", ["h"], ["y"], "act")]
    path = save(folder / "other.onnx", nodes, [value("x", [2, 4])], [value("y", [2, 3])], [("w", WEIGHTS * 2)])
    return convert(path, folder / "other")


def nothing_is_left() -> bool:
    tables = simulator.tables()
    return not any(tables[name] for name in ("models", "model_descs", "datasets"))


# Sources


class Place(os.PathLike[bytes]):
    """A path of bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)


def test_what_a_model_can_be_loaded_from(net: Path) -> None:
    data = net.read_bytes()
    for source in (bytearray(data), memoryview(data), Place(net)):
        with at.models.load(source) as made:
            assert np.array_equal(made(X).numpy(), Y)


def test_paths_that_are_none(net: Path) -> None:
    with pytest.raises(errors.AclError, match="145002"):
        at.models.load("")
    for path in ("a\0b", "a\udc80b"):
        with pytest.raises(errors.ValueRangeError, match="path"):
            at.models.load(path)
    file = net.open("rb")
    file.close()
    with pytest.raises(ValueError, match="closed"):
        at.models.load(file)
    assert nothing_is_left()


def test_an_onnx_file_is_told_what_to_do(net: Path) -> None:
    with pytest.raises(errors.AclError, match="convert an ONNX file") as caught:
        at.models.load(net.with_suffix(".onnx"))
    assert str(caught.value).count("E10001") == 1


# Weights


def test_weights_of_another_model_are_not_shared(net: Path, other: Path) -> None:
    one = at.models.load(net, memory="managed")
    for source in (other, other.read_bytes()):
        with pytest.raises(errors.ValueRangeError, match="same source"):
            at.models.load(source, weights=one)
    assert np.array_equal(one(X).numpy(), Y)
    one.unload()
    data = net.read_bytes()
    with at.models.load(data, memory="managed") as one, at.models.load(bytes(bytearray(data)), weights=one) as two:
        assert np.array_equal(one(X).numpy(), two(X).numpy())
    assert simulator.findings() == [] and nothing_is_left()


def test_weights_of_a_file_that_was_written_anew_are_not_shared(net: Path, other: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.om"
    path.write_bytes(net.read_bytes())
    with at.models.load(path, memory="managed") as one:
        path.write_bytes(other.read_bytes())
        with pytest.raises(errors.ValueRangeError, match="same source"):
            at.models.load(path, weights=one)


def test_a_file_that_grows_while_it_is_loaded(net: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], "mul")]
    wide = save(folder / "wide.onnx", nodes, [value("x", [2, 4])], [value("y", [2, 3000])], [("w", np.zeros((4, 3000), np.float32))])
    larger = convert(wide, folder / "wide").read_bytes()
    path, query = tmp_path / "net.om", calls.query_size
    path.write_bytes(net.read_bytes())

    def replaced(name: str) -> tuple[int, int]:
        sizes = query(name)
        path.write_bytes(larger)
        return sizes

    monkeypatch.setattr(calls, "query_size", replaced)
    before = at.npu.memory_allocated()
    with pytest.raises(errors.AclError, match="145000"):
        at.models.load(path, memory="managed")
    assert nothing_is_left() and at.npu.memory_allocated() == before


def test_open_shapes_want_memory_of_the_systems(folder: Path) -> None:
    path = convert(linear(folder / "o.onnx"), folder / "open", input_shape="x:1~64,4")
    with pytest.raises(errors.ValueRangeError, match="system"):
        at.models.load(path, memory="managed")
    assert nothing_is_left()


# Calls


def test_outputs_over_inputs_are_refused(folder: Path) -> None:
    tensors = [value(name, [2, 8]) for name in ("x", "y", "z")]
    nodes = [helper.make_node("Neg", ["x"], ["y"], "one"), helper.make_node("Abs", ["x"], ["z"], "two")]
    with at.models.load(convert(save(folder / "t.onnx", nodes, tensors[:1], tensors[1:]), folder / "two")) as made:
        x, out = at.ones(2, 8), at.empty(2, 8)
        with pytest.raises(errors.ValueRangeError, match="shares its memory"):
            made(x, out=[out, x])
        with pytest.raises(errors.ValueRangeError, match="shares its memory"):
            made(x, out=[out, out])
        rows = at.ones(6, 8)
        with pytest.raises(errors.ValueRangeError, match="shares its memory"):
            made(rows[0:2], out={"y": rows[1:3]})
        made(rows[0:2], out=[rows[2:4], rows[4:6]])
        assert np.array_equal(rows.numpy(), np.repeat(np.array([1, -1, 1], np.float32), 16).reshape(6, 8))


def test_out_of_other_kinds(model: at.models.Model) -> None:
    for out in (3, "y"):
        with pytest.raises(errors.DTypeError, match="out must be"):
            model(X, out=out)
    assert np.array_equal(model(X).numpy(), Y)


def test_inputs_without_a_batch_are_left_alone(folder: Path) -> None:
    nodes = [helper.make_node("Mul", ["x", "s"], ["h"], "m"), helper.make_node("Add", ["h", "b"], ["y"], "a")]
    inputs = [value("x", [4, 2]), value("s", []), value("b", [2])]
    with at.models.load(convert(save(folder / "s.onnx", nodes, inputs, [value("y", [4, 2])]), folder / "scaled")) as made:
        x, b = np.ones((3, 2), np.float32), np.ones(2, np.float32)
        y = made(x, 2.0, b, pad=True)
        assert np.array_equal(y.numpy(), x * 2 + b)
        with pytest.raises(errors.ShapeError):
            made(x, 2.0, np.ones(1, np.float32), pad=True)  # of two sizes


def test_loaded_models_have_no_copies(model: at.models.Model) -> None:
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="load"):
            make(model)  # type: ignore[operator]


def test_gears_are_shown_in_notebooks(folder: Path) -> None:
    path = convert(linear(folder / "g.onnx"), folder / "gears", input_shape="x:-1,4", dynamic_batch_size="1,8")
    with at.models.load(path) as made:
        text: Any = made._repr_html_()
        assert "gears (batch)" in text and "[8, 4]" in text
