"""One change of a call that matched, of any kind and anywhere, and it matches no more (OM-20 to OM-29, ATTR-6 to ATTR-10, HD-4)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import CODES, const, const_desc, desc, empty, load, operator, tensor, upload

from ascendtensor.codes import ErrorCode, error_name
from ascendtensor.simulator.engine.matching import TABLE

Change = Callable[[ModuleType, int], Any]


class Call:
    """A ReduceSum over a constant axis with an attribute, described so that it matches."""

    def __init__(self, acl: ModuleType, dynamic: bool = False) -> None:
        x = tensor([-1, 3], shape_range=[[2, 8]]) if dynamic else tensor([2, 3])
        y = tensor([-1, 1]) if dynamic else tensor([2, 1])
        load(acl, operator("ReduceSum", [x, const([1])], [y], ("keep_dims", "bool", True)))
        self.acl = acl
        self.inputs = [desc(acl, [2, 3]), const_desc(acl, [1])]
        self.outputs = [desc(acl, [2, 1])]
        self.attr = acl.op.create_attr()
        acl.op.set_attr_bool(self.attr, "keep_dims", 1)
        self.in_buffers = [upload(acl, np.ones((2, 3), np.float32))[0], acl.create_data_buffer(0, 0)]
        self.out_buffers = [empty(acl, 8)[0]]

    def codes(self, op_type: str = "ReduceSum", attr: int | None = None) -> tuple[int, int, int]:
        """What create_handle, execute_v2 and execute answer."""
        attr = self.attr if attr is None else attr
        handle, ret = self.acl.op.create_handle(op_type, self.inputs, self.outputs, attr)
        self.acl.op.destroy_handle(handle)
        arguments = op_type, self.inputs, self.in_buffers, self.outputs, self.out_buffers, attr, 0
        return ret, self.acl.op.execute_v2(*arguments), self.acl.op.execute(*arguments)


def give_const(acl: ModuleType, handle: int) -> None:
    data = np.ones((2, 3), np.float32).tobytes()
    acl.set_tensor_const(handle, acl.util.bytes_to_ptr(data), len(data))


CHANGES: dict[str, Change] = {
    "dims": lambda acl, handle: acl.set_tensor_origin_shape(handle, [3, 2]),
    "rank": lambda acl, handle: acl.set_tensor_origin_shape(handle, [6]),
    "scalar": lambda acl, handle: acl.set_tensor_origin_shape(handle, []),
    "format": lambda acl, handle: acl.set_tensor_origin_format(handle, 0),
    "undefined format": lambda acl, handle: acl.set_tensor_origin_format(handle, -1),
    "storage format": lambda acl, handle: acl.set_tensor_storage_format(handle, 3),
    "storage format the same as the origin's": lambda acl, handle: acl.set_tensor_format(handle, 2),
    "host placement": lambda acl, handle: acl.set_tensor_place_ment(handle, 1),
    "compile-independent placement": lambda acl, handle: acl.set_tensor_place_ment(handle, 2),
    "unknown placement": lambda acl, handle: acl.set_tensor_place_ment(handle, 7),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("where", ["input", "constant", "output"])
def test_any_change_of_a_description(
    acl: ModuleType, where: str, change: str, dynamic: bool
) -> None:  # OM-22, OM-24, OM-25, OM-29, K94, K96
    call = Call(acl, dynamic)
    assert call.codes() == (0, 0, 0)
    acl.rt.synchronize_stream(0)
    handle = {"input": call.inputs[0], "constant": call.inputs[1], "output": call.outputs[0]}[where]
    CHANGES[change](acl, handle)
    refused = "placement" in change and where != "constant"  # HD-1
    if refused and where == "input":  # OM-27: its bytes are read from the host
        call.in_buffers[0] = acl.create_data_buffer(acl.rt.malloc_host(24)[0], 24)
    assert call.codes() == (200001 if refused else 100024, 100024, 100024)


@pytest.mark.parametrize("dtype", [code for code in CODES.values() if code] + [-1, 27, 99])
@pytest.mark.parametrize("where", ["input", "output"])
def test_any_other_type(acl: ModuleType, where: str, dtype: int) -> None:  # OM-22, K94, K96
    call = Call(acl)
    if where == "input":
        call.inputs[0] = acl.create_tensor_desc(dtype, [2, 3], 2)
    else:
        call.outputs[0] = acl.create_tensor_desc(dtype, [2, 1], 2)
    assert call.codes() == (100024, 100024, 100024)


@pytest.mark.parametrize("where", ["input", "output"])
def test_stray_ranges_and_a_constant_where_there_is_none(acl: ModuleType, where: str) -> None:  # OM-22, OM-24
    call = Call(acl)
    handle = call.inputs[0] if where == "input" else call.outputs[0]
    acl.set_tensor_shape_range(handle, [[2, 2], [3, 3]])
    assert call.codes() == (100024, 100024, 100024)
    acl.set_tensor_shape_range(handle, [])
    assert call.codes() == (0, 0, 0)
    give_const(acl, handle)
    assert call.codes() == (100024, 100024, 100024)


@pytest.mark.parametrize("dynamic", [False, True])
def test_constants_count_by_their_bytes(acl: ModuleType, dynamic: bool) -> None:  # OM-19, ATTR-10, K97
    call = Call(acl, dynamic)
    for values, dtype, shape, expected in (
        ([1], "int64", [1], 0),
        ([0], "int64", [1], 100024),
        ([-1], "int64", [1], 100024),
        ([1], "int32", [1], 100024),
        ([1], "int64", [], 100024),
        ([1, 1], "int64", [1], 100024),
    ):
        call.inputs[1] = const_desc(acl, values, dtype, shape)
        assert call.codes()[0] == expected, (values, dtype, shape)
    call.inputs[1] = desc(acl, [1], "int64")
    assert call.codes() == (100024, 100024, 100024)


ATTRS: dict[str, Callable[[Any, int], Any]] = {
    "missing": lambda op, attr: None,
    "another value": lambda op, attr: op.set_attr_bool(attr, "keep_dims", 0),
    "an int": lambda op, attr: op.set_attr_int(attr, "keep_dims", 1),
    "a float": lambda op, attr: op.set_attr_float(attr, "keep_dims", 1.0),
    "a string": lambda op, attr: op.set_attr_string(attr, "keep_dims", "True"),
    "a data type": lambda op, attr: op.set_attr_data_type(attr, "keep_dims", 1),
    "a list": lambda op, attr: op.set_attr_list_bool(attr, "keep_dims", [1]),
    "a list of ints": lambda op, attr: op.set_attr_list_int(attr, "keep_dims", [1]),
    "a list of lists": lambda op, attr: op.set_attr_list_list_int(attr, "keep_dims", [[1]]),
    "another name": lambda op, attr: op.set_attr_bool(attr, "keepdims", 1),
    "a name in capitals": lambda op, attr: op.set_attr_bool(attr, "KEEP_DIMS", 1),
    "one more": lambda op, attr: (op.set_attr_bool(attr, "keep_dims", 1), op.set_attr_bool(attr, "noop_with_empty_axes", 1)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", ATTRS)
def test_any_change_of_the_attributes(acl: ModuleType, kind: str, dynamic: bool) -> None:  # ATTR-4, ATTR-7, ATTR-9, K95
    call = Call(acl, dynamic)
    attr = acl.op.create_attr()
    ATTRS[kind](acl.op, attr)
    assert call.codes(attr=attr) == (100024, 100024, 100024)
    if kind == "missing":
        assert call.codes(attr=0) == (100024, 100024, 100024)
    acl.op.destroy_attr(attr)
    assert call.codes(attr=attr) == (100000, 100000, 100000)


def test_attributes_of_every_list_type_are_told_apart(acl: ModuleType) -> None:  # ATTR-1, ATTR-7: an empty list has a type too
    load(acl, operator("Transpose", [tensor([2, 3]), const([1, 0])], [tensor([3, 2])]))
    args = "Transpose", [desc(acl, [2, 3]), const_desc(acl, [1, 0])], [desc(acl, [3, 2])]
    assert acl.op.create_handle(*args, 0)[1] == 0
    for setter in ("list_bool", "list_int", "list_float", "list_string", "list_list_int", "list_data_type"):
        attr = acl.op.create_attr()
        getattr(acl.op, f"set_attr_{setter}")(attr, "perm", [])
        assert acl.op.create_handle(*args, attr) == (0, 100024)


@pytest.mark.parametrize("op_type", ["reducesum", "ReduceSum ", "ReduceSumD", ""])
def test_the_operator_type_is_exact(acl: ModuleType, op_type: str) -> None:  # OM-22, K99
    assert Call(acl).codes(op_type) == (100024, 100024, 100024)


def test_numbers_of_descriptions(acl: ModuleType) -> None:  # OM-22
    call = Call(acl)
    for inputs in (call.inputs[:1], [*call.inputs, call.inputs[0]], call.inputs[::-1], []):
        assert acl.op.create_handle("ReduceSum", inputs, call.outputs, call.attr) == (0, 100024)
    for outputs in ([], call.outputs * 2):
        assert acl.op.create_handle("ReduceSum", call.inputs, outputs, call.attr) == (0, 100024)


def test_what_is_not_compared(acl: ModuleType) -> None:  # OM-23
    call = Call(acl)
    for handle in (*call.inputs, *call.outputs):
        acl.set_tensor_desc_name(handle, "any")
        acl.set_tensor_shape(handle, [7, 7])
        acl.set_tensor_value_range(handle, [[0, 1]])
        acl.set_tensor_dynamic_input(handle, "x")
    assert call.codes() == (0, 0, 0)


@pytest.mark.parametrize("dims", [[-1, 3], [2, -1], [-2], [-1, -1]])
def test_open_dims_in_a_call(acl: ModuleType, dims: list[int]) -> None:  # OM-21, K98
    for dynamic in (False, True):
        call = Call(acl, dynamic)
        acl.set_tensor_origin_shape(call.inputs[0], dims)
        assert call.codes() == (100000, 100000, 100000)
    TABLE.dynamic_first = True  # OM-18, OM-20
    assert call.codes() == (100024, 100024, 100024)


@pytest.mark.parametrize(("rows", "expected"), [(1, 100024), (2, 0), (8, 0), (9, 100024), (0, 100024)])
def test_bounds_of_a_dynamic_model(acl: ModuleType, rows: int, expected: int) -> None:  # OM-25, OM-26
    call = Call(acl, dynamic=True)
    call.inputs[0] = desc(acl, [rows, 3])
    call.outputs[0] = desc(acl, [rows, 1])
    assert acl.op.create_handle("ReduceSum", call.inputs, call.outputs, call.attr)[1] == expected
    call.outputs[0] = desc(acl, [rows])
    assert acl.op.create_handle("ReduceSum", call.inputs, call.outputs, call.attr) == (0, 100024)


def test_a_model_is_dynamic_by_any_open_dim_of_it(acl: ModuleType) -> None:  # OM-26, TD-15, TD-24
    wide = tensor([-1], shape_range=[[1, -1]])
    load(acl, operator("Relu", [tensor([4])], [tensor([4])]))
    load(acl, operator("Relu", [wide], [tensor([-1])]))
    load(acl, operator("Relu", [tensor([-2])], [tensor([-2])]))
    load(acl, operator("NonZero", [tensor([4])], [tensor([-1, 1], "int64")]))
    assert [model.dynamic for model in TABLE.of_type("Relu")] == [False, True, True]
    assert [model.dynamic for model in TABLE.of_type("NonZero")] == [True]


def test_nothing_runs_without_a_loaded_model(acl: ModuleType) -> None:  # SIM-4, OM-21, K94
    x, y = desc(acl, [2]), desc(acl, [2])
    assert acl.op.create_handle("Relu", [x], [y], 0) == (0, 100024)
    buffers = [upload(acl, np.ones(2, np.float32))[0], empty(acl, 8)[0]]
    for call in (acl.op.execute_v2, acl.op.execute):
        assert call("Relu", [x], buffers[:1], [y], buffers[1:], 0, 0) == 100024
    assert acl.op.cast(x, buffers[0], y, buffers[1], 0, 0) == 100024  # K118
    assert "no operator model matches" in acl.get_recent_err_msg()


def test_empty_tensors_need_no_model_and_no_kernel(acl: ModuleType) -> None:  # TD-16, OP-1, OP-4, K103
    x, y = desc(acl, [0, 3]), desc(acl, [0, 3])
    assert acl.get_tensor_desc_size(y) == acl.get_tensor_desc_element_count(y) == 0
    memory, ret = acl.rt.malloc(1, 0)
    assert ret == 0
    buffer = acl.create_data_buffer(memory, 0)
    for call in (acl.op.execute_v2, acl.op.execute):
        assert call("Nothing", [x], [buffer], [y], [buffer], 0, 0) == 0
        assert call("Nothing", [x], [buffer], [y, desc(acl, [1])], [buffer, buffer], 0, 0) == 100024
        assert call("Nothing", [x], [buffer], [], [], 0, 0) == 100024


def test_codes_and_their_names(acl: ModuleType) -> None:  # GEN-1, GEN-3
    known = {
        100000: "INVALID_PARAM", 100002: "REPEAT_INITIALIZE", 100003: "INVALID_FILE", 100006: "PARSE_FILE", 100012: "DESERIALIZE_MODEL",
        100013: "PARSE_MODEL", 100014: "READ_MODEL_FAILURE", 100016: "MODEL_MISSING_ATTR", 100021: "OP_INPUT_NOT_MATCH",
        100022: "OP_OUTPUT_NOT_MATCH", 100024: "OP_NOT_FOUND", 100037: "REPEAT_FINALIZE", 107000: "RT_PARAM_INVALID",
        107001: "RT_INVALID_DEVICEID", 107002: "RT_CONTEXT_NULL", 107003: "RT_STREAM_CONTEXT", 107006: "RT_EVENT_TIMESTAMP_INVALID",
        107011: "RT_STREAM_SUBSCRIBE", 107012: "RT_THREAD_SUBSCRIBE", 107015: "RT_STREAM_NO_CB_REG", 107017: "RT_INVALID_HANDLE",
        145000: "GE_PARAM_INVALID", 148049: "INVALID_OPP_PATH", 148050: "OP_UNSUPPORTED_DYNAMIC", 200001: "API_NOT_SUPPORT",
        207000: "RT_FEATURE_NOT_SUPPORT", 207001: "RT_MEMORY_ALLOCATION", 500002: "GE_FAILURE", 507000: "RT_INTERNAL_ERROR",
        507007: "RT_CONTEXT_RELEASE_ERROR", 507012: "RT_REPORT_TIMEOUT", 507015: "RT_AICORE_EXCEPTION", 507046: "RT_STREAM_SYNC_TIMEOUT",
        507047: "RT_EVENT_SYNC_TIMEOUT",
    }  # fmt: skip
    assert {code: ErrorCode(code).name for code in known} == known
    assert all(error_name(code) == f"ACL_ERROR_{name}" for code, name in known.items())
    assert {type(acl.rt.set_device(0)), type(acl.rt.set_device(9)), type(acl.rt.free(1))} == {int}
