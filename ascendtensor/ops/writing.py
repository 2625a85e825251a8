"""Writing into tensors that exist: in-place forms, `out=`, assignment through views."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, TypeVar

from .. import base, promotion, shapes
from ..base import TensorBase
from ..dtypes import complex128
from ..errors import AscendTensorError, ClosedError, DeviceError, DTypeError, ShapeError, ValueRangeError
from ..launch.registry import handle_cache
from ..runtime import copies
from ..runtime.desc import TensorDesc
from .arguments import described, require_tensor
from .call import as_they_lie, call, call_into, contiguous_copy, find, known, launch_into, plain, whole_storage
from .schema import ELEMENTWISE, POINTWISE, Row
from .table.elementwise import CAST
from .table.movement import CLONE, FILL, FLIP, VIEW_COPY

T = TypeVar("T", bound=TensorBase)

_plans: Final = handle_cache.plans
_SIGNS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floor_divide": "//",
    "remainder": "%",
    "pow": "**",
    "matmul": "@",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
}

_OTHER_OUT: Final = "Give an out of {}, or none."


def write(row: Row, target: T, operands: tuple[Any, ...], arguments: tuple[Hashable, ...] = ()) -> T:
    """Launch a row and put its one result into `target`, straight into its memory where the operator can write there.

    Raises:
        ShapeError: The result's shape is not the target's.
        DTypeError: The result's dtype can't be cast to the target's.
        ValueRangeError: Several elements of the target share one place in memory.
    """
    plan, plains = known(row, operands, arguments), operands
    if plan is None and isinstance(target, TensorBase) and not target.desc.plain and base.settle(target):
        plan = known(row, operands, arguments)
    if plan is None:
        if row.rule in ELEMENTWISE and _written_where_it_lies(row, target, operands, arguments):
            return target
        plan, plains = find(row, operands, arguments)
    (desc,) = plan.results
    try:
        same = desc is target.desc
    except AttributeError:
        require_tensor(target, "out", row.name)
        raise
    if not same:
        _check_fits(row, desc, target, operands)
        check_writable(target, row.name)
    if target.desc.numel == 0:
        return target
    if plan.direct and desc.dtype is target.desc.dtype and takes_outputs(target, plains, row.rule in POINTWISE):
        launch_into(row, plan, (target,), plains)
    else:
        copy_into(target, call(row, plains, arguments))
    return target


def _written_where_it_lies(row: Row, target: T, operands: tuple[Any, ...], arguments: tuple[Hashable, ...]) -> bool:
    """Launch an elementwise row on memory whose dims are in another order, the same one in the target and its operands.

    Returns:
        False where nothing was done.
    """
    if not isinstance(target, TensorBase) or target.desc.plain:
        return False
    lying = as_they_lie(row, operands, arguments, (target,))
    if lying is None:
        return False
    (there,), plan = lying.targets, lying.plan
    if not (plan.direct and plan.results[0] is there.desc and takes_outputs(there, lying.operands)):
        return False
    try:
        plan.launch_into((there,), *lying.operands)
    except AscendTensorError as error:
        raise error.with_context(row.name, operands) from None
    return True


def _check_fits(row: Row, desc: TensorDesc | base.StridedDesc, target: TensorBase, operands: tuple[Any, ...]) -> None:
    if desc.device is not target.desc.device:
        _check_open(target)
        text = f"the operands are on different devices, {target.desc.device} and {desc.device}"
        raise DeviceError(text, advice='Move one of them with .to("npu:N").').with_context(row.name, (target, *operands))
    if desc.shape != target.desc.shape:
        raise ShapeError(
            f"the result has shape {list(desc.shape)}, which can't be written into a tensor of shape {list(target.desc.shape)}",
            advice=_room(row, target, operands, "that shape"),
        ).with_context(row.name, _with_target(target, operands))
    if not promotion.can_cast(desc.dtype, target.desc.dtype):
        raise DTypeError(
            f"the result has dtype {desc.dtype.name}, which can't be cast to the target's {target.desc.dtype.name}",
            advice=_room(row, target, operands, desc.dtype.name),
        ).with_context(row.name, _with_target(target, operands))


def _room(row: Row, target: TensorBase, operands: tuple[Any, ...], needed: str) -> str:
    """What has room for a result that the target has not."""
    if not operands or operands[0] is not target:
        return _OTHER_OUT.format(needed)
    sign = _SIGNS.get(row.name)
    if sign is None:
        return "The form without the underscore makes a new tensor."
    return f"The form that makes a new tensor has room for it: x = x {sign} y instead of x {sign}= y."


def _with_target(target: TensorBase, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    return operands if operands and operands[0] is target else (target, *operands)


def into(result: T, out: T | None) -> T:
    """The result of several operators, in `out` where that is given.

    Raises:
        ShapeError: `out` has another shape.
        DTypeError: The result can't be cast to its dtype, or `out` is no tensor.
        ClosedError: `out` is from before `shutdown()`.
    """
    if out is None:
        return result
    _check_out(result, out)
    return copy_into(out, result)


def composed_into(row: Row, result: T, out: T | None, operands: tuple[Any, ...]) -> T:
    """`into` for a result that is composed where a row does not serve: what does not fit is told of the row's own operands."""
    if out is None:
        return result
    require_tensor(out, "out", row.name)
    _check_fits(row, result.desc, out, operands)
    return copy_into(out, result)


