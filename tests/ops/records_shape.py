"""Records of functions that join, repeat, turn and pad."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INTS, SAME, Array, Record, Refused, With, array, d, unary_samples, views

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import shape
from ascendtensor.ops import views as view_functions
from ascendtensor.ops.table import movement as table
from ascendtensor.ops.table.indexing import ELEMENTS

UNSIGNED = (d.uint16, d.uint32, d.uint64)
ALL = (*FLOATS, *INTS, *UNSIGNED, d.bool_, *COMPLEX)
FEW = (d.float32, d.bfloat16, d.int64, d.bool_, d.complex128)


def lists(dtype: DType) -> Iterator[Any]:
    """Lists of tensors to join."""
    for shapes, dim in [([(2, 3), (4, 3)], 0), ([(2, 3), (2, 1), (2, 2)], -1), ([(5,)], 0), ([(3, 0, 2), (3, 4, 2)], 1), ([(0,), (0,)], 0)]:
        yield With(tuple(array(dtype, one, key=at) for at, one in enumerate(shapes)), {"dim": dim})
    yield With((list(views(dtype))[1],) * 2, {"dim": 1})
    yield tuple(array(dtype, (7,), key=at) for at in range(9))


def equal_lists(dtype: DType) -> Iterator[Any]:
    for one, dim in [((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((), 0), ((0, 2), 1), ((1,), -2)]:
        yield With(tuple(array(dtype, one, key=at) for at in range(3)), {"dim": dim})
    yield (next(iter(views(dtype))),) * 2


def of_list(function: Any) -> Any:
    """A function of a list as one of its members."""
    return lambda *tensors, dim=0, **more: function(tensors, dim, **more)


def with_arguments(*cases: tuple[tuple[int, ...], tuple[Any, ...]], strided: tuple[Any, ...] | None = None) -> Any:
    """Samples of a tensor of a shape and further arguments; and of views with the arguments `strided`."""

    def samples(dtype: DType) -> Iterator[Any]:
        for one, arguments in cases:
            yield (array(dtype, one), *arguments)
        if strided is not None:
            for view in list(views(dtype))[:3]:
                yield (view, *strided)

    return samples


def repeated(values: Array, repeats: Any, dim: int | None = None) -> Array:
    if dim is not None and not values.ndim and isinstance(repeats, np.ndarray):
        raise IndexError("no dimensions")
    return np.repeat(values, repeats, dim)


def counted(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4)), np.array([2, 0, 3]), 0
    yield array(dtype, (3, 4)), np.array([1, 2, 0, 1], np.int32), -1
    yield array(dtype, (3, 2)), np.array([1, 2, 0, 1, 3, 0])
    yield array(dtype, (5,)), np.array(2)
    yield array(dtype, (5,)), np.array([0, 0, 0, 0, 0]), 0
    yield list(views(dtype))[1], np.array([3]), 0


PADS: list[tuple[tuple[int, ...], tuple[int, ...], str]] = [
    ((3, 4), (1, 2), "constant"),
    ((3, 4), (1, 0, 2, 3), "constant"),
    ((2, 3, 4), (0, 1, -1, 2, 0, -1), "constant"),
    ((0, 2), (1, 1, 1, 1), "constant"),
    ((5,), (-1, -2), "constant"),
    ((3, 4), (2, 3), "reflect"),
    ((3, 4), (1, 0, 2, 1), "reflect"),
    ((3, 4), (2, 5, 1, 0), "replicate"),
    ((3, 4), (4, 1, 0, 3), "circular"),
    ((2, 3, 4), (-1, 2, 1, 1), "circular"),
]
_NUMPY_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pads(dtype: DType) -> Iterator[Any]:
    for one, numbers, mode in PADS:
        yield array(dtype, one), numbers, mode
    yield next(iter(views(dtype))), (2, 1), "reflect"
    if dtype is not d.bool_:
        yield array(dtype, (3, 4)), (1, 1), "constant", 2


def padded(values: Array, numbers: tuple[int, ...], mode: str = "constant", value: Any = 0) -> Array:
    pairs = [(0, 0)] * values.ndim
    for at in range(len(numbers) // 2):
        pairs[-1 - at] = (numbers[2 * at], numbers[2 * at + 1])
    if any(max(-low, 0) + max(-high, 0) > size for (low, high), size in zip(pairs, values.shape, strict=True)):
        raise ValueError("nothing to cut off")
    cut = values[tuple(slice(max(-low, 0), size - max(-high, 0)) for (low, high), size in zip(pairs, values.shape, strict=True))]
    wide = [(max(low, 0), max(high, 0)) for low, high in pairs]
    if mode == "constant":
        return np.pad(cut, wide, constant_values=value)
    return np.pad(cut, wide, mode=_NUMPY_MODES[mode])  # type: ignore[call-overload, no-any-return]


def embedded(values: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    size = values.shape[-1] + abs(offset)
    whole = np.zeros((*values.shape[:-1], size, size), values.dtype)
    at = np.arange(values.shape[-1])
    whole[..., at + max(-offset, 0), at + max(offset, 0)] = values
    return np.moveaxis(whole, (-2, -1), (dim1, dim2))


def part_replaced(values: Array, src: Array, dim: int, index: Any) -> Array:
    result = values.copy()
    part = (slice(None),) * (dim % values.ndim) + (index,)
    if src.shape != result[part].shape:
        raise ValueError("a source of another shape")
    result[part] = src
    return result


def diagonal_replaced(values: Array, src: Array, offset: int = 0) -> Array:
    result = values.copy()
    at = np.arange(src.shape[-1])
    result[at + max(-offset, 0), at + max(offset, 0)] = src
    return result


def strided_replaced(values: Array, src: Array, size: Any, stride: Any, offset: int) -> Array:
    flat = values.reshape(-1).copy()
    for place in np.ndindex(*size):
        flat[offset + sum(at * step for at, step in zip(place, stride, strict=True))] = src[place]
    return flat.reshape(values.shape)


def diagonal_filled(values: Array, number: Any, wrap: bool = False) -> Array:
    result = np.array(values)
    if result.ndim > 2 and len(set(result.shape)) > 1:
        raise ValueError("several lengths")
    if 0 not in result.shape:
        np.fill_diagonal(result, number, wrap)
    return result


def summed_to(values: Array, size: tuple[int, ...]) -> Array:
    lead = values.ndim - len(size)
    dims = (*range(lead), *(lead + at for at, length in enumerate(size) if length == 1))
    return values.sum(dims, keepdims=True).reshape(size)


def same_tensor(function: Any) -> Any:
    """An in-place form: what it gives must be its operand."""

    def run(input: Any, *arguments: Any) -> Any:
        assert function(input, *arguments) is input
        return input

    return run


def blocks(*tensors: Array) -> Array:
    given = [np.atleast_2d(tensor) for tensor in tensors]
    whole = np.zeros((sum(len(one) for one in given), sum(one.shape[1] for one in given)), given[0].dtype)
    row = column = 0
    for one in given:
        whole[row : row + one.shape[0], column : column + one.shape[1]] = one
        row, column = row + one.shape[0], column + one.shape[1]
    return whole


def several(*shapes: tuple[int, ...]) -> Any:
    return lambda dtype: iter([tuple(array(dtype, one, key=at) for at, one in enumerate(shapes))])


RECORDS = [
    Record("clone", shape.clone, np.copy, unary_samples(), (table.CLONE, table.AS_STRIDED), ALL, SAME),
    Record("contiguous", shape.contiguous, np.copy, unary_samples(), (ELEMENTS,), FEW, SAME),
    Record(
        "contiguous, transposed",
        lambda input, dims: shape.contiguous(view_functions.permute(input, dims)),
        np.transpose,
        lambda dtype: iter([(array(dtype, (2, 3, 4, 5)), dims) for dims in itertools.permutations(range(4))]),
        (table.TRANSPOSE,),
        ALL,
        SAME,
    ),
    Record(
        "cat",
        of_list(shape.cat),
        of_list(np.concatenate),
        lists,
        (table.CONCAT,),
        ALL,
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.zeros((2, 3)), np.zeros((3, 2))), ValueError, "cat: tensor 1 of shape"),
            Refused((np.zeros((2, 3)),), IndexError, "cat", {"dim": 2}),
            Refused((), ValueError, "no tensors"),
        ],
    ),
    Record(
        "stack",
        of_list(shape.stack),
        of_list(np.stack),
        equal_lists,
        (table.PACK,),
        ALL,
        SAME,
        out=True,
        refused=lambda: [
            Refused((np.zeros(3), np.zeros(2)), ValueError, "stack: tensor 1"),
            Refused((np.zeros(3),), IndexError, "", {"dim": 2}),
        ],
    ),
    Record("hstack", lambda *x: shape.hstack(x), lambda *x: np.hstack(x), several((2, 3), (2, 1)), (), FEW, SAME),
    Record("hstack-vectors", lambda *x: shape.hstack(x), lambda *x: np.hstack(x), several((2,), (), (3,)), (), FEW, SAME),
    Record("vstack", lambda *x: shape.vstack(x), lambda *x: np.vstack(x), several((3,), (2, 3)), (), FEW, SAME),
    Record("row_stack", lambda *x: shape.row_stack(x), lambda *x: np.vstack(x), several((3,), (2, 3)), (), FEW, SAME),
    Record(
        "vstack-out",
        lambda *x, out=None: shape.vstack(x, out=out),
        lambda *x: np.vstack(x),
        several((3,), (2, 3)),
        (),
        (d.float32,),
        SAME,
        out=True,
        refused=lambda: [Refused((), ValueError, "no tensors")],
    ),
    Record("dstack", lambda *x: shape.dstack(x), lambda *x: np.dstack(x), several((2, 3), (2, 3)), (), FEW, SAME),
    Record("column_stack", lambda *x: shape.column_stack(x), lambda *x: np.column_stack(x), several((3,), (3, 2)), (), FEW, SAME),
    Record("atleast_3d", view_functions.atleast_3d, np.atleast_3d, unary_samples(), (), FEW, SAME),
    Record("block_diag", shape.block_diag, blocks, several((2, 3), (1, 1), (2,)), (), FEW, SAME),
    Record(
        "tile",
        shape.tile,
        np.tile,
        with_arguments(((2, 3), ((2,),)), ((2, 3), ((2, 1, 3),)), ((), ((2,),)), ((4,), ((0,),)), ((), ((),)), strided=((1, 2),)),
        (table.TILE,),
        ALL,
        SAME,
    ),
    Record(
        "repeat",
        shape.repeat,
        lambda x, *n: np.tile(x, n),
        with_arguments(((2, 3), (2, 2)), ((4,), (2, 1, 3))),
        (table.TILE,),
        FEW,
        SAME,
        refused=lambda: [Refused((np.zeros((2, 3)), 2), ValueError, "1 repeats for 2"), Refused((np.zeros(3), -1), ValueError, "negative")],
    ),
    Record(
        "repeat_interleave",
        shape.repeat_interleave,
        repeated,
        with_arguments(((3, 4), (2,)), ((3, 4), (3, 0)), ((3, 4), (2, -1)), ((), (3,)), ((2, 0), (3, 0)), ((4,), (0, 0)), strided=(2, 1)),
        (),
        ALL,
        SAME,
    ),
    Record(
        "repeat_interleave-counts",
        shape.repeat_interleave,
        repeated,
        counted,
        (table.REPEAT_INTERLEAVE,),
        ALL,
        SAME,
        refused=lambda: [
            Refused((np.zeros((3, 4)), np.array([1, 2]), 0), ValueError, "don't fit dimension 0"),
            Refused((np.zeros((3, 4)), np.array([1, 2, 0]), 0), ValueError, "output_size is 4, .* add up to 3", {"output_size": 4}),
        ],
    ),
    Record(
        "flip",
        shape.flip,
        lambda x, *n: np.flip(x, n) if x.ndim else x,
        with_arguments(((3, 4), (0,)), ((2, 3, 4), (0, -1)), ((), ()), ((0, 2), (1,)), strided=(1,)),
        (table.FLIP,),
        ALL,
        SAME,
        refused=lambda: [Refused((np.zeros(3), 1), IndexError), Refused((np.zeros((3, 3)), 1, -1), ValueError, "twice")],
    ),
    Record(
        "repeat_interleave-places",
        shape.repeat_interleave,
        lambda counts: np.repeat(np.arange(len(counts)), counts),
        lambda dtype: iter([(np.array([1, 0, 3], dtype.numpy),), (np.array([2], dtype.numpy),)]),
        (),
        (d.int64, d.int32),
        SAME,
        refused=lambda: [
            Refused((np.zeros((2, 2), np.int64),), ValueError, "vector of numbers"),
            Refused((np.zeros(3), 2, 0), ValueError, "output_size", {"output_size": 5}),
            Refused((np.array(1.0), 2, 0), IndexError, "no dimensions"),
        ],
    ),
    Record("fliplr", shape.fliplr, np.fliplr, with_arguments(((3, 4), ())), (), FEW, SAME),
    Record("flipud", shape.flipud, np.flipud, with_arguments(((3, 4), ())), (), FEW, SAME),
    Record(
        "roll",
        shape.roll,
        np.roll,
        with_arguments(
            ((3, 4), (2,)),
            ((3, 4), (-1, 1)),
            ((3, 4), ((5, 1), (0, 1))),
            ((3, 4), ((1, 2), (1, 1))),
            ((), (3,)),
            ((0, 2), (1, 1)),
            ((4,), (4, 0)),
            ((270, 250), ((5, -2), (0, 1))),
            strided=(1, 0),
        ),
        (ELEMENTS, table.VIEW_COPY),
        ALL,
        SAME,
        refused=lambda: [
            Refused((np.zeros((3, 3)), (1, 2), 0), ValueError, "2 shifts for 1"),
            Refused((np.zeros((3, 3)), (), ()), ValueError, "0 shifts for 0"),
            Refused((np.zeros(()), 1, 0), IndexError, "0-d"),
            Refused((np.zeros(3), 1, 1), IndexError),
        ],
    ),
    Record(
        "rot90",
        shape.rot90,
        lambda x, k, dims=(0, 1): np.rot90(x, k, dims),
        with_arguments(*(((2, 3), (k,)) for k in range(-1, 5)), ((2, 3, 4), (1, (2, 0))), strided=(3,)),
        (),
        FEW,
        SAME,
    ),
    Record(
        "tril",
        shape.tril,
        np.tril,
        with_arguments(((3, 4), ()), ((2, 4, 3), (1,)), ((3, 3), (-2,)), ((0, 3), ()), strided=(-1,)),
        (table.TRIL,),
        (*FLOATS, *INTS, *UNSIGNED, d.bool_, d.complex64),
        SAME,
        out=True,
        refused=lambda: [Refused((np.zeros(3),), ValueError, "two dimensions")],
    ),
    Record(
        "triu",
        shape.triu,
        np.triu,
        with_arguments(((3, 4), ()), ((2, 4, 3), (1,)), ((3, 3), (-2,)), ((0, 3), ()), strided=(1,)),
        (table.TRIU,),
        (*FLOATS, *INTS, *UNSIGNED, d.bool_, d.complex64),
        SAME,
        out=True,
    ),
    Record("tril_", same_tensor(shape.tril_), np.tril, with_arguments(((3, 4), (1,)), strided=(-1,)), (), FEW, SAME),
    Record("triu_", same_tensor(shape.triu_), np.triu, with_arguments(((3, 4), (1,)), strided=(-1,)), (), FEW, SAME),
    Record(
        "fill_diagonal_",
        same_tensor(shape.fill_diagonal_),
        diagonal_filled,
        with_arguments(
            ((3, 4), (1,)), ((4, 2), (1,)), ((7, 2), (1, True)), ((3, 2), (1, True)), ((3, 3, 3), (1,)), ((0, 2), (1,)), strided=(1,)
        ),
        (),
        FEW,
        SAME,
        refused=lambda: [
            Refused((np.zeros(3), 1), ValueError, "two dimensions"),
            Refused((np.zeros((2, 2, 3)), 1), ValueError, "one length"),
            Refused((np.broadcast_to(np.zeros(3), (3, 3)), 1), ValueError, "share one place"),
        ],
    ),
    Record(
        "narrow_copy",
        shape.narrow_copy,
        lambda x, dim, start, length: np.take(x, range(start, start + length), dim),
        with_arguments(((3, 4), (1, 1, 2)), ((5,), (-1, 0, 5)), ((3,), (0, 3, 0)), strided=(0, 1, 2)),
        (),
        FEW,
        SAME,
        out=True,
        refused=lambda: [Refused((np.zeros(3), 0, 2, 2), IndexError, "narrow")],
    ),
    Record(
        "sum_to_size",
        shape.sum_to_size,
        summed_to,
        with_arguments(((3, 4), ((1, 4),)), ((2, 3, 4), ((3, 1),)), ((3, 4), ((3, 4),)), ((2, 3), ((),)), strided=((1, 1),)),
        (),
        (d.float32, d.int64),
        SAME,
        refused=lambda: [Refused((np.zeros((2, 3)), (2, 2)), ValueError, "does not broadcast")],
    ),
    Record(
        "as_strided_scatter",
        shape.as_strided_scatter,
        lambda x, s, size, stride, offset: strided_replaced(x, s, size, stride, offset),
        lambda t: iter([(array(t, (3, 4)), array(t, (2, 2), key=1), (2, 2), (5, 2), 1)]),
        (),
        FEW,
        SAME,
        refused=lambda: [Refused((np.zeros((3, 3)), np.zeros(2), (3,), (1,), 0), ValueError, "src has shape")],
    ),
    Record(
        "diag",
        shape.diag,
        np.diag,
        with_arguments(((3,), ()), ((3,), (1,)), ((3, 4), (-1,)), ((0,), (2,)), ((3, 4), (9,)), strided=None),
        (table.DIAG_FLAT,),
        ALL,
        SAME,
        out=True,
        refused=lambda: [Refused((np.zeros((2, 2, 2)),), ValueError, "diag")],
    ),
    Record(
        "diagflat",
        shape.diagflat,
        np.diagflat,
        with_arguments(((2, 2), (1,)), ((), ()), ((3,), (-2,)), strided=(0,)),
        (table.DIAG_FLAT,),
        ALL,
        SAME,
    ),
    Record("diag_embed", shape.diag_embed, embedded, with_arguments(((3,), ()), ((2, 3), (1,)), ((2, 3), (-1, 0, 2))), (), FEW, SAME),
    Record(
        "select_scatter",
        shape.select_scatter,
        part_replaced,
        lambda t: iter([(array(t, (3, 4)), array(t, (4,), key=1), 0, 1), (array(t, (3, 4)), array(t, (3,), key=1), -1, -1)]),
        (table.VIEW_COPY,),
        FEW,
        SAME,
    ),
    Record(
        "slice_scatter",
        lambda x, s, dim, part: shape.slice_scatter(x, s, dim, part.start, part.stop, part.step or 1),
        part_replaced,
        lambda t: iter(
            [
                (array(t, (5, 4)), array(t, (2, 4), key=1), 0, slice(1, 3)),
                (array(t, (3, 6)), array(t, (3, 3), key=1), 1, slice(None, None, 2)),
            ]
        ),
        (),
        FEW,
        SAME,
    ),
    Record(
        "diagonal_scatter",
        shape.diagonal_scatter,
        diagonal_replaced,
        lambda t: iter([(array(t, (3, 4)), array(t, (3,), key=1)), (array(t, (3, 4)), array(t, (2,), key=1), -1)]),
        (),
        FEW,
        SAME,
        refused=lambda: [Refused((np.zeros((3, 3)), np.zeros(2)), ValueError, "src has shape")],
    ),
    Record("meshgrid", shape.meshgrid, lambda *x: tuple(np.meshgrid(*x, indexing="ij")), several((2,), (3,), ()), (), FEW, SAME),
    Record(
        "meshgrid-xy",
        lambda *x: shape.meshgrid(*x, indexing="xy"),
        lambda *x: tuple(np.meshgrid(*x)),
        several((2,), (3,), (4,)),
        (),
        FEW,
        SAME,
    ),
    Record(
        "cartesian_prod",
        shape.cartesian_prod,
        lambda a, b: np.stack([g.reshape(-1) for g in np.meshgrid(a, b, indexing="ij")], 1),
        several((2,), (3,)),
        (),
        FEW,
        SAME,
    ),
    Record(
        "pad",
        shape.pad,
        padded,
        pads,
        (table.PAD, table.MIRROR_PAD),
        ALL,
        SAME,
        refused=lambda: [
            Refused((np.zeros(3), (3, 0), "reflect"), ValueError, "must be smaller"),
            Refused((np.zeros(3), (1,)), ValueError, "before, after"),
            Refused((np.zeros(3), (1, 1), "wrap"), ValueError, "mode must be"),
            Refused((np.zeros(3), (-2, -2)), ValueError, "cuts off"),
        ],
    ),
]
