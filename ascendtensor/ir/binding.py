"""From what a call was given to what the road of launches takes: operands, constants and attributes, checked by the prototype."""

from __future__ import annotations

import keyword
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from .. import facts
from ..base import TensorBase
from ..codes import Format
from ..dtypes import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..dtypes import dtype as DType
from ..errors import DTypeError, ValueRangeError
from ..ops.arguments import described
from ..ops.custom import attribute_value
from .prototype import constable, nearest, shown, wrong

DTYPES: Final = {
    each.name: each
    for each in (
        *(bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64),
        *(float16, bfloat16, float32, float64, complex64, complex128),
    )
}
_PREFERRED: Final = {
    "b": ("bool", "int64", "int32", "uint8"),
    "i": ("int64", "int32", "uint64", "uint32", "int16", "int8", "uint8", "float32", "float16", "bfloat16", "float64"),
    "f": ("float32", "float16", "bfloat16", "float64"),
    "c": ("complex64", "complex128"),
}
_FORMATS: Final = ("NCHW", "NHWC", "NCDHW", "NDHWC")
_KINDS: Final = {"Bool": "bool", "Int": "int", "Float": "float", "String": "string", "Type": "data_type"}


def kind_of(attr: facts.Attribute) -> str:
    """ACL's word for the kind of an attribute."""
    base = attr.type.replace("List", "")
    return "list_" * attr.type.count("List") + _KINDS.get(base, base.lower())


class Slot(NamedTuple):
    """One tensor of the operator's inputs; a repeated input has several.

    Attributes:
        name: Its name, with its number if it is repeated.
        member: The repeated input that it belongs to.
        kind: "device", "const", or "absent".
        dtype: What it is bound as; None where it is absent.
        format: How its axes are understood.
        depended: Whether the values may decide the outputs' shapes: they are not known of a tensor on a device.
        tiling: Whether the kernel's tiling reads them.
    """

    name: str
    member: str
    kind: str
    dtype: DType | None
    format: Format
    depended: bool
    tiling: bool


class Bound(NamedTuple):
    """A call that fits the prototype.

    Attributes:
        slots: The inputs.
        operands: Tensors and numbers of the slots that are not constants; None for absent ones.
        constants: (shape, bytes) of those that are.
        tensors: Tensors by the input's name, in order.
    """

    slots: tuple[Slot, ...]
    operands: tuple[Any, ...]
    constants: tuple[tuple[tuple[int, ...], bytes], ...]
    tensors: dict[str, list[TensorBase]]


def bind(operator: facts.Operator, inputs: Sequence[Any], format: Format) -> Bound:
    """Check inputs by the prototype, and choose dtypes for those that are Python's.

    Raises:
        ValueRangeError: Too many or too few.
        DTypeError: One is nothing that the operator takes.
    """
    parameters = operator.inputs
    missing = [each.name for each in parameters[len(inputs) :] if each.kind != "optional"]
    if missing or len(inputs) > len(parameters):
        text = f"the input {missing[0]} is missing" if missing else f"{len(inputs)} inputs were given, it has {len(parameters)}"
        raise wrong(operator, ValueRangeError(text))
    given = (*inputs, *[None] * (len(parameters) - len(inputs)))
    members = [_members(operator, parameter, value) for parameter, value in zip(parameters, given, strict=True)]
    dtypes = _dtypes(operator, members)
    slots: list[Slot] = []
    operands: list[Any] = []
    constants: list[tuple[tuple[int, ...], bytes]] = []
    tensors: dict[str, list[TensorBase]] = {}
    for parameter, values, dtype in zip(parameters, members, dtypes, strict=True):
        reads = constable(operator, parameter)
        tensors[parameter.name] = [value for value in values if isinstance(value, TensorBase)]
        for number, value in enumerate(values):
            repeated = parameter.kind == "dynamic"
            is_tensor = isinstance(value, TensorBase)
            const = value is not None and not is_tensor and reads
            own = value.desc.dtype if is_tensor else dtype
            slots.append(
                Slot(
                    f"{parameter.name}{number}" if repeated else parameter.name,
                    parameter.name if repeated else "",
                    "absent" if value is None else "const" if const else "device",
                    own,
                    format if is_tensor and len(format.name) == len(value.desc.shape) else Format.ND,
                    is_tensor and reads,
                    is_tensor and parameter.name in operator.value_depend,
                )
            )
            if const:
                constants.append(_constant(operator, parameter, value, own))
            else:
                operands.append(value)
    return Bound(tuple(slots), tuple(operands), tuple(constants), tensors)


