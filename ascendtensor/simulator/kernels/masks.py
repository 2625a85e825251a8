"""Choosing by a mask, on bits: no branches, so that a random mask costs no more than a constant one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.registry import Array

_STORAGE: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_SHORT = 2048
_PIECE = 1 << 16
_RARE = 1 / 32
_STRETCHES, _STRETCH = 64, 64
"""How many stretches of a mask are looked at for a guess, and of how many elements."""


def _bits(condition: Array, storage: Any) -> Array:
    """All ones where the condition holds, else zero."""
    ones = np.negative(condition.view(np.int8))
    return ones if storage is np.int8 else ones.astype(storage)


def choose(out: Array, condition: Array, chosen: Array, other: Array) -> None:
    """Writes ``chosen`` where the condition holds, else ``other``; all of the output's dtype, broadcastable to it.

    ``out`` may be ``chosen`` or ``other``.
    """
    storage = _STORAGE.get(out.dtype.itemsize)
    if storage is None or out.size <= _SHORT:
        np.copyto(out, np.where(condition, chosen, other))
        return
    bits = _bits(condition, storage)
    result, kept = out.view(storage), other.view(storage)
    if np.may_share_memory(out, other):
        difference = np.bitwise_and(np.bitwise_xor(chosen.view(storage), kept), bits)
        np.bitwise_xor(kept, difference, result)
        return
    np.bitwise_xor(chosen.view(storage), kept, result)
    np.bitwise_and(result, bits, result)
    np.bitwise_xor(result, kept, result)


def share(mask: Array) -> float:
    """About which share of a flat mask is true, as far as some of its elements say; none of a very short one."""
    step = mask.size // _STRETCHES
    return int(np.count_nonzero(mask[: step * _STRETCHES].reshape(_STRETCHES, step)[:, :_STRETCH])) / (_STRETCHES * _STRETCH)


def fill(out: Array, condition: Array, value: Array) -> None:
    """Writes one number where the condition holds; the output and the condition are of one shape and without gaps.

    Where the condition holds nearly everywhere or nearly nowhere, branches guess right and few elements or none are read. A mask that looks
    so is not counted piece by piece.
    """
    storage = _STORAGE[out.dtype.itemsize]
    whole, mask, number = out.reshape(-1).view(storage), condition.reshape(-1), value.view(storage)
    if whole.size > _PIECE and _by_branches(share(mask), storage):
        np.copyto(whole, number, where=mask)
        return
    for begin in range(0, whole.size, _PIECE):
        piece, held = whole[begin : begin + _PIECE], mask[begin : begin + _PIECE]
        if _by_branches(int(np.count_nonzero(held)) / held.size, storage):
            np.copyto(piece, number, where=held)
        else:
            choose(piece, held, number, piece)


def _by_branches(true: float, storage: Any) -> bool:
    return true < _RARE or (true > 1 - _RARE and storage is not np.int8)


def clear(out: Array, condition: Array) -> None:
    """Writes 0 where the condition holds."""
    storage = _STORAGE.get(out.dtype.itemsize)
    if storage is None or out.size <= _SHORT:
        np.copyto(out, 0, where=condition)
        return
    # true is 1, 1 - 1 is 0; false gives -1, all ones
    kept = np.subtract(condition.view(np.int8), np.int8(1))
    np.bitwise_and(out.view(storage), kept if storage is np.int8 else kept.astype(storage), out.view(storage))
