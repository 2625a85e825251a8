"""Modules in sequences and by names."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

from ...base import TensorBase
from ...errors import DTypeError, IndexRangeError, ValueRangeError
from .module import Module, Parameter

if TYPE_CHECKING:
    from typing_extensions import Self


class _Listed(Module):
    """Modules under the names "0", "1" and so on, as the items of a list."""

    def _place(self, index: Any) -> str:
        number, length = operator.index(index), len(self._modules)
        if not -length <= number < length:
            raise IndexRangeError(f"index {number} is out of range for {length} modules", where=type(self).__name__)
        return list(self._modules)[number]

    def _keep(self, modules: Iterable[Any]) -> None:
        found = [*modules]
        self._modules.clear()
        for number, module in enumerate(found):
            self.add_module(str(number), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    @overload
    def __getitem__(self, index: slice) -> Self: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._place(index)]

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([module for _, module in items])  # type: ignore[call-arg]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._place(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self._place(index)]
        self._keep([module for name, module in self._modules.items() if name not in names])

    def append(self, module: Module) -> Self:
        """Add a module at the end. Like: torch.nn.ModuleList.append."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end. Like: torch.nn.ModuleList.extend."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`. Like: torch.nn.ModuleList.insert."""
        modules = list(self)
        if not -len(modules) <= index <= len(modules):
            raise IndexRangeError(f"index {index} is out of range for {len(modules)} modules", where=type(self).__name__)
        modules.insert(index, module)
        self._keep(modules)
        return self

    def pop(self, index: int = -1) -> Any:
        """Take a module out and give it. Like: torch.nn.ModuleList.pop."""
        module = self[index]
        del self[index]
        return module


class Sequential(_Listed):
    """Modules one after the other: each gets what the one before gives.

    Args:
        *args: Modules, or one dict of modules by name.

    Like: torch.nn.Sequential.

    Examples:
        >>> net = at.nn.Sequential(at.nn.Flatten(), at.nn.ReLU())
        >>> net(at.tensor([[[-1.0, 2.0]]]))
        tensor([[0., 2.]], device='npu:0')
        >>> net.append(at.nn.Softmax(-1)).extend([at.nn.Identity()]).insert(0, at.nn.Tanh())
        Sequential(
          (0): Tanh()
          (1): Flatten(start_dim=1, end_dim=-1)
          (2): ReLU()
          (3): Softmax(dim=-1)
          (4): Identity()
        )
        >>> net.pop(), len(net[1:3])
        (Identity(), 2)
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], Mapping) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)(OrderedDict(items))

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *other) if isinstance(other, Sequential) else NotImplemented

    def __mul__(self, count: int) -> Sequential:
        return Sequential(*[*self] * operator.index(count)) if count > 0 else NotImplemented

    __rmul__ = __mul__

    def __iadd__(self, other: Sequential) -> Self:
        return self.extend(other) if isinstance(other, Sequential) else NotImplemented

    def __imul__(self, count: int) -> Self:
        return self.extend([*self] * (operator.index(count) - 1)) if count > 0 else NotImplemented

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_Listed):
    """A list of modules, which computes nothing itself.

    Args:
        modules: The modules.

    Like: torch.nn.ModuleList.

    Examples:
        >>> layers = at.nn.ModuleList([at.nn.Linear(2, 2) for _ in range(3)])
        >>> layers.append(at.nn.ReLU())
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
          (3): ReLU()
        )
        >>> layers.insert(0, at.nn.Tanh()).extend([at.nn.ReLU()]).pop(), layers[0], len(layers[1:])
        (ReLU(), Tanh(), 4)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend([] if modules is None else modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(other)

    def __repr__(self) -> str:
        if not self._modules:
            return f"{self._get_name()}()"
        texts = [repr(module) for module in self]
        lines, start = [], 0
        for place in range(1, len(texts) + 1):
            if place == len(texts) or texts[place] != texts[start]:
                count = place - start
                name = f"{start}-{place - 1}): {count} x " if count > 1 else f"{start}): "
                lines.append("(" + name + texts[start].replace("\n", "\n  "))
                start = place
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules, which computes nothing itself.

    Args:
        modules: Modules by name, or pairs.

    Like: torch.nn.ModuleDict.

    Examples:
        >>> choices = at.nn.ModuleDict({"relu": at.nn.ReLU(), "tanh": at.nn.Tanh()})
        >>> choices["relu"], list(choices.keys()), "tanh" in choices, choices.pop("tanh")
        (ReLU(), ['relu', 'tanh'], True, Tanh())
        >>> choices.update({"last": at.nn.Identity()})
        >>> list(choices.items()), len(list(choices.values()))
        ([('relu', ReLU()), ('last', Identity())], 2)
        >>> choices.clear()
        >>> len(choices)
        0
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update({} if modules is None else modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names. Like: torch.nn.ModuleDict.keys."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """The modules. Like: torch.nn.ModuleDict.values."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules. Like: torch.nn.ModuleDict.items."""
        return self._modules.items()

    def pop(self, key: str) -> Any:
        """Take a module out and give it. Like: torch.nn.ModuleDict.pop."""
        return self._modules.pop(key)

    def clear(self) -> None:
        """Take all modules out. Like: torch.nn.ModuleDict.clear."""
        self._modules.clear()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, in their order. Like: torch.nn.ModuleDict.update."""
        for name, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[name] = module


def _weight(value: Any, function: str) -> Any:
    """Tensors become parameters."""
    if isinstance(value, Module):
        raise DTypeError("a module is no parameter", where=function, advice="Use ModuleList or ModuleDict.")
    return Parameter(value) if isinstance(value, TensorBase) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters.

    Args:
        values: Tensors, which become parameters.

    Like: torch.nn.ParameterList.

    Examples:
        >>> weights = at.nn.ParameterList([at.ones(2), at.ones(3)])
        >>> weights.append(at.ones(1)).extend([at.ones(4)])[2].shape, len(weights), [name for name, _ in weights.named_parameters()]
        ((1,), 4, ['0', '1', '2', '3'])
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._count = 0
        self.extend([] if values is None else values)

    def _place(self, index: Any) -> str:
        number = operator.index(index)
        if not -self._count <= number < self._count:
            raise IndexRangeError(f"index {number} is out of range for {self._count} parameters", where="ParameterList")
        return str(number % self._count)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(number)) for number in range(self._count))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ParameterList(getattr(self, str(number)) for number in range(*index.indices(self._count)))
        return getattr(self, self._place(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._place(index), _weight(value, "ParameterList"))

    def append(self, value: Any) -> Self:
        """Add a parameter at the end. Like: torch.nn.ParameterList.append."""
        setattr(self, str(self._count), _weight(value, "ParameterList"))
        self._count += 1
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end. Like: torch.nn.ParameterList.extend."""
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({number}): {_described(value)}" for number, value in enumerate(self))


class ParameterDict(Module):
    """A dict of parameters.

    Args:
        parameters: Tensors by name, which become parameters.

    Like: torch.nn.ParameterDict.

    Examples:
        >>> weights = at.nn.ParameterDict({"left": at.ones(2), "right": at.ones(3)})
        >>> weights["left"].shape, list(weights.keys()), "right" in weights, len(list(weights.values()))
        ((2,), ['left', 'right'], True, 2)
        >>> weights.update({"last": at.ones(1)})
        >>> weights.pop("left").shape, [name for name, _ in weights.items()]
        ((2,), ['right', 'last'])
        >>> weights.get("left") is None, weights.setdefault("left", at.ones(4)).shape, weights.popitem()[0]
        (True, (4,), 'left')
        >>> weights.clear()
        >>> len(weights)
        0
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update({} if parameters is None else parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._known(key))

    def _known(self, key: str) -> str:
        if key not in self._keys:
            raise KeyError(key)
        return key

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise ValueRangeError(f"the name of a parameter is a string, not {key!r}", where="ParameterDict")
        setattr(self, key, _weight(value, "ParameterDict"))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        delattr(self, self._known(key))
        del self._keys[key]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Iterable[str]:
        """The names. Like: torch.nn.ParameterDict.keys."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters. Like: torch.nn.ParameterDict.values."""
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters. Like: torch.nn.ParameterDict.items."""
        return [(key, self[key]) for key in self._keys]

    def pop(self, key: str) -> Any:
        """Take a parameter out and give it. Like: torch.nn.ParameterDict.pop."""
        value = self[key]
        del self[key]
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of that name, or `default`. Like: torch.nn.ParameterDict.get."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of that name, which is `default` where there was none. Like: torch.nn.ParameterDict.setdefault."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Take the last parameter out and give its name and itself; KeyError if there is none. Like: torch.nn.ParameterDict.popitem."""
        if not self._keys:
            raise KeyError("there are no parameters")
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Take all parameters out. Like: torch.nn.ParameterDict.clear."""
        for key in list(self._keys):
            del self[key]

    def update(self, parameters: Any) -> None:
        """Add parameters in their order; those of a plain dict by name, as in PyTorch. Like: torch.nn.ParameterDict.update."""
        named = parameters.items() if isinstance(parameters, (Mapping, ParameterDict)) else parameters
        ordered = isinstance(parameters, (OrderedDict, ParameterDict)) or not isinstance(parameters, Mapping)
        for name, value in named if ordered else sorted(named, key=operator.itemgetter(0)):
            self[name] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({name}): {_described(value)}" for name, value in self.items())


def _described(value: Any) -> str:
    if not isinstance(value, TensorBase):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.desc.shape))
    return f"Parameter containing: [ascendtensor.{value.desc.dtype.name} of size {size} ({value.desc.device})]"
