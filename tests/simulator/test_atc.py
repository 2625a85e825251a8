"""The simulated compiler: its checks, its file names and the program (README of pyACL, section 11; OM-15, OM-22)."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import ABSENT, Add, add_operator, const, const_desc, desc, load, operator, tensor

from ascendtensor.simulator import atc
from ascendtensor.simulator.engine.compile import CompileFailure, build, file_name
from ascendtensor.simulator.engine.container import unpack
from ascendtensor.simulator.engine.matching import TABLE


def refusal(description: Any) -> str:
    with pytest.raises(CompileFailure) as caught:
        build(description, "Ascend910B1")
    assert caught.value.exit_code != 0
    return caught.value.text


def test_equal_descriptions_give_equal_bytes() -> None:
    attrs = ("value", "float", 0.1)
    one = operator("Adds", [tensor([2])], [tensor([2])], attrs)
    assert build(one, "Ascend910B1") == build(json.loads(json.dumps(one)), "Ascend910B1")
    assert build(one, "Ascend910B1") != build(operator("Adds", [tensor([2])], [tensor([2])], ("value", "float", 0.2)), "Ascend910B1")


def test_unknown_operator_names_the_nearest() -> None:
    assert "E10501" in refusal(operator("RedcueSum", [tensor([2])], [tensor([2])]))
    assert "ReduceSum" in refusal(operator("RedcueSum", [tensor([2])], [tensor([2])]))
    assert "Relu" in refusal(operator("relu", [tensor([2])], [tensor([2])]))


def test_operator_without_a_simulator_kernel_is_named() -> None:
    image = {**tensor([1, 1, 4, 4], "float16"), "format": "NCHW"}
    text = refusal(operator("RoiExtractor", [image] * 2, [image], ("finest_scale", "int", 56)))
    assert "RoiExtractor" in text


def test_types_the_simulator_does_not_compute_with() -> None:
    assert "for type [complex32]" in refusal(operator("Add", [tensor([2], "complex32")] * 2, [tensor([2], "complex32")]))


@pytest.mark.parametrize(
    ("attrs", "word"),
    [
        ([("size", "float", 1.0)], "[size] is not one of operator [Adds]"),
        ([("value", "int", 1)], "is of type [float], not [int]"),
        ([("value", "float", "1")], "is not of type [float]"),
        ([("value", "float", True)], "is not of type [float]"),
        ([("value", "float", 1.0), ("value", "float", 1.0)], "twice"),
        ([], "[value] of operator [Adds] is required"),
    ],
)
def test_attributes(attrs: list[tuple[str, str, Any]], word: str) -> None:
    text = refusal(operator("Adds", [tensor([2])], [tensor([2])], *attrs))
    assert word in text and text.startswith("E10")


def test_truncate_of_older_releases_is_an_attribute_of_cast() -> None:  # BL-2
    def cast(*attr: Any) -> dict[str, Any]:
        return operator("Cast", [tensor([2])], [tensor([2], "int32")], ("dst_type", "int", 3), attr)

    assert unpack(build(cast("truncate", "bool", False), "Ascend910B1")).attrs.values["truncate"] == ("bool", False)
    assert "is of type [bool], not [int]" in refusal(cast("truncate", "int", 0))
    assert "[truncated] is not one of operator [Cast]" in refusal(cast("truncated", "bool", False))


def test_data_type_attributes_by_name_or_number() -> None:
    def model(value: Any) -> Any:
        return unpack(build(operator("NonZero", [tensor([4])], [tensor([4, 1], "int32")], ("dtype", "data_type", value)), "Ascend910B1"))

    for value in ("DT_INT32", 3, "int32"):
        assert model(value).attrs.values["dtype"] == ("data_type", 3)
    wrong = operator("NonZero", [tensor([4])], [tensor([4, 1], "int32")], ("dtype", "data_type", "DT_X"))
    assert "is not of type [data_type]" in refusal(wrong)


def test_attributes_survive_exactly() -> None:  # ATTR-8
    for value in (float("nan"), float("inf"), -0.0, 1e-45, 0.1):
        model = unpack(build(operator("Adds", [tensor([2])], [tensor([2])], ("value", "float", value)), "Ascend910B1"))
        found = model.attrs.values["value"][1]
        assert np.float32(found).tobytes() == np.float32(value).tobytes()


def test_counts_and_dtypes() -> None:
    x = tensor([2])
    assert "E10401" in refusal(operator("Add", [x], [x]))
    assert "E10401" in refusal(operator("Add", [x, x, x], [x]))
    assert "E10402" in refusal(operator("Add", [x, x], []))
    assert "E10402" in refusal(operator("Add", [x, x], [x, x]))
    assert "E10401" in refusal(operator("Add", [x, ABSENT], [x]))
    assert "does not support type [uint64]" in refusal(operator("Add", [tensor([2], "uint64")] * 2, [tensor([2], "uint64")]))
    assert "does not support type [float32]" in refusal(operator("LogicalNot", [x], [tensor([2], "bool")]))


def test_absent_and_repeated_inputs() -> None:
    x = tensor([8])
    build(operator("StridedSliceV3", [x, const([2]), const([8]), ABSENT, const([2])], [tensor([3])]), "Ascend910B1")
    build(operator("StridedSliceV3", [x, const([2]), const([8])], [tensor([6])]), "Ascend910B1")
    assert "E10001" in refusal(operator("StridedSliceV3", [x, const([2]), const([8]), {**ABSENT, "shape": [1]}], [tensor([6])]))
    assert "output must have a real type" in refusal(operator("Relu", [x], [ABSENT]))
    build(operator("Pack", [x] * 5, [tensor([5, 8])], ("N", "int", 5)), "Ascend910B1")
    marked = [{**x, "dynamic_input": "x", "name": f"x{index}"} for index in range(2)]
    build(operator("ConcatV2", [*marked, const([0], shape=[])], [tensor([16])], ("N", "int", 2)), "Ascend910B1")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"type": "float31"}, "not a data type"),
        ({"format": "NDX"}, "not a format"),
        ({"shape": [2.0]}, "list of integers"),
        ({"shape": [-3]}, "dims are"),
        ({"shape": [-2, 3]}, "dims are"),
        ({"shpe": [2]}, "unknown key [shpe]"),
        ({"shape": [-1]}, "needs one range"),
        ({"shape": [-1], "shape_range": [[1, 4], [1, 4]]}, "2 ranges for 1"),
        ({"shape": [2], "shape_range": [[1, 4]]}, "1 ranges for 0"),
        ({"shape": [-2], "shape_range": [[1, 4]]}, "unknown rank takes no ranges"),
        ({"shape": [-1], "shape_range": [[4, 1]]}, "is no range"),
        ({"shape": [-1], "shape_range": [4, 1]}, "pairs"),
        ({"is_const": True}, "flat list of numbers"),
        ({"is_const": True, "const_value": [1.0]}, "1 elements"),
        ({"is_const": True, "const_value": [[1.0, 2.0]]}, "flat list of numbers"),
        ({"is_const": True, "type": "bool", "const_value": [1, 0]}, "constant of type [bool]"),
        ({"is_const": True, "type": "bfloat16", "const_value": [1, 0]}, "constant of type [bfloat16]"),
        ({"is_const": True, "type": "int8", "const_value": [1, 200]}, "not all are of type int8"),
    ],
)
def test_tensors(change: dict[str, Any], word: str) -> None:  # OM-15
    assert word in refusal(operator("Add", [tensor([2]), {**tensor([2]), **change}], [tensor([2])]))


def test_ranges_are_kept_for_every_dim() -> None:  # OM-25
    x = tensor([2, -1, 3, -1], shape_range=[[1, 4], [5, -1]])
    model = unpack(build(operator("Relu", [x], [tensor([2, -1, 3, -1])]), "Ascend910B1"))
    assert model.inputs[0].ranges == ((2, 2), (1, 4), (3, 3), (5, -1))
    assert model.outputs[0].ranges == ()
    assert model.dynamic


def test_outputs_that_contradict_the_operator() -> None:
    x = tensor([2, 3])
    assert "has shape [2, 3] for these inputs, [3, 2] given" in refusal(operator("Add", [x, x], [tensor([3, 2])]))
    half = tensor([2, 3], "float16")
    assert "is of type [float32] for these inputs, [float16] given" in refusal(operator("Add", [x, x], [half]))
    assert "refuses its inputs" in refusal(operator("Add", [x, tensor([4])], [x]))
    assert "has shape [2] for these inputs" in refusal(operator("ReduceSum", [x, const([1])], [tensor([3])]))
    build(operator("ReduceSum", [x, tensor([1], "int64")], [tensor([3])]), "Ascend910B1")  # not known before it runs


def test_constants_of_the_known_types(acl: ModuleType) -> None:  # ATTR-10
    x = tensor([2, 3])
    for dtype in ("int32", "int64"):
        load(acl, operator("ReduceSum", [x, const([-1], dtype)], [tensor([2])]))
        args = "ReduceSum", [desc(acl, [2, 3]), const_desc(acl, [-1], dtype)], [desc(acl, [2])], 0
        assert acl.op.create_handle(*args)[1] == 0
    for dtype, values in (("float16", [0.1]), ("float", [0.1]), ("double", [1])):
        spec = unpack(build(operator("Add", [tensor([1], dtype), const(values, dtype)], [tensor([1], dtype)]), "Ascend910B1")).inputs[1]
        assert spec.const is not None and spec.constant().tolist() == np.array(values, spec.numpy).tolist()


def test_other_names_of_types_and_formats(acl: ModuleType) -> None:
    entry = {"type": "DT_FLOAT16", "format": "FORMAT_ND", "shape": [2], "origin_format": "ND", "origin_shape": [2]}
    load(acl, operator("Add", [entry, {**entry, "type": "half"}], [{**entry, "type": "fp16"}]))
    x = desc(acl, [2], "float16")
    assert acl.op.create_handle("Add", [x, x], [x], 0)[1] == 0


def test_names_of_files() -> None:
    assert file_name(add_operator(8, 16), 0) == "0_Add_0_2_8_16_0_2_8_16_0_2_8_16.om"
    assert file_name({**add_operator(2), "name": "my-add_1.0"}, 3) == "my-add_1.0.om"
    long = file_name(operator("Add", [tensor(range(40))] * 2, [tensor(range(40))]), 12)
    assert long.startswith("12_Add_0_2_0_1_2") and len(long) == 128 + len(".om")
    assert "parameter [name]" in refusal({**add_operator(2), "name": "a/b"})


def test_a_failure_pickles() -> None:
    failure = pickle.loads(pickle.dumps(CompileFailure("E10001: text", 3)))
    assert (failure.text, failure.exit_code) == ("E10001: text", 3)


# the program


def run(tmp_path: Path, operators: Any, *more: str) -> tuple[int, Path]:
    source, output = tmp_path / "ops.json", tmp_path / "out"
    source.write_text(operators if isinstance(operators, str) else json.dumps(operators))
    return atc.main([f"--singleop={source}", f"--output={output}", "--soc_version=Ascend910B1", *more]), output


def test_the_program_end_to_end(acl: ModuleType, tmp_path: Path) -> None:
    source, output = tmp_path / "ops.json", tmp_path / "models"
    operators = [{"compile_flag": 0}, {**add_operator(8, 8), "name": "add"}, add_operator(4, dtype="int32")]
    source.write_text(json.dumps(operators))
    command = [sys.executable, "-m", "ascendtensor.simulator.atc", f"--singleop={source}", f"--output={output}"]
    done = subprocess.run([*command, "--soc_version=Ascend910B1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ATC start working now" in done.stdout
    assert "ATC run success, welcome to the next use." in done.stdout
    assert sorted(path.name for path in output.iterdir()) == ["1_Add_3_2_4_3_2_4_3_2_4.om", "add.om"]
    assert acl.op.set_model_dir(str(output)) == 0
    assert TABLE.count == 2
    add = Add(acl, 8, 8, model=False)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_options_in_both_forms_and_options_without_meaning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "ops.json"
    source.write_text(json.dumps([add_operator(2)]))
    output = tmp_path / "out"
    args = ["--singleop", str(source), "--output", str(output), "--soc_version", "Ascend310P3", "--precision_mode=must_keep_origin_dtype"]
    assert atc.main(args) == 0
    assert len(list(output.glob("*.om"))) == 1
    assert "success" in capsys.readouterr().out
    assert atc.main(["--help"]) == 0
    assert "--singleop" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "E10007: [--singleop] is required"),
        (["--singleop=x"], "E10007: [--output] is required"),
        (["--singleop=x", "--output=y"], "E10007: [--soc_version] is required"),
        (["--singleop=", "--output=y", "--soc_version=Ascend910_9362"], "E10004: Value for [--singleop] is empty"),
        (["--singleop=/no/such/file", "--output=y", "--soc_version=Ascend910_9362"], "E19000"),
        (["--nonsense=1"], "unknown command line flag [--nonsense]"),
        (["ops.json"], "E10001"),
    ],
)
def test_wrong_options(arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert atc.main(arguments) == 1
    out = capsys.readouterr().out
    assert word in out and "ATC run failed" in out


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '"x"', "[1]", "[{}]"])
def test_wrong_files(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run(tmp_path, text)
    out = capsys.readouterr().out
    assert code == 1 and "ATC run failed" in out and "E10" in out


def test_the_failing_operator_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(tmp_path, [add_operator(2), operator("Addd", [], [])])
    assert code == 1
    out = capsys.readouterr().out
    assert "op [1]" in out and "[Addd]" in out
    assert [path.suffix for path in output.iterdir()] == [".om"]
