"""Writes the pages of the reference, docs/reference/*.rst, when the site is built: `sphinx-build -c docs . site` (docs/conf.py calls it).

Each public function and class is written out once, under its shortest name; where it has another one, that page points there.
"""

from __future__ import annotations

import argparse
import ast
import functools
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import ascendtensor as at
from ascendtensor import __main__ as main
from ascendtensor import random, simulator
from ascendtensor.nn import functional

SPACES: Final = (
    at,
    at.nn,
    functional,
    at.nn.grad,
    at.nn.init,
    at.nn.utils,
    at.nn.utils.rnn,
    at.nn.utils.parametrizations,
    at.nn.utils.parametrize,
    at.linalg,
    at.fft,
    at.special,
    random,
    at.vision,
    at.blas,
    at.custom,
    at.ir,
    at.models,
    at.notebook,
    at.npu,
    at.op_models,
    at.array_api,
    at.array_api.linalg,
    at.array_api.fft,
    simulator,
    simulator.faults,
)
"""The modules that users take names from; what several have belongs to the first."""

INNER: Final[dict[str, str]] = {
    "runtime.device.Device": "activate close current current_stream default_stream detach_threads drain enter_stream free_context "
    "free_lane leave_stream null_buffer reaches synchronize_lanes upload_bytes upload_values",
    "launch.registry.HandleRegistry": "add adopt build bury finished forget_plans handle is_loaded keep_mould load model note "
    "reload runs_without_handle shut_down source too_late",
    "runtime.stream.Stream": "keeper on ready",
    "runtime.stream.Event": "ready",
    "random.Generator": "draw",
    "simulator.faults.Plan": "due",
    "dtypes.dtype": "type",
}
"""Members of public classes that the library itself calls, or libraries that take NumPy's dtypes for granted."""

PAGES: Final[dict[str, tuple[str, str]]] = {
    "creation": ("Making tensors", "creation borrowing interop.dlpack interop.host saving display windows"),
    "dtypes": ("Dtypes and promotion", "dtypes casting ops.precision"),
    "elementwise": (
        "Element by element",
        "ops.pointwise.elementwise ops.pointwise.unary ops.pointwise.floats ops.pointwise.special "
        "ops.pointwise.bessel ops.pointwise.complex_numbers",
    ),
    "comparison": ("Comparison, logic and bits", "ops.pointwise.comparison ops.arguments"),
    "reductions": ("Reductions, scans and statistics", "ops.reduction ops.statistics"),
    "sorting": ("Sorting, searching and sets", "ops.sorting ops.sets"),
    "shapes": ("Shapes and views", "ops.views ops.shape ops.copying ops.combining shapes"),
    "indexing": ("Indexing, gathering and scattering", "ops.gather ops.indexing"),
    "algebra": (
        "Products and linear algebra",
        "ops.linalg.matmul ops.linalg.einsum ops.linalg.systems ops.linalg.factors ops.linalg.legacy "
        "ops.linalg.products ops.linalg.vectors lowrank",
    ),
    "networks": (
        "Neural networks",
        "ops.nn.activation ops.nn.softmax ops.nn.normalization ops.nn.pooling ops.nn.convolution "
        "ops.nn.folding ops.nn.embedding ops.nn.resampling nn.recurrent nn.stochastic",
    ),
    "signals": ("Signals", "ops.spectral"),
    "random": ("Random numbers", "random"),
    "in-place": ("Functions that write into their operand", "ops.in_place"),
    "aliases": ("Further names", "ops.pointwise.aliases"),
    "devices": ("Devices, streams and memory", "runtime.device runtime.context runtime.stream runtime.stats runtime.raw"),
    "launching": ("Operators and their models", "ops.custom launch.registry launch.given_models"),
    "inspection": (
        "Seeing what runs",
        "compiler.progress notebook.explaining notebook.magics notebook.profiling notebook.snapshots notebook.tracing",
    ),
    "errors": ("Errors", "errors"),
}
"""Pages of `ascendtensor` itself: title, and the modules whose functions are there."""


class Public(NamedTuple):
    """A public name."""

    space: ModuleType
    name: str
    value: Any

    @property
    def path(self) -> str:
        return f"{address(self.space)}.{self.name}"


def address(space: ModuleType) -> str:
    """What users write for a module."""
    return "ascendtensor.op_models" if space is at.op_models else space.__name__


