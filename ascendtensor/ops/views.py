"""Views: other shapes, orders and parts of the same memory. Nothing is launched, except where `reshape` must copy.

Views alias as in PyTorch: what is written into one is seen in the others. Strides may be negative, which PyTorch's may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index as as_int
from typing import Any, Final, TypeVar, cast, overload

from .. import base, shapes
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..errors import AscendTensorError, DTypeError, IndexRangeError, ShapeError, UnsupportedError, ValueRangeError
from .arguments import checked, require_tensor
from .call import contiguous_copy

T = TypeVar("T", bound=TensorBase)


def _integers(given: tuple[Any, ...]) -> tuple[int, ...]:
    """`(2, 3)`, `[2, 3]` or `2, 3` as a tuple of ints."""
    if len(given) == 1 and (given[0].__class__ is tuple or shapes.several(given[0])):
        given = tuple(given[0])
    try:
        return tuple(map(as_int, given))
    except TypeError:
        raise DTypeError(f"integers are needed, not {given!r}") from None


def _layout(input: TensorBase) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    return input.desc.shape, base.element_strides(input), base.element_offset(input)


def _named(error: AscendTensorError, name: str, input: TensorBase) -> AscendTensorError:
    return error.with_context(name, (input,))


def alias(input: T) -> T:
    """Another tensor over the same memory. Like: torch.Tensor.detach."""
    return base.view(input, *_layout(input))


# Shapes


@checked
def reshape(input: T, *lengths: Any, shape: Any = None) -> T:
    """The same elements in the same order as another shape: a view where strides allow it, else a copy.

    Args:
        input: Tensor of any shape and dtype.
        *lengths: New lengths, as numbers or one tuple; one of them may be -1.
        shape: The same by name.

    Raises:
        ShapeError: The number of elements differs.

    Like: torch.reshape, numpy.reshape.

    Examples:
        >>> at.reshape(at.tensor([1, 2, 3, 4]), (2, -1))
        tensor([[1, 2],
                [3, 4]], device='npu:0')
    """
    try:
        if shape is not None:
            lengths = shapes.named(lengths, shape, "shape")
        desc = input.desc
        wanted = shapes.infer_size(_integers(lengths), desc.numel)
        if desc.plain:
            return base.view_as(input, desc.dtype, wanted, None, base.element_offset(input))
        old, strides, offset = _layout(input)
        found = shapes.view_strides(old, strides, wanted)
    except AscendTensorError as error:
        raise _named(error, "reshape", input) from None
    if found is None:
        copy = contiguous_copy(input)
        return base.view(copy, wanted, None, 0)  # type: ignore[return-value]
    return base.view(input, wanted, found, offset)


@checked
def reshape_as(input: T, other: TensorBase) -> T:
    """`reshape` to the shape of `other`. Like: torch.Tensor.reshape_as."""
    return reshape(input, other.desc.shape)


@checked
def view(input: T, *lengths: Any, size: Any = None) -> T:
    """A view of another shape; never a copy. With a dtype instead of a shape: the same bytes as elements of it.

    Args:
        input: Tensor of any shape and dtype.
        *lengths: New lengths, as numbers or one tuple, one of them may be -1; or a dtype.
        size: The same by name.

    Raises:
        ShapeError: The number of elements differs, or the memory layout does not allow it without a copy.

    Like: torch.Tensor.view.
    """
    if len(lengths) == 1 and isinstance(lengths[0], DType):
        return view_dtype(input, lengths[0])
    try:
        if size is not None:
            lengths = shapes.named(lengths, size, "size")
        desc = input.desc
        wanted = shapes.infer_size(_integers(lengths), desc.numel)
        if desc.plain:
            return base.view_as(input, desc.dtype, wanted, None, base.element_offset(input))
        old, strides, offset = _layout(input)
        found = shapes.view_strides(old, strides, wanted)
        if found is None:
            raise ShapeError(
                f"strides {list(strides)} don't allow a view of shape {list(wanted)}", advice="Use reshape, which copies then."
            )
    except AscendTensorError as error:
        raise _named(error, "view", input) from None
    return base.view(input, wanted, found, offset)


@checked
def view_as(input: T, other: TensorBase) -> T:
    """`view` with the shape of `other`. Like: torch.Tensor.view_as."""
    return view(input, other.desc.shape)


def view_dtype(input: T, dtype: DType) -> T:
    """The same bytes as elements of another dtype; of another size, the last dimension shrinks or grows.

    Raises:
        ShapeError: The last dimension has gaps, or its length or offset do not divide.

    Like: torch.Tensor.view(dtype), numpy.ndarray.view.
    """
    shape, strides, offset = _layout(input)
    old, new = input.desc.dtype.itemsize, dtype.itemsize
    if old == new:
        return base.view_as(input, dtype, shape, strides, offset)
    if not shape or (shape[-1] != 1 and strides[-1] != 1):
        raise _named(ShapeError(f"a view as {dtype.name}, of another size, needs a last dimension without gaps"), "view", input)
    lead, steps = shape[:-1], strides[:-1]
    if new < old:
        part = old // new
        return base.view_as(input, dtype, (*lead, shape[-1] * part), (*(step * part for step in steps), 1), offset * part)
    part = new // old
    if shape[-1] % part or offset % part or any(step % part for step in steps):
        raise _named(ShapeError(f"a view as {dtype.name} needs lengths, strides and offset in multiples of {part}"), "view", input)
    return base.view_as(input, dtype, (*lead, shape[-1] // part), (*(step // part for step in steps), 1), offset // part)


@checked
def flatten(input: T, start_dim: int = 0, end_dim: int = -1) -> T:
    """Dimensions from `start_dim` to `end_dim` as one. Like: torch.flatten.

    Examples:
        >>> at.flatten(at.tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4], device='npu:0')
    """
    shape = input.desc.shape
    first, last = _dim(input, start_dim, "flatten"), _dim(input, end_dim, "flatten")
    if not shape:
        return reshape(input, 1)
    if first > last:
        raise _named(ShapeError(f"start_dim {start_dim} comes after end_dim {end_dim}"), "flatten", input)
    return reshape(input, (*shape[:first], shapes.numel(shape[first : last + 1]), *shape[last + 1 :]))


@checked
def ravel(input: T) -> T:
    """One dimension, row by row and without gaps: a view of a contiguous tensor, of others a copy. Like: torch.ravel, numpy.ravel.

    Examples:
        >>> at.ravel(at.tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4], device='npu:0')
    """
    row = reshape(input, input.desc.numel)
    return row if row.desc.plain or row.is_contiguous() else contiguous_copy(row)  # type: ignore[return-value]


@checked
def unflatten(input: T, dim: int, sizes: Sequence[int]) -> T:
    """Dimension `dim` as several; one of `sizes` may be -1. Like: torch.unflatten.

    Examples:
        >>> at.unflatten(at.ones(6), 0, (2, -1)).shape
        (2, 3)
    """
    shape = input.desc.shape
    dim = _dim(input, dim, "unflatten")
    if not isinstance(sizes, Iterable):
        raise _named(DTypeError(f"sizes must be several ints, not {sizes!r}"), "unflatten", input)
    if not tuple(sizes):
        raise _named(ShapeError("sizes must hold at least one length"), "unflatten", input)
    try:
        parts = shapes.infer_size(_integers((sizes,)), shape[dim] if shape else 1)
    except AscendTensorError as error:
        raise _named(error, "unflatten", input) from None
    return view(input, (*shape[:dim], *parts, *shape[dim + 1 :]))


@checked
def expand(input: T, *sizes: Any, size: Any = None) -> T:
    """Dimensions of length 1 repeated without a copy; -1 keeps a length. Several elements then share memory, so it can't be written to.

    Raises:
        ShapeError: A dimension of another length would have to change.

    Like: torch.Tensor.expand.
    """
    shape, strides, offset = _layout(input)
    try:
        return base.view(input, *shapes.expand_strides(shape, strides, _integers(shapes.named(sizes, size, "size"))), offset)
    except AscendTensorError as error:
        raise _named(error, "expand", input) from None


@checked
def expand_as(input: T, other: TensorBase) -> T:
    """`expand` to the shape of `other`. Like: torch.Tensor.expand_as."""
    return expand(input, other.desc.shape)


@checked
def broadcast_to(input: T, size: Sequence[int]) -> T:
    """`expand`. Like: torch.broadcast_to, numpy.broadcast_to.

    Examples:
        >>> at.broadcast_to(at.tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]], device='npu:0')
    """
    return expand(input, size)


@checked
def broadcast_tensors(*tensors: T) -> tuple[T, ...]:
    """All tensors expanded to their common shape. Like: torch.broadcast_tensors, numpy.broadcast_arrays.

    Examples:
        >>> [each.shape for each in at.broadcast_tensors(at.tensor([[1], [2]]), at.tensor([3, 4]))]
        [(2, 2), (2, 2)]
    """
    shape = shapes.broadcast_shapes(*(tensor.desc.shape for tensor in tensors))
    return tuple(expand(tensor, shape) for tensor in tensors)


@checked
def broadcast_shapes(*sizes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to; no tensors are made.

    Args:
        *sizes: Shapes, or ints for shapes of one dimension.

    Raises:
        ShapeError: They don't broadcast, or a length is negative.

    Like: torch.broadcast_shapes, numpy.broadcast_shapes.

    Examples:
        >>> at.broadcast_shapes((2, 1), (3,))
        (2, 3)
    """
    return shapes.broadcast_shapes(*map(shapes.as_shape, sizes))


