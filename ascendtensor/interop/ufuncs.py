"""`__array_ufunc__`: NumPy's universal functions on tensors, as our functions.

One table says which function a ufunc is. A ufunc, or a method of one, that is not in a table gets NotImplemented, from which NumPy makes a
TypeError that names it: tensors are never taken to the host unasked.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from .. import dtypes as d
from ..base import TensorBase
from ..errors import AscendTensorError, DTypeError, ShapeError, UnsupportedError
from ..ops import indexing, reduction, statistics, views
from ..ops.arguments import is_tensor
from ..ops.host import upload
from ..ops.linalg import matmul
from ..ops.operands import common_dtype
from ..ops.pointwise import bessel, comparison, complex_numbers, elementwise, floats, special, unary
from ..ops.pointwise.aliases import expit, gammaln, psi
from ..promotion import can_cast, promote_types
from ..shapes import broadcast_shapes
from . import numpy as border
from . import reducing
from .reducing import Reduction


class Ufunc(NamedTuple):
    """What a ufunc is here."""

    function: Callable[..., Any]
    floating: bool = False
    """Integers become the default dtype first."""
    of_tensors: bool = False
    """The function takes no number."""
    truth: bool = False
    """The result is bool whatever the operands are."""


def _of_small(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is of int8 where all its operands are of bool, as NumPy's."""

    @functools.wraps(function)
    def widened(*operands: Any, **options: Any) -> Any:
        for x in operands:
            if not isinstance(x, bool) and not (is_tensor(x) and x.desc.dtype is d.bool_):
                return function(*operands, **options)
        return function(*(border.cast(x, d.int8) if is_tensor(x) else int(x) for x in operands), **options)

    return widened


def _cbrt(x: Any) -> Any:
    return floats.copysign(elementwise.pow(unary.abs(x), 1 / 3), x)


def _spacing(x: Any) -> Any:
    away = floats.copysign(upload(math.inf, x.desc.dtype, x.desc.device), x)
    return elementwise.sub(floats.nextafter(x, away), x)


def _modf(x: Any) -> tuple[Any, Any]:
    whole = unary.trunc(x)
    parts = elementwise.sub(x, whole)
    parts = comparison.where(comparison.isinf(x), 0, parts)
    return floats.copysign(parts, x), whole


def _divmod(left: Any, right: Any) -> tuple[Any, Any]:
    return elementwise.floor_divide(left, right), elementwise.remainder(left, right)


def _abs(x: Any, *, out: Any = None) -> Any:
    return border.put(views.alias(x), out) if x.desc.dtype is d.bool_ else unary.abs(x, out=out)


def _fabs(x: Any) -> Any:
    if x.desc.dtype.is_complex:
        raise DTypeError("complex numbers are refused, as by NumPy", advice="Take np.absolute of them.")
    return unary.abs(x)


def _rint(x: Any) -> Any:
    if not x.desc.dtype.is_complex:
        return unary.round(x)
    return complex_numbers.complex(unary.round(views.real(x)), unary.round(views.imag(x)))


def _ldexp(x: Any, exponent: Any) -> Any:
    for operand in (x, exponent):
        if isinstance(operand, complex) or (is_tensor(operand) and operand.desc.dtype.is_complex):
            raise DTypeError("complex numbers are refused, as by NumPy")
    return floats.ldexp(x, exponent)


def _sign(x: Any) -> Any:
    if x.desc.dtype is d.bool_:
        raise DTypeError("bool is refused, as by NumPy", advice="Cast with .astype(np.int8) first.")
    return complex_numbers.sgn(x) if x.desc.dtype.is_complex else unary.sign(x)


def _with_matrix(function: str, matrix: Any, vector: Any) -> None:
    if matrix.ndim < 2 or not vector.ndim:
        raise ShapeError("matrices and vectors are needed").with_context(function, (matrix, vector))


def _matvec(matrix: Any, vector: Any) -> Any:
    _with_matrix("matvec", matrix, vector)
    return views.squeeze(matmul.matmul(matrix, views.unsqueeze(vector, -1)), -1)


