"""Rows of normalisations, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ... import dtypes as d
from ...codes import Format
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE

Shape = tuple[int, ...]


def layer_norm(operands: Sequence[Meta], dims: int, epsilon: float) -> Outcome:
    """y, mean and 1 / deviation over the last `dims` dims."""
    shape = operands[0].shape
    axis = len(shape) - dims
    statistics = (*shape[:axis], *(1,) * dims)
    return Outcome((shape, statistics, statistics), attrs={"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": epsilon})


def rms_norm(operands: Sequence[Meta], epsilon: float) -> Outcome:
    """y and 1 / root of the mean square over the dims of gamma, which are the last ones."""
    shape, dims = operands[0].shape, len(operands[1].shape)
    return Outcome((shape, (*shape[: len(shape) - dims], *(1,) * dims)), attrs={"epsilon": epsilon})


def group_norm(operands: Sequence[Meta], groups: int, epsilon: float) -> Outcome:
    """y, mean and 1 / deviation of each group of each sample, (batch, groups)."""
    shape = operands[0].shape
    statistics = (shape[0], groups)
    return Outcome((shape, statistics, statistics), attrs={"num_groups": groups, "eps": epsilon, "activate_silu": False})


def _image(shape: Shape) -> Shape:
    """(batch, channels, ...) as an image."""
    rest = 1
    for length in shape[2:]:
        rest *= length
    return (*shape[:2], 1, rest)


def batch_norm(operands: Sequence[Meta], epsilon: float, momentum: float) -> Outcome:
    """y, the running statistics, and mean and 1 / deviation of the batch."""
    shape = operands[0].shape
    seen, channels = _image(shape), shape[1:2]
    vectors = (channels,) * 4
    return Outcome(
        (shape, *vectors),
        attrs={"epsilon": epsilon, "momentum": momentum},
        inputs=(seen, *vectors),
        outputs=(seen, *vectors),
    )


def batch_norm_eval(operands: Sequence[Meta], epsilon: float) -> Outcome:
    """y by statistics that are given."""
    shape = operands[0].shape
    seen = _image(shape)
    return Outcome((shape,), attrs={"epsilon": epsilon}, inputs=(seen, *(shape[1:2],) * 4), outputs=(seen,))


LAYER_NORM: Final = Row(
    "layer_norm",
    "LayerNormV3",
    (Input("x"), Input("gamma"), Input("beta")),
    (Output("y"), Output("mean"), Output("rstd")),
    layer_norm,
    (Attr("begin_norm_axis", "int", 0), Attr("begin_params_axis", "int", 0), Attr("epsilon", "float", 1e-5)),
    Kind.SAME,
    HALVES_AND_SINGLE,
)
LAYER_NORM_MIXED: Final = replace(
    LAYER_NORM,
    inputs=(Input("x"), Input("gamma", dtype=d.float32), Input("beta", dtype=d.float32)),
    outputs=(Output("y"), Output("mean", d.float32), Output("rstd", d.float32)),
)
"""For a half operand with parameters of another dtype."""
RMS_NORM: Final = Row(
    "rms_norm",
    "RmsNorm",
    (Input("x"), Input("gamma")),
    (Output("y"), Output("rstd", d.float32)),
    rms_norm,
    (Attr("epsilon", "float", 1e-6),),
    Kind.SAME,
    HALVES_AND_SINGLE,
)
RMS_NORM_MIXED: Final = replace(RMS_NORM, inputs=(Input("x"), Input("gamma", dtype=d.float32)))
GROUP_NORM: Final = Row(
    "group_norm",
    "GroupNormSilu",
    (Input("x"), Input("gamma", "optional"), Input("beta", "optional")),
    (Output("y"), Output("mean"), Output("rstd")),
    group_norm,
    (Attr("num_groups", "int"), Attr("eps", "float", 1e-5), Attr("activate_silu", "bool", True)),
    Kind.SAME,
    HALVES_AND_SINGLE,
)
GROUP_NORM_MIXED: Final = replace(
    GROUP_NORM, inputs=(Input("x"), Input("gamma", "optional", dtype=d.float32), Input("beta", "optional", dtype=d.float32))
)


def _vector(name: str, form: Format = Format.ND) -> Input:
    return Input(name, dtype=d.float32, format=form)


_STATISTICS: Final = (_vector("running_mean"), _vector("running_var"))
BATCH_NORM: Final = Row(
    "batch_norm",
    "BatchNormV3",
    (Input("x", format=Format.NCHW), _vector("weight"), _vector("bias"), *_STATISTICS),
    (
        Output("y", format=Format.NCHW),
        Output("running_mean", d.float32, "running_mean"),
        Output("running_var", d.float32, "running_var"),
        Output("save_mean", d.float32),
        Output("save_rstd", d.float32),
    ),
    batch_norm,
    (Attr("epsilon", "float", 1e-5), Attr("momentum", "float", 0.1), Attr("is_training", "bool", True)),
    Kind.FLOAT_ONLY,
    HALVES_AND_SINGLE,
)
BATCH_NORM_EVAL: Final = Row(
    "batch_norm",
    "BNInfer",
    (
        Input("x", format=Format.NCHW),
        *(Input(name, dtype=d.float32, format=Format.NCHW) for name in ("scale", "offset", "mean", "variance")),
    ),
    (Output("y", format=Format.NCHW),),
    batch_norm_eval,
    (Attr("epsilon", "float"),),
    Kind.FLOAT_ONLY,
    HALVES_AND_SINGLE,
)
