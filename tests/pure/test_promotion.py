"""Promotion against PyTorch's own answers (tests/data/torch_promotion.json), and where it goes beyond them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ascendtensor import dtypes, errors
from ascendtensor.dtypes import ALL, BY_NAME, dtype
from ascendtensor.promotion import Kind, Operand, can_cast, keep_imaginary, promote_types, resolve, result_type

TABLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "torch_promotion.json").read_text())
NAMES: list[str] = TABLE["dtypes"]
SCALARS: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}
PLACES = {
    "tensor_tensor": (1, 1),
    "tensor_zerod": (1, 0),
    "zerod_tensor": (0, 1),
    "zerod_zerod": (0, 0),
    "tensor_scalar": (1, -1),
    "zerod_scalar": (0, -1),
}
KINDS = {
    **dict.fromkeys(["add", "pow", "floor_divide", "remainder", "maximum"], Kind.DEFAULT),
    **dict.fromkeys(["div", "atan2"], Kind.INT_TO_FLOAT),
    **dict.fromkeys(["eq", "lt"], Kind.BOOL_RESULT),
    "logical_and": Kind.LOGICAL,
    **dict.fromkeys(["bitwise_and", "bitwise_left_shift"], Kind.INTEGRAL),
}
UNARY_KINDS = {
    **dict.fromkeys(["sum", "prod", "cumsum"], Kind.SUM),
    **dict.fromkeys(["mean", "softmax"], Kind.FLOAT_ONLY),
    **dict.fromkeys(["sqrt", "exp"], Kind.INT_TO_FLOAT),
    **dict.fromkeys(["abs", "real"], Kind.COMPLEX_TO_FLOAT),
    **dict.fromkeys(["neg", "sign", "amax"], Kind.SAME),
    **dict.fromkeys(["logical_not"], Kind.LOGICAL),
    **dict.fromkeys(["isnan"], Kind.BOOL_RESULT),
    "bitwise_not": Kind.INTEGRAL,
}
UNSIGNED = {"uint16", "uint32", "uint64"}
SIGNED = {"int8", "int16", "int32", "int64"}


@pytest.fixture
def default_float64() -> Iterator[None]:
    dtypes.set_default_dtype(dtypes.float64)
    yield
    dtypes.set_default_dtype(dtypes.float32)


def cells(table: dict[str, Any]) -> Iterator[tuple[str, Operand, Operand, str | None]]:
    """Every (place, left, right, PyTorch's answer) of one function's tables."""
    for place, rows in table.items():
        left_ndim, right_ndim = PLACES[place]
        for left, row in zip(NAMES, rows, strict=True):
            columns = TABLE["scalars"] if right_ndim < 0 else NAMES
            for right, answer in zip(columns, row, strict=True):
                second: Operand = (SCALARS[right], -1) if right_ndim < 0 else (BY_NAME[right], right_ndim)
                yield place, (BY_NAME[left], left_ndim), second, answer


def ours(kind: Kind | None, *operands: Operand) -> str | None:
    try:
        return (result_type(operands) if kind is None else resolve(kind, operands)[1]).name
    except errors.DTypeError:
        return None


def expected(answer: str) -> str:
    # complex32 does not exist on our side; complex64 is the smallest complex type.
    return "complex64" if answer == "complex32" else answer


def test_the_table_covers_every_dtype_and_place() -> None:
    assert set(NAMES) == set(BY_NAME) and len(NAMES) == 15
    assert set(TABLE["result_type"]) == set(PLACES)
    assert sum(1 for _ in cells(TABLE["result_type"])) == 4 * 225 + 2 * 60


@pytest.mark.parametrize("left", NAMES)
def test_promote_types_is_pytorchs(left: str) -> None:
    for right, answer in zip(NAMES, TABLE["promote_types"][NAMES.index(left)], strict=True):
        if answer is not None:
            assert promote_types(BY_NAME[left], BY_NAME[right]).name == answer, (left, right)


@pytest.mark.parametrize("left", NAMES)
def test_can_cast_is_pytorchs(left: str) -> None:
    for right, answer in zip(NAMES, TABLE["can_cast"][NAMES.index(left)], strict=True):
        assert can_cast(BY_NAME[left], BY_NAME[right]) is answer, (left, right)


def test_result_type_is_pytorchs_wherever_it_answers() -> None:
    for place, left, right, answer in cells(TABLE["result_type"]):
        if answer is not None:
            assert ours(None, left, right) == expected(answer), (place, left, right)


def test_result_type_follows_the_default_dtype(default_float64: None) -> None:
    for place, left, right, answer in cells(TABLE["result_type_default_float64"]):
        if answer is not None:
            assert ours(None, left, right) == expected(answer), (place, left, right)
    for place, left, right, answer in cells(TABLE["div_default_float64"]):
        if answer not in (None, "-"):
            assert ours(Kind.INT_TO_FLOAT, left, right) == expected(answer), (place, left, right)


@pytest.mark.parametrize("function", sorted(KINDS))
def test_kinds_give_the_result_dtypes_of_pytorchs_functions(function: str) -> None:
    seen = 0
    for place, left, right, answer in cells(TABLE["operators"][function]):
        if answer not in (None, "-"):  # "-": PyTorch has no CPU kernel, which says nothing about types
            assert ours(KINDS[function], left, right) == expected(answer), (function, place, left, right)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("function", sorted(UNARY_KINDS))
def test_kinds_give_the_result_dtypes_of_pytorchs_unary_functions(function: str) -> None:
    for name, answer in zip(NAMES, TABLE["unary"][function], strict=True):
        if answer not in (None, "-"):
            assert ours(UNARY_KINDS[function], (BY_NAME[name], 1)) == answer, (function, name)


def test_where_pytorch_refuses_only_mixes_of_wide_unsigned_types_are_involved() -> None:
    for place, left, right, answer in cells(TABLE["result_type"]):
        if answer is None:
            assert {str(getattr(kind, "name", "")) for kind, _ in (left, right)} & UNSIGNED, (place, left, right)


@pytest.mark.parametrize("unsigned", sorted(UNSIGNED))
@pytest.mark.parametrize("other", NAMES)
def test_wide_unsigned_types_promote_as_the_array_api_says(unsigned: str, other: str) -> None:
    a, b = BY_NAME[unsigned], BY_NAME[other]
    if unsigned == "uint64" and other in SIGNED:
        with pytest.raises(errors.DTypeError, match=f"uint64.*{other}"):
            promote_types(a, b)
        with pytest.raises(errors.DTypeError, match=f"{other}.*uint64"):
            promote_types(b, a)
        return
    assert promote_types(a, b) is promote_types(b, a)
    if b.category <= dtypes.INTEGER:  # the standard's table, which is NumPy's here
        assert promote_types(a, b).numpy == np.promote_types(a.numpy, b.numpy)
    else:
        assert promote_types(a, b) is b


def test_promotion_is_commutative_and_idempotent_and_keeps_the_higher_category() -> None:
    for a in ALL:
        assert promote_types(a, a) is a
        for b in ALL:
            if {a.name, b.name} & {"uint64"} and {a.name, b.name} & SIGNED:
                continue
            joined = promote_types(a, b)
            assert joined is promote_types(b, a)
            assert joined.category == max(a.category, b.category)
            assert promote_types(joined, a) is joined


def test_lower_ranks_matter_only_by_category() -> None:
    assert result_type([(dtypes.int8, 2), (int, -1)]) is dtypes.int8
    assert result_type([(dtypes.int8, 2), (dtypes.int64, 0)]) is dtypes.int8
    assert result_type([(dtypes.float16, 2), (dtypes.float64, 0), (float, -1)]) is dtypes.float16
    assert result_type([(dtypes.float32, 1), (dtypes.complex128, 0)]) is dtypes.complex64
    assert result_type([(dtypes.uint64, 1), (dtypes.int64, 0)]) is dtypes.uint64
    assert result_type([(dtypes.uint64, 1), (int, -1)]) is dtypes.uint64
    assert result_type([(bool, -1), (int, -1)]) is dtypes.int64
    assert result_type([(dtypes.int32, 0), (dtypes.bool_, 3)]) is dtypes.int32
    assert result_type([(dtypes.int32, 1), (dtypes.uint8, 1), (dtypes.float64, 0)]) is dtypes.float64


def test_kinds_compute_in_the_type_that_they_should() -> None:
    f32, i32 = (dtypes.float32, 1), (dtypes.int32, 1)
    assert resolve(Kind.BOOL_RESULT, [i32, f32]) == (dtypes.float32, dtypes.bool_)
    assert resolve(Kind.SUM, [(dtypes.bool_, 1)]) == (dtypes.int64, dtypes.int64)
    assert resolve(Kind.COMPLEX_TO_FLOAT, [(dtypes.complex128, 1)]) == (dtypes.complex128, dtypes.float64)
    assert resolve(Kind.LOGICAL, [f32, i32]) == (dtypes.bool_, dtypes.bool_)
    assert resolve(Kind.INT_TO_FLOAT, [i32, (dtypes.bfloat16, 0)]) == (dtypes.bfloat16, dtypes.bfloat16)
    assert resolve(Kind.SAME, [f32, (int, -1)]) == (dtypes.float32, dtypes.float32)
    assert resolve(Kind.SAME, [(float, -1), (int, -1)]) == (dtypes.float32, dtypes.float32)


@pytest.mark.parametrize(
    ("kind", "operands", "words"),
    [
        (Kind.FLOAT_ONLY, [(dtypes.int64, 1)], "not int64"),
        (Kind.INTEGRAL, [(dtypes.int64, 1), (float, -1)], "not float32"),
        (Kind.SAME, [(dtypes.float32, 2), (dtypes.float16, 2)], "float32, float16"),
        (Kind.DEFAULT, [(str, -1)], "type str"),
        (Kind.DEFAULT, [], "no operands"),
        (Kind.DEFAULT, [(dtypes.uint64, 1), (dtypes.int8, 1)], "uint64 and int8"),
    ],
)
def test_refusals_name_the_dtypes(kind: Kind, operands: list[Operand], words: str) -> None:
    with pytest.raises(errors.DTypeError, match=words):
        resolve(kind, operands)


def test_scalars_of_subclasses_count_as_their_base() -> None:
    assert result_type([(dtypes.float16, 1), (np.float64, -1)]) is dtypes.float16
    assert isinstance(result_type([(np.complex128, -1)]), dtype)


def test_imaginary_parts_are_lost_to_bool_only() -> None:
    for target in ALL:
        for source in (dtypes.complex64, dtypes.complex128):
            if target.is_complex or target is dtypes.bool_:
                keep_imaginary(source, target)
            else:
                with pytest.raises(
                    errors.DTypeError, match=rf"complex numbers \({source.name}\) can't stand where {target.name} is needed"
                ):
                    keep_imaginary(source, target)
        keep_imaginary(dtypes.float32, target)
