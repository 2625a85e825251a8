"""The simulated compiler: one object of ATC's single-operator JSON list becomes the bytes of an operator model.

It refuses what ATC refuses (unknown operators, attributes and dtypes outside the prototype, shape ranges that do not fit, and by
``profiles`` what the chip has no kernel for) and what the simulator cannot run (no kernel), each with a message in ATC's manner.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np

from ascendtensor import facts
from ascendtensor.codes import Format
from ascendtensor.simulator import kernels
from ascendtensor.simulator.engine import chips, container, limits, profiles
from ascendtensor.simulator.engine.attrs import Attributes, as_plain, normalise
from ascendtensor.simulator.engine.models import UNDEFINED, OpModel, Ranges, Specs, TensorSpec, dtype_code
from ascendtensor.simulator.kernels.registry import NUMPY_OF, Out

OP_KEYS = frozenset({"op", "name", "input_desc", "output_desc", "attr", "compile_flag"})
TENSOR_KEYS = frozenset(
    {
        "format",
        "type",
        "shape",
        "shape_range",
        "origin_format",
        "origin_shape",
        "name",
        "dynamic_input",
        "is_const",
        "const_value",
    }
)
ATTR_TYPES: dict[str, str] = {
    "Bool": "bool",
    "Int": "int",
    "Float": "float",
    "String": "string",
    "Type": "data_type",
    "ListBool": "list_bool",
    "ListInt": "list_int",
    "ListFloat": "list_float",
    "ListString": "list_string",
    "ListType": "list_data_type",
    "ListListInt": "list_list_int",
}
OLDER_ATTRS: dict[str, dict[str, str]] = {"Cast": {"truncate": "bool"}}
"""What prototypes of older releases had besides: published models of single operators say it, and ``acl.op.cast`` looks for it (BL-2)."""
BEYOND: Final = {"BatchMatMul": frozenset({"float64", "complex64", "complex128"})}
"""Dtypes that a prototype does not list and GE lets pass: it holds a prototype to its list only where that ties dtypes by a symbol
(graph_metadef, ``SymDtype::Eval``), and asks the op stores (``AicpuOpsKernelInfoStore::CheckSupported``), whose AI CPU kernels have these.
"""
DTYPE_NAMES = {int(code): name for name, code in facts.ACL_TYPES.items()}
CONST_TYPES = frozenset(code for code, kind in NUMPY_OF.items() if kind.kind in "iu" or (kind.kind == "f" and kind.itemsize in (2, 4, 8)))
UNKNOWN_RANK = (-2,)

Names = Sequence["str | None"]


class CompileFailure(Exception):
    """An operator that cannot be compiled.

    Attributes:
        text: The message, starting with ATC's number for this kind of mistake.
        exit_code: What the program exits with.
    """

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[CompileFailure], tuple[str, int]]:
        return type(self), (self.text, self.exit_code)


def build(description: dict[str, Any], soc: str) -> bytes:
    """Compiles one operator.

    Args:
        description: One object of the single-operator JSON list (``op``, ``input_desc``, ``output_desc``, ``attr``).
        soc: Name of the chip.

    Returns:
        Bytes for ``acl.op.load``; equal descriptions give equal bytes.

    Raises:
        CompileFailure: The description does not fit the operator, the simulator has no kernel of it, or CANN knows no such chip.
    """
    if not chips.known(soc):
        _fail("E20101", f"Value [{soc}] for parameter [--soc_version] is invalid. Reason: {chips.UNKNOWN}.")
    return container.pack(model_of(description, soc), soc)


def model_of(description: dict[str, Any], soc: str = "") -> OpModel:
    """Checks a description and makes the model of it, without packing; no chip is asked if none is named.

    Raises:
        CompileFailure: As ``build``.
    """
    op_type = _op_type(description)
    given_inputs = _entries(description, "input_desc", op_type)
    given_outputs = _entries(description, "output_desc", op_type)
    operator = _prototype(op_type)
    inputs = tuple(_tensor(entry, f"input {index} of {op_type}", True) for index, entry in enumerate(given_inputs))
    outputs = tuple(_tensor(entry, f"output {index} of {op_type}", False) for index, entry in enumerate(given_outputs))
    taken = _check_parameters(operator, "input", operator.inputs, inputs, given_inputs)
    made = _check_parameters(operator, "output", operator.outputs, outputs, given_outputs)
    attrs = _attributes(operator, description.get("attr", []))
    model = _checked(OpModel(op_type, inputs, outputs, attrs))
    _check_chip(model, operator, soc, taken, made)
    return _of_any_shape(model, operator, soc, taken, made)


def model_from(
    op_type: str, inputs: Specs, outputs: Specs, attrs: Attributes, members: tuple[Sequence[str], Sequence[str]], soc: str
) -> OpModel:
    """The model of an operator compiled inside the process, of descriptions instead of JSON; ages (OM-10).

    Args:
        op_type: The operator.
        inputs, outputs: Its descriptions.
        attrs: Its attributes.
        members: The repeated input or output that each description belongs to, "" for none (TD-20).
        soc: Name of the chip.

    Raises:
        CompileFailure: As ``build``.
    """
    operator = _prototype(op_type)
    taken = _check_parameters(operator, "input", operator.inputs, inputs, [{"dynamic_input": name} for name in members[0]])
    made = _check_parameters(operator, "output", operator.outputs, outputs, [{"dynamic_input": name} for name in members[1]])
    entries = [{"name": name, "type": kind, "value": as_plain(value)} for name, (kind, value) in attrs.values.items()]
    model = _checked(OpModel(op_type, inputs, outputs, _attributes(operator, entries), online=True))
    _check_chip(model, operator, soc, taken, made)
    return _of_any_shape(model, operator, soc, taken, made)


def _of_any_shape(model: OpModel, operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> OpModel:
    """The model itself, or of what the AI CPU runs one for all ranks and dims, whatever was described.

    CANN's AI CPU compiler marks all its operators so (graph engine, KernelBuilder::MakeBaseExtInfo, ``_AllShape``), and the graph engine
    then resets the shapes of all tensors but constants (GeGenerator::BuildSingleOp, ResetTensorVecShape).
    """
    if not _excludes_core(model, operator):
        engine = profiles.engine(operator, soc, inputs, outputs)
        if engine != "aicpu" and not (engine == "aicore" and limits.leaves_core(model, soc)):
            return model
    opened = [tuple([spec if spec.const is not None else spec.of_any_shape() for spec in side]) for side in (model.inputs, model.outputs)]
    return OpModel(model.op_type, opened[0], opened[1], model.attrs, online=model.online)


def _excludes_core(model: OpModel, operator: facts.Operator) -> bool:
    """Whether the description keeps the operator off the AI Core, and the AI CPU has it."""
    return model.attrs.plain().get("_exclude_engines") == "AiCore" and operator.aicpu_dtypes is not None


def _check_chip(model: OpModel, operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> None:
    """Whether the chip has a kernel, as far as the profile in use knows, and whether that does what the description says."""
    refusal = profiles.refusal(operator, soc, inputs, outputs) if soc else None
    if refusal is not None:
        raise CompileFailure(refusal)
    if not _excludes_core(model, operator) and profiles.engine(operator, soc, inputs, outputs) == "aicore":
        said = limits.limit(model, soc)
        if said is not None:
            raise CompileFailure(profiles.refused(operator, said))


def _checked(model: OpModel) -> OpModel:
    """The model, if the simulator can run it and its shape rule agrees."""
    op_type = model.op_type
    if model.kernel is None:
        _fail("E10501", f"the simulator has no kernel of operator [{op_type}]. {_nearest(op_type, kernels.names())}")
    for spec in (*model.inputs, *model.outputs):
        if spec.numpy is None and not spec.absent:
            _fail("E10501", f"the simulator has no kernel of operator [{op_type}] for type [{DTYPE_NAMES.get(spec.dtype, spec.dtype)}].")
    _check_layout(op_type, (*model.inputs, *model.outputs[:1]))
    _check_rule(op_type, model.inputs, model.outputs, model.arguments)
    return model


def _check_layout(op_type: str, specs: Specs) -> None:
    """Images say that they are images: every tensor of that many dims that is no constant."""
    wanted = kernels.layout_of(op_type)
    if wanted is None:
        return
    for spec in specs:
        if spec.absent or len(spec.dims) != len(wanted) or spec.format == Format[wanted]:
            continue
        given = Format(spec.format).name if spec.format in Format.__members__.values() else spec.format
        _fail("E10501", f"operator [{op_type}] has no kernel for format [{given}] of a tensor of {len(wanted)} dims; it takes [{wanted}].")


def file_name(description: dict[str, Any], index: int) -> str:
    """The file a description is built into: its ``name``, else number, type and every description's numbers (128 characters at most)."""
    name = description.get("name")
    if name:
        return f"{name}.om"
    parts: list[Any] = [index, description["op"]]
    for entry in (*description.get("input_desc", ()), *description.get("output_desc", ())):
        parts += [_dtype(entry), _format(entry.get("format"), ""), *entry.get("shape", ())]
    return "_".join(map(str, parts))[:128] + ".om"


