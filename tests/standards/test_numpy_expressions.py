"""Any expression of 1 to 5 of NumPy's functions over tensors and arrays gives what NumPy gives on the arrays, on the device.

Each step is compared with NumPy's on the very values that the step was given, so that a last bit of one step is no other number in the
next. `pytest --hypothesis-profile=explore` draws other expressions, and many more of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from numpy_steps import DTYPES, FAMILIES, Step, shapes, values

import ascendtensor as at

TOLERANCES: Final = {"float16": 4e-3, "float32": 2e-4, "float64": 1e-9, "complex64": 3e-4, "complex128": 1e-9}
"""Of results; sums of products lose digits."""


SMALL: Final = {"divmod", "floor_divide", "fmod", "left_shift", "power", "remainder", "right_shift", "square"}
"""Of bool they are of int8, as NumPy's."""


OF_OTHER_KIND: Final = {"reciprocal", "conjugate", "round"}
"""Of integers or of bool, as docs/numpy.md says."""


# The dtypes that docs/numpy.md promises


def _kind(dtype: Any) -> int:
    return "biufc".replace("u", "").index(np.dtype(dtype).kind.replace("u", "i"))


def promoted(operands: list[Any], ranks: bool = True) -> np.dtype[Any]:
    """The common dtype: of arrays with axes, then of those without, then of numbers, whose kind alone counts."""
    tiers: list[list[np.dtype[Any]]] = [[], [], []]
    for x in operands:
        if isinstance(x, np.ndarray):
            tiers[0 if x.ndim or not ranks else 1].append(x.dtype)
        else:
            tiers[2].append(np.dtype({bool: "bool", int: "int64", float: "float32"}[type(x)]))
    result: np.dtype[Any] | None = None
    for tier in tiers:
        for dtype in tier[:1]:
            common = dtype
            for other in tier[1:]:
                common = _joined(common, other)
            if result is None:
                result = common
            elif _kind(common) > _kind(result):
                result = _with_kind(result, common)
    assert result is not None
    return result


