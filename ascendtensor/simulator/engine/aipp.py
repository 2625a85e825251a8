"""Image preprocessing of whole models (AIPP): what it is told, the record that carries it to the device, and the computation.

Sources: "Configuration File Template", "CSC Configuration", "Crop/Padding Configuration" and "Normalization Configuration" of the ATC
documents (CANN 8.0 and later) for the formulas and their order; GE `inc/graph_metadef/common/dynamic_aipp.h` for the record; the operator's
`aipp.py` and `aipp_comm.py` of CANN 8.1.RC1 for what lies in which channel, and what chips round to half precision.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

YUV420SP, XRGB8888, RGB888, YUV400 = 1, 2, 3, 4
"""aclAippInputFormat of the formats that the chips have."""
FORMATS: Final = {"YUV420SP_U8": YUV420SP, "XRGB8888_U8": XRGB8888, "RGB888_U8": RGB888, "YUV400_U8": YUV400}
CHANNELS: Final = {YUV420SP: 3, XRGB8888: 4, RGB888: 3, YUV400: 1}
HALF_BYTES: Final = {YUV420SP: 3, XRGB8888: 8, RGB888: 6, YUV400: 2}
"""Bytes of two pixels."""
ON_DEVICE: Final = {YUV420SP: 1, XRGB8888: 2, RGB888: 5, YUV400: 10}
"""The same formats as the device's record numbers them (``CceAippInputFormat``)."""
HEAD: Final = struct.Struct("<Bbbbb3xii9h6x3B3B2x16x")
BATCH: Final = struct.Struct("<bbbb4x4i4i4i4h4e4e16x")
HEAD_BYTES, BATCH_BYTES = HEAD.size, BATCH.size
YUV_TO_BGR: Final = (298, 516, 0, 298, -100, -208, 298, 0, 409)
RGB_TO_YUV: Final = (66, 129, 25, -38, -74, 112, 112, -94, -18)
BIAS: Final = (16, 128, 128)
Config = dict[str, Any]
"""A block ``aipp_op``: names of the file's fields to numbers, the format and the mode by name."""
Four = tuple[float, float, float, float]
Crop = tuple[int, int, int, int]


class Common(NamedTuple):
    """What holds for all images of a batch.

    Attributes:
        format: aclAippInputFormat.
        width, height: Of the source images.
        csc: Whether colours are converted.
        swap: Whether the channels 0 and 2 change places, or U and V.
        ax: Whether the first of four channels goes to the end.
        matrix: Nine factors, row by row, in 256ths.
        out_bias, in_bias: Added behind the product for RGB sources, subtracted before it for YUV ones.
    """

    format: int = 0
    width: int = 0
    height: int = 0
    csc: int = 0
    swap: int = 0
    ax: int = 0
    matrix: tuple[int, ...] = (0,) * 9
    out_bias: tuple[int, ...] = (0,) * 3
    in_bias: tuple[int, ...] = (0,) * 3


class Image(NamedTuple):
    """What is done to one image.

    Attributes:
        crop: (left, top, width, height), or None.
        padding: (top, bottom, left, right), or None.
        mean, least, factor: Of four channels: (pixel - mean - least) * factor.
        scale: The sizes that were given for scaling, which no chip here does, or None.
        value: What is padded with.
    """

    crop: Crop | None = None
    padding: Crop | None = None
    mean: tuple[int, int, int, int] = (0, 0, 0, 0)
    least: Four = (0.0, 0.0, 0.0, 0.0)
    factor: Four = (1.0, 1.0, 1.0, 1.0)
    scale: Crop | None = None
    value: float = 0.0


