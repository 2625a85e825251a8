"""NumPy's side of the border: arrays as operands beside tensors, tensors as arrays, results where NumPy's `out=` wants them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .. import dtypes as d
from .. import promotion
from ..base import TensorBase
from ..dtypes import INTEGER, DTypeLike, as_dtype, bool_, get_default_dtype, python_number
from ..errors import DTypeError, IndexRangeError, ShapeError, UnsupportedError, ValueRangeError
from ..ops.call import call
from ..ops.host import Array, download, upload
from ..ops.pointwise import comparison
from ..ops.table.elementwise import CAST
from ..ops.views import expand, view
from ..ops.writing import copy_into

NUMBERS: Final = (int, float, complex)
DIRECT: Final = (TensorBase, *NUMBERS)
_PRECISE: Final = frozenset({d.float64.numpy, d.complex128.numpy})
_ARRAY_LIKE: Final = (TensorBase, *NUMBERS, np.ndarray, np.generic, list, tuple)


def operand(value: Any, like: TensorBase) -> Any:
    """Another operand as functions take it, or NotImplemented.

    Args:
        value: Tensors and Python numbers stay as they are; NumPy scalars act as the Python numbers that they are (weak in promotion);
            arrays are uploaded to the device of `like`, 0-d ones as 0-d tensors.
        like: The tensor on the other side.
    """
    if isinstance(value, DIRECT):
        return value
    if isinstance(value, np.generic):
        number = python_number(value)
        return number if isinstance(number, NUMBERS) else NotImplemented
    if isinstance(value, np.ndarray):
        return upload(value, device=like.desc.device, cls=like.__class__)
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


# Operands of NumPy's functions


def is_array_like(value: Any) -> bool:
    """Whether NumPy's functions take it as an operand beside a tensor; for other classes with protocols of their own we don't speak."""
    return isinstance(value, _ARRAY_LIKE)


def operands(*values: Any) -> list[Any]:
    """Operands on the device of the first tensor among them: arrays and lists are uploaded, numbers and None stay."""
    like = _first(values)
    return [one_operand(value, like, values) for value in values]


def _first(values: tuple[Any, ...]) -> TensorBase | None:
    return next((value for value in values if isinstance(value, TensorBase)), None)


def _upload(value: Any, like: TensorBase | None, beside: tuple[Any, ...]) -> Any:
    """On the device of `like` and of its class; a list has the precision of what it stands beside."""
    if like is None:
        return upload(value, floating=_precision(beside))
    return upload(value, device=like.desc.device, floating=_precision(beside), cls=like.__class__)


def one_operand(value: Any, like: TensorBase | None, beside: tuple[Any, ...]) -> Any:
    """One of `operands`, beside this tensor."""
    if value is None or isinstance(value, DIRECT):
        return value
    if isinstance(value, np.generic):
        number = python_number(value)
        if isinstance(number, NUMBERS):
            return number
    if isinstance(value, (list, tuple)) and any(isinstance(item, TensorBase) and item.desc.shape for item in value):
        raise DTypeError("a list of tensors is no operand", advice="Join them with np.stack or np.concatenate.")
    return _upload(value, like, beside)


def _precision(values: tuple[Any, ...]) -> d.dtype | None:
    """float64 where a tensor or an array among operands has that precision, None for the default dtype: what Python's floats become."""
    found = {value.desc.dtype.numpy for value in values if isinstance(value, TensorBase)}
    found.update(value.dtype for value in values if isinstance(value, np.ndarray))
    return d.float64 if found & _PRECISE else None


def tensors(*values: Any) -> list[Any]:
    """Like `operands`, but numbers become 0-d tensors too."""
    like = _first(values)
    found = [one_operand(value, like, values) for value in values]
    return [_upload(value, like, values) if isinstance(value, NUMBERS) else value for value in found]


def floating(value: Any, dtype: d.dtype | None = None) -> Any:
    """A tensor of bool or integers in this dtype, by default the default one; anything else as it is."""
    if isinstance(value, TensorBase) and value.desc.dtype.category <= INTEGER:
        return cast(value, dtype or get_default_dtype())
    return value


