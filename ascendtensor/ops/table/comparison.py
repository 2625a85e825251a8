"""Rows of comparisons, logic, bits and selection by masks."""

from __future__ import annotations

from typing import Any, Final

from ... import dtypes as d
from ...dtypes import dtype as DType
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import FLOATS, HALVES_AND_SINGLE, INTS, SAME_BITS, UNSIGNED, UNSIGNED_TO_SIGNED, Via

_BOOL_BYTES: Final = {d.bool_: d.uint8}


def _comparison(name: str, op_type: str, dtypes: tuple[DType, ...], bits: Via, promotion: Kind = Kind.BOOL_RESULT, **more: Any) -> Row:
    """A row of two operands whose output is bool whatever dtype they are passed off as."""
    return Row(
        name,
        op_type,
        (Input("x1"), Input("x2")),
        (Output("y", d.bool_),),
        more.pop("rule", rules.broadcast),
        promotion=promotion,
        dtypes=dtypes,
        bits=bits,
        **more,
    )


def _classification(name: str, op_type: str, dtypes: tuple[DType, ...]) -> Row:
    """A row of one operand with a bool output."""
    return Row(name, op_type, (Input("x"),), (Output("y", d.bool_),), rules.same, promotion=Kind.BOOL_RESULT, dtypes=dtypes)


# Equality of unsigned integers is that of their bits; NotEqual has no bool in its prototype, but one byte compares like another.
EQUAL: Final = _comparison("eq", "Equal", (*FLOATS, *INTS, d.bool_), SAME_BITS)
NOT_EQUAL: Final = _comparison("ne", "NotEqual", (*FLOATS, *INTS), {**SAME_BITS, **_BOOL_BYTES})
LESS: Final = _comparison("lt", "Less", (*FLOATS, *INTS, *UNSIGNED), _BOOL_BYTES)
LESS_EQUAL: Final = _comparison("le", "LessEqual", (*FLOATS, *INTS, *UNSIGNED), _BOOL_BYTES)
GREATER: Final = _comparison("gt", "Greater", (*FLOATS, *INTS, *UNSIGNED), _BOOL_BYTES)
GREATER_EQUAL: Final = _comparison("ge", "GreaterEqual", (*FLOATS, *INTS, *UNSIGNED), _BOOL_BYTES)
IS_CLOSE: Final = _comparison(
    "isclose",
    "IsClose",
    (*FLOATS, *INTS, d.bool_),
    {},
    via=UNSIGNED_TO_SIGNED,
    rule=rules.comparison("rtol", "atol", "equal_nan"),
    attrs=(Attr("rtol", "float", 1e-05), Attr("atol", "float", 1e-08), Attr("equal_nan", "bool", False)),
)
TENSOR_EQUAL: Final = Row(
    "equal",
    "TensorEqual",
    (Input("input_x"), Input("input_y")),
    (Output("output_z", d.bool_),),
    rules.equal_all,
    promotion=Kind.BOOL_RESULT,
    dtypes=(*FLOATS, *INTS, d.bool_),
    bits=SAME_BITS,
    identity=True,
)

IS_NAN: Final = _classification("isnan", "IsNan", FLOATS)
IS_INF: Final = _classification("isinf", "IsInf", FLOATS)
IS_FINITE: Final = _classification("isfinite", "IsFinite", FLOATS)
IS_POS_INF: Final = _classification("isposinf", "IsPosInf", HALVES_AND_SINGLE)
IS_NEG_INF: Final = _classification("isneginf", "IsNegInf", HALVES_AND_SINGLE)

LOGICAL_AND: Final = _comparison("logical_and", "LogicalAnd", (d.bool_,), {}, Kind.LOGICAL)
LOGICAL_OR: Final = _comparison("logical_or", "LogicalOr", (d.bool_,), {}, Kind.LOGICAL)
LOGICAL_XOR: Final = _comparison("logical_xor", "NotEqual", (), _BOOL_BYTES, Kind.LOGICAL)
LOGICAL_NOT: Final = Row(
    "logical_not", "LogicalNot", (Input("x"),), (Output("y", d.bool_),), rules.same, promotion=Kind.LOGICAL, dtypes=(d.bool_,)
)


def _bits(name: str, op_type: str, inputs: tuple[str, str], output: str) -> Row:
    return Row(
        name,
        op_type,
        tuple(map(Input, inputs)),
        (Output(output),),
        rules.broadcast,
        promotion=Kind.INTEGRAL,
        dtypes=(*INTS, *UNSIGNED),
    )


BITWISE_AND: Final = _bits("bitwise_and", "BitwiseAnd", ("x1", "x2"), "y")
BITWISE_OR: Final = _bits("bitwise_or", "BitwiseOr", ("x1", "x2"), "y")
BITWISE_XOR: Final = _bits("bitwise_xor", "BitwiseXor", ("x1", "x2"), "y")
LEFT_SHIFT: Final = _bits("bitwise_left_shift", "LeftShift", ("x", "y"), "z")
RIGHT_SHIFT: Final = _bits("bitwise_right_shift", "RightShift", ("x", "y"), "z")
INVERT: Final = Row("bitwise_not", "Invert", (Input("x"),), (Output("y"),), rules.same, promotion=Kind.INTEGRAL, dtypes=(*INTS, *UNSIGNED))

WHERE: Final = Row(
    "where",
    "SelectV2",
    (Input("condition", dtype=d.bool_, accepts=(d.bool_,)), Input("then"), Input("else")),
    (Output("result"),),
    rules.broadcast,
    dtypes=(d.float32, d.float16, d.bfloat16, *INTS, d.uint16, d.complex128),
    bits={d.bool_: d.uint8, d.float64: d.int64, d.complex64: d.int64, d.uint32: d.int32, d.uint64: d.int64},
)
MASKED_FILL: Final = Row(
    "masked_fill",
    "MaskedFill",
    (Input("x"), Input("mask", dtype=d.bool_, accepts=(d.bool_,)), Input("value")),
    (Output("y"),),
    rules.masked,
    promotion=Kind.SAME,
    dtypes=(d.float32, d.float16, d.bfloat16, d.int8, d.int32, d.int64, d.bool_),
    via={d.int16: d.int32, d.uint16: d.int32},
    bits={d.uint8: d.int8, d.uint32: d.int32, d.float64: d.int64, d.complex64: d.int64, d.uint64: d.int64},
)
