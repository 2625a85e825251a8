"""``acl.rt``: attributes and limits of streams, timeouts, and what only other products have on streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .engine import AclFault, contexts, errors_log, streams
from .engine.absent import absent
from .engine.arguments import function, invalid, null, refuse
from .engine.tables import EVENTS, HANDLE_BASE, HANDLE_STEP, LOCAL, ON_NEW_PROCESS, Stream
from .rt_device import RESOURCES, device_limit

__all__ = [
    "allocator_create_desc",
    "allocator_destroy_desc",
    "allocator_register",
    "allocator_set_alloc_advise_func_to_desc",
    "allocator_set_alloc_func_to_desc",
    "allocator_set_free_func_to_desc",
    "allocator_set_get_addr_from_block_func_to_desc",
    "allocator_set_obj_to_desc",
    "allocator_unregister",
    "create_notify",
    "destroy_notify",
    "get_event_avail_num",
    "get_event_id",
    "get_notify_id",
    "get_op_execute_timeout",
    "get_op_timeout_interval",
    "get_res_in_current_thread",
    "get_stream_attribute",
    "get_stream_overflow_switch",
    "get_stream_res_limit",
    "get_thread_last_task_id",
    "notify_batch_reset",
    "notify_get_export_key",
    "notify_import_by_key",
    "notify_set_import_pid",
    "record_notify",
    "reset_stream_res_limit",
    "set_op_execute_time_out",
    "set_op_execute_timeout_v2",
    "set_op_wait_timeout",
    "set_stream_attribute",
    "set_stream_overflow_switch",
    "set_stream_res_limit",
    "unuse_stream_res_in_current_thread",
    "use_stream_res_in_current_thread",
    "wait_and_reset_notify",
]

PARAM_INVALID: Final = 107000
UNSUPPORTED: Final = 207000
LONGEST_EXECUTION_S: Final = 1091
"""Default, and largest, time of one operator on A2 and A3."""
INTERVAL_US: Final = 1_000_000
FAILURE_MODE, OVERFLOW, TAG, OP_INFO, PRIORITY = range(1, 6)  # aclrtStreamAttr
_ATTRIBUTE_KEYS: Final = {FAILURE_MODE: "failureMode", OVERFLOW: "overflowSwitch", TAG: "userCustomTag"}


class Timeouts:
    """What the program set, in microseconds."""

    execute_us = LONGEST_EXECUTION_S * 1_000_000


class _Chosen:
    """Per stream handle."""

    attributes: Final[dict[tuple[int, int], int]] = {}
    limits: Final[dict[tuple[int, int], int]] = {}


def _forget() -> None:
    Timeouts.execute_us = LONGEST_EXECUTION_S * 1_000_000
    _Chosen.attributes.clear()
    _Chosen.limits.clear()


ON_NEW_PROCESS.append(_forget)


# Attributes


def set_failure_mode(stream: Stream, mode: int) -> None:
    """1 stops the whole context at the first failure, for good (RT-46). Only the last bit counts, and saying the same again changes
    nothing (hicann/runtime, ``api_impl.cc``, ``StreamSetMode``)."""
    mode &= 1
    if stream.failure_mode and not mode:
        raise AclFault(UNSUPPORTED, f"stream {stream.identifier} stops at a failure; it can't be told to go on again", "EE1016")
    stream.failure_mode = mode
    if mode:
        stream.context.stop = True


@function("acl.rt.set_stream_overflow_switch", "KI")
def set_stream_overflow_switch(stream: int, flag: int) -> int:
    """Kept and handed out; with infinities and NaN nothing overflows."""
    if flag not in (0, 1):
        raise invalid("flag", flag, "must be 0 or 1", PARAM_INVALID)
    _Chosen.attributes[contexts.stream_for(stream).handle, OVERFLOW] = flag
    return 0


@function("acl.rt.get_stream_overflow_switch", "K", 0)
def get_stream_overflow_switch(stream: int) -> tuple[int, int]:
    """(0 off or 1 on, ret)."""
    return _Chosen.attributes.get((contexts.stream_for(stream).handle, OVERFLOW), 0), 0


@function("acl.rt.set_stream_attribute", "KiO")
def set_stream_attribute(stream: int, attr_type: int, value: Any) -> int:
    """Failure mode (1), overflow switch (2) or a tag of the program's own (3), under the key of that name; 0 without it."""
    if not isinstance(value, dict):
        raise TypeError("the aclrtStreamAttrValue argument is not dict")
    found = contexts.stream_for(stream)
    key = _ATTRIBUTE_KEYS.get(attr_type)
    if key is None or not isinstance(value.get(key, 0), int):
        raise invalid("attr_type", attr_type, "must be in [1, 3], with an int", PARAM_INVALID)
    if attr_type == FAILURE_MODE:
        set_failure_mode(found, value.get(key, 0))
    else:
        _Chosen.attributes[found.handle, attr_type] = value.get(key, 0) & 0xFFFFFFFF
    return 0


