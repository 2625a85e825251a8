"""Rows of complex numbers: made of two real ones, their angles and conjugates. Their parts are views; ComplexAbs is in `elementwise`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import COMPLEX, unary


def joined(operands: Sequence[Meta]) -> Outcome:
    """Complex numbers of their parts, which broadcast; the result's dtype is an attribute too."""
    real, imag = operands
    common = shapes.broadcast_shapes(real.shape, imag.shape)
    return Outcome((common,), attrs={"Tout": real.dtype.to_complex().acl})


def _complex(parts: d.DType) -> Row:
    return Row(
        "complex",
        "Complex",
        (Input("real"), Input("imag")),
        (Output("out", parts.to_complex()),),
        joined,
        (Attr("Tout", "int", 16),),
        Kind.SAME,
        (parts,),
    )


COMPLEX_OF_SINGLES: Final = _complex(d.float32)
COMPLEX_OF_DOUBLES: Final = _complex(d.float64)
CONJ: Final = Row("conj", "Conj", (Input("input"),), (Output("output"),), rules.same, promotion=Kind.SAME, dtypes=COMPLEX)
ANGLE: Final = unary("angle", "AngleV2", (d.float32, d.float16, d.complex64), Kind.COMPLEX_TO_FLOAT, {d.bfloat16: d.float32})
ANGLE_OF_DOUBLES: Final = Row(
    "angle",
    "Angle",
    (Input("input"),),
    (Output("output"),),
    rules.complex_abs,
    (Attr("Tout", "data_type", 0),),
    Kind.COMPLEX_TO_FLOAT,
    (d.complex128,),
)
