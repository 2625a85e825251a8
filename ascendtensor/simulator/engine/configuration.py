"""The keys of acl.json that ``acl.init`` looks at (RT-3, K15, K16). Unknown keys are ignored.

Dumps, stack and buffer sizes and the event mode of graphs are checked and have no effect here.
"""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from ascendtensor.codes import ErrorCode

from . import contexts, profiling
from .arguments import invalid

LEAST_STACK: Final = 32768
INVALID_DUMP: Final = int(ErrorCode.INVALID_DUMP_CONFIG)
_SWITCH: Final = ("on", "off")
_DUMP_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "dump_mode": ("input", "output", "all"),
    "dump_op_switch": _SWITCH,
    "dump_data": ("tensor", "stats"),
    "dump_debug": _SWITCH,
    "dump_level": ("op", "kernel", "all"),
    "dump_scene": ("lite_exception", "aic_err_brief_dump", "aic_err_norm_dump", "aic_err_detail_dump", "watcher"),
}
_FIFO_KEYS: Final = ("simt_printf_fifo_size", "simd_printf_fifo_size_per_core")


class Configuration(NamedTuple):
    """What of it has an effect.

    Attributes:
        process_wide: Error texts are the process's, not the thread's.
        max_op_queue: Operator models above which compiled ones age.
        default_device: Device of threads that set none, None for no such device.
        profiler: The section of that name, or None.
    """

    process_wide: bool
    max_op_queue: int
    default_device: int | None
    profiler: Any


def read(config: dict[str, Any]) -> Configuration:
    """Check the recognised keys in CANN's order (RT-3).

    Raises:
        AclFault: 100000 for an illegal value, 100009 for one of the dump's, 107001 for a default device that does not exist.
    """
    mode = _one_of("err_msg_mode", config.get("err_msg_mode", "0"), ("0", "1"))
    _check_dump(_section(config, "dump", INVALID_DUMP))
    limit = config.get("max_opqueue_num", "20000")
    if not (isinstance(limit, str) and limit.isascii() and limit.isdecimal() and int(limit) > 0):
        raise invalid("max_opqueue_num", limit, "must be a decimal number above 0, as a string")
    _check_stack(_section(config, "StackSize"))
    for key in _FIFO_KEYS:
        if key in config:
            _positive(key, config[key])
    default = _default_device(config)
    _one_of("event_mode", _section(config, "acl_graph").get("event_mode", "0"), ("0", "1"))
    return Configuration(mode == "1", int(limit), default, config.get("profiler"))


def apply_profiler(section: Any) -> None:
    """Start profiling if the file says so; the last key that ``init`` looks at."""
    if section is not None:
        profiling.from_file(section)


def _section(config: dict[str, Any], key: str, code: int = 100000) -> dict[str, Any]:
    section = config.get(key, {})
    if not isinstance(section, dict):
        raise invalid(key, section, "must be an object", code)
    return section


def _one_of(key: str, value: Any, allowed: tuple[str, ...], code: int = 100000) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise invalid(key, value, f"must be one of {', '.join(allowed)}, as a string", code)
    return value


def _positive(key: str, value: Any, least: int = 1) -> int:
    if type(value) is not int or value < least:
        raise invalid(key, value, f"must be a number of at least {least}")
    return value


def _check_dump(section: dict[str, Any]) -> None:
    for key, allowed in _DUMP_CHOICES.items():
        if key in section:
            _one_of(key, section[key], allowed, INVALID_DUMP)
    layers = section.get("dump_list", [])
    if not isinstance(layers, list) or not all(isinstance(entry, dict) for entry in layers):
        raise invalid("dump_list", layers, "must be a list of objects", INVALID_DUMP)
    for entry in layers:
        _check_dumped_model(entry)
    wanted = bool(layers) or "on" in (section.get("dump_op_switch"), section.get("dump_debug"))
    path = section.get("dump_path", "" if wanted else ".")
    if not isinstance(path, str) or (wanted and not os.path.isdir(path)):
        raise invalid("dump_path", path, "must be a folder that exists", INVALID_DUMP)
    _check_dump_conflicts(section)


def _check_dump_conflicts(section: dict[str, Any]) -> None:
    """Dumps of operators, of overflows and of exceptions exclude each other; a watch sees outputs alone."""
    scene = section.get("dump_scene")
    chosen = [key for key in ("dump_debug", "dump_op_switch") if section.get(key) == "on"]
    if len(chosen) == 2 or (scene and chosen):
        raise invalid(chosen[-1], "on", f"can't be with {'dump_scene' if scene else chosen[0]}", INVALID_DUMP)
    if scene == "watcher" and section.get("dump_mode", "output") != "output":
        raise invalid("dump_mode", section["dump_mode"], "must be output with the dump_scene watcher", INVALID_DUMP)


def _check_dumped_model(entry: dict[str, Any]) -> None:
    """{"model_name": text, "layer": [text], "watcher_nodes": [text]}, each of them optional."""
    if not isinstance(entry.get("model_name", ""), str):
        raise invalid("model_name", entry["model_name"], "must be a text", INVALID_DUMP)
    for key in ("layer", "watcher_nodes"):
        names = entry.get(key, [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise invalid(key, names, "must be a list of texts", INVALID_DUMP)


def _check_stack(section: dict[str, Any]) -> None:
    for key, value in section.items():
        if key == "aicore_stack_size":
            _positive(key, value, LEAST_STACK)
        elif key.startswith("simt"):
            _positive(key, value)


def _default_device(config: dict[str, Any]) -> int | None:
    number = _section(config, "defaultDevice").get("default_device")
    if number is None:
        return None
    if not (isinstance(number, str) and number.isascii() and number.isdecimal()):
        raise invalid("default_device", number, "must be a device number, as a string")
    return contexts.check_device(int(number), "default_device")
