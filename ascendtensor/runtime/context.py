"""Contexts of the user's own, beside the primary one of each device."""

from __future__ import annotations

import threading
from functools import partial
from operator import attrgetter
from types import TracebackType
from typing import Any

from ..errors import ClosedError
from .device import DeviceLike, as_device
from .stream import Stream


class Context:
    """A context of a device: a set of streams apart from those of other contexts.

    The library works in each device's primary context. Within `with context:` this thread's work goes to a stream of the given one,
    streams made there belong to it, and it is the context that pyACL calls of your own find current. A tensor belongs to its device, not
    to a context: it can be used in all of them, and where work of one needs that of another the library orders them by events, as between
    streams. Events too serve in all contexts of their device.

    ACL's context is used again when its `Context` is gone, and destroyed at shutdown, after its streams.

    Args:
        device: Of which device; the current one if None.

    Attributes:
        device: The device.
        handle: The aclrtContext, an int.

    Examples:
        >>> x = at.ones(2)
        >>> with at.Context() as context:
        ...     y = x * 2
        >>> (y + x).cpu()
        HostArray([3., 3.], dtype=float32)
        >>> context.current_stream() is at.current_stream()
        False
        >>> context.synchronize()
    """

    __slots__ = ("__weakref__", "_give_back", "_local", "device", "handle")

    def __init__(self, device: DeviceLike = None) -> None:
        found = as_device(device)
        with found.current():
            self.handle = found.free_context()
        self.device = found
        self._give_back = partial(found.ended_contexts.append, self.handle)
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Context can't be copied or pickled: it belongs to this process; make another one")

    __del__ = property(attrgetter("_give_back"))

    def __repr__(self) -> str:
        return f"<Context {self.handle:#x} of {self.device}{', closed' if self.device.closed else ''}>"

    def current_stream(self) -> Stream:
        """The stream of this context that this thread's work goes to within `with`.

        Raises:
            ClosedError: The context is from before `shutdown()`.
        """
        if self.device.closed:
            raise ClosedError("the context is from before shutdown()", advice="Make a new one.")
        mine = self._local.__dict__
        stream: Stream | None = mine.get("stream")
        if stream is None:
            with self.device.current(), self.device.contexts.entered(self.handle):
                stream = mine["stream"] = Stream.on(self.device, self.device.free_lane(self.handle))
        return stream

    def __enter__(self) -> Context:
        stream = self.current_stream()
        stream.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._local.stream.__exit__(kind, error, trace)

    def synchronize(self) -> None:
        """Wait for everything queued on the streams of this context.

        Raises:
            AclError: Queued work failed.
        """
        self.current_stream().ready()
        self.device.synchronize_lanes([lane for lane in self.device.lanes if lane.context == self.handle])
