"""Functions of the binding that exist, parse their arguments, and answer as a product without the feature does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import AclFault
from .arguments import function

FEATURE_NOT_SUPPORTED: Final = 207000
API_NOT_SUPPORTED: Final = 200001


def absent(
    name: str, letters: str = "", *empty: object, code: int = FEATURE_NOT_SUPPORTED, refusal: Exception | None = None
) -> Callable[..., Any]:
    """A function of that name and those arguments whose every call fails with ``code``.

    Args:
        name: Full name.
        letters: As for ``arguments.function``, and "l" for a real list.
        empty: Results beside the code.
        code: 207000 of the runtime, or 200001 of the acl layer.
        refusal: What the binding raises for anything but a list, if that is not the usual ValueError.
    """

    lists = [index for index, letter in enumerate(letters) if letter == "l"]

    def call(*args: Any) -> Any:
        for index in lists:
            if not isinstance(args[index], list):
                usual = ValueError(f"argument {index + 1} only support the format of list")
                raise usual if refusal is None else type(refusal)(*refusal.args)
        raise AclFault(code, "the simulated product has no such feature", "EH0006")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = "A feature that the simulated product lacks."
    return function(name, letters.replace("l", "O"), *empty)(call)
