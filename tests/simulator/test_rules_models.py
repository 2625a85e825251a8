"""Files of operator models: the compiling program with wrong input, damaged containers, the model directory (OM-1 .. OM-8, OM-15)."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import ABSENT, Add, add_operator, const, const_desc, desc, load_bytes, operator, tensor

from ascendtensor.simulator import atc
from ascendtensor.simulator.engine.compile import build
from ascendtensor.simulator.engine.container import HEADER, pack_parts, unpack
from ascendtensor.simulator.engine.matching import TABLE

X = tensor([2, 3])
SUM = operator("ReduceSum", [X, const([1])], [tensor([2])])


def program(tmp_path: Path, content: Any, *options: str) -> tuple[int, list[str]]:
    source, output = tmp_path / "ops.json", tmp_path / "out"
    source.write_text(content if isinstance(content, str) else json.dumps(content))
    code = atc.main([f"--singleop={source}", f"--output={output}", *(options or ("--soc_version=Ascend910B1",))])
    return code, sorted(path.name for path in output.iterdir()) if output.is_dir() else []


def changed(change: dict[str, Any], of: str = "input_desc", index: int = 0, base: dict[str, Any] = SUM) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(base))
    copy[of][index] |= change
    return copy


WRONG: dict[str, Any] = {
    "not JSON": "[{",
    "deep": "[" * 100_000,
    "null": "null",
    "a number": 5,
    "no operator": [],
    "only flags": [3],
    "no op": [{"input_desc": [X]}],
    "op of another type": [{"op": 5}],
    "unknown op": [operator("Addition", [X, X], [X])],
    "unknown key": [{**SUM, "inputs": []}],
    "no outputs": [{**SUM, "output_desc": []}],
    "too many inputs": [{**SUM, "input_desc": [X] * 5}],
    "inputs not a list": [{**SUM, "input_desc": X}],
    "input not an object": [{**SUM, "input_desc": [1, 2]}],
    "unknown tensor key": [changed({"dims": []})],
    "no such type": [changed({"type": "float33"})],
    "number for a type": [changed({"type": 0})],
    "no such format": [changed({"format": "NXYZ"})],
    "text for a shape": [changed({"shape": "2,3"})],
    "float dim": [changed({"shape": [2.0, 3]})],
    "bool dim": [changed({"shape": [True, 3]})],
    "dim below -2": [changed({"shape": [-3, 3]})],
    "-2 beside others": [changed({"shape": [-2, 3]})],
    "dim above 64 bits": [changed({"shape": [1 << 70, 3]})],
    "range without -1": [changed({"shape_range": [[1, 2]]})],
    "range too few": [changed({"shape": [-1, -1], "shape_range": [[1, 2]]})],
    "-1 without range": [changed({"shape": [-1, 3]})],
    "range backwards": [changed({"shape": [-1, 3], "shape_range": [[5, 2]]})],
    "range of an unknown rank": [changed({"shape": [-2], "shape_range": [[1, 2]]})],
    "is_const of another type": [changed({"is_const": "false"}, index=1)],
    "constant too short": [changed({"const_value": []}, index=1)],
    "constant too long": [changed({"const_value": [0, 1]}, index=1)],
    "constant of text": [changed({"const_value": ["1"]}, index=1)],
    "constant of floats": [changed({"const_value": [1.5]}, index=1)],
    "constant out of range": [changed({"type": "int32", "const_value": [1 << 31]}, index=1)],
    "constant of bool": [operator("Add", [tensor([1], "bool", is_const=True, const_value=[1]), X], [X])],
    "absent output": [changed(ABSENT, "output_desc")],
    "absent required input": [{**SUM, "input_desc": [ABSENT, SUM["input_desc"][1]]}],
    "half an absent input": [changed({"format": "RESERVED"})],
    "unknown attribute": [{**SUM, "attr": [{"name": "keep", "type": "bool", "value": True}]}],
    "attribute of another type": [{**SUM, "attr": [{"name": "keep_dims", "type": "int", "value": 1}]}],
    "attribute with another value": [{**SUM, "attr": [{"name": "keep_dims", "type": "bool", "value": 1}]}],
    "attribute without value": [{**SUM, "attr": [{"name": "keep_dims", "type": "bool"}]}],
    "attributes not a list": [{**SUM, "attr": {"keep_dims": True}}],
    "required attribute missing": [operator("Adds", [X], [X])],
    "type the operator does not take": [operator("Cos", [tensor([2], "int32")], [tensor([2], "int32")])],
    "output of another shape": [changed({"shape": [3]}, "output_desc")],
    "output of another type": [changed({"type": "int32"}, "output_desc")],
    "name with a slash": [{**SUM, "name": "../there"}],
    "name of another type": [{**SUM, "name": 5}],
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_descriptions(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:  # OM-15, GEN-5
    code, made = program(tmp_path, WRONG[kind])
    lines = capsys.readouterr().out.splitlines()
    assert code == 1 and made == []
    assert any(line.startswith("ATC run failed") for line in lines)
    assert lines[-1].startswith("E1")


def test_good_operators_before_a_wrong_one_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = [{**SUM, "name": name} for name in ("a", "b.c-d_e")]
    assert program(tmp_path, [*named, {**SUM, "op": "Nothing"}]) == (1, ["a.om", "b.c-d_e.om"])
    assert "op [2]" in capsys.readouterr().out


@pytest.mark.parametrize("soc", ["banana", "ascend910", "Ascend", "Ascend 910", "Ascend910é", "Ascend910C", "Ascend910b1", "Ascend310P4"])
def test_chips_that_do_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str], soc: str) -> None:
    assert program(tmp_path, [SUM], f"--soc_version={soc}") == (1, [])
    assert f"E20101: Value [{soc}] for parameter [--soc_version] is invalid" in capsys.readouterr().out


def test_the_program_fails_in_words_as_a_process_too(tmp_path: Path) -> None:
    source = tmp_path / "ops.json"
    source.write_text(json.dumps(WRONG["unknown op"]))
    command = [sys.executable, "-m", "ascendtensor.simulator.atc", f"--singleop={source}", f"--output={tmp_path}/out"]
    done = subprocess.run([*command, "--soc_version=Ascend910B1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == ""
    assert "ATC start working now" in done.stdout and "ATC run failed" in done.stdout and "E10501" in done.stdout


def test_an_output_directory_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("a file")
    source = tmp_path / "ops.json"
    source.write_text(json.dumps([SUM]))
    assert atc.main([f"--singleop={source}", f"--output={tmp_path}/out", "--soc_version=Ascend910B1"]) == 1
    assert "E19001" in capsys.readouterr().out


def test_constants_ranges_and_absent_inputs_of_a_file_are_matched(acl: ModuleType, tmp_path: Path) -> None:  # OM-22, OM-24, OM-25, TD-21
    norm = operator("LayerNormV4", [tensor([2, 4]), const([4], "int32"), ABSENT, ABSENT], [tensor([2, 4]), tensor([2, 1]), tensor([2, 1])])
    wide = tensor([-1, 3], shape_range=[[2, 5]])
    assert program(tmp_path, [norm, SUM, operator("Add", [wide, wide], [tensor([-1, 3])])])[0] == 0
    assert acl.op.set_model_dir(str(tmp_path / "out")) == 0
    assert TABLE.count == 3
    for rows, code in ((1, 100024), (2, 0), (5, 0), (6, 100024)):
        add = Add(acl, rows, 3, model=False)
        assert add.execute() == code
    out, small = desc(acl, [2, 4]), [desc(acl, [2, 1]), desc(acl, [2, 1])]
    x, sizes = desc(acl, [2, 4]), const_desc(acl, [4], "int32")
    none = acl.create_tensor_desc(-1, [], -1)
    assert acl.op.create_handle("LayerNormV4", [x, sizes, none, none], [out, *small], 0)[1] == 0
    assert acl.op.create_handle("LayerNormV4", [x, none, sizes, none], [out, *small], 0) == (0, 100024)
    assert acl.op.create_handle("LayerNormV4", [x, sizes, none], [out, *small], 0) == (0, 100024)
    assert acl.op.create_handle("LayerNormV4", [x, const_desc(acl, [3], "int32"), none, none], [out, *small], 0) == (0, 100024)
    assert acl.op.create_handle("LayerNormV4", [x, desc(acl, [1], "int32"), none, none], [out, *small], 0) == (0, 100024)


# Damaged containers

MODEL = build(operator("ReduceSum", [X, const([1])], [tensor([2, 1])], ("keep_dims", "bool", True)), "Ascend910B1")
FOREIGN: dict[str, bytes] = {
    "text": b"not a model",
    "empty zip": b"PK\x05\x06" + bytes(18),
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "pickle": b"\x80\x04\x95" + bytes(64),
    "IMOD of a board": b"IMOD" + bytes(252),
    "json": json.dumps([SUM]).encode(),
    "magic alone": MODEL[:8],
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files(acl: ModuleType, tmp_path: Path, name: str) -> None:  # OM-3, OM-4, K89
    assert load_bytes(acl, FOREIGN[name]) == 100013
    assert acl.get_recent_err_msg()
    (tmp_path / "foreign.om").write_bytes(FOREIGN[name])
    (tmp_path / "good.om").write_bytes(MODEL)
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    assert TABLE.count == 1


def test_every_truncation(acl: ModuleType) -> None:  # OM-4, K89
    for length in range(1, len(MODEL)):
        assert load_bytes(acl, MODEL[:length]) == 100013, length
    assert TABLE.count == 0


def test_every_flipped_bit(acl: ModuleType) -> None:  # OM-4, K89, K90
    codes = set()
    for position in range(len(MODEL)):
        damaged = bytearray(MODEL)
        damaged[position] ^= 1 << position % 8
        code = load_bytes(acl, bytes(damaged))
        codes.add(code)
        assert code in (100012, 100013), position
    assert codes == {100012, 100013} and TABLE.count == 0


def bodies() -> list[Any]:
    """Bodies with a right checksum that are wrong inside."""
    text_size = HEADER.unpack_from(MODEL)[4]
    good = json.loads(MODEL[HEADER.size : HEADER.size + text_size])
    wrong: list[Any] = [[], 5, None, "x", {}, {"op": "Add"}]
    for key in good:
        for value in (None, 5, "x", [1], [{}], {}, [[[[]]]]):
            if key not in ("soc", "unsupported_dynamic", "op"):
                wrong.append({**good, key: value})
    for key in good["inputs"][1]:
        for value in (None, "x", [], {}, [-1], 1e400, [1, 2, 3], [0, 1 << 60]):
            copy = json.loads(json.dumps(good))
            copy["inputs"][1][key] = value
            wrong.append(copy)
    return wrong


def test_bodies_that_are_wrong_inside_never_crash(acl: ModuleType) -> None:  # OM-4, K90, K91
    constants = MODEL[HEADER.size + HEADER.unpack_from(MODEL)[4] :]
    codes = [load_bytes(acl, pack_parts(body, constants)) for body in bodies()]
    assert set(codes) <= {0, 100012, 100016}
    assert {100012, 100016} <= set(codes)


def test_random_damage_never_crashes(acl: ModuleType) -> None:  # OM-4
    source = random.Random(0)
    for _ in range(300):
        damaged = bytearray(MODEL)
        for _ in range(source.randint(1, 8)):
            damaged[source.randrange(HEADER.size, len(MODEL))] = source.randrange(256)
        payload = bytes(damaged[HEADER.size :])
        magic, version, size, total, text, _ = HEADER.unpack_from(MODEL)
        data = HEADER.pack(magic, version, size, total, text, hashlib.sha256(payload).digest()) + payload
        assert load_bytes(acl, data) in (0, 100012, 100016)


def test_a_container_holds_data_only(acl: ModuleType) -> None:  # SIM-5
    assert unpack(MODEL).op_type == "ReduceSum"
    assert b"import" not in MODEL and b"pickle" not in MODEL


# The model directory


def test_suffixes_links_and_depth(acl: ModuleType, tmp_path: Path) -> None:  # OM-2
    def put(place: str, *shape: int) -> None:
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(build(add_operator(*shape), "Ascend910B1"))

    put(".om", 1)
    put("a/x.om", 2)
    put("a/b/x.om", 3)
    put("a/b/c/x.om", 4)  # too deep
    put("x.OM", 5)  # the suffix is case-sensitive
    put("x.om.bak", 6)
    put("d.om/x.om", 7)  # a directory may be called so
    os.mkfifo(tmp_path / "pipe.om")
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    sizes = {spec.dims[0] for model in TABLE.of_type("Add") for spec in model.outputs}
    assert sizes == {1, 2, 3, 7}


def test_an_empty_directory_is_a_success(acl: ModuleType, tmp_path: Path) -> None:  # OM-1, OM-2
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    assert acl.finalize() == 0 and acl.init() == 0
    assert acl.op.set_model_dir(str(tmp_path)) == 100002
    assert acl.op.set_model_dir("/no/such/place") == 100002
    acl.new_process()
    assert acl.op.set_model_dir(str(tmp_path)) == 0


@pytest.mark.parametrize("path", ["", "/no/such/place", "file.om"])
def test_paths_that_are_no_directory(acl: ModuleType, tmp_path: Path, path: str) -> None:  # OM-1, K86
    (tmp_path / "file.om").write_bytes(MODEL)
    assert acl.op.set_model_dir(str(tmp_path / path) if path == "file.om" else path) == 100014
    assert acl.op.set_model_dir(str(tmp_path)) == 0


def test_directory_and_load_add_to_one_table_of_all_threads_and_devices(acl: ModuleType, tmp_path: Path) -> None:  # OM-6, OM-7
    (tmp_path / "add.om").write_bytes(build(add_operator(4), "Ascend910B1"))
    assert load_bytes(acl, MODEL) == 0
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    assert load_bytes(acl, build(add_operator(4), "Ascend910B1")) == 0
    assert TABLE.count == 2
    acl.rt.set_device(1)
    add = Add(acl, 4, model=False)
    assert add.execute() == 0 and acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)
