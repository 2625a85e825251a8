"""Operator handles: a matched model with copies of the descriptions, and the tasks prepared for its buffers (rules HD).

A launch through a handle finds its task under the buffers' handles. The task holds views over the buffers' memory, so it is
dropped when a buffer is updated or destroyed and when its memory is freed: each of these keeps pairs (prepared, key).
"""

from __future__ import annotations

from typing import Any, Protocol

from ascendtensor.simulator.engine import memory
from ascendtensor.simulator.engine.launching import Buffers, check_sizes, exact_outputs, fail, measured_task, task_of
from ascendtensor.simulator.engine.models import OpModel, Specs
from ascendtensor.simulator.engine.tables import Task

PREPARED_LIMIT = 64
"""Tasks kept for one handle; then the oldest goes."""

_FEW = 32


Key = tuple[int, ...]
Entry = tuple[list[int], list[int], int, Task]
"""Input buffers, output buffers, device and the task."""


class Owner(Protocol):
    """A data buffer or a memory block."""

    tasks: list[tuple[dict[Any, Any], Any]]


class Prepared(dict[Key, Entry]):
    """Tasks by ``(*input buffers, device, *output buffers)``.

    Attributes:
        recent: The newest of them by first output buffer, which a launch finds without building a key. Only what is in the
            dictionary itself is in here, so dropping a task (``pop``, ``clear``) drops it from both.
    """

    __slots__ = ("recent",)

    def __init__(self) -> None:
        super().__init__()
        self.recent: dict[int, Entry] = {}

    def keep(self, key: Key, entry: Entry) -> None:
        """Adds a task; beyond the limit the oldest goes."""
        if len(self) >= PREPARED_LIMIT:
            self.pop(next(iter(self)))
        self[key] = entry
        if entry[1]:
            self.recent[entry[1][0]] = entry

    def pop(self, key: Key, default: Any = None) -> Any:
        """Drops a task."""
        entry = super().pop(key, None)
        if entry is None:
            return default
        if entry[1] and self.recent.get(entry[1][0]) is entry:
            del self.recent[entry[1][0]]
        return entry

    def clear(self) -> None:
        """Drops all of them."""
        self.recent.clear()
        super().clear()


class OpHandle:
    """What ``create_handle`` makes (HD-5).

    Attributes:
        model: The model, kept even if the table drops it.
        inputs, outputs: Copies of the descriptions, constants included.
        prepared: Tasks that are bound to buffers already.
        recent: Its index by first output buffer.
    """

    __slots__ = ("inputs", "model", "outputs", "prepared", "recent")

    def __init__(self, model: OpModel, inputs: Specs, outputs: Specs) -> None:
        self.model = model
        self.inputs = inputs
        self.outputs = outputs
        self.prepared = Prepared()
        self.recent = self.prepared.recent

    def task(self, inputs: Buffers, outputs: Buffers, device: int) -> Task:
        """The prepared task for these buffers, made if there is none.

        Raises:
            AclFault: As ``prepare``.
        """
        entry = self.prepared.get((*[buffer.handle for buffer in inputs], device, *[buffer.handle for buffer in outputs]))
        return self.prepare(inputs, outputs, device) if entry is None else entry[3]

    def prepare(self, inputs: Buffers, outputs: Buffers, device: int) -> Task:
        """Makes the task for these buffers and keeps it.

        Raises:
            AclFault: 145000 for a buffer that is too small for a static model (OP-9), 500002 if a dynamic model's shape rule
                refuses the descriptions.
        """
        model = self.model
        if not model.dynamic:
            check_sizes(model, inputs, outputs)
            task = task_of(model, (self.inputs, self.outputs), inputs, outputs, device)
        else:
            exact = exact_outputs(model, self.inputs, self.outputs)
            if exact is not None:
                task = task_of(model, (self.inputs, exact), inputs, outputs, device)
            else:
                task = measured_task(model, (self.inputs, self.outputs), inputs, outputs, device)[0]
        if task[0] is not fail:
            self._keep(task, inputs, outputs, device)
        return task

    def _keep(self, task: Task, inputs: Buffers, outputs: Buffers, device: int) -> None:
        owners: dict[int, Owner] = {}
        for buffer in (*inputs, *outputs):
            owners[id(buffer)] = buffer
            block = memory.find(buffer.address)
            if block is not None:
                owners[id(block)] = block
            elif buffer.address:  # run mode DEVICE: host memory whose end nobody announces
                return
        in_handles, out_handles = [buffer.handle for buffer in inputs], [buffer.handle for buffer in outputs]
        key = (*in_handles, device, *out_handles)
        self.prepared.keep(key, (in_handles, out_handles, device, task))
        for owner in owners.values():
            _note(owner, self.prepared, key)


def _note(owner: Owner, prepared: dict[Any, Any], key: Any) -> None:
    """Adds a pair to a buffer or a block, and at each power of two sweeps out pairs whose task is gone."""
    tasks = owner.tasks
    count = len(tasks)
    if count >= _FEW and not count & (count - 1):
        tasks[:] = [pair for pair in tasks if pair[1] in pair[0]]
    tasks.append((prepared, key))
