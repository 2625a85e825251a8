"""Tensors as Python numbers and in other dtypes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import dtypes as d


def test_python_numbers() -> None:
    x = at.tensor([[2.75]])
    assert (x.item(), int(x), float(x), complex(x), bool(x)) == (2.75, 2, 2.75, 2.75 + 0j, True)
    assert not at.tensor(0) and not at.tensor([False])
    assert type(at.tensor(True).item()) is bool and type(at.tensor(1j).item()) is complex
    assert at.tensor(1.5, dtype=at.bfloat16).item() == 1.5
    assert operator.index(at.tensor(3)) == 3 and [1, 2, 3][at.tensor(1)] == 2 and list(range(at.tensor(2))) == [0, 1]
    assert f"{at.tensor(1.2345):.2f}" == "1.23" and f"{at.tensor([1])}" == repr(at.tensor([1]))


def test_what_is_no_number() -> None:
    many = at.tensor([1.0, 2.0])
    for function in (bool, int, float, complex, operator.index):
        with pytest.raises((ValueError, TypeError)):
            function(many)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(many)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(at.zeros(0))
    with pytest.raises(TypeError, match="index"):
        operator.index(at.tensor(1.0))
    with pytest.raises(TypeError):
        float(at.tensor(1j))
    with pytest.raises(TypeError, match="0-d"):
        len(at.tensor(1))


def test_tolist() -> None:
    assert at.tensor(2).tolist() == 2
    assert at.tensor([[1.5], [2.5]], dtype=at.bfloat16).tolist() == [[1.5], [2.5]]
    assert at.tensor([[True, False]]).T.tolist() == [[True], [False]]
    assert at.zeros(2, 0).tolist() == [[], []]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("float", at.float32),
        ("double", at.float64),
        ("half", at.float16),
        ("bfloat16", at.bfloat16),
        ("int", at.int32),
        ("long", at.int64),
        ("short", at.int16),
        ("char", at.int8),
        ("byte", at.uint8),
        ("bool", at.bool),
        ("cfloat", at.complex64),
        ("cdouble", at.complex128),
    ],
)
def test_conversion_methods(name: str, dtype: Any) -> None:
    x = at.tensor([0, 1, 1])
    found = getattr(x, name)()
    assert found.dtype is dtype and found.tolist() == [0, 1, 1]
    assert getattr(found, name)() is found


@pytest.mark.parametrize("source", d.ALL, ids=lambda dtype: dtype.name)
def test_all_pairs_of_dtypes(source: Any) -> None:
    x = at.tensor([[0, 1], [1, 0]], dtype=source)
    for target in d.ALL:
        assert x.to(target).dtype is target
        assert x.T.to(target).tolist() == [[0, 1], [1, 0]]


def test_to() -> None:
    x = at.tensor([1.5, -2.5])
    assert x.to(at.float32) is x and x.to("npu") is x and x.to("npu:0", at.float32) is x and x.to(x) is x
    assert x.to(at.int32).tolist() == [1, -2]
    assert x.to("float64").dtype is at.float64 and x.to(dtype="half").dtype is at.float16
    assert x.to(float).dtype is at.float32 and x.to(int).dtype is at.int64
    there = x.to("npu:1")
    assert there.device == "npu:1" and there.tolist() == x.tolist()
    both = x.to("npu:1", at.float16)
    assert both.device == "npu:1" and both.dtype is at.float16
    assert x.to(both).device == "npu:1" and x.to(both).dtype is at.float16
    assert x.to(device=1, dtype=at.int8).tolist() == [1, -2]
    assert x.to(at.float32, copy=True) is not x and x.to("npu", non_blocking=True) is x
    assert x.to("npu:0", at.float32, False, True) is not x
    assert x.npu() is x and x.npu(1).device == "npu:1"
    assert x.type() == "ascendtensor.float32" and x.type(at.int8).dtype is at.int8 and x.type_as(both).dtype is at.float16
    assert x[::2].T.to("npu:1").tolist() == [1.5]
    with pytest.raises(ValueError, match="7 is out of range"):
        x.to("npu:7")
    with pytest.raises(TypeError, match="not a dtype"):
        x.to("float23")


def test_result_types() -> None:
    assert at.result_type(at.zeros(2, dtype=at.int8), 3) is at.int8
    assert at.result_type(at.zeros(2, dtype=at.int8), 3.0) is at.float32
    assert at.result_type(at.zeros((), dtype=at.float64), at.zeros(2)) is at.float32
    assert at.promote_types(at.float16, at.bfloat16) is at.float32
    assert at.can_cast(at.float64, at.float16) and not at.can_cast(at.float32, "int64")
    with pytest.raises(TypeError, match="result_type"):
        at.result_type("text")
    assert at.finfo(at.float16).max == 65504 and at.iinfo("int8").min == -128


def test_copy_fill_zero() -> None:
    x = at.zeros(2, 3)
    assert x.copy_(at.tensor([1, 2, 3])) is x and x.tolist() == [[1, 2, 3]] * 2
    assert x.fill_(7).tolist() == [[7.0] * 3] * 2 and x.T.fill_(at.tensor(2)).tolist() == [[2.0] * 2] * 3
    assert x[:, 1].zero_().tolist() == [0.0, 0.0] and x.tolist() == [[2.0, 0.0, 2.0]] * 2
    assert x.copy_([[1.0], [2.0]]).tolist() == [[1.0] * 3, [2.0] * 3]
    with pytest.raises(ValueError, match="one number"):
        x.fill_(at.ones(3))
    with pytest.raises(ValueError, match="copy_: "):
        x.copy_(at.ones(4))


@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("target", [at.int8, at.uint8, at.int16, at.uint16, at.int32, at.uint32, at.int64, at.uint64], ids=str)
def test_floats_of_the_host_become_integers_as_on_the_device(source: type, target: at.dtype) -> None:
    limits = np.iinfo(target.numpy)
    ends = [float(end) * part for end in (limits.min, limits.max) for part in (0.5, 1.0, 1.01, 4.0)]
    with np.errstate(over="ignore"):
        values = np.array([np.nan, np.inf, -np.inf, -0.5, -1.5, 2.75, *ends] * 5, np.float64).astype(source)
    expected = at.tensor(values).to(target)
    assert at.tensor(values, dtype=target).tolist() == expected.tolist() and expected.min().item() == limits.min
    assert at.tensor(values.tolist(), dtype=target).tolist() == expected.tolist()
    assert at.tensor(values[0], dtype=target).item() == 0 and at.tensor(values[1], dtype=target).item() == limits.max