def into_all(results: Any, out: Any) -> Any:
    """Several results, in the tensors of `out` where that is given, all or none of them; the named tuple keeps its class.

    Raises:
        DTypeError: `out` has not as many tensors, or a result can't be cast to the dtype of its tensor.
        ShapeError: A tensor has another shape than its result.
        ValueRangeError: Several elements of a tensor share one place in memory.
        ClosedError: A tensor is from before `shutdown()`.
    """
    if out is None:
        return results
    if not isinstance(out, (tuple, list)) or len(out) != len(results):
        raise DTypeError(f"out must hold {len(results)} tensors")
    for result, target in zip(results, out, strict=True):
        _check_out(result, target)
    return type(results)(*(copy_into(target, result) for result, target in zip(results, out, strict=True)))


def _check_out(result: TensorBase, out: Any) -> None:
    """Refuse what can't take a result."""
    if not isinstance(out, TensorBase):
        raise DTypeError(f"out must be a tensor, not {described(out)}")
    _check_open(out)
    shape, dtype = result.desc.shape, result.desc.dtype
    if shape != out.desc.shape:
        names = f"{list(shape)}, which can't be written into a tensor of shape {list(out.desc.shape)}"
        raise ShapeError(f"the result has shape {names}", advice=_OTHER_OUT.format("that shape"))
    if not promotion.can_cast(dtype, out.desc.dtype):
        text = f"the result has dtype {dtype.name}, which can't be cast to {out.desc.dtype.name}"
        raise DTypeError(text, advice=_OTHER_OUT.format(dtype.name))
    check_writable(out, "out")


def _check_open(target: TensorBase) -> None:
    if target.desc.device.closed:
        raise ClosedError(f"the tensor to write into is from before shutdown() of {target.desc.device}", advice="Make it again.")


def check_writable(target: TensorBase, function: str) -> None:
    """Refuse a target with several elements in one place, as PyTorch does.

    Raises:
        ValueRangeError: The target is an expanded or overlapping view.
    """
    if not target.desc.plain and shapes.has_overlap(target.desc.shape, base.element_strides(target)):
        raise ValueRangeError(
            "several elements of the tensor written to share one place in memory", advice="Write into a .clone() of it."
        ).with_context(function, (target,))


def takes_outputs(target: TensorBase, operands: tuple[Any, ...], pointwise: bool = True) -> bool:
    """Whether an operator may write to the target's memory while it reads the operands.

    Kernels write the padded tail of their last 32 bytes too, so a window may serve only if it ends where its storage does or on a
    multiple of 32 bytes (RT-29); an operand that shares the storage must be the very same memory (OP-17: partial overlap is undefined),
    and the operator one that is `pointwise`.
    """
    if not base.settle(target):
        return False
    buffer, desc = target.buffer, target.desc
    storage, start = buffer.base, buffer.offset
    end = start + desc.nbytes
    if end % base.ALIGNMENT and storage.extent not in (0, end):
        return False
    for operand in operands:
        if isinstance(operand, TensorBase) and operand.buffer.base is storage and operand.desc.plain:
            same = operand.desc is desc or (operand.desc.numel == desc.numel and operand.desc.shape == desc.shape)
            if not (pointwise and same and operand.buffer.offset == start):
                return False
    return True


def copy_into(target: T, source: TensorBase) -> T:
    """Copy `source`, broadcast and cast, into the memory of any view `target`, by the operator ViewCopy where no other can do it.

    Raises:
        ShapeError: The source's shape can't be broadcast to the target's.
        DeviceError: They are on different devices.
    """
    if base.storage(source) is base.storage(target) and _are_the_same(target, source):
        return target
    if source.desc.device is not target.desc.device:
        _check_open(target)
        raise DeviceError(f"the operands are on different devices, {target.desc.device} and {source.desc.device}").with_context(
            "copy_", (target, source)
        )
    if not base.settle(target):
        check_writable(target, "copy_")
    shape = target.desc.shape
    if source.desc.shape != shape:
        shapes.expand_strides(source.desc.shape, base.element_strides(source), shape)  # refuses what does not broadcast
    if target.desc.numel == 0 or _written_whole(target, source):
        return target
    if source.desc.dtype != target.desc.dtype:
        source = call(CAST, (source,), (target.desc.dtype,))
    steps, offset, flipped = shapes.without_negative_strides(shape, base.element_strides(target), base.element_offset(target))
    if flipped:
        # Writing backwards: turn the source round instead, see contiguous_copy.
        lead = len(shape) - len(source.desc.shape)
        dims = tuple(dim - lead for dim in flipped if dim >= lead and source.desc.shape[dim - lead] != 1)
        source = call(FLIP, (source,), (dims,)) if dims else source
    if base.storage(source) is base.storage(target):
        source = contiguous_copy(source)
    elif min(base.element_strides(source), default=0) < 0:
        source = plain(source)
    _copy_view(target, shape, steps, offset, source)
    return target


