"""Rows that gather and scatter along a dimension, and that depend on masks."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..rules import gather as rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, FLOATS, HALVES_AND_SINGLE, INTS, SAME_BITS, UNSIGNED

_PLACES: Final = (*INTS, *UNSIGNED)
_INDICES: Final = Input("indices", dtype=d.int64, accepts=_PLACES)

GATHER: Final = Row(
    "gather",
    "GatherElements",
    (Input("x"), Input("index", dtype=d.int64, accepts=_PLACES)),
    (Output("y"),),
    rules.gather,
    (Attr("dim", "int", 0),),
    Kind.SAME,
    (*HALVES_AND_SINGLE, *INTS, *UNSIGNED),
    bits={d.bool_: d.uint8, d.float64: d.int64, d.complex64: d.int64},
)
SCATTER: Final = Row(
    "scatter",
    "ScatterElements",
    (Input("data"), _INDICES, Input("updates")),
    (Output("y"),),
    rules.scatter,
    (Attr("axis", "int", 0), Attr("reduction", "string", "none")),
    Kind.SAME,
    (*FLOATS, *INTS, *UNSIGNED, *COMPLEX),
    bits={d.bool_: d.uint8},
)
SCATTER_REDUCE: Final = Row(
    "scatter_reduce",
    "ScatterElements",
    SCATTER.inputs,
    SCATTER.outputs,
    rules.scatter,
    SCATTER.attrs,
    Kind.SAME,
    SCATTER.dtypes,
)
"""`SCATTER` that adds or multiplies: bool may not be passed off as a number."""

INPLACE_INDEX_ADD: Final = Row(
    "index_add",
    "InplaceIndexAdd",
    (Input("var"), _INDICES, Input("updates"), Input("alpha", "optional")),
    (Output("var", alias="var"),),
    rules.index_add,
    (Attr("axis", "int"),),
    Kind.SAME,
    (*FLOATS, *INTS),
    bits=SAME_BITS,
)
SCATTER_MAX: Final = Row(
    "scatter_reduce",
    "ScatterNdMax",
    (Input("var"), _INDICES, Input("updates")),
    (Output("var", alias="var"),),
    rules.scatter_coordinates,
    (Attr("use_locking", "bool", False),),
    Kind.SAME,
    (d.float32, d.float16, d.float64, *INTS, *UNSIGNED),
)
SCATTER_MIN: Final = Row(
    "scatter_reduce",
    "ScatterNdMin",
    SCATTER_MAX.inputs,
    SCATTER_MAX.outputs,
    rules.scatter_coordinates,
    SCATTER_MAX.attrs,
    Kind.SAME,
    SCATTER_MAX.dtypes,
)
NONZERO: Final = Row(
    "nonzero",
    "NonZero",
    (Input("x"),),
    (Output("y", d.int64),),
    rules.nonzero,
    (Attr("transpose", "bool", False), Attr("dtype", "data_type", d.int64.acl)),
    Kind.SAME,
    (*FLOATS, *INTS, *UNSIGNED, d.bool_),
    data_dependent=True,
)
MASKED_SELECT: Final = Row(
    "masked_select",
    "MaskedSelect",
    (Input("x"), Input("mask", dtype=d.bool_, accepts=(d.bool_,))),
    (Output("y"),),
    rules.masked_select,
    (),
    Kind.SAME,
    (*FLOATS, *INTS, *UNSIGNED, *COMPLEX),
    bits={d.bool_: d.uint8},
    data_dependent=True,
)
MASKED_SCATTER: Final = Row(
    "masked_scatter",
    "MaskedScatter",
    (Input("x"), Input("mask", dtype=d.bool_, accepts=(d.bool_,)), Input("updates")),
    (Output("y"),),
    rules.masked_scatter,
    (),
    Kind.SAME,
    (*HALVES_AND_SINGLE, *INTS),
    bits={d.bool_: d.uint8, d.float64: d.int64, d.complex64: d.int64, **SAME_BITS},
)
LIST_DIFF: Final = Row(
    "setdiff1d",
    "ListDiff",
    (Input("x"), Input("y")),
    (Output("out"), Output("idx", d.int64)),
    rules.list_difference,
    (Attr("out_idx", "data_type", d.int32.acl),),
    Kind.DEFAULT,
    (d.float32, d.float16, d.float64, d.uint8, d.int8, d.int16, d.uint16, d.int32, d.int64),
    via={d.bfloat16: d.float32},
    bits={d.bool_: d.uint8, d.uint32: d.int32, d.uint64: d.int64},
    data_dependent=True,
)
