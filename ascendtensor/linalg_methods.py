"""Matrix products and linear algebra as methods; each calls the function of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .base import TensorBase
from .interop.functions import linalg as as_numpy
from .ops.linalg import legacy, matmul, products, vectors
from .ops.linalg import systems as linalg

if TYPE_CHECKING:
    from typing_extensions import Self

    from .ops.linalg.forms import OrthogonalUpper, SignAndLog, SingularValuesV, SolutionAndCoefficients

_Int: TypeAlias = int  # the tensor class has methods of these names
_Float: TypeAlias = float
_Bool: TypeAlias = bool


class LinalgMethods(TensorBase):
    """Matrix products and linear algebra."""

    __slots__ = ()

    def addbmm(self, batch1: Self, batch2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """See `addbmm`."""
        return matmul.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addbmm_(self, batch1: Self, batch2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """`addbmm`, written into the tensor itself."""
        return matmul.addbmm(self, batch1, batch2, beta=beta, alpha=alpha, out=self)

    def addmm(self, mat1: Self, mat2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """See `addmm`."""
        return matmul.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmm_(self, mat1: Self, mat2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """`addmm`, written into the tensor itself."""
        return matmul.addmm(self, mat1, mat2, beta=beta, alpha=alpha, out=self)

    def addmv(self, mat: Self, vec: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """See `addmv`."""
        return matmul.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addmv_(self, mat: Self, vec: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """`addmv`, written into the tensor itself."""
        return matmul.addmv(self, mat, vec, beta=beta, alpha=alpha, out=self)

    def addr(self, vec1: Self, vec2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """See `addr`."""
        return matmul.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def addr_(self, vec1: Self, vec2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """`addr`, written into the tensor itself."""
        return matmul.addr(self, vec1, vec2, beta=beta, alpha=alpha, out=self)

    def baddbmm(self, batch1: Self, batch2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """See `baddbmm`."""
        return matmul.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def baddbmm_(self, batch1: Self, batch2: Self, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """`baddbmm`, written into the tensor itself."""
        return matmul.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha, out=self)

    def bmm(self, mat2: Self) -> Self:
        """See `bmm`."""
        return matmul.bmm(self, mat2)

    def cholesky(self, upper: _Bool = False) -> Self:
        """See `linalg.cholesky`."""
        return linalg.cholesky(self, upper)

    def cholesky_inverse(self, upper: _Bool = False) -> Self:
        """See `cholesky_inverse`."""
        return linalg.cholesky_inverse(self, upper)

    def cholesky_solve(self, input2: Self, upper: _Bool = False) -> Self:
        """See `cholesky_solve`."""
        return linalg.cholesky_solve(self, input2, upper)

    def corrcoef(self) -> Self:
        """See `corrcoef`."""
        return vectors.corrcoef(self)

    def cov(self, *, correction: _Int = 1, fweights: Self | None = None, aweights: Self | None = None) -> Self:
        """See `cov`."""
        return vectors.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def cross(self, other: Self, dim: _Int | None = None) -> Self:
        """See `cross`."""
        return legacy.cross(self, other, dim)

    def det(self) -> Self:
        """See `linalg.det`."""
        return linalg.det(self)

    def dist(self, other: Self, p: _Float = 2) -> Self:
        """See `dist`."""
        return vectors.dist(self, other, p)

    def dot(self, tensor: Any) -> Self:
        """See `dot`; of other than vectors as in NumPy."""
        vectors = isinstance(tensor, TensorBase) and len(tensor.desc.shape) == 1 == len(self.desc.shape)
        result: Self = matmul.dot(self, tensor) if vectors else as_numpy.dot(self, tensor)
        return result

    def ger(self, vec2: Self) -> Self:
        """See `ger`."""
        return matmul.ger(self, vec2)

    def inner(self, other: Self) -> Self:
        """See `inner`."""
        return matmul.inner(self, other)

    def inverse(self) -> Self:
        """See `linalg.inv`."""
        return linalg.inv(self)

    def kron(self, other: Self) -> Self:
        """See `kron`."""
        return matmul.kron(self, other)

    def logdet(self) -> Self:
        """See `logdet`."""
        return linalg.logdet(self)

    def lu(self, pivot: _Bool = True, get_infos: _Bool = False) -> Any:
        """See `lu`."""
        return legacy.lu(self, pivot, get_infos)

    def lu_solve(self, LU_data: Self, LU_pivots: Self) -> Self:
        """See `lu_solve`."""
        return legacy.lu_solve(self, LU_data, LU_pivots)

    def matmul(self, other: Self) -> Self:
        """See `matmul`."""
        return matmul.matmul(self, other)

    def matrix_exp(self) -> Self:
        """See `linalg.matrix_exp`."""
        return products.matrix_exp(self)

    def matrix_power(self, n: _Int) -> Self:
        """See `linalg.matrix_power`."""
        return products.matrix_power(self, n)

    def mm(self, mat2: Self) -> Self:
        """See `mm`."""
        return matmul.mm(self, mat2)

    def mv(self, vec: Self) -> Self:
        """See `mv`."""
        return matmul.mv(self, vec)

    def norm(self, p: Any = "fro", dim: Any = None, keepdim: _Bool = False, dtype: Any = None) -> Self:
        """See `norm`."""
        return legacy.norm(self, p, dim, keepdim, dtype=dtype)

    def outer(self, vec2: Self) -> Self:
        """See `outer`."""
        return matmul.outer(self, vec2)

    def pinverse(self, rcond: _Float = 1e-15) -> Self:
        """See `pinverse`."""
        return legacy.pinverse(self, rcond)

    def qr(self, some: _Bool = True) -> OrthogonalUpper[Self]:
        """See `qr`."""
        return legacy.qr(self, some)

    def renorm(self, p: _Float, dim: _Int, maxnorm: _Float) -> Self:
        """See `renorm`."""
        return vectors.renorm(self, p, dim, maxnorm)

    def renorm_(self, p: _Float, dim: _Int, maxnorm: _Float) -> Self:
        """`renorm`, written into the tensor itself."""
        return vectors.renorm(self, p, dim, maxnorm, out=self)

    def slogdet(self) -> SignAndLog[Self]:
        """See `linalg.slogdet`."""
        return linalg.slogdet(self)

    def svd(self, some: _Bool = True, compute_uv: _Bool = True) -> SingularValuesV[Self]:
        """See `svd`."""
        return legacy.svd(self, some, compute_uv)

    def trace(self, offset: _Int = 0, axis1: _Int = 0, axis2: _Int = 1, dtype: Any = None) -> Self:
        """See `trace`; of other diagonals, or of more than two dimensions, as in NumPy."""
        if offset or len(self.desc.shape) > 2 or dtype is not None:
            found: Self = as_numpy.trace(self, offset, axis1, axis2, dtype)
            return found
        return matmul.trace(self)

    def triangular_solve(
        self, A: Self, upper: _Bool = True, transpose: _Bool = False, unitriangular: _Bool = False
    ) -> SolutionAndCoefficients[Self]:
        """See `triangular_solve`."""
        return legacy.triangular_solve(self, A, upper, transpose, unitriangular)

    def vdot(self, other: Self) -> Self:
        """See `vdot`."""
        return matmul.vdot(self, other)
