"""Copies between host arrays and device memory, and inside a device.

`memcpy` waits for no stream (RT-37), so every copy here is ordered by its stream: small ones are queued from or to pinned staging memory,
large ones wait for the stream first and then go straight between the array and the device. On a board (run mode DEVICE) there is no
staging: host and device share the memory, and copies are of the kind device to device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..acl import binding
from ..codes import MemcpyKind
from ..compiler.progress import Steps
from ..errors import DeviceError, ShapeError, describe_bytes
from .memory import DeviceBuffer, size_class
from .staging import ALIGNMENT, SLAB

if TYPE_CHECKING:
    from ..dtypes import dtype as DType
    from .desc import TensorDesc
    from .device import Device
    from .stream import Stream

Array = np.ndarray[Any, np.dtype[Any]]

LARGE: Final = 128 << 20
PIECE: Final = 32 << 20
"""Bytes from which a copy says how far it is, and of the pieces in which it is made then."""

_DEVICE_TO_DEVICE = int(MemcpyKind.DEVICE_TO_DEVICE)
_HOST_TO_DEVICE = int(MemcpyKind.HOST_TO_DEVICE)
_DEVICE_TO_HOST = int(MemcpyKind.DEVICE_TO_HOST)


def address_of(array: Array) -> int:
    """Address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def upload(array: Array, desc: TensorDesc, non_blocking: bool = False) -> DeviceBuffer:
    """Copy a host array into new device memory, on the current stream.

    Args:
        array: Any strides and byte order; shape and dtype of `desc`. It may be changed as soon as this returns.
        desc: Shape, dtype and device.
        non_blocking: Copy from the array itself when it lies in pinned memory (`pinned_empty`): it must then stay unchanged until the
            stream was synchronised, as in PyTorch.

    Raises:
        OutOfDeviceMemoryError: No room.
    """
    stream = desc.device.current_stream()
    buffer = stream.pool.lend(desc.block_size, stream)
    if desc.nbytes:
        _fill(buffer, array, desc.dtype, desc.shape, stream, non_blocking)
    return buffer


def copy_into(buffer: DeviceBuffer, array: Array, desc: TensorDesc, non_blocking: bool = False) -> None:
    """Copy a host array over the start of a buffer (or window), on the current stream, behind all that uses it now."""
    stream = desc.device.current_stream()
    buffer.write_on(stream)
    if desc.nbytes:
        _fill(buffer, array, desc.dtype, desc.shape, stream, non_blocking)


def upload_bytes(data: bytes, stream: Stream) -> DeviceBuffer:
    """Copy bytes into new device memory on a stream, whose device is current in this thread."""
    return upload_array(np.frombuffer(data, np.uint8), stream)


def upload_values(values: Sequence[Any], dtype: DType, stream: Stream) -> DeviceBuffer:
    """Copy numbers into new device memory on a stream, whose device is current in this thread."""
    return upload_array(np.array(values, dtype.numpy), stream)


def upload_array(array: Array, stream: Stream) -> DeviceBuffer:
    """Copy a host array, as it is, into new device memory on a stream, whose device is current in this thread."""
    buffer = stream.pool.lend(size_class(array.nbytes), stream)
    if array.nbytes:
        _write(buffer, array, array.dtype, array.shape, stream, False)
    return buffer


def _fill(buffer: DeviceBuffer, array: Array, dtype: DType, shape: tuple[int, ...], stream: Stream, non_blocking: bool) -> None:
    if array.shape != shape:
        raise ShapeError(f"the host array has the shape {array.shape}, the tensor {shape}", where="upload")
    _write(buffer, array, dtype.numpy, shape, stream, non_blocking)


def _write(buffer: DeviceBuffer, array: Array, dtype: np.dtype[Any], shape: tuple[int, ...], stream: Stream, non_blocking: bool) -> None:
    device, address = stream.device, buffer.address
    nbytes = array.size * dtype.itemsize
    queued = device.host_mode and address % ALIGNMENT == 0
    direct = queued and non_blocking and array.dtype == dtype and array.flags.c_contiguous
    if direct and device.staging.is_pinned(address_of(array), nbytes):
        binding.memcpy_async(address, nbytes, address_of(array), nbytes, _HOST_TO_DEVICE, stream.handle)
        device.staging.keep(stream.handle, array)
    elif queued and nbytes <= SLAB:
        staging = device.staging
        with staging.lock:
            slab, offset = staging.reserve(stream.lane, nbytes)
            np.copyto(slab.array[offset : offset + nbytes].view(dtype).reshape(shape), array, casting="equiv")
            binding.memcpy_async(address, nbytes, slab.address + offset, nbytes, _HOST_TO_DEVICE, stream.handle)
    else:
        whole = np.ascontiguousarray(array, dtype=dtype)
        stream.synchronize()  # the block may still be read by work that was queued before it was recycled
        kind = _HOST_TO_DEVICE if device.host_mode else _DEVICE_TO_DEVICE
        _copy(address, address_of(whole), nbytes, kind, "to the device")
    device.bytes_to_device += nbytes


