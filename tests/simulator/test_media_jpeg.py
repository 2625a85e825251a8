"""Files of pictures in the image units: what is in them, decoding, encoding, PNG (`acl.media`)."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pytest
from media_program import FAILED, NV12, NV21, Array, Units, jpeg, photograph, yuv
from PIL import Image

from ascendtensor import simulator
from ascendtensor.simulator.media import tasks

SUBSAMPLINGS = {"4:4:4": 0, "4:2:2": 1, "4:2:0": 2}
"""Of Pillow and of `acldvppJpegFormat` alike."""
OLD, INFERENCE, TRAINING, SMALL = "Ascend310", "Ascend310P3", "Ascend910B1", "Ascend310B4"


def board(soc: str, **options: Any) -> Units:
    simulator.new_process()
    simulator.configure(soc=soc, profile="any", **options)
    assert simulator.init() == 0 and simulator.rt.set_device(0) == 0
    return Units(simulator)


def gray(width: int, height: int) -> bytes:
    return jpeg(photograph(width, height)[:, :, 0])


@pytest.fixture
def units(acl: ModuleType) -> Units:
    return Units(acl)


# What is in a file


@pytest.mark.parametrize(("name", "css"), SUBSAMPLINGS.items())
def test_information_of_a_file(acl: ModuleType, name: str, css: int) -> None:
    file = jpeg(photograph(101, 67), subsampling=name)
    pointer = acl.util.bytes_to_ptr(file)
    assert acl.media.dvpp_jpeg_get_image_info(pointer, len(file)) == (101, 67, 3, 0)
    assert acl.media.dvpp_jpeg_get_image_info_v2(pointer, len(file)) == (101, 67, 3, css, 0)


def test_information_of_a_gray_file(acl: ModuleType) -> None:
    file = gray(64, 48)
    assert acl.media.dvpp_jpeg_get_image_info_v2(acl.util.bytes_to_ptr(file), len(file)) == (64, 48, 1, 3, 0)


@pytest.mark.parametrize(
    "file", [b"", b"\xff\xd8", b"\xff\xd8\xff\xc0", bytes(100), b"\xff\xd8" + b"\xff" * 50, b"\xff\xd8\xff\xc0\x00\x08\x08"]
)
def test_information_of_what_is_no_file(acl: ModuleType, file: bytes) -> None:
    pointer = acl.util.bytes_to_ptr(file)
    assert acl.media.dvpp_jpeg_get_image_info(pointer, len(file)) == (0, 0, 0, 100000)
    assert acl.media.dvpp_jpeg_get_image_info_v2(pointer, len(file)) == (0, 0, 0, 1000, 100000)
    assert acl.media.dvpp_jpeg_predict_dec_size(pointer, len(file), NV12) == (0, 100000)


def test_information_is_of_host_memory(units: Units) -> None:
    file = jpeg(photograph(64, 48))
    assert units.media.dvpp_jpeg_get_image_info(units.memory(len(file), file), len(file)) == (0, 0, 0, 107000)
    assert units.media.dvpp_jpeg_get_image_info(0, len(file)) == (0, 0, 0, 100000)


@pytest.mark.parametrize(("soc", "across"), [(OLD, 128), ("Ascend910A", 128), (INFERENCE, 64), (TRAINING, 64), (SMALL, 64)])
def test_predicted_sizes_and_strides_of_each_chip(soc: str, across: int) -> None:
    units = board(soc)
    file = jpeg(photograph(300, 200), subsampling="4:4:4")
    pointer = simulator.util.bytes_to_ptr(file)
    stride = -(-300 // across) * across
    assert stride == {128: 384, 64: 320}[across]
    assert units.media.dvpp_jpeg_predict_dec_size(pointer, len(file), 5) == (stride * 208 * 3, 0)
    assert units.media.dvpp_jpeg_predict_dec_size(pointer, len(file), NV12) == (stride * 208 * 3 // 2, 0)
    desc, ret = units.decode(file, size=stride * 208 * 3 // 2)
    assert (ret, units.done()) == (0, 0)
    assert [units.get(desc, name) for name in ("width", "height", "width_stride", "height_stride")] == [300, 200, stride, 208]
    for wrong in ((stride + 64, 208), (stride - 16, 208), (stride, 200)):
        desc, ret = units.decode(file, strides=wrong)
        assert (ret, units.done()) == (0, FAILED), wrong
        assert units.get(desc, "ret_code") != 0
    assert units.decode(file, strides=(stride, 208))[1] == units.done() == 0
    assert units.media.dvpp_jpeg_predict_dec_size(pointer, len(file), 12) == (0, 100027)


# Decoding


@pytest.mark.parametrize("name", SUBSAMPLINGS)
@pytest.mark.parametrize("format", [NV12, NV21])
def test_decoding_to_yuv420(units: Units, name: str, format: int) -> None:
    pixels = photograph(160, 96)
    desc, ret = units.decode(jpeg(pixels, subsampling=name), format)
    assert ret == 0
    assert set(units.bytes(desc).tolist()) == {0x7B}, "nothing ran yet"
    assert units.done() == 0
    expected = yuv(pixels)
    luma, first, second = units.planes(desc)
    assert np.abs(luma - expected[..., 0]).max() <= 3
    u, v = (first, second) if format == NV12 else (second, first)
    small = expected.reshape(48, 2, 80, 2, 3).mean((1, 3))
    assert np.abs(u - small[..., 1]).max() <= 3 and np.abs(v - small[..., 2]).max() <= 3


def test_chroma_of_a_420_file_is_that_of_the_file(units: Units) -> None:
    rng = np.random.default_rng(0)
    chroma = rng.integers(60, 200, (12, 20, 2), np.uint8).repeat(4, 0).repeat(4, 1)  # blocks that a file keeps well
    planes = [Image.fromarray(np.full((48, 80), 128, np.uint8)), *(Image.fromarray(chroma[..., place]) for place in (0, 1))]
    file = io.BytesIO()
    Image.merge("YCbCr", planes).save(file, "JPEG", quality=100, subsampling="4:2:0")
    desc, _ = units.decode(file.getvalue())
    assert units.done() == 0
    _, u, v = units.planes(desc)
    assert np.abs(u.astype(int) - chroma[::2, ::2, 0]).max() <= 2
    assert np.abs(v.astype(int) - chroma[::2, ::2, 1]).max() <= 2


@pytest.mark.parametrize(("name", "format"), [("4:4:4", 5), ("4:4:4", 6), ("4:2:2", 3), ("4:2:2", 4)])
def test_decoding_to_the_format_of_the_file(units: Units, name: str, format: int) -> None:
    pixels = photograph(128, 64)
    file = jpeg(pixels, subsampling=name)
    desc, ret = units.decode(file, format)
    assert (ret, units.done()) == (0, 0)
    across = 1 if name == "4:4:4" else 2
    chroma = units.bytes(desc)[128 * 64 : 128 * 64 + 2 * 64 * 128 // across].reshape(64, 128 // across, 2)
    expected = yuv(pixels).reshape(64, 128 // across, across, 3).mean(2)
    u, v = (chroma[..., 0], chroma[..., 1]) if format in (3, 5) else (chroma[..., 1], chroma[..., 0])
    assert np.abs(u - expected[..., 1]).max() <= 3 and np.abs(v - expected[..., 2]).max() <= 3
    other = {5: 3, 6: 1000, 3: 5, 4: 1001}[format]
    assert units.decode(file, other, size=1 << 16)[1] == 0 and units.done() == FAILED
    assert "is not decoded to" in units.said()


def test_an_open_format_is_that_of_the_file_with_v_first(units: Units) -> None:
    for name, format in (("4:4:4", 6), ("4:2:2", 4), ("4:2:0", 2)):
        desc, ret = units.decode(jpeg(photograph(64, 64), subsampling=name), 10000)
        assert (ret, units.done(), units.get(desc, "format")) == (0, 0, format)


def test_gray_files_have_neutral_chroma(units: Units) -> None:
    desc, ret = units.decode(gray(96, 64))
    assert (ret, units.done()) == (0, 0)
    luma, u, v = units.planes(desc)
    assert np.abs(luma.astype(int) - photograph(96, 64)[..., 0]).max() <= 3
    assert set(u.ravel().tolist()) == set(v.ravel().tolist()) == {128}


def test_odd_sizes_are_rounded_down(units: Units) -> None:
    desc, ret = units.decode(jpeg(photograph(101, 67), subsampling="4:4:4"))
    assert (ret, units.done()) == (0, 0)
    assert [units.get(desc, name) for name in ("width", "height", "width_stride", "height_stride")] == [100, 66, 128, 80]


@pytest.mark.parametrize(("start", "order"), [(b"II*\0", "little"), (b"MM\0*", "big")])
def test_the_predicted_size_is_that_of_the_upright_picture(acl: ModuleType, start: bytes, order: Literal["little", "big"]) -> None:
    def field(value: int, size: int) -> bytes:
        return value.to_bytes(size, order)

    file = jpeg(photograph(300, 100))
    for orientation in range(10):
        entry = field(0x0112, 2) + field(3, 2) + field(1, 4) + field(orientation, 2) + bytes(2)
        tags = b"Exif\0\0" + start + field(8, 4) + field(1, 2) + entry + bytes(4)
        turned = file[:2] + b"\xff\xe1" + (len(tags) + 2).to_bytes(2, "big") + tags + file[2:]
        lies = orientation not in (5, 6, 7, 8)
        size = (320 * 112 if lies else 128 * 304) * 3 // 2
        assert acl.media.dvpp_jpeg_predict_dec_size(acl.util.bytes_to_ptr(turned), len(turned), NV12) == (size, 0)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_upright(units: Units, orientation: int) -> None:
    pixels = photograph(96, 64)
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = jpeg(pixels, exif=exif, quality=98)
    upright = {
        1: pixels,
        2: pixels[:, ::-1],
        3: pixels[::-1, ::-1],
        4: pixels[::-1],
        5: pixels.transpose(1, 0, 2),
        6: np.rot90(pixels, -1),
        7: np.rot90(pixels, -1)[:, ::-1][::-1, ::-1],
        8: np.rot90(pixels),
    }[orientation]
    desc, ret = units.decode(file)
    assert (ret, units.done()) == (0, 0)
    assert (units.get(desc, "width"), units.get(desc, "height")) == upright.shape[1::-1]
    if orientation != 7:
        assert np.abs(units.planes(desc)[0] - yuv(upright)[..., 0]).max() <= 4
    else:  # transversed
        assert np.abs(units.planes(desc)[0] - yuv(pixels[::-1, ::-1].transpose(1, 0, 2))[..., 0]).max() <= 4


@pytest.mark.parametrize("kind", ["XMP", "tag of 32 bits"])
def test_pictures_are_turned_by_their_exif_as_it_was_predicted(units: Units, kind: str) -> None:
    """What Pillow reads elsewhere says nothing to the unit."""
    file, tall = jpeg(photograph(96, 40)), kind != "XMP"
    if kind == "XMP":
        body = b'http://ns.adobe.com/xap/1.0/\0<rdf:Description tiff:Orientation="6"/>'
    else:
        entry = (0x0112).to_bytes(2, "little") + b"\4\0\1\0\0\0\6\0\0\0"
        body = b"Exif\0\0II*\0\x08\0\0\0\1\0" + entry + bytes(4)
    desc, ret = units.decode(file[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + file[2:])
    assert (ret, units.done()) == (0, 0), units.said()
    assert (units.get(desc, "width"), units.get(desc, "height")) == ((40, 96) if tall else (96, 40))


def test_the_edge_goes_on_to_whole_blocks(units: Units) -> None:
    desc, _ = units.decode(jpeg(photograph(100, 70)))
    assert units.done() == 0
    rows = units.bytes(desc)[: 128 * 80].reshape(80, 128)
    assert (rows[70:, :100] == rows[69, :100]).all() and (rows[:70, 100:112] == rows[:70, 99:100]).all()
    assert (rows[:, 112:] == 0x7B).all(), "what lies beyond is left as it was"


def broken(kind: str) -> bytes:
    file = jpeg(photograph(128, 64))
    return {
        "truncated": file[: len(file) // 2],
        "empty": b"\xff\xd8",
        "text": b"GIF89a" * 20,
        "progressive": jpeg(photograph(128, 64), progressive=True),
        "small": jpeg(photograph(16, 64)),
        "cmyk": _saved(Image.new("CMYK", (64, 64), (1, 2, 3, 4))),
        "rgb": _saved(Image.new("RGB", (64, 64), "red"), keep_rgb=True),
        "4:1:1": file.replace(b"\x01\x22\x00", b"\x01\x41\x00"),
        "arithmetic": file.replace(b"\xff\xc0", b"\xff\xc9"),
    }[kind]


def _saved(image: Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["truncated", "empty", "text", "progressive", "small", "cmyk", "rgb", "4:1:1", "arithmetic"])
def test_what_no_unit_decodes_fails_when_it_runs(units: Units, kind: str) -> None:
    desc, ret = units.decode(broken(kind), size=128 * 64 * 2)
    assert ret == 0
    assert units.done() == FAILED
    assert "[JPEGD]" in units.said()
    assert units.get(desc, "ret_code") != 0
    assert units.done() == 0, "the failure was told once"
    assert units.decode(jpeg(photograph(128, 64)))[1] == units.done() == 0


def test_memory_must_come_from_dvpp_malloc(units: Units) -> None:
    acl, media = units.acl, units.media
    file = jpeg(photograph(128, 64))
    good = units.memory(len(file), file)
    plain, _ = acl.rt.malloc(1 << 16, 0)
    acl.memory_view(plain, len(file))[:] = np.frombuffer(file, np.uint8)
    desc = units.picture(NV12, 0, 0, (0, 0), 128 * 64 * 3 // 2)
    assert media.dvpp_jpeg_decode_async(units.channel, plain, len(file), desc, units.stream) == 0
    assert units.done() == FAILED and "is not memory of acl.media.dvpp_malloc" in units.said()
    target = media.dvpp_get_pic_desc_data(desc)
    for address, size in ((plain, 128 * 96), (0, 128 * 96), (target, 128 * 95), (target, 1 << 20)):
        media.dvpp_set_pic_desc_data(desc, address)
        media.dvpp_set_pic_desc_size(desc, size)
        assert media.dvpp_jpeg_decode_async(units.channel, good, len(file), desc, units.stream) == 0
        assert units.done() == FAILED, (address, size)
    media.dvpp_set_pic_desc_data(desc, target)
    media.dvpp_set_pic_desc_size(desc, 128 * 96)
    assert media.dvpp_jpeg_decode_async(units.channel, good, len(file), desc, units.stream) == 0
    assert units.done() == 0


def test_memory_of_another_device(acl: ModuleType) -> None:
    acl.rt.set_device(1)
    units = Units(acl)
    file = jpeg(photograph(64, 64))
    source = units.memory(len(file), file)
    acl.rt.set_device(0)
    elsewhere, units = units, Units(acl)
    desc = units.picture(NV12, 0, 0, (0, 0), 64 * 96)
    assert units.media.dvpp_jpeg_decode_async(units.channel, source, len(file), desc, units.stream) == 0
    assert units.done() == FAILED and "belongs to device 1" in units.said()
    assert units.media.dvpp_jpeg_decode_async(elsewhere.channel, source, len(file), desc, units.stream) == 100000
    assert "was opened on device 1" in units.said()


def test_run_mode_device(acl: ModuleType) -> None:
    units = board(SMALL, run_mode="device")
    assert units.decode(jpeg(photograph(64, 64)))[1] == units.done() == 0


def test_what_the_call_itself_refuses(units: Units) -> None:
    media, stream = units.media, units.stream
    file = jpeg(photograph(64, 64))
    source, desc = units.memory(len(file), file), units.picture(NV12, 0, 0, (0, 0), 64 * 96)
    assert media.dvpp_jpeg_decode_async(0, source, len(file), desc, stream) == 100000
    assert media.dvpp_jpeg_decode_async(units.channel, 0, len(file), desc, stream) == 100000
    assert media.dvpp_jpeg_decode_async(units.channel, source, len(file), 0, stream) == 100000
    assert media.dvpp_jpeg_decode_async(units.channel, source, len(file), desc, 64) == 107017
    media.dvpp_set_pic_desc_format(desc, 12)
    assert media.dvpp_jpeg_decode_async(units.channel, source, len(file), desc, stream) == 100027
    media.dvpp_set_pic_desc_format(desc, NV12)
    assert media.dvpp_destroy_channel(units.channel) == 0
    assert media.dvpp_jpeg_decode_async(units.channel, source, len(file), desc, stream) == 100000
    assert units.done() == 0


def test_without_pillow_the_call_says_what_to_install(units: Units, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError("No module named 'PIL'")

    monkeypatch.setattr(tasks, "whole", missing)
    assert units.decode(jpeg(photograph(64, 64)))[1] == 200006
    assert "pip install 'ascendtensor[media]'" in units.said()


# Encoding


@pytest.mark.parametrize(("format", "order"), [(7, (0, 1, 2, 3)), (8, (1, 0, 3, 2)), (9, (0, 3, 2, 1)), (10, (1, 2, 3, 0))])
def test_encoding_packed_pictures(units: Units, format: int, order: tuple[int, ...]) -> None:
    pixels = photograph(64, 48)
    planes = np.clip(np.rint(yuv(pixels)), 0, 255).astype(np.uint8)
    packed = np.zeros((48, 32, 4), np.uint8)
    for place, values in zip(order, (planes[:, ::2, 0], planes[:, ::2, 1], planes[:, 1::2, 0], planes[:, ::2, 2]), strict=True):
        packed[..., place] = values
    file = encoded(units, units.picture(format, 64, 48, (128, 48), packed.size, packed.tobytes()))
    with Image.open(io.BytesIO(file)) as image:
        assert image.size == (64, 48)
        assert np.abs(np.asarray(image).astype(int) - pixels).max() <= 12


def encoded(units: Units, desc: int, level: int = 95, room: int = 0) -> bytes:
    acl, media = units.acl, units.media
    config = media.dvpp_create_jpege_config()
    assert media.dvpp_set_jpege_config_level(config, level) == 0
    predicted, ret = media.dvpp_jpeg_predict_enc_size(desc, config)
    assert ret == 0
    output = units.memory(predicted)
    length = np.array([room or predicted], np.uint32).tobytes()
    pointer = acl.util.bytes_to_ptr(length)
    assert media.dvpp_jpeg_encode_async(units.channel, desc, output, pointer, config, units.stream) == 0
    code = units.done()
    if code:
        return b""
    size = int(np.frombuffer(acl.util.ptr_to_bytes(pointer, 4), np.uint32)[0])
    assert size <= predicted
    return bytes(acl.memory_view(output, size))


def test_encoding_and_decoding_again(units: Units) -> None:
    pixels = photograph(96, 64)
    desc, _ = units.decode(jpeg(pixels))
    assert units.done() == 0
    files = {level: encoded(units, desc, level) for level in (10, 90, 100, 0)}
    assert len(files[10]) < len(files[90]) < len(files[100]) == len(files[0])
    with Image.open(io.BytesIO(files[100])) as image:
        assert image.size == (96, 64) and np.abs(np.asarray(image).astype(int) - pixels).max() <= 6
    again, _ = units.decode(files[100])
    assert units.done() == 0
    for one, other in zip(units.planes(desc), units.planes(again), strict=True):
        assert np.abs(one.astype(int) - other).max() <= 3


def test_noise_fits_what_was_predicted(units: Units) -> None:
    noise: Array = np.random.default_rng(0).integers(0, 256, (96, 64), np.uint8)
    assert encoded(units, units.picture(NV12, 64, 64, (64, 64), noise.size, noise.tobytes()), 100)


@pytest.mark.parametrize(
    ("size", "strides", "room"),
    [
        *[((30, 64), (32, 64), 0), ((64, 63), (64, 63), 0), ((65, 64), (80, 64), 0), ((64, 64), (72, 64), 0)],
        *[((64, 64), (64, 96), 0), ((64, 64), (48, 64), 0), ((64, 64), (64, 64), 100)],
    ],
)
def test_what_is_not_encoded(units: Units, size: tuple[int, int], strides: tuple[int, int], room: int) -> None:
    desc = units.picture(NV12, *size, strides, 1 << 16, bytes(1 << 16))
    assert encoded(units, desc, room=room) == b""
    assert "[JPEGE]" in units.said()


def test_strides_that_are_encoded(units: Units) -> None:
    for height, rows in ((50, 50), (50, 64), (36, 48)):
        desc = units.picture(NV12, 64, height, (128, rows), 128 * rows * 3 // 2, bytes(128 * rows * 3 // 2))
        assert encoded(units, desc)
    media, config = units.media, units.media.dvpp_create_jpege_config()
    media.dvpp_set_pic_desc_format(desc, 12)
    assert media.dvpp_jpeg_predict_enc_size(desc, config) == (0, 100027)
    assert media.dvpp_set_jpege_config_level(config, 101) == 100000


# PNG


def png(pixels: Array | Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    image.save(file, "PNG", **options)
    return file.getvalue()


def decode_png(units: Units, file: bytes, format: int) -> tuple[int, int]:
    needed, _ = units.media.dvpp_png_predict_dec_size(units.acl.util.bytes_to_ptr(file), len(file), format)
    desc = units.picture(format, 0, 0, (0, 0), needed or 1 << 16)
    source = units.memory(len(file), file)
    return desc, int(units.media.dvpp_png_decode_async(units.channel, source, len(file), desc, units.stream))


@pytest.mark.parametrize(("mode", "channels", "native"), [("L", 1, 12), ("LA", 2, 16), ("RGB", 3, 12), ("RGBA", 4, 16)])
@pytest.mark.parametrize("format", [12, 16, 10000])
def test_png(units: Units, mode: str, channels: int, native: int, format: int) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (40, 50, 4), np.uint8)
    image = Image.fromarray(pixels).convert(mode)
    file = png(image)
    acl, media = units.acl, units.media
    assert media.dvpp_png_get_image_info(acl.util.bytes_to_ptr(file), len(file)) == (50, 40, channels, 0)
    desc, ret = decode_png(units, file, format)
    assert ret == 0
    if format == 16 and native == 12:
        assert units.done() == FAILED
        return
    assert units.done() == 0
    out = native if format == 10000 else format
    size = 4 if out == 16 else 3
    assert [units.get(desc, name) for name in ("format", "width", "height", "width_stride", "height_stride")] == [
        out,
        50,
        40,
        128 * size,
        48,
    ]
    found = units.bytes(desc)[: 128 * size * 48].reshape(48, 128, size)[:40, :50]
    expected = np.asarray(image.convert("RGBA"))[..., :size]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["palette", "interlaced", "deep", "small", "truncated", "none"])
def test_png_files_that_fail(units: Units, kind: str) -> None:
    pixels = photograph(64, 64)
    whole = png(pixels)
    file = {
        "palette": png(Image.fromarray(pixels).convert("P")),
        "interlaced": whole[:28] + b"\x01" + whole[29:],
        "deep": png(np.zeros((64, 64), np.uint16)),
        "small": png(photograph(31, 64)),
        "truncated": whole[: len(whole) // 2],
        "none": b"text" * 20,
    }[kind]
    assert decode_png(units, file, 12)[1] == 0
    assert units.done() == FAILED and "[PNGD]" in units.said()


def test_png_calls_that_are_refused(units: Units, tmp_path: Path) -> None:
    file = png(photograph(64, 64))
    pointer = units.acl.util.bytes_to_ptr(file)
    assert units.media.dvpp_png_predict_dec_size(pointer, len(file), 1) == (0, 100027)
    assert units.media.dvpp_png_predict_dec_size(pointer, 20, 12) == (0, 100000)
    assert units.media.dvpp_png_get_image_info(0, 20) == (0, 0, 0, 100000)
    assert decode_png(units, file, 1)[1] == 100027
