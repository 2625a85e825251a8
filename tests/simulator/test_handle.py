"""Operator handles and the tasks prepared for them (HD, OP-9, OP-11, OP-17, OP-18, K108 to K112)."""

from __future__ import annotations

import gc
import threading
import time
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from op_program import Add, add_operator, const, const_desc, desc, dims_of, download, empty, load, operator, tensor, upload

from ascendtensor.simulator.engine import handles
from ascendtensor.simulator.engine.tables import BUFFERS, HANDLES


def test_add_through_a_handle(acl: ModuleType) -> None:  # HD-4, OP-11
    add = Add(acl, 8, 8)
    handle = add.handle()
    stream, _ = acl.rt.create_stream()
    before = add.result()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 0
    assert np.array_equal(add.result(), before)  # OP-11: queued, not done
    assert acl.rt.synchronize_stream(stream) == 0
    assert np.array_equal(add.result(), add.expected)
    assert acl.op.destroy_handle(handle) is None
    acl.rt.destroy_stream(stream)


def test_create_handle_arguments(acl: ModuleType) -> None:  # HD-1, PY-2, PY-5, K3, K4
    add = Add(acl, 2)
    with pytest.raises(TypeError, match=r"^argument 2 or 3 is not list$"):
        acl.op.create_handle("Add", tuple(add.in_descs), add.out_descs, 0)
    with pytest.raises(TypeError, match=r"acl\.op\.create_handle args parse failed"):
        acl.op.create_handle("Add", add.in_descs, add.out_descs)
    with pytest.raises(TypeError, match="the list argument is not list of int"):
        acl.op.create_handle("Add", [np.int64(add.in_descs[0]), add.in_descs[1]], add.out_descs, 0)
    with pytest.raises(TypeError):
        acl.op.create_handle(None, add.in_descs, add.out_descs, 0)
    assert acl.op.create_handle("Add", [add.in_descs[0], 0], add.out_descs, 0) == (0, 100000)
    assert acl.op.create_handle("Add", add.in_descs, [0], 0) == (0, 100000)
    assert acl.op.create_handle("Add", add.in_descs, add.out_descs, 12345) == (0, 100000)


@pytest.mark.parametrize("placement", [1, 2])
def test_host_placement_is_refused(acl: ModuleType, placement: int) -> None:  # HD-1, K108
    add = Add(acl, 2)
    acl.set_tensor_place_ment(add.in_descs[1], placement)
    assert acl.op.create_handle("Add", add.in_descs, add.out_descs, 0) == (0, 200001)
    acl.set_tensor_place_ment(add.in_descs[1], 0)
    acl.set_tensor_place_ment(add.out_descs[0], placement)
    assert acl.op.create_handle("Add", add.in_descs, add.out_descs, 0) == (0, 200001)


def test_const_input_may_be_host_placed(acl: ModuleType) -> None:  # HD-2: no 200001; OM-29 then decides the match
    load(acl, operator("ReduceSum", [tensor([2, 3]), const([1])], [tensor([2])]))
    axes = const_desc(acl, [1])
    args = "ReduceSum", [desc(acl, [2, 3]), axes], [desc(acl, [2])], 0
    assert acl.op.create_handle(*args)[1] == 0
    acl.set_tensor_place_ment(axes, 1)
    assert acl.op.create_handle(*args) == (0, 100024)


def test_the_handle_owns_copies(acl: ModuleType) -> None:  # HD-5, ATTR-11, OP-16
    load(acl, operator("Adds", [tensor([4])], [tensor([4])], ("value", "float", 2.0)))
    attr = acl.op.create_attr()
    acl.op.set_attr_float(attr, "value", 2.0)
    x, y = desc(acl, [4]), desc(acl, [4])
    handle, ret = acl.op.create_handle("Adds", [x], [y], attr)
    assert ret == 0
    acl.op.set_attr_float(attr, "value", 9.0)
    acl.op.destroy_attr(attr)
    acl.set_tensor_origin_shape(x, [1])
    acl.destroy_tensor_desc(x)
    acl.destroy_tensor_desc(y)
    values, _ = upload(acl, np.arange(4, dtype=np.float32))
    out, address = empty(acl, 16)
    assert acl.op.execute_with_handle(handle, [values], [out], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, address, [4]).tolist() == [2, 3, 4, 5]


def test_null_and_foreign_handles(acl: ModuleType) -> None:  # HD-7, HD-13, K109
    add = Add(acl, 2)
    handle = add.handle()
    assert acl.op.execute_with_handle(0, add.inputs, add.outputs, 0) == 100000
    assert acl.op.execute_with_handle(add.in_descs[0], add.inputs, add.outputs, 0) == 100000
    acl.op.destroy_handle(handle)
    acl.op.destroy_handle(handle)
    acl.op.destroy_handle(0)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 100000


