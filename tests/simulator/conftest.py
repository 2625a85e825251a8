"""Every test of the simulator starts in a fresh simulated process on the default machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import test_rule_coverage

from ascendtensor import simulator


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of files that cite rules of pyACL's behaviour."""
    citing = {path for path in test_rule_coverage.files() if test_rule_coverage.cited(path)} | {Path(test_rule_coverage.__file__)}
    for item in items:
        if item.path in citing:
            item.add_marker("conformance")


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
