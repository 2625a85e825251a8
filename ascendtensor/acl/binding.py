"""One typed function per pyACL call that the library makes.

How this differs from pyACL:

- A non-zero return code becomes an exception (`errors.AclError` or a kind of it) that carries the function, the code and its name, ACL's
  own recent message (read, and so cleared, RT-50) and advice. What is returned is the result without the code: `malloc` gives the
  address, `get_mem_info` gives `(free, total)`, setters and actions give None.
- The creators that answer a bare handle (`create_tensor_desc`, `create_data_buffer`, `create_attr`, PY-6) raise when it is 0.
- `init` gives True when this call initialised ACL and False when somebody else had (code 100002): then never `finalize`.
- The queries answer bool, True for finished. pyACL numbers them in opposite ways: `stream_query`, `query_event` and
  `query_event_wait_status` say 0 for finished, `query_event_status` says 1 (GEN-4).
- `peek_at_last_error` and `get_last_error` give the pending code of this thread; it is their result, not their failure (RT-49).
- `op.load` and `op.cast` are `op_load` and `op_cast` here, the rest of `acl.op` has its own names; the products of `acl.blas` are called
  by name (`blas`, `create_blas_handle`); `bytes_to_ptr` and `ptr_to_bytes` are those of `acl.util`.
- `get_tensor_desc_dims` and `take_tensor_desc_dims` are ours: all dims at once, as a tuple. So is `create_reusable_event`.
- Every call is logged at DEBUG to the logger `ascendtensor.acl` while that logger is enabled (decided by `use` and `log_calls`), except
  `execute_with_handle` and `execute_v2`, which are the raw call and one test.

Unchanged: arguments are positional in pyACL's order and of the exact types it takes, plain int (never numpy's), list (never tuple), 0 for
the default stream (PY-3, PY-4, PY-5), and nothing is freed by garbage collection (PY-1).

The module is looked up at each call, so a function replaced inside it (a test's fault, a tracer) is the one that runs. Nothing here
touches a device when it is imported.
"""

import logging
from collections.abc import Callable
from typing import NoReturn, cast

from ascendtensor import errors
from ascendtensor.acl.advice import advice_for
from ascendtensor.acl.module import Acl, AclOp, AclRt, AclUtil, Ints

logger = logging.getLogger("ascendtensor.acl")

OK = 0
REPEAT_INITIALIZE = 100002
REPORT_TIMEOUT = 507012
NOT_SUPPORTED = 207000
UNKNOWN_RANK_DIMS = 0xFFFFFFFFFFFFFFFE
"""What num_dims answers for a description of unknown rank (TD-8)."""


class _NotChosen:
    """Stands where the module will be, until `use` was called."""

    def __getattr__(self, name: str) -> NoReturn:
        raise errors.BackendError(f"acl.{name}: no pyACL module is in use yet", advice="Call ascendtensor.acl.binding.use(module) first.")


_acl: Acl = cast(Acl, _NotChosen())
_rt: AclRt = cast(AclRt, _NotChosen())
_op: AclOp = cast(AclOp, _NotChosen())
_util: AclUtil = cast(AclUtil, _NotChosen())
_logged = False


def use(module: Acl) -> None:
    """Makes `module` the one that every function of this file calls. It is not called itself."""
    global _acl, _rt, _op, _util
    _acl, _rt, _op, _util = module, module.rt, module.op, module.util
    log_calls()


def interpose(module: Acl) -> Acl:
    """Puts `module`, which hands calls on to the one in use, in its place; gives the one before. Logging stays as it is."""
    global _acl, _rt, _op, _util
    before = _acl
    _acl, _rt, _op, _util = module, module.rt, module.op, module.util
    return before


def module() -> Acl:
    """The module in use: CANN's `acl` or the simulator.

    Raises:
        BackendError: `use` was not called yet.
    """
    if isinstance(_acl, _NotChosen):
        raise errors.BackendError("no pyACL module is in use yet", advice="The first use of a device chooses one; see chooser.choose.")
    return _acl


