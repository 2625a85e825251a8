"""Random calls: whatever is created, used and destroyed in whatever order, a dead handle never works and nothing is left at the end.

The machine keeps its own books of what lives. Rules: PY-1, TD-3, DB-1, DB-3, HD-13, OP-15, OP-16, RT-12, RT-17, RT-22, RT-26, RT-31, EV-8.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule
from op_program import add_operator, load

from ascendtensor import simulator as acl

DEAD = {100000, 107000, 107001, 107002, 107003, 107017, 507007}
SIZE = 64


class Machine(RuleBasedStateMachine):
    descs = Bundle("descs")
    buffers = Bundle("buffers")
    attrs = Bundle("attrs")
    handles = Bundle("handles")
    contexts = Bundle("contexts")
    streams = Bundle("streams")
    events = Bundle("events")
    blocks = Bundle("blocks")
    anything = st.one_of(descs, buffers, attrs, handles, contexts, streams, events, blocks)

    def __init__(self) -> None:
        super().__init__()
        acl.faults.clear()
        acl.new_process()
        acl.configure()
        self.alive: dict[str, set[int]] = {
            name: set() for name in ("descs", "buffers", "attrs", "handles", "streams", "events", "device", "host")
        }
        self.contexts_of: dict[int, int] = {}
        self.homes: dict[int, int] = {}
        self.buffer_blocks: dict[int, int] = {}

    @initialize()
    def start(self) -> None:
        assert acl.init() == 0
        assert acl.rt.set_device(0) == 0
        load(acl, add_operator(4))
        self.primary, _ = acl.rt.get_context()

    def current(self) -> int:
        context, ret = acl.rt.get_context()
        return int(context) if ret == 0 else 0

    # Creating

    @rule(target=descs, shape=st.sampled_from([[4], [3], []]), dtype=st.sampled_from([0, 3]))
    def create_desc(self, shape: list[int], dtype: int) -> int:
        handle = acl.create_tensor_desc(dtype, shape, 2)
        self.alive["descs"].add(handle)
        return handle

    @rule(target=blocks, host=st.booleans())
    def malloc(self, host: bool) -> Any:
        address, ret = acl.rt.malloc_host(SIZE) if host else acl.rt.malloc(SIZE, 0)
        assert (ret == 0) == (self.current() != 0)
        if ret:
            return multiple()
        assert address % 64 == 0
        self.alive["host" if host else "device"].add(address)
        return address

    @rule(target=buffers, block=blocks, size=st.sampled_from([16, 1, 0, SIZE, 1 << 40]))
    def create_buffer(self, block: int, size: int) -> int:
        handle = acl.create_data_buffer(block, size)
        self.alive["buffers"].add(handle)
        return handle

    @rule(buffer=buffers, block=blocks)
    def update_buffer(self, buffer: int, block: int) -> None:
        assert (acl.update_data_buffer(buffer, block, 16) == 0) == (buffer in self.alive["buffers"])

    @rule(target=attrs)
    def create_attr(self) -> int:
        handle = acl.op.create_attr()
        self.alive["attrs"].add(handle)
        return handle

    @rule(target=handles, one=descs, two=descs, out=descs, attr=st.one_of(st.just(0), attrs))
    def create_handle(self, one: int, two: int, out: int, attr: int) -> Any:
        handle, ret = acl.op.create_handle("Add", [one, two], [out], attr)
        if not {one, two, out} <= self.alive["descs"] or (attr and attr not in self.alive["attrs"]):
            assert ret == 100000
        if ret:
            assert handle == 0 and ret in (100000, 100024)
            return multiple()
        self.alive["handles"].add(handle)
        return handle

    @rule(target=contexts, device=st.sampled_from([0, 1, 2, -1]))
    def create_context(self, device: int) -> Any:
        handle, ret = acl.rt.create_context(device)
        assert (ret == 0) == (device in (0, 1))
        if ret:
            assert ret == 107001
            return multiple()
        self.contexts_of[handle] = device
        assert self.current() == handle
        return handle

    @rule(target=streams)
    def create_stream(self) -> Any:
        handle, ret = acl.rt.create_stream()
        context = self.current()
        assert (ret == 0) == (context != 0)
        if ret:
            return multiple()
        self.alive["streams"].add(handle)
        self.homes[handle] = context
        return handle

    @rule(target=events, kind=st.sampled_from(["create_event", "create_event_with_flag", "create_event_ex_with_flag"]))
    def create_event(self, kind: str) -> Any:
        create: Any = getattr(acl.rt, kind)
        handle, ret = create() if kind == "create_event" else create(9)
        assert (ret == 0) == (self.current() != 0)
        if ret:
            return multiple()
        self.alive["events"].add(handle)
        return handle

    # Using

    @rule(handle=handles, one=buffers, two=buffers, out=buffers, stream=st.one_of(st.just(0), streams), times=st.integers(1, 3))
    def launch(self, handle: int, one: int, two: int, out: int, stream: int, times: int) -> None:
        for _ in range(times):
            ret = acl.op.execute_with_handle(handle, [one, two], [out], stream)
            if handle not in self.alive["handles"] or not {one, two, out} <= self.alive["buffers"]:
                assert ret == 100000
            elif acl.get_data_buffer_size_v2(out) == 0:
                assert ret == 0
            else:  # OP-9: 16 bytes may be short by 63, so even an input of length 0 passes
                assert ret == self.stream_code(stream)

    @rule(one=descs, two=descs, third=descs, first=buffers, second=buffers, out=buffers, stream=st.one_of(st.just(0), streams))
    def execute(self, one: int, two: int, third: int, first: int, second: int, out: int, stream: int) -> None:
        ret = acl.op.execute_v2("Add", [one, two], [first, second], [third], [out], 0, stream)
        if not {one, two, third} <= self.alive["descs"] or not {first, second, out} <= self.alive["buffers"]:
            assert ret == 100000
        elif ret == 0:
            assert self.stream_code(stream) == 0

    def stream_code(self, stream: int) -> int:
        context = self.current()
        if not context:
            return 107002
        if stream == 0:
            return 0
        if stream not in self.alive["streams"]:
            return 107017
        return 0 if self.homes[stream] == context else 107003

    @rule(stream=st.one_of(st.just(0), streams), event=events)
    def record_and_wait(self, stream: int, event: int) -> None:
        ret = acl.rt.record_event(event, stream)
        if event not in self.alive["events"]:
            assert ret == 107017
        else:
            assert ret == self.stream_code(stream)
        waited = acl.rt.stream_wait_event(stream, event)
        assert (waited == 0) <= (event in self.alive["events"] and self.stream_code(stream) == 0)

    @rule(stream=st.one_of(st.just(0), streams), query=st.booleans())
    def synchronize(self, stream: int, query: bool) -> None:
        ret = acl.rt.stream_query(stream)[1] if query else acl.rt.synchronize_stream(stream)
        if stream and stream not in self.alive["streams"]:
            assert ret == 107017
        elif not stream and not self.current():
            assert ret == 107002
        else:
            assert ret in (0, 507015)  # memory of another device, too little of it, or freed

    @rule(block=blocks, other=blocks, asynchronous=st.booleans())
    def copy(self, block: int, other: int, asynchronous: bool) -> None:
        ret = acl.rt.memcpy_async(block, SIZE, other, SIZE, 3, 0) if asynchronous else acl.rt.memcpy(block, SIZE, other, SIZE, 4)
        if not self.current():
            assert ret == 107002 or block == other
        elif block != other and not {block, other} <= self.alive["device"] | self.alive["host"]:
            assert ret != 0

    @rule(context=contexts)
    def set_context(self, context: int) -> None:
        assert acl.rt.set_context(context) == (0 if context in self.contexts_of else 107000)

    @rule()
    def use_primary(self) -> None:
        assert acl.rt.set_context(self.primary) == 0

    # Destroying, also twice

    @rule(handle=descs)
    def destroy_desc(self, handle: int) -> None:
        assert acl.destroy_tensor_desc(handle) is None
        self.alive["descs"].discard(handle)
        assert acl.get_tensor_desc_type(handle) == -1
        assert acl.set_tensor_place_ment(handle, 0) == acl.set_tensor_format(handle, 2) == acl.set_tensor_origin_format(handle, 2) == 100000

    @rule(handle=buffers)
    def destroy_buffer(self, handle: int) -> None:
        assert (acl.destroy_data_buffer(handle) == 0) == (handle in self.alive["buffers"])
        self.alive["buffers"].discard(handle)

    @rule(handle=attrs)
    def destroy_attr(self, handle: int) -> None:
        assert acl.op.destroy_attr(handle) is None
        self.alive["attrs"].discard(handle)
        assert acl.op.set_attr_int(handle, "x", 1) == 100000

    @rule(handle=handles)
    def destroy_handle(self, handle: int) -> None:
        assert acl.op.destroy_handle(handle) is None
        self.alive["handles"].discard(handle)

    @rule(address=blocks, host=st.booleans(), inner=st.sampled_from([0, 0, 0, 32]))
    def free(self, address: int, host: bool, inner: int) -> None:
        ret = acl.rt.free_host(address + inner) if host else acl.rt.free(address + inner)
        live = self.alive["host" if host else "device"]
        assert ret == (0 if address in live and not inner else 107000)
        if ret == 0:
            live.discard(address)

    @rule(handle=streams, force=st.booleans())
    def destroy_stream(self, handle: int, force: bool) -> None:
        expected = self.stream_code(handle)
        assert (acl.rt.destroy_stream_force(handle) if force else acl.rt.destroy_stream(handle)) == expected
        if expected == 0:
            self.alive["streams"].discard(handle)

    @rule(handle=events)
    def destroy_event(self, handle: int) -> None:
        assert acl.rt.destroy_event(handle) == (0 if handle in self.alive["events"] else 107017)
        self.alive["events"].discard(handle)

    @rule(handle=contexts)
    def destroy_context(self, handle: int) -> None:
        ret = acl.rt.destroy_context(handle)
        assert (ret == 0) == (handle in self.contexts_of)
        assert ret in (0, 107002, 507007)
        if ret == 0:
            del self.contexts_of[handle]
            self.alive["streams"] -= {stream for stream, home in self.homes.items() if home == handle}

    @rule(wrong=anything, data=st.data())
    def handles_of_one_kind_are_none_of_another(self, wrong: int, data: st.DataObject) -> None:
        kind, call = data.draw(st.sampled_from(CALLS))
        if wrong in self.alive.get(kind, ()) or (kind == "contexts" and wrong in (*self.contexts_of, self.primary)):
            return
        ret = call(wrong)
        code = ret[-1] if isinstance(ret, tuple) else ret
        assert code in DEAD, (kind, code)

    def teardown(self) -> None:
        assert acl.rt.set_device(0) == 0
        counts = acl.tables()
        for name, key in (("descs", "descs"), ("buffers", "buffers"), ("attrs", "attrs"), ("handles", "handles"), ("events", "events")):
            assert counts[key] == len(self.alive[name]), name
        assert counts["device_memory"] == len(self.alive["device"]) and counts["host_memory"] == len(self.alive["host"])
        assert counts["streams"] == len(self.alive["streams"]) + counts["contexts"]
        destroy: dict[str, Any] = {
            "descs": acl.destroy_tensor_desc,
            "buffers": acl.destroy_data_buffer,
            "attrs": acl.op.destroy_attr,
            "handles": acl.op.destroy_handle,
            "events": acl.rt.destroy_event,
            "device": acl.rt.free,
            "host": acl.rt.free_host,
        }
        for context in self.contexts_of:
            assert acl.rt.destroy_context(context) == 0
        for name, call in destroy.items():
            for handle in self.alive[name]:
                assert not call(handle)
        assert acl.rt.set_device(0) == 0
        for stream in self.alive["streams"] - {s for s, home in self.homes.items() if home != self.primary}:
            assert acl.rt.destroy_stream(stream) == 0
        for _ in range(3):
            assert acl.rt.reset_device(0) == 0
        assert acl.rt.reset_device(0) == 507007
        assert not any(acl.tables().values()), acl.tables()
        assert acl.finalize() == 0


CALLS: list[tuple[str, Any]] = [
    ("descs", lambda handle: acl.set_tensor_shape(handle, [1])),
    ("descs", lambda handle: acl.get_tensor_desc_dim_v2(handle, 0)),
    ("buffers", lambda handle: acl.update_data_buffer(handle, 0, 0)),
    ("attrs", lambda handle: acl.op.set_attr_bool(handle, "x", 1)),
    ("handles", lambda handle: acl.op.execute_with_handle(handle, [], [], 0)),
    ("contexts", acl.rt.set_context),
    ("contexts", acl.rt.destroy_context),
    ("streams", lambda handle: acl.rt.record_event(handle, handle)),
    ("streams", acl.rt.destroy_stream),
    ("streams", acl.rt.synchronize_stream),
    ("events", lambda handle: acl.rt.query_event_status(handle)),
    ("events", acl.rt.destroy_event),
    ("device", acl.rt.free),
    ("host", acl.rt.free_host),
]

Machine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
TestLifetimes = Machine.TestCase
