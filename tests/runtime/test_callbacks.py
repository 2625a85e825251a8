"""Stream.add_callback: order, errors, threads, the end."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.runtime import callbacks


def test_runs_behind_the_work_before_it_in_one_other_thread() -> None:
    stream = at.current_stream()
    seen: list[tuple[int, threading.Thread]] = []
    x = at.ones(64)
    for number in range(5):
        x = x + 1
        stream.add_callback(lambda number=number: seen.append((number, threading.current_thread())))
    stream.synchronize()
    assert [number for number, _ in seen] == [0, 1, 2, 3, 4]  # CB-1, CB-2
    (thread,) = {thread for _, thread in seen}
    assert thread is not threading.current_thread() and thread.daemon
    np.testing.assert_array_equal(x.numpy(), np.full(64, 6.0))


@pytest.mark.parametrize("blocking", [False, True])
def test_synchronize_waits_for_slow_callbacks(blocking: bool) -> None:
    done: list[int] = []

    def slow() -> None:
        time.sleep(0.05)
        done.append(1)

    at.current_stream().add_callback(slow, blocking=blocking)
    at.ones(4) + 1
    at.synchronize()
    assert done == [1]


def test_later_work_waits_for_a_blocking_one() -> None:
    stream = at.current_stream()
    staging = np.zeros(8, np.float32)
    target = at.zeros(8)
    pinned = at.empty(8).cpu(non_blocking=True)
    stream.synchronize()
    stream.add_callback(lambda: pinned.fill(7.0), blocking=True)
    with at.raw() as raw:
        assert simulator.rt.memcpy_async(target.data_ptr(), 32, pinned.ctypes.data, 32, 1, raw.stream) == 0
    np.testing.assert_array_equal(target.numpy(), staging + 7)


def test_what_it_raises_comes_out_at_the_next_synchronize_once(caplog: pytest.LogCaptureFixture) -> None:
    stream = at.Stream()

    def bad(text: str) -> None:
        raise KeyError(text)

    stream.add_callback(lambda: bad("first"))
    stream.add_callback(lambda: bad("second"))
    with caplog.at_level(logging.ERROR, logger="ascendtensor"), pytest.raises(KeyError, match="first"):
        stream.synchronize()
    assert len([record for record in caplog.records if "callback" in record.message]) == 2
    stream.synchronize()
    stream.add_callback(lambda: bad("third"))
    with caplog.at_level(logging.CRITICAL, logger="ascendtensor"), pytest.raises(KeyError, match="third"):
        at.synchronize()


def test_sys_exit_in_a_callback_reaches_the_program() -> None:
    stream = at.Stream()
    stream.add_callback(lambda: sys.exit(5))
    with pytest.raises(SystemExit) as caught:
        stream.synchronize()
    assert caught.value.code == 5
    called: list[int] = []
    stream.add_callback(lambda: called.append(1))
    stream.synchronize()
    assert called == [1]


def test_streams_and_devices_and_threads() -> None:
    seen: list[str] = []

    def work(name: str, device: int) -> None:
        with at.device(device):
            stream = at.current_stream()
            for number in range(20):
                stream.add_callback(lambda number=number: seen.append(f"{name}{number}"))
            stream.synchronize()

    threads = [threading.Thread(target=work, args=(name, number % 2)) for number, name in enumerate("abcd")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in "abcd":
        assert [each for each in seen if each[0] == name] == [f"{name}{number}" for number in range(20)]


def test_a_callback_that_synchronises_its_stream_does_not_wait_for_itself() -> None:
    stream = at.current_stream()
    seen: list[str] = []

    def foolish() -> None:  # against CB-7
        stream.synchronize()
        seen.append("back")

    stream.add_callback(foolish)
    stream.synchronize()
    assert seen == ["back"]


def test_shutdown_runs_what_is_queued_and_ends_the_thread() -> None:
    seen: list[int] = []
    at.current_stream().add_callback(lambda: seen.append(1))
    (server,) = callbacks._servers.values()
    at.shutdown()
    assert seen == [1] and not server.thread.is_alive() and not callbacks._servers
    assert simulator.tables()["subscriptions"] == 0
    at.current_stream().add_callback(lambda: seen.append(2))
    at.synchronize()
    assert seen == [1, 2]


def test_failures_of_pyacl_leave_nothing_outstanding() -> None:
    stream = at.current_stream()
    for function in ("acl.rt.subscribe_report", "acl.rt.launch_callback"):
        with simulator.faults.plan(function), pytest.raises(at.AclError):
            stream.add_callback(print)
        stream.synchronize()
    with pytest.raises(at.DTypeError, match="function"):
        stream.add_callback(3)  # type: ignore[arg-type]


def test_a_stream_that_can_not_be_left_is_a_warning_and_shutdown_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []
    at.current_stream().add_callback(lambda: seen.append(1))
    at.synchronize()
    with simulator.faults.plan("acl.rt.unsubscribe_report", code=507899) as fault, caplog.at_level(logging.WARNING, logger="ascendtensor"):
        at.shutdown()
    assert fault.fired == 1 and "can't leave a stream" in caplog.text and "507899" in caplog.text
    assert not any(simulator.tables().values())
    at.current_stream().add_callback(lambda: seen.append(2))
    at.synchronize()
    assert seen == [1, 2]


def test_a_thread_that_dies_is_replaced_and_nobody_waits_for_it(caplog: pytest.LogCaptureFixture) -> None:
    stream = at.current_stream()
    with simulator.faults.plan("acl.rt.process_report", code=107012), caplog.at_level(logging.CRITICAL, logger="ascendtensor"):
        stream.add_callback(print)
        (server,) = callbacks._servers.values()
        server.thread.join(10)
        stream.synchronize()
    seen: list[int] = []
    stream.add_callback(lambda: seen.append(1))
    stream.synchronize()
    assert seen == [1]


def test_ctrl_c_while_waiting_leaves_things_in_order() -> None:
    program = """
import os, signal, threading, time
import ascendtensor as at
seen = []
at.current_stream().add_callback(lambda: (time.sleep(1.0), seen.append(1)))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    at.synchronize()
except KeyboardInterrupt:
    print("interrupted", len(seen))
at.synchronize()
print("done", len(seen))
at.current_stream().add_callback(lambda: print("ran at the end"))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["interrupted 0", "done 1", "ran at the end"]
