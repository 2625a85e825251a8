"""The tensor for libraries that know arrays by NumPy's protocols alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tensor import NPUTensor

# mypy: disable-error-code="override"


class DuckArray(NPUTensor):
    """An NPUTensor whose dtype is a `numpy.dtype`, and that names no namespace of the array API standard.

    Libraries such as xarray and Dask take any array that has NumPy's protocols (`__array_function__`, `__array_ufunc__`) and a dtype of
    NumPy's, as CuPy's arrays have. The dtypes of tensors, like PyTorch's, are objects of their own, which these libraries don't know. All
    else is as for any tensor: operations run on the device, and results have the class of the first tensor operand.

    Examples:
        >>> x = at.tensor([1.0, 2.0]).as_subclass(at.DuckArray)
        >>> x.dtype, type(np.sin(x)).__name__, hasattr(x, "__array_namespace__")
        (dtype('float32'), 'DuckArray', False)
    """

    __slots__ = ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type as NumPy names it. Like: numpy.ndarray.dtype."""
        return self.desc.dtype.numpy

    @property
    def __array_namespace__(self) -> Any:
        raise AttributeError("a DuckArray names no namespace", name="__array_namespace__", obj=self)
