"""Boxes in images: the best of those that overlap (NonMaxSuppressionV3), and what lies in them (ROIAlign).

Sources: operator prototypes of image_ops.h and nn_detect_ops.h, CANN 8.1.RC1. `roi_end_mode` 0 takes a region as it is, but at least one
element wide and high; 2 moves it half an element back and lets it be smaller, as PyTorch's adapter of torchvision uses both. A `sample_num`
of 0 takes as many samples as a bin has elements, rounded up.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.operands import bounded, known_ints, needs, one_int, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Dims, Inputs, Meta, Out, Outputs, infer, kernel, layout

layout("NCHW", "ROIAlign")

_MODES: Final = {0: (0, 0.0, 1.0), 1: (1, 0.0, 0.0), 2: (0, 0.5, None)}
"""By roi_end_mode: what is added to the ends before they are scaled, what all are moved back by after that, and the least size (CANN
8.1.RC1, tbe, ``impl/roi_align.py`` and ``roi_align_true.py``)."""


@kernel("NonMaxSuppressionV3")
def _suppressed(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Dims:
    """Boxes by falling score, without those that overlap a better one too much."""
    boxes, scores = (float32_of(needs(inputs[at], name)) for at, name in enumerate(("boxes", "scores")))
    most = one_int(inputs[2], "max_output_size")
    overlap, least = (float(needs(inputs[at], "a threshold").reshape(())) for at in (3, 4))
    extra = np.float32(attrs["offset"])
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low + extra, axis=1)
    left = np.argsort(-scores, kind="stable")
    left = left[scores[left] > least]
    kept: list[int] = []
    while left.size and len(kept) < most:
        best, left = left[0], left[1:]
        kept.append(int(best))
        common = np.maximum(np.minimum(high[best], high[left]) - np.maximum(low[best], low[left]) + extra, 0).prod(axis=1)
        left = left[~(common / (areas[best] + areas[left] - common) > overlap)]
    outputs[0][: len(kept)] = kept
    return [(len(kept),)]


@infer("NonMaxSuppressionV3")
def _suppressed_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    boxes, scores = inputs[:2]
    if not unknown(boxes) and (len(boxes.shape) != 2 or boxes.shape[1] not in (4, -1)):
        raise ValueError(f"boxes of shape {list(boxes.shape)} are not (number, 4)")
    if not unknown(scores) and len(scores.shape) != 1:
        raise ValueError(f"scores of shape {list(scores.shape)} are no vector")
    most = known_ints(inputs[2])
    return [bounded(int(DataType.INT32), -1 if most is None else most[0])]


def _samples(start: float, size: float, bins: int, number: int, length: int) -> tuple[Array, Array, Array, Array]:
    """Elements below and above each sample along one axis, and their weights: all 0 outside the image."""
    at = start + (np.arange(bins * number, dtype=np.float32) + np.float32(0.5)) * np.float32(size / number)
    outside = (at < -1) | (at > length)
    at = np.clip(np.fmax(at, 0), 0, length)  # an infinite place lies outside, NaN has no place
    low = np.minimum(at.astype(np.intp), length - 1)
    part = np.where(low >= length - 1, 0, at - low).astype(np.float32)
    upper = np.minimum(low + 1, length - 1)
    return low, upper, np.where(outside, 0, 1 - part).astype(np.float32), np.where(outside, 0, part).astype(np.float32)


@kernel("ROIAlign")
def _aligned(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    features, regions = (float32_of(needs(inputs[at], name)) for at, name in enumerate(("features", "rois")))
    out = outputs[0]
    bins = (int(attrs["pooled_height"]), int(attrs["pooled_width"]))
    longer, back, least = _MODES[attrs["roi_end_mode"]]
    ends = np.array([0, 0, longer, longer], np.float32)
    for region, result in zip(regions, out, strict=True):
        if not 0 <= region[0] < len(features):
            raise IndexError(f"rois name image {region[0]:g} of {len(features)}")
        image = features[int(region[0])]
        left, top, right, bottom = (region[1:] + ends) * np.float32(attrs["spatial_scale"]) - np.float32(back)
        axes = []
        for start, stop, number, length in ((top, bottom, bins[0], image.shape[1]), (left, right, bins[1], image.shape[2])):
            size = stop - start if least is None else max(stop - start, np.float32(least))
            count = int(attrs["sample_num"]) or max(math.ceil(size / number), 1)
            axes.append((count, _samples(float(start), float(size / number), number, count, length)))
        (tall, (low, upper, below, above)), (wide, (first, second, before, after)) = axes
        rows = image[:, low] * below[:, None] + image[:, upper] * above[:, None]
        sampled = rows[:, :, first] * before + rows[:, :, second] * after
        mean = sampled.reshape(image.shape[0], bins[0], tall, bins[1], wide).mean(axis=(2, 4), dtype=np.float32)
        store(mean, result)


@infer("ROIAlign")
def _aligned_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    features, regions = inputs[:2]
    if attrs["pool_mode"] != "avg" or attrs["roi_end_mode"] not in _MODES:
        raise ValueError("the simulator knows pool_mode avg, and roi_end_mode 0 to 2")
    if unknown(features) or unknown(regions):
        return [Out(features.dtype, UNKNOWN_RANK)]
    if len(features.shape) != 4 or len(regions.shape) != 2 or regions.shape[1] not in (5, -1):
        raise ValueError(f"features of shape {list(features.shape)} and rois of {list(regions.shape)} are not (batch, ...) and (number, 5)")
    return [Out(features.dtype, (regions.shape[0], features.shape[1], int(attrs["pooled_height"]), int(attrs["pooled_width"])))]
