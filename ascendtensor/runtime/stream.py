"""Streams and events."""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from ..acl import binding
from ..codes import EventFlag
from ..errors import AclError, ClosedError, DTypeError, UnsupportedError, ValueRangeError, of_queued_work
from ..interrupts import HeldInterrupts
from . import callbacks
from .counters import Counters
from .memory import Pool
from .memory_lines import stream_pool
from .process import thread

if TYPE_CHECKING:
    from .callbacks import Outstanding
    from .device import Device
    from .events import EventPool, Mark
    from .staging import Slab

RECENT: Final = 16
"""How many launches a stream remembers, to name them when an error of queued work shows."""

_locate: Callable[[Any], Device]


def set_locator(locate: Callable[[Any], Device]) -> None:
    """Tells this file how to find a device by name; called once by device.py, which stands above."""
    global _locate
    _locate = locate


class Lane:
    """What one ACL stream needs for as long as it exists; it outlives the `Stream` objects that use it one after another.

    Attributes:
        handle: The aclrtStream.
        context: The context that it belongs to.
        pool: Its memory.
        recent: What was launched on it since it was last waited for.
        spare: Where it goes when its `Stream` is gone: the unused ones of its kind.
        heard: Where it waited for other lanes since it was last waited for itself: what failed there shows there only (RT-45).
        slab, slab_used, slab_serial: Its piece of pinned staging memory.
        callbacks: What `Stream.add_callback` queued; None before the first.
        counters: What the next draws of random numbers count from.
    """

    __slots__ = ("callbacks", "context", "counters", "handle", "heard", "pool", "recent", "slab", "slab_serial", "slab_used", "spare")

    def __init__(self, handle: int, pool: Pool, context: int, spare: deque[Lane]) -> None:
        self.handle = handle
        self.context = context
        self.spare = spare
        self.pool = stream_pool(handle, pool)
        self.recent: deque[Any] = deque(maxlen=RECENT)
        self.heard: dict[Lane, Mark] = {}
        self.slab: Slab | None = None
        self.slab_used = 0
        self.slab_serial = 0
        self.callbacks: Outstanding | None = None
        self.counters = Counters()

    def follow(self, lane: Lane, events: EventPool) -> None:
        """Let later work wait for what is queued on another lane of the device now."""
        before = lane.heard.copy()  # a copy at once: other threads write into it
        mark = events.order(lane.handle, self.handle)
        for other, its in before.items():
            if other is not self:
                self.heard.setdefault(other, its)
        self.heard[lane] = mark


def explain(error: AclError, lanes: Iterable[Lane]) -> AclError:
    """The error to be raised for one of queued work: it names what was launched since the stream was last waited for (RT-45)."""
    names = [str(getattr(item, "op_type", item)) for lane in lanes for item in lane.recent]
    if names:
        hint = "" if "LAUNCH_BLOCKING" in error.advice else " ASCENDTENSOR_LAUNCH_BLOCKING=1 tells which one failed."
        runs = [(name, len(list(group))) for name, group in itertools.groupby(names[-RECENT:])]
        said = f"Launched before it: {', '.join(name if count == 1 else f'{name} ({count} times)' for name, count in runs)}.{hint}"
        error.advice = f"{error.advice} {said}".strip()
    return of_queued_work(error, names)


