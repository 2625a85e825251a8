"""The driver of ATC, against a small program that behaves as ATC does and against the simulator's own."""

import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from ascendtensor import compiler as floor
from ascendtensor.acl import toolkit
from ascendtensor.codes import DataType
from ascendtensor.compiler import Attribute, Description, TensorDescription, atc, needs, simulated
from ascendtensor.compiler.atc import AtcCompiler
from ascendtensor.errors import BackendError, CompileError, CompilerNotFoundError
from ascendtensor.simulator import atc as program

PROGRAM = r"""
import json, os, sys
options = dict(part.split("=", 1) for part in sys.argv[1:])
print("ATC start working now, please wait for a moment.")
code = 0
os.mkdir("kernel_meta")  # as ATC does where it runs
for index, operator in enumerate(json.load(open(options["--singleop"]))):
    if operator["op"] == "Bad":
        print("[ERROR] GE(123,atc):2025-01-01")
        print("E10501: [PID: 7] 2025-01-01 IR for Op [Bad], optype [Bad], is not registered.")
        print("        Possible Cause: 1. The environment variable ASCEND_OPP_PATH is not configured.")
        code = 1
        continue
    suffix = "_linux_aarch64.om" if operator["op"] == "Cross" else ".om"
    with open(os.path.join(options["--output"], operator["name"] + suffix), "wb") as file:
        file.write(json.dumps([operator, options, os.getcwd()]).encode())
    code = 0  # ATC ends with the code of its last operator
print("ATC run failed" if code else "ATC run success, welcome to the next use.")
sys.exit(code)
"""


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, str]:
    script = tmp_path / "atc.py"
    script.write_text(PROGRAM)
    return sys.executable, str(script)


def op(op_type: str, size: int = 3) -> Description:
    x = TensorDescription(DataType.FLOAT, (size,))
    return Description(op_type, (x, x), (x,), (Attribute("alpha", "float", 1.0),))


def test_one_run_builds_all_in_order(command: tuple[str, str]) -> None:
    built = AtcCompiler("Ascend910B1", command=command).build([op("Mul"), op("Add"), op("Mul", 4), op("Mul")])
    read = [json.loads(model) for model in built]
    assert [operator["op"] for operator, _, _ in read] == ["Mul", "Add", "Mul", "Mul"]
    assert read[0][0] == op("Mul").to_json() and read[2][0] == op("Mul", 4).to_json()
    options = read[0][1]
    assert read[1][1] == options  # one run
    assert set(options) == {"--singleop", "--output", "--soc_version", "--precision_mode", "--op_select_implmode", "--allow_hf32", "--log"}
    assert (options["--soc_version"], options["--log"]) == ("Ascend910B1", "error")
    assert options["--precision_mode"] == "must_keep_origin_dtype"
    assert options["--op_select_implmode"] == "high_precision", "as aclopCompile (OpCompileProcessor::SetOption)"


@pytest.mark.parametrize(
    ("soc", "wanted"), [("Ascend910B4", "false"), ("Ascend910_9391", "false"), ("Ascend310P3", None), ("Ascend310B4", "false")]
)
def test_float32_convolutions_keep_their_bits(command: tuple[str, str], soc: str, wanted: str | None) -> None:
    """Convolutions are computed in HF32 unless ATC is told not to, on chips whose matrix unit multiplies h322f32: the graph engine looks
    for it in platform_config/*.ini (PlatformUtils::ParseAllowHf32), where it stands for the 310B too (CANN 8.1.RC1)."""
    _, options, _ = json.loads(AtcCompiler(soc, command=command).build([op("Conv2D")])[0])
    assert options.get("--allow_hf32") == wanted


@pytest.mark.parametrize("said", ["ERROR: unknown command line flag 'allow_hf32'", "atc: unrecognized option '--allow_hf32=false'"])
def test_an_atc_that_does_not_know_the_option_is_asked_once_more(tmp_path: Path, said: str, caplog: pytest.LogCaptureFixture) -> None:
    script = tmp_path / "atc.py"
    script.write_text(f"import sys\nif '--allow_hf32=false' in sys.argv: sys.exit({said!r})\n" + PROGRAM)
    _, options, _ = json.loads(AtcCompiler("Ascend310B4", command=(sys.executable, str(script))).build([op("Conv2D")])[0])
    assert "--allow_hf32" not in options and "may keep 11 bits only" in caplog.text