def written_at_once(target: TensorBase, value: Any) -> bool:
    """Write a number, or a plain tensor of the same shape and dtype, into all of what an operator can write: the common case, without
    asking much.

    Returns:
        False where nothing was done.
    """
    kind = value.__class__
    number = kind is float or kind is int
    if not number and (not isinstance(value, TensorBase) or value.buffer.base is target.buffer.base):
        return False
    desc = target.desc
    if desc.dtype is complex128 or not desc.numel or not takes_outputs(target, ()):  # what does not fit is refused of nothing, too
        return False
    desc = target.desc  # it may be another one now
    if number:
        plan = _plans.get((FILL, kind, desc.shape, desc.dtype, desc.device))
        if plan is None:
            _check_open(target)
            plan = find(FILL, (value,), (desc.shape, desc.dtype), desc.device)[0]
    else:
        if value.desc is not desc and (not base.settle(value) or value.desc is not desc):
            return False
        plan = _plans.get((CLONE, desc))
    if plan is None or not plan.direct:
        return False
    plan.launch_into((target,), value)
    return True


def _written_whole(target: TensorBase, source: TensorBase) -> bool:
    """Copy in one launch with a handle, where an operator can write the target's memory as it is: one element, or as many as there are.

    Memory without gaps that operators can't be given, for where it starts or ends, is copied inside the device.

    Returns:
        False where nothing was done.
    """
    dtype, shape = target.desc.dtype, target.desc.shape
    same = source.desc.dtype is dtype
    if dtype is complex128 or not takes_outputs(target, ()):
        if not same or source.desc.shape != shape or not _without_gaps(target, source):
            return False
        to, of = base.element_offset(target) * dtype.itemsize, base.element_offset(source) * dtype.itemsize
        copies.copy_device(base.storage(target), base.storage(source), target.desc.nbytes, to, of)
        return True
    arguments: tuple[Hashable, ...]
    if source.desc.shape == shape:
        row, arguments = (CLONE, ()) if same else (CAST, (dtype,))
    elif same and source.desc.numel == 1:
        row, arguments = FILL, (shape, dtype)
    else:
        return False
    if source.desc.dtype is complex128 or base.storage(source) is base.storage(target) or not base.settle(source):
        return False
    plan, operands = find(row, (source,), arguments)
    if plan.direct:
        launch_into(row, plan, (target,), operands)
    return bool(plan.direct)


def _are_the_same(target: TensorBase, source: TensorBase) -> bool:
    """Whether two views of one storage show the same elements at the same places: what `t[...] += x` writes back does."""
    mine, other = target.desc, source.desc
    return (
        mine.dtype is other.dtype
        and mine.shape == other.shape
        and base.element_offset(target) == base.element_offset(source)
        and base.element_strides(target) == base.element_strides(source)
        and not mine.device.closed
    )


def _without_gaps(target: TensorBase, source: TensorBase) -> bool:
    """Whether both are whole stretches of memory, which don't overlap."""
    if not all(shapes.is_contiguous(view.desc.shape, base.element_strides(view)) for view in (target, source)):
        return False
    apart = abs(base.element_offset(target) - base.element_offset(source)) >= target.desc.numel
    return apart or base.storage(source) is not base.storage(target)


def _copy_view(target: TensorBase, shape: tuple[int, ...], steps: tuple[int, ...], offset: int, source: TensorBase) -> None:
    """ViewCopy of a view of other memory, broadcast, into a view of the target's memory; no step is negative."""
    whole = whole_storage(target)
    _, strides = shapes.expand_strides(source.desc.shape, base.element_strides(source), shape)
    begin = base.element_offset(source)
    if not shape:  # size and stride can't be empty: a 0-d view is taken as a vector of one
        shape = steps = strides = (1,)
    call_into(VIEW_COPY, (whole,), (whole, shape, steps, (offset,), whole_storage(source), shape, strides, (begin,)))


def move_into(target: TensorBase, source: TensorBase) -> None:
    """Copy a view of other memory, of the same shape and dtype and without negative steps, in one launch."""
    _copy_view(target, target.desc.shape, base.element_strides(target), base.element_offset(target), source)
