"""Comparisons, logic, bits, and selection by masks."""

# mypy: disable-error-code="no-any-return"
# (`unary`, `binary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from ... import base, promotion, shapes
from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import AscendTensorError, DTypeError, ValueRangeError
from ...runtime import copies
from .. import chips, views
from ..arguments import checked
from ..call import binary, call, plain, structured, unary
from ..operands import filled
from ..schema import Row
from ..table import comparison as table
from ..table import elementwise as arithmetic
from ..table import reduction as truth
from ..table.elementwise import CAST
from ..table.movement import FILL
from ..writing import into, write

T = TypeVar("T", bound=TensorBase)


def eq(input: T, other: Any, *, out: T | None = None) -> T:
    """`input == other`. NaN equals nothing.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype.

    Ascend operator: Equal; LogicalAnd of the parts of complex numbers. Like: torch.eq, numpy.equal.

    Examples:
        >>> at.eq(at.tensor([1, 2, 3]), at.tensor([1, 5, 3]))
        tensor([ True, False,  True], device='npu:0')
    """
    try:
        return binary(table.EQUAL, input, other) if out is None else write(table.EQUAL, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.EQUAL, input, other, out, error)


def ne(input: T, other: Any, *, out: T | None = None) -> T:
    """`input != other`.

    Args:
        input: Tensor of any shape and dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype.

    Ascend operator: NotEqual; LogicalOr of the parts of complex numbers. Like: torch.ne, numpy.not_equal.

    Examples:
        >>> at.ne(at.tensor([1, 2, 3]), at.tensor([1, 5, 3]))
        tensor([False,  True, False], device='npu:0')
    """
    try:
        return binary(table.NOT_EQUAL, input, other) if out is None else write(table.NOT_EQUAL, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.NOT_EQUAL, input, other, out, error)


def lt(input: T, other: Any, *, out: T | None = None) -> T:
    """`input < other`.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype, or it is complex.

    Ascend operator: Less. Like: torch.lt, numpy.less.

    Examples:
        >>> at.lt(at.tensor([1, 2, 3]), 2)
        tensor([ True, False, False], device='npu:0')
    """
    try:
        return binary(table.LESS, input, other) if out is None else write(table.LESS, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.LESS, input, other, out, error)


def le(input: T, other: Any, *, out: T | None = None) -> T:
    """`input <= other`.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype, or it is complex.

    Ascend operator: LessEqual. Like: torch.le, numpy.less_equal.

    Examples:
        >>> at.le(at.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False], device='npu:0')
    """
    try:
        return binary(table.LESS_EQUAL, input, other) if out is None else write(table.LESS_EQUAL, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.LESS_EQUAL, input, other, out, error)


def gt(input: T, other: Any, *, out: T | None = None) -> T:
    """`input > other`.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype, or it is complex.

    Ascend operator: Greater. Like: torch.gt, numpy.greater.

    Examples:
        >>> at.gt(at.tensor([1, 2, 3]), 2)
        tensor([False, False,  True], device='npu:0')
    """
    try:
        return binary(table.GREATER, input, other) if out is None else write(table.GREATER, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.GREATER, input, other, out, error)


def ge(input: T, other: Any, *, out: T | None = None) -> T:
    """`input >= other`.

    Args:
        input: Tensor of any shape and real dtype, or a Python number.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The operands have no common dtype, or it is complex.

    Ascend operator: GreaterEqual. Like: torch.ge, numpy.greater_equal.

    Examples:
        >>> at.ge(at.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True], device='npu:0')
    """
    try:
        return binary(table.GREATER_EQUAL, input, other) if out is None else write(table.GREATER_EQUAL, out, (input, other))
    except (DTypeError, ValueRangeError) as error:
        return _otherwise(table.GREATER_EQUAL, input, other, out, error)


