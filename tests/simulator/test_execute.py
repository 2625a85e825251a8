"""Execution without a handle, write-back of dynamic models, and Cast (OP, BL-1 to BL-3, K94 to K107, K117, K118)."""

from __future__ import annotations

import sys
import threading
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from op_program import (
    Add,
    add_operator,
    const,
    const_desc,
    desc,
    dims_of,
    download,
    empty,
    load,
    operator,
    tensor,
    upload,
)

from ascendtensor.simulator.engine import streams


def test_add_without_a_handle(acl: ModuleType) -> None:  # OP-11, OM-28
    add = Add(acl, 2, 3)
    before = add.result()
    for function in (acl.op.execute_v2, acl.op.execute):
        assert function("Add", add.in_descs, add.inputs, add.out_descs, add.outputs, 0, 0) == 0
    assert np.array_equal(add.result(), before)
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)
    assert dims_of(acl, add.out_descs[0]) == [2, 3]


@pytest.mark.parametrize("name", ["execute", "execute_v2"])
def test_argument_types(acl: ModuleType, name: str) -> None:  # PY-2, PY-5, K1 to K4
    add = Add(acl, 2)
    function = getattr(acl.op, name)
    good: tuple[Any, ...] = ("Add", add.in_descs, add.inputs, add.out_descs, add.outputs, 0, 0)
    assert function(*good) == 0
    for index in (1, 2, 3, 4):
        with pytest.raises(TypeError, match=r"^argument 2, 3, 4, or 5 is not list$"):
            function(*good[:index], tuple(good[index]), *good[index + 1 :])
        with pytest.raises(TypeError, match="the list argument is not list of int"):
            function(*good[:index], [np.int64(good[index][0]), *good[index][1:]], *good[index + 1 :])
    for wrong in (good[:-1], (*good, 0), (*good[:-1], None), (*good[:5], None, 0), (None, *good[1:])):
        with pytest.raises(TypeError, match=rf"acl\.op\.{name} args parse failed"):
            function(*wrong)
    acl.rt.synchronize_stream(0)


def test_null_and_destroyed_objects(acl: ModuleType) -> None:  # OP-1, K100, K102, PY-8
    add = Add(acl, 2)
    gone = desc(acl, [2])
    acl.destroy_tensor_desc(gone)

    def run(in_descs: list[int], inputs: list[int], out_descs: list[int], outputs: list[int], attr: int = 0) -> int:
        return int(acl.op.execute_v2("Add", in_descs, inputs, out_descs, outputs, attr, 0))

    d, i, e, o = add.in_descs, add.inputs, add.out_descs, add.outputs
    assert run([d[0], 0], i, e, o) == 100000
    assert run([d[0], gone], i, e, o) == 100000
    assert run(d, i, [0], o) == 100000
    assert run(d, [i[0], 0], e, o) == 100000
    assert run(d, i, e, [0]) == 100000
    assert run(d[:1], i, e, o) == 100000  # one buffer more than descriptions
    assert run(d, i, e, o * 2) == 100000
    assert run(d, i, e, o, attr=777) == 100000
    assert run([*d, 0, gone], i, [*e, 0], o) == 0  # PY-8: surplus descriptions are not looked at
    assert acl.rt.synchronize_stream(0) == 0


def test_fewer_buffers_than_descriptions(acl: ModuleType) -> None:  # PY-8: the count is that of the buffers
    add = Add(acl, 2)
    assert acl.op.execute_v2("Add", add.in_descs, add.inputs[:1], add.out_descs, add.outputs, 0, 0) == 100024


def test_address_null_with_a_length(acl: ModuleType) -> None:  # OP-1, OP-2, K101
    add = Add(acl, 2)
    bad = acl.create_data_buffer(0, 8)
    args = ("Add", add.in_descs, [bad, add.inputs[1]], add.out_descs, add.outputs, 0, 0)
    assert acl.op.execute_v2(*args) == 100000
    assert acl.op.execute_v2("Add", add.in_descs, add.inputs, add.out_descs, [bad], 0, 0) == 100000
    assert acl.op.execute(*args) == 0  # the old call looks for null objects only: the device stumbles
    assert acl.rt.synchronize_stream(0) == 507015


