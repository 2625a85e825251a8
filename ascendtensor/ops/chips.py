"""Which rows the chip in use has kernels for, where CANN's tables of it are known; functions are composed where it has none.

A 910B has a kernel of every row; of older chips `facts` knows the kernels. A newer CANN may have more: what is composed stays right.
"""

from __future__ import annotations

import re
from typing import Final

from .. import facts
from ..dtypes import dtype as DType
from ..runtime import device
from ..runtime.process import state
from .schema import Row

AI_CORE: Final = "aicore"
_complete: Final[set[str]] = set()
"""Names of chips with every kernel that were met."""
_engines: Final[dict[tuple[str, Row, DType], str | None]] = {}


def lacks(row: Row, dtype: DType) -> bool:
    """Whether the chip has no kernel of a row for operands of a dtype."""
    return state.soc not in _complete and engine(row, dtype) is None


def on_core(row: Row, dtype: DType) -> bool:
    """Whether the AI Core has a kernel of a row for operands of a dtype."""
    return state.soc in _complete or engine(row, dtype) == AI_CORE


def is_one_of(names: re.Pattern[str]) -> bool:
    """Whether the chip's name is one of these: for what kernels can do and tables of them don't tell."""
    return names.match(device.soc_name()) is not None


def engine(row: Row, dtype: DType) -> str | None:
    """Where a row runs for operands of a dtype: "aicore", "aicpu"; None for nowhere. "aicore" where no table is known."""
    soc = device.soc_name()
    if soc in _complete or soc.startswith(facts.SINCE_910B):
        _complete.add(soc)
        return AI_CORE
    key = soc, row, dtype
    try:
        return _engines[key]
    except KeyError:
        found = _engines[key] = _engine(row, dtype, soc)
        return found


def _engine(row: Row, dtype: DType, soc: str) -> str | None:
    chip = facts.family(soc)
    operator = facts.operator(row.op_type)
    if chip is None or operator is None:
        return AI_CORE
    sides = ([each.dtype if isinstance(each.dtype, DType) else dtype for each in side] for side in (row.inputs, row.outputs))
    inputs, outputs = ([each.name for each in side] for side in sides)
    return operator.engine_on(chip, inputs, outputs)
