"""Counters of random draws, written to the device for several draws at once.

Each draw has a counter that never comes again, so each would wait for a copy of sixteen bytes (on a board for the whole stream). But
generators count on in equal steps: the copy for one draw holds the counters of the next ones, too. A draw that does not follow the one
before, after `manual_seed` or beside another generator, is written by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import copies

if TYPE_CHECKING:
    from ..dtypes import dtype as DType
    from .memory import DeviceBuffer
    from .stream import Stream

STEP: Final = 10
"""How far the counter moves with each draw. Operators of CANN count on from it by themselves; torch_npu leaves as much room."""
AHEAD: Final = 8
"""Draws that one copy serves."""
_SLOT: Final = 64
_SECOND: Final = 32
"""Bytes between the counters of two draws, and where in them the one of one number stands behind that of two; both as operators want it."""
_LAST: Final = (1 << 63) - AHEAD * STEP


class Counters:
    """The counters that lie on the device for the next draws of one stream. Nobody writes to them while a draw may still read them: the
    block goes back to the stream's pool with the last window into it.

    Threads may share a stream: what one takes is complete, whatever another does to this object.
    """

    __slots__ = ("_expected", "_keeper", "_lines")

    def __init__(self) -> None:
        self._lines: tuple[int, DeviceBuffer] | None = None
        self._keeper: Stream | None = None
        self._expected = 0

    def take(self, values: tuple[int, ...], dtype: DType, stream: Stream) -> DeviceBuffer:
        """A counter on the device, ordered behind its copy.

        Args:
            values: (0, counter) or (counter,).
            dtype: Integers of 64 bits.
            stream: The one that reads it, of the lane that these counters are of; its device is current in this thread.
        """
        counter = values[-1]
        lines = self._lines
        if lines is not None:
            draws, rest = divmod(counter - lines[0], STEP)
            if not rest and 0 <= draws < AHEAD:
                return _window(lines[1], draws, values)
        follows, self._expected = counter == self._expected, counter + STEP
        if not follows or counter > _LAST:
            return copies.upload_values(values, dtype, stream)
        self._lines = lines = None  # so that the same block serves again
        buffer = copies.upload_array(_PATTERN + np.uint64(counter) * _COUNTED, stream)
        buffer.stream = self._keeper = self._keeper or stream.keeper()
        self._lines = counter, buffer
        return _window(buffer, 0, values)


def _window(buffer: DeviceBuffer, draws: int, values: tuple[int, ...]) -> DeviceBuffer:
    return buffer.window(draws * _SLOT + (0 if len(values) > 1 else _SECOND), 8 * len(values))


def _lines() -> tuple[np.ndarray[Any, np.dtype[np.uint64]], np.ndarray[Any, np.dtype[np.uint64]]]:
    """What stands in the lines of counter 0, and 1 where a counter stands."""
    counted = np.zeros((AHEAD, _SLOT // 8), np.uint64)
    counted[:, [1, _SECOND // 8]] = 1
    steps = np.arange(AHEAD, dtype=np.uint64)[:, None] * np.uint64(STEP)
    return counted * steps, counted


_PATTERN, _COUNTED = _lines()