def log_calls(enabled: bool | None = None) -> bool:
    """Whether calls are logged at DEBUG. Without an argument it follows the level of the logger `ascendtensor.acl` of this moment."""
    global _logged
    _logged = logger.isEnabledFor(logging.DEBUG) if enabled is None else enabled
    return _logged


def fail(code: int, function: str) -> NoReturn:
    """Raises the error for a non-zero `code` that `function` answered."""
    raise errors.from_acl(function, code, _acl.get_recent_err_msg() or "", advice=advice_for(code, function))


def _check(code: int, function: str, *args: object) -> None:
    if _logged:
        logger.debug("%s(%s) -> %d", function, ", ".join(map(repr, args)), code)
    if code:
        fail(code, function)


def _handle(handle: int, function: str, *args: object) -> int:
    if _logged:
        logger.debug("%s(%s) = %d", function, ", ".join(map(repr, args)), handle)
    if not handle:
        fail(200000, function)
    return handle


# The process


def init(config: str = "") -> bool:
    """Initialises ACL from the JSON file `config`, "" for defaults (RT-1). True when we own it, False when somebody else does."""
    code = _acl.init(config) if config else _acl.init()
    if code == REPEAT_INITIALIZE:
        _check(OK, "acl.init", config)
        _acl.get_recent_err_msg()  # the message of the harmless refusal must not be blamed on a later call (RT-50)
        return False
    _check(code, "acl.init", config)
    return True


def finalize() -> None:
    """Tears ACL down, whatever the number of `init` calls (RT-6)."""
    _check(_acl.finalize(), "acl.finalize")


def get_version() -> tuple[int, int, int]:
    """Version of the acl interface, not of CANN."""
    major, minor, patch, code = _acl.get_version()
    _check(code, "acl.get_version")
    return major, minor, patch


def get_soc_name() -> str:
    """Name of the chip, such as "Ascend910B1"; "" when there is none."""
    return _acl.get_soc_name() or ""


def get_recent_err_msg() -> str:
    """ACL's last messages of this thread, newest first, "" when there is none; reading clears them (RT-50)."""
    return _acl.get_recent_err_msg() or ""


# Tensor descriptions


def create_tensor_desc(data_type: int, dims: Ints, format: int) -> int:
    return _handle(_acl.create_tensor_desc(data_type, dims, format), "acl.create_tensor_desc", data_type, dims, format)


def destroy_tensor_desc(desc: int) -> None:
    _acl.destroy_tensor_desc(desc)
    _check(OK, "acl.destroy_tensor_desc", desc)


def get_tensor_desc_type(desc: int) -> int:
    return _acl.get_tensor_desc_type(desc)


def get_tensor_desc_format(desc: int) -> int:
    """The origin format; the storage format can't be read (TD-5)."""
    return _acl.get_tensor_desc_format(desc)


def get_tensor_desc_size(desc: int) -> int:
    """Bytes of the described tensor; 0 while a dim is unknown (TD-6)."""
    return _acl.get_tensor_desc_size(desc)


def get_tensor_desc_num_dims(desc: int) -> int:
    """Number of dims; `UNKNOWN_RANK_DIMS` for unknown rank (TD-8)."""
    return _acl.get_tensor_desc_num_dims(desc)


def get_tensor_desc_dim_v2(desc: int, index: int) -> int:
    dim, code = _acl.get_tensor_desc_dim_v2(desc, index)
    _check(code, "acl.get_tensor_desc_dim_v2", desc, index)
    return dim


def get_tensor_desc_dims(desc: int) -> tuple[int, ...]:
    """All dims, as after `execute_v2` of a dynamic model or after `infer_shape`; `(-2,)` for unknown rank."""
    count = _acl.get_tensor_desc_num_dims(desc)
    return (-2,) if count == UNKNOWN_RANK_DIMS else tuple([get_tensor_desc_dim_v2(desc, i) for i in range(count)])


