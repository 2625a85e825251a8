"""Copies in other shapes and orders: joining, repeating, turning, padding. Views are in `views`."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from operator import index as as_int
from typing import Any, Final, TypeVar, overload

from .. import base, shapes
from .. import dtypes as d
from ..base import TensorBase
from ..errors import AscendTensorError, DTypeError, IndexRangeError, ShapeError, ValueRangeError
from . import chips, host, views
from .arguments import checked
from .call import call, contiguous_copy, empty_like, kept_places, made, plain, structured
from .copying import as_pairs as as_pairs
from .copying import clone as clone
from .copying import contiguous as contiguous
from .copying import from_pairs as from_pairs
from .indexing import fill
from .operands import common_dtype, dim_of, filled, in_dtype, integers, number_in
from .reduction import sum as total
from .schema import Row
from .table import movement as table
from .table.creation import RANGE
from .table.indexing import ELEMENTS
from .writing import check_writable, copy_into, into, move_into, write

T = TypeVar("T", bound=TensorBase)

Ints = Sequence[int]


def _zeros(like: T, shape: tuple[int, ...]) -> T:
    if like.desc.dtype is d.complex128:
        return from_pairs(filled(like, (*shape, 2), 0, d.int64))
    return filled(like, shape, 0)


# Joining


@checked
def cat(tensors: Sequence[T], dim: int = 0, *, out: T | None = None) -> T:
    """Tensors one after the other along a dimension that they have.

    Args:
        tensors: One or more tensors of equal lengths in all other dimensions; their dtypes are promoted. As in PyTorch, tensors of shape
            `[0]` are left out whatever the others' shapes are.
        dim: The dimension.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the promoted dtype.

    Raises:
        ShapeError: The shapes don't fit, or there are no tensors.
        IndexRangeError: There is no such dimension.

    Ascend operator: ConcatD. Like: torch.cat, numpy.concatenate.

    Examples:
        >>> at.cat([at.tensor([[1, 2]]), at.tensor([[3, 4]])])
        tensor([[1, 2],
                [3, 4]], device='npu:0')
        >>> at.cat([at.tensor([[1, 2]]), at.tensor([[3, 4]])], dim=1)
        tensor([[1, 2, 3, 4]], device='npu:0')
    """
    given = tuple(tensors)
    if not given:
        raise ShapeError("there are no tensors to join", where="cat")
    for tensor in given:
        if not tensor.desc.numel or (tensor.desc.dtype.is_complex and _is_double(given)):
            return into(_joined_specially(given, dim), out)
    return call(table.CONCAT, given, (dim,)) if out is None else write(table.CONCAT, out, given, (dim,))


@checked
def concat(tensors: Sequence[T], dim: int = 0, *, out: T | None = None) -> T:
    """`cat` by another name. Like: torch.concat, numpy.concatenate.

    Examples:
        >>> at.concat([at.tensor([1]), at.tensor([2, 3])])
        tensor([1, 2, 3], device='npu:0')
    """
    return cat(tensors, dim, out=out)


@checked
def concatenate(tensors: Sequence[T], dim: int = 0, *, out: T | None = None) -> T:
    """`cat` by another name. Like: torch.concatenate, numpy.concatenate.

    Examples:
        >>> at.concatenate([at.tensor([1]), at.tensor([2, 3])])
        tensor([1, 2, 3], device='npu:0')
    """
    return cat(tensors, dim, out=out)


def _is_double(given: tuple[T, ...]) -> bool:
    """Whether complex operands have complex128 for their common dtype: one of them does, or one is of float64."""
    return any(tensor.desc.dtype is d.complex128 or tensor.desc.dtype is d.float64 for tensor in given)


def _joined_specially(given: tuple[T, ...], dim: int) -> T:
    """Some operands have no elements, or are complex128."""
    dtype = common_dtype(*given)
    shaped = [tensor for tensor in given if tensor.desc.shape != (0,)] or list(given[:1])
    try:
        shape = shapes.concat_shape([tensor.desc.shape for tensor in shaped], dim)
    except AscendTensorError as error:
        raise error.with_context("cat", given) from None
    kept = [in_dtype(tensor, dtype) for tensor in shaped if tensor.desc.numel]
    if not kept:
        return _zeros(in_dtype(given[0], dtype), shape)
    if len(kept) == 1:
        return clone(kept[0])
    dim = shapes.normalize_dim(dim, len(shape))
    if dtype is d.complex128:
        return from_pairs(call(table.CONCAT, tuple(map(as_pairs, kept)), (dim,)))
    return call(table.CONCAT, tuple(kept), (dim,))


@checked
def stack(tensors: Sequence[T], dim: int = 0, *, out: T | None = None) -> T:
    """Tensors of one shape side by side along a new dimension.

    Args:
        tensors: One or more tensors of one shape; their dtypes are promoted.
        dim: The new dimension, counted in the result.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the promoted dtype.

    Raises:
        ShapeError: The shapes differ, or there are no tensors.
        IndexRangeError: There is no such dimension.

    Ascend operator: Pack. Like: torch.stack, numpy.stack.

    Examples:
        >>> at.stack([at.tensor([1, 2]), at.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]], device='npu:0')
        >>> at.stack([at.tensor([1, 2]), at.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]], device='npu:0')
    """
    given = tuple(tensors)
    if not given:
        raise ShapeError("there are no tensors to stack", where="stack")
    if any(tensor.desc.dtype.is_complex for tensor in given) and _is_double(given):
        ndim = len(given[0].desc.shape) + 1
        pairs = tuple(as_pairs(in_dtype(tensor, d.complex128)) for tensor in given)
        return into(from_pairs(call(table.PACK, pairs, (dim % ndim if -ndim <= dim < ndim else dim,))), out)
    return call(table.PACK, given, (dim,)) if out is None else write(table.PACK, out, given, (dim,))


def _several(function: Callable[[T], T], tensors: Sequence[T]) -> list[T]:
    if isinstance(tensors, TensorBase):
        raise DTypeError("a list or tuple of tensors is needed, not one tensor", advice="Put it in a list.")
    return [function(tensor) for tensor in tensors]


@checked
def hstack(tensors: Sequence[T], *, out: T | None = None) -> T:
    """Side by side: vectors end to end, all else along the second dimension. Like: torch.hstack, numpy.hstack.

    Examples:
        >>> at.hstack((at.tensor([1, 2]), at.tensor([3])))
        tensor([1, 2, 3], device='npu:0')
    """
    given = _several(views.atleast_1d, tensors)
    return cat(given, 0 if given and len(given[0].desc.shape) == 1 else 1, out=out)


@checked
def vstack(tensors: Sequence[T], *, out: T | None = None) -> T:
    """On top of each other: vectors as rows, all else along the first dimension. Like: torch.vstack, numpy.vstack.

    Examples:
        >>> at.vstack((at.tensor([1, 2]), at.tensor([3, 4])))
        tensor([[1, 2],
                [3, 4]], device='npu:0')
    """
    return cat(_several(views.atleast_2d, tensors), 0, out=out)


@checked
def dstack(tensors: Sequence[T], *, out: T | None = None) -> T:
    """Behind each other along a third dimension. Like: torch.dstack, numpy.dstack.

    Examples:
        >>> at.dstack((at.tensor([1, 2]), at.tensor([3, 4])))
        tensor([[[1, 3],
                 [2, 4]]], device='npu:0')
    """
    return cat(_several(views.atleast_3d, tensors), 2, out=out)


@checked
def column_stack(tensors: Sequence[T], *, out: T | None = None) -> T:
    """Vectors as the columns of a matrix; matrices side by side. Like: torch.column_stack, numpy.column_stack.

    Examples:
        >>> at.column_stack((at.tensor([1, 2]), at.tensor([3, 4])))
        tensor([[1, 3],
                [2, 4]], device='npu:0')
    """

    def column(tensor: T) -> T:
        return tensor if len(tensor.desc.shape) > 1 else views.reshape(tensor, (tensor.desc.numel, 1))

    return cat(_several(column, tensors), 1, out=out)


@checked
def row_stack(tensors: Sequence[T], *, out: T | None = None) -> T:
    """`vstack` by another name. Like: torch.row_stack, numpy.vstack.

    Examples:
        >>> at.row_stack((at.tensor([1, 2]), at.tensor([3, 4])))
        tensor([[1, 2],
                [3, 4]], device='npu:0')
    """
    return vstack(tensors, out=out)


@checked
def block_diag(*tensors: T) -> T:
    """Matrices along the diagonal of one that is zero elsewhere; numbers and vectors count as rows. Like: torch.block_diag.

    Examples:
        >>> at.block_diag(at.tensor([[1, 2]]), at.tensor([[3]]))
        tensor([[1, 2, 0],
                [0, 0, 3]], device='npu:0')
    """
    given = [views.atleast_2d(tensor) for tensor in tensors]
    if not given or any(len(tensor.desc.shape) != 2 for tensor in given):
        raise ShapeError("matrices are needed, at least one", where="block_diag").with_context("block_diag", tensors)
    dtype = common_dtype(*given)
    like = in_dtype(given[0], dtype)
    whole = _zeros(like, tuple(sum(tensor.desc.shape[at] for tensor in given) for at in (0, 1)))
    row = column = 0
    for tensor in given:
        rows, columns = tensor.desc.shape
        copy_into(views.narrow(views.narrow(whole, 0, row, rows), 1, column, columns), tensor)
        row, column = row + rows, column + columns
    return whole


# Repeating


@checked
def tile(input: T, dims: Any) -> T:
    """The tensor side by side with itself; numbers that are missing in front count as 1.

    Args:
        input: Tensor of any shape and dtype.
        dims: How often, along each of the last dimensions.

    Raises:
        ValueRangeError: A number is negative.

    Ascend operator: Tile. Like: torch.tile, numpy.tile.

    Examples:
        >>> at.tile(at.tensor([1, 2]), (2, 2))
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]], device='npu:0')
    """
    numbers = integers(dims)
    return _tiled(input, (1,) * (len(input.desc.shape) - len(numbers)) + numbers)


@checked
def repeat(input: T, *repeats: Any) -> T:
    """The tensor side by side with itself; a number for each dimension, more numbers add dimensions in front.

    Args:
        input: Tensor of any shape and dtype.
        *repeats: How often, as numbers or one tuple.

    Raises:
        ShapeError: Fewer numbers than dimensions.
        ValueRangeError: A number is negative.

    Ascend operator: Tile. Like: torch.Tensor.repeat.
    """
    numbers = integers(repeats[0] if len(repeats) == 1 else repeats)
    if len(numbers) < len(input.desc.shape):
        raise ShapeError(f"{len(numbers)} repeats for {len(input.desc.shape)} dimensions", advice="Give a number for every dimension.")
    return _tiled(input, numbers)


def _tiled(input: T, numbers: tuple[int, ...]) -> T:
    return structured(table.TILE, input, numbers) if numbers else clone(input)


@overload
def repeat_interleave(input: T, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> T: ...
@overload
def repeat_interleave(*, repeats: T, output_size: int | None = None) -> T: ...
@checked
def repeat_interleave(input: Any = None, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Any:
    """Each place of a dimension several times in a row.

    Args:
        input: Tensor of any shape and dtype.
        repeats: How often: a number, or an integer tensor with one number, or one for each place. One of both alone is such a vector,
            whose places are repeated.
        dim: The dimension; by default the tensor is flattened first.
        output_size: The sum of the numbers, where it is known. A tensor of numbers is summed up all the same, and the sum waited for:
            the chip would write behind the end of a result that is too small.

    Raises:
        ShapeError: `repeats` has another length than the dimension.
        ValueRangeError: A number is negative, or `output_size` is not the sum.
        IndexRangeError: There is no such dimension.

    Ascend operator: RepeatInterleave, Range; AsStrided for a number. Like: torch.repeat_interleave, numpy.repeat.

    Examples:
        >>> at.repeat_interleave(at.tensor([1, 2]), 2)
        tensor([1, 1, 2, 2], device='npu:0')
        >>> at.repeat_interleave(at.tensor([1, 2]), at.tensor([1, 3]))
        tensor([1, 2, 2, 2], device='npu:0')
    """
    if input is None or repeats is None:
        input = repeats if input is None else input
        if len(input.desc.shape) != 1:
            raise ShapeError("without repeats a vector of numbers is needed").with_context("repeat_interleave", (input,))
        length = input.desc.numel
        dtype = d.int32 if input.desc.dtype is d.int32 else d.int64
        input, repeats = made(RANGE, (0, length, 1), (length, dtype), input), input
    if dim is None:
        input, dim = views.reshape(input, input.desc.numel), 0
    elif not input.desc.shape:
        raise IndexRangeError("a 0-d tensor has no dimensions").with_context("repeat_interleave", (input,))
    dim = dim_of(input, dim, "repeat_interleave")
    shape = input.desc.shape
    if not isinstance(repeats, TensorBase):
        number = as_int(repeats)
        if output_size is not None and output_size != shape[dim] * number:
            raise ValueRangeError(f"output_size is {output_size}, but {number} times {shape[dim]} is {number * shape[dim]}")
        return _repeated(input, number, dim)
    if repeats.desc.numel == 1:
        repeats = views.reshape(repeats, 1)
        count = shape[dim] * _number(repeats)
    else:
        count = _number(total(repeats))
    # The chip believes what it is told, and would write behind the end of the result.
    if output_size is not None and as_int(output_size) != count:
        raise ValueRangeError(f"output_size is {output_size}, but the repeats add up to {count}").with_context(
            "repeat_interleave", (input, repeats)
        )
    if count < 0:
        raise ValueRangeError("repeats must not be negative").with_context("repeat_interleave", (input, repeats))
    if input.desc.dtype is d.complex128:
        return from_pairs(call(table.REPEAT_INTERLEAVE, (as_pairs(input), repeats), (dim, count)))
    return call(table.REPEAT_INTERLEAVE, (input, repeats), (dim, count))


def _repeated(input: T, number: int, dim: int) -> T:
    shape = input.desc.shape
    if number < 0:
        raise ValueRangeError(f"repeats must not be negative, it is {number}").with_context("repeat_interleave", (input,))
    wide = views.expand(views.unsqueeze(input, dim + 1), (*shape[: dim + 1], number, *shape[dim + 1 :]))
    return views.reshape(contiguous_copy(wide), (*shape[:dim], shape[dim] * number, *shape[dim + 1 :]))  # type: ignore[return-value]


def _number(input: TensorBase) -> int:
    """A sum that decides a shape, read from the device."""
    return int(host.item(input))


@overload
def meshgrid(*tensors: T, indexing: str = "ij") -> tuple[T, ...]: ...
@overload
def meshgrid(tensors: Sequence[T], /, *, indexing: str = "ij") -> tuple[T, ...]: ...
@checked
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Coordinates of a grid: each vector along a dimension of its own, expanded along the others (views).

    Args:
        *tensors: Vectors or numbers, or one list of them, of one dtype.
        indexing: "ij", or "xy" for the first two dimensions exchanged.

    Raises:
        ShapeError: A tensor of more than one dimension.
        ValueRangeError: Another `indexing`.

    Like: torch.meshgrid, numpy.meshgrid.

    Examples:
        >>> x, y = at.meshgrid(at.tensor([1, 2]), at.tensor([5, 6]), indexing="ij")
        >>> x
        tensor([[1, 1],
                [2, 2]], device='npu:0')
        >>> y
        tensor([[5, 6],
                [5, 6]], device='npu:0')
    """
    given = tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], TensorBase) else tensors
    if indexing not in ("ij", "xy"):
        raise ValueRangeError(f'indexing must be "ij" or "xy", not {indexing!r}', where="meshgrid")
    if any(len(tensor.desc.shape) > 1 for tensor in given):
        raise ShapeError("vectors or numbers are needed").with_context("meshgrid", given)
    swapped = indexing == "xy" and len(given) > 1
    if swapped:
        given = (given[1], given[0], *given[2:])
    lengths = tuple(tensor.desc.numel for tensor in given)
    grids = []
    for at, tensor in enumerate(given):
        column = views.reshape(tensor, (1,) * at + (lengths[at],) + (1,) * (len(given) - at - 1))
        grids.append(views.expand(column, lengths))
    if swapped:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


