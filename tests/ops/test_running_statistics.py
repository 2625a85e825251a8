"""Statistics that batch and instance normalisation keep: moved in place, in any dtype and through views, one of them alone, none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import array, d, host, tensor

from ascendtensor.nn import functional as F
from ascendtensor.ops.nn import normalization


def moved(values: Any, mean: Any, variance: Any, momentum: float) -> tuple[Any, Any]:
    dims = (0, *range(2, values.ndim))
    wide = values.astype(np.float64)
    return mean + momentum * (wide.mean(dims) - mean), variance + momentum * (wide.var(dims, ddof=1) - variance)


@pytest.mark.parametrize("dtype", [d.float32, d.float16, d.bfloat16, d.float64], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("statistics", [d.float32, d.float64, d.float16], ids=lambda dtype: dtype.name)
def test_they_move_towards_the_batch(dtype: Any, statistics: Any) -> None:
    x, mean, variance = array(dtype, (4, 8, 5)), array(statistics, (8,)), array(statistics, (8,), 1, 2)
    expected = moved(x, mean.astype(np.float64), variance.astype(np.float64), 0.3)
    kept = tensor(mean), tensor(variance)
    F.batch_norm(tensor(x), *kept, training=True, momentum=0.3)
    for found, wanted in zip(kept, expected, strict=True):
        assert found.dtype is statistics
        np.testing.assert_allclose(host(found).astype(np.float64), wanted, rtol=3e-3 if statistics is d.float16 else 2e-6, atol=1e-5)


def test_a_view_takes_them_and_its_neighbours_stay() -> None:
    x, both = array(d.float32, (6, 8, 2)), array(d.float32, (3, 16), 1, 2)
    whole = tensor(both)
    F.batch_norm(tensor(x), whole[0, ::2], whole[1, 3:11], training=True)
    mean, variance = moved(x, both[0, ::2], both[1, 3:11], 0.1)
    both[0, ::2], both[1, 3:11] = mean, variance
    np.testing.assert_allclose(host(whole), both, rtol=1e-5, atol=1e-5)


def test_one_of_them_alone_moves() -> None:
    x, variance = array(d.float32, (6, 8)), array(d.float32, (8,), 1, 2)
    kept = tensor(variance)
    F.batch_norm(tensor(x), None, kept, training=True)
    np.testing.assert_allclose(host(kept), moved(x, 0.0, variance, 0.1)[1], rtol=1e-5)


def test_a_tensor_that_is_also_the_weight_is_read_before_it_moves() -> None:
    x, vector = array(d.float32, (6, 8)), array(d.float32, (8,), 1, 2)
    kept = tensor(vector)
    result = F.batch_norm(tensor(x), None, kept, weight=kept, training=True)
    expected = F.batch_norm(tensor(x), None, None, weight=tensor(vector), training=True)
    np.testing.assert_allclose(host(result), host(expected), rtol=1e-6)
    np.testing.assert_allclose(host(kept), moved(x, 0.0, vector, 0.1)[1], rtol=1e-5)


def test_they_stay_outside_training() -> None:
    x, mean, variance = array(d.float32, (4, 8)), array(d.float32, (8,)), array(d.float32, (8,), 1, 2)
    kept = tensor(mean), tensor(variance)
    F.batch_norm(tensor(x), *kept)
    assert (host(kept[0]) == mean).all() and (host(kept[1]) == variance).all()


def test_outside_training_the_batch_has_no_statistics() -> None:
    x, mean, variance = array(d.float32, (4, 8)), array(d.float32, (8,)), array(d.float32, (8,), 1, 2)
    _, center, inverse = normalization.native_batch_norm(tensor(x), None, None, tensor(mean), tensor(variance), False, 0.1, 1e-5)
    assert center.shape == inverse.shape == (0,)


@pytest.mark.parametrize("dtype", [d.float32, d.bfloat16], ids=lambda dtype: dtype.name)
def test_those_of_samples_are_averaged(dtype: Any) -> None:
    x, mean, variance = array(dtype, (3, 8, 5)), array(d.float32, (8,)), array(d.float32, (8,), 1, 2)
    kept = tensor(mean), tensor(variance)
    F.instance_norm(tensor(x), *kept, momentum=0.3)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(host(kept[0]), 0.7 * mean + 0.3 * wide.mean(2).mean(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(host(kept[1]), 0.7 * variance + 0.3 * wide.var(2, ddof=1).mean(0), rtol=1e-5, atol=1e-5)
