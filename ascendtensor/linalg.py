"""Functions of linear algebra, by PyTorch's names. Like: torch.linalg."""

from __future__ import annotations

from .absent import in_module
from .errors import LinAlgError
from .ops.linalg.eigen import eig, eigvals
from .ops.linalg.factors import (
    eigh,
    eigvalsh,
    householder_product,
    ldl_factor,
    ldl_factor_ex,
    ldl_solve,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    qr,
    svd,
    svdvals,
)
from .ops.linalg.matmul import matmul, vecdot
from .ops.linalg.norms import cond, lstsq, matrix_norm, matrix_rank, norm, pinv
from .ops.linalg.products import matrix_exp, matrix_power, multi_dot, vander
from .ops.linalg.systems import (
    cholesky,
    cholesky_ex,
    det,
    diagonal,
    inv,
    inv_ex,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from .ops.linalg.vectors import cross
from .ops.reduction import vector_norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
__dir__ = __all__.copy
__getattr__ = in_module(__name__)
