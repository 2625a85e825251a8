"""Modules of activations, and of dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from ...dtypes import DTypeLike
from ...errors import ValueRangeError
from ...runtime.device import DeviceLike
from .. import functional
from .module import Module, check_rank, parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor


class _InPlace(Module):
    """A function without other arguments, which may write into its operand."""

    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return self._function(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """`relu`: negative numbers become 0. Like: torch.nn.ReLU.

    Examples:
        >>> at.nn.ReLU()(at.tensor([-1.0, 2.0]))
        tensor([0., 2.], device='npu:0')
    """

    _function = staticmethod(functional.relu)


class ReLU6(_InPlace):
    """`relu6`: numbers from 0 to 6. Like: torch.nn.ReLU6.

    Examples:
        >>> at.nn.ReLU6()(at.tensor([-1.0, 8.0]))
        tensor([0., 6.], device='npu:0')
    """

    _function = staticmethod(functional.relu6)
    min_val, max_val = 0.0, 6.0


class Sigmoid(Module):
    """`sigmoid`: `1 / (1 + exp(-x))`. Like: torch.nn.Sigmoid.

    Examples:
        >>> at.nn.Sigmoid()(at.tensor([0.0]))
        tensor([0.5000], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.sigmoid(input)


class Tanh(Module):
    """`tanh`: the hyperbolic tangent. Like: torch.nn.Tanh.

    Examples:
        >>> at.nn.Tanh()(at.tensor([1.0]))
        tensor([0.7616], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.tanh(input)


class SiLU(_InPlace):
    """`silu`: `x * sigmoid(x)`. Like: torch.nn.SiLU.

    Examples:
        >>> at.nn.SiLU()(at.tensor([1.0]))
        tensor([0.7311], device='npu:0')
    """

    _function = staticmethod(functional.silu)


class Mish(_InPlace):
    """`mish`: `x * tanh(softplus(x))`. Like: torch.nn.Mish.

    Examples:
        >>> at.nn.Mish()(at.tensor([1.0]))
        tensor([0.8651], device='npu:0')
    """

    _function = staticmethod(functional.mish)


class Hardswish(_InPlace):
    """`hardswish`: `x * relu6(x + 3) / 6`. Like: torch.nn.Hardswish.

    Examples:
        >>> at.nn.Hardswish()(at.tensor([1.0]))
        tensor([0.6667], device='npu:0')
    """

    _function = staticmethod(functional.hardswish)

    def extra_repr(self) -> str:
        return ""


class Hardsigmoid(_InPlace):
    """`hardsigmoid`: `relu6(x + 3) / 6`. Like: torch.nn.Hardsigmoid.

    Examples:
        >>> at.nn.Hardsigmoid()(at.tensor([1.0]))
        tensor([0.6667], device='npu:0')
    """

    _function = staticmethod(functional.hardsigmoid)

    def extra_repr(self) -> str:
        return ""


class GELU(Module):
    """`gelu`: numbers times the share of normal numbers below them. Like: torch.nn.GELU.

    Examples:
        >>> at.nn.GELU()(at.tensor([1.0]))
        tensor([0.8413], device='npu:0')
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class SELU(_InPlace):
    """`selu`: a scaled `elu`. Like: torch.nn.SELU.

    Examples:
        >>> at.nn.SELU()(at.tensor([1.0]))
        tensor([1.0507], device='npu:0')
    """

    _function = staticmethod(functional.selu)


class ELU(Module):
    """`elu`: below 0, `alpha * (exp(x) - 1)`. Like: torch.nn.ELU.

    Examples:
        >>> at.nn.ELU()(at.tensor([-1.0]))
        tensor([-0.6321], device='npu:0')
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(Module):
    """`celu`: below 0, `alpha * (exp(x / alpha) - 1)`. Like: torch.nn.CELU.

    Examples:
        >>> at.nn.CELU(2.0)(at.tensor([-2.0]))
        tensor([-1.2642], device='npu:0')
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class LeakyReLU(Module):
    """`leaky_relu`: negative numbers times a slope. Like: torch.nn.LeakyReLU.

    Examples:
        >>> at.nn.LeakyReLU(0.5)(at.tensor([-1.0]))
        tensor([-0.5000], device='npu:0')
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """`rrelu`: negative numbers times a slope, drawn where the module trains. Like: torch.nn.RReLU.

    Examples:
        >>> at.nn.RReLU(0.5, 0.5)(at.tensor([-1.0]))
        tensor([-0.5000], device='npu:0')
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """`hardtanh`: numbers within limits. Like: torch.nn.Hardtanh.

    Examples:
        >>> at.nn.Hardtanh()(at.tensor([-5.0, 0.5]))
        tensor([-1.0000,  0.5000], device='npu:0')
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class Hardshrink(Module):
    """`hardshrink`: 0 where numbers are small. Like: torch.nn.Hardshrink.

    Examples:
        >>> at.nn.Hardshrink()(at.tensor([0.3, 2.0]))
        tensor([0., 2.], device='npu:0')
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """`softshrink`: numbers nearer to 0 by `lambd`. Like: torch.nn.Softshrink.

    Examples:
        >>> at.nn.Softshrink()(at.tensor([0.3, 2.0]))
        tensor([0.0000, 1.5000], device='npu:0')
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Tanhshrink(Module):
    """`tanhshrink`: `x - tanh(x)`. Like: torch.nn.Tanhshrink.

    Examples:
        >>> at.nn.Tanhshrink()(at.tensor([1.0]))
        tensor([0.2384], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.tanhshrink(input)


class Softplus(Module):
    """`softplus`: `log(1 + exp(beta * x)) / beta`. Like: torch.nn.Softplus.

    Examples:
        >>> at.nn.Softplus()(at.tensor([0.0]))
        tensor([0.6931], device='npu:0')
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """`softsign`: `x / (1 + abs(x))`. Like: torch.nn.Softsign.

    Examples:
        >>> at.nn.Softsign()(at.tensor([1.0]))
        tensor([0.5000], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.softsign(input)


class LogSigmoid(Module):
    """`logsigmoid`: the logarithm of `sigmoid`. Like: torch.nn.LogSigmoid.

    Examples:
        >>> at.nn.LogSigmoid()(at.tensor([0.0]))
        tensor([-0.6931], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.logsigmoid(input)


class Threshold(Module):
    """`threshold`: `value` where numbers are not above the threshold. Like: torch.nn.Threshold.

    Examples:
        >>> at.nn.Threshold(1.0, 7.0)(at.tensor([0.0, 2.0]))
        tensor([7., 2.], device='npu:0')
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class GLU(Module):
    """`glu`: one half times the sigmoid of the other. Like: torch.nn.GLU.

    Examples:
        >>> at.nn.GLU()(at.tensor([1.0, 0.0]))
        tensor([0.5000], device='npu:0')
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Module):
    """`softmax` along a dim. Like: torch.nn.Softmax.

    Examples:
        >>> at.nn.Softmax(0)(at.tensor([1.0, 1.0]))
        tensor([0.5000, 0.5000], device='npu:0')
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """`log_softmax` along a dim. Like: torch.nn.LogSoftmax.

    Examples:
        >>> at.nn.LogSoftmax(0)(at.tensor([1.0, 1.0]))
        tensor([-0.6931, -0.6931], device='npu:0')
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(Module):
    """`softmin` along a dim. Like: torch.nn.Softmin.

    Examples:
        >>> at.nn.Softmin(0)(at.tensor([1.0, 1.0]))
        tensor([0.5000, 0.5000], device='npu:0')
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.softmin(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """`softmax` along the channels of images. Like: torch.nn.Softmax2d.

    Examples:
        >>> at.nn.Softmax2d()(at.ones(1, 2, 1, 1)).flatten()
        tensor([0.5000, 0.5000], device='npu:0')
    """

    def forward(self, input: NPUTensor) -> NPUTensor:
        check_rank(input, (3, 4), self)
        return functional.softmax(input, -3)


class PReLU(Module):
    """`prelu`: negative numbers times slopes that are parameters, one, or one for each channel. Like: torch.nn.PReLU.

    Examples:
        >>> at.nn.PReLU()(at.tensor([-1.0, 2.0]))
        tensor([-0.2500,  2.0000], device='npu:0')
    """

    weight: NPUTensor

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: DeviceLike = None, dtype: DTypeLike | None = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = parameter(num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.weight.fill_(self.init)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


# Dropout


class _Dropout(Module):
    _function: ClassVar[Callable[..., NPUTensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueRangeError(f"p must be from 0 to 1, it is {p}", where=type(self).__name__)
        self.p, self.inplace = p, inplace

    def forward(self, input: NPUTensor) -> NPUTensor:
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """`dropout` of elements, while the module trains. Like: torch.nn.Dropout.

    Examples:
        >>> bool((at.nn.Dropout(0.5).eval()(at.ones(2)) == 1).all())
        True
    """

    _function = staticmethod(functional.dropout)


class Dropout1d(_Dropout):
    """`dropout1d` of channels of sequences, while the module trains. Like: torch.nn.Dropout1d.

    Examples:
        >>> bool((at.nn.Dropout1d(0.5).eval()(at.ones(1, 2, 3)) == 1).all())
        True
    """

    _function = staticmethod(functional.dropout1d)


class Dropout2d(_Dropout):
    """`dropout2d` of channels of images, while the module trains. Like: torch.nn.Dropout2d.

    Examples:
        >>> bool((at.nn.Dropout2d(0.5).eval()(at.ones(1, 2, 3, 3)) == 1).all())
        True
    """

    _function = staticmethod(functional.dropout2d)


class Dropout3d(_Dropout):
    """`dropout3d` of channels of volumes, while the module trains. Like: torch.nn.Dropout3d.

    Examples:
        >>> bool((at.nn.Dropout3d(0.5).eval()(at.ones(1, 2, 3, 3, 3)) == 1).all())
        True
    """

    _function = staticmethod(functional.dropout3d)


class AlphaDropout(_Dropout):
    """`alpha_dropout` of elements that keeps mean and deviation, while the module trains. Like: torch.nn.AlphaDropout.

    Examples:
        >>> bool((at.nn.AlphaDropout(0.5).eval()(at.ones(2)) == 1).all())
        True
    """

    _function = staticmethod(functional.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    """`feature_alpha_dropout` of channels that keeps mean and deviation, while the module trains. Like: torch.nn.FeatureAlphaDropout.

    Examples:
        >>> bool((at.nn.FeatureAlphaDropout(0.5).eval()(at.ones(1, 2, 3)) == 1).all())
        True
    """

    _function = staticmethod(functional.feature_alpha_dropout)
