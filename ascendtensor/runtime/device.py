"""Devices: found at the first use, current per thread, torn down in order.

Each thread works on a device through the primary context that `set_device` gives (RT-10): the first use calls `set_device`, the other
threads make the same context current with `set_context` (RT-19). Every `set_device` is counted and gets its `reset_device` (RT-12).
"""

from __future__ import annotations

import atexit
import json
import logging
import operator
import os
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from .. import html
from ..acl import binding, chooser
from ..codes import RunMode
from ..compiler import works_inside
from ..errors import AclError, BackendError, ClosedError, DeviceError, DeviceIndexError, DTypeError, describe_bytes
from ..interrupts import HeldInterrupts
from . import callbacks, copies
from .events import Contexts, EventPool
from .foreign import Foreign
from .kept import Kept
from .memory import DeviceBuffer, Pool
from .process import Attempts, ThreadEnd, detach, refuse_fork, state, thread
from .scalars import Scalars
from .staging import Staging
from .stream import Lane, Stream, explain, set_locator

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ..acl.chooser import Backend
    from ..dtypes import dtype as DType
    from .attrs import KeptAttr
    from .desc import KeptDesc, TensorDesc

logger = logging.getLogger("ascendtensor")
_DEVICES: Final = 'Devices are named "npu" and "npu:0"; .cpu() gives a host array.'

DeviceLike = Any
"""What names a device: a `Device`, "npu", "npu:1", an int, or None for the current one."""


