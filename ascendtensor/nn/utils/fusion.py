"""Batch normalisation folded into the weights before it, for networks that only compute. Like: torch.nn.utils.fusion."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import StateError
from ...ops import views
from ...ops.arguments import checked
from ...ops.pointwise import elementwise, unary
from ..modules import Module, Parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor

ModuleT = TypeVar("ModuleT", bound=Module)


@checked
def fuse_conv_bn_weights(
    conv_w: NPUTensor,
    conv_b: NPUTensor | None,
    bn_rm: NPUTensor,
    bn_rv: NPUTensor,
    bn_eps: float,
    bn_w: NPUTensor | None,
    bn_b: NPUTensor | None,
    transpose: bool = False,
) -> tuple[NPUTensor, NPUTensor]:
    """Weight and bias of a convolution that gives what it and a batch normalisation behind it give.

    Args:
        conv_w, conv_b: Weight and bias, or None, of the convolution.
        bn_rm, bn_rv, bn_eps: Running mean and variance of the normalisation, and what is added to the variance.
        bn_w, bn_b: Its weight and bias; None for 1 and 0.
        transpose: Whether the convolution is a transposed one, whose weight has the channels of the result second.

    Returns:
        Two parameters.

    Raises:
        ShapeError: The channels differ.

    Ascend operator: Rsqrt and Mul. Like: torch.nn.utils.fuse_conv_bn_weights.

    Examples:
        >>> w, one = at.ones(1, 1, 1), at.ones(1)
        >>> at.nn.utils.fuse_conv_bn_weights(w, None, one, one * 3, 1.0, one, one)[1]
        Parameter containing:
        tensor([0.5000], device='npu:0')
    """
    scale = unary.rsqrt(elementwise.add(bn_rv, bn_eps))
    scale = scale if bn_w is None else elementwise.mul(bn_w, scale)
    spread = [1] * len(conv_w.desc.shape)
    spread[1 if transpose else 0] = -1
    moved: Any = elementwise.mul(unary.neg(bn_rm) if conv_b is None else elementwise.sub(conv_b, bn_rm), scale)
    bias = moved if bn_b is None else elementwise.add(moved, bn_b)
    weight = elementwise.mul(conv_w, views.reshape(scale, spread))
    return Parameter(weight.to(conv_w.desc.dtype)), Parameter(bias.to((conv_w if conv_b is None else conv_b).desc.dtype))


@checked
def fuse_linear_bn_weights(
    linear_w: NPUTensor,
    linear_b: NPUTensor | None,
    bn_rm: NPUTensor,
    bn_rv: NPUTensor,
    bn_eps: float,
    bn_w: NPUTensor | None,
    bn_b: NPUTensor | None,
) -> tuple[NPUTensor, NPUTensor]:
    """`fuse_conv_bn_weights` for the weight and bias of a matrix product. Like: torch.nn.utils.fuse_linear_bn_weights.

    Examples:
        >>> w, one = at.ones(1, 2), at.ones(1)
        >>> at.nn.utils.fuse_linear_bn_weights(w, one, one, one * 3, 1.0, one, one)[0]
        Parameter containing:
        tensor([[0.5000, 0.5000]], device='npu:0')
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


@checked
def fuse_conv_bn_eval(conv: ModuleT, bn: Module, transpose: bool = False) -> ModuleT:
    """A copy of a convolution that gives what it and a batch normalisation behind it give, both by `eval()`.

    Args:
        conv, bn: The modules; they stay as they are.
        transpose: Whether the convolution is a transposed one.

    Raises:
        StateError: One of them trains, or the normalisation keeps no statistics.

    Like: torch.nn.utils.fuse_conv_bn_eval.

    Examples:
        >>> conv, norm = at.nn.Conv2d(2, 3, 1).eval(), at.nn.BatchNorm2d(3).eval()
        >>> fused, x = at.nn.utils.fuse_conv_bn_eval(conv, norm), at.ones(1, 2, 2, 2)
        >>> at.allclose(fused(x), norm(conv(x)), atol=1e-6)
        True
    """
    return _fused(conv, bn, transpose, "fuse_conv_bn_eval")


@checked
def fuse_linear_bn_eval(linear: ModuleT, bn: Module) -> ModuleT:
    """`fuse_conv_bn_eval` for a matrix product. Like: torch.nn.utils.fuse_linear_bn_eval.

    Raises:
        StateError: As there; or features of the product that are no channels of the normalisation.

    Examples:
        >>> linear, norm = at.nn.Linear(2, 3).eval(), at.nn.BatchNorm1d(3).eval()
        >>> fused, x = at.nn.utils.fuse_linear_bn_eval(linear, norm), at.ones(1, 2)
        >>> at.allclose(fused(x), norm(linear(x)), atol=1e-6)
        True
    """
    features, channels = (getattr(module, name, None) for module, name in ((linear, "out_features"), (bn, "num_features")))
    if channels not in (features, 1):
        raise StateError(f"{features} features are no {channels} channels")
    return _fused(linear, bn, False, "fuse_linear_bn_eval")


def _fused(module: ModuleT, bn: Any, transpose: bool, function: str) -> ModuleT:
    if module.training or bn.training:
        raise StateError("what trains can't be fused", where=function, advice="Call eval() of both modules first.")
    if bn.running_mean is None or bn.running_var is None:
        raise StateError("the normalisation keeps no statistics, track_running_stats=False", where=function)
    fused: Any = copy.deepcopy(module)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *statistics, transpose)
    return fused  # type: ignore[no-any-return]
