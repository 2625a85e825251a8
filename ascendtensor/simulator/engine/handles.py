"""Operator handles: a matched model with copies of the descriptions, and the tasks prepared for its buffers (rules HD).

A launch through a handle finds its task under the buffers' handles. The task holds views over the buffers' memory, so it is
dropped when a buffer is updated or destroyed and when its memory is freed: each of these keeps pairs (prepared, key).
"""

from __future__ import annotations

import threading
from typing import Any, Final, NamedTuple, Protocol

from ascendtensor.codes import ErrorCode
from ascendtensor.simulator.engine import AclFault, memory
from ascendtensor.simulator.engine.launching import (
    GE_FAILURE,
    Buffers,
    believed,
    believed_task,
    check_sizes,
    exact_outputs,
    fail,
    measured_task,
    output_rule,
    task_of,
)
from ascendtensor.simulator.engine.matching import TABLE
from ascendtensor.simulator.engine.models import Dims, OpModel, Specs, TensorSpec
from ascendtensor.simulator.engine.tables import HANDLES, LAUNCHES, ON_NEW_PROCESS, Task

PREPARED_LIMIT = 240
"""Tasks kept for one handle, one for each step of a sequence; then the oldest goes. Below a power of two, where ``_note`` sweeps."""

_FREED: Final = "CANN freed what the handle launches by, and a board would use it all the same"
"""Ageing unloads a model's executors (graph engine, OpModelCache::Delete, StreamResource::DeleteOperator), to which handles keep bare
pointers from their first launch on a stream on (OpHandle::cachedOperators)."""

_EMPTY: Final = "a dynamic model that was run without handle can't be loaded by handles that are made later"
"""The first run of a dynamic model without handle drops its bytes (graph engine, OpExecutor::PrepareRt2Execute, UnloadModelData), of which
each handle takes what there is when it is made, and which it loads at its first launch on a stream (OpExecutor::LoadDynamicSingleOp)."""

GE_MODEL_SIZE: Final = int(ErrorCode.GE_EXEC_MODEL_DATA_SIZE_INVALID)
_FEW = 32
_LOCK: Final = threading.RLock()
"""Threads that share a buffer may prepare tasks over it at once. Launches that find a prepared task never come here."""

Key = tuple[int, ...]
Entry = tuple[list[int], list[int], Any, Any, int, int, int, bool, Task]
"""Input buffers, output buffers; first and last input, the last one's index, first output and operator handle, the very objects
that were given; whether there are others; the task."""


class Owner(Protocol):
    """A data buffer or a memory block."""

    tasks: list[tuple[dict[Any, Any], Any]]


class Prepared(dict[Key, Entry]):
    """Tasks by ``(*input buffers, device, *output buffers)``.

    Attributes:
        handle: The operator handle, 0 for an executor without one and after the end.
        recent: By device the newest tasks by first output buffer, which a launch finds without building a key. Only what is in
            the dictionary itself is in here, so dropping a task (``pop``, ``clear``) drops it from both.
    """

    __slots__ = ("handle", "recent")

    def __init__(self, handle: int) -> None:
        super().__init__()
        self.handle = handle
        self.recent: dict[int, dict[int, Entry]] = {}

    def keep(self, inputs: list[int], device: int, outputs: list[int], task: Task) -> None:
        """Adds a task, or an old one with the numbers as they were given now; beyond the limit the oldest goes."""
        key: Key = (*inputs, device, *outputs)
        while len(self) >= PREPARED_LIMIT and key not in self:
            self.pop(next(iter(list(self)), ()))
        wide = len(inputs) > 2 or len(outputs) > 1
        first, last = (inputs[0], inputs[-1]) if inputs else (None, None)
        head = outputs[0] if outputs else 0
        entry = (inputs, outputs, first, last, max(len(inputs) - 1, 0), head, self.handle, wide, task)
        self[key] = entry
        if outputs and self.handle:
            found = self.recent.get(device)
            if found is None:
                found = self.recent[device] = LAUNCHES.setdefault(device, {}).setdefault(self.handle, {})
            found[head] = entry

    def pop(self, key: Key, default: Any = None) -> Any:
        """Drops a task."""
        entry = self.get(key)
        if entry is None:
            return default
        found = self.recent.get(key[len(entry[0])])
        if found is not None and found.get(entry[5]) is entry:
            found.pop(entry[5], None)
        super().pop(key, None)
        return entry

    def clear(self) -> None:
        """Drops all of them."""
        for found in list(self.recent.values()):  # another thread may be at its first launch on a device
            found.clear()
        super().clear()

    def close(self) -> None:
        """Drops all of them for good: nothing finds a task under the handle any more."""
        handle, self.handle = self.handle, 0
        for device in self.recent:
            LAUNCHES[device].pop(handle, None)
        self.clear()


