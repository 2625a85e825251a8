"""An address is found in its allocation whatever another thread takes or gives back meanwhile."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

from ascendtensor.simulator.engine import memory


def test_an_address_is_found_while_others_give_memory_back(acl: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:  # RT-36
    earlier, wanted, later = (acl.rt.malloc(4096, 0)[0] for _ in range(3))
    assert earlier < wanted < later
    left: list[Callable[[], object]] = [lambda: acl.rt.free(earlier)]

    def look(starts: list[int], address: int) -> int:
        index = bisect.bisect_right(starts, address)
        while left:
            left.pop()()  # another thread
        return index

    monkeypatch.setattr(memory, "bisect", SimpleNamespace(bisect_right=look, insort=bisect.insort, bisect_left=bisect.bisect_left))
    found = memory.find(wanted + 64)
    assert not left and found is not None and found.address == wanted
    for address in (wanted, later):
        assert acl.rt.free(address) == 0
