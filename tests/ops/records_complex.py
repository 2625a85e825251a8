"""Records of functions of complex numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import BROADCASTS, COMPLEX, FLOAT, FLOATS, INTS, SAME, Array, Record, Refused, array, d, edges, unary_samples

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.pointwise import complex_numbers as functions
from ascendtensor.ops.table import complex_numbers as table
from ascendtensor.ops.table import elementwise as arithmetic

DOUBLES = (d.float32, d.float64)


def pairs(dtype: DType) -> Iterator[Any]:
    for left, right in BROADCASTS:
        yield array(dtype, left, key="left"), array(dtype, right, key="right")
    yield array(dtype, (4, 6), key="left").T, array(dtype, (6, 4), key="right")
    yield edges(dtype)[:, None], edges(dtype)[None, :]


def angle(x: Array) -> Array:
    """NumPy's of real numbers is pi for -0.0 and 0 for NaN."""
    return np.asarray(np.angle(x)) if x.dtype.kind == "c" else np.where(x != x, np.nan, np.where(x < 0, np.pi, 0))


def complex_(real: Array, imag: Array) -> Array:
    joined = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.complex128)
    joined.real, joined.imag = real, imag
    return joined


def part(dtype: DType) -> DType:
    return FLOAT(dtype).to_real()


def direction(x: Array) -> Array:
    """`np.sign` as NumPy has it since version 2."""
    if x.dtype.kind != "c":
        return np.asarray(np.sign(x))
    length = np.abs(x)
    return np.asarray(np.where(length == 0, 0, x / np.where(length == 0, 1, length)))


RECORDS = [
    Record(
        "complex",
        functions.complex,
        complex_,
        pairs,
        (table.COMPLEX_OF_SINGLES, table.COMPLEX_OF_DOUBLES),
        DOUBLES,
        DType.to_complex,
        out=True,
        refused=lambda: [
            Refused((np.ones(2, np.float32), np.ones(2)), TypeError, "float32"),
            Refused((np.ones(2, np.float32), np.ones(3, np.float32)), ValueError, "3"),
        ],
        refuses=(d.float16, d.int32, d.complex64),
    ),
    Record(
        "polar",
        functions.polar,
        lambda length, turn: np.stack([length * np.cos(turn), length * np.sin(turn)], -1).view(np.complex128)[..., 0],
        lambda dtype: [(array(dtype, left), array(dtype, right, key="right")) for left, right in BROADCASTS],
        (table.COMPLEX_OF_SINGLES, table.COMPLEX_OF_DOUBLES),
        DOUBLES,
        DType.to_complex,
        out=True,
        refused=lambda: [Refused((np.ones(2, np.float32), np.ones(2)), TypeError, "both float32")],
        refuses=(d.float16, d.int32),
    ),
    Record("conj", functions.conj, np.conj, unary_samples(), (table.CONJ,), (*COMPLEX, d.float32, d.int16, d.bool_), SAME),
    Record("conj_physical", functions.conj_physical, np.conj, unary_samples(), (table.CONJ,), (*COMPLEX, d.float64), SAME, out=True),
    Record(
        "angle",
        functions.angle,
        angle,
        unary_samples(),
        (table.ANGLE, table.ANGLE_OF_DOUBLES),
        (*COMPLEX, *FLOATS, *INTS, d.bool_),
        part,
        out=True,
    ),
    Record("isreal", functions.isreal, np.isreal, unary_samples(), dtypes=(*COMPLEX, d.float16, d.uint32, d.bool_), result=d.bool_),
    Record(
        "adjoint",
        functions.adjoint,
        lambda x: np.conj(np.swapaxes(x, -1, -2) if x.ndim else x),
        lambda dtype: [(array(dtype, shape),) for shape in ((3, 5), (2, 3, 4), (1, 0))],
        (table.CONJ,),
        (*COMPLEX, d.float32),
        SAME,
        refused=lambda: [Refused((np.ones(3),), IndexError)],
    ),
    Record("sgn", functions.sgn, direction, unary_samples(edge=False), (arithmetic.SIGN,), (*COMPLEX, d.float32, d.uint64), SAME, out=True),
    Record("resolve_conj", functions.resolve_conj, lambda x: x, unary_samples(), dtypes=COMPLEX, result=SAME),
    Record("is_complex", functions.is_complex, lambda x: x.dtype.kind == "c", unary_samples(), dtypes=(*COMPLEX, d.float32)),
    Record("is_floating_point", functions.is_floating_point, lambda x: x.dtype.kind == "f", unary_samples(), dtypes=(*COMPLEX, *FLOATS)),
    Record(
        "is_nonzero",
        functions.is_nonzero,
        lambda x: bool(x),
        lambda dtype: [(array(dtype, ()),), (array(dtype, (1, 1)),), (np.zeros((), dtype.numpy),)],
        dtypes=(*COMPLEX, d.float32, d.int8),
        refused=lambda: [Refused((np.ones(2),), ValueError)],
    ),
]
