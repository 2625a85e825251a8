"""Shape rules that operator families share, as their prototypes state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Attrs, Meta, Out, Shape

_MIXED = frozenset((int(DataType.FLOAT), int(DataType.FLOAT16), int(DataType.BF16)))
_TYPE_NAMES = {
    "float": DataType.FLOAT, "float32": DataType.FLOAT, "float16": DataType.FLOAT16, "int8": DataType.INT8,
    "int16": DataType.INT16, "int32": DataType.INT32, "int64": DataType.INT64, "uint8": DataType.UINT8,
    "uint16": DataType.UINT16, "uint32": DataType.UINT32, "uint64": DataType.UINT64, "double": DataType.DOUBLE,
    "float64": DataType.DOUBLE, "bool": DataType.BOOL, "complex64": DataType.COMPLEX64,
    "complex128": DataType.COMPLEX128, "bfloat16": DataType.BF16,
}  # fmt: skip


def broadcast(*shapes: Shape) -> Shape:
    """The broadcast of shapes, dims that are not known included.

    Raises:
        ValueError: Two known dims differ and neither is 1.
    """
    if UNKNOWN_RANK in shapes:
        return UNKNOWN_RANK
    first = shapes[0]
    if all([shape == first for shape in shapes]):
        return first
    rank = max(len(shape) for shape in shapes)
    dims: list[int] = []
    for axis in range(-rank, 0):
        dim = 1
        for shape in shapes:
            if len(shape) < -axis or shape[axis] == 1 or shape[axis] == dim:
                continue
            if dim == 1 or dim == -1:
                dim = shape[axis]
            elif shape[axis] != -1:
                raise ValueError(f"shapes {[list(shape) for shape in shapes]} do not broadcast")
        dims.append(dim)
    return tuple(dims)


def broadcast_ranges(shape: Shape) -> tuple[tuple[int, int], ...] | None:
    """Ranges for dims that are not known, None where all are."""
    if shape == UNKNOWN_RANK or -1 not in shape:
        return None
    return tuple((1, -1) if dim == -1 else (dim, dim) for dim in shape)


def of(dtype: int, shape: Shape) -> list[Out]:
    """One output."""
    return [Out(int(dtype), shape, broadcast_ranges(shape))]


def same_dtype(metas: Sequence[Meta]) -> int:
    """The one dtype of all operands.

    Raises:
        ValueError: They differ.
    """
    first = metas[0].dtype
    for meta in metas:
        if meta.dtype != first:
            raise ValueError(f"operand dtypes differ: {[name_of(m.dtype) for m in metas]}")
    return first


def name_of(dtype: int) -> str:
    """A data type's name for messages."""
    try:
        return DataType(dtype).name
    except ValueError:
        return str(dtype)


def unary(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Output like the first input."""
    return of(inputs[0].dtype, inputs[0].shape)


def unary_bool(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """A boolean for each element."""
    return of(DataType.BOOL, inputs[0].shape)


def elementwise(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """All operands of one dtype, broadcast."""
    return of(same_dtype(inputs), broadcast(*(meta.shape for meta in inputs)))


def mixed(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Add and Mul also take float16 or bfloat16 together with float32, the result is float32 (910B kernel list)."""
    first = inputs[0]
    if all([meta.dtype == first.dtype and meta.shape == first.shape for meta in inputs]):
        return of(first.dtype, first.shape)
    shape = broadcast(*[meta.shape for meta in inputs])
    kinds = {meta.dtype for meta in inputs}
    if len(kinds) == 2 and int(DataType.FLOAT) in kinds and kinds <= _MIXED:
        return of(DataType.FLOAT, shape)
    return of(same_dtype(inputs), shape)


def compare(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Operands of one dtype, broadcast, a boolean each."""
    same_dtype(inputs)
    return of(DataType.BOOL, broadcast(*(meta.shape for meta in inputs)))


def type_code(value: Any) -> int:
    """The ACL data type of a Type attribute, given as its number or by the prototype's default name."""
    return int(_TYPE_NAMES[value]) if isinstance(value, str) else int(value)


def integers(value: Any) -> tuple[int, ...]:
    """The elements of a constant integer input or list attribute."""
    return tuple(int(v) for v in np.asarray(value).reshape(-1))


def normal_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, sorted, each once.

    Raises:
        ValueError: An axis outside ``[-rank, rank)``.
    """
    limit = max(rank, 1)
    seen = set()
    for axis in axes:
        if not -limit <= axis < limit:
            raise ValueError(f"axis {axis} is outside [{-limit}, {limit - 1}] of a tensor of rank {rank}")
        if rank:
            seen.add(axis % rank)
    return tuple(sorted(seen))


def reduced(shape: Shape, axes: Sequence[int], keep: bool) -> Shape:
    """The shape after a reduction over axes counted from the front."""
    if keep:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


def reduced_unknown(shape: Shape, keep: bool) -> tuple[Shape, tuple[tuple[int, int], ...] | None]:
    """The shape after a reduction whose axes are not known yet."""
    if shape == UNKNOWN_RANK or not keep:
        return UNKNOWN_RANK, None
    return (-1,) * len(shape), tuple((min(1, dim) if dim >= 0 else 0, max(1, dim) if dim >= 0 else -1) for dim in shape)


def base_scale_shift(op_type: str, attrs: Attrs) -> tuple[float, float, float]:
    """The attributes of exponentials and logarithms: base, -1 standing for e, and what the operand is multiplied with and added to.

    Raises:
        ValueError: The base is neither positive nor -1.
    """
    base = float(attrs.get("base", -1.0))
    if base <= 0.0 and base != -1.0:
        raise ValueError(f"{op_type}: base {base} is neither positive nor -1")
    return base, float(attrs.get("scale", 1.0)), float(attrs.get("shift", 0.0))
