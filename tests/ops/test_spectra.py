"""What transforms promise of each other: inverses, halves of spectra, frames put together again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import array, close, d, host, tensor
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor.dtypes import dtype as DType

NORMS = st.sampled_from([None, "backward", "ortho", "forward"])
SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)


@settings(max_examples=12, deadline=None)
@given(shape=SHAPES, norm=NORMS, data=st.data())
def test_transforms_are_undone_by_their_inverses(shape: tuple[int, ...], norm: str | None, data: Any) -> None:
    dim = data.draw(st.permutations(range(len(shape)))) if len(shape) > 1 else [0]
    dim = tuple(dim[: data.draw(st.integers(1, len(shape)))])
    x, real = tensor(array(d.complex64, shape)), tensor(array(d.float32, shape))
    close(host(at.fft.ifftn(at.fft.fftn(x, dim=dim, norm=norm), dim=dim, norm=norm)), host(x), 1e-5, 1e-5)
    lengths = tuple(shape[each] for each in dim)
    close(host(at.fft.irfftn(at.fft.rfftn(real, dim=dim, norm=norm), lengths, dim, norm)), host(real), 1e-5, 1e-5)
    close(host(at.fft.hfftn(at.fft.ihfftn(real, dim=dim, norm=norm), lengths, dim, norm)), host(real), 1e-5, 1e-5)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"])
def test_functions_of_two_dimensions_take_the_last_two(name: str) -> None:
    x = tensor(array(d.float32, (3, 4, 6)))
    many = getattr(at.fft, name.replace("2", "n"))
    close(host(getattr(at.fft, name)(x)), host(many(x, dim=(-2, -1))), 1e-5, 1e-4)
    close(host(getattr(at.fft, name)(x, (2, 5), (0, 2), "ortho")), host(many(x, (2, 5), (0, 2), "ortho")), 1e-5, 1e-4)


def test_a_vector_has_no_second_dimension() -> None:
    for function in (at.fft.fft2, at.fft.rfft2, at.fft.irfft2):
        for lengths in (None, (2, 2)):
            with pytest.raises(IndexError, match="out of range"):
                function(at.ones(3), lengths)
    with pytest.raises(ValueError, match="2 lengths for 1 dim"):
        at.fft.fftn(at.ones(3), (2, 2))


@pytest.mark.parametrize("norm", ["", 0, (), [], "orthogonal"], ids=repr)
def test_what_is_no_norm_is_refused(norm: Any) -> None:
    for function in (at.fft.fft, at.fft.irfft, at.fft.fftn, at.fft.hfft2):
        with pytest.raises((ValueError, TypeError), match=f"{function.__name__}: "):
            function(at.ones(2, 2), norm=norm)


def test_without_dimensions_nothing_is_transformed() -> None:
    x = tensor(array(d.float32, (3, 4)))
    np.testing.assert_array_equal(host(at.fft.fftn(x, dim=())), host(x).astype(np.complex64))
    with pytest.raises(ValueError, match="at least one dimension"):
        at.fft.rfftn(x, dim=())


@pytest.mark.parametrize("dtype", [d.float32, d.float64, d.complex64, d.complex128], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("options", [{}, {"normalized": True, "center": False}, {"onesided": False}, {"win_length": 6}], ids=str)
def test_frames_are_put_together_again(dtype: DType, options: dict[str, Any]) -> None:
    signal = tensor(array(dtype, (2, 40)))
    window = tensor(array(dtype.to_real(), (options.get("win_length", 8),), 0.5, 1))
    spectra = at.stft(signal, 8, 2, window=window, return_complex=True, **options)
    back = at.istft(spectra, 8, 2, window=window, length=40, return_complex=dtype.is_complex, **options)
    assert back.dtype is dtype and back.shape == (2, 40)
    close(host(back), host(signal), 1e-4, 1e-4)


def test_a_signal_is_cut_off_or_filled_to_its_length() -> None:
    signal = tensor(array(d.float32, (40,)))
    spectra = at.stft(signal, 8, 2, return_complex=True)
    assert at.istft(spectra, 8, 2).shape == (40,)
    longer = host(at.istft(spectra, 8, 2, length=50))
    close(longer[:40], host(signal), 1e-4, 1e-5)
    assert longer.shape == (50,)
    close(host(at.istft(spectra, 8, 2, length=17)), host(signal)[:17], 1e-4, 1e-5)


def test_frames_that_leave_gaps_are_refused() -> None:
    spectra = at.stft(tensor(array(d.float32, (40,))), 4, 4, window=tensor(np.float32([0, 1, 1, 0])), center=False, return_complex=True)
    with pytest.raises(ValueError, match="no weight"):
        at.istft(spectra, 4, 4, window=tensor(np.float32([0, 1, 1, 0])), center=False)
    with pytest.raises(ValueError, match="4 frequencies are needed"):
        at.istft(spectra, 7, 4, onesided=True)
    with pytest.raises(TypeError, match="complex"):
        at.istft(tensor(np.ones((3, 4), np.float32)), 4)


def test_parts_come_where_no_complex_result_is_wanted() -> None:
    signal = tensor(array(d.float32, (20,)))
    whole = host(signal.stft(4, return_complex=True))
    split = host(signal.stft(4, return_complex=False))
    np.testing.assert_array_equal(split[..., 0] + 1j * split[..., 1], whole)


@pytest.mark.parametrize(("function", "numpy"), [(at.fft.ifft, np.fft.ifft), (at.fft.fftn, np.fft.fftn)])
def test_a_factor_is_taken_before_dims_go_back(function: Any, numpy: Any) -> None:
    x = tensor(array(d.complex64, (4, 6)))
    numbers, dim = host(x), (0,) if numpy is np.fft.fftn else 0
    function(x, dim=dim, norm="ortho")
    before = at.handle_cache.launches()
    found = function(x, dim=dim, norm="ortho")
    made = at.handle_cache.launches() - before
    assert made["Transpose"] == 1 and made.total() == 3
    close(host(found), numpy(numbers, None, dim, "ortho"), 1e-5, 1e-5)
