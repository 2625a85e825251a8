"""Determinants, solutions and factorisations of stacks of square matrices, and of rectangular ones.

CANN takes these operators from TensorFlow's kernels (`like` in the facts), so what they do with what has no answer is TensorFlow's: a
singular matrix and one that is not positive definite are errors of the run, a determinant is 0 and its logarithm -inf. Shapes are
those of the prototypes' own rules: 0-d for vectors that are not asked for, one element for the logarithm of a single determinant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.operands import needs, same, type_code, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Inputs, Meta, Out, Outputs, Shape, infer, kernel
from ascendtensor.simulator.kernels.threads import LARGE, one_thread, product

_HALVES = (int(DataType.FLOAT16), int(DataType.BF16))


def _factored(function: Any, matrix: Array, *rest: Any) -> Any:
    """What a function of NumPy's makes of a stack; the matrix library's threads only for matrices that are worth them."""
    if matrix.shape[-1] * matrix.shape[-2] ** 2 >= LARGE:
        return function(matrix, *rest)
    with one_thread:
        return function(matrix, *rest)


def _turned(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)


def _adjoint(matrix: Array, wanted: bool) -> Array:
    return np.conjugate(_turned(matrix)) if wanted else matrix


def _finite(matrix: Array) -> tuple[Array, Array]:
    """The matrices, zeros in place of those that are not finite, and which those are.

    The iterations of LAPACK need not end for an infinity or NaN.
    """
    bad = np.asarray(~np.isfinite(matrix).all(axis=(-2, -1)))
    return (np.where(bad[..., None, None], matrix.dtype.type(0), matrix) if bad.any() else matrix), bad


def _put(out: Array, value: Any) -> None:
    store(np.asarray(value).reshape(out.shape), out)


# Shapes


def _square(meta: Meta) -> Shape:
    """The shape of a stack of square matrices; one dim may be unknown where the other is not."""
    shape = meta.shape
    if unknown(meta):
        return shape
    if len(shape) < 2:
        raise ValueError(f"shape {list(shape)} has less than two dims")
    size = same(shape[-2], shape[-1], "rows and columns")
    return (*shape[:-2], size, size)


def _like_square(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, _square(inputs[0]))]


infer("MatrixInverse", "Cholesky")(_like_square)


@infer("MatrixDeterminant")
def _determinant_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = _square(inputs[0])
    return [Out(inputs[0].dtype, shape if unknown(inputs[0]) else shape[:-2])]


@infer("LogMatrixDeterminant")
def _log_determinant_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = _square(inputs[0])
    out = Out(inputs[0].dtype, shape if unknown(inputs[0]) else shape[:-2] or (1,))
    return [out, out]


def _solution(inputs: list[Meta], square: bool) -> list[Out]:
    """Stacks are equal, not broadcast."""
    matrix, rhs = inputs[:2]
    if matrix.dtype != rhs.dtype:
        raise ValueError("matrix and rhs differ in dtype")
    if unknown(matrix) or unknown(rhs):
        return [Out(matrix.dtype, UNKNOWN_RANK)]
    if min(len(matrix.shape), len(rhs.shape)) < 2 or len(matrix.shape) != len(rhs.shape):
        raise ValueError(f"shapes {list(matrix.shape)} and {list(rhs.shape)} are not two stacks of matrices of one rank")
    whole = _square(matrix) if square else matrix.shape
    batch = tuple(same(one, other, "the stacks") for one, other in zip(whole[:-2], rhs.shape[:-2], strict=True))
    same(whole[-2], rhs.shape[-2], "the rows of matrix and rhs")
    return [Out(matrix.dtype, (*batch, whole[-1], rhs.shape[-1]))]


@infer("MatrixSolve", "MatrixTriangularSolve")
def _solve_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _solution(inputs, square=True)


@infer("MatrixSolveLs")
def _least_squares_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if not unknown(inputs[2]) and inputs[2].shape != ():
        raise ValueError(f"l2 has shape {list(inputs[2].shape)}, a 0-d one is needed")
    return _solution(inputs, square=False)


def _sizes(meta: Meta) -> tuple[Shape, int, int, int]:
    """Stack, rows, columns, and the smaller of both."""
    if len(meta.shape) < 2:
        raise ValueError(f"shape {list(meta.shape)} has less than two dims")
    *batch, rows, columns = meta.shape
    return tuple(batch), rows, columns, -1 if min(rows, columns) < 0 else min(rows, columns)


@infer("Qr")
def _qr_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    dtype = inputs[0].dtype
    if unknown(inputs[0]):
        return [Out(dtype, UNKNOWN_RANK)] * 2
    batch, rows, columns, least = _sizes(inputs[0])
    size = rows if attrs["full_matrices"] else least
    return [Out(dtype, (*batch, rows, size)), Out(dtype, (*batch, size, columns))]


@infer("Svd")
def _svd_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    dtype = inputs[0].dtype
    if unknown(inputs[0]):
        return [Out(dtype, UNKNOWN_RANK)] * 3
    batch, rows, columns, least = _sizes(inputs[0])
    sigma = Out(dtype, (*batch, least))
    if not attrs["compute_uv"]:
        return [sigma, Out(dtype, ()), Out(dtype, ())]
    left, right = (rows, columns) if attrs["full_matrices"] else (least, least)
    return [sigma, Out(dtype, (*batch, rows, left)), Out(dtype, (*batch, columns, right))]


@infer("SelfAdjointEig")
def _eigen_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    dtype, shape = inputs[0].dtype, _square(inputs[0])
    if unknown(inputs[0]):
        return [Out(dtype, UNKNOWN_RANK)] * 2
    return [Out(dtype, shape[:-1]), Out(dtype, shape if attrs["compute_v"] else ())]


@infer("Lu")
def _lu_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = _square(inputs[0])
    return [Out(inputs[0].dtype, shape), Out(type_code(attrs["output_idx_type"]), shape if unknown(inputs[0]) else shape[:-1])]


@infer("Pinverse")
def _pseudo_inverse_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if unknown(inputs[0]):
        return [Out(inputs[0].dtype, UNKNOWN_RANK)]
    batch, rows, columns, _ = _sizes(inputs[0])
    return [Out(inputs[0].dtype, (*batch, columns, rows))]


# Determinants, inverses, solutions


@kernel("MatrixDeterminant")
def _determinant(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _put(outputs[0], _factored(np.linalg.det, needs(inputs[0], "x")))


@kernel("LogMatrixDeterminant")
def _log_determinant(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Sign (a unit complex number) and logarithm of the absolute value, in the operand's dtype both."""
    sign, logarithm = _factored(np.linalg.slogdet, needs(inputs[0], "x"))
    _put(outputs[0], sign)
    _put(outputs[1], logarithm)