def test_all_outputs_empty(acl: ModuleType) -> None:  # OP-1, OP-4, K103: buffers and model are not looked at
    empty_desc = desc(acl, [0, 3])
    assert acl.op.execute_v2("Nothing", [desc(acl, [2])], [1], [empty_desc], [1], 0, 0) == 0
    assert acl.op.execute("Nothing", [desc(acl, [2])], [1], [empty_desc, empty_desc], [1, 1], 0, 0) == 0
    assert acl.op.execute_v2("Nothing", [], [], [empty_desc], [0], 0, 99) == 0
    out, _ = empty(acl, 8)
    assert acl.op.execute_v2("Nothing", [], [], [empty_desc, desc(acl, [2])], [out, out], 0, 0) == 100024
    assert acl.op.execute_v2("Nothing", [], [], [], [], 0, 0) == 100024  # no output: no shortcut


def test_empty_input_with_a_full_output(acl: ModuleType) -> None:
    load(acl, operator("ConcatV2", [tensor([0, 2]), tensor([1, 2]), const([0], shape=[])], [tensor([1, 2])], ("N", "int", 2)))
    nothing, _ = empty(acl, 0)
    row, _ = upload(acl, np.array([[1, 2]], np.float32))
    out, address = empty(acl, 8)
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "N", 2)
    descs = [desc(acl, [0, 2]), desc(acl, [1, 2]), const_desc(acl, 0)]
    unused = acl.create_data_buffer(0, 0)
    assert acl.op.execute_v2("ConcatV2", descs, [nothing, row, unused], [desc(acl, [1, 2])], [out], attr, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [1, 2]).tolist() == [[1, 2]]


def test_repeated_inputs_and_outputs(acl: ModuleType) -> None:
    load(acl, operator("Pack", [tensor([2])] * 3, [tensor([3, 2])], ("N", "int", 3), ("axis", "int", 0)))
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "N", 3)
    acl.op.set_attr_int(attr, "axis", 0)
    rows = [upload(acl, np.array([n, n + 0.5], np.float32))[0] for n in range(3)]
    out, address = empty(acl, 24)
    assert acl.op.execute_v2("Pack", [desc(acl, [2])] * 3, rows, [desc(acl, [3, 2])], [out], attr, 0) == 0
    load(acl, operator("Unpack", [tensor([3, 2])], [tensor([2])] * 3, ("num", "int", 3), ("axis", "int", 0)))
    back = acl.op.create_attr()
    acl.op.set_attr_int(back, "num", 3)
    acl.op.set_attr_int(back, "axis", 0)
    outs = [empty(acl, 8) for _ in range(3)]
    assert acl.op.execute_v2("Unpack", [desc(acl, [3, 2])], [out], [desc(acl, [2])] * 3, [b for b, _ in outs], back, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [3, 2]).tolist() == [[0, 0.5], [1, 1.5], [2, 2.5]]
    assert download(acl, outs[2][1], [2]).tolist() == [2, 2.5]


def test_defaults_of_the_prototype_reach_the_kernel(acl: ModuleType) -> None:
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    values, _ = upload(acl, np.arange(6, dtype=np.float32))
    out, address = empty(acl, 8)
    buffers = [values, acl.create_data_buffer(0, 0)]
    assert acl.op.execute_v2("ReduceSum", [desc(acl, [2, 3]), const_desc(acl, [1])], buffers, [desc(acl, [2])], [out], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [2]).tolist() == [3, 12]


def test_scalars_and_other_dtypes(acl: ModuleType) -> None:
    for dtype, value in (("float16", 1.5), ("int32", 7), ("int64", -3)):
        load(acl, add_operator(dtype=dtype))
        x = desc(acl, [], dtype)
        a, _ = upload(acl, np.array(value, dtype))
        out, address = empty(acl, np.dtype(dtype).itemsize)
        assert acl.op.execute_v2("Add", [x, x], [a, a], [x], [out], 0, 0) == 0
        assert acl.rt.synchronize_stream(0) == 0
        assert download(acl, address, [], dtype) == 2 * value