def take_tensor_desc_dims(desc: int, bound: Ints) -> tuple[int, ...]:
    """Dims of known rank that `execute_v2` has written, as a tuple; the description is set back to its upper bound (OP-13)."""
    dims = []
    for index in range(len(bound)):
        dim, code = _acl.get_tensor_desc_dim_v2(desc, index)
        if code or _logged:
            _check(code, "acl.get_tensor_desc_dim_v2", desc, index)
        dims.append(dim)
    code = _acl.set_tensor_origin_shape(desc, bound)
    if code or _logged:
        _check(code, "acl.set_tensor_origin_shape", desc, bound)
    return tuple(dims)


def get_tensor_desc_dim_range(desc: int, index: int) -> tuple[int, int]:
    """`(low, high)` of a dim that has a range; high -1 means no limit (TD-10, TD-15)."""
    limits, code = _acl.get_tensor_desc_dim_range(desc, index, 2)
    _check(code, "acl.get_tensor_desc_dim_range", desc, index, 2)
    low, high = limits or (0, -1)
    return low, high


def set_tensor_const(desc: int, address: int, size: int) -> None:
    """Makes the input a constant of the `size` bytes at the host address; they are copied at once (TD-17)."""
    _check(_acl.set_tensor_const(desc, address, size), "acl.set_tensor_const", desc, address, size)


def set_tensor_shape_range(desc: int, ranges: list[Ints]) -> None:
    """One `[low, high]` a dim, high -1 for no limit (TD-14, TD-15)."""
    _check(_acl.set_tensor_shape_range(desc, ranges), "acl.set_tensor_shape_range", desc, ranges)


def set_tensor_place_ment(desc: int, placement: int) -> None:
    """Where the buffer given at execution lies, `codes.Placement` (TD-19). The spelling is pyACL's."""
    _check(_acl.set_tensor_place_ment(desc, placement), "acl.set_tensor_place_ment", desc, placement)


def set_tensor_desc_name(desc: int, name: str) -> None:
    """Name for `infer_shape` (INF-6); it takes no part in matching (TD-11)."""
    _acl.set_tensor_desc_name(desc, name)
    _check(OK, "acl.set_tensor_desc_name", desc, name)


def set_tensor_dynamic_input(desc: int, name: str) -> None:
    """Marks the description as a member of the repeated input `name`; members are consecutive (TD-20)."""
    _check(_acl.set_tensor_dynamic_input(desc, name), "acl.set_tensor_dynamic_input", desc, name)


# Data buffers


def create_data_buffer(address: int, size: int) -> int:
    return _handle(_acl.create_data_buffer(address, size), "acl.create_data_buffer", address, size)


def get_data_buffer_addr(buffer: int) -> int:
    return _acl.get_data_buffer_addr(buffer)


def destroy_data_buffer(buffer: int) -> None:
    """Destroys the buffer object; the memory behind it stays (DB-3)."""
    _check(_acl.destroy_data_buffer(buffer), "acl.destroy_data_buffer", buffer)


def update_data_buffer(buffer: int, address: int, size: int) -> None:
    _check(_acl.update_data_buffer(buffer, address, size), "acl.update_data_buffer", buffer, address, size)


# acl.rt: devices and contexts


def set_device(device_id: int) -> None:
    """Makes the device's primary context current in this thread, and counts the use (RT-10, RT-12)."""
    _check(_rt.set_device(device_id), "acl.rt.set_device", device_id)


def reset_device(device_id: int) -> None:
    """Takes one use back; the last one releases the device's primary context (RT-12)."""
    _check(_rt.reset_device(device_id), "acl.rt.reset_device", device_id)


def get_device() -> int:
    device_id, code = _rt.get_device()
    _check(code, "acl.rt.get_device")
    return device_id


def get_device_count() -> int:
    count, code = _rt.get_device_count()
    _check(code, "acl.rt.get_device_count")
    return count


def get_run_mode() -> int:
    """`codes.RunMode`: HOST (1) beside a card, DEVICE (0) on the board (RT-15)."""
    mode, code = _rt.get_run_mode()
    _check(code, "acl.rt.get_run_mode")
    return mode


