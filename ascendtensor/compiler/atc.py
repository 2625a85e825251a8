"""ATC, CANN's compiler program: `atc --singleop=ops.json --output=DIR --soc_version=...` once for several operators."""

import json
import logging
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ascendtensor import facts
from ascendtensor.acl import toolkit
from ascendtensor.compiler import needs
from ascendtensor.compiler.description import Description
from ascendtensor.errors import CompileError, CompilerNotFoundError

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_ATC"

PRECISION: Final = "must_keep_origin_dtype"
"""ATC's default forces float16 where an operator has it. This spelling is known from CANN 5 to 9; the newer `--precision_mode_v2=origin`
says the same and excludes it (CANN ATC guide, "--precision_mode", 6.0.1 and 9.0.0)."""

IMPLEMENTATION: Final = "high_precision"
"""Which of an operator's kernels: ATC's default is the quick ones, that of `aclopCompile` these (graph engine, op_compile_processor.cc,
OpCompileProcessor::SetOption), and the two ways to compile should agree."""

HF32: Final = (*facts.SINCE_910B, "Ascend310B")
"""Chips whose convolutions keep 11 of float32's 24 bits (HF32) unless the compiler is told not to: without an option it works with "10", no
for products and yes for convolutions, on every chip whose description lists h322f32 among the products of its matrix unit (graph engine,
op_impl_mode_config_parser.cc and PlatformUtils::ParseAllowHf32; platform_config/*.ini, CANN 8.1.RC1). The documents call the option
reserved, and not supported on the 310B; the source reads it on all chips alike (ATC guide, 8.0 to 9.1, "--allow_hf32")."""

_NO_HF32: Final = "--allow_hf32=false"
_LOG_LINES: Final = 40
_UNKNOWN_HF32: Final = re.compile(r"(unknown|unrecogni[sz]ed|invalid option).*allow_hf32", re.IGNORECASE)
_CODED: Final = re.compile(r"\b(E[0-9A-Z]\d{4})\b\s*[:：]?\s*(.*)")

_NO_KERNEL: Final = (
    "The operator has no kernel for these dtypes and formats on this chip: cast the operands to dtypes that it has one for "
    "(float32 and float16 mostly work), or use another operator."
)
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("cannot open shared object", "ATC's libraries are not found: run `source` on CANN's set_env.sh in this shell first."),
    ("E10001", "See the option that the log names; the SoC name must be one that this CANN knows."),
    ("EZ3002", _NO_KERNEL),
    ("EZ3003", _NO_KERNEL),
    ("EZ9010", "The operator's kernel failed to compile; CANN's operator package may be damaged or made for another version."),
)


def find_atc() -> str:
    """Path of the program: `ASCENDTENSOR_ATC`, else `atc` in PATH, else in CANN's usual places.

    Raises:
        CompilerNotFoundError: None of them holds it.
    """
    named = os.environ.get(VARIABLE, "")
    if named:
        found = shutil.which(str(Path(named).expanduser()))
        if found is None:
            raise CompilerNotFoundError(f"{VARIABLE}={named} is not a program", advice=f"Correct {VARIABLE}, or unset it.")
        return found
    homes = toolkit.homes()
    places = [str(home / place) for home in homes for place in ("bin", "compiler/bin", "atc/bin", f"{platform.machine()}-linux/bin")]
    found = shutil.which("atc") or (shutil.which("atc", path=os.pathsep.join(places)) if places else None)
    if found is None:
        looked = f"PATH and {', '.join(map(str, homes))}" if homes else "PATH; no CANN toolkit is installed in its usual places"
        raise CompilerNotFoundError(
            f"CANN's compiler program atc was not found (looked in {looked})",
            advice=f"Run `source` on CANN's set_env.sh in this shell first, or set {VARIABLE} to the program. A machine without the "
            "toolkit can use models that were compiled elsewhere for the same chip and CANN version (ASCENDTENSOR_CACHE_DIR).",
        )
    return found


