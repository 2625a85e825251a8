"""HTML for notebooks: tables and small SVG pictures in the colours of the page they stand in, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from . import deferred

__all__ = ["block", "escape", "facts", "table"]


def escape(text: str) -> str:
    """Text as HTML has it."""
    escaped: str = deferred.load("html").escape(text)
    return escaped


def _colour(jupyter: str, code: str, plain: str) -> str:
    """What the page says: Jupyter's variable, Visual Studio Code's, else a colour of our own."""
    return f"var(--jp-{jupyter},var(--vscode-{code},{plain}))"


def _colours(fore: str, dim: str, line: str, mark: str, warn: str) -> str:
    return (
        f"--at-fg:{_colour('content-font-color1', 'editor-foreground', fore)};"
        f"--at-dim:{_colour('content-font-color2', 'descriptionForeground', dim)};"
        f"--at-line:{_colour('border-color2', 'panel-border', line)};"
        f"--at-mark:{_colour('brand-color1', 'textLink-foreground', mark)};"
        f"--at-warn:{_colour('error-color1', 'errorForeground', warn)}"
    )


# The name of the class stands twice where Jupyter's own rules for tables and text would win.
_STYLE: Final = (
    f"<style>.ascendtensor{{{_colours('#1f2328', '#59636e', '#d1d9e0', '#0969da', '#d1242f')};"
    "color:var(--at-fg);font-size:13px;overflow-x:auto}"
    f"@media (prefers-color-scheme:dark){{.ascendtensor{{{_colours('#e6edf3', '#9198a1', '#3d444d', '#4493f8', '#f85149')}}}}}"
    ".ascendtensor.ascendtensor table{border-collapse:collapse;margin:4px 0;color:inherit;font-size:inherit}"
    ".ascendtensor.ascendtensor th,.ascendtensor.ascendtensor td{text-align:left;padding:2px 12px 2px 0;"
    "border-bottom:1px solid var(--at-line);vertical-align:top}"
    ".ascendtensor.ascendtensor th.n,.ascendtensor.ascendtensor td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".ascendtensor .dim{color:var(--at-dim)}.ascendtensor .warn{color:var(--at-warn)}"
    ".ascendtensor.ascendtensor pre{margin:4px 0;color:var(--at-fg);line-height:1.25;"
    "font-family:var(--jp-code-font-family,var(--vscode-editor-font-family,monospace))}"
    ".ascendtensor img,.ascendtensor svg{display:block;margin:4px 0}.ascendtensor div>svg{max-width:none}"
    ".ascendtensor svg.spark{display:inline;margin:0}.ascendtensor summary{color:var(--at-dim)}"
    ".ascendtensor svg text{fill:var(--at-fg);font:11px sans-serif}.ascendtensor svg .tick{stroke:var(--at-line)}</style>"
)
_NUMBER: Final = re.compile(r"-?[\d,]+(\.\d+)?(e[+-]\d+)?( (ns|us|ms|s|%|B|[KMGT]iB))?|-")


def block(*parts: str) -> str:
    """Pieces of HTML in one block that brings its colours along: the page's (Jupyter's variables), else light or dark by the system."""
    return f'<div class="ascendtensor">{_STYLE}{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; columns of numbers and of measures stand to the right, everything is escaped."""
    texts = [[_text(value) for value in row] for row in rows]
    right = [bool(texts) and all(_NUMBER.fullmatch(row[place]) for row in texts) for place in range(len(head))]
    heads = "".join(_cell("th", name, number) for name, number in zip(head, right, strict=True))
    body = "".join(f"<tr>{''.join(_cell('td', *each) for each in zip(row, right, strict=True))}</tr>" for row in texts)
    return f"{_caption(caption)}<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def facts(pairs: Iterable[tuple[str, Any]], caption: str = "") -> str:
    """A table of names and values."""
    body = "".join(f'<tr><td class="dim">{escape(name)}</td>{_cell("td", _text(value), False)}</tr>' for name, value in pairs)
    return f"{_caption(caption)}<table><tbody>{body}</tbody></table>"


def _caption(caption: str) -> str:
    return f"<div><b>{escape(caption)}</b></div>" if caption else ""


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return str(value)


def _cell(tag: str, text: str, number: bool) -> str:
    kind = ' class="n"' if number else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"
