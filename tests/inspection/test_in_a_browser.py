"""What notebooks show, laid out and painted by a real browser: Debian's Chromium, without a window.

A page measures itself and writes what it found into itself; screenshots are looked at pixel by pixel.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_program import convert, linear

import ascendtensor as at
from ascendtensor.html import block, table

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no chromium (Debian: apt-get install chromium)"),
]

MEASURE = """<script>
const boxes = (selector) => [...document.querySelectorAll(selector)].map((each) => {
  const box = each.getBoundingClientRect(), style = getComputedStyle(each);
  return {width: box.width, height: box.height, left: box.left, top: box.top, natural: each.naturalWidth || 0, text: each.textContent,
          color: style.color, fill: style.fill, font: style.fontFamily, align: style.textAlign};
});
const found = {};
for (const name of ["img", "svg", "svg rect", "svg text", "td", "th", "pre", "details", ".warn", ".dim"])
  found[name] = boxes(".ascendtensor " + name);
found.page = document.documentElement.scrollWidth;
const text = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
document.body.append(Object.assign(document.createElement("output"), {textContent: text}));
</script>"""

JUPYTER = """<style>.jp table{font-size:12px} .jp pre{font-family:serif;line-height:1.8} .jp td,.jp th,.jp tr{text-align:right}
.jp{--jp-content-font-color1:rgb(1, 2, 3)}</style>"""


def browse(tmp_path: Path, *options: str) -> str:
    assert BROWSER is not None
    usual = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [BROWSER, *usual, "--window-size=1000,1400", *options, (tmp_path / "page.html").as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def write(tmp_path: Path, body: str, around: str = "") -> None:
    head = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    (tmp_path / "page.html").write_text(f'{head}<body>{around}<div class="jp">{body}</div>{MEASURE}</body>', encoding="utf-8")


def measured(tmp_path: Path, body: str, around: str = "", dark: bool = False) -> dict[str, Any]:
    write(tmp_path, body, around)
    dump = browse(tmp_path, f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom")
    output = re.search(r"<output>([^<]+)</output>", dump)
    assert output, dump[-2000:]
    found: dict[str, Any] = json.loads(base64.b64decode(output.group(1)))
    return found


def painted(tmp_path: Path, body: str, dark: bool) -> np.ndarray:  # type: ignore[type-arg]
    """The page's pixels, [H, W, 3]; the file is read by hand, as Chromium writes it: 8 bits, colours or colours and opacity."""
    write(tmp_path, body)
    browse(tmp_path, f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--screenshot={tmp_path / 'shot.png'}")
    data = (tmp_path / "shot.png").read_bytes()
    width, height, depth = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"), {2: 3, 6: 4}[data[25]]
    place, content = 8, b""
    while place < len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        if data[place + 4 : place + 8] == b"IDAT":
            content += data[place + 8 : place + 8 + size]
        place += size + 12
    lines = np.frombuffer(zlib.decompress(content), np.uint8).reshape(height, 1 + width * depth)
    pixels = np.zeros((height, width, depth), np.uint8)
    above = np.zeros((width, depth), np.uint8)
    for number, line in enumerate(lines):
        above = pixels[number] = _unfiltered(int(line[0]), line[1:].reshape(width, depth), above)
    return pixels[..., :3]


def _unfiltered(kind: int, line: np.ndarray, above: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """A line of a PNG file, by the filter that its first byte names."""
    if kind in (0, 2):
        return line + (above if kind else 0)
    if kind == 1:
        return np.cumsum(line, 0, np.uint8)
    result, left, corner = np.zeros_like(line), np.zeros(line.shape[1], int), np.zeros(line.shape[1], int)
    for place, (value, up) in enumerate(zip(line.astype(int), above.astype(int), strict=True)):
        if kind == 3:
            guess = (left + up) // 2
        else:
            first = left + up - corner
            distances = np.abs(np.stack([first - left, first - up, first - corner]))
            guess = np.choose(distances.argmin(0), [left, up, corner])
        left, corner = (value + guess) % 256, up
        result[place] = left
    return result


def photo() -> at.Tensor:
    lines, columns = np.mgrid[:300, :450]
    return at.tensor(np.stack([lines * 255 // 300, columns * 255 // 450, np.full((300, 450), 40)], -1).astype(np.uint8))


def test_a_tensor_is_laid_out(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(30, 60)).astype(np.float32)
    values[3, 4] = np.nan
    found = measured(tmp_path, at.tensor(values)._repr_html_(), JUPYTER)
    (heat,), (spark,), (text,), (warning,) = found["img"], found["svg"], found["pre"], found[".warn"]
    assert (heat["width"], heat["height"], heat["natural"]) == (288, 144, 48)
    assert spark["width"] == 96 and spark["height"] == 18 and len(found["svg rect"]) > 10
    assert all(bar["left"] >= spark["left"] and bar["left"] + bar["width"] <= spark["left"] + 97 for bar in found["svg rect"])
    assert warning["text"] == "1 NaN" and warning["color"] == "rgb(209, 36, 47)"
    assert text["color"] == "rgb(1, 2, 3)" and "monospace" in text["font"] and text["top"] > heat["top"] + 144
    assert found["page"] <= 1000


@pytest.mark.parametrize("dark", [False, True])
def test_an_image_is_painted_in_its_colours(tmp_path: Path, dark: bool) -> None:
    pixels = painted(tmp_path, photo()._repr_html_(), dark).astype(int)
    tensor = photo().numpy().astype(int)
    (left, top, width, height) = box(measured(tmp_path, photo()._repr_html_())["img"][0])
    assert (width, height) == (320, 213)
    for down, across in ((0.2, 0.3), (0.5, 0.5), (0.8, 0.1)):
        shown = pixels[int(top + down * height), int(left + across * width)]
        assert abs(shown - tensor[int(down * 300), int(across * 450)]).max() < 16, (down, across)
    background = pixels[-5, -5]
    assert background.max() < 60 if dark else background.min() > 230


def box(found: dict[str, Any]) -> tuple[float, float, float, float]:
    return found["left"], found["top"], found["width"], found["height"]


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_the_page(tmp_path: Path, dark: bool) -> None:
    body = at.arange(12).reshape(3, 4)._repr_html_() + at.memory_stats()._repr_html_()
    found = measured(tmp_path, body, dark=dark)
    for name in ("pre", ".dim", "td"):
        for each in found[name]:
            brightness = max(map(int, re.findall(r"\d+", each["color"])[:3]))
            assert brightness > 140 if dark else brightness < 120, (name, each)


def profiled() -> at.notebook.Profile:
    x = at.ones(64, 64)
    with at.profile() as p, p.span("steps"):
        for _ in range(5):
            x = (x @ x * 0.01).relu()
    return p


SHOWN: dict[str, Callable[[], Any]] = {
    "device": lambda: at.ones(2).device,
    "memory": at.memory_stats,
    "handle cache": lambda: at.handle_cache.info(),
    "snapshot": at.memory_snapshot,
    "profile": profiled,
}


@pytest.mark.parametrize("name", SHOWN)
def test_tables_and_pictures_fit_the_page(tmp_path: Path, name: str) -> None:
    x = at.ones(300) + 1
    found = measured(tmp_path, SHOWN[name]()._repr_html_(), JUPYTER)
    assert found["page"] <= 1000 and x.sum().item() == 600
    assert found["td"] and all(each["width"] > 8 and each["height"] > 10 for each in found["td"] if each["text"])
    for each in found["td"]:
        if not re.match(r"[-\d]", each["text"]):
            assert each["align"] == "left", each  # names, although the page's own style says otherwise
    if name in ("snapshot", "profile"):
        (picture,) = found["svg"]
        assert picture["width"] > 600 and found["svg rect"]
        for bar in found["svg rect"]:
            assert bar["height"] >= 10 and picture["left"] - 1 <= bar["left"] <= picture["left"] + picture["width"]
    if name == "profile":
        labels = [each["text"] for each in found["svg text"]]
        assert labels[:4] == ["host", "models, host", "spans, host", "stream 1"] or labels[:3] == ["host", "spans, host", "stream 1"]
        assert any(label.endswith((" ms", " us", " s")) for label in labels)
        assert len({bar["fill"] for bar in found["svg rect"]}) >= 3


def test_numbers_stand_below_each_other(tmp_path: Path) -> None:
    found = measured(tmp_path, block(table(["operator", "calls"], [["Add", 7], ["MatMulV2", 12345]])), JUPYTER)
    assert [each["align"] for each in found["td"]] == ["left", "right"] * 2 and [each["align"] for each in found["th"]] == ["left", "right"]
    first, second = found["td"][1], found["td"][3]
    assert first["left"] + first["width"] == second["left"] + second["width"]


def test_a_model_has_tables_of_what_it_takes_and_gives(tmp_path: Path) -> None:
    with at.models.load(convert(linear(tmp_path / "net.onnx"), tmp_path / "net", input_shape="x:2,4")) as model:
        found = measured(tmp_path, model._repr_html_(), JUPYTER)
    texts = [each["text"] for each in found["td"]]
    assert {"x", "float32"} <= set(texts) and found["page"] <= 1000
    assert all(each["height"] > 10 for each in found["td"])
    names = [each for each in found["td"] if each["text"] == "float32"]
    assert len({each["align"] for each in names}) == 1 and names[0]["align"] == "left"
