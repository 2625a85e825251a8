"""Records of window functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import SAME, Array, Record, Refused, With, d

import ascendtensor as at
from ascendtensor.dtypes import dtype as DType

DTYPES = (d.float32, d.float64, d.float16, d.bfloat16)
NEAR = {d.float32: (1e-5, 3e-6), d.float64: (1e-9, 1e-9)}


def window(symmetric: Callable[..., Array]) -> Callable[..., Array]:
    """By PyTorch's arguments: a periodic window is a symmetric one of an element more, without its last."""

    def reference(length: int, periodic: bool = True, *options: float, dtype: DType) -> Array:
        return symmetric(length + 1, *options)[:-1] if periodic and length > 1 else symmetric(length, *options)

    return reference


def samples(*options: tuple[float, ...]) -> Callable[[DType], Iterator[Any]]:
    def made(dtype: DType) -> Iterator[Any]:
        for length in (0, 1, 2, 9, 100):
            yield With((length,), {"dtype": dtype})
            yield With((length, False), {"dtype": dtype})
        for option in options:
            yield With((8, True, *option), {"dtype": dtype})

    return made


def cosines(length: int, alpha: float = 0.54, beta: float = 0.46) -> Array:
    return alpha - beta * np.cos(2 * np.pi * np.arange(length) / (length - 1)) if length > 1 else np.ones(length)


def wrong() -> list[Refused]:
    return [Refused((-1,), ValueError, "-1 elements"), Refused((3,), TypeError, "int32", {"dtype": d.int32})]


def _record(name: str, symmetric: Callable[..., Array], *options: tuple[float, ...]) -> Record:
    return Record(name, getattr(at, name), window(symmetric), samples(*options), (), DTYPES, SAME, NEAR, refused=wrong)


RECORDS = [
    _record("hann_window", np.hanning),
    _record("hamming_window", cosines, (0.6,), (0.5, 0.4)),
    _record("blackman_window", np.blackman),
    _record("bartlett_window", np.bartlett),
    _record("kaiser_window", lambda length, beta=12.0: np.kaiser(length, beta), (0.0,), (3.5,), (80.0,)),
]
