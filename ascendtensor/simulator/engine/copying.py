"""What every copy between memories asks: the bytes at both ends, and whether the stated direction can be right (RT-34 .. RT-42)."""

from __future__ import annotations

from typing import Final

from . import AclFault, contexts, memory, streams
from .arguments import invalid, null
from .diagnostics import notice
from .tables import Stream, Task

PARAM_INVALID: Final = 107000
UNSUPPORTED: Final = 207000
HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS, BUFFERED = range(6)


def check_range(dst: int, dest_max: int, src: int, count: int, kind: int) -> None:
    """The acl layer's checks, then the runtime's (RT-34)."""
    if dst == 0:
        raise null("dst")
    if src == 0:
        raise null("src")
    if not 0 <= kind <= 5:
        raise invalid("kind", kind, "must be in [0, 5]")
    if dest_max == 0 or count > dest_max:
        raise invalid("count", count, f"must not exceed dest_max, {dest_max}", PARAM_INVALID)


def pair(dst: int, src: int, count: int, one: memory.Block | None, other: memory.Block | None) -> tuple[memory.Bytes, memory.Bytes]:
    """Both ranges as bytes, given the blocks they lie in; two devices need peer access (RT-36, RT-42)."""
    return ends(dst, count, src, count, one, other)


def ends(
    dst: int, dst_bytes: int, src: int, src_bytes: int, one: memory.Block | None, other: memory.Block | None
) -> tuple[memory.Bytes, memory.Bytes]:
    """As ``pair``, with a length for each end."""
    target = memory.host_array(dst, dst_bytes, write=True) if one is None else memory.view(one, dst, dst_bytes)
    source = memory.host_array(src, src_bytes) if other is None else memory.view(other, src, src_bytes)
    both = one is not None and other is not None and min(one.device, other.device) >= 0
    if both and one is not None and other is not None and not contexts.peers(one.device, other.device):
        raise AclFault(PARAM_INVALID, f"devices {other.device} and {one.device} have no peer access enabled")
    return target, source


def copy(target: memory.Bytes, source: memory.Bytes) -> None:
    """A queued copy."""
    target[...] = source


def copy_behind(stream: Stream, target: memory.Bytes, source: memory.Bytes) -> None:
    """A copy of pageable memory: it waits for the stream, and is not made where the stream answers an error (RT-39)."""
    streams.wait_for(stream)
    code = streams.take_error(stream)
    if code:
        raise AclFault(code, f"stream {stream.identifier}, which the copy of pageable memory waited for, failed")
    copy(target, source)


_FROM_DEVICE: Final = {
    HOST_TO_HOST: (False, False),
    HOST_TO_DEVICE: (False, True),
    DEVICE_TO_HOST: (True, False),
    DEVICE_TO_DEVICE: (True, True),
    BUFFERED: (False, True),
}
"""Kind to whether source and target are device memory."""


def note_direction(kind: int, one: memory.Block | None, other: memory.Block | None) -> None:
    """Notice a stated direction that the addresses contradict; the copy succeeds all the same (RT-35, RT-41)."""
    stated = _FROM_DEVICE.get(kind)
    if stated is None or memory.Settings.one_space:
        return
    real = other is not None and other.device >= 0, one is not None and one.device >= 0
    if real != stated:
        places = ["device memory" if place else "host memory" for place in real]
        notice("copy direction", f"kind {kind} is stated for a copy from {places[0]} to {places[1]}")


def check_direction(kind: int, dst: int, src: int, one: memory.Block | None, other: memory.Block | None) -> None:
    """A stated direction that the locations contradict (RT-41); pinned and device memory are known, so they correct it."""
    if (one is None or one.device < 0) and (other is None or other.device < 0):
        raise invalid("kind", kind, "neither address is live device memory", PARAM_INVALID)
    if one is None and kind in (HOST_TO_DEVICE, DEVICE_TO_DEVICE, BUFFERED):
        raise invalid("kind", kind, f"dst [{dst:#x}] is host memory", PARAM_INVALID)
    if other is None and kind in (DEVICE_TO_HOST, DEVICE_TO_DEVICE):
        raise invalid("kind", kind, f"src [{src:#x}] is host memory", PARAM_INVALID)
    note_direction(kind, one, other)


def copy_async(dst: int, src: int, count: int, kind: int, handle: int) -> int:
    """Queue a copy of device and pinned memory; with pageable memory wait for the stream and copy (RT-38 .. RT-41)."""
    one_space = memory.Settings.one_space
    if kind == HOST_TO_HOST and not one_space:
        raise AclFault(UNSUPPORTED, "host-to-host copies are not supported on a stream", "EH0006")
    stream = contexts.stream_for(handle)
    if dst == src:
        return 0
    one, other = memory.find(dst), memory.find(src)
    if not one_space:
        check_direction(kind, dst, src, one, other)
    target, source = pair(dst, src, count, one, other)
    if kind == BUFFERED and (other is None or other.device < 0):
        streams.enqueue(stream, copy, (target, source.copy()))  # RT-40
    elif one is None or other is None:
        copy_behind(stream, target, source)
    else:
        task: Task = (copy, (target, source))
        streams.enqueue(stream, *(streams.whole(task) if abs(dst - src) < count else task))
    return 0
