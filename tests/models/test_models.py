"""Whole models as users meet them: `at.models`."""

from __future__ import annotations

import asyncio
import io
import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_program import X, Y, convert, linear, linear_reference, save, value
from onnx import TensorProto, helper

import ascendtensor as at
from ascendtensor import errors, simulator
from ascendtensor.acl import models as calls
from ascendtensor.models.model import DATASETS_KEPT


@pytest.fixture(scope="module")
def batches(folder: Path) -> Path:
    return convert(linear(folder / "b.onnx"), folder / "batches", input_shape="x:-1,4", dynamic_batch_size="1,4,8")


@pytest.fixture(scope="module")
def open_net(folder: Path) -> Path:
    return convert(linear(folder / "o.onnx"), folder / "open", input_shape="x:1~64,4")


@pytest.fixture(scope="module")
def pair(folder: Path) -> Path:
    """sum and difference of two inputs."""
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"], "add"), helper.make_node("Sub", ["a", "b"], ["difference"], "sub")]
    tensors = [value(name, [3]) for name in ("a", "b", "sum", "difference")]
    return convert(save(folder / "pair.onnx", nodes, tensors[:2], tensors[2:]), folder / "pair")


def rows(count: int) -> Any:
    return np.random.default_rng(count).uniform(1, 2, (count, 4)).astype(np.float32)  # positive, so that no result is the 0 of Relu


def images(folder: Path, *fields: str, shape: str = "1,3,4,6", **options: str) -> Path:
    """A model with AIPP that gives what it is given."""
    (folder / "aipp.cfg").write_text("aipp_op {\n" + "\n".join(fields) + "\n}\n")
    nodes = [helper.make_node("Identity", ["x"], ["y"], "same")]
    graph = save(folder / "images.onnx", nodes, [value("x", ["n", 3, "h", "w"])], [value("y", None)])
    return convert(graph, folder / "images", insert_op_conf=str(folder / "aipp.cfg"), input_shape=f"x:{shape}", **options)


def test_a_batch_of_no_rows_or_of_other_ones_is_not_padded(batches: Path) -> None:
    with at.models.load(batches) as made:
        for shape in ((0, 4), (3, 5), (3,), ()):
            with pytest.raises(errors.ShapeError, match=r"the model takes \[1, 4\] or \[4, 4\] or \[8, 4\], not"):
                made(np.zeros(shape, np.float32), pad=True)


def test_a_shape_that_does_not_fit_comes_with_advice_that_helps(batches: Path) -> None:
    with at.models.load(batches) as made:
        for shape, advice in (((4,), "One sample is a batch of one: x[None]."), ((3, 4), "pad=True fills a smaller batch."), ((3, 5), "")):
            with pytest.raises(errors.ShapeError) as caught:
                made(np.zeros(shape, np.float32))
            assert caught.value.advice == advice
        assert made(np.zeros(4, np.float32)[None]).shape[0] == made(np.zeros((3, 4), np.float32), pad=True).shape[0] - 2 == 1


def test_the_value_of_a_gear_is_written_where_nothing_queued_reads(batches: Path) -> None:
    with at.models.load(batches) as made:
        given = [at.ones(4) for _ in range(12)]
        at.synchronize()
        results = [x + 1 for x in given]  # queued; their operands' memory comes back at once
        given.clear()
        y = made(rows(4))
        assert all(result.tolist() == [2.0] * 4 for result in results)
        assert np.allclose(y.numpy(), linear_reference(rows(4)))


@pytest.mark.parametrize("name", ["net", "open_net"])
def test_what_an_output_is_written_into_waits_for_its_readers(name: str, request: pytest.FixtureRequest) -> None:
    x = X if name == "net" else rows(64)  # of open shapes a run writes an output of the largest size where it lies
    expected = linear_reference(x)
    with at.models.load(request.getfixturevalue(name)) as made:
        side, out = at.Stream(), at.zeros(*expected.shape)
        with at.stream(side):
            read = out + 1  # queued there
        made(x, out=out)
        at.current_stream().synchronize()
        assert (read == 1).all() and np.allclose(out.numpy(), expected)