@checked
def cartesian_prod(*tensors: T) -> T:
    """Every combination of the elements of vectors, one a row. Like: torch.cartesian_prod.

    Examples:
        >>> at.cartesian_prod(at.tensor([1, 2]), at.tensor([5, 6]))
        tensor([[1, 5],
                [1, 6],
                [2, 5],
                [2, 6]], device='npu:0')
    """
    if len(tensors) == 1:
        return tensors[0]
    return stack([views.reshape(grid, -1) for grid in meshgrid(*tensors)], 1)


# Turning


@checked
def flip(input: T, *numbers: Any, dims: Any = None) -> T:
    """Dimensions in reverse order, as a copy.

    Args:
        input: Tensor of any shape and dtype.
        *numbers: The dimensions, as numbers or one tuple; by default all of them.
        dims: The same by name.

    Raises:
        IndexRangeError: There is no such dimension.

    Ascend operator: ReverseV2. Like: torch.flip, numpy.flip.

    Examples:
        >>> at.flip(at.tensor([[1, 2], [3, 4]]), (0, 1))
        tensor([[4, 3],
                [2, 1]], device='npu:0')
    """
    if dims is not None and numbers:
        raise DTypeError("dims are given twice").with_context("flip", (input,))
    if dims is None:
        dims = numbers[0] if len(numbers) == 1 else numbers or range(len(input.desc.shape))
    given = integers(dims)
    axes = tuple(sorted(dim_of(input, dim, "flip") for dim in given))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"dims {list(given)} name a dimension twice").with_context("flip", (input,))
    return structured(table.FLIP, input, axes) if axes and input.desc.shape else clone(input)


