"""NumPy's functions that pick, place, order and compare elements: indexing, sorting, searching, sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from ... import dtypes as d
from ...errors import DTypeError, ShapeError, UnsupportedError, ValueRangeError
from ...ops import combining, gather, indexing, shape, sorting, views
from ...ops.arguments import checked, is_tensor
from ...ops.pointwise import comparison, elementwise
from ...ops.writing import copy_into
from ...promotion import result_type
from ...shapes import each, normalize_dim
from .. import numpy as border
from ..ufuncs import same_dtype

# Indexing


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """Elements by their places along an axis, or in the flattened tensor. Like: numpy.take."""
    if mode not in ("raise", "clip", "wrap"):
        raise ValueRangeError(f'mode must be "raise", "clip" or "wrap", not {mode!r}', where="take")
    if is_tensor(indices):
        a, places = border.tensors(a, indices)
    else:  # what lies on the host is looked at there
        places = np.asarray(indices)
        places = places if places.size else places.astype(np.int64)
    if axis is None:
        a, axis = views.reshape(a, -1), 0
    a = border.vector(a, axis)
    if is_tensor(places) and not places.desc.numel:
        places = border.cast(places, d.int64)
    length = a.shape[normalize_dim(axis, a.ndim)]
    if mode != "raise" and length:
        clipped = elementwise.clamp if is_tensor(places) else np.clip
        places = clipped(places, 0, length - 1) if mode == "clip" else places % length
    return border.put(indexing.get(a, (slice(None),) * normalize_dim(axis, a.ndim) + (places,)), out)


def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    arr, indices = border.tensors(arr, indices)
    return gather.take_along_dim(arr, indices, axis)


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    if isinstance(arr, np.ndarray):
        return _on_host(np.put_along_axis, arr, indices, values, axis)
    _, indices, values = border.tensors(arr, indices, values)
    if axis is None:
        gather.put_(arr, views.reshape(indices, -1), border.cast(border.spread(values, indices.shape), arr.desc.dtype).reshape(-1))
        return None
    gather.scatter_(arr, axis, indices, border.cast(border.spread(values, indices.shape), arr.desc.dtype))


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    if isinstance(a, np.ndarray):
        return _on_host(np.put, a, ind, v, mode)
    if mode != "raise":
        raise UnsupportedError(f"mode={mode!r} is not there for tensors", where="put", advice="Bring the indices into range first.")
    _, places, values = border.tensors(a, ind, v)
    places = views.reshape(places, -1)
    gather.put_(a, places, _cycled(border.cast(values, a.desc.dtype), places.shape[0]))


def _cycled(values: Any, count: int) -> Any:
    """The first `count` elements, from the beginning again where there are fewer."""
    flat = views.reshape(values, -1)
    length = flat.shape[0]
    return flat[:count] if length >= count or not length else shape.tile(flat, (-(-count // length),))[:count]


def _putmask(a: Any, /, mask: Any, values: Any) -> None:
    if isinstance(a, np.ndarray):
        return _on_host(np.putmask, a, mask, values)
    _, mask, values = border.tensors(a, mask, values)
    spread = views.reshape(_cycled(border.cast(values, a.desc.dtype), a.desc.numel), a.shape)
    copy_into(a, comparison.where(_truth(mask), spread, a))


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    if isinstance(a, np.ndarray):
        return _on_host(np.fill_diagonal, a, val, wrap)
    (value,) = border.operands(val)
    shape.fill_diagonal_(a, value, wrap)
    return None


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    _, source = border.tensors(dst, src)
    border.put(source, dst, where, casting)


def _on_host(function: Callable[..., Any], target: Any, *arguments: Any) -> None:
    """Writing into an array of the caller's: what is written is wanted on the host."""
    function(target, *map(border.host, arguments))


def _truth(x: Any) -> Any:
    return x if x.desc.dtype is d.bool_ else comparison.ne(x, 0)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """`x` where the condition holds, else `y`; alone, the places where it holds. Like: numpy.where."""
    condition, x, y = border.operands(condition, x, y)
    if x is None and y is None:
        return nonzero(condition)
    (condition,) = border.tensors(condition)
    return gather.where(_truth(condition), x, y)


def nonzero(a: Any) -> tuple[Any, ...]:
    """Places of the elements that are not 0, a vector for each axis. Like: numpy.nonzero."""
    if not a.ndim:
        raise ShapeError("at least one dimension is needed", advice="Take atleast_1d of it.").with_context("nonzero", (a,))
    return tuple(gather.nonzero(a, as_tuple=True))


def _place(arr: Any, mask: Any, vals: Any) -> None:
    if isinstance(arr, np.ndarray):
        return _on_host(np.place, arr, mask, vals)
    _, mask, values = border.tensors(arr, mask, vals)
    (places,) = gather.nonzero(views.reshape(_truth(mask), -1), as_tuple=True)
    count = places.shape[0]
    if count and not values.desc.numel:
        raise ValueRangeError("no value is there to put in", where="place")
    if count:
        gather.put_(arr, places, _cycled(border.cast(values, arr.desc.dtype), count))
    return None


