"""From array-likes on the host to device memory and back.

`array_of` decides what host data mean: nested lists of Python numbers follow PyTorch's rules (floats are of the default dtype, ints are
int64), arrays and NumPy scalars keep their dtype. Every upload copies, so the host array may be changed or freed at once.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from .. import base, capsules, shapes
from ..base import TensorBase
from ..dtypes import INTEGER, bool_, from_numpy, get_default_dtype, int64
from ..dtypes import dtype as DType
from ..errors import DTypeError, ShapeError, ValueRangeError
from ..promotion import promote_types
from ..runtime import copies
from ..runtime.desc import TensorDesc
from ..runtime.device import DeviceLike, as_device
from .call import call, plain
from .table.elementwise import CAST

Array = np.ndarray[Any, np.dtype[Any]]

_PYTHON_INTS: Final = frozenset({int, bool})


def array_of(data: Any, dtype: DType | None = None, floating: DType | None = None) -> Array:
    """A host array of `data` in this machine's byte order, of `dtype` if it is given.

    Args:
        data: A number, nested lists or tuples of numbers, an array of any strides and byte order, or anything that NumPy takes for one.
        dtype: Element type wanted; complex data can't become real.
        floating: What Python's floats become without `dtype`; by default the default dtype.

    Raises:
        DTypeError: Objects, strings, structures, dates, extended precision; complex data for a real dtype.
        ShapeError: Nested lists of different lengths, or more dimensions than a tensor can have.
        ValueRangeError: A Python int that the dtype does not hold.
    """
    listed = isinstance(data, (list, tuple, int, float, complex)) and not isinstance(data, np.generic)
    found = _from_lists(data, dtype, floating or get_default_dtype()) if listed else _from_array(data)
    shapes.as_shape(*(found.shape or ((),)))
    if dtype is None or found.dtype == dtype.numpy:
        return found
    if found.dtype.kind == "c" and not dtype.is_complex:
        raise DTypeError(f"complex data can't become {dtype.name} without losing their imaginary parts", advice="Give .real of them.")
    with np.errstate(all="ignore"):
        if dtype.category == INTEGER and from_numpy(found.dtype).is_floating_point:
            return _saturated(found, dtype)
        return found.astype(dtype.numpy)


def _saturated(array: Array, dtype: DType) -> Array:
    """Floats as integers, as the operator Cast makes them: NaN is 0, what is outside the range its nearest end."""
    if array.dtype.kind != "f":  # bfloat16
        array = array.astype(np.float32)
    limits = np.iinfo(dtype.numpy)
    whole: Array = array.astype(dtype.numpy)
    whole[array >= float(limits.max)] = limits.max  # NumPy's own cast wraps there, or not, by place in the array
    whole[array <= float(limits.min)] = limits.min
    whole[np.isnan(array)] = 0
    return whole


def _from_array(data: Any) -> Array:
    if isinstance(data, np.ma.MaskedArray) and data.mask.any():
        raise DTypeError("a masked array has elements without a value", advice="Give .filled(value) of it.")
    try:
        array = np.asarray(data)
    except (TypeError, ValueError) as error:  # such as bfloat16 of other libraries
        exported = capsules.array(data)
        if exported is None:
            text = f"{type(data).__name__} can't be taken for an array: {error}"
            raise DTypeError(text, advice="Make a NumPy array of it first.") from None
        array = exported
    if array.dtype.kind == "O" and not array.ndim and not isinstance(data, np.ndarray):
        exported = capsules.array(data)
        if exported is not None:
            return exported
        advice = "Give a number, nested lists or tuples of numbers, or an array; list(...) makes a list of a set or a generator."
        raise DTypeError(f"{type(data).__name__} can't be taken for an array", advice=advice)
    if not array.dtype.isnative and array.dtype.names is None:
        array = array.astype(array.dtype.newbyteorder("="))
    from_numpy(array.dtype)
    return array


def _from_lists(data: Any, dtype: DType | None, floating: DType) -> Array:
    kinds: set[type] = set()
    collect_types(data, kinds)
    if any(issubclass(kind, TensorBase) for kind in kinds):
        if dtype is None:
            return array_of(_downloaded(data), _common(data, floating), floating)
        data = _downloaded(data)
    try:
        array = np.asarray(data)
    except (ValueError, OverflowError) as error:
        raise ShapeError(f"the lists don't make an array: {error}", advice="Lists on one level need the same length.") from None
    if array.size == 0 and not any(issubclass(kind, (np.generic, np.ndarray)) for kind in kinds):
        return array.astype((floating if dtype is None else dtype).numpy)
    if array.dtype.kind == "O" and not kinds <= _PYTHON_INTS:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        advice = "What is missing can be float('nan')." if type(None) in kinds else "Convert to numbers first."
        raise DTypeError(f"lists of numbers are needed, not of {names}", advice=advice)
    if kinds <= _PYTHON_INTS:
        if array.dtype.kind == "f":  # what NumPy makes of ints on both sides of 2**63
            array = np.asarray(data, np.dtype(object))
        return _from_ints(array, kinds, dtype)
    from_numpy(array.dtype)
    if array.dtype == np.float64 and all(issubclass(kind, (int, float)) and not issubclass(kind, np.generic) for kind in kinds):
        return _rounded(array, floating, dtype)
    if array.dtype == np.complex128 and all(issubclass(kind, (int, float, complex)) and not issubclass(kind, np.generic) for kind in kinds):
        return _rounded(array, floating.to_complex(), dtype)
    return array


def _rounded(array: Array, default: DType, dtype: DType | None) -> Array:
    if dtype is not None:  # rounded once, to the dtype wanted
        return array
    with np.errstate(all="ignore"):
        return array.astype(default.numpy)


def _from_ints(array: Array, kinds: set[type], dtype: DType | None) -> Array:
    """Python ints: int64 where nothing else is asked for, never floats by way of NumPy's mixing."""
    if kinds == {bool}:
        return array
    wanted = int64 if dtype is None else dtype
    if wanted.category > INTEGER or wanted is bool_:
        return array.astype(np.float64) if array.dtype == object else array
    limits = np.iinfo(wanted.numpy)
    if not (limits.min <= int(array.min()) and int(array.max()) <= limits.max):
        raise ValueRangeError(f"{wanted.name} does not hold all of the integers: it goes from {limits.min} to {limits.max}")
    return array.astype(wanted.numpy)


