"""Device memory: a caching allocator for each stream, and the buffers that tensors share.

A block that comes back is reused at once on the stream it was allocated on: queued work runs in order there (RT-27), so nothing has to
wait. A block that another stream used comes back through `shared_returns` and is recycled behind an event on each such stream.

Blocks on loan are known to nobody here; free ones lie in *bins* by their exact size, or, once bins were given up, in the *store*, where
neighbours inside a segment are merged and the best fit is split.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from .. import shapes
from ..acl import binding
from ..codes import MallocPolicy, MemAttr
from ..errors import ClosedError, DeviceError, OutOfDeviceMemoryError
from ..interrupts import HeldInterrupts
from .events import EventPool

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream

STEP: Final = 512
"""Blocks are cut in steps of this many bytes, so every address is 64-byte aligned (RT-29)."""

SLACK: Final = 32
"""Bytes behind the data, rounded up to 32, that an operator may touch (RT-29)."""

MEBI: Final = 1 << 20
_SMALL_SEGMENT: Final = 2 * MEBI
_LARGE_SEGMENT: Final = 16 * MEBI
_HUGE_PAGE: Final = 2 * MEBI
_WINDOWS_KEPT: Final = 512
_NOBODYS: Final = (0, 0)


def size_class(nbytes: int) -> int:
    """Size of the block for `nbytes`: operators may touch the padded size (RT-29), so each block holds it.

    Up to 1 MiB in steps of 512 bytes; above in 32 steps for each power of two, so that near sizes share blocks.
    """
    padded = shapes.padded_nbytes(nbytes)
    step = STEP if padded <= MEBI else 1 << (padded.bit_length() - 6)
    return (padded + step - 1) // step * step


def segment_size(size: int) -> int:
    """How much to take of the device when a block of `size` is missing: whole huge pages, since less of one is not to be had."""
    if size <= MEBI:
        return _SMALL_SEGMENT
    return _LARGE_SEGMENT if size <= _LARGE_SEGMENT // 2 else -(-size // _HUGE_PAGE) * _HUGE_PAGE


_new = object.__new__


def _own_references() -> int:
    """What `sys.getrefcount` answers for a local variable that nothing else refers to; it differs by Python's version."""
    found = object()
    return sys.getrefcount(found)


_OWN_REFERENCES: Final = _own_references()


class Segment:
    """One allocation of the device, cut into blocks."""

    __slots__ = ("address", "first", "size")

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.size = size
        self.first: Block | None = None


class Block:
    """A piece of a segment.

    Attributes:
        address, size: Where, and how many bytes.
        data_buffer: The aclDataBuffer of the whole block; made before the block is first lent, 0 until then.
        give_back: Called without arguments when the last tensor over the block is gone: the append to the list that it goes back to.
        pool: The stream's pool that it belongs to.
        previous, next: Neighbours in the segment.
        free: Whether it lies in the store.
        users: Handles of other streams that used it since it was lent, or None.
    """

    __slots__ = ("address", "data_buffer", "free", "give_back", "next", "pool", "previous", "segment", "size", "users")

    def __init__(self, address: int, size: int, segment: Segment, pool: StreamPool) -> None:
        self.address = address
        self.size = size
        self.data_buffer = 0
        self.give_back = partial(pool.returns.append, self)
        self.segment = segment
        self.pool = pool
        self.previous: Block | None = None
        self.next: Block | None = None
        self.free = False
        self.users: set[int] | None = None


