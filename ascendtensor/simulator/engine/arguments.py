"""Arguments as the binding parses them (PY-2 .. PY-5), and return codes as it hands them back (PY-6).

``@function("acl.rt.malloc", "Ki", 0)`` makes a function positional-only, converts its arguments by one letter each, and turns
an :class:`AclFault` into the failing result: the values given after the letters, then the code.
"""

from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn, ParamSpec, TypeVar, cast

from . import AclFault, errors_log
from .refusals import PYTHONS_OWN, not_ints, not_list, pythons_own, refusal

P = ParamSpec("P")
R = TypeVar("R")

WORD: Final = (1 << 64) - 1


def _address(value: object) -> int:
    """K: a real int, wrapped to 64 bits unchecked (PY-3)."""
    if isinstance(value, int):
        return value & WORD
    raise TypeError


def _int(value: Any) -> int:
    """i: a C int; anything with ``__index__``, range-checked (PY-3)."""
    number = operator.index(value)
    if -(1 << 31) <= number < 1 << 31:
        return number
    raise TypeError


def _unsigned(value: Any) -> int:
    """I: an unsigned C int, wrapped unchecked."""
    return operator.index(value) & 0xFFFFFFFF


def _short(value: Any) -> int:
    """H: an unsigned C short, wrapped unchecked."""
    return operator.index(value) & 0xFFFF


def _long(value: Any) -> int:
    """L: a C long long, range-checked."""
    number = operator.index(value)
    if -(1 << 63) <= number < 1 << 63:
        return number
    raise TypeError


def _text(value: object) -> str:
    """s: a str without NUL that UTF-8 can hold; None is refused."""
    if isinstance(value, str) and "\0" not in value:
        if not value.isascii():
            value.encode()
        return value
    raise TypeError


def _float(value: Any) -> float:
    """f: a C float; anything with ``__float__`` or ``__index__``, no text."""
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        raise TypeError
    return float(value)


def _object(value: object) -> object:
    """O: anything."""
    return value


CONVERTERS: Final[dict[str, Callable[[Any], Any]]] = {
    "K": _address,
    "i": _int,
    "I": _unsigned,
    "H": _short,
    "L": _long,
    "s": _text,
    "f": _float,
    "O": _object,
}


_AS_IT_IS: Final = {"K": WORD, "i": (1 << 31) - 1, "I": 0xFFFFFFFF, "H": 0xFFFF, "L": (1 << 63) - 1}
"""The largest int that each converter of numbers leaves as it is; the least is 0."""

GIVEN: Final = object()
"""Among the results of a failure: the first argument, which the binding hands back whatever came out (PY-7)."""


