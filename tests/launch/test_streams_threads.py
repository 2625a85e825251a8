"""Launches from many threads and streams: right numbers, ordered by events, with the simulator's queues really deferring."""

from __future__ import annotations

import gc
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.runtime.memory import DeviceBuffer


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Threads change places as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run(*bodies: Callable[[], Any]) -> None:
    """Run each in a thread of its own; the first failure comes out."""
    failures: list[BaseException] = []

    def guarded(body: Callable[[], Any]) -> None:
        try:
            body()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


def test_a_new_thread_simply_works() -> None:
    a = at.tensor([1.0, 2.0])
    results: list[Any] = []
    run(lambda: results.append((a + a).tolist()), lambda: results.append(at.ones(2).sum().item()))
    assert sorted(results, key=str) == [2.0, [2.0, 4.0]]


def test_a_new_thread_works_where_nothing_was_used_before() -> None:
    results: list[Any] = []
    run(lambda: results.append(at.sum(at.ones(2, 2)).item()))
    assert results == [4.0]


@pytest.mark.usefixtures("board")
def test_the_first_call_of_a_thread_on_a_board_may_be_one_with_constants() -> None:
    # TD-18: there the bytes of a constant lie in device memory, so making the plan needs a context.
    a = at.ones(3, 5)
    at.synchronize()
    results: list[Any] = []
    run(lambda: results.append(at.sum(a, 1).tolist()))
    assert results == [[5.0, 5.0, 5.0]]


def test_eight_threads_pass_tensors_round_a_ring(eager_switches: None) -> None:
    count, rounds = 8, 25
    slots: list[queue.Queue[Any]] = [queue.Queue() for _ in range(count)]
    finished: list[Any] = [None] * count

    def work(number: int) -> None:
        one = at.full((5, 7), float(number))
        for turn in range(rounds * count):
            token, values = slots[number].get(timeout=30)
            token = token + one  # written by another thread's stream, not waited for on the host
            if turn % 3 == 0:
                token += 1
                values = values + 1
            slots[(number + 1) % count].put((token, values + number))
        finished[number] = slots[number].get(timeout=30) if number == 0 else None

    for number in range(count):
        slots[number].put((at.full((5, 7), float(number)), float(number)))
    run(*(lambda number=number: work(number) for number in range(count)))
    left = [item for slot in slots for item in list(slot.queue)] + [finished[0]]
    assert len(left) == count
    for token, values in left:
        np.testing.assert_array_equal(token.numpy(), np.full((5, 7), values, np.float32))


def test_a_tensor_crossing_streams_is_ordered_by_an_event() -> None:
    side = at.Stream()
    a = at.ones(64)
    for turn in range(20):
        b = a * (turn + 1)  # queued on the thread's stream, has not run
        with at.stream(side):
            c = b + b  # must wait for it
            c += 1
        d = c - 1  # and back
        assert d.tolist() == [2.0 * (turn + 1)] * 64


def test_a_write_waits_for_readers_on_other_streams() -> None:
    side = at.Stream()
    a = at.ones(64)
    kept = []
    for turn in range(10):
        with at.stream(side):
            kept.append(a + 0)  # reads on the side stream, which nobody drains
        a += 1
        del turn
    at.synchronize()
    for turn, copy in enumerate(kept):
        assert copy[0].item() == turn + 1


def test_memory_freed_while_another_stream_reads_it_is_not_reused_too_early() -> None:
    side = at.Stream()
    for turn in range(30):
        a = at.full((256,), float(turn))
        with at.stream(side):
            b = a + 1
        del a  # the read is only queued
        junk = [at.full((256,), -1.0) for _ in range(4)]  # would take the block
        assert b.tolist() == [turn + 1.0] * 256
        del junk


