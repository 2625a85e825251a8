"""Every test of the simulator starts in a fresh simulated process on the default machine."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from ascendtensor import simulator


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    simulator.faults.clear()
    simulator.new_process()
    simulator.configure()
    yield
    simulator.faults.clear()
    simulator.new_process()
    simulator.configure()


@pytest.fixture
def acl() -> ModuleType:
    """The module, initialised, with device 0 set."""
    assert simulator.init() == 0
    assert simulator.rt.set_device(0) == 0
    return simulator