@checked
def sum_dims(input: TensorBase, size: Sequence[int]) -> tuple[int, ...]:
    """The dimensions to sum over, so that the result can be viewed as `size`, which broadcasts to the tensor's shape.

    Raises:
        ShapeError: `size` does not broadcast to it.
    """
    shape, wanted = input.desc.shape, shapes.as_shape(size)
    lead = len(shape) - len(wanted)
    if lead < 0 or any(new not in (1, old) for new, old in zip(wanted, shape[lead:], strict=False)):
        raise ShapeError(f"size {list(wanted)} does not broadcast to {list(shape)}")
    return (*range(lead), *(lead + at for at, new in enumerate(wanted) if new == 1 != shape[lead + at]))


@checked
def squeeze(input: T, dim: int | Sequence[int] | None = None) -> T:
    """Without dimensions of length 1: all, or those named. Like: torch.squeeze, numpy.squeeze.

    Examples:
        >>> at.squeeze(at.ones(1, 2, 1)).shape
        (2,)
    """
    shape, strides, offset = _layout(input)
    try:
        return base.view(input, *shapes.squeeze(shape, strides, dim), offset)
    except AscendTensorError as error:
        raise _named(error, "squeeze", input) from None


@checked
def unsqueeze(input: T, dim: int) -> T:
    """With a new dimension of length 1 at `dim`. Like: torch.unsqueeze, numpy.expand_dims.

    Examples:
        >>> at.unsqueeze(at.tensor([1, 2]), 1)
        tensor([[1],
                [2]], device='npu:0')
    """
    shape, strides, offset = _layout(input)
    try:
        return base.view(input, *shapes.unsqueeze(shape, strides, dim), offset)
    except AscendTensorError as error:
        raise _named(error, "unsqueeze", input) from None


