"""`t[...]`: views for numbers, slices, `...` and None; operators for index tensors and masks.

As in PyTorch, a number beside index tensors stays a view, and an index tensor of another device is refused. Indices that lie on the
host are checked at once; those on the device only when they are used (an error of queued work).
"""

from __future__ import annotations

from operator import index as as_int
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from .. import base, dtypes, shapes
from ..base import TensorBase
from ..dtypes import bool_, int64
from ..errors import AscendTensorError, DeviceError, DTypeError, IndexRangeError, ShapeError
from ..runtime.desc import TensorDesc
from . import chips, host, reduction, views
from .arguments import checked, described
from .call import binary, call, call_into, contiguous_copy, plain, unary
from .copying import clone
from .pointwise.comparison import lt, masked_fill, where
from .pointwise.elementwise import add
from .rules.indexing import indexed_shape
from .table.elementwise import CAST
from .table.gathering import MASKED_SCATTER, MASKED_SELECT
from .table.indexing import COORDINATES_ADD, INDEX, INDEX_ADD, INDEX_ADD_LATER, INDEX_PUT, INDEX_PUT_LATER, PLACES, TAKE
from .table.movement import PACK
from .writing import check_writable, copy_into, takes_outputs, written_at_once

T = TypeVar("T", bound=TensorBase)

_IDLE: Final = 64 << 10
_BASIC = (int, slice, type(None), type(Ellipsis))


# Reading


def get(input: T, index: Any) -> T:
    """`input[index]`: a view, or a new tensor where index tensors, lists or masks are among the parts.

    Raises:
        IndexRangeError: A number out of range, too many indices, index shapes that don't broadcast.

    Ascend operator: GatherV2, Index, MaskedSelect, NonZero. Like: torch.Tensor.__getitem__.
    """
    desc = input.desc
    shape = desc.shape
    kind = index.__class__
    try:
        if kind is input.__class__:
            taken = _by_tensor(input, index)
            if taken is not None:
                return taken
        offset = base.element_offset(input)
        if kind is int:
            # The common case by itself: one place of the first dimension, whose view holds something if the tensor does.
            if shape and -shape[0] <= index < shape[0]:
                strides = desc.strides
                step = index % shape[0] * strides[0] if desc.numel else 0
                return base.view_as(input, desc.dtype, shape[1:], strides[1:], offset + step)
        elif kind is tuple or kind is slice or index is None or index is Ellipsis:
            simple = shapes.simple_index(shape, desc.strides, offset, index if kind is tuple else (index,))
            if simple is not None:
                return base.view_as(input, desc.dtype, *simple)
        parts = _parts(index)
        found = shapes.basic_index(shape, desc.strides, offset, parts)
        view = base.view_as(input, desc.dtype, found.shape, found.strides, found.offset)
        if not found.advanced:
            return view
        if len(found.advanced) == 1 and _is_whole_mask(view, found.advanced[0][1]):
            return _selected(view, found.advanced[0][1])
        return _gathered(view, *_indices(view, found.advanced))
    except AscendTensorError as error:
        raise error.with_context("index", (input,)) from None


def _by_tensor(input: T, index: TensorBase) -> T | None:
    """`input[index]` for one index tensor or one mask, where neither has to be changed first; else None."""
    desc, other = input.desc, index.desc
    if other.device is not desc.device or not desc.shape or not desc.numel or desc.dtype is dtypes.complex128:
        return None
    if other.dtype is bool_:
        if other.shape == desc.shape:
            return _selected(input, index)
        if other.shape != desc.shape[:1]:
            return None
        index = _positions(index)
    elif not other.shape or other.dtype not in (int64, dtypes.int32):
        return None
    taken: T = call(TAKE, (input, index), (0,))
    return taken


def _is_whole_mask(view: TensorBase, part: Any) -> bool:
    return _is_device_mask(part) and bool(view.desc.numel) and part.desc.shape == view.desc.shape and part.desc.device is view.desc.device


def _selected(view: T, mask: TensorBase) -> T:
    found: T = binary(MASKED_SELECT, view, mask)
    return trimmed(found, view.desc.numel)


