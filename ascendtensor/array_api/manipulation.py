"""Manipulation, indexing and matrix functions of the standard."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..errors import ShapeError
from ..interop.functions import shaping as numpy_shaping
from ..ops import gather, views
from ..ops import shape as shaping
from ..ops.arguments import checked
from ..ops.linalg import matmul as products
from ..shapes import broadcast_shapes as broadcast_shapes
from .array import NPUTensor, same_dtype

T = TypeVar("T", bound=NPUTensor)


def broadcast_arrays(*arrays: T) -> tuple[T, ...]:
    """Views of a common shape. Like: numpy.broadcast_arrays.

    Examples:
        >>> [x.shape for x in xp.broadcast_arrays(xp.ones((2, 1)), xp.ones(3))]
        [(2, 3), (2, 3)]
    """
    return tuple(views.broadcast_tensors(*arrays))


@checked
def broadcast_to(x: T, /, shape: tuple[int, ...]) -> T:
    """A view of a larger shape. Like: numpy.broadcast_to.

    Examples:
        >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]], device='npu:0')
    """
    return views.expand(x, *shape) if x.shape != tuple(shape) else x


def concat(arrays: Sequence[T], /, *, axis: int | None = 0) -> T:
    """Arrays joined along an axis, flattened first if it is None. Like: numpy.concat.

    Examples:
        >>> xp.concat([xp.asarray([1]), xp.asarray([2, 3])])
        tensor([1, 2, 3], device='npu:0')
    """
    if axis is None:
        return shaping.cat([views.reshape(array, -1) for array in arrays], 0)
    return shaping.cat(list(arrays), axis)


@checked
def expand_dims(x: T, /, axis: int | tuple[int, ...]) -> T:
    """A view with axes of length 1 at these places of the result. Like: numpy.expand_dims.

    Examples:
        >>> xp.expand_dims(xp.asarray([1, 2]), axis=1)
        tensor([[1],
                [2]], device='npu:0')
    """
    return numpy_shaping.expand_dims(x, axis)


@checked
def flip(x: T, /, *, axis: int | tuple[int, ...] | None = None) -> T:
    """Elements in reverse order along axes, all if None. Like: numpy.flip.

    Examples:
        >>> xp.flip(xp.asarray([1, 2, 3]))
        tensor([3, 2, 1], device='npu:0')
    """
    dims = tuple(range(x.ndim)) if axis is None else axis
    return shaping.flip(x, dims)


def moveaxis(x: T, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> T:
    """A view with axes moved to other places. Like: numpy.moveaxis.

    Examples:
        >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    return views.movedim(x, source, destination)


