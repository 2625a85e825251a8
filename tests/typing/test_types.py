"""The types that users' checkers infer: `public_face.py` under mypy and pyright, and run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FACE = Path(__file__).with_name("public_face.py")
ROOT = FACE.parents[2]


def test_mypy_infers_tensors_of_expressions_that_users_write() -> None:
    settings = FACE.with_name("mypy.ini")
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), str(FACE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_pyright_infers_the_same() -> None:
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed (pip install -e .[typing])")
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(FACE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    if done.returncode not in (0, 1):  # 1: there are errors
        pytest.skip(f"pyright can't run here: {(done.stderr or done.stdout).strip()[-200:]}")
    assert done.returncode == 0, done.stdout


def test_the_expressions_run() -> None:
    spec = importlib.util.spec_from_file_location("public_face", FACE)
    assert spec is not None and spec.loader is not None
    face = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(face)
    face.everything()


def test_there_are_at_least_sixty() -> None:
    assert FACE.read_text(encoding="utf-8").count("    assert_type(") >= 60