def trimmed(found: T, room: int) -> T:
    """A vector that was allocated for `room` elements, copied where much memory would be kept for few of them.

    A copy costs as much as some ten KiB: below that only a vector of less than a sixteenth is worth one.
    """
    desc = found.desc
    idle = (room - desc.numel) * desc.dtype.itemsize
    few = desc.numel * 2 < room if idle > _IDLE else desc.numel * 16 < room
    return clone(found) if few and desc.numel else found


def _gathered(view: T, axes: Axes, indices: list[TensorBase]) -> T:
    """Elements of `view` by index tensors on axes of it."""
    view = _merged(view, axes)
    if view.desc.dtype.name == "complex128":
        return _joined(_gathered(_halves(view), _plain_axes(axes), indices))
    if len(indices) == 1:
        result: T = call(TAKE, (view, indices[0]), (axes[0].axis,))
    else:
        result = call(INDEX, (view, *_broadcast(indices)), (_mask(axes),))
    return result


# Writing


_ALL: Final = slice(None)


def put(target: TensorBase, index: Any, value: Any) -> None:
    """`target[index] = value`.

    Args:
        target: Any tensor without elements that share memory.
        index: As for `get`.
        value: Tensor on the same device, number, or array-like; broadcast and cast.

    Raises:
        IndexRangeError: As for `get`.
        ShapeError: The value can't be broadcast to the indexed part.

    Ascend operator: Fill, TensorMove, Cast, ViewCopy, IndexPutV2, MaskedFill, ReduceSum and MaskedScatter. Like: torch.Tensor.__setitem__.
    """
    desc, offset = target.desc, base.element_offset(target)
    if index is Ellipsis or (index.__class__ is slice and index == _ALL and desc.shape):
        assign(target, value, "index_put_")
        return
    simple = shapes.simple_index(desc.shape, desc.strides, offset, index if index.__class__ is tuple else (index,))
    if simple is not None:
        assign(base.view_as(target, desc.dtype, *simple), value, "index_put_")
        return
    try:
        found = shapes.basic_index(desc.shape, desc.strides, offset, _parts(index))
        view = base.view(target, found.shape, found.strides, found.offset)
        if not found.advanced:
            assign(view, value, "index_put_")
        elif len(found.advanced) == 1 and _is_device_mask(found.advanced[0][1]) and _is_number(value):
            _fill_masked(view, *found.advanced[0], value)
        elif len(found.advanced) > 1 or not _scatter_masked(view, found.advanced[0][1], value):
            _scatter(view, *_indices(view, found.advanced), value, False)
    except AscendTensorError as error:
        raise error.with_context("index_put_", (target,)) from None


@checked
def index_put_(input: T, indices: tuple[Any, ...], values: Any, accumulate: bool = False) -> T:
    """`input[indices] = values`, or with `accumulate`, values added; indices that repeat then add up.

    Args:
        input: Tensor to write into.
        indices: Index tensors, lists or masks, one for each leading axis; None stands for a whole axis.
        values: Tensor or number, broadcast.
        accumulate: Add instead of replacing.

    Raises:
        IndexRangeError: An index on the host is out of range.

    Ascend operator: IndexPutV2. Like: torch.Tensor.index_put_.
    """
    given = tuple(map(_index_tensor, indices))
    try:
        found = shapes.basic_index(input.desc.shape, base.element_strides(input), base.element_offset(input), _parts(given))
        view = base.view(input, found.shape, found.strides, found.offset)
        if not found.advanced:
            raise IndexRangeError("there are no index tensors")
        _scatter(view, *_indices(view, found.advanced), values, accumulate)
    except AscendTensorError as error:
        raise error.with_context("index_put_", (input,)) from None
    return input


def _index_tensor(part: Any) -> Any:
    """What an index of `index_put_` stands for in `t[...]`, where a number would be a view."""
    if part is None:
        return slice(None)
    if isinstance(part, TensorBase) and not part.desc.shape and part.desc.dtype is not bool_:
        return views.reshape(part, 1)
    return _host_list(part) if isinstance(part, (int, bool)) else part


@checked
def index_put(input: T, indices: tuple[Any, ...], values: Any, accumulate: bool = False) -> T:
    """`index_put_` on a copy.

    Args:
        input: Tensor to copy.
        indices, values, accumulate: As for `index_put_`.

    Returns:
        Tensor of the shape and dtype of `input`.

    Raises:
        IndexRangeError: An index on the host is out of range.

    Ascend operator: TensorMove, IndexPutV2. Like: torch.index_put.

    Examples:
        >>> at.index_put(at.zeros(3), (at.tensor([0, 0]),), at.tensor([1.0, 2.0]), accumulate=True)
        tensor([3., 0., 0.], device='npu:0')
    """
    return index_put_(clone(input), indices, values, accumulate)


