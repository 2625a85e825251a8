"""Test records of pools."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from harness import INT64, SAME, Array, Record, Refused, With, array

from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import pooling
from ascendtensor.ops.table import pooling as table

SIZES = (7, 6, 5)
FLOATS = (d.float32, d.float16, d.bfloat16, d.float64)
STEPS = {d.float32: (1e-5, 1e-6), d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2)}


def many(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def slices(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> list[tuple[list[int], int]]:
    """For each window along an axis: its elements inside the image, and how many it has with padding."""
    room = size + 2 * padding - (kernel - 1) * dilation - 1
    number = (-(-room // stride) if ceil else room // stride) + 1
    if ceil and (number - 1) * stride >= size + padding:
        number -= 1
    found = []
    for at in range(number):
        start = at * stride - padding
        places = [start + step * dilation for step in range(kernel)]
        found.append(([each for each in places if 0 <= each < size], sum(each < size + padding for each in places)))
    return found


def index_of(window: Any) -> list[list[int]]:
    return [places for places, _ in window]


def over(x: Array, axes: list[list[tuple[list[int], int]]], function: Callable[..., Any]) -> list[Array]:
    """`function(elements, flat positions, number with padding)` of each window, for (batch, channels, ...)."""
    positions = np.arange(np.prod(x.shape[2:])).reshape(x.shape[2:])
    results = []
    for window in product(*axes):
        index = np.ix_(*(np.array(places, int) for places, _ in window))
        part = x[(slice(None), slice(None), *index)].reshape(*x.shape[:2], math.prod(map(len, index_of(window))))
        results.append(function(part, positions[index].reshape(-1), np.prod([number for _, number in window])))
    shape = (*x.shape[:2], *map(len, axes))
    parts = results if isinstance(results[0], tuple) else [(each,) for each in results]
    return [np.stack(each, -1).reshape(shape) for each in zip(*parts, strict=True)]


def largest(part: Array, positions: Array, number: int) -> tuple[Array, Array]:
    return part.max(-1), positions[part.argmax(-1)]


def max_pool(rank: int) -> Callable[..., Any]:
    def reference(
        x: Array,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        if x.ndim == rank + 1:
            found = reference(x[None], kernel, stride, padding, dilation, ceil_mode, return_indices)
            return tuple(each[0] for each in found) if return_indices else found[0]
        numbers = [many(each, rank) for each in (kernel, kernel if stride is None else stride, padding, dilation)]
        axes = [slices(x.shape[2 + at], *(each[at] for each in numbers), ceil_mode) for at in range(rank)]
        values, places = over(x, axes, largest)
        return (values, places) if return_indices else values

    return reference


def avg_pool(rank: int) -> Callable[..., Any]:
    def reference(
        x: Array,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        if x.ndim == rank + 1:
            return reference(x[None], kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)[0]
        numbers = [many(each, rank) for each in (kernel, kernel if stride is None else stride, padding)]
        axes = [slices(x.shape[2 + at], *(each[at] for each in numbers), 1, ceil_mode) for at in range(rank)]

        def mean(part: Array, positions: Array, number: int) -> Array:
            count = divisor_override or (number if count_include_pad else part.shape[-1])
            total = part.sum(-1)
            return total / count if x.dtype.kind == "f" else np.trunc(total / count).astype(x.dtype)

        return over(x, axes, mean)[0]

    return reference


def lp_pool(rank: int) -> Callable[..., Any]:
    def reference(x: Array, p: float, kernel: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        if np.isinf(p):
            return (
                max_pool(rank)(abs(x), kernel, stride, 0, 1, ceil_mode)
                if p > 0
                else -max_pool(rank)(-abs(x), kernel, stride, 0, 1, ceil_mode)
            )
        places = np.prod(many(kernel, rank))
        return (avg_pool(rank)(x**p, kernel, stride, 0, ceil_mode) * places) ** (1 / p)

    return reference


def adaptive(rank: int, find: bool) -> Callable[..., Any]:
    def reference(x: Array, size: Any, return_indices: bool = False) -> Any:
        if x.ndim == rank + 1:
            return reference(x[None], size)[0]
        axes = []
        for at, number in enumerate(many(size, rank) if size is not None else x.shape[2:]):
            length = x.shape[2 + at]
            number = length if number is None else number
            axes.append([(list(range(i * length // number, -(-(i + 1) * length // number))), 0) for i in range(number)])
        if not find:
            return over(x, axes, lambda part, positions, number: part.mean(-1))[0]
        values, places = over(x, axes, largest)
        return (values, places) if return_indices else values

    return reference


def unpool(rank: int) -> Callable[..., Any]:
    def reference(x: Array, indices: Array, kernel: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Any:
        steps, sides = many(kernel if stride is None else stride, rank), many(padding, rank)
        lead = x.shape[: x.ndim - rank]
        least = [(x.shape[len(lead) + at] - 1) * steps[at] + many(kernel, rank)[at] - 2 * sides[at] for at in range(rank)]
        sizes = list(output_size)[-rank:] if output_size else least
        whole = np.zeros((*lead, int(np.prod(sizes))), x.dtype)
        if any(abs(size - fit) >= step for size, fit, step in zip(sizes, least, steps, strict=True)):
            raise ValueError(f"no windows of {kernel} make {sizes}")
        flat = (*lead, math.prod(x.shape[len(lead) :]))
        np.put_along_axis(whole, indices.reshape(flat), x.reshape(flat), -1)
        return whole.reshape(*lead, *sizes)

    return reference


def windows(rank: int, dilated: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *SIZES[:rank]))
        yield x, 2
        yield With((x, (3, 2, 2)[:rank]), {"stride": (2, 1, 2)[:rank], "padding": 1, "ceil_mode": True})
        if dilated:
            yield With((x, 3), {"stride": 1, "padding": (1, 0, 1)[:rank], "dilation": 2})
        else:
            yield With((x, 3), {"padding": 1, "ceil_mode": True, "count_include_pad": False})
            if rank > 1:
                yield With((x, (2, 3, 2)[:rank]), {"divisor_override": 3})
        yield x[0], 1
        yield With((array(dtype, (2, *SIZES[:rank], 3)).swapaxes(1, -1), 3), {"stride": 2})
        yield array(dtype, (1, 1, *(70, 3, 1)[:rank])), (2, 1, 1)[:rank], (65, 1, 1)[:rank]

    return samples


def found(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 2, *SIZES[:rank]))
        low = -np.inf if dtype.is_floating_point else np.iinfo(dtype.numpy).min
        for given in (x, np.round(x), np.full_like(x, low)):
            yield With((given, 3), {"stride": 2, "padding": 1, "return_indices": True})
        yield With((x, 2), {"stride": 1, "dilation": 2, "ceil_mode": True, "return_indices": True})
        yield With((x[0], 3), {"return_indices": True})

    return samples


def norms(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *SIZES[:rank]), 0.5, 2)
        yield x, 2, 2
        yield With((x, 3.0, 3), {"stride": 2, "ceil_mode": True})
        yield With((x - 1, np.inf, 3), {"stride": 2, "ceil_mode": True})
        yield x - 1, -np.inf, 2

    return samples


def sizes(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *SIZES[:rank]))
        yield x, 1
        yield x, (3, 4, 2)[:rank]
        yield x, (9, 6, 5)[:rank]
        yield x[0], 2
        if rank > 1:
            yield x, (None, 3, 2)[:rank]

    return samples


def adapted_found(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *SIZES[:rank]))
        yield With((x, (3, 4, 2)[:rank]), {"return_indices": True})
        yield With((np.round(x), 2), {"return_indices": True})

    return samples


def unpooled(rank: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        x = array(dtype, (2, 3, *SIZES[:rank]))
        values, places = max_pool(rank)(x.astype(np.float64), 2, return_indices=True)
        values = values.astype(x.dtype)
        yield With((values, places, 2), {"output_size": SIZES[:rank]})
        yield With((values[0], places[0], 2), {"output_size": x.shape})
        small = np.arange(2**rank).reshape(1, 1, *(2,) * rank)
        yield values[:1, :1][(..., *(slice(0, 2),) * rank)], small, 2

    return samples


X = np.zeros((1, 2, 4, 4), np.float32)


def refused() -> list[Refused]:
    return [
        Refused((X, 5), ValueError, r"input \[4, 4\], kernel \[5, 5\].*size \[0, 0\]"),
        Refused((X, 2), ValueError, r"padding \[2, 2\].*half", {"padding": 2}),
        Refused((X, 2), ValueError, "padding", {"padding": -1}),
        Refused((X, 0), ValueError, "kernel_size.*positive"),
        Refused((X[:, :0], 2), ValueError, r"\[1, 0, 4, 4\]"),
        Refused((X[0, 0], 2), ValueError, r"3 \(unbatched\) or 4 \(batched\)"),
        Refused((X.astype(bool), 2), TypeError, "bool"),
        Refused((X, (2, 2, 2)), ValueError, "one int or 2"),
    ]


def averages_refused() -> list[Refused]:
    return [*refused(), Refused((X, 2), ValueError, "divisor_override", {"divisor_override": 0})]


def sizes_refused() -> list[Refused]:
    return [
        Refused((X, (2, 3, 4)), ValueError, "one int or 2"),
        Refused((X, -1), ValueError, "negative"),
        Refused((X[:, :, :0], 1), ValueError, "no elements"),
        Refused((X.astype(np.int64), 1), TypeError, "int64"),
    ]


def unpool_refused() -> list[Refused]:
    small, places = np.zeros((1, 1, 2, 2), np.float32), np.zeros((1, 1, 2, 2), np.int64)
    return [
        Refused((small, places.astype(np.int32), 2), TypeError, "int64"),
        Refused((small, places[..., :1], 2), ValueError, "differ"),
        Refused((small, places, 2), ValueError, "output_size", {"output_size": (9, 9)}),
    ]


def each(name: str, reference: Any, samples: Any, rows: Any = (), refuses: Any = tuple, **more: Any) -> Iterator[Record]:
    ending, suffix = more.pop("ending", ""), more.pop("suffix", "")
    for rank in (1, 2, 3):
        label = f"{name}{rank}d{ending}"
        mine = refuses if rank == 2 else tuple
        given = {"dtypes": FLOATS, "result": SAME, "tolerances": STEPS, **more}
        if rank != 2:  # the same rows: two dtypes will do
            given["dtypes"] = given["dtypes"][:: len(given["dtypes"]) - 1] if rank == 1 else given["dtypes"][:3:2]
        yield Record(label + suffix, getattr(pooling, label), reference(rank), samples(rank), rows, refused=mine, **given)


def with_indices(reference: Any) -> Any:
    return lambda rank: lambda *given, **options: reference(rank)(*given, **{**options, "return_indices": True})


BOTH = (SAME, INT64)
RECORDS = [
    *each("max_pool", max_pool, lambda rank: windows(rank, True), (table.MAX_POOL,), refused, dtypes=(*FLOATS, d.int64)),
    *each("max_pool", max_pool, found, (table.MAX_POOL_FOUND,), suffix=".indices", result=BOTH, dtypes=(*FLOATS, d.int32)),
    *each("avg_pool", avg_pool, lambda rank: windows(rank, False), (table.AVG_POOL,), averages_refused, dtypes=(*FLOATS, d.int64)),
    *each("lp_pool", lp_pool, norms, refuses=lambda: [Refused((X, 0, 2), ValueError, "must not be 0")]),
    *each("adaptive_avg_pool", lambda rank: adaptive(rank, False), sizes, (table.ADAPTIVE_AVG_POOL,), sizes_refused),
    *each("adaptive_max_pool", lambda rank: adaptive(rank, True), sizes, (table.ADAPTIVE_MAX_POOL,), sizes_refused),
    *each("adaptive_max_pool", lambda rank: adaptive(rank, True), adapted_found, suffix=".indices", result=BOTH),
    *each("max_unpool", unpool, unpooled, (), unpool_refused),
    *each("max_pool", with_indices(max_pool), found, ending="_with_indices", result=BOTH),
    *each(
        "adaptive_max_pool",
        with_indices(lambda rank: adaptive(rank, True)),
        adapted_found,
        ending="_with_indices",
        result=BOTH,
    ),
]
