"""What stands between the library and pyACL while something is recorded.

`Recorder` puts an object in the place of the module `acl` (`binding.interpose`) whose functions note what they hand on. Nothing of it lies
on the road of a launch while no recorder is on: then the module itself is in its place again.
"""

from __future__ import annotations

import ctypes
import sys
import types
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from threading import get_ident
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from ..acl import binding
from ..codes import MallocPolicy, MemcpyKind
from ..errors import ValueRangeError
from ..launch.each_run import EachRunPlan
from ..runtime import device as devices
from ..runtime.process import state
from ..runtime.staging import ALIGNMENT

if TYPE_CHECKING:
    from ..acl.module import Acl
    from ..runtime.stream import Stream

DATA_LIMIT: Final = 256 << 20
"""Bytes of data that a recording keeps, so that it can be repeated."""

_TO_DEVICE: Final = int(MemcpyKind.HOST_TO_DEVICE)
_INSIDE: Final = int(MemcpyKind.DEVICE_TO_DEVICE)
_PACKAGE: Final = __name__.partition(".")[0]


class Launched(NamedTuple):
    """One launch, as it is noted; `plan` is the plan, or the name of what was launched without one."""

    plan: Any
    hits: int
    inputs: list[int]
    outputs: list[int]
    stream: int
    began: int
    ended: int
    code: int
    thread: int
    stack: tuple[str, ...]


class Called(NamedTuple):
    """One other pyACL call."""

    function: str
    arguments: tuple[Any, ...]
    answer: Any
    began: int
    ended: int
    thread: int


class Bound(NamedTuple):
    """What a data buffer is of: from here on in the recording."""

    buffer: int
    address: int
    size: int


class Written(NamedTuple):
    """Bytes that came from the host, or lay in device memory before the recording."""

    address: int
    data: bytes


class Copied(NamedTuple):
    """A copy inside the device."""

    target: int
    source: int
    size: int


class Filled(NamedTuple):
    """A fill with one byte."""

    address: int
    value: int
    size: int


class Kept(NamedTuple):
    """A copy of what lay in device memory, in memory of the recorder's own, until `finish` fetches it."""

    address: int
    size: int
    copy: int


class Ranges:
    """Addresses whose contents the recording knows: disjoint, sorted."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, size: int) -> None:
        end = start + size
        first = bisect_right(self._starts, start)
        if first and self._ends[first - 1] >= start:
            first -= 1
            start = self._starts[first]
        last = bisect_right(self._starts, end)
        if last > first:
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def holds(self, start: int, size: int) -> bool:
        place = bisect_right(self._starts, start) - 1
        return place >= 0 and self._ends[place] >= start + size


class Between:
    """The module `acl`, or one of its modules, with each function replaced by one that notes its calls; made as they are asked for."""

    def __init__(self, real: Any, name: str, recorder: Recorder) -> None:
        self._real = real
        self._name = name
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        full = f"{self._name}.{name}"
        if callable(value):
            value = self._recorder.wrapped(full, value)
        elif isinstance(value, types.ModuleType) or hasattr(value, "__dict__"):
            value = Between(value, full, self._recorder)
        setattr(self, name, value)
        return value


class _Recent(dict[int, "deque[Any]"]):
    """What each stream launched last, by the stream's number."""

    def __missing__(self, stream: int) -> deque[Any]:
        found = next((lane.recent for device in state.devices for lane in device.lanes if lane.handle == stream), None)
        if found is None:
            return deque(["?"])
        self[stream] = found
        return found


