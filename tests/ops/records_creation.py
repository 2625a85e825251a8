"""Records of the functions that make tensors of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from harness import INTS, Record, Refused, With

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
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
        if dtype.is_floating_point or (dtype is not d.bool_ and args in ((1, 0, 3), (2, 2, 4), (0, 10, 1), (0, 10, 0))):
            yield With(args, {"dtype": dtype})


def _eye_samples(dtype: DType) -> Iterable[With]:
    for args in [(3,), (2, 5), (5, 2), (1,), (0,), (3, 0)]:
        yield With(args, {"dtype": dtype})


def _full_samples(dtype: DType) -> Iterable[With]:
    for shape in [(), (3,), (2, 0), (2, 3, 4)]:
        yield With((shape, 1), {"dtype": dtype})
        yield With((shape, True), {"dtype": dtype})
        if dtype.category >= 2:
            yield With((shape, -2.5), {"dtype": dtype})


RECORDS = [
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
        (*FLOATS, *INTS),
        lambda dtype: dtype,
        refused=lambda: [
            Refused((0, 1, -1), ValueError, "linspace: the number of steps"),
            Refused((0, 1, 3), TypeError, "complex64", {"dtype": d.complex64}),
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
