"""Text of tensors."""

from __future__ import annotations

from .base import TensorBase


def text(tensor: TensorBase) -> str:
    return f"<{tensor.desc}>"


def set_printoptions() -> None: ...


def get_printoptions() -> None: ...
