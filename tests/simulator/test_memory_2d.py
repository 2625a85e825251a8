"""Copies of rows, copies with a fallback, and what a stream does to memory by itself (RT-34 to RT-43)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ascendtensor import simulator

Array = npt.NDArray[np.uint8]


def device(acl: ModuleType, data: bytes) -> int:
    address, ret = acl.rt.malloc(len(data), 0)
    assert ret == 0
    assert acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), 1) == 0
    return int(address)


def pinned(acl: ModuleType, data: bytes) -> int:
    address, ret = acl.rt.malloc_host(len(data))
    assert ret == 0
    assert acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), 0) == 0
    return int(address)


def read(acl: ModuleType, address: int, nbytes: int) -> bytes:
    host, _ = acl.rt.malloc_host(nbytes)
    assert acl.rt.memcpy(host, nbytes, address, nbytes, 4) == 0
    data: bytes = acl.util.ptr_to_bytes(host, nbytes)
    acl.rt.free_host(host)
    return data


def rows(pitch: int, height: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(0, 256, (height, pitch)).astype(np.uint8)


def merged(target: Array, source: Array, width: int) -> bytes:
    result = target.copy()
    result[:, :width] = source[:, :width]
    return result.tobytes()


@pytest.mark.parametrize("kind", [1, 2])
def test_rows(acl: ModuleType, kind: int) -> None:
    source, target = rows(24, 5, 1), rows(17, 5, 2)
    make_source, make_target = (pinned, device) if kind == 1 else (device, pinned)
    src, dst = make_source(acl, source.tobytes()), make_target(acl, target.tobytes())
    assert acl.rt.memcpy2d(dst, 17, src, 24, 10, 5, kind) == 0
    assert read(acl, dst, 85) == merged(target, source, 10)


def test_rows_inside_a_device_go_by_a_stream_only(acl: ModuleType) -> None:  # hicann/runtime, api_error.cc, MemCopy2DSync
    source, target = rows(24, 5, 1), rows(17, 5, 2)
    src, dst = device(acl, source.tobytes()), device(acl, target.tobytes())
    assert acl.rt.memcpy2d(dst, 17, src, 24, 10, 5, 3) == 207000
    assert [acl.rt.memcpy2d(dst, 17, src, 24, 10, 5, kind) for kind in (1, 2, 4)] == [107000] * 3  # RT-41: corrected to that kind
    assert read(acl, dst, 85) == target.tobytes()
    assert acl.rt.memcpy2d_async(dst, 17, src, 24, 10, 5, 3, 0) == acl.rt.synchronize_stream(0) == 0
    assert read(acl, dst, 85) == merged(target, source, 10)


def test_rows_from_pageable_memory(acl: ModuleType) -> None:
    source, target = rows(24, 5, 1), rows(17, 5, 2)
    dst = device(acl, target.tobytes())
    data = source.tobytes()
    assert acl.rt.memcpy2d(dst, 17, acl.util.bytes_to_ptr(data), 24, 17, 5, 1) == 0
    assert read(acl, dst, 85) == merged(target, source, 17)


def test_rows_on_a_stream(acl: ModuleType) -> None:  # RT-39: pinned memory is queued, pageable is not
    source, target = rows(8, 3, 1), rows(8, 3, 2)
    src, dst = pinned(acl, source.tobytes()), device(acl, target.tobytes())
    assert acl.rt.memcpy2d_async(dst, 8, src, 8, 5, 3, 1, 0) == 0
    assert read(acl, dst, 24) == target.tobytes()
    assert acl.rt.synchronize_stream(0) == 0
    assert read(acl, dst, 24) == merged(target, source, 5)
    data = target.tobytes()
    assert acl.rt.memcpy2d_async(dst, 8, acl.util.bytes_to_ptr(data), 8, 8, 3, 1, 0) == 0
    assert read(acl, dst, 24) == data
    assert acl.rt.memcpy2d_async(dst, 8, src, 8, 5, 3, 1, 12345) == 107017
    assert acl.rt.memcpy2d_async(src, 8, dst, 8, 5, 3, 2, 0) == 0


def test_the_last_row_ends_with_its_width(acl: ModuleType) -> None:
    src, dst = device(acl, bytes(range(64))), device(acl, bytes(64))
    usable = simulator.engine.memory.padded_size(64)
    assert acl.rt.memcpy2d_async(dst, 32, src, 32, 16, 3, 3, 0) == 0  # 32 * 2 + 16 bytes: the slack covers it
    assert acl.rt.memcpy2d_async(dst, 48, src, 32, 16, 3, 3, 0) == 107000  # RT-36
    assert usable == 96


def test_rows_misuse(acl: ModuleType) -> None:  # api of memcpy2d
    src, dst = pinned(acl, bytes(64)), device(acl, bytes(64))
    good = [dst, 16, src, 16, 8, 4, 1]

    def code(index: int, value: int) -> int:
        changed = list(good)
        changed[index] = value
        sync, later = acl.rt.memcpy2d(*changed), acl.rt.memcpy2d_async(*changed, 0)
        assert sync == later
        return int(sync)

    assert code(0, 0) == code(2, 0) == 100000
    assert code(1, 7) == code(3, 7) == code(4, 17) == 100000  # wider than a pitch
    assert code(6, 0) == code(6, 5) == code(6, 6) == 100000
    assert code(6, 4) == 0
    assert code(4, 0) == code(5, 0) == 0  # nothing to copy
    assert code(5, 6 << 20) == 107000
    acl.rt.reset_device(0)
    assert acl.rt.memcpy2d(*good) == 107002


def test_memcpy_async_with_condition(acl: ModuleType) -> None:  # RT-38, RT-39
    dst, src = device(acl, bytes(8)), pinned(acl, b"pinned..")
    assert acl.rt.memcpy_async_with_condition(dst, 8, src, 8, 1, 0) == 0
    assert read(acl, dst, 8) == bytes(8)
    assert acl.rt.synchronize_stream(0) == 0
    assert read(acl, dst, 8) == b"pinned.."
    data = b"pageable"
    assert acl.rt.memcpy_async_with_condition(dst, 8, acl.util.bytes_to_ptr(data), 8, 1, 0) == 0
    assert read(acl, dst, 8) == data
    assert acl.rt.memcpy_async_with_condition(0, 0, 0, 0, 1, 0) == 0
    assert acl.rt.memcpy_async_with_condition(dst, 4, src, 8, 1, 0) == 107000
    assert acl.rt.memcpy_async_with_condition(src, 8, src, 8, 0, 0) == 207000


@pytest.mark.parametrize(("kind", "expected"), [(10, [5, 1, 9]), (11, [4, 3, 9]), (12, [1, -2, 0])])
def test_reduce_async(acl: ModuleType, kind: int, expected: list[int]) -> None:
    dst = device(acl, np.array([1, 3, 9], np.int32).tobytes())
    src = device(acl, np.array([4, -2, 0], np.int32).tobytes())
    assert acl.rt.reduce_async(dst, src, 12, kind, 3, 0, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.frombuffer(read(acl, dst, 12), np.int32).tolist() == expected
    assert acl.rt.reduce_async(dst, src, 12, 13, 3, 0, 0) == 207000
    assert acl.rt.reduce_async(dst, src, 12, kind, 9, 0, 0) == 207000
    assert acl.rt.reduce_async(dst, src, 11, kind, 3, 0, 0) == 107000
    assert acl.rt.reduce_async(dst, src, 12, kind, 3, 0, 1) == 100000
    assert acl.rt.reduce_async(0, src, 12, kind, 3, 0, 0) == 100000


def test_value_write(acl: ModuleType) -> None:
    dst = device(acl, bytes(16))
    assert acl.rt.value_write(dst + 8, 2**63 + 5, 0, 0) == 0
    assert read(acl, dst, 16) == bytes(16)
    assert acl.rt.synchronize_stream(0) == 0
    assert np.frombuffer(read(acl, dst, 16), np.uint64).tolist() == [0, 2**63 + 5]
    assert acl.rt.value_write(dst + 4, 1, 0, 0) == 107000
    assert acl.rt.value_write(0, 1, 0, 0) == 100000


def test_cmo_async(acl: ModuleType) -> None:
    src = device(acl, bytes(64))
    assert acl.rt.cmo_async(src, 64, 0, 0) == 0
    assert acl.rt.cmo_async(0, 64, 0, 0) == acl.rt.cmo_async(src, 0, 0, 0) == acl.rt.cmo_async(src, 64, 9, 0) == 100000
    assert acl.rt.cmo_async(src, 1 << 20, 0, 0) == 107000
    assert acl.rt.synchronize_stream(0) == 0


def test_memory_of_the_image_units(acl: ModuleType) -> None:  # RT-28, RT-31
    address, ret = acl.media.dvpp_malloc(64)
    assert ret == 0
    assert acl.rt.memset(address, 64, 1, 64) == 0
    assert acl.media.dvpp_free(address) == 0
    assert acl.media.dvpp_free(address) == 107000
    assert acl.media.dvpp_free(0) == 100000
    assert acl.media.dvpp_malloc(0) == (0, 100000)
    for module, name in ((acl.media, "dvpp_create_stream_desc"), (acl.media, "vdec_create_channel"), (acl, "himpi"), (acl, "fv")):
        assert not hasattr(module, name)
        with pytest.raises(AttributeError, match=rf"'{name}': of the image and video units \(DVPP\) the simulator has .*OpenCV.*AIPP"):
            getattr(module, name)
    with pytest.raises(AttributeError, match=r"'imread'$"):
        acl.media.imread("cat.jpg")


def test_allocation_by_attributes(acl: ModuleType) -> None:  # RT-28, RT-30
    none: dict[str, Any] = {}
    first, ret = acl.rt.malloc_with_cfg(64, 0, none)
    assert ret == 0
    there, ret = acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 1, "attrs": [{"attr": 2, "value": {"deviceId": 1}}]})
    assert ret == 0
    assert acl.rt.pointer_get_attributes(there)[0]["location"] == {"id": 1, "type": 1}
    assert acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 3}}]})[1] == 0
    assert acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 1, "attrs": [{"attr": 2, "value": {"deviceId": 9}}]}) == (0, 107001)
    for wrong in ({"numAttrs": 2, "attrs": []}, {"attrs": [{}]}, {"numAttrs": 1, "attrs": [{"attr": 1, "value": {}}]}):
        with pytest.raises(KeyError):
            acl.rt.malloc_with_cfg(64, 0, wrong)
    for wrong in ({"numAttrs": 1}, {"numAttrs": 1, "attrs": [1]}, {"numAttrs": 1, "attrs": [{"value": 1}]}):
        with pytest.raises(TypeError):
            acl.rt.malloc_with_cfg(64, 0, wrong)
    assert acl.rt.malloc_with_cfg(0, 0, none) == (0, 100000)
    host, ret = acl.rt.malloc_host_with_cfg(64, none)
    assert ret == 0
    assert acl.rt.malloc_host_with_cfg(0, none) == (0, 100000)
    assert acl.rt.free(first) == acl.rt.free(there) == acl.rt.free_host(host) == 0


PROPERTIES = {"handleType": 0, "allocationType": 0, "memAttr": 4, "location": {"id": 0, "type": 1}, "reserve": 0}
GRANULE = 2 << 20


def test_virtual_memory(acl: ModuleType) -> None:
    assert acl.rt.mem_get_allocation_granularity(PROPERTIES, 0) == (GRANULE, 0)
    free, total, _ = acl.rt.get_mem_info(1)
    address, ret = acl.rt.reserve_mem_address(GRANULE, 0, 0, 0)
    assert ret == 0
    handle, ret = acl.rt.malloc_physical(GRANULE, PROPERTIES, 0)
    assert ret == 0
    assert acl.rt.get_mem_info(1) == (free - GRANULE, total, 0)
    assert acl.rt.memset(address, 4, 1, 4) == 107000
    assert acl.rt.map_mem(address, GRANULE, 0, handle, 0) == 0
    assert acl.rt.memset(address, GRANULE, 7, GRANULE) == 0
    assert read(acl, address + GRANULE - 4, 4) == bytes([7] * 4)
    assert acl.rt.free(address) == 107000
    assert acl.rt.map_mem(address, GRANULE, 0, handle, 0) == 107000
    assert acl.rt.release_mem_address(address) == 107000
    assert acl.rt.unmap_mem(address) == 0
    assert acl.rt.unmap_mem(address) == 107000
    assert acl.rt.memset(address, 4, 1, 4) == 107000
    other, _ = acl.rt.reserve_mem_address(GRANULE, 0, 0, 0)
    assert acl.rt.map_mem(other, GRANULE, 0, handle, 0) == 0
    assert read(acl, other, 4) == bytes([7] * 4)
    assert acl.rt.free_physical(handle) == 0
    assert acl.rt.free_physical(handle) == 107000
    assert acl.rt.unmap_mem(other) == 0
    for each in (address, other):
        assert acl.rt.release_mem_address(each) == 0
    assert acl.rt.get_mem_info(1) == (free, total, 0)
    assert {name: count for name, count in simulator.tables().items() if count and "memory" in name} == {}


def test_virtual_memory_misuse(acl: ModuleType) -> None:
    assert acl.rt.reserve_mem_address(0, 0, 0, 0) == acl.rt.reserve_mem_address(GRANULE, 1, 0, 0) == (0, 100000)
    assert acl.rt.reserve_mem_address(GRANULE + 1, 0, 0, 0) == acl.rt.malloc_physical(1, PROPERTIES, 0) == (0, 107000)
    assert acl.rt.malloc_physical(GRANULE, PROPERTIES, 1) == (0, 100000)
    assert acl.rt.malloc_physical(GRANULE, PROPERTIES | {"memAttr": 0}, 0) == (0, 100000)
    assert acl.rt.malloc_physical(GRANULE, PROPERTIES | {"location": {"id": 5, "type": 1}}, 0) == (0, 107001)
    assert acl.rt.mem_get_allocation_granularity(PROPERTIES, 5) == (0, 100000)
    assert acl.rt.malloc_physical(GRANULE, {}, 0) == (0, 100000)  # what is missing counts as 0
    with pytest.raises(TypeError):
        acl.rt.malloc_physical(GRANULE, {"location": 1}, 0)
    assert acl.rt.map_mem(0, GRANULE, 0, 1, 0) == acl.rt.free_physical(0) == acl.rt.unmap_mem(0) == 100000
    assert acl.rt.map_mem(64, GRANULE, 1, 64, 0) == 100000
    assert acl.rt.map_mem(64, GRANULE, 0, 64, 0) == 107000


@pytest.mark.parametrize("second", [False, True])
def test_host_register(acl: ModuleType, second: bool) -> None:
    host = np.arange(64, dtype=np.uint8)
    address = host.ctypes.data
    if second:
        assert acl.rt.host_register_v2(address, 64, 0) == 0
        mapped, ret = acl.rt.host_get_device_pointer(address, 0)
    else:
        mapped, ret = acl.rt.host_register(address, 64, 0)
    assert ret == 0
    assert acl.rt.pointer_get_attributes(mapped)[0]["location"]["type"] == 1
    assert acl.rt.memset_async(mapped, 64, 9, 32, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert host.tolist() == [9] * 32 + list(range(32, 64))
    dst = device(acl, bytes(64))
    assert acl.rt.memcpy_async(dst, 64, address, 64, 1, 0) == 0  # RT-39: pinned now
    assert read(acl, dst, 64) == bytes(64)
    assert acl.rt.synchronize_stream(0) == 0
    assert read(acl, dst, 64) == host.tobytes()
    assert acl.rt.free(mapped) == 107000
    assert acl.rt.host_register(address, 64, 0) == (0, 107000)
    assert acl.rt.host_unregister(address) == 0
    assert acl.rt.host_unregister(address) == 107000
    assert acl.rt.memset(mapped, 64, 9, 32) == 107000


def test_host_register_misuse(acl: ModuleType) -> None:
    assert acl.rt.host_register(0, 64, 0) == acl.rt.host_register(4096, 0, 0) == acl.rt.host_register(4096, 64, 4) == (0, 100000)
    assert acl.rt.host_unregister(0) == 100000
    assert acl.rt.host_get_device_pointer(4096, 0) == (0, 107000)
    assert acl.rt.host_register(4096, 64, 0) == (0, 107000)  # not mapped in the process


def test_pointer_get_attributes(acl: ModuleType) -> None:
    on_device, on_host = device(acl, bytes(8)), pinned(acl, bytes(8))
    assert acl.rt.pointer_get_attributes(on_device + 3)[0] == {"location": {"id": 0, "type": 1}, "page_size": 2 << 20, "rsv": [0] * 4}
    assert acl.rt.pointer_get_attributes(on_host)[0]["location"] == {"id": 0, "type": 0}
    assert acl.rt.pointer_get_attributes(4096)[0]["location"]["type"] == 2
    failed, code = acl.rt.pointer_get_attributes(0)
    assert (failed, code) == ({"location": {"id": 0, "type": 0}, "page_size": 0, "rsv": [0, 0, 0, 0]}, 100000)
    failed["mine"] = 1
    assert "mine" not in acl.rt.pointer_get_attributes(0)[0]


def test_everything_goes_with_the_device(acl: ModuleType) -> None:  # RT-13
    host = np.zeros(1 << 20, np.uint8)
    handle, _ = acl.rt.malloc_physical(GRANULE, PROPERTIES, 0)
    address, _ = acl.rt.reserve_mem_address(GRANULE, 0, 0, 0)
    assert acl.rt.map_mem(address, GRANULE, 0, handle, 0) == 0
    assert acl.rt.host_register(host.ctypes.data, host.size, 0)[1] == 0
    assert acl.rt.reset_device(0) == 0
    assert acl.rt.unmap_mem(address) == acl.rt.free_physical(handle) == acl.rt.host_unregister(host.ctypes.data) == 0
    host += 1


def test_one_address_space(acl: ModuleType) -> None:  # RT-15
    simulator.new_process()
    simulator.configure(run_mode="device")
    try:
        acl.rt.set_device(0)
        host = np.arange(16, dtype=np.uint8)
        mapped, ret = acl.rt.host_register(host.ctypes.data, 16, 0)
        assert (mapped, ret) == (host.ctypes.data, 0)
        dst, _ = acl.rt.malloc(16, 0)
        for kind in (1, 2, 3, 4):  # hicann/runtime, docs, 11-03: not on a small board
            assert acl.rt.memcpy2d(dst, 4, mapped, 4, 4, 4, kind) == acl.rt.memcpy2d_async(dst, 4, mapped, 4, 4, 4, kind, 0) == 207000
        assert acl.rt.device_can_access_peer(0, 1) == (0, 207000)
        assert acl.rt.memcpy(dst, 16, mapped, 16, 3) == 0
        assert acl.util.ptr_to_bytes(dst, 16) == host.tobytes()
        assert acl.rt.reserve_mem_address(GRANULE, 0, 0, 0) == (0, 207000)
        assert acl.rt.host_unregister(mapped) == 0
    finally:
        simulator.new_process()
        simulator.configure()
