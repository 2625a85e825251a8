"""A session of `acl.prof` beside `at.profile()`: CANN's own measurement of what runs on the device.

The API writes raw data; on a board `msprof` makes tables of it. The simulator writes its tables at once.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from ..acl import profiling as prof
from ..errors import AscendTensorError
from ..runtime.process import state

API_CALLS: Final = 0x1
TASK_TIME: Final = 0x2
STAMPS: Final = 0x80
NO_METRICS: Final = 255
"""Kinds of data and counters, by the header acl_prof.h."""

MOST: Final = 127
"""Bytes of a stamp's message."""

_TYPE, _SPENT, _BEGAN = "op type", "task duration(us)", "task start time(us)"


class Task(NamedTuple):
    """One operator that ran, as the table has it: its type, when it began in microseconds of the device's clock, and its seconds."""

    op_type: str
    began: float
    seconds: float


class Session:
    """What `acl.prof` noted.

    Attributes:
        folder: What the session wrote, `PROF_...`; None until it ended.
        simulated: Whether the simulator wrote it.
    """

    def __init__(self, output: Path, simulated: bool) -> None:
        self.folder: Path | None = None
        self.simulated = simulated
        self._output = output
        self._config = 0
        self._open = False
        self._before: set[Path] = set()

    def begin(self) -> None:
        """Start noting what runs on the devices that are open.

        Raises:
            AclError: Another session runs in the process, or the folder can't be written to.
        """
        self._output.mkdir(parents=True, exist_ok=True)
        self._before = self._folders()
        prof.init(str(self._output))
        try:
            devices = [device.index for device in state.devices if device.context]
            self._config = prof.create_config(devices, NO_METRICS, API_CALLS | TASK_TIME | STAMPS)
            prof.start(self._config)
            self._open = True
        except AscendTensorError:
            self._finish()
            raise

    def end(self, alive: bool = True) -> None:
        """Stop, and have the data written. The work must have run.

        Args:
            alive: False where `shutdown()` ended the session before.
        """
        self._open = False
        if alive:
            prof.stop(self._config)
        self._finish(alive)

    def _finish(self, alive: bool = True) -> None:
        if self._config:
            prof.destroy_config(self._config)
            self._config = 0
        if alive:
            prof.finalize()
        self.folder = max(self._folders() - self._before, default=None)

    def _folders(self) -> set[Path]:
        return set(self._output.glob("PROF_*"))

    @contextmanager
    def stamped(self, name: str) -> Iterator[None]:
        """A named range, which CANN's timeline shows."""
        if not self._open:
            yield
            return
        stamp = prof.push(name.encode()[:MOST].decode("utf-8", "ignore") or "-")
        try:
            yield
        finally:
            if self._open:
                prof.pop(stamp)

    def tasks(self) -> list[Task]:
        """What ran on the device, in its order; nothing while there is no table yet."""
        found = []
        for path in sorted(self.folder.rglob("op_summary*.csv")) if self.folder else ():
            with open(path, newline="", encoding="utf-8") as file:
                for line in csv.DictReader(file):
                    cells = {str(name).strip().lower(): str(cell).strip() for name, cell in line.items()}
                    if cells.get(_TYPE) and cells.get(_SPENT):
                        found.append(Task(cells[_TYPE], float(cells.get(_BEGAN) or 0), float(cells[_SPENT]) / 1e6))
        return sorted(found, key=lambda task: task.began)

    def __repr__(self) -> str:
        if self.folder is None:
            return "acl.prof: nothing was written"
        tasks = self.tasks()
        if not tasks:
            return f"acl.prof: raw data in {self.folder}; msprof --export=on --output={os.fspath(self.folder)} makes tables of it"
        spent = sum(task.seconds for task in tasks)
        whose = ", times of the simulator on this machine" if self.simulated else ""
        return f"acl.prof: {len(tasks)} tasks, {spent * 1e3:.3g} ms on the device{whose}; data in {self.folder}"
