"""A program of the image units, as tests write it: a channel, pictures in memory of the units, files."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

Array = npt.NDArray[Any]
NV12, NV21, RGB = 1, 2, 12
FAILED = 507018


class Units:
    """A channel on a device, and what a test asks of it."""

    def __init__(self, acl: ModuleType, mode: int = 0) -> None:
        self.acl = acl
        self.media: Any = acl.media
        self.channel = self.media.dvpp_create_channel_desc()
        if mode:
            assert self.media.dvpp_set_channel_desc_mode(self.channel, mode) == 0
        assert self.media.dvpp_create_channel(self.channel) == 0
        self.stream: int = acl.rt.create_stream()[0]

    def memory(self, size: int, data: bytes | None = None) -> int:
        address, ret = self.media.dvpp_malloc(size)
        assert ret == 0
        if data is not None:
            self.acl.memory_view(address, len(data))[:] = np.frombuffer(data, np.uint8)
        return int(address)

    def picture(self, format: int, width: int, height: int, strides: tuple[int, int], size: int, data: bytes | None = None) -> int:
        """The handle of a description with memory of its own; the memory of one without width is its caller's."""
        desc: int = self.media.dvpp_create_pic_desc()
        address = self.memory(size, data)
        values = {"data": address, "size": size, "format": format, "width": width, "height": height}
        for name, value in {**values, "width_stride": strides[0], "height_stride": strides[1]}.items():
            assert getattr(self.media, f"dvpp_set_pic_desc_{name}")(desc, value) == 0
        return desc

    def nv12(self, luma: Array, u: Array, v: Array, format: int = NV12) -> int:
        """A picture with strides of 16 by 2."""
        height, width = luma.shape
        stride = -(-width // 16) * 16
        whole = np.zeros((height * 3 // 2, stride), np.uint8)
        whole[:height, :width] = luma
        first, second = (u, v) if format == NV12 else (v, u)
        whole[height:, 0:width:2], whole[height:, 1:width:2] = first, second
        return self.picture(format, width, height, (stride, height), whole.size, whole.tobytes())

    def blank(self, width: int, height: int, format: int = NV12, stride: int = 0) -> int:
        stride = stride or max(32, -(-width // 16) * 16)
        pixel = {0: 1, 11: 3, 12: 3, 13: 3, 14: 4, 15: 4, 16: 4, 17: 4}.get(format, 1)
        rows = {0: 2, 11: 2, 12: 2, 13: 2, 14: 2, 15: 2, 16: 2, 17: 2, 3: 4, 4: 4}.get(format, 3)
        return self.picture(format, width, height, (stride * pixel, height), stride * pixel * height * rows // 2)

    def get(self, desc: int, name: str) -> int:
        return int(getattr(self.media, f"dvpp_get_pic_desc_{name}")(desc))

    def bytes(self, desc: int) -> Array:
        """The picture's memory; nothing is waited for."""
        found: Array = self.acl.memory_view(self.get(desc, "data"), self.get(desc, "size"))
        return found

    def planes(self, desc: int) -> tuple[Array, Array, Array]:
        """Y, and first and second chroma samples, of a YUV420SP picture."""
        stride, rows = self.get(desc, "width_stride"), self.get(desc, "height_stride")
        width, height = self.get(desc, "width"), self.get(desc, "height")
        data = self.bytes(desc)[: stride * rows * 3 // 2].reshape(rows * 3 // 2, stride)
        chroma = data[rows : rows + height // 2, :width]
        return data[:height, :width], chroma[:, ::2], chroma[:, 1::2]

    def done(self) -> int:
        return int(self.acl.rt.synchronize_stream(self.stream))

    def decode(self, file: bytes, format: int = NV12, size: int = 0, strides: tuple[int, int] = (0, 0)) -> tuple[int, int]:
        """The picture's description and the code of the call."""
        pointer = self.acl.util.bytes_to_ptr(file)
        needed = size or self.media.dvpp_jpeg_predict_dec_size(pointer, len(file), format)[0] or 64
        desc = self.picture(format, 0, 0, strides, needed)
        source = self.memory(len(file), file)
        return desc, int(self.media.dvpp_jpeg_decode_async(self.channel, source, len(file), desc, self.stream))

    def resize(self, source: int, target: int, interpolation: int = 1) -> int:
        config = self.media.dvpp_create_resize_config()
        assert self.media.dvpp_set_resize_config_interpolation(config, interpolation) == 0
        return int(self.media.dvpp_vpc_resize_async(self.channel, source, target, config, self.stream))

    def said(self) -> str:
        return self.acl.get_recent_err_msg() or ""


def photograph(width: int, height: int) -> Array:
    """Smooth colours, so that chroma of any size says the same."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    colours = np.stack([x / width * 255, y / height * 255, 255 - (x + y) / (width + height) * 255], -1)
    return colours.astype(np.uint8)


def jpeg(pixels: Array, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", **{"quality": 95, **options})
    return file.getvalue()


def yuv(pixels: Array) -> Array:
    """Full-range BT.601, as JFIF has it."""
    r, g, b = (pixels[..., place].astype(np.float64) for place in range(3))
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    return np.stack([luma, 128 + (b - luma) / 1.772, 128 + (r - luma) / 1.402], -1)
