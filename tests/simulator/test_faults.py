"""Planned failures (simulator.faults)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from ascendtensor.simulator.engine import contexts, streams


def test_the_nth_call_fails_in_the_functions_own_shape(acl: ModuleType) -> None:
    original = acl.rt.malloc
    plan = acl.faults.plan("acl.rt.malloc", nth=2, code=207001)
    assert acl.rt.malloc(8, 0)[1] == 0
    assert acl.rt.malloc(8, 0) == (0, 207001)
    assert "planned fault" in (acl.get_recent_err_msg() or "")
    assert acl.rt.malloc(8, 0)[1] == 0
    assert (plan.calls, plan.fired) == (3, 1)
    acl.faults.clear()
    assert acl.rt.malloc is original


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("acl.init", (), 500000),
        ("acl.create_data_buffer", (0, 0), 0),
        ("acl.create_tensor_desc", (0, [1], 2), 0),
        ("acl.op.create_attr", (), 0),
        ("acl.rt.get_mem_info", (1,), (0, 0, 500000)),
        ("acl.rt.event_elapsed_time", (0, 0), (0.0, 500000)),
        ("acl.rt.stream_query", (0,), (0xFFFF, 500000)),
        ("acl.op.create_handle", ("Add", [], [], 0), (0, 500000)),
        ("acl.op.execute_with_handle", (0, [], [], 0), 500000),
        ("acl.op.execute_v2", ("Add", [], [], [], [], 0, 0), 500000),
    ],
)
def test_shapes(acl: ModuleType, name: str, arguments: tuple[Any, ...], result: object) -> None:
    path = name.split(".")[1:]
    with acl.faults.plan(name) as plan:
        found: Any = acl
        for part in path:
            found = getattr(found, part)
        assert found(*arguments) == result
    assert plan.fired == 1


def test_plans_end_with_their_block_and_may_be_stacked_and_repeated(acl: ModuleType) -> None:
    original = acl.rt.free
    with acl.faults.plan("acl.rt.free", nth=1, code=1):
        with acl.faults.plan("acl.rt.free", nth=2, code=2, repeat=True):
            assert [acl.rt.free(0) for _ in range(4)] == [1, 2, 2, 2]
        assert acl.rt.free(0) == 100000
    assert acl.rt.free is original


def test_unknown_functions_and_functions_without_code_are_refused(acl: ModuleType) -> None:
    for name in ("acl.rt.nothing", "rt.malloc", "acl.nothing.malloc", "acl.destroy_tensor_desc", "acl.op.destroy_handle"):
        with pytest.raises(ValueError):
            acl.faults.plan(name)
    with pytest.raises(ValueError, match="nth"):
        acl.faults.plan("acl.rt.malloc", nth=0)


def test_a_kernel_fails_asynchronously_on_its_nth_run(acl: ModuleType) -> None:  # RT-48
    seen: list[int] = []

    def launch(number: int) -> None:
        streams.enqueue(contexts.stream_for(0), *streams.task_for("Add", seen.append, (number,)))

    with acl.faults.kernel("Add", nth=2, code=507011) as plan:
        for number in range(3):
            launch(number)
        assert acl.rt.synchronize_stream(0) == 507011
        assert "operator Add" in (acl.get_recent_err_msg() or "")
    assert seen == [0, 2]
    assert plan.fired == 1
    assert streams.task_for("Add", int, ()) == (int, ())
