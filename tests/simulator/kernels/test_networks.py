"""Kernels of networks: what they refuse, as a board would, and the values that functions never ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import BFLOAT16, FLOATS, UNTIMED, close, made, run, sample

from ascendtensor.simulator.kernels.registry import layout_of

X = np.ones((2, 4, 1, 3), np.float32)
V = np.ones(4, np.float32)


def like(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def batch_norm(**more: Any) -> None:
    inputs = {"x": X, "weight": V, "bias": V, "mean": V, "variance": V, **more}
    outputs = [np.empty_like(inputs["x"]), *(np.empty(4, np.float32) for _ in range(4))]
    run("BatchNormV3", list(inputs.values()), outputs)


def ctc(**more: Any) -> None:
    one, two = np.array([3, 3], np.int64), np.array([2, 1], np.int64)
    operands = {"probs": like(3, 2, 4), "targets": np.ones((2, 2), np.int64), "read": one, "written": two}
    attrs = {name: more.pop(name) for name in ("blank",) if name in more}
    run("CTCLossV2", list({**operands, **more}.values()), [like(2), like(2, 3, 8)], **attrs)


def rnn(**attrs: Any) -> None:
    x, w, b = like(2, 3, 5), like(9, 16), like(16)
    run("DynamicRNN", [x, w, b, None, like(1, 3, 4), like(1, 3, 4)], [like(2, 3, 4) for _ in range(8)], **attrs)


def bags(offsets: list[int], indices: list[int], mode: str = "sum") -> None:
    count, number = len(offsets), len(indices)
    shape = (count, 3) if mode == "max" else (count,)
    outputs = [like(count, 3), *(like(*each, dtype=np.int32) for each in ((number,), (count,), shape))]
    run("EmbeddingBag", [like(5, 3), np.array(indices, np.int32), np.array(offsets, np.int32), None], outputs, mode=mode)


REFUSED: dict[str, tuple[Callable[[], None], str]] = {
    "batch norm of no image": (lambda: batch_norm(x=np.ones((2, 4), np.float32)), "no image"),
    "batch norm of other channels": (lambda: batch_norm(weight=V[:3], bias=V[:3]), "channels"),
    "batch norm of mixed parameters": (lambda: batch_norm(weight=V.astype(np.float16)), "dtype"),
    "inference with half parameters": (
        lambda: run("BNInfer", [X, *[V.astype(np.float16)] * 4], [np.empty_like(X)], epsilon=1e-5),
        "float32",
    ),
    "groups that don't divide channels": (
        lambda: run("GroupNormSilu", [X, None, None], [like(*X.shape), like(2, 3), like(2, 3)], num_groups=3),
        "groups",
    ),
    "layer norm with other parameters": (
        lambda: run("LayerNormV3", [X, V, V], [like(*X.shape), like(2, 4, 1, 1), like(2, 4, 1, 1)], begin_norm_axis=2, begin_params_axis=2),
        "gamma or beta",
    ),
    "rms norm with other lengths": (lambda: run("RmsNorm", [X, V], [like(*X.shape), like(2, 4, 1, 1)]), "last dims"),
    "an odd gate": (lambda: run("SwiGlu", [X], [like(2, 4, 1, 1)]), "odd"),
    "a limit of several elements": (lambda: run("ThresholdV2", [X, V, V], [like(*X.shape)]), "one element"),
    "celu without a limit": (lambda: run("CeluV2", [X], [like(*X.shape)], alpha=0.0), "alpha"),
    "softshrink by a negative number": (lambda: run("SoftShrink", [X], [like(*X.shape)], lambd=-1.0), "negative"),
    "labels that are not int32": (
        lambda: run("MultilabelMarginLoss", [like(2, 3), like(2, 3, dtype=np.int64)], [like(), like(2, 3, dtype=np.int32)]),
        "int32",
    ),
    "a label out of range": (
        lambda: run("MultilabelMarginLoss", [like(2, 3), np.full((2, 3), 3, np.int32)], [like(), like(2, 3, dtype=np.int32)]),
        "out of range",
    ),
    "a blank that is no class": (lambda: ctc(blank=4), "blank"),
    "more steps than there are": (lambda: ctc(read=np.array([4, 3], np.int64)), "lengths"),
    "lengths of two dtypes": (lambda: ctc(read=np.array([3, 3], np.int32)), "dtype"),
    "a reduction that is none": (lambda: run("MseLoss", [V, V], [like()], reduction="max"), "reduction"),
    "a sequence read backwards": (lambda: rnn(direction="REDIRECTIONAL"), "direction"),
    "a cell with peepholes": (lambda: rnn(use_peephole=True), "use_peephole"),
    "an order that is none": (lambda: rnn(gate_order="ijff"), "gate_order"),
    "bags that don't start at 0": (lambda: bags([1], [1, 2]), "offsets"),
    "bags that fall": (lambda: bags([0, 2, 1], [1, 2]), "offsets"),
    "a row out of range": (lambda: bags([0], [5]), "out of range"),
    "a mode that is none": (lambda: bags([0], [1], "min"), "mode"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_board_refuses_is_refused(what: str) -> None:
    call, match = REFUSED[what]
    with pytest.raises((ValueError, IndexError), match=match):
        call()


def test_batch_normalisation_needs_images() -> None:
    assert layout_of("BatchNormV3") == layout_of("BNInfer") == "NCHW"


def test_statistics_that_stay_are_handed_on() -> None:
    mean, variance = np.arange(4, dtype=np.float32), np.arange(1, 5, dtype=np.float32)
    outputs = [np.empty_like(X), *(np.empty(4, np.float32) for _ in range(4))]
    run("BatchNormV3", [X, V, V, mean, variance], outputs, is_training=False)
    assert (outputs[1] == mean).all() and (outputs[2] == variance).all()
    close(outputs[0], (X - mean[:, None, None]) / np.sqrt(variance[:, None, None] + 1e-5) + 1, 4)


def test_groups_with_their_activation() -> None:
    x = sample((2, 4, 6), np.dtype(np.float32))
    outputs = [np.empty_like(x), like(2, 2), like(2, 2)]
    run("GroupNormSilu", [x, None, None], outputs, num_groups=2)
    rows = x.reshape(2, 2, 12).astype(np.float64)
    plain = ((rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    close(outputs[0], plain / (1 + np.exp(-plain)), 8)


def test_gates_in_the_operators_own_order() -> None:
    x, w, b = (sample(shape, np.dtype(np.float32), index) for index, shape in enumerate(((3, 2, 5), (9, 16), (16,))))
    found: list[list[np.ndarray]] = []
    for order in ("ijfo", "ifjo"):
        places = ["ijfo".index(name) for name in order]
        turned = [np.concatenate([each[..., place * 4 : place * 4 + 4] for place in places], -1) for each in (w, b)]
        outputs = [like(3, 2, 4) for _ in range(8)]
        run("DynamicRNN", [x, *turned, None, None, None], outputs, gate_order=order)
        found.append(outputs)
    for one, other in zip(*found, strict=True):
        close(one, other, 8)


def test_bags_know_their_owners_and_sizes() -> None:
    weight = sample((5, 3), np.dtype(np.float32))
    indices, offsets = np.array([4, 1, 1, 0], np.int32), np.array([0, 3, 3], np.int32)
    outputs = [like(3, 3), like(4, dtype=np.int32), like(3, dtype=np.int32), like(3, 3, dtype=np.int32)]
    run("EmbeddingBag", [weight, indices, offsets, None], outputs, mode="max", padding_idx=1)
    assert outputs[1].tolist() == [0, 0, 0, 2] and outputs[2].tolist() == [1, 0, 1]
    assert outputs[3].tolist() == [[4, 4, 4], [0, 0, 0], [0, 0, 0]]
    close(outputs[0], np.stack([weight[4], np.zeros(3), weight[0]]), 1)


@UNTIMED
@given(st.integers(1, 40), st.integers(1, 5000), st.sampled_from(FLOATS[:3]))
def test_rows_are_the_same_in_any_blocks(rows: int, length: int, dtype: Any) -> None:
    x = sample((rows, length), dtype)
    gamma, beta = sample((length,), dtype, 1), sample((length,), dtype, 2)
    outputs = [np.empty(x.shape, dtype), np.empty((rows, 1), dtype), np.empty((rows, 1), dtype)]
    run("LayerNormV3", [x, gamma, beta], outputs, begin_norm_axis=1, begin_params_axis=1)
    wide, scale, shift = (each.astype(np.float64) for each in (x, gamma, beta))
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * scale + shift
    close(outputs[0], want, 16)
    rms = [np.empty(x.shape, dtype), np.empty((rows, 1), np.float32)]
    run("RmsNorm", [x, gamma], rms)
    close(rms[0], wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6) * scale, 16)


@UNTIMED
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 2000), st.sampled_from(FLOATS[:3]))
def test_channels_are_the_same_in_any_blocks(batch: int, channels: int, length: int, dtype: Any) -> None:
    x = sample((batch, channels, 1, length), dtype)
    ones, zeros = np.ones(channels, np.float32), np.zeros(channels, np.float32)
    outputs = [np.empty(x.shape, dtype), *(np.empty(channels, np.float32) for _ in range(4))]
    run("BatchNormV3", [x, ones, zeros, zeros, ones], outputs)
    wide = x.astype(np.float64)
    mean, variance = wide.mean((0, 2, 3)), wide.var((0, 2, 3))
    close(outputs[3], mean, 16)
    want = (wide - mean[:, None, None]) / np.sqrt(variance[:, None, None] + 1e-5)
    np.testing.assert_allclose(outputs[0].astype(np.float64), want, atol=0.03 if dtype == BFLOAT16 else 5e-3)


@pytest.mark.parametrize("op_type", ["SoftmaxV2", "LogSoftmaxV2"])
@pytest.mark.parametrize("dtype", FLOATS[:3], ids=str)
def test_rows_on_several_threads_are_the_same(op_type: str, dtype: Any) -> None:
    x = sample((5300, 200), dtype)
    whole, parts = np.empty_like(x), np.empty_like(x)
    run(op_type, [x], [whole], axes=[1])
    for start in range(0, 5300, 100):
        run(op_type, [x[start : start + 100].copy()], [parts[start : start + 100]], axes=[1])
    assert (whole == parts).all()


def test_rows_are_normalised_alike_at_once_in_pieces_and_on_several_threads() -> None:
    x, (gamma, beta) = sample((2200, 1000), np.float32), (sample((1000,), np.float32, seed) for seed in (1, 2))
    for rows in (60, 600, 2200):
        y, mean, scale, rms = like(rows, 1000), like(rows, 1), like(rows, 1), like(rows, 1000)
        run("LayerNormV3", [x[:rows], gamma, beta], [y, mean, scale], begin_norm_axis=1, begin_params_axis=1)
        run("RmsNorm", [x[:rows], gamma], [rms, like(rows, 1)])
        if rows == 60:
            first, first_rms = y, rms
        assert np.array_equal(y[:60], first) and np.array_equal(rms[:60], first_rms)
        wide = x[rows - 1].astype(np.float64)
        close(y[-1], (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5) * gamma + beta, 16)
        close(rms[-1], wide / np.sqrt((wide**2).mean() + 1e-6) * gamma, 16)


@pytest.mark.parametrize("op_type", ["SoftmaxV2", "LogSoftmaxV2"])
@pytest.mark.parametrize("shape", [(3, 2048), (3, 2049), (2049, 3)], ids=str)
def test_few_and_many_rows_of_a_softmax(op_type: str, shape: tuple[int, int]) -> None:
    x = sample(shape, np.float32)
    x[0, 1], x[1, 0], x[2] = np.nan, -np.inf, -np.inf
    y = made(op_type, [x], shape, np.float32, axes=[1])
    with np.errstate(invalid="ignore"):
        shifted = x.astype(np.float64) - x.max(1, keepdims=True)
    total = np.exp(shifted).sum(1, keepdims=True)
    close(y, np.exp(shifted) / total if op_type == "SoftmaxV2" else shifted - np.log(total), 4)


@pytest.mark.parametrize("mean", [0.5, 5.0, 1000.0])
def test_channels_far_from_zero_keep_their_digits(mean: float) -> None:
    """A channel of one number gives the shift, whatever the number; so does a batch that is normalised by what ran along."""
    x = np.full((4, 1, 3, 3), mean, np.float32)
    params = [np.array([value], np.float32) for value in (1, 0.25, mean, 1e-4)]
    y = np.empty_like(x)
    run("BNInfer", [x, *params], [y], epsilon=1e-5)
    np.testing.assert_allclose(y, 0.25, rtol=1e-6)
    outputs = [np.empty_like(x), *(np.empty(1, np.float32) for _ in range(4))]
    run("BatchNormV3", [x, *params], outputs, is_training=True)
    np.testing.assert_allclose(outputs[0], 0.25, rtol=1e-6)


@pytest.mark.parametrize("weight", [1e-3, 0.05, 1.0, 1e4])
@pytest.mark.parametrize("mean", [0.01, 1.0, 100.0])
def test_digits_of_a_normalised_channel_do_not_depend_on_its_weight(mean: float, weight: float) -> None:
    x = (np.random.default_rng(0).standard_normal((4, 1, 3, 30)) * 0.01 + mean).astype(np.float32)
    params = [np.array([value], np.float32) for value in (weight, 0, mean, 1e-4)]
    y = np.empty_like(x)
    run("BNInfer", [x, *params], [y], epsilon=1e-5)
    whole = [value.astype(np.float64) for value in (x, *params)]
    expected = (whole[0] - whole[3]) / np.sqrt(whole[4] + 1e-5) * whole[1]
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=weight * 3e-7)
