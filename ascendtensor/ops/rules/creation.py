"""Pure rules of the creation rows. The functions have worked out the lengths; see `creation`."""

from __future__ import annotations

from collections.abc import Sequence

from ...dtypes import dtype as DType
from ..schema import Meta, Outcome


def arange(operands: Sequence[Meta], length: int, dtype: DType) -> Outcome:
    """`length` numbers; the limit operand was chosen so that the operator counts as many."""
    return Outcome(((length,),), dtypes=(dtype,))


def combinations(operands: Sequence[Meta], r: int, with_replacement: bool, choices: int) -> Outcome:
    """Rows of `r` elements of a vector."""
    return Outcome(((choices, r),), attrs={"r": r, "with_replacement": with_replacement})


def linspace(operands: Sequence[Meta], steps: int, dtype: DType) -> Outcome:
    return Outcome(((steps,),), constants={"num": (steps,)}, dtypes=(dtype,))
