"""The VPC of the image units: sizes, regions, formats, borders, tables, and what each chip takes (`acl.media`)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from media_program import FAILED, NV12, NV21, RGB, Array, Units, photograph, yuv

from ascendtensor import simulator

OLD, FIRST_TRAINING, INFERENCE, TRAINING, SMALL = "Ascend310", "Ascend910A", "Ascend310P3", "Ascend910B1", "Ascend310B4"
CHIPS = (OLD, FIRST_TRAINING, INFERENCE, TRAINING, SMALL)


def board(soc: str) -> Units:
    simulator.new_process()
    simulator.configure(soc=soc, profile="any")
    assert simulator.init() == 0 and simulator.rt.set_device(0) == 0
    return Units(simulator)


@pytest.fixture
def units(acl: ModuleType) -> Units:
    return Units(acl)


def plane(values: Array, height: int) -> Array:
    """Rows that are all the same."""
    return np.tile(np.asarray(values, np.uint8), (height, 1))


# Scaling


def across(values: Array, width: int, interpolation: int) -> Array:
    """One row by NumPy's own interpolation."""
    source = len(values)
    scale = source / width
    if interpolation in (2, 4):
        return values[np.floor(np.arange(width) * scale + 1e-9).astype(int)]
    middle = 0.5 if interpolation == 1 else 0.0
    return np.interp((np.arange(width) + middle) * scale - middle, np.arange(source), values)


