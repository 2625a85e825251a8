"""Tensor descriptions: the interned one that tensors carry, and lists of aclTensorDesc for pyACL calls."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from .. import shapes
from ..acl import binding
from ..codes import Format, MallocPolicy, MemcpyKind, RunMode
from ..interrupts import HeldInterrupts
from .memory import size_class

if TYPE_CHECKING:
    from ..compiler.description import TensorDescription
    from ..dtypes import dtype as DType
    from .device import Device


_new = object.__new__


class TensorDesc:
    """Shape, dtype and device of a contiguous tensor; one object for each combination on a device, compared by identity.

    Make it with `TensorDesc.of`.

    Attributes:
        shape: Sizes of the dimensions.
        dtype: Element type.
        device: The device, of one generation: descriptions from before `shutdown()` are other objects.
        numel: Number of elements.
        nbytes: Their size in bytes.
        block_size: Bytes of the allocator's block that holds them (`memory.size_class`).
        strides: Steps of the dimensions in elements.
        plain: Always True: contiguous, from the start of its buffer.
    """

    __slots__ = ("__weakref__", "_drop", "_handle", "block_size", "device", "dtype", "nbytes", "numel", "shape", "strides")
    plain: Final = True

    def __init__(self, shape: tuple[int, ...], dtype: DType, device: Device) -> None:
        self._handle = 0
        self.shape = shape
        self.dtype = dtype
        self.device = device
        self.strides = shapes.contiguous_strides(shape)
        self.numel = shapes.numel(shape)
        self.nbytes = self.numel * dtype.itemsize
        self.block_size = size_class(self.nbytes)

    @staticmethod
    def of(shape: tuple[int, ...], dtype: DType, device: Device) -> TensorDesc:
        """The description of this shape, dtype and device.

        Args:
            shape: Sizes of the dimensions, each an int or something with `__index__`.
            dtype: Element type.
            device: Where.
        """
        found = device.descs.get((shape, dtype))
        if found is not None:
            return found
        plain = tuple(operator.index(length) for length in shape)  # numpy ints hash alike, but pyACL refuses them (PY-12)
        with device.lock:
            found = device.descs.get((plain, dtype))
            if found is None:
                found = TensorDesc(plain, dtype, device)
                device.descs[(plain, dtype)] = found
                device.recent_descs.append(found)
            return found

    def handle(self) -> int:
        """The aclTensorDesc (ND), made at the first call; it goes with this object or at shutdown."""
        if not self._handle:
            with self.device.lock:
                if not self._handle:
                    self._make()
        return self._handle

    def _make(self) -> None:
        with HeldInterrupts():
            made = binding.create_tensor_desc(int(self.dtype.acl), list(self.shape), int(Format.ND))
            self._handle = self.device.kept_descs.add(made)
            self._drop = partial(self.device.kept_descs.dropped.append, made)

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}] on {self.device}"

    __del__ = property(attrgetter("_drop"))  # nothing where no description was made


def create(tensor: TensorDescription, named: bool = True) -> int:
    """An aclTensorDesc with everything that a description says: ranges, constant, name, repeated input (TD-14 to TD-21).

    Args:
        tensor: What it says.
        named: Set the name of an operand that is not repeated too: launches don't read it (OM-23), shape inference does (INF-6).
    """
    handle = binding.create_tensor_desc(int(tensor.dtype), list(tensor.shape), int(tensor.format))
    try:
        if tensor.ranges:
            binding.set_tensor_shape_range(handle, [list(limits) for limits in tensor.ranges])
        if tensor.name and (named or tensor.dynamic_input):
            binding.set_tensor_desc_name(handle, tensor.name)
        if tensor.dynamic_input:
            binding.set_tensor_dynamic_input(handle, tensor.dynamic_input)
        if tensor.const is not None:
            _set_const(handle, tensor.const)
    except BaseException:
        binding.destroy_tensor_desc(handle)
        raise
    return handle


def _set_const(handle: int, data: bytes) -> None:
    if binding.get_run_mode() == RunMode.HOST:
        binding.set_tensor_const(handle, binding.bytes_to_ptr(data), len(data))  # copied at once (TD-17)
        return
    # TD-18: on the board the bytes have to lie in device memory.
    address = binding.malloc(len(data), int(MallocPolicy.HUGE_FIRST))
    try:
        array = np.frombuffer(data, np.uint8)
        binding.memcpy(address, len(data), array.__array_interface__["data"][0], len(data), int(MemcpyKind.DEVICE_TO_DEVICE))
        binding.set_tensor_const(handle, address, len(data))
    finally:
        binding.free(address)


@contextmanager
def made(tensors: Sequence[TensorDescription]) -> Iterator[list[int]]:
    """aclTensorDescs for the time of a `with` block."""
    handles: list[int] = []
    try:
        with HeldInterrupts():
            for tensor in tensors:
                handles.append(create(tensor))
        yield handles
    finally:
        with HeldInterrupts():
            while handles:
                binding.destroy_tensor_desc(handles.pop())


def keep(device: Device, tensor: TensorDescription, named: bool = True) -> int:
    """An aclTensorDesc that lives until `drop` or until the device is shut down."""
    with HeldInterrupts():
        return device.kept_descs.add(create(tensor, named))


def drop(device: Device, handles: Sequence[int]) -> None:
    """Give aclTensorDescs of `keep` back. It only queues them, so a finaliser may call it."""
    device.kept_descs.dropped.extend(handles)


class Bounds:
    """aclTensorDescs of the outputs of one operator whose dims the data decide: they say the upper bound when a call takes them, the call
    writes the exact dims into them (OP-13), and behind it they are set back. So two calls at once never share them.

    Outputs have neither ranges nor constants; names are left out.
    """

    __slots__ = ("_dims", "_kept", "_spare", "_tensors", "give_back")

    def __init__(self, device: Device, tensors: Sequence[TensorDescription]) -> None:
        self._spare: list[list[int]] = []
        self._kept = device.kept_descs
        self._tensors = [(int(tensor.dtype), list(tensor.shape), int(tensor.format)) for tensor in tensors]
        self._dims = [dims for _, dims, _ in self._tensors]
        self.give_back = self._spare.append

    def take(self) -> list[int]:
        """Those for one call. Afterwards `dims`, then `give_back`; where one of them fails, `drop`."""
        try:
            return self._spare.pop()
        except IndexError:
            with HeldInterrupts():
                return [self._kept.add(binding.create_tensor_desc(*tensor)) for tensor in self._tensors]

    def dims(self, handles: list[int]) -> list[tuple[int, ...]]:
        """The dims that a call has written; they are set back."""
        return [*map(binding.take_tensor_desc_dims, handles, self._dims)]

    def __del__(self) -> None:
        try:
            for handles in self._spare:
                self._kept.dropped.extend(handles)
        except AttributeError:  # an interrupt came while it was made
            pass


class KeptDesc:
    """An aclTensorDesc that lives as long as this object, or until the device is shut down.

    Attributes:
        handle: Its number in pyACL.
    """

    __slots__ = ("__weakref__", "_drop", "handle")

    def __init__(self, device: Device, tensor: TensorDescription, named: bool = True) -> None:
        with HeldInterrupts():
            self.handle = keep(device, tensor, named)
            self._drop = partial(device.kept_descs.dropped.append, self.handle)

    __del__ = property(attrgetter("_drop"))


def shared(device: Device, tensor: TensorDescription) -> KeptDesc:
    """The aclTensorDesc that plans for the same operand share; nobody changes it. The caller holds the registry's lock."""
    key = (tensor.dtype, tensor.shape, tensor.format, tensor.ranges, tensor.const, tensor.dynamic_input and tensor.name)
    found: KeptDesc | None = device.shared_descs.get(key)
    if found is None:
        found = device.shared_descs[key] = KeptDesc(device, tensor, named=False)
    return found


def shared_as(device: Device, tensor: TensorDescription, dims: tuple[int, ...]) -> KeptDesc:
    """`shared` for a description with other dims, without ranges and constant; interrupts are held."""
    key = (tensor.dtype, dims, tensor.format, None, None, tensor.dynamic_input and tensor.name)
    found: KeptDesc | None = device.shared_descs.get(key)
    if found is None:
        found = _new(KeptDesc)
        handle = binding.create_tensor_desc(tensor.dtype, list(dims), tensor.format)
        found.handle = device.kept_descs.add(handle)
        found._drop = partial(device.kept_descs.dropped.append, found.handle)
        if tensor.dynamic_input:
            binding.set_tensor_desc_name(handle, tensor.name)
            binding.set_tensor_dynamic_input(handle, tensor.dynamic_input)
        device.shared_descs[key] = found
    return found
