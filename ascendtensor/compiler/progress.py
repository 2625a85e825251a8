"""Word of what takes a while, a compile, a loop or a large copy: a line on a terminal, a bar in a notebook, nothing elsewhere."""

import contextlib
import importlib
import importlib.util
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from ascendtensor import deferred

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_PROGRESS"
PATIENCE: Final = 0.5
"""Seconds after which a compile or a loop is mentioned."""
INTERVAL: Final = 0.1
"""Seconds between two pictures of a loop."""
WIDTH: Final = 24

_chosen: bool | None = None


def set_progress(enabled: bool | None) -> None:
    """Choose whether long compiles, loops over models and large copies say how far they are.

    They do so from half a second on: a line on a terminal (rich's, where rich is installed), a bar in a notebook, nothing elsewhere.

    Args:
        enabled: Whether; None leaves it to the environment variable ASCENDTENSOR_PROGRESS, as it is at first.

    Examples:
        >>> at.set_progress(False)
        >>> at.ones(3).sum()  # silent, however long it takes
        tensor(3., device='npu:0')
        >>> at.set_progress(None)

    Like: huggingface_hub.utils.disable_progress_bars; torch has none.
    """
    global _chosen
    _chosen = enabled


class _Place(Protocol):
    def show(self, text: str, part: float | None = None) -> None: ...
    def clear(self) -> None: ...


class _Terminal:
    """One line that is written over."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def show(self, text: str, part: float | None = None) -> None:
        bar = "" if part is None else f" [{'=' * round(part * WIDTH):{WIDTH}}]"
        self._stream.write(f"\r\x1b[K{text}{bar}")
        self._stream.flush()

    def clear(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Rich:
    """rich's line, on a terminal."""

    def __init__(self, bars: Any) -> None:
        columns = (bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn(WIDTH))
        console = importlib.import_module("rich.console").Console(stderr=True)
        # Without redirection: what the program prints meanwhile goes where it would go, into a file perhaps.
        self._bars = bars.Progress(*columns, transient=True, console=console, redirect_stdout=False, redirect_stderr=False)
        self._task = self._bars.add_task("", total=None)

    def show(self, text: str, part: float | None = None) -> None:
        words = importlib.import_module("rich.markup").escape(text)
        self._bars.update(self._task, description=words, total=None if part is None else 1.0, completed=part or 0.0)
        self._bars.start()

    def clear(self) -> None:
        self._bars.stop()


class _Cell:
    """An output of the cell that runs, which is changed in place. It uses what IPython publishes with, and imports nothing of it."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self._transient = {"display_id": os.urandom(8).hex()}
        self._shown = False

    def show(self, text: str, part: float | None = None) -> None:
        value = "" if part is None else f' value="{part:.3f}"'
        self._publish({"text/html": f"<progress{value}></progress> {deferred.load('html').escape(text)}", "text/plain": text})

    def clear(self) -> None:
        self._publish({"text/html": "", "text/plain": ""})

    def _publish(self, data: dict[str, str]) -> None:
        self._publisher.publish(data, metadata={}, transient=self._transient, update=self._shown)
        self._shown = True


def wanted() -> bool:
    """What `set_progress` chose, else the environment variable."""
    return os.environ.get(VARIABLE, "") not in ("0", "off") if _chosen is None else _chosen


def _place() -> _Place | None:
    """Where somebody would see it, None if nowhere or not wanted."""
    if not wanted():
        return None
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None and getattr(shell, "kernel", None) is not None:
        return _Cell(shell.display_pub)
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    return _Rich(importlib.import_module("rich.progress")) if importlib.util.find_spec("rich") else _Terminal()


def _watch(what: str, started: float, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    logger.info("compiling %s", what)
    place = _place()
    if place is None:
        return
    while True:
        place.show(f"ascendtensor: compiling {what} ({time.monotonic() - started:.0f} s)")
        if done.wait(PATIENCE):
            break
    place.clear()


@contextlib.contextmanager
def shown(what: str) -> Iterator[None]:
    """While the body runs, says after half a second what is being compiled: a log line, and where somebody looks a count of seconds."""
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, time.monotonic(), done), name="ascendtensor-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _number(count: float) -> str:
    return f"{count:.3g}" if count < 100 else f"{count:.0f}"


class Steps:
    """How far a loop is, from half a second on, where somebody looks. `step` costs a look at the clock."""

    def __init__(self, what: str, total: int | None, written: Callable[[float], str] | None = None) -> None:
        """Begins.

        Args:
            what: What the loop does, for people.
            total: How many steps it has, None where nobody knows.
            written: Gives a number of steps for people, such as bytes.
        """
        self._what = what
        self._written = written or _number
        self._total = total
        self._count = 0
        self._started = time.monotonic()
        self._next = self._started + PATIENCE
        self._place: _Place | None = None

    def step(self, count: int = 1) -> None:
        """One step more is done, or several."""
        self._count += count
        now = time.monotonic()
        if now < self._next:
            return
        self._place = self._place or _place()
        if self._place is None:
            self._next = float("inf")
            return
        self._next = now + INTERVAL
        seconds = now - self._started
        of = "" if self._total is None else f"/{self._written(self._total)}"
        part = min(self._count / self._total, 1.0) if self._total else None
        speed = self._written(self._count / seconds)
        self._place.show(f"ascendtensor: {self._what} {self._written(self._count)}{of}, {speed}/s ({seconds:.0f} s)", part)

    def close(self) -> None:
        """The loop is over: what was shown goes."""
        place, self._place = self._place, None
        self._next = float("inf")
        if place is not None:
            place.clear()
