"""Records of functions that gather and scatter by index tensors and masks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INT64, INTS, SAME, Array, Record, Refused, With, array, d, edges, rng, unary_samples, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import gather, sets
from ascendtensor.ops.table import gathering as table
from ascendtensor.ops.table import indexing

UNSIGNED = (d.uint16, d.uint32, d.uint64)
REAL = (*FLOATS, *INTS, *UNSIGNED)
ALL = (*REAL, d.bool_, *COMPLEX)
FEW = (d.float32, d.bfloat16, d.int64, d.bool_)


def places(size: int, shape: tuple[int, ...], kind: Any = np.int64, low: int = 0) -> Array:
    return np.asarray(rng(size, shape).integers(low, size, shape)).astype(kind)


def distinct(size: int, count: int, kind: Any = np.int64) -> Array:
    return np.asarray(rng(size, count).permutation(size)[:count]).astype(kind)


def strided(dtype: DType) -> Array:
    return next(iter(views(dtype)))


# Reading


def gatherings(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), 0, places(3, (2, 4))
    yield array(dtype, (3, 4)), -1, places(4, (2, 6), np.int32)
    yield array(dtype, (2, 3, 4)), 1, places(3, (1, 5, 2), np.uint8)
    yield array(dtype, (5,)), 0, places(5, (9,))[::2]
    yield array(dtype, ()), 0, np.array(0)
    yield array(dtype, (3, 4)), 0, np.zeros((0, 4), np.int64)
    yield strided(dtype), 1, places(6, (10, 3))


def inside(index: Array, size: int) -> None:
    """Numbers that count from the end are wrong, as in PyTorch."""
    if np.any((index < 0) | (index >= size)):
        raise IndexError(f"{index} in a dimension of size {size}")


def gathered(values: Array, dim: int, index: Array) -> Array:
    if not values.ndim:
        return values.reshape(1)[index]
    if any(at != dim % values.ndim and size > values.shape[at] for at, size in enumerate(index.shape)):
        raise ValueError(f"an index of shape {index.shape} for {values.shape}")
    part = tuple(slice(None) if at == dim % values.ndim else slice(size) for at, size in enumerate(index.shape))
    return np.take_along_axis(values[part], index.astype(np.int64), dim)


def along(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), places(4, (3, 1), low=-4), 1
    yield array(dtype, (1, 4)), places(4, (3, 2)), 1
    yield array(dtype, (3, 4)), places(12, (5,), low=-12)
    yield array(dtype, (3, 4)), places(3, (2, 1)), 0


def taken_along(values: Array, index: Array, dim: int | None = None) -> Array:
    if dim is None:
        return np.take_along_axis(values.reshape(-1), index.reshape(-1), 0)
    shape = list(np.broadcast_shapes(*(tuple(1 if at == dim else size for at, size in enumerate(x.shape)) for x in (values, index))))
    wide = [np.broadcast_to(x, [*shape[:dim], x.shape[dim], *shape[dim + 1 :]]) for x in (values, index)]
    return np.take_along_axis(wide[0], wide[1], dim)


def selections(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), 0, places(3, (5,))
    yield array(dtype, (3, 4)), -1, places(4, (2,), np.int32, -4)
    yield array(dtype, (2, 3, 4)), 1, np.array(2)
    yield array(dtype, (3, 4)), 0, np.zeros(0, np.int64)
    yield array(dtype, ()), 0, np.array([0])
    yield strided(dtype), 1, places(6, (9,), np.int16)[::2]


def selected(values: Array, dim: int, index: Array) -> Array:
    if not values.ndim:
        return values
    return np.take(values, np.atleast_1d(index), dim)


# Writing


def scatterings(repeats: bool, updates: bool = True) -> Callable[[DType], Iterator[Any]]:
    """Samples; without repeats each place is named once."""

    def samples(dtype: DType) -> Iterator[Any]:
        rows = places(3, (5, 4)) if repeats else np.stack([distinct(3, 3) for _ in range(4)], 1)
        columns = places(4, (2, 6), np.int32) if repeats else np.stack([distinct(4, 3, np.int32) for _ in range(2)])
        one = places(5, (9,)) if repeats else distinct(5, 3)
        for shape, dim, index in [
            ((3, 4), 0, rows),
            ((3, 4), -1, columns),
            ((5,), 0, one),
            ((), 0, np.array(0)),
            ((5,), 0, np.zeros(0, np.int64)),
        ]:
            yield array(dtype, shape), dim, index, array(dtype, index.shape, -2, 2, key="src")
        yield array(dtype, (3, 4)), 1, columns, array(dtype, (3, 7), -2, 2, key="src")
        yield strided(dtype)[:3, :4], 0, rows, array(dtype, rows.T.shape, -2, 2, key="src").T

    return samples


def scattered(function: Callable[[Any, Any], Any] | None = None) -> Callable[..., Array]:
    """Reference of a scatter, one element after the other."""

    def reference(values: Array, dim: int, index: Array, src: Any) -> Array:
        result = np.array(values)
        inside(index, values.shape[dim] if values.ndim else 1)
        for place in np.ndindex(index.shape):
            target = list(place)
            if target:
                target[dim] = index[place]
            update = src[place] if isinstance(src, np.ndarray) else src
            key = tuple(target)
            result[key] = update if function is None else function(result[key], update)
        return result

    return reference


def reduced(name: str, include_self: bool) -> Callable[..., Array]:
    def reference(values: Array, dim: int, index: Array, src: Array) -> Array:
        found: dict[tuple[int, ...], list[Any]] = {}
        inside(index, values.shape[dim] if values.ndim else 1)
        for place in np.ndindex(index.shape):
            target = list(place)
            if target:
                target[dim] = int(index[place])
            found.setdefault(tuple(target), []).append(src[place])
        result = np.array(values)
        for key, updates in found.items():
            given = np.array([values[key], *updates] if include_self else updates)
            if name == "mean":
                total = given.sum(dtype=given.dtype)
                result[key] = total / len(given) if given.dtype.kind in "fc" else total // len(given)
            else:
                made = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[name]
                result[key] = made.reduce(given, dtype=given.dtype)
        return result

    return reference


def reduction(name: str, include_self: bool, dtypes: Any, row: Any) -> Record:
    return Record(
        f"scatter_reduce-{name}{'' if include_self else '-new'}",
        lambda x, dim, index, src: gather.scatter_reduce(x, dim, index, src, name, include_self=include_self),
        reduced(name, include_self),
        scatterings(True),
        row,
        dtypes,
        SAME,
        tolerances={d.float16: (2e-2, 2e-2), d.bfloat16: (6e-2, 6e-2), d.float32: (1e-5, 1e-5)},
    )


def slices(repeats: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for shape, dim, count in [((3, 4), 0, 5), ((2, 5, 3), 1, 4), ((6,), -1, 3), ((3, 4), 0, 0)]:
            index = places(shape[dim], (count,)) if repeats else distinct(shape[dim], min(count, shape[dim]))
            source = list(shape)
            source[dim] = len(index)
            yield array(dtype, shape), dim, index, array(dtype, source, -2, 2, key="src")
        index = places(6, (2,), np.int32) if repeats else distinct(6, 2, np.int32)
        yield strided(dtype), 1, index, array(dtype, (2, 10), -2, 2, key="src").T

    return samples


def as_vectors(function: Callable[..., Array]) -> Callable[..., Array]:
    """A 0-d tensor has one slice, which is itself."""

    def reference(values: Array, dim: int, index: Array, source: Any = None, *more: Any, **others: Any) -> Array:
        given = (values.reshape(values.shape or 1), dim, np.atleast_1d(index))
        source = source.reshape(source.shape or 1) if isinstance(source, np.ndarray) else source
        return function(*given, source, *more, **others).reshape(values.shape)

    return reference


@as_vectors
def added_slices(values: Array, dim: int, index: Array, source: Array, alpha: Any = 1) -> Array:
    inside(index, values.shape[dim])
    result = np.array(values)
    for at, place in enumerate(index):
        key = (slice(None),) * (dim % values.ndim)
        result[(*key, int(place))] += source[(*key, at)] if alpha == 1 else alpha * source[(*key, at)]
    return result


def reduced_slices(name: str, include_self: bool) -> Callable[..., Array]:
    @as_vectors
    def reference(values: Array, dim: int, index: Array, source: Array) -> Array:
        at = dim % values.ndim
        spread = np.broadcast_to(index.reshape((1,) * at + (-1,) + (1,) * (values.ndim - 1 - at)), source.shape)
        return reduced(name, include_self)(values, at, spread, source)

    return reference


@as_vectors
def copied_slices(values: Array, dim: int, index: Array, source: Any) -> Array:
    result = np.array(values)
    result[(slice(None),) * (dim % values.ndim) + (index.astype(np.int64),)] = source
    return result


def scaled(dtype: DType) -> Iterator[Any]:
    yield With((array(dtype, (3, 4)), 1, places(4, (5,)), array(dtype, (3, 5), -2, 2, key="src")), {"alpha": 3})


def filled(dtype: DType) -> Iterator[Any]:
    for values, dim, index, _ in slices(True)(dtype):
        yield values, dim, index, 1


def flat_puts(accumulate: bool) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        index = places(12, (2, 7)) if accumulate else distinct(12, 6).reshape(2, 3)
        yield array(dtype, (3, 4)), index, array(dtype, index.shape, -2, 2, key="src")
        yield strided(dtype), index, array(dtype, index.shape, -2, 2, key="src")

    return samples


def flat_put(accumulate: bool) -> Callable[..., Array]:
    def reference(values: Array, index: Array, source: Array) -> Array:
        result = np.ascontiguousarray(values).reshape(-1).copy()
        if accumulate:
            np.add.at(result, index.reshape(-1), source.reshape(-1))
        else:
            result[index] = source
        return result.reshape(values.shape)

    return reference


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """An in-place form: what it gives must be its operand."""

    def run(input: Any, *arguments: Any, **more: Any) -> Any:
        assert function(input, *arguments, **more) is input
        return input

    return run


# Masks


def masked(dtype: DType) -> Iterator[Any]:
    for shape in [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (2, 0)]:
        yield array(dtype, shape), array(d.bool_, shape, key="mask")
    yield array(dtype, (3, 5)), array(d.bool_, (5,), key="mask")
    yield array(dtype, (3, 1)), array(d.bool_, (2, 1, 5), key="mask")
    yield strided(dtype), array(d.bool_, (10, 6), key="mask")
    yield array(dtype, (3, 5)), np.zeros((3, 5), np.bool_)
    yield array(dtype, (300,)), np.arange(300) == 7


def placed(dtype: DType) -> Iterator[Any]:
    for values, mask in masked(dtype):
        yield values, mask, array(dtype, np.broadcast_shapes(values.shape, mask.shape), key="source")


def masked_scattered(values: Array, mask: Array, source: Array) -> Array:
    wide, holds = np.broadcast_arrays(values, mask)
    result = np.array(wide)
    result[holds] = source.reshape(-1)[: np.count_nonzero(holds)]
    return result


def with_zeros(dtype: DType) -> Iterator[Any]:
    yield from unary_samples(0, 2)(dtype)
    yield (edges(dtype),)


def coordinates(values: Array) -> Array:
    return np.argwhere(values)


WRONG = np.zeros((2, 9), np.int64)

RECORDS = [
    Record(
        "gather",
        gather.gather,
        gathered,
        gatherings,
        (table.GATHER,),
        (*REAL, d.bool_, d.complex64),
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.zeros((3, 4)), 0, np.zeros(3, np.int64)), ValueError, "gather: the index of shape"),
            Refused((np.zeros((3, 4)), 0, WRONG), ValueError, "does not fit"),
            Refused((np.zeros((3, 4)), 2, WRONG), IndexError),
            Refused((np.zeros((3, 4)), 0, np.zeros((3, 4))), TypeError, "must be one of"),
        ],
    ),
    Record("take_along_dim", gather.take_along_dim, taken_along, along, (), FEW, SAME),
    Record(
        "index_select",
        gather.index_select,
        selected,
        selections,
        (indexing.TAKE,),
        ALL,
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.zeros((3, 4)), 0, WRONG), IndexError, "vector"),
            Refused((np.zeros((0, 4)), 0, np.array([0])), IndexError, "no places"),
            Refused((np.zeros(3), 0, np.array([0.0])), TypeError, "integer"),
        ],
    ),
    Record(
        "take",
        gather.take,
        np.take,
        lambda t: iter([(array(t, (3, 4)), places(12, (2, 5), low=-12)), (strided(t), places(60, (3,)))]),
        (),
        ALL,
        SAME,
        out=True,
    ),
    Record(
        "embedding_rows", gather.embedding_rows, lambda w, i: w[i], lambda t: iter([(array(t, (5, 3)), places(5, (2, 4)))]), (), FEW, SAME
    ),
    Record(
        "scatter",
        gather.scatter,
        scattered(),
        scatterings(False),
        (table.SCATTER,),
        ALL,
        SAME,
        refused=lambda: [
            Refused((np.zeros((3, 4)), 0, np.zeros((3, 4), np.int64), np.zeros((2, 4))), ValueError, "src must be at least as long"),
            Refused((np.zeros((3, 4)), 0, np.zeros((3, 4), np.int64), np.zeros((3, 4), np.float32)), TypeError, "one dtype"),
            Refused(
                (
                    np.zeros(3),
                    0,
                    np.zeros(3, np.int64),
                    1,
                ),
                ValueError,
                "reduce must be",
                {"reduce": "mean"},
            ),
        ],
    ),
    Record(
        "scatter-number",
        gather.scatter,
        scattered(),
        lambda t: ((x, dim, index, 1) for x, dim, index, _ in scatterings(True)(t)),
        (),
        ALL,
        SAME,
    ),
    Record("scatter_", in_place(gather.scatter_), scattered(), scatterings(False), (), FEW, SAME),
    Record(
        "scatter_add",
        gather.scatter_add,
        scattered(np.add),
        scatterings(True),
        (table.SCATTER_REDUCE,),
        ALL,
        SAME,
        tolerances={d.float16: (1e-2, 1e-2), d.bfloat16: (5e-2, 5e-2)},
    ),
    Record("scatter_add_", in_place(gather.scatter_add_), scattered(np.add), scatterings(True), (), (d.float32, d.int64), SAME),
    *(
        reduction(name, include_self, dtypes, row)
        for name, dtypes, row in [
            ("sum", (d.float32, d.int64), ()),
            ("prod", (d.float32, d.int32, d.float64), ()),
            ("mean", (d.float32, d.float64, d.int32), ()),
            ("amax", (*FLOATS, *INTS, *UNSIGNED, d.bool_), (table.SCATTER_MAX,)),
            ("amin", (*FLOATS, *INTS, *UNSIGNED, d.bool_), (table.SCATTER_MIN,)),
        ]
        for include_self in (True, False)
    ),
    Record(
        "scatter_reduce_",
        in_place(lambda x, *rest: gather.scatter_reduce_(x, *rest, "sum")),
        reduced("sum", True),
        scatterings(True),
        (),
        (d.float32,),
        SAME,
    ),
    Record(
        "index_add",
        gather.index_add,
        added_slices,
        slices(True),
        (table.INPLACE_INDEX_ADD,),
        ALL,
        SAME,
        tolerances={d.float16: (1e-2, 1e-2), d.bfloat16: (5e-2, 5e-2)},
        refused=lambda: [
            Refused((np.zeros((3, 4)), 0, np.array([0, 1]), np.zeros((3, 4))), ValueError, "source must have shape"),
            Refused((np.zeros((3, 4)), 0, np.array([0, 1]), np.zeros((2, 4), np.float32)), TypeError, "one dtype"),
            Refused((np.zeros((3, 4)), 0, WRONG, np.zeros((2, 4))), IndexError, "vector"),
            Refused((np.zeros((0, 4)), 0, np.array([0]), np.zeros((1, 4))), IndexError, "no places"),
        ],
    ),
    *(
        Record(
            f"index_reduce-{name}{'' if include_self else '-new'}",
            lambda x, dim, index, source, name=name, include=include_self: gather.index_reduce(
                x, dim, index, source, name, include_self=include
            ),
            reduced_slices(name, include_self),
            slices(True),
            (),
            (d.float32, d.float16, d.int32),
            SAME,
            tolerances={d.float16: (2e-2, 2e-2), d.float32: (1e-5, 1e-5)},
            refused=lambda: [
                Refused((np.zeros((3, 4)), 0, np.array([0, 1]), np.zeros((3, 4))), ValueError, "source must have shape"),
                Refused((np.zeros((3, 4)), 0, WRONG, np.zeros((2, 4))), IndexError, "vector"),
            ],
        )
        for name in ("prod", "mean", "amax", "amin")
        for include_self in (True, False)
    ),
    Record(
        "index_reduce_",
        in_place(lambda x, *rest: gather.index_reduce_(x, *rest, "amax")),
        reduced_slices("amax", True),
        slices(True),
        (),
        (d.float32,),
        SAME,
        refused=lambda: [
            Refused((np.broadcast_to(np.zeros(4), (3, 4)), 0, np.array([0]), np.zeros((1, 4))), ValueError, "share one place")
        ],
    ),
    Record(
        "unravel_index",
        gather.unravel_index,
        lambda places, lengths: tuple(np.asarray(part) for part in np.unravel_index(places, lengths)),
        lambda dtype: iter(
            [(places(24, (5,)).astype(dtype.numpy), (2, 3, 4)), (np.array(7, dtype.numpy), (12,)), (places(6, (2, 2)), (3, 2))]
        ),
        (),
        (d.int64, d.int32, d.uint8),
        lambda dtype: d.int64,
        refused=lambda: [
            Refused((np.zeros(2), (3,)), TypeError, "integer dtype"),
            Refused((np.zeros(2, np.int64), (3, -1)), ValueError, "negative"),
        ],
    ),
    Record("index_add-alpha", gather.index_add, added_slices, scaled, (), (d.float32, d.int32, d.uint8), SAME),
    Record("index_add_", in_place(gather.index_add_), added_slices, slices(True), (), (d.float32, d.int32), SAME),
    Record(
        "index_copy",
        gather.index_copy,
        copied_slices,
        slices(False),
        (indexing.INDEX_PUT,),
        ALL,
        SAME,
        refused=lambda: [Refused((np.zeros((3, 4)), 0, np.array([0, 1]), np.zeros((3, 4))), ValueError, "source must have shape")],
    ),
    Record("index_copy_", in_place(gather.index_copy_), copied_slices, slices(False), (), FEW, SAME),
    Record("index_fill", gather.index_fill, copied_slices, filled, (), ALL, SAME),
    Record("index_fill_", in_place(gather.index_fill_), copied_slices, filled, (), FEW, SAME),
    Record("put", gather.put, flat_put(False), flat_puts(False), (), ALL, SAME),
    Record(
        "put-accumulate",
        lambda *x: gather.put(*x, accumulate=True),
        flat_put(True),
        flat_puts(True),
        (indexing.INDEX_ADD,),
        (d.float32, d.int64, d.int16),
        SAME,
    ),
    Record(
        "put_",
        in_place(gather.put_),
        flat_put(False),
        flat_puts(False),
        (),
        FEW,
        SAME,
        refused=lambda: [Refused((np.zeros(3), np.array([0]), np.zeros(2)), ValueError, "as many elements")],
    ),
    Record(
        "setdiff1d",
        sets.setdiff1d,
        np.setdiff1d,
        lambda dtype: iter(
            [
                (array(dtype, (9,)), array(dtype, (4,), key=1)),
                (array(dtype, (3, 4)), array(dtype, (3, 4))[::2]),
                (array(dtype, (5,)), array(dtype, (0,))),
                (array(dtype, (0,)), array(dtype, (2,))),
                (array(dtype, ()), array(dtype, (1,), key=1)),
                (strided(dtype), strided(dtype)[0]),
            ]
        ),
        (table.LIST_DIFF,),
        (*REAL, d.bool_),
        SAME,
        refuses=COMPLEX,
    ),
    Record(
        "setdiff1d-unique",
        lambda x, y: sets.setdiff1d(x, y, assume_unique=True),
        lambda x, y: np.setdiff1d(x, y, assume_unique=True),
        lambda dtype: iter([(np.array([3, 1, 2], dtype.numpy), np.array([1, 5], dtype.numpy))]),
        (),
        (d.float32, d.int64),
        SAME,
    ),
    Record("nonzero", gather.nonzero, coordinates, with_zeros, (table.NONZERO, indexing.PLACES), ALL, INT64, out=True),
    Record("nonzero-tuple", lambda x: gather.nonzero(x, as_tuple=True), lambda x: np.nonzero(np.atleast_1d(x)), with_zeros, (), FEW, INT64),
    Record("argwhere", gather.argwhere, coordinates, with_zeros, (), FEW, INT64),
    Record(
        "masked_select",
        gather.masked_select,
        lambda x, m: np.broadcast_to(x, np.broadcast_shapes(x.shape, m.shape))[np.broadcast_to(m, np.broadcast_shapes(x.shape, m.shape))],
        masked,
        (table.MASKED_SELECT,),
        ALL,
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.zeros(3), np.zeros(3)), TypeError, "bool"),
            Refused((np.zeros(3), np.zeros(2, np.bool_)), ValueError, "masked_select"),
        ],
    ),
    Record("masked_scatter", gather.masked_scatter, masked_scattered, placed, (table.MASKED_SCATTER,), (*REAL, d.bool_, d.complex64), SAME),
    Record(
        "masked_scatter_",
        in_place(gather.masked_scatter_),
        masked_scattered,
        lambda t: (s for s in placed(t) if np.broadcast_shapes(s[0].shape, s[1].shape) == s[0].shape),
        (),
        FEW,
        SAME,
    ),
]
