"""NumPy's functions that work element by element and are no ufuncs, and what is made of windows over elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from ... import dtypes as d
from ...errors import DTypeError, ShapeError, ValueRangeError
from ...ops import gather, reduction, shape, sorting, views
from ...ops.arguments import is_tensor
from ...ops.nn import folding
from ...ops.operands import common_dtype, in_dtype
from ...ops.pointwise import bessel, comparison, complex_numbers, elementwise, special, unary
from .. import numpy as border
from ..ufuncs import same_dtype


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **options: Any) -> Any:
    """Each element, but no less than the one and no more than the other limit. Like: numpy.clip."""
    low = a_min if border.is_given(a_min) else min if border.is_given(min) else None
    high = a_max if border.is_given(a_max) else max if border.is_given(max) else None
    border.refuse("clip", **{name: value for name, value in options.items() if name != "casting"})
    a, low, high = border.operands(a, low, high)
    if not is_tensor(a):
        (a,) = border.tensors(low if is_tensor(low) else high, a)[1:]
    if a.desc.dtype.category == d.INTEGER:
        limits = d.iinfo(a.desc.dtype)
        low = None if isinstance(low, int) and low < limits.min else low
        high = None if isinstance(high, int) and high > limits.max else high
    if low is None and high is None:
        return border.put(shape.clone(a), out)
    if low is not None and high is not None and (is_tensor(low) or is_tensor(high)):
        return border.put(elementwise.minimum(elementwise.maximum(a, low), high), out)
    return border.put(elementwise.clamp(a, low, high), out)


def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Rounded to decimals, halves to even. Like: numpy.round."""
    if a.desc.dtype.is_complex:
        parts = [unary.round(part, decimals=decimals) for part in (views.real(a), views.imag(a))]
        return border.put(complex_numbers.complex(*parts), out)
    return border.put(unary.round(a, decimals=decimals), out)


def _imag(val: Any) -> Any:
    return views.imag(val) if val.desc.dtype.is_complex else val.new_zeros(val.shape)


def _angle(z: Any, deg: bool = False) -> Any:
    found = complex_numbers.angle(z)
    return found * (180 / math.pi) if deg else found


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return unary.nan_to_num(x, nan, posinf, neginf, **({} if copy else {"out": x}))


def _fix(x: Any, out: Any = None) -> Any:
    return border.put(unary.trunc(x), out)


