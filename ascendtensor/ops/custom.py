"""Operators of the user's own: an Ascend IR operator out of a custom operator package, called like any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Final

from ..base import TensorBase
from ..codes import Format
from ..dtypes import dtype as DType
from ..errors import DTypeError, ShapeError, ValueRangeError
from ..promotion import Kind
from .arguments import described
from .call import call
from .schema import COMPUTE, RESULT, Attr, Input, Meta, Outcome, Output, Row, Rule

_KINDS: Final[dict[Any, str]] = {bool: "bool", int: "int", float: "float", str: "string", DType: "data_type"}
_LISTS: Final[dict[Any, str]] = {
    list[bool]: "list_bool",
    list[int]: "list_int",
    list[float]: "list_float",
    list[str]: "list_string",
    list[DType]: "list_data_type",
    list[list[int]]: "list_list_int",
}
_MARKS: Final = {"?": "optional", "*": "repeated"}


def register_op(
    op_type: str,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    attrs: Mapping[str, Any] | None = None,
    *,
    shape: Callable[..., Any] | None = None,
    dtype: Callable[..., Any] | DType | None = None,
) -> CustomOp:
    """A function that launches an Ascend IR operator of your own, whose package is installed in CANN, or whose models you load.

    Args:
        op_type: Its type, as in the prototype.
        inputs: Names of the inputs in the prototype's order; "bias?" is optional, "xs*" (the last one) repeated.
        outputs: Names of the outputs.
        attrs: Its attributes: a default (True, 1, 0.5, "text", a dtype, a list that is not empty), or for one that must be given its type
            (bool, int, float, str, at.dtype, list[int], ...). Each launch carries all of them.
        shape: `shape(*input shapes, **attrs)` gives the output's shape, with several outputs a list of shapes; None for an input that is
            absent. Without it the outputs have the first input's shape.
        dtype: The outputs' dtype, or `dtype(*input dtypes, **attrs)`, with several outputs a list; without it that of the first input.

    Returns:
        The function: tensors in order, attributes by name. On the simulator it needs a kernel:
        `simulator.kernel`.

    Like: torch.library.custom_op.

    Examples:
        >>> axpy = at.register_op("Axpy", ["x1", "x2"], ["y"], {"alpha": 1.0})
        >>> axpy(at.ones(2), at.ones(2), alpha=2.0)
        tensor([3., 3.], device='npu:0')
    """
    return CustomOp(op_type, inputs, outputs, attrs or {}, shape, dtype)


class CustomOp:
    """An operator of the user's own; `register_op` makes it. Call it with tensors, and attributes by name.

    Examples:
        >>> relu = at.register_op("Relu", ["x"], ["y"])
        >>> relu(at.tensor([-1.0, 2.0]))
        tensor([0., 2.], device='npu:0')
    """

    def __init__(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attrs: Mapping[str, Any],
        shape: Callable[..., Any] | None,
        dtype: Callable[..., Any] | DType | None,
    ) -> None:
        if not isinstance(op_type, str) or not op_type.isidentifier():
            advice = 'Such as "MyAxpy", as in the prototype.'
            raise ValueRangeError(f"{op_type!r} is no operator's type", where="register_op", advice=advice)
        if isinstance(inputs, str) or isinstance(outputs, str) or not inputs or not outputs:
            raise ValueRangeError("inputs and outputs are lists of names, with at least one each", where="register_op")
        self.op_type = op_type
        self._inputs = [(name.rstrip("?*"), _MARKS.get(name[-1:], "device")) for name in inputs]
        if any(kind == "repeated" for _, kind in self._inputs[:-1]) or self._inputs[0][1] == "optional":
            raise ValueRangeError("the first input must be there, and only the last one may be repeated", where="register_op")
        self._outputs = list(outputs)
        self._kinds = {name: _kind(name, value) for name, value in attrs.items()}
        self._defaults = {name: value for name, value in attrs.items() if not _is_type(value)}
        self._shape = shape
        self._dtype = dtype
        self._rows: dict[tuple[Any, ...], Row] = {}

    def __repr__(self) -> str:
        return f"<operator {self.op_type}({', '.join(name for name, _ in self._inputs)})>"

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        """Launch it: the result tensor, or a tuple of them."""
        given, arguments = self._bind(operands, attrs)
        return self._launch(self._row(tuple(None if operand is None else operand.dtype for operand in given)), given, arguments)

    def _launch(self, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
        return call(row, operands, arguments)

    def _bind(self, operands: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Operands with None for those that are left away, and values of all attributes."""
        for operand in operands:
            if not (operand is None or isinstance(operand, TensorBase)):
                raise DTypeError(f"{described(operand)} is no tensor", where=self.op_type, advice="Make one of it with tensor().")
        repeated = self._inputs[-1][1] == "repeated"
        missing = [name for name, kind in self._inputs[len(operands) :] if kind == "device"]
        if missing or operands[0] is None or (len(operands) > len(self._inputs) and not repeated):
            names = ", ".join(name for name, _ in self._inputs)
            raise ValueRangeError(f"{len(operands)} operands for the inputs {names}", where=self.op_type)
        given = (*operands, *[None] * (len(self._inputs) - len(operands) - repeated))
        unknown = sorted(set(attrs) - set(self._kinds))
        absent = sorted(set(self._kinds) - set(self._defaults) - set(attrs))
        if unknown or absent:
            text = f"it has no attribute {unknown[0]}" if unknown else f"the attribute {absent[0]} must be given"
            raise ValueRangeError(text, where=self.op_type)
        values = {**self._defaults, **attrs}
        return given, tuple(attribute_value(self.op_type, name, kind, values[name]) for name, kind in self._kinds.items())

    def _row(self, dtypes: tuple[Any, ...]) -> Row:
        """Inputs keep their dtypes: there is one row for each combination."""
        row = self._rows.get(dtypes)
        if row is None:
            inputs = tuple(
                Input(name, kind, COMPUTE if index == 0 else dtypes[index] or COMPUTE)
                for index, (name, kind) in enumerate(self._inputs)
                if index < len(dtypes)
            )
            attrs = tuple(Attr(name, kind) for name, kind in self._kinds.items())
            row = made_row(self.op_type, inputs, self._outputs, attrs, self._rule)
            self._rows[dtypes] = row
        return row

    def _rule(self, operands: Sequence[Meta], *values: Any) -> Outcome:
        named = dict(zip(self._kinds, values, strict=True))
        count = len(self._outputs)
        there = [isinstance(operand.dtype, DType) for operand in operands]
        shapes: Any = (operands[0].shape,) * count
        if self._shape is not None:
            shapes = self._shape(*(each.shape if known else None for each, known in zip(operands, there, strict=True)), **named)
            shapes = (shapes,) if count == 1 and all(isinstance(size, int) for size in shapes) else shapes
        dtypes: Any = self._dtype
        if dtypes is not None and not isinstance(dtypes, DType):
            dtypes = dtypes(*(each.dtype if known else None for each, known in zip(operands, there, strict=True)), **named)
        if isinstance(dtypes, DType):
            dtypes = (dtypes,) * count
        if len(shapes) != count or (dtypes is not None and len(dtypes) != count):
            raise ShapeError(f"the rules of {self.op_type} must give one shape and one dtype for each of {count} outputs")
        return Outcome(tuple(tuple(map(int, shape)) for shape in shapes), attrs=named, dtypes=None if dtypes is None else tuple(dtypes))


