"""Rows of matrix products."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import FLOATS

MATMUL: Final = Row(
    "matmul",
    "MatMulV2",
    (Input("x1"), Input("x2")),
    (Output("y"),),
    rules.matmul,
    (Attr("transpose_x1", "bool", False), Attr("transpose_x2", "bool", False), Attr("offset_x", "int", 0)),
    Kind.SAME,
    (*FLOATS, d.int32),
    identity=0,
)
