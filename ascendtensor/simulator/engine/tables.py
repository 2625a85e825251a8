"""Records behind the integer handles, and the tables that hold them.

A handle is a plain int (PY-1) from one counter: never reused, so a destroyed handle is never taken for a new object, a
multiple of 64, and in a range where neither device memory nor host memory lies. Tables are cleared in place and never
rebound, so other modules may keep a reference to them.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Task: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...]]"

HANDLE_BASE: Final = 0x0B00_0000_0000
HANDLE_STEP: Final = 64
_numbers = itertools.count(HANDLE_BASE + HANDLE_STEP, HANDLE_STEP)


def new_handle() -> int:
    """The next handle number of this process (PY-1)."""
    return next(_numbers)


class TensorDesc:
    """What ``aclTensorDesc`` holds: the origin view, the storage view and the marks used in matching (TD-1 .. TD-24).

    Attributes:
        spec: What matching and launching read of it (``models.TensorSpec``), None until somebody asks. Whoever changes one of the other
            attributes sets it to None; the lists in them never change, others take their place.
    """

    __slots__ = (
        "const",
        "dims",
        "dtype",
        "dynamic_input",
        "format",
        "name",
        "placement",
        "ranges",
        "spec",
        "storage_dims",
        "storage_format",
        "value_range",
    )

    def __init__(self, dtype: int, dims: list[int], format: int) -> None:
        self.dtype = dtype
        self.dims = dims
        self.format = format
        self.storage_format = -1  # TD-2: UNDEFINED
        self.storage_dims = dims
        self.spec: Any = None
        self.ranges: list[tuple[int, int]] = []
        self.value_range: list[tuple[int, int]] = []
        self.const: bytes | None = None
        self.placement = 0
        self.name = ""
        self.dynamic_input = ""


class DataBuffer:
    """What ``aclDataBuffer`` holds, plus the prepared tasks that were made for its address.

    Attributes:
        tasks: Pairs (prepared, key); ``prepared.pop(key, None)`` drops a task that no longer fits the buffer.
    """

    __slots__ = ("address", "handle", "size", "tasks")

    def __init__(self, handle: int, address: int, size: int) -> None:
        self.handle = handle
        self.address = address
        self.size = size
        self.tasks: list[tuple[dict[Any, Any], Any]] = []

    def drop_tasks(self) -> None:
        """Forget every prepared task that was made for this buffer's address and size."""
        tasks = self.tasks
        for prepared, key in tasks:
            prepared.pop(key, None)
        tasks.clear()  # last: after Ctrl-C in between, the next call finds them all again


class Context:
    """A context of one device with its default stream.

    Attributes:
        streams: Handle to stream, with 0 for the default stream. Emptied in place when the context goes.
        stop: Failure mode 1 was chosen for one of its streams, which holds for all of them (RT-46).
        failed: The code that stopped it, or 0.
    """

    __slots__ = ("alive", "default", "device", "failed", "handle", "primary", "stop", "streams")

    def __init__(self, device: int, primary: bool) -> None:
        self.handle = new_handle()
        self.device = device
        self.primary = primary
        self.alive = True
        self.stop = False
        self.failed = 0
        self.streams: dict[int, Stream] = {}
        self.default: Stream | None = None


class Stream:
    """An ordered queue of tasks.

    Attributes:
        queue: Tasks ``(fn, args)``; the one that runs stays at the head until it is done.
        limit: Above this length the launching call runs the queue itself; -1 after a stop (see ``streams``).
        error: Code of the last failed task, 0 if none; taken by the next synchronising call (RT-45).
        busy: Identifier of the thread that runs the queue, or None.
        launches: The tasks that launches through handles find on this device, see ``LAUNCHES``.
        subscriber: Thread served by ``process_report`` for this stream, or None.
    """

    __slots__ = (
        "alive",
        "busy",
        "context",
        "default",
        "device",
        "error",
        "error_text",
        "failure_mode",
        "flag",
        "handle",
        "identifier",
        "launches",
        "limit",
        "priority",
        "queue",
        "subscriber",
    )

    def __init__(self, context: Context, identifier: int, limit: int, default: bool = False) -> None:
        self.handle = new_handle()
        self.context = context
        self.device = context.device
        self.identifier = identifier
        self.default = default
        self.queue: deque[Task] = deque()
        self.limit = limit
        self.error = 0
        self.error_text = ""
        self.busy: int | None = None
        self.alive = True
        self.failure_mode: int | None = None
        self.subscriber: int | None = None
        self.priority = 0
        self.flag = 0
        self.launches = LAUNCHES.setdefault(context.device, {})


