"""Tensors and pyACL calls of the user's own: from_ptr, data_buffer, record_stream, raw."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator as acl


class Memory:
    """Device memory of the user's own."""

    def __init__(self, nbytes: int) -> None:
        self.address, code = acl.rt.malloc(nbytes, 0)
        assert code == 0


@pytest.fixture
def memory() -> Iterator[Callable[[int], Memory]]:
    """`memory(nbytes)`; all of it is freed before the library's shutdown."""
    addresses: list[int] = []

    def make(nbytes: int) -> Memory:
        at.current_device().activate()
        made = Memory(nbytes)
        addresses.append(made.address)
        return made

    yield make
    gc.collect()
    if at.is_initialized():
        at.current_device().activate()
        for address in addresses:
            assert acl.rt.free(address) == 0, "the library freed what is not its own"


def values(count: int) -> Any:
    return np.arange(count, dtype=np.float32)


def test_a_tensor_over_foreign_memory_reads_and_writes_it(memory: Callable[[int], Memory]) -> None:
    mine = memory(64)
    t = at.from_ptr(mine.address, (4, 4), at.float32)
    assert t.data_ptr() == mine.address and t.shape == (4, 4)
    t.copy_(at.arange(16, dtype=at.float32).reshape(4, 4))
    again = at.from_ptr(mine.address, [16], "float32")
    np.testing.assert_array_equal((again + 1).numpy(), values(16) + 1)
    t[1] = 0.0
    np.testing.assert_array_equal(again[4:8].numpy(), np.zeros(4))


def test_the_owner_lives_until_queued_work_has_run(memory: Callable[[int], Memory]) -> None:
    mine = memory(64)
    seen = weakref.ref(mine)
    t = at.from_ptr(mine.address, (16,), at.float32, owner=mine)
    t.fill_(1.0)
    result = t + t
    view = t[2:]
    del t, mine
    assert seen() is not None
    del view
    gc.collect()
    assert seen() is not None
    at.synchronize()
    assert seen() is None
    np.testing.assert_array_equal(result.numpy(), np.full(16, 2.0))


def test_other_streams_keep_the_owner_too(memory: Callable[[int], Memory]) -> None:
    mine = memory(64)
    seen = weakref.ref(mine)
    t = at.from_ptr(mine.address, (16,), at.float32, owner=mine)
    t.fill_(3.0)
    side = at.Stream()
    with at.stream(side):
        result = t * 2
    del t, mine
    at.synchronize()
    assert seen() is None
    np.testing.assert_array_equal(result.numpy(), np.full(16, 6.0))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_owner_outlives_what_streams_still_do_with_its_memory(memory: Callable[[int], Memory], elsewhere: bool) -> None:
    mine, other = memory(64), memory(64)
    seen = weakref.ref(mine)
    t = at.from_ptr(mine.address, (16,), at.float32, owner=mine)
    t.fill_(1.0)
    at.synchronize()
    stream, gate = at.Stream() if elsewhere else at.current_stream(), threading.Event()
    stream.add_callback(lambda: gate.wait(30), blocking=True)
    try:
        with at.stream(stream):
            result = t + t
        del t, mine
        for _ in range(3):  # each looks for memory that is not used any more
            at.from_ptr(other.address, (16,), at.float32)
        assert seen() is not None
    finally:
        gate.set()
    at.synchronize()
    assert seen() is None
    np.testing.assert_array_equal(result.numpy(), np.full(16, 2.0))


def test_borrowed_memory_that_comes_and_goes_keeps_no_data_buffers_and_events(memory: Callable[[int], Memory]) -> None:
    mine = memory(64)

    def round_trip() -> tuple[int, int]:
        for _ in range(8):
            at.from_ptr(mine.address, (16,), at.float32).add_(1.0)
        at.synchronize()
        at.from_ptr(mine.address, (16,), at.float32)
        at.synchronize()
        tables = acl.tables()
        return tables["buffers"], tables["events"]

    counts = [round_trip() for _ in range(6)]
    assert counts[1] == counts[-1]


