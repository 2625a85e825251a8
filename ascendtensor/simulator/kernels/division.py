"""Quotients of float32 that are rounded to integers, and what remains.

NumPy finds the remainder of two float32 by long division, which takes twenty times longer than a division. In float64 the quotient of two
float32 tells the integer below it without fail while it is less than 2**29, and the remainder is then exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ascendtensor.simulator.kernels.blocks import bind_steps, bind_ufunc
from ascendtensor.simulator.kernels.registry import Array, Task

_WORTH = 1024
_PIECE = 8192  # elements whose numbers of 64 bits stay in the cache
_EXACT = 2.0**22
"""Quotients up to here are those of NumPy, too, which rounds on the way to a larger one."""


def _steps(ufunc: np.ufunc, rounded: np.ufunc, sign_of_divisor: bool, remains: bool) -> Callable[[Array, Array, Array], None]:
    def piece(out: Array, a: Array, b: Array) -> None:
        wide, divisor = a.astype(np.float64), b.astype(np.float64)
        quotient = np.divide(wide, divisor)
        whole = rounded(quotient)
        if remains:
            np.multiply(whole, divisor, whole)
            np.subtract(wide, whole, whole)
        np.copyto(out, whole, casting="unsafe")
        if remains:
            np.copysign(out, b if sign_of_divisor else a, out)  # that of a zero; other remainders have it
        near = np.absolute(quotient, quotient) < _EXACT
        near &= np.isfinite(divisor)
        if not near.all():
            far = np.logical_not(near)
            out[far] = ufunc(a[far], b[far])

    def steps(out: Array, a: Array, b: Array) -> None:
        a, b = np.broadcast_to(a, out.shape), np.broadcast_to(b, out.shape)
        if out.ndim != 1:
            piece(out, a, b)
            return
        for start in range(0, out.size, _PIECE):
            at = slice(start, start + _PIECE)
            piece(out[at], a[at], b[at])

    return steps


UFUNCS: tuple[np.ufunc, ...] = (np.floor_divide, np.remainder, np.fmod)
_STEPS: dict[np.ufunc, Callable[[Array, Array, Array], None]] = {
    np.floor_divide: _steps(np.floor_divide, np.floor, False, False),
    np.remainder: _steps(np.remainder, np.floor, True, True),
    np.fmod: _steps(np.fmod, np.trunc, False, True),
}


def bind(ufunc: np.ufunc, operands: Sequence[Array], out: Array, half_loop: bool) -> Task:
    """Prepares one of these ufuncs; `half_loop` as of `blocks.bind_ufunc`."""
    if out.dtype != np.float32 or out.size < _WORTH:
        return bind_ufunc(ufunc, operands, out, half_loop=half_loop)
    return bind_steps(_STEPS[ufunc], operands, out)