class DeviceBuffer:
    """Device memory that tensors share. When the last of them goes, the block returns to its pool.

    Attributes:
        block: The block.
        data_buffer: Its aclDataBuffer.
        stream: The stream of the last write.
        readers: Handles of other streams that are ordered after that write, or None.
        extent: Bytes of data from its start, noted when the first view of it is made; 0 until then.
    """

    __slots__ = ("block", "data_buffer", "extent", "readers", "stream")
    readers: set[int] | None

    def __init__(self, block: Block, stream: Stream) -> None:
        self.block = block
        self.data_buffer = block.data_buffer
        self.stream = stream
        self.readers = None
        self.extent = 0

    # One atomic append: this may run in any thread, in the middle of anything. It is C from end to end, since an interrupt that comes
    # while a finaliser's own Python code runs is printed and lost; a buffer whose making was interrupted has no block and does nothing.
    __del__ = property(attrgetter("block.give_back"))

    @property
    def base(self) -> DeviceBuffer:
        """The buffer itself; of a window, the buffer that it looks into."""
        return self

    @property
    def offset(self) -> int:
        """Where it starts in the whole buffer, in bytes."""
        return 0

    @property
    def address(self) -> int:
        return self.block.address

    @property
    def nbytes(self) -> int:
        """Bytes that an operator may be told of, at least what was asked for: with their padding they fill the block (RT-29)."""
        return self.block.size - SLACK

    @property
    def device(self) -> Device:
        return self.stream.device

    def read_on(self, stream: Stream) -> None:
        """Order `stream`, which is about to read, after the last write. Needed only where `self.stream is not stream`."""
        readers = self.readers
        if readers is not None and stream.handle in readers:
            return
        with self.block.pool.pool.lock:  # two threads that read it first at the same time are both remembered
            self._lend_to(stream)
            stream.lane.follow(self.stream.lane, stream.device.events)
            if self.readers is None:
                self.readers = {stream.handle}
            else:
                self.readers.add(stream.handle)

    def write_on(self, stream: Stream) -> None:
        """Order `stream`, which is about to write, after the last write and every read; it becomes the stream of the last write."""
        readers = self.readers
        if self.stream is stream and not readers:
            return
        with self.block.pool.pool.lock:
            self._lend_to(stream)
            readers = self.readers
            handle, events = stream.handle, stream.device.events
            if self.stream is not stream:  # also where this one waits for the write already: that stream may have read since
                stream.lane.follow(self.stream.lane, events)
            for reader in tuple(readers or ()):
                if reader != handle:
                    events.order(reader, handle)
            self.stream = stream
            self.readers = None

    def _lend_to(self, stream: Stream) -> None:
        mine, block = self.stream.device, self.block
        if mine.closed:
            raise ClosedError("the tensor is from before shutdown()", advice="Make it again from host data.")
        if stream.device is not mine:
            raise DeviceError(f"the memory lies on {mine}, the stream belongs to {stream.device}", advice="Copy it with .to() first.")
        if stream.handle != block.pool.handle:
            if block.users is None:
                block.users = set()
            block.users.add(stream.handle)
            block.give_back = partial(block.pool.shared_returns.append, block)

    def window(self, offset: int, nbytes: int) -> Window:
        """A part of this buffer with an aclDataBuffer of its own, as operators take it.

        Args:
            offset: Where it starts, in bytes; operators want a multiple of 32.
            nbytes: Bytes of data; with their padding they lie in the block too (RT-29).
        """
        if offset < 0 or nbytes < 0 or offset + nbytes > self.nbytes:
            raise ValueError(f"window({offset}, {nbytes}) does not lie in a buffer of {self.nbytes} bytes")
        return Window(self, offset, nbytes)


class Window(DeviceBuffer):
    """A part of a buffer, which it keeps alive. Streams and readers are those of the whole buffer."""

    __slots__ = ("_base", "_give_back", "_nbytes", "_offset")

    def __init__(self, base: DeviceBuffer, offset: int, nbytes: int) -> None:
        pool = base.block.pool.pool
        self._base = base
        self._offset = offset
        self._nbytes = nbytes
        address = base.block.address + offset
        self.data_buffer = pool.window(address, nbytes)
        self._give_back = partial(pool.dropped_windows.append, (address, nbytes))

    __del__ = property(attrgetter("_give_back"))

    @property
    def base(self) -> DeviceBuffer:
        return self._base

    @property
    def block(self) -> Block:  # type: ignore[override]
        return self._base.block

    @property
    def stream(self) -> Stream:  # type: ignore[override]
        return self._base.stream

    @property
    def readers(self) -> set[int] | None:  # type: ignore[override]
        return self._base.readers

    @property
    def offset(self) -> int:
        return self._offset

    @property
    def address(self) -> int:
        return self._base.block.address + self._offset

    @property
    def nbytes(self) -> int:
        return self._nbytes

    def read_on(self, stream: Stream) -> None:
        if self._base.stream is not stream:
            self._base.read_on(stream)

    def write_on(self, stream: Stream) -> None:
        self._base.write_on(stream)

    def window(self, offset: int, nbytes: int) -> Window:
        return self._base.window(self._offset + offset, nbytes)


