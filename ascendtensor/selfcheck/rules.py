"""Rules about pyACL that were inferred and not read in a document or source, checked where that does no harm.

The simulator answers what is expected here. On a board anything else is news: then the simulator is wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import ascendtensor as at

from ..acl import binding
from ..codes import DataType, MallocPolicy, MemcpyKind, Placement
from ..compiler import Attribute, Description, TensorDescription
from ..launch.registry import handle_cache
from ..runtime import attrs, desc, host_mode
from ..runtime.raw import Raw

COUNT: Final = 8
NBYTES: Final = COUNT * 4
PAST: Final = 4096
"""Bytes asked of an allocation that has `NBYTES`; a device page is larger, so that nothing but the rule is touched."""

PATIENCE: Final = 200
"""Milliseconds that a call may wait for what can't come."""
INVALID_OPP_PATH: Final = 148049
_FINALIZED: Final = "[acl.finalize(), acl.finalize()]"
_EARLY: Final = "[acl.data_type_size(0), acl.create_tensor_desc(0, [2], 2) > 0, acl.create_data_buffer(0, 0) > 0, acl.op.create_attr() > 0]"

_VECTOR: Final = TensorDescription(dtype=DataType.FLOAT, shape=(COUNT,))
_ADD: Final = Description("Add", (_VECTOR, _VECTOR), (_VECTOR,))
_SLOPE: Final = 0.1
_NEXT_SLOPE: Final = float(np.nextafter(np.float32(_SLOPE), np.float32(1)))


def _leaky(slope: float) -> Description:
    return Description("LeakyRelu", (_VECTOR,), (_VECTOR,), (Attribute("negative_slope", "float", slope),))


class Skip(Exception):
    """The rule can't be checked here."""


class Bench:
    """What the checks work with: the module `acl`, and the library's handles."""

    def __init__(self, raw: Raw, undo: ExitStack) -> None:
        self.acl: Any = binding.module()
        self.raw = raw
        self._undo = undo

    def memory(self, nbytes: int = NBYTES) -> int:
        """Device memory until the end of the check; a code of its release means nothing, since some checks free it."""
        address, code = self.acl.rt.malloc(nbytes, int(MallocPolicy.HUGE_FIRST))
        if code:
            raise Skip(f"acl.rt.malloc answers {code}")
        self._undo.callback(self.acl.rt.free, address)
        return int(address)

    def vector(self, values: float) -> int:
        address, array = self.memory(), np.full(COUNT, values, np.float32)
        kind = MemcpyKind.HOST_TO_DEVICE if host_mode() else MemcpyKind.DEVICE_TO_DEVICE
        binding.memcpy(address, NBYTES, array.ctypes.data, NBYTES, int(kind))
        return address

    def read(self, address: int) -> list[float]:
        binding.synchronize_stream(self.raw.stream)
        array = np.zeros(COUNT, np.float32)
        kind = MemcpyKind.DEVICE_TO_HOST if host_mode() else MemcpyKind.DEVICE_TO_DEVICE
        binding.memcpy(array.ctypes.data, NBYTES, address, NBYTES, int(kind))
        return [float(value) for value in array]

    def buffer(self, address: int) -> int:
        made = binding.create_data_buffer(address, NBYTES)
        self._undo.callback(binding.destroy_data_buffer, made)
        return made

    def descs(self, count: int) -> list[int]:
        return self._undo.enter_context(desc.made([_VECTOR] * count))

    def attr(self, description: Description) -> int:
        return self._undo.enter_context(attrs.made(description.attrs))

    def handle(self, description: Description, more: Callable[[list[int]], None] | None = None) -> int:
        """Code of `create_handle` for a description; `more` may change the aclTensorDescs before."""
        descs = self.descs(len(description.inputs) + len(description.outputs))
        if more is not None:
            more(descs)
        inputs, outputs = descs[: len(description.inputs)], descs[len(description.inputs) :]
        handle, code = self.acl.op.create_handle(description.op_type, inputs, outputs, self.attr(description))
        if not code:
            self._undo.callback(self.acl.op.destroy_handle, handle)
        return int(code)

    def add(self, stream: int | None = None, op_type: str = "Add") -> int:
        """Code of `execute_v2` for one and one."""
        handle_cache.load(_ADD)
        buffers = [self.buffer(self.vector(1.0)) for _ in range(3)]
        descs = self.descs(3)
        attr = self.attr(_ADD)
        on = self.raw.stream if stream is None else stream
        return int(self.acl.op.execute_v2(op_type, descs[:2], buffers[:2], descs[2:], buffers[2:], attr, on))


