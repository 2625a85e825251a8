"""`at.memory_snapshot()`: the blocks of the device's memory, as data and as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Final

from .. import html
from ..errors import describe_bytes
from ..runtime.device import DeviceLike
from ..runtime.memory_lines import VARIABLE
from ..runtime.stats import memory_segments
from .tracing import columns

WIDTH: Final = 720
HEIGHT: Final = 14
MOST_SEGMENTS: Final = 40
MOST_BLOCKS: Final = 1500
LARGEST: Final = 10
"""Blocks in use that the table names."""

_COLOURS: Final = {"active_allocated": "#0969da", "active_pending_free": "#bf8700", "inactive": "#d0d7de"}
_WORDS: Final = {"active_allocated": "in use", "active_pending_free": "given back, still awaited", "inactive": "cached"}


class MemorySnapshot(list[dict[str, Any]]):
    """Segments of device memory with their blocks; prints as a table, in a notebook as a picture.

    Each item has `device`, `stream`, `address`, `total_size`, `allocated_size`, `active_size` and `blocks`; a block has `address`, `size`,
    `state` ("active_allocated", "active_pending_free" or "inactive") and `frames`, the line that allocated it, where that was noted.

    Examples:
        >>> x = at.ones(1000)
        >>> snapshot = at.memory_snapshot()
        >>> 0 <= snapshot.fragmentation <= 1
        True
    """

    def _total(self, *states: str) -> int:
        return sum(block["size"] for segment in self for block in segment["blocks"] if block["state"] in states)

    @property
    def fragmentation(self) -> float:
        """What share of the cached memory lies outside its largest piece: 0 where all of it could serve one tensor."""
        pieces = [piece["size"] for segment in self for piece in _merged(segment["blocks"]) if piece["state"] == "inactive"]
        return 1 - max(pieces) / sum(pieces) if pieces else 0.0

    def _summary(self) -> str:
        named = ", ".join(f"{describe_bytes(self._total(state))} {word}" for state, word in _WORDS.items() if self._total(state))
        total = describe_bytes(sum(segment["total_size"] for segment in self))
        return f"{len(self)} segment{'s' * (len(self) != 1)}, {total}: {named or 'nothing'}; fragmentation {100 * self.fragmentation:.0f} %"

    def _used(self) -> list[tuple[str, str, str, str]]:
        used = [(block, segment) for segment in self for block in segment["blocks"] if block["state"] == "active_allocated"]
        used.sort(key=lambda pair: -pair[0]["size"])
        return [
            (describe_bytes(block["size"]), f"npu:{segment['device']}", f"{block['address']:#x}", _line(block))
            for block, segment in used[:LARGEST]
        ]

    _HEAD = ("largest in use", "device", "address", "allocated at")

    def __repr__(self) -> str:
        return "\n".join([self._summary(), *columns(self._HEAD, self._used())]) if self else "no device memory is held"

    def _repr_html_(self) -> str:
        if not self:
            return html.block("no device memory is held")
        hint = "" if any(block["frames"] for segment in self for block in segment["blocks"]) else f"{VARIABLE}=1 notes the lines"
        legend = " ".join(f'<span style="color:{_COLOURS[state]}">&#9632;</span> {word}' for state, word in _WORDS.items())
        return html.block(
            f"<div>{html.escape(self._summary())}</div>",
            self._picture(),
            f'<div class="dim">{legend}</div>',
            html.table(self._HEAD, self._used()),
            f'<div class="dim">{html.escape(hint)}</div>',
        )

    def _picture(self) -> str:
        """A bar for each segment, as long as it is large."""
        shown = sorted(self, key=lambda segment: -segment["total_size"])[:MOST_SEGMENTS]
        scale = WIDTH / max(segment["total_size"] for segment in shown)
        crowded = sum(len(segment["blocks"]) for segment in shown) > MOST_BLOCKS
        bars = []
        for number, segment in enumerate(shown):
            for block in _merged(segment["blocks"]) if crowded else segment["blocks"]:
                x, wide = (block["address"] - segment["address"]) * scale, block["size"] * scale
                title = f"{describe_bytes(block['size'])} {_WORDS[block['state']]} {_line(block)}".strip()
                place = f'x="{x:.2f}" y="{number * (HEIGHT + 3)}" width="{max(wide - 0.3, 0.2):.2f}" height="{HEIGHT}"'
                bars.append(f'<rect {place} fill="{_COLOURS[block["state"]]}"><title>{html.escape(title)}</title></rect>')
        high = len(shown) * (HEIGHT + 3)
        note = f'<div class="dim">the largest {MOST_SEGMENTS} segments</div>' if len(self) > len(shown) else ""
        return f'<svg width="{WIDTH}" height="{high}" role="img" aria-label="blocks of memory">{"".join(bars)}</svg>{note}'


def _merged(blocks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours of one state as one block."""
    found: list[dict[str, Any]] = []
    for block in blocks:
        if found and found[-1]["state"] == block["state"]:
            found[-1] = {**found[-1], "size": found[-1]["size"] + block["size"], "frames": []}
        else:
            found.append(block)
    return found


def _line(block: dict[str, Any]) -> str:
    return ", ".join(f"{PurePath(frame['filename']).name}:{frame['line']} in {frame['name']}" for frame in block["frames"])


def memory_snapshot(device: DeviceLike = None) -> MemorySnapshot:
    """The blocks of a device's memory: in use, cached, or waiting for another stream.

    With the environment variable ASCENDTENSOR_MEMORY_LINES=1, read when a stream is made, each block in use has the line that allocated
    it.

    Args:
        device: Which one; the current one if None. A device that was not used yet is not opened.

    Returns:
        A list of segments, which prints as a table and shows a picture in a notebook.

    Examples:
        >>> x = at.zeros(1000)
        >>> at.memory_snapshot()[0]["blocks"][0]["state"]
        'active_allocated'

    Like: torch.cuda.memory_snapshot.
    """
    return MemorySnapshot(memory_segments(device))