def _fail(number: str, reason: str) -> NoReturn:
    raise CompileFailure(f"{number}: {reason}")


def _nearest(word: str, words: Sequence[str]) -> str:
    found = difflib.get_close_matches(word, words, 3, 0.6)
    lower = {known.lower(): known for known in words}
    if word.lower() in lower and lower[word.lower()] not in found:
        found.insert(0, lower[word.lower()])
    return f"Nearest names: {', '.join(found)}." if found else "No operator has a similar name."


def _op_type(description: Any) -> str:
    if not isinstance(description, dict):
        _fail("E10001", "each element of the single-operator list must be an object.")
    op_type = description.get("op")
    if not isinstance(op_type, str) or not op_type:
        _fail("E10001", f"Value [{op_type!r}] for parameter [op] is invalid. Reason: the operator type is required.")
    unknown = sorted(set(description) - OP_KEYS)
    if unknown:
        _fail("E10001", f"operator [{op_type}] has an unknown key [{unknown[0]}]; known are {', '.join(sorted(OP_KEYS))}.")
    name = description.get("name", "")
    if not isinstance(name, str) or any(not (char.isascii() and (char.isalnum() or char in "_.-")) for char in name):
        _fail("E10001", f"Value [{name}] for parameter [name] is invalid. Reason: letters, digits, '_', '.' and '-' only.")
    return op_type


