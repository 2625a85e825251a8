"""Descriptions of whole models, datasets, AIPP and dumping (MDL-10 to MDL-19, PY-13)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from model_program import Program, convert, linear, save, value
from onnx import TensorProto, helper

from ascendtensor.simulator.engine import model_file

LONG = "x" * 130
RESERVED = -1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def net(folder: Path) -> Path:
    return convert(linear(folder / "net.onnx"), folder / "net", input_shape="x:2,4")


@pytest.fixture(scope="module")
def open_net(folder: Path) -> Path:
    return convert(linear(folder / "open.onnx"), folder / "open", input_shape="x:1~8,4")


@pytest.fixture(scope="module")
def batches(folder: Path) -> Path:
    return convert(linear(folder / "batches.onnx"), folder / "batches", input_shape="x:-1,4", dynamic_batch_size="1,8,2")


@pytest.fixture(scope="module")
def images(folder: Path) -> Path:
    nodes = [helper.make_node("GlobalAveragePool", ["x"], ["y"], "pool"), helper.make_node("Neg", ["x"], ["z"], "neg")]
    inputs, outputs = [value("x", [1, 2, "h", "w"])], [value("y", [1, 2, 1, 1]), value("z", [1, 2, "h", "w"])]
    path = save(folder / "images.onnx", nodes, inputs, outputs)
    return convert(path, folder / "images", input_shape="x:1,2,-1,-1", dynamic_image_size="4,6;8,2")


@pytest.fixture(scope="module")
def gears(folder: Path) -> Path:
    nodes = [helper.make_node("Add", ["a", "b"], ["y"], "sum")]
    path = save(folder / "dims.onnx", nodes, [value("a", ["n", 3]), value("b", ["m", "k"])], [value("y", None)])
    return convert(path, folder / "dims", input_shape="b:-1,-1;a:-1,3", dynamic_dims="1,3,2;4,1,4", input_format="ND")


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()


def described(acl: ModuleType, path: Path) -> int:
    desc = acl.mdl.create_desc()
    assert acl.mdl.get_desc_from_file(desc, str(path)) == 0
    return int(desc)


def record(name: str, dims: list[int]) -> tuple[dict[str, Any], int]:
    return {"name": name, "dimCount": len(dims), "dims": dims}, 0


def test_a_description_is_filled_anew_and_outlives_the_model(program: Program, net: Path, gears: Path) -> None:  # MDL-10, K142
    mdl = program.acl.mdl
    desc = mdl.create_desc()
    assert mdl.get_num_inputs(desc) == mdl.get_num_outputs(desc) == 0
    one, other = program.load(gears), program.load(net)
    assert mdl.get_desc(desc, one) == 0
    assert mdl.get_num_inputs(desc) == 3
    assert mdl.get_desc(desc, other) == 0
    assert (mdl.get_num_inputs(desc), mdl.get_num_outputs(desc)) == (1, 1)
    assert mdl.get_desc(0, other) == 100000
    assert mdl.get_desc(desc, 99) == 145003
    mdl.unload(one)
    mdl.unload(other)
    assert mdl.get_input_dims(desc, 0) == record("x", [2, 4])
    assert mdl.destroy_desc(desc) == 0
    assert mdl.destroy_desc(0) == mdl.destroy_desc(desc) == 100000


def test_descriptions_without_loading(acl: ModuleType, net: Path, tmp_path: Path) -> None:
    mdl = acl.mdl
    desc = described(acl, net)
    data = net.read_bytes()
    other = mdl.create_desc()
    assert mdl.get_desc_from_mem(other, acl.util.bytes_to_ptr(data), len(data)) == 0
    assert mdl.get_input_dims(desc, 0) == mdl.get_input_dims(other, 0) == record("x", [2, 4])
    assert mdl.get_desc_from_file(desc, str(tmp_path / "missing")) == 145002
    assert mdl.get_desc_from_mem(desc, 0, 4) == 100000
    assert mdl.get_cur_output_dims(desc, 0) == ({}, 145003)


def test_sizes(acl: ModuleType, net: Path, batches: Path, open_net: Path, images: Path, folder: Path) -> None:  # MDL-11, K145
    mdl = acl.mdl
    sizes = {}
    unbounded = convert(folder / "net.onnx", folder / "unbounded")
    for path in (net, batches, open_net, unbounded):
        desc = described(acl, path)
        sizes[path.stem] = mdl.get_input_size_by_index(desc, 0), mdl.get_output_size_by_index(desc, 0)
    assert sizes == {"net": (32, 24), "batches": (128, 96), "open": (128, 96), "unbounded": (0, 0)}
    desc = described(acl, images)  # 4 x 6 is the larger area
    assert [mdl.get_output_size_by_index(desc, index) for index in range(2)] == [8, 192]
    assert mdl.get_input_size_by_index(desc, 1) == 8  # the gear's two numbers
    for index in (2, 1 << 40):
        assert mdl.get_input_size_by_index(desc, index) == mdl.get_output_size_by_index(desc, index) == 0
    assert mdl.get_num_inputs(0) == mdl.get_num_outputs(0) == mdl.get_input_size_by_index(0, 0) == mdl.get_output_size_by_index(0, 0) == 0


def test_bad_indices_and_names(acl: ModuleType, net: Path) -> None:  # MDL-12, K144, K146
    mdl = acl.mdl
    desc = described(acl, net)
    for handle, index in ((desc, 1), (0, 0)):
        assert mdl.get_input_name_by_index(handle, index) == mdl.get_output_name_by_index(handle, index) == ""
        assert mdl.get_input_format(handle, index) == mdl.get_output_format(handle, index) == -1
        assert mdl.get_input_data_type(handle, index) == mdl.get_output_data_type(handle, index) == -1
        for name in ("get_input_dims", "get_input_dims_v2", "get_output_dims", "get_input_dims_range", "get_cur_output_dims"):
            assert getattr(mdl, name)(handle, index) == ({}, 100000)
    assert mdl.get_input_index_by_name(desc, "nothing") == mdl.get_output_index_by_name(desc, "y") == (0, 100000)
    assert "['act:0:y']" in acl.get_recent_err_msg()
    assert mdl.get_input_index_by_name(0, "x") == (0, 100000)
    assert mdl.get_input_index_by_name(desc, "x") == mdl.get_output_index_by_name(desc, "act:0:y") == (0, 0)
    assert (mdl.get_input_name_by_index(desc, 0), mdl.get_output_name_by_index(desc, 0)) == ("x", "act:0:y")
    assert mdl.get_input_data_type(desc, 0) == mdl.get_output_data_type(desc, 0) == 0
    assert mdl.get_input_format(desc, 0) == mdl.get_output_format(desc, 0) == 2


def test_more_than_128_dims(acl: ModuleType, net: Path, tmp_path: Path) -> None:  # MDL-12
    model = model_file.unpack(net.read_bytes())
    dims = (1,) * 129
    path = tmp_path / "deep.om"
    path.write_bytes(model_file.pack(model._replace(inputs=(model.inputs[0]._replace(dims=dims),))))
    assert acl.mdl.get_input_dims(described(acl, path), 0) == ({}, 300000)


def test_the_input_of_the_gears(acl: ModuleType, batches: Path, images: Path, gears: Path) -> None:  # MDL-13
    mdl = acl.mdl
    for path, dims, position, words in ((batches, [-1, 4], 1, 1), (images, [1, 2, -1, -1], 1, 2), (gears, [-1, 3], 2, 3)):
        desc = described(acl, path)
        assert mdl.get_input_dims(desc, 0)[0]["dims"] == dims
        assert mdl.get_input_index_by_name(desc, "ascend_mbatch_shape_data") == (position, 0)
        assert mdl.get_num_inputs(desc) == position + 1
        assert mdl.get_input_dims(desc, position) == record("ascend_mbatch_shape_data", [words])
        assert (mdl.get_input_data_type(desc, position), mdl.get_input_format(desc, position)) == (3, 2)


def test_long_names(program: Program, folder: Path) -> None:  # MDL-14
    path = save(folder / "long.onnx", [helper.make_node("Neg", [LONG], [f"{LONG}y"], "n")], [value(LONG, [2])], [value(f"{LONG}y", [2])])
    model = program.load(convert(path, folder / "long"))
    mdl, desc = program.acl.mdl, program.desc(model)
    short = f"acl_modelId_{model}_input_0"
    assert mdl.get_input_dims(desc, 0) == record(short, [2])
    assert mdl.get_output_dims(desc, 0)[0]["name"] == f"acl_modelId_{model}_output_0"
    assert mdl.get_tensor_real_name(desc, short) == mdl.get_tensor_real_name(desc, LONG) == mdl.get_input_name_by_index(desc, 0) == LONG
    assert mdl.get_input_index_by_name(desc, short) == (0, 0)
    assert mdl.get_tensor_real_name(desc, "nothing") == mdl.get_tensor_real_name(0, short) == ""
    mdl.destroy_desc(desc)
    mdl.unload(model)


def test_long_names_beside_a_tensor_of_the_same_short_one(acl: ModuleType, folder: Path) -> None:  # MDL-14
    nodes = [helper.make_node("Add", [LONG, "acl_modelId_0_input_0"], ["y"], "a")]
    inputs = [value(LONG, [2]), value("acl_modelId_0_input_0", [2])]
    desc = described(acl, convert(save(folder / "twice.onnx", nodes, inputs, [value("y", [2])]), folder / "twice"))
    names = [acl.mdl.get_input_dims(desc, index)[0]["name"] for index in range(2)]
    assert names == ["acl_modelId_0_input_0_a", "acl_modelId_0_input_0"]
    assert [acl.mdl.get_tensor_real_name(desc, name) for name in names] == [LONG, "acl_modelId_0_input_0"]
    assert [acl.mdl.get_input_index_by_name(desc, name) for name in names] == [(0, 0), (1, 0)]


def test_records_have_the_bindings_form(acl: ModuleType, net: Path, batches: Path, images: Path, gears: Path, open_net: Path) -> None:
    # PY-13
    mdl = acl.mdl
    desc = described(acl, batches)
    assert mdl.get_input_dims_v2(desc, 0) == mdl.get_input_dims(desc, 0) == record("x", [-1, 4])
    assert mdl.get_output_dims(desc, 0) == record("act:0:y", [8, 3])  # the largest gear
    assert mdl.get_dynamic_batch(desc) == ({"batchCount": 3, "batch": [1, 8, 2]}, 0)
    assert mdl.get_dynamic_hw(desc, 7) == ({"hwCount": 0, "hw": []}, 0)
    assert mdl.get_input_dynamic_gear_count(desc, RESERVED) == (0, 0)
    assert mdl.get_dynamic_hw(described(acl, images), RESERVED) == ({"hwCount": 2, "hw": [[4, 6], [8, 2]]}, 0)
    desc = described(acl, gears)
    assert mdl.get_input_dynamic_gear_count(desc, RESERVED) == (2, 0)
    # All inputs' dims in the order of --input_shape: b, then a.
    expected = [record("", [1, 3, 2, 3])[0], record("", [4, 1, 4, 3])[0]]
    assert mdl.get_input_dynamic_dims(desc, RESERVED, 2) == (expected, 0)
    assert len(mdl.get_input_dynamic_dims(desc, RESERVED, 3)[0]) == 3
    for index, count in ((0, 2), (RESERVED, 1), (RESERVED, 4097)):
        assert mdl.get_input_dynamic_dims(desc, index, count) == (None, 100000)
    assert mdl.get_input_dynamic_gear_count(desc, 0) == mdl.get_input_dynamic_gear_count(0, RESERVED) == (0, 100000)
    assert mdl.get_input_dims_range(described(acl, open_net), 0) == ({"rangeCount": 2, "range": [[1, 8], [4, 4]]}, 0)
    assert mdl.get_input_dims_range(described(acl, net), 0) == ({"rangeCount": 2, "range": [[2, 2], [4, 4]]}, 0)
    for path in (batches, images, gears):
        assert mdl.get_input_dims_range(described(acl, path), 0) == ({"rangeCount": 0, "range": []}, 0)
    assert mdl.get_dynamic_batch(0) == mdl.get_dynamic_hw(0, 0) == ({}, 100000)
    assert mdl.get_op_attr(described(acl, net), "mul", "_datadump_original_op_names") == ""


def test_types_and_formats(acl: ModuleType, folder: Path) -> None:
    kinds = {"FLOAT16": 1, "INT8": 2, "UINT8": 4, "INT16": 6, "UINT16": 7, "UINT32": 8, "INT64": 9, "UINT64": 10, "DOUBLE": 11, "BOOL": 12}
    kinds |= {"BFLOAT16": 27, "INT32": 3}
    nodes, inputs, outputs = [], [], []
    for name in kinds:
        nodes.append(helper.make_node("Identity", [name], [f"{name}_out"], name))
        inputs.append(value(name, [1, 2, 3, 4], getattr(TensorProto, name)))
        outputs.append(value(f"{name}_out", [1, 2, 3, 4], getattr(TensorProto, name)))
    desc = described(acl, convert(save(folder / "types.onnx", nodes, inputs, outputs), folder / "types"))
    for index, dtype in enumerate(kinds.values()):
        assert acl.mdl.get_input_data_type(desc, index) == acl.mdl.get_output_data_type(desc, index) == dtype
        assert acl.mdl.get_input_format(desc, index) == 0  # NCHW by default
    desc = described(acl, convert(folder / "types.onnx", folder / "types_nd", input_format="ND"))
    assert acl.mdl.get_input_format(desc, 0) == 2


# Datasets


def test_buffers_of_a_dataset(acl: ModuleType) -> None:  # MDL-16, MDL-18, K147, K148
    mdl = acl.mdl
    dataset, one, other = mdl.create_dataset(), acl.create_data_buffer(0, 0), acl.create_data_buffer(0, 8)
    for buffer in (one, other, one):
        assert mdl.add_dataset_buffer(dataset, buffer) == (dataset, 0)
    assert [mdl.get_dataset_buffer(dataset, index) for index in range(4)] == [one, other, one, 0]
    assert (mdl.get_dataset_num_buffers(dataset), mdl.get_dataset_num_buffers(0)) == (3, 0)
    assert mdl.get_dataset_buffer(0, 0) == 0
    assert (mdl.add_dataset_buffer(0, one), mdl.add_dataset_buffer(dataset, 0)) == ((0, 100000), (dataset, 100000))  # PY-7: as it was given
    assert mdl.destroy_dataset(dataset) == 0
    acl.destroy_data_buffer(one)
    acl.destroy_data_buffer(other)


def test_destroying_a_dataset_keeps_its_buffers(acl: ModuleType) -> None:  # MDL-17, K149
    dataset, buffer = acl.mdl.create_dataset(), acl.create_data_buffer(0, 8)
    acl.mdl.add_dataset_buffer(dataset, buffer)
    assert acl.mdl.destroy_dataset(0) == 100000
    assert acl.mdl.destroy_dataset(dataset) == 0
    assert acl.get_data_buffer_size_v2(buffer) == 8
    assert acl.mdl.destroy_dataset(dataset) == 100000
    assert acl.mdl.get_dataset_num_buffers(dataset) == 0
    assert [finding.kind for finding in acl.findings()] == ["use after destroy"] * 2
    acl.destroy_data_buffer(buffer)


def test_descriptions_of_a_dataset(acl: ModuleType) -> None:  # MDL-19, K158
    mdl = acl.mdl
    dataset, buffer, desc = mdl.create_dataset(), acl.create_data_buffer(0, 8), acl.create_tensor_desc(1, [2, 3], 2)
    mdl.add_dataset_buffer(dataset, buffer)
    assert mdl.get_dataset_tensor_desc(dataset, 0) == 0
    assert mdl.set_dataset_tensor_desc(dataset, desc, 1) == (dataset, 100000)  # PY-7: as it was given
    assert mdl.set_dataset_tensor_desc(0, desc, 0) == (0, 100000)
    assert mdl.set_dataset_tensor_desc(dataset, desc, 0) == (dataset, 0)
    acl.destroy_tensor_desc(desc)
    own = mdl.get_dataset_tensor_desc(dataset, 0)  # a copy
    assert own not in (0, desc)
    assert (acl.get_tensor_desc_dim_v2(own, 1), acl.get_tensor_desc_type(own)) == ((3, 0), 1)
    assert mdl.set_dataset_tensor_desc(dataset, desc, 0) == (dataset, 100000)  # destroyed
    assert mdl.set_dataset_tensor_desc(dataset, 0, 0) == (dataset, 0)
    assert mdl.get_dataset_tensor_desc(dataset, 0) == mdl.get_dataset_tensor_desc(dataset, 5) == 0
    mdl.destroy_dataset(dataset)
    acl.destroy_data_buffer(buffer)
    assert acl.tables()["descs"] == 0


# AIPP and dumping


def test_a_model_without_aipp(program: Program, net: Path) -> None:
    mdl = program.acl.mdl
    model, dataset = program.load(net), program.dataset()
    assert mdl.get_aipp_data_size(0) == (0, 100000)
    assert mdl.get_aipp_data_size(2)[1] == 0
    assert mdl.create_aipp(0) == 0
    aipp = mdl.create_aipp(2)
    assert mdl.get_aipp_type(model, 0) == (0, 0xFFFFFFFF, 0)  # ACL_INVALID_NODE_INDEX of acl_mdl.h, page of get_aipp_type
    assert mdl.get_aipp_type(model, 1) == (0, 0, 100000)
    assert mdl.get_first_aipp_info(model, 0) == (None, 145015)
    # GE, acl_aipp.cpp: CheckAippDataIndex, and aclmdlSetAIPPByInputIndex, which answers ACL_ERROR_FAILURE
    assert mdl.set_input_aipp(model, dataset, 0, aipp) == mdl.set_aipp_by_input_index(model, dataset, 0, aipp) == 100000
    full = program.given(np.zeros((2, 4), np.float32))
    assert mdl.set_aipp_by_input_index(model, full, 0, aipp) == 500001
    assert "--insert_op_conf" in (program.acl.get_recent_err_msg() or "")
    assert mdl.set_aipp_src_image_size(aipp, 224, 224) == mdl.set_aipp_csc_params(aipp, *[0] * 16) == 0
    assert mdl.set_aipp_dtc_pixel_min(aipp, 0.5, 0, 0, 0, 1) == 0
    assert mdl.set_aipp_dtc_pixel_min(aipp, 0.5, 0, 0, 0, 2) == mdl.set_aipp_input_format(0, 1) == 100000
    assert mdl.destroy_aipp(aipp) == 0
    assert mdl.destroy_aipp(aipp) == mdl.destroy_aipp(0) == 100000
    mdl.unload(model)


def test_dumping_is_switched(acl: ModuleType, tmp_path: Path) -> None:
    mdl = acl.mdl
    config = tmp_path / "dump.json"
    config.write_text(json.dumps({"dump": {"dump_path": "somewhere"}}), encoding="utf-8")
    assert mdl.set_dump(str(config)) == mdl.finalize_dump() == 100045
    assert mdl.init_dump() == 0
    assert mdl.init_dump() == 100044
    assert mdl.set_dump(str(config)) == 0
    assert mdl.set_dump(str(tmp_path / "missing")) == 100003
    config.write_text('{"dump": []}', encoding="utf-8")
    assert mdl.set_dump(str(config)) == 100009
    assert mdl.finalize_dump() == 0
    assert mdl.dump_reg_callback(print, 0) == 207000
    assert mdl.dump_unreg_callback() is None
    assert mdl.create_and_get_op_desc(0, 0, 0, 64) == ("", 0, 0, 0, 0, 500002)
    assert mdl.create_and_get_op_desc(0, 0, 0, 5000) == ("", 0, 0, 0, 0, 100000)
    acl.finalize()
    acl.new_process()
    assert mdl.init_dump() == 100001


def test_numpy_numbers_are_no_handles(acl: ModuleType) -> None:
    with pytest.raises(TypeError, match=r"acl.mdl.destroy_dataset args parse failed"):
        acl.mdl.destroy_dataset(np.int64(1))
