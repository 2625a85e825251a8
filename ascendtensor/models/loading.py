"""Loading a model, with memory of the system's or of the library's."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ..acl import binding
from ..acl import models as calls
from ..errors import DTypeError, ValueRangeError
from ..runtime.device import Device, DeviceLike, as_device
from ..runtime.memory import DeviceBuffer, size_class
from .model import Model, collect, describe_loaded

MEMORY = ("system", "managed")

Source = str | os.PathLike[str] | os.PathLike[bytes] | bytes | bytearray | memoryview | IO[bytes]
Origin = tuple[object, ...]
"""What tells one source from another."""


def load(source: Source, *, device: DeviceLike = None, memory: str = "system", weights: Model | None = None) -> Model:
    """Loads a whole model.

    Args:
        source: Path of an `.om` file, its bytes, or a file object opened for reading bytes.
        device: Where it runs; the current device if None.
        memory: "system" leaves work and weight memory to ACL; "managed" takes both from the library's pool, where they count in its
            statistics. ACL wants "system" for models of open shapes.
        weights: A model that was loaded from the same source with `memory="managed"` on the same device: its weight memory is shared.

    Returns:
        The model, to be called, and unloaded by `unload()` or at the end of a `with` block.

    Raises:
        AclError: The file is missing, damaged or made for something else; ACL's message says which.
        DTypeError: Something else than a path, bytes or a file of bytes.
        OutOfDeviceMemoryError: No room in managed memory.
        UnsupportedError: An input or output of a dtype that tensors can't have, or a model with dynamic AIPP.
        ValueRangeError: An unknown kind of memory, managed memory for a model of open shapes, weights that can't be shared, or a path that
            ACL can't be told.

    Like: torch.jit.load.

    Examples:
        >>> with at.models.load("net.om") as model:
        ...     p, best = model(at.tensor([[0.0, 9.0, 0.0], [5.0, 0.0, 0.0]]))
        >>> best
        tensor([1, 0], device='npu:0')
    """
    if memory not in MEMORY:
        raise ValueRangeError(f"memory must be one of {', '.join(MEMORY)}, not {memory!r}", where="models.load")
    target = as_device(device)
    if weights is not None:
        _check_shared(weights, target)
        memory = "managed"
    with target.current():
        target.activate()
        collect()
        with _located(source, target) as place:
            origin = place.origin() if memory == "managed" else ()
            if weights is not None and (not origin or weights.origin != origin):
                raise _not_shared("the weights to share are not of the same source", "Load both from one file, or from the same bytes.")
            identifier, kept = _load(place, target, memory, weights)
        try:
            return describe_loaded(identifier, target, place.name, kept, origin)
        except BaseException:
            calls.unload(identifier)
            raise


class Place:
    """Where ACL finds the model: a file, or, without a path, bytes in host memory."""

    def __init__(self, path: str | None, data: bytes, name: str) -> None:
        self.path = path
        self.data = data
        self.name = name

    def origin(self) -> Origin:
        """What tells the source from others; empty for a file that isn't there."""
        if self.data:
            return "bytes", hashlib.sha256(self.data).digest()
        try:
            found = os.stat(self.path or "")
        except OSError:
            return ()
        return "file", found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def query(self) -> tuple[int, int]:
        """Bytes of work and of weight memory."""
        if self.path is not None:
            return calls.query_size(self.path)
        return calls.query_size_from_mem(binding.bytes_to_ptr(self.data), len(self.data))

    def load(self, memory: tuple[int, int, int, int] | None) -> int:
        """Loads it: addresses and sizes of work and weight memory, or None."""
        if memory is None:
            if self.path is not None:
                return calls.load_from_file(self.path)
            return calls.load_from_mem(binding.bytes_to_ptr(self.data), len(self.data))
        if self.path is not None:
            return calls.load_from_file_with_mem(self.path, *memory)
        return calls.load_from_mem_with_mem(binding.bytes_to_ptr(self.data), len(self.data), *memory)


@contextmanager
def _located(source: Source, device: Device) -> Iterator[Place]:
    if isinstance(source, (str, os.PathLike)):
        path = _text(source)
        yield Place(path, b"", os.path.splitext(os.path.basename(path))[0])
        return
    data = bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else _read(source)
    if device.host_mode and data:
        yield Place(None, data, "model")
        return
    # On a board models in memory would have to lie in device memory (MDL-3); nothing at all is for ACL to refuse.
    with tempfile.TemporaryDirectory(prefix="ascendtensor-") as folder:
        path = os.path.join(folder, "model.om")
        with open(path, "wb") as file:
            file.write(data)
        yield Place(path, data, "model")


def _text(source: str | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """A path as pyACL takes it: UTF-8 without NUL."""
    path = os.fsdecode(source)
    try:
        if "\0" not in path and path.encode():
            return path
    except UnicodeEncodeError:
        pass
    if not path:
        return path
    raise ValueRangeError(f"the path {path!a} can't be given to ACL", where="models.load", advice="Open the file and give that.")


def _read(source: IO[bytes]) -> bytes:
    data = source.read() if hasattr(source, "read") else None
    if not isinstance(data, bytes):
        kind = type(source).__name__
        raise DTypeError(f"a path, bytes or a file of bytes is needed, not {kind}", where="models.load", advice='Open files with "rb".')
    return data


def _load(place: Place, device: Device, memory: str, weights: Model | None) -> tuple[int, list[DeviceBuffer]]:
    """The model's id, and the buffers that it works in: work, then weights."""
    if memory == "system":
        return place.load(None), []
    work_size, weight_size = place.query()
    stream = device.current_stream()
    work = stream.pool.lend(size_class(work_size), stream)
    if weights is None:
        shared = stream.pool.lend(size_class(weight_size), stream)
    else:
        shared = weights.memory[1]
        if shared.nbytes < weight_size:
            raise ValueRangeError(
                f"the model needs {weight_size} bytes of weights, the one to share them with has {shared.nbytes}", where="models.load"
            )
    stream.synchronize()  # the blocks may still be used by work that was queued before they were recycled
    sizes = work.nbytes, shared.nbytes
    return place.load((work.address, sizes[0], shared.address, sizes[1])), [work, shared]


def _check_shared(weights: Model, device: Device) -> None:
    if not isinstance(weights, Model):
        raise DTypeError(f"weights is a loaded model, not {type(weights).__name__}", where="models.load")
    if not weights.memory or weights.closed or weights.device is not device:
        raise _not_shared(
            "weights can be shared with a model that is loaded, on the same device, in managed memory",
            'Load the first one with memory="managed".',
        )


def _not_shared(text: str, advice: str) -> ValueRangeError:
    return ValueRangeError(text, where="models.load", advice=advice)
