"""NumPy's functions that call a function of yours, with tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ... import dtypes as d
from ...errors import ShapeError, ValueRangeError
from ...ops import indexing, shape, views
from ...ops.pointwise import comparison
from ...shapes import each, normalize_dim
from .. import numpy as border


def _apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """One call for each row: the launches of one after those of another."""
    axis = normalize_dim(axis, arr.ndim)
    rows = views.movedim(arr, axis, -1)
    around = rows.shape[:-1]
    if not all(around):
        raise ValueRangeError("there is no row to call the function with").with_context("apply_along_axis", (arr,))
    found = [func1d(row, *args, **kwargs) for row in views.unbind(views.reshape(rows, (math.prod(around), rows.shape[-1])), 0)]
    whole = _stacked(arr, found)
    inner = whole.ndim - 1
    whole = views.reshape(whole, (*around, *whole.shape[1:]))
    order = (*range(axis), *range(len(around), len(around) + inner), *range(axis, len(around)))
    return views.permute(whole, order) if order else whole


def _stacked(like: Any, parts: Any) -> Any:
    """Results in one tensor; lists of tensors stay on the device, too."""
    return shape.stack(border.tensors(like, *(_stacked(like, part) if isinstance(part, (list, tuple)) else part for part in parts))[1:], 0)


def _apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    rank = a.ndim
    for axis in each(axes):
        axis = normalize_dim(axis, rank)
        (found,) = border.tensors(a, func(a, axis))[1:]
        a = found if found.ndim == rank else views.unsqueeze(found, axis)
        if a.ndim != rank:
            raise ShapeError("the function must keep the dimensions, or take one away").with_context("apply_over_axes", (found,))
    return a


def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    (x,) = border.tensors(x)
    one = not np.shape(condlist) or (not np.shape(condlist[0]) and x.ndim)  # as NumPy tells a condition from several
    conditions = [border.cast(each, d.bool_) for each in border.tensors(x, *([condlist] if one else condlist))[1:]]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for each in conditions[1:]:
            rest = comparison.logical_or(rest, each)
        conditions.append(comparison.logical_not(rest))
    if len(funclist) != len(conditions):
        text = f"{len(conditions)} conditions and {len(funclist)} functions do not fit"
        raise ValueRangeError(text, where="piecewise", advice="One for each condition, and one more for the rest.")
    result = x.new_zeros(x.shape)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            chosen = x[condition]
            if chosen.desc.numel:
                indexing.put(result, condition, function(chosen, *args, **kw))
        else:
            indexing.put(result, condition, function)
    return result


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "apply_along_axis": _apply_along_axis,
    "apply_over_axes": _apply_over_axes,
    "piecewise": _piecewise,
}
