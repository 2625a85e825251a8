"""NumPy's functions that move elements: shapes, axes, joining, splitting, repeating, padding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ... import base
from ...dtypes import bool_
from ...errors import IndexRangeError, ShapeError, UnsupportedError, ValueRangeError
from ...ops import gather, host, shape, views
from ...ops.arguments import checked
from ...ops.nn import folding
from ...shapes import broadcast_shapes, each, normalize_dim, several
from .. import numpy as border

# Shapes and axes


def _lengths(shape: Any) -> tuple[int, ...]:
    found = border.host(shape)
    return (int(found),) if np.ndim(found) == 0 else tuple(int(length) for length in found)


def in_order(function: str, order: str | None, a: Any) -> bool:
    """Whether elements are taken in Fortran's order: by "F", and by "A" where they lie in it.

    Raises:
        ValueRangeError: It is no order.
    """
    if order not in ("C", "F", "A", "K", None):
        raise ValueRangeError(f'order must be one of "C", "F", "A" and "K", not {order!r}', where=function)
    return order == "F" or (order == "A" and not a.is_contiguous() and views.reverse_dims(a).is_contiguous())


def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None) -> Any:
    """The elements in another shape, in C's or Fortran's order, or "A" for that in which they lie. Like: numpy.reshape."""
    lengths = _lengths(newshape if shape is None else shape)
    if order == "K":
        raise ValueRangeError('order="K" is not permitted for reshaping', where="reshape").with_context("reshape", (a,))
    if in_order("reshape", order, a):
        return views.reverse_dims(views.reshape(views.reverse_dims(a), lengths[::-1]))
    if copy is False:
        return views.view(a, lengths)
    found = views.reshape(a, lengths)
    return clone(found) if copy else found


def clone(a: Any) -> Any:
    """A copy. Like: numpy.copy."""
    return shape.clone(a)


def element(a: Any, *places: Any) -> Any:
    """One element as a Python number. Like: numpy.ndarray.item."""
    if len(places) == 1 and isinstance(places[0], tuple):
        (places,) = places
    return host.item(views.reshape(a, -1)[places[0]] if len(places) == 1 else a[tuple(places)])


def ravel(a: Any, order: str = "C") -> Any:
    """All elements in one row, in C's or Fortran's order, or as they lie in memory ("K", or "A" for one of the two). Like: numpy.ravel."""
    if order == "K":
        steps = base.element_strides(a)
        return views.ravel(views.permute(a, tuple(sorted(range(a.ndim), key=lambda dim: -abs(steps[dim])))))
    return views.ravel(views.reverse_dims(a) if in_order("ravel", order, a) else a)


def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order, by default reversed: a view. Like: numpy.transpose."""
    return views.reverse_dims(a) if axes is None else views.permute(a, _lengths(axes))


@checked
def transposed(a: Any, *axes: Any) -> Any:
    """`transpose` as the method of arrays has it: with one tuple, with numbers, or with nothing. Like: numpy.ndarray.transpose."""
    given = tuple(axis for axis in axes if axis is not None)
    return transpose(a, (given[0] if len(given) == 1 and several(given[0]) else given) or None)


def flatten(a: Any, order: str) -> Any:
    """All elements in one row, a copy. Like: numpy.ndarray.flatten."""
    return clone(ravel(a, order))


@checked
def squeeze(a: Any, axis: Any = None) -> Any:
    """Without the axes of length 1, or without those named, which must have length 1. Like: numpy.squeeze.

    Raises:
        IndexRangeError: There is no such axis.
        ShapeError: An axis has another length.
    """
    if axis is None:
        return views.squeeze(a)
    axes = each(axis)
    if not a.ndim and set(axes) <= {0, -1}:  # NumPy lets a 0-d array have an axis here
        return a
    if any(not -a.ndim <= one < a.ndim for one in axes):
        raise IndexRangeError(f"axis {axis} is out of range for {a.ndim} dimensions").with_context("squeeze", (a,))
    if any(a.shape[one] != 1 for one in axes):
        raise ShapeError(f"the length of an axis of {axis} is not 1").with_context("squeeze", (a,))
    return views.squeeze(a, axes) if axes else a


