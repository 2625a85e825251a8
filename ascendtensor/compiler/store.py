"""Compiled operator models, kept in memory and on disk, built when there is none.

A file holds one model. It lies under `<directory>/<soc>/<compiler>-<version>-<precision>/` and is named by operator type and digest, so
another chip, CANN or description is another file. Reading one costs less than compiling even with the simulator's compiler (55 us against
100 to 200 us), so the disk serves every compiler. It starts with a line of magic and a line of JSON with the length and SHA-256 of what
follows; an entry that does not hold what it says is compiled again. Files are written beside and renamed into place (`os.replace`), so
several processes may compile the same thing and none ever reads half of it.
"""

import hashlib
import json
import logging
import os
import re
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ascendtensor.compiler import files, progress
from ascendtensor.compiler.description import Description
from ascendtensor.compiler.protocol import Compiler
from ascendtensor.interrupts import HeldInterrupts

logger = logging.getLogger("ascendtensor.compiler")

MAGIC: Final = b"ascendtensor-model 1\n"
CACHE_VARIABLE: Final = "ASCENDTENSOR_CACHE"
DIRECTORY_VARIABLE: Final = "ASCENDTENSOR_CACHE_DIR"
MEMORY_LIMIT: Final = 64 << 20


class StoreInfo(NamedTuple):
    """What a store did so far; times in seconds."""

    memory_hits: int
    disk_hits: int
    compiled: int
    damaged: int
    failed: int
    compile_seconds: float
    memory_bytes: int
    directory: str | None


def cache_directory() -> Path | None:
    """Where compiled models are kept, None if nowhere.

    `ASCENDTENSOR_CACHE=off` turns the disk off; else `ASCENDTENSOR_CACHE_DIR`; else `ascendtensor` in `XDG_CACHE_HOME` or the
    platform's cache directory. The directory need not exist yet.
    """
    if os.environ.get(CACHE_VARIABLE, "").strip().lower() in ("off", "0", "no", "false"):
        return None
    if named := os.environ.get(DIRECTORY_VARIABLE):
        return Path(named).expanduser().absolute()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg) / "ascendtensor"
    try:
        home = Path.home()
    except RuntimeError:  # no home in a container of an unknown user
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "ascendtensor" / "cache"
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ascendtensor"


class Claim(NamedTuple):
    """A model that a thread is making.

    Attributes:
        thread: Its number.
        over: Set when it has made it, or failed.
    """

    thread: int
    over: threading.Event


