"""Events of the three kinds (EV-1 .. EV-8, K58 .. K66)."""

from __future__ import annotations

import threading
import time
from types import ModuleType
from typing import Any

import pytest

from ascendtensor.simulator.engine import contexts, streams


def queue(handle: int, fn: Any, *args: Any) -> None:
    streams.enqueue(contexts.stream_for(handle), fn, args)


def test_flags(acl: ModuleType) -> None:  # EV-1, K58
    for create in (acl.rt.create_event_with_flag, acl.rt.create_event_ex_with_flag):
        assert create(0) == (0, 107000)
        assert create(1 << 20) == (0, 107000)
        event, ret = create(1 | 2 | 8)
        assert ret == 0 and acl.rt.destroy_event(event) == 0


def test_before_the_first_record(acl: ModuleType) -> None:  # EV-3, K61, K64
    rt = acl.rt
    old, _ = rt.create_event()
    flag, _ = rt.create_event_with_flag(1)
    ex, _ = rt.create_event_ex_with_flag(1)
    for event in (old, flag):
        assert rt.query_event_status(event) == (0, 0)
        assert rt.query_event(event) == (0, 0)
        assert rt.query_event_wait_status(event) == (0, 0)
        assert rt.synchronize_event(event) == 0
    assert rt.stream_wait_event(0, old) == 107000
    assert rt.query_event_status(ex) == (1, 0)
    assert rt.query_event(ex) == (0, 207000)
    assert rt.query_event_wait_status(ex) == (0, 207000)
    assert rt.stream_wait_event(0, ex) == 0
    assert rt.synchronize_event(ex) == 0


def test_a_wait_may_come_before_its_record(acl: ModuleType) -> None:  # EV-3 (runtime, event.cc, Event::Wait: RT_EVENT_DDSYNC_NS)
    rt = acl.rt
    done: list[str] = []
    first, second = (rt.create_stream()[0] for _ in range(2))
    event, _ = rt.create_event_with_flag(1)
    for number in range(2):  # never recorded, then reset behind a record
        assert rt.stream_wait_event(second, event) == 0
        assert rt.query_event_wait_status(event) == (1, 0)
        queue(second, done.append, "behind")
        queue(first, done.append, "before")
        assert rt.record_event(event, first) == 0
        assert rt.synchronize_stream(second) == 0
        assert done == ["before", "behind"] * (number + 1)
        assert rt.query_event_wait_status(event) == (0, 0)
        assert rt.reset_event(event, first) == rt.synchronize_stream(first) == 0