def _prototype(op_type: str) -> facts.Operator:
    operator = facts.operator(op_type)
    if operator is None:
        _fail("E10501", f"IR for Op [{op_type}] is not registered. {_nearest(op_type, facts.names())}")
    return operator


def _entries(description: dict[str, Any], key: str, op_type: str) -> list[dict[str, Any]]:
    entries = description.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _fail("E10001", f"[{key}] of operator [{op_type}] must be a list of objects.")
    return entries


# one tensor


def _tensor(entry: dict[str, Any], where: str, is_input: bool) -> TensorSpec:
    unknown = sorted(set(entry) - TENSOR_KEYS)
    if unknown:
        _fail("E10001", f"{where} has an unknown key [{unknown[0]}].")
    for key in ("type", "format"):
        if key not in entry:
            _fail("E10001", f"{where}: [{key}] is required.")
    dtype = _dtype(entry)
    layout = _format(entry["format"], where)
    dims = _shape(entry.get("shape", []), where)
    if dtype == UNDEFINED and str(entry["type"]).upper() not in ("UNDEFINED", "DT_UNDEFINED"):
        _fail("E10001", f"{where}: Value [{entry['type']}] for parameter [type] is invalid. Reason: not a data type.")
    if dtype == UNDEFINED or layout == Format.UNDEFINED:
        if not is_input:
            _fail("E10001", f"{where}: an output must have a real type and format.")
        if dtype != UNDEFINED or layout != Format.UNDEFINED or dims:
            _fail("E10001", f"{where}: an absent optional input has type UNDEFINED, format RESERVED and an empty shape.")
        return TensorSpec(UNDEFINED, int(Format.UNDEFINED), int(Format.UNDEFINED), (), (), None, 0)
    origin = _format(entry["origin_format"], where) if "origin_format" in entry else layout
    storage = layout if origin != layout else int(Format.UNDEFINED)
    ranges = _ranges(entry.get("shape_range"), dims, where, is_input)
    if "origin_shape" in entry:
        dims = _shape(entry["origin_shape"], where)
    if type(entry.get("is_const", False)) is not bool:
        _fail("E10001", f"{where}: Value [{entry['is_const']}] for parameter [is_const] is invalid. Reason: true or false is needed.")
    const = _const(entry, dtype, dims, where) if entry.get("is_const") else None
    return TensorSpec(dtype, origin, storage, dims, ranges, const, 0)


