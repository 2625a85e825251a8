"""Ctrl-C at any moment: the loop ends at once, and everything works afterwards."""

from __future__ import annotations

import dis
import functools
import gc
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import session
from interrupting import Interrupter

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.compiler import Description, ModelStore, store
from ascendtensor.interrupts import HeldInterrupts, of_handler
from ascendtensor.launch.registry import handle_cache

PACKAGE = os.path.dirname(at.__file__)
FLOORS = tuple(
    os.path.join(PACKAGE, part) for part in ("launch", "ops", "runtime", "acl", "compiler", "base.py", "tensor.py", "creation.py")
)


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
        interrupter = Interrupter(FLOORS, nth)
        interrupter.run(body)
        if not interrupter.fired:
            break
        np.testing.assert_array_equal(body(), expected, f"after an interrupt at {interrupter.where}")
        nth += step
    assert free(handle_cache.lock), "the registry's lock was left taken"
    at.synchronize()
    at.shutdown()
    assert not any(simulator.tables().values())
    assert nth > start


@pytest.mark.parametrize("name", ["misses", "hits", "dynamic", "streams"])
def test_an_interrupt_anywhere_leaves_the_library_usable(name: str) -> None:
    sweep(name, {"misses": 97, "dynamic": 61}.get(name, 11), 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["misses", "hits", "dynamic", "streams"])
def test_an_interrupt_in_any_line_leaves_the_library_usable(name: str) -> None:
    sweep(name, {"misses": 13, "dynamic": 5}.get(name, 1), 1)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGALRM is not there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGALRM", "SIGTERM"])
