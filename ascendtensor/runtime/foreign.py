"""Device memory that somebody else owns, under tensors: never freed here, its owner kept alive while queued work may use it."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from ..acl import binding
from .memory import SLACK, Block, DeviceBuffer, Pool, Segment, StreamPool

if TYPE_CHECKING:
    from .stream import Stream

_NOTHING: Final[Callable[[], Any]] = tuple
_NO_STREAM: Final = -1


class ForeignBlock(Block):
    """Memory of somebody else.

    Attributes:
        owner: Whatever keeps the memory.
    """

    __slots__ = ("__weakref__", "owner")

    def __init__(self, address: int, nbytes: int, owner: object, keeper: Foreign) -> None:
        # A buffer is told of its block's size without the padding, and nothing is known of what lies behind this memory.
        super().__init__(address, nbytes + SLACK, Segment(address, nbytes), cast(StreamPool, keeper))
        self.owner = owner


class Foreign:
    """All such memory of one device; in the place of the pool that other blocks go back to.

    Attributes:
        handle: That of no stream, so that every stream counts as another one than the block's own.
        returns, shared_returns: One list of blocks whose last tensor is gone.
        pending: Those, and the events on the streams that used them.
    """

    __slots__ = ("_lent", "handle", "pending", "pool", "returns", "shared_returns")

    def __init__(self, pool: Pool) -> None:
        self.handle = _NO_STREAM
        self.pool = pool
        self.returns: deque[ForeignBlock] = deque()
        self.shared_returns = self.returns
        self.pending: list[tuple[ForeignBlock, list[int]]] = []
        self._lent: weakref.WeakSet[ForeignBlock] = weakref.WeakSet()

    def borrow(self, address: int, nbytes: int, owner: object, stream: Stream) -> DeviceBuffer:
        """A buffer over `nbytes` at `address`, as written on `stream`, which is this thread's."""
        self.sweep()
        block = ForeignBlock(address, nbytes, owner, self)
        block.users = {stream.handle}
        with self.pool.lock:
            self.pool.bury()
            block.data_buffer = self.pool.create_data_buffer(address, nbytes)
            self._lent.add(block)
        return DeviceBuffer(block, stream)

    def sweep(self) -> None:
        """Let go of the owners whose memory no queued work uses any more. The device must be current in this thread.

        Called before a synchronising call, for the events, and after it, when they have come.
        """
        if not self.returns and not self.pending:
            return
        done: list[ForeignBlock] = []
        with self.pool.lock:
            while self.returns:
                block = self.returns[0]
                marks = [self.pool.events.record(stream) for stream in block.users or ()]
                self.pending.append((block, marks))
                self.returns.popleft()
            waiting = []
            for block, marks in self.pending:
                if all(map(binding.query_event_status, marks)):
                    for mark in marks:
                        self.pool.events.give(mark)
                    self.pool.dropped_buffers.append(block.data_buffer)
                    self._lent.discard(block)
                    done.append(block)
                else:
                    waiting.append((block, marks))
            self.pending = waiting
        _let_go(done)

    def close(self) -> None:
        """At shutdown, when nothing is queued any more: tensors that are still there let go of their owners as they go."""
        done = [*self.returns, *(block for block, _ in self.pending)]
        self.returns.clear()
        self.pending.clear()
        for block in list(self._lent):
            block.give_back = cast(Any, _NOTHING)
        self._lent.clear()
        _let_go(done)


def _let_go(blocks: list[ForeignBlock]) -> None:
    """A block and the call that gives it back hold each other."""
    for block in blocks:
        block.give_back = cast(Any, _NOTHING)
        block.owner = None
