"""Streams, events, threads: order where buffers cross, one stream a thread, blocks recycled behind events."""

from __future__ import annotations

import copy
import gc
import pickle
import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placement import describe

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.errors import AclError, ClosedError, DeviceError, ValueRangeError
from ascendtensor.runtime import copies, stats
from ascendtensor.runtime import device as devices
from ascendtensor.runtime.device import Device, as_device
from ascendtensor.runtime.memory import DeviceBuffer
from ascendtensor.runtime.stream import Event, Stream, stream


def in_thread(work: Callable[[], Any]) -> Any:
    """Run `work` in a new thread, and give its result or raise its error."""
    results: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue()

    def body() -> None:
        try:
            results.put((work(), None))
        except BaseException as error:
            results.put((None, error))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(60)
    value, error = results.get_nowait()
    if error is not None:
        raise error
    return value


def test_a_thread_keeps_its_stream_and_others_have_their_own(npu: Device) -> None:
    mine = npu.current_stream()
    assert npu.current_stream() is mine is npu.local.stream
    theirs = in_thread(npu.current_stream)
    assert theirs is not mine
    assert theirs.handle != mine.handle


def test_the_stream_of_an_ended_thread_is_used_again(npu: Device) -> None:
    npu.current_stream()
    handles = {in_thread(lambda: npu.current_stream().handle) for _ in range(20)}
    assert len(handles) == 1
    assert simulator.tables()["streams"] == 3  # with the default stream of the context


def test_dropped_streams_are_used_again(npu: Device) -> None:
    for _ in range(20):
        Stream()
    assert len(npu.lanes) == 2


def test_one_set_device_a_device_and_all_threads_share_its_context(npu: Device) -> None:
    npu.current_stream()
    assert in_thread(lambda: (npu.current_stream(), simulator.rt.get_context()[0])[1]) == simulator.rt.get_context()[0] == npu.context
    assert npu.uses == 1


def test_devices_in_one_thread_take_turns(npu: Device) -> None:
    other = as_device(1)
    first, second = npu.current_stream(), other.current_stream()
    assert not hasattr(npu.local, "stream"), "only the device that is current in ACL has it"
    assert simulator.rt.get_device()[0] == 1
    assert npu.current_stream() is first
    assert simulator.rt.get_device()[0] == 0
    assert other.current_stream() is second


def test_the_stream_context_nests_and_restores(npu: Device) -> None:
    own, one, two = npu.current_stream(), Stream(), Stream("npu:1")
    with stream(one) as entered:
        assert entered is one is devices.current_stream()
        with stream(two):
            assert devices.current_device() is as_device(1)
            assert devices.current_stream() is two
            assert npu.current_stream() is one
        assert devices.current_stream() is one
    assert devices.current_stream() is own
    with stream(None):
        assert devices.current_stream() is own


def test_the_device_context_nests_and_restores() -> None:
    with as_device(1) as one:
        assert devices.current_device() is one is as_device("npu:1") is as_device("npu")
        with as_device(0):
            assert devices.current_device().index == 0
        assert devices.current_device() is one
    assert devices.current_device().index == 0


def test_the_chosen_device_belongs_to_the_thread() -> None:
    devices.set_device(1)
    try:
        assert in_thread(lambda: devices.current_device().index) == 0
        assert devices.current_device().index == 1
    finally:
        devices.set_device(0)


def crossing(npu: Device, put: Callable[..., Any]) -> tuple[DeviceBuffer, Any, Stream]:
    """A buffer whose values are still queued on another stream."""
    producer = Stream()
    source, desc = put(np.arange(100, dtype=np.float32))
    npu.synchronize()
    with stream(producer):
        target, _ = put(np.zeros(100, np.float32))
        copies.copy_device(target, source, desc.nbytes)
    return target, desc, producer


def test_a_read_on_another_stream_waits_for_the_write(npu: Device, put: Callable[..., Any]) -> None:
    target, desc, _ = crossing(npu, put)
    np.testing.assert_array_equal(copies.download(target, desc), np.arange(100))


