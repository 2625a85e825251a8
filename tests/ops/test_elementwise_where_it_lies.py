"""Element-wise operators on tensors whose dims lie in memory in another order: on what lies there, without a copy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.launch.registry import handle_cache

VALUES = np.random.default_rng(0).integers(1, 9, (3, 4, 5)).astype(np.float32)


def launches(work: Callable[[], Any]) -> dict[str, int]:
    before = handle_cache.launches()
    work()
    return {name: count - before.get(name, 0) for name, count in handle_cache.launches().items() if count - before.get(name, 0)}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("skipped", [0, 1, 2])
def test_results_lie_as_the_operands_do(order: tuple[int, ...], skipped: int) -> None:
    values = np.concatenate([np.zeros((skipped, 4, 5), np.float32), VALUES])
    expected, tensor = values[skipped:].transpose(order), at.tensor(values)[skipped:].permute(*order)
    other = at.tensor(VALUES[::-1].copy()).permute(*order)
    reversed_ = VALUES[::-1].transpose(order)
    scale = np.arange(1, expected.shape[2] + 1, dtype=np.float32)
    column = np.arange(1, expected.shape[1] + 1, dtype=np.float32)[:, None]
    for got, wanted in [
        (tensor + other, expected + reversed_),
        (tensor * 2, expected * 2),
        (2 - tensor, 2 - expected),
        (tensor + at.tensor(3.0), expected + 3),
        (tensor * at.tensor(scale), expected * scale),
        (at.tensor(column) * tensor, expected * column),
        (tensor.sqrt(), np.sqrt(expected)),
        (tensor > other, expected > reversed_),
        (at.where(tensor > 4, tensor, other), np.where(expected > 4, expected, reversed_)),
        (at.clamp(tensor, 2, 5), expected.clip(2, 5)),
        (tensor.to(at.int32), expected.astype(np.int32)),
        (at.lerp(tensor, other, 0.25), expected + (reversed_ - expected) * np.float32(0.25)),
    ]:
        assert got.stride() == at.tensor(VALUES).permute(*order).stride()
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)


def test_nothing_is_copied_first() -> None:
    x, y = at.ones(30, 40).T, at.ones(30, 40).T
    assert launches(lambda: (x + y, x * 2, x.exp(), x.exp().neg())) == {"Add": 1, "Mul": 1, "Exp": 2, "Neg": 1}
    images, bias = at.ones(2, 3, 4, 5).permute(0, 2, 3, 1), at.ones(3)
    assert launches(lambda: images + bias) == {"Add": 1}


def test_other_layouts_are_copied_as_before() -> None:
    x, y = at.ones(30, 40).T, at.ones(40, 30)
    for made in (x + y, y + x, x[::2] * 2, x + at.ones(2, 40, 30), at.ones(1, 40).T + at.ones(40, 30)):
        assert made.is_contiguous()
    assert at.ones(0, 3).T.exp().shape == (3, 0)
    row = at.tensor([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal((row.T + at.tensor([10.0, 20.0])).numpy(), [[11, 21], [12, 22], [13, 23]])


def test_promotion_is_that_of_the_operands_as_given() -> None:
    x = at.ones(3, 2, dtype=at.float16).T
    assert (x + at.tensor(1.0)).dtype is at.float16 and (x + at.ones(2, 1)).dtype is at.float32
    assert (x + at.ones(1, 1)).dtype is at.float32


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_writing_into_such_a_tensor(order: tuple[int, ...]) -> None:
    memory = at.tensor(VALUES)
    target, other = memory.permute(*order), at.tensor(VALUES[::-1].copy()).permute(*order)
    expected, reversed_ = VALUES.transpose(order).copy(), VALUES[::-1].transpose(order)

    def write() -> None:
        nonlocal target
        target += other
        target *= 2
        at.sqrt(target, out=target)
        at.sub(other, target, out=target)

    assert launches(write) == {"Add": 1, "Mul": 1, "Sqrt": 1, "Sub": 1}
    wanted = reversed_ - np.sqrt((expected + reversed_) * 2)
    np.testing.assert_allclose(target.numpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(memory.permute(*order).numpy(), wanted, rtol=1e-6)


def test_writing_where_operands_overlap_or_differ() -> None:
    square = at.tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
    turned = square.T
    turned += square
    np.testing.assert_array_equal(turned.numpy(), np.arange(9).reshape(3, 3) + np.arange(9).reshape(3, 3).T)
    out = at.zeros(3, 3, dtype=at.float64).T
    assert at.add(turned, turned, out=out) is out
    np.testing.assert_array_equal(out.numpy(), turned.numpy() * 2)
    with pytest.raises(at.errors.ShapeError, match=r"which can't be written into a tensor of shape \[2, 3\]"):
        at.exp(square.T, out=at.zeros(3, 2).T)


def test_errors_show_the_operands_as_they_were_given() -> None:
    with pytest.raises(at.errors.DTypeError, match=r"(?s)operands: complex128\[3, 2\] on npu:0"):
        at.floor(at.ones(2, 3, dtype=at.complex128).T)


@pytest.mark.skipif(at.npu.device_count() < 2, reason="two devices are needed")
def test_errors_of_devices_show_them_so_too() -> None:
    here, there = (at.ones(2, 3, device=f"npu:{index}").T for index in range(2))
    with pytest.raises(at.errors.DeviceError, match=r"operands: float32\[3, 2\] on npu:0, float32\[3, 2\] on npu:1"):
        here + there
    with pytest.raises(at.errors.DeviceError, match=r"operands: float32\[3, 2\] on npu:0, float32\[3, 2\] on npu:1"):
        here += there
