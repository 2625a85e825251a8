"""What every public name says of itself: a summary line, what it is like, and which Ascend operators it launches."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor.nn import functional
from ascendtensor.ops import table
from ascendtensor.ops.schema import Row

IN_PASSING = {"Cast", "Fill"}
"""Operators that functions use for special cases and between steps."""

OF_ITS_OWN = {"backend", "device", "is_initialized", "memory_cached", "raw", "run_mode", "shutdown", "soc_name"}
"""Functions like none of PyTorch's or NumPy's."""

ROWS = {
    name: value.op_type
    for module in vars(table).values()
    if isinstance(module, types.ModuleType)
    for name, value in vars(module).items()
    if isinstance(value, Row)
}


def _functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (at, functional, at.fft, at.linalg, at.blas, at.custom, at.npu):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, types.FunctionType):
                yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(_functions())
EACH = pytest.mark.parametrize("name", FUNCTIONS)


def _doc(value: object) -> str:
    return inspect.getdoc(value) or ""


def _summary(doc: str) -> str:
    return doc.split("\n\n")[0].replace("\n", " ")


def test_every_public_name_has_a_docstring() -> None:
    bare = [name for name in at.__all__ if not name.startswith("__") and name != "newaxis" and not _doc(getattr(at, name))]
    assert not bare


def test_every_method_and_property_has_a_docstring() -> None:
    slots = {"buffer", "desc"}
    named = [name for name in dir(at.Tensor) if not name.startswith("_") and name not in slots]
    bare = [name for name in named if not _doc(inspect.getattr_static(at.Tensor, name))]
    assert not bare


@EACH
def test_summary_is_a_sentence(name: str) -> None:
    summary = _summary(_doc(FUNCTIONS[name]))
    assert summary and summary[0] != " ", name
    assert summary.rstrip().endswith((".", ":")), summary


@EACH
def test_says_what_it_is_like(name: str) -> None:
    if name.rpartition(".")[2] not in OF_ITS_OWN:
        assert "Like: " in _doc(FUNCTIONS[name])


def _launched(function: Callable[..., Any]) -> set[str]:
    """IR types of the rows that a function names itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return {ROWS[name] for name in names if name in ROWS} - IN_PASSING


@EACH
def test_says_which_operators_it_launches(name: str) -> None:
    function = FUNCTIONS[name]
    doc = _doc(function)
    launched = _launched(function)
    if launched:
        assert "Ascend operator" in doc
        assert any(op_type in doc for op_type in launched), f"one of {sorted(launched)} is to be named"
