"""`init`: acl.json as a mapping or a file, before the first use (RT-1 to RT-5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.codes import RunMode
from ascendtensor.runtime.process import state
from ascendtensor.simulator.engine.process import State

pytestmark = pytest.mark.usefixtures("configured")


@pytest.fixture
def configured(new_process: None) -> Iterator[None]:
    """ACL as in a new process, before and after."""
    state.config = None
    yield
    state.config = None


def test_without_a_configuration_it_is_the_first_use() -> None:
    assert not at.is_initialized()
    at.init()
    assert at.is_initialized()
    at.init()
    assert (at.ones(2) + 1).tolist() == [2.0, 2.0]


def test_a_mapping_is_handed_over_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # RT-3
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    at.init({"max_opqueue_num": "77", "unknown": [1, None]})
    assert State.max_op_queue == 77
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_handed_over(tmp_path: Path) -> None:  # RT-1
    path = tmp_path / "acl.json"
    path.write_text(json.dumps({"max_opqueue_num": "55"}), encoding="utf-8")
    at.init(path)
    assert State.max_op_queue == 55
    at.init(str(path))  # the same again is no second configuration


def test_it_holds_after_a_shutdown_too() -> None:  # RT-5
    at.init({"max_opqueue_num": "33"})
    at.ones(2) + 1
    at.shutdown()
    assert (at.ones(2) + 1).tolist() == [2.0, 2.0] and State.max_op_queue == 33
    at.shutdown()
    with pytest.raises(at.AclError) as caught:
        at.init({"max_opqueue_num": "34"})
    assert caught.value.code == 100000 and "first acl.init" in str(caught.value)
    at.init({"max_opqueue_num": "33"})


def test_it_is_refused_after_the_first_use() -> None:
    at.ones(2)
    with pytest.raises(at.BackendError, match=r"init: ACL is in use already(?s:.*)before the first tensor"):
        at.init({"err_msg_mode": "1"})
    assert (at.ones(2) + 1).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("contents", "code"),
    [
        (None, 100003),
        ("{no json", 100006),
        (json.dumps({"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}}}}}), 100006),
        (json.dumps({"err_msg_mode": "2"}), 100000),
        (json.dumps({"defaultDevice": {"default_device": "9"}}), 107001),
    ],
    ids=["no file", "no json", "nested too deep", "illegal value", "no such device"],
)
def test_acl_refuses_a_file_with_its_codes(tmp_path: Path, contents: str | None, code: int) -> None:  # RT-2, RT-3
    path = tmp_path / "acl.json"
    if contents is not None:
        path.write_text(contents, encoding="utf-8")
    with pytest.raises(at.AclError) as caught:
        at.init(path)
    assert caught.value.code == code and caught.value.function == "acl.init"
    assert not at.is_initialized() and state.config is None
    assert (at.ones(2) + 1).tolist() == [2.0, 2.0]  # without it


def test_somebody_else_was_faster() -> None:  # RT-4
    assert simulator.init() == 0
    with pytest.raises(at.BackendError, match=r"somebody else initialised ACL"):
        at.init({"err_msg_mode": "1"})
    at.init()
    assert (at.ones(2) + 1).tolist() == [2.0, 2.0]
    at.shutdown()
    assert simulator.finalize() == 0


@pytest.mark.parametrize("config", [7, {"a": {1, 2}}, {"a": float("nan")}, {"a": object()}])
def test_what_is_no_configuration_is_refused(config: Any) -> None:
    with pytest.raises(at.DTypeError, match=r"init: config can't be written as acl\.json"):
        at.init(config)
    assert not at.is_initialized()


def test_run_mode_and_chip_are_asked_for(machine: Any) -> None:  # RT-14, RT-15
    assert at.run_mode() is RunMode.HOST
    assert at.soc_name() == "Ascend910B1"
    machine(run_mode="device", soc="Ascend310B4")
    assert at.run_mode() is RunMode.DEVICE and at.soc_name() == "Ascend310B4"


def test_the_class_gives_the_device_itself() -> None:
    assert at.Device("npu:1") is at.Device(1) is at.device("npu:1")
    assert at.Device() is at.current_device()
    with at.Device(1):
        assert at.ones(2).device is at.Device("npu:1")
    with pytest.raises(at.DeviceIndexError, match="device number 9"):
        at.Device(9)
