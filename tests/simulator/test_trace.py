"""What the simulator notices and a board does not tell: findings, leaks, the lines they come from, strict mode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import Add, desc, load, operator, tensor, upload

from ascendtensor import simulator


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    yield
    simulator.strict(False)


def kinds() -> list[str]:
    return [finding.kind for finding in simulator.findings()]


def read_back(acl: ModuleType, address: int, nbytes: int = 16) -> int:
    host, _ = acl.rt.malloc_host(nbytes)
    code: int = acl.rt.memcpy(host, nbytes, address, nbytes, 2)
    acl.rt.free_host(host)
    return code


@pytest.mark.parametrize("handle", [False, True])
def test_read_before_synchronising(acl: ModuleType, handle: bool) -> None:  # RT-37
    add = Add(acl, 4)
    if handle:
        assert acl.op.execute_with_handle(add.handle(), add.inputs, add.outputs, 0) == 0
    else:
        assert add.execute() == 0
    assert read_back(acl, add.addresses[0]) == 0  # an input may be read
    assert kinds() == []
    assert read_back(acl, add.out_address) == 0
    (finding,) = simulator.findings()
    assert finding.kind == "read too early"
    assert finding.line.startswith(__file__)
    assert acl.rt.synchronize_stream(0) == 0
    assert read_back(acl, add.out_address) == 0
    assert len(simulator.findings()) == 1


def test_copies_and_fills_in_flight(acl: ModuleType) -> None:  # RT-37, RT-39, RT-43
    source, target = acl.rt.malloc_host(16)[0], acl.rt.malloc(16, 0)[0]
    assert acl.rt.memcpy_async(target, 16, source, 16, 1, 0) == 0
    assert read_back(acl, target) == 0
    assert kinds() == ["read too early"]
    assert acl.rt.memset(source, 16, 0, 16) == 0  # the pinned source must stay as it is
    assert kinds() == ["read too early", "overwritten in flight"]
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.memset_async(target, 16, 5, 16, 0) == 0
    assert read_back(acl, target) == 0
    assert kinds().count("read too early") == 2


def test_overwritten_in_flight(acl: ModuleType) -> None:
    add = Add(acl, 4)
    assert add.execute() == 0
    data = bytes(16)
    assert acl.rt.memcpy(add.addresses[1], 16, acl.util.bytes_to_ptr(data), 16, 1) == 0
    assert kinds() == ["overwritten in flight"]
    assert "[Add] queued on stream" in simulator.findings()[0].text


@pytest.mark.parametrize("index", [0, 1, 2])
def test_freed_in_flight(acl: ModuleType, index: int) -> None:  # RT-32, OP-15
    add = Add(acl, 4)
    assert add.execute() == 0
    assert acl.rt.free([*add.addresses, add.out_address][index]) == 0
    assert kinds() == ["freed in flight"]
    assert acl.rt.synchronize_stream(0) == 0


def test_freeing_something_else_is_fine(acl: ModuleType) -> None:
    add = Add(acl, 4)
    other, _ = acl.rt.malloc(64, 0)
    assert add.execute() == 0
    assert acl.rt.free(other) == 0
    assert kinds() == []


def test_dynamic_runs_count_too(acl: ModuleType) -> None:  # OP-12
    load(acl, operator("Add", [tensor([-1], shape_range=[[1, 9]])] * 2, [tensor([-1])]))
    add = Add(acl, 4, model=False)
    assert add.execute() == 0
    assert read_back(acl, add.out_address) == 0
    assert acl.rt.free(add.addresses[0]) == 0
    assert kinds()[-1] == "freed in flight"


def test_copy_direction(acl: ModuleType) -> None:  # RT-35
    device, _ = acl.rt.malloc(16, 0)
    host, _ = acl.rt.malloc_host(16)
    data = bytes(16)
    assert acl.rt.memcpy(device, 16, acl.util.bytes_to_ptr(data), 16, 1) == 0
    assert acl.rt.memcpy(device, 16, host, 16, 4) == 0
    assert acl.rt.memcpy(device, 16, host, 16, 5) == 0
    assert kinds() == []
    assert acl.rt.memcpy(device, 16, host, 16, 2) == 0  # succeeds, as on a board
    assert kinds() == ["copy direction"]
    assert acl.rt.memcpy2d(device, 4, host, 4, 4, 4, 2) == 0
    assert kinds() == ["copy direction"] * 2
    assert acl.rt.memcpy_async(device, 16, host, 16, 1, 0) == acl.rt.memcpy2d_async(device, 4, host, 4, 4, 4, 1, 0) == 0
    assert kinds() == ["copy direction"] * 2
    assert acl.rt.memcpy_async(device, 16, host, 16, 2, 0) == 0  # RT-41: corrected
    assert acl.rt.memcpy2d_async(device, 4, host, 4, 4, 4, 3, 0) == 0
    assert acl.rt.memcpy_async_with_condition(device, 16, host, 16, 3, 0) == 0
    assert kinds() == ["copy direction"] * 5
    assert acl.rt.synchronize_stream(0) == 0


def test_pinned_memory_is_read_before_the_copy_arrived(acl: ModuleType) -> None:  # RT-39
    device, host = acl.rt.malloc(16, 0)[0], acl.rt.malloc_host(16)[0]
    assert acl.rt.memcpy_async(host, 16, device, 16, 2, 0) == 0
    acl.util.ptr_to_bytes(host, 16)
    assert kinds() == ["read too early"]
    assert acl.rt.synchronize_stream(0) == 0
    acl.util.ptr_to_bytes(host, 16)
    assert len(kinds()) == 1


def test_output_larger_than_its_buffer(acl: ModuleType) -> None:  # OP-9: up to 63 bytes short pass
    add = Add(acl, 4)
    assert acl.update_data_buffer(add.outputs[0], add.out_address, 12) == 0
    assert add.execute() == 0
    assert kinds() == ["output larger than its buffer"]


def test_update_in_another_buffer(acl: ModuleType) -> None:
    """Graph engine, SingleOpModel::SetInputsAndOutputs: the first buffer that has a place in the model gets it (`emplace`)."""
    load(acl, operator("AssignAdd", [tensor([4])] * 2, [tensor([4])], ("use_locking", "bool", False)))
    descs = [desc(acl, (4,)) for _ in range(3)]
    attr = acl.op.create_attr()
    assert acl.op.set_attr_bool(attr, "use_locking", 0) == 0
    (var, _), (value, _), (other, _) = (upload(acl, np.ones(4, np.float32)) for _ in range(3))
    assert acl.op.execute_v2("AssignAdd", descs[:2], [var, value], descs[2:], [var], attr, 0) == 0
    assert kinds() == []
    assert acl.op.execute_v2("AssignAdd", descs[:2], [var, value], descs[2:], [other], attr, 0) == 0
    assert kinds() == ["update in another buffer"]
    assert acl.rt.synchronize_stream(0) == 0


def test_handle_destroyed_in_flight(acl: ModuleType) -> None:  # HD-13
    add = Add(acl, 4)
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    acl.op.destroy_handle(handle)
    assert kinds() == ["handle destroyed in flight"]
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)
    other = add.handle()
    acl.op.destroy_handle(other)
    assert len(simulator.findings()) == 1


def test_use_after_destroy(acl: ModuleType) -> None:  # undefined on a board
    add = Add(acl, 4)
    handle, attr = add.handle(), acl.op.create_attr()
    acl.op.destroy_handle(handle)
    acl.op.destroy_attr(attr)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 100000
    assert add.execute(attr=attr) == 100000
    assert acl.op.set_attr_int(attr, "axis", 1) == 100000
    acl.destroy_data_buffer(add.inputs[1])
    assert add.execute() == 100000
    assert acl.update_data_buffer(add.inputs[1], 0, 0) == 100000
    acl.destroy_tensor_desc(add.in_descs[0])
    assert add.execute() == 100000
    assert acl.set_tensor_shape(add.in_descs[0], [4]) == 100000
    assert kinds() == ["use after destroy"] * 7
    assert acl.op.set_attr_int(0, "axis", 1) == acl.op.set_attr_int(12345, "axis", 1) == 100000  # null, or no handle at all
    assert len(kinds()) == 7


DESTROYED: dict[str, tuple[Any, Any]] = {
    "desc": (lambda acl: acl.create_tensor_desc(0, [2], 2), lambda acl, handle: acl.destroy_tensor_desc(handle)),
    "buffer": (lambda acl: acl.create_data_buffer(0, 0), lambda acl, handle: acl.destroy_data_buffer(handle)),
    "attr_handle": (lambda acl: acl.op.create_attr(), lambda acl, handle: acl.op.destroy_attr(handle)),
    "dataset": (lambda acl: acl.mdl.create_dataset(), lambda acl, handle: acl.mdl.destroy_dataset(handle)),
    "model_desc": (lambda acl: acl.mdl.create_desc(), lambda acl, handle: acl.mdl.destroy_desc(handle)),
}
API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
ARGUMENTS: dict[str, Any] = {"int": 2, "str": "x", "float": 1.0, "dict": {"dimCount": 1, "dims": [1]}}
"""2 is enough for `get_tensor_desc_dim_range`, whose numbers are looked at first."""


def takers(word: str) -> list[str]:
    """Functions whose first argument is an object of this kind."""
    owners = {"desc": "acl", "buffer": "acl", "attr_handle": "acl.op", "dataset": "acl.mdl", "model_desc": "acl.mdl"}
    first = {name: (facts["params"] or [":"])[0].partition(":")[0] for name, facts in API.items()}
    return [name for name in API if name.rpartition(".")[0] == owners[word] and first[name] == word]


@pytest.mark.parametrize(
    "name", [f"{word}-{name}" for word in DESTROYED for name in takers(word) if name != "acl.trans_tensor_desc_format"]
)
def test_every_use_after_destroy_is_noticed(acl: ModuleType, name: str) -> None:  # undefined on a board
    word, _, name = name.partition("-")
    make, destroy = DESTROYED[word]
    handle = make(acl)
    destroy(acl, handle)
    call: Any = acl
    for part in name.split(".")[1:]:
        call = getattr(call, part)
    result = call(handle, *(ARGUMENTS.get(parameter.partition(":")[2], []) for parameter in API[name]["params"][1:]))
    assert kinds() == ["use after destroy"]
    if API[name]["returns"] and API[name]["returns"][-1] == "ret:int":
        assert (result[-1] if isinstance(result, tuple) else result) == 100000
    call(*(0, *(ARGUMENTS.get(parameter.partition(":")[2], []) for parameter in API[name]["params"][1:])))
    assert len(kinds()) == 1  # null is no destroyed one


def in_thread(body: Any) -> None:
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()


def test_a_stream_of_two_threads(acl: ModuleType) -> None:  # HD-11
    simulator.trace()
    add = Add(acl, 4)
    handle = add.handle()
    context, _ = acl.rt.get_context()
    stream, _ = acl.rt.create_stream()

    def launch() -> None:
        acl.rt.set_context(context)
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 0

    launch()
    acl.rt.synchronize_stream(stream)
    in_thread(launch)  # in turns is fine
    assert kinds() == []
    launch()
    (finding,) = simulator.findings()
    assert finding.kind == "stream of two threads"
    assert finding.origin.startswith(__file__)


def test_leaks_name_what_is_alive(acl: ModuleType) -> None:
    assert [leak.text for leak in simulator.leaks()] == ["devices: device 0 is set, 1 calls of reset_device are missing"]
    simulator.trace()
    stream, _ = acl.rt.create_stream()
    x, (buffer, address) = desc(acl, [2]), upload(acl, np.zeros(2, np.float32))
    found = {leak.text.partition(":")[0]: leak for leak in simulator.leaks()}
    assert set(found) == {"buffers", "descs", "devices", "device_memory of device 0", "streams"}
    assert all(found[name].origin for name in ("buffers", "descs", "streams"))
    assert found["streams"].origin.startswith(__file__)
    assert found["devices"].origin == ""  # set before
    assert acl.rt.set_device(0) == 0
    assert [leak.origin.startswith(__file__) for leak in simulator.leaks() if "2 calls of reset_device" in leak.text] == [True]
    acl.rt.reset_device(0)
    assert str(found["streams"]).startswith("leak: streams: [0x")
    acl.rt.destroy_stream(stream)
    acl.destroy_tensor_desc(x)
    acl.destroy_data_buffer(buffer)
    acl.rt.free(address)
    acl.rt.reset_device(0)
    assert simulator.leaks() == simulator.report() == []


def test_finalize_reports_leaks(acl: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "ascendtensor.simulator")
    acl.create_tensor_desc(0, [2], 2)
    assert acl.finalize() == 0
    assert [finding.kind for finding in simulator.findings()] == ["leak", "leak"]
    assert {record.levelname for record in caplog.records} == {"INFO"}
    assert "descs" in caplog.text


def test_tracing_costs_nothing_when_off(acl: ModuleType) -> None:
    before = {name: getattr(acl.rt, name) for name in dir(acl.rt)}
    hot = acl.op.execute_with_handle
    simulator.trace()
    assert acl.op.execute_with_handle is not hot
    assert dir(acl.rt) == sorted(before)
    with pytest.raises(TypeError, match=r"acl\.rt\.malloc args parse failed"):
        acl.rt.malloc(1)
    simulator.trace(False)
    assert acl.op.execute_with_handle is hot
    assert all(getattr(acl.rt, name) is function for name, function in before.items())


def test_tracing_and_fault_plans(acl: ModuleType) -> None:
    simulator.trace()
    with simulator.faults.plan("acl.rt.malloc", code=207001):
        assert acl.rt.malloc(64, 0) == (0, 207001)
    assert acl.rt.malloc(64, 0)[1] == 0
    simulator.trace(False)
    assert acl.rt.malloc(64, 0)[1] == 0


def test_strict_mode_raises(acl: ModuleType) -> None:
    simulator.strict()
    add = Add(acl, 4)
    assert add.execute() == 0
    with pytest.raises(simulator.Misuse, match="read too early"):
        read_back(acl, add.out_address)
    with pytest.raises(simulator.Misuse, match=r"freed in flight.*from .*op_program\.py"):
        acl.rt.free(add.out_address)
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.free(add.out_address) == 0
    with pytest.raises(simulator.Misuse, match=r"left alive at acl\.finalize"):
        acl.finalize()


PROGRAM = """
import ascendtensor.simulator as acl
acl.init()
acl.rt.set_device(0)
device, ret = acl.rt.malloc(64, 0)
acl.rt.reset_device(0)
stray = acl.create_tensor_desc(0, [1], 2)
print("finalize", acl.finalize())
"""


@pytest.mark.parametrize(("variable", "expected"), [("", 0), ("ASCENDTENSOR_SIM_TRACE", 0), ("ASCENDTENSOR_SIM_STRICT", 1)])
def test_switches_by_environment(variable: str, expected: int) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | ({variable: "1"} if variable else {})
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == expected
    assert ("descs" in done.stderr) == bool(variable)
    assert ("<string>:7" in done.stderr) == bool(variable)  # the line that made it


def test_a_copy_out_of_bytes_that_nobody_holds(acl: ModuleType) -> None:  # PY-15
    target = acl.rt.malloc(64, 0)[0]
    simulator.trace()
    try:
        data = bytes(range(64))
        assert acl.rt.memcpy(target, 64, acl.util.bytes_to_ptr(data), 64, 1) == 0
        assert acl.rt.memcpy(target, 1, acl.util.bytes_to_ptr(b"x"), 1, 1) == 0
        assert kinds() == []
        code = acl.rt.memcpy(target, 64, acl.util.bytes_to_ptr(np.arange(8).tobytes()), 64, 1)  # an assertion would hold the bytes
        (finding,) = simulator.findings()
        assert code == 0 and finding.kind == "bytes that are gone" and finding.origin.startswith(__file__)
        for _ in range(200):  # what is held for it is bounded
            acl.util.bytes_to_ptr(bytes(1000))
        assert len(simulator.tracing._LENT) <= 64
    finally:
        simulator.trace(False)
    assert acl.rt.memcpy(target, 64, acl.util.bytes_to_ptr(data), 64, 1) == 0 and not simulator.tracing._LENT
