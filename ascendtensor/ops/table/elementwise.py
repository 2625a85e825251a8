"""Rows of element-wise operators."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, FLOATS, INTS, binary, unary

CAST: Final = Row("to", "Cast", (Input("x"),), (Output("y"),), rules.cast, (Attr("dst_type", "int"),), Kind.SAME)

ADD: Final = binary("add", "Add", (*FLOATS, *INTS, d.bool_, *COMPLEX))
SUB: Final = binary("sub", "Sub", (*FLOATS, *INTS, *COMPLEX))
MUL: Final = binary("mul", "Mul", (*FLOATS, *INTS, d.bool_, *COMPLEX))
DIV: Final = binary("div", "RealDiv", (*FLOATS, *COMPLEX), Kind.INT_TO_FLOAT)

EXP: Final = unary(
    "exp", "Exp", (*FLOATS, *COMPLEX), attrs=(Attr("base", "float", -1.0), Attr("scale", "float", 1.0), Attr("shift", "float", 0.0))
)
RELU: Final = unary("relu", "Relu", (*FLOATS, *INTS), Kind.SAME)
