"""What parameters start with, written into tensors. Like: torch.nn.init.

Every function takes a tensor, fills it and returns it. Random ones take `generator`, by default the device's own.
"""

# mypy: disable-error-code="no-any-return"
# (the functions of `ops` give the class of their operand.)

from __future__ import annotations

import math
from typing import Any, Final, TypeVar

from .. import dtypes as d
from .. import random
from ..base import TensorBase
from ..creation import eye
from ..errors import ShapeError, ValueRangeError
from ..ops import indexing, sorting, views
from ..ops.arguments import checked
from ..ops.linalg.factors import qr
from ..ops.pointwise import comparison, elementwise, special, unary
from ..ops.reduction import floating
from ..ops.writing import check_writable, copy_into
from ..random import Generator

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
__dir__ = __all__.copy

T = TypeVar("T", bound=TensorBase)

_LINEAR: Final = frozenset({"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"})


@checked
def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what a nonlinear function's weights are to be larger, so that deviations stay from layer to layer.

    Args:
        nonlinearity: "linear", "conv2d" and the like, "sigmoid", "tanh", "relu", "leaky_relu" or "selu".
        param: The slope of "leaky_relu"; 0.01 by default.

    Raises:
        ValueRangeError: Another name, or a slope that is no number.

    Like: torch.nn.init.calculate_gain.

    Examples:
        >>> at.nn.init.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueRangeError(f"the slope must be a number, not {slope!r}", where="calculate_gain")
        return math.sqrt(2.0 / (1 + slope**2))
    known = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in known:
        raise ValueRangeError(f"{nonlinearity!r} is no known function", where="calculate_gain")
    return known[nonlinearity]


