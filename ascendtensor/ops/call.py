"""The one road from a function to a launch (hop 3 of `a + b`).

The registry is asked first, by row, the operands' interned descriptions (a number by its type, a tuple of per-call values by its
length) and the other arguments. Promotion, shape rule and descriptions are worked out only on a miss, in `planning`; their results live
in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from operator import index as as_int
from operator import lt
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from .. import base, shapes
from ..base import TensorBase
from ..dtypes import FLOATING, bool_, complex128, int64, python_number
from ..dtypes import dtype as DType
from ..errors import AscendTensorError, ClosedError, DeviceError, DTypeError, ShapeError, ValueRangeError
from ..launch.registry import handle_cache
from ..runtime import copies
from ..runtime.desc import TensorDesc
from ..runtime.device import Device
from .arguments import described, unfit
from .planning import Planner, layout
from .schema import ELEMENTWISE, REDUCING, Row
from .table.comparison import LOGICAL_OR
from .table.elementwise import CAST
from .table.indexing import ELEMENTS
from .table.movement import AS_STRIDED, CLONE, FILL, FLIP, TRANSPOSE

T = TypeVar("T", bound=TensorBase)

_plans: Final = handle_cache.plans
_OPERANDS: Final = (TensorBase, int, float, complex, tuple)


class Lying(NamedTuple):
    """A call of an elementwise operator in the order that its operands' dims have in memory.

    Attributes:
        plan: What launches it.
        operands: In that order, contiguous.
        targets: What it writes, where that is given.
        seen: How the result, which has that order too, is to be seen.
    """

    plan: Any
    operands: tuple[Any, ...]
    targets: tuple[TensorBase, ...]
    seen: shapes.Turned


def unary(row: Row, input: TensorBase) -> Any:
    """Launch a row that takes one tensor and no arguments."""
    try:
        plan = _plans[row, input.desc]
    except (KeyError, AttributeError):
        pass  # the miss comes below, so that its errors don't show this one as their cause
    else:
        try:
            return plan.launch(input)
        except AscendTensorError as error:
            raise error.with_context(row.name, (input,)) from None
    return _call(row, (input,), ())


def binary(row: Row, input: Any, other: Any) -> Any:
    """Launch a row that takes two operands, at least one of them a tensor, and no arguments."""
    try:
        plan = _plans[row, input.desc, other.desc if isinstance(other, TensorBase) else other.__class__]
    except KeyError:
        missed = True
    except AttributeError:  # a number first
        missed = False
    else:
        try:
            return plan.launch(input, other)
        except AscendTensorError as error:
            raise error.with_context(row.name, (input, other)) from None
    return _call(row, (input, other), ()) if missed else call(row, (input, other))


def call(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...] = (), device: Device | None = None) -> Any:
    """Launch any row.

    Args:
        row: The operator.
        operands: In the row's order, repeated ones flattened: tensors, Python numbers, None for an absent optional one, tuples of ints
            for values that change with every call.
        arguments: The other arguments of the row's rule, hashable.
        device: Where to run; needed where no operand is a tensor.

    Returns:
        The result tensor, or a tuple of them.

    Raises:
        ShapeError, DTypeError, DeviceError, IndexRangeError: The operands or arguments do not fit the operator.
        CompileError: No operator model could be made.
        AclError: A pyACL call failed.
    """
    try:
        plan = _plans[_key(row, operands, arguments, device)]
    except (KeyError, TypeError):  # a miss, or an argument that can't be hashed
        pass
    else:
        try:
            return plan.launch(*operands)
        except AscendTensorError as error:
            raise error.with_context(row.name, operands) from None
    return _call(row, operands, arguments, device)


def made(row: Row, numbers: tuple[Any, ...], arguments: tuple[Hashable, ...], like: TensorBase) -> Any:
    """Launch a row that takes no tensor: the result lies where `like` does and has its class."""
    return base.as_class(call(row, numbers, arguments, like.desc.device), like.__class__)


def structured(row: Row, input: TensorBase, *arguments: Hashable) -> Any:
    """Launch a row that takes one tensor and has arguments; `call(row, (input,), arguments)` with less to do."""
    try:
        key = (row, input.desc, *arguments)  # by itself: in the brackets it is the syntax of Python 3.11
        plan = _plans[key]
    except (KeyError, AttributeError, TypeError):
        pass
    else:
        try:
            return plan.launch(input)
        except AscendTensorError as error:
            raise error.with_context(row.name, (input,)) from None
    return _call(row, (input,), arguments)


def known(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...]) -> Any:
    """The plan for a call of plain operands that was made before, else None."""
    try:
        return _plans.get(_key(row, operands, arguments, None))
    except TypeError:  # an argument that can't be hashed
        return None


def find(
    row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...] = (), device: Device | None = None
) -> tuple[Any, tuple[Any, ...]]:
    """The plan for a call, made if need be, and the operands in the form that it takes; nothing is launched."""
    try:
        return _plans[_key(row, operands, arguments, device)], operands
    except (KeyError, TypeError):
        pass
    operands = tuple(map(plain, operands))
    return _planned(row, operands, tuple(map(_settled, arguments)), device), operands


def call_into(row: Row, targets: tuple[TensorBase, ...], operands: tuple[Any, ...], arguments: tuple[Hashable, ...] = ()) -> None:
    """Launch a row with the memory of plain tensors, of the results' shapes and dtypes, as its outputs."""
    plan, operands = find(row, operands, arguments)
    launch_into(row, plan, targets, operands)


