"""`python -m ascendtensor`: help, info, demo, and what bad options get."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ascendtensor.__main__ import main
from ascendtensor.commands import info

Captured = pytest.CaptureFixture[str]


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "ascendtensor", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


# Help


def test_help_names_the_commands(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert "info" in text and "demo" in text and "python -m ascendtensor" in text


def test_without_a_command_all_of_them_are_listed(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "train two small networks" in capsys.readouterr().err


def test_version() -> None:
    done = _run("--version")
    assert done.returncode == 0 and re.fullmatch(r"ascendtensor \d+\.\d+\.\d+\S*\n", done.stdout)


@pytest.mark.parametrize("arguments", [(), ("dance",), ("demo", "--dtype", "int8"), ("demo", "--samples", "many"), ("info", "--loud")])
def test_unknown_arguments_give_the_usage_and_status_2(arguments: tuple[str, ...], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == "" and said.err.startswith("usage: python -m ascendtensor") and "error:" in said.err


def test_a_reader_that_has_enough_ends_a_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "ascendtensor", "info"], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


# info


def test_info_says_what_was_found_and_what_is_missing() -> None:
    done = _run("info", ASCENDTENSOR_SIM_DEVICES="3", ASCENDTENSOR_SIM_SOC="Ascend310P3", ASCENDTENSOR_SIM_RUN_MODE="device")
    assert done.returncode == 0 and done.stderr == ""
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines() if line[:1].strip())
    assert lines["backend"] == "simulator (ASCENDTENSOR_BACKEND=simulator)"
    assert lines["chip"] == "Ascend310P3, 3 devices, run mode DEVICE (0)"
    assert lines["compiler"].startswith("simulated, version ")
    assert {"ascendtensor", "packages", "CANN", "operator", "op"} <= set(lines)
    assert len(re.findall(r"^  npu:\d +4\.0 GiB of 4\.0 GiB free$", done.stdout, re.MULTILINE)) == 3
    assert "numpy" in lines["packages"] and os.environ["ASCENDTENSOR_CACHE_DIR"] in done.stdout


def test_info_says_which_machine_can_not_be_simulated() -> None:
    for variables in ({"ASCENDTENSOR_SIM_SOC": "Ascend999"}, {"ASCENDTENSOR_SIM_DEVICES": "none", "ASCENDTENSOR_BACKEND": "simulator"}):
        done = _run("info", **variables)
        assert done.returncode == 1 and "there is no such machine to simulate: " in done.stdout and "ASCENDTENSOR_SIM_..." in done.stdout
        assert "Traceback" not in done.stderr


def test_info_about_a_cache_that_is_off(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("ASCENDTENSOR_CACHE", "off")
    assert main(["info"]) == 0
    assert "kept in memory only" in capsys.readouterr().out


def test_info_without_the_backend_that_was_asked_for() -> None:
    done = _run("info", ASCENDTENSOR_BACKEND="npu")
    assert done.returncode == 1
    assert "ASCENDTENSOR_BACKEND=npu, but " in done.stdout and "Traceback" not in done.stdout + done.stderr


def test_info_with_an_unknown_backend() -> None:
    done = _run("info", ASCENDTENSOR_BACKEND="abacus")
    assert done.returncode == 1
    assert "'abacus' is unknown" in done.stdout and "auto, npu or simulator" in done.stdout


def test_info_about_a_missing_compiler(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "atc")
    monkeypatch.setenv("ASCENDTENSOR_ATC", "/nowhere/atc")
    assert main(["info"]) == 0
    assert "ASCENDTENSOR_ATC=/nowhere/atc is not a program" in capsys.readouterr().out


def test_info_about_the_compiler_inside_the_process(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    assert main(["info"]) == 0
    assert re.search(r"^compiler +online, version \w+", capsys.readouterr().out, re.MULTILINE)


def test_info_about_what_the_compiler_may_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(info.needs, "doubts", lambda: ["CANN's compiler may miss the packages decorator: pip install decorator"])
    monkeypatch.setattr(info, "find_atc", lambda: "/usr/local/Ascend/atc")
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "atc")
    assert "may miss the packages decorator" in "\n".join(info._compiler("npu"))
    assert "may miss" not in "\n".join(info._compiler("simulator"))


def test_info_about_directories_of_models(monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path) -> None:
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(tmp_path))
    assert main(["info"]) == 0
    assert f"ASCENDTENSOR_OP_MODELS names {tmp_path}, which holds no operator models" in capsys.readouterr().out


def test_info_names_packages_that_the_demo_misses(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(info, "DEMO", ("scikit-learn-that-nobody-has",))
    assert main(["info"]) == 0
    assert "missing: scikit-learn-that-nobody-has; pip install" in capsys.readouterr().out


# demo

REPORT = [
    r"backend: \w+ \(.+\), SoC \w+",
    r"digits: 225 to train on, 75 held out; arithmetic in {dtype}",
    r"  model +last loss +held out, right +off NumPy float64 +allowed",
    r"  softmax +\d+\.\d{{4}} +\d+\.\d % +\S+e[+-]\d\d +\S+",
    r"  hidden layer +\d+\.\d{{4}} +\d+\.\d % +\S+e[+-]\d\d +\S+",
    r"  \(off: the largest relative difference between the losses here and the same training in NumPy\)",
    r"operators launched: [\d,]+",
    r"(  [A-Z]\w+ +[\d,]+( +[A-Z]\w+ +[\d,]+)*\n?)+",
    r"op handles: [\d,]+ hits, [\d,]+ misses, [\d,]+ models loaded, \d+ ms compiling",
    r"dynamic launches: [\d,]+",
    r"device memory: .+ used, .+ peak, .+ cached",
    r"copied: .+ to the device, .+ back",
    r"elapsed: \d+\.\d s",
    r"held-out accuracy: \d+\.\d %",
]


def _reports(printed: str, dtype: str) -> None:
    expected = "\n".join(REPORT).format(dtype=dtype)
    assert re.fullmatch(expected + "\n", printed), printed
    assert "MatMulV2" in printed


def test_demo_is_a_program() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("rich")
    done = _run("demo", "--samples", "300", "--epochs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    _reports(done.stdout, "float32")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_demo_trains_and_reports(dtype: str, capsys: Captured) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("rich")
    assert main(["demo", "--samples", "300", "--epochs", "2", "--dtype", dtype]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    _reports(said.out, dtype)


@pytest.mark.parametrize("device", ["npu:1", "1"])
def test_demo_on_another_device(device: str, capsys: Captured) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("rich")
    assert main(["demo", "--samples", "120", "--epochs", "1", "--device", device]) == 0
    printed = capsys.readouterr().out.splitlines()
    memory, copied = (next(line for line in printed if line.startswith(name)) for name in ("device memory", "copied"))
    assert " 0 B peak" not in memory and " 0 B " not in copied, "the figures are those of the device that was used"
    assert printed[-1].startswith("held-out accuracy: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--samples", "5"], "--samples must lie between 100 and 1797, got 5"),
        (["--samples", "1798"], "--samples must lie between 100 and 1797, got 1798"),
        (["--epochs", "0"], "--epochs must be at least 1, got 0"),
        (["--samples", "100", "--epochs", "1", "--device", "npu:7"], "device number 7 is out of range"),
        (["--samples", "100", "--epochs", "1", "--device", "cuda"], "cuda"),
    ],
)
def test_demo_refuses_bad_options(arguments: list[str], said: str, capsys: Captured) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("rich")
    assert main(["demo", *arguments]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ") and said in printed.err and printed.out == ""


def test_demo_without_its_packages(tmp_path: Path) -> None:
    (tmp_path / "sklearn.py").write_text("raise ModuleNotFoundError(\"No module named 'sklearn'\", name='sklearn')\n")
    done = _run("demo", PYTHONPATH=os.pathsep.join([str(tmp_path), os.getcwd()]))
    assert done.returncode == 1
    assert "demo: sklearn is not installed" in done.stderr and "pip install 'ascendtensor[demo]'" in done.stderr
    assert "Traceback" not in done.stderr