class Device:
    """An NPU (or a simulated one), one object for each; as a context manager it becomes the current device of the thread.

    Args:
        device: As of `device`: "npu:1", a number, None for the current one.

    Attributes:
        index: Its number.
        type: Always "npu".
        name: "npu:0".
        closed: Whether `shutdown()` has ended this generation of it.
        local: Has the attribute `stream` in threads where the device is current in ACL: the stream that work goes to now.
        context: The primary context, 0 until the first use.
        contexts: Which contexts its streams belong to.
        lock: Held off the hot road by everything that changes the device's tables.
        null_buffer: An aclDataBuffer without memory, for inputs that are ignored (HD-9).
        bytes_to_device, bytes_to_host: Copied so far.

    Examples:
        >>> at.device("npu:1")
        npu:1
        >>> at.ones(2, device=at.Device(1)).device
        npu:1
        >>> with at.device("npu:1"):
        ...     at.ones(2).device
        npu:1
    """

    def __new__(cls, device: DeviceLike = None) -> Device:
        return as_device(device)

    @staticmethod
    def _numbered(index: int, host_mode: bool, soc: str) -> Device:
        made = object.__new__(Device)
        made._begin(index, host_mode, soc)
        return made

    def _begin(self, index: int, host_mode: bool, soc: str) -> None:
        self.index = index
        self.type = "npu"
        self.name = f"npu:{index}"
        self.host_mode = host_mode
        self.soc = soc
        self.closed = False
        self.local = threading.local()
        self.lock = threading.RLock()
        self.context = 0
        self.uses = 0
        self.contexts = Contexts()
        self.events = EventPool(self.contexts)
        self.pool = Pool(self.events, self.synchronize, self.lock)
        self.staging = Staging(self.events, self.lock)
        self.foreign = Foreign(self.pool)
        self.scalars = Scalars(self)
        self.scalar = self.scalars.get
        # Tensors of one number, by sizes, number and dtype: `ops.operands.lasting` has them made.
        self.fills: dict[Hashable, Any] = {}
        # Where elements of views lie, by shape, strides and offset: `ops.call.places` has them made.
        self.places: dict[Hashable, Any] = {}
        self.descs: weakref.WeakValueDictionary[tuple[tuple[int, ...], DType], TensorDesc] = weakref.WeakValueDictionary()
        # The last ones that were made: interned weakly, those of what comes and goes in a loop would be made anew each time.
        self.recent_descs: deque[TensorDesc] = deque(maxlen=16)
        self.kept_descs = Kept(binding.destroy_tensor_desc)
        self.kept_attrs = Kept(binding.destroy_attr)
        self.shared_descs: weakref.WeakValueDictionary[Hashable, KeptDesc] = weakref.WeakValueDictionary()
        self.shared_attrs: weakref.WeakValueDictionary[Hashable, KeptAttr] = weakref.WeakValueDictionary()
        self.kept_events = Kept(binding.destroy_event)
        self.bytes_to_device = self.bytes_to_host = 0
        self.lanes: list[Lane] = []
        self.spare: dict[tuple[int, int, int], deque[Lane]] = {}
        self.ended_contexts: deque[int] = deque()
        self.ended_threads: deque[tuple[Stream, int]] = deque()
        self._idle: list[Stream] = []
        self._attached: dict[int, dict[str, Any]] = {}
        self._threads = 0
        self._null_buffer = 0

    def __repr__(self) -> str:
        return self.name

    def _repr_html_(self) -> str:
        pairs: list[tuple[str, Any]] = [
            ("chip", self.soc),
            ("state", "closed" if self.closed else "in use" if self.context else "not used yet"),
        ]
        if self.context:
            held = describe_bytes(self.pool.allocated), describe_bytes(self.pool.cached())
            pairs += [("in tensors", held[0]), ("cached", held[1]), ("streams", len(self.lanes))]
        return html.block(html.facts(pairs, self.name))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_device, (self.name,)

    def __enter__(self) -> Device:
        target = as_device(self)
        target.activate()
        thread.entered.append(thread.chosen)
        thread.chosen = target.index
        return target

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        thread.chosen = thread.entered.pop()

    # Streams of threads

    def current_stream(self) -> Stream:
        """The stream that this thread's work on the device goes to; makes the device current in ACL."""
        try:
            stream: Stream = self.local.stream
            return stream
        except AttributeError:
            return self.activate()

    def activate(self) -> Stream:
        """Make the device's context current in this thread and give its stream.

        Raises:
            ClosedError: The device is from before `shutdown()`.
            ForkError: The process was forked after the first use.
        """
        refuse_fork()
        if self.closed:
            raise ClosedError(f"{self} is from before shutdown()", advice="Make tensors, streams and events again after it.")
        before = thread.attached
        # In this order an interrupt leaves the thread without a device, which the next call repairs.
        thread.attached = None
        if before is not None:
            before.local.__dict__.pop("stream", None)
        self._enter_context()
        thread.attached = self
        stream: Stream = self.local.__dict__.get("chosen") or self._own_stream()
        if stream.lane.context != self.context:
            binding.set_context(stream.lane.context)
        self.local.stream = stream
        return stream

    def _enter_context(self) -> None:
        with self.lock, HeldInterrupts():
            if self.context:
                binding.set_context(self.context)
                return
            self.uses += 1
            try:
                binding.set_device(self.index)
            except AclError:
                self.uses -= 1
                raise
            self.context = self.contexts.primary = binding.get_context()

    def _own_stream(self) -> Stream:
        """The stream of this thread: that of an ended thread, or a new one."""
        mine = self.local.__dict__
        own: Stream | None = mine.get("own")
        if own is not None:
            return own
        with self.lock:
            while self.ended_threads:
                stream, number = self.ended_threads.popleft()
                self._attached.pop(number, None)
                self._idle.append(stream)
            own = self._idle.pop() if self._idle else Stream.on(self, self.free_lane(self.context))
            self._threads += 1
            number = self._threads
            self._attached[number] = mine
        thread.ends[:] = [end for end in thread.ends if not end.device.closed]
        thread.ends.append(ThreadEnd(self, (own, number)))
        self.local.own = own
        return own

    def default_stream(self) -> Stream:
        """The stream of this thread in the primary context, whatever other one is chosen now."""
        with self.current(), self.contexts.entered(self.context):
            return self._own_stream()

    def reaches(self, other: Device) -> bool:
        """Whether the device can be given access to another one's memory; ACL refuses the question on a board."""
        return other is not self and self.host_mode and binding.device_can_access_peer(self.index, other.index)

    def free_lane(self, context: int, priority: int = 0, flags: int = 0) -> Lane:
        """An ACL stream of a context that no `Stream` object uses. The context must be current in this thread."""
        spare = self.spare.setdefault((context, priority, flags), deque())
        try:
            return spare.pop()
        except IndexError:
            with HeldInterrupts():
                plain = not (priority or flags)
                handle = binding.create_stream() if plain else binding.create_stream_with_config(priority, flags)
                lane = Lane(handle, self.pool, context, spare)
                self.lanes.append(lane)
                if context != self.context:
                    self.contexts.others[handle] = context
            return lane

    def free_context(self) -> int:
        """A context, not the primary one, that no `Context` object uses. The device must be current in this thread."""
        try:
            return self.ended_contexts.pop()
        except IndexError:
            with HeldInterrupts():
                before, context = binding.get_context(), 0
                try:
                    context = binding.create_context(self.index)
                    self.contexts.made.append(context)
                    binding.set_context(before)  # it had become current (RT-16)
                except BaseException:
                    if context:
                        self.ended_contexts.append(context)
                    detach()
                    raise
            return context

    def enter_stream(self, stream: Stream) -> tuple[Stream, int]:
        """Send this thread's work to `stream`; returns what `leave_stream` wants."""
        before = self.current_stream()
        chosen = thread.chosen
        if stream.lane.context != before.lane.context:
            self.local.__dict__.pop("stream", None)  # an interrupt leaves the thread without a device, which the next call repairs
            binding.set_context(stream.lane.context)
        self.local.chosen = stream
        self.local.stream = stream
        thread.chosen = self.index
        return before, chosen

    def leave_stream(self, before: Stream, chosen: int) -> None:
        """Undo `enter_stream`; after a shutdown there is nothing to undo but the choice of the device."""
        thread.chosen = chosen
        if not self.closed:
            self.local.chosen = before
            now: Stream | None = self.local.__dict__.pop("stream", None)
            if now is not None:
                if now.lane.context != before.lane.context:
                    binding.set_context(before.lane.context)
                self.local.stream = before

    def synchronize(self) -> None:
        """Wait for everything queued on the device, by any thread.

        Raises:
            AclError: Queued work failed.

        Examples:
            >>> y = at.ones(2) + 1
            >>> at.device("npu:0").synchronize()
            >>> at.current_stream().query()
            True
        """
        self.activate()
        self._wait(self._wait_for_all, self.lanes)

    def synchronize_lanes(self, lanes: Sequence[Lane]) -> None:
        """Wait for some of the device's streams. The device must be current in this thread.

        Raises:
            AclError: Queued work failed.
        """

        def wait() -> None:
            for lane in lanes:
                binding.synchronize_stream(lane.handle)

        self._wait(wait, lanes)

    def _wait_for_all(self) -> None:
        binding.synchronize_device()
        for stream in list(self.contexts.others):  # where a chip's call waits for the current context only
            binding.synchronize_stream(stream)

    def _wait(self, wait: Callable[[], None], lanes: Sequence[Lane]) -> None:
        self.foreign.sweep()
        try:
            wait()
        except AclError as error:
            found = explain(error, lanes)
            _forget_launches(lanes)
            raise found from None
        _forget_launches(lanes)
        self.foreign.sweep()
        callbacks.wait_for(lanes)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the device current in ACL for a `with` block, and the one before it again afterwards."""
        before = thread.attached
        self.current_stream()
        try:
            yield
        finally:
            if before is not None and before is not self and not before.closed:
                before.activate()

    # What launches need

    @property
    def null_buffer(self) -> int:
        with self.lock:
            if not self._null_buffer:
                self._null_buffer = self.pool.create_data_buffer(0, 0)
            return self._null_buffer

    def upload_bytes(self, data: bytes, stream: Stream) -> DeviceBuffer:
        """Bytes in new device memory, written on `stream`, which is this thread's."""
        return copies.upload_bytes(data, stream)

    def upload_values(self, values: Sequence[Any], dtype: DType, stream: Stream) -> DeviceBuffer:
        """Numbers in new device memory, written on `stream`, which is this thread's."""
        return copies.upload_values(values, dtype, stream)

    # Teardown

    def detach_threads(self) -> None:
        """From now on every use in any thread meets `closed`."""
        self.closed = True
        with self.lock:
            for local in self._attached.values():
                local.pop("stream", None)
                local.pop("chosen", None)
        if thread.attached is self:
            thread.attached = None

    def drain(self) -> None:
        """Wait for all queued work, at shutdown."""
        if self.context:
            binding.set_context(self.context)
            self._wait_for_all()

    def close(self, attempt: Attempts) -> None:
        """Give everything back, in the order that ACL wants: descriptions, attributes, buffers, events, streams, the device itself."""
        if self.context:
            attempt(binding.set_context, self.context)
        self.scalars.clear()
        self.fills.clear()
        self.places.clear()
        self.recent_descs.clear()
        self.kept_descs.close(attempt)
        self.kept_attrs.close(attempt)
        self.staging.close(attempt)
        self.foreign.close()
        self.pool.close(attempt)
        self.kept_events.close(attempt)
        self.events.close(attempt)
        self.contexts.others.clear()
        while self.lanes:
            lane = self.lanes.pop()
            if self.contexts.made:
                attempt(binding.set_context, lane.context)  # RT-22
            attempt(binding.destroy_stream, lane.handle)
        while self.contexts.made:
            attempt(binding.destroy_context, self.contexts.made.pop())
        while self.uses:
            self.uses -= 1
            attempt(binding.reset_device, self.index)
        self.context = 0
        self._idle.clear()
        self._attached.clear()


