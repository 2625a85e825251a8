"""The examples in docstrings: every public function, class and method has one, and it gives what it says.

A function has its own example. One that says it is another one ("See `exp`", "The same as `exp`", "`exp`, written into ...") shares that
one's, and a method or property may be shown by an example of its class. Functions of the module `acl` itself are documented by CANN.
"""

from __future__ import annotations

import doctest
import functools
import importlib.util
import inspect
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.simulator import atc

GIVEN = {"at": at, "np": np, "xp": at.array_api, "simulator": simulator}
"""What an example finds defined."""

OTHER = re.compile(r"(?:See |The same as |Arguments and errors as for )?`([\w.]+)`(?: of two operands|, written into|[;:.]| \()")

_SPEC = importlib.util.spec_from_file_location("make_reference", Path(__file__).parents[2] / "docs" / "make_reference.py")
assert _SPEC is not None and _SPEC.loader is not None
reference = importlib.util.module_from_spec(_SPEC)
"""The pages of the reference, which know what is public."""
_SPEC.loader.exec_module(reference)


class Named(NamedTuple):
    """A public function, class, method or property."""

    key: str
    """Where it is written: "ops.pointwise.unary.exp"."""
    public: str
    """Its own name: "exp"."""
    doc: str
    owner: type | None
    """The class that it is a member of."""

    @property
    def module(self) -> str:
        return self.key.rsplit(".", 2 if self.owner else 1)[0]

    @property
    def examples(self) -> list[doctest.Example]:
        return doctest.DocTestParser().get_examples(self.doc)

    def is_shown_by(self, docs: dict[str, list[str]], owners: dict[type, str]) -> bool:
        if self.examples:
            return True
        if self.owner and re.search(rf"^ *(>>>|\.\.\.).*\.{self.public}\b", owners.get(self.owner, ""), re.MULTILINE):
            return True
        other = OTHER.match(self.doc)
        name = (other[1] or other[2]).rpartition(".")[2] if other else ""
        return any(">>>" in doc for doc in docs.get(name, ()))


def _top() -> Iterator[tuple[str, Any]]:
    """Functions and classes; of errors docs/errors.md tells, with examples of its own."""
    for each in reference.public():
        if not (isinstance(each.value, type) and issubclass(each.value, Exception)):
            yield each.name, each.value
    yield from ((type(value).__name__, type(value)) for value in (at.handle_cache, at.ir.ops))


@functools.cache
def _names() -> dict[str, Named]:
    found: dict[str, Named] = {}
    for name, value in _top():
        key = reference.key(value)
        found.setdefault(key, Named(key, name, inspect.getdoc(value) or "", None))
        if isinstance(value, type):
            for member, function in reference.members(value):
                key = reference.key(function)
                found.setdefault(key, Named(key, member, inspect.getdoc(function) or "", value))
    return found


def _modules() -> list[str]:
    return sorted({each.module for each in _names().values() if each.examples})


def _without() -> list[str]:
    docs: dict[str, list[str]] = {}
    for each in _names().values():
        if each.owner is None:
            docs.setdefault(each.public, []).append(each.doc)
    owners = {value: inspect.getdoc(value) or "" for _, value in _top() if isinstance(value, type)}
    for each in _names().values():
        if each.owner is not None:
            owners[each.owner] += "\n" + each.doc
    return sorted(each.key for each in _names().values() if not each.is_shown_by(docs, owners))


def test_every_public_name_has_an_example() -> None:
    assert not _without(), "write `Examples:` into the docstring, see CONTRIBUTING.md"


def test_every_example_shows_a_result_and_is_run() -> None:
    for each in _names().values():
        if examples := each.examples:
            assert any(example.want for example in examples), f"{each.key}: no line shows what comes out"
            assert not any(doctest.SKIP in example.options for example in examples), each.key


def _state() -> tuple[object, ...]:
    return (
        at.get_default_dtype(),
        at.get_printoptions(),
        at.get_float32_matmul_precision(),
        at.op_models.get_mode(),
        at.current_device().index,
    )


def _whole_models() -> None:
    """net.om and gears.om here: outputs p, the softmax of x, and best, its greatest; for two rows, and for one or four."""
    onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    value, kinds = onnx.helper.make_tensor_value_info, onnx.TensorProto
    nodes = [
        onnx.helper.make_node("Softmax", ["x"], ["p"], "soft"),
        onnx.helper.make_node("ArgMax", ["x"], ["best"], "top", axis=1, keepdims=0),
    ]
    outputs = [value("p", kinds.FLOAT, ["batch", 3]), value("best", kinds.INT64, ["batch"])]
    graph = onnx.helper.make_graph(nodes, "net", [value("x", kinds.FLOAT, ["batch", 3])], outputs)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), "net.onnx")
    usual = ["--framework=5", "--model=net.onnx", "--soc_version=Ascend910B1"]
    assert atc.main([*usual, "--output=net", "--input_shape=x:2,3"]) == 0
    assert atc.main([*usual, "--output=gears", "--input_shape=x:-1,3", "--dynamic_batch_size=1,4"]) == 0


@pytest.fixture(autouse=True)
def unchanged_modules() -> Iterator[None]:
    """Takes `acl` away again, should an example have put the simulator in its place."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name == "acl" or name.startswith("acl."):
            del sys.modules[name]


@pytest.mark.parametrize("module", _modules())
def test_examples_give_what_they_say(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if any("net.om" in each.doc for each in _names().values() if each.module == module):
        _whole_models()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    parser = doctest.DocTestParser()
    said: list[str] = []
    before = _state()
    for each in _names().values():
        if each.module == module and each.examples:
            at.manual_seed(0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                runner.run(parser.get_doctest(each.doc, dict(GIVEN), each.key, None, None), out=said.append)
            assert _state() == before, f"{each.key} leaves something changed"
    if module.startswith(("simulator", "launch")):  # they leave models and settings in the process
        at.shutdown()
        simulator.new_process()
        at.handle_cache.given.clear()
    assert not said, "".join(said)
