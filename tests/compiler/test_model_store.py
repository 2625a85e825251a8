"""The store: memory, disk, damage, several threads and processes, directories that can't be written."""

import hashlib
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ascendtensor.codes import DataType
from ascendtensor.compiler import Description, ModelStore, TensorDescription, progress, store
from ascendtensor.errors import CompileError


@dataclass
class FakeCompiler:
    """Makes a model of a description's digest, counts, and can be slow or fail."""

    soc: str = "Ascend910B1"
    name: str = "fake"
    version: str = "8.1.RC1"
    precision: str = "origin"
    in_process: bool = True
    seconds: float = 0.0
    fail: bool = False
    batches: list[list[str]] = field(default_factory=list)

    def build(self, descriptions: Sequence[Description]) -> list[bytes]:
        self.batches.append([description.op_type for description in descriptions])
        time.sleep(self.seconds)
        if self.fail:
            raise CompileError("no", op_type=descriptions[0].op_type)
        return [hashlib.sha256(description.digest().encode()).digest() * 40 for description in descriptions]


def op(op_type: str = "Add", size: int = 3) -> Description:
    x = TensorDescription(DataType.FLOAT, (size,))
    return Description(op_type, (x, x), (x,))


def files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def test_a_model_comes_from_memory_then_disk_then_the_compiler(tmp_path: Path) -> None:
    compiler = FakeCompiler()
    first = ModelStore(compiler, tmp_path)
    models = first.get([op(), op("Mul"), op()])
    assert models[0] == models[2] != models[1]
    assert compiler.batches == [["Add", "Mul"]]
    assert first.get([op()]) == models[:1]
    second = ModelStore(compiler, tmp_path)
    assert second.get([op("Mul"), op("Sub"), op()]) == [models[1], *compiler.build([op("Sub")]), models[0]]
    assert compiler.batches[1] == ["Sub"]
    assert (first.info().memory_hits, first.info().compiled) == (1, 2)
    assert (second.info().disk_hits, second.info().compiled) == (2, 1)
    assert second.info().compile_seconds > 0


@pytest.mark.parametrize("change", [{"soc": "Ascend310P3"}, {"version": "8.2.RC1"}, {"precision": "fp16"}, {"name": "other"}])
def test_another_chip_version_precision_or_compiler_has_files_of_its_own(tmp_path: Path, change: dict[str, str]) -> None:
    ModelStore(FakeCompiler(), tmp_path).get([op()])
    other = FakeCompiler(**change)  # type: ignore[arg-type]
    ModelStore(other, tmp_path).get([op()])
    assert other.batches == [["Add"]]
    assert len(files(tmp_path)) == 2


def cut(content: bytes) -> bytes:
    return content[:-1]


