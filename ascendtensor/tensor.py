"""NPUTensor: the tensor that users hold."""

from __future__ import annotations

from typing import Any

from . import base
from .base import TensorBase
from .ops import elementwise


class NPUTensor(TensorBase):
    """A tensor on an Ascend NPU."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        if other.__class__ is NPUTensor or isinstance(other, (TensorBase, int, float, complex)):
            return elementwise.add(self, other)
        return NotImplemented


base.set_default_class(NPUTensor)