def _otherwise(row: Row, input: Any, other: Any, out: T | None, error: AscendTensorError) -> T:
    """Comparisons that no operator takes as they are: equality of complex numbers by their parts, and integers beyond the tensor's dtype,
    which lie on one side of all its numbers. The error that the operator gave is raised again where it is something else."""
    operands = [input, other]
    if isinstance(error, DTypeError):
        if row not in _JOINED or not any(map(_is_complex, operands)):
            raise error
        dtype = promoted(row, *operands)
        given = [cast(operand, dtype) if isinstance(operand, TensorBase) else complex(operand) for operand in operands]
        parts = [binary(row, *pair) for pair in zip(*map(_parts, given), strict=True)]
        return binary(_JOINED[row], *parts) if out is None else write(_JOINED[row], out, tuple(parts))
    tensors = [operand for operand in operands if isinstance(operand, TensorBase)]
    if len(tensors) != 1 or tensors[0].desc.dtype.category != d.INTEGER:
        raise error
    any_of_them = d.iinfo(tensors[0].desc.dtype).max
    left, right = (any_of_them if isinstance(operand, TensorBase) else operand for operand in operands)
    answer: T = call(FILL, (_COMPARED[row](left, right),), (tensors[0].desc.shape, d.bool_), tensors[0].desc.device)
    return into(answer, out)


_COMPARED: dict[Row, Callable[[int, int], bool]] = {
    table.EQUAL: operator.eq,
    table.NOT_EQUAL: operator.ne,
    table.LESS: operator.lt,
    table.LESS_EQUAL: operator.le,
    table.GREATER: operator.gt,
    table.GREATER_EQUAL: operator.ge,
}
_JOINED: dict[Row, Row] = {table.EQUAL: table.LOGICAL_AND, table.NOT_EQUAL: table.LOGICAL_OR}


def _is_complex(operand: Any) -> bool:
    return operand.desc.dtype.is_complex if isinstance(operand, TensorBase) else isinstance(operand, (complex, np.complexfloating))


def _parts(operand: Any) -> tuple[Any, Any]:
    """Real and imaginary part."""
    return (views.real(operand), views.imag(operand)) if isinstance(operand, TensorBase) else (operand.real, operand.imag)


# Classes of numbers


def _classified(row: Row, input: T, integers: Row, joined: Row) -> T:
    """A question about floating numbers; that an integer equals itself, or not, gives the answer for integers and bool."""
    if input.desc.dtype.category < d.FLOATING:
        return binary(integers, input, input)
    if input.desc.dtype.is_complex:
        real, imaginary = _parts(input)
        return binary(joined, unary(row, real), unary(row, imaginary))
    return unary(row, input)


@checked
def isnan(input: T) -> T:
    """Whether each element is NaN.

    Args:
        input: Tensor of any shape and dtype; of a complex number either part counts.

    Returns:
        bool tensor of the same shape; all false for integers.

    Ascend operator: IsNan; NotEqual for integers. Like: torch.isnan, numpy.isnan.

    Examples:
        >>> at.isnan(at.tensor([1.0, float("inf"), float("nan")]))
        tensor([False, False,  True], device='npu:0')
    """
    return _classified(table.IS_NAN, input, table.NOT_EQUAL, table.LOGICAL_OR)


@checked
def isinf(input: T) -> T:
    """Whether each element is an infinity.

    Args:
        input: Tensor of any shape and dtype; of a complex number either part counts.

    Returns:
        bool tensor of the same shape; all false for integers.

    Ascend operator: IsInf; NotEqual for integers. Like: torch.isinf, numpy.isinf.

    Examples:
        >>> at.isinf(at.tensor([1.0, float("-inf"), float("nan")]))
        tensor([False,  True, False], device='npu:0')
    """
    return _classified(table.IS_INF, input, table.NOT_EQUAL, table.LOGICAL_OR)


