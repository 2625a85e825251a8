"""Descriptions: ATC's JSON, the digest, and what can't be said."""

import json
import math
import re
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ascendtensor.codes import DataType, Format
from ascendtensor.compiler import ABSENT, Attribute, Description, TensorDescription
from ascendtensor.errors import CompileError

X = TensorDescription(DataType.FLOAT, (2, 3))


def const(values: Any, dtype: DataType, numpy: Any) -> TensorDescription:
    array = np.array(values, numpy)
    return TensorDescription(dtype, array.shape, const=array.tobytes())


def test_json_is_what_atc_reads() -> None:
    description = Description(
        "Made",
        (
            TensorDescription(DataType.FLOAT16, (-1, 4, -1), ranges=((1, 16), (4, 4), (2, -1))),
            const([[1, -2]], DataType.INT64, "i8"),
            ABSENT,
            TensorDescription(DataType.BF16, (1, 2, 3, 4), Format.NCHW, dynamic_input="x"),
            TensorDescription(DataType.BOOL, (), name="mask"),
        ),
        (TensorDescription(DataType.FLOAT, (-1,)),),
        (
            Attribute("keep_dims", "bool", 1),
            Attribute("axis", "int", np.int64(-1)),
            Attribute("alpha", "float", 0.5),
            Attribute("mode", "string", "none"),
            Attribute("dst", "data_type", DataType.BF16),
            Attribute("pads", "list_int", np.array([1, 2])),
            Attribute("flags", "list_bool", [1, 0]),
            Attribute("scales", "list_float", [1, 2]),
            Attribute("names", "list_string", ["a"]),
            Attribute("nested", "list_list_int", [[1], []]),
        ),
    )
    assert json.loads(json.dumps(description.to_json())) == {
        "op": "Made",
        "name": description.file_name,
        "input_desc": [
            {"format": "ND", "type": "float16", "shape": [-1, 4, -1], "shape_range": [[1, 16], [2, -1]]},
            {"format": "ND", "type": "int64", "shape": [1, 2], "is_const": True, "const_value": [1, -2]},
            {"format": "RESERVED", "type": "UNDEFINED", "shape": []},
            {"format": "NCHW", "type": "bfloat16", "shape": [1, 2, 3, 4], "dynamic_input": "x"},
            {"format": "ND", "type": "bool", "shape": [], "name": "mask"},
        ],
        "output_desc": [{"format": "ND", "type": "float", "shape": [-1], "shape_range": [[1, -1]]}],
        "attr": [
            {"name": "alpha", "type": "float", "value": 0.5},
            {"name": "axis", "type": "int", "value": -1},
            {"name": "dst", "type": "data_type", "value": "DT_BF16"},
            {"name": "flags", "type": "list_bool", "value": [True, False]},
            {"name": "keep_dims", "type": "bool", "value": True},
            {"name": "mode", "type": "string", "value": "none"},
            {"name": "names", "type": "list_string", "value": ["a"]},
            {"name": "nested", "type": "list_list_int", "value": [[1], []]},
            {"name": "pads", "type": "list_int", "value": [1, 2]},
            {"name": "scales", "type": "list_float", "value": [1.0, 2.0]},
        ],
    }
    assert type(description.to_json()["attr"][0]["value"]) is float
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", description.file_name)


def test_floats_reach_the_model_as_the_float32_that_pyacl_stores() -> None:
    value = Description("Made", (X,), (X,), (Attribute("alpha", "float", 0.1),)).to_json()["attr"][0]["value"]
    assert np.float32(value) == np.float32(0.1) and value == float(np.float32(0.1))
    half = Description("Made", (const([0.1], DataType.FLOAT16, "f2"),), (X,)).to_json()["input_desc"][0]["const_value"]
    assert half == [float(np.float16(0.1))]


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_constants_of_every_type_atc_knows_come_back_bit_for_bit(kind: str) -> None:
    names = {"i1": "INT8", "u1": "UINT8", "i2": "INT16", "u2": "UINT16", "i4": "INT32", "u4": "UINT32", "i8": "INT64", "u8": "UINT64"}
    code = DataType[names.get(kind) or {"f2": "FLOAT16", "f4": "FLOAT", "f8": "DOUBLE"}[kind]]
    limits = np.iinfo(kind) if kind[0] in "iu" else np.finfo(kind)
    array = np.array([limits.min, limits.max, 0, 1], kind)
    values = json.loads(json.dumps(Description("Made", (const(array, code, kind),), (X,)).to_json()))["input_desc"][0]["const_value"]
    assert np.array(values, kind).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (const([True], DataType.BOOL, "?"), "bool constant"),
        (TensorDescription(DataType.BF16, (1,), const=np.array([1], ml_dtypes.bfloat16).tobytes()), "bfloat16 constant"),
        (const([1j], DataType.COMPLEX64, "c8"), "complex64 constant"),
        (const([math.inf], DataType.FLOAT, "f4"), "not finite"),
        (TensorDescription(DataType.STRING, (1,)), "data type"),
        (TensorDescription(DataType.FLOAT, (1,), Format.FRACTAL_NZ_C0_16), "FRACTAL_NZ_C0_16"),
        (TensorDescription(DataType.FLOAT, (1,), 777), "777"),
    ],
)
def test_what_atc_can_not_read_is_refused(tensor: TensorDescription, words: str) -> None:
    with pytest.raises(CompileError, match=words) as caught:
        Description("Made", (tensor,), (X,)).to_json()
    assert caught.value.op_type == "Made"


