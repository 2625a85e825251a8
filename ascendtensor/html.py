"""HTML for notebooks: tables and small SVG pictures in the colours of the page they stand in, without JavaScript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

__all__ = ["block", "escape", "facts", "table"]

_STYLE: Final = (
    "<style>.ascendtensor{--at-fg:var(--jp-content-font-color1,#1f2328);--at-dim:var(--jp-content-font-color2,#59636e);"
    "--at-line:var(--jp-border-color2,#d1d9e0);--at-mark:var(--jp-brand-color1,#0969da);--at-warn:var(--jp-error-color1,#d1242f);"
    "color:var(--at-fg);font-size:13px;overflow-x:auto}"
    "@media (prefers-color-scheme:dark){.ascendtensor{--at-fg:var(--jp-content-font-color1,#e6edf3);"
    "--at-dim:var(--jp-content-font-color2,#9198a1);--at-line:var(--jp-border-color2,#3d444d);--at-mark:var(--jp-brand-color1,#4493f8);"
    "--at-warn:var(--jp-error-color1,#f85149)}}"
    ".ascendtensor table{border-collapse:collapse;margin:4px 0}.ascendtensor th,.ascendtensor td{text-align:left;padding:2px 10px 2px 0;"
    "border-bottom:1px solid var(--at-line);vertical-align:top}.ascendtensor td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".ascendtensor .dim{color:var(--at-dim)}.ascendtensor .warn{color:var(--at-warn)}.ascendtensor pre{margin:4px 0;color:var(--at-fg)}"
    ".ascendtensor svg text{fill:var(--at-fg);font:11px sans-serif}</style>"
)


def block(*parts: str) -> str:
    """Pieces of HTML in one block that brings its colours along: the page's (Jupyter's variables), else light or dark by the system."""
    return f'<div class="ascendtensor">{_STYLE}{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; numbers stand to the right, everything is escaped."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"{f'<div><b>{escape(caption)}</b></div>' if caption else ''}<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def facts(pairs: Iterable[tuple[str, Any]], caption: str = "") -> str:
    """A table of names and values."""
    body = "".join(f'<tr><td class="dim">{escape(name)}</td>{_cell(value)}</tr>' for name, value in pairs)
    return f"{f'<div><b>{escape(caption)}</b></div>' if caption else ''}<table><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f'<td class="n">{f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"}</td>'
    return f"<td>{escape(str(value))}</td>"
