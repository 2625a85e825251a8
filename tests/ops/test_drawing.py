"""Random numbers: seeds, generators, distributions, and that a draw never needs a new operator model."""

from __future__ import annotations

import contextlib
import copy
import pickle
import re
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import host, tensor

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor import generators, random
from ascendtensor.errors import ValueRangeError
from ascendtensor.launch.registry import handle_cache
from ascendtensor.ops import views
from ascendtensor.runtime import copies
from ascendtensor.runtime import device as devices
from ascendtensor.runtime.counters import AHEAD

MANY = (40_000,)


def zeros(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    return tensor(np.zeros(shape, dtype))


def test_the_same_seed_gives_the_same_numbers() -> None:
    random.manual_seed(7)
    first = [host(random.rand(5)), host(random.randn(5)), host(random.randint(0, 99, (5,))), host(random.randperm(5))]
    random.manual_seed(7)
    again = [host(random.rand(5)), host(random.randn(5)), host(random.randint(0, 99, (5,))), host(random.randperm(5))]
    random.manual_seed(8)
    other = host(random.rand(5))
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert (first[0] != other).any()
    assert random.initial_seed() == 8


def test_seeds_outlive_a_shutdown() -> None:
    random.manual_seed(3)
    first = host(random.rand(4))
    devices.shutdown()
    random.manual_seed(3)
    np.testing.assert_array_equal(first, host(random.rand(4)))


def test_draws_differ() -> None:
    generator = random.Generator().manual_seed(1)
    drawn = np.concatenate([host(random.rand(100, generator=generator)) for _ in range(20)])
    assert len(np.unique(drawn)) > 1990


@pytest.mark.parametrize("seed", [0, -1, 2**63, 2**64 - 1, -(2**63)])
def test_any_64_bits_are_a_seed(seed: int) -> None:
    generator = random.Generator().manual_seed(seed)
    assert generator.initial_seed() == seed % 2**64
    assert sorted(host(random.randperm(6, generator=generator))) == list(range(6))
    assert host(random.bernoulli(tensor(np.ones(3, np.float32)), generator=generator)).all()


def test_a_seed_of_more_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        random.manual_seed(2**64)


def test_a_seed_that_nobody_knows() -> None:
    one, two = random.seed(), random.Generator().seed()
    assert one != two and random.initial_seed() == one


def test_without_a_seed_processes_and_devices_draw_different_numbers() -> None:
    program = "import ascendtensor as at; print(at.rand(4).tolist(), at.rand(4, device='npu:1').tolist(), at.Generator().initial_seed())"
    answers = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout for _ in range(2)]
    rows = [row for answer in answers for row in re.findall(r"\[.*?\]", answer)]
    assert len(rows) == len(set(rows)) == 4
    assert [int(answer.split()[-1]) for answer in answers] == [generators.DEFAULT_SEED] * 2  # torch.Generator() begins so, too


def test_a_state_is_gone_back_to() -> None:
    generator = random.Generator()
    random.rand(3, generator=generator)
    state = generator.get_state()
    first = host(random.randn(3, generator=generator))
    generator.set_state(state)
    np.testing.assert_array_equal(first, host(random.randn(3, generator=generator)))
    with pytest.raises(ValueError, match="state of a generator"):
        generator.set_state([1, 2])
    kept = random.get_rng_state()
    first = host(random.rand(3))
    random.set_rng_state(kept)
    np.testing.assert_array_equal(first, host(random.rand(3)))


def test_numpys_integers_are_seeds_and_ranges() -> None:
    for seed in (np.int64(-4), np.uint64(2**63), np.uint8(3)):
        assert random.Generator().manual_seed(seed).initial_seed() == int(seed) % 2**64
    random.manual_seed(1)
    first = host(random.randint(np.int64(-(2**63)), np.int64(2**63 - 1), (9,)))
    random.manual_seed(1)
    np.testing.assert_array_equal(first, host(random.randint(-(2**63), 2**63 - 1, (9,))))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: it.clone_state(), lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_of_a_generator_goes_on_by_itself(copied: Callable[[Any], Any]) -> None:
    one = random.Generator("npu:0").manual_seed(5)
    random.rand(3, generator=one)
    other = copied(one)
    assert other.device is one.device and other.initial_seed() == 5
    np.testing.assert_array_equal(host(random.rand(4, generator=one)), host(random.rand(4, generator=other)))
    assert other.get_state().tolist() == one.get_state().tolist()
    random.rand(1, generator=one)
    assert other.get_state().tolist() != one.get_state().tolist()


