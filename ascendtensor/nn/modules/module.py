"""Module, the base class of networks and their parts, and Parameter, the tensors that it counts as its weights."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ... import absent, base
from ...base import TensorBase
from ...creation import asarray, empty
from ...dtypes import DTypeLike, as_dtype
from ...dtypes import dtype as DType
from ...errors import AscendTensorError, DTypeError, ShapeError, StateError, UnsupportedError, ValueRangeError
from ...ops import views, writing
from ...ops.arguments import require_tensor
from ...options import no_autograd
from ...runtime.device import Device, DeviceLike, as_device

if TYPE_CHECKING:
    from typing_extensions import Self

    from ...tensor import NPUTensor


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TensorBase) and base.is_marked(instance)


class Parameter(metaclass=_Kind):
    """A tensor that a module counts as one of its weights, as soon as it is an attribute of the module.

    It is a tensor like any other, with a mark: what is computed from it is none, copies and pickles are. There is no autograd, so that
    `requires_grad` of it is false whatever was asked for.

    Args:
        data: The tensor whose memory it shares; by default an empty one.
        requires_grad: Taken, and of no effect.

    Raises:
        DTypeError: `data` is no tensor.

    Like: torch.nn.Parameter.

    Examples:
        >>> weight = at.nn.Parameter(at.ones(2))
        >>> weight
        Parameter containing:
        tensor([1., 1.], device='npu:0')
        >>> isinstance(weight, at.Tensor), isinstance(weight, at.nn.Parameter), isinstance(weight + 1, at.nn.Parameter)
        (True, True, False)
    """

    if TYPE_CHECKING:

        def __new__(cls, data: Any = None, requires_grad: bool = True) -> NPUTensor: ...  # type: ignore[misc]
    else:

        def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
            if data is None:
                return base.marked(empty(0))
            if not isinstance(data, TensorBase):
                raise DTypeError(f"a tensor is needed, not {type(data).__name__}", where="Parameter", advice="Use tensor(data) first.")
            return base.marked(views.alias(data))


class RemovableHandle:
    """What registering a hook gives: `remove()` takes the hook away, as the end of a `with` does. Like: torch.utils.hooks.RemovableHandle.

    Examples:
        >>> layer = at.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output + 1)
        >>> layer(at.zeros(1))
        tensor([1.], device='npu:0')
        >>> handle.remove()
        >>> layer(at.zeros(1))
        tensor([0.], device='npu:0')
    """

    _ids: Final = itertools.count()

    def __init__(self, hooks: OrderedDict[int, Any], hook: Any, prepend: bool = False) -> None:
        self._hooks = hooks
        self.id = next(each for each in self._ids if each not in hooks)  # hooks of a pickle have numbers of another process
        hooks[self.id] = hook
        if prepend:
            hooks.move_to_end(self.id, last=False)

    def remove(self) -> None:
        self._hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found: names that are missing in what was given, and names that the module does not have.

    Examples:
        >>> at.nn.Linear(1, 1).load_state_dict({"weight": at.ones(1, 1)}, strict=False)
        IncompatibleKeys(missing_keys=['bias'], unexpected_keys=[])
    """

    missing_keys: list[str]
    unexpected_keys: list[str]


_EXTRA: Final = "_extra_state"
"""PyTorch's name for what `get_extra_state` gives."""


class _Hook(NamedTuple):
    function: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False