@checked
def uniform_(tensor: T, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> T:
    """Numbers that are equally likely anywhere in [a, b). Ascend operator: StatelessRandomUniformV2. Like: torch.nn.init.uniform_.

    Examples:
        >>> bool((at.nn.init.uniform_(at.empty(100), 2.0, 3.0) >= 2).all())
        True
    """
    return random.uniform_(tensor, a, b, generator=generator)


@checked
def normal_(tensor: T, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> T:
    """Numbers of a normal distribution. Ascend operator: StatelessRandomNormalV2. Like: torch.nn.init.normal_.

    Examples:
        >>> at.nn.init.normal_(at.empty(2, 2), 5.0, 0.0)
        tensor([[5., 5.],
                [5., 5.]], device='npu:0')
    """
    return random.normal_(tensor, mean, std, generator=generator)


@checked
def trunc_normal_(tensor: T, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Generator | None = None) -> T:
    """Numbers of a normal distribution that lie from `a` to `b`.

    Args:
        tensor: Tensor of floating dtype.
        mean, std: Of the distribution before it is cut.
        a, b: Ends.
        generator: Where seed and counter come from.

    Raises:
        ValueRangeError: The deviation is not positive, or `a` above `b`.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessTruncatedNormalV2 for ends two deviations from the mean, else StatelessRandomUniformV2 and Erfinv in float32.
        Like: torch.nn.init.trunc_normal_.

    Examples:
        >>> bool((at.nn.init.trunc_normal_(at.empty(100), a=-1.0, b=1.0).abs() <= 1).all())
        True
    """
    check_writable(tensor, "trunc_normal_")
    if not std > 0:
        raise ValueRangeError(f"the deviation must be positive, it is {std}", where="trunc_normal_")
    if not a <= b:
        raise ValueRangeError(f"a, {a}, must not be above b, {b}", where="trunc_normal_")
    floating(tensor, "trunc_normal_")
    drawn: Any
    low, high = (a - mean) / std, (b - mean) / std
    if (low, high) == (-2.0, 2.0):
        drawn = random.truncated_normal(tensor.desc.shape, tensor.desc.dtype, generator, tensor.desc.device)
    else:
        ends = [math.erf(end / math.sqrt(2)) for end in (low, high)]
        drawn = random.rand(tensor.desc.shape, dtype=d.float32, device=tensor.desc.device, generator=generator)
        drawn = elementwise.mul(special.erfinv(elementwise.add(elementwise.mul(drawn, ends[1] - ends[0]), ends[0])), math.sqrt(2))
    return copy_into(tensor, elementwise.clamp(elementwise.add(elementwise.mul(drawn, std), mean), a, b))


# Numbers that are not random


@checked
def constant_(tensor: T, val: float) -> T:
    """One number everywhere. Ascend operator: Fill. Like: torch.nn.init.constant_.

    Examples:
        >>> at.nn.init.constant_(at.empty(2), 0.5)
        tensor([0.5000, 0.5000], device='npu:0')
    """
    return indexing.fill(tensor, val)


@checked
def ones_(tensor: T) -> T:
    """Ones. Ascend operator: Fill. Like: torch.nn.init.ones_.

    Examples:
        >>> at.nn.init.ones_(at.empty(2))
        tensor([1., 1.], device='npu:0')
    """
    return indexing.fill(tensor, 1)


@checked
def zeros_(tensor: T) -> T:
    """Zeros. Ascend operator: Fill. Like: torch.nn.init.zeros_.

    Examples:
        >>> at.nn.init.zeros_(at.empty(2))
        tensor([0., 0.], device='npu:0')
    """
    return indexing.fill(tensor, 0)


@checked
def eye_(tensor: T) -> T:
    """Ones on the diagonal of a matrix, zeros elsewhere. Like: torch.nn.init.eye_.

    Examples:
        >>> at.nn.init.eye_(at.empty(2, 2))
        tensor([[1., 0.],
                [0., 1.]], device='npu:0')
    """
    shape = _of_rank(tensor, (2,), "eye_")
    return copy_into(tensor, eye(*shape, dtype=tensor.desc.dtype, device=tensor.desc.device))


@checked
def dirac_(tensor: T, groups: int = 1) -> T:
    """A convolution's weights that pass channels on unchanged, as many as there are: ones in the middle, zeros elsewhere.

    Args:
        tensor: (outputs, inputs, ...) tensor of 3 to 5 dims.
        groups: Groups of outputs, of which each passes the same inputs on.

    Raises:
        ShapeError: Another number of dims, or outputs that can't be divided.

    Like: torch.nn.init.dirac_.

    Examples:
        >>> at.nn.init.dirac_(at.empty(1, 1, 3))
        tensor([[[0., 1., 0.]]], device='npu:0')
    """
    shape = _of_rank(tensor, (3, 4, 5), "dirac_")
    if groups < 1 or shape[0] % groups:
        raise ShapeError(f"{shape[0]} outputs don't make {groups} groups").with_context("dirac_", (tensor,))
    zeros_(tensor)
    size = shape[0] // groups
    places = [(group * size + channel, channel) for group in range(groups) for channel in range(min(size, shape[1]))]
    if places and tensor.desc.numel:
        middle = tuple(length // 2 for length in shape[2:])
        indexing.put(tensor, ([one for one, _ in places], [other for _, other in places], *middle), 1)
    return tensor


def _of_rank(tensor: TensorBase, ranks: tuple[int, ...], function: str) -> tuple[int, ...]:
    shape = tensor.desc.shape
    if len(shape) not in ranks:
        raise ShapeError(f"{' or '.join(map(str, ranks))} dims are needed, not shape {list(shape)}").with_context(function, (tensor,))
    return shape


# Numbers whose deviation follows from the shape


def _fans(tensor: TensorBase, function: str) -> tuple[int, int]:
    """How many inputs an output has, and how many outputs an input."""
    shape = tensor.desc.shape
    if len(shape) < 2:
        raise ShapeError(f"2 or more dims are needed, not shape {list(shape)}").with_context(function, (tensor,))
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


@checked
def xavier_uniform_(tensor: T, gain: float = 1.0, generator: Generator | None = None) -> T:
    """Equally likely numbers of deviation `gain * sqrt(2 / (inputs + outputs))`. Like: torch.nn.init.xavier_uniform_.

    Examples:
        >>> bool((at.nn.init.xavier_uniform_(at.empty(3, 3)).abs() <= 1).all())
        True
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_fans(tensor, "xavier_uniform_")))
    return random.uniform_(tensor, -bound, bound, generator=generator)


@checked
def xavier_normal_(tensor: T, gain: float = 1.0, generator: Generator | None = None) -> T:
    """Normal numbers of deviation `gain * sqrt(2 / (inputs + outputs))`. Like: torch.nn.init.xavier_normal_.

    Examples:
        >>> at.nn.init.xavier_normal_(at.empty(3, 4)).shape
        (3, 4)
    """
    std = gain * math.sqrt(2.0 / sum(_fans(tensor, "xavier_normal_")))
    return random.normal_(tensor, 0.0, std, generator=generator)


def _kaiming(tensor: TensorBase, a: float, mode: str, nonlinearity: str, function: str) -> float:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueRangeError(f"mode must be 'fan_in' or 'fan_out', not {mode!r}", where=function)
    fans = _fans(tensor, function)
    return calculate_gain(nonlinearity, a) / math.sqrt(fans[mode.lower() == "fan_out"])


@checked
def kaiming_uniform_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None
) -> T:
    """Equally likely numbers of deviation `gain / sqrt(fan)`.

    Args:
        tensor: Tensor of 2 or more dims and floating dtype.
        a: The slope of "leaky_relu".
        mode: "fan_in" for the number of inputs, "fan_out" for that of outputs.
        nonlinearity: As for `calculate_gain`.
        generator: Where seed and counter come from.

    Raises:
        ShapeError: Fewer dims.
        ValueRangeError: Another mode or function.

    Like: torch.nn.init.kaiming_uniform_.

    Examples:
        >>> bool((at.nn.init.kaiming_uniform_(at.empty(3, 4), nonlinearity="relu").abs() <= (6 / 4) ** 0.5).all())
        True
    """
    if not tensor.desc.numel:
        return tensor
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity, "kaiming_uniform_")
    return random.uniform_(tensor, -bound, bound, generator=generator)


@checked
def kaiming_normal_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None
) -> T:
    """Normal numbers of deviation `gain / sqrt(fan)`. Arguments and errors as for `kaiming_uniform_`.

    Like: torch.nn.init.kaiming_normal_.

    Examples:
        >>> at.nn.init.kaiming_normal_(at.empty(3, 4)).shape
        (3, 4)
    """
    if not tensor.desc.numel:
        return tensor
    return random.normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity, "kaiming_normal_"), generator=generator)


@checked
def orthogonal_(tensor: T, gain: float = 1, generator: Generator | None = None) -> T:
    """`gain` times a random matrix whose rows, or columns where there are fewer, are orthonormal; further dims belong to the columns.

    Raises:
        ShapeError: Fewer than 2 dims.

    Ascend operator: StatelessRandomNormalV2 and Qr. Like: torch.nn.init.orthogonal_.

    Examples:
        >>> q = at.nn.init.orthogonal_(at.empty(2, 2))
        >>> at.allclose(q @ q.T, at.eye(2), atol=1e-5)
        True
    """
    shape = tensor.desc.shape
    if len(shape) < 2:
        raise ShapeError(f"2 or more dims are needed, not shape {list(shape)}").with_context("orthogonal_", (tensor,))
    if not tensor.desc.numel:
        return tensor
    rows, columns = shape[0], tensor.desc.numel // shape[0]
    dtype = d.float64 if tensor.desc.dtype is d.float64 else d.float32
    tall = (max(rows, columns), min(rows, columns))
    drawn: Any = random.randn(tall, dtype=dtype, device=tensor.desc.device, generator=generator)
    q, r = qr(drawn)
    # The signs of the diagonal make all directions equally likely (arxiv.org/abs/math-ph/0609050).
    q = elementwise.mul(elementwise.mul(q, unary.sign(views.diagonal(r))), gain)
    return copy_into(tensor, views.reshape(views.t(q) if rows < columns else q, shape))


@checked
def sparse_(tensor: T, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> T:
    """Normal numbers, and zeros in a part of each column of a matrix.

    Args:
        tensor: Matrix of floating dtype.
        sparsity: The part, rounded up to whole elements.
        std: Deviation of the others.
        generator: Where seed and counter come from.

    Raises:
        ShapeError: Not a matrix.

    Ascend operator: StatelessRandomNormalV2, StatelessRandomUniformV2 and Sort. Like: torch.nn.init.sparse_.

    Examples:
        >>> int((at.nn.init.sparse_(at.empty(4, 2), sparsity=0.5) == 0).sum())
        4
    """
    shape = _of_rank(tensor, (2,), "sparse_")
    random.normal_(tensor, 0.0, std, generator=generator)
    zeros = math.ceil(sparsity * shape[0])
    order: Any = random.rand(shape, dtype=d.float32, device=tensor.desc.device, generator=generator)
    rank = sorting.argsort(sorting.argsort(order, 0), 0)
    return copy_into(tensor, comparison.where(comparison.lt(rank, zeros), 0.0, tensor))