def test_without_the_event_the_read_would_come_too_early(npu: Device, put: Callable[..., Any]) -> None:
    target, desc, _ = crossing(npu, put)
    target.stream = npu.current_stream()  # lie about the writer
    assert not np.array_equal(copies.download(target, desc), np.arange(100))


def test_one_event_orders_all_reads_after_one_write(npu: Device, put: Callable[..., Any]) -> None:
    target, _, _ = crossing(npu, put)
    here = npu.current_stream()
    target.read_on(here)
    with simulator.faults.plan("acl.rt.record_event", code=507000, repeat=True) as plan:
        target.read_on(here)
    assert plan.calls == 0


def test_a_write_waits_for_readers_of_other_streams(npu: Device, put: Callable[..., Any]) -> None:
    reader = Stream()
    source, desc = put(np.full(100, 1, np.float32))
    with stream(reader):
        kept, _ = put(np.zeros(100, np.float32))
        copies.copy_device(kept, source, desc.nbytes)  # queued, not run
    copies.copy_into(source, np.full(100, 2, np.float32), desc)
    npu.current_stream().synchronize()
    assert np.all(copies.download(kept, desc) == 1)
    assert np.all(copies.download(source, desc) == 2)


def test_a_block_read_elsewhere_is_recycled_only_behind_the_event(npu: Device, put: Callable[..., Any]) -> None:
    reader = Stream()
    source, desc = put(np.full(100, 1, np.float32))
    npu.current_stream().synchronize()
    with stream(reader):
        kept, _ = put(np.zeros(100, np.float32))
        copies.copy_device(kept, source, desc.nbytes)
    pool = npu.current_stream().pool
    assert source.block.users == {reader.handle} and pool.shared_returns is not pool.returns
    del source
    for value in range(2, 12):  # each wants a block of this size
        put(np.full(100, value, np.float32))
    assert np.all(copies.download(kept, desc) == 1)
    assert stats.memory_allocated() == kept.block.size


def test_blocks_that_crossed_come_home(npu: Device, put: Callable[..., Any]) -> None:
    other = Stream()
    for value in range(200):
        buffer, desc = put(np.full(50_000, value, np.float32))
        with stream(other):
            assert copies.download(buffer, desc)[-1] == value
    assert stats.memory_reserved() <= 64 << 20
    assert len(npu.events.made) < 20


def test_a_write_on_another_stream_moves_the_buffer_there(npu: Device, put: Callable[..., Any]) -> None:
    buffer, desc = put(np.zeros(4, np.float32))
    other = Stream()
    with stream(other):
        copies.copy_into(buffer, np.ones(4, np.float32), desc)
    assert buffer.stream is other
    assert buffer.readers is None
    assert list(copies.download(buffer, desc)) == [1, 1, 1, 1]


def failing_elsewhere() -> tuple[at.Tensor, Stream]:
    """A tensor whose values an operator that fails should have made, on another stream."""
    producer = Stream()
    with stream(producer):
        return at.gather(at.arange(3), 0, at.tensor([7])), producer


@pytest.mark.parametrize("look", [at.Tensor.tolist, lambda x: (x + 1).tolist(), lambda x: x.neg_().tolist()])
def test_what_failed_on_another_stream_is_told_to_who_reads_of_it(npu: Device, look: Callable[[Any], Any]) -> None:
    values, producer = failing_elsewhere()
    with pytest.raises(AclError, match="GatherElements"):
        look(values)
    producer.synchronize()  # once


def test_what_failed_on_a_stream_with_more_to_do_is_told_once_it_has_run(npu: Device) -> None:
    """Nothing but synchronising a stream says what failed on it, and a reader does not wait for what comes behind what it reads."""
    values, producer = failing_elsewhere()
    more = values + 1
    gate = threading.Event()
    producer.add_callback(lambda: gate.wait(30), blocking=True)
    npu.current_stream().synchronize()
    gate.set()
    while not producer.query():
        pass
    with pytest.raises(AclError, match="GatherElements"):
        npu.current_stream().synchronize()
    npu.current_stream().synchronize()
    del more


def test_what_failed_two_streams_away_is_told(npu: Device) -> None:
    values, _ = failing_elsewhere()
    with stream(Stream()):
        more = values + 1
    with pytest.raises(AclError, match="GatherElements"):
        more.tolist()


