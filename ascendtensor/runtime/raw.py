"""Handles of the library for pyACL calls of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .device import DeviceLike, as_device


@dataclass(frozen=True)
class Raw:
    """What `raw` hands over, as pyACL takes it.

    Attributes:
        device: Number of the device.
        context: The stream's context, current in this thread: the device's primary one, or that of a `Context` which is entered.
        stream: The stream that this thread's work goes to.
    """

    device: int
    context: int
    stream: int


@contextmanager
def raw(device: DeviceLike = None, *, check: bool = True) -> Iterator[Raw]:
    """A context for pyACL calls of your own: gives device number, context and stream, and puts things right afterwards.

    Work that is queued on `stream` is ordered with the library's own. Other devices and contexts may be made current inside; at the end
    the library's is again, and the stream is waited for, so that an error of the work shows here and not at some later tensor.

    Args:
        device: Which device; the current one if None.
        check: Wait for the stream at the end, unless the block raised. Without it errors show at the next synchronising call, and what you
            wrote into a tensor that lives on another stream is not ordered for third streams.

    Raises:
        AclError: What was queued failed.

    Examples:
        >>> x = at.ones(2)
        >>> with at.raw() as call:
        ...     call.stream != 0
        True
    """
    target = as_device(device)
    with target.current():
        stream = target.activate()  # also where somebody changed the context before
        try:
            yield Raw(target.index, stream.lane.context, stream.handle)
            stream.recent.append("the calls inside raw()")
        finally:
            if not target.closed:
                target.activate()
        if check and not target.closed:
            stream.synchronize()