@kernel("MatrixInverse")
def _inverse(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    try:
        _put(outputs[0], _factored(np.linalg.inv, _adjoint(needs(inputs[0], "x"), attrs["adjoint"])))
    except np.linalg.LinAlgError:
        raise ValueError("Input is not invertible.") from None


@kernel("MatrixSolve")
def _solve(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    try:
        _put(outputs[0], _factored(np.linalg.solve, _adjoint(needs(inputs[0], "matrix"), attrs["adjoint"]), needs(inputs[1], "rhs")))
    except np.linalg.LinAlgError:
        raise ValueError("Input matrix is not invertible.") from None


_STRIP = 48
"""Rows that are solved at once, by products with the inverse of a small triangle."""


@kernel("MatrixTriangularSolve")
def _triangular_solve(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Substitution strip by strip; the other triangle is never looked at."""
    matrix, rhs, out = needs(inputs[0], "matrix"), needs(inputs[1], "rhs"), outputs[0]
    lower = bool(attrs["lower"]) != bool(attrs["adjoint"])
    matrix = _adjoint(matrix, attrs["adjoint"])
    if not matrix.diagonal(0, -2, -1).all():
        raise ValueError("Input matrix is not invertible.")
    np.copyto(out, rhs)
    size = matrix.shape[-1]
    starts = range(0, size, _STRIP)
    for start in starts if lower else reversed(starts):
        strip = slice(start, min(start + _STRIP, size))
        done = slice(0, start) if lower else slice(strip.stop, size)
        if done.start != done.stop:
            out[..., strip, :] -= np.matmul(matrix[..., strip, done], out[..., done, :])
        triangle = (np.tril if lower else np.triu)(matrix[..., strip, strip])
        _solve_triangle(triangle, out[..., strip, :], lower)


def _solve_triangle(triangle: Array, out: Array, lower: bool) -> None:
    """By a solver that may exchange rows, which infinities and overflow don't survive: then row by row."""
    try:
        found = _factored(np.linalg.solve, triangle, out)
    except np.linalg.LinAlgError:
        found = None
    if found is not None and np.isfinite(found).all():
        np.copyto(out, found)
    else:
        _substitute(triangle, out, lower)


def _substitute(triangle: Array, out: Array, lower: bool) -> None:
    size = triangle.shape[-1]
    for row in range(size) if lower else reversed(range(size)):
        out[..., row, :] /= triangle[..., row, row, None]
        rest = slice(row + 1, size) if lower else slice(0, row)
        out[..., rest, :] -= triangle[..., rest, row, None] * out[..., row, None, :]


@kernel("MatrixSolveLs")
def _least_squares(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """``fast``: normal equations, which take ``l2``; else the shortest solution, by singular values here."""
    matrix, rhs, l2 = (needs(each, name) for each, name in zip(inputs, ("matrix", "rhs", "l2"), strict=True))
    rows, columns = matrix.shape[-2:]
    if not attrs["fast"]:
        cut = max(rows, columns) * float(np.finfo(matrix.dtype).eps)
        _put(outputs[0], np.matmul(_pseudo(matrix, cut), rhs))
        return
    other = _adjoint(matrix, True)
    tall = rows >= columns
    gram = np.matmul(other, matrix) if tall else np.matmul(matrix, other)
    gram += np.eye(gram.shape[-1], dtype=gram.dtype) * gram.dtype.type(l2.reshape(())[()])
    try:
        result = np.linalg.solve(gram, np.matmul(other, rhs)) if tall else np.matmul(other, np.linalg.solve(gram, rhs))
    except np.linalg.LinAlgError:
        raise ValueError("Input matrix was rank deficient or ill-conditioned.") from None
    _put(outputs[0], result)


@kernel("Pinverse")
def _pseudo_inverse(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    _put(outputs[0], _pseudo(needs(inputs[0], "x"), float(attrs["rcond"])))


def _pseudo(matrix: Array, cut: float) -> Array:
    matrix, bad = _finite(matrix)
    result: Array = _factored(np.linalg.pinv, matrix, cut)
    result[bad] = np.nan
    return result


# Factorisations


def _wide(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


@kernel("Cholesky")
def _cholesky(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """The lower factor; of the operand only the lower triangle counts."""
    try:
        _put(outputs[0], _factored(np.linalg.cholesky, _wide(needs(inputs[0], "x"))))
    except np.linalg.LinAlgError:
        raise ValueError("Cholesky decomposition was not successful. The input might not be valid.") from None


@kernel("Qr")
def _qr(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    q, r = _factored(np.linalg.qr, _wide(needs(inputs[0], "x")), "complete" if attrs["full_matrices"] else "reduced")
    _put(outputs[0], q)
    _put(outputs[1], r)


@kernel("Svd")
def _svd(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Singular values in the operand's dtype, complex ones too; ``v`` is not transposed. What is not asked for stays as it is.

    All are NaN for matrices that are not finite.
    """
    x, bad = _finite(needs(inputs[0], "x"))
    if not attrs["compute_uv"]:
        _put(outputs[0], _factored(np.linalg.svd, x, False, False))
        outputs[0][bad] = np.nan
        return
    u, sigma, vh = _factored(np.linalg.svd, x, bool(attrs["full_matrices"]))
    _put(outputs[0], sigma)
    _put(outputs[1], u)
    np.conjugate(_turned(vh), out=outputs[2])
    for out in outputs:
        out[bad] = np.nan


@kernel("SelfAdjointEig")
def _eigen(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Of the lower triangles; eigenvalues ascend, in the operand's dtype, complex ones too."""
    x = needs(inputs[0], "x")
    if not np.isfinite(np.tril(x)).all():
        raise ValueError("Self-adjoint eigen decomposition was not successful. The input might not be valid.")
    if not attrs["compute_v"]:
        _put(outputs[0], _factored(np.linalg.eigvalsh, x))
        return
    values, vectors = _factored(np.linalg.eigh, x)
    _put(outputs[0], values)
    _put(outputs[1], vectors)


@kernel("Lu")
def _lu(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Both factors in one matrix, and for each of its rows the one of the operand that it was; largest pivots by absolute value."""
    packed, order = outputs
    np.copyto(packed, needs(inputs[0], "input"))
    size = packed.shape[-1]
    whole, rows = packed.reshape(-1, size, size), order.reshape(-1, size)
    rows[...] = np.arange(size)
    for begin in range(0, size, _PANEL):
        end = min(begin + _PANEL, size)
        _factor_panel(whole, rows, begin, end)
        if end == size:
            break
        triangle = np.tril(whole[:, begin:end, begin:end], -1) + np.eye(end - begin, dtype=whole.dtype)
        whole[:, begin:end, end:] = _factored(np.linalg.solve, triangle, whole[:, begin:end, end:])
        below = np.empty((len(whole), size - end, size - end), whole.dtype)
        product(whole[:, end:, begin:end], whole[:, begin:end, end:], below)
        whole[:, end:, end:] -= below


_PANEL = 32
"""Columns that are factored one by one, before the others change by one product."""


def _factor_panel(whole: Array, rows: Array, begin: int, end: int) -> None:
    every = np.arange(len(whole))
    for step in range(begin, end):
        pivots = step + np.abs(whole[:, step:, step]).argmax(axis=1)
        for each in (whole, rows):
            here = each[:, step].copy()
            each[:, step] = each[every, pivots]
            each[every, pivots] = here
        heads = whole[:, step, step]
        if not heads.all():
            raise ValueError("Input is not invertible.")
        whole[:, step + 1 :, step] /= heads[:, None]
        whole[:, step + 1 :, step + 1 : end] -= whole[:, step + 1 :, step, None] * whole[:, step, None, step + 1 : end]
