"""Losses of pairs and triples: margins between scores and between distances. Each takes `reduction` "mean", "sum" or "none"."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...base import TensorBase
from ...dtypes import FLOATING, get_default_dtype
from ...errors import ShapeError, ValueRangeError
from .. import reduction as reductions
from ..arguments import checked
from ..operands import in_dtype
from ..pointwise import comparison, elementwise, unary
from ..reduction import floating, widened
from ..table import losses as table
from .losses import by_operator, check_reduction, common, finished
from .softmax import pairwise_distance

T = TypeVar("T", bound=TensorBase)


def _floor(input: T) -> T:
    return elementwise.maximum(input, 0)


@checked
def margin_ranking_loss(input1: T, input2: T, target: T, margin: float = 0, *, reduction: str = "mean") -> T:
    """`max(0, margin - target * (input1 - input2))`: where `target` is 1, the first should be larger, where it is -1, the second.

    Args:
        input1, input2, target: Tensors of the same number of dims, that broadcast.
        margin: How much larger.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape, of the promoted dtype.

    Raises:
        ShapeError: The numbers of dims differ, or the shapes don't broadcast.
        ValueRangeError: The reduction is none.

    Ascend operator: composed of Sub, Mul, Maximum and ReduceMean. Like: torch.nn.functional.margin_ranking_loss.

    Examples:
        >>> at.nn.functional.margin_ranking_loss(at.tensor([1.0, 1.0]), at.tensor([3.0, 0.0]), at.tensor([1, 1]), reduction="none")
        tensor([2., 0.], device='npu:0')
    """
    check_reduction(reduction, "margin_ranking_loss")
    if len({len(each.desc.shape) for each in (input1, input2, target)}) > 1:
        shapes = ", ".join(str(list(each.desc.shape)) for each in (input1, input2, target))
        raise ShapeError(f"the same number of dims is needed, not shapes {shapes}").with_context(
            "margin_ranking_loss", (input1, input2, target)
        )
    gain = elementwise.mul(widened(target), elementwise.sub(widened(input1), widened(input2)))
    return finished(_floor(elementwise.rsub(gain, float(margin))), reduction, common(input1, input2, target))


@checked
def hinge_embedding_loss(input: T, target: T, margin: float = 1.0, *, reduction: str = "mean") -> T:
    """`input` where `target` is 1, `max(0, margin - input)` where it is -1, the sum of both elsewhere.

    Args:
        input: Distances, of floating dtype.
        target: 1 or -1, a tensor that broadcasts.
        margin: How far others should be.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape, of the dtype of `input`.

    Raises:
        ShapeError: The shapes don't broadcast.
        ValueRangeError: The reduction is none.

    Ascend operator: composed of Sub, Maximum, NotEqual, SelectV2 and Add. Like: torch.nn.functional.hinge_embedding_loss.

    Examples:
        >>> at.nn.functional.hinge_embedding_loss(at.tensor([0.25, 0.25]), at.tensor([1, -1]), reduction="none")
        tensor([0.2500, 0.7500], device='npu:0')
    """
    check_reduction(reduction, "hinge_embedding_loss")
    wide = widened(input)
    far = comparison.where(comparison.ne(target, 1), _floor(elementwise.rsub(wide, margin)), 0)
    near = comparison.where(comparison.ne(target, -1), wide, 0)
    return finished(elementwise.add(far, near), reduction, common(input))


@checked
def cosine_embedding_loss(input1: T, input2: T, target: T, margin: float = 0, *, reduction: str = "mean") -> T:
    """`1 - cosine` where `target` is 1, `max(0, cosine - margin)` where it is -1.

    Args:
        input1, input2: (batch, length) or (length) tensors.
        target: 1 or -1, a (batch) or 0-d tensor.
        margin: The cosine that others may have.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the shape of `target`.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: The reduction is none.

    Ascend operator: composed of Mul, ReduceSum, Sqrt, RealDiv and SelectV2. Like: torch.nn.functional.cosine_embedding_loss.

    Examples:
        >>> at.nn.functional.cosine_embedding_loss(at.tensor([[1.0, 0.0]]), at.tensor([[0.0, 1.0]]), at.tensor([1]))
        tensor(1., device='npu:0')
    """
    function = "cosine_embedding_loss"
    check_reduction(reduction, function)
    ranks = [len(each.desc.shape) for each in (input1, input2, target)]
    if ranks not in ([2, 2, 1], [1, 1, 0]):
        shapes = ", ".join(str(list(each.desc.shape)) for each in (input1, input2, target))
        raise ShapeError(f"(batch, length) inputs with a (batch) target or (length) with a 0-d one are needed, not {shapes}").with_context(
            function, (input1, input2, target)
        )
    input1, input2 = (in_dtype(each, get_default_dtype()) if each.desc.dtype.category < FLOATING else each for each in (input1, input2))
    left, right = widened(input1), widened(input2)
    product = reductions.sum(elementwise.mul(left, right), -1)
    squares = [elementwise.add(reductions.sum(elementwise.mul(each, each), -1), 1e-12) for each in (left, right)]
    cosine = elementwise.div(product, unary.sqrt(elementwise.mul(squares[0], squares[1])))
    near = comparison.where(comparison.eq(target, 1), elementwise.rsub(cosine, 1), 0)
    far = comparison.where(comparison.eq(target, -1), _floor(elementwise.sub(cosine, margin)), 0)
    return finished(elementwise.add(near, far), reduction, common(input1, input2))


@checked
def soft_margin_loss(input: T, target: T, *, reduction: str = "mean") -> T:
    """`log(1 + exp(-target * input))`.

    Args:
        input: Tensor of floating dtype.
        target: 1 or -1, a tensor that broadcasts.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `input` is not floating.
        ValueRangeError: The reduction is none.

    Ascend operator: SoftMarginLoss; composed for float64 and for mixed dtypes. Like: torch.nn.functional.soft_margin_loss.

    Examples:
        >>> at.nn.functional.soft_margin_loss(at.tensor([0.0, 0.0]), at.tensor([1, -1]))
        tensor(0.6931, device='npu:0')
    """
    check_reduction(reduction, "soft_margin_loss")
    floating(input, "soft_margin_loss")
    found = by_operator(table.SOFT_MARGIN_LOSS, (input, target), (reduction,))
    if found is not None:
        return found
    gain = elementwise.mul(widened(target), widened(input))
    tail = unary.log1p(unary.exp(unary.neg(unary.abs(gain))))
    return finished(elementwise.add(tail, _floor(unary.neg(gain))), reduction, input.desc.dtype)


# Triples


@checked
def triplet_margin_loss(
    anchor: T,
    positive: T,
    negative: T,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    *,
    reduction: str = "mean",
) -> T:
    """`max(0, margin + distance(anchor, positive) - distance(anchor, negative))`, along the last dim.

    Args:
        anchor, positive, negative: Tensors of the same number of dims, that broadcast.
        margin: How much farther the negative should be; positive.
        p: Order of the norm.
        eps: Added to the differences.
        swap: Whether the distance of positive and negative counts where it is less than that of anchor and negative.
        reduction: "mean", "sum" or "none".

    Returns:
        A 0-d tensor, or one of the shape without the last dim.

    Raises:
        ShapeError: The numbers of dims differ, or the shapes don't broadcast.
        ValueRangeError: The margin is not positive, or the reduction none.

    Ascend operator: composed of Sub, LpNormV2, Maximum and ReduceMean. Like: torch.nn.functional.triplet_margin_loss.

    Examples:
        >>> at.nn.functional.triplet_margin_loss(at.zeros(1, 2), at.zeros(1, 2), at.tensor([[0.5, 0.0]]))
        tensor(0.5000, device='npu:0')
    """

    def distance(left: T, right: T) -> T:
        return pairwise_distance(left, right, p, eps)

    return _triplet(anchor, positive, negative, distance, margin, swap, reduction, "triplet_margin_loss")


@checked
def triplet_margin_with_distance_loss(
    anchor: T,
    positive: T,
    negative: T,
    *,
    distance_function: Callable[..., Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> T:
    """`triplet_margin_loss` with a distance of one's own.

    Args:
        anchor, positive, negative, margin, swap, reduction: As for `triplet_margin_loss`.
        distance_function: Takes two tensors and gives a tensor of distances; by default `pairwise_distance`.

    Returns:
        A 0-d tensor, or one of the shape of the distances.

    Raises:
        ShapeError: The numbers of dims differ.
        ValueRangeError: The margin is not positive, or the reduction none.

    Ascend operator: those of the distance, Maximum and ReduceMean. Like: torch.nn.functional.triplet_margin_with_distance_loss.

    Examples:
        >>> anchor, other = at.zeros(1, 2), at.tensor([[0.5, 0.0]])
        >>> at.nn.functional.triplet_margin_with_distance_loss(anchor, anchor, other, distance_function=lambda a, b: (a - b).abs().sum(1))
        tensor(0.5000, device='npu:0')
    """
    measure = pairwise_distance if distance_function is None else distance_function
    return _triplet(anchor, positive, negative, measure, margin, swap, reduction, "triplet_margin_with_distance_loss")


def _triplet(
    anchor: T, positive: T, negative: T, distance: Callable[..., Any], margin: float, swap: bool, reduction: str, function: str
) -> T:
    check_reduction(reduction, function)
    if not margin > 0:
        raise ValueRangeError(f"margin must be positive, but is {margin}", where=function)
    operands = (anchor, positive, negative)
    if len({len(each.desc.shape) for each in operands}) > 1:
        shapes = ", ".join(str(list(each.desc.shape)) for each in operands)
        raise ShapeError(f"the same number of dims is needed, not shapes {shapes}").with_context(function, operands)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = elementwise.minimum(far, distance(positive, negative))
    losses = _floor(elementwise.add(elementwise.sub(widened(near), widened(far)), margin))
    return finished(losses, reduction, common(near, far))
