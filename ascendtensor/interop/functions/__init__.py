"""`__array_function__`: NumPy's functions on tensors, as our functions, on the device.

Each module has one family, `FUNCTIONS`: NumPy's name to what is called with NumPy's arguments. A function that is in none is a TypeError
that names it: tensors are never taken to the host unasked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from ...base import TensorBase
from ...errors import DTypeError
from .. import numpy as border
from . import applying, choosing, elementwise, linalg, polynomials, questions, reductions, shaping, spaces

NAMES: Final[dict[str, Callable[..., Any]]] = {
    **applying.FUNCTIONS,
    **choosing.FUNCTIONS,
    **elementwise.FUNCTIONS,
    **linalg.FUNCTIONS,
    **polynomials.FUNCTIONS,
    **questions.FUNCTIONS,
    **reductions.FUNCTIONS,
    **shaping.FUNCTIONS,
    **spaces.FUNCTIONS,
}
"""By NumPy's names."""


def _known(names: Mapping[str, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """By NumPy's functions, those that this NumPy has."""
    found = {}
    for name, ours in names.items():
        try:
            found[operator.attrgetter(name)(np)] = ours
        except AttributeError:
            continue
    return found


TABLE: Final = _known(NAMES)
_HOST: Final = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", *questions.FUNCTIONS}
_OF_TENSORS: Final = frozenset(_known({name: ours for name, ours in NAMES.items() if name not in _HOST}))
"""Those whose first operand is uploaded where it is an array beside a tensor; the others write into it, or ask about it."""
_LIKE: Final = _known(questions.LIKE)


def array_function(tensor: TensorBase, function: Any, types: Iterable[type], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`tensor.__array_function__`: `function(*args, **kwargs)`; NotImplemented for foreign classes.

    Raises:
        DTypeError: The function is not there; it is a TypeError, as NumPy's own.
    """
    if not all(issubclass(kind, (TensorBase, np.ndarray)) for kind in types):
        return NotImplemented
    ours = TABLE.get(function)
    if ours is not None:
        if args and isinstance(args[0], np.ndarray) and function in _OF_TENSORS:
            args = (border.one_operand(args[0], tensor, args), *args[1:])
        return ours(*args, **kwargs)
    made = _LIKE.get(function)
    if made is not None:
        return made(tensor, *args, **kwargs)
    if not all(issubclass(kind, TensorBase) or kind is np.ndarray for kind in types):
        return NotImplemented  # a subclass of arrays may have it
    name = f"{function.__module__}.{function.__name__}"
    advice = "np.asarray(t) takes the values to the host, where NumPy has them all; docs/numpy.md lists what runs on the device."
    raise DTypeError(f"no implementation found for {name} on tensors", advice=advice)
