"""Methods that NumPy's arrays have and PyTorch's tensors have not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from .base import TensorBase, element_strides, storage
from .dtypes import DTypeLike, as_dtype
from .errors import DTypeError
from .interop import numpy as border
from .interop.functions import choosing, shaping
from .ops import host, indexing, shape, views
from .ops.pointwise import complex_numbers
from .ops.writing import copy_into

if TYPE_CHECKING:
    from typing_extensions import Self

_Bool: TypeAlias = bool  # the tensor class has methods of these names
_Bytes: TypeAlias = bytes
_Int: TypeAlias = int


class Flat:
    """`t.flat`: the elements in one row, to be read and written. Like: numpy.flatiter.

    Examples:
        >>> x = at.zeros(2, 2).T
        >>> x.flat[1:3] = at.tensor([5.0, 6.0])
        >>> x, x.flat[1], len(x.flat)
        (tensor([[0., 5.],
                [6., 0.]], device='npu:0'), tensor(5., device='npu:0'), 4)
    """

    __slots__ = ("base",)

    def __init__(self, base: Any) -> None:
        self.base = base

    def __len__(self) -> _Int:
        return int(self.base.desc.numel)

    def __iter__(self) -> Iterator[Any]:
        """The elements as NumPy's scalars, which `for` asks for on the host, in one copy."""
        return iter(host.download(self.base).reshape(-1))

    def __getitem__(self, index: Any) -> Any:
        return indexing.get(views.reshape(self.base, -1), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        row = views.reshape(self.base, -1)
        indexing.put(row, index, value)
        if storage(row) is not storage(self.base):  # a copy
            copy_into(self.base, views.reshape(row, self.base.desc.shape))

    def __array__(self, dtype: Any = None, copy: _Bool | None = None) -> Any:
        return border.array(views.reshape(self.base, -1), dtype, copy)


class NumpyMethods(TensorBase):
    """Methods by NumPy's names."""

    __slots__ = ()

    @property
    def flat(self) -> Flat:
        """The elements in one row, to be read and written; assigning writes all of them. Like: numpy.ndarray.flat.

        Examples:
            >>> x = at.zeros(2, 2)
            >>> x.flat[::3] = 1
            >>> x
            tensor([[1., 0.],
                    [0., 1.]], device='npu:0')
        """
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        Flat(self)[:] = value

    @property
    def strides(self) -> tuple[_Int, ...]:
        """Steps of the dimensions in bytes; `stride()` counts elements. Like: numpy.ndarray.strides.

        Examples:
            >>> at.ones(2, 3).strides
            (12, 4)
        """
        size = self.desc.dtype.itemsize
        return tuple(step * size for step in element_strides(self))

    def argpartition(self, kth: Any, axis: _Int | None = -1) -> Self:
        """The places that would put the elements in order. Like: numpy.ndarray.argpartition.

        Examples:
            >>> at.tensor([3, 1, 2]).argpartition(1)
            tensor([1, 2, 0], device='npu:0')
        """
        found: Self = choosing.argsort(self, axis)
        return found

    def astype(self, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: _Bool = True, copy: _Bool = True) -> Self:
        """The tensor in another dtype; itself where it has it and `copy` is False. Like: numpy.ndarray.astype.

        Examples:
            >>> at.tensor([1.9, -1.9]).astype(at.int32)
            tensor([ 1, -1], device='npu:0', dtype=ascendtensor.int32)
        """
        border.refuse("astype", casting=None if casting == "unsafe" else casting)
        result: Self = border.cast(self, as_dtype(dtype))
        return shape.clone(self) if copy and result is self else result

    def __delitem__(self, index: Any) -> None:
        advice = "cat() of what lies around them, or x[mask], makes a tensor without them."
        raise DTypeError("elements of a tensor can't be deleted", advice=advice).with_context("del", (self,))

    def choose(self, choices: Any) -> Self:
        """From as many tensors, the element that the number here names. Like: numpy.ndarray.choose.

        Examples:
            >>> at.tensor([0, 1]).choose([at.tensor([1, 2]), at.tensor([3, 4])])
            tensor([1, 4], device='npu:0')
        """
        found: Self = choosing.choose(self, choices)
        return found

    def compress(self, condition: Any, axis: _Int | None = None) -> Self:
        """Slices along an axis for which a condition holds. Like: numpy.ndarray.compress.

        Examples:
            >>> at.tensor([1, 2, 3]).compress([True, False, True])
            tensor([1, 3], device='npu:0')
        """
        found: Self = choosing.compress(condition, self, axis)
        return found

    def conjugate(self) -> Self:
        """See `conj`. Like: numpy.ndarray.conjugate."""
        return complex_numbers.conj(self)

    def copy(self, order: str = "C") -> Self:
        """See `clone`. Like: numpy.ndarray.copy."""
        shaping.in_order("copy", order, self)
        return shape.clone(self)

    def fill(self, value: Any) -> None:
        """One number into every element. Like: numpy.ndarray.fill.

        Examples:
            >>> x = at.ones(2)
            >>> x.fill(7)
            >>> x
            tensor([7., 7.], device='npu:0')
        """
        indexing.fill(self, value)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        """Places in this sorted vector before which the elements of `v` belong. Like: numpy.ndarray.searchsorted.

        Examples:
            >>> at.tensor([1, 3, 5]).searchsorted(at.tensor([3, 6]))
            tensor([1, 3], device='npu:0')
        """
        return choosing.searchsorted(self, v, side, sorter)

    def tobytes(self, order: str = "C") -> _Bytes:
        """The elements' bytes on the host; waits for them. Like: numpy.ndarray.tobytes.

        Examples:
            >>> list(at.tensor([1, 2], dtype=at.uint8).tobytes())
            [1, 2]
        """
        return host.download(self).tobytes("F" if shaping.in_order("tobytes", order, self) else "C")

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """The elements in a file, as bytes or as text with `sep` between them; waits for them. Like: numpy.ndarray.tofile.

        Examples:
            >>> at.tensor([1, 2]).tofile("numbers.txt", sep=" ")
            >>> np.fromfile("numbers.txt", int, sep=" ")
            array([1, 2])
        """
        host.download(self).tofile(fid, sep, format)