def launch_into(row: Row, plan: Any, targets: tuple[TensorBase, ...], operands: tuple[Any, ...]) -> None:
    """The second half of `call_into`: launch a plan that `find` gave."""
    try:
        plan.launch_into(targets, *operands)
    except AscendTensorError as error:
        raise error.with_context(row.name, operands) from None


def _key(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...], device: Device | None) -> Hashable:
    key: list[Hashable] = [row]
    for operand in operands:
        if isinstance(operand, TensorBase):
            key.append(operand.desc)
        else:
            key.append(operand.__class__ if operand.__class__ is not tuple else len(operand))
    key.extend(arguments)
    if device is not None:
        key.append(device)
    return tuple(key)


def _call(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...], device: Device | None = None) -> Any:
    """The miss: bring views into plain form, make the plan, launch it."""
    for operand in operands:
        if isinstance(operand, TensorBase) and not base.settle(operand):
            found = _where_it_lies(row, operands, arguments)
            if found is not None:
                return found
            break
    operands = tuple([plain(operand) for operand in operands])
    plan = _planned(row, operands, tuple(map(_settled, arguments)), device)
    try:
        return plan.launch(*operands)
    except AscendTensorError as error:
        raise error.with_context(row.name, operands) from None


def _where_it_lies(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...]) -> Any:
    """The result on views whose elements needn't be brought into order first; None where they have to be."""
    if row.rule in REDUCING and isinstance(operands[0], TensorBase) and not operands[0].desc.plain:
        return _reduced_in_place(row, operands[0], *arguments)
    lying = as_they_lie(row, operands, arguments) if row.rule in ELEMENTWISE else None
    if lying is None:
        return None
    try:
        result = lying.plan.launch(*lying.operands)
    except AscendTensorError as error:
        raise error.with_context(row.name, operands) from None
    return base.view(result, lying.seen.shape, lying.seen.strides, 0)


def _reduced_in_place(row: Row, input: TensorBase, *arguments: Any) -> Any:
    """A reduction of a tensor whose dims lie in memory in another order, over the dims that there are: nothing has to be copied.

    Returns:
        None where that would not give the elements in order, or an argument is wrong: the ordinary way says so of the tensor as it is.
    """
    desc = input.desc
    *others, dim, keepdim = arguments
    permuted = _permuted(desc.shape, desc.strides)
    if permuted is None or shapes.is_contiguous(desc.shape, desc.strides):
        return None
    dims, lengths = permuted
    try:
        axes = shapes.normalize_dims(None if dim.__class__ is tuple and not dim else dim, len(dims))
    except (AscendTensorError, TypeError):
        return None
    left = [place for at, place in enumerate(dims) if at not in axes]
    if left != sorted(left):
        return None
    there = (
        None if dim is None else dims[axes[0]] if len(axes) == 1 and dim.__class__ is not tuple else tuple(sorted(dims[at] for at in axes))
    )
    try:
        plan, operands = find(row, (base.view(input, lengths, None, base.element_offset(input)),), (*others, there, keepdim))
    except (DTypeError, ShapeError, ValueRangeError):
        return None
    try:
        found = plan.launch(*operands)
    except AscendTensorError as error:
        raise error.with_context(row.name, (input,)) from None
    if not keepdim:
        return found
    kept = shapes.reduce_shape(desc.shape, axes, True)
    if isinstance(found, tuple):
        return tuple([base.make(each.__class__, TensorDesc.of(kept, each.desc.dtype, desc.device), each.buffer) for each in found])
    return base.make(found.__class__, TensorDesc.of(kept, found.desc.dtype, desc.device), found.buffer)


