"""``acl.rt``: devices, contexts, streams, events, memory, copies and callbacks (RT, EV and CB rules)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .engine import AclFault, contexts, copying, hazards, memory, streams
from .engine.arguments import function, invalid, null, public, refuse
from .engine.tables import EVENTS, LOCAL, Event
from .rt_binary import *  # noqa: F403
from .rt_copies import *  # noqa: F403
from .rt_device import *  # noqa: F403
from .rt_memory import *  # noqa: F403
from .rt_stream import *  # noqa: F403
from .rt_stream import set_failure_mode

_PARAM_INVALID: Final = 107000
_UNSUPPORTED: Final = 207000
_STREAM_SYNC_TIMEOUT: Final = 507046
_EVENT_SYNC_TIMEOUT: Final = 507047
_SYNC, _PROGRESS, _TIME_LINE, _DEVICE_ONLY = 1, 2, 8, 16
_EVENT_FLAGS: Final = _SYNC | _PROGRESS | _TIME_LINE | _DEVICE_ONLY


# Devices


@function("acl.rt.set_device", "i")
def set_device(device_id: int) -> int:
    """Primary context current in this thread; raises the use count (RT-10, RT-11)."""
    contexts.set_device(device_id)
    return 0


@function("acl.rt.reset_device", "i")
def reset_device(device_id: int) -> int:
    """Lowers the use count; the last call releases (RT-12)."""
    contexts.reset_device(device_id)
    return 0


@function("acl.rt.reset_device_force", "i")
def reset_device_force(device_id: int) -> int:
    """Releases at once (RT-12)."""
    contexts.reset_device(device_id, force=True)
    return 0


@function("acl.rt.get_device", "", 0)
def get_device() -> tuple[int, int]:
    """(device, ret) (RT-14)."""
    return contexts.current().device, 0


@function("acl.rt.get_device_count", "", 0)
def get_device_count() -> tuple[int, int]:
    """(count, ret), without a device (RT-14)."""
    return memory.Settings.devices, 0


@function("acl.rt.get_run_mode", "", 0)
def get_run_mode() -> tuple[int, int]:
    """0 on the board, 1 on a host with a card (RT-14)."""
    return 0 if memory.Settings.one_space else 1, 0


@function("acl.rt.device_can_access_peer", "ii", 0)
def device_can_access_peer(device_id: int, peer_device_id: int) -> tuple[int, int]:
    """(1 or 0, ret): simulated devices all reach each other (RT-42), but on a board (hicann/runtime, ``api_impl.cc``)."""
    contexts.check_device(device_id)
    contexts.check_device(peer_device_id, "peer_device_id")
    if device_id == peer_device_id:
        raise invalid("peer_device_id", peer_device_id, "must be another device")
    if memory.Settings.one_space:
        raise AclFault(207000, "it is not supported where the program runs on the board itself", "EH0006")
    return 1, 0


@function("acl.rt.device_enable_peer_access", "iI")
def device_enable_peer_access(peer_device_id: int, flags: int) -> int:
    """From the current device (RT-42)."""
    if flags:
        raise invalid("flags", flags, "must be 0", 200006)
    contexts.enable_peer(peer_device_id, on=True)
    return 0


@function("acl.rt.device_disable_peer_access", "i")
def device_disable_peer_access(peer_device_id: int) -> int:
    """From the current device (RT-42)."""
    contexts.enable_peer(peer_device_id, on=False)
    return 0


@function("acl.rt.device_peer_access_status", "ii", 0)
def device_peer_access_status(device_id: int, peer_device_id: int) -> tuple[int, int]:
    """(1 if enabled, ret)."""
    contexts.check_device(device_id)
    contexts.check_device(peer_device_id, "peer_device_id")
    return int(contexts.peers(device_id, peer_device_id)), 0


@function("acl.rt.synchronize_device")
def synchronize_device() -> int:
    """Run every stream of the current device; the first failure's code (RT-45)."""
    return _synchronize_device(-1)


@function("acl.rt.synchronize_device_with_timeout", "i")
def synchronize_device_with_timeout(timeout_ms: int) -> int:
    """As ``synchronize_device``, at most so many milliseconds for each stream (RT-24)."""
    _check_timeout(timeout_ms)
    return _synchronize_device(timeout_ms)


