"""Element-wise functions."""

from __future__ import annotations

from typing import Any, TypeVar

from ..base import TensorBase
from .call import binary, unary
from .table import elementwise as table

T = TypeVar("T", bound=TensorBase)


def add(input: T, other: Any, *, alpha: Any = 1) -> T:
    """`input + alpha * other`, element by element, broadcast.

    Args:
        input: Tensor of any shape, or a Python number.
        other: Tensor or Python number; at least one of the two is a tensor.
        alpha: Number that `other` is multiplied with.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: Add. Like: torch.add, numpy.add.
    """
    if alpha != 1:
        other = binary(table.MUL, other, alpha)
    result: T = binary(table.ADD, input, other)
    return result


def relu(input: T) -> T:
    """`max(input, 0)`.

    Ascend operator: Relu. Like: torch.relu.
    """
    result: T = unary(table.RELU, input)
    return result