# Loading


def test_bytes_of_images_go_in(tmp_path: Path) -> None:
    """Dims whose product is the size: `aclmdlGetInputDims` gives other ones for static AIPP."""
    with at.models.load(images(tmp_path, "aipp_mode: static", "input_format: YUV420SP_U8", "var_reci_chn_0: 0.5")) as made:
        assert (made.inputs[0].shape, made.inputs[0].dtype, made.inputs[0].nbytes) == ((1, 6, 6, 1), at.uint8, 36)
        assert made(np.full((1, 6, 6, 1), 128, np.uint8)).mean((0, 2, 3)).tolist() == [64, 128, 128]


def test_bytes_of_images_choose_a_gear(tmp_path: Path) -> None:
    """NV12 has half as many rows again (page of `aclmdlGetInputDimsV2`)."""
    fields = "aipp_mode: static", "input_format: YUV420SP_U8"
    with at.models.load(images(tmp_path, *fields, shape="1,3,-1,-1", dynamic_image_size="4,6;8,10")) as made:
        assert made.gears is not None and made.gears.shapes == (((1, 6, 6, 1),), ((1, 12, 10, 1),))
        assert made(np.full((1, 12, 10, 1), 9, np.uint8)).shape == (1, 3, 8, 10)
        y = made(np.arange(36, dtype=np.uint8).reshape(1, 6, 6, 1))
        assert y.shape == (1, 3, 4, 6) and y[0, 0].flatten().tolist() == list(range(24)) and y[0, :, 0, 0].tolist() == [0, 24, 25]
        with pytest.raises(errors.ShapeError):
            made(np.zeros((1, 4, 6, 1), np.uint8))
    with at.models.load(images(tmp_path, *fields, shape="-1,3,4,6", dynamic_batch_size="1,4")) as made:
        assert made(np.full((3, 6, 6, 1), 9, np.uint8), pad=True).shape == (3, 3, 4, 6)


def test_pictures_of_a_smaller_batch_are_followed_by_zeros(tmp_path: Path) -> None:
    (tmp_path / "aipp.cfg").write_text("aipp_op {\naipp_mode: static\ninput_format: YUV420SP_U8\n}\n")
    nodes = [helper.make_node("Identity", ["x"], ["y"], "same"), helper.make_node("ReduceSum", ["x"], ["s"], "sum", keepdims=0)]
    graph = save(tmp_path / "sums.onnx", nodes, [value("x", ["n", 3, "h", "w"])], [value("y", None), value("s", [])])
    options = {"insert_op_conf": str(tmp_path / "aipp.cfg"), "input_shape": "x:-1,3,4,6", "dynamic_batch_size": "1,4"}
    pictures = np.random.default_rng(5).integers(1, 255, (4, 6, 6, 1), dtype=np.uint8)
    with at.models.load(convert(graph, tmp_path / "sums", **options)) as made:
        black = made(np.zeros((1, 6, 6, 1), np.uint8))[1].item()
        alone = [made(picture[None]) for picture in pictures]
        for count in (2, 3):
            for given in (pictures[:count], at.tensor(pictures[:count]), at.tensor(pictures)[:count]):
                del [at.full((4, 6, 6, 1), 255, dtype=at.uint8) for _ in range(8)][:]  # what its memory holds before
                y, total = made(given, pad=True)
                assert y.shape == (count, 3, 4, 6)
                assert all(np.array_equal(one.numpy(), each[0][0].numpy()) for one, each in zip(y, alone, strict=False))
                assert total.item() == sum(each[1].item() for each in alone[:count]) + (4 - count) * black


def test_dynamic_images_are_for_pyacl(tmp_path: Path) -> None:
    with pytest.raises(errors.UnsupportedError, match=r"acl\.mdl\.set_input_aipp"):
        at.models.load(images(tmp_path, "aipp_mode: dynamic", "max_src_image_size: 100"))
    assert simulator.tables()["models"] == 0