def _dtype(entry: dict[str, Any]) -> int:
    return dtype_code(str(entry.get("type", "")))


def _format(name: Any, where: str) -> int:
    text = str(name).upper()
    text = text[len("FORMAT_") :] if text.startswith("FORMAT_") else text
    if text == "RESERVED":
        return int(Format.UNDEFINED)
    try:
        return int(Format[text])
    except KeyError:
        _fail("E10001", f"{where}: Value [{name}] for parameter [format] is invalid. Reason: not a format.")


def _shape(shape: Any, where: str) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(dim) is int for dim in shape):
        _fail("E10001", f"{where}: Value [{shape}] for parameter [shape] is invalid. Reason: a list of integers is needed.")
    dims = tuple(shape)
    if dims != UNKNOWN_RANK and any(not -1 <= dim < 1 << 63 for dim in dims):
        _fail("E10001", f"{where}: Value {shape} for parameter [shape] is invalid. Reason: dims are >= 0 or -1, or [-2] for any rank.")
    return dims


def _ranges(given: Any, dims: tuple[int, ...], where: str, is_input: bool) -> Ranges:
    """Pairs for every dim out of ATC's pairs for the -1 dims only."""
    pairs = given or []
    bad = f"{where}: Value {given} for parameter [shape_range] is invalid. Reason: "
    well_formed = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(bound) is int for bound in pair) for pair in pairs
    )
    if not well_formed:
        _fail("E10001", bad + "a list of [low, high] pairs is needed.")
    if dims == UNKNOWN_RANK:
        if pairs:
            _fail("E10001", bad + "an unknown rank takes no ranges.")
        return ()
    unknown = dims.count(-1)
    if not pairs:
        if unknown and is_input:
            _fail("E10001", bad + f"an input with {unknown} unknown dims needs one range for each.")
        return ()
    if len(pairs) != unknown:
        _fail("E10001", bad + f"{len(pairs)} ranges for {unknown} unknown dims.")
    for low, high in pairs:
        if low < 0 or (high != -1 and high < low):
            _fail("E10001", bad + f"[{low}, {high}] is no range (high -1 means no limit).")
    bounds = iter(pairs)
    return tuple((dim, dim) if dim >= 0 else tuple(next(bounds)) for dim in dims)


def _const(entry: dict[str, Any], dtype: int, dims: tuple[int, ...], where: str) -> bytes:
    values = entry.get("const_value")
    if dtype not in CONST_TYPES:
        name = DTYPE_NAMES.get(dtype, str(dtype))
        _fail("E10001", f"{where}: a constant of type [{name}] is not supported; integer types, float16, float and double are.")
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        _fail("E10001", f"{where}: Value [{values}] for parameter [const_value] is invalid. Reason: a flat list of numbers is needed.")
    count = 1
    for dim in dims:
        count *= dim
    if any(dim < 0 for dim in dims) or count != len(values):
        _fail("E10001", f"{where}: [const_value] has {len(values)} elements, the shape {list(dims)} does not.")
    if not values:
        _fail("E10001", f"{where}: a constant needs at least one element.")
    kind = NUMPY_OF[dtype]
    if kind.kind in "iu":
        info = np.iinfo(kind)
        if not all(type(value) is int and info.min <= value <= info.max for value in values):
            _fail("E10001", f"{where}: Value {values} for parameter [const_value] is invalid. Reason: not all are of type {kind}.")
    with np.errstate(all="ignore"):
        return np.array(values, kind).tobytes()


