"""Functions that make tensors: from host data, from numbers, like other tensors."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import base, dtypes, shapes
from .base import TensorBase
from .dtypes import DTypeLike, as_dtype, get_default_dtype
from .dtypes import dtype as DType
from .errors import DTypeError, ShapeError, ValueRangeError
from .ops import gather, host, indexing
from .ops import shape as shape_functions
from .ops.arguments import checked
from .ops.call import call
from .ops.pointwise import complex_numbers
from .ops.table.creation import LIN_SPACE, RANGE
from .ops.table.elementwise import CAST
from .ops.table.movement import FILL
from .ops.writing import into
from .options import LikeOptions, TensorOptions, check_options, no_autograd
from .runtime.desc import TensorDesc
from .runtime.device import DeviceLike, as_device

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tensor import NPUTensor

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "empty",
    "empty_like",
    "empty_strided",
    "eye",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "range",
    "scalar_tensor",
    "tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
]


# From host data


@checked
def tensor(data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]) -> NPUTensor:
    """A new tensor with a copy of `data`.

    Args:
        data: A number, nested lists of numbers, an array of any order, strides and byte order, or a tensor. Python floats become
            the default dtype and ints int64; arrays and NumPy scalars keep their dtype.
        dtype: Element type; by default that of the data.
        device: "npu", "npu:1", a number or a `Device`; by default the thread's current device, or that of `data`.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        DTypeError: Objects, strings, structures, dates; complex data for a real dtype.
        ShapeError: Nested lists of different lengths.
        ValueRangeError: A Python int that the dtype does not hold.
        DeviceIndexError: There is no such device.

    Like: torch.tensor, numpy.array.

    Examples:
        >>> at.tensor([[1.0, 2.0], [3.0, 4.0]])
        tensor([[1., 2.],
                [3., 4.]], device='npu:0')
        >>> at.tensor([1, 2], dtype=at.float16)
        tensor([1., 2.], device='npu:0', dtype=ascendtensor.float16)
    """
    check_options(options, "tensor")
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(data, TensorBase):
        return _wrap(convert(data, wanted, device, True))
    try:
        result: NPUTensor = host.upload(data, wanted, device)
    except (DTypeError, ValueRangeError, ShapeError) as error:
        raise error.with_context("tensor") from None
    return result


@checked
def asarray(
    obj: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, copy: bool | None = None, requires_grad: bool | None = False
) -> NPUTensor:
    """`obj` as a tensor: itself where it is one of this dtype and device, else a copy as by `tensor`.

    Args:
        obj: See `tensor`.
        dtype, device: See `tensor`.
        copy: True always copies; False refuses where a copy is needed, which it is for all host data.
        requires_grad: Must be false.

    Raises:
        ValueRangeError: `copy=False`, but a copy is needed.

    Like: torch.asarray, numpy.asarray.

    Examples:
        >>> at.asarray([1, 2])
        tensor([1, 2], device='npu:0')
    """
    no_autograd(bool(requires_grad), "asarray")
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
    """`asarray` by PyTorch's older name; host data are always copied. Like: torch.as_tensor.

    Examples:
        >>> at.as_tensor([1, 2])
        tensor([1, 2], device='npu:0')
        >>> x = at.ones(2)
        >>> at.as_tensor(x) is x
        True
    """
    return asarray(data, dtype, device)


@checked
def from_numpy(ndarray: Any) -> NPUTensor:
    """A new tensor with a copy of a NumPy array, of its dtype, on the current device.

    Unlike PyTorch's, it shares no memory with the array, since that lies on the host.

    Raises:
        DTypeError: Not an array, or one of a dtype that tensors can't have.

    Like: torch.from_numpy.

    Examples:
        >>> at.from_numpy(np.arange(3, dtype=np.int32))
        tensor([0, 1, 2], device='npu:0', dtype=ascendtensor.int32)
    """
    if not isinstance(ndarray, np.ndarray):
        raise DTypeError(
            f"a numpy.ndarray is needed, not {type(ndarray).__name__}", where="from_numpy", advice="tensor() takes any array-like."
        )
    return tensor(ndarray)


@checked
def frombuffer(
    buffer: Any, *, dtype: DTypeLike, count: int = -1, offset: int = 0, device: DeviceLike = None, **options: Unpack[TensorOptions]
) -> NPUTensor:
    """A new tensor of one dimension with a copy of bytes on the host.

    Args:
        buffer: An object with Python's buffer interface: bytes, a memoryview, an array.
        dtype: What the bytes are numbers of.
        count: How many numbers; -1 for as many as there are.
        offset: Bytes that are left out in front.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        DTypeError: Not a buffer.
        ValueRangeError: There are no numbers, or fewer than `count`, or a part of one is left.

    Like: torch.frombuffer, numpy.frombuffer. Unlike PyTorch's, it shares no memory with the buffer.

    Examples:
        >>> at.frombuffer(bytes([1, 2, 3]), dtype=at.uint8)
        tensor([1, 2, 3], device='npu:0', dtype=ascendtensor.uint8)
    """
    check_options(options, "frombuffer")
    if count == 0:
        raise ValueRangeError("count is 0; at least one number is needed", where="frombuffer")
    return tensor(np.frombuffer(buffer, as_dtype(dtype).numpy, count, offset), device=device)


@checked
def scalar_tensor(s: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]) -> NPUTensor:
    """A 0-d tensor of a number. Like: torch.scalar_tensor.

    Examples:
        >>> at.scalar_tensor(3)
        tensor(3., device='npu:0')
    """
    check_options(options, "scalar_tensor")
    return tensor(s, get_default_dtype() if dtype is None else dtype, device)


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
def empty(
    *lengths: Any,
    size: Any = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[LikeOptions],
) -> NPUTensor:
    """A tensor whose elements are whatever the memory holds.

    Args:
        *lengths: The shape, as numbers or as one tuple.
        size: The same by name.
        out: Tensor of this shape, which is returned; `dtype` and `device` are its own then, where not given.
        dtype: Element type; by default the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `memory_format`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`LikeOptions`).

    Raises:
        ShapeError: A negative length.
        OutOfDeviceMemoryError: No room.

    Like: torch.empty.

    Examples:
        >>> at.empty(2, 3).shape
        (2, 3)
    """
    check_options(options, "empty", LikeOptions)
    dtype, device = of_target(out, dtype, device)
    desc = TensorDesc.of(shapes.as_shape(*lengths, size=size), get_default_dtype() if dtype is None else as_dtype(dtype), as_device(device))
    stream = desc.device.current_stream()
    return _into(base.make(base.default_class(), desc, stream.pool.lend(desc.block_size, stream)), out)


@checked
def empty_strided(
    size: Any, stride: Any, *, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]
) -> NPUTensor:
    """A tensor with given steps between its elements, which are whatever the memory holds.

    Args:
        size: The shape.
        stride: As many steps, in elements, none of them negative.
        dtype, device, **options: As of `empty`.

    Raises:
        ShapeError: As many steps as lengths are needed, or a length is negative.
        ValueRangeError: A negative step.

    Like: torch.empty_strided.

    Examples:
        >>> at.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    check_options(options, "empty_strided")
    lengths, steps = shapes.as_shape(size), tuple(map(operator.index, stride))
    if len(lengths) != len(steps):
        raise ShapeError(f"{len(steps)} steps for {len(lengths)} dimensions", where="empty_strided")
    if min(steps, default=0) < 0:
        raise ValueRangeError(f"steps {list(steps)} can't be negative", where="empty_strided")
    extent = 0 if 0 in lengths else 1 + sum((length - 1) * step for length, step in zip(lengths, steps, strict=True))
    storage = empty(extent, dtype=dtype, device=device)
    return base.view(storage, lengths, steps, 0)