def static(config: Config, height: int, width: int) -> tuple[Common, Image]:
    """What a static block says, for a model's height and width."""
    get = config.get
    format = FORMATS[config["input_format"]]
    matrix, out_bias, in_bias = (0,) * 9, (0,) * 3, (0,) * 3
    if get("csc_switch"):
        usual = YUV_TO_BGR if format == YUV420SP else RGB_TO_YUV
        matrix = tuple(get(f"matrix_r{index // 3}c{index % 3}", usual[index]) for index in range(9))
        out_bias = tuple(get(f"output_bias_{index}", BIAS[index]) for index in range(3))
        in_bias = tuple(get(f"input_bias_{index}", BIAS[index]) for index in range(3))
    common = Common(
        format,
        get("src_image_size_w") or width,
        get("src_image_size_h") or height,
        *(get("csc_switch", 0), get("rbuv_swap_switch", 0), get("ax_swap_switch", 0)),
        *(matrix, out_bias, in_bias),
    )
    crop = padding = None
    if get("crop"):
        crop = get("load_start_pos_w", 0), get("load_start_pos_h", 0), get("crop_size_w") or width, get("crop_size_h") or height
    if get("padding"):
        padding = tuple(get(f"{side}_padding_size", 0) for side in ("top", "bottom", "left", "right"))
    mean, least = (tuple(get(f"{kind}_chn_{index}", 0) for index in range(4)) for kind in ("mean", "min"))
    factor = tuple(get(f"var_reci_chn_{index}", 1.0) for index in range(4))
    return common, Image(crop, padding, mean, least, factor, None, get("padding_value", 0.0))


def source_bytes(format: int, width: int, height: int, count: int = 1) -> int:
    """Bytes of so many source images."""
    return count * width * height * HALF_BYTES.get(format, 0) // 2


def data_bytes(count: int) -> int:
    """Bytes of the device's record for so many images."""
    return HEAD_BYTES + count * BATCH_BYTES


def output_size(common: Common, image: Image) -> tuple[int, int]:
    """Width and height behind cropping and padding."""
    width, height = (common.width, common.height) if image.crop is None else image.crop[2:]
    if image.scale is not None:
        width, height = image.scale[2:]
    if image.padding is not None:
        top, bottom, left, right = image.padding
        width, height = width + left + right, height + top + bottom
    return width, height


def pack(common: Common, images: Sequence[Image]) -> bytes:
    """The device's record."""
    count = (len(images) + 128) % 256 - 128
    head = HEAD.pack(
        ON_DEVICE.get(common.format, common.format),
        *(common.csc, common.swap, common.ax, count, common.width, common.height),
        *(*common.matrix, *common.out_bias, *common.in_bias),
    )
    return head + b"".join(map(_pack_image, images))


def _pack_image(image: Image) -> bytes:
    crop, scale, padding = (each or (0, 0, 0, 0) for each in (image.crop, image.scale, image.padding))
    switches = (image.crop is not None, image.scale is not None, image.padding is not None, 0)
    return BATCH.pack(*switches, *crop, *scale, *padding, *image.mean, *image.least, *image.factor)


def unpack(data: bytes, count: int) -> tuple[Common, list[Image]]:
    """Reads the device's record back.

    Raises:
        ValueError: The bytes are no such record.
    """
    if len(data) < data_bytes(count):
        raise ValueError(f"{len(data)} bytes hold no parameters of {count} images")
    number, csc, swap, ax, _, width, height, *rest = HEAD.unpack_from(data)
    formats = {on_device: format for format, on_device in ON_DEVICE.items()}
    if number not in formats or {csc, swap, ax} - {0, 1} or width < 1 or height < 1:
        raise ValueError("no parameters were set")
    common = Common(formats[number], width, height, csc, swap, ax, tuple(rest[:9]), tuple(rest[9:12]), tuple(rest[12:]))
    return common, [_unpack_image(data, HEAD_BYTES + index * BATCH_BYTES) for index in range(count)]


def _unpack_image(data: bytes, start: int) -> Image:
    crops, scales, paddings, _, *rest = BATCH.unpack_from(data, start)
    parts: list[Any] = [tuple(rest[index : index + 4]) for index in range(0, 24, 4)]
    crop, scale, padding = (part if switch else None for part, switch in zip(parts, (crops, scales, paddings), strict=False))
    return Image(crop, padding, parts[3], parts[4], parts[5], scale)


