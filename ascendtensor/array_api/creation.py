"""Creation functions of the standard."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeVar

from .. import creation
from ..base import TensorBase
from ..dtypes import DTypeLike, get_default_dtype, int64
from ..interop import dlpack
from ..ops import shape as shaping
from ..ops import views
from ..runtime.device import DeviceLike
from .array import Array, NPUTensor, wrap

Shape = int | Sequence[int]
T = TypeVar("T", bound=NPUTensor)


def asarray(obj: Any, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None, copy: bool | None = None) -> Array:
    """`obj` as an array: an array, numbers, nested lists of them, or anything with `__array__` or `__dlpack__`. Like: numpy.asarray.

    Examples:
        >>> xp.asarray([1.0, 2.0])
        tensor([1., 2.], device='npu:0')
        >>> xp.asarray(np.ones(2, np.int8)).dtype
        ascendtensor.int8
    """
    if hasattr(obj, "__dlpack__") and not isinstance(obj, TensorBase) and not hasattr(obj, "__array__"):
        obj = dlpack.from_dlpack(obj)
    return wrap(creation.asarray(obj, dtype, device, copy))


def from_dlpack(x: Any, /, *, device: DeviceLike = None, copy: bool | None = None) -> Array:
    """An array of what another library exports by DLPack; see `ascendtensor.from_dlpack`. Like: numpy.from_dlpack.

    Examples:
        >>> xp.from_dlpack(np.asarray([1, 2]))
        tensor([1, 2], device='npu:0')
    """
    return wrap(dlpack.from_dlpack(x, device=device, copy=copy))


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: DTypeLike | None = None, device: DeviceLike = None
) -> Array:
    """Numbers from `start` (0 if only one is given) up to `stop` in steps. Like: numpy.arange.

    Examples:
        >>> xp.arange(1, 7, 2)
        tensor([1, 3, 5], device='npu:0')
    """
    if stop is None:
        start, stop = 0, start
    if (stop > start) != (step > 0) or stop == start:  # nothing lies in between
        whole = all(isinstance(number, int) for number in (start, stop, step))
        return empty(0, dtype=dtype if dtype is not None else int64 if whole else get_default_dtype(), device=device)
    return wrap(creation.arange(start, stop, step, dtype=dtype, device=device))


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: DTypeLike | None = None, device: DeviceLike = None, endpoint: bool = True
) -> Array:
    """`num` numbers from `start` to `stop` in equal steps, `stop` itself included if `endpoint`. Like: numpy.linspace.

    Examples:
        >>> xp.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    number = operator.index(num)
    if endpoint:
        return wrap(creation.linspace(start, stop, number, dtype=dtype, device=device))
    return wrap(creation.linspace(start, stop, number + 1, dtype=dtype, device=device)[:number])


def empty(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """An array of any values. Like: numpy.empty.

    Examples:
        >>> xp.empty((2, 3)).shape
        (2, 3)
    """
    return wrap(creation.empty(shape, dtype=dtype, device=device))


def zeros(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """An array of zeros. Like: numpy.zeros.

    Examples:
        >>> xp.zeros(3)
        tensor([0., 0., 0.], device='npu:0')
    """
    return wrap(creation.zeros(shape, dtype=dtype, device=device))


def ones(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """An array of ones. Like: numpy.ones.

    Examples:
        >>> xp.ones((2, 2))
        tensor([[1., 1.],
                [1., 1.]], device='npu:0')
    """
    return wrap(creation.ones(shape, dtype=dtype, device=device))


def full(shape: Shape, fill_value: Any, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """An array of one value. Like: numpy.full.

    Examples:
        >>> xp.full((2, 2), 7)
        tensor([[7, 7],
                [7, 7]], device='npu:0')
    """
    return wrap(creation.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device))


def empty_like(x: Any, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """As `empty`, with the shape, dtype and device of `x`. Like: numpy.empty_like.

    Examples:
        >>> xp.empty_like(xp.ones((2, 3))).shape
        (2, 3)
    """
    return wrap(creation.empty_like(x, dtype=dtype, device=device))


def zeros_like(x: Any, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """As `zeros`, with the shape, dtype and device of `x`. Like: numpy.zeros_like.

    Examples:
        >>> xp.zeros_like(xp.asarray([1, 2]))
        tensor([0, 0], device='npu:0')
    """
    return wrap(creation.zeros_like(x, dtype=dtype, device=device))


def ones_like(x: Any, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """As `ones`, with the shape, dtype and device of `x`. Like: numpy.ones_like.

    Examples:
        >>> xp.ones_like(xp.asarray([1, 2]))
        tensor([1, 1], device='npu:0')
    """
    return wrap(creation.ones_like(x, dtype=dtype, device=device))


def full_like(x: Any, /, fill_value: Any, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """As `full`, with the shape, dtype and device of `x`. Like: numpy.full_like.

    Examples:
        >>> xp.full_like(xp.ones(2), 7)
        tensor([7., 7.], device='npu:0')
    """
    return wrap(creation.full_like(x, fill_value, dtype=dtype, device=device))


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Ones on the `k`-th diagonal, zeros elsewhere. Like: numpy.eye.

    Examples:
        >>> xp.eye(2)
        tensor([[1., 0.],
                [0., 1.]], device='npu:0')
    """
    columns = n_rows if n_cols is None else n_cols
    if not k:
        return wrap(creation.eye(n_rows, columns, dtype=dtype, device=device))
    matrix = zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        views.diagonal(matrix, k).fill_(1)
    return matrix


def meshgrid(*arrays: T, indexing: str = "xy") -> tuple[T, ...]:
    """Coordinate arrays of a grid. Like: numpy.meshgrid.

    Examples:
        >>> x, y = xp.meshgrid(xp.asarray([1, 2]), xp.asarray([5, 6]))
        >>> x
        tensor([[1, 2],
                [1, 2]], device='npu:0')
    """
    return tuple(shaping.meshgrid(*arrays, indexing=indexing))


def tril(x: T, /, *, k: int = 0) -> T:
    """The lower triangle, zeros elsewhere. Like: numpy.tril.

    Examples:
        >>> xp.tril(xp.ones((2, 2)))
        tensor([[1., 0.],
                [1., 1.]], device='npu:0')
    """
    return shaping.tril(x, k)


def triu(x: T, /, *, k: int = 0) -> T:
    """The upper triangle, zeros elsewhere. Like: numpy.triu.

    Examples:
        >>> xp.triu(xp.ones((2, 2)))
        tensor([[1., 1.],
                [0., 1.]], device='npu:0')
    """
    return shaping.triu(x, k)
