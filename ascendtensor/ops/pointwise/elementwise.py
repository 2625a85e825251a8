"""Arithmetic of two and three operands, element by element."""

# mypy: disable-error-code="no-any-return"
# (`binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np

from ... import dtypes as d
from ... import promotion
from ...base import TensorBase
from ...errors import DTypeError, ValueRangeError
from .. import chips
from ..arguments import checked, described
from ..call import binary, call, plain
from ..operands import filled, in_dtype
from ..schema import Row
from ..table import elementwise as table
from ..table.special import AXPY
from ..writing import composed_into, write
from . import comparison, unary, unsigned

T = TypeVar("T", bound=TensorBase)


def add(input: T, other: Any, *, alpha: Any = 1, out: T | None = None) -> T:
    """`input + alpha * other`, element by element, broadcast.

    Args:
        input: Tensor of any shape, or a Python number.
        other: Tensor or Python number; at least one of the two is a tensor.
        alpha: Number that `other` is multiplied with.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `alpha` is of a higher kind than the operands.

    Ascend operator: Add; AxpyV2 with an alpha other than 1, where it takes the dtype. Like: torch.add, numpy.add.

    Examples:
        >>> at.add(at.tensor([1, 2]), at.tensor([10, 20]))
        tensor([11, 22], device='npu:0')
        >>> at.add(at.tensor([1.0, 2.0]), 1, alpha=0.5)
        tensor([1.5000, 2.5000], device='npu:0')
    """
    if alpha != 1:
        return _plus_times(table.ADD, input, other, alpha, out)
    if out is not None:
        return write(table.ADD, out, (input, other))
    result: T = binary(table.ADD, input, other)
    return result


def sub(input: T, other: Any, *, alpha: Any = 1, out: T | None = None) -> T:
    """`input - alpha * other`, element by element, broadcast.

    Args:
        input: Tensor of any shape and any dtype but bool, or a Python number.
        other: Tensor or Python number; at least one of the two is a tensor.
        alpha: Number that `other` is multiplied with.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Both operands are bool (use logical_xor), or `alpha` is of a higher kind than the operands.

    Ascend operator: Sub; AxpyV2 with an alpha other than 1, where it takes the dtype. Like: torch.sub, numpy.subtract.

    Examples:
        >>> at.sub(at.tensor([5, 6]), at.tensor([1, 2]))
        tensor([4, 4], device='npu:0')
    """
    if alpha != 1:
        return _plus_times(table.SUB, input, other, alpha, out)
    return binary(table.SUB, input, other) if out is None else write(table.SUB, out, (input, other))


@checked
def rsub(input: T, other: Any, *, alpha: Any = 1) -> T:
    """`other - alpha * input`: subtraction with the operands exchanged.

    Args:
        input: Tensor of any shape and any dtype but bool.
        other: Tensor or Python number.
        alpha: Number that `input` is multiplied with.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Both operands are bool, or `alpha` is of a higher kind than the operands.

    Ascend operator: Sub. Like: torch.rsub.

    Examples:
        >>> at.rsub(at.tensor([1, 2]), 10)
        tensor([9, 8], device='npu:0')
    """
    return sub(other, input, alpha=alpha)


_SCALES: Final[tuple[Any, ...]] = (TensorBase, int, float, complex, np.number, np.bool_)


def _plus_times(row: Row, input: Any, other: Any, alpha: Any, out: T | None) -> T:
    """`input + alpha * other` or `input - alpha * other`: one operator, or a product and a sum for dtypes that it does not take."""
    operands = [operand for operand in (input, other) if isinstance(operand, TensorBase)]
    _check_scale(row, "alpha", alpha, operands)
    if operands and all(operand.desc.dtype is d.bool_ for operand in operands) and len(operands) == 2:
        alpha = bool(alpha)  # what bools are scaled with is one
    if not isinstance(alpha, TensorBase):
        alpha = plain(alpha)  # one of NumPy's would wrap where it is negated
        kinds = [
            (each.desc.dtype, len(each.desc.shape)) if isinstance(each, TensorBase) else (each.__class__, -1) for each in (input, other)
        ]
        if operands and promotion.result_type(kinds) in AXPY.dtypes:
            triple = (input, other, alpha if row is table.ADD else alpha * -1)
            return call(AXPY, triple) if out is None else write(AXPY, out, triple)
    other = mul(other, alpha) if isinstance(other, TensorBase) or isinstance(alpha, TensorBase) else other * alpha
    return binary(row, input, other) if out is None else write(row, out, (input, other))


