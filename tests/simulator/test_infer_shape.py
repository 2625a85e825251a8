"""``acl.op.infer_shape`` (INF, K113, K115, K116)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import desc, dims_of, upload

KEEP: list[bytes] = []


@pytest.fixture(autouse=True)
def forget() -> Any:
    yield
    KEEP.clear()


def host(acl: ModuleType, array: Any) -> int:
    """A data buffer over host memory (INF-3)."""
    data = np.asarray(array).tobytes()
    KEEP.append(data)
    return int(acl.create_data_buffer(acl.util.bytes_to_ptr(data), len(data)))


def fresh(acl: ModuleType) -> int:
    return int(acl.create_tensor_desc(-1, [], -1))


def add(acl: ModuleType, left: Any, right: Any) -> tuple[int, int]:
    """The code, and the output description."""
    out = fresh(acl)
    descs = [desc(acl, left.shape, str(left.dtype)), desc(acl, right.shape, str(right.dtype))]
    return acl.op.infer_shape("Add", descs, [host(acl, left), host(acl, right)], 1, [out], 0), out


def test_exact_shape(acl: ModuleType) -> None:  # INF-4, INF-7
    code, out = add(acl, np.zeros((2, 1, 3), np.float32), np.zeros((4, 3), np.float32))
    assert code == 0
    assert dims_of(acl, out) == [2, 4, 3]
    assert acl.get_tensor_desc_type(out) == 0
    assert acl.get_tensor_desc_format(out) == 2
    assert acl.get_tensor_desc_name(out) == "y"
    assert acl.get_tensor_desc_dim_range(out, 0, 2) == (None, 100000)


def test_needs_neither_device_nor_model(acl: ModuleType) -> None:  # INF-4
    acl.rt.reset_device(0)
    assert add(acl, np.zeros(3, np.float32), np.zeros(3, np.float32))[0] == 0


def test_everything_of_the_output_is_overwritten(acl: ModuleType) -> None:  # INF-7
    x = desc(acl, [3], form=0)
    out = desc(acl, [9, 9], "int32")
    acl.set_tensor_shape_range(out, [[1, 2], [1, 2]])
    acl.set_tensor_desc_name(out, "other")
    values = host(acl, np.zeros(3, np.float32))
    assert acl.op.infer_shape("Relu", [x], [values], 1, [out], 0) == 0
    assert dims_of(acl, out) == [3]
    assert acl.get_tensor_desc_type(out) == 0
    assert acl.get_tensor_desc_format(out) == 0
    assert acl.get_tensor_desc_name(out) == "y"
    assert acl.get_tensor_desc_dim_range(out, 0, 2) == (None, 100000)


def test_values_decide(acl: ModuleType) -> None:  # INF-3, INF-8
    x, axes, out = desc(acl, [2, 3, 4]), desc(acl, [1], "int64"), fresh(acl)
    for axis, expected in ((0, [3, 4]), (-1, [2, 3])):
        buffers = [host(acl, np.zeros((2, 3, 4), np.float32)), host(acl, np.array([axis]))]
        assert acl.op.infer_shape("ReduceSum", [x, axes], buffers, 1, [out], 0) == 0
        assert dims_of(acl, out) == expected
    attr = acl.op.create_attr()
    acl.op.set_attr_bool(attr, "keep_dims", 1)
    assert acl.op.infer_shape("ReduceSum", [x, axes], buffers, 1, [out], attr) == 0
    assert dims_of(acl, out) == [2, 3, 1]


def test_a_range(acl: ModuleType) -> None:  # INF-7, PY-12, TD-10
    x, out = desc(acl, [5]), fresh(acl)
    assert acl.op.infer_shape("NonZero", [x], [host(acl, np.array([0, 1, 0, 1, 1], np.float32))], 1, [out], 0) == 0
    assert dims_of(acl, out) == [-1, 1]
    assert acl.get_tensor_desc_type(out) == 9
    assert acl.get_tensor_desc_dim_range(out, 0, 2) == ([0, 5], 0)
    assert acl.get_tensor_desc_dim_range(out, 1, 2) == ([1, 1], 0)


def test_several_outputs_and_their_names(acl: ModuleType) -> None:  # INF-6, INF-7
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "num", 3)
    outs = [fresh(acl) for _ in range(3)]
    args = "Unpack", [desc(acl, [3, 2])], [host(acl, np.zeros((3, 2), np.float32))]
    assert acl.op.infer_shape(*args, 3, outs, attr) == 0
    assert [dims_of(acl, out) for out in outs] == [[2]] * 3
    assert [acl.get_tensor_desc_name(out) for out in outs] == ["y0", "y1", "y2"]


def test_repeated_inputs_need_names(acl: ModuleType) -> None:  # INF-6
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "N", 2)
    descs = [desc(acl, [2]), desc(acl, [3]), desc(acl, [], "int32")]
    buffers = [host(acl, np.zeros(2, np.float32)), host(acl, np.zeros(3, np.float32)), host(acl, np.int32(0))]
    out = fresh(acl)
    assert acl.op.infer_shape("ConcatV2", descs, buffers, 1, [out], attr) == 500002
    assert "set_tensor_desc_name" in acl.get_recent_err_msg()
    for handle, name in zip(descs, ("x0", "x1", "concat_dim"), strict=True):
        acl.set_tensor_desc_name(handle, name)
    assert acl.op.infer_shape("ConcatV2", descs, buffers, 1, [out], attr) == 0
    assert dims_of(acl, out) == [5]


def test_every_input_needs_bytes(acl: ModuleType) -> None:  # INF-2, K113
    x, out = desc(acl, [3]), fresh(acl)
    for buffer in (acl.create_data_buffer(0, 0), acl.create_data_buffer(64, 0), acl.create_data_buffer(0, 12), 0):
        assert acl.op.infer_shape("Relu", [x], [buffer], 1, [out], 0) == 100000


def test_device_memory_is_refused(acl: ModuleType) -> None:  # INF-3, SIM-1
    device, _ = upload(acl, np.zeros(3, np.float32))
    assert acl.op.infer_shape("Relu", [desc(acl, [3])], [device], 1, [fresh(acl)], 0) == 100000
    assert "host memory" in acl.get_recent_err_msg()


def test_too_few_bytes(acl: ModuleType) -> None:
    assert acl.op.infer_shape("Relu", [desc(acl, [30])], [host(acl, np.zeros(3, np.float32))], 1, [fresh(acl)], 0) == 500002


def test_unknown_type_and_refused_inputs(acl: ModuleType) -> None:  # INF-5, K115, K116
    values = host(acl, np.zeros(3, np.float32))
    assert acl.op.infer_shape("NoSuchOp", [desc(acl, [3])], [values], 1, [fresh(acl)], 0) == 100000
    code, out = add(acl, np.zeros(3, np.float32), np.zeros(4, np.float32))
    assert code == 500002
    assert dims_of(acl, out) == []
    assert acl.op.infer_shape("Relu", [desc(acl, [3])], [values], 2, [out, fresh(acl)], 0) == 500002


def test_null_arguments_and_counts(acl: ModuleType) -> None:  # INF-1, PY-8
    x, values, out = desc(acl, [3]), host(acl, np.zeros(3, np.float32)), fresh(acl)
    assert acl.op.infer_shape("Relu", [x], [values], -1, [out], 0) == 100000
    assert acl.op.infer_shape("Relu", [x], [values], 2, [out], 0) == 100000
    assert acl.op.infer_shape("Relu", [0], [values], 1, [out], 0) == 100000
    assert acl.op.infer_shape("Relu", [], [values], 1, [out], 0) == 100000
    assert acl.op.infer_shape("Relu", [x], [values], 1, [0], 0) == 100000
    for wrong in (
        (3, [x], [values], 1, [out], 0),
        ("Relu", (x,), [values], 1, [out], 0),
        ("Relu", [x], [values], [out], 0),
        ("Relu", [x], [values], 1.0, [out], 0),
        ("Relu", [x], [values], 1, [out], None),
    ):
        with pytest.raises(TypeError, match=r"acl\.op\.infer_shape args parse failed|argument 2, 3, or 5 is not list"):
            acl.op.infer_shape(*wrong)


def test_a_missing_operator_package_can_be_asked_for(acl: ModuleType) -> None:  # INF-1, K114
    with acl.faults.plan("acl.op.infer_shape", code=148049):
        assert acl.op.infer_shape("Relu", [], [], 0, [], 0) == 148049