def device_can_access_peer(device_id: int, peer_device_id: int) -> bool:
    """Whether the one can be given access to the other's memory (RT-42)."""
    flag, code = _rt.device_can_access_peer(device_id, peer_device_id)
    _check(code, "acl.rt.device_can_access_peer", device_id, peer_device_id)
    return flag == 1


def create_context(device_id: int) -> int:
    context, code = _rt.create_context(device_id)
    _check(code, "acl.rt.create_context", device_id)
    return context


def destroy_context(context: int) -> None:
    _check(_rt.destroy_context(context), "acl.rt.destroy_context", context)


def set_context(context: int) -> None:
    """Makes the context current in this thread (PY-19)."""
    _check(_rt.set_context(context), "acl.rt.set_context", context)


def get_context() -> int:
    """The context that is current in this thread."""
    context, code = _rt.get_context()
    _check(code, "acl.rt.get_context")
    return context


def synchronize_device() -> None:
    _check(_rt.synchronize_device(), "acl.rt.synchronize_device")


def synchronize_device_with_timeout(timeout_ms: int) -> None:
    """-1 waits for ever, 0 is refused (RT-24)."""
    _check(_rt.synchronize_device_with_timeout(timeout_ms), "acl.rt.synchronize_device_with_timeout", timeout_ms)


# acl.rt: streams


def create_stream() -> int:
    stream, code = _rt.create_stream()
    _check(code, "acl.rt.create_stream")
    return stream


def create_stream_with_config(priority: int, flag: int) -> int:
    """Flag bits: 1 fast launch, 2 fast synchronise."""
    stream, code = _rt.create_stream_with_config(priority, flag)
    _check(code, "acl.rt.create_stream_with_config", priority, flag)
    return stream


def device_get_stream_priority_range() -> tuple[int, int]:
    """The least and the greatest priority of streams of the current device."""
    least, greatest, code = _rt.device_get_stream_priority_range()
    _check(code, "acl.rt.device_get_stream_priority_range")
    return least, greatest


def destroy_stream(stream: int) -> None:
    """Waits for the stream's work and destroys it (RT-22)."""
    _check(_rt.destroy_stream(stream), "acl.rt.destroy_stream", stream)


def synchronize_stream(stream: int) -> None:
    """Waits for the stream; an error of its queued work is raised here (RT-45)."""
    _check(_rt.synchronize_stream(stream), "acl.rt.synchronize_stream", stream)


def synchronize_stream_with_timeout(stream: int, timeout_ms: int) -> None:
    """-1 waits for ever, 0 is refused; 507046 when the time is over, and the work goes on (RT-24)."""
    _check(_rt.synchronize_stream_with_timeout(stream, timeout_ms), "acl.rt.synchronize_stream_with_timeout", stream, timeout_ms)


def stream_query(stream: int) -> bool:
    """True when everything queued on the stream is done (RT-25)."""
    status, code = _rt.stream_query(stream)
    _check(code, "acl.rt.stream_query", stream)
    return status == 0


def stream_wait_event(stream: int, event: int) -> None:
    """Stream first, unlike `record_event`."""
    _check(_rt.stream_wait_event(stream, event), "acl.rt.stream_wait_event", stream, event)


def set_stream_failure_mode(stream: int, mode: int) -> None:
    """Mode 1 stops the context's streams at the first failed task (RT-46)."""
    _check(_rt.set_stream_failure_mode(stream, mode), "acl.rt.set_stream_failure_mode", stream, mode)


# acl.rt: callbacks


def subscribe_report(thread_id: int, stream: int) -> None:
    """Callbacks of the stream run in that thread, inside its `process_report` (CB-1); a stream has one such thread (K67)."""
    _check(_rt.subscribe_report(thread_id, stream), "acl.rt.subscribe_report", thread_id, stream)


def unsubscribe_report(thread_id: int, stream: int) -> None:
    _check(_rt.unsubscribe_report(thread_id, stream), "acl.rt.unsubscribe_report", thread_id, stream)