def _trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    (filt,) = border.tensors(filt)
    if set(trim.lower()) - {"f", "b"}:
        raise ValueRangeError(f'trim must be of the letters "f" and "b", not {trim!r}', where="trim_zeros")
    axes = range(filt.ndim) if axis is None else [normalize_dim(one, filt.ndim) for one in each(axis)]
    there = [np.asarray(border.host(places)) for places in nonzero(filt)]
    cut = [slice(None)] * filt.ndim
    for dim in axes:
        low, high = (int(there[dim].min()), int(there[dim].max()) + 1) if there[dim].size else (filt.shape[dim], filt.shape[dim])
        cut[dim] = slice(low if "f" in trim.lower() else 0, high if "b" in trim.lower() else None)
    return filt[tuple(cut)]


def _diag_indices_from(arr: Any) -> tuple[Any, ...]:
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        raise ShapeError("at least two dimensions of one length are needed").with_context("diag_indices_from", (arr,))
    places = gather.nonzero(arr.new_ones(arr.shape[0], dtype=d.bool_), as_tuple=True)
    return tuple([places[0]] * arr.ndim)


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Slices along an axis for which a condition holds. Like: numpy.compress."""
    condition, a = border.tensors(condition, a)
    if axis is None:
        a, axis = views.reshape(a, -1), 0
    a = border.vector(a, axis)
    (places,) = gather.nonzero(condition, as_tuple=True)
    return border.put(gather.index_select(a, axis, places), out)


def _extract(condition: Any, arr: Any) -> Any:
    condition, arr = border.tensors(condition, arr)
    return gather.masked_select(views.reshape(arr, -1), _truth(views.reshape(condition, -1)))


@checked
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """From as many tensors, the element that a number names. Like: numpy.choose."""
    if mode != "raise":
        raise UnsupportedError(f"mode={mode!r} is not there for tensors", where="choose", advice="Bring the indices into range first.")
    a, *parts = border.tensors(a, *choices)
    if a.desc.dtype.category > d.INTEGER:
        raise DTypeError("numbers of choices are integers").with_context("choose", (a,))
    a, *parts = views.broadcast_tensors(a, *same_dtype(*parts)) if parts else (a,)
    chosen = gather.gather(shape.stack(parts, 0), 0, views.unsqueeze(border.cast(a, d.int64), 0))
    return border.put(views.select(chosen, 0, 0), out)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    count = len(condlist)
    if count != len(choicelist) or not count:
        raise ValueRangeError("as many conditions as choices are needed, and one at least", where="select")
    *both, result = border.operands(*condlist, *choicelist, default)
    choices = [*both[count:], result]
    common = result_type((x.desc.dtype, x.ndim) if is_tensor(x) else (type(x), -1) for x in choices)
    *choices, result = (border.cast(x, common) if is_tensor(x) else x for x in choices)
    for condition, choice in zip(reversed(both[:count]), reversed(choices), strict=True):
        (chosen,) = border.tensors(condition)
        result = gather.where(_truth(chosen), choice, result)
    return result


def _unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    if order != "C":
        raise UnsupportedError(f"order={order!r} is not there for tensors", where="unravel_index", advice='Use order="C".')
    return tuple(gather.unravel_index(indices, shape))


def _triangle_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    def indices(arr: Any, k: int = 0) -> tuple[Any, ...]:
        if arr.ndim != 2:
            raise ShapeError("a matrix is needed").with_context(f"{function.__name__}_indices_from", (arr,))
        return tuple(gather.nonzero(function(arr.new_ones(arr.shape, dtype=d.bool_), k), as_tuple=True))

    return indices


# Sorting, searching


def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = None) -> Any:
    border.refuse("sort", order=order, descending=descending)
    return sorting.sort(*_row(a, axis), stable=True)[0]


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = None) -> Any:
    """The places that would put the elements in order. Like: numpy.argsort."""
    border.refuse("argsort", order=order, descending=descending)
    a, axis = _row(a, axis)
    return sorting.argsort(border.vector(a, axis), axis, stable=True)


def _partition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return _sort(a, axis, order=order)


def _argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return argsort(a, axis, order=order)


def _row(a: Any, axis: Any) -> tuple[Any, int]:
    return (views.reshape(a, -1), 0) if axis is None else (a, axis)


def _lexsort(keys: Any, axis: int = -1) -> Any:
    rows = border.tensors(*keys)
    if not rows:
        raise ValueRangeError("at least one key is needed", where="lexsort")
    order = sorting.argsort(rows[0], axis, stable=True)
    for row in rows[1:]:
        order = gather.take_along_dim(order, sorting.argsort(gather.take_along_dim(row, order, axis), axis, stable=True), axis)
    return order


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Places in the sorted vector `a` before which the elements of `v` belong. Like: numpy.searchsorted."""
    if side not in ("left", "right"):
        raise ValueRangeError(f'side must be "left" or "right", not {side!r}', where="searchsorted")
    a, v, sorter = border.operands(a, v, sorter)
    (a,) = border.tensors(a) if is_tensor(a) else border.tensors(v, a)[1:]
    if a.ndim != 1:
        raise ShapeError("a sorted vector is needed", advice="at.searchsorted takes a row for each row.").with_context("searchsorted", (a,))
    if sorter is not None:
        a = gather.index_select(a, 0, sorter)
    if is_tensor(v):
        a, v = same_dtype(a, v)
    return sorting.searchsorted(a, v, side=side)


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    x, bins = border.tensors(x, bins)
    if bins.ndim != 1:
        raise ShapeError("bins must be a vector").with_context("digitize", (x, bins))
    side = "left" if right else "right"
    if not bins.desc.numel:
        return searchsorted(bins, x, side)
    falling = bins[0] > bins[-1]
    found = searchsorted(comparison.where(falling, shape.flip(bins, 0), bins), x, side)
    return comparison.where(falling, bins.desc.numel - found, found)


