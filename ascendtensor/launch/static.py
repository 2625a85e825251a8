"""Static plans: everything about one signature was decided when the plan was made, so a launch is buffers and a handle.

`BinaryPlan` and `UnaryPlan` are hop 4 of `a + b`; nothing but the work itself lies on their road, and little more on that of
`TensorsPlan` and `SinglePlan`: scalars, casts, absent and repeated inputs. `StaticPlan` serves several outputs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..acl.binding import execute_with_handle
from ..runtime.memory import DeviceBuffer

if TYPE_CHECKING:
    from ..compiler.description import Description
    from ..runtime.desc import TensorDesc
    from ..runtime.device import Device
    from ..runtime.stream import Stream
    from .registry import OpHandle

Fetch = Callable[[Any, "Stream"], Any]

_new = object.__new__


@dataclass(frozen=True)
class Prepared:
    """A call as the operator floor decided it, ready to become a plan.

    Attributes:
        name: Name of the public function.
        description: The operator to launch.
        device: Device of all operands.
        results: Descriptors of the outputs.
        fetches: (input position, operand index, how the operand becomes a device buffer) of each input that is not constant or absent.
        lead: Index of the first tensor operand, or -1.
        cls: Class of the results where there is no tensor operand.
        simple: Whether the operands are tensors in input order that need no cast, and there is one output.
    """

    name: str
    description: Description
    device: Device
    results: tuple[TensorDesc, ...]
    fetches: tuple[tuple[int, int, Fetch], ...]
    lead: int
    cls: type
    simple: bool


def _buffer(stream: Stream, size: int) -> DeviceBuffer:
    """Memory for a result: one of the last two blocks that came back if it fits, else one of the stream's pool."""
    pool = stream.pool
    returns = pool.returns
    for _ in _BOTH:
        if not returns:
            break
        output = _new(DeviceBuffer)
        try:
            for block in pool.lent:  # no call, see there
                output.block = block
                break
        except IndexError:  # another thread shares the stream and was faster
            break
        if block.size == size:
            output.data_buffer = block.data_buffer
            output.stream = stream
            output.readers = None
            output.extent = 0
            return output
        del output  # it gives the block back
        returns.rotate()  # operators of two sizes take turns
    return pool.lend(size, stream)


_BOTH: Final = (0, 1)


