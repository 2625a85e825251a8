"""Ctrl-C and timeouts held back while tables are half changed."""

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
_HELD = tuple([int(getattr(signal, name)) for name in ("SIGTERM", "SIGALRM", "SIGINT") if hasattr(signal, name)])
"""Signals whose handlers programs let raise: for an end, a timeout, Ctrl-C."""


class HeldInterrupts:
    """A SIGINT, SIGALRM or SIGTERM that comes during the `with` block is handled at its end.

    Signals are handled in the main thread only, so elsewhere it does nothing; inside another such block neither. It costs some
    microseconds: not for the hot road.
    """

    __slots__ = ("_before", "_came")
    _holds = False

    def __init__(self) -> None:
        self._before: tuple[tuple[int, Any], ...] = ()
        self._came: dict[int, FrameType | None] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came[number] = frame

    def __enter__(self) -> None:
        if HeldInterrupts._holds or threading.get_ident() != threading.main_thread().ident:
            return
        before = tuple([(number, handler) for number in _HELD if callable(handler := _get(number))])
        try:
            for number, _ in before:
                _set(number, self._note)
        except ValueError:  # the main thread of another interpreter
            return
        except BaseException:  # a signal that was not held yet
            _give_back(before)
            raise
        self._before = before
        HeldInterrupts._holds = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        before, self._before = self._before, ()
        if not before:
            return
        HeldInterrupts._holds = False
        came, self._came = self._came, {}  # a frame may know this object, and a ring of the two would keep the frame's tensors
        try:
            _give_back(before)
        finally:
            for number, handler in before:
                if number in came:
                    handler(number, came.pop(number))


def _give_back(handlers: tuple[tuple[int, Any], ...]) -> None:
    try:
        for number, handler in handlers:
            _set(number, handler)
    except BaseException:  # from a handler that was given back
        for number, handler in handlers:
            _set(number, handler)
        raise


def of_handler(error: BaseException) -> BaseException | None:
    """What a held signal's handler raised, if that is an exception or its cause; None for what the code raised that the signal came in."""
    handlers = {getattr(getattr(handler, "__func__", handler), "__code__", None) for handler in map(_get, _HELD)} - {None}
    cause: BaseException | None = error
    while cause is not None:
        trace = cause.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code in handlers:
                return cause
            trace = trace.tb_next
        cause = cause.__cause__
    return None
