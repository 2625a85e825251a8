"""NumPy's linear algebra and Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ... import dtypes as d
from ...errors import ShapeError, ValueRangeError
from ...ops import fft, reduction, shape, views
from ...ops.linalg import eigen, factors, matmul, norms, products, systems, vectors
from ...ops.linalg.einsum import einsum
from ...ops.pointwise import comparison, elementwise, unary
from ...shapes import each, several
from .. import numpy as border
from .. import reducing
from ..ufuncs import same_dtype


def _floats(*values: Any) -> list[Any]:
    """Tensors of one floating dtype."""
    return same_dtype(*border.floats(*border.tensors(*values)))


def _pair(a: Any, b: Any) -> list[Any]:
    return same_dtype(*border.tensors(a, b))


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Products of vectors, matrices, and of the last by the last but one axis of others. Like: numpy.dot."""
    a, b = _pair(a, b)
    if not a.ndim or not b.ndim:
        return border.put(elementwise.mul(a, b), out)
    if a.ndim == 1 or b.ndim <= 2:
        return border.put(matmul.matmul(a, b), out)
    return border.put(matmul.tensordot(a, b, ([a.ndim - 1], [b.ndim - 2])), out)


def _vdot(a: Any, b: Any, /) -> Any:
    a, b = _pair(a, b)
    return matmul.vdot(views.reshape(a, -1), views.reshape(b, -1))


def _inner(a: Any, b: Any, /) -> Any:
    a, b = _pair(a, b)
    return matmul.inner(a, b)


def _outer(a: Any, b: Any, out: Any = None) -> Any:
    a, b = (views.reshape(x, -1) for x in border.tensors(a, b))
    return border.put(elementwise.mul(views.unsqueeze(a, -1), b), out)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = _pair(a, b)
    if several(axes):
        axes = tuple(list(each(dims)) for dims in axes)
    return matmul.tensordot(a, b, axes)


def _kron(a: Any, b: Any) -> Any:
    return matmul.kron(*border.tensors(a, b))


def _einsum(*operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: Any = "K", casting: Any = "safe") -> Any:
    if isinstance(operands[0], str):
        equation, *given = operands
        return border.put(einsum(equation.replace(" ", ""), *_einsum_dtype(given, dtype)), out)
    lists, rest = list(operands[1::2]), operands[:-1] if len(operands) % 2 else operands
    given = _einsum_dtype(list(rest[::2]), dtype)
    spelled = [part for pair in zip(given, lists, strict=False) for part in pair]
    return border.put(einsum(*spelled, *([operands[-1]] if len(operands) % 2 else [])), out)


def _einsum_dtype(operands: list[Any], dtype: Any) -> list[Any]:
    return [border.cast(x, dtype) for x in same_dtype(*border.tensors(*operands))]


