"""Descriptions as files: what ATC reads, read back as the same description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ascendtensor.codes import DataType
from ascendtensor.compiler import ABSENT, Attribute, Description, TensorDescription, recorded
from ascendtensor.errors import CompileError
from ascendtensor.ops import basic

FLOAT, INT64 = int(DataType.FLOAT), int(DataType.INT64)


def tensor(*shape: int, dtype: int = FLOAT, **more: Any) -> TensorDescription:
    return TensorDescription(dtype, shape, **more)


def add(*shape: int) -> Description:
    return Description("Add", (tensor(*shape, name="x1"), tensor(*shape, name="x2")), (tensor(*shape, name="y"),))


@pytest.mark.parametrize(
    "description",
    [
        add(2, 3),
        add(),
        Description("PadV3", (tensor(2), tensor(2, dtype=INT64, const=np.array([1, 2]).tobytes()), ABSENT), (tensor(5),)),
        Description("Fill", (tensor(1, dtype=INT64, const=np.array([3]).tobytes()), tensor()), (tensor(3),)),
        Description("Foo", (tensor(2, const=np.array([0.1, -0.0], np.float32).tobytes()),), (tensor(2),)),
        Description(
            "ConcatD",
            (tensor(2, name="x0", dynamic_input="x"), tensor(3, name="x1", dynamic_input="x")),
            (tensor(5, name="y"),),
            (Attribute("concat_dim", "int", 0), Attribute("N", "int", 2)),
        ),
        Description("Exp", (tensor(-1, 4, ranges=((1, -1), (4, 4))),), (tensor(-1, 4, ranges=((1, 16), (4, 4))),)),
        Description(
            "Foo",
            (tensor(2),),
            (tensor(2),),
            (
                Attribute("b", "bool", True),
                Attribute("f", "float", 0.1),
                Attribute("g", "float", -0.0),
                Attribute("s", "string", "mean"),
                Attribute("t", "data_type", INT64),
                Attribute("li", "list_int", (1, 2)),
                Attribute("lf", "list_float", (0.5, 0.1)),
                Attribute("lb", "list_bool", (True, False)),
                Attribute("ls", "list_string", ("a", "b")),
                Attribute("ll", "list_list_int", ((1,), (2, 3))),
            ),
        ),
    ],
    ids=str,
)
def test_what_is_written_is_read_as_the_same(description: Description) -> None:
    read = recorded.parse(json.loads(json.dumps(description.to_json())))
    assert read == description and read.digest() == description.digest()


def test_every_description_of_the_basic_set_is_read_as_the_same() -> None:
    for description in basic.descriptions():
        assert recorded.parse(description.to_json()) == description


def test_other_spellings_of_atc_are_understood() -> None:
    by_hand = {
        "op": "Add",
        "input_desc": [{"type": "DT_FLOAT", "format": "nd", "shape": [2]}, {"type": "float32", "format": "ND", "shape": [2]}],
        "output_desc": [{"type": "float", "format": "ND", "shape": [2]}],
    }
    assert recorded.parse(by_hand) == Description("Add", (tensor(2), tensor(2)), (tensor(2),))


def test_a_recorded_operator_that_was_edited_is_refused() -> None:
    operator = add(2).to_json()
    operator["output_desc"][0]["shape"] = [3]
    with pytest.raises(CompileError, match="not the one that its name tells of"):
        recorded.parse(operator)
    del operator["name"]
    assert recorded.parse(operator).outputs[0].shape == (3,)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"op": 3}, "has to be an object"),
        ({"engine": "x"}, "the key engine is not understood"),
        ({"input_desc": [{"type": "flot", "format": "ND", "shape": [2]}]}, "the type flot is not known"),
        ({"input_desc": [{"type": "float", "format": "ND", "shape": [2], "origin_shape": [2]}]}, "the key origin_shape"),
        ({"input_desc": [{"type": "bool", "format": "ND", "shape": [1], "is_const": True, "const_value": [1]}]}, "a constant can't be of"),
        ({"input_desc": [{"type": "float", "format": "ND"}]}, "can't be read: 'shape'"),
        ({"attr": [{"name": "a", "type": "list_int", "value": "12"}]}, "is no list"),
    ],
)
def test_what_is_no_operator_is_refused_with_the_reason(change: dict[str, Any], text: str) -> None:
    operator = {**add(2).to_json(), **change}
    with pytest.raises(CompileError, match=text):
        recorded.parse(operator)


def test_a_directory_is_read_once_for_each_operator(tmp_path: Path) -> None:
    for shape in (2, 3, 2):
        recorded.write(tmp_path, add(shape))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.json").write_text(json.dumps([add(2).to_json(), add(4).to_json(), {"op": 1}]))
    (tmp_path / "broken.json").write_text("{")
    recorded.write_manifest(tmp_path)
    reading = recorded.read([tmp_path])
    assert sorted(str(description) for description in reading.descriptions) == sorted(str(add(shape)) for shape in (2, 3, 4))
    assert [place.rpartition("/")[2] for place, _ in reading.unreadable] == ["broken.json", "mine.json, element 2"]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["format"] == "ascendtensor operators" and set(manifest["operators"]) == {add(2).digest(), add(3).digest()}
    assert manifest["operators"][add(2).digest()] == {
        "file": f"Add_{add(2).digest()}.json",
        "op_type": "Add",
        "signature": "Add(float[2], float[2]) -> float[2]",
        "dynamic": False,
    }
    with pytest.raises(CompileError, match="no file or directory"):
        recorded.read([tmp_path / "nothing"])
