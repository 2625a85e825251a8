"""Draws docs/static/notebook.png, the picture of the README: cells of a notebook, run now and shown by Chromium.

`python docs/make_picture.py` needs `chromium` on the path and Pygments. Device times in it are the simulator's.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from PIL import Image
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import ascendtensor as at

CELLS: Final = (
    """import ascendtensor as at

x = at.linspace(-3, 3, 96)
y = at.linspace(-2, 2, 40).unsqueeze(1)
at.sin(x * x + y * y) * at.exp(-abs(y))""",
    """a, w = at.randn(2000, 256), at.randn(256, 64)
at.synchronize()
with at.profile() as p:
    for step in range(8):
        h = at.softmax(at.relu(a @ w), dim=1)
p""",
)
"""Programs whose last line is an expression, shown as a notebook shows it."""

PAGE: Final = """<!doctype html><meta charset="utf-8"><style>
body { font: 14px sans-serif; margin: 14px 20px; width: 870px; color: #1f2328; }
.cell { background: #f6f8fa; border: 1px solid #d0d7de; border-radius: 6px; padding: 1px 12px; margin: 4px 0 10px; }
.cell pre { font: 13.5px/1.45 monospace; margin: 8px 0; }
.out { margin: 0 0 16px 12px; }
details { display: none; }
STYLE</style>BODY"""
SCALE: Final = 2
RUNS: Final = 30


def shown(cell: str) -> str:
    """The cell and what it shows."""
    given: dict[str, Any] = {"at": at}
    runs = []
    *body, last = cell.splitlines()
    for _ in range(RUNS):  # the quickest, of a machine that does something else meanwhile
        began = time.perf_counter()
        exec("\n".join(body), given)
        value = eval(last, given)
        runs.append((time.perf_counter() - began, value))
    value = min(runs, key=lambda run: run[0])[1]
    code = highlight(cell, PythonLexer(), HtmlFormatter())
    return f'<div class="cell">{code}</div><div class="out">{value._repr_html_()}</div>'


def main() -> int:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium on the path", file=sys.stderr)
        return 1
    at.manual_seed(1)
    page = PAGE.replace("STYLE", HtmlFormatter().get_style_defs(".highlight")).replace("BODY", "".join(map(shown, CELLS)))
    with tempfile.TemporaryDirectory() as name:
        source, picture = Path(name, "page.html"), Path(name, "page.png")
        source.write_text(page, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--hide-scrollbars", "--no-sandbox", f"--force-device-scale-factor={SCALE}"]
        command = [browser, *options, "--window-size=920,1200", f"--screenshot={picture}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        image = Image.open(io.BytesIO(picture.read_bytes())).convert("RGB")
    used = Image.eval(image.convert("L"), lambda level: 255 - level).getbbox()  # the page ends where there is only white
    assert used is not None
    image = image.crop((0, 0, image.width, used[3] + 14 * SCALE)).quantize(128)
    image.save(Path(__file__).parent / "static" / "notebook.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
