"""`python -m ascendtensor info`: what was found on this machine and what is missing, in words that a user can act on."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from .. import __version__, compiler, runtime
from ..acl import chooser, toolkit
from ..codes import RunMode
from ..compiler import needs
from ..compiler.atc import find_atc
from ..compiler.online import find_library
from ..compiler.store import cache_directory
from ..errors import AscendTensorError, describe_bytes
from ..launch.registry import handle_cache

PACKAGES: Final = ("numpy", "ml_dtypes", "typing-extensions")
DEMO: Final = ("scikit-learn", "rich")
NOT_INSTALLED: Final = "not installed"
WIDTH: Final = 17


def run(options: argparse.Namespace | None = None) -> int:
    """Print the report; 1 where the backend asked for can't be used."""
    for line in (*_python(), ""):
        print(line)
    try:
        backend = chooser.choose()
    except AscendTensorError as error:
        print(_line("backend", str(error)))
        return 1
    print(_line("backend", str(backend)))
    for line in (*_cann(backend), *_devices(), *_compiler(backend.name), *_caches()):
        print(line)
    return 0


def _line(name: str, text: str) -> str:
    """A name and what there is to say of it, further lines below each other."""
    first, *more = text.splitlines() or [""]
    return "\n".join([f"{name:{WIDTH}} {first}".rstrip(), *(" " * (WIDTH + 1) + each.strip() for each in more)])


def _python() -> Iterator[str]:
    yield _line("ascendtensor", f"{__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    yield _line("packages", ", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    missing = [name for name in DEMO if _version(name) == NOT_INSTALLED]
    if missing:
        yield _line("for the demo", f"missing: {', '.join(missing)}; pip install 'ascendtensor[demo]'")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED


def _cann(backend: chooser.Backend) -> Iterator[str]:
    if backend.name == "simulator":
        yield _line("", "runs the same code without an NPU: results agree, times do not")
        found = chooser.find_cann()
        if isinstance(found, chooser.Missing):
            reason = "" if found.message in backend.reason else f"{found.message}. "
            yield _line("", f"for an NPU: {reason}{found.advice}")
    lacking = chooser.lacking(backend.module)
    if lacking:
        yield _line("", f"this pyACL is older than some functions, and what needs them fails: {', '.join(lacking)}")
    version = toolkit.cann_version()
    yield _line("CANN", version or "no toolkit found (looked at ASCEND_TOOLKIT_HOME, ASCEND_HOME_PATH and the usual places)")


def _devices() -> Iterator[str]:
    count = runtime.device_count()
    mode = RunMode(runtime.run_mode())
    yield _line("chip", f"{runtime.soc_name()}, {count} device{'s' if count != 1 else ''}, run mode {mode.name} ({int(mode)})")
    for index in range(count):
        try:
            free, total = runtime.mem_get_info(index)
        except AscendTensorError as error:
            yield _line(f"  npu:{index}", f"can't be used: {error}")
        else:
            yield _line(f"  npu:{index}", f"{describe_bytes(free)} of {describe_bytes(total)} free")


def _compiler(backend: str) -> Iterator[str]:
    try:
        chosen = compiler.choose(backend, runtime.soc_name())
    except AscendTensorError as error:
        yield _line("compiler", str(error))
        return
    if isinstance(chosen, compiler.Archive):
        yield _line("compiler", f"none, since ASCENDTENSOR_OP_MODELS is set: {chosen}")
        return
    used = chosen.compiler if isinstance(chosen, compiler.ModelStore) else chosen
    yield _line("compiler", f"{used.name}, version {used.version}, precision {used.precision}")
    if backend == "npu" or used.name == "atc":
        try:
            yield _line("", str(find_library() if used.name == "online" else find_atc()))
        except AscendTensorError as error:
            yield _line("", str(error))
            return
    if backend == "npu":
        for doubt in needs.doubts():
            yield _line("", doubt)


def _caches() -> Iterator[str]:
    directory = cache_directory()
    if directory is None:
        yield _line("operator models", "kept in memory only (ASCENDTENSOR_CACHE=off)")
    else:
        files = [path for path in directory.rglob("*") if path.is_file()] if directory.is_dir() else []
        writable = os.access(directory if directory.is_dir() else directory.parent, os.W_OK)
        state = "" if writable or not directory.exists() else "; not writable, so nothing new is kept"
        size = describe_bytes(sum(path.stat().st_size for path in files))
        yield _line("operator models", f"{len(files):,} in {directory} ({size}){state}")
    yield _line("op handles", f"kept for at most {handle_cache.info().capacity:,} signatures at a time")
