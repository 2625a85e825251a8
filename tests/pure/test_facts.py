"""The operator tables: shape of the data, and a few facts that rows and kernels lean on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ascendtensor import facts
from ascendtensor.codes import DataType

ATTR_TYPES = {
    "Int",
    "Bool",
    "String",
    "Float",
    "Type",
    "Tensor",
    "ListInt",
    "ListFloat",
    "ListType",
    "ListListInt",
    "ListString",
    "ListBool",
}
ENGINES = {"aicore", "aicpu", "dsa", "dvpp", "none"}


@pytest.mark.parametrize("op_type", ["Add", "ReduceSum", "ConcatD", "StridedSlice", "Cast", "MatMulV2"])
def test_the_common_operators_are_there(op_type: str) -> None:
    found = facts.operator(op_type)
    assert found is not None
    assert found.op_type == op_type
    assert found.engine_910b == "aicore"


def test_an_unknown_operator_is_none() -> None:
    assert facts.operator("NoSuchOperator") is None
    assert "NoSuchOperator" not in facts.names()


def test_names_are_sorted_and_unique() -> None:
    names = facts.names()
    assert len(names) > 1800
    assert names == sorted(set(names))


def test_every_line_decodes_and_is_consistent() -> None:
    for name in facts.names():
        found = facts.operator(name)
        assert found is not None and found.op_type == name
        assert found.engine_910b in ENGINES, name
        for parameter in (*found.inputs, *found.outputs):
            assert parameter.kind in {"required", "optional", "dynamic"} and parameter.name.isidentifier(), (name, parameter)
        for attr in found.attrs:
            assert attr.type in ATTR_TYPES, (name, attr)
            if attr.type == "Type" and attr.default not in (None, facts.REQUIRED):
                assert attr.default in list(DataType), (name, attr)
        known = {parameter.name for parameter in (*found.inputs, *found.outputs)}
        assert set(found.ref_outputs) <= {parameter.name for parameter in found.inputs}, name
        assert set(found.value_depend) <= known, name
        assert found.prebuilt_910b.split(" ")[0] in {"", "all", "none", "missing", "only"}, name


def test_every_listed_row_is_accepted_by_the_ai_core() -> None:
    rows = 0
    for name in facts.names():
        found = facts.operator(name)
        assert found is not None
        for inputs, outputs in found.combos_910b:
            assert len(inputs) == len(found.inputs) and len(outputs) == len(found.outputs), name
            assert found.engine_for(inputs, outputs) == "aicore", (name, inputs, outputs)
            rows += 1
    assert rows > 4500


def test_the_engine_goes_by_the_whole_row() -> None:
    add, cast, conv = facts.operator("Add"), facts.operator("Cast"), facts.operator("Conv2D")
    assert add is not None and cast is not None and conv is not None
    assert add.engine_for(["float32", "float32"], ["float32"]) == "aicore"
    assert add.engine_for(["float16", "float32"], ["float32"]) == "aicore"
    assert add.engine_for(["float64", "float64"], ["float64"]) == "aicpu"
    assert add.engine_for(["bfloat16", "int32"], ["bfloat16"]) is None, "each dtype is listed, the row is not"
    assert add.engine_for(["float32", None], ["float32"]) is None, "a required input is absent"
    assert add.engine_for(["float32", "float32", "float32"], ["float32"]) is None
    assert cast.engine_for(["float64"], ["float32"]) == "aicpu"
    optional = [parameter.name for parameter in conv.inputs if parameter.kind == "optional"]
    assert "bias" in optional
    assert conv.engine_for(["float16", "float16"], ["float16"]) == "aicore", "trailing optional inputs may be left out"


def test_attributes_have_defaults_or_say_that_they_are_required() -> None:
    cast, topk, random = facts.operator("Cast"), facts.operator("TopKV2"), facts.operator("StatelessRandomUniformV2")
    assert cast is not None and topk is not None and random is not None
    assert cast.attr("dst_type") == ("dst_type", "Int", facts.REQUIRED)
    assert [(attr.name, attr.default) for attr in topk.attrs] == [("sorted", True), ("dim", -1), ("largest", True)]
    dtype = random.attr("dtype")
    assert dtype is not None and dtype.default == DataType.FLOAT, "Type attributes carry ACL's number"
    assert cast.attr("missing") is None
    assert repr(facts.REQUIRED) == "REQUIRED"


def test_structure_operands_and_special_outputs() -> None:
    reduce, nonzero, scatter = facts.operator("ReduceSum"), facts.operator("NonZero"), facts.operator("ScatterNdUpdate")
    assert reduce is not None and nonzero is not None and scatter is not None
    assert reduce.value_depend == {"axes": "optional"} and reduce.const_inputs == ("axes",)
    assert nonzero.data_dependent_shape and not reduce.data_dependent_shape
    repeat = facts.operator("RepeatInterleave")  # its InferShape is given the repeats (ops-nn, InputsDataDependency)
    assert repeat is not None and repeat.value_depend and not repeat.data_dependent_shape
    assert scatter.ref_outputs == ("var",)


def test_dtype_names_have_acl_numbers() -> None:
    assert facts.acl_type("bfloat16") == DataType.BF16
    assert facts.acl_type("qint8") is None


def test_the_data_is_small_and_not_read_at_import() -> None:
    for name, most in (("operators.jsonl", 900_000), ("chips.jsonl", 100_000)):
        assert Path(facts.__file__).with_name(name).stat().st_size < most
    code = "from ascendtensor import facts; print(facts._index.cache_info().currsize, facts._chips.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "0 0"


def test_kernels_of_older_chips() -> None:
    # aic-ascend310b-ops-info.json and its kin, CANN 8.1.RC1
    assert facts.chip_rows("Ascend310B", "MaxPoolV3") == ((("float16",), ("float16",)),)
    assert facts.chip_rows("Ascend310P", "BatchNormV3") is None
    assert facts.chip_rows("Ascend310P", "AvgPool") == (), "chosen by a program: select_format"
    assert (("float32", "float32"), ("float32",)) in (facts.chip_rows("Ascend310P", "Add") or ()), "by a program that was run"
    counts = {chip: sum(facts.chip_rows(chip, name) is not None for name in facts.names()) for chip in facts.CHIPS}
    assert counts == {"Ascend310": 517, "Ascend310P": 834, "Ascend310B": 697, "Ascend910": 825}
    for chip in facts.CHIPS:
        for name in facts.names():
            operator = facts.operator(name)
            for inputs, outputs in facts.chip_rows(chip, name) or ():
                assert operator is not None and len(inputs) <= len(operator.inputs) and len(outputs) <= len(operator.outputs)


@pytest.mark.parametrize(
    ("chip", "op_type", "inputs", "outputs", "engine"),
    [
        ("Ascend310B", "Maximum", ("float32", "float32"), ("float32",), "aicore"),
        ("Ascend310B", "Maximum", ("float64", "float64"), ("float64",), "aicpu"),
        ("Ascend310B", "MaxPoolV3", ("float32",), ("float32",), None),
        ("Ascend310B", "RmsNorm", ("float16", "float16"), ("float16", "float32"), None),
        ("Ascend310B", "NonZero", ("bool",), ("int64",), "aicpu"),
        ("Ascend310B", "LinSpace", ("float32", "float32", "int64"), ("float32",), "aicore"),  # as LinSpaceD
        ("Ascend310B", "LinSpace", ("float16", "float16", "int64"), ("float16",), None),
        ("Ascend310B", "AvgPool3D", ("float16",), ("float16",), "aicore"),  # as AvgPool3DD, which has one row
        ("Ascend310B", "AvgPool3D", ("float32",), ("float32",), None),
        ("Ascend310P", "BNInfer", ("float32",) * 5, ("float32",), "aicore"),
        ("Ascend310P", "ArgMaxV2", ("int64", "int64"), ("int64",), "aicpu"),
        ("Ascend910", "StatelessRandomUniformV2", ("int64", "uint64", "uint64", "int32"), ("float32",), "aicpu"),
    ],
)
def test_engines_of_older_chips(chip: str, op_type: str, inputs: tuple[str, ...], outputs: tuple[str, ...], engine: str | None) -> None:
    operator = facts.operator(op_type)
    assert operator is not None and operator.engine_on(chip, inputs, outputs) == engine