class Pool:
    """All memory of one device: what its streams' pools share.

    Attributes:
        lock: Taken on every road through here but the hot one (`StreamPool.returns`).
        allocated, peak, reserved, peak_reserved: Bytes, exact when all returns were collected.
        allocations: Blocks lent by `StreamPool.take`.
    """

    def __init__(self, events: EventPool, synchronize: Callable[[], None], lock: AbstractContextManager[Any]) -> None:
        self.lock = lock
        self.events = events
        self.synchronize = synchronize
        self.streams: list[StreamPool] = []
        self.dropped_windows: deque[tuple[int, int]] = deque()
        self.dropped_buffers: deque[int] = deque()
        self.data_buffers: set[int] = set()
        self._windows: dict[tuple[int, int], int] = {}
        self._shared_windows: dict[tuple[int, int], tuple[int, int]] = {}
        self.allocated = self.peak = self.reserved = self.peak_reserved = 0
        self.allocations = self.device_allocations = self.device_frees = self.out_of_memory = 0
        self.closed = False

    def create_data_buffer(self, address: int, size: int) -> int:
        handle = binding.create_data_buffer(address, size)
        self.data_buffers.add(handle)
        return handle

    def window(self, address: int, nbytes: int) -> int:
        """An aclDataBuffer for a part of a block: that of its other windows, one that was given back, or a new one."""
        if self.closed:
            raise ClosedError("the tensor is from before shutdown()", advice="Make it again from host data.")
        place = address, nbytes
        with self.lock:
            self._collect_windows()
            handle, users = self._shared_windows.get(place, _NOBODYS)
            if not handle:
                handle = self._windows.get(place, 0)
            if not handle:
                with HeldInterrupts():
                    self.bury()
                    handle = self.create_data_buffer(address, nbytes)
            self._shared_windows[place] = handle, users + 1
            self._windows.pop(place, None)
            return handle

    def _collect_windows(self) -> None:
        """Count the windows that are gone. Interrupts come behind calls, so none is made before all of a step is written down."""
        while self.dropped_windows:
            place = self.dropped_windows[0]
            handle, users = self._shared_windows[place]
            if users > 1:
                self._shared_windows[place] = handle, users - 1
            else:
                self._windows[place] = handle
                del self._shared_windows[place]
            self.dropped_windows.popleft()
        while len(self._windows) > _WINDOWS_KEPT:
            self.dropped_buffers.append(self._windows.pop(next(iter(self._windows))))

    def bury(self) -> None:
        """Destroy the aclDataBuffers of blocks that were cut or merged; one that fails is tried again later."""
        while self.dropped_buffers:
            handle = self.dropped_buffers[0]
            binding.destroy_data_buffer(handle)
            self.data_buffers.discard(handle)
            self.dropped_buffers.popleft()

    def collect(self) -> None:
        """Bring home every block that was given back, and where its streams are done, recycle it."""
        with self.lock:
            for stream in self.streams:
                stream.collect()

    def release(self) -> int:
        """Give the segments that hold no block on loan back to the device; the bytes released. All streams must have drained."""
        released = 0
        with self.lock, HeldInterrupts():
            self._collect_windows()
            for stream in self.streams:
                stream.collect()
                stream.consolidate()
                released += stream.release()
            while self._windows:
                self.dropped_buffers.append(self._windows.popitem()[1])
            self.bury()
        return released

    def cached(self) -> int:
        return self.reserved - self.allocated

    def device_memory(self) -> tuple[int, int]:
        """`(free, total)` bytes; a chip without HBM answers for its DDR."""
        free, total = binding.get_mem_info(int(MemAttr.HBM_MEM))
        return (free, total) if total else binding.get_mem_info(int(MemAttr.DDR_MEM))

    def close(self, attempt: Callable[..., None]) -> None:
        """Free everything, at shutdown; what is returned later goes nowhere."""
        self.closed = True
        while self.data_buffers:
            attempt(binding.destroy_data_buffer, self.data_buffers.pop())
        for stream in self.streams:
            while stream.segments:
                attempt(binding.free, stream.segments.pop().address)
            stream.bins.clear()
            stream.store.clear()
            stream.pending.clear()


