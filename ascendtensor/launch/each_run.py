"""Plans of the mode "each-run": every launch is `aclopCompileAndExecuteV2`, which compiles if need be and queues the operator.

For operators that are compiled as often as they run (OM-16). What a launch alone knows is placed on the host here, where a model accepts
it since it is made for it: numbers as HOST_COMPILE_INDEPENDENT, so that no value becomes part of a model; integers that a kernel's tiling
reads as HOST, so that it finds them (OM-27). Both are copied during the call (OP-7).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..acl import binding
from ..codes import Placement
from ..interrupts import HeldInterrupts
from ..runtime.attrs import KeptAttr
from ..runtime.desc import KeptDesc
from ..runtime.scalars import encode
from . import operands as fetches
from .dynamic import BoundedPlan, DynamicPlan
from .static import Fetch, Prepared

if TYPE_CHECKING:
    from ..compiler.description import Description, TensorDescription
    from ..compiler.protocol import Registrar
    from ..runtime.memory import Pool
    from ..runtime.stream import Stream


class HostBytes:
    """A data buffer over host memory, for one launch.

    The finaliser only queues the buffer (it may run in any thread, in the middle of anything); the pool destroys it later.
    """

    __slots__ = ("_data", "_drop", "data_buffer")

    def __init__(self, pool: Pool, data: bytes) -> None:
        self._data = data  # read during the call
        with pool.lock, HeldInterrupts():
            pool.bury()
            self.data_buffer = pool.create_data_buffer(binding.bytes_to_ptr(data), len(data))
            self._drop = partial(pool.dropped_buffers.append, self.data_buffer)

    __del__ = property(attrgetter("_drop"))


class OnHost:
    """The fetch of a value that stays on the host."""

    __slots__ = ("fetch", "pool")

    def __init__(self, fetch: fetches.Number | fetches.Values, pool: Pool) -> None:
        self.fetch = fetch
        self.pool = pool

    def __call__(self, operand: Any, stream: Stream) -> HostBytes:
        fetch = self.fetch
        if isinstance(fetch, fetches.FittingNumber):
            encode(fetch.asked, operand)  # refuses what the dtype asked for can't hold
        array = encode(fetch.dtype, operand) if isinstance(fetch, fetches.Number) else np.array(operand, fetch.dtype.numpy)
        return HostBytes(self.pool, array.tobytes())


class EachRunPlan(DynamicPlan):
    """A plan that compiles and launches by one call."""

    __slots__ = ("compiler",)

    def __init__(self, call: Prepared, compiler: Registrar, per_call: bool) -> None:
        super().__init__(call, call.description, _nothing)
        self.compiler = compiler
        pool = call.device.pool
        placed: list[tuple[int, int, Fetch]] = []
        for position, index, fetch in call.fetches:
            if isinstance(fetch, (fetches.Number, fetches.Values)):
                read_by_tiling = per_call and isinstance(fetch, fetches.Values)
                placement = Placement.HOST if read_by_tiling else Placement.HOST_COMPILE_INDEPENDENT
                binding.set_tensor_place_ment(self.inputs[position], int(placement))
                fetch = OnHost(fetch, pool)
            placed.append((position, index, fetch))
        self.fetches = tuple(placed)

    def describe(self, tensor: TensorDescription) -> KeptDesc:
        return KeptDesc(self.device, tensor)  # of its own, since it may be placed on the host

    def attributes(self, description: Description) -> KeptAttr:
        return KeptAttr(self.device, description.attrs)  # of its own: the call writes into it (ATTR-10), without Python's lock

    def execute(self, operands: Sequence[Any], descs: list[int], outputs: list[int], stream: Stream) -> None:
        inputs, _alive = self.gather(operands, stream)
        stream.recent.append(self)
        self.hits += 1
        self.compiler.execute(self.op_type, (self.inputs, inputs), (descs, outputs), self.attr, stream.handle)


def _nothing(model: Description) -> None:
    """There is no model to be loaded again."""


class EachRunBoundedPlan(EachRunPlan, BoundedPlan):
    """The same for outputs whose shapes depend on the data: the exact dims are read back."""

    __slots__ = ()


def each_run_plan(call: Prepared, compiler: Registrar, data_dependent: bool, per_call: bool) -> EachRunPlan:
    """The plan of a call in this mode.

    Args:
        call: The call.
        compiler: What compiles and launches it.
        data_dependent: Whether output shapes are known only after the run.
        per_call: Whether values that change with every call are read by the kernel's tiling.
    """
    return (EachRunBoundedPlan if data_dependent else EachRunPlan)(call, compiler, per_call)
