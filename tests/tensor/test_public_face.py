"""What `import ascendtensor` gives."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ascendtensor as at
from ascendtensor import elementwise_methods, linalg_methods, methods, special_methods
from ascendtensor.runtime import device as devices


def test_all_is_sorted_complete_and_there() -> None:
    def key(name: str) -> tuple[int, list[tuple[str, int]]]:  # constants, classes, the rest; numbers by value, as ruff sorts
        kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
        return kind, [(part, int(number or 0)) for part, number in re.findall(r"(\D+|^)(\d*)", name)]

    assert at.__all__ == sorted(set(at.__all__), key=key)
    assert [name for name in at.__all__ if not hasattr(at, name)] == []
    public = {name for name, value in vars(at).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public - set(at.__all__) == set()


def test_names_are_functions_of_their_name_or_dtypes() -> None:
    for name in at.__all__:
        value = getattr(at, name)
        if isinstance(value, types.FunctionType):
            assert value.__name__ == name and value.__doc__, name
    assert callable(at.tensor) and at.Tensor is at.NPUTensor
    assert (at.float, at.half, at.double, at.int, at.long, at.short) == (at.float32, at.float16, at.float64, at.int32, at.int64, at.int16)
    assert at.bool.name == "bool" and at.cfloat is at.complex64


def test_importing_the_modules_hides_nothing() -> None:
    code = "import ascendtensor, ascendtensor.tensor, ascendtensor.creation; import ascendtensor as at; assert callable(at.tensor)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_opens_nothing_and_is_quick(tmp_path: Path) -> None:
    code = (
        "import sys, time; began = time.perf_counter(); import numpy; middle = time.perf_counter(); import ml_dtypes\n"
        "ours = time.perf_counter(); import ascendtensor; spent = time.perf_counter() - ours\n"
        "from ascendtensor.runtime import device; assert not device.is_initialized()\n"
        "assert 'sklearn' not in sys.modules and 'rich' not in sys.modules and 'ascendtensor.commands.demo' not in sys.modules\n"
        "print(spent, middle - began)"
    )
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", code]
    found = []
    for number in range(5):
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        found.append(tuple(map(float, done.stdout.split())))
        spent, numpy = found[-1]
        if number and spent < max(0.25, 2.5 * numpy):  # the first one compiles; a busy machine slows NumPy's import down too
            return
    raise AssertionError(found)


def test_nothing_is_initialised_by_names() -> None:
    before = devices.is_initialized()
    dir(at), repr(at.float32), at.finfo(at.float32), at.get_printoptions()
    assert devices.is_initialized() == before


def _methods() -> list[tuple[str, Callable[..., Any]]]:
    """(method, function) of each method that only calls a function."""
    found = []
    for module in (elementwise_methods, linalg_methods, methods, special_methods):
        pattern = r'    def (\w+)\(self[^"]*?:\n        """[^"]*"""\n        return (\w+)\.(\w+)\('
        for name, called, function in re.findall(pattern, inspect.getsource(module)):
            found.append((name, getattr(getattr(module, called), function)))
    return found


def test_methods_have_the_parameters_of_their_functions() -> None:
    found = _methods()
    assert len(found) > 200
    for name, target in found:
        takes = [(each.name, each.default, each.kind) for each in inspect.signature(target).parameters.values()][1:]
        given = list(inspect.signature(getattr(at.Tensor, name)).parameters.values())[1:]
        gives = [(each.name, each.default, each.kind) for each in given if each.name != "others"]  # dims one by one
        extra = {each for each in takes if each[0] == "out"}
        own = ("max", "min", "split", "tile", "polygamma", "polygamma_", "relu", "round")
        assert gives == [each for each in takes if each not in extra] or name in own, name
