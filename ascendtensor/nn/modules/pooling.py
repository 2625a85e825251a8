"""Modules of pooling: windows of images, and windows that fit an output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from .. import functional
from .convolution import several
from .module import Module

if TYPE_CHECKING:
    from ...tensor import NPUTensor


class _Max(Module):
    _function: ClassVar[Any]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: NPUTensor) -> Any:
        return self._function(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        windows = f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}"
        return f"{windows}, ceil_mode={self.ceil_mode}"


class _Unpool(Module):
    _function: ClassVar[Callable[..., NPUTensor]]
    dims: ClassVar[int]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = several(kernel_size, self.dims)
        self.stride = self.kernel_size if stride is None else several(stride, self.dims)
        self.padding = several(padding, self.dims)

    def forward(self, input: NPUTensor, indices: NPUTensor, output_size: Any = None) -> NPUTensor:
        return self._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _Average(Module):
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: NPUTensor) -> NPUTensor:
        return self._function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _Norm(Module):
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: NPUTensor) -> NPUTensor:
        return self._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        sizes = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"norm_type={self.norm_type}, {sizes}, ceil_mode={self.ceil_mode}"


class _AdaptiveMax(Module):
    _function: ClassVar[Any]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: NPUTensor) -> Any:
        return self._function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class _AdaptiveAverage(Module):
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: NPUTensor) -> NPUTensor:
        return self._function(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class MaxPool1d(_Max):
    """`max_pool1d`: the largest element of each window, and its place with `return_indices`. Like: torch.nn.MaxPool1d.

    Examples:
        >>> at.nn.MaxPool1d(2)(at.ones(1, 1, 4)).shape
        (1, 1, 2)
    """

    _function = staticmethod(functional.max_pool1d)


class MaxPool2d(_Max):
    """`max_pool2d`: the largest element of each window, and its place with `return_indices`. Like: torch.nn.MaxPool2d.

    Examples:
        >>> at.nn.MaxPool2d(2)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 2, 2)
    """

    _function = staticmethod(functional.max_pool2d)


class MaxPool3d(_Max):
    """`max_pool3d`: the largest element of each window, and its place with `return_indices`. Like: torch.nn.MaxPool3d.

    Examples:
        >>> at.nn.MaxPool3d(2)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    _function = staticmethod(functional.max_pool3d)


class MaxUnpool1d(_Unpool):
    """`max_unpool1d`: elements back where `MaxPool1d` found them. Like: torch.nn.MaxUnpool1d.

    Examples:
        >>> pooled, places = at.nn.MaxPool1d(2, return_indices=True)(at.ones(1, 1, 4))
        >>> at.nn.MaxUnpool1d(2)(pooled, places).shape
        (1, 1, 4)
    """

    dims = 1
    _function = staticmethod(functional.max_unpool1d)


class MaxUnpool2d(_Unpool):
    """`max_unpool2d`: elements back where `MaxPool2d` found them. Like: torch.nn.MaxUnpool2d.

    Examples:
        >>> pooled, places = at.nn.MaxPool2d(2, return_indices=True)(at.ones(1, 1, 4, 4))
        >>> at.nn.MaxUnpool2d(2)(pooled, places).shape
        (1, 1, 4, 4)
    """

    dims = 2
    _function = staticmethod(functional.max_unpool2d)


class MaxUnpool3d(_Unpool):
    """`max_unpool3d`: elements back where `MaxPool3d` found them. Like: torch.nn.MaxUnpool3d.

    Examples:
        >>> pooled, places = at.nn.MaxPool3d(2, return_indices=True)(at.ones(1, 1, 4, 4, 4))
        >>> at.nn.MaxUnpool3d(2)(pooled, places).shape
        (1, 1, 4, 4, 4)
    """

    dims = 3
    _function = staticmethod(functional.max_unpool3d)


class AvgPool1d(_Average):
    """`avg_pool1d`: the mean of each window. Like: torch.nn.AvgPool1d.

    Examples:
        >>> at.nn.AvgPool1d(2)(at.ones(1, 1, 4)).shape
        (1, 1, 2)
    """

    _function = staticmethod(functional.avg_pool1d)

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None:
        super().__init__(
            several(kernel_size, 1),
            None if stride is None else several(stride, 1),
            several(padding, 1),
            ceil_mode,
            count_include_pad,
        )

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_Average):
    """`avg_pool2d`: the mean of each window. Like: torch.nn.AvgPool2d.

    Examples:
        >>> at.nn.AvgPool2d(2)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 2, 2)
    """

    _function = staticmethod(functional.avg_pool2d)


class AvgPool3d(_Average):
    """`avg_pool3d`: the mean of each window. Like: torch.nn.AvgPool3d.

    Examples:
        >>> at.nn.AvgPool3d(2)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    _function = staticmethod(functional.avg_pool3d)


class LPPool1d(_Norm):
    """`lp_pool1d`: the norm of each window. Like: torch.nn.LPPool1d.

    Examples:
        >>> at.nn.LPPool1d(2, 2)(at.ones(1, 1, 4)).shape
        (1, 1, 2)
    """

    _function = staticmethod(functional.lp_pool1d)


class LPPool2d(_Norm):
    """`lp_pool2d`: the norm of each window. Like: torch.nn.LPPool2d.

    Examples:
        >>> at.nn.LPPool2d(2, 2)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 2, 2)
    """

    _function = staticmethod(functional.lp_pool2d)


class LPPool3d(_Norm):
    """`lp_pool3d`: the norm of each window. Like: torch.nn.LPPool3d.

    Examples:
        >>> at.nn.LPPool3d(2, 2)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    _function = staticmethod(functional.lp_pool3d)


class AdaptiveMaxPool1d(_AdaptiveMax):
    """`adaptive_max_pool1d`: the largest elements of as many windows as the output has. Like: torch.nn.AdaptiveMaxPool1d.

    Examples:
        >>> at.nn.AdaptiveMaxPool1d(2)(at.ones(1, 1, 4)).shape
        (1, 1, 2)
    """

    _function = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """`adaptive_max_pool2d`: the largest elements of as many windows as the output has. Like: torch.nn.AdaptiveMaxPool2d.

    Examples:
        >>> at.nn.AdaptiveMaxPool2d(2)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 2, 2)
    """

    _function = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """`adaptive_max_pool3d`: the largest elements of as many windows as the output has. Like: torch.nn.AdaptiveMaxPool3d.

    Examples:
        >>> at.nn.AdaptiveMaxPool3d(2)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    _function = staticmethod(functional.adaptive_max_pool3d)


class AdaptiveAvgPool1d(_AdaptiveAverage):
    """`adaptive_avg_pool1d`: the means of as many windows as the output has. Like: torch.nn.AdaptiveAvgPool1d.

    Examples:
        >>> at.nn.AdaptiveAvgPool1d(1)(at.ones(1, 1, 4)).shape
        (1, 1, 1)
    """

    _function = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAverage):
    """`adaptive_avg_pool2d`: the means of as many windows as the output has. Like: torch.nn.AdaptiveAvgPool2d.

    Examples:
        >>> at.nn.AdaptiveAvgPool2d(1)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 1, 1)
    """

    _function = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAverage):
    """`adaptive_avg_pool3d`: the means of as many windows as the output has. Like: torch.nn.AdaptiveAvgPool3d.

    Examples:
        >>> at.nn.AdaptiveAvgPool3d(1)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 1, 1, 1)
    """

    _function = staticmethod(functional.adaptive_avg_pool3d)
