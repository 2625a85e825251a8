"""Every function once more with its launches compiled by each run; what they launch can be recorded and read back as the same."""

from __future__ import annotations

import json

import pytest
from harness import Record, check
from records import RECORDS

import ascendtensor as at
from ascendtensor.compiler import Description, recorded
from ascendtensor.launch.registry import handle_cache


@pytest.mark.slow
@pytest.mark.parametrize("record", [pytest.param(record, id=record.name) for record in RECORDS])
def test_results_are_the_same_with_each_run(record: Record) -> None:
    def read_back(description: Description) -> None:
        assert recorded.parse(json.loads(json.dumps(description.to_json()))) == description

    with at.op_models.mode("each-run"):
        handle_cache.recorders.append(read_back)
        try:
            check(record, record.dtypes[0])
        finally:
            handle_cache.recorders.remove(read_back)