def flip(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    "damage",
    [cut, flip, lambda content: b"", lambda content: content[:30], lambda content: b"\0" * 4096, lambda content: content + b"more"],
)
def test_a_damaged_file_is_compiled_again_with_one_warning(
    tmp_path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    compiler = FakeCompiler()
    model = ModelStore(compiler, tmp_path).get([op()])
    (path,) = files(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    again = ModelStore(compiler, tmp_path)
    assert again.get([op()]) == model
    assert [record.levelname for record in caplog.records] == ["WARNING"] and str(path) in caplog.text
    assert again.info().damaged == 1 and len(compiler.batches) == 2
    assert ModelStore(compiler, tmp_path).get([op()]) == model
    assert len(compiler.batches) == 2


def test_a_file_under_another_operators_name_is_not_taken(tmp_path: Path) -> None:
    compiler = FakeCompiler()
    keeper = ModelStore(compiler, tmp_path)
    keeper.get([op(), op("Mul")])
    add, mul = files(tmp_path)
    add.write_bytes(mul.read_bytes())
    assert ModelStore(compiler, tmp_path).get([op()]) == keeper.get([op()])


def test_a_directory_that_can_not_be_written_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    keeper = ModelStore(FakeCompiler(), tmp_path / "file" / "below")  # also for root, whom no mode keeps out
    keeper.get([op()])
    keeper.get([op("Mul")])
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "ASCENDTENSOR_CACHE_DIR" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert ModelStore(FakeCompiler(), tmp_path).get([op()])
    assert "kept for this process only" in caplog.text


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store.os, "replace", interrupted)
    keeper = ModelStore(FakeCompiler(), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        keeper.get([op()])
    assert files(tmp_path) == []
    monkeypatch.undo()
    assert keeper.get([op()])


def test_memory_is_bounded(tmp_path: Path) -> None:
    compiler = FakeCompiler()
    keeper = ModelStore(compiler, None, memory_limit=3000)  # two models of 1,280 bytes
    for name in ("Add", "Mul", "Add", "Sub"):
        keeper.get([op(name)])
    assert keeper.info().memory_bytes == 2560
    keeper.get([op("Add")])
    assert len(compiler.batches) == 3
    keeper.get([op("Mul")])  # the least recently used one had gone
    assert len(compiler.batches) == 4


def test_two_threads_asking_for_one_model_compile_it_once() -> None:
    compiler = FakeCompiler(seconds=0.05)
    keeper = ModelStore(compiler, None)
    barrier = threading.Barrier(8)
    results: list[list[bytes]] = []

    def ask(index: int) -> None:
        barrier.wait()
        results.append(keeper.get([op("Add"), op("Mul")] if index % 2 else [op("Mul"), op("Add")])[:: 1 if index % 2 else -1])

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(result == results[0] for result in results)
    assert sorted(name for batch in compiler.batches for name in batch) == ["Add", "Mul"]


def test_a_failed_compile_is_every_askers_error_and_not_remembered() -> None:
    compiler = FakeCompiler(seconds=0.02, fail=True)
    keeper = ModelStore(compiler, None)
    failures: list[str] = []

    def ask() -> None:
        try:
            keeper.get([op()])
        except CompileError as error:
            failures.append(error.op_type)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == ["Add"] * 3
    assert keeper.info().failed == 3
    compiler.fail = False
    assert keeper.get([op()])


PROCESS = """
import sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_model_store import FakeCompiler, ModelStore, op
compiler = FakeCompiler()
keeper = ModelStore(compiler, Path(sys.argv[1]))
sys.stdin.readline()  # all start together
for size in range(60):
    (model,) = keeper.get([op(size=size)])
    assert model == compiler.build([op(size=size)])[0]
info = keeper.info()
assert info.damaged == 0, info
print(info.compiled + info.disk_hits)
"""


def test_several_processes_compile_the_same_things_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROCESS, str(tmp_path), str(Path(__file__).parent)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    ends = [process.communicate("go\n", timeout=120) for process in processes]
    assert [out.strip() for out, _ in ends] == ["60"] * 3, [err for _, err in ends]
    assert len(files(tmp_path)) == 60 and not [path for path in files(tmp_path) if path.suffix == ".tmp"]


def test_where_the_files_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(store.CACHE_VARIABLE, raising=False)
    monkeypatch.setenv(store.DIRECTORY_VARIABLE, str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.cache_directory() == tmp_path / "named"
    monkeypatch.delenv(store.DIRECTORY_VARIABLE)
    assert store.cache_directory() == tmp_path / "xdg" / "ascendtensor"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: tmp_path))
    for platform, place in (("linux", ".cache/ascendtensor"), ("darwin", "Library/Caches/ascendtensor")):
        monkeypatch.setattr(sys, "platform", platform)
        assert store.cache_directory() == tmp_path / place
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert store.cache_directory() == tmp_path / "Local" / "ascendtensor" / "cache"
    monkeypatch.setenv(store.CACHE_VARIABLE, "off")
    assert store.cache_directory() is None


def test_without_a_directory_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ModelStore(FakeCompiler(), None).get([op()])
    assert files(tmp_path) == []


class Terminal:
    """A standard error that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("line", [True, False])
def test_a_compile_that_takes_long_is_mentioned(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, line: bool) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.02)
    monkeypatch.setenv(progress.VARIABLE, "1" if line else "0")
    monkeypatch.setitem(sys.modules, "rich", None)  # as if it were not installed; tests/inspection has its line
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with caplog.at_level(logging.INFO, logger="ascendtensor"):
        ModelStore(FakeCompiler(seconds=0.12, in_process=False), None).get([op()])
    assert caplog.messages[0] == "compiling Add(float[3], float[3]) -> float[3] with fake for Ascend910B1"
    assert caplog.messages[1].startswith("compiled Add")
    assert ("compiling Add" in terminal.text) is line
    if line:
        assert terminal.text.endswith("\r\x1b[K")


def test_a_quick_compile_shows_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    ModelStore(FakeCompiler(in_process=False), None).get([op()])
    assert terminal.text == ""
