"""Set functions of the standard."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

from ..ops import shape, sorting
from ..ops.arguments import checked
from ..ops.results import NamedTuple
from .array import NPUTensor, promoted
from .creation import asarray
from .data_types import NUMBERS, result_type

T = TypeVar("T", bound=NPUTensor)
R = TypeVar("R")


class UniqueAll(NamedTuple, Generic[R]):
    """Distinct elements, where each is found first, which of them each element is, and how often each comes."""

    values: R
    indices: R
    inverse_indices: R
    counts: R


class UniqueCounts(NamedTuple, Generic[R]):
    """Distinct elements, and how often each comes."""

    values: R
    counts: R


class UniqueInverse(NamedTuple, Generic[R]):
    """Distinct elements, and which of them each element is."""

    values: R
    inverse_indices: R


def unique_values(x: T, /) -> T:
    """Distinct elements, sorted. Like: numpy.unique_values.

    Examples:
        >>> xp.unique_values(xp.asarray([3, 1, 3]))
        tensor([1, 3], device='npu:0')
    """
    return sorting.unique(x)


def unique_counts(x: T, /) -> UniqueCounts[T]:
    """Distinct elements, sorted, and how often each comes. Like: numpy.unique_counts.

    Examples:
        >>> xp.unique_counts(xp.asarray([3, 1, 3])).counts
        tensor([1, 2], device='npu:0')
    """
    return UniqueCounts(*sorting.unique(x, return_counts=True))


def unique_inverse(x: T, /) -> UniqueInverse[T]:
    """Distinct elements, sorted, and which of them each element is. Like: numpy.unique_inverse.

    Examples:
        >>> xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices
        tensor([1, 0, 1], device='npu:0')
    """
    return UniqueInverse(*sorting.unique(x, return_inverse=True))


def unique_all(x: T, /) -> UniqueAll[T]:
    """Distinct elements, sorted, with all that is to be known of them. Like: numpy.unique_all.

    Examples:
        >>> xp.unique_all(xp.asarray([3, 1, 3])).indices
        tensor([1, 0], device='npu:0')
    """
    values, inverse, counts = sorting.unique(x, return_inverse=True, return_counts=True)
    order = sorting.argsort(inverse.reshape(-1), stable=True)
    first = counts.cumsum(0) - counts
    return UniqueAll(values, order[first] if order.size else shape.clone(first), inverse, counts)


@overload
def isin(x1: T, x2: Any, /, *, invert: bool = False) -> T: ...
@overload
def isin(x1: complex, x2: T, /, *, invert: bool = False) -> T: ...
@checked
def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Whether elements of `x1` are among those of `x2`. Like: numpy.isin.

    Examples:
        >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([2, 5]))
        tensor([False,  True, False], device='npu:0')
    """
    if isinstance(x1, NUMBERS):
        x1 = asarray(x1, dtype=result_type(x1, x2))
    elif isinstance(x2, NUMBERS):
        x2 = asarray(x2, dtype=result_type(x1, x2))
    return sorting.isin(*promoted(x1, x2), invert=invert)
