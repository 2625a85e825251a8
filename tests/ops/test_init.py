"""What parameters start with: distributions, bounds, shapes, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.nn import init


def empty(*shape: int, dtype: Any = None) -> Any:
    at.manual_seed(11)
    return at.full(shape, math.nan, dtype=dtype)


def moments(tensor: Any) -> tuple[float, float]:
    values = tensor.double().numpy()
    return float(values.mean()), float(values.std())


@pytest.mark.parametrize("dtype", [at.float32, at.float16, at.float64])
def test_normal_numbers_are_cut_at_two_deviations(dtype: Any) -> None:
    x = empty(300, 200, dtype=dtype)
    assert init.trunc_normal_(x, 1.0, 0.5, 0.0, 2.0) is x and x.dtype is dtype
    mean, deviation = moments(x)
    assert abs(mean - 1) < 0.01 and abs(deviation - 0.5 * 0.8796) < 0.01  # the deviation of a normal distribution cut there
    assert x.amin().item() >= 0 and x.amax().item() <= 2


def test_normal_numbers_are_cut_anywhere() -> None:
    x = init.trunc_normal_(empty(300, 200), 0.0, 1.0, -0.5, 3.0)
    values = np.sort(x.numpy().reshape(-1))
    assert values[0] >= -0.5 and values[-1] <= 3
    # the share below 0: (F(0) - F(-0.5)) / (F(3) - F(-0.5))
    assert abs((values < 0).mean() - 0.1915 / 0.6901) < 0.01


def test_constants() -> None:
    assert (init.ones_(empty(2, 3)).numpy() == 1).all()
    assert (init.zeros_(empty(2, 3)).numpy() == 0).all()
    assert (init.constant_(empty(2, 3), 0.5).numpy() == 0.5).all()
    assert (init.eye_(empty(2, 3)).numpy() == np.eye(2, 3)).all()


@pytest.mark.parametrize(("shape", "groups"), [((4, 2, 3), 1), ((4, 2, 3), 2), ((2, 3, 3, 5), 1), ((2, 2, 1, 2, 3), 1)])
def test_dirac_passes_channels_on(shape: tuple[int, ...], groups: int) -> None:
    expected = np.zeros(shape, np.float32)
    size = shape[0] // groups
    for group in range(groups):
        for channel in range(min(size, shape[1])):
            expected[(group * size + channel, channel, *(length // 2 for length in shape[2:]))] = 1
    assert (init.dirac_(empty(*shape), groups).numpy() == expected).all()


@pytest.mark.parametrize("shape", [(400, 100), (20, 40, 5, 5)])
def test_deviations_follow_from_the_shape(shape: tuple[int, ...]) -> None:
    field = math.prod(shape[2:])
    inputs, outputs = shape[1] * field, shape[0] * field
    wanted = {
        init.xavier_uniform_: math.sqrt(2 / (inputs + outputs)),
        init.xavier_normal_: math.sqrt(2 / (inputs + outputs)),
        init.kaiming_uniform_: math.sqrt(2 / inputs),
        init.kaiming_normal_: math.sqrt(2 / inputs),
    }
    for function, deviation in wanted.items():
        mean, found = moments(function(empty(*shape)))
        assert abs(found / deviation - 1) < 0.03 and abs(mean) < deviation / 20, function.__name__
    mean, found = moments(init.kaiming_normal_(empty(*shape), 0, "fan_out", "tanh"))
    assert abs(found / (5 / 3 / math.sqrt(outputs)) - 1) < 0.03


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (5, 2, 3), (3, 3)])
@pytest.mark.parametrize("dtype", [at.float32, at.float64])
def test_orthogonal_rows_or_columns(shape: tuple[int, ...], dtype: Any) -> None:
    values = init.orthogonal_(empty(*shape, dtype=dtype), 2.0).numpy().reshape(shape[0], -1)
    product = values @ values.T if values.shape[0] < values.shape[1] else values.T @ values
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


def test_sparse_columns() -> None:
    values = init.sparse_(empty(10, 50), 0.25, 2.0).numpy()
    assert ((values == 0).sum(0) == 3).all() and 1.5 < values[values != 0].std() < 2.5


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [("linear", None, 1), ("conv2d", None, 1), ("sigmoid", None, 1), ("tanh", None, 5 / 3), ("relu", None, 2**0.5), ("selu", None, 0.75)],
)
def test_gains(name: str, param: Any, gain: float) -> None:
    assert init.calculate_gain(name, param) == pytest.approx(gain)


def test_the_slope_decides_a_gain() -> None:
    assert init.calculate_gain("leaky_relu", 1) == pytest.approx(1) and init.calculate_gain("leaky_relu") == pytest.approx(1.41414, 1e-4)


def test_what_does_not_fit_is_refused() -> None:
    for call in (
        lambda: init.calculate_gain("tan"),
        lambda: init.calculate_gain("leaky_relu", True),
        lambda: init.eye_(empty(2)),
        lambda: init.dirac_(empty(2, 2)),
        lambda: init.dirac_(empty(3, 2, 1), 2),
        lambda: init.xavier_normal_(empty(3)),
        lambda: init.kaiming_normal_(empty(3, 3), mode="fan"),
        lambda: init.orthogonal_(empty(3)),
        lambda: init.sparse_(empty(3), 0.1),
        lambda: init.trunc_normal_(empty(3), std=0.0),
        lambda: init.trunc_normal_(empty(3), a=1.0, b=0.0),
        lambda: init.uniform_(empty(3), 1.0, 0.0),
    ):
        with pytest.raises(ValueError):
            call()


def test_views_are_filled_and_their_neighbours_stay() -> None:
    whole = at.zeros(6, 8)
    init.normal_(whole[1:3, ::2])
    values = whole.numpy()
    assert values[1:3, ::2].all() and not values[:, 1::2].any() and not values[3:].any()
