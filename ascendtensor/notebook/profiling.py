"""`at.profile()`: where the time goes, on the host and on the device."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Final

from .. import html
from ..codes import EventFlag, MemcpyKind
from ..errors import ValueRangeError, describe_bytes
from ..runtime import device as devices
from . import timeline
from .models_made import Made, watched
from .recording import Called, Launched, Recorder
from .sessions import Session
from .tracing import columns, launched

MOST_TIMED: Final = 5000
"""Launches whose time on the device is taken; each needs two events of pyACL's."""

_SIMULATED: Final = "device times are those of the simulator on this machine, not an NPU's"
_DIRECTIONS: Final = {
    int(MemcpyKind.HOST_TO_HOST): "on the host",
    int(MemcpyKind.HOST_TO_DEVICE): "to the device",
    int(MemcpyKind.DEVICE_TO_HOST): "to the host",
    int(MemcpyKind.DEVICE_TO_DEVICE): "inside the device",
}
_SORTS: Final = ("device", "host", "calls")


@dataclass(frozen=True)
class Span:
    """A piece of time.

    Attributes:
        name: The operator, pyACL function, or what `Profile.span` was given.
        kind: "launch", "copy", "fill", "wait", "call" (of pyACL), "compile", "span" (of the user) or "device" (the operator on its stream).
        lane: Which thread of the host, or which stream.
        began, seconds: From the start of the profile, and how long.
        detail: Shapes, bytes, or where a model came from.
        nbytes: Bytes of a copy.
    """

    name: str
    kind: str
    lane: str
    began: float
    seconds: float
    detail: str = ""
    nbytes: int = 0


@dataclass
class Row:
    """One operator in the summary: number of calls, seconds on the host and on the device."""

    name: str
    calls: int = 0
    host: float = 0.0
    device: float = 0.0


