"""Rows of boxes in images, and their rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...codes import Format
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row

Ints = tuple[int, ...]


def suppressed(operands: Sequence[Meta]) -> Outcome:
    """Indices of at most all boxes; numbers count as vectors of one in a scalar's place."""
    boxes, scores = operands[0].shape, operands[1].shape
    if len(boxes) != 2 or boxes[1] != 4:
        raise ShapeError(f"boxes of shape {list(boxes)} must be [number, 4]")
    if scores != boxes[:1]:
        raise ShapeError(f"scores of shape {list(scores)} do not fit {boxes[0]} boxes")
    return Outcome((boxes[:1],), constants={"max_output_size": boxes[0]})


def aligned(operands: Sequence[Meta], size: Ints, scale: float, samples: int, mode: int) -> Outcome:
    """(regions, channels, height, width)."""
    features, regions = operands[0].shape, operands[1].shape
    if len(features) != 4:
        raise ShapeError(f"an input of 4 dimensions is needed, not of shape {list(features)}")
    if len(regions) != 2 or regions[1] != 5:
        raise ShapeError(f"boxes of shape {list(regions)} must be [number, 5]: image, x1, y1, x2, y2")
    attrs = {"spatial_scale": scale, "pooled_height": size[0], "pooled_width": size[1], "sample_num": samples, "roi_end_mode": mode}
    return Outcome(((regions[0], features[1], *size),), attrs=attrs)


PLAIN: Final = 0
"""A `roi_end_mode`: a box is at least one element long."""
LONGER: Final = 1
"""The ends of a box are one element further, before they are scaled."""
ALIGNED: Final = 2
"""Boxes are moved back by half an element, after they are scaled: for float32, on the chips of `ALIGNS` only."""
ALIGNS: Final = re.compile(r"Ascend910(?!_93)")
"""The 910 and the 910B (CANN 8.1.RC1, `impl/roi_align.py`, roi_align)."""

NMS: Final = Row(
    "nms",
    "NonMaxSuppressionV3",
    (
        Input("boxes"),
        Input("scores"),
        Input("max_output_size", "const", d.int32),
        Input("iou_threshold"),
        Input("score_threshold"),
    ),
    (Output("selected_indices", d.int32),),
    suppressed,
    (Attr("offset", "int", 0),),
    Kind.SAME,
    (d.float32, d.float16),
    {d.bfloat16: d.float32},
    data_dependent=True,
)
ROI_ALIGN: Final = Row(
    "roi_align",
    "ROIAlign",
    (Input("features", format=Format.NCHW), Input("rois")),
    (Output("y", format=Format.NCHW),),
    aligned,
    (
        Attr("spatial_scale", "float"),
        Attr("pooled_height", "int"),
        Attr("pooled_width", "int"),
        Attr("sample_num", "int", 2),
        Attr("roi_end_mode", "int", 1),
    ),
    Kind.SAME,
    (d.float32, d.float16),
    {d.bfloat16: d.float32},
    numbers=False,
)