@checked
def fliplr(input: T) -> T:
    """The second dimension in reverse order. Like: torch.fliplr, numpy.fliplr.

    Examples:
        >>> at.fliplr(at.tensor([[1, 2], [3, 4]]))
        tensor([[2, 1],
                [4, 3]], device='npu:0')
    """
    return flip(input, 1)


@checked
def flipud(input: T) -> T:
    """The first dimension in reverse order; a 0-d tensor is an IndexRangeError. Like: torch.flipud, numpy.flipud.

    Examples:
        >>> at.flipud(at.tensor([[1, 2], [3, 4]]))
        tensor([[3, 4],
                [1, 2]], device='npu:0')
    """
    if not input.desc.shape:
        raise IndexRangeError("a 0-d tensor has no dimensions").with_context("flipud", (input,))
    return flip(input, 0)


@checked
def roll(input: T, shifts: Any, dims: Any = None) -> T:
    """Places moved along dimensions; those that leave at the end come in at the beginning.

    Args:
        input: Tensor of any shape and dtype.
        shifts: How far, a number or one for each of `dims`; negative to the beginning.
        dims: The dimensions; by default the tensor is rolled as if it were flat.

    Raises:
        ShapeError: `shifts` and `dims` differ in length.
        IndexRangeError: There is no such dimension.

    Ascend operator: GatherV2, ViewCopy. Like: torch.roll, numpy.roll. The operator Roll has its shifts as attributes, a model for each.

    Examples:
        >>> at.roll(at.tensor([1, 2, 3, 4]), 1)
        tensor([4, 1, 2, 3], device='npu:0')
    """
    steps, given = integers(shifts), () if dims is None else integers(dims)
    if dims is None or (not given and len(steps) == 1):
        flat = views.reshape(input, -1) if input.desc.numel else input
        return views.reshape(_rolled(flat, (sum(steps),), (0,)), input.desc.shape)
    numbers = tuple(dim_of(input, dim, "roll") for dim in given)
    if numbers and not input.desc.shape:
        raise IndexRangeError("a 0-d tensor has no dimensions to roll").with_context("roll", (input,))
    if len(steps) != len(numbers) or not steps:
        raise ShapeError(f"{len(steps)} shifts for {len(numbers)} dims").with_context("roll", (input,))
    return _rolled(input, steps, numbers)