class Capture:
    """One record of an event: the point in a stream's queue it stands for (EV-2).

    Attributes:
        flag: Of an event of create_event_with_flag, the event: it has one flag in the hardware for all its records.
        recorded: False for what is waited for before it is recorded; ``stream`` is that of the wait until then.
    """

    __slots__ = ("done", "flag", "recorded", "stream", "time")

    def __init__(self, stream: Stream, flag: Event | None = None, recorded: bool = True) -> None:
        self.recorded = recorded
        self.stream = stream
        self.flag = flag
        self.done = False
        self.time = 0


class Wait:
    """One queued ``stream_wait_event``.

    Attributes:
        passed: Whether the stream went on.
        limit: Seconds that it may take from when the stream stands before it, 0 for ever.
        until: When they are over on the monotonic clock, 0 before.
        hopeless: Why the record will not come, "" while it may.
    """

    __slots__ = ("hopeless", "limit", "passed", "until")

    def __init__(self, limit: float = 0.0) -> None:
        self.passed = False
        self.hopeless = ""
        self.limit = limit
        self.until = 0.0


class Event:
    """An event of one of the three kinds (EV-1).

    Attributes:
        kind: "plain" (create_event), "flag" (create_event_with_flag) or "ex" (create_event_ex_with_flag).
        capture: The newest record, None before the first one and after a reset.
        awaited: Of the kind "flag", what queued waits wait for, the next record.
        pending: Queued waits; those that were passed are swept out now and then.
        raised: Of the kind "flag", whether a record was reached since the last reset. It is all that waits for such an event look at.
    """

    __slots__ = ("awaited", "capture", "device", "flag", "handle", "kind", "pending", "raised")

    def __init__(self, kind: str, flag: int, device: int) -> None:
        self.handle = new_handle()
        self.kind = kind
        self.flag = flag
        self.device = device
        self.capture: Capture | None = None
        self.awaited: Capture | None = None
        self.pending: list[Wait] = []
        self.raised = False

    @property
    def waits(self) -> int:
        """How many waits were not passed yet."""
        self.pending[:] = [wait for wait in self.pending if not wait.passed]
        return len(self.pending)

    def add(self, wait: Wait) -> None:
        """Count a queued wait."""
        pending = self.pending
        pending.append(wait)
        if len(pending) >= _MANY_WAITS and not len(pending) & (len(pending) - 1):
            pending[:] = [wait for wait in pending if not wait.passed]


_MANY_WAITS: Final = 16


DESCS: Final[dict[int, TensorDesc]] = {}
BUFFERS: Final[dict[int, DataBuffer]] = {}
ATTRS: Final[dict[int, Any]] = {}
HANDLES: Final[dict[int, Any]] = {}
LAUNCHES: Final[dict[int, dict[int, dict[int, Any]]]] = {}
"""By device and operator handle the newest prepared task of each first output buffer (``handles.Prepared``)."""
CONTEXTS: Final[dict[int, Context]] = {}
STREAMS: Final[dict[int, Stream]] = {}
EVENTS: Final[dict[int, Event]] = {}

COUNTED: Final[dict[str, dict[int, Any]]] = {
    "descs": DESCS,
    "buffers": BUFFERS,
    "attrs": ATTRS,
    "handles": HANDLES,
    "contexts": CONTEXTS,
    "streams": STREAMS,
    "events": EVENTS,
}
"""Name to table, for ``simulator.tables()``; another module adds its own table here once, at import."""

ON_NEW_PROCESS: Final[list[Callable[[], None]]] = []
"""Called by ``simulator.new_process()`` after the tables were cleared; a module with state of its own adds a function."""

ON_FINALIZE: Final[list[Callable[[], None]]] = []
"""Called by ``acl.finalize`` when it tears down; a module with something to release then adds a function."""


def counts() -> dict[str, int]:
    """How many objects of each kind are alive."""
    return {name: len(table) for name, table in COUNTED.items()}


def clear() -> None:
    """Empty every table in place."""
    for table in (*COUNTED.values(), *LAUNCHES.values()):
        table.clear()


class ThreadState(threading.local):
    """What belongs to the calling thread (SIM-3): current context, its streams, last runtime error, error texts.

    Attributes:
        whole: The arguments of a task that was done when an interrupt that had waited for its end came out of it.
    """

    def __init__(self) -> None:
        self.context: Context | None = None
        self.streams: dict[int, Stream] = {}
        self.last_error = 0
        self.messages: list[str] = []
        self.whole: tuple[Any, ...] | None = None


LOCAL: Final = ThreadState()