def _members(operator: facts.Operator, parameter: facts.Parameter, value: Any) -> Sequence[Any]:
    """The values of one input: those of a repeated one, else one."""
    if parameter.kind == "dynamic":
        if not isinstance(value, (list, tuple)):
            text = f"the input {parameter.name} is repeated: it takes a list of tensors, not {shown(value)}"
            raise wrong(operator, DTypeError(text))
        for each in value:
            if not isinstance(each, TensorBase):
                raise wrong(operator, DTypeError(f"the input {parameter.name} takes a list of tensors; {described(each)} is none"))
            _check_dtype(operator, parameter, each)
        return value
    if value is None:
        if parameter.kind != "optional":
            raise wrong(operator, DTypeError(f"the input {parameter.name} can't be None"))
    elif isinstance(value, TensorBase):
        _check_dtype(operator, parameter, value)
    elif not _is_host_value(value):  # neither is a list with a tensor in it: NumPy would download that
        raise wrong(operator, DTypeError(f"the input {parameter.name} can't be {shown(value)}", advice=_advice(value)))
    elif not constable(operator, parameter) and not isinstance(value, (bool, int, float, complex, np.generic)):
        text = f"the input {parameter.name} is no constant of the operator: it takes a tensor or a number, not {shown(value)}"
        raise wrong(operator, DTypeError(text, advice="Make a tensor of it with tensor()."))
    return (value,)


def _is_host_value(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_host_value, value))
    return isinstance(value, (bool, int, float, complex, np.generic, np.ndarray, range))