def launch_callback(fn: Callable[[object], None], user_data: object, block_type: int, stream: int) -> None:
    """Queues `fn(user_data)`; with block type 1 later work waits for it, with 0 not (CB-4). It may not raise (PY-18)."""
    _check(_rt.launch_callback(fn, user_data, block_type, stream), "acl.rt.launch_callback", fn, user_data, block_type, stream)


def process_report(timeout_ms: int) -> bool:
    """Runs the callbacks of this thread that are due. False when none came in time; -1 waits for ever, 0 is refused (CB-5)."""
    code = _rt.process_report(timeout_ms)
    if code == REPORT_TIMEOUT:
        _acl.get_recent_err_msg()  # no failure
        return False
    _check(code, "acl.rt.process_report", timeout_ms)
    return True


# acl.rt: events


def create_event() -> int:
    """An event that times and orders (EV-1)."""
    event, code = _rt.create_event()
    _check(code, "acl.rt.create_event")
    return event


def create_event_with_flag(flag: int) -> int:
    """`codes.EventFlag` bits; 0 is refused (EV-1)."""
    event, code = _rt.create_event_with_flag(flag)
    _check(code, "acl.rt.create_event_with_flag", flag)
    return event


def create_event_ex_with_flag(flag: int) -> int:
    """An event of the new mode: recorded again without reset, complete before its first record (EV-3)."""
    event, code = _rt.create_event_ex_with_flag(flag)
    _check(code, "acl.rt.create_event_ex_with_flag", flag)
    return event


def create_reusable_event(flag: int) -> int:
    """An event that may be recorded again without reset: of the new mode, or of `create_event` where pyACL or the driver lacks that.

    An event of `create_event_with_flag` may not: its flag stays up until `reset_event`, and waits for a later record pass it (EV-5).
    """
    if not hasattr(_rt, "create_event_ex_with_flag"):
        return create_event()
    event, code = _rt.create_event_ex_with_flag(flag)
    if code == NOT_SUPPORTED:
        _acl.get_recent_err_msg()  # no failure
        return create_event()
    _check(code, "acl.rt.create_event_ex_with_flag", flag)
    return event


def destroy_event(event: int) -> None:
    _check(_rt.destroy_event(event), "acl.rt.destroy_event", event)


def record_event(event: int, stream: int) -> None:
    """Event first, unlike `stream_wait_event`."""
    _check(_rt.record_event(event, stream), "acl.rt.record_event", event, stream)


def reset_event(event: int, stream: int) -> None:
    _check(_rt.reset_event(event, stream), "acl.rt.reset_event", event, stream)


def query_event(event: int) -> bool:
    """True when the recorded work is done; old events also before any record (EV-3)."""
    status, code = _rt.query_event(event)
    _check(code, "acl.rt.query_event", event)
    return status == 0


def query_event_status(event: int) -> bool:
    """True when the recorded work is done; before any record False for old events, True for new-mode ones (EV-3)."""
    status, code = _rt.query_event_status(event)
    _check(code, "acl.rt.query_event_status", event)
    return status == 1


def query_event_wait_status(event: int) -> bool:
    """True when every `stream_wait_event` on it is over."""
    status, code = _rt.query_event_wait_status(event)
    _check(code, "acl.rt.query_event_wait_status", event)
    return status == 0


def synchronize_event(event: int) -> None:
    _check(_rt.synchronize_event(event), "acl.rt.synchronize_event", event)


def synchronize_event_with_timeout(event: int, timeout_ms: int) -> None:
    """-1 waits for ever, 0 is refused; 507047 when the time is over (EV-7)."""
    _check(_rt.synchronize_event_with_timeout(event, timeout_ms), "acl.rt.synchronize_event_with_timeout", event, timeout_ms)


def event_elapsed_time(start: int, end: int) -> float:
    """Milliseconds from `start` to `end` (EV-6)."""
    milliseconds, code = _rt.event_elapsed_time(start, end)
    _check(code, "acl.rt.event_elapsed_time", start, end)
    return milliseconds


# acl.rt: memory


