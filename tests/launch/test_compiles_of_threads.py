"""A compile keeps nobody waiting but those who want that very model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor.compiler.simulated import SimulatedCompiler
from ascendtensor.launch.registry import handle_cache


class Gate:
    """Holds up the compiles of one operator type until it is opened.

    Attributes:
        compiled: Operator types in the order of their compiles.
    """

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.error: Exception | None = None
        self.compiled: list[str] = []

    def watch(self, descriptions: Sequence[Any]) -> None:
        for description in descriptions:
            self.compiled.append(description.op_type)
            if description.op_type == self.op_type:
                self.reached.set()
                assert self.opened.wait(30)
                if self.error is not None:
                    raise self.error


@pytest.fixture
def gate(new_process: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Of the operator Erf; nothing is compiled or loaded before."""
    monkeypatch.setenv("ASCENDTENSOR_CACHE", "off")
    handle_cache.clear()
    handle_cache._loaded.clear()
    handle_cache.variants.clear()
    gate = Gate("Erf")
    original = SimulatedCompiler.build
    monkeypatch.setattr(SimulatedCompiler, "build", lambda self, items: (gate.watch(items), original(self, items))[1])
    yield gate
    gate.opened.set()


def started(body: Any) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(body())
        except Exception as error:
            found.append(error)

    worker = threading.Thread(target=run)
    worker.start()
    return worker, found


def test_another_signature_does_not_wait(gate: Gate) -> None:
    x = at.ones(3, 5)
    worker, found = started(lambda: at.erf(x).shape)
    assert gate.reached.wait(30)
    assert (x * 2).sum().item() == 30.0  # two misses, compiled meanwhile
    assert (x * 2).tolist() == [[2.0] * 5] * 3  # and a plan that was at hand
    assert at.acl_cast(x, at.float16).dtype is at.float16
    assert at.handle_cache.info().size >= 2 and worker.is_alive() and not found
    gate.opened.set()
    worker.join(30)
    assert found == [(3, 5)]
    assert at.handle_cache.info().compile_seconds > 0


def test_the_same_signature_is_compiled_once(gate: Gate) -> None:
    x = at.ones(4)
    workers = [started(lambda: at.erf(x).shape) for _ in range(4)]
    assert gate.reached.wait(30)
    gate.opened.set()
    for worker, found in workers:
        worker.join(30)
        assert found == [(4,)]
    assert gate.compiled.count("Erf") == 1


def test_a_compile_that_fails_is_an_error_of_each_call_and_can_be_tried_again(gate: Gate) -> None:
    gate.error = at.CompileError("no kernel today")
    x = at.ones(4)
    workers = [started(lambda: at.erf(x).shape) for _ in range(2)]
    assert gate.reached.wait(30)
    gate.opened.set()
    for worker, found in workers:
        worker.join(30)
        assert isinstance(found[0], at.CompileError) and "erf: no kernel today" in str(found[0]) and "float32[4]" in str(found[0])
    gate.error = None
    assert at.erf(x).shape == (4,)


def test_shutting_down_meanwhile_loses_nothing(gate: Gate) -> None:
    x = at.ones(4)
    worker, found = started(lambda: at.erf(x).shape)
    assert gate.reached.wait(30)
    at.shutdown()
    gate.opened.set()
    worker.join(30)
    assert found[0] == (4,) or isinstance(found[0], at.AscendTensorError)
    assert at.erf(at.ones(4)).shape == (4,)