def test_the_simulators_atc_takes_two_values_for_hf32(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--singleop=x", "--output=y", "--soc_version=Ascend910B1", "--allow_hf32=10"]) != 0
    assert "E10005" in capsys.readouterr().out


def test_nothing_stays_behind(command: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    _, options, where = json.loads(AtcCompiler("Ascend910B1", command=command).build([op("Add")])[0])
    assert not Path(where).exists() and not Path(options["--singleop"]).exists()
    assert list((tmp_path / "here").iterdir()) == []


def test_a_file_named_for_another_host_is_found(command: tuple[str, str]) -> None:
    assert AtcCompiler("Ascend310B4", command=command).build([op("Cross")])


def test_a_failure_is_an_error_with_the_end_of_the_log(command: tuple[str, str]) -> None:
    with pytest.raises(CompileError) as caught:
        AtcCompiler("Ascend910B1", command=command).build([op("Add"), op("Bad")])
    error = caught.value
    assert error.op_type == "Bad"
    assert error.message.startswith("atc ended with code 1 for Bad: E10501 ") and "not registered" in error.message
    assert error.log.endswith("ATC run failed") and "Possible Cause" in error.log
    assert "Bad(float[3], float[3], alpha=1.0) -> float[3]" in str(error)


def test_a_missing_model_is_an_error_although_the_program_ended_well(command: tuple[str, str]) -> None:
    with pytest.raises(CompileError, match="left no model for Bad"):
        AtcCompiler("Ascend910B1", command=command).build([op("Bad"), op("Add")])


def test_advice_for_an_environment_that_is_not_set_up(tmp_path: Path) -> None:
    script = tmp_path / "atc.py"
    script.write_text("print('\\n'.join(map(str, range(100)))); raise ModuleNotFoundError(\"No module named 'tbe'\")")
    with pytest.raises(CompileError, match=r"set_env\.sh") as caught:
        AtcCompiler("Ascend910B1", command=(sys.executable, str(script))).build([op("Add")])
    assert len(caught.value.log.splitlines()) <= 40


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("EC0010: Failed to import Python module ModuleNotFoundError: No module named 'decorator'.", "pip install .*decorator"),
        ("No module named 'te_fusion.fusion_api'", "set_env.sh"),
        ("Unable to load a valid Python SO", "LD_LIBRARY_PATH"),
        ("AttributeError: `np.float_` was removed in the NumPy 2.0 release.", "numpy<2"),
    ],
)
def test_advice_for_what_the_python_half_of_the_compiler_misses(tmp_path: Path, text: str, advice: str) -> None:
    """What CANN 7 to 8.2 say in an environment without the packages of CANN's installation guide, or with NumPy 2."""
    script = tmp_path / "atc.py"
    script.write_text(f"raise SystemExit({text!r})")
    with pytest.raises(CompileError, match=advice):
        AtcCompiler("Ascend910B1", command=(sys.executable, str(script))).build([op("Add")])


def test_small_boards_compile_with_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """CANN environment variables, "TE_PARALLEL_COMPILER": eight by default, of about 1 GB each."""
    monkeypatch.delenv("TE_PARALLEL_COMPILER", raising=False)
    monkeypatch.setenv("MAX_COMPILE_CORE_NUMBER", "3")
    monkeypatch.setattr(needs, "memory", lambda: 8 << 30)
    assert needs.environment("Ascend310B4") == {"TE_PARALLEL_COMPILER": "1"}, "what the user says stays"
    assert needs.environment("Ascend310P3") == {}
    monkeypatch.setattr(needs, "memory", lambda: 64 << 30)
    assert needs.environment("Ascend310B4") == {}, "a server that compiles for a board"


def test_doubts_about_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "PACKAGES", ("numpy", "a-package-that-nobody-has"))
    monkeypatch.setattr(needs.platform, "python_version_tuple", lambda: ("3", "13", "0"))
    text = "\n".join(needs.doubts())
    assert "may miss the packages a-package-that-nobody-has" in text and "PyEval_InitThreads" in text
    assert ("numpy<2'" in text.splitlines()[1]) == (np.__version__ >= "2")