def test_counts(acl: ModuleType) -> None:  # HD-7, K110, K111
    add = Add(acl, 2)
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.inputs[:1], add.outputs, 0) == 100021
    assert acl.op.execute_with_handle(handle, [*add.inputs, add.inputs[0]], add.outputs, 0) == 100021
    assert acl.op.execute_with_handle(handle, add.inputs, [], 0) == 100022
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs * 2, 0) == 100022
    assert acl.op.execute_with_handle(handle, [add.inputs[0], 0], add.outputs, 0) == 100000
    assert acl.op.execute_with_handle(handle, add.inputs, [99], 0) == 100000


def test_all_outputs_of_length_zero(acl: ModuleType) -> None:  # HD-7, K112: before the counts
    add = Add(acl, 2)
    handle = add.handle()
    nothing = acl.create_data_buffer(0, 0)
    assert acl.op.execute_with_handle(handle, [], [nothing], 0) == 0
    assert acl.op.execute_with_handle(handle, add.inputs, [nothing, nothing, nothing], 0) == 0
    assert acl.op.execute_with_handle(0, add.inputs, [nothing], 0) == 100000
    acl.rt.synchronize_stream(0)


@pytest.mark.parametrize("repeat", [False, True])
def test_wrong_arguments_are_type_errors_before_and_after_the_first_launch(acl: ModuleType, repeat: bool) -> None:  # PY-2, K1 to K4
    add = Add(acl, 2)
    handle = add.handle()
    if repeat:
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    bad: list[tuple[Any, ...]] = [
        (),
        (handle, add.inputs, add.outputs),
        (handle, add.inputs, add.outputs, 0, 0),
        (handle, tuple(add.inputs), add.outputs, 0),
        (handle, add.inputs, tuple(add.outputs), 0),
        (handle, np.array(add.inputs), add.outputs, 0),
        (handle, None, add.outputs, 0),
        (None, add.inputs, add.outputs, 0),
        (handle, add.inputs, add.outputs, None),
    ]
    for args in bad:
        with pytest.raises(TypeError, match=r"acl\.op\.execute_with_handle args parse failed|argument 2 or 3 is not list"):
            acl.op.execute_with_handle(*args)
    with pytest.raises(TypeError, match="the list argument is not list of int"):
        acl.op.execute_with_handle(handle, [[1], 2], add.outputs, 0)
    with pytest.raises(TypeError):
        acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream=0)
    acl.rt.synchronize_stream(0)


def test_numpy_integers_in_the_lists(acl: ModuleType) -> None:  # PY-5, K2
    add = Add(acl, 2)
    with pytest.raises(TypeError, match="the list argument is not list of int"):
        acl.op.execute_with_handle(add.handle(), [np.int64(add.inputs[0]), add.inputs[1]], add.outputs, 0)


def test_buffer_sizes_of_a_static_model(acl: ModuleType) -> None:  # OP-9, HD-8, K104
    add = Add(acl, 8, 8)
    handle = add.handle()
    for size, code in ((256, 0), (193, 0), (192, 145000), (1, 145000), (0, 145000), (1 << 20, 0)):
        short = acl.create_data_buffer(add.addresses[0], size)
        assert acl.op.execute_with_handle(handle, [short, add.inputs[1]], add.outputs, 0) == code, size
    for size, code in ((193, 0), (192, 145000)):
        short = acl.create_data_buffer(add.out_address, size)
        assert acl.op.execute_with_handle(handle, add.inputs, [short], 0) == code, size
    assert acl.rt.synchronize_stream(0) == 0


