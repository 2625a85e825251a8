"""The simulated compiler for ONNX files: ATC's options, its messages, and the models it writes (SIM-5)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from model_program import FLOAT, SOC, WEIGHTS, Program, convert, linear, linear_reference, refusal, save, value
from onnx import TensorProto, helper, numpy_helper

from ascendtensor.simulator import atc
from ascendtensor.simulator.engine import AclFault, model_file
from ascendtensor.simulator.engine.model_file import ModelFile


@pytest.fixture
def net(tmp_path: Path) -> Path:
    return linear(tmp_path / "net.onnx")


@pytest.fixture
def images(tmp_path: Path) -> Path:
    nodes = [helper.make_node("Neg", ["x"], ["y"], "neg")]
    return save(tmp_path / "images.onnx", nodes, [value("x", [1, 3, "h", "w"])], [value("y", None)])


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()


def read(path: Path) -> ModelFile:
    return model_file.unpack(path.read_bytes())


def test_the_program(net: Path) -> None:
    arguments = [f"--model={net}", "--framework", "5", f"--output={net.with_suffix('')}", f"--soc_version={SOC}", "--input_shape=x:2,4"]
    done = subprocess.run([sys.executable, "-m", "ascendtensor.simulator.atc", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "ATC start working now, please wait for a moment.",
        "ATC run success, welcome to the next use.",
    ]
    model = read(net.with_suffix(".om"))
    assert (model.name, model.soc, model.inputs[0].dims, model.outputs[0].dims) == ("net", SOC, (2, 4), (2, 3))


def test_equal_files_give_equal_models(net: Path, tmp_path: Path) -> None:
    one, other = (convert(net, tmp_path / name / "same", input_shape="x:2,4") for name in ("a", "b"))
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes() != convert(net, tmp_path / "same", input_shape="x:3,4").read_bytes()
    assert one.read_bytes()[:8] == model_file.MAGIC


def test_unneeded_options_are_taken(net: Path, tmp_path: Path) -> None:
    for options in (
        {"log": "error", "precision_mode": "allow_mix_precision", "op_select_implmode": "high_precision"},
        {"precision_mode_v2": "fp16", "disable_reuse_memory": "1", "deterministic": "1", "input_format": "ND"},
    ):
        convert(net, tmp_path / "net", **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"framework": "3"}, ["E10055", "TensorFlow", "export the model to ONNX"]),
        ({"framework": "7"}, ["E10007", "[--framework] is required"]),
        ({"soc_version": "GPU"}, ["E20101", "[GPU]", "[--soc_version]"]),
        ({"model": ""}, ["E10004", "[--model]"]),
        ({"output": ""}, ["E10004", "[--output]"]),
        ({"output": "folder/"}, ["E10022", "does not include the file name"]),
        ({"mode": "1"}, ["E10055"]),
        ({"log": "loud"}, ["E10010", "[loud]"]),
        ({"precision_mode": "best"}, ["E10001", "allow_fp32_to_fp16"]),
        ({"disable_reuse_memory": "2"}, ["E10006"]),
        ({"insert_op_conf": "aipp.cfg"}, ["E10001", "[--insert_op_conf]", "cannot be read"]),
        ({"compress_weight_conf": "x"}, ["E10055"]),
        ({"input_format": "NHWC"}, ["E10001", "NCHW, ND, NCDHW"]),
        ({"input_shape": "4"}, ["E10002", "no input is named"]),
        ({"input_shape": "x:1,b"}, ["E10002", "[b]"]),
        ({"input_shape": "x:0,4"}, ["E10011", "[0]"]),
        ({"input_shape": "x:1,4;x:1,4"}, ["E10001", "twice"]),
        ({"input_shape": "x:1,4", "input_shape_range": "x:[1~2,4]"}, ["E10047"]),
        ({"input_shape_range": "1~2"}, ["E10048"]),
        ({"input_shape": "x:3~2,4"}, ["E10001", "[3~2]"]),
        ({"input_shape": "z:1,4"}, ["E10016", "[z]", "['x']"]),
        ({"input_shape": "x:1,4,1"}, ["E10049", "[3]", "[2]"]),
        ({"dynamic_batch_size": "1,2", "dynamic_dims": "1;2"}, ["E10009"]),
        ({"dynamic_batch_size": "1,2"}, ["E10058", "--input_shape"]),
        ({"dynamic_batch_size": "1", "input_shape": "x:-1,4"}, ["E10035", "minimum [2]"]),
        ({"dynamic_batch_size": ",".join(map(str, range(1, 103))), "input_shape": "x:-1,4"}, ["E10036", "maximum [100]"]),
        ({"dynamic_batch_size": "1,x", "input_shape": "x:-1,4"}, ["E10001"]),
        ({"dynamic_batch_size": "1,-2", "input_shape": "x:-1,4"}, ["E10038", "[-2]"]),
        ({"dynamic_batch_size": "2,2", "input_shape": "x:-1,4"}, ["E10039"]),
        ({"dynamic_batch_size": "1,2", "input_shape": "x:1,4"}, ["E10031"]),
        ({"dynamic_batch_size": "1,2", "input_shape": "x:-1,-1"}, ["E10018"]),
        ({"dynamic_batch_size": "1,2", "input_shape": "x:1~2,4"}, ["E10040"]),
        ({"dynamic_dims": "1;2", "input_shape": "x:1,4", "input_format": "ND"}, ["E10040"]),
        ({"dynamic_dims": "1;2", "input_shape": "x:-1,4"}, ["E10001", "ND"]),
        ({"dynamic_dims": "1,1;2", "input_shape": "x:-1,-1", "input_format": "ND"}, ["E10037"]),
        ({"dynamic_dims": "1;2", "input_shape": "x:-1,-1", "input_format": "ND"}, ["E10045"]),
        ({"dynamic_dims": "1,2;2,2", "input_shape": "x:-1,4", "input_format": "ND"}, ["E10046"]),
        ({"dynamic_image_size": "1,2;2,2", "input_shape": "x:-1,-1"}, ["E10019"]),
        ({"dynamic_image_size": "1;2", "input_shape": "x:-1,-1"}, ["E10020"]),
        ({"out_nodes": "nothing:0"}, ["E11017", "[nothing:0]"]),
        ({"out_nodes": "mul:1"}, ["E10001", "has 1 outputs"]),
        ({"output_type": "FP8"}, ["E10001", "FP16, FP32"]),
        ({"output_type": "mul:0:FP16"}, ["E10001", "act:0"]),
        ({"output_type": "FP16;act:0:FP32"}, ["E10001"]),
        ({"input_fp16_nodes": "z"}, ["E10016", "[--input_fp16_nodes]"]),
        ({"nonsense": "1"}, ["E10016", "[--nonsense]"]),
    ],
)
def test_messages(capsys: Any, net: Path, options: dict[str, str], words: list[str]) -> None:
    text = refusal(capsys, options.pop("model", net), **options)
    assert all(word in text for word in words), text
    assert not Path("never.om").exists()


def test_files_that_are_no_models(capsys: Any, tmp_path: Path) -> None:
    assert "does not exist" in refusal(capsys, tmp_path / "missing.onnx")
    for name, content in {"text": b"hello", "empty": b"", "bytes": bytes(100)}.items():
        (tmp_path / name).write_bytes(content)
        text = refusal(capsys, tmp_path / name)
        assert "E10041" in text or "E16004" in text, text


def test_tensors_that_are_not_dense(capsys: Any, tmp_path: Path) -> None:
    kinds = {"STRING": TensorProto.STRING, "INT4": TensorProto.INT4}
    for name, dtype in kinds.items():
        path = save(tmp_path / "net.onnx", [helper.make_node("Identity", ["x"], ["y"])], [value("x", [2], dtype)], [value("y", [2], dtype)])
        text = refusal(capsys, path)
        assert "E10055" in text and name in text
    sequence = helper.make_tensor_sequence_value_info("y", FLOAT, None)
    path = save(tmp_path / "net.onnx", [helper.make_node("SequenceConstruct", ["x"], ["y"])], [value("x", [2])], [sequence])
    assert "sequence" in refusal(capsys, path)


def test_operators_that_nobody_has(capsys: Any, tmp_path: Path) -> None:
    path = save(tmp_path / "net.onnx", [helper.make_node("Wonder", ["x"], ["y"])], [value("x", [2])], [value("y", [2])])
    assert "Wonder" in refusal(capsys, path)


def test_shapes_that_the_graph_refuses(capsys: Any, net: Path) -> None:
    text = refusal(capsys, net, input_shape="x:2,5")
    assert "E10041" in text and "mul" in text and "Incompatible dimensions" in text


def test_a_shape_may_replace_the_files_own(net: Path, tmp_path: Path, program: Program) -> None:
    fixed = linear(tmp_path / "fixed.onnx", batch=1)
    path = convert(fixed, tmp_path / "fixed", input_shape="x:5,4")
    assert read(path).outputs[0].dims == (5, 3)
    x = np.random.default_rng(0).uniform(1, 2, (5, 4)).astype(np.float32)
    model, target = program.load(path), program.room(60)
    assert program.acl.mdl.execute(model, program.given(x), program.dataset((target, 60))) == 0
    assert np.allclose(program.download(target, linear_reference(x)), linear_reference(x))
    program.acl.mdl.unload(model)


def test_ranges(net: Path, tmp_path: Path) -> None:
    for options, ranges in (
        ({}, ((0, -1), (4, 4))),
        ({"input_shape": "x:-1,4"}, ((0, -1), (4, 4))),
        ({"input_shape": "x:1~8,4"}, ((1, 8), (4, 4))),
        ({"input_shape": "x:2~-1,4"}, ((2, -1), (4, 4))),
        ({"input_shape_range": "x:[1~8,4]"}, ((1, 8), (4, 4))),
    ):
        model = read(convert(net, tmp_path / "net", **options))
        assert model.open and model.inputs[0].ranges == ranges
        assert model.inputs[0].dims == (-1, 4) and model.outputs[0].dims == (-1, 3)


def test_gears(net: Path, images: Path, tmp_path: Path) -> None:
    model = read(convert(net, tmp_path / "b", input_shape="x:-1,4", dynamic_batch_size="1,4,2"))
    assert (model.kind, model.gears, model.gear_outputs) == ("batch", ((1,), (4,), (2,)), (((1, 3),), ((4, 3),), ((2, 3),)))
    assert model.outputs[0].dims == (4, 3)
    model = read(convert(images, tmp_path / "i", input_shape="x:1,3,-1,-1", dynamic_image_size="8,4;2,2"))
    assert (model.kind, model.gear_outputs) == ("image", (((1, 3, 8, 4),), ((1, 3, 2, 2),)))
    model = read(convert(images, tmp_path / "d", input_shape="x:1,3,-1,-1", dynamic_dims="8,4;2,2", input_format="ND"))
    assert (model.kind, model.inputs[0].format) == ("dims", 2)


def test_gears_whose_outputs_depend_on_values(capsys: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("NonZero", ["x"], ["y"])]
    path = save(tmp_path / "nz.onnx", nodes, [value("x", ["n"])], [value("y", None, TensorProto.INT64)])
    assert "depend on values" in refusal(capsys, path, input_shape="x:-1", dynamic_batch_size="1,2")


def test_output_nodes(net: Path, tmp_path: Path, program: Program) -> None:
    for text, names in (("mul:0", ["mul:0:h"]), ("h", ["mul:0:h"]), ("act:0;mul:0", ["act:0:y", "mul:0:h"])):
        model = read(convert(net, tmp_path / "net", input_shape="x:2,4", out_nodes=text))
        assert [info.name for info in model.outputs] == names
    path = convert(net, tmp_path / "net", input_shape="x:2,4", out_nodes="mul:0")
    assert len(onnx.load_from_string(read(path).graph).graph.node) == 1  # nothing behind it is left
    x = -np.ones((2, 4), np.float32)
    model, target = program.load(path), program.room(24)
    assert program.acl.mdl.execute(model, program.given(x), program.dataset((target, 24))) == 0
    assert np.array_equal(program.download(target, x @ WEIGHTS), x @ WEIGHTS)
    program.acl.mdl.unload(model)


@pytest.mark.parametrize("text", ["FP16", "act:0:FP16"])
def test_output_types(net: Path, tmp_path: Path, program: Program, text: str) -> None:
    path = convert(net, tmp_path / "net", input_shape="x:2,4", output_type=text)
    assert (read(path).outputs[0].name, read(path).outputs[0].dtype) == ("act:0:y", 1)
    x = np.ones((2, 4), np.float32)
    expected = linear_reference(x).astype(np.float16)
    model, target = program.load(path), program.room(12)
    assert program.acl.mdl.execute(model, program.given(x), program.dataset((target, 12))) == 0
    assert np.array_equal(program.download(target, expected), expected)
    program.acl.mdl.unload(model)


def test_half_inputs(net: Path, tmp_path: Path, program: Program) -> None:
    path = convert(net, tmp_path / "net", input_shape="x:2,4", input_fp16_nodes="x")
    assert read(path).inputs[0].dtype == 1
    x = np.ones((2, 4), np.float16)
    expected = linear_reference(x.astype(np.float32))
    model, target = program.load(path), program.room(24)
    assert program.acl.mdl.execute(model, program.given(x), program.dataset((target, 24))) == 0
    assert np.array_equal(program.download(target, expected), expected)
    program.acl.mdl.unload(model)


def test_nodes_without_names_get_one(tmp_path: Path) -> None:
    path = save(tmp_path / "n.onnx", [helper.make_node("Neg", ["x"], ["y"])], [value("x", [2])], [value("y", [2]), value("x", [2])])
    assert [info.name for info in read(convert(path, tmp_path / "n")).outputs] == ["Neg_0:0:y", "x:0:x"]


def test_weights_in_files_of_their_own(tmp_path: Path, program: Program) -> None:
    big = np.arange(4096, dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], "sum")],
        "graph",
        [value("x", [4096])],
        [value("y", [4096])],
        [numpy_helper.from_array(big, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "net.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    path = convert(tmp_path / "net.onnx", tmp_path / "net")
    (tmp_path / "weights.bin").unlink()
    identifier, target = program.load(path), program.room(big.nbytes)
    assert program.acl.mdl.query_size(str(path)) == (big.nbytes, big.nbytes, 0)
    assert program.acl.mdl.execute(identifier, program.given(big), program.dataset((target, big.nbytes))) == 0
    assert np.array_equal(program.download(target, big), big * 2)
    program.acl.mdl.unload(identifier)


def test_weights_that_are_missing(capsys: Any, tmp_path: Path) -> None:
    linear(tmp_path / "net.onnx")
    onnx.save(onnx.load(tmp_path / "net.onnx"), tmp_path / "net.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    (tmp_path / "w.bin").unlink()
    text = refusal(capsys, tmp_path / "net.onnx")
    assert "E10001" in text or "E10041" in text


def test_sizes_of_memory(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", [f"t{index}"], [f"t{index + 1}"], f"n{index}") for index in range(10)]
    path = save(tmp_path / "chain.onnx", nodes, [value("t0", [1024])], [value("t10", [1024])])
    model = read(convert(path, tmp_path / "chain"))
    assert (model.work, model.weight) == (2 * 4096, 0)  # two tensors of the chain at a time


def test_the_options_are_kept_in_the_model(net: Path, tmp_path: Path) -> None:
    model = read(convert(net, tmp_path / "net", precision_mode="force_fp16"))
    assert model.options["precision_mode"] == "force_fp16"
    assert not any(str(tmp_path) in text for text in model.options.values())


def test_an_output_that_cannot_be_written(capsys: Any, net: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert "E13004" in refusal(capsys, net, output=str(tmp_path / "file" / "net"))


def test_without_the_extra(capsys: Any, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ascendtensor.simulator.onnx_graph", "ascendtensor.simulator.atc_model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "ascendtensor[onnx]" in refusal(capsys, net)


def test_help(capsys: Any) -> None:
    assert atc.main(["--help"]) == 0
    assert all(f"--{name}" in capsys.readouterr().out for name in ("dynamic_dims",))


@pytest.mark.parametrize("change", ["kind", "gears", "limits", "order", "gear_outputs", "ranges"])
def test_containers_whose_parts_do_not_fit(net: Path, tmp_path: Path, change: str) -> None:
    model = read(convert(net, tmp_path / "net", input_shape="x:-1,4", dynamic_batch_size="1,2"))
    broken: dict[str, dict[str, Any]] = {
        "kind": {"kind": "other"},
        "gears": {"gears": ((),) * 2},
        "limits": {"limits": ()},
        "order": {"order": (1,)},
        "gear_outputs": {"gear_outputs": ((), ())},
        "ranges": {"open": True},
    }
    with pytest.raises(AclFault) as caught:
        model_file.unpack(model_file.pack(model._replace(**broken[change])))
    assert caught.value.code == 145006


@pytest.mark.parametrize("soc", ["Ascend310B4", "Ascend310"])
def test_chips_that_take_no_ranges(net: Path, tmp_path: Path, capsys: Any, soc: str) -> None:
    """The pages of `--input_shape` (CANN 8.2 to 9.0) and of `acl.mdl.set_dataset_tensor_desc`'s flow (7.0, 8.0), on both products."""
    for text in ("x:1~8,4", "x:-1,4"):
        found = refusal(capsys, net, input_shape=text, soc_version=soc)
        assert "E10055" in found and soc in found and "--dynamic_batch_size" in found
    convert(net, tmp_path / "gears", input_shape="x:-1,4", dynamic_batch_size="1,2", soc_version=soc)


def test_an_unknown_rank(net: Path, capsys: Any) -> None:
    """`--input_shape` has no form for it; the operators' own files have."""
    found = refusal(capsys, net, input_shape="x:-2")
    assert "E10011" in found and "-1" in found and "rank" in found
