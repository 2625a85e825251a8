"""Copies between host and device: values, host arrays that change at once, both run modes."""

from __future__ import annotations

import signal
import sys
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from placement import describe

import ascendtensor as at
from ascendtensor import dtypes, simulator
from ascendtensor.errors import AclError, DTypeError, ShapeError, ValueRangeError
from ascendtensor.runtime import copies, stats
from ascendtensor.runtime import device as devices
from ascendtensor.runtime.desc import TensorDesc
from ascendtensor.runtime.device import Device, as_device
from ascendtensor.runtime.scalars import CAPACITY, encode
from ascendtensor.runtime.staging import SLAB
from ascendtensor.runtime.stream import Stream, stream

ARRAYS = {
    "vector": np.arange(100, dtype=np.float32),
    "transposed": np.arange(12, dtype=np.int64).reshape(3, 4).T,
    "reversed": np.arange(10, dtype=np.int16)[::-2],
    "broadcast": np.broadcast_to(np.float32(3), (4, 5)),
    "0-d": np.array(7, dtype=np.uint8),
    "empty": np.empty((3, 0, 2), np.float32),
    "bool": np.array([True, False, True]),
    "bfloat16": np.arange(5).astype(ml_dtypes.bfloat16),
    "complex": np.array([1 + 2j, -3j], np.complex128),
    "one slab": np.arange(SLAB // 4, dtype=np.int32),
    "large": np.arange(SLAB, dtype=np.float32),
    "large transposed": np.arange(3 * SLAB // 4, dtype=np.float64).reshape(-1, 4).T,
}


@pytest.fixture(params=["host", "device"])
def run_mode(request: pytest.FixtureRequest, machine: Callable[..., None]) -> str:
    machine(run_mode=request.param)
    return str(request.param)


@pytest.mark.parametrize("name", ARRAYS)
def test_what_goes_up_comes_down(name: str, run_mode: str, put: Callable[..., Any]) -> None:
    array = ARRAYS[name]
    buffer, desc = put(array)
    back = copies.download(buffer, desc)
    assert back.dtype == array.dtype
    assert back.flags.c_contiguous
    assert back.flags.owndata
    np.testing.assert_array_equal(back, array)
    assert as_device(0).bytes_to_device == array.nbytes == as_device(0).bytes_to_host


@pytest.mark.parametrize("count", [10, SLAB])
def test_the_host_array_may_change_at_once(count: int, run_mode: str, put: Callable[..., Any]) -> None:
    array = np.zeros(count, np.float32)
    buffers = []
    for value in (1, 2):
        array[:] = value
        buffers.append(put(array))
    array[:] = 9
    for value, (buffer, desc) in zip((1, 2), buffers, strict=True):
        assert np.all(copies.download(buffer, desc) == value)


def test_foreign_byte_order(put: Callable[..., Any], npu: Device) -> None:
    array = np.arange(5, dtype=">i4")
    desc = TensorDesc.of((5,), dtypes.int32, npu)
    np.testing.assert_array_equal(copies.download(copies.upload(array, desc), desc), array)


def test_an_array_of_another_shape_is_refused(npu: Device) -> None:
    with pytest.raises(ShapeError, match="shape"):
        copies.upload(np.zeros(3, np.float32), TensorDesc.of((4,), dtypes.float32, npu))
    assert stats.memory_allocated() == 0


def test_copy_into_a_window(run_mode: str, put: Callable[..., Any]) -> None:
    buffer, desc = put(np.zeros(64, np.float32))
    part = np.arange(8, dtype=np.float32)
    copies.copy_into(buffer.window(32, 32), part, describe(part, desc.device))
    expected = np.zeros(64, np.float32)
    expected[8:16] = part
    np.testing.assert_array_equal(copies.download(buffer, desc), expected)
    np.testing.assert_array_equal(copies.download(buffer.window(32, 32), describe(part, desc.device)), part)


@pytest.mark.parametrize("offset", [0, 4, 64])
def test_copy_inside_the_device(offset: int, run_mode: str, put: Callable[..., Any]) -> None:
    source, desc = put(np.arange(100, dtype=np.float32))
    target, _ = put(np.zeros(100, np.float32))
    copies.copy_device(target, source, 80, offset, offset)
    expected = np.zeros(100, np.float32)
    first = offset // 4
    expected[first : first + 20] = np.arange(first, first + 20)
    np.testing.assert_array_equal(copies.download(target, desc), expected)


@pytest.mark.parametrize(("to", "of"), [(0, 4), (4, 0), (4, 4)])
def test_a_copy_inside_the_device_is_queued_only_from_and_to_multiples_of_64_bytes(
    to: int, of: int, put: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = put(np.arange(100, dtype=np.float32))
    target, desc = put(np.zeros(100, np.float32))
    queued: list[Any] = []
    monkeypatch.setattr(copies.binding, "memcpy_async", lambda *args: queued.append(args))
    copies.copy_device(target, source, 80, to, of)
    monkeypatch.undo()
    assert queued == []
    np.testing.assert_array_equal(copies.download(target, desc)[to // 4 :][:20], np.arange(of // 4, of // 4 + 20))


def test_a_copy_inside_the_device_waits_for_those_that_read_its_target(npu: Device) -> None:
    side, target, source = Stream(npu), at.zeros(16), at.full((16,), 7.0)
    with stream(side):
        read = target + 1  # queued there
    copies.copy_device(target.buffer, source.buffer, 64)
    npu.current_stream().synchronize()
    assert (read == 1).all() and (target == 7).all()


def test_transfer_to_another_device(run_mode: str, put: Callable[..., Any]) -> None:
    array = np.arange(100, dtype=np.float32)
    buffer, desc = put(array)
    there = describe(array, as_device(1))
    moved = copies.transfer(buffer, desc, there)
    assert moved.device is as_device(1)
    np.testing.assert_array_equal(copies.download(moved, there), array)
    np.testing.assert_array_equal(copies.download(buffer, desc), array)


def test_non_blocking_copies_use_pinned_memory_itself(npu: Device) -> None:
    array = copies.pinned_empty((1000,), dtypes.float32, npu)
    array[:] = 5
    desc = describe(array, npu)
    buffer = copies.upload(array, desc, non_blocking=True)
    back = copies.download(buffer, desc, non_blocking=True)
    npu.synchronize()
    np.testing.assert_array_equal(back, array)
    assert simulator.tables()["host_memory"] == 2, "no staging piece was needed"
    del array, back
    copies.pinned_empty((1,), dtypes.uint8, npu)
    copies.pinned_empty((1,), dtypes.uint8, npu)
    assert simulator.tables()["host_memory"] <= 2, "pinned memory goes with its arrays"


def test_a_non_blocking_upload_keeps_its_array(npu: Device) -> None:
    array = copies.pinned_empty((1000,), dtypes.int32, npu)
    array[:] = 1
    desc = describe(array, npu)
    buffer = copies.upload(array, desc, non_blocking=True)
    assert npu.staging._kept[-1][1] is array
    del array
    copies.pinned_empty((1000,), dtypes.int32, npu)[:] = 2  # would take its place
    assert set(copies.download(buffer, desc)) == {1}


def test_a_non_blocking_download_that_is_dropped_keeps_its_memory_until_it_was_written(npu: Device, put: Callable[..., Any]) -> None:
    buffer, desc = put(np.arange(1000, dtype=np.int32))
    before = set(npu.staging.pinned)
    dropped = copies.download(buffer, desc, non_blocking=True)
    (place,) = set(npu.staging.pinned) - before
    del dropped
    assert place not in npu.staging._dropped
    npu.current_stream().synchronize()
    npu.staging.sweep()
    assert place not in npu.staging.pinned and simulator.findings() == []


def test_pinned_memory_with_gaps_and_blocking_copies_of_it_are_copied_at_once(npu: Device) -> None:
    pinned = copies.pinned_empty((100,), dtypes.int32, npu)
    pinned[:] = range(100)
    for part, non_blocking in ((pinned[::2], True), (pinned, False)):
        expected, desc = part.copy(), describe(part, npu)
        buffer = copies.upload(part, desc, non_blocking)
        kept, pinned[:] = pinned.copy(), -1
        np.testing.assert_array_equal(copies.download(buffer, desc), expected)
        pinned[:] = kept


def test_the_last_piece_of_a_long_copy_is_as_long_as_what_is_left(put: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "LARGE", SLAB)
    monkeypatch.setattr(copies, "PIECE", SLAB)
    array = np.arange(SLAB // 4 + 100, dtype=np.int32)
    np.testing.assert_array_equal(copies.download(*put(array)), array)


def test_pinned_memory_ends_where_its_array_does(npu: Device) -> None:
    array = copies.pinned_empty((100,), dtypes.uint8, npu)
    start = copies.address_of(array)
    assert npu.staging.is_pinned(start, 100) and not npu.staging.is_pinned(start, 101) and not npu.staging.is_pinned(start + 4096, 1)


def test_integers_that_are_kept_serve_other_streams(npu: Device) -> None:
    here, side = npu.current_stream(), Stream()
    kept = npu.scalars.several(dtypes.int64, (7, 8, 9), here)
    assert npu.scalars.several(dtypes.int64, (7, 8, 9), here) is kept and not kept.readers
    assert npu.scalars.several(dtypes.int64, (7, 8, 9), side) is kept and kept.readers == {side.handle}


def test_non_blocking_upload_reads_the_array_when_the_stream_runs(npu: Device) -> None:
    array = copies.pinned_empty((4,), dtypes.int32, npu)
    array[:] = 1
    buffer = copies.upload(array, describe(array, npu), non_blocking=True)
    array[:] = 2
    assert list(copies.download(buffer, describe(array, npu))) == [2, 2, 2, 2]


def test_non_blocking_from_ordinary_memory_is_safe(put: Callable[..., Any], npu: Device) -> None:
    array = np.ones(4, np.float32)
    desc = describe(array, npu)
    buffer = copies.upload(array, desc, non_blocking=True)
    array[:] = 2
    assert list(copies.download(buffer, desc)) == [1, 1, 1, 1]


def test_pinned_arrays_outlive_shutdown(npu: Device) -> None:
    array = copies.pinned_empty((4,), dtypes.int32, npu)
    array[:] = 3
    devices.shutdown()
    assert list(array) == [3, 3, 3, 3]
    assert simulator.tables()["host_memory"] == 1
    del array
    as_device(0)
    devices.shutdown()
    assert simulator.tables()["host_memory"] == 0, "freed by the next shutdown after the array was gone"


def test_staging_stays_bounded(put: Callable[..., Any]) -> None:
    array = np.zeros(SLAB // 8, np.uint8)
    buffers = [put(array) for _ in range(400)]
    assert stats.memory_stats()["pinned"] <= 12 * SLAB
    del buffers


def test_downloads_one_after_another_use_one_piece(put: Callable[..., Any]) -> None:
    buffer, desc = put(np.zeros(1000, np.uint8))
    for _ in range(3000):
        copies.download(buffer, desc)
    assert simulator.tables()["host_memory"] == 1


def test_a_piece_is_empty_again_only_when_nothing_waits_in_it(npu: Device) -> None:
    lane, staging = npu.current_stream().lane, npu.staging
    slab, _ = staging.reserve(lane, 100)
    serial, used = lane.slab_serial, lane.slab_used
    assert used >= 100
    slab.held += 1  # a download whose data were not taken out yet
    staging.drained(lane, slab, serial)
    assert lane.slab_used == used
    slab.held -= 1
    again, offset = staging.reserve(lane, 100)  # a copy that is queued behind it
    assert again is slab and offset >= 100
    staging.drained(lane, slab, serial)
    assert lane.slab_used > used
    staging.drained(lane, slab, lane.slab_serial)
    assert lane.slab_used == 0


def test_a_full_piece_that_is_held_serves_nobody_else(npu: Device) -> None:
    lane, staging = npu.current_stream().lane, npu.staging
    held, _ = staging.reserve(lane, SLAB)
    held.held += 1
    others = [staging.reserve(lane, SLAB)[0] for _ in range(20)]  # more than may wait
    npu.synchronize()
    assert held not in others and held not in staging.idle
    held.held -= 1
    staging.reserve(lane, SLAB)
    assert held is lane.slab or held in staging.idle


def test_large_uploads_wait_for_work_that_reads_the_recycled_block(put: Callable[..., Any], npu: Device) -> None:
    one = np.full(SLAB, 1, np.float32)
    source, desc = put(one)
    target, _ = put(np.zeros(SLAB, np.float32))
    copies.copy_device(target, source, desc.nbytes)
    address = source.address
    del source
    second, _ = put(np.full(SLAB, 2, np.float32))
    assert second.address == address
    assert np.all(copies.download(target, desc) == 1)


# Scalars


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda each: each.name)
def test_scalars_of_every_dtype(dtype: Any, run_mode: str, npu: Device) -> None:
    desc = TensorDesc.of((), dtype, npu)
    assert copies.download(npu.scalar(dtype, 1), desc) == np.ones((), dtype.numpy)


def test_scalars_are_told_apart_by_bits(npu: Device) -> None:
    desc = TensorDesc.of((), dtypes.float32, npu)
    plus, minus = npu.scalar(dtypes.float32, 0.0), npu.scalar(dtypes.float32, -0.0)
    assert plus is not minus
    assert not np.signbit(copies.download(plus, desc))
    assert np.signbit(copies.download(minus, desc))
    assert npu.scalar(dtypes.float32, 0) is plus
    assert npu.scalar(dtypes.bool_, True) is not npu.scalar(dtypes.int32, 1)
    assert npu.scalar(dtypes.float32, 2) is npu.scalar(dtypes.float32, 2.0)
    nan = float("nan")
    assert npu.scalar(dtypes.float32, nan) is npu.scalar(dtypes.float32, nan)
    assert len(npu.scalars) == 6


@pytest.mark.parametrize("value", [3 + 0j, np.complex64(3), Fraction(3), Decimal(3)], ids=repr)
def test_what_equals_a_number_that_was_met_is_refused_as_before(value: Any, npu: Device) -> None:
    for _ in range(2):
        with pytest.raises(DTypeError, match=r"complex number|is no number"):
            npu.scalar(dtypes.float32, value)
        npu.scalar(dtypes.float32, 3.0)


def test_one_copy_a_scalar(npu: Device) -> None:
    for _ in range(10):
        npu.scalar(dtypes.float32, 1.5)
    assert npu.bytes_to_device == 4


def test_the_scalar_cache_is_bounded(npu: Device) -> None:
    desc = TensorDesc.of((), dtypes.int32, npu)
    for value in range(3000):
        npu.scalar(dtypes.int32, value)
    assert len(npu.scalars) <= CAPACITY
    assert copies.download(npu.scalar(dtypes.int32, 5), desc) == 5
    assert stats.memory_allocated() <= (CAPACITY + 1) * 512


def test_a_scalar_serves_other_streams(npu: Device) -> None:
    buffer = npu.scalar(dtypes.int64, 77)
    with stream(Stream()):
        assert copies.download(npu.scalar(dtypes.int64, 77), TensorDesc.of((), dtypes.int64, npu)) == 77
        assert npu.scalar(dtypes.int64, 77) is buffer


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        (dtypes.uint8, 256, ValueRangeError),
        (dtypes.uint8, -1, ValueRangeError),
        (dtypes.int64, 2**63, ValueRangeError),
        (dtypes.int32, float("nan"), ValueRangeError),
        (dtypes.float32, 10**400, ValueRangeError),
        (dtypes.float32, 1j, DTypeError),
        (dtypes.float32, "1", DTypeError),
    ],
)
def test_numbers_that_have_no_value(dtype: Any, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        encode(dtype, value)


def test_floats_beyond_the_range_are_infinite() -> None:
    assert np.isposinf(encode(dtypes.float16, 1e10))
    assert encode(dtypes.int32, 2.7) == 2


def test_errors_of_queued_work_show_at_the_download(put: Callable[..., Any], npu: Device) -> None:
    buffer, desc = put(np.ones(4, np.float32))
    npu.current_stream().recent.append("Add")
    with simulator.faults.plan("acl.rt.synchronize_stream", code=507015), pytest.raises(AclError) as caught:
        copies.download(buffer, desc)
    assert caught.value.code == 507015
    assert "Launched before it: Add" in str(caught.value)
    assert list(copies.download(buffer, desc)) == [1, 1, 1, 1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, AclError])
@pytest.mark.parametrize("look", [repr, at.Tensor.tolist], ids=["pieces", "whole"])
def test_a_read_that_is_interrupted_leaves_what_waits_in_pinned_memory(
    look: Callable[[at.Tensor], Any], error: type[BaseException], npu: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = at.arange(3000)
    x.tolist()  # the piece of pinned memory is empty
    first = at.tensor([1, 2, 3])  # its copy is queued, and reads pinned memory when it runs

    def interrupted(self: Stream) -> None:
        raise error("acl.rt.synchronize_stream", 107000) if error is AclError else error

    with monkeypatch.context() as patched:
        patched.setattr(Stream, "synchronize", interrupted)
        with pytest.raises(error):
            look(x)
    second = at.tensor([7, 8, 9])
    assert (first.tolist(), second.tolist()) == ([1, 2, 3], [7, 8, 9])


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent by raise_signal")
def test_an_interrupt_where_a_piece_of_pinned_memory_is_full_leaves_it_in_one_place(npu: Device) -> None:
    class Interrupting(deque[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            signal.raise_signal(signal.SIGINT)

    at.zeros(1)
    staging, lane = npu.staging, npu.current_stream().lane
    before, staging.waiting = staging.waiting, Interrupting()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(3):
            at.tensor(np.zeros(SLAB // 2 + 64, np.uint8))
    staging.waiting = deque([*before, *staging.waiting])
    held = [slab for _, slab in staging.waiting] + staging.idle + [lane.slab] * (lane.slab is not None)
    assert len(held) == len({id(slab) for slab in held}) and at.ones(3).tolist() == [1.0, 1.0, 1.0]