def _advice(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "A list holds numbers; tensors are joined by stack()."
    return "" if isinstance(value, (str, bytes)) else "Make a tensor of it with tensor()."


def _check_dtype(operator: facts.Operator, parameter: facts.Parameter, tensor: TensorBase) -> None:
    name = tensor.desc.dtype.name
    # A prototype's list binds only where it ties dtypes by a symbol (graph_metadef, SymDtype::Eval); kernels of the AI CPU may take more.
    more = (operator.aicpu_dtypes or {}).get(parameter.name, ())
    if parameter.dtypes and name not in parameter.dtypes and name not in more:
        text = f"the input {parameter.name} can't be {name}; it takes {', '.join(parameter.dtypes)}"
        raise wrong(operator, DTypeError(text).with_context(operator.op_type, (tensor,)))


def _dtypes(operator: facts.Operator, members: Sequence[Sequence[Any]]) -> list[DType | None]:
    """A dtype for each input: a tensor's own, and of a Python value one that has a kernel together with the others."""
    names: list[str | None] = []
    python: list[int] = []
    for position, values in enumerate(members):
        value = values[0] if values else None
        names.append(value.desc.dtype.name if isinstance(value, TensorBase) else None)
        if value is not None and not isinstance(value, TensorBase):
            python.append(position)
    if python:
        lead = next((name for name in names if name is not None), "")
        open_ones = set(python)
        # The most particular kind first: a float decides what an int beside it is.
        for position in sorted(python, key=lambda position: -"bifc".index(_kind(members[position][0]))):
            names[position] = _choice(operator, position, members[position][0], names, open_ones, lead)
            open_ones.discard(position)
    return [None if name is None else DTYPES.get(name) for name in names]


def _kind(value: Any) -> str:
    """What kind of number a Python value holds: "b", "i", "f" or "c"."""
    try:
        kind = np.asarray(value).dtype.kind
    except (ValueError, OverflowError):
        return "i"
    return {"b": "b", "c": "c"}.get(kind, "i" if kind in "iuO" else "f")  # an int that fits no dtype is an object to NumPy


def _choice(operator: facts.Operator, position: int, value: Any, names: Sequence[str | None], open_ones: set[int], lead: str) -> str:
    """The dtype of a Python value: its own or that of the tensors if there is a kernel, else the first of its kind that has one."""
    parameter = operator.inputs[position]
    legal = _legal(operator, position, names, open_ones)
    own: list[str] = [value.dtype.name] if isinstance(value, (np.ndarray, np.generic)) else []
    kinds = _PREFERRED["i" if isinstance(value, (list, tuple)) and not value else _kind(value)]
    first = [lead] if lead in kinds and not constable(operator, parameter) else []
    for allowed in (legal, parameter.dtypes):
        for name in (*own, *first, *kinds):
            if name in DTYPES and (name in allowed or not (allowed or parameter.dtypes)):
                return name
    text = f"the input {parameter.name} takes {', '.join(legal or parameter.dtypes)}; {shown(value)} is none of these"
    raise wrong(operator, DTypeError(text))


def _legal(operator: facts.Operator, position: int, names: Sequence[str | None], open_ones: set[int]) -> Sequence[str]:
    """Dtypes of one input for which a 910B has a kernel, beside the dtypes of the others that are decided."""
    parameter = operator.inputs[position]
    rows = [
        combo[0][position]
        for combo in operator.combos_910b
        if len(combo[0]) == len(names)
        and all(name is None or other in open_ones or name == combo[0][other] for other, name in enumerate(names))
    ]
    found = [name for name in dict.fromkeys(rows) if name is not None]
    return found or [name for name in operator.dtypes_910b.get(parameter.name, ()) if not parameter.dtypes or name in parameter.dtypes]


def _constant(operator: facts.Operator, parameter: facts.Parameter, value: Any, dtype: DType | None) -> tuple[tuple[int, ...], bytes]:
    assert dtype is not None
    try:
        given = np.asarray(value)
        array = given.astype(dtype.numpy) if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value, dtype.numpy)
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong(operator, ValueRangeError(f"the constant {parameter.name} does not fit {dtype.name}: {error}")) from None
    if array.size == 0:
        raise wrong(operator, ValueRangeError(f"the constant {parameter.name} is empty, which pyACL does not take"))
    if dtype.category <= 1 and given.dtype.kind in "biu" and not np.array_equal(given, array):
        raise wrong(operator, ValueRangeError(f"the constant {parameter.name} does not fit {dtype.name}"))
    return array.shape, array.tobytes()


_OF_THE_GRAPH_ENGINE: Final = {"_exclude_engines": "string"}
"""Attributes that every operator takes beside those of its prototype: `_exclude_engines="AiCore"` has the AI CPU run it."""


