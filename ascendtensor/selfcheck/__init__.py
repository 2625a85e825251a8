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
from ..launch.registry import handle_cache
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
    report: dict[str, Any] = {"format": FORMAT, **surroundings(device)}
    if not (_compiles(device, report) and _check(device, options, report)):
        _write(report, options.output)
        return 1
    report["seconds"] = round(time.perf_counter() - began, 3)
    counts = {part: dict(Counter(each["outcome"] for each in report[part])) for part in ("operators", "rules") if part in report}
    report["counts"] = counts
    good = all(count.get("ok") and not any(count.get(bad) for bad in BAD) for count in counts.values())
    for part, count in counts.items():
        print(f"{part}: {', '.join(f'{number} {outcome}' for outcome, number in sorted(count.items()))}")
    _write(report, options.output)
    if options.output != "-":
        print(f"report: {options.output}" + ("" if report["backend"] == "simulator" else "; please send it back"))
    return 0 if good else 1


def _compiles(device: runtime.Device, report: dict[str, Any]) -> bool:
    """Whether the compiler starts; without it every operator would only say so again."""
    try:
        source = handle_cache.source()
        if isinstance(source, compiler.Registrar):
            with device.current():
                source.prepare()
    except AscendTensorError as error:
        report["compiler_error"] = str(error)
        print(f"error: {error}", file=sys.stderr)
        return False
    return True


def _check(device: runtime.Device, options: argparse.Namespace, report: dict[str, Any]) -> bool:
    """Run the parts that were asked for. The report is written after each step: one that ends the program is the next in it."""
    try:
        if options.only != "rules":
            _run_part(report, "operators", operators.checked(device, options.operator), options.output)
            if not report["operators"]:
                print(f"error: no operator that is checked has {options.operator!r} in its name", file=sys.stderr)
                return False
        if options.only != "operators":
            report["not_checked"] = rules.NOT_CHECKED
            _run_part(report, "rules", rules.checked(device), options.output)
    except KeyboardInterrupt:
        report["interrupted"] = True
        print(f"interrupted; what was found so far is in {options.output}", file=sys.stderr)
        return False
    return True


def _write(report: dict[str, Any], output: str) -> None:
    if output != "-":
        Path(output).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


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


def _run_part(report: dict[str, Any], part: str, records: Iterable[dict[str, Any]], output: str) -> None:
    """Note the records of a part; a line for each that is not as expected."""
    found = report[part] = []
    lasting = report["backend"] != "simulator"
    for record in records:
        found.append(record)
        if record["outcome"] != "ok":
            print(f"{record['outcome']:8} {_line(record)}", flush=True)
        if lasting:
            _write(report, output)


def _line(record: dict[str, Any]) -> str:
    if "rule" in record:
        said = record.get("reason") or f"expected {record['expected']}, found {record['found']}"
        return f"{record['rule']} {record['text']}: {said}"
    return f"{record['operator']} {record['dtype']}: {record.get('text', '')}".splitlines()[0]
