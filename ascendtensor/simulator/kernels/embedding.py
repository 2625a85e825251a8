"""Bags of rows of a table."""

from __future__ import annotations

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.blocks import BLOCK
from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.operands import needs, unknown, wide
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel


@kernel("EmbeddingBag")
def _embedding_bag(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """Sums, means or largest elements of the rows of each bag; rows of padding don't count, an empty bag gives zeros."""
    weight, indices = needs(inputs[0], "weight"), needs(inputs[1], "indices").reshape(-1)
    offsets = needs(inputs[2], "offsets")
    factors = inputs[3] if len(inputs) > 3 else None
    y, owners, sizes, largest = outputs
    mode = attrs["mode"]
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"mode {mode!r} is none of sum, mean, max")
    if indices.size and not (int(indices.min()) >= 0 and int(indices.max()) < len(weight)):
        raise IndexError(f"an index is out of range for {len(weight)} rows")
    ends = offsets[1:] if attrs["include_last_offset"] else np.append(offsets[1:], indices.size)
    starts = offsets[: len(ends)]
    if starts.size and (starts[0] != 0 or (ends < starts).any() or ends[-1] > indices.size):
        raise ValueError("offsets have to start with 0 and must not fall")
    if starts.size and ends[-1] < indices.size:
        raise ValueError(f"the last offset is {ends[-1]}, not the number of indices, {indices.size}")
    largest.fill(0)
    size = int(ends[0]) if starts.size else 0
    alike = size * len(starts) == indices.size and bool((ends - starts == size).all())
    if alike and size and mode != "max" and factors is None and not (indices == attrs["padding_idx"]).any():
        np.copyto(owners.reshape(len(starts), size), np.arange(len(starts))[:, None])
        sizes.fill(size)
        _equal_bags(weight, indices.reshape(len(starts), size), y, mode == "mean")
        return
    kept = indices != attrs["padding_idx"]
    owners[...] = np.repeat(np.arange(len(starts)), ends - starts)
    sizes[...] = np.bincount(owners[kept], minlength=len(starts))
    y.fill(0)
    filled = np.flatnonzero(sizes)  # bags with rows that count
    places = np.flatnonzero(kept)
    firsts = np.cumsum(sizes[filled]) - sizes[filled]
    step = max(1, BLOCK // max(1, weight.shape[1]) // max(1, int(sizes.max(initial=1))))
    for start in range(0, len(filled), step):
        bags, own = filled[start : start + step], firsts[start : start + step]
        chosen = places[own[0] : own[-1] + sizes[bags[-1]]]
        rows = wide(weight[indices[chosen]])
        if mode == "max":
            _maxima(rows, indices[chosen], own - own[0], sizes[bags], y, largest, bags)
            continue
        if factors is not None:
            rows *= wide(factors.reshape(-1)[chosen])[:, None]
        total = _sums(rows, own - own[0], sizes[bags])
        y[bags] = total / sizes[bags][:, None].astype(total.dtype) if mode == "mean" else total


def _equal_bags(weight: Array, indices: Array, y: Array, mean: bool) -> None:
    """Sums or means of bags of one size, of which every row counts."""
    bags, size = indices.shape
    step = max(1, BLOCK // max(1, size * weight.shape[1]))
    for start in range(0, bags, step):
        rows = wide(weight.take(indices[start : start + step], 0))
        total = np.einsum("bsl->bl", rows)  # row after row, quicker than a sum over an axis
        if mean:
            np.divide(total, total.dtype.type(size), total)
        store(total, y[start : start + step])


def _sums(rows: Array, starts: Array, sizes: Array) -> Array:
    """Sums of bags of rows that follow one another: where their sizes are alike, of the first row of each, the second and so on."""
    most = int(sizes.max())
    if most * len(sizes) > 2 * len(rows):
        return np.add.reduceat(rows, starts, axis=0)
    if most * len(sizes) == len(rows):
        equal = rows.reshape(len(sizes), most, rows.shape[1])
        whole: Array = equal[:, 0].copy()
        for place in range(1, most):
            np.add(whole, equal[:, place], whole)
        return whole
    whole = rows[starts]
    for place in range(1, most):
        longer = (sizes > place).nonzero()[0]
        whole[longer] += rows[starts[longer] + place]
    return whole


def _maxima(rows: Array, indices: Array, starts: Array, sizes: Array, y: Array, largest: Array, bags: Array) -> None:
    """The largest elements of bags, and the indices of the first rows that have them."""
    most = np.maximum.reduceat(rows, starts, axis=0)
    y[bags] = most
    here = rows == np.repeat(most, sizes, axis=0)
    order = np.where(here, np.arange(len(rows))[:, None], len(rows))
    first = np.minimum.reduceat(order, starts, axis=0)
    largest[bags] = indices[np.minimum(first, len(rows) - 1)]


@infer("EmbeddingBag")
def _embedding_bag_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """y for each bag, the bag of each index, the size of each bag, and for "max" where each element comes from."""
    weight, indices = inputs[:2]
    offsets = inputs[2] if len(inputs) > 2 else None
    count = -1
    if offsets is not None and not offsets.absent and not unknown(offsets) and offsets.shape[0] >= 0:
        count = offsets.shape[0] - bool(attrs["include_last_offset"])
    length = -1 if unknown(weight) else weight.shape[1]
    number = indices.shape[0] if not unknown(indices) else -1
    code = int(DataType.INT32)
    largest = (count, length) if attrs["mode"] == "max" else (count,)
    return [Out(weight.dtype, (count, length)), Out(code, (number,)), Out(code, (count,)), Out(code, largest)]
