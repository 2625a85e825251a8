"""What both decoders do: look at a file, queue its decoding, look at the output, read what Pillow reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ..engine import AclFault, memory
from ..engine.arguments import invalid, null
from . import tasks
from .formats import FORMATS
from .objects import CHANNELS, Channel, Picture, found_in, picture_for
from .tasks import Array, Info, Unit
from .units import FORMAT_NOT_MATCH, SMALLEST_FILE, failed

H = TypeVar("H")
R = TypeVar("R")


class Decoder(NamedTuple):
    """A unit that decodes files.

    Attributes:
        unit: The unit.
        kind: Of file.
        formats: Of pictures that it gives.
        work: What its tasks do.
    """

    unit: Unit
    kind: str
    formats: frozenset[int]
    work: Callable[[list[Array], list[Array], Info], None]


def host_header(kind: str, header_of: Callable[[bytes], H | None], data: int, size: int) -> H:
    """The header of a file in host memory.

    Raises:
        AclFault: 100000 for null, for nothing and for what is no such file; 107000 for device memory.
    """
    if data == 0:
        raise null("data")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    found = header_of(memory.host_bytes(data, size))
    if found is None:
        raise invalid("data", hex(data), f"is not a {kind} file")
    return found


def check_format(number: int, known: frozenset[int]) -> None:
    if number not in known:
        name = FORMATS[number].name if number in FORMATS else "is not known"
        raise AclFault(FORMAT_NOT_MATCH, f"format [{number}] ({name}) is not one of this unit: {sorted(known)}", "EH0001")


def queue(decoder: Decoder, channel: int, data: int, size: int, output: int, stream: int) -> int:
    """Queues the decoding of a file in the units' memory; the arguments are those of `dvpp_jpeg_decode_async`."""
    found: Channel = found_in(CHANNELS, channel)
    if data == 0:
        raise null("data")
    picture = picture_for(output, "outputDesc")
    target = tasks.stream_for(found, channel, decoder.unit, stream)
    check_format(picture.format, decoder.formats)
    tasks.codec()

    def make() -> tuple[list[Array], list[Array], Info]:
        info: Info = {"format": picture.format, "strides": (picture.width_stride, picture.height_stride)}
        source = tasks.memory_of(f"the {decoder.kind} file", data, size, target.device)
        return [source], [tasks.memory_of("the output picture", picture.data, picture.size, target.device)], info

    tasks.queue(decoder.unit, target, decoder.work, ((found,), (picture,)), make)
    return 0


def check_file_size(what: str, width: int, height: int, most: int) -> None:
    if min(width, height) < SMALLEST_FILE or max(width, height) > most:
        raise failed(f"the {what} of {width} x {height} must be from {SMALLEST_FILE} x {SMALLEST_FILE} to {most} x {most}")


def check_output(number: int, size: tuple[int, int], strides: tuple[int, int], output: Array, info: Info) -> None:
    """What the output's description says, against the picture that the file has."""
    for word, given, needed in zip(("width", "height"), info["strides"], strides, strict=True):
        if given not in (0, needed):
            pixels = f"{size[0]} x {size[1]} pixels"
            raise failed(f"{word} stride [{given}] of the output picture must be {needed}, or 0: the picture has {pixels}")
    needed = FORMATS[number].bytes(*strides)
    if output.size < needed:
        raise failed(f"the output picture needs {needed} bytes, its description says {output.size}")


def describe(info: Info, number: int, size: tuple[int, int], strides: tuple[int, int]) -> None:
    """Writes into the output's description what the picture turned out to be."""
    picture: Picture = info["pictures"][0]
    picture.format, (picture.width, picture.height) = number, size
    picture.width_stride, picture.height_stride = strides


def read(reader: Callable[..., R], *arguments: object) -> R:
    """What Pillow reads of a file."""
    try:
        return reader(*arguments)
    except Exception as error:  # it has many classes for files that are damaged
        raise failed(f"the file is damaged: {error}") from error
