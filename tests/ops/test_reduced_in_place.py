"""Reductions of tensors whose dims lie in memory in another order: over what lies there, without a copy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.launch.registry import handle_cache

VALUES = np.random.default_rng(0).integers(-9, 9, (3, 4, 5)).astype(np.float32)
FUNCTIONS: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (at.sum, np.sum),
    (at.mean, np.mean),
    (at.amax, np.max),
    (at.any, np.any),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("skipped", [0, 1, 2])
def test_any_order_of_dims_is_reduced_as_by_numpy(order: tuple[int, ...], skipped: int) -> None:
    values = np.concatenate([np.zeros((skipped, 4, 5), np.float32), VALUES])
    expected, tensor = values[skipped:].transpose(order), at.tensor(values)[skipped:].permute(*order)
    for count, keep in itertools.product(range(1, 4), (False, True)):
        for dims in itertools.combinations((0, -2, 2), count):
            for function, reference in FUNCTIONS:
                got = function(tensor, dims, keep)
                assert got.is_contiguous()
                np.testing.assert_allclose(got.numpy(), reference(expected, axis=dims, keepdims=keep), rtol=1e-6)
    for dim, keep in itertools.product((0, 1, -1), (False, True)):
        found = at.max(tensor, dim, keep)
        np.testing.assert_array_equal(found.values.numpy(), expected.max(dim, keepdims=keep))
        np.testing.assert_array_equal(found.indices.numpy(), expected.argmax(dim, keepdims=keep))
        norm = at.linalg.vector_norm(tensor, 3, dim, keep)
        np.testing.assert_allclose(norm.numpy(), np.sum(np.abs(expected) ** 3, dim, keepdims=keep) ** (1 / 3), rtol=1e-5)
    assert tensor.sum().item() == expected.sum() and at.argmax(tensor).item() == expected.argmax()


def test_nothing_is_copied_first() -> None:
    tensor = at.ones(30, 40).T
    before = handle_cache.launches()
    tensor.sum(), tensor.sum(0), tensor.mean(1, keepdim=True), tensor.amax((0, 1))
    launched = {name: count - before.get(name, 0) for name, count in handle_cache.launches().items()}
    assert {name: count for name, count in launched.items() if count} == {"ReduceSum": 2, "ReduceMean": 1, "ReduceMax": 1}


@pytest.mark.parametrize("dim", [2, (0, 0), "a", -3])
def test_wrong_dims_are_refused_as_of_any_tensor(dim: Any) -> None:
    errors = []
    for tensor in (at.ones(3, 4).T, at.ones(4, 3)):
        with pytest.raises((IndexError, ValueError, TypeError)) as raised:
            tensor.sum(dim)
        errors.append((type(raised.value), str(raised.value).splitlines()[0]))
    assert errors[0] == errors[1]


def test_errors_show_the_tensor_as_it_was_given() -> None:
    with pytest.raises(TypeError, match=r"(?s)^amax: complex128 is not supported.*operands: complex128\[3, 2\] on npu:0"):
        at.ones(2, 3, dtype=at.complex128).T.amax(0)
