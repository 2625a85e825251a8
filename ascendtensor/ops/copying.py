"""Copies of tensors as they are."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import TypeVar

from .. import base, shapes
from .. import dtypes as d
from ..base import TensorBase
from ..options import check_format, contiguous_format
from ..options import memory_format as MemoryFormat
from .arguments import checked
from .call import contiguous_copy, plain, unary
from .table import movement as table

T = TypeVar("T", bound=TensorBase)


# complex128 has no kernel that moves it on some operators: it is moved as pairs of int64


def as_pairs(input: T) -> T:
    """A complex128 tensor as int64 with a last dimension of two, sharing its memory if it is plain."""
    source = plain(input)
    shape = (*source.desc.shape, 2)
    return base.view_as(source, d.int64, shape, shapes.contiguous_strides(shape), base.element_offset(source) * 2)


def from_pairs(input: T) -> T:
    """What `as_pairs` was made of."""
    source = plain(input)
    shape = source.desc.shape[:-1]
    return base.view_as(source, d.complex128, shape, shapes.contiguous_strides(shape), base.element_offset(source) // 2)


# Copies


@checked
def clone(input: T, *, memory_format: MemoryFormat | None = None) -> T:
    """A copy of any tensor, contiguous and with memory of its own.

    Args:
        input: Tensor of any shape, strides and dtype.
        memory_format: `contiguous_format` or `preserve_format`; both are row-major here.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: TensorMove; Transpose, GatherV2 or AsStrided for a view. Like: torch.clone, numpy.copy.

    Examples:
        >>> x = at.tensor([1, 2])
        >>> y = at.clone(x)
        >>> y[0] = 9
        >>> x
        tensor([1, 2], device='npu:0')
    """
    if memory_format is not None:
        check_format(memory_format, "clone")
    if input.desc.plain and input.desc.dtype is not d.complex128:
        return unary(table.CLONE, input)
    return contiguous_copy(input)  # type: ignore[return-value]


@checked
def contiguous(input: T, memory_format: MemoryFormat = contiguous_format) -> T:
    """The tensor itself if its elements lie in row-major order without gaps, else a copy where they do.

    Args:
        input: Tensor of any shape, strides and dtype.
        memory_format: `contiguous_format`, the only one here.

    Ascend operator: Transpose, GatherV2 or AsStrided. Like: torch.Tensor.contiguous, numpy.ascontiguousarray.
    """
    if memory_format is not contiguous_format:
        check_format(memory_format, "contiguous")
    return input if input.desc.plain or input.is_contiguous() else contiguous_copy(input)  # type: ignore[return-value]
