"""``acl.rt``: kernel binaries and their launches. A binary only names Python functions registered before (``engine.custom``)."""

from __future__ import annotations

import os
from typing import Any, Final

from .engine import AclFault, contexts, custom, memory, streams
from .engine.absent import absent
from .engine.arguments import function, invalid, null, refuse
from .engine.tables import COUNTED, ON_NEW_PROCESS, Stream, new_handle

__all__ = [
    "binary_get_function",
    "binary_load",
    "binary_load_from_data",
    "binary_load_from_file",
    "binary_unload",
    "create_binary",
    "destroy_binary",
    "get_function_addr",
    "get_function_name",
    "kernel_args_append",
    "kernel_args_append_place_holder",
    "kernel_args_finalize",
    "kernel_args_get_handle_mem_size",
    "kernel_args_get_mem_size",
    "kernel_args_get_place_holder_buffer",
    "kernel_args_init",
    "kernel_args_init_by_user_mem",
    "kernel_args_para_update",
    "launch_kernel",
    "launch_kernel_with_config",
    "register_cpu_func",
]

PARAM_INVALID: Final = 107000
MAX_NAME: Final = 1024
WORD: Final = 8
"""Arguments start at multiples of it."""


class _Loaded:
    """A loaded binary and the functions that were asked of it."""

    __slots__ = ("data", "functions")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.functions: dict[str, int] = {}


class _Function:
    """One kernel of a loaded binary."""

    __slots__ = ("kernel", "name")

    def __init__(self, name: str, kernel: custom.Kernel) -> None:
        self.name = name
        self.kernel = kernel


