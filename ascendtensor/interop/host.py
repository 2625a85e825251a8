"""What comes back to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from .. import absent
from ..errors import DTypeError
from ..ops.host import Array, upload
from ..runtime.device import DeviceLike

_WORDS: Final = {"dim": "axis", "keepdim": "keepdims"}
"""PyTorch's words, which arrays don't take, and NumPy's for them."""

_REDUCING: Final = (
    *("all", "any", "argmax", "argmin", "argsort", "cumprod", "cumsum", "max", "mean", "min"),
    *("prod", "sort", "squeeze", "std", "sum", "var"),
)
"""Methods of arrays that PyTorch's tensors have with other words."""


def _wordy(name: str) -> Callable[..., Any]:
    """NumPy's method, which says what to write instead of PyTorch's words."""
    method = getattr(np.ndarray, name)

    def call(self: HostArray, *args: Any, **kwargs: Any) -> Any:
        for word in _WORDS.keys() & kwargs.keys():
            text = f"cpu() gives a NumPy array, whose {name}() takes {_WORDS[word]}, not {word}"
            raise DTypeError(text, where=name, advice=f"Write {name}({_WORDS[word]}=...), or call {name}({word}=...) before cpu().")
        return method(self, *args, **kwargs)

    call.__name__, call.__qualname__ = name, f"HostArray.{name}"
    call.__doc__ = f"See `{name}`, with NumPy's words. Like: numpy.ndarray.{name}."
    return call


class HostArray(np.ndarray[Any, np.dtype[Any]]):
    """What `t.cpu()` gives: a NumPy array that also answers PyTorch's words `numpy()`, `cpu()`, `detach()` and `npu()`.

    Examples:
        >>> x = at.tensor([1.0, 2.0]).cpu()
        >>> x.numpy(), x.detach() is x, x.cpu() is x
        (array([1., 2.], dtype=float32), True, True)
        >>> x.npu()
        tensor([1., 2.], device='npu:0')
        >>> [float(y) for y in (x.sum(), x.mean(), x.max(), x.min(), x.prod(), x.std(), x.var())]
        [3.0, 1.5, 2.0, 1.0, 2.0, 0.5, 0.25]
        >>> [int(y) for y in (x.argmax(), x.argmin(), x.all(), x.any())]
        [1, 0, 1, 1]
        >>> [y.tolist() for y in (x.cumsum(), x.cumprod(), x.squeeze(), x.argsort())], x.sort()
        ([[1.0, 3.0], [1.0, 2.0], [1.0, 2.0], [0, 1]], None)
        >>> x.mean(dim=0)
        Traceback (most recent call last):
            ...
        ascendtensor.errors.DTypeError: mean: cpu() gives a NumPy array, whose mean() takes axis, not dim
          Write mean(axis=...), or call mean(dim=...) before cpu().
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise absent.attribute_error(f"{type(self).__name__!r} object", name, self, absent.IN_ARRAYS)

    def numpy(self) -> Array:
        """The same memory as a plain `numpy.ndarray`."""
        return self.view(np.ndarray)

    def cpu(self) -> HostArray:
        """The array itself."""
        return self

    def detach(self) -> HostArray:
        """The array itself."""
        return self

    def npu(self, device: DeviceLike = None) -> Any:
        """A copy in device memory. Like: torch.Tensor.cuda."""
        return upload(self, device=device)


for _name in _REDUCING:
    setattr(HostArray, _name, _wordy(_name))
