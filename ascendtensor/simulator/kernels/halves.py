"""float16 and bfloat16 to float32 and back, for arrays that fit the cache.

NumPy converts float16 one element at a time. The functions here do the same, to the same bits (NaN payloads aside): with integer
operations on whole arrays, on short ones by a table of all halves. ml_dtypes' loops for bfloat16 are quick.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.registry import BFLOAT16, Array

FLOAT16: Final = np.dtype(np.float16)
FLOAT32: Final = np.dtype(np.float32)
HALVES: Final = frozenset((FLOAT16, BFLOAT16))

PIECE: Final = 65536
"""Elements that are converted at once."""
_TABLE = 2048  # from here on a table is quicker than the loop from float16
_STEPS = 5120  # from here on whole-array steps are quicker than the table
_NARROW = 2560  # from here on whole-array steps are quicker than the loop to float16


def _constant(value: float, kind: Any) -> Array:
    """A 0-d array, which a ufunc takes faster than a scalar."""
    return np.array(value, kind)


EVERY: Final = np.arange(1 << 16, dtype=np.uint16)
"""The bits of every half, which are their places in a table of all."""
_WIDE: Final[Array] = EVERY.view(FLOAT16).astype(FLOAT32)
_INFINITY, _MINUS_INFINITY = 0x7C00, 0xFC00  # with NaNs above them, the one among int16, the other among uint16
_SIGN = 0x8000
_SIGN_AND_VALUE = _constant(-0x70002000, np.int32)  # 0x8FFFE000
_TWO_112 = _constant(2.0**112, FLOAT32)
_THIRTEEN = _constant(13, np.int32)
_TWENTY_THREE = _constant(23, np.uint32)


def _summands() -> Array:
    """What is added to a float32 of each sign and exponent so that the last 16 bits of the sum are those of the float16.

    A power of two that is 2**13 times as large (2**-1 at least, for subnormals): the addition itself rounds to even, at the right bit.
    Its own last bits are the sign and the exponent of the float16, which the rounded mantissa comes on top of. What overflows vanishes
    beside 2**127 with the bits of infinity. For infinities, NaNs and what isn't small beside 2**127 it is NaN.
    """
    sign, exponent = np.divmod(np.arange(512, dtype=np.uint32), 256)
    normal = np.maximum(exponent, 113)
    summand = np.where(exponent < 143, normal + 13 << 23 | normal - 113 << 10, 0x7F007C00)
    bits = np.where(exponent < 230, summand | sign << 31 | sign << 15, 0x7FC00000)
    return bits.astype(np.uint32).view(FLOAT32)


_SUMMANDS: Final = _summands()


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
    if source.dtype != FLOAT16 or source.size < _TABLE or not source.flags.c_contiguous or target.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    halves, bits = source.view(np.int16), source.view(np.uint16)
    last = bits.item(bits.argmax())  # the sign is the highest bit
    if source.size < _STEPS or last >= _MINUS_INFINITY or halves.item(halves.argmax()) >= _INFINITY:
        _WIDE.take(bits, None, target, "clip")
        return
    wide = target.view(np.int32)
    np.copyto(wide, halves)
    np.left_shift(wide, _THIRTEEN, wide)
    if last >= _SIGN:
        np.bitwise_and(wide, _SIGN_AND_VALUE, wide)
    np.multiply(target, _TWO_112, target)


def narrow(source: Array, target: Array, spare: Array | None = None) -> None:
    """Writes a C-contiguous float32 array into a half array of the same shape, to the nearest, ties to even.

    Args:
        source: Array of floats.
        target: Array of halves.
        spare: A flat float32 array of at least that size to work in.
    """
    if target.dtype != FLOAT16 or target.size < _NARROW or not target.flags.c_contiguous or source.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    floats = source.reshape(-1)
    sums = np.empty(floats.size, FLOAT32) if spare is None else spare[: floats.size]
    bits = sums.view(np.uint32)
    np.right_shift(floats.view(np.uint32), _TWENTY_THREE, bits)
    _SUMMANDS.take(bits, None, sums, "clip")
    np.add(sums, floats, sums)
    if math.isnan(sums.item(sums.argmax())):
        np.copyto(target, source, casting="unsafe")
    else:
        np.copyto(target.reshape(-1).view(np.uint16), bits, casting="unsafe")


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
    if target.dtype != FLOAT16 or source.size < _NARROW or not (target.flags.c_contiguous and source.flags.c_contiguous):
        np.copyto(target, source, casting="unsafe")
        return
    values, out = source.reshape(-1), target.reshape(-1)
    scratch = Scratch()
    spare = scratch.take(min(PIECE, values.size))
    for start in range(0, values.size, PIECE):
        narrow(values[start : start + PIECE], out[start : start + PIECE], spare)
    scratch.give_back()
