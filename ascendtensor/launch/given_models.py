"""Operator models that the user loads, such as those of operators of his own."""

from __future__ import annotations

import os
from pathlib import Path

from ..acl import binding
from ..errors import CompileError
from ..runtime import device
from .registry import handle_cache


def load_op_models(source: str | os.PathLike[str] | bytes) -> int:
    """Load operator models that were compiled elsewhere; from now on launches look among them before anything is compiled.

    They are single-operator models with static shapes, as `atc --singleop` writes them. They stay for the rest of the process.

    Args:
        source: A file, a directory (every `.om` in it and below), or the bytes of one model.

    Returns:
        How many were loaded.

    Raises:
        CompileError: There is no model.
        AclError: pyACL refuses one.

    Like: acl.op.load.

    Examples:
        >>> with at.trace() as t:
        ...     y = at.relu(at.ones(3))
        >>> description = t.to_singleop_json("ops")[-1]
        >>> from ascendtensor.simulator import atc  # on a board: the program atc
        >>> atc.main([f"--singleop={description}", "--output=ops", "--soc_version=Ascend910B1"])
        ATC start working now, please wait for a moment.
        ATC run success, welcome to the next use.
        0
        >>> at.load_op_models("ops")
        1
    """
    if isinstance(source, bytes):
        models = [source]
    else:
        place = Path(source)
        files = sorted(place.rglob("*.om")) if place.is_dir() else [place]
        try:
            models = [file.read_bytes() for file in files]
        except OSError as error:
            raise CompileError(f"no operator model can be read: {error}", where="load_op_models") from None
    if not models:
        raise CompileError(f"there is no .om file in {source!s}", where="load_op_models")
    device.current_stream()
    with handle_cache.lock:
        for model in models:
            binding.op_load(binding.bytes_to_ptr(model), len(model))
            handle_cache.given.append(model)  # pyACL wants it to stay (OM-5)
    return len(models)
