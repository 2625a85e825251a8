"""Losses over classes, over several labels, and over sequences of labels. Each takes `reduction` "mean", "sum" or "none"."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import chips, gather, host, views
from .. import reduction as reductions
from ..arguments import checked
from ..call import call
from ..linalg.matmul import linear
from ..operands import filled, in_dtype, lasting
from ..pointwise import comparison, elementwise, unary
from ..reduction import floating, narrowed, widened
from ..table import losses as table
from .activation import logsigmoid
from .losses import check_reduction, common, finished, same_shape
from .softmax import log_softmax, one_hot

T = TypeVar("T", bound=TensorBase)


@checked
def nll_loss(input: T, target: T, weight: T | None = None, *, ignore_index: int = -100, reduction: str = "mean") -> T:
    """`-weight[target] * input[target]` for each row of logarithms; the mean is over the sum of weights.

    Args:
        input: (classes), (batch, classes) or (batch, classes, ...) tensor of floating dtype.
        target: Classes, of integers: (), (batch) or (batch, ...).
        weight: (classes) tensor, or None.
        ignore_index: Targets that take no part.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the shape of `target`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `input` is not floating, or `target` not of integers.
        AclError: At the next synchronising call: a class is out of range.

    Ascend operator: NLLLoss; composed for float64. Like: torch.nn.functional.nll_loss.

    Examples:
        >>> at.nn.functional.nll_loss(at.tensor([[-0.5, -1.0], [-2.0, -0.25]]), at.tensor([0, 1]), reduction="none")
        tensor([0.5000, 0.2500], device='npu:0')
    """
    check_reduction(reduction, "nll_loss")
    _fitting(input, target, weight, "nll_loss")
    rows, classes = _rows(input, target)
    return views.reshape(_class_loss(rows, classes, weight, ignore_index, reduction, 0.0), target.desc.shape if reduction == "none" else ())


def _fitting(input: TensorBase, target: TensorBase, weight: TensorBase | None, function: str) -> None:
    """Refuse operands that are no logarithms, classes and weights, or of shapes that don't belong together."""
    floating(input, function)
    shape = input.desc.shape
    if target.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"target holds classes, integers, not {target.desc.dtype.name}").with_context(function, (input, target))
    if not shape or target.desc.shape != ((*shape[:1], *shape[2:]) if len(shape) > 1 else ()):
        raise ShapeError(f"input of shape {list(shape)} does not fit target of shape {list(target.desc.shape)}").with_context(
            function, (input, target)
        )
    classes = shape[1] if len(shape) > 1 else shape[0]
    if weight is not None and weight.desc.shape != (classes,):
        raise ShapeError(f"weight of shape {list(weight.desc.shape)} does not fit {classes} classes").with_context(function, (weight,))


def _rows(input: T, target: T) -> tuple[T, T]:
    """Logarithms as (batch, classes) and targets as (batch)."""
    shape = input.desc.shape
    classes = shape[1] if len(shape) > 1 else shape[0]
    last = views.movedim(input, 1, -1) if len(shape) > 2 else input
    return _shaped(last, (target.desc.numel, classes)), _shaped(target, (target.desc.numel,))


def _shaped(tensor: T, shape: tuple[int, ...]) -> T:
    return tensor if tensor.desc.shape == shape else views.reshape(tensor, shape)


