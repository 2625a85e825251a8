"""Streams, contexts and threads against the rules: nothing is hidden, nothing that ended still works (RT, OP, HD, EV, CB, SIM)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import Add, add_operator, const, const_desc, desc, download, empty, load, operator, tensor, upload

from ascendtensor.simulator.engine import AclFault, contexts, streams


def queue(handle: int, fn: Any, *args: Any) -> None:
    """What an operator launch does."""
    streams.enqueue(contexts.stream_for(handle), fn, args)


def in_thread(body: Callable[[], Any]) -> Any:
    result: list[Any] = []
    thread = threading.Thread(target=lambda: result.append(body()))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return result[0]


# What is not waited for is not there


def test_a_copy_back_before_synchronise_sees_the_poison(acl: ModuleType) -> None:  # RT-29, RT-37, OP-11, SIM-2
    add = Add(acl, 8)
    garbage = add.result()
    assert not np.any(garbage == add.expected) and np.all(garbage == garbage.flat[0])
    stream, _ = acl.rt.create_stream()
    assert add.execute(stream) == 0
    assert np.array_equal(add.result(), garbage)
    assert acl.rt.synchronize_stream(0) == 0  # another stream
    assert np.array_equal(add.result(), garbage)
    assert acl.rt.memset(add.out_address, 32, 0, 32) == 0
    assert not np.any(add.result())
    assert acl.rt.synchronize_stream(stream) == 0
    assert np.array_equal(add.result(), add.expected)


def test_a_synchronous_copy_over_queued_input_changes_what_is_computed(acl: ModuleType) -> None:  # RT-37, OP-15
    add = Add(acl, 4)
    assert add.execute() == 0
    assert acl.rt.memset(add.addresses[0], 16, 0, 16) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.right)


def test_pinned_sources_are_read_when_the_copy_runs(acl: ModuleType) -> None:  # RT-39
    device, _ = acl.rt.malloc(8, 0)
    pinned, _ = acl.rt.malloc_host(8)
    acl.rt.memset(pinned, 8, 1, 8)
    assert acl.rt.memcpy_async(device, 8, pinned, 8, 1, 0) == 0
    acl.rt.memset(pinned, 8, 2, 8)
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, device, [8], "uint8").tolist() == [2] * 8


# Freed, updated and destroyed things under prepared launches


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("handled", [True, False])
def test_freed_memory_does_not_work_in_later_launches(acl: ModuleType, which: int, handled: bool) -> None:  # OP-15, RT-32
    add = Add(acl, 4)
    handle = add.handle()

    def launch() -> int:
        return int(acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)) if handled else add.execute()

    for _ in range(2):
        assert launch() == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.free([*add.addresses, add.out_address][which]) == 0
    for _ in range(2):
        assert launch() == 0
        assert acl.rt.synchronize_stream(0) == 507015
    again, _ = acl.rt.malloc(16, 0)
    assert again not in (*add.addresses, add.out_address)
    assert launch() == 0
    assert acl.rt.synchronize_stream(0) == 507015


@pytest.mark.parametrize("which", [0, 1, 2])
def test_destroyed_buffers_do_not_work_in_later_launches(acl: ModuleType, which: int) -> None:  # DB-1, HD-7, OP-1, K100
    add = Add(acl, 4)
    handle = add.handle()
    for _ in range(2):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
        assert add.execute() == 0
    assert acl.destroy_data_buffer([*add.inputs, *add.outputs][which]) == 0
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 100000
    assert add.execute() == 100000
    assert acl.rt.synchronize_stream(0) == 0  # OP-16: what was queued before runs
    assert np.array_equal(add.result(), add.expected)


def test_updated_buffers_are_taken_anew_by_both_calls(acl: ModuleType) -> None:  # DB-1, OP-16
    add = Add(acl, 4)
    handle = add.handle()
    other, where = empty(acl, 16)
    for launch in (lambda: acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0), add.execute):
        assert launch() == 0
        assert acl.update_data_buffer(add.outputs[0], where, 16) == 0
        assert launch() == 0
        assert acl.update_data_buffer(add.outputs[0], add.out_address, 16) == 0
        assert acl.rt.synchronize_stream(0) == 0
        assert np.array_equal(download(acl, where, [4]), add.expected) and np.array_equal(add.result(), add.expected)
        acl.rt.memset(where, 16, 0, 16)
        acl.rt.memset(add.out_address, 16, 0, 16)
    assert acl.destroy_data_buffer(other) == 0


def test_a_handle_does_not_keep_what_peer_access_allowed(acl: ModuleType) -> None:  # RT-42
    add = Add(acl, 4)
    handle = add.handle()
    acl.rt.set_device(1)
    assert acl.rt.device_enable_peer_access(0, 0) == 0
    for _ in range(2):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.device_disable_peer_access(0) == 0
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015


def test_prepared_launches_of_two_devices_do_not_mix(acl: ModuleType) -> None:  # HD-10, RT-42
    here = Add(acl, 4)
    handle = here.handle()
    home, _ = acl.rt.get_context()
    acl.rt.set_device(1)
    there = Add(acl, 4, model=False)
    away, _ = acl.rt.get_context()
    for _ in range(3):
        for context, mine, foreign in ((home, here, there), (away, there, here)):
            acl.rt.set_context(context)
            assert acl.op.execute_with_handle(handle, mine.inputs, mine.outputs, 0) == 0
            assert acl.rt.synchronize_stream(0) == 0
            assert np.array_equal(mine.result(), mine.expected)
            assert acl.op.execute_with_handle(handle, foreign.inputs, foreign.outputs, 0) == 0
            assert acl.rt.synchronize_stream(0) == 507015
    acl.op.destroy_handle(handle)
    for context in (home, away):
        acl.rt.set_context(context)
        assert acl.op.execute_with_handle(handle, here.inputs, here.outputs, 0) == 100000


# Contexts of other threads, streams of other contexts


def test_a_context_destroyed_elsewhere_ends_here_too(acl: ModuleType) -> None:  # RT-17, RT-19, OP-6, K31, K107
    context, _ = acl.rt.create_context(0)
    add = Add(acl, 4)
    handle = add.handle()
    stream, _ = acl.rt.create_stream()
    event, _ = acl.rt.create_event()
    for used in (stream, 0):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, used) == 0
    assert in_thread(lambda: acl.rt.destroy_context(context)) == 0
    assert acl.rt.get_context() == (0, 107002)
    for used in (stream, 0):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, used) == 107002
        assert add.execute(used) == 107002
        assert acl.rt.record_event(event, used) == 107002
    assert acl.rt.synchronize_stream(stream) == 107017
    assert acl.rt.synchronize_stream(0) == 107002
    assert acl.rt.malloc(8, 0) == (0, 107002)
    assert acl.rt.set_context(context) == 107000


def test_a_reset_device_ends_its_context_in_every_thread(acl: ModuleType) -> None:  # RT-12, RT-19, K22
    add = Add(acl, 4)
    handle = add.handle()
    ready, go = threading.Event(), threading.Event()
    codes: list[int] = []

    def other() -> None:
        acl.rt.set_device(0)
        acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
        ready.set()
        go.wait(20)
        codes.append(acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0))
        codes.append(acl.rt.synchronize_stream(0))
        codes.append(acl.rt.malloc(8, 0)[1])

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait(20)
    assert acl.rt.reset_device(0) == 0
    assert acl.rt.malloc(8, 0)[1] == 0  # counted: one use is left
    assert acl.rt.reset_device(0) == 0
    assert acl.rt.malloc(8, 0) == (0, 107002)
    go.set()
    thread.join(20)
    assert codes == [107002, 107002, 107002]
    assert acl.rt.reset_device(0) == 507007


def test_a_new_thread_has_no_context(acl: ModuleType) -> None:  # RT-19, RT-20, K24, K31, K32, K42, K53, K107
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    stream, _ = acl.rt.create_stream()
    event, _ = acl.rt.create_event()

    def calls() -> list[Any]:
        return [
            acl.rt.get_device(),
            acl.rt.get_context(),
            acl.rt.create_stream(),
            acl.rt.create_event(),
            acl.rt.malloc(8, 0),
            acl.rt.malloc_host(8),
            acl.rt.get_mem_info(0)[-1],
            acl.rt.memcpy(add.out_address, 4, add.addresses[0], 4, 3),
            acl.rt.memset(add.out_address, 4, 0, 4),
            acl.rt.memcpy_async(add.out_address, 4, add.addresses[0], 4, 3, stream),
            acl.rt.record_event(event, stream),
            acl.rt.stream_wait_event(stream, event),
            acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0),
            acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream),
            add.execute(stream),
            acl.rt.synchronize_device(),
            acl.rt.subscribe_report(1, stream),
        ]

    for answer in in_thread(calls):
        assert (answer[-1] if isinstance(answer, tuple) else answer) == 107002
    # RT-20: these need none
    free = in_thread(lambda: (acl.destroy_data_buffer(add.inputs[0]), acl.rt.free(add.out_address), acl.rt.synchronize_stream(stream)))
    assert free == (0, 0, 0)


def test_streams_of_another_context_of_the_same_device(acl: ModuleType) -> None:  # RT-22, RT-23, RT-26, K36, K55, K107, CB-4
    add = Add(acl, 4)
    handle = add.handle()
    event, _ = acl.rt.create_event()
    primary, _ = acl.rt.get_context()
    acl.rt.create_context(0)
    stream, _ = acl.rt.create_stream()
    default, _ = acl.rt.ctx_get_current_default_stream()
    for foreign in (stream, default):
        acl.rt.set_context(primary)
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, foreign) == 107003
        assert add.execute(foreign) == 107003
        assert acl.rt.record_event(event, foreign) == 107003
        assert acl.rt.record_event(event, 0) == 0
        assert acl.rt.stream_wait_event(foreign, event) == 107003
        assert acl.rt.memcpy_async(add.out_address, 4, add.addresses[0], 4, 3, foreign) == 107003
        assert acl.rt.memset_async(add.out_address, 4, 0, 4, foreign) == 107003
        assert acl.rt.launch_callback(print, None, 0, foreign) == 107003
        assert acl.rt.subscribe_report(threading.get_ident(), foreign) == 107003
        assert acl.rt.synchronize_stream(foreign) == 0
    assert acl.rt.destroy_stream(stream) == 107003


# Who runs what, and the lock


def test_a_blocking_kernel_holds_up_its_own_stream_only(acl: ModuleType) -> None:  # SIM-2: the lock is not held while it runs
    context, _ = acl.rt.get_context()
    one, two = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
    inside, leave = threading.Event(), threading.Event()

    def kernel() -> None:
        inside.set()
        assert leave.wait(20)

    queue(one, kernel)
    seen: list[int] = []
    queue(one, seen.append, 1)

    def drains() -> int:
        acl.rt.set_context(context)
        return int(acl.rt.synchronize_stream(one))

    thread = threading.Thread(target=drains)
    thread.start()
    assert inside.wait(20)
    add = Add(acl, 4)
    handle = add.handle()
    for _ in range(600):  # past the bound of the queue
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, two) == 0
    assert acl.rt.synchronize_stream(two) == 0
    assert np.array_equal(add.result(), add.expected)
    event, _ = acl.rt.create_event()
    assert acl.rt.record_event(event, two) == acl.rt.stream_wait_event(0, event) == acl.rt.synchronize_stream(0) == 0
    assert acl.rt.stream_query(one) == (1, 0)
    assert acl.rt.synchronize_stream_with_timeout(one, 20) == 507046  # RT-24, K39
    assert acl.rt.record_event(event, one) == 0
    assert acl.rt.synchronize_event_with_timeout(event, 20) == 507047  # EV-7, K66
    assert acl.rt.query_event_status(event) == (0, 0)
    assert seen == []
    leave.set()
    thread.join(20)
    assert not thread.is_alive() and seen == [1]
    assert acl.rt.synchronize_event(event) == 0


def test_a_callback_of_the_user_runs_without_the_lock(acl: ModuleType) -> None:  # CB-1, PY-18
    context, _ = acl.rt.get_context()
    one, two = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
    inside, leave, end = threading.Event(), threading.Event(), threading.Event()
    held: list[bool] = []

    def callback(data: Any) -> None:
        held.append(streams.LOCK.locked())
        inside.set()
        leave.wait(20)

    def serve(_: Any) -> None:
        acl.rt.set_context(context)
        while not end.is_set():
            acl.rt.process_report(20)

    thread, _ = acl.util.start_thread(serve, [0])
    assert acl.rt.subscribe_report(thread, one) == 0
    seen: list[int] = []
    assert acl.rt.launch_callback(callback, None, 1, one) == 0
    queue(one, seen.append, 1)
    assert inside.wait(20)
    queue(two, seen.append, 2)
    assert acl.rt.synchronize_stream(two) == 0
    assert seen == [2] and held == [False]
    leave.set()
    assert acl.rt.synchronize_stream(one) == 0
    assert seen == [2, 1]
    assert acl.rt.unsubscribe_report(thread, one) == 0
    end.set()
    assert acl.util.stop_thread(thread) == 0


def test_waits_run_the_other_stream_only_as_far_as_the_record(acl: ModuleType) -> None:  # RT-27, EV-2, EV-4
    one, two = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
    event, _ = acl.rt.create_event()
    seen: list[str] = []
    queue(one, seen.append, "before")
    acl.rt.record_event(event, one)
    queue(one, seen.append, "behind")
    acl.rt.stream_wait_event(two, event)
    queue(two, seen.append, "waited")
    acl.rt.record_event(event, one)  # EV-2: waits already queued keep the old capture
    assert acl.rt.synchronize_stream(two) == 0
    assert seen == ["before", "waited"]
    assert acl.rt.synchronize_device() == 0
    assert seen == ["before", "waited", "behind"]


def test_long_chains_of_waits_need_no_deep_stack(acl: ModuleType) -> None:  # EV-4
    count = 1500
    chain = [acl.rt.create_stream()[0] for _ in range(count)]
    seen: list[int] = []
    event, _ = acl.rt.create_event_ex_with_flag(1)
    for number, stream in enumerate(chain):
        if number:
            acl.rt.stream_wait_event(stream, event)
        queue(stream, seen.append, number)
        acl.rt.record_event(event, stream)
    assert acl.rt.synchronize_stream(chain[-1]) == 0
    assert seen == list(range(count))


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_the_bound_of_the_queue_counts_every_kind_of_task(acl: ModuleType, limit: int) -> None:
    acl.rt.reset_device(0)
    acl.configure(queue=limit)
    acl.rt.set_device(0)
    add = Add(acl, 4)
    handle = add.handle()
    event, _ = acl.rt.create_event_ex_with_flag(9)
    pinned, _ = acl.rt.malloc_host(16)
    launches: list[Callable[[], int]] = [
        lambda: int(acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)),
        lambda: add.execute(),
        lambda: int(acl.rt.record_event(event, 0)),
        lambda: int(acl.rt.memcpy_async(pinned, 16, add.out_address, 16, 2, 0)),
        lambda: int(acl.rt.memset_async(add.addresses[0], 16, 0, 16, 0)),
    ]
    waiting = contexts.stream_for(0).queue
    for launch in launches * 3:
        before = len(waiting)
        assert launch() == 0
        if launch is launches[2] and not before:
            assert not waiting, "an event with nothing before it is reached at once"
        else:
            assert len(waiting) == (before + 1 if before < limit else 0)
    assert acl.rt.synchronize_stream(0) == 0


# Failures


def fail(code: int) -> None:
    raise AclFault(code, "made to fail")


def test_a_failure_is_returned_once_by_the_next_synchronise_of_its_stream_alone(acl: ModuleType) -> None:  # RT-44, RT-45, K40
    """An event is told that it was reached, never what failed before it (runtime, Event::WaitTask, Stream::GetSynchronizeError)."""
    other, _ = acl.rt.create_stream()
    event, _ = acl.rt.create_event()
    for synchronise in (
        lambda: acl.rt.synchronize_stream(0),
        lambda: acl.rt.synchronize_stream_with_timeout(0, 1000),
        lambda: acl.rt.synchronize_device(),
        lambda: acl.rt.synchronize_device_with_timeout(1000),
    ):
        queue(0, fail, 507011)
        assert acl.rt.record_event(event, 0) == 0
        assert acl.rt.stream_wait_event(other, event) == 0
        assert acl.rt.synchronize_stream(other) == 0  # ran the failing task, but it is not its stream
        assert acl.rt.stream_query(0) == (0, 0)
        assert acl.rt.query_event(event) == (0, 0)
        assert acl.rt.synchronize_event(event) == acl.rt.synchronize_event_with_timeout(event, 1000) == 0
        assert acl.rt.memset(acl.rt.malloc(8, 0)[0], 8, 0, 8) == 0
        assert synchronise() == 507011
        assert "507011" in acl.get_recent_err_msg()  # RT-50
        assert synchronise() == 0
        assert acl.rt.get_last_error(0) == 507011 and acl.rt.get_last_error(0) == 0  # RT-49


def test_work_behind_a_failure_runs_and_a_later_failure_hides_it(acl: ModuleType) -> None:  # RT-45, RT-47
    seen: list[int] = []
    queue(0, fail, 507011)
    queue(0, seen.append, 1)
    queue(0, fail, 507015)
    queue(0, seen.append, 2)
    assert acl.rt.synchronize_stream(0) == 507015
    assert seen == [1, 2]


def test_a_failure_found_by_the_full_queue_waits_for_synchronise(acl: ModuleType) -> None:  # RT-44
    acl.rt.reset_device(0)
    acl.configure(queue=2)
    acl.rt.set_device(0)
    for _ in range(3):
        queue(0, fail, 507015)
    assert not contexts.stream_for(0).queue
    add = Add(acl, 4)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert np.array_equal(add.result(), add.expected)


@pytest.mark.parametrize("handle", [False, True])
@pytest.mark.parametrize(("op_type", "dtype", "code"), [("Cumprod", "float32", 507018), ("Add", "float32", 507015)])
def test_a_failure_has_the_code_of_the_processor(acl: ModuleType, op_type: str, dtype: str, code: int, handle: bool) -> None:  # RT-47
    more = [const([0])] if op_type == "Cumprod" else [tensor([4], dtype)]
    load(acl, operator(op_type, [tensor([4], dtype), *more], [tensor([4], dtype)]))
    x, _ = upload(acl, np.ones(4, np.float32))
    axis = acl.create_data_buffer(0, 0) if op_type == "Cumprod" else x
    foreign = acl.create_data_buffer(acl.rt.malloc_host(64)[0], 16)
    descs = [desc(acl, [4], dtype), const_desc(acl, [0]) if op_type == "Cumprod" else desc(acl, [4], dtype)]
    if handle:
        made, ret = acl.op.create_handle(op_type, descs, [desc(acl, [4], dtype)], 0)
        assert ret == 0 and acl.op.execute_with_handle(made, [x, axis], [foreign], 0) == 0
    else:
        assert acl.op.execute_v2(op_type, descs, [x, axis], [desc(acl, [4], dtype)], [foreign], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == code  # the output is not device memory
    assert f"[{op_type}]" in acl.get_recent_err_msg()


def test_a_failing_kernel_leaves_a_text_and_the_next_run_works(acl: ModuleType) -> None:  # OP-18, RT-48, RT-51
    load(acl, operator("GatherV2", [tensor([4]), tensor([2], "int64"), const([0])], [tensor([2])]))
    x, _ = upload(acl, np.arange(4, dtype=np.float32))
    bad, _ = upload(acl, np.array([1, 99]))
    good, _ = upload(acl, np.array([1, 3]))
    axis = acl.create_data_buffer(0, 0)
    out, where = empty(acl, 8)
    descs = [desc(acl, [4]), desc(acl, [2], "int64"), const_desc(acl, [0])]
    handle, ret = acl.op.create_handle("GatherV2", descs, [desc(acl, [2])], 0)
    assert ret == 0
    assert acl.op.execute_with_handle(handle, [x, bad, axis], [out], 0) == 0
    code = acl.rt.synchronize_stream(0)
    if code:  # a board's kernel may also read what lies there
        assert code == 507015 and "index 99" in acl.get_recent_err_msg()
    assert acl.op.execute_with_handle(handle, [x, good, axis], [out], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, where, [2]).tolist() == [1, 3]


def test_threads_on_one_stream_lose_nothing_in_the_simulator(acl: ModuleType) -> None:  # HD-11: a board promises less
    context, _ = acl.rt.get_context()
    total, where = upload(acl, np.zeros(4, np.float32))
    one, _ = upload(acl, np.ones(4, np.float32))
    load(acl, add_operator(4))
    handle, _ = acl.op.create_handle("Add", [desc(acl, [4])] * 2, [desc(acl, [4])], 0)

    def work() -> None:
        acl.rt.set_context(context)
        for _ in range(2000):
            acl.op.execute_with_handle(handle, [total, one], [total], 0)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, where, [4]).tolist() == [8000.0] * 4


def test_a_handle_shared_by_threads_keeps_the_books_of_every_buffer(acl: ModuleType) -> None:  # HD-10, OP-15
    context, _ = acl.rt.get_context()
    load(acl, add_operator(4))
    handle, _ = acl.op.create_handle("Add", [desc(acl, [4])] * 2, [desc(acl, [4])], 0)
    shared, address = upload(acl, np.ones(4, np.float32))
    outputs: list[int] = []

    def work() -> None:
        acl.rt.set_context(context)
        stream, _ = acl.rt.create_stream()
        mine = [empty(acl, 16)[0] for _ in range(40)]
        outputs.extend(mine)
        for _ in range(20):
            for out in mine:
                assert acl.op.execute_with_handle(handle, [shared, shared], [out], stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(outputs) == 240
    assert acl.rt.free(address) == 0
    for out in outputs:
        assert acl.op.execute_with_handle(handle, [shared, shared], [out], 0) == 0
        assert acl.rt.synchronize_stream(0) == 507015


# Whole programs


def test_eight_threads_in_a_ring_of_events(acl: ModuleType) -> None:  # OP-19, EV-4, RT-27: 8 x 10,000 launches
    load(acl, add_operator(4))
    context, _ = acl.rt.get_context()
    count, rounds, each = 8, 20, 500
    step = upload(acl, np.ones(4, np.float32))[0]
    start = threading.Barrier(count)
    shared, where = upload(acl, np.zeros(4, np.float32))
    events = [acl.rt.create_event_ex_with_flag(1)[0] for _ in range(count)]
    turns = [threading.Semaphore(number == 0) for number in range(count)]
    wrong: list[Any] = []

    def work(number: int) -> None:
        acl.rt.set_context(context)
        stream, _ = acl.rt.create_stream()
        handle, _ = acl.op.create_handle("Add", [desc(acl, [4]), desc(acl, [4])], [desc(acl, [4])], 0)
        own, mine = upload(acl, np.zeros(4, np.float32))
        start.wait(20)
        for turn in range(rounds):
            for _ in range(each - 1):
                if acl.op.execute_with_handle(handle, [own, step], [own], stream):
                    wrong.append("launch")
            turns[number].acquire()
            if turn or number:
                acl.rt.stream_wait_event(stream, events[number - 1])
            acl.op.execute_with_handle(handle, [shared, step], [shared], stream)
            acl.rt.record_event(events[number], stream)
            turns[(number + 1) % count].release()
        if acl.rt.synchronize_stream(stream) or np.any(download(acl, mine, [4]) != rounds * (each - 1)):
            wrong.append(number)
        acl.op.destroy_handle(handle)
        if acl.rt.destroy_stream(stream):
            wrong.append("destroy")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert not wrong and time.monotonic() - began < 60
    assert download(acl, where, [4]).tolist() == [count * rounds] * 4
    assert all(acl.rt.destroy_event(event) == 0 for event in events)
    assert acl.rt.reset_device(0) == 0
    left = acl.tables()
    assert (left["handles"], left["streams"], left["events"], left["contexts"]) == (0, 0, 0, 0)