def malloc(size: int, policy: int) -> int:
    """Device memory, 64-byte aligned, with 32 bytes of slack behind the padded size (RT-29)."""
    if size >> 63:  # a tensor of huge shape would get a few bytes
        raise errors.OutOfDeviceMemoryError(acl_message="it was not called, since it takes sizes modulo 2**64")
    address, code = _rt.malloc(size, policy)
    _check(code, "acl.rt.malloc", size, policy)
    return address


def malloc_align32(size: int, policy: int) -> int:
    """Device memory without the slack (RT-29)."""
    address, code = _rt.malloc_align32(size, policy)
    _check(code, "acl.rt.malloc_align32", size, policy)
    return address


def malloc_host(size: int) -> int:
    """Pinned host memory; on a board (run mode DEVICE) device memory (RT-15, RT-30)."""
    address, code = _rt.malloc_host(size)
    _check(code, "acl.rt.malloc_host", size)
    return address


def free(address: int) -> None:
    """Frees device memory at once, waiting for no stream (RT-32)."""
    _check(_rt.free(address), "acl.rt.free", address)


def free_host(address: int) -> None:
    _check(_rt.free_host(address), "acl.rt.free_host", address)


def memcpy(dst: int, dst_max: int, src: int, count: int, kind: int) -> None:
    """Copies now, waiting for no stream (RT-37). `codes.MemcpyKind`."""
    _check(_rt.memcpy(dst, dst_max, src, count, kind), "acl.rt.memcpy", dst, dst_max, src, count, kind)


def memcpy_async(dst: int, dst_max: int, src: int, count: int, kind: int, stream: int) -> None:
    """Queues a copy; pinned host memory stays untouched until it ran (RT-39)."""
    code = _rt.memcpy_async(dst, dst_max, src, count, kind, stream)
    _check(code, "acl.rt.memcpy_async", dst, dst_max, src, count, kind, stream)


def memcpy2d(dst: int, dst_pitch: int, src: int, src_pitch: int, width: int, height: int, kind: int) -> None:
    """Copies `height` pieces of `width` bytes now, which lie a pitch apart, waiting for no stream (RT-37)."""
    code = _rt.memcpy2d(dst, dst_pitch, src, src_pitch, width, height, kind)
    _check(code, "acl.rt.memcpy2d", dst, dst_pitch, src, src_pitch, width, height, kind)


def memset(address: int, max_count: int, value: int, count: int) -> None:
    """Writes the low byte of `value` `count` times, now (RT-43)."""
    _check(_rt.memset(address, max_count, value, count), "acl.rt.memset", address, max_count, value, count)


def memset_async(address: int, max_count: int, value: int, count: int, stream: int) -> None:
    code = _rt.memset_async(address, max_count, value, count, stream)
    _check(code, "acl.rt.memset_async", address, max_count, value, count, stream)


def get_mem_info(attr: int) -> tuple[int, int]:
    """`(free, total)` bytes of the current device's memory: attr 0 DDR, 1 HBM (RT-33)."""
    free_bytes, total_bytes, code = _rt.get_mem_info(attr)
    _check(code, "acl.rt.get_mem_info", attr)
    return free_bytes, total_bytes


def peek_at_last_error(level: int = 0) -> int:
    """The pending error code of this thread, 0 for none (RT-49)."""
    return _rt.peek_at_last_error(level)


def get_last_error(level: int = 0) -> int:
    """As `peek_at_last_error`, and clears it (RT-49)."""
    return _rt.get_last_error(level)


# acl.op: attributes


def create_attr() -> int:
    return _handle(_op.create_attr(), "acl.op.create_attr")


def destroy_attr(attr: int) -> None:
    _op.destroy_attr(attr)
    _check(OK, "acl.op.destroy_attr", attr)


def set_attr_bool(attr: int, name: str, value: int) -> None:
    _check(_op.set_attr_bool(attr, name, value), "acl.op.set_attr_bool", attr, name, value)


def set_attr_int(attr: int, name: str, value: int) -> None:
    _check(_op.set_attr_int(attr, name, value), "acl.op.set_attr_int", attr, name, value)


