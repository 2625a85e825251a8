"""Every Ascend IR operator by name, called and checked by its prototype.

at.ir.call("ReduceSum", x, [0], keep_dims=True)
at.ir.ops.ReduceSum(x, [0], keep_dims=True)  # the same, with tab completion and a docstring
"""

from __future__ import annotations

from typing import Any

from ..runtime.device import DeviceLike
from .operators import Operator, Operators, ops

__all__ = ["Operator", "Operators", "call", "ops"]
__dir__ = __all__.copy


def call(
    op_type: str, /, *inputs: Any, outputs: Any = None, desc_format: str | None = None, device: DeviceLike = None, **attrs: Any
) -> Any:
    """Launch an Ascend IR operator by its name.

    The road is that of all functions: the operator is described, compiled once for each signature, kept, and launched. Nothing is promoted
    or broadcast beforehand: the operator gets what it is given.

    Args:
        op_type: Its type, such as "ReduceSum".
        inputs: In the prototype's order. A tensor stays where it is; a list of tensors for a repeated input; None for an optional one
            that is absent. Structure (axes, sizes, `k`) as ints, a list or an array becomes a constant of the model: another value is
            another model. A Python number for another input becomes a tensor of one element, in the dtype that goes with the others.
        outputs: None: shapes and dtypes are found by `acl.op.infer_shape`, once for each signature, on the host. A list of (shape, dtype),
            or one of them; or of tensors that are written into. A number: how many members the repeated output has.
        desc_format: How the axes of images are understood, "NCHW", "NHWC", "NCDHW" or "NDHWC", for all tensors with as many axes.
            By default what the attribute data_format says.
        device: Where to run, if no input is a tensor.
        attrs: Attributes by name; those that are left out have the prototype's defaults.

    Returns:
        The output; a tuple if the prototype has several or a repeated one. What the operator updates in place is the input's own tensor.

    Raises:
        ValueRangeError: There is no such operator or attribute, an input or attribute is missing, or outputs must be described.
        DTypeError: An input or attribute is of a wrong type.
        ShapeError: The inputs do not fit the operator.
        UnsupportedError: The simulator has no kernel of the operator.
        CompileError: No operator model could be made.

    Like: torch.ops.

    Examples:
        >>> at.ir.call("ReduceSum", at.ones(2, 3), [1], keep_dims=True)
        tensor([[3.],
                [3.]], device='npu:0')
    """
    return ops[op_type](*inputs, outputs=outputs, desc_format=desc_format, device=device, **attrs)
