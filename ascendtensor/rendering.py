"""Tensors as notebooks show them: what they are, what lies in them, and a picture where that helps.

Nothing is compiled or launched. Parts of the buffer are copied, less than 64 KiB in all: a tensor that is larger is shown by a sample.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from typing import Any, Final

import numpy as np

from . import base, display, html
from .base import TensorBase
from .dtypes import uint8
from .errors import AclError, describe_bytes
from .runtime import copies

Array = np.ndarray[Any, np.dtype[Any]]

WHOLE: Final = 40 << 10
"""Bytes up to which a tensor is copied as it is."""

RUNS: Final = 64
RUN_BYTES: Final = 256
"""Of a larger one: pieces, evenly spread."""

SCATTERED: Final = 240
"""Elements of a view that are copied one by one."""

HEAT: Final = (24, 48)
HEAT_OF_SAMPLE: Final = (12, 20)
"""Rows and columns of the picture of a matrix, of one that was copied whole and of a larger one, most."""

HEAT_WIDTH: Final = 288
CELL: Final = 24
"""Pixels of the picture, and of one of its cells, most."""

PRINTED: Final = 4096
"""Elements up to which the values are shown as text."""

LINES: Final = 16
"""Lines of text that stand open below a picture."""

IMAGE: Final = 36 << 10
IMAGE_SIDE: Final = 96
"""Bytes of a preview, and pixels of its longer side, most."""

IMAGE_PLACES: Final = 8
"""Lines and columns where each pixel is copied alone: on a small board, of a view that is turned round, without memcpy2d."""

IMAGE_SHOWN: Final = 320
"""Pixels of the page that the longer side takes, about."""

BINS: Final = 32

_COLD, _WARM = np.array([68.0, 1.0, 84.0]), np.array([253.0, 231.0, 37.0])
_MIDDLE: Final = np.array([33.0, 145.0, 140.0])


def tensor_html(tensor: TensorBase) -> str:
    """HTML of a tensor.

    Raises:
        AclError: Work queued before had failed.
    """
    desc = tensor.desc
    if desc.device.closed:
        return html.block("<pre>&lt;tensor from before shutdown()&gt;</pre>")
    head = f"<b>tensor</b> {desc.dtype.name}{list(desc.shape)} on {desc.device}, {describe_bytes(desc.numel * desc.dtype.itemsize)}"
    parts = [f"<div>{head}</div>"]
    picture = ""
    if desc.numel > 1:
        values = _sample(tensor)
        picture = _picture(tensor, values)
        parts += [_statistics(values, desc.numel), picture]
    return html.block(*parts, _values(tensor, bool(picture)))


def _values(tensor: TensorBase, beside_picture: bool) -> str:
    """The text, folded away where a picture says it better; none of a tensor of so many dimensions that its edges are thousands."""
    count = display.printed(tensor)
    if count > PRINTED:
        return f'<div class="dim">values: print() shows {count:,} of them</div>'
    text = display.text(tensor)
    shown = "" if beside_picture and text.count("\n") >= LINES else " open"
    return f"<details{shown}><summary>values</summary><pre>{html.escape(text)}</pre></details>"


# What is read


def _sample(tensor: TensorBase) -> Array:
    """All elements in their shape, if they are few and lie together; else some of them, flat."""
    desc = tensor.desc
    itemsize, numel = desc.dtype.itemsize, desc.numel
    start = base.element_offset(tensor) * itemsize
    if desc.plain and numel * itemsize <= WHOLE:
        (data,) = copies.download_parts(base.storage(tensor), [(start, numel * itemsize)])
        whole: Array = data.view(desc.dtype.numpy).reshape(desc.shape)
        return whole
    if desc.plain:
        count = RUN_BYTES // itemsize
        places = np.linspace(0, numel - count, RUNS).astype(np.int64).tolist()
        pieces = copies.download_parts(base.storage(tensor), [(start + place * itemsize, count * itemsize) for place in places])
        return np.concatenate([piece.view(desc.dtype.numpy) for piece in pieces])
    return _spread(tensor, SCATTERED)


def _spread(tensor: TensorBase, most: int) -> Array:
    """A grid of at most `most` elements, as even in all dimensions as their lengths allow."""
    counts = list(tensor.desc.shape)
    while math.prod(counts) > most:
        longest = max(range(len(counts)), key=counts.__getitem__)
        counts[longest] = max(1, counts[longest] * 3 // 4)
    return display.read(tensor, [_places(length, count) for length, count in zip(tensor.desc.shape, counts, strict=True)])


def _places(length: int, count: int) -> Array:
    return np.unique(np.linspace(0, length - 1, count).astype(np.int64))


# What is shown


def _numbers(values: Array) -> Array:
    """The elements as float64; complex ones by their size."""
    return np.abs(values).astype(np.float64) if values.dtype.kind == "c" else values.astype(np.float64)


def _statistics(values: Array, numel: int) -> str:
    numbers = _numbers(values).reshape(-1)
    finite = numbers[np.isfinite(numbers)]
    parts = []
    if finite.size:
        with np.errstate(all="ignore"):
            least, most, mean, std = finite.min(), finite.max(), finite.mean(), finite.std()
        parts.append(f"min {least:.4g}, max {most:.4g}, mean {mean:.4g}, std {std:.4g}")
    if values.dtype.kind == "c":
        parts.append("of absolute values")
    bad = [f"{int(count)} {name}" for name, count in (("NaN", np.isnan(numbers).sum()), ("inf", np.isinf(numbers).sum())) if count]
    text = f'<span class="dim">{", ".join(parts)}</span>'
    if bad:
        text += f' <span class="warn">{", ".join(bad)}</span>'
    if numbers.size < numel:
        text += f' <span class="dim">(in a sample of {numbers.size:,} of {numel:,} elements)</span>'
    return f"<div>{text} {_histogram(finite)}</div>"


def _histogram(finite: Array) -> str:
    """A sparkline of how often values come."""
    if finite.size < 2 or finite.min() == finite.max():
        return ""
    scaled = finite / np.abs(finite).max()  # the range of float64's largest has no float64
    counts, _ = np.histogram(scaled, bins=BINS)
    tallest = counts.max()
    bars = "".join(
        f'<rect x="{3 * place}" y="{18 * (1 - count / tallest):.1f}" width="2.5" height="{18 * count / tallest:.1f}"/>'
        for place, count in enumerate(counts.tolist())
        if count
    )
    label = f"histogram from {finite.min():.4g} to {finite.max():.4g}"
    head = f'<svg class="spark" width="{3 * BINS}" height="18" role="img" aria-label="{label}" style="fill:var(--at-mark)">'
    return f"{head}<title>{label}</title>{bars}</svg>"


def _picture(tensor: TensorBase, values: Array) -> str:
    desc = tensor.desc
    if len(desc.shape) == 2 and min(desc.shape) > 1:
        return _heat(tensor, values)
    if len(desc.shape) == 3 and min(sorted(desc.shape)[1:]) >= 8 and 3 in (desc.shape[0], desc.shape[2]):
        return _image(tensor, values)
    return ""


def _heat(tensor: TensorBase, values: Array) -> str:
    """A strip of colours; of a tensor that was copied whole means of blocks, else single elements."""
    whole = values.shape == tensor.desc.shape
    rows, columns = (min(length, most) for length, most in zip(tensor.desc.shape, HEAT if whole else HEAT_OF_SAMPLE, strict=True))
    if whole:
        numbers = _numbers(values)
        edges = [np.linspace(0, length, count + 1).astype(int) for length, count in zip(numbers.shape, (rows, columns), strict=True)]
        with np.errstate(all="ignore"):
            for axis, (edge, count) in enumerate(zip(edges, (rows, columns), strict=True)):
                sums = np.add.reduceat(numbers, edge[:-1], axis)
                widths = np.diff(edge).reshape((-1, 1) if axis == 0 else (1, -1))
                numbers = sums / widths
                assert numbers.shape[axis] == count
    else:
        numbers = _numbers(display.read(tensor, [_places(*each) for each in zip(tensor.desc.shape, (rows, columns), strict=True)]))
    finite = numbers[np.isfinite(numbers)]
    if not finite.size or finite.min() == finite.max():
        return ""
    shade = (numbers / 2 - finite.min() / 2) / (finite.max() / 2 - finite.min() / 2)
    shade = np.nan_to_num(shade, nan=0.0, posinf=1.0, neginf=0.0)[..., None]
    colours = np.where(shade < 0.5, _COLD + (_MIDDLE - _COLD) * 2 * shade, _MIDDLE + (_WARM - _MIDDLE) * (2 * shade - 1))
    colours[~np.isfinite(numbers)] = (209, 36, 47)
    scale = max(1, min(CELL, HEAT_WIDTH // columns))
    return _pixels(colours.clip(0, 255).astype(np.uint8), scale, "values as colours, dark is small, red is no finite number")


def _image(tensor: TensorBase, values: Array) -> str:
    """A preview of [H, W, 3] or [3, H, W] whose values are bytes, or lie in [0, 1]."""
    desc = tensor.desc
    numbers = _numbers(values)
    if desc.dtype is not uint8 and not (desc.dtype.is_floating_point and numbers.size and numbers.min() >= 0 and numbers.max() <= 1):
        return ""
    last = desc.shape[2] == 3
    height, width = desc.shape[:2] if last else desc.shape[1:]
    whole = values.shape == desc.shape
    pixels = (values if last else values.transpose(1, 2, 0)) if whole else _thinned(tensor, height, width, last)
    scaled = pixels if desc.dtype is uint8 else np.nan_to_num(pixels.astype(np.float64)).clip(0, 1) * 255
    scale = max(1, IMAGE_SHOWN // max(height, width)) if whole else IMAGE_SHOWN / max(height, width)
    label = f"preview of {height} x {width} pixels"
    return _image_tag(scaled.astype(np.uint8), round(width * scale), round(height * scale), label, whole)


def _thinned(tensor: TensorBase, height: int, width: int, last: bool) -> Array:
    """[rows, columns, 3] of an image that is too large to be copied: every so many pixels of every so many lines."""
    desc = tensor.desc
    itemsize = desc.dtype.itemsize
    side = min(IMAGE_SIDE, int(math.sqrt(IMAGE / (3 * itemsize * min(height, width) / max(height, width)))))
    step = max(1, -(-max(height, width) // side))
    rows, columns = np.arange(0, height, step), np.arange(0, width, step)
    strides = base.element_strides(tensor)
    down, along, plane = strides if last else (strides[1], strides[2], strides[0])
    if along <= 0 or not desc.device.host_mode:
        return _one_by_one(tensor, height, width, last)
    together = plane == 1
    planes = np.arange(1 if together else 3)[:, None] * plane
    starts = ((base.element_offset(tensor) + planes + rows * down) * itemsize).reshape(-1).tolist()
    piece = (3 if together else 1) * itemsize
    try:
        found = copies.download_grid(base.storage(tensor), starts, along * step * itemsize, len(columns), piece)
    except AclError as error:
        if error.function != "acl.rt.memcpy2d":
            raise
        return _one_by_one(tensor, height, width, last)  # a chip without such copies
    lines: Array = found.view(desc.dtype.numpy).reshape((len(rows), len(columns), 3) if together else (3, len(rows), len(columns)))
    return lines if together else lines.transpose(1, 2, 0)


def _one_by_one(tensor: TensorBase, height: int, width: int, last: bool) -> Array:
    chosen, colours = [_places(length, IMAGE_PLACES) for length in (height, width)], np.arange(3)
    found = display.read(tensor, [*chosen, colours] if last else [colours, *chosen])
    return found if last else found.transpose(1, 2, 0)


def _pixels(pixels: Array, scale: int, label: str) -> str:
    height, width = pixels.shape[:2]
    return _image_tag(pixels, width * scale, height * scale, label, True)


def _image_tag(pixels: Array, width: int, height: int, label: str, sharp: bool) -> str:
    data = base64.b64encode(png(pixels)).decode()
    style = ' style="image-rendering:pixelated"' if sharp else ""
    return f'<img width="{width}" height="{height}"{style} alt="{label}" title="{label}" src="data:image/png;base64,{data}"/>'


def png(pixels: Array) -> bytes:
    """A PNG file of [H, W, 3] bytes."""
    height, width = pixels.shape[:2]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + line.tobytes() for line in np.ascontiguousarray(pixels))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")