def _check_scale(row: Row, word: str, scale: Any, operands: Sequence[TensorBase]) -> None:
    """Refuse a factor of a higher kind than the operands: integers are scaled with integers."""
    if scale.__class__ is int:
        return
    if not isinstance(scale, _SCALES):
        raise DTypeError(f"{word} must be a number, not {described(scale)}", where=row.name)
    kind = scale.desc.dtype.category if isinstance(scale, TensorBase) else d.as_dtype(type(scale)).category
    if operands and kind > max(*(operand.desc.dtype.category for operand in operands), d.INTEGER):
        raise DTypeError(f"{word} is {scale!r}, which integer operands can't be scaled with", where=row.name)


def mul(input: T, other: Any, *, out: T | None = None) -> T:
    """`input * other`; integers wrap.

    Args:
        input: Tensor of any shape and any dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Mul. Like: torch.mul, numpy.multiply.

    Examples:
        >>> at.mul(at.tensor([[1], [2]]), at.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]], device='npu:0')
    """
    return binary(table.MUL, input, other) if out is None else write(table.MUL, out, (input, other))


@checked
def square(input: T, *, out: T | None = None) -> T:
    """`input * input`; integers wrap.

    Args:
        input: Tensor of any shape and dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype; int64 for bool.

    Ascend operator: Mul, which takes more dtypes than Square. Like: torch.square, numpy.square.

    Examples:
        >>> at.square(at.tensor([-2, 3]))
        tensor([4, 9], device='npu:0')
    """
    return pow(input, 2, out=out)


