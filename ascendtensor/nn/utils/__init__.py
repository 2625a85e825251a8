"""What is done with modules from outside: packed sequences, fused and reparametrised weights. Like: torch.nn.utils.

Not there, since there is no autograd: what clips gradients.
"""

from __future__ import annotations

from ...absent import in_module
from . import parametrizations, parametrize, rnn
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .reparametrized import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
__dir__ = __all__.copy
__getattr__ = in_module("ascendtensor.nn.utils")
