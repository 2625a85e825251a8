"""Loading operator models (OM-1 to OM-8, K86 to K93)."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from op_program import Add, add_operator, desc, download, empty, load, load_bytes, operator, tensor, upload

from ascendtensor.simulator.engine import container
from ascendtensor.simulator.engine.compile import CompileFailure, build, model_of
from ascendtensor.simulator.engine.matching import TABLE

MODEL = build(add_operator(2, 3), "Ascend910B1")


def test_set_model_dir_reads_three_levels_once_a_process(acl: ModuleType, tmp_path: Path) -> None:  # OM-1, OM-2, K87
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    for number, directory in enumerate((tmp_path, tmp_path / "a", tmp_path / "a" / "b", deep), 1):
        (directory / "add.om").write_bytes(build(add_operator(number), "Ascend910B1"))
    (tmp_path / "other.OM").write_bytes(MODEL)
    (tmp_path / ".om").write_bytes(build(add_operator(9), "Ascend910B1"))
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    shapes = {model.inputs[0].dims for model in TABLE.of_type("Add")}
    assert shapes == {(1,), (2,), (3,), (9,)}
    assert acl.op.set_model_dir(str(tmp_path)) == 100002
    acl.finalize()
    assert acl.op.set_model_dir(str(tmp_path)) == 100002


def test_a_failed_set_model_dir_may_be_retried(acl: ModuleType, tmp_path: Path) -> None:  # OM-1, K86
    assert acl.op.set_model_dir(str(tmp_path / "missing")) == 100014
    assert acl.op.set_model_dir("") == 100014
    file = tmp_path / "file"
    file.write_bytes(b"x")
    assert acl.op.set_model_dir(str(file)) == 100014
    (tmp_path / "empty").mkdir()
    assert acl.op.set_model_dir(str(tmp_path / "empty")) == 0  # OM-2: an empty directory is success


def test_unusable_files_are_skipped(acl: ModuleType, tmp_path: Path) -> None:  # OM-3
    (tmp_path / "bad.om").write_bytes(b"rubbish")
    (tmp_path / "cut.om").write_bytes(MODEL[:-1])
    (tmp_path / "good.om").write_bytes(MODEL)
    assert acl.op.set_model_dir(str(tmp_path)) == 0
    assert TABLE.count == 1
    assert "bad.om" in (acl.get_recent_err_msg() or "")


def test_set_model_dir_takes_a_str(acl: ModuleType, tmp_path: Path) -> None:  # PY-2
    for wrong in (None, tmp_path, b"x"):
        with pytest.raises(TypeError, match=r"acl\.op\.set_model_dir args parse failed"):
            acl.op.set_model_dir(wrong)


def test_load_checks_its_arguments(acl: ModuleType) -> None:  # OM-4, K88
    assert acl.op.load(0, 10) == 100000
    assert acl.op.load(acl.util.bytes_to_ptr(MODEL), 0) == 100000
    assert acl.op.load(64, 100) == 100000  # an address that is not mapped: a code, no crash
    with pytest.raises(TypeError):
        acl.op.load(None, 1)


def test_load_needs_no_device(acl: ModuleType) -> None:  # OM-6
    acl.rt.reset_device(0)
    assert load_bytes(acl, MODEL) == 0


@pytest.mark.parametrize("data", [MODEL[:40], MODEL[:-1], MODEL + b"x", b"\0" * len(MODEL)])
def test_header_and_length(acl: ModuleType, data: bytes) -> None:  # OM-4, K89
    assert load_bytes(acl, data) == 100013
    assert TABLE.count == 0


def test_other_container_version(acl: ModuleType) -> None:  # OM-4
    data = MODEL[:8] + struct.pack("<I", 99) + MODEL[12:]
    assert load_bytes(acl, data) == 100013
    assert "version 99" in acl.get_recent_err_msg()


def test_damaged_body(acl: ModuleType) -> None:  # OM-4, K90
    middle = len(MODEL) // 2
    data = MODEL[:middle] + bytes([MODEL[middle] ^ 1]) + MODEL[middle + 1 :]
    assert load_bytes(acl, data) == 100012
    spec = {"dtype": 0, "format": 2, "storage_format": -1, "dims": [2], "ranges": [], "placement": 0}
    for wrong in (1, {}, {**spec, "dims": [float("inf")]}, {**spec, "const": [0, 9]}, {**spec, "ranges": [[1]]}):
        assert load_bytes(acl, container.pack_parts({"op": "Add", "inputs": [wrong], "outputs": []}, b"")) == 100012
    attr = {"name": "value", "kind": "float", "value": -1}
    assert load_bytes(acl, container.pack_parts({"op": "Adds", "inputs": [spec], "outputs": [spec], "attrs": [attr]}, b"")) == 100012
    assert TABLE.count == 0


@pytest.mark.parametrize("missing", ["op", "inputs", "outputs"])
def test_missing_parts(acl: ModuleType, missing: str) -> None:  # OM-4, K91
    size = struct.unpack_from("<Q", MODEL, 24)[0]
    body = json.loads(MODEL[64 : 64 + size])
    del body[missing]
    assert load_bytes(acl, container.pack_parts(body, b"")) == 100016


def test_dynamic_model_flagged_unsupported(acl: ModuleType) -> None:  # OM-4, K92
    unknown = tensor([-1], shape_range=[[1, 8]])
    model = model_of(operator("Add", [unknown, unknown], [tensor([-1])]))
    assert load_bytes(acl, container.pack(model, "Ascend910B1", unsupported_dynamic=True)) == 148050
    assert load_bytes(acl, container.pack(model, "Ascend910B1")) == 0


def test_the_bytes_are_copied_and_a_second_load_is_accepted(acl: ModuleType) -> None:  # OM-5, OM-7
    data = bytearray(MODEL)
    first = bytes(data)
    assert load_bytes(acl, first) == 0
    del first
    assert load_bytes(acl, bytes(data)) == 0
    assert TABLE.count == 1
    add = Add(acl, 2, 3, model=False)
    assert add.execute() == 0


def test_models_survive_finalize_and_reset(acl: ModuleType) -> None:  # OM-6
    assert load_bytes(acl, MODEL) == 0
    acl.rt.reset_device(0)
    acl.finalize()
    acl.init()
    acl.rt.set_device(1)
    assert Add(acl, 2, 3, model=False).execute() == 0
    acl.rt.reset_device(1)
    acl.new_process()
    assert TABLE.count == 0


def test_max_op_queue_num(acl: ModuleType) -> None:  # OM-9, K93
    assert acl.op.set_max_op_queue_num(0) == 100000
    assert acl.op.set_max_op_queue_num(1) == 0


def test_only_compiled_models_age(acl: ModuleType) -> None:  # OM-10, OM-11
    for size in range(1, 4):
        load_bytes(acl, build(add_operator(size), "Ascend910B1"))
    acl.op.set_max_op_queue_num(4)
    for size in (11, 12, 13):
        compiled = model_of(add_operator(size))
        compiled.online = True
        TABLE.insert(compiled)
    sizes = sorted(model.inputs[0].dims[0] for model in TABLE.of_type("Add"))
    assert sizes == [1, 2, 3, 13]
    assert Add(acl, 11, model=False).execute() == 100024
    assert Add(acl, 13, model=False).execute() == 0


@pytest.mark.parametrize(
    ("model", "chip", "code"),
    [
        ("Ascend910B1", "Ascend910B4-1", 0),  # the same instructions
        ("Ascend910_9391", "Ascend910B1", 0),
        ("Ascend310P3", "Ascend910B1", 100012),
        ("Ascend910B", "Ascend910B1", 100012),  # its name notwithstanding, a 910 of the first kind
        ("Ascend310B4", "Ascend310P3", 100012),
        ("Ascend310B4", "Ascend310B1", 0),
    ],
)
def test_a_model_of_another_chip(acl: ModuleType, tmp_path: Path, model: str, chip: str, code: int) -> None:  # OM-3, OM-4
    acl.new_process()
    acl.configure(soc=chip)
    try:
        data = build(add_operator(2), model)
        assert load_bytes(acl, data) == code
        said = acl.get_recent_err_msg() or ""
        assert (f"E10001: Value [{model}] for parameter [soc_version]" in said and chip in said) == bool(code)
        (tmp_path / "add.om").write_bytes(data)
        assert acl.op.set_model_dir(str(tmp_path)) == 0  # skipped, as others that can't be used
        assert TABLE.count == (code == 0)
    finally:
        acl.new_process()
        acl.configure()


def test_a_model_of_a_chip_that_does_not_exist(acl: ModuleType) -> None:  # OM-4
    model = container.unpack(MODEL)
    assert load_bytes(acl, container.pack(model, "banana")) == 100012
    with pytest.raises(CompileFailure, match=r"E20101: Value \[banana\] for parameter \[--soc_version\] is invalid"):
        build(add_operator(2), "banana")


def test_a_machine_has_a_chip_that_exists(acl: ModuleType) -> None:
    acl.new_process()
    with pytest.raises(ValueError, match="soc must be the name of a chip that CANN knows"):
        acl.configure(soc="Ascend910C")
    acl.configure(soc="Ascend910")
    assert acl.get_soc_name() == "Ascend910"
    acl.configure()


def test_models_of_the_ai_cpu_are_of_any_shape(acl: ModuleType) -> None:  # OM-26
    # CANN marks what its AI CPU runs as good for all shapes, and resets those of all tensors but constants (graph engine,
    # KernelBuilder::MakeBaseExtInfo, GeGenerator::BuildSingleOp); so such a model is a dynamic one, whoever compiled it.
    load(acl, operator("Lgamma", [tensor([2, 3])], [tensor([2, 3])]))
    load(acl, operator("Lgamma", [tensor([7])], [tensor([7])]))
    (model,) = TABLE.of_type("Lgamma")
    assert model.dynamic and [spec.dims for spec in (*model.inputs, *model.outputs)] == [(-2,), (-2,)]
    data, _ = upload(acl, np.arange(1, 6, dtype=np.float32))
    out, address = empty(acl, 20)
    x = [desc(acl, [5])]
    early = acl.op.create_handle("Lgamma", x, x, 0)[0]
    assert acl.op.execute_v2("Lgamma", x, [data], x, [out], 0, 0) == 0
    late = acl.op.create_handle("Lgamma", x, x, 0)[0]
    assert [acl.op.execute_with_handle(handle, [data], [out], 0) for handle in (late, early)] == [145006, 0]  # HD-10
    assert acl.rt.synchronize_stream(0) == 0
    assert np.allclose(download(acl, address, [5]), [0, 0, 0.6931472, 1.7917595, 3.1780538], atol=1e-5)
