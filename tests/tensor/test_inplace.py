"""In-place methods, and a walk through the tensor in both run modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.acl import binding
from ascendtensor.launch import static
from ascendtensor.launch.registry import handle_cache

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


@pytest.mark.parametrize("value", [[1.0], (1, 2), range(2), [[1]], "1", None, {1}], ids=repr)
def test_what_is_no_number_fills_nothing(value: object) -> None:
    x = at.zeros(2, 2)
    with pytest.raises(TypeError, match="fill_: one number is needed"):
        x.fill_(value)
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("places", [[0.5, 1.5], [True, False]], ids=["float", "bool"])
def test_places_are_integers(places: list[float]) -> None:
    index, x, y, truth = at.tensor(places), at.zeros(2), at.ones(2), at.tensor([True, False])
    for call in (
        lambda: x.put_(index, y),
        lambda: at.put(x, index, y, True),
        lambda: truth.scatter_(0, index, truth, reduce="add"),
        *(lambda way=way: x.scatter_reduce_(0, index, y, way) for way in ("sum", "prod", "mean", "amax", "amin")),
    ):
        with pytest.raises(TypeError, match=r"integer dtype|must be one of int8"):
            call()
    assert x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [at.float32, at.bfloat16, at.int64, at.complex128], ids=lambda dtype: dtype.name)
def test_a_source_that_is_too_short_changes_nothing(dtype: at.dtype) -> None:
    x = at.arange(40).to(dtype)
    for target in (x, x[3:30:2]):
        before = x.tolist()
        target.masked_scatter_(at.ones(target.shape, dtype=at.bool), at.zeros(3, dtype=dtype))
        with pytest.raises(at.AclError):
            at.synchronize()
        assert x.tolist() == before


IN_ITS_OWN_PLACES: dict[str, Callable[[Any], object]] = {
    "x[x] = ": lambda x: x.__setitem__(x, x.flip(0)),
    "index_put_": lambda x: x.index_put_((x,), x),
    "index_add_": lambda x: x.index_add_(0, x, x),
    "scatter_": lambda x: x.scatter_(0, x, x),
    "masked_scatter_": lambda x: x.masked_scatter_(x % 2 == 0, x),
    "gather": lambda x: at.gather(x, 0, x, out=x),
    "take": lambda x: at.take(x, x, out=x),
    "index_select": lambda x: at.index_select(x, 0, x, out=x),
}


@pytest.mark.parametrize("name", IN_ITS_OWN_PLACES)
def test_no_operator_reads_places_or_values_where_it_writes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    order = np.random.default_rng(1).permutation(64)
    expected = order.copy()
    if name == "index_add_":
        np.add.at(expected, order, order)
    elif name == "masked_scatter_":
        np.place(expected, order % 2 == 0, order)
    elif name in ("x[x] = ", "index_put_", "scatter_"):
        expected[order] = order[::-1] if name == "x[x] = " else order
    else:
        expected = order[order]
    launches: list[tuple[list[int], list[int]]] = []
    by_handle, by_description = static.execute_with_handle, binding.execute_v2

    def with_handle(handle: int, inputs: list[int], outputs: list[int], stream: int) -> None:
        launches.append((inputs, outputs))
        by_handle(handle, inputs, outputs, stream)

    def described(op: str, descs: list[int], inputs: list[int], results: list[int], outputs: list[int], attr: int, stream: int) -> None:
        launches.append((inputs, outputs))
        by_description(op, descs, inputs, results, outputs, attr, stream)

    monkeypatch.setattr(static, "execute_with_handle", with_handle)
    monkeypatch.setattr(binding, "execute_v2", described)  # after other tests, one model may serve all shapes
    x = at.tensor(order)
    IN_ITS_OWN_PLACES[name](x)
    assert x.tolist() == expected.tolist()
    read = [inputs.count(x.data_buffer) for inputs, outputs in launches if x.data_buffer in outputs]
    assert read and max(read) <= 1  # the tensor itself, which the operator changes


def test_writing_all_of_a_tensor_needs_no_plans_beside_those_of_full_and_clone() -> None:
    made = at.full((5, 3), 1.0), at.full((5, 3), 1), at.ones(5, 3).clone()
    before = len(handle_cache.plans)
    x, part = made[0], at.empty(6, 5, 3)
    for target in (x, part[1], part.view(30, 3)[20:25]):
        assert target.fill_(2.0).tolist() == [[2.0] * 3] * 5
        target[...] = 3
        assert target.copy_(made[2]).tolist() == [[1.0] * 3] * 5
    assert len(handle_cache.plans) - before <= 2  # of those that lie where no operator writes


@pytest.mark.parametrize("value", [300, -1, float("nan"), 1j])
def test_numbers_that_a_tensor_can_not_hold_are_refused_by_the_functions_name(value: complex) -> None:
    x = at.zeros(3, dtype=at.uint8)
    with pytest.raises((ValueError, TypeError), match=r"^fill_: "):
        x.fill_(value)
    with pytest.raises((ValueError, TypeError), match=r"^index_put_: "):
        x[:] = value
    assert x.tolist() == [0, 0, 0]
