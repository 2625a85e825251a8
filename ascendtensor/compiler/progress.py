"""Word of a compile that takes a while."""

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_PROGRESS"
PATIENCE: Final = 0.5
"""Seconds after which a compile is mentioned."""


def _line_wanted() -> bool:
    return os.environ.get(VARIABLE, "") not in ("0", "off") and sys.stderr is not None and sys.stderr.isatty()


def _watch(what: str, started: float, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    logger.info("compiling %s", what)
    if not _line_wanted():
        return
    stream = sys.stderr
    while True:
        stream.write(f"\r\x1b[Kascendtensor: compiling {what} ({time.monotonic() - started:.0f} s)")
        stream.flush()
        if done.wait(PATIENCE):
            break
    stream.write("\r\x1b[K")
    stream.flush()


@contextlib.contextmanager
def shown(what: str) -> Iterator[None]:
    """While the body runs, says after half a second what is being compiled: a log line, and on a terminal a line that counts seconds."""
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, time.monotonic(), done), name="ascendtensor-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