def _class_loss(rows: T, target: T, weight: T | None, ignore_index: int, how: str, smoothing: float) -> T:
    like = rows
    if rows.desc.dtype is not d.float64 and rows.desc.numel and not smoothing:
        classes = rows.desc.shape[1:]
        if weight is None:
            weight = lasting(rows, classes, 1, rows.desc.dtype)
        elif weight.desc.dtype is not rows.desc.dtype:
            weight = in_dtype(weight, rows.desc.dtype)
        return call(table.NLL_LOSS, (rows, target, weight), (how, ignore_index))[0]
    rows = widened(rows)
    if not target.desc.numel and not rows.desc.shape[1]:  # no class is needed where there is no target
        return finished(views.reshape(rows, (0,)), how, like.desc.dtype)
    kept = comparison.ne(target, ignore_index)
    chosen = comparison.eq(one_hot(target, rows.desc.shape[1]), 1)
    each = comparison.cast(kept, rows.desc.dtype)
    if weight is not None:
        weight = in_dtype(weight, rows.desc.dtype)
        each = comparison.where(kept, reductions.sum(comparison.where(chosen, weight, 0.0), -1), 0.0)
    losses = elementwise.mul(reductions.sum(comparison.where(chosen, unary.neg(rows), 0.0), -1), each)
    if smoothing:
        spread = unary.neg(reductions.sum(rows if weight is None else elementwise.mul(rows, weight), -1))
        losses = elementwise.add(elementwise.mul(losses, 1 - smoothing), elementwise.mul(spread, smoothing / rows.desc.shape[1]))
    losses = comparison.where(kept, losses, 0.0)
    if how == "mean":
        return narrowed(elementwise.div(reductions.sum(losses), reductions.sum(each)), like)
    return finished(losses, how, like.desc.dtype)