@dataclass(frozen=True)
class AtcCompiler:
    """Compiles by running a program with ATC's options.

    Attributes:
        soc: Chip to compile for.
        command: The program and its first arguments; empty finds `atc` when it is needed first.
        name, version, precision: As in `Compiler`; the version is by default that of the CANN found.
        environment: Variables set for the program on top of this process's.
    """

    soc: str
    command: Sequence[str] = ()
    name: str = "atc"
    version: str = field(default_factory=lambda: toolkit.cann_version() or "unknown")
    precision: str = PRECISION
    environment: Mapping[str, str] = field(default_factory=dict)
    in_process: bool = False

    def build(self, descriptions: Sequence[Description]) -> list[bytes]:
        """See `Compiler.build`. One run of the program for all of them.

        Raises:
            CompileError: The program failed, or gave no model for one of them.
            CompilerNotFoundError: There is no program.
        """
        wanted = {description.file_name: description for description in descriptions}
        operators = [description.to_json() for description in wanted.values()]
        # ATC leaves kernel_meta and other files where it runs.
        with tempfile.TemporaryDirectory(prefix="ascendtensor-atc-", ignore_cleanup_errors=True) as directory:
            models = self._run(Path(directory), operators, list(wanted.values()))
        return [models[description.file_name] for description in descriptions]

    def _run(self, directory: Path, operators: list[dict[str, Any]], descriptions: list[Description]) -> dict[str, bytes]:
        source, output = directory / "operators.json", directory / "models"
        source.write_text(json.dumps(operators, allow_nan=False), encoding="utf-8")
        output.mkdir()
        command = [
            *(self.command or (find_atc(),)),
            f"--singleop={source}",
            f"--output={output}",
            f"--soc_version={self.soc}",
            f"--precision_mode={self.precision}",
            f"--op_select_implmode={IMPLEMENTATION}",
            "--log=error",
        ]
        if self.soc.startswith(HF32):
            command.append(_NO_HF32)
        code, log = self._start(command, directory)
        if code and _NO_HF32 in command and not any(output.iterdir()) and _UNKNOWN_HF32.search(log):
            logger.warning("this atc does not know %s: convolutions of float32 may keep 11 bits only", _NO_HF32)
            command.remove(_NO_HF32)
            code, log = self._start(command, directory)
        models = {description.file_name: _read_model(output, description.file_name) for description in descriptions}
        # The exit code alone is not enough: ATC's is that of the last operator of the file (main_impl.cc, BuildSingleOpModels).
        missing = [description for description in descriptions if models[description.file_name] is None]
        if code or missing:
            raise self._failure(code, missing or descriptions, log)
        return {name: model for name, model in models.items() if model is not None}

    def _start(self, command: list[str], directory: Path) -> tuple[int, str]:
        """Exit code and output of a run."""
        try:
            done = subprocess.run(
                command,
                cwd=directory,
                env=os.environ | needs.environment(self.soc) | dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            raise CompilerNotFoundError(
                f"{command[0]} can't be run: {error.strerror or error}", advice=f"Set {VARIABLE} to CANN's atc."
            ) from error
        return done.returncode, done.stdout.decode("utf-8", errors="replace")

    def _failure(self, code: int, failed: list[Description], log: str) -> CompileError:
        types = sorted({description.op_type for description in failed})
        coded = [match for line in log.splitlines() if (match := _CODED.search(line))]
        said = f": {coded[0].group(1)} {coded[0].group(2)}".rstrip() if coded else ""
        ended = f"ended with code {code}" if code else "left no model"
        return CompileError(
            f"{self.name} {ended} for {', '.join(types)}{said}",
            op_type=types[0] if len(types) == 1 else "",
            log="\n".join(log.strip().splitlines()[-_LOG_LINES:]),
            operands="; ".join(map(str, failed[:3])) + (f"; and {len(failed) - 3} more" if len(failed) > 3 else ""),
            advice=advice_on(log),
        )


def advice_on(log: str) -> str:
    """What to do about what a compiler wrote, "" if nothing is known."""
    return needs.advice_on(log) or next((advice for mark, advice in _ADVICE if mark in log), "")


def _read_model(output: Path, name: str) -> bytes | None:
    # Where the host differs from the device's board, newer versions put system and processor behind the name.
    for path in (output / f"{name}.om", *sorted(output.glob(f"{name}_*.om"))):
        if path.is_file():
            return path.read_bytes()
    return None
