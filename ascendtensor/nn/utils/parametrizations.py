"""Parametrisations of weights. Like: torch.nn.utils.parametrizations."""

from __future__ import annotations

from typing import Any, TypeVar

from ...base import TensorBase
from ...errors import ShapeError, StateError, ValueRangeError
from ...ops import views, writing
from ...ops.arguments import checked
from ...ops.linalg.matmul import mv, vdot
from ...ops.pointwise import elementwise
from ...ops.reduction import vector_norm
from ...shapes import normalize_dim
from .. import init
from ..functional import normalize
from ..modules import Module
from ..modules.lazy import refuse_lazy
from .parametrize import register_parametrization

__all__ = ["spectral_norm", "weight_norm"]
__dir__ = __all__.copy

ModuleT = TypeVar("ModuleT", bound=Module)

# What the hooks of `weight_norm` and `spectral_norm` compute as well


def _whole(dim: int | None) -> bool:
    """Whether a norm is that of all elements: for None and, as in PyTorch, for -1."""
    return dim is None or dim == -1


def magnitude(weight: Any, dim: int | None) -> Any:
    """The norm of each slice along a dim, in as many dims as the weight has; one number for all elements."""
    if _whole(dim):
        return vector_norm(weight)
    place = normalize_dim(dim, len(weight.desc.shape))  # type: ignore[arg-type]
    rows = views.reshape(views.movedim(weight, place, 0), (weight.desc.shape[place], -1))
    lengths = [1] * len(weight.desc.shape)
    lengths[place] = -1
    return views.reshape(vector_norm(rows, 2, 1), lengths)


def directed(sizes: Any, direction: Any, dim: int | None) -> Any:
    """The weight of these norms and this direction."""
    return elementwise.mul(direction, elementwise.div(sizes, magnitude(direction, dim)))


def matrix_of(weight: Any, dim: int) -> Any:
    """A weight as a matrix, with a dim in rows."""
    rows = views.movedim(weight, dim, 0)
    return views.reshape(rows, (rows.desc.shape[0], -1))


def improve(matrix: Any, left: Any, right: Any, times: int, eps: float) -> None:
    """Steps of the power method: the vectors come closer to the singular ones of the largest value."""
    for _ in range(times):
        writing.copy_into(left, normalize(mv(matrix, right), dim=0, eps=eps))
        writing.copy_into(right, normalize(mv(matrix.mH, left), dim=0, eps=eps))


def largest(matrix: Any, left: Any, right: Any) -> Any:
    """The largest singular value, by its vectors."""
    return vdot(left, mv(matrix, right))


def directions(matrix: Any, eps: float) -> list[Any]:
    """Vectors to begin the power method with, by chance."""
    return [normalize(init.normal_(matrix.new_empty(length)), dim=0, eps=eps) for length in matrix.desc.shape]


def positive(n_power_iterations: int, function: str) -> int:
    """A number of steps.

    Raises:
        ValueRangeError: It is not positive.
    """
    if n_power_iterations <= 0:
        raise ValueRangeError(f"n_power_iterations must be positive, it is {n_power_iterations}", where=function)
    return n_power_iterations


def usual_dim(module: Module) -> int:
    """The dim of a weight that counts what the module gives: the second one of transposed convolutions."""
    return 1 if getattr(type(module), "transposed", False) else 0


# Parametrisations


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return directed(weight_g, weight_v, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return magnitude(weight, self.dim), weight


class _SpectralNorm(Module):
    def __init__(self, weight: Any, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
        if len(weight.desc.shape) > 1:
            matrix = matrix_of(weight, dim)
            for name, each in zip(("_u", "_v"), directions(matrix, eps), strict=True):
                self.register_buffer(name, each)
            improve(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Any) -> Any:
        if len(weight.desc.shape) == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = matrix_of(weight, self.dim)
        if self.training:
            improve(matrix, self._u, self._v, self.n_power_iterations, self.eps)
        return elementwise.div(weight, largest(matrix, self._u, self._v))


@checked
def weight_norm(module: ModuleT, name: str = "weight", dim: int | None = 0) -> ModuleT:
    """Have a weight computed of its norms and its direction: `original0` and `original1` of its parametrisation.

    States with `weight_g` and `weight_v`, as PyTorch wrote them before 2.0, are read too.

    Args:
        module: The module.
        name: The parameter.
        dim: The dim along which slices have a norm each; None for one norm of all elements.

    Raises:
        StateError: The module has no such parameter.

    Like: torch.nn.utils.parametrizations.weight_norm.

    Examples:
        >>> layer = at.nn.utils.parametrizations.weight_norm(at.nn.Linear(2, 3))
        >>> layer
        ParametrizedLinear(
          in_features=2, out_features=3, bias=True
          (parametrizations): ModuleDict(
            (weight): ParametrizationList(
              (0): _WeightNorm()
            )
          )
        )
        >>> layer.parametrizations.weight.original0.shape, layer.weight.shape
        ((3, 1), (3, 2))
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


@checked
def spectral_norm(
    module: ModuleT, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> ModuleT:
    """Have a weight divided by its largest singular value, as the power method finds it; in training by further steps at each use.

    Args:
        module: The module.
        name: The parameter or buffer, which may be parametrised already.
        n_power_iterations: Steps at a time.
        eps: Least norm that vectors are divided by.
        dim: The dim that is the rows of the matrix; by default the one that counts what the module gives.

    Raises:
        ShapeError: The weight has no dims.
        StateError: The module has no such parameter or buffer, or is a lazy one.
        ValueRangeError: No positive number of steps.

    Ascend operator: MatMulV2 and Div. Like: torch.nn.utils.parametrizations.spectral_norm.

    Examples:
        >>> layer = at.nn.utils.parametrizations.spectral_norm(at.nn.Linear(4, 4)).eval()
        >>> bool(at.linalg.matrix_norm(layer.weight, 2) < 1.5), [name for name, _ in layer.named_buffers()]
        (True, ['parametrizations.weight.0._u', 'parametrizations.weight.0._v'])
    """
    refuse_lazy(module, "spectral_norm")
    weight = getattr(module, name, None)  # a parameter or buffer, or one that is parametrised already
    if not isinstance(weight, TensorBase):
        raise StateError(f"{type(module).__name__} has no parameter or buffer {name!r}")
    if not weight.desc.shape:
        raise ShapeError("1 dim at least is needed").with_context("spectral_norm", (weight,))
    place = normalize_dim(usual_dim(module) if dim is None else dim, len(weight.desc.shape))
    made = _SpectralNorm(weight, positive(n_power_iterations, "spectral_norm"), place, eps)
    return register_parametrization(module, name, made)
