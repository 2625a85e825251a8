"""Normalisation, losses and dropout, against NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from running import FLOATS, close, const, made, meta, ruled, run, same, sample, scalar

from ascendtensor.simulator.kernels import heavy

HALF_AND_SINGLE = pytest.mark.parametrize("dtype", FLOATS[:3], ids=str)
REDUCTIONS = pytest.mark.parametrize("reduction", ["none", "mean", "sum"])


def doubles(*arrays: np.ndarray) -> list[np.ndarray]:
    return [array.astype(np.float64) for array in arrays]


def reduced(losses: np.ndarray, reduction: str) -> Any:
    return losses if reduction == "none" else getattr(losses, reduction)()


@HALF_AND_SINGLE
@pytest.mark.parametrize("axis", [1, -1, 0])
def test_layer_norm(dtype: Any, axis: int) -> None:
    x = sample((3, 4, 16), dtype) * np.array(3, dtype)
    at = axis % 3
    gamma, beta = sample(x.shape[at:], dtype, 1), sample(x.shape[at:], dtype, 2)
    axes = tuple(range(at, 3))
    wide, scale, shift = doubles(x, gamma, beta)
    mean, variance = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    want = (wide - mean) / np.sqrt(variance + 1e-5) * scale + shift
    for op_type in ("LayerNormV3", "LayerNorm", "LayerNormV4"):
        outputs = [np.empty(x.shape, dtype), np.empty(mean.shape, dtype), np.empty(mean.shape, dtype)]
        if op_type == "LayerNormV4":
            run(op_type, [x, const(list(x.shape[at:]), dtype=np.int32), gamma, beta], outputs, epsilon=1e-5)
        else:
            run(op_type, [x, gamma, beta], outputs, begin_norm_axis=axis, begin_params_axis=axis, epsilon=1e-5)
        close(outputs[0], want, 4)
        close(outputs[1], mean, 4)
        close(outputs[2], variance if op_type == "LayerNorm" else 1 / np.sqrt(variance + 1e-5), 20 if op_type == "LayerNorm" else 4)


def test_layer_norm_of_halves_with_float32_parameters_and_in_place() -> None:
    x, gamma, beta = sample((5, 300), np.float16), np.ones(300, np.float32), np.zeros(300, np.float32)
    statistics = [np.empty((5, 1), np.float32) for _ in range(2)]
    (wide,) = doubles(x)
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    run("LayerNormV3", [x, gamma, beta], [x, *statistics], begin_norm_axis=-1, begin_params_axis=-1)
    close(x, want, 2)
    x32 = wide.astype(np.float32)
    run("LayerNormV3", [x32, gamma, beta], [x32, *statistics], begin_norm_axis=1, begin_params_axis=1)
    close(x32, want, 4)
    with pytest.raises(ValueError):
        run("LayerNormV3", [x32, gamma[:3], beta], [x32, *statistics], begin_norm_axis=1, begin_params_axis=1)
    with pytest.raises(ValueError):
        run("LayerNormV3", [x32, gamma, beta], [x32, *statistics], begin_norm_axis=2, begin_params_axis=1)


def log_softmax(x: np.ndarray) -> np.ndarray:
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax_cross_entropy(dtype: Any) -> None:
    x = sample((6, 9), dtype) * np.array(4, dtype)
    classes = np.array([0, 3, 8, 2, 2, 5])
    labels = np.eye(9)[classes].astype(dtype)
    logs = log_softmax(x.astype(np.float64))
    want, gradient = -logs[np.arange(6), classes], np.exp(logs) - labels.astype(np.float64)
    outputs = [np.empty(6, dtype), np.empty((6, 9), dtype)]
    run("SoftmaxCrossEntropyWithLogits", [x, labels], outputs)
    close(outputs[0], want, 4)
    close(outputs[1], gradient, 4)
    if dtype != FLOATS[1]:
        run("SparseSoftmaxCrossEntropyWithLogits", [x, classes.astype(np.int32)], outputs)
        close(outputs[0], want, 4)
        close(outputs[1], gradient, 4)
        for wrong in (classes + 1, classes - 1):
            with pytest.raises(IndexError):
                run("SparseSoftmaxCrossEntropyWithLogits", [x, wrong], outputs)


def test_softmax_cross_entropy_of_large_logits() -> None:
    outputs = [np.empty(1, np.float32), np.empty((1, 2), np.float32)]
    run("SoftmaxCrossEntropyWithLogits", [np.array([[1e4, -np.inf]], np.float32), np.array([[1, 0]], np.float32)], outputs)
    same(outputs[0], [0])
    same(outputs[1], [[0, 0]])


@pytest.mark.parametrize("dtype", FLOATS[1:3], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@REDUCTIONS
def test_nll_loss_and_its_gradient(dtype: Any, weighted: bool, reduction: str) -> None:
    x, weight = sample((6, 5), dtype), np.abs(sample((5,), dtype, 1))
    target = np.array([0, 4, -100, 2, 2, 3])
    factors = np.where(target >= 0, (weight if weighted else np.ones(5, dtype)).astype(np.float64)[target % 5], 0)
    losses = -x.astype(np.float64)[np.arange(6), target % 5] * factors
    want = losses if reduction == "none" else losses.sum() / (factors.sum() if reduction == "mean" else 1)
    y, total = np.empty(np.shape(want), dtype), np.empty((), dtype)
    run("NLLLoss", [x, target, *([weight] if weighted else [])], [y, total], reduction=reduction)
    close(y, want, 4)
    close(total, factors.sum(), 4)
    ones = np.ones(y.shape, dtype)
    gradient = np.zeros((6, 5))
    gradient[np.arange(6), target % 5] = -factors / (factors.sum() if reduction == "mean" else 1)
    given = weight if weighted else np.ones(5, dtype)
    close(made("NLLLossGrad", [x, ones, target.astype(np.int32), given, total], (6, 5), dtype, reduction=reduction), gradient, 4)


def test_nll_loss_edges() -> None:
    x, y, total = np.zeros((2, 3), np.float32), np.empty((), np.float32), np.empty((), np.float32)
    run("NLLLoss", [x, np.array([-100, -100])], [y, total])
    assert np.isnan(y) and total == 0
    with pytest.raises(IndexError):
        run("NLLLoss", [x, np.array([0, 3])], [y, total])
    with pytest.raises(ValueError):
        run("NLLLoss", [x, np.array([0, 1])], [y, total], reduction="median")
    run("NLLLoss", [x[0] - 2, np.array(1)], [y, total])
    assert y == 2


@pytest.mark.parametrize("rows", [1, 2048, 2049])
@pytest.mark.parametrize("ignored", [-100, 2], ids=["out of the classes", "a class"])
def test_nll_loss_of_few_and_many_rows(rows: int, ignored: int) -> None:
    x, weight = sample((rows, 7), np.float32) - 4, np.array([1, 2, 0.5, 3, 1, 0, 1], np.float32)
    target = np.random.default_rng(1).integers(0, 7, rows)
    for impossible in (False, True):  # minus infinity counts for nothing where its weight is 0
        x[:, 5] = -np.inf if impossible else x[:, 5]
        factors = np.where(target == ignored, 0, weight[target]).astype(np.float64)
        losses = factors * np.where(factors == 0, 0, -x[np.arange(rows), target].astype(np.float64))
        y, total = np.empty((), np.float32), np.empty((), np.float32)
        for reduction, want in (("mean", losses.sum() / factors.sum()), ("sum", losses.sum())):
            run("NLLLoss", [x, target.astype(np.int32), weight], [y, total], reduction=reduction, ignore_index=ignored)
            close(y, want, 4)
            close(total, factors.sum(), 4)
    with pytest.raises(IndexError):
        run("NLLLoss", [x, np.full(rows, -1), weight], [y, total], ignore_index=ignored)


@HALF_AND_SINGLE
@REDUCTIONS
def test_losses_element_by_element(dtype: Any, reduction: str) -> None:
    x, y = sample((40, 3), dtype), sample((40, 3), dtype, 1)
    a, b = doubles(x, y)
    far = np.abs(a - b)
    p, t = np.abs(sample((40, 3), np.float64)) % 1, np.abs(sample((40, 3), np.float64, 1)) % 1
    probs, targets = p.astype(dtype), t.astype(dtype)
    p, t = doubles(probs, targets)
    entropy = -t * np.maximum(np.log(p), -100) - (1 - t) * np.maximum(np.log1p(-p), -100)
    logits = np.log1p(np.exp(-np.abs(a))) + np.maximum(-a, 0)
    weight = np.abs(sample((3,), dtype, 4))
    (w,) = doubles(weight)
    cases = [
        ("MseLoss", [x, y], {}, far**2),
        ("LpLoss", [x, y], {"p": 1}, far),
        ("SmoothL1LossV2", [x, y], {"sigma": 0.5}, np.where(far < 0.5, far**2, far - 0.25)),
        ("SmoothL1LossV2", [x, y], {"sigma": 0.0}, far),
        ("BinaryCrossEntropy", [probs, targets], {}, entropy),
        ("BinaryCrossEntropy", [probs, targets, weight], {}, entropy * w),
        ("KLDivV2", [x, targets], {}, t * (np.log(t) - a)),
        ("KLDivV2", [x, y], {"log_target": True}, np.exp(b) * (b - a)),
        ("SigmoidCrossEntropyWithLogitsV2", [x, targets], {}, (1 - t) * a + logits),
        ("SigmoidCrossEntropyWithLogitsV2", [x, targets, weight, weight], {}, w * ((1 - t) * a + (1 + (w - 1) * t) * logits)),
    ]
    for op_type, inputs, attrs, losses in cases:
        want = reduced(losses, reduction)
        close(made(op_type, inputs, np.shape(want), dtype, reduction=reduction, **attrs), want, 8)


def test_loss_edges() -> None:
    zero_one = np.array([0, 1], np.float32)
    same(made("BinaryCrossEntropy", [zero_one, zero_one], (2,), np.float32, reduction="none"), [0, 0])
    same(made("BinaryCrossEntropy", [zero_one, 1 - zero_one], (2,), np.float32, reduction="none"), [100, 100])
    with pytest.raises(ValueError):
        made("BinaryCrossEntropy", [zero_one + 1, zero_one], (2,), np.float32, reduction="none")
    same(made("KLDivV2", [zero_one, zero_one * 0], (2,), np.float32, reduction="none"), [0, 0])
    x = sample((4, 3), np.float32)
    want = made("KLDivV2", [x, np.abs(x)], (), np.float32, reduction="sum") / 4
    same(made("KLDivV2", [x, np.abs(x)], (), np.float32, reduction="batchmean"), want)
    same(made("KLDiv", [x, np.abs(x)], (), np.float32, reduction="batchmean"), want)
    assert np.isnan(made("MseLoss", [x[:0], x[:0]], (), np.float32))
    same(made("MseLoss", [x[:0], x[:0]], (), np.float32, reduction="sum"), 0)
    close(made("MseLoss", [x[0, 0].reshape(()), x[0, 1].reshape(())], (), np.float32, reduction="none"), (x[0, 0] - x[0, 1]) ** 2)
    large = np.array([200, -200], np.float32)
    close(made("SigmoidCrossEntropyWithLogits", [large, zero_one], (2,), np.float32), [200, 200])
    with pytest.raises(ValueError):
        made("MseLoss", [x, x], (4, 3), np.float32, reduction="max")
    with pytest.raises(ValueError):
        made("LpLoss", [x, x], (), np.float32, p=2)


@pytest.mark.parametrize("dtype", [FLOATS[0], FLOATS[2]], ids=str)
def test_dropout_by_bytes(dtype: Any) -> None:
    x, mask = sample((4, 5), dtype), sample((4, 5), np.bool_)
    want = np.where(mask, x.astype(np.float64) / 0.75, 0)
    close(made("DropOutDoMaskV3", [x, mask.astype(np.uint8), scalar(0.75, dtype)], x.shape, dtype), want)
    close(made("DropOutDoMaskV3D", [x, mask], x.shape, dtype, keep_prob=0.75), want)
    same(made("DropOutDoMaskV3D", [x * np.array(np.nan, dtype), mask & False], x.shape, dtype, keep_prob=0.0), np.zeros((4, 5)))
    with pytest.raises(ValueError):
        made("DropOutDoMask", [np.zeros(200, dtype), np.zeros(16, np.uint8), scalar(0.5, dtype)], (200,), dtype)


def test_rules_pass_unknown_dims_on() -> None:
    x = meta(np.float32, -1, 3)
    assert ruled("LayerNormV3", [x, meta(np.float32, 3), meta(np.float32, 3)], 3, begin_norm_axis=1) == [(-1, 3), (-1, 1), (-1, 1)]
    assert ruled("SoftmaxCrossEntropyWithLogits", [x, x], 2) == [(-1,), (-1, 3)]
    assert ruled("NLLLoss", [x, meta(np.int64, 4)], 2, reduction="none") == [(4,), ()]
    assert ruled("MseLoss", [x, x]) == [()]
    assert ruled("MseLoss", [x, x], reduction="none") == [(-1, 3)]


@pytest.mark.parametrize("rows", [256, 257])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_losses_of_what_fits_the_cache_and_more(rows: int, reduction: str) -> None:
    x, y = sample((rows, 256), np.float32), sample((256,), np.float32, 1)
    want = (x.astype(np.float64) - y) ** 2
    close(made("MseLoss", [x, y], (), np.float32, reduction=reduction), reduced(want, reduction), 4)
    close(made("LpLoss", [y, x], (), np.float32, p=1, reduction=reduction), reduced(np.sqrt(want), reduction), 4)


def test_logarithms_of_shares_are_rounded_once_or_twice() -> None:
    """What softplus, logsigmoid, logaddexp and the losses of logits are made of."""
    u = np.linspace(0, 1, 100_001, dtype=np.float32)
    found = u.copy()
    heavy.log1p_of_share(found)
    np.testing.assert_allclose(found, np.log1p(u.astype(np.float64)), 1.2e-7)
