"""The largest singular values of matrices that are nearly of low rank, by random projections: products and QR factors of thin matrices.

The method is that of Halko, Martinsson and Tropp, "Finding structure with randomness" (2009), algorithms 4.4 and 5.1, as in PyTorch.
"""

from __future__ import annotations

from operator import index as as_int
from typing import TypeVar, cast

from .base import TensorBase
from .errors import AscendTensorError, ValueRangeError
from .ops import reduction, views
from .ops.arguments import checked
from .ops.linalg.factors import qr, svd
from .ops.linalg.forms import adjoint, linear, stack_of
from .ops.linalg.matmul import matmul
from .ops.pointwise import elementwise
from .random import randn

T = TypeVar("T", bound=TensorBase)


@checked
def svd_lowrank(A: T, q: int | None = 6, niter: int = 2, M: T | None = None) -> tuple[T, T, T]:
    """The largest singular values of a matrix of low rank, and their vectors: `U @ diag(S) @ V.mH` is near `A - M`.

    Args:
        A: (..., m, n) tensor of float32, float64, complex64 or complex128.
        q: How many; a few more than the rank make it more exact. None for 6; at most `min(m, n)` are found.
        niter: How often the random vectors are multiplied with the matrix and its adjoint. More of it, where singular values fall slowly.
        M: What is subtracted first, a tensor that broadcasts to the shape of `A`, such as its mean; or None.

    Returns:
        `U` (..., m, q), `S` (..., q), of the real dtype and descending, `V` (..., n, q). They differ a little from call to call, unless
        `manual_seed` comes first.

    Raises:
        ShapeError: Less than two dims, or `M` does not broadcast.
        ValueRangeError: `q` is negative.
        DTypeError: Another dtype, or two.

    Ascend operator: composed of StatelessRandomNormalV2, MatMulV2, Qr and Svd. Like: torch.svd_lowrank.

    Examples:
        >>> U, S, V = at.svd_lowrank(at.tensor([[3.0, 0.0], [4.0, 0.0], [0.0, 0.0]]), q=1)
        >>> round(S.item(), 4)
        5.0
    """
    return _largest(A, 6 if q is None else q, niter, M, "svd_lowrank")


@checked
def pca_lowrank(A: T, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[T, T, T]:
    """The largest principal components of rows, by `svd_lowrank`: the columns of `V` are their directions, `A @ V` their coordinates.

    Args:
        A: (..., m, n) tensor: m samples of n numbers.
        q: How many; by default `min(6, m, n)`.
        center: Whether the means of the columns are subtracted first.
        niter: As of `svd_lowrank`.

    Returns:
        `U` (..., m, q), `S` (..., q), the roots of the variances times `m - 1`, and `V` (..., n, q).

    Raises:
        ShapeError: Less than two dims.
        ValueRangeError: `q` is negative or more than there are, or `niter` negative.
        DTypeError: Another dtype.

    Ascend operator: ReduceMean and those of `svd_lowrank`. Like: torch.pca_lowrank.

    Examples:
        >>> U, S, V = at.pca_lowrank(at.tensor([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]), q=1)
        >>> round(S.item(), 4)
        2.8284
    """
    linear("pca_lowrank", A)
    _, rows, columns = stack_of("pca_lowrank", A, False)
    most = min(rows, columns)
    if q is None:
        q = min(6, most)
    if not 0 <= q <= most:
        raise ValueRangeError(f"q must be from 0 to min(m, n) = {most}, not {q}", where="pca_lowrank")
    if niter < 0:
        raise ValueRangeError(f"niter must not be negative, but is {niter}", where="pca_lowrank")
    return _largest(elementwise.sub(A, reduction.mean(A, -2, True)) if center else A, q, niter, None, "pca_lowrank")


def _largest(A: T, q: int, niter: int, M: T | None, function: str) -> tuple[T, T, T]:
    linear(function, A, *(() if M is None else (M,)))
    _, rows, columns = stack_of(function, A, False)
    q = as_int(q)
    if q < 0:
        raise ValueRangeError(f"q must not be negative, but is {q}", where=function)
    if M is not None:
        try:
            A = elementwise.sub(A, views.broadcast_to(M, A.desc.shape))
        except AscendTensorError as error:
            raise error.with_context(function, (A, M)) from None
    tall = A if rows >= columns else adjoint(A)
    basis = _basis(tall, q, niter)
    left, values, right = svd(matmul(adjoint(basis), tall), False)
    left, right = matmul(basis, left), adjoint(right)
    return (left, values, right) if rows >= columns else (right, values, left)


def _basis(A: T, q: int, niter: int) -> T:
    """Orthogonal columns of which nearly all of the matrix is made; orthogonal again after each product, so that small ones stay."""
    vectors = cast(T, randn((A.desc.shape[-1], q), dtype=A.desc.dtype, device=A.desc.device))
    basis = qr(matmul(A, vectors)).Q
    for _ in range(niter):
        basis = qr(matmul(adjoint(A), basis)).Q
        basis = qr(matmul(A, basis)).Q
    return basis
