"""Writes docs/operators.md from the operator table: `python docs/make_operators.py` (a test checks that it is up to date)."""

from __future__ import annotations

from pathlib import Path

from ascendtensor import facts
from ascendtensor.ops import table
from ascendtensor.ops.schema import Row

HEAD = """# Operators

One line for each row of the operator table: the function that launches it, the Ascend IR operator, where a 910B runs it, and the dtypes
that it takes. A dtype in brackets is computed in the one behind the arrow, which holds all its values. Functions without a line are made of
others. "any": the operator moves bytes or an argument says the dtype. Made by `docs/make_operators.py`.

{count} rows, {types} Ascend IR operators.

| function | Ascend operator | 910B | dtypes |
|---|---|---|---|
"""


def line(row: Row) -> str:
    known = facts.operator(row.op_type)
    engine = (known.engine_910b or known.runs_in or "?") if known else "?"
    if any(attr.name == "_exclude_engines" for attr in row.attrs):
        engine = "aicpu"
    dtypes = [dtype.name for dtype in row.dtypes] or ["any"]
    dtypes += [f"[{source.name} → {target.name}]" for source, target in row.via.items()]
    return f"| `{row.name}` | {row.op_type} | {engine} | {', '.join(dtypes)} |"


def text() -> str:
    """The whole page."""
    head = HEAD.format(count=len(table.ROWS), types=len({row.op_type for row in table.ROWS}))
    return head + "\n".join(sorted(map(line, table.ROWS))) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("operators.md").write_text(text(), encoding="utf-8")