def _forget_launches(lanes: Iterable[Lane]) -> None:
    for lane in lanes:
        lane.recent.clear()


# The process


def initialize() -> None:
    """Choose the backend, initialise ACL and count the devices, at the first use; later calls do nothing.

    Raises:
        BackendError: The backend that was asked for is not there, or it has no device.
        ForkError: The process was forked after the first use.
    """
    refuse_fork()
    if state.initialized:
        return
    with state.lock:
        if state.initialized:
            return
        if state.closing:
            _close_devices()
        chosen = chooser.choose()
        binding.use(chosen.module)
        fresh = _own_acl()
        try:
            count = binding.get_device_count()
            host_mode = binding.get_run_mode() == RunMode.HOST
            soc = binding.get_soc_name()
            if not count:
                raise BackendError(f"{chosen} has no device", advice="See `python -m ascendtensor info`.")
            state.devices = [Device._numbered(index, host_mode, soc) for index in range(count)]
        except BaseException:
            if fresh:
                state.owned = False
                binding.finalize()
            raise
        state.backend, state.host_mode, state.soc = chosen, host_mode, soc
        state.initialized = True


def _own_acl() -> bool:
    """Initialise ACL unless that was done: by somebody else, or by us before a shutdown that kept it. Whether it happened now."""
    kept, state.owned = state.owned, False
    fresh = _initialize_acl(state.config)
    if not fresh and not kept and state.config is not None:
        raise BackendError(
            "somebody else initialised ACL before, so the configuration does not hold",
            advice="Give it to that call of acl.init, and call init() without it.",
        )
    state.owned = fresh or kept
    if fresh:
        state.begun_with = state.config
    elif kept and state.config not in (None, state.begun_with):
        raise BackendError(
            "ACL stays initialised because CANN's compiler works in this process, so another configuration does not hold",
            advice="Give it to the first init() of the program, or set ASCENDTENSOR_COMPILER=atc.",
        )
    return fresh


