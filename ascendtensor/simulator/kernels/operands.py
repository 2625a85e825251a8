"""What the kernels of the moving, indexing and random families ask of their operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import float32_of
from ascendtensor.simulator.kernels.registry import ACL_OF, BFLOAT16, UNKNOWN_RANK, Array, Meta, Out, Shape

_NAMES: dict[str, int] = {
    "float32": int(DataType.FLOAT),
    "float": int(DataType.FLOAT),
    "float64": int(DataType.DOUBLE),
    "double": int(DataType.DOUBLE),
    "bfloat16": int(DataType.BF16),
}


def needs(array: Array | None, what: str) -> Array:
    """An operand that must be there.

    Raises:
        ValueError: It is absent.
    """
    if array is None:
        raise ValueError(f"{what} is required")
    return array


def raw(array: Array) -> Array:
    """The array as NumPy's own 16-bit integers if it is bfloat16: copies need no arithmetic, and these are fast."""
    return array.view(np.uint16) if array.dtype == BFLOAT16 else array


def wide(array: Array) -> Array:
    """The array in the dtype its arithmetic is done in: float32 for the half types, else as it is."""
    return float32_of(array)


def ints(array: Array | None, what: str = "operand") -> list[int]:
    """The elements of an integer operand."""
    return [int(item) for item in needs(array, what).reshape(-1).tolist()]


def one_int(array: Array | None, what: str) -> int:
    """The element of a one-element integer operand.

    Raises:
        ValueError: It has more or fewer elements.
    """
    array = needs(array, what)
    if array.size != 1:
        raise ValueError(f"{what} has {array.size} elements, one is needed")
    return int(array.item())


def constant(*arrays: Array | None) -> bool:
    """True if the elements are known for good (registry: such arrays are read-only)."""
    return not any(array is not None and array.flags.writeable for array in arrays)


def axis_of(axis: int, ndim: int) -> int:
    """An axis counted from the front; a 0-d operand counts as having one.

    Raises:
        ValueError: It is out of range.
    """
    bound = max(ndim, 1)
    if not -bound <= axis < bound:
        raise ValueError(f"axis {axis} is out of range for {ndim} dims")
    return axis % bound


def axes_of(axes: Iterable[int], ndim: int) -> list[int]:
    """Several axes counted from the front.

    Raises:
        ValueError: One is out of range or comes twice.
    """
    found = [axis_of(axis, ndim) for axis in axes]
    if len(set(found)) != len(found):
        raise ValueError(f"axes {found} name one axis twice")
    return found


def type_code(value: Any) -> int:
    """The ACL data type of a Type attr, which is given as its code or, in a prototype's default, as its name."""
    if isinstance(value, str):
        code = _NAMES.get(value)
        return code if code is not None else ACL_OF[np.dtype(value)]
    return int(value)


def known_ints(meta: Meta) -> list[int] | None:
    """The elements of an integer operand of a shape rule, None where they are not known."""
    value = meta.value
    return None if value is None else [int(item) for item in value.reshape(-1).tolist()]


def dims_of(meta: Meta) -> Shape:
    """The shape an integer operand describes: its elements, else as many unknown dims as it has elements."""
    items = known_ints(meta)
    if items is not None:
        return tuple(items)
    if meta.shape == ():
        return (-1,)
    return UNKNOWN_RANK if len(meta.shape) != 1 or meta.shape[0] < 0 else (-1,) * meta.shape[0]


def unknown(meta: Meta) -> bool:
    """True if not even the rank is known."""
    return meta.shape == UNKNOWN_RANK


def static(shape: Shape) -> bool:
    """True if every dim is known."""
    return all(dim >= 0 for dim in shape)


def count(shape: Shape) -> int:
    """Elements of a shape, -1 if a dim is not known."""
    return prod(shape) if static(shape) else -1


def same(dim: int, other: int, what: str) -> int:
    """One dim said twice, where either may be unknown.

    Raises:
        ValueError: They differ.
    """
    if dim >= 0 and other >= 0 and dim != other:
        raise ValueError(f"{what}: {dim} and {other} differ")
    return max(dim, other)


def broadcast(*shapes: Shape) -> Shape:
    """The shape that shapes broadcast to, where -1 is a dim not known.

    Raises:
        ValueError: They do not broadcast.
    """
    if UNKNOWN_RANK in shapes:
        return UNKNOWN_RANK
    rank = max((len(shape) for shape in shapes), default=0)
    dims = []
    for position in range(-rank, 0):
        dim = 1
        for shape in shapes:
            size = shape[position] if -position <= len(shape) else 1
            if size == 1 or dim == size:
                continue
            if min(dim, size) >= 0 and dim != 1:
                raise ValueError(f"shapes {[list(shape) for shape in shapes]} do not broadcast")
            dim = size if dim in (1, -1) else dim
        dims.append(dim)
    return tuple(dims)


def bounded(dtype: int, high: int, *rest: int) -> Out:
    """An output whose first dim the data decides, between 0 and ``high`` (-1: no bound), the other dims as given."""
    shape = (-1, *rest)
    ranges = ((0, high), *((dim, dim) if dim >= 0 else (0, -1) for dim in rest))
    return Out(dtype, shape, ranges)


def front(out: Array, dims: Sequence[int]) -> Array:
    """The first elements of an output that is as large as the upper bound, in their real shape.

    Raises:
        ValueError: The output is too small.
    """
    size = prod(dims)
    if size > out.size:
        raise ValueError(f"the result has shape {list(dims)}, the output only room for {out.size} elements")
    return out.reshape(-1)[:size].reshape(tuple(dims))


def as_is(out: Array, value: Array) -> Array:
    """A result that must fill an output exactly, since copying would broadcast it.

    Raises:
        ValueError: The shapes differ.
    """
    if value.shape != out.shape:
        raise ValueError(f"the result has shape {list(value.shape)}, the output {list(out.shape)}")
    return value


def apart(first: Array, second: Array) -> bool:
    """True if two arrays do not start at the same address: an output that should be an input is another buffer."""
    return bool(first.__array_interface__["data"][0] != second.__array_interface__["data"][0])
