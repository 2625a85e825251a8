"""Ctrl-C at any moment of launching, recording, waiting and synchronising leaves the streams usable."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from op_program import Add, add_operator, desc, download, load, operator, tensor, upload

from ascendtensor.simulator import rt_copies
from ascendtensor.simulator.engine import copying, memory, streams
from ascendtensor.simulator.engine.tables import BUFFERS, EVENTS, STREAMS


class Interrupter:
    """Raises KeyboardInterrupt every so often, but only while ``armed``: it disarms itself."""

    def __init__(self) -> None:
        self.armed = False
        self.hits = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.armed:
            self.armed = False
            self.hits += 1
            raise KeyboardInterrupt


@pytest.fixture
def interrupter() -> Iterator[Interrupter]:
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer signal")
    made = Interrupter()
    gc.disable()  # an interrupt inside a callback of the collector (hypothesis has one) would be lost with a warning
    before = signal.signal(signal.SIGALRM, made)
    signal.setitimer(signal.ITIMER_REAL, 0.0007, 0.0007)
    yield made
    signal.setitimer(signal.ITIMER_REAL, 0, 0)
    signal.signal(signal.SIGALRM, before)
    gc.enable()


@pytest.mark.parametrize("threads", [0, 1])
def test_interrupts_at_any_moment(acl: ModuleType, interrupter: Interrupter, threads: int) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    context, _ = acl.rt.get_context()
    one, two = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
    event, _ = acl.rt.create_event_ex_with_flag(1)
    stop = threading.Event()

    def other() -> None:
        acl.rt.set_context(context)
        mine, _ = acl.rt.create_stream()
        while not stop.is_set():
            acl.op.execute_with_handle(handle, add.inputs, add.outputs, mine)
            acl.rt.record_event(event, mine)
            acl.rt.stream_wait_event(two, event)
            acl.rt.synchronize_stream(two)
            acl.rt.stream_query(one)

    helpers = [threading.Thread(target=other) for _ in range(threads)]
    for helper in helpers:
        helper.start()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        try:
            interrupter.armed = True
            acl.op.execute_with_handle(handle, add.inputs, add.outputs, one)
            acl.rt.record_event(event, one)
            acl.rt.stream_wait_event(two, event)
            acl.rt.synchronize_stream(two)
            acl.rt.synchronize_device()
            interrupter.armed = False
        except KeyboardInterrupt:
            pass
    interrupter.armed = False
    stop.set()
    for helper in helpers:
        helper.join(20)
        assert not helper.is_alive()
    assert interrupter.hits > 10
    assert acl.rt.synchronize_device() == 0
    assert np.array_equal(add.result(), add.expected)
    assert not any(stream.queue or stream.busy for stream in STREAMS.values())
    assert not streams.LOCK.locked() and streams.Hooks.sleepers == 0
    assert EVENTS[event].waits == 0
    assert acl.rt.query_event_wait_status(event)[1] == 207000  # EV-3, K64: an event of the new kind


def test_waits_of_an_event_are_counted_until_they_are_passed(acl: ModuleType) -> None:  # EV-3
    rt = acl.rt
    event, _ = rt.create_event()
    one, two = rt.create_stream()[0], rt.create_stream()[0]
    assert rt.query_event_wait_status(event) == (0, 0)
    for _ in range(100):
        rt.record_event(event, one)
        rt.stream_wait_event(two, event)
    assert rt.query_event_wait_status(event) == (1, 0)
    assert rt.synchronize_stream(two) == 0
    assert rt.query_event_wait_status(event) == (0, 0)
    for _ in range(100):
        rt.record_event(event, one)
        rt.stream_wait_event(two, event)
        rt.synchronize_stream(two)
    assert len(EVENTS[event].pending) <= 16
    rt.record_event(event, one)
    rt.stream_wait_event(two, event)
    assert rt.destroy_stream_force(two) == 0
    assert rt.query_event_wait_status(event) == (0, 0)


def test_interrupts_while_allocating_leave_the_books_right(acl: ModuleType, interrupter: Interrupter) -> None:  # RT-28, RT-31, RT-33
    load(acl, add_operator(4))
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        try:
            interrupter.armed = True
            blocks = [acl.rt.malloc(64, 0)[0] for _ in range(3)]
            host = acl.rt.malloc_host(64)[0]
            for block in blocks:
                acl.rt.memcpy(block, 64, host, 64, 1)
            for block in blocks:
                acl.rt.free(block)
            acl.rt.free_host(host)
            interrupter.armed = False
        except KeyboardInterrupt:
            pass
    interrupter.armed = False
    assert interrupter.hits > 10
    blocks = dict(memory._BLOCKS)
    assert memory._starts == sorted(blocks)
    assert memory.used(0) == sum(block.size for block in blocks.values() if block.device == 0)
    for address, block in blocks.items():
        assert (acl.rt.free_host(address) if block.device < 0 else acl.rt.free(address)) == 0
    assert memory.used(0) == 0 and not memory._starts


class Interrupted:
    """Sends SIGINT when it is told to."""

    left = 0
    calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.left:
            self.left -= 1
            signal.raise_signal(signal.SIGINT)


def counting(acl: ModuleType, count: int) -> tuple[Interrupted, Callable[[], int], Callable[[], npt.NDArray[Any]]]:
    """An operator in Python that adds 1 to its input in place, how it is launched, and what lies there."""
    inside = Interrupted()

    @acl.kernel("TestCountedInPlace", ["x"], ["y"])
    def run(inputs: Any, outputs: Any, attrs: Any) -> None:
        np.add(inputs[0], 1, outputs[0])
        inside()

    load(acl, operator("TestCountedInPlace", [tensor([count])], [tensor([count])]))
    buffer, address = upload(acl, np.zeros(count, np.float32))
    described = desc(acl, [count])
    return (
        inside,
        lambda: acl.op.execute_v2("TestCountedInPlace", [described], [buffer], [described], [buffer], 0, 0),
        lambda: download(acl, address, [count]),
    )


@pytest.mark.parametrize("how", ["synchronize_device", "stream_query", "full queue"])
def test_what_changes_its_operand_is_done_once_whatever_comes_in_between(acl: ModuleType, how: str) -> None:
    inside, launch, values = counting(acl, 4)
    assert launch() == launch() == 0
    inside.left, launched = 1, 2
    with pytest.raises(KeyboardInterrupt):
        if how == "synchronize_device":
            acl.rt.synchronize_device()
        elif how == "stream_query":
            acl.rt.stream_query(0)
        else:
            while True:
                launched += 1
                launch()
    assert inside.calls == 1
    assert acl.rt.synchronize_device() == 0
    assert inside.calls == launched
    assert np.array_equal(values(), np.full(4, launched, np.float32))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_that_a_handler_takes_changes_nothing(acl: ModuleType) -> None:
    inside, launch, values = counting(acl, 4)
    came = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        launch()
        launch()
        inside.left = 2
        assert acl.rt.synchronize_device() == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert came == [signal.SIGINT] * 2 and inside.calls == 2
    assert np.array_equal(values(), np.full(4, 2, np.float32))


def test_work_in_place_that_is_queued_is_seen(acl: ModuleType) -> None:  # RT-37, RT-39
    _, launch, _ = counting(acl, 4)
    launch()
    address = acl.get_data_buffer_addr(next(iter(BUFFERS)))
    data = bytes(bytearray(16))
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(data), 16, address, 16, 2) == 0
    assert acl.rt.memset(address, 16, 0, 16) == 0
    assert [finding.kind for finding in acl.findings()] == ["read too early", "overwritten in flight"]
    assert "[TestCountedInPlace]" in acl.findings()[0].text
    acl.rt.synchronize_device()


@pytest.mark.parametrize("what", ["sum", "copy"])
def test_what_a_copy_changes_of_its_own_source_is_changed_once(
    acl: ModuleType, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:  # RT-43
    inside = Interrupted()
    module, name = (rt_copies, "_reduce") if what == "sum" else (copying, "copy")
    real = getattr(module, name)

    def task(*args: Any) -> None:
        real(*args)
        inside()

    monkeypatch.setattr(module, name, task)
    _, ones = upload(acl, np.ones(64, np.float32))
    _, target = upload(acl, np.arange(64, dtype=np.float32))
    if what == "sum":
        assert acl.rt.reduce_async(target, ones, 256, 10, 0, 0, 0) == 0
    else:
        assert acl.rt.memcpy_async(target + 64, 192, target, 192, 3, 0) == 0
    inside.left = 1
    with pytest.raises(KeyboardInterrupt):
        acl.rt.synchronize_device()
    assert acl.rt.synchronize_device() == 0
    expected = np.arange(64) + 1 if what == "sum" else np.r_[np.arange(16), np.arange(48)]
    assert np.array_equal(download(acl, target, [64]), expected)