def _copy(target: int, source: int, nbytes: int, kind: int, where: str) -> None:
    """Copy now; in pieces where it takes a while, since nothing else of Python runs while pyACL copies (PY-17)."""
    if nbytes < LARGE:
        binding.memcpy(target, nbytes, source, nbytes, kind)
        return
    steps = Steps(f"copying {where}", nbytes, lambda count: describe_bytes(int(count)))
    try:
        for start in range(0, nbytes, PIECE):
            count = min(PIECE, nbytes - start)
            binding.memcpy(target + start, count, source + start, count, kind)
            steps.step(count)
    finally:
        steps.close()


def _reading(buffer: DeviceBuffer) -> Stream:
    """The current stream of a buffer's device, behind the buffer's last write."""
    stream = buffer.device.current_stream()
    if buffer.stream is not stream:
        buffer.read_on(stream)
    return stream


def download(buffer: DeviceBuffer, desc: TensorDesc, non_blocking: bool = False) -> Array:
    """Copy device memory into a new C-contiguous host array.

    Args:
        buffer: A buffer or window.
        desc: What lies at its start.
        non_blocking: Return an array in pinned memory at once; it holds the values after the stream was synchronised, as in PyTorch.

    Raises:
        AclError: Work queued before had failed; it shows here (RT-45).
    """
    device = desc.device
    stream = _reading(buffer)
    nbytes = desc.nbytes
    if not nbytes:
        return np.empty(desc.shape, desc.dtype.numpy)
    if non_blocking and device.host_mode and buffer.address % ALIGNMENT == 0:
        pinned: Array = device.staging.empty(nbytes).view(desc.dtype.numpy).reshape(desc.shape)
        binding.memcpy_async(address_of(pinned), nbytes, buffer.address, nbytes, _DEVICE_TO_HOST, stream.handle)
        device.staging.keep(stream.handle, pinned)
        device.bytes_to_host += nbytes
        return pinned
    result: Array = np.empty(desc.shape, desc.dtype.numpy)
    if device.host_mode and nbytes <= SLAB and buffer.address % ALIGNMENT == 0:
        _read_staged(buffer, result, nbytes, stream)
    else:
        stream.synchronize()
        kind = _DEVICE_TO_HOST if device.host_mode else _DEVICE_TO_DEVICE
        _copy(address_of(result), buffer.address, nbytes, kind, "to the host")
    device.bytes_to_host += nbytes
    return result


def _read_staged(buffer: DeviceBuffer, result: Array, nbytes: int, stream: Stream) -> None:
    staging, lane = stream.device.staging, stream.lane
    with staging.lock:
        slab, offset = staging.reserve(lane, nbytes)
        serial = lane.slab_serial
        slab.held += 1
    try:
        binding.memcpy_async(slab.address + offset, nbytes, buffer.address, nbytes, _DEVICE_TO_HOST, stream.handle)
        stream.synchronize()
        result.reshape(-1).view(np.uint8)[:] = slab.array[offset : offset + nbytes]
    finally:
        with staging.lock:
            slab.held -= 1
    with staging.lock:
        staging.drained(lane, slab, serial)


def download_parts(buffer: DeviceBuffer, parts: Sequence[tuple[int, int]]) -> list[Array]:
    """Copy pieces of a buffer, as bytes; waits for the stream once.

    Args:
        buffer: A buffer or window.
        parts: Where each piece starts in it, and its length, in bytes.

    Raises:
        AclError: Work queued before had failed; it shows here (RT-45).
    """
    device = buffer.device
    stream = _reading(buffer)
    if device.host_mode and len(parts) > 1 and buffer.base.address % ALIGNMENT == 0:
        spans = [(start - (buffer.address + start) % ALIGNMENT, start + nbytes) for start, nbytes in parts]
        if sum(end - first + ALIGNMENT for first, end in spans) <= SLAB:
            return _read_parts_staged(buffer, parts, spans, stream)
    stream.synchronize()
    kind = _DEVICE_TO_HOST if device.host_mode else _DEVICE_TO_DEVICE
    found: list[Array] = []
    for start, nbytes in parts:
        piece = np.empty(nbytes, np.uint8)
        binding.memcpy(address_of(piece), nbytes, buffer.address + start, nbytes, kind)
        device.bytes_to_host += nbytes
        found.append(piece)
    return found


