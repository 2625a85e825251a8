"""Functions of uint64 that no operator takes, of those of its bits as int64: no other dtype holds every uint64. And int64 in the order of
numbers that an operator can't compare."""

# mypy: disable-error-code="no-any-return"
# (`binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...errors import AscendTensorError
from .. import views
from ..call import binary, call
from ..operands import filled
from ..schema import Row
from ..table import elementwise as table
from ..table.elementwise import CAST
from ..writing import into
from . import comparison

T = TypeVar("T", bound=TensorBase)


def otherwise(row: Row, input: Any, other: Any, out: T | None, error: AscendTensorError) -> T:
    """The result of a row of two operands that are promoted to uint64, which its operator does not take.

    Raises:
        AscendTensorError: `error`, which the operator gave, where it is something else.
    """
    if row not in _COMPOSED or comparison.promoted(row, input, other) is not d.uint64:
        raise error
    like = input if isinstance(input, TensorBase) else other
    return into(_COMPOSED[row](*(_operand(operand, like) for operand in (input, other))), out)


def _operand(operand: Any, like: TensorBase) -> Any:
    if not isinstance(operand, TensorBase):
        return filled(like, (), operand, d.uint64)
    return operand if operand.desc.dtype is d.uint64 else call(CAST, (operand,), (d.uint64,))


def _bits(input: T) -> T:
    return views.view_dtype(input, d.int64)


def _number(truth: T) -> T:
    return call(CAST, (truth,), (d.int64,))


def quotient(input: T, other: T) -> T:
    """`input // other`, 0 where `other` is 0.

    Half of a number fits in int64. Twice the quotient of the half is right or one too small; a divisor of the upper half of the range, a
    negative int64, goes once or not at all.
    """
    divisor = _bits(other)
    huge, zero = comparison.lt(divisor, 0), comparison.eq(divisor, 0)
    half = _bits(comparison.bitwise_right_shift(input, 1))
    low = binary(table.FLOOR_DIV, half, comparison.where(huge, 1, divisor))
    twice = views.view_dtype(binary(table.ADD, low, low), d.uint64)
    missing = comparison.ge(binary(table.SUB, input, binary(table.MUL, twice, other)), other)
    whole = binary(table.ADD, _bits(twice), _number(missing))
    result = comparison.where(huge, _number(comparison.ge(input, other)), whole)
    return views.view_dtype(comparison.where(zero, 0, result), d.uint64)


def rest(input: T, other: T) -> T:
    """`input % other`, 0 where `other` is 0."""
    left = binary(table.SUB, input, binary(table.MUL, quotient(input, other), other))
    return comparison.where(comparison.eq(other, 0), 0, left)


def ordered(input: T) -> T:
    """int64 numbers in the order of uint64 or float64 ones; equal ones stay equal, NaN comes last."""
    if input.desc.dtype is d.uint64:
        return _bits(comparison.bitwise_xor(input, 1 << 63))
    bits = _bits(binary(table.ADD, input, 0.0))  # so that -0.0 is 0.0
    return comparison.where(comparison.lt(bits, 0), comparison.bitwise_xor(bits, (1 << 63) - 1), bits)


def larger(input: T, other: T) -> T:
    """The larger of two."""
    return comparison.where(comparison.ge(input, other), input, other)


def smaller(input: T, other: T) -> T:
    """The smaller of two."""
    return comparison.where(comparison.le(input, other), input, other)


_COMPOSED: dict[Row, Any] = {
    table.FLOOR_DIV: quotient,
    table.TRUNCATE_DIV: quotient,
    table.FLOOR_MOD: rest,
    table.MOD: rest,
    table.MAXIMUM: larger,
    table.MINIMUM: smaller,
}
