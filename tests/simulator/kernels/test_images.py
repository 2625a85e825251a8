"""Kernels of images: what the chip's would refuse, block by block and all at once, layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from running import const, defaults, made, meta, ruled, run, same, sample

from ascendtensor.simulator.engine import compile as compiling
from ascendtensor.simulator.kernels import convolution, depthwise, lookup, pooling, resampling, threads, windows
from ascendtensor.simulator.kernels.registry import BFLOAT16

CONV = {"strides": [1, 1, 1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1, 1, 1], "groups": 1, "data_format": "NCHW"}
POOL = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2]}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"strides": [1, 1, 64, 1]}, "strides"),
        ({"dilations": [1, 1, 256, 1]}, "dilations"),
        ({"pads": [256, 0, 0, 0]}, "pads"),
        ({"strides": [1, 2, 1, 1]}, "strides"),
        ({"groups": 2}, "groups"),
        ({"data_format": "NHWC"}, "NCHW"),
    ],
)
def test_a_convolution_beyond_the_chips_limits_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ruled("Conv2D", [meta(np.float32, 1, 3, 300, 300), meta(np.float32, 4, 3, 2, 2)], **{**CONV, **changed})


def test_convolution_rules_pass_unknown_dims_on() -> None:
    assert ruled("Conv2D", [meta(np.float32, -1, 3, -1, 8), meta(np.float32, 4, 3, 3, 3)], **CONV) == [(-1, 4, -1, 6)]
    size = meta(np.int32, 4)
    assert ruled("Conv2DBackpropInput", [size, meta(np.float32, 4, 3, 3, 3), meta(np.float32, 1, 4, 6, 6)], **CONV) == [(-1, -1, -1, -1)]
    assert ruled("MaxPoolV3", [meta(np.float32, 1, 2, -1, 6)], **POOL) == [(1, 2, -1, 3)]
    assert ruled("ResizeBilinearV2", [meta(np.float32, 1, 2, 3, 4), meta(np.int32, 2)]) == [(1, 2, -1, -1)]


def test_a_window_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no window of 5"):
        ruled("Conv2D", [meta(np.float32, 1, 1, 4, 4), meta(np.float32, 1, 1, 5, 5)], **CONV)
    with pytest.raises(ValueError, match="places of a window"):
        ruled("MaxPoolV3", [meta(np.float32, 1, 1, 40, 40)], ksize=[1, 1, 16, 16], strides=[1, 1, 1, 1])


def test_a_bias_of_another_type_is_refused() -> None:
    operands = [meta(np.float16, 1, 1, 4, 4), meta(np.float16, 1, 1, 2, 2), meta(np.float32, 1)]
    with pytest.raises(ValueError, match="bias"):
        ruled("Conv2D", operands, **CONV)


def description(layout: str) -> dict[str, Any]:
    def tensor(*shape: int) -> dict[str, Any]:
        return {"format": layout, "type": "float", "shape": list(shape)}

    names = {"strides": "list_int", "pads": "list_int", "dilations": "list_int", "groups": "int", "data_format": "string"}
    attrs = [{"name": name, "type": kind, "value": CONV[name]} for name, kind in names.items()]
    inputs = [tensor(1, 1, 4, 4), tensor(1, 1, 2, 2)]
    return {"op": "Conv2D", "input_desc": inputs, "output_desc": [tensor(1, 1, 3, 3)], "attr": attrs}


def test_images_have_to_say_that_they_are() -> None:
    compiling.model_of(description("NCHW"))
    with pytest.raises(compiling.CompileFailure, match=r"format \[ND\].*takes \[NCHW\]"):
        compiling.model_of(description("ND"))


@pytest.mark.parametrize("groups", [1, 3, 6])
def test_blocks_and_both_cores_change_nothing(monkeypatch: pytest.MonkeyPatch, groups: int) -> None:
    x, weight = sample((3, 6, 9, 8), np.float32), sample((6, 6 // groups, 3, 2), np.float32)
    attrs = {**CONV, "pads": [1, 0, 2, 1], "strides": [1, 1, 2, 1], "groups": groups}
    size, grad = const(*x.shape).astype(np.int32), sample((3, 6, 4, 10), np.float32)
    size.flags.writeable = False

    def results() -> list[Any]:
        return [
            made("Conv2D", [x, weight], grad.shape, np.float32, **attrs),
            made("Conv2DBackpropInput", [size, weight, grad], x.shape, np.float32, **attrs),
        ]

    whole = results()
    monkeypatch.setattr(convolution, "_COLUMNS", 64)
    monkeypatch.setattr(convolution, "_FEWEST", 3)
    monkeypatch.setattr(convolution, "_LARGE", 0)
    monkeypatch.setattr(threads, "_cores", lambda: 2)
    for found, expected in zip(results(), whole, strict=True):
        np.testing.assert_allclose(found, expected, 1e-5, 1e-4)


def test_no_images_make_no_windows() -> None:
    x, weight, size = np.zeros((0, 3, 5, 5), np.float32), sample((2, 3, 3, 3), np.float32), const(2, 3, 3, 3).astype(np.int32)
    size.flags.writeable = False
    assert made("Conv2D", [x, weight], (0, 2, 3, 3), np.float32, **CONV).size == 0
    grad = made("Conv2DBackpropFilter", [x, size, np.zeros((0, 2, 3, 3), np.float32)], weight.shape, np.float32, **CONV)
    same(grad, np.zeros_like(weight))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(
    ("shape", "kernel", "changed"),
    [
        ((3, 4, 6, 7), (3, 3), {}),
        ((3, 4, 6, 7), (2, 3), {"pads": [1, 0, 2, 1], "dilations": [1, 1, 2, 2], "groups": 2}),
        ((1, 4, 6, 7), (3, 2), {"groups": 4}),
        ((2, 4, 4, 5, 6), (2, 3, 3), {"pads": [1, 1, 0, 1, 2, 0]}),
    ],
)
def test_long_runs_give_what_single_windows_do(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], kernel: tuple[int, ...], changed: dict[str, Any], dtype: Any
) -> None:
    rank = len(kernel)
    attrs = {"strides": [1] * (rank + 2), "pads": [0] * 2 * rank, "dilations": [1] * (rank + 2), "groups": 1, **changed}
    attrs["data_format"] = "NCHW" if rank == 2 else "NCDHW"
    x, weight = sample(shape, dtype), sample((8, 4 // attrs["groups"], *kernel), dtype)
    x[-1, 0, 0, 0], x[0, -1, -1, -1] = np.nan, np.inf  # what lies next to an image's end stays out of it
    bias = sample((8,), dtype)
    (out,) = ruled(f"Conv{rank}D", [meta(dtype, *shape), meta(dtype, *weight.shape)], **attrs)
    single = _made_with(monkeypatch, 0, rank, [x, weight, bias], out, attrs)
    for blocks in (1 << 19, 200):
        monkeypatch.setattr(convolution, "_COLUMNS", blocks)
        long = _made_with(monkeypatch, 1 << 30, rank, [x, weight, bias], out, attrs)
        np.testing.assert_array_equal(np.isnan(long), np.isnan(single))
        np.testing.assert_allclose(long, single, 1e-2 if dtype == np.float16 else 1e-5, 1e-2 if dtype == np.float16 else 1e-4)


def _made_with(monkeypatch: pytest.MonkeyPatch, between: int, rank: int, operands: list[Any], out: Any, attrs: dict[str, Any]) -> Any:
    monkeypatch.setattr(convolution, "_BETWEEN", between)
    return made(f"Conv{rank}D", operands, out, operands[0].dtype, **attrs)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BFLOAT16])
@pytest.mark.parametrize(
    ("shape", "filters", "kernel", "changed"),
    [
        ((3, 4, 9, 26), 4, (3, 3), {}),
        ((2, 4, 7, 30), 8, (3, 2), {"pads": [1, 0, 2, 1]}),
        ((1, 6, 12, 61), 6, (3, 5), {"pads": [2, 2, 3, 3], "strides": [1, 1, 2, 2], "dilations": [1, 1, 1, 2]}),
        ((2, 3, 10, 40), 3, (2, 4), {"dilations": [1, 1, 2, 3], "pads": [0, 3, 5, 0]}),
        ((0, 3, 10, 40), 3, (3, 3), {}),
    ],
)
def test_depthwise_rows_made_together_give_what_single_windows_do(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], filters: int, kernel: tuple[int, int], changed: dict[str, Any], dtype: Any
) -> None:
    attrs = {**CONV, "groups": shape[1], **changed}
    x, weight, bias = sample(shape, dtype), sample((filters, 1, *kernel), dtype), sample((filters,), dtype)
    if dtype == BFLOAT16:
        bias = bias.astype(np.float32)
    (out,) = ruled("Conv2D", [meta(dtype, *shape), meta(dtype, *weight.shape)], **attrs)
    tolerance = {np.float32: 1e-5, np.float16: 2e-3}.get(dtype, 1e-2)
    for bad in (None, np.nan, np.inf):
        if bad is not None and x.size:
            x[-1, -1, 4, 7] = bad  # stays within the windows that hold it
        monkeypatch.setattr(depthwise, "_LEAST", 1 << 30)
        single = made("Conv2D", [x, weight, bias], out, dtype, **attrs).astype(np.float64)
        monkeypatch.setattr(depthwise, "_HIGH", 1)
        monkeypatch.setattr(depthwise, "_LEAST", 1)
        monkeypatch.setattr(depthwise, "_LARGE", 0)
        monkeypatch.setattr(threads, "_cores", lambda: 2)
        for room in (1 << 18, 4000, 1):
            monkeypatch.setattr(depthwise, "_ROOM", room)
            rows = made("Conv2D", [x, weight, bias], out, dtype, **attrs).astype(np.float64)
            np.testing.assert_array_equal(np.isfinite(rows), np.isfinite(single))
            np.testing.assert_allclose(rows, single, tolerance, tolerance)


def test_rows_of_depthwise_convolutions_are_made_together_where_it_pays() -> None:
    def found(image: tuple[int, int], kernel: tuple[int, int], inputs: int = 1, **changed: tuple[int, int]) -> bool:
        sizes = {"stride": (1, 1), "dilation": (1, 1), **changed}
        out = tuple(size - gap * (places - 1) for size, places, gap in zip(image, kernel, sizes["dilation"], strict=True))
        places = windows.Windows(image, kernel, sizes["stride"], sizes["dilation"], ((0, 0), (0, 0)), out)
        return depthwise.pays(np.empty((8, inputs, *kernel), np.float32), places)

    assert found((56, 56), (5, 3))
    assert not found((56, 56), (5, 3), inputs=2)
    assert not found((56, 10), (5, 3))
    assert not found((56, 90), (3, 3))
    assert not found((56, 90), (5, 3), dilation=(4, 1))


def test_blocks_of_pools_and_resizes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sample((2, 5, 6, 6), np.float32)
    deep, size = x.reshape(2, 5, 1, 6, 6), const(9, 4).astype(np.int32)
    size.flags.writeable = False

    def results() -> list[Any]:
        return [
            made("MaxPoolV3", [x], (2, 5, 3, 3), np.float32, **POOL),
            made("AvgPool3D", [deep], (2, 5, 1, 3, 3), np.float32, ksize=[1, 2, 2], strides=[1, 2, 2], pads=[0] * 6, data_format="NCDHW"),
            made("ResizeBilinearV2", [x, size], (2, 5, 9, 4), np.float32, half_pixel_centers=True),
        ]

    whole = results()  # pools of few elements are bound step by step
    monkeypatch.setattr(pooling, "_FEW", 0)
    for module in (pooling, resampling):
        monkeypatch.setattr(module, "_BLOCK", 40)
        monkeypatch.setattr(module, "_LARGE", 0)
    monkeypatch.setattr(threads, "_cores", lambda: 3)
    for found, expected in zip(results(), whole, strict=True):
        same(found, expected)


CONTENTS = {
    "no sign": np.abs,
    "signs": np.negative,
    "infinities": lambda x: np.where(x < 0.3, -np.inf, x),
    "NaN": lambda x: np.where(np.abs(x) < 0.1, np.nan, x),
    "-NaN": lambda x: np.where(np.abs(x) < 0.1, -np.nan, x),
    "zeros": lambda x: np.where(x < 0, -0.0, 0.0),
}


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
@pytest.mark.parametrize("contents", CONTENTS)
@pytest.mark.parametrize("block", [40, pooling._BLOCK])
def test_the_largest_halves_are_those_of_float32(dtype: np.dtype[Any], contents: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "_BLOCK", block)
    x = CONTENTS[contents](sample((3, 4, 6, 7), np.float32)).astype(dtype)
    pools = [POOL, {**POOL, "ksize": [1, 1, 3, 2], "pads": [1, 1, 0, 1]}, {**POOL, "ksize": [1, 1, 1, 1], "pads": [0, 0, 3, 0]}]
    for attrs in pools:
        (shape,) = ruled("MaxPoolV3", [x], **attrs)
        got = made("MaxPoolV3", [x], shape, dtype, **attrs)
        same(got, made("MaxPoolV3", [x.astype(np.float32)], shape, np.float32, **attrs))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("kernel", [(1, 1), (2, 1), (1, 3), (2, 2)])
def test_a_bound_pool_sees_what_its_operand_has_become(kernel: tuple[int, int], dtype: Any) -> None:
    x, shape = sample((2, 3, 7, 9), dtype), (2, 3, 7 // kernel[0], 9 // kernel[1])
    out = np.empty(shape, dtype)
    pool = lookup("MaxPoolV3")
    assert pool is not None
    fn, args = pool.bind([x], [out], defaults("MaxPoolV3", {"ksize": [1, 1, *kernel], "strides": [1, 1, *kernel]}))
    for seed in range(3):
        x[...] = np.random.default_rng(seed).standard_normal(x.shape) if seed < 2 else 2.0
        x[0, 0, 0, 0] = np.nan
        fn(*args)
        cut = x[:, :, : shape[2] * kernel[0], : shape[3] * kernel[1]]
        same(out, cut.reshape(2, 3, shape[2], kernel[0], shape[3], kernel[1]).max((3, 5)))


def test_a_failure_in_one_part_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 2)

    def work(start: int, stop: int) -> None:
        if start:
            raise ValueError("second part")

    with pytest.raises(ValueError, match="second part"):
        threads.shared(4, work, True)


@pytest.mark.parametrize("number", [1, 2, 4, 5, 8])
def test_adaptive_pools_are_those_of_each_window(number: int) -> None:
    """Windows of one size and of several; what is infinite in one of them stays there."""
    x = np.random.default_rng(0).integers(-4, 5, (2, 3, 1, 8, 12)).astype(np.float32)
    bounds = [[(at * size // number, -(-(at + 1) * size // number)) for at in range(number)] for size in (8, 12)]
    windows = [[x[..., a:b, c:d] for c, d in bounds[1]] for a, b in bounds[0]]
    want = np.array([[window.mean((2, 3, 4)) for window in row] for row in windows]).transpose(2, 3, 0, 1)[:, :, None]
    shape = (2, 3, 1, number, number)
    size = {"output_size": [1, number, number]}
    out = np.empty(shape, np.float32)
    run("AdaptiveAvgPool3d", [x], [out], **size, data_format="NCDHW")
    np.testing.assert_allclose(out, want, rtol=1e-6, atol=1e-6)
    found = np.empty(shape, np.int32)
    run("AdaptiveMaxPool3d", [x], [out, found], **size)
    largest = np.array([[window.max((2, 3, 4)) for window in row] for row in windows]).transpose(2, 3, 0, 1)[:, :, None]
    np.testing.assert_array_equal(out, largest)
    flat = x.reshape(2, 3, -1)
    np.testing.assert_array_equal(np.take_along_axis(flat, found.reshape(2, 3, -1).astype(np.int64), 2).reshape(shape), largest)
    for i, (a, b) in enumerate(bounds[0]):  # of equal ones the first
        for j, (c, d) in enumerate(bounds[1]):
            places = np.arange(96).reshape(8, 12)[a:b, c:d].reshape(-1)
            np.testing.assert_array_equal(found[:, :, 0, i, j], places[x[:, :, 0, a:b, c:d].reshape(2, 3, -1).argmax(2)])
    x[0, 0, 0, 0, 0], x[1, 2, 0, 7, 11] = np.inf, np.nan
    run("AdaptiveAvgPool3d", [x], [out], **size, data_format="NCDHW")
    assert out[0, 0, 0, 0, 0] == np.inf and np.isnan(out[1, 2, 0, -1, -1]) and np.isfinite(out).sum() == out.size - 2


def test_adaptive_maxima_of_windows_of_several_sizes_take_the_first_nan() -> None:
    generator = np.random.default_rng(1)
    x = generator.integers(-2, 3, (4, 5, 1, 17, 13)).astype(np.float32)
    x[generator.random(x.shape) < 0.02] = np.nan
    x[generator.random(x.shape) < 0.1] = -np.inf
    out, found = np.empty((4, 5, 1, 5, 4), np.float32), np.empty((4, 5, 1, 5, 4), np.int32)
    run("AdaptiveMaxPool3d", [x], [out, found], output_size=[1, 5, 4])
    flat = x.reshape(4, 5, -1)
    for at in np.ndindex(4, 5, 5, 4):
        i, j = at[2:]
        rows, columns = slice(i * 17 // 5, -(-(i + 1) * 17 // 5)), slice(j * 13 // 4, -(-(j + 1) * 13 // 4))
        window = x[at[0], at[1], 0, rows, columns]
        row, column = np.unravel_index(window.argmax(), window.shape)
        assert found[at[0], at[1], 0, i, j] == (rows.start + row) * 13 + columns.start + column
        np.testing.assert_array_equal(out[at[0], at[1], 0, i, j], flat[at[0], at[1], found[at[0], at[1], 0, i, j]])


def test_adaptive_means_of_integers_are_exact() -> None:
    x = np.array([1, 2, 3, 7, 7, 7], np.float32).reshape(1, 1, 1, 1, 6)
    out = np.empty((1, 1, 1, 1, 2), np.float32)
    run("AdaptiveAvgPool3d", [x], [out], output_size=[1, 1, 2], data_format="NCDHW")
    assert out.ravel().tolist() == [2, 7]