def key(value: Any) -> str:
    """Where a function or class is written, "ops.pointwise.unary.exp"."""
    return f"{value.__module__}.{value.__qualname__}".removeprefix("ascendtensor.")


def is_ours(value: Any) -> bool:
    """Whether it is a function or class of the package: none of the standard library's, and no function of `acl`."""
    return (inspect.isfunction(value) or isinstance(value, type)) and value.__module__.startswith("ascendtensor.")


def names(space: ModuleType) -> list[str]:
    own = [name for name, value in vars(space).items() if not name.startswith("_") and getattr(value, "__module__", "") == space.__name__]
    return list(getattr(space, "__all__", None) or own)


def public() -> Iterator[Public]:
    """Every public function and class, in each of its places."""
    for space in SPACES:
        for name in names(space):
            value = getattr(space, name)
            if is_ours(value):
                yield Public(space, name, value)


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties for users: (name, function); of a kind of tensor or module, those that others don't have."""
    inner = INNER.get(key(owner), "").split()
    if issubclass(owner, at.nn.Module) and owner is not at.nn.Module:
        inner += ["reset_parameters", *(name for name in dir(at.nn.Module) if not name.startswith("_"))]
    tensors = at.NPUTensor if owner is not at.NPUTensor and issubclass(owner, at.NPUTensor) else object
    for name in dir(owner):
        value = inspect.getattr_static(owner, name)
        if value is inspect.getattr_static(tensors, name, None):
            continue
        value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        value = value.fget if isinstance(value, property) else value.func if isinstance(value, functools.cached_property) else value
        shown = not name.startswith("_") and name not in inner
        if shown and inspect.isfunction(value) and is_ours(value) and not value.__qualname__.startswith("ndarray."):
            yield name, value


def canonical() -> dict[int, Public]:
    """By identity, the place where each is written out."""
    found: dict[int, Public] = {}
    for each in public():
        known = found.setdefault(id(each.value), each)
        if known.space is each.space and each.name == each.value.__name__:  # NPUTensor, not Tensor
            found[id(each.value)] = each
    return found


def heading(title: str, mark: str = "=") -> list[str]:
    return [title, mark * len(title), ""]


def entry(each: Public) -> list[str]:
    """The directive that writes one out."""
    if inspect.isfunction(each.value):
        return [f".. autofunction:: {each.path}", ""]
    if issubclass(each.value, Exception):
        return [f".. autoexception:: {each.path}", ""]
    tensor = issubclass(each.value, at.NPUTensor)  # whose methods have a page
    shown = [] if tensor else [name for name, function in members(each.value) if function.__doc__]
    return [f".. autoclass:: {each.path}", *([f"   :members: {', '.join(shown)}"] if shown else []), ""]


def summary(value: Any) -> str:
    """The first sentence of a docstring."""
    text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    first = re.split(r"(?<=[.:]) (?=[A-Z`])", text)[0]
    return inline(re.sub(":$", ".", first), parameters(value))


_CODE: Final = re.compile(r"(``.+?``|:[\w:]+:`[^`]+`|`[^`\n]+`)")
_LABEL: Final = re.compile(r"(?<!\S)(Ascend operators?|Like|Source): ")


@functools.cache
def paths() -> dict[str, str]:
    """What a docstring may call a public name, and its path."""
    found: dict[str, str] = {}
    for each in canonical().values():
        found |= {each.path: each.path, each.path.removeprefix("ascendtensor."): each.path}
        if each.space is not at.array_api:
            found.setdefault(each.name, each.path)
    return found


