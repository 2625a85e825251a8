"""Ctrl-C at any moment: the loop ends at once, and everything works afterwards."""

from __future__ import annotations

import dis
import functools
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest
import session

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.launch.registry import handle_cache
from ascendtensor.runtime.interrupts import HeldInterrupts

PACKAGE = os.path.dirname(at.__file__)
FLOORS = tuple(os.path.join(PACKAGE, part) for part in ("launch", "ops", "runtime", "acl", "base.py", "tensor.py", "creation.py"))


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent by os.kill")
@pytest.mark.parametrize(
    "body", ["a = a * 0.5 + 1", "b = at.ones(n % 50 + 1, 3).sum()", "b = a[n % 7 :][:2].numpy()", "a = a + 1; at.synchronize()"]
)
def test_interrupt_in_a_loop(body: str) -> None:
    # user problem "interrupt-in-a-loop"
    program = f"""
    import ascendtensor as at
    a = at.ones(16)
    n = 0
    try:
        print("ready", flush=True)
        while True:
            {body}
            n += 1
    except KeyboardInterrupt:
        pass
    print(at.ones((3, 3)).sum().item())
    a = a + 1
    at.synchronize()
    at.shutdown()
    print(sum(at.simulator.tables().values()) if hasattr(at, "simulator") else 0)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert (process.returncode, out.split(), error) == (0, ["9.0", "0"], "")


CALLS = ("CALL", "CALL_FUNCTION_EX", "CALL_KW", "CALL_METHOD", "CALL_FUNCTION", "CALL_FUNCTION_KW")
"""Not PRECALL of 3.11: between it and its CALL, where a lock is about to be released, no signal is looked for."""


@functools.cache
def moments(code: CodeType) -> frozenset[int]:
    """Where the interpreter looks for signals: behind calls, at a function's start and at backward jumps; in 3.10 at nearly every step."""
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    if sys.version_info < (3, 11):
        return frozenset(step.offset for step in steps)
    behind = {after.offset for before, after in itertools.pairwise(steps) if before.opname in (*CALLS, "RESUME")}
    return frozenset(behind | {step.offset for step in steps if step.opname.startswith("JUMP_BACKWARD")})


class Interrupter:
    """Raises KeyboardInterrupt at the n-th moment at which a signal could be handled in the library's own code."""

    def __init__(self, nth: int) -> None:
        self.left = nth
        self.fired = False
        self.returned = False
        self.where = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FLOORS) or self.swallowed(frame):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self.step

    @staticmethod
    def swallowed(frame: FrameType | None) -> bool:
        """Whether Python only prints what is raised here: in finalisers, and in what a WeakValueDictionary has called."""
        while frame is not None:
            if frame.f_code.co_name in ("__del__", "remove"):
                return True
            frame = frame.f_back
        return False

    def step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self.returned = True  # no signal is looked for between a Python function's end and its caller
        elif event == "opcode":
            returned, self.returned = self.returned, False
            if not (self.fired or returned or HeldInterrupts._holds) and frame.f_lasti in moments(frame.f_code):
                self.left -= 1
                if self.left <= 0:
                    self.fired = True
                    self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                    raise KeyboardInterrupt
        return self.step

    def run(self, body: Callable[[], Any]) -> None:
        sys.settrace(self)
        try:
            body()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)


def programs() -> dict[str, Callable[[], Any]]:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)

    def misses() -> Any:
        session.forget()
        a = at.tensor(values)
        return at.sum((a + a) * 2.5, 1).numpy()

    def hits() -> Any:
        a = at.tensor(values)
        b = a + a
        a += b
        return at.relu(a)[:, 1:3].numpy()

    def dynamic() -> Any:
        a = at.tensor(values)
        for rows in range(1, 11):
            at.ones(rows, 2)
        return a[a > 3].numpy()

    def streams() -> Any:
        side = at.Stream()
        a = at.tensor(values)
        with at.stream(side):
            b = a + 1
        event = side.record_event()
        at.current_stream().wait_event(event)
        return (b + a).numpy()

    return {"misses": misses, "hits": hits, "dynamic": dynamic, "streams": streams}


