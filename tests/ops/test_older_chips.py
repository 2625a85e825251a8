"""Functions that are composed where a chip before the 910B has no kernel of their operator (`facts.CHIPS`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
import ascendtensor.nn.functional as F
from ascendtensor import facts, simulator
from ascendtensor.codes import DataType
from ascendtensor.compiler import batch, builder
from ascendtensor.ops import basic, chips
from ascendtensor.ops.table import pooling, recurrent, reduction
from ascendtensor.runtime import device as devices
from ascendtensor.simulator.engine import profiles

X = np.random.default_rng(0).standard_normal((2, 4, 6, 8)).astype(np.float32) * 3
ODD = np.array([1.5, -2.5, np.inf, -np.inf, np.nan, 0.0], np.float32)


@pytest.fixture(params=["Ascend310B4", "Ascend310P3", "Ascend910A"])
def soc(request: pytest.FixtureRequest) -> Iterator[str]:
    devices.shutdown()
    simulator.configure(soc=request.param)
    yield request.param
    devices.shutdown()
    simulator.configure()


def standard(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def windows(x: np.ndarray) -> np.ndarray:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // 2, w // 2, 4)


CASES: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray], np.ndarray]] = {
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), lambda x: windows(x).max(-1), X),
    "max_pool2d_with_places": (lambda x: F.max_pool2d(x, 2, return_indices=True)[0], lambda x: windows(x).max(-1), X),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), lambda x: windows(x).mean(-1), X),
    "avg_pool3d": (lambda x: F.avg_pool3d(x[None], (1, 2, 2)), lambda x: windows(x).mean(-1)[None], X),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (3, 4)), lambda x: windows(x).mean(-1), X),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (3, 4)), lambda x: windows(x).max(-1), X),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), lambda x: standard(x, (0, 2, 3)), X),
    "group_norm": (lambda x: F.group_norm(x, 4), lambda x: standard(x, (2, 3)), X),
    "rms_norm": (lambda x: F.rms_norm(x, (8,)), lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True)), X),
    "max": (lambda x: at.max(x, 1).values, lambda x: x.max(1), X),
    "max_places": (lambda x: at.max(x, 1).indices, lambda x: x.argmax(1), X),
    "min_places": (lambda x: at.min(x, -1).indices, lambda x: x.argmin(-1), X),
    "argmax": (at.argmax, np.argmax, X),
    "argmin": (lambda x: at.argmin(x, 1), lambda x: x.argmin(1), X),
    "trunc": (at.trunc, np.trunc, X),
    "isfinite": (at.isfinite, np.isfinite, ODD),
    "isinf": (at.isinf, np.isinf, ODD),
    "isnan": (at.isnan, np.isnan, ODD),
    "isposinf": (at.isposinf, np.isposinf, ODD),
    "isneginf": (at.isneginf, np.isneginf, ODD),
    "nansum": (at.nansum, np.nansum, np.array([1.0, np.nan, 3.0], np.float32)),
    "diag": (at.diag, np.diag, np.arange(3, dtype=np.float32)),
    "nan_to_num": (lambda x: at.nan_to_num(x, 0.5, 9.0, -9.0), lambda x: np.nan_to_num(x, nan=0.5, posinf=9.0, neginf=-9.0), ODD),
    "unfold": (lambda x: F.unfold(x, 2, stride=2), lambda x: windows(x).reshape(2, 4, 12, 4).swapaxes(2, 3).reshape(2, 16, 12), X),
    "nearest_exact": (lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"), lambda x: x.repeat(2, 2).repeat(2, 3), X),
    "linear": (lambda x: F.interpolate(x, 3, mode="linear", align_corners=True), lambda x: x[..., [0, 3, 6]], X[0, ..., :7]),
    "bicubic": (lambda x: F.interpolate(x, (6, 8), mode="bicubic"), lambda x: x, X),
    "swiglu": (F.swiglu, lambda x: x[..., :4] / (1 + np.exp(-x[..., :4])) * x[..., 4:], X),
    "angle": (at.angle, lambda x: np.where(x < 0, np.pi, 0), X),
    "logit": (at.logit, lambda x: np.log(x / (1 - x)), np.array([0.25, 0.5, 0.75], np.float32)),
    "pdist": (at.pdist, lambda x: np.sqrt(((x[0] - x[1]) ** 2).sum(keepdims=True)), X[0, :2, 0]),
    "soft_margin_loss": (lambda x: F.soft_margin_loss(x, at.ones_like(x)), lambda x: np.log1p(np.exp(-x)).mean(), X),
    "multilabel_margin_loss": (
        lambda x: F.multilabel_margin_loss(x, at.tensor([1, 0, -1, 2])),
        lambda x: np.maximum(0, 1 - x[[1, 0]][:, None] + x[2:]).sum() / 4,
        X[0, :, 0, 0],
    ),
    "roi_align": (
        lambda x: at.vision.roi_align(x, at.tensor([[0, 0, 0, 4, 2]], dtype=x.dtype), (2, 4), aligned=True, sampling_ratio=1),
        lambda x: x[:1, :, 0:2, 0:4],
        X,
    ),
    "cummin": (lambda x: at.cummin(x, 2).values, lambda x: np.minimum.accumulate(x, 2), X),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_without_a_kernel_are_composed(soc: str, name: str) -> None:
    """op_impl/ai_core/tbe/config/<chip>/aic-<chip>-ops-info.json, CANN 8.1.RC1; the simulator refuses what is not in it."""
    function, reference, values = CASES[name]
    for dtype in (np.float32, np.float16):
        given = values.astype(dtype)
        found = function(at.tensor(given)).numpy()
        expected = reference(given.astype(np.float64) if dtype is np.float32 or name not in ("max_places", "min_places") else given)
        assert np.allclose(found, expected, rtol=2e-3 if dtype is np.float16 else 1e-5, atol=5e-3 if dtype is np.float16 else 1e-5)


def test_layers_of_lstm_cells_are_composed_on_a_310b() -> None:
    """Its DynamicRNN is for float16 (aic-ascend310b-ops-info.json, CANN 8.1.RC1)."""
    devices.shutdown()
    net = at.nn.LSTM(3, 4)
    x = at.tensor(X[0, :, :, :3])
    whole = net(x)[0].numpy()
    parameters = {name: value.numpy() for name, value in net.state_dict().items()}
    devices.shutdown()
    simulator.configure(soc="Ascend310B4")
    try:
        net = at.nn.LSTM(3, 4)
        net.load_state_dict({name: at.tensor(value) for name, value in parameters.items()})
        assert np.allclose(net(at.tensor(X[0, :, :, :3]))[0].numpy(), whole, atol=1e-6)
        assert not chips.lacks(recurrent.LSTM, at.float16) and chips.lacks(recurrent.LSTM, at.float32)
    finally:
        devices.shutdown()
        simulator.configure()


def test_running_statistics_follow(soc: str) -> None:
    mean, variance = at.zeros(4), at.ones(4)
    F.batch_norm(at.tensor(X), mean, variance, training=True, momentum=0.5)
    assert np.allclose(mean.numpy(), 0.5 * X.mean((0, 2, 3)), atol=1e-5)
    assert np.allclose(variance.numpy(), 0.5 + 0.5 * X.var((0, 2, 3), ddof=1), rtol=1e-5)


def test_what_a_chip_lacks(soc: str) -> None:
    assert chips.lacks(pooling.MAX_POOL_FOUND, at.float32)
    assert chips.lacks(reduction.MAX_DIM, at.float32) == (soc != "Ascend910A")  # the others' kernels give int32 places
    assert chips.engine(reduction.SHORT_ARGMAX, at.float32) == "aicore"
    assert chips.engine(reduction.AMAX, at.float32) == "aicore" and chips.engine(reduction.AMAX, at.float64) == "aicpu"


def test_a_910b_has_every_kernel() -> None:
    assert at.soc_name().startswith("Ascend910B") and not chips.lacks(pooling.MAX_POOL_FOUND, at.float32)
    assert [facts.family(soc) for soc in ("Ascend910B1", "Ascend910A", "Ascend310B4", "Ascend310P3", "Ascend310", "Ascend1")] == [
        *(None, "Ascend910", "Ascend310B", "Ascend310P", "Ascend310", None)
    ]


@pytest.mark.parametrize("soc", ["Ascend310B4"], indirect=True)
def test_the_basic_set_is_that_of_the_chip(soc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of kernels that are not there would be tried in vain on a board, for hours, and what is launched in their place be missing."""
    models = basic.descriptions(soc)
    lacking = {row.op_type for row in basic.rows()} - {model.op_type for model in models}
    assert lacking == {"ArgMaxWithValue", "ArgMinWithValue", "IsFinite"}
    wanted = [m for m in models if m.op_type in ("ReduceMax", "ArgMaxV2", "ArgMaxWithValue", "Cast", "Abs", "Less", "IsFinite")]
    floats = [model for model in wanted if model.inputs[0].dtype in (DataType.FLOAT, DataType.INT32) and len(model.inputs[0].shape) == 2]
    with profiles.using("soc"):
        assert not batch.compile_into(tmp_path, floats, builder("simulated", soc), 1).failures
    monkeypatch.setenv("ASCENDTENSOR_OP_MODELS", str(tmp_path))
    x = at.from_numpy(np.array([[1.0, 5.0, 2.0], [7.0, -3.0, 4.0]], np.float32))
    values, places = at.max(x, 1, keepdim=True)
    assert values.tolist() == [[5.0], [7.0]] and places.tolist() == [[1], [0]] and at.isfinite(x).shape == (2, 3)


def test_what_the_ai_cores_of_older_chips_leave_to_the_ai_cpu() -> None:
    """CANN 8.1.RC1, tbe: op_select_format of dynamic/add.py, dynamic/mul.py, dynamic/pad_v3.py and sort.py."""

    def engine(op_type: str, chip: str, dtype: str, *more: str) -> str | None:
        operator = facts.operator(op_type)
        assert operator is not None
        inputs = {"Sort": [dtype], "PadV3": [dtype, "int64", dtype]}.get(op_type, [dtype, dtype])
        return operator.engine_on(chip, inputs, [dtype, *more])

    for chip in facts.CHIPS:
        assert [engine("Add", chip, dtype) for dtype in ("float32", "float64", "int16")] == ["aicore", "aicpu", "aicpu"]
        assert engine("Mul", chip, "int64") == ("aicpu" if chip == "Ascend310" else "aicore")
        assert engine("Sort", chip, "float32", "int32") == ("aicore" if chip in ("Ascend310P", "Ascend310B") else "aicpu")
        assert engine("PadV3", chip, "float64") == "aicpu" and engine("PadV3", chip, "float16") == "aicore"
    assert engine("Add", "Ascend310", "bool") is None and engine("Add", "Ascend310B", "bool") == "aicore"
