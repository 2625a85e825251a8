"""What many functions do before their operators run: find a dimension, cast an operand that needs it, fill a tensor."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from operator import index as as_int
from typing import Any, Final, TypeVar

from .. import promotion, shapes
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..dtypes import int64
from ..errors import AscendTensorError
from .call import made, structured
from .table.creation import RANGE
from .table.elementwise import CAST
from .table.movement import FILL

T = TypeVar("T", bound=TensorBase)


def dim_of(input: TensorBase, dim: int, function: str) -> int:
    """A dimension counted from the front; the error names the function and its operand."""
    try:
        return shapes.normalize_dim(dim, len(input.desc.shape))
    except AscendTensorError as error:
        raise error.with_context(function, (input,)) from None


def integers(given: Any) -> tuple[int, ...]:
    """One integer, or several, as a tuple."""
    return tuple(map(as_int, given)) if shapes.several(given) else (as_int(given),)


def common_dtype(*operands: TensorBase | complex) -> DType:
    """The dtype that an operator computes in on tensors and Python numbers."""
    return promotion.result_type([(x.desc.dtype, len(x.desc.shape)) if isinstance(x, TensorBase) else (type(x), -1) for x in operands])


def in_dtype(input: T, dtype: DType) -> T:
    """The tensor itself if it has the dtype, else a cast.

    Raises:
        DTypeError: Its imaginary parts would be lost.
    """
    own = input.desc.dtype
    if own is dtype:
        return input
    promotion.keep_imaginary(own, dtype)
    return structured(CAST, input, dtype)


def number_in(given: Any, dtype: DType) -> Any:
    """A number beside an operand of a dtype: as a 0-d tensor of another one that converts to it, a cast."""
    if isinstance(given, TensorBase) and not given.desc.shape and given.desc.dtype.category <= dtype.category:
        return in_dtype(given, dtype)
    return given


class _MinusZero(float):
    """-0.0 as an argument of a plan: Python has it equal to 0.0, but an operator's attribute tells them apart."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _MinusZero)

    def __hash__(self) -> int:
        return hash("-0.0")


_MINUS_ZERO: Final = _MinusZero(-0.0)


def attribute(number: Any) -> float:
    """A number that an operator has as an attribute, and so the key of its plan."""
    value = float(number)
    return value if value or copysign(1.0, value) > 0 else _MINUS_ZERO


def filled(like: TensorBase, sizes: Sequence[int], value: Any, dtype: DType | None = None) -> Any:
    """A tensor of one number on the device of another, by default of its dtype."""
    return made(FILL, (value,), (tuple(sizes), dtype or like.desc.dtype), like)


def counted(like: TensorBase, count: int) -> Any:
    """0, 1, ... as int64 on the device of a tensor."""
    return made(RANGE, (0, count, 1), (count, int64), like)


_LASTING: Final = 16
_LASTING_ELEMENTS: Final = 1 << 16


def lasting(like: TensorBase, sizes: tuple[int, ...], value: Any, dtype: DType) -> Any:
    """As `filled`, for an operand that is neither written nor given away: the last few are kept, so that they launch nothing."""
    fills = like.desc.device.fills
    key = sizes, value, dtype
    found = fills.get(key)
    if found is None:
        found = filled(like, sizes, value, dtype)
        if found.desc.numel <= _LASTING_ELEMENTS:
            fills[key] = found
            while len(fills) > _LASTING:
                fills.pop(next(iter(list(fills))), None)
    return found
