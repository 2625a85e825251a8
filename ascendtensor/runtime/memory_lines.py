"""Which line of a program allocated each block, where ASCENDTENSOR_MEMORY_LINES asks for that: pools that note it.

They take the place of the plain ones when a stream is made, so that nothing of this lies on the road of a launch otherwise.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from typing import Final

from .memory import Block, DeviceBuffer, Pool, StreamPool

VARIABLE: Final = "ASCENDTENSOR_MEMORY_LINES"
_PACKAGE: Final = __name__.partition(".")[0]

Line = tuple[str, int, str]
"""File, line, function."""


def stream_pool(handle: int, pool: Pool) -> StreamPool:
    """The memory of a stream; one that notes lines if the environment asks for it."""
    noting = os.environ.get(VARIABLE, "") not in ("", "0")
    return NotingPool(handle, pool) if noting else StreamPool(handle, pool)


def line_of(block: Block) -> Line | None:
    """Where a block was allocated, None if that was not noted."""
    pool = block.pool
    return pool.lines.get(block.address) if isinstance(pool, NotingPool) else None


class Returns(deque[Block]):
    """Blocks that came back; who takes one is noted."""

    def __init__(self, lines: dict[int, Line]) -> None:
        super().__init__()
        self.lines = lines

    def pop(self) -> Block:  # type: ignore[override]
        line = _line()  # first: behind the call nothing may come between the block and its owner
        block = super().pop()
        self.lines[block.address] = line
        return block


class NotingPool(StreamPool):
    """A pool that notes who takes its blocks.

    Attributes:
        lines: The line by the block's address.
    """

    __slots__ = ("lines",)

    def __init__(self, handle: int, pool: Pool) -> None:
        self.lines: dict[int, Line] = {}
        super().__init__(handle, pool)

    def _made_returns(self) -> deque[Block]:
        return Returns(self.lines)

    def take(self, size: int, buffer: DeviceBuffer) -> Block:
        block = super().take(size, buffer)
        self.lines[block.address] = _line()
        return block


def _line() -> Line:
    """The innermost line that is not the library's."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
