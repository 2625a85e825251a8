"""Losses of numbers and of probabilities. Each takes `reduction` "mean", "sum" or "none".

One operator does the work where there is one for the dtypes; all else is composed, in float32 for half operands, and rounded once.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from typing import Any, Final, TypeVar

import numpy as np

from ... import dtypes as d
from ... import promotion
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import chips, views
from .. import reduction as reductions
from ..arguments import checked
from ..call import call
from ..operands import common_dtype, in_dtype
from ..pointwise import comparison, elementwise, unary
from ..reduction import floating, widened
from ..schema import Row
from ..table import losses as table

T = TypeVar("T", bound=TensorBase)

_WIDEST: Final = float(np.finfo(np.float32).max)
"""What an attribute can hold as the end of a parabola."""
_WIDE: Final = 1000
"""The end up to which a parabola divided by it keeps the digits of small differences."""

_REDUCTIONS: Final = ("none", "mean", "sum")


def check_reduction(reduction: str, function: str, allowed: tuple[str, ...] = _REDUCTIONS) -> None:
    """Refuse what is no reduction.

    Raises:
        ValueRangeError: It is none of those allowed.
    """
    if reduction not in allowed:
        raise ValueRangeError(f"{reduction!r} is not a valid value for reduction: it is one of {', '.join(allowed)}", where=function)


def common(*operands: TensorBase | None) -> DType:
    """The dtype that operands are promoted to, floating."""
    dtype = common_dtype(*[each for each in operands if each is not None])
    return dtype if dtype.category >= d.FLOATING else d.get_default_dtype()


def finished(losses: T, how: str, dtype: DType) -> T:
    """Losses reduced, and brought to a dtype."""
    if how != "none":
        losses = reductions.mean(losses) if how == "mean" else reductions.sum(losses)
    return in_dtype(losses, dtype)


def weighed(losses: T, weight: T, how: str, dtype: DType) -> T:
    """As `finished`, with weights; their sum is what the mean divides by."""
    if how != "mean":
        return finished(elementwise.mul(losses, weight), how, dtype)
    total = elementwise.div(reductions.sum(elementwise.mul(losses, weight)), reductions.sum(widened(weight)))
    return finished(total, "none", dtype)


def by_operator(row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
    """The loss by one operator, or None where that does not take the dtypes or has nothing to do. Operands are expanded to one shape."""
    given = [each for each in operands if each is not None]
    if any(each.desc.dtype not in row.dtypes or not each.desc.numel for each in given) or chips.lacks(row, given[0].desc.dtype):
        return None
    if row.promotion is promotion.Kind.SAME and any(each.desc.dtype is not given[0].desc.dtype for each in given):
        return None
    if any(each.desc.shape != given[0].desc.shape for each in given):
        whole = iter(views.broadcast_tensors(*given))
        operands = tuple(None if each is None else next(whole) for each in operands)
    return call(row, operands, arguments)


def same_shape(input: TensorBase, target: TensorBase, function: str) -> None:
    """Refuse operands that would broadcast.

    Raises:
        ShapeError: The shapes differ.
    """
    if input.desc.shape != target.desc.shape:
        raise ShapeError(
            f"input of shape {list(input.desc.shape)} and target of shape {list(target.desc.shape)} have to have one shape"
        ).with_context(function, (input, target))


def _check_weight(input: TensorBase, weight: TensorBase, function: str) -> None:
    if weight.desc.shape != input.desc.shape:
        raise ShapeError(
            f"weight of shape {list(weight.desc.shape)} and input of shape {list(input.desc.shape)} have to have one shape"
        ).with_context(function, (input, weight))


# Numbers


@checked
def mse_loss(input: T, target: T, *, reduction: str = "mean", weight: T | None = None) -> T:
    """The squared difference.

    Args:
        input, target: Tensors that broadcast, at least one of them of floating dtype.
        reduction: "mean", "sum" or "none".
        weight: Tensor of the shape of `input`, or None; the mean divides by its sum.

    Returns:
        A 0-d tensor, or one of the broadcast shape, of the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtype is not floating.
        ValueRangeError: The reduction is none.

    Ascend operator: MseLoss; composed for float64 and with weights. Like: torch.nn.functional.mse_loss.

    Examples:
        >>> at.nn.functional.mse_loss(at.tensor([1.0, 2.0]), at.tensor([0.0, 5.0]))
        tensor(5., device='npu:0')
    """
    check_reduction(reduction, "mse_loss")
    if weight is None:
        found = by_operator(table.MSE_LOSS, (input, target), (reduction,))
        if found is not None:
            return found
    wide, goal, dtype = _expanded(input, target)
    if dtype.category < d.FLOATING:
        floating(input, "mse_loss")
    error = elementwise.sub(wide, goal)
    return _summed_up(elementwise.mul(error, error), input, weight, reduction, dtype, "mse_loss")


def _expanded(input: T, target: T) -> tuple[T, T, DType]:
    """Both in the dtype to compute in, and that of the loss. PyTorch expands them first, so that a 0-d one counts as much as the other."""
    rank = max(len(input.desc.shape), len(target.desc.shape))
    dtype = promotion.result_type([(each.desc.dtype, rank) for each in (input, target)])
    if dtype.is_complex:
        return input, target, dtype
    work = d.float32 if dtype in reductions.HALVES else dtype
    return in_dtype(input, work), in_dtype(target, work), dtype


def _summed_up(losses: T, input: T, weight: T | None, reduction: str, dtype: DType, function: str) -> T:
    if weight is None:
        return finished(losses, reduction, dtype)
    _check_weight(input, weight, function)
    return weighed(losses, weight, reduction, promotion.promote_types(dtype, weight.desc.dtype))


@checked
def l1_loss(input: T, target: T, *, reduction: str = "mean", weight: T | None = None) -> T:
    """The absolute difference. Arguments, result and errors as for `mse_loss`, and integers where `reduction` is not "mean".

    Ascend operator: LpLoss; composed for float64, integers and with weights. Like: torch.nn.functional.l1_loss.

    Examples:
        >>> at.nn.functional.l1_loss(at.tensor([1.0, 2.0]), at.tensor([0.0, 5.0]))
        tensor(2., device='npu:0')
    """
    check_reduction(reduction, "l1_loss")
    if weight is None:
        found = by_operator(table.L1_LOSS, (input, target), (reduction,))
        if found is not None:
            return found
    wide, goal, dtype = _expanded(input, target)
    losses = unary.abs(elementwise.sub(wide, goal))
    if dtype.is_complex:
        dtype = losses.desc.dtype
    elif dtype.category < d.FLOATING and reduction != "none":
        dtype = d.int64
    return _summed_up(losses, input, weight, reduction, dtype, "l1_loss")


@checked
def smooth_l1_loss(input: T, target: T, *, reduction: str = "mean", beta: float = 1.0) -> T:
    """The absolute difference less `beta / 2`, and half its square over `beta` below `beta`. Arguments and result as for `mse_loss`.

    Ascend operator: SmoothL1LossV2, of which `beta` is an attribute; composed for float64 and for more than a float32 can hold.
        Like: torch.nn.functional.smooth_l1_loss.

    Examples:
        >>> at.nn.functional.smooth_l1_loss(at.tensor([0.5, 3.0]), at.tensor([0.0, 0.0]), reduction="none")
        tensor([0.1250, 2.5000], device='npu:0')
    """
    check_reduction(reduction, "smooth_l1_loss")
    if not beta >= 0:  # nor NaN
        raise ValueRangeError(f"beta must not be negative, but is {beta}", where="smooth_l1_loss")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    if beta <= _WIDEST:
        found = by_operator(table.SMOOTH_L1_LOSS, (input, target), (reduction, float(beta)))
        if found is not None:
            return found
    wide, goal, dtype = _expanded(input, target)
    if dtype.category < d.FLOATING:
        floating(input, "smooth_l1_loss")
    return finished(elementwise.div(_huber(wide, goal, beta), beta), reduction, dtype)


@checked
def huber_loss(input: T, target: T, reduction: str = "mean", delta: float = 1.0, weight: T | None = None) -> T:
    """Half the squared difference, and `delta * (|difference| - delta / 2)` above `delta`.

    Args:
        input, target: Tensors of floating dtype that broadcast.
        reduction: "mean", "sum" or "none".
        delta: Where the parabola ends.
        weight: Factors, a tensor of the shape of `input`, or None; the mean divides by the number of elements.

    Returns:
        A 0-d tensor, or one of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtype is not floating.
        ValueRangeError: The reduction is none, or `delta` not positive.

    Ascend operator: SmoothL1LossV2, and Mul by a `delta` other than 1; composed for float64, with a `weight`, and where such a `delta`
        comes with a half dtype or is above 1,000. Like: torch.nn.functional.huber_loss.

    Examples:
        >>> at.nn.functional.huber_loss(at.tensor([0.5, 3.0]), at.tensor([0.0, 0.0]), reduction="none")
        tensor([0.1250, 2.5000], device='npu:0')
    """
    check_reduction(reduction, "huber_loss")
    floating(input, "huber_loss")
    if not delta > 0:
        raise ValueRangeError(f"delta must be positive, but is {delta}", where="huber_loss")
    if weight is None and (delta == 1 or (delta <= _WIDE and input.desc.dtype is target.desc.dtype is d.float32)):
        found = by_operator(table.SMOOTH_L1_LOSS, (input, target), (reduction, float(delta)))
        if found is not None:
            return found if delta == 1 else elementwise.mul(found, delta)
    losses = _huber(input, target, delta)
    if weight is not None:
        _check_weight(input, weight, "huber_loss")
        losses = elementwise.mul(losses, weight)
    return finished(losses, reduction, input.desc.dtype if weight is None else common(input, target, weight))


def _huber(input: T, target: T, delta: float) -> T:
    far = unary.abs(elementwise.sub(widened(input), widened(target)))
    near = elementwise.mul(elementwise.mul(far, far), 0.5)
    return comparison.where(comparison.lt(far, delta), near, elementwise.mul(elementwise.sub(far, 0.5 * delta), delta))


@checked
def poisson_nll_loss(input: T, target: T, log_input: bool = True, full: bool = False, *, eps: float = 1e-8, reduction: str = "mean") -> T:
    """`exp(input) - target * input`, or `input - target * log(input + eps)`: less likely counts lose more.

    Args:
        input: Logarithms of expected counts, or the counts themselves.
        target: Counts that broadcast with them.
        log_input: Whether `input` holds logarithms.
        full: Whether Stirling's term, `target * log(target) - target + log(2 pi target) / 2` above 1, is added.
        eps: Added before the logarithm.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape, of the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        ValueRangeError: The reduction is none.

    Ascend operator: composed of Exp, Log, Mul and Sub. Like: torch.nn.functional.poisson_nll_loss.

    Examples:
        >>> at.nn.functional.poisson_nll_loss(at.tensor([0.0]), at.tensor([2.0]))
        tensor(1., device='npu:0')
    """
    check_reduction(reduction, "poisson_nll_loss")
    dtype = common(input, target)
    if input.desc.dtype.category < d.FLOATING:  # the exponential of integers, less their product
        ranks = [len(each.desc.shape) for each in (input, target)]
        dtype = promotion.result_type([(d.get_default_dtype(), ranks[0]), (dtype, max(ranks))])
    rate, count = (_float(each, dtype) for each in (input, target))
    if log_input:
        losses = elementwise.sub(unary.exp(rate), elementwise.mul(count, rate))
    else:
        losses = elementwise.sub(rate, elementwise.mul(count, unary.log(elementwise.add(rate, eps))))
    if full:
        stirling = elementwise.sub(elementwise.mul(count, unary.log(count)), count)
        stirling = elementwise.add(stirling, elementwise.mul(unary.log(elementwise.mul(count, 2 * math.pi)), 0.5))
        losses = elementwise.add(losses, comparison.where(comparison.gt(count, 1), stirling, 0.0))
    return finished(losses, reduction, dtype)


def _float(operand: T, dtype: DType) -> T:
    """An operand in the dtype of the computation."""
    work = d.float64 if dtype is d.float64 else d.float32
    return in_dtype(operand, work)


@checked
def gaussian_nll_loss(input: T, target: T, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> T:
    """`(log(var) + (input - target)**2 / var) / 2`, the variances being at least `eps`.

    Args:
        input: Means, of floating dtype.
        target: Tensor that broadcasts with them.
        var: Variances: a number, a tensor of the shape of `input`, or one without the last dim or with one length of 1.
        full: Whether `log(2 pi) / 2` is added.
        eps: Least variance. Negative ones in a tensor become this too: to refuse them, it would have to be waited for.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: The reduction is none, or the variance a negative number.

    Ascend operator: composed of Sub, Mul, Maximum, RealDiv and Log. Like: torch.nn.functional.gaussian_nll_loss.

    Examples:
        >>> at.nn.functional.gaussian_nll_loss(at.tensor([1.0]), at.tensor([3.0]), at.tensor([1.0]))
        tensor(2., device='npu:0')
    """
    check_reduction(reduction, "gaussian_nll_loss")
    dtype = common(input, target)
    mean, goal = _float(input, dtype), _float(target, dtype)
    spread: Any
    if isinstance(var, TensorBase):
        dtype = common(input, target, var)
        spread = elementwise.maximum(_float(_variance(input, var), dtype), eps)
    else:
        if var < 0:
            raise ValueRangeError(f"the variance must not be negative, but is {var}", where="gaussian_nll_loss")
        spread = max(float(var), eps)
    error = elementwise.sub(mean, goal)
    terms = elementwise.div(elementwise.mul(error, error), spread)
    terms = elementwise.add(terms, unary.log(spread) if isinstance(spread, TensorBase) else math.log(spread))
    losses = elementwise.mul(terms, 0.5)
    if full:
        losses = elementwise.add(losses, 0.5 * math.log(2 * math.pi))
    return finished(losses, reduction, dtype)


def _variance(input: TensorBase, var: Any) -> Any:
    shape, given = input.desc.shape, var.desc.shape
    if given == shape:
        return var
    if given == shape[:-1]:
        return views.unsqueeze(var, -1)
    if len(given) == len(shape) and [one for one, other in zip(given, shape, strict=True) if one != other] == [1]:
        return var
    raise ShapeError(f"var of shape {list(given)} does not fit input of shape {list(shape)}").with_context(
        "gaussian_nll_loss", (input, var)
    )


# Probabilities


@checked
def binary_cross_entropy(input: T, target: T, weight: T | None = None, *, reduction: str = "mean") -> T:
    """`-(target * log(input) + (1 - target) * log(1 - input))`, logarithms being at least -100.

    Args:
        input: Probabilities, of floating dtype. Others are an error of the queued work, not in float64.
        target: Tensor of the same shape and dtype.
        weight: Tensor that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the operands' shape.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: The dtype is not floating, or the dtypes differ.

    Ascend operator: BinaryCrossEntropy; composed for float64. Like: torch.nn.functional.binary_cross_entropy.

    Examples:
        >>> at.nn.functional.binary_cross_entropy(at.tensor([0.5, 0.9]), at.tensor([1.0, 1.0]), reduction="none")
        tensor([0.6931, 0.1054], device='npu:0')
    """
    check_reduction(reduction, "binary_cross_entropy")
    same_shape(input, target, "binary_cross_entropy")
    floating(input, "binary_cross_entropy")
    if target.desc.dtype is not input.desc.dtype:
        raise DTypeError(f"the dtypes differ: {input.desc.dtype.name} and {target.desc.dtype.name}").with_context(
            "binary_cross_entropy", (input, target)
        )
    found = by_operator(table.BCE, (input, target, weight), (reduction,))
    if found is not None:
        return found
    wide, goal = widened(input), widened(target)
    yes = elementwise.mul(goal, elementwise.maximum(unary.log(wide), -100.0))
    no = elementwise.mul(elementwise.rsub(goal, 1), elementwise.maximum(unary.log1p(unary.neg(wide)), -100.0))
    return finished(_weighted(unary.neg(elementwise.add(yes, no)), weight), reduction, input.desc.dtype)


def _weighted(losses: T, weight: TensorBase | None) -> T:
    return losses if weight is None else elementwise.mul(losses, weight)


@checked
def binary_cross_entropy_with_logits(
    input: T, target: T, weight: T | None = None, *, reduction: str = "mean", pos_weight: T | None = None
) -> T:
    """`binary_cross_entropy(sigmoid(input), target)` without overflow.

    Args:
        input: Tensor of floating dtype.
        target: Tensor of the same shape.
        weight: Tensor that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        pos_weight: Weights of positive targets, a tensor that broadcasts, or None.

    Returns:
        A 0-d tensor, or one of the operands' shape, of the dtype of `target`.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: The dtype is not floating.

    Ascend operator: SigmoidCrossEntropyWithLogitsV2; composed for float64 and for mixed dtypes.
        Like: torch.nn.functional.binary_cross_entropy_with_logits.

    Examples:
        >>> at.nn.functional.binary_cross_entropy_with_logits(at.tensor([0.0, 0.0]), at.tensor([1.0, 0.0]))
        tensor(0.6931, device='npu:0')
    """
    function = "binary_cross_entropy_with_logits"
    check_reduction(reduction, function)
    same_shape(input, target, function)
    floating(input, function)
    floating(target, function)
    found = by_operator(table.BCE_WITH_LOGITS, (input, target, weight, pos_weight), (reduction,))
    if found is not None:
        return finished(found, "none", target.desc.dtype)
    wide, goal = widened(input), widened(target)
    tail = elementwise.add(unary.log1p(unary.exp(unary.neg(unary.abs(wide)))), elementwise.maximum(unary.neg(wide), 0.0))
    if pos_weight is not None:
        tail = elementwise.mul(tail, elementwise.add(elementwise.mul(goal, elementwise.sub(pos_weight, 1)), 1))
    losses = elementwise.add(elementwise.mul(elementwise.rsub(goal, 1), wide), tail)
    return finished(_weighted(losses, weight), reduction, target.desc.dtype)


@checked
def kl_div(input: T, target: T, *, reduction: str = "mean", log_target: bool = False) -> T:
    """`target * (log(target) - input)`, 0 where `target` is 0.

    Args:
        input: Logarithms of probabilities, of floating dtype.
        target: Probabilities that broadcast with them, or their logarithms.
        reduction: "mean", "sum", "none", or "batchmean" for the sum over the first length of `input`.
        log_target: Whether `target` holds logarithms.

    Returns:
        A 0-d tensor, or one of the broadcast shape, of the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: A dtype is not floating.

    Ascend operator: KLDivV2; composed for float64 and for mixed dtypes. Like: torch.nn.functional.kl_div.

    Examples:
        >>> at.nn.functional.kl_div(at.tensor([0.0, 0.0]), at.tensor([0.5, 0.5]), reduction="sum")
        tensor(-0.6931, device='npu:0')
    """
    check_reduction(reduction, "kl_div", (*_REDUCTIONS, "batchmean"))
    floating(input, "kl_div")
    floating(target, "kl_div")
    # The operator sees expanded operands; the batch is that of the input as it was given.
    if reduction != "batchmean" or (input.desc.shape and input.desc.shape == target.desc.shape):
        found = by_operator(table.KL_DIV, (input, target), (reduction, log_target))
        if found is not None:
            return found
    wide, goal = widened(input), widened(target)
    if log_target:
        losses = elementwise.mul(unary.exp(goal), elementwise.sub(goal, wide))
    else:
        losses = elementwise.sub(elementwise.xlogy(goal, goal), elementwise.mul(goal, wide))
    dtype = common(input, target)
    if reduction == "batchmean":
        batch = input.desc.shape[0] if input.desc.shape else 1
        return finished(elementwise.div(reductions.sum(losses), float(batch)), "none", dtype)
    return finished(losses, reduction, dtype)
