"""Softmax, normalisations, losses, and what else neural networks are made of.

One operator does the work where there is one for the dtype; float64, and losses without an operator, are composed. What is composed is
computed in float32 for float16 and bfloat16, and rounded once.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..dtypes import DTypeLike
from ..errors import DTypeError, ShapeError, ValueRangeError
from . import comparison, elementwise, host, indexing, reduction, unary, views
from .arguments import checked
from .call import call, structured
from .reduction import floating, narrowed, widened
from .table import nn as table
from .table.movement import FILL
from .writing import copy_into

T = TypeVar("T", bound=TensorBase)

_CORE: Final = table.MSE_LOSS.dtypes
"""Dtypes that the operators of losses and normalisations take."""


def _cast(input: T, dtype: DTypeLike) -> T:
    wanted = d.as_dtype(dtype)
    return input if input.desc.dtype is wanted else comparison.cast(input, wanted)


def _filled(value: float, shape: tuple[int, ...], like: TensorBase) -> Any:
    return call(FILL, (value,), (shape, like.desc.dtype), like.desc.device)


# Softmax


@checked
def softmax(input: T, dim: int | None = None, dtype: DTypeLike | None = None) -> T:
    """`exp(input) / sum(exp(input))` along a dim, without overflow.

    Args:
        input: Tensor of any shape and floating dtype.
        dim: The dim along which the results add up to 1; None for 0 of tensors of 0, 1 or 3 dims, else 1.
        dtype: Dtype that the operand is cast to before.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: The dtype is not floating.
        IndexRangeError: There is no such dim.

    Ascend operator: SoftmaxV2. Like: torch.softmax, scipy.special.softmax.
    """
    if dim is None:
        dim = _implied(input)
    if dtype is not None:
        input = _cast(input, dtype)
    return structured(table.SOFTMAX, input, dim)


def _implied(input: TensorBase) -> int:
    """The dim that PyTorch takes where none is given."""
    return 0 if len(input.desc.shape) in (0, 1, 3) else 1


@checked
def log_softmax(input: T, dim: int | None = None, dtype: DTypeLike | None = None) -> T:
    """The logarithm of `softmax`, whose arguments and result it has, without loss.

    Ascend operator: LogSoftmaxV2. Like: torch.log_softmax, scipy.special.log_softmax.
    """
    if dim is None:
        dim = _implied(input)
    if dtype is not None:
        input = _cast(input, dtype)
    return structured(table.LOG_SOFTMAX, input, dim)


@checked
def softmin(input: T, dim: int | None = None, dtype: DTypeLike | None = None) -> T:
    """`softmax(-input)`. Ascend operator: Neg and SoftmaxV2. Like: torch.nn.functional.softmin."""
    return softmax(unary.neg(input), dim, dtype)


# Normalisation


@checked
def layer_norm(input: T, normalized_shape: Sequence[int], weight: T | None = None, bias: T | None = None, eps: float = 1e-5) -> T:
    """Each part of the last dims less its mean, over its deviation, times `weight`, plus `bias`.

    Args:
        input: Tensor of floating dtype.
        normalized_shape: The last lengths of its shape.
        weight, bias: Tensors of that shape, or None. Of another dtype than the operand, all is computed in float32.
        eps: Added to the variance.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtype is not floating.

    Ascend operator: LayerNormV3; composed for float64. Like: torch.nn.functional.layer_norm.
    """
    shape = tuple(normalized_shape)
    _ends(input, shape, (weight, bias), "layer_norm")
    floating(input, "layer_norm")
    mixed = any(each is not None and each.desc.dtype is not input.desc.dtype for each in (weight, bias))
    work = widened(input) if mixed else input
    weight, bias = (None if each is None else _cast(each, work.desc.dtype) for each in (weight, bias))
    if work.desc.dtype in _CORE and input.desc.numel:
        gamma = _filled(1, shape, work) if weight is None else weight
        beta = _filled(0, shape, work) if bias is None else bias
        result: T = call(table.LAYER_NORM, (work, gamma, beta), (len(shape), float(eps)))[0]
    else:
        result = _affine(_standard(work, tuple(range(-len(shape), 0)), eps), weight, bias)
    return narrowed(result, input) if mixed else result


def _ends(input: TensorBase, shape: tuple[int, ...], params: Sequence[TensorBase | None], function: str) -> None:
    whole = input.desc.shape
    if not shape or whole[len(whole) - len(shape) :] != shape:
        raise ShapeError(f"normalized_shape {list(shape)} does not end shape {list(whole)}").with_context(function, (input,))
    for each in params:
        if each is not None and each.desc.shape != shape:
            raise ShapeError(f"weight or bias of shape {list(each.desc.shape)} is not {list(shape)}").with_context(function, (input,))


def _standard(input: T, dims: tuple[int, ...], eps: float) -> T:
    """The operand less its mean over its deviation."""
    distance = elementwise.sub(input, reduction.mean(input, dims, True))
    variance = reduction.mean(elementwise.mul(distance, distance), dims, True)
    return elementwise.mul(distance, unary.rsqrt(elementwise.add(variance, eps)))


def _affine(input: T, weight: T | None, bias: T | None) -> T:
    if weight is not None:
        input = elementwise.mul(input, weight)
    return input if bias is None else elementwise.add(input, bias)


@checked
def rms_norm(input: T, normalized_shape: Sequence[int], weight: T | None = None, eps: float | None = None) -> T:
    """Each part of the last dims over the root of its mean square, times `weight`.

    Args:
        input: Tensor of floating dtype.
        normalized_shape: The last lengths of its shape.
        weight: Tensor of that shape, or None.
        eps: Added to the mean square; None for the dtype's.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtype is not floating.

    Ascend operator: composed of Mul, ReduceMean, Add and Rsqrt. Like: torch.nn.functional.rms_norm.
    """
    shape = tuple(normalized_shape)
    _ends(input, shape, (weight,), "rms_norm")
    floating(input, "rms_norm")
    wide = widened(input)
    square = reduction.mean(elementwise.mul(wide, wide), tuple(range(-len(shape), 0)), True)
    if eps is None:
        eps = float(d.finfo(input.desc.dtype).eps)
    result = elementwise.mul(wide, unary.rsqrt(elementwise.add(square, eps)))
    return narrowed(_affine(result, None if weight is None else _cast(weight, wide.desc.dtype), None), input)


@checked
def group_norm(input: T, num_groups: int, weight: T | None = None, bias: T | None = None, eps: float = 1e-5) -> T:
    """Each group of channels less its mean, over its deviation, times `weight`, plus `bias` of each channel.

    Args:
        input: (batch, channels, ...) tensor of floating dtype.
        num_groups: Number of groups of equal size.
        weight, bias: (channels) tensors, or None.
        eps: Added to the variance.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit, or the channels can't be divided.

    Ascend operator: LayerNormV3, Mul and Add; composed for float64. Like: torch.nn.functional.group_norm.
    """
    shape = input.desc.shape
    if len(shape) < 2 or num_groups < 1 or shape[1] % num_groups:
        raise ShapeError(f"shape {list(shape)} has no channels that make {num_groups} groups").with_context("group_norm", (input,))
    wide = widened(input)
    rows = views.reshape(wide, (shape[0] * num_groups, prod(shape[1:]) // num_groups))
    whole = views.reshape(layer_norm(rows, rows.desc.shape[1:], eps=eps), shape)
    return narrowed(_affine(whole, _by_channel(weight, wide, "group_norm"), _by_channel(bias, wide, "group_norm")), input)


def _by_channel(param: T | None, input: TensorBase, function: str) -> T | None:
    """A vector over the channels, shaped to broadcast."""
    if param is None:
        return None
    shape = input.desc.shape
    if param.desc.shape != shape[1:2]:
        raise ShapeError(f"a vector of shape {list(param.desc.shape)} does not fit {shape[1]} channels").with_context(function, (param,))
    return views.reshape(_cast(param, input.desc.dtype), (shape[1], *(1,) * (len(shape) - 2)))


@checked
def batch_norm(
    input: T,
    running_mean: T | None,
    running_var: T | None,
    weight: T | None = None,
    bias: T | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> T:
    """Each channel less its mean, over its deviation, times `weight`, plus `bias`.

    Args:
        input: (batch, channels, ...) tensor of floating dtype.
        running_mean, running_var: (channels) statistics to use; in training updated in place, and the batch's own are used.
        weight, bias: (channels) tensors, or None.
        training: Whether to use the batch's statistics.
        momentum: Weight of the batch in the update.
        eps: Added to the variance.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: There are no statistics to use.

    Ascend operator: composed of ReduceMean, Sub, Mul, Rsqrt and Add. Like: torch.nn.functional.batch_norm.
    """
    wide = widened(input)
    if len(wide.desc.shape) < 2:
        raise ShapeError(f"shape {list(wide.desc.shape)} has no channels").with_context("batch_norm", (input,))
    scale, shift = _by_channel(weight, wide, "batch_norm"), _by_channel(bias, wide, "batch_norm")
    if training or running_mean is None or running_var is None:
        if not training:
            raise ValueRangeError("running_mean and running_var are needed outside training", where="batch_norm")
        dims = tuple(dim for dim in range(len(wide.desc.shape)) if dim != 1)
        _follow(running_mean, running_var, wide, dims, momentum)
        return narrowed(_affine(_standard(wide, dims, eps), scale, shift), input)
    center, spread = _by_channel(running_mean, wide, "batch_norm"), _by_channel(running_var, wide, "batch_norm")
    assert spread is not None
    standard = elementwise.mul(elementwise.sub(wide, center), unary.rsqrt(elementwise.add(spread, eps)))
    return narrowed(_affine(standard, scale, shift), input)


def _follow(running_mean: T | None, running_var: T | None, input: T, dims: tuple[int, ...], momentum: float) -> None:
    """Move running statistics towards the batch's."""
    variance, mean = reduction.var_mean(input, dims)
    for target, value in ((running_mean, mean), (running_var, variance)):
        if target is not None:
            copy_into(target, elementwise.lerp(target, _cast(value, target.desc.dtype), momentum))


