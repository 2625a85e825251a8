"""Every function of two operands with every pair of dtypes, and every function of one with every dtype: dtype and values of the results.

Expected is what NumPy gives for operands that were brought to the promoted dtype, computed in float64 or complex128 where that is floating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from harness import Array, array, d, host, tensor

import ascendtensor as at
from ascendtensor import promotion
from ascendtensor.dtypes import dtype as DType
from ascendtensor.errors import DTypeError

REAL = tuple(dtype for dtype in d.ALL if not dtype.is_complex)
NUMBERS = tuple(dtype for dtype in d.ALL if dtype is not d.bool_)
REAL_NUMBERS = tuple(dtype for dtype in REAL if dtype is not d.bool_)
INTEGERS = tuple(dtype for dtype in d.ALL if dtype.category == 1)
BITS = (d.bool_, *INTEGERS)

NEAR = {d.float16: 4e-3, d.bfloat16: 3e-2, d.float32: 1e-5, d.complex64: 1e-5}
SOME = (d.int8, d.uint64, d.float16)
"""Left operands of the quick run."""


def wide(values: Array, dtype: DType) -> Array:
    kind = {2: np.dtype(np.float64), 3: np.dtype(np.complex128)}.get(dtype.category, dtype.numpy)
    return values.astype(dtype.numpy).astype(kind)


def operand(dtype: DType, key: str) -> Array:
    """Small numbers, and of integers the ends of their range."""
    values = array(dtype, (2, 4), -5, 6, key)
    if dtype.category == 1:
        limits = np.iinfo(dtype.numpy)
        values.reshape(-1)[:3] = (limits.max, limits.max - 3, limits.min)
    return values


def itself(dtype: DType) -> DType:
    return dtype


def floating(dtype: DType) -> DType:
    return dtype if dtype.category >= d.FLOATING else d.float32


def truth(dtype: DType) -> DType:
    return d.bool_


def agrees(result: Any, expected: Any, wanted: DType, where: str) -> None:
    assert result.dtype is wanted, f"{where}: {result.dtype.name} instead of {wanted.name}"
    with np.errstate(all="ignore"):
        expected = np.asarray(expected).astype(wanted.numpy)
    if wanted.category < d.FLOATING:
        np.testing.assert_array_equal(host(result), expected, where)
        return
    near = NEAR.get(wanted, 1e-9)
    kind = np.complex128 if wanted.is_complex else np.float64
    with np.errstate(invalid="ignore"):  # of complex infinities, in NumPy 1.26's comparison
        np.testing.assert_allclose(host(result).astype(kind), expected.astype(kind), near, near, err_msg=where)


# Two operands


def not_zero(values: Array) -> Array:
    return np.where(values == 0, values.dtype.type(1), values)


def whole_quotients(values: Array) -> Array:
    """Divisors whose quotients don't depend on the last digit: powers of two."""
    return not_zero(values) if values.dtype.kind in "iub" else np.full(values.shape, 0.5, values.dtype)


def small_shifts(values: Array) -> Array:
    return (values.astype(np.int64) % 7).astype(values.dtype)


def small_powers(values: Array) -> Array:
    if values.dtype.kind in "iu":
        return (values.astype(np.int64) % 5).astype(values.dtype)
    return values


def mask(of: Array) -> Array:
    return np.broadcast_to(np.array([True, False, True, False]), of.shape)


def select(left: Any, right: Any) -> Any:
    return at.where(tensor(np.array([True, False, True, False])), left, right)


Function = tuple[Callable[..., Any], Callable[..., Any], Sequence[DType], Callable[[DType], DType], Callable[[Array], Array]]


def same(values: Array) -> Array:
    return values


