"""The operator table against the IR facts, the simulator's kernels, the functions and the test records."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from records import RECORDS

import ascendtensor
from ascendtensor import dtypes as d
from ascendtensor import facts, promotion
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import table
from ascendtensor.ops.schema import COMPUTE, Row
from ascendtensor.simulator import kernels

ATTR_KINDS = {
    "bool": "Bool",
    "int": "Int",
    "float": "Float",
    "string": "String",
    "data_type": "Type",
    "list_bool": "ListBool",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_string": "ListString",
    "list_list_int": "ListListInt",
    "list_data_type": "ListType",
}
GIVEN = ("required", "optional")
INPUT_KINDS = {"device": GIVEN, "const": GIVEN, "value": GIVEN, "counter": GIVEN, "optional": ("optional",), "repeated": ("dynamic",)}

CHOSEN = {
    ("log2", "base"): "base 2 is what makes Log a log2",
    ("log10", "base"): "base 10 is what makes Log a log10",
    ("logaddexp2", "base"): "base 2 is what makes LogAddExp a logaddexp2",
}
"""Attributes whose value in a row is not the prototype's default, and why."""

NEVER_GIVEN = {("DynamicRNN", "seq_length")}
"""Optional inputs that no function gives, and on whose dtypes prototype and kernel list disagree."""

BEYOND = {"BatchMatMul": {"float64", "complex64", "complex128"}}
"""Dtypes of AI CPU kernels that a prototype does not list; GE asks the kernel lists (see `simulator.engine.compile.BEYOND`)."""

BY_ARGUMENT = {"Cast", "Fill"}
"""Operator types whose dtypes an argument decides: their rows list none."""


def _named() -> Iterator[tuple[str, Row]]:
    for module in vars(table).values():
        if getattr(module, "__name__", "").startswith(table.__name__ + "."):
            yield from ((name, value) for name, value in vars(module).items() if isinstance(value, Row))


NAMES: dict[Row, str] = {row: name for name, row in _named()}


def of_every_row(check: Callable[[Row], None]) -> Callable[[], None]:
    """A test of all rows that says which of them fail, and why."""

    def test() -> None:
        found = []
        for row in table.ROWS:
            try:
                check(row)
            except AssertionError as error:
                found.append(f"{NAMES[row]}-{row.op_type}: {error}")
        assert not found, "\n\n".join([f"{len(found)} rows", *found])

    test.__name__ = check.__name__
    return test


def _operator(row: Row) -> facts.Operator:
    found = facts.operator(row.op_type)
    assert found is not None, f"there is no operator {row.op_type}"
    return found


@of_every_row
def test_operator_has_a_kernel(row: Row) -> None:
    _operator(row)
    assert kernels.lookup(row.op_type) is not None, f"the simulator has no kernel of {row.op_type}"


@of_every_row
def test_inputs_are_the_prototypes(row: Row) -> None:
    prototype = _operator(row).inputs
    assert [input.name for input in row.inputs] == [parameter.name for parameter in prototype[: len(row.inputs)]]
    for input, parameter in zip(row.inputs, prototype, strict=False):
        assert parameter.kind in INPUT_KINDS[input.kind], input.name
    left = [parameter.name for parameter in prototype[len(row.inputs) :] if parameter.kind == "required"]
    assert not left, f"required inputs are missing: {left}"


@of_every_row
def test_outputs_are_the_prototypes(row: Row) -> None:
    prototype = _operator(row).outputs
    if any(parameter.kind == "dynamic" for parameter in prototype):
        assert {output.name for output in row.outputs} <= {parameter.name for parameter in prototype}
        return
    assert [output.name for output in row.outputs] == [parameter.name for parameter in prototype]
    written = {output.name for output in row.outputs if output.alias is not None}
    assert written == set(_operator(row).ref_outputs) & {output.name for output in row.outputs}