def _each(function: Any, tensors: tuple[Any, ...]) -> Any:
    """`function` of one tensor, or of each of several (or of one list of them), as a tuple."""
    if len(tensors) == 1:
        if isinstance(tensors[0], TensorBase):
            return function(tensors[0])
        tensors = tuple(tensors[0])
    return tuple(map(function, tensors))


@overload
def atleast_1d(tensor: T, /) -> T: ...  # type: ignore[overload-overlap]
@overload
def atleast_1d(*tensors: T | Sequence[T]) -> tuple[T, ...]: ...
@checked
def atleast_1d(*tensors: Any) -> Any:
    """A 0-d tensor as one of length 1; of several tensors, or a list of them, a tuple. Like: torch.atleast_1d, numpy.atleast_1d.

    Examples:
        >>> at.atleast_1d(at.tensor(5))
        tensor([5], device='npu:0')
    """
    return _each(lambda input: input if input.desc.shape else reshape(input, 1), tensors)


@overload
def atleast_2d(tensor: T, /) -> T: ...  # type: ignore[overload-overlap]
@overload
def atleast_2d(*tensors: T | Sequence[T]) -> tuple[T, ...]: ...
@checked
def atleast_2d(*tensors: Any) -> Any:
    """With dimensions of length 1 in front, up to two; of several tensors a tuple. Like: torch.atleast_2d, numpy.atleast_2d.

    Examples:
        >>> at.atleast_2d(at.tensor([1, 2]))
        tensor([[1, 2]], device='npu:0')
    """
    return _each(lambda input: input if len(input.desc.shape) > 1 else reshape(input, (1, input.desc.numel)), tensors)


@overload
def atleast_3d(tensor: T, /) -> T: ...  # type: ignore[overload-overlap]
@overload
def atleast_3d(*tensors: T | Sequence[T]) -> tuple[T, ...]: ...
@checked
def atleast_3d(*tensors: Any) -> Any:
    """A number as [1, 1, 1], a vector as [1, n, 1], a matrix as [m, n, 1]; of several tensors a tuple.

    Like: torch.atleast_3d, numpy.atleast_3d.

    Examples:
        >>> at.atleast_3d(at.tensor([1, 2])).shape
        (1, 2, 1)
    """
    return _each(_with_three, tensors)


