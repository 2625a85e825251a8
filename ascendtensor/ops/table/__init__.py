"""The operator table: one row for each Ascend IR operator that a function launches, by family.

A row's `dtypes` are those for which CANN's 910B tables have an AI Core or an AI CPU kernel; `via` names the dtype that holds every value
of one that has none. Sources: operator prototypes and 910B kernel lists of CANN 8.1.RC1 (see `facts`).
"""

from __future__ import annotations

from typing import Final

from ..schema import Row
from . import (
    activation,
    attention,
    boxes,
    comparison,
    complex_numbers,
    convolution,
    creation,
    elementwise,
    embedding,
    fft,
    folding,
    gathering,
    indexing,
    linalg,
    losses,
    matrix,
    movement,
    nn,
    normalization,
    pooling,
    random,
    recurrent,
    reduction,
    resampling,
    sorting,
    special,
)

_FAMILIES: Final = (
    activation,
    attention,
    boxes,
    comparison,
    complex_numbers,
    convolution,
    creation,
    elementwise,
    embedding,
    fft,
    folding,
    gathering,
    indexing,
    linalg,
    losses,
    matrix,
    movement,
    nn,
    normalization,
    pooling,
    random,
    recurrent,
    reduction,
    resampling,
    sorting,
    special,
)

ROWS: Final[tuple[Row, ...]] = tuple(value for module in _FAMILIES for value in vars(module).values() if isinstance(value, Row))
"""Every row, by family."""
