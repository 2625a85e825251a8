"""What the prototypes say, in words: signatures, docstrings, errors that show what would have been right."""

from __future__ import annotations

import inspect
import keyword
import textwrap
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from .. import deferred, facts
from ..errors import AscendTensorError, ValueRangeError
from ..ops.arguments import described

ErrorT = TypeVar("ErrorT", bound=AscendTensorError)

_MARKS: Final = {"required": "", "optional": "?", "dynamic": "*"}
_ENGINES: Final = {"aicore": "AI Core", "aicpu": "AI CPU", "dsa": "DSA (random numbers)", "dvpp": "DVPP (images)"}
_STRUCTURE: Final = frozenset(
    (
        "alg",
        "axes",
        "axis",
        "dense_shape",
        "dst_size",
        "dst_stride",
        "fft_length",
        "max_output_size",
        "output_shape",
        "output_size",
        "shape",
    )
)
"""Names of integer inputs that are structure too where the facts don't say so: as they are of most operators."""
_OURS: Final = ("outputs", "desc_format", "device")
"""Arguments of a call that are no attributes."""
_SHOWN: Final = (bool, int, float, complex, str, list, tuple)
_TYPE_NAMES: Final = {int(code): name for name, code in facts.ACL_TYPES.items()}


def known(op_type: str) -> facts.Operator:
    """The facts of an operator.

    Raises:
        ValueRangeError: CANN has none of that name.
    """
    found = facts.operator(op_type) if isinstance(op_type, str) else None
    if found is None:
        near = nearest(str(op_type), facts.names())
        advice = f"Did you mean {near}?" if near else "dir(ascendtensor.ir.ops) lists all of them."
        raise ValueRangeError(f"CANN has no operator {op_type!r}", where="ir.call", advice=advice)
    return found


def nearest(name: str, names: Iterable[str]) -> str:
    """The names that are most like a wrong one, in words; empty where none is."""
    spelled = {each.lower(): each for each in names}
    found = deferred.load("difflib").get_close_matches(name.lower(), spelled, n=3, cutoff=0.6)
    return " or ".join(spelled[each] for each in found)


def wrong(operator: facts.Operator, error: ErrorT) -> ErrorT:
    """An error of the call with the prototype as its advice."""
    first = f"{error.advice} " if error.advice else ""
    error.advice = f"{first}The prototype: {line(operator)}"
    return error.with_context(operator.op_type)


def line(operator: facts.Operator) -> str:
    """The prototype in one line, such as `ReduceSum(x, axes; keep_dims: Bool = False) -> y`; "?" is optional, "*" repeated."""
    inputs = ", ".join(each.name + _MARKS[each.kind] for each in operator.inputs)
    attrs = ", ".join(_attribute(attr) for attr in operator.attrs)
    outputs = ", ".join(each.name + _MARKS[each.kind] for each in operator.outputs)
    return f"{operator.op_type}({'; '.join(filter(None, (inputs, attrs)))}) -> {outputs or 'nothing'}"


def _attribute(attr: facts.Attribute) -> str:
    return f"{attr.name}: {attr.type}" + ("" if attr.default is facts.REQUIRED else f" = {_default(attr)}")


def _default(attr: facts.Attribute) -> str:
    if attr.type == "Type":
        return _TYPE_NAMES.get(attr.default, "undefined")
    return repr(attr.default)


def signature(operator: facts.Operator) -> inspect.Signature:
    """What tools show: inputs by position, attributes by name."""
    kinds = inspect.Parameter
    parameters = []
    for each in operator.inputs:
        default = None if each.kind == "optional" and _all_optional_after(operator, each) else kinds.empty
        parameters.append(kinds(_identifier(each.name), kinds.POSITIONAL_ONLY, default=default))
    taken = {parameter.name for parameter in parameters}
    for attr in operator.attrs:
        if attr.name not in taken and attr.name.isidentifier() and not keyword.iskeyword(attr.name):
            default = kinds.empty if attr.default is facts.REQUIRED else attr.default
            parameters.append(kinds(attr.name, kinds.KEYWORD_ONLY, default=default))
    for name in _OURS:
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _all_optional_after(operator: facts.Operator, parameter: facts.Parameter) -> bool:
    return all(each.kind == "optional" for each in operator.inputs[operator.inputs.index(parameter) :])


