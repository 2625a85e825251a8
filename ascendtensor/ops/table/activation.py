"""Rows of activation functions of one operand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Meta, Outcome, Output, Row, pointwise
from .forms import COMPLEX, FLOATS, HALVES_AND_SINGLE, INTS, unary


def weighted(operands: Sequence[Meta]) -> Outcome:
    """A function with one weight, or one for each channel (dim 1): described so that it broadcasts (hicann/ops-nn, p_relu_infershape)."""
    shape, weights = operands[0].shape, operands[1].shape
    count, channels = shapes.numel(weights), shape[1] if len(shape) > 1 else 1
    if len(weights) > 1:
        raise ShapeError(f"the weight has to be a number or a vector, not of shape {list(weights)}")
    if count not in (1, channels):
        raise ShapeError(f"{count} weights do not fit {channels} channels")
    seen = shape or (1,)
    return Outcome((shape,), inputs=(seen, (count,) if count == 1 else (1, count, *(1,) * (len(shape) - 2))), outputs=(seen,))


@pointwise
def thresholded(operands: Sequence[Meta]) -> Outcome:
    """A function with a limit and a value, which are one element each."""
    shape = operands[0].shape
    seen = shape or (1,)
    return Outcome((shape,), inputs=(seen, (1,), (1,)), outputs=(seen,))


def gated(operands: Sequence[Meta], dim: int) -> Outcome:
    """One half of a dim times a function of the other half."""
    shape = operands[0].shape
    if not shape:
        raise ShapeError("a 0-d tensor has no halves")
    axis = shapes.normalize_dim(dim, len(shape))
    if shape[axis] % 2:
        raise ShapeError(f"dim {dim} of length {shape[axis]} has no halves: the length must be even")
    return Outcome(((*shape[:axis], shape[axis] // 2, *shape[axis + 1 :]),), attrs={"dim": axis})


RELU: Final = unary("relu", "Relu", (*FLOATS, *INTS), Kind.SAME)
RELU6: Final = unary("relu6", "Relu6", (*FLOATS, *INTS), Kind.SAME)
SIGMOID: Final = unary("sigmoid", "Sigmoid", (*FLOATS, *COMPLEX))
GELU_TANH: Final = unary("gelu", "Gelu", HALVES_AND_SINGLE, Kind.FLOAT_ONLY)
SILU: Final = unary("silu", "Swish", HALVES_AND_SINGLE, Kind.FLOAT_ONLY, attrs=(Attr("scale", "float", 1.0),))
SOFTPLUS: Final = unary(
    "softplus",
    "SoftplusV2",
    HALVES_AND_SINGLE,
    Kind.FLOAT_ONLY,
    attrs=(Attr("beta", "float", 1.0), Attr("threshold", "float", 20.0)),
    rule=rules.attributes("beta", "threshold"),
)
LEAKY_RELU: Final = unary(
    "leaky_relu",
    "LeakyRelu",
    HALVES_AND_SINGLE,
    Kind.FLOAT_ONLY,
    attrs=(Attr("negative_slope", "float", 0.0),),
    rule=rules.attributes("negative_slope"),
)
ELU: Final = unary(
    "elu",
    "Elu",
    HALVES_AND_SINGLE,
    Kind.FLOAT_ONLY,
    attrs=(Attr("alpha", "float", 1.0), Attr("scale", "float", 1.0), Attr("input_scale", "float", 1.0)),
    rule=rules.attributes("alpha"),
)
HARD_SWISH: Final = unary("hardswish", "HardSwish", HALVES_AND_SINGLE, Kind.FLOAT_ONLY)
HARD_SIGMOID: Final = Row(
    "hardsigmoid",
    "HardSigmoid",
    (Input("input_x"),),
    (Output("output_y"),),
    rules.same,
    (Attr("alpha", "float", 0.16666666), Attr("beta", "float", 0.5)),
    Kind.FLOAT_ONLY,
    HALVES_AND_SINGLE,
)
MISH: Final = unary("mish", "Mish", HALVES_AND_SINGLE, Kind.FLOAT_ONLY)
LOG_SIGMOID: Final = unary("logsigmoid", "LogSigmoid", HALVES_AND_SINGLE, Kind.FLOAT_ONLY)
SELU: Final = unary("selu", "Selu", FLOATS, Kind.FLOAT_ONLY)
CELU: Final = unary(
    "celu", "CeluV2", HALVES_AND_SINGLE, Kind.FLOAT_ONLY, attrs=(Attr("alpha", "float", 1.0),), rule=rules.attributes("alpha")
)
SOFTSIGN: Final = unary("softsign", "Softsign", FLOATS)


def _shrink(name: str, op_type: str) -> Row:
    lambd = Attr("lambd", "float", 0.5)
    return Row(
        name,
        op_type,
        (Input("input_x"),),
        (Output("output_y"),),
        rules.attributes("lambd"),
        (lambd,),
        Kind.FLOAT_ONLY,
        HALVES_AND_SINGLE,
    )


HARD_SHRINK: Final = _shrink("hardshrink", "HardShrink")
SOFT_SHRINK: Final = _shrink("softshrink", "SoftShrink")
THRESHOLD: Final = Row(
    "threshold",
    "ThresholdV2",
    (Input("x"), Input("threshold"), Input("value", "optional")),
    (Output("y"),),
    thresholded,
    promotion=Kind.SAME,
    dtypes=(d.float32, d.float16, d.bfloat16, d.int8, d.uint8, d.int32, d.int64),
    via={d.int16: d.int32},
)
PRELU: Final = Row(
    "prelu",
    "PRelu",
    (Input("x"), Input("weight")),
    (Output("y"),),
    weighted,
    promotion=Kind.SAME,
    dtypes=HALVES_AND_SINGLE,
)
SWIGLU: Final = Row(
    "swiglu",
    "SwiGlu",
    (Input("x"),),
    (Output("y"),),
    gated,
    (Attr("dim", "int", -1),),
    Kind.FLOAT_ONLY,
    HALVES_AND_SINGLE,
)