def _fill_masked(view: TensorBase, axis: int, mask: TensorBase, value: Any) -> None:
    """One number wherever a mask over some axes holds: no positions are needed, so nothing waits."""
    _check_mask(view, axis, mask.desc.shape)
    check_writable(view, "index_put_")
    number = _valued(view, value)  # refuses what does not fit, where nothing is written too
    if not view.desc.numel or not mask.desc.numel:
        return
    after = len(view.desc.shape) - axis - len(mask.desc.shape)
    spread = views.reshape(mask, (*mask.desc.shape, *(1,) * after))
    if view.desc.dtype.name == "complex128":
        _scatter(view, *_indices(view, ((axis, mask),)), value, False)
        return
    masked_fill(view, spread, views.reshape(number, ()), out=view)


def _scatter_masked(view: TensorBase, mask: Any, value: Any) -> bool:
    """Put the elements of `value` where a mask of the view's shape holds, by MaskedScatter in place: as the operator of torch_npu of this
    name does it, and CANN's kernel, which reads a piece before it writes it. For masks that hold nearly everywhere, as many values say;
    the true elements are counted before, so this waits.

    Returns:
        False where nothing was done.
    """
    dtype = view.desc.dtype
    size = value.desc.numel if isinstance(value, TensorBase) else value.size if isinstance(value, np.ndarray) else 0
    if size < max(_MOST * view.desc.numel, _SHORT) or not _is_whole_mask(view, mask):
        return False
    known = dtype in MASKED_SCATTER.dtypes or dtype in MASKED_SCATTER.bits
    if not known or chips.lacks(MASKED_SCATTER, dtype) or not takes_outputs(view, ()):
        return False
    values = _valued(view, value)
    _expanded(values, (host.item(reduction.sum(mask)),))  # refuses what does not fit
    storage = base.storage(view)
    # Else they would be read while they are written.
    mask, values = (contiguous_copy(each) if base.storage(each) is storage else each for each in (mask, values))
    call_into(MASKED_SCATTER, (view,), (view, mask, values))
    return True


_MOST: Final = 0.75
_SHORT: Final = 1 << 14
"""From this share of elements on, and this number, writing them in order takes less time than looking for their places first."""


def _scatter(view: T, axes: Axes, indices: list[TensorBase], value: Any, accumulate: bool) -> None:
    """Put `value` at the places of `view` that index tensors on its axes name."""
    check_writable(view, "index_put_")
    merged = _merged(view, axes)
    shared = base.storage(merged) is base.storage(view)
    indices = _broadcast(indices)
    mask = _mask(axes)
    wanted = indexed_shape(merged.desc.shape, mask, indices[0].desc.shape)
    values = _expanded(_valued(view, value), wanted)
    if 0 in wanted:
        return
    if view.desc.dtype.name == "complex128":
        # No kernel moves 16 bytes: real and imaginary parts go as float64.
        _scatter(_halves(merged), _plain_axes(axes), indices, _halves(values), accumulate)
        if not shared:
            copy_into(view, views.reshape(merged, view.desc.shape))
        return
    _put_plain(merged, mask, indices, values, accumulate)
    if not shared:
        copy_into(view, views.reshape(merged, view.desc.shape))


def _put_plain(target: T, mask: tuple[int, ...], indices: list[TensorBase], values: TensorBase, accumulate: bool) -> None:
    """IndexPutV2 straight into `target` where it can write there, else into a copy that is then written back."""
    plain_row, later_row = (INDEX_ADD, INDEX_ADD_LATER) if accumulate else (INDEX_PUT, INDEX_PUT_LATER)
    row = later_row if 0 in mask else plain_row
    dtype = target.desc.dtype
    if accumulate and dtype in COORDINATES_ADD.dtypes:
        _add_by_coordinates(target, mask, indices, values)
        return
    storage = base.storage(target)
    # Else they would be read while they are written.
    values, *indices = (contiguous_copy(each) if base.storage(each) is storage else each for each in (values, *indices))
    if dtype not in row.dtypes and dtype not in row.bits:
        wider = _accumulator(dtype)
        copy: TensorBase = call(CAST, (target,), (wider,))
        _put_plain(copy, mask, indices, call(CAST, (values,), (wider,)), accumulate)
        copy_into(target, copy)
        return
    if takes_outputs(target, (target, values, *indices)):
        call_into(row, (target,), (target, values, *indices), (mask, accumulate))
        return
    copy = contiguous_copy(target)
    call_into(row, (copy,), (copy, values, *indices), (mask, accumulate))
    copy_into(target, copy)


