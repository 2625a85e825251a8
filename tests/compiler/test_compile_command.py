"""`python -m ascendtensor compile`: from recorded operators to a directory of models, and what it says."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ascendtensor import simulator
from ascendtensor.__main__ import main
from ascendtensor.codes import DataType
from ascendtensor.commands.compile_models import Bar
from ascendtensor.compiler import Description, TensorDescription, archive, recorded, verdicts
from ascendtensor.compiler.batch import Outcome
from ascendtensor.compiler.simulated import SimulatedCompiler
from ascendtensor.errors import CompileError
from ascendtensor.ops import basic
from ascendtensor.simulator.engine import profiles


def add(*shape: int, inputs: int = 2) -> Description:
    tensor = TensorDescription(int(DataType.FLOAT), shape)
    return Description("Add", (tensor,) * inputs, (tensor,))


@pytest.fixture
def ops(tmp_path: Path) -> Path:
    for length in (2, 3, 4):
        recorded.write(tmp_path / "ops", add(length))
    return tmp_path / "ops"


@pytest.fixture(autouse=True)
def no_atc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("COLUMNS", "120")  # tables are as wide as the terminal
    monkeypatch.setattr("ascendtensor.acl.toolkit._USUAL", ())
    for name in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCENDTENSOR_ATC", "ASCENDTENSOR_COMPILER"):
        monkeypatch.delenv(name, raising=False)


def compile_(*arguments: object) -> int:
    return main(["compile", *map(str, arguments)])


def test_recorded_operators_become_models(ops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models", "--jobs", 2) == 0
    printed = capsys.readouterr()
    assert "3 operators for Ascend310B4" in printed.out and "3 compiled in" in printed.out and "0 failed" in printed.out
    assert f"Run with ASCENDTENSOR_OP_MODELS={tmp_path / 'models'}" in printed.out
    assert "atc was not found; these models are for the simulator only" in printed.err
    assert set(archive.read_manifest(tmp_path / "models")) == {add(length).digest() for length in (2, 3, 4)}
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models") == 0
    assert "0 compiled in" in (out := capsys.readouterr().out) and "3 were there" in out


def test_failures_are_a_table_and_an_exit_status(ops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = add(5, inputs=1)
    recorded.write(ops, bad)
    (ops / "mine.json").write_text("[3]")
    output = tmp_path / "models"
    assert compile_(ops, "--soc", "Ascend310B4", "-o", output) == 1
    out = capsys.readouterr().out
    assert "3 compiled in" in out and "1 failed" in out
    assert re.search(r"^operator +signature +why$", out, re.MULTILINE)
    assert re.search(r"^Add +Add\(float\[5\]\) -> float\[5\] +E10401: operator \[Add\] takes exactly 2 inputs", out, re.MULTILINE)
    assert "mine.json: each element has to be an object" in out
    assert "takes exactly 2 inputs (x1, x2), 1 given" in (output / "failures.txt").read_text()
    for path in ops.glob("*.json"):
        if bad.digest() in path.name or path.name == "mine.json":
            path.unlink()
    assert compile_(ops, "--soc", "Ascend310B4", "-o", output) == 0
    assert not (output / "failures.txt").exists()


def test_the_basic_set_is_compiled_beside(ops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [model for model in basic.descriptions() if model.op_type in ("Exp", "Tanh")]
    monkeypatch.setitem(sys.modules["ascendtensor.commands.compile_models"].SETS, "basic", lambda soc: few)
    assert compile_(ops, "--set", "basic", "--soc", "Ascend310B4", "-o", tmp_path / "models") == 0
    assert len(archive.read_manifest(tmp_path / "models")) == 3 + len(few) == 23


def test_the_compiler_can_be_chosen(ops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "a", "--compiler", "simulated-program", "--jobs", 1) == 0
    entry = archive.read_manifest(tmp_path / "a")[add(2).digest()]
    assert entry.compiler == "simulated-program"
    assert [entry.model(tmp_path / "a")] == SimulatedCompiler("Ascend310B4").build([add(2)])
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "atc")
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "b") == 1
    assert "CANN's compiler program atc was not found" in capsys.readouterr().err
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")  # gives no files
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "c") == 0
    assert "with simulated" in capsys.readouterr().out


def test_atc_is_taken_where_it_is_found(
    ops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    atc = tmp_path / "atc"
    package = Path(__file__).parents[2]
    atc.write_text(f'#!/bin/sh\nPYTHONPATH={package} exec {sys.executable} -m ascendtensor.simulator.atc "$@"\n')
    atc.chmod(0o755)
    monkeypatch.setenv("ASCENDTENSOR_ATC", str(atc))
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models", "--jobs", 1) == 0
    assert "with atc" in capsys.readouterr().out
    assert {entry.compiler for entry in archive.read_manifest(tmp_path / "models").values()} == {"atc"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "nothing to compile"),
        (["nowhere", "--soc", "Ascend310B4"], "no file or directory nowhere"),
        (["nowhere", "--jobs", "0"], "--jobs must be at least 1"),
    ],
)
def test_wrong_use_is_said(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert compile_(*arguments) == 1
    assert text in capsys.readouterr().err


def test_a_directory_that_cannot_be_written_is_said(ops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "file") == 1
    assert "can't be written" in capsys.readouterr().err


def test_the_chip_of_this_machine_is_the_default(ops: Path, tmp_path: Path) -> None:
    assert compile_(ops, "-o", tmp_path / "models") == 0
    assert {entry.soc for entry in archive.read_manifest(tmp_path / "models").values()} == {"Ascend910B1"}


def test_help_shows_the_whole_road() -> None:
    done = subprocess.run([sys.executable, "-m", "ascendtensor", "compile", "--help"], capture_output=True, text=True, check=True)
    for word in ("--soc", "--jobs", "--set {basic}", "--output", "at.op_models.record", "ASCENDTENSOR_OP_MODELS=op_models/", "exit status"):
        assert word in done.stdout


def test_a_program_records_compiles_elsewhere_and_runs_without_a_compiler(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import contextlib, sys\n"
        "import ascendtensor as at\n"
        "with at.op_models.record('ops') if 'record' in sys.argv else contextlib.nullcontext():\n"
        "    x = at.arange(12.0).reshape(3, 4)\n"
        "    print((x @ x.T).sum(1).tolist(), at.nonzero(x > 5).shape, x[1:, ::2].tolist())\n"
        "    for n in range(1, 12):\n"
        "        at.ones(n) + 1\n"
    )

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        clean = {"PYTHONPATH": str(Path(__file__).parents[2]), "ASCENDTENSOR_BACKEND": "simulator", "ASCENDTENSOR_CACHE": "off"}
        return subprocess.run(command, cwd=tmp_path, env={**clean, **environment}, capture_output=True, text=True, check=False)

    said = run("program.py", "record").stdout
    assert said.startswith("[114.0, 378.0, 642.0] (6, 2) [[4.0, 6.0], [8.0, 10.0]]")
    assert run("-m", "ascendtensor", "compile", "ops", "--soc", "Ascend910B1").returncode == 0
    # With a compiler that would fail if anybody asked it.
    alone = run("program.py", ASCENDTENSOR_OP_MODELS="op_models/", ASCENDTENSOR_COMPILER="atc", ASCENDTENSOR_ATC="/nothing")
    assert (alone.stdout, alone.stderr, alone.returncode) == (said, "", 0)
    manifest = json.loads((tmp_path / "op_models" / "manifest.json").read_text())
    manifest["models"] = {digest: entry for digest, entry in manifest["models"].items() if entry["op_type"] != "MatMulV2"}
    (tmp_path / "op_models" / "manifest.json").write_text(json.dumps(manifest))
    missing = run("program.py", ASCENDTENSOR_OP_MODELS="op_models/")
    assert missing.returncode == 1 and "matmul: no operator model for MatMulV2(float[3, 4], float[3, 4]," in missing.stderr


def test_a_terminal_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Bar()
    bar(Outcome(wanted=4, kept=1, built=1))
    bar(Outcome(wanted=4, kept=1, built=1, failures=[(add(2), CompileError("bad"))]))
    bar(Outcome(wanted=4, kept=1, built=2, failures=[(add(2), CompileError("bad"))]))
    first, second, last = terminal.getvalue().removeprefix("\r\x1b[K").split("\r\x1b[K")
    assert re.fullmatch(r"\[#{15}\.{15}\] 2/4, \d+ s left", first) and "3/4, 1 failed, " in second and last == "", "cleared at the end"


def test_an_interrupt_is_no_traceback(
    ops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: Bar, outcome: Outcome) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "__call__", interrupted)
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models", "--jobs", 1) == 130
    assert capsys.readouterr().err.endswith("interrupted\n")
    assert len(archive.read_manifest(tmp_path / "models")) >= 1, "what was compiled is not lost"


# Profiles


def test_what_a_board_took_is_a_profile_that_the_simulator_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator.configure(profile="soc")  # a board's compiler refuses what the chip has no kernel for
    monkeypatch.setattr("ascendtensor.compiler.builder", lambda name, soc: SimulatedCompiler(soc, name=name))
    whole = TensorDescription(int(DataType.INT32), (2,))
    for each in (add(2), add(5, inputs=1), Description("Acos", (whole,), (whole,))):
        recorded.write(tmp_path / "ops", each)
    assert compile_(tmp_path / "ops", "--compiler", "atc", "--soc", "Ascend910B2", "-o", tmp_path / "models") == 1
    simulator.configure()
    path = tmp_path / "models" / "profile.json"
    assert f"ASCENDTENSOR_SIM_PROFILE={path}" in capsys.readouterr().out
    found = json.loads(path.read_text())
    assert found["soc"] == "Ascend910B2" and found["compiler"].startswith("atc ")
    assert found["accepted"] == {"Add": ["float32,float32>float32"]}
    assert list(found["refused"]) == ["Acos"] and "EZ3002" in found["refused"]["Acos"]["int32>int32"]
    assert list(found["failed"]) == ["Add"]  # not for its dtypes
    board = profiles.read(path)
    assert board.soc == "Ascend910B2" and "int32>int32" in board.refused["Acos"]


def test_a_profile_grows_and_what_was_taken_once_is_not_refused(tmp_path: Path) -> None:
    path, compiler = tmp_path / "profile.json", SimulatedCompiler("Ascend310B4")
    error = CompileError("no", log="EZ3003: No supported Ops kernel and engine are found for [Add], optype [Add].")
    verdicts.write(path, compiler, [], [(add(2), error)])
    assert "Add" in profiles.read(path).refused
    verdicts.write(path, compiler, [add(3)], [(add(4), error)])
    assert not profiles.read(path).refused and profiles.read(path).accepted == {"Add": frozenset({"float32,float32>float32"})}
    verdicts.write(path, SimulatedCompiler("Ascend310P3"), [], [])  # of another chip: begun anew
    assert profiles.read(path)[1:3] == ("Ascend310P3", {})


def test_the_simulator_s_own_compiler_leaves_a_profile_only_where_asked(ops: Path, tmp_path: Path) -> None:
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models") == 0
    assert not (tmp_path / "models" / "profile.json").exists()
    assert compile_(ops, "--soc", "Ascend310B4", "-o", tmp_path / "models", "--profile", tmp_path / "mine.json") == 0
    assert profiles.read(tmp_path / "mine.json").soc == "Ascend310B4"


def test_signatures_name_absent_operands_and_count_repeated_ones_once() -> None:
    x, absent = TensorDescription(int(DataType.FLOAT), (2,)), TensorDescription(int(DataType.UNDEFINED), ())
    member = TensorDescription(int(DataType.FLOAT16), (2,), dynamic_input="x")
    assert verdicts.signature(Description("Any", (x, absent, x, absent), (x,))) == "float32,_,float32>float32"
    assert verdicts.signature(Description("Any", (member, member, x), (x,))) == "float16,float32>float32"
    assert profiles.spelled(["float32", None, "float32", None], ["float32"]) == "float32,_,float32>float32"
