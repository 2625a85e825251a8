"""Normalisations: what a tensor's parts are brought to, by their own statistics or given ones.

One operator does the work where there is one for the dtype; float64 is composed. Half operands are computed in float32 and rounded once.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, TypeVar

from ... import base
from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import DTypeError, ShapeError, ValueRangeError
from ...runtime.desc import TensorDesc
from .. import chips, reduction, shape, views
from ..arguments import checked, described
from ..call import call, call_into, plain
from ..operands import filled, in_dtype, lasting
from ..pointwise import elementwise, unary
from ..reduction import narrowed, widened
from ..schema import Row
from ..shape import clone
from ..table import normalization as table
from ..writing import copy_into, into, takes_outputs

T = TypeVar("T", bound=TensorBase)

_CORE: Final = table.LAYER_NORM.dtypes
"""Dtypes that the operators take."""
_EPS: Final = float(d.finfo(d.float32).eps)
_EPS_OF_DOUBLES: Final = float(d.finfo(d.float64).eps)


def _real(input: TensorBase, function: str) -> None:
    dtype = input.desc.dtype
    if not dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {dtype.name}", advice="Cast with .to(float32) first.").with_context(
            function, (input,)
        )


def _standard(input: T, dims: tuple[int, ...], eps: float) -> tuple[T, T, T]:
    """The operand less its mean over its deviation, the mean, and 1 / deviation."""
    mean = reduction.mean(input, dims, True)
    distance = elementwise.sub(input, mean)
    variance = reduction.mean(elementwise.mul(distance, distance), dims, True)
    inverse = unary.rsqrt(elementwise.add(variance, eps))
    return elementwise.mul(distance, inverse), mean, inverse


def _affine(input: T, weight: T | None, bias: T | None) -> T:
    if weight is not None:
        input = elementwise.mul(input, weight)
    return input if bias is None else elementwise.add(input, bias)


# Over the last dims


def _ends(input: TensorBase, normalized_shape: Sequence[int], params: Sequence[TensorBase | None], function: str) -> tuple[int, ...]:
    if not isinstance(normalized_shape, (tuple, Sequence)):  # the first is quick, the second takes what is like one
        raise DTypeError(
            f"normalized_shape must be a tuple of lengths, not {described(normalized_shape)}",
            advice=f"One length is ({normalized_shape},)." if isinstance(normalized_shape, int) else "One length is (4,).",
        ).with_context(function, (input,))
    shape, whole = tuple(normalized_shape), input.desc.shape
    if not shape or whole[len(whole) - len(shape) :] != shape:
        raise ShapeError(f"normalized_shape {list(shape)} does not end shape {list(whole)}").with_context(function, (input,))
    for each in params:
        if each is not None and each.desc.shape != shape:
            raise ShapeError(f"weight or bias of shape {list(each.desc.shape)} is not {list(shape)}").with_context(function, (input,))
    _real(input, function)
    return shape


def _params(input: TensorBase, params: Sequence[T | None], row: Row, mixed: Row) -> tuple[Row, DType]:
    """The row for an operand and its parameters, and the parameters' dtype in it."""
    dtype = input.desc.dtype
    for each in params:
        if each is not None and each.desc.dtype is not dtype:
            return mixed, d.float32
    return row, dtype


def _scale_and_shift(input: T, shape: tuple[int, ...], dtype: DType, weight: T | None, bias: T | None) -> tuple[T, T]:
    """Weight and bias, ones and zeros for what the caller left out."""
    return lasting(input, shape, 1, dtype) if weight is None else weight, lasting(input, shape, 0, dtype) if bias is None else bias


def _layer_norm(input: T, shape: tuple[int, ...], weight: T | None, bias: T | None, eps: float) -> tuple[T, T, T]:
    dtype = input.desc.dtype
    if dtype not in _CORE or not input.desc.numel:
        weight, bias = (None if each is None else in_dtype(each, dtype) for each in (weight, bias))
        result, mean, inverse = _standard(input, tuple(range(-len(shape), 0)), eps)
        return _affine(result, weight, bias), mean, inverse
    row, wanted = _params(input, (weight, bias), table.LAYER_NORM, table.LAYER_NORM_MIXED)
    gamma, beta = _scale_and_shift(input, shape, wanted, weight, bias)
    return call(row, (input, gamma, beta), (len(shape), float(eps)))