def _initialize_acl(config: str | dict[str, Any] | None) -> bool:
    if not isinstance(config, dict):
        return binding.init(config or "")
    handle, path = tempfile.mkstemp(prefix="acl-", suffix=".json")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return binding.init(path)  # read during the call (RT-1)
    finally:
        os.unlink(path)


def init(config: Mapping[str, Any] | str | os.PathLike[str] | None = None) -> None:
    """Initialise ACL now instead of at the first use, with a configuration of your own if need be.

    Args:
        config: The keys of acl.json (`err_msg_mode`, `max_opqueue_num`, `dump`, `profiler`, ...), or the path of such a file. It holds for
            the process: also after `shutdown()`, when ACL refuses another one with 100000. Which device tensors go to is not its matter,
            but that of `set_device`.

    Raises:
        BackendError: ACL is in use already, with another configuration.
        AclError: ACL refuses it: 100003 for a file that is not there or too large, 100006 for one that is no JSON, 100000 for an illegal
            value or other contents than before in this process, 107001 for a default device that does not exist.
        DTypeError: It is neither a mapping of what JSON has nor a path.

    Like: torch.cuda.init.

    Examples:
        >>> at.init()
        >>> at.is_initialized()
        True
    """
    if config is None:
        initialize()
        return
    chosen = _configuration(config)
    with state.lock:
        refuse_fork()
        if state.initialized and chosen != state.config:
            raise BackendError(
                "ACL is in use already, and takes a configuration only when it is initialised",
                where="init",
                advice="Call init(config) before the first tensor, device or stream is made.",
            )
        before, state.config = state.config, chosen
        try:
            initialize()
        except BaseException:
            state.config = before
            raise


