"""Modules that pad, resize and rearrange images, and that compare vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...ops.shape import pad
from .. import functional
from .convolution import several
from .module import Module

if TYPE_CHECKING:
    from ...tensor import NPUTensor


# Padding


class _Pad(Module):
    dims: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = several(padding, 2 * self.dims)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: NPUTensor) -> NPUTensor:
        return pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad):
    """`pad` of the last dim with a number; one width, or two a dim. Like: torch.nn.ConstantPad1d.

    Examples:
        >>> at.nn.ConstantPad1d(1, 7.0)(at.ones(1, 1, 4)).shape
        (1, 1, 6)
    """

    dims = 1


class ConstantPad2d(_ConstantPad):
    """`pad` of the last 2 dims with a number; one width, or two a dim. Like: torch.nn.ConstantPad2d.

    Examples:
        >>> at.nn.ConstantPad2d(1, 7.0)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 6, 6)
    """

    dims = 2


class ConstantPad3d(_ConstantPad):
    """`pad` of the last 3 dims with a number; one width, or two a dim. Like: torch.nn.ConstantPad3d.

    Examples:
        >>> at.nn.ConstantPad3d(1, 7.0)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 6, 6, 6)
    """

    dims = 3


class ZeroPad1d(_ZeroPad):
    """`pad` of the last dim with zeros; one width, or two a dim. Like: torch.nn.ZeroPad1d.

    Examples:
        >>> at.nn.ZeroPad1d(1)(at.ones(1, 1, 4)).shape
        (1, 1, 6)
    """

    dims = 1


class ZeroPad2d(_ZeroPad):
    """`pad` of the last 2 dims with zeros; one width, or two a dim. Like: torch.nn.ZeroPad2d.

    Examples:
        >>> at.nn.ZeroPad2d(1)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 6, 6)
    """

    dims = 2


class ZeroPad3d(_ZeroPad):
    """`pad` of the last 3 dims with zeros; one width, or two a dim. Like: torch.nn.ZeroPad3d.

    Examples:
        >>> at.nn.ZeroPad3d(1)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 6, 6, 6)
    """

    dims = 3


class ReflectionPad1d(_Pad):
    """`pad` of the last dim with what lies inside, mirrored; one width, or two a dim. Like: torch.nn.ReflectionPad1d.

    Examples:
        >>> at.nn.ReflectionPad1d(1)(at.ones(1, 1, 4)).shape
        (1, 1, 6)
    """

    dims = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """`pad` of the last 2 dims with what lies inside, mirrored; one width, or two a dim. Like: torch.nn.ReflectionPad2d.

    Examples:
        >>> at.nn.ReflectionPad2d(1)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 6, 6)
    """

    dims = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """`pad` of the last 3 dims with what lies inside, mirrored; one width, or two a dim. Like: torch.nn.ReflectionPad3d.

    Examples:
        >>> at.nn.ReflectionPad3d(1)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 6, 6, 6)
    """

    dims = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """`pad` of the last dim with the outermost elements; one width, or two a dim. Like: torch.nn.ReplicationPad1d.

    Examples:
        >>> at.nn.ReplicationPad1d(1)(at.ones(1, 1, 4)).shape
        (1, 1, 6)
    """

    dims = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """`pad` of the last 2 dims with the outermost elements; one width, or two a dim. Like: torch.nn.ReplicationPad2d.

    Examples:
        >>> at.nn.ReplicationPad2d(1)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 6, 6)
    """

    dims = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """`pad` of the last 3 dims with the outermost elements; one width, or two a dim. Like: torch.nn.ReplicationPad3d.

    Examples:
        >>> at.nn.ReplicationPad3d(1)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 6, 6, 6)
    """

    dims = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """`pad` of the last dim with the other end; one width, or two a dim. Like: torch.nn.CircularPad1d.

    Examples:
        >>> at.nn.CircularPad1d(1)(at.ones(1, 1, 4)).shape
        (1, 1, 6)
    """

    dims = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """`pad` of the last 2 dims with the other end; one width, or two a dim. Like: torch.nn.CircularPad2d.

    Examples:
        >>> at.nn.CircularPad2d(1)(at.ones(1, 1, 4, 4)).shape
        (1, 1, 6, 6)
    """

    dims = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """`pad` of the last 3 dims with the other end; one width, or two a dim. Like: torch.nn.CircularPad3d.

    Examples:
        >>> at.nn.CircularPad3d(1)(at.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 6, 6, 6)
    """

    dims = 3
    mode = "circular"


# Sizes


class Upsample(Module):
    """`interpolate` to a size, or by a factor. Like: torch.nn.Upsample.

    Examples:
        >>> at.nn.Upsample(scale_factor=2)(at.ones(1, 1, 2, 2)).shape
        (1, 1, 4, 4)
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        many = isinstance(scale_factor, (tuple, list))
        self.scale_factor: Any = tuple(map(float, scale_factor)) if many else float(scale_factor) if scale_factor else None
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`interpolate` of images by nearest elements. Like: torch.nn.UpsamplingNearest2d.

    Examples:
        >>> at.nn.UpsamplingNearest2d(scale_factor=2)(at.ones(1, 1, 2, 2)).shape
        (1, 1, 4, 4)
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`interpolate` of images between neighbours, corners on corners. Like: torch.nn.UpsamplingBilinear2d.

    Examples:
        >>> at.nn.UpsamplingBilinear2d(scale_factor=2)(at.ones(1, 1, 2, 2)).shape
        (1, 1, 4, 4)
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


