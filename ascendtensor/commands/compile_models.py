"""`python -m ascendtensor compile`: operator models ahead of time, for machines without a compiler."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .. import compiler, runtime
from ..compiler import archive, batch, progress, recorded, verdicts
from ..compiler.atc import find_atc
from ..compiler.batch import Outcome
from ..compiler.protocol import Compiler
from ..errors import CompileError, CompilerNotFoundError
from ..ops import basic

SETS: Final = {"basic": basic.descriptions}
FAILURES: Final = "failures.txt"
PROFILE: Final = "profile.json"
SIMULATED: Final = "simulated"
_BAR: Final = 30
_MOST_JOBS: Final = 8
_SHOWN: Final = 20
_CODED: Final = re.compile(r"\bE[0-9A-Z]\d{4}\b")

_EXAMPLES: Final = """\
examples:
  python -m ascendtensor compile ops/ --soc Ascend310B4 -o op_models/
  python -m ascendtensor compile --set basic --soc Ascend310B4 -o op_models/ --jobs 4
  ASCENDTENSOR_OP_MODELS=op_models/ python program.py

ops/ comes from a program that ran its operators in
  with at.op_models.record("ops/"): ...

What the output directory holds already, made by the same compiler for the same chip, is not compiled again.
The exit status is 0 when there is a model for every operator, else 1."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ascendtensor compile`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Compile operators that were recorded, or a set of common ones, into a directory of operator models."
    parser.epilog = _EXAMPLES
    parser.add_argument("operators", nargs="*", type=Path, help="directories of recorded operators, or JSON files as ATC reads them")
    parser.add_argument("--set", choices=sorted(SETS), dest="named", help="also the eighty commonest operators, as dynamic models")
    parser.add_argument("--soc", help='chip to compile for, such as "Ascend310B4" (default: the one of this machine)')
    parser.add_argument("-o", "--output", type=Path, default=Path("op_models"), help="directory of the models (default: op_models)")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, _MOST_JOBS), help="compilers at a time (default: %(default)s)")
    parser.add_argument(
        "--compiler",
        choices=compiler.BUILDERS,
        help="compiler (default: ASCENDTENSOR_COMPILER, else atc where it is found, else simulated)",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        help="where to note what the compiler accepted and refused, for the simulator (default: profile.json among the models; "
        "of the simulator's own compiler only if this is given)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compile, say what came of it, and give the exit status."""
    if not options.operators and options.named is None:
        raise CompileError("nothing to compile", advice="Name a directory of recorded operators, or --set basic; see --help.")
    if options.jobs < 1:
        raise CompileError(f"--jobs must be at least 1, got {options.jobs}")
    reading = recorded.read(options.operators)
    descriptions = reading.descriptions
    chosen = _compiler(options.compiler, options.soc)
    if options.named is not None:
        known = set(descriptions)
        descriptions = descriptions + [description for description in SETS[options.named](chosen.soc) if description not in known]
    maker = f"{chosen.name} {chosen.version}, --jobs {options.jobs}"
    print(f"{len(descriptions)} operators for {chosen.soc} into {options.output}, with {maker}")
    try:
        outcome = batch.compile_into(options.output, descriptions, chosen, options.jobs, Bar())
        _write_failures(options.output, outcome)
        profile = options.profile or (None if chosen.name.startswith(SIMULATED) else options.output / PROFILE)
        if profile is not None:
            failed = {description for description, _ in outcome.failures}
            verdicts.write(profile, chosen, [each for each in descriptions if each not in failed], outcome.failures)
    except OSError as error:
        raise CompileError(f"{options.output} can't be written: {error.strerror or error}") from error
    for line in _report(options.output, outcome, reading.unreadable):
        print(line)
    if profile is not None:
        print(f"What {chosen.soc} takes is noted in {profile}, which the simulator reads (ASCENDTENSOR_SIM_PROFILE={profile})")
    return 1 if outcome.failures or reading.unreadable else 0


def _compiler(name: str | None, soc: str | None) -> Compiler:
    chosen = name or os.environ.get(compiler.VARIABLE, "").strip().lower()
    if chosen not in compiler.BUILDERS:  # `online` makes no files
        try:
            find_atc()
        except CompilerNotFoundError:
            chosen = "simulated"
            print("CANN's compiler atc was not found; these models are for the simulator only", file=sys.stderr)
        else:
            chosen = "atc"
    return compiler.builder(chosen, soc or runtime.soc_name())


class Bar:
    """A line on the terminal that grows; nothing where there is no terminal."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = progress.wanted() and sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, outcome: Outcome) -> None:
        if not self._shown:
            return
        share = outcome.done / max(outcome.wanted, 1)
        filled = round(share * _BAR)
        fresh = outcome.built + len(outcome.failures)
        left = (time.monotonic() - self._began) / max(fresh, 1) * (outcome.wanted - outcome.done)
        failed = f", {len(outcome.failures)} failed" if outcome.failures else ""
        text = f"[{'#' * filled}{'.' * (_BAR - filled)}] {outcome.done}/{outcome.wanted}{failed}, {left:.0f} s left"
        sys.stderr.write(f"\r\x1b[K{text}" if outcome.done < outcome.wanted else "\r\x1b[K")
        sys.stderr.flush()


def _write_failures(directory: Path, outcome: Outcome) -> None:
    """The whole texts, which the table has no room for."""
    path = directory / FAILURES
    if outcome.failures:
        text = "\n\n".join(f"{description}\n{error}" for description, error in outcome.failures)
        path.write_text(text + "\n", encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def _report(directory: Path, outcome: Outcome, unreadable: Sequence[tuple[str, CompileError]]) -> list[str]:
    lines = [f"{outcome.built} compiled in {outcome.seconds:.1f} s, {outcome.kept} were there, {len(outcome.failures)} failed"]
    if outcome.failures:
        rows = [(description.op_type, str(description), _why(error)) for description, error in outcome.failures[:_SHOWN]]
        lines += ["", *_table(("operator", "signature", "why"), rows)]
        if len(outcome.failures) > _SHOWN:
            lines.append(f"... and {len(outcome.failures) - _SHOWN} more")
        lines.append(f"The compiler's whole texts are in {directory / FAILURES}")
    if unreadable:
        lines += ["", "not read:", *(f"  {place}: {error.message}" for place, error in unreadable)]
    if outcome.wanted > len(outcome.failures):
        lines.append(f"Run with {archive.VARIABLE}={directory}")
    return lines


def _why(error: CompileError) -> str:
    """The compiler's own first word with a code, as far as there is one."""
    said = [line for line in (error.message, *error.log.splitlines()) if _CODED.search(line)]
    return said[0] if said else error.message


def _table(head: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Three columns; the wide two share what the terminal leaves."""
    first = max(len(row[0]) for row in (head, *rows))
    rest = max(shutil.get_terminal_size((120, 24)).columns - first - 4, 40)
    second = min(max(len(row[1]) for row in (head, *rows)), rest * 3 // 5)
    widths = (first, second, rest - second)
    cells = [[textwrap.shorten(text, width, placeholder="...") for text, width in zip(row, widths, strict=True)] for row in rows]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, ["-" * width for width in widths], *cells)
    ]
