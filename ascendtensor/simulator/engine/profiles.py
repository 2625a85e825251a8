"""What a chip refuses beyond the prototype: CANN's tables of the 910B, a vendor's page, or a file that a board's compiler left.

ATC asks each kernel library whether it takes an operator with these dtypes; if none does, it ends with EZ3002 and EZ3003 (GE,
``graph/passes``, engine placer). A profile is that question's answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ascendtensor import facts
from ascendtensor.simulator.engine import chips

VARIABLE: Final = "ASCENDTENSOR_SIM_PROFILE"
ANY, SOC = "any", "soc"
KEY: Final = "ascendtensor_profile"
VERSION: Final = 1
TABLES: Final = "Ascend910B"
"""Chips that the tables of ``facts`` are of, by the beginning of the name."""
OLDER: Final[Mapping[int, str]] = {0: "Ascend310", 1001: "Ascend910", 2002: "Ascend310P", 3002: "Ascend310B"}
"""By NpuArch the older chips whose AI Core kernels ``facts`` knows."""
ELSEWHERE: Final = frozenset(("ge_local", "rts", "host_cpu"))
"""Libraries of the graph engine that take an operator of any dtype, so that no chip's table lists it."""
SHOWN: Final = 6
EDITION: Final = 3
"""Counts what is known of chips: models on disk that were made when less was refused are made again."""

_BFLOAT16: Final = (
    "https://www.hiascend.com/doc_center/source/zh/CANNCommunityEdition/80RC1alpha002/devaids/auxiliarydevtool/atlasatc_16_0098.html"
)
"""ATC's option --precision_mode_v2: only the Atlas A2 training products support bfloat16. So does Cast's page for the chips it names
(hiascend.com, CANN 8.0.RC2, atlasophostapi_07_0516)."""
RULED_OUT: Final[Mapping[int, Mapping[str, str]]] = {number: {"bfloat16": _BFLOAT16} for number in (0, 1001, 2002, 3002)}
"""By NpuArch the dtypes that no operator of the chip takes, each with the page that says so."""

_SINGLES: Final = "https://www.hiascend.com/document/detail/zh/canncommercial/800/apiref/aolapi/context/aclnnMm.md"
"""The parameter cubeMathType, here and on the pages of the other products and convolutions: on the Atlas training (910) and inference
(310P) products the cube unit does not take FLOAT, and a call that is told to keep the dtype fails."""
NO_SINGLES_IN_CUBE: Final = frozenset((1001, 2002))
"""By NpuArch the chips that those pages name; of the Ascend310B none speaks."""
CUBE: Final = frozenset(
    (
        "MatMul",
        "MatMulV2",
        "MatMulV3",
        "BatchMatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "Conv2D",
        "Conv2DTranspose",
        "Conv2DBackpropInput",
        "Conv2DBackpropFilter",
        "Conv3D",
        "Conv3DTranspose",
        "Conv3DBackpropInput",
        "Conv3DBackpropFilter",
    )
)
MULTIPLIED: Final = frozenset(("x", "x1", "x2", "filter", "out_backprop"))

_log: Final = logging.getLogger("ascendtensor")

Names = Sequence["str | None"]


class Board(NamedTuple):
    """A profile file.

    Attributes:
        place: Its path.
        soc: The chip.
        accepted, refused: By operator the rows of dtypes; of a refused one what the compiler said.
        tag: A short digest of the contents.
    """

    place: str
    soc: str
    accepted: Mapping[str, frozenset[str]]
    refused: Mapping[str, Mapping[str, str]]
    tag: str


class Settings:
    """The profile in use."""

    name: str = ANY
    board: Board | None = None
    warned: Final[set[str]] = set()


def given(profile: str | None, soc_is_given: bool) -> str:
    """The profile asked for: the argument, else the environment's, else that of the chip if one was named, else ``any``."""
    return profile or os.environ.get(VARIABLE, "") or (SOC if soc_is_given else ANY)


