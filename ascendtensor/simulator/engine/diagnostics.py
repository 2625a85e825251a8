"""What a board does not tell: findings about the program, with the lines of Python they come from.

A finding is about misuse that a board may let pass: work still queued on memory that is freed or read, objects left alive.
The line of the call that was noticed is always known; the line that made the object only while calls are traced
(``engine.trace``). In strict mode a finding is raised at once, as :class:`Misuse`.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Final, NamedTuple

from . import AclFault, contexts, memory
from .arguments import invalid, null
from .tables import COUNTED, HANDLE_BASE, HANDLE_STEP, ON_FINALIZE, ON_NEW_PROCESS, Context, Stream

_SIMULATOR: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE: Final = os.path.dirname(_SIMULATOR)
HANDLE_RANGE: Final = 1 << 40
"""How far handles may have been counted; no address lies there."""
LIMIT: Final = 1000
"""Different findings kept."""
_log: Final = logging.getLogger("ascendtensor.simulator")


class Misuse(RuntimeError):
    """A finding in strict mode."""


class Finding(NamedTuple):
    """One thing noticed.

    Attributes:
        kind: "leak", "read too early", "overwritten in flight", "freed in flight", "copy direction", "stream of two threads",
            "output larger than its buffer", "handle destroyed in flight", "use after destroy", "dataset destroyed in flight", "model
            unloaded in flight", "model on two streams", "model of another context", "channel on two streams", "memory of another kind" or
            "bytes that are gone".
        text: What happened.
        line: The Python line of the call that it was noticed in.
        origin: The line that made the object or queued the work, "" unless calls are traced.

    Examples:
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> [leak.kind for leak in simulator.leaks() if hex(desc) in leak.text]
        ['leak']
        >>> simulator.destroy_tensor_desc(desc)
    """

    kind: str
    text: str
    line: str
    origin: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" + (f"; at {self.line}" if self.line else "") + (f"; from {self.origin}" if self.origin else "")


class State:
    """Findings so far, and the mode."""

    strict = False
    findings: Final[dict[Finding, int]] = {}


ORIGINS: Final[dict[int, str]] = {}
"""Handle or address to the line that made it, or set the device (`device_key`), while calls are traced."""
LAUNCHES: Final[dict[int, str]] = {}
"""``id`` of a queued task's arguments to the line that queued it, while calls are traced; the newest ``LAUNCH_LIMIT``."""
LAUNCH_LIMIT: Final = 4096


def current_line() -> str:
    """The innermost line of the program: outside of this package, or at least outside of the simulator."""
    frame = sys._getframe(1)
    nearest = ""
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(_PACKAGE):
            return f"{path}:{frame.f_lineno}"
        if not nearest and not path.startswith(_SIMULATOR):
            nearest = f"{path}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return nearest


def notice(kind: str, text: str, origin: str = "") -> None:
    """Keep a finding.

    Raises:
        Misuse: In strict mode.
    """
    finding = Finding(kind, text, current_line(), origin)
    if len(State.findings) < LIMIT or finding in State.findings:
        State.findings[finding] = State.findings.get(finding, 0) + 1
    _log.info("%s", finding)
    if State.strict:
        raise Misuse(str(finding))


def dead(parameter: str, handle: int, what: str) -> None:
    """Notice a handle that was destroyed, in the hands of a function that says nothing of it.

    Raises:
        Misuse: In strict mode.
    """
    if HANDLE_BASE < handle < HANDLE_BASE + HANDLE_RANGE and handle % HANDLE_STEP == 0:
        notice("use after destroy", f"{what} [{handle:#x}] is given as {parameter}", ORIGINS.get(handle, ""))


def missing(parameter: str, handle: int, what: str) -> AclFault:
    """The fault of a handle that stands for nothing: 100000. One that was destroyed is a finding too; on a board it is undefined.

    Raises:
        Misuse: In strict mode, for a handle that was destroyed.
    """
    if handle == 0:
        return null(parameter)
    dead(parameter, handle, what)
    return invalid(parameter, hex(handle), f"is not a live {what}")


def findings() -> list[Finding]:
    """What was noticed so far, each kind of thing once for each line.

    Examples:
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> simulator.destroy_tensor_desc(desc)
        >>> simulator.get_tensor_desc_type(desc)
        -1
        >>> print(simulator.findings()[-1])
        use after destroy: tensor descriptor [0x...] is given as desc; at ...
    """
    return list(State.findings)


def leaks() -> list[Finding]:
    """What is alive now: objects, memory, and devices that are still set.

    Examples:
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> len([leak for leak in simulator.leaks() if hex(desc) in leak.text])
        1
        >>> simulator.destroy_tensor_desc(desc)
    """
    found = [Finding("leak", text, "", origin) for text, origin in (*_objects(), *_memory(), *_devices())]
    return sorted(found)


def _objects() -> list[tuple[str, str]]:
    found = []
    for name, table in COUNTED.items():
        for handle, record in list(table.items()):
            # A device's own context and every context's default stream go by themselves.
            if not (isinstance(record, Context) and record.primary) and not (isinstance(record, Stream) and record.default):
                found.append((f"{name}: [{handle:#x}]", ORIGINS.get(getattr(record, "bundle", 0) or handle, "")))
    return found


def _memory() -> list[tuple[str, str]]:
    found = []
    for block in memory.blocks():
        if not block.owner:
            where = "host_memory" if block.device < 0 else f"device_memory of device {block.device}"
            found.append((f"{where}: {block.size} bytes at [{block.address:#x}]", ORIGINS.get(block.address, "")))
    return found


def device_key(index: int) -> int:
    """What stands for a device in `ORIGINS`, where ids of models count from 1."""
    return -1 - index


def _devices() -> list[tuple[str, str]]:
    return [
        (f"devices: device {index} is set, {device.count} calls of reset_device are missing", ORIGINS.get(device_key(index), ""))
        for index, device in sorted(contexts.DEVICES.items())
        if device.count
    ]


def report() -> list[Finding]:
    """Everything noticed, and everything that is alive now.

    Examples:
        >>> desc = simulator.create_tensor_desc(0, [2, 3], 2)
        >>> "leak" in {finding.kind for finding in simulator.report()}
        True
        >>> simulator.destroy_tensor_desc(desc)
    """
    return [*findings(), *leaks()]


def _at_finalize() -> None:
    """What ``acl.finalize`` reports: to the log, as a warning where somebody asked for it.

    Raises:
        Misuse: In strict mode, if anything is left alive.
    """
    left = leaks()
    line = current_line()
    for leak in left:
        finding = leak._replace(line=line)
        if len(State.findings) < LIMIT:
            State.findings[finding] = 1
    level = logging.WARNING if State.strict or Tracing.on else logging.INFO
    for finding in State.findings if level == logging.WARNING else left:
        _log.log(level, "%s", finding)
    if State.strict and left:
        raise Misuse(f"{len(left)} things are left alive at acl.finalize: " + "; ".join(map(str, left[:20])))


class Tracing:
    """Whether calls are traced."""

    on = False


def _forget() -> None:
    State.findings.clear()
    ORIGINS.clear()
    LAUNCHES.clear()


ON_FINALIZE.append(_at_finalize)
ON_NEW_PROCESS.append(_forget)
