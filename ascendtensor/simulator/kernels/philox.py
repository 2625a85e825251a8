"""Philox4x32-10 (Salmon et al. 2011): 32-bit words that a key and a place in its sequence give.

randomgen (the extra "random") computes them in C; without it NumPy gives the same words in ten rounds of passes over arrays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ascendtensor.simulator.kernels.importing import whole
from ascendtensor.simulator.kernels.registry import Array

_LOW: Final = np.uint64(0xFFFFFFFF)
_HALF: Final = np.uint64(32)
_MULTIPLIERS: Final = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_WEYL: Final = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
_ROUNDS: Final = 10
_MASK64: Final = (1 << 64) - 1
_MASK128: Final = (1 << 128) - 1

Counter = tuple[int, int]


def words(key: int, counter: Counter, first: int, blocks: int) -> Array:
    """Words of the sequence of a key.

    Args:
        key: 64 bits.
        counter: Low and high 64 bits of the counter of block 0.
        first: Block to begin with.
        blocks: How many blocks of four words.

    Returns:
        uint32[4 * blocks].
    """
    if not in_c():
        return computed(key, counter, first, blocks)
    generator = _taken()
    made: Array = generator.move(key, counter, first).integers(0, 1 << 32, 4 * blocks, np.uint32)
    _spare.append(generator)
    return made


def in_c() -> bool:
    """Whether randomgen is there."""
    return _library() is not None


def fractions(key: int, counter: Counter, first: int, out: Array) -> None:
    """Writes the upper 24 bits of each word, as float32 in [0, 1), into a contiguous array; randomgen has to be there."""
    generator = _taken()
    generator.move(key, counter, first).random(dtype=np.float32, out=out)
    _spare.append(generator)


# In C


@lru_cache(maxsize=1)
def _library() -> Any:
    """The package, imported by the first draw and not before; None where it isn't there."""
    try:
        return whole("randomgen")
    except ImportError:
        return None


class _Generator:
    """NumPy's generator over the words, which moves to another place in a fifth of the time that making one takes."""

    __slots__ = ("_bits", "_counter", "_key", "_state", "drawing")
    _counter: memoryview
    _key: memoryview

    def __init__(self) -> None:
        self._bits = _library().Philox(key=0, counter=0, number=4, width=32)
        self.drawing = np.random.Generator(self._bits)
        self._state = self._bits.state
        self._counter, self._key = (memoryview(self._state["state"][part]).cast("B") for part in ("counter", "key"))

    def move(self, key: int, counter: Counter, first: int) -> np.random.Generator:
        """Goes to a block of a key's sequence."""
        before = ((counter[1] << 64 | counter[0]) + first - 1) & _MASK128  # it counts on before it makes a block
        self._counter[:] = before.to_bytes(16, "little")
        self._key[:] = key.to_bytes(8, "little")
        self._bits.state = self._state
        return self.drawing


_spare: Final[list[_Generator]] = []
"""Those that nobody uses now."""


def _taken() -> _Generator:
    try:
        return _spare.pop()
    except IndexError:
        return _Generator()


# In NumPy


def computed(key: int, counter: Counter, first: int, blocks: int) -> Array:
    """`words` without randomgen."""
    begin = (counter[0] + first) & _MASK64
    high = (counter[1] + (counter[0] + first >> 64)) & _MASK64
    low = np.arange(blocks, dtype=np.uint64) + np.uint64(begin)
    upper = np.full(blocks, high, np.uint64)
    if begin + blocks > _MASK64:
        upper[low < np.uint64(begin)] = (high + 1) & _MASK64
    # Lanes 0 and 2 are multiplied, lanes 1 and 3 only mixed in: two at a time halve the number of NumPy calls.
    even, odd = np.empty((2, blocks), np.uint64), np.empty((2, blocks), np.uint64)
    for lane, part in enumerate((low, upper)):
        np.bitwise_and(part, _LOW, even[lane])
        np.right_shift(part, _HALF, odd[lane])
    product = np.empty_like(even)
    crossed = product[::-1]
    keys = np.array([key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF], np.uint64) + np.arange(_ROUNDS, dtype=np.uint64)[:, None] * _WEYL
    for pair in (keys & _LOW)[:, :, None]:
        np.multiply(even, _MULTIPLIERS, product)
        np.right_shift(crossed, _HALF, even)
        np.bitwise_xor(even, odd, even)
        np.bitwise_xor(even, pair, even)
        np.bitwise_and(crossed, _LOW, odd)
    made = np.empty((blocks, 4), np.uint32)
    for lane in range(4):
        np.copyto(made[:, lane], (odd if lane % 2 else even)[lane // 2], casting="unsafe")
    return made.reshape(-1)
