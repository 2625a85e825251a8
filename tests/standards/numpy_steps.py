"""One step of an expression of NumPy's functions, drawn for a value: the function, its operands, and the dtype that its result has here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

DTYPES: Final = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64"]


class Step(NamedTuple):
    """A call of one function on operands, arrays or tensors alike."""

    name: str
    call: Callable[..., Any]
    operands: list[Any]
    """Arrays and Python numbers."""
    rule: str
    """What the dtype of the result is made of the operands' by: "same", "float", "real", "sum", "bool", "index", "first"."""
    promoting: int | None = None
    """How many of the operands, from the first on, decide the dtype; all if None."""
    first: bool = False
    """NumPy looks for tensors in the first operand alone."""


# Operands


def values(draw: Draw, dtype: Any, shape: tuple[int, ...]) -> Any:
    """An array whose numbers follow from a drawn seed, now and then with NaN, infinities and both zeros."""
    seed = draw(st.integers(0, 7))
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(random.integers(0, 2, shape), np.bool_)
    if kind in "iu":
        return np.asarray(random.integers(0 if kind == "u" else -4, 7, shape), dtype)
    found = np.asarray(np.round(random.uniform(-2, 2, shape), 3), dtype)
    if kind == "c":
        return np.asarray(found + 1j * np.round(random.uniform(-2, 2, shape), 3), dtype)
    if seed == 7 and found.size:
        flat = found.reshape(-1)
        flat[random.integers(0, flat.size, 2)] = random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], 2)
    return found


def shapes(draw: Draw, least: int = 0) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.sampled_from([1, 2, 3, 3, 0]), min_size=least, max_size=3)))


def partner(draw: Draw, x: Any) -> Any:
    """A number, or an array that broadcasts with `x`: by lengths of 1, fewer or more axes."""
    how = draw(st.integers(0, 5))
    if how == 0:
        return draw(st.sampled_from([2, 0.5, True]))
    shape = list(x.shape)
    if how == 1:
        shape = shape[draw(st.integers(0, len(shape))) :]
    elif how == 2 and shape:
        shape[draw(st.integers(0, len(shape) - 1))] = 1
    elif how == 3 and len(shape) < 3:
        shape.insert(0, 2)
    dtype = x.dtype if draw(st.booleans()) else draw(st.sampled_from(DTYPES))
    return values(draw, dtype, tuple(shape))


def alike(draw: Draw, x: Any, shape: tuple[int, ...]) -> Any:
    return values(draw, x.dtype if draw(st.booleans()) else draw(st.sampled_from(DTYPES)), shape)


def an_axis(draw: Draw, x: Any) -> Any:
    """An axis; now and then one that is not there."""
    if draw(st.integers(0, 30)) == 0:
        return x.ndim + 1
    return draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0


def axes(draw: Draw, x: Any) -> Any:
    how = draw(st.integers(0, 3))
    if how == 0 or not x.ndim:
        return None
    if how == 1 and x.ndim > 1:
        return tuple(draw(st.permutations(range(x.ndim)))[:2])
    return an_axis(draw, x)


def find(name: str) -> Any:
    return functools.reduce(getattr, name.split("."), np)


# Families: each draws a step for a value