def _accumulator(dtype: dtypes.dtype) -> dtypes.dtype:
    """A dtype that adds without loss for one that has no kernel."""
    if dtype is bool_ or dtype.name in ("int16", "uint16"):
        return dtypes.int32
    if dtype.category == dtypes.INTEGER:
        return int64
    raise DTypeError(f"{dtype.name} can't be accumulated")


def _add_by_coordinates(target: T, mask: tuple[int, ...], indices: list[TensorBase], values: TensorBase) -> None:
    """ScatterNdAdd, on a copy whose leading axes are those that have index tensors."""
    shape = target.desc.shape
    axes = [axis for axis, bit in enumerate(mask) if bit]
    order = (*axes, *(axis for axis in range(len(shape)) if axis not in axes))
    moved = contiguous_copy(views.permute(target, order))
    wrapped = [where(lt(index, 0), add(index, shape[axis]), index) for axis, index in zip(axes, indices, strict=True)]
    coordinates: TensorBase = call(PACK, tuple(wrapped), (-1,))
    if axes == list(range(axes[0], axes[-1] + 1)):  # the new dimensions stand where the axes stood: bring them to the front
        new = range(axes[0], axes[0] + len(indices[0].desc.shape))
        values = views.movedim(values, tuple(new), tuple(range(len(new))))
    call_into(COORDINATES_ADD, (moved,), (moved, coordinates, values))
    copy_into(target, views.permute(moved, tuple(order.index(axis) for axis in range(len(shape)))))


# Values


def assign(target: T, value: Any, function: str) -> T:
    """Write a tensor, a number or an array-like into all of `target`, broadcast and cast.

    Raises:
        ShapeError: The value can't be broadcast.
        DeviceError: A tensor on another device, for `t[...] = `; `copy_` brings it over.
        DTypeError: Complex values for a real tensor.
    """
    try:
        if written_at_once(target, value):
            return target
        if isinstance(value, TensorBase) and value.desc.device is not target.desc.device and function == "copy_":
            value = host.moved(value, target.desc.device, value.desc.dtype)
        source = _given(target, value)
        if source.desc.shape not in ((), target.desc.shape):
            _expanded(source, target.desc.shape)
        lead = max(len(source.desc.shape) - len(target.desc.shape), 0)
        copy_into(target, views.reshape(source, source.desc.shape[lead:]) if lead else source)
    except AscendTensorError as error:
        raise error.with_context(function, (target, value)) from None
    return target


def fill(target: T, value: Any) -> T:
    """Write one number, or the one element of a tensor, into all of `target`. Like: torch.Tensor.fill_."""
    if isinstance(value, (TensorBase, np.ndarray)):
        if value.shape not in ((), (1,)):
            raise ShapeError(f"one number is needed, not a tensor of shape {list(value.shape)}").with_context("fill_", (target,))
    elif not _is_number(value):
        raise DTypeError(f"one number is needed, not {described(value)}").with_context("fill_", (target,))
    return assign(target, value, "fill_")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.generic)) or (
        isinstance(value, TensorBase) and value.desc.numel == 1 and len(value.desc.shape) <= 1
    )


def _scalar(target: TensorBase, value: Any) -> TensorBase:
    """A number as a 0-d tensor over the device's cached one."""
    desc = target.desc
    return base.make(target.__class__, TensorDesc.of((), desc.dtype, desc.device), desc.device.scalar(desc.dtype, value))


def _valued(target: TensorBase, value: Any) -> TensorBase:
    """What is to be written, as a tensor of the target's dtype."""
    source = _given(target, value)
    result: TensorBase = source if source.desc.dtype is target.desc.dtype else call(CAST, (source,), (target.desc.dtype,))
    return result