def _synchronize_device(timeout_ms: int) -> int:
    device = contexts.current().device
    code = 0
    for stream in streams.of_device(device):
        if not streams.wait_for(stream, None, timeout_ms):
            raise AclFault(_STREAM_SYNC_TIMEOUT, f"stream {stream.identifier} did not finish in {timeout_ms} ms")
    for stream in streams.of_device(device):
        code = streams.take_error(stream) or code
    return code


def _check_timeout(timeout_ms: int, code: int = _PARAM_INVALID) -> None:
    """-1 or more than 0 (RT-24, EV-7, CB-5)."""
    if timeout_ms < -1 or timeout_ms == 0:
        raise invalid("timeout_ms", timeout_ms, "must be -1 or greater than 0", code)


# Contexts


@function("acl.rt.create_context", "i", 0)
def create_context(device_id: int) -> tuple[int, int]:
    """(context, ret); current at once (RT-16)."""
    return contexts.create_context(device_id).handle, 0


@function("acl.rt.destroy_context", "K")
def destroy_context(ctx: int) -> int:
    """RT-17."""
    contexts.destroy_context(ctx)
    return 0


@function("acl.rt.set_context", "K")
def set_context(ctx: int) -> int:
    """For the calling thread (RT-18)."""
    contexts.set_context(ctx)
    return 0


@function("acl.rt.get_context", "", 0)
def get_context() -> tuple[int, int]:
    """(context, ret) of the calling thread (RT-18)."""
    return contexts.current().handle, 0


@function("acl.rt.ctx_get_current_default_stream", "", 0)
def ctx_get_current_default_stream() -> tuple[int, int]:
    """(stream, ret): the handle behind 0."""
    return contexts.current().streams[0].handle, 0


@function("acl.rt.get_primary_ctx_state", "i", 0, 0)
def get_primary_ctx_state(device_id: int) -> tuple[int, int, int]:
    """(active, flags, ret)."""
    contexts.check_device(device_id)
    device = contexts.DEVICES.get(device_id)
    return int(device is not None and device.primary is not None), 0, 0


# Streams


@function("acl.rt.create_stream", "", 0)
def create_stream() -> tuple[int, int]:
    """(stream, ret) in the current context (RT-21)."""
    return contexts.create_stream().handle, 0


@function("acl.rt.create_stream_with_config", "ii", 0)
def create_stream_with_config(priority: int, flag: int) -> tuple[int, int]:
    """(stream, ret); priority and flags change nothing here."""
    return contexts.create_stream(priority, flag).handle, 0


@function("acl.rt.destroy_stream", "K")
def destroy_stream(stream: int) -> int:
    """Runs what is queued first (RT-22)."""
    contexts.destroy_stream(stream)
    return 0


@function("acl.rt.destroy_stream_force", "K")
def destroy_stream_force(stream: int) -> int:
    """Drops what is queued (RT-22)."""
    contexts.destroy_stream(stream, force=True)
    return 0


@function("acl.rt.stream_abort", "K")
def stream_abort(stream: int) -> int:
    """Drops what is queued; the stream stays usable."""
    streams.discard(contexts.any_stream(stream))
    return 0


@function("acl.rt.synchronize_stream", "K")
def synchronize_stream(stream: int) -> int:
    """Runs what is queued; failures come out here (RT-23, RT-45)."""
    found = contexts.any_stream(stream)
    streams.wait_for(found)
    return streams.take_error(found) if found.error else 0


@function("acl.rt.synchronize_stream_with_timeout", "Ki")
def synchronize_stream_with_timeout(stream: int, timeout_ms: int) -> int:
    """RT-24."""
    _check_timeout(timeout_ms)
    found = contexts.any_stream(stream)
    if not streams.wait_for(found, None, timeout_ms):
        raise AclFault(_STREAM_SYNC_TIMEOUT, f"stream {found.identifier} did not finish in {timeout_ms} ms")
    return streams.take_error(found)


@function("acl.rt.stream_query", "K", 0xFFFF)
def stream_query(stream: int) -> tuple[int, int]:
    """(0 complete, 1 not ready, ret) as it was at the call, which then runs a slice (RT-25)."""
    found = contexts.any_stream(stream)
    waiting = int(bool(found.queue) or found.busy is not None)
    streams.progress(found)
    return waiting, 0


