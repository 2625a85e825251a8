"""The handle registry: what it counts, keeps, evicts and destroys. Rule numbers are those of the notes on CANN's behaviour."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.compiler import TensorDescription
from ascendtensor.launch.registry import HandleRegistry, handle_cache
from ascendtensor.launch.static import BinaryPlan
from ascendtensor.ops.table import elementwise, movement
from ascendtensor.runtime import desc


def handles() -> int:
    """Op handles that pyACL holds."""
    return simulator.tables()["handles"]


def settle(cache: HandleRegistry) -> None:
    """Let the work run, forget the launches remembered for error texts (they hold plans), bury what is dead: mark, wait, destroy."""
    at.synchronize()
    cache.bury()
    at.synchronize()
    cache.bury()


def matrix(rows: int, columns: int = 3) -> Any:
    return at.from_numpy(np.ones((rows, columns), np.float32))


def test_hits_misses_models_and_sizes_are_counted(cache: HandleRegistry) -> None:
    a = matrix(2)
    for _ in range(5):
        a + a
    info = cache.info()
    assert (info.hits, info.misses, info.evictions, info.size, info.handles, info.loaded_models) == (4, 1, 0, 1, 1, 1)
    assert info.compile_seconds > 0 and info.dynamic_launches == 0 and info.capacity == 1024
    a * a
    assert cache.info()[:2] == (4, 2)
    assert cache.launches() == {"Add": 5, "Mul": 1}


def test_clear_forgets_plans_and_counters_but_no_model(cache: HandleRegistry) -> None:
    a = matrix(2)
    for _ in range(3):
        a + a
    cache.clear()
    info = cache.info()
    assert (info.hits, info.misses, info.size, info.loaded_models, info.compile_seconds) == (0, 0, 0, 1, 0)
    assert not cache.launches()
    np.testing.assert_array_equal((a + a).numpy(), np.full((2, 3), 2))
    assert cache.info()[:2] == (0, 1) and cache.info().loaded_models == 1


def test_an_evicted_plan_is_made_again_without_loading(cache: HandleRegistry) -> None:
    cache.resize(1)
    a = matrix(2)
    a + a
    a * a
    a + a
    info = cache.info()
    assert (info.evictions, info.size, info.misses, info.loaded_models) == (2, 1, 3, 2)


def test_counters_outlive_the_plans_that_counted(cache: HandleRegistry) -> None:
    a = matrix(2)
    for _ in range(5):
        a + a
    cache.resize(1)
    a * a
    a - a
    assert cache.launches() == {"Add": 5, "Mul": 1, "Sub": 1}
    assert cache.info()[:3] == (4, 3, 2)


def test_second_chance_keeps_what_is_in_use(cache: HandleRegistry) -> None:
    cache.resize(4)
    a = matrix(2)
    for _ in range(3):
        a + a
    for size in range(3, 13):
        row = matrix(size)
        row * row
        a + a
    assert cache.info().misses == 11, "the plan of a + a was evicted although it was in use"
    assert cache.info().size == 4


def test_the_plan_just_made_is_never_the_one_evicted(cache: HandleRegistry) -> None:
    cache.resize(3)
    a, fresh = matrix(2), matrix(5)
    for _ in range(3):  # every plan has earned its second chance
        a + a
        a * a
        a - a
    fresh + fresh
    before = cache.info().misses
    fresh + fresh
    assert cache.info().misses == before and cache.info().hits == 3 * 2 + 1


def test_resize_evicts_down_to_the_capacity_and_refuses_less_than_one(cache: HandleRegistry) -> None:
    for size in range(1, 7):
        row = matrix(size)
        row + row
    cache.resize(2)
    assert cache.info().size == 2 and cache.info().evictions == 4
    with pytest.raises(ValueError, match="at least 1"):
        cache.resize(0)


def test_a_handle_is_destroyed_only_after_the_work_that_uses_it(cache: HandleRegistry) -> None:
    # The simulator's streams defer: without a synchronising call the queued additions have not run.
    a = matrix(2)
    results = [a + a for _ in range(20)]
    at.current_stream().recent.clear()  # the launches remembered for error texts hold their plans too
    assert handles() == 1
    cache.resize(1)
    other = matrix(3)
    other + other
    assert cache.info().size == 1
    at.current_stream().recent.clear()
    assert handles() == 2, "the queue is not done, so the evicted handle lives"
    settle(cache)
    assert handles() == 1
    for result in results:
        np.testing.assert_array_equal(result.numpy(), np.full((2, 3), 2))


def test_many_evictions_leave_no_more_handles_than_the_capacity(cache: HandleRegistry) -> None:
    cache.resize(8)
    for _ in range(3):
        for rows in range(1, 8):
            for op in (at.add, at.mul, at.sub):
                op(matrix(rows), matrix(rows))
    settle(cache)
    assert handles() == cache.info().handles <= 8


def test_handles_that_a_failing_mark_could_not_bury_are_not_lost(cache: HandleRegistry) -> None:
    a = matrix(2)
    a + a
    at.synchronize()
    with simulator.faults.plan("acl.rt.record_event", code=507000), pytest.raises(at.AclError, match=r"acl\.rt\.record_event"):
        cache.clear()
    assert handles() == 1
    settle(cache)
    assert handles() == 0


def test_a_failing_query_destroys_no_handle_twice(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    destroyed: list[int] = []
    original = simulator.op.destroy_handle
    monkeypatch.setattr(simulator.op, "destroy_handle", lambda handle: destroyed.append(handle) or original(handle))
    for rows in range(1, 5):
        matrix(rows) + matrix(rows)
    at.synchronize()
    with simulator.faults.plan("acl.rt.query_event_status", code=507000), pytest.raises(at.AclError, match="query_event_status"):
        cache.clear()
    at.shutdown()
    assert len(destroyed) == len(set(destroyed)) == 4


def test_a_plan_that_outlives_shutdown_holds_no_live_handle(cache: HandleRegistry) -> None:
    a = matrix(2)
    a + a
    (plan,) = cache.plans.values()
    assert isinstance(plan, BinaryPlan)
    at.shutdown()
    assert handles() == 0
    with pytest.raises(at.ClosedError):
        plan.launch(a, a)
    b = matrix(2)
    b + b
    del plan  # must not destroy a handle of the new generation
    cache.bury()
    np.testing.assert_array_equal((b + b).numpy(), np.full((2, 3), 2))


def test_the_key_holds_dtype_shape_arguments_constants_and_device(cache: HandleRegistry) -> None:
    def misses(*bodies: Any) -> int:
        before = cache.info().misses
        for body in bodies:
            body()
        return cache.info().misses - before

    a, b = matrix(2), matrix(4)
    i = at.from_numpy(np.ones((2, 3), np.int32))
    far = at.tensor([[1.0, 1.0, 1.0]] * 2, device="npu:1")
    assert misses(lambda: a + a, lambda: b + b, lambda: i + i, lambda: far + far, lambda: a + a) == 4
    assert misses(lambda: at.sum(a, 0), lambda: at.sum(a, 1), lambda: at.sum(a, 1, True), lambda: at.sum(a, 0)) == 3
    assert misses(lambda: a + 1, lambda: a + 2, lambda: a + 1.5, lambda: a + True) == 3  # by the number's type: they promote differently


def test_two_devices_share_a_model_but_no_handle(cache: HandleRegistry) -> None:
    for device in ("npu:0", "npu:1"):
        a = at.tensor([1.0, 2.0], device=device)
        assert (a + a).tolist() == [2.0, 4.0]
    assert cache.info().loaded_models == 1 and cache.info().handles == 2


def test_plans_follow_the_default_dtype(cache: HandleRegistry) -> None:
    i = at.tensor([1, 2, 3])
    assert (i / i).dtype is at.float32 and (i * 0.5).dtype is at.float32
    try:
        at.set_default_dtype(at.float16)
        assert (i / i).dtype is at.float16 and (i * 0.5).dtype is at.float16
        assert at.mean(i * 0.5).dtype is at.float16
        launches = cache.launches()
    finally:
        at.set_default_dtype(at.float32)
    assert cache.launches() == launches, "the counters outlive the plans"
    assert (i / i).dtype is at.float32


def test_nothing_is_launched_over_no_elements_where_other_sizes_took_the_short_way(cache: HandleRegistry) -> None:
    for rows in range(1, 14):
        at.sum(at.ones(rows, 3), 0)
    launches = cache.launches()["ReduceSum"]
    assert at.sum(at.ones(0, 3), 0).tolist() == [0.0] * 3
    assert at.sum(at.ones(3, 0), 0).shape == (0,)
    assert cache.launches()["ReduceSum"] == launches


def test_descriptions_that_differ_by_format_are_two() -> None:
    device = at.zeros(1).device
    dense, image = (TensorDescription(0, (1, 2, 3, 4), format) for format in (2, 0))
    with handle_cache.lock:
        assert desc.shared(device, dense) is desc.shared(device, dense) is not desc.shared(device, image)
        assert desc.shared_as(device, dense, (1, 2, 3, 5)) is not desc.shared_as(device, image, (1, 2, 3, 5))


def test_plans_of_sizes_that_were_never_seen_follow_the_default_dtype_too(cache: HandleRegistry) -> None:
    for rows in range(1, 14):
        assert at.sqrt(at.ones(rows, 3, dtype=at.int32)).dtype is at.float32
    assert cache.moulds
    try:
        at.set_default_dtype(at.float64)
        assert at.sqrt(at.ones(20, 3, dtype=at.int32)).dtype is at.float64
    finally:
        at.set_default_dtype(at.float32)


def test_counters_of_dynamic_and_of_empty_plans_outlive_them(cache: HandleRegistry) -> None:
    for rows in range(1, 14):
        at.exp(at.ones(rows, 3))
    at.exp(at.ones(0, 3))
    before, launches = cache.info(), cache.launches()
    assert before.dynamic_launches == 10 and launches["Exp"] == 13
    cache.forget_plans()
    assert cache.info().dynamic_launches == 10 and cache.launches() == launches


def test_a_model_that_is_not_found_any_longer_is_loaded_once_more(cache: HandleRegistry) -> None:
    # OM-11: a model may age away; 100024 then comes from create_handle, and from execute_v2 for a dynamic one.
    a = matrix(2)
    a + a
    mask = at.tensor([True, False])
    x = at.tensor([1.0, 2.0])
    x[mask]
    at.synchronize()
    loaded = cache.info().loaded_models
    at.shutdown()
    simulator.new_process()
    a = matrix(2)
    np.testing.assert_array_equal((a + a).numpy(), np.full((2, 3), 2))
    assert at.tensor([1.0, 2.0])[at.tensor([True, False])].tolist() == [1.0]
    assert cache.info().loaded_models == loaded


def test_handles_find_their_own_models_in_a_new_process_where_a_dynamic_one_runs_first(cache: HandleRegistry) -> None:
    def added(size: int) -> None:
        assert (at.ones(size) + at.ones(size)).tolist() == [2.0] * size

    for size in range(1, 20):
        added(size)
    assert cache.info().dynamic_launches
    at.shutdown()
    simulator.new_process()
    for size in (19, *range(1, 20)):
        added(size)


def test_a_dynamic_model_that_is_not_found_any_longer_is_loaded_once_more(cache: HandleRegistry) -> None:
    def body() -> Any:
        return at.tensor([1.0, 2.0, 3.0])[at.tensor([True, False, True])].tolist()

    assert body() == [1.0, 3.0]
    with simulator.faults.plan("acl.op.execute_v2", code=100024) as fault:
        assert body() == [1.0, 3.0]
    assert fault.fired == 1
    with simulator.faults.plan("acl.op.execute_v2", code=100024, repeat=True), pytest.raises(at.OperatorNotFoundError):
        body()
    assert body() == [1.0, 3.0]


def test_create_handle_that_finds_no_model_twice_is_an_error(cache: HandleRegistry) -> None:
    a = matrix(2)
    with simulator.faults.plan("acl.op.create_handle", code=100024) as fault:
        assert float((a + a)[0, 0]) == 2
    assert fault.fired == 1
    said = r"mul: .*\n.*operands: float32\[2, 3\][\s\S]*create_handle[\s\S]*100024"
    with simulator.faults.plan("acl.op.create_handle", code=100024, repeat=True), pytest.raises(at.OperatorNotFoundError, match=said):
        a * a
    assert float((a * a)[0, 0]) == 1


def test_threads_that_miss_together_make_one_plan(cache: HandleRegistry) -> None:
    a = matrix(7)
    at.synchronize()
    barrier = threading.Barrier(8)
    results: list[Any] = []

    def work() -> None:
        barrier.wait()
        for _ in range(50):
            results.append(a + a)
        at.synchronize()

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    info = cache.info()
    assert (info.misses, info.loaded_models, info.handles, info.size) == (1, 1, 1, 1)
    assert len(results) == 400 and all(float(result[0, 0]) == 2 for result in results[::40])


def test_eviction_while_other_threads_launch(cache: HandleRegistry) -> None:
    # A capacity far below what is in use: every thread evicts the others' plans all the time.
    cache.resize(3)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(60):
                rows = int(rng.integers(1, 7))
                x = at.from_numpy(np.full((rows, 2), seed, np.float32))
                for op, expected in ((at.add, 2 * seed), (at.mul, seed * seed), (at.sub, 0)):
                    assert np.all(op(x, x).numpy() == expected)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 7)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures, failures[0]
    assert cache.info().size <= 3


def test_a_reduction_over_nothing_fills_also_what_out_names(cache: HandleRegistry) -> None:
    empty = at.empty(0, 3)
    assert at.sum(empty, 0).tolist() == [0.0, 0.0, 0.0]
    target = at.full((3,), 7.0)
    assert at.sum(empty, 0, out=target) is target
    assert target.tolist() == [0.0, 0.0, 0.0]
    assert at.prod(empty, 0).tolist() == [1.0, 1.0, 1.0]


def test_empty_results_reach_no_operator(cache: HandleRegistry) -> None:
    # OP-1: pyACL would return at once; nothing is compiled for them either.
    empty = at.empty(0, 3)
    with simulator.faults.plan("acl.op.execute_with_handle", code=500000, repeat=True):
        assert (empty + empty).shape == (0, 3)
        assert at.sum(empty, 1).shape == (0,)
        assert (empty.T @ at.empty(0, 0)).shape == (3, 0)
        empty += 1
    assert cache.info().loaded_models == 0 and not cache.launches(), "no operator was launched"


def test_rows_are_told_apart_by_identity_not_by_type(cache: HandleRegistry) -> None:
    assert elementwise.ADD != elementwise.SUB and hash(movement.CLONE) != hash(movement.FILL)