UNARY: Final = {
    "same": "negative positive conjugate square sign invert rint floor ceil trunc fabs reciprocal real imag round nan_to_num fix",
    "float": "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt "
    "deg2rad rad2deg spacing sinc i0 modf frexp",
    "real": "absolute",
    "real float": "angle",
    "bool": "isnan isinf isfinite signbit logical_not isneginf isposinf isreal iscomplex",
}
BINARY: Final = {
    "same": "add subtract multiply maximum minimum fmax fmin remainder fmod floor_divide power bitwise_and bitwise_or bitwise_xor "
    "left_shift right_shift gcd lcm divmod",
    "float": "divide arctan2 hypot logaddexp logaddexp2 copysign nextafter heaviside",
    "double": "float_power",
    "bool": "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor isclose",
}
REDUCING: Final = {
    "sum": "sum prod nansum nanprod",
    "same": "max min amax ptp nanmax nanmin",
    "float": "mean median nanmean nanmedian",
    "real float": "std var nanstd nanvar",
    "bool": "any all",
    "index": "count_nonzero",
}
SOLVING: Final = "inv det slogdet cholesky eigvalsh svd qr pinv norm matrix_norm vector_norm matrix_power cond solve"
PAIRING: Final = (
    "union1d intersect1d setdiff1d setxor1d convolve correlate polyval cross choose ldexp vecdot matvec vecmat interp put_along_axis"
)
FLOAT_RULES: Final = {"fabs", "rint", "reciprocal", "nextafter"}
"""Which make floats of integers, in the "same" family or not."""


def _listed(table: dict[str, str]) -> list[tuple[str, str]]:
    return [("float" if name in FLOAT_RULES else rule, name) for rule, names in table.items() for name in names.split()]


def unary(draw: Draw, x: Any) -> Step:
    rule, name = draw(st.sampled_from(_listed(UNARY)))
    if name in ("real", "imag"):
        rule = "real"
    if name == "i0":  # of an infinity NumPy gives NaN
        return Step(name, lambda a: np.i0(np.clip(a, -9, 9)), [x], rule)
    return Step(name, find(name), [x], rule)


def binary(draw: Draw, x: Any) -> Step:
    rule, name = draw(st.sampled_from(_listed(BINARY)))
    other = partner(draw, x)
    both = [x, other] if draw(st.booleans()) else [other, x]
    if name.endswith("shift") and not isinstance(both[1], float) and np.asarray(both[1]).dtype.kind in "iu":
        both[1] = np.asarray(np.abs(both[1])) if isinstance(both[1], np.ndarray) else both[1]
    return Step(name, find(name), both, rule)


def reducing(draw: Draw, x: Any) -> Step:
    rule, name = draw(st.sampled_from(_listed(REDUCING)))
    axis = an_axis(draw, x) if name == "median" and not x.size else axes(draw, x)  # NumPy stumbles over several axes of nothing
    options = {"axis": axis, "keepdims": draw(st.booleans())}
    return Step(name, functools.partial(find(name), **options), [x], rule)


def placing(draw: Draw, x: Any) -> Step:
    name = draw(st.sampled_from(["argmax", "argmin", "nanargmax", "nanargmin", "argsort", "argwhere", "nonzero", "flatnonzero"]))
    if name in ("argwhere", "nonzero", "flatnonzero"):
        return Step(name, find(name), [x], "index")
    options: dict[str, Any] = {"axis": None if draw(st.booleans()) else an_axis(draw, x)}
    options |= {"kind": "stable"} if name == "argsort" else {"keepdims": draw(st.booleans())}
    return Step(name, functools.partial(find(name), **options), [x], "index")


def running(draw: Draw, x: Any) -> Step:
    name = draw(st.sampled_from(["cumsum", "cumprod", "nancumsum", "nancumprod", "sort", "diff", "maximum.accumulate", "add.accumulate"]))
    if name == "diff":
        return Step(name, functools.partial(np.diff, n=draw(st.integers(0, 2)), axis=an_axis(draw, x)), [x], "same")
    options = {"axis": an_axis(draw, x)}
    if name in ("cumsum", "cumprod", "sort") and draw(st.booleans()):
        options = {"axis": None}
    return Step(name, functools.partial(find(name), **options), [x], "same" if name in ("sort", "maximum.accumulate") else "sum")


