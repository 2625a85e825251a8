"""Orthogonal, triangular and singular factors, eigenvalues.

The operators run on the AI CPU and take float32, float64, complex64 and complex128.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import DTypeError, ShapeError, UnsupportedError, ValueRangeError
from .. import gather, indexing, shape, sorting, views
from ..arguments import checked
from ..call import call, made
from ..call import unary as launch
from ..operands import counted, filled
from ..pointwise import comparison, elementwise
from ..table import linalg as table
from ..table.creation import RANGE
from ..writing import into
from .forms import (
    Eigen,
    OrthogonalUpper,
    PackedFactors,
    PackedFactorsAndInfo,
    PermutedFactors,
    SingularValues,
    equal_stacks,
    identity,
    linear,
    lower,
    put,
    real,
    stack_of,
    upper,
    waited,
)
from .forms import adjoint as _adjoint
from .matmul import matmul

T = TypeVar("T", bound=TensorBase)


# QR


@checked
def qr(A: T, mode: str = "reduced", *, out: Any = None) -> OrthogonalUpper[T]:
    """An orthogonal (unitary) Q and an upper triangular R with `Q @ R = A`.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        mode: "reduced" for Q of min(m, n) columns, "complete" for m, "r" for R alone.
        out: Two tensors of the results' shapes to write into.

    Returns:
        `Q`, empty for "r", and `R`. Signs are the kernel's; they may differ from LAPACK's.

    Raises:
        ShapeError: Less than two dims.
        ValueRangeError: Another mode.
        DTypeError: Another dtype.

    Ascend operator: Qr. Like: torch.linalg.qr, numpy.linalg.qr.

    Examples:
        >>> q, r = at.linalg.qr(at.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> r.abs()
        tensor([[5.0000, 2.2000],
                [0.0000, 0.4000]], device='npu:0')
    """
    linear("qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise ValueRangeError(f"mode must be 'reduced', 'complete' or 'r', not {mode!r}").with_context("qr", (A,))
    stack, rows, columns = stack_of("qr", A, False)
    full = mode == "complete"
    if not A.desc.numel:
        size = rows if full else min(rows, columns)
        q = identity(A, rows, stack) if full else filled(A, (*stack, rows, size), 0)
        r = filled(A, (*stack, size, columns), 0)
    else:
        q, r = call(table.QR, (A,), (full,))
    return put(OrthogonalUpper(filled(A, (0,), 0) if mode == "r" else q, r), out)


@checked
def householder_product(A: T, tau: T, *, out: T | None = None) -> T:
    """The first columns of a product of Householder reflections, as other libraries' QR keeps them.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128, m >= n: below the diagonal of column i the i-th vector, whose
            first element is 1.
        tau: (..., k) tensor of the same dtype, k <= n: how much of each reflection is taken.
        out: (..., m, n) tensor to write into.

    Returns:
        (..., m, n) tensor with orthonormal columns.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: BatchMatMulV2 and MatrixTriangularSolve. Like: torch.linalg.householder_product.

    Examples:
        >>> at.linalg.householder_product(at.tensor([[1.0], [0.0]]), at.tensor([2.0]))
        tensor([[-1.],
                [ 0.]], device='npu:0')
    """
    linear("householder_product", A, tau)
    stack, rows, columns = stack_of("householder_product", A, False)
    if rows < columns or tau.desc.shape[:-1] != stack or not tau.desc.shape or tau.desc.shape[-1] > columns:
        names = f"{list(A.desc.shape)} and {list(tau.desc.shape)}"
        raise ShapeError(f"reflections and factors of shapes {names} do not fit").with_context("householder_product", (A, tau))
    result = views.narrow(identity(A, rows, stack), -1, 0, columns)
    count = tau.desc.shape[-1]
    if not (count and A.desc.numel):
        return into(shape.contiguous(result), out)
    # Their product is I - V T V^H with (I + diag(tau) S) T = diag(tau), S what V^H V has above its diagonal (Schreiber and Van Loan).
    vectors = views.narrow(elementwise.add(lower(A, -1), result), -1, 0, count)
    others, taken = _adjoint(vectors), views.unsqueeze(tau, -1)
    system = elementwise.add(elementwise.mul(upper(matmul(others, vectors), 1), taken), identity(A, count))
    begun = elementwise.mul(views.narrow(others, -1, 0, columns), taken)
    mixed = call(table.TRIANGULAR_SOLVE, (system, begun), (False, False))
    result = elementwise.sub(result, matmul(vectors, mixed))
    return into(shape.contiguous(result), out)


# Singular values


def singular(A: T, full: bool) -> tuple[T, T, T]:
    """U, S and V, whose vectors are columns."""
    stack, rows, columns = stack_of("svd", A, False)
    if A.desc.numel:
        sigma, u, v = call(table.SVD, (A,), (True, full))
        return u, real(sigma), v
    least = min(rows, columns)
    left, right = (rows, columns) if full else (least, least)
    sigma = filled(A, (*stack, least), 0, A.desc.dtype.to_real())
    u = identity(A, rows, stack) if full else filled(A, (*stack, rows, left), 0)
    return u, sigma, identity(A, columns, stack) if full else filled(A, (*stack, columns, right), 0)


def _driver(function: str, driver: str | None, *known: str) -> None:
    if driver not in (None, *known):
        names = ", ".join(repr(each) for each in known)
        raise ValueRangeError(f"driver must be None or one of {names}, not {driver!r}", where=function)


_CUSOLVER = ("gesvd", "gesvdj", "gesvda")


@checked
def svd(A: T, full_matrices: bool = True, *, driver: str | None = None, out: Any = None) -> SingularValues[T]:
    """U, S and Vh with `U @ diag(S) @ Vh = A`.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        full_matrices: Whether U and Vh are square; else they have min(m, n) vectors.
        driver: Known names are accepted; there is one kernel.
        out: Three tensors of the results' shapes to write into.

    Returns:
        `U` (vectors as columns), `S` (real, descending) and `Vh` (vectors as rows); NaN for a matrix with NaN or an infinity. PyTorch
        raises an error for NaN.

    Raises:
        ShapeError: Less than two dims.
        DTypeError: Another dtype.

    Ascend operator: Svd. Like: torch.linalg.svd, numpy.linalg.svd.

    Examples:
        >>> u, s, vh = at.linalg.svd(at.tensor([[3.0, 0.0], [0.0, -4.0]]))
        >>> s
        tensor([4., 3.], device='npu:0')
    """
    linear("svd", A)
    _driver("svd", driver, *_CUSOLVER)
    u, s, v = singular(A, full_matrices)
    return put(SingularValues(u, s, _adjoint(v)), out)


@checked
def svdvals(A: T, *, driver: str | None = None, out: T | None = None) -> T:
    """The singular values of each matrix, descending; NaN for a matrix with NaN or an infinity.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        driver: Known names are accepted; there is one kernel.
        out: (..., min(m, n)) real tensor to write into.

    Raises:
        ShapeError: Less than two dims.
        DTypeError: Another dtype.

    Ascend operator: Svd. Like: torch.linalg.svdvals, numpy.linalg.svdvals.

    Examples:
        >>> at.linalg.svdvals(at.tensor([[3.0, 0.0], [0.0, -4.0]]))
        tensor([4., 3.], device='npu:0')
    """
    linear("svdvals", A)
    _driver("svdvals", driver, *_CUSOLVER)
    stack, rows, columns = stack_of("svdvals", A, False)
    if not A.desc.numel:
        return into(filled(A, (*stack, min(rows, columns)), 0, A.desc.dtype.to_real()), out)
    return into(real(call(table.SVD, (A,), (False, False))[0]), out)


# Eigenvalues


def _triangle(function: str, A: T, uplo: str) -> T:
    """The matrix whose lower triangle counts."""
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        raise ValueRangeError(f"UPLO must be 'L' or 'U', not {uplo!r}").with_context(function, (A,))
    return A if uplo.upper() == "L" else _adjoint(A)


@checked
def eigh(A: T, UPLO: str = "L", *, out: Any = None) -> Eigen[T]:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        UPLO: Which triangle counts, "L" or "U".
        out: Two tensors of the results' shapes to write into.

    Returns:
        `eigenvalues` (real, ascending) and `eigenvectors` (as columns, of length 1). A matrix with NaN or an infinity is an error of the
        queued work.

    Raises:
        ShapeError: The matrices are not square.
        ValueRangeError: Another UPLO.
        DTypeError: Another dtype.

    Ascend operator: SelfAdjointEig. Like: torch.linalg.eigh, numpy.linalg.eigh.

    Examples:
        >>> values, vectors = at.linalg.eigh(at.tensor([[3.0, 0.0], [0.0, 2.0]]))
        >>> values
        tensor([2., 3.], device='npu:0')
        >>> vectors.abs()
        tensor([[0., 1.],
                [1., 0.]], device='npu:0')
    """
    linear("eigh", A)
    values, vectors = call(table.EIGEN, (_triangle("eigh", A, UPLO),), (True,))
    return put(Eigen(real(values), vectors), out)


@checked
def eigvalsh(A: T, UPLO: str = "L", *, out: T | None = None) -> T:
    """Eigenvalues of symmetric or Hermitian matrices, ascending. A matrix with NaN or an infinity is an error of the queued work.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        UPLO: Which triangle counts, "L" or "U".
        out: (..., n) real tensor to write into.

    Raises:
        ShapeError: The matrices are not square.
        ValueRangeError: Another UPLO.
        DTypeError: Another dtype.

    Ascend operator: SelfAdjointEig. Like: torch.linalg.eigvalsh, numpy.linalg.eigvalsh.

    Examples:
        >>> at.linalg.eigvalsh(at.tensor([[3.0, 0.0], [0.0, 2.0]]))
        tensor([2., 3.], device='npu:0')
    """
    linear("eigvalsh", A)
    stack, size, _ = stack_of("eigvalsh", A)
    A = _triangle("eigvalsh", A, UPLO)
    if not A.desc.numel:
        return into(filled(A, (*stack, size), 0, A.desc.dtype.to_real()), out)
    return into(real(call(table.EIGEN, (A,), (False,))[0]), out)


def _no_ldl(function: str, A: TensorBase) -> UnsupportedError:
    advice = "Positive definite matrices have cholesky, others lu_factor."
    return UnsupportedError("no Ascend operator factors indefinite matrices symmetrically", advice=advice).with_context(function, (A,))


@checked
def ldl_factor(A: T, *, hermitian: bool = False, out: Any = None) -> Any:
    """Not there: no Ascend operator. See `lu_factor`, or `cholesky` for positive definite matrices.

    Raises:
        UnsupportedError: Always.

    Like: torch.linalg.ldl_factor.

    Examples:
        >>> at.linalg.ldl_factor(at.eye(2))
        Traceback (most recent call last):
            ...
        ascendtensor.errors.UnsupportedError: ldl_factor: no Ascend operator factors indefinite matrices symmetrically
          operands: float32[2, 2] on npu:0
          Positive definite matrices have cholesky, others lu_factor.
    """
    linear("ldl_factor", A)
    raise _no_ldl("ldl_factor", A)


@checked
def ldl_factor_ex(A: T, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """Not there: no Ascend operator. See `ldl_factor`.

    Raises:
        UnsupportedError: Always.

    Like: torch.linalg.ldl_factor_ex.

    Examples:
        >>> at.linalg.ldl_factor_ex(at.eye(2))
        Traceback (most recent call last):
            ...
        ascendtensor.errors.UnsupportedError: ldl_factor_ex: no Ascend operator factors indefinite matrices symmetrically
          operands: float32[2, 2] on npu:0
          Positive definite matrices have cholesky, others lu_factor.
    """
    linear("ldl_factor_ex", A)
    raise _no_ldl("ldl_factor_ex", A)


@checked
def ldl_solve(LD: T, pivots: TensorBase, B: T, *, hermitian: bool = False, out: Any = None) -> Any:
    """Not there: no Ascend operator. See `ldl_factor`.

    Raises:
        UnsupportedError: Always.

    Like: torch.linalg.ldl_solve.

    Examples:
        >>> at.linalg.ldl_solve(at.eye(2), at.tensor([1, 2]), at.ones(2, 1))
        Traceback (most recent call last):
            ...
        ascendtensor.errors.UnsupportedError: ldl_solve: no Ascend operator factors indefinite matrices symmetrically
          operands: float32[2, 2] on npu:0
          Positive definite matrices have cholesky, others lu_factor.
    """
    linear("ldl_solve", LD, B)
    raise _no_ldl("ldl_solve", LD)


# LU


def _factors(function: str, A: T, pivot: bool) -> tuple[T, T]:
    """Both factors in one (m, n) matrix, and the rows of A in their order (m), int64.

    The operator takes square matrices. A wide one is a square one and a triangular system. A tall one is completed by an orthogonal
    basis of what its columns leave: that changes none of its own columns.
    """
    linear(function, A)
    if not pivot:
        raise UnsupportedError("the operator Lu always exchanges rows", advice="Leave pivot=True.").with_context(function, (A,))
    stack, rows, columns = stack_of(function, A, False)
    if not A.desc.numel:
        order = filled(A, (*stack, rows), 0, d.int64)
        return A, elementwise.add(order, counted(A, rows)) if order.desc.numel else order
    if rows == columns:
        return launch(table.LU, A)
    if rows > columns:
        rest = views.narrow(call(table.QR, (A,), (True,))[0], -1, columns, rows - columns)
        packed, order = launch(table.LU, shape.cat((A, rest), -1))
        # The columns of the rest exchange rows too, which LAPACK would leave where they are.
        own = _order(_exchanges(order, columns), rows)
        return _ordered(views.narrow(packed, -1, 0, columns), gather.gather(sorting.argsort(order, -1), -1, own)), own
    packed, order = launch(table.LU, views.narrow(A, -1, 0, rows))
    others = _ordered(views.narrow(A, -1, rows, columns - rows), order)
    system = elementwise.add(lower(packed, -1), identity(A, rows))
    return shape.cat((packed, call(table.TRIANGULAR_SOLVE, (system, others), (True, False))), -1), order


def _ordered(matrix: T, order: TensorBase) -> T:
    """The rows of each matrix in another order."""
    if matrix.desc.dtype is not d.complex128:
        return gather.take_along_dim(matrix, views.unsqueeze(order, -1), -2)
    pairs = shape.as_pairs(matrix)
    rows = gather.take_along_dim(pairs, views.unsqueeze(views.unsqueeze(order, -1), -1), -3)
    return shape.from_pairs(rows)


def _exchanges(order: T, count: int) -> T:
    """The exchanges that lead to an order, as LAPACK counts them, from 1: the first `count` of them.

    Step i exchanges row i with the one that is to be there. That one was order[i]; if an earlier step took its place, it is where that
    step's own row came from, and so on: the first number in order[i], order[order[i]], ... that is not below i. Found by jumps of
    halving lengths, since loops over rows are none that a device should do.
    """
    rows = order.desc.shape[-1]
    jump, most = order, views.expand(counted(order, rows), order.desc.shape)
    jumps: list[tuple[T, T]] = []
    while 1 << len(jumps) < rows:
        jumps.append((jump, most))
        most = elementwise.maximum(most, gather.gather(most, -1, jump))
        jump = gather.gather(jump, -1, jump)
    steps = counted(order, count)
    found = views.narrow(order, -1, 0, count)
    for jump, most in reversed(jumps):
        passed = comparison.lt(gather.gather(most, -1, found), steps)
        found = comparison.where(passed, gather.gather(jump, -1, found), found)
    return comparison.cast(elementwise.add(found, 1), d.int32)


def _order(pivots: T, rows: int) -> T:
    """The order of the rows that exchanges lead to: all of them one after another, combined pairwise."""
    *stack, count = pivots.desc.shape
    numbers = counted(pivots, rows)
    if not count:
        return views.expand(numbers, (*stack, rows))
    whole = 1 << (count - 1).bit_length()
    swaps = elementwise.sub(comparison.cast(pivots, d.int64), 1)
    if whole > count:
        idle = made(RANGE, (rows, rows + whole - count, 1), (whole - count, d.int64), pivots)
        swaps = shape.cat((swaps, views.expand(idle, (*stack, whole - count))), -1)
    swaps, steps = views.unsqueeze(swaps, -1), views.unsqueeze(counted(pivots, whole), -1)
    moved = comparison.where(comparison.eq(numbers, swaps), steps, numbers)
    maps = comparison.where(comparison.logical_and(comparison.eq(numbers, steps), comparison.lt(swaps, rows)), swaps, moved)
    while whole > 1:
        whole //= 2
        paired = views.reshape(maps, (*stack, whole, 2, rows))
        maps = gather.gather(views.select(paired, -2, 0), -1, views.select(paired, -2, 1))
    return views.reshape(maps, (*stack, rows))


def _permutation(order: TensorBase, like: T) -> T:
    """P with `P @ (L @ U) = A` of the order that the rows of A have in the factors."""
    numbers = views.unsqueeze(counted(like, order.desc.shape[-1]), -1)
    return comparison.cast(comparison.eq(numbers, views.unsqueeze(order, -2)), like.desc.dtype)


def _unpacked(packed: T) -> tuple[T, T]:
    rows, columns = packed.desc.shape[-2:]
    least = min(rows, columns)
    if not packed.desc.numel:
        stack = packed.desc.shape[:-2]
        return filled(packed, (*stack, rows, least), 0), filled(packed, (*stack, least, columns), 0)
    left = lower(views.narrow(packed, -1, 0, least), -1)
    indexing.fill(views.diagonal(left, 0, -2, -1), 1)
    return left, upper(views.narrow(packed, -2, 0, least))


@checked
def lu_factor(A: T, *, pivot: bool = True, out: Any = None) -> PackedFactors[T]:
    """Triangular factors of each matrix with its rows exchanged, packed into one matrix.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        pivot: Must be true.
        out: Two tensors of the results' shapes to write into.

    Returns:
        `LU`, (..., m, n): U above and on the diagonal, L below it (its diagonal is 1); `pivots`, int32 (..., min(m, n)): row i was
        exchanged with row pivots[i] - 1. A singular matrix is an error of the queued work; PyTorch gives a factor with zeros.

    Raises:
        ShapeError: Less than two dims.
        UnsupportedError: `pivot` is false.
        DTypeError: Another dtype.

    Ascend operator: Lu; with Qr for tall and MatrixTriangularSolve for wide matrices. Like: torch.linalg.lu_factor.

    Examples:
        >>> factors, pivots = at.linalg.lu_factor(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> factors
        tensor([[2.0000, 2.0000],
                [0.5000, 1.0000]], device='npu:0')
        >>> pivots
        tensor([2, 2], device='npu:0', dtype=ascendtensor.int32)
    """
    packed, order = _factors("lu_factor", A, pivot)
    return put(PackedFactors(packed, _exchanges(order, min(A.desc.shape[-2:]))), out)


@checked
def lu_factor_ex(A: T, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> PackedFactorsAndInfo[T]:
    """`lu_factor`, with `info` besides: 0 for each matrix, since a singular one is an error of the queued work here (at once with
    `check_errors`, which waits for it).

    Ascend operator: Lu. Like: torch.linalg.lu_factor_ex.

    Examples:
        >>> factors, pivots, info = at.linalg.lu_factor_ex(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> info
        tensor(0, device='npu:0', dtype=ascendtensor.int32)
    """
    packed, pivots = lu_factor(A, pivot=pivot)
    found = PackedFactorsAndInfo(packed, pivots, filled(A, A.desc.shape[:-2], 0, d.int32))
    return put(waited(found, A, check_errors), out)


@checked
def lu(A: T, *, pivot: bool = True, out: Any = None) -> PermutedFactors[T]:
    """A permutation matrix P and triangular factors L and U with `P @ L @ U = A`.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        pivot: Must be true.
        out: Three tensors of the results' shapes to write into.

    Returns:
        `P` (..., m, m), `L` (..., m, min(m, n)) with ones on the diagonal, `U` (..., min(m, n), n). A singular matrix is an error of the
        queued work.

    Raises:
        ShapeError: Less than two dims.
        UnsupportedError: `pivot` is false.
        DTypeError: Another dtype.

    Ascend operator: Lu; with Qr for tall and MatrixTriangularSolve for wide matrices. Like: torch.linalg.lu, scipy.linalg.lu.

    Examples:
        >>> p, l, u = at.linalg.lu(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> p
        tensor([[0., 1.],
                [1., 0.]], device='npu:0')
        >>> l
        tensor([[1.0000, 0.0000],
                [0.5000, 1.0000]], device='npu:0')
        >>> u
        tensor([[2., 2.],
                [0., 1.]], device='npu:0')
    """
    packed, order = _factors("lu", A, pivot)
    return put(PermutedFactors(_permutation(order, A), *_unpacked(packed)), out)


@checked
def lu_unpack(
    LU_data: T, LU_pivots: TensorBase, unpack_data: bool = True, unpack_pivots: bool = True, *, out: Any = None
) -> PermutedFactors[T]:
    """P, L and U of what `lu_factor` gives.

    Args:
        LU_data: (..., m, n) tensor.
        LU_pivots: int32 (..., min(m, n)) tensor.
        unpack_data: False for empty L and U.
        unpack_pivots: False for an empty P.
        out: Three tensors of the results' shapes to write into.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype.

    Ascend operator: GatherElements, SelectV2, Tril and Triu. Like: torch.lu_unpack.

    Examples:
        >>> factors, pivots = at.linalg.lu_factor(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> p, l, u = at.lu_unpack(factors, pivots)
        >>> p @ l @ u
        tensor([[1., 2.],
                [2., 2.]], device='npu:0')
    """
    linear("lu_unpack", LU_data)
    rows = stack_of("lu_unpack", LU_data, False)[1]
    _fits("lu_unpack", LU_data, LU_pivots)
    nothing = filled(LU_data, (0,), 0)
    left, right = _unpacked(LU_data) if unpack_data else (nothing, nothing)
    return put(PermutedFactors(_permutation(_order(LU_pivots, rows), LU_data) if unpack_pivots else nothing, left, right), out)


def _fits(function: str, packed: TensorBase, pivots: TensorBase) -> None:
    *stack, rows, columns = packed.desc.shape
    if pivots.desc.shape != (*stack, min(rows, columns)):
        names = f"{list(pivots.desc.shape)} and {list(packed.desc.shape)}"
        raise ShapeError(f"pivots and factors of shapes {names} do not fit").with_context(function, (packed, pivots))
    if pivots.desc.dtype is not d.int32:
        raise DTypeError(f"pivots are int32, not {pivots.desc.dtype.name}").with_context(function, (packed, pivots))


@checked
def lu_solve(LU: T, pivots: TensorBase, B: T, *, left: bool = True, adjoint: bool = False, out: T | None = None) -> T:
    """The solutions of `A @ X = B` by what `lu_factor` gives.

    Args:
        LU: (..., n, n) tensor of float32, float64, complex64 or complex128.
        pivots: int32 (..., n) tensor.
        B: (..., n, k) tensor of the same dtype; stacks broadcast.
        left: False for `X @ A = B`.
        adjoint: Whether A is to be transposed and conjugated.
        out: Tensor of the result's shape to write into.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixTriangularSolve and GatherElements. Like: torch.linalg.lu_solve, scipy.linalg.lu_solve.

    Examples:
        >>> factors, pivots = at.linalg.lu_factor(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> at.linalg.lu_solve(factors, pivots, at.tensor([[3.0], [4.0]]))
        tensor([[1.],
                [1.]], device='npu:0')
    """
    linear("lu_solve", LU, B)
    stack_of("lu_solve", LU)
    stack_of("lu_solve", B, False)
    _fits("lu_solve", LU, pivots)
    rhs = B if left else _adjoint(B)
    factors, rhs = equal_stacks("lu_solve", LU, rhs)
    order = views.expand(_order(pivots, LU.desc.shape[-1]), rhs.desc.shape[:-1])
    ones = elementwise.add(lower(factors, -1), identity(factors, factors.desc.shape[-1]))
    if left is not adjoint:
        half = call(table.TRIANGULAR_SOLVE, (ones, _ordered(rhs, order)), (True, False))
        result = call(table.TRIANGULAR_SOLVE, (factors, half), (False, False))
    else:
        half = call(table.TRIANGULAR_SOLVE, (factors, rhs), (False, True))
        result = _ordered(call(table.TRIANGULAR_SOLVE, (ones, half), (True, True)), sorting.argsort(order, -1))
    return into(result if left else _adjoint(result), out)
