"""Functions of networks that draw random numbers: dropout of elements and of channels, rrelu, Gumbel's softmax."""

# mypy: disable-error-code="no-any-return"
# (the functions of `ops` give the class of their operand.)

from __future__ import annotations

import math
from typing import Final, TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..errors import ShapeError, ValueRangeError
from ..ops import gather, reduction, views
from ..ops.arguments import checked
from ..ops.nn.activation import leaky_relu
from ..ops.nn.softmax import softmax
from ..ops.operands import filled
from ..ops.pointwise import comparison, elementwise, unary
from ..ops.reduction import floating, narrowed, widened
from ..ops.writing import copy_into
from ..random import Generator, bernoulli, dropout, rand

T = TypeVar("T", bound=TensorBase)

_ALPHA: Final = 1.7580993408473766
"""Where selu ends below: its scale times its alpha."""
_LEAST: Final = 1.1754943508222875e-38
"""The least normal float32, in the place of a drawn 0 whose logarithm is needed."""


def _uniform(like: T, generator: Generator | None) -> T:
    """Numbers in [0, 1) for each element, in the dtype of computations in several steps."""
    dtype = d.float64 if like.desc.dtype is d.float64 else d.float32
    return rand(like.desc.shape, dtype=dtype, device=like.desc.device, generator=generator)  # type: ignore[return-value]


def _kept(like: T, shape: tuple[int, ...], p: float, generator: Generator | None) -> T:
    """Ones with probability `1 - p`, else zeros, of the dtype and on the device of a tensor."""
    chance: T = filled(like, shape, 1 - p)
    return bernoulli(chance, generator=generator)


def _probability(p: float, function: str) -> None:
    if not 0 <= p <= 1:
        raise ValueRangeError(f"p must be from 0 to 1, it is {p}", where=function)


def _put(result: T, input: T, inplace: bool) -> T:
    return copy_into(input, result) if inplace else result


