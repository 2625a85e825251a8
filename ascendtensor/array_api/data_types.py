"""Data type functions and the inspection API of the standard."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np

from .. import dtypes as d
from .. import promotion
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..errors import DTypeError, ValueRangeError
from ..runtime import device as devices
from ..runtime.device import Device, DeviceLike
from .array import NPUTensor

T = TypeVar("T", bound=NPUTensor)

KINDS: Final[dict[str, tuple[DType, ...]]] = {
    "bool": (d.bool_,),
    "signed integer": (d.int8, d.int16, d.int32, d.int64),
    "unsigned integer": (d.uint8, d.uint16, d.uint32, d.uint64),
    "real floating": (d.float32, d.float64),
    "complex floating": (d.complex64, d.complex128),
}
"""The standard's dtypes by kind. float16 and bfloat16 are there too, but not of it."""

NUMBERS: Final = (int, float, complex, np.generic)
"""What stands for a Python number; NumPy's scalars are weak in promotion like it."""
_GROUPS: Final = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}
_BEYOND: Final = {"real floating": (d.float16, d.bfloat16)}


def _of(value: Any) -> DType:
    return value.desc.dtype if isinstance(value, TensorBase) else d.as_dtype(value)


def _type(number: Any) -> type:
    return type(d.python_number(number) if isinstance(number, np.generic) else number)


def astype(x: T, dtype: DType, /, *, copy: bool = True, device: DeviceLike = None) -> T:
    """`x` in another dtype; the same array where it has it and `copy` is False. Like: numpy.ndarray.astype.

    Examples:
        >>> xp.astype(xp.asarray([1.9, -1.9]), xp.int32)
        tensor([ 1, -1], device='npu:0', dtype=ascendtensor.int32)
    """
    if _of(x).is_complex and not dtype.is_complex:
        raise DTypeError(f"complex numbers have no value of dtype {dtype.name}", advice="Take real() or abs() first.", where="astype")
    moved: T = x.to(device, dtype, copy=copy) if device is not None else x.to(dtype, copy=copy)
    return moved


def can_cast(from_: Any, to: DType, /) -> bool:
    """Whether every value of the first dtype (or of an array's) has one in the second by the promotion rules. Like: numpy.can_cast.

    Examples:
        >>> xp.can_cast(xp.int32, xp.int64)
        True
    """
    try:
        return promotion.promote_types(_of(from_), d.as_dtype(to)) is d.as_dtype(to)
    except DTypeError:
        return False


def finfo(type: Any, /) -> d.finfo:
    """The limits of a floating dtype, or of the parts of a complex one. Like: numpy.finfo.

    Examples:
        >>> xp.finfo(xp.float32).bits
        32
    """
    return d.finfo(_of(type))


def iinfo(type: Any, /) -> d.iinfo:
    """The limits of an integer dtype. Like: numpy.iinfo.

    Examples:
        >>> xp.iinfo(xp.int8).max
        127
    """
    return d.iinfo(_of(type))


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is another one, or of a kind, or of one of several. Like: numpy.isdtype.

    Examples:
        >>> xp.isdtype(xp.int8, "integral")
        True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return bool(d.as_dtype(dtype) is d.as_dtype(kind))
    names = _GROUPS.get(kind, (kind,))
    if not set(names) <= set(KINDS):
        known = ", ".join((*KINDS, *_GROUPS))
        raise ValueRangeError(f"there is no kind {kind!r}", where="isdtype", advice=f"The kinds are {known}.")
    return any(d.as_dtype(dtype) in (*KINDS[name], *_BEYOND.get(name, ())) for name in names)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The common dtype of arrays, dtypes and Python numbers, of arrays of every rank alike. Like: numpy.result_type.

    Examples:
        >>> xp.result_type(xp.int8, xp.uint8)
        ascendtensor.int16
    """
    typed = [(_of(value), 1) for value in arrays_and_dtypes if not isinstance(value, NUMBERS)]
    numbers = [(_type(value), -1) for value in arrays_and_dtypes if isinstance(value, NUMBERS)]
    if not typed:
        raise ValueRangeError("an array or a dtype is needed among the operands", where="result_type")
    return promotion.result_type([*typed, *numbers])


class Info:
    """What `__array_namespace_info__()` gives: devices, dtypes and what the namespace is capable of."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean masks and data-dependent shapes are there; up to 8 dimensions, as operators have them."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> Device:
        """The current device."""
        return devices.as_device(None)

    def default_dtypes(self, *, device: DeviceLike = None) -> dict[str, DType]:
        """The dtypes that numbers get."""
        floating = d.get_default_dtype()
        return {"real floating": floating, "complex floating": floating.to_complex(), "integral": d.int64, "indexing": d.int64}

    def dtypes(self, *, device: DeviceLike = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes by name, all or those of a kind."""
        every = [dtype for members in KINDS.values() for dtype in members]
        return {dtype.name: dtype for dtype in every if kind is None or isdtype(dtype, kind)}

    def devices(self) -> tuple[Device, ...]:
        """Every device."""
        return tuple(devices.as_device(index) for index in range(devices.device_count()))


def __array_namespace_info__() -> Info:
    """Devices, dtypes, capabilities. Like: numpy.__array_namespace_info__.

    Examples:
        >>> xp.__array_namespace_info__().default_device()
        npu:0
    """
    return Info()
