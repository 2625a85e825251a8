"""Long loops leave memory where it was: the process's, the device's, and the simulator's tables."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import tracemalloc
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import session

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.launch.registry import DEFAULT_CAPACITY


def growth(body: Callable[[], None], before: int = 1) -> tuple[int, int, dict[str, int]]:
    """What a body leaves behind: bytes of Python objects, bytes of device memory, entries of the simulator's tables.

    The times `before` are for what it replaces. Of the bytes of the next three it is the middle one: bounded caches fill and are swept.
    """

    def now() -> tuple[int, int, dict[str, int]]:
        at.synchronize()
        at.handle_cache.info()
        gc.collect()
        at.memory_allocated()
        return tracemalloc.get_traced_memory()[0], at.memory_reserved(), simulator.tables()

    tracemalloc.start()
    try:
        for _ in range(before):
            body()  # what it replaces is counted from here on
            now()
        found = [now()]
        for _ in range(3):
            body()
            found.append(now())
    finally:
        tracemalloc.stop()
    grown = sorted(later[0] - earlier[0] for earlier, later in pairwise(found))[1]
    first, after = found[0], found[1]
    tables = {name: after[2][name] - count for name, count in first[2].items() if after[2][name] != count}
    return grown, after[1] - first[1], tables


def chain(a: Any, b: Any, rounds: int) -> Any:
    x = a
    for _ in range(rounds):
        x = a + b
        x = x * b
        x = at.relu(x)
        x = x - a
    return x


@pytest.mark.parametrize("rounds", [1_500, pytest.param(25_000, marks=pytest.mark.slow)])
def test_launches_in_a_loop_leave_memory_where_it_was(rounds: int) -> None:
    # The long one makes 100,000 launches.
    a, b = at.ones(8, 8), at.full((8, 8), 2.0)
    chain(a, b, 500).numpy()
    grown, reserved, tables = growth(lambda: chain(a, b, rounds))
    assert grown < 20_000 and reserved == 0 and not tables


def test_a_hundred_thousand_launches_leave_the_process_where_it_was() -> None:
    # Without tracemalloc, at full speed, by the process's resident memory.
    done = child(
        """
        import resource, sys
        import ascendtensor as at

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        a, b = at.ones(8, 8), at.full((8, 8), 2.0)
        def loop(count):
            for _ in range(count):
                c = a + b
            at.synchronize()
        loop(20_000)
        before, reserved = resident(), at.memory_reserved()
        loop(100_000)
        assert at.memory_reserved() == reserved, (at.memory_reserved(), reserved)
        print(resident() - before)
        """
    )
    if sys.platform != "linux":
        pytest.skip("/proc is Linux's")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1 << 20


@pytest.mark.parametrize("rounds", [8, pytest.param(24, marks=pytest.mark.slow)])
def test_plans_made_and_evicted_leave_nothing(rounds: int) -> None:
    def loop(rounds: int) -> None:
        for number in range(rounds):
            for rows in range(1, 12):
                x = at.from_numpy(np.ones((rows, 4), np.float32))
                x + x, at.sum(x, number % 2), x[x > 0]
            at.synchronize()

    at.handle_cache.resize(6)
    try:
        loop(4)
        at.handle_cache.bury()
        grown, _, tables = growth(lambda: loop(rounds), before=5)  # the simulator keeps some twenty runs of each x[x > 0]
        for name, count in tables.items():
            assert abs(count) <= 30, f"{name} grew by {count}"
        # Which plans and descriptions are alive at the end changes; 75 bytes for each that the slow one makes would be more.
        assert grown < 60_000
    finally:
        at.handle_cache.resize(DEFAULT_CAPACITY)


def test_streams_events_and_threads_leave_nothing() -> None:
    a = at.ones(16)

    def loop(rounds: int) -> None:
        for _ in range(rounds):
            side = at.Stream()
            event = at.Event()
            with at.stream(side):
                b = a + 1
                event.record()
            at.current_stream().wait_event(event)
            (b + 1).numpy()

    loop(30)
    grown, reserved, tables = growth(lambda: loop(100))
    assert grown < 20_000 and reserved == 0
    assert all(count <= 2 for count in tables.values()), tables


def test_views_and_windows_leave_nothing() -> None:
    a = at.from_numpy(np.arange(4096, dtype=np.float32))

    def loop(rounds: int) -> None:
        for number in range(rounds):
            start = number * 8 % 400
            a[start : start + 8] + 1
            a[start + 1 : start + 9] + 1
            a[start : start + 4] = 1.0
            a.reshape(64, 64).T[3].sum()

    loop(500)
    grown, reserved, tables = growth(lambda: loop(150), before=4)
    assert grown < 150_000 and reserved == 0
    assert all(count <= 8 for count in tables.values()), tables


def test_cycles_that_hold_tensors_give_their_memory_back() -> None:
    class Node:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor
            self.me = self

    at.synchronize()
    gc.collect()
    before = at.memory_allocated()
    gc.disable()
    try:
        for _ in range(20):
            Node(at.ones(10_000))
        assert at.memory_allocated() >= before + 20 * 40_000
    finally:
        gc.enable()
    gc.collect()
    assert at.memory_allocated() <= before + 4096


def test_an_exception_keeps_no_tensor_alive() -> None:
    a, b = at.ones(2, 3), at.ones(4)
    kept = weakref.ref(a)
    with pytest.raises(at.ShapeError) as caught:
        a + b
    error = caught.value.with_traceback(None)
    del caught, a
    assert kept() is None and "float32[2, 3]" in str(error)


def test_a_session_over_and_over_leaves_nothing() -> None:
    for _ in range(3):
        session.run()
        session.close()
    tracemalloc.start()
    try:
        session.run()
        session.close()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            session.run()
            session.close()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 60_000
    finally:
        tracemalloc.stop()
    assert not any(simulator.tables().values())


def child(text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(text)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=dict(os.environ), check=False)


@pytest.mark.parametrize(
    "text",
    [
        "x = at.ones(3)",
        "x = at.ones(3); y = x[1:]; z = x[::2] + 1; e = at.Event(); e.record(); s = at.Stream()",
        "class A:\n    pass\na = A(); a.a = a; a.x = at.ones(3) + 1; sys.keep = a",
        "sys.modules['late'] = at.ones(3)[at.ones(3) > 0]",
        "import threading\nt = threading.Thread(target=lambda: setattr(sys, 'kept', at.ones(3) * 2)); t.start(); t.join()",
        "class Late:\n    def __del__(self): self.x = None\nk = Late(); k.x = at.ones(3) @ at.ones(3); __import__('builtins').k = k",
        "x = at.ones(3); at.shutdown(); y = x",
        "x = at.ones(3) + 1; at.exp(x); sys.exit(0)",
        "it = (at.ones(n) for n in range(1, 9)); next(it)",
        "for n in range(1, 14): k = at.ones(n) * 2\nsys.plans = dict(at.handle_cache.plans)",
    ],
)
def test_the_end_of_the_program_prints_nothing(text: str) -> None:
    done = child("import sys\nimport ascendtensor as at\n" + text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_failing_program_ends_with_its_own_error_only() -> None:
    done = child("import ascendtensor as at\nx = at.ones(3)\nx + at.ones(4)")
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1 and "Exception ignored" not in done.stderr
    assert "ShapeError: add: " in done.stderr
