"""Fourier transforms, complex numbers and combinations, against NumPy and itertools."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from running import const, late, made, meta, ruled, same, sample

from ascendtensor.simulator.kernels import fft

COMPLEX = [np.complex64, np.complex128]


def near(have: Any, want: Any) -> None:
    """Within a few roundings of a sum of some dozen numbers."""
    assert have.shape == want.shape
    size = max(1.0, float(np.abs(want).max(initial=0)))
    assert np.abs(have - want).max(initial=0) <= size * (1e-5 if have.real.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("dtype", COMPLEX, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("name", "numpy"), [("FFT", np.fft.fft), ("IFFT", np.fft.ifft), ("FFT2D", np.fft.fft2), ("IFFT2D", np.fft.ifft2)])
def test_transforms_of_the_last_axes(name: str, numpy: Any, dtype: Any) -> None:
    for shape in ((3, 5), (2, 3, 8), (0, 4, 4), (700, 2, 64)):
        x = sample(shape, dtype)
        near(made(name, [x], shape, dtype), numpy(x.astype(np.complex128)) if x.size else x)
    with pytest.raises(TypeError, match="no kernel"):
        made(name, [sample((3, 5), np.float32)], (3, 5), np.float32)


def test_transforms_need_their_axes() -> None:
    with pytest.raises(ValueError, match="2 axes"):
        made("FFT2D", [sample((5,), np.complex64)], (5,), np.complex64)
    with pytest.raises(ValueError, match="1 axes"):
        made("FFT", [sample((), np.complex64)], (), np.complex64)


@pytest.mark.parametrize("length", [1, 4, 6, 7, 9])
def test_transforms_of_real_numbers_cut_off_or_fill(length: int) -> None:
    real, half = sample((3, 6), np.float32), sample((3, 4), np.complex64)
    size = np.array([length], np.int32)
    for operand in ([const(length, dtype=np.int32)], late(size)):
        near(made("RFFT", [real, *operand], (3, length // 2 + 1), np.complex64), np.fft.rfft(real.astype(np.float64), length))
        near(made("IRFFT", [half, *operand], (3, length), np.float32), np.fft.irfft(half.astype(np.complex128), length))


def test_transforms_of_real_numbers_refuse_other_operands() -> None:
    one = const(4, dtype=np.int32)
    with pytest.raises(TypeError, match="no kernel for float64"):
        made("RFFT", [sample((3, 4), np.float64), one], (3, 3), np.complex64)
    with pytest.raises(TypeError, match="no kernel for complex128"):
        made("IRFFT", [sample((3, 3), np.complex128), one], (3, 4), np.float32)
    with pytest.raises(ValueError, match="not positive"):
        made("RFFT", [sample((3, 4), np.float32), const(0, dtype=np.int32)], (3, 1), np.complex64)
    with pytest.raises(ValueError, match=r"\[1\] is needed"):
        made("IRFFT", [sample((3, 3), np.complex64), const(4, 4, dtype=np.int32)], (3, 4), np.float32)
    with pytest.raises(ValueError, match="has shape"):
        made("RFFT", [sample((3, 4), np.float32), one], (3, 4), np.complex64)


@pytest.mark.parametrize(("part", "whole"), [(np.float32, np.complex64), (np.float64, np.complex128)])
def test_complex_numbers_of_their_parts(part: Any, whole: Any) -> None:
    real, imag = sample((3, 1), part), sample((4,), part)
    code = {np.complex64: 16, np.complex128: 17}[whole]
    joined = made("Complex", [real, imag], (3, 4), whole, Tout=code)
    same(joined.real, np.broadcast_to(real, (3, 4)))
    same(joined.imag, np.broadcast_to(imag, (3, 4)))
    same(made("Conj", [joined], (3, 4), whole), np.conj(joined))
    with pytest.raises(TypeError):
        made("Complex", [real, imag], (3, 4), np.complex128 if whole is np.complex64 else np.complex64, Tout=33 - code)
    with pytest.raises(TypeError):
        made("Conj", [real], (3, 1), part)


def test_angles() -> None:
    z = sample((5, 3), np.complex64)
    near(made("AngleV2", [z], (5, 3), np.float32), np.angle(z))
    near(made("Angle", [z.astype(np.complex128)], (5, 3), np.float64, Tout=11), np.angle(z.astype(np.complex128)))
    numbers = np.array([2.0, -2.0, 0.0, -0.0, np.nan, -np.inf], np.float32)
    same(made("AngleV2", [numbers], (6,), np.float32), np.float32([0, np.pi, 0, 0, np.nan, np.pi]))
    same(made("AngleV2", [np.array([-1, 3], np.int64)], (2,), np.float32), np.float32([np.pi, 0]))
    same(made("AngleV2", [np.array([True, False])], (2,), np.float32), np.zeros(2))
    with pytest.raises(TypeError, match="no kernel"):
        made("AngleV2", [sample((2,), np.float64)], (2,), np.float32)
    with pytest.raises(TypeError, match="no kernel"):
        made("Angle", [z], (5, 3), np.float64, Tout=11)


@pytest.mark.parametrize("repeated", [False, True])
def test_combinations(repeated: bool) -> None:
    choose = itertools.combinations_with_replacement if repeated else itertools.combinations
    for length, r in ((5, 2), (40, 3), (3, 1), (4, 4)):
        x = sample((length,), np.int16)
        want = np.array(list(choose(x.tolist(), r)), np.int16)
        same(made("Combinations", [x], want.shape, np.int16, r=r, with_replacement=repeated), want)
    with pytest.raises(ValueError, match="vector"):
        made("Combinations", [sample((2, 2), np.int16)], (1, 2), np.int16)
    with pytest.raises(ValueError, match="has shape"):
        made("Combinations", [sample((3,), np.int16)], (2, 2), np.int16)


def test_shapes_that_are_not_known_yet() -> None:
    assert ruled("RFFT", [meta(np.float32, 2, -1), meta(np.int32, 1)]) == [(2, -1)]
    assert ruled("FFT", [meta(np.complex64, -1, 4)]) == [(-1, 4)]
    assert ruled("FFT", [meta(np.complex64, -2)]) == [(-2,)]
    assert ruled("Combinations", [meta(np.float32, -1)]) == [(-1, 2)]


@pytest.mark.parametrize(("name", "numpy"), [("FFT", np.fft.fft), ("IFFT2D", np.fft.ifft2)])
@pytest.mark.parametrize("block", [20, 100])
def test_blocks_strips_and_threads_do_not_show(name: str, numpy: Any, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, value in (("_BLOCK", block), ("_SHARED", 0), ("_COLUMNS", 4)):
        monkeypatch.setattr(fft, limit, value)
    x = sample((2, 3, 7, 9), np.complex64)
    near(made(name, [x], x.shape, np.complex64), numpy(x.astype(np.complex128)))
