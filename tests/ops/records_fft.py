"""Records of Fourier transforms and of short-time ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from harness import COMPLEX, HALVES, Array, Record, Refused, With, array, d, views

import ascendtensor as at
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import fft, spectral
from ascendtensor.ops.table import complex_numbers as complex_table
from ascendtensor.ops.table import fft as table

REALS = (d.float32, d.float64)
ALL = (d.float32, *COMPLEX)
# A sum of some hundred numbers of size 4.
NEAR = {d.complex64: (2e-5, 1e-4), d.float32: (2e-5, 1e-4)}
SHAPES = ((7,), (8,), (1,), (2, 0, 4), (4, 3, 6))


def spectrum(dtype: DType) -> DType:
    return d.complex128 if dtype in (d.float64, d.complex128) else d.complex64


def parts(dtype: DType) -> DType:
    return spectrum(dtype).to_real()


def line(name: str) -> Callable[..., Array]:
    """NumPy's function of one dimension, by PyTorch's names of arguments."""

    def reference(x: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
        return np.asarray(getattr(np.fft, name)(x, n, dim, norm))

    return reference


def space(name: str) -> Callable[..., Array]:
    """NumPy's function of several dimensions, with PyTorch's reading of the arguments."""

    def reference(x: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
        dims = tuple(range(x.ndim)) if dim is None and s is None else tuple(range(-len(s), 0)) if dim is None else tuple(dim)
        own = [x.shape[each] for each in dims]
        if name == "irfftn":
            own[-1] = 2 * (own[-1] - 1)
        lengths = [one if length == -1 else length for one, length in zip(own, s or [-1] * len(dims), strict=True)]
        return np.asarray(getattr(np.fft, name)(x, lengths, dims, norm))

    return reference


def hermitian(name: str) -> Callable[..., Array]:
    """hfftn and ihfftn, which NumPy does not have, of its other functions."""

    def reference(x: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
        turned = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
        if name == "hfftn":
            return space("irfftn")(np.conj(x), s, dim, turned)
        return np.conj(space("rfftn")(x, s, dim, turned))

    return reference


def line_samples(low: int = 1) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for shape in SHAPES:
            if shape[-1] >= low:
                yield (array(dtype, shape),)
        for view in islice(views(dtype), 0, None, 2):
            yield (view,)
        for n in (1, 3, 9):
            yield With((array(dtype, (3, 6)),), {"n": n})
        for norm in ("backward", "ortho", "forward"):
            yield With((array(dtype, (3, 6)),), {"norm": norm, "dim": 0})
        yield With((array(dtype, (3, 6, 2)),), {"n": 4, "dim": 1, "norm": "ortho"})
        yield With((array(dtype, (0, 3)),), {"n": 4, "dim": 0, "norm": "ortho"})
        yield (array(dtype, (2, 300)),)

    return samples


def space_samples(dtype: DType) -> Iterator[Any]:
    for shape in ((4,), (3, 5), (2, 2, 3, 4)):
        yield (array(dtype, shape),)
    yield (array(dtype, (6, 5)).T[1:],)
    x = array(dtype, (4, 3, 6))
    yield With((x,), {"s": (2, 9)})
    yield With((x,), {"s": (5, -1), "dim": (0, 2)})
    yield With((x,), {"dim": (-1, 0), "norm": "ortho"})
    yield With((x,), {"dim": (1,), "norm": "forward"})
    yield With((array(dtype, (0, 3, 4)),), {"dim": (1, 2)})


def wrong_line() -> list[Refused]:
    x = np.ones((2, 3), np.float32)
    return [
        Refused((x, 0), ValueError, r"Invalid number of data points \(0\)"),
        Refused((x, None, 2), IndexError, "2"),
        Refused((np.array(1.0),), IndexError, "no dimensions"),
        Refused((x, None, -1, "sideways"), ValueError, "norm is 'sideways'"),
    ]


def wrong_space() -> list[Refused]:
    x = np.ones((2, 3), np.float32)
    return [
        Refused((x, (2, 2, 2)), ValueError, "3 lengths for 2 dimensions"),
        Refused((x, (2,), (0, 1)), ValueError, "1 lengths for the dimensions"),
        Refused((x, None, (0, -2)), ValueError, "twice"),
        Refused((x, (2, 0)), ValueError, "Invalid number of data points"),
        Refused((x, None, (3,)), IndexError),
    ]


def _line(name: str, rows: Any, dtypes: Any, result: Any, refuses: Any = HALVES, low: int = 1) -> Record:
    function = getattr(fft, name)
    return Record(name, function, line(name), line_samples(low), rows, dtypes, result, NEAR, True, wrong_line, refuses)


def _space(name: str, reference: Any, rows: Any, dtypes: Any, result: Any) -> Record:
    return Record(name, getattr(fft, name), reference(name), space_samples, rows, dtypes, result, NEAR, True, wrong_space, HALVES)


def frames(x: Array, n_fft: int, hop_length: int, window: Any = None, center: bool = True, **more: Any) -> Array:
    """stft, frame by frame."""
    if center:
        if n_fft // 2 >= x.shape[-1]:
            raise ValueError("too short to be reflected")
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], "reflect")
    weights = np.ones(n_fft) if window is None else np.pad(window, ((n_fft - len(window)) // 2, (n_fft - len(window) + 1) // 2))
    starts = range(0, x.shape[-1] - n_fft + 1, hop_length)
    stacked = np.stack([x[..., start : start + n_fft] * weights for start in starts], -1)
    transform = np.fft.fft if x.dtype.kind == "c" or more.get("onesided") is False else np.fft.rfft
    return np.asarray(transform(stacked, axis=-2, norm="ortho" if more.get("normalized") else None))


def frame_samples(dtype: DType) -> Iterator[Any]:
    window = array(dtype.to_real(), (8,), 0.5, 1)
    for shape in ((30,), (3, 30)):
        yield With((array(dtype, shape), 8, 3), {"return_complex": True})
        yield With((array(dtype, shape), 8, 2), {"window": window, "return_complex": True, "normalized": True})
        yield With((array(dtype, shape), 8, 4), {"window": window[1:6], "win_length": 5, "center": False, "return_complex": True})
    yield With((array(dtype, (30,)), 9, 3), {"onesided": False, "return_complex": True})


RECORDS = [
    _line("fft", (table.FFT,), (*ALL, d.float64, d.int32), spectrum),
    _line("ifft", (table.IFFT,), ALL, spectrum),
    _line("rfft", (table.RFFT,), (*REALS, d.bool_), spectrum, (*HALVES, *COMPLEX)),
    _line("irfft", (table.IRFFT,), ALL, parts, low=2),
    _line("hfft", (table.IRFFT, complex_table.CONJ), ALL, parts, low=2),
    _line("ihfft", (table.RFFT, complex_table.CONJ), REALS, spectrum, (*HALVES, *COMPLEX)),
    _space("fftn", space, (table.FFT2D, table.FFT), (d.float32, d.complex128), spectrum),
    _space("ifftn", space, (table.IFFT2D, table.IFFT), (d.complex64,), spectrum),
    _space("rfftn", space, (table.RFFT,), REALS, spectrum),
    _space("irfftn", space, (table.IRFFT,), COMPLEX, parts),
    _space("hfftn", hermitian, (table.IRFFT,), COMPLEX, parts),
    _space("ihfftn", hermitian, (table.RFFT,), REALS, spectrum),
    Record(
        "fftshift",
        fft.fftshift,
        lambda x, dim=None: np.fft.fftshift(x, dim),
        lambda dtype: [
            *((array(dtype, shape),) for shape in ((5,), (4, 3))),
            With((array(dtype, (4, 3)),), {"dim": -1}),
            With((array(dtype, (4, 3)),), {"dim": (0, 1)}),
        ],
        dtypes=(*ALL, d.uint16, d.float64),
        result=lambda dtype: dtype,
        refused=lambda: [Refused((np.ones(2), 3), IndexError)],
    ),
    Record(
        "ifftshift",
        fft.ifftshift,
        lambda x, dim=None: np.fft.ifftshift(x, dim),
        lambda dtype: [(array(dtype, (5,)),), With((array(dtype, (4, 3)),), {"dim": 1})],
        dtypes=(*ALL, d.int8),
        result=lambda dtype: dtype,
    ),
    Record(
        "fftfreq",
        at.fft.fftfreq,
        lambda n, step=1.0, dtype=None: np.fft.fftfreq(n, step),
        lambda dtype: [With((n, step), {"dtype": dtype}) for n, step in ((1, 1.0), (8, 0.1), (9, 2.0))],
        dtypes=(d.float32, d.float64, d.float16, d.complex64),
        result=lambda dtype: dtype,
        out=True,
        refused=lambda: [Refused((-1,), ValueError, "-1"), Refused((3,), TypeError, "int32", {"dtype": d.int32})],
    ),
    Record(
        "rfftfreq",
        at.fft.rfftfreq,
        lambda n, step=1.0, dtype=None: np.fft.rfftfreq(n, step),
        lambda dtype: [With((n, step), {"dtype": dtype}) for n, step in ((1, 1.0), (8, 0.1), (9, 2.0))],
        dtypes=(d.float32, d.float64),
        result=lambda dtype: dtype,
    ),
    Record(
        "stft",
        spectral.stft,
        lambda x, n_fft, hop, **options: frames(x, n_fft, hop, **options),
        frame_samples,
        dtypes=(d.float32, d.float64, *COMPLEX),
        result=spectrum,
        tolerances=NEAR,
        refused=lambda: [
            Refused((np.ones(9, np.float32), 4), ValueError, "return_complex must be given"),
            Refused((np.ones(9, np.float32), 40, None, None, None, False), ValueError, "n_fft is 40", {"return_complex": True}),
            Refused((np.ones((1, 1, 9), np.float32), 4), ValueError, "one dimension", {"return_complex": True}),
            Refused((np.ones(9, np.float32), 4, None, None, np.ones(3, np.float32)), ValueError, "window", {"return_complex": True}),
            Refused((np.ones(9, np.int32), 4), TypeError, "int32", {"return_complex": True}),
            Refused((np.ones(9, np.complex64), 4), ValueError, "onesided", {"onesided": True}),
        ],
    ),
]
