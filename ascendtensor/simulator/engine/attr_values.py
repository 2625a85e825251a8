"""How the binding reads attribute values out of Python objects (PY-10, PY-11)."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .attrs import normalise
from .refusals import not_ints, not_list

_RAW: dict[str, str] = {"list_bool": "u1", "list_int": "<i8", "list_float": "<f4"}
_BOUNDS: dict[str, tuple[int, int]] = {
    "list_bool": (0, 255),
    "list_int": (-(1 << 63), (1 << 63) - 1),
    "list_data_type": (-(1 << 31), (1 << 31) - 1),
}


_LISTS_ONLY = "argument 3 only support the format of list in the future."


def values_of(name: str, kind: str, given: Any) -> tuple[Any, ...]:
    """A list attribute's values in stored form.

    Args:
        name: Full name of the function, for texts.
        kind: ``list_bool``, ``list_int``, ``list_float``, ``list_string``, ``list_data_type`` or ``list_list_int``.
        given: A real list; for numbers also a numpy array, whose dtype is not looked at.

    Raises:
        TypeError: Neither.
        ValueError: An element of another type; for texts a RuntimeError, for data types a TypeError, as in the binding.
    """
    if kind in _RAW and not isinstance(given, list):
        warnings.warn(_LISTS_ONLY, Warning, stacklevel=4)
        if isinstance(given, np.ndarray):
            return tuple(normalise(kind, _raw_elements(given, _RAW[kind])))
    if not isinstance(given, list):
        not_list(name)
    if kind == "list_list_int":
        return _nested(name, given)
    for value in given:
        if not _allowed(kind, value):
            _bad(name, kind, value)
    return tuple(normalise(kind, given))


def _nested(name: str, given: list[Any]) -> tuple[Any, ...]:
    try:
        return tuple(values_of(name, "list_int", inner) for inner in given)
    except (TypeError, ValueError):
        raise ValueError("parse argument 3 failed") from None


def _raw_elements(array: npt.NDArray[Any], code: str) -> list[Any]:
    """The array's bytes read as another type, as many elements as the array has; what is missing reads as zeros."""
    dtype = np.dtype(code)
    need = array.size * dtype.itemsize
    data = array.tobytes()[:need].ljust(need, b"\0")
    found: list[Any] = np.frombuffer(data, dtype).tolist()
    return found


def _allowed(kind: str, value: object) -> bool:
    if kind == "list_float":
        return isinstance(value, float)
    if kind == "list_string":
        return isinstance(value, str)
    if not isinstance(value, int):
        return False
    low, high = _BOUNDS[kind]
    return low <= value <= high


def _bad(name: str, kind: str, value: object) -> NoReturn:
    if kind == "list_string":
        raise RuntimeError("PyUnicode_AsUTF8String failed")
    if kind == "list_data_type":
        if not isinstance(value, int):
            not_ints(name)
        raise ValueError("PyLong_AsLong failed")
    raise ValueError("get values from PyList failed")
