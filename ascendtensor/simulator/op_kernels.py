"""``acl.op``: kernels with dynamic tiling (TIK-1 .. TIK-10)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .engine import AclFault, custom, memory, tiling
from .engine.absent import API_NOT_SUPPORTED, absent
from .engine.arguments import function, invalid, null, pointer_list
from .engine.attrs import EMPTY, Attributes
from .engine.diagnostics import missing
from .engine.matching import query_of, spec_of
from .engine.process import State
from .engine.tables import ATTRS, DESCS, ON_FINALIZE, TensorDesc

__all__ = [
    "create_kernel",
    "register_compile_func",
    "set_kernel_args",
    "set_kernel_workspace_sizes",
    "start_dump_args",
    "stop_dump_args",
    "unregister_compile_func",
    "update_params",
]

AICORE, VECTOR = 1, 2
_OWNED: Final[list[int]] = []
"""Binaries that the library frees when it is done with them."""


def _release() -> None:
    """Free the binaries that were handed over (TIK-3)."""
    while _OWNED:
        try:
            memory.release(_OWNED.pop(), host=not memory.Settings.one_space)
        except AclFault:
            pass


ON_FINALIZE.append(_release)


@function("acl.op.register_compile_func", "sO")
def register_compile_func(op_type: str, fn: Any) -> int:
    """A selector for an operator type, once (TIK-2)."""
    if not callable(fn):
        raise TypeError("argument 2 must be a callback function.")
    if op_type in tiling.SELECTORS:
        if State.binding_defects:  # PY-20
            tiling.SELECTORS[op_type] = fn
        raise AclFault(tiling.ALREADY_REGISTERED, f"operator [{op_type}] has a compile function already")
    tiling.SELECTORS[op_type] = fn
    return 0


@function("acl.op.unregister_compile_func", "s")
def unregister_compile_func(op_type: str) -> int:
    """An unknown type succeeds; handles that are bound already stay so (TIK-2, TIK-10)."""
    tiling.SELECTORS.pop(op_type, None)
    return 0


@function("acl.op.create_kernel", "sssKiii")
def create_kernel(op_type: str, kernel_id: str, kernel_name: str, bin_ptr: int, bin_size: int, engine_type: int, deallocator: int) -> int:
    """Registers the Python function that the binary names (TIK-3); nothing is executed out of its bytes."""
    if bin_ptr == 0:
        raise null("bin_ptr")
    if engine_type not in (AICORE, VECTOR):
        raise invalid("engine_type", engine_type, "must be 1 (AI core) or 2 (vector)")
    if (op_type, kernel_id) in tiling.KERNELS:
        raise AclFault(tiling.KERNEL_EXISTS, f"kernel [{kernel_id}] of operator [{op_type}] exists already")
    try:
        data = memory.host_bytes(bin_ptr, bin_size)
    except AclFault as fault:
        raise invalid("bin_ptr", hex(bin_ptr), fault.text) from fault
    tiling.KERNELS[op_type, kernel_id] = custom.find(kernel_name, data, 100000)
    if deallocator:
        _OWNED.append(bin_ptr)
    return 0


def _chosen(kernel_desc: int) -> tiling.Chosen:
    if kernel_desc == 0:
        raise null("kernel_desc")
    found = tiling.CHOOSING.get(kernel_desc)
    if found is None:
        raise invalid("kernel_desc", hex(kernel_desc), "is no kernel description of a compile function that runs now")
    return found


@function("acl.op.set_kernel_args", "KsIKI")
def set_kernel_args(kernel_desc: int, kernel_id: str, block_dim: int, args_ptr: int, args_size: int) -> int:
    """Inside a compile function: the kernel, its cores and its tiling bytes, which are copied (TIK-6)."""
    found = _chosen(kernel_desc)
    if args_ptr == 0:
        raise null("args_ptr")
    found.args = memory.host_bytes(args_ptr, args_size)
    found.kernel_id, found.block_dim = kernel_id, block_dim
    return 0


@function("acl.op.set_kernel_workspace_sizes", "KiK")
def set_kernel_workspace_sizes(kernel_desc: int, num: int, sizes_ptr: int) -> int:
    """Inside a compile function: more workspaces (TIK-7)."""
    found = _chosen(kernel_desc)
    if num < 0:
        raise invalid("num", num, "must not be negative")
    if sizes_ptr == 0:
        raise null("sizes_ptr")
    found.workspaces += [int(size) for size in np.frombuffer(memory.host_bytes(sizes_ptr, 8 * num), "<u8")]
    return 0


def _descs(parameter: str, handles: list[int]) -> list[TensorDesc]:
    found: list[TensorDesc] = []
    for index, handle in enumerate(handles):
        desc = DESCS.get(handle)
        if desc is None:
            raise missing(f"{parameter}[{index}]", handle, "tensor descriptor")
        found.append(desc)
    return found


@function("acl.op.update_params", "sOOK")
def update_params(op_type: str, in_desc_list: Any, out_desc_list: Any, attr_handle: int) -> int:
    """Calls the compile function and keeps what it chose under these descriptions and attributes (TIK-4, TIK-5, TIK-8)."""
    name = "acl.op.update_params"
    in_handles, out_handles = pointer_list(name, in_desc_list), pointer_list(name, out_desc_list)
    inputs, outputs = _descs("in_desc_list", in_handles), _descs("out_desc_list", out_handles)
    found: Attributes | None = ATTRS.get(attr_handle, EMPTY if attr_handle == 0 else None)
    if found is None:
        raise missing("attr", attr_handle, "attribute object")
    chosen = tiling.choose(op_type, (len(in_handles), in_handles, len(out_handles), out_handles, attr_handle))
    query = query_of(op_type, inputs, outputs, found.copy())
    tiling.keep(query, chosen, tuple(map(spec_of, inputs)), tuple(map(spec_of, outputs)), found)
    return 0


start_dump_args = absent("acl.op.start_dump_args", "Is", code=API_NOT_SUPPORTED)
stop_dump_args = absent("acl.op.stop_dump_args", "I", code=API_NOT_SUPPORTED)
