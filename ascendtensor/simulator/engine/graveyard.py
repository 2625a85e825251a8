"""Host memory that was freed lately, kept from the interpreter's own allocator: whoever still uses it gets a code and breaks nothing.

A freed device address is in nobody else's way, but a freed pinned block would go back to the heap, and a late copy into it would
overwrite some Python object.
"""

from __future__ import annotations

import bisect
from typing import Any, Final

MAX_BYTES: Final = 64 << 20
MAX_BLOCKS: Final = 4096

_buried: Final[dict[int, tuple[int, Any]]] = {}
"""Start to (size, what keeps the memory), oldest first."""
_starts: Final[list[int]] = []
_bytes = 0


def bury(start: int, size: int, keeper: Any) -> None:
    """Keep freed memory until others push it out. The caller holds the lock of the memory tables."""
    global _bytes
    if size > MAX_BYTES:
        return
    index = bisect.bisect_left(_starts, start)
    _buried[start] = size, keeper  # no call between the three: Ctrl-C comes at calls
    _starts[index:index] = [start]
    _bytes += size
    while _bytes > MAX_BYTES or len(_buried) > MAX_BLOCKS:
        _dig_up(next(iter(_buried)))


def _dig_up(start: int) -> Any:
    global _bytes
    index = bisect.bisect_left(_starts, start)
    size, keeper = _buried[start]
    del _buried[start], _starts[index]
    _bytes -= size
    return keeper


def take(size: int) -> Any:
    """Memory of exactly this size, to be used again, or None."""
    for start, (found, _) in _buried.items():
        if found == size:
            return _dig_up(start)
    return None


def holds(address: int, nbytes: int) -> bool:
    """Whether a range touches freed memory."""
    index = bisect.bisect_left(_starts, address + nbytes) - 1
    if index < 0:
        return False
    start = _starts[index]
    found = _buried.get(start)
    return found is not None and start + found[0] > address


def clear() -> None:
    """Forget everything."""
    global _bytes
    _buried.clear()
    _starts.clear()
    _bytes = 0