class ModelStore:
    """Gives the model of a description: from memory, from disk, else from the compiler.

    Safe under threads: two that ask for one model compile it once. A failed compile is not remembered.

    Args:
        compiler: What builds a missing model, and says for which chip.
        directory: Root of the files, None for memory only; see `cache_directory`.
        memory_limit: Bytes of models kept in memory; the least recently used go first.
    """

    def __init__(self, compiler: Compiler, directory: Path | None, *, memory_limit: int = MEMORY_LIMIT) -> None:
        self.compiler = compiler
        self.soc = compiler.soc
        parts = (compiler.soc or "unknown", f"{compiler.name}-{compiler.version}-{compiler.precision}")
        self.directory = directory and directory.joinpath(*(re.sub(r"[^A-Za-z0-9._-]", "_", part) for part in parts))
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_bytes = 0
        self._memory_limit = memory_limit
        self._pending: dict[str, Claim] = {}
        self._lock = threading.Lock()
        self._disk_warned = False
        self._memory_hits = self._disk_hits = self._compiled = self._damaged = self._failed = 0
        self._compile_seconds = 0.0

    def get(self, descriptions: Sequence[Description]) -> list[bytes]:
        """The models in the order of the descriptions; all that are missing are compiled in one go.

        Raises:
            CompileError: One of them can't be compiled.
        """
        wanted = {description.digest(): description for description in descriptions}
        found: dict[str, bytes] = {}
        while len(found) < len(wanted):
            mine: dict[str, Description] = {}
            try:
                others = self._claim({digest: item for digest, item in wanted.items() if digest not in found}, found, mine)
                if mine:
                    found |= self._make(mine)
            finally:
                self._release(mine)
            for claim in others:  # then look again: the other thread's compile may have failed
                claim.over.wait()
        return [found[description.digest()] for description in descriptions]

    def info(self) -> StoreInfo:
        """Counters and sizes."""
        with self._lock:
            return StoreInfo(
                self._memory_hits,
                self._disk_hits,
                self._compiled,
                self._damaged,
                self._failed,
                self._compile_seconds,
                self._memory_bytes,
                None if self.directory is None else str(self.directory),
            )

    # One thread at a time makes a model.

    def _claim(self, wanted: dict[str, Description], found: dict[str, bytes], mine: dict[str, Description]) -> list[Claim]:
        """Puts what is in memory into `found`, what this thread is to make into `mine`; gives the claims of other threads.

        A claim of this thread is one that an interrupt left behind: it is taken over, as nobody waits for himself.
        """
        others: list[Claim] = []
        me = threading.get_ident()
        with self._lock:
            for digest, description in wanted.items():
                if (model := self._memory.get(digest)) is not None:
                    self._memory.move_to_end(digest)
                    self._memory_hits += 1
                    found[digest] = model
                elif (claim := self._pending.get(digest)) is not None and claim.thread != me:
                    others.append(claim)
                else:
                    mine[digest] = description  # first: then an interrupt finds it
                    self._pending.setdefault(digest, Claim(me, threading.Event()))
        return others

    def _release(self, mine: dict[str, Description]) -> None:
        with HeldInterrupts(), self._lock:
            for digest in mine:
                claim = self._pending.pop(digest, None)
                if claim is not None:
                    claim.over.set()

    def _make(self, mine: dict[str, Description]) -> dict[str, bytes]:
        models = {digest: model for digest, item in mine.items() if (model := self._read(item)) is not None}
        missing = [item for digest, item in mine.items() if digest not in models]
        loaded = len(models)
        if missing:
            for item, model in zip(missing, self._build(missing), strict=True):
                models[item.digest()] = model
                self._write(item, model)
        with self._lock:
            self._disk_hits += loaded
            for digest, model in models.items():
                self._remember(digest, model)
        return models

    def _remember(self, digest: str, model: bytes) -> None:
        self._memory[digest] = model
        self._memory_bytes += len(model)
        while self._memory_bytes > self._memory_limit and self._memory:
            self._memory_bytes -= len(self._memory.popitem(last=False)[1])

    def _build(self, missing: list[Description]) -> list[bytes]:
        what = f"{_describe(missing)} with {self.compiler.name} for {self.soc}"
        started = time.perf_counter()
        built: list[bytes] = []
        try:
            if self.compiler.in_process:
                built = self.compiler.build(missing)
            else:
                with progress.shown(what):
                    built = self.compiler.build(missing)
        finally:
            seconds = time.perf_counter() - started
            with self._lock:
                self._compile_seconds += seconds
                self._compiled += len(built)
                self._failed += len(missing) - len(built)
        logger.info("compiled %s in %.3f s", what, seconds)
        return built

    # The disk.

    def _path(self, description: Description) -> Path | None:
        return self.directory and self.directory / f"{description.file_name}.model"

    def _read(self, description: Description) -> bytes | None:
        path = self._path(description)
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._disk_failed("read", error)
            return None
        model = _unpack(content, description.digest())
        if model is None:
            with self._lock:
                self._damaged += 1
            logger.warning("the compiled model %s is damaged and is compiled again", path)
        return model

    def _write(self, description: Description, model: bytes) -> None:
        path = self._path(description)
        if path is None:
            return
        try:
            files.write(path, _pack(description, model))
        except OSError as error:
            if not path.exists():  # on Windows another process may hold the same file open, and then it is there
                self._disk_failed("written", error)

    def _disk_failed(self, what: str, error: OSError) -> None:
        with self._lock:
            said, self._disk_warned = self._disk_warned, True
        if not said:
            logger.warning(
                "compiled models can't be %s in %s (%s); they are kept for this process only. Set %s to another directory, or %s=off",
                what,
                self.directory,
                error.strerror or error,
                DIRECTORY_VARIABLE,
                CACHE_VARIABLE,
            )


def _describe(missing: list[Description]) -> str:
    return str(missing[0]) if len(missing) == 1 else f"{len(missing)} operators ({', '.join(sorted({item.op_type for item in missing}))})"


def _pack(description: Description, model: bytes) -> bytes:
    facts = {
        "op_type": description.op_type,
        "digest": description.digest(),
        "size": len(model),
        "sha256": hashlib.sha256(model).hexdigest(),
        "text": str(description)[:500],
    }
    return MAGIC + json.dumps(facts).encode() + b"\n" + model


def _unpack(content: bytes, digest: str) -> bytes | None:
    """The model in a file, None if the file is not what it says or is of another description."""
    head, newline, model = content.removeprefix(MAGIC).partition(b"\n")
    if not content.startswith(MAGIC) or not newline:
        return None
    try:
        facts = json.loads(head)
    except ValueError:
        return None
    if not isinstance(facts, dict) or facts.get("digest") != digest or facts.get("size") != len(model):
        return None
    return model if facts.get("sha256") == hashlib.sha256(model).hexdigest() else None
