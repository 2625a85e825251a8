"""Records of mathematical functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from harness import COMPLEX, FLOAT, FLOATS, INTS, SAME, Array, Record, Refused, With, array, d, edges, unary_samples

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.pointwise import special, unary
from ascendtensor.ops.table import elementwise as table
from ascendtensor.ops.table.movement import CLONE

MATHEMATICAL = (*FLOATS, d.int32, d.bool_)
WITH_COMPLEX = (*MATHEMATICAL, *COMPLEX)
UNSIGNED = (d.uint16, d.uint32)


def floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A NumPy function that sees integers as float64; NumPy itself takes float16 for small ones."""

    def reference(*operands: Any) -> Any:
        return function(
            *(
                operand.astype(np.float32).astype(np.float64)
                if isinstance(operand, np.ndarray) and operand.dtype.kind in "iub"
                else operand
                for operand in operands
            )
        )

    return reference


def each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one number as a function of arrays."""
    return floating(np.vectorize(function, otypes=[np.float64]))


def inverse_error(value: float) -> float:
    if value == 0:
        return value
    if not abs(value) < 1:
        return math.copysign(math.inf, value) if abs(value) == 1 else math.nan
    return NormalDist().inv_cdf((value + 1) / 2) / math.sqrt(2)


def complex_sign(values: Array) -> Array:
    if values.dtype.kind != "c":
        return np.asarray(np.sign(values)) if values.dtype != np.bool_ else values
    size = np.abs(values)
    return np.asarray(values / np.where(size == 0, 1, size))


def unchanged(function: Callable[[Array], Array]) -> Callable[..., Array]:
    """A rounding: integers and bool are whole already."""

    def reference(values: Array, **more: Any) -> Array:
        return values if values.dtype.kind in "iub" else function(values, **more)

    return reference


def record(
    name: str, function: Any, reference: Any, row: Any, low: float = -4, high: float = 4, dtypes: Any = WITH_COMPLEX, **more: Any
) -> Record:
    """A function that makes floats of integers."""
    return Record(name, function, floating(reference), unary_samples(low, high), (row,), dtypes, FLOAT, out=True, **more)


def round_samples(dtype: DType) -> Iterator[Any]:
    yield from unary_samples()(dtype)
    if dtype.is_floating_point:
        for decimals in (1, 2, -1):
            yield With((array(dtype, (4, 5), -99, 99),), {"decimals": decimals})


def rounded(values: Array, decimals: int = 0) -> Array:
    # Through the inexact product, as the operator does: 0.285 has no two exact decimals anyway.
    power = 10.0 ** abs(decimals)
    if not decimals:
        return np.asarray(np.rint(values))
    return np.asarray(np.rint(values * power) / power if decimals > 0 else np.rint(values / power) * power)


def replacing_samples(dtype: DType) -> Iterator[Any]:
    yield from unary_samples()(dtype)
    yield With((edges(dtype),), {"nan": 1.5, "posinf": 7.0, "neginf": -7.0})
    yield With((edges(dtype),), {"posinf": 2.0})


def replaced(dtype: DType) -> Callable[..., Array]:
    limits = d.finfo(dtype) if dtype.is_floating_point else None

    def reference(values: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
        if limits is None:
            return values
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        return np.asarray(np.where(np.isnan(values), nan, np.where(values == np.inf, high, np.where(values == -np.inf, low, values))))

    return reference


# float16 and bfloat16 compute in float32; a steep function of a rounded argument is as near as its result can be.
STEEP = {d.float16: (4e-3, 2e-3), d.bfloat16: (3e-2, 2e-2)}
COMPLEX_MATH = {d.complex64: (2e-5, 1e-5)}

RECORDS = [
    Record(
        "abs", unary.abs, np.abs, unary_samples(), (table.ABS,), (*FLOATS, *INTS, *UNSIGNED, d.uint64), SAME, out=True, refuses=(d.bool_,)
    ),
    Record("abs-complex", unary.abs, np.abs, unary_samples(), (table.COMPLEX_ABS,), COMPLEX, DType.to_real, out=True),
    Record(
        "neg",
        unary.neg,
        np.negative,
        unary_samples(),
        (table.NEG,),
        (*FLOATS, *INTS, d.uint32, d.uint64, *COMPLEX),
        SAME,
        out=True,
        refuses=(d.bool_,),
    ),
    Record("positive", unary.positive, np.positive, unary_samples(), (), (d.float32, d.int8), SAME, refuses=(d.bool_,)),
    Record(
        "sign", unary.sign, complex_sign, unary_samples(), (table.SIGN,), (*FLOATS, *INTS, *UNSIGNED, d.bool_, *COMPLEX), SAME, out=True
    ),
    record("exp", unary.exp, np.exp, table.EXP, tolerances=STEEP | COMPLEX_MATH),
    record("exp2", unary.exp2, np.exp2, table.POW, dtypes=MATHEMATICAL),
    record("expm1", unary.expm1, np.expm1, table.EXPM1, tolerances=COMPLEX_MATH),
    record("log", unary.log, np.log, table.LOG, tolerances=COMPLEX_MATH),
    record("log2", unary.log2, np.log2, table.LOG2, tolerances=COMPLEX_MATH),
    record("log10", unary.log10, np.log10, table.LOG10, tolerances=COMPLEX_MATH),
    record("log1p", unary.log1p, np.log1p, table.LOG1P, -0.9, 4, tolerances=COMPLEX_MATH),
    record("sqrt", unary.sqrt, np.sqrt, table.SQRT, tolerances=COMPLEX_MATH),
    record("rsqrt", unary.rsqrt, lambda x: 1 / np.sqrt(x), table.RSQRT, 0.1, 4, tolerances=COMPLEX_MATH),
    record("reciprocal", unary.reciprocal, lambda x: 1 / x, table.RECIPROCAL, 0.1, 4, tolerances=COMPLEX_MATH),
    record("sin", unary.sin, np.sin, table.SIN, tolerances=COMPLEX_MATH),
    record("cos", unary.cos, np.cos, table.COS, tolerances=COMPLEX_MATH),
    record("tan", unary.tan, np.tan, table.TAN, -1, 1, tolerances=COMPLEX_MATH),
    record("asin", unary.asin, np.arcsin, table.ASIN, -1, 1, WITH_COMPLEX, tolerances=COMPLEX_MATH),
    record("acos", unary.acos, np.arccos, table.ACOS, -1, 1, WITH_COMPLEX, tolerances=COMPLEX_MATH),
    record("atan", unary.atan, np.arctan, table.ATAN, tolerances=COMPLEX_MATH),
    record("sinh", unary.sinh, np.sinh, table.SINH, tolerances=COMPLEX_MATH),
    record("cosh", unary.cosh, np.cosh, table.COSH, tolerances=COMPLEX_MATH),
    record("tanh", unary.tanh, np.tanh, table.TANH, tolerances=COMPLEX_MATH),
    record("asinh", unary.asinh, np.arcsinh, table.ASINH, tolerances=COMPLEX_MATH),
    record("acosh", unary.acosh, np.arccosh, table.ACOSH, 1, 5, tolerances=COMPLEX_MATH),
    record("atanh", unary.atanh, np.arctanh, table.ATANH, -0.9, 0.9, tolerances=COMPLEX_MATH),
    record("erf", unary.erf, each(math.erf), table.ERF, dtypes=MATHEMATICAL, refuses=COMPLEX),
    record("erfc", unary.erfc, each(math.erfc), table.ERFC, dtypes=MATHEMATICAL, refuses=COMPLEX),
    record(
        "erfinv",
        special.erfinv,
        each(inverse_error),
        table.ERFINV,
        -0.99,
        0.99,
        (*FLOATS, d.int32),
        tolerances={d.float64: (1e-11, 1e-12)},
        refuses=COMPLEX,
    ),
    Record(
        "floor",
        unary.floor,
        unchanged(np.floor),
        unary_samples(),
        (table.FLOOR, CLONE),
        (*FLOATS, *INTS, d.bool_),
        SAME,
        out=True,
        refuses=COMPLEX,
    ),
    Record("ceil", unary.ceil, unchanged(np.ceil), unary_samples(), (table.CEIL, CLONE), (*FLOATS, *INTS), SAME, out=True, refuses=COMPLEX),
    Record(
        "trunc", unary.trunc, unchanged(np.trunc), unary_samples(), (table.TRUNC, CLONE), (*FLOATS, *INTS), SAME, out=True, refuses=COMPLEX
    ),
    Record(
        "round",
        unary.round,
        unchanged(rounded),
        round_samples,
        (table.RINT, table.ROUND, CLONE),
        (*FLOATS, *INTS),
        SAME,
        out=True,
        refused=lambda: [Refused((np.array([15]),), TypeError, "round: int64 is not supported", {"decimals": -1})],
        refuses=COMPLEX,
    ),
    *(
        Record(
            f"nan_to_num-{dtype.name}", unary.nan_to_num, replaced(dtype), replacing_samples, (table.NAN_TO_NUM,), (dtype,), SAME, out=True
        )
        for dtype in (*FLOATS, d.int32)
    ),
]