def _with_three(input: T) -> T:
    shape = input.desc.shape
    if len(shape) > 2:
        return input
    return reshape(input, (1, input.desc.numel, 1) if len(shape) < 2 else (*shape, 1))


# Parts of complex numbers


@checked
def view_as_real(input: T) -> T:
    """A complex tensor as one of its parts, real and imaginary, in a new last dimension; a view.

    Raises:
        DTypeError: Not a complex dtype.

    Like: torch.view_as_real.

    Examples:
        >>> at.view_as_real(at.tensor([1 + 2j]))
        tensor([[1., 2.]], device='npu:0')
    """
    if not input.desc.dtype.is_complex:
        raise _named(DTypeError(f"{input.desc.dtype.name} is not a complex dtype"), "view_as_real", input)
    shape, strides, offset = _layout(input)
    return base.view_as(input, input.desc.dtype.to_real(), (*shape, 2), (*(2 * step for step in strides), 1), 2 * offset)


@checked
def view_as_complex(input: T) -> T:
    """A tensor whose last dimension holds real and imaginary parts as a complex one; a view.

    Raises:
        DTypeError: Not float32 or float64.
        ShapeError: The last dimension is not of length 2 and without gaps, or other strides or the offset are odd.

    Like: torch.view_as_complex.

    Examples:
        >>> at.view_as_complex(at.tensor([[1.0, 2.0]]))
        tensor([1.+2.j], device='npu:0')
    """
    if input.desc.dtype.name not in ("float32", "float64"):
        raise _named(DTypeError(f"float32 or float64 is needed, not {input.desc.dtype.name}"), "view_as_complex", input)
    shape, strides, offset = _layout(input)
    if not shape or shape[-1] != 2 or strides[-1] != 1 or offset % 2 or any(step % 2 for step in strides[:-1]):
        raise _named(ShapeError("the last dimension must be of length 2, without gaps, all pairs at even places"), "view_as_complex", input)
    return base.view_as(input, input.desc.dtype.to_complex(), shape[:-1], tuple(step // 2 for step in strides[:-1]), offset // 2)


@checked
def real(input: T) -> T:
    """The real parts, a view; a real tensor itself. Like: torch.real, numpy.real.

    Examples:
        >>> at.real(at.tensor([1 + 2j]))
        tensor([1.], device='npu:0')
    """
    return select(view_as_real(input), -1, 0) if input.desc.dtype.is_complex else input


@checked
def imag(input: T) -> T:
    """The imaginary parts of a complex tensor, a view. Like: torch.imag.

    Examples:
        >>> at.imag(at.tensor([1 + 2j]))
        tensor([2.], device='npu:0')
    """
    try:
        return select(view_as_real(input), -1, 1)
    except DTypeError as error:
        error.where = "imag"
        raise


# Orders


@checked
def permute(input: T, *order: Any, dims: Any = None) -> T:
    """Dimensions in another order.

    Args:
        input: Tensor of any shape and dtype.
        *order: The old dimension for each new one, as numbers or one tuple.
        dims: The same by name.

    Raises:
        ShapeError: Not a permutation.
        IndexRangeError: There is no such dimension.

    Like: torch.permute, numpy.transpose.

    Examples:
        >>> at.permute(at.ones(2, 3, 4), (2, 0, 1)).shape
        (4, 2, 3)
    """
    shape, strides, offset = _layout(input)
    try:
        return base.view(input, *shapes.permute(shape, strides, _integers(shapes.named(order, dims, "dims"))), offset)
    except AscendTensorError as error:
        raise _named(error, "permute", input) from None


@checked
def transpose(input: T, dim0: Any, dim1: int | None = None) -> T:
    """Two dimensions exchanged; with one tuple, all of them in that order. Like: torch.transpose, numpy.swapaxes, numpy.transpose.

    Examples:
        >>> at.transpose(at.tensor([[1, 2], [3, 4]]), 0, 1)
        tensor([[1, 3],
                [2, 4]], device='npu:0')
    """
    if dim1 is None:
        if not isinstance(dim0, (tuple, list)):
            raise DTypeError("two dims are needed, or one tuple of all of them").with_context("transpose", (input,))
        return permute(input, dim0)
    one, other = _dim(input, dim0, "transpose"), _dim(input, dim1, "transpose")
    shape, strides, offset = list(input.desc.shape), list(base.element_strides(input)), base.element_offset(input)
    if shape:
        shape[one], shape[other] = shape[other], shape[one]
        strides[one], strides[other] = strides[other], strides[one]
    return base.view(input, tuple(shape), tuple(strides), offset)


@checked
def swapaxes(input: T, axis0: int, axis1: int) -> T:
    """`transpose`. Like: torch.swapaxes, numpy.swapaxes.

    Examples:
        >>> at.swapaxes(at.ones(2, 3, 4), 0, 2).shape
        (4, 3, 2)
    """
    return transpose(input, axis0, axis1)


@checked
def swapdims(input: T, dim0: int, dim1: int) -> T:
    """`transpose`. Like: torch.swapdims.

    Examples:
        >>> at.swapdims(at.ones(2, 3, 4), 0, 2).shape
        (4, 3, 2)
    """
    return transpose(input, dim0, dim1)


@checked
def t(input: T) -> T:
    """A matrix transposed; a vector as it is.

    Raises:
        ShapeError: More than two dimensions.

    Like: torch.t.

    Examples:
        >>> at.t(at.tensor([[1, 2], [3, 4]]))
        tensor([[1, 3],
                [2, 4]], device='npu:0')
    """
    if len(input.desc.shape) > 2:
        raise _named(ShapeError("a tensor of at most two dimensions is needed", advice="Use mT or transpose."), "t", input)
    return reverse_dims(input)


def reverse_dims(input: T) -> T:
    """All dimensions in reverse order. Like: torch.Tensor.T, numpy.ndarray.T."""
    shape, strides, offset = _layout(input)
    return base.view(input, shape[::-1], strides[::-1], offset)


@checked
def movedim(input: T, source: int | Sequence[int], destination: int | Sequence[int]) -> T:
    """Dimensions moved to other places, the others in their order. Like: torch.movedim, numpy.moveaxis.

    Examples:
        >>> at.movedim(at.ones(2, 3, 4), 0, -1).shape
        (3, 4, 2)
    """
    ndim = len(input.desc.shape)
    of = [_dim(input, dim, "movedim") for dim in shapes.each(source)]
    to = [_dim(input, dim, "movedim") for dim in shapes.each(destination)]
    if len(of) != len(to) or len(set(of)) != len(of) or len(set(to)) != len(to):
        raise _named(ShapeError(f"source {source} and destination {destination} must name as many dimensions, each once"), "movedim", input)
    rest = iter(dim for dim in range(ndim) if dim not in of)
    places = dict(zip(to, of, strict=True))
    return permute(input, [places[dim] if dim in places else next(rest) for dim in range(ndim)])


@checked
def moveaxis(input: T, source: int | Sequence[int], destination: int | Sequence[int]) -> T:
    """`movedim`. Like: torch.moveaxis, numpy.moveaxis.

    Examples:
        >>> at.moveaxis(at.ones(2, 3, 4), 0, -1).shape
        (3, 4, 2)
    """
    return movedim(input, source, destination)


# Parts


@checked
def narrow(input: T, dim: int, start: int, length: int) -> T:
    """`length` places of one dimension from `start` on.

    Raises:
        IndexRangeError: They don't lie in the dimension.

    Like: torch.narrow.

    Examples:
        >>> at.narrow(at.tensor([1, 2, 3, 4]), 0, 1, 2)
        tensor([2, 3], device='npu:0')
    """
    dim, start, length = _dim(input, dim, "narrow"), as_int(start), as_int(length)
    shape, strides, offset = _layout(input)
    if not shape:
        raise _named(ShapeError("a 0-d tensor can't be narrowed"), "narrow", input)
    first = start + shape[dim] if start < 0 else start
    if not (0 <= first <= shape[dim] and 0 <= length <= shape[dim] - first):
        raise _named(
            IndexRangeError(f"start {start} and length {length} don't lie in dimension {dim} of size {shape[dim]}"), "narrow", input
        )
    new = (*shape[:dim], length, *shape[dim + 1 :])
    return base.view(input, new, strides, offset if 0 in new else offset + first * strides[dim])


@checked
def select(input: T, dim: int, index: int) -> T:
    """One place of one dimension, which goes.

    Raises:
        IndexRangeError: There is no such dimension or place.

    Like: torch.select.

    Examples:
        >>> at.select(at.tensor([[1, 2], [3, 4]]), 1, 0)
        tensor([1, 3], device='npu:0')
    """
    dim, index = _dim(input, dim, "select"), as_int(index)
    shape, strides, offset = _layout(input)
    if not shape:
        raise _named(IndexRangeError("a 0-d tensor has no dimension to select from"), "select", input)
    if not -shape[dim] <= index < shape[dim]:
        raise _named(IndexRangeError(f"index {index} is out of bounds for dimension {dim} with size {shape[dim]}"), "select", input)
    new = shape[:dim] + shape[dim + 1 :]
    return base.view(input, new, strides[:dim] + strides[dim + 1 :], offset if 0 in new else offset + index % shape[dim] * strides[dim])


@checked
def diagonal(input: T, offset: int = 0, dim1: int = 0, dim2: int = 1) -> T:
    """The diagonals of the matrices in two dimensions, as the last dimension. Like: torch.diagonal, numpy.diagonal.

    Examples:
        >>> at.diagonal(at.tensor([[1, 2], [3, 4]]))
        tensor([1, 4], device='npu:0')
        >>> at.diagonal(at.tensor([[1, 2], [3, 4]]), offset=1)
        tensor([2], device='npu:0')
    """
    one, other = _dim(input, dim1, "diagonal"), _dim(input, dim2, "diagonal")
    shape, strides, start = _layout(input)
    offset = as_int(offset)
    if one == other or len(shape) < 2:
        raise _named(ShapeError(f"dimensions {dim1} and {dim2} must be two different ones"), "diagonal", input)
    down, right = max(-offset, 0), max(offset, 0)
    length = max(min(shape[one] - down, shape[other] - right), 0)
    kept = [dim for dim in range(len(shape)) if dim not in (one, other)]
    new = (*(shape[dim] for dim in kept), length)
    steps = (*(strides[dim] for dim in kept), strides[one] + strides[other])
    return base.view(input, new, steps, start if 0 in new else start + down * strides[one] + right * strides[other])


@checked
def unfold(input: T, dimension: int, size: int, step: int) -> T:
    """Windows of `size` places along a dimension, `step` apart, as a new last dimension; a view. Like: torch.Tensor.unfold."""
    dim, size, step = _dim(input, dimension, "unfold"), as_int(size), as_int(step)
    shape, strides, offset = _layout(input)
    length, stride = (shape[dim], strides[dim]) if shape else (1, 1)
    if not 0 <= size <= length or step <= 0:
        raise _named(ValueRangeError(f"windows of {size} every {step} don't fit into dimension {dim} of size {length}"), "unfold", input)
    windows = (length - size) // step + 1
    if not shape:
        return base.view(input, (size,), (1,), offset)
    new = (*shape[:dim], windows, *shape[dim + 1 :], size)
    return base.view(input, new, (*strides[:dim], stride * step, *strides[dim + 1 :], stride), offset)


@checked
def as_strided(input: T, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> T:
    """Any view of the memory that the tensor lies in.

    Args:
        input: Any tensor; its memory counts, not its shape.
        size, stride: Lengths and steps in elements; steps may be negative.
        storage_offset: Where the first element lies in the memory; by default where that of `input` does.

    Raises:
        IndexRangeError: It reaches out of the memory.

    Like: torch.as_strided.

    Examples:
        >>> at.as_strided(at.tensor([1, 2, 3, 4]), (3, 2), (1, 1))
        tensor([[1, 2],
                [2, 3],
                [3, 4]], device='npu:0')
    """
    shape, strides = shapes.as_shape(*size), _integers((stride,))
    offset = base.element_offset(input) if storage_offset is None else as_int(storage_offset)
    if len(shape) != len(strides):
        raise _named(ShapeError(f"size {list(shape)} and stride {list(strides)} differ in length"), "as_strided", input)
    storage, itemsize = base.storage(input), input.desc.dtype.itemsize
    room = (storage.extent or input.desc.nbytes) // itemsize
    first, last = shapes.storage_extent(shape, strides, offset)
    if first < 0 or last > room:
        raise _named(IndexRangeError(f"elements {first} to {last - 1} don't lie in memory of {room}"), "as_strided", input)
    return base.view(input, shape, strides, offset)


# Several parts


@checked
def unbind(input: T, dim: int = 0) -> tuple[T, ...]:
    """Every place of a dimension. Like: torch.unbind.

    Examples:
        >>> at.unbind(at.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2], device='npu:0'), tensor([3, 4], device='npu:0'))
    """
    dim = _dim(input, dim, "unbind")
    if not input.desc.shape:
        raise _named(IndexRangeError("a 0-d tensor has no dimension to take apart"), "unbind", input)
    return tuple(select(input, dim, index) for index in range(input.desc.shape[dim]))


@checked
def split(tensor: T, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[T, ...]:
    """Parts of one size (the last may be smaller), or of the sizes given.

    Raises:
        ShapeError: The sizes don't add up to the length, or a size is negative.

    Like: torch.split.

    Examples:
        >>> at.split(at.tensor([1, 2, 3, 4, 5]), 2)
        (tensor([1, 2], device='npu:0'), tensor([3, 4], device='npu:0'), tensor([5], device='npu:0'))
        >>> at.split(at.tensor([1, 2, 3]), [1, 2])
        (tensor([1], device='npu:0'), tensor([2, 3], device='npu:0'))
    """
    length = _length(tensor, dim, "split")
    if shapes.several(split_size_or_sections):
        sizes = _integers((split_size_or_sections,))
        if sum(sizes) != length or any(size < 0 for size in sizes):
            raise _named(ShapeError(f"sections {list(sizes)} don't add up to {length}, the length of dimension {dim}"), "split", tensor)
    else:
        size = as_int(cast("Any", split_size_or_sections))
        if size < 0 or (size == 0 and length):
            raise _named(ShapeError(f"a split size of {size} is not possible for a length of {length}"), "split", tensor)
        sizes = tuple(min(size, length - start) for start in range(0, length, size or 1)) or (0,)
    return _sections(tensor, sizes, dim)


@checked
def chunk(input: T, chunks: int, dim: int = 0) -> tuple[T, ...]:
    """At most `chunks` parts of equal size, the last may be smaller. Like: torch.chunk.

    Examples:
        >>> at.chunk(at.tensor([1, 2, 3, 4, 5]), 2)
        (tensor([1, 2, 3], device='npu:0'), tensor([4, 5], device='npu:0'))
    """
    chunks = as_int(chunks)
    if chunks < 1:
        raise _named(ValueRangeError(f"the number of chunks must be positive, not {chunks}"), "chunk", input)
    length = _length(input, dim, "chunk")
    if not length:
        return _sections(input, (0,) * chunks, dim)
    return split(input, -(-length // chunks), dim)


@checked
def split_with_sizes(input: T, split_sizes: Sequence[int], dim: int = 0) -> tuple[T, ...]:
    """Parts of the sizes given. Like: torch.split_with_sizes.

    Examples:
        >>> at.split_with_sizes(at.tensor([1, 2, 3]), [1, 2])
        (tensor([1], device='npu:0'), tensor([2, 3], device='npu:0'))
    """
    if not isinstance(split_sizes, Iterable):
        raise _named(DTypeError(f"split_sizes must be several ints, not {split_sizes!r}"), "split_with_sizes", input)
    return split(input, split_sizes, dim)


_MOST_PARTS: Final = 2**31 - 1


@checked
def tensor_split(input: T, indices_or_sections: Any, dim: int = 0) -> tuple[T, ...]:
    """As many parts as asked for, as equal as can be, or the parts between indices.

    Args:
        input: Tensor of at least one dimension.
        indices_or_sections: A number of parts, or the indices where new parts begin; also as a tensor, which is then read.
        dim: The dimension.

    Raises:
        ShapeError: A 0-d tensor.
        ValueRangeError: The number of parts is not positive, or beyond 2**31 - 1.

    Like: torch.tensor_split, numpy.array_split.

    Examples:
        >>> at.tensor_split(at.tensor([1, 2, 3]), 2)
        (tensor([1, 2], device='npu:0'), tensor([3], device='npu:0'))
    """
    length = _length(input, dim, "tensor_split")
    if shapes.several(indices_or_sections):
        marks = [min(max(mark + length if mark < 0 else mark, 0), length) for mark in _integers((indices_or_sections,))]
    else:
        sections = as_int(indices_or_sections)
        if not 1 <= sections <= _MOST_PARTS:
            raise _named(ValueRangeError(f"the number of sections must be from 1 to {_MOST_PARTS}, not {sections}"), "tensor_split", input)
        size, more = divmod(length, sections)
        marks = [part * size + min(part, more) for part in range(1, sections)]
    parts = zip((0, *marks), (*marks, length), strict=True)
    return tuple(narrow(input, dim, start, max(stop - start, 0)) for start, stop in parts)


def _split_along(function: str, input: T, least: int, dim: int, indices_or_sections: Any) -> tuple[T, ...]:
    """`tensor_split` into parts of equal size."""
    shape = input.desc.shape
    if len(shape) < least:
        raise _named(ShapeError(f"a tensor of at least {least} dimensions is needed"), function, input)
    if not shapes.several(indices_or_sections):
        sections = as_int(indices_or_sections)
        if sections < 1 or shape[dim] % sections:
            text = f"dimension {dim} of size {shape[dim]} can't be split into {sections} equal parts"
            raise _named(ShapeError(text, advice="tensor_split makes parts that differ."), function, input)
    return tensor_split(input, indices_or_sections, dim)


@checked
def hsplit(input: T, indices_or_sections: int | Sequence[int]) -> tuple[T, ...]:
    """Equal parts, or the parts between indices, of the second dimension; of a vector's only one. Like: torch.hsplit, numpy.hsplit.

    Examples:
        >>> at.hsplit(at.tensor([1, 2, 3, 4]), 2)
        (tensor([1, 2], device='npu:0'), tensor([3, 4], device='npu:0'))
    """
    return _split_along("hsplit", input, 1, 0 if len(input.desc.shape) == 1 else 1, indices_or_sections)


@checked
def vsplit(input: T, indices_or_sections: int | Sequence[int]) -> tuple[T, ...]:
    """Equal parts, or the parts between indices, of the first of at least two dimensions. Like: torch.vsplit, numpy.vsplit.

    Examples:
        >>> [part.shape for part in at.vsplit(at.ones(4, 2), 2)]
        [(2, 2), (2, 2)]
    """
    return _split_along("vsplit", input, 2, 0, indices_or_sections)


@checked
def dsplit(input: T, indices_or_sections: int | Sequence[int]) -> tuple[T, ...]:
    """Equal parts, or the parts between indices, of the third dimension. Like: torch.dsplit, numpy.dsplit.

    Examples:
        >>> [part.shape for part in at.dsplit(at.ones(1, 1, 4), 2)]
        [(1, 1, 2), (1, 1, 2)]
    """
    return _split_along("dsplit", input, 3, 2, indices_or_sections)


def _sections(input: T, sizes: Sequence[int], dim: int) -> tuple[T, ...]:
    parts, start = [], 0
    for size in sizes:
        parts.append(narrow(input, dim, start, size))
        start += size
    return tuple(parts)


# The tensor itself as another view of its memory


def become(target: T, view: TensorBase) -> T:
    """`target` as the view `view` of its memory, which must be of its storage."""
    target.buffer, target.desc = view.buffer, view.desc
    return target


@checked
def transpose_(input: T, dim0: int, dim1: int) -> T:
    """`transpose` of the tensor itself. Like: torch.Tensor.transpose_."""
    return become(input, transpose(input, dim0, dim1))


@checked
def swapaxes_(input: T, axis0: int, axis1: int) -> T:
    """`transpose_`. Like: torch.Tensor.swapaxes_."""
    return transpose_(input, axis0, axis1)


@checked
def swapdims_(input: T, dim0: int, dim1: int) -> T:
    """`transpose_`. Like: torch.Tensor.swapdims_."""
    return transpose_(input, dim0, dim1)


@checked
def t_(input: T) -> T:
    """`t` of the tensor itself. Like: torch.Tensor.t_."""
    return become(input, t(input))


@checked
def squeeze_(input: T, dim: int | Sequence[int] | None = None) -> T:
    """`squeeze` of the tensor itself. Like: torch.Tensor.squeeze_."""
    return become(input, squeeze(input, dim))


@checked
def unsqueeze_(input: T, dim: int) -> T:
    """`unsqueeze` of the tensor itself. Like: torch.Tensor.unsqueeze_."""
    return become(input, unsqueeze(input, dim))


@checked
def as_strided_(input: T, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> T:
    """`as_strided` of the tensor itself. Like: torch.Tensor.as_strided_."""
    return become(input, as_strided(input, size, stride, storage_offset))


def is_set_to(input: TensorBase, tensor: TensorBase) -> bool:
    """Whether both are the same view of the same memory. Like: torch.Tensor.is_set_to."""
    require_tensor(tensor, "tensor", "is_set_to")
    return base.storage(input) is base.storage(tensor) and _layout(input) == _layout(tensor)


def resize_(input: T, *size: Any) -> T:
    """Refused: other views of a tensor's memory would not know of a change. Like: torch.Tensor.resize_.

    Raises:
        UnsupportedError: Always.
    """
    raise _no_resize("resize_", input)


def resize_as_(input: T, other: TensorBase) -> T:
    """Refused, as `resize_`. Like: torch.Tensor.resize_as_."""
    raise _no_resize("resize_as_", input)


def _no_resize(function: str, input: TensorBase) -> AscendTensorError:
    advice = "Make a new tensor: reshape, pad, or empty and copy_."
    return _named(UnsupportedError("the memory of a tensor can't be changed", advice=advice), function, input)


def _dim(input: TensorBase, dim: int, function: str) -> int:
    try:
        return shapes.normalize_dim(dim, len(input.desc.shape))
    except AscendTensorError as error:
        raise _named(error, function, input) from None


def _length(input: TensorBase, dim: int, function: str) -> int:
    if not input.desc.shape:
        raise _named(ShapeError("a 0-d tensor has no dimension to split"), function, input)
    return input.desc.shape[_dim(input, dim, function)]