def test_a_fork_puts_generators_back() -> None:
    random.manual_seed(4)
    random.rand(2)
    with pytest.raises(KeyError), random.fork_rng():
        first = host(random.rand(3))
        random.manual_seed(9)
        there = host(random.rand(3, device="npu:1"))
        raise KeyError
    np.testing.assert_array_equal(first, host(random.rand(3)))
    assert random.default_generator("npu:1").initial_seed() == 4 and (host(random.rand(3, device="npu:1")) != there).all()
    with random.fork_rng(devices=["npu:1"]):
        random.manual_seed(5)
    assert [random.default_generator(device).initial_seed() for device in ("npu:0", "npu:1")] == [5, 4]
    with random.fork_rng(enabled=False):
        random.manual_seed(6)
    assert random.initial_seed() == 6


def test_a_fork_keeps_what_generators_that_are_made_later_begin_with() -> None:
    random.manual_seed(4)
    with random.fork_rng():
        random.manual_seed(9)
    generators._generators.by_index.pop(1, None)  # as before its first use
    assert random.default_generator("npu:1").initial_seed() == 4


def test_what_is_no_seed_and_no_state_is_refused() -> None:
    generator = random.Generator()
    for seed in (-(1 << 63) - 1, 1 << 64):
        with pytest.raises(ValueRangeError, match="64 bits"):
            generator.manual_seed(seed)
    for state in (np.zeros(16, np.int64), np.zeros(15, np.uint8)):
        with pytest.raises(ValueRangeError, match="not the state of a generator"):
            generator.set_state(state)


def test_a_generator_of_another_kind_of_device_is_refused_when_it_is_made() -> None:
    with pytest.raises(RuntimeError, match="unknown device 'cuda'"):
        random.Generator("cuda")


def test_one_probability_for_all() -> None:
    x = tensor(np.ones(1000, np.int64))
    found = random.bernoulli(x, 0.25, generator=random.Generator().manual_seed(5))
    assert found.dtype is x.dtype and 180 < host(found).sum() < 320
    assert not host(random.bernoulli(tensor(np.ones(4)), p=0.0)).any()
    with pytest.raises(ValueError, match="from 0 to 1"):
        random.bernoulli(x, 1.5)
    with pytest.raises(TypeError, match="real dtype"):
        random.bernoulli(tensor(np.ones(2, np.complex64)), 0.5)


def test_devices_have_generators_of_their_own() -> None:
    random.manual_seed(11)
    here = host(random.rand(4, device="npu:0"))
    random.rand(4, device="npu:0")
    np.testing.assert_array_equal(here, host(random.rand(4, device="npu:1")))
    with pytest.raises(ValueError, match="not on npu:1"):
        random.rand(2, generator=random.Generator("npu:0"), device="npu:1")


def test_threads_never_get_the_same_numbers() -> None:
    generator = random.Generator()
    found: list[Any] = []

    def work() -> None:
        for _ in range(200):
            found.append(generator.draw())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 800


DRAWS: list[Callable[[], Any]] = [
    lambda: random.rand(8, 8),
    lambda: random.rand(8, dtype=d.bfloat16),
    lambda: random.randn(8, 8),
    lambda: random.randint(0, 5, (8,)),
    lambda: random.randperm(8),
    lambda: random.bernoulli(zeros((8,))),
    lambda: random.multinomial(tensor(np.ones(8, np.float32)), 4),
    lambda: random.dropout(zeros((8,)), 0.25),
    lambda: random.uniform_(zeros((8,)), 1, 2),
    lambda: random.normal_(zeros((8,)), 1, 2),
    lambda: random.random_(zeros((8,), np.int32)),
    lambda: random.exponential_(zeros((8,))),
]


def test_draws_need_no_new_models() -> None:
    for draw in DRAWS:
        draw()
    loaded = handle_cache.info().loaded_models
    for number in range(30):
        random.manual_seed(number)
        for draw in DRAWS:
            draw()
    for high in range(2, 50):
        random.randint(-high, high, (8,))
        random.dropout(zeros((8,)), 1 / high)
        random.normal(high, 1 / high, (8, 8))
    assert handle_cache.info().loaded_models - loaded <= 3  # Mul and Add of an 8x8 tensor with a number


