"""Functions of boxes in images, by torchvision's names. Like: torchvision.ops."""

from __future__ import annotations

from .ops.nn.boxes import nms, roi_align

__all__ = ["nms", "roi_align"]
__dir__ = __all__.copy