def _vecmat(vector: Any, matrix: Any) -> Any:
    _with_matrix("vecmat", matrix, vector)
    return views.squeeze(matmul.matmul(views.unsqueeze(complex_numbers.conj(vector), -2), matrix), -2)


def _vecdot(left: Any, right: Any) -> Any:
    if not left.ndim or not right.ndim:
        raise ShapeError("vectors are needed").with_context("vecdot", (left, right))
    return matmul.vecdot(left, right)


def _product(function: Callable[..., Any]) -> Callable[..., Any]:
    """Products of matrices, whose operands PyTorch wants of one dtype."""

    def product(left: Any, right: Any) -> Any:
        return function(*same_dtype(left, right))

    return product


def same_dtype(*operands: Any) -> list[Any]:
    """Tensors in their common dtype."""
    common = functools.reduce(promote_types, (x.desc.dtype for x in operands))
    return [border.cast(x, common) for x in operands]


def _heaviside(x: Any, at_zero: Any) -> Any:
    x, at_zero = same_dtype(x, at_zero)
    return comparison.where(comparison.isnan(x), x, floats.heaviside(x, at_zero))


NAMED: Final[dict[str, Ufunc]] = {
    "absolute": Ufunc(_abs),
    "add": Ufunc(elementwise.add),
    "arccos": Ufunc(unary.acos),
    "arccosh": Ufunc(unary.acosh),
    "arcsin": Ufunc(unary.asin),
    "arcsinh": Ufunc(unary.asinh),
    "arctan": Ufunc(unary.atan),
    "arctan2": Ufunc(elementwise.atan2),
    "arctanh": Ufunc(unary.atanh),
    "bitwise_and": Ufunc(comparison.bitwise_and),
    "bitwise_or": Ufunc(comparison.bitwise_or),
    "bitwise_xor": Ufunc(comparison.bitwise_xor),
    "cbrt": Ufunc(_cbrt, floating=True),
    "ceil": Ufunc(unary.ceil),
    "conjugate": Ufunc(complex_numbers.conj_physical),
    "copysign": Ufunc(floats.copysign, of_tensors=True),
    "cos": Ufunc(unary.cos),
    "cosh": Ufunc(unary.cosh),
    "deg2rad": Ufunc(floats.deg2rad),
    "degrees": Ufunc(floats.rad2deg),
    "divide": Ufunc(elementwise.div),
    "divmod": Ufunc(_of_small(_divmod)),
    "equal": Ufunc(comparison.eq, truth=True),
    "exp": Ufunc(unary.exp),
    "exp2": Ufunc(unary.exp2),
    "expm1": Ufunc(unary.expm1),
    "fabs": Ufunc(_fabs, floating=True),
    "float_power": Ufunc(floats.float_power),
    "floor": Ufunc(unary.floor),
    "floor_divide": Ufunc(_of_small(elementwise.floor_divide)),
    "fmax": Ufunc(floats.fmax),
    "fmin": Ufunc(floats.fmin),
    "fmod": Ufunc(_of_small(elementwise.fmod)),
    "frexp": Ufunc(floats.frexp, floating=True),
    "gcd": Ufunc(floats.gcd),
    "greater": Ufunc(comparison.gt, truth=True),
    "greater_equal": Ufunc(comparison.ge, truth=True),
    "heaviside": Ufunc(_heaviside, floating=True, of_tensors=True),
    "hypot": Ufunc(elementwise.hypot, floating=True, of_tensors=True),
    "invert": Ufunc(comparison.bitwise_not),
    "isfinite": Ufunc(comparison.isfinite, truth=True),
    "isinf": Ufunc(comparison.isinf, truth=True),
    "isnan": Ufunc(comparison.isnan, truth=True),
    "lcm": Ufunc(floats.lcm),
    "ldexp": Ufunc(_ldexp),
    "left_shift": Ufunc(_of_small(comparison.bitwise_left_shift)),
    "less": Ufunc(comparison.lt, truth=True),
    "less_equal": Ufunc(comparison.le, truth=True),
    "log": Ufunc(unary.log),
    "log10": Ufunc(unary.log10),
    "log1p": Ufunc(unary.log1p),
    "log2": Ufunc(unary.log2),
    "logaddexp": Ufunc(floats.logaddexp, floating=True),
    "logaddexp2": Ufunc(floats.logaddexp2, floating=True),
    "logical_and": Ufunc(comparison.logical_and, truth=True),
    "logical_not": Ufunc(comparison.logical_not, truth=True),
    "logical_or": Ufunc(comparison.logical_or, truth=True),
    "logical_xor": Ufunc(comparison.logical_xor, truth=True),
    "matmul": Ufunc(_product(matmul.matmul), of_tensors=True),
    "matvec": Ufunc(_product(_matvec), of_tensors=True),
    "maximum": Ufunc(elementwise.maximum),
    "minimum": Ufunc(elementwise.minimum),
    "modf": Ufunc(_modf, floating=True),
    "multiply": Ufunc(elementwise.mul),
    "negative": Ufunc(unary.neg),
    "nextafter": Ufunc(floats.nextafter, floating=True),
    "not_equal": Ufunc(comparison.ne, truth=True),
    "positive": Ufunc(unary.positive),
    "power": Ufunc(_of_small(elementwise.pow)),
    "rad2deg": Ufunc(floats.rad2deg),
    "radians": Ufunc(floats.deg2rad),
    "reciprocal": Ufunc(unary.reciprocal),
    "remainder": Ufunc(_of_small(elementwise.remainder)),
    "right_shift": Ufunc(_of_small(comparison.bitwise_right_shift)),
    "rint": Ufunc(_rint, floating=True),
    "sign": Ufunc(_sign),
    "signbit": Ufunc(comparison.signbit, truth=True),
    "sin": Ufunc(unary.sin),
    "sinh": Ufunc(unary.sinh),
    "spacing": Ufunc(_spacing, floating=True),
    "sqrt": Ufunc(unary.sqrt),
    "square": Ufunc(_of_small(elementwise.square)),
    "subtract": Ufunc(elementwise.sub),
    "tan": Ufunc(unary.tan),
    "tanh": Ufunc(unary.tanh),
    "trunc": Ufunc(unary.trunc),
    "vecdot": Ufunc(_product(_vecdot), of_tensors=True),
    "vecmat": Ufunc(_product(_vecmat), of_tensors=True),
}

