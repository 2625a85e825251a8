"""Tensors in notebooks: what the HTML says, and that it costs a bounded copy and no launch."""

from __future__ import annotations

import base64
import re
import time
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import rendering, simulator
from ascendtensor.html import block, facts, table
from ascendtensor.models.tensors import ModelTensors

RNG = np.random.default_rng(0)
RAMP = np.linspace(0, 1, 200)
IMAGE = np.stack([np.outer(RAMP, np.ones(200)), np.outer(np.ones(200), RAMP), np.outer(RAMP, RAMP)], -1)


class Balanced(HTMLParser):
    """Fails on a tag that is closed in the wrong place."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag != "script"
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def html(value: object) -> str:
    text: str = value._repr_html_()  # type: ignore[attr-defined]
    Balanced(text)
    return text


TENSORS = {
    "matrix": lambda: at.tensor(RNG.normal(size=(6, 7)).astype(np.float32)),
    "large matrix": lambda: at.zeros(3000, 2000),
    "large": lambda: at.arange(1_000_000),
    "view": lambda: at.zeros(500, 400).T[::2, ::3],
    "image of bytes": lambda: at.tensor((IMAGE * 255).astype(np.uint8)),
    "image of floats": lambda: at.tensor(IMAGE.transpose(2, 0, 1).astype(np.float32)),
    "image turned round": lambda: at.tensor((IMAGE * 255).astype(np.uint8))[:, ::-1],
    "complex": lambda: at.ones(3, 4, dtype=at.complex128),
    "bool": lambda: at.ones(3, 3, dtype=at.bool),
    "bfloat16": lambda: at.ones(200, 100, dtype=at.bfloat16),
    "empty": lambda: at.empty(0, 3),
    "0-d": lambda: at.tensor(2.5),
    "no finite number": lambda: at.full((2, 2), float("nan")),
    "extremes": lambda: at.tensor(np.array([[1e308, -1e308], [0.0, 5e-324]])),
    "a step back": lambda: at.arange(10000).flip(0)[::2],
}


@pytest.mark.parametrize("name", TENSORS)
def test_the_copy_is_bounded_and_nothing_is_launched(name: str) -> None:
    tensor = TENSORS[name]()
    at.synchronize()
    before = at.memory_stats()["to_host"], at.handle_cache.launches(), at.handle_cache.info().loaded_models
    text = html(tensor)
    assert at.memory_stats()["to_host"] - before[0] < 64 << 10
    assert (at.handle_cache.launches(), at.handle_cache.info().loaded_models) == before[1:]
    assert f"{tensor.dtype.name}{list(tensor.shape)} on npu:0" in text
    assert len(text) < 40_000


def test_statistics_are_those_of_the_values() -> None:
    x = np.array([[1.0, 2.0, np.nan], [4.0, np.inf, 5.0]])
    text = html(at.tensor(x))
    assert "min 1, max 5, mean 3, std 1.581" in text and "1 NaN, 1 inf" in text and "sample" not in text
    assert text.count("<rect") == 4 and "histogram from 1 to 5" in text


def test_a_sample_is_said_to_be_one() -> None:
    text = html(at.arange(1_000_000))
    assert re.search(r"in a sample of [\d,]+ of 1,000,000 elements", text) and "max 1e+06" in text


def pixels(text: str) -> np.ndarray:  # type: ignore[type-arg]
    """The picture in the text, decoded by hand."""
    found = re.search(r"data:image/png;base64,([\w+/=]+)", text)
    assert found
    data = base64.b64decode(found.group(1))
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    start = data.index(b"IDAT") + 4
    size = int.from_bytes(data[start - 8 : start - 4], "big")
    assert zlib.crc32(data[start - 4 : start + size]) == int.from_bytes(data[start + size : start + size + 4], "big")
    lines = np.frombuffer(zlib.decompress(data[start : start + size]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


@pytest.mark.parametrize("name", ["image of bytes", "image of floats"])
def test_previews_have_the_corners_of_the_image(name: str) -> None:
    found = pixels(html(TENSORS[name]())).astype(int)
    assert found.shape == (67, 67, 3) if "bytes" in name else (50, 50, 3)
    corners = {(0, 0): [0, 0, 0], (-1, -1): [255, 255, 255], (0, -1): [0, 255, 0], (-1, 0): [255, 0, 0]}
    for place, colour in corners.items():
        assert abs(found[place] - colour).max() < 10, place  # the last line and column are not among every third or fourth


def test_previews_keep_the_form_of_the_image_and_read_each_pixel_from_its_place() -> None:
    lines, columns = np.mgrid[:300, :700]
    x = np.stack([lines % 256, columns % 256, (lines + columns) % 256], -1).astype(np.uint8)
    scaled = at.tensor(x) / 255
    for tensor in (at.tensor(x), at.tensor(x).permute(2, 0, 1), scaled.permute(2, 0, 1).contiguous(), scaled[::1], scaled.flip(0).flip(0)):
        before = at.memory_stats()["to_host"]
        text = html(tensor)
        found = pixels(text)
        step = -(-700 // found.shape[1])
        assert np.array_equal(found, x[::step, ::step]) and 'width="320" height="137"' in text
        assert at.memory_stats()["to_host"] - before < 64 << 10


def test_a_small_image_is_shown_as_it_is() -> None:
    small = (IMAGE[::10, ::10] * 255).astype(np.uint8)
    assert np.array_equal(pixels(html(at.tensor(small))), small)


def test_floats_beyond_1_are_no_image() -> None:
    assert "<img" not in html(at.tensor((IMAGE * 3).astype(np.float32)))


def test_heat_strips_go_from_dark_to_bright_and_mark_what_is_not_finite() -> None:
    found = pixels(html(at.tensor([[0.0, 1.0], [2.0, float("nan")]])))
    assert found[0, 0].tolist() == [68, 1, 84] and found[1, 0].tolist() == [253, 231, 37] and found[1, 1].tolist() == [209, 36, 47]
    assert pixels(html(TENSORS["large matrix"]().fill_(1.0)[:, :1999] * at.arange(1999))).shape == (*rendering.HEAT_OF_SAMPLE, 3)


def test_a_tensor_of_1e8_elements_is_shown_quickly() -> None:
    x = at.zeros(10_000, 10_000, dtype=at.uint8)
    at.synchronize()
    for show in (repr, html):
        spent = []
        for _ in range(5):
            began = time.process_time()
            show(x)
            spent.append(time.process_time() - began)
        assert min(spent) < 0.02, spent


def test_a_tensor_from_before_shutdown() -> None:
    x = at.ones(3)
    at.shutdown()
    assert "from before shutdown()" in html(x)


def test_tables_of_devices_memory_and_handles() -> None:
    x = at.ones(3) + 1
    assert "loaded models" in html(at.handle_cache) and "loaded models" in html(at.handle_cache.info())
    assert "Ascend910B1" in html(x.device) and "in use" in html(x.device)
    assert "peak allocated" in html(at.memory_stats())
    assert html(ModelTensors(()))


def test_names_are_escaped() -> None:
    text = block(table(["<a>", "x", "y"], [["<b>", 1.5, 1000], ["b", 2.0, "3.1 KiB"]], "<c>"), facts([("<d>", "&")], "<e>"))
    Balanced(text)
    assert "&lt;a&gt;" in text and "&lt;b&gt;" in text and "&lt;c&gt;" in text
    assert "1,000" in text and "&lt;d&gt;" in text and "prefers-color-scheme" in text and "--jp-" in text


def test_columns_of_numbers_stand_to_the_right() -> None:
    text = table(["name", "bytes", "mixed"], [["a", "3.1 KiB", 1], ["b", "-", "two"]])
    assert re.findall(r'<t[hd] class="n">([^<]*)', text) == ["bytes", "3.1 KiB", "-"]


def test_values_are_folded_beside_a_picture_and_left_out_of_many_dimensions() -> None:
    assert "<details open>" in html(at.ones(40)) and "<details>" in html(TENSORS["image of bytes"]())
    deep = at.zeros((8,) * 6)
    before = at.memory_stats()["to_host"]
    text = html(deep)
    assert "print() shows 46,656 of them" in text and at.memory_stats()["to_host"] - before < 64 << 10


def test_a_chip_without_strided_copies_gets_a_coarse_preview() -> None:
    x = TENSORS["image of bytes"]()
    with simulator.faults.plan("acl.rt.memcpy2d", code=207000, repeat=True):
        assert pixels(html(x)).shape == (8, 8, 3)
    assert pixels(html(x)).shape == (67, 67, 3)


def test_a_small_board_shows_previews_too(board: None) -> None:
    found = pixels(html(TENSORS["image of floats"]()))
    assert found[0, 0].tolist() == [0, 0, 0] and found[-1, -1].tolist() == [255, 255, 255]
