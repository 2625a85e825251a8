"""Gradients of convolutions, by PyTorch's names. Like: torch.nn.grad."""

from __future__ import annotations

from ..ops.nn.convolution import conv1d_input, conv1d_weight, conv2d_input, conv2d_weight, conv3d_input, conv3d_weight

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]
__dir__ = __all__.copy
