"""Every notebook runs from top to bottom without an error or a warning, and is kept without outputs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import ascendtensor

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)

STRICT = "import warnings; warnings.simplefilter('error')\n"


def _cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def test_there_is_a_quickstart() -> None:
    assert "quickstart.ipynb" in [path.name for path in NOTEBOOKS]


@EACH
def test_outputs_are_stripped(path: Path) -> None:
    for number, cell in enumerate(_cells(path)):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, f"cell {number} has outputs"


@EACH
def test_format_and_kernel(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}


@EACH
def test_links_lead_somewhere(path: Path) -> None:
    for cell in _cells(path):
        if cell["cell_type"] == "markdown":
            for target in re.findall(r"\]\(([^)#\s]+)", "".join(cell["source"])):
                assert "://" in target or (path.parent / target).exists(), target


@EACH
def test_runs(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    # The kernel is a process of its own: it finds the package where this one did, and keeps nothing in the user's directories.
    paths = [str(Path(ascendtensor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = STRICT + first.source
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}})
    client.execute()  # raises where a cell fails
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", f"cell {number}"
            assert output.get("name") != "stderr", f"cell {number} wrote to stderr: {output.text}"
