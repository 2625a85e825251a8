"""Pure rules that rows share: operand shapes and arguments in, output shapes, constants and attributes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import shapes
from ..dtypes import dtype as DType
from .schema import Meta, Outcome


def same(operands: Sequence[Meta]) -> Outcome:
    """One output of the first operand's shape."""
    return Outcome((operands[0].shape,))


def broadcast(operands: Sequence[Meta]) -> Outcome:
    """One output of the operands' common shape."""
    return Outcome((shapes.broadcast_shapes(*(operand.shape for operand in operands)),))


def cast(operands: Sequence[Meta], dtype: DType) -> Outcome:
    return Outcome((operands[0].shape,), attrs={"dst_type": dtype.acl}, dtypes=(dtype,))


def fill(operands: Sequence[Meta], shape: tuple[int, ...], dtype: DType) -> Outcome:
    """A tensor of one value; a 0-d one is filled as a vector of one, since a constant can't be empty (TD-17)."""
    seen = shape or (1,)
    return Outcome((shape,), constants={"dims": seen}, dtypes=(dtype,), outputs=(seen,))


def reduce(operands: Sequence[Meta], dim: Any, keepdim: bool) -> Outcome:
    """A reduction over `dim` (all dims where None); axes are a constant input. A 0-d operand is taken as a vector of one."""
    shape = operands[0].shape
    axes = shapes.normalize_dims(dim, len(shape))
    seen = shape or (1,)
    return Outcome(
        (shapes.reduce_shape(shape, axes, keepdim),),
        constants={"axes": axes or tuple(range(len(seen)))},
        attrs={"keep_dims": bool(keepdim)},
        inputs=(seen,),
        outputs=(shapes.reduce_shape(seen, axes or tuple(range(len(seen))), keepdim),),
    )


def as_strided(operands: Sequence[Meta], shape: tuple[int, ...]) -> Outcome:
    return Outcome((shape,))


def flip(operands: Sequence[Meta], dims: tuple[int, ...]) -> Outcome:
    return Outcome((operands[0].shape,), constants={"axis": dims})


def matmul(operands: Sequence[Meta], transpose_input: bool, transpose_other: bool) -> Outcome:
    """Two matrices, either of them given transposed."""
    left, right = (operand.shape for operand in operands[:2])
    seen_left = left[::-1] if transpose_input else left
    seen_right = right[::-1] if transpose_other else right
    return Outcome((shapes.matmul_shape(seen_left, seen_right),), attrs={"transpose_x1": transpose_input, "transpose_x2": transpose_other})
