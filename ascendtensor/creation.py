"""Functions that make tensors: from host data, from numbers, like other tensors."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import base, dtypes, shapes
from .base import TensorBase
from .dtypes import DTypeLike, as_dtype, get_default_dtype
from .dtypes import dtype as DType
from .errors import AutogradError, DTypeError, ShapeError, ValueRangeError
from .ops import host, indexing
from .ops import shape as shape_functions
from .ops.arguments import checked
from .ops.call import call
from .ops.table.creation import LIN_SPACE, RANGE
from .ops.table.elementwise import CAST
from .ops.table.movement import FILL
from .runtime.desc import TensorDesc
from .runtime.device import DeviceLike, as_device
from .runtime.memory import DeviceBuffer

if TYPE_CHECKING:
    from .tensor import NPUTensor

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "scalar_tensor",
    "tensor",
    "zeros",
    "zeros_like",
]


def no_autograd(requires_grad: bool, where: str) -> None:
    """Refuse `requires_grad=True`.

    Raises:
        AutogradError: It is true.
    """
    if requires_grad:
        raise AutogradError(
            "autograd is not there yet, tensors can't require gradients", where=where, advice="Leave requires_grad=True away."
        )


# From host data


@checked
def tensor(data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """A new tensor with a copy of `data`.

    Args:
        data: A number, nested lists of numbers, an array of any order, strides and byte order, or a tensor. Python floats become
            the default dtype and ints int64; arrays and NumPy scalars keep their dtype.
        dtype: Element type; by default that of the data.
        device: "npu", "npu:1", a number or a `Device`; by default the thread's current device, or that of `data`.
        requires_grad: Must be false.

    Raises:
        DTypeError: Objects, strings, structures, dates; complex data for a real dtype.
        ShapeError: Nested lists of different lengths.
        ValueRangeError: A Python int that the dtype does not hold.
        DeviceIndexError: There is no such device.

    Like: torch.tensor, numpy.array.
    """
    no_autograd(requires_grad, "tensor")
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(data, TensorBase):
        return _wrap(convert(data, wanted, device, True))
    try:
        result: NPUTensor = host.upload(data, wanted, device)
    except (DTypeError, ValueRangeError, ShapeError) as error:
        raise error.with_context("tensor") from None
    return result


@checked
def asarray(obj: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, copy: bool | None = None) -> NPUTensor:
    """`obj` as a tensor: itself where it is one of this dtype and device, else a copy as by `tensor`.

    Args:
        obj: See `tensor`.
        dtype, device: See `tensor`.
        copy: True always copies; False refuses where a copy is needed, which it is for all host data.

    Raises:
        ValueRangeError: `copy=False`, but a copy is needed.

    Like: torch.asarray, numpy.asarray.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, TensorBase):
        same = (wanted is None or wanted is obj.desc.dtype) and (device is None or as_device(device) is obj.desc.device)
        if copy is False and not same:
            raise ValueRangeError("another dtype or device needs a copy", where="asarray").with_context("asarray", (obj,))
        return _wrap(convert(obj, wanted, device, bool(copy)))
    if copy is False:
        raise ValueRangeError("host data can't be seen by a device without a copy", where="asarray", advice="Leave copy=False away.")
    return tensor(obj, wanted, device)


@checked
def as_tensor(data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None) -> NPUTensor:
    """`asarray` by PyTorch's older name; host data are always copied. Like: torch.as_tensor."""
    return asarray(data, dtype, device)


@checked
def from_numpy(ndarray: Any) -> NPUTensor:
    """A new tensor with a copy of a NumPy array, of its dtype, on the current device.

    Unlike PyTorch's, it shares no memory with the array, since that lies on the host.

    Raises:
        DTypeError: Not an array, or one of a dtype that tensors can't have.

    Like: torch.from_numpy.
    """
    if not isinstance(ndarray, np.ndarray):
        raise DTypeError(
            f"a numpy.ndarray is needed, not {type(ndarray).__name__}", where="from_numpy", advice="tensor() takes any array-like."
        )
    return tensor(ndarray)


@checked
def scalar_tensor(value: Any, dtype: DTypeLike | None = None, device: DeviceLike = None) -> NPUTensor:
    """A 0-d tensor of a number. Like: torch.scalar_tensor."""
    return tensor(value, get_default_dtype() if dtype is None else dtype, device)