class StreamPool:
    """Blocks of one stream.

    Attributes:
        returns: Blocks that came back and were used on this stream only; `append` and `pop` without a lock.
        lent: Pops them. The steps of a `for` up to the name that it binds look for no signals, as the step behind a call does: so a block
            always lies in a list or has an owner, whenever Ctrl-C comes. On the hot road the call is faster; see `reclaim`.
        shared_returns: Blocks that came back and were used on other streams too.
        bins: Free blocks by exact size.
        store: Free blocks, neighbours merged, sorted by size and address.
        pending: Blocks waiting for events of other streams.
        handle: The stream.
    """

    __slots__ = ("bins", "handle", "lent", "pending", "pool", "returns", "segments", "shared_returns", "store")

    def __init__(self, handle: int, pool: Pool) -> None:
        self.handle = handle
        self.pool = pool
        self.returns = self._made_returns()
        self.lent: Iterator[Block] = iter(self.returns.pop, None)
        self.shared_returns: deque[Block] = deque()
        self.bins: defaultdict[int, list[Block]] = defaultdict(list)
        self.store: list[tuple[int, int, Block]] = []
        self.pending: deque[tuple[Block, list[int]]] = deque()
        self.segments: list[Segment] = []
        pool.streams.append(self)

    def _made_returns(self) -> deque[Block]:
        return deque()

    def lend(self, size: int, stream: Stream) -> DeviceBuffer:
        """A buffer over a block of exactly `size` bytes, as `take`."""
        buffer = _new(DeviceBuffer)
        block = self.take(size, buffer)
        buffer.data_buffer = block.data_buffer
        buffer.stream = stream
        buffer.readers = None
        buffer.extent = 0
        return buffer

    def take(self, size: int, buffer: DeviceBuffer) -> Block:
        """A block of exactly `size` bytes, which is a size class, for a new buffer. The device must be current in this thread.

        The buffer owns it already when this returns, so that an interrupt finds the block with an owner wherever it comes.

        Raises:
            OutOfDeviceMemoryError: There is no room, also after waiting for all queued work and releasing the cache.
        """
        pool = self.pool
        block = None
        counted = False
        try:
            with pool.lock:
                self.collect()
                free = self.bins.get(size)
                if free:
                    block = free[-1]
                    del free[-1]
                else:
                    with HeldInterrupts():
                        block = self._find(size)
                pool.allocated += size
                counted = True
                pool.allocations += 1
                if pool.allocated > pool.peak:
                    pool.peak = pool.allocated
        except BaseException:
            if block is not None:  # an interrupt
                pool.allocated += 0 if counted else size
                self.returns.append(block)
            raise
        buffer.block = block
        return block

    def buffer(self, nbytes: int, stream: Stream) -> DeviceBuffer:
        """A buffer for `nbytes` of data, off the hot road."""
        return self.lend(size_class(nbytes), stream)

    def reclaim(self) -> None:
        """Take back blocks that nobody holds: Ctrl-C came behind a `returns.pop()`, before its result had a name.

        Whoever holds a block, in a list, in an object or in another thread's hands, counts as a reference to it.
        """
        with self.pool.lock, HeldInterrupts():
            for segment in self.segments:
                block = segment.first
                while block is not None:
                    # Its own `give_back`, its neighbours and its segment are no holders.
                    links = 1 + (block.previous is not None) + (block.next is not None) + (segment.first is block)
                    if not block.free and sys.getrefcount(block) == links + _OWN_REFERENCES:
                        self.returns.append(block)
                    block = block.next

    def collect(self) -> None:
        """Sort blocks that came back into the bins."""
        bins, returns, pool = self.bins, self.returns, self.pool
        try:
            while returns:
                for block in self.lent:  # no calls and no branches up to its place, see `lent`
                    bins[block.size] += [block]
                    pool.allocated -= block.size
                    break
        except IndexError:  # another thread shares the stream and was faster
            pass
        if self.shared_returns:
            self._mark_shared()
        if self.pending:
            self._recycle_shared()

    def _mark_shared(self) -> None:
        events = self.pool.events
        while self.shared_returns:
            block = self.shared_returns[0]
            # Recorded now, when the last tensor is gone: what the other streams had queued with it lies before.
            marks: list[int] = []
            try:
                marks.extend(events.record(stream) for stream in block.users or ())
            except BaseException:
                events.idle.extend(marks)
                raise
            with HeldInterrupts():
                self.pending.append((block, marks))
                self.shared_returns.popleft()
                self.pool.allocated -= block.size

    def _recycle_shared(self) -> None:
        while self.pending:
            block, marks = self.pending[0]
            while marks:
                if not binding.query_event_status(marks[-1]):
                    return
                self.pool.events.give(marks.pop())
            with HeldInterrupts():
                self.pending.popleft()
                block.users = None
                block.give_back = partial(self.returns.append, block)
                self.bins[block.size].append(block)

    def _find(self, size: int) -> Block:
        self.pool.bury()
        block = self._fit(size)
        if block is None and self.bins:
            self.consolidate()
            block = self._fit(size)
        if block is None:
            block = self._grow(size)
        try:
            if not block.data_buffer:
                block.data_buffer = self.pool.create_data_buffer(block.address, block.size)
        except BaseException:
            self._put(block)
            raise
        return block

    def _fit(self, size: int, anywhere: bool = False) -> Block | None:
        """The smallest block of the store that holds `size`, cut to it; small ones leave large segments whole."""
        store = self.store
        for index in range(bisect_left(store, (size, 0)), len(store)):
            block = store[index][2]
            if size > MEBI or block.segment.size <= _SMALL_SEGMENT or anywhere:
                del store[index]
                block.free = False
                return self._cut(block, size)
            if block.size > _SMALL_SEGMENT:
                break
        return None

    def _cut(self, block: Block, size: int) -> Block:
        if block.size > size:
            rest = Block(block.address + size, block.size - size, block.segment, self)
            rest.previous, rest.next = block, block.next
            if block.next is not None:
                block.next.previous = rest
            block.next = rest
            self._resize(block, size)
            rest.free = True
            insort(self.store, (rest.size, rest.address, rest))
        return block

    def _resize(self, block: Block, size: int) -> None:
        block.size = size
        if block.data_buffer:
            self.pool.dropped_buffers.append(block.data_buffer)
            block.data_buffer = 0

    def _remove(self, block: Block) -> None:
        del self.store[bisect_left(self.store, (block.size, block.address))]
        block.free = False

    def _put(self, block: Block) -> None:
        """Lay a block into the store, merged with free neighbours."""
        after = block.next
        if after is not None and after.free:
            self._remove(after)
            self._absorb(block, after)
        before = block.previous
        if before is not None and before.free:
            self._remove(before)
            self._absorb(before, block)
            block = before
        block.free = True
        insort(self.store, (block.size, block.address, block))

    def _absorb(self, block: Block, after: Block) -> None:
        self._resize(after, after.size)
        self._resize(block, block.size + after.size)
        block.next = after.next
        if after.next is not None:
            after.next.previous = block

    def consolidate(self) -> None:
        """Give the bins up: all free blocks into the store."""
        bins = self.bins
        while bins:
            size, blocks = next(iter(bins.items()))
            while blocks:
                self._put(blocks.pop())
            del bins[size]

    def _grow(self, size: int) -> Block:
        """A block from a new segment; releases what is cached where the device has no room."""
        pool, wanted = self.pool, segment_size(size)
        for attempt in dict.fromkeys((wanted, size)):
            try:
                return self._segment(attempt, size)
            except OutOfDeviceMemoryError:
                continue
        pool.synchronize()
        self.collect()
        self.consolidate()
        block = self._fit(size, anywhere=True)
        if block is not None:
            return block
        pool.release()
        try:
            return self._segment(size, size)
        except OutOfDeviceMemoryError as error:
            pool.out_of_memory += 1
            free = pool.device_memory()[0]
            raise OutOfDeviceMemoryError(
                error.function,
                error.code,
                error.acl_message,
                requested=size,
                used=pool.allocated,
                cached=pool.cached(),
                free=free,
                advice=error.advice,
            ) from None

    def _segment(self, nbytes: int, size: int) -> Block:
        pool = self.pool
        # pyACL adds the slack itself (RT-29). Each block holds its own, and 32 bytes more would take another huge page.
        segment = Segment(binding.malloc(nbytes - SLACK, int(MallocPolicy.HUGE_FIRST)), nbytes)
        self.segments.append(segment)
        pool.device_allocations += 1
        pool.reserved += nbytes
        pool.peak_reserved = max(pool.peak_reserved, pool.reserved)
        segment.first = Block(segment.address, nbytes, segment, self)
        return self._cut(segment.first, size)

    def release(self) -> int:
        """Free the segments that are wholly in the store."""
        released = 0
        for segment in list(self.segments):
            block = segment.first
            if block is None or not block.free or block.next is not None:
                continue
            self._remove(block)
            try:
                binding.free(segment.address)
            except BaseException:
                self._put(block)
                raise
            self.segments.remove(segment)
            self._resize(block, block.size)
            self.pool.device_frees += 1
            self.pool.reserved -= segment.size
            released += segment.size
        return released
