"""CANN's compiler inside this process: `aclopCompile` and `aclopCompileAndExecuteV2` of libacl_op_compiler.so, through ctypes.

pyACL has no function for it (PY-9), but its integers are the C pointers (PY-1), so descriptions, attributes, buffers and streams that
pyACL made can be handed over as they are. Signatures and option numbers: acl/acl_op_compiler.h, unchanged from CANN 5 to 9.
"""

import ctypes
import functools
import logging
import os
import platform
import re
import threading
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from ascendtensor.acl import binding, toolkit
from ascendtensor.codes import error_meaning, error_name
from ascendtensor.compiler import needs, store
from ascendtensor.compiler.atc import HF32, PRECISION, advice_on
from ascendtensor.errors import CompileError, CompilerNotFoundError, from_acl

logger = logging.getLogger("ascendtensor.compiler")

VARIABLE: Final = "ASCENDTENSOR_OP_COMPILER"
LIBRARY: Final = "libacl_op_compiler.so"
ENGINE_SYS: Final = 0
COMPILE_SYS: Final = 0

_Pointers = ctypes.POINTER(ctypes.c_void_p)
_COMPILE: Final = (
    ctypes.c_char_p,
    ctypes.c_int,
    _Pointers,
    ctypes.c_int,
    _Pointers,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_char_p,
)
_EXECUTE: Final = (
    ctypes.c_char_p,
    ctypes.c_int,
    _Pointers,
    _Pointers,
    ctypes.c_int,
    _Pointers,
    _Pointers,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_void_p,
)


class CompileOption(IntEnum):
    """Options of `aclSetCompileopt` that are set here."""

    PRECISION_MODE = 0
    CACHE_MODE = 7
    CACHE_DIR = 8
    ALLOW_HF32 = 14


NEITHER: Final = "00"
"""Of ALLOW_HF32, one digit for convolutions and one for matrix products; older versions know no other spelling."""


class _Process:
    """What holds for the process.

    Attributes:
        begun: Whether CANN's compiler was started here.
    """

    begun = False


def begun() -> bool:
    """Whether CANN's compiler works inside this process."""
    return _Process.begun


def find_library() -> str:
    """Path of the library: `ASCENDTENSOR_OP_COMPILER`, else in `LD_LIBRARY_PATH`, else in CANN's usual places.

    Raises:
        CompilerNotFoundError: None of them holds it.
    """
    named = os.environ.get(VARIABLE, "")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise CompilerNotFoundError(f"{VARIABLE}={named} is not a file", advice=f"Correct {VARIABLE}, or unset it.")
        return str(path)
    homes = toolkit.homes()
    searched = [Path(part) for part in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if part]
    places = [home / place for home in homes for place in ("lib64", f"{platform.machine()}-linux/lib64", "compiler/lib64")]
    for place in (*searched, *places):
        if (place / LIBRARY).is_file():
            return str(place / LIBRARY)
    looked = f"LD_LIBRARY_PATH and {', '.join(map(str, homes))}" if homes else "LD_LIBRARY_PATH; no CANN toolkit is in its usual places"
    raise CompilerNotFoundError(
        f"CANN's library {LIBRARY} was not found (looked in {looked})",
        advice=f"Compiling inside the process needs the CANN toolkit: install it and run `source` on its set_env.sh, or set {VARIABLE} to "
        "the library. ASCENDTENSOR_COMPILER=atc uses the program atc instead; a machine without either runs models that were compiled "
        "elsewhere (ASCENDTENSOR_OP_MODELS).",
    )


@functools.lru_cache(maxsize=4)
def _load(path: str) -> Any:
    """The library with its functions declared.

    Raises:
        CompilerNotFoundError: It does not load, or lacks a function.
    """
    advice = "Run `source` on CANN's set_env.sh in this shell first, so that the libraries that it needs are found."
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise CompilerNotFoundError(f"{path} does not load: {error}", advice=advice) from error
    wanted = {
        "aclopCompile": _COMPILE,
        "aclopCompileAndExecuteV2": _EXECUTE,
        "aclSetCompileopt": (ctypes.c_int, ctypes.c_char_p),
    }
    for name, arguments in wanted.items():
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise CompilerNotFoundError(
                f"{path} has no function {name}", advice="CANN 6.3 and newer have it; is this the library of the installed CANN?"
            ) from error
        function.argtypes = arguments
        function.restype = ctypes.c_int
    return library


def _pointers(handles: Sequence[int]) -> Any:
    return (ctypes.c_void_p * max(len(handles), 1))(*handles)