def collect_types(data: Any, kinds: set[type], depth: int = 0) -> None:
    """Types of the leaves of nested lists.

    Raises:
        ShapeError: They are nested deeper than a tensor can have dimensions, as a list that holds itself is.
    """
    if not isinstance(data, (list, tuple)):
        kinds.add(type(data))
        return
    if depth >= shapes.MAX_RANK:
        raise ShapeError(f"lists are nested in {shapes.MAX_RANK} others, and a tensor has at most so many dimensions")
    here = set(map(type, data))
    nested = {kind for kind in here if issubclass(kind, (list, tuple))}
    kinds |= here - nested
    if nested:
        for item in data:
            if isinstance(item, (list, tuple)):
                collect_types(item, kinds, depth + 1)


def _common(data: Any, floating: DType) -> DType | None:
    """The type of nested lists of tensors and numbers, in which each counts as much as the others; None of what is neither."""
    found: set[DType] = set()
    for item in data:
        if isinstance(item, (list, tuple)):
            kind = _common(item, floating)
        elif isinstance(item, TensorBase):
            kind = item.desc.dtype
        elif isinstance(item, np.generic):
            kind = from_numpy(item.dtype)
        else:
            kind = {bool: bool_, int: int64, float: floating, complex: floating.to_complex()}.get(type(item))
        if kind is not None:
            found.add(kind)
    return functools.reduce(promote_types, found) if found else None


def _downloaded(data: Any) -> Any:
    """Lists with 0-d tensors replaced by their values."""
    if isinstance(data, TensorBase):
        if data.desc.shape:
            raise ShapeError(f"a list of tensors of shape {list(data.desc.shape)} is no array", advice="Join them with stack() or cat().")
        return download(data)
    return [_downloaded(item) for item in data] if isinstance(data, (list, tuple)) else data


# To the device


def upload(
    data: Any,
    dtype: DType | None = None,
    device: DeviceLike = None,
    non_blocking: bool = False,
    floating: DType | None = None,
    cls: type[TensorBase] | None = None,
) -> Any:
    """A new tensor with a copy of host data.

    Args:
        data: See `array_of`.
        dtype: Element type; by default that of the data.
        device: Where; by default the thread's current device.
        non_blocking: See `runtime.copies.upload`.
        floating: See `array_of`.
        cls: Class of the tensor; by default the default class.
    """
    array = array_of(data, dtype, floating)
    desc = TensorDesc.of(array.shape, from_numpy(array.dtype), as_device(device))
    return base.make(cls or base.default_class(), desc, copies.upload(array, desc, non_blocking))


# To the host


def download(tensor: TensorBase, non_blocking: bool = False) -> Array:
    """A new C-contiguous host array with the elements of any tensor.

    Raises:
        ClosedError: The tensor is from before `shutdown()`.
        AclError: Work queued before had failed.
    """
    settled = plain(tensor)
    return copies.download(settled.buffer, settled.desc, non_blocking)


def moved(tensor: Any, device: Any, dtype: DType) -> Any:
    """`tensor` on another device, there in `dtype`: a copy through the host (RT-42)."""
    source = plain(tensor)
    target = TensorDesc.of(source.desc.shape, source.desc.dtype, device)
    result = base.make(tensor.__class__, target, copies.transfer(source.buffer, source.desc, target))
    return result if dtype is target.dtype else call(CAST, (result,), (dtype,))


def item(tensor: TensorBase) -> Any:
    """The one element of a tensor as a Python number.

    Raises:
        ValueRangeError: It has more elements, or none.
    """
    if tensor.desc.numel != 1:
        advice = "Index or reduce it first, or take all of them with tolist() or numpy()."
        raise ValueRangeError(f"a tensor with {tensor.desc.numel} elements is no number", advice=advice).with_context("item", (tensor,))
    return download(tensor).reshape(-1)[0].item()


def nested_lists(tensor: TensorBase) -> Any:
    """Nested lists of Python numbers."""
    return download(tensor).tolist()
