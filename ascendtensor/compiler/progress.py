"""Word of a compile that takes a while: a line on a terminal, a bar in a notebook, nothing elsewhere."""

import contextlib
import html
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final, Protocol

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_PROGRESS"
PATIENCE: Final = 0.5
"""Seconds after which a compile is mentioned."""


class _Place(Protocol):
    def show(self, text: str) -> None: ...
    def clear(self) -> None: ...


class _Terminal:
    """One line that is written over."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def show(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()

    def clear(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Cell:
    """An output of the cell that runs, which is changed in place. It uses what IPython publishes with, and imports nothing of it."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self._transient = {"display_id": os.urandom(8).hex()}
        self._shown = False

    def show(self, text: str) -> None:
        self._publish({"text/html": f"<progress></progress> {html.escape(text)}", "text/plain": text})

    def clear(self) -> None:
        self._publish({"text/html": "", "text/plain": ""})

    def _publish(self, data: dict[str, str]) -> None:
        self._publisher.publish(data, metadata={}, transient=self._transient, update=self._shown)
        self._shown = True


def _place() -> _Place | None:
    """Where somebody would see it, None if nowhere or not wanted."""
    if os.environ.get(VARIABLE, "") in ("0", "off"):
        return None
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None and getattr(shell, "kernel", None) is not None:
        return _Cell(shell.display_pub)
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


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