def test_null_address_with_length_fails_on_the_device(acl: ModuleType) -> None:  # HD-8, OP-18
    add = Add(acl, 8, 8)
    bad = acl.create_data_buffer(0, 256)
    assert acl.op.execute_with_handle(add.handle(), [bad, add.inputs[1]], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert acl.rt.synchronize_stream(0) == 0


def test_host_memory_is_no_device_memory(acl: ModuleType) -> None:  # SIM-1, OP-7, OP-18
    add = Add(acl, 8, 8)
    handle = add.handle()
    pinned, _ = acl.rt.malloc_host(256)
    pageable = bytes(256)
    for address in (pinned, acl.util.bytes_to_ptr(pageable), add.addresses[0] + 4096):
        bad = acl.create_data_buffer(address, 256)
        assert acl.op.execute_with_handle(handle, [bad, add.inputs[1]], add.outputs, 0) == 0
        assert acl.rt.synchronize_stream(0) == 507015
    assert "Add" in acl.get_recent_err_msg()


def test_a_failing_launch_is_not_remembered(acl: ModuleType) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    acl.rt.set_device(1)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert acl.rt.device_enable_peer_access(0, 0) == 0  # RT-42
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_host_memory_in_run_mode_device_is_looked_up_each_time(acl: ModuleType) -> None:  # RT-15
    acl.rt.reset_device(0)
    acl.configure(run_mode="device")
    acl.rt.set_device(0)
    add = Add(acl, 4)
    handle = add.handle()
    data = np.arange(4, dtype=np.float32)
    foreign = acl.create_data_buffer(data.ctypes.data, 16)
    assert acl.op.execute_with_handle(handle, [foreign, add.inputs[1]], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), data + add.right)
    assert not HANDLES[handle].prepared


def test_buffers_inside_one_allocation_and_unaligned(acl: ModuleType) -> None:  # OP-9
    add = Add(acl, 4)
    base, _ = acl.rt.malloc(256, 0)
    buffers = [acl.create_data_buffer(base + offset, 16) for offset in (0, 33, 128)]
    data = np.arange(4, dtype=np.float32).tobytes()
    for offset in (0, 33):
        acl.rt.memcpy(base + offset, 16, acl.util.bytes_to_ptr(data), 16, 1)
    assert acl.op.execute_with_handle(add.handle(), buffers[:2], buffers[2:], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert download(acl, base + 128, [4]).tolist() == [0, 2, 4, 6]


def test_in_place(acl: ModuleType) -> None:  # OP-17
    add = Add(acl, 4)
    handle = add.handle()
    for _ in range(3):
        assert acl.op.execute_with_handle(handle, add.inputs, add.inputs[:1], 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(download(acl, add.addresses[0], [4]), add.left + 3 * add.right)
    assert acl.op.execute_with_handle(handle, add.inputs[:1] * 2, add.outputs, 0) == 0
    acl.rt.synchronize_stream(0)
    assert np.array_equal(add.result(), 2 * (add.left + 3 * add.right))


def test_any_stream_and_the_default_one(acl: ModuleType) -> None:  # HD-10
    add = Add(acl, 4)
    handle = add.handle()
    first, second = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
    for stream in (first, second, 0):
        acl.rt.memset(add.out_address, 16, 0, 16)
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0
        assert np.array_equal(add.result(), add.expected)


def test_context_and_stream_codes(acl: ModuleType) -> None:  # OP-6, RT-26, K107
    add = Add(acl, 4)
    handle = add.handle()
    stream, _ = acl.rt.create_stream()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 0
    primary, _ = acl.rt.get_context()
    other, _ = acl.rt.create_context(0)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 107003
    acl.rt.set_context(primary)
    acl.rt.destroy_stream(stream)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream) == 107017
    acl.rt.destroy_context(other)
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)))
    thread.start()
    thread.join()
    assert codes == [107002]


def test_full_queue_is_run_by_the_launch_that_finds_it(acl: ModuleType) -> None:
    acl.rt.reset_device(0)
    acl.configure(queue=4)
    acl.rt.set_device(0)
    add = Add(acl, 4)
    handle = add.handle()
    before = add.result()
    for _ in range(4):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert np.array_equal(add.result(), before)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_destroying_the_handle_does_not_cancel_work(acl: ModuleType) -> None:  # HD-13
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    acl.op.destroy_handle(handle)
    for buffer in (*add.inputs, *add.outputs):  # OP-16
        acl.destroy_data_buffer(buffer)
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_update_data_buffer_makes_the_task_anew(acl: ModuleType) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    record = HANDLES[handle]
    assert len(record.prepared) == 1
    _, address = upload(acl, np.full(4, 100, np.float32))
    acl.update_data_buffer(add.inputs[0], address, 16)
    assert not record.prepared
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    acl.rt.synchronize_stream(0)
    assert add.result().tolist() == [100.5] * 4


def test_a_buffer_that_shrinks_is_checked_again(acl: ModuleType) -> None:  # OP-9
    add = Add(acl, 8, 8)
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    acl.update_data_buffer(add.inputs[0], add.addresses[0], 100)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 145000


