"""Ctrl-C held back while tables are half changed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

try:  # what the module `signal` wraps: its conversion of handlers to enums costs 10 us a call before Python 3.12
    import _signal as raw  # type: ignore[import-not-found]
except ImportError:
    raw = signal

_get: Callable[[int], Any] = raw.getsignal
_set: Callable[[int, Any], Any] = raw.signal
_SIGINT = int(signal.SIGINT)


class HeldInterrupts:
    """A SIGINT that comes during the `with` block is handled at its end.

    Signals are handled in the main thread only, so elsewhere it does nothing; inside another such block neither. It costs some
    microseconds: not for the hot road.
    """

    __slots__ = ("_before", "_came")
    _holds = False

    def __init__(self) -> None:
        self._before: Any = None
        self._came: FrameType | bool | None = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = frame or True

    def __enter__(self) -> None:
        if HeldInterrupts._holds or threading.get_ident() != threading.main_thread().ident:
            return
        before = _get(_SIGINT)
        if not callable(before):
            return
        try:
            _set(_SIGINT, self._note)
        except ValueError:  # the main thread of another interpreter
            return
        self._before = before
        HeldInterrupts._holds = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        before = self._before
        if before is None:
            return
        self._before = None
        HeldInterrupts._holds = False
        _set(_SIGINT, before)
        came, self._came = self._came, False  # a frame may know this object, and a ring of the two would keep the frame's tensors
        if came:
            before(signal.SIGINT, None if came is True else came)
