"""README and docs: examples run, links lead somewhere, tables say what the code says."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import ascendtensor
from ascendtensor import errors
from ascendtensor.codes import ErrorCode
from ascendtensor.ops import table
from ascendtensor.simulator.engine import process

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
PACKAGE = Path(ascendtensor.__file__).parent

BLOCK = re.compile(r"^(?P<margin> *)```python\n(?P<code>.*?)^(?P=margin)```", re.MULTILINE | re.DOTALL)
"""Blocks that are run; those that are not say so behind the language, or are no Python."""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w./-]+\.(?:py|ipynb|jsonl|json|md))`")

EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def _program(text: str) -> str:
    """The examples of a document in order, one program, at the lines where they stand."""
    lines: list[str] = []
    for block in BLOCK.finditer(text):
        before = text[: block.start("code")].count("\n")
        lines += [""] * (before - len(lines)) + textwrap.dedent(block["code"]).splitlines()
    return "\n".join(lines)


@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if BLOCK.search(path.read_text(encoding="utf-8"))], ids=lambda path: path.name
)
def test_examples_run(document: Path, tmp_path: Path) -> None:
    program = tmp_path / f"example_{document.stem}.py"  # not to be taken for the package that a page is called after
    program.write_text(_program(document.read_text(encoding="utf-8")), encoding="utf-8")
    command = [sys.executable, "-W", "error", str(program)]
    done = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_what_its_example_prints() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^prints\n\n```text\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    command = [sys.executable, "-c", _program(text)]
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=True)
    assert shown is not None and shown[1] == done.stdout


def test_the_readme_has_the_two_commands_that_check_the_project() -> None:
    """A line each, as `.ci/run` reads them."""
    commands = re.findall(r"^    (pip install .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[:2] == ["pip install '.[demo]' && python -m ascendtensor demo", "pip install '.[test]' && pytest"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}


def _anchors(path: Path) -> set[str]:
    """Anchors of the headings, as GitHub makes them."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@EACH
def test_links_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(FENCED.sub("", document.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        place = (document.parent / name).resolve() if name else document
        assert place.exists(), f"{document.name} links to {target}"
        if anchor:
            assert anchor in _anchors(place), f"{document.name} links to {target}"


@cache
def _files() -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.suffix in (".py", ".ipynb", ".jsonl", ".json", ".md")}


@EACH
def test_files_that_are_named_exist(document: Path) -> None:
    known = _files()
    examples = {
        "acl.json",
        "add.json",
        "ascendtensor-selfcheck.json",
        "manifest.json",
        "op_models/manifest.json",
        "op_models/profile.json",
        "ops.json",
        "profile.json",
        "program.py",
    }
    for name in NAMED.findall(document.read_text(encoding="utf-8")):
        found = name in examples or any(path == name or path.endswith("/" + name) for path in known)
        assert found, f"{document.name} names {name}"


def test_every_document_is_in_the_index() -> None:
    linked = set(LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    indices = ("README.md", "index.md")  # here, and of the site
    missing = [path.name for path in (ROOT / "docs").glob("*.md") if path.name not in indices and path.name not in linked]
    assert not missing


def _maker(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_of_operators_is_up_to_date() -> None:
    page = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert page == _maker("make_operators").text(), "run python docs/make_operators.py"


def test_page_of_operators_tells_which_rows_keep_off_the_ai_core() -> None:
    lines = [_maker("make_operators").line(row) for row in table.ROWS if any(attr.name == "_exclude_engines" for attr in row.attrs)]
    assert lines and all(" | aicpu | " in line for line in lines), lines


def test_table_of_codes_is_up_to_date() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert page == _maker("make_errors").text(page), "run python docs/make_errors.py"


# Environment variables


def _constants(tree: ast.AST) -> dict[str, str]:
    """Strings that a module assigns to names."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id: node.value.value for target in targets if isinstance(target, ast.Name)}
    return found


def _reads(tree: ast.AST) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """(statement, expression of the name) for each `os.environ.get(name)` and `os.environ[name]`."""
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt) or isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "os.getenv", "environ.get"):
                yield statement, node.args[0]
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("os.environ", "environ"):
                yield statement, node.slice


def _variables() -> set[str]:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "environ" not in text and "getenv" not in text:
            continue
        tree = ast.parse(text)
        names = _constants(tree)
        for statement, name in _reads(tree):
            if isinstance(name, ast.JoinedStr):  # the simulator's, made from the names of its settings
                found |= {f"ASCENDTENSOR_SIM_{setting.upper()}" for setting in process.DEFAULTS}
            elif isinstance(name, ast.Constant):
                found.add(str(name.value))
            elif isinstance(name, ast.Name) and name.id in names:
                found.add(names[name.id])
            else:  # a loop over names in the same statement
                strings = [str(node.value) for node in ast.walk(statement) if isinstance(node, ast.Constant)]
                found |= {text for text in strings if re.fullmatch(r"[A-Z_]{4,}", text)}
    return found


def _first_cells(document: str) -> set[str]:
    """Names in backticks in the first column of a document's tables."""
    rows = re.findall(r"^\| (`[^|]*) \|", (ROOT / "docs" / document).read_text(encoding="utf-8"), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_environment_variables_are_those_that_the_package_reads() -> None:
    read = _variables()
    assert len(read) > 10
    assert _first_cells("environment.md") == read


# Errors


def test_every_error_class_is_in_the_catalogue() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    classes = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    headings = re.findall(r"^### (\w+)", text, re.MULTILINE)
    assert sorted(headings) == sorted(classes)


def test_every_code_is_in_the_catalogue() -> None:
    rows = re.findall(
        r"^\| (\d+) \| `ACL_ERROR_\w+` \| ([^|]+) \| ([^|]+) \|", (ROOT / "docs" / "errors.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [int(code) for code, _, _ in rows] == sorted(code for code in ErrorCode if code)
    assert all(len(meaning) > 5 and len(cure) > 10 for _, meaning, cure in rows)
