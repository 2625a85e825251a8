"""Kernels of your own with dynamic tiling (TIK), on tensors.

    square = at.custom.dynamic_kernel("MySquare", kernels={"any": at.custom.Kernel("square.o")}, select=choose)
    square(x)

For operators of a custom operator package, which are compiled to models, see `at.register_op`.
"""

from __future__ import annotations

import operator
import os
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from . import base
from .base import TensorBase
from .dtypes import dtype as DType
from .errors import DeviceError, DTypeError, ValueRangeError
from .launch import direct, kernels
from .launch.kernels import ENGINES, KernelFile, Selection
from .ops.arguments import described
from .ops.call import plain, planner
from .ops.custom import CustomOp
from .runtime.desc import TensorDesc
from .runtime.device import on_shutdown

if TYPE_CHECKING:
    from .compiler.description import Description
    from .launch.registry import OpHandle
    from .ops.schema import Row
    from .runtime.device import Device

__all__ = ["DynamicKernel", "Kernel", "Launch", "Operand", "dynamic_kernel"]
__dir__ = __all__.copy

MAX_WORKSPACES: Final = 16
CAPACITY: Final = 256


class Kernel:
    """A compiled kernel.

    Args:
        binary: The file that the kernel compiler wrote, or its bytes. On the simulator: `simulator.kernel_binary("name")`, of a Python
            function that `simulator.register_kernel` knows.
        name: The kernel's name in the binary; that of the file without its ending if left out.
        engine: "aicore" or "vector".

    Raises:
        OSError: The file can't be read.
        ValueRangeError: The engine is neither, or a binary given as bytes has no name.

    Examples:
        >>> at.custom.Kernel(simulator.kernel_binary("double"), "double")
        <Kernel double of 43 bytes on aicore>
    """

    __slots__ = ("file",)

    def __init__(self, binary: bytes | str | os.PathLike[str], name: str = "", engine: str = "aicore") -> None:
        if engine not in ENGINES:
            raise ValueRangeError(f"engine must be {' or '.join(map(repr, ENGINES))}, not {described(engine)}", where="custom.Kernel")
        data = binary if isinstance(binary, bytes) else Path(binary).read_bytes()
        if not isinstance(binary, bytes):
            name = name or Path(binary).stem
        if not name or not data:
            raise ValueRangeError("a kernel given as bytes needs its name, and a binary is not empty", where="custom.Kernel")
        self.file = KernelFile(name, data, engine)

    def __repr__(self) -> str:
        return f"<Kernel {self.file.name} of {len(self.file.data)} bytes on {self.file.engine}>"


class Operand(NamedTuple):
    """What `select` is told of a tensor.

    Examples:
        >>> at.custom.Operand((2, 3), at.float32).shape
        (2, 3)
    """

    shape: tuple[int, ...]
    dtype: DType


@dataclass(frozen=True)
class Launch:
    """What `select` answers: how to run for given shapes.

    Attributes:
        kernel: Key of the kernel in `kernels`.
        block_dim: On how many cores.
        tiling: Bytes that the kernel gets behind the addresses of inputs, outputs and workspaces (TIK-9).
        workspaces: Bytes of each workspace in device memory, 16 at most (TIK-7).

    Examples:
        >>> at.custom.Launch("any", block_dim=8, tiling=bytes([3])).block_dim
        8
    """

    kernel: str
    block_dim: int = 1
    tiling: bytes = b""
    workspaces: Sequence[int] = ()


Select = Callable[[list["Operand | None"], list["Operand"], dict[str, Any]], Launch]


def dynamic_kernel(
    op_type: str,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    attrs: Mapping[str, Any] | None = None,
    *,
    kernels: Mapping[str, Kernel],
    select: Select,
    shape: Callable[..., Any] | None = None,
    dtype: Callable[..., Any] | DType | None = None,
    handle: bool = True,
) -> DynamicKernel:
    """A function that launches a kernel of your own, whose tiling is worked out for the shapes that it gets.

    pyACL's flow for it is registering a compile function, creating kernels, `update_params` for each new combination of shapes, dtypes and
    attributes, and launching; all of that happens when the function is called. Nothing is compiled, so no model is looked for.

    Args:
        op_type: A name for the operator.
        inputs, outputs, attrs, shape, dtype: As of `register_op`.
        kernels: The kernels by any names.
        select: `select(inputs, outputs, attrs)` chooses among them: `Operand`s (None for an input that is absent) and a dictionary in, a
            `Launch` out. It is called once for each new combination. What it raises is raised to the caller.
        handle: Launch through a handle, which is bound to the kernel when it is made, or by `execute_v2`, which looks in each call.

    Returns:
        The function: tensors in order, attributes by name.

    Like: cupy.RawKernel.

    Examples:
        >>> from ascendtensor import simulator
        >>> def double(launch):  # what the simulator runs in the kernel's place
        ...     np.multiply(launch.inputs[0], 2, launch.outputs[0])
        >>> simulator.register_kernel("double", double)
        >>> def select(inputs, outputs, attrs):
        ...     return at.custom.Launch("any", block_dim=8, tiling=bytes([inputs[0].shape[0]]))
        >>> kernel = at.custom.Kernel(simulator.kernel_binary("double"), "double")  # on a board: at.custom.Kernel("double.o")
        >>> at.custom.dynamic_kernel("Double", kernels={"any": kernel}, select=select)(at.ones(3))
        tensor([2., 2., 2.], device='npu:0')
    """
    return DynamicKernel(op_type, inputs, outputs, attrs or {}, shape, dtype, kernels, select, handle)


class _Prepared(NamedTuple):
    """What was worked out for one combination."""

    description: Description
    places: tuple[int, ...]
    results: tuple[TensorDesc, ...]
    choose: Callable[[], Selection]
    handle: OpHandle | None


