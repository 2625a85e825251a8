"""Rows of activation functions of one operand."""

from __future__ import annotations

from typing import Final

from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Output, Row
from .forms import COMPLEX, FLOATS, HALVES_AND_SINGLE, INTS, unary

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
    FLOATS,
    Kind.FLOAT_ONLY,
    attrs=(Attr("negative_slope", "float", 0.0),),
    rule=rules.attributes("negative_slope"),
)
ELU: Final = unary(
    "elu",
    "Elu",
    FLOATS,
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
