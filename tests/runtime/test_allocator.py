"""The caching allocator: never two live blocks on one byte, nothing lost, figures that add up."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import ascendtensor as at
from ascendtensor import shapes, simulator
from ascendtensor.errors import AclError, OutOfDeviceMemoryError
from ascendtensor.runtime import copies, stats
from ascendtensor.runtime import device as devices
from ascendtensor.runtime.device import Device
from ascendtensor.runtime.memory import MEBI, Block, DeviceBuffer, segment_size, size_class
from ascendtensor.runtime.stream import Stream

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("nbytes", [0, 1, 31, 32, 480, 481, 512, 4096, MEBI - 64, MEBI, MEBI + 1, 4 * MEBI, 10**7, 10**9])
def test_size_classes_hold_the_padded_bytes_and_keep_addresses_aligned(nbytes: int) -> None:
    size = size_class(nbytes)
    assert size >= shapes.padded_nbytes(nbytes)  # RT-29
    assert size % 512 == 0
    assert size_class(size - 32) == size, "what a buffer may be told of falls into its own class"
    assert size <= shapes.padded_nbytes(nbytes) * (1 + 1 / 32) + 512


@pytest.mark.parametrize("nbytes", [64, MEBI, 3 * MEBI, 12 * MEBI])
def test_a_segment_fills_its_huge_pages(npu: Device, allocate: Callable[..., DeviceBuffer], nbytes: int) -> None:  # RT-29
    npu.current_stream()
    gc.collect()
    stats.empty_cache()
    before, reserved = npu.pool.device_memory()[0], npu.pool.reserved
    buffer = allocate(nbytes)
    segment = buffer.block.segment
    assert npu.pool.reserved - reserved == segment.size == segment_size(size_class(nbytes))
    assert before - npu.pool.device_memory()[0] == segment.size, "the slack of a segment is its last block's own"
    found = simulator.engine.memory.find(segment.address)
    assert found is not None and found.size == segment.size


def test_small_blocks_share_a_segment_and_the_largest_have_their_own() -> None:
    sizes = [512, MEBI, MEBI + 32768, 8 * MEBI, 8 * MEBI + 262144, 16 * MEBI, 16 * MEBI + 524288]
    assert [segment_size(size) // MEBI for size in sizes] == [2, 2, 16, 16, 10, 16, 18]


class AllocatorMachine(RuleBasedStateMachine):
    """Random takes and returns against a list of live ranges."""

    def __init__(self) -> None:
        super().__init__()
        devices.shutdown()
        self.device = devices.as_device(0)
        self.stream = self.device.current_stream()
        self.live: list[DeviceBuffer] = []
        self.peak = 0

    def teardown(self) -> None:
        self.live.clear()
        assert stats.memory_allocated() == 0
        stats.empty_cache()
        assert stats.memory_reserved() == 0, "every block has merged back into its whole segment"
        devices.shutdown()
        assert not any(simulator.tables().values())

    @rule(nbytes=st.one_of(st.integers(0, 4096), st.integers(0, 3 * MEBI)))
    def allocate(self, nbytes: int) -> None:
        size = size_class(nbytes)
        buffer = self.stream.pool.lend(size, self.stream)
        assert buffer.block.size == size
        assert buffer.address % 64 == 0
        assert simulator.get_data_buffer_addr(buffer.data_buffer) == buffer.address
        assert simulator.get_data_buffer_size_v2(buffer.data_buffer) == size
        self.live.append(buffer)
        self.peak = max(self.peak, sum(each.block.size for each in self.live))

    @rule(nbytes=st.integers(0, 4096))
    def allocate_on_the_hot_road(self, nbytes: int) -> None:
        pool, size = self.stream.pool, size_class(nbytes)
        block = pool.returns.pop() if pool.returns else None
        if block is not None and block.size != size:
            pool.returns.append(block)
            block = None
        self.live.append(DeviceBuffer(block, self.stream) if block is not None else pool.lend(size, self.stream))
        self.peak = max(self.peak, sum(each.block.size for each in self.live))

    @rule(which=st.integers(0, 10**6))
    def free(self, which: int) -> None:
        if self.live:
            del self.live[which % len(self.live)]

    @rule()
    def empty_cache(self) -> None:
        stats.empty_cache()

    @invariant()
    def live_blocks_never_overlap(self) -> None:
        ranges = sorted((each.address, each.address + each.block.size) for each in self.live)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))

    @invariant()
    def segments_are_tiled_by_their_blocks(self) -> None:
        for segment in self.stream.pool.segments:
            block, at, free_before = segment.first, segment.address, False
            while block is not None:
                assert block.address == at
                assert not (block.free and free_before), "free neighbours are merged"
                at, free_before, block = at + block.size, block.free, block.next
            assert at == segment.address + segment.size

    @invariant()
    def figures_equal_the_model(self) -> None:
        held = sum(each.block.size for each in self.live)
        figures = stats.memory_stats()
        assert figures["allocated"] == held
        assert figures["peak_allocated"] == self.peak
        assert figures["reserved"] == sum(segment.size for segment in self.stream.pool.segments)
        assert figures["cached"] == figures["reserved"] - held
        assert figures["peak_reserved"] >= figures["reserved"]


AllocatorMachine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAllocator = AllocatorMachine.TestCase


def test_a_returned_block_is_the_next_one_lent(allocate: Callable[..., DeviceBuffer]) -> None:
    first = allocate(100)
    address, data_buffer = first.address, first.data_buffer
    del first
    second = allocate(100)
    assert (second.address, second.data_buffer) == (address, data_buffer), "the aclDataBuffer lives with its block"


def test_small_blocks_share_a_segment_and_a_big_one_has_its_own(allocate: Callable[..., DeviceBuffer]) -> None:
    small = [allocate(1000) for _ in range(100)]
    assert stats.memory_stats()["segments"] == 1
    big = allocate(100 * MEBI)
    assert stats.memory_stats()["segments"] == 2
    assert stats.memory_reserved() == segment_size(1000) + big.block.size
    del small


def test_neighbours_merge_when_a_larger_block_is_wanted(allocate: Callable[..., DeviceBuffer]) -> None:
    pieces = [allocate(MEBI // 4 - 64) for _ in range(8)]
    assert stats.memory_stats()["segments"] == 1
    del pieces
    allocate(MEBI - 64)
    assert stats.memory_stats()["segments"] == 1


def test_the_smallest_block_that_fits_is_cut(allocate: Callable[..., DeviceBuffer]) -> None:
    blocks = [allocate(nbytes) for nbytes in (8000, 100, 2000, 100, 4000, 100)]
    wanted = blocks[2].address
    pool = blocks[0].block.pool
    blocks[0] = blocks[2] = blocks[4] = None  # type: ignore[call-overload]
    pool.collect()
    pool.consolidate()
    assert allocate(1500).address == wanted


def test_small_blocks_leave_large_ones_whole(allocate: Callable[..., DeviceBuffer]) -> None:
    large = allocate(20 * MEBI)
    address = large.address
    del large
    small = [allocate(MEBI - 64) for _ in range(4)]
    assert allocate(20 * MEBI).address == address
    del small


def test_small_blocks_take_from_large_ones_when_nothing_else_is_left(
    machine: Callable[..., None], allocate: Callable[..., DeviceBuffer]
) -> None:
    machine(memory=32 * MEBI)
    large = allocate(20 * MEBI)
    kept = [allocate(MEBI - 64) for _ in range(11)]
    del large
    more = [allocate(MEBI - 64) for _ in range(15)]
    assert len({each.address for each in kept + more}) == 26


def test_empty_cache_keeps_segments_that_hold_a_tensor(allocate: Callable[..., DeviceBuffer]) -> None:
    kept, dropped = allocate(100), allocate(50 * MEBI)
    assert stats.memory_reserved() > 50 * MEBI
    del dropped
    stats.empty_cache()
    assert stats.memory_reserved() == segment_size(512)
    assert stats.memory_allocated() == kept.block.size


def test_reset_peak(allocate: Callable[..., DeviceBuffer]) -> None:
    big = allocate(5 * MEBI)
    held = big.block.size
    assert stats.max_memory_allocated() == held
    del big
    stats.reset_peak_memory_stats()
    assert stats.max_memory_allocated() == 0


def test_out_of_memory_says_how_much_and_leaves_everything_usable(
    machine: Callable[..., None], put: Callable[..., Any], allocate: Callable[..., DeviceBuffer]
) -> None:
    machine(memory=64 * MEBI)
    array = np.arange(1000, dtype=np.float32)
    buffer, desc = put(array)
    with pytest.raises(OutOfDeviceMemoryError) as caught:
        allocate(100 * MEBI)
    error = caught.value
    assert isinstance(error, MemoryError)
    assert error.requested == size_class(100 * MEBI)
    assert error.used == buffer.block.size
    assert 0 < error.free <= 64 * MEBI
    assert error.cached == stats.memory_cached()
    assert "asked for 102.0 MiB" in str(error)
    np.testing.assert_array_equal(copies.download(buffer, desc), array)
    assert allocate(30 * MEBI).block.size >= 30 * MEBI


def test_the_cache_is_released_before_memory_runs_out(machine: Callable[..., None], allocate: Callable[..., DeviceBuffer]) -> None:
    machine(memory=64 * MEBI)
    first = allocate(40 * MEBI)
    del first
    assert stats.memory_cached() > 40 * MEBI
    assert allocate(50 * MEBI).block.size >= 50 * MEBI, "the 40 MiB had to go"


def test_a_block_fits_where_a_whole_segment_does_not(machine: Callable[..., None], allocate: Callable[..., DeviceBuffer]) -> None:
    machine(memory=MEBI)
    assert allocate(1000).block.size == 1536
    assert stats.memory_reserved() == 1536


def test_windows_have_their_own_data_buffer_and_keep_the_memory(allocate: Callable[..., DeviceBuffer]) -> None:
    base = allocate(4096)
    address, block = base.address, base.block
    window = base.window(1024, 64)
    assert (window.address, window.offset, window.nbytes, window.base) == (address + 1024, 1024, 64, base)
    assert window.data_buffer != base.data_buffer
    assert simulator.get_data_buffer_addr(window.data_buffer) == address + 1024
    inner = window.window(32, 16)
    assert (inner.offset, inner.base) == (1056, base)
    del base
    gc.collect()
    assert stats.memory_allocated() == block.size
    handle = window.data_buffer
    del window, inner
    assert stats.memory_allocated() == 0
    again = allocate(4096)
    assert again.address == address
    assert again.window(1024, 64).data_buffer == handle, "an equal window uses the aclDataBuffer again"


def test_windows_outside_the_buffer_are_refused(allocate: Callable[..., DeviceBuffer]) -> None:
    base = allocate(100)
    with pytest.raises(ValueError, match="does not lie"):
        base.window(0, base.nbytes + 1)
    with pytest.raises(ValueError, match="does not lie"):
        base.window(-32, 16)


def test_a_thousand_windows_leave_no_data_buffers(allocate: Callable[..., DeviceBuffer]) -> None:
    base = allocate(1 << 17)
    for start in range(2000):
        base.window(start * 32, 16)
    base.window(0, 8)
    assert simulator.tables()["buffers"] < 600


def test_a_failed_data_buffer_loses_no_memory(allocate: Callable[..., DeviceBuffer]) -> None:
    allocate(100)
    before = stats.memory_stats()
    with simulator.faults.plan("acl.create_data_buffer"), pytest.raises(AclError):
        allocate(5000)
    assert stats.memory_allocated() == 0
    assert stats.memory_reserved() == before["reserved"]
    assert allocate(5000).block.size == size_class(5000)


def test_late_returns_after_shutdown_are_ignored(allocate: Callable[..., DeviceBuffer]) -> None:
    old = allocate(100)
    devices.shutdown()
    new = allocate(100)
    del old
    assert stats.memory_allocated() == new.block.size


def test_a_block_that_another_stream_used_is_its_own_streams_again(allocate: Callable[..., DeviceBuffer], npu: Device) -> None:
    side = Stream()
    buffer = allocate(1000)
    buffer.read_on(side)
    block, pool = buffer.block, buffer.block.pool
    del buffer
    assert list(pool.shared_returns) == [block] and block.users == {side.handle}
    npu.synchronize()
    pool.collect()
    assert block.users is None and not pool.pending
    again = allocate(1000)
    assert again.block is block
    del again
    assert block in pool.returns and not pool.shared_returns


def test_a_block_that_nobody_holds_is_found_again() -> None:
    # What an interrupt leaves behind between the list of returns and the result.
    kept = at.ones(50_000)
    pool = at.current_stream().pool
    del [at.ones(50_000)][:]
    held = at.memory_allocated()
    at.ones(50_000)
    pool.returns.pop()
    assert at.memory_allocated() > held
    lent = pool.lend(kept.desc.block_size, at.current_stream())
    block = lent.block
    del lent.block
    pool.reclaim()
    assert at.memory_allocated() == held + block.size
    del block
    pool.reclaim()
    pool.reclaim()
    assert at.memory_allocated() == held
    assert kept.sum().item() == 50_000


@pytest.mark.parametrize("where", ["behind the lock", "behind the bin"])
def test_an_interrupt_while_a_block_is_taken_loses_no_memory(allocate: Callable[..., DeviceBuffer], where: str) -> None:
    class Lock(AbstractContextManager[None]):
        def __exit__(self, *error: object) -> None:
            if where == "behind the lock":
                raise KeyboardInterrupt

    class Bin(list[Block]):
        def __delitem__(self, index: Any) -> None:
            super().__delitem__(index)
            raise KeyboardInterrupt

    buffer = allocate(5000)
    block, pool = buffer.block, buffer.block.pool
    del buffer
    pool.collect()
    assert stats.memory_allocated() == 0
    if where == "behind the bin":
        pool.bins[block.size] = Bin(pool.bins[block.size])
    lock, pool.pool.lock = pool.pool.lock, Lock()
    with pytest.raises(KeyboardInterrupt):
        pool.take(block.size, DeviceBuffer.__new__(DeviceBuffer))
    pool.pool.lock = lock
    pool.bins[block.size] = list(pool.bins[block.size])
    assert list(pool.returns) == [block] and pool.pool.allocated == block.size
    pool.collect()
    assert pool.pool.allocated == 0 and allocate(5000).block is block
