"""Streams that defer, their errors and their limits (RT-21 .. RT-27, RT-44 .. RT-48, K32 .. K40)."""

from __future__ import annotations

import itertools
import signal
import threading
import time
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ascendtensor import simulator
from ascendtensor.simulator.engine import AclFault, contexts, streams


def queue(handle: int, fn: Any, *args: Any) -> None:
    """What an operator launch does."""
    streams.enqueue(contexts.stream_for(handle), fn, args)


def boom() -> None:
    raise AclFault(507011, "made to fail")


def broken_kernel() -> None:
    raise ValueError("shapes differ")


def test_work_is_deferred_until_a_synchronising_call_and_runs_in_order(acl: ModuleType) -> None:  # RT-27, SIM-2
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    seen: list[int] = []
    for number in range(5):
        queue(stream, seen.append, number)
    assert seen == []
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen == [0, 1, 2, 3, 4]


def test_streams_are_independent_and_zero_is_the_default_stream(acl: ModuleType) -> None:  # RT-23
    stream, _ = acl.rt.create_stream()
    seen: list[str] = []
    queue(stream, seen.append, "explicit")
    queue(0, seen.append, "default")
    assert acl.rt.synchronize_stream(0) == 0
    assert seen == ["default"]
    assert acl.rt.synchronize_device() == 0
    assert seen == ["default", "explicit"]
    handle, _ = acl.rt.ctx_get_current_default_stream()
    queue(handle, seen.append, "by handle")
    acl.rt.synchronize_stream(0)
    assert seen[-1] == "by handle"


def test_a_query_tells_the_state_and_makes_progress(acl: ModuleType) -> None:  # RT-25
    seen: list[int] = []
    for number in range(40):
        queue(0, seen.append, number)
    answers = [acl.rt.stream_query(0) for _ in range(3)]
    assert answers == [(1, 0), (1, 0), (0, 0)]
    assert seen == list(range(40))
    assert acl.rt.stream_query(12345) == (0xFFFF, 107017)


def test_a_full_queue_is_run_by_the_launch() -> None:
    simulator.configure(queue=4)
    simulator.rt.set_device(0)
    seen: list[int] = []
    for number in range(4):
        queue(0, seen.append, number)
    assert seen == []
    queue(0, seen.append, 4)
    assert seen == [0, 1, 2, 3, 4]


def test_destruction_runs_or_drops_queued_work(acl: ModuleType) -> None:  # RT-22
    seen: list[str] = []
    one, _ = acl.rt.create_stream()
    other, _ = acl.rt.create_stream_with_config(0, 1)
    queue(one, seen.append, "kept")
    queue(other, seen.append, "dropped")
    queue(0, seen.append, "default")
    assert acl.rt.destroy_stream(one) == 0
    assert acl.rt.destroy_stream_force(other) == 0
    assert acl.rt.reset_device(0) == 0
    assert seen == ["kept", "default"]


def test_destroy_and_use_of_wrong_handles(acl: ModuleType) -> None:  # RT-22, RT-23, RT-26, K34 .. K37
    rt = acl.rt
    stream, _ = rt.create_stream()
    event, _ = rt.create_event()
    assert rt.destroy_stream(0) == rt.destroy_stream_force(0) == 100000
    assert rt.destroy_stream(event) == 107017
    context, _ = rt.create_context(0)
    assert rt.destroy_stream(stream) == 107003
    assert rt.record_event(event, stream) == 107003
    assert rt.synchronize_stream(stream) == 0
    assert rt.stream_query(stream) == (0, 0)
    rt.destroy_context(context)
    rt.set_device(0)
    assert rt.destroy_stream(stream) == 0
    assert rt.destroy_stream(stream) == 107017
    assert rt.synchronize_stream(stream) == 107017
    assert rt.record_event(event, stream) == 107017
    assert rt.stream_get_id(stream) == (0, 107017)


@pytest.mark.parametrize(
    ("soc", "streams", "events"),
    [("Ascend910B1", 1984, 65536), ("Ascend310B4", 480, 65536), ("Ascend310P3", 992, 1023), ("Ascend910ProB", 2016, 65535)],
)
def test_the_number_of_streams_is_limited(acl: ModuleType, soc: str, streams: int, events: int) -> None:  # RT-21, K33
    simulator.new_process()
    simulator.configure(soc=soc)
    try:
        acl.rt.set_device(0)
        assert acl.rt.get_event_avail_num() == (events, 0)
        assert acl.rt.get_stream_available_num() == (streams - 1, 0), "the default stream is one of them"
        handles = [acl.rt.create_stream()[0] for _ in range(streams - 1)]
        assert acl.rt.create_stream() == (0, 207008)
        assert acl.rt.create_context(0) == (0, 207008), "its default stream would be one more"
        acl.rt.destroy_stream(handles[0])
        assert acl.rt.create_context(0)[1] == 0
        assert acl.rt.get_stream_available_num() == (0, 0)
    finally:
        simulator.new_process()
        simulator.configure()