class OnlineCompiler:
    """Compiles with CANN inside this process.

    Args:
        soc: Chip of the device in use.
        path: The library; found when it is needed first if not given.
    """

    name: Final = "online"
    precision: Final = PRECISION

    def __init__(self, soc: str, path: str = "") -> None:
        self.soc = soc
        self._path = path
        self._lock = threading.Lock()
        # ctypes lets other threads run, which pyACL's launches never do: the descriptions and attributes of one plan, which the call writes
        # into (OP-13, ATTR-10), are then in two calls at once.
        self._calling = threading.Lock()
        self._library: Any = None

    @property
    def version(self) -> str:
        return toolkit.cann_version() or "unknown"

    def register(self, op_type: str, inputs: Sequence[int], outputs: Sequence[int], attr: int) -> None:
        """See `Registrar.register`."""
        library = self._ready()
        with self._calling:
            code = library.aclopCompile(
                op_type.encode(),
                len(inputs),
                _pointers(inputs),
                len(outputs),
                _pointers(outputs),
                attr,
                ENGINE_SYS,
                COMPILE_SYS,
                None,
            )
        if code:
            raise _failure("aclopCompile", op_type, code)

    def execute(
        self,
        op_type: str,
        inputs: tuple[Sequence[int], Sequence[int]],
        outputs: tuple[Sequence[int], Sequence[int]],
        attr: int,
        stream: int,
    ) -> None:
        """See `Registrar.execute`."""
        library = self._ready()
        with self._calling:
            code = library.aclopCompileAndExecuteV2(
                op_type.encode(),
                len(inputs[1]),
                _pointers(inputs[0]),
                _pointers(inputs[1]),
                len(outputs[1]),
                _pointers(outputs[0]),
                _pointers(outputs[1]),
                attr,
                ENGINE_SYS,
                COMPILE_SYS,
                None,
                stream,
            )
        if code:
            raise from_acl("aclopCompileAndExecuteV2", code, binding.get_recent_err_msg())

    def prepare(self) -> None:
        """See `Registrar.prepare`: loads the library and sets its options."""
        self._ready()

    def _ready(self) -> Any:
        if self._library is None:
            with self._lock:
                if self._library is None:
                    library = _load(self._path or find_library())
                    self._configure(library)
                    self._library = library
        return self._library

    def _configure(self, library: Any) -> None:
        os.environ.update(needs.environment(self.soc))  # the first call below starts CANN's compiler, which reads them
        _Process.begun = True
        code = library.aclSetCompileopt(int(CompileOption.PRECISION_MODE), PRECISION.encode())
        if code:  # without it float32 matrix products would silently run in float16
            raise _failure(f"aclSetCompileopt(ACL_PRECISION_MODE, {PRECISION})", "", code)
        if self.soc.startswith(HF32):
            code = library.aclSetCompileopt(int(CompileOption.ALLOW_HF32), NEITHER.encode())
            if code:
                logger.warning("aclSetCompileopt(ACL_ALLOW_HF32, %s) gave %d: convolutions of float32 may keep 11 bits only", NEITHER, code)
        root = store.cache_directory()
        if root is None:
            options = {CompileOption.CACHE_MODE: "disable"}
        else:
            version = re.sub(r"[^A-Za-z0-9._-]", "_", f"cann-{self.version}")
            directory = root / (self.soc or "unknown") / version
            try:
                directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                logger.warning("CANN's cache of compiled operators %s can't be made: %s", directory, error.strerror or error)
                return
            options = {CompileOption.CACHE_DIR: str(directory), CompileOption.CACHE_MODE: "enable"}
        for option, value in options.items():
            if code := library.aclSetCompileopt(int(option), value.encode()):
                # Only slower without it; some products and versions refuse it.
                logger.warning("aclSetCompileopt(%s, %s) gave %d, so CANN's cache is as it was", option.name, value, code)


def _failure(function: str, op_type: str, code: int) -> CompileError:
    of = f" for {op_type}" if op_type else ""
    log = binding.get_recent_err_msg()
    # CANN's compiler starts once a process, at its first call, and a later one says no more why it did not.
    doubts = "" if op_type else "".join(f"{doubt}. " for doubt in needs.doubts())
    return CompileError(
        f"{function} failed{of}: {error_name(code)} ({code}): {error_meaning(code)}",
        op_type=op_type,
        log=log,
        advice=advice_on(log) or f"{doubts}CANN's log files tell more (ASCEND_GLOBAL_LOG_LEVEL=1, ASCEND_SLOG_PRINT_TO_STDOUT=1).",
    )
