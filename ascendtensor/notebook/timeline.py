"""Timelines of profiles: as SVG, and as the events that Perfetto and Chrome read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from .. import html

if TYPE_CHECKING:
    from .profiling import Span

MOST: Final = 1500
"""Spans in a picture; of more the longest."""

WIDTH: Final = 860
LEFT: Final = 110
HEIGHT: Final = 16
_COLOURS: Final = {
    "span": "#8250df",
    "launch": "#0969da",
    "copy": "#bf8700",
    "fill": "#bf8700",
    "wait": "#8c959f",
    "compile": "#cf222e",
    "device": "#1a7f37",
}
_ROWS: Final = {"span": "spans", "compile": "models"}


def _lane(span: Span) -> str:
    """Spans and compiles have lines of their own, since launches lie inside them."""
    return f"{_ROWS[span.kind]}, {span.lane}" if span.kind in _ROWS else span.lane


def picture(spans: Sequence[Span], seconds: float) -> str:
    """The timeline as SVG: a line for each thread and stream, a bar for each span, its name and time where the mouse rests."""
    shown = [span for span in spans if span.kind in _COLOURS]
    if not shown or seconds <= 0:
        return ""
    left_out = len(shown) - MOST
    if left_out > 0:
        shown = sorted(shown, key=lambda span: -span.seconds)[:MOST]
    lanes = sorted({_lane(span) for span in shown}, key=lambda lane: (lane.startswith("stream"), lane))
    scale = (WIDTH - LEFT) / seconds
    parts = []
    for number, lane in enumerate(lanes):
        parts.append(f'<text x="0" y="{number * (HEIGHT + 4) + 12}">{html.escape(lane)}</text>')
    for span in shown:
        x, wide = LEFT + span.began * scale, max(span.seconds * scale, 0.5)
        y = lanes.index(_lane(span)) * (HEIGHT + 4)
        title = html.escape(f"{span.name} ({span.kind}) {span.seconds * 1e6:,.1f} us {span.detail}".strip())
        shape = f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{HEIGHT}" fill="{_COLOURS[span.kind]}">'
        parts.append(f"{shape}<title>{title}</title></rect>")
    high = len(lanes) * (HEIGHT + 4)
    for place, label in _ticks(seconds):
        x = LEFT + place * scale
        parts.insert(0, f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{high}"/>')
        parts.append(f'<text x="{x + 2:.1f}" y="{high + 10}">{label}</text>')
    high += 14
    used = dict.fromkeys(kind for kind in _COLOURS if any(span.kind == kind for span in shown))
    legend = " ".join(f'<span style="color:{_COLOURS[kind]}">&#9632;</span> {kind}' for kind in used)
    note = f"; the longest {MOST:,} of {len(spans):,}" if left_out > 0 else ""
    body = f'<svg width="{WIDTH}" height="{high}" role="img" aria-label="timeline">{"".join(parts)}</svg>'
    return f'{body}<div class="dim">{legend}; {seconds * 1e3:,.2f} ms{note}</div>'


def _ticks(seconds: float) -> Iterator[tuple[float, str]]:
    """Round times, five or so, with their names."""
    unit = 10.0 ** math.floor(math.log10(seconds / 2))
    step = next(unit * factor for factor in (1, 2, 5, 10) if seconds / (unit * factor) <= 7)
    factor, name = (1.0, "s") if step >= 1 else (1e3, "ms") if step >= 1e-3 else (1e6, "us")
    for number in range(int(seconds / step) + 1):
        if number * step <= 0.97 * seconds:
            yield number * step, f"{number * step * factor:g} {name}"


def chrome(spans: Sequence[Span], simulated: bool) -> dict[str, Any]:
    """The trace-event object: complete events in microseconds, host and device as processes, threads and streams as their threads."""
    lanes: dict[tuple[int, str], int] = {}
    events: list[dict[str, Any]] = []
    for span in spans:
        process = 1 if span.kind == "device" else 0
        thread = lanes.setdefault((process, span.lane), len(lanes) + 1)
        events.append(
            {
                "name": span.name,
                "cat": span.kind,
                "ph": "X",
                "ts": span.began * 1e6,
                "dur": span.seconds * 1e6,
                "pid": process,
                "tid": thread,
                "args": {"detail": span.detail, "bytes": span.nbytes},
            }
        )
    names = ["host", "device, simulated: times are this machine's" if simulated else "device"]
    meta: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": name}} for process, name in enumerate(names)
    ]
    meta += [
        {"name": "thread_name", "ph": "M", "pid": process, "tid": thread, "args": {"name": lane}}
        for (process, lane), thread in lanes.items()
    ]
    return {"traceEvents": [*meta, *events], "displayTimeUnit": "ms", "otherData": {"simulated": simulated}}
