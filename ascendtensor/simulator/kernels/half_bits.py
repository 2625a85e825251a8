"""float16 and bfloat16 by their bits: signs, sizes and order are those of 16-bit integers, which NumPy works on many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.halves import FLOAT16, HALVES
from ascendtensor.simulator.kernels.masks import choose
from ascendtensor.simulator.kernels.registry import BFLOAT16, Array

Steps = Callable[..., None]

_INT16: Final = np.dtype(np.int16)
_SIZE: Final = np.array(0x7FFF, np.int16)
_SIGN: Final = np.array(-0x8000, np.int16)
_FIFTEEN: Final = np.array(15, np.int16)
_ONE: Final = np.array(1, np.int16)


def bits(x: Array) -> Array:
    """The elements as integers; bool arrays as they are."""
    return x.view(_INT16) if x.dtype in HALVES else x


def _infinity(dtype: np.dtype[Any]) -> Array:
    return np.array(0x7C00 if dtype == FLOAT16 else 0x7F80, np.int16)


def _unit(dtype: np.dtype[Any]) -> Array:
    return np.array(0x3C00 if dtype == FLOAT16 else 0x3F80, np.int16)


def _places(x: Array) -> Array:
    """Integers in the numbers' order, 0 for both zeros."""
    negative = np.right_shift(x, _FIFTEEN)
    place = np.asarray(np.bitwise_and(negative, _SIZE))  # of 0 dims NumPy gives a scalar
    np.bitwise_xor(place, x, place)
    np.subtract(place, negative, place)
    return place


def _no_nan(place: Array, infinity: Array) -> bool:
    return bool(np.maximum.reduce(place, axis=None) <= infinity) and bool(np.minimum.reduce(place, axis=None) >= -infinity)


def order(x: Array) -> Array:
    """Integers in the numbers' order, 0 for both zeros, the largest for NaN."""
    values = x.view(_INT16)
    place = _places(values)
    if not _no_nan(place, _infinity(x.dtype)):
        np.copyto(place, _SIZE, where=np.bitwise_and(values, _SIZE) > _infinity(x.dtype))
    return place


def _ordered(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    infinity = _infinity(dtype)

    def steps(out: Array, a: Array, b: Array) -> None:
        left, right = _places(a), _places(b)
        if _no_nan(left, infinity) and _no_nan(right, infinity):
            ufunc(left, right, out)
        else:
            ufunc(a.view(dtype), b.view(dtype), out)

    return steps


def _equality(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    """Equal bits, or two zeros."""
    infinity = _infinity(dtype)

    def steps(out: Array, a: Array, b: Array) -> None:
        if np.maximum.reduce(np.bitwise_and(a, _SIZE), axis=None) > infinity:
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


def _extreme(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    infinity = _infinity(dtype)
    wins = np.greater_equal if ufunc is np.maximum else np.less_equal

    def steps(out: Array, a: Array, b: Array) -> None:
        left, right = _places(a), _places(b)
        if _no_nan(left, infinity) and _no_nan(right, infinity):
            choose(out, wins(left, right), a, b)
        else:
            ufunc(a.view(dtype), b.view(dtype), out=out.view(dtype))

    return steps


def _size_against(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps:
    infinity = _infinity(dtype)

    def steps(out: Array, x: Array) -> None:
        ufunc(np.bitwise_and(x, _SIZE), infinity, out)

    return steps


def _sign(dtype: np.dtype[Any]) -> Steps:
    infinity, unit = _infinity(dtype), _unit(dtype)

    def steps(out: Array, x: Array) -> None:
        size = np.bitwise_and(x, _SIZE)
        if np.maximum.reduce(size, axis=None) > infinity:
            np.sign(x.view(dtype), out.view(dtype))
            return
        np.minimum(size, _ONE, out=size)
        np.right_shift(x, _FIFTEEN, out)
        np.bitwise_or(out, _ONE, out)
        np.multiply(out, size, out)
        np.bitwise_and(out, _SIGN, out)
        np.multiply(size, unit, size)
        np.bitwise_or(out, size, out)

    return steps


def steps_of(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Steps | None:
    """What a ufunc does to the bits of a half type; None where the half loop or the way through float32 is shorter."""
    if loop_is_fast(ufunc, dtype):
        return None
    make = _FOR_BOTH.get(ufunc) or (_FOR_FLOAT16.get(ufunc) if dtype == FLOAT16 else None)
    return None if make is None else make(ufunc, dtype)


def _with_size(out: Array, x: Array) -> None:
    np.bitwise_and(x, _SIZE, out)


def _turned(out: Array, x: Array) -> None:
    np.bitwise_xor(x, _SIGN, out)


_Make = Callable[[np.ufunc, np.dtype[Any]], Steps]
_FOR_BOTH: Final[dict[np.ufunc, _Make]] = {
    np.equal: _equality,
    np.not_equal: _equality,
    np.isnan: lambda _, dtype: _size_against(np.greater, dtype),
    np.isinf: lambda _, dtype: _size_against(np.equal, dtype),
    np.isfinite: lambda _, dtype: _size_against(np.less, dtype),
    np.absolute: lambda _, dtype: _with_size,
    np.negative: lambda _, dtype: _turned,
}
_FOR_FLOAT16: Final[dict[np.ufunc, _Make]] = {
    **dict.fromkeys((np.less, np.less_equal, np.greater, np.greater_equal), _ordered),
    **dict.fromkeys((np.maximum, np.minimum), _extreme),
    np.sign: lambda _, dtype: _sign(dtype),
}
_FAST_LOOPS: Final = {
    FLOAT16: frozenset((np.absolute,)),
    BFLOAT16: frozenset((np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum, np.sign, np.fmod)),
}


def loop_is_fast(ufunc: np.ufunc, dtype: np.dtype[Any]) -> bool:
    """Whether the loop that NumPy or ml_dtypes has for the half type is quicker than anything else at any size."""
    return ufunc in _FAST_LOOPS[dtype]
