"""Rows of tables of vectors, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE, INTS

_INDICES: Final = (*INTS, d.uint16, d.uint32)


def bags(operands: Sequence[Meta], mode: str, last: bool, padding: int) -> Outcome:
    """A row for each bag, the bag of each index, the size of each bag, and which index each largest element comes from."""
    length, indices = operands[0].shape[1], operands[1].shape[0]
    count = operands[2].shape[0] - (1 if last else 0)
    largest = (count, length) if mode == "max" else (count,)
    return Outcome(
        ((count, length), (indices,), (count,), largest),
        attrs={"mode": mode, "include_last_offset": bool(last), "padding_idx": padding},
    )


def gradient(operands: Sequence[Meta], rows: int, padding: int, by_frequency: bool) -> Outcome:
    """A table whose rows are sums of gradients."""
    return Outcome(
        ((rows, operands[0].shape[-1]),),
        attrs={"num_weights": rows, "padding_idx": padding, "scale_grad_by_freq": bool(by_frequency)},
    )


EMBEDDING_BAG: Final = Row(
    "embedding_bag",
    "EmbeddingBag",
    (
        Input("weight"),
        Input("indices", dtype=d.int32, accepts=_INDICES),
        Input("offsets", "optional", d.int32, _INDICES),
        Input("per_sample_weights", "optional"),
    ),
    (Output("y"), Output("offset2bag", d.int32), Output("bag_size", d.int32), Output("max_indices", d.int32)),
    bags,
    (
        Attr("mode", "string", "mean"),
        Attr("scale_grad_by_freq", "bool", False),
        Attr("sparse", "bool", False),
        Attr("include_last_offset", "bool", False),
        Attr("padding_idx", "int", -1),
    ),
    Kind.SAME,
    HALVES_AND_SINGLE,
)
EMBEDDING_GRADIENT: Final = Row(
    "embedding_dense_backward",
    "EmbeddingDenseGrad",
    (Input("grad"), Input("indices", dtype=d.int64, accepts=_INDICES)),
    (Output("y"),),
    gradient,
    (Attr("num_weights", "int"), Attr("padding_idx", "int", -1), Attr("scale_grad_by_freq", "bool", False)),
    Kind.FLOAT_ONLY,
    (d.float32,),
    {d.float16: d.float32, d.bfloat16: d.float32},
)
