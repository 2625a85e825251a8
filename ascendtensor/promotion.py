"""PyTorch's type promotion, as named kinds.

Every operator row names one ``Kind``; ``resolve`` then says in which dtype to compute and which dtype the result has. There are three ranks
of operand: tensors with dimensions, 0-d tensors, Python scalars. A lower rank matters only when its *category* (bool < integer < floating
< complex) is above that of the higher ranks, so ``int8_tensor + 1000`` stays int8 and ``int8_tensor + 1.0`` becomes the default dtype.

PyTorch refuses to mix uint16, uint32 and uint64 with bool, integers or complex types. There the array API standard's rules are used; uint64
with a signed integer has no common type in either and is refused here too. complex32 does not exist here: where PyTorch would come to it,
the result is complex64.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, TypeAlias

import numpy as np

from .dtypes import FLOATING, INTEGER, bool_, complex64, complex128, dtype, float32, float64, get_default_dtype, int16, int32, int64
from .errors import DTypeError

__all__ = ["Kind", "Operand", "can_cast", "promote_types", "resolve", "result_type", "scalar_dtype"]

Operand: TypeAlias = "tuple[dtype | type, int]"
"""``(dtype, ndim)`` for a tensor, ``(type, -1)`` for a Python scalar."""


class Kind(Enum):
    """How an operator's operand dtypes lead to (compute dtype, result dtype)."""

    DEFAULT = "both are the promoted type: add, mul, maximum, where"
    INT_TO_FLOAT = "both are the promoted type, bool and integers becoming the default dtype: div, sqrt, exp"
    BOOL_RESULT = "computed in the promoted type, the result is bool: eq, lt, isnan"
    SAME = "the tensors have one dtype, which stays; scalars follow it: neg, matmul, clamp"
    SUM = "bool and integers become int64, others stay: sum, prod, cumsum"
    FLOAT_ONLY = "the promoted type, bool and integers are refused: mean, softmax"
    COMPLEX_TO_FLOAT = "computed in the promoted type, the result is that of its parts: abs, real, angle"
    LOGICAL = "every operand becomes bool by itself, the result is bool: logical_and, logical_not"
    INTEGRAL = "the promoted type, floating and complex types are refused: bitwise_and, shifts"


_WIDER: Final[dict[int, dtype]] = {1: int16, 2: int32, 4: int64}


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that holds the values of both.

    Raises:
        DTypeError: For uint64 with a signed integer.

    Like: ``torch.promote_types``.
    """
    if a is b:
        return a
    if a.category != b.category:
        low, high = (a, b) if a.category < b.category else (b, a)
        return complex128 if high is complex64 and low is float64 else high
    if a.category == INTEGER and a.is_signed != b.is_signed:
        signed, unsigned = (a, b) if a.is_signed else (b, a)
        if signed.itemsize > unsigned.itemsize:
            return signed
        if unsigned.itemsize == 8:
            raise DTypeError(f"{a.name} and {b.name} have no common type", advice="Cast one of the operands with .to(dtype) first.")
        return _WIDER[unsigned.itemsize]
    if a.itemsize == b.itemsize:  # float16 and bfloat16: neither holds the other
        return float32
    return a if a.itemsize > b.itemsize else b


def keep_imaginary(source: dtype, target: dtype) -> None:
    """Refuse casts of operands that nobody asked for and that lose something: complex numbers as real ones.

    Raises:
        DTypeError: It is one of those.
    """
    if source.is_complex and not target.is_complex and target is not bool_:
        raise DTypeError(f"complex numbers ({source.name}) can't stand where {target.name} is needed", advice="Take their .real or abs().")


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether a conversion keeps the category, as in-place operators ask for: float to int does not, float64 to float16 does.

    Like: ``torch.can_cast``.
    """
    return source.category <= target.category


def scalar_dtype(scalar: type) -> dtype:
    """The dtype that a scalar of this type stands for while it is weak: bool, int64, the default dtype or its complex type.

    NumPy's scalars count as the Python numbers that they are.

    Raises:
        DTypeError: For other types.
    """
    if issubclass(scalar, (bool, np.bool_)):
        return bool_
    if issubclass(scalar, (int, np.integer)):
        return int64
    if issubclass(scalar, (float, np.floating)):
        return get_default_dtype()
    if issubclass(scalar, (complex, np.complexfloating)):
        return get_default_dtype().to_complex()
    advice = "An array or a list becomes a tensor by tensor()."
    raise DTypeError(f"an operand of type {scalar.__name__} is neither a tensor nor a number", advice=advice)


def result_type(operands: Iterable[Operand]) -> dtype:
    """The promoted type of tensors and Python scalars.

    Args:
        operands: ``(dtype, ndim)`` of each tensor, ``(type, -1)`` of each Python scalar; at least one.

    Raises:
        DTypeError: If two operands of the same rank have no common type.

    Like: ``torch.result_type``.
    """
    dimensioned: dtype | None = None
    zero_dim: dtype | None = None
    scalar: dtype | None = None
    for kind, ndim in operands:
        if not isinstance(kind, dtype):
            scalar = _join(scalar, scalar_dtype(kind))
        elif ndim > 0:
            dimensioned = _join(dimensioned, kind)
        else:
            zero_dim = _join(zero_dim, kind)
    result = _dominate(dimensioned, _dominate(zero_dim, scalar))
    if result is None:
        raise DTypeError("there are no operands to find a common type of")
    return result


def _join(a: dtype | None, b: dtype) -> dtype:
    return b if a is None else promote_types(a, b)


def _dominate(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """Combine two ranks of operands; PyTorch's ``combine_categories``."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.category >= lower.category:
        return higher
    if higher.category == FLOATING:  # a complex 0-d or scalar must not raise the precision
        return higher.to_complex()
    return promote_types(higher, lower)


def resolve(kind: Kind, operands: Sequence[Operand]) -> tuple[dtype, dtype]:
    """The dtype to compute in and the dtype of the result.

    Args:
        kind: The operator's kind.
        operands: As for ``result_type``.

    Raises:
        DTypeError: If the kind refuses the dtypes, or they have no common type.
    """
    if kind is Kind.LOGICAL:
        return bool_, bool_
    if kind is Kind.SAME:
        same = _one_dtype(operands)
        return same, same
    common = result_type(operands)
    if kind is Kind.BOOL_RESULT:
        return common, bool_
    if kind is Kind.COMPLEX_TO_FLOAT:
        return common, common.to_real()
    if kind is Kind.SUM and common.category <= INTEGER:
        return int64, int64
    if kind is Kind.INT_TO_FLOAT and common.category <= INTEGER:
        common = get_default_dtype()
    if kind is Kind.FLOAT_ONLY and common.category <= INTEGER:
        raise DTypeError(f"a floating or complex dtype is needed, not {common.name}", advice="Cast with .to(float32) first.")
    if kind is Kind.INTEGRAL and common.category > INTEGER:
        raise DTypeError(f"bool or an integer dtype is needed, not {common.name}", advice="Cast with .to(int64) first.")
    return common, common


def _one_dtype(operands: Sequence[Operand]) -> dtype:
    found = {kind: None for kind, _ in operands if isinstance(kind, dtype)}
    if not found:
        return result_type(operands)
    first, *others = found
    if others:
        names = ", ".join(each.name for each in found)
        raise DTypeError(f"the operands have to have one dtype, not {names}", advice=f"Cast with .to({first.name}) first.")
    return first
