"""Functions of networks on any shapes and dims, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import Array, array, d, host, tensor
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor.nn import functional as F

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)
UNTIMED = settings(deadline=None, max_examples=15)


def values(shape: tuple[int, ...], key: Any = 0) -> Array:
    return array(d.float32, shape, key=key)


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(host(found), wanted, rtol=2e-5, atol=2e-5)


@UNTIMED
@given(SHAPES, st.data())
def test_shares_along_any_dim_add_up_to_one(shape: tuple[int, ...], data: Any) -> None:
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = values(shape)
    shares = F.softmax(tensor(x), dim)
    close(shares.sum(dim), np.ones(np.delete(shape, dim)))
    close(F.log_softmax(tensor(x), dim), np.log(host(shares)))
    close(F.softmin(tensor(x), dim), host(F.softmax(tensor(-x), dim)))


@UNTIMED
@given(SHAPES, st.data())
def test_any_last_dims_are_normalised(shape: tuple[int, ...], data: Any) -> None:
    count = data.draw(st.integers(1, len(shape)))
    x, weight, bias = values(shape), values(shape[-count:], "w"), values(shape[-count:], "b")
    dims = tuple(range(-count, 0))
    wide = x.astype(np.float64)
    standard = (wide - wide.mean(dims, keepdims=True)) / np.sqrt(wide.var(dims, keepdims=True) + 0.1)
    close(F.layer_norm(tensor(x), shape[-count:], tensor(weight), tensor(bias), 0.1), standard * weight + bias)
    mean_square = (wide**2).mean(dims, keepdims=True)
    close(F.rms_norm(tensor(x), shape[-count:], tensor(weight), 0.1), wide / np.sqrt(mean_square + 0.1) * weight)


@UNTIMED
@given(st.integers(2, 4), st.integers(1, 3), st.integers(1, 3), st.lists(st.integers(1, 4), max_size=3).map(tuple))
def test_groups_and_channels_of_any_rank(batch: int, groups: int, size: int, rest: tuple[int, ...]) -> None:
    shape = (batch, groups * size, *rest)
    x, weight = values(shape), values(shape[1:2], "w")
    by_channel = weight.reshape(-1, *(1,) * len(rest))
    rows = x.reshape(batch, groups, -1).astype(np.float64)
    standard = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 0.1)
    close(F.group_norm(tensor(x), groups, tensor(weight), eps=0.1), standard.reshape(shape) * by_channel)
    dims = (0, *range(2, len(shape)))
    wide = x.astype(np.float64)
    standard = (wide - wide.mean(dims, keepdims=True)) / np.sqrt(wide.var(dims, keepdims=True) + 0.1)
    close(F.batch_norm(tensor(x), None, None, tensor(weight), training=True, eps=0.1), standard * by_channel)


@UNTIMED
@given(SHAPES, st.data(), st.sampled_from(["none", "mean", "sum"]))
def test_losses_of_operands_that_broadcast(shape: tuple[int, ...], data: Any, reduction: str) -> None:
    lengths = data.draw(st.tuples(*(st.sampled_from([1, length]) for length in shape)))
    start = data.draw(st.integers(0, len(shape)))
    x, y = values(shape), values(lengths[start:], "y")
    losses = {F.mse_loss: (x - y) ** 2, F.l1_loss: np.abs(x - y), F.soft_margin_loss: np.logaddexp(0, -x * y)}
    for function, each in losses.items():
        wanted = each if reduction == "none" else getattr(each.astype(np.float64), reduction)()
        close(function(tensor(x), tensor(y), reduction=reduction), wanted)


@UNTIMED
@given(st.lists(st.integers(1, 3), max_size=2).map(tuple), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.booleans())
def test_attention_of_any_batch(batch: tuple[int, ...], queries: int, keys: int, size: int, causal: bool) -> None:
    q, k, v = values((*batch, queries, size), "q"), values((*batch, keys, size), "k"), values((*batch, keys, 3), "v")
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(size)
    if causal:
        scores = np.where(np.tril(np.ones((queries, keys), np.bool_)), scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    close(F.scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), is_causal=causal), shares / shares.sum(-1, keepdims=True) @ v)


@pytest.mark.parametrize("dtype", [d.float32, d.float64], ids=str)
def test_a_batch_is_that_of_the_input_whatever_it_is_spread_over(dtype: Any) -> None:
    for rows, goals, batch in (((), (2,), 1), ((), (), 1), ((1, 3), (4, 3), 1), ((3,), (4, 3), 3), ((4, 3), (1, 3), 4), ((2,), (), 2)):
        x, y = tensor(array(dtype, rows, -4, 0)), tensor(array(dtype, goals, 0.1, 1))
        total = host(F.kl_div(x, y, reduction="sum"))
        np.testing.assert_allclose(host(F.kl_div(x, y, reduction="batchmean")), total / batch, 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_bag_counts_no_index_from_the_end(dtype: str) -> None:
    with pytest.raises(at.AclError):
        at.nn.functional.embedding_bag(at.tensor([[0, -1]]), at.ones(3, 2, dtype=dtype)).cpu()