def test_one_line(net: Path) -> None:
    y = at.models.load(net)(X)
    assert isinstance(y, at.NPUTensor)
    assert np.array_equal(y.numpy(), Y)


def test_paths_bytes_and_files(net: Path) -> None:
    for source in (str(net), net, net.read_bytes(), io.BytesIO(net.read_bytes())):
        with at.models.load(source) as made:
            assert np.array_equal(made(X).numpy(), Y)
    with net.open("rb") as file, at.models.load(file) as made:
        assert np.array_equal(made(X).numpy(), Y)
    with pytest.raises(errors.DTypeError, match="path, bytes"), net.open(encoding="latin-1") as text:
        at.models.load(text)  # type: ignore[arg-type]


def test_on_a_board_bytes_go_through_a_file(net: Path, board: None) -> None:
    with at.models.load(net.read_bytes()) as made:
        assert np.array_equal(made(X).numpy(), Y)


def test_another_device(net: Path) -> None:
    with at.models.load(net, device="npu:1") as made:
        y = made(X)
        assert y.device == "npu:1" and np.array_equal(y.numpy(), Y)
        with pytest.raises(errors.DeviceError, match="is on npu:0"):
            made(at.tensor(X))


@pytest.mark.parametrize("content", [b"", b"\x7fELF", None])
def test_files_that_are_no_models(tmp_path: Path, net: Path, content: bytes | None) -> None:
    data = net.read_bytes()[:-3] if content is None else content
    (tmp_path / "bad.om").write_bytes(data)
    for source in (tmp_path / "bad.om", data):
        with pytest.raises(errors.AclError):
            at.models.load(source)
    with pytest.raises(errors.AclError, match="145002"):
        at.models.load(tmp_path / "missing.om")
    assert simulator.tables()["models"] == simulator.tables()["model_descs"] == 0


def test_models_of_a_board_are_refused_with_the_reason() -> None:
    with pytest.raises(errors.AclError, match="CANN's ATC"):
        at.models.load(b"IMOD" + bytes(256))


def test_managed_memory_and_shared_weights(net: Path) -> None:
    before = at.npu.memory_allocated() if hasattr(at.npu, "memory_allocated") else None
    one = at.models.load(net, memory="managed")
    other = at.models.load(net, weights=one)
    assert [buffer.address for buffer in one.memory][1] == other.memory[1].address
    assert one.memory[0].address != other.memory[0].address
    assert np.array_equal(one(X).numpy(), Y) and np.array_equal(other(X).numpy(), Y)
    assert simulator.tables()["other_memory"] == 0  # nothing of the system's
    one.unload()
    assert np.array_equal(other(X).numpy(), Y)
    other.unload()
    if before is not None:
        assert at.npu.memory_allocated() == before
    assert simulator.findings() == []


def test_memory_that_is_refused(net: Path, model: at.models.Model) -> None:
    with pytest.raises(errors.ValueRangeError, match="system, managed"):
        at.models.load(net, memory="mine")
    with pytest.raises(errors.ValueRangeError, match="shared"):
        at.models.load(net, weights=model)


def test_no_room_for_the_weights(net: Path, machine: Callable[..., None]) -> None:
    machine(memory=4096)
    with pytest.raises(errors.AclError, match="245000"):
        kept = [at.models.load(net) for _ in range(4)]
        assert not kept


# What a model says of itself


