"""Dropout of channels, dropout that keeps mean and deviation, random slopes, Gumbel's softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.nn import functional as F


def ones(*shape: int, dtype: Any = None) -> Any:
    at.manual_seed(7)
    return at.ones(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("name", "shape", "channels"),
    [
        ("dropout1d", (64, 8, 5), 2),
        ("dropout1d", (64, 5), 1),
        ("dropout2d", (64, 8, 3, 5), 2),
        ("dropout2d", (64, 8, 5), 2),
        ("dropout3d", (64, 8, 2, 3, 5), 2),
        ("dropout3d", (64, 2, 3, 5), 1),
    ],
)
def test_whole_channels_are_dropped(name: str, shape: tuple[int, ...], channels: int) -> None:
    result = getattr(F, name)(ones(*shape), 0.25).numpy().reshape(*shape[:channels], -1)
    assert set(np.unique(result)) == {0.0, np.float32(1 / 0.75)}
    assert (result == result[..., :1]).all()
    assert 0.5 < (result[..., 0] != 0).mean() < 0.95


def test_features_are_channels_at_any_rank() -> None:
    result = at.feature_dropout(ones(50, 40, 2), 0.5).numpy()
    assert (result[..., 0] == result[..., 1]).all() and 0.4 < (result == 0).mean() < 0.6


@pytest.mark.parametrize("function", [F.dropout, F.dropout1d, F.alpha_dropout, F.feature_alpha_dropout])
def test_nothing_is_dropped_outside_training(function: Any) -> None:
    x = ones(3, 4)
    assert function(x, 0.5, False) is x
    assert function(x, 0.0, True) is x


@pytest.mark.parametrize("function", [F.dropout, F.dropout1d, F.alpha_dropout, F.feature_alpha_dropout])
def test_everything_is_dropped_with_certainty(function: Any) -> None:
    assert not function(ones(3, 4), 1.0, True).numpy().any()


@pytest.mark.parametrize("function", [F.dropout, F.alpha_dropout, F.dropout2d, F.feature_alpha_dropout])
def test_a_probability_is_between_0_and_1(function: Any) -> None:
    with pytest.raises(ValueError, match="p must be from 0 to 1"):
        function(ones(3, 4), 1.5, True)


@pytest.mark.parametrize("function", [F.dropout, F.alpha_dropout, F.dropout1d, F.feature_alpha_dropout, at.feature_dropout])
@pytest.mark.parametrize("dtype", [at.int64, at.bool, at.complex64])
def test_outside_training_any_dtype_passes(function: Any, dtype: Any) -> None:
    x = at.ones(2, 3, dtype=dtype)
    assert at.equal(function(x, 0.5, False), x)
    with pytest.raises(TypeError, match="floating"):
        function(x, 0.5, True)


@pytest.mark.parametrize("function", [F.dropout, F.alpha_dropout, F.dropout1d])
def test_dropout_in_place_fills_the_operand(function: Any) -> None:
    x = ones(40, 30)
    assert function(x, 0.5, True, True) is x
    values, counts = np.unique(x.numpy(), return_counts=True)
    assert 1.0 not in values and len(counts) == 2 and counts.min() > 300


def test_the_number_of_dims_is_checked() -> None:
    for function, shape in ((F.dropout1d, (2, 3, 4, 5)), (F.dropout3d, (2, 3, 4)), (F.dropout2d, (3,))):
        with pytest.raises(ValueError, match="dims are needed"):
            function(ones(*shape))


@pytest.mark.parametrize("dtype", [at.float32, at.bfloat16, at.float64])
def test_alpha_dropout_keeps_mean_and_deviation(dtype: Any) -> None:
    at.manual_seed(3)
    x = at.randn(200, 200, dtype=dtype)
    result = F.alpha_dropout(x, 0.3, True)
    assert result.dtype is dtype
    values = result.float().numpy()
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.03


def test_slopes_are_drawn_in_training() -> None:
    at.manual_seed(3)
    x = at.tensor(np.linspace(-2, 2, 1000, dtype=np.float32))
    result, values = F.rrelu(x, 0.1, 0.4, True).numpy(), x.numpy()
    slopes = result[values < 0] / values[values < 0]
    assert (result[values > 0] == values[values > 0]).all()
    assert 0.1 <= slopes.min() < 0.15 and 0.35 < slopes.max() <= 0.4
    np.testing.assert_allclose(F.rrelu(x, 0.1, 0.4).numpy(), np.where(values > 0, values, values * np.float32(0.25)), rtol=1e-6)
    with pytest.raises(ValueError, match="lower"):
        F.rrelu(x, 0.4, 0.1)


def test_the_same_seed_gives_the_same_mask() -> None:
    first, second = F.dropout2d(ones(20, 30, 2)).numpy(), F.dropout2d(ones(20, 30, 2)).numpy()
    assert (first == second).all()


@pytest.mark.parametrize("dim", [0, -1])
def test_gumbel_samples_classes(dim: int) -> None:
    at.manual_seed(5)
    weights = np.array([0.1, 0.2, 0.7], np.float32)
    logits = at.tensor(np.log(np.tile(weights, (4000, 1)) if dim else np.tile(weights[:, None], (1, 4000))))
    soft = F.gumbel_softmax(logits, tau=0.5, dim=dim).numpy()
    np.testing.assert_allclose(soft.sum(dim), 1, rtol=1e-5)
    hot = F.gumbel_softmax(logits, hard=True, dim=dim).numpy()
    assert set(np.unique(hot)) == {0.0, 1.0} and (hot.sum(dim) == 1).all()
    np.testing.assert_allclose(hot.mean(1 if dim == 0 else 0), weights, atol=0.04)
