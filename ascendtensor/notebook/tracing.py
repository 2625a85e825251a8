"""`at.trace()`: what a piece of a program launches, as a table, as operator descriptions, as a pyACL program."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .. import html
from ..base import TensorBase
from ..dtypes import from_acl
from ..errors import UnsupportedError, describe_bytes
from ..ops.linalg import matmul
from . import replaying
from .recording import DATA_LIMIT, Called, Launched, Recorder

if TYPE_CHECKING:
    from ..compiler.description import Description, TensorDescription

T = TypeVar("T", bound=TensorBase)


@dataclass(frozen=True)
class Launch:
    """One launch of an operator.

    Attributes:
        op_type: Ascend IR type, "Add".
        function: The function that launched it, "add"; "" where it is not known.
        description: Inputs, outputs and attributes with the shapes of this launch; None for what was launched without a plan.
        model: What the operator model was made for: the same, or with dims of -1 where it is dynamic.
        dynamic: Whether one model serves many shapes.
        hit: Whether the plan was at hand.
        nbytes: Bytes of the tensors that it reads and writes.
        began, seconds: When the call began (`time.perf_counter`), and how long the host was in it.
        code: What pyACL answered, 0 where the launch was queued.
        stream: The aclrtStream.
        stack: Functions of the library that it came through; only in `explain`.

    Examples:
        >>> with at.trace() as trace:
        ...     y = at.ones(2) + at.ones(2)
        >>> trace.launches[-1].op_type, trace.launches[-1].shapes
        ('Add', 'float[2], float[2] -> float[2]')
    """

    op_type: str
    function: str
    description: Description | None
    model: Description | None
    dynamic: bool
    hit: bool
    nbytes: int
    began: float
    seconds: float
    code: int
    stream: int
    stack: tuple[str, ...] = ()
    plan: Any = None

    @property
    def shapes(self) -> str:
        """Dtypes and shapes, "float32[8, 8], float32[8, 8] -> float32[8, 8]"."""
        if self.description is None:
            return ""
        given, made = (", ".join(map(str, tensors)) for tensors in (self.description.inputs, self.description.outputs))
        return f"{given} -> {made}"


def nbytes(tensor: TensorDescription) -> int:
    """Bytes of a tensor on the device; none of an absent one, or of a constant, which is part of the model."""
    if tensor.absent or tensor.const is not None:
        return 0
    total = from_acl(tensor.dtype).itemsize
    for dim in tensor.shape:
        total *= dim
    return total


def launched(event: Launched) -> Launch:
    """A launch as users see it."""
    plan = getattr(event.plan, "core", event.plan)
    times: dict[str, Any] = {
        "began": event.began / 1e9,
        "seconds": (event.ended - event.began) / 1e9,
        "code": event.code,
        "stream": event.stream,
    }
    description = getattr(plan, "description", None)
    if description is None:
        name = str(getattr(plan, "op_type", plan))
        return Launch(name, "", None, None, False, True, 0, stack=event.stack, **times)
    return Launch(
        op_type=plan.op_type,
        function=plan.name,
        description=description,
        model=getattr(plan, "model", description),
        dynamic=plan.dynamic,
        hit=event.hits > 1,
        nbytes=sum(map(nbytes, (*description.inputs, *description.outputs))),
        stack=event.stack,
        plan=plan,
        **times,
    )


class Trace:
    """What was launched inside `with at.trace() as t:`.

    Attributes:
        launches: The launches in order.
        recorder: Everything that was noted; empty once more when the next block begins.

    Examples:
        >>> with at.trace() as t:
        ...     y = at.ones(2, 2) @ at.ones(2, 2)
        >>> [launch.op_type for launch in t.launches]
        ['Fill', 'Fill', 'MatMulV2']
        >>> isinstance(t.calls, list), len(t.to_singleop_json("ops"))
        (True, 2)
        >>> t.to_pyacl("program.py").name
        'program.py'
    """

    def __init__(self, data: bool = True, limit: int = DATA_LIMIT, stacks: bool = False) -> None:
        self._settings = {"data": data, "limit": limit, "stacks": stacks}
        self.recorder = Recorder(**self._settings)  # type: ignore[arg-type]
        self._launches: list[Launch] | None = []

    def __enter__(self) -> Trace:
        self.recorder.expect(False, "trace")
        self.recorder = Recorder(**self._settings)  # type: ignore[arg-type]
        self._launches = None
        self.recorder.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.recorder.expect(True, "trace")
        self.recorder.stop()
        self.recorder.finish(wait=kind is None)

    @property
    def launches(self) -> list[Launch]:
        if self._launches is None or len(self._launches) != len(self._events(Launched)):
            self._launches = [launched(event) for event in self._events(Launched)]
        return self._launches

    @property
    def calls(self) -> list[tuple[str, tuple[Any, ...], Any]]:
        """The other pyACL calls: function, arguments, what it answered."""
        return [(event.function, event.arguments, event.answer) for event in self._events(Called)]

    def _events(self, kind: type) -> list[Any]:
        return [event for event in self.recorder.events if event.__class__ is kind]

    # As text

    def _rows(self) -> list[tuple[Any, ...]]:
        return [
            (
                number,
                each.function,
                each.op_type,
                each.shapes,
                "dynamic" if each.dynamic else "static",
                "hit" if each.hit else "miss",
                describe_bytes(each.nbytes),
                f"{each.seconds * 1e6:.1f}",
            )
            for number, each in enumerate(self.launches)
        ]

    _HEAD = ("", "function", "operator", "tensors", "model", "plan", "bytes", "host us")

    def _summary(self) -> str:
        counts = Counter(event.function for event in self._events(Called))
        others = ", ".join(f"{name} {count}" for name, count in counts.most_common(6))
        return f"{len(self.launches)} launches, {sum(counts.values())} other pyACL calls{': ' if others else ''}{others}"

    def __repr__(self) -> str:
        return "\n".join([*columns(self._HEAD, self._rows()), self._summary()])

    def _repr_html_(self) -> str:
        return html.block(html.table(self._HEAD, self._rows()), f'<div class="dim">{html.escape(self._summary())}</div>')

    # As files

    def to_singleop_json(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write the description of each operator model that was launched, as `atc --singleop` reads it.

        Args:
            directory: Where; it is made if need be.

        Returns:
            The files, one for each model, in the order of their first launch.

        Raises:
            CompileError: ATC's file can't say what a launch was.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for model in dict.fromkeys(each.model for each in self.launches if each.model is not None):
            path = folder / f"{model.file_name}.json"
            path.write_text(json.dumps([model.to_json()], indent=1), encoding="utf-8")
            written.append(path)
        return written

    def to_pyacl(self, path: str | os.PathLike[str]) -> Path:
        """Write a plain pyACL program that repeats the launches, on an NPU or under `python -m ascendtensor.simulator`.

        Beside the program, `<name>_data.npz` holds what the launches read, `<name>_models/` the operator models and their descriptions for
        ATC. The program writes the results that no other launch read to `<name>_results.npz`, bfloat16 as uint16.

        Args:
            path: The program, "script.py".

        Returns:
            Its path.

        Raises:
            UnsupportedError: There is nothing to repeat, the data was not kept, or something ran that is not one operator by its
                description (a whole model, a product of `acl.blas`, a kernel of the user's own).
        """
        if not self.recorder.complete:
            advice = "Use trace(data=True), a larger limit, and let the block end without an error and without shutdown()."
            raise UnsupportedError("the data that the launches read was not kept", where="Trace.to_pyacl", advice=advice)
        return replaying.write(Path(path), self.recorder.events)


def columns(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lines of a table as text."""
    texts = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[place]) for row in texts) for place in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]