def set_attr_float(attr: int, name: str, value: float) -> None:
    """Stored as float32 (PY-11)."""
    _check(_op.set_attr_float(attr, name, value), "acl.op.set_attr_float", attr, name, value)


def set_attr_string(attr: int, name: str, value: str) -> None:
    _check(_op.set_attr_string(attr, name, value), "acl.op.set_attr_string", attr, name, value)


def set_attr_data_type(attr: int, name: str, value: int) -> None:
    _, code = _op.set_attr_data_type(attr, name, value)
    _check(code, "acl.op.set_attr_data_type", attr, name, value)


def set_attr_list_bool(attr: int, name: str, values: Ints) -> None:
    """Values are ints 0 or 1 (PY-10)."""
    _check(_op.set_attr_list_bool(attr, name, values), "acl.op.set_attr_list_bool", attr, name, values)


def set_attr_list_int(attr: int, name: str, values: Ints) -> None:
    _check(_op.set_attr_list_int(attr, name, values), "acl.op.set_attr_list_int", attr, name, values)


def set_attr_list_float(attr: int, name: str, values: list[float]) -> None:
    """Values are real floats; ints are refused (PY-10)."""
    _check(_op.set_attr_list_float(attr, name, values), "acl.op.set_attr_list_float", attr, name, values)


def set_attr_list_string(attr: int, name: str, values: list[str]) -> None:
    _check(_op.set_attr_list_string(attr, name, values), "acl.op.set_attr_list_string", attr, name, values)


def set_attr_list_list_int(attr: int, name: str, values: list[Ints]) -> None:
    _check(_op.set_attr_list_list_int(attr, name, values), "acl.op.set_attr_list_list_int", attr, name, values)


def set_attr_list_data_type(attr: int, name: str, values: Ints) -> None:
    _, code = _op.set_attr_list_data_type(attr, name, values)
    _check(code, "acl.op.set_attr_list_data_type", attr, name, values)


# acl.op: models, handles, execution


def op_load(address: int, size: int) -> None:
    """Loads one operator model from host memory; keep the bytes alive (OM-5). There is no unloading."""
    _check(_op.load(address, size), "acl.op.load", address, size)


def set_max_op_queue_num(count: int) -> None:
    """How many models may be loaded before online-compiled ones age (OM-9, OM-10)."""
    _check(_op.set_max_op_queue_num(count), "acl.op.set_max_op_queue_num", count)


def create_handle(op_type: str, input_descs: Ints, output_descs: Ints, attr: int) -> int:
    """Finds the loaded model that matches, else 100024 (HD-4); descriptions and attrs are copied (HD-5)."""
    handle, code = _op.create_handle(op_type, input_descs, output_descs, attr)
    _check(code, "acl.op.create_handle", op_type, input_descs, output_descs, attr)
    return handle


def destroy_handle(handle: int) -> None:
    _op.destroy_handle(handle)
    _check(OK, "acl.op.destroy_handle", handle)


def execute_with_handle(handle: int, inputs: Ints, outputs: Ints, stream: int) -> None:
    """Queues the operator. Buffers also for constant and absent inputs (HD-9)."""
    code = _op.execute_with_handle(handle, inputs, outputs, stream)
    if code:
        fail(code, "acl.op.execute_with_handle")


def execute_v2(op_type: str, input_descs: Ints, inputs: Ints, output_descs: Ints, outputs: Ints, attr: int, stream: int) -> None:
    """Matches a model and queues the operator; a dynamic model runs at once and writes the real dims into `output_descs`."""
    code = _op.execute_v2(op_type, input_descs, inputs, output_descs, outputs, attr, stream)
    if code:
        fail(code, "acl.op.execute_v2")


def op_cast(src_desc: int, src_buffer: int, dst_desc: int, dst_buffer: int, truncate: int, stream: int) -> None:
    """Queues the operator Cast, of which a model must be loaded (BL-1)."""
    code = _op.cast(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream)
    _check(code, "acl.op.cast", src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream)


