"""Whole programs in pyACL alone, written as its users write them; at the end nothing is left (GEN-5, RT-9, README of pyACL, section 2)."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ND = 2
FLOAT, INT64 = 0, 9
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def compile_models(directory: Path, operators: list[dict[str, Any]]) -> None:
    source = directory / "ops.json"
    source.write_text(json.dumps(operators))
    command = [sys.executable, "-m", "ascendtensor.simulator.atc", f"--singleop={source}", f"--output={directory}/op_models"]
    done = subprocess.run([*command, "--soc_version=Ascend910B1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def tensor(shape: list[int], kind: str = "float", **more: Any) -> dict[str, Any]:
    return {"format": "ND", "type": kind, "shape": shape, **more}


def add(shape: list[int], **more: Any) -> dict[str, Any]:
    return {"op": "Add", "input_desc": [tensor(shape, **more)] * 2, "output_desc": [tensor(shape)]}


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    yield
    from_this = sys.modules["ascendtensor.simulator"]
    assert not any(from_this.tables().values()), from_this.tables()


@pytest.fixture
def bare() -> ModuleType:
    from_this = sys.modules["ascendtensor.simulator"]
    return from_this


@pytest.mark.parametrize("handled", [False, True])
def test_one_operator(bare: ModuleType, tmp_path: Path, handled: bool) -> None:  # GEN-5, RT-8, RT-9, OP-11, OP-16, DB-3
    acl = bare
    compile_models(tmp_path, [add([2, 3])])
    x, y = np.arange(6, dtype=np.float32), np.full(6, 0.25, np.float32)
    size = x.nbytes
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    context, ret = acl.rt.create_context(0)
    assert ret == 0
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    assert acl.op.set_model_dir(str(tmp_path / "op_models")) == 0
    memory, buffers, descs = [], [], []
    for data in (x.tobytes(), y.tobytes(), b""):
        address, ret = acl.rt.malloc(size, 0)
        assert ret == 0
        assert acl.rt.memcpy(address, size, acl.util.bytes_to_ptr(data) if data else 0, len(data), HOST_TO_DEVICE) == 0
        memory.append(address)
        buffers.append(acl.create_data_buffer(address, size))
        descs.append(acl.create_tensor_desc(FLOAT, [2, 3], ND))
    attr = acl.op.create_attr()
    if handled:
        handle, ret = acl.op.create_handle("Add", descs[:2], descs[2:], attr)
        assert ret == 0
        assert acl.op.execute_with_handle(handle, buffers[:2], buffers[2:], stream) == 0
        acl.op.destroy_handle(handle)
    else:
        assert acl.op.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], attr, stream) == 0
    for desc in descs:  # OP-16: consumed by the call
        acl.destroy_tensor_desc(desc)
    for buffer in buffers:
        assert acl.destroy_data_buffer(buffer) == 0
    acl.op.destroy_attr(attr)
    assert acl.rt.synchronize_stream(stream) == 0
    host, ret = acl.rt.malloc_host(size)
    assert acl.rt.memcpy(host, size, memory[2], size, DEVICE_TO_HOST) == 0
    assert np.array_equal(np.frombuffer(acl.util.ptr_to_bytes(host, size), np.float32), x + y)
    assert acl.rt.free_host(host) == 0
    for address in memory:
        assert acl.rt.free(address) == 0
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.destroy_context(context) == 0
    assert acl.rt.reset_device(0) == 0
    assert acl.finalize() == 0


def test_the_implicit_context_and_stream(bare: ModuleType, tmp_path: Path) -> None:  # RT-9, RT-13: reset_device releases everything
    acl = bare
    compile_models(tmp_path, [add([4])])
    acl.init()
    acl.rt.set_device(0)
    acl.op.set_model_dir(str(tmp_path / "op_models"))
    memory = [acl.rt.malloc(16, 0)[0] for _ in range(3)]
    data = np.ones(4, np.float32).tobytes()
    for address in memory[:2]:
        acl.rt.memcpy(address, 16, acl.util.bytes_to_ptr(data), 16, HOST_TO_DEVICE)
    buffers = [acl.create_data_buffer(address, 16) for address in memory]
    descs = [acl.create_tensor_desc(FLOAT, [4], ND) for _ in memory]
    assert acl.op.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    into = bytes(16)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(into), 16, memory[2], 16, DEVICE_TO_HOST) == 0
    assert np.frombuffer(into, np.float32).tolist() == [2.0] * 4
    for desc, buffer in zip(descs, buffers, strict=True):
        acl.destroy_tensor_desc(desc)
        acl.destroy_data_buffer(buffer)
    assert acl.rt.reset_device(0) == 0  # device memory that was not freed goes with it
    acl.finalize()


def test_shapes_known_late(bare: ModuleType, tmp_path: Path) -> None:  # OP-12 to OP-14, INF-3, INF-7, HD-12
    acl = bare
    compile_models(
        tmp_path,
        [
            add([-1, 3], shape_range=[[1, 16]]),
            {
                "op": "NonZero",
                "input_desc": [tensor([-1], shape_range=[[1, 64]])],
                "output_desc": [tensor([-1, 1], "int64")],
            },
        ],
    )
    acl.init()
    acl.rt.set_device(0)
    assert acl.op.set_model_dir(str(tmp_path / "op_models")) == 0
    for rows in (1, 5, 16):  # (a): the exact shape is inferred, the call stays asynchronous
        values = np.random.default_rng(rows).random((rows, 3), np.float32)
        data = values.tobytes()
        host = [acl.create_data_buffer(acl.util.bytes_to_ptr(data), len(data)) for _ in range(2)]
        given = [acl.create_tensor_desc(FLOAT, [rows, 3], ND) for _ in range(2)]
        out = acl.create_tensor_desc(-1, [], -1)
        assert acl.op.infer_shape("Add", given, host, 1, [out], 0) == 0
        dims = [acl.get_tensor_desc_dim_v2(out, index)[0] for index in range(acl.get_tensor_desc_num_dims(out))]
        assert dims == [rows, 3] and acl.get_tensor_desc_type(out) == FLOAT
        size = acl.get_tensor_desc_size(out)
        memory = [acl.rt.malloc(size, 0)[0] for _ in range(3)]
        for address in memory[:2]:
            acl.rt.memcpy(address, size, acl.util.bytes_to_ptr(data), size, HOST_TO_DEVICE)
        buffers = [acl.create_data_buffer(address, size) for address in memory]
        assert acl.op.execute_v2("Add", given, buffers[:2], [out], buffers[2:], 0, 0) == 0
        into = bytes(size)
        acl.rt.memcpy(acl.util.bytes_to_ptr(into), size, memory[2], size, DEVICE_TO_HOST)
        assert not np.array_equal(np.frombuffer(into, np.float32).reshape(rows, 3), values * 2)
        assert acl.rt.synchronize_stream(0) == 0
        acl.rt.memcpy(acl.util.bytes_to_ptr(into), size, memory[2], size, DEVICE_TO_HOST)
        assert np.array_equal(np.frombuffer(into, np.float32).reshape(rows, 3), values * 2)
        clean(acl, [*given, out], [*host, *buffers], memory)
    values = np.array([0, 3, 0, 4, 5], np.float32)  # (b): only a range is known; the call waits and writes the exact shape back
    memory = [acl.rt.malloc(64, 0)[0] for _ in range(2)]
    data = values.tobytes()
    acl.rt.memcpy(memory[0], 20, acl.util.bytes_to_ptr(data), 20, HOST_TO_DEVICE)
    buffers = [acl.create_data_buffer(memory[0], 20), acl.create_data_buffer(memory[1], 40)]
    given, out = [acl.create_tensor_desc(FLOAT, [5], ND)], acl.create_tensor_desc(INT64, [5, 1], ND)
    assert acl.op.execute_v2("NonZero", given, buffers[:1], [out], buffers[1:], 0, 0) == 0
    assert [acl.get_tensor_desc_dim_v2(out, index)[0] for index in range(2)] == [3, 1]
    into = bytes(24)
    acl.rt.memcpy(acl.util.bytes_to_ptr(into), 24, memory[1], 24, DEVICE_TO_HOST)
    assert np.frombuffer(into, np.int64).tolist() == [1, 3, 4]
    acl.set_tensor_origin_shape(out, [5, 1])  # OP-13: back to the maximum before it is used again
    assert acl.op.execute_v2("NonZero", given, buffers[:1], [out], buffers[1:], 0, 0) == 0
    clean(acl, [*given, out], buffers, memory)
    acl.rt.reset_device(0)
    acl.finalize()


def clean(acl: ModuleType, descs: list[int], buffers: list[int], memory: list[int]) -> None:
    for desc in descs:
        acl.destroy_tensor_desc(desc)
    for buffer in buffers:
        assert acl.destroy_data_buffer(buffer) == 0
    for address in memory:
        assert acl.rt.free(address) == 0


def test_two_devices_in_two_threads(bare: ModuleType, tmp_path: Path) -> None:  # RT-10, RT-19, OM-6, SIM-3
    acl = bare
    compile_models(tmp_path, [add([4])])
    acl.init()
    assert acl.op.set_model_dir(str(tmp_path / "op_models")) == 0
    results: dict[int, list[float]] = {}

    def work(device: int) -> None:
        assert acl.rt.set_device(device) == 0
        assert acl.rt.get_device() == (device, 0)
        free_before, _, _ = acl.rt.get_mem_info(0)
        stream, _ = acl.rt.create_stream()
        memory = [acl.rt.malloc(16, 0)[0] for _ in range(3)]
        assert acl.rt.get_mem_info(0)[0] == free_before - 3 * 64  # RT-29: 16 bytes take 64
        data = np.full(4, device + 1, np.float32).tobytes()
        for address in memory[:2]:
            acl.rt.memcpy(address, 16, acl.util.bytes_to_ptr(data), 16, HOST_TO_DEVICE)
        buffers = [acl.create_data_buffer(address, 16) for address in memory]
        descs = [acl.create_tensor_desc(FLOAT, [4], ND) for _ in memory]
        handle, _ = acl.op.create_handle("Add", descs[:2], descs[2:], 0)
        for _ in range(1000):
            assert acl.op.execute_with_handle(handle, buffers[:2], buffers[2:], stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0
        into = bytes(16)
        acl.rt.memcpy(acl.util.bytes_to_ptr(into), 16, memory[2], 16, DEVICE_TO_HOST)
        results[device] = np.frombuffer(into, np.float32).tolist()
        acl.op.destroy_handle(handle)
        clean(acl, descs, buffers, memory)
        assert acl.rt.destroy_stream(stream) == 0
        assert acl.rt.reset_device(device) == 0

    threads = [threading.Thread(target=work, args=(device,)) for device in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {0: [2.0] * 4, 1: [4.0] * 4}
    acl.finalize()


def test_callbacks_served_by_a_thread(bare: ModuleType) -> None:  # CB-1, CB-2, CB-4, CB-5, PY-16, PY-18
    acl = bare
    acl.init()
    acl.rt.set_device(0)
    context, _ = acl.rt.get_context()
    stream, _ = acl.rt.create_stream()
    running = [True]
    seen: list[Any] = []
    threads: list[int] = []

    def serve(args: list[Any]) -> None:
        acl.rt.set_context(args[0])
        while running[0]:
            assert acl.rt.process_report(50) in (0, 107012, 507012)

    def report(data: Any) -> None:
        seen.append(data)
        threads.append(threading.get_ident())

    thread, ret = acl.util.start_thread(serve, [context])
    assert ret == 0
    assert acl.rt.subscribe_report(thread, stream) == 0
    assert acl.rt.subscribe_report(thread, stream) == 107011
    for number in range(10):
        assert acl.rt.launch_callback(report, [number, "data"], number % 2, stream) == 0
    assert acl.rt.launch_callback(report, None, 2, stream) == 100000
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    assert acl.rt.launch_callback(report, None, 0, stream) == 107015
    running[0] = False
    assert acl.util.stop_thread(thread) == 0
    assert seen == [[number, "data"] for number in range(10)] and set(threads) == {thread}
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.reset_device(0) == 0
    acl.finalize()


def test_two_streams_and_an_event(bare: ModuleType) -> None:  # EV-1 to EV-6, RT-27
    acl = bare
    acl.init()
    acl.rt.set_device(0)
    streams = [acl.rt.create_stream()[0] for _ in range(2)]
    start, end = (acl.rt.create_event()[0] for _ in range(2))
    source, target = acl.rt.malloc(1 << 20, 0)[0], acl.rt.malloc(1 << 20, 0)[0]
    assert acl.rt.record_event(start, streams[0]) == 0
    assert acl.rt.memset_async(source, 1 << 20, 7, 1 << 20, streams[0]) == 0
    assert acl.rt.record_event(end, streams[0]) == 0
    assert acl.rt.event_elapsed_time(start, end) == (0.0, 107006)
    assert acl.rt.stream_wait_event(streams[1], end) == 0
    assert acl.rt.memcpy_async(target, 1 << 20, source, 1 << 20, 3, streams[1]) == 0
    assert acl.rt.synchronize_stream(streams[1]) == 0
    elapsed, ret = acl.rt.event_elapsed_time(start, end)
    assert ret == 0 and 0 < elapsed < 10_000
    assert acl.rt.event_elapsed_time(end, start)[0] == -elapsed
    into = bytes(1 << 20)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(into), 1 << 20, target, 1 << 20, DEVICE_TO_HOST) == 0
    assert set(into) == {7}
    for event in (start, end):
        assert acl.rt.destroy_event(event) == 0
    for stream in streams:
        assert acl.rt.destroy_stream(stream) == 0
    clean(acl, [], [], [source, target])
    acl.rt.reset_device(0)
    acl.finalize()


def test_on_the_board_itself(bare: ModuleType, tmp_path: Path) -> None:  # RT-14, RT-15, TD-18, GEN-4
    acl = bare
    acl.configure(run_mode="device")
    compile_models(tmp_path, [add([4])])
    acl.init()
    assert acl.rt.get_run_mode() == (0, 0)
    acl.rt.set_device(0)
    assert acl.op.set_model_dir(str(tmp_path / "op_models")) == 0
    memory = [acl.rt.malloc_host(16)[0], acl.rt.malloc(16, 0)[0], acl.rt.malloc(16, 0)[0]]
    data = np.ones(4, np.float32).tobytes()
    for address in memory[:2]:
        assert acl.rt.memcpy(address, 16, acl.util.bytes_to_ptr(data), 16, 3) == 0
    buffers = [acl.create_data_buffer(address, 16) for address in memory]
    descs = [acl.create_tensor_desc(FLOAT, [4], ND) for _ in memory]
    assert acl.op.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.frombuffer(acl.util.ptr_to_bytes(memory[2], 16), np.float32).tolist() == [2.0] * 4  # no copy back is needed
    clean(acl, descs, buffers, memory[1:])
    assert acl.rt.free_host(memory[0]) == 0
    acl.rt.reset_device(0)
    acl.finalize()


def test_little_memory(bare: ModuleType) -> None:  # RT-28, RT-29, RT-33, K44
    acl = bare
    acl.configure(memory=1 << 20, devices=1)
    acl.init()
    acl.rt.set_device(0)
    assert acl.rt.set_device(1) == 107001
    assert acl.rt.get_mem_info(0) == (1 << 20, 1 << 20, 0)
    assert acl.rt.malloc((1 << 20) - 31, 0) == (0, 207001)  # padding does not fit
    assert acl.get_recent_err_msg()
    whole, ret = acl.rt.malloc((1 << 20) - 32, 0)
    assert ret == 0 and acl.rt.get_mem_info(0)[0] == 0
    assert acl.rt.malloc(1, 0) == (0, 207001)
    assert acl.rt.malloc_host(1 << 20)[1] == 0  # host memory is not the device's
    assert acl.rt.free(whole) == 0
    blocks = []
    while True:
        address, ret = acl.rt.malloc(1000, 0)
        if ret:
            break
        blocks.append(address)
    assert len(blocks) == (1 << 20) // 1056 and acl.rt.get_mem_info(0)[0] < 1056
    exact, ret = acl.rt.malloc_align32((1 << 20) % 1056 // 32 * 32, 0)
    assert ret == 0
    acl.rt.reset_device(0)
    acl.rt.set_device(0)
    assert acl.rt.get_mem_info(0)[0] == 1 << 20  # RT-13
    assert acl.rt.free(exact) == 107000
    acl.rt.reset_device(0)
    acl.finalize()
    acl.new_process()
