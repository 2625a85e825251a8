"""Products of many matrices: chains, powers, exponentials, Vandermonde matrices."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from operator import index as as_int
from typing import Any, Final, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, ValueRangeError
from .. import host, views
from ..arguments import checked, require_tensor
from ..indexing import fill
from ..operands import filled, in_dtype
from ..pointwise import comparison, elementwise, unary
from ..reduction import HALVES, amax, cumprod, floating, narrowed, sum, widened
from ..shape import clone, contiguous
from ..writing import into
from .forms import identity, stack_of
from .matmul import matmul
from .systems import inv

T = TypeVar("T", bound=TensorBase)


# Chains


@checked
def multi_dot(tensors: Sequence[T], *, out: T | None = None) -> T:
    """The product of several matrices, in the order of pairs that needs the fewest multiplications.

    Args:
        tensors: At least two matrices; the first and the last may be vectors, a row and a column.
        out: Tensor of the result's shape to write into.

    Returns:
        A matrix; the dim of a vector is dropped.

    Raises:
        ShapeError: Less than two, other ranks, or lengths that do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2. Like: torch.linalg.multi_dot, numpy.linalg.multi_dot.

    Examples:
        >>> at.linalg.multi_dot([at.ones(2, 3), at.ones(3, 1), at.ones(1, 2)])
        tensor([[3., 3.],
                [3., 3.]], device='npu:0')
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise ShapeError("at least two matrices are needed").with_context("multi_dot", tensors)
    for place, each in enumerate(tensors):
        rank = len(require_tensor(each, "each of tensors", "multi_dot").desc.shape)
        if rank != 2 and not (rank == 1 and place in (0, len(tensors) - 1)):
            raise ShapeError("matrices are needed, and vectors at the ends").with_context("multi_dot", tensors)
    row, column = len(tensors[0].desc.shape) == 1, len(tensors[-1].desc.shape) == 1
    if row:
        tensors[0] = views.unsqueeze(tensors[0], 0)
    if column:
        tensors[-1] = views.unsqueeze(tensors[-1], 1)
    for before, after in pairwise(tensors):
        if before.desc.shape[1] != after.desc.shape[0]:
            raise ShapeError(f"{before.desc.shape[1]} columns meet {after.desc.shape[0]} rows").with_context("multi_dot", tensors)
    result = _product(tensors, _splits([tensors[0].desc.shape[0], *(each.desc.shape[1] for each in tensors)]), 0, len(tensors) - 1)
    shape = result.desc.shape[1 if row else 0 : 1 if column else 2]
    return into(result if len(shape) == 2 else views.reshape(result, shape), out)


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Behind which matrix each part of a chain is split, for the fewest multiplications."""
    count = len(sizes) - 1
    costs = {(place, place): 0 for place in range(count)}
    splits = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            whole = {
                at: costs[first, at] + costs[at + 1, last] + sizes[first] * sizes[at + 1] * sizes[last + 1] for at in range(first, last)
            }
            splits[first, last] = best = min(whole, key=whole.__getitem__)
            costs[first, last] = whole[best]
    return splits


def _product(tensors: Sequence[T], splits: dict[tuple[int, int], int], first: int, last: int) -> T:
    if first == last:
        return tensors[first]
    at = splits[first, last]
    return matmul(_product(tensors, splits, first, at), _product(tensors, splits, at + 1, last))


@checked
def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """See `linalg.multi_dot`, for matrices only; of a single one, a copy. Ascend operator: MatMulV2. Like: torch.chain_matmul.

    Examples:
        >>> at.chain_matmul(at.ones(2, 3), at.ones(3, 1), at.ones(1, 2))
        tensor([[3., 3.],
                [3., 3.]], device='npu:0')
    """
    for each in matrices:
        if len(require_tensor(each, "each of matrices", "chain_matmul").desc.shape) != 2:
            raise ShapeError("matrices are needed").with_context("chain_matmul", matrices)
    if not matrices:
        raise ShapeError("at least one matrix is needed", where="chain_matmul")
    return into(clone(matrices[0]), out) if len(matrices) == 1 else multi_dot(matrices, out=out)


# Powers


@checked
def matrix_power(A: T, n: int, *, out: T | None = None) -> T:
    """Each square matrix times itself; the inverse's for a negative `n`, the identity for 0.

    Args:
        A: (..., m, m) tensor of a dtype that `matmul` takes; one of those that `inv` takes for a negative `n`.
        n: The exponent.
        out: Tensor of the same shape to write into.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: BatchMatMulV2; MatrixInverse. Like: torch.linalg.matrix_power, numpy.linalg.matrix_power.

    Examples:
        >>> at.linalg.matrix_power(at.tensor([[1.0, 1.0], [1.0, 0.0]]), 5)
        tensor([[8., 5.],
                [5., 3.]], device='npu:0')
    """
    if not hasattr(n, "__index__"):
        raise DTypeError(f"n must be an int, not {type(n).__name__}").with_context("matrix_power", (A,))
    stack, size, _ = stack_of("matrix_power", A)
    if n == 0 or not A.desc.numel:
        return into(identity(A, size, stack), out)
    base, left = (A, n) if n > 0 else (inv(A), -n)
    result = None
    while left:
        if left & 1:
            result = base if result is None else matmul(result, base)
        left >>= 1
        if left:
            base = matmul(base, base)
    assert result is not None
    return into(clone(result) if result is A else result, out)


# Exponentials

_TAYLOR: Final = 18
_LIMITS: Final = {d.float64: 1.0, d.complex128: 1.0}
"""Norms up to which 18 terms of the series reach the dtype's precision; 3 for singles (x**19 / 19! is below 1e-8 and 1e-16 times e**x)."""