def function(name: str, letters: str = "", *empty: object) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a Python function behave as the binding's.

    Args:
        name: Full name, used in every text.
        letters: One converter letter for each parameter; those after "|" may be missing. "" ignores extra arguments.
        empty: Results that stand before the code when the call fails.
    """
    required, _, optional = letters.partition("|")
    converters = [(index, CONVERTERS[letter]) for index, letter in enumerate(required + optional) if letter != "O"]
    numbers = [(index, _AS_IT_IS[letter]) for index, letter in enumerate(letters) if letter in _AS_IT_IS]
    least, most = len(required), len(required + optional)
    text = refusal(name)
    # CPython's text: functions of pyACL's submodules belong to no module.
    keyword_refusal = f"{name if name.count('.') == 1 else name.rpartition('.')[2]}() takes no keyword arguments"

    def failure(code: int, given: object = 0) -> Any:
        return (*(given if value is GIVEN else copy.copy(value) for value in empty), code) if empty else code

    def decorate(inner: Callable[P, R]) -> Callable[P, R]:
        def call(*args: Any, **keywords: Any) -> Any:
            if keywords:
                raise TypeError(keyword_refusal)
            converted = []
            if most:
                if not least <= len(args) <= most:
                    raise TypeError(pythons_own(letters, args) if name in PYTHONS_OWN else text)
                converted = [*args]
                try:
                    for index, convert in converters:
                        if index < len(args):
                            converted[index] = convert(args[index])
                except (TypeError, ValueError, OverflowError):
                    raise TypeError(pythons_own(letters, args) if name in PYTHONS_OWN else text) from None
            try:
                return inner(*converted)  # type: ignore[call-arg]
            except AclFault as fault:
                if fault.text:
                    errors_log.failed(name, fault.code, fault.text, fault.label)
                return failure(fault.code, *converted[:1])

        def call_with_numbers(*args: Any, **keywords: Any) -> Any:
            """The same for numbers and objects alone, in the common case with less to do."""
            if len(args) == most and not keywords:
                for index, limit in numbers:
                    if args[index].__class__ is not int or not 0 <= args[index] <= limit:
                        break
                else:
                    try:
                        return inner(*args)  # type: ignore[call-arg]
                    except AclFault as fault:
                        if fault.text:
                            errors_log.failed(name, fault.code, fault.text, fault.label)
                        return failure(fault.code, *args[:1])
            return call(*args, **keywords)

        made = call_with_numbers if numbers and {*letters} <= {*_AS_IT_IS, "O"} else call
        made.__name__ = made.__qualname__ = inner.__name__
        made.__module__ = name.rpartition(".")[0]
        made.__doc__ = inner.__doc__
        vars(made)["failure"] = failure
        return cast("Callable[P, R]", made)

    return decorate


def getter(name: str, letters: str, value: object) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As ``function``, for functions that return no code: every failure is answered with ``value``."""

    def decorate(inner: Callable[P, R]) -> Callable[P, R]:
        def call(*args: Any) -> Any:
            try:
                return inner(*args)  # type: ignore[call-arg]
            except AclFault as fault:
                errors_log.failed(name, fault.code, fault.text, fault.label)
                return copy.copy(value)

        call.__name__ = call.__qualname__ = inner.__name__
        call.__doc__ = inner.__doc__
        made = function(name, letters)(call)
        vars(made)["failure"] = lambda code: copy.copy(value)
        return cast("Callable[P, R]", made)

    return decorate


def refuse(name: str) -> NoReturn:
    """Raise the binding's TypeError for arguments that only the function itself can check."""
    raise TypeError(refusal(name))


def invalid(parameter: str, value: object, reason: str, code: int = 100000) -> AclFault:
    """EH0001: the value of an argument is not allowed."""
    return AclFault(code, f"value [{value}] of parameter [{parameter}] is invalid. Reason: {reason}", "EH0001")


def null(parameter: str) -> AclFault:
    """EH0002: an argument that must not be null is."""
    return AclFault(100000, f"parameter [{parameter}] must not be null, got [0]", "EH0002")


def int_list(name: str, value: object) -> list[int]:
    """A real list of Python ints (PY-5, PY-12).

    Raises:
        TypeError: For any other type, or a numpy integer or float inside.
    """
    if not isinstance(value, list):
        not_list(name)
    for element in value:
        if not isinstance(element, int):
            not_ints(name)
    return list(value)


def pointer_list(name: str, value: object) -> list[int]:
    """A real list of handles or addresses.

    Raises:
        TypeError: As ``int_list``.
        ValueError: For a number of more than 64 bits.
    """
    if value.__class__ is list and all([number.__class__ is int and 0 <= number <= WORD for number in value]):
        return value.copy()
    numbers = int_list(name, value)
    if not all(-(1 << 63) <= number <= WORD for number in numbers):
        raise ValueError("PyLong_AsVoidPtr failed")
    return numbers


def long_list(name: str, value: object) -> list[int]:
    """A real list of Python ints that 64 bits hold: dims and bounds, unlike addresses, do not wrap.

    Raises:
        TypeError: As ``int_list``.
        ValueError: For a number out of range.
    """
    if value.__class__ is list:
        for number in value:
            if number.__class__ is not int or not -(1 << 63) <= number < 1 << 63:
                break
        else:
            return value.copy()
    numbers = int_list(name, value)
    if not all(-(1 << 63) <= number < 1 << 63 for number in numbers):
        raise ValueError("PyLong_AsLongLong failed")
    return numbers


def public(module: str) -> list[str]:
    """Names that ``dir`` of a module of ``acl`` should show: its functions, nothing imported."""
    names = vars(sys.modules[module])
    return sorted(name for name, value in names.items() if "failure" in getattr(value, "__dict__", {}))
