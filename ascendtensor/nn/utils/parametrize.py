"""Parameters that are computed of others whenever they are asked for. Like: torch.nn.utils.parametrize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from ...base import TensorBase
from ...errors import DTypeError, ShapeError, StateError
from ...ops import writing
from ...ops.arguments import checked
from ..modules import Module, ModuleDict, ModuleList, Parameter
from ..modules.lazy import refuse_lazy

if TYPE_CHECKING:
    from ...tensor import NPUTensor

__all__ = ["ParametrizationList", "is_parametrized", "register_parametrization", "remove_parametrizations"]
__dir__ = __all__.copy

ModuleT = TypeVar("ModuleT", bound=Module)

_PLACE: Final = "parametrizations"
"""PyTorch's name of the dict that a parametrised module has."""


class ParametrizationList(ModuleList):
    """The modules that make a tensor, the first of what is kept, each other one of what the one before gives.

    What is kept is `original`, or `original0`, `original1` and so on where the first module takes several tensors; parameters where the
    tensor was one, else buffers.

    Like: torch.nn.utils.parametrize.ParametrizationList.

    Examples:
        >>> layer = at.nn.utils.parametrizations.weight_norm(at.nn.Linear(2, 3))
        >>> [name for name, _ in layer.parametrizations.weight.named_parameters()]
        ['original0', 'original1']
        >>> layer.parametrizations.weight.right_inverse(at.ones(3, 2))
        >>> layer.weight.sum().round()
        tensor(6., device='npu:0')
    """

    def __init__(self, modules: list[Module], original: Any) -> None:
        super().__init__(modules)
        kept = _inverted(modules, original)
        self.is_tensor = isinstance(kept, TensorBase)
        for name, value in zip(self._names(kept), [kept] if self.is_tensor else kept, strict=True):
            if isinstance(original, Parameter):
                self.register_parameter(name, Parameter(value))
            else:
                self.register_buffer(name, value)
        self._kept = self._names(kept)

    def _names(self, kept: Any) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{place}" for place in range(len(kept))]

    def right_inverse(self, value: Any) -> None:
        """Write into what is kept, so that the tensor becomes `value`."""
        kept = _inverted(list(self), value)
        for name, each in zip(self._kept, [kept] if self.is_tensor else kept, strict=True):
            writing.copy_into(getattr(self, name), each)

    def forward(self) -> NPUTensor:
        first, *others = self
        found: NPUTensor = first(*(getattr(self, name) for name in self._kept))
        for module in others:
            found = module(found)
        return found


def _inverted(modules: list[Module], value: Any) -> Any:
    for module in reversed(modules):
        inverse = getattr(type(module), "right_inverse", None)
        if inverse is not None:
            value = inverse(module, value)
    return value


def _property(name: str) -> Any:
    def get(module: Any) -> NPUTensor:
        found: NPUTensor = module.parametrizations[name]()
        return found

    def put(module: Any, value: Any) -> None:
        module.parametrizations[name].right_inverse(value)

    return property(get, put)


class _Parametrized(Module):
    """What the class of a module with parametrised tensors has beside that of the module."""

    _unparametrized: ClassVar[type[Module]]

    def __reduce__(self) -> Any:
        return _empty, (self._unparametrized, tuple(self.parametrizations)), self.__dict__

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        for name, kept in self.parametrizations.items():
            old_names = f"{prefix}{name}_g", f"{prefix}{name}_v"  # of weight norms, before PyTorch 2.0
            if not kept.is_tensor and all(old in state_dict for old in old_names):
                for place, old in enumerate(old_names):
                    state_dict[f"{prefix}{_PLACE}.{name}.original{place}"] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, *args)


def _class(plain: type[Module], names: tuple[str, ...]) -> type[Module]:
    """The class of a module whose tensors of these names are parametrised."""
    members = {"_unparametrized": plain, "__module__": plain.__module__, **{name: _property(name) for name in names}}
    return type(f"Parametrized{plain.__name__}", (_Parametrized, plain), members)


def _empty(plain: type[Module], names: tuple[str, ...]) -> Module:
    """What a copy or a pickle begins with."""
    kind = _class(plain, names)
    return kind.__new__(kind)