def test_tables(model: at.models.Model, open_net: Path, batches: Path) -> None:
    tensor = model.inputs["x"]
    assert tensor == model.inputs[0] == ("x", (2, 4), at.float32, "ND", 32, ())
    assert model.outputs.names == ("act:0:y",)
    assert model.outputs["y"] == model.outputs["act:0:y"] == model.outputs[0]
    assert repr(model.inputs).splitlines() == ["name  shape   dtype    format  bytes", "x     [2, 4]  float32  ND      32"]
    assert "<td>[2, 4]</td>" in model.inputs._repr_html_() and "<table>" in model._repr_html_()
    assert model.gears is None and not model.open
    assert repr(model).startswith("<Model net on npu:0>")
    with pytest.raises(errors.ValueRangeError, match="names: x"):
        model.inputs["z"]
    with at.models.load(open_net) as made:
        assert made.open and made.inputs[0].ranges == ((1, 64), (4, 4)) and "[1~64, 4]" in repr(made)
    with at.models.load(batches) as made:
        assert made.gears is not None
        assert (made.gears.kind, made.gears.values) == ("batch", ((1,), (4,), (8,)))
        assert "[8, 4]" in repr(made)


# Inputs


def test_forms_of_inputs(pair: Path) -> None:
    a, b = np.array([1, 2, 3], np.float32), np.array([10, 20, 30], np.float32)
    with at.models.load(pair) as made:
        for y in (
            made(a, b),
            made(at.tensor(a), b),
            made([a, b]),
            made((at.tensor(a), at.tensor(b))),
            made({"b": b, "a": a}),
            made(b=b, a=a),
            made(a, b=b),
            made([1.0, 2, 3], [10, 20, 30]),
        ):
            assert isinstance(y, at.models.Outputs)
            total, difference = y
            assert np.array_equal(total.numpy(), a + b) and np.array_equal(y["difference"].numpy(), a - b)
            assert y["add:0:sum"] is y[0] is total and difference is y[1]
            assert y.keys() == ("add:0:sum", "sub:0:difference") and dict(y.items())["add:0:sum"] is total


def test_nested_numbers_are_one_input(net: Path, folder: Path) -> None:
    with at.models.load(net) as made:
        for value_ in (X.tolist(), [X], (at.tensor(X),)):
            assert np.array_equal(made(value_).numpy(), Y)
    with at.models.load(convert(linear(folder / "one.onnx"), folder / "one", input_shape="x:1,4")) as made:
        assert np.array_equal(made(X[:1].tolist()).numpy(), linear_reference(X[:1]))


def test_tensors_are_used_in_place(model: at.models.Model) -> None:
    x = at.tensor(X)
    before = x.device.bytes_to_device
    seen = []
    session = simulator.engine.whole_models.MODELS[model._held.model].session
    original = session.run
    session.run = lambda inputs, outputs: (seen.append(inputs[0][0]), original(inputs, outputs))[1]
    y = model(x)
    assert np.array_equal(y.numpy(), Y)
    assert x.device.bytes_to_device == before
    block = simulator.engine.memory.find(x.data_ptr())
    assert block is not None and seen == [block.data + x.data_ptr() - block.address]


def test_arrays_of_the_other_byte_order(model: at.models.Model) -> None:
    assert np.array_equal(model(X.astype(X.dtype.newbyteorder())).numpy(), Y)


def test_an_output_on_another_device_is_refused(model: at.models.Model) -> None:
    with pytest.raises(errors.ShapeError, match=r"on npu:0, out is float32\[2, 3\] on npu:1"):
        model(X, out=at.zeros(*Y.shape, device="npu:1"))


def test_a_name_that_several_tensors_have_is_refused(model: at.models.Model) -> None:
    tensors = type(model.inputs)(model.inputs[0]._replace(name=f"{node}:0:y") for node in "ab")
    assert tensors.position("b:0:y") == 1
    with pytest.raises(errors.ValueRangeError, match="several tensors named 'y'; names: a:0:y, b:0:y"):
        tensors.position("y")