_FEW_ELEMENTS: Final = 1 << 16
"""Up to so many, a gather along each dim takes less time than copies of the parts."""


def _turned(length: int, step: int) -> list[int]:
    return [*range(length - step, length), *range(length - step)]


def _rolled(input: T, steps: tuple[int, ...], dims: tuple[int, ...]) -> T:
    if not input.desc.numel or not input.desc.shape:
        return clone(input)
    far: dict[int, int] = {}
    for step, dim in zip(steps, dims, strict=True):
        far[dim] = (far.get(dim, 0) + step) % input.desc.shape[dim]
    moved = [(dim, step) for dim, step in sorted(far.items()) if step]
    if not moved:
        return clone(input)
    source = plain(input)
    if source.desc.dtype is d.complex128:
        return from_pairs(_rolled(as_pairs(source), tuple(step for _, step in moved), tuple(dim for dim, _ in moved)))
    if source.desc.numel <= _FEW_ELEMENTS:
        for dim, step in moved:
            length = source.desc.shape[dim]
            source = call(ELEMENTS, (source, kept_places(source, ("roll", length, step), partial(_turned, length, step))), (dim,))
        return source
    result = empty_like(source)
    for sides in product((False, True), repeat=len(moved)):
        to, of = result, source
        for (dim, step), end in zip(moved, sides, strict=True):
            kept = source.desc.shape[dim] - step
            to = views.narrow(to, dim, 0 if end else step, step if end else kept)
            of = views.narrow(of, dim, kept if end else 0, step if end else kept)
        move_into(to, of)
    return result


