"""Directories of finished models: compiled in parallel and resumed, loaded by digest, and refused with the reason."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ascendtensor.codes import DataType
from ascendtensor.compiler import Archive, Description, TensorDescription, archive, batch
from ascendtensor.errors import CompileError, CompilerNotFoundError
from ascendtensor.launch.dynamic import generalize
from ascendtensor.launch.variants import finished_model


def op(number: int, op_type: str = "Add") -> Description:
    tensor = TensorDescription(int(DataType.FLOAT), (number,))
    return Description(op_type, (tensor, tensor), (tensor,))


@dataclass
class Fake:
    """A compiler that writes down what it is asked for, and fails for the operator "Bad"."""

    soc: str = "Chip1"
    name: str = "atc"
    version: str = "1"
    precision: str = "p"
    in_process: bool = True
    calls: list[int] = field(default_factory=list)
    seconds: float = 0.0
    running: int = 0
    most: int = 0
    lock: Any = field(default_factory=threading.Lock)

    def build(self, descriptions: Sequence[Description]) -> list[bytes]:
        with self.lock:
            self.calls.append(len(descriptions))
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(self.seconds)
        with self.lock:
            self.running -= 1
        for description in descriptions:
            if description.op_type == "Bad":
                raise CompileError("it is bad", op_type="Bad")
        return [str(description).encode() for description in descriptions]


def test_models_and_a_manifest_are_written(tmp_path: Path) -> None:
    outcome = batch.compile_into(tmp_path, [op(1), op(2)], Fake())
    assert (outcome.wanted, outcome.kept, outcome.built, outcome.failures) == (2, 0, 2, [])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    entry = manifest["models"][op(1).digest()]
    assert manifest["format"] == "ascendtensor operator models" and len(manifest["models"]) == 2
    assert (entry["soc"], entry["compiler"], entry["version"], entry["precision"]) == ("Chip1", "atc", "1", "p")
    assert (tmp_path / entry["file"]).read_bytes() == str(op(1)).encode() and entry["size"] == len(str(op(1)))
    assert entry["file"].endswith(".om"), "acl.op.set_model_dir takes the directory too"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["manifest.json", *(item["file"] for item in manifest["models"].values())]
    )


def test_what_is_there_is_not_compiled_again(tmp_path: Path) -> None:
    batch.compile_into(tmp_path, [op(1), op(2)], Fake())
    again = Fake()
    outcome = batch.compile_into(tmp_path, [op(1), op(2), op(3)], again)
    assert (outcome.kept, outcome.built, again.calls) == (2, 1, [1])
    assert len(archive.read_manifest(tmp_path)) == 3


@pytest.mark.parametrize("harm", ["damaged", "gone", "another version", "another precision"])
def test_what_is_not_valid_is_compiled_again(tmp_path: Path, harm: str) -> None:
    batch.compile_into(tmp_path, [op(1), op(2)], Fake())
    compiler = Fake()
    path = tmp_path / f"{op(1).file_name}.om"
    if harm == "damaged":
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    elif harm == "gone":
        path.unlink()
    else:
        compiler = Fake(version="2") if harm == "another version" else Fake(precision="q")
    outcome = batch.compile_into(tmp_path, [op(1)], compiler)
    assert (outcome.kept, outcome.built) == (0, 1)
    assert archive.read_manifest(tmp_path)[op(1).digest()].made_by(compiler)
    assert len(archive.read_manifest(tmp_path)) == 2


def test_one_that_fails_does_not_take_others_with_it(tmp_path: Path) -> None:
    compiler = Fake(in_process=False)
    outcome = batch.compile_into(tmp_path, [op(1), op(2, "Bad"), op(3)], compiler)
    assert outcome.built == 2 and [(str(item), error.message) for item, error in outcome.failures] == [(str(op(2, "Bad")), "it is bad")]
    assert compiler.calls == [3, 1, 1, 1], "together first, then each on its own"


def test_jobs_run_at_a_time(tmp_path: Path) -> None:
    compiler = Fake(seconds=0.05)
    seen: list[int] = []
    batch.compile_into(tmp_path, [op(number) for number in range(12)], compiler, 3, lambda outcome: seen.append(outcome.done))
    assert compiler.most == 3 and seen == sorted(seen) and seen[-1] == 12


def test_without_a_compiler_nothing_is_tried_a_thousand_times(tmp_path: Path) -> None:
    class None_(Fake):
        def build(self, descriptions: Sequence[Description]) -> list[bytes]:
            super().build(descriptions)
            raise CompilerNotFoundError("no atc")

    compiler = None_()
    with pytest.raises(CompilerNotFoundError):
        batch.compile_into(tmp_path, [op(number) for number in range(100)], compiler, 2)
    assert len(compiler.calls) <= 4


def test_an_interrupted_run_is_gone_on_with(tmp_path: Path) -> None:
    def interrupt(outcome: batch.Outcome) -> None:
        if outcome.built == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.compile_into(tmp_path, [op(number) for number in range(50)], Fake(), 1, interrupt)
    outcome = batch.compile_into(tmp_path, [op(number) for number in range(50)], Fake())
    assert outcome.kept >= 5 and outcome.kept + outcome.built == 50


def test_models_of_two_chips_do_not_share_a_directory(tmp_path: Path) -> None:
    batch.compile_into(tmp_path, [op(1)], Fake())
    with pytest.raises(CompileError, match="holds models for Chip1"):
        batch.compile_into(tmp_path, [op(1)], Fake(soc="Chip2"))


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"format": "x", "version": 1}', '{"format": "ascendtensor operator models", "version": 9}']
)
def test_a_manifest_that_is_none_is_said_to_be(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(CompileError, match="is no manifest of operator models"):
        archive.read_manifest(tmp_path)


def test_models_come_from_the_first_directory_that_has_them(tmp_path: Path) -> None:
    batch.compile_into(tmp_path / "a", [op(1)], Fake())
    batch.compile_into(tmp_path / "b", [op(1), op(2)], Fake())
    (tmp_path / "b" / f"{op(1).file_name}.om").write_bytes(b"never looked at")
    models = Archive([tmp_path / "a", tmp_path / "b"], "npu", "Chip1")
    assert len(models) == 2 and models.holds(op(1)) and not models.holds(op(3))
    assert models.get([op(2), op(1)]) == [str(op(2)).encode(), str(op(1)).encode()]


def test_an_exact_model_serves_before_one_with_open_dims_and_that_before_one_with_free_constants() -> None:
    class Holding(Archive):
        def __init__(self, *held: Description) -> None:
            self.held = held

        def holds(self, description: Description) -> bool:
            return description in self.held

    x, y = TensorDescription(int(DataType.FLOAT), (2, 3)), TensorDescription(int(DataType.FLOAT), (2,))
    exact = Description("ReduceSum", (x, TensorDescription(int(DataType.INT64), (1,), const=bytes(8))), (y,))
    dims, free = generalize(exact, False), generalize(exact, True)
    for held, wanted in (((exact, dims, free), exact), ((dims, free), dims), ((free,), free), ((), exact)):
        assert finished_model(exact, Holding(*held), exact=True, per_call=False) == wanted
    assert finished_model(exact, Holding(exact, dims), exact=False, per_call=True) == dims
    assert finished_model(exact, Holding(free), exact=False, per_call=True) == dims, "the missing one, since its constants can't be free"


def test_a_missing_model_is_told_with_everything_that_is_needed_to_make_it(tmp_path: Path) -> None:
    batch.compile_into(tmp_path / "op_models", [op(1), op(2), op(1, "Sub")], Fake())
    with pytest.raises(CompileError) as raised:
        Archive([tmp_path / "op_models"], "npu", "Chip1").get([op(7)])
    text = str(raised.value)
    assert "no operator model for Add(float[7], float[7]) -> float[7] among the 3 in" in text
    assert "of Add there are 2, such as Add(float[" in text
    assert '"op": "Add"' in text and '"shape": [7]' in text and '"attr": []' in text
    assert 'at.op_models.record("ops/")' in text and "python -m ascendtensor compile ops/ --soc Chip1 -o op_models/" in text
    assert raised.value.op_type == "Add"


def test_models_of_no_use_are_refused(tmp_path: Path) -> None:
    batch.compile_into(tmp_path, [op(1)], Fake())
    with pytest.raises(CompileError, match="are for Chip1, this is an Chip2"):
        Archive([tmp_path], "npu", "Chip2").get([op(1)])
    with pytest.raises(CompileError, match="made by atc, which are of no use to the backend simulator"):
        Archive([tmp_path], "simulator", "Chip1").get([op(1)])
    (tmp_path / f"{op(1).file_name}.om").write_bytes(b"x")
    with pytest.raises(CompileError, match="is damaged"):
        Archive([tmp_path], "npu", "Chip1").get([op(1)])
    (tmp_path / f"{op(1).file_name}.om").unlink()
    with pytest.raises(CompileError, match="can't be read: No such file"):
        Archive([tmp_path], "npu", "Chip1").get([op(1)])
    with pytest.raises(CompileError, match="holds no operator models"):
        Archive([tmp_path / "nothing"], "npu", "Chip1")


def test_another_cann_is_mentioned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    # OM-8: a model has to match the installed version.
    monkeypatch.setattr("ascendtensor.acl.toolkit.cann_version", lambda: "2")
    batch.compile_into(tmp_path, [op(1), op(2)], Fake())
    models = Archive([tmp_path], "npu", "Chip1")
    models.get([op(1), op(2)])
    assert [record.getMessage().rpartition("compiled with ")[2] for record in caplog.records] == ["CANN 1, installed is 2"]
