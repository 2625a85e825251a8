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
_PIECE = 65536
_EXPONENT16 = np.int16(0x7C00)
_SIGN16 = np.int16(-0x8000)
_SIGN_AND_VALUE = np.int32(-0x70002000)  # 0x8FFFE000
_TWO_112 = np.float32(2.0**112)
_EXPONENT = np.int32(0x7F800000)
_SMALLEST_NORMAL = np.int32(113 << 23)
_THIRTEEN = np.int32(13 << 23)
_REBIAS = np.int16(np.array((113 + 13) << 10).astype(np.int16))
_OVERFLOW = np.float32(65536.0)


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
    np.left_shift(bits, 13, bits)
    np.bitwise_and(bits, _SIGN_AND_VALUE, bits)
    np.multiply(floats, _TWO_112, floats)


def narrow(source: Array, target: Array) -> None:
    """Writes a C-contiguous float32 array into a half array of the same shape, to the nearest, ties to even."""
    if target.dtype != FLOAT16 or target.size < _SHORT or not target.flags.c_contiguous or source.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    floats = source.reshape(-1)
    halves = target.reshape(-1).view(np.int16)
    magnitude = np.absolute(floats)
    largest = np.maximum.reduce(magnitude)
    if not largest < 65504.0:
        if largest != largest:
            np.copyto(target, source, casting="unsafe")
            return
        np.minimum(magnitude, _OVERFLOW, out=magnitude)
    # Adding 2**(exponent + 13) leaves the rounded value in the lowest bits: the addition itself rounds to even.
    magic = np.bitwise_and(magnitude.view(np.int32), _EXPONENT)
    np.maximum(magic, _SMALLEST_NORMAL, out=magic)
    np.add(magic, _THIRTEEN, magic)
    np.add(magnitude, magic.view(np.float32), magnitude)
    np.copyto(halves, magnitude.view(np.int32), casting="unsafe")
    np.right_shift(magic, 13, magic)
    short = magic.astype(np.int16)
    np.add(halves, short, halves)
    np.subtract(halves, _REBIAS, halves)
    np.bitwise_and(floats.view(np.int16)[_HIGH::2], _SIGN16, short)
    np.bitwise_or(halves, short, halves)


_HIGH = 1 if np.little_endian else 0


def float32_of(array: Array) -> Array:
    """The array itself, or a new float32 array for halves."""
    if array.dtype not in HALVES:
        return array
    wide = np.empty(array.shape, np.float32)
    widen_all(array, wide)
    return wide


def widen_all(source: Array, target: Array) -> None:
    """As ``widen``, for arrays of any size and layout."""
    if source.dtype != FLOAT16 or source.size <= _PIECE or not (source.flags.c_contiguous and target.flags.c_contiguous):
        np.copyto(target, source, casting="unsafe")
        return
    values, out = source.reshape(-1), target.reshape(-1)
    for start in range(0, values.size, _PIECE):
        widen(values[start : start + _PIECE], out[start : start + _PIECE])


def store(source: Array, target: Array) -> None:
    """Writes a computed array into an output of any dtype, blockwise where it is a half."""
    if target.dtype != FLOAT16 or source.size <= _PIECE or not (target.flags.c_contiguous and source.flags.c_contiguous):
        np.copyto(target, source, casting="unsafe")
        return
    values, out = source.reshape(-1), target.reshape(-1)
    for start in range(0, values.size, _PIECE):
        narrow(values[start : start + _PIECE], out[start : start + _PIECE])
