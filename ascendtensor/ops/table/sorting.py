"""Rows of sorting, selecting and finding, and their rules.

Sort and TopKV2 have AI Core kernels for the float types of up to 32 bits and look along the last axis only; integers are sorted by the AI
CPU kernel of Sort and selected by that of TopK, which also orders float64. Their indices are int32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError, ValueRangeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import COMPLEX, INTS, UNSIGNED

FLATTENED: Final = 1000
"""The axis of UniqueConsecutive that means all of them (its prototype's default)."""


def ordered(operands: Sequence[Meta], descending: bool, stable: bool) -> Outcome:
    """Values and indices of the last axis in order."""
    shape = operands[0].shape
    seen = shape or (1,)
    return Outcome((shape, shape), attrs={"descending": bool(descending), "stable": bool(stable)}, inputs=(seen,), outputs=(seen, seen))


def selected(operands: Sequence[Meta], k: int, largest: bool, in_order: bool) -> Outcome:
    """The k first of the last axis."""
    shape = operands[0].shape
    seen = shape or (1,)
    if not 0 <= k <= seen[-1]:
        raise ValueRangeError(f"selected index k out of range: {k} elements of a dimension of size {seen[-1]}")
    taken = (*seen[:-1], k)
    given = (*shape[:-1], k) if shape else () if k else (0,)
    attrs = {"sorted": bool(in_order), "largest": bool(largest)}
    return Outcome((given, given), constants={"k": k}, attrs=attrs, inputs=(seen,), outputs=(taken, taken))


def unique(operands: Sequence[Meta], inverse: bool, count: bool) -> Outcome:
    """Upper bounds of the unique elements of all axes."""
    shape = operands[0].shape
    elements = shapes.numel(shape)
    seen = shape or (1,)
    return Outcome(
        ((elements,), seen if inverse else (elements,), (elements,)),
        attrs={"return_inverse": bool(inverse), "return_counts": bool(count)},
        inputs=(seen,),
    )


def unique_rows(operands: Sequence[Meta], dim: int) -> Outcome:
    """Upper bounds of the unique slices along one axis."""
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    if not shape:
        raise ShapeError("a 0-d tensor has no dim to look along", advice="Leave dim out.")
    length = (shape[axis],)
    attrs = {"sorted": True, "return_inverse": True}
    return Outcome((shape, length, length, length), constants={"axis": (axis,)}, attrs=attrs)


def unique_runs(operands: Sequence[Meta], inverse: bool, count: bool, dim: int | None) -> Outcome:
    """Upper bounds of the first element, or slice along one axis, of each run of equal ones."""
    shape = operands[0].shape
    seen = shape or (1,)
    attrs = {"return_idx": bool(inverse), "return_counts": bool(count)}
    if dim is None:
        elements = (shapes.numel(shape),)
        return Outcome((elements, seen if inverse else elements, elements), attrs=attrs, inputs=(seen,))
    axis = shapes.normalize_dim(dim, len(shape))
    length = (seen[axis],)
    return Outcome((seen, length, length), attrs={**attrs, "axis": axis}, inputs=(seen,))


def search(operands: Sequence[Meta], right: bool) -> Outcome:
    """Where values belong in sorted rows."""
    rows, values = operands[0].shape, operands[1].shape
    if len(rows) != 1 and (len(rows) != len(values) or rows[:-1] != values[:-1]):
        raise ShapeError(
            f"boundaries of shape {list(rows)} do not fit values of shape {list(values)}",
            advice="The boundaries have one dimension, or all but the last are those of the values.",
        )
    seen = values or (1,)
    return Outcome((values,), attrs={"right": bool(right)}, inputs=(rows, seen), outputs=(seen,))


_PLACES: Final = Output("indices", d.int32)

SORT: Final = Row(
    "sort",
    "Sort",
    (Input("x"),),
    (Output("y1"), Output("y2", d.int32)),
    ordered,
    (Attr("axis", "int", -1), Attr("descending", "bool", False), Attr("stable", "bool", False)),
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16, *INTS),
    {d.bool_: d.uint8, d.uint16: d.int32, d.uint32: d.int64},
)
TOPK: Final = Row(
    "topk",
    "TopKV2",
    (Input("x"), Input("k", "const", d.int32)),
    (Output("values"), _PLACES),
    selected,
    (Attr("sorted", "bool", True), Attr("dim", "int", -1), Attr("largest", "bool", True)),
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16),
)
TOPK_EXACT: Final = Row(
    "topk",
    "TopK",
    (Input("x"), Input("k", "const", d.int32)),
    (Output("values"), _PLACES),
    selected,
    (Attr("sorted", "bool", True), Attr("largest", "bool", True), Attr("dim", "int", -1)),
    Kind.SAME,
    (d.float64, *INTS, *UNSIGNED),
    {d.bool_: d.uint8},
)
UNIQUE: Final = Row(
    "unique",
    "UniqueWithCountsAndSorting",
    (Input("x"),),
    (Output("y"), Output("indices", d.int64), Output("counts", d.int64)),
    unique,
    (Attr("return_inverse", "bool", False), Attr("return_counts", "bool", False), Attr("sorted", "bool", True)),
    Kind.SAME,
    (d.float32, d.bfloat16, d.float64, *INTS, *UNSIGNED),
    {d.float16: d.float32, d.bool_: d.uint8},
    data_dependent=True,
)
UNIQUE_DIM: Final = Row(
    "unique",
    "UniqueWithCountsExt2",
    (Input("x"), Input("axis", "const", d.int64)),
    (Output("y"), Output("idx", d.int64), Output("count", d.int64), Output("inverse_idx", d.int64)),
    unique_rows,
    (Attr("out_idx", "data_type", d.int64.acl), Attr("sorted", "bool", False), Attr("return_inverse", "bool", False)),
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16, d.float64, *INTS, *UNSIGNED, d.bool_),
    data_dependent=True,
)
UNIQUE_CONSECUTIVE: Final = Row(
    "unique_consecutive",
    "UniqueConsecutive",
    (Input("x"),),
    (Output("y"), Output("idx", d.int64), Output("count", d.int64)),
    unique_runs,
    (Attr("return_idx", "bool", False), Attr("return_counts", "bool", False), Attr("axis", "int", FLATTENED)),
    Kind.SAME,
    (d.float32, d.float16, d.bfloat16, d.float64, *INTS, *UNSIGNED, d.bool_, *COMPLEX),
    data_dependent=True,
)
SEARCHSORTED: Final = Row(
    "searchsorted",
    "SearchSorted",
    (Input("sorted_sequence"), Input("values")),
    (Output("out", d.int64),),
    search,
    (Attr("dtype", "data_type", d.int64.acl), Attr("right", "bool", False)),
    Kind.DEFAULT,
    (d.float32, d.float16, *INTS),
    {d.bfloat16: d.float32, d.bool_: d.uint8, d.uint16: d.int32, d.uint32: d.int64},
    identity=0,
)