def test_shutdown_lets_owners_go_and_tensors_stay_harmless(memory: Callable[[int], Memory]) -> None:
    class Owner:
        pass

    dead, alive = Owner(), Owner()
    first, second = weakref.ref(dead), weakref.ref(alive)
    mine = memory(128)
    t = at.from_ptr(mine.address, (16,), at.float32, owner=dead)
    u = at.from_ptr(mine.address + 64, (16,), at.float32, owner=alive)
    del t, dead, alive
    assert acl.rt.free(mine.address) == 0
    at.shutdown()
    assert first() is None and second() is not None
    with pytest.raises(at.ClosedError):
        u + 1
    del u
    gc.collect()
    assert second() is None


@pytest.mark.parametrize("address", [0, 1, 48, -64, 1 << 64])
def test_addresses_that_operators_do_not_take(address: int) -> None:
    with pytest.raises(at.ValueRangeError, match="multiple of 32"):
        at.from_ptr(address, (2,), at.float32)


def test_arguments() -> None:
    with pytest.raises(at.AscendTensorError, match="from_ptr"):
        at.from_ptr("here", (2,), at.float32)  # type: ignore[arg-type]
    with pytest.raises(at.ValueRangeError, match="negative"):
        at.from_ptr(64, (-1,), at.float32)
    assert at.from_ptr(0, (0, 3), at.float32).numpy().shape == (0, 3)


def test_data_buffer_is_what_pyacl_takes() -> None:
    t = at.arange(32, dtype=at.float32)
    assert acl.get_data_buffer_addr(t.data_buffer) == t.data_ptr()
    window = t[8:16]
    assert acl.get_data_buffer_addr(window.data_buffer) == t.data_ptr() + 32 == window.data_ptr()
    with pytest.raises(at.ShapeError, match="clone"):
        t[::2].data_buffer  # noqa: B018
    assert t[::2].clone().data_buffer


def test_raw_hands_over_and_takes_back() -> None:
    a = at.ones(8)
    target = at.empty(8)
    with at.raw() as raw:
        assert acl.rt.get_context() == (raw.context, 0) and raw.device == 0
        assert raw.stream == at.current_stream().handle
        assert acl.rt.memcpy_async(target.data_ptr(), 32, a.data_ptr(), 32, 3, raw.stream) == 0
        assert acl.rt.set_device(1) == 0  # the user's own business
        own, _ = acl.rt.create_context(1)
    assert acl.rt.get_context() == (raw.context, 0)
    np.testing.assert_array_equal((target + 1).numpy(), np.full(8, 2.0))
    assert acl.rt.destroy_context(own) == 0 and acl.rt.reset_device(1) == 0


def test_raw_shows_the_error_of_the_users_work() -> None:
    t = at.ones(8)
    at.synchronize()
    with acl.faults.kernel("Add"), pytest.raises(at.AclError, match="507015"), at.raw():
        t + t
    with acl.faults.kernel("Add"):
        with at.raw(check=False):
            t + t
        with pytest.raises(at.AclError, match=r"inside raw\(\)"):
            at.synchronize()


def test_raw_keeps_the_users_exception_and_the_device() -> None:
    with at.device(1):
        outside = at.raw(0)
        with pytest.raises(KeyError), outside as raw:
            assert raw.device == 0
            acl.rt.set_context(0)
            raise KeyError("mine")
        assert at.ones(2).device == "npu:1"
        assert acl.rt.get_device() == (1, 0)


def test_record_stream_orders_and_keeps_the_memory() -> None:
    side = at.Stream()
    t = at.ones(8)
    t.record_stream(side)
    address = t.data_ptr()
    target = at.empty(8)
    assert acl.rt.memcpy_async(target.data_ptr(), 32, address, 32, 3, side.handle) == 0
    del t
    at.full((8,), 5.0)  # would take the same block if it were not behind the other stream
    side.synchronize()
    np.testing.assert_array_equal(target.numpy(), np.ones(8))
    with pytest.raises(at.DTypeError, match="Stream"):
        at.ones(2).record_stream("side")  # type: ignore[arg-type]
