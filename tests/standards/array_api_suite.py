"""Run the public array API suite on `ascendtensor.array_api`.

    python tests/standards/array_api_suite.py CHECKOUT [--max-examples 100] [--seed 0] [pytest arguments]

CHECKOUT is a clone of https://github.com/data-apis/array-api-tests with its submodule, whose requirements.txt is installed.
Only the tests in `array_api_failures.txt` may fail. The exit status is pytest's; the last line counts the results.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from collections import Counter
from pathlib import Path

FAILURES = Path(__file__).with_name("array_api_failures.txt")
PROFILE = """
import os
import random

import pytest
from hypothesis import Phase, settings


# Special cases are drawn by example(), which asks the module random and not hypothesis' seed.
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    random.seed(os.environ["ARRAY_API_SEED"] + item.name)


# Counts need no smallest examples, and no memory of yesterday's.
settings.register_profile("counts", phases=[Phase.explicit, Phase.generate], database=None)
settings.load_profile("counts")
"""


def counts(report: Path) -> Counter[str]:
    """Results of a run: passed, failed, xfailed, skipped."""
    found: Counter[str] = Counter()
    for case in tree.parse(report).getroot().iter("testcase"):
        kinds = {child.tag: child.get("type") for child in case}
        if "failure" in kinds or "error" in kinds:
            found["failed"] += 1
        elif "skipped" in kinds:
            found["xfailed" if kinds["skipped"] == "pytest.xfail" else "skipped"] += 1
        else:
            found["passed"] += 1
    return found


def run(checkout: Path, examples: int, more: list[str], seed: int = 0) -> tuple[int, Counter[str]]:
    """pytest's exit status and the counted results."""
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "array_api_profile.py").write_text(PROFILE)
        report = Path(work) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:ascendtensor", "-p", "array_api_profile"]
        command += [f"--max-examples={examples}", f"--hypothesis-seed={seed}", "--disable-deadline", f"--xfails-file={FAILURES}"]
        command += [f"--junitxml={report}", "array_api_tests/", *more]
        path = os.pathsep.join([work, str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {
            **os.environ,
            "ARRAY_API_TESTS_MODULE": "ascendtensor.array_api",
            "PYTHONPATH": path,
            "PYTEST_ADDOPTS": "",
            "ARRAY_API_SEED": str(seed),
        }
        status = subprocess.run(command, cwd=checkout, env={**environment, "PYTHONHASHSEED": "0"}, check=False).returncode
        return status, counts(report) if report.exists() else Counter()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--max-examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="what the examples are drawn by")
    options, more = parser.parse_known_args()
    if not (options.checkout / "array_api_tests").is_dir() or not any((options.checkout / "array-api" / "spec").glob("20*")):
        print(f"{options.checkout} is no clone of array-api-tests with its submodule (git clone --recurse-submodules)", file=sys.stderr)
        return 2
    status, found = run(options.checkout, options.max_examples, more, options.seed)
    print(", ".join(f"{found[kind]} {kind}" for kind in ("passed", "failed", "xfailed", "skipped")))
    return status


if __name__ == "__main__":
    sys.exit(main())
