"""NumPy's protocols: arrays as operands beside tensors, `np.asarray(t)`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..base import TensorBase
from ..errors import ValueRangeError
from ..ops.host import Array, download, upload

NUMBERS: Final = (int, float, complex)
_DIRECT: Final = (TensorBase, *NUMBERS)


def operand(value: Any, like: TensorBase) -> Any:
    """Another operand as functions take it, or NotImplemented.

    Args:
        value: Tensors and Python numbers stay as they are; NumPy scalars act as the Python numbers that they are (weak in promotion);
            arrays are uploaded to the device of `like`, 0-d ones as 0-d tensors.
        like: The tensor on the other side.
    """
    if isinstance(value, _DIRECT):
        return value
    if isinstance(value, np.generic):
        number = value.item()
        return number if isinstance(number, NUMBERS) else NotImplemented
    if isinstance(value, np.ndarray):
        return upload(value, device=like.desc.device)
    return NotImplemented


def array(tensor: TensorBase, dtype: Any = None, copy: bool | None = None) -> Array:
    """`tensor.__array__`: always a new host array, so `copy=False` can't be had (NumPy 2's rule).

    Raises:
        ValueRangeError: `copy=False`.
    """
    if copy is False:
        text = "device memory can't be seen by NumPy without a copy"
        raise ValueRangeError(text, advice="Leave copy=False away.").with_context("__array__", (tensor,))
    result = download(tensor)
    return result if dtype is None else result.astype(dtype, copy=False)
