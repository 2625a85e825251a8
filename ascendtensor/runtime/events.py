"""Ordering events: taken, recorded, waited for, given back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..acl import binding
from ..codes import EventFlag
from .interrupts import HeldInterrupts


class EventPool:
    """Events of one device for ordering between its streams; never timed.

    An event may be recorded anew as soon as the waits for it are queued: they keep the capture that they saw (EV-2).
    """

    __slots__ = ("idle", "made")

    def __init__(self) -> None:
        self.idle: deque[int] = deque()
        self.made: set[int] = set()

    def take(self) -> int:
        """An event that nobody else uses. The device must be current in this thread."""
        try:
            return self.idle.pop()
        except IndexError:
            with HeldInterrupts():
                event = binding.create_event_with_flag(int(EventFlag.SYNC))
                self.made.add(event)
            return event

    def give(self, event: int) -> None:
        """Take an event back."""
        self.idle.append(event)

    def record(self, stream: int) -> int:
        """An event recorded on a stream now; give it back when it is of no more interest."""
        event = self.take()
        try:
            binding.record_event(event, stream)
        except BaseException:
            self.give(event)
            raise
        return event

    def order(self, first: int, then: int) -> None:
        """Let later work of the stream `then` wait for what is queued on the stream `first` now."""
        event = self.record(first)
        try:
            binding.stream_wait_event(then, event)
        finally:
            self.give(event)

    def close(self, attempt: Callable[..., None]) -> None:
        """Destroy all, at shutdown."""
        self.idle.clear()
        while self.made:
            attempt(binding.destroy_event, self.made.pop())
