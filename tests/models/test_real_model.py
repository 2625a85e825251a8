"""A model with real weights, the file types of the package magika, on real files; results equal ONNX Runtime's bit for bit."""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import io
import json
import marshal
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from model_program import convert

import ascendtensor as at
from ascendtensor import simulator

ROOT = Path(__file__).parents[2]
BLOCK, HALF, PADDING = 4096, 1024, 256


def model_folder() -> Path:
    spec = importlib.util.find_spec("magika")
    assert spec is not None and spec.origin is not None
    return sorted((Path(spec.origin).parent / "models").glob("standard_*"))[-1]


def features(data: bytes) -> Any:
    """The first and the last 1024 bytes without surrounding blanks, 256 where there are none."""
    beginning, end = data[:BLOCK].lstrip()[:HALF], data[-BLOCK:].rstrip()[-HALF:]
    found = np.full(2 * HALF, PADDING, np.int32)
    found[: len(beginning)] = np.frombuffer(beginning, np.uint8)
    found[2 * HALF - len(end) :] = np.frombuffer(end, np.uint8)
    return found


@cache
def files() -> list[tuple[str, bytes]]:
    """Label and content of files that are there or made of those that are."""
    source = (ROOT / "ascendtensor" / "models" / "model.py").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.txt", source * 3)
    array = io.BytesIO()
    np.save(array, np.arange(2000.0))
    return [
        ("python", source),
        ("python", (ROOT / "tests" / "conftest.py").read_bytes()),
        ("toml", (ROOT / "pyproject.toml").read_bytes()),
        ("markdown", (ROOT / "README.md").read_bytes()),
        ("json", json.dumps(json.loads((ROOT / "tests" / "data" / "rules.json").read_text(encoding="utf-8")), indent=2).encode()),
        ("gzip", gzip.compress(source, mtime=0)),
        ("zip", packed.getvalue()),
        ("npy", array.getvalue()),
        ("pythonbytecode", _bytecode()),
    ]


def _bytecode() -> bytes:
    code = compile((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"), "conftest.py", "exec")
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    return header + marshal.dumps(code)


@pytest.fixture(scope="module")
def labels() -> list[str]:
    found: list[str] = json.loads((model_folder() / "config.min.json").read_text(encoding="utf-8"))["target_labels_space"]
    return found


@pytest.fixture(scope="module")
def expected() -> Any:
    """What ONNX Runtime says of each file."""
    session = onnxruntime.InferenceSession(str(model_folder() / "model.onnx"))
    return [session.run(None, {"bytes": features(data)[None]})[0] for _, data in files()]


@pytest.fixture(scope="module")
def open_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(model_folder() / "model.onnx", tmp_path_factory.mktemp("real") / "open")


@pytest.fixture(scope="module")
def geared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("real") / "geared"
    return convert(model_folder() / "model.onnx", output, input_shape="bytes:-1,2048", dynamic_batch_size="1,4,16")


def test_files_are_recognised_one_by_one(geared: Path, labels: list[str], expected: Any) -> None:
    with at.models.load(geared) as model:
        assert model.inputs["bytes"].dtype is at.int32 and model.outputs[0].shape == (16, len(labels))
        for (label, data), reference in zip(files(), expected, strict=True):
            scores = model(features(data)[None]).numpy()
            assert scores.tobytes() == reference.tobytes()
            assert labels[int(scores[0].argmax())] == label


@pytest.mark.parametrize("kind", ["open_model", "geared"])
def test_batches_in_flight(kind: str, request: pytest.FixtureRequest, labels: list[str]) -> None:
    rows = np.stack([features(data) for _, data in files()])
    wanted = [label for label, _ in files()]
    session = onnxruntime.InferenceSession(str(model_folder() / "model.onnx"))
    with at.models.load(request.getfixturevalue(kind)) as model:
        found = []
        for start, scores in zip(
            range(0, len(rows), 4), model.map(rows[start : start + 4] for start in range(0, len(rows), 4)), strict=True
        ):
            part = rows[start : start + 4]
            if len(part) == 4:
                assert scores.numpy().tobytes() == session.run(None, {"bytes": part})[0].tobytes()
            found += [labels[index] for index in scores.numpy().argmax(axis=1)]
        assert found == wanted


def test_asynchronously(geared: Path, labels: list[str]) -> None:
    rows = [features(data)[None] for _, data in files()]

    async def classify(model: at.models.Model) -> list[str]:
        return [labels[int(scores.numpy()[0].argmax())] async for scores in model.map(rows, in_flight=3)]

    with at.models.load(geared) as model:
        assert asyncio.run(classify(model)) == [label for label, _ in files()]
    assert simulator.findings() == []


def test_many_batches_leave_no_memory_behind(geared: Path) -> None:
    rows = features(files()[0][1])[None]
    with at.models.load(geared) as model:
        for _ in model.map(rows for _ in range(10)):
            pass
        before = at.memory_stats()["reserved"], simulator.tables()
        for _ in model.map(rows for _ in range(40)):
            pass
        assert (at.memory_stats()["reserved"], simulator.tables()) == before
