"""Dtype sets and shapes of rows that families share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ... import dtypes as d
from ...dtypes import dtype as DType
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row, Rule

FLOATS: Final = (d.float32, d.float16, d.bfloat16, d.float64)
SIGNED: Final = (d.int8, d.int16, d.int32, d.int64)
INTS: Final = (*SIGNED, d.uint8)
UNSIGNED: Final = (d.uint16, d.uint32, d.uint64)
COMPLEX: Final = (d.complex64, d.complex128)

HALVES_AND_SINGLE: Final = (d.float32, d.float16, d.bfloat16)

SMALL_TO_INT32: Final = {d.int16: d.int32, d.uint8: d.int32, d.bool_: d.int32}
"""Small types and one that holds their values, for operators whose results fit the small type again."""
UNSIGNED_TO_SIGNED: Final = {d.uint16: d.int32, d.uint32: d.int64}
"""The same for unsigned types; nothing holds every uint64."""
SAME_BITS: Final = {d.uint16: d.int16, d.uint32: d.int32, d.uint64: d.int64}
"""For operators that do the same to the bits of signed and unsigned integers."""

MOVED: Final = {d.bool_: d.uint8, d.float64: d.int64, d.complex64: d.int64}
"""For operators that only move elements: dtypes without a kernel of their own, and one of the same size that has one."""

ON_AI_CPU: Final = Attr("_exclude_engines", "string", "AiCore")
"""The graph engine's own attribute, which keeps an operator off the AI Core; for operators whose kernel there gives other results."""

Via = Mapping[DType, DType]


def binary(name: str, op_type: str, dtypes: tuple[DType, ...], promotion: Kind = Kind.DEFAULT, via: Via | None = None, **more: Any) -> Row:
    """A row of two operands x1 and x2 that broadcast."""
    return Row(
        name,
        op_type,
        (Input("x1"), Input("x2")),
        (Output("y"),),
        rules.broadcast,
        promotion=promotion,
        dtypes=dtypes,
        via=via or {},
        **more,
    )


def unary(
    name: str,
    op_type: str,
    dtypes: tuple[DType, ...] = FLOATS,
    promotion: Kind = Kind.INT_TO_FLOAT,
    via: Via | None = None,
    attrs: tuple[Attr, ...] = (),
    rule: Rule = rules.same,
    bits: Via | None = None,
) -> Row:
    """A row of one operand x with an output of its shape."""
    return Row(name, op_type, (Input("x"),), (Output("y"),), rule, attrs, promotion, dtypes, via or {}, bits or {})


def reduction(name: str, op_type: str, dtypes: tuple[DType, ...], promotion: Kind, identity: Any = None, via: Via | None = None) -> Row:
    """A row that reduces x over constant axes."""
    return Row(
        name,
        op_type,
        (Input("x"), Input("axes", "const", d.int64)),
        (Output("y"),),
        rules.reduce,
        (Attr("keep_dims", "bool", False),),
        promotion,
        dtypes,
        via or {},
        identity=identity,
    )
