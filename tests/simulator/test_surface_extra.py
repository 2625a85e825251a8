"""What the less common functions of ``acl`` and ``acl.rt`` do (RT-10 to RT-27, RT-42, RT-46): devices, streams, binaries, versions."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ascendtensor import simulator
from ascendtensor.simulator.engine import custom


def test_versions(acl: ModuleType) -> None:
    version, ret = acl.get_cann_version(0)
    assert ret == 0
    assert set(version) == {"version", "major_version", "minor_version", "release_version", "patch_version", "reserved"}
    assert all(type(text) is str for text in version.values())
    assert acl.get_cann_version(8) == (dict.fromkeys(version, ""), 100000)
    attributes, count, ret = acl.get_cann_attribute_list()
    assert (len(attributes), ret) == (count, 0)
    assert all(acl.get_cann_attribute(attribute) == (1, 0) for attribute in attributes)
    assert acl.get_cann_attribute(-1) == (0, 100000)
    assert acl.get_device_capability(0, 0) == (24, 0)
    assert acl.get_device_capability(0, -1) == (0, 100000)
    assert acl.get_device_capability(7, 0) == (0, 107001)
    assert acl.get_version_str("runtime") == ("", 200001)


def test_device_queries(acl: ModuleType) -> None:
    assert acl.rt.query_device_status(1) == (0, 0)
    assert acl.rt.query_device_status(2) == (0xFFFF, 107001)
    rate, ret = acl.rt.get_device_utilization_rate(0)
    assert (rate["memory_utilization"], ret) == (0, 0)
    total = acl.rt.get_mem_info(1)[1]
    address, _ = acl.rt.malloc(total // 4, 0)
    assert acl.rt.get_device_utilization_rate(0)[0]["memory_utilization"] == 25
    acl.rt.free(address)
    assert acl.rt.get_device_utilization_rate(9) == (dict.fromkeys(rate, 0), 107001)
    assert acl.rt.get_device_info(0, 201) == (48, 0)
    assert acl.rt.get_device_info(1, 402) == (1, 0)
    assert acl.rt.get_device_info(0, 301) == (0, 0)  # 4 GiB cut to 32 bits by the binding
    assert acl.rt.get_device_info(0, 9999) == (0, 207000)
    assert acl.rt.get_device_capability(0, 1) == (0, 0)
    assert acl.rt.get_device_capability(0, 2) == (0, 107000)
    assert acl.rt.get_devices_topo(0, 1) == (1, 0)
    assert acl.rt.get_devices_topo(0, 5) == (0, 107001)
    for name in ("logic_dev_id_by_user", "user_dev_id_by_logic", "logic_dev_id_by_phy", "phy_dev_id_by_logic"):
        call = getattr(acl.rt, f"get_{name}_dev_id")
        assert call(1) == (1, 0)
        assert call(2) == (0, 107001)
    one, other = acl.rt.device_get_uuid(0)[0]["bytes"], acl.rt.device_get_uuid(1)[0]["bytes"]
    assert (len(one), one != other) == (16, True)
    assert acl.rt.device_get_uuid(7) == ({"bytes": [0] * 16}, 107001)
    assert acl.rt.device_get_bare_tgid() == (os.getpid(), 0)


def test_saturation_and_overflow(acl: ModuleType) -> None:
    assert acl.rt.get_device_sat_mode() == (1, 0)
    assert acl.rt.set_device_sat_mode(0) == 0
    assert acl.rt.get_device_sat_mode() == (0, 0)
    assert acl.rt.set_device_sat_mode(2) == 107000
    out, _ = acl.rt.malloc(64, 0)
    assert acl.rt.get_overflow_status(out, 64, 0) == 0
    assert acl.rt.reset_overflow_status(0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    host, _ = acl.rt.malloc_host(64)
    acl.rt.memcpy(host, 64, out, 64, 2)
    assert acl.util.ptr_to_bytes(host, 64) == bytes(64)
    assert acl.rt.get_overflow_status(0, 64, 0) == 100000
    assert acl.rt.get_overflow_status(out, 32, 0) == 107000
    assert acl.rt.set_stream_overflow_switch(0, 1) == 0
    assert acl.rt.get_stream_overflow_switch(0) == (1, 0)
    assert acl.rt.set_stream_overflow_switch(0, 2) == 107000
    acl.rt.reset_device(0)
    assert acl.rt.get_device_sat_mode() == (0, 107002)
    assert acl.rt.set_device_sat_mode(0) == 107002


def test_system_parameters(acl: ModuleType) -> None:
    assert acl.rt.set_sys_param_opt(0, 1) == 0
    assert acl.rt.get_sys_param_opt(0) == (1, 0)
    assert acl.rt.get_sys_param_opt(1) == (0, 0)
    assert acl.rt.ctx_set_sys_param_opt(0, 7) == 0
    assert acl.rt.ctx_get_sys_param_opt(0) == (7, 0)
    acl.rt.create_context(0)
    assert acl.rt.ctx_get_sys_param_opt(0) == (0, 0)
    assert acl.rt.get_sys_param_opt(9) == acl.rt.ctx_get_sys_param_opt(-1) == (0, 107000)
    assert acl.rt.set_sys_param_opt(9, 0) == 107000


def test_core_limits(acl: ModuleType) -> None:
    assert acl.rt.get_device_res_limit(0, 0) == (24, 0)
    assert acl.rt.set_device_res_limit(0, 0, 8) == 0
    stream, _ = acl.rt.create_stream()
    assert acl.rt.get_stream_res_limit(stream, 0) == (8, 0)
    assert acl.rt.set_stream_res_limit(stream, 0, 4) == 0
    assert acl.rt.get_stream_res_limit(stream, 0) == (4, 0)
    assert acl.rt.get_res_in_current_thread(0) == (8, 0)
    assert acl.rt.use_stream_res_in_current_thread(stream) == 0
    assert acl.rt.get_res_in_current_thread(0) == (4, 0)
    assert acl.rt.unuse_stream_res_in_current_thread(stream) == 0
    assert acl.rt.get_res_in_current_thread(0) == (8, 0)
    assert acl.rt.reset_stream_res_limit(stream) == acl.rt.reset_device_res_limit(0) == 0
    assert acl.rt.get_stream_res_limit(stream, 0) == (24, 0)
    assert acl.rt.set_device_res_limit(0, 0, 25) == acl.rt.set_device_res_limit(0, 5, 1) == 107000
    assert acl.rt.get_device_res_limit(5, 0) == (0, 107001)


def test_stream_attributes(acl: ModuleType) -> None:  # RT-46
    stream, _ = acl.rt.create_stream()
    assert acl.rt.get_stream_attribute(stream, 1) == ({"failureMode": 0}, 0)
    assert acl.rt.set_stream_attribute(stream, 1, {"failureMode": 1}) == 0
    assert acl.rt.set_stream_attribute(stream, 1, {"failureMode": 0}) == 207000
    assert acl.rt.get_stream_attribute(stream, 1) == ({"failureMode": 1}, 0)
    assert acl.rt.set_stream_attribute(stream, 3, {"userCustomTag": 77}) == 0
    assert acl.rt.get_stream_attribute(stream, 3) == ({"userCustomTag": 77}, 0)
    assert acl.rt.set_stream_attribute(stream, 2, {"overflowSwitch": 1}) == 0
    assert acl.rt.get_stream_overflow_switch(stream) == (1, 0)
    assert acl.rt.set_stream_attribute(stream, 9, {}) == 107000
    assert acl.rt.get_stream_attribute(stream, 9) == ({"reserved": [0, 0, 0, 0]}, 107000)
    assert acl.rt.get_stream_attribute(12345, 3) == ({"userCustomTag": 0}, 107017)


def test_timeouts(acl: ModuleType) -> None:
    assert acl.rt.set_op_wait_timeout(5) == 0
    assert acl.rt.get_op_execute_timeout() == (1_091_000, 0)
    assert acl.rt.set_op_execute_time_out(7) == 0
    assert acl.rt.get_op_execute_timeout() == (7000, 0)
    assert acl.rt.set_op_execute_time_out(0) == 0
    assert acl.rt.get_op_execute_timeout() == (1_091_000, 0)
    interval, ret = acl.rt.get_op_timeout_interval()
    assert ret == 0
    assert acl.rt.set_op_execute_timeout_v2(interval + 1) == (2 * interval, 0)


def test_event_numbers(acl: ModuleType) -> None:
    available, _ = acl.rt.get_event_avail_num()
    one, _ = acl.rt.create_event()
    other, _ = acl.rt.create_event()
    assert acl.rt.get_event_avail_num() == (available - 2, 0)
    assert acl.rt.get_event_id(one)[0] != acl.rt.get_event_id(other)[0]
    assert acl.rt.get_event_id(0) == (0, 100000)
    acl.rt.destroy_event(one)
    assert acl.rt.get_event_id(one) == (0, 107017)


def test_task_abort(acl: ModuleType) -> None:
    target, _ = acl.rt.malloc(32, 0)
    acl.rt.memset(target, 32, 1, 32)
    acl.rt.memset_async(target, 32, 2, 32, 0)
    assert acl.rt.device_task_abort(0, 1000) == 0
    assert acl.rt.synchronize_stream(0) == 0
    host, _ = acl.rt.malloc_host(32)
    acl.rt.memcpy(host, 32, target, 32, 2)
    assert acl.util.ptr_to_bytes(host, 32) == bytes([1] * 32)
    assert acl.rt.device_task_abort(5, 0) == 107001


def test_what_the_product_lacks(acl: ModuleType) -> None:
    assert acl.rt.create_notify(0) == (0, 207000)
    with pytest.raises(TypeError, match="timeout can't be a negative number!"):
        acl.rt.wait_and_reset_notify(1, 0, -1)
    with pytest.raises(TypeError, match="timeout should be less than"):
        acl.rt.wait_and_reset_notify(1, 0, 1 << 32)
    assert acl.rt.wait_and_reset_notify(1, 0, 5) == 207000
    assert acl.rt.allocator_create_desc() == 0
    assert acl.rt.allocator_set_alloc_func_to_desc(0, print) == 100000
    assert acl.rt.allocator_set_alloc_func_to_desc(64, print) == 207000
    assert acl.rt.set_ts_device(0) == 207000
    assert acl.rt.get_group_count(123) == (0, 0)
    with pytest.raises(TypeError):
        acl.rt.get_group_count()
    with pytest.raises(RuntimeError):
        acl.rt.get_group_info_detail(0, 0, 0)
    assert acl.op.start_dump_args(1, ".") == acl.op.stop_dump_args(1) == 200001
    assert acl.rt.ipc_mem_get_export_key(64, 64, 64, 0) == ("", 207000)
    assert "no such feature" in acl.get_recent_err_msg()
    for call, arguments, words in (
        (acl.rt.create_notify, (0,), "acl.rt.create_event"),
        (acl.rt.value_wait, (0, 0, 0, 0), "acl.rt.stream_wait_event"),
        (acl.rt.ipc_mem_close, ("key",), "one process"),
        (acl.rt.memcpy_async_with_desc, (0, 0, 0), "acl.rt.memcpy_async"),
        (acl.rt.allocator_register, (0, 0), "acl.rt.malloc"),
        (acl.op.stop_dump_args, (0,), "acl.mdl.set_dump"),
        (acl.rt.set_ts_device, (0,), "leave the call away"),
        (acl.get_version_str, ("runtime",), "acl.get_version"),
        (acl.rt.kernel_args_get_mem_size, (0, 0), "acl.rt.kernel_args_init"),
    ):
        call(*arguments)
        assert words in acl.get_recent_err_msg(), call


# Kernel binaries


def double(launch: simulator.KernelLaunch) -> None:
    """args: source, target, number of float32 elements."""
    source, target, count = launch.words()[:3]
    np.multiply(launch.memory(source, (count,), np.float32), launch.block_dim, launch.memory(target, (count,), np.float32))


@pytest.fixture
def binary() -> Iterator[bytes]:
    simulator.register_kernel("test_double", double)
    yield simulator.kernel_binary("test_double")
    custom._KERNELS.pop("test_double", None)


class Arrays:
    """Four numbers on the device, room for the result, and the argument block on the host."""

    def __init__(self, acl: ModuleType) -> None:
        self.acl = acl
        self.source, self.target = acl.rt.malloc(16, 0)[0], acl.rt.malloc(16, 0)[0]
        data = np.arange(4, dtype=np.float32).tobytes()
        acl.rt.memcpy(self.source, 16, acl.util.bytes_to_ptr(data), 16, 1)
        self.block = np.array([self.source, self.target, 4], np.uint64).tobytes()

    def result(self) -> list[float]:
        host, _ = self.acl.rt.malloc_host(16)
        self.acl.rt.memcpy(host, 16, self.target, 16, 2)
        return np.frombuffer(self.acl.util.ptr_to_bytes(host, 16), np.float32).tolist()


def test_launch_kernel(acl: ModuleType, binary: bytes) -> None:
    arrays = Arrays(acl)
    made = acl.rt.create_binary(acl.util.bytes_to_ptr(binary), len(binary))
    loaded, ret = acl.rt.binary_load(made)
    assert ret == 0
    assert acl.rt.destroy_binary(made) == 0
    fn, ret = acl.rt.binary_get_function(loaded, "test_double")
    assert ret == 0
    assert acl.rt.get_function_name(fn, 64) == ("test_double", 0)
    assert acl.rt.get_function_name(64, 64) == ("", 107000)
    with pytest.raises(ValueError, match="1024"):
        acl.rt.get_function_name(fn, 1024)
    args, _ = acl.rt.malloc(24, 0)
    acl.rt.memcpy(args, 24, acl.util.bytes_to_ptr(arrays.block), 24, 1)
    assert acl.rt.launch_kernel(fn, 3, args, 24, 0) == 0
    assert arrays.result() != [0.0, 3.0, 6.0, 9.0]
    assert acl.rt.synchronize_stream(0) == 0
    assert arrays.result() == [0.0, 3.0, 6.0, 9.0]
    with simulator.faults.kernel("test_double"):
        assert acl.rt.launch_kernel(fn, 3, args, 24, 0) == 0
        assert acl.rt.synchronize_stream(0) == 507015
    assert acl.rt.launch_kernel(fn, 0, args, 24, 0) == acl.rt.launch_kernel(fn, 1, 0, 24, 0) == 100000
    assert acl.rt.launch_kernel(fn, 1, args, 1 << 20, 0) == 107000
    assert acl.rt.binary_unload(loaded) == 0
    assert acl.rt.launch_kernel(fn, 3, args, 24, 0) == 107000
    assert simulator.tables()["loaded_binaries"] == simulator.tables()["kernel_binaries"] == 0


def test_launch_with_arguments(acl: ModuleType, binary: bytes, tmp_path: Path) -> None:
    arrays = Arrays(acl)
    file = tmp_path / "kernel.o"
    file.write_bytes(binary)
    loaded, ret = acl.rt.binary_load_from_file(str(file), [{"type": 1, "value": 1}])
    assert ret == 0
    fn, _ = acl.rt.binary_get_function(loaded, "test_double")
    args, ret = acl.rt.kernel_args_init(fn)
    assert ret == 0
    handles = []
    for value in (arrays.source, arrays.source, 4):
        word = ctypes.c_uint64(value)
        handle, ret = acl.rt.kernel_args_append(args, ctypes.addressof(word), 8)
        assert ret == 0
        handles.append(handle)
    assert acl.rt.launch_kernel_with_config(fn, 2, 0, [], args, 0) == 107000  # not finished
    assert acl.rt.kernel_args_finalize(args) == 0
    assert acl.rt.kernel_args_append(args, ctypes.addressof(word), 8) == (0, 107000)
    word = ctypes.c_uint64(arrays.target)
    assert acl.rt.kernel_args_para_update(args, handles[1], ctypes.addressof(word), 8) == 0
    assert acl.rt.kernel_args_para_update(args, 99, ctypes.addressof(word), 8) == 107000
    assert acl.rt.launch_kernel_with_config(fn, 2, 0, [], args, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert arrays.result() == [0.0, 2.0, 4.0, 6.0]
    assert acl.rt.launch_kernel_with_config(fn, 2, 0, [], args, 1) == 100000


def test_binaries_misuse(acl: ModuleType, binary: bytes) -> None:
    assert acl.rt.create_binary(0, 8) == acl.rt.create_binary(4096, 8) == acl.rt.create_binary(acl.util.bytes_to_ptr(binary), 0) == 0
    assert acl.rt.binary_load(0) == (0, 100000)
    assert acl.rt.binary_load(64) == (0, 107000)
    assert acl.rt.binary_load_from_file("/no/such/file", []) == (0, 107000)
    with pytest.raises(TypeError):
        acl.rt.binary_load_from_file("x", [{"type": "lazy"}])
    with pytest.raises(ValueError, match="format of list"):
        acl.rt.binary_load_from_file("x", ())
    foreign = b"\x7fELF"
    loaded, ret = acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(foreign), len(foreign), [])
    assert ret == 0
    assert acl.rt.binary_get_function(loaded, "test_double")[1] == 0  # the name alone counts
    assert acl.rt.binary_get_function(loaded, "unknown") == (0, 107000)
    assert acl.rt.binary_unload(0) == acl.rt.destroy_binary(0) == 100000