def create_handle_for_cast(src_desc: int, dst_desc: int, truncate: int) -> int:
    """As `create_handle`, of the operator Cast (BL-3)."""
    handle, code = _op.create_handle_for_cast(src_desc, dst_desc, truncate)
    _check(code, "acl.op.create_handle_for_cast", src_desc, dst_desc, truncate)
    return handle


def infer_shape(op_type: str, input_descs: Ints, inputs: Ints, num_outputs: int, output_descs: Ints, attr: int) -> None:
    """Writes the inferred dims and ranges into `output_descs`; reads its inputs from host memory (INF-3)."""
    code = _op.infer_shape(op_type, input_descs, inputs, num_outputs, output_descs, attr)
    _check(code, "acl.op.infer_shape", op_type, input_descs, inputs, num_outputs, output_descs, attr)


# acl.op: kernels with dynamic tiling


def register_compile_func(op_type: str, fn: Callable[..., object]) -> None:
    """`fn(num_inputs, input descs, num_outputs, output descs, attr, kernel_desc)` chooses kernels (TIK-5); once a type, else 100030."""
    _check(_op.register_compile_func(op_type, fn), "acl.op.register_compile_func", op_type, fn)


def create_kernel(op_type: str, kernel_id: str, kernel_name: str, binary: int, size: int, engine_type: int) -> None:
    """Registers a kernel binary, which stays the caller's; the same id again is 100031 (TIK-3)."""
    code = _op.create_kernel(op_type, kernel_id, kernel_name, binary, size, engine_type, 0)
    _check(code, "acl.op.create_kernel", op_type, kernel_id, kernel_name, binary, size, engine_type, 0)


def set_kernel_args(kernel_desc: int, kernel_id: str, block_dim: int, args: int, size: int) -> None:
    """Inside a compile function: which kernel, on how many cores, with which tiling bytes, which are copied (TIK-6)."""
    code = _op.set_kernel_args(kernel_desc, kernel_id, block_dim, args, size)
    _check(code, "acl.op.set_kernel_args", kernel_desc, kernel_id, block_dim, args, size)


def set_kernel_workspace_sizes(kernel_desc: int, count: int, sizes: int) -> None:
    """Inside a compile function: bytes of each workspace, as an array of size_t at a host address (TIK-7)."""
    _check(_op.set_kernel_workspace_sizes(kernel_desc, count, sizes), "acl.op.set_kernel_workspace_sizes", kernel_desc, count, sizes)


def update_params(op_type: str, input_descs: Ints, output_descs: Ints, attr: int) -> None:
    """Calls the compile function and keeps what it chose under these descriptions and attributes (TIK-4, TIK-8)."""
    _check(_op.update_params(op_type, input_descs, output_descs, attr), "acl.op.update_params", op_type, input_descs, output_descs, attr)


# acl.blas


def blas(function: str, *arguments: int) -> None:
    """Queues a product by the function of that name: `gemm_ex`, `gemv_ex`, `hgemm`, `hgemv`, `s8gemm`, `s8gemv` (BL-4 to BL-13)."""
    call: Callable[..., int] = getattr(_acl.blas, function)
    _check(call(*arguments), f"acl.blas.{function}", *arguments)


def create_blas_handle(function: str, *arguments: int) -> int:
    """The handle of such a product, for five inputs (A, B, C, alpha, beta) and one output (BL-12)."""
    name = f"create_handle_for_{function}"
    create: Callable[..., tuple[int, int]] = getattr(_acl.blas, name)
    handle, code = create(*arguments)
    _check(code, f"acl.blas.{name}", *arguments)
    return handle


# acl.util


def bytes_to_ptr(data: bytes) -> int:
    """Address of the bytes object's own storage, valid while it lives (PY-15)."""
    return _util.bytes_to_ptr(data)


def ptr_to_bytes(address: int, size: int) -> bytes:
    """A copy of `size` bytes of host memory (PY-15)."""
    return _util.ptr_to_bytes(address, size)
