"""``acl.rt``: copies of rows, copies with a fallback, and what a stream does to memory by itself."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .engine import AclFault, contexts, copying, hazards, memory, streams
from .engine.absent import absent
from .engine.arguments import function, invalid, null
from .kernels.registry import NUMPY_OF

__all__ = [
    "cmo_async",
    "get_memcpy_desc_size",
    "memcpy2d",
    "memcpy2d_async",
    "memcpy_async_with_condition",
    "memcpy_async_with_desc",
    "reduce_async",
    "set_memcpy_desc",
    "value_wait",
    "value_write",
]

MAX_WIDTH: Final = 5_000_000
MAX_HEIGHT: Final = 5 << 20
PARAM_INVALID: Final = 107000
UNSUPPORTED: Final = 207000
_REDUCTIONS: Final[dict[int, np.ufunc]] = {10: np.add, 11: np.maximum, 12: np.minimum}
_REDUCIBLE: Final = frozenset({0, 1, 2, 3, 6, 27})
"""float32, float16, int8, int32, int16, bfloat16: what the copy engine adds up."""


# Rows


def _check_rows(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """The acl layer's checks, then the runtime's."""
    if dst == 0:
        raise null("dst")
    if src == 0:
        raise null("src")
    if width > dpitch or width > spitch:
        raise invalid("width", width, f"must not exceed dpitch, {dpitch}, and spitch, {spitch}")
    if kind not in (copying.HOST_TO_DEVICE, copying.DEVICE_TO_HOST, copying.DEVICE_TO_DEVICE, copying.BY_ADDRESS):
        raise invalid("kind", kind, "must be in [1, 4]")
    if width > MAX_WIDTH:
        raise invalid("width", width, f"must not exceed {MAX_WIDTH}", PARAM_INVALID)
    if height > MAX_HEIGHT:
        raise invalid("height", height, f"must not exceed {MAX_HEIGHT}", PARAM_INVALID)
    if memory.Settings.one_space:  # page of aclrtMemcpy2d
        raise AclFault(UNSUPPORTED, "copies of rows are not supported where the program runs on the board itself", "EH0006")


def _rows(data: memory.Bytes, pitch: int, width: int, height: int) -> memory.Bytes:
    """Rows of ``width`` bytes that start ``pitch`` bytes apart."""
    rows: memory.Bytes = np.ndarray((height, width), np.uint8, data, strides=(pitch, 1))
    return rows


def _both(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int) -> tuple[memory.Bytes, memory.Bytes, bool]:
    """Rows at both ends, and whether pageable host memory is among them. The last row ends with its width."""
    one, other = memory.find(dst), memory.find(src)
    target, source = copying.ends(dst, dpitch * (height - 1) + width, src, spitch * (height - 1) + width, one, other)
    return _rows(target, dpitch, width, height), _rows(source, spitch, width, height), one is None or other is None


@function("acl.rt.memcpy2d", "KKKKKKi")
def memcpy2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    """``height`` rows of ``width`` bytes at once, past everything queued, between host and device only (RT-35, RT-37).

    The addresses decide the direction, but the kind "inside a device" is refused before they are looked at (hicann/runtime,
    ``api_error.cc``, ``MemCopy2DSync``).
    """
    if width == 0 or height == 0:
        return 0
    _check_rows(dst, dpitch, src, spitch, width, height, kind)
    contexts.current()
    if kind == copying.DEVICE_TO_DEVICE:
        raise AclFault(UNSUPPORTED, "kind 3 is not supported: only memcpy2d_async copies rows inside a device", "EH0006")
    one, other = memory.find(dst), memory.find(src)
    if (one is not None and one.device >= 0) == (other is not None and other.device >= 0):
        raise invalid("kind", kind, "one address must be device memory, the other one host memory", PARAM_INVALID)
    target, source, _ = _both(dst, dpitch, src, spitch, width, height)
    copying.note_direction(kind, one, other)
    hazards.check_read(other, src, spitch * (height - 1) + width)
    hazards.check_write(one, dst, dpitch * (height - 1) + width)
    target[...] = source
    return 0


@function("acl.rt.memcpy2d_async", "KKKKKKiK")
def memcpy2d_async(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int) -> int:
    """As ``memcpy2d``, queued; with pageable memory it waits for the stream and copies (RT-39)."""
    if width == 0 or height == 0:
        return 0
    _check_rows(dst, dpitch, src, spitch, width, height, kind)
    found = contexts.stream_for(stream)
    target, source, pageable = _both(dst, dpitch, src, spitch, width, height)
    copying.check_direction(kind, dst, src, memory.find(dst), memory.find(src))
    if pageable:
        copying.copy_behind(found, target, source)
        return 0
    streams.enqueue(found, copying.copy, (target, source))
    return 0


# One range


@function("acl.rt.memcpy_async_with_condition", "KKKKiK")
def memcpy_async_with_condition(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int) -> int:
    """As ``memcpy_async``, whose fallback for pageable memory is promised here (RT-38, RT-39)."""
    if count == 0:
        return 0
    copying.check_range(dst, dest_max, src, count, kind)
    return copying.copy_async(dst, src, count, kind, stream)


# What a stream does to device memory


def _write_word(target: memory.Bytes, value: int) -> None:
    target.view(np.uint64)[0] = value


@function("acl.rt.value_write", "KKIK")
def value_write(dev_addr: int, value: int, flag: int, stream: int) -> int:
    """64 bits to an address that is a multiple of 8, in stream order."""
    if dev_addr == 0:
        raise null("dev_addr")
    if dev_addr % 8 or flag:
        raise invalid("dev_addr, flag", (hex(dev_addr), flag), "the address must be a multiple of 8, the flag 0", PARAM_INVALID)
    found = contexts.stream_for(stream)
    streams.enqueue(found, _write_word, (memory.device_array(dev_addr, 8), value))
    return 0


def _nothing() -> None:
    """Prefetching, writing back and flushing change no value."""


@function("acl.rt.cmo_async", "KKiK")
def cmo_async(src: int, size: int, cmo_type: int, stream: int) -> int:
    """A hint for a cache that the simulated devices do not have; its arguments are checked."""
    if src == 0:
        raise null("src")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    if cmo_type not in (0, 1, 2, 3):
        raise invalid("cmo_type", cmo_type, "must be in [0, 3]")
    found = contexts.stream_for(stream)
    memory.device_array(src, size)
    streams.enqueue(found, _nothing, ())
    return 0


def _reduce(reduction: Any, target: Any, source: Any) -> None:
    reduction(target, source, out=target)


@function("acl.rt.reduce_async", "KKKiiKK")
def reduce_async(dst: int, src: int, count: int, reduce_kind: int, data_type: int, stream: int, reserve: int) -> int:
    """Sum (10), maximum (11) or minimum (12) of two ranges of ``count`` bytes into the first, on the stream."""
    for name, address in (("dst", dst), ("src", src)):
        if address == 0:
            raise null(name)
    if reserve:
        raise invalid("reserve", reserve, "must be 0")
    if reduce_kind not in _REDUCTIONS or data_type not in _REDUCIBLE:
        raise AclFault(207000, f"reduction {reduce_kind} of data type {data_type} is not supported", "EH0006")
    dtype = NUMPY_OF[data_type]
    if count == 0 or count % dtype.itemsize:
        raise invalid("count", count, f"must be a multiple of the data type's size, {dtype.itemsize}", PARAM_INVALID)
    found = contexts.stream_for(stream)
    target, source = (memory.device_array(address, count).view(dtype) for address in (dst, src))
    streams.enqueue(found, *streams.whole((_reduce, (_REDUCTIONS[reduce_kind], target, source))))
    return 0


value_wait = absent("acl.rt.value_wait", "KKIK")
get_memcpy_desc_size = absent("acl.rt.get_memcpy_desc_size", "i", 0)
set_memcpy_desc = absent("acl.rt.set_memcpy_desc", "KiKKKK", 0)
memcpy_async_with_desc = absent("acl.rt.memcpy_async_with_desc", "KiK")
