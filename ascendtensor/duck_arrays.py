"""The tensor for libraries that know arrays by NumPy's protocols alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from .interop import functions
from .interop.functions import shaping
from .ops import writing
from .tensor import NPUTensor

# mypy: disable-error-code="override"

_METHODS: Final = (
    *("all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero"),
    *("prod", "ravel", "repeat", "round", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var"),
)
"""Methods of NumPy's arrays that are its functions of the first operand."""


class DuckArray(NPUTensor):
    """An NPUTensor whose dtype is a `numpy.dtype`, whose methods are NumPy's, and that names no namespace of the array API standard.

    Libraries such as xarray and Dask take any array that has NumPy's protocols (`__array_function__`, `__array_ufunc__`) and a dtype of
    NumPy's, as CuPy's arrays have. The dtypes of tensors, like PyTorch's, are objects of their own, which these libraries don't know. Where
    a method of tensors means something else than NumPy's of that name, it is NumPy's here; methods that NumPy has none of are PyTorch's.
    All else is as for any tensor: operations run on the device, and results have the class of the first tensor operand.

    Examples:
        >>> x = at.tensor([[3.0, 1.0], [2.0, 4.0]]).as_subclass(at.DuckArray)
        >>> x.dtype, type(np.sin(x)).__name__, hasattr(x, "__array_namespace__")
        (dtype('float32'), 'DuckArray', False)
        >>> [float(y) for y in (x.sum(), x.mean(), x.prod(), x.max(), x.min(), x.std() ** 2, x.var(), x.trace())]
        [10.0, 2.5, 24.0, 4.0, 1.0, 1.25, 1.25, 7.0]
        >>> [y.tolist() for y in (x.max(0), x.cumsum(1), x.cumprod(0), x.argsort(), x.argmax(0), x.argmin(0), x.all(1), x.any(1))]
        [[3.0, 4.0], [[3.0, 4.0], [2.0, 6.0]], [[3.0, 1.0], [6.0, 4.0]], [[1, 0], [0, 1]], [0, 1], [1, 0], [True, True], [True, True]]
        >>> [y.tolist() for y in (x.transpose(1, 0), x.swapaxes(0, 1), x.dot(x), x.clip(2, 3), x[0].repeat(2))]
        [[[3.0, 2.0], [1.0, 4.0]], [[3.0, 2.0], [1.0, 4.0]], [[11.0, 7.0], [14.0, 18.0]], [[3.0, 2.0], [2.0, 3.0]], [3.0, 3.0, 1.0, 1.0]]
        >>> x.sort(), x.put([0], [9.0]), x.tolist(), x.flatten().tolist(), x.ravel().tolist(), x.diagonal().tolist(), x.squeeze().shape
        (None, None, [[9.0, 3.0], [2.0, 4.0]], [9.0, 3.0, 2.0, 4.0], [9.0, 3.0, 2.0, 4.0], [9.0, 4.0], (2, 2))
        >>> len(x.nonzero()), x.round().tolist(), x.take([0]).tolist()
        (2, [[9.0, 3.0], [2.0, 4.0]], [9.0])
    """

    __slots__ = ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type as NumPy names it. Like: numpy.ndarray.dtype."""
        return self.desc.dtype.numpy

    @property
    def __array_namespace__(self) -> Any:
        raise AttributeError("a DuckArray names no namespace", name="__array_namespace__", obj=self)

    def flatten(self, order: str = "C") -> Any:
        """All elements in one row, a copy. Like: numpy.ndarray.flatten."""
        return shaping.flatten(self, order)

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Values into places of the flattened array. Like: numpy.ndarray.put."""
        functions.NAMES["put"](self, indices, values, mode)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """The elements in order, in the array itself. Like: numpy.ndarray.sort."""
        writing.copy_into(self, functions.NAMES["sort"](self, axis, kind, order, stable=stable))

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order, by default reversed: a view. Like: numpy.ndarray.transpose."""
        return shaping.transposed(self, *axes)


def _of_numpy(name: str) -> Callable[..., Any]:
    function = functions.NAMES[name]

    def call(self: DuckArray, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    call.__name__, call.__qualname__, call.__module__ = name, f"DuckArray.{name}", __name__
    call.__doc__ = f"NumPy's method. Like: numpy.ndarray.{name}."
    return call


for _name in _METHODS:
    setattr(DuckArray, _name, _of_numpy(_name))