def test_timeouts(acl: ModuleType) -> None:  # RT-24, K38, K39
    rt = acl.rt
    for bad in (0, -2):
        assert rt.synchronize_stream_with_timeout(0, bad) == 107000
        assert rt.synchronize_device_with_timeout(bad) == 107000
    seen: list[int] = []
    queue(0, time.sleep, 0.02)
    queue(0, seen.append, 1)
    assert rt.synchronize_stream_with_timeout(0, 1) == 507046
    assert seen == []
    assert rt.synchronize_stream_with_timeout(0, -1) == 0
    assert seen == [1]
    assert rt.synchronize_device_with_timeout(1000) == 0


def test_failures_come_out_once_at_the_next_synchronising_call(acl: ModuleType) -> None:  # RT-44, RT-45, RT-47, RT-48, K40
    rt = acl.rt
    seen: list[str] = []
    queue(0, broken_kernel)
    queue(0, seen.append, "later work still runs")
    while rt.stream_query(0) != (0, 0):
        pass
    assert seen
    assert rt.synchronize_stream(0) == 507015
    text = acl.get_recent_err_msg() or ""
    assert "broken_kernel" in text and "shapes differ" in text
    assert rt.synchronize_stream(0) == 0
    queue(0, boom)
    queue(0, broken_kernel)
    assert rt.synchronize_device() == 507015  # the later one hides the earlier
    queue(0, boom)
    event, _ = rt.create_event()
    rt.record_event(event, 0)
    assert rt.synchronize_event(event) == 0, "only streams say what failed"
    assert rt.synchronize_device() == 507011


def test_failures_stay_on_their_stream(acl: ModuleType) -> None:  # RT-48
    stream, _ = acl.rt.create_stream()
    queue(stream, boom)
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 1000) == 507011


def test_stop_on_failure_holds_for_the_context_and_stays(acl: ModuleType) -> None:  # RT-46
    rt = acl.rt
    stream, _ = rt.create_stream()
    assert rt.set_stream_failure_mode(stream, 0) == 0
    assert rt.set_stream_failure_mode(stream, 1) == 0
    assert rt.set_stream_failure_mode(stream, 1) == 0
    assert rt.set_stream_failure_mode(stream, 0) == 207000  # hicann/runtime, api_impl.cc, StreamSetMode: there is no way back
    seen: list[int] = []
    queue(stream, boom)
    queue(stream, seen.append, 1)
    queue(0, seen.append, 2)
    assert rt.synchronize_stream(stream) == 507011
    queue(stream, seen.append, 3)
    assert rt.synchronize_stream(stream) == 507011
    assert rt.synchronize_stream(0) == 507011
    assert seen == []


def test_exception_callback_sees_the_failing_task(acl: ModuleType) -> None:  # RT-52
    rt = acl.rt
    seen: list[tuple[int, ...]] = []
    handles: list[int] = []

    def report(info: int) -> None:
        handles.append(info)
        code, device = rt.get_error_code_from_exception_info(info), rt.get_device_id_from_exception_info(info)
        seen.append((code, device, rt.get_stream_id_from_exception_info(info)))

    assert rt.set_exception_info_callback(report) == 0
    queue(0, boom)
    rt.synchronize_stream(0)
    stream_id, _ = rt.stream_get_id(0)
    assert seen == [(507011, 0, stream_id)]
    assert rt.get_error_code_from_exception_info(handles[0]) == 0xFFFFFFFF
    assert rt.get_task_id_from_exception_info(0) == rt.get_thread_id_from_exception_info(0) == 0xFFFFFFFF
    assert rt.set_exception_info_callback(None) == 0
    assert rt.set_exception_info_callback() == 0
    queue(0, boom)
    rt.synchronize_stream(0)
    assert len(seen) == 1
    with pytest.raises(TypeError):
        rt.set_exception_info_callback(1)


