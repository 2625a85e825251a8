"""Records of random numbers, against a Philox of our own, one number at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import FLOATS, INT64, SAME, Array, Record, d

import ascendtensor as at
from ascendtensor import generators, random
from ascendtensor.dtypes import dtype as DType
from ascendtensor.nn import init
from ascendtensor.ops.table import random as table

SEED = 0x0123_4567_89AB_CDEF
SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (7,), (3, 5), (0, 2))
DRAW = 3
"""Which draw after seeding is looked at."""


def words(count: int, draw: int = DRAW, seed: int = SEED) -> list[int]:
    """32-bit words of Philox4x32-10 (Salmon et al., 2011) with the seed as key and (block, offset) as counter."""
    found: list[int] = []
    for block in range(-(-count // 4)):
        offset = draw * generators.OFFSET_STEP
        state = [block & 0xFFFFFFFF, block >> 32, offset & 0xFFFFFFFF, offset >> 32]
        key = [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            one, other = 0xD2511F53 * state[0], 0xCD9E8D57 * state[2]
            state = [other >> 32 ^ state[1] ^ key[0], other & 0xFFFFFFFF, one >> 32 ^ state[3] ^ key[1], one & 0xFFFFFFFF]
            key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
        found += state
    return found[:count]


def doubles(count: int, seed: int = SEED) -> list[float]:
    given = words(2 * count, seed=seed)
    return [((given[2 * at] >> 5) * 2**26 + (given[2 * at + 1] >> 6)) / 2**53 for at in range(count)]


def uniform(shape: tuple[int, ...], dtype: DType) -> Array:
    count = math.prod(shape)
    if dtype is d.float64:
        return np.array(doubles(count)).reshape(shape)
    bits = {d.float32: 24, d.float16: 11, d.bfloat16: 8}[dtype]
    return np.array([(word >> 32 - bits) / 2**bits for word in words(count)]).reshape(shape)


def normal(shape: tuple[int, ...], dtype: DType, seed: int = SEED) -> Array:
    count = math.prod(shape) + 1
    if dtype is d.float64:
        given = doubles(count + 1, seed)
        pairs = [(1 - given[at], given[at + 1]) for at in range(0, count, 2)]
    else:
        drawn = words(count + 1, seed=seed)
        pairs = [((drawn[at] + 0.5) / 2**32, (drawn[at + 1] >> 8) / 2**24) for at in range(0, count, 2)]
    made = [math.sqrt(-2 * math.log(radius)) * turn(2 * math.pi * angle) for radius, angle in pairs for turn in (math.cos, math.sin)]
    return np.array(made[: math.prod(shape)]).reshape(shape)


def truncated(shape: tuple[int, ...], dtype: DType) -> Array:
    """Numbers two deviations away are drawn again, with the golden ratio added to the key."""
    made, attempt = normal(shape, dtype), 0
    while (far := np.abs(made) >= 2).any():
        attempt += 1
        made = np.where(far, normal(shape, dtype, SEED + attempt * 0x9E3779B97F4A7C15 & (1 << 64) - 1), made)
    return made


def longs(count: int, draw: int = DRAW) -> list[int]:
    given = words(2 * count, draw)
    return [given[2 * at] | given[2 * at + 1] << 32 for at in range(count)]


def integers(low: int, high: int, shape: tuple[int, ...]) -> Array:
    """Bits modulo the range; in ranges of more than 54 bits the upper ones, the lower ones, and other numbers for those beyond the end."""
    count = math.prod(shape)
    if high - low > 2**54:
        last, rest = divmod(high - low - 1, 2**32)
        parts = zip(longs(count), longs(count, DRAW + 1), longs(count, DRAW + 2), strict=True)
        pairs = [(upper % (last + 1), lower % 2**32, again) for upper, lower, again in parts]
        drawn = [again if upper == last and lower > rest else upper << 32 | lower for upper, lower, again in pairs]
    else:
        drawn = words(count) if high - low <= 2**22 and high <= 2**31 - 1 and low >= -(2**31) else longs(count)
    return np.array([low + number % (high - low) for number in drawn], np.int64).reshape(shape)


def drawing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The draw after `DRAW` others."""

    def run(*arguments: Any) -> Any:
        generator = random.Generator().manual_seed(SEED)
        for _ in range(DRAW):
            generator.draw()
        return function(*arguments, generator=generator)

    return run


def shaped(dtype: DType) -> Iterator[Any]:
    return ((shape, dtype) for shape in SHAPES)


