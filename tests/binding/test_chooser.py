"""Which module is chosen, and what a user is told when it is not CANN's."""

import logging
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ascendtensor import errors, simulator
from ascendtensor.acl import chooser, toolkit


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine without CANN: no module, no toolkit, an empty /dev."""
    for name in (chooser.VARIABLE, "ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "acl", None)  # as if there were none (it raises ModuleNotFoundError)
    monkeypatch.setattr(toolkit, "_USUAL", ())
    monkeypatch.setattr(chooser, "_said", set())
    dev = tmp_path / "dev"
    dev.mkdir()
    monkeypatch.setattr(chooser, "_DEVICE_DIRECTORY", dev)
    yield tmp_path


def fake_acl(count: int = 1, code: int = 0) -> Any:
    acl = ModuleType("acl")
    acl.rt = SimpleNamespace(get_device_count=lambda: (count, code))  # type: ignore[attr-defined]
    acl.op = acl.util = SimpleNamespace()  # type: ignore[attr-defined]
    acl.init = acl.create_tensor_desc = lambda *args: 0  # type: ignore[attr-defined]
    return acl


def test_auto_takes_the_simulator_on_a_laptop_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="ascendtensor"):
        first, second = chooser.choose(), chooser.choose()
    assert first.name == second.name == "simulator" and first.module is simulator
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert "CANN is not installed" in caplog.text and "CANN is not installed" in first.reason


def test_what_an_older_pyacl_lacks_is_named() -> None:
    assert chooser.lacking(simulator) == []
    named = chooser.lacking(fake_acl())
    assert "acl.rt.create_event_ex_with_flag" in named and "acl.op.load" in named and "acl.mdl.unload" in named
    assert "acl.rt.get_device_count" not in named and "acl.init" not in named


def test_auto_takes_cann_when_it_sees_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    acl = fake_acl(count=8)
    monkeypatch.setitem(sys.modules, "acl", acl)
    backend = chooser.choose()
    assert (backend.name, backend.module) == ("npu", acl)
    assert "8 devices" in str(backend)


def test_simulator_is_taken_although_cann_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "acl", fake_acl())
    monkeypatch.setenv(chooser.VARIABLE, "simulator")
    assert chooser.choose().module is simulator


def test_an_installed_simulator_is_no_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "acl", simulator)
    assert chooser.choose().name == "simulator"
    monkeypatch.setenv(chooser.VARIABLE, "npu")
    with pytest.raises(errors.BackendError, match="simulator"):
        chooser.choose()


def test_npu_never_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chooser.VARIABLE, " NPU ")
    with pytest.raises(errors.BackendError, match=r"CANN is not installed(.|\n)*set_env.sh"):
        chooser.choose()
    monkeypatch.setitem(sys.modules, "acl", fake_acl())
    assert chooser.choose().name == "npu"


def test_cann_without_its_python_path(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    home = machine / "cann"
    (home / "python" / "site-packages").mkdir(parents=True)
    (home / "set_env.sh").write_text("")
    monkeypatch.setenv("ASCEND_TOOLKIT_HOME", str(home))
    monkeypatch.setenv(chooser.VARIABLE, "npu")
    with pytest.raises(errors.BackendError) as caught:
        chooser.choose()
    assert f"source {home}/set_env.sh" in str(caught.value) and "PYTHONPATH" in str(caught.value)


def test_a_module_that_does_not_load_is_a_warning(monkeypatch: pytest.MonkeyPatch, machine: Path, caplog: pytest.LogCaptureFixture) -> None:
    (machine / "acl.py").write_text("raise ImportError('libascendcl.so: cannot open shared object file')")
    monkeypatch.syspath_prepend(str(machine))
    monkeypatch.delitem(sys.modules, "acl")
    with caplog.at_level(logging.INFO, logger="ascendtensor"):
        assert chooser.choose().name == "simulator"
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "libascendcl.so" in caplog.text and "set_env.sh" in caplog.text


def test_a_directory_named_acl_is_no_module(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    (machine / "acl").mkdir()
    monkeypatch.syspath_prepend(str(machine))
    monkeypatch.delitem(sys.modules, "acl")
    assert "CANN is not installed" in chooser.choose().reason


def test_another_package_of_that_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "acl", ModuleType("acl"))
    monkeypatch.setenv(chooser.VARIABLE, "npu")
    with pytest.raises(errors.BackendError, match="is not pyACL"):
        chooser.choose()


@pytest.mark.parametrize(
    ("files", "allowed", "code", "words"),
    [
        ([], True, 0, "no /dev/davinci"),
        (["davinci0", "davinci_manager"], False, 507033, "davinci0.*507033(.|\n)*HwHiAiUser"),
        (["davinci0"], True, 0, "although(.|\n)*npu-smi"),
    ],
)
def test_no_device_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, machine: Path, files: list[str], allowed: bool, code: int, words: str
) -> None:
    for name in files:
        (machine / "dev" / name).write_text("")
    monkeypatch.setattr(os, "access", lambda path, mode: allowed)
    monkeypatch.setitem(sys.modules, "acl", fake_acl(0, code))
    monkeypatch.setenv(chooser.VARIABLE, "npu")
    with pytest.raises(errors.BackendError, match=words):
        chooser.choose()


def test_device_files_count_where_acl_must_be_initialised_first(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    (machine / "dev" / "davinci1").write_text("")
    monkeypatch.setitem(sys.modules, "acl", fake_acl(0, 100001))
    assert chooser.choose().name == "npu"


def test_an_unknown_backend_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chooser.VARIABLE, "cuda")
    with pytest.raises(errors.BackendError, match="auto, npu or simulator"):
        chooser.choose()


@pytest.mark.parametrize(
    ("path", "text", "version"),
    [
        (f"{platform.machine()}-linux/ascend_toolkit_install.info", "version=8.1.RC1\narch=x\n", "8.1.RC1"),
        ("version.cfg", "# version: 1.0\nruntime_running_version=[7.6.0.1.220:8.0.0]\n", "8.0.0"),
        ("version.cfg", "toolkit_installed_version=[7.0.0.5.242:7.0.RC1][7.3.0.1.231:8.0.RC2]\n", "8.0.RC2"),
        ("compiler/version.info", "Version=8.5.0\nversion_dir=8.5.0\n", "8.5.0"),
        ("other.txt", "version=1\n", ""),
    ],
)
def test_the_version_is_read_from_the_toolkits_files(
    monkeypatch: pytest.MonkeyPatch, machine: Path, path: str, text: str, version: str
) -> None:
    home = machine / "toolkit" / "8"
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).write_text(text)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    assert toolkit.homes() == [home]
    assert toolkit.cann_version() == version


def test_no_toolkit_has_no_version() -> None:
    assert toolkit.homes() == [] and toolkit.cann_version() == ""
