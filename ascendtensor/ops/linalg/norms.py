"""Norms of vectors and matrices, and what is told from singular values: rank, condition, pseudo-inverse, least squares."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from typing import Any, TypeVar

from ... import dtypes as d
from ... import shapes
from ...base import TensorBase
from ...dtypes import DTypeLike
from ...errors import ShapeError, ValueRangeError
from .. import host, views
from ..arguments import checked
from ..call import call
from ..operands import filled
from ..pointwise import comparison, elementwise, unary
from ..reduction import amax, amin, narrowed, norm_operand, sum, vector_norm, widened
from ..table import linalg as table
from ..writing import into
from .factors import eigh, eigvalsh, singular, svdvals
from .forms import LeastSquares, adjoint, epsilon, equal_stacks, linear, stack_of
from .matmul import matmul
from .systems import inv_ex

T = TypeVar("T", bound=TensorBase)

_ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


@checked
def matrix_norm(
    A: T, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: DTypeLike | None = None, out: T | None = None
) -> T:
    """A norm of each matrix.

    Args:
        A: Tensor of at least two dims, floating or complex; for "nuc", 2 and -2 one of those that `svd` takes.
        ord: "fro" (root of the sum of squares), "nuc" (sum of singular values), inf and -inf (largest, smallest sum of a row), 1 and -1
            (of a column), 2 and -2 (largest, smallest singular value).
        dim: The two dims of the matrices.
        keepdim: Whether they stay with length 1.
        dtype: Dtype that the operand is cast to before.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the other dims, real.

    Raises:
        ShapeError: Not two different dims, or they are empty where there is no norm then.
        ValueRangeError: Another `ord`.
        DTypeError: bool or integers.

    Ascend operator: LpNormV2; Abs, ReduceSum and ReduceMax; Svd. Like: torch.linalg.matrix_norm, numpy.linalg.matrix_norm.

    Examples:
        >>> at.linalg.matrix_norm(at.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5., device='npu:0')
    """
    A = norm_operand(A, dtype, "matrix_norm")
    if ord not in _ORDERS or isinstance(ord, bool):
        raise ValueRangeError(f"ord must be one of 'fro', 'nuc', 1, 2, inf and their negatives, not {ord!r}").with_context(
            "matrix_norm", (A,)
        )
    rank = len(A.desc.shape)
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(dims) != 2 or rank < 2:
        raise ShapeError(f"two dims are needed, not {dim!r} of shape {list(A.desc.shape)}").with_context("matrix_norm", (A,))
    rows, columns = (shapes.normalize_dim(each, rank) for each in dims)
    if rows == columns:
        raise ShapeError(f"dims {dim!r} are one and the same").with_context("matrix_norm", (A,))
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim, out=out)
    if ord in ("nuc", 2, -2):
        result = _of_singular_values(A, ord, rows, columns)
        return into(_kept(result, rows, columns) if keepdim else result, out)
    added, kept = (columns, rows) if abs(ord) == math.inf else (rows, columns)
    if ord > 0 and not A.desc.shape[kept]:
        return into(_nothing(A, rows, columns, keepdim), out)
    total = sum(unary.abs(widened(A)), added, True)
    extreme = (amax if ord > 0 else amin)(total, (kept,), True)
    if not keepdim:
        extreme = views.squeeze(extreme, (rows, columns))
    return into(narrowed(extreme, A), out)


def _of_singular_values(A: T, ord: Any, rows: int, columns: int) -> T:
    values = svdvals(views.movedim(A, (rows, columns), (-2, -1)))
    if ord == "nuc":
        return sum(values, -1)
    if ord > 0 and not values.desc.shape[-1]:
        return _nothing(A, rows, columns, False)
    return amax(values, -1) if ord > 0 else amin(values, -1)


def _nothing(A: T, rows: int, columns: int, keepdim: bool) -> T:
    """The norms of matrices without elements."""
    shape = shapes.reduce_shape(A.desc.shape, (rows, columns), keepdim)
    return filled(A, shape, 0, A.desc.dtype.to_real())


def _kept(result: T, *dims: int) -> T:
    for dim in sorted(dims):
        result = views.unsqueeze(result, dim)
    return result


@checked
def norm(A: T, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: T | None = None, dtype: DTypeLike | None = None) -> T:
    """A norm of vectors or of matrices.

    Args:
        A: Tensor of floating or complex dtype.
        ord: Order as for `vector_norm` or `matrix_norm`; None for the root of the sum of squares over all of `dim`.
        dim: A dim for vectors, two for matrices; None for all, of a vector or a matrix where there is an order.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.
        dtype: Dtype that the operand is cast to before.

    Returns:
        Tensor of the other dims, real.

    Raises:
        ShapeError: More than two dims with an order.
        ValueRangeError: Another order.
        DTypeError: bool or integers.

    Ascend operator: those of `vector_norm` and `matrix_norm`. Like: torch.linalg.norm, numpy.linalg.norm.

    Examples:
        >>> at.linalg.norm(at.tensor([3.0, 4.0]))
        tensor(5., device='npu:0')
        >>> at.linalg.norm(at.tensor([3.0, -4.0]), float("inf"))
        tensor(4., device='npu:0')
    """
    if ord is None:
        if isinstance(dim, (tuple, list)) and len(dim) > 2:
            raise ShapeError(f"one dim or two are needed, not {len(dim)}").with_context("norm", (A,))
        return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)
    rank = len(A.desc.shape)
    if dim is None and rank not in (1, 2):
        raise ShapeError(f"an order needs a vector, a matrix or dims, not shape {list(A.desc.shape)}").with_context("norm", (A,))
    dims = tuple(range(rank)) if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(dims) == 2:
        return matrix_norm(A, ord, dims, keepdim, dtype=dtype, out=out)
    if len(dims) != 1:
        raise ShapeError(f"an order needs one dim or two, not {len(dims)}").with_context("norm", (A,))
    if isinstance(ord, str):
        raise ValueRangeError(f"{ord!r} is an order of matrices only").with_context("norm", (A,))
    return vector_norm(A, ord, dims, keepdim, dtype=dtype, out=out)


@checked
def cond(A: T, p: Any = None, *, out: T | None = None) -> T:
    """The condition of each matrix: its norm times that of its inverse.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128; square for other norms than 2 and -2.
        p: Order as for `matrix_norm`; None is 2.
        out: (...) real tensor to write into.

    Returns:
        (...) real tensor; inf for singular matrices.

    Raises:
        ShapeError: The matrices are not square where they must be.
        ValueRangeError: Another order.
        DTypeError: Another dtype.

    Ascend operator: Svd and RealDiv; MatrixInverse for other norms. Like: torch.linalg.cond, numpy.linalg.cond.

    Examples:
        >>> at.linalg.cond(at.tensor([[4.0, 0.0], [0.0, 0.5]]))
        tensor(8., device='npu:0')
    """
    linear("cond", A)
    if p not in (None, *_ORDERS):
        raise ValueRangeError(f"p must be None or an order of matrix_norm, not {p!r}").with_context("cond", (A,))
    if p in (None, 2, -2):
        stack, rows, columns = stack_of("cond", A, False)
        if not min(rows, columns):
            return into(filled(A, stack, 0, A.desc.dtype.to_real()), out)
        values = svdvals(A)
        first, last = views.select(values, -1, 0), views.select(values, -1, -1)
        return into(elementwise.div(last, first) if p == -2 else elementwise.div(first, last), out)
    stack, rows, _ = stack_of("cond", A)
    if not rows:
        return into(filled(A, stack, 0, A.desc.dtype.to_real()), out)
    inverse, info = inv_ex(A)
    product = elementwise.mul(matrix_norm(A, p), matrix_norm(comparison.where(_over(info, 0), 0, inverse), p))
    return into(comparison.where(comparison.ne(info, 0), math.inf, product), out)


def _over(info: T, number: int) -> T:
    return views.unsqueeze(views.unsqueeze(comparison.ne(info, number), -1), -1)


# Numbers below which singular values count as 0


def _cut(values: T, atol: Any, rtol: Any, sizes: tuple[int, int]) -> Any:
    """The largest of `atol` and `rtol` times the largest value, with a last dim of 1."""
    largest = amax(values, -1, True)
    default = max(sizes) * epsilon(values.desc.dtype)
    if rtol is None:
        given = isinstance(atol, TensorBase)
        rtol = comparison.where(comparison.gt(atol, 0), 0.0, default) if given else 0.0 if atol else default
    relative = elementwise.mul(largest, _last(rtol))
    if atol is None or (not isinstance(atol, TensorBase) and not atol):
        return relative
    return elementwise.maximum(relative, _last(atol))


def _last(tolerance: Any) -> Any:
    return views.unsqueeze(tolerance, -1) if isinstance(tolerance, TensorBase) else float(tolerance)


@checked
def matrix_rank(A: T, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: T | None = None) -> T:
    """How many singular values of each matrix are above a tolerance.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        tol: An absolute tolerance, in place of the two below.
        hermitian: Whether the matrices are Hermitian, so that eigenvalues do.
        atol: Absolute tolerance, a number or a tensor; by default 0.
        rtol: Tolerance relative to the largest value; by default max(m, n) times the dtype's epsilon, 0 where `atol` is positive.
        out: (...) int64 tensor to write into.

    Returns:
        (...) int64 tensor.

    Raises:
        ShapeError: Less than two dims.
        DTypeError: Another dtype.

    Ascend operator: Svd or SelfAdjointEig, Greater and ReduceSum. Like: torch.linalg.matrix_rank, numpy.linalg.matrix_rank.

    Examples:
        >>> at.linalg.matrix_rank(at.tensor([[1.0, 2.0], [2.0, 4.0]]))
        tensor(1, device='npu:0')
    """
    linear("matrix_rank", A)
    if tol is not None:
        atol, rtol = tol, 0.0
    stack, rows, columns = stack_of("matrix_rank", A, hermitian)
    if not A.desc.numel:
        return into(filled(A, stack, 0, d.int64), out)
    values = unary.abs(eigvalsh(A)) if hermitian else svdvals(A)
    return into(sum(comparison.gt(values, _cut(values, atol, rtol, (rows, columns))), -1), out)


@checked
def pinv(A: T, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: T | None = None) -> T:
    """The pseudo-inverse (Moore-Penrose) of each matrix.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        rcond: Another name of `rtol`.
        hermitian: Whether the matrices are Hermitian, so that eigenvalues do.
        atol, rtol: Below them singular values count as 0; numbers or tensors, by default as for `matrix_rank`.
        out: (..., n, m) tensor to write into.

    Returns:
        (..., n, m) tensor of the same dtype.

    Raises:
        ShapeError: Less than two dims.
        DTypeError: Another dtype.

    Ascend operator: Pinverse for a real matrix without tolerances; else Svd or SelfAdjointEig, and products. Like: torch.linalg.pinv,
    numpy.linalg.pinv.

    Examples:
        >>> at.linalg.pinv(at.tensor([[2.0, 0.0]]))
        tensor([[0.5000],
                [0.0000]], device='npu:0')
    """
    linear("pinv", A)
    rtol = rcond if rtol is None else rtol
    stack, rows, columns = stack_of("pinv", A, hermitian)
    if not A.desc.numel:
        return into(filled(A, (*stack, columns, rows), 0), out)
    if atol is None and rtol is None and not hermitian and not stack and not A.desc.dtype.is_complex:
        return into(call(table.PSEUDO_INVERSE, (A,), (max(rows, columns) * epsilon(A.desc.dtype),)), out)
    if hermitian:
        values, vectors = eigh(A)
        inverses = _inverses(values, atol, rtol, (rows, columns))
        return into(matmul(_scaled(vectors, inverses), adjoint(vectors)), out)
    u, values, v = singular(A, False)
    return into(matmul(_scaled(v, _inverses(values, atol, rtol, (rows, columns))), adjoint(u)), out)


def _inverses(values: T, atol: Any, rtol: Any, sizes: tuple[int, int]) -> T:
    size = unary.abs(values)
    kept = comparison.gt(size, _cut(size, atol, rtol, sizes))
    return comparison.where(kept, unary.reciprocal(comparison.where(kept, values, 1.0)), 0.0)


def _scaled(vectors: T, numbers: T) -> T:
    """Columns times real numbers."""
    numbers = views.unsqueeze(numbers, -2)
    return elementwise.mul(vectors, comparison.cast(numbers, vectors.desc.dtype) if vectors.desc.dtype.is_complex else numbers)


# Least squares

_WITH_VALUES = ("gelsd", "gelss")
_DRIVERS = (None, "gels", "gelsy", *_WITH_VALUES)


@checked
def lstsq(A: T, B: T, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares[T]:
    """The X with the smallest `norm(A @ X - B)`, of several the shortest.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        B: (..., m, k) tensor of the same dtype, or (..., m) of the stack's shape; stacks broadcast.
        rcond: Singular values below this times the largest one count as 0; by default max(m, n) times the dtype's epsilon.
        driver: LAPACK's name of what else is wanted, see below; by default "gelsy".

    Returns:
        `solution`, (..., n, k); `residuals`, the squared norms (..., k) where m > n, with "gels" or with "gelsd" and "gelss" if every
        matrix has rank n (which is waited for), else empty; `rank`, int64 (...), empty with "gels"; `singular_values` with "gelsd" and
        "gelss", else empty.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: Another driver.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixSolveLs; Svd for ranks, for a given `rcond` and for complex matrices. Like: torch.linalg.lstsq,
    numpy.linalg.lstsq.

    Examples:
        >>> at.linalg.lstsq(at.eye(2), at.tensor([[1.0], [3.0]])).solution
        tensor([[1.],
                [3.]], device='npu:0')
    """
    linear("lstsq", A, B)
    if driver not in _DRIVERS:
        raise ValueRangeError(f"driver must be None, 'gels', 'gelsy', 'gelsd' or 'gelss', not {driver!r}").with_context("lstsq", (A, B))
    stack, rows, columns = stack_of("lstsq", A, False)
    if not 0 <= len(A.desc.shape) - len(B.desc.shape) <= 1:
        raise ShapeError(f"{len(A.desc.shape)} dims and {len(B.desc.shape)} don't fit").with_context("lstsq", (A, B))
    vector = len(B.desc.shape) < len(A.desc.shape)
    rhs = views.unsqueeze(B, -1) if vector else B
    if stack_of("lstsq", rhs, False)[1] != rows:
        raise ShapeError(f"{rows} equations have no {rhs.desc.shape[-2]} right sides").with_context("lstsq", (A, B))
    left, rhs = equal_stacks("lstsq", A, rhs)
    nothing = filled(A, (0,), 0, A.desc.dtype.to_real())
    if driver == "gels" or not A.desc.numel:
        rank = filled(A, (0,) if driver == "gels" else stack, 0, d.int64)
        values = filled(A, (*stack, min(rows, columns)), 0, A.desc.dtype.to_real())
        full = driver == "gels" or driver in _WITH_VALUES
    else:
        values = svdvals(A)
        rank = sum(comparison.gt(values, _cut(values, None, rcond, (rows, columns))), -1)
        full = driver in _WITH_VALUES and host.item(amin(rank)) == columns
    solution = _solution(left, rhs, None if driver == "gels" else rcond)
    residuals = nothing
    if rows > columns and full:
        rest = unary.abs(elementwise.sub(matmul(left, solution), rhs))
        residuals = sum(elementwise.mul(rest, rest), -2)
    if vector:
        solution = views.squeeze(solution, -1)
    return LeastSquares(solution, residuals, rank, values if driver in _WITH_VALUES else nothing)


def _solution(A: T, B: T, rcond: float | None) -> T:
    stack, _, columns = stack_of("lstsq", A, False)
    if not A.desc.numel or not B.desc.numel:
        return filled(A, (*stack, columns, B.desc.shape[-1]), 0)
    if rcond is None and not A.desc.dtype.is_complex:
        return call(table.LEAST_SQUARES, (A, B, 0.0), (False,))
    return matmul(pinv(A, rtol=rcond), B)
