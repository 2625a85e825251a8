"""Descriptions of operators as files: what a program launched, in the form that ATC reads.

A directory of them holds one JSON file for each operator, named by type and digest, each a list of one object as `atc --singleop` takes
it; and `manifest.json`, which says the same in one place for people. The files are the truth: `read` looks at nothing else, so they may
be copied together from several runs, and lists written by hand may lie among them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from ascendtensor.codes import DataType, Format
from ascendtensor.compiler import files
from ascendtensor.compiler.description import (
    ABSENT,
    CONSTANT_TYPES,
    TYPE_NAMES,
    Attribute,
    AttributeKind,
    Description,
    TensorDescription,
)
from ascendtensor.errors import CompileError

MANIFEST: Final = "manifest.json"
FORMAT: Final = "ascendtensor operators"
VERSION: Final = 1

_CODES: Final[dict[str, int]] = {
    **{name: code for code, name in TYPE_NAMES.items()},
    "float32": int(DataType.FLOAT),
    "fp16": int(DataType.FLOAT16),
    "half": int(DataType.FLOAT16),
    "float64": int(DataType.DOUBLE),
    "bf16": int(DataType.BF16),
}
_OP_KEYS: Final = frozenset({"op", "name", "input_desc", "output_desc", "attr"})
_TENSOR_KEYS: Final = frozenset({"format", "type", "shape", "shape_range", "name", "dynamic_input", "is_const", "const_value"})
_OWN_NAME: Final = re.compile(r".*_([0-9a-f]{64})")


def parse(operator: Any) -> Description:
    """The description of one object of ATC's list; the inverse of `Description.to_json`.

    Raises:
        CompileError: It is no such object, it says what a `Description` has no place for, or it is one of ours that was edited.
    """
    if not isinstance(operator, dict) or not isinstance(operator.get("op"), str):
        raise CompileError('each element has to be an object with the operator type as "op"')
    op_type = operator["op"]
    try:
        _known(operator, _OP_KEYS)
        description = Description(
            op_type=op_type,
            inputs=tuple(_tensors(operator.get("input_desc", []))),
            outputs=tuple(_tensors(operator.get("output_desc", []))),
            attrs=tuple(_attribute(entry) for entry in operator.get("attr", [])),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise CompileError(f"the description of {op_type} can't be read: {error}", op_type=op_type) from error
    recorded = _OWN_NAME.fullmatch(str(operator.get("name", "")))
    if recorded and recorded.group(1) != description.digest():
        raise CompileError(
            f"the description of {op_type} is not the one that its name tells of",
            op_type=op_type,
            operands=str(description),
            advice='It was edited, or another version of ascendtensor recorded it. Record it again, or remove its "name".',
        )
    return description


def _known(entry: Mapping[str, Any], keys: frozenset[str]) -> None:
    unknown = sorted(set(entry) - keys)
    if unknown:
        raise ValueError(f"the key {unknown[0]} is not understood here; understood are {', '.join(sorted(keys))}")


def _tensors(entries: Sequence[Mapping[str, Any]]) -> Iterator[TensorDescription]:
    members: dict[str, int] = {}
    for entry in entries:
        _known(entry, _TENSOR_KEYS)
        repeated = str(entry.get("dynamic_input", ""))
        name = str(entry.get("name", ""))
        if repeated:  # members are numbered from 0 (INF-6)
            number = members[repeated] = members.get(repeated, -1) + 1
            name = f"{repeated}{number}"
        yield _tensor(entry, name, repeated)


def _tensor(entry: Mapping[str, Any], name: str, repeated: str) -> TensorDescription:
    kind, layout = str(entry["type"]).lower().removeprefix("dt_"), str(entry["format"]).upper()
    if kind == "undefined":
        return ABSENT
    if kind not in _CODES:
        raise ValueError(f"the type {entry['type']} is not known")
    shape = tuple(int(dim) for dim in entry["shape"])
    pairs = iter([(int(low), int(high)) for low, high in entry.get("shape_range", [])])
    ranges = tuple((dim, dim) if dim >= 0 else next(pairs, (1, -1)) for dim in shape) if -1 in shape else None
    const = None
    if entry.get("is_const"):
        if _CODES[kind] not in CONSTANT_TYPES:
            raise ValueError(f"a constant can't be of type {entry['type']}")
        const = np.array(entry["const_value"], CONSTANT_TYPES[_CODES[kind]]).tobytes()
    return TensorDescription(_CODES[kind], shape, int(Format[layout]), ranges, const, name, repeated)


def _attribute(entry: Mapping[str, Any]) -> Attribute:
    kind, value = str(entry["type"]), entry["value"]
    if kind == "data_type" and isinstance(value, str):
        value = _CODES[value.lower().removeprefix("dt_")]
    if kind.startswith("list_") and isinstance(value, str):
        raise ValueError(f"the attribute {entry['name']} is no list")
    return Attribute(str(entry["name"]), cast(AttributeKind, kind), value)


@dataclass
class Reading:
    """What was found in files.

    Attributes:
        descriptions: Each once, in order of operator type and digest.
        unreadable: What could not be read: the file (and the place in it), and why.
    """

    descriptions: list[Description] = field(default_factory=list)
    unreadable: list[tuple[str, CompileError]] = field(default_factory=list)


def read(paths: Iterable[Path]) -> Reading:
    """The descriptions in JSON files, or in all JSON files of directories but their manifests.

    Raises:
        CompileError: There is no such file or directory.
    """
    found: dict[str, Description] = {}
    reading = Reading()
    for path in paths:
        for file in _files(path):
            for place, operator in _operators(file, reading):
                try:
                    description = parse(operator)
                except CompileError as error:
                    reading.unreadable.append((place, error))
                else:
                    found.setdefault(description.digest(), description)
    reading.descriptions = sorted(found.values(), key=lambda description: (description.op_type, description.digest()))
    return reading


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*.json") if file.name != MANIFEST and not file.name.startswith("."))
    if path.is_file():
        return [path]
    raise CompileError(f"there is no file or directory {path}", advice='Record one: with at.op_models.record("ops/"): ...')


def _operators(file: Path, reading: Reading) -> Iterator[tuple[str, Any]]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reading.unreadable.append((str(file), CompileError(f"it can't be read: {error}")))
        return
    operators = content if isinstance(content, list) else [content]
    for number, operator in enumerate(operators):
        yield (str(file) if len(operators) == 1 else f"{file}, element {number}"), operator


def write(directory: Path, description: Description) -> Path:
    """Write one description, if it is not there yet.

    Raises:
        CompileError: ATC's form has no place for something in it.
        OSError: The directory can't be written.
    """
    path = directory / f"{description.file_name}.json"
    if not path.exists():
        files.write_json(path, [description.to_json()])
    return path


def write_manifest(directory: Path) -> None:
    """Write what the directory holds, of this run and of others.

    Raises:
        OSError: The directory can't be written.
    """
    operators = {
        description.digest(): {
            "file": f"{description.file_name}.json",
            "op_type": description.op_type,
            "signature": str(description),
            "dynamic": description.dynamic,
        }
        for description in read([directory]).descriptions
        if (directory / f"{description.file_name}.json").exists()
    }
    files.write_json(directory / MANIFEST, {"format": FORMAT, "version": VERSION, "operators": operators})
