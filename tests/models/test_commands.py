"""`python -m ascendtensor run` and `inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_program import X, Y, convert, linear

from ascendtensor.__main__ import main


@pytest.fixture
def net(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", X)
    return convert(linear(tmp_path / "net.onnx"), tmp_path / "net", input_shape="x:2,4")


def test_inspect(net: Path, capsys: Any) -> None:
    capsys.readouterr()
    assert main(["inspect", str(net)]) == 0
    text = capsys.readouterr().out
    assert "x     [2, 4]  float32  ND      32" in text and "act:0:y" in text


@pytest.mark.parametrize("name", ["x=", ""])
def test_run_shows_or_writes_the_outputs(net: Path, tmp_path: Path, capsys: Any, name: str) -> None:
    capsys.readouterr()
    arguments = ["run", str(net), "--input", f"{name}{tmp_path / 'x.npy'}"]
    assert main(arguments) == 0
    assert "act:0:y float32[2, 3]" in capsys.readouterr().out
    assert main([*arguments, "--output", str(tmp_path / "y.npz")]) == 0
    assert np.array_equal(np.load(tmp_path / "y.npz")["act:0:y"], Y)


def test_run_shows_the_best(net: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\nbird\n", encoding="utf-8")
    capsys.readouterr()
    files = ["--input", f"x={tmp_path / 'x.npy'}", "--labels", str(tmp_path / "labels.txt")]
    assert main(["run", str(net), *files, "--top", "2"]) == 0
    names = ["cat", "dog", "bird"]
    best = np.argsort(-Y[1], kind="stable")[:2]
    lines = capsys.readouterr().out.split("row 1\n")[1].splitlines()
    assert [line.split() for line in lines] == [[names[index], f"{Y[1][index]:.6g}"] for index in best]


def test_labels_show_the_best_five(net: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["run", str(net), "--input", str(tmp_path / "x.npy"), "--labels", str(tmp_path / "labels.txt")]) == 0
    text = capsys.readouterr().out
    assert text.count("cat") == text.count("dog") == 2 and "row 1" in text


@pytest.mark.parametrize("top", ["0", "-3", "x"])
def test_numbers_of_best(net: Path, capsys: Any, top: str) -> None:
    with pytest.raises(SystemExit):
        main(["run", str(net), "--top", top])
    assert "--top" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--input", "x=missing.npy"], "missing.npy"),
        (["--input", "z=x.npy"], "no tensor named 'z'"),
        ([], "0 inputs"),
        (["--input", "x=x.npy", "--labels", "none.txt"], "none.txt"),
        (["--input", "x.npy", "--input", "x.npy"], "2 inputs"),
        (["--input", "x=x.npy", "--input", "x=x.npy"], "'x' is given twice"),
    ],
)
def test_mistakes(net: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(net), *arguments]) == 1
    assert words in capsys.readouterr().err


def test_a_file_that_is_no_model(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "no.om").write_bytes(b"no")
    assert main(["inspect", str(tmp_path / "no.om")]) == 1
    assert "convert an ONNX file" in capsys.readouterr().err