@checked
def layer_norm(input: T, normalized_shape: Sequence[int], weight: T | None = None, bias: T | None = None, eps: float = 1e-5) -> T:
    """Each part of the last dims less its mean, over its deviation, times `weight`, plus `bias`.

    Args:
        input: Tensor of floating dtype.
        normalized_shape: The last lengths of its shape.
        weight, bias: Tensors of that shape, or None.
        eps: Added to the variance; an attribute, so that each value makes its own operator model.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtype is not floating.

    Ascend operator: LayerNormV3; composed for float64. Like: torch.nn.functional.layer_norm.

    Examples:
        >>> at.nn.functional.layer_norm(at.tensor([[1.0, 3.0], [5.0, 9.0]]), (2,), eps=0.0)
        tensor([[-1.,  1.],
                [-1.,  1.]], device='npu:0')
    """
    shape = _ends(input, normalized_shape, (weight, bias), "layer_norm")
    return _layer_norm(input, shape, weight, bias, eps)[0]


@checked
def native_layer_norm(input: T, normalized_shape: Sequence[int], weight: T | None, bias: T | None, eps: float) -> tuple[T, T, T]:
    """`layer_norm`, the means, and 1 over the deviations. Arguments and errors as for `layer_norm`.

    Returns:
        The result; mean and 1 / deviation with length 1 in the last dims, of the operand's dtype, float32 with parameters of another.

    Ascend operator: LayerNormV3. Like: torch.native_layer_norm.

    Examples:
        >>> result, mean, rstd = at.native_layer_norm(at.tensor([[1.0, 3.0], [5.0, 9.0]]), (2,), None, None, 0.0)
        >>> mean.flatten()
        tensor([2., 7.], device='npu:0')
    """
    shape = _ends(input, normalized_shape, (weight, bias), "native_layer_norm")
    return _layer_norm(input, shape, weight, bias, eps)


@checked
def rms_norm(input: T, normalized_shape: Sequence[int], weight: T | None = None, eps: float | None = None) -> T:
    """Each part of the last dims over the root of its mean square, times `weight`.

    Args:
        input: Tensor of floating dtype.
        normalized_shape: The last lengths of its shape.
        weight: Tensor of that shape, or None.
        eps: Added to the mean square; None for that of the dtype of the computation, float32 for half operands. An attribute, so that
            each value makes its own operator model.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtype is not floating.

    Ascend operator: RmsNorm; composed for float64. Like: torch.nn.functional.rms_norm.

    Examples:
        >>> at.nn.functional.rms_norm(at.tensor([[3.0, 3.0]]), (2,), eps=0.0)
        tensor([[1., 1.]], device='npu:0')
    """
    shape = _ends(input, normalized_shape, (weight,), "rms_norm")
    dtype = input.desc.dtype
    if eps is None:
        eps = _EPS_OF_DOUBLES if dtype is d.float64 else _EPS
    if dtype in _CORE and input.desc.numel and not chips.lacks(table.RMS_NORM, dtype):
        row, wanted = _params(input, (weight,), table.RMS_NORM, table.RMS_NORM_MIXED)
        gamma = lasting(input, shape, 1, wanted) if weight is None else weight
        return call(row, (input, gamma), (float(eps),))[0]
    square = reduction.mean(elementwise.mul(input, input), tuple(range(-len(shape), 0)), True)
    result = elementwise.mul(input, unary.rsqrt(elementwise.add(square, eps)))
    return _affine(result, None if weight is None else in_dtype(weight, dtype), None)


# By channels