UFUNCS: Final[dict[np.ufunc, Ufunc]] = {getattr(np, name): how for name, how in NAMED.items() if hasattr(np, name)}
"""Those that this NumPy has."""

OF_SCIPY: Final[dict[str, Ufunc]] = {
    "entr": Ufunc(special.entr),
    "erf": Ufunc(unary.erf),
    "erfc": Ufunc(unary.erfc),
    "erfcx": Ufunc(special.erfcx),
    "erfinv": Ufunc(special.erfinv),
    "exp2": Ufunc(unary.exp2),
    "expi": Ufunc(special.expi),
    "expit": Ufunc(expit),
    "expm1": Ufunc(unary.expm1),
    "gammainc": Ufunc(special.gammainc, of_tensors=True),
    "gammaincc": Ufunc(special.gammaincc, of_tensors=True),
    "gammaln": Ufunc(gammaln),
    "i0": Ufunc(bessel.i0),
    "i0e": Ufunc(special.i0e),
    "i1": Ufunc(bessel.i1),
    "i1e": Ufunc(special.i1e),
    "j0": Ufunc(bessel.bessel_j0),
    "j1": Ufunc(bessel.bessel_j1),
    "k0": Ufunc(bessel.modified_bessel_k0),
    "k0e": Ufunc(bessel.scaled_modified_bessel_k0),
    "k1": Ufunc(bessel.modified_bessel_k1),
    "k1e": Ufunc(bessel.scaled_modified_bessel_k1),
    "log1p": Ufunc(unary.log1p),
    "log_ndtr": Ufunc(special.log_ndtr),
    "logit": Ufunc(special.logit),
    "ndtr": Ufunc(special.ndtr),
    "ndtri": Ufunc(special.ndtri),
    "psi": Ufunc(psi),
    "spence": Ufunc(special.spence),
    "xlog1py": Ufunc(special.xlog1py, of_tensors=True),
    "xlogy": Ufunc(elementwise.xlogy, of_tensors=True),
    "y0": Ufunc(bessel.bessel_y0),
    "y1": Ufunc(bessel.bessel_y1),
}
"""Ufuncs of scipy.special, by their names there."""


