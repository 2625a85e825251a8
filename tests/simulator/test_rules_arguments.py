"""What the binding refuses before anything is looked at, also where an equal value was taken before (PY-1 .. PY-8, K1 .. K10)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import Add, desc, empty, load, operator, tensor, upload


@pytest.mark.parametrize("convert", [float, np.int64, np.uint64, str])
def test_a_number_of_another_type_is_refused_also_after_an_equal_one(acl: ModuleType, convert: Callable[[int], Any]) -> None:
    # PY-3, PY-5, K2, K4
    add = Add(acl, 4)
    handle = add.handle()
    stream, _ = acl.rt.create_stream()
    launch = acl.op.execute_with_handle
    for used in (stream, 0):
        assert launch(handle, add.inputs, add.outputs, used) == 0
        with pytest.raises(TypeError, match=r"acl\.op\.execute_with_handle args parse failed"):
            launch(handle, add.inputs, add.outputs, convert(used))
        with pytest.raises(TypeError, match=r"acl\.op\.execute_with_handle args parse failed"):
            launch(convert(handle), add.inputs, add.outputs, used)
        for position in (0, 1):
            inputs: list[Any] = list(add.inputs)
            inputs[position] = convert(inputs[position])
            with pytest.raises(TypeError, match="the list argument is not list of int"):
                launch(handle, inputs, add.outputs, used)
        with pytest.raises(TypeError, match="the list argument is not list of int"):
            launch(handle, add.inputs, [convert(add.outputs[0])], used)
        assert launch(handle, add.inputs, add.outputs, used) == 0
    assert acl.rt.synchronize_device() == 0


@pytest.mark.parametrize("position", [0, 1, 2])
def test_every_number_of_a_long_list_is_looked_at(acl: ModuleType, position: int) -> None:  # PY-5, K4
    x = tensor([4])
    load(acl, operator("SelectV2", [tensor([4], "bool"), x, x], [x]))
    handle, ret = acl.op.create_handle("SelectV2", [desc(acl, [4], "bool"), desc(acl, [4]), desc(acl, [4])], [desc(acl, [4])], 0)
    assert ret == 0
    arrays = np.array([True, False] * 2), np.ones(4, np.float32), np.zeros(4, np.float32)
    good = [upload(acl, array)[0] for array in arrays]
    outputs = [empty(acl, 16)[0]]
    assert acl.op.execute_with_handle(handle, good, outputs, 0) == 0
    bad: list[Any] = list(good)
    bad[position] = np.int64(bad[position])
    with pytest.raises(TypeError, match="the list argument is not list of int"):
        acl.op.execute_with_handle(handle, bad, outputs, 0)
    for _ in range(2):
        assert acl.op.execute_with_handle(int(str(handle)), [int(str(number)) for number in good], outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0


def test_dims_and_bounds_do_not_wrap(acl: ModuleType) -> None:  # PY-12, K5
    for number in (1 << 63, -(1 << 63) - 1):
        with pytest.raises(ValueError, match="PyLong_AsLongLong failed"):
            acl.create_tensor_desc(0, [number], 2)
        with pytest.raises(ValueError, match="PyLong_AsLongLong failed"):
            acl.set_tensor_shape_range(acl.create_tensor_desc(0, [-1], 2), [[0, number]])
        with pytest.raises(ValueError, match="get values from PyList failed"):
            acl.op.set_attr_list_int(acl.op.create_attr(), "axes", [number])
        with pytest.raises(TypeError):
            acl.op.set_attr_int(acl.op.create_attr(), "axis", number)
    with pytest.raises(ValueError, match="PyLong_AsLong failed"):
        acl.op.set_attr_list_data_type(acl.op.create_attr(), "types", [1 << 31])


def test_addresses_and_sizes_wrap(acl: ModuleType) -> None:  # PY-3
    buffer = acl.create_data_buffer(-1, (1 << 64) + 5)
    assert acl.get_data_buffer_addr(buffer) == (1 << 64) - 1
    assert acl.get_data_buffer_size_v2(buffer) == 5
    assert acl.rt.malloc(-1, 0) == (0, 100000)  # RT-28: rounding overflows
    assert acl.rt.malloc(True, 0)[1] == 0


def test_numbers_of_c_ints_need_an_index_only(acl: ModuleType) -> None:  # PY-3
    assert acl.create_tensor_desc(np.int32(0), [2], np.int64(2)) != 0
    assert acl.rt.set_device(np.int64(0)) == 0
    assert acl.rt.malloc(64, np.int8(0))[1] == 0
    for number in (1 << 31, -(1 << 31) - 1):
        with pytest.raises(TypeError, match=r"acl\.rt\.set_device args parse failed"):
            acl.rt.set_device(number)


def test_handles_are_plain_ints_that_nothing_frees(acl: ModuleType) -> None:  # PY-1
    handles = [acl.create_tensor_desc(0, [], 2), acl.create_data_buffer(0, 0), acl.op.create_attr(), acl.rt.create_stream()[0]]
    handles += [acl.rt.create_event()[0], acl.rt.malloc(8, 0)[0], acl.rt.malloc_host(8)[0]]
    assert {type(handle) for handle in handles} == {int}
    before = acl.tables()
    del handles
    assert acl.tables() == before
    assert before["descs"] == before["buffers"] == before["attrs"] == before["events"] == 1


def test_the_default_stream_is_zero_never_none(acl: ModuleType) -> None:  # PY-4
    assert acl.rt.synchronize_stream(0) == 0
    for call in (acl.rt.synchronize_stream, acl.rt.stream_query, acl.rt.destroy_stream, acl.rt.free):
        with pytest.raises(TypeError):
            call(None)


@pytest.mark.parametrize("extra", [1, 2, 5])
def test_buffers_beyond_the_descriptions_are_null_descriptions(acl: ModuleType, extra: int) -> None:  # PY-8, K102
    add = Add(acl, 4)
    more = add.inputs * 4
    execute = acl.op.execute_v2
    assert execute("Add", add.in_descs, more[: 2 + extra], add.out_descs, add.outputs, 0, 0) == 100000
    assert execute("Add", add.in_descs, add.inputs, add.out_descs, more[: 1 + extra], 0, 0) == 100000
    assert execute("Add", add.in_descs * 2, add.inputs, add.out_descs * 3, add.outputs, 0, 0) == 0
    assert acl.op.infer_shape("Add", add.in_descs, add.inputs, 1 + extra, add.out_descs, 0) == 100000
    assert acl.rt.synchronize_stream(0) == 0


def test_members_of_a_repeated_input_follow_each_other(acl: ModuleType) -> None:  # TD-20
    x = tensor([2], dynamic_input="x")
    load(acl, operator("Pack", [x, x, x], [tensor([3, 2])], ("N", "int", 3)))
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "N", 3)
    descs, out = [desc(acl, [2]) for _ in range(3)], [desc(acl, [3, 2])]
    buffers, result = [upload(acl, np.ones(2, np.float32))[0] for _ in range(3)], [empty(acl, 24)[0]]
    for names, code in ((("x", "x", "x"), 0), (("x", "y", "x"), 100000), (("x", "", "x"), 100000), (("", "x", "x"), 0), (("", "", ""), 0)):
        for member, name in zip(descs, names, strict=True):
            acl.set_tensor_dynamic_input(member, name)
        assert acl.op.create_handle("Pack", descs, out, attr)[1] == code  # OM-23: the names are not compared
        assert acl.op.execute_v2("Pack", descs, buffers, out, result, attr, 0) == code
        assert acl.op.execute("Pack", descs, buffers, out, result, attr, 0) == code


def test_names_that_differ_from_c(acl: ModuleType) -> None:  # PY-9, PY-19, README of pyACL, section 1
    context, ret = acl.rt.get_context()
    assert ret == 0 and acl.rt.set_context(context) == 0
    for name in ("get_current_context", "set_current_context", "get_version", "get_soc_name", "synchronize"):
        assert not hasattr(acl.rt, name)
    for name in ("compile", "compile_and_execute", "compile_and_execute_v2", "set_compile_flag", "set_compile_opt"):
        assert not hasattr(acl.op, name)
    with pytest.raises(TypeError):
        acl.init("", "")
    assert acl.init("") == 100002