def _is_type(value: Any) -> bool:
    return isinstance(value, (type, GenericAlias))


def _kind(name: str, value: Any) -> str:
    """ACL's kind of an attribute, by its default or its type."""
    if _is_type(value):
        kind = _KINDS.get(value) or _LISTS.get(value)
    elif isinstance(value, (list, tuple)) and value:
        first = value[0]
        kind = "list_list_int" if isinstance(first, (list, tuple)) else f"list_{_KINDS.get(type(first))}"
    else:
        kind = _KINDS.get(type(value))
    if kind is None or kind.endswith("None"):
        raise ValueRangeError(f"the attribute {name} needs a default or a type, not {value!r}", where="register_op")
    return kind


def made_row(
    op_type: str,
    inputs: Sequence[Input],
    outputs: Sequence[str],
    attrs: Sequence[Attr],
    rule: Rule,
    format: Format = Format.ND,
    **more: Any,
) -> Row:
    """A row that is made while the program runs: operands are not promoted, and the rule says what the outputs are."""
    results = tuple(Output(name, RESULT, format=format) for name in outputs)
    return Row(op_type, op_type, tuple(inputs), results, rule, tuple(attrs), Kind.DEFAULT, numbers=False, **more)


def attribute_value(op_type: str, name: str, kind: str, value: Any) -> Any:
    """An attribute's value, hashable and of exactly its type (PY-3)."""
    if kind.startswith("list_") and isinstance(value, (list, tuple)):
        return tuple(attribute_value(op_type, name, kind[len("list_") :], each) for each in value)
    wanted: Any = {"bool": bool, "int": int, "float": float, "string": str, "data_type": DType}.get(kind)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted is None or type(value) is not wanted:
        raise DTypeError(f"the attribute {name} is {kind}, not {described(value)}", where=op_type)
    return value
