"""``python -m ascendtensor.simulator``: programs that import ``acl`` run unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import atexit, pickle, sys
import acl
import beside

class Kept:
    pass

def check(name, ret):
    if ret:
        print(name, ret, acl.get_recent_err_msg())
        sys.exit(3)

check("init", acl.init())
check("set_device", acl.rt.set_device(0))
stream, ret = acl.rt.create_stream()
check("create_stream", ret)
device, ret = acl.rt.malloc(16, 0)
check("malloc", ret)
data = bytes(range(16))
check("memcpy", acl.rt.memcpy(device, 16, acl.util.bytes_to_ptr(data), 16, 1))
host, ret = acl.rt.malloc_host(16)
check("memcpy back", acl.rt.memcpy(host, 16, device, 16, 2))
assert acl.util.ptr_to_bytes(host, 16) == data
assert "bytes_to_ptr" in dir(acl.util) and "gemm_ex" in dir(acl.blas) and "init" in dir(acl.prof)
assert type(pickle.loads(pickle.dumps(Kept()))) is Kept
check("free", acl.rt.free(device))
check("free_host", acl.rt.free_host(host))
check("destroy_stream", acl.rt.destroy_stream(stream))
check("reset_device", acl.rt.reset_device(0))
check("finalize", acl.finalize())
print(__name__, sys.argv, __file__ == sys.argv[0], beside.VALUE)
atexit.register(lambda: print("bye", Kept.__name__))
if "--fail" in sys.argv:
    acl.rt.malloc(None, 0)
if "--exit" in sys.argv:
    sys.exit(7)
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ascendtensor.simulator", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, timeout=120, check=False)


def write(folder: Path) -> Path:
    (folder / "beside.py").write_text("VALUE = 5\n")
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_program_runs(tmp_path: Path) -> None:
    path = write(tmp_path)
    done = run(str(path), "--size", "3", cwd=tmp_path.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"__main__ ['{path}', '--size', '3'] True 5", "bye Kept"]


def test_its_end_is_the_programs(tmp_path: Path) -> None:  # K1, K2
    path = write(tmp_path)
    assert run(str(path), "--exit", cwd=tmp_path).returncode == 7
    failed = run(str(path), "--fail", cwd=tmp_path)
    assert failed.returncode == 1
    assert "TypeError: acl.rt.malloc args parse failed" in failed.stderr
    assert 'program.py", line' in failed.stderr


def test_a_module_runs(tmp_path: Path) -> None:
    write(tmp_path)
    done = run("-m", "program", "one", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("__main__ [")


def test_no_such_file(tmp_path: Path) -> None:
    missing = run("nothing.py", cwd=tmp_path)
    assert missing.returncode == 2
    assert "nothing.py" in missing.stderr
    missing = run("-m", "nowhere.program", cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.endswith("there is no module named nowhere.program\n")


SURFACE = """
import json, sys, types
import acl, acl.rt
from acl import op

def said(call):
    try:
        call()
    except (AttributeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"

names = [name for name in sys.modules if name == "acl" or name[:4] == "acl."]
calls = [
    lambda: acl.ACL_FLOAT, lambda: acl.rt.ACL_HOST, lambda: acl.report(), lambda: acl.rt.np, lambda: op.compile, lambda: acl.media.dvpp_x(),
    lambda: acl.rt.malloc(64), lambda: acl.rt.malloc(size=64, policy=0), lambda: acl.init(config_path=""),
]
print(json.dumps({
    "dir": {name: [each for each in vars(sys.modules[name]) if each[:2] != "__"] for name in names},
    "chapters": sorted(name for name, value in vars(acl).items() if isinstance(value, types.ModuleType)),
    "said": [said(call) for call in calls],
}))
"""


def test_a_program_finds_what_pyacl_has_and_nothing_else(tmp_path: Path) -> None:  # PY-9, K1
    (tmp_path / "program.py").write_text(SURFACE)
    done = run("program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    api = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
    assert found["chapters"] == ["blas", "mdl", "media", "op", "prof", "rt", "util"]
    for module, names in found["dir"].items():
        functions = {name.rpartition(".")[2] for name in api if name.rpartition(".")[0] == module}
        assert set(names) == functions | (set(found["chapters"]) if module == "acl" else set())
    dvpp = found["said"].pop(5)
    assert dvpp.startswith(
        "AttributeError: module 'acl.media' has no attribute 'dvpp_x': of the image and video units (DVPP) the simulator has"
    )
    assert found["said"] == [
        "AttributeError: module 'acl' has no attribute 'ACL_FLOAT'",
        "AttributeError: module 'acl.rt' has no attribute 'ACL_HOST'",
        "AttributeError: module 'acl' has no attribute 'report'",
        "AttributeError: module 'acl.rt' has no attribute 'np'",
        "AttributeError: module 'acl.op' has no attribute 'compile'",
        "TypeError: acl.rt.malloc args parse failed",
        "TypeError: malloc() takes no keyword arguments",
        "TypeError: acl.init() takes no keyword arguments",
    ]


def test_plans_and_traces_reach_the_installed_module(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import acl\n"
        "from ascendtensor import simulator\n"
        "acl.init(), acl.rt.set_device(0)\n"
        "plain = acl.rt.malloc\n"
        "simulator.trace()\n"
        "with simulator.faults.plan('acl.rt.malloc', code=207001):\n"
        "    print(acl.rt.malloc(64, 0))\n"
        "address, ret = acl.rt.malloc(64, 0)\n"
        "print([leak.origin for leak in simulator.leaks() if 'memory' in leak.text])\n"
        "simulator.trace(False)\n"
        "print(acl.rt.malloc is plain is simulator.rt.malloc)\n"
        "import ascendtensor as at\n"
        "print(at.backend())\n"
    )
    done = run("program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:3] == ["(0, 207001)", "['program.py:8']", "True"]
    assert "simulator" in done.stdout.splitlines()[3]
