"""Short-time Fourier transforms: frames of a signal, times a window, transformed one by one, and back.

They are composed: the one kernel that STFT has on a 910B takes a plan tensor that its prototype does not have.
"""

from __future__ import annotations

from operator import index as as_int
from typing import Any, TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..errors import DTypeError, ShapeError, ValueRangeError
from . import fft, gather, reduction, shape, views
from .arguments import checked
from .call import made, structured
from .host import download
from .operands import filled
from .pointwise import unary
from .pointwise.elementwise import add, div, mul
from .table.creation import RANGE
from .table.elementwise import CAST

T = TypeVar("T", bound=TensorBase)


@checked
def stft(
    input: T,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: T | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> T:
    """The spectra of overlapping frames of a signal.

    Args:
        input: Signal, or several, shape (L,) or (B, L); float32, float64, complex64 or complex128.
        n_fft: Length of a frame.
        hop_length: Distance of the frames' starts; by default `n_fft // 4`.
        win_length: Length of the window; by default `n_fft`.
        window: Tensor of `win_length` elements, filled with zeros on both sides to `n_fft`; by default ones.
        center: Whether the first frame is centred on the first sample, for which the signal is padded by `n_fft // 2` on both sides.
        pad_mode: How it is padded; see `nn.functional.pad`.
        normalized: Whether spectra are divided by the square root of `n_fft`.
        onesided: Whether only the `n_fft // 2 + 1` places that say something new are given; by default for real signals and windows.
        return_complex: Must be given for real signals: true for a complex result, false for real and imaginary parts in a last dimension.

    Returns:
        Tensor of shape (N, T) or (B, N, T), N frequencies of T frames.

    Raises:
        ShapeError: The signal has other dimensions, or the window another length.
        DTypeError: The signal is neither floating nor complex.
        ValueRangeError: A length that does not fit the signal, or `return_complex` is missing.

    Ascend operator: composed of AsStrided, Mul and RFFT, or FFT. Like: torch.stft.

    Examples:
        >>> at.stft(at.ones(8), n_fft=4, window=at.ones(4), return_complex=True).shape
        (3, 9)
    """
    hop, length = _lengths(n_fft, hop_length, win_length, "stft")
    frames, windowed = _frames(input, n_fft, length, window, center, pad_mode, hop)
    if return_complex is None:
        if not (frames.desc.dtype.is_complex or (windowed is not None and windowed.desc.dtype.is_complex)):
            raise ValueRangeError("return_complex must be given for real signals", where="stft", advice="Give return_complex=True.")
        return_complex = True
    if windowed is not None:
        frames = mul(frames, windowed)
    halved = not frames.desc.dtype.is_complex if onesided is None else bool(onesided)
    if halved and frames.desc.dtype.is_complex:
        raise ValueRangeError("Cannot have onesided output if window or input is complex", where="stft")
    norm = "ortho" if normalized else None
    spectra = views.transpose((fft.rfft if halved else fft.fft)(frames, norm=norm), -1, -2)
    if len(input.desc.shape) == 1:
        spectra = views.select(spectra, 0, 0)
    return spectra if return_complex else views.view_as_real(spectra)


def _lengths(n_fft: int, hop_length: int | None, win_length: int | None, function: str) -> tuple[int, int]:
    size = as_int(n_fft)
    hop = size // 4 if hop_length is None else as_int(hop_length)
    length = size if win_length is None else as_int(win_length)
    if size < 1 or hop < 1 or not 0 < length <= size:
        text = f"n_fft {size}, hop_length {hop} and win_length {length}: all are positive, and the window is no longer than a frame"
        raise ValueRangeError(text, where=function)
    return hop, length


def _frames(input: T, n_fft: int, length: int, window: T | None, center: bool, pad_mode: str, hop: int) -> tuple[T, T | None]:
    """The frames of a batch of signals, a view of shape (B, T, n_fft), and what they are multiplied with."""
    if input.desc.dtype.category < d.FLOATING:
        raise DTypeError(f"a floating or complex signal is needed, not {input.desc.dtype.name}").with_context("stft", (input,))
    if len(input.desc.shape) not in (1, 2):
        raise ShapeError("a signal has one dimension, or two").with_context("stft", (input,))
    signals = views.unsqueeze(input, 0) if len(input.desc.shape) == 1 else input
    if center:
        signals = shape.pad(signals, (n_fft // 2, n_fft // 2), pad_mode)
    if n_fft > signals.desc.shape[1]:
        text = f"n_fft is {n_fft}, but the signal has {signals.desc.shape[1]} elements"
        raise ValueRangeError(text).with_context("stft", (input,))
    frames = views.unfold(signals, 1, n_fft, hop)
    return frames, _window(window, length, n_fft, frames.desc.dtype, frames, "stft")


def _window(window: T | None, length: int, n_fft: int, dtype: DType, like: T, function: str) -> T | None:
    """The window in the middle of a frame; None for ones everywhere."""
    if window is None:
        if length == n_fft:
            return None
        window = filled(like, (length,), 1, dtype.to_real())
    elif window.desc.shape != (length,):
        raise ShapeError(f"the window has shape {list(window.desc.shape)}, not [{length}]").with_context(function, (like, window))
    before = (n_fft - length) // 2
    return shape.pad(window, (before, n_fft - length - before)) if length != n_fft else window


@checked
def istft(
    input: T,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: T | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> T:
    """The signal whose `stft` this is, or comes nearest: frames are transformed back, weighed with the window and added.

    Args:
        input: Complex tensor of shape (N, T) or (B, N, T).
        n_fft, hop_length, win_length, window, normalized, onesided: As given to `stft`.
        center: Whether the frames were centred; what the padding added is then cut off.
        length: Length of the result; by default as long as the frames reach.
        return_complex: Whether the signal is complex, for which `onesided` must be false.

    Returns:
        Tensor of shape (L,) or (B, L).

    Raises:
        DTypeError: `input` is not complex.
        ShapeError: Other dimensions, or the wrong number of frequencies.
        ValueRangeError: Lengths that don't fit, or a window that leaves samples with no weight.

    Ascend operator: composed of IRFFT or IFFT, Mul, Cast, RealDiv and those of `index_add`. Like: torch.istft.

    Examples:
        >>> window = at.ones(4)
        >>> spectrum = at.stft(at.ones(8), n_fft=4, window=window, return_complex=True)
        >>> at.allclose(at.istft(spectrum, n_fft=4, window=window), at.ones(8))
        True
    """
    hop, width = _lengths(n_fft, hop_length, win_length, "istft")
    if not input.desc.dtype.is_complex:
        advice = "Give view_as_complex of parts."
        raise DTypeError(f"a complex tensor is needed, not {input.desc.dtype.name}", advice=advice).with_context("istft", (input,))
    if len(input.desc.shape) not in (2, 3) or not input.desc.numel:
        raise ShapeError("frequencies and frames are needed, and perhaps a batch in front").with_context("istft", (input,))
    halved = input.desc.shape[-2] != n_fft if onesided is None else bool(onesided)
    expected = n_fft // 2 + 1 if halved else n_fft
    if input.desc.shape[-2] != expected:
        text = f"{expected} frequencies are needed for n_fft {n_fft}, not {input.desc.shape[-2]}"
        raise ShapeError(text).with_context("istft", (input,))
    if halved and return_complex:
        raise ValueRangeError("a onesided spectrum is that of a real signal", where="istft", advice="Give onesided=False.")
    spectra = views.transpose(input if len(input.desc.shape) == 3 else views.unsqueeze(input, 0), -1, -2)
    norm = "ortho" if normalized else None
    if return_complex:
        frames = fft.ifft(spectra, norm=norm)
    else:  # of a whole spectrum only the half that a real signal needs is looked at
        frames = fft.irfft(spectra if halved else views.narrow(spectra, -1, 0, n_fft // 2 + 1), n_fft, norm=norm)
    weights = _weights(window, width, n_fft, frames)
    signal = _overlapped(mul(frames, weights), hop)
    total = _overlapped(views.expand(_square(weights), (1, *frames.desc.shape[1:])), hop)
    start, end = _kept(signal.desc.shape[-1], n_fft, center, length)
    signal, total = views.narrow(signal, -1, start, end - start), views.narrow(total, -1, start, end - start)
    if end > start and float(download(reduction.amin(_size(total))).item()) < 1e-11:
        raise ValueRangeError("the window leaves samples with no weight", where="istft", advice="Take a smaller hop_length.")
    result = div(signal, total)
    if length is not None and length > end - start:
        result = shape.pad(result, (0, length - (end - start)))
    return result if len(input.desc.shape) == 3 else views.select(result, 0, 0)


def _weights(window: T | None, width: int, n_fft: int, frames: T) -> T:
    weights = _window(window, width, n_fft, frames.desc.dtype, frames, "istft")
    if weights is None:
        weights = filled(frames, (n_fft,), 1)
    return weights if weights.desc.dtype is frames.desc.dtype else structured(CAST, weights, frames.desc.dtype)


def _square(weights: T) -> T:
    return mul(weights, weights)


def _size(total: T) -> T:
    """How large sums of squares are, which only complex windows have below 0."""
    return unary.abs(total) if total.desc.dtype.is_complex else total


def _kept(reach: int, n_fft: int, center: bool, length: int | None) -> tuple[int, int]:
    start = n_fft // 2 if center else 0
    end = min(start + as_int(length), reach) if length is not None else reach - n_fft // 2 if center else reach
    return start, max(end, start)


def _overlapped(frames: T, hop: int) -> T:
    """Frames (B, T, n) added up where they belong, (B, (T - 1) * hop + n)."""
    batch, count, size = frames.desc.shape
    if frames.desc.dtype.is_complex:  # part by part
        parts = views.movedim(views.view_as_real(frames), -1, 0)
        joined = _overlapped(views.reshape(parts, (2 * batch, count, size)), hop)
        apart = views.reshape(joined, (2, batch, joined.desc.shape[1]))
        return views.view_as_complex(shape.contiguous(views.movedim(apart, 0, -1)))
    reach = (count - 1) * hop + size
    target: T = filled(frames, (batch, reach), 0)
    places = views.reshape(add(_steps(count, hop, frames, -1), _steps(size, 1, frames, 0)), -1)
    return gather.index_add(target, 1, places, views.reshape(shape.contiguous(frames), (batch, count * size)))


def _steps(count: int, step: int, like: TensorBase, dim: int) -> Any:
    """0, step, 2 * step... as a column (-1) or a row (0)."""
    column: Any = made(RANGE, (0, count * step, step), (count, d.int64), like)
    return views.unsqueeze(column, dim)
