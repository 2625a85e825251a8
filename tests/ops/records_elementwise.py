"""Records of arithmetic with two and three operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import (
    COMPLEX,
    FLOAT,
    FLOATS,
    INTS,
    SAME,
    Arguments,
    Array,
    Record,
    Refused,
    With,
    array,
    binary_samples,
    d,
    edges,
    unary_samples,
    views,
)
from records_unary import floating

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.pointwise import elementwise
from ascendtensor.ops.table import elementwise as table
from ascendtensor.ops.table import special

UNSIGNED = (d.uint16, d.uint32, d.uint64)
REAL = (*FLOATS, *INTS)
SHAPES_DIFFER = Refused((np.zeros((2, 3), np.float32), np.zeros((2, 4), np.float32)), ValueError, r"\[2, 3\]")


def shapes_differ() -> list[Refused]:
    return [SHAPES_DIFFER]


def same_in_category(low: float = -4, high: float = 4, other: tuple[float, float] | None = None) -> Callable[[DType], Iterator[Arguments]]:
    """Two operands, and a Python number of the dtype's own category on either side."""
    two = binary_samples(low, high, other)

    def samples(dtype: DType) -> Iterator[Arguments]:
        yield from two(dtype)
        number: Any = {0: True, 1: 3, 2: 2.5, 3: 1.5 - 2j}[dtype.category]
        yield array(dtype, (3, 4), low, high), number
        yield number, array(dtype, (3, 4), *((low, high) if other is None else other))

    return samples


def with_alpha(dtype: DType) -> Iterator[Any]:
    yield from same_in_category()(dtype)
    if dtype.category:
        yield With((array(dtype, (3, 4)), array(dtype, (4,), key=1)), {"alpha": 2})
        yield With((array(dtype, (3, 4)), 3), {"alpha": 2})


def plus(a: Any, b: Any, alpha: Any = 1) -> Any:
    return np.add(a, b) if alpha == 1 else np.add(a, _typed(a, alpha) * b)


def minus(a: Any, b: Any, alpha: Any = 1) -> Any:
    return np.subtract(a, b) if alpha == 1 else np.subtract(a, _typed(a, alpha) * b)


def _typed(like: Any, number: Any) -> Any:
    return like.dtype.type(number) if isinstance(like, np.ndarray) else number


def nonzero_samples(dtype: DType) -> Iterator[Arguments]:
    """Divisors that are not 0; for integers also 0, which both sides answer with 0."""
    low = 1 if dtype.category == 1 else 0.25
    yield from binary_samples(-9, 9, (low, 4), edge=False)(dtype)
    if dtype.category == 1:
        yield edges(dtype)[:, None], np.array([1, 2, 3, 5, 0], dtype.numpy)
        if dtype.is_signed:
            yield array(dtype, (9,), -9, 9), np.array([-1, -2, -3, 1, 2, 3, 4, -4, 5], dtype.numpy)
    else:
        yield np.array([6, -6, 7, -7, 0.5, -0.5], dtype.numpy)[:, None], np.array([4, -4, 2.5, -2.5, np.inf, -np.inf, 0.0], dtype.numpy)
    yield array(dtype, (3, 4), -9, 9), 3


def division_modes(dtype: DType) -> Iterator[Any]:
    for args in nonzero_samples(dtype):
        yield With(args, {"rounding_mode": "trunc"})
        yield With(args, {"rounding_mode": "floor"})


def rounded_division(a: Any, b: Any, rounding_mode: str) -> Any:
    if rounding_mode == "floor":
        return np.floor_divide(a, b)
    if a.dtype.kind in "iu":
        quotient = np.floor_divide(a, b)
        return np.where((np.remainder(a, b) != 0) & (quotient < 0), quotient + 1, quotient).astype(a.dtype)
    return np.trunc(a / b)


def power_samples(dtype: DType) -> Iterator[Arguments]:
    if dtype.category == 1:
        yield from binary_samples(-4, 4, (0, 3), edge=False)(dtype)
    elif dtype.is_complex:
        yield from binary_samples(0.5, 2, edge=False)(dtype)
    else:
        yield from binary_samples(0.1, 3, (-2, 2))(dtype)
    yield array(dtype, (3, 4), 0.5, 4), 2
    yield array(dtype, (3, 4), 0.5, 4), 3
    if dtype.category >= 2:
        yield array(dtype, (3, 4), 0.5, 4), 0.5
        yield array(dtype, (3, 4), 0.5, 4), -1
        yield 2.0, array(dtype, (3, 4))


