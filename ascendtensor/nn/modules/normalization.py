"""Modules of normalisation: by batch, layer, group, instance, root mean square, and by neighbours."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

from ... import creation
from ...dtypes import DTypeLike
from ...errors import ValueRangeError
from ...ops import views
from ...runtime.device import DeviceLike
from .. import functional, init
from .module import Module, check_rank, parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor


def _start(module: Any) -> None:
    """Weights of ones and biases of zeros."""
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


def _lengths(shape: Any) -> tuple[int, ...]:
    """One length, or several, as NumPy's integers too."""
    return (operator.index(shape),) if isinstance(shape, SupportsIndex) else tuple(shape)


class _Running(Module):
    """A mean and a variance for each channel, kept from batch to batch."""

    ranks: ClassVar[tuple[int, ...]]
    weight: NPUTensor | None
    bias: NPUTensor | None
    running_mean: NPUTensor | None
    running_var: NPUTensor | None
    num_batches_tracked: NPUTensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, held in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, parameter(num_features, device=device, dtype=dtype) if held else None)
        kept = track_running_stats
        self.register_buffer("running_mean", creation.zeros(num_features, device=device, dtype=dtype) if kept else None)
        self.register_buffer("running_var", creation.ones(num_features, device=device, dtype=dtype) if kept else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0, device=device) if kept else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Start again with means of 0 and variances of 1. Like: torch.nn.BatchNorm2d.

        Examples:
            >>> norm = at.nn.BatchNorm1d(2)
            >>> y = norm(at.ones(3, 2))
            >>> norm.reset_running_stats()
            >>> norm.running_mean
            tensor([0., 0.], device='npu:0')
        """
        for each, start in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if each is not None:
                each.fill_(start)

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        _start(self)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *args: Any) -> None:
        key = prefix + "num_batches_tracked"
        if self.num_batches_tracked is not None and key not in state_dict:  # files from before PyTorch 0.4.1 have none
            state_dict = {**state_dict, key: self.num_batches_tracked}
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    def extra_repr(self) -> str:
        flags = f"affine={self.affine}, bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, {flags}"


class _Batch(_Running):
    def forward(self, input: NPUTensor) -> NPUTensor:
        check_rank(input, self.ranks, self)
        part = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches
                part = 1.0 / self.num_batches_tracked.item()
        alone = self.training or self.running_mean is None or self.running_var is None
        kept = not self.training or self.track_running_stats
        return functional.batch_norm(
            input,
            self.running_mean if kept else None,
            self.running_var if kept else None,
            self.weight,
            self.bias,
            alone,
            part,
            self.eps,
        )


class BatchNorm1d(_Batch):
    """`batch_norm` of (batch, channels) or (batch, channels, length) tensors. Arguments as for `BatchNorm2d`. Like: torch.nn.BatchNorm1d.

    Examples:
        >>> at.nn.BatchNorm1d(2)(at.tensor([[1.0, 5.0], [3.0, 5.0]]))
        tensor([[-1.0000,  0.0000],
                [ 1.0000,  0.0000]], device='npu:0')
    """

    ranks = (2, 3)


class BatchNorm2d(_Batch):
    """`batch_norm` of (batch, channels, height, width) tensors: while it trains by the batch's statistics, else by those it kept.

    Args:
        num_features: Number of channels.
        eps: Added to variances.
        momentum: Share of the batch in what is kept; None for the mean over all batches, whose number is waited for.
        affine: Whether each channel has a weight and, with `bias`, a bias.
        track_running_stats: Whether statistics are kept.
        device, dtype: Of the parameters.
        bias: See `affine`.

    Raises:
        ShapeError: Another number of dims or channels.

    Like: torch.nn.BatchNorm2d.

    Examples:
        >>> norm = at.nn.BatchNorm2d(2)
        >>> y = norm(at.ones(1, 2, 2, 2))
        >>> norm.running_mean, norm.num_batches_tracked.item()
        (tensor([0.1000, 0.1000], device='npu:0'), 1)
        >>> norm.reset_running_stats()
        >>> norm.eval()(at.ones(1, 2, 1, 1)).flatten()
        tensor([1.0000, 1.0000], device='npu:0')
    """

    ranks = (4,)


class BatchNorm3d(_Batch):
    """`batch_norm` of (batch, channels, depth, height, width) tensors. Arguments as for `BatchNorm2d`. Like: torch.nn.BatchNorm3d.

    Examples:
        >>> at.nn.BatchNorm3d(2)(at.ones(1, 2, 2, 2, 2)).shape
        (1, 2, 2, 2, 2)
    """

    ranks = (5,)


class _Instance(_Running):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: NPUTensor) -> NPUTensor:
        alone = check_rank(input, self.ranks, self) == self.ranks[0]
        result = functional.instance_norm(
            views.unsqueeze(input, 0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return views.squeeze(result, 0) if alone else result


class InstanceNorm1d(_Instance):
    """`instance_norm` of (batch, channels, length) tensors, or without the batch. Arguments as for `InstanceNorm2d`.

    Like: torch.nn.InstanceNorm1d.

    Examples:
        >>> at.nn.InstanceNorm1d(1)(at.tensor([[[1.0, 3.0]]]))
        tensor([[[-1.0000,  1.0000]]], device='npu:0')
    """

    ranks = (2, 3)


class InstanceNorm2d(_Instance):
    """`instance_norm` of (batch, channels, height, width) tensors, or without the batch: each channel of each image by itself.

    Args:
        num_features: Number of channels.
        eps: Added to variances.
        momentum: Share of the batch in statistics that are kept.
        affine: Whether each channel has a weight and, with `bias`, a bias.
        track_running_stats: Whether statistics are kept, and used where the module does not train.
        device, dtype: Of the parameters.
        bias: See `affine`.

    Raises:
        ShapeError: Another number of dims or channels.

    Like: torch.nn.InstanceNorm2d.

    Examples:
        >>> at.nn.InstanceNorm2d(3)(at.ones(2, 3, 4, 4)).shape
        (2, 3, 4, 4)
    """

    ranks = (3, 4)


class InstanceNorm3d(_Instance):
    """`instance_norm` of (batch, channels, depth, height, width) tensors, or without the batch. Arguments as for `InstanceNorm2d`.

    Like: torch.nn.InstanceNorm3d.

    Examples:
        >>> at.nn.InstanceNorm3d(3)(at.ones(2, 3, 4, 4, 4)).shape
        (2, 3, 4, 4, 4)
    """

    ranks = (4, 5)


class LayerNorm(Module):
    """`layer_norm` over the last dims.

    Args:
        normalized_shape: Their lengths, or the last one.
        eps: Added to variances.
        elementwise_affine: Whether there is a weight for each element.
        bias: Whether there is a bias beside the weight.
        device, dtype: Of the parameters.

    Like: torch.nn.LayerNorm.

    Examples:
        >>> at.nn.LayerNorm(2)(at.tensor([[1.0, 3.0]]))
        tensor([[-1.0000,  1.0000]], device='npu:0')
    """

    weight: NPUTensor | None
    bias: NPUTensor | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _lengths(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", parameter(*shape, device=device, dtype=dtype) if elementwise_affine else None)
        self.register_parameter("bias", parameter(*shape, device=device, dtype=dtype) if elementwise_affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        _start(self)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """`rms_norm` over the last dims.

    Args:
        normalized_shape: Their lengths, or the last one.
        eps: Added to the mean square; by default the dtype's.
        elementwise_affine: Whether there is a weight for each element.
        device, dtype: Of the parameter.

    Like: torch.nn.RMSNorm.

    Examples:
        >>> at.nn.RMSNorm(2)(at.tensor([[3.0, 4.0]]))
        tensor([[0.8485, 1.1314]], device='npu:0')
    """

    weight: NPUTensor | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _lengths(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", parameter(*shape, device=device, dtype=dtype) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: NPUTensor) -> NPUTensor:
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """`group_norm`: groups of channels by themselves.

    Args:
        num_groups, num_channels: Number of groups, and of channels, which they divide.
        eps: Added to variances.
        affine: Whether each channel has a weight and, with `bias`, a bias.
        device, dtype: Of the parameters.
        bias: See `affine`.

    Raises:
        ValueRangeError: The groups don't divide the channels.

    Like: torch.nn.GroupNorm.

    Examples:
        >>> at.nn.GroupNorm(2, 4)(at.ones(1, 4, 3)).shape
        (1, 4, 3)
    """

    weight: NPUTensor | None
    bias: NPUTensor | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueRangeError(f"{num_groups} groups don't divide {num_channels} channels", where="GroupNorm")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, held in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, parameter(num_channels, device=device, dtype=dtype) if held else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        _start(self)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """`local_response_norm` over `size` neighbouring channels. Like: torch.nn.LocalResponseNorm.

    Examples:
        >>> at.nn.LocalResponseNorm(2)(at.ones(1, 2, 2)).shape
        (1, 2, 2)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