@pytest.fixture
def no_atc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(atc.VARIABLE, raising=False)
    monkeypatch.setattr(toolkit, "homes", lambda: [])
    return tmp_path


def executable(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_without_a_program_the_error_says_what_to_do(no_atc: Path) -> None:
    with pytest.raises(CompilerNotFoundError, match=r"not found(.|\n)*set_env\.sh(.|\n)*ASCENDTENSOR_ATC"):
        AtcCompiler("Ascend910B1").build([op("Add")])


@pytest.mark.skipif(os.name == "nt", reason="ATC runs on Linux; which() wants an extension here")
def test_where_the_program_is_looked_for(no_atc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = executable(no_atc / "cann" / "compiler" / "bin" / "atc")
    monkeypatch.setattr(toolkit, "homes", lambda: [no_atc / "cann"])
    assert atc.find_atc() == usual
    on_path = executable(no_atc / "bin" / "atc")
    assert atc.find_atc() == on_path
    named = executable(no_atc / "other" / "my-atc")
    monkeypatch.setenv(atc.VARIABLE, named)
    assert atc.find_atc() == named
    monkeypatch.setenv(atc.VARIABLE, str(no_atc / "nothing"))
    with pytest.raises(CompilerNotFoundError, match="ASCENDTENSOR_ATC="):
        atc.find_atc()


def test_a_program_that_can_not_be_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CompilerNotFoundError, match="can't be run"):
        AtcCompiler("Ascend910B1", command=(str(tmp_path / "none"),)).build([op("Add")])


# The simulator's compiler, both ways


def transpose(*dims: int) -> Description:
    shape, perm = tuple(dims), np.arange(len(dims), dtype="i8")[::-1]
    order = TensorDescription(DataType.INT64, perm.shape, const=perm.tobytes())
    x = TensorDescription(DataType.FLOAT, shape)
    return Description("Transpose", (x, order), (TensorDescription(DataType.FLOAT, shape[::-1]),))


def test_the_simulators_program_gives_the_models_of_the_one_in_process() -> None:
    operators = [transpose(2, 3), transpose(3, 4, 5), transpose(2, 3)]
    inside = simulated.SimulatedCompiler("Ascend910B1").build(operators)
    assert simulated.program("Ascend910B1").build(operators) == inside
    assert inside[0] == inside[2] != inside[1]


@pytest.mark.parametrize("make", [simulated.SimulatedCompiler, simulated.program])
def test_the_simulators_refusal_is_a_compile_error(make: type[simulated.SimulatedCompiler]) -> None:
    with pytest.raises(CompileError) as caught:
        make("Ascend910B1").build([op("NoSuchOperator")])
    assert caught.value.op_type == "NoSuchOperator"
    assert "E10501" in caught.value.log and "NoSuchOperator" in caught.value.log


def test_the_variable_chooses_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(floor.VARIABLE, raising=False)
    assert floor.choose_compiler("simulator", "Ascend910B1").name == "simulated"
    assert floor.choose_compiler("npu", "Ascend910B1").name == "atc"
    for name in ("simulated", "simulated-program", "atc"):
        monkeypatch.setenv(floor.VARIABLE, name)
        assert floor.choose("simulator", "Ascend910B1").compiler.name == name
    assert floor.choose("npu", "Ascend910B1").soc == "Ascend910B1"
    monkeypatch.setenv(floor.VARIABLE, "simulated")
    with pytest.raises(BackendError, match="can't load"):
        floor.choose_compiler("npu", "Ascend910B1")
    monkeypatch.setenv(floor.VARIABLE, "gcc")
    with pytest.raises(BackendError, match="unknown"):
        floor.choose_compiler("simulator", "Ascend910B1")


def test_the_cann_version_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkit, "cann_version", lambda: "8.1.RC1")
    assert AtcCompiler("Ascend910B1").version == "8.1.RC1"
    monkeypatch.setattr(toolkit, "cann_version", lambda: "")
    assert AtcCompiler("Ascend910B1").version == "unknown"
