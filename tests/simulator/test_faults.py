"""Planned failures (simulator.faults)."""

from __future__ import annotations

import json
from pathlib import Path
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
        ("acl.media.dvpp_malloc", (64,), (0, 500000)),
        ("acl.media.dvpp_free", (0,), 500000),
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


API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
HERE = [name for name, facts in API.items() if facts["tier"] in ("core", "extra", "rare")]
KINDS: dict[str, type] = {"int": int, "float": float, "str": str, "list": list, "dict": dict}
CODE = 507899


def find(acl: Any, name: str) -> Any:
    for part in name.split(".")[1:]:
        acl = getattr(acl, part, None)
    return acl


@pytest.mark.parametrize("name", HERE)
def test_every_function_fails_in_its_own_shape(acl: ModuleType, name: str) -> None:  # PY-6, PY-7, PY-13
    facts = API[name]
    original = find(acl, name)
    if facts["return_shape"] == "none" or name in ("acl.data_type_size", "acl.float16_to_float", "acl.float_to_float16"):
        with pytest.raises(ValueError, match="can't fail"):
            acl.faults.plan(name)
        return
    with acl.faults.plan(name, code=CODE) as plan:
        arguments = [0] * len(facts["params"])
        if name.startswith("acl.util.") and not facts["returns"][-1].startswith("ret:") and "thread" not in name:
            with pytest.raises(ValueError, match=r"convert .* failed"):
                find(acl, name)(*arguments)
            result = None
        else:
            result = find(acl, name)(*arguments)
    assert plan.fired == 1 and find(acl, name) is original
    returns = [text.partition(":")[::2] for text in facts["returns"]]
    if facts["return_shape"] == "tuple" and result is not None:
        assert type(result) is tuple and len(result) == len(returns)
        for (word, kind), value in zip(returns, result, strict=True):
            assert value == CODE if word == "ret" else value is None or isinstance(value, KINDS[kind.partition("|")[0]]), word
    elif returns[0][0] == "ret":
        assert result == CODE
    else:
        assert result in (0, -1, "", None, 0xFFFFFFFF)


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