def _by_channel(param: T | None, input: TensorBase, name: str, function: str) -> T | None:
    """A vector over the channels in the operand's dtype, shaped to broadcast."""
    if param is None:
        return None
    shape = input.desc.shape
    _check_channels(param, shape, name, function)
    return views.reshape(in_dtype(param, input.desc.dtype), (shape[1], *(1,) * (len(shape) - 2)))


def _check_channels(param: TensorBase | None, shape: tuple[int, ...], name: str, function: str) -> None:
    if param is not None and param.desc.shape != shape[1:2]:
        raise ShapeError(f"{name} of shape {list(param.desc.shape)} does not fit {shape[1]} channels").with_context(function, (param,))


def _group_norm(input: T, groups: int, weight: T | None, bias: T | None, eps: float, function: str) -> tuple[T, T, T]:
    shape = input.desc.shape
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise ShapeError(f"shape {list(shape)} has no channels that make {groups} groups").with_context(function, (input,))
    _real(input, function)
    _check_channels(weight, shape, "weight", function)
    _check_channels(bias, shape, "bias", function)
    if input.desc.dtype in _CORE and input.desc.numel and not chips.lacks(table.GROUP_NORM, input.desc.dtype):
        row, _ = _params(input, (weight, bias), table.GROUP_NORM, table.GROUP_NORM_MIXED)
        return call(row, (input, weight, bias), (groups, float(eps)))
    length = prod(shape[1:]) // groups
    rows = views.reshape(input, (shape[0], groups, length))
    result, mean, inverse = _standard(rows, (-1,), eps)
    scale, shift = _by_channel(weight, input, "weight", function), _by_channel(bias, input, "bias", function)
    return _affine(views.reshape(result, shape), scale, shift), views.squeeze(mean, -1), views.squeeze(inverse, -1)


@checked
def group_norm(input: T, num_groups: int, weight: T | None = None, bias: T | None = None, eps: float = 1e-5) -> T:
    """Each group of channels less its mean, over its deviation, times `weight`, plus `bias` of each channel.

    Args:
        input: (batch, channels, ...) tensor of floating dtype.
        num_groups: Number of groups of equal size.
        weight, bias: (channels) tensors, or None.
        eps: Added to the variance; an attribute, so that each value makes its own operator model.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit, or the channels can't be divided.
        ValueRangeError: A single value makes the statistics of all groups.
        DTypeError: The dtype is not floating.

    Ascend operator: GroupNormSilu without its activation; composed for float64. Like: torch.nn.functional.group_norm.

    Examples:
        >>> at.nn.functional.group_norm(at.tensor([[[1.0, 3.0], [5.0, 9.0]]]), 2, eps=0.0)
        tensor([[[-1.,  1.],
                 [-1.,  1.]]], device='npu:0')
    """
    shape = input.desc.shape
    result = _group_norm(input, num_groups, weight, bias, eps, "group_norm")[0]
    if shape[0] * shape[1] // num_groups * prod(shape[2:]) == 1:
        raise ValueRangeError(f"more than one value for each channel is needed, not shape {list(shape)}").with_context(
            "group_norm", (input,)
        )
    return result


@checked
def native_group_norm(input: T, weight: T | None, bias: T | None, N: int, C: int, HxW: int, group: int, eps: float) -> tuple[T, T, T]:
    """`group_norm`, and mean and 1 over the deviation of each group of each sample.

    Args:
        input: (N, C, ...) tensor of floating dtype.
        weight, bias: (C) tensors, or None.
        N, C, HxW: Number of samples, of channels, and of elements in a channel.
        group: Number of groups of equal size.
        eps: Added to the variance.

    Returns:
        The result; mean and 1 / deviation (N, group), of the operand's dtype.

    Raises:
        ShapeError: The shapes do not fit, or the channels can't be divided.
        DTypeError: The dtype is not floating.

    Ascend operator: GroupNormSilu. Like: torch.native_group_norm.

    Examples:
        >>> result, mean, rstd = at.native_group_norm(at.tensor([[[1.0, 3.0], [5.0, 9.0]]]), None, None, 1, 2, 2, 2, 0.0)
        >>> mean
        tensor([[2., 7.]], device='npu:0')
    """
    shape = input.desc.shape
    if len(shape) < 2 or (*shape[:2], prod(shape[2:])) != (N, C, HxW):
        raise ShapeError(f"shape {list(shape)} is not ({N}, {C}, ...) with {HxW} elements in a channel").with_context(
            "native_group_norm", (input,)
        )
    return _group_norm(input, group, weight, bias, eps, "native_group_norm")


