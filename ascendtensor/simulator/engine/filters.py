"""What may stand between a launch and its kernel: fault plans, profiling. Nothing is paid when there is none.

A filter gets the operator type and the task of one run and gives back the task to queue. Prepared tasks went through the
filters of their time, so they are made anew when a filter comes or goes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .streams import Hooks
from .tables import HANDLES, ON_NEW_PROCESS, Task

Filter = Callable[[str, Task], Task]
_FILTERS: Final[list[Filter]] = []


def add(filter_: Filter) -> None:
    """Let a filter see every run from now on; the newest one is the outermost."""
    if filter_ not in _FILTERS:
        _FILTERS.append(filter_)
        _changed()


def remove(filter_: Filter) -> None:
    """End a filter."""
    if filter_ in _FILTERS:
        _FILTERS.remove(filter_)
        _changed()


def _changed() -> None:
    Hooks.task_filter = _through_all if len(_FILTERS) > 1 else _FILTERS[0] if _FILTERS else None
    drop_prepared()


def _through_all(op_type: str, task: Task) -> Task:
    for filter_ in list(_FILTERS):
        task = filter_(op_type, task)
    return task


def drop_prepared() -> None:
    """Forget the prepared tasks of every handle."""
    for record in list(HANDLES.values()):
        prepared: Any = getattr(record, "prepared", None)
        if prepared is not None:
            prepared.clear()


def _forget() -> None:
    _FILTERS.clear()
    Hooks.task_filter = None


ON_NEW_PROCESS.append(_forget)
