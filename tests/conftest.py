"""What every test gets: the simulator as backend, a compiler cache of its own, and the check that nothing was left behind."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator

import pytest
import test_rule_coverage
from hypothesis import settings

_CACHE = tempfile.mkdtemp(prefix="ascendtensor-tests-")
# Set before the package is imported, and inherited by the processes that tests start.
os.environ["ASCENDTENSOR_BACKEND"] = "simulator"
os.environ["ASCENDTENSOR_CACHE_DIR"] = _CACHE
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs with SIGINT ignored, and processes that tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

from ascendtensor import generators, simulator  # noqa: E402
from ascendtensor.runtime import device as devices  # noqa: E402
from ascendtensor.simulator.engine import diagnostics  # noqa: E402

# No deadline: a busy machine must not fail a property. The same examples in every run: a change lands by what it changes, not by luck.
settings.register_profile("ascendtensor", deadline=None, derandomize=True)
# Other examples in every run: pytest --hypothesis-profile=explore
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("ascendtensor")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps the collector of garbage off what pytest knows of twenty thousand tests: they live to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(_CACHE, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.option.markexpr == "conformance":
        terminalreporter.section("rules of pyACL's behaviour, and the tests that cite them")
        for line in test_rule_coverage.coverage():
            terminalreporter.write_line(line)


def leftovers() -> dict[str, int]:
    """The simulator's tables that are not empty."""
    return {name: count for name, count in simulator.tables().items() if count}


@pytest.fixture(autouse=True)
def fresh_simulator() -> Iterator[None]:
    """Shuts the library down after each test and checks that the simulator holds nothing of it any more; draws are the same in every run.

    Tests that call the simulator without the library clean up themselves.
    """
    before = devices.generation()
    diagnostics.State.findings.clear()  # those of tests before, which differ from worker to worker
    generators._generators.seed_all(generators.DEFAULT_SEED)
    yield
    simulator.faults.clear()
    used = devices.is_initialized() or devices.generation() != before
    try:
        devices.shutdown()
        if used:
            assert leftovers() == {}, "left in the simulator after shutdown()"
    finally:
        if used and leftovers():
            simulator.new_process()


def _begin_again() -> None:
    devices.shutdown()
    simulator.new_process()


@pytest.fixture
def new_process() -> Iterator[None]:
    """The simulator as in a new process, before the test and after it: without loaded models, `set_model_dir`, contents of acl.json."""
    _begin_again()
    yield
    _begin_again()


@pytest.fixture
def machine() -> Iterator[Callable[..., None]]:
    """`machine(devices=, memory=, soc=, run_mode=, queue=)` gives the test another simulated machine."""

    others = False  # whether models of another chip may be loaded, which stay so for a process

    def choose(**settings: object) -> None:
        nonlocal others
        devices.shutdown()
        if "soc" in settings:
            others = True
            simulator.new_process()
        simulator.configure(**settings)

    yield choose
    devices.shutdown()
    if others or leftovers():
        simulator.new_process()
    simulator.configure()


@pytest.fixture
def board(machine: Callable[..., None]) -> None:
    """A machine of run mode DEVICE: the program runs on the board, host and device share the memory (RT-15)."""
    machine(run_mode="device")
