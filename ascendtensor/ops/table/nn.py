"""Rows of softmax, losses and one-hot vectors, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import FLOATS, INTS, UNSIGNED

Shape = tuple[int, ...]
_CORE: Final = (d.float32, d.float16, d.bfloat16)


def along(operands: Sequence[Meta], dim: int) -> Outcome:
    """A function along one dim, given as an attribute."""
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    seen = shape or (1,)
    return Outcome((shape,), attrs={"axes": (axis,)}, inputs=(seen,), outputs=(seen,))


def class_loss(operands: Sequence[Meta], reduction: str, ignore_index: int) -> Outcome:
    """A loss of (batch, classes) against class indices, and the sum of weights."""
    shape, target = operands[0].shape, operands[1].shape
    if len(shape) != 2 or target != shape[:1]:
        raise ShapeError(f"input of shape {list(shape)} does not fit target of shape {list(target)}")
    return Outcome((target if reduction == "none" else (), ()), attrs={"reduction": reduction, "ignore_index": ignore_index})


def _loss(shape: Shape, operands: Sequence[Meta], reduction: str, attrs: dict[str, object]) -> Outcome:
    seen = tuple(operand.shape or (1,) for operand in operands)
    given = shape if reduction == "none" else ()
    described = (shape or (1,)) if reduction == "none" else ()
    return Outcome((given,), attrs={"reduction": reduction, **attrs}, inputs=seen, outputs=(described,))


def loss(operands: Sequence[Meta], reduction: str) -> Outcome:
    """A loss element by element of operands that broadcast."""
    shape = shapes.broadcast_shapes(*(operand.shape for operand in operands))
    return _loss(shape, operands, reduction, {})


def smooth_loss(operands: Sequence[Meta], reduction: str, beta: float) -> Outcome:
    """A loss with a parabola up to `beta`."""
    shape = shapes.broadcast_shapes(*(operand.shape for operand in operands))
    return _loss(shape, operands, reduction, {"sigma": beta})


def divergence(operands: Sequence[Meta], reduction: str, log_target: bool) -> Outcome:
    """A divergence of a distribution, given as it is or as its logarithm."""
    shape = shapes.broadcast_shapes(*(operand.shape for operand in operands))
    return _loss(shape, operands, reduction, {"log_target": bool(log_target)})


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
_REDUCTION: Final = Attr("reduction", "string", "mean")

NLL_LOSS: Final = Row(
    "nll_loss",
    "NLLLoss",
    (Input("x"), Input("target", dtype=d.int64, accepts=(*INTS, *UNSIGNED)), Input("weight", "optional")),
    (Output("y"), Output("total_weight")),
    class_loss,
    (_REDUCTION, Attr("ignore_index", "int", -100)),
    Kind.SAME,
    (d.float32, d.bfloat16),
    {d.float16: d.float32},
)
MSE_LOSS: Final = Row("mse_loss", "MseLoss", (Input("predict"), Input("label")), (Output("y"),), loss, (_REDUCTION,), Kind.DEFAULT, _CORE)
SMOOTH_L1_LOSS: Final = Row(
    "smooth_l1_loss",
    "SmoothL1LossV2",
    (Input("predict"), Input("label")),
    (Output("loss"),),
    smooth_loss,
    (Attr("sigma", "float", 1.0), _REDUCTION),
    Kind.DEFAULT,
    _CORE,
)
BCE: Final = Row(
    "binary_cross_entropy",
    "BinaryCrossEntropy",
    (Input("x"), Input("y"), Input("weight", "optional")),
    (Output("output"),),
    loss,
    (_REDUCTION,),
    Kind.SAME,
    _CORE,
)
BCE_WITH_LOGITS: Final = Row(
    "binary_cross_entropy_with_logits",
    "SigmoidCrossEntropyWithLogitsV2",
    (Input("predict"), Input("target"), Input("weight", "optional"), Input("pos_weight", "optional")),
    (Output("loss", d.float32),),
    loss,
    (_REDUCTION,),
    Kind.SAME,
    _CORE,
)
KL_DIV: Final = Row(
    "kl_div",
    "KLDivV2",
    (Input("x"), Input("target")),
    (Output("y"),),
    divergence,
    (_REDUCTION, Attr("log_target", "bool", False)),
    Kind.SAME,
    _CORE,
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
