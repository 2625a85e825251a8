"""Many descriptions compiled at once into a directory of models."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ascendtensor.compiler import archive, files
from ascendtensor.compiler.archive import Entry
from ascendtensor.compiler.description import Description
from ascendtensor.compiler.protocol import Compiler
from ascendtensor.errors import CompileError, CompilerNotFoundError

CHUNK: Final = 8
"""Descriptions for one run of a compiler program, whose start takes seconds."""
SAVE_SECONDS: Final = 5.0
"""How often the manifest is written meanwhile, so that an interrupted run can be gone on with."""

Progress = Callable[["Outcome"], None]
Result = tuple[Description, bytes | CompileError]


@dataclass
class Outcome:
    """What came of it.

    Attributes:
        wanted: Number of descriptions.
        kept: How many had a valid model already.
        built: How many were compiled.
        failures: The others, with the reason.
        seconds: How long it took.
    """

    wanted: int = 0
    kept: int = 0
    built: int = 0
    failures: list[tuple[Description, CompileError]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def done(self) -> int:
        return self.kept + self.built + len(self.failures)


def compile_into(
    directory: Path, descriptions: Sequence[Description], compiler: Compiler, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Compile what the directory has no valid model for.

    Args:
        directory: Where models and manifest go; made if need be.
        descriptions: What to compile.
        compiler: With what.
        jobs: Runs of the compiler at a time.
        progress: Called in this thread after each piece of work.

    Raises:
        CompileError: The directory's manifest is damaged, or it holds models for another chip.
        CompilerNotFoundError: There is no compiler.
        OSError: The directory can't be written.
    """
    began = time.monotonic()
    entries = archive.read_manifest(directory)
    others = sorted({entry.soc for entry in entries.values()} - {compiler.soc})
    if others:
        raise CompileError(f"{directory} holds models for {others[0]}", advice=f"Choose another directory for those for {compiler.soc}.")
    missing = archive.missing_from(directory, entries, descriptions, compiler)
    outcome = Outcome(wanted=len(descriptions), kept=len(descriptions) - len(missing))
    size = 1 if compiler.in_process else max(1, min(CHUNK, -(-len(missing) // jobs)))
    chunks = iter([missing[start : start + size] for start in range(0, len(missing), size)])
    saved = began
    with _saving(directory, entries, outcome, began), ThreadPoolExecutor(jobs, thread_name_prefix="ascendtensor-compile") as pool:
        running: set[Future[list[Result]]] = set()
        try:
            while True:
                while len(running) < jobs and (chunk := next(chunks, None)):
                    running.add(pool.submit(_build, compiler, chunk))
                if not running:
                    break
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    _take(directory, entries, outcome, compiler, future.result())
                if progress is not None:
                    progress(outcome)
                if time.monotonic() - saved > SAVE_SECONDS:
                    saved = time.monotonic()
                    archive.write_manifest(directory, entries)
        finally:
            for future in running:
                future.cancel()
    return outcome


@contextlib.contextmanager
def _saving(directory: Path, entries: dict[str, Entry], outcome: Outcome, began: float) -> Iterator[None]:
    try:
        yield
    finally:  # also when interrupted: what was compiled is not lost
        outcome.seconds = time.monotonic() - began
        if entries:
            archive.write_manifest(directory, entries)


def _build(compiler: Compiler, chunk: Sequence[Description]) -> list[Result]:
    """The models of a few descriptions; if they fail together, each on its own, so that one does not take the others with it."""
    try:
        return list(zip(chunk, compiler.build(chunk), strict=True))
    except CompilerNotFoundError:
        raise
    except CompileError as error:
        if len(chunk) == 1:
            return [(chunk[0], error)]
    return [result for description in chunk for result in _build(compiler, [description])]


def _take(directory: Path, entries: dict[str, Entry], outcome: Outcome, compiler: Compiler, results: Sequence[Result]) -> None:
    for description, made in results:
        if isinstance(made, CompileError):
            outcome.failures.append((description, made))
            continue
        entry = Entry.of(description, made, compiler)
        files.write(directory / entry.file, made)
        entries[description.digest()] = entry
        outcome.built += 1