class Plan:
    """What was decided about one signature of one operator.

    Attributes:
        name: Name of the public function, for messages.
        op_type: Ascend IR operator type.
        device: Device that the plan launches on.
        results: Descriptors of the outputs.
        hits: Launches so far; `seen` is the value at the last sweep of the registry (second chance).
        lead: Position of the first tensor operand, whose class the results get; -1 where there is none, then `cls` is used.
        dynamic: Whether launches match a dynamic model (`execute_v2`) instead of using a handle.
        queues: Whether launches queue the operator at all.
        direct: Whether the operator itself writes the results, so that `launch_into` saves a copy.
    """

    __slots__ = (
        "cls",
        "description",
        "device",
        "fetches",
        "hits",
        "lead",
        "local",
        "name",
        "op_type",
        "results",
        "seen",
        "sizes",
        "template",
    )
    dynamic: ClassVar[bool] = False
    queues: ClassVar[bool] = True
    direct: ClassVar[bool] = True

    def __init__(self, call: Prepared) -> None:
        self.name = call.name
        self.description = call.description
        self.op_type = call.description.op_type
        self.lead = call.lead
        self.cls = call.cls
        self.device = call.device
        self.local = call.device.local
        self.results = call.results
        self.sizes = tuple(desc.block_size for desc in call.results)
        self.fetches = call.fetches
        # HD-9: a buffer for every input; those of constants and absent options are ignored.
        self.template = [call.device.null_buffer] * len(call.description.inputs)
        self.hits = 0
        self.seen = 1  # a plan that was launched once gets no second chance

    @property
    def core(self) -> Plan:
        """The plan that launches; wrappers answer the plan that they wrap."""
        return self

    def current_stream(self) -> Stream:
        try:
            stream: Stream = self.local.stream
        except AttributeError:
            return self.device.activate()
        return stream

    def gather(self, operands: Sequence[Any], stream: Stream) -> tuple[list[int], list[Any]]:
        """Data buffers of all inputs in the operator's order, and the objects that must live until the call returns."""
        inputs = self.template.copy()
        alive = []
        for position, index, fetch in self.fetches:
            buffer = fetch(operands[index], stream)
            alive.append(buffer)
            inputs[position] = buffer.data_buffer
        return inputs, alive

    def allocate(self, stream: Stream) -> list[DeviceBuffer]:
        return [_buffer(stream, size) for size in self.sizes]

    def wrap(self, operands: Sequence[Any], buffers: Sequence[DeviceBuffer]) -> Any:
        """Tensors over the output buffers, of the first tensor operand's class; one output is given bare."""
        cls = self.cls if self.lead < 0 else operands[self.lead].__class__
        if len(buffers) == 1:
            tensor = _new(cls)
            tensor.desc = self.results[0]
            tensor.buffer = buffers[0]
            return tensor
        tensors = []
        for desc, buffer in zip(self.results, buffers, strict=True):
            tensor = _new(cls)
            tensor.desc = desc
            tensor.buffer = buffer
            tensors.append(tensor)
        return tuple(tensors)

    def launch(self, *operands: Any) -> Any:
        """Queue the operator on the thread's current stream and give its result tensor(s)."""
        stream = self.current_stream()
        buffers = self.allocate(stream)
        self.run(operands, [buffer.data_buffer for buffer in buffers], stream)
        return self.wrap(operands, buffers)

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        """Queue the operator with the buffers of given plain tensors as its outputs."""
        stream = self.current_stream()
        for target in targets:
            target.buffer.write_on(stream)
        self.run(operands, [target.buffer.data_buffer for target in targets], stream)

    def run(self, operands: Sequence[Any], outputs: list[int], stream: Stream) -> None:
        raise NotImplementedError


class StaticPlan(Plan):
    """A plan that launches through an op handle; any number and kind of operands."""

    __slots__ = ("handle", "handle_value")

    def __init__(self, call: Prepared, handle: OpHandle) -> None:
        super().__init__(call)
        self.handle = handle
        self.handle_value = handle.value

    def run(self, operands: Sequence[Any], outputs: list[int], stream: Stream) -> None:
        inputs, _alive = self.gather(operands, stream)
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, inputs, outputs, stream.handle)


class SinglePlan(StaticPlan):
    """Any number and kind of operands, one output: the road of `a * 2.0`."""

    __slots__ = ("result", "size")

    def __init__(self, call: Prepared, handle: OpHandle) -> None:
        super().__init__(call, handle)
        (self.result,) = self.results
        (self.size,) = self.sizes

    def launch(self, *operands: Any) -> Any:
        try:
            stream = self.local.stream
        except AttributeError:
            stream = self.device.activate()
        output = _buffer(stream, self.size)
        inputs = self.template.copy()
        alive = []
        for position, index, fetch in self.fetches:
            buffer = fetch(operands[index], stream)
            alive.append(buffer)
            inputs[position] = buffer.data_buffer
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, inputs, [output.data_buffer], stream.handle)
        result = _new(self.cls if self.lead < 0 else operands[self.lead].__class__)
        result.desc = self.result
        result.buffer = output
        return result


