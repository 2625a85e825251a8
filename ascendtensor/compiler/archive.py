"""Directories of finished operator models: what `python -m ascendtensor compile` writes, and a program without a compiler runs from.

`manifest.json` names for each digest the file, the chip and compiler it was made for and with, and a checksum. Models are loaded by digest
and `acl.op.load`; `acl.op.set_model_dir`, which works once a process (OM-1), is left to the user.
"""

import hashlib
import json
import logging
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ascendtensor import deferred
from ascendtensor.acl import toolkit
from ascendtensor.compiler import files
from ascendtensor.compiler.description import Description
from ascendtensor.compiler.protocol import Compiler
from ascendtensor.errors import CompileError

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_OP_MODELS"
MANIFEST: Final = "manifest.json"
FORMAT: Final = "ascendtensor operator models"
VERSION: Final = 1
_SHOWN: Final = 3


@dataclass(frozen=True)
class Entry:
    """One model of a manifest.

    Attributes:
        file: Name of the file in the directory.
        op_type: Ascend IR type.
        signature: The description in words.
        soc: Chip that it was compiled for.
        compiler, version, precision: What compiled it, see `Compiler`.
        size: Bytes of the file.
        sha256: Their checksum.
    """

    file: str
    op_type: str
    signature: str
    soc: str
    compiler: str
    version: str
    precision: str
    size: int
    sha256: str

    @classmethod
    def of(cls, description: Description, model: bytes, compiler: Compiler) -> "Entry":
        """The entry of a model that was just compiled."""
        return cls(
            file=f"{description.file_name}.om",
            op_type=description.op_type,
            signature=str(description),
            soc=compiler.soc,
            compiler=compiler.name,
            version=compiler.version,
            precision=compiler.precision,
            size=len(model),
            sha256=hashlib.sha256(model).hexdigest(),
        )

    def made_by(self, compiler: Compiler) -> bool:
        """Whether this very compiler would make the same."""
        return (self.soc, self.compiler, self.version, self.precision) == (
            compiler.soc,
            compiler.name,
            compiler.version,
            compiler.precision,
        )

    def model(self, directory: Path) -> bytes:
        """The bytes of the file.

        Raises:
            CompileError: It is not there, or not what the manifest says.
        """
        path = directory / self.file
        try:
            model = path.read_bytes()
        except OSError as error:
            raise CompileError(f"the operator model {path} can't be read: {error.strerror or error}", op_type=self.op_type) from error
        if len(model) != self.size or hashlib.sha256(model).hexdigest() != self.sha256:
            raise CompileError(
                f"the operator model {path} is damaged",
                op_type=self.op_type,
                advice="Copy it again, or compile it again into this directory.",
            )
        return model


