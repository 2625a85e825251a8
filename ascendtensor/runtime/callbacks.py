"""Functions that are called when a stream comes to them.

pyACL runs callbacks in a thread that serves them with `process_report` and that each stream is subscribed to (CB-1). Here that is one
daemon thread for each device, started by the first callback. It is a `threading.Thread` that makes the device's context current itself:
`acl.util.start_thread` would install its own handler of SIGINT, and Ctrl-C would be lost.

The thread sleeps while no callback is outstanding. What a callback raises would end it (PY-18), so it is caught, logged, kept,
and raised by the next `synchronize` of the stream or device. Those also wait for the callbacks: pyACL itself waits for blocking ones only
(CB-4), and a blocking one can meet a launch that holds Python's lock.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from ..acl import binding
from ..errors import AclError
from ..interrupts import HeldInterrupts
from .process import state

if TYPE_CHECKING:
    from .device import Device
    from .stream import Lane, Stream

logger = logging.getLogger("ascendtensor")

REPORT_MS: Final = 200
"""How long one `process_report` waits while callbacks are outstanding."""

END_SECONDS: Final = 10.0
"""How long a shutdown waits for callbacks that are still to run, and for the thread."""


class Outstanding:
    """The callbacks of one ACL stream.

    Attributes:
        server: Who runs them.
        count: How many have not run yet.
        failures: What those that ran raised, until `wait` raises it.
    """

    __slots__ = ("count", "failures", "server")

    def __init__(self, server: Server) -> None:
        self.server = server
        self.count = 0
        self.failures: deque[BaseException] = deque()

    def wait(self) -> None:
        """Wait until all have run.

        Raises:
            Exception: What one raised since the last time, the first of them; all were logged.
        """
        server = self.server
        if server.thread is not threading.current_thread():
            with server.changed:
                server.changed.wait_for(lambda: not self.count or not server.thread.is_alive())
        if self.failures:
            first = self.failures.popleft()
            self.failures.clear()
            raise first


class Server:
    """The thread that runs a device's callbacks.

    Attributes:
        thread: The thread.
        changed: Guards the counts; told of when one changes.
        subscribed: Handles of the streams whose callbacks it runs.
    """

    def __init__(self, device: Device) -> None:
        self._context = device.context
        self._contexts = device.contexts
        self._outstanding = 0
        self._ending = False
        self.changed = threading.Condition()
        self.subscribed: set[int] = set()
        self.thread = threading.Thread(target=self._serve, name=f"callbacks of {device}", daemon=True)
        self.thread.start()

    @property
    def ident(self) -> int:
        return self.thread.ident or 0

    def add(self, lane: Lane, function: Callable[[], object], blocking: bool) -> None:
        """Queue a callback on a stream; its device must be current in this thread."""
        outstanding = lane.callbacks
        with self.changed:
            if outstanding is None or outstanding.server is not self:
                outstanding = lane.callbacks = Outstanding(self)
            if lane.handle not in self.subscribed:
                with self._contexts.around(lane.handle):
                    binding.subscribe_report(self.ident, lane.handle)
                self.subscribed.add(lane.handle)
        waiting = outstanding

        def call(_: object) -> None:
            try:
                function()
            except BaseException as error:  # sys.exit() too: in this thread it would end nothing, and nobody would know
                logger.exception("a callback on stream %#x failed", lane.handle)
                waiting.failures.append(error)
            finally:
                self._count(waiting, -1)

        with HeldInterrupts(), self._contexts.around(lane.handle):  # either it is queued and counted, or neither
            self._count(waiting, 1)
            try:
                binding.launch_callback(call, None, int(blocking), lane.handle)
            except BaseException:
                self._count(waiting, -1)
                raise

    def _count(self, outstanding: Outstanding, change: int) -> None:
        with self.changed:
            outstanding.count += change
            self._outstanding += change
            self.changed.notify_all()

    def _serve(self) -> None:
        try:
            binding.set_context(self._context)
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: self._outstanding or self._ending)
                    if self._ending:
                        return
                binding.process_report(REPORT_MS)
        except AclError as error:
            logger.error("callbacks are not served any more: %s", error)
        finally:
            with self.changed:
                self.changed.notify_all()

    def end(self) -> None:
        """Wait for the callbacks of what has run, at shutdown, then end the thread. The device must be current in this thread."""
        with self.changed:
            if not self.changed.wait_for(lambda: not self._outstanding or not self.thread.is_alive(), END_SECONDS):
                logger.warning("%d callbacks have not run at shutdown", self._outstanding)
            self._ending = True
            self.changed.notify_all()
        self.thread.join(END_SECONDS)
        self.unsubscribe()

    def unsubscribe(self) -> None:
        """Leave the streams. The device must be current in this thread."""
        while self.subscribed:
            try:
                stream = self.subscribed.pop()
                with self._contexts.around(stream):
                    binding.unsubscribe_report(self.ident, stream)
            except AclError as error:
                logger.warning("the thread that served callbacks can't leave a stream: %s", error)


_servers: Final[dict[Device, Server]] = {}
_starting: Final = threading.Lock()


def add(stream: Stream, function: Callable[[], object], blocking: bool) -> None:
    """Queue `function()` on a stream, whose device is current in this thread."""
    device = stream.device
    with _starting:
        server = _servers.get(device)
        if server is None or not server.thread.is_alive():
            if server is not None:
                server.unsubscribe()
            server = _servers[device] = Server(device)
    server.add(stream.lane, function, blocking)


def wait_for(lanes: Iterable[Lane]) -> None:
    """Wait for the callbacks of several streams.

    Raises:
        Exception: What one of them raised.
    """
    for lane in list(lanes):
        if lane.callbacks is not None:
            lane.callbacks.wait()


def _end_all() -> None:
    while _servers:
        device, server = _servers.popitem()
        if device.context:
            binding.set_context(device.context)
        server.end()


state.callbacks.append(_end_all)