def _in_bare_thread(function: Callable[[], int]) -> int:
    """The answer in a new thread, where no context is current."""
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(function()))
    thread.start()
    thread.join()
    if not answers:
        raise Skip("the call raised")
    return answers[0]


def _second_free(bench: Bench) -> int:
    address = bench.memory()
    binding.free(address)
    return int(bench.acl.rt.free(address))


def _free_device_as_host(bench: Bench) -> int:
    if not host_mode():
        raise Skip("on the board itself host and device memory are one")
    return int(bench.acl.rt.free_host(bench.memory()))


def _read_past(bench: Bench) -> int:
    host = np.zeros(PAST, np.uint8)
    kind = MemcpyKind.DEVICE_TO_HOST if host_mode() else MemcpyKind.DEVICE_TO_DEVICE
    return int(bench.acl.rt.memcpy(host.ctypes.data, PAST, bench.memory(), PAST, int(kind)))


def _near_attribute(bench: Bench) -> list[int]:
    handle_cache.load(_leaky(_SLOPE))
    return [bench.handle(_leaky(_SLOPE)), bench.handle(_leaky(_NEXT_SLOPE))]


def _foreign_stream(bench: Bench) -> int:
    rt = bench.acl.rt
    context, code = rt.create_context(bench.raw.device)  # becomes current
    if code:
        raise Skip(f"acl.rt.create_context answers {code}")
    stream, _ = rt.create_stream()
    binding.set_context(bench.raw.context)
    try:
        return bench.add(stream)
    finally:
        rt.set_context(context)
        rt.destroy_stream(stream)
        rt.destroy_context(context)
        binding.set_context(bench.raw.context)


def _execute_without_context(bench: Bench) -> int:
    handle_cache.load(_ADD)
    buffers, descs, attr = [bench.buffer(bench.vector(1.0)) for _ in range(3)], bench.descs(3), bench.attr(_ADD)
    return _in_bare_thread(lambda: int(bench.acl.op.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], attr, 0)))


def _load_without_context(bench: Bench) -> int:
    handle_cache.load(_ADD)
    model = handle_cache.model(_ADD)
    if not model:
        raise Skip("the compiler in use keeps its models to itself")
    return _in_bare_thread(lambda: int(bench.acl.op.load(bench.acl.util.bytes_to_ptr(model), len(model))))


def _handle_of_destroyed(bench: Bench, early: bool) -> list[float]:
    """One and one through a handle whose originals are gone, and which is destroyed before or after the work has run."""
    handle_cache.load(_ADD)
    addresses = [bench.vector(1.0) for _ in range(3)]
    buffers = [bench.buffer(address) for address in addresses]
    with desc.made([_VECTOR] * 3) as descs, attrs.made(()) as attr:
        handle = binding.create_handle("Add", descs[:2], descs[2:], attr)
    try:
        binding.execute_with_handle(handle, buffers[:2], buffers[2:], bench.raw.stream)
        if not early:
            binding.synchronize_stream(bench.raw.stream)
    finally:
        try:
            binding.destroy_handle(handle)
        except RuntimeError:
            binding.synchronize_stream(bench.raw.stream)
            binding.destroy_handle(handle)
            raise Skip("the simulator's strict mode refuses it") from None
    return bench.read(addresses[2])


def _objects_destroyed_at_once(bench: Bench) -> list[float]:
    handle_cache.load(_ADD)
    addresses = [bench.vector(1.0) for _ in range(3)]
    buffers = [binding.create_data_buffer(address, NBYTES) for address in addresses]
    with desc.made([_VECTOR] * 3) as descs, attrs.made(()) as attr:
        binding.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], attr, bench.raw.stream)
        for buffer in buffers:
            binding.destroy_data_buffer(buffer)
    return bench.read(addresses[2])


def _in_place(bench: Bench) -> list[float]:
    handle_cache.load(_ADD)
    addresses = [bench.vector(1.0), bench.vector(2.0)]
    buffers, descs, attr = [bench.buffer(address) for address in addresses], bench.descs(3), bench.attr(_ADD)
    binding.execute_v2("Add", descs[:2], buffers, descs[2:], buffers[:1], attr, bench.raw.stream)
    return bench.read(addresses[0])


def _stray_range(bench: Bench) -> int:
    handle_cache.load(_ADD)
    return bench.handle(_ADD, lambda descs: binding.set_tensor_shape_range(descs[2], [[1, COUNT]]))


def _host_placed(bench: Bench) -> int:
    handle_cache.load(_ADD)
    host = np.ones(COUNT, np.float32)
    buffers = [bench.buffer(address) for address in (bench.vector(1.0), host.ctypes.data, bench.vector(1.0))]
    descs, attr = bench.descs(3), bench.attr(_ADD)
    binding.set_tensor_place_ment(descs[1], int(Placement.HOST))
    code = int(bench.acl.op.execute_v2("Add", descs[:2], buffers[:2], descs[2:], buffers[2:], attr, bench.raw.stream))
    binding.synchronize_stream(bench.raw.stream)  # the host memory goes
    return code