def test_many_readers_in_threads_of_memory_that_goes(eager_switches: None) -> None:
    # Each round's operand and the number 3 are read first by all threads at once.
    rounds, count = 60, 4
    barrier = threading.Barrier(count + 1)
    box: list[Any] = [None]

    def read() -> None:
        for turn in range(rounds):
            barrier.wait(30)
            a = box[0]
            b = a * 3 + a
            del a
            barrier.wait(30)
            assert b[5].item() == 4.0 * turn, f"round {turn}"
            barrier.wait(30)

    def write() -> None:
        for turn in range(rounds):
            box[0] = at.full((300,), float(turn))
            barrier.wait(30)
            barrier.wait(30)
            box[0] += 100  # after all reads are queued: must not be seen by them
            box[0] = None
            junk = [at.full((300,), -7.0) for _ in range(6)]
            barrier.wait(30)
            del junk

    run(write, *[read] * count)


def test_two_readers_that_come_at_once_are_both_remembered() -> None:
    # Both find that nobody has read the buffer yet; the one that is stopped there must not forget the other.
    a = at.ones(4)
    at.synchronize()
    streams = [at.Stream(), at.Stream()]
    found, go_on = threading.Event(), threading.Event()
    stopped = threading.local()

    class Slow(DeviceBuffer):
        """Stops a thread that asked for its readers and was told None."""

        __slots__ = ("known",)

        @property
        def readers(self) -> Any:
            known = getattr(self, "known", None)
            if known is None and getattr(stopped, "here", False):
                found.set()
                go_on.wait(5)
            return known

        @readers.setter
        def readers(self, value: Any) -> None:
            self.known = value

    lent = a.buffer.stream.pool.lend(512, a.buffer.stream)
    buffer = Slow(lent.block, a.buffer.stream)
    del lent.block

    def one() -> None:
        stopped.here = True
        a.device.current_stream()
        buffer.read_on(streams[0])

    def two() -> None:
        found.wait(5)
        timer = threading.Timer(0.1, go_on.set)
        timer.start()
        a.device.current_stream()
        buffer.read_on(streams[1])
        timer.join()

    run(one, two)
    assert buffer.readers == {stream.handle for stream in streams}
    assert buffer.block.users == {stream.handle for stream in streams}


def test_readers_are_remembered_under_any_switching(eager_switches: None) -> None:
    barrier = threading.Barrier(6)
    box: list[Any] = []
    lost = 0

    def work() -> None:
        for turn in range(40):
            barrier.wait(30)
            (box[turn] + 1).numpy()
            barrier.wait(30)

    box.extend(at.full((16,), float(turn)) for turn in range(40))
    at.synchronize()
    run(*[work] * 6)
    for tensor in box:
        lost += len(tensor.buffer.readers or ()) != 6
    assert not lost, f"{lost} buffers forgot a reader"


def test_two_threads_share_a_stream(eager_switches: None) -> None:
    shared = at.Stream()
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        with at.stream(shared):
            x = at.full((33,), float(number))
            for _ in range(150):
                x = x + 1
            results[number] = x.numpy()

    run(lambda: work(0), lambda: work(1000), lambda: work(2000))
    for number, values in results.items():
        np.testing.assert_array_equal(values, np.full(33, number + 150, np.float32))


def test_threads_on_different_devices() -> None:
    results: list[Any] = []

    def work(index: int) -> None:
        with at.device(index):
            x = at.full((9,), float(index + 1))
            for _ in range(30):
                x = x + x * 0
            results.append((index, x.device.index, x.sum().item()))

    run(*[lambda index=index % 2: work(index) for index in range(6)])
    assert sorted(results) == [(0, 0, 9.0)] * 3 + [(1, 1, 18.0)] * 3


def test_threads_that_end_give_their_streams_back() -> None:
    a = at.ones(3)
    for _ in range(12):
        run(lambda: (a + 1).numpy())
    assert simulator.tables()["streams"] <= 4


def test_tensors_dropped_by_another_thread_and_by_the_collector() -> None:
    boxes: queue.Queue[Any] = queue.Queue()

    class Node:
        def __init__(self) -> None:
            self.tensor = at.ones(100)
            self.me = self  # only the cyclic collector frees it

    def produce() -> None:
        for _ in range(50):
            boxes.put([at.ones(100) + 1, Node()])

    def consume() -> None:
        for _ in range(50):
            boxes.get(timeout=30)

    run(produce, consume)
    gc.collect()
    at.synchronize()
    at.empty_cache()
    assert at.memory_allocated() < 64 * 1024, "only cached numbers are left"
