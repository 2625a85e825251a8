"""What is said of operators, and what wrong calls are answered."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor import facts
from ascendtensor.ir.prototype import document, line, signature
from ascendtensor.simulator import kernels


def refused(*args: Any, **attrs: Any) -> at.AscendTensorError:
    with pytest.raises(at.AscendTensorError) as caught:
        at.ir.call(*args, **attrs)
    return caught.value


def test_every_operator_has_a_signature_and_its_prototype_in_words() -> None:
    for op_type in facts.names():
        found = facts.operator(op_type)
        assert found is not None
        text = line(found)
        assert text.startswith(f"{op_type}(") and all(each.name in text for each in (*found.inputs, *found.outputs, *found.attrs))
        parameters = signature(found).parameters
        assert {"outputs", "desc_format", "device"} <= set(parameters) and len(parameters) >= len(found.inputs) + 3


def test_docstrings_name_inputs_attributes_and_engine() -> None:
    for op_type in facts.names()[::11]:
        found = facts.operator(op_type)
        assert found is not None
        text = document(found)
        assert text.startswith(f"The Ascend IR operator {op_type}.") and "A 910B" in text
        assert all(each.name in text for each in (*found.inputs, *found.outputs)) and all(f"{attr.name} (" in text for attr in found.attrs)
        assert ("Deprecated" in text) == found.deprecated and max(map(len, text.splitlines())) < 1000


def test_a_docstring_in_full() -> None:
    assert inspect.getdoc(at.ir.ops.ReduceSumD) == "\n".join(
        [
            "The Ascend IR operator ReduceSumD.",
            "",
            "    ReduceSumD(x; axes: ListInt, keep_dims: Bool = False) -> y",
            "",
            "Deprecated: use ReduceSum.",
            "",
            "Inputs:",
            "    x: float16, float32, bfloat16.",
            "",
            "Attributes:",
            "    axes (ListInt): must be given.",
            "    keep_dims (Bool): False by default.",
            "",
            "Outputs:",
            "    y: float16, float32, bfloat16.",
            "",
            "A 910B runs it on its AI Core.",
            "3 combinations of dtypes have a kernel there.",
        ]
    )


def test_names_complete() -> None:
    assert dir(at.ir.ops) == sorted(facts.names()) and len(at.ir.ops) > 1800
    assert "Conv2D" in at.ir.ops and "Conv2d" not in at.ir.ops and "Conv2D" in list(at.ir.ops)
    assert at.ir.ops.Conv2D is at.ir.ops["Conv2D"] and at.ir.ops.Conv2D.__name__ == "Conv2D"
    assert pickle.loads(pickle.dumps(at.ir.ops.Conv2D)) is at.ir.ops.Conv2D and "ReduceSum(x, axes;" in pydoc.render_doc(
        at.ir.ops.ReduceSum
    )
    assert repr(at.ir.ops.Conv2D) == "<Ascend IR operator Conv2D>" and "Ascend IR operators" in repr(at.ir.ops)
    assert not hasattr(at.ir.ops, "Conv2d") and not hasattr(at.ir.ops, "_ipython_display_")
    with pytest.raises(AttributeError, match=r"no operator 'Conv2d'. Did you mean Conv2D"):
        at.ir.ops.Conv2d  # noqa: B018
    assert str(inspect.signature(at.ir.ops.ReduceSum)).startswith("(x, axes, /, *, keep_dims=False, outputs=None")


def test_unknown_names_are_answered_with_near_ones() -> None:
    error = refused("SoftMaxV2", at.ones(2))
    assert isinstance(error, ValueError) and "CANN has no operator 'SoftMaxV2'" in str(error) and "SoftmaxV2" in error.advice
    assert "dir(ascendtensor.ir.ops)" in refused("xyzzyxyzzy").advice
    error = refused("ReduceSum", at.ones(2), [0], keepdim=True)
    assert "no attribute 'keepdim'" in str(error) and "Did you mean keep_dims? The prototype: ReduceSum(x, axes;" in error.advice
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("args", "attrs", "kind", "match"),
    [
        (("ReduceSum", at.ones), {}, ValueError, "input axes is missing"),
        (("ReduceSum", at.ones, 1), {}, TypeError, "x can't be function"),
        (("Add", 1.0), {}, ValueError, "the input x2 is missing"),
        (("Add", 1.0, 2.0, 3.0), {}, ValueError, "3 inputs were given, it has 2"),
        (("Pack", 1.0), {}, TypeError, "x is repeated: it takes a list of tensors, not the float 1.0"),
        (("Pack", [1.0]), {}, TypeError, "x takes a list of tensors; the float 1.0 is none"),
        (("Add", None, 1.0), {}, TypeError, "x1 can't be None"),
        (("Add", [1.0], 1.0), {}, TypeError, "x1 is no constant of the operator"),
        (("Add", "a", 1.0), {}, TypeError, "x1 can't be the str 'a'"),
        (("Eye",), {}, ValueError, "attribute num_rows must be given"),
        (("Eye",), {"num_rows": 2.0}, TypeError, "attribute num_rows is int, not the float 2.0"),
        (("Eye",), {"num_rows": True}, TypeError, "attribute num_rows is int, not the bool True"),
        (("Eye",), {"num_rows": 2, "batch_shape": [1.5]}, TypeError, r"attribute batch_shape is list of int, not \[1.5\]"),
        (("Eye",), {"num_rows": 2, "outputs": 2}, ValueError, "outputs=2 is the count of a repeated output, which it has 0 of"),
        (("Eye",), {"num_rows": 2, "outputs": "x"}, TypeError, "outputs is a list of"),
        (("Eye",), {"num_rows": 2, "outputs": [1]}, TypeError, "outputs holds"),
        (("Eye",), {"num_rows": 2, "outputs": [((2,), at.int32)] * 2}, ValueError, "2 outputs were described, it has 1"),
        (("Eye",), {"num_rows": 2, "desc_format": "HW"}, ValueError, "the format 'HW' is none of"),
    ],
)
def test_wrong_calls_show_the_prototype(args: Any, attrs: Any, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match) as caught:
        at.ir.call(*args, **attrs)
    assert f"The prototype: {args[0]}(" in str(caught.value)


def test_wrong_tensors_show_the_prototype() -> None:
    x = at.ones(2, 3)
    error = refused("Conv2D", x.to(at.int64), x, strides=[1] * 4, pads=[0] * 4)
    assert "x can't be int64; it takes float16, float32, int8, bfloat16" in str(error) and "int64[2, 3] on npu:0" in str(error)
    assert isinstance(error, TypeError) and "The prototype: Conv2D(" in str(error)
    error = refused("ReduceSum", x, [0.5])
    assert "axes takes int32, int64; [0.5] is none of these" in str(error)
    assert "does not fit int64" in str(refused("ReduceSum", x, [2**70]))
    assert "shape can't be list" in str(refused("Reshape", x, [at.tensor(3), 2]))  # NumPy would download it
    assert "is empty" in str(refused("ReduceSum", x, []))
    error = refused("Add", x, at.ones(5))
    assert isinstance(error, at.ShapeError) and "do not broadcast" in str(error) and "The prototype: Add(x1, x2) -> y" in str(error)
    error = refused("Square", x, outputs=((2, 3), at.int32))
    assert isinstance(error, at.CompileError) and "The prototype: Square(x) -> y" in str(error)
    assert "N is 3, and x has 2 members" in str(refused("Pack", [x, x], N=3))
    assert "the output y is repeated" in str(refused("DynamicPartition", x, at.zeros(2, dtype=at.int32), num_partitions=2))


def test_operators_without_a_kernel_say_so() -> None:
    x = at.ones(2, 3)
    error = refused("FlashAttentionScore", x, x, x, head_num=1, input_layout="BSH")
    assert isinstance(error, at.UnsupportedError) and isinstance(error, NotImplementedError)
    assert "the simulator has no kernel of FlashAttentionScore" in str(error) and "A board would run it" in str(error)
    nowhere = next(
        name
        for name in facts.names()
        if (found := facts.operator(name)) is not None
        and (found.engine_910b, found.runs_in) == ("none", "")
        and kernels.lookup(name) is None
        and [each.kind for each in (*found.inputs, *found.outputs)] == ["required"] * 2
        and "float32" in found.inputs[0].dtypes
        and all(attr.default is not facts.REQUIRED for attr in found.attrs)
    )
    assert "A 910B has no kernel of it either" in str(refused(nowhere, x, outputs=((2, 3), at.float32)))


def test_the_simulator_has_kernels_of_400_operators() -> None:
    real = sorted(set(kernels.names()) & set(facts.names()))
    assert len(real) >= 400 and all(kernels.infer_rule(name) is not None for name in real)
