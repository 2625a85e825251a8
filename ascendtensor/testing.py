"""A pytest plugin for programs over pyACL or over this library: a fresh simulated process, planned faults, a report of what was left.

Installed with the package (entry point `pytest11`); `pytest -p no:ascendtensor` leaves it away.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from . import simulator
from .acl import chooser
from .runtime import device as devices
from .runtime.process import state
from .simulator.engine import diagnostics

LEAKS = "ascend_leaks"
"""The fixture that `--ascend-leaks` gives every test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--ascend-leaks`."""
    group = parser.getgroup("ascendtensor", "Ascend NPUs, simulated")
    group.addoption(
        "--ascend-leaks", action="store_true", help="give every test the fixture ascend_leaks, which fails for what was left behind"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the fixture to every test function, first, so that it is torn down last."""
    if config.getoption("--ascend-leaks"):
        for item in items:
            if isinstance(item, pytest.Function) and LEAKS not in item.fixturenames:
                item.fixturenames.insert(0, LEAKS)


def _renew() -> None:
    simulator.faults.clear()
    devices.shutdown()
    state.config = None
    simulator.new_process()


@pytest.fixture
def ascend_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The simulator, which stands for `acl`, as in a new process: without loaded models, `set_model_dir`, contents of acl.json. The library
    uses it too, whatever ASCENDTENSOR_BACKEND says.
    """
    monkeypatch.setenv(chooser.VARIABLE, "simulator")
    _renew()
    yield simulator
    _renew()


@pytest.fixture
def ascend_machine(ascend_process: ModuleType) -> Iterator[Callable[..., None]]:
    """`ascend_machine(devices=, memory=, soc=, run_mode=, queue=)` gives the test another simulated machine."""

    def choose(**settings: object) -> None:
        devices.shutdown()
        simulator.configure(**settings)  # type: ignore[arg-type]

    yield choose
    _renew()
    simulator.configure()


@pytest.fixture
def ascend_faults() -> Iterator[ModuleType]:
    """`simulator.faults`: `plan("acl.rt.malloc", nth=2, code=207001)`, `kernel("Add")`. Every plan ends with the test."""
    simulator.faults.clear()
    yield simulator.faults
    simulator.faults.clear()


@pytest.fixture
def ascend_leaks(ascend_process: ModuleType) -> Iterator[None]:
    """Fails after the test for what the simulator noticed in it and for what is alive when the library is shut down, with the lines of
    Python that made it.
    """
    traced = diagnostics.Tracing.on
    simulator.trace()
    yield
    simulator.faults.clear()
    gc.collect()
    try:
        devices.shutdown()
    finally:
        found = _left()
        if not traced:
            simulator.trace(False)
    if found:
        pytest.fail("\n  ".join(["left behind or misused:", *found]), pytrace=False)


def _left() -> list[str]:
    """What was noticed and what is alive, each thing once: what was alive at `acl.finalize` is among the findings too."""
    return list({(each.kind, each.text): str(each) for each in simulator.report()}.values())
