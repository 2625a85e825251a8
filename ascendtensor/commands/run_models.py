"""`python -m ascendtensor run` and `inspect`: a whole model from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..errors import DTypeError, ValueRangeError
from ..models.loading import load
from ..models.model import Model, Outputs

_SHOWN: Final = 10
_TOP: Final = 5
_EXAMPLES: Final = """\
examples:
  python -m ascendtensor inspect model.om
  python -m ascendtensor run model.om --input image=cat.npy --top 5 --labels labels.txt
  python -m ascendtensor run model.om --input a=a.npy --input b=b.npy --output results.npz

The exit status is 0 when the model ran, else 1."""


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ascendtensor run`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.add_argument("model", type=Path, help="the .om file")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy", help="an input; the name may be left out")
    parser.add_argument("--output", type=Path, metavar="FILE.npz", help="write all outputs there, by name")
    parser.add_argument("--top", type=_count, metavar="K", help="show the K greatest scores of each row of the first output")
    parser.add_argument("--labels", type=Path, help="text file with the name of each score, one a line; shows the 5 greatest without --top")
    parser.add_argument("--pad", action="store_true", help="fill a smaller batch with zeros")
    parser.add_argument("--device", help='where to run, such as "npu:1"')
    parser.set_defaults(run=run)


def add_inspect_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ascendtensor inspect`."""
    parser.add_argument("model", type=Path, help="the .om file")
    parser.add_argument("--device", help='where to load it, such as "npu:1"')
    parser.set_defaults(run=inspect)


def inspect(options: argparse.Namespace) -> int:
    """Shows inputs, outputs and gears."""
    with load(options.model, device=options.device) as model:
        print(model)
    return 0


def run(options: argparse.Namespace) -> int:
    """Runs the model once and shows or writes the results."""
    labels = _lines(options.labels) if options.labels is not None else []
    with load(options.model, device=options.device) as model:
        found = model(_inputs(model, options.input), pad=options.pad)
        outputs = dict(found.items()) if isinstance(found, Outputs) else {model.outputs[0].name: found}
        arrays = {name: np.asarray(tensor.numpy()) for name, tensor in outputs.items()}
    if options.output is not None:
        _save(options.output, arrays)
    top = options.top or (_TOP if options.labels is not None else 0)
    if top:
        _show_top(next(iter(arrays.values())), top, labels)
    elif options.output is None:
        for name, array in arrays.items():
            print(f"{name} {array.dtype}{list(array.shape)}")
            print(np.array2string(array, threshold=100, edgeitems=3))
    return 0


def _inputs(model: Model, given: list[str]) -> Mapping[str, Any]:
    values: dict[str, Any] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals:
            name, file = "", text
        if not name:
            if len(values) >= len(model.inputs):
                raise ValueRangeError(f"{len(given)} inputs for a model with {len(model.inputs)}", where="run")
            name = model.inputs[len(values)].name
        if name in values:
            raise ValueRangeError(f"input {name!r} is given twice", where="run")
        values[name] = _array(Path(file))
    return values


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{count} is below 1")
    return count


def _array(path: Path) -> Any:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ValueRangeError(f"{path} can't be read as a NumPy file: {error}", where="run") from error
    if not isinstance(found, np.ndarray):
        raise DTypeError(f"{path} holds several arrays; one file is one input", where="run")
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueRangeError(f"{path} can't be read: {error}", where="run") from error


def _save(path: Path, arrays: dict[str, Any]) -> None:
    try:
        np.savez(path, **arrays)
    except OSError as error:
        raise ValueRangeError(f"{path} can't be written: {error}", where="run") from error
    print(f"wrote {', '.join(arrays)} to {path}")


def _show_top(scores: Any, count: int, labels: list[str]) -> None:
    rows = scores.reshape(-1, scores.shape[-1]) if scores.ndim else scores.reshape(1, 1)
    for number, row in enumerate(rows[:_SHOWN]):
        if len(rows) > 1:
            print(f"row {number}")
        best = np.argsort(-row.astype(np.float64), kind="stable")[:count]
        width = max((len(_label(index, labels)) for index in best), default=0)
        for index in best:
            print(f"  {_label(index, labels):{width}}  {row[index]:.6g}")
    if len(rows) > _SHOWN:
        print(f"... {len(rows) - _SHOWN} more rows")


def _label(index: int, labels: list[str]) -> str:
    return labels[index] if index < len(labels) else str(index)