def read_manifest(directory: Path) -> dict[str, Entry]:
    """The entries by digest; none where there is no manifest yet.

    Raises:
        CompileError: There is a manifest that can't be read.
    """
    path = directory / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError(f"it is {content['format']} {content['version']}, not {FORMAT} {VERSION}")
        return {str(digest): Entry(**entry) for digest, entry in content["models"].items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CompileError(f"{path} is no manifest of operator models: {error}") from error


def write_manifest(directory: Path, entries: Mapping[str, Entry]) -> None:
    """Put the manifest there, whole.

    Raises:
        OSError: The directory can't be written.
    """
    models = {digest: asdict(entry) for digest, entry in entries.items()}
    files.write_json(directory / MANIFEST, {"format": FORMAT, "version": VERSION, "models": models})


def directories() -> list[Path]:
    """The directories that `ASCENDTENSOR_OP_MODELS` names, separated as in PATH; the first that has a model gives it."""
    return [Path(part).expanduser().absolute() for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part.strip()]


class Archive:
    """Gives models from directories of finished ones, and nothing else: no compiler is looked for.

    Args:
        places: The directories.
        backend: Where the models are to run, "npu" or "simulator".
        soc: Chip that they are to run on.

    Raises:
        CompileError: A directory has no manifest.
    """

    def __init__(self, places: Sequence[Path], backend: str, soc: str) -> None:
        self._places = list(places)
        self._backend = backend
        self._soc = soc
        self._lock = threading.Lock()
        self._warned = False
        self._entries: dict[str, tuple[Path, Entry]] = {}
        for place in reversed(self._places):
            entries = read_manifest(place)
            if not entries:
                raise CompileError(
                    f"{VARIABLE} names {place}, which holds no operator models",
                    advice=f"Make them with: python -m ascendtensor compile ops/ --soc {soc} -o {place}",
                )
            self._entries.update((digest, (place, entry)) for digest, entry in entries.items())

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        return f"{len(self)} operator models in {os.pathsep.join(map(str, self._places))}"

    def holds(self, description: Description) -> bool:
        """Whether there is a model for exactly this description."""
        return description.digest() in self._entries

    def get(self, descriptions: Sequence[Description]) -> list[bytes]:
        """The models in the order of the descriptions.

        Raises:
            CompileError: One is missing (the text says which and how to make it), damaged, or for another chip or backend.
        """
        return [self._model(description) for description in descriptions]

    def _model(self, description: Description) -> bytes:
        found = self._entries.get(description.digest())
        if found is None:
            raise self._missing(description)
        place, entry = found
        simulated = entry.compiler.startswith("simulated")
        if simulated != (self._backend == "simulator"):
            raise CompileError(
                f"the operator models in {place} were made by {entry.compiler}, which are of no use to the backend {self._backend}",
                op_type=entry.op_type,
                advice=f"Compile them with {'the simulator' if not simulated else 'ATC'}, or unset {VARIABLE}.",
            )
        if entry.soc != self._soc:
            raise CompileError(
                f"the operator models in {place} are for {entry.soc}, this is an {self._soc}",
                op_type=entry.op_type,
                advice=f"Compile them with --soc {self._soc} into another directory.",
            )
        self._check_version(place, entry)
        return entry.model(place)

    def _check_version(self, place: Path, entry: Entry) -> None:
        """OM-8: a model has to fit the installed CANN; where both versions are known and differ, that is said once."""
        installed = toolkit.cann_version() if entry.compiler == "atc" and not self._warned else ""
        if installed and entry.version not in ("unknown", installed):
            with self._lock:
                said, self._warned = self._warned, True
            if not said:
                logger.warning("the operator models in %s were compiled with CANN %s, installed is %s", place, entry.version, installed)

    def _missing(self, description: Description) -> CompileError:
        names = os.pathsep.join(map(str, self._places))
        same = [entry.signature for _, entry in self._entries.values() if entry.op_type == description.op_type]
        near = deferred.load("difflib").get_close_matches(str(description), same, _SHOWN, 0.0)
        others = f"; of {description.op_type} there are {len(same)}, such as {'; '.join(near)}" if near else ""
        return CompileError(
            f"no operator model for {description} among the {len(self)} in {names}{others}",
            op_type=description.op_type,
            operands=_exactly(description),
            advice=f'Record it where there is a compiler or on the simulator, with at.op_models.record("ops/"): ..., then '
            f"`python -m ascendtensor compile ops/ --soc {self._soc} -o {self._places[0].name}/` (what is there is not compiled again). "
            f"Or unset {VARIABLE} to use this machine's compiler.",
        )


def _exactly(description: Description) -> str:
    """The description as the compiler reads it."""
    try:
        operator: dict[str, Any] = description.to_json()
    except CompileError:
        return str(description)
    return json.dumps({key: value for key, value in operator.items() if key != "name"}, separators=(", ", ": "))


def missing_from(
    directory: Path, entries: Mapping[str, Entry], descriptions: Iterable[Description], compiler: Compiler
) -> list[Description]:
    """The descriptions whose models are not there, not whole, or made for or by something else."""
    return [item for item in descriptions if not _valid(directory, entries.get(item.digest()), compiler)]


def _valid(directory: Path, entry: Entry | None, compiler: Compiler) -> bool:
    if entry is None or not entry.made_by(compiler):
        return False
    try:
        entry.model(directory)
    except CompileError:
        return False
    return True
