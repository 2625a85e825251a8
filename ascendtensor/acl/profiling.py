"""One typed function per call of `acl.prof` that the library makes; codes become errors as in `binding`."""

from collections.abc import Sequence

from ascendtensor.acl import binding
from ascendtensor.acl.module import AclProf

BAD_ALLOC = 200000
"""What is meant where pyACL answers no handle and no code."""


def _prof() -> AclProf:
    return binding.module().prof


def _check(code: int, function: str) -> None:
    if code:
        binding.fail(code, f"acl.prof.{function}")


def init(path: str) -> None:
    """Begins a session, whose data goes to a new folder in `path`; one at a time in a process."""
    _check(_prof().init(path), "init")


def finalize() -> None:
    """Ends the session and writes its data."""
    _check(_prof().finalize(), "finalize")


def create_config(devices: Sequence[int], metrics: int, data: int) -> int:
    """A handle of what is to be noted: devices, counters of the AI Core (`aclprofAicoreMetrics`), kinds of data (bits)."""
    handle = _prof().create_config(list(devices), metrics, 0, data)
    if not handle:
        binding.fail(BAD_ALLOC, "acl.prof.create_config")
    return handle


def destroy_config(config: int) -> None:
    _check(_prof().destroy_config(config), "destroy_config")


def start(config: int) -> None:
    _check(_prof().start(config), "start")


def stop(config: int) -> None:
    """Stops noting; the handle has to be that of `start`."""
    _check(_prof().stop(config), "stop")


def push(message: str) -> int:
    """Begins a range of the calling thread; gives its stamp."""
    stamp = _prof().create_stamp()
    if not stamp:
        binding.fail(BAD_ALLOC, "acl.prof.create_stamp")
    _check(_prof().set_stamp_trace_message(stamp, message, len(message.encode())), "set_stamp_trace_message")
    _check(_prof().push(stamp), "push")
    return stamp


def pop(stamp: int) -> None:
    """Ends the innermost range of the calling thread."""
    _check(_prof().pop(), "pop")
    _prof().destroy_stamp(stamp)
