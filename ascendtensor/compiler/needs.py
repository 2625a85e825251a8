"""What CANN's compilers need of the machine beside the toolkit: Python packages, and memory.

Both are half written in Python: `atc` embeds the `python3` of PATH, and `libacl_op_compiler.so` uses the interpreter that runs this, so the
packages must be in its environment (graph engine, op_compile_adapter, py_decouple.cc). What is missing shows at the first operator only.
"""

import os
import platform
from typing import Final

from ascendtensor import deferred

PACKAGES: Final = (
    "absl-py",
    "attrs",
    "cffi",
    "cloudpickle",
    "decorator",
    "ml-dtypes",
    "numpy",
    "pathlib2",
    "protobuf",
    "psutil",
    "pyyaml",
    "requests",
    "scipy",
    "sympy",
    "tornado",
)
"""CANN installation guide, "Installing Dependencies", 7.0 to 8.2; the newest ones ask for all of them."""

INSTALL: Final = f"pip install {' '.join(name for name in PACKAGES if name != 'numpy')} 'numpy<2'"

_SMALL: Final = "Ascend310B"
_ENOUGH: Final = 32 << 30
"""CANN starts eight processes of about 1 GB for its first compile, and boards of 4 to 16 GB share their memory with the NPU: Linux ends one
of them, or the program, without a word (CANN environment variables, "TE_PARALLEL_COMPILER", "MAX_COMPILE_CORE_NUMBER")."""

_PYTHON_PARTS: Final = (
    "CANN's Python parts are not found: run `source` on CANN's set_env.sh in this shell first, which adds them to PYTHONPATH."
)
_PACKAGE: Final = (
    f"CANN's compiler is half written in Python and misses a package in this environment: {INSTALL}, then start the program anew."
)
_SHARED: Final = (
    "atc embeds the python3 of PATH and needs its shared library: add the directory that `python3 -c 'import sysconfig; "
    "print(sysconfig.get_config_var(\"LIBDIR\"))'` prints to LD_LIBRARY_PATH, take a Python that was built with one (conda's is), or set "
    "ASCENDTENSOR_COMPILER=online."
)
_NUMPY: Final = "This CANN's compiler does not work with NumPy 2: pip install 'numpy<2', then start the program anew."
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("No module named 'tbe", _PYTHON_PARTS),
    ("No module named 'te'", _PYTHON_PARTS),
    ("No module named 'te_fusion", _PYTHON_PARTS),
    ("No module named", _PACKAGE),
    ("valid Python SO", _SHARED),
    ("libpython", _SHARED),
    ("NumPy 2", _NUMPY),
    ("np.float_", _NUMPY),
    ("_ARRAY_API", _NUMPY),
)


def advice_on(log: str) -> str:
    """What to do about what a compiler wrote, "" if it is none of this."""
    return next((advice for mark, advice in _ADVICE if mark in log), "")


def doubts() -> list[str]:
    """What in this environment may keep CANN's compilers from working, in words; empty where nothing is known."""
    metadata = deferred.load("importlib.metadata")
    missing = []
    for name in PACKAGES:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    found = [f"CANN's compiler may miss the packages {', '.join(missing)}: {INSTALL}"] if missing else []
    if "numpy" not in missing and int(metadata.version("numpy").partition(".")[0]) >= 2:
        found.append("CANN's compiler up to 8.2 at least does not work with NumPy 2: pip install 'numpy<2'")
    if tuple(map(int, platform.python_version_tuple()[:2])) >= (3, 13):
        found.append("CANN's compiler asks for functions that Python has no more since 3.13 (PyEval_InitThreads): take 3.10 or 3.11")
    return found


def memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else _ENOUGH


def environment(soc: str) -> dict[str, str]:
    """Variables that a compiler for the chip should find: one process on small boards, unless the user has set the numbers."""
    if not soc.startswith(_SMALL) or memory() >= _ENOUGH:  # a server that compiles for a board has more
        return {}
    return {name: "1" for name in ("TE_PARALLEL_COMPILER", "MAX_COMPILE_CORE_NUMBER") if not os.environ.get(name)}