def _of_scipy(ufunc: np.ufunc) -> Ufunc | None:
    """What a ufunc of SciPy's is here; one of somebody else by the same name is nothing."""
    module = sys.modules.get("scipy.special")  # there, if somebody calls its ufuncs
    how = OF_SCIPY.get(ufunc.__name__)
    return how if how is not None and getattr(module, ufunc.__name__, None) is ufunc else None


REDUCTIONS: Final[dict[np.ufunc, Reduction]] = {
    np.add: reducing.SUM,
    np.multiply: reducing.PROD,
    np.maximum: reducing.MAX,
    np.minimum: reducing.MIN,
    np.logical_and: reducing.ALL,
    np.logical_or: reducing.ANY,
    np.logaddexp: reducing.LOGSUMEXP._replace(combine=floats.logaddexp),
}

RUNNING: Final[dict[np.ufunc, Callable[..., Any]]] = {
    np.add: reduction.cumsum,
    np.multiply: reduction.cumprod,
    np.maximum: reduction.cummax,
    np.minimum: reduction.cummin,
    np.logaddexp: statistics.logcumsumexp,
}


def array_ufunc(like: TensorBase, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`tensor.__array_ufunc__`: `ufunc.method(*inputs, **options)`, on the device of `like`.

    Raises:
        UnsupportedError: An argument of NumPy's that is not there for tensors.
        DTypeError: Dtypes that don't fit.
    """
    how = UFUNCS.get(ufunc)
    if not options and how is not None and method == "__call__" and not how.floating and not how.of_tensors:
        if all(map(border.is_array_like, inputs)):
            try:
                return how.function(*[x if isinstance(x, border.DIRECT) else border.one_operand(x, like, inputs) for x in inputs])
            except AscendTensorError as error:
                raise error.with_context(ufunc.__name__, filter(is_tensor, inputs)) from None
        return NotImplemented
    how = how or _of_scipy(ufunc)
    run = _METHODS.get(method)
    outs = options.get("out", ())
    if how is None or run is None or not all(map(border.is_array_like, inputs)):
        return NotImplemented
    if not all(out is None or isinstance(out, (TensorBase, np.ndarray)) for out in outs):
        return NotImplemented
    try:
        return run(like, ufunc, how, inputs, dict(options))
    except AscendTensorError as error:
        raise error.with_context(ufunc.__name__, filter(is_tensor, inputs)) from None


def _call(like: Any, ufunc: np.ufunc, how: Ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    outs, where, casting, dtype = _options(ufunc, how, options)
    operands = border.operands(like, *inputs)[1:]
    if not any(map(is_tensor, operands)):
        operands = border.tensors(like, *operands)[1:]
    elif how.of_tensors and not all(map(is_tensor, operands)):  # numbers in the dtype that they would not have changed
        common = common_dtype(*operands)
        operands = [x if is_tensor(x) else upload(x, common, like.desc.device, cls=like.__class__) for x in operands]
    if dtype is not None:
        operands = [_as_wanted(x, dtype, casting) if is_tensor(x) else x for x in operands]
    elif how.floating and not any(map(_is_floating, operands)):
        operands = [border.floating(x) for x in operands]
    if ufunc.nout > 1:
        found = how.function(*operands)
        return tuple(border.put(result, out, where, casting) for result, out in zip(found, outs, strict=True))
    out = outs[0]
    if isinstance(out, TensorBase) and where is True and casting == "same_kind" and _straight(how.function, operands, out):
        return how.function(*operands, out=out)
    return border.put(how.function(*operands), out, where, casting)


def _as_wanted(x: Any, dtype: d.dtype, casting: str) -> Any:
    """An operand in the dtype that is asked for.

    Raises:
        DTypeError: It would lose its kind, such as floats as integers.
    """
    if casting != "unsafe" and not can_cast(x.desc.dtype, dtype):
        text = f"an operand of dtype {x.desc.dtype.name} can't be cast to dtype={dtype.name}"
        raise DTypeError(text, advice='Cast it with .astype() first, or give casting="unsafe".')
    return border.cast(x, dtype)


def _is_floating(operand: Any) -> bool:
    return isinstance(operand, (float, complex)) or (is_tensor(operand) and operand.desc.dtype.category > d.INTEGER)


def _options(ufunc: np.ufunc, how: Ufunc, options: dict[str, Any]) -> tuple[tuple[Any, ...], Any, str, Any]:
    """(out, where, casting, dtype) of a call."""
    outs = options.pop("out", None) or (None,) * ufunc.nout
    where, casting, dtype = options.pop("where", True), options.pop("casting", "same_kind"), options.pop("dtype", None)
    options.pop("subok", None)
    options.pop("order", None)
    if options or casting not in ("same_kind", "unsafe"):
        name = next(iter(options), f'casting="{casting}"')
        raise UnsupportedError(f"{name} is not there for tensors", where=ufunc.__name__, advice="Leave it away, or take .numpy() of them.")
    if dtype is None:
        return outs, where, casting, None
    wanted = d.as_dtype(dtype)
    if how.truth:
        if wanted is not d.bool_:
            raise DTypeError(f"the result is bool, not {wanted.name}", where=ufunc.__name__)
        return outs, where, casting, None
    return outs, where, casting, wanted


def _straight(function: Callable[..., Any], operands: list[Any], out: TensorBase) -> bool:
    """Whether the function can write into `out` itself."""
    shapes = [x.desc.shape for x in operands if is_tensor(x)]
    return _takes_out(function) and broadcast_shapes(*shapes) == out.desc.shape


@functools.cache
def _takes_out(function: Callable[..., Any]) -> bool:
    return "out" in inspect.signature(function).parameters


def _reduce(like: Any, ufunc: np.ufunc, how: Ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    by = REDUCTIONS.get(ufunc)
    if by is None:
        return NotImplemented
    _, x = border.tensors(like, inputs[0])
    rest = inputs[1:] or (options.pop("axis", 0),)
    return reducing.reduced(by, x, *rest, **options)


def _accumulate(like: Any, ufunc: np.ufunc, how: Ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    function = RUNNING.get(ufunc)
    if function is None:
        return NotImplemented
    _, x = border.tensors(like, inputs[0])
    if not x.ndim:
        raise DTypeError("a tensor of no dimensions has nothing to run along", where=f"{ufunc.__name__}.accumulate")
    return reducing.running(function, x, *inputs[1:], **options)


def _outer(like: Any, ufunc: np.ufunc, how: Ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if ufunc.nin != 2 or ufunc.signature is not None:
        return NotImplemented
    _, left, right = border.operands(like, *inputs)
    if is_tensor(left) and is_tensor(right) and left.desc.shape:
        left = views.reshape(left, (*left.desc.shape, *(1,) * len(right.desc.shape)))
    return _call(like, ufunc, how, (left, right), options)


def _at(like: Any, ufunc: np.ufunc, how: Ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`add.at` and `subtract.at`: each place of an index counts, also where one comes twice."""
    if len(inputs) != 3 or ufunc not in (np.add, np.subtract):
        return NotImplemented
    target, index, values = inputs
    if isinstance(target, np.ndarray):  # into the host's memory: the operands are wanted there
        index = tuple(map(border.host, index)) if isinstance(index, tuple) else border.host(index)
        return ufunc.at(target, index, border.host(values))
    places = [index] if not isinstance(index, tuple) else list(index)
    if any(place is None or place is Ellipsis or isinstance(place, slice) for place in places):
        raise UnsupportedError("slices in the index are not there for tensors", where=f"{ufunc.__name__}.at", advice="Give indices.")
    _, source, *found = border.tensors(target, values, *places)
    if ufunc is np.subtract:
        source = unary.neg(source)
    indexing.index_put_(target, tuple(found), border.cast(source, target.desc.dtype), accumulate=True)
    return None


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}
