"""The house rules that no linter knows: where imports stand, how long things are, what they are called, what they name."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "ascendtensor").rglob("*.py"))
PYTHON = sorted([*PACKAGE, *(path for folder in ("tests", "bench", "docs") for path in (ROOT / folder).rglob("*.py"))])
TEXTS = sorted(
    [
        *(path for path in PYTHON if path != Path(__file__)),
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("notebooks/*.ipynb"),
        ROOT / "pyproject.toml",
        ROOT / ".ci" / "run",
    ]
)

_DECLARED = re.search(r"^dependencies = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
DEPENDENCIES = {name.replace("-", "_") for name in re.findall(r'"([\w-]+)', _DECLARED.group(1) if _DECLARED else "")}
OWNERS = {
    "PIL": {"ascendtensor/simulator/media/codec.py"},
    "onnx": {"ascendtensor/simulator/onnx_graph.py"},
    "onnxruntime": {"ascendtensor/simulator/engine/onnx_session.py"},
    "opt_einsum": {"ascendtensor/ops/linalg/einsum.py"},
    "pytest": {"ascendtensor/testing.py"},
    "safetensors": {"ascendtensor/saving.py"},
}
"""Optional packages, each with the modules that may import it."""

GATES = {"ascendtensor", "ascendtensor.simulator"}
"""Packages from which others take modules, `from ascendtensor import codes`: the module counts, not the package."""

POSIX_ONLY = {"fcntl", "grp", "posix", "pwd", "pty", "resource", "select", "syslog", "termios", "tty"}


Import: TypeAlias = "ast.Import | ast.ImportFrom"


class Function(NamedTuple):
    """A function: its name, its lines, and how many they are where a docstring, or the text of a program that a test starts, is one."""

    name: str
    lines: range
    length: int


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, without a look into expressions, which hold none."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield node
            yield from statements(node)


def measured(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    lines = range(function.lineno, (function.end_lineno or 0) + 1)
    strings = () if len(lines) <= 60 else ast.walk(function)
    longer = [node for node in strings if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return Function(function.name, lines, len(lines) - sum((node.end_lineno or 0) - node.lineno for node in longer))


@cache
def parts(path: Path) -> tuple[list[Function], list[Import]]:
    """Functions and imports of the file as Python 3.10 reads it; no tree is kept, which the collector would go through again."""
    nodes = list(statements(ast.parse(path.read_text(encoding="utf-8"), filename=name(path), feature_version=(3, 10))))
    functions = [measured(node) for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return functions, [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]


def imported(path: Path) -> Iterator[str]:
    """Absolute names of the modules that a file imports, and of what it takes from a gate."""
    package = name(path).removesuffix(".py").split("/")[:-1]
    for node in parts(path)[1]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *(node.module.split(".") if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names) if module in GATES else (module,)


def test_no_function_of_the_package_imports() -> None:
    # CANN's `acl` is imported by acl.chooser through importlib, optional packages where a module begins.
    found = [
        f"{name(path)}:{node.lineno} {function.name}"
        for path in PACKAGE
        for function in parts(path)[0]
        for node in parts(path)[1]
        if node.lineno in function.lines
    ]
    assert found == []


def test_modules_are_imported_by_name_in_five_places() -> None:
    # Where CANN's `acl` is chosen, where modules wait for their first use, where the simulator finds its kernels, where it needs packages
    # of an extra, and where rich draws a bar.
    found = {name(path) for path in PACKAGE if re.search(r"\b(import_module|__import__)\(", path.read_text(encoding="utf-8"))}
    assert found == {
        "ascendtensor/acl/chooser.py",
        "ascendtensor/compiler/progress.py",
        "ascendtensor/deferred.py",
        "ascendtensor/simulator/kernels/__init__.py",
        "ascendtensor/simulator/kernels/importing.py",
    }


def test_the_package_needs_what_it_declares() -> None:
    for path in PACKAGE:
        for top in {module.split(".")[0] for module in imported(path)} - {"ascendtensor"} - sys.stdlib_module_names - DEPENDENCIES:
            assert name(path) in OWNERS.get(top, set()), f"{name(path)} imports {top}"


def test_of_ours_the_simulator_knows_codes_facts_and_interrupts_only() -> None:
    ours = re.compile(r"ascendtensor\.(codes|facts|interrupts|simulator)(\.|$)")
    for path in (ROOT / "ascendtensor" / "simulator").rglob("*.py"):
        for module in imported(path):
            top = module.split(".")[0]
            known = ours.match(module) or top in sys.stdlib_module_names | {"numpy", "ml_dtypes", "threadpoolctl"}
            assert known or name(path) in OWNERS.get(top, set()), f"{name(path)} imports {module}"


def test_the_simulators_engine_and_kernels_know_nothing_above_them() -> None:
    for folder, below in (("engine", "engine|kernels"), ("kernels", "kernels")):
        for path in (ROOT / "ascendtensor" / "simulator" / folder).rglob("*.py"):
            for module in imported(path):
                if re.match(r"ascendtensor\.simulator\b", module):
                    assert re.match(rf"ascendtensor\.simulator\.({below})(\.|$)", module), f"{name(path)} imports {module}"


def test_nothing_of_one_system_only_is_imported() -> None:
    assert [f"{name(path)}: {module}" for path in PACKAGE for module in imported(path) if module in POSIX_ONLY] == []


def test_no_file_is_too_long() -> None:
    found = {name(path): path.read_text(encoding="utf-8").count("\n") for path in PYTHON}
    assert {path: count for path, count in found.items() if count > 1000} == {}


def test_no_function_is_too_long() -> None:
    found = {f"{name(path)} {function.name}": function.length for path in PYTHON for function in parts(path)[0]}
    assert len(found) > 10000 and {function: count for function, count in found.items() if count > 60} == {}


def test_names_say_what_a_module_is_for() -> None:
    vague = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)$")
    found = [name(path) for path in PYTHON if vague.search(path.stem.removeprefix("test_")) or vague.search(path.parent.name)]
    # PyTorch's own name, torch.nn.utils, and pyACL's, acl.util.
    utilities = [name(path) for path in sorted((ROOT / "ascendtensor" / "nn" / "utils").glob("*.py"))]
    assert found == [*utilities, "ascendtensor/simulator/util.py", "tests/simulator/test_util.py"]


def test_every_module_has_its_floor_on_the_map() -> None:
    text = (ROOT / "docs" / "how-an-operator-runs.md").read_text(encoding="utf-8").partition("\n## Floors\n")[2]
    floors = [
        place for line in text.splitlines() if line.startswith("| `") for place in re.findall(r"`([\w*]+(?:\.py|/))`", line.split("|")[1])
    ]
    modules = {
        path.name if path.suffix else f"{path.name}/" for path in (ROOT / "ascendtensor").iterdir() if not path.name.startswith("__pyc")
    }
    known = {module for module in modules if any(fnmatch(module, place) for place in floors)}
    assert modules - known == {"__init__.py", "py.typed", "stubs/"}
    assert [place for place in floors if not any(fnmatch(module, place) for module in modules)] == []


def test_no_path_of_a_machine() -> None:
    # CANN's usual places are looked for; everything else is relative, temporary or asked from the environment.
    path_of_a_machine = re.compile(r"(?<![\w.~/$}])/(?:home|Users|root|work|mnt|opt|srv|tmp|usr/local)/[\w.-]+[\w./-]*")
    found = {name(path): path_of_a_machine.findall(path.read_text(encoding="utf-8")) for path in TEXTS}
    known = ("/usr/local/Ascend", "/opt/Ascend")
    assert {path: places for path, places in found.items() if any(not place.startswith(known) for place in places)} == {}


def test_the_marker_of_typing_and_the_licence_are_there() -> None:
    assert (ROOT / "ascendtensor" / "py.typed").is_file() and (ROOT / "LICENSE").is_file()