def test_views_that_are_not_contiguous(model: at.models.Model) -> None:
    x = at.tensor(X.T.copy()).T
    assert not x.is_contiguous()
    assert np.array_equal(model(x).numpy(), Y)
    assert np.array_equal(model(np.asfortranarray(X)).numpy(), Y)
    assert np.array_equal(model(at.tensor(np.concatenate([X, X]))[2:]).numpy(), Y)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ((np.ones((3, 4), np.float32),), errors.ShapeError, r"takes \[2, 4\], not \[3, 4\]"),
        ((np.ones((2, 4), np.float64),), errors.DTypeError, "is float32, not float64"),
        ((X, X), errors.ValueRangeError, "2 inputs for a model with 1: x"),
        ((), errors.ValueRangeError, "0 inputs"),
        (({"y": X},), errors.ValueRangeError, "no tensor named 'y'"),
        ((None,), errors.DTypeError, r"^\w+: input 'x': NoneType can't be taken for an array\n  Give"),
        (([["a"] * 4] * 2,), errors.DTypeError, "^\\w+: input 'x': numpy <U1 has no Ascend type"),
        (([[1.0], [2.0, 3.0]],), errors.ShapeError, "^\\w+: input 'x': the lists don't make an array"),
    ],
)
def test_inputs_that_do_not_fit(model: at.models.Model, arguments: tuple[Any, ...], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        model(*arguments)
    assert np.array_equal(model(X).numpy(), Y)  # nothing is lost
    with pytest.raises(errors.DTypeError, match="astype"):
        model(at.tensor(X).to(at.float16))
    with pytest.raises(errors.ValueRangeError, match="twice"):
        model(X, x=X)


# Outputs


def test_outputs_are_written_where_they_should(pair: Path, model: at.models.Model) -> None:
    out = at.empty(2, 3)
    assert model(X, out=out) is out
    assert np.array_equal(out.numpy(), Y)
    a = np.ones(3, np.float32)
    with at.models.load(pair) as made:
        total = at.empty(3)
        y = made(a, a, out={"sum": total})
        assert y["sum"] is total and np.array_equal(total.numpy(), a + a) and y["difference"] is not total
        targets = [at.empty(3), at.empty(3)]
        assert list(made(a, a, out=targets)) == targets
        with pytest.raises(errors.ValueRangeError, match="1 tensors for 2"):
            made(a, a, out=total)
    for wrong in (at.empty(3, 3), at.empty(2, 3, dtype=at.float16)):
        with pytest.raises(errors.ShapeError, match=r"float32\[2, 3\]"):
            model(X, out=wrong)
    with pytest.raises(errors.ValueRangeError, match="contiguous"):
        model(X, out=at.empty(3, 2).T)
    with pytest.raises(errors.DTypeError, match="must be a tensor"):
        model(X, out=[Y])


def test_chains_stay_on_the_device(net: Path, folder: Path) -> None:
    path = save(folder / "next.onnx", [helper.make_node("Neg", ["x"], ["y"], "n")], [value("x", [2, 3])], [value("y", [2, 3])])
    with at.models.load(net) as first, at.models.load(convert(path, folder / "next")) as second:
        device = first.device
        x = at.tensor(X)
        before = device.bytes_to_host, device.bytes_to_device
        y = second(first(x)) * 2
        assert (device.bytes_to_host, device.bytes_to_device - before[1]) == (before[0], device.bytes_to_device - before[1])
        assert np.array_equal(y.numpy(), -2 * Y)


def test_several_outputs_pickle_and_unpack(model: at.models.Model) -> None:
    y = at.models.Outputs((1,), model.outputs)
    again = pickle.loads(pickle.dumps(y))
    assert tuple(again) == (1,) and again["y"] == 1


# Gears and open shapes


def test_gears_are_picked_by_shape(batches: Path) -> None:
    with at.models.load(batches) as made:
        for count in (1, 8, 4, 1, 8):
            x = rows(count)
            y = made(x)
            assert y.shape == (count, 3)
            assert np.allclose(y.numpy(), linear_reference(x))
        with pytest.raises(errors.ShapeError, match=r"takes \[1, 4\] or \[4, 4\] or \[8, 4\], not \[3, 4\]"):
            made(rows(3))


def test_gears_queued_one_after_another(batches: Path) -> None:
    with at.models.load(batches) as made:
        xs = [rows(count) for count in (1, 8, 4, 1)]
        for x, y in zip(xs, [made(x) for x in xs], strict=True):
            assert np.allclose(y.numpy(), linear_reference(x))


def test_smaller_batches_are_padded_on_demand(batches: Path, model: at.models.Model) -> None:
    for x in (rows(1), at.tensor(X)[:1]):
        y = model(x, pad=True)
        assert y.shape == (1, 3) and np.allclose(y.numpy(), linear_reference(np.asarray(x)))
    with at.models.load(batches) as made:
        for count in (2, 3, 5, 7, 8):
            x = rows(count)
            y = made(x, pad=True)
            assert y.shape == (count, 3) and np.allclose(y.numpy(), linear_reference(x))
        for count in (0, 9):
            with pytest.raises(errors.ShapeError):
                made(rows(count), pad=True)


def test_an_output_that_has_no_rows_of_the_batch_stays_whole(folder: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["y"], "n"), helper.make_node("Transpose", ["x"], ["t"], "turn", perm=[1, 0])]
    path = save(folder / "turned.onnx", nodes, [value("x", [2, 4])], [value("y", [2, 4]), value("t", [4, 2])])
    with at.models.load(convert(path, folder / "turned", input_shape="x:2,4")) as made:
        y, turned = made(rows(1), pad=True)
        assert np.array_equal(y.numpy(), -rows(1))
        assert np.array_equal(turned.numpy(), np.concatenate([rows(1), np.zeros((1, 4), np.float32)]).T)


