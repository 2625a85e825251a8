"""Where tensors find the namespace of the array API standard, which lies on a higher floor."""

from __future__ import annotations

from typing import Any

from .. import deferred
from ..errors import ValueRangeError

VERSION = "2025.12"


def namespace(api_version: str | None = None) -> Any:
    """The module `ascendtensor.array_api`.

    Raises:
        ValueRangeError: Another version of the standard is asked for.
    """
    known = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)
    if api_version is not None and api_version not in known:
        raise ValueRangeError(
            f"version {api_version!r} of the array API is not known", where="__array_namespace__", advice=f"Known are {', '.join(known)}."
        )
    return deferred.load("ascendtensor.array_api")
