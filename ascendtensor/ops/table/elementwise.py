"""Rows of arithmetic: one, two and three operands, element by element."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, FLOATS, HALVES_AND_SINGLE, INTS, ON_AI_CPU, SAME_BITS, SMALL_TO_INT32, UNSIGNED_TO_SIGNED, binary, unary

CAST: Final = Row("to", "Cast", (Input("x"),), (Output("y"),), rules.cast, (Attr("dst_type", "int"),), Kind.SAME)

# One operand

ABS: Final = unary("abs", "Abs", (*FLOATS, d.int8, d.int16, d.int32, d.int64), Kind.SAME, {d.uint8: d.int16, **UNSIGNED_TO_SIGNED})
COMPLEX_ABS: Final = Row(
    "abs", "ComplexAbs", (Input("x"),), (Output("y"),), rules.complex_abs, (Attr("Tout", "data_type", 0),), Kind.COMPLEX_TO_FLOAT, COMPLEX
)
NEG: Final = unary(
    "neg",
    "Neg",
    (*FLOATS, d.int8, d.int32, d.int64, *COMPLEX),
    Kind.SAME,
    {d.int16: d.int32, d.uint16: d.int32},
    bits={d.uint8: d.int8, d.uint32: d.int32, d.uint64: d.int64},
)
SIGN: Final = unary(
    "sign", "Sign", (*FLOATS, d.int32, d.int64, *COMPLEX), Kind.SAME, {d.int8: d.int32, **SMALL_TO_INT32, **UNSIGNED_TO_SIGNED}
)

_EXPONENT: Final = (Attr("base", "float", -1.0), Attr("scale", "float", 1.0), Attr("shift", "float", 0.0))
EXP: Final = unary("exp", "Exp", (*FLOATS, *COMPLEX), attrs=_EXPONENT)
EXPM1: Final = unary("expm1", "Expm1", (*FLOATS, *COMPLEX))
LOG: Final = unary("log", "Log", (*FLOATS, *COMPLEX), attrs=_EXPONENT)
LOG2: Final = unary("log2", "Log", (*FLOATS, *COMPLEX), attrs=(Attr("base", "float", 2.0), *_EXPONENT[1:]))
LOG10: Final = unary("log10", "Log", (*FLOATS, *COMPLEX), attrs=(Attr("base", "float", 10.0), *_EXPONENT[1:]))
LOG1P: Final = unary("log1p", "Log1p", (*FLOATS, *COMPLEX))
SQRT: Final = unary("sqrt", "Sqrt", (*FLOATS, *COMPLEX))
RSQRT: Final = unary("rsqrt", "Rsqrt", (*FLOATS, *COMPLEX))
RECIPROCAL: Final = unary("reciprocal", "Reciprocal", (*FLOATS, *COMPLEX))

SIN: Final = unary("sin", "Sin", (*FLOATS, *COMPLEX))
COS: Final = unary("cos", "Cos", (*FLOATS, *COMPLEX))
TAN: Final = unary("tan", "Tan", (*FLOATS, *COMPLEX))
ASIN: Final = unary("asin", "Asin")
ACOS: Final = unary("acos", "Acos")
ATAN: Final = unary("atan", "Atan")
SINH: Final = unary("sinh", "Sinh", (*FLOATS, *COMPLEX))
COSH: Final = unary("cosh", "Cosh", (*FLOATS, *COMPLEX))
TANH: Final = unary("tanh", "Tanh", (*FLOATS, *COMPLEX))
ASINH: Final = unary("asinh", "Asinh", (*FLOATS, *COMPLEX))
ACOSH: Final = unary("acosh", "Acosh", (*FLOATS, *COMPLEX))
ATANH: Final = unary("atanh", "Atanh", (*FLOATS, *COMPLEX))

ERF: Final = unary("erf", "Erf")
ERFC: Final = unary("erfc", "Erfc")
ERFINV: Final = Row(
    "erfinv", "Erfinv", (Input("input_x"),), (Output("output_y"),), rules.same, promotion=Kind.INT_TO_FLOAT, dtypes=HALVES_AND_SINGLE
)

# Integers are whole already: their functions copy them, so these rows list floating types only.
FLOOR: Final = unary("floor", "Floor", FLOATS, Kind.SAME)
CEIL: Final = unary("ceil", "Ceil", FLOATS, Kind.SAME)
RINT: Final = unary("round", "Rint", FLOATS, Kind.SAME)
ROUND: Final = unary("round", "Round", FLOATS, Kind.SAME, attrs=(Attr("decimals", "int", 0),), rule=rules.attributes("decimals"))
TRUNC: Final = Row("trunc", "Trunc", (Input("input_x"),), (Output("output_y"),), rules.same, promotion=Kind.SAME, dtypes=HALVES_AND_SINGLE)
NAN_TO_NUM: Final = unary(
    "nan_to_num",
    "NanToNum",
    HALVES_AND_SINGLE,
    Kind.SAME,
    attrs=(Attr("nan", "float"), Attr("posinf", "float"), Attr("neginf", "float")),
    rule=rules.attributes("nan", "posinf", "neginf"),
)

# Two operands

# Sums, differences and products of unsigned integers are those of signed ones of the same size, bit by bit.
ADD: Final = binary("add", "Add", (*FLOATS, *INTS, d.bool_, *COMPLEX), bits=SAME_BITS)
SUB: Final = binary("sub", "Sub", (*FLOATS, *INTS, *COMPLEX), bits=SAME_BITS)
MUL: Final = binary("mul", "Mul", (*FLOATS, *INTS, d.bool_, *COMPLEX), bits=SAME_BITS)
DIV: Final = binary("div", "RealDiv", (*FLOATS, *COMPLEX), Kind.INT_TO_FLOAT)
FLOOR_DIV: Final = binary("floor_divide", "FloorDiv", (d.int8, d.int16, d.int64, d.uint8, d.uint16))
WHOLE_FLOOR_DIV: Final = binary("floor_divide", "FloorDiv", (d.int32, d.int64), via={d.uint32: d.int64}, attrs=(ON_AI_CPU,))
"""The AI Core divides integers as float32 (CANN 8.1.RC1, tbe, `dynamic/floor_div.py`, `truncate_div.py`, `mod.py`): 24 bits."""
TRUNCATE_DIV: Final = binary("div", "TruncateDiv", (d.int8, d.int16, d.int64, d.uint8, d.uint16), via={d.int32: d.int64, d.uint32: d.int64})
"""Of integers: floats are divided and not truncated by `dynamic/truncate_div.py`."""
FLOOR_MOD: Final = binary(
    "remainder", "FloorMod", (*FLOATS, d.int64), via=dict.fromkeys((d.int8, d.int16, d.int32, d.uint8, d.uint16, d.uint32), d.int64)
)
MOD: Final = binary("fmod", "Mod", (d.int8, d.uint8, d.int64), via=dict.fromkeys((d.int16, d.int32, d.uint16, d.uint32), d.int64))
FLOAT_MOD: Final = binary("fmod", "Mod", (d.float32, d.float16, d.float64), via={d.bfloat16: d.float32}, attrs=(ON_AI_CPU,))
"""The AI Core takes the quotient's float32 times the divisor away (`dynamic/mod.py`), the AI CPU what C's fmod gives."""
POW: Final = binary("pow", "Pow", (*FLOATS, *INTS, *COMPLEX), via=UNSIGNED_TO_SIGNED, bits={d.uint64: d.int64})
MAXIMUM: Final = binary("maximum", "Maximum", (*FLOATS, d.int8, d.int32, d.int64), via={**SMALL_TO_INT32, **UNSIGNED_TO_SIGNED})
MINIMUM: Final = binary("minimum", "Minimum", (*FLOATS, d.int8, d.int32, d.int64), via={**SMALL_TO_INT32, **UNSIGNED_TO_SIGNED})
ATAN2: Final = binary("atan2", "Atan2", FLOATS, Kind.INT_TO_FLOAT)
XLOGY: Final = binary("xlogy", "Xlogy", FLOATS, Kind.INT_TO_FLOAT)

# Three operands

CLIP: Final = Row(
    "clamp",
    "ClipByValueV2",
    (Input("x"), Input("clip_value_min"), Input("clip_value_max")),
    (Output("y"),),
    rules.broadcast,
    dtypes=(*FLOATS, *INTS, d.uint16, d.uint32, d.uint64),
)
CLIPPED_BY_CORE: Final = (d.float32, d.float16, d.bfloat16, d.int32, d.int64)
"""Dtypes of `CLIP` that an AI Core kernel takes. That of the AI CPU wants limits of one element, or of the operand's shape, both
(hicann/ops-math, `clip_by_value_v2_aicpu.cpp`, GetInputAndCheck)."""
LERP: Final = Row(
    "lerp",
    "Lerp",
    (Input("start"), Input("end"), Input("weight")),
    (Output("y"),),
    rules.broadcast,
    promotion=Kind.FLOAT_ONLY,
    dtypes=HALVES_AND_SINGLE,
)
ADDCMUL: Final = Row(
    "addcmul",
    "Addcmul",
    (Input("input_data"), Input("x1"), Input("x2"), Input("value")),
    (Output("y"),),
    rules.broadcast,
    dtypes=(*FLOATS, d.int8, d.uint8, d.int32, d.int64),
    via={d.int16: d.int32},
)
ADDCDIV: Final = Row(
    "addcdiv",
    "Addcdiv",
    (Input("input_data"), Input("x1"), Input("x2"), Input("value")),
    (Output("y"),),
    rules.broadcast,
    promotion=Kind.FLOAT_ONLY,
    dtypes=FLOATS,
)
