"""Pinned host memory: pieces for copies that are queued, and arrays for users."""

from __future__ import annotations

import ctypes
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from typing import Any, Final

import numpy as np

from ..acl import binding
from ..interrupts import HeldInterrupts
from .events import EventPool
from .stream import Lane

SLAB: Final = 1 << 20
"""Bytes of one piece, and the largest copy that goes through one."""

ALIGNMENT: Final = 64
"""What asynchronous copies want of both addresses (pyACL reference, memcpy_async)."""

_WAITING: Final = 8
"""Pieces waiting for their streams before the oldest one is waited for, so that pinned memory stays bounded."""


def host_array(address: int, nbytes: int, owner: object = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A writable array of bytes over host memory; `owner` lives as long as it does."""
    raw = (ctypes.c_ubyte * nbytes).from_address(address)
    raw.owner = owner  # type: ignore[attr-defined]
    return np.frombuffer(memoryview(raw), np.uint8)


class Slab:
    """A piece of pinned memory. `held` counts downloads whose data were not taken out yet."""

    __slots__ = ("address", "array", "held", "raw")

    def __init__(self) -> None:
        self.raw = binding.malloc_host(SLAB + ALIGNMENT)
        self.address = (self.raw + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        self.array = host_array(self.address, SLAB)
        self.held = 0


class _Owner:
    """Pinned memory of a user's arrays."""

    __slots__ = ("_drop",)

    def __init__(self, address: int, dropped: deque[int]) -> None:
        self._drop = partial(dropped.append, address)

    __del__ = property(attrgetter("_drop"))


class Staging:
    """Pinned memory of one device. Each stream fills a piece from the front; a full one is used again behind an event."""

    def __init__(self, events: EventPool, lock: AbstractContextManager[Any]) -> None:
        self.lock = lock
        self.events = events
        self.slabs: list[Slab] = []
        self.idle: list[Slab] = []
        self.waiting: deque[tuple[int, Slab]] = deque()
        self.pinned: dict[int, int] = {}
        self._starts: list[int] = []
        self._dropped: deque[int] = deque()
        self._kept: deque[tuple[int, object]] = deque()

    def reserve(self, lane: Lane, nbytes: int) -> tuple[Slab, int]:
        """Room for a copy on a stream: the piece and the offset in it. Call it with the lock held."""
        slab = lane.slab
        if slab is not None and lane.slab_used + nbytes > SLAB:
            with HeldInterrupts():  # in two places it would serve twice
                self.waiting.append((self.events.record(lane.handle), slab))
                lane.slab = None
            slab = None
        if slab is None:
            slab = self._fresh()
            lane.slab, lane.slab_used = slab, 0
        offset = lane.slab_used
        lane.slab_used = (offset + nbytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        lane.slab_serial += 1
        return slab, offset

    def drained(self, lane: Lane, slab: Slab, serial: int) -> None:
        """The stream has run everything up to copy number `serial`: if that was the last, its piece is empty again."""
        if lane.slab is slab and lane.slab_serial == serial and not slab.held:
            lane.slab_used = 0

    def _fresh(self) -> Slab:
        self._collect(wait=len(self.waiting) >= _WAITING)
        if self.idle:
            return self.idle.pop()
        with HeldInterrupts():
            slab = Slab()
            self.slabs.append(slab)
        return slab

    def _collect(self, wait: bool) -> None:
        for _ in range(len(self.waiting)):
            event, slab = self.waiting[0]
            if not slab.held and wait:
                binding.synchronize_event(event)
            elif slab.held or not binding.query_event_status(event):
                return
            self.waiting.popleft()
            self.events.give(event)
            self.idle.append(slab)
            wait = False

    # Arrays of users

    def empty(self, nbytes: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """A new array of bytes in pinned memory, given back when its last view is gone."""
        with self.lock, HeldInterrupts():
            self.sweep()
            address = binding.malloc_host(max(nbytes, 1) + ALIGNMENT)
            start = (address + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
            self.pinned[address] = start + nbytes
            insort(self._starts, address)
            return host_array(start, nbytes, _Owner(address, self._dropped))

    def is_pinned(self, address: int, nbytes: int) -> bool:
        """Whether these bytes lie in memory of `empty`."""
        with self.lock:
            index = bisect_right(self._starts, address) - 1
            return index >= 0 and address + nbytes <= self.pinned[self._starts[index]]

    def nbytes(self) -> int:
        """Bytes of pinned memory held."""
        with self.lock:
            return len(self.slabs) * (SLAB + ALIGNMENT) + sum(end - start for start, end in self.pinned.items())

    def keep(self, stream: int, array: object) -> None:
        """Keep an array alive until the copy just queued on a stream is done."""
        with self.lock:
            self._kept.append((self.events.record(stream), array))
            while len(self._kept) > 1 and binding.query_event_status(self._kept[0][0]):
                self.events.give(self._kept.popleft()[0])

    def sweep(self) -> None:
        """Free pinned memory whose arrays are gone."""
        while self._kept and binding.query_event_status(self._kept[0][0]):
            self.events.give(self._kept.popleft()[0])
        while self._dropped:
            address = self._dropped[0]
            if address in self.pinned:
                binding.free_host(address)
                del self.pinned[address]
                self._starts.remove(address)
            self._dropped.popleft()

    def close(self, attempt: Callable[..., None]) -> None:
        """Free everything, at shutdown, except what arrays of users still look at: reading those must never crash."""
        self._kept.clear()
        self.waiting.clear()
        self.idle.clear()
        while self.slabs:
            attempt(binding.free_host, self.slabs.pop().raw)
        while self._dropped:
            address = self._dropped.popleft()
            if self.pinned.pop(address, None) is not None:
                attempt(binding.free_host, address)
