"""`t[...] = x` and `t[...] += x`: what a written view costs in launches, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.launch.registry import handle_cache
from ascendtensor.runtime.device import as_device

VALUES = np.arange(64, dtype=np.float32).reshape(8, 8)
PLACES: list[Any] = [slice(2, 4), 3, (slice(None), 1), (slice(None), slice(None, None, 2)), slice(None, None, -1), (1, 5), None, ...]


def launches(work: Callable[[], Any]) -> dict[str, int]:
    before = handle_cache.launches()
    work()
    return {name: count - before.get(name, 0) for name, count in handle_cache.launches().items() if count - before.get(name, 0)}


def add_in_place(tensor: Any, place: Any, value: Any) -> None:
    tensor[place] += value


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_what_a_view_writes_back_into_itself_is_not_copied(place: Any) -> None:
    tensor, values = at.tensor(VALUES), VALUES.copy()
    view = tensor[place]
    alone = launches(lambda: view.add_(1))
    again = launches(lambda: add_in_place(tensor, place, 1))
    values[place] += 2
    np.testing.assert_array_equal(tensor.numpy(), values)
    assert again == alone
    version = launches(lambda: tensor[place].copy_(tensor[place]))
    assert version == {}


def test_rows_are_written_and_read_in_one_launch() -> None:
    tensor, other = at.tensor(VALUES), at.tensor(VALUES * 2)

    def work() -> None:
        tensor[3] = other[1]
        tensor[4:6] = other[:2]
        tensor[0] = 7.0

    work()
    assert launches(work) == {"TensorMove": 2, "Fill": 1}
    wanted = VALUES.copy()
    wanted[3], wanted[4:6], wanted[0] = VALUES[1] * 2, VALUES[:2] * 2, 7
    np.testing.assert_array_equal(tensor.numpy(), wanted)


def test_other_dtypes_and_places_of_one_storage_are_copied() -> None:
    tensor = at.tensor(VALUES)
    tensor[1] = tensor[0]
    tensor[2:4] = tensor[1:3]
    tensor.view(at.int32)[5] = tensor[0]  # numbers, not bits
    wanted = VALUES.copy()
    wanted[1] = wanted[0]
    wanted[2:4] = wanted[1:3].copy()
    wanted.view(np.int32)[5] = wanted[0]
    np.testing.assert_array_equal(tensor.numpy(), wanted)
    square = at.tensor(VALUES)
    square[...] = square.T
    np.testing.assert_array_equal(square.numpy(), VALUES.T)


def test_writing_itself_after_shutdown_is_refused() -> None:
    tensor = at.tensor(VALUES)
    at.shutdown()
    with pytest.raises(at.ClosedError):
        tensor.copy_(tensor)


def test_windows_of_one_place_share_a_data_buffer() -> None:
    tensor = at.tensor(VALUES)
    first, second = tensor[2:4], tensor[2:4]
    sums = first + second
    assert first.buffer.data_buffer == second.buffer.data_buffer
    counts = []
    for _ in range(50):
        tensor[2:4] += 1
        sums = tensor[2:4] + tensor[2:4]
        counts.append(simulator.tables()["buffers"])
    assert counts[5] == counts[-1]
    handle = first.buffer.data_buffer
    del first
    at.zeros(1)
    assert second.buffer.data_buffer == handle
    assert sums.numpy()[0, 0] == 2 * (16 + 50) == 2 * second.numpy()[0, 0]


def test_descriptions_of_what_comes_and_goes_are_made_once() -> None:
    tensor = at.tensor(VALUES)
    descriptions = {id(tensor[2:4].add_(1).desc) for _ in range(5)}
    assert len(descriptions) == 1
    assert len(as_device(0).recent_descs) <= 16
