"""``acl.prof``: profiling sessions, stamps of the program's own, and the records of subscribed models (``engine.profiling``)."""

from __future__ import annotations

import threading
import time
from typing import Any, Final

from .engine import AclFault, contexts, memory, profiling, streams
from .engine.arguments import function, int_list, invalid, null, public, refuse
from .engine.tables import COUNTED, new_handle

METRICS: Final = frozenset({*range(9), 255})
MAX_DEVICES: Final = 64
MAX_MESSAGE: Final = 127
MAX_TEXT: Final = 4096
OP_TYPE, OP_NAME = 3, 4


class _Stamp:
    """A message and, once it is pushed or started, when."""

    __slots__ = ("message",)

    def __init__(self) -> None:
        self.message = ""


class _Pushed(threading.local):
    """The calling thread's stack of stamps."""

    def __init__(self) -> None:
        self.stack: list[tuple[_Stamp, int]] = []


_CONFIGS: Final[dict[int, profiling.Config]] = {}
_SUBSCRIBE_CONFIGS: Final[dict[int, int]] = {}
_STAMPS: Final[dict[int, _Stamp]] = {}
_STEPS: Final[dict[int, int]] = {}
_RANGES: Final[dict[int, tuple[_Stamp, int]]] = {}
_LOCAL: Final = _Pushed()
COUNTED.update({"prof_configs": _CONFIGS, "subscribe_configs": _SUBSCRIBE_CONFIGS, "stamps": _STAMPS, "steps": _STEPS})
COUNTED["prof_ranges"] = _RANGES


def __dir__() -> list[str]:
    return public(__name__)


def _find(table: dict[int, Any], parameter: str, handle: int) -> Any:
    if handle == 0:
        raise null(parameter)
    found = table.get(handle)
    if found is None:
        raise invalid(parameter, hex(handle), "is no live object of that kind")
    return found


# Sessions


@function("acl.prof.init", "s")
def init(path: str) -> int:
    """Begins a session; its files go to a new folder in ``path``."""
    profiling.begin(path)
    return 0


@function("acl.prof.finalize")
def finalize() -> int:
    """Ends the session and writes its files."""
    if profiling.Session.by_file:
        raise AclFault(profiling.ALREADY_RUN, "acl.json began profiling; acl.finalize ends it")
    profiling.end()
    return 0


@function("acl.prof.create_config", "OiKK")
def create_config(device_id_list: Any, aicore_metrics: int, aicore_events_ptr: int, data_type_config: int) -> int:
    """A configuration, or 0 for devices or metrics that do not exist. Stamps need no device.

    Raises:
        ValueError: For a negative device, as the binding does.
    """
    devices = int_list("acl.prof.create_config", device_id_list)
    if any(device < 0 for device in devices):
        raise ValueError("PyLong_AsUnsignedLong failed")
    fits = all(0 <= device < memory.Settings.devices for device in devices) and len(set(devices)) == len(devices)
    nowhere = not devices and not data_type_config & profiling.STAMPS
    if nowhere or len(devices) > MAX_DEVICES or not fits or aicore_metrics not in METRICS or aicore_events_ptr:
        return 0
    handle = new_handle()
    _CONFIGS[handle] = profiling.Config(devices, data_type_config)
    return handle


@function("acl.prof.destroy_config", "K")
def destroy_config(prof_config: int) -> int:
    """A session that uses it goes on."""
    _find(_CONFIGS, "prof_config", prof_config)
    del _CONFIGS[prof_config]
    return 0


@function("acl.prof.start", "K")
def start(prof_config: int) -> int:
    """Notes what runs on the configuration's devices from now on."""
    profiling.start(_find(_CONFIGS, "prof_config", prof_config))
    return 0


@function("acl.prof.stop", "K")
def stop(prof_config: int) -> int:
    """Notes nothing more; what is queued still and runs later is left out."""
    profiling.stop(_find(_CONFIGS, "prof_config", prof_config))
    return 0


@function("acl.prof.set_config", "is")
def set_config(config_type: int, value: str) -> int:
    """An option of real profilers; checked, without effect."""
    if not profiling.running():
        raise AclFault(100001, "acl.prof.init comes first")
    if not 0 < config_type < 17:
        raise invalid("config_type", config_type, "must be in [1, 16]")
    if not value:
        raise invalid("value", value, "must not be empty")
    return 0


# Subscriptions


@function("acl.prof.create_subscribe_config", "iii")
def create_subscribe_config(time_info_switch: int, aicore_metrics: int, fd: int) -> int:
    """A configuration with the pipe to write to, or 0."""
    if not 0 <= time_info_switch < 256:
        refuse("acl.prof.create_subscribe_config")
    if time_info_switch > 1 or aicore_metrics not in METRICS or fd < 0:
        return 0
    handle = new_handle()
    _SUBSCRIBE_CONFIGS[handle] = fd
    return handle