def permute_dims(x: T, /, axes: tuple[int, ...]) -> T:
    """A view with the axes in another order. Like: numpy.permute_dims.

    Examples:
        >>> xp.permute_dims(xp.ones((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    return views.permute(x, tuple(axes))


def repeat(x: T, repeats: Any, /, *, axis: int | None = None) -> T:
    """Each element several times in a row. Like: numpy.repeat.

    Examples:
        >>> xp.repeat(xp.asarray([1, 2]), 2)
        tensor([1, 1, 2, 2], device='npu:0')
    """
    return shaping.repeat_interleave(x, repeats, axis)


def reshape(x: T, /, shape: tuple[int, ...], *, copy: bool | None = None) -> T:
    """The elements in another shape: a view where that is possible and `copy` is not True. Like: numpy.reshape.

    Examples:
        >>> xp.reshape(xp.asarray([1, 2, 3, 4]), (2, -1))
        tensor([[1, 2],
                [3, 4]], device='npu:0')
    """
    if copy is False:
        return views.view(x, tuple(shape))
    result = views.reshape(x, tuple(shape))
    return shaping.clone(result) if copy else result


@checked
def roll(x: T, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> T:
    """Elements moved along axes, those beyond the end at the beginning. Like: numpy.roll.

    Examples:
        >>> xp.roll(xp.asarray([1, 2, 3]), 1)
        tensor([3, 1, 2], device='npu:0')
    """
    return numpy_shaping.roll(x, shift, axis)


def squeeze(x: T, /, axis: int | tuple[int, ...]) -> T:
    """A view without these axes, whose length must be 1. Like: numpy.squeeze.

    Examples:
        >>> xp.squeeze(xp.ones((1, 2)), axis=0).shape
        (2,)
    """
    return numpy_shaping.squeeze(x, axis)


def stack(arrays: Sequence[T], /, *, axis: int = 0) -> T:
    """Arrays of one shape joined along a new axis. Like: numpy.stack.

    Examples:
        >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])])
        tensor([[1, 2],
                [3, 4]], device='npu:0')
    """
    return shaping.stack(list(arrays), axis)


def tile(x: T, repetitions: tuple[int, ...], /) -> T:
    """An array repeated along its axes. Like: numpy.tile.

    Examples:
        >>> xp.tile(xp.asarray([1, 2]), (2,))
        tensor([1, 2, 1, 2], device='npu:0')
    """
    return shaping.tile(x, tuple(repetitions))


def unstack(x: T, /, *, axis: int = 0) -> tuple[T, ...]:
    """Views of the parts along an axis. Like: numpy.unstack.

    Examples:
        >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
        (tensor([1, 2], device='npu:0'), tensor([3, 4], device='npu:0'))
    """
    return views.unbind(x, axis)


@checked
def take(x: T, indices: Any, /, *, axis: int | None = None) -> T:
    """Elements of an axis by their positions. Like: numpy.take.

    Examples:
        >>> xp.take(xp.asarray([5, 6, 7]), xp.asarray([2, 0]))
        tensor([7, 5], device='npu:0')
    """
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"an axis is needed for {x.ndim} dimensions").with_context("take", (x,))
        axis = 0
    axis = axis % x.ndim
    index = (slice(None),) * axis + (indices,)
    return x[index]


def take_along_axis(x: T, indices: Any, /, *, axis: int = -1) -> T:
    """For each place of `indices` the element of the same place but for the axis. Like: numpy.take_along_axis.

    Examples:
        >>> xp.take_along_axis(xp.asarray([[3, 1, 2]]), xp.asarray([[1, 2, 0]]), axis=1)
        tensor([[1, 2, 3]], device='npu:0')
    """
    return gather.take_along_dim(x, indices, axis)


@checked
def matmul(x1: T, x2: T, /) -> T:
    """Products of matrices. Like: numpy.matmul.

    Examples:
        >>> xp.matmul(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 1.0]))
        tensor([3., 7.], device='npu:0')
    """
    return products.matmul(*same_dtype(x1, x2))


@checked
def matrix_transpose(x: T, /) -> T:
    """The last two axes exchanged, a view. Like: numpy.matrix_transpose.

    Examples:
        >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
        tensor([[1, 3],
                [2, 4]], device='npu:0')
    """
    return x.mT


@checked
def tensordot(x1: T, x2: T, /, *, axes: Any = 2) -> T:
    """Sums of products over axes. Like: numpy.tensordot.

    Examples:
        >>> xp.tensordot(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.eye(2), axes=2)
        tensor(5., device='npu:0')
    """
    return products.tensordot(*same_dtype(x1, x2), dims=axes)


@checked
def vecdot(x1: T, x2: T, /, *, axis: int = -1) -> T:
    """Dot products along an axis, the first operand conjugated. Like: numpy.vecdot.

    Examples:
        >>> xp.vecdot(xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0]))
        tensor(11., device='npu:0')
    """
    if x1.shape and x2.shape and x1.shape[axis] != x2.shape[axis]:
        raise ShapeError("the lengths of the axis differ").with_context("vecdot", (x1, x2))
    return products.vecdot(*same_dtype(x1, x2), dim=axis)
