"""Counter-based random numbers: Philox4x32-10, the generator behind ``alg`` 1.

Element i of an output comes from the 32-bit words that stand at its place in the sequence of (key, counter), so a longer
output begins with the shorter one. The operators with ``seed`` and ``offset`` use key = seed and counter = (0, offset).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import philox
from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.operands import dims_of, known_ints, needs, one_int, type_code, unknown
from ascendtensor.simulator.kernels.registry import (
    BFLOAT16,
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Shape,
    infer,
    kernel,
)
from ascendtensor.simulator.kernels.sorting import upper_argsort
from ascendtensor.simulator.kernels.threads import shared

Convert = Callable[[Array], Array]

_HALF = np.uint64(32)
_WORDS = 1 << 15
"""Words made at a time, so that temporaries stay in the cache."""
_LONG = 1 << 17
"""The same where there are no temporaries."""
_SHARED = 4 * _WORDS
"""Words from which on threads pay."""
_MASK32 = (1 << 32) - 1
_MASK64 = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _fill(out: Array, key: int, counter: tuple[int, int], words: int, convert: Convert) -> None:
    """Fills an output block by block; ``words`` is how many words make one element (1, 2 or 4)."""
    flat = out.reshape(-1)
    direct = convert is _uniform and flat.dtype == np.float32 and philox.in_c()
    step = _LONG if direct else _WORDS // words
    if direct and flat.size <= step:
        philox.fractions(key, counter, 0, flat)
        return

    def work(first: int, last: int) -> None:
        for begin in range(first * step, min(last * step, flat.size), step):
            target, block = flat[begin : begin + step], begin * words // 4
            if direct:
                philox.fractions(key, counter, block, target)
            else:
                made = convert(philox.words(key, counter, block, -(-target.size * words // 4)))
                store(made[: target.size], target)

    pieces = -(-flat.size // step)
    if pieces > 1:
        shared(pieces, work, flat.size * words >= _SHARED)
    else:
        work(0, pieces)


# From words to numbers


def _scaled(words: Array, exponent: int) -> Array:
    numbers = words.astype(np.float32)
    numbers *= np.float32(2.0**exponent)
    return numbers


def _uniform(words: Array) -> Array:
    """24 bits in [0, 1)."""
    return _scaled(words >> np.uint32(8), -24)


def _uniform_half(words: Array) -> Array:
    """11 bits, what float16 holds without rounding up to 1."""
    return _scaled(words >> np.uint32(21), -11)


def _uniform_bfloat(words: Array) -> Array:
    return _scaled(words >> np.uint32(24), -8)


def _uniform_double(words: Array) -> Array:
    """53 bits from two words."""
    high, low = words[0::2] >> np.uint32(5), words[1::2] >> np.uint32(6)
    numbers: Array = high.astype(np.float64)
    numbers *= 67108864.0
    numbers += low
    numbers *= 2.0**-53
    return numbers


def _normal(words: Array) -> Array:
    """Box-Muller on pairs of words; the radius takes a number in (0, 1], whose logarithm is finite. The words are used up."""
    radius = words[0::2].astype(np.float32)
    radius += np.float32(0.5)
    radius *= np.float32(2.0**-32)
    words >>= np.uint32(8)  # all of them: those that stand together go faster than half of them
    angle = words[1::2].astype(np.float32)
    angle *= _TURN
    return _box_muller(radius, angle)


_TURN = np.float32(2 * np.pi) * np.float32(2.0**-24)
"""What 24 bits are multiplied by: a power of two rounds nothing."""


def _normal_double(words: Array) -> Array:
    numbers = _uniform_double(words)
    return _box_muller(1.0 - numbers[0::2], numbers[1::2] * (2 * np.pi))


def _box_muller(radius: Array, angle: Array) -> Array:
    np.log(radius, radius)
    radius *= radius.dtype.type(-2)
    np.sqrt(radius, radius)
    made = np.empty((radius.size, 2), radius.dtype)
    turned = np.cos(angle)
    np.multiply(radius, turned, made[:, 0])
    np.sin(angle, turned)
    np.multiply(radius, turned, made[:, 1])
    return made.reshape(-1)


def _uniform_for(dtype: np.dtype[Any]) -> tuple[int, Convert]:
    if dtype == np.float64:
        return 2, _uniform_double
    if dtype == np.float16:
        return 1, _uniform_half
    return 1, _uniform_bfloat if dtype == BFLOAT16 else _uniform


def _long(words: Array) -> Array:
    made = words[1::2].astype(np.uint64)
    made <<= _HALF
    made |= words[0::2]
    return made


# Operators with key, counter and alg


def _state(inputs: Inputs) -> tuple[int, tuple[int, int]]:
    """Key and counter of the operators whose state comes as tensors.

    Raises:
        ValueError: Another algorithm than Philox, or a state of another size.
    """
    counter = needs(inputs[2], "counter")
    alg = one_int(inputs[3], "alg")
    if alg != 1 or counter.size != 2:
        raise ValueError(f"alg {alg} with a counter of {counter.size} elements: only Philox (1) with 2 has a kernel")
    low, high = counter.tolist() if counter.ndim == 1 else counter.reshape(-1).tolist()
    return one_int(inputs[1], "key"), (low, high)


@kernel("StatelessRandomUniformV2")
def _random_uniform(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _fill(outputs[0], *_state(inputs), *_uniform_for(outputs[0].dtype))


@kernel("StatelessRandomNormalV2")
def _random_normal(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    double = outputs[0].dtype == np.float64
    _fill(outputs[0], *_state(inputs), 2 if double else 1, _normal_double if double else _normal)


@kernel("StatelessTruncatedNormalV2")
def _random_truncated(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Numbers two deviations or more from the mean are drawn again, each attempt with a key of its own."""
    flat = outputs[0].reshape(-1)
    key, counter = _state(inputs)
    double = flat.dtype == np.float64
    words, convert = (2, _normal_double) if double else (1, _normal)
    step = _WORDS // words
    for begin in range(0, flat.size, step):
        number = min(step, flat.size - begin)
        blocks = -(-number * words // 4)
        made = convert(philox.words(key, counter, begin * words // 4, blocks))[:number]
        attempt = 0
        far = np.abs(made) >= 2
        while far.any():
            attempt += 1
            again = convert(philox.words((key + attempt * _GOLDEN) & _MASK64, counter, begin * words // 4, blocks))[:number]
            made[far] = again[far]
            far = np.abs(made) >= 2
        np.copyto(flat[begin : begin + number], made, casting="unsafe")


@kernel("StatelessRandomUniformIntV2")
def _random_int(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    low, high, out = one_int(inputs[4], "minval"), one_int(inputs[5], "maxval"), outputs[0]
    if low >= high:
        raise ValueError(f"minval {low} is not below maxval {high}")
    span, shift = high - low, np.uint64(low & _MASK64)
    wide = out.dtype.itemsize == 8
    narrow = np.uint32(low & _MASK32)

    def convert(words: Array) -> Array:
        if not wide and span <= _MASK32:
            words %= np.uint32(span)
            words += narrow
            return words
        made = _long(words) if wide else words.astype(np.uint64)
        if span <= _MASK64:
            made %= np.uint64(span)
        made += shift
        return made

    _fill(out, *_state(inputs), 2 if wide else 1, convert)


@kernel("StatelessRandomUniformFullIntV2")
def _random_full_int(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    wide = outputs[0].dtype.itemsize == 8
    _fill(outputs[0], *_state(inputs), 2 if wide else 1, _long if wide else _as_words)


def _as_words(words: Array) -> Array:
    return words


def _shape_of(meta: Meta) -> Shape:
    shape = dims_of(meta)
    if meta.value is not None and min(shape, default=0) < 0:
        raise ValueError(f"shape {list(shape)} has a negative element")
    return shape


@infer("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullIntV2")
def _random_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(type_code(attrs["dtype"]), _shape_of(inputs[0]))]


@infer("StatelessRandomUniformIntV2")
def _random_int_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if inputs[4].dtype != inputs[5].dtype:
        raise ValueError("minval and maxval differ in dtype")
    return [Out(inputs[4].dtype, _shape_of(inputs[0]))]


# Operators with seed and offset


def _seeded(seed: Array | None, offset: Array | None) -> tuple[int, tuple[int, int]]:
    return one_int(seed, "seed") & _MASK64, (0, one_int(offset, "offset") & _MASK64)


@kernel("StatelessRandperm")
def _randperm(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """The order of one 64-bit number per place."""
    number = one_int(inputs[0], "n")
    if outputs[0].shape != (number,):
        raise ValueError(f"n is {number}, the output has shape {list(outputs[0].shape)}")
    keys = np.empty(number, np.uint64)
    _fill(keys, *_seeded(inputs[1], inputs[2]), 2, _long)
    np.copyto(outputs[0], upper_argsort(keys), casting="unsafe")


@infer("StatelessRandperm")
def _randperm_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    number = known_ints(inputs[0])
    if number and number[0] < 0:
        raise ValueError(f"n {number[0]} is negative")
    return [Out(type_code(attrs["dtype"]), (number[0] if number else -1,))]


@kernel("StatelessBernoulli")
def _bernoulli(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    prob, out = needs(inputs[1], "prob").astype(np.float64), outputs[0]
    if prob.size and not (float(prob.min()) >= 0 and float(prob.max()) <= 1):
        raise ValueError("prob is not within [0, 1]")
    if prob.size != 1 and prob.shape != out.shape:
        raise ValueError(f"prob of shape {list(prob.shape)} does not fit {list(out.shape)}")
    numbers = np.empty(out.shape, np.float32)
    _fill(numbers, *_seeded(inputs[2], inputs[3]), 1, _uniform)
    np.copyto(out, numbers < (prob if prob.size != 1 else prob.reshape(())), casting="unsafe")


@infer("StatelessBernoulli")
def _bernoulli_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(type_code(attrs["dtype"]), _shape_of(inputs[0]))]


@kernel("MultinomialWithReplacement")
def _multinomial(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Draws category numbers by weight, each row for itself."""
    weights = needs(inputs[0], "x").astype(np.float64)
    weights = weights.reshape(1, -1) if weights.ndim == 1 else weights
    out = outputs[0].reshape(weights.shape[0], attrs["numsamples"])
    if weights.size and not (float(weights.min()) >= 0 and np.isfinite(weights).all() and (weights.sum(axis=1) > 0).all()):
        raise ValueError("x has a weight that is negative or not finite, or a row without weight")
    if attrs["replacement"]:
        numbers = np.empty(out.shape, np.float64)
        _fill(numbers, *_seeded(inputs[1], inputs[2]), 2, _uniform_double)
        for row, draw, target in zip(weights, numbers, out, strict=True):
            total = np.cumsum(row)
            places = np.searchsorted(total, draw * total[-1], "right")
            np.minimum(places, np.nonzero(row)[0][-1], out=target)
        return
    if out.shape[1] > weights.shape[1]:
        raise ValueError(f"{out.shape[1]} draws from {weights.shape[1]} categories without replacement")
    # The smallest of exponential waiting times comes first with a chance that is its weight.
    waiting = np.empty(weights.shape, np.float64)
    _fill(waiting, *_seeded(inputs[1], inputs[2]), 2, _uniform_double)
    np.log1p(-waiting, waiting)
    waiting /= -weights
    waiting[weights == 0] = np.inf
    np.copyto(out, np.argsort(waiting, axis=1, kind="stable")[:, : out.shape[1]], casting="unsafe")


@infer("MultinomialWithReplacement")
def _multinomial_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if unknown(x):
        return [Out(int(DataType.INT64), UNKNOWN_RANK)]
    if len(x.shape) not in (1, 2):
        raise ValueError(f"shape {list(x.shape)} is neither a row nor a matrix of weights")
    return [Out(int(DataType.INT64), (*x.shape[:-1], attrs["numsamples"]))]


@kernel("StatelessDropOutGenMask")
def _dropout_mask(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Bit i, counted from the low end of each byte, is 1 with the chance given."""
    prob = float(needs(inputs[1], "prob").reshape(-1)[0])
    if not 0 <= prob <= 1:
        raise ValueError(f"prob {prob} is not within [0, 1]")
    seed, extra = one_int(inputs[2], "seed"), one_int(inputs[3], "seed1")
    key = (seed + extra * _GOLDEN) & _MASK64
    offset = inputs[4] if len(inputs) > 4 else None
    bound = np.uint64(round(prob * 2**32))
    out = outputs[0].reshape(-1)
    step, counter = _WORDS // 8, (0, one_int(offset, "offset") & _MASK64 if offset is not None else 0)

    def work(first: int, last: int) -> None:
        for begin in range(first * step, min(last * step, out.size), step):
            number = min(step, out.size - begin)
            bits = philox.words(key, counter, begin * 2, number * 2) < bound
            out[begin : begin + number] = np.packbits(bits, bitorder="little")

    shared(-(-out.size // step), work, out.size * 8 >= _SHARED)


@infer("StatelessDropOutGenMask")
def _dropout_mask_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = inputs[0].value
    size = -1 if shape is None else (prod(_shape_of(inputs[0])) + 127) // 128 * 16
    return [Out(int(DataType.UINT8), (size,))]