def floats(*values: Any) -> list[Any]:
    """`floating` of operands of one function: integers beside float64 go there at once, since float32 does not hold them all."""
    dtype = _precision(values)
    return [floating(value, dtype) for value in values]


def cast(tensor: Any, dtype: DTypeLike | None) -> Any:
    """A tensor in another dtype, itself where it has it or None is given."""
    if dtype is None:
        return tensor
    wanted = as_dtype(dtype)
    return tensor if tensor.desc.dtype is wanted else call(CAST, (tensor,), (wanted,))


def vector(tensor: Any, axis: int) -> Any:
    """A tensor of no dimensions as one of a single element, where NumPy's functions let it have an axis; others as they are.

    Raises:
        IndexRangeError: A tensor of no dimensions has no such axis.
    """
    if tensor.desc.shape:
        return tensor
    if axis not in (0, -1):
        raise IndexRangeError(f"axis {axis} is out of range for 0 dimensions")
    return view(tensor, 1)


def host(value: Any) -> Any:
    """A tensor's values on the host, anything else as it is: where an answer is wanted there, or indices decide a shape."""
    return download(value) if isinstance(value, TensorBase) else value


def is_given(value: Any) -> bool:
    """Whether an optional argument was given: NumPy marks some that were not by None, some by a value of its own."""
    return value is not None and value is not getattr(np, "_NoValue", None)


def is_set(flag: Any) -> bool:
    """Whether a flag was given and is true: NumPy hands on its mark of what was left out."""
    return is_given(flag) and bool(flag)


# Results


def put(result: Any, out: Any, where: Any = True, casting: str = "same_kind") -> Any:
    """A result where NumPy's `out=` and `where=` want it.

    Args:
        result: The new tensor.
        out: None; a tensor, written into on the device; an array, into which the result is downloaded.
        where: Elements that are written; the others keep what `out` holds, and are 0 without one (NumPy leaves them undefined).
        casting: NumPy's word for what conversions to the dtype of `out` are allowed.

    Raises:
        DTypeError: The result can't be cast to the dtype of `out`.
        ShapeError: The result does not fit into `out`.
    """
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        return result if where is True else comparison.where(mask(where, result), result, 0)
    if isinstance(out, np.ndarray):
        np.copyto(out, download(result), casting=casting, where=np.asarray(host(where)))  # type: ignore[arg-type]
        return out
    if not isinstance(out, TensorBase):
        raise DTypeError(f"out must be a tensor or an array, not {type(out).__name__}")
    allowed = casting == "unsafe" or promotion.can_cast(result.desc.dtype, out.desc.dtype)
    if not allowed:
        text = f"the result has dtype {result.desc.dtype.name}, which can't be cast to {out.desc.dtype.name}"
        raise DTypeError(text, advice='Give an out of that dtype, or casting="unsafe".')
    if where is not True:
        result = comparison.where(mask(where, out), cast(result, out.desc.dtype), out)
    if result.desc.shape != out.desc.shape and len(result.desc.shape) > len(out.desc.shape):
        raise ShapeError(f"the result has shape {list(result.desc.shape)}, which does not fit into {list(out.desc.shape)}")
    return copy_into(out, result)


def mask(where: Any, like: TensorBase) -> Any:
    """NumPy's `where=` as a bool tensor.

    Raises:
        DTypeError: It is not of bool.
    """
    found = upload(where, device=like.desc.device) if not isinstance(where, TensorBase) else where
    if found.desc.dtype is not bool_:
        raise DTypeError(f"where= has dtype {found.desc.dtype.name}, bool is needed")
    return found


def spread(tensor: Any, shape: tuple[int, ...]) -> Any:
    """A view of a larger shape, the tensor itself where it has it."""
    return tensor if tensor.desc.shape == shape else expand(tensor, *shape)


def refuse(function: str, **arguments: Any) -> None:
    """Refuse arguments of NumPy's that mean something and are not there.

    Raises:
        UnsupportedError: One of them was given.
    """
    for name, value in arguments.items():
        if is_given(value) and value is not False:
            raise UnsupportedError(f"{name}= is not there for tensors", where=function, advice="Take .numpy() of them for it.")