def _configuration(config: Mapping[str, Any] | str | os.PathLike[str]) -> str | dict[str, Any]:
    try:
        if isinstance(config, Mapping):
            contents: dict[str, Any] = json.loads(json.dumps(dict(config), allow_nan=False))
            return contents
        return os.path.abspath(os.fsdecode(os.fspath(config)))
    except (TypeError, ValueError) as error:
        raise DTypeError(f"config can't be written as acl.json, nor is it a path: {error}", where="init") from None


def configured(key: str) -> bool:
    """Whether the acl.json that the library has given to `acl.init` has a key."""
    config = state.begun_with
    if isinstance(config, str):
        try:
            with open(config, encoding="utf-8") as file:
                config = json.load(file)
        except (OSError, ValueError):
            return False
    return isinstance(config, dict) and key in config


def shutdown() -> None:
    """Wait for all queued work and give everything back to ACL. Tensors, streams and events from before can't be used afterwards.

    The library itself can: the next use initialises it anew. Call it when no other thread works with tensors. At the end of the program it
    runs by itself. Where CANN's compiler works inside the process (`ASCENDTENSOR_COMPILER=online`), ACL itself stays initialised until
    then: `acl.finalize` ends that compiler for good.

    Raises:
        AclError: Queued work had failed, or a call of the teardown did; the teardown is complete nevertheless.

    Examples:
        >>> x = at.ones(2)
        >>> at.shutdown()
        >>> at.is_initialized()
        False
        >>> at.ones(2) + 1
        tensor([2., 2.], device='npu:0')
    """
    _shut_down(last=False)


def _shut_down(last: bool) -> None:
    if state.forked:
        return
    with state.lock:
        if not state.initialized and not state.closing and not (last and state.owned):
            return
        error = _close_devices(last)
    if error is not None:
        raise error


def _close_devices(last: bool = False) -> BaseException | None:
    attempt = Attempts()
    for device in state.devices:
        try:
            device.drain()
        except AclError as error:
            attempt.error = attempt.error or explain(error, device.lanes)
        _forget_launches(device.lanes)
    with HeldInterrupts():
        if state.initialized:
            for callback in reversed(state.callbacks):
                attempt(callback)
            for device in state.devices:
                device.detach_threads()
            state.closing = state.devices
            state.devices = []
            state.initialized = False
            state.generation += 1
        while state.closing:
            device = state.closing[-1]
            device.close(attempt)
            if device.staging.pinned:
                state.orphans.append(device.staging)
            state.closing.pop()
        _close_orphans(attempt)
        if state.owned and (last or not works_inside()):
            state.owned = False
            attempt(binding.finalize)
    return attempt.error


def _close_orphans(attempt: Attempts) -> None:
    for staging in state.orphans:
        staging.close(attempt)
    state.orphans = [staging for staging in state.orphans if staging.pinned]


def _at_exit() -> None:
    try:
        _shut_down(last=True)
    except AclError as error:
        logger.warning("at the end of the program: %s", error)


atexit.register(_at_exit)


def on_shutdown(callback: Callable[[], None]) -> None:
    """Have `callback` called by every `shutdown()`, after all work has run and before memory and streams go; last come, first called."""
    state.callbacks.append(callback)


def generation() -> int:
    """Number of shutdowns so far."""
    return state.generation


def is_initialized() -> bool:
    """Whether a device was used since the start or the last shutdown.

    Examples:
        >>> x = at.ones(1)
        >>> at.is_initialized()
        True
    """
    return state.initialized


def backend() -> Backend:
    """The pyACL module in use, chosen now if nothing was used yet: CANN's or the simulator, and why.

    Examples:
        >>> at.backend().name
        'simulator'
    """
    initialize()
    found = state.backend
    if found is None:
        raise BackendError("no backend is in use")
    return found


def soc_name() -> str:
    """Name of the chip, such as "Ascend910B1".

    Examples:
        >>> isinstance(at.soc_name(), str)
        True
    """
    initialize()
    return state.soc


def run_mode() -> RunMode:
    """HOST where the program runs beside a card, DEVICE where it runs on the board itself (RT-15).

    Examples:
        >>> at.run_mode()
        <RunMode.HOST: 1>
    """
    initialize()
    return RunMode.HOST if state.host_mode else RunMode.DEVICE


def host_mode() -> bool:
    """Whether the run mode is HOST."""
    return run_mode() == RunMode.HOST


def device_count() -> int:
    """Number of devices. Like: torch.cuda.device_count.

    Examples:
        >>> at.device_count() >= 1
        True
    """
    initialize()
    return len(state.devices)


