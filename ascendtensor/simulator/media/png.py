"""``acl.media``: PNG files (PNGD)."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from ..engine.arguments import function
from . import decoding, formats, tasks
from .decoding import Decoder
from .formats import FORMATS, Samples
from .tasks import Array, Info
from .units import LARGEST_PNG, failed, units, up

__all__ = ["dvpp_png_decode_async", "dvpp_png_get_image_info", "dvpp_png_predict_dec_size"]

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
COMPONENTS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By the colour type: gray, RGB, palette, gray and alpha, RGB and alpha."""
PALETTE: Final = 3
WIDTH_STRIDE, HEIGHT_STRIDE = 128, 16
DECODABLE: Final = frozenset({formats.RGB, formats.RGBA, formats.UNKNOWN})


class Header(NamedTuple):
    """The first chunk of a file."""

    width: int
    height: int
    bits: int
    colours: int
    interlaced: int


def header_of(data: bytes) -> Header | None:
    """The header of a file, None where there is none."""
    if data[:8] != SIGNATURE or data[12:16] != b"IHDR" or len(data) < 29:
        return None
    width, height, bits, colours, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, 16)
    return Header(width, height, bits, colours, interlaced) if colours in COMPONENTS and width and height else None


def _host_header(data: int, size: int) -> Header:
    return decoding.host_header("PNG", header_of, data, size)


def _output(header: Header, number: int) -> int:
    """The format of the picture: alpha stays where it is not named."""
    alpha = COMPONENTS[header.colours] in (2, 4)
    if number == formats.UNKNOWN:
        return formats.RGBA if alpha else formats.RGB
    if number == formats.RGBA and not alpha:
        raise failed("a file without alpha is decoded to RGB888 only")
    return number


def _strides(number: int, width: int, height: int) -> tuple[int, int]:
    return up(width, WIDTH_STRIDE) * FORMATS[number].pixel, up(height, HEIGHT_STRIDE)


@function("acl.media.dvpp_png_get_image_info", "KI", 0, 0, 0)
def dvpp_png_get_image_info(data: int, size: int) -> tuple[int, int, int, int]:
    """(width, height, channels, ret) of a file in host memory."""
    header = _host_header(data, size)
    return header.width, header.height, COMPONENTS[header.colours], 0


@function("acl.media.dvpp_png_predict_dec_size", "KIi", 0)
def dvpp_png_predict_dec_size(data: int, data_size: int, output_format: int) -> tuple[int, int]:
    """(bytes of the decoded picture, ret) of a file in host memory."""
    header = _host_header(data, data_size)
    decoding.check_format(output_format, DECODABLE)
    units()
    number = output_format if output_format != formats.UNKNOWN else _output(header, output_format)
    return FORMATS[number].bytes(*_strides(number, header.width, header.height)), 0


@function("acl.media.dvpp_png_decode_async", "KKIKK")
def dvpp_png_decode_async(dvpp_channel_desc: int, data: int, size: int, output_dvpp_pic_desc: int, stream: int) -> int:
    """Queues the decoding of a file in the units' memory, to RGB888 or RGBA8888."""
    return decoding.queue(DECODER, dvpp_channel_desc, data, size, output_dvpp_pic_desc, stream)


def _check_file(header: Header | None) -> Header:
    if header is None:
        raise failed("the file is not a PNG file")
    if header.bits != 8 or header.colours == PALETTE or header.interlaced:
        raise failed("the file must have 8 bits for each channel, no palette, and not be interlaced")
    decoding.check_file_size("picture", header.width, header.height, LARGEST_PNG)
    return header


def _decode(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    data = inputs[0].tobytes()
    header = _check_file(header_of(data))
    number = _output(header, info["format"])
    size = header.width, header.height
    strides = _strides(number, *size)
    decoding.check_output(number, size, strides, outputs[0], info)
    channels, alpha = decoding.read(tasks.codec().read_png, data)
    formats.write(number, outputs[0], strides, (0, 0), Samples(channels, True, alpha=alpha))
    decoding.describe(info, number, size, strides)


DECODER: Final = Decoder(tasks.PNGD, "PNG", DECODABLE, _decode)
