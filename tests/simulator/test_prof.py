"""``acl.prof``: sessions that write files, stamps, records of subscribed models; the key ``profiler`` of acl.json."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from op_program import Add

from ascendtensor import simulator
from ascendtensor.simulator.engine import profiling

TASK_TIME, STAMPS = 2, 128


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    (path,) = folder.glob(f"PROF_*/{name}")
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_session_writes_what_ran(acl: ModuleType, tmp_path: Path) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0  # prepared before the session
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.prof.init(str(tmp_path)) == 0
    config = acl.prof.create_config([0], 0, 0, TASK_TIME)
    assert acl.prof.start(config) == 0
    for _ in range(2):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.prof.stop(config) == 0
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.prof.finalize() == 0
    assert acl.prof.destroy_config(config) == 0
    found = lines(tmp_path, "op_summary.csv")
    assert [line["OP Type"] for line in found] == ["Add"] * 3
    assert all(float(line["Task Duration(us)"]) >= 0 and line["Device_id"] == "0" for line in found)
    assert len({line["Stream ID"] for line in found}) == 1
    assert lines(tmp_path, "stamps.csv") == []


def test_only_the_configured_devices(acl: ModuleType, tmp_path: Path) -> None:
    acl.prof.init(str(tmp_path))
    config = acl.prof.create_config([1], 0, 0, TASK_TIME)
    acl.prof.start(config)
    add = Add(acl, 4)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    acl.prof.stop(config)
    acl.prof.finalize()
    assert lines(tmp_path, "op_summary.csv") == []


def test_profiling_beside_a_fault_plan(acl: ModuleType, tmp_path: Path) -> None:
    add = Add(acl, 4)
    acl.prof.init(str(tmp_path))
    config = acl.prof.create_config([0], 0, 0, TASK_TIME)
    acl.prof.start(config)
    with simulator.faults.kernel("Add"):
        assert add.execute() == 0
        assert acl.rt.synchronize_stream(0) == 507015
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    acl.prof.stop(config)
    acl.prof.finalize()
    assert len(lines(tmp_path, "op_summary.csv")) == 1  # the one that failed never reached its kernel


def test_order_of_calls(acl: ModuleType, tmp_path: Path) -> None:
    assert acl.prof.finalize() == 100043
    assert acl.prof.init(str(tmp_path / "nowhere")) == 100003
    config, other = acl.prof.create_config([0], 0, 0, TASK_TIME), acl.prof.create_config([1], 0, 0, TASK_TIME)
    assert acl.prof.start(config) == 100043
    assert acl.prof.init(str(tmp_path)) == 0
    assert acl.prof.init(str(tmp_path)) == 100002
    assert acl.prof.stop(config) == 100043
    assert acl.prof.start(config) == 0
    assert acl.prof.start(config) == 100042
    assert acl.prof.stop(other) == 100000
    assert acl.prof.stop(config) == 0
    assert acl.prof.start(0) == acl.prof.stop(0) == acl.prof.destroy_config(0) == 100000
    assert acl.prof.start(other) == acl.prof.stop(other) == acl.prof.finalize() == 0


def test_configurations(acl: ModuleType, tmp_path: Path) -> None:
    for devices in ([], [5], [0, 0]):
        assert acl.prof.create_config(devices, 0, 0, 0) == 0
    assert acl.prof.create_config([0], 77, 0, 0) == 0
    assert acl.prof.create_config([0], 0, 64, 0) == 0
    with pytest.raises(TypeError):
        acl.prof.create_config((0,), 0, 0, 0)
    assert acl.prof.create_subscribe_config(2, 0, 1) == 0
    assert acl.prof.create_config([], 0, 0, STAMPS) != 0
    with pytest.raises(ValueError, match="failed"):
        acl.prof.create_config([-1], 0, 0, 0)
    with pytest.raises(TypeError):
        acl.prof.create_subscribe_config(256, 0, 1)
    assert acl.prof.set_config(1, "200MB") == 100001
    assert acl.prof.init("") == 100000
    assert acl.prof.init(str(tmp_path)) == 0
    assert acl.prof.start(acl.prof.create_config([0], 0, 0, 0)) == 100000
    assert acl.prof.set_config(1, "200MB") == 0
    assert acl.prof.set_config(0, "x") == acl.prof.set_config(17, "x") == acl.prof.set_config(1, "") == 100000


def test_stamps(acl: ModuleType, tmp_path: Path) -> None:
    acl.prof.init(str(tmp_path))
    config = acl.prof.create_config([0], 0, 0, STAMPS)
    acl.prof.start(config)
    stamp = acl.prof.create_stamp()
    assert acl.prof.set_stamp_trace_message(stamp, "training", 5) == 0
    assert acl.prof.mark(stamp) == 0
    assert acl.prof.push(stamp) == 0
    assert acl.prof.pop() == 0
    assert acl.prof.pop() == 100000
    number, ret = acl.prof.range_start(stamp)
    assert ret == 0
    assert acl.prof.range_stop(number) == 0
    assert acl.prof.range_stop(number) == 100000
    assert acl.prof.mark_ex("on the stream", 0) == 0
    step = acl.prof.create_step_info()
    assert acl.prof.get_step_timestamp(step, 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.prof.get_step_timestamp(step, 0, 0) == 100000  # each tag once
    assert acl.prof.get_step_timestamp(step, 2, 0) == acl.prof.get_step_timestamp(0, 0, 0) == 100000
    assert acl.prof.destroy_step_info(step) is None
    assert acl.prof.destroy_stamp(stamp) is None
    assert acl.prof.mark(stamp) == acl.prof.push(0) == acl.prof.mark_ex("", 0) == 100000
    acl.prof.stop(config)
    acl.prof.finalize()
    found = [(line["Kind"], line["Message"]) for line in lines(tmp_path, "stamps.csv")]
    assert found == [("mark", "train"), ("push", "train"), ("range", "train"), ("mark_ex", "on the stream"), ("step", "start")]


def test_message_length(acl: ModuleType) -> None:
    stamp = acl.prof.create_stamp()
    assert acl.prof.set_stamp_trace_message(stamp, "x", 0) == acl.prof.set_stamp_trace_message(stamp, "x" * 200, 128) == 100000
    acl.prof.destroy_stamp(stamp)


@pytest.fixture
def model() -> Iterator[int]:
    """The number of a model that somebody says is loaded."""
    known = [7].__contains__
    profiling.KNOWN_MODELS.append(known)
    yield 7
    profiling.KNOWN_MODELS.remove(known)


def test_records_of_a_subscribed_model(acl: ModuleType, model: int) -> None:
    reader, writer = os.pipe()
    config = acl.prof.create_subscribe_config(1, 0, writer)
    assert acl.prof.model_subscribe(model, config) == 0
    assert acl.prof.model_subscribe(model, config) == 148046
    assert acl.prof.init(".") == 148047
    assert acl.prof.model_subscribe(8, config) == 100011
    assert acl.prof.model_subscribe(model, 0) == 100000
    profiling.report(model, "Conv2D", "layer1/conv", 1000, 3500)
    profiling.report(model, "Relu", "layer1/relu", 4000, 4100)
    profiling.report(8, "Relu", "unknown", 0, 0)
    size, _ = acl.prof.get_op_desc_size()
    data = os.read(reader, 10 * size)
    info, length = acl.util.bytes_to_ptr(data), len(data)
    assert acl.prof.get_op_num(info, length) == (2, 0)
    assert acl.prof.get_op_type(info, length, 0, 65) == ("Conv2D", 0)
    assert acl.prof.get_op_name(info, length, 1, 257) == ("layer1/relu", 0)
    assert acl.prof.get_op_type_v2(info, length, 1) == ("Relu", 0)
    assert acl.prof.get_op_name_v2(info, length, 0) == ("layer1/conv", 0)
    assert acl.prof.get_op_type_len(info, length, 0) == (7, 0)
    assert acl.prof.get_op_name_len(info, length, 0) == (12, 0)
    assert (acl.prof.get_op_start(info, length, 0), acl.prof.get_op_end(info, length, 0)) == (1000, 3500)
    assert acl.prof.get_op_duration(info, length, 0) == 2500
    assert acl.prof.get_model_id(info, length, 1) == model
    assert acl.prof.get_op_type(info, length, 0, 4097) == acl.prof.get_op_type(info, length, 0, 6) == ("", 100000)
    assert acl.prof.get_op_type_v2(info, length, 2) == (None, 100000)
    assert acl.prof.get_op_num(info, length - 1) == (0, 100000)
    assert acl.prof.get_op_start(0, length, 0) == 0
    assert acl.prof.model_unsubscribe(model) == 0
    assert acl.prof.model_un_subscribe(model) == 100000
    assert acl.prof.destroy_subscribe_config(config) == 0
    os.close(reader)
    os.close(writer)
