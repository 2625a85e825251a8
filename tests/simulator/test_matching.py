"""How a call finds its model (OM-20 to OM-29, ATTR-6 to ATTR-10, K94 to K98)."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import (
    ABSENT,
    Add,
    absent,
    add_operator,
    const,
    const_desc,
    desc,
    download,
    empty,
    load,
    operator,
    tensor,
    upload,
)

from ascendtensor.simulator.engine import matching
from ascendtensor.simulator.engine.attrs import EMPTY
from ascendtensor.simulator.engine.compile import model_of
from ascendtensor.simulator.engine.matching import TABLE
from ascendtensor.simulator.engine.models import OpModel
from ascendtensor.simulator.engine.tables import DESCS


def adds(value: float) -> dict[str, Any]:
    return operator("Adds", [tensor([4])], [tensor([4])], ("value", "float", value))


def find_adds(acl: ModuleType, set_value: Any) -> int:
    """The code of create_handle for Adds with attributes set by ``set_value``."""
    attr = acl.op.create_attr()
    set_value(attr)
    _, code = acl.op.create_handle("Adds", [desc(acl, [4])], [desc(acl, [4])], attr)
    return int(code)


def test_nothing_loaded(acl: ModuleType) -> None:  # OM-21, K94
    add = Add(acl, 2, 3, model=False)
    assert add.execute() == 100024
    assert "no operator model matches Add" in acl.get_recent_err_msg()
    assert acl.op.create_handle("Add", add.in_descs, add.out_descs, 0) == (0, 100024)


def test_a_miss_says_what_was_asked_for_and_what_is_loaded(acl: ModuleType) -> None:
    load(acl, add_operator(2, 3))
    assert acl.op.create_handle("Add", [desc(acl, [2, 4]), desc(acl, [2, 4])], [desc(acl, [2, 4])], 0) == (0, 100024)
    text = acl.get_recent_err_msg()
    assert "with inputs float[2, 4] ND, float[2, 4] ND, outputs float[2, 4] ND, attrs {};" in text
    assert "loaded: inputs float[2, 3] ND, float[2, 3] ND, outputs float[2, 3] ND, attrs {}" in text


def test_static_match_compares_type_counts_and_descs(acl: ModuleType) -> None:  # OM-22, OM-24, K96, K99
    load(acl, add_operator(2, 3))
    x, y = desc(acl, [2, 3]), desc(acl, [2, 3])
    assert acl.op.create_handle("Add", [x, x], [y], 0)[1] == 0
    for op_type in ("add", "Sub", "", "AddN"):
        assert acl.op.create_handle(op_type, [x, x], [y], 0) == (0, 100024)
    assert acl.op.create_handle("Add", [x], [y], 0) == (0, 100024)
    assert acl.op.create_handle("Add", [x, x], [y, y], 0) == (0, 100024)
    assert acl.op.create_handle("Add", [x, x], [], 0) == (0, 100024)
    for other in (desc(acl, [3, 2]), desc(acl, [2, 3], "float16"), desc(acl, [2, 3], form=0), desc(acl, [6])):
        assert acl.op.create_handle("Add", [x, other], [y], 0) == (0, 100024)
        assert acl.op.create_handle("Add", [x, x], [other], 0) == (0, 100024)


def test_storage_format_ranges_and_const_flag_take_part(acl: ModuleType) -> None:  # OM-22, OM-24
    load(acl, add_operator(2))
    x = desc(acl, [2])
    zeros = bytes(8)
    for change in (
        lambda d: acl.set_tensor_format(d, 2),
        lambda d: acl.set_tensor_shape_range(d, [[2, 2]]),
        lambda d: acl.set_tensor_const(d, acl.util.bytes_to_ptr(zeros), 8),
        lambda d: acl.set_tensor_origin_format(d, 0),
        lambda d: acl.set_tensor_origin_shape(d, [3]),
    ):
        other = desc(acl, [2])
        assert acl.op.create_handle("Add", [x, other], [x], 0)[1] == 0
        assert change(other) == 0
        assert acl.op.create_handle("Add", [x, other], [x], 0) == (0, 100024)


def test_names_storage_dims_and_value_ranges_do_not(acl: ModuleType) -> None:  # OM-23, TD-11
    load(acl, add_operator(2))
    x, other = desc(acl, [2]), desc(acl, [2])
    acl.set_tensor_desc_name(other, "x2")
    acl.set_tensor_storage_shape(other, [7])
    acl.set_tensor_value_range(other, [[0, 1]])
    acl.set_tensor_dynamic_input(other, "x")
    assert acl.op.create_handle("Add", [x, other], [x], 0)[1] == 0


def test_storage_format_of_a_model(acl: ModuleType) -> None:  # OM-22
    blocked = {**tensor([16, 16], "float16"), "format": "FRACTAL_NZ", "origin_format": "ND"}
    load(acl, operator("Add", [blocked, blocked], [blocked]))
    handle = desc(acl, [16, 16], "float16")
    assert acl.op.create_handle("Add", [handle, handle], [handle], 0) == (0, 100024)
    acl.set_tensor_format(handle, 29)
    assert acl.op.create_handle("Add", [handle, handle], [handle], 0)[1] == 0


def test_attributes_compare_name_type_and_value(acl: ModuleType) -> None:  # ATTR-7, K95
    load(acl, adds(1.0))
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", 1.0)) == 0
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", 2.0)) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_int(attr, "value", 1)) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_bool(attr, "value", 1)) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_list_float(attr, "value", [1.0])) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "Value", 1.0)) == 100024
    assert find_adds(acl, lambda attr: None) == 100024

    def two(attr: int) -> None:
        acl.op.set_attr_float(attr, "value", 1.0)
        acl.op.set_attr_bool(attr, "more", 1)

    assert find_adds(acl, two) == 100024


def test_no_default_is_filled_in_at_match_time(acl: ModuleType) -> None:  # ATTR-7
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    axes = const_desc(acl, [1])
    attr = acl.op.create_attr()
    args = "ReduceSum", [desc(acl, [2, 3]), axes], [desc(acl, [2])]
    assert acl.op.create_handle(*args, attr)[1] == 0
    acl.op.set_attr_bool(attr, "keep_dims", False)
    assert acl.op.create_handle(*args, attr) == (0, 100024)


def test_floats_are_found_by_their_bits(acl: ModuleType) -> None:  # ATTR-8
    load(acl, adds(1.0))
    load(acl, adds(0.0))
    near = float(np.nextafter(np.float32(1), np.float32(2)))
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", near)) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", -0.0)) == 100024
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", 0.0)) == 0


def test_nan_and_infinity_equal_themselves(acl: ModuleType) -> None:  # ATTR-8
    for value in (math.nan, math.inf):
        load(acl, adds(value))
        assert find_adds(acl, lambda attr, value=value: acl.op.set_attr_float(attr, "value", value)) == 0
    assert find_adds(acl, lambda attr: acl.op.set_attr_float(attr, "value", -math.inf)) == 100024


def test_null_attr_equals_an_empty_one(acl: ModuleType) -> None:  # ATTR-9
    add = Add(acl, 3)
    assert add.execute(attr=0) == 0
    assert add.execute(attr=acl.op.create_attr()) == 0


def test_list_attributes(acl: ModuleType) -> None:  # ATTR-6, ATTR-7: flattened in the digest, told apart in the comparison
    load(acl, operator("TileD", [tensor([2])], [tensor([4])], ("multiples", "list_int", [2])))
    args = "TileD", [desc(acl, [2])], [desc(acl, [4])]
    attr = acl.op.create_attr()
    acl.op.set_attr_list_int(attr, "multiples", [2])
    assert acl.op.create_handle(*args, attr)[1] == 0
    acl.op.set_attr_list_list_int(attr, "multiples", [[2]])
    assert acl.op.create_handle(*args, attr) == (0, 100024)
    acl.op.set_attr_int(attr, "multiples", 2)
    assert acl.op.create_handle(*args, attr) == (0, 100024)


def test_const_bytes_take_part(acl: ModuleType) -> None:  # ATTR-10, OM-19, K97
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    args = "ReduceSum", [desc(acl, [2, 3]), const_desc(acl, [1])], [desc(acl, [2])], 0
    assert acl.op.create_handle(*args)[1] == 0
    for axes in (const_desc(acl, [-1]), const_desc(acl, [1], "int32"), desc(acl, [1], "int64")):
        assert acl.op.create_handle("ReduceSum", [desc(acl, [2, 3]), axes], [desc(acl, [2])], 0) == (0, 100024)


def test_const_bytes_are_compared_on_the_callers_desc_at_every_lookup(acl: ModuleType) -> None:  # ATTR-10
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    axes = const_desc(acl, [0])
    args = "ReduceSum", [desc(acl, [2, 3]), axes], [desc(acl, [2])], 0
    assert acl.op.create_handle(*args) == (0, 100024)
    data = np.array([1]).tobytes()
    acl.set_tensor_const(axes, acl.util.bytes_to_ptr(data), 8)
    assert acl.op.create_handle(*args)[1] == 0


def test_absent_inputs_keep_their_position(acl: ModuleType) -> None:  # OM-24, TD-21
    x = tensor([8])
    load(acl, operator("StridedSliceV3", [x, const([2]), const([8]), ABSENT, const([2])], [tensor([3])]))
    begin, end, step = const_desc(acl, [2]), const_desc(acl, [8]), const_desc(acl, [2])
    gap, none = absent(acl)
    out = desc(acl, [3])
    good = [desc(acl, [8]), begin, end, gap, step]
    assert acl.op.create_handle("StridedSliceV3", [desc(acl, [8]), begin, end, step, gap], [out], 0) == (0, 100024)
    handle, code = acl.op.create_handle("StridedSliceV3", good, [out], 0)
    assert code == 0
    values, _ = upload(acl, np.arange(8, dtype=np.float32))
    result, address = empty(acl, 12)
    unused = acl.create_data_buffer(0, 0)
    assert acl.op.execute_with_handle(handle, [values, unused, unused, none, unused], [result], 0) == 0  # HD-9
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [3]).tolist() == [2, 4, 6]


# dynamic models


def dynamic_add(low: int, high: int, dtype: str = "float32") -> dict[str, Any]:
    x = tensor([-1, 3], dtype, shape_range=[[low, high]])
    return operator("Add", [x, x], [tensor([-1, 3], dtype, shape_range=[[low, high]])])


def test_dynamic_match_takes_constants_of_its_own_only(acl: ModuleType) -> None:  # OM-25
    load(acl, operator("ReduceSum", [tensor([-1, 3], shape_range=[[1, -1]]), const([1])], [tensor([-1], shape_range=[[1, -1]])]))
    codes = [acl.op.create_handle("ReduceSum", [desc(acl, [4, 3]), const_desc(acl, [axis])], [desc(acl, [4])], 0)[1] for axis in (1, 0)]
    assert codes == [0, 100024]


def test_dynamic_match_looks_at_each_range_where_all_dims_are_open(acl: ModuleType) -> None:  # OM-25
    x = tensor([-1, -1], shape_range=[[1, 5], [1, -1]])
    load(acl, operator("Add", [x, x], [x]))
    assert [add_code(acl, *shape) for shape in ((5, 9), (6, 2), (0, 2))] == [0, 100024, 100024]


def add_code(acl: ModuleType, *shape: int, dtype: str = "float32", out: tuple[int, ...] | None = None) -> int:
    x, y = desc(acl, shape, dtype), desc(acl, shape if out is None else out, dtype)
    return int(acl.op.create_handle("Add", [x, x], [y], 0)[1])


def test_dynamic_match_takes_dims_in_range(acl: ModuleType) -> None:  # OM-25
    load(acl, dynamic_add(2, 5))
    assert [add_code(acl, n, 3) for n in (1, 2, 5, 6)] == [100024, 0, 0, 100024]
    assert add_code(acl, 4, 4) == 100024
    assert add_code(acl, 4) == 100024
    assert add_code(acl, 4, 3, dtype="float16") == 100024
    assert add_code(acl, 4, 3, out=(6, 3)) == 100024  # outputs must fit too


def test_ranges_without_limit_and_dims_without_range(acl: ModuleType) -> None:  # OM-25, TD-15
    x = tensor([-1], shape_range=[[1, -1]])
    load(acl, operator("Add", [x, x], [tensor([-1])]))
    assert add_code(acl, 1_000_000) == 0
    assert add_code(acl, 0) == 100024
    assert add_code(acl, 5, out=(0,)) == 0  # an output may omit its range and then takes anything


CONSTANT = np.zeros((4, 3), np.float32)


def test_unknown_rank_takes_any(acl: ModuleType) -> None:  # OM-25
    load(acl, operator("Add", [tensor([-2]), tensor([-2])], [tensor([-2])]))
    for shape in ((), (3,), (2, 3, 4)):
        assert add_code(acl, *shape) == 0


def test_the_first_fitting_dynamic_model_wins(acl: ModuleType) -> None:  # OM-25
    load(acl, dynamic_add(1, 10))
    load(acl, dynamic_add(1, 20))
    assert TABLE.count == 2
    assert found(acl, 5, 3).inputs[0].ranges[0] == (1, 10)
    assert found(acl, 15, 3).inputs[0].ranges[0] == (1, 20)


def found(acl: ModuleType, *shape: int) -> OpModel:
    record = DESCS[desc(acl, shape)]
    model, code = TABLE.find(matching.query_of("Add", [record, record], [record], EMPTY))
    assert code == 0 and model is not None
    return model


@pytest.mark.parametrize(
    "change",
    [
        lambda acl, x: acl.set_tensor_origin_shape(x, [2, 6]),
        lambda acl, x: acl.set_tensor_origin_format(x, 0),
        lambda acl, x: acl.set_tensor_format(x, 0),
        lambda acl, x: acl.set_tensor_shape_range(x, [[1, 4], [3, 3]]),
        lambda acl, x: acl.set_tensor_place_ment(x, 1),
        lambda acl, x: acl.set_tensor_const(x, CONSTANT.ctypes.data, CONSTANT.nbytes),
    ],
)
def test_a_description_changed_after_a_call_is_looked_at_anew(acl: ModuleType, change: Callable[[ModuleType, int], int]) -> None:  # OM-22
    load(acl, add_operator(4, 3))
    x, y = desc(acl, [4, 3]), desc(acl, [4, 3])
    buffers = [upload(acl, np.zeros((4, 3), np.float32))[0]] * 2
    assert acl.op.execute_v2("Add", [x, y], buffers, [y], buffers[:1], 0, 0) == 0
    assert change(acl, x) == 0
    assert acl.op.create_handle("Add", [x, y], [y], 0)[1] != 0
    assert acl.op.execute_v2("Add", [x, y], buffers, [y], buffers[:1], 0, 0) != 0


def test_static_before_dynamic(acl: ModuleType) -> None:  # OM-20
    load(acl, dynamic_add(1, 10))
    load(acl, add_operator(5, 3))
    assert not found(acl, 5, 3).dynamic
    assert found(acl, 4, 3).dynamic
    TABLE.dynamic_first = True
    assert found(acl, 5, 3).dynamic


@pytest.mark.parametrize("shape", [(-1, 3), (-2,)])
def test_open_dims_in_a_call(acl: ModuleType, shape: tuple[int, ...]) -> None:  # OM-21, K98
    load(acl, dynamic_add(1, 10))
    x, y = desc(acl, shape), desc(acl, [4, 3])
    fixed = desc(acl, [4, 3])
    buffers = [upload(acl, np.zeros((4, 3), np.float32))[0]] * 2
    assert acl.op.create_handle("Add", [x, fixed], [y], 0) == (0, 100000)
    assert acl.op.create_handle("Add", [fixed, fixed], [x], 0) == (0, 100000)
    assert acl.op.execute_v2("Add", [x, fixed], buffers, [y], buffers[:1], 0, 0) == 100000
    TABLE.dynamic_first = True  # OM-20: the other order ends in the static table
    assert acl.op.create_handle("Add", [x, fixed], [y], 0) == (0, 100024)


# placement


def test_models_of_atc_never_match_host_placed_inputs(acl: ModuleType) -> None:  # OM-29
    load(acl, add_operator(2))
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    x, host = desc(acl, [2]), desc(acl, [2])
    acl.set_tensor_place_ment(host, 1)
    data, out = acl.rt.malloc_host(8)[0], empty(acl, 8)[0]
    buffers = [upload(acl, np.ones(2, np.float32))[0], acl.create_data_buffer(data, 8)]
    assert acl.op.execute_v2("Add", [x, host], buffers, [x], [out], 0, 0) == 100024
    axes = desc(acl, [1], "int64")
    acl.set_tensor_place_ment(axes, 1)
    value = np.array([1]).tobytes()
    buffers = [upload(acl, np.ones(6, np.float32))[0], acl.create_data_buffer(acl.util.bytes_to_ptr(value), 8)]
    assert acl.op.execute_v2("ReduceSum", [desc(acl, [2, 3]), axes], buffers, [x], [out], 0, 0) == 100024


def placed(description: dict[str, Any], index: int, placement: int) -> OpModel:
    """A model as the online compiler writes it: with the placement of its inputs (OM-29)."""
    model = model_of(description)
    inputs = list(model.inputs)
    spec = inputs[index]
    inputs[index] = type(spec)(spec.dtype, spec.format, spec.storage_format, spec.dims, spec.ranges, spec.const, placement)
    return OpModel(model.op_type, tuple(inputs), model.outputs, model.attrs, online=True)


def test_host_inputs_are_first_taken_as_constants(acl: ModuleType) -> None:  # OM-27
    TABLE.insert(placed(operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]), 1, 1))
    axes, out = desc(acl, [1], "int64"), desc(acl, [2])
    acl.set_tensor_place_ment(axes, 1)
    values = upload(acl, np.arange(6, dtype=np.float32))[0]
    result, address = empty(acl, 8)

    def run(axis: int) -> int:
        data = np.array([axis]).tobytes()
        buffers = [values, acl.create_data_buffer(acl.util.bytes_to_ptr(data), 8)]
        return int(acl.op.execute_v2("ReduceSum", [desc(acl, [2, 3]), axes], buffers, [out], [result], 0, 0))

    assert run(1) == 0
    acl.rt.synchronize_stream(0)
    assert download(acl, address, [2]).tolist() == [3, 12]
    assert run(0) == 100024  # a value-specialised model matches for those values only
    acl.set_tensor_place_ment(axes, 2)
    assert run(1) == 100024  # placement 2 is never turned into a constant


def test_host_inputs_are_copied_during_the_call(acl: ModuleType) -> None:  # OM-27 (second lookup), OP-7
    TABLE.insert(placed(add_operator(2), 1, 1))
    x, host = desc(acl, [2]), desc(acl, [2])
    acl.set_tensor_place_ment(host, 1)
    memory, _ = acl.rt.malloc_host(8)
    view = acl.create_data_buffer(memory, 8)
    data = np.array([10, 20], np.float32).tobytes()
    acl.rt.memcpy(memory, 8, acl.util.bytes_to_ptr(data), 8, 0)
    values = upload(acl, np.array([1, 2], np.float32))[0]
    out, address = empty(acl, 8)
    assert acl.op.execute_v2("Add", [x, host], [values, view], [x], [out], 0, 0) == 0
    acl.rt.memset(memory, 8, 0, 8)
    acl.rt.synchronize_stream(0)
    assert download(acl, address, [2]).tolist() == [11, 22]


def test_host_inputs_above_one_megabyte(acl: ModuleType) -> None:  # OP-8, K106
    count = (1 << 18) + 1
    TABLE.insert(placed(add_operator(count), 1, 1))
    x, host = desc(acl, [count]), desc(acl, [count])
    acl.set_tensor_place_ment(host, 1)
    memory, _ = acl.rt.malloc_host(count * 4)
    buffers = [empty(acl, count * 4)[0], acl.create_data_buffer(memory, count * 4)]
    assert acl.op.execute_v2("Add", [x, host], buffers, [x], buffers[:1], 0, 0) == 500002


def test_host_inputs_count_in_steps_of_512_bytes(acl: ModuleType) -> None:  # OP-8
    count = (1 << 20) // 3 // 4  # three of them have a megabyte, rounded up they have more
    model = placed(operator("AddN", [tensor([count])] * 3, [tensor([count])], ("N", "int", 3)), 0, 1)
    TABLE.insert(OpModel(model.op_type, model.inputs[:1] * 3, model.outputs, model.attrs, online=True))
    host, attr = desc(acl, [count]), acl.op.create_attr()
    acl.set_tensor_place_ment(host, 1)
    acl.op.set_attr_int(attr, "N", 3)
    memory, _ = acl.rt.malloc_host(count * 4)
    buffers, out = [acl.create_data_buffer(memory, count * 4)] * 3, [empty(acl, count * 4)[0]]
    assert acl.op.execute_v2("AddN", [host] * 3, buffers, [desc(acl, [count])], out, attr, 0) == 500002


def test_host_inputs_of_dynamic_models_may_have_any_size(acl: ModuleType) -> None:  # OP-8
    count = (1 << 18) + 1
    TABLE.insert(placed(dynamic_add(1, -1), 1, 1))
    x, host = desc(acl, [count, 3]), desc(acl, [count, 3])
    acl.set_tensor_place_ment(host, 1)
    memory, _ = acl.rt.malloc_host(count * 12)
    buffers = [empty(acl, count * 12)[0], acl.create_data_buffer(memory, count * 12)]
    assert acl.op.execute_v2("Add", [x, host], buffers, [x], buffers[:1], 0, 0) == 0


def test_a_lookup_among_many_models_compares_few(acl: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:  # ATTR-6
    for size in range(1, 301):
        TABLE.insert(model_of(add_operator(size)))
    compared = 0
    original = matching._Entry.same

    def count(self: Any, query: Any) -> bool:
        nonlocal compared
        compared += 1
        return original(self, query)

    monkeypatch.setattr(matching._Entry, "same", count)
    assert add_code(acl, 150) == 0
    assert compared == 1
    assert add_code(acl, 400) == 100024
    assert compared == 1