@checked
def rot90(input: T, k: int = 1, dims: Ints = (0, 1)) -> T:
    """The plane of two dimensions turned by `k` quarter turns, from the first to the second.

    Args:
        input: Tensor of at least two dimensions.
        k: Number of quarter turns.
        dims: The two dimensions.

    Raises:
        ShapeError: Not two different dimensions.

    Ascend operator: ReverseV2. Like: torch.rot90, numpy.rot90.

    Examples:
        >>> at.rot90(at.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]], device='npu:0')
    """
    if len(dims) != 2 or dim_of(input, dims[0], "rot90") == dim_of(input, dims[1], "rot90"):
        raise ShapeError(f"two different dimensions are needed, not {list(dims)}").with_context("rot90", (input,))
    one, other = dims
    turns = as_int(k) % 4
    if turns == 0:
        return clone(input)
    if turns == 2:
        return flip(input, one, other)
    if turns == 1:
        return views.transpose(flip(input, other), one, other)
    return flip(views.transpose(input, one, other), other)


# Triangles and diagonals


def _by_parts(row: Row, input: T, *arguments: int) -> T:
    """A function of the real and the imaginary parts."""
    return views.view_as_complex(stack([call(row, (part,), arguments) for part in (views.real(input), views.imag(input))], -1))


@checked
def tril(input: T, diagonal: int = 0, *, out: T | None = None) -> T:
    """The lower triangle of each matrix, zero above it.

    Args:
        input: Tensor of at least two dimensions.
        diagonal: The last diagonal that is kept; 0 the main one, positive ones above it.
        out: Tensor of the same shape to write into.

    Raises:
        ShapeError: Fewer dimensions.

    Ascend operator: Tril. Like: torch.tril, numpy.tril.

    Examples:
        >>> at.tril(at.ones(3, 3))
        tensor([[1., 0., 0.],
                [1., 1., 0.],
                [1., 1., 1.]], device='npu:0')
    """
    if input.desc.dtype is d.complex128:
        return into(_by_parts(table.TRIL, input, diagonal), out)
    return structured(table.TRIL, input, diagonal) if out is None else write(table.TRIL, out, (input,), (diagonal,))