@pytest.mark.parametrize("dtype", [d.float32, d.float16, d.bfloat16, d.float64])
def test_uniform_numbers_stay_below_one(dtype: Any) -> None:
    drawn = host(random.rand(MANY, dtype=dtype)).astype(np.float64)
    assert drawn.min() >= 0 and drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.01 and abs(drawn.var() - 1 / 12) < 0.005


@pytest.mark.parametrize("dtype", [d.float32, d.float16, d.bfloat16, d.float64])
def test_no_number_is_the_upper_end(dtype: Any) -> None:
    random.manual_seed(2)
    for low, high in ((1, 2), (-3, -2), (100, 101), (0, 1e-3), (30000, 31000), (-1, 0), (2.001, 2.002), (5, 5)):
        found = host(random.uniform_(tensor(np.zeros(MANY, dtype.numpy)), low, high)).astype(np.float64)
        rounded = float(np.array(low).astype(dtype.numpy))
        assert found.min() >= rounded and (found.max() < high or found.max() == rounded), (low, high)
        coarse = float(d.finfo(dtype).eps) * max(abs(low), abs(high))
        assert abs(found.mean() - (low + high) / 2) < 0.01 * (high - low) + coarse, (low, high)


@pytest.mark.parametrize(
    ("dtype", "low", "high"), [(np.float32, -3e38, 3e38), (np.float64, -1.7e308, 1.7e308), (np.float16, 0, 1e6), (np.float32, 0, np.inf)]
)
def test_ends_beyond_the_dtype_are_refused(dtype: Any, low: float, high: float) -> None:
    with pytest.raises(ValueError, match="is more than float"):
        random.uniform_(zeros((2,), dtype), low, high)


@pytest.mark.parametrize("dtype", [d.float32, d.float16, d.bfloat16, d.float64])
def test_normal_numbers(dtype: Any) -> None:
    drawn = host(random.randn(MANY, dtype=dtype)).astype(np.float64)
    assert abs(drawn.mean()) < 0.03 and abs(drawn.std() - 1) < 0.03
    shifted = host(random.normal(5, 3, MANY, dtype=dtype)).astype(np.float64)
    assert abs(shifted.mean() - 5) < 0.08 and abs(shifted.std() - 3) < 0.08


def test_normal_of_tensors() -> None:
    drawn = host(random.normal(tensor(np.array([[0.0], [100.0]], np.float32)), tensor(np.full((1, 20_000), 2, np.float32))))
    assert drawn.shape == (2, 20_000)
    np.testing.assert_allclose(drawn.mean(1), [0, 100], atol=0.1)
    assert host(random.normal(tensor(np.zeros(3, np.float32)), 0.0)).tolist() == [0, 0, 0]


