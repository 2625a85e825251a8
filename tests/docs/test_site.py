"""The site: every public name, document and notebook has its place, and a link that leads nowhere is found. `.ci/run` builds it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import ascendtensor as at

ROOT = Path(__file__).parents[2]


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return _script("make_reference")


@pytest.fixture(scope="module")
def pages(reference: ModuleType) -> dict[str, str]:
    found: dict[str, str] = reference.pages()
    return found


def test_every_public_name_is_written_out_once_and_listed_elsewhere(reference: ModuleType, pages: dict[str, str]) -> None:
    text = "\n".join(pages.values())
    written = re.findall(r"^\.\. auto(?:function|class|exception):: (\S+)$", text, re.MULTILINE)
    assert len(written) == len(set(written))
    listed = {f"ascendtensor.{name}" for name in re.findall(r"^   \* - ``([\w.]+)``$", text, re.MULTILINE)}
    every = {each.path for each in reference.public() if each.space is not reference.random}
    alike = {f"ascendtensor.{name}" for name in at.__all__ if getattr(at, name) is at.NPUTensor}
    assert not every - alike - set(written) - listed
    assert len(every) > 900


def test_every_method_is_on_the_page_of_tensors(reference: ModuleType, pages: dict[str, str]) -> None:
    shown = set(re.findall(r"^\.\. auto(?:method|property):: ascendtensor\.NPUTensor\.(\w+)$", pages["tensor.rst"], re.MULTILINE))
    assert shown == {name for name, _ in reference.members(at.NPUTensor)}
    assert len(shown) > 450


def test_every_page_document_and_notebook_is_in_a_table_of_contents(pages: dict[str, str]) -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    entries = {line.rpartition("<")[2].rstrip(">") for line in index.splitlines()}
    documents = {path.stem for path in (ROOT / "docs").glob("*.md") if path.stem != "index"}
    notebooks = {f"../notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert not (documents | notebooks) - entries
    assert not {name.removesuffix(".rst") for name in pages} - {"index"} - {line.strip() for line in pages["index.rst"].splitlines()}


def test_links_that_lead_nowhere_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html#there">b</a><a href="#here">.</a><a href="https://x.org/y">x</a>', "utf-8"
    )
    (tmp_path / "b.html").write_text('<p id="there"><a href="a.html#there">a</a><a href="c.html">c</a><img src="a.html">', "utf-8")
    assert _script("check_site").main(tmp_path) == 2
    said = capsys.readouterr().out
    assert "b.html: a.html#there" in said and "b.html: c.html" in said