def _identifier(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in _OURS else name


def document(operator: facts.Operator) -> str:
    """A docstring out of the facts."""
    lines = [f"The Ascend IR operator {operator.op_type}.", "", f"    {line(operator)}", ""]
    if operator.deprecated:
        lines += [f"Deprecated{f': use {operator.replaced_by}' if operator.replaced_by else ''}.", ""]
    lines += _section("Inputs", [_parameter(operator, each, "") for each in operator.inputs])
    lines += _section("Attributes", [_attribute_line(attr) for attr in operator.attrs])
    lines += _section("Outputs", [_parameter(operator, each, "out:") for each in operator.outputs])
    lines += textwrap.wrap(_engine(operator), 130)
    for text in _remarks(operator):
        lines += textwrap.wrap(text, 130)
    return "\n".join(lines)


def _section(title: str, entries: list[str]) -> list[str]:
    wrapped = [piece for entry in entries for piece in textwrap.wrap(entry, 130, initial_indent="    ", subsequent_indent=" " * 8)]
    return [f"{title}:", *wrapped, ""] if entries else []


def _parameter(operator: facts.Operator, parameter: facts.Parameter, prefix: str) -> str:
    remarks = [] if parameter.kind == "required" else [{"optional": "optional", "dynamic": "repeated, a list"}[parameter.kind]]
    if not prefix and constable(operator, parameter):
        remarks.append("constant: ints or a list")
    if prefix and parameter.name in operator.ref_outputs:
        remarks.append("the input of that name, updated in place")
    text = f"{parameter.name}{f' ({chr(59).join(remarks)})' if remarks else ''}: {', '.join(parameter.dtypes) or 'any dtype'}"
    runs = operator.dtypes_910b.get(prefix + parameter.name, operator.dtypes_910b.get(parameter.name, ()))
    if runs and set(runs) != set(parameter.dtypes):
        text += f". On a 910B {', '.join(runs)}"
    return text + "."


def _attribute_line(attr: facts.Attribute) -> str:
    return f"{attr.name} ({attr.type}): {'must be given' if attr.default is facts.REQUIRED else f'{_default(attr)} by default'}."


def _engine(operator: facts.Operator) -> str:
    if operator.engine_910b in _ENGINES:
        also = " or its AI CPU for other dtypes" if operator.aicpu_dtypes and operator.engine_910b == "aicore" else ""
        return f"A 910B runs it on its {_ENGINES[operator.engine_910b]}{also}."
    return f"A 910B has no kernel of it; it runs in {operator.runs_in}." if operator.runs_in else "A 910B has no kernel of it."


def _remarks(operator: facts.Operator) -> Iterable[str]:
    if operator.combos_910b:
        yield f"{len(operator.combos_910b)} combinations of dtypes have a kernel there."
    if operator.data_dependent_shape:
        yield "A shape of the outputs depends on values: `outputs` must be given, with the largest shape; the results have the exact one."
    if operator.internal:
        yield "It has a kernel but no public prototype, so another version of CANN may have it otherwise."


def constable(operator: facts.Operator, parameter: facts.Parameter) -> bool:
    """Whether an input may be bound as a constant."""
    if parameter.name in operator.const_inputs or parameter.name in operator.value_depend:
        return True
    return parameter.name in _STRUCTURE and set(parameter.dtypes) <= {"int32", "int64"}


def shown(value: Any) -> str:
    """A wrong value in a few words; a list with what it holds."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, _SHOWN) for each in value):
        return described(value)
    text = repr(list(value))
    return text if len(text) <= 40 else text[:37] + "..."
