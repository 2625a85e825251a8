"""Numbers that surprised users of other libraries, in reductions, products and orders: each case names the reports it is taken from."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.ops import reduction, sorting
from ascendtensor.ops.linalg import einsum, matmul
from ascendtensor.ops.nn import activation


def values(tensor: Any) -> Any:
    return tensor.numpy().tolist()


def test_the_median_is_the_lower_of_the_middle_elements() -> None:
    # PaddlePaddle/docs#6024; pytorch/pytorch#45084
    x = at.tensor([3.0, 1.0, 4.0, 2.0])
    assert values(sorting.median(x)) == 2.0
    found, indices = sorting.median(at.tensor([[1.0, 3.0], [2.0, 8.0]]), 1)
    assert values(found) == [1.0, 2.0]
    assert values(indices) == [0, 0]
    assert values(sorting.quantile(x, 0.5)) == 2.5
    assert math.isnan(values(sorting.median(at.tensor([1.0, float("nan"), 2.0]))))


def test_variance_divides_by_one_less_unless_told_otherwise() -> None:
    # PyTorch documentation, torch.var (correction)
    x, single = at.tensor([1.0, 2.0, 3.0, 4.0]), at.tensor([5.0])
    assert values(reduction.var(x)) == pytest.approx(5 / 3, abs=1e-6)
    assert values(reduction.var(x, correction=0)) == pytest.approx(1.25, abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(values(reduction.var(single)))
    assert values(reduction.var(single, correction=0)) == 0.0
    assert values(reduction.var(at.tensor([4096.0, 4097.0, 4098.0]))) == pytest.approx(1.0, abs=1e-6)


def test_a_stable_sort_keeps_equal_elements_in_their_order() -> None:
    # pytorch/pytorch#38681; arrayfire/arrayfire#3210
    x = at.tensor([3, 1, 2, 1, 3, 2])
    found, indices = sorting.sort(x, stable=True)
    assert (values(found), values(indices)) == ([1, 1, 2, 2, 3, 3], [1, 3, 2, 5, 0, 4])
    found, indices = sorting.sort(x, descending=True, stable=True)
    assert (values(found), values(indices)) == ([3, 3, 2, 2, 1, 1], [0, 4, 2, 5, 1, 3])
    assert indices.dtype is at.int64


def test_topk_counts_equal_elements_once_each_and_takes_nan_as_largest() -> None:
    # pytorch/pytorch#27542, #88227, #1810
    found, indices = sorting.topk(at.tensor([1.0, 2.0, 5.0, 4.0, 5.0]), 3)
    assert values(found) == [5.0, 5.0, 4.0]
    first, second, third = values(indices)
    assert {first, second} == {2, 4}
    assert third == 3
    found, indices = sorting.topk(at.tensor([-1.0, float("nan"), 2.0, 1.0]), 1)
    assert math.isnan(values(found)[0])
    assert values(indices) == [1]


def test_matmul_takes_vectors_and_broadcasts_stacks() -> None:
    # PyTorch documentation, torch.matmul
    v = at.tensor([1.0, 2.0, 3.0])
    m = at.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    stack = at.tensor(np.arange(12, dtype=np.float32).reshape(2, 2, 3))
    product = v @ v
    assert (values(product), tuple(product.shape)) == (14.0, ())
    assert values(m @ v) == [8.0, 26.0]
    assert values(at.tensor([1.0, 2.0]) @ m) == [6.0, 9.0, 12.0]
    assert values(stack @ v) == [[8.0, 26.0], [44.0, 62.0]]
    broadcast = at.tensor(np.ones((2, 1, 2, 3), np.float32)) @ at.tensor(np.ones((4, 3, 5), np.float32))
    assert tuple(broadcast.shape) == (2, 4, 2, 5)
    with pytest.raises(ValueError, match=r"\[2, 3\] and \[2, 3\]"):
        matmul.matmul(m, m)


EINSUMS: list[tuple[str, list[Any], Any]] = [
    ("ij,jk->ik", [np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)], [[20, 23, 26, 29], [56, 68, 80, 92]]),
    ("ii->i", [np.arange(9).reshape(3, 3)], [0, 4, 8]),
    ("ii->", [np.arange(9).reshape(3, 3)], 12),
    ("i,j->ij", [[1, 2], [3, 4, 5]], [[3, 4, 5], [6, 8, 10]]),
    ("ij->ji", [np.arange(6).reshape(2, 3)], [[0, 3], [1, 4], [2, 5]]),
    ("ij->", [np.arange(6).reshape(2, 3)], 15),
    ("...i,...i->...", [np.arange(6).reshape(2, 3)] * 2, [5, 50]),
]


@pytest.mark.parametrize(("equation", "operands", "expected"), EINSUMS, ids=[case[0] for case in EINSUMS])
def test_einsum_knows_product_diagonal_trace_outer_transpose_sum_and_ellipsis(equation: str, operands: list[Any], expected: Any) -> None:
    # PyTorch documentation, torch.einsum; NumPy documentation, numpy.einsum
    tensors = [at.tensor(np.asarray(operand, np.float32)) for operand in operands]
    assert values(einsum.einsum(equation, *tensors)) == expected


def test_unique_is_in_order_and_its_inverse_rebuilds_the_input() -> None:
    # NumPy documentation, numpy.unique; PyTorch documentation, torch.unique
    x = at.tensor([3, 1, 2, 3, 1, 1])
    found, inverse, counts = sorting.unique(x, return_inverse=True, return_counts=True)
    assert values(found) == [1, 2, 3]
    assert values(inverse) == [2, 0, 1, 2, 0, 0]
    assert values(counts) == [3, 1, 2]
    assert values(found[inverse]) == values(x)


def test_running_sums_of_small_integers_are_int64_unless_told_otherwise() -> None:
    # apache/tvm#20374; pytorch/pytorch#53358; PaddlePaddle/Paddle#78207
    a = at.tensor([100, 100, 50], dtype=at.int8)
    b = at.tensor([200, 100, 50], dtype=at.uint8)
    c = at.tensor([1 << 30, 1 << 30, 5], dtype=at.int32)
    for found, expected in (
        (reduction.cumsum(a, 0), [100, 200, 250]),
        (reduction.cumprod(b, 0), [200, 20000, 1000000]),
        (reduction.cumsum(c, 0), [1073741824, 2147483648, 2147483653]),
    ):
        assert values(found) == expected
        assert found.dtype is at.int64
    narrow = reduction.cumsum(a, 0, dtype=at.int8)
    assert values(narrow) == [100, -56, -6]
    assert narrow.dtype is at.int8


def test_logsumexp_softplus_and_sigmoid_at_the_ends_of_the_range() -> None:
    # google-research/last#43; allenai/allennlp#890
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert values(reduction.logsumexp(at.tensor([1000.0, 1000.0]), 0)) == pytest.approx(1000.6931472, rel=1e-6)
        assert values(reduction.logsumexp(at.tensor([-1000.0, -1000.0]), 0)) == pytest.approx(-999.3068528, rel=1e-6)
        assert values(reduction.logsumexp(at.tensor([-math.inf, -math.inf]), 0)) == -math.inf
        assert values(activation.softplus(at.tensor([100.0, -100.0]))) == pytest.approx([100.0, 0.0], rel=1e-6, abs=1e-6)
        assert values(activation.sigmoid(at.tensor([-200.0, 200.0]))) == pytest.approx([0.0, 1.0], rel=1e-6, abs=1e-6)


def test_a_product_of_two_dtypes_is_refused_by_name_and_loses_nothing() -> None:
    # pytorch/pytorch#13717
    a = at.tensor(np.ones((2, 2), np.float32))
    b = at.tensor(np.ones((2, 2), np.int64))
    with pytest.raises(TypeError, match=r"float32.*int64"):
        matmul.matmul(a, b)
    assert values(a @ b.to(at.float32)) == [[2.0, 2.0], [2.0, 2.0]]
    assert (a + b).dtype is at.float32


@pytest.mark.parametrize("function", [reduction.sum, reduction.prod, reduction.all, reduction.any, reduction.mean])
def test_a_reduction_over_nothing_gives_its_identity(function: Any) -> None:
    expected = {"sum": 0.0, "prod": 1.0, "all": True, "any": False}.get(function.__name__, math.nan)
    assert values(function(at.tensor(np.zeros((0, 3), np.float32)))) == pytest.approx(expected, nan_ok=True)
    assert values(function(at.tensor(np.zeros((0, 2), np.float32)), 0)) == pytest.approx([expected] * 2, nan_ok=True)


@pytest.mark.parametrize("function", [reduction.amax, reduction.amin, reduction.argmax, reduction.argmin, reduction.max, reduction.min])
def test_an_extreme_of_nothing_is_refused(function: Any) -> None:
    nothing = at.tensor(np.zeros((0, 3), np.float32))
    with pytest.raises(ValueError, match="to be specified"):
        function(nothing)
    with pytest.raises(IndexError, match="non-zero size"):
        function(nothing, 0)


@pytest.mark.parametrize("function", [at.median, at.nanmedian, at.mode, at.aminmax])
def test_a_middle_of_nothing_is_refused_like_an_extreme(function: Any) -> None:
    with pytest.raises(
        IndexError, match=rf"{function.__name__}: Expected reduction dim 0 to have non-zero size\n  operands: float32\[0, 3\]"
    ):
        function(at.zeros(0, 3), dim=0)


def test_half_reductions_and_products_accumulate_in_float32() -> None:
    ones = at.tensor(np.ones(4096, np.float16))
    assert values(reduction.sum(ones)) == 4096.0
    assert values(reduction.var(at.tensor(np.full(3000, 100, np.float16)))) == 0.0
    assert values(at.tensor(np.full((1, 4096), 1, np.float16)) @ at.tensor(np.full((4096, 1), 1, np.float16))) == [[4096.0]]


def test_a_transposed_operand_is_multiplied_where_it_lies() -> None:
    a = at.tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    before = at.handle_cache.launches()
    product = a @ a.T
    after = at.handle_cache.launches()
    assert dict(after - before) == {"MatMulV2": 1}
    np.testing.assert_array_equal(product.numpy(), a.numpy() @ a.numpy().T)


EVERY_INTEGER = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", [*EVERY_INTEGER, "float16", "bfloat16", "float64"])
def test_orders_of_every_dtype_are_stable_and_unique_rebuilds(dtype: str) -> None:
    # pytorch/pytorch#38681; NumPy documentation, numpy.unique
    x = at.tensor([3, 1, 2, 1, 3, 2]).to(dtype)
    written = (at.empty_like(x), at.empty(6, dtype=at.int64))
    for found, indices in (at.sort(x, stable=True), at.sort(x, stable=True, out=written), x.sort(-1)):
        assert (values(found), values(indices)) == ([1, 1, 2, 2, 3, 3], [1, 3, 2, 5, 0, 4])
        assert found.dtype is x.dtype
    assert values(at.argsort(x, descending=True, stable=True)) == [0, 4, 2, 5, 1, 3]
    assert values(at.topk(x, 2)[0]) == [3, 3] and values(at.kthvalue(x, 2)[0]) == 1
    found, inverse, counts = at.unique(x, return_inverse=True, return_counts=True)
    assert (values(found), values(found[inverse]), values(counts)) == ([1, 2, 3], values(x), [2, 2, 2])
    assert values(at.isin(x, at.tensor([1, 3]).to(dtype))) == [True, True, False, True, True, False]


@pytest.mark.parametrize("dtype", EVERY_INTEGER)
def test_sums_and_products_of_every_integer_are_int64_unless_told_otherwise(dtype: str) -> None:
    # apache/tvm#20374; pytorch/pytorch#53358
    most = min(np.iinfo(dtype).max, 1 << 40)
    x = at.tensor([most, 2], dtype=dtype)
    for found, expected in ((x.sum(), most + 2), (x.prod(), most * 2), (x.cumsum(0), [most, most + 2]), (x.cumprod(0), [most, most * 2])):
        assert found.dtype is at.int64
        assert values(found) == expected
    for function in (at.cumsum, at.cumprod):
        narrow = at.empty_like(x)
        assert function(x, 0, dtype=x.dtype).dtype is x.dtype
        assert values(function(x, 0, out=narrow)) == values(function(x, 0, dtype=x.dtype))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_the_ends_of_the_range_of_other_dtypes(dtype: str) -> None:
    # google-research/last#43
    def x(*numbers: float) -> Any:
        return at.tensor(numbers).to(dtype)

    for found, expected in (
        (at.logsumexp(x(1000, 1000), 0), 1000.6931472),
        (at.logsumexp(x(-math.inf, -math.inf), 0), -math.inf),
        (at.logaddexp(x(1000), x(1000))[0], 1000.6931472),
        (at.logcumsumexp(x(1000, 1000), 0)[1], 1000.6931472),
        (at.nn.functional.softplus(x(100))[0], 100),
        (at.nn.functional.logsigmoid(x(-200))[0], -200),
        (at.log_softmax(x(-1000, 0), 0)[0], -1000),
        (at.softmax(x(1000, 1000), 0)[0], 0.5),
    ):
        assert found.dtype is at.tensor(0.0).to(dtype).dtype
        assert values(found.double()) == pytest.approx(expected, rel=4e-3)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int64", "uint8", "complex64"])
def test_products_of_vectors_and_stacks_in_every_dtype(dtype: str) -> None:
    v, m, stack = at.tensor([1, 2, 3]).to(dtype), at.arange(6).reshape(2, 3).to(dtype), at.arange(12).reshape(2, 2, 3).to(dtype)
    for found, expected in (
        (v @ v, 14),
        (m @ v, [8, 26]),
        (at.mv(m, v), [8, 26]),
        (at.matmul(m, v, out=at.empty(2, dtype=m.dtype)), [8, 26]),
        (at.tensor([1, 2]).to(dtype) @ m, [6, 9, 12]),
        (stack @ v, [[8, 26], [44, 62]]),
        (at.einsum("bij,j->bi", stack, v), [[8, 26], [44, 62]]),
        (at.linalg.multi_dot([m, v]), [8, 26]),
    ):
        assert found.dtype is v.dtype
        assert values(found.to(at.complex64)) == expected
    for function in (at.matmul, at.mm):
        with pytest.raises(ValueError, match=r"\[2, 3\] and \[2, 3\]"):
            function(m, m)
