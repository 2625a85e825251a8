"""Convolutions, pools and windows of any geometry against direct sums, and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import host, tensor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records_convolution import conv, transposed
from records_pooling import avg_pool, max_pool

from ascendtensor.ops.nn import convolution, folding, pooling

FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SMALL = st.integers(1, 3)
KINDS = st.sampled_from([np.float32, np.float64])
CONV = (convolution.conv1d, convolution.conv2d, convolution.conv3d)
SPREAD = (convolution.conv_transpose1d, convolution.conv_transpose2d, convolution.conv_transpose3d)
INPUT = (convolution.conv1d_input, convolution.conv2d_input, convolution.conv3d_input)
WEIGHT = (convolution.conv1d_weight, convolution.conv2d_weight, convolution.conv3d_weight)


def numbers(shape: Any, kind: Any = np.float32, seed: int = 0) -> Any:
    """Small whole numbers: sums of their products are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(kind)


@st.composite
def problems(draw: Any) -> Any:
    rank = draw(st.integers(1, 3))
    each = st.lists(SMALL, min_size=rank, max_size=rank).map(tuple)
    kernel, stride, dilation = draw(each), draw(each), draw(each)
    padding = draw(st.lists(st.integers(0, 2), min_size=rank, max_size=rank).map(tuple))
    spans = [(size - 1) * gap + 1 for size, gap in zip(kernel, dilation, strict=True)]
    size = tuple(max(span - 2 * side, 1) + draw(st.integers(0, 4)) for span, side in zip(spans, padding, strict=True))
    groups = draw(SMALL)
    return rank, size, kernel, stride, padding, dilation, groups, draw(SMALL), draw(SMALL), draw(KINDS)


@FEW
@given(problems())
def test_any_convolution_and_its_gradients(problem: Any) -> None:
    rank, size, kernel, stride, padding, dilation, groups, inputs, outputs, kind = problem
    x, weight = numbers((2, inputs * groups, *size), kind), numbers((outputs * groups, inputs, *kernel), kind, 1)
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    expected = conv(x.astype(np.float64), weight.astype(np.float64), **options)
    result = host(CONV[rank - 1](tensor(x), tensor(weight), **options))
    np.testing.assert_array_equal(result, expected)
    grad = numbers(expected.shape, kind, 2)
    by_input = host(INPUT[rank - 1](x.shape, tensor(weight), tensor(grad), **options))
    by_weight = host(WEIGHT[rank - 1](tensor(x), weight.shape, tensor(grad), **options))
    # The gradients are the adjoints: <conv(x, w), g> is the same three times, for whole numbers exactly.
    product = float((expected * grad).sum())
    assert float((by_input.astype(np.float64) * x).sum()) == product
    assert float((by_weight.astype(np.float64) * weight).sum()) == product


@FEW
@given(problems(), st.data())
def test_any_transposed_convolution(problem: Any, data: st.DataObject) -> None:
    rank, size, kernel, stride, padding, dilation, groups, inputs, outputs, kind = problem
    limits = [max(pair) - 1 for pair in zip(stride, dilation, strict=True)]
    extra = tuple(data.draw(st.integers(0, limit)) for limit in limits)
    x, weight = numbers((2, inputs * groups, *size), kind), numbers((inputs * groups, outputs, *kernel), kind, 1)
    spans = [(places - 1) * gap + 1 for places, gap in zip(kernel, dilation, strict=True)]
    axes = zip(size, stride, padding, spans, extra, strict=True)
    lengths = [(length - 1) * step - 2 * side + span + more for length, step, side, span, more in axes]
    options = {"stride": stride, "padding": padding, "output_padding": extra, "groups": groups, "dilation": dilation}
    if min(lengths) < 0:
        with pytest.raises(ValueError, match="nothing is left"):
            SPREAD[rank - 1](tensor(x), tensor(weight), **options)
        return
    expected = transposed(x.astype(np.float64), weight.astype(np.float64), None, **options)
    np.testing.assert_array_equal(host(SPREAD[rank - 1](tensor(x), tensor(weight), **options)), expected)


@FEW
@given(problems(), st.booleans())
def test_any_pool(problem: Any, ceil: bool) -> None:
    rank, size, kernel, stride, padding, dilation, _, channels, _, kind = problem
    sides = tuple(min(side, places // 2) for side, places in zip(padding, kernel, strict=True))
    spans = [(places - 1) * gap + 1 for places, gap in zip(kernel, dilation, strict=True)]
    size = tuple(max(length, span) for length, span in zip(size, spans, strict=True))
    x = numbers((2, channels, *size), kind)
    largest = (pooling.max_pool1d, pooling.max_pool2d, pooling.max_pool3d)[rank - 1]
    mean = (pooling.avg_pool1d, pooling.avg_pool2d, pooling.avg_pool3d)[rank - 1]
    values, places = largest(tensor(x), kernel, stride, sides, dilation, ceil, True)
    expected = max_pool(rank)(x, kernel, stride, sides, dilation, ceil, True)
    np.testing.assert_array_equal(host(values), expected[0])
    np.testing.assert_array_equal(host(places), expected[1])
    np.testing.assert_array_equal(host(largest(tensor(x), kernel, stride, sides, dilation, ceil)), expected[0])
    np.testing.assert_allclose(
        host(mean(tensor(x), kernel, stride, sides, ceil)), avg_pool(rank)(x, kernel, stride, sides, ceil), 1e-6, 1e-6
    )


@FEW
@given(problems())
def test_fold_is_the_adjoint_of_unfold(problem: Any) -> None:
    rank, size, kernel, stride, padding, dilation, _, channels, _, kind = problem
    if rank != 2:
        return
    x = numbers((2, channels, *size), kind)
    columns = folding.unfold(tensor(x), kernel, dilation, padding, stride)
    other = numbers(host(columns).shape, kind, 1)
    back = folding.fold(tensor(other), size, kernel, dilation, padding, stride)
    assert float((host(columns).astype(np.float64) * other).sum()) == float((host(back).astype(np.float64) * x).sum())


@pytest.mark.parametrize("stride,dilation", [(1, 1), (2, 1), (2, 2)])
def test_planes_of_a_volume_are_laid_out_in_parts(monkeypatch: pytest.MonkeyPatch, stride: int, dilation: int) -> None:
    generator = np.random.default_rng(9)
    volume, filters = (tensor(generator.normal(size=size).astype(np.float32)) for size in ((2, 2, 9, 7, 6), (3, 2, 3, 2, 3)))
    whole = host(convolution.conv3d(volume, filters, padding=1, stride=stride, dilation=dilation))
    monkeypatch.setattr("ascendtensor.ops.nn.convolution._BOUND", 3000)
    parts = host(convolution.conv3d(volume, filters, padding=1, stride=stride, dilation=dilation))
    np.testing.assert_allclose(parts, whole, rtol=1e-5, atol=1e-5)