def parse(name: str) -> tuple[str, Board | None]:
    """A profile's name, and the file's contents if it is one.

    Raises:
        ValueError: It is no profile.
    """
    if name in (ANY, SOC) or chips.known(name):
        return name, None
    return name, read(Path(name).expanduser())


def using(name: str) -> contextlib.AbstractContextManager[None]:
    """Another profile for a while.

    Raises:
        ValueError: It is no profile.
    """
    return _using(*parse(name))


@contextlib.contextmanager
def _using(name: str, board: Board | None) -> Iterator[None]:
    before = Settings.name, Settings.board
    Settings.name, Settings.board = name, board
    try:
        yield
    finally:
        Settings.name, Settings.board = before


def read(path: Path) -> Board:
    """The contents of a profile file.

    Raises:
        ValueError: There is no such file, or it is no profile.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(
            f"profile must be 'any', 'soc', the name of a chip or the path of a profile file, got {str(path)!r}: {error.strerror or error}"
        ) from None
    try:
        content = json.loads(data)
        if content[KEY] != VERSION:
            raise ValueError(f"its version is {content[KEY]!r}, not {VERSION}")
        accepted = {str(op_type): frozenset(map(str, rows)) for op_type, rows in content["accepted"].items()}
        refused = {str(op_type): {str(row): str(said) for row, said in rows.items()} for op_type, rows in content["refused"].items()}
        soc = content["soc"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is no profile of `python -m ascendtensor compile`: {error!r}") from None
    if not isinstance(soc, str) or not chips.known(soc):
        raise ValueError(f"{path} is the profile of {soc!r}, a chip that CANN does not know")
    return Board(str(path), soc, accepted, refused, hashlib.sha256(data).hexdigest()[:12])


def tag() -> str:
    """Tells models made under one profile from those made under another; empty for ``any``."""
    if Settings.name == ANY:
        return ""
    return f"-{Settings.board.tag if Settings.board is not None else Settings.name}-{EDITION}"


def refusal(operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> str | None:
    """What a chip's compiler says of an operator that it has no kernel for; None if it has one, as far as is known.

    Args:
        operator: The operator.
        soc: The chip it is compiled for.
        inputs, outputs: A dtype for each parameter of the prototype, None where absent.
    """
    if Settings.name == ANY:
        return None
    if Settings.name != SOC and Settings.board is None:
        soc = Settings.name
    board = Settings.board
    if board is not None and board.soc != soc:
        _once(f"the profile {board.place} is of {board.soc}, not of {soc}: it is not looked at")
        board = None
    if board is not None:
        row = spelled(inputs, outputs)
        if row in board.accepted.get(operator.op_type, ()):
            return None
        said = board.refused.get(operator.op_type, {}).get(row)
        if said is not None:
            return refused(operator, f"the compiler of {board.soc} refused it, says {board.place}: {said}")
    if soc.startswith(TABLES):
        return _by_tables(operator, soc, inputs, outputs)
    said = _by_pages(operator, soc, inputs, outputs)
    older = OLDER.get(chips.ARCHITECTURES.get(soc, -1))
    return said if said is not None or older is None else _by_older_tables(operator, soc, older, inputs, outputs)


def engine(operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> str | None:
    """Where a chip runs an operator, ``aicore``, ``aicpu`` and the like; None where nothing is known. Arguments as of ``refusal``."""
    if soc.startswith(TABLES):
        return operator.engine_for(inputs, outputs)
    older = OLDER.get(chips.ARCHITECTURES.get(soc, -1))
    return None if older is None else operator.engine_on(older, inputs, outputs)


def spelled(inputs: Names, outputs: Names) -> str:
    """A row of dtypes as profile files write it: ``float32,float32>float32``; ``_`` for an absent one, none at the end."""
    sides = []
    for names in (inputs, outputs):
        words = [name or "_" for name in names]
        while words and words[-1] == "_":
            words.pop()
        sides.append(",".join(words))
    return ">".join(sides)


def _by_tables(operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> str | None:
    if operator.engine_910b == "none":
        if operator.runs_in in ELSEWHERE or operator.engine_for(inputs, outputs) is not None:
            return None
        return refused(operator, f"op type {operator.op_type} is not found in the op stores of {soc}")
    if operator.engine_for(inputs, outputs) is not None:
        return None
    said = f"{_words(operator, inputs, outputs)} is not in the op information library of {soc}"
    if operator.combos_910b:
        said += _which_has(operator.combos_910b)
    else:
        lists = [f"{name} {', '.join(dtypes)}" for name, dtypes in operator.dtypes_910b.items()]
        said += f", which has {'; '.join(lists)}" if lists else ""
    return refused(operator, said)


def _by_older_tables(operator: facts.Operator, soc: str, chip: str, inputs: Names, outputs: Names) -> str | None:
    if operator.engine_910b == "none" and operator.runs_in in ELSEWHERE:
        return None
    if operator.engine_on(chip, inputs, outputs) is not None:
        return None
    rows = facts.chip_rows(chip, operator.op_type)
    if rows is None:
        return refused(operator, f"op type {operator.op_type} is not found in the op stores of {soc}")
    return refused(operator, f"{_words(operator, inputs, outputs)} is not in the op information library of {soc}{_which_has(rows)}")


def _which_has(combos: Sequence[tuple[Names, Names]]) -> str:
    rows = list(dict.fromkeys(spelled(*row) for row in combos))
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return f", which has {'; '.join(rows[:SHOWN])}{more}"


def _by_pages(operator: facts.Operator, soc: str, inputs: Names, outputs: Names) -> str | None:
    known = (
        "knows only in part what kernels {} has: where CANN chooses dtypes by a program, it"
        if (chips.ARCHITECTURES.get(soc) in OLDER)
        else "has no tables of {}: it"
    )
    _once(
        f"the simulator {known.format(soc)} checks operators' prototypes and what vendor pages rule out, and can't vouch that the "
        "chip has each kernel. `python -m ascendtensor compile` on a board writes a profile that it can use (ASCENDTENSOR_SIM_PROFILE)."
    )
    if operator.op_type in CUBE and chips.ARCHITECTURES.get(soc) in NO_SINGLES_IN_CUBE:
        for parameter, name in zip(operator.inputs, inputs, strict=False):
            if parameter.name in MULTIPLIED and name == "float32":
                return refused(operator, f"the cube unit of {soc} does not take {parameter.name} in float32 ({_SINGLES})")
    pages = RULED_OUT.get(chips.ARCHITECTURES.get(soc, -1), {})
    for name in (*inputs, *outputs):
        if name is not None and name in pages:
            return refused(operator, f"{soc} does not support {name} ({pages[name]})")
    return None


def _words(operator: facts.Operator, inputs: Names, outputs: Names) -> str:
    found = zip((*operator.inputs, *operator.outputs), (*inputs, *outputs), strict=False)
    return ", ".join(f"{parameter.name} {name or 'absent'}" for parameter, name in found)


def refused(operator: facts.Operator, reason: str) -> str:
    """ATC's two lines (GE, ``error_manager``: EZ3002 with the library's reason, then EZ3003)."""
    op_type = operator.op_type
    library = {"aicore": "AIcoreEngine", "aicpu": "aicpu_ascend_kernel"}.get(operator.engine_910b, "AIcoreEngine")
    return (
        f"EZ3002: Optype [{op_type}] of Ops kernel [{library}] is unsupported. Reason: {reason}.\n"
        f"EZ3003: No supported Ops kernel and engine are found for [{op_type}], optype [{op_type}]."
    )


def _once(text: str) -> None:
    if text not in Settings.warned:
        Settings.warned.add(text)
        _log.warning(text)