# the operator's prototype


def _check_parameters(
    operator: facts.Operator,
    what: str,
    parameters: Sequence[facts.Parameter],
    specs: Specs,
    entries: Sequence[dict[str, Any]],
) -> Names:
    """The dtype of each parameter, None where absent; members of a repeated one are of one kind, the first's."""
    found: dict[str, str] = {}
    required = sum(parameter.kind == "required" for parameter in parameters)
    repeated = any(parameter.kind == "dynamic" for parameter in parameters)
    number = "E10401" if what == "input" else "E10402"
    if len(specs) < required or (len(specs) > len(parameters) and not repeated):
        limit = "at least" if repeated or required != len(parameters) else "exactly"
        names = ", ".join(parameter.name for parameter in parameters) or "none"
        _fail(number, f"operator [{operator.op_type}] takes {limit} {required} {what}s ({names}), {len(specs)} given.")
    for index, (parameter, spec) in enumerate(zip(_assign(parameters, entries, operator, what), specs, strict=True)):
        where = f"{what} {index} [{parameter.name}] of operator [{operator.op_type}]"
        if spec.absent:
            if parameter.kind != "optional":
                _fail(number, f"{where} is {parameter.kind} and may not be absent.")
            continue
        name = DTYPE_NAMES.get(spec.dtype, str(spec.dtype))
        if parameter.dtypes and name not in parameter.dtypes and name not in BEYOND.get(operator.op_type, ()):
            _fail("E10001", f"{where} does not support type [{name}]; it takes {', '.join(parameter.dtypes)}.")
        found.setdefault(parameter.name, name)
    return [found.get(parameter.name) for parameter in parameters]


def _assign(
    parameters: Sequence[facts.Parameter], entries: Sequence[dict[str, Any]], operator: facts.Operator, what: str
) -> list[facts.Parameter]:
    """The prototype's parameter of each tensor given: repeated ones take what the others leave."""
    repeated = [parameter for parameter in parameters if parameter.kind == "dynamic"]
    if not repeated:
        return list(parameters[: len(entries)])
    named = {parameter.name: sum(entry.get("dynamic_input") == parameter.name for entry in entries) for parameter in repeated}
    counts = dict(named)
    open_ones = [parameter for parameter in repeated if not named[parameter.name]]
    others = [parameter for parameter in parameters if parameter.kind != "dynamic"]
    required = sum(parameter.kind == "required" for parameter in others)
    left = len(entries) - sum(named.values())
    if open_ones:
        spare = left - len(others) if left - len(others) >= len(open_ones) else left - required
        each, rest = divmod(max(spare, 0), len(open_ones))
        if rest:
            names = ", ".join(parameter.name for parameter in open_ones)
            _fail("E10401", f"operator [{operator.op_type}] repeats {names}: say [dynamic_input] in each {what} description.")
        counts.update({parameter.name: each for parameter in open_ones})
    row = [parameter for parameter in parameters for _ in range(counts.get(parameter.name, 1))]
    if len(row) < len(entries):
        _fail("E10401", f"operator [{operator.op_type}] has {len(row)} {what}s, {len(entries)} given.")
    return row[: len(entries)]


