"""Random numbers: the known answers of Philox4x32-10, determinism and distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, FLOATS, UNTIMED, const, made, meta, ruled, same, scalar

from ascendtensor.simulator.kernels import philox
from ascendtensor.simulator.kernels.registry import ACL_OF


def state(key: int = 5, offset: int = 0, shape: Any = (8,)) -> list[np.ndarray]:
    return [const(list(shape)), const([key], dtype=np.uint64), const([0, offset], dtype=np.uint64), scalar(1, np.int32)]


def drawn(op_type: str, shape: Any, kind: Any, key: int = 5, offset: int = 0, /, more: Any = (), **attrs: Any) -> np.ndarray:
    return made(op_type, [*state(key, offset, shape), *more], shape, kind, **attrs)


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0), 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ((2**64 - 1, 2**64 - 1), 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        ((0x85A308D3243F6A88, 0x0370734413198A2E), 0x299F31D0A4093822, [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
    ],
)
def test_known_answers_of_random123(counter: tuple[int, int], key: int, words: list[int]) -> None:
    for made_by in (philox.computed, philox.words):
        assert made_by(key, counter, 0, 1).tolist() == words


def test_the_counter_carries_into_its_high_half() -> None:
    for made_by in (philox.computed, philox.words):
        both = made_by(1, (2**64 - 1, 6), 0, 2)
        assert both[4:].tolist() == made_by(1, (0, 7), 0, 1).tolist()
        assert made_by(1, (2**64 - 1, 6), 1, 1).tolist() == both[4:].tolist()


NEAR_THE_ENDS = st.one_of(st.integers(0, 9), st.integers(2**64 - 9, 2**64 - 1), st.integers(0, 2**64 - 1))


@UNTIMED
@given(NEAR_THE_ENDS, st.tuples(NEAR_THE_ENDS, NEAR_THE_ENDS), st.integers(0, 99), st.integers(0, 40))
def test_randomgen_and_numpy_give_the_same_words(key: int, counter: tuple[int, int], first: int, blocks: int) -> None:
    pytest.importorskip("randomgen", reason="the extra 'random' is not installed")
    words = philox.computed(key, counter, first, blocks)
    same(philox.words(key, counter, first, blocks), words)
    for length in (words.size, max(words.size - 3, 0)):  # the last block need not be whole
        out = np.empty(length, np.float32)
        philox.fractions(key, counter, first, out)
        same(out, ((words >> np.uint32(8)) * 2.0**-24).astype(np.float32)[:length])


@pytest.mark.parametrize("op_type", ["StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2"])
def test_without_randomgen_the_numbers_are_the_same(op_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = np.uint32 if "Int" in op_type else np.float32
    with_it = drawn(op_type, (600_001,), kind, dtype=ACL_OF[np.dtype(kind)])
    monkeypatch.setattr(philox, "_library", lambda: None)
    same(drawn(op_type, (600_001,), kind, dtype=ACL_OF[np.dtype(kind)]), with_it)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", ["StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"])
def test_same_state_same_numbers_whatever_the_length(op_type: str, dtype: Any) -> None:
    code = ACL_OF[dtype]
    whole = drawn(op_type, (70000,), dtype, dtype=code)
    for length in (0, 1, 5, 33333):
        same(drawn(op_type, (length,), dtype, dtype=code), whole[:length])
    same(drawn(op_type, (7, 10000), dtype, dtype=code), whole.reshape(7, 10000))
    for other in (drawn(op_type, (70000,), dtype, 6, dtype=code), drawn(op_type, (70000,), dtype, 5, 1, dtype=code)):
        assert (other != whole).mean() > 0.9


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_uniform_numbers_lie_in_0_to_1(dtype: Any) -> None:
    x = drawn("StatelessRandomUniformV2", (200000,), dtype, dtype=ACL_OF[dtype]).astype(np.float64)
    assert x.min() >= 0 and x.max() < 1
    tally = np.histogram(x, 8, (0, 1))[0]
    assert (np.abs(tally - 25000) < 600).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal_numbers_are_finite_and_normal(dtype: Any) -> None:
    x = drawn("StatelessRandomNormalV2", (200000,), dtype, dtype=ACL_OF[dtype]).astype(np.float64)
    assert np.isfinite(x).all()
    assert abs(x.mean()) < 0.01 and abs(x.var() - 1) < 0.02
    assert abs((x**4).mean() - 3) < 0.12
    assert abs(np.corrcoef(x[::2], x[1::2])[0, 1]) < 0.01
    x = drawn("StatelessTruncatedNormalV2", (100000,), dtype, dtype=ACL_OF[dtype]).astype(np.float64)
    assert np.abs(x).max() <= 2 and abs(x.var() - 0.774) < 0.02


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint64])
@UNTIMED
@given(st.data())
def test_integers_lie_in_their_range(kind: Any, data: Any) -> None:
    info = np.iinfo(kind)
    low = data.draw(st.integers(int(info.min), int(info.max) - 1))
    high = data.draw(st.integers(low + 1, int(info.max)))
    x = drawn("StatelessRandomUniformIntV2", (50,), kind, more=[scalar(low, kind), scalar(high, kind)])
    assert all(low <= item < high for item in x.tolist())


def test_integers_are_even_and_full_ones_use_every_bit() -> None:
    x = drawn("StatelessRandomUniformIntV2", (60000,), np.int64, more=[scalar(-3), scalar(3)])
    assert (np.abs(np.bincount(x + 3) - 10000) < 400).all()
    for kind in (np.int32, np.uint32, np.int64, np.uint64):
        x = drawn("StatelessRandomUniformFullIntV2", (4000,), kind, dtype=ACL_OF[np.dtype(kind)])
        bits = np.unpackbits(x.view(np.uint8)).reshape(4000, -1).mean(axis=0)
        assert (np.abs(bits - 0.5) < 0.05).all()
    with pytest.raises(ValueError):
        drawn("StatelessRandomUniformIntV2", (2,), np.int64, more=[scalar(3), scalar(3)])


def test_state_that_has_no_kernel_is_refused() -> None:
    operands = state()
    operands[3] = scalar(2, np.int32)
    with pytest.raises(ValueError, match="Philox"):
        made("StatelessRandomUniformV2", operands, (8,), np.float32)
    with pytest.raises(ValueError):
        made("StatelessRandomUniformV2", [const(-1), *state()[1:]], (8,), np.float32)


@pytest.mark.parametrize("dtype", [np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.float32)], ids=str)
def test_randperm(dtype: Any) -> None:
    for number in (0, 1, 1000):
        operands = [scalar(number), scalar(-7), scalar(2)]
        x = made("StatelessRandperm", operands, (number,), dtype, dtype=ACL_OF[dtype])
        same(np.sort(x), np.arange(number))
        same(made("StatelessRandperm", operands, (number,), dtype, dtype=ACL_OF[dtype]), x)
    other = made("StatelessRandperm", [scalar(1000), scalar(-7), scalar(3)], (1000,), dtype, dtype=ACL_OF[dtype])
    assert (other == x).mean() < 0.1


def test_bernoulli() -> None:
    for dtype in (np.dtype(np.bool_), np.dtype(np.float32), BFLOAT16):
        operands = [const(20000), scalar(0.3, np.float32), scalar(4), scalar(0)]
        x = made("StatelessBernoulli", operands, (20000,), dtype, dtype=ACL_OF[dtype]).astype(np.float64)
        assert set(np.unique(x)) == {0.0, 1.0} and abs(x.mean() - 0.3) < 0.02
    probs = np.array([0, 1, 0, 1], np.float64)
    same(made("StatelessBernoulli", [const(4), probs, scalar(4), scalar(0)], (4,), np.int32, dtype=3), probs)
    for bad in (1.5, -0.1, np.nan):
        with pytest.raises(ValueError):
            made("StatelessBernoulli", [const(4), scalar(bad, np.float32), scalar(4), scalar(0)], (4,), np.float32)


def test_multinomial() -> None:
    weights = np.array([[0, 1, 3, 0], [2, 0, 0, 2]], np.float32)
    x = made("MultinomialWithReplacement", [weights, scalar(1), scalar(0)], (2, 8000), np.int64, numsamples=8000, replacement=True)
    assert abs((x[0] == 2).mean() - 0.75) < 0.03 and set(x[0]) == {1, 2} and set(x[1]) == {0, 3}
    counts = np.zeros(4)
    for seed in range(300):
        x = made("MultinomialWithReplacement", [weights[0], scalar(seed), scalar(0)], (2,), np.int64, numsamples=2)
        assert sorted(x) == [1, 2]
        counts[x[0]] += 1
    assert abs(counts[2] / 300 - 0.75) < 0.1
    for bad in ([0.0, 0], [-1, 2], [np.inf, 1], [np.nan, 1]):
        with pytest.raises(ValueError):
            made("MultinomialWithReplacement", [np.array(bad, np.float32), scalar(1), scalar(0)], (1,), np.int64, numsamples=1)
    with pytest.raises(ValueError):
        made("MultinomialWithReplacement", [weights, scalar(1), scalar(0)], (2, 5), np.int64, numsamples=5)


def test_dropout_mask_and_what_it_does() -> None:
    number = 100_000
    operands = [const(number), scalar(0.8, np.float32), scalar(3), scalar(0), scalar(9)]
    size = -(-number // 128) * 16
    mask = made("StatelessDropOutGenMask", operands, (size,), np.uint8)
    kept = np.unpackbits(mask, bitorder="little")[:number]
    assert abs(kept.mean() - 0.8) < 0.01
    short = made("StatelessDropOutGenMask", [const(4096), *operands[1:]], (512,), np.uint8)
    same(mask[:512], short)
    x = np.arange(number, dtype=np.float32)
    out = made("DropOutDoMask", [x, mask, scalar(0.8, np.float32)], x.shape, np.float32)
    np.testing.assert_allclose(out, np.where(kept, x / 0.8, 0), rtol=1e-6)
    everything = made("StatelessDropOutGenMask", [const(128), scalar(1, np.float32), *operands[2:]], (16,), np.uint8)
    assert (everything == 255).all()


def test_rules() -> None:
    assert ruled("StatelessRandomUniformV2", [meta(np.int64, 3), *state()[1:]]) == [(-1, -1, -1)]
    assert ruled("StatelessDropOutGenMask", [const(5, 60), meta(np.float32, 1), meta(np.int64, 1), meta(np.int64, 1)]) == [(48,)]
    assert ruled("StatelessRandperm", [meta(np.int64), meta(np.int64), meta(np.int64)]) == [(-1,)]