@checked
def register_parametrization(module: ModuleT, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> ModuleT:
    """Have a parameter or buffer computed by a module, whenever it is asked for; the module's class becomes one of its own.

    Args:
        module: The module that has the tensor.
        tensor_name: Its name.
        parametrization: Takes what is kept and gives the tensor. Its method `right_inverse`, if there is one, takes the tensor and gives
            what is kept, one tensor or several; otherwise the tensor is kept.
        unsafe: Whether the result may have another shape or dtype than the tensor.

    Raises:
        DTypeError: No module, or another dtype.
        ShapeError: Another shape.
        StateError: The module has no such parameter or buffer, or is a lazy one.

    Like: torch.nn.utils.parametrize.register_parametrization.

    Examples:
        >>> class Symmetric(at.nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        >>> layer = at.nn.utils.parametrize.register_parametrization(at.nn.Linear(2, 2, bias=False), "weight", Symmetric())
        >>> layer.weight[0, 1] == layer.weight[1, 0], list(layer.state_dict())
        (tensor(True, device='npu:0'), ['parametrizations.weight.original'])
    """
    if not isinstance(parametrization, Module):
        raise DTypeError(f"a module is needed, not {type(parametrization).__name__}")
    refuse_lazy(module, "register_parametrization")
    if is_parametrized(module, tensor_name):
        before = getattr(module, tensor_name)
        if not unsafe:
            _check(parametrization(before), before)
        module.parametrizations[tensor_name].append(parametrization)
        return module
    kind = next((each for each in (module._parameters, module._buffers) if each.get(tensor_name) is not None), None)
    if kind is None:
        raise StateError(f"{type(module).__name__} has no parameter or buffer {tensor_name!r}")
    original = kind[tensor_name]
    kept = ParametrizationList([parametrization], original)
    if not unsafe:
        _check(kept(), original)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.add_module(_PLACE, ModuleDict())
    module.parametrizations[tensor_name] = kept
    plain = type(module)._unparametrized if isinstance(module, _Parametrized) else type(module)
    module.__class__ = _class(plain, tuple(module.parametrizations))  # type: ignore[assignment]
    return module


def _check(found: Any, wanted: Any) -> None:
    if found.desc.shape != wanted.desc.shape:
        text = f"it makes a tensor of shape {list(found.desc.shape)} of one of shape {list(wanted.desc.shape)}"
        raise ShapeError(text, advice="unsafe=True lets it.")
    if found.desc.dtype is not wanted.desc.dtype:
        text = f"it makes a tensor of {found.desc.dtype.name} of one of {wanted.desc.dtype.name}"
        raise DTypeError(text, advice="unsafe=True lets it.")


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrised tensors, or one of that name. Like: torch.nn.utils.parametrize.is_parametrized.

    Examples:
        >>> at.nn.utils.parametrize.is_parametrized(at.nn.Linear(1, 1), "weight")
        False
    """
    held: Any = module._modules.get(_PLACE)
    if not isinstance(module, _Parametrized) or held is None:
        return False
    return tensor_name is None or tensor_name in held


@checked
def remove_parametrizations(module: ModuleT, tensor_name: str, leave_parametrized: bool = True) -> ModuleT:
    """Make a parametrised tensor a parameter or buffer again.

    Args:
        module: The module that has the tensor.
        tensor_name: Its name.
        leave_parametrized: Whether it keeps the values that are computed, rather than those of `original`.

    Raises:
        StateError: The tensor is not parametrised; without `leave_parametrized`, several tensors are kept for it.

    Like: torch.nn.utils.parametrize.remove_parametrizations.

    Examples:
        >>> layer = at.nn.utils.parametrizations.weight_norm(at.nn.Linear(2, 3))
        >>> at.nn.utils.parametrize.remove_parametrizations(layer, "weight"), list(layer.state_dict())
        (Linear(in_features=2, out_features=3, bias=True), ['bias', 'weight'])
    """
    if not is_parametrized(module, tensor_name):
        raise StateError(f"{tensor_name!r} of {type(module).__name__} is not parametrised")
    held = module.parametrizations
    kept = held[tensor_name]
    if not leave_parametrized and not kept.is_tensor:
        raise StateError("several tensors are kept, of which none is the one to leave", advice="Leave leave_parametrized=False away.")
    value = kept().clone() if leave_parametrized else kept.original
    held.pop(tensor_name)
    plain = type(module)._unparametrized  # type: ignore[attr-defined]
    module.__class__ = _class(plain, tuple(held)) if len(held) else plain  # type: ignore[assignment]
    if not len(held):
        delattr(module, _PLACE)
    if kept._parameters:
        module.register_parameter(tensor_name, Parameter(value))
    else:
        module.register_buffer(tensor_name, value)
    return module
