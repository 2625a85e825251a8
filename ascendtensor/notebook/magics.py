"""Magics of IPython: `%load_ext ascendtensor`.

They use what IPython hands them and import nothing of it, so that the package needs it only where it runs already.
"""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from ..errors import ValueRangeError
from ..runtime import device as devices
from ..runtime.stats import MemoryStats, memory_stats
from .profiling import Profile, duration
from .tracing import Trace

LONG_ENOUGH: Final = 0.2
"""Seconds of one round of `%npu_timeit`."""


def load_ipython_extension(ipython: Any) -> None:
    """What `%load_ext ascendtensor` calls: gives IPython `%%npu_profile`, `%%npu_trace`, `%npu_memory` and `%npu_timeit`.

    `%%npu_profile [trace.json]` runs the cell inside `at.profile()`, shows it and writes the file if one is named; `%%npu_trace` runs it
    inside `at.trace()`; `%npu_memory [npu:1]` shows the memory of a device; `%npu_timeit [-n N] [-r R] statement` times a statement, or
    the cell as `%%npu_timeit`, waiting for the device at the end of each round.

    Like: torch has none.

    Examples:
        >>> callable(at.notebook.load_ipython_extension)
        True
    """

    def npu_profile(line: str, cell: str) -> Profile:
        """Run the cell and show what it launched, and how long each operator took on the host and on the device.

        %%npu_profile [trace.json]

        A file that is named is written for https://ui.perfetto.dev. What is shown is what `at.profile()` gives.
        """
        with Profile() as found:
            _run(ipython, cell)
        if line.strip():
            found.export_chrome(line.strip())
        return found

    def npu_trace(line: str, cell: str) -> Trace:
        """Run the cell and show each launch: function, operator, shapes, kind of model, host time.

        %%npu_trace [--data]

        With --data the recording keeps what the launches read, so that `to_pyacl` can write it as a program. It is what `at.trace()` gives.
        """
        if set(line.split()) - {"--data"}:
            raise ValueRangeError(f"the only option is --data, not {line.strip()!r}", where="%%npu_trace")
        with Trace(data="--data" in line.split()) as found:
            _run(ipython, cell)
        return found

    def npu_memory(line: str) -> MemoryStats:
        """Show the figures of a device's memory, of the current one where none is named.

        %npu_memory [npu:1]

        They are what `at.memory_stats()` gives.
        """
        return memory_stats(line.strip() or None)

    def npu_timeit(line: str, cell: str | None = None) -> Timing:
        """Time a statement, or a cell, and wait for the device at both ends of each round.

        %npu_timeit [-n N] [-r R] statement
        %%npu_timeit [-n N] [-r R] [statement before the rounds]

        N runs in each of R rounds: by default as many as take a fifth of a second, five times. `%timeit` times the queueing only.
        """
        number, repeat, statement = _options(line)
        if not (statement if cell is None else cell).strip():
            raise ValueRangeError("there is no statement to time", where="%npu_timeit")
        if cell is not None:
            exec(statement, ipython.user_ns)
        return time_statement(statement if cell is None else cell, ipython.user_ns, number, repeat)

    ipython.register_magic_function(npu_profile, "cell", "npu_profile")
    ipython.register_magic_function(npu_trace, "cell", "npu_trace")
    ipython.register_magic_function(npu_memory, "line", "npu_memory")
    ipython.register_magic_function(npu_timeit, "line_cell", "npu_timeit")


def _run(ipython: Any, cell: str) -> None:
    ipython.run_cell(cell, store_history=False).raise_error()


class Timing:
    """Seconds of a statement, with the wait for the device.

    Attributes:
        seconds: Of each round, a run of the statement.
        number: Runs in a round.
    """

    def __init__(self, seconds: list[float], number: int) -> None:
        self.seconds = seconds
        self.number = number

    def __repr__(self) -> str:
        middle, least = float(np.median(self.seconds)), min(self.seconds)
        rounds = f"median of {len(self.seconds)} rounds of {self.number:,}, best {duration(least)}"
        return f"{duration(middle)} a run ({rounds}), the device waited for"


def time_statement(statement: str, names: dict[str, Any], number: int, repeat: int) -> Timing:
    """Time a statement; `number` 0 takes as many runs as need a fifth of a second. The device is waited for at both ends of a round."""
    code = compile(statement.strip(), "<npu_timeit>", "exec")

    def round_of(runs: int) -> float:
        devices.synchronize()
        began = time.perf_counter()
        for _ in range(runs):
            exec(code, names)
        devices.synchronize()
        return time.perf_counter() - began

    spent = round_of(1)  # models are made here, not in the rounds
    while not number:
        spent = round_of(1)
        number = max(1, min(100_000, int(LONG_ENOUGH / max(spent, 1e-7))))
    return Timing([round_of(number) / number for _ in range(repeat)], number)


def _options(line: str) -> tuple[int, int, str]:
    """-n and -r of `%npu_timeit`, and the statement."""
    chosen = {"-n": 0, "-r": 5}
    rest = line.strip()
    while rest[:2] in chosen:
        option, _, rest = rest.partition(" ") if len(rest.split(" ")[0]) == 2 else (rest[:2], "", rest[2:])
        value, _, rest = rest.strip().partition(" ")
        if not value.isdecimal() or value == "0":
            raise ValueRangeError(f"{option} takes a number of at least 1, not {value!r}", where="%npu_timeit")
        chosen[option], rest = int(value), rest.strip()
    return chosen["-n"], chosen["-r"], rest
