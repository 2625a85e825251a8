"""Every function of the binding hands pyACL the right plain positional arguments in its order, and turns codes into errors."""

import inspect
import json
import logging
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ascendtensor import errors
from ascendtensor.acl import advice, binding, module

API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))

PLAIN = {
    "int": (int,),
    "str": (str,),
    "float": (float,),
    "bytes": (bytes,),
    "list": (list,),
    "list of list": (list,),
    "callable": (object,),
    "object": (object,),
}


def check_plain(value: object) -> None:
    assert type(value) in (int, str, float, bytes, list), f"{value!r} is not a plain value (PY-3, PY-5)"
    if type(value) is list:
        for item in value:
            check_plain(item)


class FakeAcl:
    """A module with pyACL's functions: it checks the kinds of its arguments (PY-2), records them, and answers `code`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.code = 0
        self.result = 4096
        self.rt, self.op, self.util = SimpleNamespace(), SimpleNamespace(), SimpleNamespace()
        for name, facts in API.items():
            parts = name.split(".")[1:]
            owner = self if len(parts) == 1 else getattr(self, parts[0], None)
            if owner is not None:
                setattr(owner, parts[-1], self.function(name, facts))

    def function(self, name: str, facts: dict[str, Any]) -> Any:
        params = [param.split(":") for param in facts["params"]]
        least = sum(not kind.endswith("?") for _, kind in params)

        def fake(*args: object) -> object:
            assert least <= len(args) <= len(params), f"{name} takes {least} to {len(params)} arguments"
            for value, (_, kind) in zip(args, params, strict=False):
                assert isinstance(value, PLAIN[kind.rstrip("?")]), f"{name}: {value!r} for {kind}"
                if kind not in ("callable", "object"):
                    check_plain(value)
            if name != "acl.get_recent_err_msg":
                self.calls.append((name, args))
            results = [self.answer(item) for item in facts["returns"]]
            return None if not results else results[0] if facts["return_shape"] == "scalar" else tuple(results)

        return fake

    def answer(self, item: str) -> object:
        name, kind = item.split(":")
        if name == "ret":
            return self.code
        if name == "message":
            return "EH0001: said by ACL"
        return {"int": self.result, "str": "Ascend910B1", "float": 1.5, "list": [2, 9], "bytes": b"xy"}[kind]


@pytest.fixture
def acl(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAcl]:
    for name in ("_acl", "_rt", "_op", "_util", "_logged"):
        monkeypatch.setattr(binding, name, getattr(binding, name))
    fake = FakeAcl()
    binding.use(fake)  # type: ignore[arg-type]
    yield fake


NOT_CALLS = {"use", "module", "log_calls", "fail", "interpose", "get_tensor_desc_dims", "take_tensor_desc_dims"} | {
    "create_reusable_event",
    "blas",
    "create_blas_handle",
}
FUNCTIONS = {
    name: function
    for name, function in vars(binding).items()
    if inspect.isfunction(function) and function.__module__ == binding.__name__ and not name.startswith("_") and name not in NOT_CALLS
}


def arguments(function: Any) -> list[object]:
    """One argument of its type for every parameter, all of them different."""
    samples: list[object] = []
    for index, parameter in enumerate(inspect.signature(function).parameters.values()):
        kinds = {
            int: 100 + index,
            str: f"text{index}",
            float: 0.5 + index,
            bytes: b"bytes",
            list[int]: [index, 7],
            list[float]: [0.5, 1.0 * index],
            list[str]: [f"item{index}"],
            list[list[int]]: [[1, index], [2]],
            Callable[[object], None]: print,
            Callable[..., object]: print,
            object: "anything",
        }
        samples.append(kinds[parameter.annotation])
    return samples


def api_name(function: str) -> str:
    word = function.removeprefix("op_")
    places = [name for name in (f"acl.{word}", f"acl.rt.{word}", f"acl.op.{word}", f"acl.util.{word}") if name in API]
    assert len(places) == 1, f"{function} is {places} in pyACL"
    return places[0]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_arguments_arrive_in_pyacls_order(acl: FakeAcl, name: str) -> None:
    acl.result = 0 if name == "init" else acl.result
    function, given = FUNCTIONS[name], arguments(FUNCTIONS[name])
    function(*given)
    expected = api_name(name)
    if name == "get_recent_err_msg":
        return
    (called, args), *rest = acl.calls
    assert (called, rest) == (expected, [])
    assert list(args[: len(given)]) == given
    params = [param.split(":")[0] for param in API[expected]["params"]]
    for index, parameter in enumerate(inspect.signature(function).parameters):
        if parameter in params:
            assert params.index(parameter) == index, f"{parameter} is in another place in pyACL"


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if "ret:int" in API[api_name(name)]["returns"]))
def test_a_code_becomes_an_error_that_names_the_call(acl: FakeAcl, name: str) -> None:
    if name in ("peek_at_last_error", "get_last_error"):
        acl.code = 507015
        assert FUNCTIONS[name]() == 507015  # the code is the answer (RT-49)
        return
    acl.code = 100000
    with pytest.raises(errors.AclError) as caught:
        FUNCTIONS[name](*arguments(FUNCTIONS[name]))
    error = caught.value
    assert (error.function, error.code, error.name) == (api_name(name), 100000, "ACL_ERROR_INVALID_PARAM")
    assert error.acl_message == "EH0001: said by ACL" and error.acl_message in str(error)
    assert error.advice and error.advice in str(error)
    assert pickle.loads(pickle.dumps(error)).code == 100000


@pytest.mark.parametrize("name", ["create_tensor_desc", "create_data_buffer", "create_attr"])
def test_a_null_handle_is_an_error(acl: FakeAcl, name: str) -> None:
    acl.result = 0  # PY-6: these answer no code
    with pytest.raises(errors.AclError, match=f"{name} returned"):
        FUNCTIONS[name](*arguments(FUNCTIONS[name]))


def test_every_method_of_the_protocols_is_pyacls() -> None:
    chapters = {"acl.rt": module.AclRt, "acl.op": module.AclOp, "acl.mdl": module.AclMdl, "acl.util": module.AclUtil}
    for prefix, protocol in {"acl": module.Acl, **chapters}.items():
        methods = {name: value for name, value in vars(protocol).items() if inspect.isfunction(value) and not name.startswith("_")}
        for name, method in methods.items():
            facts = API[f"{prefix}.{name}"]
            signature = inspect.signature(method)
            assert len(signature.parameters) - 1 == len(facts["params"]), name
            assert all(p.kind is p.POSITIONAL_ONLY for p in signature.parameters.values()) or len(signature.parameters) == 1, name
            shape = facts["return_shape"]
            text = str(signature.return_annotation)
            assert text.startswith("tuple") == (shape == "tuple"), name
            assert (signature.return_annotation is None) == (shape == "none"), name


def test_init_says_who_owns_acl(acl: FakeAcl) -> None:
    assert binding.init() is True
    assert acl.calls == [("acl.init", ())]
    acl.code = 100002
    assert binding.init() is False
    acl.code = 100003
    with pytest.raises(errors.AclError, match="regular file"):
        binding.init("missing.json")


def test_queries_answer_whether_it_is_finished(acl: FakeAcl) -> None:
    # GEN-4: the recorded-event status has the opposite numbers of the others.
    for status, (query, opposite) in ((0, (True, False)), (1, (False, True))):
        acl.result = status
        assert binding.stream_query(1) is query
        assert binding.query_event(1) is query
        assert binding.query_event_wait_status(1) is query
        assert binding.query_event_status(1) is opposite


def test_classes_and_advice_go_by_code(acl: FakeAcl) -> None:
    acl.code = 207001
    with pytest.raises(errors.OutOfDeviceMemoryError, match="empty_cache"):
        binding.malloc(1, 0)
    acl.code = 100024
    with pytest.raises(errors.OperatorNotFoundError) as caught:
        binding.create_handle("Add", [1], [2], 3)
    assert isinstance(caught.value, NotImplementedError)
    acl.code = 507015
    with pytest.raises(errors.AclError, match="LAUNCH_BLOCKING"):
        binding.synchronize_stream(0)
    for code in (107001, 107002, 145000, 100000):
        acl.code = code
        with pytest.raises(errors.AclError) as other:
            binding.execute_with_handle(1, [], [], 0)
        assert other.value.advice
    assert advice.advice_for(107000, "acl.rt.free") != advice.advice_for(107000, "acl.rt.memcpy")


def test_all_dims_at_once_and_unknown_rank(acl: FakeAcl) -> None:
    acl.result = 2
    assert binding.get_tensor_desc_dims(9) == (2, 2)
    acl.result = binding.UNKNOWN_RANK_DIMS  # TD-8
    assert binding.get_tensor_desc_dims(9) == (-2,)


def test_dims_are_taken_and_the_bound_is_set_back(acl: FakeAcl) -> None:  # OP-13
    acl.result = 2
    assert binding.take_tensor_desc_dims(9, [4, 5]) == (2, 2)
    assert acl.calls == [
        ("acl.get_tensor_desc_dim_v2", (9, 0)),
        ("acl.get_tensor_desc_dim_v2", (9, 1)),
        ("acl.set_tensor_origin_shape", (9, [4, 5])),
    ]
    acl.code = 100000
    with pytest.raises(errors.AclError, match="get_tensor_desc_dim_v2"):
        binding.take_tensor_desc_dims(9, [4])
    with pytest.raises(errors.AclError, match="set_tensor_origin_shape"):
        binding.take_tensor_desc_dims(9, [])


def test_use_calls_nothing_and_a_patched_function_is_seen(acl: FakeAcl) -> None:
    assert acl.calls == []
    assert binding.module() is acl
    acl.rt.malloc = lambda size, policy: (0, 207001)
    with pytest.raises(errors.OutOfDeviceMemoryError):
        binding.malloc(8, 0)
    acl.op.execute_with_handle = lambda *args: 107003
    with pytest.raises(errors.AclError, match="RT_STREAM_CONTEXT"):
        binding.execute_with_handle(1, [2], [3], 4)


def test_without_a_module_every_call_says_so(acl: FakeAcl, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_acl", "_rt", "_op", "_util"):
        monkeypatch.setattr(binding, name, binding._NotChosen())
    with pytest.raises(errors.BackendError):
        binding.module()
    with pytest.raises(errors.BackendError, match="malloc"):
        binding.malloc(8, 0)


def test_calls_are_logged_at_debug_except_execution(acl: FakeAcl, caplog: pytest.LogCaptureFixture) -> None:
    assert binding.log_calls() is False
    with caplog.at_level(logging.DEBUG, logger="ascendtensor.acl"):
        assert binding.log_calls() is True
        binding.malloc(64, 0)
        binding.execute_with_handle(1, [2], [3], 0)
        binding.execute_v2("Add", [1], [2], [3], [4], 0, 0)
        binding.create_attr()
    assert caplog.messages == ["acl.rt.malloc(64, 0) -> 0", "acl.op.create_attr() = 4096"]
    caplog.clear()
    binding.log_calls(False)
    binding.malloc(64, 0)
    assert caplog.messages == []
