"""float16 and bfloat16 to float32 and back, for arrays that fit the cache.

NumPy converts float16 one element at a time. The functions here do the same with whole-array integer operations, to the
same bits (NaN payloads aside), 2 to 3 times faster; short arrays go through NumPy, where the calls would cost more.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.registry import BFLOAT16, Array

FLOAT16: Final = np.dtype(np.float16)
FLOAT32: Final = np.dtype(np.float32)
HALVES: Final = frozenset((FLOAT16, BFLOAT16))

_SHORT = 6144
PIECE: Final = 65536
"""Elements that are converted at once."""


def _constant(value: float, kind: Any) -> Array:
    """A 0-d array, which a ufunc takes faster than a scalar."""
    return np.array(value, kind)


_EXPONENT16 = _constant(0x7C00, np.int16)
_SIGN_AND_VALUE = _constant(-0x70002000, np.int32)  # 0x8FFFE000
_TWO_112 = _constant(2.0**112, np.float32)
_EXPONENT = _constant(0x7F800000, np.int32)
_ROW = 4096
_SMALLEST_NORMAL = np.full(_ROW, 2.0**-14, np.float32)
_MAGIC = _constant((13 << 23) | 2048, np.int32)
_THIRTEEN = _constant(13, np.int32)
_SIXTEEN = _constant(16, np.int32)
_SIGN = _constant(0x8000, np.int32)
_OVERFLOW = _constant(65536.0, np.float32)


_LENT_FROM = 8192
_KEPT = 16
_POOL: Final[list[Array]] = []


class Scratch:
    """Flat arrays to work in for as long as one kernel runs; those of the usual size are kept, so that their pages are there already."""

    __slots__ = ("_lent",)

    def __init__(self) -> None:
        self._lent: list[Array] = []

    def take(self, length: int, dtype: np.dtype[Any] = FLOAT32) -> Array:
        """An array with any contents."""
        if dtype != FLOAT32 or not _LENT_FROM <= length <= PIECE:
            return np.empty(length, dtype)
        try:
            array = _POOL.pop()  # in one step, whichever threads come for it
        except IndexError:
            array = np.empty(PIECE, FLOAT32)
        self._lent.append(array)
        return array[:length]

    def give_back(self) -> None:
        """Ends the use of all arrays taken; after an error they are just forgotten."""
        if len(_POOL) < _KEPT:
            _POOL.extend(self._lent)
        self._lent.clear()


def is_half(dtype: np.dtype[Any]) -> bool:
    """True for float16 and bfloat16."""
    return dtype in HALVES


def widen(source: Array, target: Array) -> None:
    """Writes a half array into a C-contiguous array of floats of the same shape, exactly."""
    if source.dtype != FLOAT16 or source.size < _SHORT or not source.flags.c_contiguous or target.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    halves = source.reshape(-1).view(np.int16)
    floats = target.reshape(-1)
    if int(np.maximum.reduce(np.bitwise_and(halves, _EXPONENT16))) == 0x7C00:  # an infinity or NaN among them
        np.copyto(target, source)
        return
    bits = floats.view(np.int32)
    np.copyto(bits, halves)
    np.left_shift(bits, _THIRTEEN, bits)
    np.bitwise_and(bits, _SIGN_AND_VALUE, bits)
    np.multiply(floats, _TWO_112, floats)


def narrow(source: Array, target: Array, spare: tuple[Array, Array] | None = None) -> None:
    """Writes a C-contiguous float32 array into a half array of the same shape, to the nearest, ties to even.

    Args:
        source: Array of floats.
        target: Array of halves.
        spare: Two flat float32 arrays of at least that size to work in.
    """
    if target.dtype != FLOAT16 or target.size < _SHORT or not target.flags.c_contiguous or source.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    floats = source.reshape(-1)
    halves = target.reshape(-1).view(np.int16)
    if spare is None:
        scratch = Scratch()
        _narrow(floats, halves, source, target, scratch.take(floats.size), scratch.take(floats.size))
        scratch.give_back()
    else:
        _narrow(floats, halves, source, target, spare[0][: floats.size], spare[1][: floats.size])


def _narrow(floats: Array, halves: Array, source: Array, target: Array, magnitude: Array, summand: Array) -> None:
    np.absolute(floats, magnitude)
    largest = np.maximum.reduce(magnitude)
    if not largest < 65504.0:
        if largest != largest:
            np.copyto(target, source, casting="unsafe")
            return
        np.minimum(magnitude, _OVERFLOW, out=magnitude)
    # Adding 2**(exponent + 13) leaves the rounded value in the lowest bits: the addition itself rounds to even. The exponent's bits come
    # on top of it; with 2 << 10 in the summand its bias is a multiple of 1 << 16 and falls out of the last 16 bits.
    _at_least_normal(magnitude, summand)
    bits = summand.view(np.int32)
    np.bitwise_and(bits, _EXPONENT, bits)
    np.add(bits, _MAGIC, bits)
    np.add(magnitude, summand, magnitude)
    rest = magnitude.view(np.int32)
    np.right_shift(bits, _THIRTEEN, bits)
    np.add(bits, rest, bits)
    np.right_shift(floats.view(np.int32), _SIXTEEN, rest)
    np.bitwise_and(rest, _SIGN, rest)
    np.bitwise_or(bits, rest, bits)
    np.copyto(halves, bits, casting="unsafe")


def _at_least_normal(magnitude: Array, out: Array) -> None:
    """Row by row: with a single number on one side NumPy takes the extremes one element at a time."""
    whole = magnitude.size // _ROW * _ROW
    np.maximum(magnitude[:whole].reshape(-1, _ROW), _SMALLEST_NORMAL, out=out[:whole].reshape(-1, _ROW))
    np.maximum(magnitude[whole:], _SMALLEST_NORMAL[: magnitude.size - whole], out=out[whole:])


def float32_of(array: Array) -> Array:
    """The array itself, or a new float32 array for halves."""
    if array.dtype not in HALVES:
        return array
    wide = np.empty(array.shape, np.float32)
    widen_all(array, wide)
    return wide


def widen_all(source: Array, target: Array) -> None:
    """As ``widen``, for arrays of any size and layout."""
    if source.dtype != FLOAT16 or not (source.flags.c_contiguous and target.flags.c_contiguous):
        np.copyto(target, source, casting="unsafe")
        return
    values, out = source.reshape(-1), target.reshape(-1)
    for start in range(0, values.size, PIECE):
        widen(values[start : start + PIECE], out[start : start + PIECE])


def store(source: Array, target: Array) -> None:
    """Writes a computed array into an output of any dtype, blockwise where it is a half."""
    if target.dtype != FLOAT16 or source.size < _SHORT or not (target.flags.c_contiguous and source.flags.c_contiguous):
        np.copyto(target, source, casting="unsafe")
        return
    values, out = source.reshape(-1), target.reshape(-1)
    scratch = Scratch()
    spare = scratch.take(PIECE), scratch.take(PIECE)
    for start in range(0, values.size, PIECE):
        narrow(values[start : start + PIECE], out[start : start + PIECE], spare)
    scratch.give_back()