def _given(target: TensorBase, value: Any) -> TensorBase:
    """What is to be written, as a tensor on the target's device."""
    desc = target.desc
    if isinstance(value, TensorBase):
        if value.desc.dtype.is_complex and not desc.dtype.is_complex:
            raise DTypeError(f"{value.desc.dtype.name} can't be written into {desc.dtype.name}", advice="Write .real of it.")
        if value.desc.device is not desc.device:
            places = f"{desc.device} and {value.desc.device}"
            raise DeviceError(f"the operands are on different devices, {places}", advice='Move one of them with .to("npu:N").')
        return value
    if isinstance(value, (int, float, complex, np.generic)):
        return _scalar(target, value)
    made: TensorBase = host.upload(value, desc.dtype, desc.device)
    return made


def _expanded(source: T, shape: tuple[int, ...]) -> T:
    """`source` broadcast to `shape`; leading dimensions of length 1 too many go, as in NumPy."""
    if source.desc.shape == shape:
        return source
    lead = max(len(source.desc.shape) - len(shape), 0)
    if any(length != 1 for length in source.desc.shape[:lead]):
        raise _too_wide(source, shape)
    try:
        return views.expand(views.reshape(source, source.desc.shape[lead:]) if lead else source, shape)
    except ShapeError:
        raise _too_wide(source, shape) from None


def _too_wide(source: TensorBase, shape: tuple[int, ...]) -> ShapeError:
    advice = "Counted from the right, lengths of the value have to be those of what is written, or 1."
    return ShapeError(f"a value of shape {list(source.desc.shape)} can't be broadcast to the indexed shape {list(shape)}", advice=advice)


# Parts of an index


class Axis(NamedTuple):
    """An axis that has an index tensor: its number once masks are merged, where it was before, and how many axes it was made of."""

    axis: int
    first: int
    span: int


Axes = list[Axis]


def _parts(index: Any) -> tuple[Any, ...]:
    """The parts of an index; lists as arrays, one-element integer tensors without dimensions as the numbers they are."""
    given = index if isinstance(index, tuple) else (index,)
    return tuple(part if isinstance(part, _BASIC) else _part(part) for part in given)


def _part(part: Any) -> Any:
    if isinstance(part, TensorBase):
        if part.desc.shape:
            return part
        if part.desc.dtype.category > dtypes.INTEGER:
            raise IndexRangeError(f"tensors used as indices must be integers or bool, not {part.desc.dtype.name}")
        value = host.item(part)
        return value if part.desc.dtype is bool_ else int(value)
    if isinstance(part, (np.integer, np.bool_)) and not isinstance(part, np.timedelta64):
        return part.item()
    if hasattr(type(part), "__index__") and not hasattr(type(part), "__array__"):  # arrays of one element keep their dimensions
        return as_int(part)
    return _host_list(part)


def _host_list(part: Any) -> Any:
    """A list or an array as an array of integers or truth values; one truth value without dimensions as that."""
    host.collect_types(part, set())  # NumPy would not come back from a list that holds itself
    try:
        array = np.asarray(part)
    except ValueError as error:
        raise IndexRangeError(f"the index is no array: {error}") from None
    if not array.size and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "b" and not array.shape:
        return bool(array)
    if array.dtype.kind not in "iub":
        kinds = "integers, slices, `...`, None, and tensors, arrays and lists of integers or truth values"
        raise IndexRangeError(f"indices are {kinds}, not {_named(part, array)}")
    return array


def _named(part: Any, array: Any) -> str:
    bare = array.dtype.kind in "OUS" or isinstance(part, (float, complex))
    return type(part).__name__ if bare else f"{type(part).__name__} of {array.dtype}"


def _is_mask(part: Any) -> bool:
    if isinstance(part, bool):
        return True
    return part.desc.dtype is bool_ if isinstance(part, TensorBase) else part.dtype == np.bool_


def _is_device_mask(part: Any) -> bool:
    return isinstance(part, TensorBase) and part.desc.dtype is bool_


def _check_mask(view: TensorBase, axis: int, shape: tuple[int, ...]) -> None:
    """A mask is as long as the tensor in each of its dimensions, or empty there: the array API standard allows that, as NumPy does."""
    lengths = view.desc.shape[axis : axis + len(shape)]
    if len(lengths) != len(shape) or any(there not in (length, 0) for length, there in zip(lengths, shape, strict=True)):
        raise IndexRangeError(f"a mask of shape {list(shape)} does not fit a tensor of shape {list(view.desc.shape)} at dimension {axis}")