def test_the_same_output_with_changing_inputs(acl: ModuleType) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    other, address = upload(acl, np.full(4, 100, np.float32))
    left, right = add.inputs
    for _ in range(3):
        for inputs, expected in (([left, right], add.expected), ([other, right], 100.5), ([right, other], 100.5), ([other, other], 200)):
            assert acl.op.execute_with_handle(handle, inputs, add.outputs, 0) == 0
            assert acl.rt.synchronize_stream(0) == 0
            assert np.all(add.result() == expected)
    record = HANDLES[handle]
    assert len(record.prepared) == 4 and len(record.prepared.recent[0]) == 1
    assert acl.op.execute_with_handle(handle, [other, right], add.outputs, 0) == 0
    acl.rt.free(address)
    assert len(record.prepared) == 1 and not record.prepared.recent[0]
    assert acl.op.execute_with_handle(handle, [left, right], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)
    assert acl.op.execute_with_handle(handle, [other, right], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015


def test_every_way_to_drop_a_task_drops_it_from_the_index(acl: ModuleType) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    record = HANDLES[handle]
    swapped = add.inputs[::-1]

    def launch() -> None:
        for inputs in (add.inputs, swapped, add.inputs):
            assert acl.op.execute_with_handle(handle, inputs, add.outputs, 0) == 0
        assert len(record.prepared) == 2 and len(record.prepared.recent[0]) == 1

    launch()
    acl.update_data_buffer(add.inputs[0], add.addresses[0], 16)
    assert not record.prepared and not record.prepared.recent[0]
    launch()
    plan = acl.faults.kernel("Mul")
    assert not record.prepared and not record.prepared.recent[0]
    plan.cancel()
    launch()
    acl.rt.free(add.addresses[1])
    assert not record.prepared and not record.prepared.recent[0]
    acl.op.destroy_handle(handle)
    acl.rt.synchronize_stream(0)


def test_arrays_of_one_handle_are_no_lists(acl: ModuleType) -> None:  # PY-5
    load(acl, operator("Relu", [tensor([4])], [tensor([4])]))
    handle, ret = acl.op.create_handle("Relu", [desc(acl, [4])], [desc(acl, [4])], 0)
    assert ret == 0
    x, y = upload(acl, np.ones(4, np.float32))[0], empty(acl, 16)[0]
    assert acl.op.execute_with_handle(handle, [x], [y], 0) == 0
    for inputs, outputs in ((np.array([x]), [y]), ([x], np.array([y])), ((x,), [y]), ([x], (y,))):
        with pytest.raises(TypeError, match=r"^argument 2 or 3 is not list$"):
            acl.op.execute_with_handle(handle, inputs, outputs, 0)
    acl.rt.synchronize_stream(0)


def test_destroyed_buffer_is_null(acl: ModuleType) -> None:
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    acl.destroy_data_buffer(add.inputs[0])
    assert not HANDLES[handle].prepared
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 100000


def test_freed_memory_drops_the_task_and_queued_work_keeps_its_bytes(acl: ModuleType) -> None:  # OP-15, RT-32
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    for address in add.addresses:
        assert acl.rt.free(address) == 0
    assert not HANDLES[handle].prepared
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015  # the second one: its memory is gone
    assert np.array_equal(add.result(), add.expected)  # the first one


def test_prepared_tasks_are_bounded_everywhere(acl: ModuleType) -> None:
    add = Add(acl, 4)
    for _ in range(20):
        handle = add.handle()
        outs = [acl.create_data_buffer(add.out_address, 16) for _ in range(2 * handles.PREPARED_LIMIT)]
        for out in outs:
            assert acl.op.execute_with_handle(handle, add.inputs, [out], 0) == 0
        assert len(HANDLES[handle].prepared) <= handles.PREPARED_LIMIT
        acl.op.destroy_handle(handle)
        for out in outs:
            acl.destroy_data_buffer(out)
    acl.rt.synchronize_stream(0)
    assert len(BUFFERS[add.inputs[0]].tasks) <= 4 * handles.PREPARED_LIMIT


def test_many_launches_leave_nothing_behind(acl: ModuleType) -> None:
    add = Add(acl, 8, 8)
    handle = add.handle()
    for _ in range(3000):
        acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    acl.rt.synchronize_stream(0)
    gc.collect()
    objects = len(gc.get_objects())
    for _ in range(20000):
        acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    acl.rt.synchronize_stream(0)
    gc.collect()
    assert len(gc.get_objects()) - objects < 50


def test_kernel_failure_comes_out_at_synchronise(acl: ModuleType) -> None:  # OP-18, RT-44, RT-45
    add = Add(acl, 4)
    handle = add.handle()
    acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0)
    with acl.faults.kernel("Add", code=507015):
        assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
        assert add.execute() == 0
        assert acl.rt.synchronize_stream(0) == 507015
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_static_descs_on_a_dynamic_model_are_never_refreshed(acl: ModuleType) -> None:  # HD-6, HD-12
    load(acl, operator("NonZero", [tensor([-1], shape_range=[[1, 16]])], [tensor([-1, 1], "int64")]))
    attr = acl.op.create_attr()
    x, y = desc(acl, [4]), desc(acl, [4, 1], "int64")
    handle, ret = acl.op.create_handle("NonZero", [x], [y], attr)
    assert ret == 0
    values, address = upload(acl, np.array([0, 5, 0, 7], np.float32))
    out, result = empty(acl, 32)
    for expected in ([1, 3], [0, 1]):
        assert acl.op.execute_with_handle(handle, [values], [out], 0) == 0
        assert acl.rt.synchronize_stream(0) == 0
        assert download(acl, result, [2], "int64").tolist() == expected
        data = np.array([5, 7, 0, 0], np.float32).tobytes()
        acl.rt.memcpy(address, 16, acl.util.bytes_to_ptr(data), 16, 1)
    assert dims_of(acl, y) == [4, 1]