class Recorder:
    """Notes launches and pyACL calls of all threads.

    Args:
        data: Keep what launches read that the recording did not write itself, so that it can be repeated.
        limit: Bytes of it at most.
        stacks: Note through which functions of the library each launch came.

    Attributes:
        events: What was noted, in order.
        complete: Whether all data was kept.
    """

    def __init__(self, *, data: bool = False, limit: int = DATA_LIMIT, stacks: bool = False) -> None:
        self.events: list[Any] = []
        self.data = data
        self.complete = data
        self.stacks = stacks
        self.room = limit
        self.known: set[int] = {0}
        self.ranges = Ranges()
        self._recent = _Recent()
        self._between: Any = None
        self._before: Acl | None = None
        self.stopped = False
        self._generation = 0

    def expect(self, recording: bool, where: str) -> None:
        """Refuse a second beginning inside a recording, and an end without a beginning."""
        if recording != (self in _active):
            fault, advice = ("not recording", "Use it in a with statement.") if recording else ("recording already", "Make another one.")
            raise ValueRangeError(f"it is {fault}", where=where, advice=advice)

    def start(self) -> None:
        """Begin; the backend is chosen if it was not yet."""
        devices.initialize()
        self._generation = devices.generation()
        real = binding.module()
        self.real: Any = real
        self._between = Between(real, "acl", self)
        self._before = binding.interpose(cast("Acl", self._between))
        _active.append(self)
        EachRunPlan.execute = _noted_execute  # type: ignore[method-assign]

    def stop(self) -> None:
        """End; also after the library was shut down in between, which put another module in place, and while others still record."""
        self.stopped = True
        _active.remove(self)
        if not _active:
            EachRunPlan.execute = _execute  # type: ignore[method-assign]
        below: Any = self._before
        while isinstance(below, Between) and below._recorder.stopped:
            below = below._recorder._before
        if below is not None and binding.module() is self._between:
            binding.interpose(below)

    def finish(self, wait: bool) -> None:
        """Fetch the data that was kept on the device, waiting for queued work.

        Args:
            wait: Whether errors of that work may be raised; without, the data is given up.
        """
        kept = [(place, event) for place, event in enumerate(self.events) if isinstance(event, Kept)]
        if devices.generation() != self._generation:
            self.complete = self.complete and not kept
            return
        try:
            if wait:
                for device in state.devices:
                    if device.context:
                        devices.synchronize(device)
        finally:
            for place, event in kept:
                self.events[place] = Written(event.address, self._fetched(event) if wait else b"")
                self.complete = self.complete and wait

    def _fetched(self, kept: Kept) -> bytes:
        host = ctypes.create_string_buffer(kept.size)
        code = self.real.rt.memcpy(ctypes.addressof(host), kept.size, kept.copy, kept.size, int(MemcpyKind.DEVICE_TO_HOST))
        self.real.rt.free(kept.copy)
        self.complete = self.complete and not code
        return host.raw

    # The functions

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """A function that notes what it hands on to `real`."""
        if name == "acl.op.execute_with_handle":
            return self._with_handle(real)
        if name == "acl.op.execute_v2":
            return self._matched(real)
        note, clock = self.events.append, perf_counter_ns
        before = self._watched(name) if self.data else None

        def call(*arguments: Any) -> Any:
            if before is not None:
                before(*arguments)
            began = clock()
            answer = real(*arguments)
            note(Called(name, arguments, answer, began, clock(), get_ident()))
            return answer

        return call

    def _with_handle(self, real: Callable[..., int]) -> Callable[..., int]:
        note, clock, recent, known, new = self.events.append, perf_counter_ns, self._recent, self.known, tuple.__new__
        data, stacks, empty, thread = self.data, self.stacks, (), get_ident

        def launch(handle: int, inputs: list[int], outputs: list[int], stream: int) -> int:
            try:
                plan = recent[stream][-1]
            except IndexError:  # another thread waited for the device just now, which forgets what was launched
                plan = "?"
            if data and not (known.issuperset(inputs) and known.issuperset(outputs)):
                self._meet(inputs, outputs, stream)
            began = clock()
            code = real(handle, inputs, outputs, stream)
            ended = clock()
            hits = 0 if plan.__class__ is str else plan.hits
            note(new(Launched, (plan, hits, inputs, outputs, stream, began, ended, code, thread(), _stack() if stacks else empty)))
            return code

        return launch

    def _matched(self, real: Callable[..., int]) -> Callable[..., int]:
        note, clock, recent, known = self.events.append, perf_counter_ns, self._recent, self.known

        def launch(
            op_type: str, described: list[int], inputs: list[int], results: list[int], outputs: list[int], attr: int, on: int
        ) -> int:
            try:
                plan = recent[on][-1]
            except IndexError:
                plan = "?"
            if self.data and not (known.issuperset(inputs) and known.issuperset(outputs)):
                self._meet(inputs, outputs, on)
            began = clock()
            code = real(op_type, described, inputs, results, outputs, attr, on)
            hits = getattr(plan, "hits", 0)
            note(Launched(plan, hits, inputs, outputs, on, began, clock(), code, get_ident(), _stack() if self.stacks else ()))
            return code

        return launch

    # Data

    def _meet(self, inputs: list[int], outputs: list[int], stream: int) -> None:
        """Data buffers that were not seen yet: where they lie, and what an input holds if the recording did not write it."""
        acl = self.real
        for read, buffers in ((True, inputs), (False, outputs)):
            for buffer in buffers:
                if buffer in self.known:
                    continue
                address, size = acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)
                self.known.add(buffer)
                self.events.append(Bound(buffer, address, size))
                if read and size and not self.ranges.holds(address, size):
                    self._keep(address, size, stream)
                self.ranges.add(address, size)

    def _keep(self, address: int, size: int, stream: int) -> None:
        """Copy device memory aside, on the stream that is about to read it, so that nothing waits."""
        start = address // ALIGNMENT * ALIGNMENT
        size += address - start
        if not self._fits(size):
            return
        rt = self.real.rt
        copy, code = rt.malloc(size, int(MallocPolicy.HUGE_FIRST))
        if code or rt.memcpy_async(copy, size, start, size, _INSIDE, stream):
            self.complete = False
            return
        self.events.append(Kept(start, size, copy))

    def _fits(self, size: int) -> bool:
        self.room -= size
        if self.room < 0:
            self.complete = False
        return self.room >= 0

    def _watched(self, name: str) -> Callable[..., None] | None:
        """What is to be noted of a call that writes device memory, before it is made."""
        if name in ("acl.rt.memcpy", "acl.rt.memcpy_async"):
            return self._copied
        if name in ("acl.rt.memset", "acl.rt.memset_async"):
            return self._filled
        return self._destroyed if name == "acl.destroy_data_buffer" else None

    def _copied(self, target: int, _room: int, source: int, size: int, kind: int, stream: int = 0) -> None:
        if kind == _TO_DEVICE or (kind == _INSIDE and not state.host_mode and not _is_ours(source)):  # a board has one kind for both
            if self._fits(size):
                self.events.append(Written(target, ctypes.string_at(source, size)))
                self.ranges.add(target, size)
        elif kind == _INSIDE:
            if not self.ranges.holds(source, size):
                if not stream:
                    self.real.rt.synchronize_device()
                self._keep(source, size, stream)
            self.events.append(Copied(target, source, size))
            self.ranges.add(target, size)

    def _filled(self, address: int, _room: int, value: int, size: int, stream: int = 0) -> None:
        self.events.append(Filled(address, value, size))
        self.ranges.add(address, size)

    def _destroyed(self, buffer: int) -> None:
        self.known.discard(buffer)


