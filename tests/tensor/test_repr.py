"""The text of tensors: PyTorch's layout, nothing launched, no more copied than printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import errors


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    yield
    at.set_printoptions(profile="default")


TEXTS: list[tuple[Any, str]] = [
    (3.5, "tensor(3.5000, device='npu:0')"),
    ([1, 2, 300], "tensor([  1,   2, 300], device='npu:0')"),
    ([1.0, 2.0], "tensor([1., 2.], device='npu:0')"),
    ([True, False], "tensor([ True, False], device='npu:0')"),
    ([0.0, -0.5], "tensor([ 0.0000, -0.5000], device='npu:0')"),
    ([1.0, float("nan"), 10.5], "tensor([ 1.0000,     nan, 10.5000], device='npu:0')"),
    ([float("inf"), 1.0], "tensor([inf, 1.], device='npu:0')"),
    ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00], device='npu:0')"),
    ([1e10], "tensor([1.0000e+10], device='npu:0')"),
    ([1 + 2j, 0.5 - 1.5j], "tensor([1.0000+2.0000j, 0.5000-1.5000j], device='npu:0')"),
    ([[1.0, 2.5], [3.0, 4.0]], "tensor([[1.0000, 2.5000],\n        [3.0000, 4.0000]], device='npu:0')"),
    ([], "tensor([], device='npu:0')"),
    (np.zeros((2, 0)), "tensor([], device='npu:0', size=(2, 0), dtype=ascendtensor.float64)"),
    (np.array([1, 2], np.int8), "tensor([1, 2], device='npu:0', dtype=ascendtensor.int8)"),
    (np.array([1.5], np.float16), "tensor([1.5000], device='npu:0', dtype=ascendtensor.float16)"),
    ([float("inf"), -float("inf")], "tensor([inf, -inf], device='npu:0')"),
    ([-0.0, 0.0], "tensor([-0., 0.], device='npu:0')"),
    (
        np.array([1e-3 - 3e-4j, 1 - 0.3j, 5e3 - 1.5e3j], np.complex64),
        "tensor([1.0000e-03-3.0000e-04j, 1.0000e+00-3.0000e-01j, 5.0000e+03-1.5000e+03j],\n       device='npu:0')",
    ),
]


@pytest.mark.parametrize(("data", "text"), TEXTS, ids=[str(data) for data, _ in TEXTS])
def test_texts(data: Any, text: str) -> None:
    assert repr(at.tensor(data)) == str(at.tensor(data)) == text


def test_three_dimensions_and_long_lines() -> None:
    assert repr(at.arange(8).reshape(2, 2, 2)) == (
        "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]], device='npu:0')"
    )
    lines = repr(at.arange(100)).splitlines()
    assert max(map(len, lines)) <= 80 and lines[1].startswith("        ")


def test_summaries() -> None:
    assert repr(at.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], device='npu:0')"
    text = repr(at.zeros(100, 100))
    assert text.splitlines()[0] == "tensor([[0., 0., 0.,  ..., 0., 0., 0.],"
    assert text.splitlines()[3] == "        ...,"
    assert repr(at.zeros(3, 1000)).count("...") == 3


def test_views_print_what_they_show() -> None:
    host = np.arange(48.0, dtype=np.float32).reshape(6, 8)
    x = at.tensor(host)
    for index in [(slice(None, None, -1),), (slice(1, 5), slice(None, None, 3)), (2,), (slice(None), -1), (None, 3)]:
        assert repr(x[index]) == repr(at.tensor(host[index].copy()))
    assert repr(x.T) == repr(at.tensor(host.T.copy()))
    assert repr(at.ones(1).expand(3)) == repr(at.ones(3))


def test_a_large_tensor_prints_at_once() -> None:
    x = at.empty(100_000_000, dtype=at.uint8).reshape(10_000, 10_000)
    x[-1, -3:] = at.tensor([1, 2, 3], dtype=at.uint8)
    x[:3, :3] = 0
    repr(x[:1, :1])
    for shown in (x, x.T, x.flatten(), x[:, ::-7]):
        copied, launched = at.memory_stats()["to_host"], sum(at.handle_cache.launches().values())
        models = at.handle_cache.info().loaded_models
        began = time.perf_counter()
        text = repr(shown)
        assert time.perf_counter() - began < 0.2
        assert at.memory_stats()["to_host"] - copied < 1 << 16
        assert sum(at.handle_cache.launches().values()) == launched and at.handle_cache.info().loaded_models == models
        assert "..." in text


def test_a_strided_column_copies_little() -> None:
    x = at.zeros(1000, 1000, dtype=at.float64)
    repr(x[:1])
    copied = at.memory_stats()["to_host"]
    repr(x[:, 5])
    assert at.memory_stats()["to_host"] - copied < 1 << 16


def test_a_failure_of_queued_work_shows() -> None:
    x = at.arange(5)
    wrong = x[at.tensor([9])]
    with pytest.raises(errors.AclError):
        repr(wrong)
    assert "0, 1, 2" in repr(x)


def test_after_shutdown() -> None:
    x = at.ones(2)
    at.shutdown()
    assert repr(x) == "<tensor from before shutdown()>"
    with pytest.raises(RuntimeError, match=r"shutdown\(\)"):
        x.numpy()
    with pytest.raises(RuntimeError, match=r"shutdown\(\)"):
        x + 1
    assert at.ones(2).tolist() == [1.0, 1.0]


def test_print_options() -> None:
    x = at.tensor([1.23456, 2.0])
    at.set_printoptions(precision=2)
    assert repr(x) == "tensor([1.23, 2.00], device='npu:0')"
    at.set_printoptions(sci_mode=True)
    assert repr(x) == "tensor([1.23e+00, 2.00e+00], device='npu:0')"
    at.set_printoptions(profile="default", threshold=5, edgeitems=1)
    assert repr(at.arange(6)) == "tensor([0,  ..., 5], device='npu:0')"
    assert at.get_printoptions()["edgeitems"] == 1
    with pytest.raises(ValueError, match="profile"):
        at.set_printoptions(profile="tall")
    with pytest.raises(ValueError, match="precision"):
        at.set_printoptions(precision=-1)


@pytest.mark.parametrize("threshold", [float("inf"), np.inf, np.float32(np.inf), sys.maxsize])
def test_an_infinite_threshold_prints_all(threshold: float) -> None:
    at.set_printoptions(threshold=threshold)
    try:
        assert repr(at.arange(2000)).count(",") == 2000
    finally:
        at.set_printoptions(profile="default")
