"""NumPy's functions of polynomials by their factors, that of the highest power first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ... import dtypes as d
from ...errors import ShapeError, ValueRangeError
from ...ops import combining, gather, reduction, shape, views
from ...ops.call import made
from ...ops.linalg import eigen, norms
from ...ops.pointwise import unary
from ...ops.table.creation import RANGE
from .. import numpy as border
from ..ufuncs import same_dtype
from .elementwise import convolve


def _factors(function: str, *values: Any) -> list[Any]:
    found = [views.atleast_1d(x) for x in same_dtype(*border.tensors(*values))]
    if any(x.ndim != 1 for x in found):
        raise ShapeError("vectors of factors are needed").with_context(function, found)
    return found


def _added(function: str, sign: int) -> Callable[..., Any]:
    def added(a1: Any, a2: Any) -> Any:
        first, second = _factors(function, a1, a2)
        length = max(first.shape[0], second.shape[0])
        first, second = (shape.cat([x.new_zeros(length - x.shape[0]), x], 0) for x in (first, second))
        return first + second if sign > 0 else first - second

    return added


def _polymul(a1: Any, a2: Any) -> Any:
    return convolve(*_factors("polymul", a1, a2))


def _powers(p: Any, highest: int) -> Any:
    """highest, highest - 1 ... 1 in the dtype of `p`, or in its floating one."""
    return border.cast(made(RANGE, (highest, 0, -1), (highest, d.int64), p), p.desc.dtype)


def _order(m: Any, function: str) -> int:
    if int(m) < 0:
        raise ValueRangeError(f"the order must not be negative, it is {m}", where=function)
    return int(m)


def _polyder(p: Any, m: int = 1) -> Any:
    (p,) = _factors("polyder", p)
    for _ in range(_order(m, "polyder")):
        p = p[:-1] * _powers(p, p.shape[0] - 1) if p.shape[0] > 1 else p[:0]
    return p


def _polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    (p,) = _factors("polyint", border.floating(border.tensors(p)[0]))
    times = _order(m, "polyint")
    constants = border.tensors(p, 0 if k is None else k)[1]
    constants = border.spread(views.reshape(border.cast(constants, p.desc.dtype), -1), (times,))
    for step in range(times):
        p = shape.cat([p / _powers(p, p.shape[0]), constants[step : step + 1]], 0)
    return p


def _polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    border.refuse("polyfit", full=full, cov=cov)
    x, y, w = border.floats(*border.tensors(x, y, w))
    if x.ndim != 1 or y.ndim not in (1, 2) or x.shape[0] != y.shape[0] or not x.shape[0] or (w is not None and w.shape != x.shape):
        raise ShapeError("a vector x, as many rows of y, and a vector w of weights are needed").with_context("polyfit", (x, y))
    x, y = same_dtype(x, y)
    if int(deg) < 0:
        raise ValueRangeError(f"the degree must not be negative, it is {deg}", where="polyfit")
    left, right = combining.vander(x, int(deg) + 1), y if y.ndim == 2 else views.unsqueeze(y, -1)
    if w is not None:
        weights = views.unsqueeze(border.cast(w, x.desc.dtype), -1)
        left, right = left * weights, right * weights
    scale = unary.sqrt(reduction.sum(left * left, 0))
    limit = x.shape[0] * d.finfo(x.desc.dtype).eps if rcond is None else rcond
    found = norms.lstsq(left / scale, right, limit).solution / views.unsqueeze(scale, -1)
    return found if y.ndim == 2 else views.squeeze(found, -1)


def _poly(seq_of_zeros: Any) -> Any:
    """The factors of the polynomial of these roots, or of a matrix's characteristic one; real where roots come in conjugate pairs."""
    (zeros,) = border.floats(*border.tensors(seq_of_zeros))
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        zeros = eigen.eigvals(zeros)
    elif zeros.ndim > 1:
        raise ShapeError("a vector of roots, or a square matrix, is needed").with_context("poly", (zeros,))
    result = zeros.new_ones(1)
    for zero in views.unbind(views.atleast_1d(zeros), 0):
        result = convolve(result, shape.stack([zero.new_ones(()), -zero], 0))
    if not zeros.desc.dtype.is_complex:
        return result
    bound = 1e3 * d.finfo(result.desc.dtype).eps * reduction.amax(unary.abs(result)).item()
    small = unary.abs(views.imag(result)) <= bound
    return views.real(result) if reduction.all(small).item() else result


def _roots(p: Any) -> Any:
    """Eigenvalues of the companion matrix, always complex; how many there are is waited for."""
    (p,) = border.floats(*_factors("roots", p))
    (places,) = gather.nonzero(p, as_tuple=True)
    there = border.host(places)
    if not there.size:
        return p.new_zeros(0, dtype=p.desc.dtype.to_complex())
    first, last = int(there[0]), int(there[-1])
    zeros = p.shape[0] - 1 - last
    p = p[first : last + 1]
    degree = p.shape[0] - 1
    nothing = p.new_zeros(zeros, dtype=p.desc.dtype.to_complex())
    if not degree:
        return nothing
    below = shape.diag(p.new_ones(degree - 1), -1)
    companion = shape.cat([views.unsqueeze(-p[1:] / p[0], 0), below[1:]], 0)
    return shape.cat([eigen.eigvals(companion), nothing], 0)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "poly": _poly,
    "polyadd": _added("polyadd", 1),
    "polyder": _polyder,
    "polyfit": _polyfit,
    "polyint": _polyint,
    "polymul": _polymul,
    "polysub": _added("polysub", -1),
    "roots": _roots,
}