def test_bfloat16(acl: ModuleType) -> None:
    load(acl, add_operator(3, dtype="bfloat16"))
    x = acl.create_tensor_desc(27, [3], 2)
    a, _ = upload(acl, np.array([1, 2.5, -3], ml_dtypes.bfloat16))
    out, address = empty(acl, 6)
    assert acl.op.execute_v2("Add", [x, x], [a, a], [x], [out], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [3], "uint16").view(ml_dtypes.bfloat16).tolist() == [2, 5, -6]


def test_run_mode_device(acl: ModuleType) -> None:  # RT-15: one address space, host memory is device memory
    acl.rt.reset_device(0)
    acl.configure(run_mode="device")
    acl.rt.set_device(0)
    add = Add(acl, 4)
    memory, _ = acl.rt.malloc_host(16)
    add.outputs = [acl.create_data_buffer(memory, 16)]
    assert add.execute() == 0
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.outputs + add.inputs[1:], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    data = acl.util.ptr_to_bytes(memory, 16)
    assert np.array_equal(np.frombuffer(data, np.float32), add.expected + add.right)


def test_sizes_of_a_static_model(acl: ModuleType) -> None:  # OP-9, K104
    add = Add(acl, 8, 8)
    for size, code in ((256, 0), (193, 0), (192, 145000), (1, 145000)):
        add.outputs = [acl.create_data_buffer(add.out_address, size)]
        assert add.execute() == code, size
    acl.rt.synchronize_stream(0)


def test_context_and_streams(acl: ModuleType) -> None:  # OP-6, K107
    add = Add(acl, 2)
    stream, _ = acl.rt.create_stream()
    acl.rt.create_context(0)
    assert add.execute(stream) == 107003
    assert add.execute(12345) == 107017
    acl.rt.reset_device(0)
    context, _ = acl.rt.get_context()
    acl.rt.destroy_context(context)
    assert add.execute() == 107002
    add.in_descs[0] = desc(acl, [5])
    assert add.execute() == 100024  # the match comes first


def test_objects_may_go_right_after_the_call(acl: ModuleType) -> None:  # OP-16
    add = Add(acl, 4)
    attr = acl.op.create_attr()
    assert add.execute(attr=attr) == 0
    acl.op.destroy_attr(attr)
    for handle in (*add.in_descs, *add.out_descs):
        acl.destroy_tensor_desc(handle)
    for buffer in (*add.inputs, *add.outputs):
        acl.destroy_data_buffer(buffer)
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_changes_of_buffers_are_seen_at_each_call(acl: ModuleType) -> None:
    add = Add(acl, 4)
    assert add.execute() == 0
    _, address = upload(acl, np.full(4, 100, np.float32))
    acl.update_data_buffer(add.inputs[0], address, 16)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert add.result().tolist() == [100.5] * 4
    acl.rt.free(address)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 507015


# dynamic models


SOME: dict[str, Any] = {"shape_range": [[1, 64]]}


def dynamic_add() -> dict[str, Any]:
    x = tensor([-1], shape_range=[[1, 64]])
    return operator("Add", [x, x], [tensor([-1])])


def test_situation_a_is_asynchronous_and_exact(acl: ModuleType) -> None:  # OP-12 (a), OP-13
    load(acl, dynamic_add())
    for size in (4, 7):
        add = Add(acl, size, model=False)
        before = add.result()
        assert add.execute() == 0
        assert np.array_equal(add.result(), before)
        assert dims_of(acl, add.out_descs[0]) == [size]
        assert acl.rt.synchronize_stream(0) == 0
        assert np.array_equal(add.result(), add.expected)


