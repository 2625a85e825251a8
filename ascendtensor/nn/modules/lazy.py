"""Modules that find the number of their features or channels out: by the state they load, or by the first input."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from ...errors import ShapeError, StateError
from ...ops.arguments import require_tensor
from .convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .module import Module, check_rank
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d

if TYPE_CHECKING:
    from ...tensor import NPUTensor

_BECOMING: Final = threading.Lock()


class _Lazy(Module):
    """A module of the class `becomes` with no features, until it knows how many: then it is one of that class.

    Parameters of no elements hold the place, and the dtype and device, of those to come.
    """

    becomes: ClassVar[type[Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = inspect.signature(self.becomes).bind(0, *args, **kwargs).arguments
        super().__init__(**given)
        self._counted, *_ = given
        self._given = given

    def __call__(self, input: NPUTensor, *args: Any, **kwargs: Any) -> Any:
        self._become(self._features(input))
        return self(input, *args, **kwargs)

    def _features(self, input: NPUTensor) -> int:
        """How many the input has."""
        raise NotImplementedError

    def _become(self, features: int) -> None:
        with _BECOMING:  # two threads may come with their first inputs
            if not isinstance(self, _Lazy):
                return
            like = next((each for _, each in self._own_state() if each.desc.dtype.is_floating_point), None)
            place = {} if like is None else {"device": like.desc.device, "dtype": like.desc.dtype}
            made = self.becomes(**{**self._given, self._counted: features, **place})
            self._parameters.update(made._parameters)
            self._buffers.update(made._buffers)
            setattr(self, self._counted, features)
            del self._given, self._counted
            self.__class__ = self.becomes

    def _load_from_state_dict(self, state_dict: Mapping[str, Any], prefix: str, local_metadata: Any, *args: Any) -> None:
        features = self._features_of_state(state_dict, prefix)
        if not features:
            return super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)
        self._become(features)
        self._load_from_state_dict(state_dict, prefix, local_metadata, *args)  # of the class that it is now

    def _features_of_state(self, state: Mapping[str, Any], prefix: str) -> int:
        """How many the parameters of a state are for, by what has no elements here; 0 if it does not tell."""
        for name, mine in self._own_state():
            found = np.shape(state[prefix + name]) if prefix + name in state else ()
            for dim, length in enumerate(mine.desc.shape):
                if not length and len(found) == len(mine.desc.shape):
                    return int(found[dim]) * (getattr(self, "groups", 1) if dim else 1)
        return 0


def refuse_lazy(module: Module, function: str) -> None:
    """Refuse what needs weights of a module that has none yet.

    Raises:
        StateError: It is a lazy one.
    """
    if isinstance(module, _Lazy):
        text = f"{type(module).__name__} does not know its features yet"
        raise StateError(text, where=function, advice="Give it an input or a state first.")


class LazyLinear(_Lazy, Linear):
    """`Linear` whose `in_features` is the last length of its first input, or that of a state. Arguments as for `Linear`, without it.

    Until then its weight has no elements; then it is a `Linear` with parameters of their own.

    Raises:
        ShapeError: An input of no dims.

    Like: torch.nn.LazyLinear.

    Examples:
        >>> net = at.nn.Sequential(at.nn.LazyLinear(3), at.nn.ReLU())
        >>> net[0], net[0].weight.shape
        (LazyLinear(in_features=0, out_features=3, bias=True), (3, 0))
        >>> net(at.ones(2, 5)).shape, net[0]
        ((2, 3), Linear(in_features=5, out_features=3, bias=True))
    """

    becomes = Linear

    def _features(self, input: NPUTensor) -> int:
        if not require_tensor(input, "input", "LazyLinear").desc.shape:
            raise ShapeError("1 dim at least is needed").with_context("LazyLinear", (input,))
        return input.desc.shape[-1]


class _LazyConvolution(_Lazy):
    dims: ClassVar[int]

    def _features(self, input: NPUTensor) -> int:
        check_rank(input, (self.dims + 1, self.dims + 2), self)
        return input.desc.shape[-self.dims - 1]


class _LazyBatchNorm(_Lazy):
    def _features(self, input: NPUTensor) -> int:
        check_rank(input, self.ranks, self)
        return input.desc.shape[1]


class _LazyInstanceNorm(_Lazy):
    """With a weight, a bias and statistics unless they are declined: PyTorch's defaults differ from those of `InstanceNorm2d`."""

    def __init__(
        self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True, **options: Any
    ) -> None:
        super().__init__(eps, momentum, affine, track_running_stats, **options)

    def _features(self, input: NPUTensor) -> int:
        check_rank(input, self.ranks, self)
        return int(input.desc.shape[-self.ranks[0]])


class LazyConv1d(_LazyConvolution, Conv1d):
    """`Conv1d` whose `in_channels` is that of its first input, or of a state. Arguments as for `Conv1d`, without it.

    Like: torch.nn.LazyConv1d.

    Examples:
        >>> layer = at.nn.LazyConv1d(6, 3)
        >>> layer(at.ones(2, 4, 9)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'Conv1d', 4)
    """

    becomes = Conv1d


