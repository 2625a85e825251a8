"""Fourier transforms, by PyTorch's names. Like: torch.fft."""

from __future__ import annotations

from operator import index as _as_int
from typing import TYPE_CHECKING
from typing import Any as _Any

from . import creation as _creation
from .dtypes import DTypeLike as _DTypeLike
from .dtypes import as_dtype as _as_dtype
from .dtypes import get_default_dtype as _get_default_dtype
from .errors import DTypeError as _DTypeError
from .errors import ValueRangeError as _ValueRangeError
from .ops.arguments import checked as _checked
from .ops.fft import (
    fft,
    fft2,
    fftn,
    fftshift,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from .ops.shape import roll as _roll
from .ops.writing import into as _into
from .options import TensorOptions as _TensorOptions
from .options import check_options as _check_options
from .runtime.device import DeviceLike as _DeviceLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tensor import NPUTensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
__dir__ = __all__.copy


@_checked
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: NPUTensor | None = None,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike = None,
    **options: Unpack[_TensorOptions],
) -> NPUTensor:
    """The frequencies of the places of `fft`, in cycles per unit of `d`: zero and the positive ones, then the negative ones.

    Args:
        n: Length of the transform.
        d: Distance of the samples.
        out: Tensor of `n` elements to write into.
        dtype: Floating or complex dtype; by default the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Returns:
        Tensor of `n` elements.

    Raises:
        DTypeError: An integer dtype.
        ValueRangeError: `n` is negative.

    Ascend operator: composed of Range, `roll` and RealDiv. Like: torch.fft.fftfreq, numpy.fft.fftfreq.

    Examples:
        >>> at.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500], device='npu:0')
    """
    _check_options(options, "fftfreq")
    n = _as_int(n)
    return _into(_frequencies(n, -(n // 2), (n + 1) // 2, d, dtype, device, "fftfreq"), out)


@_checked
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: NPUTensor | None = None,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike = None,
    **options: Unpack[_TensorOptions],
) -> NPUTensor:
    """The frequencies of the places of `rfft`, from zero up.

    Args:
        n, d, out, dtype, device: As of `fftfreq`.

    Returns:
        Tensor of `n // 2 + 1` elements.

    Raises:
        DTypeError: An integer dtype.
        ValueRangeError: `n` is negative.

    Ascend operator: composed of Range and RealDiv. Like: torch.fft.rfftfreq, numpy.fft.rfftfreq.

    Examples:
        >>> at.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000], device='npu:0')
    """
    _check_options(options, "rfftfreq")
    n = _as_int(n)
    return _into(_frequencies(n, 0, n // 2 + 1, d, dtype, device, "rfftfreq"), out)


def _frequencies(n: int, first: int, end: int, d: float, dtype: _Any, device: _Any, function: str) -> NPUTensor:
    wanted = _get_default_dtype() if dtype is None else _as_dtype(dtype)
    if not (wanted.is_floating_point or wanted.is_complex):
        raise _DTypeError(f"a floating or complex dtype is needed, not {wanted.name}", where=function)
    if n < 0:
        raise _ValueRangeError(f"a transform can't have {n} elements", where=function)
    steps = _creation.arange(first, end, dtype=wanted.to_real(), device=device)
    result: NPUTensor = (_roll(steps, first) if first else steps).div(n * d).to(wanted)
    return result
