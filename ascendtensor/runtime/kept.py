"""Handles that live as long as something in Python does, destroyed by the next call that makes one, or at shutdown."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Kept:
    """Handles of one kind.

    Attributes:
        dropped: Handles to destroy; finalisers append to it and do nothing else.
    """

    __slots__ = ("_destroy", "dropped", "live")

    def __init__(self, destroy: Callable[[int], None]) -> None:
        self._destroy = destroy
        self.live: set[int] = set()
        self.dropped: deque[int] = deque()

    def add(self, handle: int) -> int:
        """Own a new handle, and destroy those that were dropped before."""
        self.live.add(handle)
        if self.dropped:
            self.sweep()
        return handle

    def sweep(self) -> None:
        """Destroy what was dropped. A handle whose destruction fails stays owned and is tried again at shutdown."""
        while self.dropped:
            handle = self.dropped.popleft()
            if handle in self.live:
                self._destroy(handle)
                self.live.discard(handle)

    def close(self, attempt: Callable[..., None]) -> None:
        """Destroy all, at shutdown."""
        self.dropped.clear()
        while self.live:
            attempt(self._destroy, self.live.pop())
