"""Kernels with dynamic tiling: selectors, kernels, prepared parameters (TIK-1 to TIK-10, K10, K126 to K131, OM-12, OP-5, HD-4)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import desc, download, empty, upload

from ascendtensor import simulator
from ascendtensor.simulator.engine import custom

SCALE = "test_scale"
TYPE = "ScaleBy"


def scale(launch: simulator.KernelLaunch) -> None:
    """y = factor * x, the factor from the tiling bytes; notes what else it got."""
    (factor,) = struct.unpack("<f", launch.tiling)
    np.multiply(launch.inputs[0], np.float32(factor), launch.outputs[0])
    if launch.workspaces:
        launch.outputs[0].reshape(-1)[0] = len(launch.workspaces) * 1000 + launch.workspaces[0].size + launch.block_dim


def broken(launch: simulator.KernelLaunch) -> None:
    raise ValueError("the kernel broke")


@pytest.fixture(autouse=True)
def kernels() -> Iterator[None]:
    simulator.register_kernel(SCALE, scale)
    simulator.register_kernel("test_broken", broken)
    yield
    custom._KERNELS.pop(SCALE, None)
    custom._KERNELS.pop("test_broken", None)


class Program:
    """A kernel with its selector, and one input and output."""

    def __init__(self, acl: ModuleType, *shape: int, factor: float = 2.0, name: str = SCALE, register: bool = True) -> None:
        self.acl, self.factor, self.calls, self.sizes = acl, factor, [], []  # type: ignore[var-annotated]
        self.kernel_id = "scale"
        self.binary = simulator.kernel_binary(name)
        if register:
            assert acl.op.register_compile_func(TYPE, self.select) == 0
            assert self.create() == 0
        self.x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        self.descs = [desc(acl, shape)], [desc(acl, shape)]
        self.input, _ = upload(acl, self.x)
        self.output, self.address = empty(acl, self.x.nbytes)

    def create(self, kernel_id: str = "scale", name: str = SCALE, engine: int = 1, deallocator: int = 0, ptr: int | None = None) -> int:
        ptr = self.acl.util.bytes_to_ptr(self.binary) if ptr is None else ptr
        code: int = self.acl.op.create_kernel(TYPE, kernel_id, name, ptr, len(self.binary), engine, deallocator)
        return code

    def select(self, *args: Any) -> int:
        self.calls.append(args)
        tiling = struct.pack("<f", self.factor)
        assert self.acl.op.set_kernel_args(args[-1], self.kernel_id, 8, self.acl.util.bytes_to_ptr(tiling), 4) == 0
        if self.sizes:
            words = struct.pack(f"<{len(self.sizes)}Q", *self.sizes)
            assert self.acl.op.set_kernel_workspace_sizes(args[-1], len(self.sizes), self.acl.util.bytes_to_ptr(words)) == 0
        return 12345  # TIK-5: ignored

    def update(self, attr: int = 0) -> int:
        code: int = self.acl.op.update_params(TYPE, *self.descs, attr)
        return code

    def execute(self, attr: int = 0) -> int:
        code: int = self.acl.op.execute_v2(TYPE, self.descs[0], [self.input], self.descs[1], [self.output], attr, 0)
        return code

    def result(self) -> Any:
        assert self.acl.rt.synchronize_stream(0) == 0
        return download(self.acl, self.address, self.x.shape)


def test_the_flow(acl: ModuleType) -> None:  # TIK-1, TIK-5, TIK-8, TIK-9
    program = Program(acl, 3, 4)
    assert program.execute() == 100024  # OP-5: nothing prepared, no model
    assert program.update() == 0
    (call,) = program.calls
    assert call[:5] == (1, program.descs[0], 1, program.descs[1], 0)
    assert program.execute() == 0
    assert np.array_equal(program.result(), 2 * program.x)
    program.factor = 5.0
    assert program.execute() == 0  # TIK-5: only update_params calls the selector
    assert len(program.calls) == 1
    assert program.update() == 0  # the same descriptions again replace what was kept
    assert program.execute() == 0
    assert np.array_equal(program.result(), 5 * program.x)


def test_other_descriptions_need_another_update(acl: ModuleType) -> None:  # TIK-8
    program = Program(acl, 3, 4)
    assert program.update() == 0
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "axis", 1)
    assert program.execute(attr) == 100024
    assert program.update(attr) == 0
    acl.op.set_attr_int(attr, "axis", 2)
    assert program.execute(attr) == 100024
    acl.op.set_attr_int(attr, "axis", 1)
    assert program.execute(attr) == 0
    program.descs = [desc(acl, (12,))], [desc(acl, (12,))]
    assert program.execute() == 100024


def test_workspaces(acl: ModuleType) -> None:  # TIK-7
    program = Program(acl, 4)
    program.sizes = [64, 128]
    assert program.update() == 0
    assert program.execute() == 0
    assert program.result()[0] == 2000 + 64 + 8
    program.sizes = [32] * 17
    assert program.update() == 0
    assert program.execute() == 100000


def test_a_handle_is_bound_to_the_kernel(acl: ModuleType) -> None:  # HD-4, TIK-10
    program = Program(acl, 3, 4)
    assert acl.op.create_handle(TYPE, *program.descs, 0) == (0, 100024)
    assert program.update() == 0
    handle, ret = acl.op.create_handle(TYPE, *program.descs, 0)
    assert ret == 0
    assert acl.op.unregister_compile_func(TYPE) == 0
    assert program.execute() == 100024
    for _ in range(2):
        assert acl.op.execute_with_handle(handle, [program.input], [program.output], 0) == 0
    assert np.array_equal(program.result(), 2 * program.x)
    acl.op.destroy_handle(handle)


def test_a_failing_kernel(acl: ModuleType) -> None:  # OP-18
    program = Program(acl, 4, name="test_broken")
    assert program.update() == 0
    assert program.execute() == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert "the kernel broke" in acl.get_recent_err_msg()


def test_register(acl: ModuleType) -> None:  # TIK-2, K10, K126
    assert acl.op.register_compile_func(TYPE, print) == 0
    assert acl.op.register_compile_func(TYPE, len) == 100030
    assert acl.op.unregister_compile_func(TYPE) == 0
    assert acl.op.unregister_compile_func(TYPE) == 0
    assert acl.op.register_compile_func(TYPE, len) == 0
    with pytest.raises(TypeError, match=r"argument 2 must be a callback function\."):
        acl.op.register_compile_func("Other", 1)


@pytest.mark.parametrize("defects", [False, True])
def test_a_second_registration_swaps_the_function_with_the_bindings_defects(acl: ModuleType, defects: bool) -> None:  # PY-20
    seen: list[str] = []
    simulator.engine.process.State.binding_defects = defects
    try:
        assert acl.op.register_compile_func(TYPE, lambda *_: seen.append("first")) == 0
        assert acl.op.register_compile_func(TYPE, lambda *_: seen.append("second")) == 100030
    finally:
        simulator.engine.process.State.binding_defects = False
    acl.op.update_params(TYPE, [], [], 0)
    assert seen == ["second" if defects else "first"]


def test_create_kernel(acl: ModuleType) -> None:  # TIK-3, K127, K128
    program = Program(acl, 2)
    assert program.create() == 100031
    assert program.create("other", engine=0) == 100000
    assert program.create("other", ptr=0) == 100000
    assert program.create("other", engine=2) == 0
    program.binary = b"\x7fELF: what a real compiler wrote"
    assert program.create("real", SCALE) == 0  # the kernel's name counts
    assert program.create("unknown", "no_such_kernel") == 100000
    assert "register_kernel" in acl.get_recent_err_msg()
    program.binary = simulator.kernel_binary("first", "second")
    assert program.create("third", "third") == 100000
    program.binary = custom.MAGIC + b"{"
    assert program.create("damaged") == 100000


def test_the_deallocator_frees_the_binary(acl: ModuleType) -> None:  # TIK-3
    program = Program(acl, 2)
    pinned, _ = acl.rt.malloc_host(len(program.binary))
    acl.rt.memcpy(pinned, len(program.binary), acl.util.bytes_to_ptr(program.binary), len(program.binary), 0)
    assert program.create("pinned", deallocator=1, ptr=pinned) == 0
    assert simulator.tables()["host_memory"] == 1
    assert acl.finalize() == 0
    assert simulator.tables()["host_memory"] == 0


def test_update_params_misuse(acl: ModuleType) -> None:  # TIK-4, K129, K130
    program = Program(acl, 2)
    assert acl.op.update_params("Unknown", [], [], 0) == 100028
    assert acl.op.update_params(TYPE, [0], [], 0) == 100000
    assert acl.op.update_params(TYPE, program.descs[0], [0], 0) == 100000
    program.kernel_id = "never created"
    assert program.update() == 100029
    acl.op.unregister_compile_func(TYPE)

    def raising(*args: Any) -> None:
        raise RuntimeError("selector")

    acl.op.register_compile_func(TYPE, raising)  # TIK-5: the binding leaves it pending
    with pytest.raises(SystemError, match="<built-in function update_params> returned a result with an exception set") as caught:
        program.update()
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_kernel_descriptions_live_inside_the_selector(acl: ModuleType) -> None:  # TIK-6, TIK-7, K131
    codes: list[int] = []
    kept: list[int] = []
    word = acl.util.bytes_to_ptr(struct.pack("<Q", 8))

    def select(*args: Any) -> None:
        kept.append(args[-1])
        codes.append(acl.op.set_kernel_args(args[-1], "scale", 1, 0, 4))
        codes.append(acl.op.set_kernel_args(0, "scale", 1, word, 4))
        codes.append(acl.op.set_kernel_workspace_sizes(args[-1], -1, word))
        codes.append(acl.op.set_kernel_workspace_sizes(args[-1], 1, 0))
        codes.append(acl.op.set_kernel_workspace_sizes(0, 1, word))

    acl.op.register_compile_func(TYPE, select)
    assert acl.op.update_params(TYPE, [], [], 0) == 100029
    assert codes == [100000] * 5
    assert acl.op.set_kernel_args(kept[0], "scale", 1, word, 4) == 100000


def test_the_parameter_table_is_bounded(acl: ModuleType) -> None:  # OM-12
    program = Program(acl, 4)
    assert acl.op.set_max_op_queue_num(2) == 0
    for axis in range(3):
        attr = acl.op.create_attr()
        acl.op.set_attr_int(attr, "axis", axis)
        assert program.update(attr) == 0
        assert program.execute(attr) == 0
    first = acl.op.create_attr()
    acl.op.set_attr_int(first, "axis", 0)
    assert program.execute(first) == 100024


def test_register_kernel_takes_a_name_and_a_function() -> None:
    for wrong in ((1, len), ("name", 1)):
        with pytest.raises(TypeError):
            simulator.register_kernel(*wrong)
