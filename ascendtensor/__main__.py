"""`python -m ascendtensor info | demo | compile | run | inspect | selfcheck`: the machine, the library at work, models, a report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from . import __version__, selfcheck
from .commands import compile_models, demo, info, run_models
from .errors import AscendTensorError


def parser() -> argparse.ArgumentParser:
    """The command line."""
    main = argparse.ArgumentParser(prog="python -m ascendtensor", description="Tensors for Ascend NPUs over pyACL.")
    main.add_argument("--version", action="version", version=f"ascendtensor {__version__}")
    commands = main.add_subparsers(dest="command")
    commands.add_parser("info", help="what was found on this machine, and what is missing").set_defaults(run=info.run)
    demo.add_arguments(commands.add_parser("demo", help="train two small networks on scanned digits"))
    compile_models.add_arguments(commands.add_parser("compile", help="make operator models ahead of time, for machines without a compiler"))
    run_models.add_run_arguments(commands.add_parser("run", help="run a whole model on arrays from files"))
    run_models.add_inspect_arguments(commands.add_parser("inspect", help="show the inputs and outputs of a whole model"))
    selfcheck.add_arguments(
        commands.add_parser("selfcheck", help="compare this backend with NumPy and with inferred rules, write a report")
    )
    return main


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 when it did what was asked."""
    words = parser()
    options = words.parse_args(argv)
    if options.command is None:
        words.print_help(sys.stderr)
        words.exit(2, "\nerror: which command?\n")
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except AscendTensorError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `| head` has read enough; what is left would be tried once more at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


if __name__ == "__main__":
    sys.exit(main())
