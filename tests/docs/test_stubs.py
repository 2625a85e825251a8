"""The types of pyACL: made of the list of its functions, and what mypy says of programs that use them."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ascendtensor import simulator

ROOT = Path(__file__).parents[2]
STUBS = ROOT / "ascendtensor" / "stubs"

RIGHT = """
import acl

count, ret = acl.rt.get_device_count()
desc: int = acl.create_tensor_desc(0, [2, 3], 2)
ret = acl.rt.set_device(0)
stream, ret = acl.rt.create_stream()
attr: int = acl.op.create_attr()
attr, ret = acl.op.set_attr_data_type(attr, "dst_type", 1)
ret = acl.op.set_attr_list_float(attr, "scales", [0.5])
ret = acl.op.execute_v2("Add", [desc, desc], [1, 2], [desc], [3], attr, stream)
ret = acl.rt.launch_callback(print, None, 1, stream)
dims, ret = acl.mdl.get_input_dims(1, 0)
print(dims["dims"], acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(b"x"), 1))
message = acl.get_recent_err_msg()
if message is not None:
    print(message.upper())
low, ret = acl.get_tensor_desc_dim_range(desc, 0, 2)
frame, ret = acl.media.dvpp_malloc(64)
width, height, channels, ret = acl.media.dvpp_jpeg_get_image_info(frame, 64)
acl.media.vdec_create_channel_desc()
acl.op.destroy_attr(attr)
acl.init()
acl.init("acl.json")
"""

WRONG = [
    ("acl.rt.set_device('0')", 'Argument 1 to "set_device" has incompatible type "str"; expected "int"'),
    ("acl.rt.set_device()", 'Too few arguments for "set_device"'),
    ("acl.rt.set_device(device_id=0)", 'Unexpected keyword argument "device_id" for "set_device"'),
    ("acl.rt.malloc(8, 0, 0)", 'Too many arguments for "malloc"'),
    ("acl.rt.synchronize(0)", 'Module has no attribute "synchronize"'),
    ("acl.ACL_FLOAT", 'Module has no attribute "ACL_FLOAT"'),
    ("acl.op.compile('Add')", 'Module has no attribute "compile"'),
    ("acl.create_tensor_desc(0, (2, 3), 2)", 'has incompatible type "tuple[int, int]"; expected "list[int]"'),
    ("acl.rt.synchronize_stream(None)", 'has incompatible type "None"; expected "int"'),
    ("acl.media.dvpp_vpc_resize_async(1, 2, 3, 4)", 'Too few arguments for "dvpp_vpc_resize_async"'),
    ("acl.get_recent_err_msg().upper()", 'Item "None" of "str | None" has no attribute "upper"'),
    ("handle: int = acl.op.create_handle('Add', [1], [2], 0)", "Incompatible types in assignment"),
    ("stream, ret = acl.rt.destroy_stream(1)", '"int" object is not iterable'),
]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """docs/make_stubs.py."""
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "docs" / "make_stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_stubs_are_up_to_date(maker: ModuleType) -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in (STUBS / "acl").iterdir() if path.suffix == ".pyi"}
    assert found == maker.texts(), "run python docs/make_stubs.py"


def test_stubs_name_what_the_simulator_has() -> None:
    for path in (STUBS / "acl").glob("*.pyi"):
        module = simulator if path.stem == "__init__" else getattr(simulator, path.stem)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name != "__getattr__":
                assert callable(getattr(module, node.name)), f"{path.stem}.{node.name}"
                assert not node.args.args and not node.args.kwonlyargs  # PY-2


def test_mypy_takes_a_right_program_and_refuses_wrong_ones(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("\n".join(["import acl", *(line for line, _ in WRONG)]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(tmp_path / "cache"), "--no-pretty"]
    environment = {**os.environ, "MYPYPATH": str(STUBS)}
    done = subprocess.run([*command, "right.py", "wrong.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    said = done.stdout.splitlines()
    assert not [line for line in said if line.startswith("right.py")], done.stdout
    for number, (line, text) in enumerate(WRONG, 2):
        errors = [each for each in said if each.startswith(f"wrong.py:{number}: error:")]
        assert any(text in each for each in errors), f"{line}: {errors}"
