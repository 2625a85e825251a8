"""Records of matrix products and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOATS, INTS, SAME, Array, Record, Refused, With, array, d

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import precision
from ascendtensor.ops.linalg import einsum, matmul
from ascendtensor.ops.table import matrix as table

NUMBERS = (*FLOATS, *INTS, *COMPLEX)
SUMS = {d.float32: (1e-5, 1e-5), d.float16: (4e-3, 8e-3), d.bfloat16: (2e-2, 6e-2), d.complex64: (1e-5, 1e-4), d.float64: (1e-11, 1e-11)}

PRODUCTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((3,), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (4, 3, 5)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((2, 3), (3, 0)),
    ((5, 2, 0), (5, 0, 4)),
)


def pair(dtype: DType, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[Array, Array]:
    return array(dtype, left, -3, 3, "left"), array(dtype, right, -3, 3, "right")


def turned(values: Array) -> Array:
    """The same numbers as a transposed view."""
    return np.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)


def products(dtype: DType) -> Iterator[Any]:
    if dtype.is_complex:  # large ones are made of products of their parts
        yield pair(dtype, (90, 80), (80, 80))
        yield pair(dtype, (3, 60, 70), (70, 70))[0], turned(pair(dtype, (3, 60, 70), (3, 70, 70))[1])
    for left, right in PRODUCTS:
        yield pair(dtype, left, right)
    for left, right in (((16, 8), (8, 24)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4))):
        a, b = pair(dtype, left, right)
        yield turned(a), b
        yield a, turned(b)
        yield turned(a), turned(b)
    whole = array(dtype, (9, 7), -3, 3)
    yield whole[1::2, 1:5], whole[::-1, ::2][:4]
    yield whole[3], whole[:, 2][:7]
    yield whole[1:4].T, whole[1:4]


def of_shapes(*pairs: tuple[tuple[int, ...], ...]) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for shapes in pairs:
            yield tuple(array(dtype, shape, -3, 3, place) for place, shape in enumerate(shapes))

    return samples


def refused_products() -> list[Refused]:
    one, other = np.ones((2, 3), np.float32), np.ones((3, 2), np.int64)
    return [
        Refused((one, one), ValueError, r"\[2, 3\] and \[2, 3\]"),
        Refused((one, other), TypeError, r"float32.*int64"),
        Refused((other, one), TypeError, r"int64.*float32"),
        Refused((np.array(1, np.float32), one), ValueError, "dimension"),
        Refused((one > 0, one > 0), TypeError, "bool"),
        Refused((np.ones((2, 1, 2), np.float32), np.ones((3, 2, 1), np.float32)), ValueError, r"\[2, 1, 2\] and \[3, 2, 1\]"),
        Refused((one, 2.0), TypeError, "float"),
    ]


def wrong_ranks(*arrays: Array) -> Callable[[], list[Refused]]:
    return lambda: [Refused(arrays, ValueError, "needed")]


def of_vectors(product: Callable[..., Any]) -> Callable[..., Any]:
    def reference(a: Array, b: Array) -> Any:
        if a.ndim != 1 or b.ndim != 1:
            raise ValueError("no vectors")
        return product(a, b)

    return reference


def added(product: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, a: Array, b: Array, beta: Any = 1, alpha: Any = 1) -> Any:
        return (beta * x if beta else 0) + alpha * product(a, b)

    return reference


def sums_of(
    shape: tuple[int, ...], left: tuple[int, ...], right: tuple[int, ...], *, plain: tuple[int, ...]
) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        a, b = pair(dtype, left, right)
        for start in (shape, plain):
            yield array(dtype, start, -3, 3), a, b
        yield With((array(dtype, shape, -3, 3), a, b), {"beta": 2, "alpha": 3})
        if dtype.is_floating_point:
            yield With((np.full(shape, np.nan, dtype.numpy), a, b), {"beta": 0})

    return samples


def linear(x: Array, weight: Array, bias: Array | None = None) -> Any:
    result = x @ weight.T
    return result if bias is None else result + bias


def linears(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (4, 3), -3, 3), array(dtype, (2, 3), -3, 3)
    yield array(dtype, (5, 4, 3), -3, 3), array(dtype, (2, 3), -3, 3), array(dtype, (2,), -3, 3)
    yield array(dtype, (3,), -3, 3), array(dtype, (2, 3), -3, 3), array(dtype, (2,), -3, 3)
    yield array(dtype, (4, 3), -3, 3), array(dtype, (2, 3), -3, 3), array(dtype, (1,), -3, 3)
    yield array(dtype, (4, 0)), array(dtype, (2, 0)), array(dtype, (2,), -3, 3)
    yield array(dtype, (4, 3), -3, 3), array(dtype, (3,), -3, 3)
    yield array(dtype, (8, 3), -3, 3)[::2], array(dtype, (3, 2), -3, 3).T


def tensordots(dtype: DType) -> Iterator[Any]:
    a, b = pair(dtype, (2, 3, 4), (3, 4, 5))
    yield With((a, b), {"dims": 2})
    yield With((a, array(dtype, (4, 2), -3, 3)), {"dims": ([0, 2], [1, 0])})
    yield With((a, b), {"dims": 0})
    yield With((a, array(dtype, (4,), -3, 3)), {"dims": 1})


EQUATIONS: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("ij,jk", ((2, 3), (3, 4))),
    ("ij,kj->ik", ((2, 3), (4, 3))),
    ("ji,jk->ki", ((3, 2), (3, 4))),
    ("ii->i", ((3, 3),)),
    ("ii->", ((3, 3),)),
    ("iij->j", ((3, 3, 2),)),
    ("i,j->ij", ((2,), (3,))),
    ("ij->ji", ((2, 3),)),
    ("ij->", ((2, 3),)),
    ("ij->j", ((2, 3),)),
    ("...i,...i->...", ((2, 3), (2, 3))),
    ("...ij,...jk->...ik", ((5, 2, 3), (3, 4))),
    ("...ij,...jk", ((5, 1, 2, 3), (4, 3, 2))),
    ("bij,bjk->bik", ((5, 2, 3), (5, 3, 4))),
    ("bij,bjk->kbi", ((5, 2, 3), (5, 3, 4))),
    ("bij,bjk->ik", ((5, 2, 3), (5, 3, 4))),
    ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))),
    ("ij,ij->ij", ((2, 3), (2, 3))),
    ("i,i", ((3,), (3,))),
    ("bhqd, bhkd -> bhqk", ((2, 2, 3, 4), (2, 2, 5, 4))),
    ("ij,k->", ((2, 3), (4,))),
)


def equations(dtype: DType) -> Iterator[Any]:
    for equation, shapes in EQUATIONS:
        yield (equation, *(array(dtype, shape, -2, 2, place) for place, shape in enumerate(shapes)))
    yield "ij,jk->ik", array(dtype, (3, 2), -2, 2).T, array(dtype, (3, 8), -2, 2)[:, ::2]


def refused_equations() -> list[Refused]:
    one = np.ones((2, 3), np.float32)
    return [
        Refused(("ij,jk->ik", one), ValueError, "2 operands"),
        Refused(("ijk->i", one), ValueError, "2 dims"),
        Refused(("ij->ik", one), ValueError, "no operand has"),
        Refused(("ii->i", one), ValueError, r"\[2, 3\]"),
        Refused(("ij,jk->ik", one, one), ValueError, "3 and 2"),
        Refused(("i1->i", one), ValueError, "no letter"),
    ]


def traced(x: Array) -> Any:
    return np.trace(x.astype(np.int64) if x.dtype.kind in "iub" else x)


def with_rounded_operands(a: Any, b: Any) -> Any:
    precision.set_float32_matmul_precision("medium")
    try:
        return matmul.matmul(a, b)
    finally:
        precision.set_float32_matmul_precision("highest")


def rounded(values: Array) -> Array:
    return values.astype(d.bfloat16.numpy).astype(np.float64)


def total(dtype: DType) -> DType:
    return dtype if dtype.category >= 2 else d.int64


def product_of(
    name: str, function: Callable[..., Any], reference: Callable[..., Any], samples: Any, dtypes: Any = (*FLOATS, d.int64), **more: Any
) -> Record:
    return Record(name, function, reference, samples, dtypes=dtypes, result=SAME, tolerances=SUMS, **more)


M, V = np.ones((2, 3), np.float32), np.ones(3, np.float32)

RECORDS = [
    Record(
        "matmul",
        matmul.matmul,
        np.matmul,
        products,
        (table.MATMUL, table.BATCH_MATMUL, table.CPU_MATMUL),
        NUMBERS,
        SAME,
        SUMS,
        out=True,
        refused=refused_products,
    ),
    Record(
        "matmul_medium",
        with_rounded_operands,
        lambda a, b: np.matmul(rounded(a), rounded(b)),
        of_shapes(((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((3,), (3,)), ((2, 0), (0, 4)), ((2, 3), (5, 3, 4))),
        (table.HALVES_MATMUL, table.HALVES_BATCH_MATMUL),
        (d.float32,),
        SAME,
        SUMS,
    ),
    product_of("mm", matmul.mm, np.matmul, of_shapes(((2, 3), (3, 4)), ((2, 0), (0, 4))), out=True, refused=wrong_ranks(M, V)),
    product_of("bmm", matmul.bmm, np.matmul, of_shapes(((5, 2, 3), (5, 3, 4))), out=True, refused=wrong_ranks(M, M)),
    product_of("mv", matmul.mv, np.matmul, of_shapes(((2, 3), (3,))), out=True, refused=wrong_ranks(V, V)),
    product_of("dot", matmul.dot, of_vectors(np.dot), of_shapes(((3,), (3,)), ((0,), (0,))), out=True, refused=wrong_ranks(M, V)),
    product_of("vdot", matmul.vdot, of_vectors(np.vdot), of_shapes(((3,), (3,)), ((0,), (0,))), (*FLOATS, d.int64, *COMPLEX), out=True),
    product_of("inner", matmul.inner, np.inner, of_shapes(((3,), (3,)), ((2, 3), (4, 3)), ((5, 2, 3), (4, 6, 3)), ((), (4, 3))), out=True),
    product_of("outer", matmul.outer, of_vectors(np.outer), of_shapes(((2,), (3,)), ((0,), (3,))), out=True, refused=wrong_ranks(M, V)),
    product_of("ger", matmul.ger, of_vectors(np.outer), of_shapes(((2,), (3,))), out=True),
    product_of(
        "vecdot",
        matmul.vecdot,
        lambda a, b: np.sum(np.conj(a) * b, -1),
        of_shapes(((2, 3), (2, 3)), ((3,), (4, 3)), ((2, 0), (2, 0))),
        (*FLOATS, d.int64, d.int8, *COMPLEX),
        out=True,
        refused=lambda: [Refused((V, V.astype(np.float64)), TypeError, "float64"), Refused((V > 0, V > 0), TypeError, "bool")],
    ),
    product_of(
        "addbmm",
        matmul.addbmm,
        added(lambda a, b: np.matmul(a, b).sum(0)),
        sums_of((2, 4), (5, 2, 3), (5, 3, 4), plain=(4,)),
        out=True,
        refused=lambda: [Refused((M, M, M), ValueError, "needed")],
    ),
    product_of("addmm", matmul.addmm, added(np.matmul), sums_of((2, 4), (2, 3), (3, 4), plain=(4,)), out=True),
    product_of("addmv", matmul.addmv, added(np.matmul), sums_of((2,), (2, 3), (3,), plain=()), out=True),
    product_of("addr", matmul.addr, added(of_vectors(np.outer)), sums_of((2, 3), (2,), (3,), plain=(3,)), out=True),
    product_of("baddbmm", matmul.baddbmm, added(np.matmul), sums_of((5, 2, 4), (5, 2, 3), (5, 3, 4), plain=(4,)), out=True),
    product_of("linear", matmul.linear, linear, linears, rows=(table.LINEAR, table.LINEAR_BFLOAT16)),
    product_of("tensordot", matmul.tensordot, lambda a, b, dims: np.tensordot(a, b, dims), tensordots, out=True),
    product_of("kron", matmul.kron, np.kron, of_shapes(((2, 3), (4, 5)), ((3,), (2, 2)), ((), (2,))), out=True),
    product_of("einsum", einsum.einsum, np.einsum, equations, refused=refused_equations),
    Record(
        "trace",
        matmul.trace,
        traced,
        of_shapes(((3, 3),), ((2, 4),)),
        dtypes=(*FLOATS, d.int8),
        result=total,
        tolerances=SUMS,
        refused=wrong_ranks(V),
    ),
]