@function("acl.rt.get_stream_attribute", "Ki")
def get_stream_attribute(stream: int, attr_type: int) -> Any:
    """(``{name: value}``, ret); on failure the value is 0."""
    key = _ATTRIBUTE_KEYS.get(attr_type)
    try:
        found = contexts.stream_for(stream)
        if key is None:
            raise invalid("attr_type", attr_type, "must be in [1, 3]", PARAM_INVALID)
    except AclFault as fault:
        errors_log.failed("acl.rt.get_stream_attribute", fault.code, fault.text, fault.label)
        return {"reserved": [0, 0, 0, 0]} if key is None else {key: 0}, fault.code
    if attr_type == FAILURE_MODE:
        return {key: found.failure_mode or 0}, 0
    return {key: _Chosen.attributes.get((found.handle, attr_type), 0)}, 0


# Core limits


def _check_resource(res_type: int) -> None:
    if res_type not in RESOURCES:
        raise invalid("res_type", res_type, "must be 0 (cube cores) or 1 (vector cores)", PARAM_INVALID)


def _limit(stream: Stream, res_type: int) -> int:
    return _Chosen.limits.get((stream.handle, res_type), device_limit(stream.device, res_type))


@function("acl.rt.get_stream_res_limit", "Ki", 0)
def get_stream_res_limit(stream: int, res_type: int) -> tuple[int, int]:
    """(cores, ret): the device's until the stream has a limit of its own."""
    found = contexts.stream_for(stream)
    _check_resource(res_type)
    return _limit(found, res_type), 0


@function("acl.rt.set_stream_res_limit", "KiI")
def set_stream_res_limit(stream: int, res_type: int, value: int) -> int:
    """Kept and handed out; the simulator has no cores to save."""
    found = contexts.stream_for(stream)
    _check_resource(res_type)
    if not 0 < value <= RESOURCES[res_type]:
        raise invalid("value", value, f"must be in [1, {RESOURCES[res_type]}]", PARAM_INVALID)
    _Chosen.limits[found.handle, res_type] = value
    return 0


@function("acl.rt.reset_stream_res_limit", "K")
def reset_stream_res_limit(stream: int) -> int:
    """The device's limits again."""
    found = contexts.stream_for(stream)
    for res_type in RESOURCES:
        _Chosen.limits.pop((found.handle, res_type), None)
    return 0


@function("acl.rt.use_stream_res_in_current_thread", "K")
def use_stream_res_in_current_thread(stream: int) -> int:
    """Which stream's limits ``get_res_in_current_thread`` tells."""
    vars(LOCAL)["limits_of"] = contexts.stream_for(stream)
    return 0


@function("acl.rt.unuse_stream_res_in_current_thread", "K")
def unuse_stream_res_in_current_thread(stream: int) -> int:
    """The device's limits again."""
    contexts.stream_for(stream)
    vars(LOCAL).pop("limits_of", None)
    return 0


@function("acl.rt.get_res_in_current_thread", "i", 0)
def get_res_in_current_thread(res_type: int) -> tuple[int, int]:
    """(cores, ret)."""
    _check_resource(res_type)
    chosen = vars(LOCAL).get("limits_of")
    return device_limit(contexts.current().device, res_type) if chosen is None else _limit(chosen, res_type), 0


# Numbers


@function("acl.rt.get_event_id", "K", 0)
def get_event_id(event: int) -> tuple[int, int]:
    """(number, ret)."""
    return (contexts.event_for(event).handle - HANDLE_BASE) // HANDLE_STEP & 0xFFFF, 0


@function("acl.rt.get_event_avail_num", "", 0)
def get_event_avail_num() -> tuple[int, int]:
    """(events that the current device can still make, ret)."""
    device = contexts.current().device
    return contexts.Settings.most_events - sum(1 for event in list(EVENTS.values()) if event.device == device), 0