@checked
def isfinite(input: T) -> T:
    """Whether each element is neither NaN nor an infinity.

    Args:
        input: Tensor of any shape and dtype; of a complex number both parts count.

    Returns:
        bool tensor of the same shape; all true for integers.

    Ascend operator: IsFinite; Equal for integers. Like: torch.isfinite, numpy.isfinite.

    Examples:
        >>> at.isfinite(at.tensor([1.0, float("inf"), float("nan")]))
        tensor([ True, False, False], device='npu:0')
    """
    if input.desc.dtype.category == d.FLOATING and chips.lacks(table.IS_FINITE, input.desc.dtype):
        return binary(table.LESS, unary(arithmetic.ABS, input), float("inf"))
    return _classified(table.IS_FINITE, input, table.EQUAL, table.LOGICAL_AND)


@checked
def isposinf(input: T, *, out: T | None = None) -> T:
    """Whether each element is positive infinity.

    Args:
        input: Tensor of any shape and real dtype.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the same shape; all false for integers.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: IsPosInf; Equal for float64, NotEqual for integers. Like: torch.isposinf, numpy.isposinf.

    Examples:
        >>> at.isposinf(at.tensor([float("-inf"), float("inf")]))
        tensor([False,  True], device='npu:0')
    """
    return _one_infinity(table.IS_POS_INF, input, float("inf"), out)


@checked
def isneginf(input: T, *, out: T | None = None) -> T:
    """Whether each element is negative infinity.

    Args:
        input: Tensor of any shape and real dtype.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the same shape; all false for integers.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: IsNegInf; Equal for float64, NotEqual for integers. Like: torch.isneginf, numpy.isneginf.

    Examples:
        >>> at.isneginf(at.tensor([float("-inf"), float("inf")]))
        tensor([ True, False], device='npu:0')
    """
    return _one_infinity(table.IS_NEG_INF, input, float("-inf"), out)


def _one_infinity(row: Row, input: T, infinity: float, out: T | None) -> T:
    dtype = input.desc.dtype
    if dtype.category < d.FLOATING:
        return ne(input, input, out=out)
    if dtype is d.float64 or chips.lacks(row, dtype):  # the operators for one sign take no float64
        return eq(input, infinity, out=out)
    return unary(row, input) if out is None else write(row, out, (input,))


@checked
def signbit(input: T, *, out: T | None = None) -> T:
    """Whether the sign bit is set: for negative numbers, -0.0 and negative NaN.

    Args:
        input: Tensor of any shape and real dtype.
        out: bool tensor of the result's shape to write into.

    Returns:
        bool tensor of the same shape.

    Raises:
        DTypeError: `input` is complex.

    Ascend operator: Less, of the bits taken as integers. Like: torch.signbit, numpy.signbit.

    Examples:
        >>> at.signbit(at.tensor([-0.0, 0.0, -2.0]))
        tensor([ True, False,  True], device='npu:0')
    """
    dtype = input.desc.dtype
    if dtype.is_floating_point:
        seen = _INTEGER_OF_SIZE[dtype.itemsize]
        input = base.view_as(input, seen, input.desc.shape, base.element_strides(input), base.element_offset(input))
    return lt(input, 0, out=out)


_INTEGER_OF_SIZE: dict[int, DType] = {2: d.int16, 4: d.int32, 8: d.int64}


