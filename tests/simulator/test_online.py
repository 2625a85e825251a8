"""Compiling inside the process (OM-9 to OM-18, OP-3, K132 to K134), and host-placed inputs of models made so (OM-27, OM-29).

pyACL has no such functions (PY-9); the simulator's lie outside the module `acl`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import Add, add_operator, desc, download, empty, load, operator, tensor, upload

from ascendtensor import simulator
from ascendtensor.simulator import online
from ascendtensor.simulator.engine.matching import TABLE
from ascendtensor.simulator.engine.tables import DESCS

HOST, INDEPENDENT = 1, 2
RANGES = [[1, -1], [3, 3]]


def compile_(op_type: str, inputs: list[int], outputs: list[int], attr: int = 0) -> int:
    return online.compile_operator(op_type, len(inputs), inputs, len(outputs), outputs, attr, 0, online.SYS, None)


def adds(acl: ModuleType, *shape: int) -> tuple[list[int], list[int]]:
    return [desc(acl, shape), desc(acl, shape)], [desc(acl, shape)]


def compile_add(acl: ModuleType, *shape: int) -> int:
    return compile_("Add", *adds(acl, *shape))


def finds_add(acl: ModuleType, *shape: int) -> int:
    return int(acl.op.create_handle("Add", *adds(acl, *shape), 0)[1])


def place(acl: ModuleType, handle: int, placement: int) -> int:
    assert acl.set_tensor_place_ment(handle, placement) == 0
    return handle


# The functions are no part of pyACL


def test_pyacl_has_no_compile_function(acl: ModuleType) -> None:  # PY-9
    assert {name for name in (*dir(acl), *dir(acl.op)) if "ompile" in name} <= {"register_compile_func", "unregister_compile_func"}


# Compiling


def test_a_compiled_operator_runs_by_handle(acl: ModuleType) -> None:  # OM-14
    assert finds_add(acl, 2, 3) == 100024
    assert compile_add(acl, 2, 3) == 0
    assert finds_add(acl, 2, 3) == 0
    add = Add(acl, 2, 3, model=False)
    assert add.execute() == 0
    (model,) = TABLE.of_type("Add")
    assert model.online


@pytest.fixture
def exact(acl: ModuleType) -> None:
    """Compiled models of the very shapes, as of chips without prebuilt kernels: JIT is on."""
    assert online.set_compile_option(online.Option.OP_JIT_COMPILE, "enable") == 0


@pytest.mark.parametrize("jit", ["enable", None])
def test_without_jit_models_are_generalised(acl: ModuleType, jit: str | None) -> None:  # OM-18, OM-20, OM-26
    # Where JIT is off, as it is on a 910B, ge.shape_generalized is on: dims are opened, outputs are of any rank (graph engine,
    # SetJitCompileDefaultValue, CreateGeneralizedBuildAttrs). Constants stay, and so do descriptions without dims.
    if jit:
        assert online.set_compile_option(online.Option.OP_JIT_COMPILE, jit) == 0
    assert compile_add(acl, 2, 3) == compile_add(acl, 5, 1) == compile_add(acl) == 0
    axes, data = desc(acl, [1], "int64"), np.array([1]).tobytes()
    assert acl.set_tensor_const(axes, acl.util.bytes_to_ptr(data), len(data)) == 0
    attr = acl.op.create_attr()
    assert acl.op.set_attr_bool(attr, "keep_dims", 0) == 0
    assert compile_("ReduceSum", [desc(acl, [2, 3]), axes], [desc(acl, [2])], attr) == 0
    dims = [[spec.dims for spec in (*model.inputs, *model.outputs)] for name in ("Add", "ReduceSum") for model in TABLE.of_type(name)]
    opened = [[()] * 3, [(-1, -1), (-1, -1), (-2,)], [(-1, -1), (1,), (-2,)]]
    assert dims == (opened if jit is None else [[(2, 3)] * 3, [(5, 1)] * 3, [()] * 3, [(2, 3), (1,), (2,)]])
    assert finds_add(acl, 7, 7) == (0 if jit is None else 100024)


def test_a_handle_of_a_dynamic_model_is_made_before_it_runs_without(acl: ModuleType) -> None:  # HD-6, HD-10
    # The first execute_v2 of a dynamic model drops its bytes (graph engine, OpExecutor::PrepareRt2Execute, UnloadModelData); a handle has
    # those that there were when it was made, and loads them at its first launch (OpExecutor::LoadDynamicSingleOp).
    assert compile_add(acl, 4) == 0
    add = Add(acl, 4, model=False)
    early = add.handle()
    assert add.execute() == 0
    late = add.handle()
    assert acl.op.execute_with_handle(late, add.inputs, add.outputs, 0) == 145006
    assert acl.op.execute_with_handle(early, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    load(acl, add_operator(5))  # a static one keeps them
    add = Add(acl, 5, model=False)
    online.set_compile_option(online.Option.OP_JIT_COMPILE, "enable")  # and is found first then
    assert add.execute() == 0
    assert acl.op.execute_with_handle(add.handle(), add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0


def test_what_matches_is_not_compiled_again(acl: ModuleType) -> None:  # OM-14
    for _ in range(3):
        assert compile_add(acl, 2) == 0
    assert online.Compiled.count == 1
    load(acl, add_operator(5))
    assert compile_add(acl, 5) == 0
    assert online.Compiled.count == 1 and TABLE.count == 2


def test_order_of_checks(acl: ModuleType) -> None:  # OM-13, K132
    x, host = desc(acl, [2]), place(acl, desc(acl, [2]), HOST)

    def attempt(op_type: Any, inputs: Any, outputs: Any, flag: int = 0, path: Any = None, counts: tuple[int, int] = (2, 1)) -> int:
        return online.compile_operator(op_type, counts[0], inputs, counts[1], outputs, 0, 0, flag, path)

    assert attempt(None, None, None, 7, counts=(-1, 1)) == 100000  # counts first
    assert attempt(None, None, None, 7, counts=(1, -1)) == 100000
    assert attempt(None, None, None, 7) == 200001  # then the flag
    assert attempt(None, [x, x], [x]) == 100000  # the type
    assert attempt("Add", None, [x]) == 100000  # descriptions
    assert attempt("Add", [x, 0], [x]) == attempt("Add", [x], [x]) == attempt("Add", [x, x], [0]) == 100000
    assert attempt("Add", [x, host], [x], 1) == 200001  # host-placed, before the path
    assert attempt("Add", [x, place(acl, desc(acl, [2]), INDEPENDENT)], [x]) == 200001
    assert attempt("Add", [x, x], [host]) == 200001
    assert attempt("Add", [x, x], [x], 1) == 100000  # UNREGISTERED without a path
    assert attempt("Nope", [x, x], [x]) == 500002  # the compiler itself
    assert "IR for Op [Nope] is not registered" in acl.get_recent_err_msg()
    assert attempt("Add", [x, x], [x], 1, "/opp") == attempt("Add", [x, x], [x]) == 0


def test_a_constant_may_be_placed_on_the_host(acl: ModuleType) -> None:  # OM-13: non-const ones are refused
    axes = desc(acl, [1], "int64")
    data = np.array([1]).tobytes()
    assert acl.set_tensor_const(axes, acl.util.bytes_to_ptr(data), len(data)) == 0
    attr = acl.op.create_attr()
    assert acl.op.set_attr_bool(attr, "keep_dims", 0) == 0
    assert compile_("ReduceSum", [desc(acl, [2, 3]), place(acl, axes, HOST)], [desc(acl, [2])], attr) == 0


@pytest.mark.parametrize(
    ("dims", "ranges", "code"),
    [
        ([-1, 3], RANGES, 0),
        ([-1, 3], [], 100000),  # K133
        ([-1, 3], [[1, -1]], 100000),
        ([-2], [], 0),
        ([-2], [[1, 2]], 100000),
        ([-2, 3], [], 100000),
    ],
)
def test_open_dims_need_ranges(acl: ModuleType, dims: list[int], ranges: list[list[int]], code: int) -> None:  # OM-15, K133
    x, y = desc(acl, dims), desc(acl, dims)
    if ranges:
        assert acl.set_tensor_shape_range(x, ranges) == 0
    output_ranges = ranges if code == 0 and -1 in dims else []
    assert output_ranges == [] or acl.set_tensor_shape_range(y, []) == 0  # outputs may omit them
    attr = acl.op.create_attr()
    for name, value in (("base", -1.0), ("scale", 1.0), ("shift", 0.0)):
        acl.op.set_attr_float(attr, name, value)
    assert compile_("Exp", [x], [y], attr) == code


def test_a_dynamic_model_serves_its_range(acl: ModuleType) -> None:  # OM-15, OM-25
    dynamic = desc(acl, [-1, 3])
    assert acl.set_tensor_shape_range(dynamic, [[1, 8], [3, 3]]) == 0
    assert compile_("Add", [dynamic, dynamic], [dynamic]) == 0
    assert finds_add(acl, 8, 3) == 0 and finds_add(acl, 9, 3) == 100024 and finds_add(acl, 8, 4) == 100024


def test_jit_off_tries_dynamic_models_first(acl: ModuleType) -> None:  # OM-18, OM-20, OM-21
    opened = desc(acl, [-1])
    assert acl.op.create_handle("Add", [opened, opened], [opened], 0)[1] == 100000
    assert compile_add(acl, 2) == 0  # on this chip the first compile sets JIT off
    assert acl.op.create_handle("Add", [opened, opened], [opened], 0)[1] == 100024
    assert online.get_compile_option(online.Option.OP_JIT_COMPILE, 256) == ("disable", 0)


def test_the_user_s_choice_of_jit_stays(acl: ModuleType) -> None:  # OM-18
    assert online.set_compile_option(online.Option.OP_JIT_COMPILE, "enable") == 0
    assert compile_add(acl, 2) == 0
    assert not TABLE.dynamic_first


def test_options(acl: ModuleType) -> None:  # OM-17, K134
    for option in online.Option:
        expected = 200006 if option == online.Option.AUTO_TUNE_MODE else 0
        assert online.set_compile_option(int(option), "enable") == expected
        assert online.set_compile_option(int(option), None) == 100000
    assert online.set_compile_option(99, "x") == 500000
    assert online.get_compile_option(online.Option.PRECISION_MODE, 256) == (None, 200001)
    assert online.get_compile_option(online.Option.OP_JIT_COMPILE, 255) == (None, 500001)
    simulator.new_process()
    assert online.get_compile_option(online.Option.OP_JIT_COMPILE, 256) == ("enable", 0)


# Ageing


@pytest.mark.usefixtures("exact")
def test_the_oldest_compiled_model_goes(acl: ModuleType) -> None:  # OM-10, OM-11
    assert acl.op.set_max_op_queue_num(3) == 0
    for length in (1, 2, 3):
        assert compile_add(acl, length) == 0
    assert finds_add(acl, 1) == 0  # its last match is the newest now
    assert compile_add(acl, 4) == 0
    assert [finds_add(acl, length) for length in (1, 2, 3, 4)] == [0, 100024, 0, 0]
    assert TABLE.count == 3
    assert compile_add(acl, 2) == 0 and finds_add(acl, 2) == 0, "compiled once more"


def test_loaded_models_never_age_but_count(acl: ModuleType) -> None:  # OM-10
    for length in (1, 2, 3):
        load(acl, add_operator(length))
    assert acl.op.set_max_op_queue_num(3) == 0
    assert compile_add(acl, 4) == 0
    assert [finds_add(acl, length) for length in (1, 2, 3, 4)] == [0, 0, 0, 100024]


@pytest.mark.usefixtures("exact")
def test_lowering_the_maximum_evicts_nothing_by_itself(acl: ModuleType) -> None:  # OM-9, OM-11
    assert acl.op.set_max_op_queue_num(0) == 100000
    for length in (1, 2, 3, 4):
        compile_add(acl, length)
    assert acl.op.set_max_op_queue_num(1) == 0
    assert TABLE.count == 4
    assert compile_add(acl, 5) == 0
    assert TABLE.count == 4 and finds_add(acl, 1) == 100024, "exactly one goes for each that comes"


@pytest.mark.usefixtures("exact")
def test_a_handle_dies_with_its_model(acl: ModuleType) -> None:  # HD-5, OM-11
    # Ageing unloads the executors of a model (graph engine, OpModelCache::Delete, StreamResource::DeleteOperator), and handles keep bare
    # pointers to those that they have launched by (OpHandle::cachedOperators). One that was not launched yet loads its own copy.
    assert acl.op.set_max_op_queue_num(2) == 0
    compile_add(acl, 4)
    used, unused = (acl.op.create_handle("Add", *adds(acl, 4), 0)[0] for _ in range(2))
    a, b = (upload(acl, np.full(4, value, np.float32))[0] for value in (1, 2))
    result, address = empty(acl, 16)
    for _ in range(2):
        assert acl.op.execute_with_handle(used, [a, b], [result], 0) == 0
    compile_add(acl, 5)
    assert acl.op.execute_with_handle(used, [a, b], [result], 0) == 0
    compile_add(acl, 6)
    assert finds_add(acl, 4) == 100024
    assert acl.op.execute_with_handle(used, [a, b], [result], 0) == 500002
    assert "aged" in acl.get_recent_err_msg()
    assert acl.op.execute_with_handle(unused, [a, b], [result], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, (4,)).tolist() == [3, 3, 3, 3]


def test_an_aged_model_is_missed_by_execute_too(acl: ModuleType) -> None:  # OM-11
    assert acl.op.set_max_op_queue_num(1) == 0
    compile_add(acl, 2, 3)
    add = Add(acl, 2, 3, model=False)
    assert add.execute() == 0
    compile_add(acl, 7)
    assert add.execute() == 100024


# Compile and execute


class Launch:
    """One call of aclopCompileAndExecuteV2 for Add of two vectors."""

    def __init__(self, acl: ModuleType, length: int = 4, placement: int = 0, value: float = 2.0) -> None:
        self.acl = acl
        self.inputs = [desc(acl, [length]), desc(acl, [] if placement else [length])]
        self.outputs = [desc(acl, [length])]
        self.host = np.array(value, np.float32)
        a = upload(acl, np.arange(length, dtype=np.float32))[0]
        if placement:
            place(acl, self.inputs[1], placement)
            b = acl.create_data_buffer(self.host.__array_interface__["data"][0], 4)
        else:
            b = upload(acl, np.full(length, value, np.float32))[0]
        result, self.address = empty(acl, 4 * length)
        self.buffers = [a, b], [result]
        self.length = length

    def run(self, op_type: Any = "Add", flag: int = 0, path: Any = None, **other: Any) -> int:
        inputs, outputs = other.get("inputs", self.inputs), other.get("outputs", self.outputs)
        buffers = other.get("buffers", self.buffers)
        counts = other.get("counts", (len(self.inputs), len(self.outputs)))
        return online.compile_and_execute_v2(op_type, counts[0], inputs, buffers[0], counts[1], outputs, buffers[1], 0, 0, flag, path, 0)

    def result(self) -> list[float]:
        assert self.acl.rt.synchronize_stream(0) == 0
        values: list[float] = download(self.acl, self.address, (self.length,)).tolist()
        return values


def test_one_call_compiles_and_runs(acl: ModuleType) -> None:  # OP-3, OM-16
    launch = Launch(acl)
    assert launch.run() == 0 and launch.result() == [2, 3, 4, 5]
    assert launch.run() == 0 and online.Compiled.count == 1


def test_order_of_checks_of_compile_and_execute(acl: ModuleType) -> None:  # OP-3
    launch = Launch(acl)
    bad = acl.create_data_buffer(0, 16)
    assert launch.run(None, 7, counts=(-1, 1)) == 100000
    assert launch.run(None, 7) == 200001
    assert launch.run(None) == 100000
    assert launch.run(inputs=[launch.inputs[0], 0]) == 100000
    assert launch.run(buffers=(None, launch.buffers[1])) == launch.run(buffers=([0, 0], launch.buffers[1])) == 100000
    assert launch.run(buffers=([launch.buffers[0][0], bad], launch.buffers[1])) == 100000, "no address with a length"
    empty_output = desc(acl, [0])
    assert launch.run(outputs=[empty_output], buffers=([launch.buffers[0][0], bad], launch.buffers[1])) == 100000, "buffers first"
    assert launch.run("Nope", 1, outputs=[empty_output]) == 0, "then the all-empty shortcut"
    assert launch.run(flag=1) == 100000, "then the path"
    assert launch.run("Nope") == 500002


@pytest.mark.parametrize("placement", [HOST, INDEPENDENT])
def test_host_placed_inputs_run_and_are_copied_at_once(acl: ModuleType, placement: int) -> None:  # OP-7, OM-29
    launch = Launch(acl, placement=placement)
    assert launch.run() == 0
    launch.host[...] = 100  # the memory may be used again after the call
    assert launch.result() == [2, 3, 4, 5]
    (model,) = TABLE.of_type("Add")
    assert model.inputs[1].placement == placement, "the online compiler writes the placement"


def test_with_jit_a_host_value_is_part_of_the_model(acl: ModuleType) -> None:  # OM-27
    online.set_compile_option(online.Option.OP_JIT_COMPILE, "enable")
    for value, models in ((2.0, 1), (3.0, 2), (2.0, 2)):
        launch = Launch(acl, placement=HOST, value=value)
        assert launch.run() == 0 and launch.result()[0] == value
        assert len(TABLE.of_type("Add")) == models
    # The specialised models match for exactly their values.
    launch = Launch(acl, placement=HOST, value=3.0)
    call = ("Add", launch.inputs, launch.buffers[0], launch.outputs, launch.buffers[1], 0, 0)
    assert acl.op.execute_v2(*call) == 0
    launch.host[...] = 4
    assert acl.op.execute_v2(*call) == 100024


def test_with_jit_an_independent_host_value_is_not(acl: ModuleType) -> None:  # OM-27
    online.set_compile_option(online.Option.OP_JIT_COMPILE, "enable")
    for value in (2.0, 3.0):
        launch = Launch(acl, placement=INDEPENDENT, value=value)
        assert launch.run() == 0 and launch.result()[0] == value
    assert len(TABLE.of_type("Add")) == 1


def test_a_host_placed_input_misses_models_of_atc(acl: ModuleType) -> None:  # OM-29
    load(acl, operator("Add", [tensor([4]), tensor([])], [tensor([4])]))
    launch = Launch(acl, placement=HOST)
    assert acl.op.execute_v2("Add", launch.inputs, launch.buffers[0], launch.outputs, launch.buffers[1], 0, 0) == 100024


def test_real_output_dims_are_written_back(acl: ModuleType) -> None:  # OP-13
    x = np.array([1, 0, 2, 0], np.float32)
    attr = acl.op.create_attr()
    acl.op.set_attr_bool(attr, "transpose", 0)
    acl.op.set_attr_data_type(attr, "dtype", 9)
    bound = desc(acl, [4, 1], "int64")
    result, address = empty(acl, 32)
    source = upload(acl, x)[0]
    assert online.compile_and_execute_v2("NonZero", 1, [desc(acl, [4])], [source], 1, [bound], [result], attr, 0, 0, None, 0) == 0
    assert DESCS[bound].dims == [2, 1]
    assert download(acl, address, (2,), np.int64).tolist() == [0, 2]