def nonzero(acl: ModuleType, values: list[float], guess: int, description: dict[str, Any] | None) -> tuple[list[int], list[int], int]:
    """Runs NonZero with a description of ``guess`` rows; gives dims, found indices and the code."""
    if description is not None:
        load(acl, description)
    x, y = desc(acl, [len(values)]), desc(acl, [guess, 1], "int64")
    data, _ = upload(acl, np.array(values, np.float32))
    out, address = empty(acl, max(8 * guess, 8))
    code = acl.op.execute_v2("NonZero", [x], [data], [y], [out], 0, 0)
    dims = dims_of(acl, y)
    return dims, download(acl, address, dims, "int64").reshape(-1).tolist(), int(code)


BOUNDED = operator("NonZero", [tensor([-1], shape_range=[[1, 64]])], [tensor([-1, 1], "int64", shape_range=[[0, 64]])])


def test_situation_b_is_synchronous_and_writes_back(acl: ModuleType) -> None:  # OP-12 (b), OP-13, OP-14
    dims, found, code = nonzero(acl, [0, 3, 0, 4, 5], 5, BOUNDED)
    assert (dims, found, code) == ([3, 1], [1, 3, 4], 0)
    assert nonzero(acl, [0, 0], 2, None) == ([0, 1], [], 0)


def test_situation_b_runs_what_is_queued_before(acl: ModuleType) -> None:  # OP-12 (b), RT-27
    load(acl, BOUNDED)
    add = Add(acl, 4)
    assert add.execute() == 0
    x, y = desc(acl, [4]), desc(acl, [4, 1], "int64")
    out, address = empty(acl, 32)
    assert acl.op.execute_v2("NonZero", [x], add.outputs, [y], [out], 0, 0) == 0
    assert dims_of(acl, y) == [4, 1]
    assert np.array_equal(add.result(), add.expected)
    assert download(acl, address, [4], "int64").tolist() == [0, 1, 2, 3]


def test_situation_c_takes_a_guess(acl: ModuleType) -> None:  # OP-12 (c)
    free = operator("NonZero", [tensor([-2])], [tensor([-2], "int64")])
    assert nonzero(acl, [0, 3, 0, 4, 5], 40, free) == ([3, 1], [1, 3, 4], 0)


def test_the_desc_is_to_be_set_back_before_the_next_use(acl: ModuleType) -> None:  # OP-13
    load(acl, BOUNDED)
    x, y = desc(acl, [4]), desc(acl, [4, 1], "int64")
    out, address = empty(acl, 32)
    for values, expected in (([0, 0, 0, 1], 1), ([1, 1, 0, 1], 3)):
        acl.set_tensor_origin_shape(y, [4, 1])
        data, _ = upload(acl, np.array(values, np.float32))
        assert acl.op.execute_v2("NonZero", [x], [data], [y], [out], 0, 0) == 0
        assert dims_of(acl, y) == [expected, 1]
    assert acl.get_tensor_desc_size(y) == 24
    assert download(acl, address, [3], "int64").tolist() == [0, 1, 3]


@pytest.mark.parametrize("fresh", [False, True], ids=["set back", "fresh"])
def test_a_repeated_launch_reads_what_lies_there_now(acl: ModuleType, fresh: bool) -> None:  # OP-13, OP-15, OM-28
    load(acl, BOUNDED)
    x, kept = desc(acl, [4]), desc(acl, [4, 1], "int64")
    data, place = upload(acl, np.zeros(4, np.float32))
    out, address = empty(acl, 32)

    def launch(attr: int = 0) -> tuple[int, list[int]]:
        y = desc(acl, [4, 1], "int64") if fresh else kept
        acl.set_tensor_origin_shape(y, [4, 1])
        code = int(acl.op.execute_v2("NonZero", [x], [data], [y], [out], attr, 0))
        return code, dims_of(acl, y)

    for values in ([0, 1, 0, 1], [1, 1, 1, 0], [0, 0, 0, 0], [5, 0, 0, 0]):
        held = np.array(values, np.float32).tobytes()
        assert acl.rt.memcpy(place, 16, acl.util.bytes_to_ptr(held), 16, 1) == 0
        code, dims = launch()
        assert (code, dims) == (0, [np.count_nonzero(values), 1])
        assert download(acl, address, dims[:1], "int64").tolist() == np.flatnonzero(values).tolist()

    attr = acl.op.create_attr()
    assert launch(attr)[0] == 0  # an empty object is none (ATTR-9)
    assert acl.op.set_attr_bool(attr, "transpose", 1) == 0
    assert launch(attr)[0] == 100024
    assert launch() == (0, [1, 1])

    _, other = upload(acl, np.ones(4, np.float32))
    assert acl.update_data_buffer(data, other, 16) == 0
    assert launch() == (0, [4, 1])
    assert acl.rt.free(other) == 0
    assert launch() == (0, [4, 1])  # the description as it was: the task fails
    assert acl.rt.synchronize_stream(0) != 0
    assert acl.update_data_buffer(data, place, 16) == 0
    assert launch() == (0, [1, 1])
    assert acl.update_data_buffer(data, 0, 16) == 0
    assert launch()[0] == 100000