@function("acl.rt.set_stream_failure_mode", "KI")
def set_stream_failure_mode(stream: int, mode: int) -> int:
    """1 stops the whole context at the first failure; once a stream (RT-46)."""
    set_failure_mode(contexts.stream_for(stream), mode)
    return 0


@function("acl.rt.stream_get_id", "K", 0)
def stream_get_id(stream: int) -> tuple[int, int]:
    """(id, ret)."""
    return contexts.any_stream(stream).identifier, 0


@function("acl.rt.get_stream_available_num", "", 0)
def get_stream_available_num() -> tuple[int, int]:
    """(count, ret) for the current device (RT-21)."""
    return contexts.available_streams(contexts.current().device), 0


@function("acl.rt.device_get_stream_priority_range", "", 0, 0)
def device_get_stream_priority_range() -> tuple[int, int, int]:
    """(least, greatest, ret)."""
    contexts.current()
    return 7, 0, 0


# Events


def _create_event(kind: str, flag: int) -> tuple[int, int]:
    if flag == 0 or flag & ~_EVENT_FLAGS:
        raise invalid("flag", flag, "must be a combination of 1, 2 and 8", _PARAM_INVALID)
    return contexts.create_event(kind, flag).handle, 0


@function("acl.rt.create_event", "", 0)
def create_event() -> tuple[int, int]:
    """(event, ret): orders and times (EV-1)."""
    return contexts.create_event("plain", _SYNC | _TIME_LINE).handle, 0


@function("acl.rt.create_event_with_flag", "I", 0)
def create_event_with_flag(flag: int) -> tuple[int, int]:
    """(event, ret) of the old mode (EV-1)."""
    return _create_event("flag", flag)


@function("acl.rt.create_event_ex_with_flag", "I", 0)
def create_event_ex_with_flag(flag: int) -> tuple[int, int]:
    """(event, ret) that is recorded again without reset (EV-1)."""
    return _create_event("ex", flag)


@function("acl.rt.destroy_event", "K")
def destroy_event(event: int) -> int:
    """Never waits; queued records and waits keep their meaning (EV-8)."""
    contexts.event_for(event)
    EVENTS.pop(event, None)
    return 0


@function("acl.rt.record_event", "KK")
def record_event(event: int, stream: int) -> int:
    """Queued behind the stream's work (EV-2)."""
    found = contexts.event_for(event)
    streams.record(found, contexts.stream_for(stream))
    return 0


@function("acl.rt.reset_event", "KK")
def reset_event(event: int, stream: int) -> int:
    """Queued (EV-5)."""
    found = contexts.event_for(event)
    if found.kind == "ex" or not found.flag & _SYNC:
        raise AclFault(_UNSUPPORTED, "only events of create_event_with_flag with the SYNC bit can be reset", "EH0006")
    streams.reset(found, contexts.stream_for(stream))
    return 0


@function("acl.rt.stream_wait_event", "KK")
def stream_wait_event(stream: int, event: int) -> int:
    """Later work of the stream waits for the newest record (EV-3, EV-4)."""
    found = contexts.event_for(event)
    waiting = contexts.stream_for(stream)
    if found.kind != "plain" and not found.flag & _SYNC:
        raise AclFault(_UNSUPPORTED, "the event was created without the SYNC bit", "EH0006")  # EV-5
    if found.capture is None and found.kind == "plain":
        raise AclFault(_PARAM_INVALID, "the event was never recorded")
    streams.wait_event(waiting, found)
    return 0


def _pending(event: Event) -> bool:
    """Whether the newest record is not reached yet; like every query it lets its stream run a slice afterwards."""
    capture = event.capture
    if capture is None or capture.done:
        return False
    streams.progress(capture.stream, capture)
    return True


def _not_ex(event: Event, name: str) -> None:
    if event.kind == "ex":
        raise AclFault(_UNSUPPORTED, f"{name} does not take events of create_event_ex_with_flag", "EH0006")