class Module:
    """A network or a part of one: parameters, buffers and other modules by name, and what `forward` computes with them.

    Attributes that are set to a `Parameter` or a module are found by `parameters`, `modules`, `state_dict`, `to` and so on. There is no
    autograd: modules compute, and their weights come from `load_state_dict`, or are written to by your own steps.

    Attributes:
        training: Whether the module was told to train; dropout and batch normalisation ask for it.

    Like: torch.nn.Module.

    Examples:
        >>> class Net(at.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.first = at.nn.Linear(2, 3)
        ...         self.last = at.nn.Linear(3, 1, bias=False)
        ...     def forward(self, x):
        ...         return self.last(at.relu(self.first(x)))
        >>> net = Net().eval()
        >>> net
        Net(
          (first): Linear(in_features=2, out_features=3, bias=True)
          (last): Linear(in_features=3, out_features=1, bias=False)
        )
        >>> [name for name, _ in net.named_parameters()], [name for name, _ in net.named_children()], list(net.named_buffers())
        (['first.weight', 'first.bias', 'last.weight'], ['first', 'last'], [])
        >>> net.load_state_dict({name: np.ones(value.shape) for name, value in net.state_dict().items()})
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        >>> net(at.ones(1, 2))
        tensor([[9.]], device='npu:0')
        >>> sum(each.numel() for each in net.parameters()), list(net.buffers()), len(list(net.children())), len(list(net.modules()))
        (12, [], 2, 3)
        >>> net.half().first.weight.dtype, net.bfloat16().first.bias.dtype, net.float().to("npu:0").type(at.float32).training
        (ascendtensor.float16, ascendtensor.bfloat16, False)
        >>> net.train().training, net.npu().requires_grad_(False) is net, [name for name, _ in net.named_modules()]
        (True, True, ['', 'first', 'last'])
        >>> net.get_parameter("first.weight") is net.first.weight, net.get_submodule("last") is net.last, net.double().last.weight.dtype
        (True, True, ascendtensor.float64)
    """

    training: bool
    _parameters: dict[str, NPUTensor | None]
    _buffers: dict[str, NPUTensor | None]
    _modules: dict[str, Module | None]
    _forward_hooks: OrderedDict[int, _Hook]
    _forward_pre_hooks: OrderedDict[int, _Hook]
    _state_hooks: dict[str, OrderedDict[int, Callable[..., Any]]]

    def __init__(self) -> None:
        put = super().__setattr__
        put("training", True)
        put("_parameters", {})
        put("_buffers", {})
        put("_modules", {})
        put("_non_persistent_buffers_set", set())
        put("_forward_hooks", OrderedDict())
        put("_forward_pre_hooks", OrderedDict())
        put("_state_hooks", {})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; a class of your own defines it. Call the module itself, so that hooks run.

        Raises:
            UnsupportedError: The class has none.

        Examples:
            >>> at.nn.ReLU().forward(at.tensor([-1.0, 1.0]))
            tensor([0., 1.], device='npu:0')
        """
        raise UnsupportedError(f"the class {type(self).__name__} has no forward", where="Module", advice="Define forward(self, ...).")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._forward_hooks and not self._forward_pre_hooks:
            return self.forward(*args, **kwargs)
        return self._hooked(args, kwargs)

    def _hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        done: set[int] = set()
        try:
            for hook in tuple(self._forward_pre_hooks.values()):
                args, kwargs = self._before(hook, args, kwargs)
            result = self.forward(*args, **kwargs)
            for number, hook in tuple(self._forward_hooks.items()):  # those that there are now: forward may have changed them
                done.add(number)
                found = hook.function(self, args, kwargs, result) if hook.with_kwargs else hook.function(self, args, result)
                result = result if found is None else found
        except BaseException:
            for number, hook in tuple(self._forward_hooks.items()):
                if hook.always_call and number not in done:
                    hook.function(self, args, kwargs, None) if hook.with_kwargs else hook.function(self, args, None)
            raise
        return result

    def _before(self, hook: _Hook, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        found = hook.function(self, args, kwargs) if hook.with_kwargs else hook.function(self, args)
        if found is None:
            return args, kwargs
        if not hook.with_kwargs:
            return found if isinstance(found, tuple) else (found,), kwargs
        if not isinstance(found, tuple) or len(found) != 2:
            raise ValueRangeError(f"a hook with kwargs gives None or (args, kwargs), not {found!r}", where="register_forward_pre_hook")
        return found

    # Attributes

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            held = self.__dict__.get(kind)
            if held is not None and name in held:
                return held[name]
        if not name.startswith("__"):  # pickles and copies ask for methods before there is anything
            self._begun()
        raise absent.attribute_error(f"{type(self).__name__!r} object", name, self, absent.IN_NETWORKS)

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__
        if isinstance(value, Parameter):
            self._begun()
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._begun()
            self._forget(name, "_modules")
            held["_modules"][name] = value
        elif name in held.get("_parameters", ()):
            self._refuse(value is not None, value, "parameter", name)
            held["_parameters"][name] = value
        elif name in held.get("_modules", ()):
            self._refuse(value is not None, value, "module", name)
            held["_modules"][name] = value
        elif name in held.get("_buffers", ()):
            self._refuse(value is not None and not isinstance(value, TensorBase), value, "buffer", name)
            held["_buffers"][name] = value
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                self.__dict__["_non_persistent_buffers_set"].discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        named = (*self._parameters, *self._buffers, *self._modules)
        return sorted({*super().__dir__(), *(name for name in named if name.isidentifier())})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _begun(self) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"call super().__init__() in {type(self).__name__}.__init__ before parameters and modules are set")

    def _forget(self, name: str, but: str) -> None:
        """Take an attribute away wherever else it stands than where it is to be."""
        held = self.__dict__
        for kind in ("_parameters", "_buffers", "_modules"):
            if kind != but:
                held[kind].pop(name, None)
        held.pop(name, None)
        held["_non_persistent_buffers_set"].discard(name)

    def _refuse(self, wrong: bool, value: Any, kind: str, name: str) -> None:
        if wrong:
            needed = {"parameter": "a Parameter or None", "module": "a Module or None", "buffer": "a tensor or None"}[kind]
            raise DTypeError(
                f"{type(value).__name__} for the {kind} {name!r} of {type(self).__name__}, which is to be {needed}", where="Module"
            )

    def _register(self, kind: str, name: str, wrong: bool, value: Any) -> None:
        self._begun()
        if not isinstance(name, str):
            raise DTypeError(f"the name of a {kind} is a string, not {type(name).__name__}", where="Module")
        if not name or "." in name:
            raise KeyError(f"{name!r} is no name for a {kind}: it is empty or has a dot")
        if (
            hasattr(self, name)
            and name not in self.__dict__[{"parameter": "_parameters", "buffer": "_buffers", "module": "_modules"}[kind]]
        ):
            raise KeyError(f"{type(self).__name__} has an attribute {name!r} already")
        self._refuse(wrong, value, kind, name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter under a name; None for one that is left out.

        Raises:
            KeyError: The name is empty, has a dot or is that of another attribute.
            DTypeError: No parameter.

        Like: torch.nn.Module.register_parameter.

        Examples:
            >>> module = at.nn.Module()
            >>> module.register_parameter("scale", at.nn.Parameter(at.ones(1)))
            >>> list(module.state_dict())
            ['scale']
        """
        self._register("parameter", name, param is not None and not isinstance(param, Parameter), param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that belongs to the module and is no weight, such as a running mean.

        Args:
            name: What it is called.
            tensor: The tensor, or None.
            persistent: Whether `state_dict` has it.

        Raises:
            KeyError: The name is empty, has a dot or is that of another attribute.
            DTypeError: No tensor.

        Like: torch.nn.Module.register_buffer.

        Examples:
            >>> module = at.nn.Module()
            >>> module.register_buffer("mask", at.ones(2), persistent=False)
            >>> [name for name, _ in module.named_buffers()], list(module.state_dict()), module.get_buffer("mask") is module.mask
            (['mask'], [], True)
        """
        self._register("buffer", name, tensor is not None and not isinstance(tensor, TensorBase), tensor)
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name, as setting the attribute does. `add_module` is the same. Like: torch.nn.Module.register_module.

        Examples:
            >>> module = at.nn.Module()
            >>> module.register_module("act", at.nn.ReLU())
            >>> module.add_module("drop", at.nn.Dropout(0.1))
            >>> list(dict(module.named_children()))
            ['act', 'drop']
        """
        self._register("module", name, module is not None and not isinstance(module, Module), module)
        self._modules[name] = module

    add_module = register_module

    # What there is

    def _members(self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[kind].items():
                if value is not None and not (remove_duplicate and id(value) in seen):
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, NPUTensor]]:
        """Names and parameters, of the module and of those in it, each once. Like: torch.nn.Module.named_parameters."""
        return self._members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[NPUTensor]:
        """The parameters. Like: torch.nn.Module.parameters."""
        return (value for _, value in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, NPUTensor]]:
        """Names and buffers, as `named_parameters`. Like: torch.nn.Module.named_buffers."""
        return self._members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[NPUTensor]:
        """The buffers. Like: torch.nn.Module.buffers."""
        return (value for _, value in self.named_buffers(recurse=recurse))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Names and modules that are attributes of this one, each once. Like: torch.nn.Module.named_children."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that are attributes of this one. Like: torch.nn.Module.children."""
        return (module for _, module in self.named_children())

    def named_modules(self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """Names and modules at every depth, this one first. Like: torch.nn.Module.named_modules."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module itself and those in it, at every depth. Like: torch.nn.Module.modules."""
        return (module for _, module in self.named_modules())

    def get_submodule(self, target: str) -> Module:
        """The module of that name, "layers.0.conv"; "" is the module itself.

        Raises:
            AttributeError: There is none.

        Like: torch.nn.Module.get_submodule.
        """
        found: Any = self
        for name in target.split(".") if target else ():
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"{name!r} of {target!r} is no module")
        return found  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module in the place of the one of that name; `strict`: where there is one.

        Raises:
            AttributeError: The module that it is to be in is not there, or, with `strict`, the module itself.
            ValueRangeError: No name.

        Like: torch.nn.Module.set_submodule.

        Examples:
            >>> net = at.nn.Sequential(at.nn.Sequential(at.nn.ReLU()))
            >>> net.set_submodule("0.0", at.nn.Tanh())
            >>> net[0][0]
            Tanh()
        """
        if not target:
            raise ValueRangeError("the name of a module is needed", where="set_submodule")
        path, _, name = target.rpartition(".")
        if strict:
            self.get_submodule(target)
        setattr(self.get_submodule(path), name, module)

    def _named(self, target: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if owner.__dict__[kind].get(name) is None:
            raise AttributeError(f"{type(owner).__name__} has no {'parameter' if kind == '_parameters' else 'buffer'} {name!r}")
        return owner.__dict__[kind][name]

    def get_parameter(self, target: str) -> NPUTensor:
        """The parameter of that name; AttributeError if there is none. Like: torch.nn.Module.get_parameter."""
        return self._named(target, "_parameters")  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> NPUTensor:
        """The buffer of that name; AttributeError if there is none. Like: torch.nn.Module.get_buffer."""
        return self._named(target, "_buffers")  # type: ignore[no-any-return]

    # State

    def state_dict(self, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, NPUTensor]:
        """Parameters and persistent buffers by name, sharing the memory of the module's own.

        A class that defines `get_extra_state()` and `set_extra_state(state)` has what the first gives under `_extra_state` as well.

        Args:
            destination: A dict to add to; by default a new one.
            prefix: What the names begin with.
            keep_vars: Whether the values are the parameters themselves.

        Like: torch.nn.Module.state_dict.

        Examples:
            >>> at.nn.Linear(1, 2).load_state_dict(at.nn.Linear(1, 2).state_dict())
            IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        found: dict[str, NPUTensor] = OrderedDict() if destination is None else destination
        self._call_state_hooks("before saving", prefix, keep_vars)
        self._save_to_state_dict(found, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        self._call_state_hooks("saved", found, prefix, {})
        return found

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, value in self._own_state():
            destination[prefix + name] = value if keep_vars else views.alias(value)
        if hasattr(type(self), "get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def _own_state(self) -> Iterator[tuple[str, NPUTensor]]:
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            if value is not None and name not in self._non_persistent_buffers_set:
                yield name, value

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> IncompatibleKeys:
        """Write values into parameters and buffers, by name.

        Args:
            state_dict: Tensors by name, as `state_dict`, `ascendtensor.load` and safetensors files give them. Arrays, and tensors of other
                libraries that are arrays or speak DLPack, do as well.
            strict: Whether names that are missing, or that the module does not have, are an error.
            assign: Whether tensors are taken as they are, with their dtype and device, instead of being copied into the module's.

        Returns:
            The names that were missing, and those that the module does not have.

        Raises:
            StateError: Names (see `strict`) or shapes do not fit; all of them are told, and what fits is loaded.
            DTypeError: No mapping of names.

        Like: torch.nn.Module.load_state_dict.

        Examples:
            >>> layer = at.nn.Linear(2, 1)
            >>> layer.load_state_dict({"weight": np.ones((1, 2)), "bias": [3.0]})
            IncompatibleKeys(missing_keys=[], unexpected_keys=[])
            >>> layer(at.ones(1, 2))
            tensor([[5.]], device='npu:0')
        """
        if not isinstance(state_dict, Mapping):
            raise DTypeError(f"a dict of tensors is needed, not {type(state_dict).__name__}", where="load_state_dict")
        for name in state_dict:
            if not isinstance(name, str):
                raise DTypeError(f"names are strings, not {name!r}", where="load_state_dict")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        self._load(OrderedDict(state_dict), "", {"assign_to_params_buffers": assign}, missing, unexpected, errors)
        if strict:
            errors += [f"not in the module: {', '.join(map(repr, unexpected))}"] if unexpected else []
            errors += [f"missing: {', '.join(map(repr, missing))}"] if missing else []
        if errors:
            advice = (
                "strict=False leaves names alone that do not fit." if strict and len(errors) == bool(unexpected) + bool(missing) else ""
            )
            raise StateError(
                f"the state does not fit {type(self).__name__}:\n  " + "\n  ".join(errors), where="load_state_dict", advice=advice
            )
        return IncompatibleKeys(missing, unexpected)

    def _load(self, state: dict[str, Any], prefix: str, options: dict[str, Any], *found: list[str]) -> None:
        """Load the module, then those in it, each from a dict of its own names, which it may change."""
        self._load_from_state_dict(state, prefix, options, True, *found)
        for name, module in self._modules.items():
            if module is not None:
                inner = f"{prefix}{name}."
                module._load({key: value for key, value in state.items() if key.startswith(inner)}, inner, options, *found)
        self._call_state_hooks("loaded", IncompatibleKeys(*found[:2]))

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        self._call_state_hooks("before loading", state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = dict(self._own_state())
        for key in state_dict:
            name, dot, _ = key.removeprefix(prefix).partition(".")
            if key.startswith(prefix) and name not in (self._modules if dot else own) and (dot or name != _EXTRA):
                unexpected_keys.append(key)
        self._load_extra(state_dict, prefix + _EXTRA, missing_keys, unexpected_keys)
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, mine in own.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.append(key)
                continue
            try:
                given = _given(state_dict[key], mine, assign)
                if given.desc.shape != mine.desc.shape:
                    error_msgs.append(f"{key!r} has the shape {list(given.desc.shape)}, in the module {list(mine.desc.shape)}")
                elif assign:
                    taken = views.alias(given)
                    (self._parameters if name in self._parameters else self._buffers)[name] = (
                        base.marked(taken) if name in self._parameters else taken
                    )
                else:
                    writing.copy_into(mine, given)
            except AscendTensorError as error:
                error_msgs.append(f"{key!r}: {error}")

    def _load_extra(self, state: Mapping[str, Any], key: str, missing: list[str], unexpected: list[str]) -> None:
        takes = hasattr(type(self), "set_extra_state")
        if key not in state:
            missing += [key] if takes else []
        elif takes:
            self.set_extra_state(state[key])
        else:
            unexpected.append(key)

    # Modes, places and dtypes

    def train(self, mode: bool = True) -> Self:
        """Tell the module and all in it whether they train: dropout drops, and batch normalisation takes the batch's statistics.

        Like: torch.nn.Module.train.
        """
        if not isinstance(mode, bool):
            raise ValueRangeError(f"mode must be a bool, not {type(mode).__name__}", where="train")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """`train(False)`. Like: torch.nn.Module.eval."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with every module, this one last. Like: torch.nn.Module.apply.

        Examples:
            >>> net = at.nn.Sequential(at.nn.Linear(1, 1), at.nn.ReLU())
            >>> net = net.apply(lambda module: print(type(module).__name__))
            Linear
            ReLU
            Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Put what a function gives in the place of each parameter, whose object stays, and of each buffer."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for param in self._parameters.values():
            if param is not None:
                param.data = fn(param)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _cast(self, dtype: DType) -> Self:
        return self._apply(lambda each: each.to(dtype) if each.is_floating_point() else each)

    def to(self, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False) -> Self:
        """The module with its parameters and buffers on another device, in another floating or complex dtype, or both; they stay its own.

        Args:
            *args: A dtype, a device, a device and a dtype, or a tensor, whose dtype and device are taken; then `non_blocking`.
            dtype, device: The same by name. Integers keep their dtype.
            non_blocking: As in PyTorch; copies between devices wait anyway.

        Raises:
            DTypeError: A dtype that is neither floating nor complex, or other arguments.
            DeviceError: "cpu": there are no tensors on the host.
            DeviceIndexError: There is no such device.

        Like: torch.nn.Module.to.

        Examples:
            >>> at.nn.Linear(1, 1).to("npu:1", at.float16).weight.device
            npu:1
        """
        place, wanted = _targets(args, device, dtype)
        if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
            raise DTypeError(f"modules take floating and complex dtypes, not {wanted.name}", where="Module.to")

        def put(each: Any) -> Any:
            old = each.desc.dtype
            to = wanted if wanted is not None and (old.is_floating_point or old.is_complex) else old
            return each.to(device=each.desc.device if place is None else place, dtype=to, non_blocking=non_blocking)

        return self._apply(put)

    def npu(self, device: DeviceLike = None) -> Self:
        """The module on a device, by default the current one. Like: torch.nn.Module.cuda."""
        return self._apply(lambda each: each.npu(device))

    def type(self, dst_type: DTypeLike) -> Self:
        """The module with parameters and buffers of one dtype, integers too. Like: torch.nn.Module.type."""
        dtype = as_dtype(dst_type)
        return self._apply(lambda each: each.to(dtype))

    def half(self) -> Self:
        """The module with floating parameters and buffers in float16. Like: torch.nn.Module.half."""
        return self._cast(as_dtype("float16"))

    def bfloat16(self) -> Self:
        """The module with floating parameters and buffers in bfloat16. Like: torch.nn.Module.bfloat16."""
        return self._cast(as_dtype("bfloat16"))

    def float(self) -> Self:
        """The module with floating parameters and buffers in float32. Like: torch.nn.Module.float."""
        return self._cast(as_dtype("float32"))

    def double(self) -> Self:
        """The module with floating parameters and buffers in float64. Like: torch.nn.Module.double."""
        return self._cast(as_dtype("float64"))

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Raises AutogradError, unless called with False. Like: torch.nn.Module.requires_grad_."""
        no_autograd(requires_grad, "requires_grad_")
        return self

    # Hooks

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Have a function called before `forward`: `hook(module, args)`, which may give other arguments.

        Args:
            hook: Gives None, one argument, or a tuple of them; with `with_kwargs`, `hook(module, args, kwargs)` gives None or both.
            prepend: Whether it comes before other hooks.
            with_kwargs: Whether it takes the arguments by keyword too.

        Like: torch.nn.Module.register_forward_pre_hook.

        Examples:
            >>> layer = at.nn.ReLU()
            >>> with layer.register_forward_pre_hook(lambda module, args: args[0] + 1):
            ...     layer(at.zeros(1))
            tensor([1.], device='npu:0')
        """
        return RemovableHandle(self._forward_pre_hooks, _Hook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Have a function called after `forward`: `hook(module, args, output)`, which may give another output.

        Args:
            hook: Gives None or what the module is to give; with `with_kwargs` it is `hook(module, args, kwargs, output)`.
            prepend: Whether it comes before other hooks.
            with_kwargs: Whether it takes the arguments by keyword too.
            always_call: Whether it is called where the module raises, too.

        Like: torch.nn.Module.register_forward_hook.

        Examples:
            >>> layer, seen = at.nn.ReLU(), []
            >>> with layer.register_forward_hook(lambda module, args, output: seen.append(output.shape)):
            ...     y = layer(at.zeros(1, 2))
            >>> seen
            [(1, 2)]
        """
        return RemovableHandle(self._forward_hooks, _Hook(hook, with_kwargs, always_call), prepend)

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have a function called before `state_dict` looks at the module: `hook(module, prefix, keep_vars)`.

        Like: torch.nn.Module.register_state_dict_pre_hook.

        Examples:
            >>> layer = at.nn.ReLU()
            >>> with layer.register_state_dict_pre_hook(lambda module, prefix, keep_vars: print(type(module).__name__)):
            ...     state = layer.state_dict()
            ReLU
        """
        return self._state_hook("before saving", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have a function called with what `state_dict` found in the module and those in it: `hook(module, state_dict, prefix, {})`.

        Args:
            hook: May change the dict, and gives None: anything else is a StateError.

        Like: torch.nn.Module.register_state_dict_post_hook.

        Examples:
            >>> def drop(module, state, prefix, metadata):
            ...     del state[prefix + "bias"]
            >>> layer = at.nn.Linear(1, 1)
            >>> with layer.register_state_dict_post_hook(drop):
            ...     list(layer.state_dict())
            ['weight']
        """
        return self._state_hook("saved", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have a function called before a state is loaded into the module, with the names that begin as the module's do.

        Args:
            hook: `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`; it may change the
                dict, which is no one else's, and the lists; what it gives is not looked at.

        Like: torch.nn.Module.register_load_state_dict_pre_hook.

        Examples:
            >>> def rename(module, state, prefix, *others):
            ...     state[prefix + "weight"] = state.pop(prefix + "w")
            >>> layer = at.nn.Linear(1, 1, bias=False)
            >>> handle = layer.register_load_state_dict_pre_hook(rename)
            >>> layer.load_state_dict({"w": [[3.0]]}), layer.weight.item()
            (IncompatibleKeys(missing_keys=[], unexpected_keys=[]), 3.0)
        """
        return self._state_hook("before loading", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have a function called when a state is in the module and those in it: `hook(module, incompatible_keys)`.

        Args:
            hook: May change the lists of names, as to forgive what is missing, and gives None: anything else is a StateError.

        Like: torch.nn.Module.register_load_state_dict_post_hook.

        Examples:
            >>> layer = at.nn.Linear(1, 1)
            >>> handle = layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
            >>> layer.load_state_dict({"weight": [[3.0]]})
            IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        return self._state_hook("loaded", hook)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., None], with_module: bool = False) -> RemovableHandle:
        """PyTorch's older form of `register_load_state_dict_pre_hook`, which public networks call: the hook takes no module."""
        return self._state_hook("before loading", hook if with_module else partial(_without_module, hook))

    def _state_hook(self, moment: str, hook: Callable[..., None]) -> RemovableHandle:
        return RemovableHandle(self._state_hooks.setdefault(moment, OrderedDict()), hook)

    def _call_state_hooks(self, moment: str, *given: Any) -> None:
        for hook in tuple(self._state_hooks.get(moment, {}).values()):
            found = hook(self, *given)
            if found is not None and moment in ("saved", "loaded"):
                text = f"a hook of what is {moment} changes what it is given and gives None, not {found!r:.60}"
                raise StateError(text, where="state_dict" if moment == "saved" else "load_state_dict")

    # Text

    def extra_repr(self) -> str:
        """What the text of the module says of itself; a class of your own may define it. Like: torch.nn.Module.extra_repr.

        Examples:
            >>> at.nn.Linear(1, 2).extra_repr()
            'in_features=1, out_features=2, bias=True'
        """
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        own = self.extra_repr()
        lines = [*own.split("\n")] if own else []
        inner = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not inner:
            return f"{self._get_name()}({own})"
        if not lines and not inner:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join((*lines, *inner)) + "\n)"


def _without_module(hook: Callable[..., None], module: Module, *given: Any) -> None:
    hook(*given)


def _given(value: Any, mine: NPUTensor, assign: bool) -> NPUTensor:
    """A value of a state as a tensor where the module's own is; `assign` leaves tensors where they are."""
    if isinstance(value, TensorBase):
        found: NPUTensor = asarray(value, device=None if assign else mine.desc.device)
    else:
        detach = getattr(value, "detach", None)  # tensors of other libraries that have gradients are arrays only without them
        found = asarray(value if detach is None else detach(), device=mine.desc.device)
    return views.reshape(found, ()) if not mine.desc.shape and found.desc.shape == (1,) else found  # PyTorch wrote numbers so before 0.4


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _targets(args: tuple[Any, ...], device: Any, dtype: Any) -> tuple[Device | None, DType | None]:
    """The device and the dtype that the arguments of `to` name."""
    words = [each for each in args if not isinstance(each, bool)]
    if len(words) == 1 and isinstance(words[0], TensorBase) and device is None and dtype is None:
        return words[0].desc.device, words[0].desc.dtype
    for word in words:
        if isinstance(word, (str, int, Device)) and device is None and not _is_dtype(word):
            device = word
        elif word is not None and dtype is None:
            dtype = word
        elif word is not None:
            advice = "Give a dtype, a device, a device, then a dtype, or a tensor."
            raise DTypeError(f"the arguments {args!r} do not fit", where="Module.to", advice=advice)
    return None if device is None else as_device(device), None if dtype is None else as_dtype(dtype)


def _is_dtype(word: Any) -> bool:
    if not isinstance(word, str):
        return False
    try:
        as_dtype(word)
    except DTypeError:
        return False
    return True


def check_rank(input: NPUTensor, ranks: tuple[int, ...], module: Module) -> int:
    """The number of dims of what a module is given.

    Raises:
        DTypeError: It is no tensor.
        ShapeError: The number is none of `ranks`.
    """
    name = type(module).__name__
    rank = len(require_tensor(input, "input", name).desc.shape)
    if rank not in ranks:
        raise ShapeError(f"{' or '.join(map(str, ranks))} dims are needed, not {rank}").with_context(name, (input,))
    return rank


def parameter(*shape: int, dtype: DTypeLike | None, device: DeviceLike) -> NPUTensor:
    """A parameter whose values are still to be written."""
    return Parameter(empty(*shape, dtype=dtype, device=device))
