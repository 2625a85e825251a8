"""Files that several processes may write and read at once: each is written beside and renamed into place."""

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Any


def write(path: Path, content: bytes) -> None:
    """Put a file there whole, or leave what was there.

    Raises:
        OSError: It can't be written.
    """
    beside = path.with_name(f".{os.getpid()}-{secrets.token_hex(8)}.tmp")
    try:
        try:
            beside.write_bytes(content)
        except FileNotFoundError:  # the first one, or somebody emptied the directory meanwhile
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(content)
        os.replace(beside, path)
    except BaseException:  # also when interrupted: leave nothing behind
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Put a JSON file there, readable, with its keys in order.

    Raises:
        OSError: It can't be written.
    """
    write(path, (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode())
