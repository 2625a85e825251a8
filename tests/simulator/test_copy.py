"""Copies and fills (RT-34 .. RT-43, RT-36, K48 .. K57)."""

from __future__ import annotations

import mmap
from types import ModuleType

import numpy as np
import pytest

from ascendtensor.simulator.engine import AclFault, contexts, hostmap, streams

H2H, H2D, D2H, D2D, DEFAULT, BUFFERED = range(6)


def pointer(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.fixture
def device(acl: ModuleType) -> int:
    address: int = acl.rt.malloc(256, 0)[0]
    return address


@pytest.fixture
def pinned(acl: ModuleType) -> int:
    address: int = acl.rt.malloc_host(256)[0]
    return address


def test_round_trip_through_bytes_numpy_and_pinned_memory(acl: ModuleType, device: int, pinned: int) -> None:
    data = bytes(range(256))
    assert acl.rt.memcpy(device, 256, acl.util.bytes_to_ptr(data), 256, H2D) == 0
    array = np.zeros(256, np.uint8)
    assert acl.rt.memcpy(pointer(array), 256, device, 256, D2H) == 0
    assert array.tobytes() == data
    assert acl.rt.memcpy(pinned, 256, pointer(array), 256, H2H) == 0
    assert acl.util.ptr_to_bytes(pinned, 256) == data
    second, _ = acl.rt.malloc(256, 0)
    assert acl.rt.memcpy(second + 16, 240, device + 100, 50, D2D) == 0
    assert acl.rt.memcpy(pinned, 256, second + 16, 50, D2H) == 0
    assert acl.util.ptr_to_bytes(pinned, 50) == data[100:150]


def test_argument_checks_in_order(acl: ModuleType, device: int, pinned: int) -> None:  # RT-34, K48 .. K52
    rt = acl.rt
    assert rt.memcpy(0, 0, 0, 0, 99) == 0
    assert rt.memcpy(0, 64, pinned, 64, H2D) == 100000
    assert rt.memcpy(device, 64, 0, 64, H2D) == 100000
    for kind in (-1, 6, 7):
        assert rt.memcpy(device, 64, pinned, 64, kind) == 100000
    assert rt.memcpy(device, 0, pinned, 64, H2D) == 107000
    assert rt.memcpy(device, 63, pinned, 64, H2D) == 107000
    assert rt.memcpy(device, 64, device, 64, D2D) == 0
    assert rt.memcpy_async(0, 0, 0, 0, 99, 0) == 0
    assert rt.memcpy_async(0, 64, pinned, 64, H2D, 0) == 100000
    assert rt.memcpy_async(device, 63, pinned, 64, H2D, 0) == 107000


def test_kind_is_only_advice_in_synchronous_copies(acl: ModuleType, device: int, pinned: int) -> None:  # RT-35
    assert acl.rt.memset(pinned, 256, 5, 256) == 0
    for kind in range(6):
        assert acl.rt.memcpy(device, 256, pinned, 256, kind) == 0


def test_ranges_beyond_an_allocation_are_refused(acl: ModuleType, device: int, pinned: int) -> None:  # RT-36
    assert acl.rt.memcpy(device, 1 << 20, pinned, 1 << 20, H2D) == 107000
    assert acl.rt.memcpy(pinned, 257, device, 257, D2H) == 107000
    assert "ends after" in (acl.get_recent_err_msg() or "")
    acl.rt.free(device)
    assert acl.rt.memcpy(pinned, 64, device, 64, D2H) == 107000


def test_unmapped_and_protected_host_addresses_do_not_crash(acl: ModuleType, device: int) -> None:
    region = mmap.mmap(-1, 4 * mmap.PAGESIZE)
    view = np.frombuffer(region, np.uint8)
    address = pointer(view)
    assert acl.rt.memcpy(device, 256, address, 256, H2D) == 0
    del view
    region.close()
    for bad in (1, 4096, 0x0B00_0000_0040, (1 << 47) + 5, (1 << 64) - 300):
        assert acl.rt.memcpy(device, 256, bad, 256, H2D) == 107000
        assert acl.rt.memcpy(bad, 256, device, 256, D2H) == 107000
        assert acl.rt.memcpy_async(device, 256, bad, 256, H2D, 0) == 107000
        with pytest.raises(ValueError):
            acl.util.ptr_to_bytes(bad, 16)
    code = pointer(np.zeros(1, np.uint8))
    assert hostmap.accessible(code, 1, True)
    small = bytes(64)
    assert acl.rt.memcpy(device, 1 << 62, acl.util.bytes_to_ptr(small), 1 << 62, H2D) == 107000


def test_copy_does_not_wait_for_streams(acl: ModuleType, device: int, pinned: int) -> None:  # RT-37, SIM-2
    acl.rt.memset(device, 256, 1, 256)
    assert acl.rt.memset_async(device, 256, 2, 256, 0) == 0
    assert acl.rt.memcpy(pinned, 256, device, 256, D2H) == 0
    assert acl.util.ptr_to_bytes(pinned, 1) == b"\x01"
    assert acl.rt.memset(device, 256, 3, 256) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.memcpy(pinned, 256, device, 256, D2H) == 0
    assert acl.util.ptr_to_bytes(pinned, 1) == b"\x02"


def test_pinned_async_copy_is_queued_and_reads_late(acl: ModuleType, device: int, pinned: int) -> None:  # RT-39
    acl.rt.memset(device, 256, 1, 256)
    acl.rt.memset(pinned, 256, 2, 256)
    assert acl.rt.memcpy_async(device, 256, pinned, 256, H2D, 0) == 0
    acl.rt.memset(pinned, 256, 3, 256)
    second, _ = acl.rt.malloc_host(256)
    acl.rt.memcpy(second, 256, device, 256, D2H)
    assert acl.util.ptr_to_bytes(second, 1) == b"\x01"
    acl.rt.synchronize_stream(0)
    acl.rt.memcpy(second, 256, device, 256, D2H)
    assert acl.util.ptr_to_bytes(second, 1) == b"\x03"


def test_pageable_async_copy_answers_what_failed_on_the_stream(acl: ModuleType, device: int) -> None:
    # hicann/runtime, api_error.cc, MemcpyAsync and MemCopy2DAsync: what waiting for the stream says comes out, and nothing is copied

    def boom() -> None:
        raise AclFault(507011, "made to fail")

    data, before = b"pageable", np.zeros(8, np.uint8)
    for copy in (
        lambda: acl.rt.memcpy_async(device, 8, acl.util.bytes_to_ptr(data), 8, 1, 0),
        lambda: acl.rt.memcpy2d_async(device, 4, acl.util.bytes_to_ptr(data), 4, 4, 2, 1, 0),
    ):
        assert acl.rt.memset(device, 8, 0, 8) == 0
        streams.enqueue(contexts.stream_for(0), boom, ())
        assert copy() == 507011
        found = np.ones(8, np.uint8)
        assert acl.rt.memcpy(found.ctypes.data, 8, device, 8, 2) == 0
        assert found.tolist() == before.tolist()
        assert acl.rt.synchronize_stream(0) == 0, "it was told"
        assert copy() == 0


def test_pageable_async_copy_waits_for_the_stream_and_is_done_on_return(acl: ModuleType, device: int) -> None:  # RT-39
    array = np.full(256, 4, np.uint8)
    acl.rt.memset_async(device, 256, 9, 256, 0)
    assert acl.rt.memcpy_async(pointer(array), 256, device, 256, D2H, 0) == 0
    assert (array == 9).all()
    array[:] = 4
    assert acl.rt.memcpy_async(device, 256, pointer(array), 256, H2D, 0) == 0
    array[:] = 0
    assert acl.rt.memcpy(pointer(array), 256, device, 256, D2H) == 0
    assert (array == 4).all()
    assert acl.rt.stream_query(0) == (0, 0)


def test_buffered_copy_takes_the_host_data_at_once_and_is_queued(acl: ModuleType, device: int, pinned: int) -> None:  # RT-40
    for source in (np.full(256, 6, np.uint8), None):
        address = pinned if source is None else pointer(source)
        acl.rt.memset(pinned, 256, 6, 256)
        acl.rt.memset(device, 256, 1, 256)
        assert acl.rt.memcpy_async(device, 256, address, 256, BUFFERED, 0) == 0
        acl.rt.memset(pinned, 256, 0, 256)
        if source is not None:
            source[:] = 0
        acl.rt.memcpy(pinned, 256, device, 256, D2H)
        assert acl.util.ptr_to_bytes(pinned, 1) == b"\x01"
        acl.rt.synchronize_stream(0)
        acl.rt.memcpy(pinned, 256, device, 256, D2H)
        assert acl.util.ptr_to_bytes(pinned, 1) == b"\x06"


def test_async_kinds_that_the_locations_contradict(acl: ModuleType, device: int, pinned: int) -> None:  # RT-38, RT-41, K54
    array = np.zeros(256, np.uint8)
    host = pointer(array)
    assert acl.rt.memcpy_async(pinned, 256, host, 256, H2H, 0) == 207000
    assert acl.rt.memcpy_async(pinned, 256, host, 256, H2D, 0) == 107000
    assert acl.rt.memcpy_async(device, 256, host, 256, D2H, 0) == 107000
    assert acl.rt.memcpy_async(host, 256, device, 256, H2D, 0) == 107000
    assert acl.rt.memcpy_async(device, 256, pinned, 256, D2H, 0) == 0  # both known: corrected
    assert acl.rt.memcpy_async(device, 256, host, 256, DEFAULT, 0) == 0


def test_async_copy_on_a_foreign_stream(acl: ModuleType, device: int, pinned: int) -> None:  # K55, RT-26
    stream, _ = acl.rt.create_stream()
    acl.rt.create_context(0)
    assert acl.rt.memcpy_async(device, 256, pinned, 256, H2D, stream) == 107003
    assert acl.rt.memset_async(device, 256, 0, 256, stream) == 107003


def test_memset(acl: ModuleType, device: int, pinned: int) -> None:  # RT-43, K56, K57
    rt = acl.rt
    assert rt.memset(0, 0, 0, 0) == rt.memset_async(0, 0, 0, 0, 0) == 0
    assert rt.memset(0, 64, 0, 64) == rt.memset_async(0, 64, 0, 64, 0) == 100000
    assert rt.memset(device, 63, 0, 64) == rt.memset_async(device, 63, 0, 64, 0) == 107000
    assert rt.memset(pinned, 256, 0x1FF, 256) == 0
    assert acl.util.ptr_to_bytes(pinned, 256) == b"\xff" * 256
    assert rt.memset(device, 256, -2, 256) == 0
    rt.memcpy(pinned, 256, device, 256, D2H)
    assert acl.util.ptr_to_bytes(pinned, 2) == b"\xfe\xfe"
    array = np.zeros(64, np.uint8)
    assert rt.memset(pointer(array), 64, 1, 64) == 107000
    with pytest.raises(TypeError):
        rt.memset(device, 64, 1 << 31, 64)


def test_memory_freed_while_queued_work_uses_it_keeps_its_bytes(acl: ModuleType) -> None:  # RT-32, OP-15
    size = 1 << 20
    source, _ = acl.rt.malloc(size, 0)
    target, _ = acl.rt.malloc(size, 0)
    acl.rt.memset(source, size, 5, size)
    assert acl.rt.memcpy_async(target, size, source, size, D2D, 0) == 0
    assert acl.rt.free(source) == 0
    again, _ = acl.rt.malloc(size, 0)  # would get the freed bytes if nothing kept them
    acl.rt.memset(again, size, 6, size)
    assert acl.rt.synchronize_stream(0) == 0
    host, _ = acl.rt.malloc_host(size)
    acl.rt.memcpy(host, size, target, size, D2H)
    assert acl.util.ptr_to_bytes(host, size) == b"\x05" * size
