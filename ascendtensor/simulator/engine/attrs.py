"""Operator attributes: the object behind ``create_attr``, its digest and its exact comparison (rules ATTR).

A value is stored under its name with a type tag, as plain Python data:

======================  ==============================================
kind                    stored as
======================  ==============================================
bool                    bool
int, data_type          int (64 bits, two's complement)
float                   float, already rounded to float32
string                  str
list_*                  tuple of these
list_list_int           tuple of tuples of int
======================  ==============================================
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from typing import Any

KINDS = (
    "bool",
    "int",
    "float",
    "string",
    "data_type",
    "list_bool",
    "list_int",
    "list_float",
    "list_string",
    "list_data_type",
    "list_list_int",
)
TOLERANCE = 1e-6

_FLOAT = struct.Struct("<f")
_BITS = struct.Struct("<I")


class Attributes:
    """The attributes of one ``aclopAttr``, of a model or of a handle."""

    __slots__ = ("_digest", "values")

    def __init__(self, values: dict[str, tuple[str, Any]] | None = None) -> None:
        self.values: dict[str, tuple[str, Any]] = {} if values is None else values
        self._digest: tuple[Any, ...] | None = None

    def set(self, name: str, kind: str, value: Any) -> None:
        """Stores a value; the same name again overwrites it, also with another type (ATTR-4)."""
        self.values[name] = (kind, value)
        self._digest = None

    def copy(self) -> Attributes:
        """An independent copy (ATTR-11); the values themselves never change."""
        return Attributes(dict(self.values))

    def digest(self) -> tuple[Any, ...]:
        """The values in name order, flattened, floats by their bits; names and types are no part of it (ATTR-6, ATTR-8)."""
        if self._digest is None:
            self._digest = tuple(self._flat())
        return self._digest

    def _flat(self) -> list[Any]:
        flat: list[Any] = []
        for name in sorted(self.values):
            kind, value = self.values[name]
            if kind == "float":
                flat.append(float_bits(value))
            elif kind == "list_float":
                flat.extend(map(float_bits, value))
            elif kind == "list_list_int":
                for inner in value:
                    flat.extend(inner)
            elif kind.startswith("list"):
                flat.extend(value)
            else:
                flat.append(value)
        return flat

    def equals(self, other: Attributes) -> bool:
        """Same names, same type tags, same values; floats within 1e-6, NaN equal to NaN (ATTR-7, ATTR-8)."""
        mine, theirs = self.values, other.values
        if mine == theirs:
            return True
        if len(mine) != len(theirs):
            return False
        for name, (kind, value) in mine.items():
            found = theirs.get(name)
            if found is None or found[0] != kind:
                return False
            if kind == "float":
                if not _close(value, found[1]):
                    return False
            elif kind == "list_float":
                if len(value) != len(found[1]) or not all(map(_close, value, found[1])):
                    return False
            elif value != found[1]:
                return False
        return True

    def plain(self) -> dict[str, Any]:
        """What a kernel is given: lists instead of tuples, no type tags."""
        return {name: as_plain(value) for name, (_, value) in self.values.items()}


EMPTY = Attributes()
"""Stands for a null attr handle, which matches like an empty object (ATTR-9). Never written to."""


def as_plain(value: Any) -> Any:
    """Lists for tuples, also inside."""
    return [as_plain(item) for item in value] if isinstance(value, tuple) else value


def float_bits(value: float) -> int:
    """The 32 bits of a float32 as an unsigned number."""
    bits: int = _BITS.unpack(_FLOAT.pack(value))[0]
    return bits


def from_bits(bits: int) -> float:
    """The float32 that has these 32 bits."""
    value: float = _FLOAT.unpack(_BITS.pack(bits))[0]
    return value


def round_float32(value: float) -> float:
    """The nearest float32, as the C call's ``float`` parameter makes it; beyond its range an infinity (PY-11)."""
    try:
        rounded: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def wrap_int64(value: int) -> int:
    """A number as a 64-bit integer keeps it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def normalise(kind: str, value: Any) -> Any:
    """Brings a value that has the right Python type into the stored form of its kind."""
    if kind == "list_list_int":
        return tuple(tuple(wrap_int64(int(item)) for item in inner) for inner in value)
    if kind.startswith("list_"):
        inner_kind = kind[len("list_") :]
        return tuple(normalise(inner_kind, item) for item in value)
    if kind == "bool":
        return bool(value)
    if kind == "float":
        return round_float32(float(value))
    if kind == "string":
        return str(value)
    return wrap_int64(int(value))


def to_json(values: Iterable[tuple[str, tuple[str, Any]]]) -> list[dict[str, Any]]:
    """Attributes as plain JSON data; floats as the number of their bits, so that NaN and -0.0 survive."""
    return [{"name": name, "kind": kind, "value": _encode(kind, value)} for name, (kind, value) in sorted(values)]


def from_json(entries: Any) -> Attributes:
    """Reads what ``to_json`` wrote.

    Raises:
        ValueError: Not such data.
    """
    found = Attributes()
    for entry in entries:
        kind = entry["kind"]
        if kind not in KINDS:
            raise ValueError(f"attribute type {kind!r} is unknown")
        found.set(str(entry["name"]), kind, _decode(kind, entry["value"]))
    return found


def _encode(kind: str, value: Any) -> Any:
    if kind == "float":
        return float_bits(value)
    if kind == "list_float":
        return [float_bits(item) for item in value]
    return as_plain(value)


def _decode(kind: str, value: Any) -> Any:
    if kind == "float":
        return from_bits(value)
    if kind == "list_float":
        return tuple(from_bits(item) for item in value)
    return normalise(kind, value)


def _close(left: float, right: float) -> bool:
    if left == right:
        return True
    if left != left or right != right:
        return left != left and right != right
    return abs(left - right) <= TOLERANCE