def _attributes(operator: facts.Operator, entries: Any) -> Attributes:
    found = Attributes()
    if not isinstance(entries, list):
        _fail("E10001", f"[attr] of operator [{operator.op_type}] must be a list.")
    for entry in entries:
        if not isinstance(entry, dict) or not {"name", "type", "value"} <= set(entry):
            _fail("E10001", f"each attribute of operator [{operator.op_type}] needs name, type and value.")
        name, kind = str(entry["name"]), str(entry["type"])
        if name in found.values:
            _fail("E10001", f"attribute [{name}] of operator [{operator.op_type}] is given twice.")
        if not name.startswith("_"):  # names with an underscore are the graph engine's own, such as _exclude_engines
            declared = operator.attr(name)
            older = OLDER_ATTRS.get(operator.op_type, {}).get(name)
            if declared is None and older is None:
                known = ", ".join(attr.name for attr in operator.attrs) or "none"
                _fail("E10001", f"attribute [{name}] is not one of operator [{operator.op_type}], which has {known}.")
            wanted = older if declared is None else ATTR_TYPES.get(declared.type, declared.type)
            if kind != wanted:
                _fail("E10001", f"attribute [{name}] of operator [{operator.op_type}] is of type [{wanted}], not [{kind}].")
        found.set(name, kind, _attribute_value(operator.op_type, name, kind, entry["value"]))
    for attr in operator.attrs:
        if attr.default is facts.REQUIRED and attr.name not in found.values:
            _fail("E10001", f"attribute [{attr.name}] of operator [{operator.op_type}] is required.")
    return found


def _attribute_value(op_type: str, name: str, kind: str, value: Any) -> Any:
    if kind in ("data_type", "list_data_type"):
        value = [_dtype_value(item) for item in value] if isinstance(value, list) else _dtype_value(value)
    checked = {"data_type": "int", "list_data_type": "list_int"}.get(kind, kind)
    if not _is_of(checked, value):
        _fail("E10001", f"Value [{value}] for attribute [{name}] of operator [{op_type}] is not of type [{kind}].")
    return normalise(kind, value)


def _dtype_value(value: Any) -> Any:
    if isinstance(value, str):
        code = dtype_code(value)
        return code if code != UNDEFINED or value.upper() == "DT_UNDEFINED" else value
    return value


def _is_of(kind: str, value: Any) -> bool:
    if kind.startswith("list_"):
        return isinstance(value, list) and all(_is_of(kind[len("list_") :], item) for item in value)
    if kind == "int":
        return type(value) is int and -(1 << 63) <= value < 1 << 63
    if kind == "float":
        return type(value) in (int, float)
    return type(value) is {"bool": bool, "string": str}.get(kind)


# the operator's shape rule


def _check_rule(op_type: str, inputs: Specs, outputs: Specs, arguments: dict[str, Any]) -> None:
    rule = kernels.infer_rule(op_type)
    if rule is None:
        return
    try:
        expected = rule([spec.meta() for spec in inputs], arguments, len(outputs))
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise CompileFailure(f"E19014: operator [{op_type}] refuses its inputs: {error}") from error
    if len(expected) != len(outputs):
        _fail("E10402", f"operator [{op_type}] has {len(expected)} outputs here, {len(outputs)} given.")
    for index, (out, spec) in enumerate(zip(expected, outputs, strict=True)):
        _check_output(op_type, index, out, spec)


def _check_output(op_type: str, index: int, out: Out, spec: TensorSpec) -> None:
    if out.dtype != UNDEFINED and out.dtype != spec.dtype:
        wanted, given = (DTYPE_NAMES.get(code, str(code)) for code in (out.dtype, spec.dtype))
        _fail("E19014", f"output {index} of operator [{op_type}] is of type [{wanted}] for these inputs, [{given}] given.")
    if UNKNOWN_RANK in (out.shape, spec.dims):
        return
    same = len(out.shape) == len(spec.dims) and all(
        want == have or want < 0 or have < 0 for want, have in zip(out.shape, spec.dims, strict=True)
    )
    if not same:
        _fail("E19014", f"output {index} of operator [{op_type}] has shape {list(out.shape)} for these inputs, {list(spec.dims)} given.")