def _numpy_address(bench: Bench) -> str:
    address = np.int64(bench.memory())
    try:
        bench.acl.rt.memset(address, NBYTES, 0, NBYTES)
    except TypeError:
        return "TypeError"
    return "taken"


def _blocking_callback_of_its_own(bench: Bench) -> list[int]:
    """A stream that waits for a callback which only the waiting thread can serve; the time it may take is bounded."""
    rt = bench.acl.rt
    called: list[int] = []
    thread, stream = threading.get_ident(), rt.create_stream()[0]
    codes = [rt.subscribe_report(thread, stream)]
    if codes != [0]:
        rt.destroy_stream(stream)
        raise Skip(f"acl.rt.subscribe_report answers {codes[0]}")
    try:
        codes.append(rt.launch_callback(called.append, 1, 1, stream))
        codes.append(rt.synchronize_stream_with_timeout(stream, PATIENCE))
        codes.append(rt.process_report(PATIENCE))
        codes.append(rt.synchronize_stream_with_timeout(stream, PATIENCE))
    finally:
        rt.unsubscribe_report(thread, stream)
        rt.destroy_stream(stream)
    return codes + called


def _recorded_again(bench: Bench, create: Callable[[Any], tuple[int, int]]) -> int:
    """What a bounded wait says behind an event whose second record stands behind a callback that nobody serves yet."""
    rt = bench.acl.rt
    thread, (producer, _), (consumer, _) = threading.get_ident(), rt.create_stream(), rt.create_stream()
    event, code = create(rt)
    code = code or rt.subscribe_report(thread, producer)
    try:
        if code:
            raise Skip(f"the event or its callback can't be made: {code}")
        rt.record_event(event, producer)
        rt.synchronize_stream(producer)
        rt.launch_callback(lambda _: None, None, 1, producer)
        rt.record_event(event, producer)
        rt.stream_wait_event(consumer, event)
        waited = int(rt.synchronize_stream_with_timeout(consumer, PATIENCE))
        rt.process_report(PATIENCE)
        rt.synchronize_stream_with_timeout(producer, PATIENCE)
        rt.synchronize_stream_with_timeout(consumer, PATIENCE)
        return waited
    finally:
        if not code:
            rt.unsubscribe_report(thread, producer)
        if event:
            rt.destroy_event(event)
        rt.destroy_stream(consumer)
        rt.destroy_stream(producer)


def _inferred_from_values(bench: Bench) -> list[int]:
    """The shape of a Fill, whose first input says it."""
    dims, value = np.array([2, 3], np.int64), np.zeros(1, np.float32)
    shapes = TensorDescription(DataType.INT64, (2,)), TensorDescription(DataType.FLOAT, ()), TensorDescription(DataType.FLOAT, ())
    with desc.made(shapes) as descs, attrs.made(()) as attr:
        buffers = [binding.create_data_buffer(array.ctypes.data, array.nbytes) for array in (dims, value)]
        code = bench.acl.op.infer_shape("Fill", descs[:2], buffers, 1, descs[2:], attr)
        for buffer in buffers:
            binding.destroy_data_buffer(buffer)
        if code == INVALID_OPP_PATH:
            raise Skip("there is no operator package (148049)")
        rank = bench.acl.get_tensor_desc_num_dims(descs[2])
        return [code, *(bench.acl.get_tensor_desc_dim_v2(descs[2], index)[0] for index in range(min(rank, 8)))]


