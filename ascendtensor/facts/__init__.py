"""What is known of every Ascend IR operator: its prototype and what an Ascend 910B really accepts.

The data (``operators.jsonl``) is condensed from the operator prototypes, kernel information and prebuilt-kernel lists of CANN 8.1.RC1 and
from its AI CPU kernel lists. Frontend rows and simulator kernels are each checked against it, and neither is made from it.

Of older chips (`CHIPS`) ``chips.jsonl`` says which kernels their AI Core has and for which dtypes, condensed from the kernel
information of the same release (``op_impl/ai_core/tbe/config/<chip>/aic-<chip>-ops-info.json``) and, where that leaves the dtypes to the
kernel, from what its ``op_select_format`` says (``impl`` and ``impl/dynamic``).

The first line holds the distinct dtype lists, each later line one operator that refers to them by number. Nothing is read before the first
question, and a line is decoded only when its operator is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from ..codes import DataType

__all__ = [
    "ACL_TYPES",
    "CHIPS",
    "REQUIRED",
    "SINCE_910B",
    "Attribute",
    "Operator",
    "Parameter",
    "acl_type",
    "chip_rows",
    "declare",
    "names",
    "operator",
]

Kind = Literal["required", "optional", "dynamic"]
Row = tuple[tuple["str | None", ...], tuple["str | None", ...]]


class _Required(Enum):
    REQUIRED = "required"

    def __repr__(self) -> str:
        return "REQUIRED"


CHIPS: Final = ("Ascend310", "Ascend310P", "Ascend310B", "Ascend910")
"""Chips before the 910B whose AI Core kernels are known, by the family's name."""
SINCE_910B: Final = ("Ascend910B", "Ascend910_93", "Ascend950")
"""The 910B and chips that came after it, by the beginnings of their names."""

REQUIRED: Final = _Required.REQUIRED
"""In place of a default: the attribute has to be given."""

ACL_TYPES: Final[dict[str, DataType]] = {
    "float32": DataType.FLOAT,
    "float16": DataType.FLOAT16,
    "bfloat16": DataType.BF16,
    "float64": DataType.DOUBLE,
    "bool": DataType.BOOL,
    "int4": DataType.INT4,
    "int8": DataType.INT8,
    "int16": DataType.INT16,
    "int32": DataType.INT32,
    "int64": DataType.INT64,
    "uint1": DataType.UINT1,
    "uint8": DataType.UINT8,
    "uint16": DataType.UINT16,
    "uint32": DataType.UINT32,
    "uint64": DataType.UINT64,
    "complex32": DataType.COMPLEX32,
    "complex64": DataType.COMPLEX64,
    "complex128": DataType.COMPLEX128,
    "string": DataType.STRING,
}
"""Numbers of the dtype names used here; kinds that ACL cannot describe (``qint8``, ``resource``, ...) are missing."""


class Parameter(NamedTuple):
    """One input or output of a prototype, in call order.

    Attributes:
        name: Its name.
        kind: ``optional`` may be absent, ``dynamic`` is repeated.
        dtypes: Names of the dtypes that the prototype allows, which is more than kernels accept; empty if it says nothing.
    """

    name: str
    kind: Kind
    dtypes: tuple[str, ...]


class Attribute(NamedTuple):
    """One attribute of a prototype.

    Attributes:
        name: Its name.
        type: ``Int Float Bool String Type ListInt ListFloat ListBool ListString ListType ListListInt Tensor``.
        default: Its default or ``REQUIRED``; of a ``Type`` attribute the ACL number.
    """

    name: str
    type: str
    default: Any