class Timed(Recorder):
    """A recorder that also takes the time of launches on the device, by an event before and one behind each.

    Attributes:
        marks: Of each launch: what was noted, the stream, the two events.
        bases: Of each stream: an event, and the time of the host when it had run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[Launched, int, int, int]] = []
        self.bases: dict[int, tuple[int, int]] = {}

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        inner = super().wrapped(name, real)
        if name not in ("acl.op.execute_with_handle", "acl.op.execute_v2"):
            return inner

        def launch(*arguments: Any) -> Any:
            stream = arguments[-1]
            if len(self.marks) >= MOST_TIMED:
                return inner(*arguments)
            if stream not in self.bases:
                self._meet_stream(stream)
            start = self._event(stream)
            code = inner(*arguments)
            mine = next((event for event in reversed(self.events) if event.__class__ is Launched and event.stream == stream), None)
            if start and mine is not None:
                self.marks.append((mine, stream, start, self._event(stream)))
            return code

        return launch

    def _event(self, stream: int) -> int:
        rt = self.real.rt
        event, code = rt.create_event_with_flag(int(EventFlag.TIME_LINE))
        if code:
            return 0
        rt.record_event(event, stream)
        return int(event)

    def _meet_stream(self, stream: int) -> None:
        event = self._event(stream)
        self.real.rt.synchronize_stream(stream)
        self.bases[stream] = event, perf_counter_ns()

    def times(self) -> list[tuple[Launched, int, int]]:
        """(launch, when it began on the device by the host's clock, nanoseconds); the events go. All streams must have run."""
        rt = self.real.rt
        found = []
        for event, stream, start, end in self.marks:
            base, at = self.bases[stream]
            before, failed = rt.event_elapsed_time(base, start)
            took, failed_too = rt.event_elapsed_time(start, end)
            if not (failed or failed_too):
                found.append((event, at + int(before * 1e6), int(took * 1e6)))
        for mark in (*(mark for _, _, *pair in self.marks for mark in pair), *(base for base, _ in self.bases.values())):
            if mark:
                rt.destroy_event(mark)
        self.marks, self.bases = [], {}
        return found


class Profile:
    """What took time inside `with at.profile() as p:`.

    Attributes:
        spans: Everything, in order of its beginning.
        seconds: Length of the block, with the wait for its work at the end.
        simulated: Whether the device is the simulator's.
        acl_prof: What `acl.prof` noted, a `Session`; None unless it was asked for.

    Examples:
        >>> with at.profile() as p:
        ...     with p.span("forward"):
        ...         y = at.relu(at.ones(2, 3))
        >>> sorted((row.name, row.calls) for row in p.by_operator())
        [('Fill', 1), ('Relu', 1)]
        >>> p.summary().split()[:3]
        ['operator', 'calls', 'device']
    """

    def __init__(self, device_time: bool = True, acl_prof: str | os.PathLike[str] | None = None) -> None:
        self.device_time = device_time
        self.acl_prof: Session | None = None
        self._output = acl_prof
        self.spans: list[Span] = []
        self.seconds = 0.0
        self.simulated = False
        self._recorder = Recorder()
        self._made: list[Made] = []
        self._marked: list[tuple[str, int, int, int]] = []

    def __enter__(self) -> Profile:
        self._recorder.expect(False, "profile")
        self.spans, self._marked = [], []
        self._recorder = Timed() if self.device_time else Recorder()
        with ExitStack() as stack:
            devices.initialize()
            self.simulated = devices.backend().name == "simulator"
            self._generation = devices.generation()
            if self._output is not None:
                with devices.current_device().current():
                    self.acl_prof = Session(Path(self._output), self.simulated)
                    self.acl_prof.begin()
                stack.push(self._end_session)
            self._made = stack.enter_context(watched())
            self._recorder.start()
            self._stack = stack.pop_all()
        self._began = perf_counter_ns()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._recorder.expect(True, "profile")
        alive = devices.generation() == self._generation
        try:
            if kind is None and alive:
                self._recorder.finish(wait=True)
        finally:
            self.seconds = (perf_counter_ns() - self._began) / 1e9
            self._recorder.stop()
            self._stack.close()
            self._collect(alive)

    def _end_session(self, *_: object) -> None:
        if self.acl_prof is not None:
            self.acl_prof.end(alive=devices.generation() == self._generation)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Give a part of the block a name, which the timeline shows. Like: torch.profiler.record_function."""
        began = perf_counter_ns()
        try:
            with self.acl_prof.stamped(name) if self.acl_prof is not None else nullcontext():
                yield
        finally:
            self._marked.append((name, began, perf_counter_ns(), threading.get_ident()))

    # What was noted, as spans

    def _collect(self, alive: bool) -> None:
        recorder, threads = self._recorder, dict[int, str]()

        def lane(thread: int) -> str:
            return threads.setdefault(thread, "host" if not threads else f"host, thread {len(threads) + 1}")

        lane(threading.get_ident())

        def add(name: str, kind: str, where: str, began: int, ended: int, detail: str = "", nbytes: int = 0) -> None:
            self.spans.append(Span(name, kind, where, (began - self._began) / 1e9, (ended - began) / 1e9, detail, nbytes))

        for event in recorder.events:
            if isinstance(event, Launched):
                launch = launched(event)
                add(launch.op_type, "launch", lane(event.thread), event.began, event.ended, launch.shapes)
            elif isinstance(event, Called):
                kind, detail, nbytes = _kind(event)
                add(event.function.removeprefix("acl."), kind, lane(event.thread), event.began, event.ended, detail, nbytes)
        for made in self._made:
            add(made.description.op_type, "compile", lane(made.thread), made.began, made.ended, f"{made.description}: {made.source}")
        for name, began, ended, thread in self._marked:
            add(name, "span", lane(thread), began, ended)
        if isinstance(recorder, Timed) and alive:
            streams = dict[int, str]()
            with devices.current_device().current():
                for event, began, took in recorder.times():
                    where = streams.setdefault(event.stream, f"stream {len(streams) + 1}")
                    launch = launched(event)
                    add(launch.op_type, "device", where, began, began + took, launch.shapes)
        self.spans.sort(key=lambda each: each.began)

    @property
    def occupancy(self) -> dict[str, float]:
        """Of each stream the share of the block in which it was at work, 0 to 1.

        Examples:
            >>> with at.profile() as p:
            ...     y = at.relu(at.ones(2, 3))
            ...     at.synchronize()
            >>> all(0 <= share <= 1 for share in p.occupancy.values())
            True
        """
        busy: dict[str, float] = {}
        for each in self.spans:
            if each.kind == "device":
                busy[each.lane] = busy.get(each.lane, 0.0) + each.seconds
        return {lane: min(seconds / self.seconds, 1.0) for lane, seconds in busy.items()} if self.seconds else busy

    def by_operator(self, sort_by: str = "device") -> list[Row]:
        """Calls and seconds of each operator.

        Args:
            sort_by: "device", "host" or "calls"; the most first.

        Raises:
            ValueRangeError: It is something else.
        """
        if sort_by not in _SORTS:
            raise ValueRangeError(f"sort_by can't be {sort_by!r}, but {', '.join(_SORTS)}", where="Profile.summary")
        rows: dict[str, Row] = {}
        for each in self.spans:
            if each.kind in ("launch", "device"):
                row = rows.setdefault(each.name, Row(each.name))
                if each.kind == "launch":
                    row.calls += 1
                    row.host += each.seconds
                else:
                    row.device += each.seconds
        return sorted(rows.values(), key=lambda row: getattr(row, sort_by), reverse=True)

    # As text and pictures

    _HEAD = ("operator", "calls", "device %", "device total", "device mean", "host total", "host mean")

    def _rows(self, sort_by: str) -> list[tuple[str, ...]]:
        rows = self.by_operator(sort_by)
        total = sum(row.device for row in rows)
        return [
            (
                row.name,
                str(row.calls),
                f"{100 * row.device / total:.1f}" if total else "-",
                *map(duration, (row.device, row.device / max(row.calls, 1), row.host, row.host / max(row.calls, 1))),
            )
            for row in rows
        ]

    def _notes(self) -> list[str]:
        def total(kind: str) -> str:
            found = [each for each in self.spans if each.kind == kind]
            size = f", {describe_bytes(sum(each.nbytes for each in found))}" if kind == "copy" else ""
            return f"{len(found)}{size}, {duration(sum(each.seconds for each in found))}"

        busy = ", ".join(f"{lane} {100 * share:.0f} %" for lane, share in self.occupancy.items())
        named = {"copies": "copy", "waits": "wait", "models made or fetched": "compile"}
        lines = ["; ".join([f"block {duration(self.seconds)}", *(f"{name} {total(kind)}" for name, kind in named.items())])]
        if busy:
            lines.append(f"at work: {busy}")
        if self.simulated and self.device_time:
            lines.append(_SIMULATED)
        if self.acl_prof is not None:
            lines.append(repr(self.acl_prof))
        return lines

    def summary(self, sort_by: str = "device") -> str:
        """A table of the operators: calls, share of the device's time, totals and means; and what else took time.

        Args:
            sort_by: "device", "host" or "calls"; the most first.

        Raises:
            ValueRangeError: It is something else.

        Like: torch.profiler.profile.key_averages().table.
        """
        return "\n".join([*columns(self._HEAD, self._rows(sort_by)), *self._notes()])

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        notes = "".join(f'<div class="dim">{html.escape(line)}</div>' for line in self._notes())
        return html.block(html.table(self._HEAD, self._rows("device")), notes, timeline.picture(self.spans, self.seconds))

    def export_chrome(self, path: str | os.PathLike[str]) -> Path:
        """Write the timeline for Perfetto (ui.perfetto.dev) or chrome://tracing. Like: torch.profiler.profile.export_chrome_trace.

        Args:
            path: The file, "trace.json".

        Returns:
            Its path.

        Examples:
            >>> with at.profile() as p:
            ...     y = at.relu(at.ones(2, 3))
            >>> p.export_chrome("trace.json").name
            'trace.json'
        """
        file = Path(path)
        file.write_text(json.dumps(timeline.chrome(self.spans, self.simulated)), encoding="utf-8")
        return file


def _kind(event: Called) -> tuple[str, str, int]:
    """Kind, detail and bytes of a pyACL call."""
    name = event.function
    if name.startswith("acl.rt.memcpy") and len(event.arguments) > 4:
        size = int(event.arguments[3])
        return "copy", f"{describe_bytes(size)} {_DIRECTIONS.get(event.arguments[4], '')}".strip(), size
    if name.startswith("acl.rt.memset"):
        return "fill", "", 0
    return ("wait" if "synchronize" in name else "call"), "", 0


def duration(seconds: float) -> str:
    """A time for people: "12.3 us"."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:,.0f} {unit}"
    return f"{seconds * 1e6:.1f} us"


def profile(*, device_time: bool = True, acl_prof: str | os.PathLike[str] | None = None) -> Profile:
    """Take the time of what runs inside `with at.profile() as p:`, on the host and on the device.

    `p.summary()` and `print(p)` give a table by operator, a notebook shows it with a timeline, `p.export_chrome("trace.json")` writes a
    file for Perfetto, `with p.span("step"):` names a part. The end of the block waits for the work. On the simulator the device's times are
    those of this machine, and are marked so.

    Args:
        device_time: Take the time of each launch on its stream too, by an event before it and one behind it.
        acl_prof: A folder in which CANN's own profiler writes what it notes in the block (`acl.prof`: tasks of the devices that are in use,
            calls of ACL, the names of `p.span`). It writes raw data, of which `msprof --export=on --output=FOLDER` makes tables;
            `p.acl_prof.tasks()` reads them, `p.acl_prof.folder` is the folder. The simulator writes tables at once. CANN has one session
            at a time in a process, and may leave out models that were loaded before it.

    Raises:
        AclError: Another session of `acl.prof` runs, or the folder can't be written to.

    Examples:
        >>> x = at.ones(2, 2)
        >>> with at.profile() as p:
        ...     y = x @ x
        >>> [row.name for row in p.by_operator()]
        ['MatMulV2']

    Like: torch.profiler.profile.
    """
    return Profile(device_time, acl_prof)