class OpHandle:
    """What ``create_handle`` makes (HD-5).

    Attributes:
        model: The model, kept even if the table drops it.
        inputs, outputs: Copies of the descriptions, constants included.
        prepared: Tasks that are bound to buffers already.
        launched: Whether there was a launch.
        empty: Whether its copy of the model has no bytes, since it was made after a run without handle (``_EMPTY``).
    """

    __slots__ = ("empty", "inputs", "launched", "model", "outputs", "prepared")

    def __init__(self, model: OpModel, inputs: Specs, outputs: Specs, handle: int = 0) -> None:
        self.model = model
        self.inputs = inputs
        self.outputs = outputs
        self.prepared = Prepared(handle)
        self.launched = False
        self.empty = model.dynamic and model.unloaded

    def task(self, inputs: Buffers, outputs: Buffers, device: int) -> Task:
        """The prepared task for these buffers, made if there is none.

        Raises:
            AclFault: As ``prepare``.
        """
        entry = self.prepared.get((*[buffer.handle for buffer in inputs], device, *[buffer.handle for buffer in outputs]))
        return self.prepare(inputs, outputs, device) if entry is None else entry[-1]

    def prepare(self, inputs: Buffers, outputs: Buffers, device: int) -> Task:
        """Makes the task for these buffers and keeps it.

        Raises:
            AclFault: 145000 for a buffer that is too small for a static model (OP-9), 500002 if a dynamic model's shape rule
                refuses the descriptions, or if the model has aged since the first launch; 145006 for a dynamic model that ran without
                handle before this handle was made.
        """
        model = self.model
        if self.empty:
            raise AclFault(GE_MODEL_SIZE, f"[Load][Model] the model of this handle of {model.op_type} has no bytes any more: {_EMPTY}")
        if model.aged and self.launched:
            raise AclFault(GE_FAILURE, f"the model of this handle of {model.op_type} has aged: {_FREED}")
        if not model.dynamic:
            check_sizes(model, inputs, outputs)
            task = task_of(model, (self.inputs, self.outputs), inputs, outputs, device)
        elif believed(model):
            task = believed_task(model, (self.inputs, self.outputs), inputs, outputs, device)
        else:
            expected = output_rule(model, self.inputs)
            exact = exact_outputs(model, self.outputs, expected)
            if exact is not None:
                task = task_of(model, (self.inputs, exact), inputs, outputs, device, expected=expected)
            else:
                task = measured_task(model, (self.inputs, self.outputs), inputs, outputs, device)[0]
        self.launched = True
        if task[0] is not fail:
            self._keep(task, inputs, outputs, device)
        return task

    def _keep(self, task: Task, inputs: Buffers, outputs: Buffers, device: int) -> None:
        in_handles, out_handles = [buffer.handle for buffer in inputs], [buffer.handle for buffer in outputs]
        with _LOCK:
            if _noted((*inputs, *outputs), device, self.prepared, (*in_handles, device, *out_handles)):
                self.prepared.keep(in_handles, device, out_handles, task)


def _noted(buffers: Buffers, device: int, prepared: dict[Any, Any], key: Any) -> bool:
    """Whether everything that a task over buffers must not outlive was told to drop it: first, since Ctrl-C must not leave a task behind
    that nobody drops."""
    owners: dict[int, Owner] = {}
    for buffer in buffers:
        owners[id(buffer)] = buffer
        block = memory.find(buffer.address)
        if block is not None:
            owners[id(block)] = block
        elif buffer.address:  # run mode DEVICE: host memory whose end nobody announces
            return False
        if block is not None and block.device >= 0 and block.device != device:
            return False  # RT-42: peer access may end, also unannounced
    for owner in owners.values():
        _note(owner, prepared, key)
    return True


def bind_anew(op_type: str) -> None:
    """Lets loaded models of a type run what is registered for it now, instead of what was when they were loaded."""
    handles = [record for record in list(HANDLES.values()) if isinstance(record, OpHandle) and record.model.op_type == op_type]
    for model in {*TABLE.of_type(op_type), *(handle.model for handle in handles)}:
        model.bind()
        if isinstance(model.executor, OpHandle):
            model.executor.prepared.clear()
    for handle in handles:
        handle.prepared.clear()
    TABLE.changes += 1  # for launches that were met before (`Repeated`)


class Repeated(NamedTuple):
    """A launch of a dynamic model without handle: what it was, to be done once more while it still is so.

    Attributes:
        specs: What its descriptions said, those of inputs first.
        attrs: What its attributes said.
        found: What the table of models had gone through when the model was found.
        model: The model.
        device: Of the stream.
        dims: What is written into the output descriptions; None where only the run can tell.
        task: The run.
    """

    specs: list[TensorSpec]
    attrs: dict[str, Any]
    found: tuple[int, bool]
    model: OpModel
    device: int
    dims: list[Dims] | None
    task: Task


REPEATED: Final[dict[tuple[Any, ...], Repeated]] = {}
"""By ``(operator type, *input descriptions, *input buffers, attributes, *output descriptions, *output buffers)``: the objects that the
numbers stand for, numbers of buffers."""
REPEATED_KEPT: Final = 192
"""See ``PREPARED_LIMIT``."""
_ONCE: Final[dict[int, None]] = {}
"""The newest launches that were met once, by hash, which keeps nothing alive: most of those whose shapes keep changing never come again."""
_ONCE_KEPT: Final = 256


def keep_repeated(key: tuple[Any, ...], launch: Repeated, buffers: Buffers) -> None:
    """Keep a launch that was met before for the next ones; beyond the limit the oldest go."""
    with _LOCK:
        met = hash(key)
        if met not in _ONCE:
            _ONCE[met] = None
            if len(_ONCE) > _ONCE_KEPT:
                _ONCE.pop(next(iter(list(_ONCE)), 0), None)
            return
        while len(REPEATED) >= REPEATED_KEPT:
            REPEATED.pop(next(iter(list(REPEATED)), ()), None)
        if _noted(buffers, launch.device, REPEATED, key):
            REPEATED[key] = launch


ON_NEW_PROCESS.append(_ONCE.clear)
ON_NEW_PROCESS.append(REPEATED.clear)


def _note(owner: Owner, prepared: dict[Any, Any], key: Any) -> None:
    """Adds a pair to a buffer or a block, and at each power of two sweeps out pairs whose task is gone or that stand there twice."""
    tasks = owner.tasks
    count = len(tasks)
    if count >= _FEW and not count & (count - 1):
        tasks[:] = {(id(pair[0]), pair[1]): pair for pair in tasks if pair[1] in pair[0]}.values()
    tasks.append((prepared, key))