@overload
def trace(input: T) -> T: ...
@overload
def trace(input: None = None, *, data: bool = True, limit: int = DATA_LIMIT) -> Trace: ...
def trace(input: Any = None, *, data: bool = True, limit: int = DATA_LIMIT) -> Any:
    """Sum of the diagonal of a matrix; without a matrix, a recorder of launches for `with at.trace() as t:`.

    A recording has each launch of every thread (operator, shapes, static or dynamic model, whether the plan was at hand, bytes, time of the
    host) and each other pyACL call. It prints as a table; `to_singleop_json` writes the operators' descriptions, `to_pyacl` a program
    that repeats it. The end of the block waits for the work. While nothing is recorded, a launch costs what it did before.

    Args:
        input: [m, n] of any numeric dtype, or None.
        data: Keep the data that the launches read, for `to_pyacl`: a copy on the device, and of what comes from the host.
        limit: Bytes of data kept; a recording that needs more has no `to_pyacl`.

    Returns:
        A 0-d tensor; or a `Trace`.

    Raises:
        ShapeError: The input is no matrix.

    Examples:
        >>> x = at.ones(2, 2)
        >>> with at.trace() as t:
        ...     y = x @ x + 1
        >>> [launch.op_type for launch in t.launches]
        ['MatMulV2', 'Add']

    Like: torch.trace; the recorder like torch.profiler.profile.
    """
    return Trace(data, limit) if input is None else matmul.trace(input)
