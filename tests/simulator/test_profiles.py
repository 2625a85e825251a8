"""Profiles: what the simulated compiler refuses beyond prototypes, of a 910B, of other chips, and by a file that a board left."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import facts, simulator
from ascendtensor.compiler import Description, TensorDescription, simulated
from ascendtensor.errors import CompileError
from ascendtensor.runtime import device as devices
from ascendtensor.simulator import atc
from ascendtensor.simulator.engine import compile as compiling
from ascendtensor.simulator.engine import profiles
from ascendtensor.simulator.engine.compile import CompileFailure


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ASCENDTENSOR_SIM_PROFILE", raising=False)
    profiles.Settings.warned.clear()
    yield
    devices.shutdown()
    monkeypatch.undo()
    simulator.configure()


def op(op_type: str, *types: str, out: str = "") -> dict[str, Any]:
    """A description of one-element operands."""
    tensors = [{"type": name, "format": "ND", "shape": [1]} for name in (*types, out or types[0])]
    return {"op": op_type, "input_desc": tensors[:-1], "output_desc": tensors[-1:]}


def refused(description: dict[str, Any], soc: str = "Ascend910B1") -> str:
    with pytest.raises(CompileFailure) as caught:
        compiling.build(description, soc)
    return caught.value.text


def test_by_default_only_the_prototype_counts() -> None:
    assert profiles.Settings.name == "any" and simulator.get_soc_name() == "Ascend910B1"
    compiling.build(op("Acos", "int32"), "Ascend910B1")


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910B4"])
def test_a_910b_refuses_dtypes_that_its_tables_lack_as_atc_does(soc: str) -> None:
    simulator.configure(soc=soc)
    said = refused(op("Acos", "int32"), soc).splitlines()
    assert said[0].startswith("EZ3002: Optype [Acos] of Ops kernel [AIcoreEngine] is unsupported. Reason: x int32, y int32 is not in")
    assert "float16>float16; float32>float32; bfloat16>bfloat16" in said[0]
    assert said[1] == "EZ3003: No supported Ops kernel and engine are found for [Acos], optype [Acos]."
    compiling.build(op("Acos", "float32"), soc)


def test_each_dtype_may_be_listed_and_the_combination_not() -> None:
    simulator.configure(profile="soc")
    add = facts.operator("Expint")
    assert add is not None and "float16" in add.inputs[0].dtypes
    assert "which has float32>float32" in refused(op("Expint", "float16"))


def test_operators_without_a_kernel_are_refused_and_those_of_the_graph_engine_pass() -> None:
    simulator.configure(profile="soc")
    for op_type, where in (("Squeeze", "ge_local"), ("Identity", "rts"), ("GEMM", "host_cpu")):
        operator = facts.operator(op_type)
        assert operator is not None and operator.engine_910b == "none" and where in operator.runs_in
        assert profiles.refusal(operator, "Ascend910B1", ["float64"] * len(operator.inputs), ["float64"]) is None
    operator = facts.operator("FillV2")
    assert operator is not None
    said = profiles.refusal(operator, "Ascend910B1", ["int64"], ["float32"])
    assert said is not None and "op type FillV2 is not found in the op stores of Ascend910B1" in said


def test_another_chip_is_checked_by_prototype(caplog: pytest.LogCaptureFixture) -> None:
    simulator.configure(soc="Ascend950PR_9599")
    with caplog.at_level(logging.WARNING, logger="ascendtensor"):
        compiling.build(op("Acos", "int32"), "Ascend950PR_9599")
        compiling.build(op("Acos", "int32"), "Ascend950PR_9599")
    assert [record.name for record in caplog.records] == ["ascendtensor"]  # once
    assert "no tables of Ascend950PR_9599" in caplog.text and "can't vouch" in caplog.text


def test_an_older_chip_is_checked_by_what_a_page_rules_out(caplog: pytest.LogCaptureFixture) -> None:
    simulator.configure(soc="Ascend310P3")
    with caplog.at_level(logging.WARNING, logger="ascendtensor"):
        said = refused(op("Acos", "bfloat16"), "Ascend310P3")
    assert "Ascend310P3 does not support bfloat16 (https://www.hiascend.com/" in said and "EZ3003" in said
    assert "knows only in part what kernels Ascend310P3 has" in caplog.text and "can't vouch" in caplog.text


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend310B4", "Ascend910A", "Ascend310"])
def test_an_older_chip_refuses_what_its_kernel_information_lacks(soc: str) -> None:
    """op_impl/ai_core/tbe/config/<chip>/aic-<chip>-ops-info.json of CANN 8.1.RC1."""
    simulator.configure(soc=soc)
    said = refused(op("Acos", "int32"), soc)
    assert f"x int32, y int32 is not in the op information library of {soc}, which has float16>float16" in said and "EZ3003" in said
    operator = facts.operator("BatchNormV3")
    assert operator is not None
    said = str(profiles.refusal(operator, soc, ["float32"] * 5, ["float32"] * 5))
    assert f"op type BatchNormV3 is not found in the op stores of {soc}" in said
    compiling.build(op("Acos", "float32"), soc)
    compiling.build(op("Add", "float32", "float32"), soc)


@pytest.mark.parametrize(("soc", "taken"), [("Ascend310P3", False), ("Ascend910A", False), ("Ascend310B4", True), ("Ascend910B1", True)])
@pytest.mark.parametrize(("op_type", "dtypes"), [("MatMulV2", ["float32"] * 2), ("Conv2D", ["float32"] * 2)])
def test_matrix_units_that_take_no_float32(soc: str, taken: bool, op_type: str, dtypes: list[str]) -> None:
    """aclnnMm and others, CANN 8.0, "cubeMathType": KEEP_DTYPE of FLOAT fails on the Atlas training and inference products."""
    simulator.configure(soc=soc)
    operator = facts.operator(op_type)
    assert operator is not None
    absent: list[str | None] = [None] * (len(operator.inputs) - 2)
    said = profiles.refusal(operator, soc, [*dtypes, *absent], ["float32"])
    assert (said is None) == taken
    assert taken or (said is not None and "EZ3003" in said and "cube unit" in said)
    halves = ["float16", "float16", "float32", *absent[1:]] if op_type == "MatMulV2" else ["float16", "float16", *absent]
    assert profiles.refusal(operator, soc, halves, ["float32" if op_type == "MatMulV2" else "float16"]) is None, "a bias may be wide"


def test_a_chip_told_by_name_is_enforced_and_any_lifts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_SIM_SOC", "Ascend910B2")
    simulator.configure()
    assert "EZ3003" in refused(op("Acos", "int32"), "Ascend910B2")
    monkeypatch.setenv("ASCENDTENSOR_SIM_PROFILE", "any")
    simulator.configure()
    compiling.build(op("Acos", "int32"), "Ascend910B2")
    simulator.configure(profile="Ascend910B1", soc="Ascend310P3")
    assert "library of Ascend910B1" in refused(op("Acos", "int32"), "Ascend310P3")


def test_the_library_says_what_to_do_and_keeps_models_of_profiles_apart() -> None:
    x = TensorDescription(facts.ACL_TYPES["int32"], (1,))
    description = Description("Acos", (x,), (x,))
    lax = simulated.SimulatedCompiler("Ascend910B1")
    assert lax.build([description])
    version = lax.version
    simulator.configure(profile="soc")
    assert lax.version != version
    with pytest.raises(CompileError, match="EZ3002: Optype") as caught:
        lax.build([description])
    assert caught.value.op_type == "Acos" and "cast the operands" in str(caught.value)
    with pytest.raises(CompileError, match="EZ3003") as caught:
        simulated.program("Ascend910B1").build([description])
    assert "cast the operands" in str(caught.value)


def test_the_compiler_inside_the_process_asks_the_profile_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    devices.shutdown()
    simulator.configure(profile="soc")

    @simulator.kernel("MyProfiled", ["x"], ["y"], {})
    def run(inputs: list[np.ndarray], outputs: list[np.ndarray], attrs: dict[str, Any]) -> None:
        outputs[0][...] = inputs[0] + 1

    own = at.register_op("MyProfiled", ["x"], ["y"])  # it has no table, so it passes
    assert (own(at.ones(2, dtype=at.float64)) == 2).all()
    monkeypatch.setattr(profiles, "refusal", lambda *_: "EZ3003: No supported Ops kernel and engine are found for [Exp], optype [Exp].")
    with pytest.raises(CompileError, match="EZ3003") as caught:
        at.ones(7).exp()
    assert "cast the operands" in str(caught.value)


# Profile files


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.json"
    content = {
        "ascendtensor_profile": 1,
        "soc": "Ascend910B3",
        "accepted": {"Acos": ["int32>int32"]},
        "refused": {"Acos": {"float32>float32": "EZ3002: not on this board"}},
    }
    path.write_text(json.dumps(content))
    return path


def test_a_file_goes_before_the_tables_and_names_the_chip(board: Path) -> None:
    simulator.configure(profile=str(board))
    assert simulator.get_soc_name() == "Ascend910B3"
    compiling.build(op("Acos", "int32"), "Ascend910B3")
    assert "the compiler of Ascend910B3 refused it" in (said := refused(op("Acos", "float32"), "Ascend910B3"))
    assert "EZ3002: not on this board" in said
    assert "EZ3003" in refused(op("Acos", "int64"), "Ascend910B3")  # by the tables: the board was not asked


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is no profile of"),
        ("[]", "is no profile of"),
        ('{"ascendtensor_profile": 7}', "its version is 7, not 1"),
        ('{"ascendtensor_profile": 1, "soc": "Ascend1", "accepted": {}, "refused": {}}', "a chip that CANN does not know"),
        ('{"ascendtensor_profile": 1, "soc": "Ascend910B1", "accepted": 3, "refused": {}}', "is no profile of"),
    ],
)
def test_bad_files_are_refused_by_name_and_change_nothing(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=words) as caught:
        simulator.configure(profile=str(path))
    assert str(path) in str(caught.value) and profiles.Settings.name == "any"


def test_a_word_that_is_no_profile_lists_what_is(board: Path) -> None:
    with pytest.raises(ValueError, match="'any', 'soc', the name of a chip or the path of a profile file, got 'everything'"):
        simulator.configure(profile="everything")
    with pytest.raises(ValueError, match="is of Ascend910B3, the simulated chip is Ascend310P3"):
        simulator.configure(profile=str(board), soc="Ascend310P3")


def test_the_compiler_program_takes_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str], board: Path) -> None:
    source = tmp_path / "ops.json"
    source.write_text(json.dumps([op("Acos", "int32")]))
    usual = [f"--singleop={source}", f"--output={tmp_path / 'models'}", "--soc_version=Ascend910B3"]
    assert atc.main(usual) == 0
    assert atc.main([*usual, "--profile=soc"]) == 1
    assert "EZ3003: No supported Ops kernel and engine are found for [Acos]" in capsys.readouterr().out
    assert atc.main([*usual, f"--profile={board}"]) == 0
    assert atc.main([*usual, "--profile=nowhere"]) == 1
    assert "E10001: Value [nowhere] for parameter [--profile] is invalid" in capsys.readouterr().out
    assert profiles.Settings.name == "any"


def test_the_environment_names_a_profile(board: Path) -> None:
    program = (
        "from ascendtensor import simulator; from ascendtensor.simulator.engine import profiles;"
        "print(profiles.Settings.name, simulator.get_soc_name())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "ASCENDTENSOR_SIM_PROFILE": str(board)}
    )
    assert done.stdout.split() == [str(board), "Ascend910B3"], done.stderr
