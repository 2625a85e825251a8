"""Ctrl-C at any moment of launching, recording, waiting and synchronising leaves the streams usable."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType, ModuleType

import numpy as np
import pytest
from op_program import Add, add_operator, load

from ascendtensor.simulator.engine import memory, streams
from ascendtensor.simulator.engine.tables import EVENTS, STREAMS


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
