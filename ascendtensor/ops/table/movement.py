"""Rows of operators that move elements without looking at them."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..schema import Input, Output, Row
from .forms import MOVED

FILL: Final = Row("full", "Fill", (Input("dims", "const", d.int64), Input("value")), (Output("y"),), rules.fill, bits={d.float64: d.int64, d.complex64: d.int64, d.uint8: d.int8})
CLONE: Final = Row("clone", "TensorMove", (Input("x"),), (Output("y"),), rules.same, promotion=Kind.SAME, bits=MOVED)
AS_STRIDED: Final = Row(
    "contiguous",
    "AsStrided",
    (Input("x"), Input("size", "value", d.int64), Input("stride", "value", d.int64), Input("storage_offset", "value", d.int64)),
    (Output("y"),),
    rules.as_strided,
    promotion=Kind.SAME,
    bits=MOVED,
    per_call=True,
)
VIEW_COPY: Final = Row(
    "copy_",
    "ViewCopy",
    (
        Input("dst"),
        Input("dst_size", "value", d.int64),
        Input("dst_stride", "value", d.int64),
        Input("dst_storage_offset", "value", d.int64),
        Input("src"),
        Input("src_size", "value", d.int64),
        Input("src_stride", "value", d.int64),
        Input("src_storage_offset", "value", d.int64),
    ),
    (Output("dst", alias="dst"),),
    rules.same,
    promotion=Kind.SAME,
    bits=MOVED,
    per_call=True,
)
FLIP: Final = Row("flip", "ReverseV2", (Input("x"), Input("axis", "const", d.int64)), (Output("y"),), rules.flip, promotion=Kind.SAME, bits={d.complex64: d.int64, d.float64: d.int64, d.uint32: d.int32, d.uint64: d.int64})
