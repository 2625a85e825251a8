"""Word of long compiles in a notebook."""

from __future__ import annotations

import io
import sys
import time
import types
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.compiler import progress
from ascendtensor.runtime import copies


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


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def loop(total: int | None, steps: int = 3) -> None:
    shown = progress.Steps("batches of net", total)
    for _ in range(steps):
        time.sleep(0.02)
        shown.step()
    shown.close()
    shown.close()


def test_a_loop_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setitem(sys.modules, "rich", None)  # as if it were not installed
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    loop(4)
    pictures = screen.getvalue().split("\r\x1b[K")[1:]
    assert [text.partition(",")[0] for text in pictures] == [*(f"ascendtensor: batches of net {count}/4" for count in (1, 2, 3)), ""]
    assert pictures[1].endswith(f"[{'=' * 12}{' ' * 12}]") and pictures[-1] == ""
    loop(None)
    assert "batches of net 3, " in screen.getvalue()


def test_a_loop_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    publisher = shell(monkeypatch, kernel=object())
    loop(4)
    assert '<progress value="0.500"></progress> ascendtensor: batches of net 2/4' in publisher.calls[1][0]["text/html"]
    assert publisher.calls[-1][0]["text/html"] == "" and len({display for _, display, _ in publisher.calls}) == 1


def test_a_loop_is_silent_where_nobody_looks_or_wants_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for kernel, setting in ((None, "1"), (object(), "off")):
        monkeypatch.setenv(progress.VARIABLE, setting)
        publisher = shell(monkeypatch, kernel)
        loop(4)
        assert publisher.calls == []
    assert capsys.readouterr() == ("", "")


def test_richs_bar_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    loop(4)
    assert "batches of net 1/4" in screen.getvalue(), screen.getvalue()
    assert "\u2501" in screen.getvalue()
    shown = progress.Steps("batches of net", 3)
    time.sleep(0.02)
    shown.step()
    assert sys.stderr is screen  # what is printed in the loop goes where it did
    print("a result")
    shown.close()
    assert capsys.readouterr().out == "a result\n"
    compile_something()
    assert "compiling <Add>" in screen.getvalue()


def test_the_function_goes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = shell(monkeypatch, kernel=object())
    try:
        at.set_progress(False)
        loop(4)
        assert publisher.calls == []
        monkeypatch.setenv(progress.VARIABLE, "off")
        at.set_progress(True)
        loop(4)
        assert publisher.calls
    finally:
        at.set_progress(None)
    publisher.calls.clear()
    loop(4)
    assert publisher.calls == []


def test_a_large_copy_says_how_far_it_is_and_copies_all(monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = shell(monkeypatch, kernel=object())
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setattr(copies, "LARGE", 3 << 20)
    monkeypatch.setattr(copies, "PIECE", 1 << 20)
    values = np.arange((7 << 20) // 16 + 5, dtype=np.int32)
    x = at.tensor(values)
    assert np.array_equal(x.numpy(), values) and publisher.calls == []  # of less than 3 MiB
    values = np.arange((7 << 20) // 2 + 5, dtype=np.int32)
    x = at.tensor(values)
    assert "ascendtensor: copying to the device 1.0 MiB/14.0 MiB, " in publisher.calls[0][0]["text/plain"]
    publisher.calls.clear()
    assert np.array_equal(x.numpy(), values)
    assert "ascendtensor: copying to the host 14.0 MiB/14.0 MiB, " in publisher.calls[-2][0]["text/plain"] and len(publisher.calls) == 16
