"""Tables of vectors: rows by index, bags of rows, and the bilinear form of two vectors."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from operator import index as as_int
from typing import Any, Final, TypeVar

import numpy as np

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import gather, indexing, reduction, sorting, views
from ..arguments import checked
from ..call import call, kept_places
from ..linalg import matmul
from ..operands import filled
from ..pointwise import comparison, elementwise, unary
from ..reduction import narrowed, widened
from ..table import embedding as table

T = TypeVar("T", bound=TensorBase)

_MODES: Final = ("sum", "mean", "max")


def _check(input: TensorBase, weight: TensorBase, padding_idx: int | None, function: str) -> int | None:
    """The row that is padding, counted from the front, None for none.

    Raises:
        ShapeError, DTypeError, ValueRangeError: Table, indices, padding do not fit.
    """
    if len(weight.desc.shape) != 2:
        raise ShapeError(f"the table has to be a matrix, not of shape {list(weight.desc.shape)}").with_context(function, (input, weight))
    if input.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"integers are needed, not {input.desc.dtype.name}").with_context(function, (input,))
    if padding_idx is None:
        return None
    rows, padding_idx = weight.desc.shape[0], as_int(padding_idx)
    if not -rows <= padding_idx < rows:
        raise ValueRangeError(f"padding_idx {padding_idx} is out of range for {rows} rows").with_context(function, (input, weight))
    return padding_idx % rows


def _int64(input: T) -> T:
    return input if input.desc.dtype in (d.int64, d.int32) else comparison.cast(input, d.int64)


@checked
def embedding(
    input: TensorBase,
    weight: T,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> T:
    """The rows of a table that indices say.

    Args:
        input: Tensor of integers. Negative ones count from the end; others out of range are an error of the queued work.
        weight: (rows, length) tensor.
        padding_idx: A row without a gradient; changes nothing here.
        max_norm: Rows that are read and have a larger norm are scaled down to it, in the table itself; None for no limit.
        norm_type: Order of the norm.
        scale_grad_by_freq, sparse: About gradients; change nothing here.

    Returns:
        Tensor of the shape of `input` and one dim more, of the dtype of `weight`.

    Raises:
        ShapeError: `weight` is not a matrix.
        DTypeError: `input` is not of integers.
        ValueRangeError: `padding_idx` is no row.

    Ascend operator: GatherV2. Like: torch.nn.functional.embedding, numpy.take.

    Examples:
        >>> at.nn.functional.embedding(at.tensor([2, 0]), at.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
        tensor([[3., 3.],
                [1., 1.]], device='npu:0')
    """
    _check(input, weight, padding_idx, "embedding")
    places = _int64(input)
    if max_norm is not None:
        embedding_renorm_(weight, places, max_norm, norm_type)
    return gather.embedding_rows(weight, places)


@checked
def embedding_renorm_(input: T, indices: TensorBase, max_norm: float, norm_type: float) -> T:
    """Rows of a table scaled down, in place, to a norm, where they are read and theirs is larger.

    Args:
        input: (rows, length) tensor of floating dtype.
        indices: Which rows, integers.
        max_norm: The norm.
        norm_type: Its order.

    Returns:
        The table.

    Raises:
        ShapeError: `input` is not a matrix.
        DTypeError: It is not floating, or the indices not of integers.

    Ascend operator: GatherV2, LpNormV2, Minimum, Mul and ScatterNdUpdate. Like: torch.embedding_renorm_.

    Examples:
        >>> weight = at.tensor([[3.0, 4.0], [0.0, 0.5]])
        >>> at.embedding_renorm_(weight, at.tensor([0]), 1.0, 2.0)
        tensor([[0.6000, 0.8000],
                [0.0000, 0.5000]], device='npu:0')
    """
    _check(indices, input, None, "embedding_renorm_")
    if not indices.desc.numel:
        return input
    places = views.reshape(_int64(indices), (indices.desc.numel,))
    rows = widened(gather.embedding_rows(input, places))
    norms = reduction.vector_norm(rows, norm_type, -1, True)
    scale = elementwise.mul(unary.reciprocal(elementwise.add(norms, 1e-7)), max_norm)
    scaled = comparison.where(comparison.gt(norms, max_norm), elementwise.mul(rows, scale), rows)
    indexing.put(input, (places,), narrowed(scaled, input))
    return input


@checked
def embedding_bag(
    input: TensorBase,
    weight: T,
    offsets: TensorBase | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: T | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> T:
    """Sums, means or largest elements of bags of rows.

    Args:
        input: (bags, size) integers; or all of them one after another. Indices out of range are an error of the queued work.
        weight: (rows, length) tensor of floating dtype.
        offsets: Where each bag starts, for indices one after another; the first must be 0.
        max_norm, norm_type: As for `embedding`.
        scale_grad_by_freq, sparse: About gradients; change nothing here.
        mode: "sum", "mean" or "max"; an empty bag gives zeros.
        per_sample_weights: Factors of the rows, of the shape of `input`, for sums; or None.
        include_last_offset: Whether `offsets` ends with where the last bag ends.
        padding_idx: A row that does not count.

    Returns:
        (bags, length) tensor of the dtype of `weight`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `input` is not of integers, or `weight` not floating.
        ValueRangeError: Another mode, factors for another mode than sums, or a padding that is no row.

    Ascend operator: EmbeddingBag; composed for float64. Like: torch.nn.functional.embedding_bag.

    Examples:
        >>> at.nn.functional.embedding_bag(at.tensor([[0, 2]]), at.tensor([[1.0], [2.0], [3.0]]), mode="sum")
        tensor([[4.]], device='npu:0')
    """
    padding = _check(input, weight, padding_idx, "embedding_bag")
    reduction.floating(weight, "embedding_bag")
    _check_bags(input, offsets, mode, per_sample_weights)
    places = views.reshape(_int64(input), (input.desc.numel,))
    factors = None if per_sample_weights is None else views.reshape(per_sample_weights, (input.desc.numel,))
    if offsets is None:
        count, size = input.desc.shape
        starts: Any = _starts(count, size, input)
        include_last_offset = False
    else:
        starts = offsets
    if max_norm is not None:
        embedding_renorm_(weight, places, max_norm, norm_type)
    bags = starts.desc.shape[0] - (1 if include_last_offset else 0)
    if not input.desc.numel or not bags or not weight.desc.numel:
        return filled(weight, (bags, weight.desc.shape[1]), 0)
    if weight.desc.dtype is d.float64:
        return _bags_of_doubles(places, weight, starts, mode, factors, bags, padding)
    if factors is not None and factors.desc.dtype is not weight.desc.dtype:
        factors = comparison.cast(factors, weight.desc.dtype)
    arguments = (mode, include_last_offset, -1 if padding is None else padding)
    return call(table.EMBEDDING_BAG, (weight, places, starts, factors), arguments)[0]


def _check_bags(input: TensorBase, offsets: TensorBase | None, mode: str, factors: TensorBase | None) -> None:
    rank = len(input.desc.shape)
    if rank not in (1, 2):
        raise ShapeError(f"input has to have 1 or 2 dims, not shape {list(input.desc.shape)}").with_context("embedding_bag", (input,))
    if (rank == 1) == (offsets is None):
        wanted = "needed for an input of 1 dim" if rank == 1 else "not wanted for an input of 2 dims"
        raise ShapeError(f"offsets are {wanted}").with_context("embedding_bag", (input,))
    if offsets is not None and (len(offsets.desc.shape) != 1 or offsets.desc.dtype.category != d.INTEGER):
        raise ShapeError(f"offsets have to be a vector of integers, not {offsets.desc.dtype.name}{list(offsets.desc.shape)}").with_context(
            "embedding_bag", (input, offsets)
        )
    if mode not in _MODES:
        raise ValueRangeError(f"mode has to be one of {', '.join(_MODES)}, not {mode!r}", where="embedding_bag")
    if factors is not None:
        if mode != "sum":
            raise ValueRangeError(f"per_sample_weights are for mode 'sum', not {mode!r}", where="embedding_bag")
        if factors.desc.shape != input.desc.shape:
            raise ShapeError(
                f"per_sample_weights of shape {list(factors.desc.shape)} do not have the shape of input, {list(input.desc.shape)}"
            ).with_context("embedding_bag", (input, factors))


def _starts(count: int, size: int, like: TensorBase) -> Any:
    """0, size, 2 * size, ..."""
    if count <= _FEW:
        return kept_places(like, ("starts", count, size), lambda: np.arange(count) * size)
    steps = filled(like, (count,), size, d.int64)
    return elementwise.sub(reduction.cumsum(steps, 0), size)


_FEW: Final = 4096
"""Bags up to which their starts are kept."""


def _bags_of_doubles(places: TensorBase, weight: T, starts: TensorBase, mode: str, factors: T | None, bags: int, padding: int | None) -> T:
    """Each row is added to its bag, or the largest kept."""
    length = weight.desc.shape[1]
    numbers = _starts(places.desc.numel, 1, places)
    owner: Any = elementwise.sub(sorting.searchsorted(starts, numbers, right=True), 1)
    owner = elementwise.minimum(owner, bags - 1)
    kept: Any = filled(weight, (places.desc.numel, 1), 1)
    if padding is not None:
        kept = views.unsqueeze(comparison.cast(comparison.ne(places, padding), d.float64), 1)
    inside = comparison.where(comparison.lt(places, 0), weight.desc.shape[0], places)  # EmbeddingBag doesn't count from the end
    rows: Any = gather.embedding_rows(weight, inside)
    count = filled(weight, (bags, 1), 0)
    count = gather.index_add(count, 0, owner, kept)
    zeros = filled(weight, (bags, length), 0)
    if mode == "max":
        rows = comparison.where(comparison.eq(kept, 0), float("-inf"), rows)
        index = views.expand(views.unsqueeze(owner, 1), (places.desc.numel, length))
        most = gather.scatter_reduce(zeros, 0, index, rows, "amax", include_self=False)
        return comparison.where(comparison.eq(count, 0), 0.0, most)
    rows = elementwise.mul(rows, kept)
    if factors is not None:
        rows = elementwise.mul(rows, views.unsqueeze(factors, 1))
    total = gather.index_add(zeros, 0, owner, rows)
    return elementwise.div(total, elementwise.maximum(count, 1.0)) if mode == "mean" else total


@checked
def embedding_dense_backward(grad_output: T, indices: TensorBase, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> T:
    """The gradient of the table of `embedding`: for each row the sum of the gradients of where it was read.

    Args:
        grad_output: (..., length) tensor of floating dtype.
        indices: (...) integers, what was read.
        num_weights: Number of rows.
        padding_idx: A row whose gradient is 0; -1 for none.
        scale_grad_by_freq: Whether the sums are divided by how often the rows were read.

    Returns:
        (num_weights, length) tensor of the dtype of `grad_output`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: `grad_output` is not floating, or `indices` not of integers.

    Ascend operator: EmbeddingDenseGrad; IndexAdd for float64. Like: torch.ops.aten.embedding_dense_backward.
    """
    shape = grad_output.desc.shape
    if not shape or shape[:-1] != indices.desc.shape:
        raise ShapeError(f"a gradient of shape {list(shape)} does not fit indices of shape {list(indices.desc.shape)}").with_context(
            "embedding_dense_backward", (grad_output, indices)
        )
    if indices.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"integers are needed, not {indices.desc.dtype.name}").with_context("embedding_dense_backward", (indices,))
    if not grad_output.desc.numel:
        return filled(grad_output, (num_weights, shape[-1]), 0)
    if grad_output.desc.dtype is d.float64:
        return _gradient_of_doubles(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
    return call(table.EMBEDDING_GRADIENT, (grad_output, indices), (num_weights, padding_idx, scale_grad_by_freq))


def _gradient_of_doubles(grad: T, indices: TensorBase, rows: int, padding: int, by_frequency: bool) -> T:
    length = grad.desc.shape[-1]
    places = views.reshape(_int64(indices), (indices.desc.numel,))
    flat = views.reshape(grad, (indices.desc.numel, length))
    if padding >= 0:
        flat = elementwise.mul(flat, views.unsqueeze(comparison.cast(comparison.ne(places, padding), d.float64), 1))
    total: Any = gather.index_add(filled(grad, (rows, length), 0), 0, places, flat)
    if by_frequency:
        ones = filled(grad, (indices.desc.numel, 1), 1)
        counts = gather.index_add(filled(grad, (rows, 1), 0), 0, places, ones)
        total = elementwise.div(total, elementwise.maximum(counts, 1.0))
    return total


# Two vectors


@checked
def bilinear(input1: T, input2: T, weight: T, bias: T | None = None) -> T:
    """`input1 @ weight[k] @ input2` for each k, plus `bias`.

    Args:
        input1: (..., in1) tensor of floating dtype.
        input2: (..., in2) tensor of the same shape but for its last length.
        weight: (out, in1, in2) tensor.
        bias: (out) tensor, or None.

    Returns:
        (..., out) tensor.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: BatchMatMulV2, Mul and ReduceSum. Like: torch.nn.functional.bilinear.

    Examples:
        >>> at.nn.functional.bilinear(at.tensor([[1.0, 2.0]]), at.tensor([[3.0]]), at.ones(1, 2, 1))
        tensor([[9.]], device='npu:0')
    """
    left, right, form = input1.desc.shape, input2.desc.shape, weight.desc.shape
    if not left or not right or left[:-1] != right[:-1] or len(form) != 3 or (left[-1], right[-1]) != form[1:]:
        raise ShapeError(f"inputs of shapes {list(left)} and {list(right)} do not fit weight of shape {list(form)}").with_context(
            "bilinear", (input1, input2, weight)
        )
    if bias is not None and bias.desc.shape != form[:1]:
        raise ShapeError(f"bias of shape {list(bias.desc.shape)} does not fit weight of shape {list(form)}").with_context(
            "bilinear", (weight, bias)
        )
    count = 1
    for length in left[:-1]:
        count *= length
    rows = views.reshape(widened(input1), (1, count, left[-1]))
    columns = views.reshape(widened(input2), (count, right[-1]))
    products = elementwise.mul(matmul.matmul(rows, widened(weight)), columns)
    result = views.reshape(views.t(reduction.sum(products, -1)), (*left[:-1], form[0]))
    return narrowed(result if bias is None else elementwise.add(result, widened(bias)), input1)
