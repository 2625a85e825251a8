"""Run a pyACL program unchanged with the simulator in the place of ``acl``::

python -m ascendtensor.simulator program.py arguments
python -m ascendtensor.simulator -m package.module arguments
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import runpy
import sys
import types
from collections.abc import Sequence

from . import install


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ascendtensor.simulator",
        description="Run a pyACL program unchanged with the simulator in the place of acl.",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="the program is the name of a module, not a file")
    parser.add_argument("program", help="file or module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program finds in sys.argv")
    return parser.parse_args(argv)


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as error:  # of a package above it; what is missing inside of one is the program's own matter
        if error.name and f"{module}.".startswith(f"{error.name}."):
            return False
        raise


def _run_file(path: str) -> None:
    """As the interpreter would: the program is ``__main__`` and stays it, also for what it does at exit."""
    main = types.ModuleType("__main__")
    main.__file__ = path
    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec")
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    sys.modules["__main__"] = main
    exec(code, vars(main))


def main(argv: Sequence[str] | None = None) -> int:
    """The program of this module.

    Args:
        argv: Arguments without the program's name; those of the process if left out.

    Returns:
        0; a program that exits by itself or raises goes through as it would alone, 2 for a file or a module that is not there.
    """
    options = _options(sys.argv[1:] if argv is None else argv)
    install()
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path[0] = os.getcwd()
        if not _is_there(options.program):
            print(f"python -m ascendtensor.simulator: there is no module named {options.program}", file=sys.stderr)
            return 2
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return 0
    if not os.path.isfile(options.program):
        print(f"python -m ascendtensor.simulator: [{options.program}] is no file", file=sys.stderr)
        return 2
    _run_file(options.program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
