"""Determinants, inverses, systems of equations, and Cholesky factors.

The operators run on the AI CPU and take float32, float64, complex64 and complex128. Whether a matrix has an inverse is known only when
the queued work has run: where PyTorch raises `LinAlgError` at once, ours shows at the next call that waits for values. `inv_ex`,
`solve_ex` and `cholesky_ex` answer on the device instead and raise nothing, or wait with `check_errors`.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from math import prod
from typing import Any, TypeVar

from ... import dtypes as d
from ... import shapes
from ...base import TensorBase, as_class
from ...errors import ShapeError
from .. import views
from ..arguments import checked
from ..call import call
from ..call import unary as launch
from ..operands import filled
from ..pointwise import comparison, elementwise, unary
from ..reduction import all as every
from ..reduction import amin
from ..table import linalg as table
from ..writing import into, write
from .forms import (
    FactorAndInfo,
    InverseAndInfo,
    ResultAndInfo,
    SignAndLog,
    adjoint,
    equal_stacks,
    identity,
    linear,
    lower,
    put,
    real,
    stack_of,
    turned,
    upper,
    waited,
)
from .matmul import matmul

T = TypeVar("T", bound=TensorBase)


@checked
def diagonal(A: T, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> T:
    """The diagonals of the matrices in the last two dims, as the last dim; a view. Like: torch.linalg.diagonal, numpy.linalg.diagonal.

    Examples:
        >>> at.linalg.diagonal(at.tensor([[1, 2], [3, 4]]))
        tensor([1, 4], device='npu:0')
    """
    return views.diagonal(A, offset, dim1, dim2)


# Determinants


@checked
def det(A: T, *, out: T | None = None) -> T:
    """The determinant of each square matrix.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        out: (...) tensor to write into.

    Returns:
        (...) tensor of the same dtype; 1 for matrices of no elements.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: MatrixDeterminant. Like: torch.linalg.det, numpy.linalg.det.

    Examples:
        >>> at.linalg.det(at.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(8., device='npu:0')
    """
    linear("det", A)
    return launch(table.DETERMINANT, A) if out is None else write(table.DETERMINANT, out, (A,))


@checked
def slogdet(A: T, *, out: Any = None) -> SignAndLog[T]:
    """The sign of each determinant and the logarithm of its absolute value, for determinants beyond the dtype's range.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        out: Two (...) tensors to write into.

    Returns:
        `sign`, of the same dtype (a complex number of length 1 for complex matrices, 0 for singular ones), and `logabsdet`, real.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: LogMatrixDeterminant. Like: torch.linalg.slogdet, numpy.linalg.slogdet.

    Examples:
        >>> sign, logabsdet = at.linalg.slogdet(at.tensor([[-1.0, 0.0], [0.0, 1.0]]))
        >>> sign
        tensor(-1., device='npu:0')
        >>> logabsdet
        tensor(0., device='npu:0')
    """
    linear("slogdet", A)
    stack, size, _ = stack_of("slogdet", A)
    if not size:
        return put(SignAndLog(filled(A, stack, 1), filled(A, stack, 0, A.desc.dtype.to_real())), out)
    sign, logarithm = launch(table.LOG_DETERMINANT, A)
    return put(SignAndLog(sign, real(logarithm)), out)


@checked
def logdet(input: T) -> T:
    """The logarithm of each determinant: NaN for negative ones, -inf for 0, complex for complex matrices.

    Args:
        input: (..., n, n) tensor of float32, float64, complex64 or complex128.

    Returns:
        (...) tensor of the same dtype.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: LogMatrixDeterminant and SelectV2. Like: torch.logdet.

    Examples:
        >>> at.logdet(at.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(2.0794, device='npu:0')
    """
    sign, logarithm = slogdet(input)
    if input.desc.dtype.is_complex:
        return elementwise.add(unary.log(sign), logarithm)
    return comparison.where(comparison.lt(sign, 0), float("nan"), logarithm)


# Inverses


@checked
def inv(A: T, *, out: T | None = None) -> T:
    """The inverse of each square matrix.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype. A singular matrix is an error of the queued work; see `inv_ex`.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: MatrixInverse. Like: torch.linalg.inv, numpy.linalg.inv.

    Examples:
        >>> at.linalg.inv(at.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]], device='npu:0')
    """
    linear("inv", A)
    return launch(table.INVERSE, A) if out is None else write(table.INVERSE, out, (A,))


@checked
def inverse(input: T, *, out: T | None = None) -> T:
    """See `linalg.inv`. Ascend operator: MatrixInverse. Like: torch.inverse.

    Examples:
        >>> at.inverse(at.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]], device='npu:0')
    """
    return inv(input, out=out)


def _singular(A: T) -> T:
    """Which matrices have a determinant of 0, or none."""
    return comparison.eq(unary.abs(slogdet(A)[0]), 0)


def _where(mask: TensorBase, value: Any, matrices: T) -> T:
    """A value in place of the matrices that a mask chooses."""
    return comparison.where(views.unsqueeze(views.unsqueeze(mask, -1), -1), value, matrices)


@checked
def inv_ex(A: T, *, check_errors: bool = False, out: Any = None) -> InverseAndInfo[T]:
    """The inverse of each square matrix, and whether it has none; a singular matrix is no error.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        check_errors: Whether to wait, and raise an error for a singular matrix.
        out: A tensor of the same shape and an int32 one of the stack's shape to write into.

    Returns:
        `inverse`, NaN for singular matrices, and `info`, int32: 1 for them, else 0. PyTorch's counts the pivots before the one that is 0.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: LogMatrixDeterminant, SelectV2 and MatrixInverse. Like: torch.linalg.inv_ex.

    Examples:
        >>> inverse, info = at.linalg.inv_ex(at.tensor([[2.0, 0.0], [0.0, 4.0]]))
        >>> inverse
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]], device='npu:0')
        >>> info
        tensor(0, device='npu:0', dtype=ascendtensor.int32)
    """
    linear("inv_ex", A)
    stack, size, _ = stack_of("inv_ex", A)
    if check_errors or not A.desc.numel:
        return put(waited(InverseAndInfo(inv(A), filled(A, stack, 0, d.int32)), A, check_errors), out)
    singular = _singular(A)
    inverse = _where(singular, float("nan"), inv(_where(singular, identity(A, size), A)))
    return put(InverseAndInfo(inverse, comparison.cast(singular, d.int32)), out)


@checked
def tensorinv(A: T, ind: int = 2, *, out: T | None = None) -> T:
    """The inverse under `tensordot`: of the matrix that has the first `ind` dims as rows and the others as columns.

    Args:
        A: Tensor whose first `ind` lengths have the same product as the others.
        ind: How many dims are rows, at least 1.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the other dims, then the first ones.

    Raises:
        ShapeError: The products differ, or `ind` is not positive.
        DTypeError: Another dtype.

    Ascend operator: MatrixInverse. Like: torch.linalg.tensorinv, numpy.linalg.tensorinv.

    Examples:
        >>> at.linalg.tensorinv(at.eye(4).reshape(4, 2, 2), ind=1).shape
        (2, 2, 4)
    """
    rows, columns = A.desc.shape[:ind], A.desc.shape[ind:]
    if ind <= 0 or prod(rows) != prod(columns):
        raise ShapeError(f"shape {list(A.desc.shape)} is no square matrix with {ind} dims as rows").with_context("tensorinv", (A,))
    return into(views.reshape(inv(views.reshape(A, (prod(rows), prod(columns)))), (*columns, *rows)), out)


# Systems


def _is_vector(A: TensorBase, B: TensorBase) -> bool:
    """Whether the right side is a (stack of) vectors, as PyTorch tells it."""
    left, right = A.desc.shape, B.desc.shape
    return len(right) == 1 or (len(left) - 1 == len(right) and right == left[:-1])


@checked
def solve(A: T, B: T, *, left: bool = True, out: T | None = None) -> T:
    """The solutions of `A @ X = B`.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        B: (..., n, k) tensor of the same dtype, (..., n) of the stack's shape, or (n); stacks broadcast.
        left: False for `X @ A = B`.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor shaped as `B`, broadcast. A singular matrix is an error of the queued work; see `solve_ex`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixSolve. Like: torch.linalg.solve, numpy.linalg.solve.

    Examples:
        >>> at.linalg.solve(at.tensor([[2.0, 0.0], [0.0, 4.0]]), at.tensor([2.0, 8.0]))
        tensor([1., 2.], device='npu:0')
    """
    linear("solve", A, B)
    stack_of("solve", A)
    vector = _is_vector(A, B)
    if vector and not left:
        raise ShapeError("a vector can stand on the right only with left=True").with_context("solve", (A, B))
    rhs = views.unsqueeze(B, -1) if vector else B
    stack_of("solve", rhs, False)
    if not left:
        A, rhs = turned(A), turned(rhs)
    result = call(table.SOLVE, equal_stacks("solve", A, rhs))
    if vector:
        result = views.squeeze(result, -1)
    return into(result if left else turned(result), out)


@checked
def solve_ex(A: T, B: T, *, left: bool = True, check_errors: bool = False, out: Any = None) -> ResultAndInfo[T]:
    """The solutions of `A @ X = B`, and whether there is none; a singular matrix is no error.

    Args:
        A, B, left: As for `solve`.
        check_errors: Whether to wait, and raise an error for a singular matrix.
        out: A tensor of the result's shape and an int32 one of the stack's shape to write into.

    Returns:
        `result`, NaN where there is none, and `info`, int32: 1 there, else 0.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: LogMatrixDeterminant, SelectV2 and MatrixSolve. Like: torch.linalg.solve_ex.

    Examples:
        >>> result, info = at.linalg.solve_ex(at.tensor([[2.0, 0.0], [0.0, 4.0]]), at.tensor([2.0, 8.0]))
        >>> result
        tensor([1., 2.], device='npu:0')
    """
    linear("solve_ex", A, B)
    stack, size, _ = stack_of("solve_ex", A)
    if check_errors or not A.desc.numel:
        return put(waited(ResultAndInfo(solve(A, B, left=left), filled(A, stack, 0, d.int32)), A, check_errors), out)
    singular = _singular(A)
    result = solve(_where(singular, identity(A, size), A), B, left=left)
    mask = views.unsqueeze(singular, -1)
    none = comparison.where(mask if _is_vector(A, B) else views.unsqueeze(mask, -1), float("nan"), result)
    return put(ResultAndInfo(none, comparison.cast(singular, d.int32)), out)


@checked
def solve_triangular(A: T, B: T, *, upper: bool, left: bool = True, unitriangular: bool = False, out: T | None = None) -> T:
    """The solutions of `A @ X = B` with triangular matrices.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128; the other triangle is not looked at.
        B: (..., n, k) tensor of the same dtype; stacks broadcast.
        upper: Whether the matrices are upper triangular.
        left: False for `X @ A = B`.
        unitriangular: Whether the diagonal counts as ones.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor shaped as `B`, broadcast. A zero on the diagonal is an error of the queued work; PyTorch gives infinities.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixTriangularSolve. Like: torch.linalg.solve_triangular, scipy.linalg.solve_triangular.

    Examples:
        >>> at.linalg.solve_triangular(at.tensor([[1.0, 0.0], [1.0, 1.0]]), at.tensor([[1.0], [3.0]]), upper=False)
        tensor([[1.],
                [2.]], device='npu:0')
    """
    linear("solve_triangular", A, B)
    stack_of("solve_triangular", A)
    stack_of("solve_triangular", B, False)
    if not left:
        A, B, upper = turned(A), turned(B), not upper
    if unitriangular:
        A = _with_unit_diagonal(A, upper)
    result: T = call(table.TRIANGULAR_SOLVE, equal_stacks("solve_triangular", A, B), (not upper, False))
    return into(result if left else turned(result), out)


def _with_unit_diagonal(A: T, is_upper: bool) -> T:
    strict = upper(A, 1) if is_upper else lower(A, -1)
    return elementwise.add(strict, identity(A, A.desc.shape[-1]))


@checked
def tensorsolve(A: T, B: T, dims: Any = None, *, out: T | None = None) -> T:
    """The solution of `tensordot(A, X, X.ndim) = B`.

    Args:
        A: Tensor whose first lengths are the shape of `B`, and whose others have the same product.
        B: Tensor of the same dtype.
        dims: Dims of `A` that are moved behind the others before.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the other dims of `A`.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixSolve. Like: torch.linalg.tensorsolve, numpy.linalg.tensorsolve.

    Examples:
        >>> at.linalg.tensorsolve(at.eye(4).reshape(2, 2, 2, 2), at.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([[1., 2.],
                [3., 4.]], device='npu:0')
    """
    if dims is not None:
        moved = list(shapes.normalize_dims(tuple(dims), len(A.desc.shape)))
        A = views.permute(A, *(dim for dim in range(len(A.desc.shape)) if dim not in moved), *moved)
    columns = A.desc.shape[len(B.desc.shape) :]
    if prod(columns) != B.desc.numel or prod(A.desc.shape) != B.desc.numel**2:
        names = f"{list(A.desc.shape)} and {list(B.desc.shape)}"
        raise ShapeError(f"shapes {names} make no square system").with_context("tensorsolve", (A, B))
    size = B.desc.numel
    return into(views.reshape(solve(views.reshape(A, (size, size)), views.reshape(B, (size,))), columns), out)


# Cholesky factors


@checked
def cholesky(A: T, upper: bool = False, *, out: T | None = None) -> T:
    """The lower triangular L with `L @ L.mH = A` of each positive definite matrix.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128; the lower triangle counts, the upper one with `upper`.
        upper: Whether the upper triangular `L.mH` is given.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype. A matrix that is not positive definite is an error of the queued work; see `cholesky_ex`.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: Cholesky. Like: torch.linalg.cholesky, numpy.linalg.cholesky.

    Examples:
        >>> at.linalg.cholesky(at.tensor([[4.0, 2.0], [2.0, 5.0]]))
        tensor([[2., 0.],
                [1., 2.]], device='npu:0')
    """
    linear("cholesky", A)
    if not upper:
        return launch(table.CHOLESKY, A) if out is None else write(table.CHOLESKY, out, (A,))
    return into(adjoint(launch(table.CHOLESKY, adjoint(A))), out)


@checked
def cholesky_ex(A: T, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> FactorAndInfo[T]:
    """The Cholesky factor of each matrix, and whether it has none; that is no error.

    Args:
        A, upper: As for `cholesky`.
        check_errors: Whether to wait, and raise an error for a matrix without a factor.
        out: A tensor of the same shape and an int32 one of the stack's shape to write into.

    Returns:
        `L`, NaN where there is none, and `info`, int32: 1 there, else 0. PyTorch's is the order of the first minor that is not positive.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: IsFinite, ReduceAll, SelectV2, SelfAdjointEig and Cholesky. Like: torch.linalg.cholesky_ex.

    Examples:
        >>> factor, info = at.linalg.cholesky_ex(at.tensor([[1.0, 2.0], [2.0, 1.0]]))
        >>> info
        tensor(1, device='npu:0', dtype=ascendtensor.int32)
    """
    linear("cholesky_ex", A)
    stack, size, _ = stack_of("cholesky_ex", A)
    if check_errors or not A.desc.numel:
        return put(waited(FactorAndInfo(cholesky(A, upper), filled(A, stack, 0, d.int32)), A, check_errors), out)
    finite = every(comparison.isfinite(lower(adjoint(A) if upper else A)), (-2, -1))
    A = _where(comparison.logical_not(finite), identity(A, size), A)
    values, _ = call(table.EIGEN, (adjoint(A) if upper else A,), (False,))
    none = comparison.logical_not(comparison.logical_and(finite, comparison.gt(amin(real(values), -1), 0)))
    factor = cholesky(_where(none, identity(A, size), A), upper)
    return put(FactorAndInfo(_where(none, float("nan"), factor), comparison.cast(none, d.int32)), out)


@checked
def cholesky_solve(input: T, input2: T, upper: bool = False, *, out: T | None = None) -> T:
    """The solutions of `A @ X = input` by the Cholesky factors of A.

    Args:
        input: (..., n, k) tensor of float32, float64, complex64 or complex128.
        input2: (..., n, n) tensor of the same dtype, as `cholesky` gives it; stacks broadcast.
        upper: Whether the factors are upper triangular.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor shaped as `input`, broadcast.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Another dtype, or two.

    Ascend operator: MatrixTriangularSolve, twice. Like: torch.cholesky_solve, scipy.linalg.cho_solve.

    Examples:
        >>> at.cholesky_solve(at.tensor([[4.0], [3.0]]), at.tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([[1.],
                [3.]], device='npu:0')
    """
    linear("cholesky_solve", input2, input)
    stack_of("cholesky_solve", input2)
    stack_of("cholesky_solve", input, False)
    L, B = equal_stacks("cholesky_solve", input2, input)
    half = call(table.TRIANGULAR_SOLVE, (L, B), (not upper, upper))
    found = call(table.TRIANGULAR_SOLVE, (L, half), (not upper, not upper))
    return into(as_class(found, B.__class__), out)


@checked
def cholesky_inverse(input: T, upper: bool = False, *, out: T | None = None) -> T:
    """The inverse of each matrix by its Cholesky factor.

    Args:
        input: (..., n, n) tensor of float32, float64, complex64 or complex128, as `cholesky` gives it.
        upper: Whether the factors are upper triangular.
        out: Tensor of the same shape to write into.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: MatrixTriangularSolve and a matrix product. Like: torch.cholesky_inverse.

    Examples:
        >>> at.cholesky_inverse(at.tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([[0.2500, 0.0000],
                [0.0000, 1.0000]], device='npu:0')
    """
    linear("cholesky_inverse", input)
    stack, size, _ = stack_of("cholesky_inverse", input)
    half = call(table.TRIANGULAR_SOLVE, (input, identity(input, size, stack)), (not upper, False))
    return into(matmul(half, adjoint(half)) if upper else matmul(adjoint(half), half), out)
