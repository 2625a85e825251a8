"""Operands of different dtypes, ranks and kinds in one call: casts, detours through other dtypes, weak numbers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from harness import array, close, d, host, tensor

import ascendtensor as at
from ascendtensor import promotion
from ascendtensor.dtypes import dtype as DType
from ascendtensor.errors import DTypeError, ValueRangeError
from ascendtensor.launch.registry import handle_cache
from ascendtensor.ops.pointwise import comparison, elementwise

REAL = [dtype for dtype in d.ALL if not dtype.is_complex]
TOLERANCE = {d.float16: (2e-3, 2e-3), d.bfloat16: (1.6e-2, 1.6e-2), d.float32: (1e-6, 1e-6), d.complex64: (1e-6, 1e-6)}


def computed(reference: Any, dtype: DType, *operands: Any) -> Any:
    """What NumPy gives for operands brought to a dtype, computed wide."""
    wide = {2: np.float64, 3: np.complex128}.get(dtype.category, dtype.numpy)
    return reference(*(np.asarray(operand).astype(dtype.numpy).astype(wide) for operand in operands))


def test_what_a_dtype_with_a_detour_cannot_hold_wraps_as_a_tensor_and_is_refused_as_a_number() -> None:
    # Maximum has no kernel of int16: it runs in a wider one, where 70,000 would be the largest.
    x = tensor(np.array([5000], np.int16))
    assert host(elementwise.maximum(x, tensor(np.array(70_000)))).tolist() == [5000]
    with pytest.raises(ValueRangeError, match="70000 does not fit int16"):
        elementwise.maximum(x, 70_000)


def test_imaginary_numbers_are_true() -> None:
    for dtype in (np.complex64, np.complex128):
        assert host(tensor(np.array([1j, 0, 1], dtype)).to(d.bool_)).tolist() == [True, False, True]


@pytest.mark.parametrize("left", d.ALL, ids=lambda dtype: dtype.name)
def test_every_pair_of_dtypes_adds_and_compares(left: DType) -> None:
    for right in d.ALL:
        a, b = array(left, (3, 4), 0, 9), array(right, (4,), 0, 9)
        try:
            common = promotion.promote_types(left, right)
        except DTypeError:
            with pytest.raises(TypeError, match="no common type"):
                elementwise.add(tensor(a), tensor(b))
            continue
        total = elementwise.add(tensor(a), tensor(b))
        assert total.dtype is common, right.name
        close(host(total), computed(np.add, common, a, b), *TOLERANCE.get(common, (0, 0)), f"{left.name} + {right.name}")
        if not common.is_complex:
            less = comparison.le(tensor(a), tensor(b))
            assert less.dtype is d.bool_
            np.testing.assert_array_equal(host(less), computed(np.less_equal, common, a, b), f"{left.name} <= {right.name}")


@pytest.mark.parametrize("left", REAL, ids=lambda dtype: dtype.name)
def test_every_pair_of_dtypes_divides_and_selects(left: DType) -> None:
    for right in REAL:
        a, b = array(left, (3, 4), 1, 9), array(right, (4,), 1, 9)
        b = np.where(b == 0, b.dtype.type(1), b)
        try:
            common = promotion.promote_types(left, right)
        except DTypeError:
            continue
        floating = common if common.is_floating_point else d.float32
        quotient = elementwise.div(tensor(a), tensor(b))
        assert quotient.dtype is floating
        close(host(quotient), computed(np.divide, floating, a, b), *TOLERANCE.get(floating, (1e-12, 0)), f"{left.name} / {right.name}")
        mask = array(d.bool_, (3, 4))
        chosen = comparison.where(tensor(mask), tensor(a), tensor(b))
        assert chosen.dtype is common
        np.testing.assert_array_equal(host(chosen), np.where(mask, a.astype(common.numpy), b.astype(common.numpy)))


@pytest.mark.parametrize(
    ("dtype", "number"), list(product(d.ALL, (True, 3, 2.5, 1 + 2j))), ids=lambda value: str(getattr(value, "name", value))
)
def test_numbers_are_weak(dtype: DType, number: Any) -> None:
    values = array(dtype, (3, 4), 0, 9)
    wanted = promotion.result_type([(dtype, 2), (type(number), -1)])
    for result in (elementwise.mul(tensor(values), number), elementwise.mul(number, tensor(values))):
        assert result.dtype is wanted
        close(host(result), computed(np.multiply, wanted, values, number), *TOLERANCE.get(wanted, (1e-12, 0)))


def test_tensors_without_dims_are_weak_too() -> None:
    half, double = array(d.float16, (3,)), array(d.float64, ())
    assert elementwise.add(tensor(half), tensor(double)).dtype is d.float16
    assert elementwise.add(tensor(array(d.int8, (3,))), tensor(double)).dtype is d.float64
    assert elementwise.add(tensor(array(d.int8, ())), tensor(array(d.int64, ()))).dtype is d.int64


def test_a_number_is_not_a_new_operator_model() -> None:
    operand = tensor(array(d.float32, (3, 4)))
    elementwise.mul(operand, 0.5)
    before = handle_cache.info()
    for value in np.linspace(-5, 5, 50).tolist():
        close(host(elementwise.mul(operand, value)), array(d.float32, (3, 4)).astype(np.float64) * value, 1e-6)
    after = handle_cache.info()
    assert after.loaded_models == before.loaded_models
    assert after.misses == before.misses


def test_imaginary_parts_are_never_dropped_unasked() -> None:
    functional = at.nn.functional
    x, z, classes = at.ones(2, 3), at.full((2, 3), 1j), at.tensor([0, 1])
    channels, turned = at.ones(3), at.full((3,), 1j)
    doubles = at.ones(2, 3, dtype=at.float64)
    for call in (
        lambda: functional.layer_norm(x, (3,), turned),
        lambda: functional.layer_norm(doubles, (3,), channels, turned),
        lambda: functional.group_norm(x, 3, channels, turned),
        lambda: functional.batch_norm(x, turned, channels),
        lambda: functional.batch_norm(doubles, None, None, turned, channels, True),
        lambda: functional.cross_entropy(x, classes, turned),
        lambda: functional.nll_loss(x, classes, turned),
        lambda: functional.multi_margin_loss(x, classes, weight=turned),
        lambda: functional.poisson_nll_loss(z, x),
        lambda: functional.gaussian_nll_loss(z, x, 1.0),
    ):
        with pytest.raises(TypeError, match="complex"):
            call()
