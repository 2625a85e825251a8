"""All parameters in one vector, and back. Like: torch.nn.utils.parameters_to_vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...errors import ShapeError
from ...ops import shape, views, writing
from ...ops.arguments import checked

if TYPE_CHECKING:
    from ...tensor import NPUTensor


@checked
def parameters_to_vector(parameters: Iterable[NPUTensor]) -> NPUTensor:
    """The elements of all parameters, one after the other: a copy.

    Raises:
        ShapeError: There is no parameter.

    Ascend operator: Concat. Like: torch.nn.utils.parameters_to_vector.

    Examples:
        >>> layer = at.nn.Linear(2, 1)
        >>> state = layer.load_state_dict({"weight": [[1.0, 2.0]], "bias": [3.0]})
        >>> at.nn.utils.parameters_to_vector(layer.parameters())
        tensor([1., 2., 3.], device='npu:0')
    """
    found = [views.reshape(each, -1) for each in parameters]
    if not found:
        raise ShapeError("one parameter at least is needed")
    return shape.cat(found, 0)


@checked
def vector_to_parameters(vec: NPUTensor, parameters: Iterable[NPUTensor]) -> None:
    """Write the elements of a vector into parameters, one after the other.

    Raises:
        ShapeError: The vector has another number of elements, or several dims; nothing is written then.

    Like: torch.nn.utils.vector_to_parameters.

    Examples:
        >>> layer = at.nn.Linear(2, 1)
        >>> at.nn.utils.vector_to_parameters(at.arange(3.0), layer.parameters())
        >>> layer.weight, layer.bias.item()
        (Parameter containing:
        tensor([[0., 1.]], device='npu:0'), 2.0)
    """
    found = list(parameters)
    total = sum(each.desc.numel for each in found)
    if vec.desc.shape != (total,):
        raise ShapeError(f"a vector of the {total} elements that the parameters have is needed, not shape {list(vec.desc.shape)}")
    parts = views.split(vec, [each.desc.numel for each in found])
    for each, part in zip(found, parts, strict=True):
        writing.copy_into(each, views.reshape(part, each.desc.shape))
