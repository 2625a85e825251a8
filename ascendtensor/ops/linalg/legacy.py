"""PyTorch's older functions, at its top level, where `torch.linalg` has others of the same name."""

# mypy: disable-error-code="no-any-return"
# (Results are named tuples of tensors.)

from __future__ import annotations

from typing import Any, TypeVar

from ... import shapes
from ...base import TensorBase, as_class
from ...errors import ShapeError, ValueRangeError
from ..arguments import checked
from ..operands import filled
from ..reduction import vector_norm
from ..shape import clone
from ..views import expand
from . import factors, norms, vectors
from . import systems as linalg
from .forms import (
    OrthogonalUpper,
    PackedFactors,
    PackedFactorsAndInfo,
    SingularValuesV,
    SolutionAndCoefficients,
    linear,
    put,
    stack_of,
    turned,
)

T = TypeVar("T", bound=TensorBase)


@checked
def qr(input: T, some: bool = True, *, out: Any = None) -> OrthogonalUpper[T]:
    """See `linalg.qr`, of mode "reduced", or "complete" without `some`. Ascend operator: Qr. Like: torch.qr.

    Examples:
        >>> q, r = at.qr(at.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> r.abs()
        tensor([[5.0000, 2.2000],
                [0.0000, 0.4000]], device='npu:0')
    """
    return factors.qr(input, "reduced" if some else "complete", out=out)


@checked
def svd(input: T, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> SingularValuesV[T]:
    """U, S and V with `U @ diag(S) @ V.mH = input`.

    Args:
        input: (..., m, n) tensor of float32, float64, complex64 or complex128.
        some: Whether U and V have min(m, n) vectors; else they are square.
        compute_uv: False for U and V of zeros.
        out: Three tensors of the results' shapes to write into.

    Returns:
        `U` and `V` (vectors as columns) and `S` (real, descending).

    Ascend operator: Svd. Like: torch.svd.

    Examples:
        >>> u, s, v = at.svd(at.tensor([[3.0, 0.0], [0.0, -4.0]]))
        >>> s
        tensor([4., 3.], device='npu:0')
    """
    linear("svd", input)
    if compute_uv:
        return put(SingularValuesV(*factors.singular(input, not some)), out)
    stack, rows, columns = stack_of("svd", input, False)
    values = factors.svdvals(input)
    return put(SingularValuesV(filled(input, (*stack, rows, rows), 0), values, filled(input, (*stack, columns, columns), 0)), out)


@checked
def lu(A: T, pivot: bool = True, get_infos: bool = False, *, out: Any = None) -> Any:
    """See `linalg.lu_factor`, and `linalg.lu_factor_ex` with `get_infos`. Ascend operator: Lu. Like: torch.lu.

    Examples:
        >>> factors, pivots = at.lu(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> pivots
        tensor([2, 2], device='npu:0', dtype=ascendtensor.int32)
    """
    found = factors.lu_factor_ex(A, pivot=pivot)
    return put(PackedFactorsAndInfo(*found) if get_infos else PackedFactors(*found[:2]), out)


@checked
def lu_solve(input: T, LU_data: T, LU_pivots: TensorBase, *, out: T | None = None) -> T:
    """See `linalg.lu_solve`, with the right side first. Ascend operator: MatrixTriangularSolve. Like: torch.lu_solve.

    Examples:
        >>> factors, pivots = at.linalg.lu_factor(at.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> at.lu_solve(at.tensor([[3.0], [4.0]]), factors, pivots)
        tensor([[1.],
                [1.]], device='npu:0')
    """
    return factors.lu_solve(LU_data, LU_pivots, input, out=out)


@checked
def triangular_solve(
    input: T, A: T, upper: bool = True, transpose: bool = False, unitriangular: bool = False, *, out: Any = None
) -> SolutionAndCoefficients[T]:
    """The solutions of `A @ X = input`, and a copy of A; `linalg.solve_triangular` is what PyTorch advises.

    Args:
        input: (..., n, k) tensor of float32, float64, complex64 or complex128.
        A: (..., n, n) tensor of the same dtype; stacks broadcast.
        upper, unitriangular: As for `linalg.solve_triangular`.
        transpose: Whether A is to be transposed.
        out: Two tensors of the results' shapes to write into.

    Returns:
        `solution` and `cloned_coefficient`.

    Ascend operator: MatrixTriangularSolve. Like: torch.triangular_solve.

    Examples:
        >>> solution, a = at.triangular_solve(at.tensor([[1.0], [3.0]]), at.tensor([[1.0, 0.0], [1.0, 1.0]]), upper=False)
        >>> solution
        tensor([[1.],
                [2.]], device='npu:0')
    """
    matrix = turned(A) if transpose else A
    solution = linalg.solve_triangular(matrix, input, upper=bool(upper) is not bool(transpose), unitriangular=unitriangular)
    stack = solution.desc.shape[:-2]
    solution = as_class(solution, input.__class__)
    return put(SolutionAndCoefficients(solution, clone(expand(A, (*stack, *A.desc.shape[-2:])))), out)


@checked
def pinverse(input: T, rcond: float = 1e-15) -> T:
    """See `linalg.pinv`; singular values below `rcond` times the largest count as 0. Ascend operator: Svd. Like: torch.pinverse.

    Examples:
        >>> at.pinverse(at.tensor([[2.0, 0.0]]))
        tensor([[0.5000],
                [0.0000]], device='npu:0')
    """
    return norms.pinv(input, rtol=rcond)


@checked
def cross(input: T, other: T, dim: int | None = None, *, out: T | None = None) -> T:
    """See `linalg.cross`; without `dim` along the first dim of length 3. Ascend operator: Cross. Like: torch.cross, numpy.cross.

    Examples:
        >>> at.cross(at.tensor([1, 0, 0]), at.tensor([0, 1, 0]))
        tensor([0, 0, 1], device='npu:0')
    """
    if dim is None:
        common = shapes.broadcast_shapes(input.desc.shape, other.desc.shape)
        if 3 not in common:
            raise ShapeError(f"no dim of shape {list(common)} has length 3").with_context("cross", (input, other))
        dim = common.index(3)
    return vectors.cross(input, other, dim=dim, out=out)


@checked
def norm(input: T, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: T | None = None, dtype: Any = None) -> T:
    """The p-norm of the elements over `dim`, as of one vector; "nuc" is the sum of a matrix's singular values.

    Args:
        input: Tensor of floating or complex dtype.
        p: A number, "fro" or None (which are 2), or "nuc" of two dims.
        dim: A dim, several, or None for all.
        keepdim: Whether reduced dims stay with length 1.
        out: Tensor of the result's shape to write into.
        dtype: Dtype that the operand is cast to before.

    Raises:
        ValueRangeError: Another string.
        ShapeError: "nuc" of another number of dims.
        DTypeError: The operand is of bool or integers.

    Ascend operator: that of `linalg.vector_norm`; Svd. Like: torch.norm, numpy.linalg.norm of a vector.

    Examples:
        >>> at.norm(at.tensor([3.0, 4.0]))
        tensor(5., device='npu:0')
    """
    if p == "nuc":
        dims = tuple(range(len(input.desc.shape))) if dim is None else dim
        return norms.matrix_norm(input, "nuc", dims, keepdim, dtype=dtype, out=out)
    if p is None or p == "fro":
        p = 2
    elif isinstance(p, str):
        raise ValueRangeError(f"p must be a number, 'fro' or 'nuc', not {p!r}", where="norm")
    return vector_norm(input, p, dim, keepdim, dtype=dtype, out=out)
