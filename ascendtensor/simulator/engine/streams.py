"""Streams that really defer: queues of tasks, what runs them, events and callbacks.

A task is ``(fn, args)`` and running it is ``fn(*args)``. Nothing runs in the background. A queue is run by
synchronising calls, by queries (a slice each), by ``process_report``, by destruction, by the launch that finds it full,
and as far as another stream's wait needs it, in whichever thread asks (SIM-2).

One lock with a condition guards who runs what. It is never held while a task or a user's function runs, and a thread
holds at most one queue at a time, so threads can't wait for each other in a ring. A wait refers to a record that was queued before
it, or, of an event of create_event_with_flag, to the next one; where that comes behind the wait itself, the wait fails.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import get_ident
from types import CodeType
from typing import Any, Final, Protocol

import numpy as np

from ascendtensor.codes import error_name
from ascendtensor.interrupts import HeldInterrupts, of_handler

from . import AclFault, errors_log
from .tables import HANDLES, LAUNCHES, LOCAL, STREAMS, Capture, Event, Stream, Task, Wait


class Named(Protocol):
    """What a task of an operator runs: its model."""

    op_type: str

    def failure_code(self) -> int:
        """What comes out when it fails."""


Label = Named | str
LOCK: Final = threading.Lock()
CONDITION: Final = threading.Condition(LOCK)
SLICE: Final = 32
"""Tasks that one query runs."""

AICORE_EXCEPTION: Final = 507015
INTERNAL_ERROR: Final = 507000
TASK_TIMEOUT: Final = 107020


class Blocked(Exception):
    """Raised by a task that can't run yet; it stays at the head of its queue."""

    def __init__(self, what: Capture | Callback) -> None:
        self.what = what


class Callback:
    """A user's function on its way through a stream (CB-1)."""

    __slots__ = ("blocking", "data", "done", "function", "handed", "stream")

    def __init__(self, function: Callable[[Any], Any], data: Any, blocking: bool, stream: Stream) -> None:
        self.function = function
        self.data = data
        self.blocking = blocking
        self.stream = stream
        self.handed = False
        self.done = False


class _Expired:
    """Marks a run that stopped at its deadline or at the end of its slice."""


_EXPIRED: Final = _Expired()
Outcome = Capture | Callback | _Expired | None


class ExceptionInfo:
    """What the exception callback may ask about (RT-52); alive only while the callback runs."""

    __slots__ = ("code", "device", "stream", "task", "thread")

    def __init__(self, task: int, stream: int, thread: int, device: int, code: int) -> None:
        self.task, self.stream, self.thread, self.device, self.code = task, stream, thread, device, code


class Hooks:
    """Process-wide switches of the scheduler."""

    exception_callback: Callable[[int], Any] | None = None
    failures = 0
    sleepers = 0  # threads inside CONDITION.wait: nobody is woken when there is none
    task_filter: Callable[[str, Task], Task] | None = None
    wait_limit = 0.0  # seconds that waits for events may take which are queued from now on, 0 for ever


INFOS: Final[dict[int, ExceptionInfo]] = {}
_NAMES: Final[dict[tuple[int, int], Label]] = {}
"""What the newest tasks run, by ``id`` of function and arguments. Every operator's task is noted when it is made, so an ``id`` that
is used again is noted again; copies and the like have functions of their own. Older tasks that are still there are kept by handles."""
NAMES_KEPT: Final = 64


def _sleep(left: float | None) -> None:
    """Wait for a change. The caller holds the lock."""
    Hooks.sleepers += 1
    try:
        CONDITION.wait(left)
    finally:
        Hooks.sleepers -= 1


def _wake() -> None:
    """Tell sleepers of a change. The caller holds the lock."""
    if Hooks.sleepers:
        CONDITION.notify_all()


# Queueing


def task_for(label: Label, fn: Callable[..., Any], args: tuple[Any, ...]) -> Task:
    """The task of one operator run; the place where a kernel fault plan steps in."""
    task = (fn, args)
    return named(label, task if Hooks.task_filter is None else Hooks.task_filter(_words(label), task))


def undivided(task: Task, reads: Iterable[Any], writes: Sequence[Any]) -> Task:
    """A task that Ctrl-C can't end midway, where it changes arrays that it reads: it would run again, and change them twice."""
    if _code(task[0]) is None or not any(
        np.may_share_memory(source, target) for source in reads if source is not None for target in writes
    ):
        return task
    return whole(task)