def div(input: T, other: Any, *, rounding_mode: str | None = None, out: T | None = None) -> T:
    """`input / other`, element by element, broadcast.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        other: Tensor or Python number; at least one of the two is a tensor.
        rounding_mode: None: true division, integers become floating; "trunc": rounded towards zero, "floor": rounded down, integers
            stay integers.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        ValueRangeError: Another rounding mode.

    Ascend operator: RealDiv; for "trunc" with Trunc, TruncateDiv of integers; for "floor" as `floor_divide`. Like: torch.div, numpy.divide.

    Examples:
        >>> at.div(at.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000], device='npu:0')
        >>> at.div(at.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4], device='npu:0')
    """
    if rounding_mode not in (None, "trunc", "floor"):
        raise ValueRangeError(f"rounding_mode is {rounding_mode!r}; it is None, 'trunc' or 'floor'", where="div")
    if rounding_mode == "floor":
        return floor_divide(input, other, out=out)
    row = table.DIV if rounding_mode is None else table.TRUNCATE_DIV
    if rounding_mode is not None and _divides_floats(input, other):
        return composed_into(row, unary.trunc(binary(table.DIV, input, other)), out, (input, other))
    try:
        return binary(row, input, other) if out is None else write(row, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(row, input, other, out, error)


@checked
def true_divide(input: T, other: Any, *, out: T | None = None) -> T:
    """`input / other`; the same as `div` without a rounding mode.

    Ascend operator: RealDiv. Like: torch.true_divide, numpy.true_divide.

    Examples:
        >>> at.true_divide(at.tensor([1, 2]), 2)
        tensor([0.5000, 1.0000], device='npu:0')
    """
    return div(input, other, out=out)


@checked
def floor_divide(input: T, other: Any, *, out: T | None = None) -> T:
    """`input // other`: the quotient rounded down. An integer divided by zero gives 0 on the simulator.

    Args:
        input: Tensor of any shape and real dtype but bool, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: FloorDiv for integers; of floats composed of Mod, Sub, RealDiv, Rint and SelectV2. Like: torch.floor_divide,
    numpy.floor_divide.

    Examples:
        >>> at.floor_divide(at.tensor([7, -7]), 2)
        tensor([ 3, -4], device='npu:0')
    """
    if _divides_floats(input, other):
        return composed_into(table.FLOOR_DIV, _floored(input, other), out, (input, other))
    row = table.FLOOR_DIV
    if isinstance(input, TensorBase) or isinstance(other, TensorBase):
        row = table.WHOLE_FLOOR_DIV if _kind(input, other) in (d.int32, d.int64, d.uint32) else row
    try:
        return binary(row, input, other) if out is None else write(row, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(table.FLOOR_DIV, input, other, out, error)


def _kind(input: Any, other: Any) -> Any:
    """What two operands are promoted to; None where they are not."""
    try:
        return comparison.promoted(table.ADD, input, other)
    except DTypeError:
        return None


def _divides_floats(input: Any, other: Any) -> bool:
    """Whether a quotient is one of real floating numbers."""
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        return False
    kind = _kind(input, other)
    return kind is not None and kind.category == d.FLOATING


def _both_in(kind: Any, input: Any, other: Any) -> tuple[Any, ...]:
    """Tensors and numbers as tensors of one dtype."""
    like = input if isinstance(input, TensorBase) else other
    return tuple([in_dtype(each, kind) if isinstance(each, TensorBase) else filled(like, (), each, kind) for each in (input, other)])


def _floored(input: Any, other: Any) -> Any:
    """The quotient of floats rounded down, as PyTorch and Python find it: what remains is exact, so the rest goes a whole number of times.

    The operator FloorDiv rounds the quotient of floats before it rounds down: 1.0 // 0.1 would be 10 (CANN 8.1.RC1, tbe,
    ``dynamic/floor_div.py``).
    """
    kind = _kind(input, other)
    working = d.float32 if kind.itemsize == 2 else kind
    x, y = (in_dtype(each, working) for each in _both_in(kind, input, other))
    rest = binary(table.FLOAT_MOD, x, y)
    quotient, times = binary(table.DIV, x, y), binary(table.DIV, binary(table.SUB, x, rest), y)
    below = comparison.logical_and(comparison.ne(rest, 0), comparison.ne(comparison.lt(rest, 0), comparison.lt(y, 0)))
    whole = unary.round(comparison.where(below, binary(table.SUB, times, 1), times))
    signed = comparison.where(comparison.eq(whole, 0), binary(table.MUL, quotient, 0.0), whole)
    return in_dtype(comparison.where(comparison.eq(y, 0), quotient, signed), kind)


@checked
def remainder(input: T, other: Any, *, out: T | None = None) -> T:
    """`input % other`: what floor_divide leaves, of the sign of `other`. Of an integer and zero it is 0 on the simulator.

    Args:
        input: Tensor of any shape and real dtype but bool, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: FloorMod. Like: torch.remainder, numpy.remainder.

    Examples:
        >>> at.remainder(at.tensor([7, -7]), 3)
        tensor([1, 2], device='npu:0')
    """
    try:
        return binary(table.FLOOR_MOD, input, other) if out is None else write(table.FLOOR_MOD, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(table.FLOOR_MOD, input, other, out, error)


@checked
def fmod(input: T, other: Any, *, out: T | None = None) -> T:
    """What a division rounded towards zero leaves, of the sign of `input`. Of an integer and zero it is 0 on the simulator.

    Args:
        input: Tensor of any shape and real dtype but bool, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Mod, of floats on the AI CPU. Like: torch.fmod, numpy.fmod.

    Examples:
        >>> at.fmod(at.tensor([7, -7]), 3)
        tensor([ 1, -1], device='npu:0')
    """
    row = table.FLOAT_MOD if _divides_floats(input, other) else table.MOD
    if row is table.FLOAT_MOD and _kind(input, other) is d.bfloat16:  # made float32, whose numbers would not be rounded before
        return composed_into(row, binary(row, *_both_in(d.bfloat16, input, other)), out, (input, other))
    try:
        return binary(row, input, other) if out is None else write(row, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(table.MOD, input, other, out, error)


@checked
def pow(input: T, exponent: Any, *, out: T | None = None) -> T:
    """`input ** exponent`, element by element, broadcast. Integer powers wrap.

    In an integer tensor of exponents, negative ones give what truncation leaves of the power: 0, or 1 and -1 for the bases 1 and -1.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        exponent: Tensor or Python number; at least one of the two is a tensor. Of a bool tensor, True or False, or what promotes it.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        ValueRangeError: An integer tensor to the power of a negative Python int.

    Ascend operator: Pow; Mul for the exponent 2, LogicalOr for bool. Like: torch.pow, numpy.power.

    Examples:
        >>> at.pow(at.tensor([1, 2, 3]), 2)
        tensor([1, 4, 9], device='npu:0')
    """
    if not isinstance(exponent, TensorBase) and isinstance(input, TensorBase):
        category = input.desc.dtype.category
        if not category and isinstance(exponent, (bool, np.bool_)):  # bool to the power of True is itself, to that of False true
            return comparison.logical_or(input, not exponent, out=out)
        if category < d.FLOATING and isinstance(exponent, (int, np.integer)) and exponent < 0:
            raise ValueRangeError(
                f"integers to the negative integer power {exponent}",
                where="pow",
                advice="Cast the base with .to(float32), or use a float exponent.",
            )
        of_kind = (int, np.integer) if category < d.FLOATING else (int, float, np.integer, np.floating)
        if isinstance(exponent, of_kind) and exponent == 2 and category:
            return mul(input, input, out=out)
    return binary(table.POW, input, exponent) if out is None else write(table.POW, out, (input, exponent))


def maximum(input: T, other: Any, *, out: T | None = None) -> T:
    """The larger of two elements; NaN where either is NaN.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Maximum. Like: torch.maximum, numpy.maximum.

    Examples:
        >>> at.maximum(at.tensor([1, 5]), at.tensor([3, 2]))
        tensor([3, 5], device='npu:0')
    """
    try:
        return binary(table.MAXIMUM, input, other) if out is None else write(table.MAXIMUM, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(table.MAXIMUM, input, other, out, error)


def minimum(input: T, other: Any, *, out: T | None = None) -> T:
    """The smaller of two elements; NaN where either is NaN.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Minimum. Like: torch.minimum, numpy.minimum.

    Examples:
        >>> at.minimum(at.tensor([1, 5]), at.tensor([3, 2]))
        tensor([1, 2], device='npu:0')
    """
    try:
        return binary(table.MINIMUM, input, other) if out is None else write(table.MINIMUM, out, (input, other))
    except DTypeError as error:
        return unsigned.otherwise(table.MINIMUM, input, other, out, error)


@checked
def atan2(input: T, other: Any, *, out: T | None = None) -> T:
    """Angle in radians of the point (`other`, `input`), between -pi and pi. Integers become floating.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Atan2. Like: torch.atan2, numpy.arctan2.

    Examples:
        >>> at.atan2(at.tensor([1.0, -1.0]), at.tensor([0.0, 0.0]))
        tensor([ 1.5708, -1.5708], device='npu:0')
    """
    return binary(table.ATAN2, input, other) if out is None else write(table.ATAN2, out, (input, other))


@checked
def xlogy(input: T, other: Any, *, out: T | None = None) -> T:
    """`input * log(other)`, 0 where `input` is 0 unless `other` is NaN. Integers become floating.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operator does not take the promoted dtype.

    Ascend operator: Xlogy. Like: torch.xlogy, scipy.special.xlogy.

    Examples:
        >>> at.xlogy(at.tensor([0.0, 1.0]), at.tensor([0.0, 1.0]))
        tensor([0., 0.], device='npu:0')
    """
    return binary(table.XLOGY, input, other) if out is None else write(table.XLOGY, out, (input, other))


@checked
def hypot(input: T, other: Any, *, out: T | None = None) -> T:
    """`sqrt(input**2 + other**2)` without overflow on the way.

    Args:
        input: Tensor of any shape and floating dtype.
        other: Tensor or Python number that broadcasts with it.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; infinite where either is, also beside a NaN.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Neither operand is floating, or one is complex.

    Ascend operator: composed of Abs, Maximum, Minimum, RealDiv, Sqrt, Mul and SelectV2. Like: torch.hypot, numpy.hypot.

    Examples:
        >>> at.hypot(at.tensor([3.0]), at.tensor([4.0]))
        tensor([5.], device='npu:0')
    """
    dtypes = [
        operand.desc.dtype if isinstance(operand, TensorBase) else promotion.scalar_dtype(type(operand)) for operand in (input, other)
    ]
    if max(dtype.category for dtype in dtypes) != d.FLOATING:
        names = " and ".join(dtype.name for dtype in dtypes)
        raise DTypeError(f"floating dtypes are needed, not {names}", advice="Cast with .to(float32) first.")
    left = unary.abs(_floating(input, other))
    right = unary.abs(_floating(other, input)) if isinstance(other, TensorBase) else abs(other)
    long, short = maximum(left, right), minimum(left, right)
    ratio = div(short, comparison.where(comparison.eq(long, 0), 1, long))
    length = mul(long, unary.sqrt(add(mul(ratio, ratio), 1)))
    return comparison.where(comparison.eq(maximum(*_no_nan(left, right)), float("inf")), float("inf"), length, out=out)


def _floating(operand: T, other: Any) -> T:
    """An operand of two, of which one is floating, in a floating dtype."""
    if operand.desc.dtype.is_floating_point:
        return operand
    return comparison.cast(operand, other.desc.dtype if isinstance(other, TensorBase) else d.get_default_dtype())


def _no_nan(left: Any, right: Any) -> tuple[Any, Any]:
    """Operands that are not NaN: 0 in its place."""
    pair = []
    for operand in (left, right):
        if isinstance(operand, TensorBase):
            pair.append(comparison.where(comparison.isnan(operand), 0, operand))
        else:
            pair.append(operand if operand == operand else 0.0)
    return pair[0], pair[1]


@checked
def frac(input: T, *, out: T | None = None) -> T:
    """What `trunc` cuts off: `input - trunc(input)`.

    Args:
        input: Tensor of any shape and floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is not floating.

    Ascend operator: Trunc and Sub. Like: torch.frac.

    Examples:
        >>> at.frac(at.tensor([1.5, -1.5]))
        tensor([ 0.5000, -0.5000], device='npu:0')
    """
    if not input.desc.dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {input.desc.dtype.name}", where="frac")
    return sub(input, unary.trunc(input), out=out)


@checked
def clamp(input: T, min: Any = None, max: Any = None, *, out: T | None = None) -> T:
    """Each element, but no less than `min` and no more than `max`; `max` where `min` is above it. NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype.
        min: Lower limit: a Python number, a tensor that broadcasts, or None for none.
        max: Upper limit, likewise.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        ValueRangeError: Both limits are None.

    Ascend operator: ClipByValueV2; Maximum or Minimum for one limit, both where the AI CPU's kernel would have to broadcast.
        Like: torch.clamp, numpy.clip.

    Examples:
        >>> at.clamp(at.tensor([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    if max is None:
        if min is None:
            raise ValueRangeError("at least one of min and max is needed", where="clamp")
        return maximum(input, min, out=out)
    if min is None:
        return minimum(input, max, out=out)
    if (isinstance(min, TensorBase) or isinstance(max, TensorBase)) and not _clipped_at_once(input, min, max):
        return minimum(maximum(input, min), max, out=out)
    operands = (input, min, max)
    return call(table.CLIP, operands) if out is None else write(table.CLIP, out, operands)


def _clipped_at_once(input: TensorBase, *limits: Any) -> bool:
    """Whether one kernel takes these shapes: that of the AI CPU does not broadcast, but for limits of one element both."""
    given = [each for each in limits if isinstance(each, TensorBase)]
    kinds = [(each.desc.dtype, len(each.desc.shape)) if isinstance(each, TensorBase) else (each.__class__, -1) for each in (input, *limits)]
    dtype = promotion.resolve(table.CLIP.promotion, kinds)[0]
    if dtype in table.CLIPPED_BY_CORE and chips.on_core(table.CLIP, dtype):
        return True
    alike = len(given) == len(limits) and all(each.desc.shape == input.desc.shape for each in given)
    return alike or all(each.desc.numel == 1 and len(each.desc.shape) <= len(input.desc.shape) for each in given)


@checked
def clamp_min(input: T, min: Any, *, out: T | None = None) -> T:
    """Each element, but no less than `min`. NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype but uint64.
        min: Lower limit: a Python number or a tensor that broadcasts.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: Maximum. Like: torch.clamp_min.

    Examples:
        >>> at.clamp_min(at.tensor([-1.0, 0.5, 2.0]), 0)
        tensor([0.0000, 0.5000, 2.0000], device='npu:0')
    """
    return maximum(input, min, out=out)


@checked
def clamp_max(input: T, max: Any, *, out: T | None = None) -> T:
    """Each element, but no more than `max`. NaN stays NaN.

    Args:
        input: Tensor of any shape and real dtype but uint64.
        max: Upper limit: a Python number or a tensor that broadcasts.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: Minimum. Like: torch.clamp_max.

    Examples:
        >>> at.clamp_max(at.tensor([-1.0, 0.5, 2.0]), 1)
        tensor([-1.0000,  0.5000,  1.0000], device='npu:0')
    """
    return minimum(input, max, out=out)


@checked
def lerp(input: T, end: T, weight: Any, *, out: T | None = None) -> T:
    """`input + weight * (end - input)`.

    Args:
        input: Tensor of any shape and floating dtype; of any, where `weight` is a 0-d tensor of a floating one, which the result then has.
        end: Tensor that broadcasts with it.
        weight: Python number or tensor that broadcasts.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `input` is not floating.

    Ascend operator: Lerp; Sub, Mul and Add for float64 and complex dtypes, which Lerp does not take. Like: torch.lerp.

    Examples:
        >>> at.lerp(at.tensor([0.0, 10.0]), at.tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000], device='npu:0')
    """
    if input.desc.dtype.category < d.FLOATING:
        if not isinstance(weight, TensorBase) or weight.desc.shape or weight.desc.dtype.category < d.FLOATING:
            raise DTypeError(
                f"a floating dtype is needed, not {input.desc.dtype.name}", where="lerp", advice="Cast with .to(float32) first."
            )
        input, end = comparison.cast(input, weight.desc.dtype), comparison.cast(end, weight.desc.dtype)
    if d.float64 in (input.desc.dtype, end.desc.dtype) or _any_complex(input, end, weight):
        return add(input, mul(sub(end, input), weight), out=out)
    operands = (input, end, weight)
    return call(table.LERP, operands) if out is None else write(table.LERP, out, operands)


@checked
def addcmul(input: T, tensor1: T, tensor2: T, *, value: Any = 1, out: T | None = None) -> T:
    """`input + value * tensor1 * tensor2`.

    Args:
        input: Tensor of any shape and real dtype but bool.
        tensor1: Tensor that broadcasts with it.
        tensor2: Tensor that broadcasts with it.
        value: Number that the product is multiplied with.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `value` is of a higher kind than the operands.

    Ascend operator: Addcmul; Mul and Add for complex dtypes. Like: torch.addcmul.

    Examples:
        >>> at.addcmul(at.tensor([1.0]), at.tensor([2.0]), at.tensor([3.0]), value=0.5)
        tensor([4.], device='npu:0')
    """
    operands = (input, tensor1, tensor2, value)
    _check_scale(table.ADDCMUL, "value", value, operands[:3])
    if _any_complex(*operands) or _any_wide_unsigned(input, tensor1, tensor2):
        return add(input, mul(mul(tensor1, tensor2), value), out=out)
    return call(table.ADDCMUL, operands) if out is None else write(table.ADDCMUL, out, operands)


@checked
def addcdiv(input: T, tensor1: T, tensor2: T, *, value: Any = 1, out: T | None = None) -> T:
    """`input + value * tensor1 / tensor2`.

    Args:
        input: Tensor of any shape and floating dtype.
        tensor1: Tensor that broadcasts with it.
        tensor2: Tensor that broadcasts with it.
        value: Number that the quotient is multiplied with.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: All operands are integers, or `value` is of a higher kind than they are.

    Ascend operator: Addcdiv; RealDiv, Mul and Add for complex dtypes. Like: torch.addcdiv.

    Examples:
        >>> at.addcdiv(at.tensor([1.0]), at.tensor([6.0]), at.tensor([3.0]), value=0.5)
        tensor([2.], device='npu:0')
    """
    operands = (input, tensor1, tensor2, value)
    _check_scale(table.ADDCDIV, "value", value, operands[:3])
    if _any_complex(*operands):
        return add(input, mul(div(tensor1, tensor2), value), out=out)
    return call(table.ADDCDIV, operands) if out is None else write(table.ADDCDIV, out, operands)


def _any_wide_unsigned(*operands: TensorBase) -> bool:
    return any(operand.desc.dtype in (d.uint16, d.uint32, d.uint64) for operand in operands)


def _any_complex(*operands: Any) -> bool:
    """Whether an operand is complex, for which the operators of several steps have no kernel."""
    kinds = (complex, np.complexfloating)
    return any(operand.desc.dtype.is_complex if isinstance(operand, TensorBase) else isinstance(operand, kinds) for operand in operands)
