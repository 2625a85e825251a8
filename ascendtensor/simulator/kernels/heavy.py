"""Functions of many steps for each element: in pieces whose temporaries all stay in the cache, on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.blocks import Steps, bind_steps
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
    """Replaces numbers from 0 to 1 by log(1 + u)."""
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
