"""Descriptions and configurations of the image units, their lives and those of their tasks (`acl.media`)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from media_program import FAILED, NV12, Units, jpeg, photograph

from ascendtensor import simulator

PAIRS = ["channel_desc", "pic_desc", "resize_config", "jpege_config", "border_config", "lut_map", "hist"]


@pytest.fixture
def units(acl: ModuleType) -> Units:
    return Units(acl)


@pytest.fixture
def strict(acl: ModuleType) -> Any:
    simulator.strict()
    yield acl
    simulator.strict(False)


def kinds() -> list[str]:
    return [finding.kind for finding in simulator.findings()]


@pytest.mark.parametrize("name", PAIRS)
def test_made_and_destroyed(acl: ModuleType, name: str) -> None:
    create, destroy = (getattr(acl.media, f"dvpp_{verb}_{name}") for verb in ("create", "destroy"))
    before = sum(simulator.tables().values())
    handle = create()
    assert handle and handle != create()
    assert sum(simulator.tables().values()) == before + 2
    assert destroy(handle) == 0
    assert destroy(0) == 100000 and kinds() == []
    assert destroy(handle) == 100000 and kinds() == ["use after destroy"]
    assert len([leak for leak in simulator.leaks() if "dvpp_" in leak.text]) == 1


@pytest.mark.parametrize("name", ["data", "size", "format", "width", "height", "width_stride", "height_stride", "ret_code"])
def test_pictures_keep_what_is_set(acl: ModuleType, name: str) -> None:
    change, tell = (getattr(acl.media, f"dvpp_{verb}_pic_desc_{name}") for verb in ("set", "get"))
    desc = acl.media.dvpp_create_pic_desc()
    assert tell(desc) == 0
    assert change(desc, 1001) == 0 and tell(desc) == 1001
    assert change(0, 1) == 100000 and tell(0) == 0
    large = {"data": (1 << 64) - 1, "format": -1}.get(name, (1 << 32) - 1)
    assert change(desc, -1) == 0 and tell(desc) == large
    acl.media.dvpp_destroy_pic_desc(desc)
    assert change(desc, 1) == 100000 and tell(desc) == 0
    assert kinds() == ["use after destroy"]  # of one line


def test_configurations_keep_what_is_set(acl: ModuleType) -> None:
    media = acl.media
    resize, level, border = media.dvpp_create_resize_config(), media.dvpp_create_jpege_config(), media.dvpp_create_border_config()
    assert media.dvpp_get_resize_config_interpolation(resize) == 0
    assert media.dvpp_set_resize_config_interpolation(resize, 2) == 0 and media.dvpp_get_resize_config_interpolation(resize) == 2
    assert media.dvpp_get_jpege_config_level(level) == 100
    assert media.dvpp_set_jpege_config_level(level, 30) == 0 and media.dvpp_get_jpege_config_level(level) == 30
    assert media.dvpp_get_jpege_config_level(0) == media.dvpp_get_resize_config_interpolation(0) == 0
    for name in ("top", "bottom", "left", "right"):
        assert getattr(media, f"dvpp_set_border_config_{name}")(border, 7) == 0
        assert getattr(media, f"dvpp_get_border_config_{name}")(border) == 7
    assert media.dvpp_set_border_config_border_type(border, 3) == 0 and media.dvpp_get_border_config_border_type(border) == 3
    assert media.dvpp_set_border_config_border_type(border, 4) == 100000
    assert media.dvpp_set_border_config_value(border, 3, 1.5) == 0 and media.dvpp_get_border_config_value(border, 3) == 1.5
    assert media.dvpp_set_border_config_value(border, 4, 1.5) == 100000 and media.dvpp_get_border_config_value(border, 4) == 0.0


def test_regions(units: Units) -> None:
    media = units.media
    area = media.dvpp_create_roi_config(5, 5, 5, 5)
    assert media.dvpp_set_roi_config(area, 0, 1, 0, 1) == 0
    for name, value in (("left", 32), ("right", 63), ("top", 16), ("bottom", 31)):
        assert getattr(media, f"dvpp_set_roi_config_{name}")(area, value) == 0
    luma = np.arange(64, dtype=np.uint8)[None].repeat(32, 0)
    source, target = units.nv12(luma, luma[::2, ::2], luma[::2, ::2]), units.blank(32, 16)
    assert media.dvpp_vpc_crop_async(units.channel, source, target, area, units.stream) == units.done() == 0
    assert (units.planes(target)[0] == np.arange(32, 64)).all()
    assert media.dvpp_destroy_roi_config(area) == 0
    assert media.dvpp_vpc_crop_async(units.channel, source, target, area, units.stream) == 100000


def test_batches(acl: ModuleType) -> None:
    media = acl.media
    assert media.dvpp_create_batch_pic_desc(0) == media.dvpp_create_batch_pic_desc(257) == 0
    batch = media.dvpp_create_batch_pic_desc(256)
    inner = media.dvpp_get_pic_desc(batch, 255)
    assert inner == media.dvpp_get_pic_desc(batch, 255) != media.dvpp_get_pic_desc(batch, 0)
    assert media.dvpp_get_pic_desc(batch, 256) == media.dvpp_get_pic_desc(0, 0) == 0
    assert media.dvpp_set_pic_desc_width(inner, 5) == 0 and media.dvpp_get_pic_desc_width(inner) == 5
    assert media.dvpp_destroy_pic_desc(inner) == 100000, "it lives with the batch"
    assert media.dvpp_destroy_batch_pic_desc(batch) == 0
    assert media.dvpp_get_pic_desc_width(inner) == 0
    assert not any(count for name, count in simulator.tables().items() if name.startswith("dvpp"))


# Channels


def test_channels_are_opened_and_closed(acl: ModuleType) -> None:
    media = acl.media
    desc, other = media.dvpp_create_channel_desc(), media.dvpp_create_channel_desc()
    assert media.dvpp_destroy_channel(desc) == 100000
    assert media.dvpp_create_channel(desc) == media.dvpp_create_channel(other) == 0
    assert media.dvpp_get_channel_desc_channel_id(desc) != media.dvpp_get_channel_desc_channel_id(other)
    assert media.dvpp_create_channel(desc) == 100000
    assert media.dvpp_destroy_channel(desc) == 0 and media.dvpp_destroy_channel(desc) == 100000
    assert media.dvpp_create_channel(desc) == 0
    assert media.dvpp_create_channel(0) == media.dvpp_destroy_channel(0) == 100000
    assert kinds() == []
    assert media.dvpp_destroy_channel_desc(desc) == 0
    assert kinds() == ["leak"], "its channel is open"


def test_channels_need_a_device() -> None:
    simulator.new_process()
    simulator.init()
    assert simulator.media.dvpp_create_channel(simulator.media.dvpp_create_channel_desc()) == 107002


def test_modes_of_a_channel(acl: ModuleType) -> None:
    units = Units(acl, mode=2)
    desc, ret = units.decode(jpeg(photograph(64, 64)))
    assert (ret, units.done()) == (0, 0)
    assert units.resize(desc, units.blank(32, 32)) == 100000
    assert "was opened for mode 2" in units.said()
    assert units.media.dvpp_set_channel_desc_mode(units.channel, 1) == 100000, "it is open"
    closed = units.media.dvpp_create_channel_desc()
    assert units.media.dvpp_set_channel_desc_mode(closed, 0) == units.media.dvpp_set_channel_desc_mode(closed, 16) == 100000


# Tasks


def test_tasks_keep_their_order_on_a_stream(units: Units) -> None:
    pixels = photograph(64, 64)
    decoded, _ = units.decode(jpeg(pixels), strides=(64, 64))
    for name, value in (("width", 64), ("height", 64)):
        getattr(units.media, f"dvpp_set_pic_desc_{name}")(decoded, value)
    units.media.dvpp_set_pic_desc_width_stride(decoded, 64)
    small = units.blank(32, 32)
    assert units.resize(decoded, small) == 0
    assert set(units.bytes(small).tolist()) == {0x7B}
    assert units.done() == 0
    assert np.abs(units.planes(small)[0].astype(int) - units.planes(decoded)[0].reshape(32, 2, 32, 2).mean((1, 3))).max() <= 1


def test_what_is_set_later_does_not_change_a_queued_task(units: Units) -> None:
    luma = np.full((32, 64), 9, np.uint8)
    source, target = units.nv12(luma, luma[::2, ::2], luma[::2, ::2]), units.blank(64, 32)
    assert units.resize(source, target) == 0
    units.media.dvpp_set_pic_desc_width(source, 1)
    assert units.done() == 0 and (units.planes(target)[0] == 9).all()


def test_a_failed_task_does_not_stop_the_next(units: Units) -> None:
    source, target = units.blank(64, 32), units.blank(64, 32)
    wrong = units.blank(64, 32)
    units.media.dvpp_set_pic_desc_width_stride(wrong, 1)
    assert units.resize(source, wrong) == units.resize(source, target) == 0
    assert units.done() == FAILED
    assert units.get(target, "ret_code") == 0 and set(units.planes(target)[0].ravel().tolist()) == {0x7B}


@pytest.mark.parametrize(("unit", "code"), [("JPEGD", 507018), ("VPC", 507017)])
def test_planned_failures(units: Units, unit: str, code: int) -> None:
    with simulator.faults.kernel(unit, code=code) as plan:
        desc, ret = units.decode(jpeg(photograph(64, 64)))
        assert ret == 0
        first = units.done()
        assert units.resize(units.blank(64, 32), units.blank(64, 32)) == 0
        assert (first, units.done()) == ((code, 0) if unit == "JPEGD" else (0, code))
    assert plan.fired == 1 and desc


def test_work_in_flight_is_noticed(units: Units) -> None:
    media, acl = units.media, units.acl
    source, target = units.blank(64, 32), units.blank(64, 32)
    config = media.dvpp_create_resize_config()
    assert media.dvpp_vpc_resize_async(units.channel, source, target, config, units.stream) == 0
    output = units.get(target, "data")
    host = bytes(64)
    acl.rt.memcpy(acl.util.bytes_to_ptr(host), 64, output, 64, 2)
    assert kinds() == ["read too early"]
    acl.rt.memset(units.get(source, "data"), 64, 0, 64)
    assert kinds()[1:] == ["overwritten in flight"]
    media.dvpp_free(output)
    assert kinds()[2:] == ["freed in flight"]
    media.dvpp_destroy_pic_desc(source)
    media.dvpp_destroy_resize_config(config)
    media.dvpp_destroy_channel(units.channel)
    assert kinds()[3:] == ["handle destroyed in flight"] * 3
    assert "[VPC] queued on stream" in simulator.findings()[-1].text
    assert units.done() == 0
    media.dvpp_destroy_pic_desc(target)
    assert len(kinds()) == 6, "nothing is queued any more"


def test_a_channel_on_two_streams(units: Units) -> None:
    source, target = units.blank(64, 32), units.blank(64, 32)
    assert units.resize(source, target) == units.resize(source, target) == 0
    first, units.stream = units.stream, units.acl.rt.create_stream()[0]
    assert kinds() == []
    assert units.resize(source, target) == 0
    assert kinds() == ["channel on two streams"]
    assert units.acl.rt.synchronize_stream(first) == units.done() == 0
    assert units.resize(source, target) == units.done() == 0 and len(kinds()) == 1


def test_bytes_that_are_gone(units: Units) -> None:
    simulator.trace()
    data = jpeg(photograph(64, 64))
    pointer = units.acl.util.bytes_to_ptr(data)
    assert units.media.dvpp_jpeg_get_image_info(pointer, len(data))[3] == 0 and kinds() == []
    size = len(data)
    del data
    units.media.dvpp_jpeg_predict_dec_size(pointer, size, NV12)
    simulator.trace(False)
    assert kinds() == ["bytes that are gone"]


def test_work_behind_a_planned_failure_is_noticed_too(units: Units) -> None:
    with simulator.faults.kernel("VPC", nth=5):
        target = units.blank(64, 32)
        assert units.resize(units.blank(64, 32), target) == 0
        units.media.dvpp_destroy_pic_desc(target)
        assert kinds() == ["handle destroyed in flight"]
        assert units.done() == 0


def test_memory_of_the_units_is_not_freed_as_other_memory(units: Units) -> None:
    plain, _ = units.acl.rt.malloc(64, 0)
    assert units.media.dvpp_free(plain) == 0
    assert kinds() == ["memory of another kind"]
    address, ret = units.media.dvpp_malloc_with_cfg(64, 0, {})
    assert ret == 0 and units.media.dvpp_free(address) == 0 and len(kinds()) == 1
    address, ret = units.media.dvpp_malloc(64)
    assert ret == 0 and units.acl.rt.free(address) == 0
    assert kinds() == ["memory of another kind"] * 2


def test_an_orderly_program_leaves_nothing(strict: ModuleType) -> None:
    acl = strict
    media = acl.media
    units = Units(acl)
    desc, ret = units.decode(jpeg(photograph(64, 64)))
    assert (ret, units.done()) == (0, 0)
    for block in [block for block in simulator.leaks() if "device_memory" in block.text]:
        assert block.origin.startswith(__file__.replace("test_media_objects", "media_program"))
        assert media.dvpp_free(int(block.text.rpartition("[")[2].rstrip("]"), 16)) == 0
    assert media.dvpp_destroy_pic_desc(desc) == 0
    assert media.dvpp_destroy_channel(units.channel) == media.dvpp_destroy_channel_desc(units.channel) == 0
    assert acl.rt.destroy_stream(units.stream) == acl.rt.reset_device(0) == 0
    assert acl.finalize() == 0


def test_the_line_that_queued_the_work_is_told(units: Units) -> None:
    simulator.trace()
    target = units.blank(64, 32)
    units.resize(units.blank(64, 32), target)
    units.media.dvpp_free(units.get(target, "data"))
    simulator.trace(False)
    (finding,) = simulator.findings()
    assert finding.kind == "freed in flight" and "media_program.py" in finding.origin
    assert units.done() == 0


def test_handles_of_other_kinds_are_refused(units: Units) -> None:
    media = units.media
    desc = units.blank(64, 32)
    assert media.dvpp_vpc_resize_async(desc, desc, desc, desc, units.stream) == 100000
    assert media.dvpp_vpc_resize_async(units.channel, units.channel, desc, media.dvpp_create_resize_config(), units.stream) == 100000
    assert media.dvpp_get_pic_desc_width(units.channel) == 0
    assert media.dvpp_destroy_pic_desc(units.stream) == 100000


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("dvpp_malloc", "acl.media.dvpp_malloc args parse failed!"),
        ("dvpp_jpeg_decode_async", "acl.media.dvpp_jpeg_decode_async args parse failed"),
        ("dvpp_vpc_crop_resize_async", "acl.media.dvpp_vpc_crop_resize_async args parse failed"),
        ("dvpp_vpc_resize_async", "acl.media.dvpp_vpc_resize_async args parse failed!"),
        ("dvpp_set_border_config_top", "acl.media.dvpp_set_border_config_Top args parse failed!"),
        ("dvpp_get_jpege_config_level", "acl.media.dvpp_get_jpege_config_level args parse failed!"),
        ("dvpp_set_jpege_config_level", "acl.media.dvpp_set_jpege_config_level args parse failed"),
    ],
)
def test_texts_of_the_binding(acl: ModuleType, call: str, text: str) -> None:  # PY-2
    with pytest.raises(TypeError) as raised:
        getattr(acl.media, call)()
    assert str(raised.value) == text


def test_a_picture_in_nv12_is_what_a_program_thinks(units: Units) -> None:
    rows = np.arange(96 * 64, dtype=np.uint32).astype(np.uint8).reshape(96, 64)
    source = units.picture(NV12, 64, 64, (64, 64), rows.size, rows.tobytes())
    luma, u, v = units.planes(source)
    assert (luma == rows[:64]).all() and (u == rows[64:, ::2]).all() and (v == rows[64:, 1::2]).all()
