"""All test records: the RECORDS of every module records_<family>.py beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path

from harness import Record

FAMILIES: dict[str, list[Record]] = {
    path.stem.removeprefix("records_"): importlib.import_module(path.stem).RECORDS
    for path in sorted(Path(__file__).parent.glob("records_*.py"))
}
RECORDS: list[Record] = [record for family in FAMILIES.values() for record in family]
