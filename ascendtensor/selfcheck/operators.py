"""Tiny operators against NumPy: the commonest ones, over the dtypes that they take.

The references are NumPy's, computed in float64 from the same rounded inputs; tolerances are those of the dtype, wider where the operator
sums or where chips compute products in a narrower type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import ml_dtypes
import numpy as np
import numpy.typing as npt

import ascendtensor as at

from ..errors import AclError, CompileError, DTypeError, OperatorNotFoundError

Array = npt.NDArray[Any]

FLOATS: Final = ("float32", "float16", "bfloat16")
NUMBERS: Final = (*FLOATS, "int32", "int64")
ALL: Final = (*NUMBERS, "bool")
TOLERANCE: Final = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Relative to the largest number of the reference."""

SHOWN: Final = 4
"""How many of the numbers that differ a report holds."""


@dataclass(frozen=True)
class Case:
    """One function on small inputs.

    Attributes:
        name: Of the function.
        run: The function on tensors.
        reference: The same on NumPy arrays; floats come in float64.
        shapes: Of the inputs.
        dtypes: Of the inputs.
        low, high: Between which the inputs lie.
        slack: Factor to the dtype's tolerance.
    """

    name: str
    run: Callable[..., Any]
    reference: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((3, 5),)
    dtypes: tuple[str, ...] = FLOATS
    low: float = -3.0
    high: float = 3.0
    slack: float = 1.0