get_thread_last_task_id = absent("acl.rt.get_thread_last_task_id", "", 0)


# Timeouts


@function("acl.rt.set_op_wait_timeout", "I")
def set_op_wait_timeout(seconds: int) -> int:
    """How long the waits of ``stream_wait_event`` from now on may take, 0 for ever; 107020 comes out at the next synchronising call."""
    streams.Hooks.wait_limit = float(seconds)
    return 0


def _set_execution(microseconds: int) -> int:
    longest = LONGEST_EXECUTION_S * 1_000_000
    steps = -(-microseconds // INTERVAL_US) * INTERVAL_US
    Timeouts.execute_us = min(steps, longest) or longest
    return Timeouts.execute_us


@function("acl.rt.set_op_execute_time_out", "I")
def set_op_execute_time_out(seconds: int) -> int:
    """How long an operator may run, 0 for the longest time there is. Kept without effect: NumPy's times say nothing of a chip's."""
    _set_execution(seconds * 1_000_000)
    return 0


@function("acl.rt.set_op_execute_timeout_v2", "K", 0)
def set_op_execute_timeout_v2(microseconds: int) -> tuple[int, int]:
    """(microseconds that it became, rounded up to whole intervals, ret)."""
    return _set_execution(microseconds), 0


@function("acl.rt.get_op_timeout_interval", "", 0)
def get_op_timeout_interval() -> tuple[int, int]:
    """(microseconds between two possible timeouts, ret)."""
    return INTERVAL_US, 0


@function("acl.rt.get_op_execute_timeout", "", 0)
def get_op_execute_timeout() -> tuple[int, int]:
    """(milliseconds, ret)."""
    return Timeouts.execute_us // 1000, 0


# Notifications between chips, and allocators of the program's own, which only other products have


create_notify = absent("acl.rt.create_notify", "K", 0)
destroy_notify = absent("acl.rt.destroy_notify", "K")
record_notify = absent("acl.rt.record_notify", "KK")
get_notify_id = absent("acl.rt.get_notify_id", "K", 0)
notify_batch_reset = absent("acl.rt.notify_batch_reset", "l", refusal=ValueError("argument only support the format of list"))
notify_get_export_key = absent("acl.rt.notify_get_export_key", "KKK", "")
notify_set_import_pid = absent("acl.rt.notify_set_import_pid", "Kl")
notify_import_by_key = absent("acl.rt.notify_import_by_key", "sK", 0)


@function("acl.rt.wait_and_reset_notify", "KKL")
def wait_and_reset_notify(notify: int, stream: int, timeout_seconds: int) -> int:
    """A feature that the simulated product lacks; the binding itself refuses a timeout of more than 32 bits."""
    if timeout_seconds < 0:
        raise TypeError("timeout can't be a negative number!")
    if timeout_seconds >= 1 << 32:
        raise TypeError("timeout should be less than 2**32!")
    raise AclFault(207000, "the simulated product has no notifications", "EH0006")


@function("acl.rt.allocator_create_desc")
def allocator_create_desc() -> int:
    """0: the simulated product takes no allocators."""
    return 0


allocator_destroy_desc = absent("acl.rt.allocator_destroy_desc", "K")
allocator_set_obj_to_desc = absent("acl.rt.allocator_set_obj_to_desc", "KO")
allocator_register = absent("acl.rt.allocator_register", "KK")
allocator_unregister = absent("acl.rt.allocator_unregister", "K")


def _takes_callable(name: str) -> Callable[..., Any]:
    """A setter of one of an allocator's functions."""

    def call(desc: int, fn: Any) -> int:
        if not callable(fn):
            refuse(name)
        if desc == 0:
            raise null("desc")
        raise AclFault(207000, "the simulated product takes no allocators", "EH0006")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = "A feature that the simulated product lacks."
    return function(name, "KO")(call)


allocator_set_alloc_func_to_desc = _takes_callable("acl.rt.allocator_set_alloc_func_to_desc")
allocator_set_free_func_to_desc = _takes_callable("acl.rt.allocator_set_free_func_to_desc")
allocator_set_alloc_advise_func_to_desc = _takes_callable("acl.rt.allocator_set_alloc_advise_func_to_desc")
allocator_set_get_addr_from_block_func_to_desc = _takes_callable("acl.rt.allocator_set_get_addr_from_block_func_to_desc")
