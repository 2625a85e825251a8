"""Window functions: weights that fade out at both ends, for frames of a signal."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index as as_int
from typing import TYPE_CHECKING, Any

from . import dtypes
from .creation import arange, full, ones
from .dtypes import DTypeLike, as_dtype, get_default_dtype
from .errors import DTypeError, ValueRangeError
from .ops.arguments import checked
from .ops.call import unary as launch
from .ops.pointwise import elementwise, unary
from .ops.table.special import BESSEL_I0E
from .options import TensorOptions, check_options
from .runtime.device import DeviceLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tensor import NPUTensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


@checked
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The Hann window, half a period of a squared sine.

    Args:
        window_length: Number of elements.
        periodic: Whether the window of one element more is meant, without its last one, as `stft` takes it; else it is symmetric.
        dtype: Floating dtype; by default the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Returns:
        Tensor of `window_length` elements between 0 and 1.

    Raises:
        DTypeError: The dtype is not floating.
        ValueRangeError: A negative length.

    Ascend operator: composed of Range, Cos, Mul and Add. Like: torch.hann_window, scipy.signal.windows.hann.

    Examples:
        >>> at.hann_window(5, periodic=False)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000], device='npu:0')
    """
    check_options(options, "hann_window")
    return hamming_window(window_length, periodic, 0.5, 0.5, dtype=dtype, device=device)


@checked
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The Hamming window, `alpha - beta * cos(2 * pi * i / n)`.

    Args:
        window_length, periodic, dtype, device, **options: As of `hann_window`.
        alpha, beta: Numbers.

    Returns:
        Tensor of `window_length` elements.

    Raises:
        DTypeError: The dtype is not floating.
        ValueRangeError: A negative length.

    Ascend operator: composed of Range, Cos, Mul and Add. Like: torch.hamming_window, scipy.signal.windows.general_hamming.

    Examples:
        >>> at.hamming_window(5, periodic=False)
        tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800], device='npu:0')
    """

    def weights(steps: Any, n: int) -> Any:
        return unary.cos(steps * (2 * math.pi / n)) * -beta + alpha

    return _window("hamming_window", window_length, periodic, weights, dtype, device, options)


@checked
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The Blackman window, a sum of two cosines.

    Args:
        window_length, periodic, dtype, device, **options: As of `hann_window`.

    Returns:
        Tensor of `window_length` elements.

    Raises:
        DTypeError: The dtype is not floating.
        ValueRangeError: A negative length.

    Ascend operator: composed of Range, Cos, Mul and Add. Like: torch.blackman_window, scipy.signal.windows.blackman.

    Examples:
        >>> at.blackman_window(5, periodic=False)[2]
        tensor(1., device='npu:0')
    """

    def weights(steps: Any, n: int) -> Any:
        return unary.cos(steps * (4 * math.pi / n)) * 0.08 + unary.cos(steps * (2 * math.pi / n)) * -0.5 + 0.42

    return _window("blackman_window", window_length, periodic, weights, dtype, device, options)


@checked
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The Bartlett window, a triangle.

    Args:
        window_length, periodic, dtype, device, **options: As of `hann_window`.

    Returns:
        Tensor of `window_length` elements.

    Raises:
        DTypeError: The dtype is not floating.
        ValueRangeError: A negative length.

    Ascend operator: composed of Range, Mul, Sub and Minimum. Like: torch.bartlett_window, scipy.signal.windows.bartlett.

    Examples:
        >>> at.bartlett_window(5, periodic=False)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000], device='npu:0')
    """

    def weights(steps: Any, n: int) -> Any:
        rising = steps * (2 / n)
        return elementwise.minimum(rising, 2 - rising)

    return _window("bartlett_window", window_length, periodic, weights, dtype, device, options)


@checked
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The Kaiser window, of modified Bessel functions of order 0.

    Args:
        window_length, periodic, dtype, device, **options: As of `hann_window`.
        beta: How fast it fades out.

    Returns:
        Tensor of `window_length` elements between 0 and 1.

    Raises:
        DTypeError: The dtype is not floating.
        ValueRangeError: A negative length.

    Ascend operator: composed of Range, Mul, Sqrt, BesselI0e and Exp. Like: torch.kaiser_window, scipy.signal.windows.kaiser.

    Examples:
        >>> at.kaiser_window(5, periodic=False)[2]
        tensor(1., device='npu:0')
    """
    width = abs(beta)

    def weights(steps: Any, n: int) -> Any:
        ratio = steps * (2 / n) - 1
        bent = unary.sqrt(elementwise.clamp(1 - ratio * ratio, min=0)) * width
        # i0(x) / i0(beta) without either becoming infinite: i0e(x) is exp(-x) * i0(x).
        whole = full((), width, steps.desc.dtype, steps.desc.device)
        return launch(BESSEL_I0E, bent) * unary.exp(bent - width) / launch(BESSEL_I0E, whole)

    return _window("kaiser_window", window_length, periodic, weights, dtype, device, options)


def _window(
    function: str, length: int, periodic: bool, weights: Callable[[Any, int], Any], dtype: Any, device: Any, options: TensorOptions
) -> NPUTensor:
    """Weights of the places 0, 1, ... of a window whose last place is `n`; half types are computed in float32."""
    check_options(options, function)
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if not wanted.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {wanted.name}", where=function)
    length = as_int(length)
    if length < 0:
        raise ValueRangeError(f"a window can't have {length} elements", where=function)
    if length < 2:
        return ones(length, dtype=wanted, device=device)
    steps = arange(length, dtype=dtypes.float64 if wanted is dtypes.float64 else dtypes.float32, device=device)
    result: NPUTensor = weights(steps, length if periodic else length - 1).to(wanted)
    return result
