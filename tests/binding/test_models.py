"""The calls of `acl.mdl`: plain positional arguments in pyACL's order, results without the code, errors that name the call."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ascendtensor import errors
from ascendtensor.acl import binding, models

API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
RECORDS: dict[str, Any] = {
    "get_input_dims": {"name": "x", "dimCount": 4, "dims": [1, -1, -1, 3]},
    "get_input_dims_v2": {"name": "x", "dimCount": 4, "dims": [1, -1, -1, 1]},
    "get_output_dims": {"name": "y", "dimCount": 1, "dims": [2]},
    "get_cur_output_dims": {"name": "y", "dimCount": 1, "dims": [2]},
    "get_input_dims_range": {"rangeCount": 1, "range": [[1, 8]]},
    "get_dynamic_batch": {"batchCount": 2, "batch": [1, 2]},
    "get_dynamic_hw": {"hwCount": 1, "hw": [[4, 6]]},
    "get_input_dynamic_dims": [{"name": "", "dimCount": 1, "dims": [3]}],
}


class FakeMdl:
    """`acl.mdl`: checks numbers and kinds of arguments, records the calls, and answers `code`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.code = 0
        self.handle = 4096
        for name, facts in API.items():
            if name.startswith("acl.mdl."):
                setattr(self, name[8:], self.function(name[8:], facts))

    def function(self, name: str, facts: dict[str, Any]) -> Any:
        kinds = [param.partition(":")[2] for param in facts["params"]]
        types = {"int": int, "str": str, "dict": dict}

        def fake(*args: Any) -> Any:
            assert [type(arg) for arg in args] == [types[kind] for kind in kinds], f"{name}{args}"
            self.calls.append((name, args))
            results = [self.code if item == "ret:int" else self.answer(name, item.partition(":")[2]) for item in facts["returns"]]
            return results[0] if facts["return_shape"] == "scalar" else tuple(results)

        return fake

    def answer(self, name: str, kind: str) -> Any:
        if name in RECORDS:
            return RECORDS[name]
        if name.startswith("get_num_"):
            return 1
        return {"int": self.handle, "str": "x"}[kind]


@pytest.fixture
def mdl(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMdl]:
    fake = FakeMdl()
    module = SimpleNamespace(mdl=fake, get_recent_err_msg=lambda: "said by ACL")
    monkeypatch.setattr(binding, "_acl", module)
    yield fake


FUNCTIONS = {
    name: function
    for name, function in vars(models).items()
    if inspect.isfunction(function) and function.__module__ == models.__name__ and not name.startswith("_")
}


def arguments(function: Any) -> list[Any]:
    samples: dict[Any, Any] = {int: 7, str: "input", list[int]: [3, 4]}
    return [samples[parameter.annotation] for parameter in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_calls_are_plain_and_a_code_becomes_an_error(mdl: FakeMdl, name: str) -> None:
    FUNCTIONS[name](*arguments(FUNCTIONS[name]))
    assert mdl.calls
    mdl.code = 145003
    with pytest.raises(errors.AclError) as caught:
        mdl.handle = 0  # what answers no code answers no handle
        FUNCTIONS[name](*arguments(FUNCTIONS[name]))
    assert caught.value.function.startswith("acl.mdl.") and "said by ACL" in str(caught.value)


def test_arguments_stand_in_pyacls_order(mdl: FakeMdl) -> None:
    models.load_from_mem_with_mem(1, 2, 3, 4, 5, 6)
    models.execute_async(1, 2, 3, 4)
    models.set_dynamic_hw_size(1, 2, 3, 4, 5)
    models.set_dataset_tensor_desc(1, 2, 3)
    assert [args for _, args in mdl.calls] == [(1, 2, 3, 4, 5, 6), (1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 2, 3)]


def test_records_become_lists(mdl: FakeMdl) -> None:
    assert models.tensors(9, "input") == [("x", 4096, 4096, 4096, [1, -1, -1, 3])]
    mdl.handle = 4  # uint8
    assert models.tensors(9, "input") == [("x", 4, 4, 4, [1, -1, -1, 1])]
    assert models.rows_of_image(9, 0, 8) == 12
    assert models.ranges(9, 0) == [(1, 8)]
    assert (models.dynamic_batch(9), models.dynamic_hw(9), models.dynamic_dims(9)) == ([1, 2], [[4, 6]], [[3]])
    del mdl.get_input_dims_range  # documents of pyACL have it from CANN 8.5 on
    assert models.ranges(9, 0) == []
    models.set_input_dynamic_dims(1, 2, 3, [4, 5])
    assert mdl.calls[-1] == ("set_input_dynamic_dims", (1, 2, 3, {"name": "", "dimCount": 2, "dims": [4, 5]}))


def test_a_dataset_that_cannot_be_filled_is_destroyed(mdl: FakeMdl) -> None:
    mdl.code = 100000
    with pytest.raises(errors.AclError, match="add_dataset_buffer"):
        models.create_dataset([1])
    assert mdl.calls[-1] == ("destroy_dataset", (4096,))
