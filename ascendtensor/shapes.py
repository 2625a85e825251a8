"""Shapes, strides and indices as plain integers.

Strides and offsets count *elements*, not bytes, as in PyTorch; unlike PyTorch's they may be negative, for slices with a negative step.
Every function that refuses names the shapes; the function the user called is added higher up (``AscendTensorError.with_context``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod
from operator import index as as_int
from typing import Any, Final, NamedTuple, TypeAlias

from .errors import DTypeError, IndexRangeError, ShapeError, ValueRangeError

__all__ = [
    "MAX_RANK",
    "BasicIndex",
    "Shape",
    "Strides",
    "Turned",
    "as_shape",
    "basic_index",
    "broadcast_shapes",
    "concat_shape",
    "contiguous_strides",
    "expand_strides",
    "has_overlap",
    "infer_size",
    "is_contiguous",
    "matmul_shape",
    "named",
    "normalize_dim",
    "normalize_dims",
    "numel",
    "padded_nbytes",
    "permutation",
    "permute",
    "reduce_shape",
    "simple_index",
    "squeeze",
    "stack_shape",
    "storage_extent",
    "unsqueeze",
    "view_strides",
    "without_negative_strides",
]

Shape: TypeAlias = "tuple[int, ...]"
Strides: TypeAlias = "tuple[int, ...]"

MAX_LENGTH: Final = 2**63 - 1
MAX_RANK: Final = 32
"""The most dimensions a tensor may have: the limit of NumPy 1.26. (Single operators of Ascend often stop at 8.)"""


def named(lengths: tuple[Any, ...], given: Any, name: str) -> tuple[Any, ...]:
    """Lengths or dims that may come one by one or, as in PyTorch, by name: ``zeros(2, 3)``, ``zeros(size=(2, 3))``.

    Raises:
        ShapeError: They come both ways.
    """
    if given is None:
        return lengths
    if lengths:
        raise ShapeError(f"the shape is given twice, as {', '.join(map(repr, lengths))} and as {name}={given!r}")
    return (given,)


def several(given: Any) -> bool:
    """Whether these are several numbers, not one. A 0-d tensor or array is one, though it has the methods of several."""
    return isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0


def each(given: Any) -> tuple[Any, ...]:
    """One number or several as a tuple."""
    return tuple(given) if several(given) else (given,)


_INTS: Final = {int}


def as_shape(*lengths: Any, size: Any = None) -> Shape:
    """A shape from what a user wrote: ``(2, 3)``, ``[2, 3]``, ``2, 3``, ``5``, ``size=(2, 3)`` or nothing, with NumPy integers too.

    Raises:
        ShapeError: For a negative length, one that no memory has, or too many dimensions.
        DTypeError: For something that is not an integer.
    """
    lengths = named(lengths, size, "size")
    given = lengths[0] if len(lengths) == 1 and (lengths[0].__class__ is tuple or several(lengths[0])) else lengths
    if given.__class__ is tuple and {*map(type, given)} == _INTS and min(given) >= 0 and max(given) <= MAX_LENGTH:
        plain: Shape = given
        return _of_rank(plain)
    try:
        shape = tuple(as_int(length) for length in given)
    except TypeError:
        advice = "What is no length has a name of its own: dtype=..., device=...." if len(lengths) > 1 else ""
        raise DTypeError(f"a shape is made of integers, not {given!r}", advice=advice) from None
    if any(length < 0 for length in shape):
        raise ShapeError(f"a length cannot be negative: {list(shape)}")
    if any(length > MAX_LENGTH for length in shape):
        raise ShapeError(f"a length is at most 2**63 - 1: {list(shape)}")
    return _of_rank(shape)


def _of_rank(shape: Shape) -> Shape:
    if len(shape) > MAX_RANK:
        raise ShapeError(f"a tensor has at most {MAX_RANK} dimensions, not {len(shape)}")
    return shape


def numel(shape: Sequence[int]) -> int:
    """Number of elements; 1 for a 0-d shape."""
    return prod(shape)


def padded_nbytes(nbytes: int) -> int:
    """Bytes pyACL reserves for ``nbytes``: the next multiple of 32 and 32 bytes of slack (RT-29)."""
    return (nbytes + 63) // 32 * 32


def contiguous_strides(shape: Sequence[int]) -> Strides:
    """Row-major strides of a shape. An axis of length 0 counts as 1 in the axes before it, as in PyTorch."""
    strides = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= length or 1
    return tuple(reversed(strides))


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements lie row-major without gaps. Strides of axes of length 1 do not matter; an empty tensor is contiguous."""
    step = 1
    for dim in range(len(shape) - 1, -1, -1):
        length = shape[dim]
        if length != 1:
            if strides[dim] != step:
                return 0 in shape
            step *= length
    return True


