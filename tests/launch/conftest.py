"""Fixtures of the launch floor's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ascendtensor.launch import variants
from ascendtensor.launch.registry import DEFAULT_CAPACITY, HandleRegistry, handle_cache


@pytest.fixture
def cache(new_process: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[HandleRegistry]:
    """The registry as in a new process: no plans, no counters, no loaded models, no memory of families.

    A compile on a busy machine does not make a family slow; the tests of slow compilers say what is.
    """
    monkeypatch.setattr(variants, "SLOW_COMPILE_SECONDS", 60.0)

    def forget() -> None:
        handle_cache.clear()
        handle_cache._loaded.clear()
        handle_cache.variants.clear()

    forget()
    yield handle_cache
    handle_cache.resize(DEFAULT_CAPACITY)
    forget()


@pytest.fixture
def models(cache: HandleRegistry) -> Callable[[], object]:
    """`with models() as loaded:` counts the operator models loaded meanwhile: `loaded()`."""

    @contextmanager
    def count() -> Iterator[Callable[[], int]]:
        before = cache.info().loaded_models
        yield lambda: cache.info().loaded_models - before

    return count