def test_what_handlers_raise_waits_until_tables_are_whole(name: str) -> None:
    number, seen = getattr(signal, name), []

    def expired(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(number)

    before = signal.signal(number, expired)
    try:
        with pytest.raises(TimeoutError), HeldInterrupts():
            with HeldInterrupts():
                signal.raise_signal(number)
                seen.append("inner block")
            seen.append("outer block")
        assert seen == ["inner block", "outer block"]
        assert signal.getsignal(number) is expired
        with pytest.raises(TimeoutError):
            signal.raise_signal(number)
    finally:
        signal.signal(number, before)


def test_what_a_handler_raised_is_known_behind_what_wraps_it_but_not_beside_it() -> None:
    def expired(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(number)

    before = signal.signal(signal.SIGINT, expired)
    try:
        try:
            signal.raise_signal(signal.SIGINT)
        except TimeoutError as error:
            timeout = error
            try:
                raise ValueError("wraps it") from error
            except ValueError as wrapping:
                assert of_handler(wrapping) is timeout
            try:
                raise ValueError("while it was handled")
            except ValueError as later:
                assert of_handler(later) is None
        assert of_handler(timeout) is timeout
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGALRM is not there")
def test_a_timeout_raised_in_the_middle_leaves_the_library_usable() -> None:
    program = """
    import faulthandler, random, signal
    import ascendtensor as at

    faulthandler.dump_traceback_later(90, exit=True)  # says where it hangs

    class Expired(Exception):  # a TimeoutError is an OSError too, which files may have
        pass

    def expired(number, frame):
        raise Expired

    signal.signal(signal.SIGALRM, expired)
    a = at.arange(3000.0)
    for number in range(150):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + random.Random(number).random() * 0.004, 0.1)  # again: finalisers lose it
            while True:
                a[a > 1500].numpy(), at.ones(number % 50 + 1, 3).sum()
        except Expired:
            signal.setitimer(signal.ITIMER_REAL, 0)
        assert at.memory_allocated() >= 0
    at.synchronize()
    print(a[a > 1500].numel(), at.ones(3, 3).sum().item())
    at.shutdown()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "1499 9.0\n"), done.stderr


LAUNCHES: dict[str, Callable[[Any], Any]] = {
    "a unary operator": lambda a: at.exp(a + a),
    "a binary operator": lambda a: a + a,
    "of another size": lambda a: a[:50_000] + a[50_000:],
    "any form": lambda a: at.where(a > 0, a * 2.5, a),
    "several results": lambda a: a.topk(70_000),
    "memory only": lambda a: at.empty(70_000),
    "a copy": lambda a: a.clone(),
}


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("taken", [False, True])
def test_an_interrupted_launch_gives_its_output_block_back(launch: str, taken: bool) -> None:
    a = at.ones(100_000)
    body = functools.partial(LAUNCHES[launch], a)
    body()
    entered = functions_of(body)
    at.synchronize()
    held = at.memory_allocated()
    others = [at.empty(70_000) for _ in range(3)] if taken else []  # blocks of other sizes lie on top of those that come back
    for nth in itertools.count(1):
        others = [at.empty(100 * nth) for _ in others]
        del others[:]
        interrupter = Interrupter(FLOORS, nth)
        interrupter.run(body)
        if not interrupter.fired:
            break
        at.synchronize()
        assert at.memory_allocated() <= held, interrupter.where
    assert entered and entered <= set(interrupter.places), "functions were not interrupted"
    at.empty_cache()
    assert at.memory_reserved() <= 64 << 20


def test_an_interrupt_leaves_windows_of_one_place_counted() -> None:
    """They share an aclDataBuffer, which has to stay as long as one of them."""
    buffer = at.ones(64).buffer
    for nth in itertools.count(1):
        windows = [buffer.window(64, 64) for _ in range(3)]
        shared = windows[0].data_buffer
        del windows[0]
        interrupter = Interrupter(FLOORS, nth)
        interrupter.run(lambda: buffer.window(64, 64))
        while windows:
            assert buffer.window(64, 64).data_buffer == shared, interrupter.where
            del windows[0]
        if not interrupter.fired:
            break
    assert nth > 2


def functions_of(body: Callable[[], Any]) -> set[CodeType]:
    """The library's functions that a call enters and that can be interrupted at their start: all, but in 3.10 those that begin with `try`.

    What is raised in finalisers is only printed, so they are not of them.
    """
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "__del__" and frame.f_code.co_filename.startswith(FLOORS):
            entered.add(frame.f_code)

    sys.setprofile(note)
    try:
        body()
    finally:
        sys.setprofile(None)
    return {code for code in entered if code.co_code[0] != dis.opmap.get("SETUP_FINALLY")}


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


def test_finalisers_are_c_from_end_to_end() -> None:
    """An interrupt that comes in a finaliser's Python code is lost, and what it was to give back with it."""
    entered: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == "__del__" and frame.f_code.co_filename.startswith(FLOORS):
            entered.add(f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}")

    def body() -> None:
        a = at.ones(16)
        with at.Context(), at.Stream():
            b = a * 3
        with at.Event() as left:
            left.record()
        event = at.Event()
        event.record()
        event.wait(at.Stream())
        at.Event()
        assert (b - a).sum().item() == 32
        at.handle_cache.clear()
        at.synchronize()

    body()
    gc.collect()
    sys.setprofile(note)
    try:
        body()
        gc.collect()
    finally:
        sys.setprofile(None)
    assert not entered


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent by raise_signal")
def test_an_interrupt_of_an_import_leaves_random_numbers() -> None:
    program = """
    import signal, sys
    import ascendtensor as at

    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == "numpy.random._pickle":
                sys.meta_path.remove(self)
                signal.raise_signal(signal.SIGINT)

    at.ones(9).sum().item()
    sys.meta_path.insert(0, Interrupting())
    try:
        at.rand(9).tolist()
    except KeyboardInterrupt:
        pass
    print(at.rand(9).sum().item() > 0)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("True\n"), done


def test_an_interrupted_look_for_a_model_keeps_nobody_waiting() -> None:
    """Neither this thread, which would wait for itself, nor others."""
    facts = {"soc": "Ascend910B1", "name": "fake", "version": "8", "precision": "origin", "in_process": True}
    compiler: Any = SimpleNamespace(**facts, build=lambda descriptions: [b"model"] * len(descriptions))
    add, mul = (Description(name, (), ()) for name in ("Add", "Mul"))
    for nth in itertools.count(1):
        models = ModelStore(compiler, None)
        interrupter = Interrupter((store.__file__,), nth)
        interrupter.run(lambda models=models: models.get([add, mul]))  # type: ignore[misc]
        found: list[bytes] = []
        other = threading.Thread(target=lambda found=found, models=models: found.extend(models.get([mul])), daemon=True)
        other.start()
        other.join(10)
        assert found == [b"model"], interrupter.where
        assert models.get([add]) == [b"model"]
        if not interrupter.fired:
            break
    assert nth > 10