@function("acl.prof.destroy_subscribe_config", "K")
def destroy_subscribe_config(subscribe_config: int) -> int:
    """Subscriptions made with it go on."""
    _find(_SUBSCRIBE_CONFIGS, "subscribe_config", subscribe_config)
    del _SUBSCRIBE_CONFIGS[subscribe_config]
    return 0


@function("acl.prof.model_subscribe", "IK")
def model_subscribe(model_id: int, subscribe_config: int) -> int:
    """Writes one record for each operator of the model that runs."""
    profiling.subscribe(model_id, _find(_SUBSCRIBE_CONFIGS, "subscribe_config", subscribe_config))
    return 0


@function("acl.prof.model_unsubscribe", "I")
def model_unsubscribe(model_id: int) -> int:
    """Ends a subscription."""
    profiling.unsubscribe(model_id)
    return 0


@function("acl.prof.model_un_subscribe", "I")
def model_un_subscribe(model_id: int) -> int:
    """The same under its other name."""
    profiling.unsubscribe(model_id)
    return 0


# Records


def _record(info: int, info_len: int, index: int) -> tuple[Any, ...]:
    """The fields of one record."""
    if info == 0:
        raise null("info")
    size = profiling.RECORD.size
    if info_len == 0 or info_len % size:
        raise invalid("info_len", info_len, f"must be a multiple of a record's {size} bytes")
    if index >= info_len // size:
        raise invalid("index", index, f"must be below the number of records, {info_len // size}")
    return profiling.RECORD.unpack(memory.host_bytes(info + index * size, size))


def _text(info: int, info_len: int, index: int, field: int) -> str:
    data: bytes = _record(info, info_len, index)[field]
    return data.rstrip(b"\0").decode("utf-8", "replace")


def _bounded(info: int, info_len: int, index: int, field: int, max_len: int) -> tuple[str, int]:
    if max_len > MAX_TEXT:
        raise invalid("max_len", max_len, f"must not exceed {MAX_TEXT}")
    text = _text(info, info_len, index, field)
    if max_len <= len(text.encode()):
        raise invalid("max_len", max_len, f"the text has {len(text.encode())} bytes")
    return text, 0


@function("acl.prof.get_op_desc_size", "", 0)
def get_op_desc_size() -> tuple[int, int]:
    """(bytes of one record, ret)."""
    return profiling.RECORD.size, 0


@function("acl.prof.get_op_num", "KK", 0)
def get_op_num(info: int, info_len: int) -> tuple[int, int]:
    """(number of records, ret)."""
    _record(info, info_len, 0)
    return info_len // profiling.RECORD.size, 0


@function("acl.prof.get_op_type", "KKIK", "")
def get_op_type(info: int, info_len: int, index: int, max_len: int) -> tuple[str, int]:
    """(operator type, ret)."""
    return _bounded(info, info_len, index, OP_TYPE, max_len)


@function("acl.prof.get_op_name", "KKIK", "")
def get_op_name(info: int, info_len: int, index: int, max_len: int) -> tuple[str, int]:
    """(operator name, ret)."""
    return _bounded(info, info_len, index, OP_NAME, max_len)


@function("acl.prof.get_op_type_v2", "KKI", None)
def get_op_type_v2(info: int, info_len: int, index: int) -> tuple[str | None, int]:
    """(operator type, ret) of any length."""
    return _text(info, info_len, index, OP_TYPE), 0


@function("acl.prof.get_op_name_v2", "KKI", None)
def get_op_name_v2(info: int, info_len: int, index: int) -> tuple[str | None, int]:
    """(operator name, ret) of any length."""
    return _text(info, info_len, index, OP_NAME), 0


@function("acl.prof.get_op_type_len", "KKI", 0)
def get_op_type_len(info: int, info_len: int, index: int) -> tuple[int, int]:
    """(bytes with the end mark, ret)."""
    return len(_text(info, info_len, index, OP_TYPE).encode()) + 1, 0


@function("acl.prof.get_op_name_len", "KKI", 0)
def get_op_name_len(info: int, info_len: int, index: int) -> tuple[int, int]:
    """(bytes with the end mark, ret)."""
    return len(_text(info, info_len, index, OP_NAME).encode()) + 1, 0


def _number(info: int, info_len: int, index: int, field: int) -> int:
    """A field of a record; 0 without one, for these functions have no code to give."""
    try:
        return int(_record(info, info_len, index)[field])
    except AclFault:
        return 0


@function("acl.prof.get_op_start", "KKI")
def get_op_start(info: int, info_len: int, index: int) -> int:
    """Nanoseconds."""
    return _number(info, info_len, index, 1)