def as_they_lie(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...], targets: tuple[TensorBase, ...] = ()) -> Lying | None:
    """The plan of an elementwise operator on tensors whose dims lie in memory in one other order, for what lies there.

    Args:
        row: The operator.
        operands: As for `call`.
        arguments: As for `call`.
        targets: What is to be written, in the same order.

    Returns:
        None where they don't lie so, or don't fit: the ordinary way says so of the operands as they are.
    """
    whole = (*targets, *operands)
    for operand in whole:
        if isinstance(operand, TensorBase) and not operand.desc.plain:
            strides = operand.desc.strides
            if any(map(lt, strides, strides[1:])):
                break
    else:  # dims that lie in their order are told by that quickly
        return None
    tensors = [operand for operand in whole if isinstance(operand, TensorBase)]
    turned = shapes.turned(tuple([(tensor.desc.shape, tensor.desc.strides) for tensor in tensors]))
    if turned is None:
        return None
    views = iter(
        [base.view(tensor, shape, None, base.element_offset(tensor)) for tensor, shape in zip(tensors, turned.shapes, strict=True)]
    )
    into = tuple([next(views) for _ in targets])
    there = tuple([next(views) if isinstance(operand, TensorBase) else operand for operand in operands])
    try:
        plan, there = find(row, there, arguments)
    except (ClosedError, DeviceError, DTypeError, ShapeError, ValueRangeError):
        return None
    return Lying(plan, there, into, turned)


def _settled(argument: Any) -> Any:
    """An argument as a plan's key can hold it: a 0-d tensor or array is the number that it has now."""
    if isinstance(argument, TensorBase) and not argument.desc.shape:
        return as_int(argument) if argument.desc.dtype.category < FLOATING else float(argument)  # type: ignore[arg-type]
    if argument.__class__ is np.ndarray and not argument.shape:
        return argument.item()
    if argument.__class__ is tuple and any([isinstance(each, TensorBase) for each in argument]):
        return tuple(map(_settled, argument))
    return argument


def _planned(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...], device: Device | None) -> Any:
    key = _key(row, operands, arguments, device)
    try:
        plan = _plans.get(key)  # a view, in the form that it has now, may be known
        if plan is None:
            plan = planner.resized(key, row, operands, arguments, device)
    except TypeError:  # an argument that can't be hashed
        plan = None
    if plan is None:
        _check(row, operands, arguments)
        plan = planner.plan(key, row, operands, arguments, device)
    return plan


def _check(row: Row, operands: tuple[Any, ...], arguments: tuple[Hashable, ...]) -> None:
    """Refuse what is no operand or can't be an argument, before a plan is made for it."""
    for operand, (_, input) in zip(operands, layout(row, len(operands))[0], strict=False):
        if not (isinstance(operand, _OPERANDS) or (operand is None and input.kind == "optional")):
            advice = "An array or a list becomes a tensor by tensor()."
            raise DTypeError(f"an operand is a tensor or a number, not {described(operand)}", advice=advice).with_context(
                row.name, filter(_is_tensor, operands)
            )
    try:
        hash(arguments)
    except TypeError as error:
        raise unfit(error).with_context(row.name, filter(_is_tensor, operands)) from error


def _is_tensor(operand: Any) -> bool:
    return isinstance(operand, TensorBase)


def plain(operand: Any) -> Any:
    """An operand in the form that operators take: a view that is not contiguous and aligned is copied (`contiguous_copy`)."""
    if not isinstance(operand, TensorBase):
        return python_number(operand) if isinstance(operand, np.generic) else operand  # a NumPy scalar acts as the Python number that it is
    if base.settle(operand):
        return operand
    return contiguous_copy(operand)


