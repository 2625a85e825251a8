"""Rows of Fourier transforms, and their rules.

All of them are AI CPU operators that look along the last axis, or the last two. FFT and IFFT take both complex dtypes; those from and to
real numbers exist in single precision only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Input, Meta, Outcome, Output, Row
from .forms import COMPLEX, unary


def half_spectrum(operands: Sequence[Meta], length: int) -> Outcome:
    """The spectrum of real numbers, of which the second half says nothing new; cut off or filled with zeros to a length first."""
    return Outcome(((*operands[0].shape[:-1], length // 2 + 1),), constants={"fft_length": (length,)})


def from_half_spectrum(operands: Sequence[Meta], length: int) -> Outcome:
    """`length` real numbers of the first half of their spectrum."""
    return Outcome(((*operands[0].shape[:-1], length),), constants={"fft_length": (length,)})


FFT: Final = unary("fft", "FFT", COMPLEX, Kind.SAME, rule=rules.like_first)
IFFT: Final = unary("ifft", "IFFT", COMPLEX, Kind.SAME, rule=rules.like_first)
FFT2D: Final = unary("fft2", "FFT2D", COMPLEX, Kind.SAME, rule=rules.like_first)
IFFT2D: Final = unary("ifft2", "IFFT2D", COMPLEX, Kind.SAME, rule=rules.like_first)
RFFT: Final = Row(
    "rfft",
    "RFFT",
    (Input("input"), Input("fft_length", "const", d.int32)),
    (Output("y", d.complex64),),
    half_spectrum,
    promotion=Kind.SAME,
    dtypes=(d.float32,),
)
IRFFT: Final = Row(
    "irfft",
    "IRFFT",
    (Input("x"), Input("fft_length", "const", d.int32)),
    (Output("y", d.float32),),
    from_half_spectrum,
    promotion=Kind.SAME,
    dtypes=(d.complex64,),
)