class Stream:
    """A queue of work on a device, run in order. Like: torch.cuda.Stream.

    Each thread has one of its own on each device; make others to overlap work. Streams are ordered among each other only by events: tensors
    that cross from one to another are ordered by the library. An ACL stream is used again when its `Stream` object is gone. It belongs to
    the context that is current when it is made: the device's primary one, unless a `Context` is entered. `with stream:` is
    `with at.stream(stream):`.

    Args:
        device: Which device; the current one if None.
        priority: What `aclrtCreateStreamWithConfig` takes; CANN reserves it, so nothing but 0 is sure to work. See `priority_range`.
        flags: Bits of the same call: 1 fast launch, 2 fast synchronise.

    Attributes:
        device: The device.
        handle: The aclrtStream, an int.
        priority, flags: What it was made with.
        pool: The memory of the stream.
        recent: What was launched on it since it was last waited for.

    Examples:
        >>> side = at.Stream()
        >>> with at.stream(side):
        ...     x = at.ones(2) + 1
        >>> at.current_stream().wait_stream(side)
        >>> x
        tensor([2., 2.], device='npu:0')
        >>> side.synchronize()
        >>> side.query()
        True
    """

    __slots__ = ("__weakref__", "_give_back", "device", "flags", "handle", "lane", "pool", "priority", "recent")

    def __init__(self, device: Device | str | int | None = None, priority: int = 0, flags: int = 0) -> None:
        try:
            wanted = operator.index(priority), operator.index(flags)
        except TypeError:
            raise DTypeError("priority and flags are ints", where="Stream") from None
        found = _locate(device)
        with found.current():
            now = found.current_stream()
            self._adopt(found, found.free_lane(now.lane.context, *wanted), *wanted)

    def _adopt(self, device: Device, lane: Lane, priority: int = 0, flags: int = 0) -> Stream:
        self.priority = priority
        self.flags = flags
        self.device = device
        self.lane = lane
        self.handle = lane.handle
        self.pool = lane.pool
        self.recent = lane.recent
        self._give_back: Callable[[], None] = partial(lane.spare.append, lane)
        return self

    @classmethod
    def on(cls, device: Device, lane: Lane) -> Stream:
        """A stream over a lane, for the device floor."""
        return cls.__new__(cls)._adopt(device, lane)

    def keeper(self) -> Stream:
        """An object of the same lane that does not own it, for memory that the lane itself keeps: an owner that it kept would never go."""
        with HeldInterrupts():  # half made it would give the lane back
            found = Stream.on(self.device, self.lane)
            found._give_back = deque[None]().clear  # nothing
        return found

    __del__ = property(attrgetter("_give_back"))  # C from end to end, as DeviceBuffer's

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Stream can't be copied or pickled: it is a queue of this process; make another one")

    def __repr__(self) -> str:
        return f"<Stream {self.handle:#x} of {self.device}{', closed' if self.device.closed else ''}>"

    def __enter__(self) -> Stream:
        self.ready()
        thread.streams.append((self, *self.device.enter_stream(self)))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        entered, before, chosen = thread.streams.pop()
        entered.device.leave_stream(before, chosen)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The least and the greatest priority of the current device, small numbers first. Like: torch.cuda.Stream.priority_range.

        Raises:
            UnsupportedError: CANN is older than the call that tells.

        Examples:
            >>> least, greatest = at.Stream.priority_range()
            >>> least >= greatest
            True
        """
        _locate(None).current_stream()
        try:
            return binding.device_get_stream_priority_range()
        except AttributeError:
            raise UnsupportedError(
                "this pyACL can't say it", where="Stream.priority_range", advice="CANN 8.1 and older lack the call."
            ) from None

    def ready(self) -> None:
        """Make the stream's device current in this thread.

        Raises:
            ClosedError: The stream is from before `shutdown()`.
        """
        if self.device.closed:
            raise ClosedError("the stream is from before shutdown()", advice="Make a new one.")
        self.device.current_stream()

    def synchronize(self) -> None:
        """Wait until everything queued has run.

        Raises:
            AclError: Queued work failed, here or on another stream that this one waited for; both can be used again. Of a stream that has
                more to do it is told once that has run, here or there.
            Exception: What a callback of this stream raised, the first if there were more; see `add_callback`.

        Like: torch.cuda.Stream.synchronize.
        """
        self.ready()
        self.device.foreign.sweep()
        try:
            binding.synchronize_stream(self.handle)
        except AclError as error:
            found = explain(error, [self.lane])
            self.recent.clear()
            raise found from None
        self.recent.clear()
        self.device.foreign.sweep()
        if self.lane.heard:
            self._tell()
        if self.lane.callbacks is not None:
            self.lane.callbacks.wait()

    def _tell(self) -> None:
        """Raise what failed on the streams that this one waited for: what it read of them is undefined.

        Only a stream itself says what failed on it, never an event (RT-45), so one that has more to do is asked another time.
        """
        heard = self.lane.heard
        busy = {}
        try:
            while heard:
                lane, mark = heard.popitem()
                with self.device.contexts.around(lane.handle):
                    done = binding.stream_query(lane.handle)
                if not done:
                    busy[lane] = mark
                    continue
                try:
                    binding.synchronize_stream(lane.handle)
                except AclError as error:
                    raise explain(error, [lane]) from None
        finally:
            heard.update(busy)

    def query(self) -> bool:
        """Whether everything queued has run. Like: torch.cuda.Stream.query."""
        self.ready()
        with self.device.contexts.around(self.handle):
            return binding.stream_query(self.handle)

    def wait_event(self, event: Event) -> None:
        """Let later work of this stream wait for an event, if it was ever recorded. Like: torch.cuda.Stream.wait_event.

        Examples:
            >>> event = at.current_stream().record_event()
            >>> side = at.Stream()
            >>> side.wait_event(event)
            >>> side.synchronize()
            >>> event.query()
            True
        """
        if not isinstance(event, Event):
            raise DTypeError(f"an Event is needed, not {type(event).__name__}", where="Stream.wait_event")
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let later work of this stream wait for what is queued on another one now. Like: torch.cuda.Stream.wait_stream."""
        if _stream(stream, "Stream.wait_stream") is self:
            return
        if stream.device is not self.device:
            stream.synchronize()
            return
        self.ready()
        self.lane.follow(stream.lane, self.device.events)

    def add_callback(self, function: Callable[[], object], *, blocking: bool = False) -> None:
        """Have `function()` called when everything queued so far has run.

        The callbacks of a device run one after another in a thread of their own; `synchronize` of the stream, and of the device, waits for
        them. What one raises is logged, and raised by the next of those calls. A callback must use neither tensors nor pyACL (CB-7), and
        should be short.

        Args:
            function: Called without arguments.
            blocking: Later work of the stream waits for the callback too. pyACL holds Python's lock while it launches an operator, so on
                a board a launch that finds the stream full while such a callback is waiting never comes back: synchronise in between.

        Like: torch.cuda has none; cupy.cuda.Stream.launch_host_func.

        Examples:
            >>> done = []
            >>> stream = at.Stream()
            >>> stream.add_callback(lambda: done.append(1))
            >>> stream.synchronize()
            >>> done
            [1]
        """
        if not callable(function):
            raise DTypeError(f"a function is needed, not {type(function).__name__}", where="Stream.add_callback")
        self.ready()
        callbacks.add(self, function, blocking)

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, a new one if None. Like: torch.cuda.Stream.record_event.

        Examples:
            >>> event = at.current_stream().record_event()
            >>> event.synchronize()
            >>> event.query()
            True
        """
        event = Event() if event is None else event
        event.record(self)
        return event


class StreamContext:
    """Makes a stream (and its device) the current one of this thread for a `with` block. Like: torch.cuda.StreamContext.

    Examples:
        >>> with at.stream(at.Stream()):
        ...     at.ones(2) + 1
        tensor([2., 2.], device='npu:0')
    """

    def __init__(self, stream: Stream | None) -> None:
        self._stream = stream
        self._before: list[tuple[Stream, int]] = []

    def __enter__(self) -> Stream | None:
        stream = self._stream
        if stream is not None:
            stream.ready()
            self._before.append(stream.device.enter_stream(stream))
        return stream

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._stream is not None:
            self._stream.device.leave_stream(*self._before.pop())


def stream(stream: Stream | None) -> StreamContext:
    """A context in which work goes to `stream`; None changes nothing. Like: torch.cuda.stream.

    Examples:
        >>> with at.stream(at.Stream()):
        ...     at.ones(2) + 1
        tensor([2., 2.], device='npu:0')
    """
    return StreamContext(None if stream is None else _stream(stream, "stream"))


def _stream(value: Stream, where: str) -> Stream:
    if not isinstance(value, Stream):
        raise DTypeError(f"a Stream is needed, not {type(value).__name__}", where=where)
    return value


class Event:
    """A mark in a stream. Like: torch.cuda.Event.

    `with at.Event() as event:` gives ACL's event back at the end of the block; without it that comes when the object is gone.

    Args:
        enable_timing: Whether `elapsed_time` can be asked.
        blocking: Accepted as in PyTorch: waiting for an event always lets other threads run.

    Examples:
        >>> start, end = at.Event(enable_timing=True), at.Event(enable_timing=True)
        >>> start.record()
        >>> x = at.ones(2) + 1
        >>> end.record()
        >>> end.synchronize()
        >>> end.query(), start.elapsed_time(end) >= 0
        (True, True)
    """

    __slots__ = ("__weakref__", "_drop", "_handle", "device", "enable_timing")

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self.enable_timing = enable_timing
        self.device: Device | None = None
        self._handle = 0
        self._drop: Callable[[], None] = deque[None]().clear  # nothing, until it was recorded

    __del__ = property(attrgetter("_drop"))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an Event can't be copied or pickled: its mark stands in a stream of this process; make another one")

    def __repr__(self) -> str:
        return f"<Event of {self.device}>" if self._handle else "<Event, not recorded>"

    def __enter__(self) -> Event:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # Waits that are queued keep what they wait for (EV-2), and an event that has not come yet may go (EV-8).
        self._handle = 0
        drop, self._drop = self._drop, deque[None]().clear
        drop()
        self.device = None

    def _made(self) -> bool:
        if self.device is not None and self.device.closed:
            raise ClosedError("the event is from before shutdown()", advice="Make a new one.")
        return bool(self._handle)

    def record(self, stream: Stream | None = None) -> None:
        """Mark what is queued on a stream (the current one if None); a second record replaces the first. Like: torch.cuda.Event.record."""
        on = _locate(None).current_stream() if stream is None else _stream(stream, "Event.record")
        on.ready()
        if self._made() and self.device is not on.device:
            raise ValueRangeError(f"the event belongs to {self.device}, the stream to {on.device}", where="Event.record")
        if not self._handle:
            flag = EventFlag.SYNC | EventFlag.TIME_LINE if self.enable_timing else EventFlag.SYNC
            with HeldInterrupts():
                handle = on.device.kept_events.add(binding.create_reusable_event(int(flag)))
            try:
                with on.device.contexts.around(on.handle):
                    binding.record_event(handle, on.handle)
            except BaseException:
                on.device.kept_events.dropped.append(handle)
                raise
            self.device = on.device
            self._drop = partial(on.device.kept_events.dropped.append, handle)
            self._handle = handle
        else:
            with on.device.contexts.around(on.handle):
                binding.record_event(self._handle, on.handle)

    def wait(self, stream: Stream | None = None) -> None:
        """Let later work of a stream (the current one if None) wait for the mark. Like: torch.cuda.Event.wait.

        Examples:
            >>> event = at.Event()
            >>> event.record()
            >>> side = at.Stream()
            >>> event.wait(side)
            >>> side.synchronize()
            >>> event.query()
            True
        """
        if not self._made():  # pyACL would refuse it (EV-3)
            return
        on = _locate(None).current_stream() if stream is None else _stream(stream, "Event.wait")
        on.ready()
        if on.device is not self.device:
            self.synchronize()
        else:
            with on.device.contexts.around(on.handle):
                binding.stream_wait_event(on.handle, self._handle)

    def query(self) -> bool:
        """Whether the marked work is done; True before any record. Like: torch.cuda.Event.query."""
        return not self._made() or binding.query_event_status(self._handle)

    def synchronize(self) -> None:
        """Wait for the marked work. Like: torch.cuda.Event.synchronize."""
        if self._made():
            binding.synchronize_event(self._handle)

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to another one; wait for both first. Like: torch.cuda.Event.elapsed_time.

        Raises:
            ValueRangeError: One of them was made without `enable_timing` or never recorded.
        """
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueRangeError("both events must be made with enable_timing=True", where="Event.elapsed_time")
        if not (self._made() and end_event._made()):
            raise ValueRangeError("both events must be recorded first", where="Event.elapsed_time")
        return binding.event_elapsed_time(self._handle, end_event._handle)
