"""Whether host memory that the simulator did not allocate can be touched.

A wrong host address must become a return code, not a crash of the interpreter. POSIX systems tell through ``mincore``
which pages are mapped, and Linux through ``process_vm_readv`` / ``process_vm_writev`` on the process itself whether they may
be read or written. Where neither exists, only addresses that can't be host memory are refused.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable
from typing import Any, Final

_PAGE: Final = mmap.PAGESIZE
_CHUNK: Final = 4096
"""Pages asked for in one ``mincore`` call."""
_LOWEST: Final = 1 << 16
_HIGHEST: Final = 1 << 57


class _Range(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _function(name: str, result: Any, arguments: tuple[Any, ...]) -> Callable[..., int] | None:
    """A function of the C library by name, or None where it does not exist."""
    if os.name != "posix":
        return None
    found = getattr(ctypes.CDLL(None), name, None)
    if found is None:
        return None
    found.restype = result
    found.argtypes = arguments
    call: Callable[..., int] = found
    return call


_VM: Final = (ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)
_mincore: Final = _function("mincore", ctypes.c_int, (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p))
_read: Final = _function("process_vm_readv", ctypes.c_ssize_t, _VM) if sys.platform == "linux" else None
_write: Final = _function("process_vm_writev", ctypes.c_ssize_t, _VM) if sys.platform == "linux" else None


def accessible(address: int, nbytes: int, write: bool = False) -> bool:
    """Whether ``nbytes`` from ``address`` may be read, or with ``write`` also written."""
    if nbytes <= 0:
        return True
    if address < _LOWEST or address + nbytes > _HIGHEST:
        return False
    return _mapped(address, nbytes) and _ends_work(address, nbytes, write)


def _mapped(address: int, nbytes: int) -> bool:
    if _mincore is None:
        return True
    page = address // _PAGE * _PAGE
    end = address + nbytes
    vector = ctypes.create_string_buffer(min(_CHUNK, (end - page + _PAGE - 1) // _PAGE))
    while page < end:
        length = min(end - page, _CHUNK * _PAGE)
        if _mincore(page, length, vector) != 0:
            return False
        page += length
    return True


def _ends_work(address: int, nbytes: int, write: bool) -> bool:
    """Read the first and the last byte, and write them back where writing is asked, through the kernel."""
    if _read is None or _write is None:
        return True
    byte = ctypes.create_string_buffer(1)
    local = _Range(ctypes.addressof(byte), 1)
    for place in {address, address + nbytes - 1}:
        remote = _Range(place, 1)
        arguments = (os.getpid(), ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0)
        if _read(*arguments) != 1:
            return _refused()
        if write and _write(*arguments) != 1:
            return False
    return True


def _refused() -> bool:
    """Whether this system refuses the call as such, which a read of our own memory shows."""
    own = ctypes.create_string_buffer(2)
    local, remote = _Range(ctypes.addressof(own), 1), _Range(ctypes.addressof(own) + 1, 1)
    return _read is not None and _read(os.getpid(), ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0) != 1