def contiguous_copy(tensor: TensorBase) -> TensorBase:
    """A plain tensor with the elements of any view, by the operator AsStrided; negative steps are undone by ReverseV2.

    PyTorch has no negative steps, and no chip's AsStrided was ever given one. AsStrided gets sizes, strides and offset written to the
    device before each launch, and its call waits for them. So what has no gaps is a TensorMove, or a copy inside the device where it starts
    at an address that no operator reads from; a whole tensor with its dims in another order is a Transpose; a few elements are gathered by
    their places, which are kept.
    """
    shape, strides, offset = tensor.desc.shape, base.element_strides(tensor), base.element_offset(tensor)
    if shapes.is_contiguous(shape, strides):
        if tensor.desc.dtype is not complex128 and base.settle(tensor):
            moved: TensorBase = unary(CLONE, tensor)
        else:
            moved = empty_like(tensor)
            copies.copy_device(moved.buffer, base.storage(tensor), tensor.desc.nbytes, 0, offset * tensor.desc.dtype.itemsize)
        return moved
    permuted = None if offset else _permuted(shape, strides)
    if permuted is not None:
        dims, lengths = permuted
        whole = TensorDesc.of(lengths, tensor.desc.dtype, tensor.desc.device)
        copied: TensorBase = structured(TRANSPOSE, base.make(tensor.__class__, whole, base.storage(tensor)), dims)
        return copied
    if tensor.desc.dtype is complex128:  # AsStrided and GatherV2 have no kernels of it
        steps = (*(2 * step for step in base.element_strides(tensor)), 1)
        pairs = contiguous_copy(base.view_as(tensor, int64, (*shape, 2), steps, 2 * base.element_offset(tensor)))
        return base.view_as(pairs, complex128, shape, shapes.contiguous_strides(shape), base.element_offset(pairs) // 2)
    if tensor.desc.numel <= _FEW_ELEMENTS:
        picked: TensorBase = call(ELEMENTS, (whole_storage(tensor), places(tensor)), (0,))
        return picked
    strides, offset, flipped = shapes.without_negative_strides(shape, strides, offset)
    copy: TensorBase = call(AS_STRIDED, (whole_storage(tensor), shape or (1,), strides or (1,), (offset,)), (shape,))
    return call(FLIP, (copy,), (flipped,)) if flipped else copy


_FEW_ELEMENTS: Final = 4096
"""Up to so many, places take less time than AsStrided's numbers do."""
_PLACES: Final = 32


def places(view: TensorBase) -> TensorBase:
    """Where the elements of a view lie in its storage: int64 of the view's shape."""
    key = view.desc.shape, base.element_strides(view), base.element_offset(view)
    found: TensorBase | None = view.desc.device.places.get(key)
    return kept_places(view, key, partial(_all_places, *key)) if found is None else found


def _all_places(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    steps = [np.arange(size) * step for size, step in zip(shape, strides, strict=True)]
    return sum(np.ix_(*steps), np.int64(offset)) if steps else np.int64(offset)


def kept_places(like: TensorBase, key: Hashable, make: Callable[[], Any]) -> TensorBase:
    """Places as an int64 tensor on the device of `like`; the last ones are kept by their key."""
    device = like.desc.device
    found: TensorBase | None = device.places.get(key)
    if found is None:
        where = np.ascontiguousarray(make(), np.int64)
        buffer = copies.upload_array(where, device.current_stream())
        found = device.places[key] = base.make(like.__class__, TensorDesc.of(where.shape, int64, device), buffer)
        while len(device.places) > _PLACES:
            device.places.pop(next(iter(list(device.places))), None)
    return found


def empty_like(like: T) -> T:
    """A plain tensor of the same shape and dtype whose elements are not set yet."""
    desc = TensorDesc.of(like.desc.shape, like.desc.dtype, like.desc.device)
    stream = desc.device.current_stream()
    return base.make(like.__class__, desc, stream.pool.lend(desc.block_size, stream))


@lru_cache(maxsize=1024)
def _permuted(shape: shapes.Shape, strides: shapes.Strides) -> tuple[tuple[int, ...], shapes.Shape] | None:
    """The order of dims that makes a view of these steps out of a tensor without gaps, and that tensor's shape; None if none does."""
    dims = shapes.permutation(shape, strides)
    return (dims, tuple([shape[dims.index(dim)] for dim in range(len(shape))])) if dims else None


def whole_storage(tensor: TensorBase) -> TensorBase:
    """The tensor's storage as one flat plain tensor of its dtype."""
    storage = base.storage(tensor)
    dtype = tensor.desc.dtype
    return base.make(tensor.__class__, TensorDesc.of((storage.nbytes // dtype.itemsize,), dtype, tensor.desc.device), storage)


def cast_complex(tensor: TensorBase, dtype: DType) -> TensorBase:
    """A plain complex tensor in another dtype, by casts of its parts."""
    shape, parts = tensor.desc.shape, tensor.desc.dtype.to_real()
    steps = shapes.contiguous_strides((*shape, 2))
    pairs = base.view_as(tensor, parts, (*shape, 2), steps, 2 * base.element_offset(tensor))
    if dtype.is_complex:
        wanted: TensorBase = call(CAST, (pairs,), (dtype.to_real(),))
        return base.view_as(wanted, dtype, shape, shapes.contiguous_strides(shape), base.element_offset(wanted) // 2)
    real, imaginary = (base.view(pairs, shape, steps[:-1], base.element_offset(pairs) + part) for part in (0, 1))
    if dtype is bool_:
        either: TensorBase = call(LOGICAL_OR, (real, imaginary))
        return either
    copy = contiguous_copy(real)
    return copy if dtype is parts else call(CAST, (copy,), (dtype,))


planner: Final = Planner(handle_cache, call, CAST, FILL, cast_complex)
