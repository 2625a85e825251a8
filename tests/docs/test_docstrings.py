"""What every public name says of itself: a summary line, what it is like, and which Ascend operators it launches."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

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


def test_summaries_are_sentences() -> None:
    summaries = {name: _summary(_doc(function)) for name, function in FUNCTIONS.items()}
    assert len(summaries) > 700
    wrong = {name: text for name, text in summaries.items() if not text or text[0] == " " or not text.rstrip().endswith((".", ":"))}
    assert not wrong


def test_functions_say_what_they_are_like() -> None:
    silent = [name for name in FUNCTIONS if name.rpartition(".")[2] not in OF_ITS_OWN and "Like: " not in _doc(FUNCTIONS[name])]
    assert not silent


def _launched(function: Callable[..., Any]) -> set[str]:
    """IR types of the rows that a function names itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return {ROWS[name] for name in names if name in ROWS} - IN_PASSING


def test_functions_say_which_operators_they_launch() -> None:
    launched = {name: operators for name, function in FUNCTIONS.items() if (operators := _launched(function))}
    assert len(launched) > 200
    silent = {
        name: sorted(operators)
        for name, operators in launched.items()
        if "Ascend operator" not in _doc(FUNCTIONS[name]) or not any(op_type in _doc(FUNCTIONS[name]) for op_type in operators)
    }
    assert not silent, "one of these is to be named"