def test_a_batch_is_filled_up_to_the_least_gear_that_holds_it(batches: Path) -> None:
    with at.models.load(batches) as made:
        for count, gears in ((2, [1]), (3, [1]), (5, [1, 2])):
            made(rows(count), pad=True)
            assert list(made._gear_outputs) == gears


def test_images(folder: Path) -> None:
    path = save(folder / "i.onnx", [helper.make_node("Neg", ["x"], ["y"], "n")], [value("x", [1, 1, "h", "w"])], [value("y", None)])
    with at.models.load(convert(path, folder / "images", input_shape="x:1,1,-1,-1", dynamic_image_size="2,3;4,2")) as made:
        for shape in ((2, 3), (4, 2)):
            x = np.random.default_rng(0).standard_normal((1, 1, *shape)).astype(np.float32)
            assert np.array_equal(made(x).numpy(), -x)


def test_gears_of_dims(folder: Path) -> None:
    nodes = [helper.make_node("MatMul", ["a", "b"], ["y"], "mul")]
    path = save(folder / "d.onnx", nodes, [value("a", ["n", 3]), value("b", [3, "m"])], [value("y", None)])
    options = {"input_shape": "b:3,-1;a:-1,3", "dynamic_dims": "1,2;2,4", "input_format": "ND"}
    with at.models.load(convert(path, folder / "dims", **options)) as made:
        for n, m in ((2, 1), (4, 2)):
            a, b = np.ones((n, 3), np.float32), np.ones((3, m), np.float32)
            assert np.array_equal(made(a, b).numpy(), a @ b)
        with pytest.raises(errors.ShapeError, match=r"\[2, 3\], \[3, 1\] or \[4, 3\], \[3, 2\]"):
            made(np.ones((4, 3), np.float32), np.ones((3, 1), np.float32))


@pytest.mark.parametrize("said", [[], [(-1, -1), (4, 4)], [(1, -1), (4, 4)]], ids=["nothing", "no_limits", "from_one"])
def test_open_shapes_without_upper_limits(open_net: Path, monkeypatch: pytest.MonkeyPatch, said: list[tuple[int, int]]) -> None:
    monkeypatch.setattr(calls, "ranges", lambda desc, index: said)  # GE's GetDimsRange gives the dims where there are no ranges
    with at.models.load(open_net) as made:
        assert made.open and made.inputs[0].ranges == ((max(said[0][0], 0) if said else 0, -1), (4, 4))
        assert made(at.ones(3, 4)).shape == (3, 3)