@of_every_row
def test_attributes_are_the_prototypes(row: Row) -> None:
    prototype = {attr.name: attr for attr in _operator(row).attrs}
    own = [attr for attr in row.attrs if attr.name.startswith("_")]  # the graph engine's
    assert all((attr.name, attr.default) == ("_exclude_engines", "AiCore") and _operator(row).aicpu_dtypes is not None for attr in own)
    names = [attr.name for attr in row.attrs if attr not in own]
    assert names == [name for name in prototype if name in names]
    for attr in row.attrs[: len(names)]:
        declared = prototype[attr.name]
        assert ATTR_KINDS[attr.kind] == declared.type, attr.name
        if declared.default is facts.REQUIRED or (row.name, attr.name) in CHOSEN:
            continue
        given = list(attr.default) if isinstance(attr.default, tuple) else attr.default
        assert given == declared.default, f"{attr.name}: {attr.default!r}, the prototype's default is {declared.default!r}"
    missing = [name for name, attr in prototype.items() if attr.default is facts.REQUIRED and name not in names]
    assert not missing, f"required attributes are missing: {missing}"


def _worked_in(row: Row) -> set[DType]:
    return {*row.dtypes, *row.via.values(), *row.bits.values()}


@of_every_row
def test_dtypes_are_the_prototypes(row: Row) -> None:
    operator = _operator(row)
    assert row.dtypes or row.bits or operator.op_type in BY_ARGUMENT or row.promotion is promotion.Kind.SAME, "the row lists no dtypes"
    for dtype in _worked_in(row):
        for input, parameter in zip(row.inputs, operator.inputs, strict=False):
            if (row.op_type, input.name) in NEVER_GIVEN:
                continue
            wanted = input.dtype if isinstance(input.dtype, DType) else dtype
            known = not parameter.dtypes or wanted.name in {*parameter.dtypes, *BEYOND.get(row.op_type, ())}
            assert known, f"{input.name} of {row.op_type} takes no {wanted.name}"
    assert not set(row.via) & set(row.dtypes) and not set(row.bits) & set(row.dtypes), "dtypes that need no detour"
    assert set(row.via.values()) <= set(row.dtypes) or not row.dtypes, "a detour to a dtype that the operator does not take"


@of_every_row
def test_dtypes_have_a_910b_kernel(row: Row) -> None:
    operator = _operator(row)
    if row.op_type in BY_ARGUMENT or operator.engine_910b == "none" or not row.outputs:
        return
    for dtype in _worked_in(row):
        inputs = [input.dtype.name if isinstance(input.dtype, DType) else dtype.name for input in row.inputs]
        compute, result = promotion.resolve(row.promotion, [(dtype, 1)]) if dtype in row.dtypes else (dtype, dtype)
        result = result if compute is dtype else dtype
        outputs = [
            output.dtype.name if isinstance(output.dtype, DType) else dtype.name if output.dtype == COMPUTE else result.name
            for output in row.outputs
        ]
        assert operator.engine_for(inputs, outputs) is not None, f"no 910B kernel of {row.op_type} takes {inputs} and gives {outputs}"


def _identifiers() -> set[str]:
    """Every name that the package uses outside the table."""
    package = Path(ascendtensor.__file__).parent
    found: set[str] = set()
    for path in package.rglob("*.py"):
        if "table" in path.parts or "simulator" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name):
                found.add(node.id)
    return found


def test_every_row_is_used_by_a_function() -> None:
    used = _identifiers()
    idle = [name for row, name in NAMES.items() if name not in used]
    assert not idle, f"rows that no function uses: {idle}"


def test_every_row_has_a_record() -> None:
    recorded = {row for record in RECORDS for row in record.rows}
    missing = [name for row, name in NAMES.items() if row not in recorded]
    assert not missing, f"rows without a test record: {missing}"


def test_rows_are_named_once() -> None:
    assert len(NAMES) == len(table.ROWS) == len(set(table.ROWS))


@of_every_row
def test_dtypes_are_known_once(row: Row) -> None:
    assert len(set(row.dtypes)) == len(row.dtypes)
    assert set(row.via) <= set(d.ALL) and set(row.bits) <= set(d.ALL)
    for dtype, working in row.bits.items():
        assert dtype.itemsize == working.itemsize
