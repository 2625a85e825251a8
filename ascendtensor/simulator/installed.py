"""The module ``acl`` that :func:`ascendtensor.simulator.install` puts in place: pyACL's names and no others, in modules of pyACL's names.

The simulator's own module has more (``configure``, ``faults``, what it imports itself), which a program must not find on a board either.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType
from typing import Any, Final, NoReturn

from .engine.arguments import public
from .media import lacking

_ROOT: Final = __name__.rpartition(".")[0]
CHAPTERS: Final = ("rt", "op", "util", "mdl", "blas", "prof", "media")
_faces: Final[dict[str, ModuleType]] = {}
"""The simulator's module to the one that programs see."""


def install() -> None:
    """Put the simulator in place of ``acl`` for later imports.

    Examples:
        >>> simulator.install()
        >>> import acl
        >>> acl.get_soc_name()
        'Ascend910B1'
    """
    for name in ("", *CHAPTERS):
        inner, outer = f"{_ROOT}.{name}".rstrip("."), f"acl.{name}".rstrip(".")
        face = _faces.setdefault(inner, ModuleType(outer))
        for public_name in public(inner):
            setattr(face, public_name, getattr(sys.modules[inner], public_name))
        face.__getattr__ = partial(_missing, outer)  # type: ignore[method-assign]
        sys.modules[outer] = face
        if name:
            setattr(_faces[_ROOT], name, face)
    _faces[_ROOT].__file__ = sys.modules[_ROOT].__file__


def _missing(module: str, name: str) -> NoReturn:
    raise lacking(module, name)


def is_installed(module: ModuleType) -> bool:
    """Whether this is the module that `install` made, or the simulator itself."""
    return module is sys.modules[_ROOT] or module is _faces.get(_ROOT)


def replace(module: ModuleType, name: str, function: Any) -> None:
    """Put another function in a function's place, also where programs see it."""
    setattr(module, name, function)
    face = _faces.get(module.__name__)
    if face is not None:
        setattr(face, name, function)