def expand_dims(a: Any, axis: Any) -> Any:
    """With axes of length 1 at these places of the result. Like: numpy.expand_dims.

    Raises:
        IndexRangeError: The result has no such axis.
        ShapeError: An axis comes twice.
    """
    axes = each(axis)
    rank = a.ndim + len(axes)
    if any(not -rank <= one < rank for one in axes):
        raise IndexRangeError(f"axis {axis} is out of range for {rank} dimensions").with_context("expand_dims", (a,))
    places = sorted({one % rank for one in axes})
    if len(places) != len(axes):
        raise ShapeError(f"an axis comes twice in {axis}").with_context("expand_dims", (a,))
    for place in places:
        a = views.unsqueeze(a, place)
    return a


def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    axis, start = normalize_dim(axis, a.ndim), start if start >= 0 else start + a.ndim
    return views.movedim(a, axis, start - 1 if axis < start else start)


def _broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    return border.spread(array, _lengths(shape))


def _resize(a: Any, new_shape: Any) -> Any:
    lengths = _lengths(new_shape)
    wanted, flat = math.prod(lengths), views.reshape(a, -1)
    if not flat.shape[0]:
        return a.new_zeros(lengths)
    times = -(-wanted // flat.shape[0])
    return views.reshape(shape.tile(flat, (max(times, 1),))[:wanted], lengths)


def _atleast(rank: int) -> Callable[..., Any]:
    function = (views.atleast_1d, views.atleast_2d, views.atleast_3d)[rank - 1]

    def atleast(*arys: Any) -> Any:
        found = [function(x) for x in border.tensors(*arys)]
        return found[0] if len(found) == 1 else tuple(found)

    return atleast


# Joining


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind") -> Any:
    parts = [border.cast(part, dtype) for part in border.tensors(*arrays)]
    if axis is None:
        parts, axis = [views.reshape(part, -1) for part in parts], 0
    return border.put(shape.cat(parts, axis), out, casting=casting)


def _stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    return border.put(shape.stack([border.cast(part, dtype) for part in border.tensors(*arrays)], axis), out, casting=casting)


def _side_by_side(function: Callable[..., Any]) -> Callable[..., Any]:
    def stacked(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
        return function([border.cast(part, dtype) for part in border.tensors(*tup)])

    return stacked


def _block(arrays: Any) -> Any:
    def depth_of(part: Any) -> int:
        return 1 + max(map(depth_of, part)) if isinstance(part, list) else 0

    def leaves(part: Any) -> list[Any]:
        return [leaf for item in part for leaf in leaves(item)] if isinstance(part, list) else [part]

    depth = depth_of(arrays)
    ready = iter(border.tensors(*leaves(arrays)))
    uploaded = _mapped(arrays, ready)
    rank = max(depth, *(leaf.ndim for leaf in leaves(uploaded)))

    def build(part: Any, level: int) -> Any:
        if isinstance(part, list):
            return shape.cat([build(item, level + 1) for item in part], rank - depth + level)
        return views.reshape(part, ((1,) * (rank - part.ndim) + part.shape))

    return build(uploaded, 0)


def _mapped(part: Any, ready: Any) -> Any:
    return [_mapped(item, ready) for item in part] if isinstance(part, list) else next(ready)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    return _concatenate((arr, values) if axis is not None else border.tensors(arr, values), axis)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, values = border.tensors(arr, values)
    if axis is None:
        arr, axis = views.reshape(arr, -1), 0
    axis = normalize_dim(axis, arr.ndim)
    length = arr.shape[axis]
    places = np.arange(length)[obj] if isinstance(obj, slice) else np.asarray(border.host(obj))
    if places.ndim:
        count = places.size
    else:  # before one place: several slices, or one, which may lack the axis
        count = values.shape[axis - arr.ndim] if values.ndim == arr.ndim else 1
        if 0 < values.ndim < arr.ndim:
            values = views.unsqueeze(values, axis)
        places = np.full(count, places)
    order = np.insert(np.arange(length), places, np.arange(length, length + count))
    added = border.cast(border.spread(values, (*arr.shape[:axis], count, *arr.shape[axis + 1 :])), arr.desc.dtype)
    return gather.index_select(shape.cat([arr, added], axis), axis, *border.tensors(arr, order)[1:])


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    if axis is None:
        arr, axis = views.reshape(arr, -1), 0
    axis = normalize_dim(axis, arr.ndim)
    kept = np.delete(np.arange(arr.shape[axis]), obj if isinstance(obj, slice) else border.host(obj))
    return gather.index_select(arr, axis, *border.tensors(arr, kept)[1:])


# Splitting


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    if not several(indices_or_sections) and ary.shape[axis] % indices_or_sections:
        text = f"{ary.shape[axis]} elements can't be split into {indices_or_sections} equal parts"
        raise ShapeError(text, advice="array_split makes unequal ones.").with_context("split", (ary,))
    return _array_split(ary, indices_or_sections, axis)


def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    parts = border.host(indices_or_sections)
    return list(views.tensor_split(ary, [int(place) for place in parts] if several(parts) else int(parts), axis))


def _split_along(function: str, axis: int, least: int) -> Callable[..., Any]:
    def split(ary: Any, indices_or_sections: Any) -> list[Any]:
        if ary.ndim < least:
            raise ShapeError(f"at least {least} dimension{'s' * (least > 1)} needed").with_context(function, (ary,))
        return _split(ary, indices_or_sections, min(axis, ary.ndim - 1))

    return split


# Repeating, turning, padding


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element several times in a row. Like: numpy.repeat."""
    a = a if axis is None else border.vector(a, axis)
    _, counts = border.operands(a, repeats)
    return shape.repeat_interleave(a, counts, axis)


def _tile(A: Any, reps: Any) -> Any:
    return shape.tile(A, _lengths(reps))


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Places moved along axes, one number of places for all of several axes. Like: numpy.roll."""
    if axis is None:
        return shape.roll(a, shift)
    shifts, axes = np.broadcast_arrays(each(border.host(shift)), each(axis))
    return shape.roll(a, tuple(shifts.tolist()), tuple(axes.tolist())) if axes.size else clone(a)


def _flip(m: Any, axis: Any = None) -> Any:
    return shape.flip(m, tuple(range(m.ndim)) if axis is None else axis)


_PADDING: Final = ("edge", "reflect", "symmetric", "wrap")


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    if isinstance(pad_width, dict):
        named = {normalize_dim(axis, array.ndim): width if several(width) else (width, width) for axis, width in pad_width.items()}
        pad_width = [tuple(named.get(dim, (0, 0))) for dim in range(array.ndim)]
    given = np.asarray(border.host(pad_width))
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0):
        raise ValueRangeError(f"pad_width must be integers from 0 on, not {pad_width!r:.60}").with_context("pad", (array,))
    widths = np.broadcast_to(given, (array.ndim, 2)).astype(np.int64).tolist()
    if mode == "constant":
        values = options.pop("constant_values", 0)
        border.refuse("pad", **options)
        return _constant(array, widths, np.broadcast_to(np.asarray(border.host(values)), (array.ndim, 2)).tolist())
    if mode not in _PADDING:
        known = ", ".join(f'"{name}"' for name in ("constant", *_PADDING))
        raise UnsupportedError(f"mode={mode!r} is not there for tensors", where="pad", advice=f"{known} are.")
    border.refuse("pad", reflect_type=None if options.get("reflect_type") == "even" else options.get("reflect_type"))
    for dim, width in enumerate(widths):
        if any(width):
            places = np.pad(np.arange(array.shape[dim]), width, mode, **options)
            array = gather.index_select(array, dim, *border.tensors(array, places)[1:])
    return array


def _constant(array: Any, widths: list[list[int]], values: list[list[Any]]) -> Any:
    if len({value for pair in values for value in pair}) <= 1:
        flat = [width for pair in reversed(widths) for width in pair]
        return folding.constant_pad_nd(array, flat, values[0][0]) if any(flat) else clone(array)
    for dim, (width, pair) in enumerate(zip(widths, values, strict=True)):
        for side in (0, 1):
            flat = [0] * (2 * array.ndim)
            flat[2 * (array.ndim - 1 - dim) + side] = width[side]
            array = folding.constant_pad_nd(array, flat, pair[side])
    return array


def _meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueRangeError(f'indexing must be "xy" or "ij", not {indexing!r}', where="meshgrid")
    vectors = [views.reshape(x, -1) for x in border.tensors(*xi)]
    rank = len(vectors)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[:2] = 1, 0
    grids = [views.reshape(x, (1,) * place + (-1,) + (1,) * (rank - place - 1)) for x, place in zip(vectors, places, strict=True)]
    if not sparse:
        grids = list(views.broadcast_tensors(*grids))
    return tuple(map(clone, grids)) if copy else tuple(grids)


def _ix(*args: Any) -> tuple[Any, ...]:
    found = []
    for place, x in enumerate(border.tensors(*args)):
        if x.ndim != 1:
            raise ShapeError("vectors are needed").with_context("ix_", (x,))
        if x.desc.dtype is bool_:
            (x,) = gather.nonzero(x, as_tuple=True)
        found.append(views.reshape(x, (1,) * place + (-1,) + (1,) * (len(args) - place - 1)))
    return tuple(found)


def _windows(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Any:
    sizes: Sequence[int] = _lengths(window_shape)
    axes = [normalize_dim(dim, x.ndim) for dim in (range(x.ndim) if axis is None else each(axis))]
    if len(sizes) != len(axes):
        raise ShapeError("window_shape and axis differ in length").with_context("sliding_window_view", (x,))
    for size, dim in zip(sizes, axes, strict=True):
        x = views.unfold(x, dim, size, 1)
    return x


def _unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    return tuple(views.unbind(x, axis))


def _broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    objects = {place: np.asarray(value, object) for place, value in enumerate(args) if _is_object(value)}  # as Matplotlib's bars have
    rest = border.tensors(*(value for place, value in enumerate(args) if place not in objects))
    size = broadcast_shapes(*(each.desc.shape for each in rest), *(each.shape for each in objects.values()))
    found = iter(rest)
    return tuple(
        np.broadcast_to(objects[place], size) if place in objects else views.expand(next(found), size) for place in range(len(args))
    )


def _is_object(value: Any) -> bool:
    """Whether NumPy makes an array of objects or texts of it, which no tensor holds."""
    return value is None or isinstance(value, str) or (isinstance(value, (list, tuple)) and any(map(_is_object, value)))


def _square(m: Any) -> Any:
    """A vector as each row of a matrix, as NumPy's triangles take it."""
    return views.expand(m, m.shape[0], m.shape[0]) if m.ndim == 1 else m


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "append": _append,
    "array_split": _array_split,
    "atleast_1d": _atleast(1),
    "atleast_2d": _atleast(2),
    "atleast_3d": _atleast(3),
    "block": _block,
    "broadcast_arrays": _broadcast_arrays,
    "broadcast_to": _broadcast_to,
    "column_stack": lambda tup: shape.column_stack(border.tensors(*tup)),
    "concatenate": _concatenate,
    "copy": lambda a, order="K", subok=False: clone(a),
    "delete": _delete,
    "diag": lambda v, k=0: shape.diag(v, k),
    "diagflat": lambda v, k=0: shape.diagflat(v, k),
    "diagonal": lambda a, offset=0, axis1=0, axis2=1: views.diagonal(a, offset, axis1, axis2),
    "dsplit": _split_along("dsplit", 2, 3),
    "dstack": lambda tup: shape.dstack(border.tensors(*tup)),
    "expand_dims": expand_dims,
    "flip": _flip,
    "fliplr": lambda m: shape.fliplr(m),
    "flipud": lambda m: shape.flipud(m),
    "hsplit": _split_along("hsplit", 1, 1),
    "hstack": _side_by_side(shape.hstack),
    "insert": _insert,
    "ix_": _ix,
    "lib.stride_tricks.sliding_window_view": _windows,
    "meshgrid": _meshgrid,
    "moveaxis": lambda a, source, destination: views.movedim(a, source, destination),
    "pad": _pad,
    "ravel": ravel,
    "repeat": repeat,
    "reshape": reshape,
    "resize": _resize,
    "roll": roll,
    "rollaxis": _rollaxis,
    "rot90": lambda m, k=1, axes=(0, 1): shape.rot90(m, k, axes),
    "split": _split,
    "squeeze": squeeze,
    "stack": _stack,
    "swapaxes": lambda a, axis1, axis2: views.swapaxes(a, axis1, axis2),
    "tile": _tile,
    "transpose": transpose,
    "tril": lambda m, k=0: shape.tril(_square(m), k),
    "triu": lambda m, k=0: shape.triu(_square(m), k),
    "unstack": _unstack,
    "vsplit": _split_along("vsplit", 0, 2),
    "vstack": _side_by_side(shape.vstack),
}
