"""Test records of boxes in images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import INT64, SAME, Array, Record, Refused, With, array, rng

from ascendtensor import dtypes as d
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import boxes as functions
from ascendtensor.ops.table import boxes as table

DTYPES = (d.float32, d.float16, d.bfloat16)
STEPS = {d.float32: (1e-5, 1e-5), d.float16: (4e-3, 6e-3), d.bfloat16: (2e-2, 5e-2)}


def overlap(a: Array, b: Array) -> float:
    width, height = (max(min(a[2 + at], b[2 + at]) - max(a[at], b[at]), 0.0) for at in (0, 1))
    areas = [(each[2] - each[0]) * (each[3] - each[1]) for each in (a, b)]
    return width * height / (sum(areas) - width * height)


def nms(boxes: Array, scores: Array, threshold: float) -> Array:
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError("no boxes")
    kept: list[int] = []
    for at in np.argsort(-scores, kind="stable"):
        if scores[at] > -np.inf and not any(overlap(boxes[at], boxes[other]) > threshold for other in kept):
            kept.append(int(at))
    return np.array(kept, np.int64)


def chosen(dtype: DType) -> Iterator[Any]:
    """Corners in halves, which every dtype holds; distinct scores."""
    generator = rng("boxes")
    for count, threshold in ((12, 0.3), (30, 0.6), (1, 0.5), (8, 1.0)):
        corners = generator.integers(0, 40, (count, 2)) / 2
        sizes = generator.integers(1, 30, (count, 2)) / 2
        scores = generator.permutation(count) / 64
        yield np.concatenate([corners, corners + sizes], 1).astype(dtype.numpy), scores.astype(dtype.numpy), threshold
    yield np.zeros((0, 4), dtype.numpy), np.zeros(0, dtype.numpy), 0.5


def value(image: Array, y: float, x: float) -> Array:
    """Between four elements; 0 far outside."""
    _, height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(image.shape[0])
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = int(y), int(x)
    down, right = min(top + 1, height - 1), min(left + 1, width - 1)
    ly, lx = y - top, x - left
    upper = image[:, top, left] * (1 - lx) + image[:, top, right] * lx
    return upper * (1 - ly) + (image[:, down, left] * (1 - lx) + image[:, down, right] * lx) * ly


def roi_align(x: Array, boxes: Any, output_size: Any, spatial_scale: float = 1.0, sampling_ratio: int = -1, aligned: bool = False) -> Array:
    if isinstance(boxes, list):
        boxes = np.concatenate([np.insert(each, 0, number, 1) for number, each in enumerate(boxes)])
    height, width = (output_size, output_size) if isinstance(output_size, int) else output_size
    result = np.zeros((len(boxes), x.shape[1], height, width))
    for number, box in enumerate(boxes):
        x1, y1, x2, y2 = box[1:] * spatial_scale - (0.5 if aligned else 0)
        sizes = [y2 - y1, x2 - x1] if aligned else [max(y2 - y1, 1.0), max(x2 - x1, 1.0)]
        tall, wide = sizes[0] / height, sizes[1] / width
        rows, columns = (sampling_ratio if sampling_ratio > 0 else max(int(np.ceil(each)), 1) for each in (tall, wide))
        for i in range(height):
            for j in range(width):
                places = [
                    (y1 + i * tall + (p + 0.5) * tall / rows, x1 + j * wide + (q + 0.5) * wide / columns)
                    for p in range(rows)
                    for q in range(columns)
                ]
                result[number, :, i, j] = np.mean([value(x[int(box[0])], *place) for place in places], 0)
    return result


def regions(dtype: DType) -> Iterator[Any]:
    x = array(dtype, (2, 3, 8, 10))
    boxes = np.array([[0, 0, 0, 8, 6], [1, 2, 1, 5, 7.5], [1, -1, -1, 12, 9], [0, 3, 3, 3, 3]], dtype.numpy)
    for aligned in (False, True):
        yield With((x, boxes, 3), {"sampling_ratio": 2, "aligned": aligned})
        yield With((x, boxes[:3], (2, 4)), {"spatial_scale": 0.5, "aligned": aligned})
    yield x, [boxes[:1, 1:], boxes[1:3, 1:]], 2


BOXES, SCORES = np.zeros((3, 4), np.float32), np.zeros(3, np.float32)
X = np.zeros((1, 2, 4, 4), np.float32)
RECORDS = [
    Record(
        "nms",
        functions.nms,
        nms,
        chosen,
        (table.NMS,),
        DTYPES,
        INT64,
        refused=lambda: [
            Refused((BOXES[:, :3], SCORES, 0.5), ValueError, r"\[number, 4\]"),
            Refused((BOXES, SCORES[:2], 0.5), ValueError, "3 boxes"),
            Refused((BOXES, SCORES.astype(np.float16), 0.5), TypeError, "float16"),
            Refused((BOXES.astype(np.float64), SCORES.astype(np.float64), 0.5), TypeError, "float64"),
        ],
    ),
    Record(
        "roi_align",
        functions.roi_align,
        roi_align,
        regions,
        (table.ROI_ALIGN,),
        DTYPES,
        SAME,
        STEPS,
        refused=lambda: [
            Refused((X, BOXES, 2), ValueError, r"\[number, 5\]"),
            Refused((X[0], np.zeros((1, 5), np.float32), 2), ValueError, "4 dimensions"),
            Refused((X, [BOXES, BOXES], 2), ValueError, "2 tensors of boxes for 1 images"),
            Refused((X, np.zeros((1, 5), np.float32), 0), ValueError, "output_size"),
        ],
    ),
]
