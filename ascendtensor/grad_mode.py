"""PyTorch's switches of gradient recording, so that code written for inference runs as it is. Nothing records here: off is all they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, overload

from .errors import AutogradError

__all__ = ["inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled"]

F = TypeVar("F", bound=Callable[..., Any])


class Off:
    """A context and decorator that changes nothing."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, function: F) -> F:
        return function


_OFF: Final = Off()


@overload
def no_grad(function: None = None) -> Off: ...
@overload
def no_grad(function: F) -> F: ...
def no_grad(function: Any = None) -> Any:
    """A context, or a decorator, in which no gradients are recorded, as nowhere here. Like: torch.no_grad.

    Examples:
        >>> with at.no_grad():
        ...     x = at.ones(2) * 2
        >>> x
        tensor([2., 2.], device='npu:0')
        >>> @at.no_grad()
        ... def doubled(x):
        ...     return x * 2
        >>> doubled(at.ones(2))
        tensor([2., 2.], device='npu:0')
    """
    return _OFF if function is None else function


@overload
def inference_mode(mode: bool = True) -> Off: ...
@overload
def inference_mode(mode: F) -> F: ...
def inference_mode(mode: Any = True) -> Any:
    """As `no_grad`; `inference_mode(False)` changes nothing either, since there is nothing to switch on. Like: torch.inference_mode.

    Examples:
        >>> with at.inference_mode():
        ...     x = at.ones(2) * 2
        >>> x
        tensor([2., 2.], device='npu:0')
    """
    return mode if callable(mode) else _OFF


def set_grad_enabled(mode: bool) -> Off:
    """Switch recording off, as a call or as a context. Like: torch.set_grad_enabled.

    Args:
        mode: Must be false.

    Raises:
        AutogradError: It is true.

    Examples:
        >>> with at.set_grad_enabled(False):
        ...     at.is_grad_enabled()
        False
    """
    if mode:
        raise AutogradError("autograd is not there yet", where="set_grad_enabled", advice="Write the gradients by hand, as the demo does.")
    return _OFF


def is_grad_enabled() -> bool:
    """Always false. Like: torch.is_grad_enabled.

    Examples:
        >>> at.is_grad_enabled()
        False
    """
    return False


def is_inference_mode_enabled() -> bool:
    """Always true: tensors are what PyTorch calls inference tensors, and nothing is recorded. Like: torch.is_inference_mode_enabled.

    Examples:
        >>> at.is_inference_mode_enabled()
        True
    """
    return True
