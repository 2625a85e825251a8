"""Allocation, address spaces and accounting (RT-28 .. RT-33, SIM-1, K41 .. K47)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendtensor import simulator
from ascendtensor.simulator.engine import graveyard, memory


def read(acl: ModuleType, address: int, count: int) -> bytes:
    host, _ = acl.rt.malloc_host(count)
    assert acl.rt.memcpy(host, count, address, count, 2) == 0
    data: bytes = acl.util.ptr_to_bytes(host, count)
    acl.rt.free_host(host)
    return data


def test_size_zero_and_overflow(acl: ModuleType) -> None:  # RT-28, K41, K43
    assert acl.rt.malloc(0, 0) == (0, 100000)
    assert acl.rt.malloc_host(0) == (0, 100000)
    assert acl.rt.malloc(-1, 0) == (0, 100000)  # PY-3: wraps to 2**64 - 1
    assert acl.rt.malloc(-33, 0) == (0, 100000)  # with its slack 2**64


def test_addresses_are_aligned_padded_and_poisoned(acl: ModuleType) -> None:  # RT-29
    for size, padded in ((1, 64), (32, 64), (33, 96), (64, 96)):
        address, ret = acl.rt.malloc(size, 0)
        assert ret == 0 and address % 64 == 0
        assert len(set(read(acl, address, padded))) == 1
        assert acl.rt.memset(address, padded, 0, padded) == 0
        assert acl.rt.memset(address, padded + 1, 0, padded + 1) == 107000
    address, _ = acl.rt.malloc_align32(33, 0)
    assert acl.rt.memset(address, 64, 0, 64) == 0
    assert acl.rt.memset(address, 65, 0, 65) == 107000


@pytest.mark.parametrize(
    ("size", "policy", "taken"),
    [
        ((2 << 20) - 32, 0, 2 << 20),
        (2 << 20, 0, 4 << 20),  # the slack begins another page
        (1 << 20, 0, 2 << 20),
        ((1 << 20) - 32, 0, 1 << 20),  # small ones come of normal pages
        (64, 1, 2 << 20),  # HUGE_ONLY
        (2 << 20, 2, (2 << 20) + 32),  # NORMAL_ONLY
        (2 << 20, 5, (2 << 20) + 32),  # NORMAL_ONLY_P2P
    ],
)
def test_huge_pages_are_taken_whole(acl: ModuleType, size: int, policy: int, taken: int) -> None:  # RT-29
    before = acl.rt.get_mem_info(1)[0]
    address, _ = acl.rt.malloc(size, policy)
    assert before - acl.rt.get_mem_info(1)[0] == taken
    acl.rt.free(address)
    assert acl.rt.get_mem_info(1)[0] == before


def test_pages_are_those_of_the_device_that_gave_them(acl: ModuleType) -> None:  # RT-33
    before = acl.rt.get_mem_info(1)[0]
    acl.rt.set_device(1)
    address, _ = acl.rt.malloc(64, 1)  # HUGE_ONLY
    acl.rt.set_device(0)
    assert acl.rt.get_mem_info(1)[0] == before
    assert acl.rt.free(address) == acl.rt.reset_device(1) == 0


def test_all_the_memory_of_a_device_may_be_taken() -> None:  # RT-28, RT-33
    simulator.configure(memory=3 << 20)
    rt = simulator.rt
    rt.set_device(0)
    address, ret = rt.malloc_align32(3 << 20, 0)  # two huge pages, of which there is one and a half
    assert ret == 0 and rt.get_mem_info(1)[0] == 0
    assert rt.malloc_align32(32, 0) == (0, 207001)
    assert rt.free(address) == 0


@pytest.mark.parametrize("shift", [0, 1, 8, 63])
def test_blocks_begin_at_64_bytes_wherever_the_hosts_memory_does(shift: int) -> None:  # RT-29
    block = memory.Block(0, 128, -1, np.empty(256, np.uint8)[shift:])
    assert block.address % 64 == 0 and block.array.ctypes.data == block.address and block.array.size == 128


def test_a_large_allocation_is_poisoned_at_both_ends(acl: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:  # RT-29
    monkeypatch.setattr(memory, "POISON_WHOLE", 1024)
    monkeypatch.setattr(memory, "POISON_ENDS", 256)
    address, _ = acl.rt.malloc_align32(4096, 0)
    acl.rt.memset(address, 4096, 0, 4096)
    acl.rt.free(address)
    again, _ = acl.rt.malloc_align32(4096, 0)
    assert read(acl, again, 256) == read(acl, again + 4096 - 256, 256) == b"\x7b" * 256


def test_poison_is_loud_in_every_type(acl: ModuleType) -> None:  # RT-29
    address, _ = acl.rt.malloc(64, 0)
    data = read(acl, address, 64)
    for dtype in (np.float16, np.float32, np.float64, np.int16, np.int32, np.int64):
        assert abs(np.frombuffer(data, dtype)[0]) > 1e4


def test_freed_memory_comes_back_poisoned(acl: ModuleType) -> None:  # RT-29
    for _ in range(2):
        address, _ = acl.rt.malloc(1 << 20, 0)
        assert read(acl, address + 4096, 4) == b"\x7b" * 4
        acl.rt.memset(address, 1 << 20, 0, 1 << 20)
        acl.rt.free(address)


def _host_counts_what_is_promised() -> bool:
    setting = Path("/proc/sys/vm/overcommit_memory")
    return not setting.exists() or setting.read_text(encoding="ascii").strip() == "2"


@pytest.mark.skipif(_host_counts_what_is_promised(), reason="this host gives no memory away that it does not have")
def test_a_board_may_have_more_memory_than_the_host() -> None:  # RT-28
    acl, size = simulator, 1 << 38
    acl.configure(memory=1 << 39)
    assert (acl.init(), acl.rt.set_device(0)) == (0, 0)
    address, ret = acl.rt.malloc(size, 0)
    assert ret == 0
    for place in (address, address + size - 64):
        assert acl.rt.memset(place, 64, 3, 64) == 0
        assert read(acl, place, 64) == b"\3" * 64
    assert acl.rt.free(address) == 0


def test_out_of_memory_and_accounting() -> None:  # RT-28, RT-33, K44
    acl = simulator
    acl.configure(memory=1 << 20)
    acl.rt.set_device(0)
    free, total, ret = acl.rt.get_mem_info(1)
    assert (free, total, ret) == (1 << 20, 1 << 20, 0)
    address, _ = acl.rt.malloc((1 << 19) - 32, 0)
    assert acl.rt.get_mem_info(1)[0] == 1 << 19
    assert acl.rt.malloc(1 << 19, 0) == (0, 207001)
    text = acl.get_recent_err_msg() or ""
    assert "acl.rt.malloc" in text and str((1 << 19) + 32) in text
    acl.rt.set_device(1)
    other, ret = acl.rt.malloc(1 << 19, 0)
    assert ret == 0
    assert acl.rt.free(other) == 0
    assert acl.rt.free(address) == 0
    assert acl.rt.get_mem_info(9) == (0, 0, 0)
    assert acl.rt.get_mem_info(99) == (0, 0, 100000)


def test_large_allocations_are_lazy(acl: ModuleType) -> None:
    address, ret = acl.rt.malloc(3 << 30, 0)
    assert ret == 0
    assert read(acl, address, 4) == read(acl, address + (3 << 30) - 4, 4) == b"\x7b" * 4
    assert acl.rt.free(address) == 0


def test_free_takes_only_the_start_of_a_live_allocation_of_its_kind(acl: ModuleType) -> None:  # RT-31, K45 .. K47
    rt = acl.rt
    device, _ = rt.malloc(256, 0)
    host, _ = rt.malloc_host(256)
    assert rt.free(0) == rt.free_host(0) == 100000
    assert rt.free(device + 64) == 107000
    assert rt.free(host) == 107000
    assert rt.free_host(device) == 107000
    assert rt.free(12345) == 107000
    assert rt.free(device) == 0
    assert rt.free(device) == 107000
    assert rt.free_host(host) == 0
    assert rt.free_host(host) == 107000


def test_device_memory_is_not_readable_as_host_memory(acl: ModuleType) -> None:  # SIM-1
    device, _ = acl.rt.malloc(64, 0)
    for address in (device, device + 1, device + (1 << 30)):
        with pytest.raises(ValueError, match="device memory"):
            acl.util.ptr_to_bytes(address, 16)
    desc = acl.create_tensor_desc(0, [4], 2)
    assert acl.set_tensor_const(desc, device, 16) == 107000


def test_addresses_and_sizes_must_be_real_ints(acl: ModuleType) -> None:  # PY-3, K2
    for bad in (np.int64(64), 64.0, None, "64"):
        with pytest.raises(TypeError, match=r"acl\.rt\.malloc args parse failed"):
            acl.rt.malloc(bad, 0)
        with pytest.raises(TypeError, match=r"acl\.rt\.free args parse failed"):
            acl.rt.free(bad)
    _, ret = acl.rt.malloc(64, np.int32(2))  # C ints take anything with __index__
    assert ret == 0
    _, ret = acl.rt.malloc(True, 99)  # bool is an int; unknown policies act as the default
    assert ret == 0
    with pytest.raises(TypeError):
        acl.rt.malloc(64, 1.0)
    with pytest.raises(TypeError, match="keyword"):
        acl.rt.malloc(64, policy=0)


def test_cache_upkeep_checks_its_range(acl: ModuleType) -> None:
    address, _ = acl.rt.malloc_cached(64, 0)
    assert acl.rt.mem_flush(address, 64) == acl.rt.mem_invalidate(address, 64) == 0
    assert acl.rt.mem_flush(0, 64) == acl.rt.mem_flush(address, 0) == 100000
    assert acl.rt.mem_flush(address, 1000) == 107000


def test_run_mode_device_has_one_address_space() -> None:  # RT-15
    acl = simulator
    acl.configure(run_mode="device")
    acl.rt.set_device(0)
    assert acl.rt.get_run_mode() == (0, 0)
    device, _ = acl.rt.malloc(64, 0)
    host, _ = acl.rt.malloc_host(64)
    assert acl.tables()["host_memory"] == 0
    assert acl.rt.memset(device, 64, 7, 64) == 0
    assert acl.util.ptr_to_bytes(device, 64) == b"\x07" * 64
    with pytest.warns(Warning, match="deprecated"):
        view = acl.util.ptr_to_numpy(device, (64,), 2)
    view[:] = 9
    assert acl.rt.memcpy_async(host, 64, device, 64, 0, 0) == 0
    assert acl.util.ptr_to_bytes(host, 1) != b"\x09"
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.util.ptr_to_bytes(host, 64) == b"\x09" * 64
    data = bytes(range(64))
    assert acl.rt.memcpy(device, 64, acl.util.bytes_to_ptr(data), 64, 0) == 0
    assert acl.util.ptr_to_bytes(device, 64) == data
    assert acl.rt.memset(device, 1 << 12, 7, 1 << 12) == 107000
    assert acl.rt.free_host(host) == 0
    assert acl.rt.free(device) == 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5000), st.integers(0, 30)), max_size=40))
def test_live_allocations_never_overlap(steps: list[tuple[bool, int, int]]) -> None:
    simulator.new_process()
    simulator.rt.set_device(0)
    live: dict[int, int] = {}
    memory._next[0] = memory.DEVICE_BASE + memory.DEVICE_SPAN - 8000  # near the end of the window: it goes round
    for take, size, choice in steps:
        if take or not live:
            address, ret = simulator.rt.malloc(size, 0)
            assert ret == 0
            end = address + memory.padded_size(size)
            assert all(end <= start or address >= start + length for start, length in live.items())
            live[address] = memory.padded_size(size)
        else:
            address = sorted(live)[choice % len(live)]
            assert simulator.rt.free(address) == 0
            del live[address]
    for address, length in live.items():
        assert memory.find(address + length - 1) is memory.find(address)
        assert simulator.rt.free(address) == 0


@pytest.mark.parametrize("size", [64, 4096, 1 << 20])
def test_freed_pinned_memory_is_not_touched_any_more(acl: ModuleType, size: int) -> None:  # RT-31, RT-36, SIM-1
    device, _ = acl.rt.malloc(size, 0)
    host, _ = acl.rt.malloc_host(size)
    assert acl.rt.free_host(host) == 0
    for address in (host, host + 1, host + size - 1):
        assert acl.rt.memcpy(address, 1, device, 1, 2) == 107000
        assert acl.rt.memcpy_async(address, 1, device, 1, 2, 0) == 107000
        assert acl.rt.memcpy(device, 1, address, 1, 1) == 107000
        assert acl.rt.memset(address, 1, 0, 1) == 107000
        with pytest.raises(ValueError, match="was freed"):
            acl.util.ptr_to_bytes(address, 1)
    assert acl.rt.memcpy(host - 8, 16, device, 16, 2) == 107000
    again, _ = acl.rt.malloc_host(size)
    assert acl.rt.memcpy(again, size, device, size, 2) == 0


def test_freed_memory_of_one_address_space_is_not_touched_any_more(acl: ModuleType) -> None:  # RT-15, RT-31
    acl.rt.reset_device(0)
    acl.configure(run_mode="device")
    acl.rt.set_device(0)
    for allocate in (lambda: acl.rt.malloc(64, 0), lambda: acl.rt.malloc_host(64)):
        live, freed = allocate()[0], allocate()[0]
        assert acl.rt.free(freed) == 0
        assert acl.rt.memcpy(freed, 64, live, 64, 3) == 107000
        assert acl.rt.memcpy(live, 64, freed, 64, 3) == 107000


def test_little_is_kept_of_what_was_freed(acl: ModuleType) -> None:
    for size, count in ((32, 5000), (1 << 20, 70), (128 << 20, 2)):
        blocks = [acl.rt.malloc_host(size)[0] for _ in range(count)]
        for block in blocks:
            assert acl.rt.free_host(block) == 0
    assert sum(size for size, _ in graveyard._buried.values()) <= graveyard.MAX_BYTES
    assert len(graveyard._buried) == len(graveyard._starts) <= graveyard.MAX_BLOCKS
    acl.new_process()
    assert not graveyard._buried and not graveyard._starts


def test_the_host_has_no_more_memory_than_it_has() -> None:  # RT-30, K44
    acl = simulator
    assert (acl.init(), acl.rt.set_device(0)) == (0, 0)
    for size in (1 << 43, 1 << 63):
        assert acl.rt.malloc_host(size) == (0, 207001)
