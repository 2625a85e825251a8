"""NumPy's functions whose answers lie on the host by nature: shapes, dtypes, truth values, text, files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ... import base, promotion
from ...base import TensorBase
from ...dtypes import as_dtype, finfo, get_default_dtype, python_number
from ...errors import DTypeError
from ...ops import reduction, views
from ...ops.pointwise import comparison, unary
from ...shapes import each
from .. import numpy as border
from ..ufuncs import same_dtype
from .elementwise import isclose


def _size(a: Any, axis: Any = None) -> int:
    if axis is None:
        return int(a.desc.numel)
    count = 1
    for one in each(axis):
        count *= a.shape[one]
    return count


def _operand(value: Any) -> promotion.Operand:
    if isinstance(value, TensorBase):
        return value.desc.dtype, len(value.desc.shape)
    if isinstance(value, np.generic):
        value = python_number(value)
    if isinstance(value, (int, float, complex)):
        return type(value), -1
    if isinstance(value, np.ndarray):
        return as_dtype(value.dtype), value.ndim
    return as_dtype(value), 1


def _result_type(*arrays_and_dtypes: Any) -> Any:
    return promotion.result_type([_operand(value) for value in arrays_and_dtypes]).numpy


def _can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    source = from_.desc.dtype.numpy if isinstance(from_, TensorBase) else from_
    return bool(np.can_cast(source, to.desc.dtype.numpy if isinstance(to, TensorBase) else to, casting))


def _common_type(*arrays: Any) -> Any:
    found = functools.reduce(promotion.promote_types, (border.floating(x).desc.dtype for x in border.tensors(*arrays)))
    return found.numpy.type


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = border.tensors(a1, a2)
    return bool(a1.shape == a2.shape and _all_equal(a1, a2, equal_nan))


def _all_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    equal = comparison.eq(a1, a2)
    if equal_nan:
        equal = equal | (comparison.isnan(a1) & comparison.isnan(a2))
    return bool(reduction.all(equal).item())


def _array_equiv(a1: Any, a2: Any) -> bool:
    a1, a2 = border.tensors(a1, a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return _all_equal(a1, a2)


def _allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    return bool(reduction.all(isclose(a, b, rtol, atol, equal_nan)).item())


def _shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Whether two tensors' memory overlaps, by where it begins and ends."""
    if not isinstance(a, TensorBase) or not isinstance(b, TensorBase) or base.storage(a) is not base.storage(b):
        return False
    first, second = _extent(a), _extent(b)
    return first[0] < second[1] and second[0] < first[1]


def _extent(x: TensorBase) -> tuple[int, int]:
    size, begin = x.desc.dtype.itemsize, base.element_offset(x)
    if not x.desc.numel:
        return 0, 0
    steps = [step * (length - 1) for step, length in zip(base.element_strides(x), x.desc.shape, strict=True)]
    low, high = begin + sum(step for step in steps if step < 0), begin + sum(step for step in steps if step > 0)
    return low * size, (high + 1) * size


def _einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """Which depends on shapes alone."""
    shapes = [np.broadcast_to(np.empty((), x.desc.dtype.numpy), x.shape) if isinstance(x, TensorBase) else x for x in operands]
    path: Callable[..., Any] = np.einsum_path  # NumPy's types know the last argument only since 2
    return path(*shapes, optimize=optimize, einsum_call=einsum_call)


def _real_if_close(a: Any, tol: float = 100) -> Any:
    (a,) = border.tensors(a)
    if not a.desc.dtype.is_complex:
        return a
    limit = tol * finfo(a.desc.dtype).eps if tol > 1 else tol
    small = unary.abs(views.imag(a)) < limit
    return views.real(a) if reduction.all(small).item() else a


def _array2string(a: Any, *args: Any, **options: Any) -> str:
    return np.array2string(border.host(a), *args, **options)


def _array_repr(arr: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None) -> str:
    return repr(arr)


def _array_str(a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None) -> str:
    return np.array_str(border.host(a), max_line_width, precision, suppress_small)


