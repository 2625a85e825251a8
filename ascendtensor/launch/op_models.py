"""Where operator models come from: recording what a program launches, and how launches are compiled.

with at.op_models.record("ops/"):
    model(batch)

python -m ascendtensor compile ops/ --soc Ascend310B4 -o op_models/
ASCENDTENSOR_OP_MODELS=op_models/ python program.py
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from .. import compiler
from ..compiler import recorded
from ..errors import CompileError, ValueRangeError
from ..runtime import device
from .registry import handle_cache

if TYPE_CHECKING:
    from ..compiler.description import Description
    from ..compiler.protocol import Registrar

__all__ = ["MODES", "Mode", "Recording", "get_mode", "mode", "record"]
__dir__ = __all__.copy

logger = logging.getLogger("ascendtensor")

MODES: Final = ("compiled", "each-run")


class Recording:
    """What `record` gives: a `with` block in which every operator launched, by any thread, is written down.

    Attributes:
        directory: Where the files go.
        signatures: The operators of this block in words, each once, in order of their first launch.
        skipped: Those that ATC's form has no place for, in words.

    Examples:
        >>> with at.op_models.record("ops/") as recording:
        ...     y = at.ones(3) + 1
        >>> recording.signatures
        ['Fill(int64[1]=[3], float[]) -> float[3]', 'Add(float[3], float[]) -> float[3]']
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory).absolute()
        self.signatures: list[str] = []
        self.skipped: list[str] = []
        self._seen: set[str] = set()

    def __len__(self) -> int:
        return len(self.signatures)

    def __repr__(self) -> str:
        return f"<Recording of {len(self)} operators in {self.directory}>"

    def __enter__(self) -> Recording:
        self.directory.mkdir(parents=True, exist_ok=True)
        with handle_cache.lock:
            # Plans that are at hand launch without asking anybody; made anew, each says what it launches.
            handle_cache.forget_plans()
            handle_cache.recorders.append(self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with handle_cache.lock:
            handle_cache.recorders.remove(self._note)
        recorded.write_manifest(self.directory)

    def _note(self, description: Description) -> None:
        if description.digest() in self._seen:
            return
        self._seen.add(description.digest())
        try:
            recorded.write(self.directory, description)
        except CompileError as error:
            self.skipped.append(str(description))
            logger.warning("not recorded: %s", error)
        else:
            self.signatures.append(str(description))


def record(directory: str | os.PathLike[str]) -> Recording:
    """Write down every operator that is launched in a `with` block, as ATC reads it.

    One JSON file for each operator model that the launches need, exact or dynamic, and `manifest.json` for people. What the directory
    holds already stays, so several runs may record into one. `python -m ascendtensor compile` makes models of it.

    Args:
        directory: Where to; made if need be.

    Returns:
        A `Recording`, which knows the `signatures` afterwards.

    Raises:
        OSError: The directory can't be written.

    Examples:
        >>> with at.op_models.record("ops/") as recording:
        ...     y = at.ones(3) + 1
        >>> len(recording.signatures)
        2
    """
    return Recording(directory)


class Mode:
    """What `mode` gives: in a `with` statement, the mode of before comes back at its end.

    Examples:
        >>> with at.op_models.mode("each-run"):
        ...     at.op_models.get_mode()
        'each-run'
    """

    def __init__(self, name: str, before: Registrar | None) -> None:
        self.name = name
        self._before = before

    def __repr__(self) -> str:
        return f"<op_models.mode({self.name!r})>"

    def __enter__(self) -> Mode:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _use(self._before)


def mode(name: str) -> Mode:
    """Say how launches of this process are compiled, from now on or, in a `with` statement, until its end.

    "compiled", the default: each signature is compiled once, and launched through a handle or a dynamic model. "each-run": each launch
    is `aclopCompileAndExecuteV2`, which compiles what was not compiled yet and queues the operator, for programs whose operators are
    compiled as often as they run; numbers and values that change with every call stay on the host then. It holds for all threads.

    Args:
        name: "compiled" or "each-run".

    Raises:
        ValueRangeError: It is neither.
        CompilerNotFoundError: CANN's compiler library is not there; the text says what is missing.

    Examples:
        >>> with at.op_models.mode("each-run"):
        ...     at.op_models.get_mode()
        'each-run'
        >>> at.op_models.get_mode()
        'compiled'
    """
    if name not in MODES:
        raise ValueRangeError(f"op_models.mode: {name!r} is unknown", advice=f"It may be {' or '.join(map(repr, MODES))}.")
    before = handle_cache.each_run
    chosen: Registrar | None = None
    if name == "each-run":
        chosen = compiler.registrar(device.backend().name, device.soc_name())
        chosen.prepare()
    _use(chosen)
    return Mode(name, before)


def get_mode() -> str:
    """The mode that holds: "compiled" or "each-run".

    Examples:
        >>> at.op_models.get_mode()
        'compiled'
    """
    return MODES[handle_cache.each_run is not None]


def _use(chosen: Registrar | None) -> None:
    with handle_cache.lock:
        handle_cache.each_run = chosen
        handle_cache.forget_plans()
