"""Which operator models are made or fetched while something is watched, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from time import perf_counter_ns
from typing import Any, NamedTuple

from ..compiler import Archive, ModelStore, Registrar
from ..compiler.description import Description
from ..launch.registry import handle_cache


class Made(NamedTuple):
    """One model: of what, from where, when, in which thread."""

    description: Description
    source: str
    began: int
    ended: int
    thread: int


@contextmanager
def watched() -> Iterator[list[Made]]:
    """While the block runs, note each operator model that was not loaded before."""
    found: list[Made] = []
    seen: set[Description] = set()
    load, build = handle_cache.load, handle_cache.build

    def noted(description: Description, work: Callable[[], Any]) -> Any:
        if description in seen or handle_cache.is_loaded(description):
            return work()
        models = handle_cache.source()
        before = models.info() if isinstance(models, ModelStore) else None
        began = perf_counter_ns()
        answer = work()
        seen.add(description)
        found.append(Made(description, _source(models, before), began, perf_counter_ns(), get_ident()))
        return answer

    def watched_load(description: Description, *, later: bool = False) -> float:
        seconds: float = noted(description, lambda: load(description, later=later))
        return seconds

    def watched_build(description: Description) -> None:
        noted(description, lambda: build(description))

    handle_cache.load, handle_cache.build = watched_load, watched_build  # type: ignore[method-assign]
    try:
        yield found
    finally:
        for name, before in (("load", load), ("build", build)):
            if getattr(before, "__func__", None) is getattr(type(handle_cache), name):
                vars(handle_cache).pop(name, None)
            else:  # somebody else watches too
                setattr(handle_cache, name, before)


def _source(models: ModelStore | Archive | Registrar, before: Any) -> str:
    if isinstance(models, Archive):
        return "from the finished models"
    if isinstance(models, Registrar):
        return f"compiled inside the process by {models.name}"
    after = models.info()
    if after.compiled > before.compiled:
        return f"compiled by {models.compiler.name} in {(after.compile_seconds - before.compile_seconds) * 1e3:.0f} ms"
    return "from the disk cache" if after.disk_hits > before.disk_hits else "from memory"
