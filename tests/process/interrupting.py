"""A Ctrl-C at each place, one after the other, where the running interpreter takes one.

Which places these are differs from Python to Python: behind calls of C functions, at a function's start, at jumps. So nothing is assumed of
them: a real signal is made pending, and where its handler is called is the first place; there the next one is made pending, and so on.
"""

from __future__ import annotations

import _thread
import functools
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import session


class Signal(int):
    """A signal. Reading `pending` makes it so: an attribute of C, behind which the interpreter looks for no signals yet."""

    pending = property(_thread.interrupt_main)


SIGINT = Signal(signal.SIGINT)


class Interrupter:
    """Raises KeyboardInterrupt at the n-th place in code of chosen files, or in what it calls.

    Attributes:
        fired: Whether there were as many places.
        where: File and line of the interrupt.
        places: The functions that were reached, one for each place.
    """

    def __init__(self, files: tuple[str, ...], nth: int) -> None:
        self.files = files
        self.left = nth
        self.fired = self.runs = self.delayed = False
        self.where = ""
        self.places: list[CodeType] = []

    def run(self, body: Callable[[], Any]) -> None:
        before = signal.signal(signal.SIGINT, self.handle)
        try:
            with self.acl_in_c():
                self.runs = True
                self.last = SIGINT.pending
                body()
        except KeyboardInterrupt:
            pass
        finally:
            self.runs = False
            signal.signal(signal.SIGINT, before)

    def handle(self, number: int, frame: FrameType | None) -> None:
        frame = sys._getframe(1)  # the argument says where it came: an interrupt that was held back comes to an end elsewhere
        if self.fired or not self.runs:
            return
        if self.in_acl(frame):
            self.delayed = True
            return
        if self.counts(frame):
            self.places.append(frame.f_code)
            self.left -= 1
            if self.left <= 0:
                self.fired = True
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        self.last = SIGINT.pending

    def in_acl(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code is not self.call.__code__:
            frame = frame.f_back
        return frame is not None

    def counts(self, frame: FrameType | None) -> bool:
        """Not where Python only prints what is raised: in finalisers, and in what a WeakValueDictionary has called."""
        ours = False
        while frame is not None:
            if frame.f_code.co_name in ("__del__", "remove"):
                return False
            ours = ours or frame.f_code.co_filename.startswith(self.files)
            frame = frame.f_back
        return ours

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """A function of pyACL, which is C on a board: a signal that comes meanwhile is handled behind it."""
        result = function(*args)
        if self.delayed:
            self.delayed = False
            self.last = SIGINT.pending
        return result

    @contextmanager
    def acl_in_c(self) -> Iterator[None]:
        originals = [(module, name, getattr(module, name)) for module, name, _ in session.functions()]
        for module, name, original in originals:
            setattr(module, name, functools.partial(self.call, original))
        try:
            yield
        finally:
            for module, name, original in originals:
                setattr(module, name, original)
