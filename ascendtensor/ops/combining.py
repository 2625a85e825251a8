"""Numbers of a vector put together: powers of each, and choices of several."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from operator import index as as_int
from typing import TypeVar

from .. import dtypes as d
from ..base import TensorBase
from ..errors import ShapeError, ValueRangeError
from . import shape, views
from .arguments import checked
from .call import call
from .operands import counted, filled, in_dtype
from .pointwise import elementwise
from .table.creation import COMBINATIONS
from .table.elementwise import CAST

T = TypeVar("T", bound=TensorBase)


def _vector(input: T, function: str) -> int:
    if len(input.desc.shape) != 1:
        raise ShapeError(f"a vector is needed, not a tensor of {len(input.desc.shape)} dimensions").with_context(function, (input,))
    return input.desc.shape[0]


@checked
def vander(x: T, N: int | None = None, increasing: bool = False) -> T:
    """The powers of each element of a vector, as rows of a matrix.

    Args:
        x: Vector; bool becomes int64.
        N: How many powers; by default as many as there are elements.
        increasing: Whether the powers go from 0 up instead of down to 0.

    Returns:
        Tensor of shape (elements, N).

    Raises:
        ShapeError: `x` is no vector.
        ValueRangeError: `N` is negative.

    Ascend operator: Range, Pow. Like: torch.vander, numpy.vander.

    Examples:
        >>> at.vander(at.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [4, 2, 1],
                [9, 3, 1]], device='npu:0')
    """
    length = _vector(x, "vander")
    count = length if N is None else as_int(N)
    if count < 0:
        raise ValueRangeError("N must be non-negative", where="vander")
    dtype = x.desc.dtype if x.desc.dtype.category >= d.FLOATING else d.int64
    if not count or not length:
        return filled(x, (length, count), 0, dtype)
    powers = counted(x, count)
    bases = views.unsqueeze(in_dtype(x, dtype), -1)
    return elementwise.pow(bases, call(CAST, (powers if increasing else shape.flip(powers, 0),), (dtype,)))


@checked
def combinations(input: T, r: int = 2, with_replacement: bool = False) -> T:
    """All choices of `r` elements of a vector, in the order of `itertools.combinations`.

    Args:
        input: Vector of any dtype.
        r: How many are chosen.
        with_replacement: Whether an element may be chosen several times.

    Returns:
        Tensor of shape (choices, r); of shape (0,) where `r` is 0.

    Raises:
        ShapeError: `input` is no vector.
        ValueRangeError: `r` is negative.

    Ascend operator: Combinations. Like: torch.combinations, itertools.combinations.

    Examples:
        >>> at.combinations(at.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]], device='npu:0')
    """
    length, number = _vector(input, "combinations"), as_int(r)
    if number < 0:
        raise ValueRangeError(f"expected a non-negative number, but got {number}", where="combinations")
    if not number:
        return filled(input, (0,), 0)
    choices = (math.comb(length + number - 1, number) if length else 0) if with_replacement else math.comb(length, number)
    if not choices:
        return filled(input, (0, number), 0)
    return call(COMBINATIONS, (input,), (number, bool(with_replacement), choices))
