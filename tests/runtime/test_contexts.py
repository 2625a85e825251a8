"""Contexts of the user's own: streams apart, tensors of the device, order across contexts (RT-16 to RT-20, RT-26)."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.acl import binding
from ascendtensor.runtime.device import Device, as_device


def in_thread(function: Callable[[], Any]) -> Any:
    """What `function` gives in a thread of its own."""
    found: list[Any] = []
    worker = threading.Thread(target=lambda: found.append(function()))
    worker.start()
    worker.join(30)
    return found[0]


def current() -> int:
    return simulator.rt.get_context()[0]


def test_a_context_is_current_within_its_block(npu: Device) -> None:  # RT-16, RT-18
    npu.activate()
    context = at.Context()
    assert context.handle != npu.context == current()
    with context as entered:
        assert entered is context and current() == context.handle
        (at.ones(3) + 1).cpu()
        assert current() == context.handle
    assert current() == npu.context
    assert (at.ones(3) + 1).tolist() == [2.0, 2.0, 2.0]


def test_streams_belong_to_the_context_they_are_made_in() -> None:  # RT-26
    outside = at.Stream()
    with at.Context() as context:
        inside = at.Stream()
        mine = at.current_stream()
        assert mine is context.current_stream()
        assert mine.lane.context == inside.lane.context == context.handle != outside.lane.context
        with at.stream(outside):
            assert current() == outside.lane.context
            x = at.arange(4) * 2
        assert current() == context.handle
    with inside:
        assert at.current_stream() is inside and current() == context.handle
        assert (x + 1).tolist() == [1, 3, 5, 7]
    assert current() == outside.lane.context


def test_tensors_are_used_in_every_context_of_their_device() -> None:
    rng = np.random.default_rng(0)
    host = rng.standard_normal((64, 64)).astype(np.float32)
    contexts = [at.Context() for _ in range(3)]
    x, want = at.from_numpy(host), host
    for step in range(30):
        with contexts[step % 3]:
            x = x * 0.5
            x += 1.0
        want = want * np.float32(0.5) + np.float32(1.0)
    assert np.array_equal(x.numpy(), want)


def test_memory_is_not_used_again_while_another_context_reads_it(npu: Device) -> None:
    context = at.Context()
    results = []
    for number in range(50):
        x = at.full((256,), float(number))
        with context:
            y = x + 1
        del x  # its block comes back, and the next fill takes it
        results.append(y)
    assert [float(y[0].item()) for y in results] == [number + 1.0 for number in range(50)]


def test_events_order_streams_of_two_contexts() -> None:  # EV-4
    with at.Context() as context, at.Event() as event:
        x = at.ones(8) * 3
        event.record()
        handle = event._handle
        assert current() == context.handle
        outside = as_device().local.stream
        assert outside.lane.context == context.handle
    assert handle and not event._handle
    second = at.Event(enable_timing=True)
    with context:
        second.record()
    second.wait()  # on the stream of the primary context
    assert (x + 1).tolist() == [4.0] * 8
    third = at.Event(enable_timing=True)
    third.record(context.current_stream())  # from outside
    third.synchronize()
    assert second.elapsed_time(third) >= 0
    assert context.current_stream().query()


def test_an_event_gives_its_handle_back_and_can_be_recorded_again() -> None:  # EV-2, EV-8
    with at.Event() as event:
        event.record()
    assert event.query() and repr(event) == "<Event, not recorded>"
    event.record()
    event.synchronize()


def test_each_thread_has_a_stream_of_its_own_in_a_context() -> None:
    context = at.Context()

    def work() -> tuple[int, list[float]]:
        with context:
            return at.current_stream().handle, (at.ones(3) * 2).tolist()

    with context:
        here = at.current_stream().handle
    there, values = in_thread(work)
    assert there != here and values == [2.0] * 3


def test_a_context_is_used_again_when_its_object_is_gone(npu: Device) -> None:
    first = at.Context()
    handle = first.handle
    del first
    gc.collect()
    assert at.Context().handle == handle
    assert len(npu.contexts.made) == 1


def test_callbacks_of_streams_in_a_context(npu: Device) -> None:  # CB-1, CB-4
    called: list[str] = []
    npu.current_stream().add_callback(lambda: called.append("outside"))
    with at.Context() as context:
        stream = at.current_stream()
        at.ones(3) + 1
        stream.add_callback(lambda: called.append("inside"))
        stream.synchronize()
        assert "inside" in called and current() == context.handle
    stream.add_callback(lambda: called.append("later"))
    at.synchronize()
    assert sorted(called) == ["inside", "later", "outside"]


def test_waiting_for_a_context_waits_for_its_streams_only(npu: Device) -> None:
    stream = npu.current_stream()
    with at.Context() as context:
        x = at.ones(4) + 1
    at.ones(2) + 1
    context.synchronize()
    assert not context.current_stream().recent and stream.recent
    at.synchronize()
    assert not stream.recent
    assert x.tolist() == [2.0] * 4


def test_an_error_of_queued_work_shows_where_the_context_is_waited_for() -> None:  # RT-45
    with at.Context() as context, simulator.faults.kernel("Add"):
        at.ones(4) + at.ones(4)
        with pytest.raises(at.AclError, match=r"Launched before it: .*Add"):
            context.synchronize()
        context.synchronize()


def test_raw_hands_over_the_context_that_is_entered() -> None:
    with at.Context() as context, at.raw() as raw:
        assert raw.context == context.handle == current()
        assert simulator.rt.synchronize_stream(raw.stream) == 0


def test_a_closed_context_says_so() -> None:
    context = at.Context()
    with context:
        at.ones(3) + 1
    at.shutdown()
    assert repr(context).endswith("closed>")
    with pytest.raises(at.ClosedError, match="Make a new one"), context:
        pass
    with at.Context():
        assert (at.ones(2) + 1).tolist() == [2.0, 2.0]


def test_shutdown_inside_a_context() -> None:
    with at.Context():
        at.ones(3) + 1
        at.shutdown()
        assert (at.ones(2) + 1).tolist() == [2.0, 2.0]
    assert (at.ones(2) + 2).tolist() == [3.0, 3.0]


def test_contexts_on_two_devices() -> None:
    first, second = at.Context(0), at.Context(1)
    with first:
        x = at.ones(3)
        with second:
            assert at.current_device().index == 1
            y = at.ones(3) * 2
            x = x + 1  # back to the device of the operand, and its context
            assert current() == first.handle
        assert at.current_device().index == 0
    assert (x + y.to("npu:0")).tolist() == [4.0] * 3


def test_a_pyacl_that_is_too_old_for_the_range_says_so(npu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("ascendtensor.simulator.rt.device_get_stream_priority_range")
    with pytest.raises(at.UnsupportedError, match=r"CANN 8\.1"):
        at.Stream.priority_range()


def test_priority_and_flags_reach_acl(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, int]] = []
    original = simulator.rt.create_stream_with_config
    monkeypatch.setattr(simulator.rt, "create_stream_with_config", lambda *args: (made.append(args), original(*args))[1])
    stream = at.Stream(priority=1, flags=3)
    assert made == [(1, 3)] and (stream.priority, stream.flags) == (1, 3)
    handle = stream.handle
    del stream
    assert at.Stream().handle != handle
    assert at.Stream(priority=1, flags=3).handle == handle  # used again for its like
    assert made == [(1, 3)]
    least, greatest = at.Stream.priority_range()
    assert least >= greatest
    with pytest.raises(at.DTypeError, match="ints"):
        at.Stream(priority="high")  # type: ignore[arg-type]


def test_many_threads_and_contexts_share_tensors() -> None:
    contexts = [at.Context() for _ in range(3)]
    base = at.arange(512, dtype=at.float32)
    base.device.synchronize()
    failures: list[str] = []

    def work(number: int) -> None:
        for step in range(40):
            with contexts[(number + step) % 3]:
                x = base * float(number)
            y = x + float(step)
            if not np.array_equal(y.numpy(), np.arange(512, dtype=np.float32) * number + step):
                failures.append(f"thread {number}, step {step}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not failures and not any(worker.is_alive() for worker in workers)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", ["set_context", "get_context", "create_context", "create_stream", "record_event", "stream_wait_event"])
def test_interrupts_leave_the_right_context_current(name: str, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def program() -> None:
        x = at.ones(16)
        with at.Context() as context:
            y = x + 1
            event = at.Event()
            event.record()
            with at.Stream():
                z = y * 2
        event.wait()
        assert (x + z).tolist() == [5.0] * 16
        context.synchronize()

    original = getattr(binding, name)
    for nth in range(1, 40):
        calls: list[int] = []

        def call(*arguments: Any, calls: list[int] = calls, nth: int = nth) -> Any:
            calls.append(1)
            if len(calls) == nth and not after:
                raise KeyboardInterrupt
            result = original(*arguments)
            if len(calls) == nth:
                raise KeyboardInterrupt
            return result

        with monkeypatch.context() as patch:
            patch.setattr(binding, name, call)
            try:
                program()
            except KeyboardInterrupt:
                pass
        program()
        assert simulator.rt.get_context()[0] == as_device(0).current_stream().lane.context
        at.shutdown()
        if len(calls) < nth:
            break
    if after:  # what was made in the moment of the interrupt: a signal waits for its end, this test does not
        simulator.new_process()
