"""NumPy kernels for Ascend IR operators of the user's own, so that programs with custom operator packages run without an NPU.

What it declares here is compared with what a program asks for, as CANN compares with the package's prototype: a wrong name or count of
attributes fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Final, TypeVar

from ascendtensor import facts
from ascendtensor.codes import DataType
from ascendtensor.simulator.engine import handles
from ascendtensor.simulator.kernels import registry

__all__ = ["kernel"]

F = TypeVar("F", bound=Callable[..., Any])

_KINDS: Final[dict[Any, str]] = {bool: "Bool", int: "Int", float: "Float", str: "String", DataType: "Type"}
_LISTS: Final[dict[Any, str]] = {
    list[bool]: "ListBool",
    list[int]: "ListInt",
    list[float]: "ListFloat",
    list[str]: "ListString",
    list[list[int]]: "ListListInt",
}
_MARKS: Final[dict[str, Any]] = {"?": "optional", "*": "dynamic"}


def kernel(
    op_type: str,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    attrs: Mapping[str, Any] | None = None,
    infer: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Decorates ``run(inputs, outputs, attrs)``, which reads the input arrays (None for an absent one) and writes into the output arrays.

    Args:
        op_type: The operator's type; a second kernel of it replaces the first, in models that are loaded too.
        inputs: Names of the prototype's inputs; "bias?" is optional, "xs*" repeated.
        outputs: Names of its outputs.
        attrs: Its attributes: a default (True, 1, 0.5, "text", a codes.DataType, a list that is not empty), or the type of a required one.
        infer: The shape rule for ``acl.op.infer_shape``, as the simulator's own kernels have it.

    Raises:
        ValueError: CANN has an operator of that name, or an attribute is of no kind that ACL has.

    Examples:
        >>> @simulator.kernel("Doubled")
        ... def doubled(inputs, outputs, attrs):
        ...     np.multiply(inputs[0], 2, outputs[0])
        >>> at.register_op("Doubled", ["x"], ["y"])(at.ones(2))
        tensor([2., 2.], device='npu:0')
    """
    known = [_attribute(name, value) for name, value in (attrs or {}).items()]
    prototype = [_parameter(name) for name in inputs], [_parameter(name) for name in outputs]

    def register(run: F) -> F:
        def bind(given: Any, results: Any, values: dict[str, Any]) -> registry.Task:
            return run, (given, results, values)

        facts.declare(op_type, *prototype, known)
        registry.replace(op_type, bind, infer)
        handles.bind_anew(op_type)
        return run

    return register


def _parameter(name: str) -> facts.Parameter:
    return facts.Parameter(name.rstrip("?*"), _MARKS.get(name[-1:], "required"), ())


def _attribute(name: str, value: Any) -> facts.Attribute:
    required = isinstance(value, (type, GenericAlias))
    if required:
        kind = _KINDS.get(value) or _LISTS.get(value)
    elif isinstance(value, list) and value:
        first = value[0]
        kind = "ListListInt" if isinstance(first, list) else _LISTS.get(list[type(first)])  # type: ignore[misc]
    else:
        kind = _KINDS.get(type(value))
    if kind is None:
        raise ValueError(f"the attribute {name} needs a default or a type, not {value!r}")
    return facts.Attribute(name, kind, facts.REQUIRED if required else int(value) if kind == "Type" else value)
