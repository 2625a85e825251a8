"""Promotion as users ask for it: of dtypes, tensors and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import promotion
from .base import TensorBase
from .dtypes import DType, DTypeLike, as_dtype
from .errors import DTypeError
from .ops.arguments import checked

__all__ = ["can_cast", "promote_types", "result_type"]


@checked
def can_cast(from_: DTypeLike, to: DTypeLike) -> bool:
    """Whether a conversion keeps the category, as in-place operators ask for. Like: torch.can_cast."""
    return promotion.can_cast(as_dtype(from_), as_dtype(to))


@checked
def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """The smallest dtype that holds the values of both.

    Raises:
        DTypeError: For uint64 with a signed integer.

    Like: torch.promote_types, numpy.promote_types.
    """
    return promotion.promote_types(as_dtype(type1), as_dtype(type2))


@checked
def result_type(*operands: Any) -> DType:
    """The dtype that an operation on these operands is computed in.

    Args:
        *operands: Tensors, Python and NumPy numbers (weak), and dtypes, which count as tensors with dimensions.

    Raises:
        DTypeError: They have no common type, or there are none.

    Like: torch.result_type, numpy.result_type.
    """
    return promotion.result_type([_operand(operand) for operand in operands])


def _operand(operand: Any) -> promotion.Operand:
    if isinstance(operand, TensorBase):
        return operand.desc.dtype, len(operand.desc.shape)
    if isinstance(operand, np.generic):
        operand = operand.item()
    if isinstance(operand, (bool, int, float, complex)):
        return type(operand), -1
    try:
        return as_dtype(operand), 1
    except DTypeError as error:
        raise error.with_context("result_type") from None
