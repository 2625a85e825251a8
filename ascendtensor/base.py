"""TensorBase: device memory and its description. No mathematics, no pyACL call.

Every function of the upper floors is typed on `TensorBase` and builds its results through the first operand's class, or
through `default_class()` where there is no operand; `tensor.py` sets that class once. So functions never import the
tensor class that imports them.
"""

from __future__ import annotations

import functools
from math import prod
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from . import shapes
from .errors import AscendTensorError, ClosedError, IndexRangeError
from .options import check_format, contiguous_format, memory_format
from .runtime.desc import TensorDesc
from .runtime.memory import DeviceBuffer

if TYPE_CHECKING:
    from .dtypes import dtype as DType
    from .runtime.device import Device

T = TypeVar("T", bound="TensorBase")

ALIGNMENT: Final = 32
"""Bytes that the start of an operator's operand is aligned to (RT-29)."""

_new = object.__new__


class StridedDesc:
    """Description of a view that an operator can't take as it is: strided, or starting off the beginning of its buffer.

    Attributes:
        shape: Sizes of the dimensions.
        dtype: Element type.
        device: Device of the buffer.
        strides: Steps of the dimensions in elements; negative ones are allowed.
        offset: Position of the first element in the buffer, in elements.
    """

    __slots__ = ("device", "dtype", "numel", "offset", "shape", "strides")
    plain: Final = False

    def __init__(self, shape: tuple[int, ...], dtype: DType, device: Device, strides: tuple[int, ...], offset: int) -> None:
        self.shape = shape
        self.dtype = dtype
        self.device = device
        self.strides = strides
        self.offset = offset
        self.numel = prod(shape)

    @property
    def nbytes(self) -> int:
        return self.numel * self.dtype.itemsize