def test_a_dynamic_model_checks_no_sizes(acl: ModuleType) -> None:  # OP-10
    x = tensor([-1], shape_range=[[1, 64]])
    load(acl, operator("Add", [x, x], [tensor([-1])]))
    add = Add(acl, 16, model=False)
    handle = add.handle()
    short = acl.create_data_buffer(add.addresses[0], 1)
    assert acl.op.execute_with_handle(handle, [short, add.inputs[1]], add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(add.result(), add.expected)


def test_two_devices(acl: ModuleType) -> None:  # HD-10, RT-42
    add = Add(acl, 4)
    handle = add.handle()
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    acl.rt.set_device(1)
    assert acl.op.execute_with_handle(handle, add.inputs, add.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015  # the same buffers, but another device's memory
    there = Add(acl, 4, model=False)
    assert acl.op.execute_with_handle(handle, there.inputs, there.outputs, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(there.result(), there.expected)


def test_eight_threads_with_their_own_streams(acl: ModuleType) -> None:  # OP-19, OM-6
    load(acl, add_operator(4))
    context, _ = acl.rt.get_context()
    wrong: list[str] = []

    def work(number: int) -> None:
        acl.rt.set_context(context)
        stream, _ = acl.rt.create_stream()
        add = Add(acl, 4, model=False)
        handle = add.handle()
        for _ in range(500):
            if acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream):
                wrong.append("launch")
        if acl.rt.synchronize_stream(stream) or not np.array_equal(add.result(), add.expected):
            wrong.append(f"result {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_eight_threads_of_ten_thousand_launches_with_events_between_them(acl: ModuleType) -> None:  # OP-19, OM-6, EV-2, EV-4
    load(acl, add_operator(64))
    context, _ = acl.rt.get_context()
    before = acl.tables()
    rounds, each = 100, 100
    marks = [[acl.rt.create_event()[0] for _ in range(8)] for _ in range(2)]
    barrier = threading.Barrier(8)
    wrong: list[str] = []

    def work(number: int) -> None:
        acl.rt.set_context(context)
        stream, _ = acl.rt.create_stream()
        add = Add(acl, 64, model=False)
        handle = add.handle()
        for turn in range(rounds):
            for _ in range(each):
                if acl.op.execute_with_handle(handle, add.inputs, add.outputs, stream):
                    wrong.append("launch")
            own = marks[turn % 2]
            if acl.rt.record_event(own[number], stream):
                wrong.append("record")
            barrier.wait(60)
            for step in (1, 3):
                if acl.rt.stream_wait_event(stream, own[(number + step) % 8]):
                    wrong.append("wait")
        if acl.rt.synchronize_stream(stream) or not np.array_equal(add.result(), add.expected):
            wrong.append(f"result {number}")
        acl.op.destroy_handle(handle)
        for buffer in (*add.inputs, *add.outputs):
            acl.rt.free(acl.get_data_buffer_addr(buffer))
            acl.destroy_data_buffer(buffer)
        for described in (*add.in_descs, *add.out_descs):
            acl.destroy_tensor_desc(described)
        acl.rt.destroy_stream(stream)

    began = time.monotonic()
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    took = time.monotonic() - began
    assert not any(thread.is_alive() for thread in threads), "no deadlock"
    assert not wrong and took < 60, (wrong[:3], took)
    for event in (*marks[0], *marks[1]):
        assert acl.rt.destroy_event(event) == 0
    assert acl.tables() == before
