"""All test records: the RECORDS of every module records_<family>.py beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path

from harness import Record

RECORDS: list[Record] = [
    record for path in sorted(Path(__file__).parent.glob("records_*.py")) for record in importlib.import_module(path.stem).RECORDS
]
