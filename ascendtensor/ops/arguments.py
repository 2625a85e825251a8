"""Wrong arguments of functions: errors that say which function, which parameter, and what it takes.

Functions look at their arguments without asking first, so that right ones cost nothing. Where that fails, `checked` finds the argument at
fault and raises the library's own error instead of the AttributeError or TypeError of some inner line.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar, cast

import numpy as np

from ..base import TensorBase
from ..errors import AscendTensorError, DTypeError, ValueRangeError, describe_operands

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

ONE_DTYPE: Final = "Cast one of them first, such as with x.to(y.dtype)."
_TENSOR: Final = "a tensor"
_TENSORS: Final = "several tensors"
_BY_NAME: Final = {
    **dict.fromkeys(("dim", "dims", "axis", "axes"), "an int or several ints"),
    "tensors": _TENSORS,
    "choices": _TENSORS,
}
"""What parameters take whose annotation leaves it open."""
_TENSOR_ADVICE: Final = "Make one of host data with tensor()."
_PLAIN: Final = frozenset({"builtins", "numpy", "ascendtensor", "__main__"})
"""Modules whose classes are named alone in errors."""
_TENSORS_OWN: Final = ("desc", "buffer")
"""Attributes that only tensors have."""

_OF_NUMPY: Final = {
    "axis": "dim",
    "axes": "dims",
    "keepdims": "keepdim",
    "a": "input",
    "x": "input",
    "x1": "input",
    "x2": "other",
    "train": "training",
    "input": "A",
    "self": "input",
    "element": "elements",
    "test_element": "test_elements",
    **dict.fromkeys(("sections", "indices", "tensor_indices_or_sections"), "indices_or_sections"),
}
"""Words that are taken too: NumPy's, as in PyTorch; `train`, which `torch.dropout` has for `training`; `input` for a matrix `A`; `self`,
`element` and `test_element`, as PyTorch calls numbers for tensors; those that PyTorch's splits have."""

_WRONG: Final = (TypeError, ValueError, AttributeError, OverflowError)
"""What Python raises for an argument of a type or value that the code did not expect."""


def checked(function: F) -> F:
    """A public function that answers wrong arguments with errors of the library.

    Errors of the library get its name and operands, where they have none yet. A call with the wrong number of arguments or an unknown
    keyword stays Python's TypeError, which says so already; NumPy's words for PyTorch's keywords are understood, as PyTorch does.
    Flags are looked at beforehand, since whatever is no bool would be true or false.
    """
    name = function.__name__
    flags = _flags(function)
    if flags:
        return cast(F, functools.wraps(function)(_flagged(function, flags)))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except AscendTensorError as error:
            raise _placed(function, args, kwargs, error).seen_from(name, filter(is_tensor, args)) from None
        except _WRONG as error:
            failure = error
        return _answer(call, function, args, kwargs, failure)

    return cast(F, call)


def _flagged(function: Callable[..., Any], flags: tuple[tuple[int, str], ...]) -> Callable[..., Any]:
    """`checked` for a function that has flags."""
    name, first = function.__name__, flags[0][0]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or len(args) > first:
                for place, flag in flags:
                    value = args[place] if len(args) > place else kwargs.get(flag, True)
                    if value.__class__ is not bool:
                        _require_flag(function, flag, value)
            return function(*args, **kwargs)
        except AscendTensorError as error:
            raise _placed(function, args, kwargs, error).seen_from(name, filter(is_tensor, args)) from None
        except _WRONG as error:
            failure = error
        return _answer(call, function, args, kwargs, failure)

    return call


def _answer(
    call: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], failure: Exception
) -> Any:
    """A call of a checked function that failed: called again with PyTorch's words for NumPy's, or the argument at fault named."""
    if failure.__traceback__ is None or failure.__traceback__.tb_next is None:  # the arguments did not fit the signature
        words = in_pytorchs_words(inspect.signature(function), kwargs)
        if words is None:
            raise failure
        return call(*args, **words)
    blamed = blame(function.__name__, inspect.signature(function), args, kwargs, failure)
    if blamed is None:
        raise failure
    raise blamed from failure