# Over the batch


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
        eps: Added to the variance; both are attributes, so that each value makes its own operator model.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: There are no statistics to use, or a single value to make them of; in training, `eps` not positive.
        DTypeError: The dtype is not floating.

    Ascend operator: BatchNormV3 in training, else BNInfer; composed for float64. Like: torch.nn.functional.batch_norm.

    Examples:
        >>> at.nn.functional.batch_norm(at.tensor([[1.0], [3.0]]), at.tensor([1.0]), at.tensor([4.0]), eps=0.0)
        tensor([[0.],
                [1.]], device='npu:0')
    """
    shape = input.desc.shape
    if training and len(shape) > 1 and shape[0] * prod(shape[2:]) == 1:
        raise ValueRangeError(f"more than one value for each channel is needed in training, not shape {list(shape)}").with_context(
            "batch_norm", (input,)
        )
    if training and eps <= 0:
        raise ValueRangeError(f"eps must be positive in training, not {eps}").with_context("batch_norm", (input,))
    return _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps, "batch_norm")[0]


@checked
def native_batch_norm(
    input: T,
    weight: T | None,
    bias: T | None,
    running_mean: T | None,
    running_var: T | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[T, T, T]:
    """`batch_norm`, and the batch's mean and 1 over its deviation, which are empty outside training.

    Arguments and errors as for `batch_norm`.

    Returns:
        The result; two (channels) tensors of float32, float64 for a float64 operand.

    Ascend operator: BatchNormV3 in training, else BNInfer. Like: torch.native_batch_norm.

    Examples:
        >>> result, mean, rstd = at.native_batch_norm(at.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 0.0)
        >>> mean
        tensor([2.], device='npu:0')
    """
    return _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps, "native_batch_norm")


def _batch_norm(
    input: T,
    running_mean: T | None,
    running_var: T | None,
    weight: T | None,
    bias: T | None,
    training: bool,
    momentum: float,
    eps: float,
    function: str,
) -> tuple[T, T, T]:
    shape = input.desc.shape
    if len(shape) < 2:
        raise ShapeError(f"shape {list(shape)} has no channels").with_context(function, (input,))
    _real(input, function)
    for name, param in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        _check_channels(param, shape, name, function)
    single = input.desc.dtype in _CORE and input.desc.numel
    statistics = d.float32 if input.desc.dtype in _CORE else d.float64
    if not training:
        if running_mean is None or running_var is None:
            raise ValueRangeError("running_mean and running_var are needed outside training").with_context(function, (input,))
        given = _with_given if single else _with_given_composed
        none = filled(input, (0,), 0, statistics)
        return given(input, running_mean, running_var, weight, bias, eps), none, none
    if single and not chips.lacks(table.BATCH_NORM, input.desc.dtype):
        return _with_own(input, running_mean, running_var, weight, bias, momentum, eps)
    dims = tuple(dim for dim in range(len(shape)) if dim != 1)
    result, mean, inverse = _standard(input, dims, eps)
    if input.desc.numel:
        _follow(running_mean, running_var, input, dims, momentum)
    result = _affine(result, _by_channel(weight, input, "weight", function), _by_channel(bias, input, "bias", function))
    return result, *(views.reshape(in_dtype(each, statistics), shape[1:2]) for each in (mean, inverse))  # type: ignore[return-value]


def _with_given(input: T, mean: T, variance: T, weight: T | None, bias: T | None, eps: float) -> T:
    scale, offset = _scale_and_shift(input, input.desc.shape[1:2], d.float32, weight, bias)
    return call(table.BATCH_NORM_EVAL, (input, scale, offset, mean, variance), (float(eps),))


def _with_given_composed(input: T, mean: T, variance: T, weight: T | None, bias: T | None, eps: float) -> T:
    center, spread = _by_channel(mean, input, "running_mean", "batch_norm"), _by_channel(variance, input, "running_var", "batch_norm")
    assert spread is not None
    result = elementwise.mul(elementwise.sub(input, center), unary.rsqrt(elementwise.add(spread, eps)))
    return _affine(result, _by_channel(weight, input, "weight", "batch_norm"), _by_channel(bias, input, "bias", "batch_norm"))


def _with_own(
    input: T, running_mean: T | None, running_var: T | None, weight: T | None, bias: T | None, momentum: float, eps: float
) -> tuple[T, T, T]:
    """One operator that writes the statistics of before in place, straight into their memory where that can be."""
    gamma, beta = _scale_and_shift(input, input.desc.shape[1:2], d.float32, weight, bias)
    targets = [
        _statistics(running_mean, 0, input, (gamma, beta, running_var)),
        _statistics(running_var, 1, input, (gamma, beta, running_mean)),
    ]
    result, mean, inverse = (_empty(shape, dtype, input) for shape, dtype in _outputs(input))
    operands = (input, gamma, beta, *targets)
    call_into(table.BATCH_NORM, (result, *targets, mean, inverse), operands, (float(eps), float(momentum)))
    for given, target in zip((running_mean, running_var), targets, strict=True):
        if given is not None and given is not target:
            copy_into(given, target)
    return result, mean, inverse


def _outputs(input: TensorBase) -> tuple[tuple[tuple[int, ...], DType], ...]:
    channels = input.desc.shape[1:2]
    return (input.desc.shape, input.desc.dtype), (channels, d.float32), (channels, d.float32)


def _statistics(given: T | None, start: float, like: T, others: tuple[T | None, ...]) -> T:
    """Memory with a running statistic that the operator may write while it reads the others: the tensor's own, or a copy."""
    if given is None:
        return filled(like, like.desc.shape[1:2], start, d.float32)
    storage = base.storage(given)
    apart = all(each is None or base.storage(each) is not storage for each in (like, *others))
    if given.desc.dtype is d.float32 and apart and takes_outputs(given, ()):
        return given
    copy = plain(in_dtype(given, d.float32))
    return clone(copy) if base.storage(copy) is storage else copy


