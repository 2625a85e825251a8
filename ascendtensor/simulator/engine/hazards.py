"""Work still queued on memory that the host touches past it (RT-37, OP-15), and copies in a direction that is not theirs (RT-35).

All of it is looked at in copies, fills and frees, never in a launch, and costs next to nothing while no stream has work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from . import copying, memory, streams
from .diagnostics import LAUNCHES, notice
from .tables import BUFFERS, STREAMS, Stream, Task

_FIRST_IS_WRITTEN: Final = frozenset({"copy", "_fill", "_clear", "_write_word"})
_DEPTH: Final = 4


def _queued() -> list[tuple[Stream, Task]]:
    """Every task that has not run yet."""
    found: list[tuple[Stream, Task]] = []
    for stream in list(STREAMS.values()):
        if stream.queue:
            try:
                found.extend((stream, task) for task in list(stream.queue))
            except RuntimeError:  # another thread runs it at this moment
                continue
    return found


def _arrays(value: Any, depth: int = 0) -> Iterator[Any]:
    """Every array in a task's arguments."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)) and depth < _DEPTH:
        for item in value:
            yield from _arrays(item, depth + 1)


def _used(task: Task) -> Iterator[Any]:
    """What a task may read or write."""
    fn, args = task
    if fn is streams.UNDIVIDED:
        yield from _used((args[0], args[1]))
        return
    yield from _arrays(args)
    owner = getattr(fn, "__self__", None)  # a run whose output dims are measured
    for name in ("_arrays", "_results"):
        yield from _arrays(getattr(owner, name, None))


def _written(task: Task) -> Iterator[Any]:
    """What a task certainly writes, as far as its form tells."""
    fn, args = task
    if isinstance(fn, np.ufunc):
        yield from _arrays(args[fn.nin :])
    elif fn is streams.UNDIVIDED:
        yield from _written((args[0], args[1]))
    elif getattr(fn, "__name__", "") in _FIRST_IS_WRITTEN:
        yield from _arrays(args[:1])
    elif len(args) == 3 and isinstance(args[0], str) and callable(args[1]):  # behind a filter
        yield from _written((args[1], args[2]))
    elif len(args) == 3 and isinstance(args[1], list) and isinstance(args[2], dict):
        yield from _arrays(args[1])
    else:
        yield from _arrays(getattr(getattr(fn, "__self__", None), "_results", None))


def _touches(arrays: Iterator[Any], data: memory.Bytes) -> bool:
    return any(np.may_share_memory(array, data, max_work=0) for array in arrays)


def _prepared_writes(block: memory.Block, address: int, nbytes: int) -> set[int]:
    """``id`` of the arguments of prepared tasks that write into a range, known by their output buffers."""
    found: set[int] = set()
    for prepared, key in list(block.tasks):
        entry = prepared.get(key)
        if entry is None:
            continue
        for handle in entry[1]:
            buffer = BUFFERS.get(handle)
            if buffer is not None and buffer.address < address + nbytes and address < buffer.address + buffer.size:
                found.add(id(entry[-1][1]))
    return found


def _what(stream: Stream, task: Task) -> tuple[str, str]:
    """A queued task in words, and the line that queued it."""
    fn, args = task
    return f"[{streams.name_of(fn, args)}] queued on stream {stream.identifier} of device {stream.device}", LAUNCHES.get(id(args), "")


def check_read(block: memory.Block | None, address: int, nbytes: int) -> None:
    """Notice memory that is read back although queued work still writes it (RT-37)."""
    queued = _queued()
    if not queued or block is None:
        return
    data = memory.view(block, address, nbytes)
    prepared = _prepared_writes(block, address, nbytes)
    for stream, task in queued:
        if id(task[1]) in prepared or _touches(_written(task), data):
            work, origin = _what(stream, task)
            notice("read too early", f"{nbytes} bytes at [{address:#x}] are read although {work} still writes them", origin)
            return


def check_write(block: memory.Block | None, address: int, nbytes: int, kind: str = "overwritten in flight") -> None:
    """Notice memory that the host overwrites or frees although queued work still uses it (OP-15, RT-39)."""
    queued = _queued()
    if not queued or block is None:
        return
    data = memory.view(block, address, nbytes)
    for stream, task in queued:
        if _touches(_used(task), data):
            work, origin = _what(stream, task)
            notice(kind, f"{nbytes} bytes at [{address:#x}] are still used by {work}", origin)
            return


def check_freed(address: int, units: bool = False) -> None:
    """Notice memory that is freed although queued work still uses it (RT-32, OP-15), or by the function for another kind of it."""
    block = memory.find(address)
    if block is None or block.address != address:
        return
    check_write(block, address, block.size, "freed in flight")
    if block.device >= 0 and block.units != units:
        ways = ("acl.rt.malloc", "acl.rt.free"), ("acl.media.dvpp_malloc", "acl.media.dvpp_free")
        notice("memory of another kind", f"[{address:#x}] comes from {ways[block.units][0]}, and is freed by {ways[units][1]}")


def check_copy(dst: int, src: int, count: int, kind: int, one: memory.Block | None, other: memory.Block | None) -> None:
    """All that a synchronous copy can tell."""
    copying.note_direction(kind, one, other)
    check_read(other, src, count)
    check_write(one, dst, count)


def check_handle(prepared: Any, op_type: str) -> None:
    """Notice an operator handle that is destroyed although a launch through it is still queued (HD-13)."""
    queued = _queued()
    if not queued:
        return
    mine = {id(entry[-1][1]) for entry in list(prepared.values())}
    for stream, task in queued:
        if id(task[1]) in mine:
            notice("handle destroyed in flight", f"handle of {op_type}; {_what(stream, task)[0]}", LAUNCHES.get(id(task[1]), ""))
            return
