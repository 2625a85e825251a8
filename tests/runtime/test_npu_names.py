"""`at.npu`: the names of torch.npu and torch.cuda."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.acl import chooser


def test_names_are_there_and_sorted() -> None:
    kinds = [(0 if name[0].isupper() else 1, name) for name in at.npu.__all__]
    assert kinds == sorted(kinds)
    assert all(hasattr(at.npu, name) for name in at.npu.__all__)
    for name in ("synchronize", "current_stream", "stream", "Stream", "Event", "empty_cache", "memory_allocated", "mem_get_info"):
        assert getattr(at.npu, name) is getattr(at, name)


def test_memory_that_is_not_there_is_an_error_by_its_name_in_pytorch() -> None:
    with pytest.raises(at.npu.OutOfMemoryError):
        at.empty(1 << 50)
    assert at.npu.OutOfMemoryError is at.OutOfDeviceMemoryError and at.ones(2).sum().item() == 2.0


def test_devices_by_number() -> None:
    assert at.npu.is_available() and at.npu.device_count() == 2 and at.npu.current_device() == 0
    with at.npu.device(1):
        assert at.npu.current_device() == 1 and at.ones(2).device.index == 1
        x = at.ones(2)
    with at.npu.device_of(x):
        assert at.npu.current_device() == 1
    with at.npu.device_of("no tensor"):
        assert at.npu.current_device() == 0
    at.npu.set_device(1)
    assert at.npu.current_device() == 1
    at.npu.set_device("npu:0")


def test_what_a_device_is(machine: Callable[..., None]) -> None:
    machine(soc="Ascend310P3", memory=64 << 20, devices=1)
    assert at.npu.get_device_name() == at.npu.get_device_name(0) == "Ascend310P3"
    assert at.npu.get_device_properties() == ("Ascend310P3", 64 << 20)
    assert at.npu.get_device_properties("npu:0").total_memory == at.npu.mem_get_info()[1]
    with pytest.raises(at.DeviceIndexError):
        at.npu.get_device_name(1)


def test_without_a_device_nothing_is_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chooser.VARIABLE, "npu")
    assert not at.npu.is_available() and not at.npu.is_initialized()


def test_peers(machine: Any) -> None:
    assert at.npu.can_device_access_peer(0, 1) and not at.npu.can_device_access_peer("npu:0", "npu:0")
    machine(run_mode="device")
    assert not at.npu.can_device_access_peer(0, 1)


def test_streams_without_a_block() -> None:
    own = at.npu.current_stream()
    side = at.npu.Stream()
    at.npu.set_stream(side)
    assert at.npu.current_stream() is side and at.npu.default_stream() is own
    at.npu.set_stream(None)
    assert at.npu.current_stream() is side
    with at.Context() as context:
        assert at.npu.default_stream() is own and at.npu.current_stream() is context.current_stream()
    at.npu.set_stream(at.npu.default_stream())
    assert at.npu.current_stream() is own
    other = at.npu.Stream(1)
    at.npu.set_stream(other)
    assert at.npu.current_device() == 1 and at.npu.default_stream(0) is own
    at.npu.set_device(0)
    with pytest.raises(at.DTypeError, match="a Stream is needed, not the int 3"):
        at.npu.set_stream(3)  # type: ignore[arg-type]


def test_a_thread_has_a_default_stream_of_its_own() -> None:
    found: list[bool] = []

    def work() -> None:
        with at.Context():  # the first thing that it does
            found.append(at.npu.default_stream() is not own and at.npu.default_stream() is at.npu.default_stream())

    own = at.npu.default_stream()
    worker = threading.Thread(target=work)
    worker.start()
    worker.join(20)
    assert found == [True]


def test_seeds() -> None:
    at.npu.manual_seed_all(5)
    here, there = at.rand(4).numpy(), at.rand(4, device="npu:1").numpy()
    states = at.npu.get_rng_state_all()
    at.npu.manual_seed(5)  # the current device only
    assert np.array_equal(at.rand(4).numpy(), here) and not np.array_equal(at.rand(4, device="npu:1").numpy(), there)
    at.npu.set_rng_state_all(states)
    assert at.npu.initial_seed() == 5
    assert len(states) == 2 and np.array_equal(at.npu.get_rng_state(), states[0])
    at.npu.seed()
    assert at.npu.initial_seed() != 5
    at.npu.seed_all()
    assert at.default_generator(0).initial_seed() == at.default_generator(1).initial_seed()
