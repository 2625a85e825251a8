"""Whole models over many batches: what is in flight, what waits for what, and what is shown meanwhile."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_program import X, Y, convert, linear, linear_reference, save, value
from onnx import TensorProto, helper

import ascendtensor as at
from ascendtensor import errors, simulator
from ascendtensor.compiler import progress


@pytest.fixture(scope="module")
def gather(folder: Path) -> Path:
    """A model that fails for indices above 3."""
    inputs, table = [value("i", [2], TensorProto.INT64)], np.arange(4, dtype=np.float32)
    nodes = [helper.make_node("Gather", ["table", "i"], ["y"], "g")]
    return convert(save(folder / "gather.onnx", nodes, inputs, [value("y", [2])], [("table", table)]), folder / "gather")


def runs_of(model: at.models.Model) -> list[int]:
    """Fills up with one entry for each run that was really computed."""
    found: list[int] = []
    session = simulator.engine.whole_models.MODELS[model._held.model].session
    original = session.run
    session.run = lambda *places: (found.append(1), original(*places))[1]
    return found


# What is in flight


def test_results_are_read_while_the_next_batch_runs(model: at.models.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator.engine.streams, "SLICE", 0)  # or asking whether a stream is idle would run a part of it
    runs = runs_of(model)
    outputs = model.map([X, X * 2, X * 3], in_flight=2)
    for number in (1, 2, 3):
        assert np.allclose(next(outputs).numpy(), linear_reference(X * number))
        assert len(runs) == number  # the copy to the host waited for its own run, not for those behind it
    assert simulator.findings() == []


def test_a_result_does_not_wait_for_what_is_queued_behind_its_run(model: at.models.Model) -> None:
    runs, stream = runs_of(model), at.Stream()
    first = model.run_async(X, stream=stream)
    with stream:
        x = at.ones(4)
        for _ in range(4 * simulator.engine.streams.SLICE):  # asking whether a stream is idle runs a part of it
            x = x + 1
    second = model.run_async(X * 2, stream=stream)
    y = first.result()
    assert len(runs) == 1
    assert np.allclose(second.result().numpy(), linear_reference(X * 2)) and np.allclose(y.numpy(), Y) and len(runs) == 2


def test_large_batches_are_copied_while_the_one_before_runs(folder: Path) -> None:
    rows = 100_000  # above what is staged: the copy waits for its stream
    path = convert(linear(folder / "large.onnx"), folder / "large", input_shape=f"x:{rows},4")
    with at.models.load(path) as model:
        runs = runs_of(model)
        x = np.ones((rows, 4), np.float32)
        next(model.map([x, x, x], in_flight=3))
        assert len(runs) == 1
    assert simulator.findings() == []


def test_tensors_that_are_written_meanwhile(model: at.models.Model) -> None:
    x = at.zeros(2, 4)

    def batches() -> Iterator[Any]:
        for number in range(5):
            x.copy_(at.tensor(X * number))
            yield x

    for number, y in enumerate(model.map(batches(), in_flight=3)):
        assert np.allclose(y.numpy(), linear_reference(X * number))
    assert simulator.findings() == []


def test_a_function_for_each_batch(model: at.models.Model) -> None:
    seen: list[Any] = []
    assert model.for_each([X, X * 2, X[:1]], lambda y: seen.append(y.numpy()), in_flight=2) == 3
    assert [np.allclose(y, linear_reference(x)) for x, y in zip((X, X * 2, X[:1]), seen, strict=True)] == [True] * 3
    with pytest.raises(errors.DTypeError, match="function"):
        model.for_each([X], None)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        model.for_each([X], lambda y: 1 // 0)
    assert np.array_equal(model(X).numpy(), Y)


def test_many_in_flight_share_four_streams(model: at.models.Model) -> None:
    before = simulator.tables()["streams"]
    for _ in range(2):
        assert len(list(model.map([X] * 9, in_flight=9))) == 9
        assert simulator.tables()["streams"] == before + 4, "a second map takes the same"


@pytest.mark.parametrize("in_flight", [0, 2.5, "2", True])
def test_numbers_in_flight(model: at.models.Model, in_flight: Any) -> None:
    if in_flight is True:
        assert len(list(model.map([X, X], in_flight=in_flight))) == 2
        return
    with pytest.raises((errors.ValueRangeError, errors.DTypeError), match="in_flight"):
        model.map([X], in_flight=in_flight)
    with pytest.raises(errors.DTypeError, match="iterable"):
        model.map(None)  # type: ignore[arg-type]


def test_a_batch_that_fails_is_told_by_its_own_result(gather: Path) -> None:
    good, bad = np.array([0, 1], np.int64), np.array([0, 9], np.int64)
    with at.models.load(gather) as model:
        outputs = model.map([good, bad, good], in_flight=3)
        assert next(outputs).numpy().tolist() == [0, 1]
        with pytest.raises(errors.AclError, match="out of data bounds"):
            next(outputs)
        assert next(outputs).numpy().tolist() == [0, 1]
        pending = model.run_async(bad)
        assert isinstance(pending.exception(), errors.AclError)
        assert model.run_async(good).exception() is None


@pytest.mark.parametrize("how", ["for", "async for"])
def test_results_before_a_batch_that_is_refused_are_given(model: at.models.Model, how: str) -> None:
    found: list[Any] = []

    async def run() -> None:
        async for y in model.map([X, X * 2, np.ones((3, 4), np.float32), X], in_flight=4):
            found.append(y.numpy())

    with pytest.raises(errors.ShapeError, match=r"not \[3, 4\]"):
        if how == "async for":
            asyncio.run(run())
        else:
            for y in model.map([X, X * 2, np.ones((3, 4), np.float32), X], in_flight=4):
                found.append(y.numpy())
    assert [np.allclose(y, linear_reference(x)) for x, y in zip((X, X * 2), found, strict=True)] == [True, True]


def test_results_before_an_error_of_the_iterable_are_given(model: at.models.Model) -> None:
    def batches() -> Iterator[Any]:
        yield X
        raise KeyError("mine")

    outputs = model.map(batches(), in_flight=3)
    assert np.array_equal(next(outputs).numpy(), Y)
    with pytest.raises(KeyError, match="mine"):
        next(outputs)
    assert list(outputs) == []


def test_a_stream_of_another_device_is_refused(model: at.models.Model) -> None:
    with pytest.raises(errors.DeviceError, match="npu:1"):
        model.run_async(X, stream=at.Stream("npu:1"))
    with pytest.raises(errors.DTypeError, match="Stream"):
        model.run_async(X, stream="s")  # type: ignore[arg-type]


# What is shown


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("how", ["for", "async for", "break", "off"])
def test_progress_on_a_terminal(model: at.models.Model, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    for name in ("PATIENCE", "INTERVAL"):
        monkeypatch.setattr(progress, name, 0.0)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    if how == "off":
        monkeypatch.setenv(progress.VARIABLE, "off")
    else:
        monkeypatch.setattr(progress, "_place", progress._Terminal)

    async def run() -> int:
        return len([y async for y in model.map([X] * 3)])

    if how == "async for":
        assert asyncio.run(run()) == 3
    else:
        for _ in model.map([X] * 3):
            if how == "break":
                break
    lines = [text.partition(",")[0] for text in screen.getvalue().split("\r\x1b[K")]
    steps = {"break": 1, "off": 0}.get(how, 3)
    assert lines == ["", *(f"ascendtensor: batches of net {count + 1}/3" for count in range(steps)), *[""] * bool(steps)]


# Times


def test_a_profile_needs_no_inputs(model: at.models.Model, folder: Path) -> None:
    assert model.profile(repeat=2)["mean"] >= 0
    with pytest.raises(errors.ValueRangeError, match="repeat"):
        model.profile(X, repeat=0)
    with at.models.load(convert(linear(folder / "g.onnx"), folder / "gears", input_shape="x:-1,4", dynamic_batch_size="1,8,4")) as made:
        assert made.profile(repeat=1)["least"] >= 0
    with (
        at.models.load(convert(linear(folder / "o.onnx"), folder / "open", input_shape="x:1~64,4")) as made,
        pytest.raises(errors.ValueRangeError, match="open shapes"),
    ):
        made.profile()
