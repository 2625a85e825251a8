"""Vectors as sets."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import TypeVar

from ..base import TensorBase
from . import views
from .arguments import checked
from .call import call
from .sorting import unique
from .table import gathering as table

T = TypeVar("T", bound=TensorBase)


@checked
def setdiff1d(ar1: T, ar2: TensorBase, assume_unique: bool = False) -> T:
    """The elements of one tensor that another one lacks. Waits for the device, since their number decides the shape.

    Args:
        ar1: Tensor of any shape and real dtype.
        ar2: Tensor of any shape; its dtype is promoted with that of `ar1`.
        assume_unique: Whether `ar1` has no element twice; its order is kept then.

    Returns:
        Vector of different elements in ascending order.

    Raises:
        DTypeError: The dtype is complex.

    Ascend operator: ListDiff, UniqueWithCountsAndSorting. Like: numpy.setdiff1d.

    Examples:
        >>> at.setdiff1d(at.tensor([1, 2, 3, 4]), at.tensor([2, 4]))
        tensor([1, 3], device='npu:0')
    """
    one = views.ravel(ar1) if assume_unique else unique(views.ravel(ar1))
    other = views.ravel(ar2)
    if not one.desc.numel or not other.desc.numel:
        return one
    found, _ = call(table.LIST_DIFF, (one, other))
    return found
