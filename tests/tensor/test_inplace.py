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


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_", (1,)),
        ("fill_", (1,)),
        ("zero_", ()),
        ("copy_", (3.0,)),
        ("exp_", ()),
        ("masked_fill_", (True, 1)),
        ("clamp_", (0, 1)),
        ("index_fill_", (0, [0], 1)),
        ("index_put_", (([0],), 1.0)),
        ("scatter_", (0, [[0] * 4], 1.0)),
        ("fill_diagonal_", (1,)),
        ("tril_", ()),
    ],
)
def test_an_expanded_view_is_never_written_to(name: str, arguments: tuple[object, ...]) -> None:
    # PyTorch: "more than one element of the written-to tensor refers to a single memory location"
    x = at.ones(1, 4)
    view = x.expand(3, 4)
    given = [at.tensor(part) if isinstance(part, (bool, list)) else part for part in arguments]
    with pytest.raises(ValueError, match="share one place in memory"):
        getattr(view, name)(*given)
    windows = at.ones(6).unfold(0, 3, 1)
    with pytest.raises(ValueError, match="share one place in memory"):
        windows[0:2] = 0
    assert x.tolist() == [[1.0] * 4]


def test_overlapping_sides_act_as_if_the_right_one_came_first() -> None:
    a = at.arange(6.0)
    a[1:] += a[:-1]
    assert a.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 9.0]
    a[:-1] = a[1:]
    assert a.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 9.0]
    x = at.arange(9.0).reshape(3, 3)
    x[:] = x.T
    assert x.tolist() == [[0.0, 3.0, 6.0], [1.0, 4.0, 7.0], [2.0, 5.0, 8.0]]
    x[at.tensor([0, 1])] = x[1:]
    assert x.tolist() == [[1.0, 4.0, 7.0], [2.0, 5.0, 8.0], [2.0, 5.0, 8.0]]


def test_the_tensor_itself_becomes_another_view() -> None:
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = at.tensor(host)
    other = x.view(6)
    assert x.transpose_(0, 1) is x and x.shape == (3, 2) and x.stride() == (1, 3)
    np.testing.assert_array_equal(x.numpy(), host.T)
    assert x.t_().swapaxes_(0, -1).swapdims_(0, 1).shape == (2, 3)
    assert x.unsqueeze_(0).unsqueeze_(-1).shape == (1, 2, 3, 1) and x.squeeze_(0).shape == (2, 3, 1) and x.squeeze_().shape == (2, 3)
    x += 1
    assert other.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert x.as_strided_((2,), (3,), 1).tolist() == [2.0, 5.0]
    assert x.is_set_to(other.as_strided((2,), (3,), 1)) and not x.is_set_to(other[1:3])


def test_memory_is_never_resized() -> None:
    x = at.ones(3)
    for resize in (lambda: x.resize_(4), lambda: x.resize_as_(at.ones(2))):
        with pytest.raises(NotImplementedError, match="resize_"):
            resize()
    assert x.shape == (3,)
