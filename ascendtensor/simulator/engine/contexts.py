"""Devices, contexts and the calling thread's place in them (RT-10 .. RT-26)."""

from __future__ import annotations

import itertools
import threading
from typing import Final

from . import AclFault, memory, streams
from .arguments import invalid, null
from .tables import CONTEXTS, EVENTS, LOCAL, STREAMS, Context, Event, Stream

INVALID_DEVICE: Final = 107001
NO_CONTEXT: Final = 107002
STREAM_CONTEXT: Final = 107003
INVALID_HANDLE: Final = 107017
CONTEXT_RELEASE: Final = 507007


class Settings:
    """What ``configure`` chose for streams, and acl.json for threads that set no device (RT-3)."""

    queue = 256
    most_streams = 1984
    most_events = 65536
    default_device: int | None = None


class Device:
    """Use count, primary context and peers of one device."""

    __slots__ = ("count", "peers", "primary")

    def __init__(self) -> None:
        self.count = 0
        self.primary: Context | None = None
        self.peers: set[int] = set()


DEVICES: Final[dict[int, Device]] = {}
_identifiers: Final = itertools.count(1)
_setup: Final = threading.Lock()


def check_device(index: int, parameter: str = "device_id") -> int:
    """The index itself.

    Raises:
        AclFault: 107001 outside [0, count).
    """
    if not 0 <= index < memory.Settings.devices:
        raise invalid(parameter, index, f"must be in [0, {memory.Settings.devices})", INVALID_DEVICE)
    return index


def _device(index: int) -> Device:
    found = DEVICES.get(index)
    if found is None:
        found = DEVICES.setdefault(index, Device())
    return found


def _make(device: int, primary: bool) -> Context:
    context = Context(device, primary)
    stream = Stream(context, next(_identifiers), Settings.queue, default=True)
    context.default = stream
    context.streams[0] = context.streams[stream.handle] = stream
    STREAMS[stream.handle] = stream
    CONTEXTS[context.handle] = context
    return context


def _enter(context: Context | None) -> None:
    LOCAL.context = context
    LOCAL.streams = {} if context is None else context.streams


def set_device(index: int) -> None:
    """Make the primary context current in this thread and raise the use count (RT-10, RT-11)."""
    device = _device(check_device(index))
    with _setup:
        if device.primary is None:
            device.primary = _make(index, primary=True)
        device.count += 1
    _enter(device.primary)


def reset_device(index: int, force: bool = False) -> None:
    """Lower the use count and release at zero (RT-12, RT-13)."""
    device = _device(check_device(index))
    if device.count == 0:
        raise AclFault(CONTEXT_RELEASE, f"device {index} is not set, or was reset already")
    device.count = 0 if force else device.count - 1
    if device.count:
        return
    primary, device.primary = device.primary, None
    if primary is not None:
        _release(primary)
    device.peers.clear()
    if not any(context.device == index for context in list(CONTEXTS.values())):
        memory.release_device(index)


def create_context(index: int) -> Context:
    """A private context, current at once (RT-16). Its default stream is one of the device's."""
    _check_streams(check_device(index))
    context = _make(index, primary=False)
    _enter(context)
    return context


def destroy_context(handle: int) -> None:
    """RT-17."""
    if handle == 0:
        raise null("context")
    context = CONTEXTS.get(handle)
    if context is None:
        raise AclFault(NO_CONTEXT, f"context [{handle:#x}] does not exist or was destroyed")
    if context.primary:
        raise AclFault(NO_CONTEXT, f"context [{handle:#x}] is the default context of device {context.device}")
    _release(context)


def _release(context: Context) -> None:
    for stream in set(context.streams.values()):
        streams.drain(stream)
        streams.discard(stream)
        _forget(stream)
    context.alive = False
    context.streams.clear()
    CONTEXTS.pop(context.handle, None)
    if LOCAL.context is context:
        _enter(None)


def set_context(handle: int) -> None:
    """RT-18, RT-19."""
    if handle == 0:
        raise null("context")
    context = CONTEXTS.get(handle)
    if context is None:
        raise AclFault(107000, f"context [{handle:#x}] does not exist or was destroyed")
    _enter(context)