def storage_extent(shape: Sequence[int], strides: Sequence[int], offset: int) -> tuple[int, int]:
    """First and past-the-last element of the storage that a view touches; ``(offset, offset)`` if it is empty."""
    if 0 in shape:
        return offset, offset
    first = last = offset
    for length, stride in zip(shape, strides, strict=True):
        reach = (length - 1) * stride
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + 1


def has_overlap(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements of a view may share memory, as in an expanded one.

    Exact for views that slicing, permuting and expanding can make; an exotic ``as_strided`` view without overlap may also be called
    overlapping.
    """
    if 0 in shape:
        return False
    reach = 0
    for stride, length in sorted((abs(stride), length) for length, stride in zip(shape, strides, strict=True) if length > 1):
        if stride <= reach:
            return True
        reach += stride * (length - 1)
    return False


def normalize_dim(dim: int, ndim: int) -> int:
    """A dimension number from 0 on; a 0-d tensor takes 0 and -1, as in PyTorch.

    Raises:
        IndexRangeError: If there is no such dimension.
        DTypeError: If it is no integer.
    """
    try:
        dim = as_int(dim)
    except TypeError:
        if hasattr(dim, "desc"):  # cat(a, b)
            raise DTypeError("dim must be an int, not a tensor", advice="Several tensors are given as one list: [a, b].") from None
        raise DTypeError(f"dim must be an int, not {dim!r:.60}") from None
    bound = ndim or 1
    if -bound <= dim < bound:
        return dim % bound
    raise IndexRangeError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")


def normalize_dims(dims: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """Dimension numbers from 0 on, sorted; ``None`` means all of them, an empty tuple none.

    Raises:
        IndexRangeError: If there is no such dimension.
        ShapeError: If one appears twice.
    """
    if dims is None:
        return tuple(range(ndim))
    found = sorted(normalize_dim(dim, ndim) for dim in each(dims))
    for one, following in pairwise(found):
        if one == following:
            raise ShapeError(f"dim {one} appears more than once in {dims!r}")
    return tuple(found) if ndim else ()  # a 0-d tensor has the dimension numbers 0 and -1, but no axis


def reduce_shape(shape: Sequence[int], dims: Iterable[int], keepdim: bool) -> Shape:
    """The shape after reducing over normalized ``dims``."""
    gone = set(dims)
    if keepdim:
        return tuple(1 if dim in gone else length for dim, length in enumerate(shape))
    return tuple(length for dim, length in enumerate(shape) if dim not in gone)


def broadcast_shapes(*shapes: Sequence[int]) -> Shape:
    """The shape that all ``shapes`` broadcast to.

    Raises:
        ShapeError: If they do not.

    Like: ``torch.broadcast_shapes``.

    Examples:
        >>> at.broadcast_shapes((2, 1), (3,))
        (2, 3)
    """
    result: list[int] = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        start = len(result) - len(shape)
        for dim, length in enumerate(shape, start):
            if length != 1 and length != result[dim]:
                if result[dim] != 1:
                    raise _cannot_broadcast(shapes, result[dim], length, dim - len(result))
                result[dim] = length
    return tuple(result)


def _cannot_broadcast(shapes: Sequence[Sequence[int]], one: int, other: int, dim: int) -> ShapeError:
    names = " and ".join(str(list(shape)) for shape in shapes)
    return ShapeError(
        f"shapes {names} do not broadcast: dimension {dim} is {one} in one and {other} in another",
        advice="Counted from the right, lengths have to be equal or 1.",
    )


def infer_size(shape: Sequence[int], elements: int) -> Shape:
    """A new shape with its one ``-1`` replaced, for a tensor of ``elements`` elements.

    Raises:
        ShapeError: If it does not hold exactly that many, has two -1, or -1 could be anything.
    """
    given = tuple(map(as_int, shape))
    least = min(given, default=0)
    if least >= 0:
        if prod(given) == elements:
            return given
    elif least == -1 and given.count(-1) == 1:
        known = -prod(given)
        if known and elements % known == 0:
            dim = given.index(-1)
            return (*given[:dim], elements // known, *given[dim + 1 :])
    if given.count(-1) > 1 or least < -1:
        raise ShapeError(f"invalid shape {list(given)}: lengths are from 0 on, and one of them may be -1")
    if least == -1 and elements == 0:
        raise ShapeError(f"shape {list(given)} is ambiguous for a tensor of 0 elements: -1 could be any length")
    advice = "The product of the lengths has to be the number of elements; one of them may be -1, which fits itself."
    raise ShapeError(f"shape {list(given)} is invalid for input of size {elements}", advice=advice)


def view_strides(shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]) -> Strides | None:
    """Strides that show the same elements in the same order as ``new_shape`` without a copy, or None if there are none.

    Args:
        shape, strides: The tensor's.
        new_shape: Without -1 (see ``infer_size``), of as many elements.
    """
    if 0 in shape:
        return tuple(strides) if tuple(shape) == tuple(new_shape) else contiguous_strides(new_shape)
    result: list[int] = []
    view_dim = len(new_shape) - 1
    chunk, step = 1, strides[-1] if strides else 1  # a chunk: axes that lie in memory like one axis with this step
    for dim in range(len(shape) - 1, -1, -1):
        chunk *= shape[dim]
        if dim and (shape[dim - 1] == 1 or strides[dim - 1] == chunk * step):
            continue
        seen = 1
        while view_dim >= 0 and (seen < chunk or new_shape[view_dim] == 1):
            result.append(seen * step)
            seen *= new_shape[view_dim]
            view_dim -= 1
        if seen != chunk:
            return None
        if dim:
            chunk, step = 1, strides[dim - 1]
    if not shape:
        result = [1] * len(new_shape)
    return tuple(reversed(result)) if len(result) == len(new_shape) else None


def expand_strides(shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]) -> tuple[Shape, Strides]:
    """Shape and strides of a view that repeats axes of length 1 with stride 0; -1 in ``new_shape`` keeps a length.

    Raises:
        ShapeError: If an axis of another length would have to change.

    Like: ``torch.Tensor.expand``.
    """
    added = len(new_shape) - len(shape)
    if added < 0:
        raise ShapeError(f"cannot expand {list(shape)} to {list(new_shape)}, which has fewer dimensions")
    result_shape, result_strides = [], []
    for dim, wanted in enumerate(new_shape):
        length, stride = (shape[dim - added], strides[dim - added]) if dim >= added else (1, 0)
        if wanted == -1 and dim >= added:
            wanted = length
        if wanted < 0 or (wanted != length and length != 1):
            why = f"dimension {dim} has length {length}" if dim >= added else f"the new dimension {dim} needs a length"
            raise ShapeError(f"cannot expand {list(shape)} to {list(new_shape)}: {why}")
        result_shape.append(wanted)
        result_strides.append(stride if wanted == length and dim >= added else 0)
    return tuple(result_shape), tuple(result_strides)


def permute(shape: Sequence[int], strides: Sequence[int], dims: Sequence[int]) -> tuple[Shape, Strides]:
    """Shape and strides with the axes in another order.

    Raises:
        ShapeError: If ``dims`` is not a permutation.
        IndexRangeError: If there is no such dimension.
    """
    order = [normalize_dim(dim, len(shape)) for dim in dims]
    if sorted(order) != list(range(len(shape))):
        raise ShapeError(f"dims {tuple(dims)} are not a permutation of the {len(shape)} dimensions of {list(shape)}")
    return tuple(shape[dim] for dim in order), tuple(strides[dim] for dim in order)


def squeeze(shape: Sequence[int], strides: Sequence[int], dims: int | Iterable[int] | None = None) -> tuple[Shape, Strides]:
    """Shape and strides without axes of length 1: all of them, or those among ``dims`` (others stay, as in PyTorch)."""
    chosen = normalize_dims(dims, len(shape))
    kept = [dim for dim, length in enumerate(shape) if length != 1 or dim not in chosen]
    return tuple(shape[dim] for dim in kept), tuple(strides[dim] for dim in kept)


def unsqueeze(shape: Sequence[int], strides: Sequence[int], dim: int) -> tuple[Shape, Strides]:
    """Shape and strides with a new axis of length 1 before dimension ``dim`` (of the result)."""
    dim = normalize_dim(dim, len(shape) + 1)
    step = shape[dim] * strides[dim] if dim < len(shape) else 1
    return (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:])


def matmul_shape(a: Sequence[int], b: Sequence[int]) -> Shape:
    """The shape of ``a @ b`` with 1-d operands and broadcast batches.

    Raises:
        ShapeError: For 0-d operands, and where inner lengths or batches do not fit.

    Like: ``torch.matmul``.
    """
    if not a or not b:
        raise ShapeError(f"both operands need at least one dimension, but they have shapes {list(a)} and {list(b)}")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise ShapeError(
            f"shapes {list(a)} and {list(b)} cannot be multiplied: {a[-1]} columns meet {inner} rows",
            advice="The last length of the first has to be the last but one of the second.",
        )
    try:
        batch = broadcast_shapes(a[:-2], b[:-2])
    except ShapeError as error:
        raise ShapeError(f"shapes {list(a)} and {list(b)} cannot be multiplied: their batch {error.message}") from None
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def concat_shape(shapes: Sequence[Sequence[int]], dim: int) -> Shape:
    """The shape of tensors joined along an existing axis.

    Raises:
        ShapeError: If there is none to join, or they differ in another axis.
        IndexRangeError: If there is no such dimension.

    Like: ``torch.cat``, without its legacy exception for tensors of shape ``[0]``.
    """
    if not shapes:
        raise ShapeError("there are no tensors to join")
    first = tuple(shapes[0])
    if not first:
        raise ShapeError("0-d tensors cannot be joined along an axis", advice="Use stack.")
    dim = normalize_dim(dim, len(first))
    for position, shape in enumerate(shapes):
        if len(shape) != len(first) or any(shape[i] != first[i] for i in range(len(first)) if i != dim):
            raise ShapeError(
                f"tensor {position} of shape {list(shape)} cannot be joined with {list(first)} along dimension {dim}",
                advice="All lengths but that of the joined dimension have to be equal.",
            )
    return (*first[:dim], sum(shape[dim] for shape in shapes), *first[dim + 1 :])


def stack_shape(shapes: Sequence[Sequence[int]], dim: int) -> Shape:
    """The shape of equal tensors put side by side along a new axis ``dim`` (of the result).

    Raises:
        ShapeError: If there is none, or they differ.
        IndexRangeError: If there is no such dimension.

    Like: ``torch.stack``.
    """
    if not shapes:
        raise ShapeError("there are no tensors to stack")
    first = tuple(shapes[0])
    for position, shape in enumerate(shapes):
        if tuple(shape) != first:
            raise ShapeError(f"tensor {position} of shape {list(shape)} cannot be stacked with {list(first)}: shapes have to be equal")
    dim = normalize_dim(dim, len(first) + 1)
    return (*first[:dim], len(shapes), *first[dim:])


class BasicIndex(NamedTuple):
    """The view that the basic part of an index gives.

    Attributes:
        shape, strides, offset: Of the view. The axes that advanced indices take are still there, whole.
        advanced: ``(dim, index)`` of each advanced index in order: the first axis of the view that it takes, and the index itself. A mask
            takes as many axes as it has dimensions, a single truth value a new axis of length 1, all others one axis.
    """

    shape: Shape
    strides: Strides
    offset: int
    advanced: tuple[tuple[int, Any], ...] = ()


def basic_index(shape: Sequence[int], strides: Sequence[int], offset: int, index: Any) -> BasicIndex:
    """Apply the ints, slices (of any step), ``...`` and ``None`` of an index.

    Everything else (lists, arrays, tensors, truth values) is an advanced index and left to the caller, with the axis it stands for. As in
    PyTorch, and unlike NumPy, an int beside advanced indices stays basic.

    Args:
        shape, strides, offset: The tensor's.
        index: What stood between the brackets, a tuple or one part.

    Raises:
        IndexRangeError: For an int out of range, more indices than dimensions, or a second ``...``.
        ValueRangeError: For a step of 0.
    """
    parts = index if isinstance(index, tuple) else (index,)
    new_shape: list[int] = []
    new_strides: list[int] = []
    advanced: list[tuple[int, Any]] = []
    dim, ndim, base = 0, len(shape), offset
    for position, part in enumerate(parts):
        axes = 1
        if part.__class__ is slice:
            if dim < ndim:
                start, length, step = _slice(part, shape[dim])
                offset += start * strides[dim]
                new_shape.append(length)
                new_strides.append(step * strides[dim])
        elif part is None:
            axes = 0
            new_shape.append(1)
            new_strides.append(0)
        elif part is Ellipsis:
            axes = _axes_of_ellipsis(parts, position, ndim)
            new_shape += shape[dim : dim + axes]
            new_strides += strides[dim : dim + axes]
        elif (number := _as_number(part)) is not None:
            if dim < ndim:
                offset += _checked(number, shape[dim], dim) * strides[dim]
        else:
            axes = _axes_of_mask(part)
            advanced.append((len(new_shape), part))
            new_shape += shape[dim : dim + axes] if axes else [1]
            new_strides += strides[dim : dim + axes] if axes else [0]
        dim += axes
    if dim > ndim:
        raise IndexRangeError(f"too many indices for tensor of dimension {ndim}: {dim} were given")
    new_shape += shape[dim:]
    new_strides += strides[dim:]
    if 0 in new_shape:
        offset = base  # an empty view must not point past its storage
    return BasicIndex(tuple(new_shape), tuple(new_strides), offset, tuple(advanced))


def simple_index(shape: Shape, strides: Strides, offset: int, parts: tuple[Any, ...]) -> tuple[Shape, Strides, int] | None:
    """`basic_index` for slices, ints, ``...`` and None alone, with less to do: (shape, strides, offset) of the view.

    None where there is anything else, or where something is wrong: `basic_index` then says what.
    """
    lengths: Shape = ()
    steps: Strides = ()
    dim, first = 0, offset
    try:
        for part in parts:
            if part.__class__ is slice:
                start, stop, step = part.indices(shape[dim])
                stride = strides[dim]
                offset += start * stride
                if step == 1:
                    lengths += (stop - start if stop > start else 0,)
                    steps += (stride,)
                elif step > _FAR or step < -_FAR:
                    return None
                else:
                    length = (stop - start + (step - 1 if step > 0 else step + 1)) // step
                    lengths += (length if length > 0 else 0,)
                    steps += (step * stride,)
            elif part.__class__ is int:
                length = shape[dim]
                if not -length <= part < length:
                    return None
                offset += (part if part >= 0 else part + length) * strides[dim]
            elif part is None:
                lengths += (1,)
                steps += (0,)
                continue
            elif part is Ellipsis:
                spread = _without_ellipsis(parts, len(shape))
                return None if spread is None else simple_index(shape, strides, first, spread)
            else:
                return None
            dim += 1
    except (IndexError, TypeError, ValueError):  # too many parts, or a slice with something in it that is no index
        return None
    if dim != len(shape):
        lengths += shape[dim:]
        steps += strides[dim:]
    return lengths, steps, first if 0 in lengths else offset


_WHOLE: Final = slice(None)
_FAR: Final = 1 << 31
"""A step that leads out of every dimension; a longer one would not fit the 64 bits of a stride."""


def _without_ellipsis(parts: tuple[Any, ...], ndim: int) -> tuple[Any, ...] | None:
    """The same index with whole slices in place of one ``...``; None where the other parts are not all slices, ints and None."""
    position, taken = -1, 0
    for at, part in enumerate(parts):
        if part is Ellipsis and position < 0:
            position = at
        elif part.__class__ is slice or part.__class__ is int:
            taken += 1
        elif part is not None:
            return None
    return None if taken > ndim else (*parts[:position], *(_WHOLE,) * (ndim - taken), *parts[position + 1 :])


def _axes_of_mask(part: Any) -> int:
    """Axes that an advanced index takes: one, but for truth values and boolean masks."""
    if isinstance(part, bool):
        return 0
    return len(part.shape) if _is_mask(part) else 1


def _is_mask(part: Any) -> bool:
    return getattr(getattr(part, "dtype", None), "name", "") == "bool"


def _axes_of_ellipsis(parts: tuple[Any, ...], position: int, ndim: int) -> int:
    others = parts[:position] + parts[position + 1 :]
    if any(part is Ellipsis for part in others):
        raise IndexRangeError("an index can only have a single ellipsis ('...')")
    taken = sum(
        1 if isinstance(part, slice) or _as_number(part) is not None else _axes_of_mask(part) for part in others if part is not None
    )
    if taken > ndim:
        raise IndexRangeError(f"too many indices for tensor of dimension {ndim}: {taken} were given")
    return ndim - taken


def _as_number(part: Any) -> int | None:
    """The value of an integer on the host; None for truth values, tensors, arrays, lists and everything else."""
    if isinstance(part, int):
        return None if isinstance(part, bool) else part
    if str(getattr(part, "device", "cpu")) != "cpu" or getattr(part, "shape", ()) != () or _is_mask(part):
        return None
    try:
        return as_int(part)
    except TypeError:
        return None


def _checked(number: int, length: int, dim: int) -> int:
    if -length <= number < length:
        return number % length
    raise IndexRangeError(f"index {number} is out of bounds for dimension {dim} with size {length}")


def _slice(part: slice, length: int) -> tuple[int, int, int]:
    try:
        start, stop, step = part.indices(length)
    except ValueError:
        raise ValueRangeError("slice step cannot be zero") from None
    except TypeError:
        raise DTypeError(f"the parts of a slice are integers or None, not {part!r}") from None
    step = max(-_FAR, min(step, _FAR))
    # len(range(start, stop, step)), which a length beyond sys.maxsize would overflow
    return start, max(0, (stop - start + (step - 1 if step > 0 else step + 1)) // step), step


def permutation(shape: Shape, strides: Strides) -> tuple[int, ...] | None:
    """The `permute` that made a view with these strides out of a contiguous tensor, None if it was anything else."""
    order = sorted(range(len(shape)), key=lambda dim: (-strides[dim] if shape[dim] != 1 else -math.inf, dim))
    step = 1
    for dim in reversed(order):
        if shape[dim] != 1:
            if strides[dim] != step:
                return None
            step *= shape[dim]
    return tuple(map(order.index, range(len(shape))))


class Turned(NamedTuple):
    """Operands of an elementwise operator as they lie in memory.

    Attributes:
        shapes: Of each operand, with its dims in the order of memory.
        shape, strides: How the result is seen, which has the same order.
    """

    shapes: tuple[Shape, ...]
    shape: Shape
    strides: Strides


@lru_cache(maxsize=1024)
def turned(layouts: tuple[tuple[Shape, Strides], ...]) -> Turned | None:
    """Elementwise operands whose dims lie in memory in one order that is not that of their shape: in this order they are contiguous.

    The first one that lies so has the result's shape; the others are like it, or broadcast, or single numbers.

    Args:
        layouts: Shape and strides of each operand.

    Returns:
        None where there is no such order.
    """
    lead = next((layout for layout in layouts if not is_contiguous(*layout)), None)
    order = None if lead is None or not numel(lead[0]) else permutation(*lead)
    if lead is None or order is None:
        return None
    shape, rank = lead[0], len(order)
    places = sorted(range(rank), key=order.__getitem__)
    seen = []
    for sizes, steps in layouts:
        missing = rank - len(sizes)
        if missing < 0:
            return None
        wide, strides = (1,) * missing + sizes, (0,) * missing + steps
        there = tuple([wide[place] for place in places])
        if any(own not in (1, whole) for own, whole in zip(wide, shape, strict=True)) or not is_contiguous(
            there, tuple([strides[place] for place in places])
        ):
            return None
        seen.append(there if sizes else sizes)
    whole = contiguous_strides(tuple([shape[place] for place in places]))
    return Turned(tuple(seen), shape, tuple([whole[place] for place in order]))


def without_negative_strides(shape: Shape, strides: Strides, offset: int) -> tuple[Strides, int, tuple[int, ...]]:
    """The same elements walked forwards: (strides, offset, dims that must be reversed to get the original order)."""
    flipped = tuple(dim for dim, (length, stride) in enumerate(zip(shape, strides, strict=True)) if stride < 0 and length > 1)
    for dim in flipped:
        offset += strides[dim] * (shape[dim] - 1)
    return tuple(abs(stride) for stride in strides), offset, flipped