class TensorsPlan(StaticPlan):
    """Tensors that need no cast, one output; constants follow the tensors."""

    __slots__ = ("result", "size", "tail")

    def __init__(self, call: Prepared, handle: OpHandle) -> None:
        super().__init__(call, handle)
        (self.result,) = self.results
        (self.size,) = self.sizes
        self.tail = self.template[len(self.fetches) :]

    def launch(self, *operands: Any) -> Any:
        try:
            stream = self.local.stream
        except AttributeError:
            stream = self.device.activate()
        inputs = []
        for operand in operands:
            buffer = operand.buffer
            if buffer.stream is not stream:
                buffer.read_on(stream)
            inputs.append(buffer.data_buffer)
        output = _buffer(stream, self.size)
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, inputs + self.tail, [output.data_buffer], stream.handle)
        result = _new(operands[0].__class__)
        result.desc = self.result
        result.buffer = output
        return result

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        try:
            stream = self.local.stream
        except AttributeError:
            stream = self.device.activate()
        (target,) = targets
        output = target.buffer
        if output.stream is not stream or output.readers:
            output.write_on(stream)
        inputs = []
        for operand in operands:
            buffer = operand.buffer
            if buffer.stream is not stream:
                buffer.read_on(stream)
            inputs.append(buffer.data_buffer)
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, inputs + self.tail, [output.data_buffer], stream.handle)


class UnaryPlan(TensorsPlan):
    """One tensor that needs no cast, one output; constants follow the tensor."""

    __slots__ = ()

    def launch(self, input: Any) -> Any:
        try:
            stream = self.local.stream
        except AttributeError:
            stream = self.device.activate()
        source = input.buffer
        if source.stream is not stream:
            source.read_on(stream)
        # `_buffer(stream, self.size)`, without the call; made first, so that an interrupt finds somebody to give the block back.
        output = _new(DeviceBuffer)
        returns = stream.pool.returns
        if returns:
            try:
                output.block = block = returns.pop()
                if block.size != self.size:
                    del output.block
                    returns.append(block)
                    block = stream.pool.take(self.size, output)
            except IndexError:  # another thread shares the stream and was faster
                block = stream.pool.take(self.size, output)
            except BaseException:  # an interrupt before the block had a name
                stream.pool.reclaim()
                raise
        else:
            block = stream.pool.take(self.size, output)
        output.data_buffer = block.data_buffer
        output.stream = stream
        output.readers = None
        output.extent = 0
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, [source.data_buffer, *self.tail], [output.data_buffer], stream.handle)
        result = _new(input.__class__)
        result.desc = self.result
        result.buffer = output
        return result


class BinaryPlan(TensorsPlan):
    """Two tensors that need no cast, one output: the road of `a + b`."""

    __slots__ = ()

    def launch(self, input: Any, other: Any) -> Any:
        try:
            stream = self.local.stream
        except AttributeError:
            stream = self.device.activate()
        left = input.buffer
        if left.stream is not stream:
            left.read_on(stream)
        right = other.buffer
        if right.stream is not stream:
            right.read_on(stream)
        # `_buffer(stream, self.size)`, without the call; made first, so that an interrupt finds somebody to give the block back.
        output = _new(DeviceBuffer)
        returns = stream.pool.returns
        if returns:
            try:
                output.block = block = returns.pop()
                if block.size != self.size:
                    del output.block
                    returns.append(block)
                    block = stream.pool.take(self.size, output)
            except IndexError:  # another thread shares the stream and was faster
                block = stream.pool.take(self.size, output)
            except BaseException:  # an interrupt before the block had a name
                stream.pool.reclaim()
                raise
        else:
            block = stream.pool.take(self.size, output)
        output.data_buffer = block.data_buffer
        output.stream = stream
        output.readers = None
        output.extent = 0
        stream.recent.append(self)
        self.hits += 1
        execute_with_handle(self.handle_value, [left.data_buffer, right.data_buffer], [output.data_buffer], stream.handle)
        result = _new(input.__class__)
        result.desc = self.result
        result.buffer = output
        return result


def blocking() -> bool:
    """Whether each launch is to wait for its result."""
    return os.environ.get("ASCENDTENSOR_LAUNCH_BLOCKING", "") not in ("", "0")


class BlockingPlan:
    """A plan under ASCENDTENSOR_LAUNCH_BLOCKING=1: each launch waits for its result, so that an error names the call that caused it."""

    __slots__ = ("inner",)

    def __init__(self, inner: Plan) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def launch(self, *operands: Any) -> Any:
        result = self.inner.launch(*operands)
        self.inner.current_stream().synchronize()
        return result

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        self.inner.launch_into(targets, *operands)
        self.inner.current_stream().synchronize()
