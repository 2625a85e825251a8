"""Losses. Each takes `reduction` "mean", "sum" or "none"."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, Final, TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..errors import DTypeError, ShapeError, ValueRangeError
from . import comparison, elementwise, reduction, unary, views
from .arguments import checked
from .call import call
from .nn import log_softmax, one_hot
from .reduction import floating, narrowed, widened
from .schema import Row
from .table import nn as table
from .table.movement import FILL

T = TypeVar("T", bound=TensorBase)

_REDUCTIONS: Final = ("none", "mean", "sum")


def _reduction(reduction: str, function: str, allowed: tuple[str, ...] = _REDUCTIONS) -> None:
    if reduction not in allowed:
        raise ValueRangeError(f"{reduction!r} is not a valid value for reduction: it is one of {', '.join(allowed)}", where=function)


def _reduced(losses: T, how: str) -> T:
    if how == "none":
        return losses
    return reduction.mean(losses) if how == "mean" else reduction.sum(losses)


def _by_operator(row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...], function: str) -> Any:
    """The loss by one operator, or None where that does not take the dtype or has nothing to do. Operands are expanded to one shape."""
    floating(operands[0], function)
    given = [each for each in operands if each is not None]
    if any(each.desc.dtype not in row.dtypes or not each.desc.numel for each in given):
        return None
    if any(each.desc.shape != given[0].desc.shape for each in given):
        whole = iter(views.broadcast_tensors(*given))
        operands = tuple(None if each is None else next(whole) for each in operands)
    return call(row, operands, arguments)


# Numbers


@checked
def mse_loss(input: T, target: T, *, reduction: str = "mean") -> T:
    """The squared difference.

    Args:
        input, target: Tensors of floating dtype that broadcast.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtype is not floating.
        ValueRangeError: The reduction is none.

    Ascend operator: MseLoss; composed for float64. Like: torch.nn.functional.mse_loss.
    """
    _reduction(reduction, "mse_loss")
    found = _by_operator(table.MSE_LOSS, (input, target), (reduction,), "mse_loss")
    if found is not None:
        return found
    error = elementwise.sub(widened(input), target)
    return narrowed(_reduced(elementwise.mul(error, error), reduction), input)


@checked
def l1_loss(input: T, target: T, *, reduction: str = "mean") -> T:
    """The absolute difference. Arguments and result as for `mse_loss`.

    Ascend operator: Sub, Abs and ReduceMean or ReduceSum. Like: torch.nn.functional.l1_loss.
    """
    _reduction(reduction, "l1_loss")
    floating(input, "l1_loss")
    return narrowed(_reduced(unary.abs(elementwise.sub(widened(input), widened(target))), reduction), input)


@checked
def smooth_l1_loss(input: T, target: T, *, reduction: str = "mean", beta: float = 1.0) -> T:
    """The absolute difference less `beta / 2`, and half its square over `beta` below `beta`. Arguments and result as for `mse_loss`.

    Ascend operator: SmoothL1LossV2; composed for float64. Like: torch.nn.functional.smooth_l1_loss.
    """
    _reduction(reduction, "smooth_l1_loss")
    if beta < 0:
        raise ValueRangeError(f"beta must not be negative, but is {beta}", where="smooth_l1_loss")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    found = _by_operator(table.SMOOTH_L1_LOSS, (input, target), (reduction, float(beta)), "smooth_l1_loss")
    if found is not None:
        return found
    return narrowed(_reduced(elementwise.div(_huber(input, target, beta), beta), reduction), input)


@checked
def huber_loss(input: T, target: T, *, reduction: str = "mean", delta: float = 1.0) -> T:
    """Half the squared difference, and `delta * (|difference| - delta / 2)` above `delta`. Arguments and result as for `mse_loss`.

    Ascend operator: composed of Sub, Abs, Mul and SelectV2. Like: torch.nn.functional.huber_loss.
    """
    _reduction(reduction, "huber_loss")
    floating(input, "huber_loss")
    if delta <= 0:
        raise ValueRangeError(f"delta must be positive, but is {delta}", where="huber_loss")
    return narrowed(_reduced(_huber(input, target, delta), reduction), input)


def _huber(input: T, target: T, delta: float) -> T:
    far = unary.abs(elementwise.sub(widened(input), widened(target)))
    near = elementwise.mul(elementwise.mul(far, far), 0.5)
    return comparison.where(comparison.lt(far, delta), near, elementwise.mul(elementwise.sub(far, 0.5 * delta), delta))


# Probabilities


@checked
def binary_cross_entropy(input: T, target: T, weight: T | None = None, *, reduction: str = "mean") -> T:
    """`-(target * log(input) + (1 - target) * log(1 - input))`, logarithms being at least -100.

    Args:
        input: Probabilities, of floating dtype.
        target: Tensor of the same shape and dtype.
        weight: Tensor that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the operands' shape.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: The dtype is not floating.

    Ascend operator: BinaryCrossEntropy; composed for float64. Like: torch.nn.functional.binary_cross_entropy.
    """
    _reduction(reduction, "binary_cross_entropy")
    _same_shape(input, target, "binary_cross_entropy")
    found = _by_operator(table.BCE, (input, target, weight), (reduction,), "binary_cross_entropy")
    if found is not None:
        return found
    wide, goal = widened(input), widened(target)
    yes = elementwise.mul(goal, elementwise.maximum(unary.log(wide), -100.0))
    no = elementwise.mul(elementwise.rsub(goal, 1), elementwise.maximum(unary.log1p(unary.neg(wide)), -100.0))
    return narrowed(_reduced(_weighted(unary.neg(elementwise.add(yes, no)), weight), reduction), input)


def _same_shape(input: TensorBase, target: TensorBase, function: str) -> None:
    if input.desc.shape != target.desc.shape:
        raise ShapeError(
            f"input of shape {list(input.desc.shape)} and target of shape {list(target.desc.shape)} have to have one shape"
        ).with_context(function, (input, target))


def _weighted(losses: T, weight: TensorBase | None) -> T:
    return losses if weight is None else elementwise.mul(losses, weight)


@checked
def binary_cross_entropy_with_logits(
    input: T, target: T, weight: T | None = None, *, reduction: str = "mean", pos_weight: T | None = None
) -> T:
    """`binary_cross_entropy(sigmoid(input), target)` without overflow.

    Args:
        input: Tensor of floating dtype.
        target: Tensor of the same shape and dtype.
        weight: Tensor that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        pos_weight: Weights of positive targets, a tensor that broadcasts, or None.

    Returns:
        A 0-d tensor, or one of the operands' shape.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: The dtype is not floating.

    Ascend operator: SigmoidCrossEntropyWithLogitsV2; composed for float64. Like: torch.nn.functional.binary_cross_entropy_with_logits.
    """
    function = "binary_cross_entropy_with_logits"
    _reduction(reduction, function)
    _same_shape(input, target, function)
    found = _by_operator(table.BCE_WITH_LOGITS, (input, target, weight, pos_weight), (reduction,), function)
    if found is not None:
        return narrowed(found, input)
    wide, goal = widened(input), widened(target)
    tail = elementwise.add(unary.log1p(unary.exp(unary.neg(unary.abs(wide)))), elementwise.maximum(unary.neg(wide), 0.0))
    if pos_weight is not None:
        tail = elementwise.mul(tail, elementwise.add(elementwise.mul(goal, elementwise.sub(pos_weight, 1)), 1))
    losses = elementwise.add(elementwise.mul(elementwise.rsub(goal, 1), wide), tail)
    return narrowed(_reduced(_weighted(losses, weight), reduction), input)


@checked
def kl_div(input: T, target: T, *, reduction: str = "mean", log_target: bool = False) -> T:
    """`target * (log(target) - input)`, 0 where `target` is 0.

    Args:
        input: Logarithms of probabilities, of floating dtype.
        target: Probabilities that broadcast with them, or their logarithms.
        reduction: "mean", "sum", "none", or "batchmean" for the sum over the first length.
        log_target: Whether `target` holds logarithms.

    Returns:
        A 0-d tensor, or one of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtype is not floating.

    Ascend operator: KLDivV2; composed for float64. Like: torch.nn.functional.kl_div.
    """
    _reduction(reduction, "kl_div", (*_REDUCTIONS, "batchmean"))
    found = _by_operator(table.KL_DIV, (input, target), (reduction, log_target), "kl_div")
    if found is not None:
        return found
    wide, goal = widened(input), widened(target)
    if log_target:
        losses = elementwise.mul(unary.exp(goal), elementwise.sub(goal, wide))
    else:
        losses = elementwise.sub(elementwise.xlogy(goal, goal), elementwise.mul(goal, wide))
    if reduction == "batchmean":
        batch = input.desc.shape[0] if input.desc.shape else 1
        return narrowed(elementwise.div(_reduced(losses, "sum"), float(batch)), input)
    return narrowed(_reduced(losses, reduction), input)


# Classes


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
    """
    _reduction(reduction, "nll_loss")
    rows, classes = _rows(input, target, weight, "nll_loss")
    return views.reshape(_class_loss(rows, classes, weight, ignore_index, reduction, 0.0), target.desc.shape if reduction == "none" else ())