@pytest.mark.parametrize("interpolation", [1, 2, 3, 4])
@pytest.mark.parametrize("width", [20, 64, 48, 150])
def test_interpolations(interpolation: int, width: int) -> None:
    units = board(OLD)
    rng = np.random.default_rng(3)
    luma, u, v = rng.integers(0, 256, 64), rng.integers(0, 256, 32), rng.integers(0, 256, 32)
    source = units.nv12(plane(luma, 16), plane(u, 8), plane(v, 8))
    target = units.blank(width, 24)
    assert units.resize(source, target, interpolation) == 0
    assert set(units.bytes(target).tolist()) == {0x7B}
    assert units.done() == 0
    for found, values, size in zip(units.planes(target), (luma, u, v), (width, width // 2, width // 2), strict=True):
        expected = across(values, size, interpolation)
        assert np.abs(found - expected).max() <= 0.5001
        assert (found == found[0]).all()


def test_both_directions_are_scaled(units: Units) -> None:
    columns, rows = np.arange(64) * 2.0, np.arange(32) * 3.0
    luma = (columns + rows[:, None]).astype(np.uint8)
    target = units.blank(32, 64)
    assert units.resize(units.nv12(luma, luma[::2, ::2], luma[::2, ::2]), target) == units.done() == 0
    expected = across(columns, 32, 1) + across(rows, 64, 1)[:, None]
    assert np.abs(units.planes(target)[0] - expected).max() <= 1


def test_the_own_filter_of_the_older_chips(units: Units) -> None:
    old = board(OLD)
    luma = (128 + 100 * np.sin(np.arange(64) / 6)).astype(np.uint8)
    gray = plane(np.full(32, 128), 16)
    for width in (32, 64, 128):
        target = old.blank(width, 32)
        assert old.resize(old.nv12(plane(luma, 32), gray, gray), target, 0) == old.done() == 0
        places = (np.arange(width) + 0.5) * 64 / width - 0.5
        assert np.abs(old.planes(target)[0][0] - (128 + 100 * np.sin(places / 6))).max() < 4
        assert (old.planes(target)[1] == 128).all()


@pytest.mark.parametrize(("soc", "known"), [(OLD, 4), (FIRST_TRAINING, 4), (INFERENCE, 2), (TRAINING, 2), (SMALL, 5)])
def test_interpolations_of_each_chip(soc: str, known: int) -> None:
    units = board(soc)
    luma = plane(np.arange(64), 32)
    source, target = units.nv12(luma, luma[::2, ::2], luma[::2, ::2]), units.blank(48, 32)
    results = []
    for interpolation in range(7):
        ret = units.resize(source, target, interpolation)
        assert ret == (0 if interpolation <= known else 200006)
        assert units.done() == 0
        results.append(units.planes(target)[0].copy())
    if soc in (INFERENCE, TRAINING, SMALL):
        assert (results[0] == results[1]).all(), "0 means 1"
    if soc == SMALL:
        assert (results[3] == results[1]).all() and (results[4] == results[2]).all()
        target = units.blank(48, 32, RGB)
        assert units.resize(source, target, 5) == 0
        assert units.done() == FAILED


# What is asked of sizes, strides and memory


def changed(units: Units, desc: int, **values: int) -> int:
    for name, value in values.items():
        assert getattr(units.media, f"dvpp_set_pic_desc_{name}")(desc, value) == 0
    return desc


@pytest.mark.parametrize(
    ("soc", "side", "values"),
    [
        (OLD, "input", {"width_stride": 100}),
        (OLD, "input", {"width_stride": 80}),
        (OLD, "input", {"height_stride": 63}),
        (OLD, "input", {"height_stride": 62}),
        (OLD, "input", {"height": 4}),
        (OLD, "input", {"width": 8}),
        (OLD, "input", {"size": 96 * 64}),
        (OLD, "output", {"width": 95}),
        (OLD, "output", {"height": 63}),
        (OLD, "output", {"width_stride": 97}),
        (OLD, "output", {"size": 1}),
        (OLD, "output", {"data": 0}),
        (OLD, "output", {"data": 4096}),
        (FIRST_TRAINING, "input", {"width_stride": 100}),
        (INFERENCE, "input", {"width_stride": 100}),
        (INFERENCE, "input", {"width": 95}),
        (INFERENCE, "input", {"height": 63}),
        (INFERENCE, "output", {"width_stride": 98}),
        (TRAINING, "input", {"width": 95}),
        (TRAINING, "input", {"width_stride": 95}),
        (TRAINING, "input", {"height_stride": 65}),
        (TRAINING, "output", {"width": 8}),
        (SMALL, "output", {"height": 4}),
        (SMALL, "input", {"width_stride": 20000}),
    ],
)
def test_what_fails_when_it_runs(soc: str, side: str, values: dict[str, int]) -> None:
    units = board(soc)
    pair = {"input": units.blank(96, 64), "output": units.blank(96, 64)}
    assert units.resize(pair["input"], pair["output"]) == units.done() == 0
    changed(units, pair[side], **values)
    assert units.resize(pair["input"], pair["output"]) == 0
    assert units.done() == FAILED, values
    assert "[VPC]" in units.said() and units.get(pair["output"], "ret_code") != 0


def test_strides_of_the_newer_chips_are_free() -> None:
    for soc in (TRAINING, SMALL):
        units = board(soc)
        source = units.picture(NV12, 50, 30, (51, 32), 51 * 48, bytes(range(51)) * 48)
        target = units.blank(50, 30, stride=50)
        assert units.resize(source, target) == units.done() == 0
        assert (units.planes(target)[0] == np.arange(50)).all()


@pytest.mark.parametrize(("format", "down"), [(NV12, 2), (NV21, 2), (3, 1), (4, 1)])
def test_rows_of_chroma_have_the_stride_of_the_luma(units: Units, format: int, down: int) -> None:
    """Also an odd one: the last byte of each row belongs to no pair."""
    first, second = np.arange(50, 75), np.arange(150, 175)
    rows = np.zeros((16 + 16 // down, 51), np.uint8)
    rows[:16, :50] = 100
    rows[16:, :50:2], rows[16:, 1:50:2] = (first, second) if format in (NV12, 3) else (second, first)
    source = units.picture(format, 50, 16, (51, 16), rows.size, rows.tobytes())
    target = units.picture(format, 50, 16, (53, 16), rows.shape[0] * 53, bytes(rows.shape[0] * 53))
    assert units.resize(source, target) == units.done() == 0
    found = units.bytes(target).reshape(-1, 53)
    assert (found[:, :50] == rows[:, :50]).all() and not found[:, 50:].any()


def test_odd_pictures_lose_a_line_on_the_older_chips() -> None:
    units = board(OLD)
    luma = plane(np.arange(64), 32)
    source = changed(units, units.nv12(luma, luma[::2, ::2], luma[::2, ::2]), width=49, height=31)
    target = units.blank(48, 30)
    assert units.resize(source, target) == units.done() == 0
    assert (units.planes(target)[0] == np.arange(48)).all()


@pytest.mark.parametrize("soc", CHIPS)
def test_zoom(soc: str) -> None:
    units = board(soc)
    source = units.blank(512, 32)
    for width, code in ((16, 0), (14, FAILED)):
        assert units.resize(source, units.blank(width, 32)) == 0 and units.done() == code
    small = units.blank(16, 32)
    for width, code in ((256, 0), (258, FAILED)):
        assert units.resize(small, units.blank(width, 32)) == 0 and units.done() == code


@pytest.mark.parametrize(("soc", "highest"), [(OLD, 4096), (INFERENCE, 4096), (TRAINING, 8192), (SMALL, 8192)])
def test_the_largest_pictures(soc: str, highest: int) -> None:
    units = board(soc)
    source = units.blank(32, 1024)
    for height in (4096, 8192):
        target = units.blank(32, height)
        assert units.resize(source, target) == 0
        assert units.done() == (0 if height <= highest else FAILED)
    assert units.resize(units.blank(5000, 32, stride=5000), units.blank(320, 32)) == units.done() == 0, "strides of two above 4096"
    assert units.resize(units.blank(5000, 32, 4, 5008), units.blank(320, 32)) == 0
    assert units.done() == (FAILED if soc == OLD else 0)
    assert units.resize(units.blank(4096, 32, RGB), units.blank(320, 32)) == units.done() == 0
    assert units.resize(units.blank(4112, 32, RGB), units.blank(320, 32)) == 0 and units.done() == FAILED
    assert units.resize(units.blank(320, 32), units.blank(4112, 32)) == 0 and units.done() == FAILED


@pytest.mark.parametrize("soc", CHIPS)
def test_formats_of_each_chip(soc: str) -> None:
    units = board(soc)
    old = soc in (OLD, FIRST_TRAINING)
    for format in (*range(18), 1000, 1001, 18, 20, 10000, -1):
        taken = format in range(18) or (format in (1000, 1001) and not old)
        given = format in ((1, 2) if old else (0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17))
        source = changed(units, units.picture(NV12, 64, 32, (256, 32), 256 * 32 * 4), format=format)
        target = changed(units, units.picture(NV12, 64, 32, (256, 32), 256 * 32 * 4), format=format)
        plain = units.blank(64, 32)
        assert units.resize(source, plain) == (0 if taken else 100027), format
        assert units.resize(plain, target) == (0 if given else 100027), format
        assert units.done() == 0


# Colours and formats


COLOURS = np.array(
    [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [200, 100, 50], [128, 128, 128], [10, 250, 130]], np.uint8
)
BLOCKS = COLOURS.repeat(8, 0)[None].repeat(16, 0)
"""Eight columns of each colour, so that pictures with fewer chroma samples keep them."""


def packed(pixels: Array, format: int) -> bytes:
    """The bytes of a picture of 64 x 16 in a format, written here by hand; strides are those of the width."""
    if format in (12, 13):
        return bytes(pixels[..., :: 1 if format == 12 else -1].tobytes())
    if format in (14, 15, 16, 17):
        alpha = np.full((*pixels.shape[:2], 1), 255, np.uint8)
        order = {14: [3, 0, 1, 2], 15: [3, 2, 1, 0], 16: [0, 1, 2, 3], 17: [2, 1, 0, 3]}[format]
        return bytes(np.concatenate([pixels, alpha], -1)[..., order].tobytes())
    y, u, v = np.clip(np.rint(np.moveaxis(yuv(pixels), -1, 0)), 0, 255).astype(np.uint8)
    if format == 11:
        return bytes(np.stack([y, u, v], -1).tobytes())
    if format in (7, 8, 9, 10):
        parts = {"Y0": y[:, ::2], "Y1": y[:, 1::2], "U": u[:, ::2], "V": v[:, ::2]}
        names = {7: "Y0 U Y1 V", 8: "U Y0 V Y1", 9: "Y0 V Y1 U", 10: "V Y0 U Y1"}[format].split()
        return bytes(np.stack([parts[name] for name in names], -1).tobytes())
    if format == 0:
        return y.tobytes()
    rows, columns = {1: (2, 2), 2: (2, 2), 3: (1, 2), 4: (1, 2), 5: (1, 1), 6: (1, 1), 1000: (2, 1), 1001: (2, 1)}[format]
    pair = (u, v) if format in (1, 3, 5, 1000) else (v, u)
    return bytes(y.tobytes() + np.stack([each[::rows, ::columns] for each in pair], -1).tobytes())


def convert(units: Units, source: int, target: int) -> int:
    return int(units.media.dvpp_vpc_convert_color_async(units.channel, source, target, units.stream))


def given(units: Units, pixels: Array, format: int) -> int:
    data = packed(pixels, format)
    pixel = {7: 2, 8: 2, 9: 2, 10: 2, 11: 3, 12: 3, 13: 3, 14: 4, 15: 4, 16: 4, 17: 4}.get(format, 1)
    return units.picture(format, 64, 16, (64 * pixel, 16), len(data), data)


@pytest.mark.parametrize("format", [*range(1, 18), 1000, 1001])
def test_reading_every_format(units: Units, format: int) -> None:
    target = units.blank(64, 16, RGB)
    assert convert(units, given(units, BLOCKS, format), target) == units.done() == 0
    found = units.bytes(target).reshape(16, 64, 3).astype(int)[:, 2::8]  # away from the edges of the colours
    assert np.abs(found - BLOCKS[:, 2::8]).max() <= 3


@pytest.mark.parametrize("format", [0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17])
@pytest.mark.parametrize("source", [RGB, 5])
def test_writing_every_format(units: Units, format: int, source: int) -> None:
    target = units.blank(64, 16, format)
    assert convert(units, given(units, BLOCKS, source), target) == units.done() == 0
    expected = np.frombuffer(packed(BLOCKS, format), np.uint8).astype(int)
    assert np.abs(units.bytes(target)[: len(expected)] - expected).max() <= 3


@pytest.mark.parametrize(
    ("matrix", "red", "white"),
    [
        (0, (76, 85, 255), (255, 128, 128)),
        (1, (81, 90, 240), (235, 128, 128)),
        (2, (54, 99, 255), (255, 128, 128)),
        (3, (63, 102, 240), (235, 128, 128)),
        (4, (67, 92, 255), (255, 128, 128)),
        (5, (74, 97, 240), (235, 128, 128)),
    ],
)
def test_matrices_of_colours(units: Units, matrix: int, red: tuple[int, ...], white: tuple[int, ...]) -> None:
    media = units.media
    assert media.dvpp_get_channel_desc_param(units.channel, 0) == (4, 0, 0)
    assert media.dvpp_set_channel_desc_param(units.channel, 0, matrix) == (units.channel, 0)
    assert media.dvpp_get_channel_desc_param(units.channel, 0) == (4, matrix, 0)
    target, back = units.blank(64, 16, 11), units.blank(64, 16, RGB)
    assert convert(units, given(units, BLOCKS, RGB), target) == convert(units, target, back) == units.done() == 0
    found = units.bytes(target).reshape(16, 64, 3)
    for place, expected in ((0, red), (24, white)):
        assert np.abs(found[0, place].astype(int) - expected).max() <= 1
    assert np.abs(units.bytes(back).astype(int) - BLOCKS.ravel()).max() <= 3
    assert media.dvpp_set_channel_desc_param(units.channel, 0, 6)[1] == 100000
    assert media.dvpp_set_channel_desc_param(units.channel, 1, 0)[1] == 100000


def test_converting_takes_its_size_from_the_input(units: Units) -> None:
    target = changed(units, units.blank(64, 16, RGB), width=0, height=0, width_stride=0, height_stride=0)
    assert convert(units, given(units, BLOCKS, 5), target) == units.done() == 0
    assert [units.get(target, name) for name in ("width", "height", "width_stride", "height_stride")] == [64, 16, 192, 16]
    assert convert(units, given(units, BLOCKS, 5), units.blank(62, 16, RGB)) == 0
    assert units.done() == FAILED


def test_gray_is_converted_to_gray_on_a_310p() -> None:
    for soc, code in ((INFERENCE, FAILED), (TRAINING, 0)):
        units = board(soc)
        assert convert(units, given(units, BLOCKS, 0), units.blank(64, 16, RGB)) == 0 and units.done() == code
        assert convert(units, given(units, BLOCKS, 0), units.blank(64, 16, 0)) == 0 and units.done() == 0


def test_alpha_is_kept_and_scaled(units: Units) -> None:
    pixels = np.dstack([BLOCKS, np.arange(64, dtype=np.uint8)[None].repeat(16, 0)])
    source = units.picture(16, 64, 16, (256, 16), pixels.size, pixels.tobytes())
    target = units.blank(32, 16, 17)
    assert units.resize(source, target, 2) == units.done() == 0
    found = units.bytes(target).reshape(16, 32, 4)
    assert (found[..., 3] == np.arange(0, 64, 2)).all() and (found[..., [2, 1, 0]] == BLOCKS[:, ::2]).all()


# Regions


def region(units: Units, left: int, right: int, top: int, bottom: int) -> int:
    return int(units.media.dvpp_create_roi_config(left, right, top, bottom))


def coordinates(units: Units, format: int = NV12) -> tuple[int, Array]:
    """A picture of 96 x 64 whose luma says where it is."""
    luma = (np.arange(96)[None] + np.arange(64)[:, None] * 2).astype(np.uint8)
    return units.nv12(luma, luma[::2, ::2], 255 - luma[::2, ::2], format), luma


def test_cropping(units: Units) -> None:
    source, luma = coordinates(units, NV21)
    target = units.blank(32, 16)
    assert units.media.dvpp_vpc_crop_async(units.channel, source, target, region(units, 20, 51, 10, 25), units.stream) == 0
    assert units.done() == 0
    y, u, v = units.planes(target)
    assert (y == luma[10:26, 20:52]).all() and (u == luma[10:26:2, 20:52:2]).all() and (v == 255 - u).all()


def test_cropping_scales_where_sizes_differ(units: Units) -> None:
    source, luma = coordinates(units)
    target, config = units.blank(16, 16), units.media.dvpp_create_resize_config()
    units.media.dvpp_set_resize_config_interpolation(config, 2)
    area = region(units, 32, 63, 0, 31)
    assert units.media.dvpp_vpc_crop_resize_async(units.channel, source, target, area, config, units.stream) == units.done() == 0
    assert (units.planes(target)[0] == luma[0:32:2, 32:64:2]).all()
    assert units.media.dvpp_vpc_crop_async(units.channel, source, target, area, units.stream) == units.done() == 0
    assert np.abs(units.planes(target)[0] - luma[:32, 32:64].reshape(16, 2, 16, 2).mean((1, 3))).max() <= 0.5


def test_pasting_leaves_what_is_around(units: Units) -> None:
    source, luma = coordinates(units)
    target, config = units.blank(96, 64), units.media.dvpp_create_resize_config()
    crop, paste = region(units, 0, 31, 0, 15), region(units, 48, 79, 20, 35)
    for call in (
        lambda: units.media.dvpp_vpc_crop_and_paste_async(units.channel, source, target, crop, paste, units.stream),
        lambda: units.media.dvpp_vpc_crop_resize_paste_async(units.channel, source, target, crop, paste, config, units.stream),
    ):
        units.bytes(target)[:] = 7
        assert call() == units.done() == 0
        y, u, v = (each.copy() for each in units.planes(target))
        assert (y[20:36, 48:80] == luma[:16, :32]).all() and (u[10:18, 24:40] == luma[:16:2, :32:2]).all()
        assert (v[10:18, 24:40] == 255 - luma[:16:2, :32:2]).all()
        y[20:36, 48:80] = u[10:18, 24:40] = v[10:18, 24:40] = 7
        assert set(y.ravel()) == set(u.ravel()) == set(v.ravel()) == {7}


@pytest.mark.parametrize(
    ("crop", "paste", "failing"),
    [
        ((0, 31, 0, 15), (0, 31, 0, 15), ()),
        ((1, 32, 0, 15), (0, 31, 0, 15), (OLD, FIRST_TRAINING)),
        ((0, 30, 0, 15), (0, 31, 0, 15), (OLD, FIRST_TRAINING)),
        ((0, 31, 1, 16), (0, 31, 0, 15), (OLD, FIRST_TRAINING)),
        ((0, 31, 0, 14), (0, 31, 0, 15), (OLD, FIRST_TRAINING)),
        ((0, 31, 0, 15), (2, 31, 0, 15), (OLD, FIRST_TRAINING, INFERENCE)),
        ((0, 31, 0, 15), (16, 47, 1, 16), (OLD, FIRST_TRAINING)),
        ((0, 97, 0, 15), (0, 31, 0, 15), CHIPS),
        ((0, 31, 0, 65), (0, 31, 0, 15), CHIPS),
        ((0, 31, 0, 15), (80, 111, 0, 15), CHIPS),
        ((32, 31, 0, 15), (0, 31, 0, 15), CHIPS),
        ((0, 7, 0, 15), (0, 31, 0, 15), CHIPS),
        ((0, 31, 0, 3), (0, 31, 0, 15), CHIPS),
        ((0, 31, 0, 15), (0, 7, 0, 15), CHIPS),
    ],
)
def test_regions_of_each_chip(crop: tuple[int, ...], paste: tuple[int, ...], failing: tuple[str, ...]) -> None:
    for soc in CHIPS:
        units = board(soc)
        source, _ = coordinates(units)
        areas = [region(units, *edges) for edges in (crop, paste)]
        target = units.blank(96, 64)
        assert units.media.dvpp_vpc_crop_and_paste_async(units.channel, source, target, *areas, units.stream) == 0
        assert units.done() == (FAILED if soc in failing else 0), soc


# Batches


def batch(units: Units, descs: list[int]) -> int:
    """A batch whose descriptions say what these do."""
    made = units.media.dvpp_create_batch_pic_desc(len(descs))
    for place, desc in enumerate(descs):
        inner = units.media.dvpp_get_pic_desc(made, place)
        changed(
            units,
            inner,
            **{name: units.get(desc, name) for name in ("data", "size", "format", "width", "height", "width_stride", "height_stride")},
        )
    return int(made)


def batches(units: Units) -> tuple[int, int, list[int], list[int], Array]:
    one, luma = coordinates(units)
    other, _ = coordinates(units, NV21)
    targets = [units.blank(32, 16) for _ in range(3)]
    crops = [region(units, 0, 31, 0, 15), region(units, 32, 63, 16, 31), region(units, 64, 95, 32, 47)]
    return batch(units, [one, other]), batch(units, targets), targets, crops, luma


def test_batches(units: Units) -> None:
    sources, results, targets, crops, luma = batches(units)
    media, config = units.media, units.media.dvpp_create_resize_config()
    pastes = [region(units, 0, 31, 0, 15) for _ in range(3)]
    for call, answer in (
        (lambda: media.dvpp_vpc_batch_crop_async(units.channel, sources, [2, 1], results, crops, units.stream), (results, 0)),
        (
            lambda: media.dvpp_vpc_batch_crop_and_paste_async(units.channel, sources, [2, 1], results, crops, pastes, units.stream),
            (results, 0),
        ),
        (lambda: media.dvpp_vpc_batch_crop_resize_async(units.channel, sources, [2, 1], results, crops, config, units.stream), 0),
        (
            lambda: media.dvpp_vpc_batch_crop_resize_paste_async(
                units.channel, sources, [2, 1], results, crops, pastes, config, units.stream
            ),
            0,
        ),
    ):
        for target in targets:
            units.bytes(target)[:] = 0
        assert call() == answer and units.done() == 0
        for target, (left, top) in zip(targets, ((0, 0), (32, 16), (64, 32)), strict=True):
            y, u, _ = units.planes(target)
            assert (y == luma[top : top + 16, left : left + 32]).all() and (u == y[::2, ::2]).all()


def test_batches_that_are_refused(units: Units) -> None:
    sources, results, _, crops, _ = batches(units)
    media, config, stream = units.media, units.media.dvpp_create_resize_config(), units.stream
    crop = media.dvpp_vpc_batch_crop_async
    for numbers in ([3], [1, 1], [2, 2], [1, 1, 1], [0, 0]):
        assert crop(units.channel, sources, numbers, results, crops, stream) == (results, 100000)
        assert media.dvpp_vpc_batch_crop_resize_async(units.channel, sources, numbers, results, crops, config, stream) == 100000
    assert crop(units.channel, sources, [2, 1], results, crops[:2], stream) == (results, 100000)
    assert crop(units.channel, sources, [2, 1], results, [*crops[:2], 0], stream) == (results, 100000)
    assert crop(units.channel, 0, [2, 1], results, crops, stream) == (results, 100000)
    assert crop(units.channel, sources, [2, 1], 0, crops, stream) == (0, 100000)
    for numbers, areas in (([], crops), ([2, 1], []), ([2, 257], crops), ([2, 1], crops * 100)):
        with pytest.raises(ValueError, match="number of crop areas must be between 1 and 256"):
            crop(units.channel, sources, numbers, results, areas, stream)
    with pytest.raises(TypeError, match="argument 3 or 5 is not list"):
        crop(units.channel, sources, (2, 1), results, crops, stream)
    with pytest.raises(TypeError, match="argument 5 is not list"):
        media.dvpp_vpc_batch_crop_resize_async(units.channel, sources, [2, 1], results, tuple(crops), config, stream)
    with pytest.raises(TypeError, match="the list argument is not list of int"):
        crop(units.channel, sources, [2, 1], results, ["0"] * 3, stream)
    assert units.done() == 0


# Borders and tables


def border(units: Units, kind: int, edges: tuple[int, int, int, int], values: tuple[float, ...] = ()) -> int:
    config = units.media.dvpp_create_border_config()
    assert units.media.dvpp_set_border_config_border_type(config, kind) == 0
    for name, value in zip(("top", "bottom", "left", "right"), edges, strict=True):
        assert getattr(units.media, f"dvpp_set_border_config_{name}")(config, value) == 0
    for index, value in enumerate(values):
        assert units.media.dvpp_set_border_config_value(config, index, value) == 0
    return int(config)


@pytest.mark.parametrize(("kind", "mode"), [(0, "constant"), (1, "edge"), (2, "symmetric"), (3, "reflect")])
def test_borders(units: Units, kind: int, mode: Any) -> None:
    pixels = photograph(64, 32)
    source = units.picture(13, 64, 32, (192, 32), pixels.size, pixels[..., ::-1].tobytes())
    target, edges = units.blank(80, 42, 13), (4, 6, 9, 7)
    config = border(units, kind, edges, (1.0, 2.0, 3.0))
    assert units.media.dvpp_vpc_make_border_async(units.channel, source, target, config, units.stream) == units.done() == 0
    found = units.bytes(target).reshape(42, 80, 3)
    widths = ((4, 6), (9, 7))
    for place in range(3):
        plain = pixels[..., ::-1][..., place]
        expected = np.pad(plain, widths, constant_values=place + 1) if kind == 0 else np.pad(plain, widths, mode=mode)
        assert (found[..., place] == expected).all()


def test_borders_of_yuv_and_what_fails(units: Units) -> None:
    source, luma = coordinates(units)
    good = border(units, 0, (2, 2, 4, 4), (16.0, 100.0, 200.0))
    target = units.blank(104, 68)
    call = units.media.dvpp_vpc_make_border_async
    assert call(units.channel, source, target, good, units.stream) == units.done() == 0
    y, u, v = units.planes(target)
    assert (y[2:66, 4:100] == luma).all() and y[0, 0] == 16 and (u[0] == 100).all() and (v[:, 0] == 200).all()
    for edges in ((1, 3, 4, 4), (2, 2, 3, 5), (2, 2, 4, 6), (40, 26, 4, 4), (0, 0, 0, 0)):
        assert call(units.channel, source, target, border(units, 0, edges), units.stream) == 0
        assert units.done() == FAILED, edges
    assert call(units.channel, source, target, 0, units.stream) == 100000


def test_a_batch_with_borders(units: Units) -> None:
    sources, _, _, crops, luma = batches(units)
    targets = [units.blank(40, 20) for _ in range(3)]
    results, config = batch(units, targets), units.media.dvpp_create_resize_config()
    borders = [border(units, 1, (2, 2, 4, 4))] * 3
    call = units.media.dvpp_vpc_batch_crop_resize_make_border_async
    assert call(units.channel, sources, [2, 1], results, crops, borders, config, units.stream) == units.done() == 0
    assert (units.planes(targets[1])[0] == np.pad(luma[16:32, 32:64], ((2, 2), (4, 4)), mode="edge")).all()
    with pytest.raises(TypeError, match="the sixth argument is not list"):
        call(units.channel, sources, [2, 1], results, crops, None, config, units.stream)


def test_tables_of_values(units: Units) -> None:
    acl, media = units.acl, units.media
    tables = media.dvpp_create_lut_map()
    assert media.dvpp_get_lut_map_dims(tables) == 3
    for dim in range(3):
        address, length, ret = media.dvpp_get_lut_map_data(tables, dim)
        assert (length, ret) == (256, 0)
        table = ((np.arange(256) + dim + 1) % 256).astype(np.uint8).tobytes()
        assert acl.rt.memcpy(address, 256, acl.util.bytes_to_ptr(table), 256, 0) == 0
    assert media.dvpp_get_lut_map_data(tables, 3) == (0, 0, 100000)
    source, luma = coordinates(units)
    target = units.blank(96, 64)
    assert media.dvpp_vpc_equalize_hist_async(units.channel, source, target, tables, units.stream) == units.done() == 0
    y, u, v = units.planes(target)
    assert (y == luma + np.uint8(1)).all() and (u == luma[::2, ::2] + np.uint8(2)).all() and (v == 255 - luma[::2, ::2] + np.uint8(3)).all()
    assert media.dvpp_vpc_equalize_hist_async(units.channel, source, units.blank(96, 64, NV21), tables, units.stream) == 100027
    assert media.dvpp_vpc_equalize_hist_async(units.channel, source, units.blank(94, 64), tables, units.stream) == 0
    assert units.done() == FAILED


def counts(units: Units, hist: int) -> Array:
    lines = [units.media.dvpp_get_hist_data(hist, dim) for dim in range(3)]
    return np.stack([np.frombuffer(units.acl.util.ptr_to_bytes(address, length * 4), np.uint32) for address, length, _ in lines])


@pytest.mark.parametrize("format", [12, 13, 0, 5])
def test_counting_values(units: Units, format: int) -> None:
    media, hist = units.media, units.media.dvpp_create_hist()
    assert media.dvpp_vpc_calc_hist_async(units.channel, given(units, BLOCKS, format), hist, 0, units.stream) == 0
    assert not counts(units, hist).any(), "nothing ran yet"
    assert units.done() == 0
    data = np.frombuffer(packed(BLOCKS, format), np.uint8)
    if format == 0:
        parts = [data]
    elif format == 5:
        parts = [data[:1024], data[1024::2], data[1025::2]]
    else:
        parts = [data[place::3] for place in range(3)]
    assert media.dvpp_get_hist_dims(hist) == len(parts) and media.dvpp_get_hist_ret_code(hist) == 0
    for found, part in zip(counts(units, hist), parts, strict=False):
        assert (found == np.bincount(part, minlength=256)).all()
    assert media.dvpp_clear_hist(hist) == 0 and not counts(units, hist).any()
    assert media.dvpp_vpc_calc_hist_async(units.channel, given(units, BLOCKS, format), hist, 1, units.stream) == 100000
    assert media.dvpp_get_hist_data(hist, 3) == (0, 0, 100000)
    assert media.dvpp_vpc_calc_hist_async(units.channel, given(units, BLOCKS, 16), hist, 0, units.stream) == 100027


def test_pyramids_of_the_310p() -> None:
    units = board(INFERENCE)
    rng = np.random.default_rng(5)
    luma = rng.integers(0, 256, (32, 64), np.uint8)
    source = units.picture(0, 64, 32, (64, 32), luma.size, luma.tobytes())
    target = changed(units, units.blank(32, 16, 0), width=0, height=0)
    call = units.media.dvpp_vpc_pyr_down_async
    assert call(units.channel, source, target, 0, units.stream) == units.done() == 0
    weights = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
    padded = np.pad(luma.astype(float), 2, mode="reflect")
    expected = np.array([[(padded[2 * r : 2 * r + 5, 2 * c : 2 * c + 5] * weights).sum() for c in range(32)] for r in range(16)])
    assert np.abs(units.bytes(target)[: 32 * 16].reshape(16, 32) - expected).max() <= 0.5001
    assert (units.get(target, "width"), units.get(target, "height")) == (32, 16)
    assert call(units.channel, source, target, 1, units.stream) == 100000
    assert call(units.channel, source, units.blank(30, 16, 0), 0, units.stream) == 0 and units.done() == FAILED
    assert call(units.channel, units.blank(64, 10, 0), units.blank(32, 6, 0), 0, units.stream) == 0 and units.done() == FAILED
    assert call(units.channel, source, units.blank(32, 16), 0, units.stream) == 100027


@pytest.mark.parametrize("soc", [*CHIPS, "Ascend950PR_9589"])
def test_functions_that_a_chip_lacks(soc: str) -> None:
    simulator.new_process()
    simulator.configure(soc=soc, profile="any")
    assert simulator.init() == 0 and simulator.rt.set_device(0) == 0
    if soc.startswith("Ascend950"):
        assert simulator.media.dvpp_create_channel(simulator.media.dvpp_create_channel_desc()) == 200001
        return
    units = Units(simulator)
    media, stream = units.media, units.stream
    old = soc in (OLD, FIRST_TRAINING)
    tables, hist, config = media.dvpp_create_lut_map(), media.dvpp_create_hist(), border(units, 0, (0, 0, 0, 0))
    source, target = units.blank(64, 32), units.blank(64, 32)
    fresh = media.dvpp_create_channel_desc()
    answers = [
        media.dvpp_set_channel_desc_mode(fresh, 1),
        convert(units, source, target),
        media.dvpp_vpc_make_border_async(units.channel, source, target, config, stream),
        media.dvpp_vpc_equalize_hist_async(units.channel, source, target, tables, stream),
        media.dvpp_vpc_calc_hist_async(units.channel, source, hist, 0, stream),
        media.dvpp_set_channel_desc_param(units.channel, 0, 1)[1],
        media.dvpp_get_channel_desc_param(units.channel, 0)[2],
    ]
    assert answers == [200001 if old else 0] * 7
    assert units.done() == 0
    pyramid = media.dvpp_vpc_pyr_down_async(units.channel, units.blank(64, 32, 0), units.blank(32, 16, 0), 0, stream)
    assert pyramid == (0 if soc == INFERENCE else 200001)


def test_a_picture_cropped_in_its_own_memory(units: Units) -> None:
    source, luma = coordinates(units)
    target = changed(units, units.blank(32, 16), data=units.get(source, "data"))
    assert units.media.dvpp_vpc_crop_async(units.channel, source, target, region(units, 20, 51, 10, 25), units.stream) == units.done() == 0
    assert (units.planes(target)[0] == luma[10:26, 20:52]).all()
