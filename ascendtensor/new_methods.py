"""New tensors of a tensor's dtype, on its device, as its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import base, creation
from .base import TensorBase
from .dtypes import DTypeLike
from .options import TensorOptions
from .runtime.device import DeviceLike

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class NewMethods(TensorBase):
    """`new_empty` and the like."""

    __slots__ = ()

    def _like(self, made: TensorBase) -> Self:
        return base.as_class(made, self.__class__)

    def _kind(self, dtype: DTypeLike | None, device: DeviceLike) -> tuple[DTypeLike, DeviceLike]:
        """Dtype and device as given, else the tensor's own."""
        return dtype or self.desc.dtype, self.desc.device if device is None else device

    def new_empty(
        self,
        *lengths: Any,
        size: Any = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        **options: Unpack[TensorOptions],
    ) -> Self:
        """`empty` of this dtype on this device. Like: torch.Tensor.new_empty."""
        dtype, device = self._kind(dtype, device)
        return self._like(creation.empty(*lengths, size=size, dtype=dtype, device=device, **options))

    def new_full(
        self,
        size: Any,
        fill_value: Any,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        **options: Unpack[TensorOptions],
    ) -> Self:
        """`full` of this dtype on this device. Like: torch.Tensor.new_full."""
        dtype, device = self._kind(dtype, device)
        return self._like(creation.full(size, fill_value, dtype, device, **options))

    def new_ones(
        self,
        *lengths: Any,
        size: Any = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        **options: Unpack[TensorOptions],
    ) -> Self:
        """`ones` of this dtype on this device. Like: torch.Tensor.new_ones."""
        dtype, device = self._kind(dtype, device)
        return self._like(creation.ones(*lengths, size=size, dtype=dtype, device=device, **options))

    def new_tensor(self, data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, **options: Unpack[TensorOptions]) -> Self:
        """`tensor` of this dtype on this device. Like: torch.Tensor.new_tensor."""
        dtype, device = self._kind(dtype, device)
        return self._like(creation.tensor(data, dtype, device, **options))

    def new_zeros(
        self,
        *lengths: Any,
        size: Any = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        **options: Unpack[TensorOptions],
    ) -> Self:
        """`zeros` of this dtype on this device. Like: torch.Tensor.new_zeros."""
        dtype, device = self._kind(dtype, device)
        return self._like(creation.zeros(*lengths, size=size, dtype=dtype, device=device, **options))
