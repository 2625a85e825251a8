"""`python -m ascendtensor selfcheck`: everything agrees on the simulator, and what does not is in the report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import selfcheck, simulator
from ascendtensor.__main__ import main
from ascendtensor.selfcheck import operators, rules

RULES = json.loads((Path(__file__).parents[1] / "data" / "rules.json").read_text(encoding="utf-8"))


def check(tmp_path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    path = tmp_path / "report.json"
    status = main(["selfcheck", "-o", str(path), *arguments])
    return status, json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("mode", ["host", "device"])
def test_everything_agrees_on_the_simulator(
    mode: str, tmp_path: Path, machine: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    machine(run_mode=mode)
    status, report = check(tmp_path)
    said = capsys.readouterr().out
    assert status == 0, said
    assert mode == "device" or re.fullmatch(r"operators: \d+ ok\nrules: \d+ ok\nreport: \S+\n", said)
    assert len({each["operator"] for each in report["operators"]}) >= 40
    assert {each["outcome"] for each in report["operators"]} == {"ok"}
    assert [each["rule"] for each in report["rules"] if each["outcome"] != "ok"] == (["K47"] if mode == "device" else [])
    assert report["backend"] == "simulator" and report["run_mode"] == mode.upper() and report["format"] == selfcheck.FORMAT
    assert str(Path.home()) not in json.dumps(report)


def test_parts_and_choices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = check(tmp_path, "--only", "operators", "--operator", "cumsum", "--device", "npu:1")
    assert status == 0 and "rules" not in report and report["device"] == "npu:1"
    assert {each["operator"] for each in report["operators"]} == {"cumsum"}
    status, report = check(tmp_path, "--only", "rules")
    assert status == 0 and "operators" not in report and report["not_checked"]
    assert main(["selfcheck", "-o", "-", "--only", "operators", "--operator", "no such"]) == 1
    assert "no operator that is checked has 'no such' in its name" in capsys.readouterr().err
    assert main(["selfcheck", "--device", "npu:9"]) == 1
    assert "out of range" in capsys.readouterr().err


def test_a_failing_kernel_and_wrong_numbers_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = operators.Case("neg", at.neg, lambda a: -a + (a > 1), dtypes=("float32",))
    shape = operators.Case("sum", at.sum, lambda a: a, dtypes=("float32",))
    absent = operators.Case("bitwise_not", at.bitwise_not, np.invert, dtypes=("float32",))
    monkeypatch.setattr(operators, "CASES", (*operators.CASES[:1], wrong, shape, absent))
    with simulator.faults.kernel("Add"):
        status, report = check(tmp_path, "--only", "operators")
    assert status == 1
    first, *_, numbers, shapes, missing = report["operators"]
    assert first["outcome"] == "error" and first["code"] == 507015
    assert numbers["outcome"] == "differs" and numbers["first"] and "numbers differ" in numbers["text"]
    assert shapes["outcome"] == "differs" and "shape" in shapes["text"] and missing["outcome"] == "missing"
    assert "differs  neg float32" in capsys.readouterr().out


def test_a_board_that_answers_otherwise_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with simulator.faults.plan("acl.rt.free_host", code=507899), simulator.faults.plan("acl.rt.create_context", code=507000):
        status, report = check(tmp_path, "--only", "rules")
    found = [each for each in report["rules"] if each["outcome"] != "ok"]
    assert status == 1 and [each["outcome"] for each in found] == ["differs", "skipped"]
    assert found[0]["rule"] == "RT-31" and found[0]["found"] == 507899
    assert "expected 100000, found 507899" in capsys.readouterr().out


def test_rules_are_known_and_nothing_is_both_checked_and_left_alone() -> None:
    for rule in rules.RULES:
        prefix, number = re.fullmatch(r"([A-Z]+-?)(\d+)", rule.number).groups()  # type: ignore[union-attr]
        first, last = RULES["rules"][prefix].split("-")
        assert int(first) <= int(number) <= int(last), rule.number
    assert not {rule.number for rule in rules.RULES} & {number for key in rules.NOT_CHECKED for number in key.split(", ")}
    assert len({case.name for case in operators.CASES}) == len(operators.CASES)


def test_every_inferred_rule_is_checked_or_has_a_reason() -> None:
    numbers = {rule.number for rule in rules.RULES}
    for key in rules.NOT_CHECKED:
        for part in key.split(", "):
            prefix, first, last = re.fullmatch(r"([A-Z]+-?)(\d+)(?: to [A-Z]+-?(\d+))?", part).groups()  # type: ignore[union-attr]
            numbers |= {f"{prefix}{number}" for number in range(int(first), int(last or first) + 1)}
    assert sorted(set(RULES["inferred"]) - numbers) == []


def test_strict_mode_of_the_simulator() -> None:
    environment = {**os.environ, "ASCENDTENSOR_SIM_STRICT": "1"}
    command = [sys.executable, "-m", "ascendtensor", "selfcheck", "--only", "rules", "-o", "-"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "HD-13" in done.stdout and "1 skipped" in done.stdout and "Traceback" not in done.stderr


def test_a_compiler_that_does_not_start_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        name, soc, version, precision = "online", "Ascend910B1", "8.1.RC1", "origin"

        def register(self, *_: Any) -> None:
            raise AssertionError

        execute = register

        def prepare(self) -> None:
            raise at.CompileError("aclSetCompileopt failed", advice="pip install decorator")

    monkeypatch.setattr(at.handle_cache, "_source", Broken())
    status, report = check(tmp_path)
    assert status == 1 and "pip install decorator" in report["compiler_error"] and "operators" not in report
    assert "pip install decorator" in capsys.readouterr().err


def test_what_was_found_before_an_interrupt_or_a_crash_is_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"
    seen: list[int] = []

    def checked(*_: Any) -> Any:
        yield {"operator": "add", "dtype": "float32", "outcome": "ok"}
        seen.append(len(json.loads(path.read_text(encoding="utf-8"))["operators"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(operators, "checked", checked)
    surroundings = selfcheck.surroundings
    monkeypatch.setattr(selfcheck, "surroundings", lambda device: {**surroundings(device), "backend": "npu"})
    status, report = check(tmp_path)
    assert status == 1 and seen == [1] and report["interrupted"] and len(report["operators"]) == 1
