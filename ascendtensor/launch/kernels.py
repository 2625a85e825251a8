"""Kernels of the user's own with dynamic tiling: pyACL's TIK flow (TIK-1 to TIK-10).

A *compile function* is registered for the operator type, kernels are created out of their binaries; `update_params` calls the function,
and what it chose is kept under the exact descriptions and attributes. A handle made after that is bound to the kernel (HD-4).
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..acl import binding
from ..codes import ErrorCode
from ..errors import AclError, OperatorNotFoundError
from ..runtime import attrs, desc, device
from .registry import handle_cache

if TYPE_CHECKING:
    from ..compiler.description import Description
    from ..runtime.stream import Stream
    from .registry import OpHandle

__all__ = ["ENGINES", "KernelFile", "Selection", "execute", "prepared_handle"]

ENGINES: Final = {"aicore": 1, "vector": 2}
"""aclopEngineType; SYS is refused (TIK-3)."""


@dataclass(frozen=True)
class KernelFile:
    """A compiled kernel.

    Attributes:
        name: Its name in the binary.
        data: The binary.
        engine: "aicore" or "vector".
    """

    name: str
    data: bytes
    engine: str

    def key(self, kernel_id: str) -> str:
        """The id that pyACL knows it by: another binary under the user's id is another kernel, since none can be replaced."""
        digest = hashlib.sha256(f"{self.name} {self.engine} ".encode() + self.data).hexdigest()
        return f"{kernel_id}-{digest[:16]}"


@dataclass(frozen=True)
class Selection:
    """What a compile function chose; `custom.Launch` is its public form."""

    kernel_id: str
    block_dim: int
    tiling: bytes
    workspaces: tuple[int, ...]


class _Flow:
    """What is registered in pyACL, for the whole process, and the call of `update_params` that runs now.

    Attributes:
        lock: Held while parameters are prepared.
        dispatchers: The compile function that pyACL has, by operator type; it stays, whoever asks.
        created: Kernels that pyACL has, whose binaries have to live.
        ready: Operator types and kernels that were seen to in this generation.
        choose: What the compile function is to ask.
        failure: What it raised, which pyACL would turn into a SystemError (TIK-5).
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.dispatchers: dict[str, Callable[..., object]] = {}
        self.created: dict[tuple[str, str], KernelFile] = {}
        self.ready: set[tuple[str, str]] = set()
        self.choose: Callable[[], Selection] | None = None
        self.failure: BaseException | None = None


_flow: Final = _Flow()


def _dispatch(op_type: str, *arguments: Any) -> int:
    """The compile function; the last argument is the kernel description."""
    kernel_desc: int = arguments[-1]
    if _flow.choose is None:
        return 1
    try:
        chosen = _flow.choose()
        # Read during the calls.
        binding.set_kernel_args(kernel_desc, chosen.kernel_id, chosen.block_dim, binding.bytes_to_ptr(chosen.tiling), len(chosen.tiling))
        if chosen.workspaces:
            sizes = struct.pack(f"={len(chosen.workspaces)}Q", *chosen.workspaces)
            binding.set_kernel_workspace_sizes(kernel_desc, len(chosen.workspaces), binding.bytes_to_ptr(sizes))
    except BaseException as error:  # Ctrl-C too: pyACL gives no exception back as it was
        _flow.failure = error
        return 1
    return 0


def _register(op_type: str, kernels: Mapping[str, KernelFile]) -> None:
    """See to it that pyACL has the compile function and the kernels; what it has already from us stays."""
    if (op_type, "") not in _flow.ready:
        dispatcher = _flow.dispatchers.get(op_type) or partial(_dispatch, op_type)
        _allowing(
            ErrorCode.BIN_SELECTOR_ALREADY_REGISTERED, op_type in _flow.dispatchers, binding.register_compile_func, op_type, dispatcher
        )
        _flow.dispatchers[op_type] = dispatcher
        _flow.ready.add((op_type, ""))
    for kernel_id, kernel in kernels.items():
        if (op_type, kernel_id) in _flow.ready:
            continue
        address, size = binding.bytes_to_ptr(kernel.data), len(kernel.data)
        ours = (op_type, kernel_id) in _flow.created
        arguments = op_type, kernel_id, kernel.name, address, size, ENGINES[kernel.engine]
        _allowing(ErrorCode.KERNEL_ALREADY_REGISTERED, ours, binding.create_kernel, *arguments)
        _flow.created.setdefault((op_type, kernel_id), kernel)
        _flow.ready.add((op_type, kernel_id))


def _allowing(code: ErrorCode, allowed: bool, call: Callable[..., None], *arguments: Any) -> None:
    try:
        call(*arguments)
    except AclError as error:
        if not (allowed and error.code == code):
            raise


def prepared_handle(kernels: Mapping[str, KernelFile], description: Description, choose: Callable[[], Selection]) -> OpHandle:
    """An op handle bound to the kernel that `choose` picks for a description.

    Args:
        kernels: Those of the operator, by pyACL's id.
        description: Operator type, descriptions and attributes.
        choose: Asked once, by the compile function.

    Raises:
        Exception: What `choose` raised.
        AclError: pyACL refuses something.
    """
    op_type = description.op_type
    with _flow.lock:
        _register(op_type, kernels)
        with attrs.made(description.attrs) as attr, desc.made(description.inputs) as inputs, desc.made(description.outputs) as outputs:
            _update(op_type, inputs, outputs, attr, choose)
            return handle_cache.adopt(lambda: binding.create_handle(op_type, inputs, outputs, attr))


def _update(op_type: str, inputs: list[int], outputs: list[int], attr: int, choose: Callable[[], Selection]) -> None:
    _flow.choose, _flow.failure = choose, None
    try:
        binding.update_params(op_type, inputs, outputs, attr)
    except AclError:
        if _flow.failure is None:
            raise
    finally:
        _flow.choose = None
        failure, _flow.failure = _flow.failure, None
    if failure is not None:
        raise failure


def execute(
    kernels: Mapping[str, KernelFile],
    description: Description,
    choose: Callable[[], Selection],
    buffers: tuple[list[int], list[int]],
    stream: Stream,
) -> None:
    """Queue the operator by `execute_v2`; parameters are prepared where there are none yet (TIK-8) or no longer (OM-12).

    Args:
        kernels, description, choose: As of `prepared_handle`.
        buffers: Data buffers of inputs and outputs.
        stream: This thread's.
    """
    op_type = description.op_type
    with attrs.made(description.attrs) as attr, desc.made(description.inputs) as inputs, desc.made(description.outputs) as outputs:
        try:
            binding.execute_v2(op_type, inputs, buffers[0], outputs, buffers[1], attr, stream.handle)
        except OperatorNotFoundError:
            with _flow.lock:
                _register(op_type, kernels)
                _update(op_type, inputs, outputs, attr, choose)
            binding.execute_v2(op_type, inputs, buffers[0], outputs, buffers[1], attr, stream.handle)


device.on_shutdown(_flow.ready.clear)
