"""Whether host memory that the simulator did not allocate can be touched.

A wrong host address must become a return code, not a crash of the interpreter. POSIX systems tell through ``mincore``
which pages are mapped now; Linux lists in ``/proc/self/maps`` what may be read and written, kept here until a range is
missing from it. Where neither exists, only addresses that can't be host memory are refused.
"""

from __future__ import annotations

import bisect
import ctypes
import mmap
import os
from collections.abc import Callable
from typing import Final

_PAGE: Final = mmap.PAGESIZE
_CHUNK: Final = 4096
"""Pages asked for in one ``mincore`` call."""
_LOWEST: Final = 1 << 16
_HIGHEST: Final = 1 << 57
_MAPS: Final = "/proc/self/maps"


def _find_mincore() -> Callable[..., int] | None:
    found = getattr(ctypes.CDLL(None), "mincore", None) if os.name == "posix" else None
    if found is None:
        return None
    found.restype = ctypes.c_int
    found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    call: Callable[..., int] = found
    return call


_mincore: Final = _find_mincore()
_vector: Final = ctypes.create_string_buffer(_CHUNK)
"""Where ``mincore`` writes; never read, so threads may share it."""
_vector_address: Final = ctypes.addressof(_vector)


class _Ranges:
    """Sorted, merged address ranges."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        if self.ends and self.ends[-1] == start:
            self.ends[-1] = end
        else:
            self.starts.append(start)
            self.ends.append(end)

    def hold(self, start: int, end: int) -> bool:
        index = bisect.bisect_right(self.starts, start) - 1
        return index >= 0 and end <= self.ends[index]


class _Known:
    """The last reading of the process's map: (readable, writable)."""

    ranges: tuple[_Ranges, _Ranges] | None = (_Ranges(), _Ranges())


def accessible(address: int, nbytes: int, write: bool = False) -> bool:
    """Whether ``nbytes`` from ``address`` may be read, or with ``write`` also written."""
    if nbytes <= 0:
        return True
    end = address + nbytes
    if address < _LOWEST or end > _HIGHEST:
        return False
    return _mapped(address, end) and _permitted(address, end, write)


def _mapped(address: int, end: int) -> bool:
    if _mincore is None:
        return True
    page = address - address % _PAGE
    while page < end:
        length = min(end - page, _CHUNK * _PAGE)
        if _mincore(page, length, _vector_address) != 0:
            return False
        page += length
    return True


def _permitted(address: int, end: int, write: bool) -> bool:
    known = _Known.ranges
    if known is None:
        return True
    if known[write].hold(address, end):
        return True
    known = _Known.ranges = _read_maps()
    return known is None or known[write].hold(address, end)


def _read_maps() -> tuple[_Ranges, _Ranges] | None:
    """Readable and writable ranges, or None where the system has no such list."""
    readable, writable = _Ranges(), _Ranges()
    try:
        with open(_MAPS, encoding="utf-8", errors="replace") as file:
            for line in file:
                span, rights, _ = line.split(" ", 2)
                low, _, high = span.partition("-")
                start, end = int(low, 16), int(high, 16)
                if rights[0] == "r":
                    readable.add(start, end)
                    if rights[1] == "w":
                        writable.add(start, end)
    except OSError:
        return None
    return readable, writable
