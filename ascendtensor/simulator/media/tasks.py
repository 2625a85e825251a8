"""Tasks of the image units on streams: who they are for, what memory they may touch, what comes of those that fail.

A call looks at its handles, at pixel formats and at what the chip has, and answers by its code. Sizes, strides, regions and memory are
the unit's business, so they are looked at when the task is queued and fail when it runs: 507018 at the next synchronising call, as the AI
CPU drives the units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy.typing as npt

from ..engine import AclFault, contexts, memory, streams
from ..engine.arguments import invalid
from ..engine.diagnostics import notice
from ..engine.tables import STREAMS, Stream, Task
from ..kernels.importing import whole
from .units import FEATURE_UNSUPPORTED, UNIT_FAILED, failed

Array = npt.NDArray[Any]
Info = dict[str, Any]

EXTRA: Final = "pip install 'ascendtensor[media]'"
_BROKEN: Final = 1
"""What a description's `ret_code` says of a picture that failed; a board has numbers of its own."""


class Unit:
    """One of the units, as the label of its tasks: `simulator.faults.kernel("VPC")` plans their failures.

    Attributes:
        op_type: Its name.
        mode: Its bit in the mode of a channel.
    """

    def __init__(self, op_type: str, mode: int) -> None:
        self.op_type = op_type
        self.mode = mode

    def failure_code(self) -> int:
        """Of a task that fails by anything but a code."""
        return UNIT_FAILED


VPC, JPEGD, JPEGE, PNGD = Unit("VPC", 1), Unit("JPEGD", 2), Unit("JPEGE", 4), Unit("PNGD", 8)


def codec() -> Any:
    """The module that reads and writes files of pictures.

    Raises:
        AclFault: 200006 without Pillow.
    """
    try:
        return whole("ascendtensor.simulator.media.codec")
    except ImportError as error:
        raise AclFault(FEATURE_UNSUPPORTED, f"files of pictures need the package Pillow ({error}): {EXTRA}") from error


def stream_for(channel: Any, handle: int, unit: Unit, stream: int) -> Stream:
    """The stream that a call means, once its channel is open, for this unit, and of the stream's device.

    Raises:
        AclFault: 100000; 107002 and their kin for the stream.
        Misuse: In strict mode, if the channel has work queued on another stream.
    """
    if channel.identifier < 0:
        raise invalid("channelDesc", hex(handle), "has no open channel; call acl.media.dvpp_create_channel first")
    if channel.mode and not channel.mode & unit.mode:
        raise invalid("channelDesc", hex(handle), f"was opened for mode {channel.mode}; {unit.op_type} is {unit.mode}")
    found = contexts.stream_for(stream)
    if found.device != channel.device:
        raise invalid("channelDesc", hex(handle), f"was opened on device {channel.device}, the stream is of device {found.device}")
    for other in list(STREAMS.values()):
        if other is not found and any(used is channel for task in _queued(other) for used in _info(task).get("uses", ())):
            text = (
                f"channel {channel.identifier} is used on stream {found.identifier}, its work on stream {other.identifier} is still queued"
            )
            notice("channel on two streams", text)
            break
    return found


def memory_of(what: str, address: int, size: int, device: int) -> Array:
    """Memory of the units.

    Args:
        what: In words.
        address, size: The range.
        device: Whose it must be.

    Raises:
        AclFault: 507018 if it is not what `dvpp_malloc` gave.
    """
    block = memory.find(address)
    if block is None or not block.units:
        raise failed(f"{what} at [{address:#x}] is not memory of acl.media.dvpp_malloc")
    if block.device != device:
        raise failed(f"{what} at [{address:#x}] belongs to device {block.device}, the stream to device {device}")
    room = block.address + block.size - address
    if size > room:
        raise failed(f"{what}: {size} bytes from [{address:#x}] leave the allocation, which ends after {room}")
    return memory.view(block, address, size)


def queue(
    unit: Unit,
    stream: Stream,
    work: Callable[[list[Array], list[Array], Info], None],
    records: tuple[Sequence[Any], Sequence[Any]],
    make: Callable[[], tuple[list[Array], list[Array], Info]],
) -> None:
    """Puts a task on a stream.

    Args:
        unit: Whose task it is.
        stream: Where it goes.
        work: What it does: inputs, outputs and the rest, `info`.
        records: What must live until the task is done; those records beside them whose `ret_code` tells how it went, `info["pictures"]`.
        make: Gives inputs, outputs and `info`; what it refuses with 507018 fails in the task instead.

    Raises:
        AclFault: Whatever else `make` refuses.
    """
    uses, pictures = records
    try:
        inputs, outputs, info = make()
    except AclFault as fault:
        if fault.code != UNIT_FAILED:
            raise
        inputs, outputs, info = [], [], {"fault": fault}
    info = {**info, "work": work, "uses": (*uses, *pictures), "pictures": pictures}
    task = streams.undivided((_run, (inputs, outputs, info)), inputs, outputs)
    streams.enqueue(stream, *streams.task_for(unit, *task))


def _run(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    pictures = info["pictures"]
    try:
        if "fault" in info:
            raise info["fault"]
        info["work"](inputs, outputs, info)
    except Exception:
        for picture in pictures:
            picture.ret_code = _BROKEN
        raise
    for picture in pictures:
        picture.ret_code = 0


def in_flight(record: object) -> str:
    """A queued task that uses a record, in words, or ""."""
    for stream in list(STREAMS.values()):
        for task in _queued(stream):
            if any(used is record for used in _info(task).get("uses", ())):
                return f"[{streams.name_of(*task)}] queued on stream {stream.identifier} of device {stream.device}"
    return ""


def _queued(stream: Stream) -> list[Task]:
    try:
        return list(stream.queue)
    except RuntimeError:  # another thread runs it at this moment
        return []


def _info(task: Task) -> Info:
    fn, args = task
    if fn is streams.UNDIVIDED:
        return _info((args[0], args[1]))
    if len(args) == 3 and isinstance(args[0], str) and callable(args[1]):  # behind a filter
        return _info((args[1], args[2]))
    return args[2] if len(args) == 3 and isinstance(args[2], dict) else {}
