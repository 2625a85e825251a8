"""Modules that are imported when somebody asks for them: what a program doesn't use costs it no time at start."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def load(module: str) -> Any:
    """A module by its full name, imported at the first call."""
    found = sys.modules.get(module)
    return import_module(module) if found is None else found


def in_module(module: str, modules: Collection[str], homes: Mapping[str, str], otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
    """The `__getattr__` of a package.

    Args:
        module: The package's name.
        modules: Its modules that are imported at their first use.
        homes: Names, and the module of the package that each comes from.
        otherwise: The `__getattr__` for any other name.
    """

    def __getattr__(name: str) -> Any:
        if name in modules:
            return import_module(f"{module}.{name}")
        if name not in homes:
            return otherwise(name)
        value = getattr(import_module(f"{module}.{homes[name]}"), name)
        setattr(sys.modules[module], name, value)
        return value

    return __getattr__
