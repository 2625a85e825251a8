"""What a board's compiler accepted and refused, as a profile file that the simulator reads (`ASCENDTENSOR_SIM_PROFILE`)."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from ascendtensor import facts
from ascendtensor.compiler import files
from ascendtensor.compiler.description import Description, TensorDescription
from ascendtensor.compiler.protocol import Compiler
from ascendtensor.errors import CompileError

KEY: Final = "ascendtensor_profile"
VERSION: Final = 1
NO_KERNEL: Final = ("EZ3002", "EZ3003")
"""ATC's numbers for an operator that no kernel library takes; other failures say nothing about dtypes."""

_NAMES: Final = {int(code): name for name, code in facts.ACL_TYPES.items()}

Failure = tuple[Description, CompileError]


def write(path: Path, compiler: Compiler, accepted: Iterable[Description], failures: Sequence[Failure]) -> None:
    """Add what a run found to a profile file; of a signature that was accepted once, no refusal is kept.

    Args:
        path: The file; one of another chip or compiler is begun anew.
        compiler: What judged.
        accepted: What it made models of.
        failures: What it made none of, and why.

    Raises:
        OSError: The file can't be written.
    """
    profile = _begun(path, compiler)
    for description in accepted:
        rows = profile["accepted"].setdefault(description.op_type, [])
        if (row := signature(description)) not in rows:
            rows.append(row)
    for description, error in failures:
        said = next((line for line in (error.message, *error.log.splitlines()) if any(mark in line for mark in NO_KERNEL)), "")
        kind = "refused" if said else "failed"
        profile[kind].setdefault(description.op_type, {})[signature(description)] = said.strip() or error.message
    for kind in ("refused", "failed"):
        for op_type, rows in profile[kind].items():
            known = profile["accepted"].get(op_type, ())
            profile[kind][op_type] = {row: said for row, said in rows.items() if row not in known}
        profile[kind] = {op_type: rows for op_type, rows in profile[kind].items() if rows}
    files.write_json(path, profile)


def signature(description: Description) -> str:
    """The dtypes of a description's parameters: ``float32,float32>float32``; ``_`` where absent, none at the end."""
    return ">".join(",".join(_side(tensors)) for tensors in (description.inputs, description.outputs))


def _side(tensors: Iterable[TensorDescription]) -> list[str]:
    words: list[str] = []
    repeated: set[str] = set()
    for tensor in tensors:
        if tensor.dynamic_input in repeated:
            continue
        if tensor.dynamic_input:
            repeated.add(tensor.dynamic_input)
        words.append("_" if tensor.absent else _NAMES.get(tensor.dtype, str(tensor.dtype)))
    while words and words[-1] == "_":
        words.pop()
    return words


def _begun(path: Path, compiler: Compiler) -> dict[str, Any]:
    """What earlier runs found, else an empty profile."""
    head = {KEY: VERSION, "soc": compiler.soc, "compiler": f"{compiler.name} {compiler.version}"}
    try:
        content = json.loads(path.read_bytes())
        if {name: content[name] for name in head} == head:
            return {**head, **{name: dict(content[name]) for name in ("accepted", "refused", "failed")}}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {**head, "accepted": {}, "refused": {}, "failed": {}}
