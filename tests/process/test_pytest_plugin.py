"""The pytest plugin, in pytest runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ascendtensor

ROOT = Path(ascendtensor.__file__).parents[1]

PROGRAM = """
import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator as acl


@pytest.mark.parametrize("time", [1, 2])
def test_fresh(ascend_process, time):
    assert not any(acl.tables().values()) and ascend_process is acl
    assert at.backend().name == "simulator"
    np.testing.assert_array_equal((at.ones(3) + 1).numpy(), [2, 2, 2])
    acl.op.set_max_op_queue_num(1)


def test_machine(ascend_machine):
    ascend_machine(devices=5, soc="Ascend310P3", run_mode="device")
    assert at.device_count() == 5 and at.soc_name() == "Ascend310P3"


def test_machine_is_gone():
    assert at.device_count() == 2


def test_faults(ascend_process, ascend_faults, ascend_leaks):
    ascend_faults.plan("acl.rt.malloc", code=207001, repeat=True)
    with pytest.raises(at.OutOfDeviceMemoryError):
        at.ones(1 << 20)


def test_faults_are_gone():
    assert at.ones(3).sum().item() == 3


def test_clean(ascend_leaks):
    at.ones(3) + 1
"""

LEAKING = """
import ascendtensor as at
from ascendtensor import simulator as acl


def test_leak():
    acl.init()
    acl.rt.set_device(0)
    stream, _ = acl.rt.create_stream()


def test_clean():
    at.ones(3) + 1


def test_object_that_the_program_forgot():
    assert acl.create_data_buffer(at.ones(3).data_ptr(), 12)
"""


def run(tmp_path: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-W",
        "error",
        "-p",
        "ascendtensor.testing",
        "-p",
        "no:cacheprovider",
        *arguments,
        "test_program.py",
    ]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)


def test_fixtures(tmp_path: Path) -> None:
    done = run(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stdout
    assert "7 passed" in done.stdout


def test_leaks_of_every_test_by_option(tmp_path: Path) -> None:
    assert run(tmp_path, LEAKING).returncode == 0
    done = run(tmp_path, LEAKING, "--ascend-leaks")
    assert done.returncode == 1
    assert "3 passed, 2 errors" in done.stdout
    assert "streams: [0x" in done.stdout and "test_program.py:9" in done.stdout  # the line that made it
    assert "buffers: [0x" in done.stdout


def test_the_entry_point_names_the_plugin() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nascendtensor = "ascendtensor.testing"\n' in text
