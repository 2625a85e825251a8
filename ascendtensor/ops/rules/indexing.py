"""Pure rules of the rows that read and write by index tensors and masks."""

from __future__ import annotations

from collections.abc import Sequence

from ... import shapes
from ..schema import Meta, Outcome


def indexed_shape(shape: Sequence[int], mask: Sequence[int], picked: Sequence[int]) -> tuple[int, ...]:
    """Shape of `x[...]` with index tensors of the common shape `picked` on the axes that `mask` marks.

    The new dimensions stand where the indexed axes stood if those are neighbours, else in front.
    """
    axes = [axis for axis, bit in enumerate(mask) if bit]
    kept = [length for axis, length in enumerate(shape) if axis not in axes]
    place = axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0
    return (*kept[:place], *picked, *kept[place:])


def take(operands: Sequence[Meta], axis: int) -> Outcome:
    """Places of one axis by one index tensor."""
    x, indices = (operand.shape for operand in operands)
    return Outcome(((*x[:axis], *indices, *x[axis + 1 :]),), constants={"axis": axis}, attrs={"negative_index_support": True})


def index(operands: Sequence[Meta], mask: tuple[int, ...]) -> Outcome:
    """Index tensors of one shape on the axes that `mask` marks; CANN takes the mask in both of its constants."""
    x, first = operands[0], operands[1]
    return Outcome((indexed_shape(x.shape, mask, first.shape),), constants={"indexed_sizes": mask, "indexed_strides": mask})


def index_put(operands: Sequence[Meta], mask: tuple[int, ...], accumulate: bool) -> Outcome:
    return Outcome((operands[0].shape,), constants={"indexed_sizes": mask, "indexed_strides": mask}, attrs={"accumulate": accumulate})


def coordinates(operands: Sequence[Meta]) -> Outcome:
    """Updates for the places that coordinates name."""
    return Outcome((operands[0].shape,))


def places(operands: Sequence[Meta]) -> Outcome:
    """Positions of what is not zero in a vector: at most its length. The operator gives them as one row."""
    (x,) = operands
    bound = shapes.numel(x.shape)
    return Outcome(((bound,),), attrs={"transpose": True}, outputs=((1, bound),))
