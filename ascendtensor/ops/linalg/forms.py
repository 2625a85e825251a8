"""What the functions of linear algebra share: their named results, and identities, triangles, adjoints and equal stacks."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import ml_dtypes

from ... import dtypes as d
from ... import shapes
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import DTypeError, ShapeError
from .. import indexing, shape, views
from ..arguments import require_tensor
from ..call import plain
from ..operands import filled
from ..pointwise import comparison
from ..pointwise.complex_numbers import conj
from ..results import NamedTuple
from ..table.linalg import LINEAR, matrix_shape
from ..writing import into_all

T = TypeVar("T", bound=TensorBase)
R = TypeVar("R")

_LINEAR: Final = frozenset(LINEAR)
_limits: Any = ml_dtypes.finfo  # without a type for bfloat16 in NumPy's


class SignAndLog(NamedTuple, Generic[R]):
    """A determinant's sign and the logarithm of its absolute value. Like: torch.return_types.linalg_slogdet."""

    sign: R
    logabsdet: R


class InverseAndInfo(NamedTuple, Generic[R]):
    """An inverse, and 1 for each matrix that has none. Like: torch.return_types.linalg_inv_ex."""

    inverse: R
    info: R


class ResultAndInfo(NamedTuple, Generic[R]):
    """A solution, and 1 for each matrix that has none. Like: torch.return_types.linalg_solve_ex."""

    result: R
    info: R


class FactorAndInfo(NamedTuple, Generic[R]):
    """A Cholesky factor, and 1 for each matrix that has none. Like: torch.return_types.linalg_cholesky_ex."""

    L: R
    info: R


class SolutionAndCoefficients(NamedTuple, Generic[R]):
    """A solution, and a copy of the matrix. Like: torch.return_types.triangular_solve."""

    solution: R
    cloned_coefficient: R


class LeastSquares(NamedTuple, Generic[R]):
    """What `lstsq` gives. Like: torch.return_types.linalg_lstsq."""

    solution: R
    residuals: R
    rank: R
    singular_values: R


class OrthogonalUpper(NamedTuple, Generic[R]):
    """An orthogonal and an upper triangular factor. Like: torch.return_types.linalg_qr."""

    Q: R
    R: R


class SingularValues(NamedTuple, Generic[R]):
    """Left vectors, singular values, right vectors as rows. Like: torch.return_types.linalg_svd."""

    U: R
    S: R
    Vh: R


class SingularValuesV(NamedTuple, Generic[R]):
    """Left vectors, singular values, right vectors as columns. Like: torch.return_types.svd."""

    U: R
    S: R
    V: R


class Eigen(NamedTuple, Generic[R]):
    """Eigenvalues, and eigenvectors as columns. Like: torch.return_types.linalg_eigh."""

    eigenvalues: R
    eigenvectors: R


class PermutedFactors(NamedTuple, Generic[R]):
    """A permutation matrix, a lower and an upper triangular factor. Like: torch.return_types.linalg_lu."""

    P: R
    L: R
    U: R


class PackedFactors(NamedTuple, Generic[R]):
    """Both triangular factors in one matrix, and the exchanges of rows. Like: torch.return_types.linalg_lu_factor."""

    LU: R
    pivots: R


class PackedFactorsAndInfo(NamedTuple, Generic[R]):
    """The same, and 0 for each matrix. Like: torch.return_types.linalg_lu_factor_ex."""

    LU: R
    pivots: R
    info: R


def linear(function: str, *operands: TensorBase) -> None:
    """Refuse what linear algebra can't be done with, and operands of different dtypes.

    Raises:
        DTypeError: bool, integers, half types; two dtypes; no tensor.
    """
    for operand in operands:
        require_tensor(operand, "an operand", function)
        dtype = operand.desc.dtype
        if dtype not in _LINEAR:
            kind = "low precision dtypes are" if dtype.category >= d.FLOATING else "a floating or complex dtype is needed;"
            text = f"{kind} not {dtype.name}" if dtype.category < d.FLOATING else f"{kind} not supported, {dtype.name} is one"
            raise DTypeError(text, advice="Cast with .to(float32) first.").with_context(function, operands)
        if dtype is not operands[0].desc.dtype:
            names = f"{operands[0].desc.dtype.name} and {dtype.name}"
            raise DTypeError(f"the operands have to have one dtype, not {names}").with_context(function, operands)


def stack_of(function: str, operand: TensorBase, square: bool = True) -> tuple[tuple[int, ...], int, int]:
    """Stack, rows and columns of (a stack of) matrices.

    Raises:
        ShapeError: Less than two dims, or not square.
    """
    try:
        return matrix_shape(operand.desc.shape, square)
    except ShapeError as error:
        raise error.with_context(function, (operand,)) from None


def turned(matrix: T) -> T:
    """The transposed matrices, a view."""
    return views.transpose(matrix, -2, -1)


def adjoint(matrix: T) -> T:
    """The transposed and conjugated matrices; a view where they are real."""
    return conj(turned(matrix))


def identity(like: T, size: int, stack: Sequence[int] = ()) -> T:
    """Ones on the diagonal, of another tensor's dtype and device."""
    whole: T = filled(like, (*stack, size, size), 0)
    if whole.desc.numel:
        indexing.fill(views.diagonal(whole, 0, -2, -1), 1)
    return whole


def _part(matrix: T, diagonal: int, lower: bool) -> T:
    function = shape.tril if lower else shape.triu
    if not matrix.desc.dtype.is_complex:
        return function(matrix, diagonal)
    kept = function(filled(matrix, matrix.desc.shape[-2:], 1, d.uint8), diagonal)
    return comparison.where(comparison.cast(kept, d.bool_), matrix, 0)


def lower(matrix: T, diagonal: int = 0) -> T:
    """The lower triangle, also of complex matrices, for which Tril has no kernel."""
    return _part(matrix, diagonal, True)


def upper(matrix: T, diagonal: int = 0) -> T:
    """The upper triangle, also of complex matrices."""
    return _part(matrix, diagonal, False)


def real(values: T) -> T:
    """The real parts, in memory of their own; a real tensor itself."""
    return plain(views.real(values)) if values.desc.dtype.is_complex else values


def equal_stacks(function: str, *matrices: T) -> tuple[T, ...]:
    """The matrices with their stacks broadcast.

    Raises:
        ShapeError: The stacks do not broadcast.
    """
    stacks = [matrix.desc.shape[:-2] for matrix in matrices]
    try:
        common = shapes.broadcast_shapes(*stacks)
    except ShapeError as error:
        raise error.with_context(function, matrices) from None
    return tuple(
        matrix if stack == common else views.expand(matrix, (*common, *matrix.desc.shape[-2:]))
        for stack, matrix in zip(stacks, matrices, strict=True)
    )


put: Final = into_all
"""Several results, in the tensors of `out`."""


def epsilon(dtype: DType) -> float:
    """The distance of 1 from the next larger number."""
    return float(_limits(dtype.to_real().numpy).eps)


def waited(results: Any, like: TensorBase, wanted: bool) -> Any:
    """The results, where wanted after the work queued so far, so that its errors are raised here."""
    if wanted:
        like.desc.device.current_stream().synchronize()
    return results