def _infinite(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, out=None: border.put(function(x), out)


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Whether elements are equal within tolerances. Like: numpy.isclose."""
    a, b = border.tensors(a, b)
    a, b = (border.cast(x, d.uint8) if x.desc.dtype is d.bool_ else x for x in same_dtype(a, b))
    return comparison.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def _iscomplex(x: Any) -> Any:
    return comparison.ne(_imag(x), 0)


# Windows


def _slid(a: Any, v: Any, before: int, after: int) -> Any:
    """Sums of products of `v` with each window of `a`, which gets zeros on both sides."""
    windows = views.unfold(folding.constant_pad_nd(a, (before, after)), 0, v.shape[0], 1)
    products = elementwise.mul(windows, v)
    return border.cast(reduction.sum(products, -1), products.desc.dtype)


def _padding(mode: str, taps: int, function: str) -> tuple[int, int]:
    if mode not in ("full", "same", "valid"):
        raise ValueRangeError(f'mode must be "full", "same" or "valid", not {mode!r}', where=function)
    if mode == "valid":
        return 0, 0
    return (taps - 1, taps - 1) if mode == "full" else (taps // 2, (taps - 1) // 2)


def _vectors(function: str, *values: Any) -> list[Any]:
    found = [views.atleast_1d(x) for x in same_dtype(*border.tensors(*values))]
    if any(x.ndim != 1 or not x.desc.numel for x in found):
        raise ShapeError("vectors of at least one element are needed").with_context(function, found)
    return found


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The sums of products of `v`, turned round, with each window of `a`. Like: numpy.convolve."""
    a, v = _vectors("convolve", a, v)
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    taps = v.shape[0]
    return _slid(a, shape.flip(v, 0), *_padding(mode, taps, "convolve"))


def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    for x in border.tensors(a, v):
        if x.ndim != 1:
            raise ShapeError("vectors are needed").with_context("correlate", (x,))
    a, v = _vectors("correlate", a, v)
    v = complex_numbers.conj(v)
    if a.shape[0] < v.shape[0]:
        before, after = _padding(mode, a.shape[0], "correlate")
        return shape.flip(_slid(v, a, before, after), 0)
    return _slid(a, v, *_padding(mode, v.shape[0], "correlate"))


def _polyval(p: Any, x: Any) -> Any:
    p, x = border.tensors(p, x)
    if p.desc.numel:
        p, x = same_dtype(p, x)
    if not p.ndim:
        raise ShapeError("a vector of factors is needed").with_context("polyval", (p,))
    result = x.new_zeros(x.shape)
    for factor in views.unbind(p, 0):
        result = result * x + factor
    return result


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    border.refuse("interp", period=period)
    x, xp, fp = border.floats(*border.tensors(x, xp, fp))
    x, xp = _promoted(x, xp)
    fp = _promoted(x, fp)[1]
    last = xp.shape[0] - 1
    place = elementwise.clamp(sorting.searchsorted(xp, x, right=True) - 1, 0, max(last - 1, 0))
    beyond = elementwise.clamp(place + 1, 0, last)
    x0, x1, y0, y1 = (gather.take(source, at) for source, at in ((xp, place), (xp, beyond), (fp, place), (fp, beyond)))
    slope = (y1 - y0) / comparison.where(x1 == x0, 1, x1 - x0)
    found = slope * (x - x0) + y0
    found = comparison.where(comparison.isnan(found), slope * (x - x1) + y1, found)  # from the other side: next to an infinity
    found = comparison.where(comparison.isnan(found) & (y0 == y1), y0, found)
    found = comparison.where(x == x0, y0, comparison.where(x == x1, y1, found))
    found = comparison.where(x < xp[0], fp[0] if left is None else left, found)
    return comparison.where(x > xp[-1], fp[-1] if right is None else right, found)


def _promoted(*operands: Any) -> list[Any]:
    """Tensors in the dtype that an operator on them computes in."""
    common = common_dtype(*operands)
    return [in_dtype(each, common) for each in operands]


def _unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    p = border.floating(p)
    if p.desc.dtype.is_complex:
        raise DTypeError("angles are real numbers", where="unwrap")
    if not p.shape[axis]:
        return shape.clone(p)
    steps = views.narrow(p, axis, 1, p.shape[axis] - 1) - views.narrow(p, axis, 0, p.shape[axis] - 1)
    half = period / 2
    wrapped = elementwise.remainder(steps + half, period) - half
    wrapped = comparison.where((wrapped == -half) & (steps > 0), half, wrapped)
    change = comparison.where(unary.abs(steps) < (half if discont is None else discont), 0, wrapped - steps)
    rest = views.narrow(p, axis, 1, p.shape[axis] - 1) + reduction.cumsum(change, axis)
    return shape.cat([views.narrow(p, axis, 0, 1), rest], axis)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "angle": _angle,
    "clip": clip,
    "convolve": convolve,
    "correlate": _correlate,
    "fix": _fix,
    "i0": lambda x: bessel.i0(border.floating(x)),
    "imag": _imag,
    "interp": _interp,
    "isclose": isclose,
    "iscomplex": _iscomplex,
    "isneginf": _infinite(comparison.isneginf),
    "isposinf": _infinite(comparison.isposinf),
    "isreal": lambda x: complex_numbers.isreal(x),
    "nan_to_num": _nan_to_num,
    "polyval": _polyval,
    "real": lambda val: views.real(val),
    "round": round,
    "sinc": lambda x: special.sinc(x),
    "unwrap": _unwrap,
}
FUNCTIONS["around"] = round
