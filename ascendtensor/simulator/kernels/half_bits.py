"""float16 and bfloat16 by their bits: signs, sizes and order are those of 16-bit integers, which NumPy works on many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import FLOAT16, HALVES, PIECE
from ascendtensor.simulator.kernels.registry import BFLOAT16, Array, Task

Steps = Callable[..., None]

_INT16: Final = np.dtype(np.int16)
_UINT16: Final = np.dtype(np.uint16)
_SIZE: Final = np.array(0x7FFF, np.int16)
_SIGN: Final = np.array(-0x8000, np.int16)
_FIFTEEN: Final = np.array(15, np.int16)
_ZERO: Final = np.array(0, np.int16)

WORTH: Final = 1024
"""Elements from which comparing bits with those of one number costs less than any loop."""


def bits(x: Array) -> Array:
    """The elements as integers; bool arrays as they are."""
    return x.view(_INT16) if x.dtype in HALVES else x


_INFINITY: Final = {FLOAT16: 0x7C00, BFLOAT16: 0x7F80}
_SIGN_BIT: Final = 0x8000


def _places(x: Array, infinity: int) -> Array | None:
    """Integers in the numbers' order, 0 for both zeros; the bits themselves where no sign is set, None with a NaN among them."""
    numbers = x.view(_UINT16)
    last = numbers.item(numbers.argmax())
    if last < _SIGN_BIT or last > _SIGN_BIT + infinity:
        return x if last <= infinity else None
    place = _signed_places(x)
    return place if place.item(place.argmax()) <= infinity else None


def _signed_places(x: Array) -> Array:
    negative = np.right_shift(x, _FIFTEEN)
    place = np.asarray(np.bitwise_and(negative, _SIZE))  # of 0 dims NumPy gives a scalar
    np.bitwise_xor(place, x, place)
    np.subtract(place, negative, place)
    return place


def turned(x: Array, out: Array) -> None:
    """Writes integers in the order of all the numbers whose bits are given, -0.0 below 0.0; done again it gives the bits back.

    NaNs come beyond the infinity of their sign. `out` may be `x`.
    """
    negative = np.right_shift(x, _FIFTEEN)
    np.bitwise_and(negative, _SIZE, negative)
    np.bitwise_xor(negative, x, out)


def lowest(dtype: np.dtype[Any]) -> int:
    """What ``turned`` makes of -infinity."""
    return -1 - _INFINITY[dtype]


def signs(x: Array, dtype: np.dtype[Any]) -> tuple[bool, bool]:
    """Whether an array of at least one half's bits has any with a sign, and whether such a one is NaN."""
    numbers = x.view(_UINT16)
    last = numbers.item(numbers.argmax())
    return last >= _SIGN_BIT, last > _SIGN_BIT + _INFINITY[dtype]


def places(x: Array) -> Array | None:
    """Integers in the order of an array's numbers, 0 for both zeros; None with a NaN among them."""
    return _places(x.view(_INT16), _INFINITY[x.dtype]) if x.size else x.view(_INT16)


def compared(x: Array, dtype: np.dtype[Any]) -> Array | None:
    """The same for the bits of an array of at least one half."""
    return _places(x, _INFINITY[dtype])


def order(x: Array) -> Array:
    """Integers in the numbers' order, 0 for both zeros, the largest for NaN."""
    place = places(x)
    if place is None:
        values = x.view(_INT16)
        place = np.where(np.bitwise_and(values, _SIZE) > _INFINITY[x.dtype], _SIZE, _signed_places(values))
    return place