def _indices(view: TensorBase, advanced: tuple[tuple[int, Any], ...]) -> tuple[Axes, list[TensorBase]]:
    """The axes that have index tensors, and these, as integers on the device; masks by the positions of what is true."""
    axes: Axes = []
    found: list[tuple[Any, int, int]] = []
    gone = 0
    for first, part in advanced:
        count = 1
        if isinstance(part, bool):
            part = np.zeros(int(part), np.int64)
        elif _is_mask(part):
            count = len(part.shape)
            _check_mask(view, first, tuple(part.shape))
            part = _positions(part)
        axes.append(Axis(first - gone, first, count))
        gone += count - 1
        found.append((part, shapes.numel(view.desc.shape[first : first + count]), first))
    idle = any(0 in part.shape for part, _, _ in found)  # nothing is picked, so no index is out of range
    return axes, [_on_device(part, length, first, view, idle) for part, length, first in found]


def _positions(mask: Any) -> Any:
    """Where a mask holds, counted along its flattened elements."""
    if isinstance(mask, np.ndarray):
        return np.flatnonzero(mask)
    flat = mask if len(mask.desc.shape) == 1 else views.reshape(mask, mask.desc.numel)
    return unary(PLACES, flat)


def _on_device(part: Any, length: int, dim: int, view: TensorBase, idle: bool) -> TensorBase:
    if isinstance(part, TensorBase):
        if part.desc.dtype.category != dtypes.INTEGER:
            raise IndexRangeError(f"tensors used as indices must be integers or bool, not {part.desc.dtype.name}")
        if not length and not idle:
            raise IndexRangeError(f"no index is in bounds for dimension {dim} with size 0")
        if part.desc.device is not view.desc.device:
            raise DeviceError(f"the index is on {part.desc.device}, the indexed tensor on {view.desc.device}")
        result: TensorBase = part if part.desc.dtype.name in ("int64", "int32") else call(CAST, (part,), (int64,))
        return result
    whole = part.astype(np.int64)
    if not idle and not (-length <= int(whole.min()) and int(whole.max()) < length):
        wrong = whole[(whole < -length) | (whole >= length)][0]
        raise IndexRangeError(f"index {wrong} is out of bounds for dimension {dim} with size {length}")
    made: TensorBase = host.upload(np.where(whole < 0, whole + length, whole), device=view.desc.device)
    return made


def _merged(view: T, axes: Axes) -> T:
    """`view` with the axes of each mask as one."""
    if all(axis.span == 1 for axis in axes):
        return view
    shape = list(view.desc.shape)
    for axis in reversed(axes):
        shape[axis.first : axis.first + axis.span] = [shapes.numel(shape[axis.first : axis.first + axis.span])]
    return views.reshape(view, tuple(shape))


def _plain_axes(axes: Axes) -> Axes:
    """The same axes after masks were merged."""
    return [Axis(axis.axis, axis.axis, 1) for axis in axes]


def _mask(axes: Axes) -> tuple[int, ...]:
    marked = {axis.axis for axis in axes}
    return tuple(int(axis in marked) for axis in range(max(marked) + 1))


def _broadcast(indices: list[TensorBase]) -> list[TensorBase]:
    """Index tensors of one shape, each without gaps."""
    if len(indices) == 1:
        return [plain(indices[0])]
    try:
        shape = shapes.broadcast_shapes(*(index.desc.shape for index in indices))
    except ShapeError:
        names = " and ".join(str(list(index.desc.shape)) for index in indices)
        raise IndexRangeError(f"index tensors of shapes {names} do not broadcast") from None
    return [plain(views.expand(index, shape)) for index in indices]


def _halves(view: T) -> T:
    """A complex128 tensor as float64 with a last dimension of two: real and imaginary part."""
    steps = tuple(2 * step for step in base.element_strides(view))
    return base.view_as(view, dtypes.float64, (*view.desc.shape, 2), (*steps, 1), 2 * base.element_offset(view))


def _joined(halves: T) -> T:
    """The opposite of `_halves`, for a tensor without gaps."""
    shape = halves.desc.shape[:-1]
    return base.view_as(halves, dtypes.complex128, shape, shapes.contiguous_strides(shape), base.element_offset(halves) // 2)
