"""Bags of rows of a table."""

from __future__ import annotations

import numpy as np

from ascendtensor.codes import DataType
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
    largest.fill(0)
    for bag, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        owners[start:end] = bag
        places = np.arange(start, end)[indices[start:end] != attrs["padding_idx"]]
        sizes[bag] = places.size
        store(_bag(weight, indices, places, factors, mode, largest[bag]), y[bag])


def _bag(weight: Array, indices: Array, places: Array, factors: Array | None, mode: str, largest: Array) -> Array:
    rows = wide(weight[indices[places]])
    if not places.size:
        return np.zeros(weight.shape[1], rows.dtype)
    if mode == "max":
        which = rows.argmax(0)
        np.copyto(largest, indices[places][which])
        result: Array = np.take_along_axis(rows, which[None], 0)[0]
        return result
    if factors is not None:
        rows = rows * wide(factors.reshape(-1)[places])[:, None]
    total: Array = rows.sum(0)
    return total / rows.dtype.type(places.size) if mode == "mean" else total


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