@checked
def normalize(input: T, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> T:
    """`input / max(norm(input, p, dim), eps)`.

    Args:
        input: Tensor of floating dtype.
        p: Order of the norm.
        dim: The dim, or dims, of the norm.
        eps: Least divisor.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: LpNormV2, Maximum and RealDiv. Like: torch.nn.functional.normalize.
    """
    floating(input, "normalize")
    wide = widened(input)
    size = elementwise.maximum(reduction.vector_norm(wide, p, dim, True), eps)
    return narrowed(elementwise.div(wide, size), input)


@checked
def cosine_similarity(x1: T, x2: T, dim: int = 1, eps: float = 1e-8) -> T:
    """The cosine of the angle between vectors along a dim.

    Args:
        x1, x2: Tensors of floating dtype that broadcast.
        dim: The dim of the vectors, in the broadcast shape.
        eps: Least length of a vector.

    Returns:
        Tensor without the dim.

    Ascend operator: composed of Mul, ReduceSum, LpNormV2, Maximum and RealDiv. Like: torch.nn.functional.cosine_similarity.
    """
    x1, x2 = views.broadcast_tensors(x1, x2)
    left, right = widened(x1), widened(x2)
    lengths = [elementwise.maximum(reduction.vector_norm(each, 2, dim, True), eps) for each in (left, right)]
    product = elementwise.mul(elementwise.div(left, lengths[0]), elementwise.div(right, lengths[1]))
    return narrowed(reduction.sum(product, dim), x1)


@checked
def pairwise_distance(x1: T, x2: T, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> T:
    """The p-norm of `x1 - x2 + eps` along the last dim. Like: torch.nn.functional.pairwise_distance."""
    difference = elementwise.add(elementwise.sub(widened(x1), widened(x2)), eps)
    return narrowed(reduction.vector_norm(difference, p, -1, keepdim), x1)


# Classes


@checked
def one_hot(tensor: T, num_classes: int = -1) -> T:
    """A new last dim with a 1 at each class and 0 elsewhere; nothing but zeros for a class out of range.

    Args:
        tensor: Tensor of integers.
        num_classes: Length of the new dim; -1 for the largest class and one more, which is waited for.

    Returns:
        int64 tensor.

    Raises:
        DTypeError: The operand is not of integers.
        ValueRangeError: The number of classes is not positive.

    Ascend operator: OneHot. Like: torch.nn.functional.one_hot.
    """
    if num_classes == -1:
        if not tensor.desc.numel:
            raise ValueRangeError("the number of classes can't be told from an empty tensor").with_context("one_hot", (tensor,))
        num_classes = int(host.item(reduction.amax(tensor))) + 1
    if num_classes < 1:
        raise ValueRangeError(f"the number of classes must be positive, not {num_classes}").with_context("one_hot", (tensor,))
    return call(table.ONE_HOT, (tensor, 1, 0), (num_classes,))


@checked
def embedding(input: TensorBase, weight: T) -> T:
    """The rows of a table that indices say.

    Args:
        input: Tensor of integers.
        weight: (rows, length) tensor.

    Returns:
        Tensor of the shape of `input` and one dim more, of the dtype of `weight`.

    Raises:
        ShapeError: `weight` is not a matrix.
        DTypeError: `input` is not of integers.

    Ascend operator: GatherV2. Like: torch.nn.functional.embedding, numpy.take.
    """
    if len(weight.desc.shape) != 2:
        raise ShapeError(f"the table has to be a matrix, not of shape {list(weight.desc.shape)}").with_context("embedding", (input, weight))
    if input.desc.dtype.category != 1:
        raise DTypeError(f"integers are needed, not {input.desc.dtype.name}").with_context("embedding", (input,))
    return indexing.get(weight, (input,))
