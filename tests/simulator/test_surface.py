"""The simulator's functions beside the list of pyACL's: names, numbers and types of parameters, shapes of results (PY-1 .. PY-7, K1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ascendtensor import simulator

API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
MODULES = ("acl", "acl.rt", "acl.op", "acl.blas", "acl.util", "acl.prof", "acl.mdl", "acl.media")
CORE = sorted(name for name, facts in API.items() if facts["tier"] == "core" and name.rpartition(".")[0] in MODULES)
HERE = sorted(name for name in API if name.rpartition(".")[0] in MODULES)
CHAPTERS = {"blas", "mdl", "media", "op", "prof", "rt", "util"}
ADDED = (
    CHAPTERS | {"configure", "faults", "install", "new_process", "tables"} | {"KernelLaunch", "kernel", "kernel_binary", "register_kernel"}
)
ADDED |= {"memory_view", "model_bundle", "Finding", "Misuse", "findings", "leaks", "report", "strict", "trace"}
"""What the simulator has beside pyACL's functions."""

GOOD: dict[str, Any] = {"int": 0, "int|str": 0, "str": "", "float": 0.0, "list": [], "list of list": [], "object": None, "dict": {}}
WRONG: dict[str, tuple[Any, ...]] = {
    "int": (None, "1", b"1", 1.0, [], np.float32(1)),
    "str": (None, 1, b"text", "nul\0inside", "\ud800"),
    "int|str": (None, b"text", 1.0, []),
    "float": (None, "1.5", b"1.5", []),
    "list": (None, (), 0, "", np.zeros(2, np.int64), {}),
    "list of list": (None, (), 0, [()], [0]),
    "dict": (None, [], 0, ()),
    "callable": (None, 1, "f"),
}
LIST_VALUE_ERRORS = {f"acl.rt.{name}" for name in ("binary_load_from_data", "binary_load_from_file", "launch_kernel_with_config")}
LIST_VALUE_ERRORS |= {f"acl.rt.{name}" for name in ("ipc_mem_set_import_pid", "notify_batch_reset", "notify_set_import_pid")}
LIST_VALUE_ERRORS |= {"acl.rt.mem_set_pid_to_shareable_handle"}
"""Functions whose binding raises ValueError for anything but a list."""


PYTHONS_TEXT = {"acl.op.register_compile_func", "acl.rt.get_event_id", "acl.util.start_thread"}
"""Functions whose binding leaves the interpreter's own text."""


def kinds(name: str) -> list[str]:
    return [parameter.partition(":")[2].rstrip("?") for parameter in API[name]["params"]]


def find(name: str) -> Callable[..., Any] | None:
    module: Any = simulator
    for part in name.split(".")[1:]:
        module = getattr(module, part, None)
    return module if callable(module) else None


def arguments(name: str) -> list[Any]:
    special = {"callable": lambda *_: None, "bytes": b"data", "numpy.ndarray": np.zeros(2), "tuple": (1,)}
    return [special[kind] if kind in special else GOOD[kind] for kind in kinds(name)]


def test_every_function_is_there() -> None:
    assert [name for name in HERE if find(name) is None] == []
    assert len(CORE) > 100 and len(HERE) > 320


@pytest.mark.parametrize("chapter", sorted(CHAPTERS))
def test_dir_lists_exactly_what_the_module_has(chapter: str) -> None:
    assert dir(getattr(simulator, chapter)) == sorted(name.rpartition(".")[2] for name in API if name.startswith(f"acl.{chapter}."))


def test_dir_of_the_module_itself() -> None:
    assert dir(simulator) == sorted(simulator.__all__)
    assert CHAPTERS | {name[len("acl.") :] for name in HERE if name.count(".") == 1} <= set(dir(simulator))


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_invented(module: str) -> None:  # PY-9: no acl.op.compile and its like
    owner: Any = simulator if module == "acl" else getattr(simulator, module[4:])
    names = simulator.__all__ if module == "acl" else dir(owner)
    known = {name.rpartition(".")[2] for name in API if name.rpartition(".")[0] == module} | (ADDED if module == "acl" else set())
    assert sorted(set(names) - known) == []
    if module == "acl.op":
        assert not {"compile", "compile_and_execute", "set_compile_flag", "set_compile_opt"} & set(vars(owner))


@pytest.mark.parametrize("name", [name for name in HERE if find(name) is not None])
def test_results_have_the_shape_of_the_list(name: str, recwarn: pytest.WarningsRecorder) -> None:  # PY-6, PY-7
    facts = API[name]
    try:
        result = find(name)(*arguments(name))  # type: ignore[misc]
    except ValueError:
        of_batches = ("acl.media.dvpp_vpc_batch_crop_async", "acl.media.dvpp_vpc_batch_crop_and_paste_async")  # no regions
        assert name in ("acl.util.ptr_to_bytes", "acl.util.ptr_to_numpy", *of_batches)  # null: a board's program would crash
        return
    except RuntimeError:
        assert name == "acl.rt.get_group_info_detail"
        return
    except TypeError:
        assert name == "acl.mdl.set_input_dynamic_dims"  # a dict without "dims"
        return
    if facts["return_shape"] == "none":
        assert result is None
    elif facts["return_shape"] == "scalar":
        assert not isinstance(result, tuple)
        assert type(result) in (int, float, str, bytes, np.ndarray, type(None))
    else:
        assert type(result) is tuple and len(result) == len(facts["returns"])
        if facts["returns"][-1] == "ret:int":
            assert type(result[-1]) is int
    recwarn.clear()  # PY-15: the numpy functions warn


@pytest.mark.filterwarnings("ignore:argument 3 only support")  # PY-10
@pytest.mark.parametrize("name", [name for name in HERE if find(name) is not None and API[name]["params"]])
def test_numbers_and_types_of_arguments(name: str) -> None:  # PY-2, PY-3, PY-4, PY-5, K1, K2, K3
    fn: Any = find(name)
    good = arguments(name)
    optional = name in ("acl.init", "acl.mdl.set_dump", "acl.rt.set_exception_info_callback")
    text = "^function takes exactly" if name in PYTHONS_TEXT else r"^acl\.[\w.]+ (args )?parse faile?d!?($|: execute_with_handle)"
    for wrong in ([*good, 0], *([] if optional else [good[:-1]])):
        with pytest.raises(TypeError, match=text):
            fn(*wrong)
    first = API[name]["params"][0].partition(":")[0]
    with pytest.raises(TypeError):
        fn(*good[1:], **{first: good[0]})
    for index, kind in enumerate(kinds(name)):
        for value in WRONG.get(kind, ()):
            if name == "acl.rt.set_exception_info_callback" and value is None:
                continue
            if isinstance(value, np.ndarray) and name.startswith("acl.op.set_attr_list_"):  # PY-10
                continue
            nested = name == "acl.op.set_attr_list_list_int" and index == 2 and isinstance(value, list)
            with pytest.raises(ValueError if nested or (kind == "list" and name in LIST_VALUE_ERRORS) else TypeError):
                fn(*good[:index], value, *good[index + 1 :])


@pytest.mark.parametrize("name", [name for name in CORE if not API[name]["params"] and API[name]["returns"]])
def test_functions_without_parameters_ignore_arguments(acl: ModuleType, name: str) -> None:  # README of pyACL, section 1
    if name in ("acl.finalize", "acl.finalize_reference"):
        return
    find(name)(1, "two", None)  # type: ignore[misc]