_PAIR: Final = ((3, 5), (3, 5))


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _conv(x: Array, weight: Array) -> Array:
    """With a padding of 1 and steps of 2, for windows of 3."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    view: Any = np.lib.stride_tricks.sliding_window_view  # NumPy 1.26's types know one axis only
    windows = view(padded, (3, 3), (2, 3))[:, :, ::2, ::2]
    found: Array = np.einsum("nchwij,ocij->nohw", windows, weight)
    return found


def _spread(x: Array, weight: Array) -> Array:
    """With steps of 2, for windows of 2: they do not meet."""
    found: Array = np.einsum("nchw,coij->nohiwj", x, weight)
    return found.reshape(x.shape[0], weight.shape[1], 2 * x.shape[2], 2 * x.shape[3])


def _tiles(x: Array) -> Array:
    """The image in tiles of 2 by 2: (batch, channels, rows, 2, columns, 2)."""
    return x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2)


def _largest(x: Array) -> Array:
    """Where the largest element of each tile is in the flattened image."""
    at_tile = _tiles(x).swapaxes(3, 4).reshape(*x.shape[:2], x.shape[2] // 2, x.shape[3] // 2, 4).argmax(-1)
    rows, columns = np.ogrid[: x.shape[2] // 2, : x.shape[3] // 2]
    found: Array = (2 * rows + at_tile // 2) * x.shape[3] + 2 * columns + at_tile % 2
    return found


def _columns(x: Array) -> Array:
    """Windows of 2 by 3 side by side, as columns."""
    apart = x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 3, 3).transpose(0, 1, 3, 5, 2, 4)
    found: Array = apart.reshape(x.shape[0], x.shape[1] * 6, -1)
    return found


def _layer_norm(x: Array) -> Array:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))


CASES: Final = (
    # Two operands
    Case("add", at.add, np.add, _PAIR, NUMBERS),
    Case("add, broadcast", at.add, np.add, ((3, 5), (5,)), ("float32",)),
    Case("sub", at.sub, np.subtract, _PAIR, NUMBERS),
    Case("mul", at.mul, np.multiply, _PAIR, NUMBERS),
    Case("mul, by a number", lambda a: a * 2.5, lambda a: a * 2.5),
    Case("div", at.div, np.divide, _PAIR, FLOATS, 0.5),
    Case("pow", lambda a: a**2, np.square, ((3, 5),), ("float32", "float16")),
    Case("maximum", at.maximum, np.maximum, _PAIR, NUMBERS),
    Case("minimum", at.minimum, np.minimum, _PAIR, NUMBERS),
    Case("eq", at.eq, np.equal, _PAIR, ALL),
    Case("lt", at.lt, np.less, _PAIR, NUMBERS),
    Case("logical_and", at.logical_and, np.logical_and, _PAIR, ("bool",)),
    Case("where", lambda a, b: at.where(a > b, a, b), np.maximum, _PAIR, NUMBERS),
    # One operand
    Case("neg", at.neg, np.negative, dtypes=NUMBERS),
    Case("abs", at.abs, np.abs, dtypes=NUMBERS),
    Case("exp", at.exp, np.exp, slack=3),
    Case("log", at.log, np.log, low=0.5, slack=3),
    Case("sqrt", at.sqrt, np.sqrt, low=0.5),
    Case("rsqrt", at.rsqrt, lambda a: 1 / np.sqrt(a), low=0.5, slack=3),
    Case("tanh", at.tanh, np.tanh, slack=3),
    Case("sin", at.sin, np.sin, slack=3),
    Case("sigmoid", at.sigmoid, _sigmoid, slack=3),
    Case("floor", at.floor, np.floor),
    Case("relu", at.relu, lambda a: np.maximum(a, 0)),
    Case("logical_not", at.logical_not, np.logical_not, dtypes=("bool",)),
    Case("to float32", lambda a: a.to(at.float32), lambda a: a.astype(np.float32), dtypes=ALL),
    Case("to int32", lambda a: a.to(at.int32), lambda a: np.trunc(a).astype(np.int32), dtypes=("float32", "float16", "int64")),
    # Reductions
    Case("sum", lambda a: at.sum(a, 1), lambda a: a.sum(1), dtypes=("float32", "float16", "int32"), slack=4),
    Case("mean", at.mean, np.mean, slack=4),
    Case("amax", lambda a: at.amax(a, 0), lambda a: a.max(0), dtypes=("float32", "float16", "int32")),
    Case("argmax", lambda a: at.argmax(a, 1), lambda a: a.argmax(1), dtypes=("float32", "float16")),
    Case("cumsum", lambda a: at.cumsum(a, 1), lambda a: a.cumsum(1), dtypes=("float32", "float16", "int32"), slack=4),
    Case("softmax", lambda a: at.softmax(a, -1), _softmax, slack=3),
    Case("layer_norm", lambda a: at.nn.functional.layer_norm(a, (5,)), _layer_norm, dtypes=("float32", "float16"), slack=5),
    # Products
    Case("matmul", at.matmul, np.matmul, ((4, 8), (8, 6)), slack=100),
    Case("bmm", at.bmm, np.matmul, ((2, 4, 8), (2, 8, 6)), ("float32", "float16"), slack=100),
    # Images
    Case("conv2d", lambda x, w: at.conv2d(x, w, padding=1, stride=2), _conv, ((2, 3, 6, 5), (4, 3, 3, 3)), slack=100),
    Case("conv_transpose2d", lambda x, w: at.conv_transpose2d(x, w, stride=2), _spread, ((1, 2, 3, 3), (2, 4, 2, 2)), slack=100),
    Case("max_pool2d", lambda x: at.max_pool2d(x, 2), lambda x: _tiles(x).max((3, 5)), ((2, 3, 4, 6),)),
    Case(
        "max_pool2d, indices", lambda x: at.nn.functional.max_pool2d(x, 2, return_indices=True)[1], _largest, ((2, 3, 4, 6),), ("float32",)
    ),
    Case("avg_pool2d", lambda x: at.nn.functional.avg_pool2d(x, 2), lambda x: _tiles(x).mean((3, 5)), ((2, 3, 4, 6),), slack=4),
    Case(
        "adaptive_avg_pool2d",
        lambda x: at.nn.functional.adaptive_avg_pool2d(x, (2, 3)),
        lambda x: _tiles(x).mean((3, 5)),
        ((2, 3, 4, 6),),
        slack=4,
    ),
    Case("interpolate", lambda x: at.nn.functional.interpolate(x, scale_factor=2), lambda x: x.repeat(2, 2).repeat(2, 3), ((1, 2, 3, 3),)),
    Case("unfold", lambda x: at.nn.functional.unfold(x, (2, 3), stride=(2, 3)), _columns, ((2, 3, 4, 6),)),
    # Places
    Case("transpose", lambda a: a.T.contiguous(), np.transpose, dtypes=ALL),
    Case("slice", lambda a: a[1:, ::2].clone(), lambda a: a[1:, ::2], dtypes=NUMBERS),
    Case("cat", lambda a, b: at.cat([a, b], 1), lambda a, b: np.concatenate([a, b], 1), _PAIR, NUMBERS),
    Case("flip", lambda a: at.flip(a, [0]), lambda a: a[::-1], dtypes=("float32", "int32")),
    Case("index_select", lambda a: at.index_select(a, 0, at.tensor([2, 0])), lambda a: a[[2, 0]], dtypes=("float32", "float16", "int32")),
    Case("triu", at.triu, np.triu, dtypes=("float32", "int32")),
    Case("sort", lambda a: at.sort(a)[0], np.sort, dtypes=("float32", "float16")),
    Case("topk", lambda a: at.topk(a, 2)[0], lambda a: -np.sort(-a)[:, :2], dtypes=("float32", "float16")),
    Case("masked_select", lambda a: a[a > 0], lambda a: a[a > 0], dtypes=("float32", "int32")),
    # From nothing
    Case("arange", lambda: at.arange(7), lambda: np.arange(7), ()),
    Case("full", lambda: at.full((3,), 1.5), lambda: np.full(3, 1.5), ()),
)


def checked(device: Any, names: str = "") -> Iterator[dict[str, Any]]:
    """Run the cases (those whose name contains `names`) and give a record of each, as the report holds it."""
    for case in CASES:
        if names in case.name:
            for dtype in case.dtypes if case.shapes else ("",):
                yield {"operator": case.name, "dtype": dtype, **_outcome(case, dtype, device)}


def _outcome(case: Case, dtype: str, device: Any) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    given = [_input(rng, case, shape, dtype) for shape in case.shapes]
    wide = [array.astype(np.float64) if dtype in FLOATS else array for array in given]
    try:
        with at.device(device):
            found = case.run(*(at.tensor(array) for array in given)).numpy()
    except (CompileError, OperatorNotFoundError, DTypeError) as error:
        return {"outcome": "missing", **_told(error)}
    except Exception as error:  # whatever it is, the report has to come to its end
        return {"outcome": "error", **_told(error)}
    return _compared(found, np.asarray(case.reference(*wide)), TOLERANCE.get(dtype, TOLERANCE["float32"]) * case.slack)


def _input(rng: np.random.Generator, case: Case, shape: tuple[int, ...], dtype: str) -> Array:
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.startswith("int"):
        return rng.integers(int(case.low), int(case.high) + 1, shape).astype(dtype)
    return np.asarray(rng.uniform(case.low, case.high, shape).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype))


def _compared(found: Array, expected: Array, tolerance: float) -> dict[str, Any]:
    if found.shape != expected.shape:
        return {"outcome": "differs", "text": f"the shape is {found.shape}, not {expected.shape}"}
    exact = found.dtype.kind in "biu"
    wide, expected = found.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        distance = np.abs(wide - expected)
    scale = 1.0 if exact else max(float(np.abs(expected).max(initial=0)), 1e-30)
    wrong = ~(distance <= (0.0 if exact else tolerance * scale))
    record: dict[str, Any] = {"outcome": "differs" if wrong.any() else "ok"}
    if not exact:
        record["error"] = _number(float(distance.max(initial=0)) / scale)
    if wrong.any():
        places = np.argwhere(wrong)
        record["text"] = f"{len(places)} of {found.size} numbers differ"
        record["first"] = [
            [place.tolist(), _number(float(wide[tuple(place)])), _number(float(expected[tuple(place)]))] for place in places[:SHOWN]
        ]
    return record


def _number(value: float) -> float | str:
    """JSON has no NaN."""
    return value if np.isfinite(value) else str(value)


def _told(error: Exception) -> dict[str, Any]:
    record: dict[str, Any] = {"text": f"{type(error).__name__}: {error}"}
    if isinstance(error, AclError):
        record["code"] = error.code
    return record
