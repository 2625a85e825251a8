"""Convolutions and pools that users of other libraries were surprised by: each case names the reports it is taken from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at

functional = at.nn.functional
X = at.tensor


def image() -> Any:
    return at.arange(16, dtype=at.float32).reshape(1, 1, 4, 4)


def ones(*shape: int, dtype: Any = at.float32) -> Any:
    return at.ones(*shape, dtype=dtype)


DTYPES = pytest.mark.parametrize("dtype", [at.float32, at.float16, at.bfloat16, at.float64, at.int64], ids=lambda dtype: dtype.name)
GEOMETRIES = (
    ({"padding": 1, "stride": 3}, [[0, 5], [20, 50]]),
    ({"dilation": 3}, [[30]]),
    ({"dilation": (1, 2)}, [[12, 16], [28, 32], [44, 48]]),
)


@DTYPES
@pytest.mark.parametrize(("options", "expected"), GEOMETRIES, ids=["padding-and-stride", "dilation-as-the-image", "dilation-by-dimension"])
def test_convolution_geometry(dtype: Any, options: dict[str, Any], expected: list[list[float]]) -> None:
    # pytorch/pytorch#188335; PyTorch documentation, torch.nn.functional.conv2d
    result = at.conv2d(image().to(dtype), ones(1, 1, 2, 2, dtype=dtype), **options)
    assert result.dtype is dtype
    assert result.shape == (1, 1, len(expected), len(expected[0]))
    assert result[0, 0].tolist() == expected


@DTYPES
def test_transposed_convolution_geometry(dtype: Any) -> None:
    # pytorch/pytorch#188335
    x = at.tensor([[[[1, 2], [3, 4]]]]).to(dtype)
    result = at.conv_transpose2d(x, ones(1, 1, 2, 2, dtype=dtype), stride=2)
    assert result[0, 0].tolist() == [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]


def test_one_place_more_than_the_image_is_refused_with_the_geometry() -> None:
    # pytorch/pytorch#188335: the dilated kernel spans 5 places of 4
    with pytest.raises(ValueError, match=r"input \[4, 4\], kernel \[2, 2\].*dilation \[4, 4\] would give an output of size \[0, 0\]"):
        at.conv2d(image(), ones(1, 1, 2, 2), dilation=4)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolution_geometry_holds_in_every_number_of_dimensions(rank: int) -> None:
    conv = (at.conv1d, at.conv2d, at.conv3d)[rank - 1]
    spread = (at.conv_transpose1d, at.conv_transpose2d, at.conv_transpose3d)[rank - 1]
    x, weight = ones(1, 1, *(4,) * rank), ones(1, 1, *(2,) * rank)
    assert conv(x, weight, padding=1, stride=3).shape == (1, 1, *(2,) * rank)
    assert conv(x, weight, dilation=3).flatten().tolist() == [2**rank]
    assert conv(x, weight, padding="same").shape == x.shape
    assert spread(x, weight, stride=2).flatten().tolist() == [1.0] * 8**rank
    assert spread(x, weight, stride=3, output_padding=2).shape == (1, 1, *(13,) * rank)


def test_same_padding_puts_the_odd_place_behind() -> None:
    x = at.tensor([[[1.0, 2.0, 3.0]]])
    assert at.conv1d(x, ones(1, 1, 2), padding="same").tolist() == [[[3.0, 5.0, 3.0]]]


def test_a_strided_convolution_without_padding_leaves_the_rest_out() -> None:
    assert at.conv1d(at.tensor([[[1.0, 2.0, 3.0, 100.0]]]), ones(1, 1, 2), stride=3).tolist() == [[[3.0]]]


def test_pools_count_a_hanging_window_as_documented() -> None:
    # PyTorch documentation, torch.nn.AvgPool2d: "If the pad is non-zero...", "ceil_mode: ... windows that would start in the right padded
    # region are ignored"
    x = at.tensor([[[1.0, 2.0, 3.0]]])
    assert functional.avg_pool1d(x, 2, 2, ceil_mode=True).tolist() == [[[1.5, 3.0]]]
    assert functional.max_pool1d(x, 2, 2, 1, ceil_mode=True).tolist() == [[[1.0, 3.0]]]
    assert functional.avg_pool1d(x, 2, 2, 1).tolist() == [[[0.5, 2.5]]]
    assert functional.avg_pool1d(x, 2, 2, 1, count_include_pad=False).tolist() == [[[1.0, 2.5]]]


def test_a_maximum_of_negative_numbers_is_not_the_padding() -> None:
    x = at.full((1, 1, 2, 2), -5.0)
    assert functional.max_pool2d(x, 2, 1, 1).flatten().tolist() == [-5.0] * 9
    found = functional.max_pool2d(x.to(at.int8), 2, 1, 1, return_indices=True)
    assert found[0].flatten().tolist() == [-5] * 9 and found[1].flatten().tolist() == [0, 0, 1, 0, 0, 1, 2, 2, 3]


def test_a_nan_reaches_only_the_windows_that_see_it() -> None:
    x = np.zeros((1, 1, 4, 4), np.float32)
    x[0, 0, 0, 0] = np.nan
    for result in (functional.max_pool2d(X(x), 2), functional.avg_pool2d(X(x), 2), at.conv2d(X(x), ones(1, 1, 2, 2), stride=2)):
        assert np.isnan(result.numpy()[0, 0]).tolist() == [[True, False], [False, False]]


def test_an_infinity_beside_a_place_of_weight_zero_stays_there() -> None:
    x = X(np.array([[[[np.inf, 1.0], [1.0, 1.0]]]], np.float32))
    grid = X(np.array([[[[1.0, 1.0]]]], np.float32))
    assert functional.grid_sample(x, grid, align_corners=True).tolist() == [[[[1.0]]]]