@checked
def dropout_(input: T, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> T:
    """`dropout`, written into the tensor. Like: torch.dropout_.

    Examples:
        >>> x = at.ones(4)
        >>> at.dropout_(x, 1.0, True)
        tensor([0., 0., 0., 0.], device='npu:0')
        >>> x
        tensor([0., 0., 0., 0.], device='npu:0')
    """
    return dropout(input, p, training, True, generator=generator)


# Channels


@checked
def feature_dropout(input: T, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> T:
    """`dropout` of whole channels: (batch, channels, ...) tensors, each channel of each sample set to zero or kept.

    Args:
        input: Tensor of 2 or more dims and floating dtype.
        p: Probability from 0 to 1.
        training: If false, `input` is returned as it is.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ShapeError: There are no channels.
        ValueRangeError: `p` is no probability.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessBernoulli and Mul. Like: torch.feature_dropout.

    Examples:
        >>> at.feature_dropout(at.ones(1, 2, 3), 0.5, False)
        tensor([[[1., 1., 1.],
                 [1., 1., 1.]]], device='npu:0')
    """
    return _channels(input, p, training, generator, False, "feature_dropout")


def _channels(input: T, p: float, training: bool, generator: Generator | None, alpha: bool, function: str) -> T:
    _probability(p, function)
    if not training:
        return input
    floating(input, function)
    if p == 0:
        return input
    shape = input.desc.shape
    if len(shape) < 2:
        raise ShapeError(f"shape {list(shape)} has no channels: at least 2 dims are needed").with_context(function, (input,))
    noise = (*shape[:2], *(1,) * (len(shape) - 2))
    if alpha:
        return _alpha(input, p, noise, generator)
    if p == 1:
        return elementwise.mul(input, 0)
    wide = widened(input)
    kept = elementwise.mul(_kept(wide, noise, p, generator), 1 / (1 - p))
    return narrowed(elementwise.mul(wide, kept), input)


def _by_rank(
    input: T, p: float, training: bool, inplace: bool, generator: Generator | None, ranks: tuple[int, ...], lone: int, function: str
) -> T:
    """Dropout of channels for inputs of some ranks; one of them, `lone`, has no batch."""
    shape = input.desc.shape
    if len(shape) not in ranks:
        raise ShapeError(f"{' or '.join(map(str, ranks))} dims are needed, not shape {list(shape)}").with_context(function, (input,))
    batch = views.unsqueeze(input, 0) if len(shape) == lone else input
    result = _channels(batch, p, training, generator, False, function)
    return _put(views.squeeze(result, 0) if len(shape) == lone else result, input, inplace) if result is not batch else input


@checked
def dropout1d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> T:
    """`dropout` of whole channels of (channels, length) or (batch, channels, length).

    Args:
        input: Tensor of 2 or 3 dims and floating dtype.
        p, training, generator: As for `dropout`.
        inplace: Whether the result is written into `input`.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ShapeError: Another number of dims.
        ValueRangeError: `p` is no probability.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessBernoulli and Mul. Like: torch.nn.functional.dropout1d.

    Examples:
        >>> at.nn.functional.dropout1d(at.ones(1, 2, 3), training=False)
        tensor([[[1., 1., 1.],
                 [1., 1., 1.]]], device='npu:0')
    """
    return _by_rank(input, p, training, inplace, generator, (2, 3), 2, "dropout1d")


@checked
def dropout2d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> T:
    """`dropout` of whole channels of (batch, channels, height, width); three dims are (batch, channels, length), as in PyTorch.

    Arguments, result and errors as for `dropout1d`. Like: torch.nn.functional.dropout2d.

    Examples:
        >>> at.nn.functional.dropout2d(at.ones(1, 2, 1, 2), training=False).shape
        (1, 2, 1, 2)
    """
    return _by_rank(input, p, training, inplace, generator, (2, 3, 4), 0, "dropout2d")


@checked
def dropout3d(input: T, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> T:
    """`dropout` of whole channels of (channels, depth, height, width) or (batch, channels, depth, height, width).

    Arguments, result and errors as for `dropout1d`. Like: torch.nn.functional.dropout3d.

    Examples:
        >>> at.nn.functional.dropout3d(at.ones(1, 2, 1, 1, 2), training=False).shape
        (1, 2, 1, 1, 2)
    """
    return _by_rank(input, p, training, inplace, generator, (2, 4, 5), 4, "dropout3d")


# Dropout that keeps mean and deviation


def _alpha(input: T, p: float, noise: tuple[int, ...], generator: Generator | None) -> T:
    if p == 1:
        return elementwise.mul(input, 0)
    wide = widened(input)
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    kept = _kept(wide, noise, p, generator)
    # Kept elements are scaled, others become -alpha before the same scale; both are shifted so that the mean stays.
    shift = elementwise.add(elementwise.mul(elementwise.sub(kept, 1.0), _ALPHA * scale), _ALPHA * scale * p)
    return narrowed(elementwise.add(elementwise.mul(wide, elementwise.mul(kept, scale)), shift), input)


@checked
def alpha_dropout(input: T, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> T:
    """Elements set to the lower end of `selu` with probability `p`, and all scaled and shifted so that mean and deviation stay.

    Args:
        input: Tensor of any shape and floating dtype.
        p: Probability from 0 to 1.
        training: If false, `input` is returned as it is.
        inplace: Whether the result is written into `input`.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ValueRangeError: `p` is no probability.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessBernoulli, Mul and Add. Like: torch.nn.functional.alpha_dropout.

    Examples:
        >>> at.nn.functional.alpha_dropout(at.ones(4), training=False)
        tensor([1., 1., 1., 1.], device='npu:0')
    """
    _probability(p, "alpha_dropout")
    if not training:
        return input
    floating(input, "alpha_dropout")
    return _put(_alpha(input, p, input.desc.shape, generator), input, inplace) if p else input


@checked
def feature_alpha_dropout(
    input: T, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None
) -> T:
    """`alpha_dropout` of whole channels: (batch, channels, ...) tensors.

    Arguments, result and errors as for `alpha_dropout`; a ShapeError where there are no channels.
    Like: torch.nn.functional.feature_alpha_dropout.

    Examples:
        >>> at.nn.functional.feature_alpha_dropout(at.ones(1, 2, 3), training=False)
        tensor([[[1., 1., 1.],
                 [1., 1., 1.]]], device='npu:0')
    """
    result = _channels(input, p, training, generator, True, "feature_alpha_dropout")
    return result if result is input else _put(result, input, inplace)


# Slopes


@checked
def rrelu(
    input: T,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: Generator | None = None,
) -> T:
    """`input` above 0, a slope times it below: drawn from [lower, upper) for each element in training, else the middle of the two.

    Args:
        input: Tensor of any shape and floating dtype.
        lower, upper: Ends of the slopes.
        training: Whether slopes are drawn.
        inplace: Whether the result is written into `input`.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ValueRangeError: `lower` is above `upper`.
        DTypeError: Not a floating dtype.

    Ascend operator: LeakyRelu; in training StatelessRandomUniformV2, Mul and SelectV2. Like: torch.rrelu.

    Examples:
        >>> at.nn.functional.rrelu(at.tensor([-1.0, 2.0]), 0.5, 0.5)
        tensor([-0.5000,  2.0000], device='npu:0')
    """
    if not lower <= upper:
        raise ValueRangeError(f"lower, {lower}, must not be above upper, {upper}", where="rrelu")
    floating(input, "rrelu")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    wide = widened(input)
    slopes = elementwise.add(elementwise.mul(_uniform(input, generator), upper - lower), lower)
    chosen = comparison.where(comparison.le(wide, 0), elementwise.mul(wide, slopes), wide)
    return _put(narrowed(chosen, input), input, inplace)


@checked
def rrelu_(input: T, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, *, generator: Generator | None = None) -> T:
    """`rrelu`, written into the tensor. Like: torch.rrelu_.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.nn.functional.rrelu_(x, 0.5, 0.5) is x
        True
        >>> x
        tensor([-0.5000,  2.0000], device='npu:0')
    """
    return rrelu(input, lower, upper, training, True, generator=generator)


# Samples of a distribution over classes


@checked
def gumbel_softmax(
    logits: T, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1, *, generator: Generator | None = None
) -> T:
    """Samples of a distribution over classes that differ little from one-hot vectors: `softmax((logits + noise) / tau)`.

    Args:
        logits: Logarithms of weights, of floating dtype.
        tau: Temperature; the nearer to 0, the nearer to one-hot.
        hard: Whether the samples are made one-hot.
        eps: Has no effect, as in PyTorch.
        dim: The dim of the classes.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        IndexRangeError: There is no such dim.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessRandomUniformV2, Log, SoftmaxV2; ArgMaxV2 for `hard`. Like: torch.nn.functional.gumbel_softmax.

    Examples:
        >>> at.nn.functional.gumbel_softmax(at.zeros(2, 3), hard=True).sum(1)
        tensor([1., 1.], device='npu:0')
    """
    floating(logits, "gumbel_softmax")
    waiting = elementwise.maximum(unary.neg(unary.log1p(unary.neg(_uniform(logits, generator)))), _LEAST)
    soft = softmax(elementwise.div(elementwise.sub(widened(logits), unary.log(waiting)), tau), dim)
    if not hard:
        return narrowed(soft, logits)
    hot = gather.scatter(elementwise.mul(soft, 0), dim, reduction.argmax(soft, dim, True), 1.0)
    return narrowed(hot, logits)