def whole(task: Task) -> Task:
    """A task that Ctrl-C can't end midway, whatever it does."""
    return _run_whole, task


def _run_whole(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with HeldInterrupts():
        fn(*args)
        LOCAL.whole = args  # an interrupt that waited is raised at the end of the block
    LOCAL.whole = None


UNDIVIDED: Final = _run_whole


def named(label: Label, task: Task) -> Task:
    """Note the operator of a task, for messages; the task itself has no room for it, and the queue no time."""
    key = id(task[0]), id(task[1])
    _NAMES.pop(key, None)
    _NAMES[key] = label
    while len(_NAMES) > NAMES_KEPT:
        try:
            _NAMES.pop(next(iter(_NAMES), key), None)
        except RuntimeError:  # another thread came between
            continue
    return task


def name_of(fn: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What a task is in words: the operator type, or the name of its function."""
    return _words(_label_of(fn, args))


def _label_of(fn: Callable[..., Any], args: tuple[Any, ...]) -> Label:
    runner = args[0] if fn is _run_whole else fn
    found: Label | None = getattr(getattr(runner, "__self__", None), "operator", None)  # of a run whose output dims are measured
    return found or _NAMES.get((id(fn), id(args))) or _prepared_label(args) or str(getattr(fn, "__name__", "a task")).lstrip("_")


def _words(label: Label) -> str:
    return label if isinstance(label, str) else label.op_type


def _prepared_label(args: tuple[Any, ...]) -> Label:
    """The model of a task that a handle keeps, which may have been made long ago."""
    for by_handle in list(LAUNCHES.values()):
        for handle, entries in list(by_handle.items()):
            if any(entry[-1][1] is args for entry in list(entries.values())):
                found: Any = HANDLES.get(handle)
                return "" if found is None else found.model
    return ""


def enqueue(stream: Stream, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Queue a task; a full queue is run by the caller. Hot code writes these lines out."""
    queue = stream.queue
    queue.append((fn, args))
    if len(queue) > stream.limit:
        drain(stream)


# Running


def drain(stream: Stream, until: Capture | None = None) -> bool:
    """Run the queue, or as far as ``until``, without waiting for the threads that serve callbacks.

    Returns:
        Whether nothing is left (before ``until``); False behind a blocking callback that nobody served yet.
    """
    if stream.limit < 0:  # a stopped context refuses work (RT-46)
        discard(stream)
        return True
    if until is None and not stream.queue:
        return True
    return _drive(stream, until, None, None) is None


def progress(stream: Stream, until: Capture | None = None) -> None:
    """Run a slice, as every query does."""
    if stream.busy is None and (stream.queue if until is None else not until.done):
        _drive(stream, until, 0.0, SLICE)


def wait_for(stream: Stream, until: Capture | None = None, timeout_ms: int = -1) -> bool:
    """Run the queue and wait for others until it is empty or ``until`` is done.

    Returns:
        False when the time is over first; the work goes on later (RT-24).

    Raises:
        AclFault: 507000 where the calling thread would wait for a callback that only itself serves (CB-6: a board hangs).
    """
    if until is None and not stream.queue and stream.busy is None:
        return True
    deadline = None if timeout_ms < 0 else time.monotonic() + timeout_ms / 1000
    while True:
        outcome = _drive(stream, until, deadline, None)
        if outcome is None:
            return True
        if outcome is _EXPIRED or not isinstance(outcome, Callback):
            return False
        patience = _patience(stream)
        if patience is None and deadline is None and outcome.stream.subscriber == get_ident():
            raise AclFault(INTERNAL_ERROR, "this thread waits for a blocking callback that only its own process_report can run")
        with LOCK:
            while not outcome.done:
                now = time.monotonic()
                if deadline is not None and deadline <= now:
                    return False
                if patience is not None and patience <= now:
                    break
                ends = [each - now for each in (deadline, patience) if each is not None]
                _sleep(min(ends) if ends else None)


def finish(stream: Stream, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Queue a task, and wait for it and what is before it."""
    enqueue(stream, fn, args)
    if stream.limit < 0 or _run(stream, None, None, None) is not None:
        wait_for(stream)


def _patience(stream: Stream) -> float | None:
    """When the wait for an event that the stream stands before fails; None where it may take for ever."""
    try:
        fn, args = stream.queue[0]
    except IndexError:
        return None
    return args[1].until or None if fn is _wait else None


def _drive(stream: Stream, until: Capture | None, deadline: float | None, budget: int | None) -> Outcome:
    """Run ``stream``; where it waits for another stream's record, run that one first. A list, not recursion: chains are long."""
    outcome = _run(stream, until, deadline, budget)
    if not isinstance(outcome, Capture):
        return outcome
    pending: list[tuple[Stream, Capture | None]] = [(stream, until)]
    while True:
        if outcome is None:
            pending.pop()
            if not pending:
                return None
        elif isinstance(outcome, Capture):
            if outcome.stream.busy == get_ident():  # called from inside a task of that stream: it can't come before itself
                return _EXPIRED
            if not outcome.recorded and (budget is not None or deadline is not None):
                return _EXPIRED
            if not outcome.recorded:
                _give_up(pending[-1][0], outcome, NEVER)
            elif any(goal is outcome for _, goal in pending):
                _give_up(pending[-1][0], outcome, BEHIND)
            else:
                pending.append((outcome.stream, outcome))
        else:
            return outcome
        current, goal = pending[-1]
        outcome = _run(current, goal, deadline, budget)


NEVER: Final = "that was not recorded"
BEHIND: Final = "whose record comes behind the wait"


def _give_up(stream: Stream, capture: Capture, why: str) -> None:
    """A wait at the head of a stream for a record that never comes, or behind it, maybe by way of other streams, will fail."""
    with contextlib.suppress(IndexError):
        fn, args = stream.queue[0]
        if fn is _wait and args[0] is capture:
            args[1].hopeless = why


def _run(stream: Stream, until: Capture | None, deadline: float | None, budget: int | None) -> Outcome:
    """Own the queue, run it, give it back."""
    me = get_ident()
    if stream.busy == me:  # a task or a user's function came back here: the outer run goes on
        return None
    try:
        with LOCK:
            while stream.busy is not None and (until is None or not until.done):
                if budget is not None:
                    return _EXPIRED
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return _EXPIRED
                _sleep(left)
            if until is not None and until.done:
                return None
            stream.busy = me
        if until is None and deadline is None:
            return _quietly(_run_all, stream)
        return _quietly(_run_carefully, stream, until, deadline, budget)
    finally:
        if stream.busy == me:  # asked, not remembered: an interrupt may come between owning and remembering it
            stream.busy = None
            with LOCK:
                _wake()


class _Quiet(threading.local):
    """What a thread runs tasks in, so that floating-point errors are ignored: NumPy 2 keeps that in the context, which is entered for a
    fraction of what ``np.errstate`` costs. None while it is entered, and for NumPy 1."""

    context: contextvars.Context | None = None

    def __init__(self) -> None:
        if _CONTEXTUAL:
            self.context = contextvars.Context()
            self.context.run(partial(np.seterr, all="ignore"))


_CONTEXTUAL: Final = int(np.__version__.partition(".")[0]) >= 2
_QUIET: Final = _Quiet()


def _quietly(run: Callable[..., Outcome], *args: Any) -> Outcome:
    """Run tasks with floating-point errors ignored."""
    context = _QUIET.context
    if context is None:
        with np.errstate(all="ignore"):
            return run(*args)
    _QUIET.context = None
    try:
        return context.run(run, *args)
    finally:
        _QUIET.context = context


def _run_all(stream: Stream) -> Outcome:
    queue = stream.queue
    popleft = queue.popleft
    while True:
        try:
            fn, args = queue[0]
        except IndexError:  # cheaper than asking before each task
            return None
        try:
            fn(*args)
        except Blocked as blocked:
            return blocked.what
        except BaseException as error:
            if _stumbled(stream, fn, args, error):
                continue
        popleft()


def _run_carefully(stream: Stream, until: Capture | None, deadline: float | None, budget: int | None) -> Outcome:
    """As ``_run_all``, one task at a time, looking at goal, slice and clock before each."""
    queue = stream.queue
    left = budget
    while queue:
        if until is not None and until.done:
            return None
        if left is not None:
            if left == 0:
                return _EXPIRED
            left -= 1
        elif deadline is not None and time.monotonic() >= deadline:
            return _EXPIRED
        fn, args = queue[0]
        try:
            fn(*args)
        except Blocked as blocked:
            return blocked.what
        except BaseException as error:
            if _stumbled(stream, fn, args, error):
                continue
        queue.popleft()
    return None


def _stumbled(stream: Stream, fn: Callable[..., Any], args: tuple[Any, ...], error: BaseException) -> bool:
    """A task raised: it failed, or a signal ended it, and then what its handler raised goes on.

    Returns:
        True if the queue was dropped because the context stops on failure (RT-46).
    """
    signalled: BaseException | None = error
    if isinstance(error, Exception):
        signalled = of_handler(error)
        if signalled is None:
            return _failed(stream, fn, args, error)
    if not _interrupted_inside(fn, args, error):
        stream.queue.popleft()
    assert signalled is not None
    raise signalled


def _interrupted_inside(fn: Callable[..., Any], args: tuple[Any, ...], error: BaseException) -> bool:
    """Whether Ctrl-C, or another signal whose handler raises, came inside a task, which then runs again, or right after it.

    A signal is taken between bytecodes: for a task written in C that is after the call, for one written in Python it may
    be inside, and then its frame is the next one in the traceback.
    """
    if fn is _run_whole:
        done, LOCAL.whole = LOCAL.whole is args[1], None
        if done:
            return False
    code = _code(fn)
    inner = error.__traceback__.tb_next if error.__traceback__ is not None else None
    return code is not None and inner is not None and inner.tb_frame.f_code is code


def _code(fn: Callable[..., Any]) -> CodeType | None:
    """The code of a task that is written in Python."""
    found: CodeType | None = getattr(getattr(fn, "__func__", fn), "__code__", None)
    return found


def _failed(stream: Stream, fn: Callable[..., Any], args: tuple[Any, ...], error: Exception) -> bool:
    """Keep a task's failure for the next synchronising call (RT-45, RT-48).

    Returns:
        True if the queue was dropped because the context stops on failure (RT-46).
    """
    label = _label_of(fn, args)
    code = error.code if isinstance(error, AclFault) else AICORE_EXCEPTION if isinstance(label, str) else label.failure_code()
    stream.error = code
    stream.error_text = (
        f"E39999: task [{_words(label)}] on stream {stream.identifier} of device {stream.device} failed with "
        f"{error_name(code)} [{code}]. Reason: {error.text if isinstance(error, AclFault) else repr(error)}"
    )
    Hooks.failures += 1
    callback = Hooks.exception_callback
    if callback is not None:
        handle = errors_log.info_handle()
        INFOS[handle] = ExceptionInfo(Hooks.failures, stream.identifier, get_ident(), stream.device, code)
        try:
            callback(handle)
        except Exception as raised:
            errors_log.report("EZ9999", f"exception callback raised {raised!r}")
            Hooks.exception_callback = None  # the binding lets go of one that raised
        finally:
            INFOS.pop(handle, None)
    context = stream.context
    if not context.stop:
        return False
    context.failed = code
    for other in set(context.streams.values()):
        other.limit = -1  # every later launch comes to drain(), which drops it
        other.error = code
        if other is not stream and other.busy is None:
            discard_tasks(other)
    discard_tasks(stream)
    return True


def discard_tasks(stream: Stream) -> None:
    """Drop queued tasks. The caller owns the queue. Records in it count as done, or waiters would hang."""
    queue = stream.queue
    while queue:
        fn, args = queue.popleft()
        if fn is _record:
            _record(*args)
        elif fn is _wait:
            args[1].passed = True
        elif fn is _hand_over:
            args[0].done = True
    with LOCK:
        _wake()


def discard(stream: Stream) -> None:
    """Drop a stream's queue as soon as no other thread runs it (``destroy_stream_force``, ``stream_abort``)."""
    me = get_ident()
    with LOCK:
        while stream.busy is not None and stream.busy != me:
            _sleep(None)
    discard_tasks(stream)


def take_error(stream: Stream) -> int:
    """The stream's pending error, cleared by reading; a stopped context keeps it (RT-45, RT-46)."""
    code = stream.error
    if code:
        errors_log.add(stream.error_text)
        LOCAL.last_error = code
        if not stream.context.failed:
            stream.error = 0
            stream.error_text = ""
    return code


# Tasks of the runtime itself


def _record(capture: Capture) -> None:
    capture.time = time.perf_counter_ns()
    capture.done = True
    if capture.flag is not None:
        capture.flag.raised = True


def _wait(capture: Capture, wait: Wait) -> None:
    flag = capture.flag
    if flag is not None and not flag.raised and capture.done:
        wait.passed = True
        raise AclFault(TASK_TIMEOUT, "an event is waited for that was reset behind its last record: a board waits for the next one")
    if not (capture.done if flag is None else flag.raised):
        if wait.hopeless and not (wait.hopeless is NEVER and capture.recorded):  # another thread may have recorded it meanwhile
            wait.passed = True
            raise AclFault(TASK_TIMEOUT, f"an event is waited for {wait.hopeless}: a board waits for ever")
        if not wait.limit:
            raise Blocked(capture)
        now = time.monotonic()
        wait.until = wait.until or now + wait.limit
        if now < wait.until:
            raise Blocked(capture)
        wait.passed = True
        raise AclFault(TASK_TIMEOUT, f"an event was waited for longer than the {wait.limit:g} s of acl.rt.set_op_wait_timeout")
    wait.passed = True


RECORD: Final = _record
WAIT: Final = _wait
"""The tasks of an event that is recorded and of a wait for it; the capture is their first argument."""


def _reset(event: Event, capture: Capture | None) -> None:
    event.raised = False
    if event.capture is capture:
        event.capture = None


def _hand_over(callback: Callback) -> None:
    if not callback.handed:
        callback.handed = True
        with LOCK:
            server = SERVERS.get(callback.stream.subscriber or 0)
            if server is None:  # unsubscribed meanwhile: nobody can run it
                callback.done = True
            else:
                server.ready.append(callback)
            _wake()
    if callback.blocking and not callback.done:
        raise Blocked(callback)


def record(event: Event, stream: Stream) -> None:
    """Queue a record; it captures what is on the stream already (EV-2).

    With nothing before it a board reaches it at once: then its time is now, not that of the next synchronising call.

    An event of create_event_with_flag keeps one number in the hardware, the others take one for each record (runtime, event.cc,
    Event::Record and Event::RefreshEventId): once it was reached, waits for it pass until reset_event, also those for a later record.
    """
    capture, event.awaited = event.awaited, None
    if capture is None:
        capture = Capture(stream, event if event.kind == "flag" else None)
    capture.stream, capture.recorded = stream, True
    queue = stream.queue
    if not queue and stream.busy is None and stream.limit >= 0:
        _record(capture)
        event.capture = capture
        return
    queue.append((_record, (capture,)))  # queued before it can be seen: a waiter must find it in the queue
    event.capture = capture
    if len(queue) > stream.limit:
        drain(stream)


def wait_event(stream: Stream, event: Event) -> None:
    """Queue a wait for the event's newest record (EV-2, EV-4).

    Waits for an event of create_event_with_flag may come before its record (runtime, event.cc, Event::Wait, RT_EVENT_DDSYNC_NS).
    """
    capture = event.capture
    if capture is None and event.kind == "flag":
        capture = event.awaited = event.awaited or Capture(stream, event, recorded=False)
    if capture is not None:
        wait = Wait(Hooks.wait_limit)
        enqueue(stream, _wait, (capture, wait))
        event.add(wait)  # behind it: an interrupt between the two must not leave a wait that nothing passes


def reset(event: Event, stream: Stream) -> None:
    """Queue a reset behind the stream's work (EV-5)."""
    enqueue(stream, _reset, (event, event.capture))


# Callback threads


class Server:
    """A thread that serves callbacks: its device, its streams and what is ready for it."""

    __slots__ = ("device", "ready", "streams")

    def __init__(self, device: int) -> None:
        self.device = device
        self.streams: list[Stream] = []
        self.ready: list[Callback] = []


SERVERS: Final[dict[int, Server]] = {}
MAX_SERVERS: Final = 1024


def subscribe(thread: int, stream: Stream) -> None:
    """Let ``thread`` serve the stream's callbacks (CB-2).

    Raises:
        AclFault: 107011 stream taken; 107012 thread serves another device or there are too many threads.
    """
    with LOCK:
        if stream.subscriber is not None:
            raise AclFault(107011, f"stream is already subscribed by thread {stream.subscriber}")
        server = SERVERS.get(thread)
        if server is not None and server.device != stream.device:
            raise AclFault(107012, f"thread {thread} already serves device {server.device}")
        if server is None:
            if len(SERVERS) >= MAX_SERVERS:
                raise AclFault(107012, f"more than {MAX_SERVERS} callback threads")
            server = SERVERS[thread] = Server(stream.device)
        server.streams.append(stream)
        stream.subscriber = thread


def unsubscribe(thread: int, stream: Stream) -> None:
    """End a subscription (CB-3). Callbacks that were ready and not served are dropped, so that nothing waits for them."""
    with LOCK:
        server = SERVERS.get(thread)
        if server is None:
            raise AclFault(107012, f"thread {thread} is not subscribed")
        if stream.subscriber != thread:
            raise AclFault(107011, f"stream is not subscribed by thread {thread}")
        _leave(server, stream)
        if not server.streams:
            del SERVERS[thread]
        _wake()


def _leave(server: Server, stream: Stream) -> None:
    server.streams.remove(stream)
    stream.subscriber = None
    for callback in server.ready:
        if callback.stream is stream:
            callback.done = True
    server.ready[:] = [callback for callback in server.ready if callback.stream is not stream]


def forget_subscription(stream: Stream) -> None:
    """What a destroyed stream leaves behind."""
    with LOCK:
        server = SERVERS.get(stream.subscriber or 0)
        if server is not None and stream in server.streams:
            thread = stream.subscriber
            _leave(server, stream)
            if not server.streams and thread is not None:
                del SERVERS[thread]
        _wake()


def launch_callback(function: Callable[[Any], Any], data: Any, blocking: bool, stream: Stream) -> None:
    """Queue a callback and wake the serving thread (CB-4)."""
    enqueue(stream, _hand_over, (Callback(function, data, blocking, stream),))
    with LOCK:
        _wake()


def serve(timeout_ms: int) -> int:
    """Run the callbacks that are ready for this thread, waiting for one if there is none (CB-1, CB-5).

    Returns:
        0, 107012 for a thread without subscription, 507012 when nothing came in time.
    """
    me = get_ident()
    deadline = None if timeout_ms < 0 else time.monotonic() + timeout_ms / 1000
    while True:
        server = SERVERS.get(me)
        if server is None:
            return 107012
        for stream in list(server.streams):
            if stream.queue and stream.busy is None:
                drain(stream)
        with LOCK:
            ready = server.ready[:]
            server.ready.clear()
            if not ready:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return 507012
                if not any(s.queue and s.busy is None and not _behind_callback(s) for s in server.streams):
                    _sleep(left)
                continue
        _call_all(ready)
        return 0


def _behind_callback(stream: Stream) -> bool:
    """Whether the head of the queue is a blocking callback or a wait, so that running it now gains nothing."""
    fn, _ = stream.queue[0]
    return fn is _hand_over or fn is _wait


def _call_all(callbacks: list[Callback]) -> None:
    """Run callbacks in the serving thread.

    pyACL logs that one raised and leaves the exception pending (PY-18). So those behind it in the same report end at their first
    built-in function, which counts here as not having run, and the report ends as CPython ends it.

    Raises:
        SystemError: One raised, which is the cause.
    """
    try:
        for callback in callbacks:
            try:
                callback.function(callback.data)
            except BaseException as error:  # sys.exit() and Ctrl-C inside it too
                raise errors_log.left_pending("process_report") from error
            _done(callback)
    finally:
        for callback in callbacks:
            if not callback.done:
                _done(callback)


def _done(callback: Callback) -> None:
    with LOCK:
        callback.done = True
        _wake()


def of_device(device: int) -> list[Stream]:
    """Every live stream of a device, explicit or default."""
    return [stream for stream in list(STREAMS.values()) if stream.device == device]


def clear() -> None:
    """Forget servers, hooks and infos (``new_process``)."""
    with LOCK:
        SERVERS.clear()
        INFOS.clear()
        Hooks.exception_callback = None
        Hooks.task_filter = None
        Hooks.failures = 0
        Hooks.wait_limit = 0.0
        _wake()