def convert(source: Any, dtype: DType | None, device: DeviceLike, copy: bool) -> Any:
    """A tensor in another dtype, on another device; the same object where nothing changes and no copy is asked for."""
    to = source.desc.dtype if dtype is None else dtype
    where = source.desc.device if device is None else as_device(device)
    if where is not source.desc.device:
        return host.moved(source, where, to)
    if to is not source.desc.dtype:
        return call(CAST, (source,), (to,))
    return shape_functions.clone(source) if copy else source


# Of one number


@checked
def empty(*size: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """A tensor whose elements are whatever the memory holds.

    Args:
        *size: The shape, as numbers or as one tuple.
        dtype: Element type; by default the default dtype.
        device: Where; by default the current device.
        requires_grad: Must be false.

    Raises:
        ShapeError: A negative length.
        OutOfDeviceMemoryError: No room.

    Like: torch.empty.
    """
    no_autograd(requires_grad, "empty")
    desc = TensorDesc.of(shapes.as_shape(*size), get_default_dtype() if dtype is None else as_dtype(dtype), as_device(device))
    stream = desc.device.current_stream()
    return _wrap(base.make(base.default_class(), desc, DeviceBuffer(stream.pool.take(desc.block_size), stream)))


@checked
def full(size: Any, fill_value: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """A tensor of one number.

    Args:
        size: The shape.
        fill_value: A number, or a tensor of one element.
        dtype: Element type; by default that of the number: bool, int64, the default dtype or its complex type.
        device: Where; by default the current device.
        requires_grad: Must be false.

    Raises:
        ShapeError: A negative length.

    Ascend operator: Fill. Like: torch.full, numpy.full.
    """
    no_autograd(requires_grad, "full")
    value = fill_value.item() if isinstance(fill_value, (TensorBase, np.generic, np.ndarray)) else fill_value  # type: ignore[union-attr]
    if not isinstance(value, (int, float, complex)):
        raise DTypeError(f"{type(value).__name__} is no number", where="full")
    return _wrap(_filled(shapes.as_shape(size), value, as_dtype(type(value)) if dtype is None else as_dtype(dtype), device))


def _filled(shape: shapes.Shape, value: Any, dtype: DType, device: DeviceLike) -> Any:
    if isinstance(value, complex) and not dtype.is_complex:
        raise DTypeError(f"the complex number {value} can't become {dtype.name}", where="full")
    if dtype.category == dtypes.INTEGER and not isinstance(value, int):
        if not math.isfinite(value):
            raise ValueRangeError(f"{value} has no value of dtype {dtype.name}", where="full")
        value = int(value)
    return call(FILL, (value,), (shape, dtype), as_device(device))


@checked
def zeros(*size: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """A tensor of zeros; arguments as of `empty`. Ascend operator: Fill. Like: torch.zeros, numpy.zeros."""
    no_autograd(requires_grad, "zeros")
    return _wrap(_filled(shapes.as_shape(*size), 0, get_default_dtype() if dtype is None else as_dtype(dtype), device))


@checked
def ones(*size: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """A tensor of ones; arguments as of `empty`. Ascend operator: Fill. Like: torch.ones, numpy.ones."""
    no_autograd(requires_grad, "ones")
    return _wrap(_filled(shapes.as_shape(*size), 1, get_default_dtype() if dtype is None else as_dtype(dtype), device))


def _wrap(result: Any) -> NPUTensor:
    made: NPUTensor = result
    return made


# Like another tensor


@checked
def empty_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """`empty` with shape, dtype and device of `input`, where not given. Like: torch.empty_like."""
    return empty(
        input.desc.shape,
        dtype=dtype or input.desc.dtype,
        device=input.desc.device if device is None else device,
        requires_grad=requires_grad,
    )


@checked
def full_like(
    input: TensorBase, fill_value: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> NPUTensor:
    """`full` with shape, dtype and device of `input`, where not given. Like: torch.full_like."""
    return full(input.desc.shape, fill_value, dtype or input.desc.dtype, input.desc.device if device is None else device, requires_grad)


@checked
def ones_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """`ones` with shape, dtype and device of `input`, where not given. Like: torch.ones_like."""
    return full_like(input, 1, dtype, device, requires_grad)


@checked
def zeros_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False) -> NPUTensor:
    """`zeros` with shape, dtype and device of `input`, where not given. Like: torch.zeros_like."""
    return full_like(input, 0, dtype, device, requires_grad)


# Sequences of numbers


@checked
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> NPUTensor:
    """Numbers from `start` on, `step` apart, as long as they are before `end`; `arange(n)` starts at 0.

    Args:
        start, end, step: Numbers. Each element is `start + i * step`, rounded once.
        dtype: Element type; by default int64 for ints, else the default dtype.
        device: Where; by default the current device.
        requires_grad: Must be false.

    Raises:
        ValueRangeError: `step` is 0 or leads away from `end`, or one of them is not finite.
        DTypeError: bool or a complex dtype.

    Ascend operator: Range. Like: torch.arange, numpy.arange.
    """
    no_autograd(requires_grad, "arange")
    if end is None:
        start, end = 0, start
    start, end, step = (_number(value, "arange") for value in (start, end, step))
    whole = all(isinstance(value, int) for value in (start, end, step))
    wanted = (dtypes.int64 if whole else get_default_dtype()) if dtype is None else as_dtype(dtype)
    if wanted.is_complex or wanted is dtypes.bool_:
        raise DTypeError(f"there is no range of {wanted.name}", where="arange")
    if step == 0 or (end - start) * step < 0 or not all(map(math.isfinite, (start, end, step))):
        raise ValueRangeError(f"a step of {step} does not lead from {start} to {end}", where="arange")
    length = -((start - end) // step) if whole else math.ceil((end - start) / step)
    if wanted.is_floating_point:
        # The operator counts too, in the dtype's precision; in the middle between two elements it comes to the same length.
        working = dtypes.float64 if length > 1 << 20 else wanted
        limit = start + (length - 0.5) * step
    else:
        start, step, working = int(start), int(step), wanted
        limit = start + length * step
    result = call(RANGE, (start, limit, step), (length, working), as_device(device))
    return _wrap(result if working is wanted else call(CAST, (result,), (wanted,)))


@checked
def linspace(
    start: Any, end: Any, steps: int, *, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> NPUTensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    Args:
        start, end: Numbers.
        steps: How many.
        dtype: Element type; by default the default dtype. Integers are computed in the default dtype and cut off.
        device: Where; by default the current device.
        requires_grad: Must be false.

    Raises:
        ValueRangeError: `steps` is negative.
        DTypeError: A complex dtype.

    Ascend operator: LinSpace. Like: torch.linspace, numpy.linspace.
    """
    no_autograd(requires_grad, "linspace")
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if wanted.is_complex:
        raise DTypeError(f"there is no linspace of {wanted.name}", where="linspace")
    steps = operator.index(steps)
    if steps < 0:
        raise ValueRangeError(f"the number of steps can't be {steps}", where="linspace")
    working = wanted if wanted.is_floating_point else dtypes.float64
    first, last = (float(_number(value, "linspace")) for value in (start, end))
    result = call(LIN_SPACE, (first, last), (steps, working), as_device(device))
    return _wrap(result if working is wanted else call(CAST, (result,), (wanted,)))


@checked
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: DTypeLike | None = None, device: DeviceLike = None
) -> NPUTensor:
    """`base` to the powers of `linspace(start, end, steps)`. Like: torch.logspace, numpy.logspace."""
    exponents = linspace(start, end, steps, dtype=dtype, device=device)
    result: NPUTensor = base**exponents
    return result


@checked
def eye(
    n: int, m: int | None = None, *, dtype: DTypeLike | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> NPUTensor:
    """A matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: Number of rows.
        m: Number of columns; by default as many.
        dtype: Element type; by default the default dtype.
        device: Where; by default the current device.
        requires_grad: Must be false.

    Raises:
        ShapeError: A negative number.

    Ascend operator: Fill, ViewCopy; Eye keeps its sizes as attributes, so each shape would make a model. Like: torch.eye, numpy.eye.
    """
    no_autograd(requires_grad, "eye")
    rows, columns = shapes.as_shape(n, n if m is None else m)
    result = zeros(rows, columns, dtype=dtype, device=device)
    length = min(rows, columns)
    if length:
        indexing.fill(base.view(result, (length,), (columns + 1,), 0), 1)
    return result


def _number(value: Any, where: str) -> Any:
    """A Python number of a number, a NumPy scalar or a tensor of one element."""
    if isinstance(value, (TensorBase, np.generic, np.ndarray)):
        value = value.item()  # type: ignore[union-attr]
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, (int, float)):
        raise DTypeError(f"{type(value).__name__} is no real number", where=where)
    return value
