"""Operator attributes (ATTR, PY-10, PY-11, K6, K7, K85)."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ascendtensor.simulator.engine.tables import ATTRS


def stored(handle: int, name: str) -> Any:
    return ATTRS[handle].values[name]


def test_create_and_destroy(acl: ModuleType) -> None:  # ATTR-2, PY-6, PY-7
    handle = acl.op.create_attr()
    assert type(handle) is int and handle > 0
    assert acl.op.destroy_attr(handle) is None
    assert acl.op.destroy_attr(0) is None
    assert acl.tables()["attrs"] == 0


def test_every_type_is_stored_with_its_tag(acl: ModuleType) -> None:  # ATTR-1
    handle = acl.op.create_attr()
    assert acl.op.set_attr_bool(handle, "b", True) == 0
    assert acl.op.set_attr_int(handle, "i", -7) == 0
    assert acl.op.set_attr_float(handle, "f", 0.1) == 0
    assert acl.op.set_attr_string(handle, "s", "text") == 0
    assert acl.op.set_attr_data_type(handle, "d", 1) == (handle, 0)
    assert acl.op.set_attr_list_bool(handle, "lb", [0, 1, 255]) == 0
    assert acl.op.set_attr_list_int(handle, "li", [1, -2]) == 0
    assert acl.op.set_attr_list_float(handle, "lf", [0.5, math.inf]) == 0
    assert acl.op.set_attr_list_string(handle, "ls", ["a", ""]) == 0
    assert acl.op.set_attr_list_list_int(handle, "lli", [[1], [], [2, 3]]) == 0
    assert acl.op.set_attr_list_data_type(handle, "ld", [0, 27]) == (handle, 0)
    assert stored(handle, "b") == ("bool", True)
    assert stored(handle, "i") == ("int", -7)
    assert stored(handle, "f") == ("float", float(np.float32(0.1)))  # PY-11: float32
    assert stored(handle, "s") == ("string", "text")
    assert stored(handle, "d") == ("data_type", 1)
    assert stored(handle, "lb") == ("list_bool", (False, True, True))
    assert stored(handle, "li") == ("list_int", (1, -2))
    assert stored(handle, "lf") == ("list_float", (0.5, math.inf))
    assert stored(handle, "ls") == ("list_string", ("a", ""))
    assert stored(handle, "lli") == ("list_list_int", ((1,), (), (2, 3)))
    assert stored(handle, "ld") == ("list_data_type", (0, 27))


def test_null_and_destroyed_attr(acl: ModuleType) -> None:  # ATTR-3, K85
    gone = acl.op.create_attr()
    acl.op.destroy_attr(gone)
    for handle in (0, gone):
        assert acl.op.set_attr_bool(handle, "x", 1) == 100000
        assert acl.op.set_attr_int(handle, "x", 1) == 100000
        assert acl.op.set_attr_list_int(handle, "x", [1]) == 100000
        assert acl.op.set_attr_data_type(handle, "x", 1) == (handle, 100000)  # PY-7: as it was given
        assert acl.op.set_attr_list_data_type(handle, "x", [1]) == (handle, 100000)


def test_setting_again_overwrites_also_with_another_type(acl: ModuleType) -> None:  # ATTR-4
    handle = acl.op.create_attr()
    acl.op.set_attr_int(handle, "x", 1)
    acl.op.set_attr_string(handle, "x", "one")
    assert stored(handle, "x") == ("string", "one")
    assert len(ATTRS[handle].values) == 1


def test_bool_counts_modulo_256(acl: ModuleType) -> None:  # ATTR-5, PY-11
    handle = acl.op.create_attr()
    for value, expected in ((256, False), (257, True), (-1, True), (2, True), (0, False)):
        assert acl.op.set_attr_bool(handle, "x", value) == 0
        assert stored(handle, "x") == ("bool", expected)


def test_undefined_data_type_is_kept(acl: ModuleType) -> None:  # ATTR-5
    handle = acl.op.create_attr()
    assert acl.op.set_attr_data_type(handle, "x", -1) == (handle, 0)
    assert stored(handle, "x") == ("data_type", -1)


def test_float_beyond_float32_is_infinite(acl: ModuleType) -> None:  # PY-11
    handle = acl.op.create_attr()
    acl.op.set_attr_float(handle, "x", -1e300)
    assert stored(handle, "x") == ("float", -math.inf)


def test_empty_lists_are_legal(acl: ModuleType) -> None:  # ATTR-3, PY-10
    handle = acl.op.create_attr()
    for kind in ("bool", "int", "float", "string", "list_int"):
        assert getattr(acl.op, f"set_attr_list_{kind}")(handle, "x", []) == 0
        assert stored(handle, "x") == (f"list_{kind}", ())


BAD_ELEMENT: dict[str, tuple[type[Exception], str]] = {
    "string": (RuntimeError, "PyUnicode_AsUTF8String failed"),
    "list_int": (ValueError, "parse argument 3 failed"),
}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("float", [1.0, 2]),  # K6
        ("bool", [256]),  # K7
        ("bool", [-1]),
        ("bool", [0.0]),
        ("int", [1.5]),
        ("int", [np.int64(1)]),
        ("string", [1]),
        ("list_int", [[1], [2.0]]),
    ],
)
def test_bad_elements(acl: ModuleType, kind: str, values: Any) -> None:  # PY-10
    handle = acl.op.create_attr()
    error, text = BAD_ELEMENT.get(kind, (ValueError, "get values from PyList failed"))
    with pytest.raises(error, match=f"^{text}$"):
        getattr(acl.op, f"set_attr_list_{kind}")(handle, "x", values)
    assert not ATTRS[handle].values


def test_wrong_types_are_type_errors(acl: ModuleType) -> None:  # PY-2, PY-5, K1
    handle = acl.op.create_attr()
    for call in (
        lambda: acl.op.set_attr_int(handle, "x"),
        lambda: acl.op.set_attr_int(handle, "x", 1.5),
        lambda: acl.op.set_attr_int(handle, "x", 1 << 63),
        lambda: acl.op.set_attr_int(handle, None, 1),
        lambda: acl.op.set_attr_string(handle, "x", None),
        lambda: acl.op.set_attr_string(handle, "x", "a\0b"),
        lambda: acl.op.set_attr_bool(np.int64(handle), "x", 1),
        lambda: acl.op.set_attr_bool(handle, "x", value=1),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.warns(Warning, match="format of list"), pytest.raises(TypeError, match="argument 3 is not list or numpy array"):
        acl.op.set_attr_list_int(handle, "x", (1, 2))


def test_arrays_are_read_as_raw_bytes_with_a_warning(acl: ModuleType) -> None:  # PY-10
    handle = acl.op.create_attr()
    with pytest.warns(Warning, match="argument 3 only support the format of list in the future"):
        assert acl.op.set_attr_list_int(handle, "x", np.array([1, 2], np.int64)) == 0
    assert stored(handle, "x") == ("list_int", (1, 2))
    with pytest.warns(Warning, match="argument 3 only support the format of list in the future"):
        acl.op.set_attr_list_float(handle, "x", np.array([1.0, 2.0], np.float64))
    low, high = np.array([1.0], np.float64).view(np.float32).tolist()
    assert stored(handle, "x") == ("list_float", (low, high))
    with pytest.warns(Warning, match="argument 3 only support the format of list in the future"):
        acl.op.set_attr_list_bool(handle, "x", np.array([[True], [False]]))
    assert stored(handle, "x") == ("list_bool", (True, False))
    with pytest.warns(Warning, match="argument 3 only support the format of list in the future"):
        acl.op.set_attr_list_list_int(handle, "x", [[3], np.array([4], np.int64)])
    assert stored(handle, "x") == ("list_list_int", ((3,), (4,)))
