"""Operator attributes as an aclopAttr."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..acl import binding
from ..interrupts import HeldInterrupts

if TYPE_CHECKING:
    from ..compiler.description import Attribute
    from .device import Device


def _set(attr: int, name: str, kind: str, value: Any) -> None:
    # pyACL takes exactly int, float, str and lists of them (PY-3, PY-10).
    if kind == "bool":
        binding.set_attr_bool(attr, name, int(bool(value)))
    elif kind == "int":
        binding.set_attr_int(attr, name, int(value))
    elif kind == "float":
        binding.set_attr_float(attr, name, float(value))
    elif kind == "string":
        binding.set_attr_string(attr, name, str(value))
    elif kind == "data_type":
        binding.set_attr_data_type(attr, name, int(value))
    elif kind == "list_bool":
        binding.set_attr_list_bool(attr, name, [int(bool(element)) for element in value])
    elif kind == "list_int":
        binding.set_attr_list_int(attr, name, [int(element) for element in value])
    elif kind == "list_float":
        binding.set_attr_list_float(attr, name, [float(element) for element in value])
    elif kind == "list_string":
        binding.set_attr_list_string(attr, name, [str(element) for element in value])
    elif kind == "list_list_int":
        binding.set_attr_list_list_int(attr, name, [[int(element) for element in row] for row in value])
    elif kind == "list_data_type":
        binding.set_attr_list_data_type(attr, name, [int(element) for element in value])
    else:
        raise ValueError(f"attribute {name!r} has the unknown kind {kind!r}")


def create(attributes: Sequence[Attribute]) -> int:
    """An aclopAttr that holds the attributes; also for none, as the documentation asks (ATTR-9)."""
    attr = binding.create_attr()
    try:
        for attribute in attributes:
            _set(attr, attribute.name, attribute.kind, attribute.value)
    except BaseException:
        binding.destroy_attr(attr)
        raise
    return attr


@contextmanager
def made(attributes: Sequence[Attribute]) -> Iterator[int]:
    """An aclopAttr for the time of a `with` block."""
    made = 0
    try:
        with HeldInterrupts():
            made = create(attributes)
        yield made
    finally:
        if made:
            with HeldInterrupts():
                binding.destroy_attr(made)


class KeptAttr:
    """An aclopAttr that lives as long as this object, or until the device is shut down.

    Attributes:
        handle: Its number in pyACL.
    """

    __slots__ = ("__weakref__", "_drop", "handle")

    def __init__(self, device: Device, attributes: Sequence[Attribute]) -> None:
        with HeldInterrupts():
            self.handle = device.kept_attrs.add(create(attributes))
            self._drop = partial(device.kept_attrs.dropped.append, self.handle)

    __del__ = property(attrgetter("_drop"))


def shared(device: Device, attributes: tuple[Attribute, ...]) -> KeptAttr:
    """The aclopAttr that plans with the same attributes share; nobody changes it. The caller holds the registry's lock."""
    key = tuple([(attribute.name, attribute.kind, repr(attribute.value)) for attribute in attributes])  # 0.0 is not -0.0 in a match
    found: KeptAttr | None = device.shared_attrs.get(key)
    if found is None:
        found = device.shared_attrs[key] = KeptAttr(device, attributes)
    return found
