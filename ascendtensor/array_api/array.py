"""The array object of the standard's namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..base import TensorBase
from ..promotion import promote_types
from ..tensor import NPUTensor as NPUTensor

if TYPE_CHECKING:
    from typing_extensions import Self

# mypy: disable-error-code="override"

X = TypeVar("X")
Y = TypeVar("Y")


def promoted(left: X, right: Y) -> tuple[X, Y]:
    """Two operands as the standard promotes them: a 0-d array counts as much as any other, which in PyTorch it does not.

    Raises:
        DTypeError: The dtypes have no common type.
    """
    if isinstance(left, TensorBase) and isinstance(right, TensorBase):
        first, second = left.desc.dtype, right.desc.dtype
        if first is not second and bool(left.desc.shape) != bool(right.desc.shape):
            common = promote_types(first, second)
            return left.to(common), right.to(common)  # type: ignore[attr-defined]
    return left, right


def same_dtype(x1: X, x2: Y) -> tuple[X, Y]:
    """Two arrays in their common dtype."""
    common = promote_types(x1.desc.dtype, x2.desc.dtype)  # type: ignore[attr-defined]
    return x1.to(common), x2.to(common)  # type: ignore[attr-defined]


class Array(NPUTensor):
    """An NPUTensor whose operators promote as the standard asks: a 0-d array counts as much as any other.

    What `asarray`, `zeros` and the like of this namespace give. Tensors of both classes may be mixed; a result has the class of the first
    one.

    Examples:
        >>> x = xp.asarray([1, 2, 3])
        >>> x + x
        tensor([2, 4, 6], device='npu:0')
        >>> x.__array_namespace__() is xp
        True
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__add__(left, right)

    def __sub__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__sub__(left, right)

    def __mul__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__mul__(left, right)

    def __truediv__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__truediv__(left, right)

    def __floordiv__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__floordiv__(left, right)

    def __mod__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__mod__(left, right)

    def __pow__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__pow__(left, right)

    def __matmul__(self, other: Any) -> Self:
        left, right = same_dtype(self, other) if isinstance(other, NPUTensor) else (self, other)
        return NPUTensor.__matmul__(left, right)

    def __and__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__and__(left, right)

    def __or__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__or__(left, right)

    def __xor__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__xor__(left, right)

    def __lshift__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__lshift__(left, right)

    def __rshift__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__rshift__(left, right)

    def __eq__(self, other: object) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__eq__(left, right)

    def __ne__(self, other: object) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__ne__(left, right)

    def __lt__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__lt__(left, right)

    def __le__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__le__(left, right)

    def __gt__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__gt__(left, right)

    def __ge__(self, other: Any) -> Self:
        left, right = promoted(self, other)
        return NPUTensor.__ge__(left, right)

    __hash__ = NPUTensor.__hash__


def wrap(tensor: Any) -> Array:
    """The same memory as an array of this namespace."""
    if isinstance(tensor, Array):
        return tensor
    array = object.__new__(Array)
    array.desc = tensor.desc
    array.buffer = tensor.buffer
    return array
