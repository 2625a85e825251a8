"""Running whole models (MDL-19 to MDL-29)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_program import Program, X, Y, convert, linear, linear_reference, save, value
from onnx import TensorProto, helper

from ascendtensor import simulator
from ascendtensor.simulator.engine import model_runs, whole_models


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def net(folder: Path) -> Path:
    return convert(linear(folder / "net.onnx"), folder / "net", input_shape="x:2,4")


@pytest.fixture(scope="module")
def open_net(folder: Path) -> Path:
    return convert(linear(folder / "open.onnx"), folder / "open", input_shape="x:1~64,4")


@pytest.fixture(scope="module")
def batches(folder: Path) -> Path:
    return convert(linear(folder / "batches.onnx"), folder / "batches", input_shape="x:-1,4", dynamic_batch_size="1,2,8")


@pytest.fixture(scope="module")
def images(folder: Path) -> Path:
    path = save(folder / "images.onnx", [helper.make_node("Neg", ["x"], ["y"], "n")], [value("x", [1, 1, "h", "w"])], [value("y", None)])
    return convert(path, folder / "images", input_shape="x:1,1,-1,-1", dynamic_image_size="2,3;4,2")


@pytest.fixture(scope="module")
def gears(folder: Path) -> Path:
    path = save(
        folder / "dims.onnx", [helper.make_node("Add", ["a", "b"], ["y"], "s")], [value("a", ["n", 3]), value("b", [3])], [value("y", None)]
    )
    return convert(path, folder / "dims", input_shape="a:-1,3;b:3", dynamic_dims="1;4", input_format="ND")


@pytest.fixture(scope="module")
def nonzero(folder: Path) -> Path:
    """A model whose output's dims depend on values."""
    path = save(
        folder / "nz.onnx", [helper.make_node("NonZero", ["x"], ["y"], "nz")], [value("x", [4])], [value("y", None, TensorProto.INT64)]
    )
    return convert(path, folder / "nz")


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()
    for model in list(whole_models.MODELS):
        acl.mdl.unload(model)


class Call:
    """A model with its datasets."""

    def __init__(self, program: Program, path: Path, x: Any = X, y: Any = Y) -> None:
        self.program, self.acl = program, program.acl
        self.model = program.load(path)
        self.source = program.upload(x)
        self.target = program.room(y.nbytes)
        self.y = y
        self.inputs = program.dataset((self.source, x.nbytes))
        self.outputs = program.dataset((self.target, y.nbytes))

    def right(self) -> bool:
        return bool(np.array_equal(self.program.download(self.target, self.y), self.y))


# Synchronous


def test_execute_blocks_until_the_results_are_there(program: Program, net: Path) -> None:  # MDL-21
    call = Call(program, net)
    assert program.acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert call.right()


def test_results_equal_onnx_runtimes(program: Program, net: Path, folder: Path) -> None:
    call = Call(program, net)
    program.acl.mdl.execute(call.model, call.inputs, call.outputs)
    session = onnxruntime.InferenceSession(str(folder / "net.onnx"))
    assert program.download(call.target, Y).tobytes() == session.run(None, {"x": X})[0].tobytes()


