"""DLPack: what other libraries take from tensors and give to them.

Simulated device memory is offered as what it is, memory of the host. Memory of a real chip is offered as a copy on the host, where the
other side asks for one: of DLPack's kind for CANN's pointers (extension devices) the consumers known read none but their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from .. import base, capsules
from ..base import TensorBase
from ..capsules import READABLE, DeviceKind
from ..errors import ValueRangeError
from ..ops.host import download, upload
from ..runtime.device import DeviceLike, as_device, backend

if TYPE_CHECKING:
    from ..tensor import NPUTensor


HOST: Final = (DeviceKind.CPU, 0)


def device_of(tensor: TensorBase) -> tuple[DeviceKind, int]:
    """`tensor.__dlpack_device__()`: the host for simulated memory, DLPack's kind of extension devices for a chip's."""
    if backend().name == "simulator":
        return HOST
    return DeviceKind.EXTENSION, tensor.desc.device.index


def capsule(
    tensor: TensorBase,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
    stream: Any = None,
) -> Any:
    """`tensor.__dlpack__()`: a capsule over simulated memory, once the work queued so far has run, or over a copy on the host.

    A view of negative steps is copied: PyTorch ends the process over such memory, from whomever it comes.

    Raises:
        BufferError: Another device than the host is asked for, `copy=False` for memory of a chip or for negative steps, or a stream, which
            the host has none of.
    """
    wanted = device_of(tensor) if dl_device is None else dl_device
    if tuple(wanted) != HOST:
        text = f"memory of an NPU can be exported to the host only, not to device {wanted!r}"
        raise BufferError(f"__dlpack__: {text}; ask for dl_device=(1, 0), or take .numpy()")
    if stream not in (None, -1):
        raise BufferError(f"__dlpack__: the host's memory has no streams, got stream={stream!r}; leave it away")
    backwards = any(step < 0 for step in base.element_strides(tensor))
    array = None if copy or backwards else _seen(tensor)
    copied = array is None
    if array is None:
        if copy is False and tensor.desc.numel:
            what = "a view of negative steps is not exported" if backwards else "a chip's memory can't be seen from the host"
            raise BufferError(f"__dlpack__: {what} without a copy; leave copy=False away")
        array = download(tensor)
    return capsules.exported(array, max_version, copied)


class _Kept(np.ndarray[Any, np.dtype[Any]]):
    """An array that keeps the tensor whose memory it shows."""

    tensor: TensorBase | None

    def __array_finalize__(self, array: Any) -> None:
        self.tensor = getattr(array, "tensor", None)


def _seen(tensor: TensorBase) -> Any:
    """The elements where they lie, None where the host can't see them; waits for the work of the tensor's stream."""
    storage, dtype = base.storage(base.reachable(tensor, "__dlpack__")), tensor.desc.dtype
    if not storage.nbytes:
        return None
    data = backend().memory_view(storage.address, storage.nbytes)
    if data is None:
        return None
    tensor.desc.device.synchronize()
    kept = data[: storage.nbytes // dtype.itemsize * dtype.itemsize].view(dtype.numpy).view(_Kept)
    kept.tensor = tensor
    strides = [step * dtype.itemsize for step in base.element_strides(tensor)]
    return np.lib.stride_tricks.as_strided(kept[base.element_offset(tensor) :], tensor.desc.shape, strides, subok=True)


def from_dlpack(ext_tensor: Any, *, device: DeviceLike = None, copy: bool | None = None) -> NPUTensor:
    """A tensor of what another library exports by DLPack.

    Args:
        ext_tensor: Anything with `__dlpack__` and `__dlpack_device__`, or a capsule. A tensor of this library is shared, anything else is
            copied to the device.
        device: Where to; the current device if None.
        copy: True always copies; False refuses where a copy is needed.

    Raises:
        DTypeError: `ext_tensor` exports nothing, or a dtype that tensors can't have.
        ValueRangeError: `copy=False`, but a copy is needed.
        BufferError: `ext_tensor` lies on a device whose memory can't be read here.

    Like: torch.from_dlpack, numpy.from_dlpack.

    Examples:
        >>> at.from_dlpack(np.asarray([1, 2]))
        tensor([1, 2], device='npu:0')
    """
    if isinstance(ext_tensor, TensorBase):
        elsewhere = device is not None and as_device(device) is not ext_tensor.desc.device
        if copy is False and elsewhere:
            raise ValueRangeError("another device needs a copy", where="from_dlpack").with_context("from_dlpack", (ext_tensor,))
        tensor: NPUTensor = ext_tensor.to(device, copy=bool(copy)) if elsewhere or copy else ext_tensor  # type: ignore
        return tensor
    exporter = capsules.Exporter(ext_tensor)
    if copy is False:
        raise ValueRangeError("memory of another library needs a copy", where="from_dlpack", advice="Leave copy=False away.")
    kind = exporter.device[0]
    if kind not in READABLE:
        raise BufferError(f"from_dlpack: memory of DLPack's device kind {kind} can't be read here; move it to the host first")
    result: NPUTensor = upload(exporter.array(), device=device)
    return result