_alive: Final[weakref.WeakSet[DynamicKernel]] = weakref.WeakSet()


class DynamicKernel(CustomOp):
    """A kernel with dynamic tiling; `dynamic_kernel` makes it. Call it with tensors, and attributes by name.

    Examples:
        >>> simulator.register_kernel("half", lambda launch: np.divide(launch.inputs[0], 2, launch.outputs[0]))
        >>> half = {"any": at.custom.Kernel(simulator.kernel_binary("half"), "half")}
        >>> at.custom.dynamic_kernel("Half", kernels=half, select=lambda *_: at.custom.Launch("any", block_dim=1))(at.ones(2))
        tensor([0.5000, 0.5000], device='npu:0')
    """

    def __init__(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attrs: Mapping[str, Any],
        shape: Callable[..., Any] | None,
        dtype: Callable[..., Any] | DType | None,
        kernels: Mapping[str, Kernel],
        select: Select,
        handle: bool,
    ) -> None:
        super().__init__(op_type, inputs, outputs, attrs, shape, dtype)
        for name, kernel in kernels.items():
            if not isinstance(kernel, Kernel):
                raise DTypeError(f"kernels[{name!r}] must be a custom.Kernel, not {described(kernel)}", where="dynamic_kernel")
        if not kernels or not callable(select):
            raise ValueRangeError("at least one kernel and a function that selects are needed", where="dynamic_kernel")
        self._ids = {name: kernel.file.key(name) for name, kernel in kernels.items()}
        self._kernels = {self._ids[name]: kernel.file for name, kernel in kernels.items()}
        self._select = select
        self._with_handle = handle
        self._prepared: dict[Hashable, _Prepared] = {}
        _alive.add(self)

    def __repr__(self) -> str:
        return f"<kernel {self.op_type}({', '.join(name for name, _ in self._inputs)})>"

    def _launch(self, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
        given = tuple(map(plain, operands))
        tensors = [operand for operand in given if operand is not None]
        device = tensors[0].desc.device
        if any(tensor.desc.device is not device for tensor in tensors):
            raise DeviceError("the operands are on different devices", where=self.op_type, advice='Move one of them with .to("npu:N").')
        stream = device.current_stream()
        key = (*[None if operand is None else operand.desc for operand in given], arguments)
        found = self._prepared.get(key) or self._prepare(key, row, given, arguments, device)
        reads = [given[index].buffer for index in found.places]
        writes = [stream.pool.lend(desc.block_size, stream) for desc in found.results]
        if any(desc.numel for desc in found.results):
            direct.ordered(reads, writes, stream)
            read = [device.null_buffer] * len(found.description.inputs)
            for index, buffer in zip(found.places, reads, strict=True):
                read[index] = buffer.data_buffer
            buffers = read, [buffer.data_buffer for buffer in writes]
            direct.queued(stream, self.op_type, lambda: self._run(found, buffers, stream))
        results = tuple(base.make(tensors[0].__class__, desc, buffer) for desc, buffer in zip(found.results, writes, strict=True))
        return results[0] if len(results) == 1 else results

    def _run(self, prepared: _Prepared, buffers: tuple[list[int], list[int]], stream: Any) -> None:
        if prepared.handle is not None:
            direct.execute_handle(prepared.handle, *buffers, stream)
        else:
            kernels.execute(self._kernels, prepared.description, prepared.choose, buffers, stream)

    def _prepare(self, key: Hashable, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...], device: Device) -> _Prepared:
        decision = planner.decide(row, operands, arguments)
        description = planner.describe(row, operands, arguments, device)
        outcome = zip(decision.outcome.shapes, decision.dtypes, strict=True)
        outputs = [Operand(shape, dtype) for shape, dtype in outcome]
        inputs = [Operand(operand.shape, operand.dtype) if isinstance(operand, TensorBase) else None for operand in operands]
        named = dict(zip(self._kinds, arguments, strict=True))
        results = tuple(TensorDesc.of(output.shape, output.dtype, device) for output in outputs)

        def choose() -> Selection:
            return self._checked(self._select(list(inputs), list(outputs), dict(named)))

        handle = None
        if self._with_handle and any(desc.numel for desc in results):
            handle = kernels.prepared_handle(self._kernels, description, choose)
        places = tuple(index for index, operand in enumerate(operands) if operand is not None)
        while len(self._prepared) >= CAPACITY:
            self._prepared.pop(next(iter(self._prepared)), None)
        found = self._prepared[key] = _Prepared(description, places, results, choose, handle)
        return found

    def _checked(self, chosen: Launch) -> Selection:
        if not isinstance(chosen, Launch) or not isinstance(chosen.tiling, bytes):
            raise DTypeError(f"select must answer a custom.Launch with tiling bytes, not {described(chosen)}", where=self.op_type)
        if chosen.kernel not in self._ids:
            known = ", ".join(map(repr, self._ids))
            raise ValueRangeError(f"select chose the kernel {chosen.kernel!r}; there are {known}", where=self.op_type)
        cores, sizes = operator.index(chosen.block_dim), tuple(map(operator.index, chosen.workspaces))
        if cores < 1 or len(sizes) > MAX_WORKSPACES or any(size < 1 for size in sizes):
            text = f"block_dim {cores} and workspaces {list(sizes)} do not fit"
            advice = f"At least one core, and at most {MAX_WORKSPACES} workspaces of one byte or more."
            raise ValueRangeError(text, where=self.op_type, advice=advice)
        return Selection(self._ids[chosen.kernel], cores, chosen.tiling, sizes)


def _forget() -> None:
    """At shutdown: descriptions and handles of devices that are gone."""
    for kernel in list(_alive):
        kernel._prepared.clear()


on_shutdown(_forget)
