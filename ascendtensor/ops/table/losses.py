"""Rows of losses, and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row
from .forms import HALVES_AND_SINGLE, INTS, UNSIGNED

Shape = tuple[int, ...]
_CORE: Final = HALVES_AND_SINGLE


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


def absolute_loss(operands: Sequence[Meta], reduction: str) -> Outcome:
    """A loss of the first power."""
    shape = shapes.broadcast_shapes(*(operand.shape for operand in operands))
    return _loss(shape, operands, reduction, {"p": 1})


def multilabel(operands: Sequence[Meta], reduction: str) -> Outcome:
    """A loss of (batch, classes), or (classes) as a batch of one, and where the target classes are."""
    shape = operands[0].shape
    seen = shape if len(shape) == 2 else (1, *shape)
    given = shape[:-1] if reduction == "none" else ()
    described = seen[:1] if reduction == "none" else ()
    return Outcome((given, shape), attrs={"reduction": reduction}, inputs=(seen, seen), outputs=(described, seen))


def alignments(operands: Sequence[Meta], longest: int, blank: int, zero_infinity: bool) -> Outcome:
    """A loss for each of a batch, and the alphas: two places for each label and one more, made up to 32 bytes."""
    time, batch, _ = operands[0].shape
    return Outcome(((batch,), (batch, time, (2 * longest + 8) // 8 * 8)), attrs={"blank": blank, "zero_infinity": bool(zero_infinity)})


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
L1_LOSS: Final = Row(
    "l1_loss",
    "LpLoss",
    (Input("predict"), Input("label")),
    (Output("y"),),
    absolute_loss,
    (Attr("p", "int"), _REDUCTION),
    Kind.DEFAULT,
    _CORE,
)
SOFT_MARGIN_LOSS: Final = Row(
    "soft_margin_loss",
    "SoftMarginLoss",
    (Input("input_x"), Input("input_y")),
    (Output("output_z"),),
    loss,
    (_REDUCTION,),
    Kind.SAME,
    _CORE,
)
MULTILABEL_MARGIN_LOSS: Final = Row(
    "multilabel_margin_loss",
    "MultilabelMarginLoss",
    (Input("x"), Input("target", dtype=d.int32, accepts=INTS)),
    (Output("y"), Output("is_target", d.int32)),
    multilabel,
    (_REDUCTION,),
    Kind.FLOAT_ONLY,
    _CORE,
)
_LENGTHS: Final = (
    Input("targets", dtype=d.int64, accepts=INTS),
    Input("input_lengths", dtype=d.int64, accepts=INTS),
    Input("target_lengths", dtype=d.int64, accepts=INTS),
)
CTC_LOSS: Final = Row(
    "ctc_loss",
    "CTCLossV2",
    (Input("log_probs"), *_LENGTHS),
    (Output("neg_log_likelihood"), Output("log_alpha")),
    alignments,
    (Attr("blank", "int", 0), _REDUCTION, Attr("zero_infinity", "bool", False)),
    Kind.FLOAT_ONLY,
    (d.float32, d.float64),
    {d.float16: d.float32, d.bfloat16: d.float32},
)