def moving(draw: Draw, x: Any) -> Step:
    axis, other, number = an_axis(draw, x), an_axis(draw, x), draw(st.integers(-1 if x.size else 0, 3))
    fitting = draw(st.sampled_from([(-1,), (x.size,), (1, -1), (x.size, 1), (2, -1)]))
    calls: dict[str, Callable[..., Any]] = {
        "transpose": lambda x: np.transpose(x),
        "ravel": lambda x: np.ravel(x, order="F" if number == 1 else "C"),
        "reshape": lambda x: np.reshape(x, fitting),
        "flip": lambda x: np.flip(x, axis if number else None),
        "roll": lambda x: np.roll(x, number, axis if number == 1 else None),
        "squeeze": lambda x: np.squeeze(x) if number else np.squeeze(x, axis),
        "expand_dims": lambda x: np.expand_dims(x, axis),
        "swapaxes": lambda x: np.swapaxes(x, axis, other),
        "moveaxis": lambda x: np.moveaxis(x, axis, other),
        "repeat": lambda x: np.repeat(x, number, axis if number == 1 else None),
        "tile": lambda x: np.tile(x, (max(number, 0), 2)),
        "broadcast_to": lambda x: np.broadcast_to(x, (2, *x.shape)),
        "atleast_2d": lambda x: np.atleast_2d(x),
        "atleast_3d": lambda x: np.atleast_3d(x),
        "tril": lambda x: np.tril(x, number),
        "triu": lambda x: np.triu(x, number),
        "diagonal": lambda x: np.diagonal(x, number),
        "diag": lambda x: np.diag(x, number),
        "rot90": lambda x: np.rot90(x, number),
        "pad": lambda x: np.pad(x, max(number, 0), mode="constant" if number % 2 else "edge"),
        "split": lambda x: np.split(x, max(number, 1), axis),
        "array_split": lambda x: np.array_split(x, 2, axis),
        "delete": lambda x: np.delete(x, 0, axis),
        "copy": lambda x: np.copy(x),
        "resize": lambda x: np.resize(x, (2, 3)),
        "trim": lambda x: np.take(x, [0], axis),
    }
    name = draw(st.sampled_from(list(calls)))
    return Step(name, calls[name], [x], "first")


