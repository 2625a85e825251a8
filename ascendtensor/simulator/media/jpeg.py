"""``acl.media``: JPEG files - what is in them, decoding (JPEGD), encoding (JPEGE).

What the pages of the reference say: Huffman-coded baseline files of YUV, turned upright by their EXIF orientation, with chroma of 4:4:4,
4:2:2, 4:2:0, 4:4:0 or none; strides of 64 or 128 by 16.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

import numpy as np

from ..engine import memory
from ..engine.arguments import function, invalid, null
from . import decoding, formats, tasks
from .colours import converted, full_yuv
from .decoding import Decoder
from .formats import FORMATS, Samples
from .objects import CHANNELS, JPEGES, Channel, JpegeConfig, Picture, found_in, picture_for
from .tasks import Array, Info
from .units import SMALLEST_FILE, failed, units, up

__all__ = [
    "dvpp_jpeg_decode_async",
    "dvpp_jpeg_encode_async",
    "dvpp_jpeg_get_image_info",
    "dvpp_jpeg_get_image_info_v2",
    "dvpp_jpeg_predict_dec_size",
    "dvpp_jpeg_predict_enc_size",
]

START: Final = b"\xff\xd8"
FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
DECODED: Final = frozenset({0xC0, 0xC1})
"""Frames that are coded by Huffman in one pass."""
ADOBE: Final = 0xEE
EXIF: Final = 0xE1
ORIENTATION: Final = 0x0112
TURNED: Final = range(5, 9)
HEIGHT_STRIDE: Final = 16
GRAY, UNKNOWN_CSS = 3, 1000
SUBSAMPLINGS: Final = {(1, 1): 0, (2, 1): 1, (2, 2): 2, (1, 2): 4, (4, 1): 5}
"""`acldvppJpegFormat` by the pixels that share a chroma sample."""
OUTPUTS: Final[dict[int, tuple[int, ...]]] = {
    0: (formats.YVU_444SP, formats.YUV_444SP, formats.NV12, formats.NV21),
    1: (formats.YVU_422SP, formats.YUV_422SP, formats.NV12, formats.NV21),
    2: (formats.NV21, formats.NV12),
    GRAY: (formats.NV21, formats.NV12),
    4: (formats.YVU_440SP, formats.YUV_440SP, formats.NV12, formats.NV21),
}
"""Formats that a file is decoded to; the first one where the program leaves it open."""
DECODABLE: Final = frozenset({formats.UNKNOWN}.union(*OUTPUTS.values()))
ENCODABLE: Final = frozenset({formats.NV12, formats.NV21, *range(formats.YUYV, formats.VYUY + 1)})
SIZE_BYTES: Final = 4
HEADER_BYTES: Final = 4096
ROW: Final = 16


class Header(NamedTuple):
    """What a file says before its picture begins.

    Attributes:
        frame: Marker of the frame, which tells how it is coded.
        precision: Bits of a sample.
        width, height: Of the picture as it is stored.
        components: Channels.
        css: `acldvppJpegFormat`.
        sharing: Pixels that share a chroma sample, across and down; (0, 0) for a gray picture.
        rgb: Whether the channels are R, G, B.
        orientation: EXIF's number of how the camera was held; from 5 on width and height change places.
    """

    frame: int
    precision: int
    width: int
    height: int
    components: int
    css: int
    sharing: tuple[int, int]
    rgb: bool
    orientation: int = 1


def header_of(data: bytes) -> Header | None:
    """The header of a file, None where there is none."""
    if data[:2] != START:
        return None
    place, rgb, orientation = 2, False, 1
    try:
        while data[place] == 0xFF:
            marker = data[place + 1]
            if marker == 0xFF:
                place += 1
                continue
            (length,) = struct.unpack_from(">H", data, place + 2)
            body = data[place + 4 : place + 2 + length]
            if marker == ADOBE and body[:5] == b"Adobe" and len(body) > 11:
                rgb = body[11] == 0
            if marker == EXIF and body[:6] == b"Exif\0\0":
                orientation = _orientation(body[6:])
            if marker in FRAMES:
                found = _frame(marker, body, rgb)
                return None if found is None else found._replace(orientation=orientation)
            place += 2 + length
    except (IndexError, struct.error):
        pass
    return None


def _orientation(tags: bytes) -> int:
    """Of EXIF's first directory; 1 where it says nothing."""
    order = ">" if tags[:2] == b"MM" else "<"
    try:
        (start,) = struct.unpack_from(f"{order}I", tags, 4)
        (count,) = struct.unpack_from(f"{order}H", tags, start)
        for number in range(count):
            tag, _, _, value = struct.unpack_from(f"{order}HHIH", tags, start + 2 + 12 * number)
            if tag == ORIENTATION:
                return int(value)
    except struct.error:
        pass
    return 1


