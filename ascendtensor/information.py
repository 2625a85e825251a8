"""`python -m ascendtensor info`: what was found on this machine and what is missing, in words that a user can act on."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from . import __version__, compiler, runtime
from .acl import chooser, toolkit
from .codes import RunMode
from .compiler.store import cache_directory
from .errors import AscendTensorError, describe_bytes
from .launch.registry import handle_cache

PACKAGES: Final = ("numpy", "ml_dtypes", "typing-extensions")


def run(options: argparse.Namespace | None = None) -> int:
    """Print the report; 1 where the backend asked for can't be used."""
    print(f"ascendtensor {__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    print("  " + ", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    try:
        backend = chooser.choose()
    except AscendTensorError as error:
        print(f"backend: {error}")
        return 1
    print(f"backend: {backend}")
    for line in (*_cann(backend), *_devices(), *_compiler(backend.name), *_caches()):
        print(line)
    return 0


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _cann(backend: chooser.Backend) -> Iterator[str]:
    version = toolkit.cann_version()
    yield f"CANN: {version}" if version else "CANN: no toolkit found (looked at ASCEND_TOOLKIT_HOME, ASCEND_HOME_PATH and the usual places)"
    if backend.name == "simulator":
        found = chooser.find_cann()
        if isinstance(found, chooser.Missing):
            yield f"  no NPU in use: {found.message}. {found.advice}"
        yield "  the simulator runs the same code without an NPU; results agree, times do not"


def _devices() -> Iterator[str]:
    count = runtime.device_count()
    mode = RunMode(runtime.run_mode())
    yield f"SoC: {runtime.soc_name()}, {count} device{'s' if count != 1 else ''}, run mode {mode.name} ({int(mode)})"
    for index in range(count):
        try:
            free, total = runtime.mem_get_info(index)
        except AscendTensorError as error:
            yield f"  npu:{index}: can't be used: {error}"
        else:
            yield f"  npu:{index}: {describe_bytes(free)} of {describe_bytes(total)} free"


def _compiler(backend: str) -> Iterator[str]:
    try:
        chosen = compiler.choose_compiler(backend, runtime.soc_name())
        yield f"operator compiler: {chosen.name} {chosen.version}"
    except AscendTensorError as error:
        yield f"operator compiler: {error}"


def _caches() -> Iterator[str]:
    directory = cache_directory()
    if directory is None:
        yield "operator models: kept in memory only (ASCENDTENSOR_CACHE=off)"
    else:
        files = [path for path in directory.rglob("*") if path.is_file()] if directory.is_dir() else []
        writable = os.access(directory if directory.is_dir() else directory.parent, os.W_OK)
        state = "" if writable or not directory.exists() else "; not writable, so nothing new is kept"
        yield f"operator models: {len(files)} in {directory} ({describe_bytes(sum(path.stat().st_size for path in files))}){state}"
    info = handle_cache.info()
    yield f"op handles: at most {info.capacity} plans at a time"
