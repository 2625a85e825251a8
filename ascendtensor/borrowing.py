"""Tensors over memory that somebody else owns."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, cast

from . import base, shapes
from .dtypes import DTypeLike, as_dtype
from .errors import ValueRangeError
from .ops.arguments import checked
from .runtime.desc import TensorDesc
from .runtime.device import DeviceLike, as_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tensor import NPUTensor

__all__ = ["from_ptr"]


@checked
def from_ptr(address: int, shape: Sequence[int], dtype: DTypeLike, owner: object = None, device: DeviceLike = None) -> NPUTensor:
    """A tensor over device memory that somebody else owns, row by row without gaps. It is never freed by the library.

    Work on it is ordered like that of a tensor made on the current stream: queue yours there (`raw`), or let that stream wait for yours.

    Args:
        address: Device address of the first element, a multiple of 32.
        shape: Sizes of the dimensions.
        dtype: Element type.
        owner: Kept alive as long as any tensor over the memory, and then until the work that was queued on it has run, as seen by the next
            `synchronize` or `from_ptr`; a shutdown ends that wait.
        device: Where the memory lies; the current device if None.

    Raises:
        ValueRangeError: The address is not a multiple of 32, or 0.

    Like: cupy.cuda.UnownedMemory.

    Examples:
        >>> a = at.ones(2)
        >>> at.from_ptr(a.data_ptr(), (2,), at.float32, owner=a)
        tensor([1., 1.], device='npu:0')
    """
    element = as_dtype(dtype)
    sizes = tuple(operator.index(size) for size in shape)
    place = operator.index(address)
    if any(size < 0 for size in sizes):
        raise ValueRangeError(f"sizes must not be negative: {sizes}")
    nbytes = shapes.numel(sizes) * element.itemsize
    if not 0 <= place < 1 << 64 or place % base.ALIGNMENT or (nbytes and not place):
        raise ValueRangeError(
            f"{place:#x} is no device address that operators take: a multiple of {base.ALIGNMENT}",
            advice="Begin where the allocation begins, and slice the tensor.",
        )
    target = as_device(device)
    with target.current():
        stream = target.current_stream()
        buffer = target.foreign.borrow(place, nbytes, owner, stream)
    return cast("NPUTensor", base.make(base.default_class(), TensorDesc.of(sizes, element, target), buffer))
