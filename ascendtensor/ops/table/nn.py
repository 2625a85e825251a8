"""Rows of softmax and one-hot vectors, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import FLOATS, INTS, UNSIGNED

Shape = tuple[int, ...]


def along(operands: Sequence[Meta], dim: int) -> Outcome:
    """A function along one dim, given as an attribute."""
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    seen = shape or (1,)
    return Outcome((shape,), attrs={"axes": (axis,)}, inputs=(seen,), outputs=(seen,))


def along_to_single(operands: Sequence[Meta], dim: int) -> Outcome:
    """As `along`, from float16 to float32."""
    found = along(operands, dim)
    return found._replace(attrs={**found.attrs, "half_to_float": True})


def one_hot(operands: Sequence[Meta], classes: int) -> Outcome:
    """A new last axis with a one at each index."""
    shape = operands[0].shape
    seen = shape or (1,)
    return Outcome(((*shape, classes),), constants={"depth": classes}, inputs=(seen, (1,), (1,)), outputs=((*seen, classes),))


SOFTMAX: Final = Row(
    "softmax",
    "SoftmaxV2",
    (Input("x"),),
    (Output("y"),),
    along,
    (Attr("axes", "list_int", (-1,)), Attr("half_to_float", "bool", False)),
    Kind.FLOAT_ONLY,
    FLOATS,
)
SOFTMAX_TO_SINGLE: Final = replace(SOFTMAX, outputs=(Output("y", d.float32),), rule=along_to_single, dtypes=(d.float16,))
LOG_SOFTMAX: Final = Row(
    "log_softmax",
    "LogSoftmaxV2",
    (Input("logits"),),
    (Output("logsoftmax"),),
    along,
    (Attr("axes", "list_int", (-1,)),),
    Kind.FLOAT_ONLY,
    FLOATS,
)
ONE_HOT: Final = Row(
    "one_hot",
    "OneHot",
    (Input("x", dtype=d.int64, accepts=(*INTS, *UNSIGNED)), Input("depth", "const", d.int32), Input("on_value"), Input("off_value")),
    (Output("y"),),
    one_hot,
    (Attr("axis", "int", -1),),
    Kind.DEFAULT,
    (d.float32, d.float16, d.int32, d.int64, d.float64),
    {d.bfloat16: d.float32},
)
