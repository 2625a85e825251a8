"""`python -m ascendtensor selfcheck`: does the backend in use compute what NumPy does, and does it keep the rules that were inferred?

The report is a JSON file to send back: nothing of this library was run on an NPU by its authors.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

import numpy as np

from .. import __version__, compiler, runtime
from ..acl import chooser, toolkit
from ..errors import AscendTensorError, DeviceError
from . import operators, rules

FORMAT: Final = 1
DEFAULT_FILE: Final = "ascendtensor-selfcheck.json"
BAD: Final = ("differs", "error")

_EPILOG: Final = """\
Nothing is changed but the device memory that the program takes for itself. The exit status is 0 when every operator
that is there agrees with NumPy and every rule that could be checked holds, else 1."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ascendtensor selfcheck`."""
    parser.description = "Run tiny operators against NumPy, and check inferred rules of pyACL, on the backend in use; write a report."
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", default=DEFAULT_FILE, help="file of the report, - for none (default: %(default)s)")
    parser.add_argument("--device", default="npu:0", help="which device (default: %(default)s)")
    parser.add_argument("--only", choices=("operators", "rules"), help="leave the other part away")
    parser.add_argument("--operator", default="", metavar="NAME", help="only operators whose name contains this")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check, print what is amiss, write the report; 1 where something is."""
    try:
        device = runtime.as_device(options.device)
    except DeviceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    began = time.perf_counter()
    report = {"format": FORMAT, **surroundings(device)}
    if options.only != "rules":
        report["operators"] = _shown(operators.checked(device, options.operator))
        if not report["operators"]:
            print(f"error: no operator that is checked has {options.operator!r} in its name", file=sys.stderr)
            return 1
    if options.only != "operators":
        report["rules"] = _shown(rules.checked(device))
        report["not_checked"] = rules.NOT_CHECKED
    report["seconds"] = round(time.perf_counter() - began, 3)
    counts = {part: dict(Counter(each["outcome"] for each in report[part])) for part in ("operators", "rules") if part in report}
    report["counts"] = counts
    good = all(count.get("ok") and not any(count.get(bad) for bad in BAD) for count in counts.values())
    for part, count in counts.items():
        print(f"{part}: {', '.join(f'{number} {outcome}' for outcome, number in sorted(count.items()))}")
    if options.output != "-":
        Path(options.output).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        print(f"report: {options.output}" + ("" if report["backend"] == "simulator" else "; please send it back"))
    return 0 if good else 1


def surroundings(device: runtime.Device) -> dict[str, Any]:
    """What the report says of the machine: no names of users, hosts or paths."""
    chosen = runtime.backend()
    try:
        source = compiler.choose(chosen.name, runtime.soc_name())
        used: Any = getattr(source, "compiler", source)
        made = f"{used.name}, version {used.version}, precision {used.precision}" if hasattr(used, "version") else "finished models"
    except AscendTensorError as error:
        made = type(error).__name__
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "ascendtensor": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "backend": chosen.name,
        "cann": toolkit.cann_version(),
        "lacking": chooser.lacking(chosen.module),
        "doubts": compiler.needs.doubts() if chosen.name == "npu" else [],
        "soc": runtime.soc_name(),
        "run_mode": runtime.run_mode().name,
        "device": str(device),
        "devices": runtime.device_count(),
        "compiler": made,
    }


def _shown(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records; a line for each that is not as expected."""
    found = []
    for record in records:
        found.append(record)
        if record["outcome"] != "ok":
            print(f"{record['outcome']:8} {_line(record)}")
    return found


def _line(record: dict[str, Any]) -> str:
    if "rule" in record:
        said = record.get("reason") or f"expected {record['expected']}, found {record['found']}"
        return f"{record['rule']} {record['text']}: {said}"
    return f"{record['operator']} {record['dtype']}: {record.get('text', '')}".splitlines()[0]