@checked
def full(
    size: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    *,
    out: TensorBase | None = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """A tensor of one number.

    Args:
        size: The shape.
        fill_value: A number, or a tensor of one element.
        dtype: Element type; by default that of the number: bool, int64, the default dtype or its complex type.
        device: Where; by default the current device.
        out: Tensor of this shape to write into; `dtype` and `device` are its own then, where not given.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        ShapeError: A negative length.

    Ascend operator: Fill. Like: torch.full, numpy.full.

    Examples:
        >>> at.full((2, 2), 7)
        tensor([[7, 7],
                [7, 7]], device='npu:0')
    """
    check_options(options, "full")
    dtype, device = of_target(out, dtype, device)
    value = _scalar(fill_value)
    if not isinstance(value, (int, float, complex)):
        raise DTypeError(f"{type(value).__name__} is no number", where="full")
    return _into(_filled(shapes.as_shape(size), value, as_dtype(type(value)) if dtype is None else as_dtype(dtype), device), out)


def _filled(shape: shapes.Shape, value: Any, dtype: DType, device: DeviceLike) -> Any:
    if isinstance(value, complex) and not dtype.is_complex:
        raise DTypeError(f"the complex number {value} can't become {dtype.name}", where="full")
    if dtype.category == dtypes.INTEGER and not isinstance(value, int):
        if not math.isfinite(value):
            raise ValueRangeError(f"{value} has no value of dtype {dtype.name}", where="full")
        value = int(value)
    return call(FILL, (value,), (shape, dtype), as_device(device))


@checked
def zeros(
    *lengths: Any,
    size: Any = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """A tensor of zeros; arguments as of `empty`, `out` as of `full`. Ascend operator: Fill. Like: torch.zeros, numpy.zeros.

    Examples:
        >>> at.zeros(3)
        tensor([0., 0., 0.], device='npu:0')
    """
    check_options(options, "zeros")
    dtype, device = of_target(out, dtype, device)
    return _into(_filled(shapes.as_shape(*lengths, size=size), 0, get_default_dtype() if dtype is None else as_dtype(dtype), device), out)


@checked
def ones(
    *lengths: Any,
    size: Any = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """A tensor of ones; arguments as of `empty`, `out` as of `full`. Ascend operator: Fill. Like: torch.ones, numpy.ones.

    Examples:
        >>> at.ones(2, 2)
        tensor([[1., 1.],
                [1., 1.]], device='npu:0')
    """
    check_options(options, "ones")
    dtype, device = of_target(out, dtype, device)
    return _into(_filled(shapes.as_shape(*lengths, size=size), 1, get_default_dtype() if dtype is None else as_dtype(dtype), device), out)


def _wrap(result: Any) -> NPUTensor:
    made: NPUTensor = result
    return made


def of_target(out: TensorBase | None, dtype: DTypeLike | None, device: DeviceLike) -> tuple[DTypeLike | None, DeviceLike]:
    """Dtype and device as given, else those of the tensor that is written into."""
    if out is None:
        return dtype, device
    return (out.desc.dtype if dtype is None else dtype), (out.desc.device if device is None else device)


def _into(result: Any, out: TensorBase | None) -> NPUTensor:
    return _wrap(into(result, out))


# Like another tensor


def _like(made: TensorBase, input: TensorBase) -> NPUTensor:
    return _wrap(base.as_class(made, input.__class__))


@checked
def empty_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[LikeOptions]) -> NPUTensor:
    """`empty` with shape, dtype and device of `input`, where not given. Like: torch.empty_like.

    Examples:
        >>> at.empty_like(at.ones(2, 3)).shape
        (2, 3)
    """
    check_options(options, "empty_like", LikeOptions)
    made = empty(input.desc.shape, dtype=dtype or input.desc.dtype, device=input.desc.device if device is None else device)
    return _like(made, input)


@checked
def full_like(
    input: TensorBase, fill_value: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[LikeOptions]
) -> NPUTensor:
    """`full` with shape, dtype and device of `input`, where not given. Like: torch.full_like.

    Examples:
        >>> at.full_like(at.ones(2), 7)
        tensor([7., 7.], device='npu:0')
    """
    check_options(options, "full_like", LikeOptions)
    made = full(input.desc.shape, fill_value, dtype or input.desc.dtype, input.desc.device if device is None else device)
    return _like(made, input)


@checked
def ones_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[LikeOptions]) -> NPUTensor:
    """`ones` with shape, dtype and device of `input`, where not given. Like: torch.ones_like.

    Examples:
        >>> at.ones_like(at.tensor([1, 2]))
        tensor([1, 1], device='npu:0')
    """
    check_options(options, "ones_like", LikeOptions)
    return full_like(input, 1, dtype, device)


@checked
def zeros_like(input: TensorBase, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[LikeOptions]) -> NPUTensor:
    """`zeros` with shape, dtype and device of `input`, where not given. Like: torch.zeros_like.

    Examples:
        >>> at.zeros_like(at.tensor([1, 2]))
        tensor([0, 0], device='npu:0')
    """
    check_options(options, "zeros_like", LikeOptions)
    return full_like(input, 0, dtype, device)


# Sequences of numbers


@checked
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Numbers from `start` on, `step` apart, as long as they are before `end`; `arange(n)` and `arange(end=n)` start at 0.

    Args:
        start, end, step: Numbers. Each element is `start + i * step`, rounded once.
        out: Tensor of this shape to write into; `dtype` and `device` are its own then, where not given.
        dtype: Element type; by default int64 for ints, else the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        ValueRangeError: `step` is 0 or leads away from `end`, or one of them is not finite.
        DTypeError: bool or a complex dtype.

    Ascend operator: Range. Like: torch.arange, numpy.arange.

    Examples:
        >>> at.arange(1, 7, 2)
        tensor([1, 3, 5], device='npu:0')
        >>> at.arange(3.0)
        tensor([0., 1., 2.], device='npu:0')
    """
    check_options(options, "arange")
    dtype, device = of_target(out, dtype, device)
    if end is None or start is None:
        start, end = 0, start if end is None else end
    start, end, step = (_number(value, "arange") for value in (start, end, step))
    whole = all(isinstance(value, int) for value in (start, end, step))
    wanted = (dtypes.int64 if whole else get_default_dtype()) if dtype is None else as_dtype(dtype)
    if wanted.is_complex or wanted is dtypes.bool_:
        raise DTypeError(f"there is no range of {wanted.name}", where="arange")
    if not wanted.is_floating_point and not whole and all(map(math.isfinite, (start, end, step))):
        start, end, step, whole = int(start), int(end), int(step), True
    _check_steps(start, end, step, "arange")
    length = -((start - end) // step) if whole else math.ceil((end - start) / step)
    return _into(_progression(start, step, length, wanted, device), out)


def _check_steps(start: Any, end: Any, step: Any, function: str) -> None:
    if step == 0 or (end - start) * step < 0 or not all(map(math.isfinite, (start, end, step))):
        raise ValueRangeError(f"a step of {step} does not lead from {start} to {end}", where=function)


def _progression(start: Any, step: Any, length: int, wanted: DType, device: DeviceLike) -> Any:
    """`length` numbers, `step` apart; those of integer dtypes are ints."""
    if wanted.is_floating_point:
        # The operator counts too, in the dtype's precision; in the middle between two elements it comes to the same length.
        working = dtypes.float64 if length > 1 << 20 else wanted
        limit = start + (length - 0.5) * step
    else:
        working, limit = wanted, start + length * step
    result = call(RANGE, (start, limit, step), (length, working), as_device(device))
    return result if working is wanted else call(CAST, (result,), (wanted,))


@checked
def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Numbers from `start` to `end`, which is one of them if a step leads there; PyTorch's older form of `arange`.

    Args:
        start, end, step: Numbers.
        out: Tensor of this shape to write into; `dtype` and `device` are its own then, where not given.
        dtype: Element type; by default the default dtype, for ints too.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        ValueRangeError: `step` is 0 or leads away from `end`, or one of them is not finite.
        DTypeError: bool or a complex dtype.

    Ascend operator: Range. Like: torch.range.

    Examples:
        >>> at.range(0, 2)
        tensor([0., 1., 2.], device='npu:0')
    """
    check_options(options, "range")
    dtype, device = of_target(out, dtype, device)
    if end is None:
        start, end = 0, start
    start, end, step = (_number(value, "range") for value in (start, end, step))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if wanted.is_complex or wanted is dtypes.bool_:
        raise DTypeError(f"there is no range of {wanted.name}", where="range")
    if not wanted.is_floating_point and all(map(math.isfinite, (start, end, step))):
        start, end, step = int(start), int(end), int(step)
    _check_steps(start, end, step, "range")
    return _into(_progression(start, step, math.floor((end - start) / step) + 1, wanted, device), out)


@checked
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    Args:
        start, end: Numbers.
        steps: How many.
        out: Tensor of this shape to write into; `dtype` and `device` are its own then, where not given.
        dtype: Element type; by default the default dtype, or its complex type for complex ends. For integers the ends
            are cut off, and what is computed between them.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        ValueRangeError: `steps` is negative.
        DTypeError: bool, or complex ends for a real dtype.

    Ascend operator: LinSpace. Like: torch.linspace, numpy.linspace.

    Examples:
        >>> at.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000], device='npu:0')
    """
    check_options(options, "linspace")
    dtype, device = of_target(out, dtype, device)
    start, end = _scalar(start), _scalar(end)
    numbers = isinstance(start, complex) or isinstance(end, complex)
    wanted = _default_of(numbers) if dtype is None else as_dtype(dtype)
    steps = operator.index(steps)
    if steps < 0:
        raise ValueRangeError(f"the number of steps can't be {steps}", where="linspace")
    if wanted.is_complex:
        ends = ((part(start), part(end)) for part in (operator.attrgetter("real"), operator.attrgetter("imag")))
        parts = (linspace(first, last, steps, dtype=wanted.to_real(), device=device) for first, last in ends)
        return _into(complex_numbers.complex(*parts), out)
    if numbers:
        raise DTypeError(f"complex numbers can't become {wanted.name}", where="linspace")
    if wanted is dtypes.bool_:
        raise DTypeError("there is no linspace of bool", where="linspace")
    working = wanted if wanted.is_floating_point else dtypes.float64
    first, last = (float(_number(value, "linspace")) for value in (start, end))
    if not wanted.is_floating_point:
        first, last = float(int(first)), float(int(last))
    result = call(LIN_SPACE, (first, last), (steps, working), as_device(device))
    return _into(result if working is wanted else call(CAST, (result,), (wanted,)), out)


@checked
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """`base` to the powers of `linspace(start, end, steps)`. Like: torch.logspace, numpy.logspace.

    Examples:
        >>> at.logspace(0, 2, 3)
        tensor([  1.,  10., 100.], device='npu:0')
    """
    check_options(options, "logspace")
    dtype, device = of_target(out, dtype, device)
    wanted = None if dtype is None else as_dtype(dtype)
    real = wanted is not None and wanted.category < dtypes.FLOATING
    exponents = linspace(start, end, steps, dtype=dtypes.float64 if real else wanted, device=device)
    result: NPUTensor = base**exponents
    return _into(result.to(wanted) if real else result, out)


@checked
def eye(
    n: int,
    m: int | None = None,
    *,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """A matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: Number of rows.
        m: Number of columns; by default as many.
        out: Tensor of this shape to write into; `dtype` and `device` are its own then, where not given.
        dtype: Element type; by default the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        ShapeError: A negative number.

    Ascend operator: Fill, ViewCopy; Eye keeps its sizes as attributes, so each shape would make a model. Like: torch.eye, numpy.eye.

    Examples:
        >>> at.eye(2)
        tensor([[1., 0.],
                [0., 1.]], device='npu:0')
    """
    check_options(options, "eye")
    dtype, device = of_target(out, dtype, device)
    rows, columns = shapes.as_shape(n, n if m is None else m)
    result = zeros(rows, columns, dtype=dtype, device=device)
    length = min(rows, columns)
    if length:
        indexing.fill(base.view(result, (length,), (columns + 1,), 0), 1)
    return _into(result, out)


def _scalar(value: Any) -> Any:
    """A Python number of a NumPy scalar or a tensor of one element."""
    return dtypes.python_number(value) if isinstance(value, (TensorBase, np.generic, np.ndarray)) else value


def _default_of(numbers_are_complex: bool) -> DType:
    return get_default_dtype().to_complex() if numbers_are_complex else get_default_dtype()


@checked
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]
) -> NPUTensor:
    """The places of the lower triangle of a matrix, row by row.

    Args:
        row, col: Lengths of the matrix.
        offset: The last diagonal that belongs to it; 0 the main one, positive ones above it.
        dtype: Integer dtype of the result; by default int64.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Returns:
        Tensor of shape (2, places): row numbers, then column numbers.

    Raises:
        ShapeError: A negative length.
        DTypeError: Not an integer dtype.

    Ascend operator: composed of Fill, Tril and NonZero. Like: torch.tril_indices, numpy.tril_indices.

    Examples:
        >>> at.tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]], device='npu:0')
    """
    check_options(options, "tril_indices")
    return _triangle_places(shape_functions.tril, row, col, offset, dtype, device, "tril_indices")


@checked
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]
) -> NPUTensor:
    """The places of the upper triangle of a matrix, row by row; arguments and result as of `tril_indices`.

    Args:
        row, col, dtype, device, **options: As of `tril_indices`.
        offset: The first diagonal that belongs to it.

    Raises:
        ShapeError: A negative length.
        DTypeError: Not an integer dtype.

    Ascend operator: composed of Fill, Triu and NonZero. Like: torch.triu_indices, numpy.triu_indices.

    Examples:
        >>> at.triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]], device='npu:0')
    """
    check_options(options, "triu_indices")
    return _triangle_places(shape_functions.triu, row, col, offset, dtype, device, "triu_indices")


def _triangle_places(
    part: Callable[..., Any], row: int, col: int, offset: int, dtype: DTypeLike | None, device: DeviceLike, function: str
) -> NPUTensor:
    wanted = dtypes.int64 if dtype is None else as_dtype(dtype)
    if wanted.category != dtypes.INTEGER:
        raise DTypeError(f"an integer dtype is needed, not {wanted.name}", where=function)
    lengths = shapes.as_shape(row, col)
    if 0 in lengths:
        return empty(2, 0, dtype=wanted, device=device)
    offset = max(-lengths[0] - 1, min(lengths[1] + 1, operator.index(offset)))
    places = gather.nonzero(part(ones(lengths, dtype=dtypes.uint8, device=device), offset))
    return _wrap(convert(shape_functions.contiguous(places.T), wanted, None, False))


def _number(value: Any, where: str) -> Any:
    """A Python number of a number, a NumPy scalar or a tensor of one element."""
    value = _scalar(value)
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, (int, float)):
        raise DTypeError(f"{type(value).__name__} is no real number", where=where)
    return value