def clamp_samples(dtype: DType) -> Iterator[Any]:
    values = array(dtype, (4, 5), 0, 9)
    small, large = (2, 6) if dtype.category == 1 else (1.5, 6.25)
    yield values, small, large
    yield values, large, small
    yield values, small
    yield With((values,), {"max": large})
    yield array(dtype, (), 0, 9), small, large
    yield array(dtype, (0, 3)), small, large
    for view in views(dtype, 0, 9):
        yield view, small, large
    if dtype is not d.uint8:
        yield edges(dtype), -2, 3
    yield values, array(dtype, (5,), 0, 4, "low"), array(dtype, (4, 1), 5, 9, "high")
    yield With((values,), {"min": array(dtype, (5,), 0, 4, "low")})


def clamped(values: Any, min: Any = None, max: Any = None) -> Any:
    if min is not None:
        values = np.maximum(values, _typed(values, min) if not isinstance(min, np.ndarray) else min)
    return values if max is None else np.minimum(values, _typed(values, max) if not isinstance(max, np.ndarray) else max)


def lerp_samples(dtype: DType) -> Iterator[Arguments]:
    for start, end in binary_samples(edge=False)(dtype):
        yield start, end, 0.25
    yield array(dtype, (3, 4)), array(dtype, (4,), key=1), array(dtype, (3, 1), 0, 1)
    yield array(dtype, (3, 4)), array(dtype, (3, 4), key=1), 1.0


def ternary_samples(low: float = -4, high: float = 4, divisor: tuple[float, float] | None = None) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for shapes in (((), (), ()), ((3, 4), (3, 4), (3, 4)), ((3, 1), (4,), ()), ((0, 4), (1, 4), (4,))):
            pair = [array(dtype, shape, low, high, key) for key, shape in enumerate(shapes[:2])]
            yield (*pair, array(dtype, shapes[2], *(divisor or (low, high)), "last"))
        yield (*(view for view in list(views(dtype, low, high))[:1] * 2), next(views(dtype, *(divisor or (low, high)))))
        yield With((array(dtype, (3, 4), low, high), array(dtype, (4,), low, high), array(dtype, (3, 4), 1, 4)), {"value": 2})
        if dtype.is_floating_point:
            yield With((array(dtype, (3, 4), low, high), array(dtype, (4,), low, high), array(dtype, (3, 4), 1, 4)), {"value": -0.5})

    return samples


def hypot_samples(dtype: DType) -> Iterator[Arguments]:
    yield from binary_samples()(dtype)
    big = float(d.finfo(dtype).max) / 4
    yield np.array([big, 0.0, big], dtype.numpy), np.array([big, 0.0, 1.0], dtype.numpy)
    yield array(dtype, (3, 4)), 2.5


def fraction(values: Array) -> Array:
    return np.asarray(values - np.trunc(values))


# Errors of three roundings, each to the dtype, add up.
ROUNDED_THRICE = {d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2)}
# The result cancels: what is lost is measured by the operands, which are below 100.
CANCELS = {d.float32: (2e-6, 1e-5), d.float16: (4e-3, 6e-2), d.bfloat16: (3e-2, 5e-1)}

