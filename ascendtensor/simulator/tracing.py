"""Recording the Python lines that make objects and queue work, and looking for streams that two threads use at once.

While it is on, every function of ``acl`` is replaced in its module by one that calls it and notes the line. Code that looks
functions up in the module at each call is seen; a name bound earlier is not. Nothing is paid while it is off.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from .engine import diagnostics, streams
from .engine.tables import LOCAL, Stream
from .installed import CHAPTERS, replace

_ROOT: Final = __name__.rpartition(".")[0]
_MAKERS: Final = (
    "create",
    "malloc",
    "register",
    "reserve",
    "load",
    "binary_load",
    "bundle_load",
    "range_start",
    "host_register",
    "dvpp_create",
    "dvpp_malloc",
)
"""Beginnings of the names of functions whose first result is a new handle or address."""
_LAUNCHERS: Final = frozenset(
    {"acl.op.execute", "acl.op.execute_v2", "acl.op.execute_with_handle", "acl.op.cast", "acl.rt.launch_kernel"}
    | {"acl.mdl.execute_async"}
    | {f"acl.blas.{name}" for name in ("gemm_ex", "hgemm", "s8gemm", "gemv_ex", "hgemv", "s8gemv")}
)
_COPIES: Final = frozenset(f"acl.rt.{name}" for name in ("memcpy_async", "memcpy2d_async", "memset_async", "memcpy_async_with_condition"))
"""Functions that put a task on the stream in their last argument; those of `acl.media` that end in `_async` do too."""
_HOST_DATA: Final = {
    **{f"acl.media.dvpp_jpeg_{name}": 0 for name in ("get_image_info", "get_image_info_v2", "predict_dec_size")},
    **{f"acl.media.dvpp_png_{name}": 0 for name in ("get_image_info", "predict_dec_size")},
    "acl.media.dvpp_jpeg_encode_async": 3,
}
"""Functions beside copies that read host memory, and where its address is."""
_USERS: Final[dict[int, int]] = {}
"""Stream handle to the thread that launched on it last."""
_LENT: Final[dict[int, tuple[bytes, str]]] = {}
"""Addresses that ``bytes_to_ptr`` gave, with the objects, which live as long as they are here, and the lines; the newest ``_LENDINGS``."""
_LENDINGS: Final = 64
_PROBE: Final = 0
_wrapped: Final[list[tuple[ModuleType, str, Callable[..., Any], Callable[..., Any]]]] = []


def trace(on: bool = True) -> None:
    """Record lines from now on, or no longer. ``ASCENDTENSOR_SIM_TRACE=1`` does it from the start.

    Examples:
        >>> simulator.trace()
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> [bool(leak.origin) for leak in simulator.leaks() if hex(desc) in leak.text]  # the line that made it
        [True]
        >>> simulator.destroy_tensor_desc(desc)
        >>> simulator.trace(False)
    """
    if on == diagnostics.Tracing.on:
        return
    diagnostics.Tracing.on = on
    if on:
        _wrap()
    else:
        _unwrap()


def strict(on: bool = True) -> None:
    """Raise findings as ``Misuse`` where they are noticed, or no longer. ``ASCENDTENSOR_SIM_STRICT=1`` does it from the start.

    Examples:
        >>> simulator.strict()
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> simulator.destroy_tensor_desc(desc)
        >>> simulator.get_tensor_desc_type(desc)
        Traceback (most recent call last):
            ...
        ascendtensor.simulator.engine.diagnostics.Misuse: use after destroy: tensor descriptor [0x...] is given as desc...
        >>> simulator.strict(False)
    """
    diagnostics.State.strict = on
    trace(on)


def _wrap() -> None:
    for chapter in ("", *(f".{name}" for name in CHAPTERS)):
        module = sys.modules.get(_ROOT + chapter)
        if module is None:
            continue
        for name, value in list(vars(module).items()):
            if "failure" in getattr(value, "__dict__", {}):
                traced = _traced(f"acl{chapter}.{name}", value)
                replace(module, name, traced)
                _wrapped.append((module, name, value, traced))


def _unwrap() -> None:
    while _wrapped:
        module, name, original, traced = _wrapped.pop()
        if getattr(module, name, None) is traced:  # a fault plan made meanwhile stays; it calls what it found
            replace(module, name, original)
    _USERS.clear()
    _LENT.clear()


def _traced(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    short = name.rpartition(".")[2]
    launches, copies = name in _LAUNCHERS, name in _COPIES or (name.startswith("acl.media.") and name.endswith("_async"))
    makes = short.startswith(_MAKERS) and not launches
    sets, lends = name == "acl.rt.set_device", name == "acl.util.bytes_to_ptr"
    source = 2 if name.startswith("acl.rt.memcpy") else _HOST_DATA.get(name, -1)
    least = 0 if name.startswith("acl.mdl.") else 1 << 16  # ids of models are small numbers

    def call(*args: Any, **keywords: Any) -> Any:
        if launches:
            _check_thread(name, args)
        elif 0 <= source < len(args):
            _check_lent(args[source])
        result = original(*args, **keywords)
        if launches or copies:
            _note_launch(args)
        elif lends:
            _lend(result, args[0])
        elif sets:
            if result == 0:
                diagnostics.ORIGINS[diagnostics.device_key(args[0])] = diagnostics.current_line()
        elif makes:
            made = result[0] if isinstance(result, tuple) else result
            if isinstance(made, int) and made > least:
                diagnostics.ORIGINS[made] = diagnostics.current_line()
        return result

    call.__name__ = call.__qualname__ = original.__name__
    call.__module__ = original.__module__
    call.__doc__ = original.__doc__
    vars(call).update(vars(original))
    return call


def _lend(address: int, data: bytes) -> None:
    _LENT.pop(address, None)
    _LENT[address] = data, diagnostics.current_line()
    if len(_LENT) > _LENDINGS:
        del _LENT[next(iter(_LENT))]


def _holders(address: int) -> int:
    return sys.getrefcount(_LENT[address][0])


def _check_lent(address: Any) -> None:
    """A call that reads an object of bytes that nobody but this file holds any more: on a board its memory is somebody else's (PY-15)."""
    if not isinstance(address, int) or address not in _LENT:
        return
    _LENT[_PROBE] = bytes(_LENDINGS), ""  # as many holders as one has that only this file holds
    gone = _holders(address) == _holders(_PROBE)
    del _LENT[_PROBE]
    if gone:
        text = f"the object at [{address:#x}] is gone, whose address bytes_to_ptr gave: hold it in a name until the copy is done"
        diagnostics.notice("bytes that are gone", text, _LENT[address][1])


