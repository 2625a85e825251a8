"""Snapshots of device memory: every byte is in one block, with its state and, where asked for, its line."""

from __future__ import annotations

import inspect
import threading

import pytest

import ascendtensor as at
from ascendtensor.notebook.snapshots import MemorySnapshot
from ascendtensor.runtime.memory import StreamPool


def states(snapshot: MemorySnapshot) -> dict[str, int]:
    found: dict[str, int] = {}
    for segment in snapshot:
        for block in segment["blocks"]:
            found[block["state"]] = found.get(block["state"], 0) + block["size"]
    return found


def test_blocks_fill_their_segments_and_agree_with_the_statistics() -> None:
    kept = [at.zeros(1000 * size) for size in range(1, 6)]
    del kept[1], kept[2]
    snapshot = at.memory_snapshot()
    for segment in snapshot:
        place = segment["address"]
        for block in segment["blocks"]:
            assert block["address"] == place
            place += block["size"]
        assert place == segment["address"] + segment["total_size"]
    found, stats = states(snapshot), at.memory_stats()
    assert found["active_allocated"] == stats["allocated"] == sum(segment["allocated_size"] for segment in snapshot)
    assert sum(found.values()) == stats["reserved"] and found["inactive"] == stats["cached"]
    assert len(kept) == 3


def test_fragmentation_is_the_share_outside_the_largest_piece() -> None:
    def segment(*blocks: tuple[int, str]) -> MemorySnapshot:
        return MemorySnapshot([{"blocks": [{"size": size, "state": state} for size, state in blocks]}])

    assert segment((10, "inactive"), (10, "inactive")).fragmentation == 0
    assert segment((10, "inactive"), (5, "active_allocated"), (30, "inactive")).fragmentation == 0.25
    assert MemorySnapshot().fragmentation == 0


def test_memory_that_another_stream_still_uses_is_marked() -> None:
    x = at.zeros(1000)
    at.synchronize()
    gate = threading.Event()
    other = at.Stream()
    other.add_callback(gate.wait, blocking=True)
    with other:
        y = x + 1
    del x
    try:
        assert states(at.memory_snapshot()).get("active_pending_free", 0) >= 4000
    finally:
        gate.set()
    assert y.sum().item() == 1000
    at.synchronize()
    assert "active_pending_free" not in states(at.memory_snapshot())


def test_nothing_is_opened_for_it() -> None:
    assert at.memory_snapshot(1) == [] and "no device memory" in repr(at.memory_snapshot(1))
    assert "no device memory" in at.memory_snapshot(1)._repr_html_()


def test_prints_and_draws() -> None:
    kept = [at.zeros(100) for _ in range(5)]
    snapshot = at.memory_snapshot()
    assert "segment, " in repr(snapshot) and "in use" in repr(snapshot) and "fragmentation" in repr(snapshot)
    text = snapshot._repr_html_()
    assert text.count("<rect") == sum(len(segment["blocks"]) for segment in snapshot) and "ASCENDTENSOR_MEMORY_LINES" in text
    assert len(kept) == 5


def test_crowded_pictures_are_bounded() -> None:
    blocks = [{"address": place, "size": 1, "state": "inactive", "frames": []} for place in range(200)]
    segment = {"device": 0, "stream": 1, "address": 0, "total_size": 200, "blocks": blocks}
    text = MemorySnapshot([segment] * 50)._repr_html_()
    assert text.count("<rect") == 40 and "the largest 40 segments" in text


def test_lines_are_noted_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    at.shutdown()
    monkeypatch.setenv("ASCENDTENSOR_MEMORY_LINES", "1")
    frame = inspect.currentframe()
    assert frame
    x = at.zeros(5000)
    y = x + x
    line = frame.f_lineno
    del y
    y = x * x  # the block comes back by the short way
    blocks = [block for segment in at.memory_snapshot() for block in segment["blocks"] if block["frames"]]
    lines = [(frame["line"] - line, frame["name"]) for block in blocks for frame in block["frames"] if frame["filename"] == __file__]
    assert (-2, inspect.stack()[0].function) in lines and (2, inspect.stack()[0].function) in lines
    assert "test_snapshots.py" in repr(at.memory_snapshot()) and "notes the lines" not in at.memory_snapshot()._repr_html_()
    assert y.sum().item() == 0


def test_without_it_pools_are_the_plain_ones() -> None:
    x = at.zeros(3)
    assert type(x.device.current_stream().pool) is StreamPool
    assert not any(block["frames"] for segment in at.memory_snapshot() for block in segment["blocks"])
