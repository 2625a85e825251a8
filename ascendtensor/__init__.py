"""PyTorch-style tensors and operators for Ascend NPUs over pyACL."""

__version__ = "0.1.0"