@checked
def triu(input: T, diagonal: int = 0, *, out: T | None = None) -> T:
    """The upper triangle of each matrix, zero below it.

    Args:
        input: Tensor of at least two dimensions.
        diagonal: The first diagonal that is kept; 0 the main one, positive ones above it.
        out: Tensor of the same shape to write into.

    Raises:
        ShapeError: Fewer dimensions.

    Ascend operator: Triu. Like: torch.triu, numpy.triu.

    Examples:
        >>> at.triu(at.ones(3, 3), diagonal=1)
        tensor([[0., 1., 1.],
                [0., 0., 1.],
                [0., 0., 0.]], device='npu:0')
    """
    if input.desc.dtype is d.complex128:
        return into(_by_parts(table.TRIU, input, diagonal), out)
    return structured(table.TRIU, input, diagonal) if out is None else write(table.TRIU, out, (input,), (diagonal,))


@checked
def tril_(input: T, diagonal: int = 0) -> T:
    """`tril` into `input` itself. Like: torch.Tensor.tril_."""
    return tril(input, diagonal, out=input)


@checked
def triu_(input: T, diagonal: int = 0) -> T:
    """`triu` into `input` itself. Like: torch.Tensor.triu_."""
    return triu(input, diagonal, out=input)


@checked
def fill_diagonal_(input: T, fill_value: Any, wrap: bool = False) -> T:
    """One number on the main diagonal of the tensor itself.

    Args:
        input: Tensor of at least two dimensions; if more than two, all of one length.
        fill_value: Number.
        wrap: For tall matrices: begin again below each square part.

    Raises:
        ShapeError: Fewer dimensions, or more than two that differ.

    Ascend operator: ViewCopy. Like: torch.Tensor.fill_diagonal_, numpy.fill_diagonal.
    """
    shape, strides, offset = input.desc.shape, base.element_strides(input), base.element_offset(input)
    if len(shape) < 2:
        raise ShapeError(f"a tensor of at least two dimensions is needed, not of shape {list(shape)}")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError(f"all dimensions must be of one length, not {list(shape)}")
    check_writable(input, "fill_diagonal_")
    size, step = min(shape), sum(strides)
    starts = range(0, shape[0], shape[1] + 1) if wrap and len(shape) == 2 and size else (0,)
    for start in starts:
        length = min(size, shape[0] - start) if len(shape) == 2 else size
        fill(base.view(input, (length,), (step,), offset + start * strides[0] if length else offset), fill_value)
    return input


@checked
def diag(input: T, diagonal: int = 0, *, out: T | None = None) -> T:
    """A vector as the diagonal of a matrix, or a matrix's diagonal as a vector; a copy both times.

    Args:
        input: Vector or matrix.
        diagonal: 0 the main one, positive ones above it.
        out: Tensor of the result's shape to write into.

    Raises:
        ShapeError: Neither a vector nor a matrix.

    Ascend operator: DiagFlat; AsStrided. Like: torch.diag, numpy.diag.

    Examples:
        >>> at.diag(at.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]], device='npu:0')
        >>> at.diag(at.tensor([[1, 2], [3, 4]]))
        tensor([1, 4], device='npu:0')
    """
    ndim = len(input.desc.shape)
    if ndim == 1:
        return into(diagflat(input, diagonal), out)
    if ndim != 2:
        raise ShapeError(f"a vector or a matrix is needed, not shape {list(input.desc.shape)}").with_context("diag", (input,))
    return into(clone(views.diagonal(input, diagonal)), out)


@checked
def diagflat(input: T, offset: int = 0) -> T:
    """A matrix with all elements of the tensor on a diagonal. Ascend operator: DiagFlat. Like: torch.diagflat, numpy.diagflat.

    Examples:
        >>> at.diagflat(at.tensor([[1], [2]]))
        tensor([[1, 0],
                [0, 2]], device='npu:0')
    """
    if input.desc.dtype is d.complex128 or not input.desc.numel or chips.lacks(table.DIAG_FLAT, input.desc.dtype):
        return diag_embed(views.reshape(input, -1) if input.desc.numel else views.reshape(input, 0), offset)
    return call(table.DIAG_FLAT, (input,), (offset,))