def test_what_failed_in_a_thread_that_is_gone_is_told(npu: Device) -> None:
    values, _ = in_thread(failing_elsewhere)
    with pytest.raises(AclError, match="GatherElements"):
        values.tolist()


def test_a_stream_that_was_waited_for_by_name_tells_what_failed(npu: Device) -> None:
    _, producer = failing_elsewhere()
    npu.current_stream().wait_stream(producer)
    with pytest.raises(AclError, match="GatherElements"):
        npu.current_stream().synchronize()


def test_a_read_does_not_wait_for_what_comes_behind_it_on_another_stream(npu: Device, put: Callable[..., Any]) -> None:
    target, desc, producer = crossing(npu, put)
    target.read_on(npu.current_stream())
    with stream(producer):
        at.ones(3) + 1
    with simulator.faults.plan("acl.rt.synchronize_stream", nth=2) as plan:
        copies.download(target, desc)
    assert plan.calls == 1


def test_windows_share_order_with_their_buffer(npu: Device, put: Callable[..., Any]) -> None:
    buffer, desc = put(np.zeros(64, np.float32))
    window = buffer.window(64, 64)
    other = Stream()
    with stream(other):
        copies.copy_into(window, np.ones(16, np.float32), describe(np.ones(16, np.float32), npu))
    assert buffer.stream is other is window.stream
    assert copies.download(buffer, desc).sum() == 16


@pytest.mark.parametrize("creator", ["new mode", "not in this pyACL", "not with this driver"])
def test_events_that_are_used_again_still_order_streams(npu: Device, monkeypatch: pytest.MonkeyPatch, creator: str) -> None:
    """EV-5: of the creators, create_event_with_flag gives events whose later waits pass at once unless they were reset."""
    if creator == "not in this pyACL":
        monkeypatch.delattr("ascendtensor.simulator.rt.create_event_ex_with_flag")
    elif creator == "not with this driver":
        monkeypatch.setattr("ascendtensor.simulator.rt.create_event_ex_with_flag", lambda flag: (0, 207000))
    npu.events.idle.clear()
    mine, side, event = npu.current_stream(), Stream(), Event()
    for number in range(6):
        with stream(side):
            values = at.full((64,), float(number)) + 1
        assert (values * 2)[0].item() == 2 * (number + 1)
        with stream(side):
            values = at.full((64,), float(number)) + 2
            event.record()
        event.wait(mine)
        mine.synchronize()
        assert event.query(), "the wait had to be for the record that was queued last"
        side.synchronize()


@pytest.mark.parametrize("failing", ["acl.rt.record_event", "acl.rt.stream_wait_event"])
def test_an_event_that_could_not_order_is_given_back(npu: Device, failing: str) -> None:
    one, two = Stream(), Stream()
    events = npu.events
    for _ in range(3):
        with simulator.faults.plan(failing), pytest.raises(AclError):
            events.order(one.handle, two.handle)
        assert len(events.idle) == len(events.made) == 1
    del events.order(one.handle, two.handle).event


def test_memory_of_one_device_is_refused_on_another(npu: Device, put: Callable[..., Any]) -> None:
    buffer, _ = put(np.zeros(4, np.float32))
    with pytest.raises(DeviceError, match=r"npu:0.*npu:1"):
        buffer.read_on(as_device(1).current_stream())


def test_a_failed_wait_leaves_the_buffer_as_it_was(npu: Device, put: Callable[..., Any]) -> None:
    target, desc, _ = crossing(npu, put)
    for function in ("acl.rt.create_event_ex_with_flag", "acl.rt.record_event", "acl.rt.stream_wait_event"):
        npu.events.idle.clear()
        with simulator.faults.plan(function), pytest.raises(AclError, match=function):
            copies.download(target, desc)
    np.testing.assert_array_equal(copies.download(target, desc), np.arange(100))