def test_an_exception_callback_that_raised_is_called_no_more(acl: ModuleType) -> None:  # RT-52
    seen: list[int] = []

    def report(info: int) -> None:
        seen.append(info)
        raise ValueError

    acl.rt.set_exception_info_callback(report)
    for _ in range(2):
        queue(0, boom)
        assert acl.rt.synchronize_stream(0) == 507011
    assert len(seen) == 1


def test_interrupt_passes_through_and_keeps_the_queue(acl: ModuleType) -> None:
    seen: list[int] = []
    pressed: list[int] = []

    def interrupted() -> None:
        if not pressed:
            pressed.append(1)
            raise KeyboardInterrupt
        seen.append(1)

    queue(0, seen.append, 0)
    queue(0, interrupted)
    queue(0, seen.append, 2)
    with pytest.raises(KeyboardInterrupt):
        acl.rt.synchronize_stream(0)
    assert acl.rt.synchronize_stream(0) == 0
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("handler", [signal.default_int_handler, lambda number, frame: signal.default_int_handler(number, frame)])
def test_interrupt_right_after_a_finished_task_does_not_run_it_again(acl: ModuleType, handler: Any) -> None:
    before = signal.signal(signal.SIGINT, handler)
    calls = itertools.count()
    seen: list[int] = []
    try:
        queue(0, next, calls)
        queue(0, signal.raise_signal, signal.SIGINT)
        queue(0, seen.append, 1)
        with pytest.raises(KeyboardInterrupt):
            acl.rt.synchronize_stream(0)
        assert acl.rt.synchronize_stream(0) == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert next(calls) == 1
    assert seen == [1]


def test_one_thread_runs_a_queue_and_others_wait_for_it(acl: ModuleType) -> None:  # PY-17
    context, _ = acl.rt.get_context()
    running: list[int] = []
    order: list[int] = []

    def task(number: int) -> None:
        running.append(1)
        assert len(running) == 1
        time.sleep(0.002)
        order.append(number)
        running.pop()

    for number in range(20):
        queue(0, task, number)

    def synchronise() -> None:
        acl.rt.set_context(context)
        assert acl.rt.synchronize_stream(0) == 0
        assert len(order) == 20

    threads = [threading.Thread(target=synchronise) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_the_lock_is_free_while_a_task_runs(acl: ModuleType) -> None:
    held: list[bool] = []
    queue(0, lambda: held.append(streams.LOCK.locked()))
    assert acl.rt.synchronize_stream(0) == 0
    assert held == [False]


def test_calls_from_inside_a_task_do_not_hang(acl: ModuleType) -> None:
    seen: list[Any] = []

    def nested() -> None:
        queue(0, seen.append, "later")
        seen.append(acl.rt.synchronize_stream(0))

    queue(0, nested)
    assert acl.rt.synchronize_stream(0) == 0
    assert seen == [0, "later"]


@pytest.mark.parametrize("how", ["query", "timeout"])
def test_a_task_that_asks_for_what_comes_behind_itself_does_not_hang(acl: ModuleType, how: str) -> None:
    seen: list[Any] = []
    two, _ = acl.rt.create_stream()
    event, _ = acl.rt.create_event_ex_with_flag(1)

    def nested() -> None:
        acl.rt.record_event(event, 0)  # behind this task, which runs
        acl.rt.stream_wait_event(two, event)
        queue(two, seen.append, "behind")
        if how == "query":
            seen.append(acl.rt.stream_query(two))
        else:
            seen.append(acl.rt.synchronize_stream_with_timeout(two, 50))
        seen.append(len(seen))

    def body() -> None:
        acl.rt.set_context(context)
        queue(0, nested)
        seen.append(acl.rt.synchronize_stream(0))
        seen.append(acl.rt.synchronize_stream(two))

    context, _ = acl.rt.get_context()
    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert seen == [(1, 0) if how == "query" else 507046, 1, 0, "behind", 0]


def test_floating_point_warnings_of_kernels_are_silent(acl: ModuleType) -> None:
    zero = np.zeros(3, np.float32)

    def nested() -> None:
        queue(other, np.divide, zero, zero)
        assert acl.rt.synchronize_stream(other) == 0
        np.divide(zero, zero)

    other, _ = acl.rt.create_stream()
    with np.errstate(all="raise"):
        queue(0, nested)
        assert acl.rt.synchronize_stream(0) == 0
        queue(0, np.divide, zero, zero)
        assert acl.rt.synchronize_stream_with_timeout(0, 1000) == 0
        with pytest.raises(FloatingPointError):  # the caller's own arithmetic is as it was
            np.divide(zero, zero)
