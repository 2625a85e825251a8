"""Programs drawn at random over several streams and contexts: results are those of the same program in one stream, whatever memory is used
again (RT-27, EV-2, OP-15).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ascendtensor as at

Array = npt.NDArray[Any]
KEPT = 10


class Program:
    """Tensors and what they must hold."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.size = self.random.choice([8, 200, 4000])
        self.streams = [at.Stream() for _ in range(3)]
        for context in (at.Context(), at.Context()):
            with context:
                self.streams += [at.Stream(), context.current_stream()]
        self.values: list[tuple[Any, Array]] = []

    def run(self, steps: int) -> None:
        for _ in range(steps):
            with self.random.choice(self.streams):
                getattr(self, self.random.choice(STEPS) if len(self.values) > 1 else "new")()
            while len(self.values) > KEPT:
                self.drop()
        for tensor, expected in self.values:
            np.testing.assert_array_equal(tensor.numpy(), expected)

    def some(self) -> tuple[Any, Array]:
        return self.random.choice(self.values)

    def new(self) -> None:
        number = float(self.random.randint(-5, 5))
        if self.random.random() < 0.5:
            self.values.append((at.full((self.size,), number), np.full(self.size, number, np.float32)))
        else:
            host = np.arange(self.size, dtype=np.float32) % 7 - number
            self.values.append((at.from_numpy(host), host.copy()))

    def add(self) -> None:
        (one, left), (other, right) = self.some(), self.some()
        self.values.append((one + other, (left + right) % 97))
        self.values[-1][0].remainder_(97.0)

    def add_in_place(self) -> None:
        (one, left), (other, right) = self.some(), self.some()
        one += other
        one.remainder_(97.0)
        left[...] = (left + right) % 97

    def launch_another_form(self) -> None:
        """One tensor, three, numbers, two results, sizes that keep changing (a dynamic model)."""
        (one, left), (other, right), (third, chosen) = self.some(), self.some(), self.some()
        few = self.random.randint(1, self.size)
        forms: list[Callable[[], tuple[Any, Array]]] = [
            lambda: (-one, -left),
            lambda: (at.where(third > 0, one, other), np.where(chosen > 0, left, right)),
            lambda: (one.clamp(-30.0, 30.0), left.clip(-30, 30)),
            lambda: (at.sort(one).values, np.sort(left)),
            lambda: (at.cat((one[:few] - other[:few], one[few:])), np.concatenate((left[:few] - right[:few], left[few:]))),
        ]
        made, expected = self.random.choice(forms)()
        self.values.append((made, expected % 97))
        made.remainder_(97.0)

    def write_into_a_view(self) -> None:
        (one, left), (other, right) = self.some(), self.some()
        start = self.random.choice([0, 1, self.size // 2])
        one[start:] = other[start:]
        left[start:] = right[start:].copy()

    def read(self) -> None:
        tensor, expected = self.some()
        np.testing.assert_array_equal(tensor.numpy(), expected)

    def drop(self) -> None:
        del self.values[self.random.randrange(len(self.values))]

    def lend(self) -> None:
        self.some()[0].record_stream(self.random.choice(self.streams))

    def order(self) -> None:
        event = self.random.choice(self.streams).record_event()
        self.random.choice(self.streams).wait_event(event)

    def empty_cache(self) -> None:
        if self.random.random() < 0.2:
            at.empty_cache()


STEPS = [
    *("new", "add", "add", "add_in_place", "add_in_place", "launch_another_form", "launch_another_form", "write_into_a_view"),
    *("read", "drop", "drop", "lend", "order", "empty_cache"),
]


@pytest.mark.parametrize("seed", range(8))
def test_a_random_program(seed: int) -> None:
    Program(seed).run(120)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_a_longer_random_program(seed: int) -> None:
    Program(seed).run(400)


def test_random_programs_in_threads() -> None:
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            Program(seed).run(60)
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(20, 24)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not failures and not any(worker.is_alive() for worker in workers)


def test_a_write_waits_for_reads_of_the_stream_that_wrote_before() -> None:
    # The other stream is ordered behind the write, not behind what its stream has read since.
    first, second = at.Stream(), at.Stream()
    with first:
        x = at.full((200,), 2.0)
    with second:
        assert x[0].item() == 2.0
    with first:
        doubled = x + x
    with second:
        x += 5.0
        second.synchronize()
    assert doubled.tolist() == [4.0] * 200


@pytest.mark.slow
def test_eight_threads_launch_ten_thousand_times_each_with_events_between_them() -> None:
    threads, launches = 8, 10_000
    streams, marks = [at.Stream() for _ in range(threads)], [at.Event() for _ in range(threads)]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with at.stream(streams[number]):
                x = at.zeros(64)
                for launch in range(launches):
                    x = x + 1
                    if launch % 500 == 499:
                        marks[number].record()
                        streams[number].wait_event(marks[(number + 1) % threads])
                np.testing.assert_array_equal(x.numpy(), np.full(64, float(launches), np.float32))
        except BaseException as error:
            failures.append(error)

    began = time.monotonic()
    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not failures and not any(worker.is_alive() for worker in workers)
    assert time.monotonic() - began < 60
