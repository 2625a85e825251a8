"""Ordering events: taken, recorded, waited for, given back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import attrgetter

from ..acl import binding
from ..codes import EventFlag
from ..interrupts import HeldInterrupts
from .process import detach


class Contexts:
    """Which context each stream of a device belongs to: the primary one, but for those in `others` (`Context`).

    Attributes:
        primary: The device's primary context, 0 until its first use.
        others: Contexts of streams that belong to another one, by stream. Empty in nearly all programs, which pay nothing then.
        made: The contexts that the library made.
    """

    __slots__ = ("made", "others", "primary")

    def __init__(self) -> None:
        self.primary = 0
        self.others: dict[int, int] = {}
        self.made: list[int] = []

    @contextmanager
    def around(self, stream: int) -> Iterator[None]:
        """Make the context of a stream current while something is queued on it, which any other one refuses (RT-26)."""
        if not self.others:
            yield
            return
        with self.entered(self.others.get(stream, self.primary)):
            yield

    @contextmanager
    def entered(self, context: int) -> Iterator[None]:
        """Make a context current in ACL, and the one before it again afterwards."""
        before = binding.get_context()
        if before == context:
            yield
            return
        try:
            binding.set_context(context)
            yield
        finally:
            try:
                binding.set_context(before)
            except BaseException:
                detach()
                raise


class Mark:
    """An ordering event, recorded once, that goes back to its pool when nobody has the mark any more."""

    __slots__ = ("_give_back", "event")

    def __init__(self, event: int, pool: EventPool) -> None:
        self.event = event
        self._give_back = partial(pool.idle.append, event)

    __del__ = property(attrgetter("_give_back"))


class EventPool:
    """Events of one device for ordering between its streams; never timed.

    An event may be recorded anew as soon as the waits for it are queued: they keep the capture that they saw (EV-2).
    """

    __slots__ = ("contexts", "idle", "made")

    def __init__(self, contexts: Contexts | None = None) -> None:
        self.contexts = Contexts() if contexts is None else contexts
        self.idle: deque[int] = deque()
        self.made: set[int] = set()

    def take(self) -> int:
        """An event that nobody else uses. The device must be current in this thread."""
        try:
            return self.idle.pop()
        except IndexError:
            with HeldInterrupts():
                event = binding.create_reusable_event(int(EventFlag.SYNC))
                self.made.add(event)
            return event

    def give(self, event: int) -> None:
        """Take an event back."""
        self.idle.append(event)

    def record(self, stream: int) -> int:
        """An event recorded on a stream now; give it back when it is of no more interest."""
        event = self.take()
        try:
            if self.contexts.others:
                with self.contexts.around(stream):
                    binding.record_event(event, stream)
            else:
                binding.record_event(event, stream)
        except BaseException:
            self.give(event)
            raise
        return event

    def order(self, first: int, then: int) -> Mark:
        """Let later work of the stream `then` wait for what is queued on the stream `first` now; gives the mark there."""
        mark = Mark(self.record(first), self)
        if self.contexts.others:
            with self.contexts.around(then):
                binding.stream_wait_event(then, mark.event)
        else:
            binding.stream_wait_event(then, mark.event)
        return mark

    def close(self, attempt: Callable[..., None]) -> None:
        """Destroy all, at shutdown."""
        self.idle = deque()  # marks that are left give theirs to the old one
        while self.made:
            attempt(binding.destroy_event, self.made.pop())