@function("acl.prof.get_op_end", "KKI")
def get_op_end(info: int, info_len: int, index: int) -> int:
    """Nanoseconds."""
    return _number(info, info_len, index, 2)


@function("acl.prof.get_op_duration", "KKI")
def get_op_duration(info: int, info_len: int, index: int) -> int:
    """Nanoseconds."""
    return _number(info, info_len, index, 2) - _number(info, info_len, index, 1)


@function("acl.prof.get_model_id", "KKI")
def get_model_id(info: int, info_len: int, index: int) -> int:
    """The model that ran the operator."""
    return _number(info, info_len, index, 0)


# Steps


@function("acl.prof.create_step_info")
def create_step_info() -> int:
    """An object for the stamps of one iteration."""
    handle = new_handle()
    _STEPS[handle] = 0
    return handle


@function("acl.prof.destroy_step_info", "K")
def destroy_step_info(step_info: int) -> None:
    """Null is a no-op."""
    _STEPS.pop(step_info, None)


def _step(text: str) -> None:
    now = time.perf_counter_ns()
    profiling.stamp("step", text, now, now)


@function("acl.prof.get_step_timestamp", "KiK")
def get_step_timestamp(step_info: int, tag: int, stream: int) -> int:
    """Notes the time at which the stream begins (0) or ends (1) a step."""
    seen: int = _find(_STEPS, "step_info", step_info)
    if tag not in (0, 1) or seen & 1 << tag:
        raise invalid("tag", tag, "must be 0 or 1, each once")
    _STEPS[step_info] = seen | 1 << tag
    streams.enqueue(contexts.stream_for(stream), _step, ("end" if tag else "start",))
    return 0


# Stamps


@function("acl.prof.create_stamp")
def create_stamp() -> int:
    """An object that carries a message."""
    handle = new_handle()
    _STAMPS[handle] = _Stamp()
    return handle


@function("acl.prof.destroy_stamp", "K")
def destroy_stamp(stamp: int) -> None:
    """Null is a no-op."""
    _STAMPS.pop(stamp, None)


@function("acl.prof.set_stamp_trace_message", "KsI")
def set_stamp_trace_message(stamp: int, msg: str, msg_len: int) -> int:
    """What the stamp stands for, up to 127 bytes."""
    found: _Stamp = _find(_STAMPS, "stamp", stamp)
    if not 0 < msg_len <= MAX_MESSAGE:
        raise invalid("msg_len", msg_len, f"must be in [1, {MAX_MESSAGE}]")
    found.message = msg.encode()[:msg_len].decode("utf-8", "ignore")
    return 0


@function("acl.prof.mark", "K")
def mark(stamp: int) -> int:
    """Notes the time of the call."""
    found: _Stamp = _find(_STAMPS, "stamp", stamp)
    now = time.perf_counter_ns()
    profiling.stamp("mark", found.message, now, now)
    return 0


def _mark_on_stream(message: str) -> None:
    now = time.perf_counter_ns()
    profiling.stamp("mark_ex", message, now, now)


@function("acl.prof.mark_ex", "sK")
def mark_ex(msg: str, stream: int) -> int:
    """Notes when the stream comes to this place."""
    if not 0 < len(msg.encode()) <= MAX_MESSAGE:
        raise invalid("msg", msg, f"must have 1 to {MAX_MESSAGE} bytes")
    streams.enqueue(contexts.stream_for(stream), _mark_on_stream, (msg,))
    return 0


@function("acl.prof.push", "K")
def push(stamp: int) -> int:
    """Begins a range of the calling thread; ranges nest."""
    _LOCAL.stack.append((_find(_STAMPS, "stamp", stamp), time.perf_counter_ns()))
    return 0


@function("acl.prof.pop")
def pop() -> int:
    """Ends the innermost range of the calling thread."""
    if not _LOCAL.stack:
        raise invalid("stamp", 0, "no stamp was pushed in this thread")
    found, began = _LOCAL.stack.pop()
    profiling.stamp("push", found.message, began, time.perf_counter_ns())
    return 0


@function("acl.prof.range_start", "K", 0)
def range_start(stamp: int) -> tuple[int, int]:
    """(range, ret); any thread may end it."""
    found: _Stamp = _find(_STAMPS, "stamp", stamp)
    handle = new_handle() & 0xFFFFFFFF
    _RANGES[handle] = found, time.perf_counter_ns()
    return handle, 0


@function("acl.prof.range_stop", "I")
def range_stop(range_id: int) -> int:
    """Ends a range."""
    entry = _RANGES.pop(range_id, None)
    if entry is None:
        raise invalid("range_id", range_id, "is no open range")
    profiling.stamp("range", entry[0].message, entry[1], time.perf_counter_ns())
    return 0
