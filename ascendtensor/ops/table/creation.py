"""Rows of operators that make tensors of numbers, or of choices of them. Fill is in `movement`, which the launch road itself needs."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..rules import creation as rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, INTS, UNSIGNED

RANGE: Final = Row(
    "arange",
    "Range",
    (Input("start"), Input("limit"), Input("delta")),
    (Output("y"),),
    rules.arange,
    (Attr("is_closed", "bool", False),),
    dtypes=(d.float32, d.float64, d.int32, d.int64),
    # Half types have kernels, but count the elements in half precision.
    via={
        d.float16: d.float32,
        d.bfloat16: d.float32,
        d.int8: d.int32,
        d.int16: d.int32,
        d.uint8: d.int32,
        d.uint16: d.int32,
        d.uint32: d.int64,
    },
    bits={d.uint64: d.int64},
    per_call=True,  # the length follows from the values, which the tiling reads
)
COMBINATIONS: Final = Row(
    "combinations",
    "Combinations",
    (Input("x"),),
    (Output("y"),),
    rules.combinations,
    (Attr("r", "int", 2), Attr("with_replacement", "bool", False)),
    Kind.SAME,
    (d.float32, d.float16, d.float64, *INTS, *UNSIGNED, *COMPLEX, d.bool_),
    bits={d.bfloat16: d.int16},
)
LIN_SPACE: Final = Row(
    "linspace",
    "LinSpace",
    (Input("start"), Input("stop"), Input("num", "const", d.int64)),
    (Output("output"),),
    rules.linspace,
    dtypes=(d.float32, d.float64),
    via={d.float16: d.float32, d.bfloat16: d.float32},
)