def _frame(marker: int, body: bytes, rgb: bool) -> Header | None:
    precision, height, width, count = struct.unpack_from(">BHHB", body)
    parts = [(body[7 + 3 * number] >> 4, body[7 + 3 * number] & 15) for number in range(count)]
    if not (width and height and parts and all(0 < across <= 4 and 0 < down <= 4 for across, down in parts)):
        return None
    sharing, css = (0, 0), GRAY if count == 1 else UNKNOWN_CSS
    if count == 3:
        (across, down), chroma = parts[0], parts[1]
        if parts[1] == parts[2] and across % chroma[0] == down % chroma[1] == 0:
            sharing = across // chroma[0], down // chroma[1]
            css = SUBSAMPLINGS.get(sharing, UNKNOWN_CSS)
    return Header(marker, precision, width, height, count, css, sharing, rgb and count == 3)


def _host_header(data: int, size: int) -> Header:
    return decoding.host_header("JPEG", header_of, data, size)


@function("acl.media.dvpp_jpeg_get_image_info", "KI", 0, 0, 0)
def dvpp_jpeg_get_image_info(data: int, size: int) -> tuple[int, int, int, int]:
    """(width, height, channels, ret) of a file in host memory, as its header has them."""
    header = _host_header(data, size)
    return header.width, header.height, header.components, 0


@function("acl.media.dvpp_jpeg_get_image_info_v2", "KI", 0, 0, 0, UNKNOWN_CSS)
def dvpp_jpeg_get_image_info_v2(data: int, size: int) -> tuple[int, int, int, int, int]:
    """(width, height, channels, acldvppJpegFormat, ret)."""
    header = _host_header(data, size)
    return header.width, header.height, header.components, header.css, 0


@function("acl.media.dvpp_jpeg_predict_dec_size", "KIi", 0)
def dvpp_jpeg_predict_dec_size(data: int, data_size: int, output_format: int) -> tuple[int, int]:
    """(bytes of the decoded picture, ret) of a file in host memory, upright as it will be."""
    header = _host_header(data, data_size)
    decoding.check_format(output_format, DECODABLE)
    chip = units()
    number = OUTPUTS.get(header.css, (formats.NV21,))[0] if output_format == formats.UNKNOWN else output_format
    width, height = (header.height, header.width) if header.orientation in TURNED else (header.width, header.height)
    return FORMATS[number].bytes(up(width, chip.jpeg_stride), up(height, HEIGHT_STRIDE)), 0


# Decoding


@function("acl.media.dvpp_jpeg_decode_async", "KKIKK")
def dvpp_jpeg_decode_async(dvpp_channel_desc: int, data: int, size: int, output_dvpp_pic_desc: int, stream: int) -> int:
    """Queues the decoding of a file in the units' memory. Width, height, strides and format of the picture are there when it is done."""
    return decoding.queue(DECODER, dvpp_channel_desc, data, size, output_dvpp_pic_desc, stream)


def _check_file(header: Header | None) -> Header:
    if header is None:
        raise failed("the file is not a JPEG file")
    if header.frame not in DECODED or header.precision != 8:
        raise failed(f"the file is coded as no unit decodes it: frame [{header.frame:#x}], {header.precision} bits; baseline Huffman only")
    if header.css not in OUTPUTS or header.rgb:
        raise failed("the picture must be YUV of 4:4:4, 4:2:2, 4:2:0, 4:4:0 or 4:0:0")
    decoding.check_file_size("picture", header.width, header.height, units().jpeg_most)
    return header