@checked
def matrix_exp(A: T) -> T:
    """The exponential of each square matrix, by its series after halving and squaring.

    Args:
        A: (..., n, n) tensor of floating or complex dtype.

    Returns:
        Tensor of the same shape and dtype; NaN and infinities for a matrix that has such. How often matrices are squared depends on the
        largest of their norms, which is waited for.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: bool or integers.

    Ascend operator: BatchMatMulV2. Like: torch.linalg.matrix_exp, scipy.linalg.expm.

    Examples:
        >>> at.linalg.matrix_exp(at.tensor([[0.0, 1.0], [0.0, 0.0]]))
        tensor([[1., 1.],
                [0., 1.]], device='npu:0')
    """
    floating(A, "matrix_exp")
    _, size, _ = stack_of("matrix_exp", A)
    if not A.desc.numel:
        return clone(A)
    wide = widened(A)
    limit = _LIMITS.get(wide.desc.dtype, 3.0)
    norms = amax(sum(unary.abs(wide), -2), -1)
    largest = float(host.item(amax(norms)))
    if not math.isfinite(largest):
        norms = comparison.where(comparison.isfinite(norms), norms, 0)
        largest = float(host.item(amax(norms)))
    halvings = max(math.ceil(math.log2(largest / limit)), 0) if largest > 0 else 0
    # Each matrix is halved as often as its own norm asks for: squaring costs precision.
    own = unary.ceil(unary.log2(elementwise.clamp(elementwise.div(norms, limit), min=1.0)))
    scale = views.unsqueeze(views.unsqueeze(unary.exp2(unary.neg(own)), -1), -1)
    result = _series(elementwise.mul(wide, in_dtype(scale, wide.desc.dtype)), size)
    for done in range(halvings):
        unfinished = comparison.gt(views.unsqueeze(views.unsqueeze(own, -1), -1), done)
        result = comparison.where(unfinished, matmul(result, result), result)
    return narrowed(result, A)


def _series(X: T, size: int) -> T:
    """The sum of X**k / k! up to k = 18, in blocks of five powers: eight products instead of seventeen."""
    powers = [identity(X, size), X]
    while len(powers) < 6:
        powers.append(matmul(powers[-1], X))
    result = None
    for first in range(15, -1, -5):
        block = elementwise.mul(powers[0], 1 / math.factorial(first))
        for step in range(1, min(5, _TAYLOR - first + 1)):
            block = elementwise.add(block, powers[step], alpha=1 / math.factorial(first + step))
        result = block if result is None else elementwise.add(block, matmul(result, powers[5]))
    assert result is not None
    return result


@checked
def vander(x: T, *, N: int | None = None) -> T:
    """The powers 0, 1, ... of each number, along a new last dim.

    Args:
        x: (..., n) tensor; not bool. 0-d counts as (1), with `N`.
        N: How many powers; by default n.

    Returns:
        (..., n, N) tensor of the same dtype; int64 for integers.

    Raises:
        ShapeError: A 0-d tensor without `N`.
        ValueRangeError: N is less than 1.

    Ascend operator: Cumprod. Like: torch.linalg.vander, numpy.vander(increasing=True).

    Examples:
        >>> at.linalg.vander(at.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [1, 2, 4],
                [1, 3, 9]], device='npu:0')
    """
    if not x.desc.shape and N is None:
        raise ShapeError("at least one dim is needed").with_context("vander", (x,))
    count = x.desc.shape[-1] if N is None else as_int(N)
    if count < 1:
        raise ValueRangeError(f"N is {count}; at least one power is needed").with_context("vander", (x,))
    x = x if x.desc.shape else views.reshape(x, (1,))
    return _powers(x if x.desc.dtype.category >= d.FLOATING else in_dtype(x, d.int64), count)


def _powers(x: T, count: int) -> T:
    like = widened(x) if x.desc.dtype in HALVES else x
    if count == 1 or not x.desc.numel:
        return filled(x, (*x.desc.shape, count), 1)
    factors = contiguous(views.expand(views.unsqueeze(like, -1), (*x.desc.shape, count)))
    fill(views.select(factors, -1, 0), 1)
    return narrowed(cumprod(factors, -1), x)
