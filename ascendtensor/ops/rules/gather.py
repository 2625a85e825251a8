"""Pure rules of the rows that gather and scatter along a dimension, and of what depends on masks."""

from __future__ import annotations

from collections.abc import Sequence

from ... import shapes
from ...dtypes import int64
from ...errors import ShapeError
from ..schema import Meta, Outcome, pointwise

Shape = tuple[int, ...]


def _lifted(shape: Shape) -> Shape:
    return shape or (1,)


def check_index(shape: Shape, index: Shape, dim: int) -> None:
    """An index tensor has the rank of the tensor and is not longer, except along `dim`."""
    here, there = _lifted(shape), _lifted(index)
    if len(here) != len(there):
        raise ShapeError(f"the index of shape {list(index)} must have as many dimensions as the tensor of shape {list(shape)}")
    if any(size > room for at, (size, room) in enumerate(zip(there, here, strict=True)) if at != dim):
        raise ShapeError(f"the index of shape {list(index)} does not fit the tensor of shape {list(shape)} apart from dimension {dim}")


def gather(operands: Sequence[Meta], dim: int) -> Outcome:
    """One element for each element of the index."""
    shape, index = operands[0].shape, operands[1].shape
    axis = shapes.normalize_dim(dim, len(shape))
    check_index(shape, index, axis)
    seen = _lifted(index)
    return Outcome((index,), attrs={"dim": axis}, inputs=(_lifted(shape), seen), outputs=(seen,))


@pointwise  # in its first operand, the only one that it is ever given the memory of
def scatter(operands: Sequence[Meta], dim: int, reduction: str) -> Outcome:
    """One update for each element of the index."""
    shape, index, updates = (operand.shape for operand in operands)
    axis = shapes.normalize_dim(dim, len(shape))
    check_index(shape, index, axis)
    if updates != index:
        raise ShapeError(f"src of shape {list(updates)} does not fit the index of shape {list(index)}")
    seen = _lifted(shape)
    attrs = {"axis": axis, "reduction": reduction}
    return Outcome((shape,), attrs=attrs, inputs=(seen, _lifted(index), _lifted(updates)), outputs=(seen,))


def index_add(operands: Sequence[Meta], dim: int) -> Outcome:
    """Slices of updates added to the places of one dimension that a vector names."""
    shape, index, updates = (operand.shape for operand in operands[:3])
    if updates != (*shape[:dim], *index, *shape[dim + 1 :]):
        raise ShapeError(f"source of shape {list(updates)} does not fit {list(shape)} with {index[0]} places of dimension {dim}")
    return Outcome((shape,), attrs={"axis": dim}, inputs=(shape, index, updates, (1,)))


def scatter_coordinates(operands: Sequence[Meta]) -> Outcome:
    """Updates for the places that the last dimension of the indices names."""
    return Outcome((operands[0].shape,))


def nonzero(operands: Sequence[Meta], transpose: bool) -> Outcome:
    """Coordinates of what is not zero, at most of every element: a row each, or a row for each dimension."""
    shape = operands[0].shape
    most = shapes.numel(shape)
    return Outcome(((len(shape), most) if transpose else (most, len(shape)),), attrs={"transpose": transpose})


def masked_select(operands: Sequence[Meta]) -> Outcome:
    """The elements where a mask of the same shape holds, at most all."""
    shape = operands[0].shape
    return Outcome(((shapes.numel(shape),),), inputs=(_lifted(shape),) * 2)


def masked_scatter(operands: Sequence[Meta]) -> Outcome:
    """The elements of the source in order at the places where a mask holds."""
    shape, mask, source = (_lifted(operand.shape) for operand in operands)
    return Outcome((operands[0].shape,), inputs=(shape, mask, source), outputs=(shape,))


def list_difference(operands: Sequence[Meta]) -> Outcome:
    """The elements of one vector that another one lacks, and their places: at most all."""
    shape = operands[0].shape
    return Outcome((shape, shape), attrs={"out_idx": int64})