class TensorBase:
    """A device buffer and the description of what lies in it.

    A *plain* tensor is contiguous and starts where its buffer starts: its `desc` is an interned `TensorDesc`, and operators
    take its buffer as it is. Any other view carries a `StridedDesc` and is brought into plain form by an operator first.
    """

    __slots__ = ("__weakref__", "_parameter", "buffer", "desc")  # _parameter is set in tensors that a module counts as its weights

    desc: TensorDesc | StridedDesc
    buffer: DeviceBuffer
    _parameter: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions. Like: torch.Tensor.shape.

        Examples:
            >>> at.ones(2, 3).shape
            (2, 3)
        """
        return self.desc.shape

    @property
    def dtype(self) -> DType:
        """Element type. Like: torch.Tensor.dtype.

        Examples:
            >>> at.ones(2).dtype
            ascendtensor.float32
        """
        return self.desc.dtype

    @property
    def device(self) -> Device:
        """Device that holds the memory. Like: torch.Tensor.device.

        Examples:
            >>> at.ones(2).device
            npu:0
        """
        return self.desc.device

    @property
    def ndim(self) -> int:
        """Number of dimensions. Like: torch.Tensor.ndim.

        Examples:
            >>> at.ones(2, 3).ndim
            2
        """
        return len(self.desc.shape)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes. Like: torch.Tensor.nbytes.

        Examples:
            >>> at.ones(2, 3).nbytes
            24
        """
        return self.desc.nbytes

    def numel(self) -> int:
        """Number of elements. Like: torch.Tensor.numel.

        Examples:
            >>> at.ones(2, 3).numel()
            6
        """
        return self.desc.numel

    @overload
    def stride(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> Any:
        """Steps of the dimensions in elements; of one dimension where `dim` is given. Like: torch.Tensor.stride.

        Examples:
            >>> at.ones(2, 3).stride(), at.ones(2, 3).stride(0)
            ((3, 1), 3)
        """
        strides = element_strides(self)
        if dim is None:
            return strides
        if not strides:
            raise IndexRangeError("a 0-d tensor has no dimensions").with_context("stride", (self,))
        try:
            return strides[shapes.normalize_dim(dim, self.ndim)]
        except AscendTensorError as error:
            raise error.with_context("stride", (self,)) from None

    def storage_offset(self) -> int:
        """Position of the first element in the memory that the tensor shares, in elements. Like: torch.Tensor.storage_offset.

        Examples:
            >>> at.ones(4)[1:].storage_offset()
            1
        """
        return element_offset(self)

    def is_contiguous(self, memory_format: memory_format = contiguous_format) -> bool:
        """Whether the elements lie in row-major order without gaps; no other order can be asked for. Like: torch.Tensor.is_contiguous.

        Examples:
            >>> at.ones(2, 3).T.is_contiguous()
            False
        """
        if memory_format is not contiguous_format:
            check_format(memory_format, "is_contiguous")
        desc = self.desc
        return desc.plain or shapes.is_contiguous(desc.shape, element_strides(self))


_default_class: type[TensorBase] = TensorBase


def default_class() -> type[TensorBase]:
    """Class of results that have no tensor operand to take it from."""
    return _default_class


def set_default_class(cls: type[TensorBase]) -> None:
    """Set, once, by tensor.py."""
    global _default_class
    _default_class = cls


def element_strides(tensor: TensorBase) -> tuple[int, ...]:
    """Steps of the tensor's dimensions in elements."""
    return tensor.desc.strides


def element_offset(tensor: TensorBase) -> int:
    """Position of the tensor's first element in its storage (`storage(tensor)`), in elements."""
    desc = tensor.desc
    if desc.__class__ is StridedDesc:
        return desc.offset
    start = tensor.buffer.offset
    return start // desc.dtype.itemsize if start else 0


def storage(tensor: TensorBase) -> DeviceBuffer:
    """The whole buffer that the tensor lies in; views of one storage alias."""
    return tensor.buffer.base


def reachable(tensor: T, where: str) -> T:
    """The tensor, if its memory is there still, for what hands out addresses of it."""
    device = tensor.desc.device
    if device.closed:
        error = ClosedError(f"the tensor is from before shutdown() of {device}", advice="Make it again from host data.")
        raise error.with_context(where, (tensor,))
    return tensor


def make(cls: type[T], desc: TensorDesc, buffer: DeviceBuffer) -> T:
    """A plain tensor over a buffer."""
    tensor = _new(cls)
    tensor.desc = desc
    tensor.buffer = buffer
    return tensor


def as_class(tensor: TensorBase, cls: type[T]) -> T:
    """The same memory as a tensor of that class; the tensor itself if it is one of exactly this class."""
    if tensor.__class__ is cls:
        return tensor
    result = _new(cls)
    result.desc, result.buffer = tensor.desc, tensor.buffer
    return result


def marked(tensor: T) -> T:
    """The tensor itself, which counts as a parameter from now on. What is computed from it does not."""
    tensor._parameter = True
    return tensor


def is_marked(tensor: TensorBase) -> bool:
    """Whether the tensor is a parameter."""
    try:
        return tensor._parameter
    except AttributeError:
        return False


def state(tensor: TensorBase) -> dict[str, Any] | tuple[dict[str, Any] | None, dict[str, Any]] | None:
    """What a tensor of a subclass holds beside its elements, in the form of `object.__getstate__`; None where there is nothing."""
    cls: type = tensor.__class__
    named = tensor.__dict__ or None if cls.__dictoffset__ else None
    slots = {name: getattr(tensor, name) for name in _own_slots(cls) if hasattr(tensor, name)}
    return (named, slots) if slots else named


@functools.lru_cache
def _own_slots(cls: type) -> tuple[str, ...]:
    """Names of the slots that a class of tensors has beside those of all."""
    own = [owner for owner in cls.__mro__ if not issubclass(TensorBase, owner)]
    return tuple(name for owner in own for name, member in vars(owner).items() if isinstance(member, MemberDescriptorType))


def view(tensor: T, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int) -> T:
    """A tensor that shares the storage of `tensor`; plain where it starts at the storage's beginning and has no gaps.

    Args:
        tensor: Any tensor.
        shape: Sizes of the view's dimensions.
        strides: Their steps in elements; None for row-major without gaps.
        offset: Position of the first element in the storage, in elements.
    """
    return view_as(tensor, tensor.desc.dtype, shape, strides, offset)


def view_as(tensor: T, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int) -> T:
    """`view` with another element type; strides and offset count elements of that type."""
    result = _new(tensor.__class__)
    desc = tensor.desc
    storage = result.buffer = tensor.buffer.base
    if not storage.extent and desc.plain:  # the first view of a storage is made of a tensor that is all of it
        storage.extent = desc.nbytes
    if offset == 0 and (strides is None or shapes.is_contiguous(shape, strides)):
        result.desc = TensorDesc.of(shape, dtype, desc.device)
    else:
        result.desc = StridedDesc(shape, dtype, desc.device, shapes.contiguous_strides(shape) if strides is None else strides, offset)
    return result


def settle(tensor: TensorBase) -> bool:
    """Make an aligned, gapless view plain by giving it a window onto its storage; tell whether the tensor is plain now."""
    desc = tensor.desc
    if desc.__class__ is not StridedDesc:
        return True
    start = desc.offset * desc.dtype.itemsize
    if start % ALIGNMENT or not shapes.is_contiguous(desc.shape, desc.strides):
        return False
    tensor.buffer = tensor.buffer.window(start, desc.nbytes)
    tensor.desc = TensorDesc.of(desc.shape, desc.dtype, desc.device)
    return True
