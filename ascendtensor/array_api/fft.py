"""The extension `fft` of the standard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from .. import fft as torch_words
from ..dtypes import dtype as DType
from ..ops import fft as functions
from ..runtime.device import DeviceLike
from .array import Array, NPUTensor, wrap

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
__dir__ = __all__.copy

T = TypeVar("T", bound=NPUTensor)
F = TypeVar("F", bound=Callable[..., Any])


class _Along(Protocol):
    def __call__(self, x: T, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> T: ...


class _Over(Protocol):
    def __call__(self, x: T, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> T: ...


def _along(function: Callable[..., Any]) -> _Along:
    """A transform along one axis in the standard's words."""

    def standard(x: T, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> T:
        result: T = function(x, n, axis, norm)
        return result

    return _named(standard, function)


def _over(function: Callable[..., Any]) -> _Over:
    """A transform over several axes in the standard's words."""

    def standard(x: T, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> T:
        result: T = function(x, s, axes, norm)
        return result

    return _named(standard, function)


def _named(standard: F, function: Callable[..., Any]) -> F:
    name = function.__name__
    standard.__name__ = standard.__qualname__ = name
    standard.__doc__ = f"The same as `ascendtensor.fft.{name}`; its words are the standard's. Like: numpy.fft.{name}."
    return standard


fft = _along(functions.fft)
ifft = _along(functions.ifft)
rfft = _along(functions.rfft)
irfft = _along(functions.irfft)
hfft = _along(functions.hfft)
ihfft = _along(functions.ihfft)
fftn = _over(functions.fftn)
ifftn = _over(functions.ifftn)
rfftn = _over(functions.rfftn)
irfftn = _over(functions.irfftn)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: DeviceLike = None) -> Array:
    """The frequencies of `fft` for `n` samples at a distance of `d`. Like: numpy.fft.fftfreq.

    Examples:
        >>> xp.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500], device='npu:0')
    """
    return wrap(torch_words.fftfreq(n, d, dtype=dtype, device=device))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: DeviceLike = None) -> Array:
    """The frequencies of `rfft` for `n` samples at a distance of `d`. Like: numpy.fft.rfftfreq.

    Examples:
        >>> xp.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000], device='npu:0')
    """
    return wrap(torch_words.rfftfreq(n, d, dtype=dtype, device=device))


def fftshift(x: T, /, *, axes: int | Sequence[int] | None = None) -> T:
    """The frequency 0 in the middle. Like: numpy.fft.fftshift.

    Examples:
        >>> xp.fft.fftshift(xp.asarray([0.0, 1.0, 2.0, -2.0, -1.0]))
        tensor([-2., -1.,  0.,  1.,  2.], device='npu:0')
    """
    return functions.fftshift(x, axes)


def ifftshift(x: T, /, *, axes: int | Sequence[int] | None = None) -> T:
    """`fftshift` undone. Like: numpy.fft.ifftshift.

    Examples:
        >>> xp.fft.ifftshift(xp.asarray([-2.0, -1.0, 0.0, 1.0, 2.0]))
        tensor([ 0.,  1.,  2., -2., -1.], device='npu:0')
    """
    return functions.ifftshift(x, axes)
