"""Boxes in images."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from ... import dtypes as d
from ...base import TensorBase
from ...errors import ShapeError, ValueRangeError
from .. import chips, host, reduction, shape, views
from ..arguments import checked
from ..call import call
from ..operands import filled
from ..pointwise import comparison, elementwise
from ..rules import geometry
from ..schema import Meta
from ..table import boxes as table

T = TypeVar("T", bound=TensorBase)


@checked
def nms(boxes: T, scores: T, iou_threshold: float) -> T:
    """The boxes that are left when each box that overlaps a better one too much is dropped.

    Args:
        boxes: (number, 4) of floating dtype: two corners, x1, y1, x2, y2.
        scores: (number) of the same dtype.
        iou_threshold: Overlap, intersection over union, above which the box of lower score is dropped.

    Returns:
        int64 tensor of indices, by falling score, without those of score -inf or NaN: the operator leaves them out. How many there are
        depends on the data, so the call waits.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ, or are neither float32, float16 nor bfloat16.

    Ascend operator: NonMaxSuppressionV3. Like: torchvision.ops.nms.

    Examples:
        >>> boxes = at.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 10.0, 10.0], [20.0, 20.0, 30.0, 30.0]])
        >>> at.vision.nms(boxes, at.tensor([0.8, 0.9, 0.7]), 0.5)
        tensor([1, 2], device='npu:0')
    """
    reduction.floating(boxes, "nms")
    if not boxes.desc.numel:
        table.suppressed([Meta(each.desc.shape, each.desc.dtype) for each in (boxes, scores)])
        return comparison.cast(filled(boxes, (0,), 0), d.int64)
    return comparison.cast(call(table.NMS, (boxes, scores, float(iou_threshold), -math.inf)), d.int64)


@checked
def roi_align(input: T, boxes: Any, output_size: Any, spatial_scale: float = 1.0, sampling_ratio: int = -1, aligned: bool = False) -> T:
    """The part of an image in each box, by means of samples, in one size.

    Args:
        input: (batch, channels, height, width) of floating dtype.
        boxes: (number, 5) of the same dtype: number of the image, x1, y1, x2, y2. Or a list of (number, 4) tensors, one for each image.
        output_size: Height and width of the result, or an int for both.
        spatial_scale: What the coordinates are multiplied with first.
        sampling_ratio: Samples of a place of the result along each dimension; 0 or less for as many as it has elements.
        aligned: Whether coordinates are those of elements' edges, half an element before their centres.

    Returns:
        (number, channels, *output_size).

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ, or are neither float32, float16 nor bfloat16.
        AclError: A number of an image is out of range; shows at the next synchronising call.

    Ascend operator: ROIAlign, each value of `spatial_scale` with its own operator model. Like: torchvision.ops.roi_align.

    Examples:
        >>> image = at.arange(16.0).reshape(1, 1, 4, 4)
        >>> at.vision.roi_align(image, at.tensor([[0.0, 0.0, 0.0, 3.0, 3.0]]), 1, aligned=True)
        tensor([[[[5.]]]], device='npu:0')
    """
    reduction.floating(input, "roi_align")
    size = geometry.ints(output_size, 2, "output_size")
    if min(size) < 1:
        raise ValueRangeError(f"output_size {list(size)} must be positive")
    regions = boxes if isinstance(boxes, TensorBase) else _numbered(input, boxes)
    arguments = size, float(spatial_scale), max(int(sampling_ratio), 0)
    if not aligned:
        return call(table.ROI_ALIGN, (input, regions), (*arguments, table.PLAIN))
    if chips.is_one_of(table.ALIGNS):
        found = call(table.ROI_ALIGN, (reduction.widened(input), reduction.widened(regions)), (*arguments, table.ALIGNED))
        return reduction.narrowed(found, input)
    half = 0.5 / float(spatial_scale)  # that mode takes the ends for one element further
    back = host.upload(np.array([0, half, half, half + 1, half + 1], np.float32), regions.desc.dtype, input.desc.device)
    return call(table.ROI_ALIGN, (input, elementwise.sub(regions, back)), (*arguments, table.LONGER))


def _numbered(input: T, boxes: Any) -> T:
    """Boxes of several images as one tensor, with the number of their image in front."""
    if len(boxes) != input.desc.shape[0]:
        raise ShapeError(f"{len(boxes)} tensors of boxes for {input.desc.shape[0]} images")
    parts = []
    for number, each in enumerate(boxes):
        if len(each.desc.shape) != 2 or each.desc.shape[1] != 4:
            raise ShapeError(f"boxes of shape {list(each.desc.shape)} must be [number, 4]")
        parts.append(shape.cat([filled(each, (each.desc.shape[0], 1), number), each], 1))
    return shape.cat(parts) if parts else views.reshape(filled(input, (0,), 0), (0, 5))