def test_integers_are_the_same_in_every_dtype() -> None:
    drawn = []
    for dtype in (d.int64, d.int32, d.uint8, d.float32):
        random.manual_seed(5)
        drawn.append(host(random.randint(0, 200, (50,), dtype=dtype)).astype(np.int64))
    for one in drawn[1:]:
        np.testing.assert_array_equal(drawn[0], one)
    assert set(host(random.randint(3, (200,)))) == {0, 1, 2}


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 3 << 29),
        (0, 200_000_000),
        (0, 3 << 61),
        (-(2**63), 2**62),
        (-(2**63), 2**63 - 1),
        (-7, 2**53 + 3),
        (2**63 - 2, 2**63 - 1),
        (5, 2**20),
    ],
    ids=str,
)
def test_integers_of_long_ranges_are_equally_likely(low: int, high: int) -> None:
    random.manual_seed(1)
    drawn = [int(number) for number in host(random.randint(low, high, MANY))]
    assert low <= min(drawn) and max(drawn) < high
    eighths = np.bincount([(number - low) * 8 // (high - low) for number in drawn], minlength=8)
    if high - low > 1:  # seven degrees of freedom: 24.3 in one of a thousand
        assert ((eighths - MANY[0] / 8) ** 2 / (MANY[0] / 8)).sum() < 24.3


def test_permutations() -> None:
    order = host(random.randperm(1000, dtype=d.int32))
    assert order.dtype == np.int32 and sorted(order) == list(range(1000)) and (order != np.arange(1000)).any()
    assert host(random.randperm(0)).shape == (0,)


def test_multinomial_without_replacement() -> None:
    drawn = host(random.multinomial(tensor(np.array([[1, 0, 2, 3]] * 50, np.float32)), 3))
    assert all(sorted(row) == [0, 2, 3] for row in drawn)


def test_dropout() -> None:
    ones = tensor(np.ones(MANY, np.float32))
    kept = host(random.dropout(ones, 0.2))
    assert set(np.unique(kept)) == {0, np.float32(1.25)} and abs(kept.mean() - 1) < 0.02
    assert random.dropout(ones, 0.2, training=False) is ones
    assert not host(random.dropout(ones, 1.0)).any()


def test_filling_in_place_through_a_view() -> None:
    whole = zeros((4, 6))
    part = views.transpose(views.narrow(whole, 1, 1, 3), 0, 1)
    assert random.uniform_(part, 2, 3) is part
    values = host(whole)
    assert (values[:, 1:4] >= 2).all() and (values[:, 1:4] <= 3).all()
    assert not values[:, 0].any() and not values[:, 4:].any()
    assert abs(host(random.normal_(zeros(MANY), 2, 0.5)).mean() - 2) < 0.02
    assert abs(host(random.exponential_(zeros(MANY), 4)).mean() - 0.25) < 0.01
    assert abs(host(random.bernoulli_(zeros(MANY, np.int64), 0.3)).mean() - 0.3) < 0.02
    drawn = host(random.random_(zeros(MANY, np.uint8)))
    assert drawn.min() == 0 and drawn.max() == 255
    assert set(host(random.random_(zeros((200,), np.bool_)))) == {False, True}
    assert host(random.random_(zeros((200,), np.float16), 5, 7)).tolist() != [5] * 200
    assert set(host(random.random_(zeros((200,), np.int64), 3))) == {0, 1, 2}, "one number is the end, as in PyTorch"
    assert set(host(random.random_(zeros((200,), np.int64), to=2))) == {0, 1}


def test_out_and_like() -> None:
    target = zeros((3, 2))
    assert random.rand(3, 2, out=target) is target and host(target).all()
    assert random.rand_like(target).shape == (3, 2)
    assert random.randn_like(target, dtype=d.float64).dtype is d.float64
    assert random.randint_like(target, 5).dtype is d.float32
    with pytest.raises(ValueError, match="can't be written into"):
        random.rand(3, out=target)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: random.rand(2, dtype=d.int32), TypeError, "floating dtype"),
        (lambda: random.rand(-1), ValueError, "negative"),
        (lambda: random.randint(5, 5, (2,)), ValueError, "must be below"),
        (lambda: random.randint(0, 300, (2,), dtype=d.uint8), ValueError, "don't fit uint8"),
        (lambda: random.randperm(-1), ValueError, "negative"),
        (lambda: random.normal(0, -1, (2,)), ValueError, "deviation"),
        (lambda: random.normal(0, 1), ValueError, "size is needed"),
        (lambda: random.bernoulli(zeros((2,), np.int32)), TypeError, "floating dtype"),
        (lambda: random.multinomial(zeros((2,)), 3), ValueError, "3 samples"),
        (lambda: random.dropout(zeros((2,)), 1.5), ValueError, "from 0 to 1"),
        (lambda: random.uniform_(views.expand(zeros((1,)), (3,))), ValueError, "share one place"),
    ],
)
def test_bad_arguments(call: Callable[[], Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        call()


# Counts of events, and distributions in place


def moments(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    return float(values.mean()), float(values.var())


@pytest.mark.parametrize("dtype", [d.float32, d.float64, d.float16, d.bfloat16], ids=str)
def test_counts_have_the_moments_of_their_distributions(dtype: Any) -> None:
    random.manual_seed(5)
    rates = tensor(np.full(MANY, 4, dtype.numpy))
    mean, variance = moments(host(random.poisson(rates)).astype(np.float64))
    assert abs(mean - 4) < 0.06 and abs(variance - 4) < 0.2 and random.poisson(rates).desc.dtype is dtype
    found = random.binomial(tensor(np.full(MANY, 8, dtype.numpy)), tensor(np.array(0.25, dtype.numpy)))
    mean, variance = moments(host(found).astype(np.float64))
    assert abs(mean - 2) < 0.05 and abs(variance - 1.5) < 0.08 and found.desc.shape == MANY and found.desc.dtype is dtype


def test_counts_follow_the_seed_and_their_parameters() -> None:
    rates = tensor(np.array([0.0, 1e6, 3.0]))
    one = host(random.poisson(rates, generator=random.Generator().manual_seed(9)))
    two = host(random.poisson(rates, generator=random.Generator().manual_seed(9)))
    np.testing.assert_array_equal(one, two)
    assert one[0] == 0 and abs(one[1] - 1e6) < 1e4
    assert host(random.binomial(tensor(np.array([[4.0], [7.0]])), tensor(np.array([0.0, 1.0])))).tolist() == [[0, 4], [0, 7]]
    assert host(random.poisson(zeros((0, 3)))).shape == (0, 3) and host(random.binomial(zeros((0, 3)), zeros((3,)))).shape == (0, 3)


@pytest.mark.parametrize("rate", [-1.0, np.nan])
def test_what_is_no_rate_is_an_error_of_the_queued_work(rate: float) -> None:
    with pytest.raises(RuntimeError, match="Poisson"):
        host(random.poisson(tensor(np.array([rate]))))
    with pytest.raises(RuntimeError, match="Binomial"):
        host(random.binomial(tensor(np.array([rate])), tensor(np.array([0.5]))))


def test_operands_that_are_no_counts_are_refused_at_once() -> None:
    with pytest.raises(TypeError, match="floating"):
        random.poisson(tensor(np.ones(2, np.int32)))
    with pytest.raises(TypeError, match="one dtype"):
        random.binomial(tensor(np.ones(2, np.float32)), tensor(np.ones(2)))
    with pytest.raises(ValueError, match="slices"):
        random.shuffle(tensor(np.array(1.0)))


def test_a_shuffle_keeps_the_slices() -> None:
    x = np.arange(30).reshape(10, 3)
    found = host(random.shuffle(tensor(x), generator=random.Generator().manual_seed(2)))
    assert found.tolist() != x.tolist() and sorted(found.tolist()) == x.tolist()
    assert host(random.shuffle(zeros((0, 2)))).shape == (0, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=str)
def test_distributions_in_place_have_their_quantiles(dtype: Any) -> None:
    random.manual_seed(11)
    cauchy = np.sort(host(random.cauchy_(zeros(MANY, dtype), 2, 3)).astype(np.float64))
    np.testing.assert_allclose(cauchy[[10_000, 20_000, 30_000]], [-1, 2, 5], atol=0.15)
    normal = np.log(host(random.log_normal_(zeros(MANY, dtype), 1, 0.5)).astype(np.float64))
    np.testing.assert_allclose([normal.mean(), normal.std()], [1, 0.5], atol=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8], ids=str)
def test_trials_up_to_a_success_start_at_one(dtype: Any) -> None:
    random.manual_seed(12)
    found = host(random.geometric_(zeros(MANY, dtype), 0.25)).astype(np.float64)
    assert found.min() == 1 and abs(found.mean() - 4) < 0.1 and abs((found == 1).mean() - 0.25) < 0.01


def test_parameters_out_of_range_are_refused() -> None:
    x = zeros((3,))
    for call in (
        lambda: random.geometric_(x, 1.0),
        lambda: random.geometric_(x, 0.0),
        lambda: random.cauchy_(x, 0, 0),
        lambda: random.log_normal_(x, 0, -1),
    ):
        with pytest.raises(ValueError):
            call()
    assert not host(x).any()


# Counters that are written ahead


def _one_by_one(seed: int, draws: int) -> list[Any]:
    """The numbers of draws that don't follow each other: each generator is put where it draws."""
    generator = at.Generator()
    made = []
    for draw in reversed(range(draws)):
        state = struct.pack("<QQ", seed, draw * generators.OFFSET_STEP)
        generator.set_state(np.frombuffer(state, np.uint8))
        made.append(at.rand(3, generator=generator).numpy())
    return made[::-1]


def test_draws_that_follow_each_other_share_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    at.manual_seed(3)
    at.rand(3)
    copied: list[int] = []
    upload = copies.upload_array

    def noted(array: Any, stream: Any) -> Any:
        copied.append(array.nbytes)
        return upload(array, stream)

    monkeypatch.setattr(copies, "upload_array", noted)
    drawn = [at.rand(3) for _ in range(2 * AHEAD)]
    monkeypatch.undo()
    np.testing.assert_array_equal([host(each) for each in drawn], _one_by_one(3, 2 * AHEAD + 1)[1:])
    assert len(copied) <= 3


def test_a_draw_that_does_not_follow_is_its_own() -> None:
    wanted = _one_by_one(5, 12)
    one, other = at.Generator().manual_seed(5), at.Generator().manual_seed(5)
    drawn = []
    for draw in range(10):
        drawn.append(at.rand(3, generator=one))
        if draw == 4:
            at.rand(3, generator=other)
        if draw % 3 == 0:
            at.bernoulli(at.full((2,), 0.5), generator=other)
            at.randperm(4, generator=other)
    np.testing.assert_array_equal([each.numpy() for each in drawn], wanted[:10])
    one.manual_seed(5)
    again = [at.rand(3, generator=one) for _ in range(2)]
    np.testing.assert_array_equal([each.numpy() for each in again], wanted[:2])


def test_counters_of_one_number_and_of_two_share_a_copy() -> None:
    def mixed(generator: at.Generator) -> list[Any]:
        x = at.full((3,), 0.5)
        return [
            part.numpy()
            for _ in range(5)
            for part in (at.bernoulli(x, generator=generator), at.rand(3, generator=generator), at.randperm(3, generator=generator))
        ]

    together = mixed(at.Generator().manual_seed(9))
    apart = at.Generator().manual_seed(9)
    side = at.Stream()
    alternating = []
    for step, part in enumerate(("b", "r", "p") * 5):
        with at.stream(side) if step % 2 else contextlib.nullcontext():
            x = at.full((3,), 0.5)
            drawn = {"b": at.bernoulli, "r": lambda _, generator: at.rand(3, generator=generator)}.get(part)
            made = at.randperm(3, generator=apart) if drawn is None else drawn(x, generator=apart)
        alternating.append(made.numpy())
    for one, other in zip(together, alternating, strict=True):
        np.testing.assert_array_equal(one, other)


def test_threads_that_share_a_stream_draw_what_their_counters_say() -> None:
    stream = at.Stream()
    found: dict[int, list[at.NPUTensor]] = {}

    def run(seed: int) -> None:
        generator = at.Generator().manual_seed(seed)
        with at.stream(stream):
            found[seed] = [at.rand(3, generator=generator) for _ in range(60)]

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.synchronize()
    for seed, drawn in found.items():
        np.testing.assert_array_equal([each.numpy() for each in drawn], _one_by_one(seed, 60))


def test_a_stream_that_drew_is_used_again_when_it_is_gone() -> None:
    at.rand(3)  # the seed, which is kept, lies on a stream that stays
    handles = set()
    for _ in range(4):
        side = at.Stream()
        handles.add(side.handle)
        with at.stream(side):
            x = at.rand(3)
        side.synchronize()
        del x, side
    assert len(handles) == 1


def test_the_counter_comes_round() -> None:
    generator = at.Generator()
    last = (1 << 63) - 5
    generator.set_state(np.frombuffer(struct.pack("<QQ", 3, last), np.uint8))
    for _ in range(3):
        at.rand(3, generator=generator)
    assert struct.unpack("<QQ", generator.get_state().tobytes()) == (3, last + 30 - (1 << 63))


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_numbers_drawn_into_a_tensor_have_its_dtypes_bits(dtype: Any) -> None:
    for draw in (at.rand, at.randn, lambda *shape, **options: at.normal(0.0, 1.0, shape, **options)):
        at.manual_seed(3)
        expected = draw(5, dtype=dtype)
        at.manual_seed(3)
        assert at.equal(draw(5, out=at.empty(5, dtype=dtype)), expected)
    assert at.randint(300, (2,), out=at.empty(2, dtype=at.int16, device="npu:1")).device == "npu:1"
    with pytest.raises(ValueError, match="don't fit uint8"):
        at.randint(300, (2,), out=at.empty(2, dtype=at.uint8))