@function("acl.rt.query_event", "K", 0)
def query_event(event: int) -> tuple[int, int]:
    """(0 complete, 1 not ready, ret) (EV-3, GEN-4)."""
    found = contexts.event_for(event)
    _not_ex(found, "query_event")
    return int(_pending(found)), 0


@function("acl.rt.query_event_status", "K", 0)
def query_event_status(event: int) -> tuple[int, int]:
    """(0 not ready, 1 complete, ret): the opposite polarity (EV-3, GEN-4)."""
    found = contexts.event_for(event)
    if found.capture is None:
        return int(found.kind == "ex"), 0
    return int(not _pending(found)), 0


@function("acl.rt.query_event_wait_status", "K", 0)
def query_event_wait_status(event: int) -> tuple[int, int]:
    """(0 when every wait on it was passed, else 1, ret) (EV-3)."""
    found = contexts.event_for(event)
    _not_ex(found, "query_event_wait_status")
    waiting = found.waits > 0
    if waiting:
        for stream in streams.of_device(found.device):
            streams.progress(stream)
    return int(waiting), 0


def _synchronize_event(event: int, timeout_ms: int) -> int:
    found = contexts.event_for(event)
    capture = found.capture
    if capture is None:  # EV-3
        return 0
    if not capture.done and not streams.wait_for(capture.stream, capture, timeout_ms):
        raise AclFault(_EVENT_SYNC_TIMEOUT, f"the event was not reached in {timeout_ms} ms")
    # What failed before the record is the stream's to say (runtime, Event::WaitTask against Stream::GetSynchronizeError), unless the
    # context stops on failure, which is asked first (RT-46).
    return streams.take_error(capture.stream) if capture.stream.context.failed else 0


@function("acl.rt.synchronize_event", "K")
def synchronize_event(event: int) -> int:
    """Runs the recording stream as far as the record, and says nothing of what failed there (EV-3, RT-45)."""
    return _synchronize_event(event, -1)


@function("acl.rt.synchronize_event_with_timeout", "Ki")
def synchronize_event_with_timeout(event: int, timeout_ms: int) -> int:
    """EV-7."""
    _check_timeout(timeout_ms)
    return _synchronize_event(event, timeout_ms)


def _time(event: Event) -> int:
    """Nanoseconds at the record (EV-6)."""
    capture = event.capture
    if capture is None:
        raise AclFault(507000, "the event was never recorded")
    if not capture.done or not event.flag & _TIME_LINE:
        raise AclFault(107006, "the event has no time stamp: it was not reached yet, or was created without the TIME_LINE bit")
    return capture.time


@function("acl.rt.event_elapsed_time", "KK", 0.0)
def event_elapsed_time(start_event: int, end_event: int) -> tuple[float, int]:
    """(milliseconds, ret), end minus start (EV-6)."""
    start = contexts.event_for(start_event, "start_event")
    end = contexts.event_for(end_event, "end_event")
    if start.capture is None or end.capture is None:
        raise AclFault(507000, "an event was never recorded")
    return (_time(end) - _time(start)) / 1e6, 0


@function("acl.rt.event_get_timestamp", "K", 0)
def event_get_timestamp(event: int) -> tuple[int, int]:
    """(microseconds, ret) (EV-6)."""
    return _time(contexts.event_for(event)) // 1000, 0


# Memory


def _malloc(padded: int, policy: int) -> tuple[int, int]:
    return memory.allocate(contexts.current().device, padded, policy).address, 0


@function("acl.rt.malloc", "Ki", 0)
def malloc(size: int, policy: int) -> tuple[int, int]:
    """(address, ret), poisoned and with 32 bytes of slack (RT-28, RT-29)."""
    return _malloc(memory.sized(size, slack=policy not in (6, 7)), policy)  # RT-29: none for 1 GB pages


@function("acl.rt.malloc_align32", "Ki", 0)
def malloc_align32(size: int, policy: int) -> tuple[int, int]:
    """(address, ret) without slack (RT-29)."""
    return _malloc(memory.sized(size, slack=False), policy)


@function("acl.rt.malloc_cached", "Ki", 0)
def malloc_cached(size: int, policy: int) -> tuple[int, int]:
    """(address, ret), as ``malloc``."""
    return _malloc(memory.sized(size), policy)


