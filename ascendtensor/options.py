"""Options of PyTorch's factories that leave one choice here: dense tensors, row-major, on the device, without gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, TypedDict

import numpy as np

from .errors import AutogradError, DTypeError, UnsupportedError


class _Named:
    """One of a few choices, known by its name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"ascendtensor.{self._name}"

    def __reduce__(self) -> str:  # copies and pickles are the choice itself
        return self._name


class layout(_Named):
    """How the elements of a tensor are kept; `strided`, the only one here, means all of them. Like: torch.layout.

    Examples:
        >>> at.zeros(2, layout=at.strided)
        tensor([0., 0.], device='npu:0')
    """

    __slots__ = ()


class memory_format(_Named):
    """In which order the elements of a new tensor lie; `contiguous_format` is row-major. Like: torch.memory_format.

    Examples:
        >>> at.ones(2, 3).T.contiguous(memory_format=at.contiguous_format).stride()
        (2, 1)
    """

    __slots__ = ()


strided: Final = layout("strided")
contiguous_format: Final = memory_format("contiguous_format")
preserve_format: Final = memory_format("preserve_format")
"""The order of the tensor that is copied or imitated; here row-major too."""


_Layout: TypeAlias = layout  # the options below have these names
_MemoryFormat: TypeAlias = memory_format


class TensorOptions(TypedDict, total=False):
    """What functions that make tensors take beside dtype and device.

    Attributes:
        layout: `strided`.
        pin_memory: Must be false: memory of the host has no tensors.
        requires_grad: Must be false, or None.
    """

    layout: _Layout | None
    pin_memory: bool | None
    requires_grad: bool | None


class LikeOptions(TensorOptions, total=False):
    """What functions take that make tensors like another one.

    Attributes:
        memory_format: `contiguous_format` or `preserve_format`.
    """

    memory_format: _MemoryFormat | None


def check_options(options: Mapping[str, Any], where: str, known: type = TensorOptions) -> None:
    """Refuse options that mean something else than tensors are here.

    Args:
        options: What was given.
        where: The function, for errors.
        known: Which there are.

    Raises:
        AutogradError: `requires_grad=True`.
        UnsupportedError: Memory of another kind.
        DTypeError: A value of another type, or an option that the function doesn't have.
    """
    for word, value in options.items():
        if word not in known.__annotations__:
            raise DTypeError(f"unexpected keyword argument {word!r}", where=where)
        if word == "layout":
            _check_choice(word, value, (strided,), where, "Leave it away; there are dense tensors only.")
        elif word == "memory_format":
            check_format(value, where)
        elif value is not None and not isinstance(value, (bool, np.bool_)):
            raise DTypeError(f"{word} must be a bool, not the {type(value).__name__} {value!r}", where=where)
        elif word == "requires_grad":
            no_autograd(bool(value), where)
        elif value:
            advice = "Leave it away; copies to the device are staged in pinned memory."
            raise UnsupportedError("tensors lie on the device, where no memory is pinned", where=where, advice=advice)


def check_format(value: Any, where: str) -> None:
    """Refuse a `memory_format` that is not row-major.

    Raises:
        UnsupportedError: It is another one.
    """
    advice = "Leave it away; operators choose the layout that they compute in."
    _check_choice("memory_format", value, (contiguous_format, preserve_format), where, advice)


def _check_choice(word: str, value: Any, choices: tuple[_Named, ...], where: str, advice: str) -> None:
    if value is not None and value not in choices:
        raise UnsupportedError(f"{word} can be {' or '.join(map(repr, choices))}, not {value!r}", where=where, advice=advice)


def no_autograd(requires_grad: bool, where: str) -> None:
    """Refuse `requires_grad=True`.

    Raises:
        AutogradError: It is true.
    """
    if requires_grad:
        raise AutogradError(
            "autograd is not there yet, tensors can't require gradients", where=where, advice="Leave requires_grad=True away."
        )