class _Arguments:
    """An argument block in the making."""

    __slots__ = ("final", "parameters")

    def __init__(self) -> None:
        self.parameters: list[bytes] = []
        self.final = False

    def block(self) -> bytes:
        return b"".join(value.ljust(-(-len(value) // WORD) * WORD, b"\0") for value in self.parameters)


_BINARIES: Final[dict[int, bytes]] = {}
_LOADED: Final[dict[int, _Loaded]] = {}
_FUNCTIONS: Final[dict[int, _Function]] = {}
_ARGUMENTS: Final[dict[int, _Arguments]] = {}
COUNTED.update({"kernel_binaries": _BINARIES, "loaded_binaries": _LOADED})
ON_NEW_PROCESS.extend((_FUNCTIONS.clear, _ARGUMENTS.clear))  # nothing destroys these


def _find(table: dict[int, Any], parameter: str, handle: int) -> Any:
    if handle == 0:
        raise null(parameter)
    found = table.get(handle)
    if found is None:
        raise invalid(parameter, hex(handle), "is no live object of that kind", PARAM_INVALID)
    return found


# Binaries


@function("acl.rt.create_binary", "KK")
def create_binary(data_ptr: int, size: int) -> int:
    """A handle, or 0 for memory that can't be read; the bytes are copied."""
    if data_ptr == 0 or size == 0:
        return 0
    try:
        data = memory.host_bytes(data_ptr, size)
    except AclFault:
        return 0
    handle = new_handle()
    _BINARIES[handle] = data
    return handle


@function("acl.rt.destroy_binary", "K")
def destroy_binary(binary: int) -> int:
    """What was loaded from it stays."""
    _find(_BINARIES, "binary", binary)
    del _BINARIES[binary]
    return 0


def _load(data: bytes) -> tuple[int, int]:
    custom.names_in(data)
    handle = new_handle()
    _LOADED[handle] = _Loaded(data)
    return handle, 0


def _check_options(opts: Any, name: str) -> None:
    """A list of ``{"type": int, "value": int}``; what is missing counts as 0.

    Raises:
        ValueError: No list, as the binding does.
        TypeError: Something else in it.
    """
    if type(opts) is not list:
        raise ValueError("argument 2 only support the format of list")
    for option in opts:
        if not isinstance(option, dict) or not all(isinstance(value, int) for value in option.values()):
            refuse(name)


@function("acl.rt.binary_load", "K", 0)
def binary_load(binary: int) -> tuple[int, int]:
    """(loaded binary, ret)."""
    data: bytes = _find(_BINARIES, "binary", binary)
    contexts.current()
    return _load(data)


@function("acl.rt.binary_load_from_file", "sO", 0)
def binary_load_from_file(path: str, opts: Any) -> tuple[int, int]:
    """(loaded binary, ret)."""
    _check_options(opts, "acl.rt.binary_load_from_file")
    if not path or not os.path.isfile(path):
        raise invalid("path", path, "is no file", PARAM_INVALID)
    with open(path, "rb") as file:
        return _load(file.read())


@function("acl.rt.binary_load_from_data", "KKO", 0)
def binary_load_from_data(data_ptr: int, size: int, opts: Any) -> tuple[int, int]:
    """(loaded binary, ret) from host memory."""
    _check_options(opts, "acl.rt.binary_load_from_data")
    if data_ptr == 0:
        raise null("data_ptr")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    return _load(memory.host_bytes(data_ptr, size))


@function("acl.rt.binary_unload", "K")
def binary_unload(bin_handle: int) -> int:
    """Its functions go with it; launches that are queued already run."""
    loaded: _Loaded = _find(_LOADED, "bin_handle", bin_handle)
    for handle in loaded.functions.values():
        _FUNCTIONS.pop(handle, None)
    del _LOADED[bin_handle]
    return 0


@function("acl.rt.binary_get_function", "Ks", 0)
def binary_get_function(bin_handle: int, func_name: str) -> tuple[int, int]:
    """(function, ret): the Python function registered for this kernel."""
    loaded: _Loaded = _find(_LOADED, "bin_handle", bin_handle)
    known = loaded.functions.get(func_name)
    if known is None:
        made = _Function(func_name, custom.find(func_name, loaded.data, PARAM_INVALID))
        known = loaded.functions[func_name] = new_handle()
        _FUNCTIONS[known] = made
    return known, 0


@function("acl.rt.get_function_name", "KI", "")
def get_function_name(func_handle: int, max_len: int) -> tuple[str, int]:
    """(name, ret), cut to what there is room for.

    Raises:
        ValueError: For room of 1024 and more, as the binding does.
    """
    if max_len >= MAX_NAME:
        raise ValueError("maxLen should be less than 1024")
    found: _Function = _find(_FUNCTIONS, "func_handle", func_handle)
    if max_len == 0:
        raise invalid("max_len", max_len, "must be greater than 0", PARAM_INVALID)
    return found.name[: max_len - 1], 0


get_function_addr = absent("acl.rt.get_function_addr", "K", 0, 0)
register_cpu_func = absent("acl.rt.register_cpu_func", "Kss", 0)


# Launches


def _run(kernel: custom.Kernel, launch: custom.KernelLaunch) -> None:
    kernel(launch)


def _run_from(kernel: custom.Kernel, device: int, block_dim: int, args: memory.Bytes) -> None:
    kernel(custom.KernelLaunch(device, block_dim, args=args.tobytes()))


def _queue(stream: Stream, function: _Function, fn: Any, args: tuple[Any, ...]) -> int:
    streams.enqueue(stream, *streams.task_for(function.name, *streams.whole((fn, (function.kernel, *args)))))
    return 0


@function("acl.rt.launch_kernel", "KIKKK")
def launch_kernel(func_handle: int, block_dim: int, args_ptr: int, args_size: int, stream: int) -> int:
    """Queues the function; its argument block lies in device memory and is read when the stream comes to it."""
    found: _Function = _find(_FUNCTIONS, "func_handle", func_handle)
    if args_ptr == 0:
        raise null("args_ptr")
    if block_dim == 0 or args_size == 0:
        raise invalid("block_dim, args_size", (block_dim, args_size), "must be greater than 0")
    target = contexts.stream_for(stream)
    return _queue(target, found, _run_from, (target.device, block_dim, memory.device_array(args_ptr, args_size, target.device)))


@function("acl.rt.launch_kernel_with_config", "KIKOKK")
def launch_kernel_with_config(func_handle: int, block_dim: int, stream: int, cfg: Any, args_handle: int, reserve: int) -> int:
    """Queues the function with a finished argument block; of the configuration nothing has an effect."""
    _check_options(cfg, "acl.rt.launch_kernel_with_config")
    found: _Function = _find(_FUNCTIONS, "func_handle", func_handle)
    arguments: _Arguments = _find(_ARGUMENTS, "args_handle", args_handle)
    if reserve or block_dim == 0:
        raise invalid("reserve, block_dim", (reserve, block_dim), "reserve must be 0, block_dim must not")
    if not arguments.final:
        raise invalid("args_handle", hex(args_handle), "kernel_args_finalize comes first", PARAM_INVALID)
    target = contexts.stream_for(stream)
    return _queue(target, found, _run, (custom.KernelLaunch(target.device, block_dim, args=arguments.block()),))


# Argument blocks


@function("acl.rt.kernel_args_init", "K", 0)
def kernel_args_init(func_handle: int) -> tuple[int, int]:
    """(argument block, ret)."""
    _find(_FUNCTIONS, "func_handle", func_handle)
    handle = new_handle()
    _ARGUMENTS[handle] = _Arguments()
    return handle, 0


def _open(args_handle: int) -> _Arguments:
    found: _Arguments = _find(_ARGUMENTS, "args_handle", args_handle)
    if found.final:
        raise invalid("args_handle", hex(args_handle), "is finished already", PARAM_INVALID)
    return found


def _value(param_ptr: int, param_size: int) -> bytes:
    if param_ptr == 0:
        raise null("param_ptr")
    if param_size == 0:
        raise invalid("param_size", param_size, "must be greater than 0")
    return memory.host_bytes(param_ptr, param_size)


@function("acl.rt.kernel_args_append", "KKK", 0)
def kernel_args_append(args_handle: int, param_ptr: int, param_size: int) -> tuple[int, int]:
    """(parameter, ret); the value is copied from host memory at once."""
    found = _open(args_handle)
    found.parameters.append(_value(param_ptr, param_size))
    return len(found.parameters), 0


@function("acl.rt.kernel_args_para_update", "KKKK")
def kernel_args_para_update(args_handle: int, param_handle: int, param_ptr: int, param_size: int) -> int:
    """Another value, also after the block was finished."""
    found: _Arguments = _find(_ARGUMENTS, "args_handle", args_handle)
    if not 0 < param_handle <= len(found.parameters):
        raise invalid("param_handle", param_handle, f"the block has {len(found.parameters)} parameters", PARAM_INVALID)
    found.parameters[param_handle - 1] = _value(param_ptr, param_size)
    return 0


@function("acl.rt.kernel_args_finalize", "K")
def kernel_args_finalize(args_handle: int) -> int:
    """Nothing can be appended any more."""
    _open(args_handle).final = True
    return 0


kernel_args_init_by_user_mem = absent("acl.rt.kernel_args_init_by_user_mem", "KKKK")
kernel_args_get_mem_size = absent("acl.rt.kernel_args_get_mem_size", "KK", 0)
kernel_args_get_handle_mem_size = absent("acl.rt.kernel_args_get_handle_mem_size", "K", 0)
kernel_args_append_place_holder = absent("acl.rt.kernel_args_append_place_holder", "K", 0)
kernel_args_get_place_holder_buffer = absent("acl.rt.kernel_args_get_place_holder_buffer", "KKK", 0)
