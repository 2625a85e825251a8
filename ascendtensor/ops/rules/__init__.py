"""Pure rules that rows share: operand shapes and arguments in, output shapes, constants and attributes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import shapes
from ...dtypes import dtype as DType
from ...errors import ShapeError
from ..schema import Meta, Outcome, Rule, elementwise, reducing


@elementwise
def same(operands: Sequence[Meta]) -> Outcome:
    """One output of the first operand's shape."""
    return Outcome((operands[0].shape,))


def like_first(operands: Sequence[Meta], *_: Any) -> Outcome:
    """One output of the first operand's shape, whose elements depend on more than those at their places."""
    return Outcome((operands[0].shape,))


@elementwise
def broadcast(operands: Sequence[Meta]) -> Outcome:
    """One output of the operands' common shape."""
    return Outcome((shapes.broadcast_shapes(*(operand.shape for operand in operands)),))


@elementwise
def cast(operands: Sequence[Meta], dtype: DType) -> Outcome:
    return Outcome((operands[0].shape,), attrs={"dst_type": dtype.acl}, dtypes=(dtype,))


def fill(operands: Sequence[Meta], shape: tuple[int, ...], dtype: DType) -> Outcome:
    """A tensor of one value; a 0-d one is filled as a vector of one, since a constant can't be empty (TD-17)."""
    seen = shape or (1,)
    return Outcome((shape,), constants={"dims": seen}, dtypes=(dtype,), outputs=(seen,))


@reducing
def reduce(operands: Sequence[Meta], dim: Any, keepdim: bool) -> Outcome:
    """A reduction over `dim`, all dims where None or (), as in PyTorch; axes are a constant. A 0-d operand is taken as a vector of one."""
    shape = operands[0].shape
    axes = shapes.normalize_dims(None if dim.__class__ is tuple and not dim else dim, len(shape))
    seen = shape or (1,)
    return Outcome(
        (shapes.reduce_shape(shape, axes, keepdim),),
        constants={"axes": axes or tuple(range(len(seen)))},
        attrs={"keep_dims": bool(keepdim)},
        inputs=(seen,),
        outputs=(shapes.reduce_shape(seen, axes or tuple(range(len(seen))), keepdim),),
    )


def as_strided(operands: Sequence[Meta], shape: tuple[int, ...]) -> Outcome:
    """Any view of a storage; a 0-d one is taken as a vector of one, since size and stride can't be empty."""
    return Outcome((shape,), outputs=(shape or (1,),))


def transposed(operands: Sequence[Meta], dims: tuple[int, ...]) -> Outcome:
    """The dims in another order, which is a constant."""
    shape = operands[0].shape
    return Outcome((tuple([shape[dim] for dim in dims]),), constants={"perm": dims})


def flip(operands: Sequence[Meta], dims: tuple[int, ...]) -> Outcome:
    return Outcome((operands[0].shape,), constants={"axis": dims})


def attributes(*names: str) -> Rule:
    """A rule for one output of the first operand's shape whose arguments are attributes, by name."""

    @elementwise
    def rule(operands: Sequence[Meta], *values: Any) -> Outcome:
        return Outcome((operands[0].shape,), attrs=dict(zip(names, values, strict=True)))

    return rule


def comparison(*names: str) -> Rule:
    """As `attributes`, with one output of the operands' common shape."""

    @elementwise
    def rule(operands: Sequence[Meta], *values: Any) -> Outcome:
        common = shapes.broadcast_shapes(*(operand.shape for operand in operands))
        return Outcome((common,), attrs=dict(zip(names, values, strict=True)))

    return rule


@elementwise
def complex_abs(operands: Sequence[Meta]) -> Outcome:
    """The type of the parts is an attribute too."""
    (operand,) = operands
    return Outcome((operand.shape,), attrs={"Tout": operand.dtype.to_real()})


@elementwise
def masked(operands: Sequence[Meta]) -> Outcome:
    """The common shape of a tensor and its mask; the value is one element."""
    input, mask, value = operands
    if any(length != 1 for length in value.shape):
        raise ShapeError(f"the value has shape {list(value.shape)}; it must be one element")
    return Outcome((shapes.broadcast_shapes(input.shape, mask.shape),), inputs=(input.shape, mask.shape, ()))


def equal_all(operands: Sequence[Meta]) -> Outcome:
    """One answer for all elements."""
    left, right = operands
    if left.shape != right.shape:
        raise ShapeError(f"the shapes {list(left.shape)} and {list(right.shape)} differ")
    return Outcome(((),))
