"""Modules imported whole at their first use: Ctrl-C reaches the main thread only, and what it leaves half executed may stay broken."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from types import ModuleType


class _Import(threading.Thread):
    """Imports a module in a thread of its own. A caller who is interrupted leaves it to its end."""

    found: ModuleType | None = None
    failure: BaseException | None = None

    def __init__(self, module: str) -> None:
        super().__init__(daemon=True)
        self.module = module

    def run(self) -> None:
        try:
            self.found = import_module(self.module)
        except BaseException as error:
            self.failure = error


def whole(module: str) -> ModuleType:
    """A module by its full name.

    Raises:
        ImportError: It is not there.
    """
    known = sys.modules.get(module)
    spec = getattr(known, "__spec__", None)
    if known is not None and not getattr(spec, "_initializing", False):
        return known
    if threading.current_thread() is not threading.main_thread():
        return import_module(module)
    importing = _Import(module)
    try:
        importing.start()
    except RuntimeError:  # the interpreter ends
        return import_module(module)
    importing.join()
    if importing.failure is not None:
        raise importing.failure
    assert importing.found is not None
    return importing.found
