"""``acl.util``: addresses of bytes and arrays, and threads (PY-15, PY-16). Only host memory is read here (SIM-1)."""

from __future__ import annotations

import ctypes
import errno
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .engine import AclFault, hazards, memory
from .engine.arguments import function, public
from .engine.tables import ON_NEW_PROCESS

_MAX_BYTES: Final = (1 << 63) - 1

NPY_TYPES: Final[dict[int, npt.DTypeLike]] = {
    0: np.bool_,
    1: np.byte,
    2: np.ubyte,
    3: np.short,
    4: np.ushort,
    5: np.intc,
    6: np.uintc,
    7: np.int64,
    8: np.uint64,
    9: np.longlong,
    10: np.ulonglong,
    11: np.float32,
    12: np.float64,
    13: np.longdouble,
    14: np.complex64,
    15: np.complex128,
    23: np.float16,
}
"""NumPy's C type numbers on 64-bit Linux, where pyACL lives: LONG is int64."""

_threads: Final[dict[int, _Thread]] = {}


class _Thread(threading.Thread):
    """A thread that keeps what its function raised, and its number until it is joined: a pthread's is not given away before."""

    def __init__(self, function: Callable[..., Any], argument: Any) -> None:
        super().__init__(daemon=True)
        self.function = function
        self.argument = argument
        self.error: BaseException | None = None
        self.ended = threading.Event()
        self.released = threading.Event()

    def run(self) -> None:
        """Call the function with its one argument, or with none for None."""
        try:
            if self.argument is None:
                self.function()
            else:
                self.function(self.argument)
        except BaseException as error:
            traceback.print_exception(error)
            self.error = error
        self.ended.set()
        self.released.wait()


def _forget_threads() -> None:
    """Let go of threads that ended and were never joined (``new_process``)."""
    for identifier, thread in list(_threads.items()):
        if thread.ended.is_set():
            thread.released.set()
            _threads.pop(identifier, None)


ON_NEW_PROCESS.append(_forget_threads)


def _deprecated(name: str, instead: str = "bytes_to_ptr") -> None:
    """A plain Warning, which Python shows, not a DeprecationWarning (PY-15)."""
    warnings.warn(f"acl.util.{name} will be deprecated. Please use acl.util.{instead} instead.", Warning, stacklevel=4)


def _array(value: Any) -> npt.NDArray[Any]:
    if not isinstance(value, np.ndarray):
        raise ValueError("needs an ndarray as argument")
    return value


def _pointer(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


@function("acl.util.bytes_to_ptr", "O")
def bytes_to_ptr(data: Any) -> int:
    """Address inside the object itself, good while it lives."""
    if not isinstance(data, bytes):
        raise ValueError("needs an byte as argument")
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


@function("acl.util.ptr_to_bytes", "KK")
def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """A copy of host memory.

    Raises:
        ValueError: For an address that the host can't read; a board's program would crash. For a size that no object has.
    """
    if size >> 63:
        raise ValueError("convert c pointer to bytes failed")
    try:
        data = memory.host_bytes(_readable(ptr, size), size)
    except AclFault as fault:
        raise ValueError(f"acl.util.ptr_to_bytes: {fault.text}") from None
    hazards.check_read(memory.find(ptr), ptr, size)
    return data


def _readable(ptr: int, size: int) -> int:
    if ptr == 0:
        raise AclFault(100000, "the address is null")
    if size > _MAX_BYTES:
        raise AclFault(100000, f"size {size} is too large")
    return ptr


@function("acl.util.numpy_to_ptr", "O")
def numpy_to_ptr(array: Any) -> int:
    """Address of the data, contiguous or not; the caller keeps the array."""
    _deprecated("numpy_to_ptr")
    found = _array(array)
    if not found.flags.c_contiguous:
        warnings.warn("The input ndarray is discontiguous. Please use acl.util.bytes_to_ptr instead.", Warning, stacklevel=3)
    return _pointer(found)


@function("acl.util.numpy_contiguous_to_ptr", "O")
def numpy_contiguous_to_ptr(array: Any) -> tuple[int, npt.NDArray[Any]]:
    """(address, array it belongs to, which may be a copy)."""
    _deprecated("numpy_contiguous_to_ptr")
    found = _array(array)
    contiguous = found if found.flags.c_contiguous else np.ascontiguousarray(found)
    return _pointer(contiguous), contiguous


@function("acl.util.ptr_to_numpy", "KOi")
def ptr_to_numpy(ptr: int, shape: Any, numpy_type: int) -> npt.NDArray[Any]:
    """A writable view without owner.

    Raises:
        TypeError: For something else than ints in the shape.
        ValueError: For a shape that is no tuple, an unknown type number, or an address the host can't read.
    """
    _deprecated("ptr_to_numpy", "ptr_to_bytes")
    if not isinstance(shape, tuple):
        raise ValueError("shape is empty")
    if not all(isinstance(dim, int) for dim in shape):
        raise TypeError("the second argument is not list of int")
    if any(dim < 0 for dim in shape):
        raise ValueError("negative dimensions are not allowed")
    if numpy_type not in NPY_TYPES:
        raise ValueError(f"acl.util.ptr_to_numpy: unknown numpy type number {numpy_type}")
    dtype = np.dtype(NPY_TYPES[numpy_type])
    size = dtype.itemsize
    for dim in shape:
        size *= dim
    try:
        view = memory.host_array(_readable(ptr, size), size, write=False)
    except AclFault as fault:
        raise ValueError(f"acl.util.ptr_to_numpy: {fault.text}") from None
    result: npt.NDArray[Any] = view.view(dtype).reshape(shape)
    return result


@function("acl.util.start_thread", "OO", 0)
def start_thread(fn: Callable[..., Any], args: Any) -> tuple[int, int]:
    """(thread id, errno). Unlike the wrapper of 2026 it leaves the program's SIGINT handler alone (PY-20)."""
    if not callable(fn):
        raise TypeError("parameter must be callable")
    thread = _Thread(fn, args)
    try:
        thread.start()
    except RuntimeError:
        return 0, errno.EAGAIN
    identifier = thread.ident or 0
    _threads[identifier] = thread
    return identifier, 0


@function("acl.util.stop_thread", "K")
def stop_thread(thread_id: int) -> int:
    """Join; errno.

    Raises:
        RuntimeError: If the thread's function raised.
    """
    thread = _threads.get(thread_id)
    if thread is None:
        return errno.ESRCH
    if thread is threading.current_thread():
        return errno.EDEADLK
    thread.ended.wait()
    _threads.pop(thread_id, None)
    thread.released.set()
    thread.join()
    if thread.error is not None:
        raise RuntimeError(f"exception={type(thread.error).__name__},msg=thread call failed;") from thread.error
    return 0


def __dir__() -> list[str]:
    return public(__name__)