def test_open_shapes(open_net: Path) -> None:
    with at.models.load(open_net) as made:
        for count in (3, 64, 1, 3):
            x = rows(count)
            y = made(x)
            assert y.shape == (count, 3) and np.allclose(y.numpy(), linear_reference(x))
        with pytest.raises(errors.ShapeError, match=r"\[1~64, 4\]"):
            made(rows(65))
        out = at.empty(3, 3)
        assert made(rows(3), out=out) is out
        whole = at.zeros(8, 3)
        with pytest.raises(errors.ShapeError, match=r"has shape \[5, 3\], out \[3, 3\]"):
            made(rows(5), out=whole[:3])
        assert not whole.any(), "what a run would write past a smaller output"
    assert simulator.findings() == []


def test_outputs_of_unknown_size(folder: Path) -> None:
    nodes = [helper.make_node("NonZero", ["x"], ["y"], "nz")]
    path = save(folder / "nz.onnx", nodes, [value("x", ["n"])], [value("y", None, TensorProto.INT64)])
    with at.models.load(convert(path, folder / "nz")) as made:
        for count in (5, 300_000):  # more than the first guess
            x = np.ones(count, np.float32)
            x[0] = 0
            y = made(x)
            assert y.shape == (1, count - 1) and y.numpy()[0, -1] == count - 1
        memory = simulator.tables()["device_memory"]
        assert made(x).shape == y.shape and simulator.tables()["device_memory"] == memory, "what ACL allocated is freed"
        out = at.zeros(1, 4, dtype=at.int64)
        assert made(np.ones(4, np.float32), out=out) is out and out.tolist() == [[0, 1, 2, 3]]
        with pytest.raises(errors.ShapeError, match=r"has shape \[1, 5\], out \[1, 4\]"):
            made(np.ones(5, np.float32), out=out)
        assert made(np.zeros(4, np.float32)).shape == (1, 0)
    assert simulator.findings() == []


# Streams and time


def test_runs_are_queued(model: at.models.Model) -> None:
    y = model(X)
    pending = model.run_async(X)
    assert pending.result() is pending.outputs and pending.done()
    assert np.array_equal(pending.outputs.numpy(), Y) and np.array_equal(y.numpy(), Y)


def test_runs_on_other_streams_follow_each_other(model: at.models.Model) -> None:
    one, other = at.Stream(), at.Stream()
    pendings = [model.run_async(X * number, stream=stream) for number, stream in enumerate((one, other, one, other))]
    for number, pending in enumerate(pendings):
        assert np.allclose(pending.result().numpy(), linear_reference(X * number))
    assert simulator.findings() == []


def test_awaiting(model: at.models.Model) -> None:
    async def run() -> list[Any]:
        first = await model.run_async(X)
        return [first, *[y async for y in model.map([X, X * 2])]]

    found = asyncio.run(run())
    assert [np.allclose(y.numpy(), expected) for y, expected in zip(found, (Y, Y, linear_reference(X * 2)), strict=True)] == [True] * 3


def test_an_iterable_of_batches(model: at.models.Model) -> None:
    data = [rows(2), rows(2), rows(1)]
    most = 0
    outputs = model.map(data, in_flight=2)
    for x, y in zip(data, outputs, strict=True):
        most = max(most, len(outputs._pending))
        assert np.allclose(y.numpy(), linear_reference(x))
    assert most < 2 + 1
    with pytest.raises(errors.ValueRangeError, match="in_flight"):
        model.map(data, in_flight=0)


def test_threads_take_turns(model: at.models.Model) -> None:
    found: dict[int, bool] = {}

    def work(number: int) -> None:
        x = X * number
        found[number] = all(np.allclose(model(x).numpy(), linear_reference(x)) for _ in range(25))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), True)


def test_failures_show_at_the_next_synchronising_call(model: at.models.Model) -> None:
    with simulator.faults.kernel("net", code=507011):
        y = model(X)
        with pytest.raises(errors.AclError, match=r"(?s)507011.*model net"):
            y.numpy()
        pending = model.run_async(X)
    assert np.array_equal(pending.result().numpy(), Y)