def as_device(device: DeviceLike = None) -> Device:
    """The device that is meant.

    Args:
        device: "npu:1", "npu" or None for the thread's current one, a number, or a `Device` (from before a shutdown: the same number now).

    Raises:
        DeviceIndexError: There is no device of that number.
        DeviceError: It is something else.
    """
    initialize()
    if isinstance(device, Device):
        return _numbered(device.index) if device.closed else device
    if device is None or device == "npu":
        return _numbered(thread.chosen)
    if isinstance(device, str):
        kind, _, number = device.partition(":")
        if kind == "npu" and number.removeprefix("-").isdecimal():
            return _numbered(int(number))
        raise DeviceError(f"unknown device {device!r}", advice=_DEVICES)
    if isinstance(device, bool):
        raise DeviceError(f"unknown device {device!r}", advice=_DEVICES)
    try:
        return _numbered(operator.index(device))
    except TypeError:
        raise DeviceError(f"unknown device {device!r}", advice=_DEVICES) from None


def device(type: DeviceLike = None, index: int | None = None) -> Device:
    """The device that is meant, also as PyTorch's kind and number: `device("npu", 1)`.

    Args:
        type: "npu:1", "npu" or None for the thread's current one, a number, or a `Device` (from before a shutdown: the same number now).
        index: The number, behind the kind "npu".

    Raises:
        DeviceIndexError: There is no device of that number.
        DeviceError: It is something else, or the number is given twice.

    Like: torch.device.

    Examples:
        >>> at.device("npu:1").index
        1
        >>> at.device("npu", 1) is at.device(1)
        True
    """
    if index is None:
        return as_device(type)
    if type == "npu":
        return as_device(index)
    if isinstance(type, str) and not type.startswith("npu:"):
        raise DeviceError(f"unknown device {type!r}", advice=_DEVICES)
    raise DeviceError(f"the number is given twice, in {type!r} and as {index!r}", where="device", advice=_DEVICES)


def _numbered(index: int) -> Device:
    devices = state.devices
    if 0 <= index < len(devices):
        return devices[index]
    there = "there is 1 device, npu:0" if len(devices) == 1 else f"there are {len(devices)} devices, npu:0 to npu:{len(devices) - 1}"
    raise DeviceIndexError(f"device number {index} is out of range: {there}")


def current_device() -> Device:
    """The device that new tensors of this thread go to. Like: torch.cuda.current_device.

    Examples:
        >>> at.current_device()
        npu:0
    """
    return as_device(None)


def set_device(device: DeviceLike) -> None:
    """Choose the device that new tensors of this thread go to; `with at.device(i)` undoes itself. Like: torch.cuda.set_device.

    Examples:
        >>> at.set_device(1)
        >>> at.ones(2).device
        npu:1
        >>> at.set_device(0)
    """
    target = as_device(device)
    target.activate()
    thread.chosen = target.index


def current_stream(device: DeviceLike = None) -> Stream:
    """The stream that this thread's work on a device goes to. Like: torch.cuda.current_stream.

    Examples:
        >>> with at.stream(at.Stream()) as side:
        ...     at.current_stream() == side
        True
    """
    return as_device(device).current_stream()


def synchronize(device: DeviceLike = None) -> None:
    """Wait for everything queued on a device, by any thread. Like: torch.cuda.synchronize.

    Raises:
        AclError: Queued work failed.

    Examples:
        >>> y = at.ones(2) + 1
        >>> at.synchronize()
        >>> at.current_stream().query()
        True
    """
    target = as_device(device)
    with target.current():
        target.synchronize()


# Marks over all streams, for what must outlive queued work


def mark_all() -> list[int]:
    """An event recorded now on every stream of every device that was used."""
    marks: list[int] = []
    try:
        for device in state.devices:
            if device.context:
                with device.current():
                    marks.extend(device.events.record(lane.handle) for lane in device.lanes)
    except BaseException:
        forget_marks(marks)
        raise
    return marks


def marks_done(marks: Sequence[int]) -> bool:
    """Whether everything that was queued when the marks were made has run."""
    return all(binding.query_event_status(mark) for mark in marks)


def forget_marks(marks: Sequence[int]) -> None:
    """Give marks back."""
    for mark in marks:
        for device in state.devices:
            if mark in device.events.made:
                device.events.give(mark)
                break


set_locator(as_device)