@checked
def diag_embed(input: T, offset: int = 0, dim1: int = -2, dim2: int = -1) -> T:
    """Vectors along the last dimension as diagonals of matrices in two dimensions of the result, zero elsewhere.

    Args:
        input: Tensor of at least one dimension.
        offset: Which diagonal; 0 the main one, positive ones above it.
        dim1, dim2: The dimensions of the matrices.

    Raises:
        IndexRangeError: No dimension.
        ShapeError: `dim1` and `dim2` are one.

    Ascend operator: Fill, ViewCopy. Like: torch.diag_embed.

    Examples:
        >>> at.diag_embed(at.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]], device='npu:0')
    """
    shape = input.desc.shape
    if not shape:
        raise IndexRangeError("a tensor of at least one dimension is needed").with_context("diag_embed", (input,))
    one, other = (shapes.normalize_dim(dim, len(shape) + 1) for dim in (dim1, dim2))
    if one == other:
        raise ShapeError(f"dimensions {dim1} and {dim2} must be two different ones").with_context("diag_embed", (input,))
    size = shape[-1] + abs(offset)
    lengths = list(shape[:-1])
    for dim in sorted((one, other)):
        lengths.insert(dim, size)
    whole = _zeros(input, tuple(lengths))
    copy_into(views.diagonal(whole, offset, one, other), input)
    return whole


def _with_part(function: str, input: T, src: TensorBase, part: Callable[[T], T]) -> T:
    """A copy of `input` with a part of it replaced."""
    whole = clone(input)
    target = part(whole)
    if target.desc.shape != src.desc.shape:
        error = ShapeError(f"src has shape {list(src.desc.shape)}, the part that it replaces {list(target.desc.shape)}")
        raise error.with_context(function, (input, src))
    copy_into(target, src)
    return whole


@checked
def diagonal_scatter(input: T, src: TensorBase, offset: int = 0, dim1: int = 0, dim2: int = 1) -> T:
    """A copy with the diagonals replaced by `src`. Ascend operator: ViewCopy. Like: torch.diagonal_scatter.

    Examples:
        >>> at.diagonal_scatter(at.zeros(2, 2), at.tensor([1.0, 2.0]))
        tensor([[1., 0.],
                [0., 2.]], device='npu:0')
    """
    return _with_part("diagonal_scatter", input, src, lambda whole: views.diagonal(whole, offset, dim1, dim2))


@checked
def select_scatter(input: T, src: TensorBase, dim: int, index: int) -> T:
    """A copy with one place of a dimension replaced by `src`. Ascend operator: ViewCopy. Like: torch.select_scatter.

    Examples:
        >>> at.select_scatter(at.zeros(2, 2), at.tensor([1.0, 2.0]), 0, 1)
        tensor([[0., 0.],
                [1., 2.]], device='npu:0')
    """
    return _with_part("select_scatter", input, src, lambda whole: views.select(whole, dim, index))


@checked
def slice_scatter(
    input: T,
    src: TensorBase,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: T | None = None,
) -> T:
    """A copy with a slice of a dimension replaced by `src`. Ascend operator: ViewCopy. Like: torch.slice_scatter.

    Examples:
        >>> at.slice_scatter(at.zeros(4), at.tensor([1.0, 2.0]), start=1, end=3)
        tensor([0., 1., 2., 0.], device='npu:0')
    """
    at = dim_of(input, dim, "slice_scatter")
    if step < 1:
        raise ValueRangeError(f"step must be positive, not {step}").with_context("slice_scatter", (input, src))

    def part(whole: T) -> T:
        index = (slice(None),) * at + (slice(start, end, step),)
        found = shapes.basic_index(whole.desc.shape, base.element_strides(whole), base.element_offset(whole), index)
        return base.view(whole, found.shape, found.strides, found.offset)

    return into(_with_part("slice_scatter", input, src, part), out)