class LazyConv2d(_LazyConvolution, Conv2d):
    """`Conv2d` whose `in_channels` is that of its first input, or of a state. Arguments as for `Conv2d`, without it.

    Like: torch.nn.LazyConv2d.

    Examples:
        >>> layer = at.nn.LazyConv2d(6, 3)
        >>> layer(at.ones(2, 4, 9, 9)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'Conv2d', 4)
    """

    becomes = Conv2d


class LazyConv3d(_LazyConvolution, Conv3d):
    """`Conv3d` whose `in_channels` is that of its first input, or of a state. Arguments as for `Conv3d`, without it.

    Like: torch.nn.LazyConv3d.

    Examples:
        >>> layer = at.nn.LazyConv3d(6, 3)
        >>> layer(at.ones(2, 4, 5, 5, 5)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'Conv3d', 4)
    """

    becomes = Conv3d


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """`ConvTranspose1d` whose `in_channels` is that of its first input, or of a state. Arguments as for `ConvTranspose1d`, without it.

    Like: torch.nn.LazyConvTranspose1d.

    Examples:
        >>> layer = at.nn.LazyConvTranspose1d(6, 3)
        >>> layer(at.ones(2, 4, 9)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'ConvTranspose1d', 4)
    """

    becomes = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """`ConvTranspose2d` whose `in_channels` is that of its first input, or of a state. Arguments as for `ConvTranspose2d`, without it.

    Like: torch.nn.LazyConvTranspose2d.

    Examples:
        >>> layer = at.nn.LazyConvTranspose2d(6, 3)
        >>> layer(at.ones(2, 4, 9, 9)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'ConvTranspose2d', 4)
    """

    becomes = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """`ConvTranspose3d` whose `in_channels` is that of its first input, or of a state. Arguments as for `ConvTranspose3d`, without it.

    Like: torch.nn.LazyConvTranspose3d.

    Examples:
        >>> layer = at.nn.LazyConvTranspose3d(6, 3)
        >>> layer(at.ones(2, 4, 5, 5, 5)).shape[1], type(layer).__name__, layer.in_channels
        (6, 'ConvTranspose3d', 4)
    """

    becomes = ConvTranspose3d


class LazyBatchNorm1d(_LazyBatchNorm, BatchNorm1d):
    """`BatchNorm1d` whose `num_features` is that of its first input, or of a state. Arguments as for `BatchNorm1d`, without it.

    Like: torch.nn.LazyBatchNorm1d.

    Examples:
        >>> layer = at.nn.LazyBatchNorm1d()
        >>> layer(at.ones(2, 4, 9)).shape[1], type(layer).__name__, layer.num_features
        (4, 'BatchNorm1d', 4)
    """

    becomes = BatchNorm1d


class LazyBatchNorm2d(_LazyBatchNorm, BatchNorm2d):
    """`BatchNorm2d` whose `num_features` is that of its first input, or of a state. Arguments as for `BatchNorm2d`, without it.

    Like: torch.nn.LazyBatchNorm2d.

    Examples:
        >>> layer = at.nn.LazyBatchNorm2d()
        >>> layer(at.ones(2, 4, 9, 9)).shape[1], type(layer).__name__, layer.num_features
        (4, 'BatchNorm2d', 4)
    """

    becomes = BatchNorm2d


class LazyBatchNorm3d(_LazyBatchNorm, BatchNorm3d):
    """`BatchNorm3d` whose `num_features` is that of its first input, or of a state. Arguments as for `BatchNorm3d`, without it.

    Like: torch.nn.LazyBatchNorm3d.

    Examples:
        >>> layer = at.nn.LazyBatchNorm3d()
        >>> layer(at.ones(2, 4, 5, 5, 5)).shape[1], type(layer).__name__, layer.num_features
        (4, 'BatchNorm3d', 4)
    """

    becomes = BatchNorm3d


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """`InstanceNorm1d` whose `num_features` is that of its first input, or of a state. Arguments as for `InstanceNorm1d`, without it.

    It is affine and keeps statistics by default, as in PyTorch.

    Like: torch.nn.LazyInstanceNorm1d.

    Examples:
        >>> layer = at.nn.LazyInstanceNorm1d()
        >>> layer(at.ones(2, 4, 9)).shape[1], type(layer).__name__, layer.num_features
        (4, 'InstanceNorm1d', 4)
    """

    becomes = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """`InstanceNorm2d` whose `num_features` is that of its first input, or of a state. Arguments as for `InstanceNorm2d`, without it.

    It is affine and keeps statistics by default, as in PyTorch.

    Like: torch.nn.LazyInstanceNorm2d.

    Examples:
        >>> layer = at.nn.LazyInstanceNorm2d()
        >>> layer(at.ones(2, 4, 9, 9)).shape[1], type(layer).__name__, layer.num_features
        (4, 'InstanceNorm2d', 4)
    """

    becomes = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """`InstanceNorm3d` whose `num_features` is that of its first input, or of a state. Arguments as for `InstanceNorm3d`, without it.

    It is affine and keeps statistics by default, as in PyTorch.

    Like: torch.nn.LazyInstanceNorm3d.

    Examples:
        >>> layer = at.nn.LazyInstanceNorm3d()
        >>> layer(at.ones(2, 4, 5, 5, 5)).shape[1], type(layer).__name__, layer.num_features
        (4, 'InstanceNorm3d', 4)
    """

    becomes = InstanceNorm3d
