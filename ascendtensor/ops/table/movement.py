"""Rows of operators that move elements without looking at them."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from .. import rules
from ..rules import shape as shape_rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, FLOATS, HALVES_AND_SINGLE, INTS, MOVED, UNSIGNED

FILL: Final = Row(
    "full",
    "Fill",
    (Input("dims", "const", d.int64), Input("value")),
    (Output("y"),),
    rules.fill,
    bits={d.float64: d.int64, d.complex64: d.int64, d.uint8: d.int8},
)
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
TRANSPOSE: Final = Row(
    "contiguous",
    "Transpose",
    (Input("x"), Input("perm", "const", d.int64)),
    (Output("y"),),
    rules.transposed,
    promotion=Kind.SAME,
    bits=MOVED,
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
    rules.like_first,
    promotion=Kind.SAME,
    bits=MOVED,
    per_call=True,
)
FLIP: Final = Row(
    "flip",
    "ReverseV2",
    (Input("x"), Input("axis", "const", d.int64)),
    (Output("y"),),
    rules.flip,
    promotion=Kind.SAME,
    bits={d.complex64: d.int64, d.float64: d.int64, d.uint32: d.int32, d.uint64: d.int64},
)

# Joining, repeating, padding

CONCAT: Final = Row(
    "cat",
    "ConcatD",
    (Input("x", "repeated"),),
    (Output("y"),),
    shape_rules.concat,
    (Attr("concat_dim", "int"), Attr("N", "int", 1)),
    dtypes=(*HALVES_AND_SINGLE, *INTS, *UNSIGNED),
    bits=MOVED,
)
PACK: Final = Row(
    "stack",
    "Pack",
    (Input("x", "repeated"),),
    (Output("y"),),
    shape_rules.stack,
    (Attr("axis", "int", 0), Attr("N", "int", 1)),
    dtypes=(*HALVES_AND_SINGLE, *INTS, *UNSIGNED, d.bool_),
    bits={d.float64: d.int64, d.complex64: d.int64},
)
TILE: Final = Row(
    "tile",
    "Tile",
    (Input("x"), Input("multiples", "const", d.int64)),
    (Output("y"),),
    shape_rules.tile,
    promotion=Kind.SAME,
    dtypes=(*FLOATS, *INTS, *UNSIGNED, d.bool_, *COMPLEX),
)
REPEAT_INTERLEAVE: Final = Row(
    "repeat_interleave",
    "RepeatInterleave",
    (Input("x"), Input("repeats", dtype=d.int64, accepts=(*INTS, *UNSIGNED))),
    (Output("y"),),
    shape_rules.repeat_each,
    (Attr("axis", "int", 1000),),
    promotion=Kind.SAME,
    dtypes=(*HALVES_AND_SINGLE, *INTS, *UNSIGNED),
    bits=MOVED,
    per_call=True,  # the tiling reads the repeats; the size is no bound, since the chip believes it (InferShape is given the values)
)
TRIL: Final = Row(
    "tril",
    "Tril",
    (Input("x"),),
    (Output("y"),),
    shape_rules.triangle,
    (Attr("diagonal", "int", 0),),
    promotion=Kind.SAME,
    dtypes=(*FLOATS, *INTS, *UNSIGNED, d.bool_),
    bits={d.complex64: d.int64},
)
TRIU: Final = Row(
    "triu",
    "Triu",
    (Input("x"),),
    (Output("y"),),
    shape_rules.triangle,
    (Attr("diagonal", "int", 0),),
    promotion=Kind.SAME,
    dtypes=(*FLOATS, *INTS, *UNSIGNED, d.bool_),
    bits={d.complex64: d.int64},
)
DIAG_FLAT: Final = Row(
    "diagflat",
    "DiagFlat",
    (Input("x"),),
    (Output("y"),),
    shape_rules.diagonal_matrix,
    (Attr("diagonal", "int", 0),),
    promotion=Kind.SAME,
    dtypes=(*FLOATS, *INTS, *UNSIGNED, d.complex64),
    bits={d.bool_: d.uint8},
)
PAD: Final = Row(
    "pad",
    "PadV3",
    (Input("x"), Input("paddings", "const", d.int64), Input("constant_values", "optional")),
    (Output("y"),),
    shape_rules.pad,
    (Attr("mode", "string", "constant"), Attr("paddings_contiguous", "bool", True)),
    promotion=Kind.SAME,
    dtypes=(*FLOATS, *INTS, *UNSIGNED, *COMPLEX),
    bits={d.bool_: d.int8},
)
MIRROR_PAD: Final = Row(
    "pad",
    "MirrorPad",
    (Input("x"), Input("paddings", "const", d.int64)),
    (Output("y"),),
    shape_rules.mirror_pad,
    (Attr("mode", "string"),),
    promotion=Kind.SAME,
    dtypes=(*HALVES_AND_SINGLE, d.int16, d.int32, d.int64, d.uint16),
    via={d.int8: d.int16, d.uint8: d.int16, d.bool_: d.int16},
    bits={d.float64: d.int64, d.complex64: d.int64, d.uint32: d.int32, d.uint64: d.int64},
)
