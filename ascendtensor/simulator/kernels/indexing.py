"""Gathering and scattering by indices and one-hot places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.operands import (
    apart,
    as_is,
    axis_of,
    bounded,
    broadcast,
    count,
    dims_of,
    front,
    ints,
    known_ints,
    needs,
    one_int,
    raw,
    same,
    type_code,
    unknown,
    wide,
)
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Shape,
    Task,
    binder,
    infer,
    kernel,
)

Reduce = Callable[[Array, Any, Array], None]

_PART = 1 << 17
"""Indices handled at a time where there are many."""


def _checked(indices: Array, dim: int, negative: bool, what: str = "index") -> Array:
    """Indices into a dim, none of them negative any more.

    Raises:
        IndexError: One is out of range.
    """
    # A negative index is a huge unsigned one: one pass finds both kinds of wrong ones.
    if not indices.size or np.maximum.reduce(indices.view(f"u{indices.itemsize}"), None) < dim:
        return indices
    low, high = int(indices.min()), int(indices.max())
    if low < (-dim if negative else 0) or high >= dim:
        raise IndexError(f"{what} {high if high >= dim else low} is out of range for a dim of {dim}")
    return np.where(indices < 0, indices + dim, indices)


def _same_dtype(first: Meta, *others: Meta) -> None:
    if any(not meta.absent and meta.dtype != first.dtype for meta in others):
        raise ValueError("operands that must share a dtype differ")


# Gathering along an axis


def _gather(x: Array, indices: Array, axis: int, batch: int, out: Array, negative: bool) -> None:
    if not batch and axis == 0 and indices.ndim == 1 and indices.size > _PART:
        for begin in range(0, indices.size, _PART):  # looked at and used while they are in the cache
            part = _checked(indices[begin : begin + _PART], x.shape[0], negative)
            np.take(x, part, 0, out[begin : begin + _PART], "clip")
        return
    index = _checked(indices, x.shape[axis], negative)
    if out.size == 0:
        return
    if not batch:
        np.take(x, index, axis, out, "clip")
        return
    # Batches become one long axis: every batch has its own stretch of it.
    lead = prod(x.shape[:batch])
    middle = prod(x.shape[batch:axis])
    dim = x.shape[axis]
    rest = prod(x.shape[axis + 1 :])
    flat = x.reshape(lead, middle, dim, rest)
    index = index.reshape(lead, -1).astype(np.intp)
    target = out.reshape(lead, middle, index.shape[1], rest)
    for number in range(lead):
        np.take(flat[number], index[number], 1, target[number], "clip")


def _bind_gather(inputs: Inputs, outputs: Outputs, attrs: Attrs, axis: int) -> Task:
    x, indices = raw(needs(inputs[0], "x")), needs(inputs[1], "indices")
    batch = axis_of(attrs.get("batch_dims", 0), indices.ndim) if attrs.get("batch_dims", 0) else 0
    axis = axis_of(axis, x.ndim)
    out, negative = raw(outputs[0]), attrs.get("negative_index_support", False)
    if not batch and out.size and 0 < indices.size <= _PART:
        return _gather_few, (x, indices, indices.view(f"u{indices.itemsize}"), axis, out, negative)
    return _gather, (x, indices, axis, batch, out, negative)


def _gather_few(x: Array, indices: Array, unsigned: Array, axis: int, out: Array, negative: bool) -> None:
    """As ``_gather`` without batches; a negative index is a huge unsigned one."""
    if unsigned.item(unsigned.argmax()) >= x.shape[axis]:  # three times as fast as the maximum of few
        indices = _checked(indices, x.shape[axis], negative)
    x.take(indices, axis, out, "clip")


@binder("GatherV2", values=(2,))
def _gather_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind_gather(inputs, outputs, attrs, one_int(inputs[2], "axis"))


@binder("GatherV2D")
def _gather_v2d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind_gather(inputs, outputs, attrs, attrs["axis"])


@binder("Gather")
def _gather_first(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind_gather(inputs, outputs, attrs, attrs["batch_dims"])


def _gathered(x: Meta, indices: Meta, axis: int | None, batch: int) -> list[Out]:
    if unknown(x) or unknown(indices):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if not x.shape:
        raise ValueError("a 0-d input has no axis to gather along")
    batch = axis_of(batch, len(indices.shape)) if batch else 0
    if axis is None:
        return [Out(x.dtype, (-1,) * (len(x.shape) - 1 + len(indices.shape) - batch))]
    at = axis_of(axis, len(x.shape))
    if at < batch:
        raise ValueError(f"axis {axis} lies within the {batch} batch dims")
    for have, want in zip(x.shape[:batch], indices.shape[:batch], strict=True):
        same(have, want, "batch dims")
    return [Out(x.dtype, x.shape[:at] + indices.shape[batch:] + x.shape[at + 1 :])]


@infer("GatherV2")
def _gather_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    axis = known_ints(inputs[2])
    return _gathered(inputs[0], inputs[1], axis[0] if axis else None, attrs["batch_dims"])


@infer("GatherV2D")
def _gather_v2d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _gathered(inputs[0], inputs[1], attrs["axis"], 0)


@infer("Gather")
def _gather_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _gathered(inputs[0], inputs[1], attrs["batch_dims"], attrs["batch_dims"])


# Gathering and scattering element by element along an axis (PyTorch's gather and scatter)


def _element_places(shape: Shape, index: Array, axis: int) -> Array:
    """Where in the flattened array each index points: its own dims, but along the axis where it says."""
    steps = [prod(shape[at + 1 :]) for at in range(len(shape))]
    places: Array = _checked(index, shape[axis], negative=True) * np.intp(steps[axis])
    for at, dim in enumerate(index.shape):
        if at != axis and dim > 1:
            np.add(places, (np.arange(dim) * steps[at]).reshape((-1,) + (1,) * (len(shape) - 1 - at)), places)
    return places


def _lift(array: Array) -> Array:
    return array.reshape(1) if array.ndim == 0 else array


def _gather_elements(x: Array, index: Array, axis: int, out: Array) -> None:
    if out.size:
        np.take(x.reshape(-1), _element_places(x.shape, index, axis), None, out, "clip")


@binder("GatherElements")
def _bind_gather_elements(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, index = _lift(raw(needs(inputs[0], "x"))), _lift(needs(inputs[1], "index"))
    return _gather_elements, (x, index, axis_of(attrs["dim"], x.ndim), _lift(raw(outputs[0])))


def _element_dims(x: Meta, index: Meta, axis: int) -> None:
    """Indices must not be larger than the data, except along the axis."""
    if unknown(x) or unknown(index):
        return
    rank, other = max(len(x.shape), 1), max(len(index.shape), 1)
    at = axis_of(axis, rank)
    if rank != other or any(place != at and 0 <= dim < size for place, (dim, size) in enumerate(zip(x.shape, index.shape, strict=False))):
        raise ValueError(f"indices of shape {list(index.shape)} do not fit into shape {list(x.shape)} along axis {axis}")


@infer("GatherElements")
def _gather_elements_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, index = inputs
    _element_dims(x, index, attrs["dim"])
    return [Out(x.dtype, index.shape)]


def _set(flat: Array, places: Any, values: Array) -> None:
    """Writes values; of several for one place the last one stays."""
    flat[places] = values


def _by(function: np.ufunc) -> Reduce:
    def reduce(flat: Array, places: Any, values: Array) -> None:
        """Half types are reduced in float32 and rounded once."""
        work = wide(flat)
        function.at(work, places, wide(values))
        if work is not flat:
            flat[...] = work

    return reduce


def _further(function: np.ufunc) -> Reduce:
    take = _by(function)

    def reduce(flat: Array, places: Any, values: Array) -> None:
        """Whatever compares as larger or smaller is taken: no NaN among the updates is, and one that is there stays (hicann/ops-nn,
        ``scatter_nd_max_aicpu.cpp`` and ``scatter_nd_min_aicpu.cpp``)."""
        known = np.equal(wide(values), wide(values))
        if not known.all():
            places, values = places[known], values[known]
        take(flat, places, values)

    return reduce


_REDUCTIONS: dict[str, Reduce] = {
    "none": _set,
    "update": _set,
    "add": _by(np.add),
    "sub": _by(np.subtract),
    "mul": _by(np.multiply),
    "max": _by(np.maximum),
    "min": _by(np.minimum),
    "larger": _further(np.maximum),
    "smaller": _further(np.minimum),
}


def _reduction(name: str) -> Reduce:
    found = _REDUCTIONS.get(name.lower())
    if found is None:
        raise ValueError(f"reduction {name!r} is none of {', '.join(_REDUCTIONS)}")
    return found


def _movers(reduce: Reduce, *arrays: Array) -> list[Array]:
    """Arrays for plain writes need no bfloat16 arithmetic."""
    return [raw(array) for array in arrays] if reduce is _set else list(arrays)


def _scatter_elements(var: Array | None, out: Array, index: Array, updates: Array, axis: int, reduce: Reduce) -> None:
    if var is not None:
        np.copyto(out, var)
    if index.size:
        places = _element_places(out.shape, index, axis)
        part = updates[tuple(slice(0, dim) for dim in index.shape)]
        reduce(out.reshape(-1), places.reshape(-1), part.reshape(-1))


@binder("ScatterElements", "ScatterElementsV2")
def _bind_scatter_elements(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    index = _lift(needs(inputs[1], "indices"))
    if attrs["reduction"] not in ("none", "add", "mul"):
        raise ValueError(f"reduction {attrs['reduction']!r} is none of none, add, mul")
    reduce = _reduction(attrs["reduction"])
    var, updates, out = (_lift(array) for array in _movers(reduce, needs(inputs[0], "data"), needs(inputs[2], "updates"), outputs[0]))
    if any(have < dim for have, dim in zip(updates.shape, index.shape, strict=False)):
        raise ValueError(f"updates of shape {list(updates.shape)} are fewer than indices of shape {list(index.shape)}")
    return _scatter_elements, (var if apart(var, out) else None, out, index, updates, axis_of(attrs["axis"], var.ndim), reduce)


@infer("ScatterElements", "ScatterElementsV2")
def _scatter_elements_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    data, indices, updates = inputs
    _same_dtype(data, updates)
    _element_dims(data, indices, attrs["axis"])
    if not unknown(indices) and not unknown(updates) and len(indices.shape) != len(updates.shape):
        raise ValueError(f"updates of shape {list(updates.shape)} do not fit indices of shape {list(indices.shape)}")
    return [Out(data.dtype, data.shape)]


# Scattering whole rows


def _rows(var: Array | None, out: Array, indices: Array, updates: Array, reduce: Reduce) -> None:
    if var is not None:
        np.copyto(out, var)
    index = _checked(indices, out.shape[0], negative=False).reshape(-1)
    if updates.size == 0:
        return
    if reduce is _set:
        out[index] = updates
        return
    width = prod(out.shape[1:])
    places = (index.astype(np.intp)[:, None] * width + np.arange(width)).reshape(-1)
    reduce(out.reshape(-1), places, np.ascontiguousarray(updates).reshape(-1))


def _bind_rows(name: str) -> None:
    """Registers one of the operators that update rows of the first axis in place."""
    reduce = _reduction(name)

    @binder(f"Scatter{name.capitalize()}")
    def _bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
        indices = needs(inputs[1], "indices")
        var, updates, out = _movers(reduce, needs(inputs[0], "var"), needs(inputs[2], "updates"), outputs[0])
        rows = np.broadcast_to(updates, indices.shape + var.shape[1:]).reshape(indices.size, *var.shape[1:])
        return _rows, (var if apart(var, out) else None, out, indices, rows, reduce)


for _name in ("update", "add", "sub", "mul", "max", "min"):
    _bind_rows(_name)


@infer("ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterMax", "ScatterMin")
def _rows_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    var, indices, updates = inputs
    _same_dtype(var, updates)
    if not any(unknown(meta) for meta in inputs):
        if not var.shape:
            raise ValueError("a 0-d var has no rows")
        want = indices.shape + var.shape[1:]
        if updates.shape != () and broadcast(want, updates.shape) != broadcast(want, want):
            raise ValueError(f"updates of shape {list(updates.shape)} do not fit {list(want)}")
    return [Out(var.dtype, var.shape)]


# Indices that are coordinates on their last axis


def _coordinate_places(shape: Shape, indices: Array, negative: bool) -> Array:
    """Row numbers in the array flattened over the dims that the coordinates name."""
    depth = indices.shape[-1]
    places = np.zeros(indices.shape[:-1], np.intp)
    for at in range(depth):
        places *= shape[at]
        places += _checked(indices[..., at], shape[at], negative)
    return places


def _depth(x_rank: int, indices: Array) -> int:
    if indices.ndim == 0 or indices.shape[-1] > x_rank:
        raise ValueError(f"indices of shape {list(indices.shape)} do not point into {x_rank} dims")
    return int(indices.shape[-1])


def _gather_nd(x: Array, indices: Array, out: Array, negative: bool) -> None:
    depth = indices.shape[-1]
    places = _coordinate_places(x.shape, indices, negative)
    if out.size:
        np.take(x.reshape(-1, *x.shape[depth:]), places, 0, out, "clip")


@binder("GatherNd")
def _bind_gather_nd(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, indices = raw(needs(inputs[0], "x")), needs(inputs[1], "indices")
    _depth(x.ndim, indices)
    return _gather_nd, (x, indices, raw(outputs[0]), attrs["negative_index_support"])


@infer("GatherNd")
def _gather_nd_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, indices = inputs
    if unknown(x) or unknown(indices) or indices.shape[-1:] == (-1,):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if not indices.shape or indices.shape[-1] > len(x.shape):
        raise ValueError(f"indices of shape {list(indices.shape)} do not point into shape {list(x.shape)}")
    return [Out(x.dtype, indices.shape[:-1] + x.shape[indices.shape[-1] :])]


def _scatter_nd(var: Array | None, out: Array, indices: Array, updates: Array, reduce: Reduce) -> None:
    if var is not None:
        np.copyto(out, var)
    depth = indices.shape[-1]
    places = _coordinate_places(out.shape, indices, negative=False).reshape(-1)
    if updates.size:
        rows = out.reshape(prod(out.shape[:depth]), -1)
        _rows(None, rows, places, updates.reshape(places.size, -1), reduce)


def _bind_scatter_nd(op_type: str, reduction: str) -> None:
    reduce = _reduction(reduction)

    @binder(op_type)
    def _bind(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
        indices = needs(inputs[1], "indices")
        var, updates, out = _movers(reduce, needs(inputs[0], "var"), needs(inputs[2], "updates"), outputs[0])
        depth = _depth(var.ndim, indices)
        as_is(np.empty(indices.shape[:-1] + var.shape[depth:], np.bool_), updates)
        return _scatter_nd, (var if apart(var, out) else None, out, indices, updates, reduce)


for _op_type, _name in (
    ("ScatterNdUpdate", "update"),
    ("ScatterNdAdd", "add"),
    ("ScatterNdSub", "sub"),
    ("ScatterNdMax", "larger"),
    ("ScatterNdMin", "smaller"),
    ("TensorScatterUpdate", "update"),
    ("TensorScatterAdd", "add"),
):
    _bind_scatter_nd(_op_type, _name)


@infer("ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "ScatterNdMax", "ScatterNdMin", "TensorScatterUpdate", "TensorScatterAdd")
def _scatter_nd_var_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    _same_dtype(inputs[0], inputs[2])
    return [Out(inputs[0].dtype, inputs[0].shape)]


def _scatter_new(out: Array, indices: Array, updates: Array) -> None:
    out.fill(0)
    _scatter_nd(None, out, indices, updates, _REDUCTIONS["add"])


@binder("ScatterNd")
def _bind_scatter_new(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    indices, updates, out = needs(inputs[0], "indices"), needs(inputs[1], "x"), outputs[0]
    depth = _depth(out.ndim, indices)
    as_is(np.empty(indices.shape[:-1] + out.shape[depth:], np.bool_), updates)
    return _scatter_new, (out, indices, updates)


@infer("ScatterNd")
def _scatter_new_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[1].dtype, dims_of(inputs[2]))]


# PyTorch's x[i, :, j]: a mask says which axes have an index tensor


def _key(mask: Sequence[int], indices: Sequence[Array | None], shape: Shape) -> tuple[Any, ...]:
    given = [needs(array, "indices") for array in indices]
    if sum(1 for bit in mask if bit) != len(given) or len(mask) > len(shape):
        raise ValueError(f"the mask {list(mask)} does not fit {len(given)} index tensors into shape {list(shape)}")
    queue = iter(given)
    return tuple(next(queue) if bit else slice(None) for bit in mask)


@kernel("Index")
def _index(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
    mask = ints(inputs[1], "indexed_sizes")
    key = _key(mask, inputs[3:], x.shape)
    if mask and mask[0] and not any(mask[1:]):
        _gather(x, key[0], 0, 0, out, True)
        return
    np.copyto(out, as_is(out, x[key]))


@infer("Index")
def _index_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, mask, indices = inputs[0], known_ints(inputs[1]), inputs[3:]
    if unknown(x) or mask is None or any(unknown(meta) for meta in indices):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if sum(1 for bit in mask if bit) != len(indices) or len(mask) > len(x.shape):
        raise ValueError(f"the mask {mask} does not fit {len(indices)} index tensors into shape {list(x.shape)}")
    picked = broadcast(*(meta.shape for meta in indices))
    axes = [axis for axis, bit in enumerate(mask) if bit]
    kept = [dim for axis, dim in enumerate(x.shape) if axis not in axes]
    # The new dims stand where the indexed axes stood if those are neighbours, else in front.
    place = axes[0] if axes and axes == list(range(axes[0], axes[0] + len(axes))) else 0
    return [Out(x.dtype, (*kept[:place], *picked, *kept[place:]))]


@kernel("IndexPutV2")
def _index_put(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    reduce = _REDUCTIONS["add" if attrs["accumulate"] else "none"]
    x, value, out = _movers(reduce, needs(inputs[0], "x"), needs(inputs[1], "value"), outputs[0])
    if apart(x, out):
        np.copyto(out, x)
    reduce(out, _key(ints(inputs[2], "indexed_sizes"), inputs[4:], out.shape), value)


@infer("IndexPutV2")
def _index_put_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """Refuses what only the AI CPU does for sure: CANN's choice of the kernel does not ask for the mask (index_put_v2.py, check_supported,
    CANN 8.1.RC1), and op-plugin excludes the AI Core for masks with an axis before one with indices (IndexPutKernelNpu.cpp)."""
    mask = known_ints(inputs[2])
    if mask is not None and any(mask[mask.index(0) :] if 0 in mask else ()) and attrs.get("_exclude_engines") != "AiCore":
        raise ValueError(f"the mask {list(mask)} has an axis without indices before one with: exclude the AI Core (_exclude_engines)")
    return _in_place_rule(inputs, attrs, num_outputs)


@infer("InplaceIndexAdd")
def _in_place_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    _same_dtype(inputs[0], inputs[1] if len(inputs) > 4 else inputs[2])
    return [Out(inputs[0].dtype, inputs[0].shape)]


def _index_add(var: Array | None, out: Array, indices: Array, updates: Array, alpha: Array | None, axis: int) -> None:
    if var is not None:
        np.copyto(out, var)
    values = updates if alpha is None or alpha.reshape(()) == 1 else wide(updates) * wide(alpha.reshape(()))
    index = _checked(indices, out.shape[axis], negative=False).astype(np.intp)
    if not values.size:
        return
    lead, dim, rest = prod(out.shape[:axis]), out.shape[axis], prod(out.shape[axis + 1 :])
    places = index
    if lead > 1 or rest > 1:
        places = ((np.arange(lead)[:, None, None] * dim + index[:, None]) * rest + np.arange(rest)).reshape(-1)
    _REDUCTIONS["add"](out.reshape(-1), places, values.reshape(-1))


@binder("InplaceIndexAdd")
def _bind_index_add(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    var, indices, updates, out = needs(inputs[0], "var"), needs(inputs[1], "indices").reshape(-1), needs(inputs[2], "updates"), outputs[0]
    axis = axis_of(attrs["axis"], var.ndim)
    var, updates, out = _lift(var), _lift(updates), _lift(out)
    want = (*var.shape[:axis], indices.size, *var.shape[axis + 1 :])
    if updates.shape != want:
        raise ValueError(f"updates of shape {list(updates.shape)} are not {list(want)}")
    return _index_add, (var if apart(var, out) else None, out, indices, updates, inputs[3] if len(inputs) > 3 else None, axis)


def _index_fill(x: Array, keep: Array, fill: Array, out: Array) -> None:
    np.copyto(out, raw(x))
    np.copyto(out, raw(fill), where=keep == 0)


@binder("IndexFillD")
def _bind_index_fill(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _index_fill, (needs(inputs[0], "x"), needs(inputs[1], "assist1"), needs(inputs[2], "assist2"), raw(outputs[0]))


@infer("IndexFillD")
def _index_fill_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    _same_dtype(*inputs)
    return [Out(inputs[0].dtype, inputs[0].shape)]


# Sums into rows: gradients of gathers


def _segment_sum(x: Array, segments: Array, out: Array, width: int) -> None:
    """Adds rows into the segments they name; a negative segment drops its row."""
    index = segments.reshape(-1).astype(np.intp)
    total = wide(out) if out.dtype.itemsize == 2 else out
    total.fill(0)
    rows = wide(x).reshape(index.size, width)
    if index.size and int(index.min()) < 0:
        rows, index = rows[index >= 0], index[index >= 0]
    if rows.size:
        _rows(None, total.reshape(-1, width), index, rows, _REDUCTIONS["add"])
    if total is not out:
        np.copyto(out, total, casting="unsafe")


@binder("UnsortedSegmentSum")
def _bind_segment_sum(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, segments, out = needs(inputs[0], "x"), needs(inputs[1], "segment_ids"), outputs[0]
    if x.shape[: segments.ndim] != segments.shape:
        raise ValueError(f"segment_ids of shape {list(segments.shape)} do not lead shape {list(x.shape)}")
    return _segment_sum, (x, segments, out, prod(x.shape[segments.ndim :]))


@infer("UnsortedSegmentSum")
def _segment_sum_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, segments = inputs[:2]
    number = known_ints(inputs[2])
    if unknown(x) or unknown(segments):
        return [Out(x.dtype, UNKNOWN_RANK)]
    return [Out(x.dtype, (number[0] if number else -1, *x.shape[len(segments.shape) :]))]


def _embedding_grad(grad: Array, indices: Array, out: Array, padding: int, by_count: bool) -> None:
    index = indices.reshape(-1)
    rows = wide(grad).reshape(index.size, out.shape[1])
    if by_count and index.size:
        rows = rows / np.bincount(_checked(index, out.shape[0], negative=False))[index][:, None].astype(rows.dtype)
    _segment_sum(rows, index, out, out.shape[1])
    if padding >= 0:
        out[padding] = 0


@binder("EmbeddingDenseGrad")
def _bind_embedding_grad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _embedding_grad, (
        needs(inputs[0], "grad"),
        needs(inputs[1], "indices"),
        outputs[0],
        attrs["padding_idx"],
        attrs["scale_grad_by_freq"],
    )


@infer("EmbeddingDenseGrad")
def _embedding_grad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    grad = inputs[0]
    return [Out(grad.dtype, (attrs["num_weights"], -1 if unknown(grad) else grad.shape[-1]))]


# Differences


@kernel("ListDiff")
def _list_diff(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> list[Shape]:
    x, y = needs(inputs[0], "x"), needs(inputs[1], "y")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"x and y of shapes {list(x.shape)} and {list(y.shape)} are not both vectors")
    places = np.flatnonzero(np.isin(x, y, invert=True))
    np.take(raw(x), places, 0, front(raw(outputs[0]), places.shape), "clip")
    np.copyto(front(outputs[1], places.shape), places, casting="unsafe")
    return [places.shape, places.shape]


@infer("ListDiff")
def _list_diff_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, y = inputs
    _same_dtype(x, y)
    length = -1 if unknown(x) else count(x.shape)
    return [bounded(x.dtype, length), bounded(type_code(attrs["out_idx"]), length)]


# One-hot


def _one_hot(x: Array, on: Array, off: Array, out: Array, axis: int) -> None:
    """Indices out of range, also negative ones, have no hot place."""
    depth = out.shape[axis]
    np.copyto(out, off)
    flat = out.reshape(prod(out.shape[:axis]), depth, prod(out.shape[axis + 1 :]))
    hot = x.reshape(flat.shape[0], flat.shape[2])
    lead, rest = np.nonzero((hot >= 0) & (hot < depth))
    flat[lead, hot[lead, rest], rest] = on


def _bind_one_hot(x: Array | None, on: Array | None, off: Array | None, out: Array, axis: int) -> Task:
    indices, target = needs(x, "x"), raw(out)
    on_value, off_value = raw(needs(on, "on_value")).reshape(()), raw(needs(off, "off_value")).reshape(())
    return _one_hot, (indices, on_value, off_value, target, axis % target.ndim)


@binder("OneHot")
def _bind_one_hot_v1(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind_one_hot(inputs[0], inputs[2], inputs[3], outputs[0], attrs["axis"])


@binder("OneHotD")
def _bind_one_hot_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind_one_hot(inputs[0], inputs[1], inputs[2], outputs[0], attrs["axis"])


def _hot_shape(x: Meta, dtype: int, depth: int, axis: int) -> list[Out]:
    if unknown(x):
        return [Out(dtype, UNKNOWN_RANK)]
    rank = len(x.shape) + 1
    if not -1 <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for {len(x.shape)} dims and one more")
    at = axis % rank
    return [Out(dtype, (*x.shape[:at], depth, *x.shape[at:]))]


@infer("OneHot")
def _one_hot_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    depth = known_ints(inputs[1])
    _same_dtype(inputs[2], inputs[3])
    if depth and depth[0] < 0:
        raise ValueError(f"depth {depth[0]} is negative")
    return _hot_shape(inputs[0], inputs[2].dtype, depth[0] if depth else -1, attrs["axis"])


@infer("OneHotD")
def _one_hot_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _hot_shape(inputs[0], inputs[1].dtype, attrs["depth"], attrs["axis"])