def _stream(args: tuple[Any, ...]) -> Stream | None:
    """The stream in the last argument, if it is one of the current context."""
    try:
        return LOCAL.streams.get(args[-1]) if args else None
    except TypeError:
        return None


def _check_thread(name: str, args: tuple[Any, ...]) -> None:
    """One stream may not serve two threads at once: work of another thread must have been synchronised (HD-11)."""
    stream = _stream(args)
    if stream is None:
        return
    me = threading.get_ident()
    before = _USERS.get(stream.handle, me)
    _USERS[stream.handle] = me
    if before != me and any(task[0] is not streams.RECORD for task in list(stream.queue)):  # others may mark a stream, to wait for it
        text = f"{name} on stream {stream.identifier} of device {stream.device}, where work of another thread is still queued"
        diagnostics.notice("stream of two threads", text, diagnostics.LAUNCHES.get(id(stream.queue[-1][1]), ""))


def _note_launch(args: tuple[Any, ...]) -> None:
    stream = _stream(args)
    if stream is None or not stream.queue:
        return
    try:
        newest = stream.queue[-1]
    except IndexError:  # another thread ran it at this moment
        return
    launches = diagnostics.LAUNCHES
    launches.pop(id(newest[1]), None)
    launches[id(newest[1])] = diagnostics.current_line()
    if len(launches) > diagnostics.LAUNCH_LIMIT:
        launches.pop(next(iter(launches)), None)
