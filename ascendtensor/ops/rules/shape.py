"""Pure rules of the rows that join, repeat, roll and pad."""

from __future__ import annotations

from collections.abc import Sequence

from ... import shapes
from ...errors import ShapeError, ValueRangeError
from ..schema import Meta, Outcome, pointwise

Ints = tuple[int, ...]


def concat(operands: Sequence[Meta], dim: int) -> Outcome:
    """Tensors one after the other along a dimension that they have."""
    shape = shapes.concat_shape([operand.shape for operand in operands], dim)
    return Outcome((shape,), attrs={"concat_dim": shapes.normalize_dim(dim, len(shape)), "N": len(operands)})


def stack(operands: Sequence[Meta], dim: int) -> Outcome:
    """Equal tensors side by side along a new dimension; numbers count as vectors of one, with the new dimension in front."""
    given = [operand.shape for operand in operands]
    shape = shapes.stack_shape(given, dim)
    attrs = {"axis": shapes.normalize_dim(dim, len(shape)), "N": len(operands)}
    if given[0]:
        return Outcome((shape,), attrs=attrs)
    return Outcome((shape,), attrs=attrs, inputs=((1,),) * len(given), outputs=((*shape, 1),))


def tile(operands: Sequence[Meta], repeats: Ints) -> Outcome:
    """A tensor side by side with itself; as many numbers as dimensions, those in front that are missing have length 1."""
    shape = operands[0].shape
    if len(repeats) < len(shape):
        raise ShapeError(f"{len(repeats)} repeats for {len(shape)} dimensions", advice="Give a number for every dimension.")
    if min(repeats, default=0) < 0:
        raise ValueRangeError(f"repeats {list(repeats)} must not be negative")
    seen = (1,) * (len(repeats) - len(shape)) + shape
    return Outcome((tuple(map(int.__mul__, seen, repeats)),), constants={"multiples": repeats}, inputs=(seen,))


def repeat_each(operands: Sequence[Meta], dim: int, total: int) -> Outcome:
    """Each place of a dimension as often as its number says; the numbers add up to `total`."""
    shape, repeats = operands[0].shape, operands[1].shape
    if repeats not in ((1,), (shape[dim],)):
        raise ShapeError(f"repeats of shape {list(repeats)} don't fit dimension {dim} of size {shape[dim]}")
    return Outcome(((*shape[:dim], total, *shape[dim + 1 :]),), attrs={"axis": dim})


@pointwise
def triangle(operands: Sequence[Meta], diagonal: int) -> Outcome:
    """A part of each matrix."""
    shape = operands[0].shape
    if len(shape) < 2:
        raise ShapeError(f"a tensor of at least two dimensions is needed, not of shape {list(shape)}")
    return Outcome((shape,), attrs={"diagonal": diagonal})


def diagonal_matrix(operands: Sequence[Meta], diagonal: int) -> Outcome:
    """A matrix with the elements on a diagonal."""
    shape = operands[0].shape
    size = shapes.numel(shape) + abs(diagonal)
    return Outcome(((size, size),), attrs={"diagonal": diagonal}, inputs=(shape or (1,),))


def _padded(shape: Ints, paddings: Ints) -> Ints:
    return tuple(paddings[2 * at] + length + paddings[2 * at + 1] for at, length in enumerate(shape))


def pad(operands: Sequence[Meta], paddings: Ints, mode: str) -> Outcome:
    """Places before and after each dimension: (before, after) of the first, of the second..."""
    shape = operands[0].shape
    return Outcome((_padded(shape, paddings),), constants={"paddings": paddings}, attrs={"mode": mode}, inputs=(shape, (1,)))


def mirror_pad(operands: Sequence[Meta], paddings: Ints) -> Outcome:
    """The same, filled with what lies beside the border."""
    shape = operands[0].shape
    for at, length in enumerate(shape):
        if max(paddings[2 * at : 2 * at + 2]) >= max(length, 1):
            raise ValueRangeError(f"padding {list(paddings[2 * at : 2 * at + 2])} must be smaller than dimension {at}, of size {length}")
    pairs = tuple((paddings[2 * at], paddings[2 * at + 1]) for at in range(len(shape)))
    return Outcome((_padded(shape, paddings),), constants={"paddings": pairs}, attrs={"mode": "REFLECT"})
