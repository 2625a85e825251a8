"""Rows that read and write by index tensors and masks, as `t[...]` does."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..rules import indexing as rules
from ..schema import Attr, Input, Output, Row
from .forms import MOVED, ON_AI_CPU

_INDICES: Final = (d.int64, d.int32)
_WORDS: Final = {d.float64: d.int64, d.complex64: d.int64, d.uint32: d.int32, d.uint64: d.int64, d.int16: d.float16, d.uint16: d.float16}
"""Elements that are only moved, and a dtype of the same size with a kernel."""

TAKE: Final = Row(
    "index",
    "GatherV2",
    (Input("x"), Input("indices", dtype=d.int64, accepts=_INDICES), Input("axis", "const", d.int64)),
    (Output("y"),),
    rules.take,
    (Attr("batch_dims", "int", 0), Attr("is_preprocessed", "bool", False), Attr("negative_index_support", "bool", False)),
    Kind.SAME,
)
"""One index tensor on one axis; the attribute `negative_index_support` makes negative ones count from the end."""

ELEMENTS: Final = Row("contiguous", "GatherV2", TAKE.inputs, TAKE.outputs, rules.take, TAKE.attrs, Kind.SAME, bits=MOVED)
"""Elements of a vector by their places."""

INDEX: Final = Row(
    "index",
    "Index",
    (
        Input("x"),
        Input("indexed_sizes", "const", d.int64),
        Input("indexed_strides", "const", d.int64),
        Input("indices", "repeated", d.int64, _INDICES),
    ),
    (Output("y"),),
    rules.index,
    promotion=Kind.SAME,
    dtypes=(d.float32, d.float16, d.bfloat16, d.int64, d.int32, d.bool_, d.uint8, d.int8),
    bits=_WORDS,
)
"""Several index tensors, each on an axis of its own.

Negative ones need no launch of their own: the AI Core kernels of Index and IndexPutV2 take each as (index + length) % length (CANN 8,
`opp/built-in/op_impl/ai_core/tbe/impl/dynamic/index.py`, "fix negative index", and `index_put_v2.py`).
"""

INDEX_PUT: Final = Row(
    "index_put_",
    "IndexPutV2",
    (
        Input("x"),
        Input("value"),
        Input("indexed_sizes", "const", d.int64),
        Input("indexed_strides", "const", d.int64),
        Input("indices", "repeated", d.int64, _INDICES),
    ),
    (Output("x", alias="x"),),
    rules.index_put,
    (Attr("accumulate", "bool", False),),
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16, d.int64, d.int32, d.bool_, d.uint8, d.int8),
    bits=_WORDS,
)
"""Writes in place; of several values for one place the last one stays."""

INDEX_PUT_LATER: Final = Row(
    "index_put_",
    "IndexPutV2",
    INDEX_PUT.inputs,
    INDEX_PUT.outputs,
    rules.index_put,
    (*INDEX_PUT.attrs, ON_AI_CPU),
    Kind.SAME,
    INDEX_PUT.dtypes,
    bits=_WORDS,
)
"""`INDEX_PUT` with axes before those that have index tensors: CANN's AI Core kernel does not ask for the mask when it is chosen (CANN
8.1.RC1, `index_put_v2.py`, check_supported), and op-plugin gives such masks to the AI CPU (IndexPutKernelNpu.cpp, is_aicpu_valid)."""

INDEX_ADD: Final = Row(
    "index_put_",
    "IndexPutV2",
    INDEX_PUT.inputs,
    INDEX_PUT.outputs,
    rules.index_put,
    INDEX_PUT.attrs,
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16, d.int64, d.int32, d.uint8, d.int8),
)
"""`INDEX_PUT` that adds: no dtype may be passed off as another."""

INDEX_ADD_LATER: Final = Row(
    "index_put_",
    "IndexPutV2",
    INDEX_PUT.inputs,
    INDEX_PUT.outputs,
    rules.index_put,
    INDEX_PUT_LATER.attrs,
    Kind.SAME,
    INDEX_ADD.dtypes,
)
"""`INDEX_ADD` with axes before those that have index tensors."""

COORDINATES_ADD: Final = Row(
    "index_put_",
    "ScatterNdAdd",
    (Input("var"), Input("indices", dtype=d.int64, accepts=_INDICES), Input("updates")),
    (Output("var", alias="var"),),
    rules.coordinates,
    (Attr("use_locking", "bool", False),),
    Kind.SAME,
    (d.float64, d.complex64, d.complex128),
)
"""`INDEX_ADD` for dtypes that IndexPutV2 lacks: indices are coordinates of the leading axes, side by side on their last axis."""

PLACES: Final = Row(
    "index",
    "NonZero",
    (Input("x"),),
    (Output("y", d.int64),),
    rules.places,
    (Attr("transpose", "bool", False), Attr("dtype", "data_type", int(d.int64.acl))),
    Kind.SAME,
    (d.bool_,),
    data_dependent=True,
)
"""Positions of the true elements of a flat mask, as one row."""
