"""In-place methods, and a walk through the tensor in both run modes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ascendtensor as at

UNARY = [
    "abs",
    "ceil",
    "cos",
    "erf",
    "exp",
    "expm1",
    "floor",
    "log1p",
    "neg",
    "reciprocal",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
    "square",
    "tanh",
    "trunc",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    host = np.array([[0.5, 1.25, 2.0], [0.25, 3.0, 1.0]], np.float32)
    x = at.tensor(host)
    expected = getattr(x, name)().numpy()
    column = x[:, 1]
    assert getattr(column, name + "_")() is column
    host[:, 1] = expected[:, 1]
    np.testing.assert_array_equal(x.numpy(), host)
    y = at.tensor(host)
    wanted = getattr(y, name)().numpy()
    assert getattr(y, name + "_")() is y
    np.testing.assert_array_equal(y.numpy(), wanted)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "atan2", "eq", "lt", "clamp"])
def test_binary(name: str) -> None:
    x = at.tensor([3.5, -2.0, 4.0])
    expected = getattr(x, name)(2).to(x.dtype).tolist()
    assert getattr(x, name + "_")(2) is x and x.tolist() == expected


def test_with_other_arguments() -> None:
    x = at.ones(3)
    assert x.add_(at.ones(3), alpha=3).tolist() == [4.0] * 3
    assert x.sub_(1, alpha=2).tolist() == [2.0] * 3
    assert x.div_(3, rounding_mode="floor").tolist() == [0.0] * 3
    assert x.masked_fill_(at.tensor([True, False, True]), 5).tolist() == [5.0, 0.0, 5.0]
    assert x.lerp_(at.zeros(3), 0.5).tolist() == [2.5, 0.0, 2.5]
    assert x.addcmul_(at.ones(3), at.ones(3), value=2).tolist() == [4.5, 2.0, 4.5]


def walk() -> None:
    """A bit of everything."""
    x = at.tensor(np.arange(12.0, dtype=np.float32).reshape(3, 4))
    y = (x @ x.T + 1).sum(dim=0)
    assert y.tolist() == [117.0, 381.0, 645.0]
    x[1:, ::2] *= -1
    assert x[x < 0].tolist() == [-4.0, -6.0, -8.0, -10.0]
    x[[0, 2]] = at.tensor([1.0, 2.0, 3.0, 4.0])
    assert x[:, 3].tolist() == [4.0, 7.0, 4.0]
    assert "device='npu:0'" in repr(x)
    assert np.asarray(x.to(at.bfloat16).max()).item() == 7
    big = at.arange(500_000.0)
    assert big[::1000].sum().item() == sum(range(0, 500_000, 1000))
    assert big.to("npu:1")[-1].item() == 499_999
    assert at.eye(3)[1].tolist() == [0.0, 1.0, 0.0] and at.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("mode", ["host", "device"])
def test_both_run_modes(machine: Callable[..., None], mode: str) -> None:
    machine(run_mode=mode)
    walk()