def unfit(failure: Exception, given: str = "") -> AscendTensorError:
    """The library's error for one of Python's that some argument led to; `checked` finds out which."""
    kind = ValueRangeError if isinstance(failure, (ValueError, OverflowError)) else DTypeError
    error = kind(f"an argument does not fit{given}: {failure}")
    error.of_argument, error.__cause__ = True, failure
    return error


def _placed(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: AscendTensorError) -> AscendTensorError:
    """An error of `unfit` with the argument of this function that is at fault; any other error as it is."""
    if not error.of_argument or not isinstance(error.__cause__, Exception):
        return error
    return blame(function.__name__, inspect.signature(function), args, kwargs, error.__cause__) or error


_TRUTHS: Final = frozenset(
    ("antialias", "get_infos", "hard", "include_last_offset", "inplace", "recompute_scale_factor", "return_indices", "sym")
)
"""Flags that PyTorch takes by their truth."""
_BOOLS: Final = ("bool", "_Bool", "bool | None", "_Bool | None")
_NOWHERE: Final = 1 << 30


def _flags(function: Callable[..., Any]) -> tuple[tuple[int, str], ...]:
    """Place and name of each flag of a function; those given by keyword only have a place that no call reaches."""
    names = [word for word, kind in function.__annotations__.items() if kind in _BOOLS and word not in _TRUTHS and word != "return"]
    if not names:
        return ()
    code = inspect.unwrap(function).__code__
    places = code.co_varnames[: code.co_argcount]
    return tuple(sorted((places.index(word) if word in places else _NOWHERE, word) for word in names))


def _require_flag(function: Callable[..., Any], flag: str, value: Any) -> None:
    """Refuse a flag that is no bool; NumPy's are some, and None is one that may be left out.

    Raises:
        DTypeError: It is something else.
    """
    optional = str(function.__annotations__[flag]).endswith("None")
    if not isinstance(value, np.bool_) and (value is not None or not optional):
        raise DTypeError(f"{flag} must be {'a bool or None' if optional else 'a bool'}, not {described(value)}")


_VIEWS: Final = frozenset(
    (
        "chunk",
        "narrow",
        "select",
        "split",
        "split_with_sizes",
        "squeeze_",
        "stride",
        "tensor_split",
        "unbind",
        "unflatten",
        "unsqueeze",
        "unsqueeze_",
    )
)
"""Methods that launch nothing: looking at their words would be a tenth of their time."""


def worded_methods(methods: type[C]) -> type[C]:
    """A class whose methods take `axis` and `keepdims` for `dim` and `keepdim`, and splits their words, as PyTorch's do; those that name
    them keep what they do."""
    members: dict[str, Any] = {}
    for owner in reversed(methods.__mro__):
        members.update(vars(owner))
    for name, method in members.items():
        if not name.startswith("__") and inspect.isfunction(method):
            code = inspect.unwrap(method).__code__  # a signature of each would be a quarter of the time of the import
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            turned = name not in _VIEWS and "axis" not in names and ("dim" in names or "keepdim" in names)
            if turned or "indices_or_sections" in names:
                setattr(methods, name, _worded(method))
    return methods


def _worded(method: F) -> F:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs and not _OF_NUMPY.keys().isdisjoint(kwargs):
            kwargs = in_pytorchs_words(inspect.signature(method), kwargs) or kwargs
        return method(self, *args, **kwargs)

    return cast(F, call)