def _rows(input: T, target: T, weight: TensorBase | None, function: str) -> tuple[T, T]:
    """Logarithms as (batch, classes) and targets as (batch)."""
    floating(input, function)
    shape = input.desc.shape
    if target.desc.dtype.category != 1:
        raise DTypeError(f"target holds classes, integers, not {target.desc.dtype.name}").with_context(function, (input, target))
    if not shape or target.desc.shape != ((*shape[:1], *shape[2:]) if len(shape) > 1 else ()):
        raise ShapeError(f"input of shape {list(shape)} does not fit target of shape {list(target.desc.shape)}").with_context(
            function, (input, target)
        )
    classes = shape[1] if len(shape) > 1 else shape[0]
    if weight is not None and weight.desc.shape != (classes,):
        raise ShapeError(f"weight of shape {list(weight.desc.shape)} does not fit {classes} classes").with_context(function, (weight,))
    last = views.movedim(input, 1, -1) if len(shape) > 2 else input
    return views.reshape(last, (target.desc.numel, classes)), views.reshape(target, (target.desc.numel,))


def _class_loss(rows: T, target: T, weight: T | None, ignore_index: int, how: str, smoothing: float) -> T:
    like = rows
    if rows.desc.dtype is not d.float64 and rows.desc.numel and not smoothing:
        classes = rows.desc.shape[1:]
        if weight is None:
            weight = call(FILL, (1,), (classes, rows.desc.dtype), rows.desc.device)
        elif weight.desc.dtype is not rows.desc.dtype:
            weight = comparison.cast(weight, rows.desc.dtype)
        return call(table.NLL_LOSS, (rows, target, weight), (how, ignore_index))[0]
    rows = widened(rows)
    kept = comparison.ne(target, ignore_index)
    chosen = comparison.eq(one_hot(target, rows.desc.shape[1]), 1)
    each = comparison.cast(kept, rows.desc.dtype)
    if weight is not None:
        weight = comparison.cast(weight, rows.desc.dtype)
        each = comparison.where(kept, reduction.sum(comparison.where(chosen, weight, 0.0), -1), 0.0)
    losses = elementwise.mul(reduction.sum(comparison.where(chosen, unary.neg(rows), 0.0), -1), each)
    if smoothing:
        spread = unary.neg(reduction.sum(rows if weight is None else elementwise.mul(rows, weight), -1))
        losses = elementwise.add(elementwise.mul(losses, 1 - smoothing), elementwise.mul(spread, smoothing / rows.desc.shape[1]))
    losses = comparison.where(kept, losses, 0.0)
    if how == "mean":
        return narrowed(elementwise.div(reduction.sum(losses), reduction.sum(each)), like)
    return narrowed(_reduced(losses, how), like)


