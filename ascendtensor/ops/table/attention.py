"""The row of attention's scores: products of half matrices that stay float32."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..schema import Attr, Input, Output, Row
from .matrix import stacks

SCORES: Final = Row(
    "scaled_dot_product_attention",
    "BatchMatMulV2",
    (Input("x1"), Input("x2")),
    (Output("y", d.float32),),
    stacks,
    (Attr("adj_x1", "bool", False), Attr("adj_x2", "bool", False), Attr("offset_x", "int", 0)),
    Kind.SAME,
    (d.float16, d.bfloat16),
    identity=0,
    numbers=False,
)