def _of_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes files: values are wanted on the host."""

    def written(*args: Any, **options: Any) -> Any:
        return function(*map(border.host, args), **{name: border.host(value) for name, value in options.items()})

    return written


def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    if mode != "raise" or order != "C":
        raise DTypeError('only mode="raise" and order="C" are there for tensors', where="ravel_multi_index")
    places = same_dtype(*border.tensors(*multi_index))
    found = places[0]
    for place, length in zip(places[1:], dims[1:], strict=True):
        found = found * length + place
    return found


def _array(object: Any, dtype: Any = None, *, copy: Any = True, order: Any = None, subok: Any = False, ndmin: int = 0) -> Any:
    (found,) = border.tensors(object)
    found = border.cast(found, dtype)
    if copy and found is object:
        found = found.clone()
    return views.reshape(found, (1,) * (ndmin - found.ndim) + found.shape) if found.ndim < ndmin else found


def _asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, **options: Any) -> Any:
    return _array(a, dtype, copy=copy)


def _empty_like(prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
    return _like("new_empty")(prototype, dtype, order, subok, shape, device=device)


def _like(name: str) -> Callable[..., Any]:
    def made(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
        lengths = a.shape if shape is None else each(shape)
        return getattr(a, name)(lengths, dtype=dtype, device=device)

    return made


def _made(name: str) -> Callable[..., Any]:
    """With NumPy's `like=`: what the tensor given there has made."""

    def made(like: Any, shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
        return getattr(like, name)(each(shape), dtype=dtype or get_default_dtype(), device=device)

    return made


def _full(like: Any, shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
    (value,) = border.tensors(fill_value)
    empty = _made("new_empty")(like, shape, value.desc.dtype if dtype is None else dtype, device=device)
    return empty.copy_(value.to(empty.device))


def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Any:
    a, value = border.operands(a, fill_value)
    if isinstance(a, TensorBase) and not isinstance(value, TensorBase):
        lengths = a.desc.shape if shape is None else each(shape)
        return a.new_full(lengths, value, dtype=dtype, device=device)  # type: ignore[attr-defined]
    (a,) = border.tensors(a)
    return _like("new_empty")(a, dtype, order, subok, shape, device=device).copy_(value)


def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return x.to(device, as_dtype(dtype), copy=copy) if device is not None else x.to(as_dtype(dtype), copy=copy)


LIKE: Final[dict[str, Callable[..., Any]]] = {
    "empty": _made("new_empty"),
    "full": _full,
    "ones": _made("new_ones"),
    "zeros": _made("new_zeros"),
}
"""What is called with the tensor that NumPy was given as `like=`, then NumPy's arguments."""

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "allclose": _allclose,
    "array": _array,
    "array2string": _array2string,
    "array_equal": _array_equal,
    "array_equiv": _array_equiv,
    "array_repr": _array_repr,
    "array_str": _array_str,
    "asanyarray": _asarray,
    "asarray": _asarray,
    "ascontiguousarray": _asarray,
    "astype": _astype,
    "can_cast": _can_cast,
    "common_type": _common_type,
    "einsum_path": _einsum_path,
    "empty_like": _empty_like,
    "full_like": _full_like,
    "iscomplexobj": lambda x: x.desc.dtype.is_complex,
    "isrealobj": lambda x: not x.desc.dtype.is_complex,
    "may_share_memory": _shares_memory,
    "min_scalar_type": lambda a: a.desc.dtype.numpy,
    "ndim": lambda a: len(a.desc.shape),
    "ones_like": _like("new_ones"),
    "ravel_multi_index": _ravel_multi_index,
    "real_if_close": _real_if_close,
    "result_type": _result_type,
    "save": _of_host(np.save),
    "savetxt": _of_host(np.savetxt),
    "savez": _of_host(np.savez),
    "savez_compressed": _of_host(np.savez_compressed),
    "shape": lambda a: tuple(a.desc.shape),
    "shares_memory": _shares_memory,
    "size": _size,
    "zeros_like": _like("new_zeros"),
}
