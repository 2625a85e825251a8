"""Functions of many steps for each element: in pieces whose temporaries all stay in the cache, on several threads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import blocks
from ascendtensor.simulator.kernels.blocks import Steps, bind_steps
from ascendtensor.simulator.kernels.halves import HALVES
from ascendtensor.simulator.kernels.masks import choose
from ascendtensor.simulator.kernels.registry import Array, Task
from ascendtensor.simulator.kernels.threads import shared

_PIECE = 1 << 14
_SHARED = 1 << 18
"""Elements that are worth several threads."""

# log(1 + u) = 2 s + s t for s = u / (2 + u), 0 <= u <= 1; t / s² in s². As u - s (u - t) its error is below 1.2e-7 in float32.
_LOG1P = tuple(map(np.float32, (0.66666323, 0.40024596, 0.27965158, 0.2815778)))


def bind(steps: Steps, x: Array, out: Array) -> Task:
    """Prepares steps without temporaries of one operand, as `blocks.bind_steps` does."""
    if x.dtype != out.dtype or x.dtype.kind != "f" or x.dtype.itemsize < 4 or x.size <= _PIECE or np.may_share_memory(x, out):
        return bind_steps(steps, [x], out)
    return _run, (steps, x.reshape(-1), out.reshape(-1))


def bind_ufunc(ufunc: np.ufunc, x: Array, out: Array) -> Task:
    """Prepares a function that NumPy asks the C library for element by element: on several threads where there are many."""
    if x.size <= _SHARED or x.dtype in HALVES or np.may_share_memory(x, out):
        return blocks.bind_ufunc(ufunc, [x], out)
    return bind(blocks.ufunc_steps(ufunc), x, out)


def _run(steps: Steps, x: Array, out: Array) -> None:
    def some(first: int, last: int) -> None:
        for piece in range(first, last):
            at = slice(piece * _PIECE, (piece + 1) * _PIECE)
            steps(out[at], x[at])

    shared(-(-x.size // _PIECE), some, x.size > _SHARED)


def bind_wide(steps: Steps, inputs: Sequence[Array], out: Array, work: np.dtype[Any]) -> Task:
    """Prepares steps without temporaries that compute in another dtype, as `blocks.bind_steps` does."""
    alike = all(x.shape == out.shape and x.dtype.kind == "f" and x.dtype.itemsize >= 4 for x in (*inputs, out))
    if not alike or out.size <= _PIECE or any(np.may_share_memory(x, out) for x in inputs):
        return bind_steps(steps, inputs, out, work=work)
    return _run_wide, (steps, [x.reshape(-1) for x in inputs], out.reshape(-1), work)


def _run_wide(steps: Steps, inputs: Sequence[Array], out: Array, work: np.dtype[Any]) -> None:
    def some(first: int, last: int) -> None:
        for piece in range(first, last):
            at = slice(piece * _PIECE, (piece + 1) * _PIECE)
            operands = [x[at].astype(work, copy=False) for x in inputs]
            result = np.empty(operands[0].shape, work)
            steps(result, *operands)
            np.copyto(out[at], result, casting="unsafe")

    shared(-(-out.size // _PIECE), some, out.size > _SHARED)


def log1p_of_share(u: Array) -> None:
    """Replaces numbers from 0 to 1, of float32 from -1/2, by log(1 + u)."""
    if u.dtype != np.float32:
        np.log1p(u, u)
        return
    share = np.add(u, np.float32(2))
    np.divide(u, share, share)
    square = np.multiply(share, share)
    rest = np.multiply(square, _LOG1P[-1])
    for coefficient in _LOG1P[-2::-1]:
        np.add(rest, coefficient, rest)
        np.multiply(rest, square, rest)
    np.subtract(u, rest, rest)
    np.multiply(share, rest, rest)
    np.subtract(u, rest, u)


def expm1_below(x: Array) -> None:
    """Replaces numbers up to 0 by exp(x) - 1, which is 2 t / (1 - t) for t = tanh(x / 2)."""
    if x.dtype != np.float32:
        np.expm1(x, x)
        return
    np.multiply(x, np.float32(0.5), x)
    np.tanh(x, x)
    rest = np.subtract(np.float32(1), x)
    np.add(x, x, x)
    np.divide(x, rest, x)


def log1p(out: Array, x: Array) -> None:
    """Writes log(1 + x)."""
    if x.dtype != np.float32:
        np.log1p(x, out)
        return
    np.copyto(out, x)
    log1p_of_share(out)
    near = np.logical_and(x >= np.float32(-0.5), x <= np.float32(1))
    if not near.all():  # 1 + x is rounded by less than what its logarithm is accurate to
        far = np.add(x, np.float32(1))
        choose(out, near, out, np.log(far, far))


def expm1(out: Array, x: Array) -> None:
    """Writes exp(x) - 1."""
    if x.dtype != np.float32:
        np.expm1(x, out)
        return
    np.minimum(x, np.float32(1), out=out)
    expm1_below(out)
    large = x > np.float32(1)
    if large.any():
        far = np.exp(x)
        choose(out, large, np.subtract(far, np.float32(1), far), out)


# (sinh(x) / x - 1) / x² in x², the Taylor series, whose next term is below 2e-10 for |x| <= 1
_SINH = tuple(np.float32(1 / math.factorial(power)) for power in (3, 5, 7, 9, 11))


def sinh(out: Array, x: Array) -> None:
    """Writes the hyperbolic sine."""
    if x.dtype != np.float32:
        np.sinh(x, out)
        return
    square = np.multiply(x, x)
    np.multiply(square, _SINH[-1], out)
    for coefficient in _SINH[-2::-1]:
        np.add(out, coefficient, out)
        np.multiply(out, square, out)
    np.multiply(out, x, out)
    np.add(out, x, out)
    size = np.absolute(x, square)
    large = size > np.float32(1)
    if large.any():
        np.copyto(out, np.copysign(_half_sum(size, -1), x), where=large)


def cosh(out: Array, x: Array) -> None:
    """Writes the hyperbolic cosine."""
    if x.dtype != np.float32:
        np.cosh(x, out)
        return
    np.copyto(out, _half_sum(np.absolute(x), 1))


def _half_sum(size: Array, sign: int) -> Array:
    """exp(size) / 2, plus or minus exp(-size) / 2; also where exp(size) has no room in float32, but half of it has."""
    half = np.float32(0.5)
    whole = np.exp(size)
    rest = np.divide(np.float32(0.5 * sign), whole)
    np.multiply(whole, half, whole)
    np.add(whole, rest, whole)
    large = size > np.float32(88)
    if large.any():
        root = np.exp(np.multiply(size, half))
        np.copyto(whole, np.multiply(np.multiply(root, half), root), where=large)
    return whole


def atanh(out: Array, x: Array) -> None:
    """Writes the inverse hyperbolic tangent, as half of log(1 + 2 |x| / (1 - |x|))."""
    if x.dtype != np.float32:
        np.arctanh(x, out)
        return
    size = np.absolute(x)
    rest = np.subtract(np.float32(1), size)
    np.add(size, size, size)
    np.divide(size, rest, size)
    log1p(out, size)
    np.multiply(out, np.float32(0.5), out)
    np.copysign(out, x, out)


# (atan(r) / r - 1) / r² in r², for 0 <= r <= 1: interpolated at nine Chebyshev points, the error of atan(r) / r is below 3e-8
_ATAN = tuple(
    map(
        np.float32,
        (-0.333333317, 0.199997393, -0.142785687, 0.110337641, -0.0865688043, 0.0625016944, -0.035871539, 0.0135077714, -0.00238699732),
    )
)


def atan(out: Array, x: Array) -> None:
    """Writes the inverse tangent, above 1 as pi / 2 less that of 1 / x."""
    if x.dtype != np.float32:
        np.arctan(x, out)
        return
    one = np.float32(1)
    size = np.absolute(x)
    ratio = np.divide(one, size)
    np.minimum(size, ratio, out=ratio)
    square = np.multiply(ratio, ratio)
    np.multiply(square, _ATAN[-1], out)
    for coefficient in _ATAN[-2::-1]:
        np.add(out, coefficient, out)
        np.multiply(out, square, out)
    np.multiply(out, ratio, out)
    np.add(out, ratio, out)
    np.subtract(one, size, size)
    np.copysign(one, size, size)  # -1 above 1
    np.multiply(out, size, out)
    np.subtract(one, size, size)
    np.multiply(size, np.float32(math.pi / 4), size)
    np.add(out, size, out)
    np.copysign(out, x, out)
