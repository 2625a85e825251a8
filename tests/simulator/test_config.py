"""The keys of acl.json (RT-3, RT-50, K15, K16, OM-9)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from ascendtensor import simulator as acl
from ascendtensor.simulator.engine.process import State


def init(tmp_path: Path, content: dict[str, Any]) -> int:
    path = tmp_path / "acl.json"
    path.write_text(json.dumps(content))
    return acl.init(str(path))


@pytest.mark.parametrize(
    "content",
    [
        {"err_msg_mode": 0},  # K15
        {"err_msg_mode": "3"},
        {"max_opqueue_num": 100},  # K16
        {"max_opqueue_num": "-1"},
        {"max_opqueue_num": ""},
        {"dump": []},
        {"dump": {"dump_mode": "everything"}},
        {"dump": {"dump_op_switch": True}},
        {"dump": {"dump_op_switch": "on"}},  # no dump_path
        {"dump": {"dump_op_switch": "on", "dump_path": "/no/such/folder"}},
        {"dump": {"dump_list": {}}},
        {"dump": {"dump_list": [1]}},
        {"dump": {"dump_path": ".", "dump_list": [{"model_name": 5}]}},
        {"dump": {"dump_path": ".", "dump_list": [{"layer": "conv"}]}},
        {"dump": {"dump_level": "layer"}},
        {"dump": {"dump_scene": "some"}},
        {"dump": {"dump_path": ".", "dump_debug": "on", "dump_op_switch": "on"}},
        {"dump": {"dump_path": ".", "dump_scene": "aic_err_brief_dump", "dump_op_switch": "on"}},
        {"dump": {"dump_path": ".", "dump_scene": "watcher", "dump_mode": "all"}},
        {"StackSize": 65536},
        {"StackSize": {"aicore_stack_size": "65536"}},
        {"StackSize": {"aicore_stack_size": 32767}},
        {"StackSize": {"simt_stack_size": -1}},
        {"simt_printf_fifo_size": 0},
        {"simd_printf_fifo_size_per_core": "1"},
        {"defaultDevice": {"default_device": 0}},
        {"defaultDevice": "0"},
        {"acl_graph": {"event_mode": 1}},
        {"profiler": "on"},
        {"profiler": {"switch": "maybe"}},
        {"profiler": {"switch": "on", "output": "/no/such/folder"}},
    ],
)
def test_illegal_values(tmp_path: Path, content: dict[str, Any]) -> None:
    assert init(tmp_path, content) == (100009 if "dump" in content else 100000)
    assert "EH0001" in (acl.get_recent_err_msg() or "")
    assert acl.init() == 0  # a failed init may be tried again with something else


@pytest.mark.parametrize(
    "content",
    [
        {"unknown": {"key": 1}},
        {"dump": {"dump_path": ".", "dump_mode": "all", "dump_list": [{"model_name": "net", "layer": ["conv"]}], "dump_op_switch": "on"}},
        {"dump": {"dump_op_switch": "off"}},
        {"dump": {"dump_scene": "lite_exception"}},
        {"StackSize": {"aicore_stack_size": 40000, "simt_stack_size": 8192}, "simt_printf_fifo_size": 4096},
        {"acl_graph": {"event_mode": "1"}, "err_msg_mode": "0"},
        {"profiler": {"switch": "off"}},
    ],
)
def test_legal_values(tmp_path: Path, content: dict[str, Any]) -> None:
    assert init(tmp_path, content) == 0
    assert acl.finalize() == 0


def test_max_opqueue_num(tmp_path: Path) -> None:  # OM-9
    assert init(tmp_path, {"max_opqueue_num": "123"}) == 0
    assert State.max_op_queue == 123


def test_error_texts_of_the_process(tmp_path: Path) -> None:  # RT-50
    assert init(tmp_path, {"err_msg_mode": "1"}) == 0
    thread = threading.Thread(target=acl.rt.malloc, args=(64, 0))
    thread.start()
    thread.join()
    assert "acl.rt.malloc" in (acl.get_recent_err_msg() or "")


def test_default_device(tmp_path: Path) -> None:  # README of pyACL, section 10
    assert acl.init() == 0
    assert acl.rt.get_device() == (0, 107002)
    acl.finalize()
    acl.new_process()
    assert init(tmp_path, {"defaultDevice": {"default_device": "1"}}) == 0
    address, ret = acl.rt.malloc(64, 0)
    assert ret == 0
    assert acl.rt.get_device() == (1, 0)
    found: list[Any] = []

    def other() -> None:
        found.append(acl.rt.memset_async(address, 64, 1, 64, 0))
        found.append(acl.rt.get_device())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [0, (1, 0)]
    assert acl.rt.set_device(0) == 0
    assert acl.rt.get_device() == (0, 0)


def test_a_default_device_that_does_not_exist(tmp_path: Path) -> None:  # RT-3: the runtime's code
    assert init(tmp_path, {"defaultDevice": {"default_device": "77"}}) == 107001


def test_profiling_by_file(tmp_path: Path) -> None:
    assert init(tmp_path, {"profiler": {"switch": "on", "output": str(tmp_path)}}) == 0
    assert acl.prof.init(str(tmp_path)) == acl.prof.finalize() == 100042
    assert acl.finalize() == 0
    assert len(list(tmp_path.glob("PROF_*/op_summary.csv"))) == 1
