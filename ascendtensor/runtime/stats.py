"""Memory figures, PyTorch's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from .. import html
from ..errors import describe_bytes
from .device import Device, DeviceLike, as_device
from .memory_lines import line_of

if TYPE_CHECKING:
    from .memory import Segment, StreamPool

__all__ = [
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_peak_memory_stats",
]


_IN_BYTES: Final = frozenset({"allocated", "peak_allocated", "reserved", "peak_reserved", "cached", "pinned", "to_device", "to_host"})


@contextmanager
def _settled(device: DeviceLike) -> Iterator[Device]:
    """The device with all returned blocks counted."""
    found = as_device(device)
    if found.context:
        with found.current(), found.lock:
            found.pool.collect()
            yield found
    else:  # not used yet: there is nothing to count, and asking opens nothing
        yield found


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes in blocks that live tensors hold. Like: torch.cuda.memory_allocated.

    Examples:
        >>> before = at.memory_allocated()
        >>> x = at.ones(1000)
        >>> at.memory_allocated() - before >= 4000
        True
    """
    with _settled(device) as found:
        return found.pool.allocated


def max_memory_allocated(device: DeviceLike = None) -> int:
    """Peak of `memory_allocated` since the start or `reset_peak_memory_stats`. Like: torch.cuda.max_memory_allocated.

    Examples:
        >>> at.reset_peak_memory_stats()
        >>> x = at.ones(1000)
        >>> at.max_memory_allocated() >= 4000
        True
    """
    with _settled(device) as found:
        return found.pool.peak


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes taken from the device, in use or cached. Like: torch.cuda.memory_reserved.

    Examples:
        >>> x = at.ones(1000)
        >>> at.memory_reserved() >= at.memory_allocated()
        True
    """
    with _settled(device) as found:
        return found.pool.reserved


def max_memory_reserved(device: DeviceLike = None) -> int:
    """Peak of `memory_reserved`. Like: torch.cuda.max_memory_reserved.

    Examples:
        >>> x = at.ones(1000)
        >>> at.max_memory_reserved() >= at.memory_reserved()
        True
    """
    with _settled(device) as found:
        return found.pool.peak_reserved


def memory_cached(device: DeviceLike = None) -> int:
    """Bytes kept for reuse: reserved, not allocated.

    Examples:
        >>> at.memory_cached() >= 0
        True
    """
    with _settled(device) as found:
        return found.pool.cached()


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Start the peaks anew from what is held now. Like: torch.cuda.reset_peak_memory_stats.

    Examples:
        >>> x = at.ones(1000)
        >>> del x
        >>> at.reset_peak_memory_stats()
        >>> at.max_memory_allocated() == at.memory_allocated()
        True
    """
    with _settled(device) as found:
        found.pool.peak = found.pool.allocated
        found.pool.peak_reserved = found.pool.reserved


class MemoryStats(dict[str, int]):
    """Figures by name, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        shown = [(name.replace("_", " "), describe_bytes(value) if name in _IN_BYTES else value) for name, value in self.items()]
        return html.block(html.facts(shown, "memory"))


def memory_stats(device: DeviceLike = None) -> MemoryStats:
    """All figures of a device's memory. Like: torch.cuda.memory_stats.

    Returns:
        Bytes `allocated`, `peak_allocated`, `reserved`, `peak_reserved`, `cached`, `pinned`, `to_device`, `to_host`; counts `allocations`
        (not those of the hot road, which uses a block again as it is), `segments`, `device_allocations`, `device_frees`, `out_of_memory`,
        `scalars`, `streams`.

    Examples:
        >>> x = at.ones(1000)
        >>> at.memory_stats()["allocated"] >= 4000
        True
    """
    with _settled(device) as found:
        pool, staging = found.pool, found.staging
        return MemoryStats(
            {
                "allocated": pool.allocated,
                "peak_allocated": pool.peak,
                "reserved": pool.reserved,
                "peak_reserved": pool.peak_reserved,
                "cached": pool.cached(),
                "pinned": staging.nbytes(),
                "to_device": found.bytes_to_device,
                "to_host": found.bytes_to_host,
                "allocations": pool.allocations,
                "segments": sum(len(stream.segments) for stream in pool.streams),
                "device_allocations": pool.device_allocations,
                "device_frees": pool.device_frees,
                "out_of_memory": pool.out_of_memory,
                "scalars": len(found.scalars),
                "streams": len(found.lanes),
            }
        )


def memory_segments(device: DeviceLike = None) -> list[dict[str, Any]]:
    """What the device gave, segment by segment, with the blocks in each; the words are those of `torch.cuda.memory_snapshot`."""
    with _settled(device) as found:
        return [_segment(found, pool, segment) for pool in found.pool.streams for segment in pool.segments]


def _segment(device: Device, pool: StreamPool, segment: Segment) -> dict[str, Any]:
    cached = {id(block) for blocks in pool.bins.values() for block in blocks}
    waiting = {id(block) for block, _ in pool.pending}
    blocks: list[dict[str, Any]] = []
    block = segment.first
    while block is not None:
        state = "inactive" if block.free or id(block) in cached else "active_pending_free" if id(block) in waiting else "active_allocated"
        line = line_of(block) if state == "active_allocated" else None
        frames = [{"filename": line[0], "line": line[1], "name": line[2]}] if line else []
        blocks.append({"address": block.address, "size": block.size, "state": state, "frames": frames})
        block = block.next
    return {
        "device": device.index,
        "stream": pool.handle,
        "address": segment.address,
        "total_size": segment.size,
        "allocated_size": sum(each["size"] for each in blocks if each["state"] == "active_allocated"),
        "active_size": sum(each["size"] for each in blocks if each["state"] != "inactive"),
        "blocks": blocks,
    }


def memory_summary(device: DeviceLike = None) -> str:
    """`memory_stats` for people. Like: torch.cuda.memory_summary.

    Examples:
        >>> "npu:0" in at.memory_summary()
        True
    """
    found = as_device(device)
    stats = memory_stats(found)
    lines = [f"  {name.replace('_', ' '):20} {describe_bytes(value) if name in _IN_BYTES else value:>12}" for name, value in stats.items()]
    return "\n".join([f"memory of {found}", *lines])


def empty_cache(device: DeviceLike = None) -> None:
    """Give cached memory back to the device, where no tensor lies in its segment; waits for the device. Like: torch.cuda.empty_cache.

    Examples:
        >>> x = at.ones(1000)
        >>> del x
        >>> at.empty_cache()
        >>> at.memory_reserved() >= 0
        True
    """
    found = as_device(device)
    if found.context:
        with found.current():
            found.synchronize()
            found.pool.release()


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """`(free, total)` bytes of the device itself. Like: torch.cuda.mem_get_info.

    Examples:
        >>> free, total = at.mem_get_info()
        >>> 0 < free <= total
        True
    """
    found = as_device(device)
    with found.current():
        return found.pool.device_memory()