def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    a, b = _pair(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = views.movedim(a, axisa, -1), views.movedim(b, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError("vectors of 3 elements are needed").with_context("cross", (a, b))
    return views.movedim(vectors.cross(*views.broadcast_tensors(a, b), dim=-1), -1, axisc)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """Sums along diagonals. Like: numpy.trace."""
    return border.put(reduction.sum(shape.contiguous(views.diagonal(a, offset, axis1, axis2)), -1, dtype=dtype), out)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return norms.norm(border.floating(x), ord, axis, keepdims)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norms of vectors along axes; of each element by itself along none. Like: numpy.linalg.vector_norm."""
    x = border.floating(x)
    if reducing.of_no_axis(axis):
        sizes = unary.abs(x)
        return sizes if ord else border.cast(comparison.ne(sizes, 0), sizes.desc.dtype)
    return reduction.vector_norm(x, ord, axis, keepdims)


def _matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return norms.matrix_norm(border.floating(x), ord, (-2, -1), keepdims)


def _solve(a: Any, b: Any) -> Any:
    a, b = _floats(a, b)
    if b.ndim == 1:
        return views.select(systems.solve(a, views.expand(views.unsqueeze(b, -1), *a.shape[:-2], b.shape[0], 1)), -1, 0)
    return systems.solve(a, b)


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = _floats(a, b)
    return systems.tensorsolve(a, b, axes)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    a = border.floating(a)
    return factors.svd(a, full_matrices) if compute_uv else factors.svdvals(a)


def _qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise ValueRangeError(f"mode={mode!r} is not there for tensors", where="linalg.qr", advice='"reduced", "complete" and "r" are.')
    found = factors.qr(border.floating(a), mode)
    return found[1] if mode == "r" else found


def _cholesky(a: Any, /, *, upper: bool = False) -> Any:
    return systems.cholesky(border.floating(a), upper)


def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    a = border.floating(a)
    tolerance = rcond if border.is_given(rcond) else rtol if border.is_given(rtol) else 1e-15
    return norms.pinv(a, rtol=tolerance, hermitian=hermitian)


def _cond(x: Any, p: Any = None) -> Any:
    if not x.desc.numel:
        raise ShapeError("a matrix without elements has no condition number").with_context("linalg.cond", (x,))
    return norms.cond(border.floating(x), p)


def _matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    if A.ndim < 2:
        return reduction.any(A).to("int64")
    return norms.matrix_rank(border.floating(A), tol, hermitian, **({} if rtol is None else {"rtol": rtol}))


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = _floats(a, b)
    vector = b.ndim == 1
    found = norms.lstsq(a, views.unsqueeze(b, -1) if vector else b, rcond, driver="gelsd")
    return (views.select(found[0], -1, 0) if vector else found[0], *found[1:])


def _transformed(a: Any) -> Any:
    """What Fourier transforms are there for: 16 bits become 32, as in NumPy."""
    a = border.floating(a)
    return border.cast(a, d.float32) if a.desc.dtype in (d.float16, d.bfloat16) else a


def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        return border.put(function(_transformed(a), n, axis, norm), out)

    return transform


def _over(function: Callable[..., Any], every: Any = None) -> Callable[..., Any]:
    def transform(a: Any, s: Any = None, axes: Any = every, norm: Any = None, out: Any = None) -> Any:
        return border.put(function(_transformed(a), s, axes, norm), out)

    return transform


def _vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x1, x2 = _pair(x1, x2)
    return matmul.vecdot(x1, x2, dim=axis)


def _standard_outer(x1: Any, x2: Any, /) -> Any:
    x1, x2 = border.tensors(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ShapeError("vectors are needed").with_context("linalg.outer", (x1, x2))
    return elementwise.mul(views.unsqueeze(x1, -1), x2)


def _matmul(x1: Any, x2: Any, /) -> Any:
    return matmul.matmul(*_pair(x1, x2))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "cross": _cross,
    "dot": dot,
    "einsum": _einsum,
    "fft.fft": _along(fft.fft),
    "fft.fft2": _over(fft.fft2, (-2, -1)),
    "fft.fftn": _over(fft.fftn),
    "fft.fftshift": lambda x, axes=None: fft.fftshift(x, axes),
    "fft.hfft": _along(fft.hfft),
    "fft.ifft": _along(fft.ifft),
    "fft.ifft2": _over(fft.ifft2, (-2, -1)),
    "fft.ifftn": _over(fft.ifftn),
    "fft.ifftshift": lambda x, axes=None: fft.ifftshift(x, axes),
    "fft.ihfft": _along(fft.ihfft),
    "fft.irfft": _along(fft.irfft),
    "fft.irfft2": _over(fft.irfft2, (-2, -1)),
    "fft.irfftn": _over(fft.irfftn),
    "fft.rfft": _along(fft.rfft),
    "fft.rfft2": _over(fft.rfft2, (-2, -1)),
    "fft.rfftn": _over(fft.rfftn),
    "inner": _inner,
    "kron": _kron,
    "linalg.cholesky": _cholesky,
    "linalg.cond": _cond,
    "linalg.cross": lambda x1, x2, /, *, axis=-1: _cross(x1, x2, axis=axis),
    "linalg.det": lambda a: systems.det(border.floating(a)),
    "linalg.diagonal": lambda x, /, *, offset=0: systems.diagonal(x, offset=offset),
    "linalg.eig": lambda a: eigen.eig(border.floating(a)),
    "linalg.eigh": lambda a, UPLO="L": factors.eigh(border.floating(a), UPLO),
    "linalg.eigvals": lambda a: eigen.eigvals(border.floating(a)),
    "linalg.eigvalsh": lambda a, UPLO="L": factors.eigvalsh(border.floating(a), UPLO),
    "linalg.inv": lambda a: systems.inv(border.floating(a)),
    "linalg.lstsq": _lstsq,
    "linalg.matmul": _matmul,
    "linalg.matrix_norm": _matrix_norm,
    "linalg.matrix_power": lambda a, n: products.matrix_power(a, n),
    "linalg.matrix_rank": _matrix_rank,
    "linalg.matrix_transpose": lambda x, /: x.mT,
    "linalg.multi_dot": lambda arrays, *, out=None: border.put(products.multi_dot(same_dtype(*border.tensors(*arrays))), out),
    "linalg.norm": _norm,
    "linalg.outer": _standard_outer,
    "linalg.pinv": _pinv,
    "linalg.qr": _qr,
    "linalg.slogdet": lambda a: systems.slogdet(border.floating(a)),
    "linalg.solve": _solve,
    "linalg.svd": _svd,
    "linalg.svdvals": lambda x, /: factors.svdvals(border.floating(x)),
    "linalg.tensordot": lambda x1, x2, /, *, axes=2: _tensordot(x1, x2, axes),
    "linalg.tensorinv": lambda a, ind=2: systems.tensorinv(border.floating(a), ind),
    "linalg.tensorsolve": _tensorsolve,
    "linalg.trace": lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype),
    "linalg.vecdot": _vecdot,
    "linalg.vector_norm": vector_norm,
    "matrix_transpose": lambda x, /: x.mT,
    "outer": _outer,
    "tensordot": _tensordot,
    "trace": trace,
    "vdot": _vdot,
}
