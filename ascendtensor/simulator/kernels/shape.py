"""Moving data: permuting, reshaping, broadcasting, slicing, splitting and joining."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.operands import (
    apart,
    as_is,
    axes_of,
    axis_of,
    broadcast,
    constant,
    count,
    dims_of,
    front,
    ints,
    known_ints,
    needs,
    one_int,
    raw,
    same,
    static,
    unknown,
)
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Shape,
    Task,
    add,
    binder,
    infer,
    kernel,
)

Key = tuple[Any, ...]
Pairs = list[tuple[Array, Array]]
ViewFunction = Callable[[Array, Inputs, Attrs], Array]

FLATTENED = 1000
"""The axis by which RepeatInterleave and UniqueConsecutive say "of the flattened input" (prototype default)."""


def view_kernel(*op_types: str, values: tuple[int, ...] = ()) -> Callable[[ViewFunction], ViewFunction]:
    """Registers an operator whose output is a copy of a view of its first input.

    One ``np.copyto`` when it runs, where the inputs at ``values`` are constants; else the view is made anew at every run.
    """

    def register(view: ViewFunction) -> ViewFunction:
        def run(x: Array, inputs: Inputs, attrs: Attrs, out: Array) -> None:
            np.copyto(out, as_is(out, view(x, inputs, attrs)))

        def bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
            x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
            if constant(*(inputs[index] for index in values if index < len(inputs))):
                return np.copyto, (out, as_is(out, view(x, inputs, attrs)))
            return run, (x, inputs, attrs, out)

        for op_type in op_types:
            add(op_type, bind)
        return view

    return register


def copy_all(pairs: Pairs) -> None:
    """Copies each second array into the first."""
    for out, value in pairs:
        _copy(out, value)


_PAGE, _LINE = 4096, 64
_BLOCK = 1 << 18
"""Bytes that are copied by way of a buffer that stays in the cache."""


def _copy(out: Array, value: Array) -> None:
    """``np.copyto``; by way of a buffer where each write lands just ahead, modulo the page, of what is read next: processors take these for
    the same address and wait, which costs thirty times as much.
    """
    ahead = (out.__array_interface__["data"][0] - value.__array_interface__["data"][0]) % _PAGE
    if not 0 < ahead < _LINE or out.nbytes <= _BLOCK or out.ndim < 2:
        np.copyto(out, value)
        return
    rows = max(_BLOCK * out.shape[0] // out.nbytes, 1)
    buffer = np.empty((rows, *out.shape[1:]), out.dtype)
    for begin in range(0, out.shape[0], rows):
        part = buffer[: out.shape[0] - begin]
        np.copyto(part, value[begin : begin + rows])
        np.copyto(out[begin : begin + rows], part)


def paired(outputs: Outputs, parts: Sequence[Array]) -> Task:
    """A task that copies parts into outputs."""
    if len(parts) != len(outputs):
        raise ValueError(f"the input splits into {len(parts)} parts, {len(outputs)} outputs are given")
    pairs = [(raw(out), as_is(out, part)) for out, part in zip(outputs, parts, strict=True)]
    return (np.copyto, pairs[0]) if len(pairs) == 1 else (copy_all, (pairs,))


# Permuting and broadcasting


@view_kernel("Transpose", values=(1,))
def _transpose(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return np.transpose(x, _permutation(ints(inputs[1], "perm"), x.ndim))


@view_kernel("TransposeD")
def _transpose_d(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return np.transpose(x, _permutation(attrs["perm"], x.ndim))


def _permutation(perm: Sequence[int], ndim: int) -> list[int]:
    axes = axes_of(perm, ndim) if ndim else list(perm)
    if len(axes) != ndim:
        raise ValueError(f"perm {list(perm)} does not fit {ndim} dims")
    return axes


def _permuted(x: Meta, perm: Sequence[int] | None) -> list[Out]:
    if unknown(x) or perm is None:
        return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else (-1,) * len(x.shape))]
    return [Out(x.dtype, tuple(x.shape[axis] for axis in _permutation(perm, len(x.shape))))]


@infer("Transpose")
def _transpose_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _permuted(inputs[0], known_ints(inputs[1]))


@infer("TransposeD")
def _transpose_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _permuted(inputs[0], attrs["perm"])


@view_kernel("BroadcastTo", values=(1,))
def _broadcast_to(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return np.broadcast_to(x, _expanded(x.shape, tuple(ints(inputs[1], "shape"))))


@view_kernel("BroadcastToD")
def _broadcast_to_d(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return np.broadcast_to(x, _expanded(x.shape, tuple(attrs["shape"])))


def _expanded(shape: Shape, target: Shape) -> Shape:
    """The target shape, where -1 keeps a dim of the input."""
    if target == UNKNOWN_RANK or shape == UNKNOWN_RANK:
        return target
    pad = len(target) - len(shape)
    if pad < 0:
        raise ValueError(f"shape {list(shape)} does not broadcast to {list(target)}")
    dims = []
    for position, dim in enumerate(target):
        have = shape[position - pad] if position >= pad else 1
        if have not in (-1, 1, dim) and dim != -1:
            raise ValueError(f"shape {list(shape)} does not broadcast to {list(target)}")
        dims.append(have if dim == -1 else dim)
    return tuple(dims)


@infer("BroadcastTo")
def _broadcast_to_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, shape = inputs
    target = dims_of(shape)
    return [Out(x.dtype, target if shape.value is None else _expanded(x.shape, target))]


@infer("BroadcastToD")
def _broadcast_to_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, _expanded(inputs[0].shape, tuple(attrs["shape"])))]


# Reshaping: on a device the bytes stay where they are or are copied once


def _resized(shape: Shape, target: Shape, size: int) -> Shape:
    """A new shape, where 0 keeps the dim at its place (if the input has elements) and -1 takes what is left."""
    dims = [shape[i] if dim == 0 and size and i < len(shape) else dim for i, dim in enumerate(target)]
    if dims.count(-1) == 1 and size >= 0 and all(dim >= -1 for dim in dims):
        rest = 1
        for dim in dims:
            rest *= dim if dim != -1 else 1
        if rest == 0 or size % rest:
            raise ValueError(f"shape {list(shape)} does not reshape to {list(target)}")
        dims[dims.index(-1)] = size // rest
    if size >= 0 and static(tuple(dims)) and count(tuple(dims)) != size:
        raise ValueError(f"shape {list(shape)} does not reshape to {list(target)}")
    return tuple(dims)


@view_kernel("Reshape", values=(1,))
def _reshape(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return x.reshape(_reshaped(x.shape, tuple(ints(inputs[1], "shape")), attrs))


def _reshaped(shape: Shape, target: Shape, attrs: Attrs) -> Shape:
    """Reshape replaces ``num_axes`` dims from ``axis`` on; all of them by default."""
    axis, width = int(attrs.get("axis", 0)), int(attrs.get("num_axes", -1))
    if axis == 0 and width == -1:
        return _resized(shape, target, count(shape))
    start = axis if axis >= 0 else len(shape) + 1 + axis
    stop = len(shape) if width == -1 else start + width
    middle = shape[start:stop]
    return shape[:start] + _resized(middle, target, count(middle)) + shape[stop:]


@infer("Reshape")
def _reshape_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, shape = inputs
    if shape.value is None or unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK if attrs.get("axis", 0) or attrs.get("num_axes", -1) != -1 else dims_of(shape))]
    return [Out(x.dtype, _reshaped(x.shape, dims_of(shape), attrs))]


def _squeezed(shape: Shape, axes: Sequence[int]) -> Shape:
    if not axes:
        return tuple(dim for dim in shape if dim != 1)
    gone = axes_of(axes, len(shape))
    if any(shape[axis] not in (1, -1) for axis in gone if shape):
        raise ValueError(f"axes {list(axes)} of shape {list(shape)} are not all 1")
    return tuple(dim for axis, dim in enumerate(shape) if axis not in gone)


def _unsqueezed(shape: Shape, axes: Sequence[int]) -> Shape:
    rank = len(shape) + len(axes)
    new = axes_of(axes, rank)
    dims = iter(shape)
    return tuple(1 if axis in new else next(dims) for axis in range(rank))


def _flattened(shape: Shape, axis: int, end: int | None = None) -> Shape:
    """Flatten makes two dims; FlattenV2 joins the dims from ``axis`` to ``end``."""
    if end is None:
        start = axis if axis >= 0 else len(shape) + axis
        if not 0 <= start <= len(shape):
            raise ValueError(f"axis {axis} is out of range for {len(shape)} dims")
        return (count(shape[:start]), count(shape[start:]))
    start, stop = axis_of(axis, len(shape)), axis_of(end, len(shape))
    if start > stop:
        raise ValueError(f"axis {axis} comes after end_axis {end}")
    return (*shape[:start], count(shape[start : stop + 1]), *shape[stop + 1 :])


def _layout(op_type: str, shape: Shape, axes: Sequence[int] | None, attrs: Attrs) -> Shape:
    """The shape after one of the operators that only rename dims."""
    if op_type == "Flatten":
        return _flattened(shape, attrs["axis"])
    if op_type == "FlattenV2":
        return _flattened(shape, attrs["axis"], attrs["end_axis"])
    given: Sequence[int] = (attrs.get("axes") or attrs.get("axis") or []) if axes is None else axes
    return _squeezed(shape, given) if op_type.startswith("Squeeze") else _unsqueezed(shape, given)


def _renaming(op_type: str, axes_input: bool) -> None:
    """Registers kernel and rule of an operator that only renames dims."""

    @view_kernel(op_type, values=(1,) if axes_input else ())
    def _view(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
        given = inputs[1] if axes_input and len(inputs) > 1 else None
        axes = None if given is None and not axes_input else ([] if given is None else ints(given))
        return x.reshape(_layout(op_type, x.shape, axes, attrs))

    @infer(op_type)
    def _rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
        x = inputs[0]
        axes: Sequence[int] | None = None
        if axes_input:
            given = inputs[1] if len(inputs) > 1 else None
            axes = [] if given is None or given.absent else known_ints(given)
        if unknown(x) or (axes_input and axes is None):
            return [Out(x.dtype, UNKNOWN_RANK)]
        if -1 in x.shape and op_type.startswith("Squeeze") and not (axes or attrs.get("axis")):
            return [Out(x.dtype, UNKNOWN_RANK)]
        return [Out(x.dtype, _layout(op_type, x.shape, axes, attrs))]


for _name in ("Squeeze", "SqueezeV2", "Unsqueeze", "UnsqueezeV2", "Flatten", "FlattenV2"):
    _renaming(_name, axes_input=False)
for _name in ("SqueezeV3", "UnsqueezeV3", "ExpandDims"):
    _renaming(_name, axes_input=True)


# Slicing


def _mask_key(begin: Sequence[int], end: Sequence[int], strides: Sequence[int], attrs: Attrs) -> Key:
    """NumPy's index for StridedSlice; a slice of Python means the same by negative and by too large bounds."""
    if not len(begin) == len(end) == len(strides):
        raise ValueError("begin, end and strides differ in length")
    key: list[Any] = []
    for i, (low, high, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if attrs["ellipsis_mask"] & bit:
            key.append(Ellipsis)
        elif attrs["new_axis_mask"] & bit:
            key.append(None)
        elif attrs["shrink_axis_mask"] & bit:
            key.append(low)
        elif step == 0:
            raise ValueError("strides must not be 0")
        else:
            key.append(slice(None if attrs["begin_mask"] & bit else low, None if attrs["end_mask"] & bit else high, step))
    return tuple(key) if Ellipsis in key else (*key, Ellipsis)


def _axes_key(ndim: int, begin: Sequence[int], end: Sequence[int], axes: Sequence[int] | None, strides: Sequence[int] | None) -> Key:
    """NumPy's index for the slices that name their axes."""
    axes = axes or range(len(begin))
    strides = strides or [1] * len(begin)
    if not len(begin) == len(end) == len(axes) == len(strides):
        raise ValueError("begin, end, axes and strides differ in length")
    if 0 in strides:
        raise ValueError("strides must not be 0")
    key: list[Any] = [slice(None)] * ndim
    for axis, low, high, step in zip(axes_of(axes, ndim), begin, end, strides, strict=True):
        key[axis] = slice(low, high, step)
    return (*key, Ellipsis)


def _sliced(shape: Shape, key: Key) -> Shape:
    """The shape of ``x[key]``, where dims of x may be unknown."""
    used = sum(1 for item in key if item is not None and item is not Ellipsis)
    if used > len(shape):
        raise ValueError(f"{used} slices for {len(shape)} dims")
    dims: list[int] = []
    axis = 0
    for item in key:
        if item is Ellipsis:
            dims += shape[axis : axis + len(shape) - used]
            axis += len(shape) - used
        elif item is None:
            dims.append(1)
        else:
            dim = shape[axis]
            axis += 1
            if isinstance(item, slice):
                dims.append(len(range(*item.indices(dim))) if dim >= 0 else -1)
            elif dim >= 0 and not -dim <= item < dim:
                raise IndexError(f"index {item} is out of range for a dim of {dim}")
    return tuple(dims)


def _view_by(x: Array, key: Key) -> Array:
    _sliced(x.shape, key)
    return _picked(x, key)


def _picked(x: Array, key: Sequence[Any]) -> Array:
    """``x[key]``, always a view: a full index of integers would give a scalar."""
    view: Array = x[tuple(key) if Ellipsis in key else (*key, Ellipsis)]
    return view


@view_kernel("StridedSlice", values=(1, 2, 3))
def _strided_slice(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _view_by(x, _mask_key(ints(inputs[1]), ints(inputs[2]), ints(inputs[3]), attrs))


@view_kernel("StridedSliceD")
def _strided_slice_d(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _view_by(x, _mask_key(attrs["begin"], attrs["end"], attrs["strides"], attrs))


@infer("StridedSlice")
def _strided_slice_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    begin, end, strides = (known_ints(meta) for meta in inputs[1:4])
    if begin is not None and end is not None and strides is not None and not unknown(x):
        return [Out(x.dtype, _sliced(x.shape, _mask_key(begin, end, strides, attrs)))]
    length = dims_of(inputs[1])
    if unknown(x) or length == UNKNOWN_RANK:
        return [Out(x.dtype, UNKNOWN_RANK)]
    # The masks alone decide the rank; a dim that no bound reaches keeps its size.
    key = _mask_key(length, length, length, attrs)
    hidden = tuple(0 if isinstance(item, int) else item for item in key)
    used = sum(1 for item in key if item is not None and item is not Ellipsis)
    dims = [-1] * len(x.shape)
    if key[-1] is Ellipsis:
        dims[used:] = x.shape[used:]
    return [Out(x.dtype, _sliced(tuple(dims), hidden))]


@infer("StridedSliceD")
def _strided_slice_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    key = _mask_key(attrs["begin"], attrs["end"], attrs["strides"], attrs)
    return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else _sliced(x.shape, key))]


def _optional(inputs: Inputs, index: int) -> list[int] | None:
    array = inputs[index] if index < len(inputs) else None
    return None if array is None else ints(array)


@view_kernel("StridedSliceV3", values=(1, 2, 3, 4))
def _strided_slice_v3(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _picked(x, _axes_key(x.ndim, ints(inputs[1]), ints(inputs[2]), _optional(inputs, 3), _optional(inputs, 4)))


@infer("StridedSliceV3")
def _strided_slice_v3_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    given = [None if meta.absent else meta for meta in inputs[1:5]]
    parts = [None if meta is None else known_ints(meta) for meta in given]
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if any(meta is not None and part is None for meta, part in zip(given, parts, strict=True)):
        return [Out(x.dtype, (-1,) * len(x.shape))]
    parts += [None] * (4 - len(parts))
    begin, end = parts[0] or [], parts[1] or []
    return [Out(x.dtype, _sliced(x.shape, _axes_key(len(x.shape), begin, end, parts[2], parts[3])))]


def _assign(var: Array | None, target: Array, view: Array, value: Array) -> None:
    if var is not None:
        np.copyto(target, var)
    np.copyto(view, value)


@binder("StridedSliceAssignV2", values=(2, 3, 4, 5))
def _strided_slice_assign(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    var, value, out = raw(needs(inputs[0], "var")), raw(needs(inputs[1], "input_value")), raw(outputs[0])
    key = _axes_key(var.ndim, ints(inputs[2]), ints(inputs[3]), _optional(inputs, 5), ints(inputs[4]))
    view = out[key]
    if broadcast(view.shape, value.shape) != view.shape:
        raise ValueError(f"a value of shape {list(value.shape)} does not fit the slice {list(view.shape)}")
    return _assign, (var if apart(var, out) else None, out, view, value)


@infer("StridedSliceAssignV2", "ViewCopy")
def _in_place_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, inputs[0].shape)]


def _window(shape: Shape, offsets: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Offset and size per axis of a Slice; a size of -1 reaches to the end."""
    if not len(shape) == len(offsets) == len(sizes):
        raise ValueError(f"offsets {list(offsets)} and size {list(sizes)} do not fit {len(shape)} dims")
    windows = []
    for dim, offset, size in zip(shape, offsets, sizes, strict=True):
        if size == -1 and dim >= 0:
            size = dim - offset
        if offset < 0 or size < -1 or (dim >= 0 and offset + size > dim) or (size == -1 and dim >= 0):
            raise ValueError(f"offset {offset} and size {size} reach out of a dim of {dim}")
        windows.append((offset, size))
    return windows


def _slice_view(x: Array, offsets: Sequence[int], sizes: Sequence[int]) -> Array:
    return _picked(x, [slice(offset, offset + size) for offset, size in _window(x.shape, offsets, sizes)])


@view_kernel("Slice", values=(1, 2))
def _slice(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _slice_view(x, ints(inputs[1]), ints(inputs[2]))


@view_kernel("SliceD")
def _slice_d(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _slice_view(x, attrs["offsets"], attrs["size"])


@infer("Slice")
def _slice_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, (offsets, sizes) = inputs[0], (known_ints(meta) for meta in inputs[1:3])
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if sizes is None or (offsets is None and -1 in sizes):
        return [Out(x.dtype, (-1,) * len(x.shape))]
    return [Out(x.dtype, tuple(size for _, size in _window(x.shape, offsets or [0] * len(sizes), sizes)))]


@infer("SliceD")
def _slice_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else tuple(size for _, size in _window(x.shape, attrs["offsets"], attrs["size"])))]


@view_kernel("ReverseV2", values=(1,))
def _reverse(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _reversed(x, ints(inputs[1], "axis"))


@view_kernel("ReverseV2D")
def _reverse_d(x: Array, inputs: Inputs, attrs: Attrs) -> Array:
    return _reversed(x, attrs["axis"])


def _reversed(x: Array, axes: Sequence[int]) -> Array:
    gone = axes_of(axes, x.ndim) if x.ndim else []
    return _picked(x, [slice(None, None, -1 if axis in gone else 1) for axis in range(x.ndim)])


@infer("ReverseV2", "ReverseV2D", "Roll", "RollV2", "Tril", "Triu", "FillDiagonal")
def _same_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, inputs[0].shape)]


# Strided views: size, stride and offset may be other numbers at every launch, so they are read when the task runs


def _strided(x: Array, size: Sequence[int], stride: Sequence[int], offset: int, name: str) -> Array:
    """A view of a contiguous array by element strides.

    Raises:
        ValueError: It would reach out of the array.
    """
    if len(size) != len(stride):
        raise ValueError(f"{name}: size {list(size)} and stride {list(stride)} differ in length")
    low = high = offset
    empty = False
    for dim, step in zip(size, stride, strict=True):
        if dim < 0:
            raise ValueError(f"{name}: size {list(size)} has a negative dim")
        if dim == 0:
            empty = True
        elif step > 0:
            high += (dim - 1) * step
        else:
            low += (dim - 1) * step
    if empty:
        return np.empty(tuple(size), x.dtype)
    if low < 0 or high >= x.size:
        raise ValueError(f"{name}: size {list(size)}, stride {list(stride)}, offset {offset} reach out of {x.size} elements")
    width = x.itemsize
    view: Array = np.ndarray(tuple(size), x.dtype, x, offset * width, tuple(step * width for step in stride))
    return view


def _as_strided(x: Array, out: Array, size: Array, stride: Array, offset: Array) -> None:
    view = as_is(out, _strided(x, size.tolist(), stride.tolist(), one_int(offset, "storage_offset"), "x"))
    if view.ndim and view.strides[-1] == 0 and 1 < view.shape[-1] <= _FEW:
        # A loop over two or three elements costs more than a few passes.
        for at in range(view.shape[-1]):
            np.copyto(out[..., at], view[..., 0])
    else:
        np.copyto(out, view)


_FEW = 4


@binder("AsStrided")
def _bind_as_strided(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
    size, stride, offset = (needs(array, "size, stride and storage_offset").reshape(-1) for array in inputs[1:4])
    if constant(size, stride, offset):
        return np.copyto, (out, as_is(out, _strided(x, size.tolist(), stride.tolist(), one_int(offset, "storage_offset"), "x")))
    return _as_strided, (x, out, size, stride, offset)


@infer("AsStrided")
def _as_strided_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, dims_of(inputs[1]))]


def _view_copy(dst: Array, src: Array, numbers: Sequence[Array]) -> None:
    size, stride, offset, src_size, src_stride, src_offset = numbers
    target = _strided(dst, size.tolist(), stride.tolist(), one_int(offset, "dst_storage_offset"), "dst")
    source = _strided(src, src_size.tolist(), src_stride.tolist(), one_int(src_offset, "src_storage_offset"), "src")
    if broadcast(target.shape, source.shape) != target.shape:
        raise ValueError(f"a source of shape {list(source.shape)} does not fit the view {list(target.shape)}")
    np.copyto(target, source)


def _copy_then_view_copy(var: Array, dst: Array, src: Array, numbers: Sequence[Array]) -> None:
    np.copyto(dst, var)
    _view_copy(dst, src, numbers)


@binder("ViewCopy")
def _bind_view_copy(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    var, src, out = raw(needs(inputs[0], "dst")), raw(needs(inputs[4], "src")), raw(outputs[0])
    numbers = [needs(inputs[index], "size, stride and offset").reshape(-1) for index in (1, 2, 3, 5, 6, 7)]
    return (_copy_then_view_copy, (var, out, src, numbers)) if apart(var, out) else (_view_copy, (out, src, numbers))


# Splitting


def _pieces(x: Array, axis: int, sizes: Sequence[int]) -> list[Array]:
    parts = []
    start = 0
    for size in sizes:
        parts.append(x[(slice(None),) * axis + (slice(start, start + size),)])
        start += size
    return parts


def _equal(dim: int, number: int) -> list[int]:
    if number <= 0 or (dim >= 0 and dim % number):
        raise ValueError(f"a dim of {dim} does not split into {number} equal parts")
    return [dim // number if dim >= 0 else -1] * number


def _sizes(dim: int, sizes: Sequence[int]) -> list[int]:
    """The sizes of SplitV, of which one may be -1: what is left."""
    given = list(sizes)
    if given.count(-1) == 1 and dim >= 0:
        given[given.index(-1)] = dim - sum(size for size in given if size != -1)
    if dim >= 0 and (sum(given) != dim or min(given, default=0) < 0):
        raise ValueError(f"sizes {list(sizes)} do not add up to a dim of {dim}")
    return given


@binder("Split", values=(0,))
def _split(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = raw(needs(inputs[1], "x"))
    axis = axis_of(one_int(inputs[0], "split_dim"), x.ndim)
    return paired(outputs, _pieces(x, axis, _equal(x.shape[axis], attrs["num_split"])))


@binder("SplitD")
def _split_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = raw(needs(inputs[0], "x"))
    axis = axis_of(attrs["split_dim"], x.ndim)
    return paired(outputs, _pieces(x, axis, _equal(x.shape[axis], attrs["num_split"])))


@binder("SplitV", values=(1, 2))
def _split_v(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = raw(needs(inputs[0], "x"))
    axis = axis_of(one_int(inputs[2], "split_dim"), x.ndim)
    return paired(outputs, _pieces(x, axis, _sizes(x.shape[axis], ints(inputs[1], "size_splits"))))


@binder("SplitVD")
def _split_vd(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = raw(needs(inputs[0], "x"))
    axis = axis_of(attrs["split_dim"], x.ndim)
    return paired(outputs, _pieces(x, axis, _sizes(x.shape[axis], attrs["size_splits"])))


def _split_shapes(x: Meta, axis: int | None, sizes: Callable[[int], list[int]], number: int) -> list[Out]:
    if unknown(x) or axis is None:
        return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else (-1,) * len(x.shape))] * number
    axis = axis_of(axis, len(x.shape))
    if not x.shape:
        raise ValueError("a 0-d input does not split")
    return [Out(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :])) for size in sizes(x.shape[axis])]


@infer("Split")
def _split_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axis, number = known_ints(inputs[0]), attrs["num_split"]
    return _split_shapes(inputs[1], axis[0] if axis else None, lambda dim: _equal(dim, number), number)


@infer("SplitD")
def _split_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    number = attrs["num_split"]
    return _split_shapes(inputs[0], attrs["split_dim"], lambda dim: _equal(dim, number), number)


@infer("SplitV")
def _split_v_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axis, sizes, number = known_ints(inputs[2]), known_ints(inputs[1]), attrs["num_split"]
    if sizes is not None and len(sizes) != number:
        raise ValueError(f"size_splits has {len(sizes)} elements, num_split is {number}")
    unsized = [-1] * number
    return _split_shapes(inputs[0], axis[0] if axis else None, lambda dim: unsized if sizes is None else _sizes(dim, sizes), number)


@infer("SplitVD")
def _split_vd_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    sizes = attrs["size_splits"]
    return _split_shapes(inputs[0], attrs["split_dim"], lambda dim: _sizes(dim, sizes), attrs["num_split"])


@binder("Unpack")
def _unpack(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = raw(needs(inputs[0], "x"))
    axis = axis_of(attrs["axis"], x.ndim)
    return paired(outputs, [_picked(x, [*[slice(None)] * axis, index]) for index in range(x.shape[axis])])


@infer("Unpack")
def _unpack_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, number = inputs[0], attrs["num"]
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)] * number
    axis = axis_of(attrs["axis"], len(x.shape))
    if not x.shape or same(x.shape[axis], number, "the dim unpacked and num") != number:
        raise ValueError(f"shape {list(x.shape)} does not unpack into {number}")
    return [Out(x.dtype, x.shape[:axis] + x.shape[axis + 1 :])] * number


# Joining


def _join(arrays: list[Array | None], outputs: Outputs, axis: int) -> Task:
    out = raw(outputs[0])
    given = [raw(needs(array, "x")) for array in arrays]
    return np.concatenate, (given, axis, out)


@binder("ConcatD", "ConcatV2D")
def _concat_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _join(list(inputs), outputs, axis_of(attrs["concat_dim"], outputs[0].ndim))


@binder("ConcatV2", values=(-1,))
def _concat_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _join(list(inputs[:-1]), outputs, axis_of(one_int(inputs[-1], "concat_dim"), outputs[0].ndim))


@binder("Concat", values=(0,))
def _concat(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _join(list(inputs[1:]), outputs, axis_of(one_int(inputs[0], "concat_dim"), outputs[0].ndim))


def _joined(metas: Sequence[Meta], axis: int | None) -> list[Out]:
    """The shape of a concatenation of inputs of one dtype."""
    if not metas:
        raise ValueError("nothing to join")
    first = metas[0]
    if any(meta.dtype != first.dtype for meta in metas):
        raise ValueError("the inputs to join differ in dtype")
    known = [meta.shape for meta in metas if not unknown(meta)]
    if not known or (axis is None and len(known) < len(metas)):
        return [Out(first.dtype, UNKNOWN_RANK)]
    rank = len(known[0])
    if any(len(shape) != rank for shape in known) or not rank:
        raise ValueError(f"shapes {[list(shape) for shape in known]} do not join")
    if axis is None:
        return [Out(first.dtype, (-1,) * rank)]
    at = axis_of(axis, rank)
    dims = list(known[0])
    for shape in known[1:]:
        dims = [dim if i == at else same(dim, shape[i], f"dim {i} of the inputs to join") for i, dim in enumerate(dims)]
    lengths = [shape[at] for shape in known]
    dims[at] = -1 if -1 in lengths or len(known) < len(metas) else sum(lengths)
    return [Out(first.dtype, tuple(dims))]


@infer("ConcatD", "ConcatV2D")
def _concat_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _joined(inputs, attrs["concat_dim"])


@infer("ConcatV2")
def _concat_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axis = known_ints(inputs[-1])
    return _joined(inputs[:-1], axis[0] if axis else None)


@infer("Concat")
def _concat_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axis = known_ints(inputs[0])
    return _joined(inputs[1:], axis[0] if axis else None)


@binder("Pack")
def _pack(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    axis = axis_of(attrs["axis"], outputs[0].ndim)
    return _join([np.expand_dims(needs(array, "x"), axis) for array in inputs], outputs, axis)


@infer("Pack")
def _pack_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    metas = [meta._replace(shape=UNKNOWN_RANK if unknown(meta) else _unsqueezed(meta.shape, [attrs["axis"]])) for meta in inputs]
    return _joined(metas, attrs["axis"])


# Repeating


def _tiled(shape: Shape, multiples: Sequence[int]) -> tuple[Shape, Shape]:
    """Dims and multiples brought to one length."""
    rank = max(len(shape), len(multiples))
    if any(number < 0 for number in multiples):
        raise ValueError(f"multiples {list(multiples)} has a negative element")
    return (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(multiples)) + tuple(multiples)


def _tile_task(x: Array, out: Array, multiples: Sequence[int]) -> Task:
    dims, numbers = _tiled(x.shape, multiples)
    if out.shape != tuple(dim * number for dim, number in zip(dims, numbers, strict=True)):
        raise ValueError(f"shape {list(x.shape)} times {list(multiples)} does not fill {list(out.shape)}")
    blocks = tuple(item for pair in zip(numbers, dims, strict=True) for item in pair)
    ones = tuple(item for dim in dims for item in (1, dim))
    return np.copyto, (out.reshape(blocks), x.reshape(ones))


@binder("Tile", values=(1,))
def _tile(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _tile_task(raw(needs(inputs[0], "x")), raw(outputs[0]), ints(inputs[1], "multiples"))


@binder("TileD")
def _tile_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _tile_task(raw(needs(inputs[0], "x")), raw(outputs[0]), attrs["multiples"])


def _tile_shape(x: Meta, multiples: Sequence[int] | None) -> list[Out]:
    if unknown(x) or multiples is None:
        return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else (-1,) * len(x.shape))]
    dims, numbers = _tiled(x.shape, multiples)
    return [Out(x.dtype, tuple(-1 if dim < 0 else dim * number for dim, number in zip(dims, numbers, strict=True)))]


@infer("Tile")
def _tile_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, multiples = inputs
    if multiples.value is None and dims_of(multiples) == UNKNOWN_RANK:
        return [Out(x.dtype, UNKNOWN_RANK)]
    if multiples.value is None and not unknown(x):
        return [Out(x.dtype, (-1,) * max(len(x.shape), len(dims_of(multiples))))]
    return _tile_shape(x, known_ints(multiples))


@infer("TileD")
def _tile_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _tile_shape(inputs[0], attrs["multiples"])


@kernel("RepeatInterleave")
def _repeat_interleave(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x, repeats, out = raw(needs(inputs[0], "x")), needs(inputs[1], "repeats").reshape(-1), raw(outputs[0])
    axis = attrs["axis"]
    if axis == FLATTENED:
        x, axis = x.reshape(-1), 0
    axis = axis_of(axis, x.ndim)
    dim = x.shape[axis]
    if repeats.size not in (1, dim) or (repeats.size and repeats.min() < 0):
        raise ValueError(f"repeats of {repeats.size} elements do not fit a dim of {dim}, or one is negative")
    if repeats.size == 1:
        number = int(repeats[0])
        result = front(out, (*x.shape[:axis], dim * number, *x.shape[axis + 1 :]))
        blocks = result.reshape(*x.shape[:axis], dim, number, *x.shape[axis + 1 :])
        np.copyto(blocks, np.expand_dims(x, axis + 1))
    else:
        ends = np.add.accumulate(repeats, dtype=np.intp)
        rows = np.add.accumulate(np.bincount(ends[:-1], minlength=ends[-1] + 1)[:-1]) if dim else ends
        result = front(out, (*x.shape[:axis], rows.size, *x.shape[axis + 1 :]))
        if result.size:
            np.take(x, rows, axis, result, "clip")
    return [result.shape]


@infer("RepeatInterleave")
def _repeat_interleave_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, repeats = inputs[0], inputs[1].value
    if attrs["axis"] == FLATTENED:
        x = x._replace(shape=(-1 if unknown(x) else count(x.shape),))
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    axis = axis_of(attrs["axis"] if attrs["axis"] != FLATTENED else 0, len(x.shape))
    dim = x.shape[axis]
    total = -1
    if repeats is not None:
        total = int(repeats.sum(dtype=np.int64))
        if repeats.size == 1:
            total = total * dim if dim >= 0 else -1
    return [Out(x.dtype, (*x.shape[:axis], total, *x.shape[axis + 1 :]))]


# Rolling


def _roll_task(x: Array, out: Array, shifts: Sequence[int], dims: Sequence[int]) -> Task:
    """Copies the 2**n pieces into which n shifts cut the input."""
    if not dims:
        x, out, dims = x.reshape(-1), out.reshape(-1), [0] * len(shifts)
    if len(shifts) != len(dims):
        raise ValueError(f"shifts {list(shifts)} and dims {list(dims)} differ in length")
    total: dict[int, int] = {}
    for shift, dim in zip(shifts, dims, strict=True):
        axis = axis_of(dim, x.ndim)
        total[axis] = total.get(axis, 0) + shift
    cuts = []
    for axis, size in enumerate(x.shape):
        shift = total.get(axis, 0) % size if size else 0
        whole = [(slice(None), slice(None))]
        cuts.append([(slice(shift, None), slice(None, size - shift)), (slice(None, shift), slice(size - shift, None))] if shift else whole)
    pairs = [(out[tuple(to for to, _ in cut)], x[tuple(source for _, source in cut)]) for cut in product(*cuts)]
    return (np.copyto, pairs[0]) if len(pairs) == 1 else (copy_all, (pairs,))


@binder("Roll")
def _roll(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _roll_task(raw(needs(inputs[0], "x")), raw(outputs[0]), attrs["shifts"], attrs["dims"])


@binder("RollV2", values=(1, 2))
def _roll_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _roll_task(raw(needs(inputs[0], "input")), raw(outputs[0]), ints(inputs[1], "shift"), ints(inputs[2], "axes"))