def test_a_run_that_has_begun_outlives_its_model(  # MDL-31
    program: Program, net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mdl, call = program.acl.mdl, Call(program, net)
    monkeypatch.setattr(model_runs, "_check_hazards", lambda run: mdl.unload(call.model))  # as another thread may at this point
    assert mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert call.right()
    assert mdl.execute(call.model, call.inputs, call.outputs) == 145003


def test_execute_waits_for_no_stream(program: Program, net: Path) -> None:  # MDL-21
    acl, call = program.acl, Call(program, net)
    acl.rt.memset(call.source, 32, 0, 32)
    pinned, _ = acl.rt.malloc_host(32)
    assert acl.rt.memset_async(call.source, 32, 1, 32, 0) == 0
    assert acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert not program.download(call.target, Y).any()  # of the zeros
    assert acl.findings()[0].kind == "read too early"
    acl.rt.synchronize_stream(0)
    acl.rt.free_host(pinned)


def test_the_first_run_decides_whether_runs_wait(program: Program, net: Path) -> None:  # hicann/ge, davinci_model.cc, InitModelStream
    acl, waits, queued = program.acl, Call(program, net), Call(program, net)
    config = acl.mdl.create_exec_config_handle()
    for _ in range(2):
        assert acl.mdl.execute(waits.model, waits.inputs, waits.outputs) == 0
        assert acl.mdl.execute_async(waits.model, waits.inputs, waits.outputs, 0) == 500002
        assert "load it once more" in (acl.get_recent_err_msg() or "")
        assert acl.mdl.execute_async(queued.model, queued.inputs, queued.outputs, 0) == 0
        assert acl.mdl.execute(queued.model, queued.inputs, queued.outputs) == 500002
        assert acl.mdl.execute_v2(queued.model, queued.inputs, queued.outputs, 0, config) == 500002
        assert acl.mdl.execute_v2(waits.model, waits.inputs, waits.outputs, 0, config) == 0
    assert acl.rt.synchronize_stream(0) == acl.mdl.destroy_exec_config_handle(config) == 0
    assert waits.right() and queued.right()


def test_order_of_the_checks(program: Program, net: Path) -> None:  # MDL-21, K150
    acl, call = program.acl, Call(program, net)
    for arguments in ((99, 0, call.outputs), (99, call.inputs, 0)):
        assert acl.mdl.execute(*arguments) == acl.mdl.execute_async(*arguments, 0) == 100000
    gone = acl.create_data_buffer(call.source, 32)
    broken = acl.mdl.create_dataset()
    acl.mdl.add_dataset_buffer(broken, gone)
    acl.destroy_data_buffer(gone)
    assert acl.mdl.execute(call.model, broken, call.outputs) == 100000
    assert acl.mdl.execute(call.model, call.inputs, broken) == 100000
    acl.mdl.destroy_dataset(broken)


def test_counts_and_sizes_of_buffers(program: Program, net: Path) -> None:  # MDL-22, K151, K152
    acl, call = program.acl, Call(program, net)
    two = program.dataset((call.source, 32), (call.source, 32))
    for arguments in ((two, call.outputs), (call.inputs, two), (program.dataset(), call.outputs)):
        assert acl.mdl.execute(call.model, *arguments) == 500002
        assert acl.mdl.execute_async(call.model, *arguments, 0) == 500002
    big = convert(linear(net.parent / "big.onnx"), net.parent / "big", input_shape="x:32,4")
    x = np.ones((32, 4), np.float32)
    large = Call(program, big, x, linear_reference(x))
    for short, code in ((64, 0), (65, 500002)):
        assert acl.mdl.execute(large.model, program.dataset((large.source, x.nbytes - short)), large.outputs) == code
        assert acl.mdl.execute(large.model, large.inputs, program.dataset((large.target, large.y.nbytes - short))) == code
    longer = program.dataset((program.room(x.nbytes + 500), x.nbytes + 500))
    assert acl.mdl.execute(large.model, longer, large.outputs) == 0


def test_output_memory_of_the_systems(program: Program, net: Path) -> None:  # MDL-24
    acl, call = program.acl, Call(program, net)
    buffer = acl.create_data_buffer(0, 0)
    outputs = acl.mdl.create_dataset()
    acl.mdl.add_dataset_buffer(outputs, buffer)
    queued = Call(program, net)
    assert acl.mdl.execute_async(queued.model, queued.inputs, outputs, 0) == 0  # asynchronous calls allocate nothing
    assert acl.rt.synchronize_stream(0) == 507011
    assert acl.get_data_buffer_addr(buffer) == 0
    assert acl.mdl.execute(call.model, call.inputs, outputs) == 0
    address = acl.get_data_buffer_addr(buffer)
    assert acl.get_data_buffer_size_v2(buffer) == Y.nbytes
    assert np.array_equal(program.download(address, Y), Y)
    assert acl.rt.free(address) == acl.update_data_buffer(buffer, 0, 0) == 0
    acl.mdl.destroy_dataset(outputs)
    acl.destroy_data_buffer(buffer)


def test_memory_is_device_memory(program: Program, net: Path) -> None:  # MDL-29
    acl, call = program.acl, Call(program, net)
    queued = Call(program, net)
    host, _ = acl.rt.malloc_host(64)
    for arguments in ((program.dataset((host, 32)), call.outputs), (call.inputs, program.dataset((host, 32)))):
        assert acl.mdl.execute(call.model, *arguments) == 507011
        assert "host memory" in (acl.get_recent_err_msg() or "")
        assert acl.mdl.execute_async(queued.model, *arguments, 0) == 0  # RT-44
        assert acl.rt.synchronize_stream(0) == 507011
    freed, _ = acl.rt.malloc(32, 0)
    acl.rt.free(freed)
    assert acl.mdl.execute(call.model, program.dataset((freed, 32)), call.outputs) == 507011
    acl.rt.free_host(host)


def test_fixed_batches_are_the_callers_to_fill(program: Program, net: Path) -> None:  # MDL-28
    call = Call(program, net)
    part = np.zeros_like(X)
    part[:1] = X[:1]
    program.write(call.source, part)
    assert program.acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert np.array_equal(program.download(call.target, Y)[:1], Y[:1])


def test_failing_graphs(program: Program, folder: Path) -> None:
    path = save(
        folder / "gather.onnx",
        [helper.make_node("Gather", ["table", "i"], ["y"], "g")],
        [value("i", [2], TensorProto.INT64)],
        [value("y", [2])],
        [("table", np.arange(4, dtype=np.float32))],
    )
    model = convert(path, folder / "gather")
    call, queued = (Call(program, model, np.array([0, 9], np.int64), np.zeros(2, np.float32)) for _ in range(2))
    acl = program.acl
    assert acl.mdl.execute(call.model, call.inputs, call.outputs) == 507011
    assert "gather" in (acl.get_recent_err_msg() or "")
    stream, _ = acl.rt.create_stream()
    assert acl.mdl.execute_async(queued.model, queued.inputs, queued.outputs, stream) == 0  # RT-44
    assert acl.rt.synchronize_stream(stream) == 507011  # RT-47, RT-48
    assert acl.rt.synchronize_stream(stream) == 0  # RT-45
    acl.rt.destroy_stream(stream)


# Streams


def test_asynchronous_runs_wait_on_their_stream(program: Program, net: Path) -> None:  # MDL-26
    acl, call = program.acl, Call(program, net)
    stream, _ = acl.rt.create_stream()
    acl.rt.memset(call.target, 24, 7, 24)
    pinned, _ = acl.rt.malloc_host(32)
    simulator.engine.memory.host_array(pinned, 32, write=True)[:] = np.frombuffer(X.tobytes(), np.uint8)
    acl.rt.memset(call.source, 32, 0, 32)
    assert acl.rt.memcpy_async(call.source, 32, pinned, 32, 1, stream) == 0
    assert acl.mdl.execute_async(call.model, call.inputs, call.outputs, stream) == 0
    assert not call.right()
    assert acl.rt.synchronize_stream(stream) == 0
    assert call.right()
    acl.rt.free_host(pinned)
    acl.rt.destroy_stream(stream)


def test_streams_that_are_wrong(program: Program, net: Path) -> None:
    acl, call = program.acl, Call(program, net)
    first, _ = acl.rt.get_context()
    other, _ = acl.rt.create_context(0)
    foreign, _ = acl.rt.create_stream()
    acl.rt.set_context(first)
    assert acl.mdl.execute_async(call.model, call.inputs, call.outputs, foreign) == 107003
    assert acl.mdl.execute_async(call.model, call.inputs, call.outputs, 12345) == 107017
    acl.rt.destroy_context(other)


def test_one_model_on_two_streams_is_reported(program: Program, net: Path) -> None:  # MDL-26
    acl, call = program.acl, Call(program, net)
    one, _ = acl.rt.create_stream()
    other, _ = acl.rt.create_stream()
    acl.mdl.execute_async(call.model, call.inputs, call.outputs, one)
    acl.mdl.execute_async(call.model, call.inputs, call.outputs, one)
    assert acl.findings() == []
    acl.mdl.execute_async(call.model, call.inputs, call.outputs, other)
    assert [finding.kind for finding in acl.findings()] == ["model on two streams"]
    for stream in (one, other):
        assert acl.rt.synchronize_stream(stream) == acl.rt.destroy_stream(stream) == 0


def test_findings_are_errors_in_strict_mode(program: Program, net: Path) -> None:
    acl, call = program.acl, Call(program, net)
    stream, _ = acl.rt.create_stream()
    acl.strict()
    try:
        assert acl.mdl.execute_async(call.model, call.inputs, call.outputs, stream) == 0
        with pytest.raises(acl.Misuse, match="still queued"):
            acl.mdl.unload(call.model)
        with pytest.raises(acl.Misuse, match="still writes"):
            program.download(call.target, Y)
        acl.rt.synchronize_stream(stream)
        assert call.right()
    finally:
        acl.strict(False)
    acl.rt.destroy_stream(stream)


def test_execute_v2(program: Program, net: Path) -> None:  # MDL-27, K160
    acl, call = program.acl, Call(program, net)
    stream, _ = acl.rt.create_stream()
    config = acl.mdl.create_exec_config_handle()
    for queue in (stream, 0):
        acl.rt.memset(call.target, 24, 7, 24)
        assert acl.mdl.execute_v2(call.model, call.inputs, call.outputs, queue, config) == 0
        assert call.right()
    assert acl.mdl.execute_v2(call.model, call.inputs, call.outputs, stream, 0) == 100000
    acl.mdl.set_exec_config_opt(config, 0, 1)
    with acl.faults.kernel("net", code=507011):
        assert acl.mdl.execute_v2(call.model, call.inputs, call.outputs, stream, config) == 507011
    nobody = 12345  # a thread that never serves the callback before the run
    acl.rt.subscribe_report(nobody, stream)
    acl.rt.launch_callback(print, None, 1, stream)
    assert acl.mdl.execute_v2(call.model, call.inputs, call.outputs, stream, config) == 507046
    acl.rt.unsubscribe_report(nobody, stream)
    assert acl.rt.synchronize_stream(stream) == 0
    acl.mdl.destroy_exec_config_handle(config)
    acl.rt.destroy_stream(stream)


def test_two_threads_on_one_model_take_turns(program: Program, net: Path) -> None:  # MDL-26
    acl = program.acl
    calls = [Call(program, net)]
    model, context = calls[0].model, acl.rt.get_context()[0]
    xs = [np.full((2, 4), number, np.float32) for number in range(4)]
    parts = [(program.given(x), program.room(24)) for x in xs]
    outputs = [program.dataset((target, 24)) for _, target in parts]
    codes: list[int] = []

    def work(number: int) -> None:
        acl.rt.set_context(context)
        for _ in range(50):
            codes.append(acl.mdl.execute(model, parts[number][0], outputs[number]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 200
    for x, (_, target) in zip(xs, parts, strict=True):
        assert np.array_equal(program.download(target, Y), linear_reference(x))


# Gears


def geared(program: Program, path: Path, *sizes: int) -> tuple[int, int, int, int]:
    """(model, inputs, index and address of the gear's buffer)."""
    model = program.load(path)
    desc = program.desc(model)
    index, ret = program.acl.mdl.get_input_index_by_name(desc, "ascend_mbatch_shape_data")
    assert ret == 0
    rooms = [(program.room(size), size) for size in sizes]
    inputs = program.dataset(*rooms)
    program.acl.mdl.destroy_desc(desc)
    return model, inputs, index, rooms[index][0]


def test_batch_gears(program: Program, batches: Path) -> None:  # MDL-13, MDL-15, MDL-20, K154 to K156
    acl = program.acl
    model, inputs, index, place = geared(program, batches, 128, 8)
    desc = program.desc(model)
    target = program.room(96)
    outputs = program.dataset((target, 96))
    assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [8, 3]  # no gear yet
    assert acl.mdl.execute(model, inputs, outputs) == 507011
    assert "gears [1, 2, 8]" in (acl.get_recent_err_msg() or "")
    set_batch = acl.mdl.set_dynamic_batch_size
    for batch in (1, 8, 2):
        assert set_batch(model, inputs, index, batch) == 0
        assert program.download(place, np.zeros(1, np.int64)).tolist() == [batch]
        assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [batch, 3]
        x = np.random.default_rng(batch).uniform(1, 2, (batch, 4)).astype(np.float32)
        program.write(acl.get_data_buffer_addr(acl.mdl.get_dataset_buffer(inputs, 0)), x)
        assert acl.mdl.execute(model, inputs, outputs) == 0
        assert np.allclose(program.download(target, linear_reference(x)), linear_reference(x))
    assert set_batch(model, inputs, index, 3) == 145013
    assert "[1, 2, 8]" in (acl.get_recent_err_msg() or "")
    assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [2, 3]
    assert set_batch(model, inputs, index, 0) == set_batch(model, inputs, 2, 2) == set_batch(model, 0, index, 2) == 100000
    assert set_batch(99, inputs, index, 2) == 145003
    assert acl.mdl.set_dynamic_hw_size(model, inputs, index, 2, 2) == 145013  # gears of another kind
    for size, code in ((3, 145012), (4, 0)):
        small = program.dataset((place, 128), (place, size))
        assert set_batch(model, small, 1, 2) == code
    assert set_batch(model, program.dataset((place, 8), (0, 8)), 1, 2) == 100000  # no memory
    acl.mdl.destroy_desc(desc)


def test_lengths_are_not_checked_while_a_gear_is_active(program: Program, batches: Path) -> None:  # MDL-22
    acl = program.acl
    model, inputs, index, _ = geared(program, batches, 16, 8)
    outputs = program.dataset((program.room(12), 12))
    assert acl.mdl.execute(model, inputs, outputs) == 500002
    assert acl.mdl.set_dynamic_batch_size(model, inputs, index, 1) == 0
    assert acl.mdl.execute(model, inputs, outputs) == 0
    assert acl.mdl.set_dynamic_batch_size(model, inputs, index, 8) == 0
    assert acl.mdl.execute(model, inputs, outputs) == 507011  # the memory ends


def test_image_gears(program: Program, images: Path) -> None:  # MDL-20, K154
    acl = program.acl
    model, inputs, index, place = geared(program, images, 32, 8)
    target = program.room(32)
    outputs = program.dataset((target, 32))
    x = np.arange(8, dtype=np.float32)
    program.write(acl.get_data_buffer_addr(acl.mdl.get_dataset_buffer(inputs, 0)), x)
    for height, width in ((2, 3), (4, 2)):
        assert acl.mdl.set_dynamic_hw_size(model, inputs, index, height, width) == 0
        assert program.download(place, np.zeros(2, np.int32)).tolist() == [height, width]
        assert acl.mdl.execute(model, inputs, outputs) == 0
        expected = -x[: height * width]
        assert np.array_equal(program.download(target, expected), expected)
    assert acl.mdl.set_dynamic_hw_size(model, inputs, index, 3, 2) == 145013
    assert acl.mdl.set_dynamic_hw_size(model, inputs, index, 0, 2) == acl.mdl.set_dynamic_hw_size(model, inputs, index, 2, 0) == 100000
    assert acl.mdl.set_dynamic_hw_size(model, program.dataset((place, 32), (place, 7)), 1, 2, 3) == 145012


def test_a_longer_buffer_of_a_gear_is_misread(program: Program, images: Path) -> None:  # hicann/ge, SetDynamicImageSize
    acl = program.acl
    model, inputs, index, place = geared(program, images, 32, 16)
    outputs = program.dataset((program.room(32), 32))
    assert acl.mdl.set_dynamic_hw_size(model, inputs, index, 2, 3) == 0
    assert program.download(place, np.zeros(2, np.int64)).tolist() == [2, 3]
    assert acl.mdl.execute(model, inputs, outputs) == 507011
    assert "holds [2, 0]" in (acl.get_recent_err_msg() or "")


def test_gears_of_dims(program: Program, gears: Path) -> None:  # MDL-20, K157
    acl = program.acl
    model, inputs, index, place = geared(program, gears, 48, 12, 8)
    a, b = np.arange(12, dtype=np.float32).reshape(4, 3), np.ones(3, np.float32)
    for position, array in enumerate((a, b)):
        program.write(acl.get_data_buffer_addr(acl.mdl.get_dataset_buffer(inputs, position)), array)
    target = program.room(48)
    outputs = program.dataset((target, 48))

    def choose(dims: list[int], **other: Any) -> int:
        return int(acl.mdl.set_input_dynamic_dims(model, inputs, index, {"dimCount": len(dims), "dims": dims, "name": "", **other}))

    assert choose([4, 3, 3]) == 0
    assert program.download(place, np.zeros(1, np.int64)).tolist() == [4]
    assert acl.mdl.execute(model, inputs, outputs) == 0
    assert np.array_equal(program.download(target, a), a + 1)
    assert choose([]) == choose([1] * 129) == 100000
    assert choose([4, 3]) == choose([4, 2, 3]) == 145012
    assert choose([2, 3, 3]) == 145013
    with pytest.raises(TypeError, match="dims of parameter 4 is not a list"):
        acl.mdl.set_input_dynamic_dims(model, inputs, index, {"dimCount": 1})
    with pytest.raises(TypeError):
        acl.mdl.set_input_dynamic_dims(model, inputs, index, {"dimCount": 1, "dims": (1,)})


def test_gears_are_read_when_the_run_begins(program: Program, batches: Path) -> None:  # MDL-20, MDL-26
    acl = program.acl
    model, inputs, index, _ = geared(program, batches, 128, 8)
    outputs = program.dataset((program.room(96), 96))
    assert acl.mdl.set_dynamic_batch_size(model, inputs, index, 2) == 0
    assert acl.mdl.execute_async(model, inputs, outputs, 0) == 0
    program.write(acl.get_data_buffer_addr(acl.mdl.get_dataset_buffer(inputs, 1)), np.array([5], np.int64))
    assert acl.rt.synchronize_stream(0) == 507011


def test_models_without_gears_have_none_to_set(program: Program, net: Path, open_net: Path) -> None:  # MDL-19, MDL-20
    acl = program.acl
    dataset = program.dataset((program.room(32), 32))
    assert acl.mdl.set_dynamic_batch_size(program.load(net), dataset, 0, 2) == 145013
    assert acl.mdl.set_dynamic_batch_size(program.load(open_net), dataset, 0, 2) == 145003


# Open shapes


def test_open_shapes(program: Program, open_net: Path) -> None:  # MDL-19, MDL-23, MDL-25, K153, K159
    acl = program.acl
    model = program.load(open_net)
    desc = program.desc(model)
    source, target = program.room(64 * 16), program.room(64 * 12)
    inputs, outputs = program.dataset((source, 64 * 16)), program.dataset((target, 64 * 12))
    assert acl.mdl.execute(model, inputs, outputs) == 100000  # no shape yet
    assert "set_dataset_tensor_desc" in (acl.get_recent_err_msg() or "")
    for batch in (1, 5, 64, 5):
        x = np.random.default_rng(batch).uniform(1, 2, (batch, 4)).astype(np.float32)
        program.write(source, x)
        program.shape(inputs, 0, [batch, 4])
        assert acl.mdl.execute(model, inputs, outputs) == 0
        assert program.dims(outputs, 0) == [batch, 3]
        assert np.allclose(program.download(target, linear_reference(x)), linear_reference(x))
    for dims in ([65, 4], [0, 4], [2, 5], [2, 4, 1], [-1, 4]):
        program.shape(inputs, 0, dims)
        assert acl.mdl.execute(model, inputs, outputs) == acl.mdl.execute_async(model, inputs, outputs, 0) == 100000
    program.shape(inputs, 0, [5, 4])
    assert acl.mdl.execute(model, program.dataset(), outputs) == 100000  # too few
    assert acl.mdl.get_cur_output_dims(desc, 0) == ({}, 200001)
    owned = acl.mdl.get_dataset_tensor_desc(outputs, 0)
    assert (acl.get_tensor_desc_type(owned), acl.get_tensor_desc_format(owned)) == (0, 2)
    acl.mdl.destroy_desc(desc)


def test_more_inputs_than_the_model_has_are_ignored(program: Program, open_net: Path) -> None:  # MDL-23
    call = Call(program, open_net)
    inputs = program.dataset((call.source, 32), (call.source, 32))
    program.shape(inputs, 0, [2, 4])
    assert program.acl.mdl.execute(call.model, inputs, call.outputs) == 0
    assert call.right()


def test_too_small_outputs_say_what_is_needed(program: Program, open_net: Path) -> None:  # MDL-23
    acl, call = program.acl, Call(program, open_net)
    program.shape(call.inputs, 0, [2, 4])
    small = program.dataset((call.target, 20))
    assert acl.mdl.execute(call.model, call.inputs, small) == 500002
    assert [finding.kind for finding in acl.findings()] == ["output larger than its buffer"], "a board's kernel has written past its end"
    assert "needs 24 bytes" in (acl.get_recent_err_msg() or "")
    assert acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert acl.mdl.execute(call.model, call.inputs, small) == 500002  # with known dims too


def test_dims_are_known_when_an_asynchronous_call_returns(program: Program, open_net: Path) -> None:  # MDL-25
    acl, call = program.acl, Call(program, open_net)
    program.shape(call.inputs, 0, [2, 4])
    for _ in range(2):  # the first is measured, the second stays queued
        assert acl.mdl.execute_async(call.model, call.inputs, call.outputs, 0) == 0
        assert program.dims(call.outputs, 0) == [2, 3]
    assert acl.rt.synchronize_stream(0) == 0
    assert call.right()


def test_dims_that_depend_on_values(program: Program, nonzero: Path) -> None:  # MDL-25
    acl = program.acl
    model = program.load(nonzero)
    source, target = program.room(16), program.room(32)
    inputs, outputs = program.dataset((source, 16)), program.dataset((target, 32))
    for values in ([1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]):
        program.write(source, np.array(values, np.float32))
        assert acl.mdl.execute(model, inputs, outputs) == 0
        expected = np.array([np.flatnonzero(values)], np.int64)
        assert program.dims(outputs, 0) == list(expected.shape)
        assert np.array_equal(program.download(target, expected), expected)


def test_open_outputs_of_the_systems(program: Program, open_net: Path) -> None:  # MDL-24
    acl, call = program.acl, Call(program, open_net)
    program.shape(call.inputs, 0, [2, 4])
    outputs = program.dataset((0, 0))
    buffer = acl.mdl.get_dataset_buffer(outputs, 0)
    assert acl.mdl.execute(call.model, call.inputs, outputs) == 0
    address = acl.get_data_buffer_addr(buffer)
    assert acl.get_data_buffer_size_v2(buffer) == 64 * 12  # the upper bound
    assert np.array_equal(program.download(address, Y), Y)
    acl.rt.free(address)


def test_outputs_of_unknown_size_of_the_systems(program: Program, nonzero: Path) -> None:  # MDL-24
    acl, model = program.acl, program.load(nonzero)
    source = program.room(16)
    inputs, outputs = program.dataset((source, 16)), program.dataset((0, 0))
    buffer = acl.mdl.get_dataset_buffer(outputs, 0)
    for values in ([1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]):
        program.write(source, np.array(values, np.float32))
        assert acl.mdl.execute(model, inputs, outputs) == 0
        expected = np.array([np.flatnonzero(values)], np.int64)
        address, size = acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)
        assert (program.dims(outputs, 0), size) == (list(expected.shape), expected.nbytes)
        assert np.array_equal(program.download(address, expected), expected)
        assert acl.rt.free(address) == acl.update_data_buffer(buffer, 0, 0) == 0


# In general


@given(st.integers(1, 64), st.booleans())
@settings(max_examples=25)
def test_every_legal_batch_is_computed(batch: int, queued: bool) -> None:
    simulator.new_process()
    simulator.init()
    simulator.rt.set_device(0)
    program = Program(simulator)
    path = convert_once()
    call_x = np.random.default_rng(batch).uniform(1, 2, (batch, 4)).astype(np.float32)
    call = Call(program, path, call_x, linear_reference(call_x))
    program.shape(call.inputs, 0, [batch, 4])
    if queued:
        assert simulator.mdl.execute_async(call.model, call.inputs, call.outputs, 0) == simulator.rt.synchronize_stream(0) == 0
    else:
        assert simulator.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert np.allclose(program.download(call.target, call.y), call.y)
    simulator.mdl.unload(call.model)
    program.close()
    simulator.rt.reset_device(0)
    assert simulator.finalize() == 0
    assert not any(simulator.tables().values())


_made: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _shared(open_net: Path) -> None:
    _made.append(open_net)


def convert_once() -> Path:
    return _made[-1]


def test_empty_tensors(program: Program, folder: Path) -> None:
    path = save(folder / "empty.onnx", [helper.make_node("Neg", ["x"], ["y"], "n")], [value("x", ["n", 2])], [value("y", ["n", 2])])
    model = program.load(convert(path, folder / "empty", input_shape="x:0~4,2"))
    inputs, outputs = program.dataset((program.room(32), 32)), program.dataset((program.room(32), 32))
    program.shape(inputs, 0, [0, 2])
    for _ in range(2):
        assert program.acl.mdl.execute(model, inputs, outputs) == 0
        assert program.dims(outputs, 0) == [0, 2]


def test_inputs_are_read_and_outputs_written_in_place(program: Program, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Call(program, net)
    seen: list[Any] = []
    session = whole_models.MODELS[call.model].session
    original = session.run
    monkeypatch.setattr(session, "run", lambda inputs, outputs: (seen.append((inputs, outputs)), original(inputs, outputs))[1])
    assert program.acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    blocks = {block.address: block.data for block in simulator.engine.memory.blocks()}
    assert seen == [([(blocks[call.source], (2, 4))], [(blocks[call.target], (2, 3))])]


def test_on_the_board_host_and_device_memory_are_one(net: Path) -> None:  # MDL-3, MDL-29, RT-15
    simulator.configure(run_mode="device")
    acl = simulator
    acl.init()
    acl.rt.set_device(0)
    data = net.read_bytes()
    model, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(data), len(data))
    assert ret == 0
    program = Program(acl)
    source, _ = acl.rt.malloc_host(32)  # device memory there
    target, _ = acl.rt.malloc_host(24)
    program.write(source, X)
    assert acl.mdl.execute(model, program.dataset((source, 32)), program.dataset((target, 24))) == 0
    assert np.array_equal(program.download(target, Y), Y)
    acl.rt.free_host(source)
    acl.rt.free_host(target)
    acl.mdl.unload(model)
    program.close()
    acl.rt.reset_device(0)
    acl.finalize()
    assert not any(acl.tables().values())


def test_a_model_can_be_run_on_another_device(net: Path) -> None:  # MDL-29
    acl = simulator
    acl.init()
    acl.rt.set_device(1)
    program = Program(acl)
    call = Call(program, net)
    assert acl.mdl.execute(call.model, call.inputs, call.outputs) == 0
    assert call.right()
    acl.rt.set_device(0)
    foreign = program.dataset((program.room(32), 32))
    acl.rt.set_device(1)
    assert acl.mdl.execute(call.model, foreign, call.outputs) == 507011
    assert "device 0, not to device 1" in (acl.get_recent_err_msg() or "")
    acl.mdl.unload(call.model)
    program.close()
