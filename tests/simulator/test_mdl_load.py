"""Loading and unloading whole models (MDL-1 to MDL-9, MDL-30 to MDL-32)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from model_program import Program, X, convert, linear, linear_reference
from op_program import add_operator

from ascendtensor import simulator
from ascendtensor.simulator.engine import model_file, optional
from ascendtensor.simulator.engine.compile import build


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    return convert(linear(folder / "net.onnx"), folder / "net", input_shape="x:2,4")


@pytest.fixture(scope="module")
def open_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    return convert(linear(folder / "net.onnx"), folder / "open")


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()


def run(program: Program, model: int) -> bool:
    """Whether the model computes what it should."""
    expected = linear_reference(X)
    target = program.room(expected.nbytes)
    assert program.acl.mdl.execute(model, program.given(X), program.dataset((target, expected.nbytes))) == 0
    return bool(np.array_equal(program.download(target, expected), expected))


def test_four_ways_to_load_give_the_same(program: Program, net: Path) -> None:  # MDL-1
    acl, mdl = program.acl, program.acl.mdl
    data = net.read_bytes()
    address = acl.util.bytes_to_ptr(data)
    work_size, weight_size, ret = mdl.query_size(str(net))
    assert (ret, mdl.query_size_from_mem(address, len(data))) == (0, (work_size, weight_size, 0))
    work, weight = program.room(work_size), program.room(weight_size)
    models = [
        mdl.load_from_file(str(net)),
        mdl.load_from_mem(address, len(data)),
        mdl.load_from_file_with_mem(str(net), work, work_size, weight, weight_size),
        mdl.load_from_mem_with_mem(address, len(data), work, work_size, weight, weight_size),
    ]
    assert [ret for _, ret in models] == [0] * 4
    assert len({model for model, _ in models}) == 4
    assert all(run(program, model) for model, _ in models)
    assert all(mdl.unload(model) == 0 for model, _ in models)


def test_bad_files(acl: ModuleType, net: Path, tmp_path: Path) -> None:  # MDL-2, K135, K136, K141
    data = net.read_bytes()
    contents = {
        "foreign": b"\x7fELF" + bytes(200),
        "short": data[:40],
        "cut": data[:-1],
        "longer": data + b"x",
        "damaged": data[:-1] + bytes([data[-1] ^ 1]),
        "version": data[:8] + b"\x63" + data[9:],
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert acl.mdl.load_from_file(str(tmp_path / name)) == (0, 145006), name
        assert acl.mdl.query_size(str(tmp_path / name)) == (0, 0, 145006), name
        assert acl.mdl.load_from_mem(acl.util.bytes_to_ptr(content), len(content)) == (0, 145006), name
    (tmp_path / "empty").write_bytes(b"")
    for name in ("empty", "missing", "."):
        assert acl.mdl.load_from_file(str(tmp_path / name)) == (0, 145002), name
        assert acl.mdl.query_size(str(tmp_path / name)) == (0, 0, 145002), name
    assert acl.mdl.load_from_file("") == (0, 145002)
    assert acl.tables()["models"] == 0 and acl.tables()["other_memory"] == 0


def test_bad_memory(acl: ModuleType, net: Path) -> None:  # MDL-2, MDL-3, K137
    data = net.read_bytes()
    address = acl.util.bytes_to_ptr(data)
    assert acl.mdl.load_from_mem(0, len(data)) == acl.mdl.load_from_mem(address, 0) == (0, 100000)
    assert acl.mdl.query_size_from_mem(0, 8) == (0, 0, 100000)
    device, _ = acl.rt.malloc(len(data), 0)
    acl.rt.memcpy(device, len(data), address, len(data), 1)
    assert acl.mdl.load_from_mem(device, len(data)) == (0, 107000)  # device memory is no host memory
    acl.rt.free(device)


def test_foreign_models_are_refused_with_the_reason(acl: ModuleType, tmp_path: Path) -> None:
    files = {"board": b"IMOD" + bytes(252), "operator": build(add_operator(4), "Ascend910B1"), "text": b"hello"}
    words = {"board": "CANN's ATC", "operator": "acl.op.load", "text": "convert an ONNX file"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        assert acl.mdl.load_from_file(str(tmp_path / name))[1] == 145006
        assert words[name] in (acl.get_recent_err_msg() or "")


def test_models_need_a_context(net: Path) -> None:
    simulator.init()
    assert simulator.mdl.load_from_file(str(net)) == (0, 107002)


def test_memory_of_the_programs_own(program: Program, net: Path) -> None:  # MDL-4, K138
    acl, mdl = program.acl, program.acl.mdl
    work_size, weight_size, _ = mdl.query_size(str(net))
    work, weight = program.room(work_size), program.room(weight_size + 32)
    before = acl.tables()["other_memory"]
    for arguments in ((work, work_size - 1, weight, weight_size), (work, work_size, weight, weight_size - 1)):
        assert mdl.load_from_file_with_mem(str(net), *arguments) == (0, 145000)
    assert mdl.load_from_file_with_mem(str(net), work, work_size, weight + 4, weight_size) == (0, 145000)  # not aligned
    host, _ = acl.rt.malloc_host(weight_size)
    assert mdl.load_from_file_with_mem(str(net), work, work_size, host, weight_size) == (0, 107000)
    acl.rt.free_host(host)
    one, _ = mdl.load_from_file_with_mem(str(net), work, work_size, weight, weight_size)
    other, _ = mdl.load_from_file_with_mem(str(net), 0, 0, weight, weight_size)  # shared weights, the system's work memory
    assert run(program, one) and run(program, other)
    assert mdl.unload(one) == mdl.unload(other) == 0
    assert acl.tables()["other_memory"] == before
    assert acl.findings() == []


def test_misused_memory_of_the_programs_own_is_reported(program: Program, net: Path) -> None:  # MDL-4, MDL-32
    acl, mdl = program.acl, program.acl.mdl
    work_size, weight_size, _ = mdl.query_size(str(net))
    weight = program.room(weight_size)
    model, _ = mdl.load_from_file_with_mem(str(net), 0, 0, weight, weight_size)
    program.write(weight, np.zeros(8, np.uint8))
    assert mdl.unload(model) == 0
    work, _ = acl.rt.malloc(work_size, 0)
    model, _ = mdl.load_from_file_with_mem(str(net), work, work_size, 0, 0)
    acl.rt.free(work)
    inputs, outputs = program.given(X), program.dataset((program.room(24), 24))
    assert mdl.execute(model, inputs, outputs) == 507011
    assert mdl.unload(model) == 0
    assert [finding.kind for finding in acl.findings()] == ["overwritten in flight", "freed in flight"]


def test_open_shapes_take_memory_of_the_systems(program: Program, open_net: Path) -> None:  # MDL-5
    model, ret = program.acl.mdl.load_from_file_with_mem(str(open_net), 12345, 1, 0, 0)  # the work pointer is ignored
    assert ret == 0
    assert program.acl.mdl.unload(model) == 0


def test_ids_are_known_to_the_whole_process(program: Program, net: Path) -> None:  # MDL-9, K142, K143
    mdl = program.acl.mdl
    model = program.load(net)
    desc, inputs = mdl.create_desc(), program.dataset()
    for unknown in (0, model + 1, 1 << 31):
        assert mdl.get_desc(desc, unknown) == 145003
        assert mdl.execute(unknown, inputs, inputs) == mdl.execute_async(unknown, inputs, inputs, 0) == 145003
        assert mdl.unload(unknown) == 145003
    assert mdl.unload(model) == 0
    assert mdl.unload(model) == 145003
    assert "use after destroy" in [finding.kind for finding in program.acl.findings()]
    mdl.destroy_desc(desc)


def test_a_model_in_another_context_is_reported(program: Program, net: Path) -> None:  # MDL-9
    acl = program.acl
    model = program.load(net)
    context, _ = acl.rt.create_context(0)
    assert run(program, model)
    assert [finding.kind for finding in acl.findings()] == ["model of another context"]
    acl.mdl.unload(model)
    acl.rt.destroy_context(context)
    acl.rt.set_device(0)


def test_a_model_whose_context_is_gone(acl: ModuleType, net: Path) -> None:
    context, _ = acl.rt.create_context(0)
    model, _ = acl.mdl.load_from_file(str(net))
    acl.rt.destroy_context(context)
    acl.rt.set_device(0)
    dataset = acl.mdl.create_dataset()
    assert acl.mdl.execute(model, dataset, dataset) == 107002
    assert acl.mdl.unload(model) == 0
    acl.mdl.destroy_dataset(dataset)


def test_no_room_for_the_weights(program: Program, net: Path) -> None:
    acl = program.acl
    free, _, _ = acl.rt.get_mem_info(1)
    rest = program.room(free - 256)
    assert acl.mdl.load_from_file(str(net)) == (0, 245000)
    assert acl.tables()["models"] == acl.tables()["other_memory"] == 0
    acl.rt.free(rest)
    program.memory.remove(rest)


# Unloading


def test_a_bundles_id_is_no_models(acl: ModuleType, net: Path) -> None:  # MDL-30
    data = acl.model_bundle([net.read_bytes()])
    bundle, ret = acl.mdl.bundle_load_from_mem(acl.util.bytes_to_ptr(data), len(data))
    assert ret == 0
    assert acl.mdl.unload(bundle) == 145003
    assert acl.findings() == []  # nothing was destroyed
    assert acl.mdl.bundle_unload(bundle) == 0


@pytest.mark.parametrize("which", [0, 1])
def test_a_dataset_that_a_queued_run_was_given(program: Program, net: Path, which: int) -> None:  # MDL-17
    acl = program.acl
    model = program.load(net)
    stream, _ = acl.rt.create_stream()
    expected = linear_reference(X)
    target = program.room(expected.nbytes)
    datasets = program.given(X), program.dataset((target, expected.nbytes))
    unused = acl.mdl.create_dataset()
    assert acl.mdl.execute_async(model, *datasets, stream) == 0
    assert acl.mdl.destroy_dataset(unused) == 0
    assert acl.findings() == []
    buffer = acl.mdl.get_dataset_buffer(datasets[which], 0)
    assert acl.mdl.destroy_dataset(datasets[which]) == 0
    assert [finding.kind for finding in acl.findings()] == ["dataset destroyed in flight"]
    assert acl.destroy_data_buffer(buffer) == 0
    program.datasets.remove(datasets[which])
    assert acl.rt.synchronize_stream(stream) == 0
    assert np.array_equal(program.download(target, expected), expected)
    assert acl.mdl.unload(model) == 0


def test_datasets_may_go_once_the_stream_was_waited_for(program: Program, net: Path) -> None:  # MDL-17
    acl = program.acl
    model = program.load(net)
    stream, _ = acl.rt.create_stream()
    target = program.room(24)
    assert acl.mdl.execute_async(model, program.given(X), program.dataset((target, 24)), stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    program.close()
    program.datasets.clear()
    program.memory.clear()
    assert acl.findings() == []


def test_weight_memory_that_queued_work_still_uses(program: Program, net: Path) -> None:  # MDL-4
    acl = program.acl
    work, weight, _ = acl.mdl.query_size(str(net))
    rooms = program.room(work), program.room(weight)
    stream, _ = acl.rt.create_stream()
    source = program.room(weight)
    assert acl.rt.memcpy_async(source, weight, rooms[1], weight, 3, stream) == 0
    model, ret = acl.mdl.load_from_file_with_mem(str(net), rooms[0], work, rooms[1], weight)
    assert ret == 0
    assert [finding.kind for finding in acl.findings()] == ["overwritten in flight"]
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.mdl.unload(model) == 0
    acl.rt.memcpy_async(source, weight, rooms[1], weight, 3, stream)
    acl.rt.synchronize_stream(stream)
    model, ret = acl.mdl.load_from_file_with_mem(str(net), rooms[0], work, rooms[1], weight)
    assert ret == 0 and len(acl.findings()) == 1
    assert acl.mdl.unload(model) == 0


def test_unloading_while_work_is_queued(program: Program, net: Path) -> None:  # MDL-31
    acl = program.acl
    model = program.load(net)
    stream, _ = acl.rt.create_stream()
    expected = linear_reference(X)
    target = program.room(expected.nbytes)
    assert acl.mdl.execute_async(model, program.given(X), program.dataset((target, expected.nbytes)), stream) == 0
    assert acl.mdl.unload(model) == 0
    assert [finding.kind for finding in acl.findings()] == ["model unloaded in flight"]
    assert np.array_equal(program.download(target, expected), expected)
    acl.rt.destroy_stream(stream)


def test_orderly_end_leaves_nothing(acl: ModuleType, net: Path) -> None:  # MDL-32
    program = Program(acl)
    work_size, weight_size, _ = acl.mdl.query_size(str(net))
    work, weight = program.room(work_size), program.room(weight_size)
    model, _ = acl.mdl.load_from_file_with_mem(str(net), work, work_size, weight, weight_size)
    desc = program.desc(model)
    assert run(program, model)
    assert acl.mdl.unload(model) == acl.mdl.destroy_desc(desc) == 0
    program.close()
    assert acl.rt.reset_device(0) == acl.finalize() == 0
    assert not any(acl.tables().values())
    assert acl.report() == []


def test_leaks_are_reported(acl: ModuleType, net: Path) -> None:
    acl.mdl.load_from_file(str(net))
    acl.mdl.create_desc()
    acl.mdl.create_dataset()
    acl.mdl.create_config_handle()
    acl.mdl.create_aipp(1)
    kinds = {finding.text.split(":")[0] for finding in acl.leaks()}
    assert {"models", "model_descs", "datasets", "model_configs", "aipps"} <= kinds
    acl.rt.reset_device(0)
    acl.finalize()
    assert acl.tables()["models"] == acl.tables()["other_memory"] == 0  # finalize ends them


# Bundles


@pytest.fixture
def bundle(net: Path, open_net: Path, tmp_path: Path) -> Path:
    path = tmp_path / "bundle.om"
    path.write_bytes(model_file.pack_bundle([net.read_bytes(), open_net.read_bytes()]))
    return path


def test_bundles(program: Program, bundle: Path) -> None:  # MDL-30
    mdl = program.acl.mdl
    loaded, ret = mdl.bundle_load_from_file(str(bundle))
    assert ret == 0
    assert mdl.bundle_get_model_num(loaded) == (2, 0)
    model, ret = mdl.bundle_get_model_id(loaded, 0)
    assert ret == 0
    assert mdl.bundle_get_model_id(loaded, 2) == (0, 100000)
    assert run(program, model)
    assert mdl.unload(model) == 100000
    assert mdl.bundle_unload(loaded) == 0
    assert mdl.bundle_unload(loaded) == 145003
    assert mdl.unload(model) == 145003
    data = bundle.read_bytes()
    loaded, ret = mdl.bundle_load_from_mem(program.acl.util.bytes_to_ptr(data), len(data))
    assert (ret, mdl.bundle_unload(loaded)) == (0, 0)
    assert program.acl.tables()["models"] == program.acl.tables()["bundles"] == 0


def test_bundles_and_models_are_told_apart(acl: ModuleType, bundle: Path, net: Path) -> None:
    assert acl.mdl.load_from_file(str(bundle)) == acl.mdl.bundle_load_from_file(str(net)) == (0, 145006)
    assert acl.mdl.bundle_get_model_num(99) == acl.mdl.bundle_get_model_id(99, 0) == (0, 145003)


def test_a_bundle_without_room_loads_nothing(program: Program, bundle: Path) -> None:
    acl = program.acl
    free, _, _ = acl.rt.get_mem_info(1)
    rest = program.room(free - 2048)
    assert acl.mdl.bundle_load_from_file(str(bundle)) == (0, 245000)
    assert acl.tables()["models"] == acl.tables()["bundles"] == acl.tables()["other_memory"] == 0
    acl.rt.free(rest)
    program.memory.remove(rest)


# The extra


def test_without_the_extra_the_error_names_it(acl: ModuleType, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ascendtensor.simulator.engine.onnx_session", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert acl.mdl.load_from_file(str(net)) == (0, 200006)
    assert "ascendtensor[onnx]" in (acl.get_recent_err_msg() or "")
    with pytest.raises(optional.ExtraMissing):
        optional.part("ascendtensor.simulator.engine.onnx_session")
    desc = acl.mdl.create_desc()
    assert acl.mdl.get_desc_from_file(desc, str(net)) == 0  # describing needs nothing
    acl.mdl.destroy_desc(desc)


def test_importing_the_simulator_imports_no_onnx() -> None:
    program = "import sys, ascendtensor.simulator.mdl; print([name for name in sys.modules if name.startswith('onnx')])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


API: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(name for name in API if name.startswith("acl.mdl.") and API[name]["returns"]))
def test_planned_faults_reach_every_function(acl: ModuleType, name: str) -> None:
    samples: dict[str, Any] = {"int": 0, "str": "", "float": 0.0, "int|str": 0, "dict": {"dimCount": 0, "dims": []}, "callable": print}
    arguments = [samples[param.partition(":")[2].rstrip("?")] for param in API[name]["params"]]
    with acl.faults.plan(name, code=500000) as plan:
        result = getattr(acl.mdl, name.rpartition(".")[2])(*arguments)
    assert plan.fired == 1
    results = result if isinstance(result, tuple) else (result,)
    assert isinstance(result, tuple) == (API[name]["return_shape"] == "tuple") and len(results) == len(API[name]["returns"])
    assert results[-1] == (500000 if "ret:int" in API[name]["returns"] else results[-1])


def test_leaks_tell_where_a_model_was_loaded(acl: ModuleType, net: Path) -> None:
    acl.trace()
    try:
        model, _ = acl.mdl.load_from_file(str(net))
        (leak,) = [finding for finding in acl.leaks() if finding.text.startswith("models:")]
        assert Path(__file__).name in leak.origin
        acl.mdl.unload(model)
    finally:
        acl.trace(False)


@pytest.mark.parametrize(
    ("chip", "code"),
    [("Ascend910B4-1", 0), ("Ascend910_9391", 0), ("Ascend310B4", 500002), ("Ascend310P3", 500002), ("Ascend910A", 500002)],
)
def test_a_model_of_another_chip_is_refused(net: Path, chip: str, code: int) -> None:  # GEN-2
    simulator.configure(soc=chip)
    assert (simulator.init(), simulator.rt.set_device(0)) == (0, 0)
    mdl, data = simulator.mdl, net.read_bytes()
    address = simulator.util.bytes_to_ptr(data)
    config = mdl.create_config_handle()
    assert mdl.set_config_opt(config, 1, 1) == mdl.set_config_opt(config, 2, str(net)) == 0
    bundle = simulator.model_bundle([data])
    roads = [
        mdl.load_from_file(str(net)),
        mdl.load_from_mem(address, len(data)),
        mdl.load_from_file_with_mem(str(net), 0, 0, 0, 0),
        mdl.load_from_mem_with_mem(address, len(data), 0, 0, 0, 0),
        mdl.load_with_config(config),
        mdl.bundle_load_from_mem(simulator.util.bytes_to_ptr(bundle), len(bundle)),
    ]
    assert [ret for _, ret in roads] == [code] * len(roads)
    assert all(bool(model) == (code == 0) for model, _ in roads)
    assert mdl.query_size(str(net))[-1] == mdl.get_desc_from_file(mdl.create_desc(), str(net)) == 0  # what the file says can be read
    said = simulator.get_recent_err_msg() or ""
    for part in ("E10001: Value [Ascend910B1] for parameter [soc_version]", f"--soc_version={chip}", "ASCENDTENSOR_SIM_SOC=Ascend910B1"):
        assert (part in said) == bool(code)