_active: Final[list[Recorder]] = []
_execute: Final = EachRunPlan.execute


def _noted_execute(self: EachRunPlan, operands: Sequence[Any], descs: list[int], outputs: list[int], stream: Stream) -> None:
    """Launches of the mode "each-run", which are no calls of pyACL's; their numbers lie on the host, so no program repeats them."""
    began = perf_counter_ns()
    _execute(self, operands, descs, outputs, stream)
    ended = perf_counter_ns()
    for recorder in list(_active):
        recorder.complete = False
        stack = _stack() if recorder.stacks else ()
        recorder.events.append(Launched(self, self.hits, [], outputs, stream.handle, began, ended, 0, get_ident(), stack))


def _is_ours(address: int) -> bool:
    """Whether an address lies in memory that the library took from a device."""
    return any(
        segment.address <= address < segment.address + segment.size
        for device in state.devices
        for pool in device.pool.streams
        for segment in pool.segments
    )


def _stack() -> tuple[str, ...]:
    """Functions of the library between the user's line and pyACL, from above."""
    names: list[str] = []
    frame = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] != _PACKAGE or module.startswith(f"{_PACKAGE}.notebook"):
            break
        code = frame.f_code
        owner = frame.f_locals.get("self")
        kind = f"{type(owner).__name__}." if owner is not None and hasattr(type(owner), code.co_name) else ""
        names.append(f"{module.partition('.')[2]}: {kind}{code.co_name}")
        frame = cast(types.FrameType, frame.f_back)
    return tuple(reversed(names))
