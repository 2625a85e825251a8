"""Records of comparisons, logic, bits, selection and casts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import (
    BOOL,
    COMPLEX,
    FLOATS,
    INTS,
    SAME,
    Arguments,
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

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.pointwise import comparison
from ascendtensor.ops.table import comparison as table
from ascendtensor.ops.table.elementwise import CAST
from ascendtensor.ops.table.movement import FILL

UNSIGNED = (d.uint16, d.uint32, d.uint64)
REAL = (*FLOATS, *INTS, *UNSIGNED, d.bool_)
CLASSIFIED = (*FLOATS, d.int32, d.uint8, d.bool_)
SHAPES_DIFFER = Refused((np.zeros((2, 3), np.float32), np.zeros((2, 4), np.float32)), ValueError, r"\[2, 3\]")


def compared(dtype: DType) -> Iterator[Arguments]:
    """Few different values, so that many are equal; a Python number on either side."""
    yield from binary_samples(-2, 2)(dtype)
    number = {0: True, 1: 1, 2: 0.5, 3: 1j}[dtype.category]
    yield array(dtype, (3, 4), -1, 1), number
    yield number, array(dtype, (3, 4), -1, 1)


def comparing(name: str, reference: Any, row: Any, joined: Any = None, **more: Any) -> Record:
    rows, dtypes = ((row,), REAL) if joined is None else ((row, joined), (*REAL, *COMPLEX))
    function = getattr(comparison, name)
    return Record(name, function, reference, compared, rows, dtypes, BOOL, out=True, refused=lambda: [SHAPES_DIFFER], **more)


def classifying(name: str, reference: Any, row: Any, rows: Any = (), **more: Any) -> Record:
    function = getattr(comparison, name)
    wide = name in ("isnan", "isinf", "isfinite")
    dtypes = (*CLASSIFIED, *COMPLEX) if wide else CLASSIFIED
    return Record(name, function, reference, unary_samples(), (row, *rows), dtypes, BOOL, refuses=() if wide else COMPLEX, **more)


def near_samples(dtype: DType) -> Iterator[Any]:
    values = array(dtype, (4, 5))
    yield values, values
    yield values, values[::-1]
    yield edges(dtype)[:, None], edges(dtype)
    yield array(dtype, (0, 3)), array(dtype, (3,))
    for equal_nan in (False, True):
        yield With((edges(dtype), edges(dtype)), {"equal_nan": equal_nan})
    yield With((array(dtype, (6, 6)), array(dtype, (6,), key=1)), {"rtol": 0.25, "atol": 1.0})
    yield With((values, 1), {"atol": 2.0})
    yield With((values, values[::-1]), {"rtol": 0.5, "atol": 0})
    yield With((values, values[::-1]), {"rtol": 0, "atol": 0})


def close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    wide = [np.asarray(value).astype(np.float64) for value in (a, b)]
    return np.isclose(*wide, rtol=rtol, atol=atol, equal_nan=equal_nan)


def all_close(a: Any, b: Any, **more: Any) -> bool:
    return bool(close(a, b, **more).all())


def equal_samples(dtype: DType) -> Iterator[Arguments]:
    values = array(dtype, (4, 5))
    yield values, values.copy()
    other = values.copy()
    other[3, 4] = other[3, 4] + other.dtype.type(1) if dtype is not d.bool_ else ~other[3, 4]
    yield values, other
    yield values, values.T
    yield values.T, np.ascontiguousarray(values.T)
    yield array(dtype, ()), array(dtype, ())
    yield array(dtype, (0, 2)), array(dtype, (0, 2))
    yield edges(dtype), edges(dtype)


def logic_samples(dtype: DType) -> Iterator[Arguments]:
    yield from binary_samples(-1, 1)(dtype)
    yield array(dtype, (3, 4), -1, 1), True
    yield 0, array(dtype, (3, 4), -1, 1)


def bit_samples(dtype: DType) -> Iterator[Arguments]:
    yield from binary_samples(-99, 99)(dtype)
    yield array(dtype, (3, 4), -99, 99), True if dtype is d.bool_ else 6


def shift_samples(dtype: DType) -> Iterator[Arguments]:
    yield from binary_samples(-99, 99, (0, 6), edge=False)(dtype)
    yield array(dtype, (3, 4), -99, 99), 2
    yield 3, array(dtype, (3, 4), 0, 4)
    yield edges(dtype), 1


def chosen_samples(dtype: DType) -> Iterator[Arguments]:
    for left, right in binary_samples()(dtype):
        yield array(d.bool_, np.broadcast_shapes(left.shape, right.shape)), left, right
    yield array(d.bool_, (3, 1)), array(dtype, (4,)), array(dtype, (2, 1, 1), key=1)
    yield array(d.bool_, (4, 3)).T, next(views(dtype))[:3, :4], array(dtype, (3, 4))
    number = {0: False, 1: 7, 2: -0.0, 3: 1 + 2j}[dtype.category]
    yield array(d.bool_, (3, 4)), array(dtype, (3, 4)), number
    yield array(d.bool_, (3, 4)), number, array(dtype, (4,))


def chosen(condition: Any, input: Any, other: Any) -> Any:
    like = input if isinstance(input, np.ndarray) else other
    return np.where(condition, np.asarray(input).astype(like.dtype), np.asarray(other).astype(like.dtype))


def filled_samples(dtype: DType) -> Iterator[Arguments]:
    number = {0: True, 1: 7, 2: float("-inf"), 3: 1 + 2j}[dtype.category]
    for shape, mask in (((), ()), ((7,), (7,)), ((3, 4), (4,)), ((4,), (3, 1)), ((0, 4), (4,))):
        yield array(dtype, shape), array(d.bool_, mask), number
    for view in views(dtype):
        yield view, array(d.bool_, view.shape), number
    yield edges(dtype), array(d.bool_, edges(dtype).shape), 0
    yield array(dtype, (3, 4)), array(d.bool_, (3, 4)), array(dtype, ())
    yield array(dtype, (3, 4)), array(d.bool_, (3, 4)), array(d.int32 if dtype is not d.bool_ else dtype, (1,), 0, 3)


def filled(input: Any, mask: Any, value: Any) -> Any:
    return np.where(mask, np.asarray(value).astype(input.dtype), input)


MASK_NOT_BOOL = Refused((np.ones((3,), np.int32), np.ones((3,), np.int32), 2), TypeError, "bool")


def cast_samples(dtype: DType) -> Iterator[Arguments]:
    low = 0 if not dtype.is_signed else -99
    yield array(dtype, (), low, 99), d.complex64
    yield array(dtype, (0, 3)), d.complex128 if dtype.is_complex else d.int8
    for target in d.ALL:
        if dtype.is_complex and not target.is_complex:
            continue
        negative = target.is_signed or not dtype.is_floating_point
        yield array(dtype, (3, 5), low if negative else 0, 99), target
        yield next(views(dtype, low if negative else 0, 99)), target


def casted(values: Any, target: DType) -> Any:
    return values.astype(target.numpy)


def casting(dtype: DType) -> Record:
    def function(input: Any, target: DType) -> Any:
        result = comparison.cast(input, target)
        assert result.dtype is target
        return result

    return Record(f"cast-{dtype.name}", function, casted, cast_samples, (CAST,), (dtype,))


RECORDS = [
    comparing("eq", np.equal, table.EQUAL, table.LOGICAL_AND),
    comparing("ne", np.not_equal, table.NOT_EQUAL, table.LOGICAL_OR),
    comparing("lt", np.less, table.LESS),
    comparing("le", np.less_equal, table.LESS_EQUAL),
    comparing("gt", np.greater, table.GREATER),
    comparing("ge", np.greater_equal, table.GREATER_EQUAL),
    classifying("isnan", np.isnan, table.IS_NAN, (table.NOT_EQUAL, table.LOGICAL_OR)),
    classifying("isinf", np.isinf, table.IS_INF, (table.LOGICAL_OR,)),
    classifying("isfinite", np.isfinite, table.IS_FINITE, (table.EQUAL, table.LOGICAL_AND)),
    classifying("isposinf", lambda x: (x == np.inf) if x.dtype.kind == "f" else np.zeros(x.shape, bool), table.IS_POS_INF, out=True),
    classifying("isneginf", lambda x: (x == -np.inf) if x.dtype.kind == "f" else np.zeros(x.shape, bool), table.IS_NEG_INF, out=True),
    classifying("signbit", lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, table.LESS, out=True),
    Record("isclose", comparison.isclose, close, near_samples, (table.IS_CLOSE,), (*FLOATS, d.int32, d.int64, d.uint8, d.bool_), BOOL),
    Record("allclose", comparison.allclose, all_close, near_samples, (table.IS_CLOSE, table.TENSOR_EQUAL), (*FLOATS, d.int32)),
    Record(
        "equal",
        comparison.equal,
        lambda a, b: a.shape == b.shape and bool((a == b).all()),
        equal_samples,
        (table.TENSOR_EQUAL,),
        REAL,
    ),
    Record(
        "logical_and", comparison.logical_and, np.logical_and, logic_samples, (table.LOGICAL_AND,), (*REAL, d.complex64), BOOL, out=True
    ),
    Record("logical_or", comparison.logical_or, np.logical_or, logic_samples, (table.LOGICAL_OR,), REAL, BOOL, out=True),
    Record("logical_xor", comparison.logical_xor, np.logical_xor, logic_samples, (table.LOGICAL_XOR,), REAL, BOOL, out=True),
    Record("logical_not", comparison.logical_not, np.logical_not, unary_samples(-1, 1), (table.LOGICAL_NOT,), REAL, BOOL, out=True),
    *(
        Record(
            name,
            getattr(comparison, name),
            reference,
            bit_samples,
            rows,
            (*INTS, *UNSIGNED, d.bool_),
            SAME,
            out=True,
            refused=lambda: [Refused((np.array([1, 2]), np.array([1, 2, 3])), ValueError, r"\[3\]")],
            refuses=(d.float32, d.complex64),
        )
        for name, reference, rows in (
            ("bitwise_and", np.bitwise_and, (table.BITWISE_AND, table.LOGICAL_AND)),
            ("bitwise_or", np.bitwise_or, (table.BITWISE_OR, table.LOGICAL_OR)),
            ("bitwise_xor", np.bitwise_xor, (table.BITWISE_XOR, table.LOGICAL_XOR)),
        )
    ),
    Record(
        "bitwise_not",
        comparison.bitwise_not,
        np.invert,
        unary_samples(-99, 99),
        (table.INVERT, table.BITWISE_XOR),
        (*INTS, *UNSIGNED, d.bool_),
        SAME,
        out=True,
        refuses=(d.float32,),
    ),
    *(
        Record(
            name,
            getattr(comparison, name),
            reference,
            shift_samples,
            (row, FILL),
            (*INTS, *UNSIGNED),
            SAME,
            out=True,
            refused=lambda: [
                Refused((np.array([1, 2]), np.array([1, 2, 3])), ValueError, r"\[3\]"),
                Refused((np.array([1, 2]), 1.5), TypeError),
            ],
            refuses=(d.float32,),
        )
        for name, reference, row in (
            ("bitwise_left_shift", lambda a, b: np.left_shift(*_alike(a, b)), table.LEFT_SHIFT),
            ("bitwise_right_shift", lambda a, b: np.right_shift(*_alike(a, b)), table.RIGHT_SHIFT),
        )
    ),
    Record(
        "where",
        comparison.where,
        chosen,
        chosen_samples,
        (table.WHERE,),
        (*REAL, *COMPLEX),
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.ones(3, np.int32), 1.0, 2.0), TypeError, "bool"),
            Refused((np.ones(3, bool), np.ones(4), 2.0), ValueError),
        ],
    ),
    Record(
        "masked_fill",
        comparison.masked_fill,
        filled,
        filled_samples,
        (table.MASKED_FILL, CAST),
        (*FLOATS, *INTS, *UNSIGNED, d.bool_, d.complex64),
        SAME,
        out=True,
        refused=lambda: [MASK_NOT_BOOL, Refused((np.ones(3), np.ones(3, bool), np.ones(3)), ValueError, "one element")],
    ),
    *(casting(dtype) for dtype in d.ALL),
]


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    dtype = a.dtype if isinstance(a, np.ndarray) else b.dtype
    return np.asarray(a).astype(dtype), np.asarray(b).astype(dtype)