def _joined(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    if _kind(a) != _kind(b):
        low, high = sorted((a, b), key=_kind)
        return np.dtype("complex128") if high == "complex64" and low == "float64" else high
    return np.promote_types(a, b)


def _with_kind(kept: np.dtype[Any], of_kind: np.dtype[Any]) -> np.dtype[Any]:
    """Floats keep their precision beside a complex number without axes."""
    if _kind(kept) == 2:
        return np.dtype("complex128" if kept == "float64" else "complex64")
    return of_kind


def expected_dtype(step: Step, found: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    """The dtypes that a result may have."""
    common = promoted(step.operands[: step.promoting], step.rule != "joined")
    if common == "bool" and step.name in SMALL:
        common = np.dtype("int8")
    floating = np.dtype("float32") if _kind(common) < 2 else common
    real = {"complex64": "float32", "complex128": "float64"}
    match step.rule:
        case "same" | "joined":
            yield common
        case "double":
            yield np.dtype("complex128" if _kind(common) == 3 else "float64")
        case "first":
            yield step.operands[0].dtype
        case "float":
            yield floating
        case "real":
            yield np.dtype(real.get(common.name, common.name))
        case "real float":
            yield np.dtype(real.get(floating.name, floating.name))
        case "sum":
            yield np.dtype("int64") if _kind(common) < 2 else common
        case "bool":
            yield np.dtype("bool")
        case "index":
            yield np.dtype("int64")
        case "kinds":  # of the precision of the operands
            wide = floating in ("float64", "complex128")
            yield from map(np.dtype, ("float64", "complex128") if wide else ("float32", "complex64", floating))


# Both sides


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _on_arrays(step: Step, operands: list[Any]) -> list[Any] | Exception:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(leaf) for leaf in _leaves(step.call(*operands))]
        except Exception as error:
            return error


def _on_tensors(step: Step, kinds: list[bool]) -> list[Any] | Exception:
    given = [at.tensor(x) if kind and isinstance(x, np.ndarray) else x for x, kind in zip(step.operands, kinds, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = list(_leaves(step.call(*given)))
            at.synchronize()
        except Exception as error:
            return error
    assert all(isinstance(leaf, at.Tensor) and leaf.device == "npu:0" for leaf in found), [type(leaf) for leaf in found]
    return found


def _in_double(step: Step) -> list[Any]:
    """The operands in the dtype that they are computed in here, and then in double precision."""
    common = promoted(step.operands[: step.promoting], step.rule != "joined")
    common = np.dtype("float64") if step.rule == "double" and _kind(common) < 3 else common
    if step.rule in ("float", "kinds", "real float") and _kind(common) < 2:
        common = np.dtype("float32")
    wide = {2: "float64", 3: "complex128"}.get(_kind(common), common.name)
    count = len(step.operands) if step.promoting is None else step.promoting
    if step.rule == "first":
        return step.operands
    return [np.asarray(x).astype(common).astype(wide) if place < count else x for place, x in enumerate(step.operands)]


def _agrees(mine: Any, theirs: Any, scale: float) -> bool:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = theirs.astype(mine.dtype)
        if mine.dtype.kind in "biu":
            return bool(np.array_equal(mine, reference))
        rtol = TOLERANCES[mine.dtype.name]
        wide = "complex128" if mine.dtype.kind == "c" else "float64"
        if mine.dtype.kind == "c":  # infinite products: which of C's infinities and NaN it is, libraries see differently
            finite = np.isfinite(mine)
            if not np.array_equal(finite, np.isfinite(reference)):
                return False
            mine, reference = mine[finite], reference[finite]
        return bool(np.allclose(mine.astype(wide), reference.astype(wide), rtol, rtol * scale, equal_nan=True))


def _scale(arrays: list[Any]) -> float:
    found = [np.abs(np.asarray(x, "complex128")) for x in arrays]
    return max([1.0, *(float(x[np.isfinite(x)].max(initial=0)) for x in found)])


def difference(step: Step) -> str | None:
    """The difference of docs/numpy.md that a step falls under."""
    return next((text for text, holds in DIFFERENCES.items() if holds(step)), None)


def _dtypes(step: Step) -> set[str]:
    return {x.dtype.name for x in step.operands if isinstance(x, np.ndarray)}


_ORDERED: Final = (
    *("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin", "less.outer", "maximum.outer"),
    *("max", "min", "amax", "amin", "ptp", "nanmax", "nanmin", "argmax", "argmin", "nanargmax", "nanargmin", "median", "nanmedian"),
    *("maximum.reduce", "maximum.accumulate", "sort", "argsort", "searchsorted", "take_along_axis", "unique", "clip"),
    *("partition", "lexsort", "digitize", "histogram", "setxor1d", "union1d", "intersect1d", "setdiff1d", "put_along_axis", "interp"),
)
_UNLIKE_VECTORS = {"flip", "moveaxis", "swapaxes", "sort", "fft.fftshift", "delete", "roll", "mean", "median", "std", "var"}
_UNLIKE_VECTORS |= {"average", "quantile", "nanquantile", "percentile", "partition", "put_along_axis", "nanmedian", "insert", "unwrap"}
_PRODUCTS: Final = ("mat", "vec", "dot", "inner", "vdot", "tensordot", "einsum", "linalg")

DIFFERENCES: Final[dict[str, Callable[[Step], bool]]] = {
    "Complex numbers have no order": lambda step: step.name in _ORDERED and bool({"complex64", "complex128"} & _dtypes(step)),
    "A 0-d tensor has an axis 0": lambda step: step.name in _UNLIKE_VECTORS and not step.operands[0].ndim,
    "`np.nanargmax` of nothing but NaN gives 0": lambda step: step.name in ("nanargmax", "nanargmin"),
    "Integers to negative powers": lambda step: step.name == "power" and _kind(promoted(step.operands)) < 2,
    "not at all where the result has no elements": lambda step: step.name in ("take", "trim") and not step.operands[0].size,
    "of a matrix that is not finite are NaN": lambda step: (
        step.name.startswith("linalg.") and not all(np.isfinite(x).all() for x in step.operands if isinstance(x, np.ndarray))
    ),
    "Linear algebra takes float16": lambda step: step.name.startswith("linalg.") and "float16" in _dtypes(step),
    "`np.cross` takes vectors of 3": lambda step: step.name == "cross" and any(x.shape[-1] == 2 for x in step.operands),
    "`np.quantile`, `np.gradient` and their like take bool": lambda step: (
        step.name in ("quantile", "nanquantile", "percentile", "gradient", "unwrap") and "bool" in _dtypes(step)
    ),
    "`np.average` gives no averages of an operand that has none": lambda step: step.name == "average" and not step.operands[0].size,
    "Matrices of bool can't be multiplied": lambda step: step.name.startswith(_PRODUCTS) and "bool" in _dtypes(step),
}
"""What docs/numpy.md says of what is refused on one side only, and the steps that it is true of."""

OF_VALUES: Final[dict[str, Callable[[Step], bool]]] = {
    "between infinities is one": lambda step: (
        step.name in ("quantile", "nanquantile", "percentile", "nanmedian") and not np.isfinite(step.operands[0]).all()
    ),
    "some of NumPy's libraries leave out products with 0": lambda step: (
        step.name.startswith((*_PRODUCTS, "kron", "outer", "convolve", "correlate", "cross"))
        and not all(np.isfinite(x).all() for x in step.operands)
    ),
    "`np.angle` of -0.0 is 0": lambda step: step.name == "angle" and bool((step.operands[0] == 0).any()),
}
"""The same of other values."""


def test_the_page_says_what_differs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "numpy.md").read_text(encoding="utf-8")
    assert not [text for text in DIFFERENCES if text not in page]
    assert not [text for text in OF_VALUES if text not in page]


def check(step: Step, kinds: list[bool]) -> Any:
    """One step on both sides: the tensors' result as an array, None where both refuse it."""
    told = f"{step.name} of {[f'{x.dtype}{list(x.shape)}' if isinstance(x, np.ndarray) else x for x in step.operands]}, tensors {kinds}"
    theirs = _on_arrays(step, step.operands)
    ours = _on_tensors(step, kinds)
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        both = isinstance(theirs, Exception) and isinstance(ours, Exception)
        assert both or difference(step), f"{told}\nNumPy: {theirs!r}\nhere: {ours!r}\n{step.operands}"
        return None
    event(step.name)
    found = [leaf.numpy() for leaf in ours]
    told += f"\n{step.operands}\nNumPy: {theirs}\nhere: {found}"
    assert [x.shape for x in found] == [x.shape for x in theirs], told
    of_nothing = step.name == "cov" and not found[0].size  # `np.cov` of no rows
    assert [_kind(x.dtype) for x in found] == [_kind(x.dtype) for x in theirs] or step.name in OF_OTHER_KIND or of_nothing, told
    if step.name != "frexp":
        allowed = list(expected_dtype(step, found[0].dtype))
        assert all(x.dtype in allowed for x in found), f"{told}\ndtype {allowed}"
    double = _on_arrays(step, _in_double(step))
    scale = _scale([*step.operands, *theirs])
    for place, mine in enumerate(found):
        right = _agrees(mine, theirs[place], scale)
        if not right and not isinstance(double, Exception):
            right = double[place].shape == mine.shape and _agrees(mine, double[place], scale)
            told += f"\nin double: {double}"
        assert right or any(holds(step) for holds in OF_VALUES.values()), told
    return found[0]


def _tamed(x: Any) -> Step | None:
    """What brings a value back to where a few digits are enough, None if it is there."""
    if x.dtype.kind not in "fc" or _scale([x]) <= 30:
        return None
    return Step("clip", lambda a: np.clip(a, -2, 2), [x], "first") if x.dtype.kind == "f" else Step("angle", np.angle, [x], "real")


def expression(draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
    """Draws steps one by one, each for the value that the one before gave."""
    value = values(draw, draw(st.sampled_from(DTYPES)), shapes(draw))
    for _ in range(draw(st.integers(1, 5))):
        step = _tamed(value) or draw(st.sampled_from(FAMILIES))(draw, value)
        arrays = [isinstance(x, np.ndarray) for x in step.operands]
        kinds = [there and (draw(st.booleans()) if sum(arrays) > 1 else True) for there in arrays]
        if step.first or not any(kinds):
            kinds[arrays.index(True)] = True
        found = check(step, kinds)
        if found is None:
            continue
        if found.ndim > 3 or found.size > 64:
            return
        value = found


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.2.0", reason="compared with the functions and results of NumPy 2.2 (matvec, floor of integers)"
)
@settings(
    max_examples=400 if settings().derandomize else 40_000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_any_expression_gives_what_it_gives_on_arrays(data: st.DataObject) -> None:
    expression(data.draw)
