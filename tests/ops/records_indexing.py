"""Records of reading and writing by index tensors and masks; `tests/tensor/test_indexing.py` has more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from harness import INTS, SAME, Arguments, Record, Refused, array

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.table import indexing as table

REAL = (d.float32, d.float16, d.bfloat16, d.float64, *INTS, d.uint16, d.uint32, d.uint64)
ROWS, COLUMNS = np.array([2, 0, -1, 2]), np.array([1, -4, 3, 0])


def _one(dtype: DType) -> Iterable[Arguments]:
    x = array(dtype, (3, 4))
    yield x, (ROWS,)
    yield x, (slice(None), COLUMNS)
    yield x, (slice(None), COLUMNS.reshape(2, 2).astype(np.int32))
    yield x, (np.zeros(0, np.int64),)
    yield x.T, (COLUMNS,)


def _several(dtype: DType) -> Iterable[Arguments]:
    x = array(dtype, (3, 4, 2))
    yield x, (ROWS, COLUMNS)
    yield x, (ROWS[:, None], COLUMNS)
    yield x, (ROWS, slice(None), np.array(1))
    yield x, (slice(None), COLUMNS, np.array([0, 1, 1, 0]))
    yield x[:, ::2], (ROWS, np.array([1, 0, 1, -1]))


def _masked(dtype: DType) -> Iterable[Arguments]:
    x = array(dtype, (3, 4))
    for mask in (x == x, x != x, np.arange(12).reshape(3, 4) % 3 == 0, np.array([True, False, True])):
        yield x, (mask,)
    yield x, (slice(None), np.array([False, True, True, False]))


def _put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    x = x.copy()
    if accumulate:
        np.add.at(x, indices, values)
    else:
        x[indices] = values
    return x


def _puts(accumulate: bool) -> Any:
    def samples(dtype: DType) -> Iterable[Arguments]:
        x = array(dtype, (3, 4))
        once = np.array([2, 0]) if not accumulate else ROWS
        yield x, (once,), array(dtype, (len(once), 4), 1, 3), accumulate
        yield x, (once,), array(dtype, (4,), 1, 3), accumulate
        yield x, (np.array([0, 2, 1]), np.array([3, 0, 0])), array(dtype, (3,), 1, 3), accumulate
        yield x, (np.array([[0], [2]]), np.array([3, 0])), array(dtype, (2, 2), 1, 3), accumulate
        yield x[:, ::2], (np.array([1, 0]),), array(dtype, (2, 2), 1, 3), accumulate
        yield x, (slice(None), np.array([2, 0])), array(dtype, (3, 2), 1, 3), accumulate
        if accumulate:
            wide = array(dtype, (2, 3, 4))
            yield wide, (np.array([0, -1, 1]), np.array([2, 1, -3])), array(dtype, (3, 4), 1, 3), accumulate
        yield x, (np.zeros(0, np.int64),), array(dtype, (0, 4)), accumulate

    return samples


RECORDS = [
    Record("index by one tensor", lambda x, index: x[index], lambda x, index: x[index], _one, (table.TAKE,), d.ALL, SAME),
    Record("index by several tensors", lambda x, index: x[index], lambda x, index: x[index], _several, (table.INDEX,), d.ALL, SAME),
    Record("index by a mask", lambda x, index: x[index], lambda x, index: x[index], _masked, (table.PLACES, table.TAKE), REAL, SAME),
    Record(
        "index_put",
        at.index_put,
        _put,
        _puts(False),
        (table.INDEX_PUT, table.INDEX_PUT_LATER),
        d.ALL,
        SAME,
        refused=lambda: [
            Refused((np.ones(3), ([3],), 1.0), IndexError, "index 3 is out of bounds"),
            Refused((np.ones(3), (), 1.0), IndexError, "no index tensors"),
            Refused((np.ones(3), ([0, 1],), np.ones(3)), ValueError, "broadcast"),
            Refused((np.ones(3, np.float32), ([0],), 1j), TypeError, "complex"),
        ],
    ),
    Record(
        "index_put, adding",
        at.index_put,
        _put,
        _puts(True),
        (table.INDEX_ADD, table.INDEX_ADD_LATER, table.COORDINATES_ADD),
        (*REAL, d.complex64, d.complex128),
        SAME,
    ),
]