def _decode(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    data = inputs[0].tobytes()
    header = _check_file(header_of(data))
    number = info["format"]
    allowed = OUTPUTS[header.css]
    if number == formats.UNKNOWN:
        number = allowed[0]
    if number not in allowed:
        raise failed(f"the file is not decoded to {FORMATS[number].name}; it can be {', '.join(FORMATS[each].name for each in allowed)}")
    samples: Samples = decoding.read(tasks.codec().read_jpeg, data, *header.sharing, header.orientation)
    height, width = samples.size
    _place(samples, number, width, height, outputs[0], info)


def _place(samples: Samples, number: int, width: int, height: int, output: Array, info: Info) -> None:
    """Writes the picture, its edges continued to whole blocks, as decoders leave them."""
    strides = up(width, units().jpeg_stride), up(height, HEIGHT_STRIDE)
    decoding.check_output(number, (width, height), strides, output, info)
    rows, columns = strides[1] - height, up(width, ROW) - width
    whole = samples._replace(
        channels=tuple(
            np.pad(each, ((0, strides[1] // down - each.shape[0]), (0, (width + columns) // across - each.shape[1])), mode="edge")
            for each, down, across in zip(
                samples.channels, (1, samples.down, samples.down), (1, samples.across, samples.across), strict=False
            )
        )
    )
    assert whole.size == (height + rows, width + columns)
    formats.write(number, output, strides, (0, 0), converted(whole, number))
    found = FORMATS[number]
    decoding.describe(info, number, (width // found.across * found.across, height // found.down * found.down), strides)


DECODER: Final = Decoder(tasks.JPEGD, "JPEG", DECODABLE, _decode)


# Encoding


@function("acl.media.dvpp_jpeg_predict_enc_size", "KK", 0)
def dvpp_jpeg_predict_enc_size(input_dvpp_pic_desc: int, config: int) -> tuple[int, int]:
    """(bytes that the file of a picture may have, ret)."""
    picture = picture_for(input_dvpp_pic_desc, "inputDesc")
    found_in(JPEGES, config)
    decoding.check_format(picture.format, ENCODABLE)
    found = FORMATS[picture.format]
    if not (picture.width and picture.height):
        raise invalid("inputDesc", hex(input_dvpp_pic_desc), "has no width and height")
    return HEADER_BYTES + 2 * found.bytes(up(picture.width, ROW) * found.pixel, up(picture.height, ROW)), 0


@function("acl.media.dvpp_jpeg_encode_async", "KKKKKK")
def dvpp_jpeg_encode_async(dvpp_channel_desc: int, input_dvpp_pic_desc: int, data: int, size_ptr: int, config: int, stream: int) -> int:
    """Queues the encoding of a picture.

    At the address `size_ptr`, in host memory, are four bytes: the room at `data` when it is called, the bytes of the file when it is done.
    """
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    picture = picture_for(input_dvpp_pic_desc, "inputDesc")
    for name, address in (("data", data), ("size", size_ptr)):
        if address == 0:
            raise null(name)
    settings: JpegeConfig = found_in(JPEGES, config)
    target = tasks.stream_for(channel, dvpp_channel_desc, tasks.JPEGE, stream)
    decoding.check_format(picture.format, ENCODABLE)
    tasks.codec()
    length = memory.host_array(size_ptr, SIZE_BYTES, write=True).view(np.uint32)

    def make() -> tuple[list[Array], list[Array], Info]:
        found = FORMATS[picture.format]
        strides = _encoder_strides(picture)
        _check_encoded(picture)
        needed = found.bytes(*strides)
        if picture.size < needed:
            raise failed(f"the input picture needs {needed} bytes, its description says {picture.size}")
        source = tasks.memory_of("the input picture", picture.data, needed, target.device)
        room = tasks.memory_of("the JPEG file", data, int(length[0]), target.device)
        size = picture.width, picture.height
        return [source], [room, length], {"format": picture.format, "strides": strides, "size": size, "level": settings.level}

    tasks.queue(tasks.JPEGE, target, _encode, ((channel, settings), (picture,)), make)
    return 0


def _encoder_strides(picture: Picture) -> tuple[int, int]:
    across, down = picture.width_stride, picture.height_stride
    found = FORMATS[picture.format]
    least = up(picture.width * found.pixel, ROW)
    if across < least or across % ROW:
        raise failed(f"width stride [{across}] of the input picture must be a multiple of {ROW} from {least} on")
    blocks = max(up(picture.height, ROW), SMALLEST_FILE)
    if down not in (picture.height, blocks):
        raise failed(f"height stride [{down}] of the input picture must be {picture.height} or {blocks}")
    return across, down


def _check_encoded(picture: Picture) -> None:
    found, width, height = FORMATS[picture.format], picture.width, picture.height
    decoding.check_file_size("input picture", width, height, units().jpeg_most)
    if width % found.across or height % found.down:
        raise failed(f"the input picture of {width} x {height} must be a multiple of {found.across} x {found.down}: {found.name}")


def _encode(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    number, (width, height) = info["format"], info["size"]
    samples = formats.read(number, inputs[0], info["strides"], (0, 0, width, height))
    file = tasks.codec().write_jpeg(full_yuv(samples), samples.across, samples.down, info["level"])
    room, length = outputs
    if len(file) > room.size:
        raise failed(f"the file has {len(file)} bytes, there is room for {room.size}")
    room[: len(file)] = np.frombuffer(file, np.uint8)
    length[0] = len(file)
