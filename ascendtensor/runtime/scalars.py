"""Numbers as one-element device tensors, kept by dtype and bits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..dtypes import from_numpy
from ..errors import DTypeError, ValueRangeError
from . import copies
from .memory import DeviceBuffer

if TYPE_CHECKING:
    from ..dtypes import dtype as DType
    from .device import Device
    from .stream import Stream

CAPACITY: Final = 1024
_PLAIN: Final = frozenset((bool, int, float, np.bool_, np.int32, np.int64, np.float32, np.float64))
FEW: Final = 16
"""The most tuples of integers that are kept."""


def encode(dtype: DType, value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A number as a 0-d array of a dtype.

    Raises:
        ValueRangeError: An integer dtype can't hold it.
        DTypeError: It is complex and the dtype is not, or it is no number.
    """
    if isinstance(value, (complex, np.complexfloating)) and not dtype.is_complex:
        raise DTypeError(f"the complex number {value} has no value of dtype {dtype.name}")
    if isinstance(value, np.generic):
        from_numpy(value.dtype)  # refuses texts, dates and extended precision
    elif not isinstance(value, (bool, int, float, complex)):
        raise DTypeError(f"{type(value).__name__} is no number")
    number: Any = value  # not every NumPy scalar has .real
    try:
        if not dtype.is_complex and not dtype.is_floating_point and dtype.name != "bool":
            if isinstance(value, (float, np.floating)) and not math.isfinite(value):
                raise ValueRangeError(f"{value} has no value of dtype {dtype.name}")
            whole, limits = int(number.real), np.iinfo(dtype.numpy)
            if not limits.min <= whole <= limits.max:
                raise ValueRangeError(f"{whole} does not fit {dtype.name}, which holds {limits.min} to {limits.max}")
            value = whole
        elif dtype.is_floating_point and isinstance(value, int):
            value = float(value)
    except OverflowError:
        raise ValueRangeError(f"the integer is too large for {dtype.name}") from None
    with np.errstate(all="ignore"):  # a float beyond the dtype's range is its infinity
        return np.asarray(value).astype(dtype.numpy)


class Scalars:
    """The scalars of one device, at most `CAPACITY`; the one made first goes first."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._by_value: dict[tuple[DType, Any], DeviceBuffer] = {}
        self._by_bits: dict[tuple[DType, bytes], DeviceBuffer] = {}
        self._several: dict[tuple[DType, tuple[int, ...]], DeviceBuffer] = {}

    def __len__(self) -> int:
        return len(self._by_bits)

    def get(self, dtype: DType, value: Any) -> DeviceBuffer:
        """A device buffer with the number; made by one copy on the current stream if there is none yet.

        Args:
            dtype: Element type.
            value: A Python or NumPy number.
        """
        # Equal numbers have equal bits in one dtype, except the zeros, kept as they are written, and NaN, equal to none. What is equal to
        # a number and of another type (3+0j, a Fraction) is to be refused, whether that number was met before or not.
        if value.__class__ in _PLAIN:
            found = self._by_value.get((dtype, value or repr(value)))
            if found is not None:
                return found
        return self._make(dtype, value)

    def _make(self, dtype: DType, value: Any) -> DeviceBuffer:
        array = encode(dtype, value)
        bits = array.tobytes()
        device = self._device
        stream = device.current_stream()
        with device.lock:
            buffer = self._by_bits.get((dtype, bits))
            if buffer is None:
                buffer = copies.upload_array(array, stream)
                self._by_bits[(dtype, bits)] = buffer
            keep = value.__class__ in _PLAIN and value == value and not dtype.is_complex
            if keep:
                self._by_value[(dtype, value or repr(value))] = buffer
            if len(self._by_bits) > CAPACITY or len(self._by_value) > 2 * CAPACITY:
                self._by_value.clear()
                while len(self._by_bits) > CAPACITY:
                    del self._by_bits[next(iter(self._by_bits))]
                if keep:
                    self._by_value[(dtype, value or repr(value))] = buffer
            return buffer

    def several(self, dtype: DType, values: tuple[int, ...], stream: Stream) -> DeviceBuffer:
        """A device buffer with a few integers, sizes and steps of views for example, which come again and again in loops."""
        key = dtype, values
        buffer = self._several.get(key)
        if buffer is None:
            buffer = copies.upload_values(values, dtype, stream)
            with self._device.lock:
                self._several[key] = buffer
                if len(self._several) > FEW:
                    del self._several[next(iter(self._several))]
        elif buffer.stream is not stream:
            buffer.read_on(stream)
        return buffer

    def clear(self) -> None:
        """Forget all."""
        self._several.clear()
        self._by_value.clear()
        self._by_bits.clear()
