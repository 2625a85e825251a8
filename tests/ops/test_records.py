"""Every function against NumPy: values, dtype, shape, `out=`, and what it refuses."""

from __future__ import annotations

import pytest
from harness import Record, check, check_refused
from records import RECORDS

from ascendtensor.dtypes import dtype as DType

PAIRS = [pytest.param(record, dtype, id=f"{record.name}-{dtype.name}") for record in RECORDS for dtype in record.dtypes]
REFUSING = [pytest.param(record, id=record.name) for record in RECORDS if record.refused is not tuple or record.refuses]


@pytest.mark.parametrize(("record", "dtype"), PAIRS)
def test_results_are_numpys(record: Record, dtype: DType) -> None:
    check(record, dtype)


@pytest.mark.parametrize("record", REFUSING)
def test_bad_arguments_are_refused(record: Record) -> None:
    check_refused(record)


def test_record_names_are_unique() -> None:
    names = [record.name for record in RECORDS]
    assert sorted(set(names)) == sorted(names)