def in_pytorchs_words(signature: inspect.Signature, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Keywords with PyTorch's words for NumPy's, where the function has those; None where nothing changes."""
    known = signature.parameters
    words = {
        word if word in known or _OF_NUMPY.get(word) not in known or _OF_NUMPY[word] in kwargs else _OF_NUMPY[word]: value
        for word, value in kwargs.items()
    }
    return words if words.keys() != kwargs.keys() else None


def blame(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], failure: Exception
) -> AscendTensorError | None:
    """The error for the argument that made a call fail; None where no argument is at fault, which is then a defect of the library."""
    given = list(_arguments(signature, args, kwargs))
    operands = [value for _, value in given if is_tensor(value)]
    for parameter, value in given:
        wanted = _wanted(parameter)
        if wanted and not _fits(wanted, value):
            advice = _TENSOR_ADVICE if wanted == _TENSOR else ""
            text = f"{parameter.name} must be {wanted}, not {described(value)}"
            return DTypeError(text, advice=advice).with_context(name, operands)
    if isinstance(failure, AttributeError):
        return _without_attribute(name, given, operands, failure)
    others = ", ".join(f"{parameter.name}={describe_operands(value)}" for parameter, value in given if not is_tensor(value))
    return unfit(failure, others and f" ({others})").with_context(name, operands)


def _without_attribute(
    name: str, given: list[tuple[inspect.Parameter, Any]], operands: list[Any], failure: AttributeError
) -> AscendTensorError | None:
    """Something that was taken for a tensor: an argument, or one of a list of them."""
    culprit = failure.obj
    for parameter, value in given:
        if value is culprit:
            advice = _TENSOR_ADVICE if failure.name in _TENSORS_OWN else ""
            return DTypeError(f"{parameter.name} can't be {described(value)}", advice=advice).with_context(name, operands)
        if isinstance(value, (str, list, tuple, set, dict)) and any(part is culprit for part in value):
            text = f"{parameter.name} must hold tensors, not {described(culprit)}"
            return DTypeError(text, advice=_TENSOR_ADVICE).with_context(name, operands)
    if failure.name in _TENSORS_OWN:
        return DTypeError(f"a tensor is needed where {described(culprit)} was given").with_context(name, operands)
    return None


def described(value: Any) -> str:
    """A wrong value in a few words."""
    kind = type(value).__name__
    home = type(value).__module__.partition(".")[0]
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        text = repr(value)
        return text if value is None else f"the {kind} {text if len(text) <= 40 else text[:37] + '...'}"
    return kind if home in _PLAIN else f"{home}.{kind}"


def require_tensor(value: Any, parameter: str, function: str) -> TensorBase:
    """`value`, which has to be a tensor.

    Raises:
        DTypeError: It is none.
    """
    if isinstance(value, TensorBase):
        return value
    raise DTypeError(f"{parameter} must be a tensor, not {described(value)}", advice=_TENSOR_ADVICE).with_context(function)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor of this library. Like: torch.is_tensor.

    Examples:
        >>> at.is_tensor(at.ones(2))
        True
        >>> at.is_tensor(np.ones(2))
        False
    """
    return isinstance(obj, TensorBase)


def _arguments(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[inspect.Parameter, Any]]:
    """Each parameter with what was given for it; those of `*shape` and the like one by one."""
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((parameter, part) for part in value)
        else:
            yield parameter, value


def _wanted(parameter: inspect.Parameter) -> str:
    """What a parameter takes, in words, by its annotation; nothing where that leaves it open."""
    parts = set(re.split(r"\s*\|\s*", str(parameter.annotation)))
    optional = "None" in parts or parameter.default is None
    parts.discard("None")
    for names, words in _KINDS:
        if parts and parts <= names:
            return f"{words} or None" if optional else words
    words = _BY_NAME.get(parameter.name, "")
    return f"{words} or None" if words and optional else words


_KINDS: Final = (
    (frozenset({"T", "TensorBase", "NPUTensor", "Self"}), _TENSOR),
    (frozenset({"int"}), "an int"),
    (frozenset({"int", "float"}), "a number"),
    (frozenset({"Sequence[T]"}), _TENSORS),
    (frozenset({"str"}), "a str"),
)


def _fits(wanted: str, value: Any) -> bool:
    if value is None:
        return wanted.endswith(" or None")
    if wanted.startswith(_TENSOR):
        return isinstance(value, TensorBase)
    if wanted.startswith(_TENSORS):
        return isinstance(value, (TensorBase, Iterable)) and not isinstance(value, (str, bytes))
    if wanted.startswith("an int or several"):
        return all(map(_is_int, _parts(value)))
    if wanted.startswith("an int"):
        return _is_int(value)
    if wanted.startswith("a number"):
        return hasattr(value, "__float__") or _is_int(value)
    return isinstance(value, str)


def _parts(value: Any) -> Iterable[Any]:
    """What several ints may be given in, or the one."""
    if isinstance(value, (str, bytes, TensorBase)):
        return (value,)
    try:
        return tuple(value)
    except TypeError:
        return (value,)


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__")