def _ordered(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    infinity = _INFINITY[dtype]

    def steps(out: Array, a: Array, b: Array) -> None:
        left, right = _places(a, infinity), _places(b, infinity)
        if left is not None and right is not None:
            ufunc(left, right, out)
        else:
            ufunc(a.view(dtype), b.view(dtype), out)

    return steps


def _equality(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    """Equal bits, or two zeros."""
    infinity = _INFINITY[dtype]

    def steps(out: Array, a: Array, b: Array) -> None:
        size = np.bitwise_and(a, _SIZE)
        if size.item(size.argmax()) > infinity:
            ufunc(a.view(dtype), b.view(dtype), out)
            return
        both = np.bitwise_or(a, b)
        np.bitwise_and(both, _SIZE, both)
        ufunc(a, b, out)
        if ufunc is np.equal:
            np.logical_or(out, np.equal(both, 0), out)
        else:
            np.logical_and(out, both, out)

    return steps


def equality_task(ufunc: np.ufunc, x: Array, number: Array, out: Array) -> Task:
    """Which halves are equal, or not equal, to one number."""
    if x.flags.c_contiguous and out.flags.c_contiguous:
        x, out = x.reshape(-1), out.reshape(-1)
    return _equal_to, (ufunc, x.view(_INT16), number.view(_INT16).reshape(()), _INFINITY[x.dtype], out)


def _equal_to(ufunc: np.ufunc, x: Array, number: Array, infinity: int, out: Array) -> None:
    size = number.item() & 0x7FFF
    if size > infinity:
        out.fill(ufunc is np.not_equal)
    elif size:
        ufunc(x, number, out)
    else:
        step = PIECE if x.ndim == 1 else max(len(x), 1)
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            ufunc(np.bitwise_and(x[part], _SIZE), _ZERO, out[part])


def argument(largest: bool, x: Array) -> int | None:
    """The first place of the largest or the smallest element of a vector; None with a NaN, or where that depends on more than bits.

    The largest number is the largest integer if it is positive, the smallest one the largest without sign if it is negative.
    """
    values, numbers = x.view(_INT16), x.view(_UINT16)
    infinity = _INFINITY[x.dtype]
    high, low = int(values.argmax()), int(numbers.argmax())
    top, bottom = values.item(high), numbers.item(low)
    if top > infinity or bottom > _SIGN_BIT + infinity:
        return None
    if largest:
        return high if top > 0 else None
    return low if bottom > _SIGN_BIT else None if bottom == _SIGN_BIT else int(values.argmin())


def _extreme(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    """That of the bits, or of two negative numbers the other extreme of their bits."""
    infinity, largest = _INFINITY[dtype], ufunc is np.maximum

    def steps(out: Array, a: Array, b: Array) -> None:
        lasts = [each.item(each.argmax()) for each in (a.view(_UINT16), b.view(_UINT16))]
        odd = max(lasts) > _SIGN_BIT + infinity
        if not largest and not odd:  # a NaN without a sign is the largest by itself
            odd = any(each.item(each.argmax()) > infinity for each in (a, b))
        if odd:
            ufunc(a.view(dtype), b.view(dtype), out=out.view(dtype))
        elif min(lasts) < _SIGN_BIT:
            ufunc(a, b, out=out)
        else:
            negative = np.asarray(np.bitwise_and(a, b))  # of 0 dims NumPy gives a scalar
            np.right_shift(negative, _FIFTEEN, negative)
            np.bitwise_and(negative, np.bitwise_xor(a, b), negative)
            np.bitwise_xor(ufunc(a, b), negative, out)

    return steps


def _size_against(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    infinity = np.array(_INFINITY[dtype], np.int16)

    def steps(out: Array, x: Array) -> None:
        ufunc(np.bitwise_and(x, _SIZE), infinity, out)

    return steps


def steps_of(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps | None:
    """What a ufunc does to the bits of a half type; None where the way through float32 is shorter."""
    make = _FOR_BOTH.get(ufunc) or (_FOR_FLOAT16.get(ufunc) if dtype == FLOAT16 else None)
    return None if make is None else make(ufunc, dtype)


def _with_size(out: Array, x: Array) -> None:
    np.bitwise_and(x, _SIZE, out)


def _turned(out: Array, x: Array) -> None:
    np.bitwise_xor(x, _SIGN, out)


_ORDERED: Final = (np.less, np.less_equal, np.greater, np.greater_equal)
_EXTREMES: Final = (np.maximum, np.minimum)
_Make = Callable[[np.ufunc, np.dtype[Any]], Steps]
_FOR_BOTH: Final[dict[np.ufunc, _Make]] = {
    np.equal: _equality,
    np.not_equal: _equality,
    np.isnan: lambda _, dtype: _size_against(np.greater, dtype),
    np.isinf: lambda _, dtype: _size_against(np.equal, dtype),
    np.isfinite: lambda _, dtype: _size_against(np.less, dtype),
    np.absolute: lambda _, dtype: _with_size,
    np.negative: lambda _, dtype: _turned,
    **dict.fromkeys(_EXTREMES, _extreme),
}
_FOR_FLOAT16: Final[dict[np.ufunc, _Make]] = dict.fromkeys(_ORDERED, _ordered)
_EQUALITY: Final = (np.equal, np.not_equal)
_CLASSES: Final = (np.isnan, np.isinf, np.isfinite, np.negative)
_ANY: Final = 1 << 62
_LIMIT: Final = {FLOAT16: 4608, BFLOAT16: 8192}
_LIMITS: Final[dict[np.dtype[Any], dict[np.ufunc, int]]] = {
    FLOAT16: {
        **dict.fromkeys(_ORDERED, 3584),
        **dict.fromkeys((*_EQUALITY, *_EXTREMES), 1536),
        **dict.fromkeys(_CLASSES, 512),
        np.absolute: _ANY,
    },
    BFLOAT16: {
        **dict.fromkeys(_ORDERED, 6144),
        **dict.fromkeys(_EQUALITY, 4096),
        **dict.fromkeys((*_CLASSES, np.absolute), 512),
        **dict.fromkeys(_EXTREMES, 6144),
        np.fmod: _ANY,
    },
}


def loop_limit(ufunc: np.ufunc, dtype: np.dtype[Any]) -> int:
    """Up to how many elements the loop that NumPy or ml_dtypes has for the half type is quicker than anything else, as measured."""
    return _LIMITS[dtype].get(ufunc, _LIMIT[dtype])