PAIRS: dict[str, Function] = {
    "add": (at.add, np.add, d.ALL, itself, same),
    "sub": (at.sub, np.subtract, NUMBERS, itself, same),
    "mul": (at.mul, np.multiply, d.ALL, itself, same),
    "div": (at.div, np.divide, d.ALL, floating, not_zero),
    "floor_divide": (at.floor_divide, np.floor_divide, REAL_NUMBERS, itself, whole_quotients),
    "remainder": (at.remainder, np.remainder, REAL_NUMBERS, itself, whole_quotients),
    "fmod": (at.fmod, np.fmod, REAL_NUMBERS, itself, whole_quotients),
    "pow": (at.pow, np.power, NUMBERS, itself, small_powers),
    "maximum": (at.maximum, np.maximum, REAL, itself, same),
    "minimum": (at.minimum, np.minimum, REAL, itself, same),
    "atan2": (at.atan2, np.arctan2, REAL, floating, same),
    "eq": (at.eq, np.equal, d.ALL, truth, same),
    "ne": (at.ne, np.not_equal, d.ALL, truth, same),
    "lt": (at.lt, np.less, REAL, truth, same),
    "le": (at.le, np.less_equal, REAL, truth, same),
    "gt": (at.gt, np.greater, REAL, truth, same),
    "ge": (at.ge, np.greater_equal, REAL, truth, same),
    "bitwise_and": (at.bitwise_and, np.bitwise_and, BITS, itself, same),
    "bitwise_or": (at.bitwise_or, np.bitwise_or, BITS, itself, same),
    "bitwise_xor": (at.bitwise_xor, np.bitwise_xor, BITS, itself, same),
    "bitwise_left_shift": (at.bitwise_left_shift, np.left_shift, INTEGERS, itself, small_shifts),
    "bitwise_right_shift": (at.bitwise_right_shift, np.right_shift, INTEGERS, itself, small_shifts),
    "where": (select, lambda left, right: np.where(mask(left), left, right), d.ALL, itself, same),
}


def check_pairs(name: str, lefts: Iterable[DType]) -> None:
    function, reference, kinds, result, second = PAIRS[name]
    for left in lefts:
        for right in kinds:
            one, other = operand(left, "left"), second(operand(right, "right"))
            where = f"{name} of {left.name} and {right.name}"
            try:
                common = promotion.promote_types(left, right)
            except DTypeError:
                with pytest.raises(TypeError, match="no common type"):
                    function(tensor(one), tensor(other))
                continue
            wanted = result(common)
            computed = common if result is truth else wanted
            with np.errstate(all="ignore"):
                expected = reference(wide(one, computed), wide(other, computed))
            agrees(function(tensor(one), tensor(other)), expected, wanted, where)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_dtypes_give_the_promoted_one(name: str) -> None:
    check_pairs(name, [dtype for dtype in SOME if dtype in PAIRS[name][2]])


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_of_dtypes_gives_the_promoted_one(name: str) -> None:
    check_pairs(name, PAIRS[name][2])


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_truth_of_any_two_dtypes_is_combined(name: str) -> None:
    for left in d.ALL:
        for right in (d.uint64, d.int64, left):
            one, other = operand(left, "left"), operand(right, "right")
            expected = getattr(np, name)(one != 0, other != 0)
            agrees(getattr(at, name)(tensor(one), tensor(other)), expected, d.bool_, f"{name} of {left.name} and {right.name}")