# The computation


def features(source: Array, common: Common, images: Sequence[Image], channels: int, dtype: np.dtype[Any]) -> Array:
    """Source images to what the model reads, of shape (images, channels, height, width).

    Args:
        source: Bytes of the source images, one after another.
        common: What holds for all of them.
        images: What is done to each.
        channels: Of the model; channels that the image lacks are 0, surplus ones are dropped.
        dtype: Of the model: uint8 (which leaves normalization away), float16, or float32, which has a half's precision too.

    Raises:
        ValueError: Too few bytes, or images that come out in several sizes.
    """
    needed = source_bytes(common.format, common.width, common.height, len(images))
    if source.size < needed:
        raise ValueError(f"{len(images)} images of {common.width} x {common.height} need {needed} bytes, {source.size} are given")
    sizes = {output_size(common, image) for image in images}
    if len(sizes) != 1:
        raise ValueError(f"the images come out in the sizes {sorted(sizes)}")
    width, height = sizes.pop()
    out = np.zeros((len(images), channels, height, width), dtype)
    step = needed // len(images)
    for index, image in enumerate(images):
        _one(source[index * step : (index + 1) * step], common, image, out[index])
    return out


def _one(source: Array, common: Common, image: Image, out: Array) -> None:
    planes = _planes(source, common)
    if image.crop is not None:
        left, top, width, height = image.crop
        planes = planes[:, top : top + height, left : left + width]
    if common.csc and common.format != YUV400:
        planes = _convert(planes, common)
    planes = planes[: len(out)]
    area = out[: len(planes)]
    if image.padding is not None:
        top, _, left, _ = image.padding
        value = np.float16(image.value)
        out[: len(planes)] = value.astype(out.dtype)
        area = area[:, top : top + planes.shape[1], left : left + planes.shape[2]]
    if area.shape != planes.shape:
        raise ValueError(f"an area of {list(planes.shape)} was cut out of the image, {list(area.shape)} is needed")
    area[:] = planes if out.dtype == np.uint8 else _normalize(planes, image)


def _planes(source: Array, common: Common) -> Array:
    """The source's channels, as planes of full size, behind the swaps."""
    width, height, format = common.width, common.height, common.format
    if format == YUV420SP:
        pixels = width * height
        chroma = source[pixels:].reshape(height // 2, width // 2, 2)
        if common.swap:
            chroma = chroma[..., ::-1]
        full = chroma.repeat(2, 0).repeat(2, 1)
        return np.stack((source[:pixels].reshape(height, width), full[..., 0], full[..., 1]))
    planes: Array = source.reshape(height, width, CHANNELS[format]).transpose(2, 0, 1)
    if format == XRGB8888 and common.ax:
        planes = planes[[1, 2, 3, 0]]
    if common.swap and format != YUV400:
        planes = planes[[2, 1, 0, *range(3, len(planes))]]
    return planes


def _convert(planes: Array, common: Common) -> Array:
    """The matrix on three channels; a fourth is not looked at."""
    wide = planes[:3].astype(np.int32)
    yuv = common.format == YUV420SP
    if yuv:
        wide -= np.array(common.in_bias, np.int32)[:, None, None]
    matrix = np.array(common.matrix, np.int32).reshape(3, 3)
    out = np.tensordot(matrix, wide, 1) >> 8
    if not yuv:
        out += np.array(common.out_bias, np.int32)[:, None, None]
    found: Array = out.clip(0, 255).astype(np.uint8)
    return found


def _normalize(planes: Array, image: Image) -> Array:
    count = len(planes)

    def column(values: Sequence[float]) -> Array:
        return np.array(values[:count], np.float16).astype(np.float32)[:, None, None]

    with np.errstate(over="ignore"):
        found: Array = ((planes - column(image.mean) - column(image.least)) * column(image.factor)).astype(np.float16)
    return found