def ranges(dtype: DType) -> Iterator[Any]:
    given = [(0, 10), (0, 1), (3, 100)]
    if dtype.itemsize > 2:
        given += [(0, 2**22), (1, 2**24)]
    if dtype.is_signed:
        given.append((-7, 9))
    if dtype is d.int64:
        given += [(-(2**31), 2**31 - 1), (-(2**40), 2**41), (-(2**53), 2**53), (-(2**63), 2**63 - 1), (-(2**63), 2**62 + 5), (3, 2**54 + 4)]
    return ((low, high, shape, dtype) for low, high in given for shape in SHAPES)


def probabilities(dtype: DType) -> Iterator[Any]:
    for shape in SHAPES:
        yield (np.asarray(np.linspace(0, 1, math.prod(shape))).reshape(shape).astype(dtype.numpy),)


def chances(values: Array) -> Array:
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("no probability")
    return np.array([(word >> 8) / 2**24 for word in words(values.size)]).reshape(values.shape) < values


def weights(dtype: DType) -> Iterator[Any]:
    yield np.array([0, 1, 0, 3], dtype.numpy), 9
    yield np.array([[1, 0], [0, 2]], dtype.numpy), 4


def categories(values: Array, count: int) -> Array:
    rows = np.atleast_2d(values.astype(np.float64))
    if not values.ndim or not values.shape[-1] or not np.all((rows >= 0) & np.isfinite(rows)) or not np.all(rows.sum(1) > 0):
        raise ValueError("no weights")
    drawn = np.array(doubles(len(rows) * count)).reshape(len(rows), count)
    found = [np.searchsorted(np.cumsum(row), numbers * row.sum(), "right") for row, numbers in zip(rows, drawn, strict=True)]
    return np.array(found).reshape(*values.shape[:-1], count)


def certain(counts: Array, chances: Array) -> Array:
    """With probabilities of 0 and 1; PyTorch's own CPU never comes back from a count or a probability that is NaN."""
    if not np.all((counts >= 0) & (counts < 2.0**53)) or not np.all((chances >= 0) & (chances <= 1)):
        raise ValueError("no number of draws, or no probability")
    return np.asarray(counts * np.round(chances))


def rates_of_none(rates: Array) -> Array:
    if not np.all((rates >= 0) & (rates < 1e30)):
        raise ValueError("no rates")
    return np.floor(rates)


def order(count: int) -> Array:
    given = words(2 * count)
    return np.argsort([given[2 * at] | given[2 * at + 1] << 32 for at in range(count)]).astype(np.int64)


def dtype_given(dtype: DType) -> DType:
    return dtype


NEAR = {d.float32: (2e-5, 2e-5), d.float64: (1e-9, 1e-9)}

RECORDS = [
    Record(
        "rand",
        drawing(lambda shape, dtype, **more: random.rand(shape, dtype=dtype, **more)),
        uniform,
        shaped,
        (table.UNIFORM,),
        FLOATS,
        SAME,
    ),
    Record(
        "randn",
        drawing(lambda shape, dtype, **more: random.randn(shape, dtype=dtype, **more)),
        normal,
        shaped,
        (table.NORMAL,),
        FLOATS,
        SAME,
        NEAR,
    ),
    Record(
        "trunc_normal_",
        drawing(lambda shape, dtype, generator: init.trunc_normal_(at.empty(shape, dtype=dtype), generator=generator)),
        truncated,
        shaped,
        (table.TRUNCATED_NORMAL,),
        FLOATS,
        SAME,
        NEAR,
    ),
    Record(
        "randint",
        drawing(lambda low, high, shape, dtype, **more: random.randint(low, high, shape, dtype=dtype, **more)),
        lambda low, high, shape, dtype: integers(low, high, shape),
        ranges,
        (table.UNIFORM_INT,),
        (d.int64, d.int32, d.uint8, d.float32, d.float16),
        SAME,
    ),
    Record("randperm", drawing(random.randperm), order, lambda dtype: iter([(9,), (1,), (0,)]), (table.RANDPERM,), (d.int64,), INT64),
    Record("bernoulli", drawing(random.bernoulli), chances, probabilities, (table.BERNOULLI,), FLOATS, SAME),
    Record(
        "multinomial",
        drawing(lambda x, n, **more: random.multinomial(x, n, True, **more)),
        categories,
        weights,
        (table.MULTINOMIAL,),
        FLOATS,
        INT64,
    ),
    # Where chance has no say; the distributions have tests of their own.
    Record(
        "poisson",
        random.poisson,
        rates_of_none,
        lambda dtype: iter([(np.zeros((2, 3), dtype.numpy),)]),
        (table.POISSON,),
        FLOATS,
        SAME,
    ),
    Record(
        "binomial",
        random.binomial,
        certain,
        lambda dtype: iter([(np.arange(6).astype(dtype.numpy).reshape(2, 3), np.array([0, 1, 1], dtype.numpy))]),
        (table.BINOMIAL,),
        FLOATS,
        SAME,
    ),
]
