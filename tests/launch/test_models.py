"""How many operator models a program loads: values never make one, shapes and constants that keep changing make a few."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import compiler
from ascendtensor.compiler import ModelStore
from ascendtensor.compiler.simulated import SimulatedCompiler
from ascendtensor.launch import variants
from ascendtensor.launch.registry import HandleRegistry

DOZEN = 12


def test_numbers_make_no_model_per_value(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    a = at.tensor([1.0, 2.0])
    a + 0, a * 0.5
    with models() as loaded:
        for i in range(1000):
            result = a + i
        for i in range(200):
            a * (i / 7)
    assert loaded() == 0
    assert result.tolist() == [1000.0, 1001.0]
    assert at.memory_stats()  # the cache of numbers is bounded, so this is no leak either


def test_the_bits_of_a_number_matter(cache: HandleRegistry) -> None:
    a = at.tensor([1.0])
    assert (a / 0.0).item() == math.inf and (a / -0.0).item() == -math.inf
    assert (a / 0.0).item() == math.inf
    assert str((at.tensor([-0.0]) + 0.0).item()) == "0.0" and str((at.tensor([-0.0]) + -0.0).item()) == "-0.0"
    assert math.isnan((a * math.nan).item()) and math.isnan((a * math.nan).item())
    # True, 1 and 1.0 are one key of a dict, but promote differently.
    i, b = at.tensor([5]), at.tensor([True])
    assert [(i + number).dtype.name for number in (True, 1, 1.0)] == ["int64", "int64", "float32"]
    assert [(b + number).dtype.name for number in (1.0, 1, True)] == ["float32", "int64", "bool"]
    assert (i + 1).item() == (i + True).item() == (i + 1.0).item() == 6


@pytest.mark.parametrize("first", [0.0, -0.0])
def test_the_bits_of_complex_numbers_matter(cache: HandleRegistry, first: float) -> None:
    a = at.tensor([1 + 0j])
    for imag in (first, -first):
        assert math.copysign(1, (a * complex(0.0, 0.0) + complex(2.0, imag)).item().real) == 1
        found = at.full((1,), complex(3.0, imag), dtype=at.complex64).item()
        assert math.copysign(1, found.imag) == math.copysign(1, imag)


def test_random_draws_make_none_after_the_first(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    draws = [lambda: at.rand(3, 4), lambda: at.randn(5), lambda: at.randint(0, 10, (4,)), lambda: at.randperm(6)]
    for draw in draws:
        draw()
    with models() as loaded:
        seen = [tuple(draws[0]().reshape(-1).tolist()) for _ in range(50)]
        for draw in draws[1:]:
            for _ in range(20):
                draw()
    assert loaded() == 0 and len(set(seen)) == 50


def test_slices_at_changing_offsets_make_none_after_the_first(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    values = np.arange(4096, dtype=np.float32)
    a = at.from_numpy(values)
    (a[1:5] + 1).numpy()
    a[1:5] = 0.0
    a[9:2:-2].numpy()
    values[1:5] = 0
    with models() as loaded:
        for start in range(2, 200):
            np.testing.assert_array_equal((a[start : start + 4] + 1).numpy(), values[start : start + 4] + 1)
            np.testing.assert_array_equal(a[start + 8 : start : -2].numpy(), values[start + 8 : start : -2])
        for start in range(300, 340):
            a[start : start + 4] = float(start)
            values[start : start + 4] = start
    assert loaded() <= 1  # aligned slices need no copy, so both kinds of operand were met once
    np.testing.assert_array_equal(a.numpy(), values)


def shapes(count: int) -> Iterator[tuple[int, int]]:
    """Different shapes, the same number of dims."""
    return itertools.islice(((rows, total - rows) for total in itertools.count(2) for rows in range(1, total)), count)


def ones(*shape: int) -> Any:
    return at.from_numpy(np.ones(shape, np.float32))


SIGNATURES: dict[str, Callable[[int, int], tuple[Any, float]]] = {
    "add": lambda m, n: ((ones(m, n) + ones(m, n)), 2 * m * n),
    "number": lambda m, n: ((ones(m, n) * 3), 3 * m * n),
    "broadcast": lambda m, n: ((ones(m, n) + ones(n)), 2 * m * n),
    "sum": lambda m, n: (at.sum(ones(m, n)), m * n),
    "sum(dim)": lambda m, n: (at.sum(ones(m, n), m % 2), m * n),
    "matmul": lambda m, n: (ones(m, n) @ ones(n, 2), 2 * m * n),
    "full": lambda m, n: (at.full((m, n), 2.0), 2 * m * n),
    "transpose": lambda m, n: ((ones(m, n).T.contiguous()), m * n),
    "argmax": lambda m, n: (at.argmax(ones(m, n), 1), 0),
    "cast": lambda m, n: (ones(m, n).to(at.float16), m * n),
    "where": lambda m, n: (at.where(ones(m, n) > 0, ones(m, n), ones(m, n)), m * n),
    "expand": lambda m, n: (at.broadcast_to(ones(n), (m, n)).contiguous(), m * n),
    "cat": lambda m, n: (at.cat([ones(m, n), ones(m, n)]), 2 * m * n),
    "rand": lambda m, n: (at.rand(m, n) * 0, 0),
    "softmax": lambda m, n: (at.softmax(ones(m, n), 1), m),
    "arange": lambda m, n: (at.arange(m * n) * 0, 0),
    "slice": lambda m, n: (at.from_numpy(np.ones((m + 1, n + 1), np.float32))[:m, 1:].contiguous(), m * n),
}


def load_for_shapes(name: str, count: int, stride: int) -> None:
    body = SIGNATURES[name]
    for number, (m, n) in enumerate(shapes(count)):
        result, total = body(m, n)
        if number % stride == 0:
            assert float(at.sum(result.to(at.float32))) == pytest.approx(total, rel=1e-3), f"{name} of {m}x{n}"


@pytest.mark.parametrize("name", SIGNATURES)
def test_many_shapes_of_one_signature_load_a_dozen_models(name: str, cache: HandleRegistry, models: Callable[[], Any]) -> None:
    with models() as loaded:
        load_for_shapes(name, 120, 10_000)
    kinds = {"where": 2, "rand": 3, "cat": 1, "arange": 2, "slice": 1, "transpose": 1, "expand": 1, "softmax": 1}.get(name, 1)
    assert loaded() <= DOZEN * kinds + 11, name
    with models() as loaded:
        load_for_shapes(name, 130, 16)
    assert loaded() <= 2 * DOZEN, "new shapes go on making models"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["add", "sum(dim)", "full", "broadcast", "matmul"])
def test_ten_thousand_shapes_of_one_signature_load_a_dozen_models(name: str, cache: HandleRegistry, models: Callable[[], Any]) -> None:
    body = SIGNATURES[name]
    with models() as loaded:
        for m, n in shapes(10_000):
            body(m, n)
    assert loaded() <= DOZEN
    assert cache.info().size <= cache.info().capacity


def test_permutations_that_keep_changing(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    values = np.arange(120, dtype=np.float32).reshape(1, 2, 3, 4, 5)
    a = at.from_numpy(values)
    with models() as loaded:
        for perm in itertools.permutations(range(5)):
            np.testing.assert_array_equal(a.permute(perm).contiguous().numpy(), values.transpose(perm))
    assert loaded() <= DOZEN


def test_axes_that_keep_changing(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    values = np.random.default_rng(0).integers(0, 9, (2, 3, 2, 2, 3, 2)).astype(np.float32)
    a = at.from_numpy(values)
    with models() as loaded:
        for length in range(1, 6):
            for dims in itertools.combinations(range(6), length):
                np.testing.assert_array_equal(at.sum(a, dims, keepdim=True).numpy(), values.sum(dims, keepdims=True))
    assert loaded() <= 5 * DOZEN  # the number of axes is another signature


def test_flips_that_keep_changing(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    values = np.arange(64, dtype=np.float32).reshape(2, 2, 2, 2, 2, 2)
    a = at.from_numpy(values)
    with models() as loaded:
        for dims in itertools.combinations(range(6), 2):
            np.testing.assert_array_equal(at.flip(a, dims).numpy(), np.flip(values, dims))
    assert loaded() <= DOZEN


def test_fill_shapes_that_keep_changing(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    with models() as loaded:
        for m, n in shapes(60):
            np.testing.assert_array_equal(at.full((m, n), 2.5).numpy(), np.full((m, n), 2.5, np.float32))
    assert loaded() <= DOZEN


class Slow(SimulatedCompiler):
    """Says that a compile took over a second, by the clock that the registry reads."""

    def build(self, descriptions: Any) -> list[bytes]:
        Clock.now += 1.5 * len(descriptions)
        return super().build(descriptions)


class Clock:
    now = 0.0


@pytest.fixture
def slow_compiler(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "choose", lambda backend, soc: ModelStore(Slow(soc), None))
    monkeypatch.setattr(variants, "SLOW_COMPILE_SECONDS", 1.0)
    real = time.perf_counter
    monkeypatch.setattr("ascendtensor.launch.registry.time.perf_counter", lambda: real() + Clock.now)


@pytest.mark.usefixtures("slow_compiler")
def test_where_compiling_is_slow_the_third_shape_is_dynamic(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    with models() as loaded:
        for m, n in shapes(40):
            ones(m, n) + ones(m, n)
    assert loaded() == 3  # two exact ones, one dynamic one
    assert cache.info().dynamic_launches == 38
    assert 4.5 <= cache.info().compile_seconds < 6


@pytest.mark.usefixtures("slow_compiler")
def test_a_family_found_on_disk_is_not_called_slow_for_anothers_compile(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    a = ones(2, 2)
    a + a  # took "1.5 s"
    monkeypatch.setattr(Slow, "build", SimulatedCompiler.build)
    for m, n in shapes(8):
        ones(m, n) * ones(m, n)
    assert cache.info().dynamic_launches == 0
    monkeypatch.undo()


def test_a_failed_compile_counts_for_no_variant(cache: HandleRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, descriptions: Any) -> list[bytes]:
        raise at.CompileError("no licence today", op_type=descriptions[0].op_type, log="E40021 no licence")

    monkeypatch.setattr(compiler, "choose", lambda backend, soc: ModelStore(Slow(soc), None))
    with monkeypatch.context() as patch:
        patch.setattr(Slow, "build", fail)
        for m, n in shapes(10):
            with pytest.raises(at.CompileError, match=r"add: no licence[\s\S]*operands: float32"):
                ones(m, n) + ones(m, n)
    for m, n in shapes(2):
        ones(m, n) + ones(m, n)
    assert cache.info().dynamic_launches == 0, "failures were counted as variants"


def test_many_shapes_stay_fast(cache: HandleRegistry, models: Callable[[], Any]) -> None:
    # Comfy-Org/ComfyUI#10050: 600 s against 40 s for the first image, since each new shape was compiled. Times: bench/shapes.py.
    def step(n: int) -> Any:
        x = at.ones(n, 64)
        return at.sum((x + x) @ at.ones(64, 8))

    for n in range(1, 20):
        step(n)
    with models() as loaded:
        for n in range(1000, 1100):
            step(n)
    assert loaded() == 0
