"""Gradients against finite differences of the function in float64; other forms of operators against the operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from running import BFLOAT16, made

F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
TOLERANCE = {F16: 4e-3, BFLOAT16: 3e-2, F32: 2e-5, F64: 1e-6}
SELU = 1.0507009873554805


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def elu(x: Any) -> Any:
    return np.where(x > 0, x, np.expm1(x))


def selu(x: Any) -> Any:
    return SELU * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def shrink(x: Any) -> Any:
    return np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)


def hard_swish(x: Any) -> Any:
    return x * np.clip(x + 3, 0, 6) / 6


def mish(x: Any) -> Any:
    return x * np.tanh(np.log1p(np.exp(x)))


# name: function, order of the inputs (d: incoming gradient, x: operand, y: result), range, attributes
GRADIENTS: dict[str, tuple[Any, str, tuple[float, float], dict[str, Any]]] = {
    "AbsGrad": (np.abs, "xd", (-4, 4), {}),
    "AcosGrad": (np.arccos, "xd", (-0.9, 0.9), {}),
    "AcoshGrad": (np.arccosh, "yd", (1.5, 4), {}),
    "AsinGrad": (np.arcsin, "xd", (-0.9, 0.9), {}),
    "AsinhGrad": (np.arcsinh, "yd", (-4, 4), {}),
    "AtanGrad": (np.arctan, "xd", (-4, 4), {}),
    "EluGrad": (elu, "dy", (-4, 4), {}),
    "GeluGrad": (gelu, "dxy", (-3, 3), {}),
    "HardShrinkGrad": (lambda x: np.where(np.abs(x) > 0.5, x, 0), "dx", (-2, 2), {"lambd": 0.5}),
    "HardSigmoidGrad": (lambda x: np.clip(x / 6 + 0.5, 0, 1), "dx", (-4, 4), {}),
    "HardSwishGrad": (hard_swish, "dx", (-5, 5), {}),
    "HardtanhGrad": (lambda x: np.clip(x, -1, 1), "xd", (-2, 2), {}),
    "InvGrad": (np.reciprocal, "yd", (0.5, 4), {}),
    "LeakyReluGrad": (lambda x: np.where(x > 0, x, 0.25 * x), "dx", (-4, 4), {"negative_slope": 0.25}),
    "LogSigmoidGrad": (lambda x: np.log(sigmoid(x)), "dx", (-4, 4), {}),
    "LogitGrad": (lambda x: np.log(x / (1 - x)), "xd", (0.1, 0.9), {}),
    "MishGrad": (mish, "dx", (-4, 4), {}),
    "ReciprocalGrad": (np.reciprocal, "yd", (-4, -0.5), {}),
    "Relu6Grad": (lambda x: np.clip(x, 0, 6), "dx", (-2, 8), {}),
    "RsqrtGrad": (lambda x: 1 / np.sqrt(x), "yd", (0.5, 4), {}),
    "SeluGrad": (selu, "dy", (-4, 4), {}),
    "SiluGrad": (lambda x: x * sigmoid(x), "dx", (-4, 4), {}),
    "SoftShrinkGrad": (shrink, "dx", (-2, 2), {"lambd": 0.5}),
    "SoftplusGrad": (lambda x: np.log1p(np.exp(x)), "dx", (-4, 4), {}),
    "SoftplusV2Grad": (lambda x: np.log1p(np.exp(2 * x)) / 2, "dx", (-4, 4), {"beta": 2.0}),
    "SoftsignGrad": (lambda x: x / (1 + np.abs(x)), "dx", (-4, 4), {}),
    "SqrtGrad": (np.sqrt, "yd", (0.5, 4), {}),
    "SwishGrad": (lambda x: x * sigmoid(2 * x), "dxy", (-4, 4), {"scale": 2.0}),
    "ThresholdGradV2D": (lambda x: np.where(x > 1, x, 7), "dx", (-4, 4), {"threshold": 1.0}),
}
LARGE = (70001,)
KINKS = np.array([-3, -1, -0.5, 0, 0.5, 1, 3, 6])


@pytest.mark.parametrize("dtype", [F16, BFLOAT16, F32, F64], ids=str)
@pytest.mark.parametrize("op_type", GRADIENTS)
def test_gradients_are_finite_differences(op_type: str, dtype: np.dtype[Any]) -> None:
    function, order, (low, high), attrs = GRADIENTS[op_type]
    rng = np.random.default_rng(7)
    step = 1e-6
    for shape in ((), (7,), (3, 5), (0,), LARGE if dtype == F16 else (2,)):
        x = np.asarray(rng.uniform(low, high, shape)).astype(dtype)
        smooth = np.abs(x.astype(float)[..., None] - KINKS).min(-1) > 1e-3  # elsewhere differences say nothing
        incoming = np.asarray(rng.uniform(0.5, 2, shape)).astype(dtype)
        given = {"x": x, "d": incoming, "y": np.asarray(function(x.astype(float))).astype(dtype)}
        with np.errstate(all="ignore"):
            slope = (function(x.astype(float) + step) - function(x.astype(float) - step)) / (2 * step)
        steep = 1 + (np.abs(slope) if "y" in order else 0)  # a rounded result gives a rounded slope
        got = made(op_type, [given[name] for name in order], x.shape, dtype, **attrs)
        error = np.abs(got.astype(float) - slope * incoming.astype(float))
        assert (error <= TOLERANCE[dtype] * steep * (1 + 4 * np.abs(slope)))[smooth].all(), shape


def test_gradients_refuse_other_shapes_and_integers() -> None:
    x = np.ones(3, np.float32)
    with pytest.raises(ValueError, match="differ"):
        made("SiluGrad", [x, np.ones(4, np.float32)], (3,), np.float32)
    with pytest.raises((TypeError, ValueError), match="no kernel"):
        made("InvGrad", [x.astype(np.int32)] * 2, (3,), np.int32)


def test_limits_of_logit_and_the_given_tanh_of_mish() -> None:
    x, dy = np.array([-0.5, 0.05, 0.5, 1.5], np.float32), np.ones(4, np.float32)
    assert np.isnan(made("LogitGrad", [x, dy], (4,), np.float32)).tolist() == [True, False, False, True]
    np.testing.assert_array_equal(made("LogitGrad", [x, dy], (4,), np.float32, eps=0.1), [0, 0, 4, 0])
    tanh = np.tanh(np.log1p(np.exp(x)))
    np.testing.assert_allclose(made("MishGrad", [dy, x, tanh], (4,), np.float32), made("MishGrad", [dy, x], (4,), np.float32), rtol=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_gradients_of_losses(reduction: str) -> None:
    rng = np.random.default_rng(1)
    predict, label, dout = (rng.normal(0, 2, (3, 4)).astype(np.float32) for _ in range(3))
    count = 12 if reduction == "mean" else 1
    got = made("MseLossGrad", [predict, label, dout], (3, 4), np.float32, reduction=reduction)
    np.testing.assert_allclose(got, 2 * (predict - label) * dout / count, rtol=1e-6)
    got = made("SmoothL1LossGradV2", [predict, label, dout], (3, 4), np.float32, reduction=reduction, sigma=0.5)
    np.testing.assert_allclose(got, np.clip((predict - label) / 0.5, -1, 1) * dout / count, rtol=1e-5)


@pytest.mark.parametrize(
    ("op_type", "ufunc"),
    [
        ("ReduceSumD", np.sum),
        ("ReduceMaxD", np.max),
        ("ReduceMinD", np.min),
        ("ReduceProdD", np.prod),
        ("ReduceMeanD", np.mean),
        ("ReduceAllD", np.all),
        ("ReduceAnyD", np.any),
    ],
)
def test_reductions_with_axes_as_attributes(op_type: str, ufunc: Any) -> None:
    x = np.random.default_rng(3).normal(0, 1, (2, 3, 4)).astype(np.float32)
    x = x > 0 if op_type in ("ReduceAllD", "ReduceAnyD") else x
    for axes, keep in (((1,), False), ((0, -1), True), ((), False)):
        want = np.asarray(ufunc(x, axis=axes or None, keepdims=keep))
        np.testing.assert_allclose(made(op_type, [x], want.shape, x.dtype, axes=list(axes), keep_dims=keep), want, rtol=1e-5)


def test_sums() -> None:
    rng = np.random.default_rng(4)
    a, b, c = (rng.normal(0, 1, (2, 3, 4)).astype(np.float32) for _ in range(3))
    np.testing.assert_allclose(made("AddN", [a, b, c], a.shape, a.dtype, N=3), a + b + c, rtol=1e-6)
    np.testing.assert_array_equal(made("AccumulateNV2", [a, b], a.shape, a.dtype, N=2), a + b)
    half = [array.astype(np.float16) for array in (a, b, c)]
    want = sum(array.astype(np.float32) for array in half).astype(np.float16)  # type: ignore[union-attr]
    np.testing.assert_array_equal(made("AddN", half, a.shape, F16, N=3), want)
    with pytest.raises(ValueError, match="N is 2, 3"):
        made("AddN", [a, b, c], a.shape, a.dtype, N=2)
    np.testing.assert_array_equal(made("AddV2", [a, b[:, :1]], a.shape, a.dtype), a + b[:, :1])
    zero = np.array([0, 1, 0], np.float32)
    np.testing.assert_array_equal(made("MulNoNan", [np.array([np.nan, 2, np.inf], np.float32), zero], (3,), F32), [0, 2, 0])
    np.testing.assert_array_equal(made("BiasAdd", [a, a[0, 0]], a.shape, a.dtype), a + a[0, 0])
    np.testing.assert_array_equal(made("BiasAdd", [a, a[0, :, 0]], a.shape, a.dtype, data_format="NCHW"), a + a[0, :, :1])
    with pytest.raises(ValueError, match="does not fit axis"):
        made("BiasAdd", [a, a[0, 0]], a.shape, a.dtype, data_format="NCHW")
    np.testing.assert_allclose(made("BiasAddGrad", [a], (4,), F32), a.sum((0, 1)), rtol=1e-5)
    np.testing.assert_allclose(made("BiasAddGrad", [a.astype(F16)], (3,), F32, data_format="NCHW"), a.sum((0, 2)), rtol=2e-2, atol=1e-2)
    np.testing.assert_allclose(made("L2Loss", [a], (), F32), (a * a).sum() / 2, rtol=1e-5)
    np.testing.assert_array_equal(made("CumsumD", [a], a.shape, F32, axis=1, reverse=True), np.cumsum(a[:, ::-1], 1)[:, ::-1])


def test_updates_in_place() -> None:
    var, value = np.arange(6, dtype=np.float32), np.full(6, 2.0, np.float32)
    np.testing.assert_array_equal(made("Assign", [var, value], (6,), F32), value)
    np.testing.assert_array_equal(made("AssignAdd", [var, value.astype(F16)], (6,), F32), var + 2)
    np.testing.assert_array_equal(made("AssignSub", [var, value], (6,), F32), var - 2)
    np.testing.assert_array_equal(made("ApplyGradientDescent", [var, np.array(0.5, F32), value], (6,), F32), var - 1)
    with pytest.raises(ValueError, match="differ"):
        made("Assign", [var, value[:3]], (6,), F32)