# Arrangement


class PixelShuffle(Module):
    """`pixel_shuffle`: channels become pixels. Like: torch.nn.PixelShuffle.

    Examples:
        >>> at.nn.PixelShuffle(2)(at.ones(1, 4, 2, 2)).shape
        (1, 1, 4, 4)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """`pixel_unshuffle`: pixels become channels. Like: torch.nn.PixelUnshuffle.

    Examples:
        >>> at.nn.PixelUnshuffle(2)(at.ones(1, 1, 4, 4)).shape
        (1, 4, 2, 2)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """`channel_shuffle`: channels of groups in turn. Like: torch.nn.ChannelShuffle.

    Examples:
        >>> at.nn.ChannelShuffle(2)(at.arange(4.0).reshape(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.], device='npu:0')
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Fold(Module):
    """`fold`: windows that stand in columns, added up to an image. Like: torch.nn.Fold.

    Examples:
        >>> at.nn.Fold((2, 2), 2)(at.ones(1, 4, 1)).shape
        (1, 1, 2, 2)
    """

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.output_size, self.kernel_size, self.dilation, self.padding, self.stride = output_size, kernel_size, dilation, padding, stride

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        windows = f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        return f"output_size={self.output_size}, {windows}"


class Unfold(Module):
    """`unfold`: the windows of an image as columns. Like: torch.nn.Unfold.

    Examples:
        >>> at.nn.Unfold(2)(at.ones(1, 1, 2, 2)).shape
        (1, 4, 1)
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


# Distances


class CosineSimilarity(Module):
    """`cosine_similarity` along a dim. Like: torch.nn.CosineSimilarity.

    Examples:
        >>> at.nn.CosineSimilarity(0)(at.ones(2), at.ones(2))
        tensor(1.0000, device='npu:0')
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: NPUTensor, x2: NPUTensor) -> NPUTensor:
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """`pairwise_distance` of vectors that stand in the last dim. Like: torch.nn.PairwiseDistance.

    Examples:
        >>> at.nn.PairwiseDistance()(at.zeros(1, 1), at.ones(1, 1))
        tensor([1.0000], device='npu:0')
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: NPUTensor, x2: NPUTensor) -> NPUTensor:
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
