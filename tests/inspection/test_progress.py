"""Word of long compiles in a notebook."""

from __future__ import annotations

import sys
import time
import types
from typing import Any

import pytest

from ascendtensor.compiler import progress


class Publisher:
    """IPython's, as far as it is used."""

    def __init__(self) -> None:
        self.calls: list[tuple[dict[str, str], str, bool]] = []

    def publish(self, data: dict[str, str], metadata: object, *, transient: dict[str, str], update: bool) -> None:
        self.calls.append((data, transient["display_id"], update))


def shell(monkeypatch: pytest.MonkeyPatch, kernel: Any) -> Publisher:
    publisher = Publisher()
    module = types.ModuleType("IPython")
    found = types.SimpleNamespace(kernel=kernel, display_pub=publisher) if kernel else types.SimpleNamespace(display_pub=publisher)
    module.get_ipython = lambda: found  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    return publisher


def compile_something() -> None:
    with progress.shown("<Add>"):
        time.sleep(0.1)


def test_a_notebook_shows_one_bar_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = shell(monkeypatch, kernel=object())
    compile_something()
    assert len(publisher.calls) > 2 and len({display for _, display, _ in publisher.calls}) == 1
    assert [update for _, _, update in publisher.calls][:2] == [False, True]
    assert "<progress></progress> ascendtensor: compiling &lt;Add&gt; (0 s)" in publisher.calls[0][0]["text/html"]
    assert publisher.calls[-1][0]["text/html"] == ""


def test_it_is_silent_where_nobody_looks_or_wants_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for kernel, setting in ((None, "1"), (object(), "off")):
        monkeypatch.setenv(progress.VARIABLE, setting)
        publisher = shell(monkeypatch, kernel)
        compile_something()
        assert publisher.calls == []
    assert capsys.readouterr() == ("", "")