def parameters(value: Any) -> frozenset[str]:
    """Names of a function's arguments, which a docstring means before it means functions: `min` of `clamp`."""
    try:
        return frozenset(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return frozenset()


def _code(text: str, own: frozenset[str]) -> str:
    """One piece of code in backticks, a link if it is a public name; the end may stand in a word (`Operand`s)."""
    if not text.startswith("`") or text.startswith("``"):
        return text
    name = text.strip("`")
    path = None if name in own else paths().get(name.removesuffix("()"))
    return f":py:obj:`{name} <{path}>`\\ " if path else f"``{name}``\\ "


def inline(line: str, own: frozenset[str]) -> str:
    """A line of a docstring as reStructuredText has it."""
    pieces = _CODE.split(line)
    for number, piece in enumerate(pieces):
        plain = re.sub(r"([*|])", r"\\\1", re.sub(r"(?<=\w)_(?!\w)", r"\\_", piece))
        pieces[number] = _code(piece, own) if number % 2 else _LABEL.sub(r"**\1:** ", plain)
    return re.sub(r"\\ (?=[\s.,;:)]|$)", "", "".join(pieces))


def docstring(lines: list[str], value: Any) -> list[str]:
    """A docstring as reStructuredText, sections still in Google's form; examples stay as they are."""
    found: list[str] = []
    example, own = False, parameters(value)
    for line in lines:
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        literal = bool(found) and any(before.endswith("::") for before in found[-3:]) and line.startswith("    ")
        found.append(line if example or literal else inline(line, own))
    return found


def written_out(title: str, space: ModuleType, found: list[Public], intro: str = "") -> list[str]:
    """A page: a table of what is there, then each of it."""
    ordered = sorted(found, key=lambda each: each.name.lower())
    lines = [*heading(title), intro, "", f".. currentmodule:: {address(space)}", ""]
    if len(ordered) > 3:
        lines += [".. list-table::", "   :widths: auto", "   :class: names", ""]
        lines += [line for each in ordered for line in (f"   * - :py:obj:`{each.name} <{each.path}>`", f"     - {summary(each.value)}")]
        lines.append("")
    return lines + [line for each in ordered for line in entry(each)]


def elsewhere(others: list[Public], places: dict[int, Public]) -> list[str]:
    """A table of names that are written out on other pages."""
    if not others:
        return []
    lines = [*heading("Also here", "-"), ".. list-table::", "   :header-rows: 1", "", "   * - name", "     - written out as"]
    for each in sorted(others, key=lambda each: each.name):
        place = places[id(each.value)].path
        lines += [f"   * - ``{each.path.removeprefix('ascendtensor.')}``", f"     - :py:obj:`{place}`"]
    return [*lines, ""]


def module_page(space: ModuleType, places: dict[int, Public]) -> list[str]:
    """The page of a module other than `ascendtensor` itself."""
    mine = [each for each in places.values() if each.space is space]
    others = [each for each in public() if each.space is space and places[id(each.value)].space is not space]
    head = address(space)
    title = head if space is at.array_api else head.removeprefix("ascendtensor.")
    lines = [f".. automodule:: {head}", "   :no-members:", ""] if space not in (random, at.op_models) else []
    return [*written_out(title, space, mine, "\n".join(lines)), *elsewhere(others, places)]


def dtype_table() -> list[str]:
    """The dtypes with their names in other libraries."""
    lines = [
        *heading("Dtypes", "-"),
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - dtype",
        "     - NumPy",
        "     - bytes",
        "     - also",
    ]
    kinds = [(name, getattr(at, name)) for name in at.__all__ if isinstance(getattr(at, name), at.dtype)]
    for name, kind in kinds:
        if name == kind.name:
            also = ", ".join(f"``{other}``" for other, value in kinds if value is kind and other != name)
            lines += [f"   * - ``ascendtensor.{name}``", f"     - ``{kind.numpy}``", f"     - {kind.itemsize}", f"     - {also or '-'}"]
    return [*lines, ""]


def tensor_page() -> list[str]:
    """NPUTensor: what is its own first, then the functions as methods."""
    found = dict(members(at.NPUTensor))
    own = [name for name, function in found.items() if function.__qualname__.split(".")[0] in ("NPUTensor", "TensorBase")]
    lines = [*heading("Tensors"), ".. currentmodule:: ascendtensor", "", ".. autoclass:: ascendtensor.NPUTensor", ""]
    lines += ["``ascendtensor.Tensor`` is the same class.", ""]
    for title, chosen in (("Attributes, places and copies", own), ("Functions as methods", [name for name in found if name not in own])):
        lines += heading(title, "-")
        for name in chosen:
            kind = "autoproperty" if isinstance(inspect.getattr_static(at.NPUTensor, name), property) else "automethod"
            lines += [f".. {kind}:: ascendtensor.NPUTensor.{name}", ""]
    return lines


def registry_lines() -> list[str]:
    """The one registry, by the name that users know."""
    kept = ", ".join(name for name, _ in members(type(at.handle_cache)))
    return [
        *heading("The cache of handles", "-"),
        f".. autoclass:: {type(at.handle_cache).__module__}.HandleRegistry",
        f"   :members: {kept}",
        "",
    ]


def command_page() -> list[str]:
    """The command line, as its own help has it."""
    lines = [*heading("Command line"), "Each command of ``python -m ascendtensor``, as ``--help`` shows it.", ""]
    commands = next(action for action in main.parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        command.prog = f"python -m ascendtensor {name}"
        text = command.format_help().splitlines()
        lines += [*heading(name, "-"), ".. code-block:: text", "", *(f"   {line}".rstrip() for line in text), ""]
    return lines


def acl_page() -> list[str]:
    """What the simulator has of the module `acl`."""
    lines = [
        *heading("pyACL, as the simulator has it"),
        "The module ``acl`` of ``ascendtensor.simulator``: the functions of CANN's module of this ",
    ]
    lines[-1] += (
        "name, with its arguments and return values. Letters and numbers in brackets are the rules of `docs/simulator.md`_ that tests cite."
    )
    lines += ["", ".. _docs/simulator.md: ../simulator.html", ""]
    for stub in sorted((Path(at.__file__).parent / "stubs" / "acl").glob("*.pyi")):
        module = "acl" if stub.stem == "__init__" else f"acl.{stub.stem}"
        space = simulator if stub.stem == "__init__" else getattr(simulator, stub.stem)
        functions = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
        functions = [node for node in functions if not node.name.startswith("_")]
        if not functions:
            continue
        lines += [
            *heading(module, "-"),
            ".. list-table::",
            "   :header-rows: 1",
            "   :widths: 60 40",
            "",
            "   * - function",
            "     - what it does",
        ]
        for node in functions:
            said = (getattr(space, node.name).__doc__ or "").split("\n\n")[0].replace("\n", " ")
            arguments = ast.unparse(node.args).removesuffix(", /")
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            lines += [f"   * - ``{module}.{node.name}({arguments}){returns}``", f"     - {said}"]
        lines.append("")
    return lines


def home(value: Any) -> str:
    """The page of `ascendtensor` that a function or class is on; of a module that PAGES does not know, the page of further names."""
    module = value.__module__.removeprefix("ascendtensor.")
    return next((slug for slug, (_, modules) in PAGES.items() if module in modules.split()), "aliases")


def pages() -> dict[str, str]:
    """Name of each file, and its text."""
    places = canonical()
    texts: dict[str, list[str]] = {"tensor": tensor_page()}
    mine = [each for each in places.values() if each.space is at and each.value is not at.NPUTensor]
    for slug, (title, _) in PAGES.items():
        texts[slug] = written_out(title, at, [each for each in mine if home(each.value) == slug])
    texts["dtypes"] += dtype_table()
    texts["launching"] += registry_lines()
    modules = {address(space): space for space in SPACES if space is not at}
    texts |= {name.removeprefix("ascendtensor."): module_page(space, places) for name, space in modules.items() if space is not random}
    texts |= {"command-line": command_page(), "acl": acl_page()}
    texts["index"] = [
        *heading("Reference"),
        "Every public name, with its arguments, its errors, the Ascend operators that it launches, and examples that the tests run.",
        "Understood in the examples: ``import ascendtensor as at``, ``import numpy as np``, ``import ascendtensor.array_api as xp`` and",
        "``from ascendtensor import simulator``.",
        "",
        *toctree("Functions of ascendtensor", ["tensor", *PAGES]),
        *toctree("Modules", sorted(name.removeprefix("ascendtensor.") for name, space in modules.items() if space is not random)),
        *toctree("Programs", ["command-line", "acl"]),
    ]
    return {f"{slug}.rst": "\n".join(lines).rstrip() + "\n" for slug, lines in texts.items()}


def toctree(caption: str, slugs: list[str]) -> list[str]:
    return [*heading(caption, "-"), ".. toctree::", "   :maxdepth: 1", "", *(f"   {slug}" for slug in slugs), ""]


def write(folder: Path) -> None:
    """Write the pages that changed, so that a second build is quick, and drop those that went."""
    folder.mkdir(exist_ok=True)
    texts = pages()
    for path in folder.glob("*.rst"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).with_name("reference"))
