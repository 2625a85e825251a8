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
_SIXTEEN = _constant(16, np.uint32)
_TWENTY_THREE = _constant(23, np.uint32)
_OVERFLOW = _constant(2.0**16, FLOAT32)  # what rounds to infinity
_OVERFLOW_BITS = int(_OVERFLOW.view(np.int32))
_SIGN_BIT = _constant(_SIGN, np.uint32)
_SMALLEST_NORMAL = np.full(PIECE, 2.0**-14, FLOAT32)  # an array, since NumPy takes extremes with one number one element at a time
_POWERS = _constant((1 << 23) + (1 << 10), np.uint32)
_BIASES = _constant((13 << 23) - (113 << 10), np.uint32)


_MOST_FREE = 8
_FREE: Final[list[Room]] = []


class Room:
    """Flat arrays of one size to work in for as long as one kernel runs.

    Attributes:
        arrays: As many as were asked for, or more, with any contents.
    """

    __slots__ = ("arrays", "pieces", "size")

    def __init__(self, arrays: list[Array]) -> None:
        self.arrays = arrays
        self.pieces: list[Array] = []  # what they are parts of where they are kept
        self.size = 0

    def give_back(self) -> None:
        """Ends the use of the arrays; after an error they are just forgotten."""
        if self.pieces and len(_FREE) < _MOST_FREE:
            _FREE.append(self)


def lend(size: int, number: int, dtype: np.dtype[Any] = FLOAT32) -> Room:
    """Room for a kernel. Pieces of float32 are used again, and so are their parts where the size is that of the last time.

    Args:
        size: Elements of each array.
        number: How many arrays.
        dtype: Their element type.
    """
    if dtype is not FLOAT32 or size > PIECE:
        return Room([np.empty(size, dtype) for _ in range(number)])
    try:
        room = _FREE.pop()  # in one step, whichever threads come for it
    except IndexError:
        room = Room([])
    arrays, pieces = room.arrays, room.pieces
    if room.size != size:
        room.size = size
        arrays.clear()
    while len(arrays) < number:
        if len(arrays) == len(pieces):
            pieces.append(np.empty(PIECE, FLOAT32))
        arrays.append(pieces[len(arrays)][:size])
    return room


def free_rooms() -> None:
    """Keeps no room for kernels to come."""
    _FREE.clear()


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


def narrow(source: Array, target: Array, spare: tuple[Array, Array] | None = None) -> None:
    """Writes a C-contiguous float32 array into a half array of the same shape, to the nearest, ties to even.

    Args:
        source: Array of floats.
        target: Array of halves.
        spare: Two flat float32 arrays of at least that size to work in.
    """
    size = target.size
    if target.dtype != FLOAT16 or size < _NARROW or not target.flags.c_contiguous or source.dtype != FLOAT32:
        np.copyto(target, source, casting="unsafe")
        return
    if size > PIECE:
        store(source, target)
        return
    halves = target.reshape(-1).view(np.uint16)
    if spare is not None:
        done = _narrow(source.reshape(-1), halves, spare[0][:size], spare[1][:size])
    else:
        room = lend(size, 2)
        done = _narrow(source.reshape(-1), halves, room.arrays[0], room.arrays[1])
        room.give_back()
    if not done:
        np.copyto(target, source, casting="unsafe")


def _narrow(floats: Array, halves: Array, summand: Array, magnitude: Array) -> bool:
    """The same for flat arrays of bits; False where there is a NaN among them.

    Adding a power of two that is 2**13 times as large leaves the rounded mantissa in the lowest bits, since the addition itself rounds
    to even; 2**-1 at least, for subnormals. The summand's own lowest bits hold the exponent of the half, which the mantissa comes on top
    of.
    """
    source, bits = floats.view(np.uint32), summand.view(np.uint32)
    signed = source.item(source.argmax()) >= _OVERFLOW_BITS
    if signed:
        np.absolute(floats, magnitude)
        largest = magnitude.item(magnitude.argmax())
        if math.isnan(largest):
            return False
        if largest > _OVERFLOW:
            np.minimum(magnitude, _OVERFLOW, out=magnitude)
    else:
        magnitude = floats
    np.maximum(magnitude, _SMALLEST_NORMAL[: floats.size], out=summand)
    np.right_shift(bits, _TWENTY_THREE, bits)
    np.multiply(bits, _POWERS, bits)
    np.add(bits, _BIASES, bits)
    np.add(magnitude, summand, summand)
    if signed:
        sign = magnitude.view(np.uint32)
        np.right_shift(source, _SIXTEEN, sign)
        np.bitwise_and(sign, _SIGN_BIT, sign)
        np.bitwise_or(bits, sign, bits)
    np.copyto(halves, bits, casting="unsafe")
    return True


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
    room = lend(min(PIECE, values.size), 2)
    spare = room.arrays[0], room.arrays[1]
    for start in range(0, values.size, PIECE):
        narrow(values[start : start + PIECE], out[start : start + PIECE], spare)
    room.give_back()
