"""Rows of special functions, of floating-point representation and of the greatest common divisor."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import FLOATS, HALVES_AND_SINGLE, UNSIGNED_TO_SIGNED, binary, unary

_HALVES_TO_SINGLE: Final = {d.float16: d.float32, d.bfloat16: d.float32}

LGAMMA: Final = unary("lgamma", "Lgamma", (d.float32, d.float16, d.float64), via={d.bfloat16: d.float32})
DIGAMMA: Final = unary("digamma", "Digamma", (d.float32, d.float16, d.float64), via={d.bfloat16: d.float32})
BESSEL_I0E: Final = unary("i0e", "BesselI0e", FLOATS)
BESSEL_I1E: Final = unary("i1e", "BesselI1e", FLOATS)
EXPINT: Final = unary("expi", "Expint", (d.float32,), via=_HALVES_TO_SINGLE)
SPENCE: Final = unary("spence", "Spence", HALVES_AND_SINGLE)
NDTRI: Final = unary("ndtri", "Ndtri", HALVES_AND_SINGLE)
LOGIT: Final = unary("logit", "Logit", HALVES_AND_SINGLE, attrs=(Attr("eps", "float", -1.0),))


def _two(name: str, op_type: str, inputs: tuple[str, str], output: str, promotion: Kind) -> Row:
    """A row of an AI CPU operator that takes no half types."""
    return Row(
        name,
        op_type,
        (Input(inputs[0]), Input(inputs[1])),
        (Output(output),),
        rules.broadcast,
        promotion=promotion,
        dtypes=(d.float32, d.float64),
        via=_HALVES_TO_SINGLE,
    )


ZETA: Final = _two("zeta", "Zeta", ("x", "q"), "z", Kind.INT_TO_FLOAT)
IGAMMA: Final = _two("gammainc", "Igamma", ("a", "x"), "z", Kind.FLOAT_ONLY)
IGAMMAC: Final = _two("gammaincc", "Igammac", ("a", "x"), "z", Kind.FLOAT_ONLY)
XLOG1PY: Final = Row(
    "xlog1py",
    "Xlog1py",
    (Input("x"), Input("y")),
    (Output("z"),),
    rules.broadcast,
    promotion=Kind.INT_TO_FLOAT,
    dtypes=HALVES_AND_SINGLE,
)
_EXPONENT: Final = (Attr("scale", "float", 1.0), Attr("shift", "float", 0.0))
LOG_ADD_EXP: Final = binary("logaddexp", "LogAddExp", HALVES_AND_SINGLE, Kind.FLOAT_ONLY, attrs=(Attr("base", "float", -1.0), *_EXPONENT))
LOG_ADD_EXP2: Final = binary("logaddexp2", "LogAddExp", HALVES_AND_SINGLE, Kind.FLOAT_ONLY, attrs=(Attr("base", "float", 2.0), *_EXPONENT))
NEXT_AFTER: Final = Row(
    "nextafter",
    "NextAfter",
    (Input("x1"), Input("x2")),
    (Output("output"),),
    rules.broadcast,
    promotion=Kind.FLOAT_ONLY,
    dtypes=(d.float32, d.float64),
)
GCD: Final = binary("gcd", "Gcd", (d.int16, d.int32, d.int64), Kind.INTEGRAL, {d.int8: d.int16, d.uint8: d.int16, **UNSIGNED_TO_SIGNED})
AXPY: Final = Row(
    "add",
    "AxpyV2",
    (Input("x1"), Input("x2"), Input("alpha")),
    (Output("y"),),
    rules.broadcast,
    dtypes=(*HALVES_AND_SINGLE, d.int32),
)
FUSED_MUL_ADD: Final = Row(
    "fma",
    "FusedMulAdd",
    (Input("x1"), Input("x2"), Input("x3")),
    (Output("y"),),
    rules.broadcast,
    dtypes=(d.float32, d.float16, d.int32),
    via={d.bfloat16: d.float32, d.int8: d.int32, d.int16: d.int32, d.uint8: d.int32},
)
