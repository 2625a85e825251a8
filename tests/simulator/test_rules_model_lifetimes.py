"""Random calls of ``acl.mdl``: what is created, used and destroyed in whatever order never works when it is dead, and nothing is left.

Rules: MDL-10, MDL-16, MDL-17, MDL-19, MDL-31, K142, K143, K147 to K150, DB-3, RT-17, RT-22.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test
from model_program import convert, linear

from ascendtensor import simulator as acl

ROWS = 2
SIZES = {"input": ROWS * 16, "output": ROWS * 12}


class Machine(RuleBasedStateMachine):
    path = Path()
    models = Bundle("models")
    descs = Bundle("descs")
    datasets = Bundle("datasets")
    buffers = Bundle("buffers")
    contexts = Bundle("contexts")
    streams = Bundle("streams")

    def __init__(self) -> None:
        super().__init__()
        acl.faults.clear()
        acl.new_process()
        acl.configure()
        self.alive: dict[str, set[int]] = {name: set() for name in ("models", "descs", "buffers", "contexts", "streams")}
        self.described: set[int] = set()
        self.content: dict[int, list[int]] = {}
        self.homes: dict[int, int] = {}

    @initialize()
    def start(self) -> None:
        assert acl.init() == 0
        assert acl.rt.set_device(0) == 0
        self.primary, _ = acl.rt.get_context()
        self.block, ret = acl.rt.malloc(64, 0)
        assert ret == 0

    def current(self) -> int:
        context, ret = acl.rt.get_context()
        return int(context) if ret == 0 else 0

    # Creating

    @rule(target=models, in_memory=st.booleans())
    def load(self, in_memory: bool) -> Any:
        data = self.path.read_bytes()
        model, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(data), len(data)) if in_memory else acl.mdl.load_from_file(str(self.path))
        assert (ret == 0) == (self.current() != 0)
        if ret:
            return multiple()
        self.alive["models"].add(model)
        return model

    @rule(target=descs)
    def create_desc(self) -> int:
        handle = acl.mdl.create_desc()
        self.alive["descs"].add(handle)
        return handle

    @rule(target=datasets)
    def create_dataset(self) -> int:
        handle = acl.mdl.create_dataset()
        self.content[handle] = []
        return handle

    @rule(target=buffers, size=st.sampled_from([0, 24, 32, 64]))
    def create_buffer(self, size: int) -> int:
        handle = acl.create_data_buffer(self.block, size)
        self.alive["buffers"].add(handle)
        return handle

    @rule(target=contexts)
    def create_context(self) -> int:
        handle, ret = acl.rt.create_context(0)
        assert ret == 0
        self.alive["contexts"].add(handle)
        return handle

    @rule(target=streams)
    def create_stream(self) -> Any:
        handle, ret = acl.rt.create_stream()
        if ret:
            assert ret == 107002 and not self.current()
            return multiple()
        self.alive["streams"].add(handle)
        self.homes[handle] = self.current()
        return handle

    # Using

    @rule(dataset=datasets, buffer=buffers)
    def add_buffer(self, dataset: int, buffer: int) -> None:
        ret = acl.mdl.add_dataset_buffer(dataset, buffer)[1]
        assert (ret == 0) <= (dataset in self.content)
        if dataset not in self.content:
            assert ret == 100000
        elif ret == 0:
            self.content[dataset].append(buffer)
            assert acl.mdl.get_dataset_num_buffers(dataset) == len(self.content[dataset])

    @rule(desc=descs, model=models)
    def describe(self, desc: int, model: int) -> None:
        ret = acl.mdl.get_desc(desc, model)
        if desc not in self.alive["descs"]:
            assert ret == 100000
        else:
            assert ret == (0 if model in self.alive["models"] else 145003)
        if ret == 0:
            self.described.add(desc)
        if desc in self.described and desc in self.alive["descs"]:  # it outlives the model
            assert acl.mdl.get_input_size_by_index(desc, 0) == SIZES["input"]
            assert acl.mdl.get_output_dims(desc, 0)[0]["dims"] == [ROWS, 3]
        else:
            assert acl.mdl.get_num_inputs(desc) == 0
            assert acl.mdl.get_input_dims(desc, 0)[1] == 100000

    @rule(model=models, given=datasets, result=datasets, stream=st.one_of(st.just(0), streams), queued=st.booleans())
    def execute(self, model: int, given: int, result: int, stream: int, queued: bool) -> None:
        ret = acl.mdl.execute_async(model, given, result, stream) if queued else acl.mdl.execute(model, given, result)
        if model not in self.alive["models"]:
            assert ret in (145003, 100000, 107017, 107002, 107003)
        elif given not in self.content or result not in self.content:
            assert ret == 100000
        elif ret == 0:
            for dataset in (given, result):
                assert len(self.content[dataset]) == 1 and set(self.content[dataset]) <= self.alive["buffers"]
            assert not queued or stream == 0 or stream in self.alive["streams"]
        else:
            assert ret in (100000, 145000, 500002, 107002, 107003, 107017, 507011), ret

    @rule(stream=st.one_of(st.just(0), streams))
    def synchronize(self, stream: int) -> None:
        ret = acl.rt.synchronize_stream(stream)
        if stream and stream not in self.alive["streams"]:
            assert ret == 107017
        else:
            assert ret in (0, 107002, 507011)

    @rule(context=contexts)
    def set_context(self, context: int) -> None:
        assert acl.rt.set_context(context) == (0 if context in self.alive["contexts"] else 107000)

    @rule()
    def use_primary(self) -> None:
        assert acl.rt.set_context(self.primary) == 0

    # Destroying, also twice

    @rule(model=models)
    def unload(self, model: int) -> None:
        ret = acl.mdl.unload(model)
        assert ret == (0 if model in self.alive["models"] else 145003) or (ret == 107002 and not self.current())
        if ret == 0:
            self.alive["models"].discard(model)

    @rule(desc=descs)
    def destroy_desc(self, desc: int) -> None:
        assert acl.mdl.destroy_desc(desc) == (0 if desc in self.alive["descs"] else 100000)
        self.alive["descs"].discard(desc)

    @rule(dataset=datasets)
    def destroy_dataset(self, dataset: int) -> None:
        assert acl.mdl.destroy_dataset(dataset) == (0 if dataset in self.content else 100000)
        self.content.pop(dataset, None)
        assert acl.mdl.get_dataset_buffer(dataset, 0) == acl.mdl.get_dataset_num_buffers(dataset) == 0

    @rule(buffer=buffers)
    def destroy_buffer(self, buffer: int) -> None:
        assert (acl.destroy_data_buffer(buffer) == 0) == (buffer in self.alive["buffers"])
        self.alive["buffers"].discard(buffer)

    @rule(stream=streams)
    def destroy_stream(self, stream: int) -> None:
        ret = acl.rt.destroy_stream(stream)
        assert (ret == 0) <= (stream in self.alive["streams"])
        if ret == 0:
            self.alive["streams"].discard(stream)

    @rule(context=contexts)
    def destroy_context(self, context: int) -> None:
        ret = acl.rt.destroy_context(context)
        assert (ret == 0) == (context in self.alive["contexts"])
        if ret == 0:
            self.alive["contexts"].discard(context)
            self.alive["streams"] -= {stream for stream, home in self.homes.items() if home == context}

    def teardown(self) -> None:
        assert acl.rt.set_device(0) == 0
        counts = acl.tables()
        assert (counts["models"], counts["datasets"], counts["model_descs"], counts["buffers"]) == (
            len(self.alive["models"]),
            len(self.content),
            len(self.alive["descs"]),
            len(self.alive["buffers"]),
        )
        for model in self.alive["models"]:
            assert acl.mdl.unload(model) == 0
        for call, handles in (
            (acl.mdl.destroy_dataset, self.content),
            (acl.mdl.destroy_desc, self.alive["descs"]),
            (acl.destroy_data_buffer, self.alive["buffers"]),
            (acl.rt.destroy_context, self.alive["contexts"]),
        ):
            assert [call(handle) for handle in list(handles)] == [0] * len(handles)
        acl.finalize()
        acl.new_process()


def test_models_in_any_order(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("lifetimes")
    Machine.path = convert(linear(folder / "net.onnx"), folder / "net", input_shape=f"x:{ROWS},4")
    chosen = settings(
        max_examples=25, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )
    run_state_machine_as_test(Machine, settings=chosen)
