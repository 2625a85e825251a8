"""Promotion as users ask for it: of dtypes, tensors and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import base, promotion
from .base import T, TensorBase
from .dtypes import DType, DTypeLike, as_dtype, python_number
from .errors import DTypeError
from .launch import direct
from .ops.arguments import checked, require_tensor
from .ops.call import plain
from .runtime.desc import TensorDesc

__all__ = ["acl_cast", "can_cast", "promote_types", "result_type"]


@checked
def acl_cast(input: T, dtype: DTypeLike, *, handle: bool = True) -> T:
    """A tensor of another dtype by pyACL's own function for it, `acl.op.cast`; `input.to(dtype)` gives the same.

    Args:
        input: Tensor of any shape and dtype.
        dtype: Dtype of the result.
        handle: Launch through `acl.op.create_handle_for_cast`, which looks the operator model up once, instead of `acl.op.cast`, which does
            so in every call (BL-1, BL-3).

    Returns:
        New tensor of the same shape.

    Raises:
        CompileError: The chip has no Cast between the two dtypes.

    Ascend operator: Cast. Like: torch.Tensor.to.

    Examples:
        >>> at.acl_cast(at.tensor([1.5, -1.5]), at.int32)
        tensor([ 1, -1], device='npu:0', dtype=ascendtensor.int32)
    """
    source: T = plain(require_tensor(input, "input", "acl_cast"))
    given = TensorDesc.of(source.desc.shape, source.desc.dtype, source.desc.device)
    wanted = TensorDesc.of(given.shape, as_dtype(dtype), given.device)
    stream = wanted.device.current_stream()
    result = base.make(source.__class__, wanted, stream.pool.buffer(wanted.nbytes, stream))
    if wanted.numel:
        direct.cast((given, wanted), source.buffer, result.buffer, stream, handle)
    return result


@checked
def can_cast(from_: DTypeLike, to: DTypeLike) -> bool:
    """Whether a conversion keeps the category, as in-place operators ask for. Like: torch.can_cast.

    Examples:
        >>> at.can_cast(at.float32, at.int32)
        False
        >>> at.can_cast(at.int32, at.float32)
        True
    """
    return promotion.can_cast(as_dtype(from_), as_dtype(to))


@checked
def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """The smallest dtype that holds the values of both.

    Raises:
        DTypeError: For uint64 with a signed integer.

    Like: torch.promote_types, numpy.promote_types.

    Examples:
        >>> at.promote_types(at.int32, at.float16)
        ascendtensor.float16
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

    Examples:
        >>> at.result_type(at.tensor([1, 2]), 1.0)
        ascendtensor.float32
    """
    return promotion.result_type([_operand(operand) for operand in operands])


def _operand(operand: Any) -> promotion.Operand:
    if isinstance(operand, TensorBase):
        return operand.desc.dtype, len(operand.desc.shape)
    if isinstance(operand, np.generic):
        operand = python_number(operand)
    if isinstance(operand, (bool, int, float, complex)):
        return type(operand), -1
    try:
        return as_dtype(operand), 1
    except DTypeError as error:
        raise error.with_context("result_type") from None