@checked
def cross_entropy(
    input: T, target: T, weight: T | None = None, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> T:
    """`nll_loss(log_softmax(input), target)`; with probabilities as targets, `-sum(target * log_softmax(input))`.

    Args:
        input: (classes), (batch, classes) or (batch, classes, ...) tensor of floating dtype.
        target: Classes, of integers, without the dim of classes; or probabilities, of the shape and dtype of `input`.
        weight: (classes) tensor, or None.
        ignore_index: Classes that take no part; negative where targets are probabilities.
        reduction: "mean", "sum" or "none".
        label_smoothing: What part of the target is spread over all classes, 0 to 1.

    Returns:
        A 0-d tensor, or one of the shape of `input` without the dim of classes.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `input` is not floating.
        ValueRangeError: The reduction or the smoothing is none, or probabilities have a class to ignore.

    Ascend operator: LogSoftmaxV2 and NLLLoss; composed where needed. Like: torch.nn.functional.cross_entropy.

    Examples:
        >>> scores = at.tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> at.nn.functional.cross_entropy(scores, at.tensor([0, 0]), reduction="none")
        tensor([0.1269, 2.1269], device='npu:0')
    """
    check_reduction(reduction, "cross_entropy")
    if not 0 <= label_smoothing <= 1:
        raise ValueRangeError(f"label_smoothing must be from 0 to 1, not {label_smoothing}", where="cross_entropy")
    floating(input, "cross_entropy")
    axis = min(len(input.desc.shape), 2) - 1
    if target.desc.dtype.is_floating_point:
        if ignore_index >= 0:
            raise ValueRangeError(f"probabilities have no class {ignore_index} to ignore").with_context("cross_entropy", (input, target))
        return _soft_loss(input, target, weight, axis, reduction, label_smoothing)
    _fitting(input, target, weight, "cross_entropy")
    logs, classes = _rows(log_softmax(widened(input), axis), target)  # images are turned afterwards: lines of few classes take longer
    loss = _class_loss(logs, classes, weight, ignore_index, reduction, label_smoothing)
    return narrowed(_shaped(loss, target.desc.shape if reduction == "none" else ()), input)


def _soft_loss(input: T, target: T, weight: T | None, axis: int, how: str, smoothing: float) -> T:
    try:
        same_shape(input, target, "cross_entropy")
    except ShapeError as error:
        error.advice = "Numbers of classes are integers, .to(int64); floats are probabilities, one for each class."
        raise
    goal, classes = widened(target), input.desc.shape[axis]
    if smoothing:
        goal = elementwise.add(elementwise.mul(goal, 1 - smoothing), smoothing / classes)
    terms = elementwise.mul(goal, log_softmax(widened(input), axis))
    if weight is not None:
        terms = elementwise.mul(terms, views.reshape(weight, (classes, *(1,) * (len(input.desc.shape) - axis - 1))))
    losses = unary.neg(reductions.sum(terms, axis))
    dtype = common(input, target)
    if how == "mean":
        count = float(input.desc.numel // (classes or 1))
        return finished(elementwise.div(reductions.sum(losses), count), "none", dtype)
    return finished(losses, how, dtype)


@checked
def linear_cross_entropy(
    input: T,
    linear_weight: T,
    target: T,
    *,
    linear_bias: T | None = None,
    weight: T | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> T:
    """`cross_entropy(linear(input, linear_weight, linear_bias), target)`.

    Args:
        input: (in) or (batch, in) tensor of floating dtype.
        linear_weight: (classes, in) tensor.
        target: Classes or probabilities, as for `cross_entropy`.
        linear_bias: (classes) tensor, or None.
        weight, reduction, ignore_index, label_smoothing: As for `cross_entropy`.

    Returns:
        A 0-d tensor, or one of the batch's shape.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ, or are not floating.

    Ascend operator: MatMulV2, LogSoftmaxV2 and NLLLoss. Like: torch.nn.functional.linear_cross_entropy.

    Examples:
        >>> x, weight = at.tensor([[1.0, 0.0]]), at.tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> at.nn.functional.linear_cross_entropy(x, weight, at.tensor([0]))
        tensor(0.1269, device='npu:0')
    """
    if len(input.desc.shape) not in (1, 2) or len(linear_weight.desc.shape) != 2:
        names = f"{list(input.desc.shape)} and {list(linear_weight.desc.shape)}"
        raise ShapeError(f"(batch, in) and (classes, in) tensors are needed, not shapes {names}").with_context(
            "linear_cross_entropy", (input, linear_weight)
        )
    scores = linear(input, linear_weight, linear_bias)
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(scores, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing)


# Margins between classes


def _batch(input: T, function: str) -> tuple[T, int]:
    """(batch, classes) of one or two dims, and the number of classes."""
    floating(input, function)
    shape = input.desc.shape or (1,)
    if len(shape) not in (1, 2) or not shape[-1]:
        raise ShapeError(f"(classes) or (batch, classes) is needed, not shape {list(shape)}").with_context(function, (input,))
    return views.reshape(input, (1, *shape)) if len(shape) == 1 else input, shape[-1]


def _classes_only(target: TensorBase, function: str) -> None:
    if target.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"target holds classes, integers, not {target.desc.dtype.name}").with_context(function, (target,))


@checked
def multi_margin_loss(input: T, target: T, p: int = 1, margin: float = 1.0, weight: T | None = None, *, reduction: str = "mean") -> T:
    """The sum of `max(0, margin - input[target] + input[class]) ** p` over the other classes, over the number of classes.

    Args:
        input: (classes) or (batch, classes) tensor of floating dtype.
        target: One class for each, of integers. Others are an error of the queued work.
        p: 1 or 2.
        margin: A number.
        weight: (classes) factors by target, or None.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the shape of `target`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `input` is not floating, or `target` not of integers.
        ValueRangeError: Another power or reduction.

    Ascend operator: composed of GatherElements, Sub, Relu, Mul and ReduceSum. Like: torch.nn.functional.multi_margin_loss.

    Examples:
        >>> at.nn.functional.multi_margin_loss(at.tensor([[0.5, 1.0, 0.0]]), at.tensor([1]), reduction="sum")
        tensor(0.1667, device='npu:0')
    """
    check_reduction(reduction, "multi_margin_loss")
    if p not in (1, 2):
        raise ValueRangeError(f"p must be 1 or 2, not {p}", where="multi_margin_loss")
    rows, classes = _batch(input, "multi_margin_loss")
    _classes_only(target, "multi_margin_loss")
    if target.desc.numel != rows.desc.shape[0] or len(target.desc.shape) > 1:
        raise ShapeError(f"input of shape {list(input.desc.shape)} does not fit target of shape {list(target.desc.shape)}").with_context(
            "multi_margin_loss", (input, target)
        )
    if weight is not None and weight.desc.shape != (classes,):
        raise ShapeError(f"weight of shape {list(weight.desc.shape)} does not fit {classes} classes").with_context(
            "multi_margin_loss", (weight,)
        )
    chosen = views.reshape(target, (rows.desc.shape[0],))
    wide, places = widened(rows), views.unsqueeze(_int64(chosen), 1)
    missing = elementwise.maximum(elementwise.add(elementwise.sub(wide, gather.gather(wide, 1, places)), margin), 0.0)
    if p == 2:
        missing = elementwise.mul(missing, missing)
    if weight is not None:
        missing = elementwise.mul(missing, views.unsqueeze(gather.index_select(widened(weight), 0, chosen), 1))
    others = comparison.where(comparison.eq(one_hot(chosen, classes), 1), 0.0, missing)
    losses = elementwise.div(reductions.sum(others, 1), float(classes))
    whole = views.reshape(losses, target.desc.shape if len(input.desc.shape) < 2 else losses.desc.shape)
    return finished(whole, reduction, input.desc.dtype)


def _int64(operand: T) -> T:
    return in_dtype(operand, d.int64)


@checked
def multilabel_margin_loss(input: T, target: T, *, reduction: str = "mean") -> T:
    """The sum of `max(0, 1 - input[label] + input[other])` over labels and classes that are none, over the number of classes.

    Args:
        input: (classes) or (batch, classes) tensor of floating dtype.
        target: Labels, of integers and the same shape; those from the first -1 on do not count. Others out of range are an error of
            the queued work.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the batch's shape.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: `input` is not floating, or `target` not of integers.

    Ascend operator: MultilabelMarginLoss; composed for float64. Like: torch.nn.functional.multilabel_margin_loss.

    Examples:
        >>> at.nn.functional.multilabel_margin_loss(at.tensor([[0.1, 0.2, 0.4, 0.8]]), at.tensor([[3, 0, -1, 1]]))
        tensor(0.8500, device='npu:0')
    """
    check_reduction(reduction, "multilabel_margin_loss")
    rows, classes = _batch(input, "multilabel_margin_loss")
    _classes_only(target, "multilabel_margin_loss")
    same_shape(input, target, "multilabel_margin_loss")
    if input.desc.dtype is not d.float64 and input.desc.numel and not chips.lacks(table.MULTILABEL_MARGIN_LOSS, input.desc.dtype):
        one = input.desc.shape or (1,)
        whole = call(table.MULTILABEL_MARGIN_LOSS, (views.reshape(input, one), views.reshape(target, one)), (reduction,))[0]
        return views.reshape(whole, input.desc.shape[:-1] if reduction == "none" else ())
    places = views.reshape(target, rows.desc.shape)
    counted = comparison.eq(reductions.cumsum(comparison.cast(comparison.lt(places, 0), d.int64), 1), 0)
    known = comparison.where(counted, _int64(places), 0)
    hot = views.unsqueeze(comparison.cast(counted, d.int64), 2)
    is_label = comparison.gt(reductions.sum(elementwise.mul(one_hot(known, classes), hot), 1), 0)
    score = views.unsqueeze(gather.gather(rows, 1, known), 2)
    missing = elementwise.maximum(elementwise.rsub(elementwise.sub(score, views.unsqueeze(rows, 1)), 1.0), 0.0)
    counts = comparison.logical_and(views.unsqueeze(counted, 2), comparison.logical_not(views.unsqueeze(is_label, 1)))
    losses = elementwise.div(reductions.sum(comparison.where(counts, missing, 0.0), (1, 2)), float(classes))
    whole = views.reshape(losses, input.desc.shape[:-1])
    return finished(whole, reduction, input.desc.dtype)


@checked
def multilabel_soft_margin_loss(input: T, target: T, weight: T | None = None, *, reduction: str = "mean") -> T:
    """The mean over classes of `-(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))`.

    Args:
        input: (classes) or (..., classes) tensor of floating dtype.
        target: Zeros and ones, of a shape that broadcasts.
        weight: Factors that broadcast, or None.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one without the dim of classes.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `input` is not floating.

    Ascend operator: composed of LogSigmoid, Mul and ReduceMean. Like: torch.nn.functional.multilabel_soft_margin_loss.

    Examples:
        >>> at.nn.functional.multilabel_soft_margin_loss(at.zeros(1, 2), at.tensor([[1.0, 0.0]]))
        tensor(0.6931, device='npu:0')
    """
    check_reduction(reduction, "multilabel_soft_margin_loss")
    floating(input, "multilabel_soft_margin_loss")
    if not input.desc.shape:
        raise ShapeError("a dim of classes is needed, not shape []").with_context("multilabel_soft_margin_loss", (input, target))
    wide = widened(input)
    yes, no = logsigmoid(wide), logsigmoid(unary.neg(wide))
    losses = unary.neg(elementwise.add(elementwise.mul(yes, target), elementwise.mul(no, elementwise.rsub(target, 1))))
    if weight is not None:
        losses = elementwise.mul(losses, weight)
    return finished(reductions.mean(losses, -1), reduction, common(input, target, weight))


# Sequences


@checked
def ctc_loss(
    log_probs: T,
    targets: T,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> T:
    """Connectionist temporal classification: minus the logarithm of the probability of all ways to read each target from its input.

    Args:
        log_probs: (time, batch, classes) or (time, classes) logarithms of probabilities, of floating dtype.
        targets: (batch, longest) labels of integers, or all of them one after another.
        input_lengths, target_lengths: (batch) integers: a tensor, or a tuple or list, which is checked at once. Those of a tensor that
            do not fit are an error of the queued work.
        blank: The class of no label.
        reduction: "mean" of each loss over its target's length, "sum" or "none".
        zero_infinity: Whether infinite losses, of targets too long for their input, become 0.

    Returns:
        A 0-d tensor, or a (batch) one.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `log_probs` is not floating, or `targets` not of integers.
        ValueRangeError: A length or the blank does not fit.

    Ascend operator: CTCLossV2. Like: torch.nn.functional.ctc_loss.

    Examples:
        >>> log_probs = at.nn.functional.log_softmax(at.zeros(4, 1, 3), dim=-1)
        >>> at.nn.functional.ctc_loss(log_probs, at.tensor([[1, 2]]), at.tensor([4]), at.tensor([2]), reduction="sum")
        tensor(1.6864, device='npu:0')
    """
    check_reduction(reduction, "ctc_loss")
    floating(log_probs, "ctc_loss")
    _classes_only(targets, "ctc_loss")
    shape = log_probs.desc.shape
    if len(shape) not in (2, 3):
        raise ShapeError(f"(time, batch, classes) or (time, classes) is needed, not shape {list(shape)}").with_context(
            "ctc_loss", (log_probs,)
        )
    batched = log_probs if len(shape) == 3 else views.unsqueeze(log_probs, 1)
    time, batch, classes = batched.desc.shape
    if not 0 <= blank < classes:
        raise ValueRangeError(f"blank must be one of {classes} classes, not {blank}").with_context("ctc_loss", (log_probs,))
    read = _lengths(input_lengths, batch, time, "input_lengths", batched)
    labels = targets if len(shape) == 3 or len(targets.desc.shape) != 1 else views.unsqueeze(targets, 0)
    longest = labels.desc.shape[-1] if labels.desc.shape else 0
    written = _lengths(target_lengths, batch, longest, "target_lengths", batched)
    if len(labels.desc.shape) not in (1, 2) or (len(labels.desc.shape) == 2 and labels.desc.shape[0] != batch):
        raise ShapeError(f"targets of shape {list(targets.desc.shape)} do not fit a batch of {batch}").with_context(
            "ctc_loss", (log_probs, targets)
        )
    if not labels.desc.numel:
        labels = filled(labels, (batch, 1), 0, d.int64)
    losses, _ = call(table.CTC_LOSS, (batched, labels, read, written), (longest, blank, zero_infinity))
    if reduction == "mean":
        losses = elementwise.div(losses, elementwise.maximum(comparison.cast(written, losses.desc.dtype), 1.0))
    return finished(losses if len(shape) == 3 else views.reshape(losses, ()), reduction, log_probs.desc.dtype)


def _lengths(given: Any, batch: int, most: int, name: str, like: TensorBase) -> Any:
    if isinstance(given, TensorBase):
        _classes_only(given, "ctc_loss")
        made = views.reshape(given, (1,)) if not given.desc.shape else given
    else:
        numbers = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        wrong = [number for number in numbers if not 0 <= number <= most]
        if wrong:
            raise ValueRangeError(f"{name} must be from 0 to {most}, not {wrong[0]}").with_context("ctc_loss", (like,))
        made = host.upload(list(numbers), d.int64, like.desc.device)
    if made.desc.shape != (batch,):
        raise ShapeError(f"{name} of shape {list(made.desc.shape)} do not fit a batch of {batch}").with_context("ctc_loss", (like,))
    return made
