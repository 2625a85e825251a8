"""Records of linear algebra: determinants, systems, factorisations, norms, distances, covariances.

Factors are not unique, so those functions are looked at through what their factors make: `Q @ R`, and Q's product with its adjoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INTS, SAME, Array, Record, Refused, With, array, d

from ascendtensor import linalg
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.linalg import legacy, matmul, systems, vectors
from ascendtensor.ops.linalg.factors import lu_unpack
from ascendtensor.ops.linalg.products import chain_matmul
from ascendtensor.ops.pointwise import complex_numbers, elementwise
from ascendtensor.ops.table import linalg as table

LINEAR = (d.float32, d.float64, *COMPLEX)
REFUSED = (d.float16, d.bfloat16, d.int64, d.bool_)
NEAR = {d.float32: (2e-4, 2e-4), d.complex64: (2e-4, 2e-4), d.float64: (1e-10, 1e-10), d.complex128: (1e-10, 1e-10)}
SQUARE: tuple[tuple[int, ...], ...] = ((3, 3), (1, 1), (2, 4, 4), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 3, 3), (7, 7))
ANY: tuple[tuple[int, ...], ...] = ((5, 3), (3, 5), (4, 4), (2, 5, 2), (2, 1, 2, 5), (1, 1))


def REAL(dtype: DType) -> DType:
    """The result is real."""
    return dtype.to_real()


def turned(values: Array) -> Array:
    return values.swapaxes(-1, -2)


def plus(dtype: DType, shape: tuple[int, ...], key: Any = 0) -> Array:
    """Matrices that are far from singular."""
    values = array(dtype, shape, -2, 2, key)
    return (values + 4 * np.eye(*shape[-2:], dtype=dtype.numpy)).astype(dtype.numpy)


def positive(dtype: DType, shape: tuple[int, ...]) -> Array:
    """Hermitian, positive definite matrices."""
    values = array(dtype, shape, -2, 2)
    wide = values.astype(np.complex128 if dtype.is_complex else np.float64)
    return np.asarray(wide @ turned(wide).conj() + 2 * np.eye(shape[-1])).astype(dtype.numpy)


def matrices(*shapes: tuple[int, ...], make: Callable[..., Array] = plus) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for shape in shapes:
            yield (make(dtype, shape),)
        if dtype in LINEAR:
            whole = make(dtype, (6, 6))
            yield (turned(whole),)
            if make is plus:
                yield (whole[::2, 1:4],)

    return samples


def pairs(*shapes: tuple[tuple[int, ...], ...], **keywords: Any) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for left, right in shapes:
            yield With((plus(dtype, left), array(dtype, right, -2, 2, "right")), keywords)

    return samples


def linear(name: str, function: Callable[..., Any], reference: Callable[..., Any], samples: Any, rows: Any = (), **more: Any) -> Record:
    settings: dict[str, Any] = {"dtypes": LINEAR, "result": SAME, "tolerances": NEAR, "refuses": REFUSED, **more}
    return Record(name, function, reference, samples, rows, **settings)


def not_square() -> list[Refused]:
    return [Refused((np.ones((2, 3), np.float32),), ValueError, r"\[2, 3\]"), Refused((np.ones(3, np.float32),), ValueError, r"\[3\]")]


def flat() -> list[Refused]:
    return [Refused((np.ones(3, np.float32),), ValueError, r"two dims.*\[3\]")]


def logarithm(A: Array) -> Array:
    """Of a determinant, which itself may be beyond float64."""
    sign, size = np.linalg.slogdet(A)
    return np.asarray(np.log(sign) + size)


# Systems


def solutions(A: Array, B: Array) -> Array:
    """Of matrices of right sides; NumPy before 2 takes those of one dimension less than `A` for vectors."""
    stack = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return np.linalg.solve(np.broadcast_to(A, (*stack, *A.shape[-2:])), np.broadcast_to(B, (*stack, *B.shape[-2:])))


def solved(A: Array, B: Array) -> Array:
    vector = B.ndim == 1 or B.shape == A.shape[:-1]
    return solutions(A, B[..., None])[..., 0] if vector else solutions(A, B)


def solved_or_nan(A: Array, B: Array) -> Array:
    try:
        return solved(A, B)
    except np.linalg.LinAlgError:
        if A.ndim > 2:
            raise
        return np.full(solved(np.eye(same_size(A)), B).shape, np.nan)


def refused_systems() -> list[Refused]:
    one = np.eye(3, dtype=np.float32)
    return [
        Refused((one, np.ones((4, 2), np.float32)), ValueError, r"\[3, 3\].*\[4, 2\]"),
        Refused((one[:2], one), ValueError, "square"),
        Refused((one, np.ones((3, 1), np.float64)), TypeError, "float32 and float64"),
        Refused((np.ones((2, 3, 3), np.float32), np.ones((5, 3, 1), np.float32)), ValueError, "broadcast"),
    ]


def triangular(A: Array, B: Array, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Array:
    """By substitution: what lies behind an infinity or NaN does not reach the rows before it."""
    if not left:
        return turned(triangular(turned(A), turned(B), upper=not upper, unitriangular=unitriangular))
    size = same_size(A)
    if B.shape[-2] != size:
        raise ValueError(f"{B.shape[-2]} rows for {size}")
    stack = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    result = np.array(np.broadcast_to(B, (*stack, *B.shape[-2:])))
    for row in reversed(range(size)) if upper else range(size):
        if not unitriangular:
            result[..., row, :] /= A[..., row, row, None]
        rest = slice(0, row) if upper else slice(row + 1, size)
        result[..., rest, :] -= A[..., rest, row, None] * result[..., row, None, :]
    return result


def same_size(A: Array) -> int:
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise ValueError(f"{rows} rows and {columns} columns")
    return rows


def singular_values(A: Array) -> Array:
    """NaN for matrices that are not finite, for which LAPACK may take forever."""
    bad = ~np.isfinite(A).all((-2, -1))
    values = np.linalg.svd(np.where(bad[..., None, None], 0, A), compute_uv=False)
    return np.where(bad[..., None], np.nan, values)


def or_nan(function: Callable[..., Array]) -> Callable[..., Array]:
    """What a function gives for each matrix, NaN for those of a stack that it refuses; the factors of others are not touched."""

    def reference(A: Array, *rest: Any) -> Array:
        size = same_size(A)
        result = np.empty(A.shape, A.dtype)
        for place in np.ndindex(A.shape[:-2]):
            try:
                result[place] = function(A[place], *rest)
            except np.linalg.LinAlgError:
                result[place] = np.nan
        return result if size else np.array(A)

    return reference


def triangular_systems(dtype: DType) -> Iterator[Any]:
    for upper in (False, True):
        for more in ({}, {"unitriangular": True}):
            yield With((plus(dtype, (4, 4)), array(dtype, (4, 2), -2, 2)), {"upper": upper, **more})
        yield With((plus(dtype, (2, 3, 3)), array(dtype, (2, 2, 3), -2, 2)), {"upper": upper, "left": False})
    yield With((plus(dtype, (2, 3, 3)), array(dtype, (3, 2), -2, 2)), {"upper": True})
    # More rows than are solved at once.
    yield With((plus(dtype, (100, 100)) + 40 * np.eye(100, dtype=dtype.numpy), array(dtype, (100, 3), -2, 2)), {"upper": True})
    yield With((np.ones((0, 0), dtype.numpy), np.ones((0, 2), dtype.numpy)), {"upper": True})


def by_factor(B: Any, A: Any, upper: bool = False) -> Any:
    return systems.cholesky_solve(B, systems.cholesky(A, upper), upper)


def hermitian(A: Array, upper: bool = False) -> Array:
    """Of one triangle, with a Cholesky factor, or refused."""
    half = np.triu(A, 1) if upper else turned(np.tril(A, -1)).conj()
    whole = half + turned(half).conj() + A.real * np.eye(same_size(A))
    np.linalg.cholesky(whole)
    return np.asarray(whole)


def positive_systems(dtype: DType) -> Iterator[Any]:
    for upper in (False, True):
        yield array(dtype, (3, 2), -2, 2), positive(dtype, (3, 3)), upper
        yield array(dtype, (2, 3, 1), -2, 2), positive(dtype, (3, 3)), upper


def least_squares(A: Any, B: Any, *rest: Any, **keywords: Any) -> tuple[Any, Any]:
    found = linalg.lstsq(A, B, *rest, **keywords)
    return found.solution, found.residuals


def shortest(A: Array, B: Array, rcond: Any = None, driver: Any = None) -> tuple[Array, Array]:
    cut = max(A.shape[-2:]) * 1e-7 if rcond is None else rcond
    rhs = B if B.ndim == A.ndim else B[..., None]
    solution = pseudo_inverse(A, 0.0, cut) @ rhs if A.size else np.zeros((*A.shape[:-2], A.shape[-1], rhs.shape[-1]))
    residuals = np.zeros(0)
    full = (
        (singular_values(A) > 1e-6 * singular_values(A).max(-1, keepdims=True, initial=0)).sum(-1).min(initial=A.shape[-1]) == A.shape[-1]
        if A.size
        else False
    )
    if A.shape[-2] > A.shape[-1] and driver in ("gels", "gelsd") and full:
        residuals = (np.abs(A @ solution - rhs) ** 2).sum(-2)
    return solution if B.ndim == A.ndim else solution[..., 0], residuals


def overdetermined(dtype: DType) -> Iterator[Any]:
    for driver in (None, "gels", "gelsd"):
        for left, right in (((5, 3), (5, 2)), ((5, 3), (5,)), ((2, 5, 3), (2, 5, 2)), ((3, 5), (3, 2))):
            yield With((plus(dtype, left), array(dtype, right, -2, 2)), {"driver": driver})
    poor = array(dtype, (5, 1), 1, 2) * array(dtype, (1, 3), 1, 2)
    yield With((poor.astype(dtype.numpy), array(dtype, (5, 2), -2, 2), 1e-3), {"driver": "gelsd"})
    yield With((np.ones((0, 3), dtype.numpy), np.ones((0, 2), dtype.numpy)), {})


# Factors


def orthogonal(A: Any, mode: str) -> tuple[Any, Any]:
    q, r = linalg.qr(A, mode)
    return matmul.matmul(q, r), matmul.matmul(complex_numbers.adjoint(q), q)


def orthogonals(dtype: DType) -> Iterator[Any]:
    for mode in ("reduced", "complete"):
        for shape in ANY:
            yield array(dtype, shape), mode


def orthogonals_expected(A: Array, mode: str) -> tuple[Array, Array]:
    size = A.shape[-2] if mode == "complete" else min(A.shape[-2:])
    return A, np.broadcast_to(np.eye(size), (*A.shape[:-2], size, size))


def reflections(dtype: DType) -> Iterator[Any]:
    for shape, count in (((5, 3), 3), ((4, 4), 4), ((2, 5, 3), 2), ((3, 1), 0)):
        yield array(dtype, shape), (array(dtype, (*shape[:-2], count), 0, 1))


def reflected(A: Array, tau: Array) -> Array:
    rows, columns = A.shape[-2:]
    result = np.broadcast_to(np.eye(rows), (*A.shape[:-2], rows, rows))
    for place in range(tau.shape[-1]):
        vector = A[..., place].copy()
        vector[..., :place], vector[..., place] = 0, 1
        result = result @ (np.eye(rows) - tau[..., place, None, None] * vector[..., :, None] * vector.conj()[..., None, :])
    return result[..., :columns]


def refused_reflections() -> list[Refused]:
    one = np.ones((2, 3), np.float32)
    return [Refused((one, one[0, :2]), ValueError, r"\[2, 3\] and \[2\]"), Refused((one.T, one), ValueError, "do not fit")]


def rebuilt(A: Any, full: bool) -> tuple[Any, Any]:
    u, s, vh = linalg.svd(A, full)
    size = s.shape[-1]
    values = s.to(u.dtype)
    return matmul.matmul(elementwise.mul(u[..., :size], values.unsqueeze(-2)), vh[..., :size, :]), s


def rebuilt_expected(A: Array, full: bool) -> tuple[Array, Array]:
    return A, singular_values(A)


def with_flag(shapes: Any = ANY) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for flag in (True, False):
            for shape in shapes:
                yield array(dtype, shape), flag

    return samples


def rebuilt_eigen(A: Any, uplo: str) -> tuple[Any, Any]:
    values, vectors = linalg.eigh(A, uplo)
    scaled = elementwise.mul(vectors, values.to(vectors.dtype).unsqueeze(-2))
    return values, matmul.matmul(scaled, complex_numbers.adjoint(vectors))


def eigen_expected(A: Array, uplo: str) -> tuple[Array, Array]:
    same_size(A)
    half = np.tril(A, -1) if uplo == "L" else turned(np.triu(A, 1)).conj()
    if not np.isfinite(np.tril(A) if uplo == "L" else np.triu(A)).all():
        raise np.linalg.LinAlgError("not finite")
    whole = half + turned(half).conj() + A.real * np.eye(A.shape[-1])
    return np.linalg.eigvalsh(whole), whole


def triangles(dtype: DType) -> Iterator[Any]:
    for uplo in ("L", "U"):
        for shape in ((3, 3), (2, 4, 4), (1, 1)):
            yield array(dtype, shape), uplo


def rebuilt_lu(A: Any) -> Any:
    P, L, U = linalg.lu(A)
    return matmul.matmul(P, matmul.matmul(L, U))


def unpacked_lu(A: Any) -> Any:
    P, L, U = lu_unpack(*linalg.lu_factor(A))
    return matmul.matmul(P, matmul.matmul(L, U))


def itself(A: Array) -> Array:
    if A.ndim < 2:
        raise ValueError(f"{A.ndim} dims")
    return A


def by_lu(A: Any, B: Any, left: bool, adjoint: bool) -> Any:
    return linalg.lu_solve(*linalg.lu_factor(A), B, left=left, adjoint=adjoint)


def by_lu_expected(A: Array, B: Array, left: bool, adjoint: bool) -> Array:
    matrix = turned(A).conj() if adjoint else A
    return solutions(matrix, B) if left else turned(solutions(turned(matrix), turned(B)))


def lu_systems(dtype: DType) -> Iterator[Any]:
    for left in (True, False):
        for adjoint in (True, False):
            yield array(dtype, (2, 5, 5)), array(dtype, (2, 5, 5), key="right"), left, adjoint


# Norms


def frobenius(A: Array, ord: Any = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False) -> Any:
    if ord in ("nuc", 2, -2):
        values = singular_values(np.moveaxis(A, dim, (-2, -1)))
        result = {"nuc": np.sum, 2: np.max, -2: np.min}[ord](values, -1)
        return np.expand_dims(result, [each % A.ndim for each in dim]) if keepdim else result
    return np.linalg.norm(A, ord, dim, keepdim)


def matrix_norms(dtype: DType) -> Iterator[Any]:
    values = array(dtype, (3, 4, 5))
    orders = ("fro", 1, -1, math.inf, -math.inf) if dtype not in LINEAR else ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
    for order in orders:
        yield values, order
        yield values, order, (2, 0), True


def refused_norms() -> list[Refused]:
    one = np.ones((2, 3), np.float32)
    return [
        Refused((one, 3), ValueError, "ord"),
        Refused((one, "fro", (0, 0)), ValueError, "same"),
        Refused((one[0],), ValueError, "two dims"),
        Refused((one.astype(np.int64),), TypeError, "int64"),
    ]


def norms(dtype: DType) -> Iterator[Any]:
    values = array(dtype, (3, 4))
    for order, dim in ((None, None), (1, None), (3, 1), (math.inf, 0), ("fro", None), (-1, (1, 0)), (0, (-1,))):
        yield values, order, dim
    yield (array(dtype, (2, 3, 4)),)
    yield array(dtype, (5,)), 1


def any_norm(A: Array, ord: Any = None, dim: Any = None) -> Any:
    dim = dim[0] if isinstance(dim, tuple) and len(dim) == 1 else dim
    return np.linalg.norm(A.reshape(-1) if ord is None and dim is None else A, ord, dim)


def conditions(dtype: DType) -> Iterator[Any]:
    for order in (None, 2, -2, "fro", "nuc", 1, -math.inf):
        yield plus(dtype, (2, 3, 3)), order
    yield array(dtype, (5, 3)), 2
    yield np.zeros((3, 3), dtype.numpy), 1


def condition(A: Array, p: Any) -> Any:
    if not A.size:
        return np.zeros(A.shape[:-2])
    if not A.any():
        return np.array(np.inf)
    if p in ("fro", "nuc", 1, -math.inf):
        return frobenius(A, p) * frobenius(np.linalg.inv(A), p)
    return frobenius(A, 2) / frobenius(A, -2) if p in (None, 2) else frobenius(A, -2) / frobenius(A, 2)


def ranks(dtype: DType) -> Iterator[Any]:
    yield from matrices(*ANY)(dtype)
    yield (np.outer(array(dtype, (4,)), array(dtype, (3,))).astype(dtype.numpy),)
    yield With((array(dtype, (5, 3)),), {"atol": 5.0})
    yield With((array(dtype, (5, 3)),), {"rtol": 0.5})
    yield With((array(dtype, (5, 3)), 5.0), {})
    yield With((positive(dtype, (4, 4)),), {"hermitian": True})


def rank(A: Array, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    values = singular_values(eigen_expected(A, "L")[1] if hermitian else A)
    absolute = tol if tol is not None else atol or 0.0
    relative = rtol if rtol is not None else 0.0 if absolute else 1e-5
    return (values > np.maximum(absolute, relative * values.max(-1, keepdims=True, initial=0))).sum(-1)


def inverses(dtype: DType) -> Iterator[Any]:
    for shape in ANY:
        yield (array(dtype, shape),)
    yield With((array(dtype, (5, 3)),), {"atol": 5.0})
    yield With((array(dtype, (5, 3)),), {"rtol": 0.6})
    yield With((positive(dtype, (4, 4)),), {"hermitian": True})


def pseudo_inverse(A: Array, atol: Any = 0.0, rtol: Any = 1e-6, hermitian: bool = False) -> Array:
    if hermitian:
        A = eigen_expected(A, "L")[1]
    bad = ~np.isfinite(A).all((-2, -1))[..., None, None]
    u, s, vh = np.linalg.svd(np.where(bad, 0, A), full_matrices=False)
    kept = s > np.maximum(atol, (0.0 if atol else rtol) * s.max(-1, keepdims=True, initial=0))
    return np.where(bad, np.nan, turned(vh).conj() * np.where(kept, 1 / s, 0)[..., None, :] @ turned(u).conj())


# Products


def chains(dtype: DType) -> Iterator[Any]:
    for shapes in (((2, 30), (30, 4), (4, 20), (20, 3)), ((3,), (3, 4), (4,)), ((2, 3), (3,)), ((2, 0), (0, 3))):
        yield tuple(array(dtype, shape, -1, 1, place) for place, shape in enumerate(shapes))


def powers(dtype: DType) -> Iterator[Any]:
    for n in (0, 1, 2, 5, *((-1, -3) if dtype in LINEAR else ())):
        yield array(dtype, (2, 3, 3), -1, 1) + 2 * np.eye(3, dtype=dtype.numpy), n


def powers_of(x: Array, N: Any = None) -> Array:
    if not (len(x) if N is None else N):
        raise ValueError("no powers")
    return np.vander(x, N, increasing=True)


def exponential(A: Array) -> Array:
    """By eigenvalues where the matrices are symmetric, else by a series of small parts; NaN for a matrix that is not finite."""
    same_size(A)
    bad = ~np.isfinite(A).all((-2, -1))[..., None, None]
    A = np.where(bad, 0, A)
    if np.allclose(A, turned(A).conj()):
        values, vectors = np.linalg.eigh(A)
        result = (vectors * np.exp(values)[..., None, :]) @ turned(vectors).conj()
    else:
        halvings = max(0, math.frexp(np.abs(A).max(initial=1) * A.shape[-1])[1])
        part = A / 2.0**halvings
        result = term = np.broadcast_to(np.eye(A.shape[-1]), A.shape)
        for power in range(1, 24):
            term = term @ part / power
            result = result + term
        for _ in range(halvings):
            result = result @ result
    return np.where(bad, np.nan, result)


def exponents(dtype: DType) -> Iterator[Any]:
    for scale in (0.01, 0.5, 2.0):
        values = (array(dtype, (2, 4, 4), -1, 1) * scale).astype(dtype.numpy)
        yield (((values + turned(values).conj()) / 2).astype(dtype.numpy),)
    yield (np.triu(array(dtype, (3, 3), -30, 30), 1),)
    yield (np.zeros((0, 3, 3), dtype.numpy),)
    yield (np.zeros((2, 2), dtype.numpy),)


# Vectors


def crossed(a: Array, b: Array, dim: int = -1) -> Array:
    a, b = np.broadcast_arrays(a, b)
    a, b = np.moveaxis(a, dim, 0), np.moveaxis(b, dim, 0)
    return np.moveaxis(np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]), 0, dim)


def crosses(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3,), 0, 9, "left"), array(dtype, (3,), 0, 9, "right")
    yield array(dtype, (2, 3), 0, 9, "left"), array(dtype, (1, 3), 0, 9, "right")
    yield With((array(dtype, (3, 4), 0, 9, "left"), array(dtype, (3, 4), 0, 9, "right")), {"dim": 0})
    yield array(dtype, (0, 3), 0, 9), array(dtype, (0, 3), 0, 9)
    yield array(dtype, (3, 4), 0, 9).T, array(dtype, (4, 3), 0, 9)


def refused_crosses() -> list[Refused]:
    one = np.ones((3, 2), np.float32)
    return [
        Refused((one, one), ValueError, "length 3"),
        Refused((one.T, one[:, 0]), ValueError, "number of dims"),
        Refused((one.T > 0, one.T > 0), TypeError, "bool"),
    ]


def distance(difference: Array, p: float) -> Any:
    size = np.abs(difference)
    if not size.shape[-1]:
        return np.zeros(size.shape[:-1])
    if p == 0:
        return (size != 0).sum(-1).astype(float)
    return size.max(-1) if math.isinf(p) else (size**p).sum(-1) ** (1 / p)


def distances(dtype: DType) -> Iterator[Any]:
    for p in (0.0, 1.0, 2.0, 3.5, math.inf):
        yield array(dtype, (4, 3), key="left"), array(dtype, (5, 3), key="right"), p
    yield array(dtype, (2, 1, 4, 3), key="left"), array(dtype, (3, 5, 3), key="right"), 2.0
    yield array(dtype, (30, 8), key="left"), array(dtype, (4, 8), key="right"), 2.0
    yield array(dtype, (0, 3)), array(dtype, (5, 3)), 2.0
    yield array(dtype, (4, 0)), array(dtype, (5, 0)), 2.0


def pair_distances(x: Array, p: float) -> Any:
    first, second = np.triu_indices(len(x), 1)
    return distance(x[first] - x[second], p)


def rows_of(dtype: DType) -> Iterator[Any]:
    for p in (0.0, 1.0, 2.0, 3.0, 2.5, math.inf):
        yield array(dtype, (6, 3)), p
    for shape in ((1, 3), (0, 3), (2, 0), (3, 1)):
        yield array(dtype, shape), 2.0


def renormed(x: Array, p: float, dim: int, maxnorm: float) -> Array:
    if x.ndim < 2:
        raise ValueError(f"{x.ndim} dims")
    others = tuple(each for each in range(x.ndim) if each != dim % x.ndim)
    size = np.abs(x)
    norm = size.max(others, keepdims=True) if math.isinf(p) else (size**p).sum(others, keepdims=True) ** (1 / p)
    return x * np.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1)


def slices(dtype: DType) -> Iterator[Any]:
    for p, dim, most in ((2, 0, 3.0), (1, -1, 2.5), (math.inf, 1, 100.0), (2.5, 0, 0.0)):
        yield array(dtype, (3, 4, 2)), p, dim, most


def refused_slices() -> list[Refused]:
    one = np.ones((2, 2), np.float32)
    return [
        Refused((one[0], 2, 0, 1.0), ValueError, "two dims"),
        Refused((one, 0, 0, 1.0), ValueError, "p is 0"),
        Refused((one, 2, 0, -1.0), ValueError, "maxnorm -1"),
        Refused((one, 2, 5, 1.0), IndexError),
    ]


def observations(dtype: DType) -> Iterator[Any]:
    for shape in ((3, 6), (5,), (1, 5)):
        yield With((array(dtype, shape),), {})
        yield With((array(dtype, shape),), {"correction": 0})
        count = shape[-1]
        yield With((array(dtype, shape),), {"fweights": np.arange(1, count + 1)})
        weights = np.linspace(0.5, 2, count).astype(np.float32)
        yield With((array(dtype, shape),), {"aweights": weights})
        yield With((array(dtype, shape),), {"fweights": np.arange(1, count + 1), "aweights": weights})


def covariances(x: Array, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    fweights, aweights = (None if weights is None else np.atleast_1d(weights) for weights in (fweights, aweights))
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)


def floating(dtype: DType) -> DType:
    return dtype if dtype.category >= 2 else d.float32


SINGLES = (d.float32, d.float64)
COUNTED = (d.float32, d.float64, d.int32, d.complex64)
LOOSE = {d.float32: (2e-4, 2e-4), d.float64: (1e-6, 1e-6), d.float16: (2e-2, 2e-2), d.bfloat16: (6e-2, 6e-2), d.complex64: (2e-4, 2e-4)}
STACKS = (((3, 3), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (2, 3)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1)), ((0, 0), (0, 2)))

SAME_DTYPE: dict[str, Any] = {"result": SAME, "tolerances": LOOSE}
REAL_RESULT: dict[str, Any] = {"result": REAL, "tolerances": LOOSE}
PRODUCTS = {**LOOSE, d.float32: (1e-3, 1e-3), d.float16: (2e-2, 0.2), d.bfloat16: (6e-2, 1.0)}
NUMBERS = (*FLOATS, *COMPLEX)


def one_and(other: Callable[[DType], Any], first: Callable[[DType], Any]) -> Callable[[DType], Iterator[Any]]:
    return lambda dtype: iter([first(dtype), other(dtype)])


def one(sample: Callable[[DType], Any]) -> Callable[[DType], Iterator[Any]]:
    return lambda dtype: iter([sample(dtype)])


def differences(dtype: DType) -> Iterator[Any]:
    for p in (0, 1, 2, 3.5, math.inf):
        yield array(dtype, (3, 4), key=0), array(dtype, (4,), key=1), p


SYSTEMS = [
    linear("det", linalg.det, np.linalg.det, matrices(*SQUARE), (table.DETERMINANT,), out=True, refused=not_square),
    linear(
        "slogdet",
        lambda A: tuple(linalg.slogdet(A)),
        lambda A: tuple(np.linalg.slogdet(A)),
        matrices(*SQUARE),
        (table.LOG_DETERMINANT,),
        result=(SAME, REAL),
    ),
    linear("logdet", systems.logdet, logarithm, matrices((3, 3), (2, 4, 4), (0, 0))),
    linear("inv", linalg.inv, np.linalg.inv, matrices(*SQUARE), (table.INVERSE,), out=True, refused=not_square),
    linear("inverse", systems.inverse, np.linalg.inv, matrices((3, 3)), out=True),
    linear(
        "inv_ex",
        lambda A: linalg.inv_ex(A)[0],
        or_nan(np.linalg.inv),
        one_and(lambda dtype: (np.zeros((2, 2), dtype.numpy),), lambda dtype: (plus(dtype, (2, 3, 3)),)),
    ),
    linear("solve", linalg.solve, solved, pairs(*STACKS), (table.SOLVE,), out=True, refused=refused_systems),
    linear(
        "solve_left",
        linalg.solve,
        lambda A, B, left: turned(solutions(turned(A), turned(B))),
        pairs(((2, 3, 3), (2, 2, 3)), left=False),
    ),
    linear("solve_ex", lambda A, B: linalg.solve_ex(A, B)[0], solved_or_nan, pairs(*STACKS)),
    linear("solve_triangular", linalg.solve_triangular, triangular, triangular_systems, (table.TRIANGULAR_SOLVE,), out=True),
    linear(
        "triangular_solve",
        lambda b, A: legacy.triangular_solve(b, A)[0],
        lambda b, A: triangular(A, b, upper=True),
        one(lambda dtype: (array(dtype, (4, 2)), plus(dtype, (4, 4)))),
    ),
    linear(
        "tensorinv",
        linalg.tensorinv,
        lambda A, ind: np.linalg.tensorinv(A, ind) if A.ndim else 1 / A,
        one_and(lambda dtype: (array(dtype, (6, 3, 2)), 1), lambda dtype: (array(dtype, (2, 3, 6)), 2)),
    ),
    linear("tensorsolve", linalg.tensorsolve, np.linalg.tensorsolve, one(lambda dtype: (array(dtype, (2, 3, 6)), array(dtype, (2, 3))))),
    linear(
        "cholesky", linalg.cholesky, np.linalg.cholesky, matrices(*SQUARE, make=positive), (table.CHOLESKY,), out=True, refused=not_square
    ),
    linear(
        "cholesky_upper",
        lambda A: linalg.cholesky(A, upper=True),
        lambda A: turned(np.linalg.cholesky(A)).conj(),
        matrices((3, 3), make=positive),
    ),
    linear(
        "cholesky_ex",
        lambda A: linalg.cholesky_ex(A)[0],
        or_nan(lambda A: np.linalg.cholesky(A) if np.isfinite(np.tril(A)).all() else np.full(A.shape, np.nan)),
        one_and(lambda dtype: ((-np.eye(2)).astype(dtype.numpy),), lambda dtype: (positive(dtype, (3, 3)),)),
    ),
    linear("cholesky_solve", by_factor, lambda B, A, upper: solutions(hermitian(A, upper), B), positive_systems),
    linear(
        "cholesky_inverse",
        lambda A: systems.cholesky_inverse(systems.cholesky(A)),
        lambda A: np.linalg.inv(hermitian(A)),
        matrices((3, 3), (2, 4, 4), make=positive),
    ),
    linear("lstsq", least_squares, shortest, overdetermined, (table.LEAST_SQUARES,), result=(SAME, REAL)),
]

FACTORS = [
    linear("qr", orthogonal, orthogonals_expected, orthogonals, (table.QR,), result=(SAME, SAME)),
    linear(
        "householder_product",
        linalg.householder_product,
        reflected,
        reflections,
        dtypes=(d.float64, d.complex64),
        out=True,
        refused=refused_reflections,
    ),
    linear("svd", rebuilt, rebuilt_expected, with_flag(), (table.SVD,), result=(SAME, REAL)),
    linear(
        "svdvals",
        linalg.svdvals,
        singular_values,
        matrices(*ANY, (3, 0)),
        result=REAL,
        out=True,
        refused=flat,
    ),
    linear("eigh", rebuilt_eigen, eigen_expected, triangles, (table.EIGEN,), result=(REAL, SAME)),
    linear("eigvalsh", linalg.eigvalsh, lambda A, uplo: eigen_expected(A, uplo)[0], triangles, result=REAL, out=True),
    linear("lu", rebuilt_lu, itself, matrices(*ANY), (table.LU,)),
    linear("lu_unpack", unpacked_lu, itself, matrices(*ANY, (9, 9), (13, 5)), dtypes=(d.float64, d.complex64)),
    linear("lu_solve", by_lu, by_lu_expected, lu_systems, dtypes=(d.float32, d.complex128)),
    linear("pinv", linalg.pinv, pseudo_inverse, inverses, (table.PSEUDO_INVERSE,), out=True),
    linear("matrix_rank", linalg.matrix_rank, rank, ranks, result=d.int64),
    linear(
        "cond", linalg.cond, condition, conditions, result=REAL, tolerances={**NEAR, d.float32: (2e-3, 2e-3), d.complex64: (2e-3, 2e-3)}
    ),
    Record("matrix_norm", linalg.matrix_norm, frobenius, matrix_norms, dtypes=NUMBERS, out=True, refused=refused_norms, **REAL_RESULT),
    Record(
        "norm_nuc",
        legacy.norm,
        lambda A, p, dim=None, keepdim=False: frobenius(A, p, dim or (-2, -1), keepdim),
        one_and(lambda dtype: (array(dtype, (2, 3, 4)), "nuc", (0, 2), True), lambda dtype: (array(dtype, (3, 4)), "nuc")),
        dtypes=LINEAR,
        out=True,
        **REAL_RESULT,
    ),
    Record("linalg_norm", linalg.norm, any_norm, norms, dtypes=NUMBERS, out=True, **REAL_RESULT),
]

POWERS = [
    Record(
        "multi_dot",
        lambda *tensors, out=None: linalg.multi_dot(tensors, out=out),
        lambda *arrays: np.linalg.multi_dot(arrays),
        chains,
        dtypes=(*NUMBERS, d.int64),
        result=SAME,
        tolerances={**LOOSE, d.float16: (2e-2, 1e-1), d.bfloat16: (6e-2, 0.5)},
        out=True,
    ),
    Record(
        "chain_matmul",
        chain_matmul,
        lambda *arrays: np.linalg.multi_dot(arrays) if arrays[1:] else np.einsum("ij->ij", arrays[0]),
        lambda dtype: iter([next(chains(dtype)), (array(dtype, (2, 3)),)]),
        dtypes=SINGLES,
        tolerances=LOOSE,
    ),
    Record(
        "matrix_power",
        linalg.matrix_power,
        np.linalg.matrix_power,
        powers,
        dtypes=(*NUMBERS, d.int64),
        result=SAME,
        tolerances=PRODUCTS,
        out=True,
    ),
    Record(
        "matrix_exp",
        linalg.matrix_exp,
        exponential,
        exponents,
        dtypes=LINEAR,
        result=SAME,
        tolerances={**NEAR, d.float32: (1e-4, 2e-4), d.complex64: (1e-4, 2e-4)},
        refuses=(d.int64, d.bool_),
    ),
    Record(
        "linalg.vander",
        linalg.vander,
        powers_of,
        one_and(lambda dtype: With((array(dtype, (3,)),), {"N": 5}), lambda dtype: (array(dtype, (4,)),)),
        dtypes=(*FLOATS, d.int64, d.int8),
        result=lambda dtype: dtype if dtype.category >= 2 else d.int64,
        tolerances=LOOSE,
    ),
]

VECTORS = [
    Record(
        "cross",
        linalg.cross,
        crossed,
        crosses,
        (table.CROSS,),
        (*NUMBERS, *INTS),
        SAME,
        {**LOOSE, d.float16: (2e-2, 6e-2), d.bfloat16: (3e-2, 0.6)},
        out=True,
        refused=refused_crosses,
    ),
    Record(
        "dist",
        vectors.dist,
        lambda a, b, p: np.asarray(distance((a - b).reshape(-1), p)),
        differences,
        dtypes=NUMBERS,
        **REAL_RESULT,
    ),
    Record(
        "cdist",
        vectors.cdist,
        lambda a, b, p: distance(a[..., :, None, :] - b[..., None, :, :], p),
        distances,
        dtypes=FLOATS,
        result=SAME,
        tolerances={**LOOSE, d.float32: (1e-4, 1e-3)},
        refuses=(d.int64, d.complex64),
    ),
    Record("pdist", vectors.pdist, pair_distances, rows_of, (table.PAIR_DISTANCES,), refuses=(d.int64,), **SAME_DTYPE),
    Record("renorm", vectors.renorm, renormed, slices, dtypes=NUMBERS, out=True, refused=refused_slices, **SAME_DTYPE),
    Record("cov", vectors.cov, covariances, observations, (), COUNTED, floating, LOOSE, refuses=(d.bool_,)),
    Record(
        "corrcoef",
        vectors.corrcoef,
        np.corrcoef,
        one_and(lambda dtype: (array(dtype, (5,)),), lambda dtype: (array(dtype, (3, 6)),)),
        (),
        COUNTED,
        floating,
        LOOSE,
    ),
]

RECORDS = [*SYSTEMS, *FACTORS, *POWERS, *VECTORS]