def joining(draw: Draw, x: Any) -> Step:
    axis = an_axis(draw, x)
    name = draw(
        st.sampled_from(["concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "append", "meshgrid", "broadcast_arrays"])
    )
    other = alike(draw, x, x.shape)
    if name in ("concatenate", "append") and draw(st.booleans()):
        axis = None
    calls: dict[str, Callable[..., Any]] = {
        "concatenate": lambda *parts: np.concatenate(parts, axis=axis),
        "stack": lambda *parts: np.stack(parts, axis=axis or 0),
        "append": lambda left, right: np.append(left, right, axis),
        "meshgrid": lambda left, right: np.meshgrid(left, right)[0],
        "broadcast_arrays": lambda left, right: np.broadcast_arrays(left, right)[0],
    }
    call = calls.get(name) or (lambda *parts: find(name)(parts))
    return Step(name, call, [x, other], "first" if name in ("meshgrid", "broadcast_arrays") else "joined")


def choosing(draw: Draw, x: Any) -> Step:
    name = draw(
        st.sampled_from(["where", "clip", "select", "take", "take_along_axis", "compress", "extract", "unique", "isin", "searchsorted"])
    )
    axis = an_axis(draw, x)
    if name == "where":
        return Step(name, lambda a, b, m: np.where(m, a, b), [x, partner(draw, x), values(draw, "bool", x.shape)], "same", 2)
    if name == "select":
        mask = values(draw, "bool", x.shape)
        return Step(name, lambda a, b, default, m: np.select([m, ~m], [a, b], default), [x, alike(draw, x, x.shape), 1, mask], "same", 3)
    if name == "clip":
        return Step(name, np.clip, [x, draw(st.sampled_from([-1, 0])) if x.dtype.kind != "u" else 0, draw(st.sampled_from([1, 2]))], "same")
    if name == "take":
        places = np.array(draw(st.lists(st.integers(-1, 2), max_size=3)), np.int64)
        if draw(st.booleans()):
            return Step(name, np.take, [x, places], "first", first=True)
        return Step(name, lambda a, i: np.take(a, i, axis), [x, places], "first", first=True)
    if name == "take_along_axis":
        return Step(name, lambda a: np.take_along_axis(a, np.argsort(a, axis=axis, kind="stable"), axis), [x], "first")
    if name == "compress":
        kept = values(draw, "bool", (min(x.shape[axis] if -x.ndim <= axis < x.ndim else 1, 2),))
        return Step(name, lambda a, m: np.compress(m, a, axis), [x, kept], "first")
    if name == "extract":
        return Step(name, lambda a, m: np.extract(m, a), [x, values(draw, "bool", x.shape)], "first")
    if name == "unique":
        return Step(name, lambda a: np.unique(a, equal_nan=False), [x], "first")
    if name == "isin":
        return Step(name, np.isin, [x, alike(draw, x, (2,))], "bool")
    return Step(name, lambda a, v: np.searchsorted(np.sort(a), v), [x, alike(draw, x, shapes(draw))], "index")


def multiplying(draw: Draw, x: Any) -> Step:
    name = draw(st.sampled_from(["matmul", "dot", "inner", "outer", "vdot", "tensordot", "kron", "einsum", "trace", "linalg.multi_dot"]))
    if name == "linalg.multi_dot" and x.ndim not in (1, 2):
        name = "dot"
    if name == "trace":
        return Step(name, np.trace, [x], "sum")
    last = x.shape[-1:] or (2,)
    if name in ("matmul", "dot", "tensordot", "linalg.multi_dot"):
        other = alike(draw, x, draw(st.sampled_from([last, (*last, 2)])))
    else:
        other = alike(draw, x, draw(st.sampled_from([last, x.shape, (2, *last)])))
    calls: dict[str, Callable[..., Any]] = {
        "tensordot": lambda a, b: np.tensordot(a, b, 1),
        "einsum": lambda a, b: np.einsum("...i,...i->...", a, b),
        "linalg.multi_dot": lambda a, b: np.linalg.multi_dot([a, b]),
    }
    return Step(name, calls.get(name) or find(name), [x, other], "joined")


def solving(draw: Draw, x: Any) -> Step:
    name = draw(st.sampled_from(SOLVING.split()))
    rows = x.shape[0] if x.ndim == 2 else 3
    root = x if x.ndim == 2 else values(draw, "float32", (3, 3))

    def square(a: Any) -> Any:
        return np.matmul(a, np.swapaxes(np.conjugate(a), -1, -2)) + (rows + 1) * np.eye(rows, dtype=np.float32)

    calls: dict[str, Callable[..., Any]] = {
        "svd": lambda a: np.linalg.svd(a, compute_uv=False),
        "qr": lambda a: np.absolute(np.linalg.qr(square(a))[1]),
        "pinv": lambda a: np.linalg.pinv(square(a)),
        "norm": lambda a: np.linalg.norm(a, axis=-1),
        "matrix_norm": lambda a: np.linalg.norm(a, "fro", (-2, -1)),
        "vector_norm": lambda a: np.linalg.norm(a),
        "matrix_power": lambda a: np.linalg.matrix_power(square(a), 2),
        "solve": lambda a: np.linalg.solve(square(a), a),
    }
    call = calls.get(name) or (lambda a: find(f"linalg.{name}")(square(a)))
    return Step(f"linalg.{name}", call, [root], "kinds")


def transforming(draw: Draw, x: Any) -> Step:
    name = draw(st.sampled_from(["fft", "ifft", "rfft", "irfft", "hfft", "fft2", "fftshift"]))
    return Step(f"fft.{name}", find(f"fft.{name}"), [x], "first" if name == "fftshift" else "kinds")


def summarising(draw: Draw, x: Any) -> Step:
    """Statistics, differences and windows, mostly in floats."""
    axis, number = an_axis(draw, x), draw(st.integers(1, 3))
    calls: dict[str, tuple[str, Callable[..., Any]]] = {
        "percentile": ("real float", lambda a: np.percentile(a, [10.0, 75.0], axis)),
        "quantile": ("real float", lambda a: np.quantile(a, 0.25)),
        "nanquantile": ("real float", lambda a: np.nanquantile(a, 0.5, axis)),
        "average": ("float", lambda a: np.average(a, axis)),
        "cov": ("float", lambda a: np.cov(np.atleast_2d(a), ddof=0)),
        "trapezoid": ("float", lambda a: getattr(np, "trapezoid", np.sum)(a, axis=axis)),
        "gradient": ("float", lambda a: np.gradient(a, axis=axis)),
        "unwrap": ("float", lambda a: np.unwrap(a, axis=axis)),
        "ediff1d": ("first", lambda a: np.ediff1d(a)),
        "partition": ("first", lambda a: np.sort(np.partition(a, 0, axis), axis)),
        "insert": ("first", lambda a: np.insert(a, 0, 1, axis)),
        "vander": ("sum", lambda a: np.vander(a, number)),
        "digitize": ("index", lambda a: np.digitize(a, [0, 1, 2])),
        "bincount": ("index", lambda a: np.bincount(np.ravel(a), minlength=number)),
        "histogram": ("index", lambda a: np.histogram(np.ravel(a), number, (-2, 2))[0]),
        "count_nonzero": ("index", lambda a: np.count_nonzero(a, axis)),
        "lexsort": ("index", lambda a: np.lexsort((a,), axis)),
        "logaddexp.reduce": ("float", lambda a: np.logaddexp.reduce(a, axis)),
    }
    name = draw(st.sampled_from(list(calls)))
    rule, call = calls[name]
    return Step(name, call, [x], rule)


def pairing(draw: Draw, x: Any) -> Step:
    """Vectors and sets of two."""
    name = draw(st.sampled_from(PAIRING.split()))
    if name in ("matvec", "vecmat", "vecdot") and not hasattr(np, name):
        name = "inner"
    name = "convolve" if name == "polyval" and not x.size else name
    last = x.shape[-1:] or (2,)
    other = alike(draw, x, (3,) if name == "polyval" else last)
    if name == "choose":
        places = np.asarray(np.abs(values(draw, "int8", last)) % 2)
        return Step(name, lambda a, b, p: np.choose(p, (a, b)), [x, other, places], "joined", 2)
    if name == "ldexp":
        return Step(name, np.ldexp, [x, values(draw, "int32", last)], "float", 1)
    if name == "interp":
        places = np.arange(3, dtype=np.float32)
        return Step(name, lambda a, b, c: np.interp(a, b, c), [x, places, values(draw, "float32", (3,))], "kinds")
    if name == "put_along_axis":

        def put(a: Any) -> Any:
            copied = np.copy(a)
            np.put_along_axis(copied, np.argmax(a, axis=-1, keepdims=True), 1, axis=-1)
            return copied

        return Step(name, put, [x], "first")
    rule = "first" if name in ("setdiff1d",) else "joined"
    return Step(name, find(name), [x, other], rule)


def of_ufuncs(draw: Draw, x: Any) -> Step:
    if draw(st.booleans()):
        rule, name = draw(st.sampled_from([("same", "add"), ("same", "multiply"), ("bool", "less"), ("same", "maximum")]))
        return Step(f"{name}.outer", getattr(np, name).outer, [x, alike(draw, x, shapes(draw)[:2])], rule)
    rule, name = draw(st.sampled_from([("sum", "add"), ("sum", "multiply"), ("same", "maximum"), ("bool", "logical_and")]))
    options = {"axis": axes(draw, x), "keepdims": draw(st.booleans())}
    return Step(f"{name}.reduce", functools.partial(getattr(np, name).reduce, **options), [x], rule)


FAMILIES: Final[list[Callable[[Draw, Any], Step]]] = [
    *(unary, unary, binary, binary, binary, reducing, reducing, placing, running, moving, moving),
    *(joining, choosing, choosing, multiplying, solving, transforming, summarising, pairing, of_ufuncs),
]
"""The larger families more than once."""
