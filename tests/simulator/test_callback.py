"""Stream callbacks (CB-1 .. CB-6, PY-18, K67 .. K74)."""

from __future__ import annotations

import threading
import time
from types import ModuleType
from typing import Any

import pytest

from ascendtensor.simulator.engine import contexts, streams


def queue(handle: int, fn: Any, *args: Any) -> None:
    streams.enqueue(contexts.stream_for(handle), fn, args)


class Server:
    """A thread that loops on process_report, as the samples have it."""

    def __init__(self, acl: ModuleType) -> None:
        self.acl = acl
        self.context, _ = acl.rt.get_context()
        self.stopping = False
        self.thread, errno = acl.util.start_thread(self.loop, [10])
        assert errno == 0

    def loop(self, arguments: list[int]) -> None:
        self.acl.rt.set_context(self.context)
        while not self.stopping:
            self.acl.rt.process_report(arguments[0])

    def stop(self) -> None:
        self.stopping = True
        assert self.acl.util.stop_thread(self.thread) == 0


def test_callbacks_run_in_the_subscribed_thread_in_stream_order(acl: ModuleType) -> None:  # CB-1, PY-18
    rt = acl.rt
    server = Server(acl)
    stream, _ = rt.create_stream()
    assert rt.subscribe_report(server.thread, stream) == 0
    seen: list[Any] = []

    def called(data: Any) -> None:
        seen.append((data, threading.get_ident()))

    queue(stream, seen.append, "before")
    assert rt.launch_callback(called, ("a", "tuple"), 1, stream) == 0
    queue(stream, seen.append, "after")
    assert rt.synchronize_stream(stream) == 0
    assert seen == ["before", (("a", "tuple"), server.thread), "after"]
    assert rt.unsubscribe_report(server.thread, stream) == 0
    server.stop()
    assert acl.tables()["subscriptions"] == 0


def test_a_callback_that_does_not_block_lets_later_work_pass(acl: ModuleType) -> None:  # CB-4
    rt = acl.rt
    me = threading.get_ident()
    rt.subscribe_report(me, 0)
    seen: list[str] = []
    rt.launch_callback(seen.append, "callback", 0, 0)
    queue(0, seen.append, "later")
    assert rt.synchronize_stream(0) == 0
    assert seen == ["later"]
    assert rt.process_report(100) == 0
    assert seen == ["later", "callback"]


def test_one_call_serves_every_callback_that_is_ready(acl: ModuleType) -> None:  # CB-2, CB-5
    rt = acl.rt
    other, _ = rt.create_stream()
    me = threading.get_ident()
    for stream in (0, other):
        assert rt.subscribe_report(me, stream) == 0
    seen: list[int] = []
    for number, stream in enumerate((0, other, 0)):
        rt.launch_callback(seen.append, number, 0, stream)
    assert rt.process_report(1000) == 0
    assert sorted(seen) == [0, 1, 2]


def test_misuse(acl: ModuleType) -> None:  # CB-2 .. CB-5, K10, K67 .. K74
    rt = acl.rt
    me = threading.get_ident()
    for bad in (0, -2):
        assert rt.process_report(bad) == 100000
    assert rt.process_report(1) == 107012
    assert rt.launch_callback(print, None, 0, 0) == 107015
    assert rt.launch_callback(print, None, 2, 0) == 100000
    with pytest.raises(TypeError, match="parameter must be callable"):
        rt.launch_callback("print", None, 0, 0)
    assert rt.unsubscribe_report(me, 0) in (107011, 107012)
    assert rt.subscribe_report(me, 0) == 0
    assert rt.subscribe_report(me, 0) == 107011
    assert rt.subscribe_report(me + 1, 0) == 107011
    assert rt.process_report(5) == 507012
    context, _ = rt.get_context()
    own, _ = rt.ctx_get_current_default_stream()
    rt.set_device(1)
    assert rt.subscribe_report(me, 0) == 107012
    assert rt.launch_callback(print, None, 0, own) == 107003
    rt.set_context(context)
    stream, _ = rt.create_stream()
    assert rt.unsubscribe_report(me, stream) in (107011, 107012)
    assert rt.unsubscribe_report(me, 0) == 0


