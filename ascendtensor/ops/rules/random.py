"""Pure rules of the rows that draw random numbers. Key, counter, seed and offset are values, never part of a signature."""

from __future__ import annotations

from collections.abc import Sequence

from ... import shapes
from ...dtypes import dtype as DType
from ...errors import ShapeError
from ..schema import Meta, Outcome

Shape = tuple[int, ...]

PHILOX = 1
"""Number of the algorithm among those that the operators know."""


def drawn(operands: Sequence[Meta], shape: Shape, dtype: DType) -> Outcome:
    """Numbers of a dtype; a 0-d result is drawn as a vector of one, since a constant can't be empty (TD-17)."""
    seen = shape or (1,)
    return Outcome((shape,), constants={"shape": seen, "alg": PHILOX}, attrs={"dtype": dtype}, dtypes=(dtype,), outputs=(seen,))


def drawn_between(operands: Sequence[Meta], shape: Shape, dtype: DType) -> Outcome:
    """Integers between two numbers, whose dtype they have."""
    seen = shape or (1,)
    return Outcome((shape,), constants={"shape": seen, "alg": PHILOX}, dtypes=(dtype,), outputs=(seen,))


def permutation(operands: Sequence[Meta], count: int, dtype: DType) -> Outcome:
    return Outcome(((count,),), constants={"n": count}, attrs={"dtype": dtype}, dtypes=(dtype,))


def trials(operands: Sequence[Meta], shape: Shape, dtype: DType) -> Outcome:
    """Ones with a probability that is one number, or one for each element."""
    seen = shape or (1,)
    prob = operands[0].shape or (1,)
    if prob not in ((1,), seen):
        raise ShapeError(f"probabilities of shape {list(prob)} don't fit a result of shape {list(shape)}")
    return Outcome((shape,), constants={"shape": seen}, attrs={"dtype": dtype}, dtypes=(dtype,), inputs=(prob, (1,), (1,)), outputs=(seen,))


def chosen(operands: Sequence[Meta], count: int, replacement: bool) -> Outcome:
    """Numbers of categories, a row of them for each row of weights."""
    shape = operands[0].shape
    return Outcome(((*shape[:-1], count),), attrs={"numsamples": count, "replacement": replacement})


def counted(operands: Sequence[Meta], dtype: DType) -> Outcome:
    """Numbers of events, one for each element of the parameters' common shape; the first operand is the seed."""
    given = [operand.shape for operand in operands[1:]]
    shape = shapes.broadcast_shapes(*given)
    seen = shape or (1,)
    return Outcome(
        (shape,),
        constants={"shape": seen},
        attrs={"dtype": dtype},
        dtypes=(dtype,),
        inputs=((2,), *(each or (1,) for each in given)),
        outputs=(seen,),
    )
