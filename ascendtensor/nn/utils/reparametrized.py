"""Weights computed before each `forward`, by hooks, as PyTorch did it before it had parametrisations."""

from __future__ import annotations

from typing import Any, TypeVar

from ...errors import StateError
from ...ops.arguments import checked
from ...ops.pointwise import elementwise
from ..modules import Module, Parameter
from ..modules.lazy import refuse_lazy
from .parametrizations import directed, directions, improve, largest, magnitude, matrix_of, positive, usual_dim

ModuleT = TypeVar("ModuleT", bound=Module)


class _Norm:
    """A hook that sets the weight, which is no parameter of its own then."""

    kind: str
    kept: tuple[str, ...]
    """What follows the weight's name in the names of what it is computed of."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, module: Any) -> Any:
        """The weight."""
        raise NotImplementedError

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module))

    def _values(self, module: Any) -> list[Any]:
        return [getattr(module, self.name + suffix) for suffix in self.kept]

    def start(self, module: Module, **kept: Any) -> None:
        """Take the parameter's place."""
        delattr(module, self.name)
        for suffix, value in kept.items():
            if isinstance(value, Parameter):
                module.register_parameter(self.name + suffix, value)
            else:
                module.register_buffer(self.name + suffix, value)
        module.register_forward_pre_hook(self)

    def end(self, module: Module) -> None:
        """Make it a parameter again."""
        weight = self.compute(module)
        for name in (self.name, *(self.name + suffix for suffix in self.kept)):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight))


class _WeightNorm(_Norm):
    kind, kept = "weight_norm", ("_g", "_v")

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = dim

    def compute(self, module: Any) -> Any:
        sizes, direction = self._values(module)
        return directed(sizes, direction, self.dim)


class _SpectralNorm(_Norm):
    kind, kept = "spectral_norm", ("_orig", "_u", "_v")

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps

    def compute(self, module: Any) -> Any:
        weight, *vectors = self._values(module)
        return elementwise.div(weight, largest(matrix_of(weight, self.dim), *vectors))

    def __call__(self, module: Any, inputs: Any) -> None:
        if module.training:
            weight, left, right = self._values(module)
            improve(matrix_of(weight, self.dim).mH, right, left, self.n_power_iterations, self.eps)
        super().__call__(module, inputs)


def _weight_of(module: Module, name: str, function: str) -> Any:
    """The parameter of that name, which no hook computes yet."""
    refuse_lazy(module, function)
    if any(isinstance(hook.function, _Norm) and hook.function.name == name for hook in module._forward_pre_hooks.values()):
        raise StateError(f"{name!r} of {type(module).__name__} is computed by a hook already", where=function)
    found = module._parameters.get(name)
    if found is None:
        raise StateError(f"{type(module).__name__} has no parameter {name!r}", where=function)
    return found


def _remove(module: ModuleT, kind: type[_Norm], name: str) -> ModuleT:
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook.function, kind) and hook.function.name == name:
            hook.function.end(module)
            del module._forward_pre_hooks[number]
            return module
    advice = "parametrize.remove_parametrizations() takes those of nn.utils.parametrizations away."
    raise StateError(f"{name!r} of {type(module).__name__} has no {kind.kind}", where=f"remove_{kind.kind}", advice=advice)


@checked
def weight_norm(module: ModuleT, name: str = "weight", dim: int | None = 0) -> ModuleT:
    """Have a weight computed of its norms and its direction, the parameters `weight_g` and `weight_v`, before each `forward`.

    `nn.utils.parametrizations.weight_norm` does the same as a parametrisation.

    Args:
        module: The module.
        name: The parameter.
        dim: The dim along which slices have a norm each; None for one norm of all elements.

    Raises:
        StateError: The module has no such parameter, or it is computed by a hook already.

    Like: torch.nn.utils.weight_norm.

    Examples:
        >>> layer = at.nn.utils.weight_norm(at.nn.Linear(2, 3))
        >>> list(layer.state_dict()), layer(at.ones(1, 2)).shape
        (['bias', 'weight_g', 'weight_v'], (1, 3))
        >>> list(at.nn.utils.remove_weight_norm(layer).state_dict())
        ['bias', 'weight']
    """
    weight = _weight_of(module, name, "weight_norm")
    hook = _WeightNorm(name, dim)
    hook.start(module, _g=Parameter(magnitude(weight, dim)), _v=weight)
    hook(module, ())
    return module


@checked
def remove_weight_norm(module: ModuleT, name: str = "weight") -> ModuleT:
    """Make a weight that `weight_norm` computes a parameter of its own again; StateError if it computes none.

    Like: torch.nn.utils.remove_weight_norm.

    Examples:
        >>> layer = at.nn.utils.remove_weight_norm(at.nn.utils.weight_norm(at.nn.Linear(2, 3)))
        >>> layer.weight.shape
        (3, 2)
    """
    return _remove(module, _WeightNorm, name)


@checked
def spectral_norm(
    module: ModuleT, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> ModuleT:
    """Have a weight divided by its largest singular value before each `forward`, by the parameter `weight_orig` and buffers of vectors.

    `nn.utils.parametrizations.spectral_norm` does the same as a parametrisation. Arguments as there.

    Raises:
        StateError: The module has no such parameter, or it is computed by a hook already.
        ValueRangeError: No positive number of steps.

    Ascend operator: MatMulV2 and Div. Like: torch.nn.utils.spectral_norm.

    Examples:
        >>> layer = at.nn.utils.spectral_norm(at.nn.Linear(2, 3))
        >>> list(layer.state_dict()), layer(at.ones(1, 2)).shape
        (['bias', 'weight_orig', 'weight_u', 'weight_v'], (1, 3))
        >>> list(at.nn.utils.remove_spectral_norm(layer).state_dict())
        ['bias', 'weight']
    """
    weight = _weight_of(module, name, "spectral_norm")
    place = usual_dim(module) if dim is None else dim
    left, right = directions(matrix_of(weight, place), eps)
    hook = _SpectralNorm(name, positive(n_power_iterations, "spectral_norm"), place, eps)
    hook.start(module, _orig=weight, _u=left, _v=right)
    setattr(module, name, weight.data)  # until the first forward, so that `init` may still write it
    return module


@checked
def remove_spectral_norm(module: ModuleT, name: str = "weight") -> ModuleT:
    """Make a weight that `spectral_norm` computes a parameter of its own again; StateError if it computes none.

    Like: torch.nn.utils.remove_spectral_norm.

    Examples:
        >>> layer = at.nn.utils.remove_spectral_norm(at.nn.utils.spectral_norm(at.nn.Linear(2, 3)))
        >>> layer.weight.shape
        (3, 2)
    """
    return _remove(module, _SpectralNorm, name)