RECORDS = [
    Record(
        "add",
        elementwise.add,
        plus,
        with_alpha,
        (table.ADD, special.AXPY),
        (*REAL, *UNSIGNED, d.bool_, *COMPLEX),
        SAME,
        tolerances=ROUNDED_THRICE,
        out=True,
        refused=lambda: [SHAPES_DIFFER, Refused((np.array([1]), np.array([2])), TypeError, "alpha", {"alpha": 0.5})],
    ),
    Record(
        "sub",
        elementwise.sub,
        minus,
        with_alpha,
        (table.SUB, special.AXPY),
        (*REAL, *UNSIGNED, *COMPLEX),
        SAME,
        tolerances=ROUNDED_THRICE,
        out=True,
        refused=shapes_differ,
        refuses=(d.bool_,),
    ),
    Record("rsub", elementwise.rsub, lambda a, b: np.subtract(b, a), binary_samples(), (table.SUB,), (d.float32, d.int32), SAME),
    Record("mul", elementwise.mul, np.multiply, same_in_category(), (table.MUL,), (*REAL, *UNSIGNED, d.bool_, *COMPLEX), SAME, out=True),
    Record("square", elementwise.square, np.square, unary_samples(), (table.MUL,), (*REAL, *COMPLEX), SAME, out=True),
    Record(
        "div",
        elementwise.div,
        floating(np.divide),
        same_in_category(1, 9),
        (table.DIV,),
        (*FLOATS, d.int32, d.int8, d.bool_, *COMPLEX),
        FLOAT,
        tolerances={d.complex64: (4e-6, 4e-6)},
        out=True,
        refused=lambda: [SHAPES_DIFFER, Refused((np.ones(2), 2), ValueError, "rounding_mode", {"rounding_mode": "up"})],
    ),
    Record(
        "true_divide", elementwise.true_divide, floating(np.divide), nonzero_samples, (table.DIV,), (d.float32, d.int64), FLOAT, out=True
    ),
    Record(
        "div-rounded",
        elementwise.div,
        rounded_division,
        division_modes,
        (table.TRUNCATE_DIV, table.FLOOR_DIV, table.WHOLE_FLOOR_DIV, table.FLOAT_MOD),
        (*REAL, d.uint16, d.uint32),
        SAME,
        out=True,
        refuses=COMPLEX,
    ),
    Record(
        "floor_divide",
        elementwise.floor_divide,
        np.floor_divide,
        nonzero_samples,
        (table.FLOOR_DIV, table.WHOLE_FLOOR_DIV, table.FLOAT_MOD),
        (*REAL, *UNSIGNED),
        SAME,
        out=True,
        refused=shapes_differ,
        refuses=(d.bool_, *COMPLEX),
    ),
    Record(
        "remainder",
        elementwise.remainder,
        np.remainder,
        nonzero_samples,
        (table.FLOOR_MOD,),
        (*REAL, d.uint16, d.uint32),
        SAME,
        tolerances=CANCELS,
        out=True,
        refuses=(d.bool_, *COMPLEX),
    ),
    Record(
        "fmod",
        elementwise.fmod,
        np.fmod,
        nonzero_samples,
        (table.MOD, table.FLOAT_MOD),
        (*REAL, d.uint16, d.uint32),
        SAME,
        tolerances=CANCELS,
        out=True,
    ),
    Record(
        "pow",
        elementwise.pow,
        np.power,
        power_samples,
        (table.POW, table.MUL),
        (*REAL, *COMPLEX),
        SAME,
        tolerances={d.float32: (5e-6, 1e-6), d.complex64: (2e-5, 2e-5)},
        out=True,
        refused=lambda: [SHAPES_DIFFER, Refused((np.array([2]), -1), ValueError, "negative")],
    ),
    Record(
        "maximum",
        elementwise.maximum,
        np.maximum,
        same_in_category(),
        (table.MAXIMUM,),
        (*REAL, d.uint16, d.uint32, d.bool_),
        SAME,
        out=True,
    ),
    Record(
        "minimum",
        elementwise.minimum,
        np.minimum,
        same_in_category(),
        (table.MINIMUM,),
        (*REAL, d.uint16, d.uint32, d.bool_),
        SAME,
        out=True,
    ),
    Record("atan2", elementwise.atan2, floating(np.arctan2), same_in_category(), (table.ATAN2,), (*FLOATS, d.int32), FLOAT, out=True),
    Record(
        "xlogy",
        elementwise.xlogy,
        floating(lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))),
        same_in_category(0, 4),
        (table.XLOGY,),
        (*FLOATS, d.int32),
        FLOAT,
        out=True,
    ),
    Record("hypot", elementwise.hypot, np.hypot, hypot_samples, (), FLOATS, SAME, tolerances=ROUNDED_THRICE, out=True, refuses=(d.int32,)),
    Record("frac", elementwise.frac, fraction, unary_samples(), (), FLOATS, SAME, out=True, refuses=(d.int32,)),
    Record(
        "clamp",
        elementwise.clamp,
        clamped,
        clamp_samples,
        (table.CLIP, table.MAXIMUM, table.MINIMUM),
        REAL,
        SAME,
        out=True,
        refused=lambda: [Refused((np.ones(2),), ValueError, "at least one")],
        refuses=COMPLEX,
    ),
    Record(
        "lerp",
        elementwise.lerp,
        lambda start, end, weight: start + weight * (end - start),
        lerp_samples,
        (table.LERP,),
        FLOATS,
        SAME,
        tolerances={d.float32: (2e-6, 2e-6), d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2)},
        out=True,
        refuses=(d.int32,),
    ),
    Record(
        "addcmul",
        elementwise.addcmul,
        lambda input, a, b, value=1: (input + _typed(input, value) * a * b).astype(input.dtype),
        ternary_samples(),
        (table.ADDCMUL,),
        REAL,
        SAME,
        tolerances=ROUNDED_THRICE | {d.float32: (2e-6, 4e-6)},
        out=True,
    ),
    Record(
        "addcdiv",
        elementwise.addcdiv,
        lambda input, a, b, value=1: input + value * a / b,
        ternary_samples(divisor=(1, 4)),
        (table.ADDCDIV,),
        FLOATS,
        SAME,
        tolerances=ROUNDED_THRICE | {d.float32: (2e-6, 4e-6)},
        out=True,
        refuses=(d.int32,),
    ),
]