def test_a_stream_that_leaves_takes_only_its_own_callbacks_along(acl: ModuleType) -> None:
    rt, me = acl.rt, threading.get_ident()
    seen: list[str] = []
    leaving, staying = (rt.create_stream()[0] for _ in range(2))
    for stream, name in ((leaving, "leaving"), (staying, "staying")):
        assert rt.subscribe_report(me, stream) == rt.launch_callback(seen.append, name, 0, stream) == rt.synchronize_stream(stream) == 0
    assert rt.unsubscribe_report(me, leaving) == rt.process_report(1000) == 0
    assert seen == ["staying"]
    assert rt.unsubscribe_report(me, staying) == 0


def test_only_so_many_threads_serve_callbacks(acl: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_SERVERS", 2)
    made = [acl.rt.create_stream()[0] for _ in range(3)]
    assert [acl.rt.subscribe_report(thread, stream) for thread, stream in enumerate(made, 1)] == [0, 0, 107012]
    assert [acl.rt.unsubscribe_report(thread, stream) for thread, stream in enumerate(made[:2], 1)] == [0, 0]


@pytest.mark.parametrize("raised", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_what_a_callback_raises_makes_the_report_a_system_error(acl: ModuleType, raised: type[BaseException]) -> None:  # PY-18
    # The binding logs it and leaves it pending: CPython refuses the result of process_report, whatever it was.
    rt = acl.rt
    rt.subscribe_report(threading.get_ident(), 0)

    def callback(data: Any) -> None:
        raise raised

    seen: list[int] = []
    for blocking, function in ((1, callback), (1, seen.append), (0, callback), (0, seen.append)):
        assert rt.launch_callback(function, 1, blocking, 0) == 0
    for _ in range(2):
        with pytest.raises(SystemError, match="<built-in function process_report> returned a result with an exception set") as caught:
            rt.process_report(1000)
        assert isinstance(caught.value.__cause__, raised)
        if not seen:
            assert rt.process_report(1000) == 0
            assert seen == [1]  # the blocking one comes in a report of its own
    assert seen == [1]  # the other came in the report that was broken
    assert rt.synchronize_stream(0) == 0 and acl.get_recent_err_msg() is None


def test_a_serving_thread_ends_with_a_callback_that_raises(acl: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:  # PY-16, PY-18
    rt = acl.rt
    context, _ = rt.get_context()

    def serve(args: list[int]) -> None:
        rt.set_context(args[0])
        while True:
            rt.process_report(50)

    thread, _ = acl.util.start_thread(serve, [context])
    stream, _ = rt.create_stream()
    assert rt.subscribe_report(thread, stream) == 0
    assert rt.launch_callback(lambda: None, None, 1, stream) == 0  # takes the data, as every callback does
    assert rt.synchronize_stream(stream) == 0
    with pytest.raises(RuntimeError, match="exception=SystemError,msg=thread call failed;"):
        acl.util.stop_thread(thread)
    assert "returned a result with an exception set" in capsys.readouterr().err
    assert rt.launch_callback(print, None, 1, stream) == 0
    assert rt.synchronize_stream_with_timeout(stream, 20) == 507046  # nobody serves it any more
    assert rt.unsubscribe_report(thread, stream) == 0


def test_an_unserved_blocking_callback_holds_the_stream(acl: ModuleType) -> None:  # CB-4, CB-6, RT-24
    rt = acl.rt
    server = Server(acl)
    server.stop()  # subscribed below, but never serving
    rt.subscribe_report(server.thread, 0)
    seen: list[str] = []
    rt.launch_callback(seen.append, "callback", 1, 0)
    queue(0, seen.append, "later")
    event, _ = rt.create_event()
    rt.record_event(event, 0)
    assert rt.synchronize_stream_with_timeout(0, 20) == 507046
    assert rt.synchronize_event_with_timeout(event, 20) == 507047
    assert rt.stream_query(0) == (1, 0)
    assert seen == []
    assert rt.unsubscribe_report(server.thread, 0) == 0
    assert rt.synchronize_stream(0) == 0
    assert seen == ["later"]


@pytest.mark.parametrize("own", [False, True])
def test_a_wait_for_an_event_ends_after_the_time_that_was_set(acl: ModuleType, own: bool) -> None:  # EV-4, RT-45
    rt = acl.rt
    server = Server(acl)
    server.stop()
    thread = threading.get_ident() if own else server.thread
    holding, waiting = (rt.create_stream()[0] for _ in range(2))
    rt.subscribe_report(thread, holding)
    seen: list[str] = []
    rt.launch_callback(seen.append, "callback", 1, holding)
    event, _ = rt.create_event()
    rt.record_event(event, holding)
    assert rt.stream_wait_event(waiting, event) == 0  # queued before: it may take for ever
    assert rt.set_op_wait_timeout(1) == 0
    assert rt.synchronize_stream_with_timeout(waiting, 20) == 507046
    rt.destroy_stream_force(waiting)
    waiting, _ = rt.create_stream()
    assert rt.stream_wait_event(waiting, event) == 0
    queue(waiting, seen.append, "later")
    began = time.monotonic()
    assert rt.synchronize_stream_with_timeout(waiting, 100) == 507046
    assert rt.synchronize_stream(waiting) == 107020
    assert 0.9 < time.monotonic() - began < 20
    assert seen == ["later"] and "set_op_wait_timeout" in (acl.get_recent_err_msg() or "")
    assert rt.query_event_wait_status(event) == (0, 0)
    assert rt.synchronize_stream(waiting) == 0
    assert rt.set_op_wait_timeout(0) == 0
    assert rt.unsubscribe_report(thread, holding) == 0
    assert rt.synchronize_stream(holding) == 0


def test_waiting_for_ones_own_blocking_callback_is_an_error_instead_of_a_hang(acl: ModuleType) -> None:  # CB-6
    rt = acl.rt
    rt.subscribe_report(threading.get_ident(), 0)
    rt.launch_callback(print, None, 1, 0)
    assert rt.synchronize_stream(0) == 507000
    assert "process_report" in (acl.get_recent_err_msg() or "")


def test_process_report_wakes_for_a_callback_that_comes_later(acl: ModuleType) -> None:  # CB-5
    rt = acl.rt
    context, _ = rt.get_context()
    me = threading.get_ident()
    rt.subscribe_report(me, 0)
    seen: list[int] = []

    def launch() -> None:
        time.sleep(0.02)
        rt.set_context(context)
        rt.launch_callback(seen.append, 1, 0, 0)

    thread = threading.Thread(target=launch)
    thread.start()
    assert rt.process_report(-1) == 0
    thread.join()
    assert seen == [1]


def test_destroying_a_stream_ends_its_subscription(acl: ModuleType) -> None:
    rt = acl.rt
    stream, _ = rt.create_stream()
    rt.subscribe_report(threading.get_ident(), stream)
    assert rt.destroy_stream(stream) == 0
    assert acl.tables()["subscriptions"] == 0


def test_a_wait_with_a_timeout_ends_where_one_without_would_hang(acl: ModuleType) -> None:  # CB-6, RT-24
    stream, me, seen = acl.rt.create_stream()[0], threading.get_ident(), []
    assert acl.rt.subscribe_report(me, stream) == acl.rt.launch_callback(seen.append, 1, 1, stream) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 20) == 507046
    assert acl.rt.synchronize_stream(stream) == 507000
    assert acl.rt.process_report(1000) == acl.rt.synchronize_stream_with_timeout(stream, 1000) == 0
    assert seen == [1]
