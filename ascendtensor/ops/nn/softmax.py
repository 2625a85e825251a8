"""Softmax, distances, one-hot vectors, and rows of tables."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import DTypeLike
from ...dtypes import dtype as DType
from ...errors import DTypeError, ValueRangeError
from .. import host, reduction, views
from ..arguments import checked
from ..call import call, structured
from ..operands import common_dtype, in_dtype
from ..pointwise import elementwise, unary
from ..reduction import widened
from ..table import nn as table
from ..writing import into, write

T = TypeVar("T", bound=TensorBase)


# Softmax


@checked
def softmax(input: T, dim: int | None = None, dtype: DTypeLike | None = None, *, out: T | None = None) -> T:
    """`exp(input) / sum(exp(input))` along a dim, without overflow.

    Args:
        input: Tensor of any shape and floating dtype.
        dim: The dim along which the results add up to 1; None for 0 of tensors of 0, 1 or 3 dims, else 1.
        dtype: Dtype that the operand is cast to before.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: The dtype is not floating.
        IndexRangeError: There is no such dim.

    Ascend operator: SoftmaxV2. Like: torch.softmax, scipy.special.softmax.

    Examples:
        >>> at.softmax(at.tensor([[0.0, 0.0], [1.0, 2.0]]), dim=1)
        tensor([[0.5000, 0.5000],
                [0.2689, 0.7311]], device='npu:0')
    """
    if dim is None:
        dim = _implied(input)
    if dtype is not None:
        if input.desc.dtype is d.float16 and d.as_dtype(dtype) is d.float32:
            return into(structured(table.SOFTMAX_TO_SINGLE, input, dim), out)
        input = in_dtype(input, d.as_dtype(dtype))
    return structured(table.SOFTMAX, input, dim) if out is None else write(table.SOFTMAX, out, (input,), (dim,))


def _implied(input: TensorBase) -> int:
    """The dim that PyTorch takes where none is given."""
    return 0 if len(input.desc.shape) in (0, 1, 3) else 1


@checked
def log_softmax(input: T, dim: int | None = None, dtype: DTypeLike | None = None, *, out: T | None = None) -> T:
    """The logarithm of `softmax`, whose arguments and result it has, without loss.

    Ascend operator: LogSoftmaxV2. Like: torch.log_softmax, scipy.special.log_softmax.

    Examples:
        >>> at.nn.functional.log_softmax(at.tensor([0.0, 0.0]), dim=0)
        tensor([-0.6931, -0.6931], device='npu:0')
    """
    if dim is None:
        dim = _implied(input)
    if dtype is not None:
        input = in_dtype(input, d.as_dtype(dtype))
    return structured(table.LOG_SOFTMAX, input, dim) if out is None else write(table.LOG_SOFTMAX, out, (input,), (dim,))


@checked
def softmin(input: T, dim: int | None = None, dtype: DTypeLike | None = None) -> T:
    """`softmax(-input)`. Ascend operator: Neg and SoftmaxV2. Like: torch.nn.functional.softmin.

    Examples:
        >>> at.nn.functional.softmin(at.tensor([1.0, 2.0]), dim=0)
        tensor([0.7311, 0.2689], device='npu:0')
    """
    return softmax(unary.neg(input), dim, dtype)


# Distances


def _common(x1: TensorBase, x2: TensorBase, function: str) -> DType:
    dtype = common_dtype(x1, x2)
    if dtype.category < d.FLOATING:
        advice = "Cast with .to(float32) first."
        raise DTypeError(f"a floating dtype is needed, not {dtype.name}", advice=advice).with_context(function, (x1, x2))
    return dtype


@checked
def cosine_similarity(x1: T, x2: T, dim: int = 1, eps: float = 1e-8) -> T:
    """The cosine of the angle between vectors along a dim.

    Args:
        x1, x2: Tensors of floating dtype that broadcast.
        dim: The dim of the vectors, in the broadcast shape.
        eps: Least length of a vector.

    Returns:
        Tensor without the dim, of the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The promoted dtype is not floating.
        IndexRangeError: There is no such dim.

    Ascend operator: composed of Mul, ReduceSum, LpNormV2, Maximum and RealDiv. Like: torch.cosine_similarity.

    Examples:
        >>> at.nn.functional.cosine_similarity(at.tensor([[1.0, 0.0]]), at.tensor([[1.0, 1.0]]))
        tensor([0.7071], device='npu:0')
    """
    dtype = _common(x1, x2, "cosine_similarity")
    x1, x2 = views.broadcast_tensors(x1, x2)
    left, right = (widened(in_dtype(each, dtype)) for each in (x1, x2))
    lengths = [elementwise.maximum(reduction.vector_norm(each, 2, dim, True), eps) for each in (left, right)]
    product = elementwise.mul(elementwise.div(left, lengths[0]), elementwise.div(right, lengths[1]))
    return in_dtype(reduction.sum(product, dim), dtype)


@checked
def pairwise_distance(x1: T, x2: T, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> T:
    """The p-norm of `x1 - x2 + eps` along the last dim.

    Args:
        x1, x2: Tensors that broadcast.
        p: Order of the norm.
        eps: Added to the differences.
        keepdim: Whether the last dim stays with length 1.

    Returns:
        Tensor without the last dim, of the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: composed of Sub, Add and LpNormV2. Like: torch.pairwise_distance.

    Examples:
        >>> at.nn.functional.pairwise_distance(at.tensor([[0.0, 0.0]]), at.tensor([[3.0, 4.0]]), eps=0.0)
        tensor([5.], device='npu:0')
    """
    difference = elementwise.add(elementwise.sub(widened(x1), widened(x2)), eps)
    result = reduction.vector_norm(difference, p, -1, keepdim)
    dtype = common_dtype(x1, x2)
    return in_dtype(result, dtype) if dtype.is_floating_point else result


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

    Examples:
        >>> at.nn.functional.one_hot(at.tensor([0, 2]), num_classes=3)
        tensor([[1, 0, 0],
                [0, 0, 1]], device='npu:0')
    """
    if num_classes == -1:
        if not tensor.desc.numel:
            raise ValueRangeError("the number of classes can't be told from an empty tensor").with_context("one_hot", (tensor,))
        num_classes = int(host.item(reduction.amax(tensor))) + 1
    if num_classes < 1:
        raise ValueRangeError(f"the number of classes must be positive, not {num_classes}").with_context("one_hot", (tensor,))
    return call(table.ONE_HOT, (tensor, 1, 0), (num_classes,))
