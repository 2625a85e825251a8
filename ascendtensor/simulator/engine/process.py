"""State of the whole simulated process: init and finalize, configuration, and starting over (RT-1 .. RT-9)."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Final

from ascendtensor.simulator.kernels.halves import free_rooms

from . import AclFault, chips, configuration, contexts, errors_log, memory, profiles, streams, tables
from .arguments import invalid

MAX_CONFIG_BYTES: Final = 10 << 20
MAX_NESTING: Final = 10
DEFAULTS: Final[dict[str, Any]] = {"devices": 2, "memory": 4 << 30, "soc": "Ascend910B1", "run_mode": "host", "queue": 256}


class State:
    """Init count and the configuration that CANN remembers for the process (RT-5), and how many processes there were before."""

    number = 0
    count = 0
    finalized = False
    config: dict[str, Any] | None = None
    soc = "Ascend910B1"
    run_mode = "host"
    max_op_queue = 20000
    binding_defects = False  # PY-20
    lock: Final = threading.Lock()


def configure(
    devices: int | None = None,
    memory_bytes: int | None = None,
    soc: str | None = None,
    run_mode: str | None = None,
    queue: int | None = None,
    binding_defects: bool | None = None,
    profile: str | None = None,
) -> None:
    """Choose the simulated machine; None is the environment's value or the default.

    Raises:
        RuntimeError: While a context or memory is alive.
        ValueError: For a value that makes no machine.
    """
    if tables.CONTEXTS or any(memory.counts().values()):
        raise RuntimeError("the simulated machine can't change while contexts or memory are alive; call new_process() first")
    given = {"devices": devices, "memory": memory_bytes, "soc": soc, "run_mode": run_mode, "queue": queue}
    chosen: dict[str, Any] = {name: _environment(name) if value is None else value for name, value in given.items()}
    for name, least, most in (("devices", 1, 32), ("memory", 1 << 12, memory.DEVICE_SPAN // 2), ("queue", 1, 1 << 20)):
        if not least <= chosen[name] <= most:
            raise ValueError(f"{name} must be in [{least}, {most}], got {chosen[name]}")
    soc_is_given = bool(soc or os.environ.get("ASCENDTENSOR_SIM_SOC"))
    named, board = profiles.parse(profiles.given(profile, soc_is_given))
    if board is not None and not soc_is_given:
        chosen["soc"] = board.soc
    if not chips.known(chosen["soc"]):
        raise ValueError(f"soc must be the name of a chip that CANN knows, such as Ascend910B1, got {chosen['soc']!r}")
    if chosen["run_mode"] not in ("host", "device"):
        raise ValueError(f"run_mode must be 'host' or 'device', got {chosen['run_mode']!r}")
    if board is not None and board.soc != chosen["soc"]:
        raise ValueError(f"the profile {board.place} is of {board.soc}, the simulated chip is {chosen['soc']}")
    profiles.Settings.name, profiles.Settings.board = named, board
    memory.Settings.devices = chosen["devices"]
    memory.Settings.memory = chosen["memory"]
    memory.Settings.one_space = chosen["run_mode"] == "device"
    contexts.Settings.queue = chosen["queue"]
    contexts.Settings.most_streams, contexts.Settings.most_events = chips.streams(chosen["soc"]), chips.events(chosen["soc"])
    State.soc = chosen["soc"]
    State.run_mode = chosen["run_mode"]
    State.binding_defects = os.environ.get("ASCENDTENSOR_SIM_BINDING_DEFECTS") == "1" if binding_defects is None else binding_defects


def _environment(name: str) -> Any:
    """ASCENDTENSOR_SIM_DEVICES and so on, as the type of the default."""
    default = DEFAULTS[name]
    text = os.environ.get(f"ASCENDTENSOR_SIM_{name.upper()}", "")
    if not text:
        return default
    try:
        return type(default)(text)
    except ValueError:
        raise ValueError(f"ASCENDTENSOR_SIM_{name.upper()} must be {type(default).__name__}, got {text!r}") from None


def init(path: str) -> int:
    """RT-1 .. RT-5."""
    config = read(path) if path else {}
    with State.lock:
        if State.count:
            State.count += 1
            return errors_log.failed("acl.init", 100002, "acl is initialised already; the reference count was raised")
        if State.config is not None and State.config != config:
            raise invalid("config_path", path, "the contents differ from those of the first acl.init of this process")
        _apply(config)
        State.config = config
        State.count = 1
        State.finalized = False
    return 0


def finalize() -> int:
    """RT-6."""
    with State.lock:
        if State.finalized:
            raise AclFault(100037, "acl.finalize was called already")
        State.count = 0
        State.finalized = True
    _end()
    return 0


def finalize_reference() -> int:
    """RT-7: the count that is left."""
    with State.lock:
        if State.count == 0:
            raise AclFault(100037, "the reference count is 0 already")
        State.count -= 1
        State.finalized = State.count == 0
        left = State.count
    if left == 0:
        _end()
    return left


def _end() -> None:
    for release in tables.ON_FINALIZE:
        release()


def read(path: str) -> dict[str, Any]:
    """A parsed JSON file of settings (RT-2); an empty one means defaults."""
    if not os.path.isfile(path):
        raise AclFault(100003, f"file [{path}] of parameter [config_path] does not exist or is not a regular file", "EH0003")
    try:
        if os.path.getsize(path) > MAX_CONFIG_BYTES:
            raise AclFault(100003, f"file [{path}] is larger than {MAX_CONFIG_BYTES} bytes", "EH0004")
        with open(path, encoding="utf-8", errors="strict") as file:
            text = file.read()
    except OSError as error:
        raise AclFault(100003, f"file [{path}] can't be read: {error}", "EH0003") from error
    except UnicodeDecodeError as error:
        raise AclFault(100006, f"file [{path}] is not JSON: {error}", "EH0004") from error
    if not text.strip():
        return {}
    if _nesting(text) > MAX_NESTING:
        raise AclFault(100006, f"file [{path}] nests objects or arrays deeper than {MAX_NESTING}", "EH0004")
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise AclFault(100006, f"file [{path}] is not JSON: {error}", "EH0004") from error
    if not isinstance(parsed, dict):
        raise AclFault(100006, f"file [{path}] does not hold an object", "EH0004")
    return parsed


def _nesting(text: str) -> int:
    """The deepest nesting of braces or of brackets, counted apart and outside of strings (RT-2)."""
    depth = {"{": 0, "[": 0}
    deepest = 0
    quoted = escaped = False
    for char in text:
        if quoted:
            quoted, escaped = (escaped or char != '"'), (char == "\\" and not escaped)
        elif char == '"':
            quoted = True
        elif char in depth:
            depth[char] += 1
            deepest = max(deepest, depth[char])
        elif char in "}]":
            depth["{" if char == "}" else "["] -= 1
    return deepest


def _apply(config: dict[str, Any]) -> None:
    """Take the recognised keys (RT-3)."""
    chosen = configuration.read(config)
    configuration.apply_profiler(chosen.profiler)
    errors_log.Scope.process_wide = chosen.process_wide
    State.max_op_queue = chosen.max_op_queue
    contexts.Settings.default_device = chosen.default_device


def new_process() -> None:
    """Forget everything, also what CANN keeps until the process ends; the configured machine stays."""
    contexts.clear()
    streams.clear()
    tables.clear()
    memory.clear()
    errors_log.clear()
    with State.lock:
        State.number += 1
        State.count = 0
        State.finalized = False
        State.config = None
        State.max_op_queue = 20000
    for forget in tables.ON_NEW_PROCESS:
        forget()


def counts() -> dict[str, int]:
    """How many of each kind of thing are alive."""
    return {**tables.counts(), **memory.counts(), "subscriptions": len(streams.SERVERS)}


tables.ON_FINALIZE.append(free_rooms)