def test_uint64_is_divided_over_its_whole_range() -> None:
    ends = [0, 1, 2, 3, 7, 2**32, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
    values = np.array(ends, np.uint64)
    one, other = np.meshgrid(values, values, indexing="ij")
    with np.errstate(divide="ignore"):
        quotient, rest = np.floor_divide(one, other), np.remainder(one, other)
    for function, expected in ((at.floor_divide, quotient), (at.remainder, rest), (at.fmod, rest)):
        np.testing.assert_array_equal(host(function(tensor(one), tensor(other))), expected)
    np.testing.assert_array_equal(host(at.div(tensor(one), tensor(other), rounding_mode="trunc")), quotient)
    target = tensor(np.zeros_like(one))
    assert at.floor_divide(tensor(one), 3, out=target) is target
    np.testing.assert_array_equal(host(target), one // np.uint64(3))
    np.testing.assert_array_equal(host(at.clamp(tensor(values), min=5)), np.maximum(values, 5))
    with pytest.raises(ValueError, match="-1"):
        at.maximum(tensor(values), -1)


# One operand


def total(reference: Callable[..., Any], **keywords: Any) -> Callable[[Array], Any]:
    """A sum or product: of integers in int64."""
    return lambda x: reference(x.astype(np.int64) if x.dtype.kind in "iub" else x, **keywords)


def summed(dtype: DType) -> DType:
    return dtype if dtype.category >= d.FLOATING else d.int64


def index(dtype: DType) -> DType:
    return d.int64


def descending(x: Array) -> Array:
    return np.sort(x, -1)[..., ::-1]


PLACES = np.array([[0, 1], [3, 2]])


def of_fractions(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
    """A rounding that leaves integers alone, as NumPy's does since version 2."""
    return lambda x: x if x.dtype.kind in "biu" else function(x)


UNARY: dict[str, tuple[Callable[..., Any], Callable[[Array], Any], Sequence[DType], Callable[[DType], DType]]] = {
    "abs": (at.abs, np.abs, REAL_NUMBERS, itself),
    "neg": (at.neg, np.negative, NUMBERS, itself),
    "square": (at.square, np.square, NUMBERS, itself),
    "sign": (at.sign, np.sign, REAL_NUMBERS, itself),
    "signbit": (at.signbit, lambda x: x < 0, INTEGERS, truth),
    "isfinite": (at.isfinite, lambda x: np.ones(x.shape), INTEGERS, truth),
    "isnan": (at.isnan, lambda x: np.zeros(x.shape), BITS, truth),
    "floor": (at.floor, of_fractions(np.floor), REAL_NUMBERS, itself),
    "trunc": (at.trunc, of_fractions(np.trunc), REAL_NUMBERS, itself),
    "bitwise_not": (at.bitwise_not, np.invert, BITS, itself),
    "logical_not": (at.logical_not, np.logical_not, d.ALL, truth),
    "sum": (at.sum, total(np.sum), d.ALL, summed),
    "sum of rows": (lambda x: at.sum(x, -1), total(np.sum, axis=-1), d.ALL, summed),
    "prod": (lambda x: at.prod(x, 0), total(np.prod, axis=0), d.ALL, summed),
    "cumsum": (lambda x: at.cumsum(x, 1), total(np.cumsum, axis=1), d.ALL, summed),
    "cumprod": (lambda x: at.cumprod(x, 0), total(np.cumprod, axis=0), d.ALL, summed),
    "any": (lambda x: at.any(x, 0), lambda x: np.any(x != 0, 0), d.ALL, truth),
    "all": (at.all, lambda x: np.all(x != 0), d.ALL, truth),
    "count_nonzero": (at.count_nonzero, np.count_nonzero, d.ALL, index),
    "amax": (at.amax, np.max, REAL, itself),
    "amin": (lambda x: at.amin(x, 1), lambda x: np.min(x, 1), REAL, itself),
    "max": (lambda x: at.max(x, 1)[0], lambda x: np.max(x, 1), REAL, itself),
    "min": (lambda x: at.min(x, 0)[0], lambda x: np.min(x, 0), REAL, itself),
    "argmax": (lambda x: at.argmax(x, 1), lambda x: np.argmax(x, 1), REAL, index),
    "argmin": (at.argmin, np.argmin, REAL, index),
    "sort": (lambda x: at.sort(x)[0], lambda x: np.sort(x, -1), REAL, itself),
    "argsort": (lambda x: at.argsort(x, stable=True), lambda x: np.argsort(x, -1, kind="stable"), REAL, index),
    "sort downwards": (lambda x: at.sort(x, descending=True)[0], descending, REAL, itself),
    "topk": (lambda x: at.topk(x, 2)[0], lambda x: descending(x)[:, :2], REAL, itself),
    "median": (lambda x: at.median(x, 1)[0], lambda x: np.sort(x, 1)[:, 1], REAL, itself),
    "cummax": (lambda x: at.cummax(x, 1)[0], lambda x: np.maximum.accumulate(x, 1), REAL, itself),
    "unique": (at.unique, np.unique, REAL, itself),
    "clamp": (lambda x: at.clamp(x, 1, 3), lambda x: np.clip(x, 1, 3), REAL_NUMBERS, itself),
    "clamp from below": (lambda x: at.clamp(x, min=1), lambda x: np.maximum(x, 1), REAL_NUMBERS, itself),
    "searchsorted": (
        lambda x: at.searchsorted(at.sort(at.flatten(x))[0], x),
        lambda x: np.searchsorted(np.sort(x, None), x),
        REAL,
        index,
    ),
    "index": (lambda x: x[tensor(np.array([1, 0]))], lambda x: x[[1, 0]], d.ALL, itself),
    "mask": (lambda x: x[tensor(mask(np.zeros((2, 4))).copy())], lambda x: x[mask(x)], d.ALL, itself),
    "slice": (lambda x: at.clone(x[::-1, 1::2]), lambda x: x[::-1, 1::2], d.ALL, itself),
    "gather": (lambda x: at.gather(x, 1, tensor(PLACES)), lambda x: np.take_along_axis(x, PLACES, 1), d.ALL, itself),
    "nonzero": (at.nonzero, np.argwhere, d.ALL, index),
    "masked_fill": (
        lambda x: at.masked_fill(x, tensor(mask(np.zeros((2, 4))).copy()), 1),
        lambda x: np.where(mask(x), x.dtype.type(1), x),
        d.ALL,
        itself,
    ),
    "tril": (at.tril, np.tril, d.ALL, itself),
    "roll": (lambda x: at.roll(x, 1, 1), lambda x: np.roll(x, 1, 1), d.ALL, itself),
    "flip": (lambda x: at.flip(x, 0), lambda x: np.flip(x, 0), d.ALL, itself),
    "tile": (lambda x: at.tile(x, (2, 1)), lambda x: np.tile(x, (2, 1)), d.ALL, itself),
    "cat": (lambda x: at.cat([x, x], 1), lambda x: np.concatenate([x, x], 1), d.ALL, itself),
    "stack": (lambda x: at.stack([x, x], 1), lambda x: np.stack([x, x], 1), d.ALL, itself),
    "repeat_interleave": (lambda x: at.repeat_interleave(x, 2, 1), lambda x: np.repeat(x, 2, 1), d.ALL, itself),
    "matmul": (lambda x: at.matmul(x, x.T), lambda x: np.matmul(x, x.T), NUMBERS, itself),
}


@pytest.mark.parametrize("name", UNARY)
def test_every_dtype_works_in_functions_of_its_kind(name: str) -> None:
    function, reference, kinds, result = UNARY[name]
    for dtype in kinds:
        values = operand(dtype, "one")
        with np.errstate(all="ignore"):
            expected = reference(wide(values, dtype))
        agrees(function(tensor(values)), expected, result(dtype), f"{name} of {dtype.name}")


# Casts


@pytest.mark.parametrize("source", d.ALL, ids=lambda dtype: dtype.name)
def test_casts_are_numpys_where_those_are_defined(source: DType) -> None:
    values = array(source, (3, 4), 0, 9)
    for target in d.ALL:
        wanted = values.real if source.is_complex and target.category < d.COMPLEX and target is not d.bool_ else values
        expected = wanted != 0 if target is d.bool_ else wanted.astype(target.numpy)
        for view in (tensor(values), tensor(values).T):
            result = view.to(target)
            assert result.dtype is target
            np.testing.assert_array_equal(host(result), expected if result.shape == expected.shape else expected.T, target.name)


# Numbers beside a dtype's range


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_integers_are_compared_with_numbers_beyond_their_dtype(name: str) -> None:
    function = getattr(at, name)
    python = {"eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__}[name]
    for dtype in INTEGERS:
        values = operand(dtype, "left")
        for number in (-(2**70), -(2**40), -129, 300, 2**40, 2**70):
            expected = np.array([[python(int(one), number) for one in row] for row in values])
            np.testing.assert_array_equal(host(function(tensor(values), number)), expected, f"{name} of {dtype.name} and {number}")
    target = tensor(np.zeros((2, 4), bool))
    assert function(tensor(operand(d.uint8, "left")), 300, out=target) is target
    assert host(target).all() == python(0, 300)


def test_unsigned_integers_are_close_where_they_are_equal() -> None:
    for dtype in INTEGERS:
        values = operand(dtype, "left")
        assert host(at.isclose(tensor(values), tensor(values))).all() and at.allclose(tensor(values), tensor(values), rtol=0)
        assert not host(at.isclose(tensor(values[:, 3:]), tensor(values[:, 3:] + dtype.numpy.type(50)))).any()
