"""The model that most tests of whole models run: `relu(x @ w)` of two rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from model_program import convert, linear

import ascendtensor as at


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def net(folder: Path) -> Path:
    return convert(linear(folder / "net.onnx"), folder / "net", input_shape="x:2,4")


@pytest.fixture
def model(net: Path) -> Iterator[at.models.Model]:
    with at.models.load(net) as made:
        yield made