def download_grid(buffer: DeviceBuffer, starts: Sequence[int], pitch: int, count: int, width: int) -> Array:
    """Copy evenly spaced pieces of a buffer to [len(starts), count * width] bytes; waits for the stream once. For run mode HOST.

    Args:
        buffer: A buffer or window.
        starts: Where each line starts in it, in bytes.
        pitch: Bytes from one piece of a line to the next.
        count: Pieces of a line.
        width: Bytes of a piece.

    Raises:
        AclError: Work queued before had failed; it shows here (RT-45).
    """
    device = buffer.device
    stream = _reading(buffer)
    stream.synchronize()
    found: Array = np.empty((len(starts), count * width), np.uint8)
    for line, start in enumerate(starts):
        binding.memcpy2d(address_of(found[line]), width, buffer.address + start, max(pitch, width), width, count, _DEVICE_TO_HOST)
    device.bytes_to_host += found.nbytes
    return found


def _read_parts_staged(
    buffer: DeviceBuffer, parts: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]], stream: Stream
) -> list[Array]:
    """Queue all pieces, each from the aligned address before it (`spans`), and wait once."""
    staging, lane, places = stream.device.staging, stream.lane, list[int]()
    total = 0
    for first, end in spans:
        places.append(total)
        total += -(-(end - first) // ALIGNMENT) * ALIGNMENT
    with staging.lock:
        slab, offset = staging.reserve(lane, total)
        serial = lane.slab_serial
        slab.held += 1
    try:
        for (first, end), place in zip(spans, places, strict=True):
            target = slab.address + offset + place
            binding.memcpy_async(target, end - first, buffer.address + first, end - first, _DEVICE_TO_HOST, stream.handle)
            stream.device.bytes_to_host += end - first
        stream.synchronize()
        found = [
            slab.array[offset + place + start - first :][:nbytes].copy()
            for (start, nbytes), (first, _), place in zip(parts, spans, places, strict=True)
        ]
    finally:
        with staging.lock:
            slab.held -= 1
    with staging.lock:  # not where the wait was interrupted: copies that are queued still read the piece
        staging.drained(lane, slab, serial)
    return found


def copy_device(target: DeviceBuffer, source: DeviceBuffer, nbytes: int, target_offset: int = 0, source_offset: int = 0) -> None:
    """Copy inside one device, on the current stream.

    Args:
        target, source: Buffers or windows of one device; the ranges don't overlap.
        nbytes: How much.
        target_offset, source_offset: Where, in bytes.
    """
    device = source.device
    if target.device is not device:
        raise DeviceError(f"copy from {device} to {target.device} inside one device", advice="Use transfer().")
    stream = _reading(source)
    target.write_on(stream)
    if not nbytes:
        return
    to, of = target.address + target_offset, source.address + source_offset
    if to % ALIGNMENT == 0 and of % ALIGNMENT == 0:
        binding.memcpy_async(to, nbytes, of, nbytes, _DEVICE_TO_DEVICE, stream.handle)
    else:
        stream.synchronize()
        binding.memcpy(to, nbytes, of, nbytes, _DEVICE_TO_DEVICE)


def transfer(buffer: DeviceBuffer, desc: TensorDesc, target: TensorDesc) -> DeviceBuffer:
    """Copy to another device, through the host: copies between devices need peer access, which not every board grants (RT-42).

    Args:
        buffer: A buffer or window.
        desc: What lies at its start.
        target: The same shape and dtype on the other device.
    """
    return upload(download(buffer, desc), target)


def pinned_empty(shape: tuple[int, ...], dtype: DType, device: Device) -> Array:
    """A new host array in pinned memory, for `non_blocking` copies; ordinary memory on a board, where there is none."""
    if not device.host_mode:
        return np.empty(shape, dtype.numpy)
    device.current_stream()
    count = int(np.prod(shape, dtype=np.int64))
    return device.staging.empty(count * dtype.itemsize).view(dtype.numpy).reshape(shape)