@pytest.mark.parametrize("before", [0, 1])
def test_a_wait_passes_whose_record_another_thread_brings_meanwhile(
    acl: ModuleType, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:  # EV-3
    rt = acl.rt
    first, second = (rt.create_stream()[0] for _ in range(2))
    event, _ = rt.create_event_with_flag(1)
    context, _ = rt.get_context()
    give_up = streams._give_up

    def record() -> None:
        assert rt.set_context(context) == 0
        for _ in range(before):
            queue(first, int)
        assert rt.record_event(event, first) == 0

    def late(*args: Any) -> None:
        thread = threading.Thread(target=record)
        thread.start()
        thread.join()
        give_up(*args)

    monkeypatch.setattr(streams, "_give_up", late)
    assert rt.stream_wait_event(second, event) == 0
    assert rt.synchronize_stream(second) == 0


def test_a_wait_that_a_board_never_passes_fails(acl: ModuleType) -> None:  # EV-3
    rt = acl.rt
    first, second = (rt.create_stream()[0] for _ in range(2))
    never, own, one, other = (rt.create_event_with_flag(1)[0] for _ in range(4))
    assert rt.stream_wait_event(first, never) == 0
    assert rt.synchronize_stream(first) == 107020
    assert "was not recorded: a board waits for ever" in acl.get_recent_err_msg()
    assert rt.stream_wait_event(first, own) == rt.record_event(own, first) == 0
    assert rt.synchronize_stream(first) == 107020
    assert "comes behind the wait" in acl.get_recent_err_msg()
    for stream, waited, recorded in ((first, one, other), (second, other, one)):
        assert rt.stream_wait_event(stream, waited) == rt.record_event(recorded, stream) == 0
    assert sorted([rt.synchronize_stream(first), rt.synchronize_stream(second)]) == [0, 107020]
    assert rt.synchronize_device() == 0


def test_waits_that_come_before_a_record_all_wait_for_it(acl: ModuleType) -> None:  # EV-3
    rt = acl.rt
    done: list[str] = []
    first, second, third = (rt.create_stream()[0] for _ in range(3))
    event, _ = rt.create_event_with_flag(1)
    for stream in (second, third):
        assert rt.stream_wait_event(stream, event) == 0
        queue(stream, done.append, "behind")
    queue(first, done.append, "before")
    assert rt.record_event(event, first) == rt.synchronize_stream(second) == rt.synchronize_stream(third) == 0
    assert done == ["before", "behind", "behind"]


def test_a_record_that_was_queued_behind_a_reset_counts(acl: ModuleType) -> None:  # EV-5
    rt = acl.rt
    first, second = (rt.create_stream()[0] for _ in range(2))
    event, _ = rt.create_event_with_flag(1)
    assert rt.record_event(event, first) == rt.reset_event(event, first) == rt.record_event(event, first) == 0
    assert rt.synchronize_stream(first) == rt.stream_wait_event(second, event) == rt.synchronize_stream(second) == 0
    assert rt.query_event_status(event) == (1, 0)


def test_polarities_of_the_two_queries(acl: ModuleType) -> None:  # GEN-4
    rt = acl.rt
    event, _ = rt.create_event()
    queue(0, int)
    rt.record_event(event, 0)
    assert rt.query_event_status(event) == (0, 0)  # not ready; the query lets the stream run
    assert rt.query_event_status(event) == (1, 0)
    queue(0, int)
    rt.record_event(event, 0)
    assert rt.query_event(event) == (1, 0)
    assert rt.query_event(event) == (0, 0)


def test_a_record_with_nothing_before_it_is_reached_at_once(acl: ModuleType) -> None:  # EV-2, EV-6
    rt = acl.rt
    start, end = (rt.create_event_with_flag(8)[0] for _ in range(2))
    rt.record_event(start, 0)
    assert rt.query_event_status(start) == (1, 0)
    time.sleep(0.02)
    rt.record_event(end, 0)
    assert rt.synchronize_stream(0) == 0
    elapsed, ret = rt.event_elapsed_time(start, end)
    assert ret == 0 and elapsed > 15, "the time on the host between the two, as on an idle board"


def test_null_and_destroyed_handles(acl: ModuleType) -> None:  # EV-2, EV-4, EV-8, K59, K60
    rt = acl.rt
    event, _ = rt.create_event()
    assert rt.destroy_event(0) == rt.record_event(0, 0) == rt.stream_wait_event(0, 0) == rt.synchronize_event(0) == 100000
    assert rt.query_event(0) == rt.query_event_status(0) == (0, 100000)
    assert rt.event_elapsed_time(0, event) == (0.0, 100000)
    assert rt.destroy_event(event) == 0
    assert rt.destroy_event(event) == 107017
    assert rt.record_event(event, 0) == rt.stream_wait_event(0, event) == rt.synchronize_event(event) == 107017


def test_a_wait_runs_the_recording_stream_only_as_far_as_the_record(acl: ModuleType) -> None:  # EV-2, EV-4
    rt = acl.rt
    producer, _ = rt.create_stream()
    consumer, _ = rt.create_stream()
    event, _ = rt.create_event()
    seen: list[str] = []
    queue(producer, seen.append, "produced")
    rt.record_event(event, producer)
    queue(producer, seen.append, "after the record")
    assert rt.stream_wait_event(consumer, event) == 0
    queue(consumer, seen.append, "consumed")
    assert seen == []
    assert rt.query_event_wait_status(event) == (1, 0)
    assert rt.synchronize_stream(consumer) == 0
    assert seen[:2] == ["produced", "consumed"] or seen == ["produced", "after the record", "consumed"]
    assert rt.query_event_wait_status(event) == (0, 0)


def test_synchronising_an_event_leaves_later_work_queued(acl: ModuleType) -> None:
    seen: list[int] = []
    event, _ = acl.rt.create_event()
    queue(0, seen.append, 1)
    acl.rt.record_event(event, 0)
    queue(0, seen.append, 2)
    assert acl.rt.synchronize_event(event) == 0
    assert seen == [1]


def test_recording_again_replaces_the_capture_but_queued_waits_keep_theirs(acl: ModuleType) -> None:  # EV-2
    rt = acl.rt
    producer, _ = rt.create_stream()
    consumer, _ = rt.create_stream()
    event, _ = rt.create_event()
    seen: list[int] = []
    rt.record_event(event, producer)
    rt.stream_wait_event(consumer, event)
    queue(producer, seen.append, 1)
    rt.record_event(event, producer)
    assert rt.synchronize_stream(consumer) == 0
    assert seen == []
    assert rt.synchronize_event(event) == 0
    assert seen == [1]


@pytest.mark.parametrize(("create", "expected"), [("with_flag", []), ("ex_with_flag", [1])])
def test_only_ex_events_may_be_recorded_again_without_reset(acl: ModuleType, create: str, expected: list[int]) -> None:
    """EV-5; aclrtRecordEvent, CANN 9 ("for events of aclrtCreateEventExWithFlag"): with others a wait finds the flag of before still up."""
    rt = acl.rt
    producer, _ = rt.create_stream()
    consumer, _ = rt.create_stream()
    event, _ = getattr(rt, f"create_event_{create}")(1)
    rt.record_event(event, producer)
    assert rt.synchronize_stream(producer) == 0
    seen: list[int] = []
    queue(producer, seen.append, 1)
    rt.record_event(event, producer)
    rt.stream_wait_event(consumer, event)
    assert rt.synchronize_stream(consumer) == 0
    assert seen == expected


def test_an_event_with_flag_serves_again_once_its_reset_has_run(acl: ModuleType) -> None:  # EV-5
    rt = acl.rt
    producer, _ = rt.create_stream()
    consumer, _ = rt.create_stream()
    event, _ = rt.create_event_with_flag(1)
    seen: list[int] = []
    for number in range(3):
        queue(producer, seen.append, number)
        rt.record_event(event, producer)
        rt.stream_wait_event(consumer, event)
        rt.reset_event(event, consumer)
        assert rt.synchronize_stream(consumer) == 0
        assert seen == list(range(number + 1))
    rt.record_event(event, producer)
    rt.stream_wait_event(consumer, event)
    rt.reset_event(event, producer)
    assert rt.synchronize_stream(producer) == 0
    assert rt.synchronize_stream(consumer) == 107020, "the reset came first: a board waits for ever"


def test_a_pending_event_may_be_destroyed(acl: ModuleType) -> None:  # EV-8
    rt = acl.rt
    producer, _ = rt.create_stream()
    event, _ = rt.create_event()
    seen: list[int] = []
    queue(producer, seen.append, 1)
    rt.record_event(event, producer)
    rt.stream_wait_event(0, event)
    assert rt.destroy_event(event) == 0
    assert rt.synchronize_stream(0) == 0
    assert seen == [1]


def test_sync_bit(acl: ModuleType) -> None:  # EV-5
    rt = acl.rt
    unsynced, _ = rt.create_event_with_flag(8)
    rt.record_event(unsynced, 0)
    assert rt.stream_wait_event(0, unsynced) == 207000
    assert rt.reset_event(unsynced, 0) == 207000
    ex, _ = rt.create_event_ex_with_flag(1)
    assert rt.reset_event(ex, 0) == 207000
    synced, _ = rt.create_event_with_flag(1)
    rt.record_event(synced, 0)
    assert rt.reset_event(synced, 0) == 0
    rt.synchronize_stream(0)
    assert rt.query_event_status(synced) == (0, 0)


def test_elapsed_time(acl: ModuleType) -> None:  # EV-6, K62, K63
    rt = acl.rt
    start, _ = rt.create_event()
    end, _ = rt.create_event_with_flag(8)
    assert rt.event_elapsed_time(start, end) == (0.0, 507000)
    rt.record_event(start, 0)
    queue(0, time.sleep, 0.01)
    rt.record_event(end, 0)
    assert rt.event_elapsed_time(start, end) == (0.0, 107006)
    rt.synchronize_stream(0)
    elapsed, ret = rt.event_elapsed_time(start, end)
    assert ret == 0 and isinstance(elapsed, float) and 9 < elapsed < 5000
    assert rt.event_elapsed_time(end, start)[0] == -elapsed
    stamp, ret = rt.event_get_timestamp(end)
    assert ret == 0 and stamp > 0
    plain, _ = rt.create_event_with_flag(1)
    rt.record_event(plain, 0)
    rt.synchronize_stream(0)
    assert rt.event_elapsed_time(start, plain) == (0.0, 107006)


def test_timeouts(acl: ModuleType) -> None:  # EV-7, K65, K66
    rt = acl.rt
    event, _ = rt.create_event()
    queue(0, time.sleep, 0.02)
    queue(0, int)
    rt.record_event(event, 0)
    for bad in (0, -2):
        assert rt.synchronize_event_with_timeout(event, bad) == 107000
    assert rt.synchronize_event_with_timeout(event, 1) == 507047
    assert rt.synchronize_event_with_timeout(event, -1) == 0


def test_long_chains_over_many_streams(acl: ModuleType) -> None:
    rt = acl.rt
    handles = [rt.create_stream()[0] for _ in range(1500)]
    seen: list[int] = []
    event, _ = rt.create_event()
    rt.record_event(event, handles[0])
    for number, stream in enumerate(handles):
        rt.stream_wait_event(stream, event)
        queue(stream, seen.append, number)
        event, _ = rt.create_event()
        rt.record_event(event, stream)
    assert rt.synchronize_stream(handles[-1]) == 0
    assert seen == list(range(1500))


@pytest.mark.parametrize("rounds", [300])
def test_threads_pass_numbers_round_a_ring(acl: ModuleType, rounds: int) -> None:  # RT-27
    rt = acl.rt
    context, _ = rt.get_context()
    size = 4
    made = [rt.create_stream()[0] for _ in range(size)]
    events = [[rt.create_event()[0] for _ in range(rounds)] for _ in range(size)]
    recorded = [[threading.Event() for _ in range(rounds)] for _ in range(size)]
    counter = [0]
    faults: list[str] = []

    def step(expected: int) -> None:
        if counter[0] != expected:
            faults.append(f"{counter[0]} instead of {expected}")
        counter[0] += 1

    def work(me: int) -> None:
        rt.set_context(context)
        for number in range(rounds):
            if me or number:
                before, turn = (size - 1, number - 1) if me == 0 else (me - 1, number)
                recorded[before][turn].wait()
                assert rt.stream_wait_event(made[me], events[before][turn]) == 0
            queue(made[me], step, number * size + me)
            assert rt.record_event(events[me][number], made[me]) == 0
            recorded[me][number].set()
        assert rt.synchronize_stream(made[me]) == 0

    threads = [threading.Thread(target=work, args=(me,)) for me in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert faults == []
    assert counter == [rounds * size]