@pytest.mark.parametrize(
    "attr", [Attribute("a", "float", 1e60), Attribute("a", "list_float", [math.nan]), Attribute("a", "list_data_type", [0])]
)
def test_attributes_atc_can_not_read_are_refused(attr: Attribute) -> None:
    with pytest.raises(CompileError, match="attribute a"):
        Description("Made", (X,), (X,), (attr,)).to_json()


def test_mistakes_in_a_description_are_found_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="empty"):
        TensorDescription(DataType.INT64, (0,), const=b"")
    with pytest.raises(ValueError, match="ranges"):
        TensorDescription(DataType.FLOAT, (-1, 2), ranges=((1, 2),))
    with pytest.raises(ValueError, match="7 bytes"):
        TensorDescription(DataType.INT64, (1,), const=bytes(7))
    with pytest.raises(ValueError, match="kind"):
        Attribute("a", "integer", 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Attribute("a", "int", 1.5)


BASE = Description("Made", (X, const([1], DataType.INT64, "i8")), (X,), (Attribute("a", "int", 1), Attribute("b", "float", 0.0)))


@pytest.mark.parametrize(
    "other",
    [
        Description("Made2", BASE.inputs, BASE.outputs, BASE.attrs),
        Description("Made", BASE.inputs[:1], BASE.outputs, BASE.attrs),
        Description("Made", (X, const([2], DataType.INT64, "i8")), BASE.outputs, BASE.attrs),
        Description("Made", (X, TensorDescription(DataType.INT64, (1,))), BASE.outputs, BASE.attrs),
        Description("Made", (TensorDescription(DataType.FLOAT, (3, 2)), BASE.inputs[1]), BASE.outputs, BASE.attrs),
        Description("Made", BASE.inputs, (TensorDescription(DataType.FLOAT16, (2, 3)),), BASE.attrs),
        Description("Made", BASE.inputs, (TensorDescription(DataType.FLOAT, (2, 3), Format.NCHW),), BASE.attrs),
        Description("Made", BASE.inputs, BASE.outputs, (Attribute("a", "bool", True), BASE.attrs[1])),
        Description("Made", BASE.inputs, BASE.outputs, (Attribute("a", "float", 1.0), BASE.attrs[1])),
        Description("Made", BASE.inputs, BASE.outputs, (Attribute("a", "list_int", [1]), BASE.attrs[1])),
        Description("Made", BASE.inputs, BASE.outputs, (BASE.attrs[0], Attribute("b", "float", -0.0))),
    ],
)
def test_all_that_matching_compares_is_in_the_digest(other: Description) -> None:
    assert other != BASE and other.digest() != BASE.digest()
    assert len({other, BASE}) == 2


def test_equal_descriptions_are_one_key() -> None:
    # The order of attributes means nothing (ATTR-6), enum members are their numbers, float64 attributes are rounded (PY-11).
    same = Description(
        "Made",
        (TensorDescription(0, (2, 3)), const([1], DataType.INT64, "i8")),
        (X,),
        (Attribute("b", "float", 1e-60), Attribute("a", "int", np.int8(1))),
    )
    assert same == BASE and hash(same) == hash(BASE) and same.digest() == BASE.digest()
    nan = [Description("Made", (X,), (X,), (Attribute("a", "float", float("nan")),)) for _ in range(2)]
    assert nan[0] == nan[1]


def test_the_digest_is_the_same_in_every_process() -> None:
    code = (
        "from ascendtensor.compiler.description import *\n"
        "x = TensorDescription(0, (2, 3)); c = TensorDescription(9, (1,), const=bytes([1, 0, 0, 0, 0, 0, 0, 0]))\n"
        "print(Description('Made', (x, c), (x,), (Attribute('a', 'int', 1), Attribute('b', 'float', 0.0))).digest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == BASE.digest()
    # Written down, so that a change of Python, or of the form without a new ENCODING, shows.
    assert BASE.digest() == "536c66ed50f526b22a6ff40a4f36d0b60377e9199b20f3b1d4147ca5151e0489"


def test_text_is_for_people() -> None:
    description = Description("Sum", (TensorDescription(0, (-1, 3)), const([0], DataType.INT64, "i8"), ABSENT), (X,), BASE.attrs)
    assert str(description) == "Sum(float[?, 3], int64[1]=[0], absent, a=1, b=0.0) -> float[2, 3]"
    assert description.dynamic and not BASE.dynamic