def test_what_a_repeated_launch_finds_is_looked_at_each_time(acl: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:  # OM-28
    load(acl, BOUNDED)
    x, y, attr = desc(acl, [4]), desc(acl, [4, 1], "int64"), acl.op.create_attr()
    data, _ = upload(acl, np.array([0, 1, 0, 1], np.float32))
    out, _ = empty(acl, 32)
    long_road: list[str] = []
    execute = acl.op._execute
    monkeypatch.setattr(acl.op, "_execute", lambda *args: long_road.append("taken") or execute(*args))  # type: ignore[func-returns-value]

    def launch(*others: Any) -> tuple[int, bool]:
        long_road.clear()
        acl.set_tensor_origin_shape(y, [4, 1])
        code = int(acl.op.execute_v2("NonZero", *(others or ([x], [data], [y], [out])), attr, 0))
        return code, bool(long_road)

    assert launch() == launch() == (0, True)  # what is met twice is kept
    assert launch() == (0, False)
    assert launch([x, x], [data], [y], [out]) == (0, True)  # PY-8: the one too many is not read
    assert launch([x], [data, data], [y], [out]) == (100000, True)
    for wrong in (tuple([x]), [float(x)]):
        with pytest.raises(TypeError):
            launch(wrong, [data], [y], [out])
    assert launch() == (0, False)
    for change, back in (
        (lambda: acl.set_tensor_shape_range(y, [[0, 4], [1, 1]]), lambda: acl.set_tensor_shape_range(y, [])),
        (lambda: acl.set_tensor_dynamic_input(x, "x"), lambda: acl.set_tensor_dynamic_input(x, "")),
        (lambda: acl.set_tensor_origin_format(x, 0), lambda: acl.set_tensor_origin_format(x, 2)),
    ):
        change()
        assert launch()[1]
        back()
        assert launch()[0] == 0
        assert launch() == (0, False)
    load(acl, operator("NonZero", [tensor([4])], [tensor([4, 1], "int64")]))
    assert launch() == (0, True)  # the static model, which is found first
    acl.destroy_tensor_desc(x)
    assert launch() == (100000, True)


def test_repeated_launches_with_known_dims_are_queued_and_known_by_name(acl: ModuleType) -> None:  # OP-11, OP-12 (a), OP-18
    some = {"shape_range": [[1, 64]]}
    load(acl, operator("GatherV2", [tensor([-1], **some), tensor([-1], "int64", **some), const([0])], [tensor([-1], **some)]))
    x, place = upload(acl, np.arange(4, dtype=np.float32))
    index, where = upload(acl, np.array([3, 0], np.int64))
    out, address = empty(acl, 8)
    y = desc(acl, [2])
    descs, buffers = [desc(acl, [4]), desc(acl, [2], "int64"), const_desc(acl, [0])], [x, index, acl.create_data_buffer(0, 0)]
    for step in range(4):
        values = np.arange(4, dtype=np.float32) + step
        assert acl.rt.memcpy(place, 16, acl.util.bytes_to_ptr(values.tobytes()), 16, 1) == 0
        before = download(acl, address, [2])
        assert acl.op.execute_v2("GatherV2", descs, buffers, [y], [out], 0, 0) == 0
        assert dims_of(acl, y) == [2]
        assert np.array_equal(download(acl, address, [2]), before)
        assert acl.rt.synchronize_stream(0) == 0
        assert np.array_equal(download(acl, address, [2]), values[[3, 0]])
    streams._NAMES.clear()
    assert acl.rt.memcpy(where, 16, acl.util.bytes_to_ptr(np.array([9, 0]).tobytes()), 16, 1) == 0
    assert acl.op.execute_v2("GatherV2", descs, buffers, [y], [out], 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert "task [GatherV2]" in acl.get_recent_err_msg()


def test_launches_of_several_threads_find_their_own_dims(acl: ModuleType) -> None:  # OP-13, OP-19
    load(acl, BOUNDED)
    x, values = desc(acl, [64]), np.arange(64, dtype=np.float32) % 3
    data, _ = upload(acl, values)
    out, _ = empty(acl, 512)
    wrong: list[Any] = []

    def launch() -> None:
        acl.rt.set_device(0)
        stream, _ = acl.rt.create_stream()
        kept = desc(acl, [64, 1], "int64")
        for number in range(600):
            y = kept if number % 3 else desc(acl, [64, 1], "int64")
            acl.set_tensor_origin_shape(y, [64, 1])
            code = acl.op.execute_v2("NonZero", [x], [data], [y], [out], 0, stream)
            if (code, dims_of(acl, y)) != (0, [np.count_nonzero(values), 1]):
                wrong.append((code, dims_of(acl, y)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=launch) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_the_old_call_refreshes_nothing(acl: ModuleType) -> None:  # OP-2
    load(acl, BOUNDED)
    x, y = desc(acl, [4]), desc(acl, [4, 1], "int64")
    data, _ = upload(acl, np.array([0, 1, 0, 1], np.float32))
    out, address = empty(acl, 32)
    assert acl.op.execute("NonZero", [x], [data], [y], [out], 0, 0) == 0
    assert dims_of(acl, y) == [4, 1]
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [2], "int64").tolist() == [1, 3]


def test_static_models_leave_descriptions_alone(acl: ModuleType) -> None:  # OP-13
    load(acl, operator("NonZero", [tensor([4])], [tensor([4, 1], "int64")]))
    dims, _, code = nonzero(acl, [0, 1, 0, 1], 4, None)
    assert (dims, code) == ([4, 1], 0)
    assert acl.rt.synchronize_stream(0) == 0


def test_output_dims_are_believed_where_a_rule_would_know_them(acl: ModuleType) -> None:  # OP-12 (a), OP-13
    # CANN takes the InferShape out of a dynamic model that execute_v2 ran first (graph engine, OpExecutor::PrepareRt2Execute,
    # trust_shape_on_out_tensor; TrustOutTensor::Run): nothing is waited for or written back, and what does not fit is written all the same.
    size = tensor([-1], shape_range=[[1, 64]])
    load(acl, operator("Slice", [size, tensor([1], "int64"), tensor([1], "int64")], [tensor([-1])]))
    values, _ = upload(acl, np.arange(10, dtype=np.float32))
    x, number = desc(acl, [10]), desc(acl, [1], "int64")
    for start, length, said in ((2, 3, 3), (5, 5, 5), (2, 3, 10), (2, 5, 3)):
        y, (out, address) = desc(acl, [said]), empty(acl, 40)
        offsets, sizes = upload(acl, np.array([start]))[0], upload(acl, np.array([length]))[0]
        before = download(acl, address, [said])
        for _ in range(3):  # the third time it is known
            assert acl.op.execute_v2("Slice", [x, number, number], [values, offsets, sizes], [y], [out], 0, 0) == 0
            assert dims_of(acl, y) == [said]
        assert np.array_equal(download(acl, address, [said]), before)
        assert acl.rt.synchronize_stream(0) == (0 if said == length else 507015)
        if said == length:
            assert download(acl, address, [length]).tolist() == list(range(start, start + length))
        else:
            assert "believes" in acl.get_recent_err_msg()


def test_wrong_output_dims_are_no_upper_bound(acl: ModuleType) -> None:  # OP-12: an upper bound is for shapes that only the run knows
    load(acl, dynamic_add())
    add = Add(acl, 4, model=False)
    add.out_descs[0], (add.outputs[0], _) = desc(acl, [9]), empty(acl, 36)
    handle, code = acl.op.create_handle("Add", add.in_descs, add.out_descs, 0)
    assert code == acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert add.execute() == 0
    assert dims_of(acl, add.out_descs[0]) == [9]
    assert acl.rt.synchronize_stream(0) == 507015


def test_repeats_on_the_device_want_the_exact_size(acl: ModuleType) -> None:  # OP-12 (a)
    # RepeatInterleave infers its shape from the values that it is given (InputsDataDependency), the kernel tells nothing.
    size = tensor([-1], **SOME)
    load(acl, operator("RepeatInterleave", [size, tensor([-1], "int64", **SOME)], [tensor([-1])], ("axis", "int", 0)))
    values, _ = upload(acl, np.arange(3, dtype=np.float32))
    counts, _ = upload(acl, np.array([2, 0, 1]))
    attr = acl.op.create_attr()
    acl.op.set_attr_int(attr, "axis", 0)
    for said in (3, 5):
        y, (out, _) = desc(acl, [said]), empty(acl, 20)
        assert acl.op.execute_v2("RepeatInterleave", [desc(acl, [3]), desc(acl, [3], "int64")], [values, counts], [y], [out], attr, 0) == 0
        assert dims_of(acl, y) == [said]
        assert acl.rt.synchronize_stream(0) == (0 if said == 3 else 507015)


def test_a_repeated_launch_asks_the_rule_for_the_values_that_lie_there_now(acl: ModuleType) -> None:  # OP-12 (a), OM-28
    size = tensor([-1], **SOME)
    load(acl, operator("RepeatInterleave", [size, tensor([-1], "int64", **SOME)], [tensor([-1])], ("axis", "int", 0)))
    values, _ = upload(acl, np.arange(3, dtype=np.float32))
    counts, place = upload(acl, np.zeros(3, np.int64))
    attr, descs = acl.op.create_attr(), ([desc(acl, [3]), desc(acl, [3], "int64")], [desc(acl, [3])])
    acl.op.set_attr_int(attr, "axis", 0)
    out, address = empty(acl, 20)
    for said in ([2, 0, 1], [1, 1, 2], [0, 3, 0]):
        held = np.array(said).tobytes()
        assert acl.rt.memcpy(place, 24, acl.util.bytes_to_ptr(held), 24, 1) == 0
        assert acl.op.execute_v2("RepeatInterleave", descs[0], [values, counts], descs[1], [out], attr, 0) == 0
        assert acl.rt.synchronize_stream(0) == (0 if sum(said) == 3 else 507015)
        if sum(said) == 3:
            assert download(acl, address, [3]).tolist() == np.repeat(np.arange(3), said).tolist()


def test_a_constant_decides_the_shape_without_waiting(acl: ModuleType) -> None:  # OP-12 (a)
    load(acl, operator("ReduceSum", [tensor([-1, 3], shape_range=[[1, 64]]), const([1])], [tensor([-1])]))
    values, _ = upload(acl, np.ones((4, 3), np.float32))
    y = desc(acl, [4])
    out, address = empty(acl, 16)
    buffers = [values, acl.create_data_buffer(0, 0)]
    before = download(acl, address, [4])
    assert acl.op.execute_v2("ReduceSum", [desc(acl, [4, 3]), const_desc(acl, [1])], buffers, [y], [out], 0, 0) == 0
    assert np.array_equal(download(acl, address, [4]), before)
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [4]).tolist() == [3] * 4


def test_counts_of_a_dynamic_model(acl: ModuleType) -> None:  # OP-10: only the counts are checked
    load(acl, dynamic_add())
    add = Add(acl, 16, model=False)
    add.inputs[0] = acl.create_data_buffer(add.addresses[0], 1)
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_memory_that_ends_too_early_fails_on_the_device(acl: ModuleType) -> None:  # OP-10, OP-18
    load(acl, BOUNDED)
    x, y = desc(acl, [64]), desc(acl, [64, 1], "int64")
    data, _ = upload(acl, np.ones(64, np.float32))
    small, _ = empty(acl, 8)
    assert acl.op.execute_v2("NonZero", [x], [data], [y], [small], 0, 0) == 0
    assert dims_of(acl, y) == [64, 1]
    assert acl.rt.synchronize_stream(0) == 507015


def test_operands_the_shape_rule_refuses(acl: ModuleType) -> None:  # GEN-2
    x = tensor([-1], shape_range=[[1, 64]])
    load(acl, operator("Add", [x, x], [tensor([-1])]))
    a, b = upload(acl, np.ones(3, np.float32))[0], upload(acl, np.ones(4, np.float32))[0]
    out, _ = empty(acl, 16)
    assert acl.op.execute_v2("Add", [desc(acl, [3]), desc(acl, [4])], [a, b], [desc(acl, [4])], [out], 0, 0) == 500002
    assert "shape inference of Add failed" in acl.get_recent_err_msg()


def test_a_planned_fault_meets_launches_without_a_handle(acl: ModuleType) -> None:  # RT-48
    add = Add(acl, 4)
    assert add.execute() == 0
    with acl.faults.kernel("Add", nth=2, code=507011):
        assert [add.execute() for _ in range(3)] == [0, 0, 0]
        assert acl.rt.synchronize_stream(0) == 507011
    assert add.execute() == 0
    assert acl.rt.synchronize_stream(0) == 0


# Cast


def cast_operator(*attrs: tuple[str, str, Any]) -> dict[str, Any]:
    return operator("Cast", [tensor([3])], [tensor([3], "int32")], ("dst_type", "int", 3), *attrs)


def test_cast(acl: ModuleType) -> None:  # BL-1, K117, K118
    src, dst = desc(acl, [3]), desc(acl, [3], "int32")
    values, _ = upload(acl, np.array([1.9, -1.9, 7], np.float32))
    out, address = empty(acl, 12)
    assert acl.op.cast(src, values, dst, out, 0, 0) == 100024
    load(acl, cast_operator())
    assert acl.op.cast(src, values, 0, out, 0, 0) == 100000
    assert acl.op.cast(0, values, dst, out, 0, 0) == 100000
    assert acl.op.cast(src, values, dst, out, 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [3], "int32").tolist() == [1, -1, 7]


def test_handle_for_cast(acl: ModuleType) -> None:  # BL-3, K117, K118
    src, dst = desc(acl, [3]), desc(acl, [3], "int32")
    assert acl.op.create_handle_for_cast(src, dst, 0) == (0, 100024)
    load(acl, cast_operator())
    assert acl.op.create_handle_for_cast(src, 0, 0) == (0, 100000)
    handle, ret = acl.op.create_handle_for_cast(src, dst, 0)
    assert ret == 0
    values, _ = upload(acl, np.array([1.5, 2.5, 3.5], np.float32))
    out, address = empty(acl, 12)
    assert acl.op.execute_with_handle(handle, [values], [out], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [3], "int32").tolist() == [1, 2, 3]


def test_truncate_is_sent_only_if_some_model_declares_it(acl: ModuleType) -> None:  # BL-2
    src, dst = desc(acl, [3]), desc(acl, [3], "int32")
    load(acl, cast_operator())
    assert acl.op.create_handle_for_cast(src, dst, 1)[1] == 0
    load(acl, cast_operator(("truncate", "bool", True)))  # as published models say, of the prototypes of older releases
    assert acl.op.create_handle_for_cast(src, dst, 1)[1] == 0
    assert acl.op.create_handle_for_cast(src, dst, 0) == (0, 100024)  # sticky: truncate is part of the call from now on