def test_profiles(model: at.models.Model) -> None:
    times = model.profile(X, repeat=3)
    assert 0 <= times["least"] <= times["mean"] <= times["most"]


# The end


def test_unloading(net: Path) -> None:
    made = at.models.load(net)
    y = made(X)
    made.unload()
    made.unload()
    assert np.array_equal(y.numpy(), Y) and made.closed and "unloaded" in repr(made)
    with pytest.raises(errors.ClosedError, match="Load it again"):
        made(X)
    assert simulator.tables()["models"] == simulator.tables()["datasets"] == simulator.tables()["model_descs"] == 0
    assert simulator.findings() == []


def test_models_that_are_forgotten(net: Path) -> None:
    at.models.load(net)(X).numpy()
    with at.models.load(net):
        assert simulator.tables()["models"] == 1


def test_shutdown_unloads(net: Path) -> None:
    made = at.models.load(net)
    made(X)
    at.shutdown()
    assert not any(simulator.tables().values())
    with pytest.raises(errors.ClosedError):
        made(X)
    made.unload()


def test_many_different_tensors_keep_few_datasets(model: at.models.Model) -> None:
    kept = []
    for number in range(50):
        kept.append((at.tensor(X * number), number))
    outputs = [(model(x), number) for x, number in kept]
    assert simulator.tables()["datasets"] <= DATASETS_KEPT
    assert all(np.allclose(y.numpy(), linear_reference(X * number)) for y, number in outputs)


def test_datasets_that_are_used_again_are_kept(model: at.models.Model) -> None:
    x, out = at.tensor(X), at.zeros(*Y.shape)
    model(x, out=out)
    made = dict(model._held.datasets)
    others = [at.tensor(X) for _ in range(DATASETS_KEPT + 1)]
    for other in others:
        model(other, out=out)
        model(x, out=out)
    assert made.items() <= model._held.datasets.items()


def test_old_datasets_go_when_their_runs_are_done(model: at.models.Model) -> None:  # MDL-17
    kept = [at.tensor(X * number) for number in range(2 * DATASETS_KEPT)]
    streams = [at.Stream(), at.Stream()]
    runs = [model.run_async(x, stream=streams[number % 2]) for number, x in enumerate(kept)]
    assert simulator.findings() == []
    assert all(np.allclose(run.result().numpy(), linear_reference(X * number)) for number, run in enumerate(runs))


def test_weights_are_loaded_where_nothing_queued_reads(net: Path) -> None:  # MDL-4
    with at.models.load(net, memory="managed") as made:
        room = made.memory[1].nbytes
    x = at.zeros(room // 4)
    stream = at.Stream()
    with stream:
        blocks = [x + 1 for _ in range(8)]
        y = sum(blocks[1:], blocks[0])
        blocks.clear()  # their memory is the next that the stream's pool lends, and what is queued still reads it
        with at.models.load(net, memory="managed") as made:
            assert np.array_equal(made(X).numpy(), Y)
    assert simulator.findings() == []
    assert np.array_equal(y.numpy(), np.full(room // 4, 8, np.float32))


@given(st.lists(st.integers(1, 8), min_size=1, max_size=6), st.booleans())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_batches(shared: tuple[at.models.Model, at.models.Model], sizes: list[int], queued: bool) -> None:
    fixed, geared = shared
    for made in (geared, fixed):
        xs = [rows(size) for size in sizes if made is geared or size <= 2]
        ys = list(made.map(xs, in_flight=3)) if queued else [made(x, pad=True) for x in xs]
        assert [y.shape for y in ys] == [(len(x), 3) for x in xs]
        assert all(np.allclose(y.numpy(), linear_reference(x)) for x, y in zip(xs, ys, strict=True))


@pytest.fixture
def shared(net: Path, batches: Path) -> Iterator[tuple[at.models.Model, at.models.Model]]:
    with at.models.load(net) as fixed, at.models.load(batches) as geared:
        yield fixed, geared