@checked
def isclose(input: T, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> T:
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; equal infinities are close.

    Args:
        input: Tensor of any shape and real dtype.
        other: Tensor or Python number that broadcasts with it.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: IsClose. Like: torch.isclose, numpy.isclose.

    Examples:
        >>> at.isclose(at.tensor([1.0, 2.0]), at.tensor([1.0, 2.1]))
        tensor([ True, False], device='npu:0')
    """
    if rtol < 0 or atol < 0:
        raise ValueRangeError(f"rtol and atol must not be negative, they are {rtol} and {atol}", where="isclose")
    if _is_complex(input) or _is_complex(other):
        return _complex_close(input, other, float(rtol), float(atol), bool(equal_nan))
    if promoted(table.IS_CLOSE, input, other) is d.uint64:
        operands: tuple[Any, ...] = tuple(cast(each, d.float64) if isinstance(each, TensorBase) else each for each in (input, other))
    else:
        operands = (input, other)
    return call(table.IS_CLOSE, operands, (float(rtol), float(atol), bool(equal_nan)))


def _complex_close(input: T, other: Any, rtol: float, atol: float, equal_nan: bool) -> T:
    """`isclose` by the lengths of differences; the operator takes no complex numbers."""
    distance = unary(arithmetic.COMPLEX_ABS, binary(arithmetic.SUB, input, other))
    size = unary(arithmetic.COMPLEX_ABS, other) if _is_complex(other) and isinstance(other, TensorBase) else None
    if size is None:
        size = abs(other) if not isinstance(other, TensorBase) else unary(arithmetic.ABS, other)
    limit: Any = (
        size * rtol + atol if not isinstance(size, TensorBase) else binary(arithmetic.ADD, binary(arithmetic.MUL, size, rtol), atol)
    )
    near = logical_and(isfinite(distance), le(distance, limit))
    result = logical_or(eq(input, other), near)
    if equal_nan and isinstance(other, TensorBase):
        result = logical_or(result, logical_and(isnan(input), isnan(other)))
    return result


@checked
def allclose(input: TensorBase, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, see `isclose`. Waits for the result.

    Args:
        input: Tensor of any shape and real dtype.
        other: Tensor or Python number that broadcasts with it.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        A Python bool; True for empty tensors.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: IsClose and TensorEqual. Like: torch.allclose, numpy.allclose.

    Examples:
        >>> at.allclose(at.tensor([1.0, 2.0]), at.tensor([1.0, 2.00001]))
        True
        >>> at.allclose(at.tensor([float("nan")]), at.tensor([float("nan")]))
        False
    """
    near = isclose(input, other, rtol, atol, equal_nan)
    return equal(near, logical_or(near, True))


@checked
def equal(input: TensorBase, other: TensorBase) -> bool:
    """Whether two tensors have the same shape and equal elements. Waits for the result.

    Args:
        input: Tensor of any shape and real dtype.
        other: The other one; its dtype may be another.

    Returns:
        A Python bool.

    Raises:
        DTypeError: The dtypes have no common one, or it is complex.

    Ascend operator: TensorEqual. Like: torch.equal, numpy.array_equal.

    Examples:
        >>> at.equal(at.tensor([1, 2]), at.tensor([1, 2]))
        True
        >>> at.equal(at.tensor([1, 2]), at.tensor([[1, 2]]))
        False
    """
    if input.desc.shape != other.desc.shape:
        return False
    if _is_complex(input) or _is_complex(other):
        unequal = ne(input, other)
        return not bool(_download(call(truth.ANY, (unequal,), (None, False))))
    return bool(_download(binary(table.TENSOR_EQUAL, input, other)))


def _download(result: TensorBase) -> Any:
    settled = plain(result)
    return copies.download(settled.buffer, settled.desc)


# Logic and bits


@checked
def logical_and(input: T, other: Any, *, out: T | None = None) -> T:
    """Whether both are true.

    Args:
        input: Tensor of any shape and dtype, or a Python number; what is not 0 counts as true.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: LogicalAnd. Like: torch.logical_and, numpy.logical_and.

    Examples:
        >>> at.logical_and(at.tensor([0, 1, 2]), at.tensor([1, 1, 0]))
        tensor([False,  True, False], device='npu:0')
    """
    return binary(table.LOGICAL_AND, input, other) if out is None else write(table.LOGICAL_AND, out, (input, other))


@checked
def logical_or(input: T, other: Any, *, out: T | None = None) -> T:
    """Whether at least one is true.

    Args:
        input: Tensor of any shape and dtype, or a Python number; what is not 0 counts as true.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: LogicalOr. Like: torch.logical_or, numpy.logical_or.

    Examples:
        >>> at.logical_or(at.tensor([0, 1, 0]), at.tensor([1, 1, 0]))
        tensor([ True,  True, False], device='npu:0')
    """
    return binary(table.LOGICAL_OR, input, other) if out is None else write(table.LOGICAL_OR, out, (input, other))


@checked
def logical_xor(input: T, other: Any, *, out: T | None = None) -> T:
    """Whether exactly one is true.

    Args:
        input: Tensor of any shape and dtype, or a Python number; what is not 0 counts as true.
        other: Tensor or Python number that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        bool tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.

    Ascend operator: NotEqual; LogicalOr of the parts of complex numbers. Like: torch.logical_xor, numpy.logical_xor.

    Examples:
        >>> at.logical_xor(at.tensor([0, 1, 2]), at.tensor([1, 1, 0]))
        tensor([ True, False,  True], device='npu:0')
    """
    return binary(table.LOGICAL_XOR, input, other) if out is None else write(table.LOGICAL_XOR, out, (input, other))


@checked
def logical_not(input: T, *, out: T | None = None) -> T:
    """Whether each element is 0 or false.

    Args:
        input: Tensor of any shape and dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        bool tensor of the same shape.

    Ascend operator: LogicalNot. Like: torch.logical_not, numpy.logical_not.

    Examples:
        >>> at.logical_not(at.tensor([0, 1, 2]))
        tensor([ True, False, False], device='npu:0')
    """
    return unary(table.LOGICAL_NOT, input) if out is None else write(table.LOGICAL_NOT, out, (input,))


def _is_bool(operand: Any) -> bool:
    return operand.desc.dtype is d.bool_ if isinstance(operand, TensorBase) else isinstance(operand, (bool, np.bool_))


_PARENTHESES: Final = "Comparisons need parentheses: (x > 0) & (x < 1)."
"""Python binds & and | tighter than comparisons, so `x > 0 & x < 1` means `x > (0 & x) < 1`."""


@checked
def bitwise_and(input: T, other: Any, *, out: T | None = None) -> T:
    """Bits that are set in both.

    Args:
        input: Tensor of any shape, bool or an integer dtype, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex.

    Ascend operator: LogicalAnd for bool, else BitwiseAnd. Like: torch.bitwise_and, numpy.bitwise_and.

    Examples:
        >>> at.bitwise_and(at.tensor([12, 5]), 10)
        tensor([8, 0], device='npu:0')
    """
    row = table.LOGICAL_AND if _is_bool(input) and _is_bool(other) else table.BITWISE_AND
    try:
        return binary(row, input, other) if out is None else write(row, out, (input, other))
    except DTypeError as error:
        error.advice = f"{error.advice} {_PARENTHESES}".strip()
        raise


@checked
def bitwise_or(input: T, other: Any, *, out: T | None = None) -> T:
    """Bits that are set in at least one.

    Args:
        input: Tensor of any shape, bool or an integer dtype, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex.

    Ascend operator: LogicalOr for bool, else BitwiseOr. Like: torch.bitwise_or, numpy.bitwise_or.

    Examples:
        >>> at.bitwise_or(at.tensor([12, 5]), 10)
        tensor([14, 15], device='npu:0')
    """
    row = table.LOGICAL_OR if _is_bool(input) and _is_bool(other) else table.BITWISE_OR
    try:
        return binary(row, input, other) if out is None else write(row, out, (input, other))
    except DTypeError as error:
        error.advice = f"{error.advice} {_PARENTHESES}".strip()
        raise


@checked
def bitwise_xor(input: T, other: Any, *, out: T | None = None) -> T:
    """Bits that are set in exactly one.

    Args:
        input: Tensor of any shape, bool or an integer dtype, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex.

    Ascend operator: NotEqual for bool, else BitwiseXor. Like: torch.bitwise_xor, numpy.bitwise_xor.

    Examples:
        >>> at.bitwise_xor(at.tensor([12, 5]), 10)
        tensor([ 6, 15], device='npu:0')
    """
    row = table.LOGICAL_XOR if _is_bool(input) and _is_bool(other) else table.BITWISE_XOR
    return binary(row, input, other) if out is None else write(row, out, (input, other))


@checked
def bitwise_not(input: T, *, out: T | None = None) -> T:
    """Every bit turned; of bool, the opposite.

    Args:
        input: Tensor of any shape, bool or an integer dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: `input` is floating or complex.

    Ascend operator: LogicalNot for bool, BitwiseXor with -1 for int32 and int64 (Invert has no AI Core kernel for them), else Invert.
        Like: torch.bitwise_not, numpy.invert.

    Examples:
        >>> at.bitwise_not(at.tensor([0, 5]))
        tensor([-1, -6], device='npu:0')
        >>> at.bitwise_not(at.tensor([True, False]))
        tensor([False,  True], device='npu:0')
    """
    dtype = input.desc.dtype
    if dtype is d.int32 or dtype is d.int64:
        return bitwise_xor(input, -1, out=out)
    row = table.LOGICAL_NOT if dtype is d.bool_ else table.INVERT
    return unary(row, input) if out is None else write(row, out, (input,))


@checked
def bitwise_left_shift(input: T, other: Any, *, out: T | None = None) -> T:
    """`input << other`: times 2 to the power of `other`, wrapping. AI CPU operator.

    Args:
        input: Tensor of any shape and an integer dtype, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex, or both are bool.

    Ascend operator: LeftShift; BitwiseAnd, Equal, SelectV2 for amounts in a tensor. Like: torch.bitwise_left_shift, numpy.left_shift.

    Examples:
        >>> at.bitwise_left_shift(at.tensor([1, 3]), 2)
        tensor([ 4, 12], device='npu:0')
    """
    return _shift(table.LEFT_SHIFT, input, other, out)


@checked
def bitwise_right_shift(input: T, other: Any, *, out: T | None = None) -> T:
    """`input >> other`: divided by 2 to the power of `other`, rounded down. AI CPU operator.

    Args:
        input: Tensor of any shape and an integer dtype, or a Python int.
        other: Tensor or Python int that broadcasts with it; at least one of the two is a tensor.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: An operand is floating or complex, or both are bool.

    Ascend operator: RightShift; BitwiseAnd, Equal, SelectV2 for amounts in a tensor. Like: torch.bitwise_right_shift, numpy.right_shift.

    Examples:
        >>> at.bitwise_right_shift(at.tensor([8, -8]), 2)
        tensor([ 2, -2], device='npu:0')
    """
    return _shift(table.RIGHT_SHIFT, input, other, out)


def _shift(row: Row, input: Any, other: Any, out: T | None) -> T:
    """A shift; its AI CPU kernel takes operands of one shape only."""
    tensors = [operand for operand in (input, other) if isinstance(operand, TensorBase)]
    if not tensors:
        return binary(row, input, other)  # likewise
    try:
        shape = shapes.broadcast_shapes(*(tensor.desc.shape for tensor in tensors))
    except ValueError:
        return binary(row, input, other)  # raises with the operands named
    dtype = promoted(row, input, other)
    keeps_sign = row is table.RIGHT_SHIFT and d.iinfo(dtype).min < 0
    left, amount = (_expanded(operand, shape, dtype, tensors[0]) for operand in (input, other))
    inside: Any = None
    if isinstance(other, TensorBase) or not 0 <= other < 8 * dtype.itemsize:
        left, amount, inside = _within(left, amount, keeps_sign)
    if inside is None:
        return binary(row, left, amount) if out is None else write(row, out, (left, amount))
    return into(where(inside, binary(row, left, amount), 0), out)


def _within(left: Any, amount: Any, keeps_sign: bool) -> tuple[Any, Any, Any]:
    """A shift with an amount less than the number of bits, and where that is the one asked for: elsewhere PyTorch's result is 0, or the
    sign. The kernels do what C does there, or take the nearest amount (hicann/ops-math, ``right_shift_aicpu.cpp``)."""
    dtype: DType = amount.desc.dtype
    bits = 8 * dtype.itemsize
    beyond = -bits if d.iinfo(dtype).min < 0 else d.iinfo(dtype).max + 1 - bits
    inside = eq(bitwise_and(amount, beyond), 0)
    if keeps_sign:
        return left, where(inside, amount, bits - 1), None
    return left, bitwise_and(amount, bits - 1), inside


def promoted(row: Row, *operands: Any) -> DType:
    """The dtype that a row computes in, before the operands are expanded: a 0-d one counts less than one with dims."""
    kinds = [
        (operand.desc.dtype, len(operand.desc.shape)) if isinstance(operand, TensorBase) else (operand.__class__, -1)
        for operand in operands
    ]
    try:
        return promotion.resolve(row.promotion, kinds)[0]
    except DTypeError as error:
        raise error.with_context(row.name, operands) from None


def _expanded(operand: Any, shape: tuple[int, ...], dtype: DType, like: TensorBase) -> Any:
    if isinstance(operand, TensorBase):
        operand = cast(operand, dtype)
        if operand.desc.shape == shape:
            return operand
        _, strides = shapes.expand_strides(operand.desc.shape, base.element_strides(operand), shape)
        return base.view(operand, shape, strides, base.element_offset(operand))
    return filled(like, shape, operand, dtype)


# Selection


@checked
def where(condition: TensorBase, input: Any, other: Any, *, out: T | None = None) -> Any:
    """`input` where `condition` holds, else `other`.

    Args:
        condition: bool tensor.
        input: Tensor or Python number.
        other: Tensor or Python number; all three broadcast.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype of `input` and `other`.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `condition` is not bool.

    Ascend operator: SelectV2. Like: torch.where, numpy.where.
    """
    operands = (condition, input, other)
    return call(table.WHERE, operands) if out is None else write(table.WHERE, out, operands)


@checked
def masked_fill(input: T, mask: TensorBase, value: Any, *, out: T | None = None) -> T:
    """`value` where `mask` holds, else `input`.

    Args:
        input: Tensor of any shape and dtype.
        mask: bool tensor that broadcasts with it.
        value: Python number, or tensor of one element.
        out: Tensor of the result's shape to write into; `input` itself for the in-place form.

    Returns:
        Tensor of the broadcast shape, of the dtype of `input`.

    Raises:
        ShapeError: The shapes don't broadcast, or `value` has more than one element.
        DTypeError: `mask` is not bool.

    Ascend operator: MaskedFill. Like: torch.Tensor.masked_fill, numpy.where.

    Examples:
        >>> at.masked_fill(at.tensor([1.0, 2.0, 3.0]), at.tensor([True, False, True]), 0.0)
        tensor([0., 2., 0.], device='npu:0')
    """
    if isinstance(value, TensorBase) and value.desc.dtype is not input.desc.dtype:
        if value.desc.dtype.is_complex and not input.desc.dtype.is_complex:
            raise DTypeError(f"{value.desc.dtype.name} can't be written into {input.desc.dtype.name}", advice="Write .real of it.")
        value = cast(value, input.desc.dtype)
    if input.desc.dtype is d.complex128 and mask.desc.dtype is d.bool_:
        return where(mask, value, input, out=out)
    operands = (input, mask, value)
    return call(table.MASKED_FILL, operands) if out is None else write(table.MASKED_FILL, out, operands)


# Casts


def cast(input: T, dtype: DType) -> T:
    """The elements in another dtype, always a new tensor.

    Floating to integer drops the fraction; numbers outside the integer dtype's range become its nearest limit and NaN becomes 0 on the
    simulator. Integers wrap. To bool is `!= 0`. To a narrower floating dtype rounds to nearest, ties to even. Complex to real drops the
    imaginary part.

    Args:
        input: Tensor of any shape and dtype.
        dtype: Any dtype.

    Returns:
        Tensor of the same shape.

    Ascend operator: Cast. Like: torch.Tensor.to(dtype), numpy.ndarray.astype.
    """
    return structured(CAST, input, dtype)