@checked
def cross_entropy(
    input: T, target: T, weight: T | None = None, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> T:
    """`nll_loss(log_softmax(input), target)`; with probabilities as targets, `-sum(target * log_softmax(input))`.

    Args:
        input: (classes), (batch, classes) or (batch, classes, ...) tensor of floating dtype.
        target: Classes, of integers, without the dim of classes; or probabilities, of the shape and dtype of `input`.
        weight: (classes) tensor, or None.
        ignore_index: Classes that take no part.
        reduction: "mean", "sum" or "none".
        label_smoothing: What part of the target is spread over all classes, 0 to 1.

    Returns:
        A 0-d tensor, or one of the shape of `input` without the dim of classes.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `input` is not floating.
        ValueRangeError: The reduction or the smoothing is none.

    Ascend operator: LogSoftmaxV2 and NLLLoss; composed where needed. Like: torch.nn.functional.cross_entropy.
    """
    _reduction(reduction, "cross_entropy")
    if not 0 <= label_smoothing <= 1:
        raise ValueRangeError(f"label_smoothing must be from 0 to 1, not {label_smoothing}", where="cross_entropy")
    floating(input, "cross_entropy")
    axis = min(len(input.desc.shape), 2) - 1
    if target.desc.dtype.is_floating_point:
        return _soft_loss(input, target, weight, axis, reduction, label_smoothing)
    rows, classes = _rows(input, target, weight, "cross_entropy")
    logs = log_softmax(widened(rows), 1)
    loss = _class_loss(logs, classes, weight, ignore_index, reduction, label_smoothing)
    return narrowed(views.reshape(loss, target.desc.shape if reduction == "none" else ()), input)


def _soft_loss(input: T, target: T, weight: T | None, axis: int, how: str, smoothing: float) -> T:
    _same_shape(input, target, "cross_entropy")
    goal, classes = widened(target), input.desc.shape[axis]
    if smoothing:
        goal = elementwise.add(elementwise.mul(goal, 1 - smoothing), smoothing / classes)
    terms = elementwise.mul(goal, log_softmax(widened(input), axis))
    if weight is not None:
        terms = elementwise.mul(terms, views.reshape(weight, (classes, *(1,) * (len(input.desc.shape) - axis - 1))))
    losses = unary.neg(reduction.sum(terms, axis))
    if how == "mean":
        return narrowed(elementwise.div(reduction.sum(losses), float(input.desc.numel // (classes or 1))), input)
    return narrowed(_reduced(losses, how), input)