def _empty(shape: tuple[int, ...], dtype: DType, like: T) -> T:
    desc = TensorDesc.of(shape, dtype, like.desc.device)
    stream = desc.device.current_stream()
    return base.make(like.__class__, desc, stream.pool.lend(desc.block_size, stream))


def _follow(running_mean: T | None, running_var: T | None, input: T, dims: tuple[int, ...], momentum: float) -> None:
    """Move running statistics towards the batch's."""
    variance, mean = reduction.var_mean(input, dims)
    for target, value in ((running_mean, mean), (running_var, variance)):
        if target is not None:
            _toward(target, value, momentum)


def _toward(target: T, value: T, momentum: float) -> None:
    copy_into(target, elementwise.lerp(in_dtype(target, value.desc.dtype), value, float(momentum)))


@checked
def instance_norm(
    input: T,
    running_mean: T | None = None,
    running_var: T | None = None,
    weight: T | None = None,
    bias: T | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> T:
    """Each channel of each sample less its mean, over its deviation, times `weight`, plus `bias`.

    Args:
        input: (batch, channels, ...) tensor of floating dtype.
        running_mean, running_var: (channels) statistics, or None; those of the samples are averaged into them in place.
        weight, bias: (channels) tensors, or None.
        use_input_stats: If false, the running statistics are used, as in `batch_norm`.
        momentum: Weight of the samples in the update.
        eps: Added to the variance.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: A channel has a single value, or there are no statistics to use.
        DTypeError: The dtype is not floating.

    Ascend operator: GroupNormSilu with a group for each channel, else BNInfer. Like: torch.nn.functional.instance_norm.

    Examples:
        >>> at.nn.functional.instance_norm(at.tensor([[[1.0, 3.0], [5.0, 9.0]]]), eps=0.0)
        tensor([[[-1.,  1.],
                 [-1.,  1.]]], device='npu:0')
    """
    shape = input.desc.shape
    if len(shape) < 2:
        raise ShapeError(f"shape {list(shape)} has no channels").with_context("instance_norm", (input,))
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ValueRangeError("running_mean and running_var are needed where use_input_stats is false").with_context(
                "instance_norm", (input,)
            )
        return _batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps, "instance_norm")[0]
    if prod(shape[2:]) == 1:
        raise ValueRangeError(f"more than one value in each channel is needed, not shape {list(shape)}").with_context(
            "instance_norm", (input,)
        )
    for name, param in (("running_mean", running_mean), ("running_var", running_var)):
        _check_channels(param, shape, name, "instance_norm")
    result = _group_norm(input, shape[1] or 1, weight, bias, eps, "instance_norm")[0]
    if (running_mean is not None or running_var is not None) and input.desc.numel:
        variance, mean = reduction.var_mean(widened(input), tuple(range(2, len(shape))))
        for target, value in ((running_mean, mean), (running_var, variance)):
            if target is not None:
                _toward(target, reduction.mean(value, 0), momentum)
    return result


