"""Modules of convolutions, plain and transposed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ...dtypes import DTypeLike
from ...errors import ShapeError, ValueRangeError
from ...ops.arguments import require_tensor
from ...ops.shape import pad
from ...runtime.device import DeviceLike
from .. import functional
from .linear import spread
from .module import Module, parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor

_MODES = ("zeros", "reflect", "replicate", "circular")


def several(value: Any, count: int) -> tuple[Any, ...]:
    """A number for each dim, from one number or one for each."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


class _Convolution(Module):
    """What all of them have: sizes, a weight and a bias."""

    dims: ClassVar[int]
    transposed: ClassVar[bool] = False
    weight: NPUTensor
    bias: NPUTensor | None

    def _build(
        self,
        channels: tuple[int, int],
        windows: tuple[Any, Any, Any, Any, Any],
        groups: int,
        bias: bool,
        padding_mode: str,
        place: tuple[DeviceLike, DTypeLike | None],
    ) -> None:
        name, count = type(self).__name__, self.dims
        self.in_channels, self.out_channels = channels
        if groups <= 0 or self.in_channels % groups or self.out_channels % groups:
            raise ValueRangeError(f"groups={groups} must be positive and divide the channels {channels[0]} and {channels[1]}", where=name)
        if padding_mode not in _MODES or (self.transposed and padding_mode != "zeros"):
            known = _MODES[:1] if self.transposed else _MODES
            raise ValueRangeError(f"padding_mode must be one of {', '.join(known)}, not {padding_mode!r}", where=name)
        kernel, stride, padding, dilation, output_padding = windows
        self.kernel_size, self.stride, self.dilation = several(kernel, count), several(stride, count), several(dilation, count)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueRangeError(f"padding must be numbers, 'same' or 'valid', not {padding!r}", where=name)
            if padding == "same" and any(each != 1 for each in self.stride):
                raise ValueRangeError("padding='same' needs a stride of 1", where=name)
        self.padding: Any = padding if isinstance(padding, str) else several(padding, count)
        self.output_padding = several(output_padding, count)
        self.groups, self.padding_mode = groups, padding_mode
        device, dtype = place
        first, second = channels if self.transposed else channels[::-1]
        self.weight = parameter(first, second // groups, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", parameter(self.out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        fan = self.weight.desc.shape[1] * math.prod(self.kernel_size)
        if fan:
            spread(self, fan)

    def _around(self) -> list[int]:
        """Paddings of the input for modes other than zeros, last dim first."""
        if self.padding == "valid":
            return [0] * (2 * self.dims)
        if self.padding != "same":
            return [each for width in reversed(self.padding) for each in (width, width)]
        totals = [spread * (size - 1) for spread, size in zip(self.dilation, self.kernel_size, strict=True)]
        return [each for total in reversed(totals) for each in (total // 2, total - total // 2)]

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        text += f", padding={self.padding}" if self.padding != zeros else ""
        text += f", dilation={self.dilation}" if self.dilation != ones else ""
        text += f", output_padding={self.output_padding}" if self.output_padding != zeros else ""
        text += f", groups={self.groups}" if self.groups != 1 else ""
        text += ", bias=False" if self.bias is None else ""
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class _Plain(_Convolution):
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        windows = (kernel_size, stride, padding, dilation, 0)
        self._build((in_channels, out_channels), windows, groups, bias, padding_mode, (device, dtype))

    def forward(self, input: NPUTensor) -> NPUTensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = pad(input, self._around(), self.padding_mode), 0
        return self._function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Plain):
    """`conv1d`: a convolution along one dim. Arguments as for `Conv2d`. Like: torch.nn.Conv1d.

    Examples:
        >>> at.nn.Conv1d(2, 4, 3)(at.ones(1, 2, 8)).shape
        (1, 4, 6)
    """

    dims = 1
    _function = staticmethod(functional.conv1d)


class Conv2d(_Plain):
    """`conv2d`: a convolution of images.

    Args:
        in_channels, out_channels: Number of channels of the input and of the result.
        kernel_size, stride, padding, dilation: A number, or one for each dim; `padding` also "same" or "valid".
        groups: Into how many parts of their own the channels fall.
        bias: Whether there is one.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device, dtype: Of the parameters.

    Attributes:
        weight: (out_channels, in_channels / groups, *kernel_size) parameter.
        bias: (out_channels) parameter, or None.

    Raises:
        ValueRangeError: `groups` divides no channels, or a word that is not known.

    Like: torch.nn.Conv2d.

    Examples:
        >>> at.nn.Conv2d(3, 8, 3, padding=1)(at.ones(1, 3, 5, 5)).shape
        (1, 8, 5, 5)
    """

    dims = 2
    _function = staticmethod(functional.conv2d)


class Conv3d(_Plain):
    """`conv3d`: a convolution of volumes. Arguments as for `Conv2d`. Like: torch.nn.Conv3d.

    Examples:
        >>> at.nn.Conv3d(1, 2, 3)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    dims = 3
    _function = staticmethod(functional.conv3d)


class _Transposed(_Convolution):
    transposed = True
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        windows = (kernel_size, stride, padding, dilation, output_padding)
        self._build((in_channels, out_channels), windows, groups, bias, padding_mode, (device, dtype))

    def forward(self, input: NPUTensor, output_size: Any = None) -> NPUTensor:
        require_tensor(input, "input", type(self).__name__)
        extra = self.output_padding if output_size is None else self._extra(input.desc.shape, tuple(output_size))
        return self._function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
        """What to add to the least size to reach the one that is wanted."""
        sizes = wanted[-self.dims :] if len(wanted) == len(shape) else wanted
        if len(sizes) != self.dims:
            raise ShapeError(f"output_size must have {self.dims} or {len(shape)} lengths, not {len(wanted)}", where=type(self).__name__)
        windows = zip(shape[-self.dims :], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(length - 1) * step - 2 * edge + apart * (size - 1) + 1 for length, step, edge, apart, size in windows]
        for size, low, step in zip(sizes, least, self.stride, strict=True):
            if not low <= size < low + step:
                ends = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
                raise ValueRangeError(f"output_size must be from {least} to {ends}, not {list(sizes)}", where=type(self).__name__)
        return tuple(size - low for size, low in zip(sizes, least, strict=True))


class ConvTranspose1d(_Transposed):
    """`conv_transpose1d`: a transposed convolution along one dim. Arguments as for `ConvTranspose2d`. Like: torch.nn.ConvTranspose1d.

    Examples:
        >>> at.nn.ConvTranspose1d(2, 4, 2, stride=2)(at.ones(1, 2, 8)).shape
        (1, 4, 16)
    """

    dims = 1
    _function = staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """`conv_transpose2d`: a transposed convolution of images. Called with an `output_size`, it gives an image of that size.

    Args:
        in_channels, out_channels: Number of channels of the input and of the result.
        kernel_size, stride, padding, output_padding, dilation: A number, or one for each dim.
        groups: Into how many parts of their own the channels fall.
        bias: Whether there is one.
        padding_mode: "zeros".
        device, dtype: Of the parameters.

    Raises:
        ValueRangeError: `groups` divides no channels, or a word that is not known.

    Like: torch.nn.ConvTranspose2d.

    Examples:
        >>> up = at.nn.ConvTranspose2d(3, 8, 3, stride=2, padding=1)
        >>> up(at.ones(1, 3, 4, 4)).shape, up(at.ones(1, 3, 4, 4), output_size=(8, 8)).shape
        ((1, 8, 7, 7), (1, 8, 8, 8))
    """

    dims = 2
    _function = staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """`conv_transpose3d`: a transposed convolution of volumes. Arguments as for `ConvTranspose2d`. Like: torch.nn.ConvTranspose3d.

    Examples:
        >>> at.nn.ConvTranspose3d(1, 2, 2)(at.ones(1, 1, 2, 2, 2)).shape
        (1, 2, 3, 3, 3)
    """

    dims = 3
    _function = staticmethod(functional.conv_transpose3d)