class Operator(NamedTuple):
    """The facts of one operator type.

    Attributes:
        op_type: ``"ReduceSum"``.
        inputs, outputs, attrs: The prototype in call order.
        engine_910b: ``aicore aicpu dsa dvpp`` or ``none``.
        runs_in: For engine ``none``: ``ge_local rts hccl host_cpu``, or ``""`` where no kernel exists at all.
        dtypes_910b: Dtypes by parameter on that engine; ``out:NAME`` for an output that shares its name with an input of other dtypes.
        combos_910b: The legal rows ``(inputs, outputs)``, a dtype (None: absent) a parameter. A combination that is not listed is
            refused even when each of its dtypes is listed somewhere. Empty: any combination of ``dtypes_910b`` (a few AI Core operators
            are empty because a graph pass gives their kernel other inputs than the prototype has).
        prebuilt_910b: ``all``, ``none``, or ``missing ROW...`` / ``only ROW...``: for which rows a binary is installed; "" if not said.
        aicpu_dtypes: Dtypes by parameter of the AI CPU kernel, ``{}`` if they are not known, None if there is no such kernel.
        value_depend: Inputs whose values the kernel's tiling reads, with ``required`` or ``optional``.
        const_inputs: Inputs to bind as a constant or to place on the host.
        data_dependent_shape: Whether only the kernel knows the shape of an output (OutputShapeDependOnCompute): it depends on values, and
            no InferShape is given them, as that of RepeatInterleave is.
        ref_outputs: Outputs that are an input updated in place.
        internal: Whether there is a kernel but no public prototype.
        deprecated: Whether the prototype says so.
        replaced_by: By what, or "".
    """

    op_type: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attrs: tuple[Attribute, ...]
    engine_910b: str
    runs_in: str
    dtypes_910b: dict[str, tuple[str, ...]]
    combos_910b: tuple[Row, ...]
    prebuilt_910b: str
    aicpu_dtypes: dict[str, tuple[str, ...]] | None
    value_depend: dict[str, str]
    const_inputs: tuple[str, ...]
    data_dependent_shape: bool
    ref_outputs: tuple[str, ...]
    internal: bool
    deprecated: bool
    replaced_by: str

    def attr(self, name: str) -> Attribute | None:
        """The attribute of that name, or None."""
        return next((attr for attr in self.attrs if attr.name == name), None)

    def engine_for(self, inputs: Sequence[str | None], outputs: Sequence[str | None]) -> str | None:
        """The engine of a 910B that takes these dtypes: its own, else ``"aicpu"``, else None.

        Args:
            inputs: One dtype name for each input parameter (a repeated one counts once), None where absent; trailing absent ones may be
                left out.
            outputs: The same for the outputs.
        """
        row = (_padded(inputs, len(self.inputs)), _padded(outputs, len(self.outputs)))
        if self.engine_910b == "aicore" and self.combos_910b:
            if any(self._covers(combo, row) for combo in self.combos_910b):
                return "aicore"
        elif self.engine_910b != "none" and self._allows(row, self.dtypes_910b):
            return self.engine_910b
        if self.aicpu_dtypes is not None and self._allows(row, self.aicpu_dtypes):
            return "aicpu"
        return None

    def engine_on(self, chip: str, inputs: Sequence[str | None], outputs: Sequence[str | None]) -> str | None:
        """The engine of an older chip that takes these dtypes, as `engine_for` says of a 910B.

        Where the kernel's dtypes are chosen by a program of CANN's, any are taken. AI CPU kernels are those of the 910B, whose library is
        the same. An operator whose ``D`` form has a kernel counts: the graph engine turns constant inputs into attributes. That kernel's
        dtypes are looked at for outputs and for inputs that no constants are.

        Args:
            chip: One of `CHIPS`.
            inputs, outputs: As of `engine_for`.
        """
        row = (_padded(inputs, len(self.inputs)), _padded(outputs, len(self.outputs)))
        rows = chip_rows(chip, self.op_type)
        if rows is not None and (not rows or any(self._takes(each, row) for each in rows)):
            return "aicore"
        formed = chip_rows(chip, f"{self.op_type}D") if rows is None else None
        if formed is not None and (not formed or any(self._formed(each, row) for each in formed)):
            return "aicore"
        if self.engine_910b in ("dsa", "dvpp") or self.op_type in _declared:
            return self.engine_910b
        cpu = self.dtypes_910b if self.engine_910b == "aicpu" else self.aicpu_dtypes
        return "aicpu" if cpu is not None and self._allows(row, cpu) else None

    def _takes(self, kernel: Row, row: Row) -> bool:
        """Whether a kernel takes a row; parameters that it does not list are not looked at."""
        sides = zip((self.inputs, self.outputs), kernel, row, strict=True)
        return all(
            want == have or (have is None and parameter.kind != "required")
            for parameters, wanted, given in sides
            for parameter, want, have in zip(parameters, wanted, given, strict=False)
        )

    def _formed(self, kernel: Row, row: Row) -> bool:
        """Whether a kernel of the ``D`` form takes a row of this one, as far as they have the same parameters."""
        data = [name for parameter, name in zip(self.inputs, row[0], strict=False) if parameter.name not in self.const_inputs]
        return kernel[1] == row[1] and all(want == have or have is None for want, have in zip(kernel[0], data, strict=False))

    def _covers(self, combo: Row, row: Row) -> bool:
        """Whether a legal row is this one; an optional input that no legal row leaves out may still be absent."""
        if combo == row:
            return True
        if combo[1] != row[1] or len(combo[0]) != len(row[0]):
            return False
        return all(
            want == have or (have is None and parameter.kind == "optional" and all(each[0][at] is not None for each in self.combos_910b))
            for at, (want, have, parameter) in enumerate(zip(combo[0], row[0], self.inputs, strict=True))
        )

    def _allows(self, row: Row, dtypes: dict[str, tuple[str, ...]]) -> bool:
        for parameters, given, prefix in ((self.inputs, row[0], ""), (self.outputs, row[1], "out:")):
            if len(given) != len(parameters):
                return False
            for parameter, name in zip(parameters, given, strict=True):
                allowed = dtypes.get(prefix + parameter.name, dtypes.get(parameter.name, parameter.dtypes))
                if name is None:
                    if parameter.kind == "required":
                        return False
                elif allowed and name not in allowed:
                    return False
        return True


def operator(op_type: str) -> Operator | None:
    """The facts of an operator type, or None if CANN has none of that name."""
    return _decode(op_type) if op_type in _index()[1] else _declared.get(op_type)


