"""Records of the functions that make tensors of numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from harness import COMPLEX, INTS, SAME, Record, Refused, With, array

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import combining
from ascendtensor.ops.table import creation as table
from ascendtensor.ops.table import movement

FLOATS = (d.float32, d.float16, d.bfloat16, d.float64)
UNSIGNED = (d.uint16, d.uint32, d.uint64)


def _arange(*args: Any, dtype: DType) -> Any:
    """In float64 or int64, rounded once."""
    start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if dtype.is_floating_point:
        return np.arange(start, end, step, np.float64)
    return np.arange(start, end, step, np.int64).astype(dtype.numpy)


def _arange_samples(dtype: DType) -> Iterable[With]:
    keywords = {"dtype": dtype}
    for args in [(0,), (5,), (2, 9), (2, 9, 3), (9, 2, -2), (3, 3), (1, 100, 7), (0, 1)]:
        if min(args) >= 0 or dtype.is_signed:
            yield With(args, keywords)
    if dtype.is_floating_point:
        for args in [(0.5,), (0, 1, 0.1), (0, 0.3, 0.1), (1, -1, -0.25), (-2.5, 3.1)]:
            yield With(args, keywords)


def _linspace_samples(dtype: DType) -> Iterable[With]:
    for args in [(0, 1, 5), (1, 0, 3), (2, 2, 4), (0, 10, 1), (0, 10, 0), (-3, 4, 8), (0, 1, 100)]:
        if dtype.category >= 2 or (dtype is not d.bool_ and args in ((1, 0, 3), (2, 2, 4), (0, 10, 1), (0, 10, 0))):
            yield With(args, {"dtype": dtype})
    if dtype.is_complex:
        yield With((1 + 2j, -3, 5), {"dtype": dtype})


def _eye_samples(dtype: DType) -> Iterable[With]:
    for args in [(3,), (2, 5), (5, 2), (1,), (0,), (3, 0)]:
        yield With(args, {"dtype": dtype})


def _full_samples(dtype: DType) -> Iterable[With]:
    for shape in [(), (3,), (2, 0), (2, 3, 4)]:
        yield With((shape, 1), {"dtype": dtype})
        yield With((shape, True), {"dtype": dtype})
        if dtype.category >= 2:
            yield With((shape, -2.5), {"dtype": dtype})


def _triangle(numpy: Any) -> Any:
    return lambda row, col, offset=0, dtype=np.int64: np.stack(numpy(row, offset, col))


def _triangle_samples(dtype: DType) -> Iterable[With]:
    for args in [(3, 3), (4, 2, 1), (2, 5, -1), (3, 3, 9), (3, 3, -9), (0, 3), (3, 0), (1, 1)]:
        yield With(args, {"dtype": dtype})


def _range(*args: Any, dtype: DType) -> Any:
    start, end, step = (*args, 1)[:3]
    count = math.floor((end - start) / step) + 1
    return np.asarray(start + step * np.arange(count)).astype(dtype.numpy if dtype.category < 2 else np.float64)


def _combined(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array([x[list(places)] for places in choose(range(len(x)), r)], x.dtype).reshape(-1, r)


def _combination_samples(dtype: DType) -> Iterable[With]:
    for length, options in [(4, {}), (5, {"r": 3}), (3, {"r": 1}), (3, {"r": 4}), (4, {"r": 3, "with_replacement": True}), (0, {"r": 2})]:
        yield With((array(dtype, (length,)),), options)


def _vander_samples(dtype: DType) -> Iterable[With]:
    for length, options in [(4, {}), (3, {"N": 2}), (3, {"N": 0}), (0, {}), (3, {"increasing": True}), (1, {"N": 4, "increasing": True})]:
        yield With((array(dtype, (length,), 0.5, 3),), options)


RECORDS = [
    Record(
        "range",
        at.range,
        _range,
        lambda dtype: [With(args, {"dtype": dtype}) for args in [(0, 5), (1, 9, 3), (2, 2), (2, 10, 4)]],
        (table.RANGE,),
        (*FLOATS, d.int32, d.uint16),
        SAME,
        refused=lambda: [Refused((0, 5, 0), ValueError, "range: a step of 0"), Refused((0, 2), TypeError, "bool", {"dtype": d.bool_})],
    ),
    Record(
        "tril_indices",
        at.tril_indices,
        _triangle(np.tril_indices),
        _triangle_samples,
        dtypes=(d.int64, d.int32),
        result=SAME,
        refused=lambda: [Refused((-1, 2), ValueError, "negative"), Refused((2, 2), TypeError, "float32", {"dtype": d.float32})],
    ),
    Record("triu_indices", at.triu_indices, _triangle(np.triu_indices), _triangle_samples, dtypes=(d.int64, d.int32), result=SAME),
    Record(
        "vander",
        combining.vander,
        lambda x, N=None, increasing=False: np.vander(x, N, increasing),
        _vander_samples,
        dtypes=(d.float32, d.float64, d.int64, d.int8, d.complex64),
        result=lambda dtype: d.int64 if dtype is d.int8 else dtype,
        tolerances={d.float32: (1e-5, 1e-5), d.complex64: (2e-5, 2e-4)},
        refused=lambda: [Refused((np.ones((2, 2)),), ValueError, "vector"), Refused((np.ones(2), -1), ValueError, "N must")],
    ),
    Record(
        "combinations",
        combining.combinations,
        _combined,
        _combination_samples,
        (table.COMBINATIONS,),
        d.ALL,
        SAME,
        refused=lambda: [Refused((np.ones((2, 2)),), ValueError, "vector"), Refused((np.ones(2), -1), ValueError, "non-negative")],
    ),
    Record(
        "frombuffer",
        lambda buffer, dtype, **more: at.frombuffer(buffer, dtype=dtype, **more),
        lambda buffer, dtype, count=-1, offset=0: np.frombuffer(buffer, dtype.numpy, count, offset),
        lambda dtype: [
            (np.arange(8, dtype=np.int64).tobytes(), dtype),
            With((np.arange(8).tobytes(), dtype), {"count": 2, "offset": 16}),
        ],
        dtypes=(d.int64, d.float32, d.uint8),
        result=SAME,
        refused=lambda: [
            Refused((b"123", d.int16), ValueError),
            Refused((b"1234", d.int16), ValueError, kwargs={"count": 3}),
            Refused((b"1234", d.int16), ValueError, "count is 0", {"count": 0}),
            Refused((3, d.int16), TypeError),
        ],
    ),
    Record(
        "arange",
        at.arange,
        _arange,
        _arange_samples,
        (table.RANGE,),
        (*FLOATS, *INTS, *UNSIGNED),
        lambda dtype: dtype,
        refused=lambda: [
            Refused((0, 5, 0), ValueError, "arange: a step of 0"),
            Refused((0, 5, -1), ValueError, "does not lead"),
            Refused((float("inf"),), ValueError, "does not lead"),
            Refused((5,), TypeError, "range of complex64", {"dtype": d.complex64}),
            Refused((1j,), TypeError, "no real number"),
        ],
    ),
    Record(
        "linspace",
        at.linspace,
        lambda start, end, steps, dtype: np.linspace(start, end, steps),
        _linspace_samples,
        (table.LIN_SPACE,),
        (*FLOATS, *INTS, *COMPLEX),
        lambda dtype: dtype,
        refused=lambda: [
            Refused((0, 1, -1), ValueError, "linspace: the number of steps"),
            Refused((0, 1j, 3), TypeError, "float32", {"dtype": d.float32}),
            Refused((0, 1, 3), TypeError, "bool", {"dtype": d.bool_}),
        ],
    ),
    Record(
        "logspace",
        at.logspace,
        lambda start, end, steps, dtype: np.logspace(start, end, steps),
        lambda dtype: [With((0, 2, 5), {"dtype": dtype}), With((-1, 1, 3), {"dtype": dtype})],
        dtypes=(d.float32, d.float64),
        result=lambda dtype: dtype,
    ),
    Record(
        "eye",
        at.eye,
        lambda n, m=None, *, dtype: np.eye(n, m),
        _eye_samples,
        dtypes=d.ALL,
        result=lambda dtype: dtype,
        refused=lambda: [Refused((-1,), ValueError, "negative")],
    ),
    Record(
        "full",
        at.full,
        lambda shape, value, dtype: np.full(shape, value),
        _full_samples,
        (movement.FILL,),
        d.ALL,
        lambda dtype: dtype,
        refused=lambda: [
            Refused(((-1,), 0), ValueError, "negative"),
            Refused(((2,), "a"), TypeError, "no number"),
            Refused(((2,), 1j), TypeError, "complex", {"dtype": d.float32}),
        ],
    ),
]
