"""What profiling notes and where it writes it: plain CSV files in a folder, and records of model runs in a pipe.

``op_summary.csv`` has one line for each operator that ran on a profiled device, ``stamps.csv`` one for each mark and range
of the program. Times are those of the simulator's kernels on the host, in microseconds.
"""

from __future__ import annotations

import csv
import os
import struct
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from . import AclFault, filters, memory
from .arguments import invalid
from .tables import ON_FINALIZE, ON_NEW_PROCESS, STREAMS, Task

INVALID_FILE: Final = 100003
ALREADY_RUN: Final = 100042
NOT_RUN: Final = 100043
REPEAT_INITIALIZE: Final = 100002
MODEL_UNKNOWN: Final = 100011
REPEATED: Final = 148046
CONFLICT: Final = 148047
TASK_TIME: Final = 0x2 | 0x800
STAMPS: Final = 0x80
OP_COLUMNS: Final = ("Device_id", "Stream ID", "Task ID", "OP Type", "Task Start Time(us)", "Task Duration(us)")
STAMP_COLUMNS: Final = ("Kind", "Message", "Thread ID", "Start Time(us)", "Duration(us)")


class Config:
    """What ``create_config`` makes."""

    __slots__ = ("devices", "mask")

    def __init__(self, devices: list[int], mask: int) -> None:
        self.devices = devices
        self.mask = mask


class Session:
    """From ``prof.init`` to ``prof.finalize``.

    Attributes:
        path: Where the results go; None outside of a session.
        by_file: acl.json began it, so ``acl.prof`` can't.
        config: What is being profiled now, None while it is stopped.
        operators, stamps: Lines of the two files.
        sessions: Sessions so far, for the folder's name.
    """

    path: str | None = None
    by_file = False
    config: Config | None = None
    operators: Final[list[tuple[Any, ...]]] = []
    stamps: Final[list[tuple[Any, ...]]] = []
    sessions = 0
    lock: Final = threading.Lock()


def begin(path: str) -> None:
    """Start a session.

    Raises:
        AclFault: 100000 for an empty path; 100002 in a session, 100042 in one of acl.json, 148047 beside subscriptions; 100003 no
            writable folder.
    """
    if not path:
        raise invalid("path", path, "must not be empty")
    if Session.path is not None:
        raise AclFault(ALREADY_RUN if Session.by_file else REPEAT_INITIALIZE, "profiling is initialised already")
    if SUBSCRIPTIONS:
        raise AclFault(CONFLICT, "a model is subscribed, which excludes acl.prof.init")
    if not os.path.isdir(path) or not os.access(path, os.W_OK):
        raise AclFault(INVALID_FILE, f"[{path}] is no folder that can be written to", "EH0003")
    Session.path = path


def running() -> bool:
    """Whether a session is open."""
    return Session.path is not None


def start(config: Config) -> None:
    """Note operators and stamps from now on."""
    if config.mask == 0:
        raise invalid("data_type_config", 0, "nothing is to be profiled")
    if Session.path is None:
        raise AclFault(NOT_RUN, "acl.prof.init comes first")
    if Session.by_file and Session.config is not None:
        raise AclFault(ALREADY_RUN, "acl.json began profiling")
    if Session.config is not None:
        raise AclFault(ALREADY_RUN, "profiling runs already")
    Session.config = config
    if config.mask & TASK_TIME:
        filters.add(_filter)


def stop(config: Config) -> None:
    """Note nothing more; the configuration must be that of the start."""
    if Session.config is None:
        raise AclFault(NOT_RUN, "profiling does not run")
    if config is not Session.config:
        raise invalid("prof_config", "", "is not the configuration that profiling was started with")
    _halt()


def _halt() -> None:
    Session.config = None
    filters.remove(_filter)


