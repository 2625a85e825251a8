"""Recording what is launched, running from finished models, and the mode "each-run"."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.compiler import batch, builder, recorded
from ascendtensor.launch.dynamic import DynamicPlan
from ascendtensor.launch.registry import HandleRegistry
from ascendtensor.launch.static import StaticPlan
from ascendtensor.nn import functional as F
from ascendtensor.ops import basic
from ascendtensor.runtime import device as devices
from ascendtensor.simulator import online
from ascendtensor.simulator.engine.matching import TABLE

SOC = "Ascend910B1"

Process = Callable[[], None]


@pytest.fixture
def another_process(cache: HandleRegistry) -> Process:
    """The library and the simulator as in a new process."""

    def start() -> None:
        devices.shutdown()
        simulator.new_process()
        cache.clear()

    return start


def finish(operators: Path, models: Path) -> None:
    outcome = batch.compile_into(models, recorded.read([operators]).descriptions, builder("simulated", SOC))
    assert not outcome.failures


# Recording


def test_every_operator_launched_is_recorded_once(cache: HandleRegistry, tmp_path: Path) -> None:
    x = at.ones(3)
    x + x  # its plan is at hand when recording begins
    with at.op_models.record(tmp_path / "ops") as recording:
        for _ in range(3):
            x + x
        x * 2
    x - x
    assert recording.signatures == ["Add(float[3], float[3]) -> float[3]", "Mul(float[3], float[]) -> float[3]"]
    assert len(recording) == 2 and not recording.skipped and "2 operators" in repr(recording)
    files = sorted((tmp_path / "ops").iterdir())
    assert [path.name.partition("_")[0] for path in files] == ["Add", "Mul", "manifest.json"]
    (add,) = json.loads(files[0].read_text())
    assert add["op"] == "Add" and [desc["shape"] for desc in add["input_desc"]] == [[3], [3]]
    digests = {description.digest() for description in recorded.read(files[:2]).descriptions}
    assert set(json.loads(files[2].read_text())["operators"]) == digests


def test_dynamic_models_and_constants_are_recorded(cache: HandleRegistry, tmp_path: Path) -> None:
    with at.op_models.record(tmp_path) as recording:
        for length in range(1, 12):
            at.from_numpy(np.ones(length, np.float32)).exp()
        at.ones(2, 3).sum(1)
        at.nonzero(at.ones(2, 3))
    exact = [text for text in recording.signatures if text.startswith("Exp(float[") and "?" not in text]
    assert len(exact) == 8 and "Exp(float[?], base=-1.0, scale=1.0, shift=0.0) -> float[?]" in recording.signatures
    assert any(text.startswith("ReduceSum(float[2, 3], int64[1]=[1]") for text in recording.signatures)
    assert any(text.startswith("NonZero(float[?, ?]") for text in recording.signatures)


def test_runs_add_to_what_was_recorded(cache: HandleRegistry, tmp_path: Path) -> None:
    with at.op_models.record(tmp_path):
        at.ones(3).exp()
    with at.op_models.record(tmp_path) as again:
        at.ones(3).log()
    assert len(again) == 2  # Fill once more, and Log
    assert {item.op_type for item in recorded.read([tmp_path]).descriptions} == {"Fill", "Exp", "Log"}
    assert len(json.loads((tmp_path / "manifest.json").read_text())["operators"]) == 3


def test_other_threads_and_nested_recordings_are_heard(cache: HandleRegistry, tmp_path: Path) -> None:
    with at.op_models.record(tmp_path / "a") as outer:
        with at.op_models.record(tmp_path / "b") as inner:
            thread = threading.Thread(target=lambda: at.ones(2).exp())
            thread.start()
            thread.join()
        at.ones(2).log()
    assert [text.partition("(")[0] for text in inner.signatures] == ["Fill", "Exp"]
    assert [text.partition("(")[0] for text in outer.signatures] == ["Fill", "Exp", "Log"]


def test_an_error_ends_the_recording_but_keeps_it(cache: HandleRegistry, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), at.op_models.record(tmp_path):
        at.ones(2).exp()
        raise ZeroDivisionError
    at.ones(2).log()
    assert not cache.recorders
    assert {item.op_type for item in recorded.read([tmp_path]).descriptions} == {"Fill", "Exp"}
    assert (tmp_path / "manifest.json").exists()


def test_a_directory_that_cannot_be_made_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), at.op_models.record(tmp_path / "file"):
        pytest.fail("not reached")


# Finished models


def network(x: at.NPUTensor) -> Any:
    h = F.relu(x @ x.T + 1)
    return F.softmax(h, -1).sum(0), x[1:, ::2].clone(), at.nonzero(h > 5), at.cat([x, x])


def test_finished_models_serve_what_was_recorded(another_process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with at.op_models.record(tmp_path / "ops"):
        expected = [result.tolist() for result in network(at.from_numpy(x))]
    finish(tmp_path / "ops", tmp_path / "models")
    another_process()
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "unknown")  # nobody asks
    assert [result.tolist() for result in network(at.from_numpy(x))] == expected
    assert simulator.op.set_model_dir(str(tmp_path / "ops")) == 0, "left to the user (OM-1)"


def test_a_missing_signature_is_named(another_process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at.op_models.record(tmp_path / "ops"):
        at.ones(3) + 1
    finish(tmp_path / "ops", tmp_path / "models")
    another_process()
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(tmp_path / "models"))
    x = at.ones(3)
    with pytest.raises(at.CompileError) as raised:
        x.sum(0)
    text = str(raised.value)
    assert text.startswith("sum: no operator model for ReduceSum(float[3], int64[1]=[0], keep_dims=False) -> float[]")
    assert '"const_value": [0]' in text and '{"name": "keep_dims", "type": "bool", "value": false}' in text
    assert (x + 1).tolist() == [2, 2, 2], "the others go on"


def test_a_dynamic_model_serves_where_no_exact_one_is(another_process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at.op_models.record(tmp_path / "ops"):
        for length in range(1, 12):
            at.from_numpy(np.ones(length, np.float32)).exp()
    finish(tmp_path / "ops", tmp_path / "models")
    another_process()
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(tmp_path / "models"))
    for length, kind in ((3, StaticPlan), (700, DynamicPlan), (8, StaticPlan), (9, DynamicPlan)):
        assert at.from_numpy(np.zeros(length, np.float32)).exp().tolist() == [1.0] * length
        plan = list(at.handle_cache.plans.values())[-1].core
        assert isinstance(plan, kind)
    assert at.handle_cache.info().loaded_models == 3


# The basic set


@pytest.fixture(scope="module")
def basic_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("basic")
    assert not batch.compile_into(directory, basic.descriptions(), builder("simulated", SOC), 2).failures
    return directory


@pytest.fixture
def only_the_basic_set(another_process: Process, basic_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    another_process()
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(basic_models))


def test_the_basic_set_has_some_eighty_operators() -> None:
    assert len(basic.rows()) == len(set(basic.rows()))
    models = basic.descriptions()
    assert len({model.op_type for model in models}) == 81 == len({row.op_type for row in basic.rows()})
    assert len({model.digest() for model in models}) == len(models) > 1000


def test_no_constant_is_left_in_the_basic_set() -> None:
    assert not [str(model) for model in basic.descriptions() for tensor in model.inputs if tensor.const is not None]


@pytest.mark.parametrize("dtype", [at.float32, at.float16], ids=str)
def test_an_ordinary_program_runs_from_the_basic_set(only_the_basic_set: None, dtype: at.dtype) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((5, 7)).astype(np.float32)
    x, w, b = (at.tensor(v, dtype=dtype) for v in (values, rng.random((7, 6), np.float32), rng.random(6, np.float32)))
    h = F.relu(x @ w + b) * 0.5
    logits = F.layer_norm(h - h.mean(dim=-1, keepdim=True), (6,)) / 2
    loss = F.cross_entropy(logits, at.tensor([0, 1, 2, 3, 4]))
    assert loss.shape == () and 1 < float(loss) < 4
    p = F.softmax(logits, dim=-1)
    np.testing.assert_allclose(p.sum(-1).numpy(), 1, rtol=1e-2)
    assert p.argmax(1).shape == (5,) and p.max(1)[0].shape == (5,) and p.topk(2)[1].shape == (5, 2)
    assert (p > 0.2).sum().item() == int((p.numpy() > 0.2).sum())
    assert x[1:, ::2].T.contiguous().tolist() == x.numpy()[1:, ::2].T.tolist()
    x[0] = 0
    x[:, 1] = x[:, 2]
    assert x[0].tolist() == [0.0] * 7 and x[at.tensor([1, 2])].shape == (2, 7) and x[x > 0.5].ndim == 1
    assert at.cat([x, x]).shape == (10, 7) and at.stack([b, b], 1).shape == (6, 2)
    assert at.where(x > 0.5, x, 0.0).shape == x.shape and x.masked_fill(x > 0.5, 1.0).max().item() <= 1
    assert x.clamp(0.2, 0.4).sort()[0].shape == x.shape and (x.nonzero().shape[1] == 2)
    assert at.arange(5).tolist() == [0, 1, 2, 3, 4] and (at.arange(5) // 2 % 2).tolist() == [0, 0, 1, 1, 0]
    assert at.rand(3).shape == (3,) and at.randn(2, 3).shape == (2, 3)
    assert x.cumsum(0).shape == x.shape and x.gather(1, at.zeros((5, 2), dtype=at.int64)).shape == (5, 2)
    y = x.clone()
    y -= 0.1 * x
    y **= 2
    assert (y == y).all().item() and not at.isnan(y).any().item() and F.gelu(y).shape == y.shape


@pytest.mark.parametrize("shape", [(3,), (2, 9), (2, 1, 5), (3, 1, 2, 4)], ids=str)
def test_the_basic_set_serves_any_shape(only_the_basic_set: None, shape: tuple[int, ...]) -> None:
    x = at.ones(shape) * 2
    assert (x + x / 4 - 1).sum().item() == pytest.approx(1.5 * x.numel())
    assert x.reshape(-1).sum(0, keepdim=True).shape == (1,)
    for dim in range(len(shape)):
        assert x.sum(dim).shape == shape[:dim] + shape[dim + 1 :] and F.softmax(x, dim).shape == shape
        assert x.argmax(dim).shape == x.max(dim)[1].shape


# Each run


@pytest.fixture
def each_run(cache: HandleRegistry) -> Iterator[HandleRegistry]:
    with at.op_models.mode("each-run"):
        yield cache


def test_results_are_those_of_handles(cache: HandleRegistry) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = [result.tolist() for result in network(at.from_numpy(x))]
    with at.op_models.mode("each-run"):
        assert [result.tolist() for result in network(at.from_numpy(x))] == expected
        assert cache.info().handles == 0 and cache.info().loaded_models > 0


@pytest.mark.parametrize("again", [False, True])
def test_ordinary_launches_go_on_behind_the_mode(again: bool, cache: HandleRegistry) -> None:
    # OM-20: a compiler inside the process has dynamic models matched first, and what ran without handle has no bytes for one made later.
    at.relu(at.ones(2))
    if again:
        at.shutdown()
        simulator.new_process()
    with at.op_models.mode("each-run"):
        at.relu(at.ones(3))
    for size in range(1, 20):
        assert at.relu(at.ones(size)).tolist() == [1.0] * size
        assert at.exp(at.zeros(size)).tolist() == [1.0] * size
    cache.clear()
    for size in range(1, 20):
        assert at.exp(at.zeros(size)).tolist() == [1.0] * size


def test_the_mode_is_a_function_and_a_context_manager(cache: HandleRegistry) -> None:
    assert at.op_models.get_mode() == "compiled"
    at.op_models.mode("each-run")
    assert at.op_models.get_mode() == "each-run"
    with at.op_models.mode("compiled") as mode:
        assert at.op_models.get_mode() == "compiled" and repr(mode) == "<op_models.mode('compiled')>"
    assert at.op_models.get_mode() == "each-run"
    at.op_models.mode("compiled")
    with pytest.raises(ZeroDivisionError), at.op_models.mode("each-run"):
        raise ZeroDivisionError
    assert at.op_models.get_mode() == "compiled"
    with pytest.raises(ValueError, match="'fast' is unknown"):
        at.op_models.mode("fast")


def test_numbers_make_no_model_each(each_run: HandleRegistry) -> None:
    # HOST_COMPILE_INDEPENDENT is never part of a model (OM-27).
    x = at.ones(4)
    x * 0.5
    built = online.Compiled.count
    for number in range(100):
        assert (x * number).tolist() == [number] * 4
    assert online.Compiled.count == built


def test_numbers_and_values_stay_on_the_host(each_run: HandleRegistry) -> None:
    x = at.arange(10000.0).reshape(50, 200)
    before = at.memory_stats()["to_device"]
    x + 1, x[1:, ::2].clone(), at.rand(3)
    assert at.memory_stats()["to_device"] == before and at.memory_stats()["scalars"] == 0
    models = [*TABLE.of_type("Add"), *TABLE.of_type("AsStrided")]
    placements = {model.op_type: [spec.placement for spec in model.inputs] for model in models}
    assert placements == {"Add": [0, 2], "AsStrided": [0, 1, 1, 1]}  # the tiling of AsStrided reads its values


def test_exact_dims_are_read_back(each_run: HandleRegistry) -> None:
    # OP-13: written into the output description by compileAndExecuteV2.
    x = at.tensor([[1.0, 0, 2], [0, 0, 3]])
    assert x.nonzero().tolist() == [[0, 0], [0, 2], [1, 2]]
    assert x[x > 1].tolist() == [2, 3]
    assert at.unique(at.tensor([3, 1, 3])).tolist() == [1, 3]


def test_each_run_works_in_place_and_into_out(each_run: HandleRegistry) -> None:
    x, out = at.ones(3), at.zeros(3)
    x += 2
    at.add(x, x, out=out)
    assert x.tolist() == [3] * 3 and out.tolist() == [6] * 3


def test_integers_that_do_not_fit_are_refused(each_run: HandleRegistry) -> None:
    with pytest.raises(ValueError, match="300 does not fit int8"):
        at.zeros(2, dtype=at.int8) + 300
    assert (at.zeros(2, dtype=at.int8) + 3).tolist() == [3, 3]


def test_no_data_buffer_of_a_host_value_is_left(each_run: HandleRegistry) -> None:
    x = at.ones(3)
    x * 1
    before = simulator.tables()["buffers"]
    for number in range(200):
        x * number
    assert simulator.tables()["buffers"] <= before + 4


def test_what_each_run_refuses_is_an_error_with_the_function(each_run: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    x = at.ones(3)
    monkeypatch.setattr(online, "_compile", lambda *args: (_ for _ in ()).throw(simulator.engine.AclFault(500002, "no kernel")))
    with pytest.raises(at.AclError, match=r"aclopCompileAndExecuteV2 returned ACL_ERROR_GE_FAILURE \(500002\)") as raised:
        x.exp()
    assert raised.value.where == "exp"
    assert "no kernel" in raised.value.acl_message


def test_a_placement_that_is_refused_once_is_named_and_loses_nothing(each_run: HandleRegistry) -> None:
    x = at.ones(3)
    with (
        simulator.faults.plan("acl.set_tensor_place_ment", code=100000),
        pytest.raises(at.AclError, match="set_tensor_place_ment") as raised,
    ):
        x * 2
    assert raised.value.where == "mul"
    assert (x * 2).tolist() == [2, 2, 2]


def test_recording_works_in_this_mode_too(each_run: HandleRegistry, tmp_path: Path) -> None:
    with at.op_models.record(tmp_path) as recording:
        at.ones(3) * 2
    assert recording.signatures[-1] == "Mul(float[3], float[]) -> float[3]"


def test_threads_launch_in_this_mode(each_run: HandleRegistry) -> None:
    results: list[list[float]] = []

    def work(number: int) -> None:
        x = at.full((8,), float(number))
        for _ in range(20):
            x = x * 1.0 + 1
        results.append(x.tolist())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [[number + 20.0] * 8 for number in range(4)]


def test_each_run_works_on_a_board(board: None, cache: HandleRegistry) -> None:
    with at.op_models.mode("each-run"):
        x = at.arange(6.0).reshape(2, 3)
        assert (x[:, 1:] * 2 + 1).tolist() == [[3, 5], [9, 11]] and x.nonzero().shape == (5, 2)
