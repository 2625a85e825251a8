"""What the library keeps is bounded: families of signatures, moulds of plans, places of views, integers that come again."""

from __future__ import annotations

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.launch import registry, variants
from ascendtensor.launch.registry import HandleRegistry
from ascendtensor.ops import call
from ascendtensor.runtime import scalars


def test_families_are_bounded(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "MAX_FAMILIES", 3)
    x = at.ones(3)
    for function in (at.exp, at.neg, at.sin, at.cos, at.exp):
        function(x)
    assert len(cache.variants._families) == 3


def test_moulds_are_bounded_and_the_oldest_goes(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MAX_MOULDS", 2)
    kinds = []
    for function in (at.exp, at.neg, at.sin):
        for rows in range(1, 12):
            function(at.ones(rows, 3))
        kinds.append(list(cache.moulds)[-1])
    assert list(cache.moulds) == kinds[1:]


def test_places_of_views_are_bounded() -> None:
    x = at.arange(100)
    for start in range(call._PLACES + 8):
        assert (x[start : start + 6 : 2] + 0).tolist() == [start, start + 2, start + 4]
    assert len(x.device.places) == call._PLACES


def test_integers_that_come_again_are_bounded() -> None:
    x = at.zeros(100, 100)
    for start in range(scalars.FEW + 4):
        x[start : start + 70, ::2].copy_(at.ones(70, 50))
    assert len(x.device.scalars._several) == scalars.FEW


def test_calls_that_fail_leave_no_descriptions(cache: HandleRegistry) -> None:
    x = at.from_numpy(np.arange(7, dtype=np.float32))
    counts = []
    for _ in range(4):
        with simulator.faults.plan("acl.op.execute_v2"), pytest.raises(at.AclError):
            x[x > 3]
        assert x[x > 3].shape == (3,)
        counts.append(simulator.tables()["descs"])
    assert len(set(counts[1:])) == 1