@checked
def local_response_norm(input: T, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> T:
    """Each element over `(k + alpha * s) ** beta`, where s is the mean square of its `size` neighbours along the channels.

    Args:
        input: (batch, channels, ...) tensor of 3 or more dims and floating dtype.
        size: Number of channels that are looked at; there are zeros beyond the ends.
        alpha, beta, k: Numbers.

    Returns:
        Tensor of the operand's shape and dtype.

    Raises:
        ShapeError: Fewer than 3 dims.
        ValueRangeError: `size` is not positive.

    Ascend operator: composed of Mul, AsStrided, ReduceSum, Add, Pow and RealDiv. Like: torch.nn.functional.local_response_norm.

    Examples:
        >>> at.nn.functional.local_response_norm(at.ones(1, 3, 1), 3, alpha=3.0, beta=1.0).flatten()
        tensor([0.3333, 0.2500, 0.3333], device='npu:0')
    """
    if len(input.desc.shape) < 3:
        raise ShapeError(f"3 or more dims are needed, not shape {list(input.desc.shape)}").with_context("local_response_norm", (input,))
    if size < 1:
        raise ValueRangeError(f"size must be positive, not {size}").with_context("local_response_norm", (input,))
    if input.desc.dtype.category < d.FLOATING:
        input = in_dtype(input, d.get_default_dtype())
    if not input.desc.numel:
        return elementwise.mul(input, 1)
    wide = widened(input)
    around = (0, 0) * (len(input.desc.shape) - 2) + (size // 2, (size - 1) // 2)
    squares = shape.pad(elementwise.mul(wide, wide), around)
    sums = reduction.sum(views.unfold(squares, 1, size, 1), -1)
    divisor = elementwise.pow(elementwise.add(elementwise.mul(sums, alpha / size), k), beta)
    return narrowed(elementwise.div(wide, divisor), input)


# By a norm


@checked
def normalize(input: T, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: T | None = None) -> T:
    """`input / max(norm(input, p, dim), eps)`.

    Args:
        input: Tensor of floating or complex dtype.
        p: Order of the norm.
        dim: The dim, or dims, of the norm.
        eps: Least divisor.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: The operand is of bool or integers.
        IndexRangeError: There is no such dim.

    Ascend operator: LpNormV2, Maximum and RealDiv. Like: torch.nn.functional.normalize.

    Examples:
        >>> at.nn.functional.normalize(at.tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]], device='npu:0')
    """
    wide = widened(input)
    size = elementwise.maximum(reduction.vector_norm(wide, p, dim, True), eps)
    return into(narrowed(elementwise.div(wide, size), input), out)