def free(lock: Any) -> bool:
    """Whether another thread can take a lock."""
    taken: list[bool] = []
    thread = threading.Thread(target=lambda: taken.append(lock.acquire(timeout=5) and (lock.release() or True)))
    thread.start()
    thread.join()
    return taken == [True]


def sweep(name: str, step: int, start: int) -> None:
    body = programs()[name]
    expected = body()
    at.synchronize()
    nth = start
    while True:
        interrupter = Interrupter(nth)
        interrupter.run(body)
        if not interrupter.fired:
            break
        np.testing.assert_array_equal(body(), expected, f"after an interrupt at {interrupter.where}")
        nth += step
    if sys.version_info >= (3, 11):  # before, also steps at which no signal is looked for are tried, such as the release of a lock
        assert free(handle_cache.lock), "the registry's lock was left taken"
    at.synchronize()
    at.shutdown()
    assert not any(simulator.tables().values())
    assert nth > start


@pytest.mark.parametrize("name", ["misses", "hits", "dynamic", "streams"])
def test_an_interrupt_anywhere_leaves_the_library_usable(name: str) -> None:
    sweep(name, {"misses": 41, "dynamic": 61}.get(name, 11), 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["misses", "hits", "dynamic", "streams"])
def test_an_interrupt_in_any_line_leaves_the_library_usable(name: str) -> None:
    sweep(name, 5 if name in ("misses", "dynamic") else 1, 1)


LAUNCHES: dict[str, Callable[[Any], Any]] = {
    "a unary operator": lambda a: at.exp(a + a),
    "a binary operator": lambda a: a + a,
    "of another size": lambda a: a[:50_000] + a[50_000:],
    "any form": lambda a: at.where(a > 0, a * 2.5, a),
    "several results": lambda a: a.topk(70_000),
    "memory only": lambda a: at.empty(70_000),
    "a copy": lambda a: a.clone(),
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 looks for signals at every step, also between taking a block and noting it")
@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("taken", [False, True])
def test_an_interrupted_launch_gives_its_output_block_back(launch: str, taken: bool) -> None:
    a = at.ones(100_000)
    body = functools.partial(LAUNCHES[launch], a)
    body()
    at.synchronize()
    others = [at.empty(70_000) for _ in range(3)] if taken else []  # blocks of other sizes lie on top of those that come back
    held = at.memory_allocated()
    for nth in itertools.count(1):
        others = [at.empty(100 * nth) for _ in others]
        del others[:]
        interrupter = Interrupter(nth)
        interrupter.run(body)
        if not interrupter.fired:
            break
        at.synchronize()
        assert at.memory_allocated() <= held, interrupter.where
    assert nth > 5
    at.empty_cache()
    assert at.memory_reserved() <= 64 << 20


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent by os.kill")
@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a = a * 0.5 + 1", 60),
        pytest.param("b = at.ones(n % 50 + 1, 3).sum()", 150, marks=pytest.mark.slow),
        pytest.param("b = a[8:16] + a[n % 7 :][:2].sum()", 150, marks=pytest.mark.slow),
    ],
)
def test_no_interrupt_is_lost(body: str, count: int) -> None:
    # What is raised in a finaliser's Python code is printed and lost, so finalisers of the launch road have none.
    program = f"""
    import os, random, signal, sys, threading, time
    import ascendtensor as at
    swallowed = []
    sys.unraisablehook = lambda what: swallowed.append(f"{{what.exc_type.__name__}} in {{what.object}}")
    a, n, lost, sent = at.ones(16), 0, 0, 0.0

    def send(delay):
        global sent
        time.sleep(delay)
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    for number in range({count}):
        sent = 0.0
        sender = threading.Thread(target=send, args=(0.001 + random.Random(number).random() * 0.01,))
        try:
            sender.start()
            while not sent or time.monotonic() - sent < 0.5:
                {body}
                n += 1
            lost += 1
        except KeyboardInterrupt:
            pass
        sender.join()
    print(lost, swallowed, at.ones(3, 3).sum().item())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 [] 9.0\n", "")