# Sets


class _Unique(NamedTuple):
    values: Any
    indices: Any
    inverse: Any
    counts: Any


def _flat_unique(x: Any) -> _Unique:
    values, inverse, counts = sorting.unique(views.reshape(x, -1), return_inverse=True, return_counts=True)
    order = sorting.argsort(views.reshape(inverse, -1), stable=True)
    first = counts.cumsum(0) - counts
    return _Unique(values, order[first] if order.desc.numel else first, inverse, counts)


def _unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    if axis is not None:
        if return_index:
            raise UnsupportedError("return_index= with axis= is not there for tensors", where="unique", advice="Leave one of them away.")
        return sorting.unique(ar, True, return_inverse, return_counts, axis)
    if not return_index:
        found = sorting.unique(views.reshape(ar, -1), True, return_inverse, return_counts)
        if not return_inverse:
            return found
        values, inverse, *rest = found
        return (values, views.reshape(inverse, ar.shape), *rest)
    whole = _flat_unique(ar)
    wanted = [whole.values, whole.indices]
    wanted += [views.reshape(whole.inverse, ar.shape)] if return_inverse else []
    return tuple(wanted + ([whole.counts] if return_counts else []))


class UniqueAll(NamedTuple):
    """Distinct elements, where each is found first, which of them each element is, and how often each comes."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each comes."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Distinct elements, and which of them each element is."""

    values: Any
    inverse_indices: Any


def _in(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Any:
    element, test_elements = same_dtype(*border.tensors(element, test_elements))
    return sorting.isin(element, test_elements, invert=invert)


def _both(ar1: Any, ar2: Any) -> list[Any]:
    return [sorting.unique(views.reshape(x, -1)) for x in same_dtype(*border.tensors(ar1, ar2))]


def _union1d(ar1: Any, ar2: Any) -> Any:
    return sorting.unique(shape.cat([views.reshape(x, -1) for x in border.tensors(ar1, ar2)], 0))


def _intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    border.refuse("intersect1d", return_indices=return_indices)
    first, second = _both(ar1, ar2)
    return first[sorting.isin(first, second)]


def _setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    first, second = (views.reshape(x, -1) for x in border.tensors(ar1, ar2))
    first = sorting.unique(first)
    return first[sorting.isin(*same_dtype(first, second), invert=True)]


def _setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    first, second = _both(ar1, ar2)
    parts = first[sorting.isin(first, second, invert=True)], second[sorting.isin(second, first, invert=True)]
    return sorting.sort(shape.cat(list(parts), 0))[0]


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "argpartition": _argpartition,
    "argsort": argsort,
    "argwhere": lambda a: gather.argwhere(a),
    "choose": choose,
    "compress": compress,
    "copyto": _copyto,
    "diag_indices_from": _diag_indices_from,
    "digitize": _digitize,
    "extract": _extract,
    "fill_diagonal": _fill_diagonal,
    "flatnonzero": lambda a: nonzero(views.reshape(a, -1))[0],
    "intersect1d": _intersect1d,
    "isin": _in,
    "lexsort": _lexsort,
    "nonzero": nonzero,
    "partition": _partition,
    "place": _place,
    "put": _put,
    "put_along_axis": _put_along_axis,
    "putmask": _putmask,
    "searchsorted": searchsorted,
    "select": _select,
    "setdiff1d": _setdiff1d,
    "setxor1d": _setxor1d,
    "sort": _sort,
    "take": take,
    "take_along_axis": _take_along_axis,
    "trim_zeros": _trim_zeros,
    "tril_indices_from": _triangle_indices(shape.tril),
    "triu_indices_from": _triangle_indices(shape.triu),
    "union1d": _union1d,
    "unique": _unique,
    "unique_all": lambda x, /: UniqueAll(*_unique(x, True, True, True)),
    "unique_counts": lambda x, /: UniqueCounts(*_unique(x, return_counts=True)),
    "unique_inverse": lambda x, /: UniqueInverse(*_unique(x, return_inverse=True)),
    "unique_values": lambda x, /: _unique(x),
    "unravel_index": _unravel_index,
    "vander": lambda x, N=None, increasing=False: combining.vander(x, N, increasing),
    "where": where,
}