@function("acl.rt.malloc_host", "K", 0)
def malloc_host(size: int) -> tuple[int, int]:
    """(address, ret) of pinned memory; of device memory in run mode "device" (RT-15, RT-30)."""
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    device = contexts.current().device
    return memory.allocate_host(memory.padded_size(size) if memory.Settings.one_space else size, device).address, 0


@function("acl.rt.free", "K")
def free(dev_ptr: int) -> int:
    """Waits for nothing and needs no context (RT-20, RT-31, RT-32)."""
    if dev_ptr == 0:
        raise null("dev_ptr")
    hazards.check_freed(dev_ptr)
    memory.release(dev_ptr)
    return 0


@function("acl.rt.free_host", "K")
def free_host(host_ptr: int) -> int:
    """Waits for nothing (RT-31)."""
    if host_ptr == 0:
        raise null("host_ptr")
    hazards.check_freed(host_ptr)
    memory.release(host_ptr, host=True)
    return 0


@function("acl.rt.get_mem_info", "i", 0, 0)
def get_mem_info(attr: int) -> tuple[int, int, int]:
    """(free, total, ret) of the current device in bytes (RT-33); pools that it lacks report 0."""
    device = contexts.current().device
    if not 0 <= attr <= 17:
        raise invalid("attr", attr, "must be an aclrtMemAttr, 0 to 17")
    if attr in (6, 7, 8, 9, 10, 11, 14, 15, 16, 17):
        return 0, 0, 0
    total = memory.Settings.memory
    return total - memory.occupied(device), total, 0


def _check_cached(dev_ptr: int, size: int) -> int:
    if dev_ptr == 0:
        raise null("dev_ptr")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    memory.device_array(dev_ptr, size)
    return 0


@function("acl.rt.mem_flush", "KK")
def mem_flush(dev_ptr: int, size: int) -> int:
    """Nothing to do: the simulated devices have no cache of their own."""
    return _check_cached(dev_ptr, size)


@function("acl.rt.mem_invalidate", "KK")
def mem_invalidate(dev_ptr: int, size: int) -> int:
    """Nothing to do: the simulated devices have no cache of their own."""
    return _check_cached(dev_ptr, size)


# Copies and fills


@function("acl.rt.memcpy", "KKKKi")
def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int) -> int:
    """At once, past everything queued; the addresses decide the direction (RT-34 .. RT-37)."""
    if count == 0:
        return 0
    copying.check_range(dst, dest_max, src, count, kind)
    if dst == src:
        return 0
    contexts.current()
    one, other = memory.find(dst), memory.find(src)
    target, source = copying.pair(dst, src, count, one, other)
    hazards.check_copy(dst, src, count, kind, one, other)
    target[:] = source
    return 0


@function("acl.rt.memcpy_async", "KKKKiK")
def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int) -> int:
    """Queued for device and pinned memory; with pageable memory it waits for the stream and copies (RT-38 .. RT-41)."""
    if count == 0:
        return 0
    copying.check_range(dst, dest_max, src, count, kind)
    return copying.copy_async(dst, src, count, kind, stream)


def _check_fill(dev_ptr: int, max_count: int, count: int) -> None:
    """RT-43."""
    if dev_ptr == 0:
        raise null("dev_ptr")
    if count > max_count:
        raise invalid("count", count, f"must not exceed max_count, {max_count}", _PARAM_INVALID)


@function("acl.rt.memset", "KKiK")
def memset(dev_ptr: int, max_count: int, value: int, count: int) -> int:
    """At once; device memory or memory of ``malloc_host`` (RT-43)."""
    if count == 0:
        return 0
    _check_fill(dev_ptr, max_count, count)
    contexts.current()
    hazards.check_write(memory.block_of(dev_ptr, count), dev_ptr, count)
    memory.any_array(dev_ptr, count).fill(value & 0xFF)
    return 0


def _fill(target: memory.Bytes, value: int) -> None:
    target.fill(value)


@function("acl.rt.memset_async", "KKiKK")
def memset_async(dev_ptr: int, max_count: int, value: int, count: int, stream: int) -> int:
    """Queued (RT-43)."""
    if count == 0:
        return 0
    _check_fill(dev_ptr, max_count, count)
    found = contexts.stream_for(stream)
    memory.block_of(dev_ptr, count)
    streams.enqueue(found, _fill, (memory.any_array(dev_ptr, count), value & 0xFF))
    return 0