def test_eight_threads_pass_buffers_round_a_ring(npu: Device) -> None:
    count, rounds = 8, 10
    boxes: list[queue.Queue[tuple[DeviceBuffer, int]]] = [queue.Queue() for _ in range(count)]
    failures: list[BaseException] = []
    desc = describe(np.zeros(256, np.float32), npu)

    def member(number: int) -> None:
        try:
            buffer = copies.upload(np.full(256, number, np.float32), desc)
            value = number
            for _ in range(rounds):
                boxes[(number + 1) % count].put((buffer, value))
                buffer, value = boxes[number].get(timeout=60)
                mine = copies.upload(np.full(256, -1, np.float32), desc)
                copies.copy_device(mine, buffer, desc.nbytes)
                buffer = mine
                assert np.all(copies.download(buffer, desc) == value)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=member, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert failures == []
    boxes.clear()
    gc.collect()
    assert stats.memory_allocated() == 0


# Streams and events as users see them


def test_query_and_synchronize(npu: Device, put: Callable[..., Any]) -> None:
    put(np.zeros(4, np.float32))
    here = npu.current_stream()
    here.synchronize()
    assert here.query()
    assert f"{here.handle:#x}" in repr(here)


def test_waiting_for_a_stream_of_another_device_waits_for_its_work(npu: Device) -> None:
    there = Stream(1)
    with stream(there):
        at.ones(4, device="npu:1") + 1
    assert there.recent
    npu.current_stream().wait_stream(there)
    assert not there.recent, "it was synchronised"


def test_wait_stream_and_wait_event(npu: Device, put: Callable[..., Any]) -> None:
    target, desc, producer = crossing(npu, put)
    event = producer.record_event()
    here = npu.current_stream()
    here.wait_event(event)
    target.stream = here
    np.testing.assert_array_equal(copies.download(target, desc), np.arange(100))
    here.wait_stream(producer)
    here.wait_stream(here)
    here.wait_stream(Stream(1))


def test_an_event_that_was_never_recorded_is_done(npu: Device) -> None:
    event = Event()
    event.wait()  # EV-3: pyACL would refuse it
    event.synchronize()
    assert event.query()
    assert repr(event) == "<Event, not recorded>"


def test_events_are_timed_where_asked(npu: Device) -> None:
    start, end, plain = Event(enable_timing=True), Event(enable_timing=True), Event()
    with pytest.raises(ValueRangeError, match="recorded"):
        start.elapsed_time(end)
    start.record()
    end.record()
    plain.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    assert end.query()
    with pytest.raises(ValueRangeError, match="enable_timing"):
        start.elapsed_time(plain)


def test_an_event_stays_on_its_device(npu: Device) -> None:
    event = Event()
    event.record()
    with pytest.raises(ValueRangeError, match="npu:0"):
        event.record(Stream(1))
    event.wait(Stream(1))


def test_streams_events_and_contexts_are_not_copied(npu: Device) -> None:
    event = at.Event()
    event.record()  # it has a handle, which a copy would give back a second time
    for owner in (at.Stream(), event, at.Event(), at.Context()):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"{type(owner).__name__} can't be copied or pickled"):
                copied(owner)
    event.synchronize()


def test_dropped_events_are_destroyed(npu: Device) -> None:
    for _ in range(50):
        npu.current_stream().record_event()
    assert simulator.tables()["events"] <= 3


def test_marks_over_all_streams(npu: Device, put: Callable[..., Any]) -> None:
    put(np.zeros(4, np.float32))
    other = Stream(1)
    marks = devices.mark_all()
    assert len(marks) == 3  # the thread has a stream on each device too
    npu.synchronize()
    other.synchronize()
    devices.synchronize(1)
    assert devices.marks_done(marks)
    devices.forget_marks(marks)
    assert len(npu.events.idle) == 1
    assert len(as_device(1).events.idle) == 2


def test_streams_and_events_from_before_shutdown_are_refused(npu: Device) -> None:
    old, event = Stream(), Event()
    event.record(old)
    devices.shutdown()
    for use in (old.synchronize, old.query, old.record_event, event.synchronize, event.query, event.record):
        with pytest.raises(ClosedError, match="before shutdown"):
            use()
    with pytest.raises(ClosedError), stream(old):
        pass
    assert "closed" in repr(old)
    assert Stream().query()


def test_shutdown_inside_a_stream_context(npu: Device) -> None:
    with stream(Stream()):
        devices.shutdown()
    assert devices.current_stream().query()