def current() -> Context:
    """The calling thread's context.

    Raises:
        AclFault: 107002 if it has none, or had one that was destroyed (RT-19, RT-20).
    """
    context = LOCAL.context
    if context is None and Settings.default_device is not None:
        set_device(Settings.default_device)
        context = LOCAL.context
    if context is None or not context.alive:
        raise AclFault(NO_CONTEXT, "the calling thread has no current context; call acl.rt.set_device or acl.rt.set_context first")
    return context


# Streams


def stream_for(handle: int) -> Stream:
    """The stream a launching call means: 0 is the context's default, others must belong to the current context (RT-26).

    Hot code looks into ``LOCAL.streams`` itself and comes here only on a miss.

    Raises:
        AclFault: 107002 no context, 107017 not a live stream, 107003 another context's.
    """
    stream = LOCAL.streams.get(handle)
    if stream is not None:
        return stream
    stream = current().streams.get(handle)
    if stream is not None:  # acl.json's default device became current just now
        return stream
    if handle not in STREAMS:
        raise AclFault(INVALID_HANDLE, f"stream [{handle:#x}] does not exist or was destroyed")
    raise AclFault(STREAM_CONTEXT, f"stream [{handle:#x}] does not belong to the current context")


def any_stream(handle: int) -> Stream:
    """The stream a waiting call means, of whichever context (RT-23)."""
    stream = current().default if handle == 0 else STREAMS.get(handle)
    if stream is None:
        raise AclFault(INVALID_HANDLE, f"stream [{handle:#x}] does not exist or was destroyed")
    return stream


def _check_streams(device: int) -> None:
    if available_streams(device) <= 0:
        raise AclFault(207008, f"device {device} has no more than {Settings.most_streams} streams, default streams among them")


def create_stream(priority: int = 0, flag: int = 0) -> Stream:
    """RT-21."""
    context = current()
    _check_streams(context.device)
    stream = Stream(context, next(_identifiers), Settings.queue)
    stream.priority, stream.flag = priority, flag
    if context.failed:
        stream.limit, stream.error = -1, context.failed
    STREAMS[stream.handle] = stream
    context.streams[stream.handle] = stream
    return stream


def available_streams(device: int) -> int:
    """How many streams can still be made on a device."""
    return Settings.most_streams - sum(1 for stream in list(STREAMS.values()) if stream.device == device)


def destroy_stream(handle: int, force: bool = False) -> None:
    """RT-22."""
    if handle == 0:
        raise null("stream")
    stream = stream_for(handle)
    if stream.default:
        raise invalid("stream", hex(handle), "a default stream can't be destroyed")
    if not force:
        streams.wait_for(stream)
    streams.discard(stream)
    _forget(stream)
    stream.context.streams.pop(handle, None)


def _forget(stream: Stream) -> None:
    stream.alive = False
    streams.forget_subscription(stream)
    STREAMS.pop(stream.handle, None)


# Events


def create_event(kind: str, flag: int) -> Event:
    """EV-1."""
    event = Event(kind, flag, current().device)
    EVENTS[event.handle] = event
    return event


def event_for(handle: int, parameter: str = "event") -> Event:
    """The event of a handle.

    Raises:
        AclFault: 100000 for 0, 107017 for anything that is not a live event (EV-8).
    """
    if handle == 0:
        raise null(parameter)
    event = EVENTS.get(handle)
    if event is None:
        raise AclFault(INVALID_HANDLE, f"event [{handle:#x}] does not exist or was destroyed")
    return event


# Peers


def enable_peer(peer: int, on: bool) -> None:
    """Let the current device reach another one's memory, or no longer (RT-42)."""
    index = current().device
    check_device(peer, "peer_device_id")
    if peer == index:
        raise invalid("peer_device_id", peer, "is the current device")
    peers = _device(index).peers
    if on:
        peers.add(peer)
    else:
        peers.discard(peer)


def peers(one: int, other: int) -> bool:
    """Whether copies between two devices are allowed: peer access enabled from either side (RT-42)."""
    return one == other or other in _device(one).peers or one in _device(other).peers


def clear() -> None:
    """Forget everything (``new_process``); other threads' contexts die with their alive mark."""
    for context in list(CONTEXTS.values()):
        for stream in set(context.streams.values()):
            streams.discard(stream)
        context.alive = False
        context.streams.clear()
    DEVICES.clear()
    Settings.default_device = None
    _enter(None)