# Callbacks


@function("acl.rt.subscribe_report", "KK")
def subscribe_report(thread_id: int, stream: int) -> int:
    """RT callbacks of this stream run in that thread (CB-2)."""
    streams.subscribe(thread_id, contexts.stream_for(stream))
    return 0


@function("acl.rt.unsubscribe_report", "KK")
def unsubscribe_report(thread_id: int, stream: int) -> int:
    """CB-3."""
    streams.unsubscribe(thread_id, contexts.any_stream(stream))
    return 0


@function("acl.rt.launch_callback", "OOiK")
def launch_callback(fn: Callable[[Any], Any], user_data: Any, block_type: int, stream: int) -> int:
    """``fn(user_data)`` in stream order, in the subscribed thread (CB-1, CB-4, PY-18)."""
    if not callable(fn):
        raise TypeError("parameter must be callable")
    if block_type not in (0, 1):
        raise invalid("block_type", block_type, "must be 0 or 1")
    found = contexts.stream_for(stream)
    if found.subscriber is None:
        raise AclFault(107015, "no thread is subscribed to the stream")
    streams.launch_callback(fn, user_data, block_type == 1, found)
    return 0


@function("acl.rt.process_report", "i")
def process_report(timeout_ms: int) -> int:
    """Run the callbacks that are ready for this thread (CB-5)."""
    _check_timeout(timeout_ms, 100000)
    code = streams.serve(timeout_ms)
    if code:
        raise AclFault(code, "the thread is not subscribed" if code == 107012 else f"no callback within {timeout_ms} ms")
    return 0


# Errors


@function("acl.rt.peek_at_last_error", "i")
def peek_at_last_error(level: int) -> int:
    """The thread's runtime error (RT-49)."""
    if level:
        raise invalid("level", level, "must be 0", _PARAM_INVALID)
    return LOCAL.last_error


@function("acl.rt.get_last_error", "i")
def get_last_error(level: int) -> int:
    """The thread's runtime error, cleared (RT-49)."""
    if level:
        raise invalid("level", level, "must be 0", _PARAM_INVALID)
    code, LOCAL.last_error = LOCAL.last_error, 0
    return code


@function("acl.rt.set_exception_info_callback", "|O")
def set_exception_info_callback(fn: Callable[[int], Any] | None = None) -> int:
    """One for the process; None or nothing removes it (RT-52)."""
    if fn is not None and not callable(fn):
        refuse("acl.rt.set_exception_info_callback")
    streams.Hooks.exception_callback = fn
    return 0


_NO_INFO: Final = 0xFFFFFFFF


@function("acl.rt.get_task_id_from_exception_info", "K")
def get_task_id_from_exception_info(exception_info: int) -> int:
    """Inside the exception callback only (RT-52)."""
    info = streams.INFOS.get(exception_info)
    return _NO_INFO if info is None else info.task


@function("acl.rt.get_stream_id_from_exception_info", "K")
def get_stream_id_from_exception_info(exception_info: int) -> int:
    """Inside the exception callback only (RT-52)."""
    info = streams.INFOS.get(exception_info)
    return _NO_INFO if info is None else info.stream


@function("acl.rt.get_thread_id_from_exception_info", "K")
def get_thread_id_from_exception_info(exception_info: int) -> int:
    """Inside the exception callback only (RT-52)."""
    info = streams.INFOS.get(exception_info)
    return _NO_INFO if info is None else info.thread & _NO_INFO


@function("acl.rt.get_device_id_from_exception_info", "K")
def get_device_id_from_exception_info(exception_info: int) -> int:
    """Inside the exception callback only (RT-52)."""
    info = streams.INFOS.get(exception_info)
    return _NO_INFO if info is None else info.device


@function("acl.rt.get_error_code_from_exception_info", "K")
def get_error_code_from_exception_info(exception_info: int) -> int:
    """Inside the exception callback only (RT-52)."""
    info = streams.INFOS.get(exception_info)
    return _NO_INFO if info is None else info.code


def __dir__() -> list[str]:
    return public(__name__)
