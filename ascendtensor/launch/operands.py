"""How operands become device buffers at launch.

A tensor's memory is used as it is; a Python number is a one-element device tensor from the device's bounded cache; a tuple of integers
that changes with every call is written to the device on the launch's stream. Anything with `data_buffer` serves as a buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.scalars import encode

if TYPE_CHECKING:
    from ..dtypes import dtype as DType
    from ..runtime.device import Device
    from ..runtime.memory import DeviceBuffer
    from ..runtime.stream import Stream


def tensor(operand: Any, stream: Stream) -> DeviceBuffer:
    """The memory of a plain tensor, ordered behind its last writer."""
    buffer: DeviceBuffer = operand.buffer
    if buffer.stream is not stream:
        buffer.read_on(stream)
    return buffer


class Number:
    """Fetch of a Python number: never an attribute, never a constant, so its value never makes a new operator model."""

    __slots__ = ("device", "dtype")

    def __init__(self, device: Device, dtype: DType) -> None:
        self.device = device
        self.dtype = dtype

    def __call__(self, operand: Any, stream: Stream) -> DeviceBuffer:
        buffer = self.device.scalar(self.dtype, operand)
        if buffer.stream is not stream:
            buffer.read_on(stream)
        return buffer


class FittingNumber(Number):
    """Fetch of a Python number for an operator that runs in a wider dtype than asked for: what the asked one can't hold is refused."""

    __slots__ = ("asked",)

    def __init__(self, device: Device, dtype: DType, asked: DType) -> None:
        super().__init__(device, dtype)
        self.asked = asked

    def __call__(self, operand: Any, stream: Stream) -> DeviceBuffer:
        encode(self.asked, operand)
        return super().__call__(operand, stream)


class Values:
    """Fetch of integers that may change with every call: the last ones are kept, others written on the launch's own stream."""

    __slots__ = ("device", "dtype")

    def __init__(self, device: Device, dtype: DType) -> None:
        self.device = device
        self.dtype = dtype

    def __call__(self, operand: Any, stream: Stream) -> DeviceBuffer:
        return self.device.scalars.several(self.dtype, operand, stream)


class Counter(Values):
    """Fetch of the counter of a random draw, which never comes again."""

    __slots__ = ()

    def __call__(self, operand: Any, stream: Stream) -> DeviceBuffer:
        return stream.lane.counters.take(operand, self.dtype, stream)