def family(soc: str) -> str | None:
    """The one of `CHIPS` that a chip's name is of; None of the 910B, what came after it, and unknown ones."""
    if soc.startswith(SINCE_910B):
        return None
    return next((chip for chip in sorted(CHIPS, key=len, reverse=True) if soc.startswith(chip)), None)


def chip_rows(chip: str, op_type: str) -> tuple[Row, ...] | None:
    """Rows of dtypes that an older chip's AI Core has kernels for; none at all where a program chooses them, None where it has no kernel.

    Args:
        chip: One of `CHIPS`.
        op_type: The operator.
    """
    lists, tables = _chips()
    number = tables[chip].get(op_type)
    if number is None:
        return None
    return tuple(map(_row, lists[number].split())) if number >= 0 else ()


_declared: Final[dict[str, Operator]] = {}


def declare(op_type: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter], attrs: Sequence[Attribute]) -> Operator:
    """Note the prototype of an operator of the user's own, once more to replace it.

    Raises:
        ValueError: CANN has an operator of that name.
    """
    if op_type in _index()[1]:
        raise ValueError(f"CANN has an operator {op_type}; an operator of your own needs another name")
    made = Operator(
        op_type, tuple(inputs), tuple(outputs), tuple(attrs), "aicore", "", {}, (), "", None, {}, (), False, (), False, False, ""
    )
    _declared[op_type] = made
    return made


def names() -> list[str]:
    """All operator types, sorted."""
    return list(_index()[1])


def acl_type(name: str) -> int | None:
    """ACL's number for a dtype name of these tables, None for kinds that ACL cannot describe."""
    return ACL_TYPES.get(name)


_NAMES: Final[dict[str, str]] = {
    **{"f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "b": "bool", "str": "string"},
    **{f"{short}{bits}": f"{long}{bits}" for short, long in (("i", "int"), ("u", "uint")) for bits in (1, 4, 8, 16, 32, 64)},
    **{f"c{bits}": f"complex{bits}" for bits in (32, 64, 128)},
}
_KINDS: Final[dict[str, Kind]] = {"?": "optional", "*": "dynamic"}


@cache
def _index() -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
    """The dtype lists, and the undecoded line of each operator."""
    head, *lines = Path(__file__).with_name("operators.jsonl").read_text(encoding="utf-8").splitlines()
    dtypes = tuple(tuple(_NAMES.get(name, name) for name in entry.split()) for entry in json.loads(head))
    return dtypes, {line[2 : line.index('"', 2)]: line for line in lines}  # a line opens with ["Name"


@cache
def _chips() -> tuple[list[str], dict[str, dict[str, int]]]:
    """The lists of rows, and for each chip which of them an operator has: -1 where they are not listed."""
    head, *lines = Path(__file__).with_name("chips.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(head), dict(map(json.loads, lines))


@cache
def _decode(op_type: str) -> Operator:
    dtypes, lines = _index()
    fields: dict[str, Any] = json.loads(lines[op_type])[1]
    cpu = fields.get("cpu")
    return Operator(
        op_type=op_type,
        inputs=tuple(_parameter(name, dtypes[number]) for name, number in fields["i"]),
        outputs=tuple(_parameter(name, dtypes[number]) for name, number in fields["o"]),
        attrs=tuple(_attribute(*entry) for entry in fields.get("a", ())),
        engine_910b=fields["e"],
        runs_in=fields.get("run", ""),
        dtypes_910b={name: dtypes[number] for name, number in fields.get("d", {}).items()},
        combos_910b=tuple(_row(text) for text in fields.get("c", "").split()),
        prebuilt_910b=fields.get("b", ""),
        aicpu_dtypes=None if cpu is None else {name: dtypes[number] for name, number in cpu.items()},
        value_depend=fields.get("v", {}),
        const_inputs=tuple(fields.get("h", ())),
        data_dependent_shape="s" in fields,
        ref_outputs=tuple(fields.get("ref", ())),
        internal="int" in fields,
        deprecated="old" in fields,
        replaced_by=fields.get("old", ""),
    )


def _parameter(name: str, dtypes: tuple[str, ...]) -> Parameter:
    kind = _KINDS.get(name[-1], "required")
    return Parameter(name if kind == "required" else name[:-1], kind, dtypes)


def _attribute(name: str, kind: str, default: Any = REQUIRED) -> Attribute:
    if kind == "Type" and isinstance(default, str):
        default = int(ACL_TYPES.get(default, DataType.UNDEFINED))
    return Attribute(name, kind, default)


def _row(text: str) -> Row:
    inputs, _, outputs = text.partition(">")
    return _side(inputs), _side(outputs)


def _side(text: str) -> tuple[str | None, ...]:
    return tuple(None if code == "_" else _NAMES[code] for code in text.split(",")) if text else ()


def _padded(given: Sequence[str | None], length: int) -> tuple[str | None, ...]:
    return (*given, *(None,) * (length - len(given)))