def end() -> str:
    """End the session and write its files.

    Returns:
        Their folder.
    """
    path = Session.path
    if path is None:
        raise AclFault(NOT_RUN, "acl.prof.init was not called")
    _halt()
    Session.path, Session.by_file = None, False
    Session.sessions += 1
    folder = os.path.join(path, f"PROF_{Session.sessions:06d}_{time.strftime('%Y%m%d%H%M%S')}_{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    _write(os.path.join(folder, "op_summary.csv"), OP_COLUMNS, Session.operators)
    _write(os.path.join(folder, "stamps.csv"), STAMP_COLUMNS, Session.stamps)
    Session.operators.clear()
    Session.stamps.clear()
    return folder


def _write(path: str, columns: Iterable[str], lines: list[tuple[Any, ...]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(lines)


def _end_quietly() -> None:
    """What ``acl.finalize`` does with a session that was left open."""
    if Session.path is not None:
        end()


def _forget() -> None:
    Session.path = Session.config = None
    Session.by_file = False
    Session.operators.clear()
    Session.stamps.clear()
    SUBSCRIPTIONS.clear()


# Operators


def microseconds(nanoseconds: int) -> float:
    """As the files have it."""
    return round(nanoseconds / 1000, 3)


def _filter(op_type: str, task: Task) -> Task:
    return _timed, (op_type, *task)


def _timed(op_type: str, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    began = time.perf_counter_ns()
    try:
        fn(*args)
    finally:
        _note(op_type, began, time.perf_counter_ns())


def _note(op_type: str, began: int, ended: int) -> None:
    config, me = Session.config, threading.get_ident()
    if config is None:
        return
    running = next((stream for stream in list(STREAMS.values()) if stream.busy == me), None)
    device, stream = (0, 0) if running is None else (running.device, running.identifier)
    if device in config.devices:
        with Session.lock:
            line = device, stream, len(Session.operators), op_type, microseconds(began), microseconds(ended - began)
            Session.operators.append(line)


def stamp(kind: str, message: str, began: int, ended: int) -> None:
    """Note a mark or a range of the program's own."""
    config = Session.config
    if config is not None and config.mask & STAMPS:
        Session.stamps.append((kind, message, threading.get_ident(), microseconds(began), microseconds(ended - began)))


# acl.json


def from_file(section: Any) -> None:
    """The key ``profiler`` of acl.json: with ``"switch": "on"`` a session of all devices until ``acl.finalize``.

    Raises:
        AclFault: 100000 for values of another kind.
    """
    if not isinstance(section, dict):
        raise invalid("profiler", section, "must be an object")
    switch, path = section.get("switch", "on"), section.get("output", ".")
    if switch not in ("on", "off") or not isinstance(path, str) or not path:
        raise invalid("profiler", section, 'switch must be "on" or "off", output a path')
    if switch == "off":
        return
    if not os.path.isdir(path):
        raise invalid("profiler", path, "output is no folder")
    begin(path)
    Session.by_file = True
    start(Config(list(range(memory.Settings.devices)), TASK_TIME | STAMPS))


# Records of model runs, for a subscriber's pipe

RECORD: Final = struct.Struct("<I4xQQ65s257s6x")
"""Model, start and end in nanoseconds, operator type and name."""


class Subscription:
    """A model whose operators are reported."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd


SUBSCRIPTIONS: Final[dict[int, Subscription]] = {}
KNOWN_MODELS: Final[list[Callable[[int], bool]]] = []
"""Who knows loaded models; a module with models adds a function that tells whether it has one of that number."""


def subscribe(model: int, fd: int) -> None:
    """Report the model's runs to a pipe."""
    if not any(known(model) for known in KNOWN_MODELS):
        raise AclFault(MODEL_UNKNOWN, f"there is no model {model}")
    if model in SUBSCRIPTIONS:
        raise AclFault(REPEATED, f"model {model} is subscribed already")
    if Session.path is not None:
        raise AclFault(CONFLICT, "acl.prof.init excludes subscriptions")
    SUBSCRIPTIONS[model] = Subscription(fd)


def unsubscribe(model: int) -> None:
    """Report nothing more of it."""
    if SUBSCRIPTIONS.pop(model, None) is None:
        raise invalid("model_id", model, "is not subscribed")


def report(model: int, op_type: str, name: str, began: int, ended: int) -> None:
    """Write one record of a subscribed model, if it is one."""
    found = SUBSCRIPTIONS.get(model)
    if found is not None:
        os.write(found.fd, RECORD.pack(model, began, ended, op_type.encode()[:64], name.encode()[:256]))


ON_FINALIZE.append(_end_quietly)
ON_NEW_PROCESS.append(_forget)