class Attributes:
    """The attributes of an operator: their kinds and defaults, worked out once."""

    def __init__(self, operator: facts.Operator) -> None:
        self._operator = operator
        self.kinds = {attr.name: kind_of(attr) for attr in operator.attrs if attr.type != "Tensor"} | _OF_THE_GRAPH_ENGINE
        self.defaults = {attr.name: _hashable(attr.default) for attr in operator.attrs if attr.default is not facts.REQUIRED}
        self.defaults |= dict.fromkeys(_OF_THE_GRAPH_ENGINE)
        repeated = [position for position, each in enumerate(operator.inputs) if each.kind == "dynamic"]
        self.counted = repeated[0] if repeated and self.kinds.get("N") == "int" else -1

    def values(self, given: Mapping[str, Any], inputs: Sequence[Any]) -> dict[str, Any]:
        """Value of each attribute that a launch carries, in the prototype's order.

        Args:
            given: Those of the call.
            inputs: Its inputs: the attribute N says once more how many members the repeated one has.

        Raises:
            ValueRangeError: One is unknown or missing, or N is another number.
            DTypeError: One is of another type.
        """
        operator = self._operator
        named = {name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name: value for name, value in given.items()}
        for name in named:
            if name not in self.kinds:
                raise wrong(operator, ValueRangeError(f"it has no attribute {name!r}", advice=self._instead_of(name)))
        if 0 <= self.counted < len(inputs) and isinstance(inputs[self.counted], (list, tuple)):
            count = len(inputs[self.counted])
            if named.setdefault("N", count) != count:
                name = operator.inputs[self.counted].name
                raise wrong(operator, ValueRangeError(f"N is {named['N']}, and {name} has {count} members"))
        values: dict[str, Any] = {}
        for name, kind in self.kinds.items():
            if name in named:
                values[name] = self._value(name, kind, named[name])
            elif name not in self.defaults:
                raise wrong(operator, ValueRangeError(f"the attribute {name} must be given"))
            elif self.defaults[name] is not None:
                values[name] = self.defaults[name]
        return values

    def _instead_of(self, name: str) -> str:
        if any(each.name == name for each in self._operator.inputs):
            return f"{name} is an input: inputs are given by position."
        if any(each.name == name for each in self._operator.outputs):
            return f"{name} is an output: outputs= describes them."
        near = nearest(name, self.kinds)
        return f"Did you mean {near}?" if near else ""

    def _value(self, name: str, kind: str, value: Any) -> Any:
        try:
            return attribute_value(self._operator.op_type, name, kind.replace("data_type", "int"), _plain(value))
        except DTypeError as error:
            error.message = f"the attribute {name} is {kind.replace('list_', 'list of ')}, not {shown(value)}"
            raise wrong(self._operator, error) from None


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's, dtypes as ACL's numbers; what is not is left to be refused."""
    if isinstance(value, DType):
        return int(value.acl)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, range)):
        return [_plain(each) for each in value]
    return int(value) if type(value) is not bool and isinstance(value, int) else value


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def minus_zeros(values: Sequence[Any]) -> Hashable:
    """Positions of the attributes that are -0.0, which equals 0.0 and is another value."""
    return tuple(index for index, value in enumerate(values) if type(value) is float and not value and math.copysign(1.0, value) < 0)


def format_of(operator: facts.Operator, format: str | None, values: Mapping[str, Any]) -> Format:
    """How the axes of images are understood: as was said, else as the attribute data_format says.

    Raises:
        ValueRangeError: It is none of the formats of images.
    """
    if format is None:
        named = values.get("data_format")
        return Format[named] if named in _FORMATS else Format.ND
    if format not in (*_FORMATS, "ND"):
        raise wrong(operator, ValueRangeError(f"the format {format!r} is none of ND, {', '.join(_FORMATS)}"))
    return Format[format]


def specs(operator: facts.Operator, outputs: Any) -> tuple[int | None, list[Any] | None]:
    """What `outputs` says: how many of the repeated one there are, and each (shape, dtype) or tensor.

    Raises:
        ValueRangeError: Their number does not fit.
        DTypeError: One is neither.
    """
    repeated = sum(each.kind == "dynamic" for each in operator.outputs)
    if outputs is None:
        return None, None
    if isinstance(outputs, int) and not isinstance(outputs, bool):
        if repeated != 1 or outputs < 0:
            raise wrong(operator, ValueRangeError(f"outputs={outputs} is the count of a repeated output, which it has {repeated} of"))
        return outputs, None
    if isinstance(outputs, TensorBase) or _is_spec(outputs):
        outputs = [outputs]
    if not isinstance(outputs, (list, tuple)):
        raise wrong(operator, DTypeError(f"outputs is a list of (shape, dtype) or of tensors, or a count, not {shown(outputs)}"))
    entries = list(_flat(outputs))
    for entry in entries:
        if not (isinstance(entry, TensorBase) or _is_spec(entry)):
            raise wrong(operator, DTypeError(f"outputs holds (shape, dtype) or tensors, not {described(entry)}"))
    fixed = len(operator.outputs) - repeated
    if len(entries) < fixed or (not repeated and len(entries) > fixed) or repeated > 1:
        many = "; more than one repeated output is not supported" if repeated > 1 else ""
        raise wrong(operator, ValueRangeError(f"{len(entries)} outputs were described, it has {len(operator.outputs)}{many}"))
    return len(entries) - fixed, entries


def _is_spec(value: Any) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], DType)):
        return False
    return isinstance(value[0], (tuple, list)) and all(hasattr(size, "__index__") and size >= 0 for size in value[0])


def _flat(outputs: Sequence[Any]) -> Iterator[Any]:
    for entry in outputs:
        if isinstance(entry, list):
            yield from entry
        else:
            yield entry