@checked
def as_strided_scatter(input: T, src: TensorBase, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> T:
    """A copy with a strided part of its memory replaced by `src`. Ascend operator: ViewCopy. Like: torch.as_strided_scatter.

    Examples:
        >>> at.as_strided_scatter(at.zeros(2, 2), at.tensor([1.0, 2.0]), (2,), (3,))
        tensor([[1., 0.],
                [0., 2.]], device='npu:0')
    """
    return _with_part("as_strided_scatter", input, src, lambda whole: views.as_strided(whole, size, stride, storage_offset))


@checked
def narrow_copy(input: T, dim: int, start: int, length: int, *, out: T | None = None) -> T:
    """A copy of `length` places of one dimension from `start` on. Ascend operator: AsStrided. Like: torch.narrow_copy.

    Examples:
        >>> at.narrow_copy(at.tensor([1, 2, 3, 4]), 0, 1, 2)
        tensor([2, 3], device='npu:0')
    """
    return into(clone(views.narrow(input, dim, start, length)), out)


@checked
def sum_to_size(input: T, *sizes: Any, size: Any = None) -> T:
    """The sum over the dimensions that `size` lacks or has of length 1. Ascend operator: ReduceSum. Like: torch.Tensor.sum_to_size."""
    wanted = shapes.as_shape(*shapes.named(sizes, size, "size"))
    dims = views.sum_dims(input, wanted)
    return views.reshape(total(input, dims, keepdim=True), wanted) if dims else input


# Padding


@checked
def pad(input: T, pad: Ints, mode: str = "constant", value: Any = None) -> T:
    """Places added around a tensor, or cut off where a number is negative.

    Args:
        input: Tensor of any dtype.
        pad: Numbers of places (before, after) of the last dimension, then of the one before it, and so on.
        mode: "constant", "reflect" (mirrored at the border element, each number below the length), "replicate" (the border element),
            or "circular" (from the other end, each number at most the length).
        value: For "constant": the number put there; by default 0.

    Returns:
        Tensor of the input's dtype.

    Raises:
        ShapeError: An odd count of numbers, or more than two for each dimension.
        ValueRangeError: Another mode, or more places than the mode can give.

    Ascend operator: PadV3, MirrorPad, ConcatD. Like: torch.nn.functional.pad, numpy.pad.

    Examples:
        >>> at.nn.functional.pad(at.tensor([[1.0, 2.0]]), (1, 2), value=9.0)
        tensor([[9., 1., 2., 9., 9.]], device='npu:0')
        >>> at.nn.functional.pad(at.tensor([[1.0, 2.0, 3.0]]), (2, 0), mode="reflect")
        tensor([[3., 2., 1., 2., 3.]], device='npu:0')
    """
    numbers = integers(pad)
    shape = input.desc.shape
    if len(numbers) % 2 or len(numbers) > 2 * len(shape):
        raise ShapeError(f"pad {list(numbers)} is not (before, after) of some of {len(shape)} dimensions").with_context("pad", (input,))
    pairs = [(0, 0)] * len(shape)
    for at in range(len(numbers) // 2):
        pairs[len(shape) - 1 - at] = (numbers[2 * at], numbers[2 * at + 1])
    if mode not in _MODES:
        raise ValueRangeError(f"mode must be one of {', '.join(_MODES)}, not {mode!r}", where="pad")
    if value is not None and mode != "constant":
        raise ValueRangeError(f"mode {mode} takes no value", where="pad")
    bordered = mode in ("reflect", "replicate")  # the places come from what is cut off, too
    for dim, (before, after) in enumerate(pairs):
        if shape[dim] + (before + after if bordered else min(before, 0) + min(after, 0)) < 0:
            raise ValueRangeError(f"padding {before}, {after} cuts off more than dimension {dim} has").with_context("pad", (input,))
    added = tuple(max(number, 0) for pair in pairs for number in pair)
    if not any(added):
        return clone(_cut(input, pairs))
    if bordered and min(numbers) < 0:
        return clone(_cut(_MODES[mode](input, added, 0), [(min(before, 0), min(after, 0)) for before, after in pairs]))
    return _MODES[mode](_cut(input, pairs), added, 0 if value is None else value)


def _cut(input: T, pairs: Sequence[tuple[int, int]]) -> T:
    """Without as many places (before, after) of each dimension as negative numbers say."""
    for dim, (before, after) in enumerate(pairs):
        if min(before, after) < 0:
            input = views.narrow(input, dim, max(-before, 0), input.desc.shape[dim] + min(before, 0) + min(after, 0))
    return input


def _constant_pad(input: T, added: tuple[int, ...], value: Any) -> T:
    value = number_in(value, input.desc.dtype)
    if not input.desc.numel:
        return filled(input, tuple(added[2 * at] + size + added[2 * at + 1] for at, size in enumerate(input.desc.shape)), value)
    return call(table.PAD, (input, value), (added, "constant"))


def _replicate_pad(input: T, added: tuple[int, ...], value: Any) -> T:
    return call(table.PAD, (input, None), (added, "edge"))


def _reflect_pad(input: T, added: tuple[int, ...], value: Any) -> T:
    if input.desc.dtype is d.complex128:
        return from_pairs(call(table.MIRROR_PAD, (as_pairs(input),), ((*added, 0, 0),)))
    return call(table.MIRROR_PAD, (input,), (added,))


def _circular_pad(input: T, added: tuple[int, ...], value: Any) -> T:
    for dim, length in enumerate(input.desc.shape):
        before, after = added[2 * dim : 2 * dim + 2]
        if max(before, after) > length:
            raise ValueRangeError(f"padding {before}, {after} is more than dimension {dim} has, {length}").with_context("pad", (input,))
        parts = [views.narrow(input, dim, length - before, before), input, views.narrow(input, dim, 0, after)]
        if before or after:
            input = cat([part for part in parts if part.desc.shape[dim]], dim)
    return input


_MODES: dict[str, Callable[..., Any]] = {
    "constant": _constant_pad,
    "reflect": _reflect_pad,
    "replicate": _replicate_pad,
    "circular": _circular_pad,
}