def _in_fresh_process(calls: str) -> Any:
    """What expressions give in a process that has not called acl.init, as a list."""
    lines = ["import json", "from ascendtensor.acl import chooser", "acl = chooser.choose().module", f"print(json.dumps({calls}))"]
    done = subprocess.run([sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise Skip(f"a process of its own ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        number: In the rules that the simulator is built from; its tests cite them.
        text: What is done.
        expected: What the simulator answers: a code, or numbers.
        check: Does it.
    """

    number: str
    text: str
    expected: Any
    check: Callable[[Bench], Any]


RULES: Final = (
    Rule("RT-31", "acl.rt.free(0)", 100000, lambda bench: bench.acl.rt.free(0)),
    Rule("RT-31", "acl.rt.free_host(0)", 100000, lambda bench: bench.acl.rt.free_host(0)),
    Rule("K46", "acl.rt.free of an address inside an allocation", 107000, lambda bench: bench.acl.rt.free(bench.memory(4096) + 64)),
    Rule("K46", "acl.rt.free a second time", 107000, _second_free),
    Rule("K47", "acl.rt.free_host of a device address", 107000, _free_device_as_host),
    Rule("RT-36", "acl.rt.memcpy of 4096 bytes out of an allocation of 32", 107000, _read_past),
    Rule("RT-43", "acl.rt.memset of more bytes than the maximum", 107000, lambda bench: bench.acl.rt.memset(bench.memory(), 16, 0, NBYTES)),
    Rule("ATTR-8", "create_handle with the model's float attribute, and with the next float32", [0, 100024], _near_attribute),
    Rule("OM-6", "acl.op.load in a thread without a context", 0, _load_without_context),
    Rule("OM-24", "create_handle with a stray shape range on the output", 100024, _stray_range),
    Rule("OM-29", "execute_v2 with an input in host memory that is not constant", 100024, _host_placed),
    Rule("K99", "execute_v2 with an empty operator type", 100024, lambda bench: bench.add(op_type="")),
    Rule("K107", "execute_v2 in a thread without a context", 107002, _execute_without_context),
    Rule("K107", "execute_v2 on a stream of another context", 107003, _foreign_stream),
    Rule("HD-5", "a handle whose descriptions and attributes were destroyed", [2.0] * COUNT, lambda b: _handle_of_destroyed(b, False)),
    Rule("HD-13", "a handle that is destroyed while its work is queued", [2.0] * COUNT, lambda b: _handle_of_destroyed(b, True)),
    Rule("OP-16", "descriptions, buffers and attributes destroyed right after execute_v2", [2.0] * COUNT, _objects_destroyed_at_once),
    Rule("PY-3", "acl.rt.memset of an address that is numpy.int64", "TypeError", _numpy_address),
    Rule("INF-8", "acl.op.infer_shape of a Fill by the values in host memory", [0, 2, 3], _inferred_from_values),
    Rule("CB-6", "a stream that waits for a callback of the waiting thread", [0, 0, 507046, 0, 0, 1], _blocking_callback_of_its_own),
    Rule(
        "EV-2",
        "a wait for the second record of an event of create_event_ex_with_flag",
        507046,
        lambda bench: _recorded_again(bench, lambda rt: rt.create_event_ex_with_flag(1)),
    ),
    Rule(
        "EV-2",
        "a wait for the second record of an event of create_event",
        507046,
        lambda bench: _recorded_again(bench, lambda rt: rt.create_event()),
    ),
    Rule(
        "EV-5",
        "a wait for the second record of an event of create_event_with_flag that was not reset",
        0,
        lambda bench: _recorded_again(bench, lambda rt: rt.create_event_with_flag(1)),
    ),
    Rule("RT-6", "acl.finalize twice in a process that never called acl.init", [0, 100037], lambda _: _in_fresh_process(_FINALIZED)),
    Rule("RT-8", "sizes, descriptions, buffers and attributes before acl.init", [4, True, True, True], lambda _: _in_fresh_process(_EARLY)),
    Rule("OP-17", "an operator whose output is its input", [3.0] * COUNT, _in_place),
)

NOT_CHECKED: Final = {
    "RT-48": "a kernel would have to fail on the device, which may need a reset afterwards",
    "OP-7": "no model from a compiler takes inputs in host memory that are not constant (OM-29)",
    "OP-6": "K107 says the same and is checked",
    "MDL-10, MDL-22, MDL-31, K151, K152": "they need a whole model",
    "RT-29, RT-37, OP-15, SIM-1 to SIM-10": "they say what the simulator shall do, not what a board does",
}
"""Rules that were inferred too, and why they are left alone."""


def checked(device: Any) -> Iterator[dict[str, Any]]:
    """Check every rule and give a record of each, as the report holds it."""
    for rule in RULES:
        record = {"rule": rule.number, "text": rule.text, "expected": rule.expected}
        try:
            with _bench(device) as bench:
                found = rule.check(bench)
        except Skip as reason:
            yield {**record, "outcome": "skipped", "reason": str(reason)}
        except Exception as error:  # whatever it is, the report has to come to its end
            yield {**record, "outcome": "error", "reason": f"{type(error).__name__}: {error}"}
        else:
            yield {**record, "found": found, "outcome": "ok" if found == rule.expected else "differs"}


@contextmanager
def _bench(device: Any) -> Iterator[Bench]:
    with at.raw(device) as raw, ExitStack() as undo:
        undo.callback(binding.get_recent_err_msg)  # of the refusals that were asked for
        try:
            yield Bench(raw, undo)
        finally:  # before the memory goes
            binding.synchronize_stream(raw.stream)
