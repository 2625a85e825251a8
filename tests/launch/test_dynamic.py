"""Dynamic plans: one model for every shape of a signature. Situations of OP-12: (a) the shape is known, (b) only a bound of it is."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.acl import binding
from ascendtensor.compiler import Attribute, AttributeKind, Description, TensorDescription
from ascendtensor.launch import direct, variants
from ascendtensor.launch.dynamic import BoundedPlan, DynamicPlan
from ascendtensor.launch.registry import DEFAULT_CAPACITY, HandleRegistry
from ascendtensor.launch.static import Plan
from ascendtensor.ops import planning
from ascendtensor.runtime import attrs, desc


def plans(cache: HandleRegistry, kind: type[Plan]) -> list[Any]:
    return [entry.core for entry in cache.plans.values() if type(entry.core) is kind]


def warm(op: Any, count: int = 10) -> None:
    """Enough shapes for a signature to become dynamic."""
    for rows in range(1, count + 1):
        op(at.from_numpy(np.ones((rows, 3), np.float32)))


def test_a_changing_shape_runs_on_one_dynamic_model_with_exact_dims(cache: HandleRegistry) -> None:
    # Situation (a): the descriptions at execute hold the exact dims, never -1 (OM-21), and the call is queued.
    warm(lambda x: x + x)
    loaded = cache.info().loaded_models
    for rows in (50, 7000, 3):
        values = np.random.default_rng(rows).random((rows, 3)).astype(np.float32)
        x = at.from_numpy(values)
        np.testing.assert_array_equal((x + x).numpy(), values + values)
    assert cache.info().loaded_models == loaded == 9
    assert cache.info().dynamic_launches == 2 + 2  # 9, 10, 50, 7000 rows; 3 rows had an exact model
    assert len(plans(cache, DynamicPlan)) == 4


def test_exact_models_go_on_serving_their_shapes(cache: HandleRegistry) -> None:
    warm(lambda x: x * x)
    before = cache.info().dynamic_launches
    cache.clear()
    warm(lambda x: x * x, 8)
    assert cache.info().dynamic_launches == 0 and before == 2


def test_a_dynamic_launch_is_queued_not_waited_for(cache: HandleRegistry) -> None:
    warm(at.exp)
    x = at.ones(99, 3)
    at.synchronize()
    with simulator.faults.kernel("Exp"):
        result = at.exp(x)  # OP-18: the failure is not the launch's
        with pytest.raises(at.AclError, match="Exp"):
            at.synchronize()
    assert result.shape == (99, 3)
    assert at.exp(x * 0)[0, 0].item() == 1.0


def test_constants_that_keep_changing_become_device_inputs(cache: HandleRegistry) -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for shape in ((2, 3, 4), (4, 3, 2), (3, 2, 4), (6, 2, 2), (1, 4, 6), (4, 6, 1), (12, 1, 2), (2, 12, 1), (24, 1, 1), (1, 1, 24)):
        x = at.from_numpy(values.reshape(shape))
        for dim in range(3):
            np.testing.assert_array_equal(at.sum(x, dim).numpy(), values.reshape(shape).sum(dim))
    freed = [plan for plan in plans(cache, DynamicPlan) if plan.constants]
    assert freed, "the axes left the model"
    assert cache.info().loaded_models <= 12


@pytest.mark.parametrize("count", [0, 1, 4, 7])
def test_results_whose_size_depends_on_the_data(count: int, cache: HandleRegistry) -> None:
    # Situation (b): allocated for the upper bound, synchronous, the exact dims are read from a fresh description (OP-13).
    values = np.arange(7, dtype=np.float32)
    x = at.from_numpy(values)
    for bound in (count, 3, count):  # a smaller result first must not leave its size behind
        found = x[x < bound]
        assert found.shape == (bound,)
        np.testing.assert_array_equal(found.numpy(), values[values < bound])
        np.testing.assert_array_equal((found + 1).numpy(), values[values < bound] + 1)
    assert cache.info().dynamic_launches >= 3
    assert plans(cache, BoundedPlan)


def test_positions_of_what_is_not_zero(cache: HandleRegistry) -> None:
    values = np.array([[0, 2, 0], [3, 0, 4]], np.float32)
    x = at.from_numpy(values)
    expected = np.argwhere(values)
    for _ in range(2):
        np.testing.assert_array_equal(at.nonzero(x).numpy(), expected)
        assert at.nonzero(x * 0).shape == (0, 2)
    assert at.nonzero(at.empty(0, 3)).shape == (0, 2)


def test_a_data_dependent_result_may_come_from_another_stream(cache: HandleRegistry) -> None:
    side = at.Stream()
    x = at.ones(50)
    with at.stream(side):
        y = x * 3
    found = y[y > 2]
    assert found.shape == (50,) and found.sum().item() == 150.0


def test_calls_whose_results_depend_on_the_data_set_their_descriptions_back(cache: HandleRegistry) -> None:
    x = at.from_numpy(np.arange(7, dtype=np.float32))
    assert x[x < 3].shape == (3,) and x[x < 0].shape == (0,)
    with simulator.faults.plan("acl.create_tensor_desc", 1, 500001) as planned:  # none is made any more
        for bound in (7, 0, 2):
            assert x[x < bound].shape == (bound,)
    assert not planned.fired
    with simulator.faults.kernel("MaskedSelect"), pytest.raises(at.AclError):
        at.synchronize() if x[x < 3].shape == (7,) else None  # OP-13: nothing was written back
    assert x[x < 4].shape == (4,)
    (plan,) = plans(cache, BoundedPlan)
    one, other = plan.bounds.take(), plan.bounds.take()
    assert one != other  # two calls at once
    plan.bounds.give_back(other)
    plan.bounds.give_back(one)
    assert plan.bounds.take() is one


def test_each_dynamic_call_describes_exact_dims(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    warm(lambda x: x - x)
    seen: Counter[tuple[int, ...]] = Counter()
    original = simulator.op.execute_v2

    def spy(op_type: str, inputs: list[int], *rest: Any) -> Any:
        for handle in inputs:
            count, _ = simulator.get_tensor_desc_num_dims(handle), 0
            seen[tuple(simulator.get_tensor_desc_dim_v2(handle, index)[0] for index in range(count))] += 1
        return original(op_type, inputs, *rest)

    monkeypatch.setattr(simulator.op, "execute_v2", spy)
    x = at.from_numpy(np.ones((31, 3), np.float32))
    x - x
    assert seen == {(31, 3): 2}


def test_descriptions_of_dynamic_plans_go_with_them(cache: HandleRegistry) -> None:
    warm(lambda x: x + x, 30)
    assert simulator.tables()["descs"] >= 20  # input and output share theirs
    cache.clear()
    at.current_stream().recent.clear()
    at.synchronize()
    warm(lambda x: x + x, 9)  # making another one sweeps what was dropped
    assert simulator.tables()["descs"] <= 12


@pytest.mark.parametrize("name", ["acl.create_tensor_desc", "acl.set_tensor_const", "acl.op.create_attr"])
def test_a_plan_that_fails_half_made_gives_its_handles_back(name: str, cache: HandleRegistry) -> None:
    def body(rows: int) -> Any:
        return at.sum(at.from_numpy(np.ones((rows, 3), np.float32)), 0)

    for rows in range(1, 11):
        body(rows)
    before = simulator.tables()["descs"], simulator.tables()["attrs"]
    for nth in (1, 2, 3):
        try:
            with simulator.faults.plan(name, nth, 500001):
                body(100 + nth)
        except at.AclError as error:
            assert error.function == name
    cache.clear()
    at.current_stream().recent.clear()
    for rows in range(1, 11):
        body(rows)
    after = simulator.tables()["descs"], simulator.tables()["attrs"]
    assert after[0] <= before[0] + 3 and after[1] <= before[1] + 1


def test_in_place_and_out_go_through_dynamic_plans(cache: HandleRegistry) -> None:
    for rows in range(1, 14):
        x = at.from_numpy(np.ones((rows, 3), np.float32))
        x += x
        target = at.zeros(rows, 3)
        assert at.mul(x, x, out=target) is target
        np.testing.assert_array_equal(target.numpy(), np.full((rows, 3), 4, np.float32))
    assert cache.info().dynamic_launches >= 8


def test_plans_share_attributes_of_the_same_bits_only(cache: HandleRegistry) -> None:
    device = at.ones(1).device

    def shared(value: object, kind: AttributeKind = "float") -> attrs.KeptAttr:
        return attrs.shared(device, (Attribute("a", kind, value),))

    kept = [shared(0.0), shared(-0.0), shared(1.0), shared(1, "int"), shared(True, "bool")]
    assert len({id(each) for each in kept}) == len({each.handle for each in kept}) == 5
    assert shared(-0.0) is kept[1] and attrs.shared(device, ()) is not kept[0]


KINDS: dict[str, tuple[Any, Any]] = {
    "a sum": (lambda x: x + x, lambda a: a + a),
    "a column": (lambda x: x - x.sum(1, keepdim=True), lambda a: a - a.sum(1, keepdims=True)),
    "a number": (lambda x: x * 2.5, lambda a: a * np.float32(2.5)),
    "a product": (lambda x: x @ x.T.contiguous(), lambda a: a @ a.T),
    "a mean": (lambda x: x.mean(0), lambda a: a.mean(0)),
    "joined": (lambda x: at.cat([x, x + 1]), lambda a: np.concatenate([a, a + 1])),
    "two results": (lambda x: x.max(1)[1], lambda a: a.argmax(1)),
    "cast": (lambda x: (x * 10).to(at.int32), lambda a: (a * 10).astype(np.int32)),
    "compared": (lambda x: at.where(x > 0.5, x, 0.0), lambda a: np.where(a > 0.5, a, np.float32(0))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_that_were_never_seen_take_the_short_way(kind: str, cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    op, reference = KINDS[kind]
    for rows in range(2, 16):
        op(at.from_numpy(np.ones((rows, rows + 1), np.float32)))
    decided = []
    original = planning.Planner.decide
    monkeypatch.setattr(planning.Planner, "decide", lambda *call: decided.append(call) or original(*call))
    for rows, columns in ((40, 7), (3, 50), (1, 1), (5, 5)):
        values = np.random.default_rng(rows).random((rows, columns)).astype(np.float32)
        np.testing.assert_allclose(op(at.from_numpy(values)).numpy(), reference(values), rtol=1e-5)
    assert not decided
    if kind != "a mean":
        assert op(at.empty(0, 4)).shape == reference(np.ones((0, 4), np.float32)).shape


def test_axes_on_the_device_are_read_at_each_launch(cache: HandleRegistry) -> None:
    for dims in ((0,), (1,), (2,), (0, 1), (1, 2)):
        for rows in range(1, 9):
            at.sum(at.ones(rows, 2, 2), dims)
    values = np.arange(27, dtype=np.float32).reshape(3, 3, 3)
    x = at.from_numpy(values)
    for dim in (0, 1, 2, 1, 0, 2, 2, 0, 1):
        made = at.sum(x, dim)
        np.testing.assert_array_equal(made.numpy(), values.sum(dim))
        del made
    assert [plan for plan in plans(cache, DynamicPlan) if plan.constants]


def test_a_plan_of_other_sizes_says_what_it_launches(cache: HandleRegistry) -> None:
    warm(lambda x: x + x, 12)
    x = at.ones(77, 5)
    x + x
    (plan,) = [plan for plan in plans(cache, DynamicPlan) if plan.results[0].shape == (77, 5)]
    assert str(plan.description) == "Add(float[77, 5], float[77, 5]) -> float[77, 5]"
    with pytest.raises(AttributeError):
        plan.nothing  # noqa: B018


def test_what_does_not_fit_is_said_on_the_short_way_too(cache: HandleRegistry) -> None:
    y = at.ones(1, 3)
    warm(lambda x: x + y, 12)
    with pytest.raises(at.ShapeError, match=r"add: shapes \[2, 4\] and \[1, 3\] do not broadcast"):
        at.ones(2, 4) + y
    x = at.ones(30, 3)
    with simulator.faults.plan("acl.create_tensor_desc", 1, 500001), pytest.raises(at.AclError, match=r"(?s)add: .*create_tensor_desc"):
        x + y
    np.testing.assert_array_equal((x + y).numpy(), np.full((30, 3), 2, np.float32))


def test_a_recording_and_an_evicted_exact_model_get_their_due(cache: HandleRegistry, tmp_path: Path) -> None:
    warm(lambda x: x + x, 12)
    with at.op_models.record(tmp_path) as recording:
        x = at.ones(41, 3)
        x + x
    assert any(text.startswith("Add(float[?, ?]") for text in recording.signatures)
    warm(lambda x: x + x, 12)
    cache.resize(1)
    cache.resize(DEFAULT_CAPACITY)
    before = cache.info().dynamic_launches
    warm(lambda x: x + x, 8)
    assert cache.info().dynamic_launches == before


def test_after_shutdown_no_plan_is_made_of_an_old_one(cache: HandleRegistry) -> None:
    warm(lambda x: x + x, 12)
    old = at.ones(60, 3)
    at.shutdown()
    assert not cache.moulds
    with pytest.raises(at.ClosedError):
        old + old
    warm(lambda x: x + x, 12)


def test_operators_of_two_sizes_that_take_turns_use_the_blocks_that_came_back(cache: HandleRegistry) -> None:
    x = at.from_numpy(np.arange(400, dtype=np.float32).reshape(100, 4))
    rows = x[:, 0] % 8 == 0
    kept = x[rows]
    before = at.memory_stats()["allocations"]  # it sorts what came back into bins, out of which the next call takes two blocks
    for _ in range(10):
        kept = x[rows]
    assert kept.shape == (50, 4)
    assert at.memory_stats()["allocations"] <= before + 2


def test_repeats_on_the_device_are_told_their_exact_size(cache: HandleRegistry) -> None:
    # RepeatInterleave's kernel tells no size: its InferShape is given the repeats, and CANN takes it out of models that execute_v2 runs
    # first (trust_shape_on_out_tensor), so a bound would be written up to its end, and nothing is read back.
    x, repeats = at.tensor([1.0, 2.0, 3.0]), at.tensor([2, 0, 1])
    assert at.repeat_interleave(x, repeats).tolist() == [1.0, 1.0, 3.0]
    assert [plan.op_type for plan in plans(cache, DynamicPlan)] == ["RepeatInterleave"] and not plans(cache, BoundedPlan)
    with pytest.raises(ValueError, match="output_size is 2, but the repeats add up to 3"):
        at.repeat_interleave(x, repeats, output_size=2)


def test_what_ran_without_handle_is_known_of_every_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "MAX_FAMILIES", 1)
    known = variants.Variants()
    first, other, wide = (
        Description(name, (TensorDescription(0, shape),), (TensorDescription(0, shape),))
        for name, shape in (("Abs", (2,)), ("Exp", (2,)), ("Abs", (2, 2)))
    )
    known.runs_without_handle(first)
    assert [known.ran_without_handle(each) for each in (first, other, wide)] == [True, False, True]


def test_what_ran_without_handle_is_known_of_floats_that_are_close() -> None:  # ATTR-8: a call finds models of both
    known = variants.Variants()
    one, close, whole = (
        Description("Pinverse", (TensorDescription(0, (2, 2)),), (TensorDescription(0, (2, 2)),), (attr,))
        for attr in (Attribute("rcond", "float", 1e-7), Attribute("rcond", "float", 3e-7), Attribute("rcond", "int", 0))
    )
    known.runs_without_handle(one)
    assert [known.ran_without_handle(each) for each in (one, close, whole)] == [True, True, False]


def test_an_operator_of_too_many_kinds_counts_as_one() -> None:
    known, most = variants.Variants(), variants.MAX_KINDS
    kinds = [Description("Sum", (), (), (Attribute("axis", "int", number),)) for number in range(most + 10)]
    for kind in kinds[: most - 1]:
        known.runs_without_handle(kind)
    assert known.ran_without_handle(kinds[0]) and not known.ran_without_handle(kinds[-1])
    for kind in kinds[most - 1 : -1]:
        known.runs_without_handle(kind)
    assert all(map(known.ran_without_handle, kinds)) and sum(map(len, known._without_handle.values())) == most
    assert not known.ran_without_handle(Description("Mean", (), (), kinds[0].attrs))


def test_nothing_begins_to_run_without_handle_while_one_is_made(cache: HandleRegistry) -> None:  # HD-6
    tensors = (TensorDescription(0, (2,)),)
    description = Description("Abs", tensors, tensors)
    running: list[threading.Thread] = []

    def create() -> int:
        thread = threading.Thread(target=cache.runs_without_handle, args=(description,))
        running.append(thread)
        thread.start()
        thread.join(0.1)
        assert thread.is_alive() and not cache.variants.ran_without_handle(description)
        with attrs.made(()) as attr, desc.made(tensors) as given, desc.made(tensors) as results:
            return binding.create_handle("Abs", given, results, attr)

    at.abs(at.ones(2))
    handles = direct.Handles(cache)
    assert handles.get("key", description, create) is not None
    running[0].join()
    assert cache.variants.ran_without_handle(description)
    handles.clear()


def test_no_handle_of_the_ai_cpu_is_made_once_its_model_ran_without(cache: HandleRegistry) -> None:
    # Models of what the AI CPU runs are of any shape, so exact and dynamic ones are the same, and one that ran without handle has no bytes
    # left for handles that are made later (graph engine, OpExecutor::PrepareRt2Execute).
    warm(at.lgamma)
    at.synchronize()  # a stream remembers what was launched last
    cache.clear()
    for shape in ((3, 3), (20, 3), (1, 3), (7,)):
        at.lgamma(at.ones(shape))
    at.synchronize()
    assert cache.info().dynamic_launches == 4


def test_no_handle_is_made_too_late_of_what_the_ai_cores_kernel_leaves(cache: HandleRegistry) -> None:
    # The AI Core has a kernel for these dtypes, but its check_supported says no to known shapes (CANN 8.1.RC1, tbe,
    # impl/dynamic/scatter_elements.py), so their models are the AI CPU's, of any shape.
    def scattered(x: at.Tensor) -> at.Tensor:
        return at.scatter(x, 0, at.zeros((1, x.shape[1]), dtype=at.int64), at.ones((1, x.shape[1])))

    warm(scattered)
    at.synchronize()
    cache.clear()
    for shape in ((3, 3), (20, 3), (1, 3)):
        x = at.zeros(shape)
        assert scattered(x).tolist() == [[1.0] * 3] + [[0.0] * 3] * (shape[0] - 1)
    assert cache.info().dynamic_launches >= 3


@pytest.mark.parametrize(("soc", "to"), [("", "int8"), ("Ascend910A", "int64")])
def test_no_handle_is_made_too_late_of_casts_that_the_ai_cpu_does(
    cache: HandleRegistry, machine: Callable[..., None], soc: str, to: str
) -> None:
    # As above: dynamic/cast.py takes fewer pairs than the kernel's list has, which says float32 to int8. That of older chips has fewer.
    def cast(x: at.Tensor) -> Any:
        return x.to(getattr(at, to))

    if soc:
        machine(soc=soc)
    warm(cast)
    at.synchronize()
    cache.clear()
    for shape in ((3, 3), (20, 3), (1, 3)):
        assert cast(at.ones(shape)).tolist() == [[1] * 3] * shape[0]
    assert cache.info().dynamic_launches >= 3
