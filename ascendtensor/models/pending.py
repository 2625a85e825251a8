"""Runs that were queued, and many of them one after another."""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from ..compiler.progress import Steps
from ..errors import AclError
from ..runtime.stream import Event, Stream

_PAUSE: Final = 0.001
"""Seconds between two looks at a run that is awaited."""


class Pending:
    """A run that was queued. Its outputs can be used on the device at once; `result()` or `await` waits for them.

    Attributes:
        outputs: What the call would have given.
        stream: Where it was queued.

    Examples:
        >>> model = at.models.load("net.om")
        >>> run = model.run_async(at.zeros(2, 3))
        >>> p, best = run.result()
        >>> run.done(), run.exception()
        (True, None)
        >>> model.unload()
    """

    def __init__(self, outputs: Any, stream: Stream) -> None:
        self.outputs = outputs
        self.stream = stream
        self._alone = False  # whether its stream gets nothing else to do before `result()`
        self._event = Event()
        self._event.record(stream)

    def __repr__(self) -> str:
        return f"<Pending on {self.stream!r}>"

    def done(self) -> bool:
        """Whether it has run."""
        return self._event.query()

    def result(self) -> Any:
        """The outputs, when they are there.

        Raises:
            AclError: The run failed. Only a stream tells that, not an event (RT-45), and not before all its work is done: where more was
                queued behind the run, the next result or read that finds the stream idle raises it.
        """
        self.stream.ready()
        self._event.synchronize()
        if self._alone or self.stream.query():
            self.stream.synchronize()
        return self.outputs

    def exception(self) -> AclError | None:
        """Waits, and gives the error of a run that failed instead of raising it; an error is told once."""
        try:
            self.result()
        except AclError as error:
            return error
        return None

    def __await__(self) -> Generator[Any, None, Any]:
        pause = 0.0
        while not self.done():
            # Whoever awaits has imported it, and all others are spared the time it takes.
            yield from sys.modules["asyncio"].sleep(pause).__await__()
            pause = _PAUSE
        return self.result()


class Map:
    """The outputs of `Model.map`, in order.

    The runs go to a few streams in turn, each behind the run before it: so the copies of one batch, in and out, and what else waits for its
    stream, don't wait for the run of the next.

    Examples:
        >>> model = at.models.load("net.om")
        >>> batches = (np.full((2, 3), n, np.float32) for n in range(4))
        >>> sum(y["p"].shape[0] for y in model.map(batches))
        8
        >>> model.unload()
    """

    def __init__(
        self, run: Callable[[Any, Stream], Pending], batches: Iterator[Any], in_flight: int, streams: Sequence[Stream], steps: Steps
    ) -> None:
        self._run = run
        self._batches = batches
        self._limit = in_flight
        self._alone = in_flight <= len(streams)
        self._streams = itertools.cycle(streams)
        self._steps = steps
        self._pending: deque[Pending] = deque()
        self._error: Exception | None = None

    def __del__(self) -> None:
        with suppress(AttributeError):  # an interrupt came while it was made
            self._steps.close()

    def _fill(self) -> None:
        while len(self._pending) < self._limit:
            try:
                run = self._run(next(self._batches), next(self._streams))
                run._alone = self._alone
                self._pending.append(run)
            except StopIteration:
                return
            except Exception as error:  # what is queued comes first
                self._error = error
                self._batches = iter(())
                return

    def _end(self) -> None:
        """Nothing is queued any more."""
        self._steps.close()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def __iter__(self) -> Map:
        return self

    def __next__(self) -> Any:
        self._fill()
        if not self._pending:
            self._end()
            raise StopIteration
        found = self._pending.popleft().result()
        self._steps.step()
        return found

    def __aiter__(self) -> Map:
        return self

    async def __anext__(self) -> Any:
        self._fill()
        if not self._pending:
            self._end()
            raise StopAsyncIteration
        found = await self._pending.popleft()
        self._steps.step()
        return found
