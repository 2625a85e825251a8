"""The extension `linalg` of the standard."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, Generic, TypeVar

from .. import dtypes as d
from ..dtypes import dtype as DType
from ..interop.functions import linalg as numpy_linalg
from ..ops import reduction, shape, views
from ..ops.arguments import checked
from ..ops.linalg import eigen, factors, norms, products, systems, vectors
from ..ops.linalg.factors import eigvalsh, svdvals
from ..ops.linalg.systems import det, inv
from ..ops.results import NamedTuple
from .array import NPUTensor, same_dtype
from .manipulation import matmul, matrix_transpose, tensordot, vecdot

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
__dir__ = __all__.copy

T = TypeVar("T", bound=NPUTensor)
R = TypeVar("R")


class Eigen(NamedTuple, Generic[R]):
    """Eigenvalues and, in columns, eigenvectors."""

    eigenvalues: R
    eigenvectors: R


class QR(NamedTuple, Generic[R]):
    """An orthonormal and an upper triangular factor."""

    Q: R
    R: R


class SignAndLog(NamedTuple, Generic[R]):
    """The sign of determinants and the logarithm of their absolute values."""

    sign: R
    logabsdet: R


class SVD(NamedTuple, Generic[R]):
    """Left singular vectors, singular values, right singular vectors in rows."""

    U: R
    S: R
    Vh: R


def cholesky(x: T, /, *, upper: bool = False) -> T:
    """The triangular factor of positive definite matrices. Like: numpy.linalg.cholesky.

    Examples:
        >>> xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
        tensor([[2., 0.],
                [1., 2.]], device='npu:0')
    """
    return systems.cholesky(x, upper)


@checked
def cross(x1: T, x2: T, /, *, axis: int = -1) -> T:
    """Cross products of 3-element vectors. Like: numpy.linalg.cross.

    Examples:
        >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
        tensor([0, 0, 1], device='npu:0')
    """
    left, right = views.broadcast_tensors(*same_dtype(x1, x2))
    return vectors.cross(left, right, dim=axis)


def diagonal(x: T, /, *, offset: int = 0) -> T:
    """The diagonals of matrices, a view. Like: numpy.linalg.diagonal.

    Examples:
        >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
        tensor([1, 4], device='npu:0')
    """
    return systems.diagonal(x, offset=offset)


def eig(x: T, /) -> Eigen[T]:
    """Eigenvalues and eigenvectors of any square matrices. Like: numpy.linalg.eig.

    Examples:
        >>> xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
        tensor([2.+0.j, 3.+0.j], device='npu:0')
    """
    return Eigen(*eigen.eig(x))


def eigvals(x: T, /) -> T:
    """Eigenvalues of any square matrices. Like: numpy.linalg.eigvals.

    Examples:
        >>> xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
        tensor([2.+0.j, 3.+0.j], device='npu:0')
    """
    return eigen.eigvals(x)


def eigh(x: T, /) -> Eigen[T]:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices. Like: numpy.linalg.eigh.

    Examples:
        >>> xp.linalg.eigh(xp.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
        tensor([2., 3.], device='npu:0')
    """
    return Eigen(*factors.eigh(x))


def matrix_norm(x: T, /, *, keepdims: bool = False, ord: Any = "fro") -> T:
    """Norms of matrices. Like: numpy.linalg.matrix_norm.

    Examples:
        >>> xp.linalg.matrix_norm(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5., device='npu:0')
    """
    return norms.matrix_norm(x, ord, (-2, -1), keepdims)


def matrix_power(x: T, n: int, /) -> T:
    """Square matrices to an integer power. Like: numpy.linalg.matrix_power.

    Examples:
        >>> xp.linalg.matrix_power(xp.asarray([[1.0, 1.0], [1.0, 0.0]]), 5)
        tensor([[8., 5.],
                [5., 3.]], device='npu:0')
    """
    return products.matrix_power(x, n)


def matrix_rank(x: T, /, *, rtol: Any = None) -> T:
    """Numbers of singular values above `rtol` times the greatest. Like: numpy.linalg.matrix_rank.

    Examples:
        >>> xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]]))
        tensor(1, device='npu:0')
    """
    return norms.matrix_rank(x, rtol=rtol)


@checked
def outer(x1: T, x2: T, /) -> T:
    """Products of all pairs of elements of two vectors. Like: numpy.linalg.outer.

    Examples:
        >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4]))
        tensor([[3, 4],
                [6, 8]], device='npu:0')
    """
    left, right = same_dtype(x1, x2)
    return left[:, None] * right[None, :]


def pinv(x: T, /, *, rtol: Any = None) -> T:
    """Pseudo-inverses. Like: numpy.linalg.pinv.

    Examples:
        >>> xp.linalg.pinv(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]], device='npu:0')
    """
    return norms.pinv(x, rtol=rtol)


def qr(x: T, /, *, mode: str = "reduced") -> QR[T]:
    """Orthonormal and triangular factors. Like: numpy.linalg.qr.

    Examples:
        >>> xp.abs(xp.linalg.qr(xp.asarray([[3.0, 1.0], [4.0, 2.0]])).R)
        tensor([[5.0000, 2.2000],
                [0.0000, 0.4000]], device='npu:0')
    """
    return QR(*factors.qr(x, mode))


def slogdet(x: T, /) -> SignAndLog[T]:
    """Signs and logarithms of determinants. Like: numpy.linalg.slogdet.

    Examples:
        >>> xp.linalg.slogdet(xp.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign
        tensor(-1., device='npu:0')
    """
    return SignAndLog(*systems.slogdet(x))


@checked
def solve(x1: T, x2: T, /) -> T:
    """Solutions of systems of linear equations; `x2` is one vector, or matrices. Like: numpy.linalg.solve.

    Examples:
        >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
        tensor([1., 2.], device='npu:0')
    """
    x1, x2 = same_dtype(x1, x2)
    if x2.ndim == 1:
        stack = x1.shape[:-2]
        return systems.solve(x1, x2[:, None].expand(*stack, x2.shape[0], 1))[..., 0]
    return systems.solve(x1, x2)


def svd(x: T, /, *, full_matrices: bool = True) -> SVD[T]:
    """Singular value decompositions. Like: numpy.linalg.svd.

    Examples:
        >>> xp.linalg.svd(xp.asarray([[3.0, 0.0], [0.0, -4.0]])).S
        tensor([4., 3.], device='npu:0')
    """
    return SVD(*factors.svd(x, full_matrices))


@checked
def trace(x: T, /, *, offset: int = 0, dtype: DType | None = None) -> T:
    """Sums along diagonals. Like: numpy.linalg.trace.

    Examples:
        >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
        tensor(5, device='npu:0')
    """
    if dtype is None and x.desc.dtype.category == d.INTEGER and not x.desc.dtype.is_signed:
        dtype = d.uint64
    return reduction.sum(shape.clone(systems.diagonal(x, offset=offset)), -1, dtype=dtype)


@checked
def vector_norm(x: T, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> T:
    """Norms of vectors along axes, of all elements if None. Like: numpy.linalg.vector_norm.

    Examples:
        >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0]))
        tensor(5., device='npu:0')
    """
    return numpy_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
